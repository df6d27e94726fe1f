// export_nn.c - primitives of layers as ONNX operators: products, convolutions, pools, normalisations,
// images, recurrent layers, and control flow with its bodies.
#include "frontend/onnx/export.h"

static int nn_rank(const weft_value *v) {
  return v && weft__fact_ranked(&v->fact) ? v->fact.rank : -1;
}

// ---- products ----
// The last two axes swapped.
static const char *nn_turned(export *x, const char *v, int rank) {
  int64_t order[WEFT_MAX_RANK];
  for (int i = 0; i < rank; i++)
    order[i] = i < rank - 2 ? i : 2 * rank - 3 - i;
  const char *y = export_op1(x, "Transpose", v, NULL, NULL, NULL);
  onnxw_attr_ints(&x->w, "perm", order, (size_t)rank);
  return y;
}
static bool nn_product(export *x) {
  bool batch = !strcmp(weft_node_type(x->node), "BatchMatMulV2");
  const weft_value *v[2] = {export_in_value(x, 0), export_in_value(x, 1)};
  const char *in[2] = {export_in(x, 0), export_in(x, 1)};
  static const char *const names[2][2] = {{"transpose_x1", "transpose_x2"}, {"adj_x1", "adj_x2"}};
  if (export_in_value(x, 3) || v[0]->fact.dtype != x->node->out[0].fact.dtype)
    return false;
  for (int i = 0; i < 2; i++) {
    int rank = nn_rank(v[i]);
    if (!export_attr_int(x, names[batch][i], 0) || rank == 1)
      continue;
    if (rank < 2)
      return false;
    in[i] = nn_turned(x, in[i], rank);
  }
  const char *bias = export_in(x, 2);
  const char *y = export_op1(x, "MatMul", in[0], in[1], NULL, *bias ? NULL : export_out(x, 0));
  if (*bias)
    (void)export_op1(x, "Add", y, bias, NULL, export_out(x, 0));
  return true;
}

// ---- windows ----
static const char *nn_permuted(export *x, const char *v, const int64_t order[4], const char *out) {
  const char *y = export_op1(x, "Transpose", v, NULL, NULL, out);
  onnxw_attr_ints(&x->w, "perm", order, 4);
  return y;
}

// Pictures whose channels come last, and are to come first.
static bool nn_turns(const export *x) {
  return !export_attr_is(x, "data_format", "NCHW") && nn_rank(export_in_value(x, 0)) == 4;
}
static const char *nn_begin(export *x, bool turns) {
  static const int64_t first[] = {0, 3, 1, 2};
  return turns ? nn_permuted(x, export_in(x, 0), first, NULL) : export_in(x, 0);
}
static void nn_end(export *x, bool turns, const char *y) {
  static const int64_t last[] = {0, 2, 3, 1};
  if (turns)
    (void)nn_permuted(x, y, last, export_out(x, 0));
}

// With channels last between transposes: ONNX has them first, and filters as OIHW.
static bool nn_conv2d(export *x) {
  static const int64_t filter[] = {3, 2, 0, 1};
  weft_ints s = export_attr_ints(x, "strides");
  weft_ints p = export_attr_ints(x, "pads");
  weft_ints d = export_attr_ints(x, "dilations");
  const bool turns = nn_turns(x);
  const size_t h = turns ? 1 : 2;
  if (s.n != 4 || p.n != 4 || d.n != 4 || !export_attr_is(x, "pad_mode", "SPECIFIC") || export_in_value(x, 3))
    return false;
  const char *v = nn_begin(x, turns);
  const char *w = turns ? nn_permuted(x, export_in(x, 1), filter, NULL) : export_in(x, 1);
  const char *y = export_op1(x, "Conv", v, w, export_in(x, 2), turns ? NULL : export_out(x, 0));
  onnxw_attr_ints(&x->w, "strides", s.v + h, 2);
  onnxw_attr_ints(&x->w, "dilations", d.v + h, 2);
  onnxw_attr_ints(&x->w, "pads", (const int64_t[]){p.v[0], p.v[2], p.v[1], p.v[3]}, 4);
  onnxw_attr_int(&x->w, "group", export_attr_int(x, "groups", 1));
  nn_end(x, turns, y);
  return true;
}

