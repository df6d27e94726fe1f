// resize.c - one axis after the other, each output element a weighted sum of elements along that axis; the
// result does not depend on the order of the axes. Elements outside repeat the border. Coordinates are
// double, except those of the nearest mode: they are rounded to float, the precision of `scales`, so that 2 /
// (1/3) is 6 and not less.
#include "resize.h"

#include "arrays.h"

typedef struct axis_plan {
  int64_t in, out;
  double scale, length, start, end;  // length: out before rounding; start, end: the region of interest
} axis_plan;

static double scale_of(const weft_resize *r, size_t k) {
  return (double)(float)weft_load_f64(r->scales->dtype, r->scales->data, k);
}
static void roi_of(const weft_resize *r, size_t k, double *start, double *end) {
  *start = 0, *end = 1;
  if (r->place != WEFT_RESIZE_TF_CROP || !r->roi) return;
  *start = weft_load_f64(r->roi->dtype, r->roi->data, k);
  *end = weft_load_f64(r->roi->dtype, r->roi->data, r->n + k);
}

// floor(dim * by): in float, the type of scales, for dims that float holds, so that 10 * 0.7 is 7; else in
// double.
static weft_status scaled(weft_symbols *p, weft_diag *d, size_t axis, weft_dim dim, double by,
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
  if (!(v >= 0 && v < 0x1p62))
    return weft_fail(d, v >= 0 ? WEFT_E_OVERFLOW : WEFT_E_SHAPE,
                     "axis %zu: %lld elements times %g are no size", axis, (long long)dim, by);
  *out = (weft_dim)v;
  return WEFT_OK;
}

// The one scale of keep_aspect_ratio_policy; false: a dim or size is not known.
static bool common_scale(const weft_resize *r, const weft_shape *x, double *out) {
  for (size_t k = 0; k < r->n; k++) {
    weft_dim in = x->dim[r->axis[k]], size = weft__elem_dim(r->sizes[k]);
    if (in < 0 || size < 0) return false;
    double scale = (double)size / (double)in;
    if (!k || (r->policy == WEFT_RESIZE_NOT_LARGER ? scale < *out : scale > *out)) *out = scale;
  }
  return r->n > 0;
}

