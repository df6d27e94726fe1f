// ops/nn/pool_grads.c - gradients of pools with respect to what is pooled.   AscendIR MaxPoolGrad and its
// kin. Of the largest of windows each gradient goes to the first largest element of its window; of means each
// element of the window gets its share; overlapping windows add up. The second gradient of the largest reads
// at those places instead.
#include "arrays.h"
#include "cells.h"
#include "dims_move.h"
#include "op/air_rows.h"
#include "op/named.h"

typedef enum { POOL_MAX, POOL_MEAN, POOL_READ } pool_what;
typedef enum { POOL_SLIDING, POOL_ADAPTIVE, POOL_BETWEEN } pool_kind;
typedef struct pool_grad {
  pool_what what;
  pool_kind kind;
  int8_t x;      // the input that was pooled; -1: its shape is given
  int8_t shape;  // the input with that shape; -1: attribute orig_input_shape
  int8_t y;      // the input that the pool gave; -1: none
  int8_t g;      // gradients
  int8_t spatial;
} pool_grad;

// The shape of what was pooled, as far as it is known.
static weft_status pool_grad_shape(weft_infer *it, const pool_grad *k, weft_shape *out) {
  if (k->x >= 0) {
    weft_shape_copy(out, it->in[k->x]);
    return WEFT_OK;
  }
  if (k->shape >= 0)
    return weft__in_target(it, (uint32_t)k->shape, out);
  weft_ints v = weft__ints_named(it->desc, "orig_input_shape");
  if (v.n > WEFT_MAX_RANK)
    return weft_fail(it->d, WEFT_E_LIMIT, "attribute 'orig_input_shape' has %zu elements", v.n);
  out->rank = (uint8_t)v.n;
  for (size_t i = 0; i < v.n; i++) {
    if (v.v[i] < 0)
      return weft_fail(it->d, WEFT_E_SHAPE, "attribute 'orig_input_shape': element %zu is %lld", i,
                       (long long)v.v[i]);
    out->dim[i] = v.v[i];
  }
  return WEFT_OK;
}

static bool pool_grad_last(const weft_op_desc *n, const pool_grad *k) {
  const char *format = weft__text_named(n, "data_format");
  return k->kind == POOL_BETWEEN || weft__channels_last(format);
}

// Gradients of adaptive pools, and of those between places, may have any sizes along the spatial axes.
static weft_status pool_grad_free(weft_infer *it, const pool_grad *k, const weft_shape *x, weft_shape *y) {
  size_t from = pool_grad_last(it->desc, k) ? 1 : x->rank - (size_t)k->spatial;
  if (x->rank < (size_t)k->spatial + 1 || x->rank > (size_t)k->spatial + 2)
    return weft_fail(it->d, WEFT_E_SHAPE, "what is pooled has rank %zu, expected %d", (size_t)x->rank,
                     k->spatial + 2);
  weft_shape_copy(y, x);
  for (int i = 0; i < k->spatial; i++)
    y->dim[from + (size_t)i] = -1;
  return WEFT_OK;
}

static weft_status pool_grad_check(weft_infer *it, const pool_grad *k, const weft_shape *x) {
  const int8_t which[2] = {k->y, k->g};
  weft_shape want;
  weft_pool pool;
  if (k->kind == POOL_SLIDING) {
    WEFT_TRY(weft__pool_named(it->d, it->desc, x->rank, &pool));
    WEFT_TRY(weft__pool_spots(it, &pool, x, &want));
  } else {
    WEFT_TRY(pool_grad_free(it, k, x, &want));
  }
  for (int j = 0; j < 2; j++) {
    const weft_shape *got = which[j] < 0 ? NULL : it->in[which[j]];
    const weft_shape *as = k->what == POOL_READ && j ? x : &want;
    if (!got || weft_shape_is_unknown_rank(got))
      continue;
    WEFT_TRY(weft__expect_rank(it, (uint32_t)which[j], as->rank, as->rank));
    for (size_t i = 0; i < as->rank; i++) {
      weft_dim ignored;
      char what[80];
      snprintf(what, sizeof what, "axis %zu of the pool and of input '%s'", i,
               weft__in_name(it->desc, (uint32_t)which[j]));
      WEFT_TRY(weft__merge_dim(it, as->dim[i], got->dim[i], what, &ignored));
    }
  }
  return WEFT_OK;
}

