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

enum { PIECE = 1 << 20 };  // numbers, between two looks at the time limit

static weft_status sort_poll(const weft_call *c) {
  return c ? weft__call_poll(c) : WEFT_OK;
}

// Numbers into `to`, in the order of one byte of their keys.
static weft_status sort_byte(const weft_call *c, const uint64_t *key, const size_t *from, size_t *to,
                             size_t n, int shift) {
  size_t end[256] = {0};
  size_t at = 0;
  for (size_t i = 0; i < n; i++)
    end[key[from[i]] >> shift & 0xff]++;
  for (size_t i = 0; i < 256; i++) {
    at += end[i];
    end[i] = at - end[i];
  }
  for (size_t i = 0; i < n; i += PIECE) {
    WEFT_TRY(sort_poll(c));
    for (size_t j = i; j < WEFT_MIN(i + PIECE, n); j++)
      to[end[key[from[j]] >> shift & 0xff]++] = from[j];
  }
  return WEFT_OK;
}

weft_status weft__sort_by_key(const weft_call *c, const uint64_t *key, size_t *order, size_t *spare, size_t n,
                              size_t **out) {
  uint64_t differ = 0;
  *out = order;
  if (n <= FEW) {
    sort_few(key, order, n);
    return WEFT_OK;
  }
  for (size_t i = 1; i < n; i++)
    differ |= key[order[i]] ^ key[order[0]];
  for (int shift = 0; shift < 64; shift += 8) {
    if (!(differ >> shift & 0xff))
      continue;
    WEFT_TRY(sort_byte(c, key, order, spare, n, shift));
    size_t *swap = order;
    order = spare;
    spare = swap;
  }
  *out = order;
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
