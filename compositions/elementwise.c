// compositions/elementwise.c - functions of elements that are others together.
#include "compose/compose.h"

#include "air_slots.h"

#define W             COMPOSED_WIDE
#define PICK(c, a, b) "SelectV2(" c ", " a ", " b ")"

static weft_status is_close_build(weft__composing *c) {
  WEFT_TRY(weft__compose_text(
      c,
      "d = Abs(Sub(x1, x2)); near = LessEqual(d, Add(Mul(Abs(x2), rtol), atol)); "
      "y = LogicalOr(Equal(x1, x2), LogicalAnd(near, LogicalNot(IsInf(Add(Abs(x1), Abs(x2))))))"));
  if (weft_node_bool(c->desc, WEFT_SLOT_IS_CLOSE_EQUAL_NAN))
    WEFT_TRY(weft__compose_text(c, "y = LogicalOr(y, LogicalAnd(NotEqual(x1, x1), NotEqual(x2, x2)))"));
  return WEFT_OK;
}

// Sums and largest of as many as there are.
static weft_status folded(weft__composing *c, const char *type) {
  size_t n;
  weft_value *const *x = weft__composed_all(c, "x", &n);
  if (!n)
    return front_fail(c->o, WEFT_E_MISSING, "input 'x' has no tensor");
  weft_value *y = x[0];
  for (size_t i = 1; i < n; i++)
    y = front_do(c->o, type, y, x[i], NULL);
  weft__compose_name(c, "y", y);
  return c->o->failed;
}
static weft_status max_n_build(weft__composing *c) {
  return folded(c, "Maximum");
}

// In a base other than e, and with x scaled and shifted before.
static weft_status log_add_exp_build(weft__composing *c) {
  float base = weft_node_float(c->desc, WEFT_SLOT_LOG_ADD_EXP_BASE);
  WEFT_TRY(weft__compose_text(c, "a = Add(Mul(x1, scale), shift); b = Add(Mul(x2, scale), shift)"));
  if (base > 0) {
    WEFT_TRY(weft__compose_text(c, "k = Log(Fills(Reshape(x1, [-1]), value=@base)); k = ReduceMax(k, [0])"));
    return weft__compose_text(c,
                              "a = Mul(a, k); b = Mul(b, k); m = Maximum(a, b); "
                              "y = RealDiv(Add(m, Log1p(Exp(Neg(Abs(Sub(a, b)))))), k)");
  }
  return weft__compose_text(
      c,
      "m = Maximum(a, b); d = Abs(Sub(a, b)); y = SelectV2(Equal(a, b), Add(a, 0.6931471805599453), "
      "Add(m, Log1p(Exp(Neg(d)))))");
}

static weft_status to_bool_build(weft__composing *c) {
  int rank = front_rank_of(c->o, weft__composed(c, "input"));
  return weft__compose_text(c, rank ? "output = bool(Size(input))" : "output = bool(input)");
}

