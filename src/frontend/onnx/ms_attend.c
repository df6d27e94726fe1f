// ms_attend.c - attention from query, key and value on: PromptFlashAttention, for which there is a kernel,
// or products and a softmax where scores are bounded or a sink takes part.
#include "frontend/onnx/ms_attend.h"

#include <float.h>
#include <math.h>

int64_t onnx_ms_heads(onnx_op *o, const char *attr) {
  int64_t heads = onnx_int(o, attr, 0);
  if (heads < 1 || heads > INT32_MAX)
    o->failed = onnx_fail(o, WEFT_E_RANGE, "attribute '%s' must be >= 1, got %lld", attr, (long long)heads);
  return heads;
}

weft_value *onnx_ms_plus(onnx_op *o, weft_value *a, weft_value *b) {
  if (!a || !b)
    return a ? a : b;
  return onnx_do(o, "Add", a, b, NULL);
}

// ---- query, key and value ----
void onnx_ms_thirds(onnx_op *o, weft_value *v, const int64_t *sizes, weft_value *out[3]) {
  int64_t last = onnx_rank_needed(o, v) - 1;
  int64_t from = 0;
  weft_value *parts = sizes ? NULL : onnx_parted(o, v, last, 3);
  for (int i = 0; i < 3; i++) {
    out[i] = parts ? parts + i : NULL;
    if (!sizes)
      continue;
    out[i] = onnx_part(o, v, last, from, from + sizes[i]);
    from += sizes[i];
  }
}

void onnx_ms_project(onnx_op *o, weft_value *x, weft_value *w, weft_value *bias, weft_value *out[3]) {
  weft_ints sizes = onnx_ints_of(o, "qkv_hidden_sizes");
  if (sizes.n && sizes.n != 3) {
    o->failed =
        onnx_fail(o, WEFT_E_INVALID, "attribute 'qkv_hidden_sizes' has %zu numbers, expected 3", sizes.n);
  }
  for (size_t i = 0; !o->failed && i < sizes.n; i++) {
    if (sizes.v[i] < 1 || sizes.v[i] > INT32_MAX) {
      o->failed = onnx_fail(o, WEFT_E_RANGE, "attribute 'qkv_hidden_sizes': %lld is not a size",
                            (long long)sizes.v[i]);
    }
  }
  weft_value *all = onnx_ms_plus(o, onnx_product(o, x, w, false), bias);
  onnx_ms_thirds(o, all, sizes.n ? sizes.v : NULL, out);
}

weft_value *onnx_ms_with_bias(onnx_op *o, weft_value *v, weft_value *bias, weft_value *from,
                              weft_value **to) {
  int rank = onnx_rank_needed(o, v);
  *to = onnx_dim_list(o, v, rank - 1);
  if (from)
    *to = onnx_do(o, "Add", from, *to, NULL);
  weft_value *start = from ? from : onnx_list(o, &(int64_t){0}, 1);
  return onnx_do(o, "Add", v, onnx_sliced(o, bias, 0, start, *to), NULL);
}

// ---- layouts ----
static bool is_layout(const ms_side *s, const char *layout) {
  return !strcmp(s->layout, layout);
}

// The size of a head; -1: not known.
static weft_dim head_size(const ms_side *s, int64_t heads) {
  if (!is_layout(s, "BSH"))
    return onnx_dim_at(s->v, 3);
  weft_dim all = onnx_dim_at(s->v, 2);
  return all >= 0 && all % heads == 0 ? all / heads : -1;
}

weft_value *onnx_ms_by_head(onnx_op *o, const ms_side *s, int64_t heads) {
  static const int64_t order[] = {0, 2, 1, 3};
  weft_value *v = s->v;
  if (o->failed || is_layout(s, "BNSD"))
    return v;
  if (is_layout(s, "BSH")) {
    const onnx_piece p[4] = {{v, 0}, {v, 1}, {NULL, heads}, {NULL, head_size(s, heads)}};
    v = onnx_reshaped_to(o, v, p, 4);
  }
  return onnx_permuted(o, v, order, 4);
}

static weft_value *joined_heads(onnx_op *o, weft_value *v) {  // from "BNSD" to "BSH"
  if (o->failed)
    return NULL;
  weft_dim heads = onnx_dim_at(v, 1);
  weft_dim size = onnx_dim_at(v, 3);
  const onnx_piece p[3] = {{v, 0}, {v, 2}, {NULL, heads >= 0 && size >= 0 ? heads * size : -1}};
  return onnx_reshaped_to(o, onnx_permuted(o, v, (const int64_t[]){0, 2, 1, 3}, 4), p, 3);
}

// ---- by PromptFlashAttention ----
static bool ms_attend_is_plain(const ms_attend *a) {
  return !(a->cap > 0) && !a->sink;
}

