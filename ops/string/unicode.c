// ops/string/unicode.c - code points of strings and strings of code points.   AscendIR UnicodeDecode,
// UnicodeDecodeWithOffsets, UnicodeEncode, UnicodeTranscode, as TensorFlow has them. Encodings are UTF-8,
// UTF-16 and UTF-32 in both byte orders, US-ASCII and ISO-8859-1. What is no character (of UTF-8: the longest
// part that could have become one) is an error, replaced or left out, as `errors` says.
#include "air_slots.h"
#include "op/air_rows.h"
#include "string_util.h"
#include "tensor/scan.h"

// ---- encodings ----
typedef enum unicode_form { UNICODE_UTF8, UNICODE_16, UNICODE_32, UNICODE_ASCII, UNICODE_LATIN } unicode_form;
typedef struct unicode_encoding {
  const char *name;
  unicode_form form;
  bool little;
} unicode_encoding;

static weft_status unicode_encoding_of(const weft_call *c, uint32_t slot, unicode_encoding *out) {
  static const unicode_encoding all[] = {
      {"UTF-8", UNICODE_UTF8, false},      {"UTF-16-BE", UNICODE_16, false},
      {"UTF-16BE", UNICODE_16, false},     {"UTF-16-LE", UNICODE_16, true},
      {"UTF-16LE", UNICODE_16, true},      {"UTF-32-BE", UNICODE_32, false},
      {"UTF-32BE", UNICODE_32, false},     {"UTF-32-LE", UNICODE_32, true},
      {"UTF-32LE", UNICODE_32, true},      {"US-ASCII", UNICODE_ASCII, false},
      {"ISO-8859-1", UNICODE_LATIN, false}};
  const char *name = weft_node_str(c->desc, slot);
  for (size_t i = 0; name && i < WEFT_COUNT(all); i++) {
    *out = all[i];
    if (!strcmp(name, all[i].name))
      return WEFT_OK;
  }
  return weft_fail(
      c->d, WEFT_E_UNSUPPORTED,
      "encoding \"%s\": weft has UTF-8, UTF-16-BE, UTF-16-LE, UTF-32-BE, UTF-32-LE, US-ASCII and "
      "ISO-8859-1",
      name ? name : "");
}

// The bytes of something at `p` that begins like a character of UTF-8 and is none; `code` is -1.
static size_t unicode_broken(const uint8_t *p, size_t bytes) {
  static const struct {
    uint8_t first, low, high;
  } second[] = {{0xE0, 0xA0, 0xBF}, {0xED, 0x80, 0x9F}, {0xF0, 0x90, 0xBF}, {0xF4, 0x80, 0x8F}};
  const size_t wants = p[0] >= 0xF0 ? 4 : p[0] >= 0xE0 ? 3 : 2;
  uint8_t low = 0x80;
  uint8_t high = 0xBF;
  if (p[0] < 0xC2 || p[0] > 0xF4)
    return 1;
  for (size_t i = 0; i < WEFT_COUNT(second); i++) {
    low = p[0] == second[i].first ? second[i].low : low;
    high = p[0] == second[i].first ? second[i].high : high;
  }
  size_t n = 1;
  while (n < wants && n < bytes && p[n] >= low && p[n] <= high) {
    n++;
    low = 0x80;
    high = 0xBF;
  }
  return n;
}

static uint32_t unicode_unit(const uint8_t *p, size_t bytes, bool little) {
  uint32_t v = 0;
  for (size_t i = 0; i < bytes; i++)
    v = v << 8 | p[little ? bytes - 1 - i : i];
  return v;
}

static size_t unicode_next_16(const uint8_t *p, size_t bytes, bool little, int32_t *out_code) {
  *out_code = -1;
  if (bytes < 2)
    return bytes;
  const uint32_t high = unicode_unit(p, 2, little);
  if (high < 0xD800 || high > 0xDFFF) {
    *out_code = (int32_t)high;
    return 2;
  }
  const uint32_t low = high < 0xDC00 && bytes >= 4 ? unicode_unit(p + 2, 2, little) : 0;
  if (low < 0xDC00 || low > 0xDFFF)
    return 2;
  *out_code = (int32_t)(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00));
  return 4;
}

