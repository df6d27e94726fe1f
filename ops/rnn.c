// rnn.c - see rnn.h; rnn.rule.h says how attributes are read.
#include "rnn.h"

static double relu(double x, double a, double b) {
  return (void)a, (void)b, x < 0 ? 0 : x;
}
static double tanh_of(double x, double a, double b) {
  return (void)a, (void)b, tanh(x);
}
static double sigmoid(double x, double a, double b) {
  return (void)a, (void)b, 1 / (1 + exp(-x));
}
static double affine(double x, double a, double b) {
  return a * x + b;
}
static double leaky_relu(double x, double a, double b) {
  return (void)b, x < 0 ? a * x : x;
}
static double thresholded_relu(double x, double a, double b) {
  return (void)b, x > a || isnan(x) ? x : 0;
}
static double scaled_tanh(double x, double a, double b) {
  return a * tanh(b * x);
}
static double hard_sigmoid(double x, double a, double b) {
  double v = a * x + b;
  return v < 0 ? 0 : v > 1 ? 1 : v;
}
static double elu(double x, double a, double b) {
  return (void)b, x < 0 ? a * expm1(x) : x;
}
static double softsign(double x, double a, double b) {
  return (void)a, (void)b, isinf(x) ? copysign(1, x) : x / (1 + fabs(x));
}
static double softplus(double x, double a, double b) {
  return (void)a, (void)b, (x > 0 ? x : 0) + log1p(exp(-fabs(x)));
}

static double (*const functions[WEFT_RNN_FUNCTIONS])(double x, double alpha, double beta) = {
    [WEFT_RNN_RELU] = relu,
    [WEFT_RNN_TANH] = tanh_of,
    [WEFT_RNN_SIGMOID] = sigmoid,
    [WEFT_RNN_AFFINE] = affine,
    [WEFT_RNN_LEAKY_RELU] = leaky_relu,
    [WEFT_RNN_THRESHOLDED_RELU] = thresholded_relu,
    [WEFT_RNN_SCALED_TANH] = scaled_tanh,
    [WEFT_RNN_HARD_SIGMOID] = hard_sigmoid,
    [WEFT_RNN_ELU] = elu,
    [WEFT_RNN_SOFTSIGN] = softsign,
    [WEFT_RNN_SOFTPLUS] = softplus,
};

static weft_status read_activations(weft_diag *d, const weft_op_desc *n, const weft_rnn *k,
                                    weft_activation *out) {
  const weft_attr *names = weft_attr_at(n, WEFT_RNN_ACTIVATIONS, WEFT_VT_LIST_STRING);
  const size_t count = weft__rnn_activation_count(n, k->n_acts);
  weft_rnn_activation act[6];
  if (names && names->n && names->n != count) {
    return weft_fail(d, WEFT_E_INVALID, "attribute 'activations': expected %zu names or none, got %zu", count,
                     names->n);
  }
  const size_t known = weft__rnn_activations(n, k->acts, k->n_acts, act);
  if (known < count) {
    const weft_str name = names->u.strs[known];
    return weft_fail(d, WEFT_E_INVALID, "attribute 'activations': '%.*s' is not the name of an activation",
                     (int)WEFT_MIN(name.bytes, 40), name.text);
  }
  for (size_t i = 0; i < count; i++)
    out[i] = (weft_activation){functions[act[i].f], (double)act[i].alpha, (double)act[i].beta};
  return WEFT_OK;
}

// ---- inference ----
// Input `port` has rank n with dims[i] (known or not), which it makes known; -1: anything.
static weft_status rnn_match(const weft_infer *it, uint32_t port, weft_dim *const *dims, size_t n) {
  uint32_t in;
  if (!weft__has_in(it->desc, port, &in))
    return WEFT_OK;
  WEFT_TRY(weft__expect_rank(it, in, n, n));
  for (size_t i = 0; i < n && !weft_shape_is_unknown_rank(it->in[in]); i++) {
    char what[96];
    snprintf(what, sizeof what, "dim %zu of input '%s'", i, weft__in_name(it->desc, in));
    WEFT_TRY(weft__merge_dim(it, *dims[i], it->in[in]->dim[i], what, dims[i]));
  }
  return WEFT_OK;
}

