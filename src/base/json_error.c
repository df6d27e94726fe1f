// json_error.c - what is wrong with a JSON document: line and column, what was expected and what stands
// there, and the path to it from the document's root.
#include "base/chars.h"
#include "base/json_parser.h"

// Text for a message: short and on one line.
const char *weft__json_shown(const char *text, size_t bytes, char out[JSON_SHOWN + 4]) {
  size_t n = bytes <= JSON_SHOWN ? bytes : weft__utf8_cut(text, JSON_SHOWN);
  for (size_t i = 0; i < n; i++)
    out[i] = (char)((unsigned char)text[i] < 0x20 ? '?' : text[i]);
  memcpy(out + n, "...", 4);
  if (n == bytes)
    out[n] = '\0';
  return out;
}

// What stands at the place of an error.
const char *weft__json_got(const weft__json_parser *p, char out[JSON_SHOWN]) {
  size_t n = weft__utf8_length(p->at, (size_t)(p->end - p->at));
  unsigned char c = p->at < p->end ? (unsigned char)*p->at : 0;
  if (p->at == p->end) {
    snprintf(out, JSON_SHOWN, "the end of the text");
  } else if (!n || c < 0x20 || c == 0x7F) {
    snprintf(out, JSON_SHOWN, "byte 0x%02X", c);
  } else {
    snprintf(out, JSON_SHOWN, "'%.*s'", (int)n, p->at);
  }
  return out;
}

static void json_note_path(weft__json_parser *p) {
  char path[1024] = "";
  char key[JSON_SHOWN + 4];
  size_t at = 0;
  for (size_t i = 0; i < p->depth; i++) {
    const char *k = p->path[i].key;
    if (k) {
      weft__append(path, sizeof path, &at, "%s%s", at ? "." : "", weft__json_shown(k, strlen(k), key));
    } else if (p->path[i].index != SIZE_MAX) {
      weft__append(path, sizeof path, &at, "[%zu]", p->path[i].index);
    }
  }
  if (at)
    weft_note(p->d, "at %s", path);
}

weft_status weft__json_fail(weft__json_parser *p, weft_status s, const char *fmt, ...) {
  char text[512];
  va_list ap;
  if (!p->d || p->d->status)
    return s;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  weft_fail(p->d, s, "line %u, column %u: %s", (unsigned)p->line, (unsigned)weft__json_column(p), text);
  json_note_path(p);
  return s;
}

weft_status weft__json_expected(weft__json_parser *p, const char *what) {
  char c[JSON_SHOWN];
  return weft__json_fail(p, WEFT_E_SYNTAX, "expected %s, got %s", what, weft__json_got(p, c));
}
// SPDX-License-Identifier: Apache-2.0
