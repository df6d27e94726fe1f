// ops/string/string_numbers.c - numbers of strings and strings of numbers.   AscendIR StringLength,
// StringToNumber, StringToHashBucketFast, StringToHashBucketStrong, StringToHashBucket, AsString. As
// TensorFlow has them: the hashes are FarmHash, SipHash under a key, and MurmurHash; a number has white
// space around it, nothing else.
#include "air_slots.h"
#include "cast_text.h"
#include "op/air_rows.h"
#include "string_util.h"
#include "text_hash.h"

// ---- a number of each string ----
typedef struct string_number {
  weft_status (*text)(const weft_call *c, size_t i, const char *text, size_t bytes);
} string_number;

static weft_status string_numbers_ref(const weft_call *c) {
  const string_number *number = c->desc->op->user;
  size_t work = 0;
  if (!c->out[0])
    return WEFT_OK;
  const size_t n = weft__elems(&c->in[0]->layout.origin);
  for (size_t i = 0; i < n; i++) {
    const char *text;
    size_t bytes;
    WEFT_TRY(weft_tensor_string(c->in[0], i, &text, &bytes, c->d));
    WEFT_TRY(weft__poll_work(c, &work, 1 + bytes / 8));
    weft_status s = number->text(c, i, text, bytes);
    if (s)
      weft_note(c->d, "in element %zu", i);
    WEFT_TRY(s);
  }
  return WEFT_OK;
}

static weft_status string_numbers_length(const weft_call *c, size_t i, const char *text, size_t bytes) {
  const char *unit = weft_node_str(c->desc, WEFT_SLOT_STRING_LENGTH_UNIT);
  const bool characters = unit && !strcmp(unit, "UTF8_CHAR");
  size_t n = bytes;
  if (!characters && unit && strcmp(unit, "BYTE") != 0)
    return weft_fail(c->d, WEFT_E_RANGE, "attribute 'unit': expected BYTE or UTF8_CHAR, got \"%s\"", unit);
  for (size_t k = 0; characters && k < bytes; k++)
    n -= ((uint8_t)text[k] & 0xC0) == 0x80;
  if (n > INT32_MAX)
    return weft_fail(c->d, WEFT_E_OVERFLOW, "a string of %zu bytes has a length that i32 cannot hold", bytes);
  ((int32_t *)c->out[0]->data)[i] = (int32_t)n;
  return WEFT_OK;
}

// Whole numbers are digits alone, where Cast takes a fraction and cuts it.
static bool string_numbers_whole(const char *text, size_t bytes) {
  size_t digits = 0;
  size_t others = 0;
  bool after = false;
  for (size_t i = 0; i < bytes; i++) {
    const bool space = text[i] == ' ' || (text[i] >= '\t' && text[i] <= '\r');
    const bool sign = (text[i] == '-' || text[i] == '+') && !digits;
    const bool digit = text[i] >= '0' && text[i] <= '9' && !after;
    digits += digit;
    after |= space && digits;
    others += !space && !sign && !digit;
  }
  return digits && !others;
}

static weft_status string_numbers_parse(const weft_call *c, size_t i, const char *text, size_t bytes) {
  weft_tensor *y = c->out[0];
  const bool whole = weft_dtype_is_float(y->dtype) || string_numbers_whole(text, bytes);
  if (whole && weft__number_parse(y->dtype, y->data, i, text, bytes))
    return WEFT_OK;
  return weft_fail(c->d, WEFT_E_INVALID, "\"%.*s\" is no %s", (int)WEFT_MIN(bytes, 60), text,
                   weft_dtype_name(y->dtype));
}

static weft_status string_numbers_to_infer(weft_infer *it) {
  it->out_dtype[0] = weft_node_dtype(it->desc, WEFT_SLOT_STRING_TO_NUMBER_OUT_TYPE);
  return weft__same(it, 0, 0);
}

