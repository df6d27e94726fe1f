// map_attention.c - attention and what stands beside it: Attention, FlexAttention, LinearAttention,
// CausalConvWithState, SwiGLU. All but LinearAttention become products, softmaxes and
// elementwise primitives, which handle any mixture of known, symbolic and unknown dims. Every step rounds to
// the type of its operands, as the operator's definition does.
#include <math.h>

#include "frontend/onnx/map.h"
#include "base/allocated.h"

static weft_value *softmax(onnx_op *o, weft_value *v) {
  static const int64_t last = -1;
  onnx_set(o, "axes", weft_attr_ints(&last, 1));
  return onnx_do(o, "SoftmaxV2", v, NULL, NULL);
}

// ---- parts of attention: values are [batch, heads, sequence, size] ----
// Input i; [batch, sequence, heads * size] is split by the attribute that says the number of heads.
static weft_value *heads_of(onnx_op *o, size_t i, const char *attr) {
  static const int64_t order[] = {0, 2, 1, 3};
  weft_value *v = onnx_arg(o, i);
  int rank = onnx_rank_needed(o, v);
  if (o->failed || rank == 4)
    return v;
  int64_t heads = onnx_int(o, attr, 0);
  int64_t all = rank == 3 ? v->fact.dims[2] : 0;
  if (o->failed)
    return NULL;
  if (rank != 3)
    o->failed = onnx_fail(o, WEFT_E_SHAPE, "input %zu: expected rank 3 or 4, got %d", i, rank);
  else if (heads < 1)
    o->failed = onnx_fail(o, WEFT_E_MISSING, "attribute '%s' is needed for inputs of rank 3", attr);
  else if (all >= 0 && all % heads) {
    o->failed = onnx_fail(o, WEFT_E_SHAPE, "input %zu: dim 2 is %lld, not a multiple of %lld heads", i,
                          (long long)all, (long long)heads);
  }
  if (o->failed)
    return NULL;
  const onnx_piece p[4] = {{v, 0}, {v, 1}, {NULL, heads}, {NULL, all >= 0 ? all / heads : -1}};
  return onnx_permuted(o, onnx_reshaped_to(o, v, p, 4), order, 4);
}

// a times b for each head of a; b has a head for each group of a's.
weft_value *onnx_grouped(onnx_op *o, weft_value *a, weft_value *b, bool transpose_b) {
  if (o->failed)
    return NULL;
  weft_dim q = onnx_dim_at(a, 1);
  weft_dim kv = onnx_dim_at(b, 1);
  if (onnx_same_dim(q, kv) || kv == 1)
    return onnx_product(o, a, b, transpose_b);
  if (q >= 0 && kv >= 0 && (!kv || q % kv)) {
    o->failed = onnx_fail(o, WEFT_E_SHAPE, "%lld heads of the query are not a multiple of the key's %lld",
                          (long long)q, (long long)kv);
    return NULL;
  }
  const onnx_piece split[5] = {{a, 0}, {b, 1}, {NULL, q >= 0 && kv >= 0 ? q / kv : -1}, {a, 2}, {a, 3}};
  weft_value *y = onnx_product(o, onnx_reshaped_to(o, a, split, 5), onnx_unsqueezed(o, b, 2), transpose_b);
  if (o->failed)
    return NULL;
  const onnx_piece joined[4] = {{a, 0}, {a, 1}, {a, 2}, {y, 4}};
  return onnx_reshaped_to(o, y, joined, 4);
}

// The square root of the scale, by which query and key are multiplied both.
static weft_value *scale_root(onnx_op *o, weft_value *q) {
  float scale = onnx_float(o, "scale", 0);
  weft_dim size = o->failed ? -1 : onnx_dim_at(q, 3);
  if (o->failed)
    return NULL;
  if (onnx_find_attr(o, "scale"))
    return onnx_num(o, q->fact.dtype, sqrt((double)scale));
  if (size >= 0)
    return onnx_num(o, q->fact.dtype, sqrt(1 / sqrt((double)size)));
  weft_value *f = onnx_do(o, "Sqrt", onnx_as(o, onnx_dim_index(o, q, 3), WEFT_FLOAT), NULL, NULL);
  return onnx_as(o, onnx_do(o, "Sqrt", onnx_do(o, "Reciprocal", f, NULL, NULL), NULL, NULL), q->fact.dtype);
}

