// aten_reduce.c - operators over axes: sums, extremes, moments, norms, sorting, running sums. A tensor of
// rank 0 counts as one element along axis 0.
#include <math.h>

#include "frontend/torch/tables.h"

typedef struct reduction {
  weft_value *v;
  int64_t axes[PT_MAX_NUMBERS];
  size_t n;
  bool keep;
} reduction;

// What is reduced and over which axes; rank 0: nothing to do, n is 0 and all axes of none are meant.
static reduction reduce_of(pt_op *o, weft_dtype t) {
  reduction r = {.v = front_as(&o->b, pt_tensor(o, "self"), t)};
  int rank = front_rank_of(&o->b, r.v);
  r.n = pt_axes(o, "dim", rank, r.axes);
  r.keep = pt_bool(o, "keepdim", false);
  return r;
}

static weft_value *reduce_do(front_op *b, const char *type, const reduction *r, weft_value *v) {
  return front_rank(v) == 0 ? v : front_reduced(b, type, v, r->axes, r->n, r->keep);
}

weft_value *pt_mean_of(front_op *b, weft_value *v, const int64_t *axes, size_t n, bool keep) {
  return front_rank(v) == 0 ? v : front_reduced(b, "ReduceMean", v, axes, n, keep);
}

static void reduce_with(pt_op *o, const char *type) {
  reduction r = reduce_of(o, pt_type(o, "dtype", pt_out_type(o, 0)));
  pt_result(o, 0, reduce_do(&o->b, type, &r, r.v));
}
static void reduce_sum(pt_op *o) {
  reduce_with(o, "ReduceSum");
}
static void reduce_mean(pt_op *o) {
  reduce_with(o, "ReduceMean");
}
static void reduce_prod(pt_op *o) {
  reduce_with(o, "ReduceProd");
}
static void reduce_amax(pt_op *o) {
  reduce_with(o, "ReduceMax");
}
static void reduce_amin(pt_op *o) {
  reduce_with(o, "ReduceMin");
}
static void reduce_aminmax(pt_op *o) {
  reduction r = reduce_of(o, pt_out_type(o, 0));
  pt_result(o, 0, reduce_do(&o->b, "ReduceMin", &r, r.v));
  pt_result(o, 1, reduce_do(&o->b, "ReduceMax", &r, r.v));
}

static void reduce_truth(pt_op *o, const char *type) {
  reduction r = reduce_of(o, WEFT_BOOL);
  pt_result(o, 0, front_as(&o->b, reduce_do(&o->b, type, &r, r.v), pt_out_type(o, 0)));
}
static void reduce_any(pt_op *o) {
  reduce_truth(o, "ReduceAny");
}
static void reduce_all(pt_op *o) {
  reduce_truth(o, "ReduceAll");
}

static void reduce_logsumexp(pt_op *o) {
  reduction r = reduce_of(o, pt_out_type(o, 0));
  pt_result(o, 0, reduce_do(&o->b, "ReduceLogSumExp", &r, r.v));
}

static void reduce_count_nonzero(pt_op *o) {
  reduction r = reduce_of(o, WEFT_UNDEFINED);
  weft_value *zero = r.v ? front_num(&o->b, r.v->fact.dtype, 0) : NULL;
  weft_value *v = front_as(&o->b, front_do(&o->b, "NotEqual", r.v, zero, NULL), WEFT_INT64);
  pt_result(o, 0, reduce_do(&o->b, "ReduceSum", &r, v));
}

// ---- places of extremes ----
static weft_value *reduce_arg(pt_op *o, const char *type, weft_value *v, int64_t axis, bool keep) {
  front_op *b = &o->b;
  front_set_bool(b, "keep_dims", keep);
  front_set(b, "dtype", weft_attr_dtype(WEFT_INT64));
  return front_do(b, type, v, front_index(b, axis), NULL);
}

