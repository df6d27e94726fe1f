// ops/quant/fixed_requant.c - y = clamp(x * multiplier * 2^(shift - 31) + zero_point, low, high), in whole
// numbers alone.   AscendIR and ONNX have none of it; it is how TFLite's quantised operators scale their
// sums, bit for bit.
// x of 32 bits: the whole product is shifted right once, halves up. `twice`: x is shifted left where shift
// is above 0, then comes the upper half of the doubled product, halves up, then a shift to the right, halves
// away from zero. x of 64 bits: the multiplier is rounded to 16 bits, and the product is shifted right once,
// halves up. multiplier and shift are one number, or one for each place of `axis`. Products wrap; a shift
// outside [-31, 30] counts as its end.
#include "op.h"
#include "quant/fixed_requant.rule.h"

enum { X = WEFT_FIXED_X, MULTIPLIER = WEFT_FIXED_MULTIPLIER, SHIFT = WEFT_FIXED_SHIFT };
enum {
  AXIS = WEFT_FIXED_AXIS,
  ZERO_POINT = WEFT_FIXED_ZERO_POINT,
  LOW = WEFT_FIXED_LOW,
  HIGH = WEFT_FIXED_HIGH,
  OUTPUT_DTYPE = WEFT_FIXED_OUTPUT_DTYPE,
  TWICE = WEFT_FIXED_TWICE
};

static weft_status fixed_requant_infer(weft_infer *it) {
  const weft_shape *x = it->in[X];
  int64_t t = weft_node_int(it->desc, OUTPUT_DTYPE);
  if (!weft_dtype_known(t) || !weft_dtype_is_integer((weft_dtype)t) || weft_dtype_bits((weft_dtype)t) < 8)
    return weft_fail(it->d, WEFT_E_DTYPE, "attribute 'output_dtype': %lld is no integer of whole bytes",
                     (long long)t);
  for (uint32_t i = MULTIPLIER; i <= SHIFT; i++) {
    const weft_shape *s = it->in[i];
    size_t axis;
    weft_dim merged;
    if (weft_shape_is_unknown_rank(s) || !s->rank)
      continue;
    WEFT_TRY(weft__expect_rank(it, i, 1, 1));
    if (weft_shape_is_unknown_rank(x))
      continue;
    WEFT_TRY(weft__axis(it->d, "attribute 'axis'", weft_node_int(it->desc, AXIS), x->rank, &axis));
    WEFT_TRY(weft__merge_dim(it, x->dim[axis], s->dim[0], "the axis and its numbers", &merged));
  }
  WEFT_TRY(weft__same(it, 0, X));
  it->out_dtype[0] = (weft_dtype)t;
  return WEFT_OK;
}

static weft_status fixed_requant_ref(const weft_call *c) {
  const weft_tensor *x = c->in[X];
  const weft_tensor *m = c->in[MULTIPLIER];
  const weft_tensor *s = c->in[SHIFT];
  weft_tensor *y = c->out[0];
  size_t axis = 0;
  if (!y)
    return WEFT_OK;
  bool many_m = m->layout.origin.rank > 0;
  bool many_s = s->layout.origin.rank > 0;
  if (many_m || many_s)
    WEFT_TRY(
        weft__axis(c->d, "attribute 'axis'", weft_node_int(c->desc, AXIS), x->layout.origin.rank, &axis));
  size_t inner = weft__prod(&x->layout.origin, axis + 1, x->layout.origin.rank);
  size_t places = many_m || many_s ? (size_t)x->layout.origin.dim[axis] : 1;
  int64_t low = weft_node_int(c->desc, LOW);
  int64_t high = weft_node_int(c->desc, HIGH);
  int64_t zero = weft_node_int(c->desc, ZERO_POINT);
  bool twice = weft_node_bool(c->desc, TWICE);
  size_t n = weft__elems(&x->layout.origin);
  for (size_t i = 0; i < n; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    size_t k = places > 1 ? i / inner % places : 0;
    int64_t v = weft_load_i64(x->dtype, x->data, i);
    int64_t multiplier = weft_load_i64(WEFT_INT32, m->data, many_m ? k : 0);
    int64_t shift = weft__fixed_within(weft_load_i64(WEFT_INT32, s->data, many_s ? k : 0), -31, 30);
    if (x->dtype == WEFT_INT64)
      v = weft__fixed_64(v, multiplier, shift);
    else if (twice)
      v = weft__fixed_twice(v, multiplier, shift);
    else
      v = weft__fixed_once(v, multiplier, 31 - shift);
    v = (int64_t)((uint64_t)v + (uint64_t)zero);
    weft_store_i64(y->dtype, y->data, i, weft__fixed_within(v, low, high));
  }
  return WEFT_OK;
}

WEFT_OP(fixed_requant) = {
    WEFT_OP_HEAD,
    .name = "FixedRequant",
    .summary = "sums scaled by multipliers of whole numbers, as TFLite does",
    .in = PORTS({"x", NULL, WEFT_DT(INT32) | WEFT_DT(INT64)}, {"multiplier", NULL, WEFT_DT(INT32)},
                {"shift", NULL, WEFT_DT(INT32)}),
    .out = PORTS({"y", NULL, WEFT_DT(INT8) | WEFT_DT(UINT8) | WEFT_DT(INT16) | WEFT_DT(UINT16) |
                                 WEFT_DT(INT32) | WEFT_DT(UINT32) | WEFT_DT(INT64) | WEFT_DT(UINT64)}),
    .attrs = ATTRS({"axis", "Int", "-1"}, {"zero_point", "Int", "0"}, {"low", "Int", "-2147483648"},
                   {"high", "Int", "2147483647"}, {"output_dtype", "Int", "3"},
                   {"twice", "Bool", "false"}),
    .traits = WEFT_SYMBOLIC,
    .infer = fixed_requant_infer,
    .ref = fixed_requant_ref,
    .examples = WEFT_EXAMPLES(
        "i32[4]{100,-100,3,-3}, i32[]{1073741824}, i32[]{0} -> i32[4]{50,-50,2,-1}",
        "i32[4]{100,-100,6,-6}, i32[]{1073741824}, i32[]{-1} -> i32[4]{25,-25,2,-1}",
        "i32[4]{100,-100,6,-6}, i32[]{1073741824}, i32[]{-1} twice=true -> i32[4]{25,-25,2,-2}",
        "i32[2,2]{100,100,1000,-1000}, i32[2]{1073741824,1073741824}, i32[2]{0,1} low=-128 high=127 "
        "zero_point=-10 output_dtype=2 -> i8[2,2]{40,90,127,-128}",
        "i64[3]{100,-100,65536}, i32[]{1073741824}, i32[]{0} -> i32[3]{50,-50,32768}",
        "i32[0,3], i32[3], i32[] -> i32[0,3]", "i32[2,3], i32[2], i32[] !! E_SHAPE the axis and its numbers",
        "i32[2], i32[], i32[] output_dtype=0 !! E_DTYPE attribute 'output_dtype'",
        "f32[2], i32[], i32[] !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
