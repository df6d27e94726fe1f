// map_math.c - operators that work element by element, products of matrices and reductions. Nothing is
// promoted: operands of one node have one dtype.
#include <float.h>
#include "frontend/tf/tables.h"

static void math_select(tf_op *o) {
  front_op *b = &o->b;
  weft_value *c = tf_in(o, 0);
  weft_value *x = tf_in(o, 1);
  int rank = front_rank(x);
  if (front_rank(c) == 1 && rank > 1) {  // Select's own: a vector chooses along axis 0
    int64_t dims[WEFT_MAX_RANK];
    for (int i = 0; i < rank; i++)
      dims[i] = i ? 1 : -1;
    c = front_reshaped(b, c, dims, (size_t)rank);
  }
  tf_give(o, 0, front_where(b, c, x, tf_in(o, 2)));
}

static void math_add_n(tf_op *o) {
  weft_value *in[TF_MAX_NUMBERS];
  if (o->n_in > TF_MAX_NUMBERS)
    front_fail(&o->b, WEFT_E_LIMIT, "%zu inputs", o->n_in);
  for (size_t i = 0; i < o->n_in && !o->b.failed; i++)
    in[i] = tf_in(o, i);
  uint32_t counts[1] = {(uint32_t)o->n_in};
  front_set_int(&o->b, "N", (int64_t)o->n_in);
  tf_give(o, 0, front_emit(&o->b, "AddN", in, o->n_in, &(weft_use){.in_counts = counts}));
}

static void math_einsum(tf_op *o) {
  weft_value *in[8];
  if (o->n_in > WEFT_COUNT(in))
    front_fail(&o->b, WEFT_E_LIMIT, "%zu inputs", o->n_in);
  for (size_t i = 0; i < o->n_in && !o->b.failed; i++)
    in[i] = tf_in(o, i);
  uint32_t counts[1] = {(uint32_t)o->n_in};
  front_set_text(&o->b, "equation", tf_string(o, "equation", ""));
  front_set_int(&o->b, "N", (int64_t)o->n_in);
  tf_give(o, 0, front_emit(&o->b, "Einsum", in, o->n_in, &(weft_use){.in_counts = counts}));
}

static void math_l2_loss(tf_op *o) {
  front_op *b = &o->b;
  weft_value *x = tf_in(o, 0);
  weft_value *sum = front_reduced(b, "ReduceSum", front_do(b, "Square", x, NULL, NULL), NULL, 0, false);
  tf_give(o, 0, front_do(b, "Mul", sum, x ? front_num(b, x->fact.dtype, 0.5) : NULL, NULL));
}

static void math_div(tf_op *o) {
  weft_value *x = tf_in(o, 0);
  bool whole = x && weft_dtype_is_integer(x->fact.dtype);
  tf_give(o, 0, front_do(&o->b, whole ? "Div" : "RealDiv", x, tf_in(o, 1), NULL));
}

// Rounded to whole numbers of the floats; integers stay.
static void math_round(tf_op *o) {
  weft_value *x = tf_in(o, 0);
  if (x && weft_dtype_is_integer(x->fact.dtype))
    tf_give(o, 0, x);
  else
    tf_give(o, 0, front_do(&o->b, "Round", x, NULL, NULL));
}

static void math_soft(tf_op *o, const char *type) {
  static const int64_t last[] = {-1};
  weft_value *x = tf_in(o, 0);
  front_set_ints(&o->b, "axes", last, 1);
  tf_give(o, 0, front_do(&o->b, type, x, NULL, NULL));
}
static void math_softmax(tf_op *o) {
  math_soft(o, "SoftmaxV2");
}
static void math_log_softmax(tf_op *o) {
  math_soft(o, "LogSoftmaxV2");
}

// TensorFlow counts numbers below the least normal one as zero, which is seen where a step is at zero.
static weft_value *math_normal(front_op *b, weft_value *x) {
  if (b->failed || !(x->fact.dtype == WEFT_FLOAT || x->fact.dtype == WEFT_DOUBLE))
    return x;
  weft_dtype t = x->fact.dtype;
  double least = t == WEFT_DOUBLE ? DBL_MIN : (double)FLT_MIN;
  weft_value *size = front_do(b, "Abs", x, NULL, NULL);
  weft_value *small = front_do(b, "Less", size, front_num(b, t, least), NULL);
  return front_where(b, small, front_do(b, "Mul", x, front_num(b, t, 0), NULL), x);
}
static void math_stepped(tf_op *o) {
  tf_give(o, 0, front_do(&o->b, o->node->op, math_normal(&o->b, tf_in(o, 0)), NULL, NULL));
}

// Of real numbers the floor of the quotient as their own type has it: 1 / 0.1 in f32 is 10.
static void math_floor_div(tf_op *o) {
  front_op *b = &o->b;
  weft_value *x = tf_in(o, 0);
  const bool whole = x && weft_dtype_is_integer(x->fact.dtype);
  weft_value *y = front_do(b, whole ? "FloorDiv" : "RealDiv", x, tf_in(o, 1), NULL);
  tf_give(o, 0, whole ? y : front_do(b, "Floor", y, NULL, NULL));
}

