// ops/data/combinations.c - all choices of r elements, and rows fed several times.   AscendIR Combinations,
// as
// PyTorch computes it, in ascending order of places; FeedsRepeat: row i of feeds repeated as often as
// feeds_repeat_times[i] says, then zeros up to output_feeds_size rows.
#include "air_slots.h"
#include "op/air_rows.h"
#include "sparse.h"

// ---- Combinations ----
// How many choices of r among n there are; false: more than 2^62.
static bool choices(uint64_t n, uint64_t r, uint64_t *out) {
  *out = 1;
  if (r > n) {
    *out = 0;
    return true;
  }
  r = WEFT_MIN(r, n - r);
  for (uint64_t k = 1; k <= r; k++) {
    if (*out > (UINT64_C(1) << 62) / (n - r + k))
      return false;
    *out = *out * (n - r + k) / k;  // exact: products of k neighbours are multiples of k!
  }
  return true;
}

static weft_status combinations_infer(weft_infer *it) {
  const int64_t r = weft_node_int(it->desc, WEFT_SLOT_COMBINATIONS_R);
  const bool again = weft_node_bool(it->desc, WEFT_SLOT_COMBINATIONS_WITH_REPLACEMENT);
  uint64_t n = 0;
  WEFT_TRY(weft__expect_rank(it, 0, 1, 1));
  if (r < 1 || r > INT32_MAX)
    return weft_fail(it->d, WEFT_E_RANGE, "attribute 'r' is %lld, expected 1 or more", (long long)r);
  const weft_dim x = weft_shape_is_unknown_rank(it->in[0]) ? -1 : it->in[0]->dim[0];
  if (x < 0)
    return weft_set_out_shape(it, 0, (weft_dim[]){-1, r}, 2);
  const uint64_t among = again && x ? (uint64_t)x + (uint64_t)r - 1 : (uint64_t)x;
  if (!choices(among, (uint64_t)r, &n))
    return weft_fail(it->d, WEFT_E_OVERFLOW, "there are more than 2^62 choices of %lld of %lld elements",
                     (long long)r, (long long)x);
  return weft_set_out_shape(it, 0, (weft_dim[]){(weft_dim)n, r}, 2);
}

// The next choice after `pick` in ascending order; the last one is followed by anything.
static void combinations_next(size_t *pick, size_t r, size_t n, bool again) {
  size_t at = r;
  while (at && pick[at - 1] == (again ? n - 1 : n - r + at - 1))
    at--;
  if (!at)
    return;
  pick[at - 1]++;
  for (size_t k = at; k < r; k++)
    pick[k] = pick[k - 1] + !again;
}

static int64_t combinations_element(void *ctx, size_t i) {
  return (int64_t)((const size_t *)ctx)[i];
}

static weft_status combinations_ref(const weft_call *c) {
  const bool again = weft_node_bool(c->desc, WEFT_SLOT_COMBINATIONS_WITH_REPLACEMENT);
  const size_t n = weft__elems(&c->in[0]->layout.origin);
  weft_tensor *y = c->out[0];
  void *space;
  size_t work = 0;
  if (!y)
    return WEFT_OK;
  const size_t rows = (size_t)y->layout.origin.dim[0];
  const size_t r = (size_t)y->layout.origin.dim[1];
  WEFT_TRY(weft__scratch(c, weft__elems(&y->layout.origin), &space));
  size_t *pick = space;
  for (size_t k = 0; rows && k < r; k++)
    pick[k] = again ? 0 : k;
  for (size_t row = 1; row < rows; row++) {
    WEFT_TRY(weft__poll_work(c, &work, r));
    memcpy(pick + row * r, pick + (row - 1) * r, r * sizeof *pick);
    combinations_next(pick + row * r, r, n, again);
  }
  return weft__move(c, c->in[0], y, combinations_element, pick, NULL);
}

// ---- FeedsRepeat ----
enum { FEEDS, TIMES };