static weft_value *scores_of(onnx_op *o, weft_value *q, weft_value *k) {
  weft_value *root = scale_root(o, q);
  return onnx_grouped(o, onnx_do(o, "Mul", q, root, NULL), onnx_do(o, "Mul", k, root, NULL), true);
}

// The type of the softmax: attribute softmax_precision, or `usual`.
static weft_dtype precision(onnx_op *o, weft_dtype usual) {
  int64_t type = onnx_int(o, "softmax_precision", 0);
  if (!o->failed && onnx_find_attr(o, "softmax_precision"))
    o->failed = onnx_dtype(o, type, &usual);
  if (!(WEFT_FLOATS & WEFT_BIT(usual))) {
    o->failed = onnx_fail(o, WEFT_E_DTYPE, "attribute 'softmax_precision': %s is not a float type",
                          weft_dtype_name(usual));
  }
  return usual;
}

// ---- masks ----
typedef struct mask {
  weft_value *allowed;  // BOOL: who takes part; NULL: all
  weft_value *bias;     // numbers that are added; NULL: none
} mask;

static void allow(onnx_op *o, mask *m, weft_value *v) {
  m->allowed = m->allowed ? onnx_do(o, "LogicalAnd", m->allowed, v, NULL) : v;
}

static weft_value *per_batch(onnx_op *o, weft_value *v) {
  return onnx_reshaped(o, onnx_as(o, v, WEFT_INT64), (const int64_t[]){-1, 1, 1, 1}, 4);
}

// Since version 24 the mask's last axis may be shorter than the keys: nobody attends to those behind.
static weft_value *padded_mask(onnx_op *o, weft_value *v, weft_value *k) {
  int rank = onnx_rank_needed(o, v);
  if (o->failed || o->m->version < 24 || rank < 1)
    return v;
  weft_dim have = onnx_dim_at(v, rank - 1);
  weft_dim need = onnx_dim_at(k, 2);
  if (onnx_same_dim(have, need) || (have >= 0 && need >= 0 && have > need))
    return v;
  bool boolean = v->fact.dtype == WEFT_BOOL;
  weft_value *less = onnx_do(o, "Sub", onnx_dim_list(o, k, 2), onnx_dim_list(o, v, rank - 1), NULL);
  weft_value *parts[2] = {onnx_list(o, (const int64_t[2 * WEFT_MAX_RANK]){0}, 2 * (size_t)rank - 1),
                          onnx_do(o, "Maximum", less, onnx_list(o, &(int64_t){0}, 1), NULL)};
  weft_value *with = onnx_num(o, v->fact.dtype, boolean ? 0 : -INFINITY);
  weft_value *pads = onnx_joined(o, parts, 2, 0);
  onnx_set(o, "paddings_contiguous", weft_attr_bool(false));
  return onnx_do(o, "PadV3", v, pads, with);
}

// Where query i stands among the keys, i + offset: behind the past, at the end of the keys in use, or at i.
static weft_value *positions(onnx_op *o, weft_value *q, weft_value *past, weft_value *in_use) {
  weft_value *steps = onnx_dim_index(o, q, 2);
  weft_value *rows = onnx_unsqueezed(o, onnx_counting(o, steps), 1);
  weft_value *offset = NULL;
  if (past)
    offset = onnx_dim_index(o, past, 2);
  else if (in_use)
    offset = onnx_do(o, "Sub", per_batch(o, in_use), steps, NULL);
  return offset ? onnx_do(o, "Add", rows, offset, NULL) : rows;
}

// The query at p sees the keys up to p when attention is causal, and from p - left to p + right.
static void allow_near(onnx_op *o, mask *m, weft_value *q, weft_value *k, weft_value *past,
                       weft_value *in_use) {
  int64_t left = onnx_int(o, "left_window_size", -1);
  int64_t right = onnx_int(o, "right_window_size", -1);
  bool is_causal = onnx_int(o, "is_causal", 0) != 0;
  if (o->failed || (!is_causal && left < 0 && right < 0))
    return;
  weft_value *p = positions(o, q, past, in_use);
  weft_value *keys = onnx_counting(o, onnx_dim_index(o, k, 2));
  if (is_causal)
    allow(o, m, onnx_do(o, "LessEqual", keys, p, NULL));
  if (left >= 0 && left < INT64_MAX / 2) {
    weft_value *first = onnx_do(o, "Sub", p, onnx_index(o, left), NULL);
    allow(o, m, onnx_do(o, "GreaterEqual", keys, first, NULL));
  }
  if (right >= 0 && right < INT64_MAX / 2) {
    weft_value *last = onnx_do(o, "Add", p, onnx_index(o, right), NULL);
    allow(o, m, onnx_do(o, "LessEqual", keys, last, NULL));
  }
}

