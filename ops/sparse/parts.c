// ops/sparse/parts.c - sparse tensors put in order, cut and joined.   AscendIR SparseReorder, SparseSlice,
// SparseSliceGrad, SparseSplit, SparseConcat, SparseFillEmptyRows, SparseFillEmptyRowsGrad, as TensorFlow
// computes them. Elements of a part keep their order; a join has them in row-major order.
#include "air_slots.h"
#include "op/air_rows.h"
#include "sparse.h"

enum { INDICES, VALUES, SHAPE };

// ---- SparseReorder: row-major order; elements of one place stay as they stand ----
static weft_status reorder_infer(weft_infer *it) {
  weft_dim n;
  weft_dim rank;
  WEFT_TRY(weft__sparse_infer(it, INDICES, VALUES, SHAPE, &n, &rank));
  WEFT_TRY(weft_set_out_shape(it, 0, (weft_dim[]){n, rank}, 2));
  return weft_set_out_shape(it, 1, &n, 1);
}

static int64_t parts_row(void *ctx, size_t i) {
  return (int64_t)((const size_t *)ctx)[i];
}

static weft_status reorder_ref(const weft_call *c) {
  weft_sparse s;
  size_t *order;
  WEFT_TRY(weft__sparse_read(c, INDICES, SHAPE, &s));
  WEFT_TRY(weft__sparse_order(c, s.place, s.n, &order));
  for (size_t i = 0; c->out[0] && i < s.n; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    for (size_t k = 0; k < s.rank; k++)
      weft_store_i64(WEFT_INT64, c->out[0]->data, i * s.rank + k, s.index[order[i] * s.rank + k]);
  }
  return c->out[1] ? weft__move(c, c->in[VALUES], c->out[1], parts_row, order, NULL) : WEFT_OK;
}

// ---- boxes: SparseSlice and SparseSplit ----
typedef struct box {
  int64_t from[WEFT_MAX_RANK], size[WEFT_MAX_RANK];
} box;

static bool box_holds(const box *b, const int64_t *index, size_t rank) {
  for (size_t k = 0; k < rank; k++) {
    if (index[k] < b->from[k] || index[k] - b->from[k] >= b->size[k])
      return false;
  }
  return true;
}

// What lies in the box: indices, values (of input `of`) and shape to the outputs `out`.
static weft_status box_give(const weft_call *c, const weft_sparse *s, const box *b, uint32_t of,
                            const uint32_t out[3]) {
  const uint32_t indices = out[0];
  void *space;
  size_t n = 0;
  size_t work = 0;
  WEFT_TRY(weft__scratch(c, s->n, &space));
  size_t *pick = space;
  for (size_t i = 0; i < s->n; i++) {
    WEFT_TRY(weft__poll_work(c, &work, 1 + s->rank));
    if (box_holds(b, s->index + i * s->rank, s->rank))
      pick[n++] = i;
  }
  WEFT_TRY(weft__found(c, indices, WEFT_INT64, (int64_t[]){(int64_t)n, (int64_t)s->rank}, 2));
  for (size_t i = 0; c->out[indices] && i < n * s->rank; i++) {
    const size_t k = i % s->rank;
    WEFT_TRY(weft__poll_at(c, i));
    weft_store_i64(WEFT_INT64, c->out[indices]->data, i,
                   s->index[pick[i / s->rank] * s->rank + k] - b->from[k]);
  }
  WEFT_TRY(weft__found_values(c, out[1], c->in[of], pick, n));
  return weft__found_ints(c, out[2], WEFT_INT64, b->size, s->rank);
}

enum { SLICE_START = 3, SLICE_SIZE };

static weft_status slice_infer(weft_infer *it) {
  weft_dim n;
  weft_dim rank;
  WEFT_TRY(weft__sparse_infer(it, INDICES, VALUES, SHAPE, &n, &rank));
  for (uint32_t i = SLICE_START; i <= SLICE_SIZE; i++) {
    WEFT_TRY(weft__expect_rank(it, i, 1, 1));
    if (!weft_shape_is_unknown_rank(it->in[i]))
      WEFT_TRY(weft__merge_dim(it, rank, it->in[i]->dim[0], "sizes of the shape and of the slice", &rank));
  }
  return weft__sparse_infer_found(it, 0, 1, 2, rank);
}

