// pad.c - see pad.h. Every mode maps a place outside x to one inside (pad.rule.h).
#include "pad.h"

static weft_status pad_wrong_count(weft_diag *d, int64_t n, size_t rank) {
  return weft_fail(d, WEFT_E_SHAPE, "input 'paddings': %lld elements, x of rank %zu needs %zu", (long long)n,
                   rank, 2 * rank);
}

static weft_status padded(weft_infer *it, size_t axis, weft_dim dim, int64_t before, int64_t after,
                          weft_pad_source mode, weft_dim *out) {
  *out = -1;
  if (before == WEFT_DIM_INVALID || after == WEFT_DIM_INVALID)
    return WEFT_OK;
  bool literal = weft__is_literal(before) && weft__is_literal(after);
  int64_t sum;
  if (!literal) {
    if ((weft__is_literal(before) && before < 0) || (weft__is_literal(after) && after < 0))
      return WEFT_OK;
    *out = weft_dim_add(it->symbols, weft_dim_add(it->symbols, dim, before), after);
    return WEFT_OK;
  }
  if (!weft__add_i64(before, after, &sum) || (dim >= 0 && !weft__add_i64(dim, sum, &sum))) {
    return weft_fail(it->d, WEFT_E_OVERFLOW, "input 'paddings': [%lld, %lld] on axis %zu overflows",
                     (long long)before, (long long)after, axis);
  }
  if (dim < 0) {
    *out = sum >= 0 ? weft_dim_add(it->symbols, dim, sum) : weft_dim_sub(it->symbols, dim, -sum);
    return WEFT_OK;
  }
  if (sum < 0) {
    return weft_fail(it->d, WEFT_E_SHAPE, "input 'paddings': [%lld, %lld] on axis %zu of %lld leaves %lld",
                     (long long)before, (long long)after, axis, (long long)dim, (long long)sum);
  }
  if (mode != WEFT_PAD_CONSTANT && sum > 0 && weft__pad_axis(dim, before, after).dim == 0) {
    return weft_fail(
        it->d, WEFT_E_SHAPE,
        dim ? "input 'paddings': [%lld, %lld] leaves nothing of axis %zu to pad with"
            : "input 'paddings': [%lld, %lld]: axis %zu of x is empty, there is nothing to pad with",
        (long long)before, (long long)after, axis);
  }
  *out = sum;
  return WEFT_OK;
}

weft_status weft__pad_infer(weft_infer *it, weft_pad_source mode, bool contiguous) {
  int64_t pad[2 * WEFT_MAX_RANK];
  int64_t n;
  bool known;
  const weft_shape *x = it->in[0];
  WEFT_TRY(weft__in_flat(it, 1, pad, 2 * WEFT_MAX_RANK, &n, &known));
  if (weft_shape_is_unknown_rank(x)) {
    return n >= 0 && n % 2 == 0 && n <= 2 * WEFT_MAX_RANK ? weft__unknown_dims(it, 0, (size_t)n / 2)
                                                          : weft__unknown_rank(it, 0);
  }
  if (n >= 0 && n != 2 * (int64_t)x->rank)
    return pad_wrong_count(it->d, n, x->rank);
  WEFT_TRY(weft__unknown_dims(it, 0, x->rank));
  for (size_t i = 0; known && i < x->rank; i++) {
    WEFT_TRY(padded(it, i, x->dim[i], pad[weft__pad_count_at(i, 0, x->rank, contiguous)],
                    pad[weft__pad_count_at(i, 1, x->rank, contiguous)], mode, &it->out[0]->dim[i]));
  }
  return WEFT_OK;
}

typedef struct padding {
  weft_pad_source mode;
  size_t rank;
  int64_t dim[WEFT_MAX_RANK], out[WEFT_MAX_RANK];
  weft_pad_axis axis[WEFT_MAX_RANK];
} padding;

static int64_t pad_map(void *ctx, size_t at) {
  const padding *p = ctx;
  int64_t from = 0;
  int64_t step = 1;
  for (size_t k = p->rank; k-- > 0;) {
    int64_t i = (int64_t)(at % (size_t)p->out[k]);
    at /= (size_t)p->out[k];
    i = weft__pad_place(p->mode, i - p->axis[k].before, p->axis[k].dim);
    if (i < 0)
      return -1;
    from += (p->axis[k].first + i) * step;
    step *= p->dim[k];
  }
  return from;
}

weft_status weft__pad_ref(const weft_call *c, weft_pad_source mode, bool contiguous,
                          const weft_tensor *fill) {
  int64_t pad[2 * WEFT_MAX_RANK];
  size_t n;
  padding p = {.mode = mode, .rank = c->in[0]->layout.origin.rank};
  if (!c->out[0])
    return WEFT_OK;
  WEFT_TRY(weft__read_ints(c, 1, pad, 2 * WEFT_MAX_RANK, &n));
  if (n != 2 * p.rank)
    return pad_wrong_count(c->d, (int64_t)n, p.rank);
  for (size_t i = 0; i < p.rank; i++) {
    p.dim[i] = c->in[0]->layout.origin.dim[i];
    p.out[i] = c->out[0]->layout.origin.dim[i];
    p.axis[i] = weft__pad_axis(p.dim[i], pad[weft__pad_count_at(i, 0, p.rank, contiguous)],
                               pad[weft__pad_count_at(i, 1, p.rank, contiguous)]);
  }
  return weft__move(c, c->in[0], c->out[0], pad_map, &p, fill);
}
// SPDX-License-Identifier: Apache-2.0
