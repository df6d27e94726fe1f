// ops/nn/col2im.c - blocks laid back into an image, adding where they overlap.   ONNX Col2Im-18.
// input [N, C * elements of a block, L], image_shape and block_shape with one value for each spatial axis, y
// [N, C, image_shape...]. Block l is the l-th window; elements in the padding are dropped. Integers wrap.
// AscendIR's Col2im is this for two axes, with another shape of its input.
#include "arrays.h"
#include "dims_move.h"
#include "window.h"

enum { DILATIONS, PADS, STRIDES };
enum { AXES_MAX = WEFT_MAX_RANK - 2 };

static weft_status values(weft_diag *d, const weft_op_desc *n, size_t axes, weft_window w[AXES_MAX]) {
  weft_ints dilations = weft_node_ints(n, DILATIONS);
  weft_ints pads = weft_node_ints(n, PADS);
  weft_ints strides = weft_node_ints(n, STRIDES);
  if ((dilations.n && dilations.n != axes) || (strides.n && strides.n != axes) ||
      (pads.n && pads.n != 2 * axes)) {
    return weft_fail(d, WEFT_E_INVALID,
                     "attributes 'dilations', 'pads', 'strides' have %zu, %zu and %zu values for %zu axes",
                     dilations.n, pads.n, strides.n, axes);
  }
  for (size_t k = 0; k < axes; k++) {
    w[k] = (weft_window){-1, strides.n ? strides.v[k] : 1, dilations.n ? dilations.v[k] : 1,
                         pads.n ? pads.v[k] : 0, pads.n ? pads.v[axes + k] : 0};
  }
  return WEFT_OK;
}

// The number of blocks must be that of the windows.
static weft_status check_blocks(const weft_infer *it, size_t axes, weft_window *w, const int64_t *image,
                                const int64_t *block) {
  weft_symbols *p = it->symbols;
  weft_dim blocks = 1;
  weft_dim ignored;
  for (size_t k = 0; k < axes; k++) {
    weft_dim n;
    char what[64];
    snprintf(what, sizeof what, "spatial axis %zu of the image", k);
    w[k].kernel = weft__elem_dim(block[k]);
    const weft_window_axis over = {.what = what, .in = weft__elem_dim(image[k]), .window = w[k]};
    WEFT_TRY(weft__window_out(p, it->d, &over, &n));
    blocks = weft_dim_mul(p, blocks, n);
  }
  if (weft_shape_is_unknown_rank(it->in[0]))
    return WEFT_OK;
  return weft__merge_dim(it, blocks, it->in[0]->dim[2], "windows of the image and axis 2 of 'input'",
                         &ignored);
}

static weft_status col2im_infer(weft_infer *it) {
  const weft_shape *x = it->in[0];
  int64_t image[AXES_MAX];
  int64_t block[AXES_MAX];
  int64_t n;
  int64_t m;
  bool known;
  bool sized;
  weft_window w[AXES_MAX];
  WEFT_TRY(weft__expect_rank(it, 0, 3, 3));
  WEFT_TRY(weft__in_ints(it, 1, image, AXES_MAX, &n, &known));
  WEFT_TRY(weft__in_ints(it, 2, block, AXES_MAX, &m, &sized));
  WEFT_TRY(weft__merge_dim(it, n, m, "elements of 'image_shape' and 'block_shape'", &n));
  if (n < 0 || n > AXES_MAX)
    return weft__unknown_rank(it, 0);  // more axes than a shape holds
  if (n < 1)
    return weft_fail(it->d, WEFT_E_SHAPE, "input 'image_shape' has no elements");
  size_t axes = (size_t)n;
  WEFT_TRY(values(it->d, it->desc, axes, w));
  weft_dim elems = 1;
  weft_dim channels = -1;
  for (size_t k = 0; k < axes; k++) {
    int64_t least = known && weft__is_literal(image[k]) ? image[k] : 0;
    if (least < 0 || (sized && weft__is_literal(block[k]) && block[k] < 1)) {
      return weft_fail(it->d, WEFT_E_SHAPE,
                       "element %zu: a block of %lld elements does not make an image of %lld", k,
                       (long long)(sized ? block[k] : 0), (long long)least);
    }
    elems = weft_dim_mul(it->symbols, elems, sized ? weft__elem_dim(block[k]) : -1);
  }
  if (known && sized)
    WEFT_TRY(check_blocks(it, axes, w, image, block));
  if (!weft_shape_is_unknown_rank(x)) {
    channels = weft__dim_part(it, x->dim[1], elems);
    if (x->dim[1] >= 0 && elems >= 0 && channels < 0) {
      return weft_fail(it->d, WEFT_E_SHAPE,
                       "input 'input': axis 1 has %lld elements, no multiple of the block's %lld",
                       (long long)x->dim[1], (long long)elems);
    }
  }
  WEFT_TRY(weft__unknown_dims(it, 0, axes + 2));
  it->out[0]->dim[0] = weft_shape_is_unknown_rank(x) ? -1 : x->dim[0];
  it->out[0]->dim[1] = channels;
  for (size_t k = 0; k < axes && known; k++)
    it->out[0]->dim[k + 2] = weft__elem_dim(image[k]);
  return WEFT_OK;
}

