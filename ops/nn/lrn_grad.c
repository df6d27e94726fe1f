// ops/nn/lrn_grad.c - the gradient of LRN: z = g n^-beta - 2 alpha beta x * sum of g y / n over
// neighbouring channels, where n is bias + alpha * sum of x^2 over them.   AscendIR LRNGrad, TensorFlow
// LRNGrad.   Channels stand last, or where the format says.
#include "air_slots.h"
#include "lanes.h"
#include "op/air_rows.h"

static weft_status lrn_grad_infer(weft_infer *it) {
  for (uint32_t i = 0; i < 3; i++)
    WEFT_TRY(weft__expect_rank(it, i, 2, WEFT_MAX_RANK));
  for (uint32_t i = 1; i < 3; i++) {
    const weft_shape *a = it->in[0];
    const weft_shape *b = it->in[i];
    weft_dim same;
    if (weft_shape_is_unknown_rank(a) || weft_shape_is_unknown_rank(b))
      continue;
    if (a->rank != b->rank)
      return weft_fail(it->d, WEFT_E_SHAPE, "input '%s' has rank %u, 'grads' %u", weft__in_name(it->desc, i),
                       (unsigned)b->rank, (unsigned)a->rank);
    for (size_t k = 0; k < a->rank; k++)
      WEFT_TRY(weft__merge_dim(it, a->dim[k], b->dim[k], "gradients and what they are of", &same));
  }
  it->out_format[0] = it->in_format[0];
  return weft__same(it, 0, 0);
}

static void lrn_grad_lane(const weft_op_desc *d, const double *g, const double *x, const double *y,
                          double *norm, double *z, size_t n) {
  int64_t radius = weft_node_int(d, WEFT_SLOT_LRN_GRAD_DEPTH_RADIUS);
  size_t reach = radius < 0 ? 0 : (size_t)radius;
  double alpha = (double)weft_node_float(d, WEFT_SLOT_LRN_GRAD_ALPHA);
  double beta = (double)weft_node_float(d, WEFT_SLOT_LRN_GRAD_BETA);
  for (size_t i = 0; i < n; i++) {
    double sum = 0;
    for (size_t k = i > reach ? i - reach : 0; k < n && k - i + reach <= 2 * reach; k++)
      sum += x[k] * x[k];
    norm[i] = (double)weft_node_float(d, WEFT_SLOT_LRN_GRAD_BIAS) + alpha * sum;
  }
  for (size_t i = 0; i < n; i++) {
    double sum = 0;
    for (size_t k = i > reach ? i - reach : 0; k < n && k - i + reach <= 2 * reach; k++)
      sum += g[k] * y[k] / norm[k];
    z[i] = g[i] * pow(norm[i], -beta) - 2 * alpha * beta * x[i] * sum;
  }
}
static weft_status lrn_grad_ref(const weft_call *c) {
  const weft_shape *s = &c->in[0]->layout.origin;
  weft_format f = weft_format_primary(c->in[0]->format);
  size_t axis = f == WEFT_NCHW || f == WEFT_NCDHW ? 1 : s->rank - 1;
  size_t n = (size_t)s->dim[axis];
  weft_lanes l;
  double *v;
  void *room;
  if (weft__call_gives_nothing(c))  // as many lanes of none as the input claims
    return WEFT_OK;
  WEFT_TRY(c->host->workspace(c, (5 * n + 1) * sizeof(double), &room));
  v = room;
  weft__lanes_init(&l, s, UINT32_C(1) << axis);
  for (size_t lane = 0; lane < l.n; lane++) {
    WEFT_TRY(weft__call_poll(c));
    for (size_t i = 0; i < 3; i++)
      weft__lane_load(&l, lane, c->in[i]->dtype, c->in[i]->data, v + i * n);
    lrn_grad_lane(c->desc, v, v + n, v + 2 * n, v + 3 * n, v + 4 * n, n);
    weft__lane_store(&l, lane, c->out[0]->dtype, c->out[0]->data, v + 4 * n);
  }
  return WEFT_OK;
}

// clang-format off
WEFT_ROWS(lrn_grad) = {
  {.name = "LRNGrad", .summary = "the gradient of LRN", .traits = WEFT_SYMBOLIC, .infer = lrn_grad_infer,
       .ref = lrn_grad_ref,
   .examples = WEFT_EXAMPLES("f32[1,1,1,1]{1}, f32[1,1,1,1]{1}, f32[1,1,1,1]{0.5} alpha=1 beta=1 -> "
   "f32[1,1,1,1]{0}", "f32[N,2,2,4], f32[N,2,2,4], f32[N,2,2,4] -> f32[N,2,2,4]",
                             "f32[1,2], f32[1,3], f32[1,2] !! E_SHAPE gradients")},
  {0},
};
// SPDX-License-Identifier: Apache-2.0
