// ops/reduce/counting.c - where numbers lie among others: buckets and histograms, places among the best,
// running extremes and running logarithms of sums.
#include "air_slots.h"
#include "arrays.h"
#include "lanes.h"
#include "op/air_rows.h"

// ---- buckets ----
typedef struct counting_bounds {
  weft_dtype t;
  const void *data;
  size_t n;
  bool right;  // a boundary belongs to the bucket above it
} counting_bounds;

// What is no number lies above all: in the last bucket.
static size_t counting_bucket(const counting_bounds *b, double v) {
  size_t from = 0;
  size_t to = b->n;
  while (from < to) {
    size_t mid = from + (to - from) / 2;
    double at = weft_load_f64(b->t, b->data, mid);
    if (b->right ? !(at > v) : !(at >= v))
      from = mid + 1;
    else
      to = mid;
  }
  return from;
}
static weft_status counting_buckets(const weft_call *c, const counting_bounds *b) {
  const weft_tensor *x = c->in[0];
  size_t n = weft__elems(&x->layout.origin);
  for (size_t i = 0; i < n; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    size_t at = counting_bucket(b, weft_load_f64(x->dtype, x->data, i));
    weft_store_i64(c->out[0]->dtype, c->out[0]->data, i, (int64_t)at);
  }
  return WEFT_OK;
}
static weft_status bucketize_ref(const weft_call *c) {
  const weft_attr *list = weft_attr_at(c->desc, WEFT_SLOT_BUCKETIZE_BOUNDARIES, WEFT_VT_LIST_FLOAT);
  const counting_bounds b = {WEFT_FLOAT, list ? list->u.floats : NULL, list ? list->n : 0,
                             weft_node_bool(c->desc, WEFT_SLOT_BUCKETIZE_RIGHT)};
  return counting_buckets(c, &b);
}
static weft_status bucketize_dtype(weft_infer *it) {
  it->out_dtype[0] = weft_node_dtype(it->desc, WEFT_SLOT_BUCKETIZE_DTYPE);
  return WEFT_OK;
}
static weft_status bucketize_v2_ref(const weft_call *c) {
  const weft_tensor *list = c->in[1];
  const counting_bounds b = {list->dtype, list->data, weft__elems(&list->layout.origin),
                             weft_node_bool(c->desc, WEFT_SLOT_BUCKETIZE_V2_RIGHT)};
  return counting_buckets(c, &b);
}
static weft_status bucketize_v2_dtype(weft_infer *it) {
  it->out_dtype[0] = weft_node_bool(it->desc, WEFT_SLOT_BUCKETIZE_V2_OUT_INT32) ? WEFT_INT32 : WEFT_INT64;
  return WEFT_OK;
}
static weft_status bucketize_v2_infer(weft_infer *it) {
  WEFT_TRY(bucketize_v2_dtype(it));
  WEFT_TRY(weft__expect_rank(it, 1, 1, 1));
  weft_shape_copy(it->out[0], it->in[0]);
  return WEFT_OK;
}
static weft_status bucketize_infer(weft_infer *it) {
  WEFT_TRY(bucketize_dtype(it));
  weft_shape_copy(it->out[0], it->in[0]);
  return WEFT_OK;
}

