// aten_linear.c - products of matrices, and attention, which is written out: the pass match_attention finds
// it and takes it in one.
#include <math.h>

#include "base/allocated.h"
#include "frontend/torch/tables.h"

static weft_value *linear_scaled(front_op *b, weft_value *v, double by) {
  if (b->failed || !v || by == 1)
    return v;
  return front_do(b, "Mul", v, front_num(b, v->fact.dtype, by), NULL);
}

// Products of matrices of booleans or small integers are made in i64.
static weft_value *linear_product(front_op *b, weft_value *x, weft_value *y, bool transposed, weft_dtype t) {
  if (b->failed || !x || !y)
    return NULL;
  bool narrow = weft_dtype_is_integer(t) && t != WEFT_INT32 && t != WEFT_INT64;
  weft_dtype in = narrow || t == WEFT_BOOL ? (weft_dtype)WEFT_INT64 : t;
  x = front_as(b, x, in);
  y = front_as(b, y, in);
  if (front_rank(x) == 2 && front_rank(y) == 2) {
    front_set_bool(b, "transpose_x1", false);
    front_set_bool(b, "transpose_x2", transposed);
    return front_as(b, front_do(b, "MatMulV2", x, y, NULL), t);
  }
  return front_as(b, front_matmul(b, x, y, transposed), t);
}

static void linear_linear(pt_op *o) {
  front_op *b = &o->b;
  weft_value *x = pt_tensor(o, "input");
  weft_value *w = pt_tensor(o, "weight");
  weft_value *bias = pt_optional(o, "bias");
  bool vector = front_rank(w) == 1;
  weft_value *y = linear_product(b, x, w, !vector, x ? x->fact.dtype : (weft_dtype)WEFT_UNDEFINED);
  if (bias)
    y = front_do(b, "Add", y, bias, NULL);
  pt_result(o, 0, y);
}

static void linear_pair(pt_op *o, const char *first, const char *second) {
  weft_dtype t = pt_out_type(o, 0);
  weft_value *x = pt_tensor(o, first);
  weft_value *y = pt_tensor(o, second);
  pt_result(o, 0, linear_product(&o->b, x, y, false, t == WEFT_UNDEFINED && x ? x->fact.dtype : t));
}
static void linear_mm(pt_op *o) {
  linear_pair(o, "self", pt_has(o, "mat2") ? "mat2" : "other");
}
static void linear_mv(pt_op *o) {
  linear_pair(o, "self", pt_has(o, "vec") ? "vec" : "tensor");
}

// Over the last axes of both; what precedes them stays, first that of self.
static void linear_inner(pt_op *o) {
  front_op *b = &o->b;
  weft_dtype t = pt_out_type(o, 0);
  weft_value *v[2] = {pt_tensor(o, "self"), pt_tensor(o, "other")};
  weft_value *sizes[2];
  if (!front_rank_of(b, v[0]) || !front_rank_of(b, v[1])) {
    pt_result(o, 0, front_do(b, "Mul", front_as(b, v[0], t), front_as(b, v[1], t), NULL));
    return;
  }
  for (int i = 0; i < 2 && !b->failed; i++) {
    int last = front_rank(v[i]) - 1;
    sizes[i] = front_part(b, front_shape(b, v[i]), 0, 0, last);
    weft_value *shape[2] = {front_span(b, v[i], 0, last), front_dim_list(b, v[i], last)};
    v[i] = front_reshape(b, v[i], front_size_list(b, shape, 2));
  }
  weft_value *y = linear_product(b, v[0], v[1], true, t);
  pt_result(o, 0, b->failed ? NULL : front_reshape(b, y, front_joined(b, sizes, 2, 0)));
}

// beta * self + alpha * (x @ y); with beta 0 self is not looked at, not even for NaN.
static void linear_added(pt_op *o, const char *first, const char *second, bool summed) {
  front_op *b = &o->b;
  weft_dtype t = pt_out_type(o, 0);
  double alpha = pt_float(o, "alpha", 1);
  double beta = pt_float(o, "beta", 1);
  weft_value *self = pt_tensor(o, "self");
  if (t == WEFT_UNDEFINED && self)
    t = self->fact.dtype;
  weft_value *x = pt_tensor(o, first);
  weft_value *y = linear_product(b, x, pt_tensor(o, second), false, t);
  if (summed)
    y = front_reduced(b, "ReduceSum", y, &(int64_t){0}, 1, false);
  y = linear_scaled(b, y, alpha);
  if (beta != 0)
    y = front_do(b, "Add", y, linear_scaled(b, front_as(b, self, t), beta), NULL);
  pt_result(o, 0, y);
}
static void linear_addmm(pt_op *o) {
  linear_added(o, "mat1", "mat2", false);
}
static void linear_baddbmm(pt_op *o) {
  linear_added(o, "batch1", "batch2", false);
}
static void linear_addbmm(pt_op *o) {
  linear_added(o, "batch1", "batch2", true);
}
static void linear_addmv(pt_op *o) {
  linear_added(o, "mat", "vec", false);
}

