// weft/dtype.h - element types: AscendIR's numbers, names and sizes, and conversion of single elements.
// Pure functions; reentrant.
#pragma once
#include "weft/base.h"
#ifdef __cplusplus
extern "C" {
#endif

// AscendIR's values 0..42 are part of every file format and are never renumbered. weft's own types, where
// AscendIR has none, count down from 63, so that a set of dtypes is one uint64_t.
// X(name, number, bits per element (0: not a sized type), serial string, short text name)
#define WEFT_DTYPE_LIST(X)                                    \
  X(FLOAT, 0, 32, "DT_FLOAT", "f32")                          \
  X(FLOAT16, 1, 16, "DT_FLOAT16", "f16")                      \
  X(INT8, 2, 8, "DT_INT8", "i8")                              \
  X(INT32, 3, 32, "DT_INT32", "i32")                          \
  X(UINT8, 4, 8, "DT_UINT8", "u8")                            \
  X(INT16, 6, 16, "DT_INT16", "i16")                          \
  X(UINT16, 7, 16, "DT_UINT16", "u16")                        \
  X(UINT32, 8, 32, "DT_UINT32", "u32")                        \
  X(INT64, 9, 64, "DT_INT64", "i64")                          \
  X(UINT64, 10, 64, "DT_UINT64", "u64")                       \
  X(DOUBLE, 11, 64, "DT_DOUBLE", "f64")                       \
  X(BOOL, 12, 8, "DT_BOOL", "bool")                           \
  X(STRING, 13, 128, "DT_STRING", "str")                      \
  X(DUAL_SUB_INT8, 14, 8, "DT_DUAL_SUB_INT8", "dsi8")         \
  X(DUAL_SUB_UINT8, 15, 8, "DT_DUAL_SUB_UINT8", "dsu8")       \
  X(COMPLEX64, 16, 64, "DT_COMPLEX64", "c64")                 \
  X(COMPLEX128, 17, 128, "DT_COMPLEX128", "c128")             \
  X(QINT8, 18, 8, "DT_QINT8", "qi8")                          \
  X(QINT16, 19, 16, "DT_QINT16", "qi16")                      \
  X(QINT32, 20, 32, "DT_QINT32", "qi32")                      \
  X(QUINT8, 21, 8, "DT_QUINT8", "qu8")                        \
  X(QUINT16, 22, 16, "DT_QUINT16", "qu16")                    \
  X(RESOURCE, 23, 64, "DT_RESOURCE", "resource")              \
  X(STRING_REF, 24, 128, "DT_STRING_REF", "strref")           \
  X(DUAL, 25, 40, "DT_DUAL", "dual")                          \
  X(VARIANT, 26, 64, "DT_VARIANT", "variant")                 \
  X(BF16, 27, 16, "DT_BFLOAT16", "bf16")                      \
  X(UNDEFINED, 28, 0, "DT_UNDEFINED", "undefined")            \
  X(INT4, 29, 4, "DT_INT4", "i4")                             \
  X(UINT1, 30, 1, "DT_UINT1", "u1")                           \
  X(INT2, 31, 2, "DT_INT2", "i2")                             \
  X(UINT2, 32, 2, "DT_UINT2", "u2")                           \
  X(COMPLEX32, 33, 32, "DT_COMPLEX32", "c32")                 \
  X(HIFLOAT8, 34, 8, "DT_HIFLOAT8", "hif8")                   \
  X(FLOAT8_E5M2, 35, 8, "DT_FLOAT8_E5M2", "f8e5m2")           \
  X(FLOAT8_E4M3FN, 36, 8, "DT_FLOAT8_E4M3FN", "f8e4m3fn")     \
  X(FLOAT8_E8M0, 37, 8, "DT_FLOAT8_E8M0", "f8e8m0")           \
  X(FLOAT6_E3M2, 38, 6, "DT_FLOAT6_E3M2", "f6e3m2")           \
  X(FLOAT6_E2M3, 39, 6, "DT_FLOAT6_E2M3", "f6e2m3")           \
  X(FLOAT4_E2M1, 40, 4, "DT_FLOAT4_E2M1", "f4e2m1")           \
  X(FLOAT4_E1M2, 41, 4, "DT_FLOAT4_E1M2", "f4e1m2")           \
  X(HIFLOAT4, 42, 4, "DT_HIFLOAT4", "hif4")                   \
  X(FLOAT8_E5M2FNUZ, 61, 8, "DT_FLOAT8_E5M2FNUZ", "f8e5m2fnuz") \
  X(FLOAT8_E4M3FNUZ, 62, 8, "DT_FLOAT8_E4M3FNUZ", "f8e4m3fnuz") \
  X(UINT4, 63, 4, "DT_UINT4", "u4")

typedef uint8_t weft_dtype;
enum {
#define WEFT_X(name, number, bits, serial, text) WEFT_##name = number,
  WEFT_DTYPE_LIST(WEFT_X)
#undef WEFT_X
};

// A set of dtypes. WEFT_DT(FLOAT) | WEFT_DT(INT32)
typedef uint64_t weft_dtype_set;
#define WEFT_DT(name) (UINT64_C(1) << WEFT_##name)
#define WEFT_BIT(dtype) (UINT64_C(1) << (dtype))

// Sets by meaning. The first block has AscendIR's members (cann-facts 1.1); WEFT_FLOATS and below are weft's.
#define WEFT_SET_INTEGER                                                                                 \
  (WEFT_DT(INT8) | WEFT_DT(INT16) | WEFT_DT(INT32) | WEFT_DT(INT64) | WEFT_DT(UINT8) | WEFT_DT(UINT16) | \
   WEFT_DT(UINT32) | WEFT_DT(UINT64))
#define WEFT_SET_COMPLEX (WEFT_DT(COMPLEX128) | WEFT_DT(COMPLEX64) | WEFT_DT(COMPLEX32))
#define WEFT_SET_QUANTIFIED \
  (WEFT_DT(QINT16) | WEFT_DT(QINT32) | WEFT_DT(QINT8) | WEFT_DT(QUINT16) | WEFT_DT(QUINT8))
#define WEFT_SET_REAL (WEFT_DT(DOUBLE) | WEFT_DT(FLOAT) | WEFT_DT(FLOAT16) | WEFT_DT(BF16) | WEFT_SET_INTEGER)
#define WEFT_SET_ORDINARY (WEFT_DT(BOOL) | WEFT_SET_COMPLEX | WEFT_SET_REAL)
#define WEFT_SET_BASIC ((WEFT_SET_ORDINARY & ~WEFT_DT(BOOL)) | WEFT_SET_QUANTIFIED)
#define WEFT_SET_NUMBER (WEFT_SET_BASIC & ~(WEFT_DT(QINT16) | WEFT_DT(QUINT16)))
#define WEFT_SET_ALL (WEFT_SET_ORDINARY | WEFT_SET_QUANTIFIED | WEFT_DT(RESOURCE) | WEFT_DT(STRING))
#define WEFT_SET_INDEX (WEFT_DT(INT32) | WEFT_DT(INT64))
#define WEFT_SET_UNARY \
  (WEFT_SET_COMPLEX | WEFT_DT(DOUBLE) | WEFT_DT(FLOAT) | WEFT_DT(FLOAT16) | WEFT_DT(BF16))
#define WEFT_FLOATS (WEFT_DT(FLOAT) | WEFT_DT(FLOAT16) | WEFT_DT(BF16) | WEFT_DT(DOUBLE))
#define WEFT_FLOAT8S (WEFT_DT(FLOAT8_E5M2) | WEFT_DT(FLOAT8_E4M3FN) | WEFT_DT(FLOAT8_E5M2FNUZ) | \
                      WEFT_DT(FLOAT8_E4M3FNUZ) | WEFT_DT(FLOAT8_E8M0) | WEFT_DT(HIFLOAT8))
