// map_nn.c - convolutions and pools. Over two spatial axes Conv2D with AscendIR's lists ([1,1,h,w], pads top,
// bottom, left, right), so that a convolution is the same node whatever framework it comes from; over one or
// three Conv.
#include <ctype.h>

#include "frontend/mindspore/tables.h"

// ---- windows ----
typedef struct nn_window {
  size_t n;  // spatial axes
  int64_t kernel[3], stride[3], dilation[3], begin[3], end[3], more[3];
  int64_t groups;
  const char *mode;  // NULL: as begin and end say; otherwise "SAME_UPPER"
  struct {           // the lists of a pool: two axes are written [1,1,h,w]
    int64_t kernel[5], stride[5], pads[6];
  } lists;
} nn_window;

// pad_mode as a text, or as a number among the inputs: 0 pad, 1 same, 2 valid.
static const char *nn_mode(ms_op *o) {
  ms_value v;
  if (!ms_find(o, "pad_mode", &v))
    return "pad";
  static const char *const modes[] = {"pad", "SAME_UPPER", "VALID", "pad"};
  static const char *const words[] = {"pad", "same", "valid", "calculated"};
  for (size_t i = 0; v.kind == MS_TEXT && i < WEFT_COUNT(words); i++) {
    if (ms_is(o, "pad_mode", "", words[i]))
      return modes[i];
  }
  if (v.kind == MS_TEXT) {
    front_fail(&o->b, WEFT_E_INVALID, "pad_mode '%.40s' is not one of pad, same, valid", v.text);
    return "pad";
  }
  int64_t i = ms_int(o, "pad_mode", 0);
  if (i >= 0 && i < 3)
    return modes[i];
  front_fail(&o->b, WEFT_E_RANGE, "pad_mode is %lld, expected 0 (pad), 1 (same) or 2 (valid)", (long long)i);
  return "pad";
}

// Strides and dilations may have entries for batch and channels in front.
static void nn_window_of(ms_op *o, nn_window *w, size_t n) {
  int64_t pads[2 * 3];
  const char *list = ms_has(o, "pad") ? "pad" : "pad_list";
  int64_t given[MS_MAX_NUMBERS];
  *w = (nn_window){.n = n, .groups = ms_int(o, "group", ms_int(o, "groups", 1))};
  ms_sizes(o, ms_has(o, "stride") ? "stride" : "strides", n, 1, w->stride);
  ms_sizes(o, ms_has(o, "dilation") ? "dilation" : "dilations", n, 1, w->dilation);
  ms_sizes(o, "kernel_size", n, 1, w->kernel);
  const char *mode = nn_mode(o);
  if (*mode != 'p') {
    w->mode = strcmp(mode, "VALID") ? mode : NULL;
    return;
  }
  size_t m = ms_has(o, list) ? ms_ints(o, list, given) : 0;
  for (size_t i = 0; i < 2 * n; i++)
    pads[i] = front_bounded(&o->b, m == 2 * n ? given[i] : m == n ? given[i / 2] : m == 1 ? given[0] : 0);
  for (size_t i = 0; i < n; i++) {
    w->begin[i] = pads[2 * i];
    w->end[i] = pads[2 * i + 1];
    if (!o->b.failed && (w->begin[i] < 0 || w->end[i] < 0))
      front_fail(&o->b, WEFT_E_UNSUPPORTED, "padding %lld is negative",
                 (long long)WEFT_MIN(w->begin[i], w->end[i]));
  }
}

// SAME is written as numbers where the sizes are known: what is odd stands behind.
static void nn_same(nn_window *w, const weft_value *x, const weft_value *filter) {
  int64_t begin[3];
  int64_t end[3];
  if (!w->mode || *w->mode != 'S')
    return;
  for (size_t i = 0; i < w->n; i++) {
    const front_axis_window axis = {front_dim(x, (int)i + 2),
                                    filter ? front_dim(filter, (int)i + 2) : w->kernel[i], w->stride[i],
                                    w->dilation[i]};
    if (!front_same_pads(&axis, &begin[i], &end[i]))
      return;
  }
  memcpy(w->begin, begin, sizeof begin);
  memcpy(w->end, end, sizeof end);
  w->mode = NULL;
}

