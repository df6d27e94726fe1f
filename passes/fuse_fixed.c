// fuse_fixed.c - a FixedRequant to bytes with the operators of int32 before it become one node "Fused", where
// a kernel of the device keeps what is between in registers: sums, differences, products and means of bytes
// made int32, and products of matrices of bytes. (Convolutions of bytes become regions when formats are
// assigned.) The kernel computes what the operators compute: exact. Each value between them is read once and
// by no output, but for bytes made int32, less their zero point: others have these made again.
#include "fuse_region.h"

enum { MOST = 12 };

// How many inputs of such a node are followed.
static uint32_t fuse_fixed_operands(int kind) {
  if (kind == WEFT_K_FIXED_REQUANT || kind == WEFT_K_REDUCE_SUM)
    return 1;
  return weft__kind_in(kind, WEFT_KINDS_SWAPS | WEFT_KINDS_SUB) ? 2 : 0;
}

// Adds the nodes that make v, producers first; false: a value that others read, or too many.
static bool fuse_fixed_add(const weft_pass_run *r, weft_value *v, weft__fusion *f) {
  weft_node *n = v->node;
  if (!n || v->fact.value)
    return true;
  const int kind = weft__kind(r, n);
  const uint32_t operands = fuse_fixed_operands(kind);
  const bool leaf = kind == WEFT_K_CAST || kind == WEFT_K_MAT_MUL_INTEGER;
  if (!leaf && !operands)
    return true;
  for (uint32_t i = 0; i < f->n; i++) {
    if (f->node[i] == n)
      return true;
  }
  const bool again = kind == WEFT_K_CAST || kind == WEFT_K_SUB;
  if ((!again && !weft__one_use(v)) || !weft__fusible(n) || f->n >= MOST)
    return false;
  for (uint32_t i = 0; i < operands; i++) {
    if (!fuse_fixed_add(r, weft__arg(n, i), f))
      return false;
  }
  if (f->n >= MOST)
    return false;
  f->node[f->n++] = n;
  return true;
}

static weft_status fuse_fixed_visit(weft_pass_run *r, weft_node *n) {
  const weft_dtype t = n->out[0].fact.dtype;
  const bool bytes = t == WEFT_INT8 || t == WEFT_UINT8;
  if (!bytes || weft__kind(r, n) != WEFT_K_FIXED_REQUANT || !weft__fusible(n))
    return WEFT_OK;
  weft__fusion f = {.n = 0};
  if (!fuse_fixed_add(r, weft__arg(n, 0), &f)) {
    weft__pass_skipped(r, n, "a number before it is read elsewhere");
    return WEFT_OK;
  }
  if (!f.n)
    return WEFT_OK;
  f.node[f.n++] = n;
  return weft__fuse_if_taken(r, &f);
}

WEFT_PASS(fuse_fixed) = {WEFT_PASS_HEAD,
                         "fuse-fixed",
                         "sums of bytes with the FixedRequant behind them",
                         WEFT_PASS_FUSE,
                         .visit = fuse_fixed_visit,
                         .at = WEFT_NAMES("FixedRequant")};
// SPDX-License-Identifier: Apache-2.0