// Among numbers ArgMin and ArgMax take what is none first, as PyTorch does.
static void reduce_arg_extreme(pt_op *o, const char *type) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  bool all = !pt_find(o, "dim");
  int rank = front_rank_of(b, v);
  bool keep = pt_bool(o, "keepdim", false);
  if (v && v->fact.dtype == WEFT_BOOL)
    v = front_as(b, v, WEFT_UINT8);
  if (!rank || all) {
    int64_t axis = 0;
    weft_value *y = reduce_arg(o, type, front_reshaped(b, v, &(int64_t){-1}, 1), axis, false);
    int64_t ones[WEFT_MAX_RANK];
    for (int i = 0; i < rank; i++)
      ones[i] = 1;
    pt_result(o, 0, keep && rank ? front_reshaped(b, y, ones, (size_t)rank) : y);
    return;
  }
  pt_result(o, 0, reduce_arg(o, type, v, pt_axis(o, "dim", 0, rank), keep));
}
static void reduce_argmax(pt_op *o) {
  reduce_arg_extreme(o, "ArgMaxV2");
}
static void reduce_argmin(pt_op *o) {
  reduce_arg_extreme(o, "ArgMin");
}

// max.dim and min.dim: the extreme and its place.
static void reduce_extreme(pt_op *o, const char *type, const char *place) {
  front_op *b = &o->b;
  reduction r = reduce_of(o, WEFT_UNDEFINED);
  pt_result(o, 0, reduce_do(b, type, &r, r.v));
  if (b->failed || !pt_wants(o, 1))
    return;
  if (!front_rank(r.v)) {
    pt_result(o, 1, front_index(b, 0));
    return;
  }
  weft_value *v = r.v->fact.dtype == WEFT_BOOL ? front_as(b, r.v, WEFT_UINT8) : r.v;
  pt_result(o, 1, reduce_arg(o, place, v, r.axes[0], r.keep));
}
static void reduce_max(pt_op *o) {
  reduce_extreme(o, "ReduceMax", "ArgMaxV2");
}
static void reduce_min(pt_op *o) {
  reduce_extreme(o, "ReduceMin", "ArgMin");
}

// ---- moments ----
// How many elements one result is made of, less the correction, as a number of v's dtype.
static weft_value *reduce_degrees(front_op *b, const reduction *r, double correction) {
  double n = 1;
  for (size_t i = 0; i < r->n; i++) {
    weft_dim d = front_dim(r->v, (int)r->axes[i]);
    n = d < 0 || n < 0 ? -1 : n * (double)d;
  }
  if (b->failed)
    return NULL;
  weft_dtype t = r->v->fact.dtype;
  if (n >= 0)
    return front_num(b, t, n - correction > 0 ? n - correction : 0);
  weft_value *all = front_num(b, t, 1);
  for (size_t i = 0; i < r->n; i++)
    all = front_do(b, "Mul", all, front_as(b, front_dim_index(b, r->v, r->axes[i]), t), NULL);
  all = front_do(b, "Sub", all, front_num(b, t, correction), NULL);
  return front_do(b, "Maximum", all, front_num(b, t, 0), NULL);
}

static weft_value *reduce_variance(pt_op *o, const reduction *r, weft_value **mean) {
  front_op *b = &o->b;
  double correction = pt_find(o, "correction") ? pt_float(o, "correction", 1)
                      : pt_find(o, "unbiased") ? (double)pt_bool(o, "unbiased", true)
                                               : 1;
  weft_value *wide = pt_mean_of(b, r->v, r->axes, r->n, true);
  weft_value *centred = front_do(b, "Sub", r->v, wide, NULL);
  weft_value *sum = reduce_do(b, "ReduceSum", r, front_do(b, "Square", centred, NULL, NULL));
  *mean = r->keep ? wide : pt_mean_of(b, r->v, r->axes, r->n, false);
  return front_do(b, "RealDiv", sum, reduce_degrees(b, r, correction), NULL);
}

static void reduce_var(pt_op *o) {
  weft_value *mean;
  reduction r = reduce_of(o, pt_out_type(o, 0));
  pt_result(o, 0, reduce_variance(o, &r, &mean));
}
static void reduce_std(pt_op *o) {
  weft_value *mean;
  reduction r = reduce_of(o, pt_out_type(o, 0));
  pt_result(o, 0, front_do(&o->b, "Sqrt", reduce_variance(o, &r, &mean), NULL, NULL));
}
static void reduce_var_mean(pt_op *o) {
  weft_value *mean;
  reduction r = reduce_of(o, pt_out_type(o, 0));
  pt_result(o, 0, reduce_variance(o, &r, &mean));
  pt_result(o, 1, mean);
}
static void reduce_std_mean(pt_op *o) {
  weft_value *mean;
  reduction r = reduce_of(o, pt_out_type(o, 0));
  pt_result(o, 0, front_do(&o->b, "Sqrt", reduce_variance(o, &r, &mean), NULL, NULL));
  pt_result(o, 1, mean);
}

