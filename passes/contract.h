// contract.h - one step of an Einsum: two operands whose axes have labels become one, by Transpose, views and
// either BatchMatMulV2 (when a label is summed over) or Mul.
#pragma once
#include "pass/match.h"

// Labels of an equation, numbered from 0: so many that no intermediate has too many axes, whose labels are
// different ones and which has at most two more, of size 1.
enum { WEFT__LABELS = WEFT_MAX_RANK - 2 };

typedef struct weft__operand {  // no label twice
  weft_value *v;
  size_t rank;
  uint8_t label[WEFT_MAX_RANK];
} weft__operand;

typedef struct weft__contraction {
  weft_pass_run *r;
  weft_node *at;
  weft_dim dim[WEFT__LABELS];  // -1: not known
} weft__contraction;

uint64_t weft__operand_labels(const weft__operand *x);
// For estimates: the product of the dims of labels; one that is not known counts as 64.
double weft__labels_size(const weft__contraction *c, uint64_t labels);
// The operand with its axes in this order, which has the same labels.
weft_status weft__operand_order(const weft__contraction *c, weft__operand *x, const uint8_t *order);
// Sums over what both have and `keep` does not; a label of one of them must be in `keep`. `want` is the order
// that the result should have, NULL when any will do; it has that order then.
weft_status weft__contract(const weft__contraction *c, const weft__operand *a, const weft__operand *b,
                           uint64_t keep, const weft__operand *want, weft__operand *out);
// SPDX-License-Identifier: Apache-2.0