static void nn_window(export *x, size_t lead, size_t n, const char *dilations) {
  weft_ints k = export_attr_ints(x, "ksize");
  weft_ints s = export_attr_ints(x, "strides");
  weft_ints p = export_attr_ints(x, "pads");
  weft_ints d = export_attr_ints(x, dilations);
  int64_t pads[6];
  onnxw_attr_ints(&x->w, "kernel_shape", k.v + lead, n);
  onnxw_attr_ints(&x->w, "strides", s.v + lead, n);
  for (size_t i = 0; i < n; i++) {
    pads[i] = p.v[2 * i];
    pads[n + i] = p.v[2 * i + 1];
  }
  onnxw_attr_ints(&x->w, "pads", pads, 2 * n);
  if (d.n == n + lead)
    onnxw_attr_ints(&x->w, "dilations", d.v + lead, n);
  onnxw_attr_int(&x->w, "ceil_mode", export_attr_int(x, "ceil_mode", 0));
}

static bool nn_ones(weft_ints v) {
  for (size_t i = 0; i < v.n; i++) {
    if (v.v[i] != 1)
      return false;
  }
  return true;
}

// Spatial axes of a pool that ONNX can say; 0: it cannot.
static size_t nn_pooled(const export *x, size_t *lead) {
  weft_ints k = export_attr_ints(x, "ksize");
  weft_ints s = export_attr_ints(x, "strides");
  weft_ints p = export_attr_ints(x, "pads");
  int rank = nn_rank(export_in_value(x, 0));
  size_t n = rank > 2 ? (size_t)rank - 2 : 0;
  const bool turns = nn_turns(x) && k.n == 4 && nn_ones(export_attr_ints(x, "dilations"));
  *lead = turns ? 1 : k.n - n;
  bool fits = n && n <= 3 && k.n >= n && s.n == k.n && p.n == 2 * n &&
              (turns || export_attr_is(x, "data_format", "NCHW")) && !export_attr_int(x, "global_pooling", 0);
  return fits ? n : 0;
}
// One window, as large as the picture.
static bool nn_global_pool(export *x, const char *as) {
  if (!export_attr_int(x, "global_pooling", 0) || !export_attr_is(x, "data_format", "NCHW") ||
      nn_rank(export_in_value(x, 0)) < 3)
    return false;
  (void)export_op1(x, as, export_in(x, 0), NULL, NULL, export_out(x, 0));
  return true;
}
static bool nn_max_pool(export *x) {
  size_t lead;
  size_t n = nn_pooled(x, &lead);
  if (nn_global_pool(x, "GlobalMaxPool"))
    return true;
  if (!n || !export_attr_is(x, "padding_mode", "CALCULATED"))
    return false;
  const bool turns = nn_turns(x);
  const char *y = export_op1(x, "MaxPool", nn_begin(x, turns), NULL, NULL, turns ? NULL : export_out(x, 0));
  nn_window(x, lead, n, "dilations");
  nn_end(x, turns, y);
  return true;
}
// MaxPool and AvgPool of TensorFlow, whose padding is a word; padding counts in no mean.
static bool nn_word_pool(export *x) {
  weft_ints k = export_attr_ints(x, "ksize");
  weft_ints s = export_attr_ints(x, "strides");
  const bool same = export_attr_is(x, "padding", "SAME");
  const bool fits = nn_rank(export_in_value(x, 0)) == 4 && k.n == 4 && s.n == 4 && k.v[0] == 1 &&
                    k.v[1] == 1 && s.v[0] == 1 && s.v[1] == 1;
  if (!fits || !export_attr_is(x, "data_format", "NCHW") || (!same && !export_attr_is(x, "padding", "VALID")))
    return false;
  const bool max = !strcmp(weft_node_type(x->node), "MaxPool");
  (void)export_op1(x, max ? "MaxPool" : "AveragePool", export_in(x, 0), NULL, NULL, export_out(x, 0));
  onnxw_attr_ints(&x->w, "kernel_shape", k.v + 2, 2);
  onnxw_attr_ints(&x->w, "strides", s.v + 2, 2);
  onnxw_attr_str(&x->w, "auto_pad", same ? "SAME_UPPER" : "VALID");
  return true;
}
static bool nn_avg_pool(export *x) {
  size_t lead;
  size_t n = nn_pooled(x, &lead);
  int64_t divisor = export_attr_int(x, "divisor_override", 0);
  const bool turns = nn_turns(x);
  if (!divisor && nn_global_pool(x, "GlobalAveragePool"))
    return true;
  if (!n || !export_attr_is(x, "padding_mode", "CALCULATED") ||
      (divisor && (turns || export_attr_int(x, "ceil_mode", 0))))
    return false;
  const char *y = export_op1(x, "AveragePool", nn_begin(x, turns), NULL, NULL,
                             divisor || turns ? NULL : export_out(x, 0));
  nn_window(x, lead, n, "dilations");
  onnxw_attr_int(&x->w, "count_include_pad", divisor || !export_attr_int(x, "exclusive", 1));
  if (divisor) {  // of whole windows: the mean times their size
    weft_ints k = export_attr_ints(x, "ksize");
    double size = 1;
    for (size_t i = 0; i < k.n; i++)
      size *= (double)k.v[i];
    const char *by = export_number(x, export_in_value(x, 0)->fact.dtype, size / (double)divisor);
    (void)export_op1(x, "Mul", y, by, NULL, export_out(x, 0));
  }
  nn_end(x, turns, y);
  return true;
}

