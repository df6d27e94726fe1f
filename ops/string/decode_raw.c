// ops/string/decode_raw.c - the bytes of strings as numbers, and of numbers as a fingerprint.   AscendIR
// DecodeRaw, Fingerprint, as TensorFlow has them. DecodeRaw: strings of one length, whose numbers are a new
// last axis. Fingerprint: FarmHash of the bytes of each row, its 8 bytes with the lowest first.
#include "air_slots.h"
#include "lists.h"
#include "op/air_rows.h"
#include "text_hash.h"

// ---- DecodeRaw ----
static weft_status decode_raw_infer(weft_infer *it) {
  const weft_shape *s = it->in[0];
  it->out_dtype[0] = weft_node_dtype(it->desc, WEFT_SLOT_DECODE_RAW_OUT_TYPE);
  if (weft_shape_is_unknown_rank(s))
    return weft__unknown_rank(it, 0);
  if (s->rank == WEFT_MAX_RANK)
    return weft_fail(it->d, WEFT_E_LIMIT, "the output's rank is over the limit of %d", WEFT_MAX_RANK);
  weft_shape_copy(it->out[0], s);
  it->out[0]->dim[it->out[0]->rank++] = -1;
  return WEFT_OK;
}

static weft_status decode_raw_range(weft_infer *it) {
  WEFT_TRY(decode_raw_infer(it));
  weft_shape_copy(it->out_min[0], it->out[0]);
  weft_shape_copy(it->out_max[0], it->out[0]);
  if (weft_shape_is_unknown_rank(it->out[0]))
    return WEFT_OK;
  for (size_t i = 0; i < it->in[0]->rank; i++) {
    it->out_min[0]->dim[i] = it->in_min[0]->dim[i];
    it->out_max[0]->dim[i] = it->in_max[0]->dim[i];
  }
  it->out_min[0]->dim[it->in[0]->rank] = 0;
  return WEFT_OK;
}

// The bytes that every string has.
static weft_status decode_raw_length(const weft_call *c, size_t n, size_t *out_bytes) {
  const char *text;
  size_t bytes;
  *out_bytes = 0;
  for (size_t i = 0; i < n; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    WEFT_TRY(weft_tensor_string(c->in[0], i, &text, &bytes, c->d));
    if (i && bytes != *out_bytes) {
      return weft_fail(c->d, WEFT_E_SHAPE, "element %zu has %zu bytes, those before it have %zu", i, bytes,
                       *out_bytes);
    }
    *out_bytes = bytes;
  }
  return WEFT_OK;
}

static bool decode_raw_host_is_little(void) {
  const uint16_t one = 1;
  uint8_t first;
  memcpy(&first, &one, 1);
  return first == 1;
}

// Numbers of `part` bytes in the order of this machine.
static void decode_raw_put(uint8_t *to, const char *from, size_t bytes, size_t part, bool turned) {
  memcpy(to, from, bytes);
  for (size_t at = 0; turned && at < bytes; at += part) {
    for (size_t k = 0; k < part; k++)
      to[at + k] = (uint8_t)from[at + part - 1 - k];
  }
}

// Of a complex number each part has its own order.
static size_t decode_raw_part(weft_dtype t) {
  return weft__elem_bytes(t) / (weft_dtype_is_complex(t) ? 2 : 1);
}

static weft_status decode_raw_execute(const weft_call *c) {
  const weft_dtype t = weft_node_dtype(c->desc, WEFT_SLOT_DECODE_RAW_OUT_TYPE);
  const size_t each = weft__elem_bytes(t);
  const size_t n = weft__elems(&c->in[0]->layout.origin);
  const bool little = weft_node_bool(c->desc, WEFT_SLOT_DECODE_RAW_LITTLE_ENDIAN);
  weft_shape shape = c->in[0]->layout.origin;
  size_t bytes;
  WEFT_TRY(decode_raw_length(c, n, &bytes));
  if (bytes % each) {
    return weft_fail(c->d, WEFT_E_SHAPE, "strings of %zu bytes are no %s, which have %zu", bytes,
                     weft_dtype_name(t), each);
  }
  shape.dim[shape.rank++] = (weft_dim)(bytes / each);
  WEFT_TRY(weft__alloc_found(c, 0, t, &shape, &shape));
  if (!c->out[0])
    return WEFT_OK;
  for (size_t i = 0; i < n; i++) {
    const char *text;
    WEFT_TRY(weft__poll_at(c, i));
    WEFT_TRY(weft_tensor_string(c->in[0], i, &text, &bytes, c->d));
    uint8_t *to = (uint8_t *)c->out[0]->data + i * bytes;
    if (t == WEFT_BOOL) {
      for (size_t k = 0; k < bytes; k++)
        to[k] = text[k] != 0;
    } else {
      decode_raw_put(to, text, bytes, decode_raw_part(t), little != decode_raw_host_is_little());
    }
  }
  return WEFT_OK;
}

