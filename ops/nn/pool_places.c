// ops/nn/pool_places.c - pools that say where they found the largest, adaptive pools, and what goes back to
// such places.   AscendIR MaxPoolWithArgmax, AdaptiveMaxPool2d, MaxPoolGradWithArgmax and their kin. A place
// counts within the plane of a channel, within one image with its channels, or within the whole tensor; -1 is
// a window without an element. Adaptive windows go from floor(i in / out) to ceil((i + 1) in / out).
#include "arrays.h"
#include "cells.h"
#include "dims_move.h"
#include "op/air_rows.h"
#include "op/named.h"

typedef enum { PLACE_PLANE, PLACE_IMAGE } place_base;

// ---- back to places ----
typedef struct places {
  place_base base;
  bool read;  // the second gradient reads there
} places;

static bool places_whole(const weft_op_desc *n) {
  return weft__flag_named(n, "include_batch_in_index");
}

static weft_status places_infer(weft_infer *it) {
  const places *k = it->desc->op->user;
  const weft_shape *x = it->in[0];
  const weft_shape *at = it->in[2];
  const weft_shape *like = it->in[1];
  weft_shape_copy(it->out[0], k->read ? at : x);
  if (k->read)
    like = x;
  if (weft_shape_is_unknown_rank(x) || weft_shape_is_unknown_rank(at))
    return WEFT_OK;
  WEFT_TRY(weft__expect_rank(it, 0, 3, 5));
  WEFT_TRY(weft__expect_rank(it, 1, x->rank, x->rank));
  WEFT_TRY(weft__expect_rank(it, 2, x->rank, x->rank));
  const weft_shape *same = k->read ? it->in[1] : at;
  bool last = weft__channels_last(weft__text_named(it->desc, "data_format")) || k->read;
  for (size_t i = 0; i < x->rank; i++) {
    weft_dim ignored;
    bool shared = i == 0 || i == (last ? x->rank - 1u : 1u);
    if (!weft_shape_is_unknown_rank(same) && !weft_shape_is_unknown_rank(like))
      WEFT_TRY(weft__merge_dim(it, like->dim[i], same->dim[i], "gradients and places", &ignored));
    if (shared)
      WEFT_TRY(
          weft__merge_dim(it, x->dim[i], at->dim[i], "batches or channels of 'x' and 'argmax'", &ignored));
  }
  return WEFT_OK;
}

typedef struct places_frame {
  const weft_shape *x;
  place_base base;
  bool last, whole;
  size_t channels, plane, image, spots;
} places_frame;

// The element of x that place `at` of output i means; false: outside.
static bool places_find(const places_frame *f, size_t i, int64_t at, size_t *out) {
  size_t batch = i / (f->spots * f->channels);
  size_t channel = f->last ? i % f->channels : i / f->spots % f->channels;
  size_t limit = f->whole ? weft__elems(f->x) : f->base == PLACE_PLANE ? f->plane : f->image;
  if (at < 0 || (uint64_t)at >= limit)
    return false;
  *out = (size_t)at;
  if (f->whole)
    return true;
  if (f->base == PLACE_PLANE)
    *out = f->last ? *out * f->channels + channel : channel * f->plane + *out;
  *out += batch * f->image;
  return true;
}

static weft_status places_ref(const weft_call *c) {
  const places *k = c->desc->op->user;
  const weft_tensor *at = c->in[2];
  const weft_tensor *g = c->in[1];
  weft_tensor *y = c->out[0];
  if (!y || !weft__elems(&y->layout.origin))
    return WEFT_OK;
  bool last = weft__channels_last(weft__text_named(c->desc, "data_format")) || k->read;
  places_frame f = {.x = &c->in[0]->layout.origin, .base = k->base, .last = last};
  size_t n = weft__elems(&at->layout.origin);
  size_t all = weft__elems(f.x);
  weft_sums sums;
  f.whole = places_whole(c->desc);
  f.channels = (size_t)f.x->dim[last ? f.x->rank - 1 : 1];
  f.image = n ? all / (size_t)f.x->dim[0] : 0;
  f.plane = n ? f.image / f.channels : 0;
  f.spots = n ? n / (size_t)f.x->dim[0] / f.channels : 0;
  WEFT_TRY(weft__sums_begin(c, y->dtype, k->read ? n : all, &sums));
  for (size_t i = 0; i < n; i++) {
    int64_t place = weft_load_i64(at->dtype, at->data, i);
    size_t where;
    WEFT_TRY(weft__poll_at(c, i));
    if (place == -1)
      continue;
    if (!places_find(&f, i, place, &where))
      return weft_fail(c->d, WEFT_E_RANGE, "input 'argmax': element %zu is %lld, which is no place in 'x'", i,
                       (long long)place);
    if (k->read)
      weft__sums_add(&sums, i, g, where);
    else
      weft__sums_add(&sums, where, g, i);
  }
  return weft__sums_store(c, &sums, y);
}

