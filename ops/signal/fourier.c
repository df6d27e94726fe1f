// ops/signal/fourier.c - discrete Fourier transforms of complex and of real numbers.   AscendIR FFT, IFFT,
// FFT2D, IFFT2D, RFFT, IRFFT, STFT; as TensorFlow has them, STFT as PyTorch does without centring. The last
// axis, or the last two, are transformed; inverses divide by the length. In double, lane by lane.
#include "air_slots.h"
#include "arrays.h"
#include "fourier.h"
#include "op/air_rows.h"

// ---- FFT, IFFT, FFT2D, IFFT2D ----
typedef struct fourier_use {
  size_t axes;
  bool inverse;
} fourier_use;

static weft_status fourier_infer(weft_infer *it) {
  const fourier_use *use = it->desc->op->user;
  WEFT_TRY(weft__expect_rank(it, 0, use->axes, WEFT_MAX_RANK));
  return weft__same(it, 0, 0);
}

// One axis of all numbers, in place: n places that lie `step` pairs apart.
static weft_status fourier_axis(const weft_call *c, double *all, size_t elems, size_t n, size_t step,
                                bool inverse, double *space) {
  double *table = space;
  double *lane = table + 2 * n;
  double *out = lane + 2 * n;
  weft__fourier_table(table, n, inverse);
  for (size_t i = 0; i < elems / n; i++) {
    double *from = all + 2 * (i / step * n * step + i % step);
    for (size_t k = 0; k < n; k++)
      memcpy(lane + 2 * k, from + 2 * k * step, 2 * sizeof(double));
    WEFT_TRY(weft__fourier_lane(c, table, lane, n, out, out + 2 * n, inverse ? 1 / (double)n : 1));
    for (size_t k = 0; k < n; k++)
      memcpy(from + 2 * k * step, out + 2 * k, 2 * sizeof(double));
  }
  return WEFT_OK;
}

static weft_status fourier_ref(const weft_call *c) {
  const fourier_use *use = c->desc->op->user;
  const weft_tensor *x = c->in[0];
  const weft_shape *s = &x->layout.origin;
  const size_t elems = weft__elems(s);
  size_t longest = 0;
  size_t words;
  void *space;
  if (!c->out[0] || !elems)
    return WEFT_OK;
  for (size_t k = 1; k <= use->axes; k++)
    longest = WEFT_MAX(longest, (size_t)s->dim[s->rank - k]);
  if (!weft_mul_size(elems, 2, &words) || longest > (SIZE_MAX - words) / 8)
    return weft_fail(c->d, WEFT_E_OVERFLOW, "%zu elements", elems);
  WEFT_TRY(weft__scratch(c, words + 8 * longest, &space));
  double *all = space;
  for (size_t i = 0; i < elems; i++)
    weft__load_complex(x->dtype, x->data, i, all + 2 * i);
  for (size_t k = 1; k <= use->axes; k++) {
    const size_t step = weft__prod(s, s->rank - k + 1, s->rank);
    WEFT_TRY(fourier_axis(c, all, elems, (size_t)s->dim[s->rank - k], step, use->inverse, all + words));
  }
  for (size_t i = 0; i < elems; i++)
    weft__store_complex(c->out[0]->dtype, c->out[0]->data, i, all + 2 * i);
  return WEFT_OK;
}

// ---- RFFT, IRFFT ----
static weft_status fourier_length(weft_infer *it, weft_dim *out) {
  int64_t length = -1;
  int64_t n;
  bool known;
  WEFT_TRY(weft__in_ints(it, 1, &length, 1, &n, &known));
  if (n >= 0 && n != 1)
    return weft_fail(it->d, WEFT_E_SHAPE, "input 'fft_length': expected 1 element, got %lld", (long long)n);
  if (known && length < 1 && length > WEFT_DIM_SYMBOL_LIMIT)
    return weft_fail(it->d, WEFT_E_RANGE, "input 'fft_length': expected 1 or more, got %lld",
                     (long long)length);
  *out = known ? length : -1;
  return WEFT_OK;
}