static weft_value *linear_outer_of(front_op *b, weft_value *x, weft_value *y, weft_dtype t) {
  x = front_unsqueezed(b, front_as(b, x, t), 1);
  return front_do(b, "Mul", x, front_as(b, y, t), NULL);
}
static void linear_outer(pt_op *o) {
  weft_value *x = pt_tensor(o, "self");
  pt_result(o, 0, linear_outer_of(&o->b, x, pt_tensor(o, "vec2"), pt_out_type(o, 0)));
}
static void linear_addr(pt_op *o) {
  front_op *b = &o->b;
  weft_dtype t = pt_out_type(o, 0);
  weft_value *x = pt_tensor(o, "vec1");
  weft_value *y = linear_scaled(b, linear_outer_of(b, x, pt_tensor(o, "vec2"), t), pt_float(o, "alpha", 1));
  double beta = pt_float(o, "beta", 1);
  if (beta != 0)
    y = front_do(b, "Add", y, linear_scaled(b, front_as(b, pt_tensor(o, "self"), t), beta), NULL);
  pt_result(o, 0, y);
}

static weft_value *linear_einsum_of(front_op *b, const char *equation, size_t bytes, weft_value *const *v,
                                    size_t n) {
  front_set(b, "equation", weft_attr_str(equation, bytes));
  front_set_int(b, "N", (int64_t)n);
  uint32_t counts[1] = {(uint32_t)n};
  return front_emit(b, "Einsum", v, n, &(weft_use){.in_counts = counts});
}

static void linear_einsum(pt_op *o) {
  weft_value **v;
  size_t n = pt_tensors(o, "tensors", &v);
  front_arg a = pt_read_arg(o, pt_find(o, "equation"));
  if (a.kind != FRONT_TEXT)
    front_fail(&o->b, WEFT_E_MISSING, "argument 'equation' is not given");
  if (!o->b.failed)
    pt_result(o, 0, linear_einsum_of(&o->b, a.text.text, a.text.bytes, v, n));
}

// Axes of both that are summed over go last in x and first in y.
static void linear_tensordot(pt_op *o) {
  front_op *b = &o->b;
  int64_t ax[PT_MAX_NUMBERS];
  int64_t ay[PT_MAX_NUMBERS];
  weft_value *v[2] = {pt_tensor(o, "self"), pt_tensor(o, "other")};
  int rx = front_rank_of(b, v[0]);
  int ry = front_rank_of(b, v[1]);
  size_t n = pt_ints(o, "dims_self", ax);
  size_t m = pt_ints(o, "dims_other", ay);
  char text[3 * WEFT_MAX_RANK + 8];
  char letter_of_y[WEFT_MAX_RANK];
  size_t at = 0;
  if (n != m || rx + ry > 26)
    front_fail(b, WEFT_E_INVALID, "%zu axes are summed with %zu", n, m);
  if (b->failed)
    return;
  for (int i = 0; i < ry; i++)
    letter_of_y[i] = (char)('a' + rx + i);
  for (size_t i = 0; i < n; i++)
    letter_of_y[front_axis(b, ay[i], ry)] = (char)('a' + front_axis(b, ax[i], rx));
  for (int i = 0; i < rx; i++)
    text[at++] = (char)('a' + i);
  text[at++] = ',';
  for (int i = 0; i < ry; i++)
    text[at++] = letter_of_y[i];
  text[at++] = '-';
  text[at++] = '>';
  for (int i = 0; i < rx; i++) {
    if (!memchr(letter_of_y, 'a' + i, (size_t)ry))
      text[at++] = (char)('a' + i);
  }
  for (int i = 0; i < ry; i++) {
    if (letter_of_y[i] >= 'a' + rx)
      text[at++] = letter_of_y[i];
  }
  pt_result(o, 0, linear_einsum_of(b, text, at, v, 2));
}

