// map_nn.c - convolutions, pools, norms and pictures. Layouts stay as the model has them: images are NHWC,
// and filters, which are OHWI here, are turned into HWIO while compiling.
#include "frontend/tflite/tables.h"

static const int64_t nn_to_first[] = {0, 3, 1, 2};
static const int64_t nn_to_last[] = {0, 2, 3, 1};

// Input i with its axes in this order, as real numbers: the integers are turned, so that DequantizeLinear
// stands beside what reads it.
static weft_value *nn_filter(tl_op *o, size_t i, const int64_t *order, size_t n) {
  weft_value *w = tl_raw(o, i);
  const tl_tensor *t = tl_tensor_in(o, i);
  if (!o->b.failed && front_rank(w) != (int)n)
    return front_none(&o->b, WEFT_E_SHAPE, "the filter has rank %d, expected %zu", front_rank(w), n);
  return tl_real(o, t, front_permuted(&o->b, w, order, n), order);
}

static void nn_give(tl_op *o, weft_value *v) {
  tl_give(o, 0, tl_active(o, v));
}

// ---- convolutions ----
static void nn_conv(tl_op *o, const tl_window *win, const int64_t *order) {
  front_op *b = &o->b;
  static const int64_t none[4] = {0};
  const int64_t strides[4] = {1, win->strides[0], win->strides[1], 1};
  const int64_t dilations[4] = {1, win->dilations[0], win->dilations[1], 1};
  if (b->failed || tl_fixed_conv(o, win))
    return;
  weft_value *x = tl_in(o, 0);
  weft_value *w = nn_filter(o, 1, order, 4);
  weft_value *bias = tl_has(o, 2) ? tl_in(o, 2) : NULL;
  front_set_ints(b, "strides", strides, 4);
  front_set_ints(b, "dilations", dilations, 4);
  front_set_ints(b, "pads", none, 4);
  front_set_int(b, "groups", win->groups);
  front_set_text(b, "data_format", "NHWC");
  if (win->same)
    front_set_text(b, "pad_mode", "SAME_UPPER");
  nn_give(o, front_do(b, "Conv2D", x, w, bias));
}

static tl_window nn_window_of(tl_op *o, uint32_t dilation) {
  return (tl_window){.strides = {tl_int(o, 2, 0), tl_int(o, 1, 0)},
                     .dilations = {tl_int(o, dilation + 1, 1), tl_int(o, dilation, 1)},
                     .same = !tl_byte(o, 0, 0),
                     .groups = 1};
}

static void nn_conv2d(tl_op *o) {
  static const int64_t order[] = {1, 2, 3, 0};
  tl_window win = nn_window_of(o, 4);
  weft_dim channels = front_dim(tl_raw(o, 0), 3);
  weft_dim each = front_dim(tl_raw(o, 1), 3);
  if (channels > 0 && each > 0 && channels % each == 0)
    win.groups = channels / each;
  nn_conv(o, &win, order);
}

static void nn_depthwise(tl_op *o) {
  static const int64_t order[] = {1, 2, 0, 3};
  tl_window win = nn_window_of(o, 5);
  win.groups = front_dim(tl_raw(o, 0), 3);
  win.depthwise = true;
  if (!o->b.failed && win.groups < 1)
    front_fail(&o->b, WEFT_E_UNKNOWN, "the number of channels is not known");
  nn_conv(o, &win, order);
}

typedef struct nn_window {
  int64_t strides[2], pads[4], more[2];
} nn_window;

