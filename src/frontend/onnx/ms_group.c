// ms_group.c - what decoders of com.microsoft attend with: GroupQueryAttention, where groups of query heads
// share a head of keys and values, and a cache grows by the tokens of a step; and RotaryEmbedding.
#include "frontend/onnx/ms_attend.h"

#include <math.h>

// ---- RotaryEmbedding ----
// Positions [batch, sequence], or one for the first of the sequence.
static weft_value *all_positions(onnx_op *o, weft_value *given, weft_value *x) {
  int rank = onnx_rank_needed(o, given);
  int axis = onnx_rank_needed(o, x) == 3 ? 1 : 2;
  if (o->failed || rank == 2)
    return given;
  weft_value *count = onnx_unsqueezed(o, onnx_counting(o, onnx_dim_index(o, x, axis)), 0);
  return onnx_do(o, "Add", count, onnx_as(o, given, WEFT_INT64), NULL);
}

// Rows of cosines or sines for positions, with an axis for the heads.
static weft_value *angles_at(onnx_op *o, weft_value *table, weft_value *positions, int64_t heads_axis) {
  return onnx_unsqueezed(o, onnx_picked(o, table, 0, positions), heads_axis);
}

// Heads whose size is twice what the table has, in place of [batch, sequence, heads * size].
static weft_value *split_as_table(onnx_op *o, weft_value *x, weft_value *table) {
  weft_value *half = onnx_dim_list(o, table, 1);
  weft_value *rest = onnx_list(o, &(int64_t){-1}, 1);
  weft_value *parts[4] = {onnx_dim_list(o, x, 0), onnx_dim_list(o, x, 1), rest,
                          onnx_do(o, "Add", half, half, NULL)};
  return onnx_do(o, "Reshape", x, onnx_joined(o, parts, 4, 0), NULL);
}

static weft_status rotary_embedding(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  weft_value *given = onnx_arg(o, 1);
  weft_value *cosines = onnx_arg(o, 2);
  weft_value *sines = onnx_arg(o, 3);
  int64_t heads = onnx_int(o, "num_heads", 0);
  int64_t dim = onnx_int(o, "rotary_embedding_dim", 0);
  bool neighbours = onnx_int(o, "interleaved", 0) != 0;
  int rank = onnx_rank_needed(o, x);
  weft_value *positions = all_positions(o, given, x);
  int64_t axis = rank == 3 ? 2 : 1;
  const onnx_rotary r = {angles_at(o, cosines, positions, axis), angles_at(o, sines, positions, axis), dim,
                         neighbours};
  WEFT_TRY(o->failed);
  if (rank == 3 && !heads && !dim) {
    weft_value *y = onnx_rotated(o, split_as_table(o, x, cosines), &r);
    return onnx_result(o, 0, onnx_do(o, "Reshape", y, onnx_shape_of(o, x), NULL));
  }
  weft_dim size;
  WEFT_TRY(onnx_rotary_sizes(o, x, heads, dim, &size));
  return onnx_rotary_result(o, x, heads, size, &r);
}

// ---- GroupQueryAttention ----
enum { QUERY, KEY, VALUE, PAST_KEY, PAST_VALUE, LENGTHS, TOTAL, COSINES, SINES, POSITIONS, SHIFT, SINK };
enum { KEY_SCALE = 12, VALUE_SCALE, QUERY_NORM, KEY_NORM, QUERY_LENGTHS };

typedef struct group {
  ms_attend a;
  weft_value *total;   // INT64 []: the longest sequence, this step included
  weft_value *before;  // INT64 [batch, 1]: tokens in the cache before this step; NULL: none
  weft_value *last;    // INT64 [batch, 1]: the place of the last token
  ms_codes key_codes;
  ms_codes value_codes;
  weft_value *places;      // INT64 [batch, keys]: where keys are in their sequence; NULL: they begin at 0
  weft_value *present[2];  // the caches as they leave; NULL: nobody asks
} group;

static weft_value *batch_column(onnx_op *o, weft_value *v) {
  return onnx_reshaped(o, onnx_as(o, v, WEFT_INT64), (const int64_t[]){-1, 1}, 2);
}