// ONNX counts places in the whole tensor: the rest by the size of a plane is the place in it.
static bool nn_max_place(export *x) {
  size_t lead;
  size_t n = nn_pooled(x, &lead);
  const weft_value *v = export_in_value(x, 0);
  int64_t plane = 1;
  for (size_t i = 0; n && i < n; i++)
    plane = v->fact.dims[2 + i] > 0 ? plane * v->fact.dims[2 + i] : 0;
  if (!n || nn_turns(x) || plane <= 0 || !export_attr_is(x, "index_base", "plane") ||
      !export_attr_is(x, "padding_mode", "CALCULATED") || export_attr_int(x, "dtype", 3) != WEFT_INT64)
    return false;
  bool places = export_wanted(x, 1);
  const char *in[1] = {export_in(x, 0)};
  const char *out[2] = {export_out(x, 0), places ? export_made(x) : ""};
  (void)export_op(x, "MaxPool", in, 1, out, places ? 2 : 1);
  nn_window(x, lead, n, "dilation");
  if (places)
    (void)export_op1(x, "Mod", out[1], export_ints(x, &plane, 1, true), NULL, export_out(x, 1));
  return true;
}

// ---- normalisations ----
static bool nn_batch_norm(export *x) {
  if (export_attr_int(x, "is_training", 1) || !export_attr_is(x, "data_format", "NCHW") ||
      !export_in_value(x, 4))
    return false;
  const char *in[5] = {export_in(x, 0), export_in(x, 1), export_in(x, 2), export_in(x, 3), export_in(x, 4)};
  const char *out = export_out(x, 0);
  (void)export_op(x, "BatchNormalization", in, 5, &out, 1);
  export_pass(x, "epsilon", "epsilon");
  return true;
}
static bool nn_layer_norm(export *x) {
  if (export_wanted(x, 1) || export_wanted(x, 2) ||
      export_attr_int(x, "begin_norm_axis", 0) != export_attr_int(x, "begin_params_axis", 0))
    return false;
  (void)export_op1(x, "LayerNormalization", export_in(x, 0), export_in(x, 1), export_in(x, 2),
                   export_out(x, 0));
  onnxw_attr_int(&x->w, "axis", export_attr_int(x, "begin_norm_axis", 0));
  export_pass(x, "epsilon", "epsilon");
  return true;
}
static bool nn_group_norm(export *x) {
  if (export_attr_int(x, "is_training", 1) || !export_attr_is(x, "data_format", "NCHW") ||
      export_wanted(x, 1) || export_wanted(x, 2))
    return false;
  (void)export_op1(x, "GroupNormalization", export_in(x, 0), export_in(x, 1), export_in(x, 2),
                   export_out(x, 0));
  export_pass(x, "num_groups", "num_groups");
  export_pass(x, "epsilon", "eps");
  return true;
}
static bool nn_instance_norm(export *x) {
  if (!export_attr_is(x, "data_format", "NCHW") || export_wanted(x, 1) || export_wanted(x, 2))
    return false;
  (void)export_op1(x, "InstanceNormalization", export_in(x, 0), export_in(x, 1), export_in(x, 2),
                   export_out(x, 0));
  export_pass(x, "epsilon", "epsilon");
  return true;
}
static bool nn_softmax(export *x) {
  weft_ints axes = export_attr_ints(x, "axes");
  bool log = !strcmp(weft_node_type(x->node), "LogSoftmaxV2");
  if (axes.n != 1 || export_attr_int(x, "half_to_float", 0))
    return false;
  (void)export_op1(x, log ? "LogSoftmax" : "Softmax", export_in(x, 0), NULL, NULL, export_out(x, 0));
  onnxw_attr_int(&x->w, "axis", axes.v[0]);
  return true;
}