// What VALID or SAME cuts off, and what the output has behind it.
static void nn_transposed_pads(tl_op *o, const tl_turned *turned, nn_window *win) {
  front_op *b = &o->b;
  int64_t size[TL_MAX_NUMBERS] = {0};
  const int64_t *strides = win->strides;
  int64_t *pads = win->pads;
  int64_t *more = win->more;
  const bool same = turned->same;
  size_t n = 0;
  weft_value *w = tl_raw(o, 1);
  weft_value *x = tl_raw(o, turned->x);
  weft_value *sizes = turned->sized ? tl_raw(o, 0) : NULL;
  if (b->failed)
    return;
  const bool given = sizes && front_known_ints(sizes, size, TL_MAX_NUMBERS, &n) && n == 4;
  for (int i = 0; i < 2; i++) {
    const int64_t in = front_dim_bounded(b, x, i + 1);
    const int64_t reach = front_dim_bounded(b, w, i + 1);
    if (!b->failed && (in < 0 || reach < 0))
      front_fail(b, WEFT_E_UNKNOWN, "the sizes of input and filter are not known");
    if (b->failed)
      return;
    int64_t full = (in - 1) * strides[i] + reach;
    int64_t to = given  ? front_bounded(b, size[i + 1])
                 : same ? in * strides[i]
                        : WEFT_MAX(full, in * strides[i]);
    int64_t cut = same ? WEFT_MAX(full - to, 0) : 0;
    pads[i] = cut / 2;
    pads[i + 2] = cut - cut / 2;
    more[i] = to - (full - cut);
    if (more[i] < 0)
      front_fail(b, WEFT_E_SHAPE, "output size %lld of axis %d, the input gives %lld", (long long)to, i + 1,
                 (long long)full);
  }
}

void tl_conv_transposed(tl_op *o, const tl_turned *turned) {
  static const int64_t order[] = {3, 0, 1, 2};
  front_op *b = &o->b;
  nn_window win = {.strides = {turned->strides[0], turned->strides[1]}};
  nn_transposed_pads(o, turned, &win);
  if (b->failed || (turned->sized && tl_fixed_transposed(o, win.strides, win.pads, win.more)))
    return;
  weft_value *w = nn_filter(o, 1, order, 4);
  weft_value *x = tl_in(o, turned->x);
  weft_value *bias = tl_has(o, turned->bias) ? tl_in(o, turned->bias) : NULL;
  weft_value *first = front_permuted(b, x, nn_to_first, 4);
  front_set_ints(b, "strides", win.strides, 2);
  front_set_ints(b, "pads", win.pads, 4);
  front_set_ints(b, "output_padding", win.more, 2);
  weft_value *y = front_do(b, "ConvTranspose", first, w, bias);
  nn_give(o, front_permuted(b, y, nn_to_last, 4));
}

static void nn_conv_transposed(tl_op *o) {
  const tl_turned turned = {.sized = true,
                            .x = 2,
                            .bias = 3,
                            .same = !tl_byte(o, 0, 0),
                            .strides = {tl_int(o, 2, 0), tl_int(o, 1, 0)}};
  tl_conv_transposed(o, &turned);
}

static void nn_conv3d(tl_op *o) {
  static const int64_t filter[] = {4, 3, 0, 1, 2};
  static const int64_t first[] = {0, 4, 1, 2, 3};
  static const int64_t last[] = {0, 2, 3, 4, 1};
  front_op *b = &o->b;
  weft_value *w = nn_filter(o, 1, filter, 5);
  weft_value *x = front_permuted(b, tl_in(o, 0), first, 5);
  weft_value *bias = tl_has(o, 2) ? tl_in(o, 2) : NULL;
  const int64_t strides[3] = {tl_int(o, 1, 0), tl_int(o, 3, 0), tl_int(o, 2, 0)};
  const int64_t dilations[3] = {tl_int(o, 5, 1), tl_int(o, 7, 1), tl_int(o, 6, 1)};
  front_set_ints(b, "strides", strides, 3);
  front_set_ints(b, "dilations", dilations, 3);
  front_set_text(b, "auto_pad", tl_byte(o, 0, 0) ? "VALID" : "SAME_UPPER");
  weft_value *y = front_do(b, "Conv", x, w, bias);
  nn_give(o, front_permuted(b, y, last, 5));
}

