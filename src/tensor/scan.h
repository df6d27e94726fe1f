// scan.h - reading tokens from text that may be hostile: the base of every one-line parser of this layer and
// of attributes. A scan is a cursor over bytes (not zero-terminated). Nothing here allocates but the string
// reader, into its weft_text. Layer: tensor.
#pragma once
#include "base/base.h"

typedef struct weft_scan {
  const char *text;
  size_t at, bytes;
  const char *what;  // names the text in errors: "tensor literal"
  weft_diag *d;
} weft_scan;

static inline int weft__scan_peek(const weft_scan *s) {  // -1 at the end
  return s->at < s->bytes ? (unsigned char)s->text[s->at] : -1;
}
static inline bool weft__is_digit(int c) {
  return c >= '0' && c <= '9';
}
static inline bool weft__is_alpha(int c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

void weft__scan_space(weft_scan *s);
bool weft__scan_char(weft_scan *s, char c);  // skips spaces, then takes `c` if it is there
// Takes [A-Za-z_][A-Za-z0-9_]*; the number of bytes, 0 when there is none. Spaces before it are skipped.
size_t weft__scan_ident(weft_scan *s, const char **out);
// Takes what could be a number (or a word such as nan); the number of bytes. Stops before "..".
size_t weft__scan_number(weft_scan *s, const char **out);
// Reads a string in double quotes into `out` (cleared first); JSON's escapes, \xNN and \'.
weft_status weft__scan_string(weft_scan *s, weft_text *out);
size_t weft__utf8_put(uint32_t code_point, char out[4]);  // the number of bytes, 1 to 4
// "tensor literal, byte 7 near '}': expected a number": records the failure and returns `st`.
weft_status weft__scan_fail(const weft_scan *s, weft_status st, const char *fmt, ...) WEFT_PRINTF(3, 4);

// A whole token as integer: [+-] decimal or 0x; false when it is none or over 64 bits.
bool weft__token_int(const char *text, size_t bytes, bool *out_negative, uint64_t *out_magnitude);
bool weft__token_i64(const char *text, size_t bytes, int64_t *out);
// A whole token as real number: decimal, hexadecimal, nan, inf. Rounded once. False when it is none, or
// finite text whose value is over the type's range.
bool weft__token_f64(const char *text, size_t bytes, double *out);
bool weft__token_f32(const char *text, size_t bytes, float *out);
// SPDX-License-Identifier: Apache-2.0
