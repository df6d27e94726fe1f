// ops/data/repeats.c - slices repeated, runs of equal slices made one, values of one list that another has
// not.   AscendIR RepeatInterleave, RepeatInterleaveGrad, UniqueConsecutive as PyTorch computes them, and
// ListDiff as TensorFlow does. Axis 1000: x is flattened. NaN equals nothing.
#include "air_slots.h"
#include "op/air_rows.h"
#include "sort.h"
#include "sparse.h"

enum { NO_AXIS = 1000 };
enum { X, REPEATS };

// ---- RepeatInterleave: slice i along the axis, repeats[i] times; one number counts for all ----
// How many slices that makes of n; -1 where it is not known.
static weft_status repeat_total(weft_diag *d, const weft_tensor *r, int64_t n, int64_t *out) {
  const size_t have = weft__elems(&r->layout.origin);
  *out = have == 1 ? -1 : 0;
  for (size_t i = 0; i < have; i++) {
    const int64_t times = weft_load_i64(r->dtype, r->data, i);
    if (times < 0)
      return weft_fail(d, WEFT_E_RANGE, "input 'repeats', element %zu is %lld", i, (long long)times);
    if (have == 1 && n >= 0 && !weft__mul_i64(n, times, out))
      return weft_fail(d, WEFT_E_OVERFLOW, "%lld slices %lld times", (long long)n, (long long)times);
    if (have != 1 && times > INT64_MAX - *out)
      return weft_fail(d, WEFT_E_OVERFLOW, "input 'repeats': its sum overflows");
    *out += have == 1 ? 0 : times;
  }
  return WEFT_OK;
}

static weft_status repeat_infer(weft_infer *it) {
  const int64_t given = weft_node_int(it->desc, WEFT_SLOT_REPEAT_INTERLEAVE_AXIS);
  const bool flat = given == NO_AXIS;
  const weft_shape *x = it->in[X];
  const weft_shape *r = it->in[REPEATS];
  weft_dim n = 1;
  size_t axis = 0;
  int64_t total = -1;
  WEFT_TRY(weft__expect_rank(it, REPEATS, 0, 1));
  if (weft_shape_is_unknown_rank(x))
    return flat ? weft__unknown_dims(it, 0, 1) : weft__unknown_rank(it, 0);
  if (!flat)
    WEFT_TRY(weft__axis(it->d, "attribute 'axis'", given, x->rank, &axis));
  for (size_t k = 0; flat && k < x->rank; k++)
    n = weft_dim_mul(it->symbols, n, x->dim[k]);
  n = flat ? n : x->dim[axis];
  const weft_dim counts = weft_shape_is_unknown_rank(r) ? -1 : r->rank ? r->dim[0] : 1;
  weft_dim same;
  if (counts >= 0 && counts != 1)
    WEFT_TRY(weft__merge_dim(it, n, counts, "slices and their counts", &same));
  if (it->value[REPEATS]->data)
    WEFT_TRY(repeat_total(it->d, it->value[REPEATS], n, &total));
  if (flat)
    return weft_set_out_shape(it, 0, &total, 1);
  WEFT_TRY(weft__same(it, 0, X));
  it->out[0]->dim[axis] = total;
  return WEFT_OK;
}

typedef struct repeating {
  const size_t *source;  // by slice of the result
  size_t to, from;       // slices
} repeating;

static int64_t repeat_map(void *ctx, size_t block) {
  const repeating *r = ctx;
  return (int64_t)(block / r->to * r->from + r->source[block % r->to]);
}

// Axis, slices of x (or of the gradient's result), elements in one.
static void repeat_axis(const weft_call *c, const weft_shape *x, size_t *axis, size_t *n, size_t *inner) {
  const int64_t given = weft_node_int(c->desc, WEFT_SLOT_REPEAT_INTERLEAVE_AXIS);
  *axis = given == NO_AXIS ? 0 : (size_t)(given < 0 ? given + (int64_t)x->rank : given);
  *n = given == NO_AXIS ? weft__elems(x) : (size_t)x->dim[*axis];
  *inner = given == NO_AXIS ? 1 : weft__prod(x, *axis + 1, x->rank);
}

