// map.h - the functions of ONNX operators that are more than a line in the table (map_*.c).
#pragma once
#include "frontend/onnx/import.h"

// map_nn.c
weft_status onnx_average_pool(onnx_op *o);
weft_status onnx_batch_norm(onnx_op *o);
weft_status onnx_conv(onnx_op *o);
weft_status onnx_dropout(onnx_op *o);
weft_status onnx_gemm(onnx_op *o);
weft_status onnx_global_pool(onnx_op *o);
weft_status onnx_leaky_relu(onnx_op *o);
weft_status onnx_lrn(onnx_op *o);
weft_status onnx_max_pool(onnx_op *o);
weft_status onnx_reduce(onnx_op *o);
weft_status onnx_softmax(onnx_op *o);
weft_status onnx_sum(onnx_op *o);
// map_data.c
weft_status onnx_cast(onnx_op *o);
weft_status onnx_concat(onnx_op *o);
weft_status onnx_constant(onnx_op *o);
weft_status onnx_constant_of_shape(onnx_op *o);
weft_status onnx_flatten(onnx_op *o);
weft_status onnx_gather(onnx_op *o);
weft_status onnx_reshape(onnx_op *o);
weft_status onnx_shape_op(onnx_op *o);
weft_status onnx_squeeze(onnx_op *o);
weft_status onnx_transpose(onnx_op *o);
weft_status onnx_unsqueeze(onnx_op *o);
