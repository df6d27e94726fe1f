// json_text.h - strings and whole numbers of JSON, for json.c. Layer: base.
#pragma once
#include "base/base.h"

const char *weft__json_plain_tail(const char *at, const char *end);  // weft__json_plain_end, byte by byte
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
// Of eight bytes the first whose high bit is set. What is taken from a byte can only borrow from later ones:
// the first is certain.
static inline size_t weft__json_first(const char *at, uint64_t found) {
  (void)at;
  return (size_t)__builtin_ctzll(found) / 8;
}
#else
static inline size_t weft__json_first(const char *at, uint64_t found) {
  (void)found;
  return (size_t)(weft__json_plain_tail(at, at + 8) - at);
}
#endif
// Four hexadecimal digits; -1: these are none.
int32_t weft__json_hex4(const char *at, const char *end);
// The first character from `at` on that does not stand for itself in a string, or takes more than a byte.
// Eight are looked at in a step: among bytes below 0x80 only a 0 becomes negative when 1 is taken from it
// (which the exclusive or makes of a quote or backslash), and only a control character when 0x20 is.
static inline const char *weft__json_plain_end(const char *at, const char *end) {
  const uint64_t ones = UINT64_C(0x0101010101010101);
  for (; end - at >= 8; at += 8) {
    uint64_t v;
    memcpy(&v, at, 8);
    uint64_t quote = (v ^ ones * '"') - ones;
    uint64_t slash = (v ^ ones * '\\') - ones;
    uint64_t control = v - ones * 0x20;
    uint64_t found = (quote | slash | control | v) & ones * 0x80;
    if (found)
      return at + weft__json_first(at, found);
  }
  return weft__json_plain_tail(at, end);
}
// The first bracket, quote, line end, and comma unless `inside` brackets, where none ends anything.
extern const uint8_t weft__json_ends[256];  // 1: a comma, 2: the others
static inline const char *weft__json_text_end(const char *at, const char *end, bool inside) {
  while (at < end && weft__json_ends[(unsigned char)*at] <= inside)
    at++;
  return at;
}
// Decodes a valid string, ended by a zero. `out` has room for the text as it is: escapes are longer than what
// they stand for. Returns bytes without the zero.
size_t weft__json_decode(const char *at, const char *end, char *out);
// Digits, after a sign perhaps; false: more than an int64 holds.
bool weft__json_whole(const char *s, size_t bytes, int64_t *out);
// SPDX-License-Identifier: Apache-2.0