// The slice that each slice of the result comes from.
static weft_status repeat_sources(const weft_call *c, size_t n, size_t to, size_t **out) {
  const weft_tensor *r = c->in[REPEATS];
  const bool one = weft__elems(&r->layout.origin) == 1;
  void *space;
  size_t at = 0;
  WEFT_TRY(weft__scratch(c, to, &space));
  *out = space;
  for (size_t i = 0; i < n; i++) {
    const int64_t times = weft_load_i64(r->dtype, r->data, one ? 0 : i);
    WEFT_TRY(weft__poll_at(c, i));
    if (times < 0 || (uint64_t)times > to - at)
      return weft_fail(c->d, WEFT_E_SHAPE, "input 'repeats' makes more than %zu slices", to);
    for (int64_t k = 0; k < times; k++) {
      WEFT_TRY(weft__poll_at(c, at));
      (*out)[at++] = i;
    }
  }
  if (at != to)
    return weft_fail(c->d, WEFT_E_SHAPE, "input 'repeats' makes %zu slices, expected %zu", at, to);
  return WEFT_OK;
}

static weft_status repeat_ref(const weft_call *c) {
  weft_tensor *y = c->out[0];
  size_t axis;
  size_t inner;
  size_t *source;
  repeating r;
  if (weft__call_gives_nothing(c))  // as many slices of nothing as the repeats say
    return WEFT_OK;
  repeat_axis(c, &c->in[X]->layout.origin, &axis, &r.from, &inner);
  r.to = (size_t)y->layout.origin.dim[axis];
  WEFT_TRY(repeat_sources(c, r.from, r.to, &source));
  r.source = source;
  return weft__move_blocks(c, c->in[X], y, inner, repeat_map, &r);
}

// ---- RepeatInterleaveGrad: what was repeated is summed ----
static weft_status repeat_grad_infer(weft_infer *it) {
  const int64_t given = weft_node_int(it->desc, WEFT_SLOT_REPEAT_INTERLEAVE_GRAD_AXIS);
  const weft_shape *y = it->in[X];
  const weft_shape *r = it->in[REPEATS];
  const weft_tensor *v = it->value[REPEATS];
  size_t axis;
  WEFT_TRY(weft__expect_rank(it, REPEATS, 0, 1));
  if (weft_shape_is_unknown_rank(y))
    return weft__unknown_rank(it, 0);
  WEFT_TRY(weft__axis(it->d, "attribute 'axis'", given, y->rank, &axis));
  WEFT_TRY(weft__same(it, 0, X));
  const weft_dim counts = weft_shape_is_unknown_rank(r) ? -1 : r->rank ? r->dim[0] : 1;
  const weft_dim n = y->dim[axis];
  it->out[0]->dim[axis] = counts == 1 ? -1 : counts;
  if (counts != 1 || !v->data)
    return WEFT_OK;
  const int64_t times = weft_load_i64(v->dtype, v->data, 0);
  if (times < 1 || (n >= 0 && n % times))
    return weft_fail(it->d, WEFT_E_SHAPE, "%lld slices are none repeated %lld times", (long long)n,
                     (long long)times);
  it->out[0]->dim[axis] = weft__dim_part(it, n, times);
  return WEFT_OK;
}

static weft_status repeat_grad_ref(const weft_call *c) {
  weft_tensor *x = c->out[0];
  const weft_tensor *y = c->in[X];
  size_t axis;
  size_t inner;
  size_t from;
  size_t *source;
  void *space;
  size_t work = 0;
  if (weft__call_gives_nothing(c))  // as many slices of nothing as the repeats say
    return WEFT_OK;
  repeat_axis(c, &x->layout.origin, &axis, &from, &inner);
  const size_t to = (size_t)y->layout.origin.dim[axis];
  const size_t all = weft__elems(&x->layout.origin);
  const size_t rows = weft__prod(&y->layout.origin, 0, axis) * to;
  WEFT_TRY(repeat_sources(c, from, to, &source));
  WEFT_TRY(weft__scratch(c, all, &space));
  double *sum = space;
  memset(sum, 0, all * sizeof *sum);
  for (size_t row = 0; row < rows; row++) {
    double *at = sum + (row / to * from + source[row % to]) * inner;
    WEFT_TRY(weft__poll_work(c, &work, 1 + inner));
    for (size_t i = 0; i < inner; i++)
      at[i] += weft_load_f64(y->dtype, y->data, row * inner + i);
  }
  for (size_t i = 0; i < all; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    weft_store_f64(x->dtype, x->data, i, sum[i]);
  }
  return WEFT_OK;
}