static bool nn_channels_last(ms_op *o) {
  ms_value v;
  bool last = false;
  const char *name = ms_has(o, "data_format") ? "data_format" : "format";
  if (!ms_find(o, name, &v))
    return false;
  if (v.kind == MS_TEXT)
    last = v.text[0] == 'N' && v.text[strlen(v.text) - 1] == 'C' && strlen(v.text) > 2;
  else {
    int64_t i = ms_int(o, name, 0);
    last = i == 1 || i == 15 || i == 17;  // NHWC, NWC, NDHWC
  }
  return last;
}

static void nn_needs_first(ms_op *o) {
  if (nn_channels_last(o))
    front_fail(&o->b, WEFT_E_UNSUPPORTED,
               "channels as the last axis; export the model with data_format 'NCHW'");
}

// ---- convolutions ----
static weft_value *nn_conv_2d(front_op *b, const nn_window *w, weft_value *const *in, size_t n) {
  const int64_t strides[4] = {1, 1, w->stride[0], w->stride[1]};
  const int64_t dilations[4] = {1, 1, w->dilation[0], w->dilation[1]};
  const int64_t pads[4] = {w->begin[0], w->end[0], w->begin[1], w->end[1]};
  front_set_ints(b, "strides", strides, 4);
  front_set_ints(b, "pads", pads, 4);
  front_set_ints(b, "dilations", dilations, 4);
  front_set_int(b, "groups", w->groups);
  front_set_text(b, "data_format", "NCHW");
  if (w->mode && *w->mode == 'S')
    front_set_text(b, "pad_mode", w->mode);
  return front_emit(b, "Conv2D", in, n, NULL);
}

static weft_value *nn_conv_any(front_op *b, const nn_window *w, const char *type, weft_value *const *in,
                               size_t n) {
  int64_t pads[6];
  for (size_t i = 0; i < w->n; i++) {
    pads[i] = w->begin[i];
    pads[w->n + i] = w->end[i];
  }
  front_set_ints(b, "strides", w->stride, w->n);
  front_set_ints(b, "dilations", w->dilation, w->n);
  front_set_int(b, "group", w->groups);
  if (w->mode)
    front_set_text(b, "auto_pad", w->mode);
  else
    front_set_ints(b, "pads", pads, 2 * w->n);
  if (!strcmp(type, "ConvTranspose"))
    front_set_ints(b, "output_padding", w->more, w->n);
  return front_emit(b, type, in, n, NULL);
}

static void nn_conv(ms_op *o) {
  front_op *b = &o->b;
  nn_window w;
  weft_value *in[3] = {ms_tensor(o, "x"), ms_tensor(o, "filter"), ms_optional(o, "bias")};
  int rank = front_rank_of(b, in[1]);
  if (!b->failed && (rank < 3 || rank > 5))
    front_fail(b, WEFT_E_SHAPE, "the filter has rank %d, expected 3 to 5", rank);
  if (b->failed)
    return;
  nn_window_of(o, &w, (size_t)rank - 2);
  nn_needs_first(o);
  nn_same(&w, in[0], in[1]);
  size_t n = in[2] ? 3 : 2;
  ms_give(o, rank == 4 ? nn_conv_2d(b, &w, in, n) : nn_conv_any(b, &w, "Conv", in, n));
}

// Sizes of which some are not known, -1: those of the batch do not matter.
static size_t nn_some_sizes(ms_op *o, const char *name, int64_t out[MS_MAX_NUMBERS]) {
  ms_value v;
  if (!ms_find(o, name, &v) || v.kind != MS_TUPLE || v.n > MS_MAX_NUMBERS)
    return ms_ints(o, name, out);
  for (size_t i = 0; i < v.n; i++) {
    ms_value item = v.items[i];
    ms_known_number(&o->b, &item);
    out[i] = item.kind == MS_INT ? front_bounded(&o->b, item.i) : -1;
  }
  return v.n;
}