// ---- adaptive pools ----
typedef struct adaptive {
  size_t n;  // axes, the last ones; 0: as many as input 'output_size' has elements
  bool largest;
  const char *index;  // attribute with the dtype of places
} adaptive;

static weft_status adaptive_sizes(weft_infer *it, const adaptive *k, int64_t *out, size_t *n, bool *known) {
  weft_ints v = weft__ints_named(it->desc, "output_size");
  int64_t got;
  *known = true;
  *n = k->n;
  if (!k->n) {
    WEFT_TRY(weft__in_ints(it, 1, out, 3, &got, known));
    *n = got < 0 ? 0 : (size_t)got;
    return WEFT_OK;
  }
  if (v.n != k->n && v.n != 1)
    return weft_fail(it->d, WEFT_E_SHAPE, "attribute 'output_size' has %zu elements, expected %zu", v.n,
                     k->n);
  for (size_t i = 0; i < k->n; i++)
    out[i] = v.v[v.n == 1 ? 0 : i];
  return WEFT_OK;
}
static weft_status adaptive_dtype(weft_infer *it) {
  const adaptive *k = it->desc->op->user;
  it->out_dtype[0] = it->in_dtype[0];
  if (k->largest)
    it->out_dtype[1] = k->index && weft__int_named(it->desc, k->index) == 3 ? WEFT_INT32 : WEFT_INT64;
  return WEFT_OK;
}
static weft_status adaptive_infer(weft_infer *it) {
  const adaptive *k = it->desc->op->user;
  const weft_shape *x = it->in[0];
  weft_shape *y = it->out[0];
  int64_t size[3];
  size_t n;
  bool known;
  WEFT_TRY(adaptive_dtype(it));
  WEFT_TRY(adaptive_sizes(it, k, size, &n, &known));
  weft_shape_copy(y, x);
  bool last = weft__channels_last(weft__text_named(it->desc, "data_format"));
  if (!n)
    return weft_shape_is_unknown_rank(x) ? WEFT_OK : weft__unknown_dims(it, 0, x->rank);
  if (!weft_shape_is_unknown_rank(x)) {
    WEFT_TRY(weft__expect_rank(it, 0, n + 1, n + 2));
    for (size_t i = 0; i < n; i++) {
      size_t axis = (last ? x->rank - 1 : x->rank) - n + i;
      int64_t want = known && weft__is_literal(size[i]) ? size[i] : -1;
      if (known && weft__is_literal(size[i]) && (want < -1 || want == 0))
        return weft_fail(it->d, WEFT_E_RANGE, "'output_size': element %zu is %lld, expected at least 1", i,
                         (long long)want);
      bool kept = known && want == -1 && k->n;  // -1 in the attribute: as it is
      y->dim[axis] = kept ? x->dim[axis] : known ? weft__elem_dim(size[i]) : -1;
      if (x->dim[axis] == 0)
        return weft_fail(it->d, WEFT_E_SHAPE, "input 'x': axis %zu has no elements to pool", axis);
    }
  }
  if (k->largest)
    weft_shape_copy(it->out[1], y);
  return WEFT_OK;
}

typedef struct places_run {
  const weft_call *c;
  place_base base;
  bool whole;
  size_t plane, inner;
} places_run;
static weft_status adaptive_mean(void *ctx, const weft_pool_at *at, size_t out) {
  const weft_call *c = ctx;
  const weft_tensor *x = c->in[0];
  double sum = 0;
  for (size_t a = 0; a < at->count[0]; a++) {
    for (size_t b = 0; b < at->count[1]; b++) {
      size_t row = at->base + at->first[0] + a * at->step[0] + at->first[1] + b * at->step[1] + at->first[2];
      for (size_t e = 0; e < at->count[2]; e++)
        sum += weft_load_f64(x->dtype, x->data, row + e * at->step[2]);
    }
  }
  double n = (double)at->count[0] * (double)at->count[1] * (double)at->count[2];
  weft_store_f64(x->dtype, c->out[0]->data, out, sum / n);
  return WEFT_OK;
}
static weft_status places_largest(void *ctx, const weft_pool_at *at, size_t out) {
  const places_run *r = ctx;
  const weft_call *c = r->c;
  size_t best = 0;
  bool any = weft__pool_best(c, at, &best);
  if (c->out[0])
    weft__pool_max(c, at, out);
  if (!c->out[1])
    return WEFT_OK;
  size_t place = best;
  if (!r->whole && r->base == PLACE_PLANE)
    place = (best - at->base) / r->inner;
  else if (!r->whole)
    place = best % (r->plane * r->inner);
  weft_store_i64(c->out[1]->dtype, c->out[1]->data, out, any ? (int64_t)place : -1);
  return WEFT_OK;
}

