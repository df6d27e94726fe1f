// map.c - which primitive each ONNX operator becomes. Simple operators are a line in the table; the others have a
// function in map_*.c. The table is ordered by name; several lines of one name hold for ranges of versions.
#include "frontend/onnx/map.h"

#define SAME(name, primitive) {name, 1, 0, primitive, NULL}
const onnx_mapping weft__onnx_mappings[] = {
    SAME("Abs", "Abs"),
    SAME("Acos", "Acos"),
    SAME("Acosh", "Acosh"),
    {"Add", 7, 0, "Add", NULL},
    {"And", 7, 0, "LogicalAnd", NULL},
    SAME("Asin", "Asin"),
    SAME("Asinh", "Asinh"),
    SAME("Atan", "Atan"),
    SAME("Atanh", "Atanh"),
    {"AveragePool", 1, 0, "AvgPoolV2", onnx_average_pool},
    {"BatchNormalization", 7, 13, "BatchNorm", onnx_batch_norm},
    {"BatchNormalization", 14, 0, "BatchNorm", onnx_batch_norm},
    {"Cast", 6, 0, "Cast", onnx_cast},
    SAME("Ceil", "Ceil"),
    {"Concat", 4, 0, "ConcatV2", onnx_concat},
    {"Constant", 1, 0, "(constant)", onnx_constant},
    {"ConstantOfShape", 9, 0, "Fill", onnx_constant_of_shape},
    {"Conv", 1, 0, "Conv2D, Conv", onnx_conv},
    SAME("Cos", "Cos"),
    SAME("Cosh", "Cosh"),
    {"Div", 7, 0, "Div", NULL},
    {"Dropout", 7, 0, "Identity", onnx_dropout},
    {"Equal", 7, 0, "Equal", NULL},
    SAME("Erf", "Erf"),
    SAME("Exp", "Exp"),
    {"Flatten", 1, 0, "Reshape", onnx_flatten},
    SAME("Floor", "Floor"),
    {"Gather", 1, 0, "GatherV2", onnx_gather},
    {"Gemm", 7, 0, "MatMulV2, Mul, Add", onnx_gemm},
    {"GlobalAveragePool", 1, 0, "AvgPoolV2", onnx_global_pool},
    {"GlobalMaxPool", 1, 0, "MaxPoolV3", onnx_global_pool},
    {"Greater", 7, 0, "Greater", NULL},
    {"GreaterOrEqual", 12, 0, "GreaterEqual", NULL},
    SAME("Identity", "Identity"),
    {"LRN", 1, 0, "LRN", onnx_lrn},
    {"LeakyRelu", 6, 0, "LeakyRelu", onnx_leaky_relu},
    {"Less", 7, 0, "Less", NULL},
    {"LessOrEqual", 12, 0, "LessEqual", NULL},
    SAME("Log", "Log"),
    {"MatMul", 1, 0, "BatchMatMulV2", NULL},
    {"MaxPool", 1, 0, "MaxPoolV3", onnx_max_pool},
    {"Mul", 7, 0, "Mul", NULL},
    SAME("Neg", "Neg"),
    SAME("Not", "LogicalNot"),
    {"Or", 7, 0, "LogicalOr", NULL},
    {"Pow", 7, 11, "Pow", NULL},
    {"ReduceMean", 1, 17, "ReduceMean", onnx_reduce},
    {"ReduceSum", 1, 12, "ReduceSum", onnx_reduce},
    SAME("Reciprocal", "Reciprocal"),
    SAME("Relu", "Relu"),
    {"Reshape", 5, 0, "Reshape", onnx_reshape},
    {"Shape", 1, 0, "Shape", onnx_shape_op},
    SAME("Sigmoid", "Sigmoid"),
    SAME("Sign", "Sign"),
    SAME("Sin", "Sin"),
    SAME("Sinh", "Sinh"),
    {"Softmax", 1, 12, "SoftmaxV2", onnx_softmax},
    {"Softmax", 13, 0, "SoftmaxV2", onnx_softmax},
    SAME("Softplus", "Softplus"),
    SAME("Softsign", "Softsign"),
    SAME("Sqrt", "Sqrt"),
    {"Squeeze", 1, 12, "Squeeze", onnx_squeeze},
    {"Sub", 7, 0, "Sub", NULL},
    {"Sum", 6, 0, "Add", onnx_sum},
    SAME("Tan", "Tan"),
    SAME("Tanh", "Tanh"),
    {"Transpose", 1, 0, "Transpose", onnx_transpose},
    {"Unsqueeze", 1, 12, "Unsqueeze", onnx_unsqueeze},
    {"Where", 9, 0, "SelectV2", NULL},
    {"Xor", 7, 0, "NotEqual", NULL},
};
const size_t weft__onnx_mapping_count = WEFT_COUNT(weft__onnx_mappings);

const onnx_mapping *weft__onnx_find(onnx_str op_type, int64_t version) {
  size_t lo = 0, hi = weft__onnx_mapping_count;
  for (size_t i = lo; i < hi; i++) {
    const onnx_mapping *m = &weft__onnx_mappings[i];
    if (onnx_str_is(op_type, m->name) && version >= m->first && (!m->last || version <= m->last)) return m;
  }
  return NULL;
}
