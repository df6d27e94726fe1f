// convert_bn.c - BatchNormalization behind Conv, both with constant weights: y = (w*x + b - mean) * f + shift
// with f = scale / sqrt(var + epsilon) is a Conv with weights w*f and bias (b - mean)*f + shift. Only where
// nobody else reads the Conv's output. Weights from external files are read and the new ones written into the
// model.
#include "frontend/onnx/edit.h"

#include <math.h>

typedef struct pair {
  onnx_edit *e;
  edit_node *conv, *bn;
  const weft_tensor *w, *b;      // b NULL: none
  const weft_tensor *stat[4];    // scale, shift, mean, variance
  size_t channels, per_channel;  // of w
  double epsilon;
} pair;

static bool convert_bn_is_float(const weft_tensor *t) {
  return t && (t->dtype == WEFT_FLOAT || t->dtype == WEFT_DOUBLE);
}

static const weft_tensor *convert_bn_constant(const onnx_edit *e, const edit_value *v, size_t elems) {
  const weft_tensor *t = v ? weft__edit_data(e, v) : NULL;
  return convert_bn_is_float(t) && weft_tensor_elems(t) == (int64_t)elems ? t : NULL;
}

// A BatchNormalization that computes nothing but y from constants.
static bool only_infers(const onnx_edit *e, const edit_node *bn) {
  if (!weft__edit_builtin(e, bn, "BatchNormalization") || bn->n_in != 5 || !bn->n_out)
    return false;
  if (!bn->in[0] || !bn->out[0])
    return false;
  if (weft__edit_int(bn, "training_mode", 0) || !weft__edit_int(bn, "spatial", 1))
    return false;
  if (e->version < 7 && !weft__edit_int(bn, "is_test", 0))
    return false;
  for (uint32_t i = 1; i < bn->n_out; i++) {
    if (weft__edit_wanted(bn->out[i]))
      return false;
  }
  return true;
}

// The Conv that makes y for nobody else; NULL: there is none.
static edit_node *conv_before(const onnx_edit *e, const edit_value *y) {
  edit_node *conv = y->producer;
  if (!conv || conv->gone || !weft__edit_builtin(e, conv, "Conv"))
    return NULL;
  bool counts = conv->n_in == 2 || conv->n_in == 3;
  bool alone = y->n_uses == 1 && !y->captured && !weft__edit_seen(y);
  return counts && alone && conv->in[1] ? conv : NULL;
}

// The weights and the bias of p->conv.
static bool read_weights(pair *p) {
  const edit_value *w = p->conv->in[1];
  const edit_value *b = p->conv->n_in > 2 ? p->conv->in[2] : NULL;
  p->w = w->init ? weft__edit_data(p->e, w) : NULL;
  if (!convert_bn_is_float(p->w) || p->w->layout.origin.rank < 2)
    return false;
  int64_t n = weft_tensor_elems(p->w);
  p->channels = (size_t)p->w->layout.origin.dim[0];
  if (n <= 0 || !p->channels)
    return false;
  p->per_channel = (size_t)n / p->channels;
  p->b = convert_bn_constant(p->e, b, p->channels);
  if (!b)
    return true;
  return p->b && p->b->dtype == p->w->dtype;
}

static bool read_statistics(pair *p) {
  for (int i = 0; i < 4; i++) {
    p->stat[i] = convert_bn_constant(p->e, p->bn->in[1 + i], p->channels);
    if (!p->stat[i])
      return false;
  }
  const onnx_attr *a = weft__edit_attr(p->bn, "epsilon");
  p->epsilon = a ? (double)a->f : (double)1e-5f;
  for (size_t i = 0; i < p->channels; i++) {
    double variance = weft_load_f64(p->stat[3]->dtype, p->stat[3]->data, i);
    if (!(variance + p->epsilon > 0))
      return false;
  }
  return true;
}

static bool convert_bn_match(pair *p) {
  if (!only_infers(p->e, p->bn))
    return false;
  p->conv = conv_before(p->e, p->bn->in[0]);
  return p->conv && read_weights(p) && read_statistics(p);
}

static weft_status new_tensor(pair *p, const weft_dim *dims, size_t rank, size_t elems, weft_tensor **out) {
  onnx_edit *e = p->e;
  size_t size = weft_dtype_bits(p->w->dtype) / 8;
  void *data = WEFT_NEW_N(&e->arena, double, elems + 1);  // room for either type
  *out = WEFT_NEW(&e->arena, weft_tensor);
  WEFT_TRY(weft__edit_allocated(data && *out, e));
  weft_tensor_init(*out, &e->env->alloc);
  return weft_tensor_borrow(*out, p->w->dtype, dims, rank, data, elems * size, e->d);
}

static weft_status convert_bn_merge(pair *p) {
  onnx_edit *e = p->e;
  edit_node *conv = p->conv;
  weft_tensor *w;
  weft_tensor *b;
  weft_dim channels = (weft_dim)p->channels;
  weft_dtype t = p->w->dtype;
  WEFT_TRY(
      new_tensor(p, p->w->layout.origin.dim, p->w->layout.origin.rank, p->channels * p->per_channel, &w));
  WEFT_TRY(new_tensor(p, &channels, 1, p->channels, &b));
  for (size_t c = 0; c < p->channels; c++) {
    double stat[4];
    for (int i = 0; i < 4; i++)
      stat[i] = weft_load_f64(p->stat[i]->dtype, p->stat[i]->data, c);
    double f = stat[0] / sqrt(stat[3] + p->epsilon), bias = p->b ? weft_load_f64(t, p->b->data, c) : 0;
    weft_store_f64(t, b->data, c, (bias - stat[2]) * f + stat[1]);
    for (size_t k = c * p->per_channel; k < (c + 1) * p->per_channel; k++)
      weft_store_f64(t, w->data, k, weft_load_f64(t, p->w->data, k) * f);
  }
  edit_value *wv = weft__edit_fresh(e, conv->in[1], "_bn");
  edit_value *bv = weft__edit_fresh(e, p->b ? conv->in[2] : p->bn->out[0], p->b ? "_bn" : "_bias");
  edit_value **in = WEFT_NEW_N(&e->arena, edit_value *, 3);
  WEFT_TRY(weft__edit_allocated(wv && bv && in, e));
  WEFT_TRY(weft__edit_add_tensor(e, wv, w));
  WEFT_TRY(weft__edit_add_tensor(e, bv, b));
  in[0] = conv->in[0];
  in[1] = wv;
  in[2] = bv;
  conv->in[1]->n_uses--;
  wv->n_uses = bv->n_uses = 1;
  if (p->b)
    conv->in[2]->n_uses--;
  p->bn->in[0]->producer = NULL;
  conv->in = in;
  conv->n_in = 3;
  conv->out[0] = p->bn->out[0];
  conv->changed = true;
  p->bn->out[0]->producer = conv;
  p->bn->gone = true;
  return WEFT_OK;
}

weft_status weft__convert_merge_bn(onnx_edit *e, size_t *out_n) {
  for (size_t i = 0; i < e->n_nodes; i++) {
    pair p = {.e = e, .bn = &e->nodes[i]};
    if (p.bn->gone || !convert_bn_match(&p))
      continue;
    WEFT_TRY(convert_bn_merge(&p));
    ++*out_n;
  }
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
