// ops/sparse/reduce.c - the elements of a sparse tensor that share places along some axes, taken together.
// AscendIR SparseReduceMax, SparseReduceSum and their Sparse forms, SparseSoftmax, as TensorFlow computes
// them. No axes: all of them. Where a dense result has no elements it is 0. Floats are computed in double.
#include "op/air_rows.h"
#include "sparse.h"

enum { INDICES, VALUES, SHAPE, AXES };
enum { KEEP_DIMS };
enum { MAX, SUM };

static int reduce_how(const weft_call *c) {
  return *(const int *)c->desc->op->user;
}

// The axes that stay, as a mask; all are reduced where none is named.
static weft_status reduce_stays(weft_diag *d, const int64_t *axes, size_t n, size_t rank, uint32_t *out) {
  uint32_t reduced = 0;
  WEFT_TRY(weft__axes(d, "input 'reduction_axes'", axes, n, rank, &reduced));
  const uint32_t all = (UINT32_C(1) << rank) - 1;
  *out = n ? all & ~reduced : 0;
  return WEFT_OK;
}

// ---- a dense result ----
static weft_status reduce_infer(weft_infer *it) {
  const bool keep = weft_node_bool(it->desc, KEEP_DIMS);
  int64_t axes[WEFT_MAX_RANK];
  int64_t sizes[WEFT_MAX_RANK];
  int64_t n_axes;
  int64_t n_sizes;
  bool known;
  bool sized;
  weft_dim n;
  weft_dim rank;
  uint32_t stays;
  weft_shape y = {.rank = 0};
  WEFT_TRY(weft__sparse_infer(it, INDICES, VALUES, SHAPE, &n, &rank));
  WEFT_TRY(weft__expect_rank(it, AXES, 0, 1));
  if (rank > WEFT_MAX_RANK)
    return weft_fail(it->d, WEFT_E_LIMIT, "input 'x_shape' has %lld sizes, at most %d", (long long)rank,
                     WEFT_MAX_RANK);
  WEFT_TRY(weft__in_ints(it, AXES, axes, WEFT_MAX_RANK, &n_axes, &known));
  for (int64_t i = 0; known && i < n_axes; i++)
    known = weft__is_literal(axes[i]);
  if (rank < 0 || !known)
    return rank >= 0 && keep ? weft__unknown_dims(it, 0, (size_t)rank) : weft__unknown_rank(it, 0);
  WEFT_TRY(weft__in_ints(it, SHAPE, sizes, WEFT_MAX_RANK, &n_sizes, &sized));
  WEFT_TRY(reduce_stays(it->d, axes, (size_t)n_axes, (size_t)rank, &stays));
  for (size_t k = 0; k < (size_t)rank; k++) {
    const bool stay = stays >> k & 1;
    if (!stay && !keep)
      continue;
    y.dim[y.rank++] = !stay ? 1 : sized ? weft__elem_dim(sizes[k]) : -1;
    if (stay && sized && weft__is_literal(sizes[k]) && sizes[k] < 0)
      return weft_fail(it->d, WEFT_E_RANGE, "input 'x_shape', element %zu: the size is %lld", k,
                       (long long)sizes[k]);
  }
  return weft_set_out_shape(it, 0, y.dim, y.rank);
}

typedef struct reduction {
  weft_sparse s;
  uint32_t stays;
  int64_t *key;   // n: where an element's group lies
  size_t *order;  // n: elements by group
} reduction;

static weft_status reduce_begin(const weft_call *c, reduction *r) {
  int64_t axes[WEFT_MAX_RANK];
  size_t n;
  WEFT_TRY(weft__sparse_read(c, INDICES, SHAPE, &r->s));
  WEFT_TRY(weft__read_ints(c, AXES, axes, WEFT_MAX_RANK, &n));
  WEFT_TRY(reduce_stays(c->d, axes, n, r->s.rank, &r->stays));
  WEFT_TRY(weft__sparse_places(c, &r->s, r->stays, &r->key));
  return weft__sparse_order(c, r->key, r->s.n, &r->order);
}