static weft_status fourier_real_infer(weft_infer *it) {
  const fourier_use *use = it->desc->op->user;
  weft_dim length;
  WEFT_TRY(weft__expect_rank(it, 0, 1, WEFT_MAX_RANK));
  WEFT_TRY(fourier_length(it, &length));
  if (weft_shape_is_unknown_rank(it->in[0]))
    return weft__unknown_rank(it, 0);
  weft_shape_copy(it->out[0], it->in[0]);
  if (length != -1 && !use->inverse)
    length = weft_dim_add(it->symbols, weft_dim_floordiv(it->symbols, length, 2), 1);
  it->out[0]->dim[it->out[0]->rank - 1] = length;
  return WEFT_OK;
}

// Element i of a signal of n: real numbers, or a half and its mirror; zeros where the input has ended.
static void fourier_real_load(const weft_tensor *x, bool inverse, size_t lane, size_t given, size_t i,
                              size_t n, double z[2]) {
  const bool mirror = inverse && i > n / 2;
  const size_t from = mirror ? n - i : i;
  z[0] = z[1] = 0;
  if (from >= given)
    return;
  if (inverse)
    weft__load_complex(x->dtype, x->data, lane * given + from, z);
  else
    z[0] = weft_load_f64(x->dtype, x->data, lane * given + from);
  if (mirror)
    z[1] = -z[1];
}

static weft_status fourier_real_ref(const weft_call *c) {
  const fourier_use *use = c->desc->op->user;
  const weft_tensor *x = c->in[0];
  const weft_shape *s = &x->layout.origin;
  weft_tensor *y = c->out[0];
  int64_t length;
  size_t words;
  void *space;
  if (!y)
    return WEFT_OK;
  WEFT_TRY(weft__read_ints(c, 1, &length, 1, &words));
  const size_t n = (size_t)length;
  const size_t lanes = weft__prod(s, 0, s->rank - 1);
  const size_t results = use->inverse ? n : n / 2 + 1;
  if (!lanes)
    return WEFT_OK;
  if (!weft_mul_size(n, 8, &words))
    return weft_fail(c->d, WEFT_E_OVERFLOW, "a transform of %zu elements", n);
  WEFT_TRY(weft__scratch(c, words, &space));
  double *table = space;
  double *lane = table + 2 * n;
  double *out = lane + 2 * n;
  weft__fourier_table(table, n, use->inverse);
  for (size_t i = 0; i < lanes; i++) {
    for (size_t k = 0; k < n; k++)
      fourier_real_load(x, use->inverse, i, (size_t)s->dim[s->rank - 1], k, n, lane + 2 * k);
    WEFT_TRY(weft__fourier_lane(c, table, lane, n, out, out + 2 * n, use->inverse ? 1 / (double)n : 1));
    for (size_t k = 0; k < results; k++) {
      if (use->inverse)
        weft_store_f64(y->dtype, y->data, i * results + k, out[2 * k]);
      else
        weft__store_complex(y->dtype, y->data, i * results + k, out + 2 * k);
    }
  }
  return WEFT_OK;
}

// ---- STFT ----
typedef struct stft {
  int64_t n, hop, window;  // lengths of a transform, between two, of the window
  bool onesided, complex;
  int64_t bins;
} stft;

