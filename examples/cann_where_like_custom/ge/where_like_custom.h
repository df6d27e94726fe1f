// where_like_custom.h - the prototype, for those who build graphs with the operator.
#pragma once
#include "graph/operator_reg.h"

namespace ge {
// The coordinates of the true elements of x: y[i] are those of the i-th, in the order of memory.
REG_OP(WhereLikeCustom)
    .INPUT(x, TensorType({DT_BOOL}))
    .OUTPUT(y, TensorType({DT_INT64}))
    .OP_END_FACTORY_REG(WhereLikeCustom)
}  // namespace ge
// SPDX-License-Identifier: Apache-2.0
