// map_math.c - operators that work element by element, products of matrices and reductions.
#include "frontend/tflite/tables.h"

static void math_give(tl_op *o, weft_value *v) {
  tl_give(o, 0, tl_active(o, v));
}

// The row's own primitive of two operands.
static void math_two(tl_op *o, const char *type) {
  weft_value *x = tl_in(o, 0);
  math_give(o, front_do(&o->b, type, x, tl_in(o, 1), NULL));
}
static void math_add(tl_op *o) {
  if (!tl_fixed_add(o))
    math_two(o, "Add");
}
static void math_sub(tl_op *o) {
  if (!tl_fixed_add(o))
    math_two(o, "Sub");
}
static void math_squared(tl_op *o) {
  if (!tl_fixed_add(o))
    math_two(o, "SquaredDifference");
}
static void math_leaky(tl_op *o) {
  if (tl_fixed_leaky(o))
    return;
  weft_value *x = tl_in(o, 0);
  front_set_float(&o->b, "negative_slope", tl_float(o, 0, 0));
  math_give(o, front_do(&o->b, "LeakyRelu", x, NULL, NULL));
}
static void math_mul(tl_op *o) {
  if (!tl_fixed_mul(o))
    math_two(o, "Mul");
}
static void math_mean(tl_op *o) {
  if (tl_fixed_mean(o))
    return;
  weft_value *x = tl_in(o, 0);
  weft_value *axes = tl_in(o, 1);
  front_set_bool(&o->b, "keep_dims", tl_byte(o, 0, 0));
  front_set_bool(&o->b, "noop_with_empty_axes", true);
  math_give(o, front_do(&o->b, "ReduceMean", x, axes, NULL));
}
static void math_matmul(tl_op *o) {
  if (tl_fixed_matmul(o))
    return;
  weft_value *x = tl_in(o, 0);
  weft_value *y = tl_in(o, 1);
  front_set_bool(&o->b, "adj_x1", tl_byte(o, 0, 0));
  front_set_bool(&o->b, "adj_x2", tl_byte(o, 1, 0));
  math_give(o, front_do(&o->b, "BatchMatMulV2", x, y, NULL));
}
static void math_relu(tl_op *o) {
  if (!tl_fixed_unary(o))
    math_give(o, front_do(&o->b, "Relu", tl_in(o, 0), NULL, NULL));
}

static void math_div(tl_op *o) {
  weft_value *x = tl_in(o, 0);
  bool whole = x && weft_dtype_is_integer(x->fact.dtype);
  math_give(o, front_do(&o->b, whole ? "Div" : "RealDiv", x, tl_in(o, 1), NULL));
}

static void math_gelu(tl_op *o) {
  weft_value *x = tl_in(o, 0);
  front_set_text(&o->b, "approximate", tl_byte(o, 0, 0) ? "tanh" : "none");
  math_give(o, front_do(&o->b, "Gelu", x, NULL, NULL));
}

static void math_softmax(tl_op *o) {
  weft_value *x = tl_in(o, 0);
  double beta = tl_float(o, 0, 0);
  if (beta != 1.0 && x)
    x = front_do(&o->b, "Mul", x, front_num(&o->b, x->fact.dtype, beta), NULL);
  math_give(o, front_do(&o->b, "SoftmaxV2", x, NULL, NULL));
}

// A vector chooses along axis 0.
static void math_select(tl_op *o) {
  front_op *b = &o->b;
  weft_value *c = tl_in(o, 0);
  weft_value *x = tl_in(o, 1);
  int rank = front_rank(x);
  if (front_rank(c) == 1 && rank > 1) {
    int64_t dims[WEFT_MAX_RANK];
    for (int i = 0; i < rank; i++)
      dims[i] = i ? 1 : -1;
    c = front_reshaped(b, c, dims, (size_t)rank);
  }
  math_give(o, front_where(b, c, x, tl_in(o, 2)));
}

static void math_add_n(tl_op *o) {
  size_t n;
  weft_value **in = tl_list(o, 0, &n);
  uint32_t counts[1] = {(uint32_t)n};
  if (!in)
    return;
  front_set_int(&o->b, "N", (int64_t)n);
  math_give(o, front_emit(&o->b, "AddN", in, n, &(weft_use){.in_counts = counts}));
}

// What the output says is its type; a quantised input is a real number.
static void math_same(tl_op *o) {
  math_give(o, tl_in(o, 0));
}

