// linear.h - matrices of complex numbers in double, for operators of linear algebra: real ones have no
// imaginary part. Rows one after the other. Layer: ops.
#pragma once
#include <complex.h>

#include "op.h"
#undef I

typedef double complex weft_number;

// A use of an operator on stacks of matrices: input 0 is [..., rows, columns].
// Shapes up to the last `drop` axes of input `in`, as the begin of output `out`.
weft_status weft__linear_stack(weft_infer *it, uint32_t out, const weft_shape *in, size_t drop);
// The last two axes of an input are equal: *out_side.
weft_status weft__linear_square(const weft_infer *it, uint32_t in, weft_dim *out_side);
// What precedes the last two axes of two inputs is equal.
weft_status weft__linear_same_stack(const weft_infer *it, const weft_shape *a, const weft_shape *b);
void weft__linear_load(const weft_tensor *t, size_t from, size_t n, weft_number *out);
// real types: real parts
void weft__linear_store(weft_tensor *t, size_t from, size_t n, const weft_number *v);
weft_status weft__linear_space(const weft_call *c, size_t numbers, weft_number **out);
// y -= f x: the inner loop of elimination, along rows. A real factor, all that real types have, takes half
// the multiplications and needs no pairs.
static inline void weft__linear_subtract(weft_number *y, weft_number f, const weft_number *x, size_t n) {
  const double *from = (const double *)(const void *)x;
  double *to = (double *)(void *)y;
  const double re = creal(f);
  const double im = cimag(f);
  if (im == 0) {
    for (size_t i = 0; i < 2 * n; i++)
      to[i] -= re * from[i];
    return;
  }
  for (size_t i = 0; i < n; i++) {
    to[2 * i] -= re * from[2 * i] - im * from[2 * i + 1];
    to[2 * i + 1] -= re * from[2 * i + 1] + im * from[2 * i];
  }
}

// A real divisor, all that real types have, divides each part: infinities of one stay out of the other.
static inline weft_number weft__linear_divide(weft_number v, weft_number by) {
  const double re = creal(by);
  double z[2];
  if (cimag(by) != 0)
    return v / by;
  memcpy(z, &v, sizeof z);
  z[0] /= re;
  z[1] /= re;
  memcpy(&v, z, sizeof z);
  return v;
}

void weft__linear_exchange(weft_number *a, weft_number *b, size_t n);

// What follows looks whether the call is to stop.
// Step k of an elimination: what stands below the pivot a[k, k] becomes factors, and the rows right of them
// lose so many times the row of the pivot. work: as of weft__poll_work.
weft_status weft__linear_eliminate(const weft_call *c, weft_number *a, size_t rows, size_t columns, size_t k,
                                   size_t *work);
// a = P^T L U in place, by rows with the largest element first; order[i] is the row that came to place i.
// *out_sign: of the order. *out_regular false: a pivot is 0, from where on nothing is done; one that is NaN
// makes NaN of what follows.
weft_status weft__linear_lu(const weft_call *c, weft_number *a, size_t n, size_t *order, double *out_sign,
                            bool *out_regular);
// Solves a x = b for `columns` columns of b, in place; a and order from weft__linear_lu; space: n numbers.
weft_status weft__linear_lu_solve(const weft_call *c, const weft_number *a, const size_t *order, size_t n,
                                  weft_number *b, size_t columns, weft_number *space);
// The same of a triangular matrix; other elements of it are not looked at.
weft_status weft__linear_triangular_solve(const weft_call *c, const weft_number *a, size_t n, bool lower,
                                          weft_number *b, size_t columns);
void weft__linear_adjoint(weft_number *a, size_t n);  // in place: conjugated and transposed
// y = L, lower, with L L^H = a; *out_positive false: there is none. Only the lower half of a is looked at.
weft_status weft__linear_cholesky(const weft_call *c, const weft_number *a, size_t n, weft_number *y,
                                  bool *out_positive);
// SPDX-License-Identifier: Apache-2.0