static bool unicode_is_character(int64_t code) {
  return code >= 0 && code < 0x110000 && (code < 0xD800 || code > 0xDFFF);
}

// The bytes of the next character and its code point, -1: none.
static size_t unicode_next(const unicode_encoding *e, const char *text, size_t bytes, int32_t *out_code) {
  const uint8_t *p = (const uint8_t *)text;
  size_t n = 1;
  switch (e->form) {
    case UNICODE_UTF8:
      n = weft__utf8_next(text, bytes, out_code);
      return *out_code < 0 ? unicode_broken(p, bytes) : n;
    case UNICODE_16:
      return unicode_next_16(p, bytes, e->little, out_code);
    case UNICODE_32:
      n = WEFT_MIN(bytes, (size_t)4);
      *out_code = -1;
      if (n == 4 && unicode_is_character(unicode_unit(p, 4, e->little)))
        *out_code = (int32_t)unicode_unit(p, 4, e->little);
      return n;
    default:
      *out_code = e->form == UNICODE_LATIN || p[0] < 0x80 ? p[0] : -1;
      return 1;
  }
}

static void unicode_add_unit(weft_strings *s, uint32_t v, size_t bytes, bool little) {
  char out[4];
  for (size_t i = 0; i < bytes; i++)
    out[little ? i : bytes - 1 - i] = (char)(uint8_t)(v >> 8 * i);
  weft__strings_add(s, out, bytes);
}

static weft_status unicode_add(weft_strings *s, const unicode_encoding *e, int32_t code) {
  char utf8[4];
  const uint32_t v = (uint32_t)code;
  switch (e->form) {
    case UNICODE_UTF8:
      weft__strings_add(s, utf8, weft__utf8_put(v, utf8));
      break;
    case UNICODE_16:
      if (v >= 0x10000)
        unicode_add_unit(s, 0xD800 + ((v - 0x10000) >> 10), 2, e->little);
      unicode_add_unit(s, v >= 0x10000 ? 0xDC00 + ((v - 0x10000) & 0x3FF) : v, 2, e->little);
      break;
    case UNICODE_32:
      unicode_add_unit(s, v, 4, e->little);
      break;
    default:
      return weft_fail(s->call->d, WEFT_E_UNSUPPORTED, "encoding \"%s\" is read, not written", e->name);
  }
  return s->stopped;
}

// ---- what is no character ----
typedef enum unicode_policy { UNICODE_STRICT, UNICODE_REPLACE, UNICODE_IGNORE } unicode_policy;
typedef struct unicode_errors {
  unicode_policy policy;
  int32_t replacement;
  bool controls;  // control characters are replaced, too
} unicode_errors;

static weft_status unicode_errors_of(const weft_call *c, uint32_t errors, uint32_t replacement,
                                     unicode_errors *out) {
  static const char *const policies[] = {"strict", "replace", "ignore"};
  const char *word = weft_node_str(c->desc, errors);
  const int64_t code = weft_node_int(c->desc, replacement);
  if (!unicode_is_character(code)) {
    return weft_fail(c->d, WEFT_E_RANGE, "attribute 'replacement_char': %lld is no character",
                     (long long)code);
  }
  out->replacement = (int32_t)code;
  out->controls = false;
  for (size_t i = 0; word && i < WEFT_COUNT(policies); i++) {
    out->policy = (unicode_policy)i;
    if (!strcmp(word, policies[i]))
      return WEFT_OK;
  }
  return weft_fail(c->d, WEFT_E_RANGE, "attribute 'errors': expected strict, replace or ignore, got \"%s\"",
                   word ? word : "");
}

