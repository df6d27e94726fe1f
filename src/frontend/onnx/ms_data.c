// ms_data.c - operators of com.microsoft that move data or compute with whole matrices: mostly those of ONNX
// before ONNX had them.
#include "frontend/onnx/ms.h"

static weft_value *flat(onnx_op *o, weft_value *v) {
  return onnx_reshaped(o, v, (const int64_t[]){-1}, 1);
}
static weft_value *single(onnx_op *o, weft_value *v) {  // of one element, without dims
  return onnx_reshaped(o, v, NULL, 0);
}

// Squared distances |a|^2 + |b|^2 - 2 a b of all pairs of rows, as the peer computes them, and maybe the
// root.
static weft_status cdist(onnx_op *o) {
  static const int64_t last = 1;
  weft_value *a = onnx_arg(o, 0);
  weft_value *b = onnx_arg(o, 1);
  bool root = onnx_is(o, "metric", "sqeuclidean", "euclidean");
  if (!root && !onnx_is(o, "metric", "sqeuclidean", "sqeuclidean"))
    (void)onnx_unsupported(o, "attribute 'metric': only euclidean and sqeuclidean are imported");
  WEFT_TRY(o->failed);
  weft_dtype t = a->fact.dtype;
  weft_value *rows = onnx_reduced(o, "ReduceSum", onnx_do(o, "Square", a, NULL, NULL), &last, 1, true);
  weft_value *columns = onnx_reduced(o, "ReduceSum", onnx_do(o, "Square", b, NULL, NULL), &last, 1, false);
  weft_value *twice = onnx_do(o, "Mul", onnx_product(o, a, b, true), onnx_num(o, t, 2), NULL);
  weft_value *all = onnx_do(o, "Sub", onnx_do(o, "Add", rows, columns, NULL), twice, NULL);
  all = onnx_do(o, "Maximum", all, onnx_num(o, t, 0), NULL);  // not below 0 by rounding
  return onnx_result(o, 0, root ? onnx_do(o, "Sqrt", all, NULL, NULL) : all);
}

static weft_status expand_dims(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  weft_value *axis = onnx_arg(o, 1);
  return onnx_result(o, 0, onnx_do(o, "ExpandDims", x, single(o, axis), NULL));
}

// ---- Fourier transforms over the last axes; complex numbers stand in one more axis ----
static int64_t signal_axes(onnx_op *o, const weft_value *x, bool complex) {
  int64_t n = onnx_int(o, "signal_ndim", 1);
  int rank = onnx_rank_needed(o, x);
  if (o->failed)
    return 0;
  if (onnx_int(o, "normalized", 0) || !onnx_int(o, "onesided", 1))
    (void)onnx_unsupported(o, "only transforms with onesided 1 and normalized 0 are defined");
  else if (n < 1 || n > 3 || n + complex > rank) {
    o->failed = onnx_fail(o, WEFT_E_RANGE, "attribute 'signal_ndim': %lld of an input of rank %d",
                          (long long)n, rank);
  }
  return o->failed ? 0 : n;
}

// Along axis `axis` counted from the end.
static weft_value *transformed(onnx_op *o, weft_value *x, int64_t axis, bool inverse, bool half) {
  weft_value *in[3] = {x, NULL, onnx_index(o, -axis)};
  weft_value *y = NULL;
  if (o->failed)
    return NULL;
  onnx_set(o, "inverse", weft_attr_bool(inverse));
  onnx_set(o, "onesided", weft_attr_bool(half));
  o->failed = onnx_emit(o, "DFT", in, 3, NULL, 0, &y);
  return y;
}

static weft_status rfft(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  int64_t n = signal_axes(o, x, false);
  int rank = onnx_rank_needed(o, x);
  x = transformed(o, onnx_unsqueezed(o, x, rank), 2, false, true);
  for (int64_t i = 1; i < n; i++)
    x = transformed(o, x, 2 + i, false, false);
  return onnx_result(o, 0, x);
}

