// ops/signal/mfcc.c - cepstral coefficients of a spectrogram on the mel scale.   AscendIR Mfcc, as TensorFlow
// computes it: the square roots of the bins are summed by overlapping triangles that lie evenly on the mel
// scale, 1127 ln(1 + f / 700), their logarithms transformed by a cosine transform. Sums below 1e-12 are taken
// for that.
#include "air_slots.h"
#include "op/air_rows.h"
#include "sparse.h"

enum { SPECTROGRAM, RATE };
#define FLOOR 1e-12

static weft_status mfcc_infer(weft_infer *it) {
  const int64_t channels = weft_node_int(it->desc, WEFT_SLOT_MFCC_FILTERBANK_CHANNEL_COUNT);
  const int64_t results = weft_node_int(it->desc, WEFT_SLOT_MFCC_DCT_COEFFICIENT_COUNT);
  const weft_shape *x = it->in[SPECTROGRAM];
  WEFT_TRY(weft__expect_rank(it, SPECTROGRAM, 3, 3));
  WEFT_TRY(weft__expect_rank(it, RATE, 0, 0));
  if (results < 1 || channels < results)
    return weft_fail(it->d, WEFT_E_INVALID,
                     "attributes 'dct_coefficient_count' and 'filterbank_channel_count' are %lld and %lld; "
                     "expected 1 or more coefficients, and as many channels at least",
                     (long long)results, (long long)channels);
  if (!weft_shape_is_unknown_rank(x) && x->dim[2] >= 0 && x->dim[2] < 2)
    return weft_fail(it->d, WEFT_E_SHAPE, "input 'spectrogram' has %lld bins, expected 2 or more",
                     (long long)x->dim[2]);
  const bool known = !weft_shape_is_unknown_rank(x);
  return weft_set_out_shape(it, 0, (weft_dim[]){known ? x->dim[0] : -1, known ? x->dim[1] : -1, results}, 3);
}

static double mel_of(double f) {
  return 1127 * log1p(f / 700);
}

typedef struct mel_bank {
  size_t bins, channels, results;
  double *weight;     // by bin: what goes to its band, the rest goes to the next one
  int64_t *band;      // by bin: -1 below the first centre, -2 outside
  double *sum;        // by channel
  double *cosine;     // [results, channels]
} mel_bank;

static weft_status mel_room(const weft_call *c, mel_bank *m) {
  void *space[4];
  size_t table;
  if (!weft_mul_size(m->channels, m->results, &table))
    return weft_fail(c->d, WEFT_E_OVERFLOW, "%zu channels by %zu coefficients", m->channels, m->results);
  const size_t n[4] = {m->bins, m->bins, m->channels, table};
  for (int i = 0; i < 4; i++)
    WEFT_TRY(weft__scratch(c, n[i], &space[i]));
  m->weight = space[0];
  m->band = space[1];
  m->sum = space[2];
  m->cosine = space[3];
  for (size_t i = 0; i < table; i++) {
    const double place = (double)(i / m->channels) * ((double)(i % m->channels) + 0.5);
    WEFT_TRY(weft__poll_at(c, i));
    m->cosine[i] = sqrt(2 / (double)m->channels) * cos(place * 3.14159265358979323846 / (double)m->channels);
  }
  return WEFT_OK;
}

