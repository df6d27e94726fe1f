// text.c - growing texts, bounded appends, writers, and floats as their shortest decimal.
//
// A weft_text doubles; its bytes are zero-terminated after the first add, so cap > n once v is set.
// Numbers come out the same in every locale: digits are taken from snprintf, the decimal point is ours.
#include "base/base.h"
#include "base/chars.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>

enum { FIRST_TEXT_BYTES = 64, WRITEF_BYTES = 1024, TEXT_ALIGN = 16 };

void weft__text_init(weft_text *t, const weft_allocator *a) {
  weft_text empty = {.alloc = a && a->fn ? *a : weft_allocator_default()};
  *t = empty;
}

void weft__text_deinit(weft_text *t) {
  weft__free(&t->alloc, t->v, t->cap, TEXT_ALIGN);
  t->v = NULL;
  t->n = t->cap = 0;
  t->failed = false;
}

// Room for `bytes` more and the terminator.
static bool text_reserve(weft_text *t, size_t bytes) {
  size_t wanted;
  if (t->failed)
    return false;
  if (bytes < t->cap - t->n)
    return true;
  t->failed = true;  // until the new buffer is there
  if (!weft_add_size(t->n, bytes, &wanted) || !weft_add_size(wanted, 1, &wanted))
    return false;
  wanted = WEFT_MAX(wanted, t->cap <= SIZE_MAX / 2 ? t->cap * 2 : SIZE_MAX);
  wanted = WEFT_MAX(wanted, FIRST_TEXT_BYTES);
  char *v = weft__realloc(&t->alloc, t->v, t->cap, wanted, TEXT_ALIGN);
  if (!v)
    return false;
  t->v = v;
  t->cap = wanted;
  t->failed = false;
  return true;
}

void weft__text_add(weft_text *t, const char *text, size_t bytes) {
  if (!text_reserve(t, bytes))
    return;
  if (bytes)
    memcpy(t->v + t->n, text, bytes);
  t->n += bytes;
  t->v[t->n] = '\0';
}

void weft__text_addf(weft_text *t, const char *fmt, ...) {
  va_list ap;
  if (!text_reserve(t, FIRST_TEXT_BYTES - 1))
    return;
  va_start(ap, fmt);
  int wanted = vsnprintf(t->v + t->n, t->cap - t->n, fmt, ap);
  va_end(ap);
  if (wanted >= 0 && (size_t)wanted >= t->cap - t->n && text_reserve(t, (size_t)wanted)) {
    va_start(ap, fmt);
    wanted = vsnprintf(t->v + t->n, t->cap - t->n, fmt, ap);
    va_end(ap);
  }
  if (wanted < 0)
    t->failed = true;
  if (!t->failed)
    t->n += (size_t)wanted;
  t->v[t->n] = '\0';
}

weft_status weft__text_write(void *ctx, const char *text, size_t bytes) {
  weft_text *t = ctx;
  weft__text_add(t, text, bytes);
  return t->failed ? WEFT_E_NOMEM : WEFT_OK;
}

void weft__append(char *buf, size_t cap, size_t *at, const char *fmt, ...) {
  if (*at >= cap)
    return;
  va_list ap;
  size_t room = cap - *at;
  char *to = buf + *at;
  va_start(ap, fmt);
  int wanted = vsnprintf(to, room, fmt, ap);
  va_end(ap);
  size_t n = wanted < 0 ? 0 : (size_t)wanted < room ? (size_t)wanted : weft__utf8_cut(to, room - 1);
  to[n] = '\0';
  *at += n;
}

size_t weft__put_u32(char *to, uint32_t v) {
  char digits[10];
  size_t at = sizeof digits;
  do
    digits[--at] = (char)('0' + v % 10);
  while (v /= 10);
  memcpy(to, digits + at, sizeof digits - at);
  return sizeof digits - at;
}

weft_status weft__write_text(weft_write_fn write, void *ctx, const char *zero_terminated) {
  return write(ctx, zero_terminated, strlen(zero_terminated));
}

// Text that does not fit is not written at all: E_LIMIT.
weft_status weft__writef(weft_write_fn write, void *ctx, const char *fmt, ...) {
  char text[WRITEF_BYTES];
  va_list ap;
  va_start(ap, fmt);
  int n = vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  if (n < 0 || (size_t)n >= sizeof text)
    return WEFT_E_LIMIT;
  return write(ctx, text, (size_t)n);
}

// The escape of a byte in out, or 0 bytes when it stands for itself.
static size_t escape(unsigned char c, char out[6]) {
  static const char hex[] = "0123456789abcdef";
  if (c >= 0x20 && c != '"' && c != '\\')
    return 0;
  out[0] = '\\';
  out[1] = (char)(c == '\n' ? 'n' : c == '\t' ? 't' : c == '\r' ? 'r' : c >= 0x20 ? c : 'u');
  if (out[1] != 'u')
    return 2;
  out[2] = out[3] = '0';
  out[4] = hex[c >> 4];
  out[5] = hex[c & 15];
  return 6;
}

