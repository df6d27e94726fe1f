// json.h - JSON where large parts of a document are of no interest. Layer: base.
#pragma once
#include "base/base.h"

// How many items an array has; 0: it is NULL, or no array.
static inline size_t weft__json_count(const weft_json *v) {
  return v && v->kind == WEFT_JSON_ARRAY ? v->n : 0;
}

// weft__json_parse, but some members become strings that hold their text as it stands in the document (not
// zero-terminated, not checked beyond brackets and quotes): what is skipped costs neither memory nor much
// time, and can be parsed by itself when somebody asks. texts NULL: nothing is left out.
typedef struct weft__json_texts {
  const char *const *names;  // of such members, at any depth
  size_t n;
  const char *each;  // of objects whose members are such; NULL: none
} weft__json_texts;
weft_status weft__json_parse_texts(const char *text, size_t bytes, const weft__json_texts *texts,
                                   weft_arena *arena, weft_json **out, weft_diag *d);
// SPDX-License-Identifier: Apache-2.0
