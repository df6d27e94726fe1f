// ms_nchwc.c - com.microsoft.nchwc: convolutions and pools on channels in blocks, which the peer's "saved
// optimised model" holds at its highest level. Values between them are [N, C, H, W] here, with C rounded up
// to whole blocks and numbers in order: nobody but these operators sees how the peer stores them. The filters
// are constants that the peer has put in its own order: by blocks of outputs, or of outputs and inputs; they
// are put back.
//
// The file does not say how many channels a block has: 16 where the peer ran with AVX-512, 8 with AVX2 (on
// other processors 16). Outputs of a convolution are whole blocks, and inputs that are none are fewer than
// one, so that some sizes tell. Where all fit both, it is the block that the peer would use here: it says of
// such files that they are for the kind of machine that wrote them.
#include "frontend/onnx/ms.h"

#define ONNX_MS_NCHWC "com.microsoft.nchwc"

static weft_dim dim_of(const weft_value *v, int axis) {
  return v && onnx_rank(v) == 4 ? v->fact.dims[axis] : -1;
}

// ---- the size of a block ----
static int64_t block_here(void) {
#if defined(__x86_64__) && defined(__GNUC__)
  return __builtin_cpu_supports("avx512f") ? 16 : 8;
#else
  return 16;
#endif
}

// What the filter of a convolution tells; 0: nothing.
static int64_t told_by(const weft_value *w) {
  weft_dim out = dim_of(w, 0);
  weft_dim in = dim_of(w, 1);
  if (out % 16 == 8 || (in > 16 && in % 16 == 8))
    return 8;
  return in > 8 && in < 16 ? 16 : 0;
}

static int64_t find_block(onnx_import *m) {
  while (m->parent)
    m = m->parent;
  for (size_t i = 0; !m->nchwc_block && i < m->graph->nodes.n; i++) {
    const onnx_node *n = &m->graph->nodes.v[i];
    bool conv = onnx_str_is(n->domain, ONNX_MS_NCHWC) && onnx_str_is(n->op_type, "Conv");
    const onnx_name *w = conv && n->inputs.n > 1 ? onnx_name_find(m, n->inputs.v[1]) : NULL;
    if (w)
      m->nchwc_block = told_by(w->value);
  }
  if (!m->nchwc_block)
    m->nchwc_block = block_here();
  return m->nchwc_block;
}

// ---- in and out of blocks ----
static weft_status reorder_input(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  if (onnx_int(o, "channels_last", 0))
    x = onnx_ms_channels(o, x, false);
  weft_dim channels = o->failed ? -1 : dim_of(x, 1);
  if (channels < 0)
    return onnx_fail(o, WEFT_E_UNKNOWN, "the number of channels is not known");
  int64_t block = find_block(o->m);
  int64_t more = o->failed ? 0 : (block - channels % block) % block;
  if (!more)
    return onnx_result(o, 0, x);
  const int64_t pads[8] = {[5] = more};
  onnx_set(o, "paddings_contiguous", weft_attr_bool(false));
  weft_value *list = onnx_list(o, pads, 8);
  weft_value *zero = onnx_num(o, x->fact.dtype, 0);
  return onnx_result(o, 0, onnx_do(o, "PadV3", x, list, zero));
}

static weft_status reorder_output(onnx_op *o) {
  static const int64_t first = 0;
  static const int64_t axis = 1;
  weft_value *x = onnx_arg(o, 0);
  weft_value *y = x;
  int64_t channels = onnx_int(o, "channels", 0);
  WEFT_TRY(o->failed);
  if (channels < 1 || (dim_of(x, 1) >= 0 && channels > dim_of(x, 1))) {
    return onnx_fail(o, WEFT_E_RANGE, "attribute 'channels': %lld of %lld", (long long)channels,
                     (long long)dim_of(x, 1));
  }
  if (channels != dim_of(x, 1)) {
    weft_value *in[4] = {x, onnx_list(o, &first, 1), onnx_list(o, &channels, 1), onnx_list(o, &axis, 1)};
    o->failed = onnx_emit(o, "StridedSliceV2", in, 4, NULL, 0, &y);
  }
  if (onnx_int(o, "channels_last", 0))
    y = onnx_ms_channels(o, y, true);
  return onnx_result(o, 0, y);
}

