// ops/sparse/edit_distance.c - how many insertions, deletions and replacements lie between sequences.
// AscendIR EditDistance, as TensorFlow computes it: sequences run along the last axis of two sparse tensors,
// in the order in which their elements stand there; the result has the other axes, each as long as the longer
// of the two. Normalised, it is divided by the length of the truth; nothing against nothing is 0, something
// against nothing infinite.
#include "air_slots.h"
#include "op/air_rows.h"
#include "sparse.h"

enum { HYPOTHESIS = 0, TRUTH = 3 };

static weft_status edit_infer(weft_infer *it) {
  int64_t sizes[2][WEFT_MAX_RANK];
  int64_t n[2];
  bool known[2];
  weft_dim rank[2];
  weft_dim count;
  for (int i = 0; i < 2; i++) {
    const uint32_t in = i ? TRUTH : HYPOTHESIS;
    WEFT_TRY(weft__sparse_infer(it, in, in + 1, in + 2, &count, &rank[i]));
    if (rank[i] == 0 || rank[i] > WEFT_MAX_RANK)
      return weft_fail(it->d, WEFT_E_SHAPE, "input '%s': expected 1 to %d sizes, got %lld",
                       weft__in_name(it->desc, in + 2), WEFT_MAX_RANK, (long long)rank[i]);
    WEFT_TRY(weft__in_ints(it, in + 2, sizes[i], WEFT_MAX_RANK, &n[i], &known[i]));
  }
  WEFT_TRY(weft__expect_dtype(it, TRUTH + 1, HYPOTHESIS + 1));
  WEFT_TRY(weft__merge_dim(it, rank[0], rank[1], "the ranks of hypothesis and truth", &rank[0]));
  if (rank[0] < 0)
    return weft__unknown_rank(it, 0);
  WEFT_TRY(weft__unknown_dims(it, 0, (size_t)rank[0] - 1));
  for (size_t k = 0; known[0] && known[1] && k + 1 < (size_t)rank[0]; k++) {
    for (int i = 0; i < 2; i++) {
      if (weft__is_literal(sizes[i][k]) && sizes[i][k] < 0)
        return weft_fail(it->d, WEFT_E_RANGE, "size %zu of a shape is %lld", k, (long long)sizes[i][k]);
    }
    it->out[0]->dim[k] = weft_dim_max(it->symbols, weft__elem_dim(sizes[0][k]), weft__elem_dim(sizes[1][k]));
  }
  return WEFT_OK;
}

typedef struct sequences {
  weft_sparse s;
  const weft_tensor *values;
  int64_t *group;   // of each element, in the result
  size_t *order;    // by group
  size_t at;        // the next element in that order
  size_t from, to;  // the sequence at hand
} sequences;

static weft_status edit_read(const weft_call *c, uint32_t in, const weft_shape *y, sequences *q) {
  void *space;
  size_t work = 0;
  WEFT_TRY(weft__sparse_read(c, in, in + 2, &q->s));
  q->values = c->in[in + 1];
  q->at = 0;
  WEFT_TRY(weft__scratch(c, q->s.n, &space));
  q->group = space;
  for (size_t i = 0; i < q->s.n; i++) {
    int64_t at = 0;
    WEFT_TRY(weft__poll_work(c, &work, 1 + y->rank));
    for (size_t k = 0; k < y->rank; k++)
      at = at * y->dim[k] + q->s.index[i * q->s.rank + k];
    q->group[i] = at;
  }
  return weft__sparse_order(c, q->group, q->s.n, &q->order);
}

static weft_status edit_take(const weft_call *c, sequences *q, int64_t group) {
  q->from = q->at;
  for (; q->at < q->s.n && q->group[q->order[q->at]] == group; q->at++)
    WEFT_TRY(weft__poll_at(c, q->at));
  q->to = q->at;
  return WEFT_OK;
}

