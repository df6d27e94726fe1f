// match_activation.c - formulas of activations become the operator that computes them in one go:
//   x * sigmoid(s x) -> Swish      x * hard_sigmoid(x), x * relu6(x + 3) / 6 -> HardSwish     clip(x, 0, 6)
//   -> Relu6 x^2 -> Square     x^-1, 1 / x -> Reciprocal     1 / sqrt(x), reciprocal(sqrt(x)) -> Rsqrt
// Within rounding: one rounding instead of several. Floats only; the sign of a zero may differ.
#include "pass/match.h"
#include "op_slots.h"

static weft_status become(weft_pass_run *r, weft_node *n, int kind, const weft_named_attr *attr,
                          weft_value *x, const char *done) {
  weft_value *made;
  WEFT_TRY(weft__pass_op(
      r, n, &(weft__pass_new){.kind = kind, .attrs = attr, .n_attrs = attr ? 1 : 0, .in = &x, .n_in = 1},
      &made));
  return weft__pass_become(r, n, &n->out[0], made, done, NULL);
}

// y = s x with a number s (1 when y is x); false: something else.
static bool match_activation_times(const weft_pass_run *r, const weft_value *y, const weft_value *x,
                                   double *out_s) {
  *out_s = 1;
  if (y == x)
    return true;
  if (weft__kind_by(r, y) != WEFT_K_MUL)
    return false;
  for (uint32_t i = 0; i < 2; i++) {
    if (weft__arg(y->node, i) == x && weft__one_number(weft__arg(y->node, 1 - i), out_s))
      return true;
  }
  return false;
}

// clip(x, 0, 6)
static bool clips_at_6(const weft_node *n) {
  return weft__is_one_number(weft__arg(n, 1), 0) && weft__is_one_number(weft__arg(n, 2), 6);
}

// relu6(x + 3), also as a clip.
static bool is_shifted_relu6(const weft_pass_run *r, const weft_value *v, const weft_value *x) {
  int kind = weft__kind_by(r, v);
  bool clip = weft__kind_in(kind, WEFT_KINDS_CLIP) && weft__is_number(weft__arg(v->node, 1), 0) &&
              weft__is_number(weft__arg(v->node, 2), 6);
  if (kind != WEFT_K_RELU6 && !clip)
    return false;
  weft_node *sum = weft__made_by(r, weft__arg(v->node, 0), WEFT_K_ADD);
  weft_value *from;
  return sum && weft__with_number(sum, 3, true, &from) && from == x;
}

// HardSigmoid of x with alpha 1/6 and beta 0.5
static bool is_sixth_sigmoid(const weft_node *n, const weft_value *x) {
  double alpha = (double)weft_node_float(&n->desc.pub, WEFT_SLOT_HARD_SIGMOID_ALPHA);
  float beta = weft_node_float(&n->desc.pub, WEFT_SLOT_HARD_SIGMOID_BETA);
  return weft__arg(n, 0) == x && weft__about(x->fact.dtype, alpha, 1.0 / 6) && beta == 0.5f;
}

static weft_status on_product(weft_pass_run *r, weft_node *n) {
  weft__factors f;
  if (!weft__product(r, &n->out[0], &f) || f.n != 2)
    return WEFT_OK;
  for (int i = 0; i < 2; i++) {
    weft_value *x = f.v[i];
    weft_value *g = f.v[1 - i];
    int kind = weft__kind_by(r, g);
    double s;
    if (kind == WEFT_K_SIGMOID && f.scale == 1 && match_activation_times(r, weft__arg(g->node, 0), x, &s)) {
      weft_named_attr scale = {"scale", weft_attr_float((float)s)};
      return become(r, n, WEFT_K_SWISH, &scale, x, "x * sigmoid(x) is Swish");
    }
    bool hard = kind == WEFT_K_HARD_SIGMOID && f.scale == 1 && is_sixth_sigmoid(g->node, x);
    hard |= weft__about(x->fact.dtype, f.scale, 1.0 / 6) && is_shifted_relu6(r, g, x);
    if (hard)
      return become(r, n, WEFT_K_HARD_SWISH, NULL, x, "x * relu6(x + 3) / 6 is HardSwish");
  }
  return WEFT_OK;
}

