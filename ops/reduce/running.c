// ops/reduce/running.c - the largest and the smallest up to each place along an axis, and running
// logarithms of sums of exponentials.
#include "air_slots.h"
#include "arrays.h"
#include "lanes.h"
#include "op/air_rows.h"

static weft_status running_numbers(const weft_infer *it, uint32_t in, int64_t expected) {
  const weft_shape *s = it->in[in];
  weft_dim n = 1;
  if (weft_shape_is_unknown_rank(s))
    return WEFT_OK;
  for (size_t i = 0; i < s->rank; i++) {
    if (s->dim[i] < 0)
      return WEFT_OK;
    n = n > expected ? n : n * s->dim[i];
  }
  return n == expected ? WEFT_OK
                       : weft_fail(it->d, WEFT_E_SHAPE, "input '%s' has %lld elements, expected %lld",
                                   weft__in_name(it->desc, in), (long long)n, (long long)expected);
}
// ---- running ----
static weft_status running_extreme_infer(weft_infer *it) {
  size_t axis;
  it->out_dtype[0] = it->in_dtype[0];
  it->out_dtype[1] = WEFT_INT32;
  weft_shape_copy(it->out[0], it->in[0]);
  weft_shape_copy(it->out[1], it->in[0]);
  if (weft_shape_is_unknown_rank(it->in[0]))
    return WEFT_OK;
  return weft__axis(it->d, "the axis", weft_node_int(it->desc, 0), WEFT_MAX(it->in[0]->rank, 1), &axis);
}
static weft_status running_extreme_dtype(weft_infer *it) {
  it->out_dtype[0] = it->in_dtype[0];
  it->out_dtype[1] = WEFT_INT32;
  return WEFT_OK;
}
// The largest up to here, and the last place where it stands; NaN is larger than all, and smaller.
static weft_status running_extreme_ref(const weft_call *c) {
  const weft_tensor *x = c->in[0];
  const int sign = *(const int *)c->desc->op->user;
  weft_lanes l;
  size_t axis;
  size_t work = 0;
  if (weft_dtype_is_complex(x->dtype))
    return weft__no_kernel(c, x->dtype);
  size_t rank = x->layout.origin.rank;
  WEFT_TRY(weft__axis(c->d, "the axis", weft_node_int(c->desc, 0), WEFT_MAX(rank, 1), &axis));
  weft__lanes_init(&l, &x->layout.origin, rank ? UINT32_C(1) << axis : 0);
  for (size_t lane = 0; lane < l.n; lane++) {
    size_t start = weft__lane_start(&l, lane);
    size_t best = 0;
    WEFT_TRY(weft__poll_work(c, &work, l.elems));
    for (size_t k = 0; k < l.elems; k++) {
      size_t at = start + weft__lane_step(&l, k);
      size_t was = start + weft__lane_step(&l, best);
      double v = weft_load_f64(x->dtype, x->data, at);
      double old = weft_load_f64(x->dtype, x->data, was);
      if (isnan(v) || (!isnan(old) && sign * weft__order(x->dtype, x->data, at, was, 1) >= 0))
        best = k;
      was = start + weft__lane_step(&l, best);
      if (c->out[0])
        weft__copy_elem(x->dtype, c->out[0]->data, at, x->data, was);
      if (c->out[1])
        weft_store_i64(c->out[1]->dtype, c->out[1]->data, at, (int64_t)best);
    }
  }
  return WEFT_OK;
}