// The group that begins at order[*i]; *i moves behind it.
static weft_status reduce_group(const weft_call *c, const reduction *r, size_t *i, weft_any *out) {
  const weft_tensor *x = c->in[VALUES];
  const int64_t key = r->key[r->order[*i]];
  *out = weft__any_at(x, r->order[*i]);
  while (++*i < r->s.n && r->key[r->order[*i]] == key) {
    const weft_any v = weft__any_at(x, r->order[*i]);
    WEFT_TRY(weft__poll_at(c, *i));
    if (reduce_how(c) == SUM)
      *out = weft__any_add(x->dtype, *out, v);
    else if (weft__any_less(x->dtype, *out, v) || isnan(v.z[0]))
      *out = v;
  }
  return WEFT_OK;
}

static weft_status reduce_ref(const weft_call *c) {
  weft_tensor *y = c->out[0];
  reduction r;
  if (!y)
    return WEFT_OK;
  WEFT_TRY(reduce_begin(c, &r));
  memset(y->data, 0, y->bytes);
  for (size_t i = 0; i < r.s.n;) {
    const size_t place = (size_t)r.key[r.order[i]];
    weft_any v;
    WEFT_TRY(weft__poll_at(c, i));
    WEFT_TRY(reduce_group(c, &r, &i, &v));
    weft__any_put(y, place, v);
  }
  return WEFT_OK;
}

// ---- a sparse result ----
static weft_status reduce_sparse_infer(weft_infer *it) {
  int64_t axes[WEFT_MAX_RANK];
  int64_t n_axes;
  bool known;
  weft_dim n;
  weft_dim rank;
  uint32_t stays = 0;
  WEFT_TRY(weft__sparse_infer(it, INDICES, VALUES, SHAPE, &n, &rank));
  WEFT_TRY(weft__expect_rank(it, AXES, 0, 1));
  if (weft_node_bool(it->desc, KEEP_DIMS))
    return weft__sparse_infer_found(it, 0, 1, 2, rank);
  WEFT_TRY(weft__in_ints(it, AXES, axes, WEFT_MAX_RANK, &n_axes, &known));
  for (int64_t i = 0; known && i < n_axes; i++)
    known = weft__is_literal(axes[i]);
  if (!known || rank < 0)
    return weft__sparse_infer_found(it, 0, 1, 2, -1);
  if (rank > WEFT_MAX_RANK)
    return weft_fail(it->d, WEFT_E_LIMIT, "input 'x_shape' has %lld sizes, at most %d", (long long)rank,
                     WEFT_MAX_RANK);
  WEFT_TRY(reduce_stays(it->d, axes, (size_t)n_axes, (size_t)rank, &stays));
  weft_dim left = 0;
  for (; stays; stays &= stays - 1)
    left++;
  return weft__sparse_infer_found(it, 0, 1, 2, left);
}

static weft_status reduce_sparse_range(weft_infer *it) {
  WEFT_TRY(weft__found_range(it));
  weft__found_at_most(it, 0, 0, 1U << INDICES);
  weft__found_at_most(it, 1, 0, 1U << INDICES);
  return WEFT_OK;
}

static weft_status reduce_sparse_execute(const weft_call *c) {
  const bool keep = weft_node_bool(c->desc, KEEP_DIMS);
  int64_t dim[WEFT_MAX_RANK];
  size_t rank = 0;
  size_t n = 0;
  reduction r;
  void *space;
  WEFT_TRY(reduce_begin(c, &r));
  for (size_t k = 0; k < r.s.rank; k++) {
    const bool stay = r.stays >> k & 1;
    if (stay || keep)
      dim[rank++] = stay ? r.s.dim[k] : 1;
  }
  WEFT_TRY(weft__scratch(c, r.s.n, &space));
  int64_t *place = space;
  for (size_t i = 0; i < r.s.n; i++) {
    if (!i || r.key[r.order[i]] != r.key[r.order[i - 1]])
      place[n++] = r.key[r.order[i]];
  }
  WEFT_TRY(weft__found_indices(c, 0, place, n, dim, rank));
  WEFT_TRY(weft__found(c, 1, c->in[VALUES]->dtype, (int64_t[]){(int64_t)n}, 1));
  for (size_t i = 0, k = 0; c->out[1] && i < r.s.n; k++) {
    weft_any v;
    WEFT_TRY(reduce_group(c, &r, &i, &v));
    weft__any_put(c->out[1], k, v);
  }
  return weft__found_ints(c, 2, WEFT_INT64, dim, rank);
}

