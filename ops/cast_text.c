// cast_text.c - see cast_text.h. Floats are rounded once to their own type where the type is f32 or f64, and
// by way of f64 otherwise. Nothing here allocates.
#include "cast_text.h"

#include "arrays.h"
#include "tensor/scan.h"

bool weft__number_text(weft_dtype t, const void *data, size_t i, char buf[WEFT_NUMBER_TEXT]) {
  if (t == WEFT_BOOL) {
    snprintf(buf, WEFT_NUMBER_TEXT, "%s", weft_load_u64(t, data, i) ? "True" : "False");
  } else if (weft_dtype_is_float(t)) {
    double v = weft_load_f64(t, data, i);
    if (isnan(v) || isinf(v))
      snprintf(buf, WEFT_NUMBER_TEXT, "%s", isnan(v) ? "NaN" : v > 0 ? "INF" : "-INF");
    else if (t == WEFT_DOUBLE)
      weft__double_text(v, buf);
    else
      weft__float_text((float)v, buf);
  } else if (weft__is_unsigned(t)) {
    snprintf(buf, WEFT_NUMBER_TEXT, "%llu", (unsigned long long)weft_load_u64(t, data, i));
  } else if (weft_dtype_is_integer(t) || (WEFT_SET_QUANTIFIED & WEFT_BIT(t))) {
    snprintf(buf, WEFT_NUMBER_TEXT, "%lld", (long long)weft_load_i64(t, data, i));
  } else {
    return false;
  }
  return true;
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
  size_t sign = n && (text[0] == '-' || text[0] == '+');
  double v;
  float f;
  if (is_word(text + sign, n - sign, "nan")) {
    v = (double)NAN;
  } else if (is_word(text + sign, n - sign, "inf")) {
    v = text[0] == '-' ? -(double)INFINITY : (double)INFINITY;
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

static bool parse_integer(weft_dtype t, void *data, size_t i, const char *text, size_t n) {
  uint32_t bits = weft_dtype_bits(t);
  bool natural = weft__is_unsigned(t);
  bool negative;
  uint64_t v;
  uint64_t most = natural ? UINT64_MAX >> (64 - bits) : UINT64_MAX >> (65 - bits);
  if (!weft__token_int(text, n, &negative, &v)) {
    double d;
    if (!weft__token_f64(text, n, &d) || !(fabs(d) < 0x1p64))
      return false;
    negative = d < 0;
    v = (uint64_t)fabs(d);
  }
  if (v > (negative ? (natural ? 0 : most + 1) : most))
    return false;
  if (natural)
    weft_store_u64(t, data, i, v);
  else
    weft_store_i64(t, data, i, (int64_t)(negative ? 0 - v : v));
  return true;
}

bool weft__number_parse(weft_dtype t, void *data, size_t i, const char *text, size_t bytes) {
  while (bytes && (text[0] == ' ' || (text[0] >= '\t' && text[0] <= '\r'))) {
    text++;
    bytes--;
  }
  while (bytes && (text[bytes - 1] == ' ' || (text[bytes - 1] >= '\t' && text[bytes - 1] <= '\r')))
    bytes--;
  if (t == WEFT_BOOL) {
    double v;
    bool yes = is_word(text, bytes, "true");
    if (!yes && !is_word(text, bytes, "false")) {
      if (!weft__token_f64(text, bytes, &v))
        return false;
      yes = v != 0;
    }
    weft_store_u64(t, data, i, yes);
    return true;
  }
  if (weft_dtype_is_float(t))
    return parse_float(t, data, i, text, bytes);
  if (weft_dtype_is_integer(t) || (WEFT_SET_QUANTIFIED & WEFT_BIT(t)))
    return parse_integer(t, data, i, text, bytes);
  return false;
}
// SPDX-License-Identifier: Apache-2.0
