// lanes.c - lanes by two small odometers, one over the kept axes and one over the cut ones. Finding an
// element costs one division per merged axis; most tensors have one or two of them.
#include "lanes.h"

#include "arrays.h"

static void add_axis(size_t *rank, size_t *dim, size_t *stride, size_t n, size_t step, bool merge) {
  if (merge) {
    dim[*rank - 1] *= n;  // axes arrive from the last to the first: the stride stays that of the last
    return;
  }
  dim[*rank] = n;
  stride[*rank] = step;
  ++*rank;
}

void weft__lanes_init(weft_lanes *l, const weft_shape *shape, uint32_t axes) {
  l->n = l->elems = 1;
  l->kept_rank = l->cut_rank = 0;
  size_t stride = 1;
  int last = -1;
  for (size_t i = shape->rank; i-- > 0;) {
    size_t n = (size_t)shape->dim[i];
    int cut = axes >> i & 1;
    if (cut)
      add_axis(&l->cut_rank, l->cut_dim, l->cut_stride, n, stride, last == cut);
    else
      add_axis(&l->kept_rank, l->kept_dim, l->kept_stride, n, stride, last == cut);
    if (cut)
      l->elems *= n;
    else
      l->n *= n;
    stride *= n;
    last = cut;
  }
  if (!l->n)
    l->elems = 0;  // no lane at all: f32[0,1000000000] asks for no memory
}

static size_t offset(size_t rank, const size_t *dim, const size_t *stride, size_t index) {
  size_t at = 0;
  for (size_t i = 0; i + 1 < rank; i++) {
    at += index % dim[i] * stride[i];
    index /= dim[i];
  }
  return rank ? at + index * stride[rank - 1] : 0;
}

size_t weft__lane_start(const weft_lanes *l, size_t lane) {
  return offset(l->kept_rank, l->kept_dim, l->kept_stride, lane);
}
size_t weft__lane_step(const weft_lanes *l, size_t k) {
  return offset(l->cut_rank, l->cut_dim, l->cut_stride, k);
}

void weft__lane_load(const weft_lanes *l, size_t lane, weft_dtype t, const void *data, double *out) {
  size_t start = weft__lane_start(l, lane);
  for (size_t k = 0; k < l->elems; k++)
    out[k] = weft_load_f64(t, data, start + weft__lane_step(l, k));
}

void weft__lane_store(const weft_lanes *l, size_t lane, weft_dtype t, void *data, const double *v) {
  size_t start = weft__lane_start(l, lane);
  for (size_t k = 0; k < l->elems; k++)
    weft_store_f64(t, data, start + weft__lane_step(l, k), v[k]);
}

weft_status weft__each_lane(const weft_call *c, uint32_t axes, weft_lane_fn f, const void *ctx) {
  const weft_tensor *x = c->in[0];
  weft_tensor *y = c->out[0];
  if (!y)
    return WEFT_OK;
  if (!weft_dtype_is_float(x->dtype))
    return weft__no_kernel(c, x->dtype);
  weft_lanes l;
  size_t work = 0;
  void *v;
  weft__lanes_init(&l, &x->layout.origin, axes);
  WEFT_TRY(weft__scratch(c, l.elems, &v));
  for (size_t i = 0; i < l.n && l.elems; i++) {
    WEFT_TRY(weft__poll_work(c, &work, l.elems));
    weft__lane_load(&l, i, x->dtype, x->data, v);
    WEFT_TRY(weft__poll_work(c, &work, l.elems));
    f(v, l.elems, ctx);
    WEFT_TRY(weft__poll_work(c, &work, l.elems));
    weft__lane_store(&l, i, y->dtype, y->data, v);
  }
  return WEFT_OK;
}

void weft__moments(const double *v, size_t n, double *out_mean, double *out_variance) {
  double sum = 0, squares = 0;
  for (size_t i = 0; i < n; i++)
    sum += v[i];
  double mean = n ? sum / (double)n : NAN;
  for (size_t i = 0; i < n; i++)
    squares += (v[i] - mean) * (v[i] - mean);
  *out_mean = mean;
  *out_variance = n ? squares / (double)n : NAN;
}

weft_status weft__in_axis(const weft_infer *it, uint32_t in, const weft_shape *s, size_t *out,
                          bool *out_known) {
  int64_t some[16] = {0};
  int64_t v;
  int64_t n;
  char what[64];
  *out = 0;
  snprintf(what, sizeof what, "input '%s'", weft__in_name(it->desc, in));
  WEFT_TRY(weft__in_ints(it, in, some, 16, &n, out_known));
  if (n >= 0 && n != 1)
    return weft_fail(it->d, WEFT_E_SHAPE, "%s: expected one element, got %lld", what, (long long)n);
  v = some[0];
  if (v <= WEFT_DIM_SYMBOL_LIMIT || weft_shape_is_unknown_rank(s))
    *out_known = false;
  return *out_known ? weft__axis(it->d, what, v, s->rank, out) : WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
