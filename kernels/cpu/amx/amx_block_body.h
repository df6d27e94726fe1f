// amx_block_body.h - the source of amx_block.h's tables. The including file includes amx_tiles.h or
// amx_tiles_emulated.h and says TABLE and NAME. Tiles 0 to 3 are sums (upper left, upper right, lower left,
// lower right), 4 and 5 rows of a, 6 and 7 columns of w.
#include "cpu/amx/amx_block.h"
#include "cpu/simd/vector_math.h"

enum { HALF = WEFT__AMX_PIECE / 2 };

// ---- float ----
#define LEFT(part)                                             \
  do {                                                         \
    tile_load(4, p + (part)*s->a_part, row);                   \
    if (high)                                                  \
      tile_load(5, p + (part)*s->a_part + 16 * s->a_row, row); \
  } while (0)
#define RIGHT(part)                                        \
  do {                                                     \
    tile_load(6, w + (part)*WEFT__AMX_PIECE, 64);          \
    if (wide)                                              \
      tile_load(7, w + (part)*WEFT__AMX_PIECE + HALF, 64); \
  } while (0)
#define DOT(dot)      \
  do {                \
    dot(0, 4, 6);     \
    if (wide)         \
      dot(1, 4, 7);   \
    if (high)         \
      dot(2, 5, 6);   \
    if (high && wide) \
      dot(3, 5, 7);   \
  } while (0)
#define FLOATS DOT(tile_dot_bf16)
#define ZERO          \
  do {                \
    tile_zero(0);     \
    if (wide)         \
      tile_zero(1);   \
    if (high)         \
      tile_zero(2);   \
    if (high && wide) \
      tile_zero(3);   \
  } while (0)
#define STORE(tile, cols)                                 \
  do {                                                    \
    tile_store(0, tile, (cols)*4);                        \
    if (wide)                                             \
      tile_store(1, (tile) + 16, (cols)*4);               \
    if (high)                                             \
      tile_store(2, (tile) + 16 * (cols), (cols)*4);      \
    if (high && wide)                                     \
      tile_store(3, (tile) + 16 * (cols) + 16, (cols)*4); \
  } while (0)

// The smallest products first, the step's largest ones last.
WEFT_INLINE void sum(size_t parts, bool high, bool wide, const weft__amx_sum *s) {
  TILES;
  const uint32_t *w = s->w;
  const uint32_t *at = s->at;
  const char *ahead = s->ahead;
  const size_t row = s->a_row * 4;
  tile_fence();
  ZERO;
  for (size_t n = s->n; n; n--, at++, w += parts * WEFT__AMX_PIECE) {
    const uint32_t *p = s->a + *at;
    for (size_t i = 0; i < s->lines; i++, ahead += 64)
      __builtin_prefetch(ahead, 0, 2);
    if (parts == 3) {
      LEFT(2);
      RIGHT(0);
      FLOATS;
      LEFT(1);
      FLOATS;
      RIGHT(1);
      FLOATS;
      LEFT(0);
      FLOATS;
      RIGHT(2);
      FLOATS;
    } else if (parts == 2) {
      LEFT(1);
      RIGHT(0);
      FLOATS;
      LEFT(0);
      RIGHT(1);
      FLOATS;
    } else {
      LEFT(0);
    }
    RIGHT(0);
    FLOATS;
  }
  STORE(s->tile, WEFT__AMX_COLS);
}

#define SUM(parts, high, wide)                                  \
  static void sum_##parts##high##wide(const weft__amx_sum *s) { \
    sum(parts, high, wide, s);                                  \
  }
#define SUMS(parts) SUM(parts, 0, 0) SUM(parts, 0, 1) SUM(parts, 1, 0) SUM(parts, 1, 1)
SUMS(1)
SUMS(2)
SUMS(3)

// ---- bytes ----
WEFT_INLINE void bytes(bool high, bool wide, const weft__amx_bytes *s) {
  TILES;
  const int32_t *a = s->a;
  const uint32_t *b = s->b;
  tile_fence();
  ZERO;
  for (size_t n = s->n; n; n--, a += WEFT__AMX_LANE, b += WEFT__AMX_LANE * s->b_row) {
    tile_load(4, a, s->a_row * 4);
    if (high)
      tile_load(5, a + 16 * s->a_row, s->a_row * 4);
    tile_load(6, b, s->b_row * 4);
    if (wide)
      tile_load(7, b + 16, s->b_row * 4);
    DOT(tile_dot_bytes);
  }
  STORE(s->tile, WEFT__AMX_COLS);
}
#define BYTES(high, wide)                                    \
  static void bytes_##high##wide(const weft__amx_bytes *s) { \
    bytes(high, wide, s);                                    \
  }
