// format.c - format words: names, text and bit packing.
// | 31..28 reserved | 27..24 C0 code | 23..8 sub-format | 7..0 primary |. Text is "PRIMARY[:sub][(C0=n)]";
// the sub-format is decimal, C0 a power of two. The table is indexed by primary format; parsing scans it.
#include "weft/format.h"

#include "base/base.h"

enum { FORMAT_NUMBERS = 55, C0_CODE_MAX = 15 };

typedef struct format_name {
  const char *name, *serial;  // AscendIR's enum name without FORMAT_, and the text it prints
} format_name;

static const format_name NAMES[FORMAT_NUMBERS] = {
#define WEFT_X(name, number, serial) [number] = {#name, serial},
    WEFT_FORMAT_LIST(WEFT_X)
#undef WEFT_X
};

weft_format weft_format_make(weft_format primary, uint32_t sub, uint32_t c0_code) {
  return (primary & 0xFF) | (sub & 0xFFFF) << 8 | (c0_code & 0xF) << 24;
}

weft_format weft_format_primary(weft_format f) {
  return f & 0xFF;
}

uint32_t weft_format_sub(weft_format f) {
  return f >> 8 & 0xFFFF;
}

bool weft_format_has_c0(weft_format f) {
  return (f >> 24 & 0xF) != 0;
}

int32_t weft_format_c0(weft_format f) {
  uint32_t code = f >> 24 & 0xF;
  return code ? INT32_C(1) << (code - 1) : -1;
}

bool weft_format_known(weft_format f) {
  weft_format primary = weft_format_primary(f);
  return primary < FORMAT_NUMBERS && NAMES[primary].serial;
}

bool weft_format_compatible(weft_format a, weft_format b) {
  a = weft_format_primary(a);
  b = weft_format_primary(b);
  return a == b || a == WEFT_ND || b == WEFT_ND;
}

const char *weft_format_serial(weft_format f) {
  return weft_format_known(f) ? NAMES[weft_format_primary(f)].serial : "RESERVED";
}

const char *weft_format_text(weft_format f, char *buf, size_t cap) {
  size_t at = 0;
  if (cap > 0)
    buf[0] = 0;
  weft__append(buf, cap, &at, "%s", weft_format_serial(f));
  if (weft_format_sub(f))
    weft__append(buf, cap, &at, ":%u", (unsigned)weft_format_sub(f));
  if (weft_format_has_c0(f))
    weft__append(buf, cap, &at, "(C0=%d)", (int)weft_format_c0(f));
  return buf;
}

// ---- parsing ----

static bool format_same_text(const char *zero_terminated, const char *text, size_t bytes) {
  return strlen(zero_terminated) == bytes && memcmp(zero_terminated, text, bytes) == 0;
}

static weft_format find_primary(const char *text, size_t bytes) {
  for (weft_format i = 0; i < FORMAT_NUMBERS; i++) {
    if (NAMES[i].serial &&
        (format_same_text(NAMES[i].serial, text, bytes) || format_same_text(NAMES[i].name, text, bytes))) {
      return i;
    }
  }
  return WEFT_FORMAT_RESERVED;
}

// Decimal digits only, at least one, at most `max`.
static bool format_parse_number(const char *text, size_t bytes, uint32_t max, uint32_t *out) {
  uint32_t v = 0;
  if (bytes == 0)
    return false;
  for (size_t i = 0; i < bytes; i++) {
    if (text[i] < '0' || text[i] > '9')
      return false;
    v = v * 10 + (uint32_t)(text[i] - '0');
    if (v > max)
      return false;
  }
  *out = v;
  return true;
}

static size_t find_char(const char *text, size_t bytes, char c) {
  const char *at = memchr(text, c, bytes);
  return at ? (size_t)(at - text) : bytes;
}

static bool parse_c0(const char *text, size_t bytes, uint32_t *out_code) {  // "(C0=16)"
  static const char OPEN[] = "(C0=";
  const size_t n = sizeof OPEN - 1;
  uint32_t v;
  if (bytes < n + 2 || memcmp(text, OPEN, n) != 0 || text[bytes - 1] != ')')
    return false;
  if (!format_parse_number(text + n, bytes - n - 1, 1u << (C0_CODE_MAX - 1), &v))
    return false;
  for (uint32_t code = 1; code <= C0_CODE_MAX; code++) {
    if (v == 1u << (code - 1)) {
      *out_code = code;
      return true;
    }
  }
  return false;
}

weft_format weft_format_parse(const char *text, size_t bytes) {
  static const char PREFIX[] = "FORMAT_";
  const size_t prefix = sizeof PREFIX - 1;
  if (!text)
    return WEFT_FORMAT_RESERVED;
  uint32_t sub = 0;
  uint32_t c0_code = 0;
  size_t open = find_char(text, bytes, '(');
  if (open < bytes && !parse_c0(text + open, bytes - open, &c0_code))
    return WEFT_FORMAT_RESERVED;
  size_t colon = find_char(text, open, ':');
  if (colon < open && !format_parse_number(text + colon + 1, open - colon - 1, 0xFFFF, &sub))
    return WEFT_FORMAT_RESERVED;
  weft_format primary = find_primary(text, colon);
  if (primary == WEFT_FORMAT_RESERVED && colon > prefix && memcmp(text, PREFIX, prefix) == 0) {
    primary = find_primary(text + prefix, colon - prefix);
  }
  if (primary == WEFT_FORMAT_RESERVED)
    return WEFT_FORMAT_RESERVED;
  return weft_format_make(primary, sub, c0_code);
}
// SPDX-License-Identifier: Apache-2.0
