// match_norm.c - (x - mean) / sqrt(variance + epsilon) over the last axes becomes LayerNorm, and a factor and
// summand of the shape of these axes after it become its gamma and beta. Within rounding: LayerNorm computes
// in double and rounds once. Floats only; the normalised dims must be known, the epsilon a number.
#include "pass/match.h"
#include "op_slots.h"

enum { MOST_PARAMS = 1 << 22 };

typedef struct norm {
  weft_value *x;
  uint32_t axes;  // that are normalised, a bit each
  double epsilon;
} norm;

static weft_node *mean_of(const weft_pass_run *r, const weft_value *v, uint32_t *axes) {
  weft_node *n = weft__made_by(r, v, WEFT_K_REDUCE_MEAN);
  return n && weft__reduce_axes(n, axes) ? n : NULL;
}

// d = x - mean(x)
static bool is_centred(const weft_pass_run *r, const weft_value *d, norm *m) {
  weft_node *sub = weft__made_by(r, d, WEFT_K_SUB);
  weft_node *mean;
  if (!sub || !(mean = mean_of(r, weft__arg(sub, 1), &m->axes)))
    return false;
  m->x = weft__arg(sub, 0);
  return weft__arg(mean, 0) == m->x;
}

// The square of d, or of another node that computes the same.
static bool is_square(const weft_pass_run *r, const weft_value *v, const norm *m) {
  norm again;
  int kind = weft__kind_by(r, v);
  if (!kind)
    return false;
  weft_value *a = weft__arg(v->node, 0);
  weft_value *b = weft__arg(v->node, 1);
  if (kind == WEFT_K_SQUARED_DIFFERENCE) {
    weft_node *mean = mean_of(r, b, &again.axes);
    return a == m->x && mean && weft__arg(mean, 0) == a && again.axes == m->axes;
  }
  bool square = kind == WEFT_K_SQUARE || (kind == WEFT_K_MUL && a == b) ||
                (kind == WEFT_K_POW && weft__is_number(b, 2));
  return square && is_centred(r, a, &again) && again.x == m->x && again.axes == m->axes;
}

// v = variance + epsilon
static bool is_variance(const weft_pass_run *r, const weft_value *v, norm *m) {
  weft_node *add = weft__made_by(r, v, WEFT_K_ADD);
  weft_node *mean;
  uint32_t axes;
  for (uint32_t i = 0; add && i < 2; i++) {
    if (weft__one_number(weft__arg(add, 1 - i), &m->epsilon) && m->epsilon >= 0 &&
        (mean = mean_of(r, weft__arg(add, i), &axes)))
      return axes == m->axes && is_square(r, weft__arg(mean, 0), m);
  }
  return false;
}

// 1 / sqrt(variance + epsilon)
static bool is_inverse_root(const weft_pass_run *r, const weft_value *v, norm *m) {
  double one;
  int kind = weft__kind_by(r, v);
  if (kind == WEFT_K_RSQRT)
    return is_variance(r, weft__arg(v->node, 0), m);
  const weft_value *root = NULL;
  if (kind == WEFT_K_RECIPROCAL)
    root = weft__arg(v->node, 0);
  if (kind == WEFT_K_DIV && weft__one_number(weft__arg(v->node, 0), &one) && one == 1)
    root = weft__arg(v->node, 1);
  weft_node *sqrt = root ? weft__made_by(r, root, WEFT_K_SQRT) : NULL;
  return sqrt && is_variance(r, weft__arg(sqrt, 0), m);
}

static bool find_norm(const weft_pass_run *r, const weft_node *n, int kind, norm *m) {
  weft_value *a = weft__arg(n, 0);
  weft_value *b = weft__arg(n, 1);
  if (weft__kind_in(kind, WEFT_KINDS_DIV)) {
    weft_node *sqrt = weft__made_by(r, b, WEFT_K_SQRT);
    return sqrt && is_centred(r, a, m) && is_variance(r, weft__arg(sqrt, 0), m);
  }
  return (is_centred(r, a, m) && is_inverse_root(r, b, m)) ||
         (is_centred(r, b, m) && is_inverse_root(r, a, m));
}

// LayerNorm in the place of n. in: x, gamma, beta; begin: the first of the axes that are normalised.
static weft_status add_norm(weft_pass_run *r, weft_node *n, weft_value *const *in, int64_t begin,
                            float epsilon, const char *done) {
  weft_named_attr attrs[3] = {{"begin_norm_axis", weft_attr_int(begin)},
                              {"begin_params_axis", weft_attr_int(begin)},
                              {"epsilon", weft_attr_float(epsilon)}};
  weft_value *made;
  WEFT_TRY(weft__pass_op(
      r, n, &(weft__pass_new){.kind = WEFT_K_LAYER_NORM, .attrs = attrs, .n_attrs = 3, .in = in, .n_in = 3},
      &made));
  return weft__pass_become(r, n, &n->out[0], made, done, NULL);
}