// ---- SparseSoftmax ----
static weft_status softmax_infer(weft_infer *it) {
  weft_dim n;
  weft_dim rank;
  WEFT_TRY(weft__sparse_infer(it, INDICES, VALUES, SHAPE, &n, &rank));
  if (rank >= 0 && rank < 2)
    return weft_fail(it->d, WEFT_E_SHAPE, "input 'shape': expected 2 sizes or more, got %lld",
                     (long long)rank);
  return weft_set_out_shape(it, 0, &n, 1);
}

// Elements order[from..to) are the row.
static void softmax_row(const weft_call *c, const reduction *r, size_t from, size_t to) {
  const weft_tensor *x = c->in[VALUES];
  double most = -INFINITY;
  double sum = 0;
  for (size_t i = from; i < to; i++) {
    const double v = weft_load_f64(x->dtype, x->data, r->order[i]);
    most = v > most || isnan(v) ? v : most;
  }
  for (size_t i = from; i < to; i++)
    sum += exp(weft_load_f64(x->dtype, x->data, r->order[i]) - most);
  for (size_t i = from; i < to; i++) {
    const double v = exp(weft_load_f64(x->dtype, x->data, r->order[i]) - most) / sum;
    weft_store_f64(x->dtype, c->out[0]->data, r->order[i], v);
  }
}

static weft_status softmax_ref(const weft_call *c) {
  reduction r;
  size_t from = 0;
  if (!c->out[0])
    return WEFT_OK;
  WEFT_TRY(weft__sparse_read(c, INDICES, SHAPE, &r.s));
  const uint32_t rows = (UINT32_C(1) << (r.s.rank - 1)) - 1;
  WEFT_TRY(weft__sparse_places(c, &r.s, rows, &r.key));
  WEFT_TRY(weft__sparse_order(c, r.key, r.s.n, &r.order));
  for (size_t i = 1; i <= r.s.n; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    if (i < r.s.n && r.key[r.order[i]] == r.key[r.order[from]])
      continue;
    softmax_row(c, &r, from, i);
    from = i;
  }
  return WEFT_OK;
}

static const int reduce_max = MAX;
static const int reduce_sum = SUM;
#define DENSE(op_name, says, how, ...)                                             \
  {                                                                                \
    .name = op_name, .summary = says, .traits = WEFT_SYMBOLIC,                     \
    .infer = reduce_infer, .ref = reduce_ref, .values = "x_shape,reduction_axes",  \
    .user = &(how), .examples = WEFT_EXAMPLES(__VA_ARGS__)                         \
  }
#define SPARSE(op_name, says, how, ...)                                                     \
  {                                                                                         \
    .name = op_name, .summary = says, .traits = WEFT_SYMBOLIC | WEFT_DATA_DEPENDENT,        \
    .infer = reduce_sparse_infer, .infer_range = reduce_sparse_range,                       \
    .execute = reduce_sparse_execute, .values = "reduction_axes", .user = &(how),           \
    .examples = WEFT_EXAMPLES(__VA_ARGS__)                                                  \
  }

