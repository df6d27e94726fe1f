// chars.h - UTF-8 sequences, and numbers read from text the same way in every locale.
// Layer: base (libc only).
#pragma once
#include <stdbool.h>
#include <stddef.h>

// Well-formed sequences of two bytes and more, by their first byte (Unicode, table 3-7): how long they are
// and what the second byte may be; further ones are 80 to BF.
typedef struct weft__utf8_lead {
  unsigned char first, last;
  unsigned char length;
  unsigned char low, high;
} weft__utf8_lead;
static const weft__utf8_lead weft__utf8_leads[] = {
    {0xC2, 0xDF, 2, 0x80, 0xBF}, {0xE0, 0xE0, 3, 0xA0, 0xBF}, {0xE1, 0xEC, 3, 0x80, 0xBF},
    {0xED, 0xED, 3, 0x80, 0x9F}, {0xEE, 0xEF, 3, 0x80, 0xBF}, {0xF0, 0xF0, 4, 0x90, 0xBF},
    {0xF1, 0xF3, 4, 0x80, 0xBF}, {0xF4, 0xF4, 4, 0x80, 0x8F},
};

// Bytes of the well-formed UTF-8 sequence that `text` starts with: 1 to 4; 0 when there is none (overlong
// forms, surrogates, values beyond U+10FFFF, sequences that are cut, bytes 0).
static inline size_t weft__utf8_length(const char *text, size_t bytes) {
  const unsigned char *p = (const unsigned char *)text;
  if (!bytes)
    return 0;
  if (p[0] < 0x80)
    return 1;
  for (size_t i = 0; i < sizeof weft__utf8_leads / sizeof weft__utf8_leads[0]; i++) {
    const weft__utf8_lead *lead = &weft__utf8_leads[i];
    if (p[0] > lead->last)
      continue;
    if (p[0] < lead->first || bytes < lead->length || p[1] < lead->low || p[1] > lead->high)
      return 0;
    size_t at = 2;
    while (at < lead->length && (p[at] & 0xC0) == 0x80)
      at++;
    return at == lead->length ? at : 0;
  }
  return 0;
}

// `bytes` less the start of a sequence that a cut at the end has split: at most 3 bytes less.
size_t weft__utf8_cut(const char *text, size_t bytes);

// Reads the whole of a zero-terminated text with '.' as decimal point; false when something else stands in
// it. Nearest double; too large gives an infinity. Takes "inf" and "nan" too, and a leading space, as strtod
// does.
bool weft__double_parse(const char *text, double *out);
// SPDX-License-Identifier: Apache-2.0
