// fuse_quantised.c - additions and multiplications of two dequantised tensors, and activations, with the
// QuantizeLinear behind them, become one node "Fused", where a kernel of the device keeps the floats in
// registers. The kernel computes what the operators compute: exact. Each value between them is read once and
// by no output.
#include "fuse_region.h"
#include "quantised.h"

enum { MOST = 8 };

// How many inputs of such a node are followed; 0: it is none that is fused, or where the bytes begin.
static uint32_t operands_of(int kind) {
  if (weft__kind_in(kind, WEFT_KINDS_SWAPS))
    return 2;
  return weft__kind_in(kind, WEFT_KINDS_RELU | WEFT_KINDS_CLIP) ? 1 : 0;
}

// Adds the nodes that make v, producers first; false: a value that others read, or too many.
static bool fuse_quantised_add(const weft_pass_run *r, weft_value *v, weft__fusion *f) {
  weft_node *n = v->node;
  if (!n)
    return true;
  int kind = weft__kind(r, n);
  bool leaf = kind == WEFT_K_DEQUANTIZE_LINEAR;
  uint32_t operands = operands_of(kind);
  if (!leaf && !operands)
    return true;
  if (!weft__one_use(v) || !weft__fusible(n) || f->n >= MOST)
    return false;
  for (uint32_t i = 0; i < operands; i++) {
    if (!fuse_quantised_add(r, weft__arg(n, i), f))
      return false;
  }
  if (f->n >= MOST)
    return false;
  f->node[f->n++] = n;
  return true;
}

static weft_status fuse_quantised_visit(weft_pass_run *r, weft_node *n) {
  if (weft__kind(r, n) != WEFT_K_QUANTIZE_LINEAR || !weft__fusible(n))
    return WEFT_OK;
  weft__fusion f = {.n = 0};
  if (!fuse_quantised_add(r, weft__arg(n, 0), &f)) {
    weft__pass_skipped(r, n, "a number before it is read elsewhere");
    return WEFT_OK;
  }
  if (!f.n || weft__kind(r, f.node[0]) != WEFT_K_DEQUANTIZE_LINEAR)
    return WEFT_OK;
  f.node[f.n++] = n;
  return weft__fuse_if_taken(r, &f);
}

WEFT_PASS(fuse_quantised) = {WEFT_PASS_HEAD,
                             "fuse-quantised",
                             "sums of dequantised tensors with their rounding",
                             WEFT_PASS_FUSE,
                             .visit = fuse_quantised_visit,
                             .at = WEFT_NAMES("QuantizeLinear")};
// SPDX-License-Identifier: Apache-2.0
