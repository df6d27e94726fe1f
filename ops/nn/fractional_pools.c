// ops/nn/fractional_pools.c - pools whose windows differ in length, so that sizes shrink by any ratio.
// AscendIR FractionalMaxPool, FractionalAvgPool: channels last, pooling_ratio has four numbers, outputs are
// floor(size / ratio). The sequences are where windows begin, and the end. Which windows are the longer ones
// is left to chance by the prototype; here they are spread evenly, whatever the seeds are.
#include "cells.h"
#include "dims_move.h"
#include "op/air_rows.h"
#include "op/named.h"

static weft_status fraction_infer(weft_infer *it) {
  const weft_shape *x = it->in[0];
  const weft_attr *ratio =
      weft_attr_at(it->desc, weft__slot_named(it->desc, "pooling_ratio"), WEFT_VT_LIST_FLOAT);
  weft_dim out[2] = {-1, -1};
  WEFT_TRY(weft__expect_rank(it, 0, 4, 4));
  if (!ratio || ratio->n != 4)
    return weft_fail(it->d, WEFT_E_SHAPE, "attribute 'pooling_ratio' has %zu elements, expected 4",
                     ratio ? (size_t)ratio->n : 0);
  weft_shape_copy(it->out[0], x);
  for (size_t i = 0; i < 2; i++) {
    double by = (double)ratio->u.floats[1 + i];
    weft_dim n = weft_shape_is_unknown_rank(x) ? -1 : x->dim[1 + i];
    if (!(by >= 1) || ratio->u.floats[0] != 1 || ratio->u.floats[3] != 1)
      return weft_fail(
          it->d, WEFT_E_RANGE,
          "attribute 'pooling_ratio': expected 1 for batch and channels, at least 1 for the others");
    if (n >= 0) {
      out[i] = (weft_dim)floor((double)n / by);
      if (out[i] < 1)
        return weft_fail(it->d, WEFT_E_SHAPE, "axis %zu: %lld elements give no window", 1 + i, (long long)n);
    }
    if (!weft_shape_is_unknown_rank(x))
      it->out[0]->dim[1 + i] = out[i];
    WEFT_TRY(weft_set_out_shape(it, 1 + (uint32_t)i, (weft_dim[1]){out[i] < 0 ? -1 : out[i] + 1}, 1));
  }
  return WEFT_OK;
}

static weft_status fraction_largest(void *ctx, const weft_pool_at *at, size_t out) {
  weft__pool_max(ctx, at, out);
  return WEFT_OK;
}
static weft_status fraction_mean(void *ctx, const weft_pool_at *at, size_t out) {
  const weft_call *c = ctx;
  const weft_tensor *x = c->in[0];
  double sum = 0;
  for (size_t b = 0; b < at->count[1]; b++) {
    size_t row = at->base + at->first[0] + at->first[1] + b * at->step[1] + at->first[2];
    for (size_t e = 0; e < at->count[2]; e++)
      sum += weft_load_f64(x->dtype, x->data, row + e * at->step[2]);
  }
  weft_store_f64(x->dtype, c->out[0]->data, out, sum / (double)(at->count[1] * at->count[2]));
  return WEFT_OK;
}

static int64_t fraction_at(int64_t i, int64_t in, int64_t out) {
  return i * (in / out) + (int64_t)((uint64_t)i * (uint64_t)(in % out) / (uint64_t)out);
}
static weft_status fraction_windows(const weft_call *c, weft_cells *s, bool overlap) {
  for (int k = 1; k < 3; k++) {
    for (int64_t i = 0; i < s->out[k]; i++) {
      int64_t from = fraction_at(i, s->in[k], s->out[k]);
      int64_t to = WEFT_MIN(fraction_at(i + 1, s->in[k], s->out[k]) + overlap, s->in[k]);
      WEFT_TRY(weft__poll_at(c, (size_t)i));
      s->cell[k][i] = (weft_cell){from, to - from, 1, to - from};
    }
  }
  return WEFT_OK;
}
static weft_status fraction_ref(const weft_call *c) {
  const weft_shape *x = &c->in[0]->layout.origin;
  bool mean = c->desc->op->user != NULL;
  for (size_t k = 1; k < 3; k++) {
    const weft_tensor *at = c->out[k];
    int64_t n = at ? at->layout.origin.dim[0] - 1 : 0;
    for (int64_t i = 0; at && i <= n; i++) {
      WEFT_TRY(weft__poll_at(c, (size_t)i));
      ((int64_t *)at->data)[i] = fraction_at(i, x->dim[k], n);
    }
  }
  weft_cells s;
  if (!c->out[0] || !weft__elems(&c->out[0]->layout.origin))
    return WEFT_OK;
  WEFT_TRY(weft__cells_begin(c, x, &c->out[0]->layout.origin, 2, true, &s));
  WEFT_TRY(fraction_windows(c, &s, weft__flag_named(c->desc, "overlapping")));
  return weft__cells_each(c, &s, mean ? fraction_mean : fraction_largest, (void *)(uintptr_t)c);
}

#define FRACTION(op_name, says, mean, ...)                                              \
  {                                                                                     \
    .name = op_name, .summary = says, .traits = WEFT_SYMBOLIC, .infer = fraction_infer, \
    .ref = fraction_ref, .user = mean, .examples = WEFT_EXAMPLES(__VA_ARGS__)           \
  }
WEFT_ROWS(fractional_pools) = {
    FRACTION("FractionalMaxPool", "the largest of windows of different lengths", NULL,
             "f32[1,1,5,1]{1,2,3,4,5} pooling_ratio=[1,1,2,1] -> f32[1,1,2,1]{2,5}, i64[2]{0,1}, "
             "i64[3]{0,2,5}",
             "f32[1,1,5,1] pooling_ratio=[1,1,0.5,1] -> _, _, _ !! E_RANGE 'pooling_ratio'"),
    FRACTION("FractionalAvgPool", "means of windows of different lengths", "mean",
             "f32[1,1,4,1]{1,2,3,5} pooling_ratio=[1,1,2,1] -> f32[1,1,2,1]{1.5,4}, i64[2]{0,1}, "
             "i64[3]{0,2,4}"),
    {0},
};
// SPDX-License-Identifier: Apache-2.0
