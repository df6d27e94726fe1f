// exp.rule.h - what Exp and Log with their attributes compute: base, scale and shift lie in the same slots.
#pragma once
#include "op_slots.h"
#include "weft/op.h"

_Static_assert((int)WEFT_SLOT_EXP_BASE == (int)WEFT_SLOT_LOG_BASE, "Log has other slots");
_Static_assert((int)WEFT_SLOT_EXP_SCALE == (int)WEFT_SLOT_LOG_SCALE, "Log has other slots");
_Static_assert((int)WEFT_SLOT_EXP_SHIFT == (int)WEFT_SLOT_LOG_SHIFT, "Log has other slots");

// Is it the function of base e of x itself? A base of -1 stands for e.
static inline bool weft__is_natural(const weft_op_desc *n) {
  if (weft_node_float(n, WEFT_SLOT_EXP_BASE) != -1)
    return false;
  return weft_node_float(n, WEFT_SLOT_EXP_SCALE) == 1 && weft_node_float(n, WEFT_SLOT_EXP_SHIFT) == 0;
}
// SPDX-License-Identifier: Apache-2.0
