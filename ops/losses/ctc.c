// ops/losses/ctc.c - connectionist temporal classification: how likely a sequence of labels is under
// probabilities by time, summed over all ways to stretch it with blanks, and its gradient.
#include "air_slots.h"
#include "op.h"
#include "op/air_rows.h"

typedef struct ctc_sample {
  size_t times, labels;  // of this sample
  size_t width;          // 2 labels + 1: blanks around each
  const int64_t *label;
  int64_t blank;
  bool merges;  // labels that repeat are one
  double (*log_p)(const void *ctx, size_t t, int64_t label);
  const void *ctx;
} ctc_sample;

static double ctc_add(double a, double b) {
  double m = a > b ? a : b;
  return m == -INFINITY ? m : m + log(exp(a - m) + exp(b - m));
}
static int64_t ctc_at(const ctc_sample *s, size_t u) {
  return u % 2 ? s->label[u / 2] : s->blank;
}
static bool ctc_stays(const ctc_sample *s, size_t u) {
  return s->merges || u % 2 == 0;
}
// May u follow u - 2?
static bool ctc_skips(const ctc_sample *s, size_t u) {
  return u >= 2 && u % 2 && !(s->merges && ctc_at(s, u) == ctc_at(s, u - 2));
}

// alpha[t * stride + u]: the logarithm of the probability to be at u at time t. *out is that of the whole.
static weft_status ctc_forward(const weft_call *c, const ctc_sample *s, double *alpha, size_t stride,
                               double *out) {
  size_t work = 0;
  for (size_t t = 0; t < s->times; t++) {
    WEFT_TRY(weft__poll_work(c, &work, 4 * s->width));
    for (size_t u = 0; u < s->width; u++) {
      const double *before = alpha + (t - 1) * stride;
      double v = -INFINITY;
      if (!t)
        v = u < 2 ? 0 : v;
      if (t && ctc_stays(s, u))
        v = before[u];
      if (t && u)
        v = ctc_add(v, before[u - 1]);
      if (t && ctc_skips(s, u))
        v = ctc_add(v, before[u - 2]);
      alpha[t * stride + u] = v + s->log_p(s->ctx, t, ctc_at(s, u));
    }
  }
  *out = s->labels ? -INFINITY : 0;
  if (!s->times)
    return WEFT_OK;
  const double *last = alpha + (s->times - 1) * stride;
  *out = s->width > 1 ? ctc_add(last[s->width - 1], last[s->width - 2]) : last[0];
  return WEFT_OK;
}
// What comes behind time t, without time t itself.
static weft_status ctc_backward(const weft_call *c, const ctc_sample *s, double *beta, size_t stride) {
  size_t work = 0;
  for (size_t t = s->times; t-- > 0;) {
    WEFT_TRY(weft__poll_work(c, &work, 4 * s->width));
    for (size_t u = 0; u < s->width; u++) {
      const double *after = beta + (t + 1) * stride;
      double v = -INFINITY;
      if (t + 1 == s->times) {
        beta[t * stride + u] = u + 2 >= s->width ? 0 : v;
        continue;
      }
      if (ctc_stays(s, u))
        v = after[u] + s->log_p(s->ctx, t + 1, ctc_at(s, u));
      if (u + 1 < s->width)
        v = ctc_add(v, after[u + 1] + s->log_p(s->ctx, t + 1, ctc_at(s, u + 1)));
      if (u + 2 < s->width && ctc_skips(s, u + 2))
        v = ctc_add(v, after[u + 2] + s->log_p(s->ctx, t + 1, ctc_at(s, u + 2)));
      beta[t * stride + u] = v;
    }
  }
  return WEFT_OK;
}
// The logarithm of the probability to be at a label at time t, given the sequence.
static double ctc_posterior(const ctc_sample *s, const double *alpha, const double *beta, size_t stride,
                            size_t t, int64_t label, double whole) {
  double v = -INFINITY;
  for (size_t u = 0; u < s->width; u++) {
    if (ctc_at(s, u) == label)
      v = ctc_add(v, alpha[t * stride + u] + beta[t * stride + u]);
  }
  return v - whole;
}

// ---- [time, sample, class] ----
typedef struct ctc_table {
  const weft_tensor *x;
  size_t batch, classes, sample;
  const double *norm;  // by time, of this sample; NULL: logarithms already
} ctc_table;

