// scan.c - the token reader. Short numbers are computed here, exactly as strtod would give them; others are
// checked against the grammar and only then handed to strtod, so that the C library's extras (nan(...),
// infinity, leading spaces) and the locale's decimal point do not leak in.
#include "tensor/scan.h"

#include <float.h>
#include <stdlib.h>

enum { NUMBER_BYTES = 512 };  // longest number that is read

void weft__scan_space(weft_scan *s) {
  while (s->at < s->bytes) {
    char c = s->text[s->at];
    if (!c || !strchr(" \t\n\r", c))
      return;
    s->at++;
  }
}

bool weft__scan_char(weft_scan *s, char c) {
  weft__scan_space(s);
  if (s->at >= s->bytes || s->text[s->at] != c)
    return false;
  s->at++;
  return true;
}

size_t weft__scan_ident(weft_scan *s, const char **out) {
  weft__scan_space(s);
  size_t from = s->at;
  *out = s->text + from;
  if (!weft__is_alpha(weft__scan_peek(s)))
    return 0;
  while (weft__is_alpha(weft__scan_peek(s)) || weft__is_digit(weft__scan_peek(s)))
    s->at++;
  return s->at - from;
}

size_t weft__scan_number(weft_scan *s, const char **out) {
  weft__scan_space(s);
  size_t from = s->at;
  *out = s->text + from;
  if (weft__scan_peek(s) == '-' || weft__scan_peek(s) == '+')
    s->at++;
  bool hex = s->bytes - s->at >= 2 && s->text[s->at] == '0' && (s->text[s->at + 1] | 32) == 'x';
  while (s->at < s->bytes) {
    int c = weft__scan_peek(s);
    if (c == '.' && s->bytes - s->at >= 2 && s->text[s->at + 1] == '.')
      break;
    if (c == '+' || c == '-') {
      int before = s->at > from ? s->text[s->at - 1] | 32 : 0;
      if (before != (hex ? 'p' : 'e'))
        break;
    } else if (!weft__is_alpha(c) && !weft__is_digit(c) && c != '.') {
      break;
    }
    s->at++;
  }
  return s->at - from;
}

weft_status weft__scan_fail(const weft_scan *s, weft_status st, const char *fmt, ...) {
  if (!s->d || s->d->status)
    return st;
  char text[512];
  char near[17];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  size_t n = WEFT_MIN(sizeof near - 1, s->bytes - WEFT_MIN(s->at, s->bytes));
  for (size_t i = 0; i < n; i++) {
    char c = s->text[s->at + i];
    near[i] = c >= ' ' && c < 127 ? c : '.';
  }
  near[n] = 0;
  return weft_fail(s->d, st, "%s, byte %zu %s%s%s: %s", s->what, s->at, n ? "near '" : "(its end", near,
                   n ? "'" : ")", text);
}

