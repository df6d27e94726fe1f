// turn.c - see turn.h.
#include "turn.h"

bool weft__turn_is_last(const uint8_t *p, size_t rank) {
  if (rank < 4 || rank > 5 || p[0] != 0 || p[rank - 1] != 1)
    return false;
  for (size_t i = 1; i + 1 < rank; i++) {
    if (p[i] != i + 1)
      return false;
  }
  return true;
}

void weft__turn_back(const uint8_t *p, size_t rank, uint8_t *out) {
  for (size_t i = 0; i < rank; i++)
    out[p[i]] = (uint8_t)i;
}

weft_status weft__turn_constant(weft_pass_run *r, weft_node *at, weft_value *v, const uint8_t *p, size_t rank,
                                weft_value **out) {
  int64_t dims[WEFT_MAX_RANK];
  uint8_t back[WEFT_MAX_RANK];
  size_t missing = rank - v->fact.rank;
  *out = v;
  if (weft_tensor_elems(v->fact.value) == 1 && v->fact.rank == 0)
    return WEFT_OK;
  for (size_t i = 0; i < rank; i++)
    dims[i] = i < missing ? 1 : v->fact.dims[i - missing];
  if (missing) {
    weft_value *args[2] = {v, weft__pass_ints(r, at->graph, "shape", dims, rank)};
    WEFT_TRY(weft__pass_made(r, args[1]));
    WEFT_TRY(weft__pass_op(r, at, &(weft__pass_new){.kind = WEFT_K_RESHAPE, .in = args, .n_in = 2}, &v));
  }
  weft__turn_back(p, rank, back);
  return weft__pass_transpose(r, at, v, back, rank, out);
}

bool weft__turn_is_view(const weft_value *v, const uint8_t *p, size_t rank) {
  size_t open = 0;
  size_t next = 0;  // axes before this one have been seen
  if (!weft__fact_ranked(&v->fact) || v->fact.rank != rank)
    return false;
  for (size_t i = 0; i < rank; i++) {
    weft_dim dim = v->fact.dims[p[i]];
    if (dim == 1)
      continue;
    if (p[i] < next || !dim)
      return false;
    next = (size_t)p[i] + 1;
    open += dim < 0;
  }
  return open <= 1;
}

weft_status weft__turn_view(weft_pass_run *r, weft_node *at, weft_value *v, const uint8_t *p, size_t rank,
                            weft_value **out) {
  int64_t dims[WEFT_MAX_RANK];
  for (size_t i = 0; i < rank; i++)
    dims[i] = v->fact.dims[p[i]] < 0 ? -1 : v->fact.dims[p[i]];
  weft_value *args[2] = {v, weft__pass_ints(r, at->graph, "shape", dims, rank)};
  WEFT_TRY(weft__pass_made(r, args[1]));
  return weft__pass_op(r, at, &(weft__pass_new){.kind = WEFT_K_RESHAPE, .in = args, .n_in = 2}, out);
}
// SPDX-License-Identifier: Apache-2.0
