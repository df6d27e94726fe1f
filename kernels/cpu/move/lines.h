// lines.h - elements of 1, 2, 4 or 8 bytes copied from one strided line to another.
#pragma once
#include "cpu/simd/vector_math.h"

// One loop for each way to go, so that compilers make vectors of them: backwards, one element everywhere,
// every other one; of other steps one after the other.
#define WEFT__LINE(T)                                                                    \
  do {                                                                                   \
    const T *x = from;                                                                   \
    T *y = to;                                                                           \
    if (to_step == 1 && from_step == SIZE_MAX) {                                         \
      WEFT_LOOP(size_t i = 0; i < n; i++)                                                \
        y[i] = *(x - i);                                                                 \
    } else if (to_step == 1 && !from_step) {                                             \
      const T v = *x;                                                                    \
      WEFT_LOOP(size_t i = 0; i < n; i++)                                                \
        y[i] = v;                                                                        \
    } else if (to_step == 1 && from_step == 2) {                                         \
      WEFT_LOOP(size_t i = 0; i < n; i++)                                                \
        y[i] = x[2 * i];                                                                 \
    } else {                                                                             \
      for (size_t i = 0; i < n; i++, x = (const T *)((uintptr_t)x + skip), y += to_step) \
        *y = *x;                                                                         \
    }                                                                                    \
  } while (0)

// n elements; steps count elements, those of the input modulo 2^64: backwards works out. They do not overlap.
static inline void weft__line(size_t bytes, void *to, const void *from, size_t n, size_t to_step,
                              size_t from_step) {
  const size_t skip = from_step * bytes;
  if (!n)
    return;
  if (to_step == 1 && from_step == 1)
    memcpy(to, from, n * bytes);
  else if (bytes == 1)
    WEFT__LINE(uint8_t);
  else if (bytes == 2)
    WEFT__LINE(uint16_t);
  else if (bytes == 4)
    WEFT__LINE(uint32_t);
  else
    WEFT__LINE(uint64_t);
}
// The same of units of several elements that lie side by side; step: 1, 0 or -1 units of the input.
static inline void weft__units(size_t bytes, size_t unit, char *to, const char *from, size_t n, int step) {
  const size_t each = unit * bytes;
  if (unit == 1)
    weft__line(bytes, to, from, n, 1, (size_t)step);
  else if (step == 1)
    memcpy(to, from, n * each);
  else {
    for (size_t i = 0; i < n; i++, to += each, from = (const char *)((uintptr_t)from + each * (size_t)step))
      memcpy(to, from, each);
  }
}
// SPDX-License-Identifier: Apache-2.0