// What becomes of a code point, -1: no character. false in *out_stays: it is left out.
static weft_status unicode_judge(const weft_call *c, const unicode_errors *e, int32_t *code,
                                 bool *out_stays) {
  const bool control = e->controls && *code >= 0 && *code < 0x20;
  *out_stays = true;
  if (control || (*code < 0 && e->policy == UNICODE_REPLACE)) {
    *code = e->replacement;
    return WEFT_OK;
  }
  if (*code >= 0)
    return WEFT_OK;
  *out_stays = false;
  if (e->policy == UNICODE_IGNORE)
    return WEFT_OK;
  return weft_fail(c->d, WEFT_E_INVALID,
                   "the text has something that is no character (attribute 'errors': strict)");
}

// ---- UnicodeDecode, UnicodeDecodeWithOffsets ----
enum { DECODED_SPLITS, DECODED_CHARS, DECODED_STARTS };

static weft_status unicode_decode_infer(weft_infer *it) {
  const weft_shape *s = it->in[0];
  weft_dim n = 1;
  bool known = !weft_shape_is_unknown_rank(s);
  for (size_t i = 0; known && i < s->rank; i++)
    known = s->dim[i] >= 0 && weft__mul_i64(n, s->dim[i], &n) && n < INT64_MAX;
  const weft_dim splits = known ? n + 1 : -1;
  it->out_dtype[DECODED_SPLITS] = weft_node_dtype(it->desc, WEFT_SLOT_UNICODE_DECODE_TSPLITS);
  WEFT_TRY(weft_set_out_shape(it, DECODED_SPLITS, &splits, 1));
  for (uint32_t o = DECODED_CHARS; o < it->desc->n_out; o++)
    WEFT_TRY(weft__unknown_dims(it, o, 1));
  return WEFT_OK;
}

static weft_status unicode_decode_range(weft_infer *it) {
  WEFT_TRY(unicode_decode_infer(it));
  for (uint32_t o = 0; o < it->desc->n_out; o++) {
    weft_shape_copy(it->out_min[o], it->out[o]);
    weft_shape_copy(it->out_max[o], it->out[o]);
    if (it->out[o]->dim[0] < 0)
      it->out_min[o]->dim[0] = o == DECODED_SPLITS ? 1 : 0;
  }
  return WEFT_OK;
}

typedef struct unicode_decoding {
  unicode_encoding from;
  unicode_errors errors;
  int64_t n;  // characters so far
  size_t work;
} unicode_decoding;

// Counts the characters of string i; writes them where `writes`.
static weft_status unicode_decode_one(const weft_call *c, unicode_decoding *u, size_t i, bool writes) {
  weft_tensor *chars = c->out[DECODED_CHARS];
  weft_tensor *starts = c->desc->n_out > DECODED_STARTS ? c->out[DECODED_STARTS] : NULL;
  const char *text;
  size_t bytes;
  WEFT_TRY(weft_tensor_string(c->in[0], i, &text, &bytes, c->d));
  for (size_t at = 0, n; at < bytes; at += n) {
    int32_t code;
    bool stays;
    n = unicode_next(&u->from, text + at, bytes - at, &code);
    WEFT_TRY(weft__poll_work(c, &u->work, 1));
    WEFT_TRY(unicode_judge(c, &u->errors, &code, &stays));
    if (!stays)
      continue;
    if (writes && chars)
      ((int32_t *)chars->data)[u->n] = code;
    if (writes && starts)
      ((int64_t *)starts->data)[u->n] = (int64_t)at;
    u->n++;
  }
  return WEFT_OK;
}

static weft_status unicode_decode_all(const weft_call *c, unicode_decoding *u, size_t n, bool writes) {
  weft_tensor *splits = c->out[DECODED_SPLITS];
  u->n = 0;
  for (size_t i = 0; i < n; i++) {
    weft_status s = unicode_decode_one(c, u, i, writes);
    if (s)
      weft_note(c->d, "in element %zu", i);
    WEFT_TRY(s);
    if (splits && !writes)
      ((int64_t *)splits->data)[i + 1] = u->n;
  }
  return WEFT_OK;
}