// The gradient of a convolution, by the sizes of what that one read. Where these are not known, padding
// follows from the strides.
static void nn_conv_transposed(ms_op *o) {
  front_op *b = &o->b;
  nn_window w;
  int64_t sizes[MS_MAX_NUMBERS];
  weft_value *in[2] = {ms_tensor(o, "x"), ms_tensor(o, "filter")};
  int rank = front_rank_of(b, in[1]);
  size_t n = nn_some_sizes(o, "input_sizes", sizes);
  const bool valid =
      ms_is(o, "pad_mode", "pad", "valid") || (ms_has(o, "pad_mode") && !strcmp(nn_mode(o), "VALID"));
  if (!b->failed && (rank < 4 || rank > 5 || n != (size_t)rank))
    front_fail(b, WEFT_E_SHAPE, "a filter of rank %d, an output of rank %zu", rank, n);
  if (b->failed)
    return;
  nn_window_of(o, &w, (size_t)rank - 2);
  nn_needs_first(o);
  for (size_t i = 0; i < w.n && !b->failed; i++) {
    int64_t x = front_dim_bounded(b, in[0], (int)i + 2);
    const int64_t k = front_dim_bounded(b, in[1], (int)i + 2);
    const bool same = w.mode && *w.mode == 'S';
    if ((x < 0 || sizes[2 + i] < 0) && (same || valid)) {  // as for one element
      x = 1;
      sizes[2 + i] = w.stride[i] + (valid ? WEFT_MAX((k - 1) * w.dilation[i] + 1 - w.stride[i], 0) : 0);
    }
    int64_t full = (x - 1) * w.stride[i] + (k - 1) * w.dilation[i] + 1;
    int64_t cut = same ? WEFT_MAX(full - sizes[2 + i], 0) : w.begin[i] + w.end[i];
    if (w.mode) {
      w.begin[i] = cut / 2;
      w.end[i] = cut - cut / 2;
    }
    w.more[i] = sizes[2 + i] - (full - cut);
    if (x < 1 || k < 1 || w.more[i] < 0)
      front_fail(b, WEFT_E_UNKNOWN, "the sizes of input and filter are not known, or do not fit the output");
  }
  w.mode = NULL;
  ms_give(o, nn_conv_any(b, &w, "ConvTranspose", in, 2));
}

static void nn_conv_transposed_3d(ms_op *o) {
  nn_window w;
  weft_value *in[3] = {ms_tensor(o, "x"), ms_tensor(o, "filter"), ms_optional(o, "bias")};
  nn_window_of(o, &w, 3);
  nn_needs_first(o);
  ms_sizes(o, "output_padding", 3, 0, w.more);
  for (size_t i = 0; i < 3 && w.mode && !o->b.failed; i++) {  // SAME: stride times as large
    const int64_t k = front_dim_bounded(&o->b, in[1], (int)i + 2);
    const int64_t all = (k - 1) * w.dilation[i] + 1 - w.stride[i];
    if (k < 1)
      front_fail(&o->b, WEFT_E_UNKNOWN, "the size of the filter is not known");
    w.begin[i] = WEFT_MAX(all, 0) / 2;
    w.end[i] = WEFT_MAX(all, 0) - w.begin[i];
    w.more[i] = WEFT_MAX(-all, 0);
  }
  w.mode = NULL;
  ms_give(o, nn_conv_any(&o->b, &w, "ConvTranspose", in, in[2] ? 3 : 2));
}