#define WEFT_SUBBYTES                                                                                        \
  (WEFT_DT(INT4) | WEFT_DT(UINT4) | WEFT_DT(INT2) | WEFT_DT(UINT2) | WEFT_DT(UINT1) | WEFT_DT(FLOAT4_E2M1) | \
   WEFT_DT(FLOAT4_E1M2) | WEFT_DT(HIFLOAT4) | WEFT_DT(FLOAT6_E3M2) | WEFT_DT(FLOAT6_E2M3))
#define WEFT_NUMBERS (WEFT_FLOATS | WEFT_SET_INTEGER)
#define WEFT_STORABLE \
  (WEFT_SET_ALL | WEFT_FLOAT8S | WEFT_SUBBYTES)  // whatever a tensor may hold, strings included
#define WEFT_ANY (~UINT64_C(0) & ~WEFT_DT(UNDEFINED))

WEFT_API bool weft_dtype_known(int64_t dtype);             // is the number one of the list?
WEFT_API const char *weft_dtype_serial(weft_dtype t);      // "DT_BFLOAT16"; unknown numbers give "UNDEFINED"
WEFT_API const char *weft_dtype_name(weft_dtype t);        // "bf16"; unknown numbers give "undefined"
// Reads "DT_FLOAT", "DT_FLOAT32", "DT_BF16", "float", "fp16", "f32", ...; unknown text gives WEFT_UNDEFINED.
WEFT_API weft_dtype weft_dtype_parse(const char *text, size_t bytes);
WEFT_API uint32_t weft_dtype_bits(weft_dtype t);           // bits per element; 0 when the type has no size
// AscendIR's GetSizeByDataType: bytes; 1000 + bits below a byte; -1 for strings, UNDEFINED and unknown
// numbers.
WEFT_API int32_t weft_dtype_size(int64_t dtype);
// AscendIR's GetSizeInBytes: bytes of `count` elements, packed over the whole tensor; strings count 16;
// -1 for a negative count, a type without a size, or overflow.
WEFT_API int64_t weft_dtype_bytes(int64_t count, int64_t dtype);
// The promoted type of two (cann-facts 1.1, made symmetric); WEFT_UNDEFINED when there is none.
WEFT_API weft_dtype weft_dtype_promote(weft_dtype a, weft_dtype b);
// real floating point of any width, float8 and float4 included
WEFT_API bool weft_dtype_is_float(weft_dtype t);
// signed or unsigned integer of any width; not bool, not quantised
WEFT_API bool weft_dtype_is_integer(weft_dtype t);
WEFT_API bool weft_dtype_is_signed(weft_dtype t);   // of integers: signed
WEFT_API bool weft_dtype_is_complex(weft_dtype t);  // of any width
// Writes "f32|f16|i32" (names of the set in numeric order) into buf, cut at cap; returns buf.
WEFT_API const char *weft_dtype_set_text(weft_dtype_set s, char *buf, size_t cap);