static weft_status slice_range(weft_infer *it) {
  WEFT_TRY(weft__found_range(it));
  weft__found_at_most(it, 0, 0, 1U << INDICES);
  weft__found_at_most(it, 1, 0, 1U << INDICES);
  return WEFT_OK;
}

// The part of the slice that lies within the tensor.
static weft_status slice_execute(const weft_call *c) {
  weft_sparse s;
  box b;
  size_t n;
  WEFT_TRY(weft__sparse_read(c, INDICES, SHAPE, &s));
  WEFT_TRY(weft__read_ints(c, SLICE_START, b.from, WEFT_MAX_RANK, &n));
  WEFT_TRY(weft__read_ints(c, SLICE_SIZE, b.size, WEFT_MAX_RANK, &n));
  for (size_t k = 0; k < s.rank; k++) {
    if (b.from[k] < 0 || b.size[k] < 0)
      return weft_fail(c->d, WEFT_E_RANGE, "axis %zu: a slice from %lld of %lld elements", k,
                       (long long)b.from[k], (long long)b.size[k]);
    const int64_t left = b.from[k] < s.dim[k] ? s.dim[k] - b.from[k] : 0;
    b.size[k] = WEFT_MIN(b.size[k], left);
  }
  return box_give(c, &s, &b, VALUES, (uint32_t[]){0, 1, 2});
}

// ---- SparseSplit: parts along an axis; the first ones have one more where they cannot be equal ----
enum { SPLIT_DIM, SPLIT_INDICES, SPLIT_VALUES, SPLIT_SHAPE };

static weft_status split_infer(weft_infer *it) {
  const uint32_t parts = it->n_out / 3;
  weft_dim n;
  weft_dim rank;
  WEFT_TRY(weft__sparse_infer(it, SPLIT_INDICES, SPLIT_VALUES, SPLIT_SHAPE, &n, &rank));
  WEFT_TRY(weft__expect_rank(it, SPLIT_DIM, 0, 1));
  WEFT_TRY(weft__expect_count(it, WEFT_SLOT_SPARSE_SPLIT_NUM_SPLIT, true, parts, "parts"));
  if (it->n_out != 3 * parts)
    return weft_fail(it->d, WEFT_E_INVALID, "%u outputs are not as many indices as values and shapes",
                     it->n_out);
  for (uint32_t i = 0; i < parts; i++)
    WEFT_TRY(weft__sparse_infer_found(it, i, parts + i, 2 * parts + i, rank));
  return WEFT_OK;
}

static weft_status split_range(weft_infer *it) {
  WEFT_TRY(weft__found_range(it));
  for (uint32_t i = 0; i < it->n_out / 3 * 2; i++)
    weft__found_at_most(it, i, 0, 1U << SPLIT_INDICES);
  return WEFT_OK;
}

static weft_status split_execute(const weft_call *c) {
  const uint32_t parts = c->n_out / 3;
  weft_sparse s;
  int64_t dim[1];
  size_t n;
  size_t axis;
  box b = {.from = {0}};
  WEFT_TRY(weft__sparse_read(c, SPLIT_INDICES, SPLIT_SHAPE, &s));
  WEFT_TRY(weft__read_ints(c, SPLIT_DIM, dim, 1, &n));
  if (n != 1)
    return weft_fail(c->d, WEFT_E_SHAPE, "input 'split_dim': expected one axis, got %zu", n);
  WEFT_TRY(weft__axis_of_input(c->d, c->desc, SPLIT_DIM, dim[0], s.rank, &axis));
  if (parts > s.dim[axis])
    return weft_fail(c->d, WEFT_E_RANGE, "axis %zu has %lld elements, too few for %u parts", axis,
                     (long long)s.dim[axis], parts);
  memcpy(b.size, s.dim, sizeof b.size);
  for (uint32_t i = 0; i < parts; i++) {
    const bool longer = i < s.dim[axis] % parts;
    b.size[axis] = s.dim[axis] / parts + longer;
    WEFT_TRY(box_give(c, &s, &b, SPLIT_VALUES, (uint32_t[]){i, parts + i, 2 * parts + i}));
    b.from[axis] += b.size[axis];
  }
  return WEFT_OK;
}

// ---- SparseSliceGrad: the gradient where an element was in the slice, 0 elsewhere ----
enum { GRAD, GRAD_INDICES, GRAD_START, GRAD_NEW };

