// inferring_ranges.c - in which range the open dims of outputs lie: by the operator's range function, or,
// where the shape function is monotone, by asking it at both corners of the inputs' ranges.
#include "op/inferring.h"

// Input ranges: what is known of them, otherwise the dim itself, otherwise [0, no bound].
static bool lay_ranges(weft__inferring *r) {
  bool informative = false;
  weft_frame *f = r->f;
  for (uint32_t i = 0; i < r->desc->n_in; i++) {
    const weft_fact *fact = r->in[i];
    weft_shape *min = &f->in_range_store[2 * i];
    weft_shape *max = min + 1;
    weft_shape_copy(min, f->in[i]);
    weft_shape_copy(max, f->in[i]);
    if (fact->unknown_rank)
      continue;
    for (uint32_t k = 0; k < fact->rank; k++) {
      int64_t lo = 0;
      int64_t hi = -1;
      if (fact->dims[k] >= 0)
        lo = hi = fact->dims[k];
      else if (fact->min) {
        lo = fact->min[k];
        hi = fact->max[k];
        informative = true;
      } else if (weft_dim_is_symbol(fact->dims[k])) {
        weft_dim_bounds(f->symbols, fact->dims[k], &lo, &hi);
        informative |= lo > 0 || hi >= 0;
      }
      min->dim[k] = lo;
      max->dim[k] = hi;
    }
  }
  return informative;
}

static weft_status infer_range_fn(weft__inferring *r) {
  weft_frame *f = r->f;
  for (uint32_t i = 0; i < r->desc->n_out; i++)
    f->out_min[i]->rank = f->out_max[i]->rank = WEFT_RANK_UNSET;
  r->it.in_min = f->in_min;
  r->it.in_max = f->in_max;
  r->it.out_min = f->out_min;
  r->it.out_max = f->out_max;
  weft_status s = weft__inferring_call(r, r->p->op->infer_range, "the range function");
  r->it.in_min = r->it.in_max = NULL;
  r->it.out_min = r->it.out_max = NULL;
  WEFT_TRY(s);
  for (uint32_t i = 0; i < r->desc->n_out; i++) {
    const weft_shape *min = f->out_min[i];
    const weft_shape *max = f->out_max[i];
    WEFT_TRY(weft__inferring_check(r, i, min, " (range minimum)"));
    WEFT_TRY(weft__inferring_check(r, i, max, " (range maximum)"));
    if (min->rank != max->rank) {
      return weft_fail(r->d, WEFT_E_SHAPE, "output %u: range minimum has rank %zu, maximum %zu", i, min->rank,
                       max->rank);
    }
    for (size_t k = 0; k < min->rank; k++) {
      if (max->dim[k] >= 0 && min->dim[k] > max->dim[k]) {
        return weft_fail(r->d, WEFT_E_RANGE, "output %u: range of dim %zu is [%lld,%lld]", i, k,
                         (long long)min->dim[k], (long long)max->dim[k]);
      }
    }
  }
  return WEFT_OK;
}

// Runs the shape function on one corner of the input ranges; `keep` receives the output shapes.
static bool corner(weft__inferring *r, bool upper, weft_shape *const *keep) {
  weft_frame *f = r->f;
  weft_diag quiet = {0};
  weft_diag *d = r->it.d;
  for (uint32_t i = 0; i < r->desc->n_in; i++)
    weft_shape_copy(&f->in_store[i].layout.origin, upper ? f->in_max[i] : f->in_min[i]);
  weft_shape saved[4];
  weft_dtype dtypes[4];
  weft_format formats[8];
  if (r->desc->n_out > 4)
    return false;
  for (uint32_t i = 0; i < r->desc->n_out; i++) {
    weft_shape_copy(&saved[i], f->out[i]);
    dtypes[i] = f->out_dtype[i];
    formats[i] = f->out_format[i];
    formats[4 + i] = f->out_origin_format[i];
    f->out[i]->rank = WEFT_RANK_UNSET;
  }
  r->it.d = &quiet;
  bool ok = r->p->op->infer ? !r->p->op->infer(&r->it) : !weft__inferring_shapes(r);
  r->it.d = d;
  for (uint32_t i = 0; i < r->desc->n_out; i++) {
    ok = ok && f->out[i]->rank == saved[i].rank;
    if (ok)
      weft_shape_copy(keep[i], f->out[i]);
    weft_shape_copy(f->out[i], &saved[i]);
    f->out_dtype[i] = dtypes[i];
    f->out_format[i] = formats[i];
    f->out_origin_format[i] = formats[4 + i];
  }
  for (uint32_t i = 0; i < r->desc->n_in; i++)
    weft__inferring_lay(r, i);
  return ok;
}

// Has an input that is read for its value (axes, say) an open shape? How many values there are is no size: an
// operator that is monotone in its data need not be so in them.
static bool lengths_vary(const weft__inferring *r) {
  for (uint32_t port = 0; port < r->p->n_in && port < 64; port++) {
    for (uint32_t k = 0; (r->p->value_mask >> port & 1) && k < r->desc->in_port[port].count; k++) {
      uint32_t i = r->desc->in_port[port].start + k;
      if (!weft_shape_equal(r->f->in_min[i], r->f->in_max[i]))
        return true;
    }
  }
  return false;
}

weft_status weft__inferring_ranges(weft__inferring *r, bool *out_have) {
  *out_have = false;
  bool open = false;
  for (uint32_t i = 0; i < r->desc->n_out; i++)
    open |= !weft_shape_is_known(r->f->out[i]);
  if (!open)
    return WEFT_OK;
  bool informative = lay_ranges(r);
  if (r->p->op->infer_range) {
    *out_have = true;
    return infer_range_fn(r);
  }
  bool follows = !r->p->op->infer;
  if (!informative || !((r->p->op->traits & WEFT_MONOTONE) || follows) || lengths_vary(r))
    return WEFT_OK;
  *out_have = corner(r, false, r->f->out_min) && corner(r, true, r->f->out_max);
  return WEFT_OK;
}

void weft__inferring_range_of(weft__inferring *r, uint32_t i) {
  weft_frame *f = r->f;
  weft_fact *fact = &f->facts[i];
  weft_shape *s = f->out[i];
  weft_shape *min = f->out_min[i];
  weft_shape *max = f->out_max[i];
  if (min->rank != s->rank || fact->unknown_rank)
    return;
  bool open = false;
  for (size_t k = 0; k < s->rank; k++) {
    if (s->dim[k] >= 0)
      min->dim[k] = max->dim[k] = s->dim[k];
    if (min->dim[k] < 0)
      min->dim[k] = 0;
    if (max->dim[k] < 0)
      max->dim[k] = -1;
    if (s->dim[k] == -1 && min->dim[k] == max->dim[k])
      s->dim[k] = min->dim[k];  // {-1} with [3,3] is {3} (R136)
    open |= s->dim[k] < 0 && (min->dim[k] > 0 || max->dim[k] >= 0);
  }
  if (open) {
    fact->min = min->dim;
    fact->max = max->dim;
  }
}
// SPDX-License-Identifier: Apache-2.0