// What is added to the scores; NULL: nothing.
static weft_value *bias_of(onnx_op *o, weft_value *q, weft_value *k, weft_value *past) {
  mask m = {NULL, NULL};
  weft_value *given = onnx_in(o, 3);
  weft_value *in_use = o->m->version >= 24 ? onnx_in(o, 6) : NULL;
  if (given && !o->failed) {
    given = padded_mask(o, given, k);
    if (o->failed)
      return NULL;
    if (given->fact.dtype == WEFT_BOOL)
      m.allowed = given;
    else
      m.bias = onnx_as(o, given, q->fact.dtype);
  }
  allow_near(o, &m, q, k, past, in_use);
  if (in_use)
    allow(o, &m, onnx_do(o, "Less", onnx_counting(o, onnx_dim_index(o, k, 2)), per_batch(o, in_use), NULL));
  if (o->failed || !m.allowed)
    return m.bias;
  weft_value *never = onnx_num(o, q->fact.dtype, -INFINITY);
  return onnx_do(o, "SelectV2", m.allowed, m.bias ? m.bias : onnx_num(o, q->fact.dtype, 0), never);
}

// Softmax over the keys; a query that may see none gives 0 everywhere.
static weft_value *probabilities(onnx_op *o, weft_value *scores, weft_value *bias) {
  static const int64_t last = -1;
  if (o->failed)
    return NULL;
  weft_dtype t = scores->fact.dtype;
  weft_value *p = onnx_as(o, softmax(o, onnx_as(o, scores, precision(o, t))), t);
  if (!bias)
    return p;
  weft_value *most = onnx_reduced(o, "ReduceMax", bias, &last, 1, true);
  weft_value *nobody = onnx_do(o, "Equal", most, onnx_num(o, t, -INFINITY), NULL);
  return onnx_do(o, "SelectV2", nobody, onnx_num(o, t, 0), p);
}

static weft_value *behind_past(onnx_op *o, size_t past, weft_value *v) {
  weft_value *both[2] = {onnx_in(o, past), v};
  return both[0] ? onnx_joined(o, both, 2, 2) : v;
}

static weft_value *capped(onnx_op *o, weft_value *scores) {
  float cap = onnx_float(o, "softcap", 0);
  if (o->failed || !(cap > 0))
    return scores;
  weft_value *by = onnx_num(o, scores->fact.dtype, (double)cap);
  return onnx_do(o, "Mul", onnx_do(o, "Tanh", onnx_do(o, "Div", scores, by, NULL), NULL, NULL), by, NULL);
}

// ---- what Attention refuses ----
static weft_status attention_attributes(onnx_op *o) {
  static const char *const windows[] = {"left_window_size", "right_window_size"};
  for (size_t i = 0; i < WEFT_COUNT(windows) && !o->failed; i++) {
    int64_t size = onnx_int(o, windows[i], -1);
    if (size < -1) {
      return onnx_fail(o, WEFT_E_RANGE, "attribute '%s' must be -1 or more, got %lld", windows[i],
                       (long long)size);
    }
  }
  int64_t mode = onnx_int(o, "qk_matmul_output_mode", 0);
  if (mode < 0 || mode > 3) {
    return onnx_fail(o, WEFT_E_RANGE, "attribute 'qk_matmul_output_mode': %lld is outside [0, 3]",
                     (long long)mode);
  }
  return o->failed;
}

// Inputs of rank 4 say the number of heads themselves. Since version 25 the attribute may not be given beside
// them, before that it may not contradict them.
static weft_status attention_heads(onnx_op *o, size_t i, const char *attr) {
  const weft_value *v = onnx_in(o, i);
  int64_t heads = onnx_int(o, attr, 0);
  if (o->failed || !onnx_find_attr(o, attr) || onnx_rank(v) != 4)
    return o->failed;
  if (o->m->version >= 25) {
    return onnx_fail(o, WEFT_E_INVALID,
                     "attribute '%s' is given, but input %zu has rank 4, whose dim 1 is the heads", attr, i);
  }
  weft_dim dim = onnx_dim_at(v, 1);
  if (dim >= 0 && dim != heads) {
    return onnx_fail(o, WEFT_E_SHAPE, "attribute '%s' is %lld, but input %zu has %lld heads", attr,
                     (long long)heads, i, (long long)dim);
  }
  return WEFT_OK;
}

