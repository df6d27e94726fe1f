// fuse_region.h - what the fusing passes share: asking the devices whether a kernel takes a region, and
// making the node "Fused" out of it. A region is a list of nodes of one graph in topological order; the last
// one has the only value that others read.
#pragma once
#include "pass/match.h"

enum { WEFT__REGION_NODES = 64, WEFT__REGION_INPUTS = 32 };
typedef struct weft__fusion {
  weft_node *node[WEFT__REGION_NODES];
  uint32_t n;
} weft__fusion;
// May the node be part of a region at all: one output, a tensor of known rank, nothing but its inputs to wait
// for, weft's own.
bool weft__fusible(const weft_node *n);
// NULL: a kernel for "Fused" takes it, asked with the shapes that are known. Otherwise why not; lives until
// the next call. E_NOMEM comes out as a text, too.
const char *weft__fusion_refusal(weft_pass_run *r, const weft__fusion *f);
// Puts the node "Fused" in place of the region.
weft_status weft__fuse(weft_pass_run *r, const weft__fusion *f);
