// walk.h - what the infer layer shares with its users above.
#pragma once
#include "weft/infer.h"

// Inference of a graph that grows: the builder of a front end infers each node as it is appended, so that it
// can ask for ranks. weft_graph_infer gives the same facts for the whole graph (but for values of
// max_floats).
typedef struct weft__steps weft__steps;
// max_floats: known real numbers up to so many are evaluated, 0: as many as others. For whoever reads a model
// sizes, scales and places are few; what norms multiply is left to the passes that fold constants.
enum { WEFT__READ_FLOATS = 64 };
weft_status weft__steps_begin(weft_graph *g, uint32_t max_floats, weft__steps **out, weft_diag *d);
weft_status weft__steps_node(weft__steps *a, weft_node *n, weft_diag *d);
void weft__steps_end(weft__steps *a);  // NULL allowed
// SPDX-License-Identifier: Apache-2.0
