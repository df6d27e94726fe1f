// dims_logic.c - see dims_logic.h. Elements are literals, symbol handles or WEFT_DIM_INVALID for unknown, as
// in dims_value.c; truth is 1 or 0.
#include "dims_logic.h"

#include "tensor/symbols.h"

typedef struct logic_bounds {
  int64_t lo, hi;
  bool known;
} logic_bounds;

static logic_bounds bounds_of(const weft_symbols *p, int64_t v) {
  size_t index;
  logic_bounds b = {v, v, v > WEFT_DIM_SYMBOL_LIMIT};
  const bool symbol = weft_dim_is_symbol(v) && v != WEFT_DIM_INVALID;
  if (!symbol || !p)
    return b;
  if (!weft__symbol_index(p, v, &index))
    return b;
  weft__expr_bounds(p, index, &b.lo, &b.hi);
  b.known = true;
  return b;
}

static int64_t logic_answer(const weft_symbols *p, int64_t x, int64_t y, const bool is[3]) {
  enum { LESS, SAME, MORE };
  logic_bounds a = bounds_of(p, x);
  logic_bounds b = bounds_of(p, y);
  if (!a.known || !b.known)
    return WEFT_DIM_INVALID;
  if (x == y)
    return is[SAME];
  const bool overlap = a.lo <= b.hi && b.lo <= a.hi;
  const bool may[3] = {a.lo<b.hi, overlap, a.hi> b.lo};
  int64_t answer = WEFT_DIM_INVALID;
  for (int k = LESS; k <= MORE; k++) {
    if (!may[k])
      continue;
    if (answer != WEFT_DIM_INVALID && answer != is[k])
      return WEFT_DIM_INVALID;
    answer = is[k];
  }
  return answer;
}

// Does input i give one element for each of n, or one for all?
static bool logic_spreads(const weft_infer *it, uint32_t i, size_t n) {
  const size_t given = it->in_dims[i].n;
  return given == 1 || (given == n && weft__dims_at_most_vector(it->in[i]));
}

static int64_t logic_at(const weft_infer *it, uint32_t i, size_t k) {
  return it->in_dims[i].v[it->in_dims[i].n == 1 ? 0 : k];
}

weft_status weft__dims_compare(weft_infer *it, bool lt, bool eq, bool gt) {
  weft_ints a = it->in_dims[0];
  weft_ints b = it->in_dims[1];
  size_t n = WEFT_MAX(a.n, b.n);
  if (!weft__dims_given(it, 0) || !weft__dims_given(it, 1))
    return WEFT_OK;
  const bool spread = logic_spreads(it, 0, n) && logic_spreads(it, 1, n);
  if (!spread || !weft__dims_hold(it, n))
    return WEFT_OK;
  for (size_t k = 0; k < n; k++) {
    it->out_dims[0][k] =
        logic_answer(it->symbols, logic_at(it, 0, k), logic_at(it, 1, k), (const bool[]){lt, eq, gt});
  }
  *it->out_dims_n = (int64_t)n;
  return WEFT_OK;
}

// What a condition that may be unknown picks.
static int64_t logic_pick(int64_t condition, int64_t x, int64_t y) {
  if (x == y)
    return x;
  if (condition == 1)
    return x;
  return condition == 0 ? y : WEFT_DIM_INVALID;
}

weft_status weft__dims_select(weft_infer *it) {
  size_t n = 0;
  if (!weft__dims_is_index(it->in_dtype[1]) || !weft__dims_is_index(it->in_dtype[2]))
    return WEFT_OK;
  for (uint32_t i = 0; i < 3; i++) {
    if (!it->in_dims[i].v)
      return WEFT_OK;
    n = WEFT_MAX(n, it->in_dims[i].n);
  }
  for (uint32_t i = 0; i < 3; i++) {
    if (!logic_spreads(it, i, n))
      return WEFT_OK;
  }
  if (!weft__dims_hold(it, n))
    return WEFT_OK;
  for (size_t k = 0; k < n; k++)
    it->out_dims[0][k] = logic_pick(logic_at(it, 0, k), logic_at(it, 1, k), logic_at(it, 2, k));
  *it->out_dims_n = (int64_t)n;
  return WEFT_OK;
}

weft_status weft__dims_fold(weft_infer *it, weft__dims_op op) {
  weft_ints x = it->in_dims[0];
  if (!weft__dims_given(it, 0) || it->in_dtype[0] != it->out_dtype[0])
    return WEFT_OK;
  const bool list = x.n != 0 && weft__dims_at_most_vector(it->in[0]);
  if (!list || !weft__dims_hold(it, 1))
    return WEFT_OK;
  int64_t all = x.v[0];
  for (size_t k = 1; k < x.n; k++)
    all = weft__dims_pair(op, it->symbols, it->out_dtype[0], all, x.v[k]);
  it->out_dims[0][0] = all == WEFT_DIM_SYMBOL_LIMIT ? WEFT_DIM_INVALID : all;
  *it->out_dims_n = 1;
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
