// Room elementwise: the tile machine, for chains of elementwise operators, and Cast.
// Uses: rows, simd.
// Kernels: those that its sources name; tools/gen_kernel_table.py makes the table of all rooms.
//
// tile.h - the elementwise tile machine: a region of elementwise operators, or one of them, as a list of
// instructions that run over a tile of the output at a time, each one loop that the compiler vectorises.
// Values between them live in slots of a few KiB on the stack, so that memory is read and written once.
//
// Kinds of numbers in slots: halves are floats there, rounded after each operator that needs it.
#pragma once
#include "base/base.h"
#include "weft/op.h"

enum {
  WEFT__TILE_F32,
  WEFT__TILE_F64,
  WEFT__TILE_BOOL,
  WEFT__TILE_I8,
  WEFT__TILE_U8,
  WEFT__TILE_I16,
  WEFT__TILE_U16,
  WEFT__TILE_I32,
  WEFT__TILE_U32,
  WEFT__TILE_I64,
  WEFT__TILE_U64,
  WEFT__TILE_KINDS
};

// What an instruction does. Names of TO_* are those of the kinds.
// clang-format off
#define WEFT_TILE_CODES(X) \
  X(NONE) X(COPY) X(TO_F32) X(TO_F64) X(TO_BOOL) X(TO_I8) X(TO_U8) X(TO_I16) X(TO_U16) X(TO_I32) X(TO_U32) \
  X(TO_I64) X(TO_U64) \
  X(LOAD_HALF) X(LOAD_BF16) X(STORE_HALF) X(STORE_BF16) X(ROUND_HALF) X(ROUND_BF16) \
  X(ADD) X(SUB) X(MUL) X(DIV) X(MAX) X(MIN) X(SQDIFF) X(POW) X(FMOD) X(PRELU) X(AXPY) \
  X(DIV_NO_NAN) \
  X(EQ) X(NE) X(LT) X(LE) X(GT) X(GE) X(AND) X(OR) \
  X(NEG) X(ABS) X(RELU) X(RELU6) X(SQUARE) X(SQRT) X(RSQRT) X(RECIP) X(FLOOR) X(CEIL) X(RINT) X(SIGN) \
  X(LEAKY) X(HARD_SIGMOID) X(HARD_SWISH) X(SOFTSIGN) X(ADDS) X(MULS) X(THRESHOLDED) X(SHRINK) X(NOT) \
  X(EXP) X(LOG) X(EXPM1) X(LOG1P) X(SIGMOID) X(TANH) X(ERF) X(GELU) X(GELU_TANH) X(SOFTPLUS) X(MISH) \
  X(ELU) X(SELU) X(SWISH) \
  X(SIN) X(COS) X(TAN) X(ASIN) X(ACOS) X(ATAN) X(SINH) X(COSH) X(ASINH) X(ACOSH) X(ATANH) \
  X(ISNAN) X(ISINF) X(ISINF_POSITIVE) X(ISINF_NEGATIVE) \
  X(FLOOR_DIV) X(FLOOR_MOD) X(ANY_ZERO) X(BIT_NOT) X(BIT_AND) X(BIT_OR) X(BIT_XOR) \
  X(SHIFT_LEFT) X(SHIFT_RIGHT) \
  X(SELECT) X(CLIP)
// clang-format on
enum {
#define WEFT_X(name) WEFT__T_##name,
  WEFT_TILE_CODES(WEFT_X)
#undef WEFT_X
      WEFT__T_COUNT
};

// Integers are divided as if 0 were 1: ANY_ZERO before, of the divisors, sets the byte that y is when there
// is one.

// One instruction: y = f(a, b, c), where y, a, b, c are indexes into a table of pointers: inputs, outputs,
// slots.
typedef struct weft__tile_ins weft__tile_ins;
typedef void (*weft__tile_fn)(const weft__tile_ins *t, size_t n, void *y, const void *a, const void *b,
                              const void *c);
struct weft__tile_ins {
  weft__tile_fn fn;
  double p[3];  // attributes
  uint16_t y, in[3];
  uint8_t scalar;  // bit i: operand i is one number
  uint8_t one;     // the result is, too
};

// By kind of the first operand that has numbers, and code; NULL: there is none.
typedef weft__tile_fn weft__tile_table[WEFT__TILE_KINDS][WEFT__T_COUNT];
extern const weft__tile_table weft__tile_ops_plain, weft__tile_ops_avx2, weft__tile_ops_avx512;
const weft__tile_table *weft__tile_find(const weft_host *host);  // of weft__cpu_isa
// SPDX-License-Identifier: Apache-2.0