static weft_status attention_ranks(onnx_op *o) {
  int rank = onnx_rank(onnx_in(o, 0));
  int mask_rank = onnx_in(o, 3) ? onnx_rank(onnx_in(o, 3)) : 0;
  for (size_t i = 1; i < 3; i++) {
    int other = onnx_rank(onnx_in(o, i));
    if (rank >= 0 && other >= 0 && rank != other) {
      return onnx_fail(o, WEFT_E_SHAPE,
                       "input 0 has rank %d, input %zu rank %d: expected 3 or 4 for all of them", rank, i,
                       other);
    }
  }
  if (mask_rank > 4)
    return onnx_fail(o, WEFT_E_SHAPE, "input 3 (attn_mask): expected at most rank 4, got %d", mask_rank);
  return WEFT_OK;
}

static weft_status attention_cache(onnx_op *o) {
  const onnx_strs *outs = &o->n->outputs;
  bool past = onnx_in(o, 4) != NULL;
  bool present = outs->n > 1 && outs->v[1].bytes;
  bool present_value = outs->n > 2 && outs->v[2].bytes;
  bool since_25 = o->m->version >= 25;
  const weft_value *in_use = onnx_in(o, 6);
  const weft_value *q = onnx_in(o, 0);
  if (past != (onnx_in(o, 5) != NULL))
    return onnx_fail(o, WEFT_E_MISSING, "past_key and past_value are given both or not at all");
  if (since_25 && present != present_value)
    return onnx_fail(o, WEFT_E_INVALID, "present_key and present_value are asked for both or not at all");
  if (!in_use)
    return WEFT_OK;
  if (past || (since_25 && present))
    return onnx_fail(o, WEFT_E_INVALID, "nonpad_kv_seqlen is given beside past or present keys and values");
  int rank = onnx_rank(in_use);
  if (rank >= 0 && rank != 1)
    return onnx_fail(o, WEFT_E_SHAPE, "input 6 (nonpad_kv_seqlen): expected rank 1, got %d", rank);
  weft_dim n = onnx_dim_at(in_use, 0);
  weft_dim batch = onnx_dim_at(q, 0);
  if (n >= 0 && batch >= 0 && n != batch) {
    return onnx_fail(o, WEFT_E_SHAPE, "input 6 (nonpad_kv_seqlen) has %lld elements, the batch is %lld",
                     (long long)n, (long long)batch);
  }
  return WEFT_OK;
}

static weft_status attention_check(onnx_op *o) {
  for (size_t i = 0; i < 3; i++)
    onnx_arg(o, i);
  WEFT_TRY(o->failed);
  WEFT_TRY(attention_attributes(o));
  WEFT_TRY(attention_ranks(o));
  WEFT_TRY(attention_heads(o, 0, "q_num_heads"));
  WEFT_TRY(attention_heads(o, 1, "kv_num_heads"));
  WEFT_TRY(attention_heads(o, 2, "kv_num_heads"));
  return attention_cache(o);
}