static weft_status adaptive_ref(const weft_call *c) {
  const adaptive *k = c->desc->op->user;
  const weft_tensor *any = c->out[0] ? c->out[0] : k->largest ? c->out[1] : NULL;
  const weft_shape *x = &c->in[0]->layout.origin;
  weft_cells s;
  if (!any || !weft__elems(&any->layout.origin))
    return WEFT_OK;
  size_t n = k->n ? k->n : weft__elems(&c->in[1]->layout.origin);
  bool last = weft__channels_last(weft__text_named(c->desc, "data_format"));
  WEFT_TRY(weft__cells_begin(c, x, &any->layout.origin, n, last, &s));
  weft__cells_adaptive(&s);
  places_run r = {.c = c, .base = PLACE_PLANE, .plane = 1, .inner = s.inner};
  return k->largest ? weft__cells_each(c, &s, places_largest, &r)
                    : weft__cells_each(c, &s, adaptive_mean, (void *)(uintptr_t)c);
}

// ---- the largest of windows, with places as TensorFlow counts them ----
static weft_status largest_dtype(weft_infer *it) {
  it->out_dtype[0] = it->in_dtype[0];
  it->out_dtype[1] = weft__int_named(it->desc, "Targmax") == 3 ? WEFT_INT32 : WEFT_INT64;
  return WEFT_OK;
}
static weft_status largest_infer(weft_infer *it) {
  const weft_shape *x = it->in[0];
  weft_pool pool;
  WEFT_TRY(largest_dtype(it));
  weft_shape_copy(it->out[0], x);
  if (!weft_shape_is_unknown_rank(x)) {
    WEFT_TRY(weft__expect_rank(it, 0, 4, 4));
    WEFT_TRY(weft__pool_named(it->d, it->desc, x->rank, &pool));
    WEFT_TRY(weft__pool_spots(it, &pool, x, it->out[0]));
  }
  weft_shape_copy(it->out[1], it->out[0]);
  return WEFT_OK;
}
static weft_status largest_ref(const weft_call *c) {
  const weft_tensor *any = c->out[0] ? c->out[0] : c->out[1];
  const weft_shape *x = &c->in[0]->layout.origin;
  weft_pool pool;
  weft_cells s;
  if (!any || !weft__elems(&any->layout.origin))
    return WEFT_OK;
  WEFT_TRY(weft__pool_named(c->d, c->desc, x->rank, &pool));
  WEFT_TRY(weft__cells_begin(c, x, &any->layout.origin, pool.spatial, pool.first == 1, &s));
  weft__cells_sliding(&s, &pool);
  places_run r = {.c = c, .base = PLACE_IMAGE, .whole = places_whole(c->desc), .inner = s.inner};
  r.plane = weft__elems(x) / (size_t)x->dim[0] / s.inner;
  return weft__cells_each(c, &s, places_largest, &r);
}

#define BACK(op_name, base_is, is_read, ...)                                                          \
  {                                                                                                   \
    .name = op_name, .summary = is_read ? "what stands at the places of the largest"                  \
                                        : "gradients to the places of the largest",                   \
    .traits = WEFT_SYMBOLIC, .infer = places_infer, .ref = places_ref, .like = "grad",                \
    .user = (&(const places){base_is, is_read}), .examples = WEFT_EXAMPLES(__VA_ARGS__)               \
  }
#define ADAPTIVE(op_name, says, axes, is_largest, index_slot, reads, ...)                             \
  {                                                                                                   \
    .name = op_name, .summary = says, .traits = WEFT_SYMBOLIC, .infer = adaptive_infer,               \
    .infer_dtype = adaptive_dtype, .ref = adaptive_ref, .values = reads,                              \
    .user = (&(const adaptive){axes, is_largest, index_slot}), .examples = WEFT_EXAMPLES(__VA_ARGS__) \
  }

