// norm.c - parameters with one value a channel, and the last step of every normalisation.
#include "norm.h"

#include "arrays.h"

weft_status weft__channel_params(const weft_infer *it, uint32_t first, uint32_t last, weft_dim *channels) {
  for (uint32_t port = first; port <= last; port++) {
    uint32_t in;
    char what[96];
    if (!weft__has_in(it->desc, port, &in))
      continue;
    WEFT_TRY(weft__expect_rank(it, in, 1, 1));
    if (weft_shape_is_unknown_rank(it->in[in]) || it->in[in]->dim[0] == *channels)
      continue;
    snprintf(what, sizeof what, "channels of input '%s'", weft__in_name(it->desc, in));
    WEFT_TRY(weft__merge_dim(it, *channels, it->in[in]->dim[0], what, channels));
  }
  return WEFT_OK;
}

double weft__param(const weft_call *c, uint32_t port, size_t i, double absent) {
  uint32_t in;
  if (!weft__has_in(c->desc, port, &in))
    return absent;
  return weft_load_f64(c->in[in]->dtype, c->in[in]->data, i);
}

void weft__put(const weft_call *c, uint32_t out, size_t i, double v) {
  if (c->out[out])
    weft_store_f64(c->out[out]->dtype, c->out[out]->data, i, v);
}

weft_status weft__affine_lane(const weft_call *c, const weft_affine *a) {
  const weft_tensor *x = c->in[0];
  weft_tensor *y = c->out[0];
  if (!y)
    return WEFT_OK;
  size_t start = weft__lane_start(a->lanes, a->lane);
  double root = weft__norm_root(a->variance, a->epsilon);
  for (size_t k = 0; k < a->lanes->elems; k++) {
    WEFT_TRY(weft__poll_at(c, k));
    size_t at = start + weft__lane_step(a->lanes, k);
    size_t p = a->param(a->ctx, a->lane, k);
    double v = (weft_load_f64(x->dtype, x->data, at) - a->mean) / root;
    weft_store_f64(y->dtype, y->data, at,
                   v * weft__param(c, a->scale, p, 1) + weft__param(c, a->shift, p, 0));
  }
  return WEFT_OK;
}

weft_status weft__normalise_lanes(const weft_call *c, weft_affine *a) {
  const weft_tensor *x = c->in[0];
  const weft_lanes *l = a->lanes;
  size_t work = 0;
  void *v;
  WEFT_TRY(weft__scratch(c, l->elems, &v));
  for (a->lane = 0; a->lane < l->n; a->lane++) {
    WEFT_TRY(weft__poll_work(c, &work, l->elems + 8));
    weft__lane_load(l, a->lane, x->dtype, x->data, v);
    weft__moments(v, l->elems, &a->mean, &a->variance);
    weft__put(c, 1, a->lane, a->mean);
    weft__put(c, 2, a->lane, a->variance);
    WEFT_TRY(weft__affine_lane(c, a));
  }
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