// ---- UniqueConsecutive ----
enum { RUN_Y, RUN_ID, RUN_COUNT };

static weft_status run_infer(weft_infer *it) {
  const int64_t given = weft_node_int(it->desc, WEFT_SLOT_UNIQUE_CONSECUTIVE_AXIS);
  const weft_shape *x = it->in[X];
  const weft_dtype t = weft_node_dtype(it->desc, WEFT_SLOT_UNIQUE_CONSECUTIVE_OUT_IDX);
  const bool flat = given == NO_AXIS;
  size_t axis;
  it->out_dtype[RUN_ID] = it->out_dtype[RUN_COUNT] = t;
  WEFT_TRY(weft__unknown_dims(it, RUN_COUNT, 1));
  if (flat) {
    WEFT_TRY(weft__same(it, RUN_ID, X));
    return weft__unknown_dims(it, RUN_Y, 1);
  }
  WEFT_TRY(weft__unknown_dims(it, RUN_ID, 1));
  if (weft_shape_is_unknown_rank(x))
    return weft__unknown_rank(it, RUN_Y);
  WEFT_TRY(weft__axis(it->d, "attribute 'axis'", given, x->rank, &axis));
  it->out[RUN_ID]->dim[0] = x->dim[axis];
  WEFT_TRY(weft__same(it, RUN_Y, X));
  it->out[RUN_Y]->dim[axis] = -1;
  return WEFT_OK;
}

typedef struct runs {
  size_t n, lanes, outer, inner;
  size_t *first;    // n: where the run begins
  size_t *id;       // by lane
} runs;

static bool run_same_element(const weft_tensor *x, size_t i, size_t j) {
  if (!weft_dtype_is_complex(x->dtype))
    return !weft__order(x->dtype, x->data, i, j, 1) &&
           !(weft_dtype_is_float(x->dtype) && isnan(weft_load_f64(x->dtype, x->data, i)));
  double a[2];
  double b[2];
  weft__load_complex(x->dtype, x->data, i, a);
  weft__load_complex(x->dtype, x->data, j, b);
  return a[0] == b[0] && a[1] == b[1];
}

static bool run_same_lane(const weft_tensor *x, const runs *r, size_t lane) {
  for (size_t o = 0; o < r->outer && r->inner; o++) {
    for (size_t i = 0; i < r->inner; i++) {
      const size_t at = (o * r->lanes + lane) * r->inner + i;
      if (!run_same_element(x, at, at - r->inner))
        return false;
    }
  }
  return true;
}

static weft_status run_find(const weft_call *c, runs *r) {
  void *space[2];
  size_t work = 0;
  for (int i = 0; i < 2; i++)
    WEFT_TRY(weft__scratch(c, r->lanes, &space[i]));
  r->first = space[0];
  r->id = space[1];
  for (size_t i = 0; i < r->lanes; i++) {
    WEFT_TRY(weft__poll_work(c, &work, 1 + r->outer * r->inner));
    if (!i || !run_same_lane(c->in[X], r, i))
      r->first[r->n++] = i;
    r->id[i] = r->n - 1;
  }
  return WEFT_OK;
}

static int64_t run_map(void *ctx, size_t block) {
  const runs *r = ctx;
  return (int64_t)(block / r->n * r->lanes + r->first[block % r->n]);
}

