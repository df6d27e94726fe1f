// arrays.h - tensors as arrays of one wide type for reference kernels that read elements many times, and
// elements that are compared or complex. Layer: ops.
#pragma once
#include "op.h"

static inline bool weft__is_unsigned(weft_dtype t) {
  return (weft_dtype_is_integer(t) && !weft_dtype_is_signed(t)) || t == WEFT_BOOL || t == WEFT_QUINT8 ||
         t == WEFT_QUINT16;
}
// Inputs `in` and `like` have one dtype: what the prototype does not say of them, the computing relies on.
weft_status weft__expect_dtype(const weft_infer *it, uint32_t in, uint32_t like);
// The first `n` input ports are lists that go together: all have as many instances, one or more.
weft_status weft__expect_together(const weft_infer *it, uint32_t n);
// n items of 8 bytes that live until the call ends; E_OVERFLOW, E_NOMEM, E_LIMIT.
weft_status weft__scratch(const weft_call *c, size_t n, void **out);
// All elements of a tensor of a real type as doubles, or as integers modulo 2^64 (signed ones sign-extended).
weft_status weft__load_f64s(const weft_call *c, const weft_tensor *t, double **out);
weft_status weft__load_u64s(const weft_call *c, const weft_tensor *t, uint64_t **out);
void weft__load_complex(weft_dtype t, const void *data, size_t i, double z[2]);
void weft__store_complex(weft_dtype t, void *data, size_t i, const double z[2]);
// Order of elements i and j of a real type: -1, 0, 1. NaN equals NaN and is the greatest (nan 1) or the least
// (nan -1).
int weft__order(weft_dtype t, const void *data, size_t i, size_t j, int nan);
// SPDX-License-Identifier: Apache-2.0
