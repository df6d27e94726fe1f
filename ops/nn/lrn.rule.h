// lrn.rule.h - which channels LRN sums for one, and what it makes of their squares. Pure: the operator and
// its kernels normalise by this.
#pragma once
#include "op_slots.h"
#include "weft/op.h"

// y = x / (bias + alpha * sum of squares) ^ beta, over `before` channels, the channel itself and `after`.
typedef struct weft_lrn_rule {
  size_t before, after;
  double bias, alpha, beta;
} weft_lrn_rule;

// AscendIR's radius reaches as far to both sides. ONNX's size, where it is not 0, counts all of them: the one
// that an even size has over comes after, and alpha is divided by size.
static inline weft_lrn_rule weft__lrn_rule(const weft_op_desc *n) {
  const size_t radius = (size_t)weft_node_int(n, WEFT_SLOT_LRN_DEPTH_RADIUS);
  const size_t size = (size_t)weft_node_int(n, WEFT_SLOT_LRN_SIZE);
  weft_lrn_rule r = {.before = radius,
                     .after = radius,
                     .bias = (double)weft_node_float(n, WEFT_SLOT_LRN_BIAS),
                     .alpha = (double)weft_node_float(n, WEFT_SLOT_LRN_ALPHA),
                     .beta = (double)weft_node_float(n, WEFT_SLOT_LRN_BETA)};
  if (size) {
    r.before = (size - 1) / 2;
    r.after = size / 2;
    r.alpha /= (double)size;
  }
  return r;
}
// SPDX-License-Identifier: Apache-2.0
