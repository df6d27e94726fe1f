// permute.c - see permute.h.
#include "permute.h"

static weft_status permute_axes_of(weft_diag *d, const char *what, const int64_t *perm, size_t n, size_t rank,
                                   size_t *out) {
  uint32_t mask;
  if (n && n != rank)
    return weft_fail(d, WEFT_E_SHAPE, "%s: %zu axes, x has rank %zu", what, n, rank);
  WEFT_TRY(weft__axes(d, what, perm, n, rank, &mask));
  for (size_t i = 0; i < rank; i++)
    out[i] = !n ? rank - 1 - i : (size_t)(perm[i] < 0 ? perm[i] + (int64_t)rank : perm[i]);
  return WEFT_OK;
}

weft_status weft__permute_infer(weft_infer *it, const char *what, const int64_t *perm, size_t n) {
  const weft_shape *x = it->in[0];
  size_t from[WEFT_MAX_RANK];
  bool ranked = !weft_shape_is_unknown_rank(x);
  if (n > WEFT_MAX_RANK)
    return weft_fail(it->d, WEFT_E_LIMIT, "%s: %zu axes, the rank is limited to %d", what, n, WEFT_MAX_RANK);
  size_t rank = ranked ? x->rank : n;
  WEFT_TRY(permute_axes_of(it->d, what, perm, n, rank, from));
  it->out[0]->rank = rank;
  for (size_t i = 0; i < rank; i++)
    it->out[0]->dim[i] = ranked ? x->dim[from[i]] : -1;
  return WEFT_OK;
}

weft_status weft__permute_ref(const weft_call *c, const char *what, const int64_t *perm, size_t n) {
  size_t from[WEFT_MAX_RANK];
  weft_view x;
  weft_view y;
  weft__view_init(&x, &c->in[0]->layout.origin);
  WEFT_TRY(permute_axes_of(c->d, what, perm, n, x.rank, from));
  y = x;
  for (size_t i = 0; i < x.rank; i++) {
    y.dim[i] = x.dim[from[i]];
    y.step[i] = x.step[from[i]];
  }
  return weft__view_move(c, 0, 0, &y);
}
// SPDX-License-Identifier: Apache-2.0