static weft_status irfft(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  int64_t n = signal_axes(o, x, true);
  int64_t last = onnx_rank_needed(o, x) - 1;
  for (int64_t i = n; i-- > 1;)
    x = transformed(o, x, 2 + i, true, false);
  x = transformed(o, x, 2, true, true);
  onnx_set(o, "axis", weft_attr_ints(&last, 1));
  return onnx_result(o, 0, onnx_do(o, "Squeeze", x, NULL, NULL));
}

// ---- as ONNX's, with inputs that may have one more dim ----
static weft_status ms_data_pad(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  weft_value *pads = flat(o, onnx_arg(o, 1));
  weft_value *with = onnx_in(o, 2);
  weft_str mode = {"constant", 8};
  o->failed = onnx_str_attr(o, "mode", "constant", &mode);
  if (with)
    with = single(o, with);
  onnx_set(o, "mode", weft_attr_str(mode.text, mode.bytes));
  onnx_set(o, "paddings_contiguous", weft_attr_bool(false));
  return onnx_result(o, 0, onnx_do(o, "PadV3", x, pads, with));
}

static weft_status range(onnx_op *o) {
  weft_value *from = single(o, onnx_arg(o, 0));
  weft_value *to = single(o, onnx_arg(o, 1));
  weft_value *by = onnx_in(o, 2);
  WEFT_TRY(o->failed);
  by = by ? single(o, by) : onnx_num(o, from->fact.dtype, 1);
  return onnx_result(o, 0, onnx_do(o, "Range", from, to, by));
}

static weft_status trilu(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  weft_value *k = onnx_in(o, 1);
  if (k)
    k = single(o, k);
  onnx_set(o, "upper", weft_attr_int(onnx_int(o, "upper", 1)));
  return onnx_result(o, 0, onnx_do(o, "Trilu", x, k, NULL));
}

// In the order in which they are met: the values, which of them each element is, and how often each is there.
static weft_status ms_data_unique(onnx_op *o) {
  static const size_t from[] = {0, 3, 2};
  weft_value *x = onnx_arg(o, 0);
  weft_value *whole = onnx_list(o, NULL, 0);
  onnx_set(o, "sorted", weft_attr_bool(false));
  onnx_set(o, "return_inverse", weft_attr_bool(onnx_wants(o, 1)));
  weft_value *v = onnx_do(o, "UniqueWithCountsExt2", x, whole, NULL);
  for (size_t i = 0; i < 3 && !o->failed; i++) {
    if (!i || onnx_wants(o, i))
      (void)onnx_result(o, i, v + from[i]);
  }
  return o->failed;
}

static weft_status tokenizer(onnx_op *o) {
  static const char *const names[] = {"mincharnum", "pad_value", "separators", "tokenexp"};
  weft_value *x = onnx_arg(o, 0);
  onnx_pass_bool(o, "mark");
  for (size_t i = 0; i < WEFT_COUNT(names); i++)
    onnx_pass(o, names[i]);
  WEFT_TRY(o->failed);
  return onnx_emit(o, "Tokenizer", &x, 1, NULL, 1, NULL);
}

static const onnx_mapping data_rows[] = {
    {"CDist", 1, 0, "BatchMatMulV2, Sub, ...", cdist, ONNX_MS},
    {"ExpandDims", 1, 0, "ExpandDims", expand_dims, ONNX_MS},
    {"GatherND", 1, 0, "GatherNd", onnx_by_rules, ONNX_MS},
    {"Inverse", 1, 0, "MatrixInverse", NULL, ONNX_MS},
    {"Irfft", 1, 0, "DFT, Squeeze", irfft, ONNX_MS},
    {"Pad", 1, 0, "PadV3", ms_data_pad, ONNX_MS},
    {"Range", 1, 0, "Range", range, ONNX_MS},
    {"Rfft", 1, 0, "DFT", rfft, ONNX_MS},
    {"Tokenizer", 1, 0, "Tokenizer", tokenizer, ONNX_MS},
    {"Trilu", 1, 0, "Trilu", trilu, ONNX_MS},
    {"Unique", 1, 0, "UniqueWithCountsExt2", ms_data_unique, ONNX_MS},
};
const onnx_mappings weft__onnx_ms_data = ONNX_MAPPINGS(data_rows);
// SPDX-License-Identifier: Apache-2.0
