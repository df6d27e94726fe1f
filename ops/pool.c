// pool.c - pooling: attributes, shapes, windows. Windows are clipped to the input before they are walked, so
// a kernel or padding of any size costs no more than the input has elements.
#include "pool.h"

#include "arrays.h"

typedef struct layout {
  bool last;  // channels last
  size_t rank;
} layout;

static weft_ints list_of(const weft_op_desc *n, int slot) {
  return slot < 0 ? (weft_ints){NULL, 0} : weft_node_ints(n, (uint32_t)slot);
}

static weft_status pool_wrong_count(weft_diag *d, const weft_op_desc *n, int slot, size_t got, size_t a,
                                    size_t b) {
  return weft_fail(d, WEFT_E_INVALID, "attribute '%s': expected %zu or %zu values, got %zu",
                   weft__attr_name(n, (uint32_t)slot), a, b, got);
}

// Values of the spatial axes from a list for all axes or for the spatial ones; an empty one gives 1.
static weft_status spatial_values(weft_diag *d, const weft_op_desc *n, int slot, layout l, int64_t out[3]) {
  weft_ints v = list_of(n, slot);
  size_t spatial = l.rank - 2;
  size_t from = 0;
  size_t first = l.last ? 1 : 2;
  out[0] = out[1] = out[2] = 1;
  if (!v.n)
    return WEFT_OK;
  if (v.n == l.rank) {
    size_t channel = l.last ? l.rank - 1 : 1;
    if (v.v[0] != 1 || v.v[channel] != 1) {
      return weft_fail(d, WEFT_E_UNSUPPORTED,
                       "attribute '%s': the values of batch and channel are %lld and %lld, both must "
                       "be 1",
                       weft__attr_name(n, (uint32_t)slot), (long long)v.v[0], (long long)v.v[channel]);
    }
    from = first;
  } else if (v.n != spatial) {
    return pool_wrong_count(d, n, slot, v.n, spatial, l.rank);
  }
  for (size_t i = 0; i < spatial; i++)
    out[i] = v.v[from + i];
  return WEFT_OK;
}

weft_status weft__pool_read(weft_diag *d, const weft_op_desc *n, const weft_pool_slots *s, size_t rank,
                            weft_pool *out) {
  layout l = {weft__channels_last(weft_node_str(n, (uint32_t)s->data_format)), rank};
  int64_t kernel[3];
  int64_t stride[3];
  int64_t dilation[3];
  memset(out, 0, sizeof *out);
  out->spatial = rank - 2;
  out->first = l.last ? 1 : 2;
  out->mode = weft__pad_mode(weft_node_str(n, (uint32_t)s->mode));
  out->global = s->global >= 0 && weft_node_bool(n, (uint32_t)s->global);
  out->ceil = s->ceil >= 0 && weft_node_bool(n, (uint32_t)s->ceil);
  WEFT_TRY(spatial_values(d, n, s->ksize, l, kernel));
  WEFT_TRY(spatial_values(d, n, s->strides, l, stride));
  WEFT_TRY(spatial_values(d, n, s->dilations, l, dilation));
  weft_ints pads = list_of(n, s->pads);
  bool padded = out->mode == WEFT_PAD_EXPLICIT && !out->global;
  const size_t each = pads.n == out->spatial ? 1 : 2;  // numbers an axis; one is for both ends
  const bool fits = pads.n == out->spatial || pads.n == 2 * out->spatial;
  for (size_t i = 0; i < pads.n && !fits; i++)  // the default has four zeros at any rank
    if (padded && pads.v[i])
      return pool_wrong_count(d, n, s->pads, pads.n, out->spatial, 2 * out->spatial);
  if (!fits)
    pads.n = 0;
  for (size_t i = 0; i < out->spatial; i++) {
    weft_window *w = &out->w[i];
    *w = (weft_window){kernel[i], stride[i], dilation[i], 0, 0};
    if (out->global)
      w->stride = w->dilation = 1;
    if (padded && pads.n) {
      w->begin = pads.v[i * each];
      w->end = pads.v[i * each + each - 1];
    }
  }
  if (out->global)
    out->mode = WEFT_PAD_VALID;
  return WEFT_OK;
}

weft_status weft__pool_infer(weft_infer *it, const weft_pool_slots *s) {
  const weft_shape *x = it->in[0];
  if (weft_shape_is_unknown_rank(x))
    return weft__unknown_rank(it, 0);
  weft_pool pool;
  WEFT_TRY(weft__pool_read(it->d, it->desc, s, x->rank, &pool));
  weft_shape_copy(it->out[0], x);
  for (size_t i = 0; i < pool.spatial; i++) {
    size_t axis = pool.first + i;
    char what[64];
    snprintf(what, sizeof what, "axis %zu of input '%s'", axis, weft__in_name(it->desc, 0));
    weft_dim *y = &it->out[0]->dim[axis];
    const weft_window_axis over = {
        .what = what, .in = x->dim[axis], .window = pool.w[i], .mode = pool.mode, .ceil = pool.ceil};
    if (pool.global)
      *y = 1;
    else
      WEFT_TRY(weft__window_out(it->symbols, it->d, &over, y));
  }
  if (x->rank == 4)
    return WEFT_OK;
  const char *format = weft_node_str(it->desc, (uint32_t)s->data_format);
  if (format && strlen(format) != x->rank)
    it->out_format[0] = WEFT_ND;  // "NCHW" then only says: channels first
  return WEFT_OK;
}

typedef struct walker {
  weft_pool pool;
  int64_t in[3], out[3];
  size_t stride[3];
} walker;