static weft_status stft_read(const weft_op_desc *n, weft_dtype x, weft_diag *d, stft *out) {
  *out = (stft){.n = weft_node_int(n, WEFT_SLOT_STFT_N_FFT),
                .hop = weft_node_int(n, WEFT_SLOT_STFT_HOP_LENGTH),
                .window = weft_node_int(n, WEFT_SLOT_STFT_WIN_LENGTH),
                .onesided = weft_node_bool(n, WEFT_SLOT_STFT_ONESIDED),
                .complex = weft_node_bool(n, WEFT_SLOT_STFT_RETURN_COMPLEX)};
  out->hop = out->hop ? out->hop : out->n / 4;
  out->window = out->window ? out->window : out->n;
  out->bins = out->onesided ? out->n / 2 + 1 : out->n;
  if (out->n < 1 || out->hop < 1 || out->window < 1 || out->window > out->n) {
    return weft_fail(d, WEFT_E_RANGE, "n_fft %lld, hop_length %lld, win_length %lld do not fit each other",
                     (long long)out->n, (long long)out->hop, (long long)out->window);
  }
  if (weft_dtype_is_complex(x) && out->onesided)
    return weft_fail(d, WEFT_E_INVALID, "attribute 'onesided': of complex numbers both sides are needed");
  return WEFT_OK;
}

static weft_status stft_infer(weft_infer *it) {
  const weft_shape *x = it->in[0];
  const weft_dtype t = it->in_dtype[0];
  const bool wide = t == WEFT_DOUBLE || t == WEFT_COMPLEX128;
  uint32_t window;
  stft s;
  WEFT_TRY(stft_read(it->desc, t, it->d, &s));
  WEFT_TRY(weft__expect_rank(it, 0, 1, 2));
  if (weft__has_in(it->desc, 1, &window))
    WEFT_TRY(weft__expect_rank(it, window, 1, 1));
  if (s.complex)
    it->out_dtype[0] = wide ? WEFT_COMPLEX128 : WEFT_COMPLEX64;
  else
    it->out_dtype[0] = wide ? WEFT_DOUBLE : WEFT_FLOAT;
  if (weft_shape_is_unknown_rank(x))
    return weft__unknown_rank(it, 0);
  const weft_dim given = x->dim[x->rank - 1];
  if (given >= 0 && given < s.n) {
    return weft_fail(it->d, WEFT_E_SHAPE, "input 'x': %lld elements, a transform takes %lld",
                     (long long)given, (long long)s.n);
  }
  weft_dim dims[4];
  size_t rank = 0;
  if (x->rank == 2)
    dims[rank++] = x->dim[0];
  dims[rank++] = s.bins;
  dims[rank++] = given >= 0 ? 1 + (given - s.n) / s.hop : -1;
  if (!s.complex)
    dims[rank++] = 2;
  return weft_set_out_shape(it, 0, dims, rank);
}

// The window of n_fft pairs: that which is given in the middle of zeros, or ones there.
static weft_status stft_window(const weft_call *c, const stft *s, double *out) {
  uint32_t in;
  const weft_tensor *w = weft__has_in(c->desc, 1, &in) ? c->in[in] : NULL;
  const size_t left = (size_t)(s->n - s->window) / 2;
  if (w && weft_tensor_elems(w) != s->window) {
    return weft_fail(c->d, WEFT_E_SHAPE, "input 'window' has %lld elements, win_length is %lld",
                     (long long)weft_tensor_elems(w), (long long)s->window);
  }
  memset(out, 0, 2 * (size_t)s->n * sizeof *out);
  for (size_t i = 0; i < (size_t)s->window; i++) {
    double *at = out + 2 * (left + i);
    at[0] = 1;
    if (w && weft_dtype_is_complex(w->dtype))
      weft__load_complex(w->dtype, w->data, i, at);
    else if (w)
      at[0] = weft_load_f64(w->dtype, w->data, i);
  }
  return WEFT_OK;
}

