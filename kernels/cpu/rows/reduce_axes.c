// reduce_axes.c - see reduce_axes.h.
#include "cpu/rows/reduce_axes.h"
#include "reduce.rule.h"

static bool reduce_axes_mask_of(const weft_tiling *t, uint32_t *out) {
  int64_t axes[WEFT_MAX_RANK];
  size_t rank = t->in[0]->origin.rank;
  if (!strcmp(t->desc->type, "GlobalAveragePool")) {
    *out = rank < 32 ? (UINT32_C(1) << rank) - 1 : 0;
    *out &= ~UINT32_C(3);
    return true;
  }
  int n = weft__rows_ints(t, 1, axes, WEFT_MAX_RANK);
  if (n < 0)
    return false;
  *out = n || weft_node_bool(t->desc, WEFT_REDUCE_NOOP) ? 0 : (UINT32_C(1) << rank) - 1;
  for (int i = 0; i < n; i++) {
    int64_t a = axes[i] < 0 ? axes[i] + (int64_t)rank : axes[i];
    if (a < 0 || a >= (int64_t)rank)
      return false;
    *out |= UINT32_C(1) << a;
  }
  return true;
}

// A tensor without elements: `outputs` side by side, none of which reads anything.
static void make_empty(const weft_tiling *t, weft__reduce *r) {
  r->nothing = true;
  r->run = weft__rows_prod(&t->out[0]->origin, 0, t->out[0]->origin.rank);
  r->pieces = (r->run + WEFT__REDUCE_PIECE - 1) / WEFT__REDUCE_PIECE;
}

const char *weft__reduce_read(const weft_tiling *t, weft__reduce *r) {
  uint32_t mask;
  uint32_t n = 0;
  const weft_shape *s = &t->in[0]->origin;
  weft__axis list[WEFT_MAX_RANK];
  bool cut[WEFT_MAX_RANK];
  memset(r, 0, sizeof *r);
  r->count = 1;
  r->outputs = 1;
  if (!reduce_axes_mask_of(t, &mask))
    return "the axes are not known";
  size_t stride = 1;
  for (size_t i = 0; i < s->rank; i++) {
    if (mask >> i & 1)
      r->count *= (size_t)s->dim[i];
  }
  for (size_t i = s->rank; i-- > 0;) {  // from inner to outer, merged
    size_t d = (size_t)s->dim[i];
    bool c = mask >> i & 1;
    if (!d)
      return make_empty(t, r), NULL;
    if (d == 1)
      continue;
    if (n && cut[n - 1] == c)
      list[n - 1].dim *= d;
    else {
      list[n] = (weft__axis){d, stride};
      cut[n++] = c;
    }
    stride *= d;
  }
  if (!n) {
    list[0] = (weft__axis){1, 1};
    cut[0] = true;
    n = 1;
  }
  if (n > WEFT__REDUCE_AXES)
    return "more than 8 runs of axes";
  r->run = list[0].dim;
  r->row = cut[0];
  for (uint32_t k = n; k-- > 1;) {
    if (cut[k])
      r->cut[r->n_cut++] = list[k];
    else {
      r->kept[r->n_kept++] = list[k];
      r->outputs *= list[k].dim;
    }
  }
  r->pieces = r->row ? 1 : (r->run + WEFT__REDUCE_PIECE - 1) / WEFT__REDUCE_PIECE;
  return NULL;
}

void weft__reduce_blocks(weft_tiling *t, weft__reduce *r, double ns, double by_piece) {
  double each = (double)r->count * (r->row ? ns : by_piece * (double)WEFT_MIN(r->run, WEFT__REDUCE_PIECE));
  t->blocks = weft__rows_blocks(r->outputs * r->pieces, each + 10, &r->per);
}

size_t weft__axis_offset(const weft__axis *a, uint32_t n, size_t i) {
  size_t off = 0;
  for (uint32_t k = n; k-- > 0;) {
    off += i % a[k].dim * a[k].stride;
    i /= a[k].dim;
  }
  return off;
}

weft__reduce_part weft__reduce_part_of(const weft__reduce *r, size_t i) {
  size_t from = i % r->pieces * WEFT__REDUCE_PIECE;
  weft__reduce_part p = {.n = r->row ? 1 : WEFT_MIN(r->run - from, WEFT__REDUCE_PIECE), .rows = !r->nothing};
  p.at = r->nothing ? 0 : weft__axis_offset(r->kept, r->n_kept, i / r->pieces) + (r->row ? 0 : from);
  p.to = r->row ? i : i / r->pieces * r->run + from;
  for (uint32_t k = 0; k < r->n_cut; k++)
    p.rows *= r->cut[k].dim;
  return p;
}
// SPDX-License-Identifier: Apache-2.0