// ---- buckets ----
static weft_status string_numbers_bucket(const weft_call *c, size_t i, uint64_t hash, int64_t buckets) {
  if (buckets < 1)
    return weft_fail(c->d, WEFT_E_RANGE, "attribute 'num_buckets': expected 1 or more, got %lld",
                     (long long)buckets);
  ((int64_t *)c->out[0]->data)[i] = (int64_t)(hash % (uint64_t)buckets);
  return WEFT_OK;
}
static weft_status string_numbers_fast(const weft_call *c, size_t i, const char *text, size_t bytes) {
  const int64_t buckets = weft_node_int(c->desc, WEFT_SLOT_STRING_TO_HASH_BUCKET_FAST_NUM_BUCKETS);
  return string_numbers_bucket(c, i, weft__hash_farm(text, bytes), buckets);
}
static weft_status string_numbers_old(const weft_call *c, size_t i, const char *text, size_t bytes) {
  const int64_t buckets = weft_node_int(c->desc, WEFT_SLOT_STRING_TO_HASH_BUCKET_NUM_BUCKETS);
  return string_numbers_bucket(c, i, weft__hash_murmur(text, bytes), buckets);
}
static weft_status string_numbers_strong(const weft_call *c, size_t i, const char *text, size_t bytes) {
  const int64_t buckets = weft_node_int(c->desc, WEFT_SLOT_STRING_TO_HASH_BUCKET_STRONG_NUM_BUCKETS);
  const weft_ints key = weft_node_ints(c->desc, WEFT_SLOT_STRING_TO_HASH_BUCKET_STRONG_KEY);
  if (key.n != 2)
    return weft_fail(c->d, WEFT_E_RANGE, "attribute 'key': expected 2 numbers, got %zu", key.n);
  const uint64_t k[2] = {(uint64_t)key.v[0], (uint64_t)key.v[1]};
  return string_numbers_bucket(c, i, weft__hash_sip(k, text, bytes), buckets);
}

// ---- a string of each number ----
enum { NUMBER_ROOM = 1600, NUMBER_DIGITS = 1000 };

typedef struct number_form {
  bool scientific, shortest;
  int precision;  // -1: the form's own
  size_t width;
  char fill;  // 0: none
} number_form;

static weft_status string_numbers_form(const weft_call *c, number_form *out) {
  const int64_t precision = weft_node_int(c->desc, WEFT_SLOT_AS_STRING_PRECISION);
  const int64_t width = weft_node_int(c->desc, WEFT_SLOT_AS_STRING_WIDTH);
  const char *fill = weft_node_str(c->desc, WEFT_SLOT_AS_STRING_FILL);
  *out = (number_form){.scientific = weft_node_bool(c->desc, WEFT_SLOT_AS_STRING_SCIENTIFIC),
                       .shortest = weft_node_bool(c->desc, WEFT_SLOT_AS_STRING_SHORTEST)};
  if (out->scientific && out->shortest)
    return weft_fail(c->d, WEFT_E_INVALID, "attributes 'scientific' and 'shortest': both are true");
  if (precision > NUMBER_DIGITS || width > NUMBER_DIGITS) {
    return weft_fail(c->d, WEFT_E_LIMIT, "attributes 'precision' %lld and 'width' %lld: at most %d",
                     (long long)precision, (long long)width, NUMBER_DIGITS);
  }
  if (fill && *fill && (fill[1] || !strchr("+-0 ", *fill)))
    return weft_fail(c->d, WEFT_E_RANGE, "attribute 'fill': expected one of + - 0 and a space, got \"%s\"",
                     fill);
  if (precision >= 0 && weft_dtype_is_integer(c->in[0]->dtype))
    return weft_fail(c->d, WEFT_E_INVALID, "attribute 'precision': integers have none, got %lld",
                     (long long)precision);
  out->precision = precision < 0 ? -1 : (int)precision;
  out->width = width < 0 ? 0 : (size_t)width;
  out->fill = fill ? *fill : 0;
  return WEFT_OK;
}

static void string_numbers_float(double v, const number_form *f, char text[NUMBER_ROOM]) {
  const int precision = f->precision < 0 ? 6 : f->precision;
  if (f->shortest)
    snprintf(text, NUMBER_ROOM, "%.*g", precision, v);
  else if (f->scientific)
    snprintf(text, NUMBER_ROOM, "%.*e", precision, v);
  else
    snprintf(text, NUMBER_ROOM, "%.*f", precision, v);
  if (isfinite(v))
    weft__strings_point(text);
}

