// flops.c - the arithmetic of a node by the shapes that inference found.
#include "ir/ir.h"
#include "weft/infer.h"

int64_t weft_node_flops(const weft_node *n) {
  if (!n)
    return -1;
  return weft__node_flops(n, weft__shape_inferred, NULL);
}
// SPDX-License-Identifier: Apache-2.0
