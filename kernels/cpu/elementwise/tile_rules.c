// tile_rules.c - the operators of the tile machine, sorted by name.
#include "cpu/elementwise/tile_rules.h"
#include "elementwise/exp.rule.h"
#include "op_slots.h"

// name, code, inputs, kind, attributes, exact, cost
#define R(op, code, n, kind, params, exact, cost) \
  { op, WEFT__T_##code, n, WEFT__RULE_##kind, params, exact, cost }
#define CHEAP  0.06F
#define MIDDLE 0.2F
#define DEAR   0.5F
#define LIBM   12.0F
static const weft__tile_rule rules[] = {
    R("Abs", ABS, 1, SAME, 0, 1, CHEAP),
    R("Acos", ACOS, 1, SAME, 0, 0, DEAR),
    R("Acosh", ACOSH, 1, SAME, 0, 0, DEAR),
    R("Add", ADD, 2, SAME, 0, 0, CHEAP),
    R("AddN", ADD, 0, SUM, 0, 0, CHEAP),
    R("Adds", ADDS, 1, SAME, 1, 0, CHEAP),
    R("Asin", ASIN, 1, SAME, 0, 0, DEAR),
    R("Asinh", ASINH, 1, SAME, 0, 0, DEAR),
    R("Atan", ATAN, 1, SAME, 0, 0, DEAR),
    R("Atanh", ATANH, 1, SAME, 0, 0, DEAR),
    R("Axpy", AXPY, 2, SAME, 1, 0, CHEAP),
    R("BiasAdd", ADD, 2, SAME, 0, 0, CHEAP),
    R("BitwiseAnd", BIT_AND, 2, SAME, 0, 1, CHEAP),
    R("BitwiseNot", BIT_NOT, 1, SAME, 0, 1, CHEAP),
    R("BitwiseOr", BIT_OR, 2, SAME, 0, 1, CHEAP),
    R("BitwiseXor", BIT_XOR, 2, SAME, 0, 1, CHEAP),
    R("Cast", COPY, 1, CAST, 0, 0, CHEAP),
    R("Ceil", CEIL, 1, SAME, 0, 1, CHEAP),
    R("ClipByValue", CLIP, 3, SAME, 0, 1, CHEAP),
    R("ClipByValueV2", CLIP, 3, SAME, 0, 1, CHEAP),
    R("Cos", COS, 1, SAME, 0, 0, DEAR),
    R("Cosh", COSH, 1, SAME, 0, 0, DEAR),
    R("Div", DIV, 2, SAME, 0, 0, CHEAP),
    R("DivNoNan", DIV_NO_NAN, 2, SAME, 0, 0, CHEAP),
    R("Elu", ELU, 1, SAME, 3, 0, DEAR),
    R("Equal", EQ, 2, TEST, 0, 1, CHEAP),
    R("Erf", ERF, 1, SAME, 0, 0, DEAR),
    R("Exp", EXP, 1, SAME, 0, 0, MIDDLE),
    R("Expm1", EXPM1, 1, SAME, 0, 0, MIDDLE),
    R("Floor", FLOOR, 1, SAME, 0, 1, CHEAP),
    R("FloorDiv", FLOOR_DIV, 2, SAME, 0, 0, MIDDLE),
    R("FloorMod", FLOOR_MOD, 2, SAME, 0, 0, MIDDLE),
    R("Gelu", GELU, 1, SAME, 0, 0, DEAR),
    R("Greater", GT, 2, TEST, 0, 1, CHEAP),
    R("GreaterEqual", GE, 2, TEST, 0, 1, CHEAP),
    R("HardSigmoid", HARD_SIGMOID, 1, SAME, 2, 0, CHEAP),
    R("HardSwish", HARD_SWISH, 1, SAME, 0, 0, MIDDLE),
    R("Identity", COPY, 1, NAME, 0, 1, CHEAP),
    R("Invert", BIT_NOT, 1, SAME, 0, 1, CHEAP),
    R("IsInf", ISINF, 1, TEST, 0, 1, CHEAP),
    R("IsNan", ISNAN, 1, TEST, 0, 1, CHEAP),
    R("LeakyRelu", LEAKY, 1, SAME, 1, 0, CHEAP),
    R("LeftShift", SHIFT_LEFT, 2, SAME, 0, 1, CHEAP),
    R("Less", LT, 2, TEST, 0, 1, CHEAP),
    R("LessEqual", LE, 2, TEST, 0, 1, CHEAP),
    R("Log", LOG, 1, SAME, 0, 0, MIDDLE),
    R("Log1p", LOG1P, 1, SAME, 0, 0, DEAR),
    R("LogicalAnd", AND, 2, SAME, 0, 1, CHEAP),
    R("LogicalNot", NOT, 1, SAME, 0, 1, CHEAP),
    R("LogicalOr", OR, 2, SAME, 0, 1, CHEAP),
    R("Maximum", MAX, 2, SAME, 0, 1, CHEAP),
    R("Minimum", MIN, 2, SAME, 0, 1, CHEAP),
    R("Mish", MISH, 1, SAME, 0, 0, DEAR),
    R("Mod", FMOD, 2, SAME, 0, 0, DEAR),
    R("Mul", MUL, 2, SAME, 0, 0, CHEAP),
    R("Muls", MULS, 1, SAME, 1, 0, CHEAP),
    R("Neg", NEG, 1, SAME, 0, 1, CHEAP),
    R("NotEqual", NE, 2, TEST, 0, 1, CHEAP),
    R("PRelu", PRELU, 2, SAME, 0, 0, CHEAP),
    R("Pow", POW, 2, SAME, 0, 0, LIBM),
    R("RealDiv", DIV, 2, SAME, 0, 0, CHEAP),
    R("Reciprocal", RECIP, 1, SAME, 0, 0, CHEAP),
    R("Relu", RELU, 1, SAME, 0, 1, CHEAP),
    R("Relu6", RELU6, 1, SAME, 0, 1, CHEAP),
    R("RightShift", SHIFT_RIGHT, 2, SAME, 0, 1, CHEAP),
    R("Rint", RINT, 1, SAME, 0, 1, CHEAP),
    R("Round", RINT, 1, SAME, 0, 1, CHEAP),
    R("Rsqrt", RSQRT, 1, SAME, 0, 0, CHEAP),
    R("SelectV2", SELECT, 3, CHOOSE, 0, 1, CHEAP),
    R("Selu", SELU, 1, SAME, 2, 0, DEAR),
    R("Shrink", SHRINK, 1, SAME, 2, 0, CHEAP),
    R("Sigmoid", SIGMOID, 1, SAME, 0, 0, DEAR),
    R("Sign", SIGN, 1, SAME, 0, 1, CHEAP),
    R("Sin", SIN, 1, SAME, 0, 0, DEAR),
    R("Sinh", SINH, 1, SAME, 0, 0, DEAR),
    R("Softplus", SOFTPLUS, 1, SAME, 0, 0, DEAR),
    R("Softsign", SOFTSIGN, 1, SAME, 0, 0, CHEAP),
    R("Sqrt", SQRT, 1, SAME, 0, 0, CHEAP),
    R("Square", SQUARE, 1, SAME, 0, 0, CHEAP),
    R("SquaredDifference", SQDIFF, 2, SAME, 0, 0, CHEAP),
    R("Sub", SUB, 2, SAME, 0, 0, CHEAP),
    R("Swish", SWISH, 1, SAME, 1, 0, DEAR),
    R("Tan", TAN, 1, SAME, 0, 0, DEAR),
    R("Tanh", TANH, 1, SAME, 0, 0, DEAR),
    R("ThresholdedRelu", THRESHOLDED, 1, SAME, 1, 1, CHEAP),
    R("TruncateMod", FMOD, 2, SAME, 0, 0, DEAR),
};

const weft__tile_rule *weft__tile_rule_of(const char *op) {
  size_t lo = 0;
  size_t hi = WEFT_COUNT(rules);
  while (lo < hi) {
    size_t mid = lo + (hi - lo) / 2;
    int c = strcmp(rules[mid].op, op);
    if (!c)
      return &rules[mid];
    if (c < 0)
      lo = mid + 1;
    else
      hi = mid;
  }
  return NULL;
}

uint8_t weft__tile_code(const weft__tile_rule *r, const weft_op_desc *n, const char **why) {
  if (r->code == WEFT__T_GELU) {
    const char *form = weft_node_str(n, WEFT_SLOT_GELU_APPROXIMATE);
    return form && form[0] == 't' ? WEFT__T_GELU_TANH : WEFT__T_GELU;
  }
  if (r->code == WEFT__T_ISINF) {
    const bool negative = weft_node_bool(n, WEFT_SLOT_IS_INF_DETECT_NEGATIVE);
    const bool positive = weft_node_bool(n, WEFT_SLOT_IS_INF_DETECT_POSITIVE);
    if (!negative && !positive)
      return *why = "looks for neither infinity", 0;
    return !negative ? WEFT__T_ISINF_POSITIVE : !positive ? WEFT__T_ISINF_NEGATIVE : WEFT__T_ISINF;
  }
  if (!strcmp(r->op, "Round") && weft_node_int(n, WEFT_SLOT_ROUND_DECIMALS) != 0)
    return *why = "decimals are not 0", 0;
  if ((r->code == WEFT__T_EXP || r->code == WEFT__T_LOG) && !weft__is_natural(n))
    return *why = "base, scale or shift is set", 0;
  return r->code;
}
// SPDX-License-Identifier: Apache-2.0
