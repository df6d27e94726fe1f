// apart.c - see apart.h.
#include "base/apart.h"

#include <string.h>

enum { PATTERN = 0xA5, AROUND = 2 * WEFT_APART_MARGIN + WEFT_APART_ALIGN };

size_t weft__apart_room(size_t bytes) {
  if (bytes > SIZE_MAX - AROUND - WEFT_APART_ALIGN)
    return SIZE_MAX;
  return (bytes + AROUND + WEFT_APART_ALIGN - 1) / WEFT_APART_ALIGN * WEFT_APART_ALIGN;
}

void weft__apart_begin(weft_apart *p, uint32_t n, void *room) {
  char *next = room;
  for (uint32_t i = 0; i < n; i++) {
    if (!p[i].at)
      continue;
    char *copy = p[i].copy = next + WEFT_APART_MARGIN + (uintptr_t)p[i].at % WEFT_APART_ALIGN;
    memset(copy - WEFT_APART_MARGIN, PATTERN, WEFT_APART_MARGIN);
    memset(copy + p[i].bytes, PATTERN, WEFT_APART_MARGIN);
    if (p[i].moves & WEFT_APART_IN)
      memcpy(copy, p[i].at, p[i].bytes);
    next += weft__apart_room(p[i].bytes);
  }
}

void *weft__apart_of(const weft_apart *p, uint32_t n, const void *at) {
  for (uint32_t i = 0; i < n; i++) {
    size_t in = (uintptr_t)at - (uintptr_t)p[i].at;
    if (p[i].at && in < p[i].bytes)
      return p[i].copy + in;
  }
  return (void *)(uintptr_t)at;
}

void *weft__apart_true(const weft_apart *p, uint32_t n, const void *at) {
  for (uint32_t i = 0; i < n; i++) {
    size_t in = (uintptr_t)at - (uintptr_t)p[i].copy;
    if (p[i].at && in < p[i].bytes)
      return p[i].at + in;
  }
  return (void *)(uintptr_t)at;
}

// `step`: away from the part.
static bool changed(const char *margin, int step, weft_astray *out) {
  bool found = false;
  for (uint32_t k = 0; k < WEFT_APART_MARGIN; k++, margin += step) {
    if ((unsigned char)*margin == PATTERN)
      continue;
    if (!found)
      out->near = k;
    out->far = k;
    found = true;
  }
  return found;
}

bool weft__apart_end(const weft_apart *p, uint32_t n, weft_astray *out) {
  bool found = false;
  for (uint32_t i = 0; i < n; i++) {
    if (!p[i].at)
      continue;
    if (p[i].moves & WEFT_APART_BACK)
      memcpy(p[i].at, p[i].copy, p[i].bytes);
    if (found)
      continue;
    out->part = i;
    if ((found = changed(p[i].copy - 1, -1, out)))
      out->behind = false;
    else if ((found = changed(p[i].copy + p[i].bytes, 1, out)))
      out->behind = true;
  }
  return !found;
}

void weft__margin_begin(void *margin) {
  memset(margin, PATTERN, WEFT_APART_MARGIN);
}

uint32_t weft__margin_changed(const void *margin) {
  weft_astray a;
  return changed(margin, 1, &a) ? a.far + 1 : 0;
}
// SPDX-License-Identifier: Apache-2.0
