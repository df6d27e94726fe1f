// fuse_epilogue.c - a matrix product or convolution and the operators that follow element by element - bias,
// residual, activation - become one node "Fused", where a kernel of the device applies them to the sums
// before they are stored. Each value between them is read once and by no output. The longest run that a
// kernel takes is fused; whether one does is asked, not known here.
#include "fuse_region.h"

enum { LONGEST = 8 };

static bool is_product(int kind) {
  static const int products[] = {WEFT_K_MAT_MUL, WEFT_K_BATCH_MAT_MUL, WEFT_K_GEMM,
                                 WEFT_K_CONV,    WEFT_K_CONV2D,        WEFT_K_CONV_TRANSPOSE};
  for (size_t i = 0; i < WEFT_COUNT(products); i++) {
    if (products[i] == kind)
      return true;
  }
  return false;
}

// The one node that reads v and goes through it element by element.
static weft_node *follower(const weft_pass_run *r, const weft_value *v) {
  if (!weft__one_use(v))
    return NULL;
  weft_node *n = v->uses->node;
  if (!(n->desc.proto->op->traits & WEFT_ELEMENTWISE) && weft__kind(r, n) != WEFT_K_BIAS_ADD)
    return NULL;
  if (!weft__fusible(n) || n->graph != v->graph)
    return NULL;
  // Of one input the output has its shape, known or not.
  return n->desc.pub.n_in == 1 || weft__same_shape(&n->out[0].fact, &v->fact) ? n : NULL;
}

static weft_status fuse_epilogue_visit(weft_pass_run *r, weft_node *n) {
  if (!is_product(weft__kind(r, n)) || !weft__fusible(n))
    return WEFT_OK;
  weft__fusion f = {{n}, 1};
  uint32_t best = 0;
  char why[sizeof r->text];
  why[0] = 0;
  while (f.n < LONGEST) {
    weft_node *next = follower(r, &f.node[f.n - 1]->out[0]);
    if (!next)
      break;
    f.node[f.n++] = next;
    const char *no = weft__fusion_refusal(r, &f);
    if (!no)
      best = f.n;
    else if (!why[0])
      snprintf(why, sizeof why, "%s", no);
  }
  if (best) {
    f.n = best;
    return weft__fuse(r, &f);
  }
  if (f.n > 1)
    weft__pass_skipped(r, n, "no kernel takes what follows it: %s", why);
  return WEFT_OK;
}

WEFT_PASS(fuse_epilogue) = {
    WEFT_PASS_HEAD,
    "fuse-epilogue",
    "products with what follows element by element",
    WEFT_PASS_FUSE,
    .visit = fuse_epilogue_visit,
    .at = WEFT_NAMES("MatMulV2", "BatchMatMulV2", "GEMM", "Conv", "Conv2D", "ConvTranspose")};
// SPDX-License-Identifier: Apache-2.0
