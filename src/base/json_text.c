// json_text.c - what strings and whole numbers of a JSON document hold, apart from where they stand in it.
#include "base/json_text.h"

#include <errno.h>
#include <stdlib.h>

int32_t weft__json_hex4(const char *at, const char *end) {
  int32_t v = 0;
  if (end - at < 4)
    return -1;
  for (int i = 0; i < 4; i++) {
    char c = at[i];
    int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (c >= 'A' && c <= 'F')
      digit = c - 'A' + 10;
    if (digit < 0)
      return -1;
    v = v * 16 + digit;
  }
  return v;
}

// A character of one byte that stands for itself in a string.
static bool is_plain(unsigned char c) {
  return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

const char *weft__json_plain_tail(const char *at, const char *end) {
  while (at < end && is_plain((unsigned char)*at))
    at++;
  return at;
}

const uint8_t weft__json_ends[256] = {
    ['"'] = 2, [','] = 1, ['['] = 2, [']'] = 2, ['{'] = 2, ['}'] = 2, ['\n'] = 2};

static char *put_utf8(char *to, uint32_t v) {
  if (v < 0x80) {
    *to++ = (char)v;
    return to;
  }
  if (v < 0x800) {
    *to++ = (char)(0xC0 | v >> 6);
  } else {
    if (v < 0x10000) {
      *to++ = (char)(0xE0 | v >> 12);
    } else {
      *to++ = (char)(0xF0 | v >> 18);
      *to++ = (char)(0x80 | (v >> 12 & 63));
    }
    *to++ = (char)(0x80 | (v >> 6 & 63));
  }
  *to++ = (char)(0x80 | (v & 63));
  return to;
}

size_t weft__json_decode(const char *at, const char *end, char *out) {
  static const char names[] = "\"\\/bfnrt";
  static const char values[] = "\"\\/\b\f\n\r\t";
  char *to = out;
  while (at < end) {
    if (*at != '\\') {
      *to++ = *at++;
    } else if (at[1] != 'u') {
      *to++ = values[strchr(names, at[1]) - names];
      at += 2;
    } else {
      uint32_t v = (uint32_t)weft__json_hex4(at + 2, end);
      at += 6;
      if (v >= 0xD800 && v <= 0xDBFF) {
        v = 0x10000 + ((v & 0x3FF) << 10) + ((uint32_t)weft__json_hex4(at + 2, end) & 0x3FF);
        at += 6;
      }
      to = put_utf8(to, v);
    }
  }
  *to = '\0';
  return (size_t)(to - out);
}

bool weft__json_whole(const char *s, size_t bytes, int64_t *out) {
  enum { SAFE_DIGITS = 18 };
  *out = 0;
  if (bytes <= SAFE_DIGITS) {
    for (const char *at = s + (*s == '-'); *at; at++)
      *out = *out * 10 + (*at - '0');
    *out = *s == '-' ? -*out : *out;
    return true;
  }
  errno = 0;
  long long v = strtoll(s, NULL, 10);
  if (!errno)
    *out = v;
  return !errno;
}
// SPDX-License-Identifier: Apache-2.0
