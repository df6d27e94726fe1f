// fuse_quantised.c - additions and multiplications of two dequantised tensors, and activations, with the
// QuantizeLinear behind them, become one node "Fused", where a kernel of the device keeps the floats in
// registers. The kernel computes what the operators compute: exact. Each value between them is read once and
// by no output.
#include "fuse_region.h"
#include "quantised.h"

enum { MOST = 8 };

// Adds the nodes that make v, producers first; false: a value that others read, or too many.
static bool add(const weft_pass_run *r, weft_value *v, weft__fusion *f) {
  weft_node *n = v->node;
  if (!n)
    return true;
  int kind = weft__kind(r, n);
  uint32_t operands = kind == WEFT_K_ADD || kind == WEFT_K_MUL ? 2 : 1;
  if (kind != WEFT_K_ADD && kind != WEFT_K_MUL && kind != WEFT_K_RELU && kind != WEFT_K_RELU6 &&
      kind != WEFT_K_CLIP && kind != WEFT_K_CLIP_V2 && kind != WEFT_K_DEQUANTIZE_LINEAR)
    return true;
  if (!weft__one_use(v) || !weft__fusible(n) || f->n >= MOST)
    return false;
  for (uint32_t i = 0; i < operands && kind != WEFT_K_DEQUANTIZE_LINEAR; i++) {
    if (!add(r, weft__arg(n, i), f))
      return false;
  }
  if (f->n >= MOST)
    return false;
  f->node[f->n++] = n;
  return true;
}

static weft_status visit(weft_pass_run *r, weft_node *n) {
  if (weft__kind(r, n) != WEFT_K_QUANTIZE_LINEAR || !weft__fusible(n))
    return WEFT_OK;
  weft__fusion f = {.n = 0};
  if (!add(r, weft__arg(n, 0), &f)) {
    weft__pass_skipped(r, n, "a number before it is read elsewhere");
    return WEFT_OK;
  }
  if (!f.n || weft__kind(r, f.node[0]) != WEFT_K_DEQUANTIZE_LINEAR)
    return WEFT_OK;
  f.node[f.n++] = n;
  const char *no = weft__fusion_refusal(r, &f);
  if (!no)
    return weft__fuse(r, &f);
  weft__pass_skipped(r, n, "no kernel takes it with what is before it: %s", no);
  return WEFT_OK;
}

WEFT_PASS(fuse_quantised) = {
    WEFT_PASS_HEAD, "fuse-quantised", "sums of dequantised tensors with their rounding",
    WEFT_PASS_FUSE, .visit = visit,   .at = WEFT_NAMES("QuantizeLinear")};
// SPDX-License-Identifier: Apache-2.0