// A sign where positive numbers get one, and filled up to the width.
static void string_numbers_put(weft_strings *s, const number_form *f, const char *text, bool finite) {
  const bool minus = *text == '-';
  const bool plus = !minus && (f->fill == '+' || f->fill == ' ');
  const char sign = minus ? '-' : f->fill;
  const size_t n = strlen(text) + plus;
  const bool zeros = f->fill == '0' && finite;
  const size_t room = f->width > n ? f->width - n : 0;
  for (size_t i = 0; i < room && !zeros && f->fill != '-'; i++)
    weft__strings_add(s, " ", 1);
  if (minus || plus)
    weft__strings_add(s, &sign, 1);
  for (size_t i = 0; i < room && zeros; i++)
    weft__strings_add(s, "0", 1);
  weft__strings_add(s, text + minus, strlen(text) - minus);
  for (size_t i = 0; i < room && f->fill == '-'; i++)
    weft__strings_add(s, " ", 1);
}

static void string_numbers_one(weft_strings *s, const number_form *f, const weft_tensor *x, size_t i) {
  char text[NUMBER_ROOM];
  const bool pair = x->dtype == WEFT_COMPLEX64 || x->dtype == WEFT_COMPLEX128;
  const weft_dtype part = x->dtype == WEFT_COMPLEX64 ? WEFT_FLOAT : WEFT_DOUBLE;
  if (x->dtype == WEFT_BOOL) {
    const bool yes = weft_load_u64(WEFT_BOOL, x->data, i) != 0;
    weft__strings_add(s, yes ? "true" : "false", yes ? 4 : 5);
    return;
  }
  if (weft_dtype_is_integer(x->dtype)) {
    snprintf(text, sizeof text, "%lld", (long long)weft_load_i64(x->dtype, x->data, i));
    string_numbers_put(s, f, text, true);
    return;
  }
  for (size_t k = 0; k < 1 + (size_t)pair; k++) {
    const double v = weft_load_f64(pair ? part : x->dtype, x->data, pair ? 2 * i + k : i);
    string_numbers_float(v, f, text);
    if (pair)
      weft__strings_add(s, k ? "," : "(", 1);
    string_numbers_put(s, f, text, isfinite(v));
  }
  if (pair)
    weft__strings_add(s, ")", 1);
}

static weft_status string_numbers_as(const weft_call *c) {
  number_form f;
  weft_strings list;
  if (!c->out[0])
    return WEFT_OK;
  WEFT_TRY(string_numbers_form(c, &f));
  weft__strings_init(&list, c);
  const size_t n = weft__elems(&c->in[0]->layout.origin);
  for (size_t i = 0; i < n && !list.stopped; i++) {
    string_numbers_one(&list, &f, c->in[0], i);
    weft__strings_next(&list);
  }
  return weft__strings_give(&list, &c->in[0]->layout.origin, WEFT_OK);
}

#define STRING_NUMBER(op_name, says, infers, function, ...)                                       \
  {                                                                                               \
    .name = op_name, .summary = says, .traits = WEFT_SYMBOLIC | WEFT_MONOTONE | WEFT_ELEMENTWISE, \
    .infer = infers, .ref = string_numbers_ref, .user = &(const string_number){function},         \
    .examples = WEFT_EXAMPLES(__VA_ARGS__)                                                        \
  }