// A cache that holds a window, and at least a whole one.
static weft_status refuse_window(onnx_op *o) {
  int64_t window = onnx_int(o, "local_window_size", -1);
  weft_value *past = onnx_in(o, PAST_KEY);
  if (!onnx_int(o, "sliding_window_cache", 0) || o->failed)
    return o->failed;
  if (window <= 0)
    return onnx_fail(o, WEFT_E_INVALID,
                     "attribute 'sliding_window_cache' needs 'local_window_size' > 0, got %lld",
                     (long long)window);
  if (!past)
    return onnx_fail(o, WEFT_E_MISSING, "attribute 'sliding_window_cache' needs past_key and past_value");
  int rank = onnx_rank_needed(o, past);
  weft_dim rows = o->failed || rank != 4 ? -1 : onnx_dim_at(past, 2);
  if (rows >= 0 && rows < window)
    return onnx_fail(o, WEFT_E_INVALID,
                     "a cache of %lld rows is smaller than 'local_window_size', which is %lld",
                     (long long)rows, (long long)window);
  return o->failed;
}

static weft_status refuse_unused(onnx_op *o) {
  if (onnx_wants(o, 3))
    (void)onnx_unsupported(o, "output 3, output_qk, of scores, is not imported");
  if (onnx_int(o, "local_window_size", -1) > 0 && !onnx_int(o, "causal", 1) && !o->failed)
    return onnx_fail(o, WEFT_E_INVALID, "attribute 'local_window_size' must be -1 where 'causal' is 0");
  if (!o->failed && !onnx_in(o, PAST_KEY) != !onnx_in(o, PAST_VALUE))
    return onnx_fail(o, WEFT_E_MISSING, "past_key and past_value are given both or not at all");
  if (!o->failed && !onnx_in(o, QUERY_NORM) != !onnx_in(o, KEY_NORM))
    return onnx_fail(o, WEFT_E_MISSING, "q_norm_weight and k_norm_weight are given both or not at all");
  return o->failed ? o->failed : refuse_window(o);
}

static weft_status read_codes(onnx_op *o, group *g) {
  static const ms_codes_from keys = {PAST_KEY, KEY_SCALE, "k_quant_type"};
  static const ms_codes_from values = {PAST_VALUE, VALUE_SCALE, "v_quant_type"};
  WEFT_TRY(onnx_ms_codes_of(o, &keys, g->a.kv_heads, &g->key_codes));
  return onnx_ms_codes_of(o, &values, g->a.kv_heads, &g->value_codes);
}

static weft_value *split_heads(onnx_op *o, weft_value *v, int64_t heads) {
  if (o->failed)
    return NULL;
  weft_dim all = onnx_dim_at(v, 2);
  const onnx_piece p[4] = {{v, 0}, {v, 1}, {NULL, heads}, {NULL, all >= 0 ? all / heads : -1}};
  return onnx_reshaped_to(o, v, p, 4);
}

// [batch, sequence, heads, size] each, from three inputs or from one that holds all heads.
static void read_heads(onnx_op *o, group *g) {
  weft_value *q = onnx_arg(o, QUERY);
  weft_value *k = onnx_in(o, KEY);
  weft_value *v = onnx_in(o, VALUE);
  int64_t heads = g->a.heads;
  int64_t kv = g->a.kv_heads;
  if (!k != !v)
    o->failed = onnx_fail(o, WEFT_E_MISSING, "key and value are given both or not at all");
  if (o->failed)
    return;
  if (k) {
    q = split_heads(o, q, heads);
    k = split_heads(o, k, kv);
    v = split_heads(o, v, kv);
  } else {
    weft_value *all = split_heads(o, q, heads + 2 * kv);
    q = onnx_part(o, all, 2, 0, heads);
    k = onnx_part(o, all, 2, heads, heads + kv);
    v = onnx_part(o, all, 2, heads + kv, heads + 2 * kv);
  }
  g->a.q = (ms_side){q, "BSND"};
  g->a.k = (ms_side){k, "BSND"};
  g->a.v = (ms_side){v, "BSND"};
}

