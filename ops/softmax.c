// softmax.c - functions of lanes over the axes of an attribute (softmax.rule.h).
#include "softmax.h"
#include "softmax.rule.h"

weft_status weft__lane_axes(weft_diag *d, const weft_op_desc *n, uint32_t slot, size_t rank,
                            uint32_t *out_mask) {
  weft_ints axes = weft_node_ints(n, slot);
  char what[96];
  snprintf(what, sizeof what, "attribute '%s'", weft__attr_name(n, slot));
  return weft__axes(d, what, axes.v, axes.n, rank, out_mask);
}

weft_status weft__softmax_infer(weft_infer *it) {
  uint32_t mask;
  const weft_shape *x = it->in[0];
  if (!weft_shape_is_unknown_rank(x))
    WEFT_TRY(weft__lane_axes(it->d, it->desc, WEFT_LANE_AXES, x->rank, &mask));
  return weft__same(it, 0, 0);
}

weft_status weft__softmax_run(const weft_call *c, weft_lane_fn f) {
  uint32_t mask;
  WEFT_TRY(weft__lane_axes(c->d, c->desc, WEFT_LANE_AXES, c->in[0]->layout.origin.rank, &mask));
  return weft__each_lane(c, mask, f, NULL);
}

double weft__lane_max(const double *v, size_t n) {
  double most = -INFINITY;
  for (size_t k = 0; k < n; k++) {
    if (v[k] > most || v[k] != v[k])
      most = v[k];
  }
  return most;
}
// SPDX-License-Identifier: Apache-2.0
