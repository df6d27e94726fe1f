// op.h - what built-in operators share: descriptor macros, inference helpers, and loops for reference
// kernels. An operator file includes this and nothing else of weft. Layer: ops (on op).
#pragma once
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "op/infer_node.h"
#include "weft/op.h"

// WEFT_OP(relu) = {WEFT_OP_HEAD, .name = "Relu", ...};   The build collects these into the table of built-in
// operators.
#define WEFT_OP(symbol) const weft_op weft__op_##symbol
#define PORTS WEFT_PORTS
#define ATTRS WEFT_ATTRS
#define TYPES WEFT_TYPES

// ---- errors ----
// unknown rank passes
weft_status weft__expect_rank(const weft_infer *it, uint32_t in, size_t min, size_t max);

// ---- inference (shapes may be of unknown rank; dims may be unknown or symbolic) ----
// Output `out` described as input `in`: shape, and dtype when the prototype has no rule for it.
weft_status weft__same(weft_infer *it, uint32_t out, uint32_t in);
weft_status weft__unknown_rank(weft_infer *it, uint32_t out);
weft_status weft__unknown_dims(weft_infer *it, uint32_t out, size_t rank);  // rank known, all dims -1
weft_status weft__scalar(weft_infer *it, uint32_t out);
// numpy's broadcasting of shapes; E_SHAPE names both dims. `out` may be one of the inputs.
weft_status weft__broadcast(weft_infer *it, const weft_shape *a, const weft_shape *b, weft_shape *out);
weft_status weft__infer_broadcast(weft_infer *it);  // output 0: all inputs broadcast together
weft_status weft__infer_same(weft_infer *it);       // every output described as input 0
// Two dims that must be equal: the known one, E_SHAPE with `what` when they differ.
weft_status weft__merge_dim(const weft_infer *it, weft_dim a, weft_dim b, const char *what, weft_dim *out);
// dim / by of an axis that is cut into `by` >= 1 equal parts. The operator refuses dims that `by` does not
// divide, so where that is not known the part is the quotient rounded down, a symbol that can be told from
// others.
weft_dim weft__dim_part(const weft_infer *it, weft_dim dim, int64_t by);
// An axis in [-rank, rank-1] made non-negative; E_RANGE "attribute 'axis': 3 is outside [-2, 1]".
weft_status weft__axis(weft_diag *d, const char *what, int64_t axis, size_t rank, size_t *out);
// Axes of a list, each as above, without repeats, as a bit mask.
weft_status weft__axes(weft_diag *d, const char *what, const int64_t *axes, size_t n, size_t rank,
                       uint32_t *out_mask);
// Integer value of input `in` (INT32 or INT64, rank <= 1), possibly partly unknown. *out_known false: nothing
// is known of the elements; then *out_n is the length, or -1. Elements go to `out`, at most `cap` (E_LIMIT).
weft_status weft__in_ints(const weft_infer *it, uint32_t in, int64_t *out, size_t cap, int64_t *out_n,
                          bool *out_known);
// Does the node have this input, by IR index? *out_instance is set when it does.
bool weft__has_in(const weft_op_desc *n, uint32_t port, uint32_t *out_instance);