static weft_status by_sizes(weft_diag *d, const weft_resize *r, const weft_shape *x, weft_shape *out) {
  double scale = 1;
  bool known = r->policy != WEFT_RESIZE_STRETCH && common_scale(r, x, &scale);
  for (size_t k = 0; k < r->n; k++) {
    size_t axis = r->axis[k];
    if (weft__is_literal(r->sizes[k]) && r->sizes[k] < 0)
      return weft_fail(d, WEFT_E_SHAPE, "input 'sizes': element %zu is %lld, expected 0 or more", k,
                       (long long)r->sizes[k]);
    if (r->policy == WEFT_RESIZE_STRETCH) {
      out->dim[axis] = weft__elem_dim(r->sizes[k]);
    } else if (!known) {
      out->dim[axis] = -1;
    } else {
      double v = floor(scale * (double)x->dim[axis] + 0.5);
      if (!(v >= 0 && v < 0x1p62))
        return weft_fail(d, WEFT_E_OVERFLOW, "axis %zu: %lld elements times %g are no size", axis,
                         (long long)x->dim[axis], scale);
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
    if (!(scale_of(r, k) > 0) || isinf(scale_of(r, k)))
      return weft_fail(d, WEFT_E_RANGE, "input 'scales': element %zu is %g, expected a number above 0", k,
                       scale_of(r, k));
    roi_of(r, k, &start, &end);
    bool crop = r->place == WEFT_RESIZE_TF_CROP;
    if (crop && !r->roi)
      *dim = -1;
    else
      WEFT_TRY(scaled(p, d, r->axis[k], *dim, crop ? (end - start) * scale_of(r, k) : scale_of(r, k), dim));
  }
  if (!r->scales && r->n_sizes >= 0) WEFT_TRY(by_sizes(d, r, x, &y));
  for (size_t k = 0; k < r->n; k++)
    if (x->dim[r->axis[k]] == 0 && y.dim[r->axis[k]] > 0)
      return weft_fail(d, WEFT_E_SHAPE, "axis %zu has no elements, %lld cannot be made of them", r->axis[k],
                       (long long)y.dim[r->axis[k]]);
  weft_shape_copy(out, &y);
  return WEFT_OK;
}

static double to(bool narrow, double v) {
  return narrow ? (double)(float)v : v;
}

// Where output index x lies in the input. f: rounded to float after every step.
static double place(const weft_resize *r, const axis_plan *a, int64_t index, bool f) {
  double x = (double)index, scale = to(f, a->scale), last = (double)(a->in - 1);
  double half = to(f, to(f, to(f, x + 0.5) / scale) - 0.5);
  switch (r->place) {
    case WEFT_RESIZE_HALF_PIXEL:
      return half;
    case WEFT_RESIZE_PYTORCH_HALF_PIXEL:
      return a->length > 1 ? half : 0;
    case WEFT_RESIZE_ALIGN_CORNERS:
      return a->length == 1 ? 0 : to(f, x * last / to(f, a->length - 1));
    case WEFT_RESIZE_ASYMMETRIC:
      return to(f, x / scale);
    case WEFT_RESIZE_TF_HALF_PIXEL:
      return to(f, to(f, x + 0.5) / scale);
    case WEFT_RESIZE_TF_CROP:
      if (a->length == 1) return to(f, (a->start + a->end) * last / 2);
      return to(f, a->start * last + x * (a->end - a->start) * last / (a->length - 1));
    case WEFT_RESIZE_HALF_PIXEL_SYMMETRIC:
      return to(f, (double)a->in / 2 * (1 - (double)a->out / a->length) + (x + 0.5) / scale - 0.5);
  }
  return half;
}
static bool outside(const weft_resize *r, const axis_plan *a, double x) {
  return r->place == WEFT_RESIZE_TF_CROP && !(x >= 0 && x <= (double)(a->in - 1));
}
static int64_t clamped(double x, int64_t n) {
  return x > 0 ? (x < (double)(n - 1) ? (int64_t)x : n - 1) : 0;
}

static int64_t nearest(const weft_resize *r, const axis_plan *a, double x) {
  double low = floor(x), part = x - low;
  switch (r->round) {
    case WEFT_RESIZE_ROUND_FLOOR:
      return clamped(part > 0.5 ? low + 1 : low, a->in);
    case WEFT_RESIZE_ROUND_CEIL:
      return clamped(part >= 0.5 ? low + 1 : low, a->in);
    case WEFT_RESIZE_FLOOR:
      return clamped(low, a->in);
    case WEFT_RESIZE_CEIL:
      return clamped(ceil(x), a->in);
    case WEFT_RESIZE_SIMPLE:
      return clamped(a->scale < 1 ? ceil(x) : low, a->in);
  }
  return 0;
}

// ---- nearest: elements are moved ----
typedef struct picks {
  size_t rank, dim[WEFT_MAX_RANK], stride[WEFT_MAX_RANK];
  const int64_t *from[WEFT_MAX_RANK];  // NULL: the axis stays; -1: outside
} picks;

static int64_t pick(void *ctx, size_t i) {
  const picks *p = ctx;
  size_t at = 0;
  for (size_t k = p->rank; k-- > 0; i /= p->dim[k]) {
    size_t index = i % p->dim[k];
    if (p->from[k] && p->from[k][index] < 0) return -1;
    at += (p->from[k] ? (size_t)p->from[k][index] : index) * p->stride[k];
  }
  return (int64_t)at;
}

static weft_status run_nearest(const weft_call *c, const weft_resize *r, const axis_plan *plans) {
  const weft_tensor *x = c->in[0];
  const weft_shape *s = &x->layout.origin;
  picks p = {.rank = s->rank};
  uint64_t store[2] = {0, 0};
  weft_tensor fill = *x;
  fill.data = store;
  if (weft_dtype_bits(x->dtype) <= 64) weft_store_f64(x->dtype, store, 0, r->extrapolation);
  for (size_t k = s->rank, stride = 1; k-- > 0; stride *= (size_t)s->dim[k])
    p.stride[k] = stride, p.dim[k] = (size_t)c->out[0]->layout.origin.dim[k];
  for (size_t k = 0; k < r->n; k++) {
    const axis_plan *a = &plans[k];
    void *space;
    WEFT_TRY(weft__scratch(c, (size_t)a->out, &space));
    int64_t *from = space;
    for (int64_t i = 0; i < a->out; i++) {
      double at = place(r, a, i, true);
      from[i] = outside(r, a, at) ? -1 : nearest(r, a, at);
    }
    p.from[r->axis[k]] = from;
  }
  return weft__move(c, x, c->out[0], pick, &p, x->dtype == WEFT_STRING ? NULL : &fill);
}

// ---- linear and cubic: weighted sums ----
static double weight(const weft_resize *r, double x) {
  double a = r->cubic_a;
  x = fabs(x);
  if (r->mode == WEFT_RESIZE_LINEAR) return x < 1 ? 1 - x : 0;
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

typedef struct taps {
  int64_t n, reach;  // elements that take part; how many lie at or below the place
  double scale;      // below 1: the filter is as much wider
  double *w;
  int64_t *at;
} taps;

static weft_status plan_taps(const weft_call *c, const weft_resize *r, const axis_plan *a, taps *t) {
  double support = r->mode == WEFT_RESIZE_LINEAR ? 1 : 2;
  t->scale = r->antialias ? WEFT_MIN(a->scale, 1.0) : 1;
  double reach = -floor(-support / t->scale);
  if (!(reach <= 16 * ((double)a->in + 1)))
    return weft_fail(c->d, WEFT_E_RANGE,
                     "the scale %g of an axis with %lld elements is too small to antialias", a->scale,
                     (long long)a->in);
  t->reach = (int64_t)reach;
  t->n = 2 * t->reach;
  void *w, *at;
  WEFT_TRY(weft__scratch(c, (size_t)t->n, &w));
  WEFT_TRY(weft__scratch(c, (size_t)t->n, &at));
  t->w = w, t->at = at;
  return WEFT_OK;
}

static void fill_taps(const weft_resize *r, const axis_plan *a, double x, taps *t) {
  double low = floor(x), part = x - low, sum = 0;
  for (int64_t k = 0; k < t->n; k++) {
    double offset = (double)(k + 1 - t->reach), at = low + offset;
    bool in = at >= 0 && at <= (double)(a->in - 1);
    t->w[k] = r->exclude_outside && !in ? 0 : weight(r, t->scale * (offset - part));
    t->at[k] = clamped(at, a->in);
    sum += t->w[k];
  }
  for (int64_t k = 0; k < t->n && (r->antialias || r->exclude_outside); k++) t->w[k] /= sum;
}

// from [outer, a->in, inner] -> result [outer, a->out, inner]
static weft_status run_axis(const weft_call *c, const weft_resize *r, const axis_plan *a, size_t outer,
                            size_t inner, const double *from, double **out) {
  size_t n;
  void *space;
  taps t;
  WEFT_TRY(plan_taps(c, r, a, &t));
  if (!weft_mul_size(outer, (size_t)a->out, &n) || !weft_mul_size(n, inner, &n))
    return weft_fail(c->d, WEFT_E_OVERFLOW, "%zu times %lld times %zu elements", outer, (long long)a->out,
                     inner);
  WEFT_TRY(weft__scratch(c, n, &space));
  *out = space;
  for (int64_t i = 0; i < a->out; i++) {
    fill_taps(r, a, place(r, a, i, false), &t);
    WEFT_TRY(weft__call_poll(c));
    for (size_t o = 0; o < outer; o++)
      for (size_t e = 0; e < inner; e++) {
        const double *base = from + o * (size_t)a->in * inner + e;
        double sum = 0;
        for (int64_t k = 0; k < t.n; k++)
          if (t.w[k] != 0) sum += t.w[k] * base[(size_t)t.at[k] * inner];
        (*out)[(o * (size_t)a->out + (size_t)i) * inner + e] = sum;
      }
  }
  return WEFT_OK;
}

static weft_status run_sums(const weft_call *c, const weft_resize *r, const axis_plan *plans) {
  const weft_tensor *x = c->in[0];
  weft_tensor *y = c->out[0];
  weft_shape s;
  double *v;
  weft_walk w;
  weft_shape_copy(&s, &x->layout.origin);
  WEFT_TRY(weft__load_f64s(c, x, &v));
  for (size_t k = 0; k < r->n; k++) {
    const axis_plan *a = &plans[k];
    size_t axis = r->axis[k];
    bool moves = r->place == WEFT_RESIZE_TF_CROP && (a->start != 0 || a->end != 1);
    if (a->in == a->out && a->scale == 1 && !moves) continue;
    WEFT_TRY(run_axis(c, r, a, weft__prod(&s, 0, axis), weft__prod(&s, axis + 1, s.rank), v, &v));
    s.dim[axis] = a->out;
  }
  weft__walk_init(&w, &s);
  for (; w.i < w.n; weft__walk_next(&w)) {
    bool out = false;
    WEFT_TRY(weft__poll_at(c, w.i));
    for (size_t k = 0; k < r->n && r->place == WEFT_RESIZE_TF_CROP; k++)
      out |= outside(r, &plans[k], place(r, &plans[k], (int64_t)w.index[r->axis[k]], false));
    weft_store_f64(y->dtype, y->data, w.i, out ? r->extrapolation : v[w.i]);
  }
  return WEFT_OK;
}

weft_status weft__resize_run(const weft_call *c, const weft_resize *r) {
  const weft_shape *x = &c->in[0]->layout.origin, *y = &c->out[0]->layout.origin;
  axis_plan plans[WEFT_MAX_RANK];
  double common = 1;
  if (!weft__elems(y)) return WEFT_OK;
  bool kept = !r->scales && r->policy != WEFT_RESIZE_STRETCH && common_scale(r, x, &common);
  for (size_t k = 0; k < r->n; k++) {
    axis_plan *a = &plans[k];
    a->in = x->dim[r->axis[k]], a->out = y->dim[r->axis[k]];
    a->scale = r->scales ? scale_of(r, k) : kept ? common : (double)a->out / (double)a->in;
    a->length = r->scales || kept ? a->scale * (double)a->in : (double)a->out;
    roi_of(r, k, &a->start, &a->end);
  }
  if (r->mode == WEFT_RESIZE_NEAREST) return run_nearest(c, r, plans);
  return run_sums(c, r, plans);
}