// y = x1 A x2 + b for each output.
static void linear_bilinear(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v[3] = {pt_tensor(o, "input1"), pt_tensor(o, "weight"), pt_tensor(o, "input2")};
  weft_value *bias = pt_optional(o, "bias");
  static const char equation[] = "...i,oij,...j->...o";
  weft_value *y = b->failed ? NULL : linear_einsum_of(b, equation, sizeof equation - 1, v, 3);
  pt_result(o, 0, bias ? front_do(b, "Add", y, bias, NULL) : y);
}

// Each operand gets axes of 1 where the list says so; their product is summed over sumdim.
static void linear_trilinear(pt_op *o) {
  static const char *const names[][2] = {{"i1", "expand1"}, {"i2", "expand2"}, {"i3", "expand3"}};
  front_op *b = &o->b;
  weft_value *y = NULL;
  int64_t sums[PT_MAX_NUMBERS];
  for (size_t i = 0; i < 3; i++) {
    int64_t axes[PT_MAX_NUMBERS];
    weft_value *v = pt_tensor(o, names[i][0]);
    size_t n = pt_ints(o, names[i][1], axes);
    for (size_t k = 0; k < n && !b->failed; k++)
      v = front_unsqueezed(b, v, axes[k]);
    y = y ? front_do(b, "Mul", y, v, NULL) : v;
  }
  size_t n = pt_ints(o, "sumdim", sums);
  pt_result(o, 0, n && !b->failed ? front_reduced(b, "ReduceSum", y, sums, n, false) : y);
}

static void linear_kron(pt_op *o) {
  front_op *b = &o->b;
  weft_dtype t = pt_out_type(o, 0);
  weft_value *x = front_as(b, pt_tensor(o, "self"), t);
  weft_value *y = front_as(b, pt_tensor(o, "other"), t);
  int rank = WEFT_MAX(front_rank_of(b, x), front_rank_of(b, y));
  for (int i = front_rank(x); !b->failed && i < rank; i++)
    x = front_unsqueezed(b, x, 0);
  for (int i = front_rank(y); !b->failed && i < rank; i++)
    y = front_unsqueezed(b, y, 0);
  weft_value *sizes[WEFT_MAX_RANK];
  for (int i = 0; i < rank && !b->failed; i++)
    sizes[i] = front_do(b, "Mul", front_dim_list(b, x, i), front_dim_list(b, y, i), NULL);
  for (int i = 0; i < rank && !b->failed; i++) {
    x = front_unsqueezed(b, x, 2 * i + 1);
    y = front_unsqueezed(b, y, 2 * i);
  }
  weft_value *v = front_do(b, "Mul", x, y, NULL);
  pt_result(o, 0, rank && !b->failed ? front_reshape(b, v, front_joined(b, sizes, (size_t)rank, 0)) : v);
}

// a1 b2 - a2 b1 and so on, along an axis of 3.
static void linear_cross(pt_op *o) {
  front_op *b = &o->b;
  weft_dtype t = pt_out_type(o, 0);
  weft_value *x = front_as(b, pt_tensor(o, "self"), t);
  weft_value *y = front_as(b, pt_tensor(o, "other"), t);
  int rank = front_rank_of(b, x);
  int64_t axis = pt_axis(o, "dim", -1, rank);
  for (int i = 0; i < rank && !pt_find(o, "dim") && !strncmp(o->target, "cross", 5); i++) {
    if (front_dim(x, i) == 3) {
      axis = i;
      break;
    }
  }
  pt_result(o, 0, front_cross(b, x, y, axis));
}

// ---- attention ----
// True where the key stands behind the query, counted from the top left.
static weft_value *linear_later(front_op *b, weft_value *q, weft_value *k, int rank) {
  weft_value *rows = front_unsqueezed(b, front_counting(b, front_dim_index(b, q, rank - 2)), 1);
  weft_value *cols = front_counting(b, front_dim_index(b, k, front_rank_of(b, k) - 2));
  return front_do(b, "GreaterEqual", rows, cols, NULL);
}

// How often Tile repeats each axis: axis rank - 2 of rank + 1 ones for each head that the query has more of.
static weft_value *linear_times(front_op *b, weft_value *v, weft_value *q, int rank) {
  weft_value *parts[WEFT_MAX_RANK + 1];
  for (int i = 0; i <= rank; i++)
    parts[i] = front_list(b, &(int64_t){1}, 1);
  parts[rank - 2] =
      front_size_of(b, "FloorDiv", front_dim_list(b, q, rank - 3), front_dim_list(b, v, rank - 3));
  return front_size_list(b, parts, (size_t)rank + 1);
}

