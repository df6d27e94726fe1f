// ops/sparse/merge.c - two sparse tensors of one shape, element by element.   AscendIR SparseSparseMinimum,
// SparseSparseMaximum, SparseAdd, SparseAddGrad, as TensorFlow computes them. The result has the elements of
// both in row-major order; where one of them has none, it counts as 0. SparseAdd leaves out sums whose
// absolute value is below the threshold.
#include "op/air_rows.h"
#include "sparse.h"

enum { A_INDICES, A_VALUES, A_SHAPE, B_INDICES, B_VALUES, B_SHAPE, THRESH };
enum { MINIMUM, MAXIMUM, SUM };

typedef struct merge {
  weft_sparse a, b;
  const size_t *order_a, *order_b;
  int64_t *place;        // of the result
  size_t *from[2], n;    // which elements of a and b it is made of; SIZE_MAX: of none
} merge;

// Both in one row: places ascend, an element of a and one of b at the same place become one.
static weft_status merge_places(const weft_call *c, merge *m) {
  void *space[3];
  size_t i = 0;
  size_t j = 0;
  for (int k = 0; k < 3; k++)
    WEFT_TRY(weft__scratch(c, m->a.n + m->b.n, &space[k]));
  m->place = space[0];
  m->from[0] = space[1];
  m->from[1] = space[2];
  for (m->n = 0; i < m->a.n || j < m->b.n; m->n++) {
    WEFT_TRY(weft__poll_at(c, m->n));
    const int64_t p = i < m->a.n ? m->a.place[m->order_a[i]] : INT64_MAX;
    const int64_t q = j < m->b.n ? m->b.place[m->order_b[j]] : INT64_MAX;
    m->place[m->n] = WEFT_MIN(p, q);
    m->from[0][m->n] = p <= q ? m->order_a[i++] : SIZE_MAX;
    m->from[1][m->n] = q <= p ? m->order_b[j++] : SIZE_MAX;
  }
  return WEFT_OK;
}

static weft_status merge_begin(const weft_call *c, merge *m) {
  size_t *order;
  WEFT_TRY(weft__sparse_read(c, A_INDICES, A_SHAPE, &m->a));
  WEFT_TRY(weft__sparse_read(c, B_INDICES, B_SHAPE, &m->b));
  for (size_t k = 0; k < m->a.rank; k++) {
    if (m->a.dim[k] != m->b.dim[k])
      return weft_fail(c->d, WEFT_E_SHAPE, "axis %zu has %lld elements in 'x1_shape' and %lld in 'x2_shape'",
                       k, (long long)m->a.dim[k], (long long)m->b.dim[k]);
  }
  WEFT_TRY(weft__sparse_order(c, m->a.place, m->a.n, &order));
  m->order_a = order;
  WEFT_TRY(weft__sparse_order(c, m->b.place, m->b.n, &order));
  m->order_b = order;
  return merge_places(c, m);
}

static weft_any merge_value(const weft_call *c, const merge *m, size_t i) {
  const weft_any none = {{0, 0}, 0};
  const weft_dtype t = c->in[A_VALUES]->dtype;
  const int how = *(const int *)c->desc->op->user;
  const bool in_a = m->from[0][i] != SIZE_MAX;
  const bool in_b = m->from[1][i] != SIZE_MAX;
  const weft_any a = in_a ? weft__any_at(c->in[A_VALUES], m->from[0][i]) : none;
  const weft_any b = in_b ? weft__any_at(c->in[B_VALUES], m->from[1][i]) : none;
  if (how == SUM)
    return weft__any_add(t, a, b);
  if (isnan(a.z[0]))
    return a;
  const bool b_wins = how == MAXIMUM ? weft__any_less(t, a, b) : weft__any_less(t, b, a);
  return b_wins || isnan(b.z[0]) ? b : a;
}

// What the threshold leaves out goes.
static weft_status merge_filter(const weft_call *c, merge *m) {
  const weft_tensor *t = c->in[THRESH];
  const double least = weft_load_f64(t->dtype, t->data, 0);
  size_t kept = 0;
  for (size_t i = 0; i < m->n; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    if (weft__any_size(c->in[A_VALUES]->dtype, merge_value(c, m, i)) < least)
      continue;
    m->place[kept] = m->place[i];
    m->from[0][kept] = m->from[0][i];
    m->from[1][kept++] = m->from[1][i];
  }
  m->n = kept;
  return WEFT_OK;
}

