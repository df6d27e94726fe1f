// ops/shape/shape.c - the dims of x as a vector.   AscendIR Shape, ONNX Shape-21.
// Or the dims [start, end) of them. start and end (ext) are clamped as slices are. A dim that int32 cannot
// hold fails.
#include "dims_move.h"

enum { DTYPE, START, END };

static void shape_part(const weft_op_desc *n, size_t rank, size_t *from, size_t *to) {
  int64_t r = (int64_t)rank;
  int64_t a = weft_node_int(n, START);
  int64_t b = weft_node_int(n, END);
  a = WEFT_MIN(WEFT_MAX(a < 0 ? a + r : a, 0), r);
  b = WEFT_MIN(WEFT_MAX(b < 0 ? b + r : b, 0), r);
  *from = (size_t)a;
  *to = (size_t)WEFT_MAX(a, b);
}

static weft_status shape_infer(weft_infer *it) {
  size_t from;
  size_t to;
  WEFT_TRY(weft__unknown_dims(it, 0, 1));
  if (weft_shape_is_unknown_rank(it->in[0]))
    return WEFT_OK;
  shape_part(it->desc, it->in[0]->rank, &from, &to);
  it->out[0]->dim[0] = (weft_dim)(to - from);
  return WEFT_OK;
}

static weft_status shape_infer_value(weft_infer *it) {
  size_t from;
  size_t to;
  if (weft_shape_is_unknown_rank(it->in[0]))
    return WEFT_OK;
  shape_part(it->desc, it->in[0]->rank, &from, &to);
  if (to - from > it->out_dims_cap)
    return WEFT_OK;
  for (size_t i = from; i < to; i++)
    it->out_dims[0][i - from] = weft__dim_elem(it->in[0]->dim[i]);
  it->out_dims_n[0] = (int64_t)(to - from);
  return WEFT_OK;
}

static weft_status shape_ref(const weft_call *c) {
  const weft_shape *x = &c->in[0]->layout.origin;
  weft_tensor *y = c->out[0];
  size_t from;
  size_t to;
  shape_part(c->desc, x->rank, &from, &to);
  for (size_t i = from; y && i < to; i++) {
    if (y->dtype == WEFT_INT32 && x->dim[i] > INT32_MAX) {
      return weft_fail(c->d, WEFT_E_OVERFLOW, "dim %zu of x is %lld, which int32 cannot hold", i,
                       (long long)x->dim[i]);
    }
    weft_store_i64(y->dtype, y->data, i - from, x->dim[i]);
  }
  return WEFT_OK;
}

WEFT_OP(shape) = {
    WEFT_OP_HEAD,
    .name = "Shape",
    .summary = "the dims of x",
    .in = PORTS({"x", NULL, WEFT_ANY}),
    .out = PORTS({"y", "U"}),
    .types = TYPES({"U", WEFT_SET_INDEX, .from_attr = "dtype"}),
    .attrs = ATTRS({"dtype", "Int", "DT_INT32"}, {"start", "Int", "0", .ext = 1},
                   {"end", "Int", "9223372036854775807", .ext = 1}),
    .traits = WEFT_SYMBOLIC,
    .infer = shape_infer,
    .infer_value = shape_infer_value,
    .ref = shape_ref,
    .examples = WEFT_EXAMPLES("f32[2,1]{5,6} -> i32[2]{2,1}", "f32[2,3,4] dtype=DT_INT64 -> i64[3]{2,3,4}",
                              "f32[2,3,4] start=1 -> i32[2]{3,4}", "f32[2,3,4] start=-2 end=-1 -> i32[1]{3}",
                              "f32[2,3] start=2 end=1 -> i32[0]", "f32[]{1} -> i32[0]",
                              "f32[0,2] -> i32[2]{0,2}", "f32[-1,3] -> i32[2]", "f32[?] -> i32[-1]",
                              "str[1]{\"a\"} -> i32[1]{1}", "f32[2] dtype=0 !! E_DTYPE"),
};
// SPDX-License-Identifier: Apache-2.0