BYTES(0, 0)
BYTES(0, 1)
BYTES(1, 0)
BYTES(1, 1)

// ---- splitting ----
// Rounds to bf16, in the upper half, and takes that away from *x: part p of `parts`. What would round to zero
// becomes the least number instead, which tiles take as zero: an infinity times it stays infinite.
WEFT_INLINE uint32_t part_of(float *x, size_t p, size_t parts) {
  uint32_t u = weft__bits(*x);
  uint32_t r = u + 0x7FFF + (u >> 16 & 1);
  uint32_t exponent = 0x7F800000;
  uint32_t no_sign = 0x7FFFFFFF;
  bool odd = (u & exponent) == exponent;
  bool nan = (u & no_sign) > exponent;
  bool tiny = !p && (u & no_sign) - 1 < 0x8000;
  r = p + 1 < parts && (r & exponent) == exponent ? u : r;
  r = (nan ? u | 0x400000 : tiny ? u | 0x10000 : r) & 0xFFFF0000;
  *x = odd || tiny ? 0.0f : *x - weft__float(r);
  return r;
}

WEFT_INLINE void split_row(uint16_t *to, size_t part_step, const float *from, size_t n, size_t parts) {
  WEFT_LOOP(size_t i = 0; i < n; i++) {
    float x = from[i];
    for (size_t p = 0; p < parts; p++)
      to[p * part_step + i] = (uint16_t)(part_of(&x, p, parts) >> 16);
  }
}
WEFT_INLINE void split_rows(const weft__amx_split *s, size_t n, size_t parts) {
  const size_t part_step = s->part_step;
  const float *from = s->from;
  uint16_t *to = s->to;
  for (size_t rows = s->rows; rows; rows--, to += s->to_step, from += s->step)
    split_row(to, part_step, from, n, parts);
}
WEFT_INLINE void split_some(const weft__amx_split *s, size_t parts) {
  if (s->n == 16)
    split_rows(s, 16, parts);
  else if (s->n == 32)
    split_rows(s, 32, parts);
  else
    split_rows(s, s->n, parts);
}
static void split(const weft__amx_split *given, size_t parts) {
  const weft__amx_split s = *given;  // kept here: what is stored might be it
  if (parts == 3)
    split_some(&s, 3);
  else if (parts == 2)
    split_some(&s, 2);
  else
    split_some(&s, 1);
}

WEFT_INLINE void zip_row(uint32_t *to, size_t part_step, const float *low, const float *high, size_t n,
                         size_t parts) {
  WEFT_LOOP(size_t i = 0; i < n; i++) {
    float x = low[i];
    float y = high ? high[i] : 0.0f;
    for (size_t p = 0; p < parts; p++) {
      uint32_t u = part_of(&x, p, parts) >> 16;
      to[p * part_step + i] = u | part_of(&y, p, parts);
    }
  }
}
static void zip(uint32_t *to, size_t part_step, const float *low, const float *high, size_t n, size_t parts) {
  if (parts == 3)
    zip_row(to, part_step, low, high, n, 3);
  else if (parts == 2)
    zip_row(to, part_step, low, high, n, 2);
  else
    zip_row(to, part_step, low, high, n, 1);
}

#define TABLE_OF(parts)                   \
  {                                       \
    {sum_##parts##00, sum_##parts##01}, { \
      sum_##parts##10, sum_##parts##11    \
    }                                     \
  }
const weft__amx_ops TABLE = {.name = NAME,
                             .begin = tiles_begin,
                             .end = tiles_end,
                             .sum = {{{0}}, TABLE_OF(1), TABLE_OF(2), TABLE_OF(3)},
                             .bytes = {{bytes_00, bytes_01}, {bytes_10, bytes_11}},
                             .split = split,
                             .zip = zip};
// SPDX-License-Identifier: Apache-2.0
