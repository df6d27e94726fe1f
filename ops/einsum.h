// einsum.h - equations of sums of products: "ij,jk->ik". Letters name axes, "..." any number of axes that
// broadcast from the right, a letter twice in one operand its diagonal. Without "->" the output has the axes
// of "...", then the letters that occur once, capital ones first, in order. Layer: ops.
#pragma once
#include "op.h"

enum { WEFT_EINSUM_LETTERS = 52, WEFT_EINSUM_LABELS = WEFT_EINSUM_LETTERS + WEFT_MAX_RANK };

typedef struct weft_einsum_term {
  size_t rank;  // as far as the operand's rank is known
  bool open;    // it is not: "..." stands for an unknown number of axes
  uint8_t label[WEFT_MAX_RANK];
} weft_einsum_term;

// The labels of operand `i` of the equation, whose shape may be of unknown rank. E_SYNTAX, E_SHAPE.
weft_status weft__einsum_term(weft_diag *d, const char *equation, size_t i, const weft_shape *operand,
                              weft_einsum_term *out);
// The equation must have n terms. The output's labels, where n_ellipsis is the most axes of any "...", -1
// when unknown.
weft_status weft__einsum_output(weft_diag *d, const char *equation, size_t n, int64_t n_ellipsis,
                                weft_einsum_term *out);
// Sums of products of c->in into c->out[0]: floats in double, integers wrap.
weft_status weft__einsum_run(const weft_call *c, const char *equation);
// Axes of the "..." of operand i: 0 without one, -1 unknown.
int64_t weft__einsum_ellipsis(const char *equation, size_t i, const weft_shape *operand);
