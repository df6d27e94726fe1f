// match_gelu.c - x * 0.5 * (1 + erf(x / sqrt 2)) and its approximation by tanh(sqrt(2/pi) (x + 0.044715 x^3))
// become Gelu, in whatever order the factors are multiplied. Within rounding: one rounding instead of
// several. Floats only.
#include "pass/match.h"

#define ROOT_HALF    0.70710678118654752440
#define ROOT_2_BY_PI 0.79788456080286535588
#define CUBE         0.044715

// Is v = c * x^power, in whatever order and with whatever numbers it is multiplied?
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

// 1 + 0.044715 x^2
static bool is_inner_square(const weft_pass_run *r, const weft_node *add, const weft_value *x) {
  weft_value *rest;
  return weft__with_number(add, 1, true, &rest) && is_power(r, rest, x, CUBE, 2);
}

// x + 0.044715 x^3
static bool is_inner_cube(const weft_pass_run *r, const weft_node *add, const weft_value *x) {
  for (uint32_t i = 0; i < 2; i++) {
    if (weft__arg(add, i) == x && is_power(r, weft__arg(add, 1 - i), x, CUBE, 3))
      return true;
  }
  return false;
}

// The inside of the tanh, in one piece or with x taken out: sqrt(2/pi) x (1 + 0.044715 x^2).
static bool is_cubic(const weft_pass_run *r, weft_value *v, const weft_value *x) {
  weft__factors f;
  if (!weft__product(r, v, &f) || !weft__about(x->fact.dtype, f.scale, ROOT_2_BY_PI))
    return false;
  if (f.n == 1) {
    weft_node *add = weft__made_by(r, f.v[0], WEFT_K_ADD);
    return add && is_inner_cube(r, add, x);
  }
  bool taken_out = f.n == 2 && (f.v[0] == x || f.v[1] == x);
  if (!taken_out)
    return false;
  weft_node *add = weft__made_by(r, f.v[0] == x ? f.v[1] : f.v[0], WEFT_K_ADD);
  return add && is_inner_square(r, add, x);
}

// The value of "approximate" when e is the inner function of a Gelu of x; NULL: it is none.
static const char *gelu_form(const weft_pass_run *r, const weft_value *e, weft_value *x) {
  int inner = weft__kind_by(r, e);
  if (inner == WEFT_K_ERF && is_power(r, weft__arg(e->node, 0), x, ROOT_HALF, 1))
    return "none";
  if (inner == WEFT_K_TANH && is_cubic(r, weft__arg(e->node, 0), x))
    return "tanh";
  return NULL;
}

// x and 1 + e are the factors.
static const char *gelu_factors(const weft_pass_run *r, weft_value *x, weft_value *sum) {
  weft_value *e;
  weft_node *add = weft__made_by(r, sum, WEFT_K_ADD);
  if (!add || !weft__one_use(sum))
    return NULL;
  return weft__with_number(add, 1, true, &e) ? gelu_form(r, e, x) : NULL;
}

static weft_status match_gelu_visit(weft_pass_run *r, weft_node *n) {
  int kind = weft__kind(r, n);
  weft_dtype t = n->out[0].fact.dtype;
  weft__factors f;
  bool scales = kind == WEFT_K_MUL || kind == WEFT_K_DIV;
  if (!scales || !weft__value_read(&n->out[0]) || !(WEFT_FLOATS & WEFT_BIT(t)))
    return WEFT_OK;
  if (!weft__product(r, &n->out[0], &f) || f.n != 2 || !weft__about(t, f.scale, 0.5))
    return WEFT_OK;
  for (int i = 0; i < 2; i++) {
    weft_value *x = f.v[i];
    const char *form = x->fact.dtype == t ? gelu_factors(r, x, f.v[1 - i]) : NULL;
    if (!form)
      continue;
    weft_value *made;
    weft_named_attr how = {"approximate", weft_attr_str(form, 4)};
    bool erf = !strcmp(form, "none");
    WEFT_TRY(weft__pass_op(
        r, n, &(weft__pass_new){.kind = WEFT_K_GELU, .attrs = &how, .n_attrs = 1, .in = &x, .n_in = 1},
        &made));
    return weft__pass_become(r, n, &n->out[0], made, erf ? "Gelu with erf" : "Gelu with tanh", NULL);
  }
  return WEFT_OK;
}

WEFT_PASS(match_gelu) = {WEFT_PASS_HEAD,
                         "match-gelu",
                         "Gelu from its formulas",
                         WEFT_PASS_PATTERN,
                         .visit = match_gelu_visit,
                         .at = WEFT_NAMES("Mul", "Div"),
                         .needs = WEFT_NAMES("Erf", "Tanh")};
// SPDX-License-Identifier: Apache-2.0
