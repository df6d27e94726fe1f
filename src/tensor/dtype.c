// dtype.c - what is known of each dtype: serial string, short name, bits, families, promotion.
// Everything is a const table indexed by AscendIR's number; a number without an entry is an unknown dtype.
// Parsing is a scan of about 80 names; the rest is O(1).
#include "weft/dtype.h"

#include "base/base.h"

enum { DTYPE_NUMBERS = 64, STRING_BYTES = 16 };

typedef struct dtype_info {
  const char *serial, *name;
  uint8_t bits;
} dtype_info;

static const dtype_info INFO[DTYPE_NUMBERS] = {
#define WEFT_X(name, number, bits, serial, text) [number] = {serial, text, bits},
    WEFT_DTYPE_LIST(WEFT_X)
#undef WEFT_X
};

bool weft_dtype_known(int64_t dtype) {
  return dtype >= 0 && dtype < DTYPE_NUMBERS && INFO[dtype].serial;
}

const char *weft_dtype_serial(weft_dtype t) {
  return weft_dtype_known(t) ? INFO[t].serial : "UNDEFINED";
}

const char *weft_dtype_name(weft_dtype t) {
  return weft_dtype_known(t) ? INFO[t].name : "undefined";
}

uint32_t weft_dtype_bits(weft_dtype t) {
  return weft_dtype_known(t) ? INFO[t].bits : 0;
}

static bool is_string(int64_t dtype) {
  return dtype == WEFT_STRING || dtype == WEFT_STRING_REF;
}

int32_t weft_dtype_size(int64_t dtype) {
  if (!weft_dtype_known(dtype) || is_string(dtype) || INFO[dtype].bits == 0)
    return -1;
  int32_t bits = INFO[dtype].bits;
  return bits < 8 ? 1000 + bits : bits / 8;
}

int64_t weft_dtype_bytes(int64_t count, int64_t dtype) {
  if (count < 0 || !weft_dtype_known(dtype) || INFO[dtype].bits == 0)
    return -1;
  int64_t bits = is_string(dtype) ? STRING_BYTES * 8 : INFO[dtype].bits;
  if (bits >= 8)
    return count > INT64_MAX / (bits / 8) ? -1 : count * (bits / 8);
  if (count > INT64_MAX / bits)
    return -1;  // as AscendIR: the bits must fit, not only the bytes
  int64_t all = count * bits;
  return all / 8 + (all % 8 != 0);
}

// ---- names ----

// Spellings beyond serial strings, short names and serial strings in lower case without "DT_".
typedef struct alias {
  const char *text;
  weft_dtype dtype;
} alias;
static const alias ALIASES[] = {
    {"DT_FLOAT32", WEFT_FLOAT},
    {"DT_FLOAT64", WEFT_DOUBLE},
    {"DT_BF16", WEFT_BF16},
    {"float32", WEFT_FLOAT},
    {"fp32", WEFT_FLOAT},
    {"float64", WEFT_DOUBLE},
    {"fp64", WEFT_DOUBLE},
    {"fp16", WEFT_FLOAT16},
    {"half", WEFT_FLOAT16},
    {"float8e4m3fn", WEFT_FLOAT8_E4M3FN},
    {"float8e4m3fnuz", WEFT_FLOAT8_E4M3FNUZ},
    {"float8e5m2", WEFT_FLOAT8_E5M2},
    {"float8e5m2fnuz", WEFT_FLOAT8_E5M2FNUZ},
    {"float8e8m0", WEFT_FLOAT8_E8M0},
    {"float8_e8m0fnu", WEFT_FLOAT8_E8M0},
    {"float4e2m1", WEFT_FLOAT4_E2M1},
};

static bool dtype_same_text(const char *zero_terminated, const char *text, size_t bytes) {
  return strlen(zero_terminated) == bytes && memcmp(zero_terminated, text, bytes) == 0;
}

// "DT_BFLOAT16" against "bfloat16". ASCII only, whatever the locale.
static bool same_lower(const char *serial, const char *text, size_t bytes) {
  const char *s = serial + 3;
  if (strlen(s) != bytes)
    return false;
  for (size_t i = 0; i < bytes; i++) {
    char c = s[i] >= 'A' && s[i] <= 'Z' ? (char)(s[i] - 'A' + 'a') : s[i];
    if (c != text[i])
      return false;
  }
  return true;
}

weft_dtype weft_dtype_parse(const char *text, size_t bytes) {
  if (!text || bytes == 0)
    return WEFT_UNDEFINED;
  for (size_t i = 0; i < DTYPE_NUMBERS; i++) {
    const dtype_info *it = &INFO[i];
    if (!it->serial)
      continue;
    if (dtype_same_text(it->serial, text, bytes) || dtype_same_text(it->name, text, bytes) ||
        same_lower(it->serial, text, bytes)) {
      return (weft_dtype)i;
    }
  }
  for (size_t i = 0; i < WEFT_COUNT(ALIASES); i++) {
    if (dtype_same_text(ALIASES[i].text, text, bytes))
      return ALIASES[i].dtype;
  }
  return WEFT_UNDEFINED;
}

const char *weft_dtype_set_text(weft_dtype_set s, char *buf, size_t cap) {
  size_t at = 0;
  if (cap > 0)
    buf[0] = 0;
  for (size_t i = 0; i < DTYPE_NUMBERS; i++) {
    if (!(s >> i & 1) || !INFO[i].serial)
      continue;
    weft__append(buf, cap, &at, "%s%s", at > 0 ? "|" : "", INFO[i].name);
  }
  return buf;
}

// ---- promotion ----

