// sm_records.h - what the tiling functions of the operators in users' style tell their kernels: shapes,
// filled up to eight axes, and some numbers whose meaning is the operator's.
#pragma once
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(SmShapes)
TILING_DATA_FIELD_DEF(uint32_t, rank);
TILING_DATA_FIELD_DEF(float, number);
TILING_DATA_FIELD_DEF_ARR(int64_t, 8, x);
TILING_DATA_FIELD_DEF_ARR(int64_t, 8, w);
TILING_DATA_FIELD_DEF_ARR(int64_t, 8, y);
TILING_DATA_FIELD_DEF_ARR(int64_t, 8, p);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(SmAddLike, SmShapes)
REGISTER_TILING_DATA_CLASS(SmReduceAttr, SmShapes)
REGISTER_TILING_DATA_CLASS(SmNorm, SmShapes)
REGISTER_TILING_DATA_CLASS(SmTopK, SmShapes)
REGISTER_TILING_DATA_CLASS(SmGather, SmShapes)
REGISTER_TILING_DATA_CLASS(SmTile, SmShapes)
REGISTER_TILING_DATA_CLASS(SmReshape, SmShapes)
REGISTER_TILING_DATA_CLASS(SmRange, SmShapes)
REGISTER_TILING_DATA_CLASS(SmCast, SmShapes)
REGISTER_TILING_DATA_CLASS(SmReduceConst, SmShapes)
REGISTER_TILING_DATA_CLASS(SmConcat, SmShapes)
REGISTER_TILING_DATA_CLASS(SmSplit, SmShapes)
REGISTER_TILING_DATA_CLASS(SmNonZero, SmShapes)
REGISTER_TILING_DATA_CLASS(SmConv, SmShapes)
REGISTER_TILING_DATA_CLASS(SmListAttrs, SmShapes)
REGISTER_TILING_DATA_CLASS(SmShapeProbe, SmShapes)
REGISTER_TILING_DATA_CLASS(SmTranspose, SmShapes)
REGISTER_TILING_DATA_CLASS(SmForeachHeavy, SmShapes)

#ifdef WEFT_CANN_KERNEL_SIDE
// Of operators that bring their own tiling function: the same fields once more.
BEGIN_TILING_DATA_DEF(SmGeluLikeTilingData)
TILING_DATA_FIELD_DEF(uint32_t, totalLength);
TILING_DATA_FIELD_DEF(uint32_t, tileNum);
TILING_DATA_FIELD_DEF(uint64_t, tailLength);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(SmGeluLike, SmGeluLikeTilingData)
BEGIN_TILING_DATA_DEF(SmCubeTiling)
TILING_DATA_FIELD_DEF(int32_t, M);
TILING_DATA_FIELD_DEF(int32_t, N);
TILING_DATA_FIELD_DEF(int32_t, K);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(SmCubeTilingOp, SmCubeTiling)
BEGIN_TILING_DATA_DEF(SmMatmulTilingData)
TILING_DATA_FIELD_DEF(uint8_t, transA);
TILING_DATA_FIELD_DEF(uint16_t, flags);
TILING_DATA_FIELD_DEF_ARR(int64_t, 3, batch);
TILING_DATA_FIELD_DEF_STRUCT(SmCubeTiling, cube);
TILING_DATA_FIELD_DEF(float, alpha);
TILING_DATA_FIELD_DEF_ARR(uint16_t, 5, split);
TILING_DATA_FIELD_DEF(uint32_t, last);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(SmMatmul, SmMatmulTilingData)
BEGIN_TILING_DATA_DEF(SmPadTilingData)
TILING_DATA_FIELD_DEF(int8_t, mode);
TILING_DATA_FIELD_DEF(int64_t, left);
TILING_DATA_FIELD_DEF(bool, deterministic);
TILING_DATA_FIELD_DEF(double, value);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(SmPad, SmPadTilingData)
// Operators whose kernels name their record, or have none.
REGISTER_TILING_DATA_CLASS(SmCompile, SmShapes)
REGISTER_TILING_DATA_CLASS(SmTplKey, SmShapes)
#endif
}  // namespace optiling
// SPDX-License-Identifier: Apache-2.0