static double ctc_table_log(const void *ctx, size_t t, int64_t label) {
  const ctc_table *p = ctx;
  size_t at = (t * p->batch + p->sample) * p->classes + (size_t)label;
  return weft_load_f64(p->x->dtype, p->x->data, at) - (p->norm ? p->norm[t] : 0);
}
static weft_status ctc_norms(const weft_call *c, const ctc_table *p, size_t times, double *norm) {
  size_t work = 0;
  for (size_t t = 0; t < times; t++) {
    double sum = -INFINITY;
    WEFT_TRY(weft__poll_work(c, &work, 4 * p->classes));
    for (size_t k = 0; k < p->classes; k++)
      sum = ctc_add(sum, weft_load_f64(p->x->dtype, p->x->data, (t * p->batch + p->sample) * p->classes + k));
    norm[t] = sum;
  }
  return WEFT_OK;
}

typedef struct ctc_room {
  double *alpha, *beta, *norm;
  int64_t *label;
} ctc_room;
// For all times of a sample; without samples for none, whatever times the shape claims.
static weft_status ctc_get_room(const weft_call *c, const ctc_table *p, size_t times, size_t labels,
                                ctc_room *r) {
  size_t cells;
  void *at;
  if (p->batch && !p->classes)
    return weft_fail(c->d, WEFT_E_SHAPE, "the input has no classes; one of them is the blank");
  times = p->batch ? times : 0;
  if (!weft_mul_size(times + 1, 2 * labels + 1, &cells) || cells > SIZE_MAX / 64)
    return weft_fail(c->d, WEFT_E_OVERFLOW, "%zu times and %zu labels", times, labels);
  size_t doubles = 2 * cells + times + 1;
  WEFT_TRY(c->host->workspace(c, doubles * sizeof(double) + (labels + 1) * sizeof(int64_t), &at));
  r->alpha = at;
  r->beta = r->alpha + cells;
  r->norm = r->beta + cells;
  r->label = (int64_t *)(void *)(r->norm + times + 1);
  return WEFT_OK;
}
static weft_status ctc_length(const weft_call *c, uint32_t in, size_t i, size_t most, size_t *out) {
  int64_t n = weft_load_i64(c->in[in]->dtype, c->in[in]->data, i);
  *out = n > 0 ? (size_t)n : 0;
  return n >= 0 && *out <= most
             ? WEFT_OK
             : weft_fail(c->d, WEFT_E_RANGE, "input '%s', element [%zu]: %lld is outside [0, %zu]",
                         weft__in_name(c->desc, in), i, (long long)n, most);
}
static weft_status ctc_check_label(const weft_call *c, int64_t v, size_t classes, size_t sample) {
  return v >= 0 && v < (int64_t)classes
             ? WEFT_OK
             : weft_fail(c->d, WEFT_E_RANGE, "label %lld of sample %zu is outside [0, %zu]", (long long)v,
                         sample, classes ? classes - 1 : 0);
}