static weft_status mel_bands(const weft_call *c, double rate, mel_bank *m) {
  const double low = weft_node_float(c->desc, WEFT_SLOT_MFCC_LOWER_FREQUENCY_LIMIT);
  const double high = weft_node_float(c->desc, WEFT_SLOT_MFCC_UPPER_FREQUENCY_LIMIT);
  if (!(low >= 0) || !(high > low) || !(rate > 0))
    return weft_fail(c->d, WEFT_E_RANGE, "frequencies from %g to %g at a rate of %g", low, high, rate);
  const double step = (mel_of(high) - mel_of(low)) / ((double)m->channels + 1);
  const double hz = 0.5 * rate / (double)(m->bins - 1);
  const double first = floor(1.5 + low / hz);
  const double last = floor(high / hz);
  for (size_t i = 0; i < m->bins; i++) {
    const double above = (mel_of((double)i * hz) - mel_of(low)) / step;  // in steps; centres are at 1, 2, ...
    WEFT_TRY(weft__poll_at(c, i));
    m->band[i] = -2;
    m->weight[i] = 0;
    if ((double)i < first || (double)i > last)
      continue;
    const double band = WEFT_MIN(WEFT_MAX(ceil(above) - 2, -1), (double)m->channels - 1);
    m->band[i] = (int64_t)band;
    m->weight[i] = band + 2 - above;
  }
  return WEFT_OK;
}

static void mel_frame(const weft_call *c, const mel_bank *m, size_t frame) {
  const weft_tensor *x = c->in[SPECTROGRAM];
  for (size_t k = 0; k < m->channels; k++)
    m->sum[k] = 0;
  for (size_t i = 0; i < m->bins; i++) {
    const double v = sqrt(weft_load_f64(x->dtype, x->data, frame * m->bins + i));
    const int64_t band = m->band[i];
    if (band >= 0)
      m->sum[band] += v * m->weight[i];
    if (band > -2 && (size_t)(band + 1) < m->channels)
      m->sum[band + 1] += v - v * m->weight[i];
  }
  for (size_t k = 0; k < m->channels; k++)
    m->sum[k] = log(m->sum[k] < FLOOR ? FLOOR : m->sum[k]);
  for (size_t r = 0; r < m->results; r++) {
    double sum = 0;
    for (size_t k = 0; k < m->channels; k++)
      sum += m->cosine[r * m->channels + k] * m->sum[k];
    weft_store_f64(c->out[0]->dtype, c->out[0]->data, frame * m->results + r, sum);
  }
}

static weft_status mfcc_ref(const weft_call *c) {
  const weft_shape *x = &c->in[SPECTROGRAM]->layout.origin;
  mel_bank m = {.bins = (size_t)x->dim[2]};
  size_t work = 0;
  if (weft__call_gives_nothing(c))  // no frame of as many bins as the input claims
    return WEFT_OK;
  m.channels = (size_t)weft_node_int(c->desc, WEFT_SLOT_MFCC_FILTERBANK_CHANNEL_COUNT);
  m.results = (size_t)weft_node_int(c->desc, WEFT_SLOT_MFCC_DCT_COEFFICIENT_COUNT);
  WEFT_TRY(mel_room(c, &m));
  WEFT_TRY(mel_bands(c, (double)weft_load_i64(c->in[RATE]->dtype, c->in[RATE]->data, 0), &m));
  for (size_t i = 0; i < (size_t)x->dim[0] * (size_t)x->dim[1]; i++) {
    WEFT_TRY(weft__poll_work(c, &work, m.bins + m.channels * m.results));
    mel_frame(c, &m, i);
  }
  return WEFT_OK;
}

WEFT_ROWS(mfcc) = {
    {"Mfcc", "cepstral coefficients of a spectrogram on the mel scale",
     WEFT_SYMBOLIC, .infer = mfcc_infer, .ref = mfcc_ref,
     .examples = WEFT_EXAMPLES(
         "f32[1,1,4]{0,0,0,0}, i32[]{16000} filterbank_channel_count=2 dct_coefficient_count=2 -> "
         "f32[1,1,2]{-55.262043,0} ~1e-4",
         "f32[1,N,129], i32[] -> f32[1,N,13]",
         "f32[1,1,4]{0,0,0,0}, i32[]{0} !! E_RANGE at a rate of 0",
         "f32[1,1,1], i32[] !! E_SHAPE 1 bins", "f32[1,1,4], i32[] dct_coefficient_count=41 !! E_INVALID "
         "41 and 40")},
    {0},
};
// SPDX-License-Identifier: Apache-2.0