// Real numbers as integers of one scale. The interpreter rounds halves away from zero, QuantizeLinear to
// even: of 16 bits a float's last digits are halves often.
static bool math_quantize_reals(tl_op *o) {
  front_op *b = &o->b;
  int64_t low;
  int64_t high;
  const tl_tensor *t = tl_tensor_out(o, 0);
  weft_value *x = tl_raw(o, 0);
  if (!x || x->fact.dtype != WEFT_FLOAT || !tl_range(o, &low, &high))
    return false;
  const weft_dtype f = WEFT_FLOAT;
  weft_value *q = front_do(b, "RealDiv", x, front_num(b, f, tl_scale(o, t, 0)), NULL);
  weft_value *whole = front_do(b, "Trunc", q, NULL, NULL);
  weft_value *twice = front_do(b, "Mul", front_do(b, "Sub", q, whole, NULL), front_num(b, f, 2), NULL);
  weft_value *y = front_do(b, "Add", whole, front_do(b, "Trunc", twice, NULL, NULL), NULL);
  y = front_do(b, "Add", y, front_num(b, f, (double)tl_zero(o, t)), NULL);
  y = front_do(b, "ClipByValueV2", y, front_num(b, f, (double)low), front_num(b, f, (double)high));
  tl_give_raw(o, 0, front_as(b, y, t->t));
  return true;
}
static void math_quantize(tl_op *o) {
  if (!tl_fixed_unary(o) && !math_quantize_reals(o))
    math_same(o);
}

static void math_cast(tl_op *o) {
  const tl_tensor *t = tl_tensor_out(o, 0);
  weft_value *x = tl_in(o, 0);
  if (t)
    tl_give(o, 0, front_as(&o->b, x, t->t));
}

static void math_l2_norm(tl_op *o) {
  static const int64_t last = -1;
  front_op *b = &o->b;
  weft_value *x = tl_in(o, 0);
  weft_value *sum = front_reduced(b, "ReduceSum", front_do(b, "Square", x, NULL, NULL), &last, 1, true);
  weft_value *least = x ? front_num(b, x->fact.dtype, 1e-12) : NULL;
  weft_value *size = front_do(b, "Sqrt", front_do(b, "Maximum", sum, least, NULL), NULL, NULL);
  math_give(o, front_do(b, "RealDiv", x, size, NULL));
}

static void math_round(tl_op *o) {
  weft_value *x = tl_in(o, 0);
  bool whole = x && weft_dtype_is_integer(x->fact.dtype);
  math_give(o, whole ? x : front_do(&o->b, "Round", x, NULL, NULL));
}

static void math_prelu(tl_op *o) {
  weft_value *x = tl_in(o, 0);
  weft_value *slope = tl_in(o, 1);
  front_set_int(&o->b, "weight_axis", -1);
  math_give(o, front_do(&o->b, "PRelu", x, slope, NULL));
}

// Integers along axes; of quantised tensors the places of the extremes are those of their integers.
static void math_arg(tl_op *o, const char *type) {
  weft_value *x = tl_raw(o, 0);
  weft_value *axis = tl_raw(o, 1);
  tl_give(o, 0, front_do(&o->b, type, x, axis, NULL));
}
static void math_arg_max(tl_op *o) {
  math_arg(o, "ArgMaxV2");
}
static void math_arg_min(tl_op *o) {
  math_arg(o, "ArgMin");
}