weft_status onnx_attention(onnx_op *o) {
  WEFT_TRY(attention_check(o));
  weft_value *q = heads_of(o, 0, "q_num_heads");
  weft_value *k = heads_of(o, 1, "kv_num_heads");
  weft_value *v = heads_of(o, 2, "kv_num_heads");
  int64_t mode = onnx_int(o, "qk_matmul_output_mode", 0);
  WEFT_TRY(o->failed);
  if (onnx_dim_at(k, 1) >= 0 && onnx_dim_at(v, 1) >= 0 && onnx_dim_at(k, 1) != onnx_dim_at(v, 1)) {
    return onnx_fail(o, WEFT_E_SHAPE, "the key has %lld heads, the value %lld", (long long)onnx_dim_at(k, 1),
                     (long long)onnx_dim_at(v, 1));
  }
  k = behind_past(o, 4, k);
  v = behind_past(o, 5, v);
  WEFT_TRY(o->failed);
  weft_value *stages[4] = {scores_of(o, q, k)};
  stages[1] = capped(o, stages[0]);
  weft_value *bias = bias_of(o, q, k, onnx_in(o, 4));
  stages[2] = bias ? onnx_do(o, "Add", stages[1], bias, NULL) : stages[1];
  stages[3] = probabilities(o, stages[2], bias);
  weft_value *y = o->failed ? NULL : onnx_grouped(o, stages[3], onnx_as(o, v, q->fact.dtype), false);
  WEFT_TRY(o->failed);
  if (onnx_rank(onnx_in(o, 0)) == 3) {
    weft_dim heads = onnx_dim_at(y, 1);
    weft_dim size = onnx_dim_at(y, 3);
    const onnx_piece p[3] = {{y, 0}, {y, 2}, {NULL, heads >= 0 && size >= 0 ? heads * size : -1}};
    y = onnx_reshaped_to(o, onnx_permuted(o, y, (const int64_t[]){0, 2, 1, 3}, 4), p, 3);
  }
  WEFT_TRY(onnx_result(o, 0, y));
  if (onnx_wants(o, 1))
    WEFT_TRY(onnx_result(o, 1, k));
  if (onnx_wants(o, 2))
    WEFT_TRY(onnx_result(o, 2, v));
  return onnx_wants(o, 3) ? onnx_result(o, 3, stages[mode]) : WEFT_OK;
}

// ---- FlexAttention: sub-graphs that change scores and probabilities are written into the graph ----
typedef struct inlining {
  weft_value *given;  // to the body's only input
  const char *attr;
  const onnx_str *read;  // outer names
  size_t n_read;
} inlining;

static weft_status inlined_fill(onnx_op *o, onnx_import *in, const inlining *what, weft_value **out) {
  const onnx_graph *body = in->graph;
  WEFT_TRY(onnx_bind(in, body->inputs.v[0].name, what->given, body->offset));
  for (size_t i = 0; i < what->n_read; i++) {
    weft_value *v = onnx_value_of(o->m, what->read[i]);
    if (!v) {
      return onnx_fail(o, WEFT_E_NOT_FOUND, "attribute '%s' reads '%.*s', which is not known", what->attr,
                       (int)WEFT_MIN(what->read[i].bytes, 100), what->read[i].text);
    }
    WEFT_TRY(onnx_bind(in, what->read[i], v, body->offset));
  }
  WEFT_TRY(onnx_scope_values(in));
  WEFT_TRY(onnx_scope_nodes(in, body->nodes.v, body->nodes.n));
  *out = onnx_value_of(in, body->outputs.v[0].name);
  if (*out)
    return WEFT_OK;
  return onnx_fail(o, WEFT_E_NOT_FOUND, "attribute '%s': its output is not produced by any node", what->attr);
}

static weft_status inlined(onnx_op *o, const onnx_graph *body, weft_value *given, const char *attr,
                           weft_value **out) {
  onnx_import *m = o->m;
  if (body->inputs.n != 1 || body->outputs.n != 1) {
    return onnx_fail(o, WEFT_E_INVALID, "attribute '%s': expected 1 input and 1 output, got %zu and %zu",
                     attr, (size_t)body->inputs.n, (size_t)body->outputs.n);
  }
  char prefix[300];
  const onnx_str name = o->n->name.bytes ? o->n->name : o->n->outputs.n ? o->n->outputs.v[0] : o->n->op_type;
  snprintf(prefix, sizeof prefix, "%.100s%.*s/%s/", m->prefix ? m->prefix : "",
           (int)WEFT_MIN(name.bytes, 100), onnx_str_text(name), attr);
  onnx_import in = onnx_scope_inside(m);
  in.graph = body;
  in.prefix = weft__arena_strdup(m->arena, prefix, strlen(prefix));
  WEFT_TRY(weft__allocated(in.prefix, m->d));
  onnx_str *free_names = NULL;
  size_t n_free = 0;
  WEFT_TRY(onnx_free_names(m, &body, 1, &free_names, &n_free));
  weft_status s = onnx_scope_begin(&in, m, m->g);
  if (!s)
    s = inlined_fill(o, &in, &(inlining){given, attr, free_names, n_free}, out);
  onnx_scope_end(&in);
  return s;
}