// An item without a batch has one axis less.
static void nn_convolution_of(ms_op *o, bool transposed) {
  front_op *b = &o->b;
  nn_window w = {.n = 0};
  weft_value *in[3] = {ms_tensor(o, "x"), ms_tensor(o, "filter"), ms_optional(o, "bias")};
  int rank = front_rank_of(b, in[1]);
  if (!b->failed && (rank < 3 || rank > 5))
    front_fail(b, WEFT_E_SHAPE, "the filter has rank %d, expected 3 to 5", rank);
  if (b->failed)
    return;
  w.n = (size_t)rank - 2;
  w.groups = ms_int(o, "groups", 1);
  ms_sizes(o, "stride", w.n, 1, w.stride);
  ms_sizes(o, "dilation", w.n, 1, w.dilation);
  ms_sizes(o, "padding", w.n, 0, w.begin);
  ms_sizes(o, "output_padding", w.n, 0, w.more);
  memcpy(w.end, w.begin, sizeof w.end);
  bool single = front_rank_of(b, in[0]) == rank - 1;
  if (single)
    in[0] = front_unsqueezed(b, in[0], 0);
  size_t n = in[2] ? 3 : 2;
  weft_value *y = transposed  ? nn_conv_any(b, &w, "ConvTranspose", in, n)
                  : rank == 4 ? nn_conv_2d(b, &w, in, n)
                              : nn_conv_any(b, &w, "Conv", in, n);
  ms_give(o, single ? front_squeezed(b, y, 0) : y);
}

static void nn_convolution(ms_op *o) {
  nn_convolution_of(o, ms_bool(o, "transposed", false));
}
static void nn_convolution_turned(ms_op *o) {
  nn_convolution_of(o, true);
}

static void nn_bias_add(ms_op *o) {
  front_op *b = &o->b;
  weft_value *x = ms_tensor(o, "x");
  weft_value *bias = ms_tensor(o, "bias");
  int rank = front_rank_of(b, x);
  if (rank <= 2 || nn_channels_last(o)) {
    ms_give(o, front_do(b, "Add", x, bias, NULL));
    return;
  }
  int64_t dims[WEFT_MAX_RANK];
  for (int i = 0; i < rank - 1; i++)
    dims[i] = i ? 1 : -1;
  ms_give(o, front_do(b, "Add", x, front_reshaped(b, bias, dims, (size_t)rank - 1), NULL));
}

// ---- pools ----
static void nn_set_pool(front_op *b, nn_window *w, bool ceil_mode) {
  size_t lead = w->n == 2 ? 2 : 0;
  for (size_t i = 0; i < lead; i++)
    w->lists.kernel[i] = w->lists.stride[i] = 1;
  for (size_t i = 0; i < w->n; i++) {
    w->lists.kernel[lead + i] = w->kernel[i];
    w->lists.stride[lead + i] = w->stride[i];
    w->lists.pads[2 * i] = w->begin[i];
    w->lists.pads[2 * i + 1] = w->end[i];
  }
  front_set_ints(b, "ksize", w->lists.kernel, w->n + lead);
  front_set_ints(b, "strides", w->lists.stride, w->n + lead);
  front_set_text(b, "padding_mode", w->mode ? w->mode : "CALCULATED");
  front_set_ints(b, "pads", w->lists.pads, 2 * w->n);
  front_set_text(b, "data_format", "NCHW");
  front_set_bool(b, "ceil_mode", ceil_mode);
}

static void nn_pool(ms_op *o, const char *type) {
  front_op *b = &o->b;
  nn_window w;
  weft_value *x = ms_tensor(o, "x");
  int rank = front_rank_of(b, x);
  if (!b->failed && (rank < 3 || rank > 5))
    front_fail(b, WEFT_E_SHAPE, "a pool of rank %d, expected 3 to 5", rank);
  if (b->failed)
    return;
  nn_window_of(o, &w, (size_t)rank - 2);
  nn_needs_first(o);
  nn_same(&w, x, NULL);
  if (*type == 'A') {
    front_set_bool(b, "exclusive", !ms_bool(o, "count_include_pad", false));
    if (ms_int(o, "divisor_override", 0))
      front_set_int(b, "divisor_override", ms_int(o, "divisor_override", 0));
  }
  nn_set_pool(b, &w, ms_bool(o, "ceil_mode", false));
  ms_give(o, front_do(b, type, x, NULL, NULL));
}
static void nn_max_pool(ms_op *o) {
  nn_pool(o, "MaxPoolV3");
}
static void nn_avg_pool(ms_op *o) {
  nn_pool(o, "AvgPoolV2");
}

