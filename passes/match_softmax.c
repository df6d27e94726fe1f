// match_softmax.c - exp(x - max x) / sum exp(x - max x) over the same axes becomes SoftmaxV2. Within
// rounding. Floats only. Without the maximum it is left: there large numbers overflow, which Softmax does not
// do.
#include "pass/match.h"
#include "elementwise/exp.rule.h"

static bool is_plain_exp(const weft_node *n) {
  return weft__is_natural(&n->desc.pub);
}

static weft_status match_softmax_visit(weft_pass_run *r, weft_node *n) {
  int kind = weft__kind(r, n);
  uint32_t axes;
  uint32_t same;
  if (!weft__kind_in(kind, WEFT_KINDS_DIV))
    return WEFT_OK;
  weft_value *e = weft__arg(n, 0);
  weft_value *sum = weft__arg(n, 1);
  weft_value *x;
  weft_value *made;
  weft_node *exp = weft__made_by(r, e, WEFT_K_EXP);
  weft_node *add = weft__made_by(r, sum, WEFT_K_REDUCE_SUM);
  if (!exp || !add || weft__arg(add, 0) != e || !weft__reduce_axes(add, &axes) || !is_plain_exp(exp))
    return WEFT_OK;
  if (!(WEFT_FLOATS & WEFT_BIT(e->fact.dtype)) || !weft__value_read(&n->out[0]))
    return WEFT_OK;
  weft_node *sub = weft__made_by(r, weft__arg(exp, 0), WEFT_K_SUB);
  weft_node *max = sub ? weft__made_by(r, weft__arg(sub, 1), WEFT_K_REDUCE_MAX) : NULL;
  if (!max || weft__arg(max, 0) != (x = weft__arg(sub, 0)) || !weft__reduce_axes(max, &same) ||
      same != axes) {
    weft__pass_skipped(r, n,
                       "a softmax without the maximum taken off: it may overflow where Softmax does not");
    return WEFT_OK;
  }
  int64_t list[WEFT_MAX_RANK];
  size_t count = 0;
  for (size_t i = 0; i < x->fact.rank; i++) {
    if (axes >> i & 1)
      list[count++] = (int64_t)i;
  }
  weft_named_attr attr = {"axes", weft_attr_ints(list, count)};
  WEFT_TRY(weft__pass_op(
      r, n, &(weft__pass_new){.kind = WEFT_K_SOFTMAX_V2, .attrs = &attr, .n_attrs = 1, .in = &x, .n_in = 1},
      &made));
  return weft__pass_become(r, n, &n->out[0], made, "Softmax from its formula", NULL);
}

WEFT_PASS(match_softmax) = {WEFT_PASS_HEAD,
                            "match-softmax",
                            "Softmax from its formula",
                            WEFT_PASS_PATTERN,
                            .visit = match_softmax_visit,
                            .at = WEFT_NAMES("Div", "RealDiv"),
                            .needs = WEFT_NAMES("Exp")};
// SPDX-License-Identifier: Apache-2.0
