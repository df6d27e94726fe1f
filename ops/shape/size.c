// ops/shape/size.c - the number of elements of x, a scalar.   AscendIR Size, ONNX Size-21.
// A number that int32 cannot hold fails.
#include "dims_move.h"

static weft_status size_infer(weft_infer *it) {
  return weft__scalar(it, 0);
}

static weft_status size_infer_value(weft_infer *it) {
  weft_dim n = 1;
  if (weft_shape_is_unknown_rank(it->in[0]))
    return WEFT_OK;
  for (size_t i = 0; i < it->in[0]->rank; i++)
    n = weft_dim_mul(it->symbols, n, it->in[0]->dim[i]);
  it->out_dims[0][0] = weft__dim_elem(n);
  it->out_dims_n[0] = 1;
  return WEFT_OK;
}

static weft_status size_ref(const weft_call *c) {
  size_t n = weft__elems(&c->in[0]->layout.origin);
  if (!c->out[0])
    return WEFT_OK;
  if (c->out[0]->dtype == WEFT_INT32 && n > INT32_MAX)
    return weft_fail(c->d, WEFT_E_OVERFLOW, "x has %zu elements, which int32 cannot hold", n);
  weft_store_i64(c->out[0]->dtype, c->out[0]->data, 0, (int64_t)n);
  return WEFT_OK;
}

WEFT_OP(size) = {
    WEFT_OP_HEAD,
    .name = "Size",
    .summary = "the number of elements",
    .in = PORTS({"x", NULL, WEFT_ANY}),
    .out = PORTS({"y", "U"}),
    .types = TYPES({"U", WEFT_SET_INDEX, .from_attr = "dtype"}),
    .attrs = ATTRS({"dtype", "Int", "DT_INT32"}),
    .traits = WEFT_SYMBOLIC,
    .infer = size_infer,
    .infer_value = size_infer_value,
    .ref = size_ref,
    .examples = WEFT_EXAMPLES("f32[2,2]{1,2,3,4} -> i32[]{4}", "f32[2,3] dtype=DT_INT64 -> i64[]{6}",
                              "f32[]{1} -> i32[]{1}", "f32[0,3] -> i32[]{0}", "f32[-1,3] -> i32[]",
                              "f32[?] -> i32[]", "f32[2] dtype=1 !! E_DTYPE"),
};
// SPDX-License-Identifier: Apache-2.0