// Where this step begins in each sequence. Without past, or when the step is all there is, at 0.
static void ms_group_find_places(onnx_op *o, group *g) {
  weft_value *lengths = batch_column(o, onnx_arg(o, LENGTHS));
  weft_value *some = onnx_in(o, QUERY_LENGTHS);
  weft_value *queries = onnx_dim_index(o, g->a.q.v, 1);
  weft_value *one = onnx_index(o, 1);
  g->total = onnx_reshaped(o, onnx_as(o, onnx_arg(o, TOTAL), WEFT_INT64), NULL, 0);
  g->last = lengths;
  if (!onnx_in(o, PAST_KEY))
    return;
  weft_value *end = onnx_do(o, "Add", lengths, one, NULL);
  if (some) {
    g->before = onnx_do(o, "Sub", end, batch_column(o, some), NULL);
    return;
  }
  weft_value *first = onnx_do(o, "Equal", g->total, queries, NULL);
  weft_value *before = onnx_do(o, "Sub", end, queries, NULL);
  g->before = onnx_do(o, "SelectV2", first, onnx_index(o, 0), before);
}

// The place of each query in its sequence: [batch or 1, queries].
static weft_value *query_places(onnx_op *o, const group *g) {
  weft_value *count = onnx_unsqueezed(o, onnx_counting(o, onnx_dim_index(o, g->a.q.v, 1)), 0);
  return g->before ? onnx_do(o, "Add", g->before, count, NULL) : count;
}

// Turns as many numbers of a head as the table has angles for, twice.
static weft_value *ms_group_turned(onnx_op *o, weft_value *x, weft_value *table, onnx_rotary *r) {
  weft_dim half = onnx_dim_at(table, 1);
  weft_dim size = onnx_dim_at(x, 3);
  r->dim = half > 0 && 2 * half != size ? 2 * half : 0;
  if (half > 0)
    return onnx_rotated(o, x, r);
  weft_value *one = onnx_dim_list(o, table, 1);
  weft_value *end = onnx_do(o, "Add", one, one, NULL);
  weft_value *first = onnx_sliced(o, x, 3, onnx_list(o, &(int64_t){0}, 1), end);
  weft_value *rest = onnx_sliced(o, x, 3, end, onnx_list(o, &(int64_t){INT64_MAX}, 1));
  return onnx_joined(o, (weft_value *[]){onnx_rotated(o, first, r), rest}, 2, 3);
}

static void ms_group_turn(onnx_op *o, group *g) {
  weft_value *cosines = onnx_arg(o, COSINES);
  weft_value *sines = onnx_arg(o, SINES);
  weft_value *places = onnx_in(o, POSITIONS);
  bool neighbours = onnx_int(o, "rotary_interleaved", 0) != 0;
  if (!places)
    places = query_places(o, g);
  if (o->failed)
    return;
  onnx_rotary r = {angles_at(o, cosines, places, 2), angles_at(o, sines, places, 2), 0, neighbours};
  g->a.q.v = ms_group_turned(o, g->a.q.v, cosines, &r);
  g->a.k.v = ms_group_turned(o, g->a.k.v, cosines, &r);
}

// The cache with the rows of this step behind those that it holds, and zeros in the rest. Its rows are as
// many as those of the cache that came in, or as the longest sequence needs.
static weft_value *grown(onnx_op *o, const group *g, weft_value *past, weft_value *step) {
  static const int64_t one_row[] = {0, 0, 0, 0, 0, 0, 1, 0};
  weft_value *rows = onnx_dim_index(o, past, 2);
  weft_value *some = onnx_in(o, QUERY_LENGTHS);
  weft_value *count = some ? batch_column(o, some) : onnx_dim_index(o, step, 2);
  weft_value *t = onnx_unsqueezed(o, onnx_counting(o, onnx_do(o, "Maximum", rows, g->total, NULL)), 0);
  weft_value *behind = onnx_do(o, "Sub", t, g->before, NULL);  // place in the step
  weft_value *nothing = onnx_do(o, "Add", rows, onnx_dim_index(o, step, 2), NULL);
  weft_value *is_step = onnx_do(o, "Less", behind, count, NULL);
  weft_value *from = onnx_do(o, "SelectV2", is_step, onnx_do(o, "Add", behind, rows, NULL), nothing);
  from = onnx_do(o, "SelectV2", onnx_do(o, "Less", t, g->before, NULL), t, from);
  onnx_set(o, "paddings_contiguous", weft_attr_bool(false));
  step = onnx_do(o, "PadV3", step, onnx_list(o, one_row, 8), NULL);
  weft_value *all = onnx_joined(o, (weft_value *[]){past, step}, 2, 2);
  weft_value *at = onnx_index(o, 2);
  onnx_set(o, "batch_dims", weft_attr_int(1));
  return onnx_do(o, "GatherV2", all, from, at);
}

