// sized.c - structs that begin with their size: read and written as far as both sides know them, never
// further.
#include "base/base.h"

static uint32_t sized_bytes(const void *s) {
  uint32_t size;
  memcpy(&size, s, sizeof size);
  return size;
}

static void sized_set(void *s, size_t bytes) {
  uint32_t size = (uint32_t)bytes;
  if (bytes >= sizeof size)
    memcpy(s, &size, sizeof size);
}

void weft__sized_in(void *own, size_t known, const void *given, size_t first) {
  if (given) {
    size_t size = sized_bytes(given);
    if (!size)
      size = first;
    memcpy(own, given, WEFT_MIN(size, known));
  }
  sized_set(own, known);
}

void weft__sized_out(void *out, const void *own, size_t known, size_t first) {
  if (!out)
    return;
  size_t size = sized_bytes(out);
  weft__sized_fill(out, size ? size : first, own, known);
}

void weft__sized_fill(void *out, size_t bytes, const void *own, size_t known) {
  size_t n = WEFT_MIN(bytes, known);
  if (!out)
    return;
  memcpy(out, own, n);
  sized_set(out, n);
}
// SPDX-License-Identifier: Apache-2.0