// ---- images ----
static bool nn_grid_sample(export *x) {
  bool linear = export_attr_is(x, "interpolation_mode", "bilinear");
  bool cubic = export_attr_is(x, "interpolation_mode", "bicubic");
  if (export_attr_int(x, "channel_last", 0) || (cubic && export_attr_int(x, "pad_taps", 0)))
    return false;
  (void)export_op1(x, "GridSample", export_in(x, 0), export_in(x, 1), NULL, export_out(x, 0));
  onnxw_attr_str(&x->w, "mode", linear ? "linear" : cubic ? "cubic" : "nearest");
  export_pass(x, "padding_mode", "padding_mode");
  export_pass(x, "align_corners", "align_corners");
  return true;
}
static bool nn_lrn(export *x) {
  if (!export_attr_is(x, "data_format", "NCHW"))
    return false;
  (void)export_op1(x, "LRN", export_in(x, 0), NULL, NULL, export_out(x, 0));
  export_pass(x, "alpha", "alpha");
  export_pass(x, "beta", "beta");
  export_pass(x, "bias", "bias");
  export_pass(x, "size", "size");
  return true;
}

// ---- control flow ----
static bool nn_outs(export *x, const char *type, const char *const *in, size_t n) {
  const char *out[256];
  uint32_t n_out = x->node->desc.pub.n_out;
  if (n_out > WEFT_COUNT(out))
    return false;
  for (uint32_t i = 0; i < n_out; i++)
    out[i] = export_name(x, &x->node->out[i]);
  (void)export_op(x, type, in, n, out, n_out);
  return true;
}
static bool nn_if(export *x) {
  const char *in[1] = {export_in(x, 0)};
  const weft_value *cond = export_in_value(x, 0);
  if (cond->fact.dtype != WEFT_BOOL || !nn_outs(x, "If", in, 1))
    return false;
  export_body(x, "then_branch", x->node->graphs[0], 0, 1);
  export_body(x, "else_branch", x->node->graphs[1], 0, 1);
  return true;
}
static bool nn_loop(export *x) {
  const weft_port_span *ports = x->node->desc.pub.in_port;
  const char *in[256] = {"", ""};
  size_t n = 2;
  uint32_t v = ports[2].count;
  if (v + 2 > WEFT_COUNT(in))
    return false;
  for (uint32_t k = 0; k < 2; k++) {
    if (ports[k].count)
      in[k] = export_in(x, k);
  }
  for (uint32_t i = 0; i < v; i++)
    in[n++] = export_name(x, x->node->in[ports[2].start + i].value);
  if (!nn_outs(x, "Loop", in, n))
    return false;
  export_body(x, "body", x->node->graphs[0], v + 2, ports[3].start);
  return true;
}
static bool nn_scan(export *x) {
  const weft_port_span *ports = x->node->desc.pub.in_port;
  static const char *const lists[] = {"scan_input_axes", "scan_input_directions", "scan_output_axes",
                                      "scan_output_directions"};
  const char *in[256];
  uint32_t n = ports[0].count + ports[1].count;
  if (n > WEFT_COUNT(in))
    return false;
  for (uint32_t i = 0; i < n; i++)
    in[i] = export_name(x, x->node->in[i].value);
  if (!nn_outs(x, "Scan", in, n))
    return false;
  onnxw_attr_int(&x->w, "num_scan_inputs", ports[1].count);
  for (size_t i = 0; i < WEFT_COUNT(lists); i++)
    export_pass(x, lists[i], lists[i]);
  export_body(x, "body", x->node->graphs[0], n, ports[2].start);
  return true;
}