// ---- norms ----
// Sums of powers of numbers of half precision are made in f32.
static weft_value *reduce_powers(front_op *b, weft_value *size, double p, const reduction *r) {
  const weft_dtype t = size->fact.dtype;
  const weft_dtype in = t == WEFT_FLOAT16 || t == WEFT_BF16 ? (weft_dtype)WEFT_FLOAT : t;
  weft_value *v = front_do(b, "Pow", front_as(b, size, in), front_num(b, in, p), NULL);
  v = front_do(b, "Pow", reduce_do(b, "ReduceSum", r, v), front_num(b, in, 1 / p), NULL);
  return front_as(b, v, t);
}

weft_value *pt_norm_of(front_op *b, weft_value *v, double p, const int64_t *axes, size_t n, bool keep) {
  reduction r = {.n = n, .keep = keep};
  weft_value *size = front_do(b, "Abs", v, NULL, NULL);
  if (b->failed)
    return NULL;
  memcpy(r.axes, axes, n * sizeof *axes);
  if (isinf(p))
    return reduce_do(b, p > 0 ? "ReduceMax" : "ReduceMin", &r, size);
  if (p == 2)
    return reduce_do(b, "EuclideanNorm", &r, size);
  if (p == 1)
    return reduce_do(b, "ReduceSum", &r, size);
  if (p == 0) {
    weft_value *some = front_do(b, "NotEqual", size, front_num(b, size->fact.dtype, 0), NULL);
    return reduce_do(b, "ReduceSum", &r, front_as(b, some, size->fact.dtype));
  }
  return reduce_powers(b, size, p, &r);
}
static weft_value *reduce_norm(pt_op *o, const reduction *r, double p) {
  return pt_norm_of(&o->b, r->v, p, r->axes, r->n, r->keep);
}

static void reduce_vector_norm(pt_op *o) {
  reduction r = reduce_of(o, pt_out_type(o, 0));
  pt_result(o, 0, reduce_norm(o, &r, pt_find(o, "ord") ? pt_float(o, "ord", 2) : pt_float(o, "p", 2)));
}

// Of singular values the sum (p 0), the largest (2) or the smallest (-2).
static weft_value *reduce_singular(front_op *b, weft_value *v, const int64_t axes[2], bool keep, double p) {
  int64_t order[WEFT_MAX_RANK];
  int rank = front_rank_of(b, v);
  size_t n = 0;
  for (int i = 0; i < rank; i++) {
    if (i != axes[0] && i != axes[1])
      order[n++] = i;
  }
  if (b->failed || n + 2 != (size_t)rank)
    return front_none(b, WEFT_E_INVALID, "a matrix norm has two axes");
  order[n++] = axes[0];
  order[n++] = axes[1];
  v = front_permuted(b, v, order, n);
  front_set_bool(b, "compute_uv", false);
  v = front_do(b, "Svd", v, NULL, NULL);
  v = front_reduced(b,
                    p > 0   ? "ReduceMax"
                    : p < 0 ? "ReduceMin"
                            : "ReduceSum",
                    v, &(int64_t){rank - 2}, 1, false);
  if (!keep)
    return v;
  v = front_unsqueezed(b, v, WEFT_MIN(axes[0], axes[1]));
  return front_unsqueezed(b, v, WEFT_MAX(axes[0], axes[1]));
}

