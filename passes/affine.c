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
    if (n->out[i].uses || n->out[i].n_outputs)
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

bool weft__affine_read(const weft_node *n, int kind, uint32_t main, size_t channels, size_t y_axis,
                       weft__affine *a, double *space) {
  size_t rank = n->in[main].value->fact.rank;
  const weft_value *other = weft__arg(n, 1 - main);
  for (size_t i = 0; i < channels; i++) {
    a->scale[i] = 1;
    a->shift[i] = 0;
  }
  a->scales = kind == WEFT_K_MUL || kind == WEFT_K_DIV || kind == WEFT_K_REAL_DIV ||
              kind == WEFT_K_BATCH_NORM || kind == WEFT_K_BN_INFERENCE || (kind == WEFT_K_SUB && main == 1);
  switch (kind) {
    case WEFT_K_MUL:
      return weft__per_channel(other, rank, y_axis, channels, a->scale);
    case WEFT_K_DIV:
    case WEFT_K_REAL_DIV:
      if (main || !weft__per_channel(other, rank, y_axis, channels, a->scale))
        return false;
      for (size_t i = 0; i < channels; i++)
        a->scale[i] = 1 / a->scale[i];
      return true;
    case WEFT_K_ADD:
      return weft__per_channel(other, rank, y_axis, channels, a->shift);
    case WEFT_K_SUB:
      if (!weft__per_channel(other, rank, y_axis, channels, a->shift))
        return false;
      for (size_t i = 0; i < channels; i++) {
        a->scale[i] = main ? -1 : 1;
        a->shift[i] *= main ? 1 : -1;
      }
      return true;
    case WEFT_K_BIAS_ADD:
      return !main && (weft__is_nhwc(n) ? rank - 1 : 1) == y_axis && vector(other, channels, a->shift);
    case WEFT_K_BATCH_NORM:
      return !main && batch_norm(n, channels, y_axis, rank, a, space);
    case WEFT_K_BN_INFERENCE:
      return !main && bn_inference(n, channels, y_axis, a, space);
    default:
      return false;
  }
}

bool weft__is_affine(int kind) {
  switch (kind) {
    case WEFT_K_MUL:
    case WEFT_K_DIV:
    case WEFT_K_REAL_DIV:
    case WEFT_K_ADD:
    case WEFT_K_SUB:
    case WEFT_K_BIAS_ADD:
    case WEFT_K_BATCH_NORM:
    case WEFT_K_BN_INFERENCE:
      return true;
    default:
      return false;
  }
}
// SPDX-License-Identifier: Apache-2.0