static weft_status match_norm_make(weft_pass_run *r, weft_node *n, const norm *m) {
  const weft_fact *x = &m->x->fact;
  size_t begin = 0;
  while (begin < x->rank && !(m->axes >> begin & 1))
    begin++;
  for (size_t i = begin; i < x->rank; i++) {
    if (!(m->axes >> i & 1)) {
      weft__pass_skipped(r, n, "a normalisation over other axes than the last ones");
      return WEFT_OK;
    }
    if (x->dims[i] < 0) {
      weft__pass_skipped(r, n, "a normalisation over dims that are not known");
      return WEFT_OK;
    }
  }
  double elems = 1;  // of gamma and of beta, which are made; a model may claim any size
  for (size_t i = begin; i < x->rank; i++)
    elems *= (double)x->dims[i];
  if (elems > MOST_PARAMS) {
    weft__pass_skipped(r, n, "a normalisation over more elements than parameters are made for");
    return WEFT_OK;
  }
  weft_value *gamma = weft__pass_filled(r, n->graph, "gamma", x->dtype, x->dims + begin, x->rank - begin, 1);
  weft_value *beta =
      gamma ? weft__pass_filled(r, n->graph, "beta", x->dtype, x->dims + begin, x->rank - begin, 0) : NULL;
  WEFT_TRY(weft__pass_made(r, beta));
  weft_value *const in[3] = {m->x, gamma, beta};
  return add_norm(r, n, in, (int64_t)begin, (float)m->epsilon, "LayerNorm from its formula");
}

// `by` with exactly the shape of the parameters: itself, or without ones before it; NULL: it does not fit.
static weft_status fitted(weft_pass_run *r, weft_node *n, weft_value *by, const weft_fact *params,
                          weft_value **out) {
  size_t extra = by->fact.rank - params->rank;
  int64_t dims[WEFT_MAX_RANK];
  *out = NULL;
  if (!weft__fact_known(&by->fact) || by->fact.rank < params->rank || by->fact.dtype != params->dtype)
    return WEFT_OK;
  for (size_t i = 0; i < by->fact.rank; i++) {
    if (by->fact.dims[i] != (i < extra ? 1 : params->dims[i - extra]))
      return WEFT_OK;
  }
  *out = by;
  if (!extra)
    return WEFT_OK;
  for (size_t i = 0; i < params->rank; i++)
    dims[i] = params->dims[i];
  weft_value *in[2] = {by, weft__pass_ints(r, n->graph, "shape", dims, params->rank)};
  WEFT_TRY(weft__pass_made(r, in[1]));
  return weft__pass_op(r, n, &(weft__pass_new){.kind = WEFT_K_RESHAPE, .in = in, .n_in = 2}, out);
}

// LayerNorm * gamma, or LayerNorm + beta, as one LayerNorm. A factor fits only where there is neither gamma
// nor beta yet, because beta comes after gamma. Where its mean or variance is read the LayerNorm stays, and
// another one beside it would only cost.
static weft_status absorb(weft_pass_run *r, weft_node *n, bool factor) {
  for (uint32_t i = 0; i < 2; i++) {
    weft_value *y = weft__arg(n, i);
    weft_value *by = weft__arg(n, 1 - i);
    weft_node *ln = weft__one_use(y) && !y->index ? weft__made_by(r, y, WEFT_K_LAYER_NORM) : NULL;
    if (!ln)
      continue;
    const weft_op_desc *d = &ln->desc.pub;
    weft_value *gamma = weft__arg(ln, 1);
    weft_value *beta = weft__arg(ln, 2);
    bool no_beta = weft__is_number(beta, 0);
    bool no_gamma = weft__is_number(gamma, 1);
    for (uint32_t k = 1; k < d->n_out; k++) {
      if (weft__value_read(&ln->out[k]))
        return WEFT_OK;
    }
    if (!no_beta || (factor && !no_gamma))
      return WEFT_OK;
    WEFT_TRY(fitted(r, n, by, &gamma->fact, &by));
    if (!by)
      continue;
    weft_value *const in[3] = {weft__arg(ln, 0), factor ? by : gamma, factor ? beta : by};
    return add_norm(r, n, in, weft_node_int(d, WEFT_SLOT_LAYER_NORM_BEGIN_NORM_AXIS),
                    weft_node_float(d, WEFT_SLOT_LAYER_NORM_EPSILON),
                    factor ? "the gamma of the LayerNorm" : "the beta of the LayerNorm");
  }
  return WEFT_OK;
}

static weft_status match_norm_visit(weft_pass_run *r, weft_node *n) {
  int kind = weft__kind(r, n);
  norm m;
  bool root = weft__kind_in(kind, WEFT_KINDS_DIV) || kind == WEFT_K_MUL;
  if ((!root && kind != WEFT_K_ADD) || !weft__value_read(&n->out[0]))
    return WEFT_OK;
  if (!(WEFT_FLOATS & WEFT_BIT(n->out[0].fact.dtype)) || weft__arg(n, 0)->fact.dtype != n->out[0].fact.dtype)
    return WEFT_OK;
  if (root && find_norm(r, n, kind, &m) && m.axes)
    return match_norm_make(r, n, &m);
  return kind == WEFT_K_MUL || kind == WEFT_K_ADD ? absorb(r, n, kind == WEFT_K_MUL) : WEFT_OK;
}

WEFT_PASS(match_norm) = {WEFT_PASS_HEAD,
                         "match-norm",
                         "LayerNorm from its formula",
                         WEFT_PASS_PATTERN,
                         .visit = match_norm_visit,
                         .at = WEFT_NAMES("Div", "RealDiv", "Mul", "Add"),
                         .needs = WEFT_NAMES("ReduceMean", "LayerNorm")};
// SPDX-License-Identifier: Apache-2.0
