// show_layout.h - where the boxes of a graph lie: in layers from top to bottom, each below what it reads,
// long edges through bends of their own. Pure; equal input, equal places.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct layout_box {
  double w, h;     // given; of a bend: its room
  double x, y;     // found: the left upper corner
  uint32_t layer;  // found
  uint32_t order;  // in its layer
  bool floats;     // given: reads nothing, and stands just above its first reader
} layout_box;

typedef struct layout_edge {
  uint32_t from, to;             // given: boxes; what is read comes first in the list of boxes
  uint32_t first_bend, n_bends;  // found: boxes behind the given ones
} layout_edge;

typedef struct layout {
  layout_box *box;  // malloc'ed; grows by the bends
  size_t n_given, n_boxes;
  layout_edge *edge;  // ordered by `to`
  size_t n_edges;
  double width, height;  // found
} layout;

// False: out of memory. O(boxes + edges + bends), but for sorting layers.
bool layout_run(layout *l);
// SPDX-License-Identifier: Apache-2.0