WEFT_ROWS(string_numbers) = {
    STRING_NUMBER("StringLength", "bytes or characters of each string",
                  weft__infer_same, string_numbers_length,
                  "str[3]{\"\",\"ab\",\"\xc3\xa4x\"} -> i32[3]{0,2,3}",
                  "str[2]{\"ab\",\"\xc3\xa4x\"} unit=\"UTF8_CHAR\" -> i32[2]{2,2}", "str[0,3] -> i32[0,3]",
                  "str[-1,3] -> i32[-1,3]", "str[1]{\"a\"} unit=\"WORD\" !! E_RANGE attribute 'unit'",
                  "f32[1]{1} !! E_DTYPE input 'x'"),
    STRING_NUMBER("StringToNumber", "the number that each string says", string_numbers_to_infer,
                  string_numbers_parse,
                  "str[4]{\"1.5\",\" -2e3 \",\"inf\",\"NaN\"} -> f32[4]{1.5,-2000,inf,nan}",
                  "str[2]{\"-7\",\" 2147483647\"} out_type=i32 -> i32[2]{-7,2147483647}",
                  "str[1]{\"9007199254740993\"} out_type=i64 -> i64[1]{9007199254740993}",
                  "str[1]{\"0.1\"} out_type=f64 -> f64[1]{0.1}", "str[-1] -> f32[-1]",
                  "str[1]{\"1.5\"} out_type=i32 !! E_INVALID \"1.5\" is no i32",
                  "str[1]{\"2147483648\"} out_type=i32 !! E_INVALID is no i32",
                  "str[1]{\"a\"} !! E_INVALID \"a\" is no f32",
                  "str[1]{\"1 2\"} out_type=i32 !! E_INVALID is no i32",
                  "str[1]{\"1\"} out_type=bool !! E_DTYPE output 'y'"),
    STRING_NUMBER("StringToHashBucketFast", "FarmHash of each string, modulo a number", weft__infer_same,
                  string_numbers_fast,
                  "str[3]{\"Hello\",\"TensorFlow\",\"2.x\"} num_buckets=3 -> i64[3]{0,2,2}",
                  "str[4]{\"a\",\"b\",\"c\",\"d\"} num_buckets=10 -> i64[4]{9,2,2,5}",
                  "str[1]{\"\"} -> i64[1]{0}",
                  "str[-1,2] -> i64[-1,2]", "str[1]{\"a\"} num_buckets=0 !! E_RANGE attribute 'num_buckets'"),
    STRING_NUMBER("StringToHashBucketStrong", "SipHash of each string under a key, modulo a number",
                  weft__infer_same, string_numbers_strong,
                  "str[2]{\"Hello\",\"TF\"} num_buckets=3 key=[1,2] -> i64[2]{2,0}",
                  "str[-1] key=[1,2] -> i64[-1]",
                  "str[1]{\"a\"} key=[1] !! E_RANGE attribute 'key': expected 2 numbers"),
    STRING_NUMBER("StringToHashBucket", "MurmurHash of each string, modulo a number", weft__infer_same,
                  string_numbers_old, "str[3]{\"a\",\"b\",\"c\"} num_buckets=10 -> i64[3]{8,0,7}",
                  "str[-1] -> i64[-1]"),
    {
        "AsString",
        "the text of each number",
        .traits = WEFT_SYMBOLIC | WEFT_MONOTONE | WEFT_ELEMENTWISE,
        .infer = weft__infer_same,
        .ref = string_numbers_as,
        .examples = WEFT_EXAMPLES(
            "f32[4]{3.1415926,-0.5,inf,nan} precision=2 -> str[4]{\"3.14\",\"-0.50\",\"inf\",\"nan\"}",
            "f32[1]{3} -> str[1]{\"3.000000\"}",
            "f64[1]{12345.678} scientific=true -> str[1]{\"1.234568e+04\"}",
            "f32[2]{0.5,1e20} shortest=true -> str[2]{\"0.5\",\"1e+20\"}",
            "i32[2]{3,-20} -> str[2]{\"3\",\"-20\"}",
            "i64[2]{3,-20} width=5 fill=\"0\" -> str[2]{\"00003\",\"-0020\"}",
            "i8[2]{3,-20} width=4 -> str[2]{\"   3\",\" -20\"}",
            "i8[1]{3} width=4 fill=\"-\" -> str[1]{\"3   \"}",
            "i16[2]{3,-3} fill=\"+\" -> str[2]{\"+3\",\"-3\"}",
            "bool[2]{1,0} width=9 -> str[2]{\"true\",\"false\"}",
            "c64[1]{(1,-2.5)} precision=1 -> str[1]{\"(1.0,-2.5)\"}", "f32[0,2] -> str[0,2]",
            "i32[-1] -> str[-1]",
            "i32[1]{1} precision=2 !! E_INVALID attribute 'precision'",
            "f32[1]{1} shortest=true scientific=true !! E_INVALID both are true",
            "f32[1]{1} fill=\"x\" !! E_RANGE attribute 'fill'",
            "f32[1]{1} precision=5000 !! E_LIMIT at most 1000"),
    },
    {0},
};
// SPDX-License-Identifier: Apache-2.0
