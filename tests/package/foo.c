// foo.c - Foo: an INT4 input gives an INT32 output, a FLOAT input passes through (R44, R45). The shape
// follows x (R73).
#include "documents.h"

static weft_status infer_dtype(weft_infer *it) {
  weft_dtype t = weft_in_dtype(it, 0);
  return weft_set_out_dtype(it, 0, t == WEFT_INT4 ? (weft_dtype)WEFT_INT32 : t);
}

static weft_status ref(const weft_call *c) {
  size_t n = documents_elems(&c->in[0]->layout.origin);
  if (c->in[0]->dtype == WEFT_FLOAT) {
    if (n)
      memcpy(c->out[0]->data, c->in[0]->data, n * sizeof(float));
    return WEFT_OK;
  }
  const uint8_t *x = c->in[0]->data;
  for (size_t i = 0; i < n; i++) {
    int32_t v = i % 2 ? x[i / 2] >> 4 : x[i / 2] & 15;
    ((int32_t *)c->out[0]->data)[i] = v < 8 ? v : v - 16;
  }
  return WEFT_OK;
}

const weft_op documents_foo = {
    WEFT_OP_HEAD,
    .name = "Foo",
    .summary = "INT4 widened to INT32",
    .in = WEFT_PORTS({"x", .dtypes = WEFT_DT(INT4) | WEFT_DT(FLOAT)}),
    .out = WEFT_PORTS(
        {"y", .dtypes = WEFT_DT(INT32) | WEFT_DT(FLOAT), .follow = "x", .follow_what = WEFT_FOLLOW_SHAPE}),
    .infer_dtype = infer_dtype,
    .ref = ref,
    .examples = WEFT_NAMES("i4[3]{1,-2,7} -> i32[3]{1,-2,7}", "i4[-1,3] -> i32[-1,3]",
                           "f32[2]{1,2} -> f32[2]{1,2}", "i8[3] !! E_DTYPE input 'x'"),
};
// SPDX-License-Identifier: Apache-2.0
