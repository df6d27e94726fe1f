// avx512_cases.h - instructions as functions of memory (avx512_cases.c).
#pragma once
#include <stdint.h>

typedef enum avx512_kind { CASE_BITS, CASE_FLOATS, CASE_DOUBLES, CASE_BF16S, CASE_RECIPROCALS } avx512_kind;
typedef enum avx512_needs { CASE_F, CASE_VNNI, CASE_BF16 } avx512_needs;  // beside F, BW, DQ and VL
typedef struct avx512_case {
  const char *name;  // NULL: the end
  avx512_kind kind;  // of the result: of floats, any NaN stands for another
  avx512_needs needs;
  void (*run)(const void *in, void *out);  // three vectors; one
} avx512_case;
extern const avx512_case avx512_native[], avx512_emulated[];
// SPDX-License-Identifier: Apache-2.0