static weft_status run_execute(const weft_call *c) {
  const weft_shape *x = &c->in[X]->layout.origin;
  const int64_t given = weft_node_int(c->desc, WEFT_SLOT_UNIQUE_CONSECUTIVE_AXIS);
  const weft_dtype t = weft_node_dtype(c->desc, WEFT_SLOT_UNIQUE_CONSECUTIVE_OUT_IDX);
  const bool flat = given == NO_AXIS;
  const size_t axis = flat ? 0 : (size_t)(given < 0 ? given + (int64_t)x->rank : given);
  weft_shape y = {.rank = 1};
  runs r = {.lanes = flat ? weft__elems(x) : (size_t)x->dim[axis]};
  r.outer = flat ? 1 : weft__prod(x, 0, axis);
  r.inner = flat ? 1 : weft__prod(x, axis + 1, x->rank);
  WEFT_TRY(run_find(c, &r));
  if (!flat)
    weft_shape_copy(&y, x);
  y.dim[axis] = (weft_dim)r.n;
  WEFT_TRY(weft__alloc_found(c, RUN_Y, c->in[X]->dtype, &y, &y));
  if (c->out[RUN_Y] && r.n)
    WEFT_TRY(weft__move_blocks(c, c->in[X], c->out[RUN_Y], r.inner, run_map, &r));
  weft_shape ids = {.rank = 1, .dim = {(weft_dim)r.lanes}};
  WEFT_TRY(weft__alloc_found(c, RUN_ID, t, flat ? x : &ids, flat ? x : &ids));
  for (size_t i = 0; c->out[RUN_ID] && i < r.lanes; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    weft_store_i64(t, c->out[RUN_ID]->data, i, (int64_t)r.id[i]);
  }
  WEFT_TRY(weft__found(c, RUN_COUNT, t, (int64_t[]){(int64_t)r.n}, 1));
  for (size_t i = 0; c->out[RUN_COUNT] && i < r.n; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    weft_store_i64(t, c->out[RUN_COUNT]->data, i,
                   (int64_t)((i + 1 < r.n ? r.first[i + 1] : r.lanes) - r.first[i]));
  }
  return WEFT_OK;
}

// ---- ListDiff ----
enum { Y = 1 };

static weft_status diff_infer(weft_infer *it) {
  WEFT_TRY(weft__expect_rank(it, X, 1, 1));
  WEFT_TRY(weft__expect_rank(it, Y, 1, 1));
  WEFT_TRY(weft__expect_dtype(it, Y, X));
  it->out_dtype[1] = weft_node_dtype(it->desc, WEFT_SLOT_LIST_DIFF_OUT_IDX);
  WEFT_TRY(weft__unknown_dims(it, 0, 1));
  return weft__unknown_dims(it, 1, 1);
}

static weft_status diff_range(weft_infer *it) {
  WEFT_TRY(weft__found_range(it));
  weft__found_at_most(it, 0, 0, 1U << X);
  weft__found_at_most(it, 1, 0, 1U << X);
  return WEFT_OK;
}

// Equal numbers have equal keys, different ones different keys.
static uint64_t diff_key(const weft_tensor *t, size_t i) {
  const weft_any v = weft__any_at(t, i);
  return weft_dtype_is_float(t->dtype) ? weft__key_f64(v.z[0]) : v.whole;
}

static bool diff_has(const uint64_t *key, const size_t *order, size_t n, uint64_t wanted) {
  size_t low = 0;
  size_t high = n;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const bool below = key[order[middle]] < wanted;
    low = below ? middle + 1 : low;
    high = below ? high : middle;
  }
  return low < n && key[order[low]] == wanted;
}

static weft_status diff_execute(const weft_call *c) {
  const weft_tensor *x = c->in[X];
  const size_t n = weft__elems(&x->layout.origin);
  const size_t n_y = weft__elems(&c->in[Y]->layout.origin);
  size_t *order;
  size_t found = 0;
  void *space;
  WEFT_TRY(weft__scratch(c, n_y, &space));
  uint64_t *key = space;
  for (size_t i = 0; i < n_y; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    key[i] = diff_key(c->in[Y], i);
  }
  WEFT_TRY(weft__sparse_order(c, (const int64_t *)key, n_y, &order));
  WEFT_TRY(weft__scratch(c, n, &space));
  size_t *pick = space;
  for (size_t i = 0; i < n; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    const bool nan = weft_dtype_is_float(x->dtype) && isnan(weft_load_f64(x->dtype, x->data, i));
    if (nan || !diff_has(key, order, n_y, diff_key(x, i)))
      pick[found++] = i;
  }
  WEFT_TRY(weft__found_values(c, 0, x, pick, found));
  return weft__found_ints(c, 1, weft_node_dtype(c->desc, WEFT_SLOT_LIST_DIFF_OUT_IDX), (const int64_t *)pick,
                          found);
}

