// map_nn.c - convolutions, pools, norms and pictures. Layouts stay as the model has them: NHWC and HWIO are
// formats of the primitives.
#include "frontend/tf/tables.h"

static void nn_text(tf_op *o, const char *name, const char *dflt) {
  front_set_text(&o->b, name, tf_string(o, name, dflt));
}

// Strides, dilations and sizes have 31 bits, so that no arithmetic on them overflows.
static void nn_list(tf_op *o, const char *name, size_t n, int64_t out[TF_MAX_NUMBERS]) {
  size_t have = tf_ints(o, name, out);
  for (size_t i = have; i < n; i++)
    out[i] = 1;
  for (size_t i = 0; i < n; i++) {
    if (out[i] >= 1 && out[i] <= INT32_MAX)
      continue;
    front_fail(&o->b, WEFT_E_RANGE, "attribute '%s': %lld is outside [1, 2^31 - 1]", name, (long long)out[i]);
    out[i] = 1;
  }
}

// SAME as numbers, top, bottom, left, right, where the sizes are known. kernel, strides and dilations are
// those of the two spatial axes, x's first spatial axis is `axis`.
typedef struct nn_plane {
  const weft_value *x;
  int axis;
  int64_t kernel[2], strides[2], dilations[2];
} nn_plane;
static bool nn_same(const nn_plane *p, int64_t pads[4]) {
  for (int i = 0; i < 2; i++) {
    const front_axis_window w = {front_dim(p->x, p->axis + i), p->kernel[i], p->strides[i], p->dilations[i]};
    if (!front_same_pads(&w, &pads[2 * i], &pads[2 * i + 1]))
      return false;
  }
  return true;
}

static const char *nn_padding(tf_op *o) {
  static const char *const words[] = {"SAME", "VALID", "EXPLICIT"};
  const char *has = tf_string(o, "padding", "VALID");
  for (size_t i = 0; i < WEFT_COUNT(words); i++) {
    if (!strcmp(has, words[i]))
      return words[i];
  }
  front_fail(&o->b, WEFT_E_INVALID, "padding '%.40s' is not one of SAME, VALID, EXPLICIT", has);
  return "VALID";
}

// ---- convolutions ----
static weft_value *nn_conv_of(tf_op *o, weft_value *x, weft_value *w, int64_t groups) {
  front_op *b = &o->b;
  int64_t strides[TF_MAX_NUMBERS];
  int64_t dilations[TF_MAX_NUMBERS];
  int64_t pads[TF_MAX_NUMBERS] = {0};
  const int64_t none[4] = {0};
  bool first = tf_is(o, "data_format", "NHWC", "NCHW");
  const char *padding = nn_padding(o);
  nn_list(o, "strides", 4, strides);
  nn_list(o, "dilations", 4, dilations);
  bool given = !strcmp(padding, "EXPLICIT") && tf_ints(o, "explicit_paddings", pads) == 8;
  int at = first ? 2 : 1;
  int64_t same_pads[4];
  const nn_plane plane = {x,
                          at,
                          {front_dim(w, first ? 2 : 0), front_dim(w, first ? 3 : 1)},
                          {strides[at], strides[at + 1]},
                          {dilations[at], dilations[at + 1]}};
  bool same = !strcmp(padding, "SAME");
  bool counted = same && nn_same(&plane, same_pads);
  front_set_ints(b, "strides", strides, 4);
  front_set_ints(b, "dilations", dilations, 4);
  front_set_ints(b, "pads", counted ? same_pads : given ? pads + (first ? 4 : 2) : none, 4);
  front_set_int(b, "groups", groups);
  front_set_text(b, "data_format", first ? "NCHW" : "NHWC");
  if (same && !counted)
    front_set_text(b, "pad_mode", "SAME_UPPER");
  return front_do(b, "Conv2D", x, w, NULL);
}

// Filters are HWIO in either layout of x; Conv2D's of NCHW are OIHW.
static weft_value *nn_filter(tf_op *o, weft_value *w) {
  static const int64_t order[] = {3, 2, 0, 1};
  return tf_is(o, "data_format", "NHWC", "NCHW") ? front_permuted(&o->b, w, order, 4) : w;
}

static void nn_conv2d(tf_op *o) {
  weft_value *x = tf_in(o, 0);
  weft_value *w = tf_in(o, 1);
  bool first = tf_is(o, "data_format", "NHWC", "NCHW");
  weft_dim channels = front_dim(x, first ? 1 : 3);
  weft_dim each = front_dim(w, 2);
  int64_t groups = channels > 0 && each > 0 && channels % each == 0 ? channels / each : 1;
  tf_give(o, 0, nn_conv_of(o, x, nn_filter(o, w), groups));
}