static weft_status unicode_alloc(const weft_call *c, uint32_t out, weft_dtype t, int64_t n) {
  weft_layout layout;
  memset(&layout, 0, sizeof layout);
  WEFT_TRY(weft_shape_init(&layout.origin, &n, 1));
  weft_shape_copy(&layout.storage, &layout.origin);
  return c->host->out_alloc(c, out, t, &layout, WEFT_ND);
}

static weft_status unicode_decode_execute(const weft_call *c) {
  unicode_decoding u = {0};
  const size_t n = weft__elems(&c->in[0]->layout.origin);
  WEFT_TRY(unicode_encoding_of(c, WEFT_SLOT_UNICODE_DECODE_INPUT_ENCODING, &u.from));
  WEFT_TRY(unicode_errors_of(c, WEFT_SLOT_UNICODE_DECODE_ERRORS, WEFT_SLOT_UNICODE_DECODE_REPLACEMENT_CHAR,
                             &u.errors));
  u.errors.controls = weft_node_bool(c->desc, WEFT_SLOT_UNICODE_DECODE_REPLACE_CONTROL_CHARACTERS);
  WEFT_TRY(unicode_alloc(c, DECODED_SPLITS, WEFT_INT64, (int64_t)n + 1));
  if (c->out[DECODED_SPLITS])
    ((int64_t *)c->out[DECODED_SPLITS]->data)[0] = 0;
  WEFT_TRY(unicode_decode_all(c, &u, n, false));
  WEFT_TRY(unicode_alloc(c, DECODED_CHARS, WEFT_INT32, u.n));
  if (c->desc->n_out > DECODED_STARTS)
    WEFT_TRY(unicode_alloc(c, DECODED_STARTS, WEFT_INT64, u.n));
  return unicode_decode_all(c, &u, n, true);
}
_Static_assert((int)WEFT_SLOT_UNICODE_DECODE_TSPLITS == (int)WEFT_SLOT_UNICODE_DECODE_WITH_OFFSETS_TSPLITS,
               "UnicodeDecodeWithOffsets has other slots");

// ---- UnicodeEncode ----
static weft_status unicode_encode_infer(weft_infer *it) {
  const weft_shape *splits = it->in[1];
  weft_dim n = -1;
  WEFT_TRY(weft__expect_rank(it, 0, 1, 1));
  WEFT_TRY(weft__expect_rank(it, 1, 1, 1));
  if (!weft_shape_is_unknown_rank(splits) && splits->dim[0] == 0)
    return weft_fail(it->d, WEFT_E_SHAPE,
                     "input 'input_splits' is empty: expected one element more than rows");
  if (!weft_shape_is_unknown_rank(splits) && splits->dim[0] > 0)
    n = splits->dim[0] - 1;
  return weft_set_out_shape(it, 0, &n, 1);
}

static weft_status unicode_encode_row(const weft_call *c, weft_strings *list, const unicode_encoding *to,
                                      const unicode_errors *errors, size_t row, int64_t *from) {
  const weft_tensor *splits = c->in[1];
  const int32_t *codes = c->in[0]->data;
  const int64_t n = (int64_t)weft__elems(&c->in[0]->layout.origin);
  const int64_t end = weft_load_i64(splits->dtype, splits->data, row + 1);
  if (end < *from || end > n) {
    return weft_fail(c->d, WEFT_E_RANGE, "input 'input_splits', element %zu: %lld, expected %lld to %lld",
                     row + 1, (long long)end, (long long)*from, (long long)n);
  }
  for (; *from < end; ++*from) {
    int32_t code = unicode_is_character(codes[*from]) ? codes[*from] : -1;
    bool stays;
    WEFT_TRY(unicode_judge(c, errors, &code, &stays));
    if (stays)
      WEFT_TRY(unicode_add(list, to, code));
  }
  weft__strings_next(list);
  return list->stopped;
}