static weft_status slice_grad_infer(weft_infer *it) {
  weft_dim n;
  weft_dim rank;
  weft_dim cut;
  weft_dim cut_rank;
  WEFT_TRY(weft__sparse_infer(it, GRAD_INDICES, WEFT_SPARSE_NONE, GRAD_START, &n, &rank));
  WEFT_TRY(weft__sparse_infer(it, GRAD_NEW, GRAD, WEFT_SPARSE_NONE, &cut, &cut_rank));
  WEFT_TRY(weft__merge_dim(it, rank, cut_rank, "the ranks of the indices", &rank));
  return weft_set_out_shape(it, 0, &n, 1);
}

// Both lists have the same order, so that one walk finds the elements of the slice.
static weft_status slice_grad_ref(const weft_call *c) {
  const weft_shape *of = &c->in[GRAD_INDICES]->layout.origin;
  const size_t rank = (size_t)of->dim[1];
  const size_t n_cut = (size_t)c->in[GRAD_NEW]->layout.origin.dim[0];
  weft_tensor *y = c->out[0];
  uint64_t *index;
  uint64_t *start;
  uint64_t *cut;
  size_t at = 0;
  size_t work = 0;
  if (!y)
    return WEFT_OK;
  WEFT_TRY(weft__load_u64s(c, c->in[GRAD_INDICES], &index));
  WEFT_TRY(weft__load_u64s(c, c->in[GRAD_START], &start));
  WEFT_TRY(weft__load_u64s(c, c->in[GRAD_NEW], &cut));
  memset(y->data, 0, y->bytes);
  for (size_t i = 0; at < n_cut && i < (size_t)of->dim[0]; i++) {
    bool same = true;
    WEFT_TRY(weft__poll_work(c, &work, 1 + rank));
    for (size_t k = 0; k < rank; k++)
      same = same && index[i * rank + k] - start[k] == cut[at * rank + k];
    if (same)
      weft__copy_elem(y->dtype, y->data, i, c->in[GRAD]->data, at++);
  }
  if (at == n_cut)
    return WEFT_OK;
  return weft_fail(c->d, WEFT_E_INVALID, "row %zu of 'new_indices' is no element of 'indices' behind 'start'",
                   at);
}

// ---- SparseConcat ----
typedef struct join {
  uint32_t n_parts;
  size_t n, axis;
  weft_sparse all;    // dims of the join
  int64_t *place;     // of its elements, in the order of the parts
  size_t *part, *of;  // which part an element comes from, and which one there it is
  size_t *order;
} join;

static weft_status join_infer(weft_infer *it) {
  const uint32_t parts = it->n_in / 3;
  weft_dim rank = -1;
  WEFT_TRY(weft__expect_together(it, 3));
  for (uint32_t i = 0; i < parts; i++) {
    weft_dim n;
    weft_dim r;
    WEFT_TRY(weft__sparse_infer(it, i, parts + i, 2 * parts + i, &n, &r));
    WEFT_TRY(weft__merge_dim(it, rank, r, "the ranks of the tensors", &rank));
    if (it->in_dtype[parts + i] != it->in_dtype[parts])
      return weft_fail(it->d, WEFT_E_DTYPE, "input 'values', instance %u: %s, the first one is %s", i,
                       weft_dtype_name(it->in_dtype[parts + i]), weft_dtype_name(it->in_dtype[parts]));
  }
  it->out_dtype[1] = it->in_dtype[parts];
  return weft__sparse_infer_found(it, 0, 1, 2, rank);
}

static weft_status join_range(weft_infer *it) {
  WEFT_TRY(weft__found_range(it));
  if (it->n_in / 3 > 31)
    return WEFT_OK;
  weft__found_at_most(it, 0, 0, (1U << it->n_in / 3) - 1);
  weft__found_at_most(it, 1, 0, (1U << it->n_in / 3) - 1);
  return WEFT_OK;
}