// ---- histograms ----
static weft_status counting_bins(weft_infer *it, weft_dim bins) {
  if (bins != -1 && !weft_dim_is_symbol(bins) && bins < 1)
    return weft_fail(it->d, WEFT_E_RANGE, "the number of bins is %lld, expected at least 1", (long long)bins);
  return weft_set_out_shape(it, 0, &bins, 1);
}
// Elements of [low, high] by bins of one width; those outside count nowhere, or in the bins at the ends.
static weft_status counting_fill(const weft_call *c, double low, double high, bool outside) {
  const weft_tensor *x = c->in[0];
  weft_tensor *y = c->out[0];
  size_t n = weft__elems(&x->layout.origin);
  int64_t bins = y->layout.origin.dim[0];
  memset(y->data, 0, y->bytes);
  for (size_t i = 0; i < n; i++) {
    double v = weft_load_f64(x->dtype, x->data, i);
    WEFT_TRY(weft__poll_at(c, i));
    if (isnan(v) || (!outside && (v < low || v > high)))
      continue;
    double at = floor((v - low) / (high - low) * (double)bins);
    // of a range without end `at` may be NaN
    int64_t bin = v >= high || at >= (double)bins ? bins - 1 : at > 0 ? (int64_t)at : 0;
    weft_store_f64(y->dtype, y->data, (size_t)bin, weft_load_f64(y->dtype, y->data, (size_t)bin) + 1);
  }
  return WEFT_OK;
}
// A range without width is that of the data; where they have none, one to each side.
static weft_status counting_histogram(const weft_call *c, double low, double high) {
  const weft_tensor *x = c->in[0];
  size_t n = weft__elems(&x->layout.origin);
  if (high < low || isnan(low) || isnan(high))
    return weft_fail(c->d, WEFT_E_RANGE, "the range of a histogram is [%g, %g]", low, high);
  for (size_t i = 0; low == high && i < 1 && n; i++) {
    low = high = weft_load_f64(x->dtype, x->data, 0);
    for (size_t k = 1; k < n; k++) {
      double v = weft_load_f64(x->dtype, x->data, k);
      low = v < low ? v : low;
      high = v > high ? v : high;
    }
  }
  if (low == high) {
    low -= 1;
    high += 1;
  }
  return counting_fill(c, low, high, false);
}
static weft_status histogram_dtype(weft_infer *it) {
  it->out_dtype[0] = WEFT_INT32;
  return WEFT_OK;
}
static weft_status histogram_infer(weft_infer *it) {
  it->out_dtype[0] = WEFT_INT32;
  return counting_bins(it, weft_node_int(it->desc, WEFT_SLOT_HISTOGRAM_BINS));
}
static weft_status histogram_ref(const weft_call *c) {
  return counting_histogram(c, (double)weft_node_float(c->desc, WEFT_SLOT_HISTOGRAM_MIN),
                            (double)weft_node_float(c->desc, WEFT_SLOT_HISTOGRAM_MAX));
}
static weft_status histogram_v2_dtype(weft_infer *it) {
  it->out_dtype[0] = weft_node_dtype(it->desc, WEFT_SLOT_HISTOGRAM_V2_Y_DTYPE);
  return WEFT_OK;
}
static weft_status counting_numbers(const weft_infer *it, uint32_t in, int64_t expected) {
  const weft_shape *s = it->in[in];
  weft_dim n = 1;
  if (weft_shape_is_unknown_rank(s))
    return WEFT_OK;
  for (size_t i = 0; i < s->rank; i++) {
    if (s->dim[i] < 0)
      return WEFT_OK;
    if (n <= expected && !weft__mul_i64(n, s->dim[i], &n))
      n = INT64_MAX;
  }
  return n == expected ? WEFT_OK
                       : weft_fail(it->d, WEFT_E_SHAPE, "input '%s' has %lld elements, expected %lld",
                                   weft__in_name(it->desc, in), (long long)n, (long long)expected);
}
static weft_status histogram_v2_infer(weft_infer *it) {
  WEFT_TRY(histogram_v2_dtype(it));
  WEFT_TRY(counting_numbers(it, 1, 1));
  WEFT_TRY(counting_numbers(it, 2, 1));
  return counting_bins(it, weft_node_int(it->desc, WEFT_SLOT_HISTOGRAM_V2_BINS));
}
static weft_status histogram_v2_ref(const weft_call *c) {
  return counting_histogram(c, weft_load_f64(c->in[1]->dtype, c->in[1]->data, 0),
                            weft_load_f64(c->in[2]->dtype, c->in[2]->data, 0));
}
static weft_status counting_fixed_ref(const weft_call *c) {
  const weft_tensor *range = c->in[1];
  double low = weft_load_f64(range->dtype, range->data, 0);
  double high = weft_load_f64(range->dtype, range->data, 1);
  if (!(low < high))
    return weft_fail(c->d, WEFT_E_RANGE, "input 'range' is [%g, %g], expected a growing one", low, high);
  return counting_fill(c, low, high, true);
}
static weft_status histogram_fixed_width_d_infer(weft_infer *it) {
  WEFT_TRY(counting_numbers(it, 1, 2));
  return counting_bins(it, weft_node_int(it->desc, WEFT_SLOT_HISTOGRAM_FIXED_WIDTH_D_NBINS));
}
static weft_status histogram_fixed_width_infer(weft_infer *it) {
  int64_t bins[2] = {-1, -1};
  int64_t n;
  bool known;
  WEFT_TRY(counting_numbers(it, 1, 2));
  WEFT_TRY(counting_numbers(it, 2, 1));
  WEFT_TRY(weft__in_ints(it, 2, bins, 1, &n, &known));
  return counting_bins(it, known && bins[0] != WEFT_DIM_INVALID ? bins[0] : -1);
}

