// dims_logic.h - comparisons, choices and reductions of small integer values during inference, some elements
// unknown or symbolic: exporters ask of a shape "is it -1?" and take the number of its elements by a product.
// Layer: ops.
#pragma once
#include "dims_value.h"

// infer_value of a comparison: true where x1 < x2 if `lt`, and so on. An element is known where the bounds of
// both leave one answer.
weft_status weft__dims_compare(weft_infer *it, bool lt, bool eq, bool gt);
// infer_value of SelectV2: condition, then, else.
weft_status weft__dims_select(weft_infer *it);
// infer_value of a reduction: where all elements of a vector give one.
weft_status weft__dims_fold(weft_infer *it, weft__dims_op op);
// SPDX-License-Identifier: Apache-2.0