// Where element `tap` of block `l` lies in the image; false: in the padding.
static bool col2im_place(const weft_window *w, const weft_shape *y, size_t tap, size_t l, size_t *out) {
  size_t at = 0;
  size_t stride = 1;
  for (size_t k = y->rank - 2; k-- > 0;) {
    int64_t size = y->dim[k + 2];
    int64_t windows = (size + w[k].begin + w[k].end - weft__window_span(&w[k])) / w[k].stride + 1;
    int64_t i = (int64_t)(l % (size_t)windows) * w[k].stride +
                (int64_t)(tap % (size_t)w[k].kernel) * w[k].dilation - w[k].begin;
    if (i < 0 || i >= size)
      return false;
    at += (size_t)i * stride;
    stride *= (size_t)size;
    l /= (size_t)windows;
    tap /= (size_t)w[k].kernel;
  }
  *out = at;
  return true;
}

static weft_status col2im_ref(const weft_call *c) {
  const weft_tensor *x = c->in[0];
  weft_tensor *y = c->out[0];
  weft_window w[AXES_MAX];
  int64_t block[AXES_MAX];
  size_t axes;
  size_t taps = 1;
  size_t work = 0;
  void *space;
  if (!y || !weft__elems(&y->layout.origin))
    return WEFT_OK;
  const weft_shape *xs = &x->layout.origin;
  const weft_shape *ys = &y->layout.origin;
  WEFT_TRY(weft__read_ints(c, 2, block, AXES_MAX, &axes));
  WEFT_TRY(values(c->d, c->desc, axes, w));
  for (size_t k = 0; k < axes; k++) {
    w[k].kernel = block[k];
    taps *= (size_t)block[k];
  }
  size_t planes = (size_t)ys->dim[0] * (size_t)ys->dim[1];
  size_t image = weft__prod(ys, 2, ys->rank);
  size_t blocks = (size_t)xs->dim[2];
  bool real = weft_dtype_is_float(x->dtype);
  WEFT_TRY(weft__scratch(c, image, &space));
  for (size_t p = 0; p < planes; p++) {
    WEFT_TRY(weft__poll_work(c, &work, image + taps));
    memset(space, 0, image * 8);
    for (size_t i = 0; i < taps * blocks; i++) {
      size_t at;
      WEFT_TRY(weft__poll_at(c, i));
      if (!col2im_place(w, ys, i / blocks, i % blocks, &at))
        continue;
      if (real)
        ((double *)space)[at] += weft_load_f64(x->dtype, x->data, p * taps * blocks + i);
      else
        ((uint64_t *)space)[at] += (uint64_t)weft_load_i64(x->dtype, x->data, p * taps * blocks + i);
    }
    for (size_t i = 0; i < image; i++) {
      if (real)
        weft_store_f64(y->dtype, y->data, p * image + i, ((double *)space)[i]);
      else
        weft_store_u64(y->dtype, y->data, p * image + i, ((uint64_t *)space)[i]);
    }
  }
  return WEFT_OK;
}

WEFT_OP(col2im) = {
    WEFT_OP_HEAD,
    .name = "Col2Im",
    .summary = "blocks added up into an image",
    .in = PORTS({"input", "T"}, {"image_shape", NULL, WEFT_SET_INDEX, .value = WEFT_VALUE_INFER},
                {"block_shape", NULL, WEFT_SET_INDEX, .value = WEFT_VALUE_INFER}),
    .out = PORTS({"output", "T"}),
    .types = TYPES({"T", WEFT_NUMBERS}),
    .attrs = ATTRS({"dilations", "ListInt", "{}", "each min 1"}, {"pads", "ListInt", "{}", "each min 0"},
                   {"strides", "ListInt", "{}", "each min 1"}),
    .traits = WEFT_SYMBOLIC,
    .infer = col2im_infer,
    .ref = col2im_ref,
    .examples = WEFT_EXAMPLES(
        "f32[1,5,5], i64[30], i64[30] -> f32[?]",
        "f32[1,2,3]{1,2,3,10,20,30}, i64[1]{4}, i64[1]{2} -> f32[1,1,4]{1,12,23,30}",
        "i8[1,4,1]{1,2,3,4}, i64[2]{2,2}, i64[2]{2,2} -> i8[1,1,2,2]{1,2,3,4}",
        "i8[1,2,2]{127,1,1,1}, i32[1]{3}, i32[1]{2} strides=[1] -> i8[1,1,3]{127,2,1}",
        "f32[1,2,2]{1,2,3,4}, i64[1]{2}, i64[1]{2} pads=[1,1] strides=[2] -> f32[1,1,2]{3,2}",
        "f32[1,4,2]{1,2,3,4,5,6,7,8}, i64[1]{4}, i64[1]{2} dilations=[2] -> f32[1,2,4]{1,2,3,4,5,6,7,8}",
        "f16[0,4,9], i64[2]{4,4}, i64[2]{2,2} -> f16[0,1,4,4]",
        "f32[N,8,-1], i64[2], i64[2]{2,2} -> f32[N,2,-1,-1]",
        "f32[-1,-1,-1], i64[-1], i64[2] -> f32[-1,-1,-1,-1]",
        "f32[1,5,1], i64[1]{2}, i64[1]{2} !! E_SHAPE no multiple",
        "f32[1,2,2], i64[1]{2}, i64[1]{2} !! E_SHAPE 1 and 2 differ",
        "f32[1,2,2], i64[1], i64[2] !! E_SHAPE 1 and 2 differ",
        "f32[1,2,1], i64[1]{2}, i64[1]{0} !! E_SHAPE a block of 0",
        "f32[1,2,1], i64[1], i64[1] pads=[1] !! E_INVALID 'pads'"),
};
// SPDX-License-Identifier: Apache-2.0
