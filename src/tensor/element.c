// element.c - reads and writes one element of a packed buffer, by dtype and index.
// Data may lie at any address. Types below a byte are packed low bits first over the whole buffer, so a 6-bit
// element may straddle two bytes; no byte outside the element's own is touched. Quantised types are read as
// their integers. O(1); every conversion to an integer is clamped first, so no value is undefined behaviour.
#include "base/base.h"
#include "weft/dtype.h"

#define SIGNED_INTS                                                                                   \
  (WEFT_DT(INT8) | WEFT_DT(INT16) | WEFT_DT(INT32) | WEFT_DT(INT64) | WEFT_DT(INT4) | WEFT_DT(INT2) | \
   WEFT_DT(QINT8) | WEFT_DT(QINT16) | WEFT_DT(QINT32) | WEFT_DT(DUAL_SUB_INT8))
#define UNSIGNED_INTS                                                                                       \
  (WEFT_DT(UINT8) | WEFT_DT(UINT16) | WEFT_DT(UINT32) | WEFT_DT(UINT64) | WEFT_DT(UINT4) | WEFT_DT(UINT2) | \
   WEFT_DT(UINT1) | WEFT_DT(QUINT8) | WEFT_DT(QUINT16) | WEFT_DT(DUAL_SUB_UINT8) | WEFT_DT(BOOL))
#define SMALL_FLOATS                                                                   \
  ((WEFT_FLOAT8S & ~WEFT_DT(HIFLOAT8)) | WEFT_DT(FLOAT6_E3M2) | WEFT_DT(FLOAT6_E2M3) | \
   WEFT_DT(FLOAT4_E2M1) | WEFT_DT(FLOAT4_E1M2))

static bool in_set(weft_dtype t, weft_dtype_set s) {
  return t < 64 && (s >> t & 1);
}

// ---- raw bits ----

static inline uint8_t get8(const void *data, size_t i) {
  return ((const uint8_t *)data)[i];
}

static inline uint16_t get16(const void *data, size_t i) {
  uint16_t v;
  memcpy(&v, (const char *)data + i * sizeof v, sizeof v);
  return v;
}

static inline uint32_t get32(const void *data, size_t i) {
  uint32_t v;
  memcpy(&v, (const char *)data + i * sizeof v, sizeof v);
  return v;
}

static inline uint64_t get64(const void *data, size_t i) {
  uint64_t v;
  memcpy(&v, (const char *)data + i * sizeof v, sizeof v);
  return v;
}

static inline float get_f32(const void *data, size_t i) {
  float v;
  memcpy(&v, (const char *)data + i * sizeof v, sizeof v);
  return v;
}

static inline double get_f64(const void *data, size_t i) {
  double v;
  memcpy(&v, (const char *)data + i * sizeof v, sizeof v);
  return v;
}

static inline void put(void *data, size_t i, const void *v, size_t bytes) {
  memcpy((char *)data + i * bytes, v, bytes);
}

static inline void put8(void *data, size_t i, uint64_t v) {
  ((uint8_t *)data)[i] = (uint8_t)v;
}

static inline void put16(void *data, size_t i, uint64_t v) {
  uint16_t u = (uint16_t)v;
  put(data, i, &u, sizeof u);
}

static inline void put32(void *data, size_t i, uint64_t v) {
  uint32_t u = (uint32_t)v;
  put(data, i, &u, sizeof u);
}

// Element `i` of `bits` (1, 2, 4, 6) starts at bit i * bits; the product is taken per eight elements, so that
// it cannot overflow.
static uint32_t get_sub(const void *data, size_t i, uint32_t bits) {
  const uint8_t *p = (const uint8_t *)data + i / 8 * bits;
  uint32_t at = (uint32_t)(i % 8) * bits, shift = at % 8;
  p += at / 8;
  uint32_t v = p[0];
  if (shift + bits > 8) v |= (uint32_t)p[1] << 8;
  return v >> shift & ((1u << bits) - 1);
}

static void put_sub(void *data, size_t i, uint32_t bits, uint32_t v) {
  uint8_t *p = (uint8_t *)data + i / 8 * bits;
  uint32_t at = (uint32_t)(i % 8) * bits, shift = at % 8, mask = ((1u << bits) - 1) << shift;
  p += at / 8;
  v = v << shift & mask;
  p[0] = (uint8_t)((p[0] & ~mask) | v);
  if (shift + bits > 8) p[1] = (uint8_t)((p[1] & ~(mask >> 8)) | v >> 8);
}