// Heads of keys and values are repeated where the query has more of them.
static weft_value *linear_heads(front_op *b, weft_value *v, weft_value *q, int rank) {
  weft_dim have = front_dim(v, rank - 3);
  weft_dim want = front_dim(q, rank - 3);
  if (b->failed || rank < 3 || front_same_dim(v, rank - 3, q, rank - 3))
    return v;
  if (!have || (have > 0 && want >= 0 && want % have))
    return front_none(b, WEFT_E_SHAPE, "%lld heads of the query, %lld of the key", front_shown(want),
                      front_shown(have));
  weft_value *times = linear_times(b, v, q, rank);
  weft_value *wide = front_do(b, "Tile", front_unsqueezed(b, v, rank - 2), times, NULL);
  weft_value *parts[WEFT_MAX_RANK];
  for (int i = 0; i < rank; i++)
    parts[i] = front_dim_list(b, i == rank - 3 ? q : v, i);
  return front_reshape(b, wide, front_size_list(b, parts, (size_t)rank));
}

static weft_value *linear_scale(pt_op *o, weft_value *q, int rank) {
  front_op *b = &o->b;
  weft_dtype t = q->fact.dtype;
  weft_dim size = front_dim(q, rank - 1);
  if (pt_find(o, "scale"))
    return front_num(b, t, pt_float(o, "scale", 1));
  if (size >= 0)
    return front_num(b, t, 1 / sqrt((double)size));
  weft_value *root =
      front_do(b, "Sqrt", front_as(b, front_dim_index(b, q, rank - 1), WEFT_FLOAT), NULL, NULL);
  return front_as(b, front_do(b, "Reciprocal", root, NULL, NULL), t);
}

// What is added to scores: a mask of truth stands for 0 and -inf.
static weft_value *linear_shift(front_op *b, weft_value *mask, weft_dtype t) {
  if (b->failed || !mask)
    return NULL;
  if (mask->fact.dtype != WEFT_BOOL)
    return front_as(b, mask, t);
  return front_where(b, mask, front_num(b, t, 0), front_num(b, t, -HUGE_VAL));
}

// Rows that see nothing give 0: those whose shift is -inf everywhere.
static weft_value *linear_nobody(front_op *b, weft_value *weights, weft_value *shift) {
  if (b->failed || !shift || front_rank(shift) < 1)
    return weights;
  const weft_dtype t = weights->fact.dtype;
  weft_value *most = front_reduced(b, "ReduceMax", shift, &(int64_t){front_rank(shift) - 1}, 1, true);
  weft_value *none = front_do(b, "Equal", most, front_num(b, t, -HUGE_VAL), NULL);
  return front_where(b, none, front_num(b, t, 0), weights);
}

static void linear_attention(pt_op *o) {
  static const int64_t last = -1;
  front_op *b = &o->b;
  weft_value *q = pt_tensor(o, "query");
  weft_value *k = pt_tensor(o, "key");
  weft_value *v = pt_tensor(o, "value");
  int rank = front_rank_of(b, q);
  if (!b->failed && rank < 2)
    front_fail(b, WEFT_E_SHAPE, "the query has rank %d", rank);
  if (b->failed)
    return;
  if (pt_bool(o, "enable_gqa", false)) {
    if (front_rank_of(b, k) == rank)
      k = linear_heads(b, k, q, rank);
    if (front_rank_of(b, v) == rank)
      v = linear_heads(b, v, q, rank);
  }
  weft_value *scale = linear_scale(o, q, rank);
  weft_value *scores = front_do(b, "Mul", front_matmul(b, q, k, true), scale, NULL);
  weft_value *mask = pt_find(o, "attn_mask") ? pt_tensor(o, "attn_mask") : pt_optional(o, "attn_bias");
  if (b->failed)
    return;
  const weft_dtype t = scores->fact.dtype;
  weft_value *shift = linear_shift(b, mask, t);
  if (shift)
    scores = front_do(b, "Add", scores, shift, NULL);
  if (pt_bool(o, "is_causal", false))
    scores = front_where(b, linear_later(b, q, k, rank), scores, front_num(b, t, -HUGE_VAL));
  front_set_ints(b, "axes", &last, 1);
  weft_value *weights = front_do(b, "SoftmaxV2", scores, NULL, NULL);
  pt_result(o, 0, front_matmul(b, linear_nobody(b, weights, shift), v, false));
}