static weft_value *changed(onnx_op *o, weft_value *v, const char *attr) {
  const onnx_attr *a = onnx_find_attr(o, attr);
  if (o->failed || !a)
    return v;
  weft_value *out = NULL;
  if (!a->g)
    o->failed = onnx_fail(o, WEFT_E_TYPE, "attribute '%s': expected GRAPH", attr);
  else if (o->m->depth + 1 >= ONNX_MAX_GRAPH_DEPTH)
    o->failed = onnx_fail(o, WEFT_E_LIMIT, "graphs are nested too deep");
  else
    o->failed = inlined(o, a->g, v, attr, &out);
  return out;
}

weft_status onnx_flex_attention(onnx_op *o) {
  weft_value *q = onnx_arg(o, 0);
  weft_value *k = onnx_arg(o, 1);
  weft_value *v = onnx_arg(o, 2);
  weft_value *in[3] = {q, k, v};
  for (int i = 0; i < 3; i++) {
    int rank = onnx_rank_needed(o, in[i]);
    if (rank != 4)
      return onnx_fail(o, WEFT_E_SHAPE, "input %d: expected rank 4, got %d", i, rank);
    if (!o->failed && in[i]->fact.dtype != q->fact.dtype) {
      return onnx_fail(o, WEFT_E_DTYPE, "input %d is %s, query is %s", i, weft_dtype_name(in[i]->fact.dtype),
                       weft_dtype_name(q->fact.dtype));
    }
  }
  WEFT_TRY(o->failed);
  for (int i = 1; i < 3; i++) {
    if (onnx_dim_at(k, i) >= 0 && onnx_dim_at(v, i) >= 0 && onnx_dim_at(k, i) != onnx_dim_at(v, i)) {
      return onnx_fail(o, WEFT_E_SHAPE, "dim %d of key and value: %lld and %lld differ", i,
                       (long long)onnx_dim_at(k, i), (long long)onnx_dim_at(v, i));
    }
  }
  weft_dtype t = q->fact.dtype;
  weft_dtype wide = precision(o, t == WEFT_FLOAT16 || t == WEFT_BF16 ? (weft_dtype)WEFT_FLOAT : t);
  weft_value *scores = changed(o, onnx_as(o, scores_of(o, q, k), wide), "score_mod");
  weft_value *p = changed(o, softmax(o, scores), "prob_mod");
  return onnx_result(o, 0, o->failed ? NULL : onnx_grouped(o, onnx_as(o, p, t), onnx_as(o, v, t), false));
}

weft_status onnx_linear_attention(onnx_op *o) {
  weft_value *in[7] = {onnx_arg(o, 0), onnx_arg(o, 1), onnx_arg(o, 2)};
  size_t n = 7;
  int64_t q = onnx_int(o, "q_num_heads", 0);
  int64_t kv = onnx_int(o, "kv_num_heads", 0);
  int64_t chunk = onnx_int(o, "chunk_size", 64);
  float scale = onnx_float(o, "scale", 0);
  weft_str rule = {"gated_delta", 11};
  o->failed = onnx_str_attr(o, "update_rule", "gated_delta", &rule);
  WEFT_TRY(o->failed);
  for (size_t i = 3; i < 7; i++)
    in[i] = onnx_in(o, i);
  while (!in[n - 1] && n > 3)
    n--;
  onnx_set(o, "q_num_heads", weft_attr_int(q));
  onnx_set(o, "kv_num_heads", weft_attr_int(kv));
  onnx_set(o, "chunk_size", weft_attr_int(chunk));
  onnx_set(o, "scale", weft_attr_float(scale));
  onnx_set(o, "update_rule", weft_attr_str(rule.text, rule.bytes));
  return onnx_emit(o, "LinearAttention", in, n, NULL, o->n->outputs.n, NULL);
}

