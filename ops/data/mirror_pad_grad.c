// ops/data/mirror_pad_grad.c - the gradients of MirrorPad and PadV3: what stands in the border is added to
// the elements that it repeats.   AscendIR MirrorPadGrad, PadV3Grad. Symmetric borders repeat the element at
// the edge, reflected ones do not; constants belong to nobody.
#include "dims_move.h"
#include "op/air_rows.h"
#include "op/named.h"
#include "taps.h"

typedef enum { REFLECT, SYMMETRIC, EDGE, CIRCULAR, CONSTANT, BORDERS } mirror_border;

static weft_status mirror_mode(weft_diag *d, const weft_op_desc *n, mirror_border *out) {
  static const char *const names[] = {"reflect",  "symmetric", "edge",     "circular",
                                      "constant", "REFLECT",   "SYMMETRIC"};
  const char *mode = weft__text_named(n, "mode");
  size_t i = 0;
  while (i < WEFT_COUNT(names) && strcmp(names[i], mode))
    i++;
  *out = (mirror_border)(i % BORDERS);
  if (i < WEFT_COUNT(names))
    return WEFT_OK;
  return weft_fail(d, WEFT_E_INVALID,
                   "attribute 'mode' is '%s', expected reflect, symmetric, edge, circular or constant", mode);
}

static bool mirror_flat(const weft_op_desc *n) {  // the list may be of rank 1
  return weft__slot_named(n, "paddings_contiguous") != UINT32_MAX;
}

// Where the two numbers of an axis stand in the list: pairs, or all that come before and all that come
// behind.
static void mirror_places(const weft_op_desc *n, size_t axis, size_t rank, size_t at[2]) {
  const bool pairs = !mirror_flat(n) || weft__flag_named(n, "paddings_contiguous");
  at[0] = pairs ? 2 * axis : axis;
  at[1] = pairs ? 2 * axis + 1 : rank + axis;
}

static weft_status mirror_axis(weft_diag *d, size_t axis, int64_t size, const int64_t pad[2],
                               mirror_border how, int64_t *out) {
  bool small = pad[0] <= INT64_MAX / 4 && pad[1] <= INT64_MAX / 4;
  if (pad[0] < 0 || pad[1] < 0 || !small)
    return weft_fail(d, WEFT_E_RANGE, "input 'paddings': axis %zu has %lld and %lld", axis, (long long)pad[0],
                     (long long)pad[1]);
  if (size < 0)
    return *out = -1, WEFT_OK;
  *out = size - pad[0] - pad[1];
  int64_t most = how == REFLECT ? *out - 1 : how == EDGE && *out > 0 ? INT64_MAX : *out;
  if (how == CONSTANT)
    most = INT64_MAX;
  if (*out < 0 || pad[0] > WEFT_MAX(most, 0) || pad[1] > WEFT_MAX(most, 0))
    return weft_fail(d, WEFT_E_SHAPE,
                     "axis %zu: %lld elements do not have %lld and %lld of a border that repeats the rest",
                     axis, (long long)size, (long long)pad[0], (long long)pad[1]);
  return WEFT_OK;
}

static weft_status mirror_infer(weft_infer *it) {
  const weft_shape *x = it->in[0];
  const weft_shape *p = it->in[1];
  int64_t pads[2 * WEFT_MAX_RANK];
  int64_t n;
  bool known;
  weft_dim ignored;
  mirror_border how;
  WEFT_TRY(mirror_mode(it->d, it->desc, &how));
  WEFT_TRY(weft__expect_rank(it, 1, mirror_flat(it->desc) ? 1 : 2, 2));
  if (weft_shape_is_unknown_rank(x))
    return weft__unknown_rank(it, 0);
  if (!weft_shape_is_unknown_rank(p)) {
    const weft_dim rows = (weft_dim)x->rank * (p->rank == 1 ? 2 : 1);
    WEFT_TRY(weft__merge_dim(it, rows, p->dim[0], "axes of 'x' and rows of 'paddings'", &ignored));
    if (p->rank == 2)
      WEFT_TRY(weft__merge_dim(it, 2, p->dim[1], "axis 1 of input 'paddings'", &ignored));
  }
  WEFT_TRY(weft__in_flat(it, 1, pads, 2 * WEFT_MAX_RANK, &n, &known));
  WEFT_TRY(weft__unknown_dims(it, 0, x->rank));
  for (size_t i = 0; i < x->rank && known; i++) {
    size_t at[2];
    mirror_places(it->desc, i, x->rank, at);
    const int64_t pad[2] = {pads[at[0]], pads[at[1]]};
    bool literal = weft__is_literal(pad[0]) && weft__is_literal(pad[1]);
    if (literal && x->dim[i] >= 0)
      WEFT_TRY(mirror_axis(it->d, i, x->dim[i], pad, how, &it->out[0]->dim[i]));
    else if (literal)
      it->out[0]->dim[i] = weft_dims_sub(it, x->dim[i], pad[0] + pad[1]);
  }
  return WEFT_OK;
}