// Conv has channels first.
static void nn_conv3d(tf_op *o) {
  static const int64_t filter[] = {4, 3, 0, 1, 2};
  static const int64_t to_first[] = {0, 4, 1, 2, 3};
  static const int64_t to_last[] = {0, 2, 3, 4, 1};
  front_op *b = &o->b;
  int64_t strides[TF_MAX_NUMBERS];
  int64_t dilations[TF_MAX_NUMBERS];
  const bool first = tf_is(o, "data_format", "NDHWC", "NCDHW");
  const int at = first ? 2 : 1;
  weft_value *x = tf_in(o, 0);
  weft_value *w = front_permuted(b, tf_in(o, 1), filter, 5);
  if (!first)
    x = front_permuted(b, x, to_first, 5);
  nn_list(o, "strides", 5, strides);
  nn_list(o, "dilations", 5, dilations);
  const weft_dim channels = front_dim(x, 1);
  const weft_dim each = front_dim(w, 1);
  if (channels > 0 && each > 0 && channels % each == 0)
    front_set_int(b, "group", channels / each);
  front_set_ints(b, "strides", strides + at, 3);
  front_set_ints(b, "dilations", dilations + at, 3);
  front_set_text(b, "auto_pad", tf_is(o, "padding", "VALID", "SAME") ? "SAME_UPPER" : "VALID");
  weft_value *y = front_do(b, "Conv", x, w, NULL);
  tf_give(o, 0, first ? y : front_permuted(b, y, to_last, 5));
}

// Filters [h, w, channels, each] as [h, w, 1, channels * each].
static weft_value *nn_depthwise_filter(front_op *b, weft_value *w) {
  weft_value *sizes[4] = {front_dim_list(b, w, 0), front_dim_list(b, w, 1),
                          front_list(b, (const int64_t[]){1}, 1), front_list(b, (const int64_t[]){-1}, 1)};
  weft_value *shape = b->failed ? NULL : front_joined(b, sizes, 4, 0);
  return front_do(b, "Reshape", w, shape, NULL);
}

static void nn_depthwise(tf_op *o) {
  weft_value *x = tf_in(o, 0);
  weft_value *w = tf_in(o, 1);
  weft_dim dims[4];
  bool known = true;
  if (!o->b.failed && front_rank(w) != 4)
    front_fail(&o->b, WEFT_E_UNKNOWN, "the rank of the filter is not 4");
  for (int i = 0; i < 4; i++) {
    dims[i] = front_dim_bounded(&o->b, w, i);
    known = known && dims[i] >= 0;
  }
  if (dims[2] < 0)
    dims[2] = front_dim(x, tf_is(o, "data_format", "NHWC", "NCHW") ? 1 : 3);
  if (!o->b.failed && dims[2] < 1)
    front_fail(&o->b, WEFT_E_UNKNOWN, "the number of channels is not known");
  if (o->b.failed)
    return;
  const int64_t shape[4] = {dims[0], dims[1], 1, dims[2] * dims[3]};
  w = known ? front_reshaped(&o->b, w, shape, 4) : nn_depthwise_filter(&o->b, w);
  tf_give(o, 0, nn_conv_of(o, x, nn_filter(o, w), dims[2]));
}

enum { NN_AXES = 3 };
typedef struct nn_window {
  int n, at;  // spatial axes, and which is the first
  int64_t strides[TF_MAX_NUMBERS], dilations[TF_MAX_NUMBERS], pads[2 * NN_AXES], more[NN_AXES];
} nn_window;

static void nn_transposed_pads(tf_op *o, weft_value *x, weft_value *w, const int64_t *size, nn_window *to) {
  front_op *b = &o->b;
  bool same = !strcmp(nn_padding(o), "SAME");
  for (int i = 0; i < to->n; i++) {
    const int axis = to->at + i;
    const int64_t in = front_dim_bounded(b, x, axis);
    const int64_t taps = front_dim_bounded(b, w, i);
    const int64_t out = front_bounded(b, size[i]);
    if (!b->failed && (in < 0 || taps < 0 || out < 0))
      front_fail(b, WEFT_E_UNKNOWN, "the sizes of input and filter are not known");
    if (b->failed)
      return;
    const int64_t reach = (taps - 1) * to->dilations[axis] + 1;
    const int64_t full = (in - 1) * to->strides[axis] + reach;
    const int64_t cut = same ? WEFT_MAX(full - out, 0) : 0;
    to->pads[i] = cut / 2;
    to->pads[i + to->n] = cut - cut / 2;
    to->more[i] = out - (full - cut);
    if (to->more[i] < 0)
      front_fail(b, WEFT_E_SHAPE, "axis %d of the output has %lld places, the convolution writes %lld", axis,
                 (long long)out, (long long)full);
  }
}

