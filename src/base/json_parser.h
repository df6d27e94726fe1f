// json_parser.h - where a reader of JSON stands, and how it says what is wrong there. Layer: base.
#pragma once
#include "base/base.h"
#include "base/json.h"

enum { JSON_DEPTH = 64, JSON_SHOWN = 48, JSON_KNOWN = 64 };

typedef struct weft__json_key {
  const char *s;
  uint32_t bytes;
  bool text;  // its value stays text
  bool each;  // those of the members of its object
} weft__json_key;

typedef struct weft__json_parser {
  const char *at, *end, *line_start;
  size_t extra;  // bytes since line_start that continue a character
  uint32_t line;
  weft_arena *arena;
  weft_diag *d;
  WEFT_VEC(weft_json) open;
  WEFT_VEC(const char *) keys;
  const weft__json_texts *texts;
  bool each;                         // values of the members of the object that comes next stay text
  weft__json_key known[JSON_KNOWN];  // keys that came before: most documents repeat few
  size_t depth;
  struct {
    const char *key;  // NULL: an array
    size_t index;
  } path[JSON_DEPTH];
} weft__json_parser;

static inline uint32_t weft__json_column(const weft__json_parser *p) {
  size_t c = (size_t)(p->at - p->line_start) - p->extra + 1;
  return c < UINT32_MAX ? (uint32_t)c : UINT32_MAX;
}
// What stands at the place of an error, and a text for its message: short and on one line.
const char *weft__json_got(const weft__json_parser *p, char out[JSON_SHOWN]);
const char *weft__json_shown(const char *text, size_t bytes, char out[JSON_SHOWN + 4]);
weft_status weft__json_fail(weft__json_parser *p, weft_status s, const char *fmt, ...) WEFT_PRINTF(3, 4);
weft_status weft__json_expected(weft__json_parser *p, const char *what);
// SPDX-License-Identifier: Apache-2.0
