// sparse.h - what operators on sparse tensors share. A sparse tensor is three: indices [n, rank], values [n]
// and the shape [rank] of the dense tensor that it stands for. An index outside that shape is an error, ranks
// above WEFT_MAX_RANK are, too; elements may stand in any order. Layer: ops.
#pragma once
#include "arrays.h"
#include "lists.h"

enum { WEFT_SPARSE_NONE = UINT32_MAX };  // in the place of an input: there is none

typedef struct weft_sparse {
  size_t n, rank;
  const int64_t *index;     // n * rank
  int64_t *place;           // n: where each element lies in the dense tensor
  int64_t dim[WEFT_MAX_RANK];
  int64_t elems;            // of the dense tensor
} weft_sparse;

// ---- inference ----
// The three belong together; values or shape may be WEFT_SPARSE_NONE. *out_n, *out_rank: -1, not known.
weft_status weft__sparse_infer(const weft_infer *it, uint32_t indices, uint32_t values, uint32_t shape,
                               weft_dim *out_n, weft_dim *out_rank);
// Outputs of which nobody knows the number of elements: indices [-1, rank], values [-1] and the shape [rank].
weft_status weft__sparse_infer_found(weft_infer *it, uint32_t indices, uint32_t values, uint32_t shape,
                                     weft_dim rank);
// infer_range: what inference left open is at least 0, and has no bound.
weft_status weft__found_range(weft_infer *it);
// Afterwards: axis `axis` of output `out` is at most the sum of axis 0 of the inputs in the bit mask `of`.
void weft__found_at_most(weft_infer *it, uint32_t out, size_t axis, uint32_t of);

// ---- reading ----
weft_status weft__sparse_read(const weft_call *c, uint32_t indices, uint32_t shape, weft_sparse *out);
// The place of each element when only the axes of the mask count.
weft_status weft__sparse_places(const weft_call *c, const weft_sparse *s, uint32_t axes, int64_t **out);
// Numbers of elements in the order of n places; equal ones stay as they stand.
weft_status weft__sparse_order(const weft_call *c, const int64_t *place, size_t n, size_t **out);

// ---- giving ----
// Output i, of exactly these dims.
weft_status weft__found(const weft_call *c, uint32_t i, weft_dtype t, const int64_t *dims, size_t rank);
weft_status weft__found_ints(const weft_call *c, uint32_t i, weft_dtype t, const int64_t *v, size_t n);
// Indices [n, rank] of places in a tensor of these dims: outputs of INT64.
weft_status weft__found_indices(const weft_call *c, uint32_t i, const int64_t *place, size_t n,
                                const int64_t *dim, size_t rank);
// Output i: elements pick[0..n) of an input.
weft_status weft__found_values(const weft_call *c, uint32_t i, const weft_tensor *from, const size_t *pick,
                               size_t n);

// ---- numbers of any dtype ----
typedef struct weft_any {
  double z[2];     // floats and complex numbers
  uint64_t whole;  // integers, modulo 2^64, signed ones sign-extended
} weft_any;
weft_any weft__any_at(const weft_tensor *t, size_t i);
void weft__any_put(weft_tensor *t, size_t i, weft_any v);
weft_any weft__any_add(weft_dtype t, weft_any a, weft_any b);
weft_any weft__any_mul(weft_dtype t, weft_any a, weft_any b);
bool weft__any_less(weft_dtype t, weft_any a, weft_any b);  // false beside NaN
double weft__any_size(weft_dtype t, weft_any a);               // its absolute value
// SPDX-License-Identifier: Apache-2.0
