// ops/nn/max_pool_with_argmax_v3.c - the largest element of each window and where it is.   AscendIR
// MaxPoolWithArgmaxV3, ONNX MaxPool-12 with both outputs. The first of equal elements; NaN wins; a window
// without an element gives the least value and place -1. weft: index_base says what places count in: the
// spatial axes of one channel (AscendIR), the whole tensor (ONNX), or the tensor with the spatial axes in
// reverse order (storage_order 1); padding_mode and 1 or 3 spatial axes as in MaxPoolV3.
#include "pool.h"

enum { KSIZE, STRIDES, PADS, DTYPE, DILATION, CEIL_MODE, DATA_FORMAT, PADDING_MODE, INDEX_BASE };
static const weft_pool_slots SLOTS = {KSIZE,       STRIDES, PADDING_MODE, PADS,
                                      DATA_FORMAT, -1,      CEIL_MODE,    DILATION};

static weft_status max_pool_with_argmax_v3_infer(weft_infer *it) {
  WEFT_TRY(weft__expect_rank(it, 0, 3, 5));
  WEFT_TRY(weft__pool_infer(it, &SLOTS));
  weft_shape_copy(it->out[1], it->out[0]);
  it->out_format[1] = it->out_format[0];
  return WEFT_OK;
}

static int64_t max_pool_with_argmax_v3_place(const weft_call *c, const weft_pool_at *at, size_t best) {
  const weft_shape *x = &c->in[0]->layout.origin;
  const char *base = weft_node_str(c->desc, INDEX_BASE);
  bool last = weft__channels_last(weft_node_str(c->desc, DATA_FORMAT));
  size_t first = last ? 1 : 2;
  size_t step = last ? (size_t)x->dim[x->rank - 1] : 1;
  size_t plane = (best - at->base) / step;
  size_t turned = 0;
  if (!base || !strcmp(base, "plane"))
    return (int64_t)plane;
  if (!strcmp(base, "tensor"))
    return (int64_t)best;
  for (size_t k = x->rank - 2, rest = plane; k-- > 0; rest /= (size_t)x->dim[first + k]) {
    size_t before = 1;
    for (size_t i = 0; i < k; i++)
      before *= (size_t)x->dim[first + i];
    turned += rest % (size_t)x->dim[first + k] * before;
  }
  return (int64_t)(at->base + turned * step);
}

static void max_pool_with_argmax_v3_one(const weft_call *c, const weft_pool_at *at, size_t out) {
  size_t best = 0;
  if (c->out[0])
    weft__pool_max(c, at, out);
  if (!c->out[1])
    return;
  int64_t i = weft__pool_best(c, at, &best) ? max_pool_with_argmax_v3_place(c, at, best) : -1;
  weft_store_i64(c->out[1]->dtype, c->out[1]->data, out, i);
}

static weft_status max_pool_with_argmax_v3_ref(const weft_call *c) {
  return weft__pooling_run(c, &SLOTS, max_pool_with_argmax_v3_one);
}

WEFT_OP(max_pool_with_argmax_v3) = {
    WEFT_OP_HEAD,
    .name = "MaxPoolWithArgmaxV3",
    .summary = "the largest element of each window and its place",
    .in = PORTS({"x", "T"}),
    .out = PORTS({"y", "T"}, {"argmax", "I"}),
    .types = TYPES({"T", WEFT_FLOATS | WEFT_DT(INT8) | WEFT_DT(UINT8)},
                   {"I", WEFT_SET_INDEX, .from_attr = "dtype"}),
    .attrs = ATTRS({"ksize", "ListInt", NULL, "each min 1"}, {"strides", "ListInt", NULL, "each min 1"},
                   {"pads", "ListInt", NULL, "each min 0"}, {"dtype", "Int", "3"},
                   {"dilation", "ListInt", "{1, 1}", "each min 1"}, {"ceil_mode", "Bool", "false"},
                   {"data_format", "String", "\"NCHW\"", "one of NCHW|NHWC|NCDHW|NDHWC|NCL|NLC"},
                   {"padding_mode", "String", "\"CALCULATED\"",
                    "one of CALCULATED|SAME|VALID|SAME_UPPER|SAME_LOWER", .ext = 1},
                   {"index_base", "String", "\"plane\"", "one of plane|tensor|tensor_column_major",
                    .ext = 1}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE,
    .infer = max_pool_with_argmax_v3_infer,
    .ref = max_pool_with_argmax_v3_ref,
    .examples = WEFT_EXAMPLES(
        "f32[1,2,2,2]{1,4,3,2,5,6,7,8} ksize=[2,2] strides=[1,1] pads=[0,0,0,0]"
        " -> f32[1,2,1,1]{4,8}@NCHW, i32[1,2,1,1]{1,3}@NCHW",
        "f32[1,2,2,2]{1,4,3,2,5,6,7,8} ksize=[2,2] strides=[1,1] pads=[0,0,0,0] dtype=9 index_base=\"tensor\""
        " -> f32[1,2,1,1]{4,8}@NCHW, i64[1,2,1,1]{1,7}@NCHW",
        "f32[1,2,2,3]{1,4,3,2,5,6,7,8,9,1,2,3} ksize=[2,3] strides=[1,1] pads=[0,0,0,0] dtype=9"
        " index_base=\"tensor_column_major\" -> f32[1,2,1,1]{6,9}@NCHW, i64[1,2,1,1]{5,10}@NCHW",
        "f32[1,2,2,2]{1,8,4,7,3,6,2,5} ksize=[2,2] strides=[1,1] pads=[0,0,0,0] data_format=\"NHWC\""
        " -> f32[1,1,1,2]{4,8}@NHWC, i32[1,1,1,2]{1,0}@NHWC",
        "f32[1,1,3]{1,nan,2} ksize=[2] strides=[1] pads=[0,0] dilation=[1] -> f32[1,1,2]{nan,nan}, "
        "i32[1,1,2]{1,1}",
        "f32[1,1,3]{2,2,1} ksize=[2] strides=[2] pads=[0,0] dilation=[1] padding_mode=\"SAME_LOWER\""
        " -> f32[1,1,2]{2,2}, i32[1,1,2]{0,1}",
        "f32[0,1,4,4] ksize=[2,2] strides=[2,2] pads=[0,0,0,0] -> f32[0,1,2,2]@NCHW, i32[0,1,2,2]@NCHW",
        "f32[-1,1,4,4] ksize=[2,2] strides=[2,2] pads=[0,0,0,0] -> f32[-1,1,2,2]@NCHW, i32[-1,1,2,2]@NCHW",
        "f32[4,4] ksize=[2,2] strides=[2,2] pads=[0,0,0,0] -> _, _ !! E_SHAPE expected rank 3 to 5, got 2",
        "f32[1,1,4,4] ksize=[2,2] strides=[2,2] pads=[0,0,0,0] index_base=\"row\" -> _, _ !! E_RANGE "
        "index_base"),
};
// SPDX-License-Identifier: Apache-2.0
