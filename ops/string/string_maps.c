// ops/string/string_maps.c - each string becomes another one.   AscendIR StringLower, StringUpper,
// StringStrip, EncodeBase64, DecodeBase64. As TensorFlow has them: case without `encoding` is of ASCII
// letters alone, white space is ASCII's, base64 is the alphabet for addresses ('-' and '_') with '=' on
// request.
#include "air_slots.h"
#include "op/air_rows.h"
#include "string_util.h"

typedef struct string_map {
  weft_status (*text)(weft_strings *s, const char *text, size_t bytes);
} string_map;

static weft_status string_maps_ref(const weft_call *c) {
  const string_map *map = c->desc->op->user;
  weft_strings list;
  weft_status st = WEFT_OK;
  if (!c->out[0])
    return WEFT_OK;
  weft__strings_init(&list, c);
  const size_t n = weft__elems(&c->in[0]->layout.origin);
  for (size_t i = 0; !st && i < n; i++) {
    const char *text;
    size_t bytes;
    st = weft_tensor_string(c->in[0], i, &text, &bytes, c->d);
    if (!st)
      st = map->text(&list, text, bytes);
    if (st)
      weft_note(c->d, "in element %zu", i);
    weft__strings_next(&list);
  }
  return weft__strings_give(&list, &c->in[0]->layout.origin, st);
}

// ---- case ----
static void string_maps_ascii(weft_strings *s, const char *text, size_t bytes, char first) {
  for (size_t i = 0; i < bytes && !s->stopped; i++) {
    const bool letter = text[i] >= first && text[i] < first + 26;
    const char other = letter ? (char)(text[i] ^ 32) : text[i];
    weft__strings_add(s, &other, 1);
  }
}

static weft_status string_maps_case(weft_strings *s, const char *text, size_t bytes, bool upper) {
  const char *encoding = weft_node_str(s->call->desc, WEFT_SLOT_STRING_LOWER_ENCODING);
  if (encoding && *encoding && strcmp(encoding, "utf-8") != 0) {
    return weft_fail(s->call->d, WEFT_E_RANGE, "attribute 'encoding': expected \"\" or \"utf-8\", got \"%s\"",
                     encoding);
  }
  if (encoding && *encoding)
    weft__strings_add_case(s, text, bytes, upper);
  else
    string_maps_ascii(s, text, bytes, upper ? 'a' : 'A');
  return WEFT_OK;
}
static weft_status string_maps_lower(weft_strings *s, const char *text, size_t bytes) {
  return string_maps_case(s, text, bytes, false);
}
static weft_status string_maps_upper(weft_strings *s, const char *text, size_t bytes) {
  return string_maps_case(s, text, bytes, true);
}
_Static_assert((int)WEFT_SLOT_STRING_LOWER_ENCODING == (int)WEFT_SLOT_STRING_UPPER_ENCODING, "another slot");

static bool string_maps_is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}
static weft_status string_maps_strip(weft_strings *s, const char *text, size_t bytes) {
  size_t from = 0;
  while (from < bytes && string_maps_is_space(text[from]))
    from++;
  while (bytes > from && string_maps_is_space(text[bytes - 1]))
    bytes--;
  weft__strings_add(s, text + from, bytes - from);
  return WEFT_OK;
}

// ---- base64 ----
static const char string_maps_digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

static weft_status string_maps_encode(weft_strings *s, const char *text, size_t bytes) {
  const uint8_t *p = (const uint8_t *)text;
  const bool pad = weft_node_bool(s->call->desc, WEFT_SLOT_ENCODE_BASE64_PAD);
  for (size_t i = 0; i < bytes && !s->stopped; i += 3) {
    const size_t n = WEFT_MIN(bytes - i, (size_t)3);
    uint32_t bits = (uint32_t)p[i] << 16;
    char four[4] = {0, 0, '=', '='};
    for (size_t k = 1; k < n; k++)
      bits |= (uint32_t)p[i + k] << (16 - 8 * k);
    for (size_t k = 0; k <= n; k++)
      four[k] = string_maps_digits[bits >> (18 - 6 * k) & 63];
    weft__strings_add(s, four, pad ? 4 : n + 1);
  }
  return WEFT_OK;
}