#define REDUCED "keep_dims=F noop_with_empty_axes=T"
static const tf_row math_rows[] = {
    {"Abs", "Abs", NULL, NULL},
    {"Acos", "Acos", NULL, NULL},
    {"Acosh", "Acosh", NULL, NULL},
    {"AddN", NULL, NULL, math_add_n},
    {"All", "ReduceAll", "keep_dims=F noop_with_empty_axes=T", NULL},
    {"Any", "ReduceAny", "keep_dims=F noop_with_empty_axes=T", NULL},
    {"Asin", "Asin", NULL, NULL},
    {"Asinh", "Asinh", NULL, NULL},
    {"Atan", "Atan", NULL, NULL},
    {"Atan2", "Atan2", NULL, NULL},
    {"Atanh", "Atanh", NULL, NULL},
    {"BitwiseAnd", "BitwiseAnd", NULL, NULL},
    {"BitwiseOr", "BitwiseOr", NULL, NULL},
    {"BitwiseXor", "BitwiseXor", NULL, NULL},
    {"Ceil", NULL, NULL, math_stepped},
    {"ClipByValue", "ClipByValueV2", NULL, NULL},
    {"Cos", "Cos", NULL, NULL},
    {"Cosh", "Cosh", NULL, NULL},
    {"Digamma", "Digamma", NULL, NULL},
    {"Div", NULL, NULL, math_div},
    {"DivNoNan", "DivNoNan", NULL, NULL},
    {"Einsum", NULL, NULL, math_einsum},
    {"Elu", "Elu", NULL, NULL},
    {"Equal", "Equal", NULL, NULL},
    {"Erf", "Erf", NULL, NULL},
    {"Erfc", "Sub(1.0, Erf(x))", NULL, NULL},
    {"EuclideanNorm", "EuclideanNorm", "keep_dims=F", NULL},
    {"Exp", "Exp", NULL, NULL},
    {"Expm1", "Expm1", NULL, NULL},
    {"Floor", NULL, NULL, math_stepped},
    {"FloorDiv", NULL, NULL, math_floor_div},
    {"FloorMod", "FloorMod", NULL, NULL},
    {"Greater", "Greater", NULL, NULL},
    {"GreaterEqual", "GreaterEqual", NULL, NULL},
    {"Inv", "Reciprocal", NULL, NULL},
    {"Invert", "Invert", NULL, NULL},
    {"IsFinite", "LogicalNot(LogicalOr(IsInf(x), IsNan(x)))", NULL, NULL},
    {"IsInf", "IsInf", NULL, NULL},
    {"IsNan", "IsNan", NULL, NULL},
    {"L2Loss", NULL, NULL, math_l2_loss},
    {"LeakyRelu", "LeakyRelu", "alpha>negative_slope=0.2", NULL},
    {"LeftShift", "LeftShift", NULL, NULL},
    {"Lgamma", "Lgamma", NULL, NULL},
    {"Less", "Less", NULL, NULL},
    {"LessEqual", "LessEqual", NULL, NULL},
    {"Log", "Log", NULL, NULL},
    {"Log1p", "Log1p", NULL, NULL},
    {"LogSoftmax", NULL, NULL, math_log_softmax},
    {"LogicalAnd", "LogicalAnd", NULL, NULL},
    {"LogicalNot", "LogicalNot", NULL, NULL},
    {"LogicalOr", "LogicalOr", NULL, NULL},
    {"Max", "ReduceMax", REDUCED, NULL},
    {"Maximum", "Maximum", NULL, NULL},
    {"Mean", "ReduceMean", REDUCED, NULL},
    {"Min", "ReduceMin", REDUCED, NULL},
    {"Minimum", "Minimum", NULL, NULL},
    {"Mod", "TruncateMod", NULL, NULL},
    {"Mul", "Mul", NULL, NULL},
    {"MulNoNan", "SelectV2(Equal(y, 0.0), Mul(0.0, y), Mul(x, y))", NULL, NULL},
    {"Neg", "Neg", NULL, NULL},
    {"NotEqual", "NotEqual", NULL, NULL},
    {"OnesLike", "OnesLike", NULL, NULL},
    {"Pow", "Pow", NULL, NULL},
    {"Prod", "ReduceProd", REDUCED, NULL},
    {"RealDiv", "RealDiv", NULL, NULL},
    {"Reciprocal", "Reciprocal", NULL, NULL},
    {"Relu", "Relu", NULL, NULL},
    {"Relu6", "Relu6", NULL, NULL},
    {"RightShift", "RightShift", NULL, NULL},
    {"Rint", "Rint", NULL, NULL},
    {"Round", NULL, NULL, math_round},
    {"Rsqrt", "Rsqrt", NULL, NULL},
    {"Select", NULL, NULL, math_select},
    {"SelectV2", "SelectV2", NULL, NULL},
    {"Selu", "Selu", NULL, NULL},
    {"Sigmoid", "Sigmoid", NULL, NULL},
    {"Sign", NULL, NULL, math_stepped},
    {"Sin", "Sin", NULL, NULL},
    {"Sinh", "Sinh", NULL, NULL},
    {"Softmax", NULL, NULL, math_softmax},
    {"Softplus", "Softplus", NULL, NULL},
    {"Softsign", "Softsign", NULL, NULL},
    {"Sqrt", "Sqrt", NULL, NULL},
    {"Square", "Square", NULL, NULL},
    {"SquaredDifference", "SquaredDifference", NULL, NULL},
    {"Sub", "Sub", NULL, NULL},
    {"Sum", "ReduceSum", REDUCED, NULL},
    {"Tan", "Tan", NULL, NULL},
    {"Tanh", "Tanh", NULL, NULL},
    {"TruncateDiv", "Div", NULL, NULL},
    {"TruncateMod", "TruncateMod", NULL, NULL},
    {"Xdivy", "SelectV2(Equal(x, 0.0), Mul(x, 0.0), RealDiv(x, y))", NULL, NULL},
    {"Xlogy", "Xlogy", NULL, NULL},
    {"ZerosLike", "ZerosLike", NULL, NULL},
};
const tf_rows tf_math = TF_ROWS(math_rows);
// SPDX-License-Identifier: Apache-2.0
