// table.c - the kernels of the CPU, sorted by operator; of one operator the plain ones first.
#include "device/device.h"

// clang-format off
#define WEFT_KERNEL_LIST(X) \
  X(tile_Abs) \
  X(tile_Acos) \
  X(tile_Acosh) \
  X(tile_Add) \
  X(tile_AddN) \
  X(tile_Adds) \
  X(tile_Asin) \
  X(tile_Asinh) \
  X(tile_Atan) \
  X(tile_Atanh) \
  X(avg_pool_v2) \
  X(tile_Axpy) \
  X(gemm_BatchMatMulV2) \
  X(batch_norm) \
  X(tile_BiasAdd) \
  X(broadcast_to) \
  X(tile_Cast) \
  X(tile_Ceil) \
  X(tile_ClipByValue) \
  X(tile_ClipByValueV2) \
  X(recurrent_gru) \
  X(recurrent_lstm) \
  X(recurrent_rnn) \
  X(concat) \
  X(concat_d) \
  X(concat_v2) \
  X(conv_Conv) \
  X(conv_small_Conv) \
  X(depthwise_Conv) \
  X(conv_Conv2D) \
  X(conv_small_Conv2D) \
  X(depthwise_Conv2D) \
  X(quant_conv) \
  X(quant_depthwise) \
  X(tile_Cos) \
  X(tile_Cosh) \
  X(dequantize_linear) \
  X(tile_Div) \
  X(tile_Elu) \
  X(tile_Equal) \
  X(tile_Erf) \
  X(tile_Exp) \
  X(expand) \
  X(tile_Expm1) \
  X(tile_Floor) \
  X(tile_fused) \
  X(gemm_fused) \
  X(conv_fused) \
  X(quant_pair) \
  X(conv_small_fused) \
  X(depthwise_fused) \
  X(blocked_conv_fused) \
  X(blocked_winograd_fused) \
  X(blocked_depthwise_fused) \
  X(blocked_tile_fused) \
  X(blocked_pool) \
  X(blocked_join) \
  X(blocked_lrn) \
  X(gemm_GEMM) \
  X(gather_v2) \
  X(tile_Gelu) \
  X(global_average_pool) \
  X(tile_Greater) \
  X(tile_GreaterEqual) \
  X(group_norm) \
  X(tile_HardSigmoid) \
  X(tile_HardSwish) \
  X(tile_Identity) \
  X(instance_norm) \
  X(lrn) \
  X(layer_norm) \
  X(tile_LeakyRelu) \
  X(tile_Less) \
  X(tile_LessEqual) \
  X(tile_Log) \
  X(tile_Log1p) \
  X(log_softmax) \
  X(tile_LogicalAnd) \
  X(tile_LogicalNot) \
  X(tile_LogicalOr) \
  X(quant_gemm) \
  X(gemm_MatMulV2) \
  X(max_pool) \
  X(max_pool_v3) \
  X(quant_pool) \
  X(tile_Maximum) \
  X(tile_Minimum) \
  X(tile_Mish) \
  X(tile_Mod) \
  X(tile_Mul) \
  X(tile_Muls) \
  X(tile_Neg) \
  X(tile_NotEqual) \
  X(tile_PRelu) \
  X(pad) \
  X(pad_v3) \
  X(tile_Pow) \
  X(quantize_linear) \
  X(tile_RealDiv) \
  X(tile_Reciprocal) \
  X(reduce_max) \
  X(reduce_mean) \
  X(reduce_min) \
  X(reduce_sum) \
  X(tile_Relu) \
  X(tile_Relu6) \
  X(resize) \
  X(tile_Rint) \
  X(tile_Round) \
  X(tile_Rsqrt) \
  X(tile_SelectV2) \
  X(tile_Selu) \
  X(tile_Shrink) \
  X(tile_Sigmoid) \
  X(tile_Sign) \
  X(tile_Sin) \
  X(tile_Sinh) \
  X(slice) \
  X(softmax) \
  X(tile_Softplus) \
  X(tile_Softsign) \
  X(split) \
  X(split_d) \
  X(split_v) \
  X(tile_Sqrt) \
  X(tile_Square) \
  X(tile_SquaredDifference) \
  X(strided_slice_v2) \
  X(tile_Sub) \
  X(tile_Swish) \
  X(tile_Tan) \
  X(tile_Tanh) \
  X(tile_ThresholdedRelu) \
  X(tile_repeat) \
  X(blocked_move) \
  X(transpose) \
  X(transpose_d)
// clang-format on

#define WEFT_X(symbol) extern const weft_kernel weft__kernel_##symbol;
WEFT_KERNEL_LIST(WEFT_X)
#undef WEFT_X

const weft_kernel *const weft__cpu_kernels[] = {
#define WEFT_X(symbol) &weft__kernel_##symbol,
    WEFT_KERNEL_LIST(WEFT_X)
#undef WEFT_X
};
const unsigned weft__cpu_kernel_count = sizeof weft__cpu_kernels / sizeof *weft__cpu_kernels;
