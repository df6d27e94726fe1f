// ops/signal/wav.c - sound in a string: RIFF/WAVE with samples of 16 bits.   AscendIR DecodeWav, EncodeWav,
// as TensorFlow has them. A sample of 16 bits is one between -1 and 1, times 32768; channels lie beside each
// other. Decoded: as many channels and samples as are asked for, -1 all that the file has; channels beyond it
// repeat its last one, samples beyond it are 0. Chunks that are neither "fmt " nor "data" are passed over.
#include <math.h>

#include "air_slots.h"
#include "lists.h"
#include "op/air_rows.h"
#include "string_util.h"

enum { WAV_HEADER = 44, WAV_FORMAT = 16, WAV_CHUNK = 8, WAV_PCM = 1, WAV_SCALE = 32768 };

static uint32_t wav_number(const uint8_t *p, unsigned bytes) {
  uint32_t v = 0;
  for (unsigned i = 0; i < bytes; i++)
    v |= (uint32_t)p[i] << 8 * i;
  return v;
}

static void wav_put(uint8_t *p, uint32_t v, unsigned bytes) {
  for (unsigned i = 0; i < bytes; i++)
    p[i] = (uint8_t)(v >> 8 * i);
}

// ---- DecodeWav ----
typedef struct wav_sound {
  uint32_t channels, rate;
  const uint8_t *data;
  size_t samples;
} wav_sound;

static weft_status wav_bad(const weft_call *c, const char *what) {
  return weft_fail(c->d, WEFT_E_CORRUPT, "input 'contents': %s", what);
}

static weft_status wav_format(const weft_call *c, const uint8_t *p, size_t bytes, wav_sound *out) {
  if (bytes < WAV_FORMAT)
    return wav_bad(c, "its chunk 'fmt ' is cut short");
  const uint32_t kind = wav_number(p, 2);
  const uint32_t bits = wav_number(p + 14, 2);
  out->channels = wav_number(p + 2, 2);
  out->rate = wav_number(p + 4, 4);
  if (kind != WAV_PCM || bits != 16) {
    return weft_fail(c->d, WEFT_E_UNSUPPORTED,
                     "input 'contents': sound of kind %u with %u bits a sample; PCM (1) of 16 bits is read",
                     kind, bits);
  }
  if (!out->channels || out->rate > INT32_MAX)
    return wav_bad(c, "it has no channels, or more than 2^31 samples a second");
  return WEFT_OK;
}

static weft_status wav_read(const weft_call *c, const uint8_t *p, size_t bytes, wav_sound *out) {
  *out = (wav_sound){0};
  if (bytes < 12 || memcmp(p, "RIFF", 4) != 0 || memcmp(p + 8, "WAVE", 4) != 0)
    return wav_bad(c, "it does not begin with RIFF and WAVE");
  for (size_t at = 12; bytes - at >= WAV_CHUNK;) {
    const size_t size = wav_number(p + at + 4, 4);
    const size_t left = bytes - at - WAV_CHUNK;
    const uint8_t *body = p + at + WAV_CHUNK;
    if (size > left)
      return wav_bad(c, "a chunk is longer than the file");
    if (!memcmp(p + at, "fmt ", 4))
      WEFT_TRY(wav_format(c, body, size, out));
    if (!memcmp(p + at, "data", 4)) {
      if (!out->channels)
        return wav_bad(c, "its chunk 'data' comes before 'fmt '");
      out->data = body;
      out->samples = size / 2 / out->channels;
      return WEFT_OK;
    }
    at += WAV_CHUNK + WEFT_MIN(size + size % 2, left);
  }
  return wav_bad(c, "it has no chunk 'data'");
}

// An attribute: how many are asked for, -1 all.
static weft_status wav_asked(const weft_op_desc *n, weft_diag *d, uint32_t slot, weft_dim *out) {
  *out = weft_node_int(n, slot);
  if (*out >= -1 && *out <= INT32_MAX)
    return WEFT_OK;
  return weft_fail(d, WEFT_E_RANGE, "attribute '%s' is %lld, expected -1 or up to 2^31 - 1",
                   weft__attr_name(n, slot), (long long)*out);
}

static weft_status wav_decode_dims(const weft_op_desc *n, weft_diag *d, weft_dim dims[2]) {
  WEFT_TRY(wav_asked(n, d, WEFT_SLOT_DECODE_WAV_DESIRED_SAMPLES, &dims[0]));
  return wav_asked(n, d, WEFT_SLOT_DECODE_WAV_DESIRED_CHANNELS, &dims[1]);
}