WEFT_ROWS(composed_elementwise) = {
    W("Addcmul", "input_data + value x1 x2", "y = Add(input_data, Mul(Mul(x1, x2), value))",
      "f32[1]{1}, f32[1]{2}, f32[1]{3}, f32[1]{0.5} -> f32[1]{4}"),
    W("Addcdiv", "input_data + value x1 / x2", "y = Add(input_data, Mul(RealDiv(x1, x2), value))",
      "f32[1]{1}, f32[1]{3}, f32[1]{2}, f32[1]{2} -> f32[1]{4}"),
    W("Addr", "beta x1 + alpha times the outer product of x2 and x3",
      "y = Add(Mul(x1, beta), Mul(Mul(Unsqueeze(x2, axes=[1]), Unsqueeze(x3, axes=[0])), alpha))",
      "f32[1,2]{1,1}, f32[1]{2}, f32[2]{3,4}, f32[1]{1}, f32[1]{1} -> f32[1,2]{7,9}"),
    COMPOSED_BY("MaxN", "the largest of all, element by element", max_n_build,
                "[f32[2]{1,5}, f32[2]{3,4}] -> f32[2]{3,5}"),
    COMPOSED("AccumulateNV2", "the sum of all, element by element", "y = AddN(x..., N=@N)",
             "[f32[2]{1,5}, f32[2]{3,4}] N=2 -> f32[2]{4,9}"),
    COMPOSED("ApproximateEqual", "whether |x1 - x2| is below the tolerance",
             "y = Less(Abs(Sub(f32(x1), f32(x2))), f32(tolerance))",
             "f32[2]{1,2}, f32[2]{1,3} -> bool[2]{true,false}"),
    COMPOSED_BY("IsClose", "whether |x1 - x2| is at most atol + rtol |x2|", is_close_build,
                "f32[2]{1,2}, f32[2]{1,3} -> bool[2]{true,false}",
                "f32[2]{nan,inf}, f32[2]{nan,inf} equal_nan=true -> bool[2]{true,true}"),
    COMPOSED("IsFinite", "whether x is neither infinite nor NaN",
             "y = LogicalNot(LogicalOr(IsInf(x), IsNan(x)))",
             "f32[3]{1,inf,nan} -> bool[3]{true,false,false}"),
    COMPOSED("IsPosInf", "whether x is +infinity", "y = LogicalAnd(IsInf(x), Greater(x, 0))",
             "f32[3]{1,inf,-inf} -> bool[3]{false,true,false}"),
    COMPOSED("IsNegInf", "whether x is -infinity", "y = LogicalAnd(IsInf(x), Less(x, 0))",
             "f32[3]{1,inf,-inf} -> bool[3]{false,false,true}"),
    COMPOSED_BY("ToBool", "whether a number is not 0, or a tensor has elements", to_bool_build,
                "f32[]{2} -> bool[]{true}", "f32[0] -> bool[]{false}"),
    W("Heaviside", "0 below 0, 1 above, values at 0",
      "output = " PICK("Equal(input, 0)", "values",
                       PICK("Greater(input, 0)", "OnesLike(input)", "ZerosLike(input)")),
      "f32[3]{-1,0,1}, f32[1]{7} -> f32[3]{0,7,1}"),
    COMPOSED("Xdivy", "x1 / x2, 0 where x1 is 0",
             "y = " PICK("Equal(x1, 0)", "ZerosLike(Add(x1, x2))", "RealDiv(x1, x2)"),
             "f32[2]{0,1}, f32[2]{0,2} -> f32[2]{0,0.5}"),
    COMPOSED("Xlog1py", "x ln(1 + y), 0 where x is 0",
             "z = " PICK("Equal(x, 0)", "ZerosLike(Add(x, y))", "Mul(x, Log1p(y))"),
             "f32[2]{0,1}, f32[2]{-1,0} -> f32[2]{0,0}"),
    COMPOSED_WIDE_BY("LogAddExp", "ln(e^x1 + e^x2)", log_add_exp_build,
                     "f32[1]{0}, f32[1]{0} -> f32[1]{0.693147} ~1e-6"),
    W("AdjustBrightness", "images + delta", "y = Add(images, f32(delta))",
      "f32[1,1,3]{1,2,3}, f32[]{0.5} -> f32[1,1,3]{1.5,2.5,3.5}"),
    COMPOSED("TruncateDiv", "x1 / x2 towards 0", "y = Div(x1, x2)",
             "i32[2]{7,-7}, i32[2]{2,2} -> i32[2]{3,-3}"),
    W("L2Loss", "half the sum of squares", "y = Mul(ReduceSum(Square(x), all(x)), 0.5)",
      "f32[2]{3,4} -> f32[]{12.5}"),
    W("SquareSumAll", "the sums of squares of both",
      "y1 = ReduceSum(Square(x1), all(x1)); y2 = ReduceSum(Square(x2), all(x2))",
      "f32[2]{3,4}, f32[1]{2} -> f32[]{25}, f32[]{4}"),
    W("SquareSumV1", "sums of squares over axes",
      "y = ReduceSum(Square(x), list(axis), keep_dims=@keep_dims)", "f32[2]{3,4} axis=[0] -> f32[]{25}"),
    W("SquareSumV2", "sums of squares over axes, and the squares",
      "y2 = Square(x); y1 = ReduceSum(y2, list(axis), keep_dims=@keep_dims)",
      "f32[2]{3,4} axis=[0] -> f32[]{25}, f32[2]{9,16}"),
    W("MaskedScale", "x mask value", "y = Mul(Mul(x, as(x, mask)), value)",
      "f32[2]{1,2}, f32[2]{0,1} value=3 -> f32[2]{0,6}"),
    W("RotaryMul", "x cos + (its halves turned) sin",
      "a, b = SplitD(x, split_dim=-1, num_split=2); y = Add(Mul(x, r1), Mul(ConcatV2({Neg(b), a}, [-1]), "
      "r2))",
      "f32[1,1,1,2]{1,2}, f32[1,1,1,2]{1,1}, f32[1,1,1,2]{1,1} -> f32[1,1,1,2]{-1,3}"),
    W("ScaledMaskedSoftmax", "softmax of scaled x, -10000 where the mask hides",
      "y = SoftmaxV2(SelectV2(mask, Fills(x, value=-10000), Muls(x, value=@scale)), axes=[-1])",
      "f32[1,1,1,2]{1,1}, bool[1,1,1,2]{false,false} -> f32[1,1,1,2]{0.5,0.5}"),
    W("Sinc", "sin(pi x) / (pi x), 1 at 0",
      "t = Mul(x, 3.141592653589793); y = " PICK("Equal(x, 0)", "OnesLike(x)", "RealDiv(Sin(t), t)"),
      "f32[1]{0} -> f32[1]{1}"),
    {0},
};
// SPDX-License-Identifier: Apache-2.0
