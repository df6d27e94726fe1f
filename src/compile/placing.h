// placing.h - the inside of placement, between place.c and candidates.c. Layer: compile.
#pragma once
#include "compile/examples.h"
#include "compile/place.h"
#include "device/device.h"

enum { WEFT__PLACES = 4, WEFT__HOME = 0 };  // HOME: the CPU, which is always known, whether or not allowed
#define WEFT__NEVER 1e30

typedef struct weft__placing {
  weft_graph *g;
  weft_env *env;
  weft_diag *d;
  const weft_optimize_options *report;
  weft_arena mem;
  const weft_device *device[WEFT__PLACES];
  uint8_t order[WEFT__PLACES];  // as the caller lists them
  uint32_t eager;               // bits of devices that get what they can run, whatever it costs
  bool allowed[WEFT__PLACES];
  weft_device_properties props[WEFT__PLACES];
  uint32_t n_devices, n;  // n: nodes
  weft_node **node;
  uint32_t *number;  // by node id
  double *cost;      // n * WEFT__PLACES; WEFT__NEVER: cannot
  double *best;      // the same: with all before it, as far as it is known
  uint8_t *at;       // by node
  uint32_t *part, *stack;
  weft__examples examples;
  uint64_t *bytes;  // by value id, of those that were there before copies
  size_t n_bytes;
} weft__placing;

static inline uint64_t weft__placing_bytes(const weft__placing *p, const weft_value *v) {
  return v->id < p->n_bytes ? p->bytes[v->id] : 0;
}
// Asks every device about every node: fills `cost`, tells the report, and fails for nodes that none takes.
weft_status weft__placing_ask(weft__placing *p);
// SPDX-License-Identifier: Apache-2.0