// The sizes of the join, and how many elements it has.
static weft_status join_sizes(const weft_call *c, join *j, weft_sparse *s) {
  int64_t sum = 0;
  for (uint32_t i = 0; i < j->n_parts; i++) {
    WEFT_TRY(weft__sparse_read(c, i, 2 * j->n_parts + i, &s[i]));
    if (i == 0)
      WEFT_TRY(weft__axis(c->d, "attribute 'concat_dim'", weft_node_int(c->desc, 0), s[0].rank, &j->axis));
    for (size_t k = 0; k < s[0].rank; k++) {
      if (k != j->axis && s[i].dim[k] != s[0].dim[k])
        return weft_fail(c->d, WEFT_E_SHAPE, "axis %zu: %lld and %lld differ", k, (long long)s[0].dim[k],
                         (long long)s[i].dim[k]);
    }
    if (s[i].dim[j->axis] > INT64_MAX - sum)
      return weft_fail(c->d, WEFT_E_OVERFLOW, "the elements of axis %zu overflow", j->axis);
    sum += s[i].dim[j->axis];
    j->n += s[i].n;
  }
  j->all = s[0];
  j->all.dim[j->axis] = sum;
  j->all.elems = 1;
  for (size_t k = 0; k < s[0].rank; k++) {
    if (!weft__mul_i64(j->all.elems, j->all.dim[k], &j->all.elems))
      return weft_fail(c->d, WEFT_E_OVERFLOW, "the elements of the join overflow");
  }
  return WEFT_OK;
}

static weft_status join_fill(const weft_call *c, join *j, const weft_sparse *s) {
  void *space[3];
  size_t at = 0;
  int64_t from = 0;
  for (int k = 0; k < 3; k++)
    WEFT_TRY(weft__scratch(c, j->n, &space[k]));
  j->place = space[0];
  j->part = space[1];
  j->of = space[2];
  for (uint32_t i = 0; i < j->n_parts; i++) {
    for (size_t e = 0; e < s[i].n; e++, at++) {
      WEFT_TRY(weft__poll_at(c, at));
      j->part[at] = i;
      j->of[at] = e;
      j->place[at] = 0;
      for (size_t k = 0; k < j->all.rank; k++) {
        const int64_t index = s[i].index[e * j->all.rank + k] + (k == j->axis ? from : 0);
        j->place[at] = j->place[at] * j->all.dim[k] + index;
      }
    }
    from += s[i].dim[j->axis];
  }
  return weft__sparse_order(c, j->place, j->n, &j->order);
}

typedef struct join_pick {
  const weft_call *c;
  const join *j;
} join_pick;

static const weft_tensor *join_picked(void *ctx, size_t i, size_t *out_index) {
  const join_pick *p = ctx;
  const size_t at = p->j->order[i];
  *out_index = p->j->of[at];
  return p->c->in[p->j->n_parts + p->j->part[at]];
}

static weft_status join_execute(const weft_call *c) {
  join j = {.n_parts = c->n_in / 3};
  void *space;
  size_t words;
  if (!weft_mul_size(j.n_parts, sizeof(weft_sparse) / 8 + 1, &words))
    return weft_fail(c->d, WEFT_E_OVERFLOW, "%u parts", j.n_parts);
  WEFT_TRY(weft__scratch(c, words, &space));
  WEFT_TRY(join_sizes(c, &j, space));
  WEFT_TRY(join_fill(c, &j, space));
  WEFT_TRY(weft__scratch(c, j.n, &space));
  int64_t *sorted = space;
  for (size_t i = 0; i < j.n; i++)
    sorted[i] = j.place[j.order[i]];
  WEFT_TRY(weft__found_indices(c, 0, sorted, j.n, j.all.dim, j.all.rank));
  WEFT_TRY(weft__found(c, 1, c->in[j.n_parts]->dtype, (int64_t[]){(int64_t)j.n}, 1));
  if (c->out[1])
    WEFT_TRY(weft__pick(c, c->out[1], join_picked, &(join_pick){c, &j}));
  return weft__found_ints(c, 2, WEFT_INT64, j.all.dim, j.all.rank);
}