// Pools of PyTorch's kind: explicit padding, strides that are the kernel's where they are not given.
static void nn_explicit(ms_op *o, nn_window *w, int rank) {
  static const char *const kernels[] = {"ksize", "kernel_size"};
  static const char *const pads[] = {"pads", "padding"};
  *w = (nn_window){.n = (size_t)rank - 2};
  ms_sizes(o, kernels[ms_has(o, "kernel_size")], w->n, 1, w->kernel);
  ms_sizes(o, pads[ms_has(o, "padding")], w->n, 0, w->begin);
  ms_sizes(o, "dilation", w->n, 1, w->dilation);
  memcpy(w->stride, w->kernel, sizeof w->stride);
  if (ms_has(o, "strides"))
    ms_sizes(o, "strides", w->n, 1, w->stride);
  memcpy(w->end, w->begin, sizeof w->end);
}

static void nn_avg_explicit(ms_op *o) {
  front_op *b = &o->b;
  nn_window w;
  weft_value *x = ms_tensor(o, "x");
  int rank = front_rank_of(b, x);
  if (!b->failed && (rank < 3 || rank > 5))
    front_fail(b, WEFT_E_SHAPE, "a pool of rank %d, expected 3 to 5", rank);
  if (b->failed)
    return;
  nn_explicit(o, &w, rank);
  front_set_bool(b, "exclusive", !ms_bool(o, "count_include_pad", true));
  if (ms_has(o, "divisor_override"))
    front_set_int(b, "divisor_override", ms_int(o, "divisor_override", 1));
  nn_set_pool(b, &w, ms_bool(o, "ceil_mode", false));
  ms_give(o, front_do(b, "AvgPoolV2", x, NULL, NULL));
}

// The largest and its place; the place is left out where nobody could have read it.
static void nn_max_places(ms_op *o) {
  front_op *b = &o->b;
  nn_window w;
  weft_value *x = ms_tensor(o, "x");
  int rank = front_rank_of(b, x);
  if (!b->failed && (rank < 4 || rank > 5))
    front_fail(b, WEFT_E_SHAPE, "a pool of rank %d, expected 4 or 5", rank);
  if (b->failed)
    return;
  nn_explicit(o, &w, rank);
  const int64_t dilation[5] = {1, 1, w.dilation[0], w.dilation[1], w.dilation[2]};
  size_t lead = w.n == 2 ? 2 : 0;
  nn_set_pool(b, &w, ms_bool(o, "ceil_mode", false));
  front_set_ints(b, "dilation", dilation + 2 - lead, w.n + lead);
  front_set_int(b, "dtype", ms_out_type(o, 1) == WEFT_INT32 ? WEFT_INT32 : WEFT_INT64);
  front_set_text(b, "index_base", "plane");
  ms_give_outputs(o, front_do(b, "MaxPoolWithArgmaxV3", x, NULL, NULL), 2);
}

// Windows of one size for all places; false: there are none.
static bool nn_even(const weft_value *x, size_t n, const int64_t *want, nn_window *w) {
  *w = (nn_window){.n = n, .dilation = {1, 1, 1}};
  for (size_t i = 0; i < n; i++) {
    weft_dim in = front_dim(x, front_rank(x) - (int)n + (int)i);
    if (in < 0 || want[i] < 1 || in % want[i])
      return false;
    w->kernel[i] = w->stride[i] = in / want[i];
  }
  return true;
}