// Small floating-point types, right to the last bit: round to nearest, ties to even; NaN stays NaN,
// infinities stay or, where the type has none, saturate (`weft_float_encode` with saturate) or become NaN.
WEFT_API uint16_t weft_f16_from_f32(float v);
WEFT_API float weft_f16_to_f32(uint16_t bits);  // exact
WEFT_API uint16_t weft_f16_from_f64(double v);  // one rounding, not two
WEFT_API uint16_t weft_bf16_from_f32(float v);  // of float
WEFT_API float weft_bf16_to_f32(uint16_t bits);  // exact
WEFT_API uint16_t weft_bf16_from_f64(double v);  // one rounding
// Any float type of 4 to 16 bits, FLOAT and DOUBLE excepted. E8M0 rounds half up as OCP MX and ONNX do.
// HIFLOAT8 and HIFLOAT4 can be stored but have no conversion: WEFT_E_UNSUPPORTED by the callers.
WEFT_API uint32_t weft_float_encode(weft_dtype t, double v, bool saturate);
// the number that a code of t stands for, exactly
WEFT_API double weft_float_decode(weft_dtype t, uint32_t bits);

// One element of a packed buffer, by element index. Integers below a byte are packed low bits first.
// The caller keeps `index` inside the buffer. Types without the asked view give 0 / do nothing.
WEFT_API double weft_load_f64(weft_dtype t, const void *data, size_t index);    // any real type, bool
// floats truncate and saturate
WEFT_API int64_t weft_load_i64(weft_dtype t, const void *data, size_t index);
// as weft_load_i64, without sign
WEFT_API uint64_t weft_load_u64(weft_dtype t, const void *data, size_t index);
// Floats round once; integers truncate and saturate, NaN to 0.
WEFT_API void weft_store_f64(weft_dtype t, void *data, size_t index, double v);
// integers wrap; floats round
WEFT_API void weft_store_i64(weft_dtype t, void *data, size_t index, int64_t v);
WEFT_API void weft_store_u64(weft_dtype t, void *data, size_t index, uint64_t v);  // the same without sign
#ifdef __cplusplus
}
#endif
// SPDX-License-Identifier: Apache-2.0
