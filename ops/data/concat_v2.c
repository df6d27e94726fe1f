// ops/data/concat_v2.c - x0, x1, ... joined along concat_dim.   AscendIR ConcatV2, ONNX Concat-13.
// Empty inputs take part as they are; scalars cannot be joined.
#include "concat.h"

enum { N };

static weft_status concat_v2_infer(weft_infer *it) {
  uint32_t n = weft_port_in_count(it->desc, 0);
  int64_t axis = 0;
  bool known;
  WEFT_TRY(weft__expect_count(it, N, false, n, "inputs"));
  WEFT_TRY(weft__in_int(it, n, &axis, &known));
  return weft__concat_infer(it, 0, n, "input 'concat_dim'", axis, known);
}

static weft_status concat_v2_infer_value(weft_infer *it) {
  uint32_t n = weft_port_in_count(it->desc, 0);
  int64_t axis;
  bool known;
  WEFT_TRY(weft__in_int(it, n, &axis, &known));
  if (known)
    weft__concat_elems(it, 0, n, axis);
  return WEFT_OK;
}

static weft_status concat_v2_ref(const weft_call *c) {
  uint32_t n = weft_port_in_count(c->desc, 0);
  int64_t axis;
  WEFT_TRY(weft__read_int(c, n, &axis));
  return weft__concat_ref(c, 0, n, "input 'concat_dim'", axis);
}

WEFT_OP(concat_v2) = {
    WEFT_OP_HEAD,
    .name = "ConcatV2",
    .summary = "tensors joined along an axis",
    .in = PORTS({"x", "T", .kind = WEFT_DYNAMIC, .min_count = 1},
                {"concat_dim", NULL, WEFT_SET_INDEX, .value = WEFT_VALUE_INFER}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_STORABLE}),
    .attrs = ATTRS({"N", "Int", "1"}),
    .traits = WEFT_JOIN | WEFT_SYMBOLIC | WEFT_MONOTONE | WEFT_KEEP_FORMAT,
    .infer = concat_v2_infer,
    .infer_value = concat_v2_infer_value,
    .ref = concat_v2_ref,
    .examples = WEFT_EXAMPLES(
        "[f32[2]{1,2}, f32[1]{3}], i32[]{0} -> f32[3]{1,2,3}",
        "[f32[2,1]{1,2}, f32[2,2]{3,4,5,6}], i32[]{-1} N=2 -> f32[2,3]{1,3,4,2,5,6}",
        "[f32[0,2], f32[1,2]{1,2}], i64[1]{0} -> f32[1,2]{1,2}", "[f32[2,0], f32[2,0]], i32[]{1} -> f32[2,0]",
        "[f32[-1,2], f32[3,-1]], i32[]{0} -> f32[-1,2]", "[f32[N,2], f32[3,2]], i32[]{0} -> f32[N+3,2]",
        "[f32[2,3], f32[2,4]], i32[] -> f32[-1,-1]", "[f32[?], f32[?]], i32[]{0} -> f32[?]",
        "[str[1]{\"a\"}, str[1]{\"b\"}], i32[]{0} -> str[2]{\"a\",\"b\"}",
        "[i4[1]{1}, i4[2]{2,3}], i32[]{0} -> i4[3]{1,2,3}",
        "[f32[2,3], f32[2,4]], i32[]{0} !! E_SHAPE 3 and 4 differ",
        "[f32[2], f32[2,1]], i32[]{0} !! E_SHAPE rank 1, number 1 has rank 2",
        "[f32[], f32[]], i32[]{0} !! E_RANGE scalar", "[f32[1]], i32[]{1} !! E_RANGE input 'concat_dim'",
        "[f32[4503599627370496,1], f32[1,1]], i32[]{0} !! E_LIMIT over the limit of 2^52",
        "[f32[1], f32[1]], i32[]{0} N=3 !! E_INVALID has 2 inputs"),
};
// SPDX-License-Identifier: Apache-2.0
