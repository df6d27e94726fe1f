// ops/special/isotonic.c - the falling sequence that is nearest to a row.   AscendIR IsotonicRegression, as
// TensorFlow computes it: least squares, along the last axis; segments says which plateau each element is on.
// Neighbours that rise are joined to their mean until none do, in O(n).
#include "air_slots.h"
#include "op/air_rows.h"
#include "sparse.h"

static weft_status isotonic_infer(weft_infer *it) {
  it->out_dtype[0] = weft_node_dtype(it->desc, WEFT_SLOT_ISOTONIC_REGRESSION_OUTPUT_DTYPE);
  it->out_dtype[1] = WEFT_INT32;
  WEFT_TRY(weft__expect_rank(it, 0, 1, WEFT_MAX_RANK));
  WEFT_TRY(weft__same(it, 0, 0));
  return weft__same(it, 1, 0);
}

typedef struct plateau {
  double sum;
  uint64_t n;
} plateau;

static weft_status isotonic_row(const weft_call *c, size_t from, size_t n, plateau *top) {
  const weft_tensor *x = c->in[0];
  size_t have = 0;
  for (size_t i = 0; i < n; i++) {
    plateau p = {weft_load_f64(x->dtype, x->data, from + i), 1};
    WEFT_TRY(weft__poll_at(c, i));
    while (have && top[have - 1].sum / (double)top[have - 1].n <= p.sum / (double)p.n) {
      have--;
      p.sum += top[have].sum;
      p.n += top[have].n;
    }
    top[have++] = p;
  }
  size_t i = from;
  for (size_t k = 0; k < have; k++) {
    for (uint64_t left = top[k].n; left; left--, i++) {
      WEFT_TRY(weft__poll_at(c, i));
      if (c->out[0])
        weft_store_f64(c->out[0]->dtype, c->out[0]->data, i, top[k].sum / (double)top[k].n);
      if (c->out[1])
        weft_store_i64(WEFT_INT32, c->out[1]->data, i, (int64_t)k);
    }
  }
  return WEFT_OK;
}

static weft_status isotonic_ref(const weft_call *c) {
  const weft_shape *x = &c->in[0]->layout.origin;
  const size_t n = (size_t)x->dim[x->rank - 1];
  void *space;
  size_t words;
  if (n > INT32_MAX || !weft_mul_size(n, sizeof(plateau) / 8, &words))
    return weft_fail(c->d, WEFT_E_OVERFLOW, "%zu elements in a row; segments are int32", n);
  WEFT_TRY(weft__scratch(c, words, &space));
  for (size_t row = 0; n && row < weft__elems(x) / n; row++) {
    WEFT_TRY(weft__poll_at(c, row));
    WEFT_TRY(isotonic_row(c, row * n, n, space));
  }
  return WEFT_OK;
}

WEFT_ROWS(isotonic) = {
    {"IsotonicRegression", "the falling sequence nearest to a row",
     WEFT_SYMBOLIC, .infer = isotonic_infer, .ref = isotonic_ref,
     .examples = WEFT_EXAMPLES("f32[4]{3,1,2,0} -> f32[4]{3,1.5,1.5,0}, i32[4]{0,1,1,2}",
                               "i32[2,2]{1,2,4,3} -> f32[2,2]{1.5,1.5,4,3}, i32[2,2]{0,0,0,1}",
                               "f32[0] -> f32[0], i32[0]", "f32[N,3] -> f32[N,3], i32[N,3]",
                               "f32[] -> _, _ !! E_SHAPE input 'input'")},
    {0},
};
// SPDX-License-Identifier: Apache-2.0
