// example.h - one example line of an operator, read into tensors, attributes and counts; and a trial: one use
// of an operator that can be inferred and run again and again with changed facts. Layer: op.
#pragma once
#include "op/proto.h"

typedef struct weft__example {
  const weft_proto *proto;
  const char *text;
  weft_allocator alloc;
  weft_arena arena;       // attributes, arrays
  weft_symbols *symbols;  // of symbolic dims in the line
  weft_tensor *in;
  const weft_tensor **in_ptr;  // NULL: absent; what weft_run_op takes
  size_t n_in;
  uint32_t *in_counts;  // per port; NULL: no dynamic input is written as [..], the framework's rule holds
  uint32_t *out_counts;
  weft_named_attr *attrs;
  size_t n_attrs;
  weft_tensor *out;  // expected; data NULL: description only
  size_t n_out;
  uint8_t *out_format_given;  // per output: '@' names its format
  bool runs;                  // every input has data
  bool fails;                 // '!!'
  weft_status status;         // that it fails with
  const char *message;        // that the text must contain; "" when none is given
  bool tolerant;
  double tolerance;
} weft__example;

// Tensors live in the environment's allocator. E_SYNTAX with the place, E_NOMEM; deinit also after a failure.
weft_status weft__example_parse(weft_env *e, const weft_proto *p, const char *text, weft__example *out,
                                weft_diag *d);
void weft__example_deinit(weft__example *ex);
weft_use weft__example_use(const weft__example *ex);
// Does it hold? E_DIFFERENT and why not.
weft_status weft__example_check(weft_env *e, const weft__example *ex, weft_diag *d);
bool weft__has_data(const weft_tensor *t);  // all items of a sequence, too
// Expected `want` against an actual tensor: bit for bit, or within the example's tolerance.
weft_status weft__example_compare(const weft__example *ex, const weft_tensor *got, const weft_tensor *want,
                                  weft_diag *d);

// One use, ready to infer. `fact` may be changed between calls; dims point into `dims`.
typedef struct weft__trial {
  weft_env *env;
  const weft_proto *proto;
  weft_arena arena;
  weft_frame frame;
  weft_desc_full desc;
  uint32_t n_in;  // present instances
  weft_fact *fact;
  const weft_fact **in;
  const weft_tensor **tensor;
  weft_dim (*dims)[WEFT_MAX_RANK];
  bool strayed;  // a run wrote behind what is its own; its status is E_KERNEL
} weft__trial;
// `attrs` NULL: the example's. Fails as the framework does when it refuses the use. End it also after a
// failure.
weft_status weft__trial_begin(weft__trial *t, weft_env *e, const weft__example *ex,
                              const weft_named_attr *attrs, size_t n_attrs, weft_diag *d);
void weft__trial_end(weft__trial *t);
void weft__trial_reset(weft__trial *t);  // the facts of the example's inputs again
weft_status weft__trial_infer(weft__trial *t, uint32_t stage, weft_diag *d);  // into t->frame.facts
// Infers at run time and calls; `out` has desc.pub.n_out tensors, which are initialised here and owned by the
// caller. Limits NULL: none.
weft_status weft__trial_run(weft__trial *t, weft_tensor *out, const weft_limits *limits, weft_diag *d);
// SPDX-License-Identifier: Apache-2.0