// Sizes of the output where they are not a constant, as its batch is not: they often follow from VALID or
// SAME.
static void nn_transposed_sizes(tf_op *o, weft_value *x, weft_value *w, const nn_window *win, int64_t *all) {
  bool same = tf_is(o, "padding", "VALID", "SAME");
  for (int i = 0; i < win->n; i++) {
    const int64_t stride = win->strides[win->at + i];
    const int64_t dim = front_dim_bounded(&o->b, x, win->at + i);
    const int64_t least = WEFT_MAX(front_dim_bounded(&o->b, w, i), stride);
    all[win->at + i] = dim < 0 ? -1 : same ? dim * stride : (dim - 1) * stride + least;
  }
}

// The gradient of a convolution: inputs are the sizes of what it read, its filter, and what it gave.
static void nn_conv_transposed_of(tf_op *o, nn_window *win) {
  const int n = win->n;
  front_op *b = &o->b;
  int64_t all[TF_MAX_NUMBERS] = {0};
  int64_t to_first[NN_AXES + 2] = {0, n + 1};
  int64_t to_last[NN_AXES + 2] = {0};
  int64_t filter[NN_AXES + 2] = {n + 1, n};
  weft_value *w = tf_in(o, 1);
  weft_value *x = tf_in(o, 2);
  size_t known = 0;
  nn_list(o, "strides", (size_t)n + 2, win->strides);
  nn_list(o, "dilations", (size_t)n + 2, win->dilations);
  weft_value *shape = tf_in(o, 0);
  if (!b->failed && !front_known_ints(shape, all, TF_MAX_NUMBERS, &known))
    nn_transposed_sizes(o, x, w, win, all);
  if (b->failed)
    return;
  nn_transposed_pads(o, x, w, all + win->at, win);
  for (int i = 0; i < n; i++) {
    to_first[i + 2] = i + 1;
    to_last[i + 1] = i + 2;
    filter[i + 2] = i;
  }
  to_last[n + 1] = 1;
  if (win->at == 1)
    x = front_permuted(b, x, to_first, (size_t)n + 2);
  w = front_permuted(b, w, filter, (size_t)n + 2);
  front_set_ints(b, "strides", win->strides + win->at, (size_t)n);
  front_set_ints(b, "dilations", win->dilations + win->at, (size_t)n);
  front_set_ints(b, "pads", win->pads, 2 * (size_t)n);
  front_set_ints(b, "output_padding", win->more, (size_t)n);
  weft_value *y = front_do(b, "ConvTranspose", x, w, NULL);
  tf_give(o, 0, win->at == 1 ? front_permuted(b, y, to_last, (size_t)n + 2) : y);
}
static void nn_conv_transposed(tf_op *o) {
  nn_window win = {.n = 2, .at = tf_is(o, "data_format", "NHWC", "NCHW") ? 2 : 1};
  nn_conv_transposed_of(o, &win);
}
static void nn_conv_transposed_3d(tf_op *o) {
  nn_window win = {.n = 3, .at = tf_is(o, "data_format", "NDHWC", "NCDHW") ? 2 : 1};
  nn_conv_transposed_of(o, &win);
}

// ---- pools ----
// VALID is padding of nothing, SAME as much as its windows need.
static void nn_pool_words(tf_op *o, const weft_value *x, bool plane, int64_t pads[TF_MAX_NUMBERS]) {
  int64_t ksize[TF_MAX_NUMBERS] = {0};
  int64_t strides[TF_MAX_NUMBERS] = {0};
  bool same = tf_is(o, "padding", "VALID", "SAME");
  int at = tf_is(o, "data_format", "NHWC", "NCHW") ? 2 : 1;
  tf_ints(o, "ksize", ksize);
  tf_ints(o, "strides", strides);
  const nn_plane p = {x, at, {ksize[at], ksize[at + 1]}, {strides[at], strides[at + 1]}, {1, 1}};
  memset(pads, 0, 4 * sizeof *pads);
  if (!plane || (same && !nn_same(&p, pads))) {
    front_set_text(&o->b, "padding_mode", same ? "SAME_UPPER" : "VALID");
    return;
  }
  front_set_text(&o->b, "padding_mode", "CALCULATED");
  front_set_ints(&o->b, "pads", pads, 4);
  front_set_bool(&o->b, "ceil_mode", false);
}

