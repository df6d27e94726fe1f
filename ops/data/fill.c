// ops/data/fill.c - one value everywhere in the shape dims.   AscendIR Fill, ONNX ConstantOfShape-21.
#include "dims_move.h"

static weft_status fill_infer(weft_infer *it) {
  int64_t n;
  if (weft_shape_is_known(it->in[1]) && (weft_shape_elems(it->in[1], &n) || n != 1))
    return weft_fail(it->d, WEFT_E_SHAPE, "input 'value': expected one element");
  return weft__in_target(it, 0, it->out[0]);
}

static int64_t fill_map(void *ctx, size_t i) {
  (void)ctx;
  (void)i;
  return 0;
}

static weft_status fill_infer_value(weft_infer *it) {
  int64_t n;
  if (weft_shape_is_known(it->out[0]) && !weft_shape_elems(it->out[0], &n))
    weft__elems_map(it, 1, 0, (size_t)n, fill_map, NULL);
  return WEFT_OK;
}

static weft_status fill_ref(const weft_call *c) {
  enum { PART = 1 << 20 };  // elements between two questions whether to stop
  weft_tensor *y = c->out[0];
  const uint32_t bits = y ? weft_dtype_bits(y->dtype) : 0;
  if (!y || !bits || bits % 8 || y->dtype == WEFT_STRING)
    return y ? weft__move(c, c->in[1], y, fill_map, NULL, NULL) : WEFT_OK;
  const size_t n = weft__elems(&y->layout.origin);
  for (size_t at = 0; at < n; at += PART) {
    WEFT_TRY(weft__call_poll(c));
    weft__repeat((char *)y->data + at * (bits / 8), c->in[1]->data, bits / 8, WEFT_MIN(n - at, (size_t)PART));
  }
  return WEFT_OK;
}

WEFT_OP(fill) = {
    WEFT_OP_HEAD,
    .name = "Fill",
    .summary = "one value everywhere",
    .in = PORTS({"dims", NULL, WEFT_SET_INDEX, .value = WEFT_VALUE_INFER}, {"value", "T"}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_STORABLE}),
    .traits = WEFT_SYMBOLIC,
    .infer = fill_infer,
    .infer_value = fill_infer_value,
    .ref = fill_ref,
    .examples = WEFT_EXAMPLES("i64[2]{2,2}, f32[]{7} -> f32[2,2]{7,7,7,7}", "i32[0], i32[1]{3} -> i32[]{3}",
                              "i32[1]{0}, f32[]{1} -> f32[0]", "i64[2], f32[] -> f32[-1,-1]",
                              "i64[-1], f32[] -> f32[?]", "i32[1]{2}, str[]{\"a\"} -> str[2]{\"a\",\"a\"}",
                              "i32[1]{-1}, f32[] !! E_SHAPE element 0 is -1",
                              "i32[1]{1}, f32[2] !! E_SHAPE input 'value'"),
};
// SPDX-License-Identifier: Apache-2.0
