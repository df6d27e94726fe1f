// resize.c - one axis after the other, each output element a weighted sum of elements along that axis; the
// result does not depend on the order of the axes. Elements outside repeat the border. Coordinates and
// weights are those of image/resize.rule.h.
#include "resize.h"

#include "arrays.h"

static double scale_of(const weft_resize *r, size_t k) {
  return weft__resize_scale(r->scales, k);
}
static void roi_of(const weft_resize *r, size_t k, double *start, double *end) {
  *start = 0;
  *end = 1;
  if (r->rule.place != WEFT_RESIZE_TF_CROP || !r->roi)
    return;
  *start = weft_load_f64(r->roi->dtype, r->roi->data, k);
  *end = weft_load_f64(r->roi->dtype, r->roi->data, r->n + k);
}

// floor(dim * by): in float, the type of scales, for dims that float holds, so that 10 * 0.7 is 7; else in
// double.
static weft_status resize_scaled(weft_symbols *p, weft_diag *d, size_t axis, weft_dim dim, double by,
                                 weft_dim *out) {
  int exponent;
  *out = -1;
  if (dim < 0) {
    double mantissa = frexp(by, &exponent);
    if (by == 1)
      *out = dim;
    else if (by == floor(by) && by < 1e9)
      *out = weft_dim_mul(p, dim, (int64_t)by);
    else if (mantissa == 0.5 && exponent < 1 && exponent > -30)
      *out = weft_dim_floordiv(p, dim, INT64_C(1) << (1 - exponent));
    return WEFT_OK;
  }
  double v = (double)dim * by;
  v = floor(dim > INT64_C(1) << 24 ? v : (double)(float)v);
  if (!(v >= 0 && v < 0x1p62)) {
    return weft_fail(d, v >= 0 ? WEFT_E_OVERFLOW : WEFT_E_SHAPE,
                     "axis %zu: %lld elements times %g are no size", axis, (long long)dim, by);
  }
  *out = (weft_dim)v;
  return WEFT_OK;
}

// The one scale of keep_aspect_ratio_policy; false: a dim or size is not known.
static bool common_scale(const weft_resize *r, const weft_shape *x, double *out) {
  for (size_t k = 0; k < r->n; k++) {
    weft_dim in = x->dim[r->axis[k]];
    weft_dim size = weft__elem_dim(r->sizes[k]);
    if (in < 0 || size < 0)
      return false;
    double scale = (double)size / (double)in;
    if (!k || (r->rule.policy == WEFT_RESIZE_NOT_LARGER ? scale < *out : scale > *out))
      *out = scale;
  }
  return r->n > 0;
}

static weft_status by_sizes(weft_diag *d, const weft_resize *r, const weft_shape *x, weft_shape *out) {
  double scale = 1;
  bool known = r->rule.policy != WEFT_RESIZE_STRETCH && common_scale(r, x, &scale);
  for (size_t k = 0; k < r->n; k++) {
    size_t axis = r->axis[k];
    if (weft__is_literal(r->sizes[k]) && r->sizes[k] < 0) {
      return weft_fail(d, WEFT_E_SHAPE, "input 'sizes': element %zu is %lld, expected 0 or more", k,
                       (long long)r->sizes[k]);
    }
    if (r->rule.policy == WEFT_RESIZE_STRETCH) {
      out->dim[axis] = weft__elem_dim(r->sizes[k]);
    } else if (!known) {
      out->dim[axis] = -1;
    } else {
      double v = floor(scale * (double)x->dim[axis] + 0.5);
      if (!(v >= 0 && v < 0x1p62)) {
        return weft_fail(d, WEFT_E_OVERFLOW, "axis %zu: %lld elements times %g are no size", axis,
                         (long long)x->dim[axis], scale);
      }
      out->dim[axis] = (weft_dim)v;
    }
  }
  return WEFT_OK;
}