static weft_status unicode_encode_ref(const weft_call *c) {
  unicode_encoding to;
  unicode_errors errors;
  weft_strings list;
  if (!c->out[0])
    return WEFT_OK;
  WEFT_TRY(unicode_encoding_of(c, WEFT_SLOT_UNICODE_ENCODE_OUTPUT_ENCODING, &to));
  WEFT_TRY(unicode_errors_of(c, WEFT_SLOT_UNICODE_ENCODE_ERRORS, WEFT_SLOT_UNICODE_ENCODE_REPLACEMENT_CHAR,
                             &errors));
  const size_t n = weft__elems(&c->out[0]->layout.origin);
  int64_t from = weft_load_i64(c->in[1]->dtype, c->in[1]->data, 0);
  if (from)
    return weft_fail(c->d, WEFT_E_RANGE, "input 'input_splits', element 0: %lld, expected 0",
                     (long long)from);
  weft__strings_init(&list, c);
  weft_status st = WEFT_OK;
  for (size_t i = 0; !st && i < n; i++)
    st = unicode_encode_row(c, &list, &to, &errors, i, &from);
  return weft__strings_give(&list, &c->out[0]->layout.origin, st);
}

// ---- UnicodeTranscode ----
static weft_status unicode_transcode_one(const weft_call *c, weft_strings *list, const unicode_encoding *from,
                                         const unicode_encoding *to, const unicode_errors *errors, size_t i) {
  const char *text;
  size_t bytes;
  WEFT_TRY(weft_tensor_string(c->in[0], i, &text, &bytes, c->d));
  for (size_t at = 0, n; at < bytes; at += n) {
    int32_t code;
    bool stays;
    n = unicode_next(from, text + at, bytes - at, &code);
    WEFT_TRY(unicode_judge(c, errors, &code, &stays));
    if (stays)
      WEFT_TRY(unicode_add(list, to, code));
  }
  weft__strings_next(list);
  return list->stopped;
}

static weft_status unicode_transcode_ref(const weft_call *c) {
  unicode_encoding from;
  unicode_encoding to;
  unicode_errors errors;
  weft_strings list;
  if (!c->out[0])
    return WEFT_OK;
  WEFT_TRY(unicode_encoding_of(c, WEFT_SLOT_UNICODE_TRANSCODE_INPUT_ENCODING, &from));
  WEFT_TRY(unicode_encoding_of(c, WEFT_SLOT_UNICODE_TRANSCODE_OUTPUT_ENCODING, &to));
  WEFT_TRY(unicode_errors_of(c, WEFT_SLOT_UNICODE_TRANSCODE_ERRORS,
                             WEFT_SLOT_UNICODE_TRANSCODE_REPLACEMENT_CHAR, &errors));
  errors.controls = weft_node_bool(c->desc, WEFT_SLOT_UNICODE_TRANSCODE_REPLACE_CONTROL_CHARACTERS);
  const size_t n = weft__elems(&c->in[0]->layout.origin);
  weft__strings_init(&list, c);
  weft_status st = WEFT_OK;
  for (size_t i = 0; !st && i < n; i++) {
    st = unicode_transcode_one(c, &list, &from, &to, &errors, i);
    if (st)
      weft_note(c->d, "in element %zu", i);
  }
  return weft__strings_give(&list, &c->in[0]->layout.origin, st);
}

