// shape.c - shapes as values. A shape's live dims are the first `rank`; what lies behind them is never read,
// so copies are of the live part, in pieces. An unset rank (WEFT_RANK_UNSET) has no live dims. O(rank) each,
// nothing allocates.
#include "tensor/symbols.h"

static size_t live(const weft_shape *s) {
  return s->rank <= WEFT_MAX_RANK ? s->rank : 0;
}

weft_status weft_shape_init(weft_shape *s, const weft_dim *dims, size_t rank) {
  WEFT_NEED(NULL, s);
  if (rank > WEFT_MAX_RANK)
    return WEFT_E_LIMIT;
  s->rank = rank;
  if (rank && !dims)
    return WEFT_E_INVALID;
  if (rank)
    memmove(s->dim, dims, rank * sizeof(weft_dim));
  return WEFT_OK;
}

void weft_shape_copy(weft_shape *to, const weft_shape *from) {
  if (!to || !from)
    return;
  if (to == from)
    return;
  // In pieces of a constant size: of one that varies compilers make a string instruction, which takes 20 ns.
  enum { PIECE = 5 };
  _Static_assert(WEFT_MAX_RANK % PIECE == 0, "the last piece is whole");
  const size_t n = live(from);
  to->rank = from->rank;
  for (size_t i = 0; i < n; i += PIECE)
    memcpy(to->dim + i, from->dim + i, PIECE * sizeof(weft_dim));
}

void weft_shape_set_scalar(weft_shape *s) {
  if (!s)
    return;
  s->rank = 0;
}

void weft_shape_set_unknown_rank(weft_shape *s) {
  if (!s)
    return;
  s->rank = 1;
  s->dim[0] = WEFT_DIM_UNKNOWN_RANK;
}

bool weft_shape_is_unknown_rank(const weft_shape *s) {
  if (!s)
    return false;
  return s->rank == 1 && s->dim[0] == WEFT_DIM_UNKNOWN_RANK;
}

bool weft_shape_is_known(const weft_shape *s) {
  if (!s)
    return false;
  if (s->rank > WEFT_MAX_RANK)
    return false;
  weft_dim all = 0;
  for (size_t i = 0; i < s->rank; i++)
    all |= s->dim[i];
  return all >= 0;
}

weft_dim weft_shape_dim(const weft_shape *s, size_t i) {
  if (!s)
    return -1;
  return i < live(s) ? s->dim[i] : WEFT_DIM_INVALID;
}

weft_status weft_shape_set_dim(weft_shape *s, size_t i, weft_dim v) {
  WEFT_NEED(NULL, s);
  if (i >= live(s) || weft_shape_is_unknown_rank(s))
    return WEFT_E_RANGE;
  s->dim[i] = v;
  return WEFT_OK;
}

weft_status weft_shape_set_rank(weft_shape *s, size_t rank) {
  WEFT_NEED(NULL, s);
  if (rank > WEFT_MAX_RANK)
    return WEFT_E_LIMIT;
  size_t have = weft_shape_is_unknown_rank(s) ? 0 : live(s);
  for (size_t i = have; i < rank; i++)
    s->dim[i] = WEFT_DIM_UNKNOWN;
  s->rank = rank;
  return WEFT_OK;
}

weft_status weft_shape_append(weft_shape *s, weft_dim v) {
  WEFT_NEED(NULL, s);
  if (s->rank == WEFT_RANK_UNSET || weft_shape_is_unknown_rank(s))
    return WEFT_E_STATE;
  if (s->rank >= WEFT_MAX_RANK)
    return WEFT_E_LIMIT;
  s->dim[s->rank++] = v;
  return WEFT_OK;
}

bool weft_shape_equal(const weft_shape *a, const weft_shape *b) {
  if (!a || !b)
    return false;
  return a->rank == b->rank && !memcmp(a->dim, b->dim, live(a) * sizeof(weft_dim));
}

weft_status weft_shape_elems(const weft_shape *s, int64_t *out_elems) {
  WEFT_NEED(NULL, s);
  WEFT_NEED(NULL, out_elems);
  if (s->rank == WEFT_RANK_UNSET)
    return WEFT_E_UNSET;
  if (s->rank > WEFT_MAX_RANK)
    return WEFT_E_LIMIT;
  int64_t n = 1;
  bool overflow = false;
  bool unknown = false;
  bool zero = false;
  for (size_t i = 0; i < s->rank; i++) {
    weft_dim v = s->dim[i];
    if (v < 0)
      unknown = true;
    else if (v == 0)
      zero = true;
    else if (n > INT64_MAX / v)
      overflow = true;
    else
      n *= v;
  }
  if (zero)
    n = 0;
  else if (unknown)
    n = -1;
  else if (overflow)
    return WEFT_E_OVERFLOW;
  *out_elems = n;
  return WEFT_OK;
}

const char *weft_shape_text(const weft_shape *s, const weft_symbols *p, char *buf, size_t cap) {
  size_t at = 0;
  if (cap)
    *buf = 0;
  if (s)
    weft__shape_append(p, s, ",", buf, cap, &at);
  return buf;
}

void weft__shape_append(const weft_symbols *p, const weft_shape *s, const char *comma, char *buf, size_t cap,
                        size_t *at) {
  if (s->rank > WEFT_MAX_RANK) {
    weft__append(buf, cap, at, s->rank == WEFT_RANK_UNSET ? "[unset]" : "[bad rank]");
    return;
  }
  if (weft_shape_is_unknown_rank(s)) {
    weft__append(buf, cap, at, "[?]");
    return;
  }
  weft__append(buf, cap, at, "[");
  for (size_t i = 0; i < s->rank; i++) {
    if (i)
      weft__append(buf, cap, at, "%s", comma);
    weft__dim_append(p, s->dim[i], buf, cap, at);
  }
  weft__append(buf, cap, at, "]");
}
// SPDX-License-Identifier: Apache-2.0
