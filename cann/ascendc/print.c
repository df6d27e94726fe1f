// print.c - printf of kernels: kept block by block, and written when the launch has ended.
#include <stdio.h>
#include <stdlib.h>

#include "run.h"

enum { PRINT_LIMIT = 1 << 20 };  // bytes of one core; the rest is left out, as a device's buffer does

static bool text_room(asc_text *t, size_t more) {
  if (t->used + more <= t->room)
    return true;
  const size_t room = (t->used + more) * 2;
  char *text = realloc(t->text, room);
  if (!text)
    return false;
  t->text = text;
  t->room = room;
  return true;
}

void weft_asc_print(const char *format, ...) {
  asc_block *b = asc_block_current();
  va_list args;
  va_start(args, format);
  if (!b) {
    vprintf(format, args);
    va_end(args);
    return;
  }
  asc_text *t = &b->run->prints[b->key];
  va_list again;
  va_copy(again, args);
  const int bytes = vsnprintf(NULL, 0, format, again);
  va_end(again);
  if (bytes > 0 && t->used + (size_t)bytes < PRINT_LIMIT && text_room(t, (size_t)bytes + 1)) {
    vsnprintf(t->text + t->used, (size_t)bytes + 1, format, args);
    t->used += (size_t)bytes;
  }
  va_end(args);
}
// SPDX-License-Identifier: Apache-2.0