#define UTF8 " input_encoding=\"UTF-8\""
WEFT_ROWS(unicode) = {
    {"UnicodeDecode", "code points of strings, as ragged rows", WEFT_SYMBOLIC | WEFT_DATA_DEPENDENT,
     .infer = unicode_decode_infer, .infer_range = unicode_decode_range, .execute = unicode_decode_execute,
     .examples = WEFT_EXAMPLES(
         "str[3]{\"a\xc3\xa4\",\"\",\"\xe2\x82\xac\"}" UTF8 " -> i64[4]{0,2,2,3}, i32[3]{97,228,8364}",
         "str[1]{\"a\xff\xe2\x82z\"}" UTF8 " -> i64[2]{0,4}, i32[4]{97,65533,65533,122}",
         "str[1]{\"a\xff\"}" UTF8 " errors=\"ignore\" -> i64[2]{0,1}, i32[1]{97}",
         "str[1]{\"a\"}" UTF8 " Tsplits=i32 !! E_DTYPE output 'row_splits'",
         "str[1]{\"a\\tb\"}" UTF8 " replace_control_characters=true replacement_char=32 -> i64[2]{0,3}, "
         "i32[3]{97,32,98}",
         "str[]{\"\xe4\"} input_encoding=\"ISO-8859-1\" -> i64[2]{0,1}, i32[1]{228}",
         "str[2,-1]" UTF8 " -> i64[-1], i32[-1]", "str[2,2]" UTF8 " -> i64[5], i32[-1]",
         "str[1]{\"\xff\"}" UTF8 " errors=\"strict\" !! E_INVALID no character",
         "str[1]{\"a\"} input_encoding=\"KOI8\" !! E_UNSUPPORTED encoding \"KOI8\"",
         "str[1]{\"a\"}" UTF8 " errors=\"x\" !! E_RANGE attribute 'errors'")},
    {"UnicodeDecodeWithOffsets", "code points of strings and where they begin",
     WEFT_SYMBOLIC | WEFT_DATA_DEPENDENT, .infer = unicode_decode_infer,
     .infer_range = unicode_decode_range,
     .execute = unicode_decode_execute,
     .examples = WEFT_EXAMPLES(
         "str[2]{\"\xc3\xa4z\",\"\xf0\x9f\x98\x80\"}" UTF8 " -> "
         "i64[3]{0,2,3}, i32[3]{228,122,128512}, i64[3]{0,2,0}",
         "str[0]" UTF8 " -> i64[1]{0}, i32[0], i64[0]", "str[-1]" UTF8 " -> i64[-1], i32[-1], i64[-1]")},
    {"UnicodeEncode", "strings of code points", WEFT_SYMBOLIC | WEFT_MONOTONE, .infer = unicode_encode_infer,
     .ref = unicode_encode_ref,
     .examples = WEFT_EXAMPLES(
         "i32[4]{97,228,8364,128512}, i64[4]{0,2,2,4} -> "
         "str[3]{\"a\xc3\xa4\",\"\",\"\xe2\x82\xac\xf0\x9f\x98\x80\"}",
         "i32[2]{97,55296}, i32[2]{0,2} -> str[1]{\"a\xef\xbf\xbd\"}",
         "i32[1]{228}, i64[2]{0,1} output_encoding=\"UTF-32-BE\" errors=\"ignore\" -> "
         "str[1]{\"\\0\\0\\0\xe4\"}",
         "i32[-1], i64[4] -> str[3]", "i32[?], i64[-1] -> str[-1]",
         "i32[1]{-1}, i64[2]{0,1} errors=\"strict\" !! E_INVALID no character",
         "i32[1]{97}, i64[2]{0,2} !! E_RANGE element 1: 2", "i32[1]{97}, i64[2]{1,1} !! E_RANGE expected 0")},
    {"UnicodeTranscode", "strings in another encoding", WEFT_SYMBOLIC | WEFT_MONOTONE | WEFT_ELEMENTWISE,
     .infer = weft__infer_same, .ref = unicode_transcode_ref,
     .examples = WEFT_EXAMPLES(
         "str[2]{\"\xe4\",\"a\"} input_encoding=\"ISO-8859-1\" -> str[2]{\"\xc3\xa4\",\"a\"}",
         "str[1]{\"\xc3\xa4\xff\"}" UTF8 " -> str[1]{\"\xc3\xa4\xef\xbf\xbd\"}",
         "str[1]{\"ab\"}" UTF8 " output_encoding=\"UTF-16-LE\" errors=\"strict\" -> str[1]{\"a\\0b\\0\"}",
         "str[-1,3]" UTF8 " -> str[-1,3]",
         "str[1]{\"a\"}" UTF8 " output_encoding=\"US-ASCII\" !! E_UNSUPPORTED is read, not written")},
    {0},
};
// SPDX-License-Identifier: Apache-2.0
