// affine.c - see affine.h.
#include "affine.h"
#include "op_slots.h"
#include "norm.rule.h"

#include <math.h>

bool weft__is_nhwc(const weft_node *n) {
  const weft_attr *a = weft_node_attr(n, "data_format");
  return a && a->u.s[a->n - 1] == 'C';
}

bool weft__per_channel(const weft_value *c, size_t rank, size_t axis, size_t channels, double *out) {
  const weft_tensor *t = weft__known(c);
  if (!t || !(WEFT_FLOATS & WEFT_BIT(t->dtype)) || c->fact.rank > rank || weft_tensor_elems(t) < 1)
    return false;
  for (size_t i = 0; i < c->fact.rank; i++) {
    weft_dim d = c->fact.dims[i];
    if (d != 1 && (rank - c->fact.rank + i != axis || (size_t)d != channels))
      return false;
  }
  bool one = weft_tensor_elems(t) == 1;
  for (size_t i = 0; i < channels; i++)
    out[i] = weft_load_f64(t->dtype, t->data, one ? 0 : i);
  return true;
}

static bool vector(const weft_value *c, size_t channels, double *out) {
  const weft_tensor *t = weft__known(c);
  if (!t || c->fact.rank != 1 || (size_t)c->fact.dims[0] != channels)
    return false;
  for (size_t i = 0; i < channels; i++)
    out[i] = weft_load_f64(t->dtype, t->data, i);
  return true;
}

// scale and shift from mean (in shift), variance (in scale), gamma and beta (NULL: 1 and 0).
static bool normalise(weft__affine *a, size_t channels, double epsilon, const weft_value *gamma,
                      const weft_value *beta, double *space) {
  for (size_t i = 0; i < channels; i++)
    a->scale[i] = 1 / weft__norm_root(a->scale[i], epsilon);
  if (gamma && !vector(gamma, channels, space))
    return false;
  for (size_t i = 0; gamma && i < channels; i++)
    a->scale[i] *= space[i];
  if (beta && !vector(beta, channels, space))
    return false;
  for (size_t i = 0; i < channels; i++)
    a->shift[i] = (beta ? space[i] : 0) - a->shift[i] * a->scale[i];
  return true;
}

static bool batch_norm(const weft_node *n, size_t channels, size_t y_axis, size_t rank, weft__affine *a,
                       double *space) {
  size_t axis = weft__is_nhwc(n) ? rank - 1 : 1;
  for (uint32_t i = 1; i < n->desc.pub.n_out; i++) {
    if (weft__value_read(&n->out[i]))
      return false;
  }
  if (weft_node_bool(&n->desc.pub, WEFT_SLOT_BATCH_NORM_IS_TRAINING) || axis != y_axis ||
      n->desc.pub.n_in != 5)
    return false;
  return vector(weft__arg(n, 3), channels, a->shift) && vector(weft__arg(n, 4), channels, a->scale) &&
         normalise(a, channels, (double)weft_node_float(&n->desc.pub, WEFT_SLOT_BATCH_NORM_EPSILON),
                   weft__arg(n, 1), weft__arg(n, 2), space);
}

static bool bn_inference(const weft_node *n, size_t channels, size_t y_axis, weft__affine *a, double *space) {
  weft_format f = weft_format_primary(weft__arg(n, 0)->fact.format);
  double momentum;
  if (f == WEFT_NHWC || f == WEFT_NDHWC || y_axis != 1)
    return false;
  if (!weft__number(weft__arg(n, 3), &momentum) || !vector(weft__arg(n, 1), channels, a->shift) ||
      !vector(weft__arg(n, 2), channels, a->scale))
    return false;
  double factor = momentum != 0 ? 1 / momentum : 0;
  for (size_t i = 0; i < channels; i++) {
    a->shift[i] *= factor;
    a->scale[i] *= factor;
  }
  return normalise(a, channels, (double)weft_node_float(&n->desc.pub, WEFT_SLOT_BN_INFERENCE_EPSILON),
                   weft__port_arg(n, 4), weft__port_arg(n, 5), space);
}

typedef struct affine_site {
  const weft_node *node;
  const weft_value *other;  // the input that is not the product
  uint32_t main;            // the input that is
  size_t rank, channels, y_axis;
  weft__affine *a;
  double *space;
} affine_site;

static bool other_per_channel(const affine_site *s, double *out) {
  return weft__per_channel(s->other, s->rank, s->y_axis, s->channels, out);
}

static bool affine_mul(const affine_site *s) {
  return other_per_channel(s, s->a->scale);
}

static bool affine_div(const affine_site *s) {
  if (s->main || !other_per_channel(s, s->a->scale))
    return false;
  for (size_t i = 0; i < s->channels; i++)
    s->a->scale[i] = 1 / s->a->scale[i];
  return true;
}

static bool affine_add(const affine_site *s) {
  return other_per_channel(s, s->a->shift);
}

static bool affine_sub(const affine_site *s) {
  if (!other_per_channel(s, s->a->shift))
    return false;
  double sign = s->main ? -1 : 1;
  for (size_t i = 0; i < s->channels; i++) {
    s->a->scale[i] = sign;
    s->a->shift[i] *= -sign;
  }
  return true;
}

static bool affine_bias_add(const affine_site *s) {
  size_t axis = weft__is_nhwc(s->node) ? s->rank - 1 : 1;
  return !s->main && axis == s->y_axis && vector(s->other, s->channels, s->a->shift);
}

static bool affine_batch_norm(const affine_site *s) {
  return !s->main && batch_norm(s->node, s->channels, s->y_axis, s->rank, s->a, s->space);
}

static bool affine_bn_inference(const affine_site *s) {
  return !s->main && bn_inference(s->node, s->channels, s->y_axis, s->a, s->space);
}

static const struct affine_kind {
  bool (*read)(const affine_site *s);
  bool scales;
} affine_kinds[WEFT_K_COUNT] = {
    [WEFT_K_MUL] = {affine_mul, true},
    [WEFT_K_DIV] = {affine_div, true},
    [WEFT_K_REAL_DIV] = {affine_div, true},
    [WEFT_K_ADD] = {affine_add, false},
    [WEFT_K_SUB] = {affine_sub, false},  // scales where what is subtracted from is the constant
    [WEFT_K_BIAS_ADD] = {affine_bias_add, false},
    [WEFT_K_BATCH_NORM] = {affine_batch_norm, true},
    [WEFT_K_BN_INFERENCE] = {affine_bn_inference, true},
};

bool weft__affine_read(const weft_node *n, int kind, uint32_t main, size_t channels, size_t y_axis,
                       weft__affine *a, double *space) {
  const struct affine_kind *k = &affine_kinds[kind];
  for (size_t i = 0; i < channels; i++) {
    a->scale[i] = 1;
    a->shift[i] = 0;
  }
  bool negates = kind == WEFT_K_SUB && main == 1;
  a->scales = k->scales || negates;
  if (!k->read)
    return false;
  const affine_site s = {
      .node = n,
      .other = weft__arg(n, 1 - main),
      .main = main,
      .rank = n->in[main].value->fact.rank,
      .channels = channels,
      .y_axis = y_axis,
      .a = a,
      .space = space,
  };
  return k->read(&s);
}

bool weft__is_affine(int kind) {
  return affine_kinds[kind].read != NULL;
}
// SPDX-License-Identifier: Apache-2.0
