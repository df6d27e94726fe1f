// strings.h - what operators on strings share: a list of texts that grows piece by piece and becomes a string
// tensor.
#pragma once
#include "op.h"

typedef struct weft_strings {
  const weft_call *call;
  uint32_t out;           // the output that they are for
  weft_text bytes;        // of all texts, one after the other
  WEFT_VEC(size_t) ends;  // of each finished text in `bytes`
  size_t work;
  bool failed;
  weft_status stopped;  // by a limit of the call; nothing is added from then on
} weft_strings;
// For output 0 of the call, or for another one, in its memory.
void weft__strings_init(weft_strings *s, const weft_call *c);
void weft__strings_init_at(weft_strings *s, const weft_call *c, uint32_t out);
void weft__strings_deinit(weft_strings *s);
void weft__strings_add(weft_strings *s, const char *text, size_t bytes);  // to the text at hand
void weft__strings_next(weft_strings *s);                                 // finishes it
// Makes `out` a string tensor of the finished texts, which fill the shape. Frees the list.
weft_status weft__strings_give(weft_strings *s, const weft_shape *shape, weft_status so_far);
// The length of the UTF-8 sequence at `text` (1 for a byte that begins none) and its code point (-1 then).
size_t weft__utf8_next(const char *text, size_t bytes, int32_t *out_code);
// A code point in the other case: ASCII, Latin-1, Latin Extended-A, Greek and Cyrillic; others stay.
int32_t weft__case_lower(int32_t code);
int32_t weft__case_upper(int32_t code);
// Appends `text` in lower or upper case; bytes that are no UTF-8 stay.
void weft__strings_add_case(weft_strings *s, const char *text, size_t bytes, bool upper);
// The text of a finite number that snprintf made: the point in it, whatever the locale says, becomes ".".
void weft__strings_point(char *text);
// SPDX-License-Identifier: Apache-2.0
