// ops/ml/svm_votes.c - the class and the scores of a support vector machine from the kernels of its rows.
// ONNX (ai.onnx.ml) SVMClassifier-1, the second half, as ONNX Runtime gives it. Every pair of classes i < j
//   has a score, s = sum of K[v] coefficients[j-1,v] over the vectors of i + sum of K[v] coefficients[i,v]
//   over those of j + rho[pair],
// and votes for i when s > 0, for j otherwise; the first class with the most votes wins. Z without prob_a:
// the scores of the pairs, of two classes -s and s; before a softmax, a probit or a softmax that keeps zeros
// 1 - s and s, and softmaxes are not applied. With prob_a and prob_b: a probability of each class, from those
// of the pairs, 1 / (1 + exp(s a + b)), that fit them best (Wu, Lin and Weng, Probability Estimates for
// Multi-class Classification by Pairwise Coupling, 2004, the second method). post_transform as in
// TreeEnsemble. Computed in double.
#include "trees.h"

enum { K, COEFFICIENTS, RHO, PROB_A, PROB_B };
enum { VECTORS_PER_CLASS, POST };

static weft_status expect_count(const weft_infer *it, uint32_t in, size_t n) {
  weft_dim dim;
  char what[64];
  WEFT_TRY(weft__expect_rank(it, in, 1, 1));
  snprintf(what, sizeof what, "the number of '%s'", weft__in_name(it->desc, in));
  if (weft_shape_is_unknown_rank(it->in[in]))
    return WEFT_OK;
  return weft__merge_dim(it, it->in[in]->dim[0], (weft_dim)n, what, &dim);
}

static weft_status svm_votes_infer(weft_infer *it) {
  const weft_shape *k = it->in[K];
  weft_ints per_class = weft_node_ints(it->desc, VECTORS_PER_CLASS);
  size_t n = per_class.n;
  size_t vectors = 0;
  size_t pairs;
  size_t coefficients;
  uint32_t a;
  bool probable = weft__has_in(it->desc, PROB_A, &a);
  weft_dim dim;
  if (n < 2 || n > 65535) {
    return weft_fail(it->d, WEFT_E_RANGE, "attribute 'vectors_per_class': %zu classes, expected 2 to 65535",
                     n);
  }
  for (size_t i = 0; i < n; i++) {
    if (!weft_add_size(vectors, (size_t)per_class.v[i], &vectors))
      return weft_fail(it->d, WEFT_E_OVERFLOW, "attribute 'vectors_per_class': the sum overflows");
  }
  pairs = n * (n - 1) / 2;
  if (!weft_mul_size(n - 1, vectors, &coefficients) || coefficients > INT64_MAX)
    return weft_fail(it->d, WEFT_E_OVERFLOW, "%zu classes of %zu vectors", n, vectors);
  WEFT_TRY(weft__expect_rank(it, K, 2, 2));
  bool known = !weft_shape_is_unknown_rank(k);
  if (known) {
    WEFT_TRY(weft__merge_dim(it, k->dim[1], (weft_dim)vectors, "the columns of 'K' and the support vectors",
                             &dim));
  }
  WEFT_TRY(expect_count(it, COEFFICIENTS, coefficients));
  for (uint32_t i = RHO; i < it->n_in; i++)
    WEFT_TRY(expect_count(it, i, pairs));
  weft_dim rows = known ? k->dim[0] : -1;
  weft_dim scores = (weft_dim)(probable || n == 2 ? n : pairs);
  WEFT_TRY(weft_set_out_shape(it, 0, &rows, 1));
  return weft_set_out_shape(it, 1, (weft_dim[2]){rows, scores}, 2);
}

typedef struct machine {
  const weft_call *c;
  const int64_t *vectors;  // of each class
  size_t n, all, pairs;
  double *score, *share, *fit;  // of the pairs; r[i,j]; scratch of the coupling: n*n + 2n
  int64_t *votes;
} machine;

static double svm_votes_part(const weft_tensor *w, size_t row, const double *k, size_t from, size_t count,
                             size_t width) {
  double sum = 0;
  for (size_t v = from; v < from + count; v++)
    sum += weft_load_f64(w->dtype, w->data, row * width + v) * k[v];
  return sum;
}

static void score_pairs(const machine *m, const double *k) {
  const weft_tensor *w = m->c->in[COEFFICIENTS];
  const weft_tensor *rho = m->c->in[RHO];
  size_t pair = 0;
  size_t from_i = 0;
  for (size_t i = 0; i < m->n; i++)
    m->votes[i] = 0;
  for (size_t i = 0; i < m->n; i++) {
    size_t in_i = (size_t)m->vectors[i];
    size_t from_j = from_i + in_i;
    for (size_t j = i + 1; j < m->n; j++, pair++) {
      size_t in_j = (size_t)m->vectors[j];
      double s =
          svm_votes_part(w, j - 1, k, from_i, in_i, m->all) + svm_votes_part(w, i, k, from_j, in_j, m->all);
      s += weft_load_f64(rho->dtype, rho->data, pair);
      m->score[pair] = s;
      m->votes[s > 0 ? i : j]++;
      from_j += in_j;
    }
    from_i += in_i;
  }
}