static void reduce_matrix_norm(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = front_as(b, pt_tensor(o, "self"), pt_out_type(o, 0));
  int rank = front_rank_of(b, v);
  int64_t dims[PT_MAX_NUMBERS] = {rank - 2, rank - 1};
  if (pt_find(o, "dim") && pt_ints(o, "dim", dims) != 2)
    front_fail(b, WEFT_E_INVALID, "a matrix norm has two axes");
  int64_t x = front_axis(b, dims[0], rank);
  int64_t y = front_axis(b, dims[1], rank);
  bool keep = pt_bool(o, "keepdim", false);
  bool fro = pt_is(o, "ord", pt_find(o, "ord") ? "" : "fro", "fro");
  if (fro) {
    reduction r = {.v = v, .axes = {x, y}, .n = 2, .keep = keep};
    pt_result(o, 0, reduce_norm(o, &r, 2));
    return;
  }
  bool nuclear = pt_is(o, "ord", "", "nuc");
  double p = nuclear ? 0 : pt_float(o, "ord", 2);
  if (nuclear || fabs(p) == 2) {
    pt_result(o, 0, reduce_singular(b, v, (int64_t[]){x, y}, keep, p));
    return;
  }
  if (fabs(p) != 1 && !isinf(p)) {
    front_fail(b, WEFT_E_UNSUPPORTED,
               "a matrix norm of order %g is none of nuc, fro, 1, 2 and inf, or their opposites", p);
    return;
  }
  bool columns = fabs(p) == 1;  // sums over rows, then the extreme over columns
  int64_t first = columns ? x : y;
  int64_t second = columns ? y : x;
  weft_value *sums = front_reduced(b, "ReduceSum", front_do(b, "Abs", v, NULL, NULL), &first, 1, true);
  sums = front_reduced(b, p > 0 ? "ReduceMax" : "ReduceMin", sums, &second, 1, true);
  if (!keep) {
    int64_t gone[2] = {x, y};
    front_set_ints(b, "axis", gone, 2);
    sums = front_do(b, "Squeeze", sums, NULL, NULL);
  }
  pt_result(o, 0, sums);
}

// ---- softmax ----
static void reduce_soft(pt_op *o, const char *type) {
  front_op *b = &o->b;
  weft_value *v = front_as(b, pt_tensor(o, "self"), pt_type(o, "dtype", pt_out_type(o, 0)));
  int rank = front_rank_of(b, v);
  int64_t axis = pt_axis(o, "dim", -1, rank);
  if (!b->failed && !rank) {
    v = front_do(b, type, front_reshaped(b, v, &(int64_t){1}, 1), NULL, NULL);
    pt_result(o, 0, front_reshaped(b, v, NULL, 0));
    return;
  }
  if (axis == rank - 1)
    axis = -1;  // as most models write it
  front_set_ints(b, "axes", &axis, 1);
  pt_result(o, 0, front_do(b, type, v, NULL, NULL));
}
static void reduce_softmax(pt_op *o) {
  reduce_soft(o, "SoftmaxV2");
}
// Rows of nothing but -inf give 0.
static void reduce_safe_softmax(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = front_as(b, pt_tensor(o, "self"), pt_type(o, "dtype", pt_out_type(o, 0)));
  int64_t axis = pt_axis(o, "dim", -1, front_rank_of(b, v));
  if (b->failed)
    return;
  front_set_ints(b, "axes", &axis, 1);
  weft_value *y = front_do(b, "SoftmaxV2", v, NULL, NULL);
  weft_value *most = front_reduced(b, "ReduceMax", v, &axis, 1, true);
  weft_value *none = front_do(b, "Equal", most, front_num(b, v->fact.dtype, -HUGE_VAL), NULL);
  pt_result(o, 0, front_where(b, none, front_num(b, v->fact.dtype, 0), y));
}
static void reduce_log_softmax(pt_op *o) {
  reduce_soft(o, "LogSoftmaxV2");
}
static void reduce_softmin(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = front_do(b, "Neg", pt_tensor(o, "self"), NULL, NULL);
  int64_t axis = pt_axis(o, "dim", -1, front_rank_of(b, v));
  front_set_ints(b, "axes", &axis, 1);
  pt_result(o, 0, front_do(b, "SoftmaxV2", v, NULL, NULL));
}

// ---- running sums ----
static void reduce_running(pt_op *o, const char *type) {
  front_op *b = &o->b;
  weft_value *v = front_as(b, pt_tensor(o, "self"), pt_type(o, "dtype", pt_out_type(o, 0)));
  int rank = front_rank_of(b, v);
  int64_t axis = pt_axis(o, "dim", 0, rank);
  pt_result(o, 0, rank ? front_do(b, type, v, front_index(b, axis), NULL) : v);
}
static void reduce_cumsum(pt_op *o) {
  reduce_running(o, "Cumsum");
}
static void reduce_cumprod(pt_op *o) {
  reduce_running(o, "Cumprod");
}

