// ops/signal/mel_weight_matrix.c - triangles that turn the bins of a spectrum into bands of the mel scale.
// ONNX MelWeightMatrix-17. y [dft_length / 2 + 1, num_mel_bins]. The corners of the bands lie at equal steps
// of 2595 log10(1 + f / 700) between the edges, rounded down to bins; what falls outside the spectrum is left
// out.
#include "dims_move.h"

enum { DTYPE };
enum { BINS, LENGTH, RATE, LOW, HIGH };

static weft_status mel_weight_matrix_infer(weft_infer *it) {
  int64_t bins;
  int64_t length;
  int64_t n;
  bool bins_known;
  bool length_known;
  for (uint32_t i = RATE; i <= HIGH; i++) {
    if (weft_shape_is_known(it->in[i]) && (weft_shape_elems(it->in[i], &n) || n != 1))
      return weft_fail(it->d, WEFT_E_SHAPE, "input '%s': expected one element", weft__in_name(it->desc, i));
  }
  WEFT_TRY(weft__in_int(it, BINS, &bins, &bins_known));
  WEFT_TRY(weft__in_int(it, LENGTH, &length, &length_known));
  if ((bins_known && bins < 0) || (length_known && length < 0)) {
    return weft_fail(it->d, WEFT_E_RANGE, "input '%s': %lld, expected 0 or more",
                     bins_known && bins < 0 ? "num_mel_bins" : "dft_length",
                     (long long)(bins_known && bins < 0 ? bins : length));
  }
  return weft_set_out_shape(it, 0, (weft_dim[2]){length_known ? length / 2 + 1 : -1, bins_known ? bins : -1},
                            2);
}

static double mel(const weft_call *c, uint32_t in) {
  return 2595 * log10(1 + weft_load_f64(c->in[in]->dtype, c->in[in]->data, 0) / 700);
}

static weft_status mel_weight_matrix_ref(const weft_call *c) {
  weft_tensor *y = c->out[0];
  int64_t length;
  int64_t rate;
  size_t work = 0;
  if (!y)
    return WEFT_OK;
  WEFT_TRY(weft__read_int(c, LENGTH, &length));
  WEFT_TRY(weft__read_int(c, RATE, &rate));
  if (rate < 1)
    return weft_fail(c->d, WEFT_E_RANGE, "input 'sample_rate': %lld, expected 1 or more", (long long)rate);
  double low = mel(c, LOW), step = (mel(c, HIGH) - low) / ((double)y->layout.origin.dim[1] + 2);
  for (weft_dim j = 0; j < y->layout.origin.dim[1]; j++) {
    double corner[3];
    WEFT_TRY(weft__poll_work(c, &work, (size_t)y->layout.origin.dim[0]));
    for (int k = 0; k < 3; k++) {
      corner[k] = floor(((double)length + 1) * (700 * (pow(10, (low + (double)(j + k) * step) / 2595) - 1)) /
                        (double)rate);
    }
    for (weft_dim i = 0; i < y->layout.origin.dim[0]; i++) {
      double x = (double)i, v = 0, rise = corner[1] - corner[0], fall = corner[2] - corner[1];
      if (x >= corner[0] && x <= corner[1])
        v = rise == 0 ? 1 : (x - corner[0]) / rise;
      if (fall > 0 && x >= corner[1] && x < corner[2])
        v = (corner[2] - x) / fall;
      weft_store_f64(y->dtype, y->data, (size_t)(i * y->layout.origin.dim[1] + j), v);
    }
  }
  return WEFT_OK;
}

WEFT_OP(mel_weight_matrix) = {
    WEFT_OP_HEAD,
    .name = "MelWeightMatrix",
    .summary = "bands of the mel scale over a spectrum",
    .in = PORTS({"num_mel_bins", NULL, WEFT_SET_INDEX, .value = WEFT_VALUE_INFER},
                {"dft_length", NULL, WEFT_SET_INDEX, .value = WEFT_VALUE_INFER},
                {"sample_rate", NULL, WEFT_SET_INDEX}, {"lower_edge_hertz", NULL, WEFT_FLOATS},
                {"upper_edge_hertz", NULL, WEFT_FLOATS}),
    .out = PORTS({"output", "T"}),
    .types = TYPES({"T", WEFT_NUMBERS, .from_attr = "output_datatype"}),
    .attrs = ATTRS({"output_datatype", "Type", "DT_FLOAT"}),
    .traits = WEFT_SYMBOLIC,
    .infer = mel_weight_matrix_infer,
    .ref = mel_weight_matrix_ref,
    .examples =
        WEFT_EXAMPLES("i64[]{2}, i64[]{8}, i64[]{8192}, f32[]{0}, f32[]{4096}"
                      " -> f32[5,2]{1,0,0,1,0,0,0,0,0,0}",
                      "i64[]{1}, i32[]{0}, i64[]{1}, f32[]{0}, f32[]{0} output_datatype=i32 -> i32[1,1]{1}",
                      "i64[]{0}, i64[]{4}, i64[]{1}, f32[]{0}, f32[]{0} -> f32[3,0]",
                      "i64[], i64[]{8}, i64[], f32[], f32[] -> f32[5,-1]",
                      "i64[]{-1}, i64[]{8}, i64[], f32[], f32[] !! E_RANGE num_mel_bins",
                      "i64[]{1}, i64[]{8}, i64[]{0}, f32[]{0}, f32[]{1} !! E_RANGE sample_rate",
                      "i64[2], i64[]{8}, i64[], f32[], f32[] !! E_SHAPE num_mel_bins"),
};
// SPDX-License-Identifier: Apache-2.0
