// reduce.c - reductions. A lane is copied into one array of doubles, int64 or uint64 and handed to the
// reducer; with one array for the whole run, memory is that of the longest lane.
#include "reduce.h"

#include "arrays.h"
#include "lanes.h"

enum { AXES_MAX = 64 };

// Which axes are reduced: *out_known false when it is not decided, then *out_n is the number of axes or -1.
static weft_status reduce_read_axes(weft_infer *it, size_t rank, bool *out_known, uint32_t *out_mask,
                                    int64_t *out_n) {
  int64_t axes[AXES_MAX];
  *out_mask = 0;
  WEFT_TRY(weft__in_ints(it, 1, axes, AXES_MAX, out_n, out_known));
  if (*out_n == 0) {
    *out_mask = weft_node_bool(it->desc, WEFT_REDUCE_NOOP) ? 0 : ~UINT32_C(0);
    *out_known = true;
    return WEFT_OK;
  }
  if (*out_n > (int64_t)rank)
    return weft_fail(it->d, WEFT_E_SHAPE, "input 'axes': %lld axes for rank %zu", (long long)*out_n, rank);
  for (int64_t i = 0; *out_known && i < *out_n; i++)
    *out_known = axes[i] > WEFT_DIM_SYMBOL_LIMIT;
  return *out_known ? weft__axes(it->d, "input 'axes'", axes, (size_t)*out_n, rank, out_mask) : WEFT_OK;
}

// The shape of y for a shape of x with the same rank. `open`: what a kept axis gives that may be reduced or
// not.
static weft_status reduce_shape_of(weft_infer *it, const weft_shape *x, weft_shape *y,
                                   weft_dim (*open)(weft_dim)) {
  bool known;
  bool keep = weft_node_bool(it->desc, WEFT_REDUCE_KEEP_DIMS);
  bool unknown_rank = weft_shape_is_unknown_rank(x);
  uint32_t mask;
  int64_t n;
  WEFT_TRY(reduce_read_axes(it, unknown_rank ? WEFT_MAX_RANK : x->rank, &known, &mask, &n));
  y->rank = 0;
  bool scalar = !keep && n == 0 && mask;
  bool unknown = unknown_rank || (!known && !keep && n < 0);
  if (unknown && !scalar)
    weft_shape_set_unknown_rank(y);
  if (unknown)
    return WEFT_OK;
  for (size_t i = 0; i < x->rank; i++) {
    bool cut = mask >> i & 1;
    if (!known && !keep && i >= x->rank - (size_t)n)
      continue;
    if (!known && !keep)
      y->dim[y->rank++] = open(-1);
    else if (!known)
      y->dim[y->rank++] = x->dim[i] == 1 || n == (int64_t)x->rank ? 1 : open(x->dim[i]);
    else if (!cut)
      y->dim[y->rank++] = x->dim[i];
    else if (keep)
      y->dim[y->rank++] = 1;
  }
  return WEFT_OK;
}

static weft_dim unknown_dim(weft_dim d) {
  (void)d;
  return -1;
}
static weft_dim least(weft_dim d) {
  return d < 1 ? 0 : 1;
}
static weft_dim most(weft_dim d) {
  return d < 0 ? -1 : d < 1 ? 1 : d;
}

weft_status weft__reduce_infer(weft_infer *it) {
  return reduce_shape_of(it, it->in[0], it->out[0], unknown_dim);
}

weft_status weft__reduce_range(weft_infer *it) {
  WEFT_TRY(reduce_shape_of(it, it->in_min[0], it->out_min[0], least));
  return reduce_shape_of(it, it->in_max[0], it->out_max[0], most);
}

static weft_status reduce_mask_of(const weft_call *c, uint32_t *out) {
  int64_t axes[AXES_MAX];
  size_t n;
  WEFT_TRY(weft__read_ints(c, 1, axes, AXES_MAX, &n));
  if (n)
    return weft__axes(c->d, "input 'axes'", axes, n, c->in[0]->layout.origin.rank, out);
  *out = weft_node_bool(c->desc, WEFT_REDUCE_NOOP) ? 0 : ~UINT32_C(0);
  return WEFT_OK;
}