// ---- reference kernels ----
// A strided walk over the elements of `shape` with up to 4 operands, each broadcast to it.
typedef struct weft_walk {
  size_t rank, n, i;  // n elements in all, i done
  size_t index[WEFT_MAX_RANK], dim[WEFT_MAX_RANK];
  size_t at[4];                        // element offsets of the operands
  size_t stride[4][WEFT_MAX_RANK];     // in elements; 0 where an operand is broadcast
} weft_walk;
void weft__walk_init(weft_walk *w, const weft_shape *shape);
// broadcast to the walk's shape, right-aligned
void weft__walk_operand(weft_walk *w, int k, const weft_shape *operand);
static inline bool weft__walk_next(weft_walk *w) {  // for (walk_init...; w.i < w.n; walk_next)
  w->i++;
  for (size_t k = w->rank; k-- > 0;) {
    w->at[0] += w->stride[0][k];
    w->at[1] += w->stride[1][k];
    w->at[2] += w->stride[2][k];
    w->at[3] += w->stride[3][k];
    if (++w->index[k] < w->dim[k])
      return true;
    w->at[0] -= w->stride[0][k] * w->dim[k];
    w->at[1] -= w->stride[1][k] * w->dim[k];
    w->at[2] -= w->stride[2][k] * w->dim[k];
    w->at[3] -= w->stride[3][k] * w->dim[k];
    w->index[k] = 0;
  }
  return false;
}
// Loops over elements, or lanes, look every 2^14 of them whether the call is to stop.
static inline weft_status weft__poll_at(const weft_call *c, size_t i) {
  return i & 0x3FFF ? WEFT_OK : weft__call_poll(c);
}
// The same for loops whose turns cost unequal work: `more` elements' worth, added up in *work.
static inline weft_status weft__poll_work(const weft_call *c, size_t *work, size_t more) {
  *work = more < SIZE_MAX - *work ? *work + more : SIZE_MAX;
  if (*work < 0x4000)
    return WEFT_OK;
  *work = 0;
  return weft__call_poll(c);
}
size_t weft__elems(const weft_shape *s);                          // of a known shape
size_t weft__prod(const weft_shape *s, size_t from, size_t to);   // product of dims [from, to)
size_t weft__elem_bytes(weft_dtype t);                            // 0 below a byte
// Copies one element; sub-byte types too. Within a string tensor use weft__gather_strings.
void weft__copy_elem(weft_dtype t, void *dst, size_t di, const void *src, size_t si);
// E_UNSUPPORTED "no reference kernel for dtype ..."
weft_status weft__no_kernel(const weft_call *c, weft_dtype t);
// Value of an INT32/INT64 tensor input as int64, into out[cap]; E_LIMIT.
weft_status weft__read_ints(const weft_call *c, uint32_t in, int64_t *out, size_t cap, size_t *out_n);
// Moves whole elements by index: out element i = in element map(i); used by all data movement operators so
// that strings and sub-byte types work everywhere. index -1 writes zero (or an empty string), or `fill` when
// given.
typedef int64_t (*weft_map_fn)(void *ctx, size_t out_index);
weft_status weft__move(const weft_call *c, const weft_tensor *in, weft_tensor *out, weft_map_fn map,
                       void *ctx, const weft_tensor *fill);

// ---- behaviours: whole families with one line an operator ----
// Unary elementwise: floats in double (rounded once), integers in their own width (wrapping), both NULL: not
// supported. c64: complex numbers as two doubles in place.
typedef struct weft_unary {
  double (*f)(double);
  int64_t (*i)(int64_t);
  uint64_t (*u)(uint64_t);
  void (*c)(double z[2]);
} weft_unary;
weft_status weft__unary(const weft_call *c, const weft_unary *k);
// Binary with broadcasting. E.g. integer division by zero must be handled by i/u: they may fail through *bad.
typedef struct weft_binary {
  double (*f)(double, double);
  int64_t (*i)(int64_t, int64_t, const char **bad);
  uint64_t (*u)(uint64_t, uint64_t, const char **bad);
  void (*c)(double a[2], const double b[2]);
} weft_binary;
// inputs 0 and 1, output 0; output dtype = input's
weft_status weft__binary(const weft_call *c, const weft_binary *k);
// Comparison with broadcasting: output BOOL. lt, eq: what is true when a<b, a==b, a>b; NaN compares unequal
// to all.
weft_status weft__compare_op(const weft_call *c, bool lt, bool eq, bool gt, bool unordered);
weft_status weft__logic(const weft_call *c, bool (*f)(bool, bool));

// Prototypes of the families, so that a file holds only its name, rule, kernel and examples. The dtype sets
// are AscendIR's united with ONNX's.
#define WEFT_UNARY_PROTO(op_name, set)                                                                \
  WEFT_OP_HEAD,                                                                                       \
      .name = op_name, .in = PORTS({"x", "T"}), .out = PORTS({"y", "T"}), .types = TYPES({"T", set}), \
      .traits = WEFT_SYMBOLIC | WEFT_MONOTONE | WEFT_ELEMENTWISE | WEFT_INPLACE, .infer = weft__infer_same
#define WEFT_BINARY_PROTO(op_name, set, more_traits)                                              \
  WEFT_OP_HEAD, .name = op_name, .in = PORTS({"x1", "T"}, {"x2", "T"}), .out = PORTS({"y", "T"}), \
                .types = TYPES({"T", set}),                                                       \
                .traits = WEFT_SYMBOLIC | WEFT_MONOTONE | WEFT_ELEMENTWISE | (more_traits),       \
                .infer = weft__infer_broadcast
#define WEFT_COMPARE_PROTO(op_name, set, more_traits)                                       \
  WEFT_OP_HEAD, .name = op_name, .in = PORTS({"x1", "T"}, {"x2", "T"}),                     \
                .out = PORTS({"y", NULL, WEFT_DT(BOOL)}), .types = TYPES({"T", set}),       \
                .traits = WEFT_SYMBOLIC | WEFT_MONOTONE | WEFT_ELEMENTWISE | (more_traits), \
                .infer = weft__infer_broadcast
// SPDX-License-Identifier: Apache-2.0