// ---- a cache that holds a window ----
// How many of `total` tokens it holds, from row 0 on, in order. When more come than there are rows, those
// before the window go, as many at once as there are rows beside it.
static weft_value *ms_group_held(onnx_op *o, weft_value *rows, weft_value *total) {
  weft_value *window = onnx_index(o, onnx_int(o, "local_window_size", 1));
  weft_value *beside = onnx_do(o, "Sub", rows, window, NULL);
  weft_value *at_once = onnx_do(o, "Add", beside, onnx_index(o, 1), NULL);
  weft_value *over = onnx_do(o, "Maximum", onnx_do(o, "Sub", total, rows, NULL), onnx_index(o, 0), NULL);
  weft_value *times = onnx_do(o, "FloorDiv", onnx_do(o, "Add", over, beside, NULL), at_once, NULL);
  return onnx_do(o, "Sub", total, onnx_do(o, "Mul", times, at_once, NULL), NULL);
}

typedef struct ms_window {
  weft_value *rows, *step_rows;     // INT64 []
  weft_value *held, *kept;          // INT64 [batch, 1]: tokens in the cache before and after this step
  weft_value *first, *first_after;  // INT64 [batch, 1]: the place of its row 0
  weft_value *end;                  // INT64 [batch, 1]: places in the sequence after this step
} ms_window;

static ms_window ms_window_of(onnx_op *o, const group *g, weft_value *past, weft_value *step) {
  ms_window w = {.rows = onnx_dim_index(o, past, 2), .step_rows = onnx_dim_index(o, step, 2)};
  w.end = onnx_do(o, "Add", g->last, onnx_index(o, 1), NULL);
  w.held = ms_group_held(o, w.rows, g->before);
  w.kept = ms_group_held(o, w.rows, w.end);
  w.first = onnx_do(o, "Sub", g->before, w.held, NULL);
  w.first_after = onnx_do(o, "Sub", w.end, w.kept, NULL);
  return w;
}

// Of the rows of the cache and, behind them, those of this step. Rows that hold nothing lie behind
// everything.
static weft_value *window_places(onnx_op *o, const group *g, const ms_window *w) {
  weft_value *all = onnx_do(o, "Add", w->rows, w->step_rows, NULL);
  weft_value *t = onnx_unsqueezed(o, onnx_counting(o, all), 0);
  weft_value *in_cache = onnx_do(o, "Less", t, w->rows, NULL);
  weft_value *from = onnx_do(o, "SelectV2", in_cache, w->first, onnx_do(o, "Sub", g->before, w->rows, NULL));
  weft_value *empty = onnx_do(o, "LogicalAnd", in_cache, onnx_do(o, "GreaterEqual", t, w->held, NULL), NULL);
  return onnx_do(o, "SelectV2", empty, onnx_index(o, INT32_MAX), onnx_do(o, "Add", t, from, NULL));
}

// Which of these rows the cache holds afterwards; behind them its own, as they were.
static weft_value *window_rows(onnx_op *o, const group *g, const ms_window *w) {
  weft_value *t = onnx_unsqueezed(o, onnx_counting(o, w->rows), 0);
  weft_value *place = onnx_do(o, "Add", t, w->first_after, NULL);
  weft_value *old = onnx_do(o, "Sub", place, w->first, NULL);
  weft_value *fresh = onnx_do(o, "Add", onnx_do(o, "Sub", place, g->before, NULL), w->rows, NULL);
  weft_value *from = onnx_do(o, "SelectV2", onnx_do(o, "Less", place, g->before, NULL), old, fresh);
  return onnx_do(o, "SelectV2", onnx_do(o, "Less", t, w->kept, NULL), from, t);
}

// Attention reads what the cache held and this step; the cache then holds the last of both.
static void slide(onnx_op *o, group *g, weft_value *past[2], weft_value *step[2]) {
  const ms_window w = ms_window_of(o, g, past[0], step[0]);
  weft_value *rows = window_rows(o, g, &w);
  weft_value *axis = onnx_index(o, 2);
  g->places = window_places(o, g, &w);
  for (int i = 0; i < 2; i++) {
    step[i] = onnx_joined(o, (weft_value *[]){past[i], step[i]}, 2, 2);
    onnx_set(o, "batch_dims", weft_attr_int(1));
    g->present[i] = onnx_do(o, "GatherV2", step[i], rows, axis);
  }
}