// ---- among the k best ----
static weft_status in_top_k_infer(weft_infer *it) {
  weft_dim n = -1;
  WEFT_TRY(weft__expect_rank(it, 0, 2, 2));
  WEFT_TRY(weft__expect_rank(it, 1, 1, 1));
  if (it->n_in > 2)
    WEFT_TRY(counting_numbers(it, 2, 1));
  weft_dim rows = weft_shape_is_unknown_rank(it->in[0]) ? -1 : it->in[0]->dim[0];
  weft_dim targets = weft_shape_is_unknown_rank(it->in[1]) ? -1 : it->in[1]->dim[0];
  WEFT_TRY(weft__merge_dim(it, rows, targets, "predictions and targets", &n));
  return weft_set_out_shape(it, 0, &n, 1);
}
static weft_status in_top_k_ref(const weft_call *c) {
  const weft_tensor *x = c->in[0];
  const weft_tensor *target = c->in[1];
  size_t rows = (size_t)x->layout.origin.dim[0];
  size_t classes = (size_t)x->layout.origin.dim[1];
  int64_t k = c->n_in > 2 ? weft_load_i64(c->in[2]->dtype, c->in[2]->data, 0)
                          : weft_node_int(c->desc, WEFT_SLOT_IN_TOP_KD_K);
  for (size_t r = 0; r < rows; r++) {
    int64_t t = weft_load_i64(target->dtype, target->data, r);
    bool valid = t >= 0 && t < (int64_t)classes;
    double v = valid ? weft_load_f64(x->dtype, x->data, r * classes + (size_t)t) : 0;
    int64_t better = 0;
    WEFT_TRY(weft__call_poll(c));
    for (size_t i = 0; valid && i < classes; i++) {
      double other = weft_load_f64(x->dtype, x->data, r * classes + i);
      valid = isfinite(other);
      better += other > v;
    }
    weft_store_i64(c->out[0]->dtype, c->out[0]->data, r, valid && better < k);
  }
  return WEFT_OK;
}