weft_status weft__resize_dims(weft_symbols *p, weft_diag *d, const weft_resize *r, const weft_shape *x,
                              weft_shape *out) {
  weft_shape y;
  weft_shape_copy(&y, x);
  for (size_t k = 0; k < r->n; k++) {
    weft_dim *dim = &y.dim[r->axis[k]];
    double start, end;
    if (!r->scales) {
      *dim = -1;
      continue;
    }
    if (!(scale_of(r, k) > 0) || isinf(scale_of(r, k))) {
      return weft_fail(d, WEFT_E_RANGE, "input 'scales': element %zu is %g, expected a number above 0", k,
                       scale_of(r, k));
    }
    roi_of(r, k, &start, &end);
    bool crop = r->rule.place == WEFT_RESIZE_TF_CROP;
    if (crop && !r->roi)
      *dim = -1;
    else
      WEFT_TRY(
          resize_scaled(p, d, r->axis[k], *dim, crop ? (end - start) * scale_of(r, k) : scale_of(r, k), dim));
  }
  if (!r->scales && r->n_sizes >= 0)
    WEFT_TRY(by_sizes(d, r, x, &y));
  for (size_t k = 0; k < r->n; k++) {
    if (x->dim[r->axis[k]] == 0 && y.dim[r->axis[k]] > 0) {
      return weft_fail(d, WEFT_E_SHAPE, "axis %zu has no elements, %lld cannot be made of them", r->axis[k],
                       (long long)y.dim[r->axis[k]]);
    }
  }
  weft_shape_copy(out, &y);
  return WEFT_OK;
}

// ---- nearest: elements are moved ----
typedef struct picks {
  size_t rank, dim[WEFT_MAX_RANK], stride[WEFT_MAX_RANK];
  const int64_t *from[WEFT_MAX_RANK];  // NULL: the axis stays; -1: outside
} picks;

static int64_t resize_pick(void *ctx, size_t i) {
  const picks *p = ctx;
  size_t at = 0;
  for (size_t k = p->rank; k-- > 0; i /= p->dim[k]) {
    size_t index = i % p->dim[k];
    if (p->from[k] && p->from[k][index] < 0)
      return -1;
    at += (p->from[k] ? (size_t)p->from[k][index] : index) * p->stride[k];
  }
  return (int64_t)at;
}

static weft_status run_nearest(const weft_call *c, const weft_resize *r, const weft_resize_axis *plans) {
  const weft_tensor *x = c->in[0];
  const weft_shape *s = &x->layout.origin;
  picks p = {.rank = s->rank};
  uint64_t store[2] = {0, 0};
  weft_tensor fill = *x;
  fill.data = store;
  if (weft_dtype_bits(x->dtype) <= 64)
    weft_store_f64(x->dtype, store, 0, r->rule.extrapolation);
  for (size_t k = s->rank, stride = 1; k-- > 0; stride *= (size_t)s->dim[k]) {
    p.stride[k] = stride;
    p.dim[k] = (size_t)c->out[0]->layout.origin.dim[k];
  }
  for (size_t k = 0; k < r->n; k++) {
    const weft_resize_axis *a = &plans[k];
    void *space;
    WEFT_TRY(weft__scratch(c, a->out, &space));
    int64_t *from = space;
    for (size_t i = 0; i < a->out; i++) {
      double at = weft__resize_place(&r->rule, a, i);
      from[i] = weft__resize_outside(&r->rule, a, at) ? -1 : (int64_t)weft__resize_nearest(&r->rule, a, at);
    }
    p.from[r->axis[k]] = from;
  }
  return weft__move(c, x, c->out[0], resize_pick, &p, x->dtype == WEFT_STRING ? NULL : &fill);
}

// ---- linear and cubic: weighted sums ----
typedef struct taps {
  size_t n, reach;  // elements that take part; how many lie at or below the place
  double *w;
  size_t *at;
} taps;

static weft_status plan_taps(const weft_call *c, const weft_resize *r, const weft_resize_axis *a, taps *t) {
  double reach = weft__resize_reach(&r->rule, a);
  void *w;
  void *at;
  if (!(reach <= 16 * ((double)a->in + 1))) {
    return weft_fail(c->d, WEFT_E_RANGE,
                     "the scale %g of an axis with %zu elements is too small to antialias", a->scale, a->in);
  }
  t->reach = (size_t)reach;
  t->n = 2 * t->reach;
  WEFT_TRY(weft__scratch(c, t->n, &w));
  WEFT_TRY(weft__scratch(c, t->n, &at));
  t->w = w;
  t->at = at;
  return WEFT_OK;
}