static weft_status merge_execute(const weft_call *c) {
  merge m;
  WEFT_TRY(merge_begin(c, &m));
  if (c->n_in > THRESH)
    WEFT_TRY(merge_filter(c, &m));
  WEFT_TRY(weft__found_indices(c, 0, m.place, m.n, m.a.dim, m.a.rank));
  WEFT_TRY(weft__found(c, 1, c->in[A_VALUES]->dtype, (int64_t[]){(int64_t)m.n}, 1));
  for (size_t i = 0; c->out[1] && i < m.n; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    weft__any_put(c->out[1], i, merge_value(c, &m, i));
  }
  return c->n_out > 2 ? weft__found_ints(c, 2, WEFT_INT64, m.a.dim, m.a.rank) : WEFT_OK;
}

static weft_status merge_infer(weft_infer *it) {
  weft_dim n;
  weft_dim a;
  weft_dim b;
  WEFT_TRY(weft__sparse_infer(it, A_INDICES, A_VALUES, A_SHAPE, &n, &a));
  WEFT_TRY(weft__sparse_infer(it, B_INDICES, B_VALUES, B_SHAPE, &n, &b));
  WEFT_TRY(weft__merge_dim(it, a, b, "the ranks of 'x1' and 'x2'", &a));
  WEFT_TRY(weft__expect_dtype(it, B_VALUES, A_VALUES));
  if (it->n_in > THRESH)
    WEFT_TRY(weft__expect_rank(it, THRESH, 0, 0));
  return weft__sparse_infer_found(it, 0, 1, it->n_out > 2 ? 2 : WEFT_SPARSE_NONE, a);
}

static weft_status merge_range(weft_infer *it) {
  WEFT_TRY(weft__found_range(it));
  weft__found_at_most(it, 0, 0, 1U << A_INDICES | 1U << B_INDICES);
  weft__found_at_most(it, 1, 0, 1U << A_INDICES | 1U << B_INDICES);
  return WEFT_OK;
}

// ---- SparseAddGrad: where each element of x1 and of x2 stands in the sum ----
enum { GRAD_VALUES, GRAD_A, GRAD_B, GRAD_SUM };

static weft_status add_grad_infer(weft_infer *it) {
  weft_dim n[2];
  weft_dim of_sum;
  weft_dim rank = -1;
  weft_dim sum_rank;
  WEFT_TRY(weft__sparse_infer(it, GRAD_SUM, WEFT_SPARSE_NONE, WEFT_SPARSE_NONE, &of_sum, &sum_rank));
  WEFT_TRY(weft__expect_rank(it, GRAD_VALUES, 1, 1));
  if (!weft_shape_is_unknown_rank(it->in[GRAD_VALUES]))
    WEFT_TRY(weft__merge_dim(it, of_sum, it->in[GRAD_VALUES]->dim[0],
                             "rows of 'sum_indices' and its gradient", &of_sum));
  for (uint32_t i = 0; i < 2; i++) {
    WEFT_TRY(weft__sparse_infer(it, GRAD_A + i, WEFT_SPARSE_NONE, WEFT_SPARSE_NONE, &n[i], &rank));
    WEFT_TRY(weft__merge_dim(it, rank, sum_rank, "the ranks of the indices", &sum_rank));
    WEFT_TRY(weft_set_out_shape(it, i, &n[i], 1));
  }
  return WEFT_OK;
}

static int add_grad_compare(const uint64_t *a, const uint64_t *b, size_t rank) {
  for (size_t k = 0; k < rank; k++) {
    if (a[k] != b[k])
      return (int64_t)a[k] < (int64_t)b[k] ? -1 : 1;
  }
  return 0;
}

// Both lists are in row-major order, as SparseAdd leaves them; an element that the sum has not is 0.
static weft_status add_grad_side(const weft_call *c, uint32_t side, const uint64_t *sum, size_t n_sum) {
  const weft_tensor *t = c->in[GRAD_A + side];
  const size_t rank = (size_t)t->layout.origin.dim[1];
  uint64_t *index;
  size_t k = 0;
  size_t work = 0;
  if (!c->out[side])
    return WEFT_OK;
  WEFT_TRY(weft__load_u64s(c, t, &index));
  memset(c->out[side]->data, 0, c->out[side]->bytes);
  for (size_t i = 0; i < (size_t)t->layout.origin.dim[0]; i++) {
    WEFT_TRY(weft__poll_work(c, &work, 1 + rank));
    while (k < n_sum && add_grad_compare(sum + k * rank, index + i * rank, rank) < 0) {
      WEFT_TRY(weft__poll_work(c, &work, 1 + rank));
      k++;
    }
    if (k < n_sum && !add_grad_compare(sum + k * rank, index + i * rank, rank))
      weft__copy_elem(c->out[side]->dtype, c->out[side]->data, i, c->in[GRAD_VALUES]->data, k);
  }
  return WEFT_OK;
}

