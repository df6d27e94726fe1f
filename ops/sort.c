// sort.c - see sort.h.
#include "sort.h"

uint64_t weft__key_f64(double v) {
  uint64_t bits;
  if (isnan(v))
    return UINT64_MAX;
  v += 0.0;  // -0 becomes 0
  memcpy(&bits, &v, sizeof bits);
  return bits >> 63 ? ~bits : bits | 1ull << 63;
}

enum { FEW = 32 };
static void sort_few(const uint64_t *key, size_t *order, size_t n) {
  for (size_t i = 1; i < n; i++) {
    size_t at = i;
    size_t one = order[i];
    for (; at && key[order[at - 1]] > key[one]; at--)
      order[at] = order[at - 1];
    order[at] = one;
  }
}

size_t *weft__sort_by_key(const uint64_t *key, size_t *order, size_t *spare, size_t n) {
  uint64_t differ = 0;
  if (n <= FEW) {
    sort_few(key, order, n);
    return order;
  }
  for (size_t i = 1; i < n; i++)
    differ |= key[order[i]] ^ key[order[0]];
  for (int shift = 0; shift < 64; shift += 8) {
    size_t end[256] = {0};
    size_t at = 0;
    if (!(differ >> shift & 0xff))
      continue;
    for (size_t i = 0; i < n; i++)
      end[key[order[i]] >> shift & 0xff]++;
    for (size_t i = 0; i < 256; i++) {
      at += end[i];
      end[i] = at - end[i];
    }
    for (size_t i = 0; i < n; i++)
      spare[end[key[order[i]] >> shift & 0xff]++] = order[i];
    size_t *swap = order;
    order = spare;
    spare = swap;
  }
  return order;
}
// SPDX-License-Identifier: Apache-2.0
