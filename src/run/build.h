// build.h - what the files that plan a segment share.
#pragma once
#include "run/run.h"

typedef struct builder {
  weft_exec *x;
  const weft__fn *f;
  weft__seg *s;
  weft_diag *d;
  uint8_t device;  // of the node at hand
  WEFT_VEC(weft__launch) launches;
  WEFT_VEC(weft__pack_wish) wishes;  // constants to pack, of nodes
  WEFT_VEC(uint32_t) wishers;        // with these numbers
} builder;

// Where a value that a node made lies; NULL: an input or a constant of the function.
weft__place *weft__build_place(const builder *b, uint32_t v);
// Appends a launch of node number `node`. NULL: out of memory, with a message. Valid until the next one.
weft__launch *weft__build_launch(builder *b, uint8_t kind, uint32_t node);
// Says which node was being planned when something failed.
void weft__build_note(builder *b, const weft_node *n);
weft_status weft__build_no_memory(const builder *b);

// ---- build_facts.c ----
// Facts of a node's inputs into the exec's scratch (x->s), with the contents that may be read.
void weft__build_gather(builder *b, const weft_node *n);
// Inference with these; x->frame.facts are the outputs', which agree with what compiling found.
weft_status weft__build_infer(builder *b, const weft_node *n);
// The outputs of a region with these inputs: each operator inferred in turn.
weft_status weft__build_infer_region(builder *b, const weft_region *r, const weft_graph *body,
                                     weft_fact *out);
// What compiling found must hold for the shapes of the run, since passes have relied on it; of a program from
// a file only dtype and kind are used without being found again.
weft_status weft__build_agree(const builder *b, weft_value *v, const weft_fact *f);
bool weft__build_is_static(const builder *b, const weft_node *n);
// May planning find values of its outputs that compiling did not: shape arithmetic, contents that are known
// now?
bool weft__build_may_learn(const builder *b, const weft_node *n);

// ---- build_kernel.c ----
// The tensors of a launch's node, in the order of its ports.
weft_status weft__build_arguments(builder *b, weft__launch *l, const weft_node *n);
// A kernel of a device, if one takes the node with these shapes; l->kernel stays NULL otherwise.
weft_status weft__build_kernel(builder *b, weft__launch *l, const weft_node *n);
// A kernel that finds shapes while it runs, in place of the execute function: one is asked with the largest
// outputs that there can be.
weft_status weft__build_finder(builder *b, weft__launch *l, const weft_node *n, const weft_fact *facts);

// ---- moves.c, constants.c ----
// moves.c: *done when the outputs of the node need no kernel: they are views, parts, or made in place.
weft_status weft__build_moved(builder *b, const weft_node *n, uint32_t pos, bool *done);
// The same of what is joined along the outermost axis.
weft_status weft__build_joined(builder *b, const weft_node *n, uint32_t pos, bool *done);
// A tensor that lives as long as the segment; ctx: the builder. NULL: out of memory, without a message.
weft_tensor *weft__build_known(void *ctx);
// constants.c. Constants in the layouts that the kernel asked for: wished for, and made when all is planned.
weft_status weft__build_packed(builder *b, weft__launch *l, const weft_tiling *t, const weft_node *n);
weft_status weft__build_wishes(builder *b);
// Constants that go into sub-graphs, where they are inputs like others and kernels read their elements.
weft_status weft__build_captured(builder *b, weft__launch *l, const weft_node *n);
// Constants that may sleep: an operator that infers from contents (l NULL) gets them before; what a launch
// reads as it is stays from now on, also when a plan for other shapes has a kernel that packs it.
weft_status weft__build_wake(builder *b, const weft_node *n, const weft__launch *l);

// ---- contents.c: what inference reads of its inputs' contents ----
// May the contents of a value be read while planning, being the same whenever this plan is used?
bool weft__build_readable(const builder *b, uint32_t v);
// Tests of a value whose contents are read: it is no constant of the program; it is not readable in this
// plan.
typedef bool (*build_input_test)(const builder *b, const weft_value *v);
bool weft__build_no_constant(const builder *b, const weft_value *v);
bool weft__build_unseen(const builder *b, const weft_value *v);
// Does inference of the node need contents of an input that passes the test? Nodes that decide their shapes
// themselves (execute functions, sub-graphs) read them when they run.
bool weft__build_reads(const builder *b, const weft_node *n, build_input_test test);
// The same for the nodes of a fused node's body, whose inputs are the fused node's own. *out_inner: some read
// contents that the body itself computes.
bool weft__build_body_reads(const builder *b, const weft_node *fused, build_input_test test, bool *out_inner);
// The continuation is found by the shape of a value, or by its contents.
weft_status weft__build_want(builder *b, uint32_t v, bool contents);
// Ends the segment before node `pos`, for the contents that it reads. E_UNKNOWN: it reads none that are not
// there.
weft_status weft__build_want_inputs(builder *b, const weft_node *n, uint32_t pos);
weft_status weft__build_want_body(builder *b, const weft_node *fused, uint32_t pos);
// SPDX-License-Identifier: Apache-2.0