static double running_log_add(double a, double b) {
  double m = a > b ? a : b;
  if (isnan(a) || isnan(b))
    return NAN;
  return isinf(m) ? m : m + log1p(exp((a > b ? b : a) - m));
}
static weft_status running_log_sums(const weft_call *c, int64_t named, bool exclusive, bool reverse) {
  const weft_tensor *x = c->in[0];
  weft_lanes l;
  size_t axis;
  size_t work = 0;
  size_t rank = x->layout.origin.rank;
  WEFT_TRY(weft__axis(c->d, "the axis", named, WEFT_MAX(rank, 1), &axis));
  weft__lanes_init(&l, &x->layout.origin, rank ? UINT32_C(1) << axis : 0);
  for (size_t lane = 0; lane < l.n; lane++) {
    size_t start = weft__lane_start(&l, lane);
    double sum = -INFINITY;
    WEFT_TRY(weft__poll_work(c, &work, l.elems));
    for (size_t k = 0; k < l.elems; k++) {
      size_t at = start + weft__lane_step(&l, reverse ? l.elems - 1 - k : k);
      double next = running_log_add(sum, weft_load_f64(x->dtype, x->data, at));
      weft_store_f64(x->dtype, c->out[0]->data, at, exclusive ? sum : next);
      sum = next;
    }
  }
  return WEFT_OK;
}
static weft_status cumulative_logsumexp_ref(const weft_call *c) {
  int64_t axis = weft_load_i64(c->in[1]->dtype, c->in[1]->data, 0);
  return running_log_sums(c, axis, weft_node_bool(c->desc, WEFT_SLOT_CUMULATIVE_LOGSUMEXP_EXCLUSIVE),
                          weft_node_bool(c->desc, WEFT_SLOT_CUMULATIVE_LOGSUMEXP_REVERSE));
}
static weft_status cumulative_logsumexp_d_ref(const weft_call *c) {
  return running_log_sums(c, weft_node_int(c->desc, WEFT_SLOT_CUMULATIVE_LOGSUMEXP_D_AXIS),
                          weft_node_bool(c->desc, WEFT_SLOT_CUMULATIVE_LOGSUMEXP_D_EXCLUSIVE),
                          weft_node_bool(c->desc, WEFT_SLOT_CUMULATIVE_LOGSUMEXP_D_REVERSE));
}
static weft_status cumulative_logsumexp_infer(weft_infer *it) {
  WEFT_TRY(running_numbers(it, 1, 1));
  return weft__same(it, 0, 0);
}
static weft_status cumulative_logsumexp_d_infer(weft_infer *it) {
  size_t axis;
  if (!weft_shape_is_unknown_rank(it->in[0]))
    WEFT_TRY(weft__axis(it->d, "attribute 'axis'",
                        weft_node_int(it->desc, WEFT_SLOT_CUMULATIVE_LOGSUMEXP_D_AXIS),
                        WEFT_MAX(it->in[0]->rank, 1), &axis));
  return weft__same(it, 0, 0);
}

#define HEAD(op_name, says, inferring, reference) \
  .name = op_name, .summary = says, .traits = WEFT_SYMBOLIC, .infer = inferring, .ref = reference

// clang-format off
WEFT_ROWS(running) = {
  {HEAD("Cummax", "the largest up to each place, and where", running_extreme_infer, running_extreme_ref),
       .infer_dtype = running_extreme_dtype, .user = &(const int){1},
   .examples = WEFT_EXAMPLES("f32[4]{1,3,3,2} dim=0 -> f32[4]{1,3,3,3}, i32[4]{0,1,2,2}",
   "f32[3]{1,nan,2} dim=-1 -> f32[3]{1,nan,nan}, i32[3]{0,1,1}", "i64[N] dim=0 -> i64[N], i32[N]",
   "f32[2] dim=1 !! E_RANGE axis")},
  {HEAD("Cummin", "the smallest up to each place, and where", running_extreme_infer, running_extreme_ref),
       .infer_dtype = running_extreme_dtype, .user = &(const int){-1},
   .examples = WEFT_EXAMPLES("i32[4]{3,1,1,2} axis=0 -> i32[4]{3,1,1,1}, i32[4]{0,1,2,2}")},
  {HEAD("CumulativeLogsumexp", "running logarithms of sums of exponentials", cumulative_logsumexp_infer,
       cumulative_logsumexp_ref),
   .examples = WEFT_EXAMPLES("f32[3]{0,0,-inf}, i32[]{0} -> f32[3]{0,0.6931472,0.6931472} ~1e-6",
   "f32[2]{0,0}, i32[]{0} reverse=true -> f32[2]{0.6931472,0} ~1e-6", "f16[N], i32[] -> f16[N]")},
  {HEAD("CumulativeLogsumexpD", "running logarithms of sums of exponentials", cumulative_logsumexp_d_infer,
       cumulative_logsumexp_d_ref),
   .examples = WEFT_EXAMPLES("f32[2]{0,0} axis=0 exclusive=true -> f32[2]{-inf,0}",
   "f32[2] axis=3 !! E_RANGE axis")},
  {0},
};
// SPDX-License-Identifier: Apache-2.0