// ---- CausalConvWithState, SwiGLU ----
// A convolution of each channel with its own weights over what was before, the input, and nothing after.
// The convolution of each channel with its own weights when nobody knows how many channels there are: the sum
// over the steps k of padded[.., k : k + length] * w[.., k].
static weft_value *by_steps(onnx_op *o, weft_value *x, weft_value *padded, weft_value *w, weft_value *bias) {
  weft_dim steps = o->failed ? -1 : onnx_dim_at(w, 2);
  weft_value *y = NULL;
  o->n_attrs = 0;  // the group of the Conv
  if (!o->failed && (steps < 1 || steps > 64))
    o->failed = onnx_fail(o, WEFT_E_UNKNOWN, "the number of channels of value '%s' is not known", x->name);
  for (int64_t k = 0; !o->failed && k < steps; k++) {
    weft_value *from = onnx_list(o, &k, 1);
    weft_value *length = onnx_dim_list(o, x, 2);
    weft_value *near = onnx_sliced(o, padded, 2, from, k ? onnx_do(o, "Add", length, from, NULL) : length);
    weft_value *term = onnx_do(o, "Mul", near, onnx_picked(o, w, 2, onnx_index(o, k)), NULL);
    y = y ? onnx_do(o, "Add", y, term, NULL) : term;
  }
  return bias ? onnx_do(o, "Add", y, onnx_unsqueezed(o, bias, 1), NULL) : y;
}

weft_status onnx_causal_conv(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  weft_value *w = onnx_arg(o, 1);
  weft_value *bias = onnx_in(o, 2);
  weft_value *past = onnx_in(o, 3);
  weft_value *padded;
  bool none = onnx_is(o, "activation", "none", "none");
  bool silu = onnx_is(o, "activation", "none", "silu") || onnx_is(o, "activation", "none", "swish");
  WEFT_TRY(o->failed);
  if (!none && !silu)
    return onnx_fail(o, WEFT_E_INVALID, "attribute 'activation': expected none, silu or swish");
  weft_dim channels = onnx_dim_at(w, 0) >= 0 ? onnx_dim_at(w, 0) : onnx_dim_at(x, 1);
  if (past) {
    padded = onnx_joined(o, (weft_value *[]){past, x}, 2, 2);
  } else {
    weft_value *before = onnx_do(o, "Sub", onnx_dim_list(o, w, 2), onnx_list(o, &(int64_t){1}, 1), NULL);
    weft_value *zeros[3] = {onnx_list(o, (const int64_t[]){0, 0}, 2), before,
                            onnx_list(o, (const int64_t[]){0, 0, 0}, 3)};
    weft_value *pads = onnx_joined(o, zeros, 3, 0);
    onnx_set(o, "paddings_contiguous", weft_attr_bool(false));
    padded = onnx_do(o, "PadV3", x, pads, NULL);
  }
  WEFT_TRY(o->failed);
  onnx_set(o, "group", weft_attr_int(channels));
  weft_value *y = channels > 0 ? onnx_do(o, "Conv", padded, w, bias) : by_steps(o, x, padded, w, bias);
  WEFT_TRY(onnx_result(o, 0, silu ? onnx_do(o, "Swish", y, NULL, NULL) : y));
  if (!onnx_wants(o, 1))
    return o->failed;
  return onnx_result(
      o, 1, onnx_sliced(o, padded, 2, onnx_dim_list(o, x, 2), onnx_list(o, &(int64_t){INT64_MAX}, 1)));
}

weft_status onnx_swiglu(onnx_op *o) {
  weft_value *a = onnx_arg(o, 0);
  weft_value *b = onnx_arg(o, 1);
  float alpha = onnx_float(o, "alpha", 1);
  WEFT_TRY(o->failed);
  if (onnx_rank(a) >= 0 && onnx_rank(b) >= 0 && onnx_rank(a) != onnx_rank(b))
    return onnx_fail(o, WEFT_E_SHAPE, "input 0 has rank %d, input 1 has %d", onnx_rank(a), onnx_rank(b));
  for (int i = 0; i < WEFT_MIN(onnx_rank(a), onnx_rank(b)); i++)  // the inputs are not broadcast
    if (onnx_dim_at(a, i) >= 0 && onnx_dim_at(b, i) >= 0 && onnx_dim_at(a, i) != onnx_dim_at(b, i)) {
      return onnx_fail(o, WEFT_E_SHAPE, "dim %d of the inputs: %lld and %lld differ", i,
                       (long long)onnx_dim_at(a, i), (long long)onnx_dim_at(b, i));
    }
  onnx_set(o, "scale", weft_attr_float(alpha));
  return onnx_result(o, 0, onnx_do(o, "Mul", onnx_do(o, "Swish", a, NULL, NULL), b, NULL));
}
// SPDX-License-Identifier: Apache-2.0