weft_status weft__rnn_infer(weft_infer *it, const weft_rnn *k) {
  weft_activation unused[6];
  weft_dim hidden = weft_node_int(it->desc, WEFT_RNN_HIDDEN);
  weft_dim dirs = (weft_dim)weft__rnn_directions(it->desc);
  weft_dim steps = -1;
  weft_dim batch = -1;
  weft_dim inputs = -1;
  weft_dim rows;
  weft_dim biases;
  weft_dim peepholes;
  WEFT_TRY(read_activations(it->d, it->desc, k, unused));
  if (hidden > INT32_MAX)
    return weft_fail(it->d, WEFT_E_LIMIT, "attribute 'hidden_size' is %lld", (long long)hidden);
  rows = (weft_dim)k->gates * hidden;
  biases = 2 * rows;
  peepholes = 3 * hidden;
  WEFT_TRY(rnn_match(it, RNN_X, (weft_dim *[]){&steps, &batch, &inputs}, 3));
  WEFT_TRY(rnn_match(it, RNN_W, (weft_dim *[]){&dirs, &rows, &inputs}, 3));
  WEFT_TRY(rnn_match(it, RNN_R, (weft_dim *[]){&dirs, &rows, &hidden}, 3));
  WEFT_TRY(rnn_match(it, RNN_B, (weft_dim *[]){&dirs, &biases}, 2));
  WEFT_TRY(rnn_match(it, RNN_LENGTHS, (weft_dim *[]){&batch}, 1));
  WEFT_TRY(rnn_match(it, RNN_H, (weft_dim *[]){&dirs, &batch, &hidden}, 3));
  if (k->cell_state) {
    WEFT_TRY(rnn_match(it, RNN_C, (weft_dim *[]){&dirs, &batch, &hidden}, 3));
    WEFT_TRY(rnn_match(it, RNN_P, (weft_dim *[]){&dirs, &peepholes}, 2));
  }
  for (uint32_t i = 0; i < it->n_out; i++) {
    weft_dim y[4] = {steps, dirs, batch, hidden};
    WEFT_TRY(weft_set_out_shape(it, i, i ? y + 1 : y, i ? 3 : 4));
  }
  return WEFT_OK;
}

// ---- the kernel ----
double weft__rnn_act(const weft_rnn_step *s, size_t k, double v) {
  if (s->clip >= 0)
    v = v < -s->clip ? -s->clip : v > s->clip ? s->clip : v;
  return s->act[k].f(v, s->act[k].alpha, s->act[k].beta);
}

double weft__rnn_x(const weft_rnn_step *s, size_t row) {
  double sum = s->b ? s->b[row] : 0;
  const double *w = s->w + row * s->inputs;
  for (size_t i = 0; i < s->inputs; i++)
    sum += w[i] * s->x[i];
  return sum;
}

double weft__rnn_h(const weft_rnn_step *s, size_t row, const double *h) {
  double sum = s->b ? s->b[s->gates * s->hidden + row] : 0;
  const double *r = s->r + row * s->hidden;
  for (size_t i = 0; i < s->hidden; i++)
    sum += r[i] * h[i];
  return sum;
}

typedef struct run {
  const weft_call *c;
  const weft_rnn *k;
  size_t steps, batch, dirs, hidden;
  const double *in[8];  // by port; NULL: absent
  weft_activation act[6];
  weft_rnn_step s;
} run;

static weft_status rnn_load(run *r) {
  for (uint32_t port = 0; port <= RNN_P; port++) {
    uint32_t in;
    double *v;
    if (port == RNN_LENGTHS || (port > RNN_H && !r->k->cell_state) || !weft__has_in(r->c->desc, port, &in))
      continue;
    WEFT_TRY(weft__load_f64s(r->c, r->c->in[in], &v));
    r->in[port] = v;
  }
  return WEFT_OK;
}