static void shares(const machine *m) {
  const weft_tensor *a = m->c->in[PROB_A];
  const weft_tensor *b = m->c->in[PROB_B];
  size_t pair = 0;
  for (size_t i = 0; i < m->n; i++) {
    for (size_t j = i + 1; j < m->n; j++, pair++) {
      double at =
          m->score[pair] * weft_load_f64(a->dtype, a->data, pair) + weft_load_f64(b->dtype, b->data, pair);
      double p = 1 / (1 + exp(at));
      p = p < 1e-7 ? 1e-7 : p > 1 - 1e-7 ? 1 - 1e-7 : p;
      m->share[i * m->n + j] = p;
      m->share[j * m->n + i] = 1 - p;
    }
  }
}

// One round of the descent for p' Q p with sum p = 1; qp is Q p, and *value p' Q p, both kept up to date.
static void couple_once(size_t n, const double *q, double *p, double *qp, double *value) {
  for (size_t t = 0; t < n; t++) {
    double step = (*value - qp[t]) / q[t * n + t];
    p[t] += step;
    *value = (*value + step * (step * q[t * n + t] + 2 * qp[t])) / (1 + step) / (1 + step);
    for (size_t j = 0; j < n; j++) {
      qp[j] = (qp[j] + step * q[t * n + j]) / (1 + step);
      p[j] /= 1 + step;
    }
  }
}

static double couple_error(size_t n, const double *q, const double *p, double *qp, double *value) {
  double most = 0;
  *value = 0;
  for (size_t i = 0; i < n; i++) {
    qp[i] = 0;
    for (size_t j = 0; j < n; j++)
      qp[i] += q[i * n + j] * p[j];
    *value += p[i] * qp[i];
  }
  for (size_t i = 0; i < n; i++)
    most = fmax(most, fabs(qp[i] - *value));
  return most;
}

// The probabilities that fit the pairs' best.
static weft_status couple(const machine *m, double *p) {
  size_t work = 0;
  const size_t n = m->n;
  const size_t rounds = n < 100 ? 100 : n;
  const double enough = 0.005 / (double)n;
  const double *r = m->share;
  double *q = m->fit, *qp = q + n * n, value;
  for (size_t i = 0; i < n; i++) {
    p[i] = 1 / (double)n;
    q[i * n + i] = 0;
    for (size_t j = 0; j < n; j++) {
      if (j == i)
        continue;
      q[i * n + i] += r[j * n + i] * r[j * n + i];
      q[i * n + j] = -r[j * n + i] * r[i * n + j];
    }
  }
  for (size_t k = 0; k < rounds && couple_error(n, q, p, qp, &value) >= enough; k++) {
    WEFT_TRY(weft__poll_work(m->c, &work, n * n));
    couple_once(n, q, p, qp, &value);
  }
  return WEFT_OK;
}

static size_t winner(const machine *m) {
  size_t best = 0;
  for (size_t i = 1; i < m->n; i++) {
    if (m->votes[i] > m->votes[best])
      best = i;
  }
  return best;
}

// The scores of a row, transformed, in m->score.
static weft_status svm_votes_finish(const machine *m, size_t scores, bool probable) {
  enum { NONE, SOFTMAX, LOGISTIC, SOFTMAX_ZERO, PROBIT };
  int64_t post = weft_node_int(m->c->desc, POST);
  if (probable) {
    shares(m);
    WEFT_TRY(couple(m, m->score));
  } else if (m->n == 2) {
    bool sum_1 = post != NONE && post != LOGISTIC;
    m->score[1] = m->score[0];
    m->score[0] = sum_1 ? 1 - m->score[1] : -m->score[1];
    if (post == SOFTMAX || post == SOFTMAX_ZERO)
      return WEFT_OK;
  }
  weft__scores_transform(m->score, scores, post);
  return WEFT_OK;
}

static weft_status run_rows(machine *m, size_t rows, size_t scores, bool probable) {
  const weft_tensor *best = m->c->out[0];
  const weft_tensor *z = m->c->out[1];
  size_t work = 0;
  for (size_t r = 0; r < rows; r++) {
    WEFT_TRY(weft__poll_work(m->c, &work, m->all * m->n + m->pairs));
    score_pairs(m, (const double *)m->c->in[K]->data + r * m->all);
    if (best)
      ((int64_t *)best->data)[r] = (int64_t)winner(m);
    if (!z)
      continue;
    WEFT_TRY(svm_votes_finish(m, scores, probable));
    for (size_t i = 0; i < scores; i++)
      weft_store_f64(WEFT_FLOAT, z->data, r * scores + i, m->score[i]);
  }
  return WEFT_OK;
}