static void join_cache(onnx_op *o, group *g) {
  weft_value *past_k = onnx_in(o, PAST_KEY);
  weft_value *past_v = onnx_in(o, PAST_VALUE);
  if (!past_k && !onnx_wants(o, 1) && !onnx_wants(o, 2))
    return;
  weft_value *k = onnx_ms_by_head(o, &g->a.k, g->a.kv_heads);
  weft_value *v = onnx_ms_by_head(o, &g->a.v, g->a.kv_heads);
  if (o->failed)
    return;
  weft_dtype t = k->fact.dtype;
  k = onnx_ms_encoded(o, k, &g->key_codes);
  v = onnx_ms_encoded(o, v, &g->value_codes);
  if (!o->failed && past_k && past_k->fact.dtype != k->fact.dtype) {
    o->failed = onnx_fail(o, WEFT_E_UNSUPPORTED, "a cache of %s beside keys of %s is not imported",
                          weft_dtype_name(past_k->fact.dtype), weft_dtype_name(t));
    return;
  }
  weft_value *both[2] = {k, v};
  if (onnx_int(o, "sliding_window_cache", 0)) {
    slide(o, g, (weft_value *[]){past_k, past_v}, both);
  } else {
    both[0] = g->present[0] = past_k ? grown(o, g, past_k, k) : k;
    both[1] = g->present[1] = past_v ? grown(o, g, past_v, v) : v;
  }
  g->a.k = (ms_side){onnx_ms_decoded(o, both[0], &g->key_codes, t), "BNSD"};
  g->a.v = (ms_side){onnx_ms_decoded(o, both[1], &g->value_codes, t), "BNSD"};
}

// Which keys a query may not see: those behind it, behind the sequence, or before the window.
static void hide(onnx_op *o, group *g) {
  int64_t window = onnx_int(o, "local_window_size", -1);
  bool causal = onnx_int(o, "causal", 1) != 0;
  weft_value *keys = onnx_dim_index(o, g->a.k.v, strcmp(g->a.k.layout, "BNSD") ? 1 : 2);
  weft_value *t = g->places ? onnx_unsqueezed(o, g->places, 1) : onnx_counting(o, keys);
  weft_value *last = onnx_unsqueezed(o, g->last, 2);
  weft_value *place = onnx_unsqueezed(o, query_places(o, g), 2);  // [batch, queries, 1]
  if (causal)
    last = onnx_do(o, "Minimum", last, place, NULL);
  weft_value *hidden = onnx_do(o, "Greater", t, last, NULL);
  if (window > 0) {
    weft_value *first = onnx_do(o, "Sub", place, onnx_index(o, window), NULL);
    hidden = onnx_do(o, "LogicalOr", hidden, onnx_do(o, "LessEqual", t, first, NULL), NULL);
  }
  g->a.hidden = onnx_unsqueezed(o, hidden, 1);
}

// Its last axis has the keys of the longest sequence; a cache may have more rows, which nobody sees.
static weft_value *as_long_as_keys(onnx_op *o, weft_value *shift, const group *g) {
  weft_value *rows = onnx_dim_list(o, g->a.k.v, strcmp(g->a.k.layout, "BNSD") ? 1 : 2);
  weft_value *less = onnx_do(o, "Sub", rows, onnx_dim_list(o, shift, 3), NULL);
  weft_value *parts[2] = {onnx_list(o, (const int64_t[7]){0}, 7), less};
  weft_value *pads = onnx_joined(o, parts, 2, 0);
  onnx_set(o, "paddings_contiguous", weft_attr_bool(false));
  return onnx_do(o, "PadV3", shift, pads, NULL);
}

// Its last axis has a column for each place; those of the keys at hand, whatever it is for rows that hold
// nothing.
static weft_value *at_places(onnx_op *o, weft_value *shift, const group *g) {
  weft_value *dims[4] = {onnx_dim_list(o, g->a.q.v, 0), onnx_dim_list(o, shift, 1),
                         onnx_dim_list(o, shift, 2), onnx_dim_list(o, shift, 3)};
  weft_value *most = onnx_do(o, "Sub", onnx_dim_index(o, shift, 3), onnx_index(o, 1), NULL);
  weft_value *columns = onnx_do(o, "Minimum", g->places, most, NULL);
  weft_value *axis = onnx_index(o, 3);
  shift = onnx_do(o, "Expand", shift, onnx_joined(o, dims, 4, 0), NULL);
  onnx_set(o, "batch_dims", weft_attr_int(1));
  return onnx_do(o, "GatherV2", shift, columns, axis);
}