static weft_status pool_grad_infer(weft_infer *it) {
  const pool_grad *k = it->desc->op->user;
  weft_shape x;
  WEFT_TRY(pool_grad_shape(it, k, &x));
  if (k->what == POOL_READ)  // elements are copied
    WEFT_TRY(weft__expect_dtype(it, (uint32_t)k->g, (uint32_t)k->x));
  weft_shape_copy(it->out[0], k->what == POOL_READ ? it->in[k->y] : &x);
  return weft_shape_is_unknown_rank(&x) ? WEFT_OK : pool_grad_check(it, k, &x);
}

typedef struct pool_run {
  const weft_call *c;
  const pool_grad *k;
  const weft_tensor *g;
  weft_sums sums;
  bool exclusive;
  double divisor;
} pool_run;

// Integers, too, get shares of floats, which are rounded once, when all are there.
static weft_status pool_spread(pool_run *r, const weft_pool_at *at, size_t out) {
  double inside = (double)at->count[0] * (double)at->count[1] * (double)at->count[2];
  double by = r->exclusive ? inside : (double)at->padded;
  if (r->divisor > 0)
    by = r->divisor;
  double share = weft_load_f64(r->g->dtype, r->g->data, out) / by;
  for (size_t a = 0; a < at->count[0]; a++) {
    for (size_t b = 0; b < at->count[1]; b++) {
      size_t row = at->base + at->first[0] + a * at->step[0] + at->first[1] + b * at->step[1] + at->first[2];
      for (size_t e = 0; e < at->count[2]; e++)
        r->sums.f[row + e * at->step[2]] += share;
    }
  }
  return WEFT_OK;
}
static weft_status pool_grad_one(void *ctx, const weft_pool_at *at, size_t out) {
  pool_run *r = ctx;
  size_t best;
  if (r->k->what == POOL_MEAN)
    return pool_spread(r, at, out);
  bool any = weft__pool_best(r->c, at, &best);
  if (r->k->what == POOL_MAX && any)
    weft__sums_add(&r->sums, best, r->g, out);
  if (r->k->what == POOL_READ && any)
    weft__copy_elem(r->g->dtype, r->c->out[0]->data, out, r->g->data, best);
  return WEFT_OK;
}

static weft_status pool_grad_cells(const weft_call *c, const pool_grad *k, const weft_shape *x,
                                   const weft_shape *y, weft_cells *s) {
  weft_pool pool;
  if (k->kind == POOL_SLIDING) {
    WEFT_TRY(weft__pool_named(c->d, c->desc, x->rank, &pool));
    WEFT_TRY(weft__cells_begin(c, x, y, pool.spatial, pool.first == 1, s));
    weft__cells_sliding(s, &pool);
    return WEFT_OK;
  }
  WEFT_TRY(weft__cells_begin(c, x, y, (size_t)k->spatial, pool_grad_last(c->desc, k), s));
  if (k->kind == POOL_ADAPTIVE) {
    weft__cells_adaptive(s);
    return WEFT_OK;
  }
  bool overlap = weft__flag_named(c->desc, "overlapping");
  WEFT_TRY(weft__cells_between(c, s, 1, c->in[k->g + 1], overlap));
  return weft__cells_between(c, s, 2, c->in[k->g + 2], overlap);
}

static weft_status pool_grad_ref(const weft_call *c) {
  const pool_grad *k = c->desc->op->user;
  weft_tensor *out = c->out[0];
  const weft_op_desc *n = c->desc;
  bool read = k->what == POOL_READ;
  pool_run r = {.c = c, .k = k, .g = c->in[k->g]};
  if (!out || !weft__elems(&out->layout.origin))
    return WEFT_OK;
  const weft_shape *x = read ? &c->in[k->x]->layout.origin : &out->layout.origin;
  const weft_shape *y = read ? &out->layout.origin : &r.g->layout.origin;
  weft_cells s;
  r.exclusive = weft__slot_named(n, "exclusive") != UINT32_MAX ? weft__flag_named(n, "exclusive")
                                                               : !weft__flag_named(n, "count_include_pad");
  r.divisor = (double)weft__int_named(n, "divisor_override");
  if (read)
    memset(out->data, 0, weft__elems(y) * weft__elem_bytes(out->dtype));
  else
    WEFT_TRY(weft__sums_begin(c, k->what == POOL_MEAN ? WEFT_FLOAT : out->dtype, weft__elems(x), &r.sums));
  if (weft__elems(x) && weft__elems(y)) {
    WEFT_TRY(pool_grad_cells(c, k, x, y, &s));
    WEFT_TRY(weft__cells_each(c, &s, pool_grad_one, &r));
  }
  return read ? WEFT_OK : weft__sums_store(c, &r.sums, out);
}

