// map_experimental.c - operators that models of operator sets 1 to 10 hold although ONNX never made them
// final: they were marked experimental, taken back, and have no schema any more. Attributes and defaults as
// their last documents had them.
#include "frontend/onnx/map.h"

static weft_value *map_experimental_times(onnx_op *o, weft_value *v, double by) {
  return o->failed ? NULL : onnx_do(o, "Mul", v, onnx_num(o, v->fact.dtype, by), NULL);
}

// alpha * x + beta
weft_status onnx_affine(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  double alpha = (double)onnx_float(o, "alpha", 1), beta = (double)onnx_float(o, "beta", 0);
  weft_value *y = map_experimental_times(o, x, alpha);
  return onnx_result(o, 0, o->failed ? NULL : onnx_do(o, "Add", y, onnx_num(o, x->fact.dtype, beta), NULL));
}

// scale * x
weft_status onnx_scale(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  return onnx_result(o, 0, map_experimental_times(o, x, (double)onnx_float(o, "scale", 1)));
}

// alpha * log(1 + exp(beta * x))
weft_status onnx_parametric_softplus(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  double alpha = (double)onnx_float(o, "alpha", 1), beta = (double)onnx_float(o, "beta", 1);
  return onnx_result(o, 0,
                     map_experimental_times(
                         o, onnx_do(o, "Softplus", map_experimental_times(o, x, beta), NULL, NULL), alpha));
}

// alpha * tanh(beta * x)
weft_status onnx_scaled_tanh(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  double alpha = (double)onnx_float(o, "alpha", 1), beta = (double)onnx_float(o, "beta", 1);
  return onnx_result(
      o, 0,
      map_experimental_times(o, onnx_do(o, "Tanh", map_experimental_times(o, x, beta), NULL, NULL), alpha));
}

// scale * x + bias[c] for channel c of [N, C, H, W]
weft_status onnx_image_scaler(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  const onnx_attr *a = onnx_find_attr(o, "bias");
  weft_value *y = map_experimental_times(o, x, (double)onnx_float(o, "scale", 1));
  if (!a || o->failed)
    return onnx_result(o, 0, y);
  weft_value *bias = onnx_reshaped(o, onnx_table(o, a), (int64_t[]){-1, 1, 1}, 3);
  return onnx_result(o, 0, o->failed ? NULL : onnx_do(o, "Add", y, onnx_as(o, bias, x->fact.dtype), NULL));
}

// The image without `border` (left, top, right, bottom); with `scale`, the height and width that are left of
// it from there.
weft_status onnx_crop(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  weft_ints border = onnx_ints_of(o, "border");
  weft_ints scale = onnx_ints_of(o, "scale");
  WEFT_TRY(o->failed);
  if (border.n != 4 || (scale.v && scale.n != 2)) {
    return onnx_fail(o, WEFT_E_INVALID,
                     "attributes 'border' and 'scale' have %zu and %zu values, expected 4 and 2 or none",
                     border.n, scale.n);
  }
  int rank = onnx_rank_needed(o, x);
  if (!o->failed && (rank != 4 || x->fact.dims[2] < 0 || x->fact.dims[3] < 0))
    return onnx_fail(o, WEFT_E_UNSUPPORTED, "the input is not of rank 4 with known height and width");
  WEFT_TRY(o->failed);
  int64_t begin[2] = {border.v[1], border.v[0]};
  int64_t axes[2] = {2, 3};
  int64_t end[2];
  for (int i = 0; i < 2; i++) {
    int64_t dim = x->fact.dims[2 + i];
    int64_t cut = border.v[3 - i];
    bool ok = begin[i] >= 0 && begin[i] <= dim && cut >= 0 && cut <= dim - begin[i];
    if (ok && scale.v)
      ok = scale.v[i] >= 0 && scale.v[i] <= dim - begin[i];
    if (!ok) {
      return onnx_fail(o, WEFT_E_RANGE, "attributes 'border' and 'scale' reach past axis %d of %lld elements",
                       2 + i, (long long)dim);
    }
    end[i] = scale.v ? begin[i] + scale.v[i] : dim - cut;
  }
  weft_value *in[4] = {x, onnx_list(o, begin, 2), onnx_list(o, end, 2), onnx_list(o, axes, 2)};
  WEFT_TRY(o->failed);
  return onnx_emit(o, "StridedSliceV2", in, 4, NULL, 1, NULL);
}

// Of each channel over the batch and the image; across_channels: over the channels, too.
weft_status onnx_mean_variance_norm_1(onnx_op *o) {
  static const int64_t axes[] = {0, 2, 3, 1};
  weft_value *x = onnx_arg(o, 0);
  int64_t across = onnx_int(o, "across_channels", 0);
  int64_t divide = onnx_int(o, "normalize_variance", 1);
  size_t n = across ? 4 : 3;
  weft_value *y = onnx_do(o, "Sub", x, onnx_reduced(o, "ReduceMean", x, axes, n, true), NULL);
  if (!divide)
    return onnx_result(o, 0, y);
  weft_value *variance = onnx_reduced(o, "ReduceMean", onnx_do(o, "Square", y, NULL, NULL), axes, n, true);
  return onnx_result(o, 0, onnx_do(o, "Div", y, onnx_do(o, "Sqrt", variance, NULL, NULL), NULL));
}
// SPDX-License-Identifier: Apache-2.0