static size_t mirror_fill(const weft_taps *t, size_t at, size_t *index, double *weight) {
  int64_t n = (int64_t)t->in;
  int64_t p = (int64_t)at - (int64_t)t->shift;
  const bool before = p < 0;
  if (before || p >= n) {
    const int64_t edge = before ? 0 : n - 1;
    const int64_t over = before ? -p : p - edge;  // from 1 on
    if (t->kind == CONSTANT)
      return 0;
    p = t->kind == EDGE ? edge : t->kind == CIRCULAR ? p + (before ? n : -n) : edge + (before ? over : -over);
    if (t->kind == SYMMETRIC)
      p += before ? -1 : 1;
  }
  index[0] = (size_t)p;
  weight[0] = 1;
  return 1;
}

static weft_status mirror_ref(const weft_call *c) {
  const weft_tensor *x = c->in[0];
  const weft_tensor *pads = c->in[1];
  weft_taps taps[WEFT_MAX_RANK];
  size_t rank = x->layout.origin.rank;
  mirror_border how;
  WEFT_TRY(mirror_mode(c->d, c->desc, &how));
  if (!c->out[0] || !weft__elems(&c->out[0]->layout.origin))
    return WEFT_OK;
  if (weft_dtype_is_complex(x->dtype))
    return weft__no_kernel(c, x->dtype);
  for (size_t i = 0; i < rank; i++) {
    size_t at[2];
    mirror_places(c->desc, i, rank, at);
    int64_t pad[2] = {weft_load_i64(pads->dtype, pads->data, at[0]),
                      weft_load_i64(pads->dtype, pads->data, at[1])};
    int64_t out;
    WEFT_TRY(mirror_axis(c->d, i, x->layout.origin.dim[i], pad, how, &out));
    taps[i] = (weft_taps){.axis = i, .in = (size_t)out, .out = (size_t)x->layout.origin.dim[i], .most = 1};
    taps[i].fill = mirror_fill;
    taps[i].shift = (double)pad[0];
    taps[i].kind = how;
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
    {.name = "PadV3Grad",
     .summary = "what a border of PadV3 adds to what it repeats",
     .traits = WEFT_SYMBOLIC,
     .infer = mirror_infer,
     .ref = mirror_ref,
     .values = "paddings",
     .examples = WEFT_EXAMPLES(
         "f32[5]{1,2,3,4,5}, i32[2]{1,1} -> f32[3]{2,9,4}",
         "f32[5]{1,2,3,4,5}, i64[1,2]{2,1} mode=\"edge\" -> f32[2]{6,9}",
         "f32[5]{1,2,3,4,5}, i32[2]{1,1} mode=\"circular\" -> f32[3]{7,3,5}",
         "f32[5]{1,2,3,4,5}, i32[2]{1,1} mode=\"symmetric\" -> f32[3]{3,3,9}",
         "f32[2,3]{1,2,3,4,5,6}, i32[4]{1,0,0,2} mode=\"constant\" paddings_contiguous=false -> f32[1,1]{4}",
         "f32[N,3], i32[4] -> f32[-1,-1]", "f32[5], i32[2]{3,1} !! E_SHAPE axis 0: 5 elements",
         "f32[5], i32[2]{1,1} mode=\"x\" !! E_INVALID attribute 'mode'")},
    {0},
};
// SPDX-License-Identifier: Apache-2.0