// ---- convolution ----
// The filter [out, in, h, w] in the peer's order: [out / b, in / b, h, w, b of in, b of out], or of inputs
// that are no whole blocks [out / b, in, h, w, b of out].
static weft_value *filter_of(onnx_op *o) {
  static const int64_t both[] = {0, 5, 1, 4, 2, 3};
  static const int64_t outputs[] = {0, 4, 1, 2, 3};
  weft_value *w = onnx_arg(o, 1);
  int64_t b = find_block(o->m);
  if (o->failed)
    return NULL;
  int64_t dims[4];
  for (int i = 0; i < 4; i++)
    dims[i] = dim_of(w, i);
  bool known = dims[0] > 0 && dims[1] > 0 && dims[2] > 0 && dims[3] > 0;
  if (!known || dims[0] % b) {
    o->failed = onnx_fail(o, WEFT_E_UNSUPPORTED, "a filter whose %lld outputs are no whole blocks of %lld",
                          (long long)dims[0], (long long)b);
    return NULL;
  }
  bool whole = dims[1] % b == 0;
  const int64_t split[] = {dims[0] / b, dims[1] / b, dims[2], dims[3], b, b};
  const int64_t single[] = {dims[0] / b, dims[1], dims[2], dims[3], b};
  w = whole ? onnx_reshaped(o, w, split, 6) : onnx_reshaped(o, w, single, 5);
  w = onnx_do(o, "Transpose", w, whole ? onnx_list(o, both, 6) : onnx_list(o, outputs, 5), NULL);
  return onnx_reshaped(o, w, dims, 4);
}

static weft_status nchwc_conv(onnx_op *o) {
  weft_value *in[3] = {onnx_arg(o, 0), filter_of(o), onnx_in(o, 2)};
  weft_value *sum = onnx_in(o, 3);
  return onnx_result(o, 0, onnx_ms_conv(o, in, sum));
}

// ---- pools ----
static weft_status nchwc_pool(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  return onnx_result(o, 0, onnx_apply(o, o->map->name, &x, 1));
}

// By whole numbers: the nearest number is that of x / scale without its fraction.
static weft_status nchwc_upsample(onnx_op *o) {
  weft_value *in[3] = {onnx_arg(o, 0), NULL, NULL};
  weft_value *y = NULL;
  weft_ints scales = onnx_ints_of(o, "scales");
  float list[4];
  WEFT_TRY(o->failed);
  if (scales.n != 4)
    return onnx_fail(o, WEFT_E_SHAPE, "attribute 'scales' has %zu values, expected 4", scales.n);
  for (size_t i = 0; i < 4; i++)
    list[i] = (float)scales.v[i];
  in[2] = onnx_float_list(o, list, 4);
  onnx_pass(o, "mode");
  onnx_pass(o, "coordinate_transformation_mode");
  if (!onnx_find_attr(o, "coordinate_transformation_mode"))
    onnx_set(o, "coordinate_transformation_mode", weft_attr_str("asymmetric", 10));
  onnx_set(o, "nearest_mode", weft_attr_str("floor", 5));
  o->failed = onnx_emit(o, "Resize", in, 3, NULL, 0, &y);
  return onnx_result(o, 0, y);
}

static const onnx_mapping nchwc_rows[] = {
    {"AveragePool", 1, 0, "AvgPoolV2", nchwc_pool, ONNX_MS_NCHWC},
    {"Conv", 1, 0, "Conv2D, Add, ...", nchwc_conv, ONNX_MS_NCHWC},
    {"GlobalAveragePool", 1, 0, "AvgPoolV2", nchwc_pool, ONNX_MS_NCHWC},
    {"GlobalMaxPool", 1, 0, "MaxPoolV3", nchwc_pool, ONNX_MS_NCHWC},
    {"MaxPool", 1, 0, "MaxPoolV3", nchwc_pool, ONNX_MS_NCHWC},
    {"ReorderInput", 1, 0, "PadV3", reorder_input, ONNX_MS_NCHWC},
    {"ReorderOutput", 1, 0, "StridedSliceV2", reorder_output, ONNX_MS_NCHWC},
    {"Upsample", 1, 0, "Resize", nchwc_upsample, ONNX_MS_NCHWC},
};
const onnx_mappings weft__onnx_ms_nchwc = ONNX_MAPPINGS(nchwc_rows);
// SPDX-License-Identifier: Apache-2.0