static weft_status wav_decode_infer(weft_infer *it) {
  weft_dim dims[2];
  WEFT_TRY(weft__expect_rank(it, 0, 0, 0));
  WEFT_TRY(wav_decode_dims(it->desc, it->d, dims));
  WEFT_TRY(weft_set_out_shape(it, 0, dims, 2));
  return weft__scalar(it, 1);
}

static weft_status wav_decode_range(weft_infer *it) {
  WEFT_TRY(wav_decode_infer(it));
  for (uint32_t o = 0; o < 2; o++) {
    weft_shape_copy(it->out_min[o], it->out[o]);
    weft_shape_copy(it->out_max[o], it->out[o]);
  }
  for (size_t i = 0; i < 2; i++)
    it->out_min[0]->dim[i] = WEFT_MAX(it->out[0]->dim[i], 0);
  return WEFT_OK;
}

static weft_status wav_decode_execute(const weft_call *c) {
  const char *text;
  size_t bytes;
  weft_dim dims[2];
  wav_sound s;
  weft_shape shape;
  WEFT_TRY(weft_tensor_string(c->in[0], 0, &text, &bytes, c->d));
  WEFT_TRY(wav_read(c, (const uint8_t *)text, bytes, &s));
  WEFT_TRY(wav_decode_dims(c->desc, c->d, dims));
  dims[0] = dims[0] < 0 ? (weft_dim)s.samples : dims[0];
  dims[1] = dims[1] < 0 ? (weft_dim)s.channels : dims[1];
  WEFT_TRY(weft_shape_init(&shape, dims, 2));
  WEFT_TRY(weft__alloc_found(c, 0, WEFT_FLOAT, &shape, &shape));
  shape.rank = 0;
  WEFT_TRY(weft__alloc_found(c, 1, WEFT_INT32, &shape, &shape));
  if (c->out[1])
    weft_store_i64(WEFT_INT32, c->out[1]->data, 0, s.rate);
  const size_t channels = (size_t)dims[1];
  const size_t n = c->out[0] ? (size_t)dims[0] * channels : 0;
  for (size_t i = 0; i < n; i++) {
    const size_t sample = i / channels;
    const size_t channel = WEFT_MIN(i % channels, s.channels - 1);
    double v = 0;
    WEFT_TRY(weft__poll_at(c, i));
    if (sample < s.samples)
      v = (int16_t)wav_number(s.data + 2 * (sample * s.channels + channel), 2);
    weft_store_f64(WEFT_FLOAT, c->out[0]->data, i, v / WAV_SCALE);
  }
  return WEFT_OK;
}

// ---- EncodeWav ----
static weft_status wav_encode_infer(weft_infer *it) {
  WEFT_TRY(weft__expect_rank(it, 0, 2, 2));
  WEFT_TRY(weft__expect_rank(it, 1, 0, 0));
  return weft__scalar(it, 0);
}

static int16_t wav_sample(double v) {
  if (isnan(v))
    return 0;
  return (int16_t)fmin(fmax(round(v * WAV_SCALE), -WAV_SCALE), WAV_SCALE - 1);
}

static void wav_header(uint8_t *p, uint32_t rate, uint32_t channels, uint32_t bytes) {
  memcpy(p, "RIFF    WAVEfmt ", 16);
  memcpy(p + 36, "data", 4);
  wav_put(p + 4, bytes + WAV_HEADER - 8, 4);
  wav_put(p + 16, WAV_FORMAT, 4);
  wav_put(p + 20, WAV_PCM, 2);
  wav_put(p + 22, channels, 2);
  wav_put(p + 24, rate, 4);
  wav_put(p + 28, rate * channels * 2, 4);
  wav_put(p + 32, channels * 2, 2);
  wav_put(p + 34, 16, 2);
  wav_put(p + 40, bytes, 4);
}

