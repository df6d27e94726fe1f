// ops/data/mirror_pad_grad.c - the gradient of MirrorPad: what stands in the border is added to the elements
// that it mirrors.   AscendIR MirrorPadGrad. SYMMETRIC repeats the element at the border, REFLECT does not.
#include "dims_move.h"
#include "op/air_rows.h"
#include "op/named.h"
#include "taps.h"

static bool mirror_symmetric(const weft_op_desc *n) {
  return !strcmp(weft__text_named(n, "mode"), "SYMMETRIC");
}

static weft_status mirror_axis(weft_diag *d, size_t axis, int64_t size, const int64_t pad[2], bool symmetric,
                               int64_t *out) {
  bool small = pad[0] <= INT64_MAX / 4 && pad[1] <= INT64_MAX / 4;
  if (pad[0] < 0 || pad[1] < 0 || !small)
    return weft_fail(d, WEFT_E_RANGE, "input 'paddings': axis %zu has %lld and %lld", axis, (long long)pad[0],
                     (long long)pad[1]);
  if (size < 0)
    return *out = -1, WEFT_OK;
  *out = size - pad[0] - pad[1];
  int64_t most = symmetric ? *out : *out - 1;
  if (*out < 0 || pad[0] > WEFT_MAX(most, 0) || pad[1] > WEFT_MAX(most, 0))
    return weft_fail(d, WEFT_E_SHAPE,
                     "axis %zu: %lld elements do not have %lld and %lld of a mirrored border", axis,
                     (long long)size, (long long)pad[0], (long long)pad[1]);
  return WEFT_OK;
}

static weft_status mirror_infer(weft_infer *it) {
  const weft_shape *x = it->in[0];
  const weft_shape *p = it->in[1];
  int64_t pads[2 * WEFT_MAX_RANK];
  int64_t n;
  bool known;
  weft_dim ignored;
  WEFT_TRY(weft__expect_rank(it, 1, 2, 2));
  if (weft_shape_is_unknown_rank(x))
    return weft__unknown_rank(it, 0);
  if (!weft_shape_is_unknown_rank(p)) {
    WEFT_TRY(
        weft__merge_dim(it, (weft_dim)x->rank, p->dim[0], "axes of 'x' and rows of 'paddings'", &ignored));
    WEFT_TRY(weft__merge_dim(it, 2, p->dim[1], "axis 1 of input 'paddings'", &ignored));
  }
  WEFT_TRY(weft__in_flat(it, 1, pads, 2 * WEFT_MAX_RANK, &n, &known));
  WEFT_TRY(weft__unknown_dims(it, 0, x->rank));
  for (size_t i = 0; i < x->rank && known; i++) {
    bool literal = weft__is_literal(pads[2 * i]) && weft__is_literal(pads[2 * i + 1]);
    if (literal && x->dim[i] >= 0)
      WEFT_TRY(
          mirror_axis(it->d, i, x->dim[i], pads + 2 * i, mirror_symmetric(it->desc), &it->out[0]->dim[i]));
    else if (literal)
      it->out[0]->dim[i] = weft_dims_sub(it, x->dim[i], pads[2 * i] + pads[2 * i + 1]);
  }
  return WEFT_OK;
}

static size_t mirror_fill(const weft_taps *t, size_t at, size_t *index, double *weight) {
  int64_t n = (int64_t)t->in;
  int64_t p = (int64_t)at - (int64_t)t->shift;
  if (p < 0)
    p = t->flag ? -p - 1 : -p;
  else if (p >= n)
    p = t->flag ? 2 * n - 1 - p : 2 * n - 2 - p;
  index[0] = (size_t)p;
  weight[0] = 1;
  return 1;
}

static weft_status mirror_ref(const weft_call *c) {
  const weft_tensor *x = c->in[0];
  const weft_tensor *pads = c->in[1];
  weft_taps taps[WEFT_MAX_RANK];
  size_t rank = x->layout.origin.rank;
  if (!c->out[0] || !weft__elems(&c->out[0]->layout.origin))
    return WEFT_OK;
  if (weft_dtype_is_complex(x->dtype))
    return weft__no_kernel(c, x->dtype);
  for (size_t i = 0; i < rank; i++) {
    int64_t pad[2] = {weft_load_i64(pads->dtype, pads->data, 2 * i),
                      weft_load_i64(pads->dtype, pads->data, 2 * i + 1)};
    int64_t out;
    WEFT_TRY(mirror_axis(c->d, i, x->layout.origin.dim[i], pad, mirror_symmetric(c->desc), &out));
    taps[i] = (weft_taps){.axis = i, .in = (size_t)out, .out = (size_t)x->layout.origin.dim[i], .most = 1};
    taps[i].fill = mirror_fill;
    taps[i].shift = (double)pad[0];
    taps[i].flag = mirror_symmetric(c->desc);
  }
  return weft__taps_run(c, x, c->out[0], taps, rank, true);
}

WEFT_ROWS(mirror_pad_grad) = {
    {.name = "MirrorPadGrad",
     .summary = "what a mirrored border adds to what it mirrors",
     .traits = WEFT_SYMBOLIC,
     .infer = mirror_infer,
     .ref = mirror_ref,
     .values = "paddings",
     .examples = WEFT_EXAMPLES(
         "f32[5]{1,2,3,4,5}, i32[1,2]{1,1} mode=\"REFLECT\" -> f32[3]{2,9,4}",
         "f32[5]{1,2,3,4,5}, i32[1,2]{1,1} mode=\"SYMMETRIC\" -> f32[3]{3,3,9}",
         "f32[N,3], i32[2,2] mode=\"REFLECT\" -> f32[-1,-1]",
         "f32[5], i32[1,2]{3,1} mode=\"REFLECT\" !! E_SHAPE axis 0: 5 elements",
         "f32[5], i32[1,2]{-1,1} mode=\"REFLECT\" !! E_RANGE axis 0 has -1")},
    {0},
};
// SPDX-License-Identifier: Apache-2.0
