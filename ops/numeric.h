// numeric.h - what elementwise operators share beyond op.h: loops for functions with parameters, for operands
// of different dtypes and for boolean results, complex functions on pairs, and broadcasting in one direction.
// Layer: ops.
#pragma once
#include <complex.h>

#include "arrays.h"

// Unary, in double, with parameters (attributes) at `p`. The dtypes of input and output may differ; an
// integer output is truncated and saturated, NaN gives 0. Complex input, complex output. NULL: not supported.
typedef struct weft_unary_with {
  double (*f)(double x, const double *p);
  void (*c)(double z[2], const double *p);
  const double *p;
} weft_unary_with;
weft_status weft__unary_with(const weft_call *c, const weft_unary_with *k);
// A function without parameters the same way.
weft_status weft__unary_real(const weft_call *c, double (*f)(double), void (*z)(double[2]));
weft_status weft__test(const weft_call *c, bool (*f)(double x, const double *p),
                       const double *p);  // output BOOL
// Binary with broadcasting over inputs of different dtypes: both are taken as the output's kind of number.
weft_status weft__binary_mixed(const weft_call *c, const weft_binary *k);
// c->out[0] filled with one number; integers are truncated and saturated.
weft_status weft__fill(const weft_call *c, double v);

// One element of any numeric type as complex number; a real type loses the imaginary part.
void weft__load_number(weft_dtype t, const void *data, size_t i, double z[2]);
void weft__store_number(weft_dtype t, void *data, size_t i, const double z[2]);
static inline void weft__apply_complex(double z[2], double complex (*f)(double complex)) {
  double complex v;
  memcpy(&v, z, sizeof v);
  v = f(v);
  memcpy(z, &v, sizeof v);
}
static inline void weft__mul_complex(double a[2],
                                     const double b[2]) {  // the plain formula: no rescue of infinities
  double re = a[0] * b[0] - a[1] * b[1];
  a[1] = a[0] * b[1] + a[1] * b[0];
  a[0] = re;
}
void weft__div_complex(double a[2], const double b[2]);

// Input `in` must broadcast to the shape of input `to` without changing it; E_SHAPE.
weft_status weft__expect_broadcast_to(weft_infer *it, uint32_t in, uint32_t to);

// y = min(max(x, min), max) over inputs 0, 1 and 2 broadcast to output 0. NaN in any of them gives NaN; max
// wins over min.
weft_status weft__clip(const weft_call *c);
// SPDX-License-Identifier: Apache-2.0