static bool edit_same(const sequences *a, size_t i, const sequences *b, size_t j) {
  const weft_any x = weft__any_at(a->values, a->order[i]);
  const weft_any y = weft__any_at(b->values, b->order[j]);
  return x.z[0] == y.z[0] && x.z[1] == y.z[1] && x.whole == y.whole;
}

// One row of the table of distances after the other; row: truth's length + 1.
static weft_status edit_distance(const weft_call *c, const sequences *a, const sequences *b, size_t *row,
                                 size_t *out) {
  const size_t n = b->to - b->from;
  size_t work = 0;
  for (size_t j = 0; j <= n; j++)
    row[j] = j;
  for (size_t i = a->from; i < a->to; i++) {
    size_t diagonal = row[0]++;
    WEFT_TRY(weft__poll_work(c, &work, 1 + n));
    for (size_t j = 1; j <= n; j++) {
      const size_t replaced = diagonal + !edit_same(a, i, b, b->from + j - 1);
      const size_t moved = 1 + WEFT_MIN(row[j], row[j - 1]);
      diagonal = row[j];
      row[j] = WEFT_MIN(replaced, moved);
    }
  }
  *out = row[n];
  return WEFT_OK;
}

static weft_status edit_ref(const weft_call *c) {
  const bool normalised = weft_node_bool(c->desc, WEFT_SLOT_EDIT_DISTANCE_NORMALIZE);
  weft_tensor *y = c->out[0];
  sequences a;
  sequences b;
  void *row;
  size_t distance;
  if (!y)
    return WEFT_OK;
  WEFT_TRY(edit_read(c, HYPOTHESIS, &y->layout.origin, &a));
  WEFT_TRY(edit_read(c, TRUTH, &y->layout.origin, &b));
  WEFT_TRY(weft__scratch(c, b.s.n + 1, &row));
  for (size_t i = 0; i < weft__elems(&y->layout.origin); i++) {
    WEFT_TRY(weft__poll_at(c, i));
    WEFT_TRY(edit_take(c, &a, (int64_t)i));
    WEFT_TRY(edit_take(c, &b, (int64_t)i));
    WEFT_TRY(edit_distance(c, &a, &b, row, &distance));
    const double length = (double)(b.to - b.from);
    const double v = normalised && distance ? (double)distance / length : (double)distance;
    weft_store_f64(y->dtype, y->data, i, v);
  }
  return WEFT_OK;
}

WEFT_ROWS(edit_distance) = {
    {"EditDistance", "how many edits lie between sequences",
     WEFT_SYMBOLIC, .infer = edit_infer, .ref = edit_ref, .values = "hypothesis_shape,truth_shape",
     .examples = WEFT_EXAMPLES(
         "i64[3,2]{0,0,0,1,1,0}, i64[3]{1,2,3}, i64[2]{2,2}, i64[4,2]{0,0,0,1,1,0,1,1}, i64[4]{1,3,3,4}, "
         "i64[2]{2,2} -> f32[2]{0.5,0.5}",
         "i64[2,1]{0,1}, f32[2]{1,2}, i64[1]{2}, i64[0,1], f32[0], i64[1]{3} -> f32[]{inf}",
         "i64[2,1]{0,1}, f32[2]{1,2}, i64[1]{2}, i64[1,1]{0}, f32[1]{2}, i64[1]{3} normalize=false -> "
         "f32[]{1}",
         "i64[-1,2], i64[-1], i64[2], i64[-1,2], i64[-1], i64[2] -> f32[-1]",
         "i64[1,2]{0,2}, i64[1]{1}, i64[2]{1,2}, i64[0,2], i64[0], i64[2]{1,1} !! E_RANGE 2 is outside "
         "[0, 2)",
         "i64[1,1], i64[1], i64[1], i64[1,2], i64[1], i64[2] !! E_SHAPE 1 and 2 differ")},
    {0},
};
// SPDX-License-Identifier: Apache-2.0