static inline uint64_t extend(uint32_t v, uint32_t bits) {  // two's complement of `bits` to 64
  uint64_t sign = UINT64_C(1) << (bits - 1);
  return ((uint64_t)v ^ sign) - sign;
}

// ---- integers ----

// An integer extended to 64 bits by its own sign; bool is 0 or 1. The caller knows that `t` is one.
static inline uint64_t get_int(weft_dtype t, const void *data, size_t i) {
  switch (t) {
    case WEFT_INT8:
    case WEFT_QINT8:
    case WEFT_DUAL_SUB_INT8:
      return (uint64_t)(int64_t)(int8_t)get8(data, i);
    case WEFT_INT16:
    case WEFT_QINT16:
      return (uint64_t)(int64_t)(int16_t)get16(data, i);
    case WEFT_INT32:
    case WEFT_QINT32:
      return (uint64_t)(int64_t)(int32_t)get32(data, i);
    case WEFT_INT64:
    case WEFT_UINT64:
      return get64(data, i);
    case WEFT_UINT8:
    case WEFT_QUINT8:
    case WEFT_DUAL_SUB_UINT8:
      return get8(data, i);
    case WEFT_UINT16:
    case WEFT_QUINT16:
      return get16(data, i);
    case WEFT_UINT32:
      return get32(data, i);
    case WEFT_BOOL:
      return get8(data, i) != 0;
    case WEFT_INT4:
      return extend(get_sub(data, i, 4), 4);
    case WEFT_UINT4:
      return get_sub(data, i, 4);
    case WEFT_INT2:
      return extend(get_sub(data, i, 2), 2);
    case WEFT_UINT2:
      return get_sub(data, i, 2);
    case WEFT_UINT1:
      return get_sub(data, i, 1);
    default:
      return 0;
  }
}

static inline void put_int(weft_dtype t, void *data, size_t i, uint64_t v) {
  switch (t) {
    case WEFT_INT8:
    case WEFT_QINT8:
    case WEFT_DUAL_SUB_INT8:
    case WEFT_UINT8:
    case WEFT_QUINT8:
    case WEFT_DUAL_SUB_UINT8:
      put8(data, i, v);
      break;
    case WEFT_INT16:
    case WEFT_QINT16:
    case WEFT_UINT16:
    case WEFT_QUINT16:
      put16(data, i, v);
      break;
    case WEFT_INT32:
    case WEFT_QINT32:
    case WEFT_UINT32:
      put32(data, i, v);
      break;
    case WEFT_INT64:
    case WEFT_UINT64:
      put(data, i, &v, sizeof v);
      break;
    case WEFT_BOOL:
      put8(data, i, v != 0);
      break;
    case WEFT_INT4:
    case WEFT_UINT4:
      put_sub(data, i, 4, (uint32_t)v & 15);
      break;
    case WEFT_INT2:
    case WEFT_UINT2:
      put_sub(data, i, 2, (uint32_t)v & 3);
      break;
    case WEFT_UINT1:
      put_sub(data, i, 1, (uint32_t)v & 1);
      break;
    default:
      break;
  }
}

static int64_t clamp_i64(double v) {
  if (v != v) return 0;
  if (v >= 0x1p63) return INT64_MAX;
  if (v < -0x1p63) return INT64_MIN;
  return (int64_t)v;
}

static uint64_t clamp_u64(double v) {
  if (!(v > 0)) return 0;  // NaN as well
  return v >= 0x1p64 ? UINT64_MAX : (uint64_t)v;
}

// ---- floats ----

static double get_float(weft_dtype t, const void *data, size_t i) {
  switch (t) {
    case WEFT_FLOAT:
      return (double)get_f32(data, i);
    case WEFT_DOUBLE:
      return get_f64(data, i);
    case WEFT_FLOAT16:
      return (double)weft_f16_to_f32(get16(data, i));
    case WEFT_BF16:
      return (double)weft_bf16_to_f32(get16(data, i));
    default:
      break;
  }
  if (!in_set(t, SMALL_FLOATS)) return 0;
  uint32_t bits = weft_dtype_bits(t);
  return weft_float_decode(t, bits == 8 ? get8(data, i) : get_sub(data, i, bits));
}

