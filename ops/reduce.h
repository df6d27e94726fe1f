// reduce.h - reductions over axes that an input names: shapes, and a loop that hands every lane to a function
// of its elements. Layer: ops.
#pragma once
#include "op.h"
#include "reduce.rule.h"

// A reducer of one lane; NULL: the kind of number is not supported. *bad set: the call fails with that text.
typedef struct weft_reducer {
  double (*f)(const double *v, size_t n);
  int64_t (*i)(const int64_t *v, size_t n, const char **bad);
  uint64_t (*u)(const uint64_t *v, size_t n, const char **bad);
  void (*c)(const double *v, size_t n, double z[2]);  // n pairs
  bool clamp;  // integers are clamped to the output's range; otherwise they wrap
} weft_reducer;
weft_status weft__reduce_infer(weft_infer *it);
weft_status weft__reduce_range(weft_infer *it);
weft_status weft__reduce(const weft_call *c, const weft_reducer *r);

// y_port: {"y", "T"}. `noop`: {"noop_with_empty_axes", ...}; with it true, no axes means that every element
// is a lane.
#define WEFT_REDUCE_PROTO(op_name, set, y_port, noop)                                               \
  WEFT_OP_HEAD, .name = op_name,                                                                    \
                .in = PORTS({"x", "T"}, {"axes", NULL, WEFT_SET_INDEX, .value = WEFT_VALUE_INFER}), \
                .out = PORTS(y_port), .types = TYPES({"T", set}),                                   \
                .attrs = ATTRS({"keep_dims", "Bool", "false"}, noop), .traits = WEFT_SYMBOLIC,      \
                .infer = weft__reduce_infer, .infer_range = weft__reduce_range
#define WEFT_REDUCE_Y \
  { "y", "T" }
#define WEFT_REDUCE_Y_BOOL \
  { "y", NULL, WEFT_DT(BOOL) }
#define WEFT_REDUCE_NOOP_TRUE \
  { "noop_with_empty_axes", "Bool", "true" }
#define WEFT_REDUCE_NOOP_FALSE \
  { "noop_with_empty_axes", "Bool", "false" }
#define WEFT_REDUCE_NOOP_EXT \
  { "noop_with_empty_axes", "Bool", "false", NULL, 1 }
// SPDX-License-Identifier: Apache-2.0
