// arg.c - the index of the best element of each lane along one axis.
#include "arg.h"

#include "arrays.h"
#include "lanes.h"

weft_status weft__arg_infer(weft_infer *it) {
  const weft_shape *x = it->in[0];
  weft_shape *y = it->out[0];
  size_t axis;
  bool known;
  bool keep = weft_node_bool(it->desc, WEFT_ARG_KEEP_DIMS);
  WEFT_TRY(weft__in_axis(it, 1, x, &axis, &known));
  if (weft_shape_is_unknown_rank(x))
    return weft__unknown_rank(it, 0);
  if (!x->rank)
    return weft_fail(it->d, WEFT_E_SHAPE, "input 'x': expected rank 1 or more, got a scalar");
  y->rank = 0;
  for (size_t i = 0; i < x->rank; i++) {
    if (!known && (keep || i))
      y->dim[y->rank++] = keep && x->dim[i] == 1 ? 1 : -1;
    else if (known && i == axis && keep)
      y->dim[y->rank++] = 1;
    else if (known && i != axis)
      y->dim[y->rank++] = x->dim[i];
  }
  return WEFT_OK;
}

weft_status weft__arg_run(const weft_call *c, int sign) {
  const weft_tensor *x = c->in[0];
  weft_tensor *y = c->out[0];
  const weft_shape *s = &x->layout.origin;
  int64_t named;
  size_t n;
  size_t axis;
  size_t work = 0;
  bool last = weft_node_bool(c->desc, WEFT_ARG_LAST);
  if (!y)
    return WEFT_OK;
  if (weft_dtype_is_complex(x->dtype))
    return weft__no_kernel(c, x->dtype);
  WEFT_TRY(weft__read_ints(c, 1, &named, 1, &n));
  WEFT_TRY(weft__axis(c->d, "input 'dimension'", named, s->rank, &axis));
  weft_lanes l;
  weft__lanes_init(&l, s, UINT32_C(1) << axis);
  if (l.n && !l.elems) {
    return weft_fail(c->d, WEFT_E_RANGE, "axis %zu has no elements, so %zu lanes have no best one", axis,
                     l.n);
  }
  for (size_t i = 0; i < l.n; i++) {
    size_t start = weft__lane_start(&l, i);
    size_t best = 0;
    WEFT_TRY(weft__poll_work(c, &work, l.elems));
    for (size_t k = 1; k < l.elems; k++) {
      int order = sign * weft__order(x->dtype, x->data, start + weft__lane_step(&l, k),
                                     start + weft__lane_step(&l, best), sign);
      if (order > 0 || (last && order == 0))
        best = k;
    }
    weft_store_i64(y->dtype, y->data, i, (int64_t)best);
  }
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
