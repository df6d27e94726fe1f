// match.h - small questions that passes ask of values and nodes. Pure: nothing is changed.
#pragma once
#include "pass/pass.h"

static inline weft_value *weft__arg(const weft_node *n, uint32_t i) {
  return i < n->desc.pub.n_in ? n->in[i].value : NULL;
}
// Instance of a declared port; NULL: the node does not have it.
static inline weft_value *weft__port_arg(const weft_node *n, uint32_t port) {
  int64_t i = weft_port_in(&n->desc.pub, port, 0);
  return i < 0 ? NULL : n->in[i].value;
}
static inline bool weft__is_tensor(const weft_value *v) {
  return v->fact.set && v->fact.kind == WEFT_KIND_TENSOR;
}
// Read by one node and no output: what makes it goes away when that node does not read it any more.
static inline bool weft__one_use(const weft_value *v) {
  return v->n_uses == 1 && !v->n_outputs;
}
static inline bool weft__is_real(weft_dtype t) {
  return (WEFT_NUMBERS & WEFT_BIT(t)) != 0;
}
// The node of a kind that makes v, or NULL.
static inline weft_node *weft__made_by(const weft_pass_run *r, const weft_value *v, int kind) {
  return weft__kind_by(r, v) == kind ? v->node : NULL;
}
// A known tensor value: a constant, or what inference found.
const weft_tensor *weft__known(const weft_value *v);
// The same without asking for its data, which may not be in memory.
bool weft__is_known(const weft_value *v);
// Are the contents that inference reads of the node's inputs known, in numbers or in symbols? Where they are
// not, the run checks them (a target of Reshape may not fit), and a rewrite that drops the node would drop
// the check.
bool weft__contents_known(const weft_node *n);
// All elements are one number (one element or more, a real dtype): *out is it. -0 and 0 are different
// numbers.
bool weft__number(const weft_value *v, double *out);
static inline bool weft__is_number(const weft_value *v, double want) {
  double x;
  return weft__number(v, &x) && x == want;
}
// The same of one element: no shape comes from it.
bool weft__one_number(const weft_value *v, double *out);
static inline bool weft__is_one_number(const weft_value *v, double want) {
  double x;
  return weft__one_number(v, &x) && x == want;
}
// A scalar about `want`: constants of formulas are written with few digits.
bool weft__about(weft_dtype t, double x, double want);
bool weft__near(const weft_value *v, double want);
// Known integers of rank 0 or 1, at most cap; how many, or -1.
int64_t weft__ints(const weft_value *v, int64_t *out, size_t cap);
// The shapes are equal whatever they turn out to be: ranks known, every dim the same number or the same
// symbol.
bool weft__same_shape(const weft_fact *a, const weft_fact *b);
// Broadcasting `other` with x gives x's shape, whatever that turns out to be.
bool weft__keeps_shape(const weft_fact *x, const weft_fact *other);
// Axes of a ReduceXxx (input 1) as a bit mask; rank and axes must be known and keep_dims true.
bool weft__reduce_axes(const weft_node *n, uint32_t *out_mask);
// Of a binary node: one input is about `want`, *out_x the other one. `either`: in any order, otherwise the
// second.
bool weft__with_number(const weft_node *n, double want, bool either, weft_value **out_x);
// The permutation of a transpose, non-negative; false: n is none or its order is not known.
bool weft__perm(const weft_pass_run *r, const weft_node *n, uint8_t perm[WEFT_MAX_RANK], size_t *out_rank);

// Factors of a product: a tree of Mul, Square, Pow by 2 or 3 and Div by numbers whose inner nodes are read
// once. Scalars are multiplied into `scale`.
typedef struct weft__factors {
  weft_value *v[8];
  size_t n;
  double scale;
} weft__factors;
bool weft__product(const weft_pass_run *r, weft_value *v, weft__factors *out);

// Kinds that passes ask for together.
enum {
  WEFT_KINDS_VIEW = 1,  // only gives its first input another shape: Reshape, Squeeze, Flatten and their like
  WEFT_KINDS_CONV = 2,  // Conv, Conv2D
  WEFT_KINDS_MATMUL = 4,      // MatMulV2, BatchMatMulV2
  WEFT_KINDS_GEMM = 8,        // GEMM
  WEFT_KINDS_DIV = 16,        // Div, RealDiv
  WEFT_KINDS_CLIP = 32,       // ClipByValue, ClipByValueV2
  WEFT_KINDS_TRANSPOSE = 64,  // Transpose, TransposeD
  WEFT_KINDS_NORM = 128,      // BatchNorm, BNInference
  WEFT_KINDS_EXPAND = 256,    // Expand, BroadcastTo
  WEFT_KINDS_SWAPS = 512,     // a op b is b op a: Add, Mul
  WEFT_KINDS_SUB = 1024,      // Sub
  WEFT_KINDS_RELU = 2048,     // Relu, Relu6
  WEFT_KINDS_PRODUCT = WEFT_KINDS_CONV | WEFT_KINDS_MATMUL | WEFT_KINDS_GEMM,
};
extern const uint16_t weft__kind_groups[WEFT_K_COUNT];
static inline bool weft__kind_in(int kind, unsigned groups) {
  return (weft__kind_groups[kind] & groups) != 0;
}
static inline bool weft__kind_is_view(int kind) {
  return weft__kind_in(kind, WEFT_KINDS_VIEW);
}
// SPDX-License-Identifier: Apache-2.0