static void pool_look(const walker *k, const size_t index[3], weft_pool_at *at) {
  at->padded = 1;
  for (size_t i = 0; i < 3; i++) {
    const weft_window *w = &k->pool.w[i];
    int64_t start = (int64_t)index[i] * w->stride - w->begin;
    int64_t first;
    at->count[i] = (size_t)weft__window_clip(w, start, k->in[i], &first);
    at->first[i] = at->count[i] ? (size_t)(start + first * w->dilation) * k->stride[i] : 0;
    at->step[i] = (size_t)w->dilation * k->stride[i];
    int64_t ignored;
    int64_t wide = weft__window_clip(w, start + w->begin, k->in[i] + w->begin + w->end, &ignored);
    if (!weft__mul_i64(at->padded, wide, &at->padded))
      at->padded = INT64_MAX;
  }
  if (!at->count[0] || !at->count[1] || !at->count[2])  // rows of nothing are none
    memset(at->count, 0, sizeof at->count);
}

// Whichever output is wanted: all of them have the same shape.
static const weft_tensor *any_output(const weft_call *c) {
  for (uint32_t i = 0; i < c->n_out; i++) {
    if (c->out[i])
      return c->out[i];
  }
  return NULL;
}

static weft_status pool_set_up(const weft_call *c, const weft_pool_slots *s, walker *k) {
  const weft_shape *x = &c->in[0]->layout.origin;
  const weft_shape *y = &any_output(c)->layout.origin;
  WEFT_TRY(weft__pool_read(c->d, c->desc, s, x->rank, &k->pool));
  size_t n = k->pool.spatial;
  size_t stride = k->pool.first == 1 ? (size_t)x->dim[x->rank - 1] : 1;
  weft_window w[3];
  memcpy(w, k->pool.w, sizeof w);
  for (size_t i = 3; i-- > 0;) {  // spatial axes become the last of three
    k->in[i] = k->out[i] = 1;
    k->stride[i] = 0;
    k->pool.w[i] = (weft_window){1, 1, 1, 0, 0};
    if (i < 3 - n)
      continue;
    size_t from = i - (3 - n);
    size_t axis = k->pool.first + from;
    k->in[i] = x->dim[axis];
    k->out[i] = y->dim[axis];
    k->stride[i] = stride;
    stride *= (size_t)x->dim[axis];
    k->pool.w[i] = w[from];
    if (k->pool.global)
      k->pool.w[i].kernel = x->dim[axis];
    else
      weft__window_resolve(&k->pool.w[i], k->pool.mode, k->in[i], k->out[i]);
  }
  return WEFT_OK;
}

weft_status weft__pooling_run(const weft_call *c, const weft_pool_slots *s, weft_pool_fn f) {
  if (!any_output(c))
    return WEFT_OK;
  const weft_shape *x = &c->in[0]->layout.origin;
  walker k;
  WEFT_TRY(pool_set_up(c, s, &k));
  bool last = k.pool.first == 1;
  size_t batch = (size_t)x->dim[0];
  size_t channels = (size_t)x->dim[last ? x->rank - 1 : 1];
  size_t image = (size_t)k.in[0] * (size_t)k.in[1] * (size_t)k.in[2];
  size_t spots = (size_t)k.out[0] * (size_t)k.out[1] * (size_t)k.out[2];
  size_t n = batch * channels * spots;
  size_t work = 0;
  for (size_t i = 0; i < n; i++) {
    size_t channel = last ? i % channels : i / spots % channels;
    size_t spot = last ? i / channels % spots : i % spots;
    size_t b = i / (channels * spots);
    size_t w = (size_t)k.out[2];
    size_t h = (size_t)k.out[1];
    size_t index[3] = {spot / w / h, spot / w % h, spot % w};
    weft_pool_at at;
    at.base = b * channels * image + (last ? channel : channel * image);
    pool_look(&k, index, &at);
    WEFT_TRY(weft__poll_work(c, &work, at.count[0] * at.count[1] * at.count[2] + 1));
    f(c, &at, i);
  }
  return WEFT_OK;
}

bool weft__pool_best(const weft_call *c, const weft_pool_at *at, size_t *out) {
  const weft_tensor *x = c->in[0];
  bool any = false;
  for (size_t a = 0; a < at->count[0]; a++) {
    for (size_t b = 0; b < at->count[1]; b++) {
      size_t row = at->base + at->first[0] + a * at->step[0] + at->first[1] + b * at->step[1] + at->first[2];
      for (size_t e = 0; e < at->count[2]; e++) {
        size_t i = row + e * at->step[2];
        if (!any || weft__order(x->dtype, x->data, i, *out, 1) > 0)
          *out = i;
        any = true;
      }
    }
  }
  return any;
}

void weft__pool_max(const weft_call *c, const weft_pool_at *at, size_t out) {
  weft_tensor *y = c->out[0];
  weft_dtype t = c->in[0]->dtype;
  size_t best = 0;
  if (weft__pool_best(c, at, &best))
    weft__copy_elem(t, y->data, out, c->in[0]->data, best);
  else if (weft_dtype_is_float(t))
    weft_store_f64(t, y->data, out, -INFINITY);
  else if (weft__is_unsigned(t))
    weft_store_u64(t, y->data, out, 0);
  else
    weft_store_i64(t, y->data, out, -1 - (int64_t)((UINT64_C(1) << (weft_dtype_bits(t) - 1)) - 1));
}
// SPDX-License-Identifier: Apache-2.0
