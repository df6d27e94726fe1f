// cast.c - Cast of unsigned integers of 32 and 64 bits to float16 and bfloat16, which the tile machine (all
// other casts of numbers) would round twice: to float, then to the half. Here the number goes to a float of
// the same half by rounding to odd. Cost: x is read and y written once.
#include "cpu/rows/rows.h"
#include "cpu/simd/vector_math.h"

typedef void (*whole_fn)(const void *x, size_t n, void *y);
typedef struct plan {
  whole_fn whole;
  uint32_t x_bytes, y_bytes;
  size_t n, per;
} plan;

// A number of 64 bits as a double that rounds to a half as itself: bits that do not fit leave a last one set.
static inline double gathered(uint64_t v) {
  const uint64_t high = v >> 16 | ((v & 0xFFFF) != 0);
  return v >> 48 ? (double)high * 65536.0 : (double)v;
}
// from, to, the type of the first in C, and the result of v.
#define WHOLE(X)                                                            \
  X(UINT32, FLOAT16, uint32_t, weft__to_half(weft__odd_float((double)v)))   \
  X(UINT32, BF16, uint32_t, weft__to_bf16(weft__odd_float((double)v)))      \
  X(UINT64, FLOAT16, uint64_t, weft__to_half(weft__odd_float(gathered(v)))) \
  X(UINT64, BF16, uint64_t, weft__to_bf16(weft__odd_float(gathered(v))))
#define LOOP(from, to, X, e)                                    \
  static void from##_##to(const void *x_, size_t n, void *y_) { \
    const X *x = x_;                                            \
    uint16_t *y = y_;                                           \
    WEFT_LOOP(size_t i = 0; i < n; i++) {                       \
      const X v = x[i];                                         \
      y[i] = (uint16_t)(e);                                     \
    }                                                           \
  }
WHOLE(LOOP)

static whole_fn whole_of(weft_dtype from, weft_dtype to) {
#define PAIR(x, y, X, e) {WEFT_##x, WEFT_##y, x##_##y},
  static const struct {
    weft_dtype from;
    weft_dtype to;
    whole_fn f;
  } pairs[] = {WHOLE(PAIR)};
  for (size_t i = 0; i < WEFT_COUNT(pairs); i++) {
    if (pairs[i].from == from && pairs[i].to == to)
      return pairs[i].f;
  }
  return NULL;
}

// ---- host side ----
static const char *cast_make(const weft_tiling *t, plan *p) {
  memset(p, 0, sizeof *p);
  if (t->n_in != 1 || t->n_out != 1)
    return "inputs or outputs are missing";
  if (!weft__rows_plain(t))
    return "needs known shapes in plain layouts";
  p->whole = whole_of(t->in_dtype[0], t->out_dtype[0]);
  if (!p->whole)
    return "needs uint32 or uint64 to float16 or bfloat16";
  p->x_bytes = weft_dtype_bits(t->in_dtype[0]) / 8;
  p->y_bytes = weft_dtype_bits(t->out_dtype[0]) / 8;
  p->n = weft__rows_prod(&t->in[0]->origin, 0, t->in[0]->origin.rank);
  return NULL;
}
static const char *refuse_cast(const weft_tiling *t) {
  plan p;
  return cast_make(t, &p);
}
static weft_status tile_cast(weft_tiling *t) {
  plan *p = t->data;
  const char *why = cast_make(t, p);
  if (why)
    return t->host->fail(t->d, WEFT_E_KERNEL, "%s", why);
  t->blocks = weft__rows_blocks((p->n + 63) / 64, 64 * 0.05 * (p->x_bytes + p->y_bytes), &p->per);
  p->per *= 64;
  t->data_bytes = sizeof *p;
  return WEFT_OK;
}

// ---- device side ----
static weft_status run_cast(const weft_block *b) {
  const plan *p = b->data;
  size_t first = b->block * p->per;
  size_t end = WEFT_MIN(first + p->per, p->n);
  if (first < end) {
    p->whole((const char *)b->arg[0] + first * p->x_bytes, end - first,
             (char *)b->arg[1] + first * p->y_bytes);
  }
  return WEFT_OK;
}

WEFT_ROWS_KERNEL(cast, "Cast", "cast", 256);
// SPDX-License-Identifier: Apache-2.0