WEFT_ROWS(pool_places) = {
    BACK("MaxPoolGradWithArgmax", PLACE_IMAGE, false,
         "f32[1,2,2,1]{0..}, f32[1,1,1,1]{5}, i64[1,1,1,1]{2} ksize=[1,2,2,1] strides=[1,2,2,1] "
         "padding=\"VALID\" -> f32[1,2,2,1]{0,0,5,0}",
         "f32[1,2,2,1]{0..}, f32[1,1,1,1]{5}, i64[1,1,1,1]{4} ksize=[1,2,2,1] strides=[1,2,2,1] "
         "padding=\"VALID\" !! E_RANGE element 0 is 4"),
    BACK("MaxPoolGradWithArgmaxV3", PLACE_PLANE, false,
         "f32[1,2,1,2]{0..}, f32[1,2,1,1]{5,6}, i32[1,2,1,1]{1,0} ksize=[1,2] strides=[1,2] pads=[0,0] -> "
         "f32[1,2,1,2]{0,5,6,0}"),
    BACK("MaxPool3DGradWithArgmax", PLACE_PLANE, false,
         "f32[1,2,1,1,2]{0..}, f32[1,2,1,1,1]{5,6}, i32[1,2,1,1,1]{1,0} ksize=[1,1,2] strides=[1,1,2] "
         "pads=[0,0,0] -> f32[1,2,1,1,2]{0,5,6,0}"),
    BACK("MaxPoolGradGradWithArgmax", PLACE_IMAGE, true,
         "f32[1,2,2,1]{0..}, f32[1,2,2,1]{1,2,3,4}, i64[1,1,1,1]{2} ksize=[1,2,2,1] strides=[1,2,2,1] "
         "padding=\"VALID\" -> f32[1,1,1,1]{3}"),
    ADAPTIVE("AdaptiveAvgPool", "means of windows that share the axes evenly", 0, false, NULL, "output_size",
             "f32[1,1,1,3]{1,2,6}, i32[2]{1,2} -> f32[1,1,1,2]{1.5,4}"),
    ADAPTIVE("AdaptiveAvgPool2d", "means of windows that share two axes evenly", 2, false, NULL, NULL,
             "f32[1,1,1,3]{1,2,6} output_size=[1,2] -> f32[1,1,1,2]{1.5,4}",
             "f16[N,3,H,7] output_size=[2,3] -> f16[N,3,2,3]",
             "f32[1,1,4,4] output_size=[0,1] !! E_RANGE element 0 is 0"),
    ADAPTIVE("AdaptiveAvgPool3d", "means of windows that share three axes evenly", 3, false, NULL, NULL,
             "f32[1,1,1,3,1]{1,2,6} output_size=[1,1,2] -> f32[1,1,1,2,1]{1.5,4}"),
    ADAPTIVE("AdaptiveMaxPool2d", "the largest of windows that share two axes evenly, and places", 2, true,
             NULL, NULL,
             "f32[1,1,1,3]{1,2,6} output_size=[1,2] -> f32[1,1,1,2]{2,6}, i64[1,1,1,2]{1,2}"),
    ADAPTIVE("AdaptiveMaxPool3d", "the largest of windows that share three axes evenly, and places", 3, true,
             "indices_dtype", NULL,
             "f32[1,1,1,1,3]{1,2,6} output_size=[1,1,2] -> f32[1,1,1,1,2]{2,6}, i32[1,1,1,1,2]{1,2}"),
    {.name = "MaxPoolWithArgmax",
     .summary = "the largest of windows, and places in the image",
     .traits = WEFT_SYMBOLIC,
     .infer = largest_infer,
     .infer_dtype = largest_dtype,
     .ref = largest_ref,
     .examples = WEFT_EXAMPLES("f32[1,2,2,1]{1,4,3,2} ksize=[1,2,2,1] strides=[1,2,2,1] padding=\"VALID\" -> "
                               "f32[1,1,1,1]{4}, i64[1,1,1,1]{1}",
                               "f32[1,2,2,1] ksize=[1,0,2,1] strides=[1,2,2,1] padding=\"VALID\" -> _, _ !! "
                               "E_RANGE at least 1")},
    {0},
};
// SPDX-License-Identifier: Apache-2.0