// ---- distances ----
static void linear_cdist(pt_op *o) {
  front_op *b = &o->b;
  weft_value *x = pt_tensor(o, "x1");
  weft_value *y = pt_tensor(o, "x2");
  int rx = front_rank_of(b, x);
  int ry = front_rank_of(b, y);
  if (b->failed)
    return;
  x = front_unsqueezed(b, x, rx - 1);
  y = front_unsqueezed(b, y, ry - 2);
  weft_value *d = front_do(b, "Sub", x, y, NULL);
  pt_result(o, 0, pt_norm_of(b, d, pt_float(o, "p", 2), &(int64_t){WEFT_MAX(rx, ry)}, 1, false));
}

static void linear_pairwise(pt_op *o) {
  front_op *b = &o->b;
  weft_dtype t = pt_out_type(o, 0);
  weft_value *x = pt_tensor(o, "x1");
  weft_value *y = pt_tensor(o, "x2");
  if (b->failed)
    return;
  const weft_dtype in = pt_promote(x->fact.dtype, y->fact.dtype);  // differences of bytes wrap around
  weft_value *d = front_as(b, front_do(b, "Sub", front_as(b, x, in), front_as(b, y, in), NULL), t);
  int rank = front_rank_of(b, d);
  if (b->failed)
    return;
  d = front_do(b, "Add", d, front_num(b, d->fact.dtype, pt_float(o, "eps", 1e-6)), NULL);
  pt_result(o, 0,
            pt_norm_of(b, d, pt_float(o, "p", 2), &(int64_t){rank - 1}, 1, pt_bool(o, "keepdim", false)));
}

// The flat places above the diagonal of a square with as many rows as x, which the run counts.
static weft_value *linear_above(front_op *b, weft_value *x) {
  weft_value *n = front_dim_index(b, x, 0);
  weft_value *at = front_triangle(b, n, n, 1, true);
  weft_value *row = front_do(b, "Mul", front_picked(b, at, 0, front_index(b, 0)), n, NULL);
  at = front_do(b, "Add", row, front_picked(b, at, 0, front_index(b, 1)), NULL);
  n = front_dim_list(b, x, 0);
  weft_value *pairs = front_size_of(b, "Mul", n, front_size_by(b, "Sub", n, 1));
  return front_reshape(b, at, front_size_by(b, "FloorDiv", pairs, 2));
}

// Distances between all pairs of rows, each pair once.
static void linear_pdist(pt_op *o) {
  enum { LISTED = 2048 };  // places of so many rows are written out
  front_op *b = &o->b;
  weft_value *x = pt_tensor(o, "self");
  weft_dim n = front_dim(x, 0);
  if (b->failed)
    return;
  weft_value *d = front_do(b, "Sub", front_unsqueezed(b, x, 1), front_unsqueezed(b, x, 0), NULL);
  d = front_reshaped(b, pt_norm_of(b, d, pt_float(o, "p", 2), &(int64_t){2}, 1, false), &(int64_t){-1}, 1);
  if (n < 0 || n > LISTED) {
    pt_result(o, 0, front_picked(b, d, 0, linear_above(b, x)));
    return;
  }
  int64_t *places = WEFT_NEW_N(&o->m->f.arena, int64_t, (size_t)(n * n) + 1);
  size_t at = 0;
  b->failed = weft__allocated(places, o->m->f.d);
  for (int64_t i = 0; i < n && places; i++) {
    for (int64_t k = i + 1; k < n; k++)
      places[at++] = i * n + k;
  }
  pt_result(o, 0, front_picked(b, d, 0, front_list(b, places, at)));
}

static void linear_cosine(pt_op *o) {
  front_op *b = &o->b;
  weft_dtype t = pt_out_type(o, 0);
  weft_value *v[2] = {front_as(b, pt_tensor(o, "x1"), t), front_as(b, pt_tensor(o, "x2"), t)};
  front_matched(b, &v[0], &v[1]);
  int rank = front_rank_of(b, v[0]);
  int64_t axis = pt_axis(o, "dim", 1, rank);
  double eps = pt_float(o, "eps", 1e-8);
  for (int i = 0; i < 2 && !b->failed; i++) {
    v[i] = rank ? v[i] : front_flat(b, v[i]);
    weft_value *norm = front_reduced(b, "EuclideanNorm", v[i], &axis, 1, true);
    v[i] = front_do(b, "RealDiv", v[i], front_do(b, "Maximum", norm, front_num(b, t, eps), NULL), NULL);
  }
  pt_result(o, 0, front_reduced(b, "ReduceSum", front_do(b, "Mul", v[0], v[1], NULL), &axis, 1, false));
}