static weft_status stft_frame(const weft_call *c, const stft *s, double *space, size_t from, size_t to,
                              size_t frames) {
  const weft_tensor *x = c->in[0];
  weft_tensor *y = c->out[0];
  const size_t n = (size_t)s->n;
  double *window = space + 2 * n;
  double *lane = window + 2 * n;
  double *out = lane + 2 * n;
  const bool normalized = weft_node_bool(c->desc, WEFT_SLOT_STFT_NORMALIZED);
  for (size_t k = 0; k < n; k++) {
    double *z = lane + 2 * k;
    z[1] = 0;
    if (weft_dtype_is_complex(x->dtype))
      weft__load_complex(x->dtype, x->data, from + k, z);
    else
      z[0] = weft_load_f64(x->dtype, x->data, from + k);
    const double re = z[0] * window[2 * k] - z[1] * window[2 * k + 1];
    z[1] = z[0] * window[2 * k + 1] + z[1] * window[2 * k];
    z[0] = re;
  }
  WEFT_TRY(weft__fourier_lane(c, space, lane, n, out, out + 2 * n, normalized ? 1 / sqrt((double)n) : 1));
  for (size_t k = 0; k < (size_t)s->bins; k++) {
    const size_t at = to + k * frames;
    if (s->complex) {
      weft__store_complex(y->dtype, y->data, at, out + 2 * k);
    } else {
      weft_store_f64(y->dtype, y->data, 2 * at, out[2 * k]);
      weft_store_f64(y->dtype, y->data, 2 * at + 1, out[2 * k + 1]);
    }
  }
  return WEFT_OK;
}

static weft_status stft_ref(const weft_call *c) {
  const weft_shape *x = &c->in[0]->layout.origin;
  const size_t given = (size_t)x->dim[x->rank - 1];
  const size_t rows = weft__prod(x, 0, x->rank - 1);
  size_t words;
  void *space;
  stft s;
  if (!c->out[0])
    return WEFT_OK;
  WEFT_TRY(stft_read(c->desc, c->in[0]->dtype, c->d, &s));
  if (!rows)
    return WEFT_OK;
  if (given < (size_t)s.n || !weft_mul_size((size_t)s.n, 10, &words))
    return weft_fail(c->d, WEFT_E_SHAPE, "%zu elements, a transform takes %lld", given, (long long)s.n);
  const size_t frames = 1 + (given - (size_t)s.n) / (size_t)s.hop;
  WEFT_TRY(weft__scratch(c, words, &space));
  weft__fourier_table(space, (size_t)s.n, false);
  WEFT_TRY(stft_window(c, &s, (double *)space + 2 * s.n));
  for (size_t i = 0; i < rows * frames; i++) {
    const size_t row = i / frames;
    const size_t frame = i % frames;
    const size_t to = row * (size_t)s.bins * frames + frame;
    WEFT_TRY(stft_frame(c, &s, space, row * given + frame * (size_t)s.hop, to, frames));
  }
  return WEFT_OK;
}

#define FOURIER(op_name, says, dims, back, ...)                                                        \
  {                                                                                                    \
    .name = op_name, .summary = says, .traits = WEFT_SYMBOLIC | WEFT_MONOTONE, .infer = fourier_infer, \
    .ref = fourier_ref, .user = &(const fourier_use){dims, back},                                      \
    .examples = WEFT_EXAMPLES(__VA_ARGS__)                                                             \
  }