WEFT_ROWS(sparse_reductions) = {
    DENSE("SparseReduceMax", "the largest elements along axes, as a dense tensor", reduce_max,
          "i64[3,2]{0,0,1,2,1,0}, f32[3]{-1,5,7}, i64[2]{3,3}, i32[1]{1} -> f32[3]{-1,7,0}",
          "i64[3,2]{0,0,1,2,1,0}, i32[3]{-1,5,7}, i64[2]{2,3}, i32[1]{0} keep_dims=true -> i32[1,3]{7,0,5}",
          "i64[2,1]{0,2}, u8[2]{200,100}, i64[1]{3}, i32[0] -> u8[]{200}",
          "i64[2,2], f32[2], i64[2], i32[1]{0} -> f32[-1]",
          "i64[1,2]{0,3}, f32[1]{1}, i64[2]{3,3}, i32[1]{1} !! E_RANGE 3 is outside [0, 3)",
          "i64[1,2]{0,0}, f32[1]{1}, i64[2]{3,3}, i32[1]{2} !! E_RANGE 2 is outside [-2, 1]"),
    DENSE("SparseReduceSum", "sums along axes, as a dense tensor", reduce_sum,
          "i64[3,2]{0,0,1,2,1,0}, f32[3]{-1,5,7}, i64[2]{3,3}, i32[1]{1} -> f32[3]{-1,12,0}",
          "i64[2,1]{0,2}, c64[2]{(1,2),(3,4)}, i64[1]{3}, i32[1]{-1} keep_dims=true -> c64[1]{(4,6)}",
          "i64[0,1], i32[0], i64[1]{3}, i32[0] -> i32[]{0}",
          "i64[1,1]{0}, f32[1]{1}, i64[1]{-3}, i32[1]{0} !! E_RANGE the size is -3"),
    SPARSE("SparseReduceMaxSparse", "the largest elements along axes, as a sparse tensor", reduce_max,
           "i64[3,2]{0,0,1,2,1,0}, f32[3]{-1,5,7}, i64[2]{3,3}, i32[1]{1} -> i64[2,1]{0,1}, f32[2]{-1,7}, "
           "i64[1]{3}",
           "i64[3,2]{0,0,1,2,1,0}, i8[3]{-1,5,7}, i64[2]{3,3}, i32[1]{-1} keep_dims=true -> "
           "i64[2,2]{0,0,1,0}, i8[2]{-1,7}, i64[2]{3,1}",
           "i64[-1,2], f32[-1], i64[2], i32[1]{0} -> i64[-1,1], f32[-1], i64[1]",
           "i64[1,2]{0,3}, f32[1]{1}, i64[2]{3,3}, i32[1]{1} -> _, _, _ !! E_RANGE 3 is outside [0, 3)"),
    SPARSE("SparseReduceSumSparse", "sums along axes, as a sparse tensor", reduce_sum,
           "i64[3,2]{0,0,1,2,1,0}, f32[3]{-1,5,7}, i64[2]{3,3}, i32[1]{1} -> i64[2,1]{0,1}, f32[2]{-1,12}, "
           "i64[1]{3}",
           "i64[2,1]{0,1}, i32[2]{1,2}, i64[1]{3}, i32[0] -> i64[1,0], i32[1]{3}, i64[0]",
           "i64[1,1]{0}, f32[2]{1,2}, i64[1]{3}, i32[1]{0} -> _, _, _ !! E_SHAPE rows of indices and values"),
    {"SparseSoftmax", "softmax over the elements of each row",
     WEFT_SYMBOLIC, .infer = softmax_infer, .ref = softmax_ref,
     .examples = WEFT_EXAMPLES(
         "i64[3,2]{0,0,1,2,0,1}, f32[3]{1,5,1}, i64[2]{3,3} -> f32[3]{0.5,1,0.5}",
         "i64[0,2], f64[0], i64[2]{3,3} -> f64[0]", "i64[N,2], f32[N], i64[2] -> f32[N]",
         "i64[1,2]{0,3}, f32[1]{1}, i64[2]{3,3} !! E_RANGE 3 is outside [0, 3)",
         "i64[1,1], f32[1], i64[1] !! E_SHAPE 2 sizes or more")},
    {0},
};
// SPDX-License-Identifier: Apache-2.0
