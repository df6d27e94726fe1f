// compositions/distances.c - distances between rows, in the norm that p names: between all of two lists,
// between all pairs of one, and their gradient.
#include <math.h>

#include "compose/compose.h"

#include "air_slots.h"

enum { DISTANCE_ROWS = 2048 };

// "y": the norm of "d" over its last axis
static weft_status distance_norm(weft__composing *c, double p) {
  if (p < 0 || isnan(p))
    return front_fail(c->o, WEFT_E_RANGE, "attribute 'p': %g is negative", p);
  if (p == 2)
    return weft__compose_text(c, "y = Sqrt(ReduceSum(Square(d), [-1]))");
  if (p == 1)
    return weft__compose_text(c, "y = ReduceSum(Abs(d), [-1])");
  if (p == 0)
    return weft__compose_text(c, "y = ReduceSum(as(d, NotEqual(d, 0)), [-1])");
  return weft__compose_text(c, isinf(p) ? "y = ReduceMax(Abs(d), [-1])"
                                        : "y = Pow(ReduceSum(Pow(Abs(d), p), [-1]), RealDiv(1, p))");
}

#define DISTANCE_ALL "d = Sub(Unsqueeze(x1, axes=[-2]), Unsqueeze(x2, axes=[-3]))"
static weft_status cdist_build(weft__composing *c) {
  WEFT_TRY(weft__compose_text(c, DISTANCE_ALL));
  return distance_norm(c, (double)weft_node_float(c->desc, WEFT_SLOT_CDIST_P));
}

// Rows at no distance have no direction.
static weft_status cdist_grad_build(weft__composing *c) {
  double p = (double)weft_node_float(c->desc, WEFT_SLOT_CDIST_GRAD_P);
  WEFT_TRY(weft__compose_text(
      c, DISTANCE_ALL
      "; g = Unsqueeze(grad, axes=[-1]); n = Unsqueeze(cdist, axes=[-1]); none = ZerosLike(Mul(d, n))"));
  if (p == 0)
    return weft__compose_text(c, "y = ReduceSum(none, [-2])");
  if (p == 1)
    return weft__compose_text(c, "y = ReduceSum(Mul(Sign(d), g), [-2])");
  if (p == 2)
    return weft__compose_text(c, "y = ReduceSum(Mul(SelectV2(Equal(n, 0), none, RealDiv(d, n)), g), [-2])");
  if (isinf(p))
    return weft__compose_text(c, "y = ReduceSum(Mul(SelectV2(Equal(Abs(d), n), Sign(d), none), g), [-2])");
  return weft__compose_text(c,
                            "k = SelectV2(Equal(n, 0), none, Mul(Sign(d), Pow(RealDiv(Abs(d), n), Sub(p, "
                            "1)))); y = ReduceSum(Mul(k, g), [-2])");
}

static weft_status pdist_build(weft__composing *c) {
  weft_value *x = weft__composed(c, "x");
  int rank = front_rank_of(c->o, x);
  if (c->o->failed)
    return c->o->failed;
  if (rank != 2)
    return front_fail(c->o, WEFT_E_SHAPE, "input 'x': rank %d, expected 2", rank);
  weft_dim rows = front_dim(x, 0);
  if (rows < 0)
    return front_fail(c->o, WEFT_E_UNKNOWN, "how many rows there are is not known");
  if (rows > DISTANCE_ROWS)
    return front_fail(c->o, WEFT_E_LIMIT, "input 'x': %lld rows, at most %d are paired", (long long)rows,
                      DISTANCE_ROWS);
  size_t n = rows ? (size_t)rows * ((size_t)rows - 1) / 2 : 0;
  int64_t *one = WEFT_NEW_N(&c->o->f->arena, int64_t, n + 1);
  int64_t *other = WEFT_NEW_N(&c->o->f->arena, int64_t, n + 1);
  size_t at = 0;
  if (!one || !other)
    return front_fail(c->o, WEFT_E_NOMEM, "out of memory");
  for (int64_t i = 0; i < rows; i++) {
    for (int64_t k = i + 1; k < rows; k++) {
      one[at] = i;
      other[at++] = k;
    }
  }
  weft__compose_name(c, "one", front_list(c->o, one, n));
  weft__compose_name(c, "other", front_list(c->o, other, n));
  WEFT_TRY(weft__compose_text(c, "d = Sub(GatherV2(x, one, [0]), GatherV2(x, other, [0]))"));
  return distance_norm(c, (double)weft_node_float(c->desc, WEFT_SLOT_PDIST_P));
}

#define BY COMPOSED_WIDE_BY

// clang-format off
WEFT_ROWS(distances) = {
  BY("Cdist", "distances between all rows of two lists", cdist_build,
       "f32[1,2]{0,0}, f32[2,2]{3,4,0,1} -> f32[1,2]{5,1}",
       "f32[1,2]{0,0}, f32[1,2]{3,-4} p=inf -> f32[1,1]{4}",
     "f32[B,N,4], f32[B,3,4] p=1 -> f32[B,N,3]", "f32[1,2], f32[1,2] p=-1 !! E_RANGE p"),
  BY("CdistGrad", "the gradient of Cdist by x1", cdist_grad_build,
       "f32[1,2]{1,1}, f32[1,2]{0,0}, f32[2,2]{3,4,0,0}, f32[1,2]{5,0} -> f32[1,2]{-0.6,-0.8}",
       "f32[N,3], f32[N,4], f32[3,4], f32[N,3] p=1 -> f32[N,4]"),
  BY("Pdist", "distances between all pairs of rows", pdist_build,
       "f32[3,2]{0,0,3,4,0,1} -> f32[3]{5,1,4.2426407} ~1e-5", "f32[1,4] -> f32[0]",
       "f32[2] !! E_SHAPE rank 1"),
  {0},
};
// SPDX-License-Identifier: Apache-2.0
