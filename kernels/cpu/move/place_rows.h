// place_rows.h - the places that rows of indices name, for the instruction set that this is compiled for.
#include "cpu/move/move_ops.h"

// The loop for indices that lie `every` apart. What an index outside gives is never used: the row fails.
#define PLACES(every, before, step)                                         \
  WEFT_LOOP(size_t i = 0; i < n; i++) {                                     \
    const int64_t given = x[i * (every)], v = given + (given < 0 ? up : 0); \
    bad |= (uint64_t)v >= (uint64_t)dim;                                    \
    out[i] = (before) + (size_t)v * (step);                                 \
  }
#define PLACES_OF(T, name)                                                                            \
  static bool name(const weft__place_row *r, const void *indices, size_t n, bool more, size_t *out) { \
    const T *x = indices;                                                                             \
    const int64_t dim = r->dim, up = r->negative ? dim : 0;                                           \
    const size_t step = r->step, base = r->base, stride = r->stride;                                  \
    uint64_t bad = 0;                                                                                 \
    if (more && r->every == 2) {                                                                      \
      PLACES(2, out[i], step)                                                                         \
    } else if (more) {                                                                                \
      PLACES(r->every, out[i], step)                                                                  \
    } else if (r->every == 1 && step == 1) {                                                          \
      PLACES(1, base + i * stride, 1)                                                                 \
    } else if (r->every == 1) {                                                                       \
      PLACES(1, base + i * stride, step)                                                              \
    } else if (r->every == 2) {                                                                       \
      PLACES(2, base, step)                                                                           \
    } else {                                                                                          \
      PLACES(r->every, base, step)                                                                    \
    }                                                                                                 \
    return !bad;                                                                                      \
  }
PLACES_OF(int32_t, places_32)
PLACES_OF(int64_t, places_64)
// SPDX-License-Identifier: Apache-2.0
