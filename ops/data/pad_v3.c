// ops/data/pad_v3.c - x with a constant or itself around it.   AscendIR PadV3, ONNX Pad-21.
// Modes: constant, reflect (its mirror image), edge, ... Modes circular and wrap (ext, ONNX's name) repeat x;
// reflect leaves the border out, symmetric repeats it. Negative counts cut off. Without constant_values: 0.
// Only the constant mode can pad an empty axis.
#include "pad.h"

enum { MODE, CONTIGUOUS };

static weft_pad_source pad_v3_mode_of(const weft_op_desc *n) {
  return weft__pad_source(weft_node_str(n, MODE));
}

static weft_status pad_v3_infer(weft_infer *it) {
  uint32_t in;
  int64_t n;
  if (weft__has_in(it->desc, 2, &in) && weft_shape_is_known(it->in[in]) &&
      (weft_shape_elems(it->in[in], &n) || n != 1)) {
    char text[256];
    return weft_fail(it->d, WEFT_E_SHAPE, "input 'constant_values': expected one element, got shape %s",
                     weft_shape_text(it->in[in], it->symbols, text, sizeof text));
  }
  return weft__pad_infer(it, pad_v3_mode_of(it->desc), weft_node_bool(it->desc, CONTIGUOUS));
}

static weft_status pad_v3_ref(const weft_call *c) {
  uint32_t in;
  const weft_tensor *fill = weft__has_in(c->desc, 2, &in) ? c->in[in] : NULL;
  return weft__pad_ref(c, pad_v3_mode_of(c->desc), weft_node_bool(c->desc, CONTIGUOUS), fill);
}

WEFT_OP(pad_v3) = {
    WEFT_OP_HEAD,
    .name = "PadV3",
    .summary = "a tensor padded with a constant or with itself",
    .in = PORTS({"x", "T"}, {"paddings", NULL, WEFT_SET_INDEX, .value = WEFT_VALUE_INFER},
                {"constant_values", "T", .kind = WEFT_OPTIONAL}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_STORABLE}),
    .attrs = ATTRS({"mode", "String", "\"constant\"", "one of constant|reflect|edge|symmetric|circular|wrap"},
                   {"paddings_contiguous", "Bool", "true"}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE | WEFT_KEEP_FORMAT,
    .infer = pad_v3_infer,
    .ref = pad_v3_ref,
    .examples = WEFT_EXAMPLES(
        "f32[2]{1,2}, i64[2]{1,2}, f32[]{9} -> f32[5]{9,1,2,9,9}",
        "f32[2]{1,2}, i64[2]{0,1} -> f32[3]{1,2,0}",
        "f32[2,1]{1,2}, i64[4]{0,1,1,0} paddings_contiguous=false -> f32[3,2]{0,1,0,2,0,0}",
        "f32[3]{1,2,3}, i64[2]{2,3} mode=\"reflect\" -> f32[8]{3,2,1,2,3,2,1,2}",
        "f32[3]{1,2,3}, i64[2]{2,1} mode=\"edge\" -> f32[6]{1,1,1,2,3,3}",
        "f32[2]{1,2}, i64[2]{3,1} mode=\"symmetric\" -> f32[6]{2,2,1,1,2,2}",
        "f32[2]{1,2}, i64[2]{3,1} mode=\"wrap\" -> f32[6]{2,1,2,1,2,1}",
        "f32[3]{1,2,3}, i64[2]{-1,1} mode=\"reflect\" -> f32[3]{2,3,2}",
        "f32[4]{1,2,3,4}, i64[2]{2,-1} mode=\"wrap\" -> f32[5]{2,3,1,2,3}",
        "f32[2,4]{1,2,3,4,5,6,7,8}, i64[4]{-1,1,-1,3} mode=\"wrap\" -> f32[2,6]{6,7,8,6,7,8,6,7,8,6,7,8}",
        "f32[2], i64[2]{-2,1} mode=\"edge\" !! E_SHAPE leaves nothing of axis 0 to pad with",
        "f32[2]{1,2}, i64[2]{-3,2} -> f32[1]{0}", "f32[1]{5}, i64[2]{2,0} mode=\"reflect\" -> f32[3]{5,5,5}",
        "f32[0], i64[2]{0,2}, f32[1]{7} -> f32[2]{7,7}", "f32[-1,N], i64[4]{1,1,0,0} -> f32[-1,N]",
        "f32[2], i64[2] -> f32[-1]", "str[1]{\"a\"}, i64[2]{1,0}, str[]{\"b\"} -> str[2]{\"b\",\"a\"}",
        "f32[0], i64[2]{0,1} mode=\"edge\" !! E_SHAPE nothing to pad with",
        "f32[2], i64[3]{1,1,1} !! E_SHAPE 3 elements",
        "f32[2], i64[2]{1,1}, f32[2]{1,2} !! E_SHAPE expected one element",
        "f32[2], i64[2]{0,0} mode=\"zero\" !! E_RANGE mode"),
};
// SPDX-License-Identifier: Apache-2.0
