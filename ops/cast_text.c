// cast_text.c - see cast_text.h. Floats are rounded once to their own type where the type is f32 or f64, and
// by way of f64 otherwise. Nothing here allocates.
#include "cast_text.h"

#include "arrays.h"
#include "tensor/scan.h"

static void float_text(weft_dtype t, double v, char buf[WEFT_NUMBER_TEXT]) {
  const char *infinity = v > 0 ? "INF" : "-INF";
  if (isnan(v))
    snprintf(buf, WEFT_NUMBER_TEXT, "NaN");
  else if (isinf(v))
    snprintf(buf, WEFT_NUMBER_TEXT, "%s", infinity);
  else if (t == WEFT_DOUBLE)
    weft__double_text(v, buf);
  else
    weft__float_text((float)v, buf);
}

// Is a number of the type read and written as an integer with a sign?
static bool is_whole(weft_dtype t) {
  return weft_dtype_is_integer(t) || (WEFT_SET_QUANTIFIED & WEFT_BIT(t));
}

bool weft__number_text(weft_dtype t, const void *data, size_t i, char buf[WEFT_NUMBER_TEXT]) {
  if (t == WEFT_BOOL)
    snprintf(buf, WEFT_NUMBER_TEXT, "%s", weft_load_u64(t, data, i) ? "True" : "False");
  else if (weft_dtype_is_float(t))
    float_text(t, weft_load_f64(t, data, i), buf);
  else if (weft__is_unsigned(t))
    snprintf(buf, WEFT_NUMBER_TEXT, "%llu", (unsigned long long)weft_load_u64(t, data, i));
  else if (is_whole(t))
    snprintf(buf, WEFT_NUMBER_TEXT, "%lld", (long long)weft_load_i64(t, data, i));
  else
    return false;
  return true;
}

// The digits are those of snprintf, the point between them is ours.
void weft__fixed_text(float v, char buf[WEFT_FIXED_TEXT]) {
  enum { DECIMALS = 6 };
  char text[WEFT_FIXED_TEXT + 16];  // 39 digits, a sign, and a point of some bytes
  int n = snprintf(text, sizeof text, "%f", (double)v);
  if (isfinite(v)) {
    int whole = (int)strspn(text, "-0123456789");
    snprintf(buf, WEFT_FIXED_TEXT, "%.*s.%s", whole, text, text + n - DECIMALS);
  } else {
    snprintf(buf, WEFT_FIXED_TEXT, "%.8s", text);
  }
}

static bool is_word(const char *text, size_t bytes, const char *word) {  // `word` in lower case
  if (strlen(word) != bytes)
    return false;
  for (size_t i = 0; i < bytes; i++) {
    if ((text[i] | 32) != word[i])
      return false;
  }
  return true;
}

static bool parse_float(weft_dtype t, void *data, size_t i, const char *text, size_t n) {
  const bool minus = n && text[0] == '-';
  const bool plus = n && text[0] == '+';
  const size_t sign = minus || plus;
  double v;
  float f;
  if (is_word(text + sign, n - sign, "nan")) {
    v = (double)NAN;
  } else if (is_word(text + sign, n - sign, "inf")) {
    v = minus ? -(double)INFINITY : (double)INFINITY;
  } else if (t == WEFT_FLOAT) {
    if (!weft__token_f32(text, n, &f))
      return false;
    v = (double)f;
  } else if (!weft__token_f64(text, n, &v)) {
    return false;
  }
  weft_store_f64(t, data, i, v);
  return true;
}

// An integer, or a float that is cut to one.
static bool parse_magnitude(const char *text, size_t n, bool *out_negative, uint64_t *out) {
  if (weft__token_int(text, n, out_negative, out))
    return true;
  double v;
  if (!weft__token_f64(text, n, &v))
    return false;
  const bool fits = fabs(v) < 0x1p64;  // not so of NaN
  if (!fits)
    return false;
  *out_negative = v < 0;
  *out = (uint64_t)fabs(v);
  return true;
}

static bool parse_integer(weft_dtype t, void *data, size_t i, const char *text, size_t n) {
  const bool natural = weft__is_unsigned(t);
  const uint64_t most = UINT64_MAX >> ((natural ? 64 : 65) - weft_dtype_bits(t));
  const uint64_t below = natural ? 0 : most + 1;  // how far numbers go below 0
  bool negative;
  uint64_t v;
  if (!parse_magnitude(text, n, &negative, &v))
    return false;
  if (v > (negative ? below : most))
    return false;
  if (natural)
    weft_store_u64(t, data, i, v);
  else
    weft_store_i64(t, data, i, (int64_t)(negative ? 0 - v : v));
  return true;
}

static bool parse_bool(weft_dtype t, void *data, size_t i, const char *text, size_t n) {
  bool yes = is_word(text, n, "true");
  const bool word = yes || is_word(text, n, "false");
  if (!word) {
    double v;
    if (!weft__token_f64(text, n, &v))
      return false;
    yes = v != 0;
  }
  weft_store_u64(t, data, i, yes);
  return true;
}

static bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

bool weft__number_parse(weft_dtype t, void *data, size_t i, const char *text, size_t bytes) {
  while (bytes && is_blank(text[0])) {
    text++;
    bytes--;
  }
  while (bytes && is_blank(text[bytes - 1]))
    bytes--;
  if (t == WEFT_BOOL)
    return parse_bool(t, data, i, text, bytes);
  if (weft_dtype_is_float(t))
    return parse_float(t, data, i, text, bytes);
  return is_whole(t) && parse_integer(t, data, i, text, bytes);
}
// SPDX-License-Identifier: Apache-2.0