static weft_status on_inverse(weft_pass_run *r, weft_node *n, weft_value *x) {
  weft_node *root = weft__one_use(x) ? weft__made_by(r, x, WEFT_K_SQRT) : NULL;
  if (root)
    return become(r, n, WEFT_K_RSQRT, NULL, weft__arg(root, 0), "1 / sqrt(x) is Rsqrt");
  if (weft__kind(r, n) == WEFT_K_RECIPROCAL)
    return WEFT_OK;
  return become(r, n, WEFT_K_RECIPROCAL, NULL, x, "1 / x is Reciprocal");
}

static weft_status on_power(weft_pass_run *r, weft_node *n) {
  weft_value *x = weft__arg(n, 0);
  weft_value *power = weft__arg(n, 1);
  if (weft__is_one_number(power, 2))
    return become(r, n, WEFT_K_SQUARE, NULL, x, "x^2 is Square");
  if (weft__is_one_number(power, -1))
    return become(r, n, WEFT_K_RECIPROCAL, NULL, x, "x^-1 is Reciprocal");
  return WEFT_OK;
}

static weft_status on_quotient(weft_pass_run *r, weft_node *n) {
  double x;
  if (weft__one_number(weft__arg(n, 1), &x))
    return on_product(r, n);
  if (weft__is_one_number(weft__arg(n, 0), 1))
    return on_inverse(r, n, weft__arg(n, 1));
  return WEFT_OK;
}

static weft_status on_reciprocal(weft_pass_run *r, weft_node *n) {
  return on_inverse(r, n, weft__arg(n, 0));
}

static weft_status on_clip(weft_pass_run *r, weft_node *n) {
  if (!clips_at_6(n))
    return WEFT_OK;
  return become(r, n, WEFT_K_RELU6, NULL, weft__arg(n, 0), "clip(x, 0, 6) is Relu6");
}

static weft_status on_minimum(weft_pass_run *r, weft_node *n) {
  for (uint32_t i = 0; i < 2; i++) {
    weft_value *v = weft__arg(n, i);
    weft_node *relu = weft__made_by(r, v, WEFT_K_RELU);
    bool bounded = relu && weft__is_one_number(weft__arg(n, 1 - i), 6);
    if (bounded && weft__one_use(v))
      return become(r, n, WEFT_K_RELU6, NULL, weft__arg(relu, 0), "min(relu(x), 6) is Relu6");
  }
  return WEFT_OK;
}

typedef weft_status (*activation_rule)(weft_pass_run *r, weft_node *n);
static const activation_rule activation_rules[WEFT_K_COUNT] = {
    [WEFT_K_MUL] = on_product,           [WEFT_K_POW] = on_power,
    [WEFT_K_DIV] = on_quotient,          [WEFT_K_REAL_DIV] = on_quotient,
    [WEFT_K_RECIPROCAL] = on_reciprocal, [WEFT_K_CLIP] = on_clip,
    [WEFT_K_CLIP_V2] = on_clip,          [WEFT_K_MINIMUM] = on_minimum,
};

static weft_status match_activation_visit(weft_pass_run *r, weft_node *n) {
  activation_rule rule = activation_rules[weft__kind(r, n)];
  if (!rule || n->desc.pub.n_out != 1 || !weft__value_read(&n->out[0]))
    return WEFT_OK;
  weft_dtype t = n->out[0].fact.dtype;
  weft_value *x = weft__arg(n, 0);
  if (!(WEFT_FLOATS & WEFT_BIT(t)) || !x || x->fact.dtype != t)
    return WEFT_OK;
  return rule(r, n);
}

WEFT_PASS(match_activation) = {WEFT_PASS_HEAD,
                               "match-activation",
                               "formulas of activations as one operator",
                               WEFT_PASS_PATTERN,
                               .visit = match_activation_visit,
                               .at = WEFT_NAMES("Mul", "Pow", "Div", "RealDiv", "Reciprocal", "ClipByValue",
                                                "ClipByValueV2", "Minimum")};
// SPDX-License-Identifier: Apache-2.0
