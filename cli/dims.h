// dims.h - inputs that give dims of one name different sizes: `weft run`, `bisect` and `bench` warn and load
// the model again with a symbol for every dim of its inputs; --strict refuses.
#pragma once
#include "cli.h"

typedef struct dims_seen {
  weft_dim dim;
  int64_t size;
  const char *input;
} dims_seen;
enum { DIMS_MOST = 256 };
typedef struct dims_look {
  const weft_graph *g;
  dims_seen seen[DIMS_MOST];
  size_t n;
  char broken[512];  // what the inputs say of one name; "": nothing is wrong
} dims_look;

// Does any symbol stand in two dims of inputs?
bool dims_shared(const weft_graph *g);
// One input of a run after the other; `n` is 0 before the first of a run.
void dims_look_at(dims_look *l, const weft_value *v, const weft_tensor *t);
// Reads the model so that no name makes dims of inputs equal.
weft_status load_apart(weft_env *e, const char *path, weft_graph **out, weft_diag *d);
// Says it on stderr, once.
void dims_warn(const dims_look *l);
// SPDX-License-Identifier: Apache-2.0
