// cast.c - Cast from and to integers that the tile machine has no lanes for: 8 and 16 bits, and unsigned
// ones. By way of lanes of int32, a piece at a time in the first cache: sources of at most 16 bits are
// widened, wider integers cut (the result has no more than 32 bits: what was cut off is not missed), floats
// truncated toward zero and saturated, NaN to 0. Then lanes wrap into integers, or become floats, exactly.
// Cost: x is read and y written once.
#include "cpu/rows.h"
#include "cpu/vector_math.h"

enum { PIECE = 1024 };
typedef void (*load_fn)(const void *x, size_t n, int32_t *to);
typedef void (*store_fn)(const int32_t *from, size_t n, void *y);

typedef struct plan {
  const weft__vec *vec;
  load_fn load;    // NULL: floats
  store_fn store;  // NULL: halves
  uint32_t x_bytes, y_bytes;
  uint8_t x_store, y_store;  // of floats
  float low, high;           // a float saturates there
  size_t n, per;
} plan;

// ---- into lanes ----
#define LOAD(name, type, expression)                                             \
  static void load_##name(const void *x, size_t n, int32_t *to) {                \
    const type *p = x;                                                           \
    WEFT_LOOP(size_t i = 0; i < n; i++) to[i] = (int32_t)(uint32_t)(expression); \
  }
LOAD(bool, uint8_t, p[i] != 0)
LOAD(u8, uint8_t, p[i])
LOAD(i8, int8_t, p[i])
LOAD(u16, uint16_t, p[i])
LOAD(i16, int16_t, p[i])
LOAD(32, uint32_t, p[i])
LOAD(64, uint64_t, p[i])

static load_fn load_of(weft_dtype t) {
  switch (t) {
    case WEFT_BOOL:
      return load_bool;
    case WEFT_UINT8:
      return load_u8;
    case WEFT_INT8:
      return load_i8;
    case WEFT_UINT16:
      return load_u16;
    case WEFT_INT16:
      return load_i16;
    case WEFT_INT32:
    case WEFT_UINT32:
      return load_32;
    case WEFT_INT64:
    case WEFT_UINT64:
      return load_64;
    default:
      return NULL;
  }
}

static void truncate_floats(const plan *p, const float *x, size_t n, int32_t *to) {
  const float low = p->low, high = p->high;
  WEFT_LOOP(size_t i = 0; i < n; i++) {
    float v = x[i] == x[i] ? x[i] : 0.0f;
    v = v < low ? low : v;
    to[i] = (int32_t)(v > high ? high : v);
  }
}

// ---- out of lanes ----
#define STORE(name, type, expression)                                \
  static void store_##name(const int32_t *from, size_t n, void *y) { \
    type *p = y;                                                     \
    WEFT_LOOP(size_t i = 0; i < n; i++) p[i] = (type)(expression);   \
  }
STORE(bool, uint8_t, from[i] != 0)
STORE(8, uint8_t, from[i])
STORE(16, uint16_t, from[i])
STORE(32, uint32_t, from[i])
STORE(64, int64_t, from[i])
STORE(float, float, from[i])

static store_fn store_of(weft_dtype t) {
  switch (t) {
    case WEFT_BOOL:
      return store_bool;
    case WEFT_UINT8:
    case WEFT_INT8:
      return store_8;
    case WEFT_UINT16:
    case WEFT_INT16:
      return store_16;
    case WEFT_INT32:
    case WEFT_UINT32:
      return store_32;
    case WEFT_INT64:
    case WEFT_UINT64:
      return store_64;
    default:
      return store_float;  // or on the way to halves
  }
}

// ---- host side ----
static const weft_dtype_set small = WEFT_DT(BOOL) | WEFT_DT(UINT8) | WEFT_DT(INT8) | WEFT_DT(UINT16) |
                                    WEFT_DT(INT16),
                            words = WEFT_DT(INT32) | WEFT_DT(UINT32), wide = WEFT_DT(INT64) | WEFT_DT(UINT64),
                            floats = WEFT_DT(FLOAT) | WEFT_DT(FLOAT16) | WEFT_DT(BF16);

static bool takes(weft_dtype from, weft_dtype to) {
  const weft_dtype_set narrow = small & ~WEFT_DT(BOOL), x = WEFT_BIT(from), y = WEFT_BIT(to);
  if (x & small) return y & (small | words | wide | floats);
  if (x & (words | wide)) return y & (narrow | words);
  return (x & floats) && (y & narrow);
}

static const char *make(const weft_tiling *t, plan *p) {
  memset(p, 0, sizeof *p);
  if (t->n_in != 1 || t->n_out != 1) return "inputs or outputs are missing";
  if (!weft__rows_plain(t)) return "needs known shapes in plain layouts";
  weft_dtype from = t->in_dtype[0], to = t->out_dtype[0];
  if (!takes(from, to))
    return "needs bool, integers of 8 or 16 bits, or integers that become smaller, or floats that become "
           "those";
  p->vec = weft__vec_find();
  p->x_bytes = weft_dtype_bits(from) / 8, p->y_bytes = weft_dtype_bits(to) / 8;
  p->load = load_of(from), p->store = store_of(to);
  p->x_store = weft__store_of(from), p->y_store = weft__store_of(to);
  bool is_signed = to == WEFT_INT8 || to == WEFT_INT16;
  float range = p->y_bytes == 1 ? 256 : 65536;
  p->low = is_signed ? -range / 2 : 0, p->high = (is_signed ? range / 2 : range) - 1;
  p->n = weft__rows_prod(&t->in[0]->origin, 0, t->in[0]->origin.rank);
  return NULL;
}
static const char *refuse_cast(const weft_tiling *t) {
  plan p;
  return make(t, &p);
}
static weft_status tile_cast(weft_tiling *t) {
  plan *p = t->data;
  const char *why = make(t, p);
  if (why) return t->host->fail(t->d, WEFT_E_KERNEL, "%s", why);
  t->blocks = weft__rows_blocks((p->n + 63) / 64, 64 * 0.05 * (p->x_bytes + p->y_bytes), &p->per);
  p->per *= 64;
  t->data_bytes = sizeof *p;
  return WEFT_OK;
}

// ---- device side ----
static weft_status run_cast(const weft_block *b) {
  const plan *p = b->data;
  int32_t lanes[PIECE];
  float numbers[PIECE];
  size_t first = b->block * p->per, end = WEFT_MIN(first + p->per, p->n);
  for (size_t i = first, n; i < end; i += n) {
    n = WEFT_MIN(PIECE, end - i);
    char *y = (char *)b->arg[1] + i * p->y_bytes;
    if (p->load)
      p->load((const char *)b->arg[0] + i * p->x_bytes, n, lanes);
    else
      truncate_floats(p, weft__rows_load(p->vec, p->x_store, b->arg[0], i, n, numbers), n, lanes);
    bool half = p->y_store == WEFT__STORE_HALF || p->y_store == WEFT__STORE_BF16;
    p->store(lanes, n, half ? (void *)numbers : y);
    if (half) weft__rows_store(p->vec, p->y_store, b->arg[1], i, n, numbers);
  }
  return WEFT_OK;
}

WEFT_ROWS_KERNEL(cast, "Cast", "cast", 256);
