// examples.h - one example for all shapes of a graph whose dims have names: what costs are estimated with.
// Every name has a value of its own (its upper bound, or 64) that no dim of the graph has, so that a kernel
// that wants two dims to be equal is shown equal ones only where they are equal whatever the inputs are.
// Layer: compile.
#pragma once
#include "ir/ir.h"

typedef struct weft__examples {
  const weft_graph *g;
  int64_t *value;  // by atom of the graph's symbols; 0: none yet
  size_t n;
} weft__examples;
weft_status weft__examples_init(weft__examples *e, const weft_graph *g, weft_arena *mem, weft_diag *d);
// The layout of a value; false: it depends on data, there is no example either.
bool weft__example_layout(weft__examples *e, const weft_fact *f, weft_layout *out);
uint64_t weft__example_bytes(weft__examples *e, const weft_fact *f);  // 0: unknown, or no tensor
// SPDX-License-Identifier: Apache-2.0