static int hex_value(int c) {
  if (weft__is_digit(c))
    return c - '0';
  c |= 32;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool take_hex(weft_scan *s, int digits, uint32_t *out) {
  uint32_t v = 0;
  for (int i = 0; i < digits; i++) {
    int h = hex_value(weft__scan_peek(s));
    if (h < 0)
      return false;
    v = v << 4 | (uint32_t)h;
    s->at++;
  }
  *out = v;
  return true;
}

size_t weft__utf8_put(uint32_t c, char out[4]) {
  size_t n = 0;
  if (c < 0x80) {
    out[n++] = (char)c;
    return n;
  }
  if (c < 0x800) {
    out[n++] = (char)(0xC0 | c >> 6);
  } else if (c < 0x10000) {
    out[n++] = (char)(0xE0 | c >> 12);
    out[n++] = (char)(0x80 | (c >> 6 & 63));
  } else {
    out[n++] = (char)(0xF0 | c >> 18);
    out[n++] = (char)(0x80 | (c >> 12 & 63));
    out[n++] = (char)(0x80 | (c >> 6 & 63));
  }
  out[n++] = (char)(0x80 | (c & 63));
  return n;
}

// After "\u": a code point, from two escapes when it is a surrogate pair.
static bool take_unicode(weft_scan *s, uint32_t *out) {
  uint32_t c;
  uint32_t low;
  if (!take_hex(s, 4, &c))
    return false;
  if (c >= 0xDC00 && c < 0xE000)
    return false;
  if (c >= 0xD800 && c < 0xDC00) {
    if (s->bytes - s->at < 2 || s->text[s->at] != '\\' || s->text[s->at + 1] != 'u')
      return false;
    s->at += 2;
    if (!take_hex(s, 4, &low) || low < 0xDC00 || low > 0xDFFF)
      return false;
    c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
  }
  *out = c;
  return true;
}

static bool take_escape(weft_scan *s, weft_text *out) {
  static const char from[] = "\"\\/'nrtbf0";
  static const char to[] = "\"\\/'\n\r\t\b\f\0";
  int c = weft__scan_peek(s);
  if (c < 0)
    return false;
  s->at++;
  uint32_t v;
  if (c == 'u') {
    if (!take_unicode(s, &v))
      return false;
    char b[4];
    weft__text_add(out, b, weft__utf8_put(v, b));
    return true;
  }
  if (c == 'x') {
    if (!take_hex(s, 2, &v))
      return false;
    char b = (char)v;
    weft__text_add(out, &b, 1);
    return true;
  }
  for (size_t i = 0; i < sizeof from - 1; i++) {
    if (from[i] != c)
      continue;
    weft__text_add(out, &to[i], 1);
    return true;
  }
  return false;
}

weft_status weft__scan_string(weft_scan *s, weft_text *out) {
  out->n = 0;
  if (!weft__scan_char(s, '"'))
    return weft__scan_fail(s, WEFT_E_SYNTAX, "expected a string in double quotes");
  for (;;) {
    size_t from = s->at;
    while (s->at < s->bytes && s->text[s->at] != '"' && s->text[s->at] != '\\')
      s->at++;
    weft__text_add(out, s->text + from, s->at - from);
    if (s->at >= s->bytes)
      return weft__scan_fail(s, WEFT_E_SYNTAX, "a string without closing quote");
    if (s->text[s->at++] == '"')
      break;
    if (!take_escape(s, out))
      return weft__scan_fail(s, WEFT_E_SYNTAX, "unknown escape in a string");
  }
  if (out->failed)
    return weft_fail(s->d, WEFT_E_NOMEM, "%s: out of memory for a string", s->what);
  return WEFT_OK;
}

bool weft__token_int(const char *text, size_t bytes, bool *out_negative, uint64_t *out_magnitude) {
  size_t i = 0;
  *out_negative = false;
  if (bytes && (text[0] == '-' || text[0] == '+'))
    *out_negative = text[i++] == '-';
  unsigned base = 10;
  if (bytes - i > 2 && text[i] == '0' && (text[i + 1] | 32) == 'x') {
    base = 16;
    i += 2;
  }
  if (i >= bytes)
    return false;
  uint64_t v = 0;
  for (; i < bytes; i++) {
    int h = hex_value((unsigned char)text[i]);
    if (h < 0 || (unsigned)h >= base)
      return false;
    if (v > (UINT64_MAX - (unsigned)h) / base)
      return false;
    v = v * base + (unsigned)h;
  }
  *out_magnitude = v;
  return true;
}

bool weft__token_i64(const char *text, size_t bytes, int64_t *out) {
  bool negative;
  uint64_t v;
  if (!weft__token_int(text, bytes, &negative, &v))
    return false;
  if (v > (uint64_t)INT64_MAX + negative)
    return false;
  *out = negative ? (int64_t)(0 - v) : (int64_t)v;
  return true;
}

static size_t digits_at(const char *text, size_t bytes, size_t *i, bool hex) {
  size_t from = *i;
  while (*i < bytes && (hex ? hex_value((unsigned char)text[*i]) >= 0 : weft__is_digit(text[*i])))
    ++*i;
  return *i - from;
}

// Is the token (without sign) a number by our grammar?
static bool is_real(const char *text, size_t bytes) {
  size_t i = 0;
  bool hex = bytes > 2 && text[0] == '0' && (text[1] | 32) == 'x';
  if (hex)
    i = 2;
  size_t digits = digits_at(text, bytes, &i, hex);
  if (i < bytes && text[i] == '.') {
    i++;
    digits += digits_at(text, bytes, &i, hex);
  }
  if (!digits)
    return false;
  if (i < bytes && (text[i] | 32) == (hex ? 'p' : 'e')) {
    i++;
    if (i < bytes && (text[i] == '+' || text[i] == '-'))
      i++;
    if (!digits_at(text, bytes, &i, false))
      return false;
  }
  return i == bytes;
}

// Copies the token for strtod; in a locale whose decimal point is no '.', with that locale's.
static bool copy_real(const char *text, size_t bytes, char buf[NUMBER_BYTES]) {
  char half[16];
  int n = snprintf(half, sizeof half, "%.1f", 0.5);  // "0.5", with the locale's point in the middle
  size_t at = 0;
  size_t point = n > 2 ? (size_t)n - 2 : 1;
  for (size_t i = 0; i < bytes; i++) {
    if (at + point + 1 > NUMBER_BYTES)
      return false;
    if (text[i] == '.') {
      memcpy(buf + at, half + 1, point);
      at += point;
    } else {
      buf[at++] = text[i];
    }
  }
  if (at >= NUMBER_BYTES)
    return false;
  buf[at] = 0;
  return true;
}

// 0: no number; 1: *out is set (nan, inf); 2: buf holds the text for strtod.
static int prepare_real(const char *text, size_t bytes, char buf[NUMBER_BYTES], double *out) {
  size_t sign = bytes && (text[0] == '-' || text[0] == '+');
  const char *word = text + sign;
  if (bytes - sign == 3 && (!memcmp(word, "nan", 3) || !memcmp(word, "inf", 3))) {
    double v = word[0] == 'n' ? (double)__builtin_nanf("") : (double)__builtin_inff();
    *out = sign && text[0] == '-' ? -v : v;
    return 1;
  }
  if (!is_real(word, bytes - sign) || !copy_real(text, bytes, buf))
    return 0;
  return 2;
}

// A decimal number without an exponent, as nearly all are: its digits as one number, and how many stand
// behind the point. Where both it and the power of ten are exact, their quotient is rounded once, as strtod
// rounds.
typedef struct short_real {
  bool negative;
  uint64_t digits;
  unsigned places;
} short_real;

static bool short_real_read(const char *text, size_t bytes, uint64_t most, unsigned most_places,
                            short_real *out) {
  bool point = false;
  size_t i = bytes && (text[0] == '-' || text[0] == '+');
  size_t first = i;
  *out = (short_real){.negative = bytes && text[0] == '-'};
  for (; i < bytes; i++) {
    if (text[i] == '.' && !point) {
      point = true;
      continue;
    }
    if (!weft__is_digit(text[i]))
      return false;
    out->digits = out->digits * 10 + (uint64_t)(text[i] - '0');
    out->places += point;
    if (out->digits > most || out->places > most_places)
      return false;
  }
  return i - first > point;  // a digit at least
}

static bool short_real_f64(const char *text, size_t bytes, double *out) {
  static const double power[] = {1,    1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  short_real r;
  if (FLT_EVAL_METHOD || !short_real_read(text, bytes, (uint64_t)1 << 53, WEFT_COUNT(power) - 1, &r))
    return false;
  double v = (double)r.digits / power[r.places];
  *out = r.negative ? -v : v;
  return true;
}

static bool short_real_f32(const char *text, size_t bytes, float *out) {
  static const float power[] = {1, 1e1f, 1e2f, 1e3f, 1e4f, 1e5f, 1e6f, 1e7f, 1e8f, 1e9f, 1e10f};
  short_real r;
  if (FLT_EVAL_METHOD || !short_real_read(text, bytes, 1 << 24, WEFT_COUNT(power) - 1, &r))
    return false;
  float v = (float)r.digits / power[r.places];
  *out = r.negative ? -v : v;
  return true;
}

bool weft__token_f64(const char *text, size_t bytes, double *out) {
  char buf[NUMBER_BYTES];
  if (short_real_f64(text, bytes, out))
    return true;
  int kind = prepare_real(text, bytes, buf, out);
  if (kind != 2)
    return kind == 1;
  double v = strtod(buf, NULL);
  if (v - v != 0)
    return false;  // over the range
  *out = v;
  return true;
}

bool weft__token_f32(const char *text, size_t bytes, float *out) {
  char buf[NUMBER_BYTES];
  double wide;
  if (short_real_f32(text, bytes, out))
    return true;
  int kind = prepare_real(text, bytes, buf, &wide);
  if (kind == 0)
    return false;
  float v = kind == 1 ? (float)wide : strtof(buf, NULL);
  if (kind == 2 && v - v != 0)
    return false;
  *out = v;
  return true;
}
// SPDX-License-Identifier: Apache-2.0
