// cells.c - windows of pools, axis by axis. A window is clipped to the input when it is laid out, so that no
// kernel and no padding costs more than the input has elements.
#include "cells.h"

#include "arrays.h"
#include "op/named.h"

// ---- layout ----
weft_status weft__cells_begin(const weft_call *c, const weft_shape *x, const weft_shape *y, size_t spatial,
                              bool last, weft_cells *out) {
  size_t from = last ? x->rank - 1 - spatial : x->rank - spatial;
  *out = (weft_cells){.spatial = spatial, .last = last};
  out->outer = weft__prod(x, 0, from);
  out->inner = weft__prod(x, from + spatial, x->rank);
  for (size_t k = 0; k < 3; k++) {
    size_t words;
    void *space;
    bool own = k + spatial >= 3;
    out->in[k] = own ? x->dim[from + k + spatial - 3] : 1;
    out->out[k] = own ? y->dim[from + k + spatial - 3] : 1;
    if (!weft_mul_size((size_t)out->out[k], sizeof(weft_cell) / 8, &words))
      return weft_fail(c->d, WEFT_E_OVERFLOW, "%lld windows", (long long)out->out[k]);
    WEFT_TRY(weft__scratch(c, words, &space));
    out->cell[k] = space;
    for (int64_t i = 0; i < out->out[k] && !own; i++)
      out->cell[k][i] = (weft_cell){0, 1, 1, 1};
  }
  return WEFT_OK;
}

static weft_cell cells_window(const weft_window *w, int64_t index, int64_t in) {
  int64_t start = index * w->stride - w->begin;
  int64_t skipped;
  int64_t ignored;
  weft_cell r = {.step = w->dilation};
  r.count = weft__window_clip(w, start, in, &skipped);
  r.first = r.count ? start + skipped * w->dilation : 0;
  r.padded = weft__window_clip(w, start + w->begin, in + w->begin + w->end, &ignored);
  return r;
}

void weft__cells_sliding(weft_cells *s, const weft_pool *p) {
  for (size_t i = 0; i < s->spatial; i++) {
    size_t k = i + 3 - s->spatial;
    weft_window w = p->w[i];
    if (p->global)
      w.kernel = s->in[k];
    else
      weft__window_resolve(&w, p->mode, s->in[k], s->out[k]);
    for (int64_t j = 0; j < s->out[k]; j++)
      s->cell[k][j] = cells_window(&w, j, s->in[k]);
  }
}

// floor(i in / out) without the product
static int64_t cells_from(int64_t i, int64_t in, int64_t out) {
  uint64_t rest = (uint64_t)i * (uint64_t)(in % out);
  return i * (in / out) + (int64_t)(rest / (uint64_t)out);
}
void weft__cells_adaptive(weft_cells *s) {
  for (size_t k = 3 - s->spatial; k < 3; k++) {
    for (int64_t i = 0; i < s->out[k]; i++) {
      int64_t from = cells_from(i, s->in[k], s->out[k]);
      int64_t to = s->in[k] - cells_from(s->out[k] - 1 - i, s->in[k], s->out[k]);
      s->cell[k][i] = (weft_cell){from, to - from, 1, to - from};
    }
  }
}

weft_status weft__cells_between(const weft_call *c, weft_cells *s, int k, const weft_tensor *at,
                                bool overlap) {
  size_t n = weft__elems(&at->layout.origin);
  int64_t from;
  if (n != (size_t)s->out[k] + 1)
    return weft_fail(c->d, WEFT_E_SHAPE, "%zu bounds of windows for %lld outputs, expected one more", n,
                     (long long)s->out[k]);
  from = weft_load_i64(at->dtype, at->data, 0);
  for (int64_t i = 0; i < s->out[k]; i++) {
    int64_t to = weft_load_i64(at->dtype, at->data, (size_t)i + 1);
    if (from < 0 || to <= from || from >= s->in[k])
      return weft_fail(c->d, WEFT_E_RANGE, "window %lld goes from %lld to %lld in an axis of %lld elements",
                       (long long)i, (long long)from, (long long)to, (long long)s->in[k]);
    int64_t end = to < s->in[k] ? to + overlap : s->in[k];
    end = WEFT_MIN(end, s->in[k]);
    s->cell[k][i] = (weft_cell){from, end - from, 1, end - from};
    from = to;
  }
  return WEFT_OK;
}

