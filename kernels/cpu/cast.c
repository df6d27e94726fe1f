// cast.c - Cast from and to integers that the tile machine has no lanes for: 8 and 16 bits, and unsigned
// ones. Where a lane of int32 holds what comes out, by way of those, a piece at a time in the first cache:
// sources of at most 16 bits are widened, wider integers cut (the result has no more than 32 bits: what was
// cut off is not missed), floats truncated toward zero and saturated, NaN to 0. Then lanes wrap into
// integers, or become floats, exactly. Unsigned integers of 32 and 64 bits that become more, and doubles,
// have a loop for each pair of dtypes. Cost: x is read and y written once.
#include "cpu/rows.h"
#include "cpu/vector_math.h"

enum { PIECE = 1024 };
typedef void (*load_fn)(const void *x, size_t n, int32_t *to);
typedef void (*store_fn)(const int32_t *from, size_t n, void *y);

typedef void (*whole_fn)(const void *x, size_t n, void *y);

typedef struct plan {
  const weft__vec *vec;
  whole_fn whole;  // from dtype to dtype; NULL: by way of lanes
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

// ---- pairs of dtypes ----
// A number of 64 bits as a double that rounds to a half as itself: bits that do not fit leave a last one set.
static inline double gathered(uint64_t v) {
  const uint64_t high = v >> 16 | ((v & 0xFFFF) != 0);
  return v >> 48 ? (double)high * 65536.0 : (double)v;
}
static inline double clamped(double v, double low, double high) {
  v = v == v ? v : 0;
  v = v < low ? low : v;
  return v > high ? high : v;
}
static inline uint64_t to_u64(double v) {
  return v >= 18446744073709551616.0 ? UINT64_MAX : (uint64_t)clamped(v, 0, 18446744073709549568.0);
}
// from, to, their types in C, and the result of v.
#define WHOLE(X)                                                                      \
  X(UINT32, INT64, uint32_t, int64_t, v)                                              \
  X(UINT32, UINT64, uint32_t, uint64_t, v)                                            \
  X(UINT32, FLOAT, uint32_t, float, v)                                                \
  X(UINT32, DOUBLE, uint32_t, double, v)                                              \
  X(UINT32, BOOL, uint32_t, uint8_t, v != 0)                                          \
  X(UINT32, FLOAT16, uint32_t, uint16_t, weft__to_half(weft__odd_float((double)v)))   \
  X(UINT32, BF16, uint32_t, uint16_t, weft__to_bf16(weft__odd_float((double)v)))      \
  X(UINT64, INT64, uint64_t, int64_t, v)                                              \
  X(UINT64, UINT64, uint64_t, uint64_t, v)                                            \
  X(UINT64, FLOAT, uint64_t, float, v)                                                \
  X(UINT64, DOUBLE, uint64_t, double, v)                                              \
  X(UINT64, BOOL, uint64_t, uint8_t, v != 0)                                          \
  X(UINT64, FLOAT16, uint64_t, uint16_t, weft__to_half(weft__odd_float(gathered(v)))) \
  X(UINT64, BF16, uint64_t, uint16_t, weft__to_bf16(weft__odd_float(gathered(v))))    \
  X(INT32, UINT64, int32_t, uint64_t, v)                                              \
  X(INT64, UINT64, int64_t, uint64_t, v)                                              \
  X(FLOAT, UINT32, float, uint32_t, (int64_t)clamped((double)v, 0, 4294967295.0))     \
  X(FLOAT, UINT64, float, uint64_t, to_u64((double)v))                                \
  X(DOUBLE, UINT32, double, uint32_t, (int64_t)clamped(v, 0, 4294967295.0))           \
  X(DOUBLE, UINT64, double, uint64_t, to_u64(v))                                      \
  X(DOUBLE, UINT8, double, uint8_t, (int32_t)clamped(v, 0, 255))                      \
  X(DOUBLE, INT8, double, int8_t, (int32_t)clamped(v, -128, 127))                     \
  X(DOUBLE, UINT16, double, uint16_t, (int32_t)clamped(v, 0, 65535))                  \
  X(DOUBLE, INT16, double, int16_t, (int32_t)clamped(v, -32768, 32767))
#define LOOP(from, to, X, Y, e)                                 \
  static void from##_##to(const void *x_, size_t n, void *y_) { \
    const X *x = x_;                                            \
    Y *y = y_;                                                  \
    WEFT_LOOP(size_t i = 0; i < n; i++) {                       \
      const X v = x[i];                                         \
      y[i] = (Y)(e);                                            \
    }                                                           \
  }
WHOLE(LOOP)

static whole_fn whole_of(weft_dtype from, weft_dtype to) {
#define PAIR(x, y, X, Y, e) {WEFT_##x, WEFT_##y, x##_##y},
  static const struct {
    weft_dtype from, to;
    whole_fn f;
  } pairs[] = {WHOLE(PAIR)};
  for (size_t i = 0; i < WEFT_COUNT(pairs); i++)
    if (pairs[i].from == from && pairs[i].to == to) return pairs[i].f;
  return NULL;
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
  p->whole = whole_of(from, to);
  if (!p->whole && !takes(from, to)) return "a pair of dtypes without a loop";
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
  if (p->whole && first < end) {
    p->whole((const char *)b->arg[0] + first * p->x_bytes, end - first,
             (char *)b->arg[1] + first * p->y_bytes);
    return WEFT_OK;
  }
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