// One over the root of the head's size, where only the run knows it.
static weft_value *scaled_query(onnx_op *o, const ms_attend *a) {
  const ms_side *q = &a->q;
  int axis = is_layout(q, "BSH") ? 2 : 3;
  weft_value *size = onnx_as(o, onnx_dim_index(o, q->v, axis), WEFT_FLOAT);
  if (axis == 2)
    size = onnx_do(o, "Div", size, onnx_num(o, WEFT_FLOAT, (double)a->heads), NULL);
  if (o->failed)
    return NULL;
  weft_value *by = onnx_do(o, "Rsqrt", size, NULL, NULL);
  return onnx_do(o, "Mul", q->v, onnx_as(o, by, q->v->fact.dtype), NULL);
}

// The scale; 1 where *q has it already.
static double settle_scale(onnx_op *o, const ms_attend *a, weft_value **q) {
  *q = a->q.v;
  if (o->failed)
    return 1;
  weft_dim size = head_size(&a->q, a->heads);
  if (a->scale != 0)
    return (double)a->scale;
  if (size > 0)
    return 1 / sqrt((double)size);
  *q = scaled_query(o, a);
  return 1;
}

static weft_attr ms_attend_text(const char *s) {
  return weft_attr_str(s, strlen(s));
}

static weft_value *flash(onnx_op *o, const ms_attend *a) {
  weft_value *q;
  weft_value *y = NULL;
  double scale = settle_scale(o, a, &q);
  if (o->failed)
    return NULL;
  onnx_set(o, "num_heads", weft_attr_int(a->heads));
  onnx_set(o, "num_key_value_heads", weft_attr_int(a->kv_heads));
  onnx_set(o, "scale_value", weft_attr_float((float)scale));
  onnx_set(o, "input_layout", ms_attend_text(a->q.layout));
  onnx_set(o, "key_layout", ms_attend_text(a->k.layout));
  onnx_set(o, "value_layout", ms_attend_text(a->v.layout));
  onnx_set(o, "output_layout", ms_attend_text("BSH"));
  onnx_set(o, "sparse_mode", weft_attr_int(a->band));
  onnx_set(o, "pre_tokens", weft_attr_int(INT32_MAX));
  onnx_set(o, "next_tokens", weft_attr_int(INT32_MAX));
  onnx_set(o, "inner_precise", weft_attr_int(2));  // a query that sees nothing gives 0
  weft_value *in[5] = {q, a->k.v, a->v.v, a->shift, a->hidden};
  size_t n = a->hidden ? 5 : a->shift ? 4 : 3;
  o->failed = onnx_emit(o, "PromptFlashAttention", in, n, NULL, 0, &y);
  return y;
}

// ---- step by step ----
// BOOL: the keys that come after the query.
static weft_value *later(onnx_op *o, const ms_attend *a, weft_value *scores) {
  weft_value *queries = onnx_dim_index(o, scores, 2);
  weft_value *keys = onnx_dim_index(o, scores, 3);
  weft_value *place = onnx_unsqueezed(o, onnx_counting(o, queries), 1);
  if (a->band == MS_CAUSAL_FROM_THE_END)
    place = onnx_do(o, "Add", place, onnx_do(o, "Sub", keys, queries, NULL), NULL);
  return onnx_do(o, "Greater", onnx_counting(o, keys), place, NULL);
}

static weft_value *hidden_as(onnx_op *o, weft_value *scores, weft_value *hidden, double score) {
  if (o->failed || !hidden)
    return scores;
  return onnx_do(o, "SelectV2", hidden, onnx_num(o, scores->fact.dtype, score), scores);
}

// With scores of `unseen` where a key is not seen.
static weft_value *scores_with(onnx_op *o, const ms_attend *a, double unseen) {
  weft_value *q;
  double scale = settle_scale(o, a, &q);
  const ms_side scaled = {q, a->q.layout};
  weft_value *all =
      onnx_grouped(o, onnx_ms_by_head(o, &scaled, a->heads), onnx_ms_by_head(o, &a->k, a->kv_heads), true);
  if (o->failed)
    return NULL;
  weft_dtype t = all->fact.dtype;
  if (scale != 1)
    all = onnx_do(o, "Mul", all, onnx_num(o, t, scale), NULL);
  if (a->cap > 0) {
    weft_value *cap = onnx_num(o, t, (double)a->cap);
    all = onnx_do(o, "Tanh", onnx_do(o, "Div", all, cap, NULL), NULL, NULL);
    all = onnx_do(o, "Mul", all, cap, NULL);
  }
  all = onnx_ms_plus(o, all, a->shift);
  all = hidden_as(o, all, a->hidden, unseen);
  return a->band == MS_ALL ? all : hidden_as(o, all, later(o, a, all), unseen);
}

weft_value *onnx_ms_scores(onnx_op *o, const ms_attend *a) {
  return scores_with(o, a, -(double)FLT_MAX);
}

// The sink stands behind the last key in the softmax, and goes again.
static weft_value *with_sink(onnx_op *o, const ms_attend *a, weft_value *scores) {
  static const int64_t by_head[] = {1, -1, 1, 1};
  weft_value *column = onnx_shape_of(o, onnx_part(o, scores, 3, 0, 1));
  weft_value *both[2] = {scores, onnx_do(o, "Expand", onnx_reshaped(o, a->sink, by_head, 4), column, NULL)};
  return onnx_joined(o, both, 2, 3);
}

