// aten_conv.c - convolutions. Over two spatial axes Conv2D with AscendIR's lists ([1,1,h,w], pads top,
// bottom, left, right), so that a convolution is the same node whatever framework it comes from; over one or
// three Conv.
#include "frontend/torch/tables.h"

typedef struct window {
  size_t n;  // spatial axes
  int64_t stride[3], dilation[3], begin[3], end[3], output[3];
  int64_t groups;
} window;

// "same" puts what is odd behind; strides are 1 then.
static void conv_same(pt_op *o, window *w, weft_value *weight) {
  for (size_t i = 0; i < w->n; i++) {
    weft_dim k = front_dim(weight, (int)i + 2);
    if (k < 0 || k > INT32_MAX) {
      front_fail(&o->b, WEFT_E_UNKNOWN, "padding 'same' with a kernel whose size is not known");
      return;
    }
    int64_t all = w->dilation[i] * (k - 1);
    w->begin[i] = all / 2;
    w->end[i] = all - w->begin[i];
  }
}

static window conv_window(pt_op *o, weft_value *weight) {
  window w = {.n = 0};
  int rank = front_rank_of(&o->b, weight);
  if (!o->b.failed && (rank < 3 || rank > 5))
    front_fail(&o->b, WEFT_E_SHAPE, "argument 'weight' has rank %d, expected 3 to 5", rank);
  if (o->b.failed)
    return w;
  w.n = (size_t)rank - 2;
  w.groups = pt_int(o, "groups", 1);
  pt_sizes(o, "stride", w.n, 1, w.stride);
  pt_sizes(o, "dilation", w.n, 1, w.dilation);
  const char *key;
  const weft_json *pad = pt_only(pt_find(o, "padding"), &key);
  if (pad && pad->kind == WEFT_JSON_STRING) {
    if (!strcmp(pad->s, "same"))
      conv_same(o, &w, weight);
    else if (strcmp(pad->s, "valid"))
      front_fail(&o->b, WEFT_E_INVALID, "padding '%.40s' is not one of same, valid", pad->s);
    return w;
  }
  pt_sizes(o, "padding", w.n, 0, w.begin);
  pt_sizes(o, "output_padding", w.n, 0, w.output);
  for (size_t i = 0; i < w.n; i++)
    w.end[i] = w.begin[i];
  return w;
}

static weft_value *conv_2d(front_op *b, const window *w, weft_value *const *in, size_t n) {
  const int64_t strides[4] = {1, 1, w->stride[0], w->stride[1]};
  const int64_t dilations[4] = {1, 1, w->dilation[0], w->dilation[1]};
  const int64_t pads[4] = {w->begin[0], w->end[0], w->begin[1], w->end[1]};
  front_set_ints(b, "strides", strides, 4);
  front_set_ints(b, "pads", pads, 4);
  front_set_ints(b, "dilations", dilations, 4);
  front_set_int(b, "groups", w->groups);
  front_set_text(b, "data_format", "NCHW");
  return front_emit(b, "Conv2D", in, n, NULL);
}

static weft_value *conv_any(front_op *b, const window *w, const char *type, weft_value *const *in, size_t n) {
  int64_t pads[6];
  for (size_t i = 0; i < w->n; i++) {
    pads[i] = w->begin[i];
    pads[w->n + i] = w->end[i];
  }
  front_set_ints(b, "strides", w->stride, w->n);
  front_set_ints(b, "pads", pads, 2 * w->n);
  front_set_ints(b, "dilations", w->dilation, w->n);
  front_set_int(b, "group", w->groups);
  if (!strcmp(type, "ConvTranspose"))
    front_set_ints(b, "output_padding", w->output, w->n);
  return front_emit(b, type, in, n, NULL);
}

static void conv_do(pt_op *o, bool transposed) {
  front_op *b = &o->b;
  weft_value *in[3] = {pt_tensor(o, "input"), pt_tensor(o, "weight"), pt_optional(o, "bias")};
  window w = conv_window(o, in[1]);
  int rank = front_rank_of(b, in[0]);
  if (b->failed)
    return;
  bool single = rank == (int)w.n + 1;  // one item without a batch
  if (single)
    in[0] = front_unsqueezed(b, in[0], 0);
  size_t n = in[2] ? 3 : 2;
  for (size_t i = 0; i < n && weft_dtype_is_integer(in[i]->fact.dtype); i++)
    in[i] = front_as(b, in[i], WEFT_DOUBLE);  // exact below 2^53
  weft_value *y = transposed ? conv_any(b, &w, "ConvTranspose", in, n)
                  : w.n == 2 ? conv_2d(b, &w, in, n)
                             : conv_any(b, &w, "Conv", in, n);
  pt_result(o, 0, single ? front_squeezed(b, y, 0) : y);
}

static void conv_conv(pt_op *o) {
  conv_do(o, false);
}
static void conv_transpose(pt_op *o) {
  conv_do(o, true);
}
static void conv_convolution(pt_op *o) {
  conv_do(o, pt_bool(o, "transposed", false));
}

static const pt_row conv_rows[] = {
    {"conv1d", NULL, 0, conv_conv, 0},
    {"conv2d", NULL, 0, conv_conv, 0},
    {"conv3d", NULL, 0, conv_conv, 0},
    {"conv_transpose1d", NULL, 0, conv_transpose, 0},
    {"conv_transpose2d", NULL, 0, conv_transpose, 0},
    {"conv_transpose3d", NULL, 0, conv_transpose, 0},
    {"convolution", NULL, 0, conv_convolution, 0},
    {"_convolution", NULL, 0, conv_convolution, 0},
};
const pt_rows pt_conv = PT_ROWS(conv_rows);
// SPDX-License-Identifier: Apache-2.0