#define GRAD(op_name, says, what_is, reads, same, ...)                                                \
  {                                                                                                   \
    .name = op_name, .summary = says, .traits = WEFT_SYMBOLIC, .infer = pool_grad_infer,              \
    .ref = pool_grad_ref, .values = reads, .like = same, .user = what_is,                             \
    .examples = WEFT_EXAMPLES(__VA_ARGS__)                                                            \
  }
#define IS(...) (&(const pool_grad){__VA_ARGS__})
#define MAX_SAYS  "gradients to the largest element of each window"
#define MEAN_SAYS "gradients shared by the elements of each window"
#define READ_SAYS "what stands at the largest element of each window"

static const pool_grad max_of = {POOL_MAX, POOL_SLIDING, 0, -1, 1, 2, 0};
static const pool_grad read_of = {POOL_READ, POOL_SLIDING, 0, -1, 1, 2, 0};
static const pool_grad mean_of = {POOL_MEAN, POOL_SLIDING, -1, 0, -1, 1, 0};
static const pool_grad mean_listed = {POOL_MEAN, POOL_SLIDING, -1, -1, -1, 0, 0};

WEFT_ROWS(pool_grads) = {
    GRAD("MaxPoolGrad", MAX_SAYS, &max_of, NULL, NULL,
         "f32[1,2,2,1]{1,4,3,2}, f32[1,1,1,1]{4}, f32[1,1,1,1]{5} ksize=[1,2,2,1] strides=[1,2,2,1] "
         "padding=\"VALID\" -> f32[1,2,2,1]{0,5,0,0}",
         "f32[N,4,4,2], f32[N,2,2,2], f32[N,2,2,2] ksize=[1,2,2,1] strides=[1,2,2,1] padding=\"SAME\" -> "
         "f32[N,4,4,2]",
         "f32[1,2,2,1], f32[1,1,1,1], f32[1,1,2,1] ksize=[1,2,2,1] strides=[1,2,2,1] padding=\"VALID\" "
         "!! E_SHAPE axis 2",
         "f32[1,2,2,1], f32[1,1,1,1], f32[1,1,1,1] ksize=[1,2,0,1] strides=[1,2,2,1] padding=\"VALID\" "
         "!! E_RANGE at least 1"),
    GRAD("MaxPoolV3Grad", MAX_SAYS, &max_of, NULL, NULL,
         "f32[1,1,1,3]{1,4,3}, f32[1,1,1,2]{4,4}, f32[1,1,1,2]{5,6} ksize=[1,1,1,2] strides=[1,1,1,1] -> "
         "f32[1,1,1,3]{0,11,0}"),
    GRAD("MaxPool3DGrad", MAX_SAYS, &max_of, NULL, NULL,
         "f32[1,1,1,2,1]{1,4}, f32[1,1,1,1,1]{4}, f32[1,1,1,1,1]{5} ksize=[1,1,1,2,1] "
         "strides=[1,1,1,2,1] pads=[0,0,0,0,0,0] -> f32[1,1,1,2,1]{0,5}"),
    GRAD("MaxPoolGradGrad", READ_SAYS, &read_of, NULL, NULL,
         "f32[1,2,2,1]{1,4,3,2}, f32[1,1,1,1]{4}, f32[1,2,2,1]{5,6,7,8} ksize=[1,2,2,1] strides=[1,2,2,1] "
         "padding=\"VALID\" -> f32[1,1,1,1]{6}",
         "i8[1,2,2,1]{1,4,3,2}, i8[1,1,1,1]{4}, f32[1,2,2,1]{5,6,7,8} ksize=[1,2,2,1] strides=[1,2,2,1] "
         "padding=\"VALID\" !! E_DTYPE one dtype"),
    GRAD("MaxPool3DGradGrad", READ_SAYS, &read_of, NULL, NULL,
         "f32[1,1,1,2,1]{1,4}, f32[1,1,1,1,1]{4}, f32[1,1,1,2,1]{5,6} ksize=[1,1,1,2,1] "
         "strides=[1,1,1,2,1] pads=[0,0,0,0,0,0] -> f32[1,1,1,1,1]{6}"),
    GRAD("AvgPoolGrad", MEAN_SAYS, &mean_of, "orig_input_shape", NULL,
         "i32[4]{1,2,2,1}, f32[1,1,1,1]{4} ksize=[1,2,2,1] strides=[1,2,2,1] padding=\"VALID\" -> "
         "f32[1,2,2,1]{1,1,1,1}",
         "i32[4]{1,2,2,1}, f32[1,1,1,2] ksize=[1,2,2,1] strides=[1,2,2,1] padding=\"VALID\" "
         "!! E_SHAPE axis 3"),
    GRAD("AvgPoolV2Grad", MEAN_SAYS, &mean_of, "orig_input_shape", NULL,
         "i32[4]{1,1,1,3}, f32[1,1,1,2]{4,6} ksize=[1,1,1,2] strides=[1,1,1,1] -> f32[1,1,1,3]{2,5,3}"),
    GRAD("AvgPool3DGrad", MEAN_SAYS, &mean_of, "orig_input_shape", NULL,
         "i32[5]{1,1,1,2,1}, f32[1,1,1,1,1]{4} ksize=[1,1,1,2,1] strides=[1,1,1,2,1] pads=[0,0,0,0,0,0] -> "
         "f32[1,1,1,2,1]{2,2}"),
    GRAD("AvgPoolGradD", MEAN_SAYS, &mean_listed, NULL, NULL,
         "f16[1,1,1,1]{4}, f16[1,1,1,1]{1}, f16[1,1,1,1]{1} orig_input_shape=[1,2,2,1] ksize=[1,2,2,1] "
         "strides=[1,2,2,1] padding=\"VALID\" -> f16[1,2,2,1]{1,1,1,1}"),
    GRAD("AvgPoolV2GradD", MEAN_SAYS, &mean_listed, NULL, NULL,
         "f16[1,1,1,2]{4,6} orig_input_shape=[1,1,1,3] ksize=[1,1,1,2] strides=[1,1,1,1] -> "
         "f16[1,1,1,3]{2,5,3}"),
    GRAD("AvgPool3DGradD", MEAN_SAYS, &mean_listed, NULL, NULL,
         "f16[1,1,1,1,1]{4} orig_input_shape=[1,1,1,2,1] ksize=[1,1,1,2,1] strides=[1,1,1,2,1] "
         "pads=[0,0,0,0,0,0] -> f16[1,1,1,2,1]{2,2}"),
    GRAD("AdaptiveAvgPool2dGrad", MEAN_SAYS, IS(POOL_MEAN, POOL_ADAPTIVE, -1, -1, -1, 0, 2), NULL, NULL,
         "f32[1,1,1,2]{4,6} orig_input_shape=[1,1,1,3] -> f32[1,1,1,3]{2,5,3}",
         "f32[1,1,1,2] orig_input_shape=[1,-1,1,3] !! E_SHAPE element 1"),
    GRAD("AdaptiveAvgPool3dGrad", MEAN_SAYS, IS(POOL_MEAN, POOL_ADAPTIVE, 1, -1, -1, 0, 3), NULL, "x",
         "f32[1,1,1,2,1]{4,6}, f32[1,1,1,3,1]{0..} -> f32[1,1,1,3,1]{2,5,3}"),
    GRAD("FractionalMaxPoolGrad", MAX_SAYS, IS(POOL_MAX, POOL_BETWEEN, 0, -1, 1, 2, 2), NULL, NULL,
         "f32[1,1,3,1]{1,4,3}, f32[1,1,2,1]{4,3}, f32[1,1,2,1]{5,6}, i64[2]{0,1}, i64[3]{0,2,3} -> "
         "f32[1,1,3,1]{0,5,6}",
         "f32[1,1,3,1]{0..}, f32[1,1,2,1]{0..}, f32[1,1,2,1]{0..}, i64[2]{0,1}, i64[3]{0,4,3} "
         "!! E_RANGE window 1"),
    GRAD("FractionalAvgPoolGrad", MEAN_SAYS, IS(POOL_MEAN, POOL_BETWEEN, -1, 0, -1, 1, 2),
         "orig_input_tensor_shape", NULL,
         "i64[4]{1,1,3,1}, f32[1,1,2,1]{4,6}, i64[2]{0,1}, i64[3]{0,2,3} -> f32[1,1,3,1]{2,2,6}"),
    {0},
};
// SPDX-License-Identifier: Apache-2.0