typedef struct lane {
  const weft_lanes *l;
  size_t index;
  void *v;  // elems * 16 bytes for complex numbers, 8 otherwise
} lane;

static void reduce_complex(const weft_call *c, const weft_reducer *r, const lane *a) {
  double *v = a->v, z[2];
  size_t start = weft__lane_start(a->l, a->index);
  weft_dtype t = c->in[0]->dtype;
  for (size_t k = 0; k < a->l->elems; k++)
    weft__load_complex(t, c->in[0]->data, start + weft__lane_step(a->l, k), v + 2 * k);
  r->c(v, a->l->elems, z);
  weft__store_complex(t, c->out[0]->data, a->index, z);
}

static int64_t clamp_i64(weft_dtype t, int64_t v) {
  int64_t most = INT64_MAX >> (64 - weft_dtype_bits(t));
  return v > most ? most : v < -1 - most ? -1 - most : v;
}

static uint64_t clamp_u64(weft_dtype t, uint64_t v) {
  uint64_t most = t == WEFT_BOOL ? 1 : UINT64_MAX >> (64 - weft_dtype_bits(t));
  return v > most ? most : v;
}

static const char *reduce_lane(const weft_call *c, const weft_reducer *r, const lane *a) {
  const weft_tensor *x = c->in[0];
  weft_tensor *y = c->out[0];
  const char *bad = NULL;
  size_t n = a->l->elems;
  size_t start = weft__lane_start(a->l, a->index);
  if (weft_dtype_is_float(x->dtype)) {
    weft__lane_load(a->l, a->index, x->dtype, x->data, a->v);
    weft_store_f64(y->dtype, y->data, a->index, r->f(a->v, n));
  } else if (weft__is_unsigned(x->dtype)) {
    uint64_t *v = a->v;
    for (size_t k = 0; k < n; k++)
      v[k] = weft_load_u64(x->dtype, x->data, start + weft__lane_step(a->l, k));
    uint64_t s = r->u(v, n, &bad);
    weft_store_u64(y->dtype, y->data, a->index, r->clamp ? clamp_u64(y->dtype, s) : s);
  } else {
    int64_t *v = a->v;
    for (size_t k = 0; k < n; k++)
      v[k] = weft_load_i64(x->dtype, x->data, start + weft__lane_step(a->l, k));
    int64_t s = r->i(v, n, &bad);
    weft_store_i64(y->dtype, y->data, a->index, r->clamp ? clamp_i64(y->dtype, s) : s);
  }
  return bad;
}

weft_status weft__reduce(const weft_call *c, const weft_reducer *r) {
  if (!c->out[0])
    return WEFT_OK;
  weft_dtype t = c->in[0]->dtype;
  bool complex = weft_dtype_is_complex(t);
  bool real = weft_dtype_is_float(t);
  bool natural = weft__is_unsigned(t);
  if (complex ? !r->c : real ? !r->f : natural ? !r->u : !r->i)
    return weft__no_kernel(c, t);
  uint32_t mask;
  weft_lanes l;
  lane a = {.l = &l};
  size_t words;
  size_t work = 0;
  WEFT_TRY(reduce_mask_of(c, &mask));
  weft__lanes_init(&l, &c->in[0]->layout.origin, mask);
  if (!weft_mul_size(l.elems, complex ? 2 : 1, &words))
    return weft_fail(c->d, WEFT_E_OVERFLOW, "a lane of %zu elements does not fit the address space", l.elems);
  WEFT_TRY(weft__scratch(c, words, &a.v));
  for (a.index = 0; a.index < l.n; a.index++) {
    WEFT_TRY(weft__poll_work(c, &work, l.elems + 1));
    if (complex) {
      reduce_complex(c, r, &a);
      continue;
    }
    const char *bad = reduce_lane(c, r, &a);
    if (bad)
      return weft_fail(c->d, WEFT_E_RANGE, "output element %zu: %s", a.index, bad);
  }
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
