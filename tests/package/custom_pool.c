// custom_pool.c - the article's pooling rule: SAME gives ceil(H/s), VALID floor((H-k)/s)+1 (R68-R70). Largest
// value wins.
#include "documents.h"

enum { KERNEL_SIZE, STRIDES, PADDING };

static bool same(const weft_op_desc *n) {
  return !strcmp(weft_node_str(n, PADDING), "SAME");
}

static weft_status infer(weft_infer *it) {
  const weft_shape *x = it->in[0];
  weft_dim y[4] = {-1, -1, -1, -1};
  weft_ints k = weft_node_ints(it->desc, KERNEL_SIZE);
  weft_ints s = weft_node_ints(it->desc, STRIDES);
  if (weft_unknown_rank(x))
    return weft_set_out_shape(it, 0, y, 4);
  if (x->rank != 4)
    return it->host->fail(it->d, WEFT_E_SHAPE, "Expected 4D input, got %zuD", x->rank);
  for (size_t i = 0; i < 4; i++) {
    y[i] = x->dim[i];
    if (i < 2 || y[i] < 0)
      continue;
    int64_t size = x->dim[i];
    int64_t step = s.v[i - 2];
    if (!same(it->desc) && size < k.v[i - 2]) {
      return it->host->fail(it->d, WEFT_E_SHAPE,
                            "dim %zu is %lld, the kernel %lld: no output with VALID padding", i,
                            (long long)size, (long long)k.v[i - 2]);
    }
    y[i] = same(it->desc) ? size / step + (size % step != 0) : (size - k.v[i - 2]) / step + 1;
  }
  return weft_set_out_shape(it, 0, y, 4);
}

static float window(const weft_call *c, const float *plane, int64_t oy, int64_t ox) {
  const weft_dim *x = c->in[0]->layout.origin.dim;
  const weft_dim *y = c->out[0]->layout.origin.dim;
  weft_ints k = weft_node_ints(c->desc, KERNEL_SIZE);
  weft_ints s = weft_node_ints(c->desc, STRIDES);
  int64_t start[2] = {oy * s.v[0], ox * s.v[1]};
  for (int i = 0; i < 2 && same(c->desc); i++) {
    int64_t over = (y[2 + i] - 1) * s.v[i] + k.v[i] - x[2 + i];
    start[i] -= over > 0 ? over / 2 : 0;
  }
  float best = 0;
  bool any = false;
  for (int64_t iy = start[0]; iy - start[0] < k.v[0] && iy < x[2]; iy++) {
    for (int64_t ix = start[1]; ix - start[1] < k.v[1] && ix < x[3]; ix++) {
      if (iy < 0 || ix < 0)
        continue;
      float v = plane[iy * x[3] + ix];
      if (!any || v > best || v != v)
        best = v;
      any = true;
      if (v != v)
        return v;
    }
  }
  return best;
}

static weft_status ref(const weft_call *c) {
  const weft_dim *x = c->in[0]->layout.origin.dim;
  const weft_dim *y = c->out[0]->layout.origin.dim;
  float *out = c->out[0]->data;
  for (int64_t plane = 0; plane < y[0] * y[1]; plane++) {
    for (int64_t oy = 0; oy < y[2]; oy++) {
      for (int64_t ox = 0; ox < y[3]; ox++)
        *out++ = window(c, (const float *)c->in[0]->data + plane * x[2] * x[3], oy, ox);
    }
  }
  return WEFT_OK;
}

const weft_op documents_custom_pool = {
    WEFT_OP_HEAD,
    .name = "CustomPool",
    .summary = "the largest value of each window",
    .in = WEFT_PORTS({"x", .dtypes = WEFT_DT(FLOAT)}),
    .out = WEFT_PORTS({"y", .dtypes = WEFT_DT(FLOAT)}),
    .attrs = WEFT_ATTRS({"kernel_size", "ListInt", NULL, "count 2;each min 1"},
                        {"strides", "ListInt", NULL, "count 2;each min 1"},
                        {"padding", "String", NULL, "one of SAME|VALID"}),
    .traits = WEFT_MONOTONE,
    .infer = infer,
    .ref = ref,
    .examples = WEFT_NAMES(
        "f32[1,1,112,112] kernel_size=[2,2] strides=[2,2] padding=\"SAME\" -> f32[1,1,56,56]",  // R68
        "f32[1,1,112,112] kernel_size=[2,2] strides=[2,2] padding=\"VALID\" -> f32[1,1,56,56]",
        "f32[1,1,7,7] kernel_size=[3,3] strides=[2,2] padding=\"SAME\" -> f32[1,1,4,4]",
        "f32[1,1,7,7] kernel_size=[3,3] strides=[2,2] padding=\"VALID\" -> f32[1,1,3,3]",
        "f32[1,1,224,224] kernel_size=[3,3] strides=[2,2] padding=\"SAME\" -> f32[1,1,112,112]",
        "f32[1,1,224,224] kernel_size=[3,3] strides=[2,2] padding=\"VALID\" -> f32[1,1,111,111]",
        "f32[3,224,224] kernel_size=[2,2] strides=[2,2] padding=\"SAME\" !! E_SHAPE Expected 4D "
        "input, got 3D",  // R69
        "f32[1,1,4,4] kernel_size=[2,2] strides=[2,2] padding=\"FOO\" !! E_RANGE Invalid padding: "
        "FOO",  // R70
        "f32[1,1,4,4] kernel_size=[2,2] strides=[0,2] padding=\"SAME\" !! E_RANGE strides values "
        "must be >= 1",
        "f32[1,1,4,4] kernel_size=[2,2] strides=[2] padding=\"SAME\" !! E_RANGE strides must have 2 "
        "values, got 1",
        "f32[1,1,1,4] kernel_size=[4,4] strides=[2,2] padding=\"VALID\" !! E_SHAPE dim 2 is 1, the "
        "kernel 4",
        "f32[1,1,-1,4] kernel_size=[2,2] strides=[2,2] padding=\"VALID\" -> f32[1,1,-1,2]",
        "f32[1,1,2,3]{1,5,3,4,2,6} kernel_size=[2,2] strides=[1,1] padding=\"VALID\" -> "
        "f32[1,1,1,2]{5,6}",
        "f32[1,1,1,3]{1,2,3} kernel_size=[2,2] strides=[2,2] padding=\"SAME\" -> f32[1,1,1,2]{2,3}"),
};
// SPDX-License-Identifier: Apache-2.0