// ---- the walk ----
static void cells_look(const weft_cells *s, const int64_t index[3], weft_pool_at *at) {
  size_t stride = s->last ? s->inner : 1;
  at->padded = 1;
  for (size_t k = 3; k-- > 0;) {
    const weft_cell *w = &s->cell[k][index[k]];
    at->count[k] = (size_t)w->count;
    at->first[k] = (size_t)w->first * stride;
    at->step[k] = (size_t)w->step * stride;
    stride *= (size_t)s->in[k];
    if (!weft__mul_i64(at->padded, w->padded, &at->padded))
      at->padded = INT64_MAX;
  }
}

weft_status weft__cells_each(const weft_call *c, const weft_cells *s, weft_cell_fn f, void *ctx) {
  size_t image = (size_t)(s->in[0] * s->in[1] * s->in[2]) * s->inner;
  size_t out = 0;
  size_t work = 0;
  weft_pool_at at;
  for (size_t o = 0; o < s->outer; o++) {
    for (int64_t a = 0; a < s->out[0]; a++) {
      for (int64_t b = 0; b < s->out[1]; b++) {
        for (int64_t e = 0; e < s->out[2]; e++) {
          cells_look(s, (const int64_t[3]){a, b, e}, &at);
          for (size_t i = 0; i < s->inner; i++) {
            at.base = o * image + i;
            WEFT_TRY(weft__poll_work(c, &work, at.count[0] * at.count[1] * at.count[2] + 1));
            WEFT_TRY(f(ctx, &at, out++));
          }
        }
      }
    }
  }
  return WEFT_OK;
}

// ---- attributes ----
static uint32_t cells_either(const weft_op_desc *n, const char *a, const char *b) {
  uint32_t slot = weft__slot_named(n, a);
  return slot == UINT32_MAX ? weft__slot_named(n, b) : slot;
}

weft_status weft__pool_named(weft_diag *d, const weft_op_desc *n, size_t rank, weft_pool *out) {
  const weft_pool_slots slots = {.ksize = (int)cells_either(n, "ksize", "window"),
                                 .strides = (int)weft__slot_named(n, "strides"),
                                 .mode = (int)cells_either(n, "padding_mode", "padding"),
                                 .pads = (int)weft__slot_named(n, "pads"),
                                 .data_format = (int)weft__slot_named(n, "data_format"),
                                 .global = (int)weft__slot_named(n, "global_pooling"),
                                 .ceil = (int)weft__slot_named(n, "ceil_mode"),
                                 .dilations = (int)cells_either(n, "dilations", "dilation")};
  if (rank < 3 || rank > 5)
    return weft_fail(d, WEFT_E_SHAPE, "expected rank 3 to 5, got %zu", rank);
  WEFT_TRY(weft__pool_read(d, n, &slots, rank, out));
  for (size_t i = 0; i < out->spatial; i++) {
    const weft_window *w = &out->w[i];
    if (w->kernel < 1 || w->stride < 1 || w->dilation < 1 || w->begin < 0 || w->end < 0) {
      return weft_fail(d, WEFT_E_RANGE,
                       "windows along spatial axis %zu: a kernel of %lld, strides of %lld, a dilation of "
                       "%lld, pads %lld and %lld: the first three are at least 1, pads at least 0",
                       i, (long long)w->kernel, (long long)w->stride, (long long)w->dilation,
                       (long long)w->begin, (long long)w->end);
    }
  }
  return WEFT_OK;
}

weft_status weft__pool_spots(weft_infer *it, const weft_pool *p, const weft_shape *x, weft_shape *y) {
  weft_shape_copy(y, x);
  for (size_t i = 0; i < p->spatial; i++) {
    size_t axis = p->first + i;
    char what[64];
    snprintf(what, sizeof what, "axis %zu of what is pooled", axis);
    const weft_window_axis over = {
        .what = what, .in = x->dim[axis], .window = p->w[i], .mode = p->mode, .ceil = p->ceil};
    if (p->global)
      y->dim[axis] = 1;
    else
      WEFT_TRY(weft__window_out(it->symbols, it->d, &over, &y->dim[axis]));
  }
  return WEFT_OK;
}

// ---- sums ----
weft_status weft__sums_begin(const weft_call *c, weft_dtype t, size_t n, weft_sums *out) {
  void *space;
  bool real = !weft_dtype_is_integer(t);
  WEFT_TRY(weft__scratch(c, n, &space));
  memset(space, 0, n * 8);
  *out = (weft_sums){.t = t, .f = real ? space : NULL, .u = real ? NULL : space, .n = n};
  return WEFT_OK;
}

weft_status weft__sums_store(const weft_call *c, const weft_sums *s, weft_tensor *out) {
  for (size_t i = 0; i < s->n; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    if (s->f)
      weft_store_f64(out->dtype, out->data, i, s->f[i]);
    else
      weft_store_u64(out->dtype, out->data, i, s->u[i]);
  }
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