// ---- TensorFlow's: logits, sparse labels, the last class is the blank ----
static weft_status ctc_loss_infer(weft_infer *it) {
  const weft_shape *x = it->in[0];
  WEFT_TRY(weft__expect_rank(it, 0, 3, 3));
  WEFT_TRY(weft__expect_rank(it, 1, 2, 2));
  WEFT_TRY(weft__expect_rank(it, 2, 1, 1));
  WEFT_TRY(weft__expect_rank(it, 3, 1, 1));
  it->out_dtype[0] = it->out_dtype[1] = it->in_dtype[0];
  weft_dim n = weft_shape_is_unknown_rank(x) ? -1 : x->dim[1];
  weft_dim given = weft_shape_is_unknown_rank(it->in[3]) ? -1 : it->in[3]->dim[0];
  const weft_shape *at = it->in[1];
  if (!weft_shape_is_unknown_rank(at) && at->dim[1] >= 0 && at->dim[1] != 2)
    return weft_fail(it->d, WEFT_E_SHAPE, "input 'labels_indices': axis 1 is %lld, expected 2",
                     (long long)at->dim[1]);
  if (!weft_shape_is_unknown_rank(at) && !weft_shape_is_unknown_rank(it->in[2])) {
    weft_dim same;
    WEFT_TRY(weft__merge_dim(it, at->dim[0], it->in[2]->dim[0], "places and values of labels", &same));
  }
  WEFT_TRY(weft__merge_dim(it, n, given, "samples and their lengths", &n));
  weft_shape_copy(it->out[1], x);
  return weft_set_out_shape(it, 0, &n, 1);
}
static size_t ctc_labels_of(const weft_call *c, size_t sample, bool collapse, int64_t *label) {
  const weft_tensor *at = c->in[1];
  const weft_tensor *v = c->in[2];
  size_t n = 0;
  for (size_t i = 0; i < weft__elems(&v->layout.origin); i++) {
    int64_t value = weft_load_i64(v->dtype, v->data, i);
    if (weft_load_i64(at->dtype, at->data, 2 * i) != (int64_t)sample)
      continue;
    if (!collapse || !n || label[n - 1] != value)
      label[n++] = value;
  }
  return n;
}
static weft_status ctc_loss_sample(const weft_call *c, ctc_table *p, const ctc_room *r, ctc_sample *s) {
  weft_tensor *loss = c->out[0];
  weft_tensor *grad = c->out[1];
  const size_t stride = 2 * s->labels + 1;
  for (size_t i = 0; i < s->labels; i++)
    WEFT_TRY(ctc_check_label(c, s->label[i], p->classes, p->sample));
  if (s->labels > s->times &&
      !weft_node_bool(c->desc, WEFT_SLOT_CTC_LOSS_IGNORE_LONGER_OUTPUTS_THAN_INPUTS)) {
    return weft_fail(c->d, WEFT_E_INVALID, "sample %zu has %zu labels for %zu times", p->sample, s->labels,
                     s->times);
  }
  if (s->labels > s->times)
    return WEFT_OK;
  double whole;
  size_t work = 0;
  WEFT_TRY(ctc_norms(c, p, s->times, r->norm));
  WEFT_TRY(ctc_forward(c, s, r->alpha, stride, &whole));
  if (loss)
    weft_store_f64(loss->dtype, loss->data, p->sample, -whole);
  if (!grad || whole == -INFINITY)
    return WEFT_OK;
  WEFT_TRY(ctc_backward(c, s, r->beta, stride));
  for (size_t t = 0; t < s->times; t++) {
    WEFT_TRY(weft__poll_work(c, &work, p->classes * (s->width + 4)));
    for (size_t k = 0; k < p->classes; k++) {
      double g = exp(ctc_table_log(p, t, (int64_t)k)) -
                 exp(ctc_posterior(s, r->alpha, r->beta, stride, t, (int64_t)k, whole));
      weft_store_f64(grad->dtype, grad->data, (t * p->batch + p->sample) * p->classes + k, g);
    }
  }
  return WEFT_OK;
}
static weft_status ctc_loss_ref(const weft_call *c) {
  const weft_tensor *x = c->in[0];
  const weft_shape *shape = &x->layout.origin;
  size_t times = (size_t)shape->dim[0];
  size_t most = weft__elems(&c->in[2]->layout.origin);
  ctc_room r;
  ctc_table p = {x, (size_t)shape->dim[1], (size_t)shape->dim[2], 0, NULL};
  WEFT_TRY(ctc_get_room(c, &p, times, most, &r));
  p.norm = r.norm;
  for (uint32_t i = 0; i < 2; i++) {
    if (c->out[i])
      memset(c->out[i]->data, 0, c->out[i]->bytes);
  }
  for (; p.sample < p.batch; p.sample++) {
    ctc_sample s = {.label = r.label, .blank = (int64_t)p.classes - 1, .log_p = ctc_table_log, .ctx = &p};
    s.merges = weft_node_bool(c->desc, WEFT_SLOT_CTC_LOSS_CTC_MERGE_REPEATED);
    WEFT_TRY(weft__call_poll(c));
    WEFT_TRY(ctc_length(c, 3, p.sample, times, &s.times));
    s.labels = ctc_labels_of(
        c, p.sample, weft_node_bool(c->desc, WEFT_SLOT_CTC_LOSS_PREPROCESS_COLLAPSE_REPEATED), r.label);
    s.width = 2 * s.labels + 1;
    WEFT_TRY(ctc_loss_sample(c, &p, &r, &s));
  }
  return WEFT_OK;
}