// f16, bf16 and smaller. Overflow gives infinity or NaN; whoever wants saturation encodes for himself.
static void put_float(weft_dtype t, void *data, size_t i, double v) {
  if (t == WEFT_FLOAT16 || t == WEFT_BF16) {
    put16(data, i, t == WEFT_BF16 ? weft_bf16_from_f64(v) : weft_f16_from_f64(v));
  } else if (in_set(t, SMALL_FLOATS)) {
    uint32_t bits = weft_dtype_bits(t), code = weft_float_encode(t, v, false);
    if (bits == 8) {
      put8(data, i, code);
    } else {
      put_sub(data, i, bits, code);
    }
  }
}

// A double that rounds to any type of at most 51 bits of mantissa as `v` itself does: bits that do not fit
// are gathered in the last one ("round to odd").
static double odd_f64(uint64_t v) {
  uint32_t shift = 0;
  while (v >> shift >> 53) shift++;
  uint64_t kept = v >> shift, lost = v & ((UINT64_C(1) << shift) - 1);
  return (double)(kept | (lost != 0)) * (double)(UINT64_C(1) << shift);
}

// ---- the interface ----

double weft_load_f64(weft_dtype t, const void *data, size_t index) {
  if (in_set(t, SIGNED_INTS)) return (double)(int64_t)get_int(t, data, index);
  if (in_set(t, UNSIGNED_INTS)) return (double)get_int(t, data, index);
  return get_float(t, data, index);
}

int64_t weft_load_i64(weft_dtype t, const void *data, size_t index) {
  if (in_set(t, SIGNED_INTS | UNSIGNED_INTS)) return (int64_t)get_int(t, data, index);
  return clamp_i64(get_float(t, data, index));
}

uint64_t weft_load_u64(weft_dtype t, const void *data, size_t index) {
  if (in_set(t, SIGNED_INTS | UNSIGNED_INTS)) return get_int(t, data, index);
  return clamp_u64(get_float(t, data, index));
}

void weft_store_f64(weft_dtype t, void *data, size_t index, double v) {
  if (t == WEFT_FLOAT) {
    float f = (float)v;
    put(data, index, &f, sizeof f);
  } else if (t == WEFT_DOUBLE) {
    put(data, index, &v, sizeof v);
  } else if (t == WEFT_BOOL) {
    put8(data, index, v != 0);  // NaN is true, as in C
  } else if (in_set(t, SIGNED_INTS)) {
    uint32_t bits = weft_dtype_bits(t);
    int64_t max = INT64_MAX >> (64 - bits), whole = clamp_i64(v);
    put_int(t, data, index, (uint64_t)(whole > max ? max : whole < -max - 1 ? -max - 1 : whole));
  } else if (in_set(t, UNSIGNED_INTS)) {
    uint64_t max = UINT64_MAX >> (64 - weft_dtype_bits(t)), whole = clamp_u64(v);
    put_int(t, data, index, WEFT_MIN(whole, max));
  } else {
    put_float(t, data, index, v);
  }
}

void weft_store_i64(weft_dtype t, void *data, size_t index, int64_t v) {
  if (t == WEFT_FLOAT) {
    float f = (float)v;
    put(data, index, &f, sizeof f);
  } else if (t == WEFT_DOUBLE) {
    double f = (double)v;
    put(data, index, &f, sizeof f);
  } else if (in_set(t, SIGNED_INTS | UNSIGNED_INTS)) {
    put_int(t, data, index, (uint64_t)v);
  } else {
    double f = v < 0 ? -odd_f64(0 - (uint64_t)v) : odd_f64((uint64_t)v);
    put_float(t, data, index, f);
  }
}

void weft_store_u64(weft_dtype t, void *data, size_t index, uint64_t v) {
  if (t == WEFT_FLOAT) {
    float f = (float)v;
    put(data, index, &f, sizeof f);
  } else if (t == WEFT_DOUBLE) {
    double f = (double)v;
    put(data, index, &f, sizeof f);
  } else if (in_set(t, SIGNED_INTS | UNSIGNED_INTS)) {
    put_int(t, data, index, v);
  } else {
    put_float(t, data, index, odd_f64(v));
  }
}