static weft_value *ms_attend_steps(onnx_op *o, const ms_attend *a) {
  static const int64_t last = -1;
  weft_value *scores = scores_with(o, a, -INFINITY);
  if (a->sink)
    scores = with_sink(o, a, scores);
  onnx_set(o, "axes", weft_attr_ints(&last, 1));
  weft_value *p = onnx_do(o, "SoftmaxV2", scores, NULL, NULL);
  if (a->sink)
    p = onnx_part(o, p, 3, 0, -1);
  return joined_heads(o, onnx_grouped(o, p, onnx_ms_by_head(o, &a->v, a->kv_heads), false));
}

weft_value *onnx_ms_attend(onnx_op *o, const ms_attend *a) {
  return ms_attend_is_plain(a) ? flash(o, a) : ms_attend_steps(o, a);
}

// ---- caches ----
weft_value *onnx_ms_extended(onnx_op *o, weft_value *cache, weft_value *length, weft_value *more) {
  if (length) {
    weft_value *rows = onnx_reshaped(o, onnx_as(o, length, WEFT_INT64), (const int64_t[]){1}, 1);
    cache = onnx_sliced(o, cache, 2, onnx_list(o, &(int64_t){0}, 1), rows);
  }
  return onnx_joined(o, (weft_value *[]){cache, more}, 2, 2);
}

weft_value *onnx_ms_overwritten(onnx_op *o, weft_value *cache, weft_value *rows) {
  weft_value *end = onnx_list(o, &(int64_t){INT64_MAX}, 1);
  weft_value *rest = onnx_sliced(o, cache, 2, onnx_dim_list(o, rows, 2), end);
  const onnx_piece whole[4] = {{cache, 0}, {cache, 1}, {cache, 2}, {cache, 3}};  // inference knows no sum
  return onnx_reshaped_to(o, onnx_joined(o, (weft_value *[]){rows, rest}, 2, 2), whole, 4);
}

// ---- masks ----
weft_value *onnx_ms_where(onnx_op *o, weft_value *condition, double what, const weft_value *like) {
  if (o->failed)
    return NULL;
  weft_dtype t = like->fact.dtype;
  return onnx_do(o, "SelectV2", condition, onnx_num(o, t, what), onnx_num(o, t, 0));
}

static weft_value *column(onnx_op *o, weft_value *v) {  // [batch] before keys
  return onnx_reshaped(o, onnx_as(o, v, WEFT_INT64), (const int64_t[]){-1, 1, 1, 1}, 4);
}

// BOOL: keys outside of [begin, end), from the ends and, maybe, the begins of sequences in one list.
static weft_value *ms_attend_outside(onnx_op *o, weft_value *mask, weft_value *keys, const ms_side *q) {
  weft_dim batch = onnx_dim_at(q->v, 0);
  weft_dim given = onnx_dim_at(mask, 0);
  weft_value *zero = onnx_list(o, &(int64_t){0}, 1);
  weft_value *one = onnx_dim_list(o, q->v, 0);
  weft_value *t = onnx_counting(o, keys);
  weft_value *begins = NULL;
  weft_value *ends = mask;
  bool same = onnx_same_dim(batch, given);
  bool known = batch >= 0 && given >= 0;
  if (!same)
    ends = onnx_sliced(o, mask, 0, zero, one);
  weft_value *out = onnx_do(o, "GreaterEqual", t, column(o, ends), NULL);
  if (same || (known && given != 2 * batch))
    return out;
  if (!known) {  // behind the ends stand the begins, or nothing
    weft_value *nothing = onnx_do(o, "ZerosLike", ends, NULL, NULL);
    mask = onnx_joined(o, (weft_value *[]){mask, nothing}, 2, 0);
  }
  begins = onnx_sliced(o, mask, 0, one, onnx_do(o, "Add", one, one, NULL));
  return onnx_do(o, "LogicalOr", out, onnx_do(o, "Less", t, column(o, begins), NULL), NULL);
}

weft_value *onnx_ms_mask(onnx_op *o, weft_value *mask, weft_value *keys, const ms_side *q) {
  float what = onnx_float(o, "mask_filter_value", -10000);
  int rank = onnx_rank_needed(o, mask);
  weft_value *hidden;
  if (rank < 1 || rank > 3) {
    o->failed = onnx_fail(o, WEFT_E_UNSUPPORTED, "a mask of rank %d is not imported, expected 1 to 3", rank);
    return NULL;
  }
  if (rank == 1) {
    hidden = ms_attend_outside(o, mask, keys, q);
  } else {
    hidden = onnx_do(o, "LessEqual", mask, onnx_num(o, mask->fact.dtype, 0), NULL);
    hidden = onnx_unsqueezed(o, hidden, 1);
    if (rank == 2)
      hidden = onnx_unsqueezed(o, hidden, 1);
  }
  return onnx_ms_where(o, hidden, (double)what, q->v);
}
// SPDX-License-Identifier: Apache-2.0
