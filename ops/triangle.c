// triangle.c - see triangle.h.
#include "triangle.h"

weft_status weft__triangle_infer(weft_infer *it) {
  WEFT_TRY(weft__expect_rank(it, 0, 2, WEFT_MAX_RANK));
  return weft__same(it, 0, 0);
}

typedef struct triangle {
  size_t rows, columns;
  int64_t diagonal;
  bool upper;
} triangle;

static int64_t triangle_map(void *ctx, size_t i) {
  const triangle *t = ctx;
  int64_t off = (int64_t)(i % t->columns) - (int64_t)(i / t->columns % t->rows);
  return (t->upper ? off >= t->diagonal : off <= t->diagonal) ? (int64_t)i : -1;
}

weft_status weft__triangle_ref(const weft_call *c, bool upper, int64_t diagonal) {
  const weft_shape *x = &c->in[0]->layout.origin;
  if (!c->out[0])
    return WEFT_OK;
  triangle t = {(size_t)x->dim[x->rank - 2], (size_t)x->dim[x->rank - 1], diagonal, upper};
  return weft__move(c, c->in[0], c->out[0], triangle_map, &t, NULL);
}
// SPDX-License-Identifier: Apache-2.0