// ---- order ----
static weft_value *reduce_top(pt_op *o, weft_value *v, weft_value *k, int64_t axis, bool largest) {
  front_op *b = &o->b;
  front_set_bool(b, "sorted", true);
  front_set_int(b, "dim", axis);
  front_set_bool(b, "largest", largest);
  front_set_int(b, "indices_dtype", WEFT_INT64);
  return front_do(b, "TopKV2", v, k, NULL);
}

static void reduce_topk(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  int rank = front_rank_of(b, v);
  int64_t axis = pt_axis(o, "dim", -1, rank);
  bool largest = pt_bool(o, "largest", true);
  weft_value *k = pt_size_list(o, "k", 1);
  int64_t one = 1;
  size_t n;
  if (!rank && !b->failed && front_known_ints(k, &one, 1, &n) && one == 1) {
    pt_result(o, 0, v);
    pt_result(o, 1, front_index(b, 0));
    return;
  }
  if (!rank)
    front_fail(b, WEFT_E_UNSUPPORTED, "the %lld largest of a number", (long long)one);
  weft_value *y = reduce_top(o, v, k, axis, largest);
  pt_result(o, 0, y);
  pt_result(o, 1, y ? y + 1 : NULL);
}

static weft_value *reduce_sorted(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  int rank = front_rank_of(b, v);
  int64_t axis = pt_axis(o, "dim", -1, rank);
  bool down = pt_bool(o, "descending", false);
  if (v && v->fact.dtype == WEFT_BOOL)
    v = front_as(b, v, WEFT_UINT8);
  return b->failed ? NULL : reduce_top(o, v, front_dim_list(b, v, axis), axis, down);
}
static void reduce_msort(pt_op *o) {
  weft_value *v = pt_tensor(o, "self");
  int rank = front_rank_of(&o->b, v);
  if (rank && v->fact.dtype == WEFT_BOOL)
    v = front_as(&o->b, v, WEFT_UINT8);
  pt_result(o, 0, rank ? reduce_top(o, v, front_dim_list(&o->b, v, 0), 0, false) : v);
}
static void reduce_sort(pt_op *o) {
  weft_value *y = reduce_sorted(o);
  pt_result(o, 0, y);
  pt_result(o, 1, y ? y + 1 : NULL);
}
static void reduce_argsort(pt_op *o) {
  weft_value *y = reduce_sorted(o);
  pt_result(o, 0, y ? y + 1 : NULL);
}

typedef struct kth {
  weft_value *v;
  int64_t axis;
  bool number, keep;
} kth;

static kth reduce_kth_of(pt_op *o) {
  front_op *b = &o->b;
  kth s = {.v = pt_tensor(o, "self")};
  const int rank = front_rank_of(b, s.v);
  const bool all = !pt_find(o, "dim") && o->n_out < 2;
  s.number = rank == 0;
  s.axis = all ? 0 : pt_axis(o, "dim", -1, rank);
  s.v = all || !rank ? front_flat(b, s.v) : s.v;
  s.keep = pt_bool(o, "keepdim", false) && rank;
  return s;
}

// The k-th smallest, k as a list of one: the last of the k smallest, and its place.
static weft_value *reduce_kth(pt_op *o, const kth *s, weft_value *k, weft_value **at) {
  front_op *b = &o->b;
  weft_value *y = reduce_top(o, s->v, k, s->axis, false);
  weft_value *from = front_do(b, "Sub", k, front_list(b, &(int64_t){1}, 1), NULL);
  *at = y ? front_sliced(b, y + 1, s->axis, from, k, NULL) : NULL;
  return y ? front_sliced(b, y, s->axis, from, k, NULL) : NULL;
}
static void reduce_give_kth(pt_op *o, const kth *s, weft_value *y, weft_value *at) {
  weft_value *v[2] = {y, at};
  for (size_t i = 0; i < 2 && i < o->n_out; i++)
    pt_result(o, i, s->keep ? v[i] : front_squeezed(&o->b, v[i], s->axis));
}

