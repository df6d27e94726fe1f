// ops/nn/einsum.c - sums of products by an equation such as "ij,jk->ik".   AscendIR Einsum, ONNX Einsum-12.
// einsum.h says what an equation may be; axes of size 1 broadcast. "..." that the output does not name is
// summed over. A sum over nothing is 0. Floats are summed in double, integers wrap.
#include "einsum.h"

#include "dims_move.h"

enum { EQUATION, N };

// Joins the dims that an operand gives to its labels.
static weft_status einsum_join(weft_infer *it, size_t i, const weft_einsum_term *t,
                               weft_dim dim[WEFT_EINSUM_LABELS]) {
  const weft_shape *s = it->in[i];
  for (size_t k = 0; k < t->rank; k++) {
    weft_shape a = {.rank = 1, .dim = {dim[t->label[k]]}};
    weft_shape b = {.rank = 1};
    weft_shape y;
    b.dim[0] = weft_shape_is_unknown_rank(s) ? -1 : s->dim[k];
    if (weft__broadcast(it, &a, &b, &y)) {
      weft_note(it->d, "at axis %zu of operand %zu", k, i);
      return WEFT_E_SHAPE;
    }
    dim[t->label[k]] = y.dim[0];
  }
  return WEFT_OK;
}

static weft_status einsum_infer(weft_infer *it) {
  const char *equation = weft_node_str(it->desc, EQUATION);
  weft_dim dim[WEFT_EINSUM_LABELS];
  weft_einsum_term t;
  int64_t dots = 0;
  WEFT_TRY(weft__expect_count(it, N, true, it->n_in, "inputs"));
  for (size_t k = 0; k < WEFT_EINSUM_LABELS; k++)
    dim[k] = 1;
  for (size_t i = 0; i < it->n_in; i++) {
    int64_t n = weft__einsum_ellipsis(equation, i, it->in[i]);
    dots = n < 0 || dots < 0 ? -1 : WEFT_MAX(dots, n);
    WEFT_TRY(weft__einsum_term(it->d, equation, i, it->in[i], &t));
    WEFT_TRY(einsum_join(it, i, &t, dim));
  }
  // The letters of operands of unknown rank may be longer than the others say.
  for (size_t i = 0; i < it->n_in; i++) {
    if (weft__einsum_ellipsis(equation, i, it->in[i]) < 0) {
      for (size_t k = 0; k < WEFT_EINSUM_LABELS; k++) {
        if (dim[k] == 1)
          dim[k] = -1;
      }
    }
  }
  WEFT_TRY(weft__einsum_output(it->d, equation, it->n_in, dots, &t));
  if (t.open)
    return weft__unknown_rank(it, 0);
  it->out[0]->rank = t.rank;
  for (size_t k = 0; k < t.rank; k++)
    it->out[0]->dim[k] = dim[t.label[k]];
  return WEFT_OK;
}

static weft_status einsum_ref(const weft_call *c) {
  return weft__einsum_run(c, weft_node_str(c->desc, EQUATION));
}

WEFT_OP(einsum) = {
    WEFT_OP_HEAD,
    .name = "Einsum",
    .summary = "sums of products by an equation",
    .in = PORTS({"x", "T", .kind = WEFT_DYNAMIC, .min_count = 1}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_NUMBERS}),
    .attrs = ATTRS({"equation", "String"}, {"N", "Int"}),
    .traits = WEFT_SYMBOLIC,
    .infer = einsum_infer,
    .ref = einsum_ref,
    .examples =
        WEFT_EXAMPLES("[f32[2,2]{1,2,3,4}, f32[2,1]{10,100}] equation=\"ij,jk->ik\" N=2 -> f32[2,1]{210,430}",
                      "[f32[2,2]{1,2,3,4}] equation=\"i i\" N=1 -> f32[]{5}",
                      "[f32[2,3]{0..}] equation=\"ba\" N=1 -> f32[3,2]{0,3,1,4,2,5}",
                      "[i8[2,2]{1,2,3,4}, i8[2]{100,1}] equation=\"...i, ...i -> ...\" N=2 -> i8[2]{102,48}",
                      "[f32[2,1,2]{1,2,3,4}, f32[3]{1,10,100}] equation=\"a...b,...->...a\" N=2 -> "
                      "f32[3,2]{3,7,30,70,300,700}",
                      "[f32[1]{2}, f32[3]{1,2,3}] equation=\"i,i\" N=2 -> f32[]{12}",
                      "[f32[0,2], f32[0]] equation=\"ij,i->j\" N=2 -> f32[2]{0,0}",
                      "[f16[0,3]] equation=\"ij->i\" N=1 -> f16[0]",
                      "[f32[N,-1], f32[5,8]] equation=\"ij,jk->ik\" N=2 -> f32[N,8]",
                      "[f32[?], f32[5,8]] equation=\"ij,jk->ik\" N=2 -> f32[-1,8]",
                      "[f32[?], f32[5]] equation=\"...j,j->...\" N=2 -> f32[?]",
                      "[f32[2,3], f32[4,5]] equation=\"ij,jk->ik\" N=2 !! E_SHAPE axis 0 of operand 1",
                      "[f32[2,3]] equation=\"i->i\" N=1 !! E_SHAPE has rank 2",
                      "[f32[2]] equation=\"i,j->i\" N=1 !! E_SYNTAX terms",
                      "[f32[2]] equation=\"i->j\" N=1 !! E_SYNTAX that no operand has",
                      "[f32[2]] equation=\"i->ii\" N=1 !! E_SYNTAX twice",
                      "[f32[2]] equation=\"i?->i\" N=1 !! E_SYNTAX letters",
                      "[f32[2]] equation=\"i->i\" N=2 !! E_INVALID 'N'"),
};
// SPDX-License-Identifier: Apache-2.0