WEFT_ROWS(fourier) = {
    FOURIER("FFT", "Fourier transform of the last axis", 1, false,
            "c64[4]{(1,0),(2,0),(3,0),(4,0)} -> c64[4]{(10,0),(-2,2),(-2,0),(-2,-2)} ~1e-6",
            "c128[2,1]{(1,2),(3,4)} -> c128[2,1]{(1,2),(3,4)}", "c64[0,3] -> c64[0,3]",
            "c64[3,0] -> c64[3,0]",
            "c64[-1,4] -> c64[-1,4]", "c64[]{(1,0)} !! E_SHAPE expected rank 1",
            "f32[1]{1} !! E_DTYPE input 'x'"),
    FOURIER("IFFT", "inverse Fourier transform of the last axis", 1, true,
            "c64[4]{(10,0),(-2,2),(-2,0),(-2,-2)} -> c64[4]{(1,0),(2,0),(3,0),(4,0)} ~1e-6",
            "c64[-1] -> c64[-1]"),
    FOURIER("FFT2D", "Fourier transform of the last two axes", 2, false,
            "c64[2,2]{(1,0),(2,0),(3,0),(4,0)} -> c64[2,2]{(10,0),(-2,0),(-4,0),(0,0)} ~1e-6",
            "c64[N,2,3] -> c64[N,2,3]", "c64[2]{(1,0),(1,0)} !! E_SHAPE expected rank 2"),
    FOURIER("IFFT2D", "inverse Fourier transform of the last two axes", 2, true,
            "c64[2,2]{(10,0),(-2,0),(-4,0),(0,0)} -> c64[2,2]{(1,0),(2,0),(3,0),(4,0)} ~1e-6",
            "c64[?] -> c64[?]"),
    {"RFFT", "Fourier transform of real numbers, its first half", WEFT_SYMBOLIC, .infer = fourier_real_infer,
     .ref = fourier_real_ref, .values = "fft_length", .user = &(const fourier_use){1, false},
     .examples = WEFT_EXAMPLES("f32[4]{1,2,3,4}, i32[1]{4} -> c64[3]{(10,0),(-2,2),(-2,0)} ~1e-6",
                               "f32[2]{1,2}, i32[1]{3} -> c64[2]{(3,0),(0,-1.7320508)} ~1e-6",
                               "f32[1,3]{1,2,9}, i32[1]{2} -> c64[1,2]{(3,0),(-1,0)} ~1e-6",
                               "f32[0,3], i32[1]{4} -> c64[0,3]", "f32[-1,8], i32[1]{8} -> c64[-1,5]",
                               "f32[2,8], i32[1] -> c64[2,-1]",
                               "f32[2], i32[1]{0} !! E_RANGE input 'fft_length'",
                               "f32[2], i32[2]{2,2} !! E_LIMIT input 'fft_length'")},
    {"IRFFT", "real numbers whose Fourier transform has this first half",
        WEFT_SYMBOLIC, .infer = fourier_real_infer,
     .ref = fourier_real_ref, .values = "fft_length", .user = &(const fourier_use){1, true},
     .examples = WEFT_EXAMPLES("c64[3]{(10,0),(-2,2),(-2,0)}, i32[1]{4} -> f32[4]{1,2,3,4} ~1e-6",
                               "c64[2]{(3,0),(0,-1.7320508)}, i32[1]{3} -> f32[3]{1,2,0} ~1e-6",
                               "c64[2,5], i32[1]{8} -> f32[2,8]", "c64[2,5], i32[1] -> f32[2,-1]")},
    {"STFT", "Fourier transforms of overlapping parts", WEFT_SYMBOLIC, .infer = stft_infer, .ref = stft_ref,
     .examples = WEFT_EXAMPLES(
         "f32[4]{1,2,3,4}, _ n_fft=2 hop_length=1 -> c64[2,3]{(3,0),(5,0),(7,0),(-1,0),(-1,0),(-1,0)} ~1e-6",
         "f32[1,4]{1,2,3,4}, f32[2]{1,0.5} n_fft=2 hop_length=2 return_complex=false -> "
         "f32[1,2,2,2]{2,0,5,0,0,0,1,0} ~1e-6",
         "f64[4]{1,2,3,4}, f64[1]{2} n_fft=4 win_length=1 onesided=false -> "
         "c128[4,1]{(4,0),(0,-4),(-4,0),(0,4)} ~1e-12",
         "f32[-1,9], _ n_fft=4 hop_length=2 -> c64[-1,3,3]", "f32[?], _ n_fft=4 -> c64[?]",
         "f32[3], _ n_fft=4 !! E_SHAPE a transform takes 4",
         "f32[3], _ n_fft=2 win_length=3 !! E_RANGE n_fft 2",
         "c64[4], _ n_fft=4 !! E_INVALID attribute 'onesided'")},
    {0},
};
// SPDX-License-Identifier: Apache-2.0