static void nn_pool(tf_op *o, const char *type, const char *layout) {
  front_op *b = &o->b;
  int64_t ksize[TF_MAX_NUMBERS];
  int64_t strides[TF_MAX_NUMBERS];
  int64_t pads[TF_MAX_NUMBERS];
  const char *padding = nn_padding(o);
  weft_value *x = tf_in(o, 0);
  size_t n = tf_ints(o, "ksize", ksize);
  size_t m = tf_ints(o, "strides", strides);
  front_set_ints(b, "ksize", ksize, n);
  front_set_ints(b, "strides", strides, m);
  nn_text(o, "data_format", layout);
  if (!strcmp(padding, "EXPLICIT")) {
    size_t k = tf_ints(o, "explicit_paddings", pads);
    bool first = tf_is(o, "data_format", layout, "NCHW");
    if (k != 8)
      front_fail(b, WEFT_E_INVALID, "%zu explicit paddings, expected 8", k);
    front_set_ints(b, "pads", pads + (first ? 4 : 2), 4);
    front_set_text(b, "padding_mode", "CALCULATED");
  } else
    nn_pool_words(o, x, n == 4 && m == 4, pads);
  tf_give(o, 0, front_do(b, type, x, NULL, NULL));
}
static void nn_max_pool(tf_op *o) {
  nn_pool(o, "MaxPoolV3", "NHWC");
}
static void nn_max_pool_3d(tf_op *o) {
  nn_pool(o, "MaxPoolV3", "NDHWC");
}
static void nn_avg_pool(tf_op *o) {
  nn_pool(o, "AvgPoolV2", "NHWC");
}
static void nn_avg_pool_3d(tf_op *o) {
  nn_pool(o, "AvgPoolV2", "NDHWC");
}

// Places count rows, columns and channels: those of MaxPoolWithArgmaxV3 count rows and columns of a plane.
static void nn_max_pool_places(tf_op *o) {
  front_op *b = &o->b;
  int64_t ksize[TF_MAX_NUMBERS] = {1, 1, 1, 1};
  int64_t strides[TF_MAX_NUMBERS] = {1, 1, 1, 1};
  static const int64_t none[4] = {0};
  weft_value *x = tf_in(o, 0);
  weft_dtype t = tf_type(o, "Targmax", WEFT_INT64);
  tf_ints(o, "ksize", ksize);
  tf_ints(o, "strides", strides);
  front_set_ints(b, "ksize", ksize + 1, 2);
  front_set_ints(b, "strides", strides + 1, 2);
  front_set_ints(b, "pads", none, 4);
  front_set_int(b, "dtype", WEFT_INT64);
  front_set_text(b, "data_format", "NHWC");
  front_set_text(b, "padding_mode", tf_is(o, "padding", "VALID", "SAME") ? "SAME_UPPER" : "VALID");
  weft_value *y = front_do(b, "MaxPoolWithArgmaxV3", x, NULL, NULL);
  weft_value *channels = front_dim_index(b, x, 3);
  weft_value *places = y ? front_do(b, "Mul", y + 1, channels, NULL) : NULL;
  places = front_do(b, "Add", places, front_counting(b, channels), NULL);
  if (tf_bool(o, "include_batch_in_index", false)) {
    weft_value *rows = front_do(b, "Mul", front_dim_index(b, x, 1), front_dim_index(b, x, 2), NULL);
    weft_value *each = front_do(b, "Mul", rows, channels, NULL);
    weft_value *batch = front_do(b, "Mul", front_counting(b, front_dim_index(b, x, 0)), each, NULL);
    places = front_do(b, "Add", places, front_reshaped(b, batch, (const int64_t[]){-1, 1, 1, 1}, 4), NULL);
  }
  tf_give(o, 0, y);
  tf_give(o, 1, front_as(b, places, t));
}

