// text.c - bytes that grow.
#include "text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Room for n more bytes and a zero.
static bool text_grow(ascc_text *t, size_t n) {
  const size_t most = t->most ? t->most : SIZE_MAX / 4;
  if (t->failed || n > most || t->bytes > most - n) {
    t->failed = true;
    return false;
  }
  const size_t needed = t->bytes + n + 1;
  if (needed <= t->room)
    return true;
  const size_t room = needed + needed / 2 + 64;
  char *at = realloc(t->at, room);
  if (!at) {
    t->failed = true;
    return false;
  }
  t->at = at;
  t->room = room;
  return true;
}

void ascc_text_add(ascc_text *t, const char *bytes, size_t n) {
  if (!n || !text_grow(t, n))
    return;
  memcpy(t->at + t->bytes, bytes, n);
  t->bytes += n;
}

void ascc_text_say(ascc_text *t, const char *format, ...) {
  va_list list;
  va_start(list, format);
  const int n = vsnprintf(NULL, 0, format, list);
  va_end(list);
  if (n < 0 || !text_grow(t, (size_t)n))
    return;
  va_start(list, format);
  vsnprintf(t->at + t->bytes, (size_t)n + 1, format, list);
  va_end(list);
  t->bytes += (size_t)n;
}

const char *ascc_text_string(ascc_text *t) {
  if (!t->at || t->bytes >= t->room)
    return "";
  t->at[t->bytes] = 0;
  return t->at;
}

void ascc_text_free(ascc_text *t) {
  free(t->at);
  *t = (ascc_text){.most = t->most};
}
// SPDX-License-Identifier: Apache-2.0
