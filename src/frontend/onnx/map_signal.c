// map_signal.c - windows and Fourier transforms. Windows are computed in double from integer places.
#include "frontend/onnx/map.h"

// a0 - a1 cos(2 pi n / N) + a2 cos(4 pi n / N); N is the size, one less when the window is symmetric.
weft_status onnx_window(onnx_op *o) {
  static const struct {
    const char *name;
    double a0, a1, a2;
  } kinds[] = {{"BlackmanWindow", 0.42, 0.5, 0.08},
               {"HammingWindow", 25.0 / 46, 21.0 / 46, 0},
               {"HannWindow", 0.5, 0.5, 0}};
  weft_value *size = onnx_arg(o, 0);
  int64_t periodic = onnx_int(o, "periodic", 1);
  int64_t type = onnx_int(o, "output_datatype", 1);
  size_t k = 0;
  weft_dtype t;
  WEFT_TRY(o->failed);
  WEFT_TRY(onnx_dtype(o, type, &t));
  while (k + 1 < WEFT_COUNT(kinds) && strcmp(kinds[k].name, o->map->name))
    k++;
  size = onnx_reshaped(o, onnx_as(o, size, WEFT_INT64), NULL, 0);
  weft_value *n = onnx_as(o, onnx_do(o, "Range", onnx_index(o, 0), size, onnx_index(o, 1)), WEFT_DOUBLE);
  weft_value *all =
      onnx_as(o, periodic ? size : onnx_do(o, "Sub", size, onnx_index(o, 1), NULL), WEFT_DOUBLE);
  weft_value *tau = onnx_num(o, WEFT_DOUBLE, 6.283185307179586476925);
  weft_value *angle = onnx_do(o, "Div", onnx_do(o, "Mul", n, tau, NULL), all, NULL);
  weft_value *v =
      onnx_do(o, "Mul", onnx_do(o, "Cos", angle, NULL, NULL), onnx_num(o, WEFT_DOUBLE, kinds[k].a1), NULL);
  v = onnx_do(o, "Sub", onnx_num(o, WEFT_DOUBLE, kinds[k].a0), v, NULL);
  if (kinds[k].a2 != 0) {
    weft_value *twice =
        onnx_do(o, "Cos", onnx_do(o, "Mul", angle, onnx_num(o, WEFT_DOUBLE, 2), NULL), NULL, NULL);
    v = onnx_do(o, "Add", v, onnx_do(o, "Mul", twice, onnx_num(o, WEFT_DOUBLE, kinds[k].a2), NULL), NULL);
  }
  return onnx_result(o, 0, onnx_as(o, v, t));
}

static weft_value *unsqueezed(onnx_op *o, weft_value *v, int64_t axis) {
  onnx_set(o, "axes", weft_attr_ints(&axis, 1));
  return onnx_do(o, "Unsqueeze", v, NULL, NULL);
}

// The axis is an attribute (default 1) up to version 19 and an input (default -2) since.
weft_status onnx_dft(onnx_op *o) {
  weft_value *in[3] = {onnx_arg(o, 0), onnx_in(o, 1), NULL};
  bool inverse = onnx_int(o, "inverse", 0) != 0;
  bool onesided = onnx_int(o, "onesided", 0) != 0;
  in[2] = o->m->version >= 20 ? onnx_in(o, 2) : onnx_index(o, onnx_int(o, "axis", 1));
  WEFT_TRY(o->failed);
  onnx_set(o, "inverse", weft_attr_bool(inverse));
  onnx_set(o, "onesided", weft_attr_bool(onesided));
  return onnx_emit(o, "DFT", in, 3, NULL, 1, NULL);
}

// The first length / 2 + 1 bins, axis 2.
static weft_value *first_half(onnx_op *o, weft_value *v, weft_value *length) {
  weft_value *bins = onnx_do(o, "FloorDiv", length, onnx_index(o, 2), NULL);
  weft_value *to = onnx_reshaped(o, onnx_do(o, "Add", bins, onnx_index(o, 1), NULL), (int64_t[]){1}, 1);
  weft_value *in[4] = {v, onnx_list(o, (int64_t[]){0}, 1), to, onnx_list(o, (int64_t[]){2}, 1)};
  weft_value *out = NULL;
  o->failed = onnx_emit(o, "StridedSliceV2", in, 4, NULL, 0, &out);
  return out;
}

// Overlapping frames of the signal, times the window, transformed each: [batch, frames, bins, 2]. The signal
// is [batch, length, 1 or 2]; exporters write [batch, length] for real ones. Without window and frame_length
// a frame is the whole signal.
weft_status onnx_stft(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  weft_value *step = onnx_arg(o, 1);
  weft_value *window = onnx_in(o, 2);
  weft_value *length = onnx_in(o, 3);
  bool onesided = onnx_int(o, "onesided", 1) != 0;
  int rank = onnx_rank_needed(o, x);
  WEFT_TRY(o->failed);
  if (rank != 2 && rank != 3) {
    return onnx_fail(o, WEFT_E_SHAPE, "input 0 (signal): expected rank 3, or 2 for a real signal, got %d",
                     rank);
  }
  bool real = rank == 2 || x->fact.dims[2] == 1;
  if (rank == 2)
    x = unsqueezed(o, x, 2);
  if (!length)
    length = onnx_dims_of(o, window ? window : x, window ? 0 : 1, window ? 1 : 2);
  step = onnx_reshaped(o, onnx_as(o, step, WEFT_INT64), NULL, 0);
  length = onnx_reshaped(o, onnx_as(o, length, WEFT_INT64), NULL, 0);
  weft_value *room = onnx_do(o, "Sub", onnx_reshaped(o, onnx_dims_of(o, x, 1, 2), NULL, 0), length, NULL);
  weft_value *frames = onnx_do(o, "Add", onnx_do(o, "FloorDiv", room, step, NULL), onnx_index(o, 1), NULL);
  weft_value *start = onnx_do(o, "Range", onnx_index(o, 0), frames, onnx_index(o, 1));
  start = onnx_reshaped(o, onnx_do(o, "Mul", start, step, NULL), (int64_t[]){-1, 1}, 2);
  weft_value *places = onnx_do(o, "Range", onnx_index(o, 0), length, onnx_index(o, 1));
  weft_value *v = onnx_picked(o, x, 1, onnx_do(o, "Add", start, places, NULL));
  if (window)
    v = onnx_do(o, "Mul", v, onnx_reshaped(o, window, (int64_t[]){-1, 1}, 2), NULL);
  onnx_set(o, "onesided", weft_attr_bool(onesided && real));
  v = onnx_do(o, "DFT", v, NULL, NULL);
  return onnx_result(o, 0, onesided && !real ? first_half(o, v, length) : v);
}
// SPDX-License-Identifier: Apache-2.0