#define REDUCED "keep_dims=b0 noop_with_empty_axes=T"
static const tl_row math_rows[] = {
    {TL_ABS, "Abs", NULL, TL_COMPUTE, 0, NULL},
    {TL_ADD, NULL, NULL, TL_COMPUTE, 0, math_add},
    {TL_ADD_N, NULL, NULL, TL_COMPUTE, 0, math_add_n},
    {TL_ARG_MAX, NULL, NULL, TL_RAW, 0, math_arg_max},
    {TL_ARG_MIN, NULL, NULL, TL_RAW, 0, math_arg_min},
    {TL_ATAN2, "Atan2", NULL, TL_COMPUTE, 0, NULL},
    {TL_BATCH_MATMUL, NULL, NULL, TL_COMPUTE, 0, math_matmul},
    {TL_BITWISE_XOR, "BitwiseXor", NULL, TL_COMPUTE, 0, NULL},
    {TL_CAST, NULL, NULL, TL_COMPUTE, 0, math_cast},
    {TL_CEIL, "Ceil", NULL, TL_COMPUTE, 0, NULL},
    {TL_COS, "Cos", NULL, TL_COMPUTE, 0, NULL},
    {TL_CUMSUM, "Cumsum", "exclusive=b0 reverse=b1", TL_COMPUTE, 0, NULL},
    {TL_DEQUANTIZE, NULL, NULL, TL_COMPUTE, 0, math_same},
    {TL_DIV, NULL, NULL, TL_COMPUTE, 0, math_div},
    {TL_ELU, "Elu", NULL, TL_COMPUTE, 0, NULL},
    {TL_EQUAL, "Equal", NULL, TL_COMPUTE, 0, NULL},
    {TL_EXP, "Exp", NULL, TL_COMPUTE, 0, NULL},
    {TL_FLOOR, "Floor", NULL, TL_COMPUTE, 0, NULL},
    {TL_FLOOR_DIV, "FloorDiv", NULL, TL_COMPUTE, 0, NULL},
    {TL_FLOOR_MOD, "FloorMod", NULL, TL_COMPUTE, 0, NULL},
    {TL_GELU, NULL, NULL, TL_COMPUTE, 0, math_gelu},
    {TL_GREATER, "Greater", NULL, TL_COMPUTE, 0, NULL},
    {TL_GREATER_EQUAL, "GreaterEqual", NULL, TL_COMPUTE, 0, NULL},
    {TL_HARD_SWISH, "HardSwish", NULL, TL_COMPUTE, 0, NULL},
    {TL_L2_NORMALIZATION, NULL, NULL, TL_COMPUTE, 0, math_l2_norm},
    {TL_LEAKY_RELU, NULL, NULL, TL_COMPUTE, 0, math_leaky},
    {TL_LESS, "Less", NULL, TL_COMPUTE, 0, NULL},
    {TL_LESS_EQUAL, "LessEqual", NULL, TL_COMPUTE, 0, NULL},
    {TL_LOG, "Log", NULL, TL_COMPUTE, 0, NULL},
    {TL_LOGICAL_AND, "LogicalAnd", NULL, TL_COMPUTE, 0, NULL},
    {TL_LOGICAL_NOT, "LogicalNot", NULL, TL_COMPUTE, 0, NULL},
    {TL_LOGICAL_OR, "LogicalOr", NULL, TL_COMPUTE, 0, NULL},
    {TL_LOGISTIC, "Sigmoid", NULL, TL_COMPUTE, 0, NULL},
    {TL_LOG_SOFTMAX, "LogSoftmaxV2", NULL, TL_COMPUTE, 0, NULL},
    {TL_MAXIMUM, "Maximum", NULL, TL_COMPUTE, 0, NULL},
    {TL_MEAN, NULL, NULL, TL_COMPUTE, 0, math_mean},
    {TL_MINIMUM, "Minimum", NULL, TL_COMPUTE, 0, NULL},
    {TL_MUL, NULL, NULL, TL_COMPUTE, 0, math_mul},
    {TL_NEG, "Neg", NULL, TL_COMPUTE, 0, NULL},
    {TL_NOT_EQUAL, "NotEqual", NULL, TL_COMPUTE, 0, NULL},
    {TL_POW, "Pow", NULL, TL_COMPUTE, 0, NULL},
    {TL_PRELU, NULL, NULL, TL_COMPUTE, 0, math_prelu},
    {TL_QUANTIZE, NULL, NULL, TL_COMPUTE, 0, math_quantize},
    {TL_REDUCE_ALL, "ReduceAll", REDUCED, TL_COMPUTE, 0, NULL},
    {TL_REDUCE_ANY, "ReduceAny", REDUCED, TL_COMPUTE, 0, NULL},
    {TL_REDUCE_MAX, "ReduceMax", REDUCED, TL_COMPUTE, 0, NULL},
    {TL_REDUCE_MIN, "ReduceMin", REDUCED, TL_COMPUTE, 0, NULL},
    {TL_REDUCE_PROD, "ReduceProd", REDUCED, TL_COMPUTE, 0, NULL},
    {TL_RELU, NULL, NULL, TL_COMPUTE, 0, math_relu},
    {TL_RELU6, "Relu6", NULL, TL_COMPUTE, 0, NULL},
    {TL_RELU_0_TO_1, "ClipByValueV2(x, 0.0, 1.0)", NULL, TL_COMPUTE, 0, NULL},
    {TL_RELU_N1_TO_1, "ClipByValueV2(x, -1.0, 1.0)", NULL, TL_COMPUTE, 0, NULL},
    {TL_RIGHT_SHIFT, "RightShift", NULL, TL_COMPUTE, 0, NULL},
    {TL_ROUND, NULL, NULL, TL_COMPUTE, 0, math_round},
    {TL_RSQRT, "Rsqrt", NULL, TL_COMPUTE, 0, NULL},
    {TL_SELECT, NULL, NULL, TL_COMPUTE, 0, math_select},
    {TL_SELECT_V2, "SelectV2", NULL, TL_COMPUTE, 0, NULL},
    {TL_SIGN, "Sign", NULL, TL_COMPUTE, 0, NULL},
    {TL_SIN, "Sin", NULL, TL_COMPUTE, 0, NULL},
    {TL_SOFTMAX, NULL, NULL, TL_COMPUTE, 0, math_softmax},
    {TL_SQRT, "Sqrt", NULL, TL_COMPUTE, 0, NULL},
    {TL_SQUARE, "Square", NULL, TL_COMPUTE, 0, NULL},
    {TL_SQUARED_DIFFERENCE, NULL, NULL, TL_COMPUTE, 0, math_squared},
    {TL_SUB, NULL, NULL, TL_COMPUTE, 0, math_sub},
    {TL_SUM, "ReduceSum", REDUCED, TL_COMPUTE, 0, NULL},
    {TL_TANH, "Tanh", NULL, TL_COMPUTE, 0, NULL},
    {TL_ZEROS_LIKE, "ZerosLike", NULL, TL_COMPUTE, 0, NULL},
};
const tl_rows tl_math = TL_ROWS(math_rows);
// SPDX-License-Identifier: Apache-2.0
