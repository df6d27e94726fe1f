// dims_value.h - elementwise arithmetic on small integer values during inference, some elements unknown or
// symbolic: what keeps chains such as Shape, Mul, Cast, Reshape exact when dims are dynamic. Layer: ops.
#pragma once
#include "op.h"

typedef enum weft__dims_op {
  WEFT__DIMS_ADD,
  WEFT__DIMS_SUB,
  WEFT__DIMS_MUL,
  WEFT__DIMS_DIV,  // truncates
  WEFT__DIMS_FLOORDIV,
  WEFT__DIMS_MAX,
  WEFT__DIMS_MIN,
} weft__dims_op;
// The types whose values are kept: INT32 and INT64.
bool weft__dims_is_index(weft_dtype t);
bool weft__dims_at_most_vector(const weft_shape *s);
// Is anything known of the value of input i, of an index type?
bool weft__dims_given(const weft_infer *it, uint32_t i);
// May `n` elements be the value of output 0, whose shape is known?
bool weft__dims_hold(const weft_infer *it, size_t n);
// infer_value of an operator with two INT32 or INT64 inputs, a scalar spreads over a vector. Anything else
// (other dtypes, nothing known, shapes that broadcast beyond that) leaves the value unknown. Fails only in an
// environment with strict_shapes: E_OVERFLOW where a sum, difference or product of literals wraps.
weft_status weft__dims_binary(weft_infer *it, weft__dims_op op);
// One pair of elements. UNKNOWN is WEFT_DIM_INVALID.
int64_t weft__dims_pair(weft__dims_op op, weft_symbols *p, weft_dtype t, int64_t a, int64_t b);
weft_status weft__dims_neg(weft_infer *it);
weft_status weft__dims_copy(weft_infer *it);  // Identity, Cast: literals wrap to a narrower integer
// SPDX-License-Identifier: Apache-2.0
