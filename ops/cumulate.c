// cumulate.c - see cumulate.h. One pass over each lane.
#include "cumulate.h"

#include "cumulate.rule.h"
#include "lanes.h"
#include "numeric.h"

weft_status weft__cumulate_infer(weft_infer *it) {
  size_t axis;
  bool known;
  WEFT_TRY(weft__in_axis(it, 1, it->in[0], &axis, &known));
  return weft__same(it, 0, 0);
}

// What has been combined so far: as double, as complex number, as integer modulo 2^64.
typedef struct sums {
  bool product;
  double f, z[2];
  uint64_t u;
} sums;

static void cumulate_add(weft_dtype t, const void *x, size_t i, sums *s) {
  if (weft_dtype_is_complex(t)) {
    double z[2];
    weft__load_complex(t, x, i, z);
    if (s->product)
      weft__mul_complex(s->z, z);
    else {
      s->z[0] += z[0];
      s->z[1] += z[1];
    }
  } else if (weft_dtype_is_float(t)) {
    double v = weft_load_f64(t, x, i);
    s->f = s->product ? s->f * v : s->f + v;
  } else {
    uint64_t v = weft__is_unsigned(t) ? weft_load_u64(t, x, i) : (uint64_t)weft_load_i64(t, x, i);
    s->u = s->product ? s->u * v : s->u + v;
  }
}

static void cumulate_put(weft_dtype t, void *y, size_t i, const sums *s) {
  if (weft_dtype_is_complex(t))
    weft__store_complex(t, y, i, s->z);
  else if (weft_dtype_is_float(t))
    weft_store_f64(t, y, i, s->f);
  else
    weft_store_u64(t, y, i, s->u);
}

weft_status weft__cumulate(const weft_call *c, bool product) {
  const weft_tensor *x = c->in[0];
  weft_tensor *y = c->out[0];
  bool exclusive = weft_node_bool(c->desc, WEFT_CUMULATE_EXCLUSIVE);
  bool reverse = weft_node_bool(c->desc, WEFT_CUMULATE_REVERSE);
  int64_t named;
  size_t n;
  size_t axis;
  size_t work = 0;
  if (!y)
    return WEFT_OK;
  WEFT_TRY(weft__read_ints(c, 1, &named, 1, &n));
  WEFT_TRY(weft__axis(c->d, "input 'axis'", named, x->layout.origin.rank, &axis));
  weft_lanes l;
  weft__lanes_init(&l, &x->layout.origin, UINT32_C(1) << axis);
  for (size_t i = 0; i < l.n && l.elems; i++) {
    size_t start = weft__lane_start(&l, i);
    sums s = {product, product, {product, 0}, product};  // of nothing: 1 or 0
    WEFT_TRY(weft__poll_work(c, &work, l.elems));
    for (size_t k = 0; k < l.elems; k++) {
      size_t at = start + weft__lane_step(&l, reverse ? l.elems - 1 - k : k);
      if (exclusive)
        cumulate_put(x->dtype, y->data, at, &s);
      cumulate_add(x->dtype, x->data, at, &s);
      if (!exclusive)
        cumulate_put(x->dtype, y->data, at, &s);
    }
  }
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
