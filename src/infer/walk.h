// walk.h - what the infer layer shares with its users above.
#pragma once
#include "weft/infer.h"

// Inference of a graph that grows: the builder of a front end infers each node as it is appended, so that it
// can ask for ranks. weft_graph_infer does the whole graph again later and gives the same facts.
typedef struct weft__steps weft__steps;
weft_status weft__steps_begin(weft_graph *g, weft__steps **out, weft_diag *d);
weft_status weft__steps_node(weft__steps *a, weft_node *n, weft_diag *d);
void weft__steps_end(weft__steps *a);  // NULL allowed
// SPDX-License-Identifier: Apache-2.0
