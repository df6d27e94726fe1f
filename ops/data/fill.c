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
  uint32_t bits = c->out[0] ? weft_dtype_bits(c->out[0]->dtype) : 0;
  if (bits && bits % 8 == 0 && c->out[0]->dtype != WEFT_STRING) {
    weft__repeat(c->out[0]->data, c->in[1]->data, bits / 8, weft__elems(&c->out[0]->layout.origin));
    return WEFT_OK;
  }
  return c->out[0] ? weft__move(c, c->in[1], c->out[0], fill_map, NULL, NULL) : WEFT_OK;
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