static weft_status string_maps_decode(weft_strings *s, const char *text, size_t bytes) {
  uint32_t bits = 0;
  size_t n = bytes;
  while (n && bytes % 4 == 0 && bytes - n < 2 && text[n - 1] == '=')
    n--;
  if (n % 4 == 1)
    return weft_fail(s->call->d, WEFT_E_INVALID, "%zu digits are no base64: one is left over", n);
  for (size_t i = 0; i < n; i++) {
    const char *digit = text[i] ? strchr(string_maps_digits, text[i]) : NULL;
    if (!digit) {
      return weft_fail(s->call->d, WEFT_E_INVALID, "byte %zu, 0x%02x, is no digit of base64 for addresses", i,
                       (unsigned)(uint8_t)text[i]);
    }
    bits = bits << 6 | (uint32_t)(digit - string_maps_digits);
    const size_t have = i % 4;  // digits before this one
    const char byte = (char)(uint8_t)(bits >> (6 - 2 * have));
    if (have)
      weft__strings_add(s, &byte, 1);
  }
  return WEFT_OK;
}

#define STRING_MAP(op_name, says, function, ...)                                                  \
  {                                                                                               \
    .name = op_name, .summary = says, .traits = WEFT_SYMBOLIC | WEFT_MONOTONE | WEFT_ELEMENTWISE, \
    .infer = weft__infer_same, .ref = string_maps_ref, .user = &(const string_map){function},     \
    .examples = WEFT_EXAMPLES(__VA_ARGS__)                                                        \
  }
WEFT_ROWS(string_maps) = {
    STRING_MAP("StringLower", "strings in lower case", string_maps_lower,
               "str[2]{\"AbZ[\",\"\xc3\x84\"} -> str[2]{\"abz[\",\"\xc3\x84\"}",
               "str[1]{\"A\xc3\x84\"} encoding=\"utf-8\" -> str[1]{\"a\xc3\xa4\"}", "str[0,3] -> str[0,3]",
               "str[-1,3] -> str[-1,3]", "str[1]{\"a\"} encoding=\"latin\" !! E_RANGE attribute 'encoding'",
               "f32[1]{1} !! E_DTYPE input 'input'"),
    STRING_MAP("StringUpper", "strings in upper case", string_maps_upper,
               "str[2]{\"aBz{\",\"\xc3\xa4\"} -> str[2]{\"ABZ{\",\"\xc3\xa4\"}",
               "str[1]{\"a\xc3\xa4\"} encoding=\"utf-8\" -> str[1]{\"A\xc3\x84\"}",
               "str[]{\"\"} -> str[]{\"\"}",
               "str[?] -> str[?]"),
    STRING_MAP("StringStrip", "strings without white space at their ends", string_maps_strip,
               "str[3]{\" a b\\n\",\"\\t \",\"x\"} -> str[3]{\"a b\",\"\",\"x\"}", "str[N] -> str[N]"),
    STRING_MAP("EncodeBase64", "strings as base64 for addresses", string_maps_encode,
               "str[5]{\"\",\"f\",\"fo\",\"foo\",\"foob\"} -> "
               "str[5]{\"\",\"Zg\",\"Zm8\",\"Zm9v\",\"Zm9vYg\"}",
               "str[3]{\"f\",\"fo\",\"foo\"} pad=true -> str[3]{\"Zg==\",\"Zm8=\",\"Zm9v\"}",
               "str[1]{\"\xff\xef\xfe\"} -> str[1]{\"_-_-\"}", "str[-1] -> str[-1]"),
    STRING_MAP("DecodeBase64", "strings out of base64 for addresses", string_maps_decode,
               "str[5]{\"\",\"Zg\",\"Zm8\",\"Zm9v\",\"Zm9vYg\"} -> "
               "str[5]{\"\",\"f\",\"fo\",\"foo\",\"foob\"}",
               "str[2]{\"Zg==\",\"Zm8=\"} -> str[2]{\"f\",\"fo\"}",
               "str[1]{\"_-_-\"} -> str[1]{\"\xff\xef\xfe\"}",
               "str[1]{\"Zg+\"} !! E_INVALID byte 2, 0x2b", "str[1]{\"Z\"} !! E_INVALID one is left over",
               "str[1]{\"Z===\"} !! E_INVALID byte 1, 0x3d", "str[-1] -> str[-1]"),
    {0},
};
// SPDX-License-Identifier: Apache-2.0
