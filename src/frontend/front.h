// front.h - what readers of models share, whatever framework a model comes from: the graph that is built and
// the budget it is read with, problems that are collected and told at once, constants that stay in their
// file. The short forms in which an operator of the model becomes primitives stand in emit/emit.h.
//
//   front f;
//   WEFT_TRY(front_begin(&f, e, "TensorFlow", path, d));      // f.g is the graph, f.arena the reading's
//   memory weft_status s = tf_fill(&f, model);                       // inputs, operators, outputs: the
//   reader's own return front_end(&f, s, out);                             // tells what was collected, or
//   gives the graph
//
// and for each operator of the model, in an order in which each stands behind what it reads:
//
//   front_op o = front_op_of(&f, scope, name, type, offset);
//   weft_value *y = front_do(&o, "Relu", x, NULL, NULL);
//   front_name(&o, y, "relu_1");                              // the model's name for it
//   if (o.failed) WEFT_TRY(front_failed(&o));                 // kept: the reading goes on behind it
//
// Every value is inferred as it is appended: ranks, dtypes and small constants are there to be asked for.
// Layer: frontend (on emit).
#pragma once
#include "emit/emit.h"

// E_NOMEM and the limits of the environment. After a failure there is nothing to end.
weft_status front_begin(front *f, weft_env *e, const char *framework, const char *file, weft_diag *d);
// s: how filling the graph ended. Destroys the graph unless all went well.
weft_status front_end(front *f, weft_status s, weft_graph **out);
// An operator that the reader does not know, seen before anything is built: all are told at once.
// where: "node 'x', model.py:12".
weft_status front_unknown(front *f, const char *type, const char *where);
weft_status front_unknown_all(front *f);  // E_UNSUPPORTED with the list, when there were any

// ---- one operator of the model ----
// The failure of an operator: kept and told at the end, or given back when the reading cannot go on.
weft_status front_failed(front_op *o);

// ---- states (weft/state.h): front_state.c ----
// What the state holds: at first `first`, a constant of the root graph.
weft_value *front_state(front_op *o, const char *name, weft_value *first);
// Assigns v to it, behind all that was made so far.
void front_state_set(front_op *o, weft_value *state, weft_value *v);
// A state that turned out to be written by nobody is its constant again.
weft_status front_state_drop(weft_value *state, weft_diag *d);
// SPDX-License-Identifier: Apache-2.0