static weft_status wav_encode_ref(const weft_call *c) {
  enum { MOST_CHANNELS = 255 };
  const weft_tensor *x = c->in[0];
  const size_t n = weft__elems(&x->layout.origin);
  const weft_dim channels = x->layout.origin.dim[1];
  const int64_t rate = weft_load_i64(c->in[1]->dtype, c->in[1]->data, 0);
  uint8_t head[WAV_HEADER];
  weft_strings out;
  if (!c->out[0])
    return WEFT_OK;
  if (!n || channels > MOST_CHANNELS || n > (UINT32_MAX - WAV_HEADER) / 2) {
    return weft_fail(c->d, WEFT_E_SHAPE,
                     "input 'audio' is %lld x %lld: expected 1 to %d channels, and samples that fit 4 GiB",
                     (long long)x->layout.origin.dim[0], (long long)channels, MOST_CHANNELS);
  }
  if (rate < 1 || rate > (int64_t)UINT32_MAX / 2 / channels) {
    return weft_fail(c->d, WEFT_E_RANGE,
                     "input 'sample_rate' is %lld: expected 1 or more, and less than 2^32 bytes a second",
                     (long long)rate);
  }
  weft__strings_init(&out, c);
  wav_header(head, (uint32_t)rate, (uint32_t)channels, (uint32_t)(2 * n));
  weft__strings_add(&out, (const char *)head, sizeof head);
  weft_status s = WEFT_OK;
  for (size_t i = 0; i < n && !s; i++) {
    uint8_t two[2];
    s = weft__poll_at(c, i);
    wav_put(two, (uint16_t)wav_sample(weft_load_f64(x->dtype, x->data, i)), 2);
    weft__strings_add(&out, (const char *)two, 2);
  }
  weft__strings_next(&out);
  return weft__strings_give(&out, &c->out[0]->layout.origin, s);
}

#define WAV_HEAD                                                                   \
  "RIFF(\\0\\0\\0WAVEfmt \\u0010\\0\\0\\0\\u0001\\0\\u0001\\0\\0 \\0\\0\\0@\\0\\0" \
  "\\u0002\\0\\u0010\\0"
#define WAV_DATA WAV_HEAD "data\\u0004\\0\\0\\0\\0@\\0 "
#define WAV_FILE "str[]{\"" WAV_DATA "\"}"
WEFT_ROWS(wav) = {
    {"DecodeWav", "the sound in a string", WEFT_SYMBOLIC | WEFT_DATA_DEPENDENT, .infer = wav_decode_infer,
     .infer_range = wav_decode_range, .execute = wav_decode_execute,
     .examples = WEFT_EXAMPLES(
         WAV_FILE " -> f32[2,1]{0.5,0.25}, i32[]{8192}",
         WAV_FILE " desired_channels=2 desired_samples=3 -> f32[3,2]{0.5,0.5,0.25,0.25,0,0}, i32[]{8192}",
         WAV_FILE " desired_samples=1 -> f32[1,1]{0.5}, i32[]{8192}",
         WAV_FILE " desired_samples=0 -> f32[0,1], i32[]{8192}", "str[] -> f32[-1,-1], i32[]",
         "str[] desired_channels=2 -> f32[-1,2], i32[]",
         WAV_FILE " desired_samples=-2 -> _, _ !! E_RANGE attribute 'desired_samples' is -2",
         "str[]{\"RIFF\"} -> _, _ !! E_CORRUPT does not begin with RIFF and WAVE",
         "str[]{\"" WAV_HEAD "\"} -> _, _ !! E_CORRUPT no chunk 'data'",
         "str[]{\"" WAV_HEAD "data\\u0005\\0\\0\\0\\0@\\0 \"} -> _, _ !! E_CORRUPT longer than the file",
         "str[]{\"RIFF    WAVEdata\\0\\0\\0\\0\"} -> _, _ !! E_CORRUPT before 'fmt '",
         "str[]{\"RIFF    WAVEfmt \\u0002\\0\\0\\0ab\"} -> _, _ !! E_CORRUPT cut short",
         "str[1] -> _, _ !! E_SHAPE rank 0")},
    {"EncodeWav", "sound as the string of a file", WEFT_SYMBOLIC, .infer = wav_encode_infer,
     .ref = wav_encode_ref,
     .examples = WEFT_EXAMPLES("f32[2,1]{0.5,0.25}, i32[]{8192} -> " WAV_FILE, "f32[-1,2], i32[] -> str[]",
                               "f32[?], i32[] -> str[]",
                               "f32[0,1], i32[]{8192} !! E_SHAPE input 'audio' is 0 x 1",
                               "f32[1,1]{0}, i32[]{0} !! E_RANGE input 'sample_rate' is 0",
                               "f32[2]{0,0}, i32[]{1} !! E_SHAPE rank 2")},
    {0},
};
// SPDX-License-Identifier: Apache-2.0