// y, and where in their planes its elements stand.
static void nn_adaptive_places(ms_op *o, weft_value *y, const front_pooled *p) {
  front_op *b = &o->b;
  weft_value *x = ms_tensor(o, "x");
  weft_value *at = NULL;
  const weft_dtype t = ms_out_type(o, 1);
  if (!b->failed && t != WEFT_UNDEFINED)
    front_adaptive_places(b, x, p, &at);
  ms_give_many(o, (weft_value *const[]){y, at ? front_as(b, at, t) : NULL}, 2);
}

static void nn_adaptive(ms_op *o, size_t n, bool largest) {
  front_op *b = &o->b;
  int64_t want[3];
  nn_window w;
  weft_value *x = ms_tensor(o, "x");
  int rank = front_rank_of(b, x);
  ms_sizes(o, "output_size", n, -1, want);
  if (!b->failed && (rank < (int)n + 1 || rank > (int)n + 2))
    front_fail(b, WEFT_E_SHAPE, "an adaptive pool of rank %d", rank);
  bool one = true;
  for (size_t i = 0; i < n && !b->failed; i++) {
    want[i] = want[i] < 1 ? front_dim(x, rank - (int)n + (int)i) : want[i];
    one &= want[i] == 1;
  }
  bool single = rank == (int)n + 1;
  if (single)
    x = front_unsqueezed(b, x, 0);
  weft_value *y;
  if (!b->failed && !one && nn_even(x, n, want, &w)) {
    nn_set_pool(b, &w, false);
    y = front_do(b, largest ? "MaxPoolV3" : "AvgPoolV2", x, NULL, NULL);
  } else if (one) {
    static const int64_t axes[] = {2, 3, 4};
    y = front_reduced(b, largest ? "ReduceMax" : "ReduceMean", x, axes, n, true);
  } else
    y = front_adaptive(b, x, &(front_pooled){.n = n, .want = want, .largest = largest});
  if (single)
    y = front_squeezed(b, y, 0);
  if (!largest)
    ms_give(o, y);
  else if (n == 1)
    ms_give_many(o, (weft_value *const[]){y, NULL}, 2);
  else
    nn_adaptive_places(o, y, &(front_pooled){.n = n, .want = want});
}
static void nn_adaptive_avg1(ms_op *o) {
  nn_adaptive(o, 1, false);
}
static void nn_adaptive_avg2(ms_op *o) {
  nn_adaptive(o, 2, false);
}
static void nn_adaptive_avg3(ms_op *o) {
  nn_adaptive(o, 3, false);
}
static void nn_adaptive_max1(ms_op *o) {
  nn_adaptive(o, 1, true);
}
static void nn_adaptive_max3(ms_op *o) {
  nn_adaptive(o, 3, true);
}
static void nn_adaptive_max2(ms_op *o) {
  nn_adaptive(o, 2, true);
}

// ---- pools undone ----
static void nn_unpool(ms_op *o, size_t n) {
  front_op *b = &o->b;
  weft_value *v = ms_tensor(o, "x");
  weft_value *at = ms_tensor(o, "places");
  int64_t kernel[3];
  int64_t stride[3];
  int64_t pads[3];
  int64_t size[MS_MAX_NUMBERS];
  weft_value *sizes[3];
  const int rank = front_rank_of(b, v);
  ms_sizes(o, "ksize", n, 1, kernel);
  ms_sizes(o, "strides", n, 1, stride);
  ms_sizes(o, "pads", n, 0, pads);
  const size_t given = ms_ints(o, "output_shape", size);
  if (!b->failed && (rank != (int)n + 2 || (given && given < n)))
    front_fail(b, WEFT_E_SHAPE, "a pool of %zu axes undone: rank %d, %zu sizes", n, rank, given);
  for (size_t i = 0; i < n && !b->failed; i++) {
    (void)front_dim_bounded(b, v, 2 + (int)i);
    // (in - 1) * stride - 2 * pads + kernel
    sizes[i] = front_size_by(b, "Mul", front_dim_list(b, v, 2 + (int)i), stride[i]);
    sizes[i] = front_size_by(b, "Add", sizes[i], kernel[i] - stride[i] - 2 * pads[i]);
    if (given)
      sizes[i] = front_list(b, &size[given - n + i], 1);
  }
  if (nn_channels_last(o))
    nn_needs_first(o);
  ms_give(o, b->failed ? NULL : front_unpooled(b, v, at, sizes, n));
}
static void nn_unpool2(ms_op *o) {
  nn_unpool(o, 2);
}
static void nn_unpool3(ms_op *o) {
  nn_unpool(o, 3);
}

