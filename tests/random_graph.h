// random_graph.h - random small graphs as text IR whose shapes are known only when they run: symbolic inputs,
// shapes that data decide, sub-graphs, sequences. All values are small whole numbers, so that every order of
// adding gives the same bits.
#pragma once
#include "weft/tensor.h"

enum { RANDOM_GRAPH_BYTES = 16384, RANDOM_GRAPH_INPUTS = 4 };
typedef struct random_graph {
  char text[RANDOM_GRAPH_BYTES];
  size_t n_outputs;
} random_graph;
// The same seed gives the same text. Inputs: x f32[N,M], y f32[N,M], k i32[K], c bool[].
void random_graph_make(uint64_t seed, random_graph *out);
// One set of inputs for it; t must have been initialised. `seed` chooses shapes (dims 0 to 5) and values.
weft_status random_graph_inputs(uint64_t seed, weft_tensor t[RANDOM_GRAPH_INPUTS], weft_diag *d);
// SPDX-License-Identifier: Apache-2.0
