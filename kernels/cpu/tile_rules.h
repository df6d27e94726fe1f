// tile_rules.h - which instruction of the tile machine an elementwise operator is.
#pragma once
#include "cpu/tile.h"
#include "weft/op.h"

enum {
  WEFT__RULE_SAME,    // all inputs and the output of one dtype
  WEFT__RULE_TEST,    // inputs of one dtype, output BOOL
  WEFT__RULE_CHOOSE,  // input 0 BOOL, the others and the output of one dtype
  WEFT__RULE_CAST,
  WEFT__RULE_SUM,   // any number of inputs, added in order
  WEFT__RULE_NAME,  // the output is input 0
};
enum { WEFT__VIEW_NONE, WEFT__VIEW_CHANNEL, WEFT__VIEW_LAST, WEFT__VIEW_WEIGHT };  // of input 1
typedef struct weft__tile_rule {
  const char *op;
  uint8_t code, n_in, kind;
  uint8_t n_params;  // float attributes, from slot 0 on
  uint8_t exact;     // a half stays one: nothing to round
  float cost;        // ns an element, about
} weft__tile_rule;
// NULL: the machine does not know the operator.
const weft__tile_rule *weft__tile_rule_of(const char *op);
// What attributes make of the rule: the code; 0 and *why when it is not taken.
uint8_t weft__tile_code(const weft__tile_rule *r, const weft_op_desc *n, const char **why);

// Each of them has a kernel, weft__kernel_tile_<name>.
// clang-format off
#define WEFT_TILE_KERNELS(X) \
  X(Abs, "Abs") X(Acos, "Acos") X(Acosh, "Acosh") X(Add, "Add") X(AddN, "AddN") X(Adds, "Adds") \
  X(Asin, "Asin") X(Asinh, "Asinh") X(Atan, "Atan") X(Atanh, "Atanh") X(Axpy, "Axpy") \
  X(BiasAdd, "BiasAdd") X(BitwiseAnd, "BitwiseAnd") X(BitwiseNot, "BitwiseNot") X(BitwiseOr, "BitwiseOr") \
  X(BitwiseXor, "BitwiseXor") X(Cast, "Cast") X(Ceil, "Ceil") X(ClipByValue, "ClipByValue") \
  X(ClipByValueV2, "ClipByValueV2") X(Cos, "Cos") X(Cosh, "Cosh") X(Div, "Div") \
  X(DivNoNan, "DivNoNan") X(Elu, "Elu") \
  X(Equal, "Equal") X(Erf, "Erf") X(Exp, "Exp") X(Expm1, "Expm1") X(Floor, "Floor") X(FloorDiv, "FloorDiv") X(FloorMod, "FloorMod") X(Gelu, "Gelu") \
  X(Greater, "Greater") X(GreaterEqual, "GreaterEqual") X(HardSigmoid, "HardSigmoid") \
  X(HardSwish, "HardSwish") X(Identity, "Identity") X(Invert, "Invert") X(IsInf, "IsInf") \
  X(IsNan, "IsNan") X(LeakyRelu, "LeakyRelu") X(LeftShift, "LeftShift") X(Less, "Less") \
  X(LessEqual, "LessEqual") X(Log, "Log") X(Log1p, "Log1p") X(LogicalAnd, "LogicalAnd") \
  X(LogicalNot, "LogicalNot") X(LogicalOr, "LogicalOr") X(Maximum, "Maximum") X(Minimum, "Minimum") \
  X(Mish, "Mish") X(Mod, "Mod") X(Mul, "Mul") X(Muls, "Muls") X(Neg, "Neg") X(NotEqual, "NotEqual") \
  X(PRelu, "PRelu") X(Pow, "Pow") X(RealDiv, "RealDiv") X(Reciprocal, "Reciprocal") X(Relu, "Relu") \
  X(Relu6, "Relu6") X(RightShift, "RightShift") X(Rint, "Rint") X(Round, "Round") X(Rsqrt, "Rsqrt") X(SelectV2, "SelectV2") \
  X(Selu, "Selu") X(Shrink, "Shrink") X(Sigmoid, "Sigmoid") X(Sign, "Sign") X(Sin, "Sin") \
  X(Sinh, "Sinh") X(Softplus, "Softplus") X(Softsign, "Softsign") X(Sqrt, "Sqrt") X(Square, "Square") \
  X(SquaredDifference, "SquaredDifference") X(Sub, "Sub") X(Swish, "Swish") X(Tan, "Tan") \
  X(Tanh, "Tanh") X(ThresholdedRelu, "ThresholdedRelu") X(TruncateMod, "TruncateMod")
// clang-format on