static weft_status svm_votes_ref(const weft_call *c) {
  weft_ints per_class = weft_node_ints(c->desc, VECTORS_PER_CLASS);
  const weft_shape *k = &c->in[K]->layout.origin;
  size_t n = per_class.n;
  size_t pairs = n * (n - 1) / 2;
  size_t words;
  size_t bytes;
  bool probable = c->n_in > PROB_A;
  void *space;
  if (probable && c->n_in != PROB_B + 1)
    return weft_fail(c->d, WEFT_E_MISSING, "inputs 'prob_a' and 'prob_b' are given both or not at all");
  // scores (two where there is one pair), shares and fit n*n each, 2n for the coupling and n votes
  if (!weft_mul_size(n, n, &words) || !weft_mul_size(words, 2, &words) ||
      !weft_add_size(words, pairs + 4 * n, &words) || !weft_mul_size(words, sizeof(double), &bytes))
    return weft_fail(c->d, WEFT_E_OVERFLOW, "%zu classes", n);
  WEFT_TRY(c->host->workspace(c, bytes, &space));
  machine m = {.c = c, .vectors = per_class.v, .n = n, .all = (size_t)k->dim[1], .pairs = pairs};
  m.score = space;
  m.share = m.score + pairs + n;
  m.fit = m.share + n * n;
  m.votes = (int64_t *)(m.fit + n * n + 2 * n);
  return run_rows(&m, (size_t)k->dim[0], probable || n == 2 ? n : pairs, probable);
}

WEFT_OP(svm_votes) = {
    WEFT_OP_HEAD,
    .name = "SvmVotes",
    .summary = "class and scores of a support vector machine",
    .in = PORTS({"K", NULL, WEFT_DT(DOUBLE)}, {"coefficients", NULL, WEFT_DT(FLOAT)},
                {"rho", NULL, WEFT_DT(FLOAT)}, {"prob_a", NULL, WEFT_DT(FLOAT), .kind = WEFT_OPTIONAL},
                {"prob_b", NULL, WEFT_DT(FLOAT), .kind = WEFT_OPTIONAL}),
    .out = PORTS({"Y", NULL, WEFT_DT(INT64)}, {"Z", NULL, WEFT_DT(FLOAT)}),
    .attrs = ATTRS({"vectors_per_class", "ListInt", NULL, "each min 0"},
                   {"post_transform", "Int", "0", "min 0;max 4"}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE,
    .infer = svm_votes_infer,
    .ref = svm_votes_ref,
    .examples = WEFT_EXAMPLES(
        "f64[2,2]{1,2,3,1}, f32[2]{1,-1}, f32[1]{0} vectors_per_class=[1,1] -> i64[2]{1,0}, "
        "f32[2,2]{1,-1,-2,2}",
        "f64[1,2]{1,2}, f32[2]{1,-1}, f32[1]{0} vectors_per_class=[1,1] post_transform=1 -> i64[1]{1}, "
        "f32[1,2]{2,-1}",
        "f64[1,3]{1,2,4}, f32[6]{1,-1,0,0,2,-1}, f32[3]{0,0,0.5} vectors_per_class=[1,1,1]"
        " -> i64[1]{1}, f32[1,3]{-1,0,0.5}",
        "f64[1,2]{1,2}, f32[2]{1,-1}, f32[1]{0}, f32[1]{1}, f32[1]{1} vectors_per_class=[1,1]"
        " -> i64[1]{1}, f32[1,2]{0.5,0.5} ~1e-6",
        "f64[0,2], f32[2]{1,-1}, f32[1]{0} vectors_per_class=[2,0] -> i64[0], f32[0,2]",
        "f64[N,2], f32[2], f32[1] vectors_per_class=[1,1] -> i64[N], f32[N,2]",
        "f64[?], f32[-1], f32[3] vectors_per_class=[1,2,1] -> i64[-1], f32[-1,3]",
        "f64[1,2]{1,2}, f32[2]{1,-1}, f32[1]{0} vectors_per_class=[2] -> _, _ !! E_RANGE 1 classes",
        "f64[1,2]{1,2}, f32[2]{1,-1}, f32[1]{0} vectors_per_class=[1,2] -> _, _ !! E_SHAPE 2 and 3",
        "f64[1,2]{1,2}, f32[2]{1,-1}, f32[2]{0,0} vectors_per_class=[1,1] -> _, _ !! E_SHAPE the number of "
        "'rho': 2 and 1"),
};
// SPDX-License-Identifier: Apache-2.0
