// states.h - the functional form of a graph with states: what weft_graph_states_out leaves and a program
// reads. With n states (the note "weft.states"), the last n inputs are the states, named like them; the last
// 2 n outputs are what they are at the end, and then what they begin with: constants. The count comes from
// files, too: weft__states_of checks everything that others rely on.
#pragma once
#include "ir/ir.h"
#include "weft/state.h"

#define WEFT__STATES_META "weft.states"

typedef struct weft__state_form {
  size_t n;      // states
  size_t n_in;   // inputs of the caller's: state i is input n_in + i
  size_t n_out;  // outputs of the caller's: state i is output n_out + i at the end
} weft__state_form;

// Without states, or with a note that does not fit the graph: n is 0.
weft__state_form weft__states_form(const weft_graph *g);
// State i before the first run: a constant; NULL: the graph is not as it should be.
static inline const weft_value *weft__state_first(const weft_graph *g, const weft__state_form *f, size_t i) {
  const weft_value *v = g->outputs.v[f->n_out + f->n + i];
  return v->origin == WEFT_VALUE_CONST ? v : NULL;
}
// E_CORRUPT: the note does not fit the graph; what a state begins with is no constant, or has another dtype
// or shape than the state.
weft_status weft__states_check(const weft_graph *g, weft__state_form *out, weft_diag *d);
weft_env *weft__states_env(const weft_states *s);  // run/states.c
// The input whose buffer output `port` of an operator is: by its name, or as it declares. -1: none.
int weft__ref_port(const weft_proto *p, uint32_t out_port);
// SPDX-License-Identifier: Apache-2.0