#define FOUND WEFT_SYMBOLIC | WEFT_DATA_DEPENDENT
WEFT_ROWS(sparse_parts) = {
    {"SparseReorder", "elements in row-major order",
        WEFT_SYMBOLIC, .infer = reorder_infer, .ref = reorder_ref,
     .examples = WEFT_EXAMPLES(
         "i64[3,2]{1,0,0,2,0,1}, f32[3]{1,2,3}, i64[2]{2,3} -> i64[3,2]{0,1,0,2,1,0}, f32[3]{3,2,1}",
         "i64[2,1]{1,0}, str[2]{\"b\",\"a\"}, i64[1]{2} -> i64[2,1]{0,1}, str[2]{\"a\",\"b\"}",
         "i64[N,2], f32[N], i64[2] -> i64[N,2], f32[N]",
         "i64[1,1]{-1}, f32[1]{1}, i64[1]{3} -> _, _ !! E_RANGE -1 is outside [0, 3)")},
    {"SparseSlice", "the elements in a box",
        FOUND, .infer = slice_infer, .infer_range = slice_range, .execute = slice_execute,
     .examples = WEFT_EXAMPLES(
         "i64[3,2]{0,0,0,2,1,1}, f32[3]{1,2,3}, i64[2]{2,3}, i64[2]{0,1}, i64[2]{2,9} -> "
         "i64[2,2]{0,1,1,0}, f32[2]{2,3}, i64[2]{2,2}",
         "i64[1,1]{0}, str[1]{\"a\"}, i64[1]{2}, i64[1]{5}, i64[1]{1} -> i64[0,1], str[0], i64[1]{0}",
         "i64[1,1]{0}, f32[1]{1}, i64[1]{2}, i64[1]{-1}, i64[1]{1} -> _, _, _ !! E_RANGE a slice from -1",
         "i64[1,1], f32[1], i64[1], i64[2], i64[1] -> _, _, _ !! E_SHAPE 1 and 2 differ")},
    {"SparseSliceGrad", "a slice's gradient at the elements of the whole tensor",
        WEFT_SYMBOLIC, .infer = slice_grad_infer, .ref = slice_grad_ref,
     .examples = WEFT_EXAMPLES(
         "f32[2]{5,6}, i64[3,2]{0,0,0,2,1,1}, i64[2]{0,1}, i64[2,2]{0,1,1,0} -> f32[3]{0,5,6}",
         "f32[-1], i64[N,2], i64[2], i64[-1,2] -> f32[N]",
         "f32[1]{5}, i64[1,1]{0}, i64[1]{0}, i64[1,1]{3} !! E_INVALID row 0 of 'new_indices'")},
    {"SparseSplit", "a sparse tensor cut along an axis",
        FOUND, .infer = split_infer, .infer_range = split_range, .execute = split_execute,
     .examples = WEFT_EXAMPLES(
         "i64[]{1}, i64[3,2]{0,0,0,2,1,1}, f32[3]{1,2,3}, i64[2]{2,3} num_split=2 -> [i64[2,2]{0,0,1,1}, "
         "i64[1,2]{0,0}], [f32[2]{1,3}, f32[1]{2}], [i64[2]{2,2}, i64[2]{2,1}]",
         "i64[]{0}, i64[1,1]{0}, f32[1]{1}, i64[1]{1} num_split=2 -> [_, _], [_, _], [_, _] !! "
         "E_RANGE too few",
         "i64[]{1}, i64[1,1]{0}, f32[1]{1}, i64[1]{1} -> [_], [_], [_] !! E_RANGE 1 is outside [-1, 0]")},
    {"SparseConcat", "sparse tensors one behind the other along an axis",
        FOUND, .infer = join_infer, .infer_range = join_range, .execute = join_execute,
     .examples = WEFT_EXAMPLES(
         "[i64[2,2]{0,0,1,1}, i64[1,2]{0,0}], [f32[2]{1,3}, f32[1]{2}], [i64[2]{2,2}, i64[2]{2,1}] "
         "concat_dim=1 N=2 -> i64[3,2]{0,0,0,2,1,1}, f32[3]{1,2,3}, i64[2]{2,3}",
         "[i64[1,1]{0}], [str[1]{\"a\"}], [i64[1]{2}] -> i64[1,1]{0}, str[1]{\"a\"}, i64[1]{2}",
         "[i64[1,1]{0}], [f32[1]{1}], [i64[1]{2}] concat_dim=1 -> _, _, _ !! E_RANGE 1 is outside [-1, 0]",
         "[i64[1,1], i64[1,2]], [f32[1], f32[1]], [i64[1], i64[2]] N=2 -> _, _, _ !! E_SHAPE 1 and "
         "2 differ",
         "[i64[1,1], i64[1,1]], [i64[1]], [i64[1], i64[1], i64[1]] N=2 -> _, _, _ !! E_INVALID input "
         "'indices' has 2 instances, input 'values' has 1")},
    {0},
};
// SPDX-License-Identifier: Apache-2.0