// The output's shape is an input; the filter is [d, h, w, out, in].
static void nn_conv3d_transposed(tl_op *o) {
  static const int64_t filter[] = {4, 3, 0, 1, 2};
  static const int64_t first[] = {0, 4, 1, 2, 3};
  static const int64_t last[] = {0, 2, 3, 4, 1};
  front_op *b = &o->b;
  int64_t shape[TL_MAX_NUMBERS];
  int64_t pads[6];
  int64_t more[3];
  const size_t n = tl_known(o, 0, shape);
  weft_value *w = nn_filter(o, 1, filter, 5);
  weft_value *x = front_permuted(b, tl_in(o, 2), first, 5);
  weft_value *bias = tl_has(o, 3) ? tl_in(o, 3) : NULL;
  const int64_t strides[3] = {tl_int(o, 1, 0), tl_int(o, 3, 0), tl_int(o, 2, 0)};
  const int64_t dilations[3] = {tl_int(o, 5, 1), tl_int(o, 7, 1), tl_int(o, 6, 1)};
  if (!b->failed && n != 5)
    front_fail(b, WEFT_E_SHAPE, "an output of %zu sizes, expected 5", n);
  for (int i = 0; i < 3 && !b->failed; i++) {
    const int64_t in = front_dim_bounded(b, x, i + 2);
    const int64_t kernel = front_dim_bounded(b, w, i + 2);
    const int64_t full = (in - 1) * strides[i] + (kernel - 1) * dilations[i] + 1;
    const int64_t over = full - front_bounded(b, shape[i + 1]);
    if (in < 0 || kernel < 0)
      front_fail(b, WEFT_E_UNSUPPORTED, "a transposed convolution of sizes that are not known");
    pads[i] = over > 0 ? over / 2 : 0;
    pads[i + 3] = over > 0 ? over - over / 2 : 0;
    more[i] = over < 0 ? -over : 0;
  }
  if (b->failed)
    return;
  front_set_ints(b, "strides", strides, 3);
  front_set_ints(b, "dilations", dilations, 3);
  front_set_ints(b, "pads", pads, 6);
  front_set_ints(b, "output_padding", more, 3);
  weft_value *y = front_do(b, "ConvTranspose", x, w, bias);
  nn_give(o, front_permuted(b, y, last, 5));
}

// x as rows times the filter's rows.
static void nn_fully_connected(tl_op *o) {
  front_op *b = &o->b;
  if (tl_byte(o, 1, 0))
    front_fail(b, WEFT_E_UNSUPPORTED, "weights in shuffled blocks are not read");
  if (b->failed || tl_fixed_rows(o))
    return;
  weft_value *x = tl_in(o, 0);
  weft_value *w = tl_in(o, 1);
  weft_value *bias = tl_has(o, 2) ? tl_in(o, 2) : NULL;
  weft_dim inner = front_dim(w, 1);
  if (!b->failed && inner < 1)
    front_fail(b, WEFT_E_UNKNOWN, "the sizes of the weights are not known");
  if (!tl_byte(o, 2, 0) && (front_rank(x) != 2 || front_dim(x, 1) != inner)) {
    const int64_t rows[2] = {-1, inner};
    x = front_reshaped(b, x, rows, 2);
  }
  bool plain = front_rank(x) == 2;
  front_set_bool(b, plain ? "transpose_x2" : "adj_x2", true);
  nn_give(o, front_do(b, plain ? "MatMulV2" : "BatchMatMulV2", x, w, bias));
}

