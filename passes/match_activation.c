// match_activation.c - formulas of activations become the operator that computes them in one go:
//   x * sigmoid(s x) -> Swish      x * hard_sigmoid(x), x * relu6(x + 3) / 6 -> HardSwish     clip(x, 0, 6)
//   -> Relu6 x^2 -> Square     x^-1, 1 / x -> Reciprocal     1 / sqrt(x), reciprocal(sqrt(x)) -> Rsqrt
// Within rounding: one rounding instead of several. Floats only; the sign of a zero may differ.
#include "pass/match.h"
#include "op_slots.h"

static weft_status become(weft_pass_run *r, weft_node *n, int kind, const weft_named_attr *attr,
                          weft_value *x, const char *done) {
  weft_value *made;
  WEFT_TRY(weft__pass_op(r, n, kind, attr, attr ? 1 : 0, &x, 1, &made));
  return weft__pass_become(r, n, &n->out[0], made, done, NULL);
}

// y = s x with a number s (1 when y is x); false: something else.
static bool times(const weft_pass_run *r, const weft_value *y, const weft_value *x, double *out_s) {
  weft_value *other;
  *out_s = 1;
  if (y == x)
    return true;
  if (weft__kind_by(r, y) != WEFT_K_MUL)
    return false;
  for (uint32_t i = 0; i < 2; i++) {
    if (weft__arg(y->node, i) == x && weft__one_number(other = weft__arg(y->node, 1 - i), out_s))
      return true;
  }
  return false;
}

// relu6(x + 3), also as a clip.
static bool is_shifted_relu6(const weft_pass_run *r, const weft_value *v, const weft_value *x) {
  int kind = weft__kind_by(r, v);
  weft_value *sum;
  weft_value *from;
  bool clip = (kind == WEFT_K_CLIP || kind == WEFT_K_CLIP_V2) && weft__is_number(weft__arg(v->node, 1), 0) &&
              weft__is_number(weft__arg(v->node, 2), 6);
  if (kind != WEFT_K_RELU6 && !clip)
    return false;
  sum = weft__arg(v->node, 0);
  return weft__kind_by(r, sum) == WEFT_K_ADD && weft__with_number(sum->node, 3, true, &from) && from == x;
}

static weft_status on_product(weft_pass_run *r, weft_node *n) {
  weft__factors f;
  if (!weft__product(r, &n->out[0], &f) || f.n != 2)
    return WEFT_OK;
  for (int i = 0; i < 2; i++) {
    weft_value *x = f.v[i];
    weft_value *g = f.v[1 - i];
    int kind = weft__kind_by(r, g);
    const weft_op_desc *d = g->node ? &g->node->desc.pub : NULL;
    double s;
    if (kind == WEFT_K_SIGMOID && f.scale == 1 && times(r, weft__arg(g->node, 0), x, &s)) {
      weft_named_attr scale = {"scale", weft_attr_float((float)s)};
      return become(r, n, WEFT_K_SWISH, &scale, x, "x * sigmoid(x) is Swish");
    }
    bool hard =
        kind == WEFT_K_HARD_SIGMOID && f.scale == 1 && weft__arg(g->node, 0) == x &&
        weft__about(x->fact.dtype, (double)weft_node_float(d, WEFT_SLOT_HARD_SIGMOID_ALPHA), 1.0 / 6) &&
        weft_node_float(d, WEFT_SLOT_HARD_SIGMOID_BETA) == 0.5f;
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

static weft_status visit(weft_pass_run *r, weft_node *n) {
  int kind = weft__kind(r, n);
  if (!kind || n->desc.pub.n_out != 1 || (!n->out[0].uses && !n->out[0].n_outputs))
    return WEFT_OK;
  weft_value *a = weft__arg(n, 0);
  weft_value *b = weft__arg(n, 1);
  if (!(WEFT_FLOATS & WEFT_BIT(n->out[0].fact.dtype)) || !a || a->fact.dtype != n->out[0].fact.dtype)
    return WEFT_OK;
  double x;
  switch (kind) {
    case WEFT_K_MUL:
      return on_product(r, n);
    case WEFT_K_POW:
      if (!weft__one_number(b, &x))
        return WEFT_OK;
      if (x == 2)
        return become(r, n, WEFT_K_SQUARE, NULL, a, "x^2 is Square");
      return x == -1 ? become(r, n, WEFT_K_RECIPROCAL, NULL, a, "x^-1 is Reciprocal") : WEFT_OK;
    case WEFT_K_DIV:
    case WEFT_K_REAL_DIV:
      if (weft__one_number(b, &x))
        return on_product(r, n);
      return weft__one_number(a, &x) && x == 1 ? on_inverse(r, n, b) : WEFT_OK;
    case WEFT_K_RECIPROCAL:
      return on_inverse(r, n, a);
    case WEFT_K_CLIP:
    case WEFT_K_CLIP_V2:
      if (!weft__one_number(b, &x) || x != 0 || !weft__one_number(weft__arg(n, 2), &x) || x != 6)
        return WEFT_OK;
      return become(r, n, WEFT_K_RELU6, NULL, a, "clip(x, 0, 6) is Relu6");
    case WEFT_K_MINIMUM:
      for (uint32_t i = 0; i < 2; i++) {
        if (weft__one_number(i ? a : b, &x) && x == 6 && weft__kind_by(r, i ? b : a) == WEFT_K_RELU &&
            weft__one_use(i ? b : a)) {
          return become(r, n, WEFT_K_RELU6, NULL, weft__arg((i ? b : a)->node, 0),
                        "min(relu(x), 6) is Relu6");
        }
      }
      return WEFT_OK;
    default:
      return WEFT_OK;
  }
}

WEFT_PASS(match_activation) = {WEFT_PASS_HEAD,
                               "match-activation",
                               "formulas of activations as one operator",
                               WEFT_PASS_PATTERN,
                               .visit = visit,
                               .at = WEFT_NAMES("Mul", "Pow", "Div", "RealDiv", "Reciprocal", "ClipByValue",
                                                "ClipByValueV2", "Minimum")};
// SPDX-License-Identifier: Apache-2.0