WEFT_ROWS(repeats) = {
    {"RepeatInterleave", "slices along an axis, each repeated",
        WEFT_SYMBOLIC, .infer = repeat_infer, .ref = repeat_ref, .values = "repeats",
     .examples = WEFT_EXAMPLES(
         "f32[2,2]{1,2,3,4}, i64[1]{2} axis=1 -> f32[2,4]{1,1,2,2,3,3,4,4}",
         "f32[3,1]{1,2,3}, i32[3]{1,0,3} axis=-2 -> f32[4,1]{1,3,3,3}", "u8[2,1]{5,6}, i64[]{2} -> "
         "u8[4]{5,5,6,6}",
         "f32[0], i64[0] -> f32[0]", "f32[N,2], i64[-1] axis=0 -> f32[-1,2]", "f32[?], i64[1]{2} -> f32[-1]",
         "f32[2], i64[1]{-1} axis=0 !! E_RANGE element 0 is -1",
         "f32[2], i64[3] axis=0 !! E_SHAPE 2 and 3 differ")},
    {"RepeatInterleaveGrad", "sums over what was repeated",
        WEFT_SYMBOLIC, .infer = repeat_grad_infer, .ref = repeat_grad_ref, .values = "repeats",
     .examples = WEFT_EXAMPLES(
         "f32[1,4]{1,2,3,4}, i64[1]{2} -> f32[1,2]{3,7}", "f32[4]{1,2,3,4}, i32[3]{1,0,3} -> f32[3]{1,0,9}",
         "f32[-1,N], i64[3] axis=0 -> f32[3,N]", "f32[4]{1,2,3,4}, i32[2]{1,2} !! E_SHAPE makes 3 slices",
         "f32[3], i32[1]{2} !! E_SHAPE 3 slices are none repeated 2 times")},
    {"UniqueConsecutive", "runs of equal slices, each once",
        WEFT_SYMBOLIC | WEFT_DATA_DEPENDENT, .infer = run_infer, .infer_range = weft__found_range,
     .execute = run_execute,
     .examples = WEFT_EXAMPLES(
         "i32[6]{1,1,2,2,3,1} -> i32[4]{1,2,3,1}, i64[6]{0,0,1,1,2,3}, i64[4]{2,2,1,1}",
         "i32[3,2]{1,1,1,1,0,2} axis=0 out_idx=i32 -> i32[2,2]{1,1,0,2}, i32[3]{0,0,1}, i32[2]{2,1}",
         "f32[2,2]{nan,nan,0,-0} -> f32[3]{nan,nan,0}, i64[2,2]{0,1,2,2}, i64[3]{1,1,2}",
         "f32[0] -> f32[0], i64[0], i64[0]", "f32[N,2] axis=1 -> f32[N,-1], i64[2], i64[-1]",
         "f32[2] axis=1 -> _, _, _ !! E_RANGE 1 is outside")},
    {"ListDiff", "values of x that y has not, and their places",
        WEFT_SYMBOLIC | WEFT_DATA_DEPENDENT, .infer = diff_infer, .infer_range = diff_range,
     .execute = diff_execute,
     .examples = WEFT_EXAMPLES("i32[6]{1,2,3,4,5,1}, i32[2]{3,1} -> i32[3]{2,4,5}, i32[3]{1,3,4}",
                               "f32[3]{nan,-0,1}, f32[2]{nan,0} out_idx=i64 -> f32[2]{nan,1}, i64[2]{0,2}",
                               "i32[N], i32[2] -> i32[-1], i32[-1]",
                               "i32[2], i64[2] -> _, _ !! E_DTYPE one dtype")},
    {0},
};
// SPDX-License-Identifier: Apache-2.0