// Short names, so that the table reads as a table. NO: the pair has no common type.
enum {
  BO = WEFT_BOOL,
  I1 = WEFT_INT8,
  U1 = WEFT_UINT8,
  I2 = WEFT_INT16,
  I4 = WEFT_INT32,
  I8 = WEFT_INT64,
  HF = WEFT_FLOAT16,
  BF = WEFT_BF16,
  FL = WEFT_FLOAT,
  DB = WEFT_DOUBLE,
  C4 = WEFT_COMPLEX32,
  C8 = WEFT_COMPLEX64,
  CD = WEFT_COMPLEX128,
  U2 = WEFT_UINT16,
  U4 = WEFT_UINT32,
  U8 = WEFT_UINT64,
  NO = WEFT_UNDEFINED,
  PROMOTED = 16
};

// Row and column of a dtype in PROMOTE, plus 1; 0 for dtypes that promote with nothing but themselves.
static const uint8_t PROMOTE_ROW[DTYPE_NUMBERS] = {
    [BO] = 1, [I1] = 2,  [U1] = 3,  [I2] = 4,  [I4] = 5,  [I8] = 6,  [HF] = 7,  [BF] = 8,
    [FL] = 9, [DB] = 10, [C4] = 11, [C8] = 12, [CD] = 13, [U2] = 14, [U4] = 15, [U8] = 16,
};

// cann-facts 1.1, its upper triangle mirrored: AscendIR forgets complex with a wide unsigned on the right.
// clang-format off
static const uint8_t PROMOTE[PROMOTED][PROMOTED] = {
    //       BO  I1  U1  I2  I4  I8  HF  BF  FL  DB  C4  C8  CD  U2  U4  U8
    /* BO */ {BO, I1, U1, I2, I4, I8, HF, BF, FL, DB, C4, C8, CD, NO, NO, NO},
    /* I1 */ {I1, I1, I2, I2, I4, I8, HF, BF, FL, DB, C4, C8, CD, NO, NO, NO},
    /* U1 */ {U1, I2, U1, I2, I4, I8, HF, BF, FL, DB, C4, C8, CD, NO, NO, NO},
    /* I2 */ {I2, I2, I2, I2, I4, I8, HF, BF, FL, DB, C4, C8, CD, NO, NO, NO},
    /* I4 */ {I4, I4, I4, I4, I4, I8, HF, BF, FL, DB, C4, C8, CD, NO, NO, NO},
    /* I8 */ {I8, I8, I8, I8, I8, I8, HF, BF, FL, DB, C4, C8, CD, NO, NO, NO},
    /* HF */ {HF, HF, HF, HF, HF, HF, HF, FL, FL, DB, C4, C8, CD, NO, NO, NO},
    /* BF */ {BF, BF, BF, BF, BF, BF, FL, BF, FL, DB, C8, C8, CD, NO, NO, NO},
    /* FL */ {FL, FL, FL, FL, FL, FL, FL, FL, FL, DB, C8, C8, CD, NO, NO, NO},
    /* DB */ {DB, DB, DB, DB, DB, DB, DB, DB, DB, DB, CD, CD, CD, NO, NO, NO},
    /* C4 */ {C4, C4, C4, C4, C4, C4, C4, C8, C8, CD, C4, C8, CD, NO, NO, NO},
    /* C8 */ {C8, C8, C8, C8, C8, C8, C8, C8, C8, CD, C8, C8, CD, C8, C8, CD},
    /* CD */ {CD, CD, CD, CD, CD, CD, CD, CD, CD, CD, CD, CD, CD, CD, CD, CD},
    /* U2 */ {NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, C8, CD, U2, NO, NO},
    /* U4 */ {NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, C8, CD, NO, U4, NO},
    /* U8 */ {NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, CD, CD, NO, NO, U8},
};
// clang-format on

weft_dtype weft_dtype_promote(weft_dtype a, weft_dtype b) {
  if (!weft_dtype_known(a) || !weft_dtype_known(b))
    return WEFT_UNDEFINED;
  if (a == b)
    return a;
  uint8_t row = PROMOTE_ROW[a];
  uint8_t column = PROMOTE_ROW[b];
  return row && column ? PROMOTE[row - 1][column - 1] : WEFT_UNDEFINED;
}

// ---- families ----

static bool in_set(weft_dtype t, weft_dtype_set s) {
  return t < DTYPE_NUMBERS && (s >> t & 1);
}

bool weft_dtype_is_float(weft_dtype t) {
  return in_set(t, WEFT_FLOATS | WEFT_FLOAT8S | WEFT_DT(FLOAT6_E3M2) | WEFT_DT(FLOAT6_E2M3) |
                       WEFT_DT(FLOAT4_E2M1) | WEFT_DT(FLOAT4_E1M2) | WEFT_DT(HIFLOAT4));
}

bool weft_dtype_is_integer(weft_dtype t) {
  return in_set(
      t, WEFT_SET_INTEGER | WEFT_DT(INT4) | WEFT_DT(UINT4) | WEFT_DT(INT2) | WEFT_DT(UINT2) | WEFT_DT(UINT1));
}

bool weft_dtype_is_signed(weft_dtype t) {
  return in_set(
      t, WEFT_DT(INT8) | WEFT_DT(INT16) | WEFT_DT(INT32) | WEFT_DT(INT64) | WEFT_DT(INT4) | WEFT_DT(INT2));
}

bool weft_dtype_is_complex(weft_dtype t) {
  return in_set(t, WEFT_SET_COMPLEX);
}
// SPDX-License-Identifier: Apache-2.0