static void reduce_kthvalue(pt_op *o) {
  kth s = reduce_kth_of(o);
  weft_value *at;
  weft_value *y = reduce_kth(o, &s, pt_size_list(o, "k", 1), &at);
  reduce_give_kth(o, &s, y, at);
}

// The lower of two in the middle. What is no number is the median of all beside it.
static void reduce_median(pt_op *o) {
  front_op *b = &o->b;
  kth s = reduce_kth_of(o);
  weft_value *one = front_list(b, &(int64_t){1}, 1);
  weft_value *k = front_do(b, "Add", front_dim_list(b, s.v, s.axis), one, NULL);
  k = front_do(b, "FloorDiv", k, front_list(b, &(int64_t){2}, 1), NULL);
  weft_value *at;
  weft_value *y = reduce_kth(o, &s, k, &at);
  if (!b->failed && WEFT_BIT(s.v->fact.dtype) & WEFT_FLOATS) {
    weft_value *none = front_do(b, "IsNan", s.v, NULL, NULL);
    weft_value *some = front_reduced(b, "ReduceAny", none, &s.axis, 1, true);
    weft_value *first = reduce_arg(o, "ArgMaxV2", front_as(b, none, WEFT_UINT8), s.axis, true);
    y = front_where(b, some, front_num(b, s.v->fact.dtype, NAN), y);
    at = front_where(b, some, front_as(b, first, WEFT_INT64), at);
  }
  reduce_give_kth(o, &s, y, at);
}

static const pt_row reduce_rows[] = {
    {"sum", NULL, 0, reduce_sum, 0},
    {"mean", NULL, 0, reduce_mean, 0},
    {"prod", NULL, 0, reduce_prod, 0},
    {"amax", NULL, 0, reduce_amax, 0},
    {"amin", NULL, 0, reduce_amin, 0},
    {"aminmax", NULL, 0, reduce_aminmax, 0},
    {"any", NULL, 0, reduce_any, 0},
    {"all", NULL, 0, reduce_all, 0},
    {"count_nonzero", NULL, 0, reduce_count_nonzero, 0},
    {"logsumexp", NULL, 0, reduce_logsumexp, 0},
    {"special_logsumexp", NULL, 0, reduce_logsumexp, 0},
    {"argmax", NULL, 0, reduce_argmax, 0},
    {"argmin", NULL, 0, reduce_argmin, 0},
    {"max", NULL, 0, reduce_max, 0},
    {"min", NULL, 0, reduce_min, 0},
    {"var", NULL, 0, reduce_var, 0},
    {"std", NULL, 0, reduce_std, 0},
    {"var_mean", NULL, 0, reduce_var_mean, 0},
    {"std_mean", NULL, 0, reduce_std_mean, 0},
    {"norm", NULL, 0, reduce_vector_norm, 0},
    {"linalg_vector_norm", NULL, 0, reduce_vector_norm, 0},
    {"linalg_norm", NULL, 0, reduce_vector_norm, 0},
    {"linalg_matrix_norm", NULL, 0, reduce_matrix_norm, 0},
    {"frobenius_norm", NULL, 0, reduce_vector_norm, 0},
    {"softmax", NULL, 0, reduce_softmax, 0},
    {"_softmax", NULL, 0, reduce_softmax, 0},
    {"special_softmax", NULL, 0, reduce_softmax, 0},
    {"_safe_softmax", NULL, 0, reduce_safe_softmax, 0},
    {"log_softmax", NULL, 0, reduce_log_softmax, 0},
    {"_log_softmax", NULL, 0, reduce_log_softmax, 0},
    {"special_log_softmax", NULL, 0, reduce_log_softmax, 0},
    {"softmin", NULL, 0, reduce_softmin, 0},
    {"cumsum", NULL, 0, reduce_cumsum, 0},
    {"cumprod", NULL, 0, reduce_cumprod, 0},
    {"topk", NULL, 0, reduce_topk, 0},
    {"sort", NULL, 0, reduce_sort, 0},
    {"msort", NULL, 0, reduce_msort, 0},
    {"argsort", NULL, 0, reduce_argsort, 0},
    {"kthvalue", NULL, 0, reduce_kthvalue, 0},
    {"median", NULL, 0, reduce_median, 0},
};
const pt_rows pt_reduce = PT_ROWS(reduce_rows);
// SPDX-License-Identifier: Apache-2.0