#define CONV_EXT "x filter bias stride padding dilation groups"
static const ms_row nn_rows[] = {
    {"AdaptiveMaxPool3D", "x output_size", NULL, 0, nn_adaptive_max3},
    {"ConvTranspose2D", "x filter bias stride padding output_padding groups dilation", NULL, 0,
     nn_convolution_turned},
    {"Conv3DTranspose", "x filter bias", NULL, 0, nn_conv_transposed_3d},
    {"AdaptiveAvgPool1D", "x output_size", NULL, 0, nn_adaptive_avg1},
    {"AdaptiveAvgPool2D", "x output_size", NULL, 0, nn_adaptive_avg2},
    {"AdaptiveAvgPool2DExt", "x output_size", NULL, 0, nn_adaptive_avg2},
    {"AdaptiveAvgPool3D", "x output_size", NULL, 0, nn_adaptive_avg3},
    {"AdaptiveAvgPool3DExt", "x output_size", NULL, 0, nn_adaptive_avg3},
    {"AdaptiveMaxPool1D", "x output_size", NULL, 0, nn_adaptive_max1},
    {"AdaptiveMaxPool2D", "x output_size", NULL, 0, nn_adaptive_max2},
    {"AvgPool", "x kernel_size strides pad_mode data_format", NULL, 0, nn_avg_pool},
    {"AvgPool1D", "x kernel_size strides padding ceil_mode count_include_pad", NULL, 0, nn_avg_explicit},
    {"AvgPool2D", "x kernel_size strides padding ceil_mode count_include_pad divisor_override", NULL, 0,
     nn_avg_explicit},
    {"AvgPool3D", "x", NULL, 0, nn_avg_pool},
    {"AvgPool3DExt", "x kernel_size strides padding ceil_mode count_include_pad divisor_override", NULL, 0,
     nn_avg_explicit},
    {"BiasAdd", "x bias data_format", NULL, 0, nn_bias_add},
    {"Conv1DExt", CONV_EXT, NULL, 0, nn_convolution},
    {"Conv2D", "x filter bias", NULL, 0, nn_conv},
    {"Conv2DBackpropInput", "x filter input_sizes", NULL, 0, nn_conv_transposed},
    {"Conv2DExt", CONV_EXT, NULL, 0, nn_convolution},
    {"Conv2DTranspose", "x filter input_sizes", NULL, 0, nn_conv_transposed},
    {"Conv3D", "x filter bias", NULL, 0, nn_conv},
    {"Conv3DExt", CONV_EXT, NULL, 0, nn_convolution},
    {"Convolution", "x filter bias stride padding dilation transposed output_padding groups", NULL, 0,
     nn_convolution},
    {"MaxPool", "x", NULL, 0, nn_max_pool},
    {"MaxPool3D", "x", NULL, 0, nn_max_pool},
    {"MaxPool3DWithArgmax", "x", NULL, 0, nn_max_places},
    {"MaxPoolWithArgmaxV2", "x kernel_size strides pads dilation ceil_mode", NULL, 0, nn_max_places},
    {"MaxUnpool2D", "x places", NULL, 0, nn_unpool2},
    {"MaxUnpool3D", "x places", NULL, 0, nn_unpool3},
    {"MaxPoolWithIndices", "x kernel_size strides pads dilation ceil_mode", NULL, 0, nn_max_places},
    {"MaxPoolWithMask", "x kernel_size strides pads dilation ceil_mode", NULL, 0, nn_max_places},
};
const ms_rows ms_nn = MS_ROWS(nn_rows);
// SPDX-License-Identifier: Apache-2.0
