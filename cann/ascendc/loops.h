// loops.h - an instruction's work on elements that lie one after another, as a table for each instruction
// set. dst may be one of the sources, element for element.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "weft_cann/asc_core.h"

// b: a vector, or in scalar loops one element. Loops of one source do not read it.
typedef void (*asc_loop)(void *dst, const void *a, const void *b, size_t n);
typedef struct asc_norm_by {
  float mean, factor;
  const float *gamma, *beta;
} asc_norm_by;
typedef struct asc_float_loops {
  asc_loop vector[WEFT_ASC_VECTOR_OP_COUNT];
  asc_loop scalar[WEFT_ASC_VECTOR_OP_COUNT];
  void (*of_half)(float *dst, const uint16_t *src, size_t n);
  void (*to_half)(uint16_t *dst, const float *src, size_t n);
  void (*of_bf16)(float *dst, const uint16_t *src, size_t n);
  void (*to_bf16)(uint16_t *dst, const float *src, size_t n);
  void (*move)(void *to, const void *from, size_t bytes);  // of bytes that do not overlap
  // the same past the caches, to a multiple of 64 bytes; others see it in its place after `arrive`
  void (*move_far)(void *to, const void *from, size_t bytes);
  void (*arrive)(void);
  void (*power_below)(const float *src, float most, float *dst, size_t n);  // e^(x - most)
  // (x - mean) * factor, times gamma, plus beta where they are not NULL; and the sum of (x - mean)^2, as
  // sum's
  void (*normalise)(const float *src, float *dst, size_t n, const asc_norm_by *by);
  float (*squares)(const float *src, float mean, size_t n);
  float (*sum)(const float *src, size_t n);  // lane by lane, then pairs: the same for each instruction set
  // the place of the first largest or smallest one, of NaN before all; n > 0
  size_t (*extreme)(const float *src, size_t n, bool larger);
} asc_float_loops;
extern const asc_float_loops asc_float_loops_plain, asc_float_loops_avx2, asc_float_loops_avx512;
const asc_float_loops *asc_floats(void);  // of this machine

// Of integers, and of doubles where a kernel computes in them; NULL: not for this dtype.
asc_loop asc_integer_loop(weft_asc_vector_op op, weft_asc_dtype dtype, bool scalar);

static inline size_t asc_dtype_bytes(weft_asc_dtype t) {
  static const uint8_t bytes[WEFT_ASC_DTYPES] = {4, 2, 2, 1, 1, 2, 2, 4, 4, 8, 8, 8};
  return bytes[t];
}
const char *asc_dtype_name(weft_asc_dtype t);
const char *asc_op_name(weft_asc_vector_op op);
// Of one element, by AscendC::RoundMode where it narrows.
void asc_convert(void *dst, weft_asc_dtype to, const void *src, weft_asc_dtype from, int round, size_t n);
double asc_element(const void *src, weft_asc_dtype t);  // exact but for 64-bit integers
// SPDX-License-Identifier: Apache-2.0
