// sm_tpl_key.cpp - a template whose arguments are the tiling key: TILE + 1 rows of 16 elements; the mode says
// what becomes of them, and there may be a number to add.
#include "22_tpl_key.h"
#include "rows.h"

// As in projects whose header has no guard and comes twice: what it said is said again.
ASCENDC_TPL_ARGS_DECL(SmTplKey, ASCENDC_TPL_DTYPE_DECL(D_T, 0, 1, 27),
                      ASCENDC_TPL_UINT_DECL(TILE, ASCENDC_TPL_8_BW, ASCENDC_TPL_UI_MIX, 1, 0, 3, 8, 16),
                      ASCENDC_TPL_UINT_DECL(MODE, ASCENDC_TPL_2_BW, ASCENDC_TPL_UI_LIST, 0, 1, 2),
                      ASCENDC_TPL_BOOL_DECL(HAS_BIAS, 0, 1));
ASCENDC_TPL_SEL(ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_DTYPE_SEL(D_T, 0, 1),
                                     ASCENDC_TPL_UINT_SEL(TILE, ASCENDC_TPL_UI_LIST, 0, 3, 8),
                                     ASCENDC_TPL_UINT_SEL(MODE, ASCENDC_TPL_UI_LIST, 0, 1),
                                     ASCENDC_TPL_BOOL_SEL(HAS_BIAS, 0, 1)));

template <typename D_T, int TILE, int MODE, int HAS_BIAS>
__global__ __aicore__ void sm_tpl_key(GM_ADDR x, GM_ADDR bias, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  constexpr uint32_t n = (TILE + 1) * 16;
  TPipe pipe;
  RowIn<D_T> in;
  RowOut<D_T> out;
  TBuf<TPosition::VECCALC> buffer;
  in.Init(pipe, x, n);
  out.Init(pipe, y, n);
  pipe.InitBuffer(buffer, n * sizeof(float));
  LocalTensor<float> wide = buffer.Get<float>();
  LocalTensor<D_T> row = in.Get(0, n);
  if constexpr (std::is_same<D_T, float>::value)
    Adds(wide, row, 0.0f, n);
  else
    Cast(wide, row, RoundMode::CAST_NONE, n);
  in.Free(row);
  if (MODE == 1)
    Relu(wide, wide, n);
  if (MODE == 2)
    Mul(wide, wide, wide, n);
  if constexpr (HAS_BIAS) {
    GlobalTensor<float> number;
    number.SetGlobalBuffer((__gm__ float *)bias, 1);
    Adds(wide, wide, number.GetValue(0), n);
  }
  LocalTensor<D_T> made = out.Make();
  if constexpr (std::is_same<D_T, float>::value)
    Adds(made, wide, 0.0f, n);
  else
    Cast(made, wide, RoundMode::CAST_RINT, n);
  out.Put(made, 0, n);
}
// SPDX-License-Identifier: Apache-2.0