// ---- running ----
static weft_status counting_extreme_infer(weft_infer *it) {
  size_t axis;
  it->out_dtype[0] = it->in_dtype[0];
  it->out_dtype[1] = WEFT_INT32;
  weft_shape_copy(it->out[0], it->in[0]);
  weft_shape_copy(it->out[1], it->in[0]);
  if (weft_shape_is_unknown_rank(it->in[0]))
    return WEFT_OK;
  return weft__axis(it->d, "the axis", weft_node_int(it->desc, 0), WEFT_MAX(it->in[0]->rank, 1), &axis);
}
static weft_status counting_extreme_dtype(weft_infer *it) {
  it->out_dtype[0] = it->in_dtype[0];
  it->out_dtype[1] = WEFT_INT32;
  return WEFT_OK;
}
// The largest up to here, and the last place where it stands; NaN is larger than all, and smaller.
static weft_status counting_extreme_ref(const weft_call *c) {
  const weft_tensor *x = c->in[0];
  const int sign = *(const int *)c->desc->op->user;
  weft_lanes l;
  size_t axis;
  size_t work = 0;
  if (weft_dtype_is_complex(x->dtype))
    return weft__no_kernel(c, x->dtype);
  size_t rank = x->layout.origin.rank;
  WEFT_TRY(weft__axis(c->d, "the axis", weft_node_int(c->desc, 0), WEFT_MAX(rank, 1), &axis));
  if (weft__call_gives_nothing(c))  // as many lanes of none as the input claims
    return WEFT_OK;
  weft__lanes_init(&l, &x->layout.origin, rank ? UINT32_C(1) << axis : 0);
  for (size_t lane = 0; lane < l.n; lane++) {
    size_t start = weft__lane_start(&l, lane);
    size_t best = 0;
    for (size_t k = 0; k < l.elems; k++) {
      WEFT_TRY(weft__poll_work(c, &work, 1));
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

static double counting_log_add(double a, double b) {
  double m = a > b ? a : b;
  if (isnan(a) || isnan(b))
    return NAN;
  return isinf(m) ? m : m + log1p(exp((a > b ? b : a) - m));
}
static weft_status counting_log_sums(const weft_call *c, int64_t named, bool exclusive, bool reverse) {
  const weft_tensor *x = c->in[0];
  weft_lanes l;
  size_t axis;
  size_t work = 0;
  size_t rank = x->layout.origin.rank;
  WEFT_TRY(weft__axis(c->d, "the axis", named, WEFT_MAX(rank, 1), &axis));
  if (weft__call_gives_nothing(c))  // as many lanes of none as the input claims
    return WEFT_OK;
  weft__lanes_init(&l, &x->layout.origin, rank ? UINT32_C(1) << axis : 0);
  for (size_t lane = 0; lane < l.n; lane++) {
    size_t start = weft__lane_start(&l, lane);
    double sum = -INFINITY;
    for (size_t k = 0; k < l.elems; k++) {
      WEFT_TRY(weft__poll_work(c, &work, 1));
      size_t at = start + weft__lane_step(&l, reverse ? l.elems - 1 - k : k);
      double next = counting_log_add(sum, weft_load_f64(x->dtype, x->data, at));
      weft_store_f64(x->dtype, c->out[0]->data, at, exclusive ? sum : next);
      sum = next;
    }
  }
  return WEFT_OK;
}
static weft_status cumulative_logsumexp_ref(const weft_call *c) {
  int64_t axis = weft_load_i64(c->in[1]->dtype, c->in[1]->data, 0);
  return counting_log_sums(c, axis, weft_node_bool(c->desc, WEFT_SLOT_CUMULATIVE_LOGSUMEXP_EXCLUSIVE),
                           weft_node_bool(c->desc, WEFT_SLOT_CUMULATIVE_LOGSUMEXP_REVERSE));
}
static weft_status cumulative_logsumexp_d_ref(const weft_call *c) {
  return counting_log_sums(c, weft_node_int(c->desc, WEFT_SLOT_CUMULATIVE_LOGSUMEXP_D_AXIS),
                           weft_node_bool(c->desc, WEFT_SLOT_CUMULATIVE_LOGSUMEXP_D_EXCLUSIVE),
                           weft_node_bool(c->desc, WEFT_SLOT_CUMULATIVE_LOGSUMEXP_D_REVERSE));
}
static weft_status cumulative_logsumexp_infer(weft_infer *it) {
  WEFT_TRY(counting_numbers(it, 1, 1));
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
#define TOP "f32[2,3]{1,5,3,1,nan,3}, i32[2]{2,0}"

// clang-format off
WEFT_ROWS(counting) = {
  {HEAD("Bucketize", "the bucket of each number among boundaries", bucketize_infer, bucketize_ref),
       .infer_dtype = bucketize_dtype,
   .examples = WEFT_EXAMPLES("f32[4]{-1,0,5,nan} boundaries=[0,10] -> i32[4]{0,1,1,2}",
   "i64[N] boundaries=[0] dtype=i64 right=false -> i64[N]")},
  {HEAD("BucketizeV2", "the bucket of each number among boundaries", bucketize_v2_infer, bucketize_v2_ref),
       .infer_dtype = bucketize_v2_dtype,
   .examples = WEFT_EXAMPLES("f32[4]{-1,0,5,nan}, f32[2]{0,10} -> i64[4]{0,0,1,2}",
   "f32[N], f32[2] out_int32=true right=true -> i32[N]")},
  {HEAD("Histogram", "how many numbers lie in bins of one width", histogram_infer, histogram_ref),
       .infer_dtype = histogram_dtype,
   .examples = WEFT_EXAMPLES("f32[5]{0,1,2,3,9} bins=2 max=3 -> i32[2]{2,2}", "f32[N] bins=4 -> i32[4]",
   "f32[3]{0,inf,1} bins=2 -> i32[2]{2,1}", "f32[3]{-inf,inf,nan} bins=2 -> i32[2]{1,1}",
   "f32[2] bins=0 !! E_RANGE bins")},
  {HEAD("HistogramV2", "how many numbers lie in bins of one width", histogram_v2_infer, histogram_v2_ref),
       .infer_dtype = histogram_v2_dtype,
   .examples = WEFT_EXAMPLES("f32[5]{0,1,2,3,9}, f32[1]{0}, f32[1]{3} bins=2 -> i32[2]{2,2}",
   "f32[2]{1,2}, f32[1]{3}, f32[1]{0} bins=2 !! E_RANGE range")},
  {HEAD("HistogramFixedWidth", "how many numbers lie in bins; those outside in the first and the last",
       histogram_fixed_width_infer, counting_fixed_ref), .values = "nbins",
   .examples = WEFT_EXAMPLES("f32[4]{-1,1,2,9}, f32[2]{0,4}, i32[]{2} -> i32[2]{2,2}",
   "f32[N], f32[2], i32[] -> i32[-1]")},
  {HEAD("HistogramFixedWidthD", "how many numbers lie in bins; those outside in the first and the last",
       histogram_fixed_width_d_infer, counting_fixed_ref),
   .examples = WEFT_EXAMPLES("f32[4]{-1,1,2,9}, f32[2]{0,4} nbins=2 -> i32[2]{2,2}",
   "f32[1], f32[3] nbins=2 !! E_SHAPE range")},
  {HEAD("InTopK", "whether a target is among the k best", in_top_k_infer, in_top_k_ref),
       .examples = WEFT_EXAMPLES(TOP ", i32[]{2} -> bool[2]{true,false}",
       "f32[N,4], i32[N], i32[] -> bool[N]")},
  {HEAD("InTopKV2", "whether a target is among the k best", in_top_k_infer, in_top_k_ref),
       .examples = WEFT_EXAMPLES(TOP ", i32[]{1} -> bool[2]{false,false}")},
  {HEAD("InTopKD", "whether a target is among the k best", in_top_k_infer, in_top_k_ref),
       .examples = WEFT_EXAMPLES(TOP " k=2 -> bool[2]{true,false}")},
  {HEAD("Cummax", "the largest up to each place, and where", counting_extreme_infer, counting_extreme_ref),
       .infer_dtype = counting_extreme_dtype, .user = &(const int){1},
   .examples = WEFT_EXAMPLES("f32[4]{1,3,3,2} dim=0 -> f32[4]{1,3,3,3}, i32[4]{0,1,2,2}",
   "f32[3]{1,nan,2} dim=-1 -> f32[3]{1,nan,nan}, i32[3]{0,1,1}", "i64[N] dim=0 -> i64[N], i32[N]",
   "f32[2] dim=1 !! E_RANGE axis")},
  {HEAD("Cummin", "the smallest up to each place, and where", counting_extreme_infer, counting_extreme_ref),
       .infer_dtype = counting_extreme_dtype, .user = &(const int){-1},
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