// Products by groups: rows of x, or places of the summed axis, up to each of the totals `offs`.
static void linear_grouped(pt_op *o) {
  front_op *b = &o->b;
  static const uint32_t ins[] = {1, 1, 0, 0, 0, 0, 0, 1, 0};
  static const uint32_t outs[] = {1};
  const bool aten = pt_has(o, "self");
  weft_value *x = pt_tensor(o, aten ? "self" : "input");
  weft_value *w = pt_tensor(o, aten ? "mat2" : "weight");
  weft_value *ends = pt_optional(o, "offs");
  if (!ends || b->failed) {
    linear_pair(o, aten ? "self" : "input", aten ? "mat2" : "weight");
    return;
  }
  if (front_rank_of(b, x) != 2) {
    front_fail(b, WEFT_E_UNSUPPORTED, "groups of columns of the second matrix are not computed");
    return;
  }
  weft_value *in[] = {x, w, front_as(b, ends, WEFT_INT64)};
  front_set_int(b, "split_item", 3);
  front_set_int(b, "group_type", front_rank_of(b, w) == 2 ? 2 : 0);
  pt_result(o, 0,
            front_emit(b, "GroupedMatmul", in, 3, &(const weft_use){.in_counts = ins, .out_counts = outs}));
}

static const pt_row linear_rows[] = {
    {"linear", NULL, 0, linear_linear, 0},
    {"mm", NULL, 0, linear_mm, 0},
    {"bmm", NULL, 0, linear_mm, 0},
    {"matmul", NULL, 0, linear_mm, 0},
    {"mv", NULL, 0, linear_mv, 0},
    {"dot", NULL, 0, linear_mv, 0},
    {"vdot", NULL, 0, linear_mm, 0},
    {"inner", NULL, 0, linear_inner, 0},
    {"addmm", NULL, 0, linear_addmm, 0},
    {"baddbmm", NULL, 0, linear_baddbmm, 0},
    {"addbmm", NULL, 0, linear_addbmm, 0},
    {"addmv", NULL, 0, linear_addmv, 0},
    {"addr", NULL, 0, linear_addr, 0},
    {"outer", NULL, 0, linear_outer, 0},
    {"ger", NULL, 0, linear_outer, 0},
    {"einsum", NULL, 0, linear_einsum, 0},
    {"linalg_matmul", NULL, 0, linear_mm, 0},
    {"_grouped_mm", NULL, 0, linear_grouped, 0},
    {"transformers.grouped_mm_fallback", NULL, 0, linear_grouped, 0},
    {"tensordot", NULL, 0, linear_tensordot, 0},
    {"bilinear", NULL, 0, linear_bilinear, 0},
    {"_trilinear", NULL, 0, linear_trilinear, 0},
    {"kron", NULL, 0, linear_kron, 0},
    {"linalg_cross", NULL, 0, linear_cross, 0},
    {"cross", NULL, 0, linear_cross, 0},
    {"scaled_dot_product_attention", NULL, 0, linear_attention, 0},
    {"_scaled_dot_product_flash_attention_for_cpu", NULL, 0, linear_attention, 0},
    {"_scaled_dot_product_efficient_attention", NULL, 0, linear_attention, 0},
    {"_scaled_dot_product_flash_attention", NULL, 0, linear_attention, 0},
    {"_scaled_dot_product_attention_math", NULL, 0, linear_attention, 0},
    {"cdist", NULL, 0, linear_cdist, 0},
    {"_cdist_forward", NULL, 0, linear_cdist, 0},
    {"_euclidean_dist", NULL, 0, linear_cdist, 0},
    {"pairwise_distance", NULL, 0, linear_pairwise, 0},
    {"pdist", NULL, 0, linear_pdist, 0},
    {"_pdist_forward", NULL, 0, linear_pdist, 0},
    {"cosine_similarity", NULL, 0, linear_cosine, 0},
};
const pt_rows pt_linear = PT_ROWS(linear_rows);
// SPDX-License-Identifier: Apache-2.0
