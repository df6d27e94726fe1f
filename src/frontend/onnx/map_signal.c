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
  int64_t periodic = onnx_int(o, "periodic", 1), type = onnx_int(o, "output_datatype", 1);
  size_t k = 0;
  weft_dtype t;
  if (o->failed) return o->failed;
  WEFT_TRY(onnx_dtype(o, type, &t));
  while (k + 1 < WEFT_COUNT(kinds) && strcmp(kinds[k].name, o->map->name)) k++;
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

// The axis is an attribute (default 1) up to version 19 and an input (default -2) since.
weft_status onnx_dft(onnx_op *o) {
  weft_value *in[3] = {onnx_arg(o, 0), onnx_in(o, 1), NULL};
  bool inverse = onnx_int(o, "inverse", 0) != 0, onesided = onnx_int(o, "onesided", 0) != 0;
  in[2] = o->m->version >= 20 ? onnx_in(o, 2) : onnx_index(o, onnx_int(o, "axis", 1));
  if (o->failed) return o->failed;
  onnx_set(o, "inverse", weft_attr_bool(inverse));
  onnx_set(o, "onesided", weft_attr_bool(onesided));
  return onnx_emit(o, "DFT", in, 3, NULL, 1, NULL);
}

// Overlapping frames of the signal, times the window, transformed each: [batch, frames, bins, 2].
weft_status onnx_stft(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0), *step = onnx_arg(o, 1), *window = onnx_in(o, 2), *length = onnx_in(o, 3);
  bool onesided = onnx_int(o, "onesided", 1) != 0;
  if (!o->failed && !window && !length)
    return onnx_fail(o, WEFT_E_MISSING, "window or frame_length must be given");
  if (!o->failed && !length) length = onnx_dims_of(o, window, 0, 1);
  step = onnx_reshaped(o, onnx_as(o, step, WEFT_INT64), NULL, 0);
  length = onnx_reshaped(o, onnx_as(o, length, WEFT_INT64), NULL, 0);
  weft_value *room = onnx_do(o, "Sub", onnx_reshaped(o, onnx_dims_of(o, x, 1, 2), NULL, 0), length, NULL);
  weft_value *frames = onnx_do(o, "Add", onnx_do(o, "FloorDiv", room, step, NULL), onnx_index(o, 1), NULL);
  weft_value *start = onnx_do(o, "Range", onnx_index(o, 0), frames, onnx_index(o, 1));
  start = onnx_reshaped(o, onnx_do(o, "Mul", start, step, NULL), (int64_t[]){-1, 1}, 2);
  weft_value *places = onnx_do(o, "Range", onnx_index(o, 0), length, onnx_index(o, 1));
  weft_value *v = onnx_picked(o, x, 1, onnx_do(o, "Add", start, places, NULL));
  if (window) v = onnx_do(o, "Mul", v, onnx_reshaped(o, window, (int64_t[]){-1, 1}, 2), NULL);
  onnx_set(o, "onesided", weft_attr_bool(onesided));
  return onnx_result(o, 0, onnx_do(o, "DFT", v, NULL, NULL));
}
