// match_gelu.c - x * 0.5 * (1 + erf(x / sqrt 2)) and its approximation by tanh(sqrt(2/pi) (x + 0.044715 x^3))
// become Gelu, in whatever order the factors are multiplied. Within rounding: one rounding instead of
// several. Floats only.
#include "pass/match.h"

#define ROOT_HALF    0.70710678118654752440
#define ROOT_2_BY_PI 0.79788456080286535588
#define CUBE         0.044715

// c * x^power
static bool is_power(const weft_pass_run *r, weft_value *v, const weft_value *x, double c, size_t power) {
  weft__factors f;
  if (!weft__product(r, v, &f) || f.n != power || !weft__about(x->fact.dtype, f.scale, c))
    return false;
  for (size_t i = 0; i < f.n; i++) {
    if (f.v[i] != x)
      return false;
  }
  return true;
}

// The inside of the tanh, in one piece or with x taken out: sqrt(2/pi) x (1 + 0.044715 x^2).
static bool is_cubic(const weft_pass_run *r, weft_value *v, const weft_value *x) {
  weft__factors f;
  if (!weft__product(r, v, &f) || f.n < 1 || f.n > 2 || !weft__about(x->fact.dtype, f.scale, ROOT_2_BY_PI))
    return false;
  weft_value *sum = f.v[0];
  weft_value *rest;
  if (f.n == 2) {
    if (f.v[0] == x)
      sum = f.v[1];
    if (f.v[0] != x && f.v[1] != x)
      return false;
  }
  weft_node *add = weft__made_by(r, sum, WEFT_K_ADD);
  if (!add)
    return false;
  if (f.n == 2)
    return weft__with_number(add, 1, true, &rest) && is_power(r, rest, x, CUBE, 2);
  for (uint32_t i = 0; i < 2; i++) {
    if (weft__arg(add, i) == x && is_power(r, weft__arg(add, 1 - i), x, CUBE, 3))
      return true;
  }
  return false;
}

static weft_status visit(weft_pass_run *r, weft_node *n) {
  int kind = weft__kind(r, n);
  weft__factors f;
  if ((kind != WEFT_K_MUL && kind != WEFT_K_DIV) || (!n->out[0].uses && !n->out[0].n_outputs))
    return WEFT_OK;
  if (!(WEFT_FLOATS & WEFT_BIT(n->out[0].fact.dtype)) || !weft__product(r, &n->out[0], &f) || f.n != 2)
    return WEFT_OK;
  for (int i = 0; i < 2; i++) {
    weft_value *x = f.v[i];
    weft_value *e;
    weft_value *made;
    weft_node *add = weft__made_by(r, f.v[1 - i], WEFT_K_ADD);
    if (x->fact.dtype != n->out[0].fact.dtype || !weft__about(x->fact.dtype, f.scale, 0.5))
      continue;
    if (!add || !weft__one_use(f.v[1 - i]) || !weft__with_number(add, 1, true, &e))
      continue;
    int inner = weft__kind_by(r, e);
    bool erf = inner == WEFT_K_ERF && is_power(r, weft__arg(e->node, 0), x, ROOT_HALF, 1);
    if (!erf && !(inner == WEFT_K_TANH && is_cubic(r, weft__arg(e->node, 0), x)))
      continue;
    weft_named_attr how = {"approximate", weft_attr_str(erf ? "none" : "tanh", 4)};
    WEFT_TRY(weft__pass_op(r, n, WEFT_K_GELU, &how, 1, &x, 1, &made));
    return weft__pass_become(r, n, &n->out[0], made, erf ? "Gelu with erf" : "Gelu with tanh", NULL);
  }
  return WEFT_OK;
}

WEFT_PASS(match_gelu) = {WEFT_PASS_HEAD,
                         "match-gelu",
                         "Gelu from its formulas",
                         WEFT_PASS_PATTERN,
                         .visit = visit,
                         .at = WEFT_NAMES("Mul", "Div"),
                         .needs = WEFT_NAMES("Erf", "Tanh")};
// SPDX-License-Identifier: Apache-2.0