// ---- pools ----
static weft_value *nn_pool(tl_op *o, const char *type, weft_value *x) {
  front_op *b = &o->b;
  const int64_t ksize[4] = {1, tl_int(o, 4, 0), tl_int(o, 3, 0), 1};
  const int64_t strides[4] = {1, tl_int(o, 2, 0), tl_int(o, 1, 0), 1};
  front_set_ints(b, "ksize", ksize, 4);
  front_set_ints(b, "strides", strides, 4);
  front_set_text(b, "data_format", "NHWC");
  front_set_text(b, "padding_mode", tl_byte(o, 0, 0) ? "VALID" : "SAME_UPPER");
  return front_do(b, type, x, NULL, NULL);
}
static void nn_max_pool(tl_op *o) {
  if (tl_byte(o, 5, 0))
    nn_give(o, nn_pool(o, "MaxPoolV3", tl_in(o, 0)));
  else  // both sides have one scale
    tl_give_raw(o, 0, nn_pool(o, "MaxPoolV3", tl_raw(o, 0)));
}
static void nn_avg_pool(tl_op *o) {
  if (!tl_fixed_pool(o, nn_pool))
    nn_give(o, nn_pool(o, "AvgPoolV2", tl_in(o, 0)));
}
static void nn_l2_pool(tl_op *o) {
  weft_value *square = front_do(&o->b, "Square", tl_in(o, 0), NULL, NULL);
  nn_give(o, front_do(&o->b, "Sqrt", nn_pool(o, "AvgPoolV2", square), NULL, NULL));
}

// ---- pictures ----
static void nn_resize(tl_op *o, const char *mode, uint32_t field) {
  static const int64_t axes[] = {1, 2};
  front_op *b = &o->b;
  bool corners = tl_byte(o, field, 0);
  bool half = tl_byte(o, field + 1, 0);
  weft_value *in[4] = {tl_in(o, 0), NULL, NULL, tl_raw(o, 1)};
  front_set_text(b, "coordinate_transformation_mode",
                 corners ? "align_corners"
                 : half  ? "half_pixel"
                         : "asymmetric");
  front_set_text(b, "mode", mode);
  front_set_text(b, "nearest_mode", half || corners ? "round_prefer_ceil" : "floor");
  front_set_ints(b, "axes", axes, 2);
  tl_give(o, 0, b->failed ? NULL : front_emit(b, "Resize", in, 4, NULL));
}
static void nn_resize_linear(tl_op *o) {
  nn_resize(o, "linear", 2);
}
static void nn_resize_nearest(tl_op *o) {
  nn_resize(o, "nearest", 0);
}

static const tl_row nn_rows[] = {
    {TL_AVERAGE_POOL_2D, NULL, NULL, TL_COMPUTE, 0, nn_avg_pool},
    {TL_CONV_2D, NULL, NULL, TL_COMPUTE, 0, nn_conv2d},
    {TL_CONV_3D, NULL, NULL, TL_COMPUTE, 0, nn_conv3d},
    {TL_CONV_3D_TRANSPOSE, NULL, NULL, TL_COMPUTE, 0, nn_conv3d_transposed},
    {TL_DEPTHWISE_CONV_2D, NULL, NULL, TL_COMPUTE, 0, nn_depthwise},
    {TL_FULLY_CONNECTED, NULL, NULL, TL_COMPUTE, 0, nn_fully_connected},
    {TL_L2_POOL_2D, NULL, NULL, TL_COMPUTE, 0, nn_l2_pool},
    {TL_LOCAL_RESPONSE_NORMALIZATION, "LRN", "depth_radius=i0 bias=f1 alpha=f2 beta=f3 data_format='NHWC'",
     TL_COMPUTE, 0, NULL},
    {TL_MAX_POOL_2D, NULL, NULL, TL_COMPUTE, 0, nn_max_pool},
    {TL_RESIZE_BILINEAR, NULL, NULL, TL_COMPUTE, 0, nn_resize_linear},
    {TL_RESIZE_NEAREST_NEIGHBOR, NULL, NULL, TL_MOVE, 0, nn_resize_nearest},
    {TL_TRANSPOSE_CONV, NULL, NULL, TL_COMPUTE, 0, nn_conv_transposed},
};
const tl_rows tl_nn = TL_ROWS(nn_rows);
// SPDX-License-Identifier: Apache-2.0
