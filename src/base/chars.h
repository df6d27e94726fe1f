// chars.h - UTF-8 sequences, and numbers read from text the same way in every locale.
// Layer: base (libc only).
#pragma once
#include <stdbool.h>
#include <stddef.h>

// Bytes of the well-formed UTF-8 sequence that `text` starts with: 1 to 4; 0 when there is none (overlong
// forms, surrogates, values beyond U+10FFFF, sequences that are cut, bytes 0).
static inline size_t weft__utf8_length(const char *text, size_t bytes) {
  const unsigned char *p = (const unsigned char *)text;
  if (!bytes)
    return 0;
  if (p[0] < 0x80)
    return 1;
  size_t n = p[0] >= 0xF0 ? 4 : p[0] >= 0xE0 ? 3 : 2;
  if (p[0] < 0xC2 || p[0] > 0xF4 || bytes < n)
    return 0;
  unsigned low = p[0] == 0xE0 ? 0xA0 : p[0] == 0xF0 ? 0x90 : 0x80;
  unsigned high = p[0] == 0xED ? 0x9F : p[0] == 0xF4 ? 0x8F : 0xBF;
  if (p[1] < low || p[1] > high)
    return 0;
  for (size_t i = 2; i < n; i++) {
    if ((p[i] & 0xC0) != 0x80)
      return 0;
  }
  return n;
}

// `bytes` less the start of a sequence that a cut at the end has split: at most 3 bytes less.
size_t weft__utf8_cut(const char *text, size_t bytes);

// Reads the whole of a zero-terminated text with '.' as decimal point; false when something else stands in
// it. Nearest double; too large gives an infinity. Takes "inf" and "nan" too, and a leading space, as strtod
// does.
bool weft__double_parse(const char *text, double *out);
// SPDX-License-Identifier: Apache-2.0