weft_status weft__write_quoted(weft_write_fn write, void *ctx, const char *text, size_t bytes) {
  size_t from = 0;
  WEFT_TRY(write(ctx, "\"", 1));
  for (size_t i = 0; i < bytes; i++) {
    char out[6];
    size_t n = escape((unsigned char)text[i], out);
    if (!n)
      continue;
    if (i > from)
      WEFT_TRY(write(ctx, text + from, i - from));
    WEFT_TRY(write(ctx, out, n));
    from = i + 1;
  }
  if (bytes > from)
    WEFT_TRY(write(ctx, text + from, bytes - from));
  return write(ctx, "\"", 1);
}

size_t weft__utf8_cut(const char *text, size_t bytes) {
  for (size_t back = 1; back <= 3 && back <= bytes; back++) {
    unsigned char c = (unsigned char)text[bytes - back];
    if (c < 0x80)
      return bytes;
    if (c < 0xC0)
      continue;
    size_t whole = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : 2;
    return whole > back ? bytes - back : bytes;
  }
  return bytes;
}

// A decimal in parts: the digits without trailing zeros, the point after the first of them, times
// 10^exponent.
typedef struct decimal {
  char digit[20];
  int n, exponent;
} decimal;

// From the text of "%.*e" of a finite, non-negative value, whatever the locale's decimal point.
static decimal read_decimal(const char *text) {
  decimal x = {.n = 0};
  for (; *text && *text != 'e'; text++) {
    if (*text >= '0' && *text <= '9' && x.n < (int)sizeof x.digit)
      x.digit[x.n++] = *text;
  }
  while (x.n > 1 && x.digit[x.n - 1] == '0')
    x.n--;
  if (*text)
    x.exponent = (int)strtol(text + 1, NULL, 10);
  return x;
}

// Plain digits where that is no longer than an exponent, and for small fractions from 0.0001 on.
static void write_decimal(const decimal *x, bool negative, char buf[32]) {
  int n = x->n;
  int e = x->exponent;
  int with_exponent = n + (n > 1) + (e > 99 ? 5 : 4);
  size_t at = 0;
  buf[0] = '\0';
  if (negative)
    weft__append(buf, 32, &at, "-");
  if (e < -4 || e + 1 > with_exponent) {
    weft__append(buf, 32, &at, "%c%s%.*se%c%02d", x->digit[0], n > 1 ? "." : "", n - 1, x->digit + 1,
                 e < 0 ? '-' : '+', e < 0 ? -e : e);
  } else if (e < 0) {
    weft__append(buf, 32, &at, "0.%.*s%.*s", -e - 1, "000", n, x->digit);
  } else {
    int whole = WEFT_MIN(n, e + 1);
    weft__append(buf, 32, &at, "%.*s%.*s", whole, x->digit, e + 1 - whole, "000000");
    if (n > whole)
      weft__append(buf, 32, &at, ".%.*s", n - whole, x->digit + whole);
  }
}

static bool is_special(double v, char buf[32]) {
  if (v == v && v - v == 0)
    return false;
  snprintf(buf, 32, "%s", v != v ? "nan" : v > 0 ? "inf" : "-inf");
  return true;
}

// A float holds every decimal of 6 digits, a double every one of 15: where that many read back, the text
// without its trailing zeros is the shortest, and fewer need not be tried.
const char *weft__float_text(float v, char buf[32]) {
  char text[48];
  if (is_special((double)v, buf))
    return buf;
  float positive = fabsf(v);
  for (int digits = positive < FLT_MIN ? 1 : FLT_DIG; digits <= 9; digits++) {
    snprintf(text, sizeof text, "%.*e", digits - 1, (double)positive);
    if (strtof(text, NULL) == positive)
      break;
  }
  decimal x = read_decimal(text);
  write_decimal(&x, signbit(v), buf);
  return buf;
}

const char *weft__double_text(double v, char buf[32]) {
  char text[48];
  if (is_special(v, buf))
    return buf;
  double positive = fabs(v);
  for (int digits = positive < DBL_MIN ? 1 : DBL_DIG; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*e", digits - 1, positive);
    if (strtod(text, NULL) == positive)
      break;
  }
  decimal x = read_decimal(text);
  write_decimal(&x, signbit(v), buf);
  return buf;
}

// What strtod may read in the C locale; so no other locale's decimal point.
static const char number_chars[] =
    "0123456789.+-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ()_ \t\n\v\f\r";

// strtod stops at '.' where the locale has another decimal point; this thread then reads in the C locale for
// a moment.
bool weft__double_parse(const char *text, double *out) {
  char *end;
  if (text[strspn(text, number_chars)])
    return false;
  *out = strtod(text, &end);
  if (end != text && !*end)
    return true;
  locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (!c)
    return false;
  locale_t before = uselocale(c);
  *out = strtod(text, &end);
  uselocale(before);
  freelocale(c);
  return end != text && !*end;
}
// SPDX-License-Identifier: Apache-2.0
