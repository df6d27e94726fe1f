// weft/op_inline.h - what operators and packages read a node with, and describe outputs with: inline, so
// that a package links nothing. Part of weft/op.h, which includes it.
#pragma once
#include "weft/op.h"
#ifdef __cplusplus
extern "C" {
#endif

// ---- reading a node: indexes outside give NULL, UNDEFINED or -1, never garbage ----
// Instance number of the rel-th instance of a declared input; -1 when there is none.
static inline int64_t weft_port_in(const weft_op_desc *n, uint32_t port, uint32_t rel) {
  if (port >= n->n_in_ports || rel >= n->in_port[port].count) return -1;
  return (int64_t)n->in_port[port].start + rel;
}
// the same of an output
static inline int64_t weft_port_out(const weft_op_desc *n, uint32_t port, uint32_t rel) {
  if (port >= n->n_out_ports || rel >= n->out_port[port].count) return -1;
  return (int64_t)n->out_port[port].start + rel;
}
// How many instances a declared input has; 0 outside.
static inline uint32_t weft_port_in_count(const weft_op_desc *n, uint32_t port) {
  return port < n->n_in_ports ? n->in_port[port].count : 0;
}
// IR index of a port or slot of an attribute by name; -1 when there is none. For tests and set-up, not for
// every run.
static inline int weft_op_find_port(const weft_op *op, const weft_port *list, const char *name) {
  const char *p = (const char *)list;
  for (int i = 0; p && ((const weft_port *)p)->name; i++, p += op->port_bytes) {
    const char *a = ((const weft_port *)p)->name, *b = name;
    while (*a && *a == *b) a++, b++;
    if (*a == *b) return i;
  }
  return -1;
}
static inline int weft_op_find_attr(const weft_op *op, const char *name) {  // the same for attributes
  const char *p = (const char *)op->attrs;
  for (int i = 0; p && ((const weft_attr_decl *)p)->name; i++, p += op->attr_bytes) {
    const char *a = ((const weft_attr_decl *)p)->name, *b = name;
    while (*a && *a == *b) a++, b++;
    if (*a == *b) return i;
  }
  return -1;
}
// Attributes by slot. NULL / the fallback value when the slot is outside or holds another type; the
// types of a built node are those of the prototype.
static inline const weft_attr *weft_attr_at(const weft_op_desc *n, uint32_t slot, weft_attr_type type) {
  return slot < n->n_attr && n->attr[slot] && n->attr[slot]->type == type ? n->attr[slot] : NULL;
}
static inline const int64_t *weft_node_int_at(const weft_op_desc *n, uint32_t slot) {  // NULL: no INT
  const weft_attr *a = weft_attr_at(n, slot, WEFT_VT_INT);
  return a ? &a->u.i : NULL;
}
static inline int64_t weft_node_int(const weft_op_desc *n, uint32_t slot) {  // 0: no INT
  const weft_attr *a = weft_attr_at(n, slot, WEFT_VT_INT);
  return a ? a->u.i : 0;
}
static inline float weft_node_float(const weft_op_desc *n, uint32_t slot) {  // 0: no FLOAT
  const weft_attr *a = weft_attr_at(n, slot, WEFT_VT_FLOAT);
  return a ? a->u.f : 0.0f;
}
static inline bool weft_node_bool(const weft_op_desc *n, uint32_t slot) {  // false: no BOOL
  const weft_attr *a = weft_attr_at(n, slot, WEFT_VT_BOOL);
  return a ? a->u.b : false;
}
static inline weft_dtype weft_node_dtype(const weft_op_desc *n, uint32_t slot) {  // UNDEFINED: no TYPE
  const weft_attr *a = weft_attr_at(n, slot, WEFT_VT_TYPE);
  return a ? (weft_dtype)a->u.i : (weft_dtype)WEFT_UNDEFINED;
}
// zero-terminated; NULL: other type
static inline const char *weft_node_str(const weft_op_desc *n, uint32_t slot) {
  const weft_attr *a = weft_attr_at(n, slot, WEFT_VT_STRING);
  return a ? a->u.s : NULL;
}
static inline weft_ints weft_node_ints(const weft_op_desc *n, uint32_t slot) {  // NULL and 0: no LIST_INT
  const weft_attr *a = weft_attr_at(n, slot, WEFT_VT_LIST_INT);
  weft_ints r = {a ? a->u.ints : NULL, a ? a->n : 0};
  return r;
}

// Is not even the rank known?
static inline bool weft_unknown_rank(const weft_shape *s) {
  return s->rank == 1 && s->dim[0] == WEFT_DIM_UNKNOWN_RANK;
}

// ---- inference helpers for packages; built-in operators have more in ops/op.h ----
// Shapes by instance; NULL outside.
static inline const weft_shape *weft_in_shape(const weft_infer *it, uint32_t i) {
  return i < it->n_in ? it->in[i] : NULL;
}
// The same of an output, to be written.
static inline weft_shape *weft_out_shape(const weft_infer *it, uint32_t i) {
  return i < it->n_out ? it->out[i] : NULL;
}
// NULL: none
static inline const weft_shape *weft_port_shape(const weft_infer *it, uint32_t port, uint32_t rel) {
  int64_t i = weft_port_in(it->desc, port, rel);
  return i < 0 ? NULL : it->in[i];
}
static inline weft_dtype weft_in_dtype(const weft_infer *it, uint32_t i) {  // UNDEFINED outside
  return i < it->n_in ? it->in_dtype[i] : (weft_dtype)WEFT_UNDEFINED;
}
// UNDEFINED: none
static inline weft_dtype weft_port_dtype(const weft_infer *it, uint32_t port, uint32_t rel) {
  int64_t i = weft_port_in(it->desc, port, rel);
  return i < 0 ? (weft_dtype)WEFT_UNDEFINED : it->in_dtype[i];
}
static inline weft_status weft_set_out_dtype(const weft_infer *it, uint32_t i, weft_dtype t) {  // E_RANGE
  if (i >= it->n_out)
    return it->host->fail(it->d, WEFT_E_RANGE, "output %u does not exist: the node has %u", i, it->n_out);
  it->out_dtype[i] = t;
  return WEFT_OK;
}
// Input i as a tensor; its data are NULL where they are not known. NULL outside.
static inline const weft_tensor *weft_in_value(const weft_infer *it, uint32_t i) {
  return i < it->n_in ? it->value[i] : NULL;
}
// Output i has these dims: E_RANGE, E_LIMIT.
static inline weft_status weft_set_out_shape(const weft_infer *it, uint32_t i, const weft_dim *dims,
                                             size_t rank) {
  if (i >= it->n_out)
    return it->host->fail(it->d, WEFT_E_RANGE, "output %u does not exist: the node has %u", i, it->n_out);
  if (rank > WEFT_MAX_RANK) {
    return it->host->fail(it->d, WEFT_E_LIMIT, "output %u: rank %zu is over the limit of %d", i, rank,
                          WEFT_MAX_RANK);
  }
  it->out[i]->rank = rank;
  for (size_t k = 0; k < rank; k++) it->out[i]->dim[k] = dims[k];
  return WEFT_OK;
}
// nothing is known of it
static inline weft_status weft_set_out_unknown_rank(const weft_infer *it, uint32_t i) {
  const weft_dim none = WEFT_DIM_UNKNOWN_RANK;
  return weft_set_out_shape(it, i, &none, 1);
}

// Dims are known (>= 0), unknown (-1) or symbolic ("N+1"). With these they pass through a rule as they are
// (the trait WEFT_SYMBOLIC says that a rule uses nothing else); without a pool, and in a weft older than this
// header, symbols become -1. What they compute is said at weft_dim_add and its like (weft/shape.h). `==` on
// two dims means "known to be equal" unless both are -1.
static inline weft_dim weft_dims(const weft_infer *it, uint32_t how, weft_dim a, weft_dim b) {
  bool knows = it->host->size >= offsetof(struct weft_host, dim) + sizeof it->host->dim;
  return knows ? it->host->dim(it->symbols, how, a, b) : WEFT_DIM_UNKNOWN;
}
static inline weft_dim weft_dims_add(const weft_infer *it, weft_dim a, weft_dim b) {  // a + b
  return weft_dims(it, WEFT_DIMS_ADD, a, b);
}
static inline weft_dim weft_dims_sub(const weft_infer *it, weft_dim a, weft_dim b) {  // a - b
  return weft_dims(it, WEFT_DIMS_SUB, a, b);
}
static inline weft_dim weft_dims_mul(const weft_infer *it, weft_dim a, weft_dim b) {  // a * b
  return weft_dims(it, WEFT_DIMS_MUL, a, b);
}
static inline weft_dim weft_dims_max(const weft_infer *it, weft_dim a, weft_dim b) {  // the larger one
  return weft_dims(it, WEFT_DIMS_MAX, a, b);
}
static inline weft_dim weft_dims_min(const weft_infer *it, weft_dim a, weft_dim b) {  // the smaller one
  return weft_dims(it, WEFT_DIMS_MIN, a, b);
}
// a / by, rounded down
static inline weft_dim weft_dims_floordiv(const weft_infer *it, weft_dim a, int64_t by) {
  return weft_dims(it, WEFT_DIMS_FLOORDIV, a, by);
}
// a / by, rounded up
static inline weft_dim weft_dims_ceildiv(const weft_infer *it, weft_dim a, int64_t by) {
  return weft_dims(it, WEFT_DIMS_CEILDIV, a, by);
}
// numpy's broadcasting of two dims: 1 gives way, a known dim over 1 decides. False: two known dims that do
// not fit.
static inline bool weft_dims_broadcast(weft_dim a, weft_dim b, weft_dim *out) {
  bool alike = a == b && a != WEFT_DIM_UNKNOWN;
  if (alike || b == 1)
    *out = a;
  else if (a == 1)
    *out = b;
  else if (a >= 0 && b >= 0)
    return false;
  else
    *out = a >= 0 ? a : b >= 0 ? b : WEFT_DIM_UNKNOWN;
  return true;
}
// Output `i` has the shapes a and b broadcast together, from the right as numpy does. E_SHAPE names both
// dims.
static inline weft_status weft_set_out_broadcast(const weft_infer *it, uint32_t i, const weft_shape *a,
                                                 const weft_shape *b) {
  weft_dim dim[WEFT_MAX_RANK];
  if (weft_unknown_rank(a) || weft_unknown_rank(b)) return weft_set_out_unknown_rank(it, i);
  size_t rank = a->rank > b->rank ? a->rank : b->rank;
  for (size_t k = 0; k < rank; k++) {
    weft_dim x = k + a->rank >= rank ? a->dim[k + a->rank - rank] : 1;
    weft_dim y = k + b->rank >= rank ? b->dim[k + b->rank - rank] : 1;
    if (!weft_dims_broadcast(x, y, &dim[k])) {
      return it->host->fail(it->d, WEFT_E_SHAPE,
                            "the inputs do not broadcast: dims %lld and %lld at axis %zu of the result",
                            (long long)x, (long long)y, k);
    }
  }
  return weft_set_out_shape(it, i, dim, rank);
}
// Elements of a shape: 1 for a scalar, 0 with any dim 0; -1 when a dim or the rank is unknown, and on
// overflow.
static inline int64_t weft_elems(const weft_shape *s) {
  int64_t n = 1;
  bool known = s->rank <= WEFT_MAX_RANK;
  for (size_t k = 0; known && k < s->rank; k++)
    if (s->dim[k] == 0) return 0;
  for (size_t k = 0; known && k < s->rank; k++) {
    known = s->dim[k] >= 0 && s->dim[k] <= INT64_MAX / n;
    if (known) n *= s->dim[k];
  }
  return known ? n : -1;
}
// An axis in [-rank, rank-1] counted from the front; E_RANGE "attribute 'axis': 3 is outside [-2, 1]".
static inline weft_status weft_check_axis(const weft_infer *it, const char *attr, int64_t axis, size_t rank,
                                          size_t *out) {
  int64_t r = (int64_t)rank;
  *out = 0;
  if (!rank) {
    return it->host->fail(it->d, WEFT_E_RANGE, "attribute '%s': %lld is outside a scalar, which has no axis",
                          attr, (long long)axis);
  }
  if (axis < -r || axis >= r) {
    return it->host->fail(it->d, WEFT_E_RANGE, "attribute '%s': %lld is outside [%lld, %lld]", attr,
                          (long long)axis, (long long)-r, (long long)r - 1);
  }
  *out = (size_t)(axis < 0 ? axis + r : axis);
  return WEFT_OK;
}
#ifdef __cplusplus
}
#endif
// SPDX-License-Identifier: Apache-2.0