static weft_status feeds_infer(weft_infer *it) {
  const int64_t rows = weft_node_int(it->desc, WEFT_SLOT_FEEDS_REPEAT_OUTPUT_FEEDS_SIZE);
  weft_dim same;
  WEFT_TRY(weft__expect_rank(it, FEEDS, 1, WEFT_MAX_RANK));
  WEFT_TRY(weft__expect_rank(it, TIMES, 1, 1));
  if (rows < 0)
    return weft_fail(it->d, WEFT_E_RANGE, "attribute 'output_feeds_size' is %lld", (long long)rows);
  if (weft_shape_is_unknown_rank(it->in[FEEDS]))
    return weft__unknown_rank(it, 0);
  if (!weft_shape_is_unknown_rank(it->in[TIMES]))
    WEFT_TRY(weft__merge_dim(it, it->in[FEEDS]->dim[0], it->in[TIMES]->dim[0],
                             "rows and their "
                             "repetitions",
                             &same));
  WEFT_TRY(weft__same(it, 0, FEEDS));
  it->out[0]->dim[0] = rows;
  return WEFT_OK;
}

static int64_t feeds_row(void *ctx, size_t i) {
  return ((const int64_t *)ctx)[i];
}

static weft_status feeds_ref(const weft_call *c) {
  const weft_tensor *t = c->in[TIMES];
  weft_tensor *y = c->out[0];
  void *space;
  size_t at = 0;
  if (!y)
    return WEFT_OK;
  const size_t rows = (size_t)y->layout.origin.dim[0];
  WEFT_TRY(weft__scratch(c, rows, &space));
  int64_t *from = space;
  for (size_t i = 0; i < weft__elems(&t->layout.origin); i++) {
    const int64_t times = weft_load_i64(t->dtype, t->data, i);
    WEFT_TRY(weft__poll_at(c, i));
    if (times < 0 || (uint64_t)times > rows - at)
      return weft_fail(c->d, WEFT_E_RANGE,
                       "input 'feeds_repeat_times', element %zu is %lld behind %zu rows; attribute "
                       "'output_feeds_size' allows %zu",
                       i, (long long)times, at, rows);
    for (int64_t k = 0; k < times; k++) {
      WEFT_TRY(weft__poll_at(c, at));
      from[at++] = (int64_t)i;
    }
  }
  for (; at < rows; at++) {
    WEFT_TRY(weft__poll_at(c, at));
    from[at] = -1;
  }
  return weft__move_blocks(c, c->in[FEEDS], y, weft__prod(&y->layout.origin, 1, y->layout.origin.rank),
                           feeds_row, from);
}

WEFT_ROWS(combinations) = {
    {"Combinations", "all choices of r elements",
        WEFT_SYMBOLIC, .infer = combinations_infer, .ref = combinations_ref,
     .examples = WEFT_EXAMPLES(
         "f32[3]{1,2,3} -> f32[3,2]{1,2,1,3,2,3}", "i32[2]{5,6} with_replacement=true -> "
         "i32[3,2]{5,5,5,6,6,6}",
         "i32[4]{1,2,3,4} r=3 -> i32[4,3]{1,2,3,1,2,4,1,3,4,2,3,4}", "str[1]{\"a\"} r=2 -> str[0,2]",
         "f32[0] r=2 with_replacement=true -> f32[0,2]", "f32[N] r=3 -> f32[-1,3]", "f32[3] r=0 !! E_RANGE "
         "'r' is 0",
         "f32[1000] r=20 !! E_OVERFLOW more than 2^62")},
    {"FeedsRepeat", "rows, each repeated, then zeros",
        WEFT_SYMBOLIC, .infer = feeds_infer, .ref = feeds_ref,
     .examples = WEFT_EXAMPLES(
         "f32[2,2]{1,2,3,4}, i32[2]{2,1} output_feeds_size=4 -> f32[4,2]{1,2,1,2,3,4,0,0}",
         "f32[N,2], i64[N] output_feeds_size=4 -> f32[4,2]",
         "f32[1]{1}, i32[1]{3} output_feeds_size=2 !! E_RANGE allows 2",
         "f32[2], i32[3] output_feeds_size=2 !! E_SHAPE 2 and 3 differ")},
    {0},
};
// SPDX-License-Identifier: Apache-2.0