// ---- Fingerprint ----
static weft_status fingerprint_infer(weft_infer *it) {
  enum { HASH_BYTES = 8 };
  const weft_shape *s = it->in[0];
  WEFT_TRY(weft__expect_rank(it, 0, 1, WEFT_MAX_RANK));
  WEFT_TRY(weft__expect_rank(it, 1, 0, 0));
  const weft_dim dims[2] = {weft_shape_is_unknown_rank(s) ? -1 : s->dim[0], HASH_BYTES};
  return weft_set_out_shape(it, 0, dims, 2);
}

static weft_status fingerprint_ref(const weft_call *c) {
  const weft_tensor *x = c->in[0];
  const weft_shape *s = &x->layout.origin;
  const char *method;
  size_t bytes;
  if (!c->out[0])
    return WEFT_OK;
  WEFT_TRY(weft_tensor_string(c->in[1], 0, &method, &bytes, c->d));
  if (bytes != strlen("farmhash64") || memcmp(method, "farmhash64", bytes) != 0) {
    return weft_fail(c->d, WEFT_E_RANGE, "input 'method': expected \"farmhash64\", got \"%.*s\"",
                     (int)WEFT_MIN(bytes, (size_t)60), method);
  }
  const size_t row = weft__prod(s, 1, s->rank) * weft__elem_bytes(x->dtype);
  uint8_t *to = c->out[0]->data;
  size_t work = 0;
  for (size_t i = 0; i < (size_t)s->dim[0]; i++, to += 8) {
    WEFT_TRY(weft__poll_work(c, &work, 1 + row / 8));
    const uint64_t hash = weft__hash_farm((const uint8_t *)x->data + i * row, row);
    for (size_t k = 0; k < 8; k++)
      to[k] = (uint8_t)(hash >> 8 * k);
  }
  return WEFT_OK;
}

WEFT_ROWS(decode_raw) = {
    {"DecodeRaw", "the bytes of strings as numbers",
        WEFT_SYMBOLIC | WEFT_DATA_DEPENDENT, .infer = decode_raw_infer,
     .infer_range = decode_raw_range, .execute = decode_raw_execute,
     .examples = WEFT_EXAMPLES(
         "str[2]{\"ab\",\"c\\0\"} out_type=u8 -> u8[2,2]{97,98,99,0}",
         "str[]{\"\\u0001\\0\\u0002\\0\"} out_type=i16 -> i16[2]{1,2}",
         "str[1]{\"\\u0001\\0\\u0002\\0\"} out_type=i16 little_endian=false -> i16[1,2]{256,512}",
         "str[1]{\"\\0\\u0002\"} out_type=bool -> bool[1,2]{0,1}", "str[0] -> f32[0,0]",
         "str[-1,2] -> f32[-1,2,-1]",
         "str[2]{\"a\",\"ab\"} out_type=u8 !! E_SHAPE element 1 has 2 bytes",
         "str[1]{\"abc\"} !! E_SHAPE strings of 3 bytes",
         "str[1]{\"a\"} out_type=str !! E_DTYPE output 'output'")},
    {"Fingerprint", "FarmHash of the bytes of each row",
        WEFT_SYMBOLIC | WEFT_MONOTONE, .infer = fingerprint_infer,
     .ref = fingerprint_ref,
     .examples = WEFT_EXAMPLES(
         "u8[2,1]{97,98}, str[]{\"farmhash64\"} -> "
         "u8[2,8]{227,117,223,182,101,66,69,179,22,241,200,94,33,96,178,163}",
         "f32[0,3], str[] -> u8[0,8]", "i16[2,0], str[]{\"farmhash64\"} -> "
         "u8[2,8]{79,64,144,47,59,106,225,154,79,64,144,47,59,106,225,154}", "f32[-1], str[] -> u8[-1,8]",
         "f32[], str[] !! E_SHAPE expected rank 1", "u8[1]{1}, str[]{\"md5\"} !! E_RANGE input 'method'")},
    {0},
};
// SPDX-License-Identifier: Apache-2.0