// ---- PyTorch's: logarithms of probabilities, labels by row ----
static weft_status ctc_v2_shapes(const weft_infer *it, uint32_t first) {
  WEFT_TRY(weft__expect_rank(it, first, 3, 3));
  WEFT_TRY(weft__expect_rank(it, first + 1, 2, 2));
  WEFT_TRY(weft__expect_rank(it, first + 2, 1, 1));
  WEFT_TRY(weft__expect_rank(it, first + 3, 1, 1));
  weft_dim n = weft_shape_is_unknown_rank(it->in[first]) ? -1 : it->in[first]->dim[1];
  for (uint32_t i = 1; i < 4; i++) {
    const weft_shape *s = it->in[first + i];
    if (!weft_shape_is_unknown_rank(s))
      WEFT_TRY(weft__merge_dim(it, n, s->dim[0], "samples, targets and their lengths", &n));
  }
  return WEFT_OK;
}
static weft_status ctc_loss_v2_infer(weft_infer *it) {
  const weft_shape *x = it->in[0];
  const weft_shape *targets = it->in[1];
  bool known = !weft_shape_is_unknown_rank(x);
  WEFT_TRY(ctc_v2_shapes(it, 0));
  it->out_dtype[0] = it->out_dtype[1] = it->in_dtype[0];
  weft_dim two = 2;
  weft_dim width = weft_shape_is_unknown_rank(targets)
                       ? -1
                       : weft_dims_add(it, weft_dims_mul(it, targets->dim[1], two), 1);
  const weft_dim alpha[3] = {known ? x->dim[1] : -1, known ? x->dim[0] : -1, width};
  WEFT_TRY(weft_set_out_shape(it, 0, alpha, 1));
  return weft_set_out_shape(it, 1, alpha, 3);
}
static weft_status ctc_loss_v2_grad_infer(weft_infer *it) {
  WEFT_TRY(ctc_v2_shapes(it, 1));
  WEFT_TRY(weft__expect_rank(it, 0, 0, 1));
  const weft_shape *g = it->in[0];
  if (!weft_shape_is_unknown_rank(g) && g->rank && !weft_shape_is_unknown_rank(it->in[1])) {
    weft_dim n;
    WEFT_TRY(weft__merge_dim(it, g->dim[0], it->in[1]->dim[1], "gradients and samples", &n));
  }
  return weft__same(it, 0, 1);
}
static weft_status ctc_v2_sample(const weft_call *c, uint32_t first, ctc_table *p, const ctc_room *r,
                                 ctc_sample *s) {
  const weft_tensor *targets = c->in[first + 1];
  size_t most = (size_t)targets->layout.origin.dim[1];
  *s = (ctc_sample){.label = r->label, .merges = true, .log_p = ctc_table_log, .ctx = p};
  s->blank = weft_node_int(c->desc, 0);
  WEFT_TRY(weft__call_poll(c));
  WEFT_TRY(ctc_check_label(c, s->blank, p->classes, p->sample));
  WEFT_TRY(ctc_length(c, first + 2, p->sample, (size_t)p->x->layout.origin.dim[0], &s->times));
  WEFT_TRY(ctc_length(c, first + 3, p->sample, most, &s->labels));
  s->width = 2 * s->labels + 1;
  for (size_t i = 0; i < s->labels; i++) {
    r->label[i] = weft_load_i64(targets->dtype, targets->data, p->sample * most + i);
    WEFT_TRY(ctc_check_label(c, r->label[i], p->classes, p->sample));
  }
  return WEFT_OK;
}
static weft_status ctc_loss_v2_ref(const weft_call *c) {
  const weft_shape *shape = &c->in[0]->layout.origin;
  size_t times = (size_t)shape->dim[0];
  size_t most = (size_t)c->in[1]->layout.origin.dim[1];
  const size_t stride = 2 * most + 1;
  ctc_table p = {c->in[0], (size_t)shape->dim[1], (size_t)shape->dim[2], 0, NULL};
  ctc_sample s;
  ctc_room r;
  WEFT_TRY(ctc_get_room(c, &p, times, most, &r));
  for (; p.sample < p.batch; p.sample++) {
    for (size_t i = 0; i < times * stride; i++)
      r.alpha[i] = -INFINITY;
    WEFT_TRY(ctc_v2_sample(c, 0, &p, &r, &s));
    double whole;
    WEFT_TRY(ctc_forward(c, &s, r.alpha, stride, &whole));
    if (c->out[0])
      weft_store_f64(c->out[0]->dtype, c->out[0]->data, p.sample, -whole);
    for (size_t i = 0; c->out[1] && i < times * stride; i++) {
      WEFT_TRY(weft__poll_at(c, i));
      weft_store_f64(c->out[1]->dtype, c->out[1]->data, p.sample * times * stride + i, r.alpha[i]);
    }
  }
  return WEFT_OK;
}
static weft_status ctc_loss_v2_grad_ref(const weft_call *c) {
  const weft_shape *shape = &c->in[1]->layout.origin;
  const weft_tensor *gs = c->in[0];
  weft_tensor *y = c->out[0];
  size_t times = (size_t)shape->dim[0];
  size_t most = (size_t)c->in[2]->layout.origin.dim[1];
  const size_t stride = 2 * most + 1;
  bool zero = weft_node_bool(c->desc, WEFT_SLOT_CTC_LOSS_V2_GRAD_ZERO_INFINITY);
  ctc_table p = {c->in[1], (size_t)shape->dim[1], (size_t)shape->dim[2], 0, NULL};
  ctc_sample s;
  ctc_room r;
  size_t work = 0;
  WEFT_TRY(ctc_get_room(c, &p, times, most, &r));
  memset(y->data, 0, y->bytes);
  for (; p.sample < p.batch; p.sample++) {
    WEFT_TRY(ctc_v2_sample(c, 1, &p, &r, &s));
    double g = weft_load_f64(gs->dtype, gs->data, gs->layout.origin.rank ? p.sample : 0);
    double whole;
    WEFT_TRY(ctc_forward(c, &s, r.alpha, stride, &whole));
    if (whole == -INFINITY && zero)
      continue;
    WEFT_TRY(ctc_backward(c, &s, r.beta, stride));
    for (size_t i = 0; i < s.times * p.classes; i++) {
      WEFT_TRY(weft__poll_work(c, &work, s.width + 4));
      size_t t = i / p.classes;
      int64_t k = (int64_t)(i % p.classes);
      double v = exp(ctc_table_log(&p, t, k)) - exp(ctc_posterior(&s, r.alpha, r.beta, stride, t, k, whole));
      weft_store_f64(y->dtype, y->data, (t * p.batch + p.sample) * p.classes + (size_t)k, v * g);
    }
  }
  return WEFT_OK;
}

