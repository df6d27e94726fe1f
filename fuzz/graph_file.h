// graph_file.h - puts lengths and checksums of a graph file right, so that what lies behind them is reached.
#pragma once
#include "fuzz.h"
#include "ir/file.h"

static inline uint64_t fuzz_get(const uint8_t *p, int bytes) {
  uint64_t v = 0;
  for (int i = 0; i < bytes; i++)
    v |= (uint64_t)p[i] << (8 * i);
  return v;
}
static inline void fuzz_put(uint8_t *p, int bytes, uint64_t v) {
  for (int i = 0; i < bytes; i++)
    p[i] = (uint8_t)(v >> (8 * i));
}

static inline void fuzz_graph_file(uint8_t *p, size_t bytes) {
  if (bytes < WEFT__FILE_HEAD_BYTES)
    return;
  memcpy(p, WEFT__FILE_MAGIC, 8);
  fuzz_put(p + 16, 8, bytes);
  for (size_t at = WEFT__FILE_HEAD_BYTES; bytes - at >= WEFT__FILE_SECTION_BYTES;) {
    uint64_t size = fuzz_get(p + at + 8, 8);
    if (size > bytes - at - WEFT__FILE_SECTION_BYTES)
      return;
    fuzz_put(p + at + 4, 4, weft__crc32(p + at + 8, (size_t)size + 8, weft__crc32(p + at, 4, 0)));
    at += WEFT__FILE_SECTION_BYTES + (size_t)size;
    while (at % WEFT__FILE_ALIGN != WEFT__FILE_HEAD_BYTES && at < bytes)
      p[at++] = 0;
  }
}
// SPDX-License-Identifier: Apache-2.0
