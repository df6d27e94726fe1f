// kernel_case.h - graphs run by the CPU's kernels, as they stand, beside the interpreter, for each
// instruction set; NaN, infinities and both zeros in every second run. Bit for bit where the kernel promises
// it.
#pragma once
#include "weft/weft.h"

typedef struct one_case {
  const char *text;  // of the graph
  double rtol;       // of an element, and of the largest one; 0: bit for bit
  bool reference;    // no kernel takes it
  bool finite;       // no NaN and no infinities among the inputs
} one_case;

weft_env *case_env(void);
// E_DTYPE: the operator does not have the dtype. Anything else that fails is reported.
weft_status case_hold(weft_env *e, const one_case *c, uint64_t seed);
void cases_hold(const one_case *cases, size_t n);
// Again in other dtypes, where inputs are f32: floats of 16 bits, and all others where numbers are only
// moved. Of the two at least `floats` and of each of the others `moved` cases ran.
void cases_hold_in_other_dtypes(const one_case *cases, size_t n, int floats, int moved);
#define GRAPH(...) "graph \"g\" { " __VA_ARGS__ " output y }"
// SPDX-License-Identifier: Apache-2.0