#define CONV_ATTRS \
  "auto_pad<auto_pad dilations<dilations group<group kernel_shape<kernel_shape pads<pads strides<strides"
static bool nn_recurrent(export *x, const char *type, const char *own) {
  const char *in[8];
  const char *out[3] = {export_out(x, 0), export_out(x, 1), export_out(x, 2)};
  static const char *const floats[] = {"activation_alpha", "activation_beta"};
  for (uint32_t i = 0; i < 8; i++)
    in[i] = export_in(x, i);
  if (export_attr_float(x, "clip", -1) > 0)
    return false;
  (void)export_op(x, type, in, 8, out, x->node->desc.pub.n_out);
  for (size_t i = 0; i < WEFT_COUNT(floats); i++) {
    const weft_attr *a = export_attr(x, floats[i]);
    if (a && a->n)
      export_pass(x, floats[i], floats[i]);
  }
  const weft_attr *names = export_attr(x, "activations");
  if (names && names->n)
    export_pass(x, "activations", "activations");
  export_pass(x, "direction", "direction");
  export_pass(x, "hidden_size", "hidden_size");
  if (own)
    export_pass(x, own, own);
  return true;
}
static bool nn_lstm(export *x) {
  return nn_recurrent(x, "LSTM", "input_forget");
}
static bool nn_gru(export *x) {
  return nn_recurrent(x, "GRU", "linear_before_reset");
}
static bool nn_rnn(export *x) {
  return nn_recurrent(x, "RNN", NULL);
}

const export_row export_nn_rows[] = {
    {"AffineGrid", "AffineGrid", "align_corners<align_corners", NULL},
    {"AvgPool", NULL, NULL, nn_word_pool},
    {"AvgPoolV2", NULL, NULL, nn_avg_pool},
    {"BatchMatMulV2", NULL, NULL, nn_product},
    {"BatchNorm", NULL, NULL, nn_batch_norm},
    {"Col2Im", "Col2Im", "dilations<dilations pads<pads strides<strides", NULL},
    {"CommonGRU", NULL, NULL, nn_gru},
    {"CommonLSTM", NULL, NULL, nn_lstm},
    {"CommonRNN", NULL, NULL, nn_rnn},
    {"Conv", "Conv", CONV_ATTRS, NULL},
    {"Conv2D", NULL, NULL, nn_conv2d},
    {"ConvTranspose", "ConvTranspose", CONV_ATTRS " output_padding<output_padding output_shape<output_shape",
     NULL},
    {"DFT", "DFT", "inverse<inverse onesided<onesided", NULL},
    {"Einsum", "Einsum", "equation<equation", NULL},
    {"GridSample", NULL, NULL, nn_grid_sample},
    {"GroupNorm", NULL, NULL, nn_group_norm},
    {"If", NULL, NULL, nn_if},
    {"InstanceNorm", NULL, NULL, nn_instance_norm},
    {"LRN", NULL, NULL, nn_lrn},
    {"LayerNorm", NULL, NULL, nn_layer_norm},
    {"LogSoftmaxV2", NULL, NULL, nn_softmax},
    {"Loop", NULL, NULL, nn_loop},
    {"MatMulV2", NULL, NULL, nn_product},
    {"MaxPool", NULL, NULL, nn_word_pool},
    {"MaxPoolV3", NULL, NULL, nn_max_pool},
    {"MaxPoolWithArgmaxV3", NULL, NULL, nn_max_place},
    {"Resize", "Resize",
     "coordinate_transformation_mode<coordinate_transformation_mode cubic_coeff_a<cubic_coeff_a "
     "exclude_outside<exclude_outside extrapolation_value<extrapolation_value mode<mode "
     "nearest_mode<nearest_mode "
     "antialias<antialias axes<axes keep_aspect_ratio_policy<keep_aspect_ratio_policy",
     NULL},
    {"Scan", NULL, NULL, nn_scan},
    {"SoftmaxV2", NULL, NULL, nn_softmax},
};
const size_t export_nn_count = WEFT_COUNT(export_nn_rows);
// SPDX-License-Identifier: Apache-2.0
