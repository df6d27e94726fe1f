// compare.h - what two files have in common that compare graphs: compare.c pairs nodes, compare_desc.c
// compares descriptions and says where things differ.
#pragma once
#include "ir/ir.h"

typedef struct weft__value_pair {
  const weft_value *a, *b;
} weft__value_pair;

typedef struct weft__compare {
  const weft_graph *a, *b;  // at the top
  weft_allocator alloc;
  weft_diag *d;
  bool strict;
  const weft_node **b_of, **a_of;  // pairs, by id
  const weft_value **const_of;     // the constant of b that has been found equal, by id of a's
  WEFT_VEC(weft__value_pair) stack;
  WEFT_VEC(const weft_node *) trail;  // nodes of a in the order they were paired
} weft__compare;

// E_DIFFERENT: the place, and what stands there in either graph.
weft_status weft__differ_text(const weft__compare *c, const char *place, const char *what, const char *a,
                              const char *b);
weft_status weft__differ_count(const weft__compare *c, const char *place, const char *what, uint64_t a,
                               uint64_t b);
const char *weft__compare_node_place(const weft_node *n, char buf[512]);
const char *weft__compare_value_place(const weft_value *v, char buf[512]);
// Names and descriptions of a pair of values.
weft_status weft__compare_values(const weft__compare *c, const weft_value *a, const weft_value *b);
// SPDX-License-Identifier: Apache-2.0