static void fill_taps(const weft_resize *r, const weft_resize_axis *a, size_t index, taps *t) {
  double x = weft__resize_place(&r->rule, a, index);
  double by = weft__resize_weigh(&r->rule, a, x, t->reach, t->w);
  for (size_t k = 0; k < t->n; k++) {
    t->w[k] /= by;
    t->at[k] = weft__resize_clamped(weft__resize_tap(x, t->reach, k), a->in);
  }
}

// from [outer, a->in, inner] -> result [outer, a->out, inner]
static weft_status run_axis(const weft_call *c, const weft_resize *r, const weft_resize_axis *a, size_t outer,
                            size_t inner, const double *from, double **out) {
  size_t n;
  void *space;
  taps t;
  WEFT_TRY(plan_taps(c, r, a, &t));
  if (!weft_mul_size(outer, a->out, &n) || !weft_mul_size(n, inner, &n))
    return weft_fail(c->d, WEFT_E_OVERFLOW, "%zu times %zu times %zu elements", outer, a->out, inner);
  WEFT_TRY(weft__scratch(c, n, &space));
  *out = space;
  for (size_t i = 0; i < a->out; i++) {
    fill_taps(r, a, i, &t);
    WEFT_TRY(weft__call_poll(c));
    for (size_t o = 0; o < outer; o++) {
      for (size_t e = 0; e < inner; e++) {
        const double *base = from + o * a->in * inner + e;
        double sum = 0;
        for (size_t k = 0; k < t.n; k++) {
          if (t.w[k] != 0)
            sum += t.w[k] * base[t.at[k] * inner];
        }
        (*out)[(o * a->out + i) * inner + e] = sum;
      }
    }
  }
  return WEFT_OK;
}

static weft_status run_sums(const weft_call *c, const weft_resize *r, const weft_resize_axis *plans) {
  const weft_tensor *x = c->in[0];
  weft_tensor *y = c->out[0];
  weft_shape s;
  double *v;
  weft_walk w;
  weft_shape_copy(&s, &x->layout.origin);
  WEFT_TRY(weft__load_f64s(c, x, &v));
  for (size_t k = 0; k < r->n; k++) {
    const weft_resize_axis *a = &plans[k];
    size_t axis = r->axis[k];
    bool moves = r->rule.place == WEFT_RESIZE_TF_CROP && (a->start != 0 || a->end != 1);
    if (a->in == a->out && a->scale == 1 && !moves)
      continue;
    WEFT_TRY(run_axis(c, r, a, weft__prod(&s, 0, axis), weft__prod(&s, axis + 1, s.rank), v, &v));
    s.dim[axis] = a->out;
  }
  weft__walk_init(&w, &s);
  for (; w.i < w.n; weft__walk_next(&w)) {
    bool out = false;
    WEFT_TRY(weft__poll_at(c, w.i));
    for (size_t k = 0; k < r->n && r->rule.place == WEFT_RESIZE_TF_CROP; k++) {
      out |= weft__resize_outside(&r->rule, &plans[k],
                                  weft__resize_place(&r->rule, &plans[k], (size_t)w.index[r->axis[k]]));
    }
    weft_store_f64(y->dtype, y->data, w.i, out ? r->rule.extrapolation : v[w.i]);
  }
  return WEFT_OK;
}

weft_status weft__resize_run(const weft_call *c, const weft_resize *r) {
  const weft_shape *x = &c->in[0]->layout.origin;
  const weft_shape *y = &c->out[0]->layout.origin;
  weft_resize_axis plans[WEFT_MAX_RANK];
  double common = 1;
  if (!weft__elems(y))
    return WEFT_OK;
  bool kept = !r->scales && r->rule.policy != WEFT_RESIZE_STRETCH && common_scale(r, x, &common);
  for (size_t k = 0; k < r->n; k++) {
    weft_resize_axis *a = &plans[k];
    size_t in = (size_t)x->dim[r->axis[k]];
    size_t out = (size_t)y->dim[r->axis[k]];
    if (r->scales || kept)
      *a = weft__resize_by_scale(in, out, r->scales ? scale_of(r, k) : common);
    else
      *a = weft__resize_by_size(in, out);
    roi_of(r, k, &a->start, &a->end);
  }
  if (r->rule.mode == WEFT_RESIZE_NEAREST)
    return run_nearest(c, r, plans);
  return run_sums(c, r, plans);
}
// SPDX-License-Identifier: Apache-2.0
