// fuse_region.h - what the fusing passes share: asking the devices whether a kernel takes a region, and
// making the node "Fused" out of it. A region is a list of nodes of one graph in topological order; the last
// one has the only value that others read.
#pragma once
#include "pass/match.h"

enum { WEFT__REGION_NODES = 64, WEFT__REGION_INPUTS = 32 };
typedef struct weft__fusion {
  weft_node *node[WEFT__REGION_NODES];
  uint32_t n;
  const weft_node *fused;  // NULL, or the nodes are the body of this one
} weft__fusion;
// May the node be part of a region at all: one output, a tensor of known rank, nothing but its inputs to wait
// for, weft's own.
bool weft__fusible(const weft_node *n);
// NULL: a kernel for "Fused" takes it, asked with the shapes that are known. Otherwise why not; lives until
// the next call. E_NOMEM comes out as a text, too.
const char *weft__fusion_refusal(weft_pass_run *r, const weft__fusion *f);
// Puts the node "Fused" in place of the region.
weft_status weft__fuse(weft_pass_run *r, const weft__fusion *f);
// The same where a kernel takes the region; otherwise says why none does of its last node, and lets it be.
weft_status weft__fuse_if_taken(weft_pass_run *r, const weft__fusion *f);

// ---- regions in packed formats ----
// Has the operator, perhaps a package's, a kernel of its own that takes packed formats?
bool weft__takes_packed(const weft_env *e, const weft_node *n);
// The convolution of bytes whose sums FixedRequant n alone reads; NULL: there is none, or n is another
// operator. Kernels of packed formats take both as one region; plain ones take each by itself.
weft_node *weft__fusion_sums(const weft_node *n);
// A node as a region: itself, with the node of weft__fusion_sums if it has one, or the body of a fused one;
// weft's own operators, and those of packages that take packed formats. False: it is none.
bool weft__fusion_of(const weft_env *e, weft_node *n, weft__fusion *out);
// Its inputs, each once, at most WEFT__REGION_INPUTS; how many.
uint32_t weft__fusion_inputs(const weft__fusion *f, weft_value **out);
// What the cheapest kernel for the region takes, inputs and output stored as `format` says (one an input,
// then the output's; dims that are not known count as `unknown`); negative: there is none, why in r->text.
double weft__fusion_cost(weft_pass_run *r, const weft__fusion *f, const weft_format *format,
                         weft_dim unknown);
// The node "Fused" for the region with in[i] for its inputs and its output stored as `to` (a plain format: as
// it is), before the region's last node, inferred.
weft_status weft__fuse_as(weft_pass_run *r, const weft__fusion *f, weft_value *const *in, weft_format to,
                          weft_node **out);
// SPDX-License-Identifier: Apache-2.0
