// ops/data/accidental_hits.c - where samples are among the true classes.   AscendIR ComputeAccidentalHits, as
// TensorFlow computes it: for each true class that was sampled its row, the place of the sample (the last one
// of equal ones), and the lowest number of float32 as the weight.
#include "air_slots.h"
#include "op/air_rows.h"
#include "sparse.h"

enum { TRUE_CLASSES, SAMPLED };

static weft_status hits_infer(weft_infer *it) {
  const int64_t wide = weft_node_int(it->desc, WEFT_SLOT_COMPUTE_ACCIDENTAL_HITS_NUM_TRUE);
  weft_dim same;
  WEFT_TRY(weft__expect_rank(it, TRUE_CLASSES, 2, 2));
  WEFT_TRY(weft__expect_rank(it, SAMPLED, 1, 1));
  if (wide < 0)
    return weft_fail(it->d, WEFT_E_RANGE, "attribute 'num_true' is %lld", (long long)wide);
  if (!weft_shape_is_unknown_rank(it->in[TRUE_CLASSES]))
    WEFT_TRY(weft__merge_dim(it, wide, it->in[TRUE_CLASSES]->dim[1],
                             "attribute 'num_true' and the true "
                             "classes",
                             &same));
  for (uint32_t i = 0; i < 3; i++)
    WEFT_TRY(weft__unknown_dims(it, i, 1));
  return WEFT_OK;
}

// The last place of a class in the sorted samples; n where it is not among them.
static size_t hits_find(const uint64_t *sampled, const size_t *order, size_t n, uint64_t wanted) {
  size_t low = 0;
  size_t high = n;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const bool above = sampled[order[middle]] > wanted;
    high = above ? middle : high;
    low = above ? low : middle + 1;
  }
  return low && sampled[order[low - 1]] == wanted ? order[low - 1] : n;
}

static weft_status hits_execute(const weft_call *c) {
  const size_t n = weft__elems(&c->in[SAMPLED]->layout.origin);
  const size_t all = weft__elems(&c->in[TRUE_CLASSES]->layout.origin);
  const size_t wide = (size_t)c->in[TRUE_CLASSES]->layout.origin.dim[1];
  uint64_t *sampled;
  uint64_t *classes;
  size_t *order;
  void *space[2];
  size_t hits = 0;
  WEFT_TRY(weft__load_u64s(c, c->in[SAMPLED], &sampled));
  WEFT_TRY(weft__load_u64s(c, c->in[TRUE_CLASSES], &classes));
  WEFT_TRY(weft__sparse_order(c, (const int64_t *)sampled, n, &order));
  for (int i = 0; i < 2; i++)
    WEFT_TRY(weft__scratch(c, all, &space[i]));
  int64_t *row = space[0];
  int64_t *place = space[1];
  for (size_t i = 0; i < all; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    const size_t at = hits_find(sampled, order, n, classes[i]);
    if (at == n)
      continue;
    row[hits] = (int64_t)(i / wide);
    place[hits++] = (int64_t)at;
  }
  if (all && (all - 1) / wide > INT32_MAX)
    return weft_fail(c->d, WEFT_E_OVERFLOW, "%zu rows do not fit int32", all / wide);
  WEFT_TRY(weft__found_ints(c, 0, WEFT_INT32, row, hits));
  WEFT_TRY(weft__found_ints(c, 1, WEFT_INT64, place, hits));
  WEFT_TRY(weft__found(c, 2, WEFT_FLOAT, (int64_t[]){(int64_t)hits}, 1));
  for (size_t i = 0; c->out[2] && i < hits; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    weft_store_f64(WEFT_FLOAT, c->out[2]->data, i, -3.4028234663852886e38);
  }
  return WEFT_OK;
}

WEFT_ROWS(accidental_hits) = {
    {"ComputeAccidentalHits", "where samples are among the true classes",
     WEFT_SYMBOLIC | WEFT_DATA_DEPENDENT, .infer = hits_infer, .infer_range = weft__found_range,
     .execute = hits_execute,
     .examples = WEFT_EXAMPLES(
         "i64[2,2]{1,2,3,0}, i64[4]{3,2,7,1} num_true=2 -> i32[3]{0,0,1}, i64[3]{3,1,0}, "
         "f32[3]{-3.4028234663852886e38,-3.4028234663852886e38,-3.4028234663852886e38}",
         "i64[1,1]{5}, i64[2]{5,5} num_true=1 -> i32[1]{0}, i64[1]{1}, f32[1]{-3.4028234663852886e38}",
         "i64[N,1], i64[-1] num_true=1 -> i32[-1], i64[-1], f32[-1]",
         "i64[2,2], i64[3] num_true=1 -> _, _, _ !! E_SHAPE 1 and 2 differ")},
    {0},
};
// SPDX-License-Identifier: Apache-2.0