// clang-format off
WEFT_ROWS(ctc) = {
  {.name = "CTCLoss", .summary = "the loss of sequences without alignment, and its gradient",
       .traits = WEFT_SYMBOLIC, .infer = ctc_loss_infer, .ref = ctc_loss_ref,
   .examples = WEFT_EXAMPLES("f32[1,1,2]{0,0}, i64[1,2]{0,0}, i32[1]{0}, i32[1]{1} -> f32[1]{0.6931472}, "
   "f32[1,1,2]{-0.5,0.5} ~1e-6",
                             "f32[T,N,5], i64[-1,2], i32[-1], i32[N] -> f32[N], f32[T,N,5]",
                             "f32[1,1,2]{0,0}, i64[1,2]{0,0}, i32[1]{7}, i32[1]{1} !! E_RANGE label")},
  {.name = "CTCLossV2", .summary = "the loss of sequences without alignment", .traits = WEFT_SYMBOLIC,
       .infer = ctc_loss_v2_infer, .ref = ctc_loss_v2_ref,
   .examples = WEFT_EXAMPLES("f32[1,1,2]{-0.5,-0.25}, i32[1,1]{1}, i32[1]{1}, i32[1]{1} -> f32[1]{0.25}, "
   "f32[1,1,3]{-0.5,-0.25,-inf} ~1e-6",
                             "f32[5,1,0]{}, i32[1,1]{0}, i32[1]{1}, i32[1]{1} !! E_SHAPE no classes",
                             "f32[T,N,5], i64[N,3], i64[N], i64[N] -> f32[N], f32[N,T,7]")},
  {.name = "CTCLossV2Grad", .summary = "the gradient of CTCLossV2", .traits = WEFT_SYMBOLIC,
       .infer = ctc_loss_v2_grad_infer, .ref = ctc_loss_v2_grad_ref, .like = "log_probs",
   .examples = WEFT_EXAMPLES("f32[1]{2}, f32[1,1,2]{-0.6931472,-0.6931472}, i32[1,1]{1}, i32[1]{1}, "
   "i32[1]{1}, f32[1]{0}, f32[1,1,3] -> f32[1,1,2]",
   "f32[1]{2}, f32[5,1,0]{}, i32[1,1]{0}, i32[1]{1}, i32[1]{1}, f32[1]{0}, f32[1,5,3]{*0} "
   "!! E_SHAPE no classes",
                             "f32[1]{2}, f32[1,1,2]{-0.6931472,-0.6931472}, i32[1,1]{1}, i32[1]{1}, "
                             "i32[1]{1}, f32[1]{0}, f32[1,1,3]{0,0,0} -> f32[1,1,2]{1,-1} ~1e-6")},
  {0},
};
// SPDX-License-Identifier: Apache-2.0