// ---- norms of heads ----
// Over the root of the mean square of each head, times the weight; computed in float.
static weft_value *head_norm(onnx_op *o, weft_value *x, weft_value *weight, const char *attr) {
  static const int64_t last[] = {3};
  float both = onnx_float(o, "qk_norm_epsilon", 1e-6f);
  float epsilon = onnx_float(o, attr, both);
  if (!o->failed && !(epsilon > 0 && isfinite(epsilon)))
    o->failed = onnx_fail(o, WEFT_E_RANGE, "attribute '%s' must be finite and above 0, got %g", attr,
                          (double)epsilon);
  if (o->failed)
    return NULL;
  weft_dtype t = x->fact.dtype;
  weft_value *v = onnx_as(o, x, WEFT_FLOAT);
  weft_value *mean = onnx_reduced(o, "ReduceMean", onnx_do(o, "Square", v, NULL, NULL), last, 1, true);
  weft_value *sum = onnx_do(o, "Add", mean, onnx_num(o, WEFT_FLOAT, (double)epsilon), NULL);
  v = onnx_do(o, "Div", v, onnx_do(o, "Sqrt", sum, NULL, NULL), NULL);
  return onnx_as(o, onnx_do(o, "Mul", v, onnx_as(o, weight, WEFT_FLOAT), NULL), t);
}

static void norm_heads(onnx_op *o, group *g) {
  g->a.q.v = head_norm(o, g->a.q.v, onnx_arg(o, QUERY_NORM), "q_norm_epsilon");
  g->a.k.v = head_norm(o, g->a.k.v, onnx_arg(o, KEY_NORM), "k_norm_epsilon");
}

// The scores that a sink adds: given for each head, or 0 with smooth_softmax. NULL: none.
static weft_value *sink_of(onnx_op *o, int64_t heads) {
  weft_value *given = onnx_in(o, SINK);
  weft_value *q = onnx_arg(o, QUERY);
  if (given || onnx_int(o, "smooth_softmax", -1) != 1 || o->failed)
    return given;
  weft_value *zero = onnx_num(o, q->fact.dtype, 0);
  return onnx_do(o, "Fill", onnx_list(o, &heads, 1), zero, NULL);
}

static weft_status group_query_attention(onnx_op *o) {
  group g = {.a = {.heads = onnx_ms_heads(o, "num_heads"), .kv_heads = onnx_ms_heads(o, "kv_num_heads")}};
  weft_value *shift = onnx_in(o, SHIFT);
  WEFT_TRY(refuse_unused(o));
  WEFT_TRY(read_codes(o, &g));
  g.a.scale = onnx_float(o, "scale", 0);
  g.a.cap = onnx_float(o, "softcap", 0);
  g.a.sink = sink_of(o, g.a.heads);
  read_heads(o, &g);
  if (o->failed)
    return o->failed;  // the layouts are not set
  ms_group_find_places(o, &g);
  if (onnx_in(o, QUERY_NORM))
    norm_heads(o, &g);
  if (onnx_int(o, "do_rotary", 0))
    ms_group_turn(o, &g);
  join_cache(o, &g);
  hide(o, &g);
  if (shift)
    g.a.shift = g.places ? at_places(o, shift, &g) : as_long_as_keys(o, shift, &g);
  WEFT_TRY(onnx_result(o, 0, onnx_ms_attend(o, &g.a)));
  if (onnx_wants(o, 1))
    WEFT_TRY(onnx_result(o, 1, g.present[0]));
  return onnx_wants(o, 2) ? onnx_result(o, 2, g.present[1]) : WEFT_OK;
}

static const onnx_mapping group_rows[] = {
    {"GroupQueryAttention", 1, 0, "PromptFlashAttention, GatherV2, ...", group_query_attention, ONNX_MS},
    {"RotaryEmbedding", 1, 0, "Mul, ConcatV2, ...", rotary_embedding, ONNX_MS},
};
const onnx_mappings weft__onnx_ms_group = ONNX_MAPPINGS(group_rows);
// SPDX-License-Identifier: Apache-2.0
