// build.h - what the files that plan a segment share: build.c and moves.c.
#pragma once
#include "run/run.h"

typedef struct builder {
  weft_exec *x;
  const weft__fn *f;
  weft__seg *s;
  weft_diag *d;
  uint8_t device;  // of the node at hand
  WEFT_VEC(weft__launch) launches;
} builder;

// Where a value that a node made lies; NULL: an input or a constant of the function.
weft__place *weft__build_place(const builder *b, uint32_t v);
// Appends a launch of node number `node`. NULL: out of memory, with a message. Valid until the next one.
weft__launch *weft__build_launch(builder *b, uint8_t kind, uint32_t node);
// moves.c: *done when the outputs of the node need no kernel: they are views, parts, or made in place.
weft_status weft__build_moved(builder *b, const weft_node *n, uint32_t pos, bool *done);
// The same of what is joined along the outermost axis.
weft_status weft__build_joined(builder *b, const weft_node *n, uint32_t pos, bool *done);