static void rnn_put(const run *r, uint32_t out, size_t at, const double *v) {
  weft_tensor *t = out < r->c->n_out ? r->c->out[out] : NULL;
  for (size_t i = 0; t && i < r->hidden; i++)
    weft_store_f64(t->dtype, t->data, at + i, v ? v[i] : 0);
}

static weft_status length_of(const run *r, size_t b, size_t *out) {
  uint32_t in;
  *out = r->steps;
  if (!weft__has_in(r->c->desc, RNN_LENGTHS, &in))
    return WEFT_OK;
  int64_t n = weft_load_i64(r->c->in[in]->dtype, r->c->in[in]->data, b);
  if (n < 0 || (uint64_t)n > r->steps) {
    return weft_fail(r->c->d, WEFT_E_RANGE, "input 'sequence_lens': element %zu is %lld, outside [0, %zu]", b,
                     (long long)n, r->steps);
  }
  *out = (size_t)n;
  return WEFT_OK;
}

static weft_status one_sequence(run *r, size_t dir, size_t b) {
  weft_rnn_step *s = &r->s;
  size_t h = r->hidden;
  size_t state = (dir * r->batch + b) * h;
  size_t length;
  const bool reverse = weft__rnn_is_reverse(r->c->desc, dir);
  WEFT_TRY(length_of(r, b, &length));
  for (size_t i = 0; i < h; i++) {
    s->h[i] = r->in[RNN_H] ? r->in[RNN_H][state + i] : 0;
    s->state[i] = r->in[RNN_C] ? r->in[RNN_C][state + i] : 0;
  }
  for (size_t i = 0; i < r->steps; i++) {
    size_t t = reverse && i < length ? length - 1 - i : i;
    WEFT_TRY(weft__call_poll(r->c));
    s->x = r->in[RNN_X] + (t * r->batch + b) * s->inputs;
    if (i < length)
      r->k->cell(s);
    rnn_put(r, 0, ((t * r->dirs + dir) * r->batch + b) * h, i < length ? s->h : NULL);
  }
  rnn_put(r, 1, state, s->h);
  if (r->k->cell_state)
    rnn_put(r, 2, state, s->state);
  return WEFT_OK;
}

weft_status weft__rnn_run(const weft_call *c, const weft_rnn *k) {
  const weft_shape *x = &c->in[RNN_X]->layout.origin;
  run r = {.c = c,
           .k = k,
           .steps = (size_t)x->dim[0],
           .batch = (size_t)x->dim[1],
           .dirs = weft__rnn_directions(c->desc)};
  size_t h = r.hidden = (size_t)weft_node_int(c->desc, WEFT_RNN_HIDDEN);
  size_t inputs = (size_t)x->dim[2];
  size_t n;
  void *space;
  WEFT_TRY(read_activations(c->d, c->desc, k, r.act));
  WEFT_TRY(rnn_load(&r));
  if (!weft_mul_size(h, k->gates + 3, &n))
    return weft_fail(c->d, WEFT_E_OVERFLOW, "attribute 'hidden_size' is %zu", h);
  WEFT_TRY(weft__scratch(c, n, &space));
  r.s = (weft_rnn_step){.c = c,
                        .hidden = h,
                        .inputs = inputs,
                        .gates = k->gates,
                        .h = space,
                        .clip = (double)weft_node_float(c->desc, WEFT_RNN_CLIP)};
  r.s.state = r.s.h + h;
  r.s.space = r.s.state + h;
  for (size_t dir = 0; dir < r.dirs; dir++) {
    size_t rows = k->gates * h;
    r.s.w = r.in[RNN_W] + dir * rows * inputs;
    r.s.r = r.in[RNN_R] + dir * rows * h;
    r.s.b = r.in[RNN_B] ? r.in[RNN_B] + dir * 2 * rows : NULL;
    r.s.p = r.in[RNN_P] ? r.in[RNN_P] + dir * 3 * h : NULL;
    for (size_t i = 0; i < k->n_acts; i++)
      r.s.act[i] = r.act[dir * k->n_acts + i];
    for (size_t b = 0; b < r.batch; b++)
      WEFT_TRY(one_sequence(&r, dir, b));
  }
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