// ---- norms ----
static void nn_batch_norm(tf_op *o) {
  weft_value *in[5];
  for (size_t i = 0; i < 5; i++)
    in[i] = tf_in(o, i);
  for (size_t i = 3; i < 5; i++) {  // empty: there are no earlier ones
    if (front_rank(in[i]) == 1 && front_dim(in[i], 0) == 0)
      in[i] = NULL;
  }
  front_set_float(&o->b, "epsilon", tf_float(o, "epsilon", 1e-4));
  nn_text(o, "data_format", "NHWC");
  front_set_bool(&o->b, "is_training", tf_bool(o, "is_training", true));
  front_set_float(&o->b, "exponential_avg_factor", tf_float(o, "exponential_avg_factor", 1));
  weft_value *y = o->b.failed ? NULL : front_emit(&o->b, "BatchNorm", in, 5, NULL);
  tf_give_all(o, y, y ? WEFT_MIN(y->node->desc.pub.n_out, 6) : 0);
}

// ---- pictures ----
static void nn_resize(tf_op *o, const char *mode) {
  static const int64_t axes[] = {1, 2};
  front_op *b = &o->b;
  bool half = tf_bool(o, "half_pixel_centers", false);
  bool corners = tf_bool(o, "align_corners", false);
  weft_value *x = tf_in(o, 0);
  weft_value *in[4] = {x, NULL, NULL, tf_in(o, 1)};
  if (*mode != 'n')
    in[0] = front_as(b, x, WEFT_FLOAT);
  front_set_text(b, "coordinate_transformation_mode",
                 corners ? "align_corners"
                 : half  ? "half_pixel"
                         : "asymmetric");
  front_set_text(b, "mode", mode);
  front_set_text(b, "nearest_mode", half || corners ? "round_prefer_ceil" : "floor");
  front_set_ints(b, "axes", axes, 2);
  tf_give(o, 0, b->failed ? NULL : front_emit(b, "Resize", in, 4, NULL));
}
static void nn_resize_linear(tf_op *o) {
  nn_resize(o, "linear");
}
static void nn_resize_nearest(tf_op *o) {
  nn_resize(o, "nearest");
}
// Cubics are TensorFlow's own, whose weights come from a table of 1024 steps.
static void nn_resize_cubic(tf_op *o) {
  front_op *b = &o->b;
  weft_value *x = front_as(b, tf_in(o, 0), WEFT_FLOAT);
  weft_value *size = front_as(b, tf_in(o, 1), WEFT_INT32);
  front_set_bool(b, "align_corners", tf_bool(o, "align_corners", false));
  front_set_bool(b, "half_pixel_centers", tf_bool(o, "half_pixel_centers", false));
  tf_give(o, 0, front_do(b, "ResizeBicubic", x, size, NULL));
}

static void nn_lrn(tf_op *o) {
  weft_value *x = tf_in(o, 0);
  front_set_int(&o->b, "depth_radius", tf_int(o, "depth_radius", 5));
  front_set_float(&o->b, "bias", tf_float(o, "bias", 1));
  front_set_float(&o->b, "alpha", tf_float(o, "alpha", 1));
  front_set_float(&o->b, "beta", tf_float(o, "beta", 0.5));
  front_set_text(&o->b, "data_format", "NHWC");
  tf_give(o, 0, front_do(&o->b, "LRN", x, NULL, NULL));
}

static const tf_row nn_rows[] = {
    {"AvgPool", NULL, NULL, nn_avg_pool},
    {"AvgPool3D", NULL, NULL, nn_avg_pool_3d},
    {"BiasAdd", "BiasAdd", "data_format=NHWC", NULL},
    {"Conv2D", NULL, NULL, nn_conv2d},
    {"Conv2DBackpropInput", NULL, NULL, nn_conv_transposed},
    {"Conv3D", NULL, NULL, nn_conv3d},
    {"Conv3DBackpropInputV2", NULL, NULL, nn_conv_transposed_3d},
    {"DepthwiseConv2dNative", NULL, NULL, nn_depthwise},
    {"FusedBatchNorm", NULL, NULL, nn_batch_norm},
    {"FusedBatchNormV2", NULL, NULL, nn_batch_norm},
    {"FusedBatchNormV3", NULL, NULL, nn_batch_norm},
    {"LRN", NULL, NULL, nn_lrn},
    {"MaxPool", NULL, NULL, nn_max_pool},
    {"MaxPool3D", NULL, NULL, nn_max_pool_3d},
    {"MaxPoolWithArgmax", NULL, NULL, nn_max_pool_places},
    {"ResizeBicubic", NULL, NULL, nn_resize_cubic},
    {"ResizeBilinear", NULL, NULL, nn_resize_linear},
    {"ResizeNearestNeighbor", NULL, NULL, nn_resize_nearest},
};
const tf_rows tf_nn = TF_ROWS(nn_rows);
// SPDX-License-Identifier: Apache-2.0