static weft_status add_grad_ref(const weft_call *c) {
  uint64_t *sum;
  const size_t n = (size_t)c->in[GRAD_SUM]->layout.origin.dim[0];
  WEFT_TRY(weft__load_u64s(c, c->in[GRAD_SUM], &sum));
  WEFT_TRY(add_grad_side(c, 0, sum, n));
  return add_grad_side(c, 1, sum, n);
}

static const int merge_minimum = MINIMUM;
static const int merge_maximum = MAXIMUM;
static const int merge_sum = SUM;
#define MERGE(op_name, says, how, ...)                                                             \
  {                                                                                                \
    .name = op_name, .summary = says, .traits = WEFT_SYMBOLIC | WEFT_DATA_DEPENDENT,               \
    .infer = merge_infer, .infer_range = merge_range, .execute = merge_execute, .user = &(how),    \
    .examples = WEFT_EXAMPLES(__VA_ARGS__)                                                         \
  }

WEFT_ROWS(sparse_merges) = {
    MERGE("SparseSparseMinimum", "the lesser of two sparse tensors' elements", merge_minimum,
          "i64[2,1]{0,2}, f32[2]{1,5}, i64[1]{4}, i64[2,1]{2,3}, f32[2]{4,-1}, i64[1]{4} -> i64[3,1]{0,2,3}, "
          "f32[3]{0,4,-1}",
          "i64[-1,2], f32[-1], i64[2], i64[3,2], f32[3], i64[2] -> i64[-1,2], f32[-1]",
          "i64[1,1]{0}, f32[1]{1}, i64[1]{4}, i64[1,1]{0}, f32[1]{1}, i64[1]{5} -> _, _ !! E_SHAPE "
          "4 elements"),
    MERGE("SparseSparseMaximum", "the greater of two sparse tensors' elements", merge_maximum,
          "i64[2,1]{0,2}, f32[2]{-1,5}, i64[1]{4}, i64[2,1]{2,3}, f32[2]{nan,-1}, i64[1]{4} -> "
          "i64[3,1]{0,2,3}, f32[3]{0,nan,0}",
          "i64[0,2], i32[0], i64[2]{3,4}, i64[1,2]{1,1}, i32[1]{-2}, i64[2]{3,4} -> i64[1,2]{1,1}, i32[1]{0}",
          "i64[1,1]{4}, f32[1]{1}, i64[1]{4}, i64[1,1]{0}, f32[1]{1}, i64[1]{4} -> _, _ !! E_RANGE "
          "4 is outside"),
    MERGE("SparseAdd", "the sum of two sparse tensors", merge_sum,
          "i64[2,1]{0,2}, f32[2]{1,5}, i64[1]{4}, i64[2,1]{2,3}, f32[2]{-5,0.5}, i64[1]{4}, f32[]{0.5} -> "
          "i64[2,1]{0,3}, f32[2]{1,0.5}, i64[1]{4}",
          "i64[1,1]{0}, i32[1]{-3}, i64[1]{4}, i64[0,1], i32[0], i64[1]{4}, i32[]{0} -> "
          "i64[1,1]{0}, i32[1]{-3}, "
          "i64[1]{4}",
          "i64[1,1], f32[1], i64[1], i64[1,2], f32[1], i64[2], f32[] -> _, _, _ !! E_SHAPE the ranks"),
    {"SparseAddGrad", "a sum's gradient at the elements of its two parts",
     WEFT_SYMBOLIC, .infer = add_grad_infer, .ref = add_grad_ref,
     .examples = WEFT_EXAMPLES(
         "f32[2]{10,20}, i64[2,1]{0,2}, i64[2,1]{2,3}, i64[2,1]{0,3} -> f32[2]{10,0}, f32[2]{0,20}",
         "f32[-1], i64[N,2], i64[3,2], i64[-1,2] -> f32[N], f32[3]",
         "f32[1], i64[2,1], i64[2,1], i64[2,1] -> _, _ !! E_SHAPE 2 and 1 differ")},
    {0},
};
// SPDX-License-Identifier: Apache-2.0
