// map_math.c - operators that work element by element, and products of matrices. Most are a line: which
// primitives, and in which dtype (ms_row.mode).
#include <math.h>

#include "frontend/mindspore/tables.h"

// Numbers as they are, towards 0.
static weft_value *math_truncated(front_op *b, weft_value *v) {
  if (b->failed || !v || weft_dtype_is_integer(v->fact.dtype) || v->fact.dtype == WEFT_BOOL)
    return v;
  weft_value *negative = front_do(b, "Less", v, front_num(b, v->fact.dtype, 0), NULL);
  weft_value *up = front_do(b, "Ceil", v, NULL, NULL);
  return front_where(b, negative, up, front_do(b, "Floor", v, NULL, NULL));
}

static void math_trunc(ms_op *o) {
  ms_give(o, math_truncated(&o->b, ms_tensor(o, "x")));
}
static void math_frac(ms_op *o) {
  weft_value *v = ms_tensor(o, "x");
  ms_give(o, front_do(&o->b, "Sub", v, math_truncated(&o->b, v), NULL));
}

// Whole numbers stay.
static void math_whole(ms_op *o, const char *type) {
  weft_value *v = ms_tensor(o, "x");
  bool stays = v && weft_dtype_is_integer(v->fact.dtype);
  ms_give(o, stays ? v : front_do(&o->b, type, v, NULL, NULL));
}
static void math_floor(ms_op *o) {
  math_whole(o, "Floor");
}
static void math_ceil(ms_op *o) {
  math_whole(o, "Ceil");
}
static void math_rint(ms_op *o) {
  math_whole(o, "Rint");
}
static void math_round(ms_op *o) {
  int64_t decimals = ms_int(o, "decimals", 0);
  if (decimals)
    front_set_int(&o->b, "decimals", decimals);
  math_whole(o, "Round");
}

// ---- division ----
enum { MODE_TRUNC = 1, MODE_FLOOR = 2 };

static void math_div_mode(ms_op *o) {
  front_op *b = &o->b;
  weft_dtype t = ms_out_type(o, 0);
  weft_value *x = ms_operand(o, "x", t);
  weft_value *y = ms_operand(o, "y", t);
  int64_t mode = ms_int(o, "mode", 0);
  if (mode == MODE_FLOOR)
    ms_give(o, front_do(b, "FloorDiv", x, y, NULL));
  else if (mode == MODE_TRUNC)
    ms_give(o, math_truncated(b, front_do(b, weft_dtype_is_integer(t) ? "Div" : "RealDiv", x, y, NULL)));
  else
    ms_give(o, front_do(b, "RealDiv", x, y, NULL));
}

static void math_truncate_div(ms_op *o) {
  weft_dtype t = ms_promoted(o);
  weft_value *x = ms_operand(o, "x", t);
  weft_value *y = ms_operand(o, "y", t);
  const char *type = weft_dtype_is_integer(t) ? "Div" : "RealDiv";
  ms_give(o, math_truncated(&o->b, front_do(&o->b, type, x, y, NULL)));
}

// ---- bits and truth ----
static void math_bits(ms_op *o, const char *of_bools, const char *of_ints) {
  weft_dtype t = ms_promoted(o);
  weft_value *x = ms_operand(o, "x", t);
  weft_value *y = ms_operand(o, "y", t);
  ms_give(o, front_do(&o->b, t == WEFT_BOOL ? of_bools : of_ints, x, y, NULL));
}
static void math_and(ms_op *o) {
  math_bits(o, "LogicalAnd", "BitwiseAnd");
}
static void math_or(ms_op *o) {
  math_bits(o, "LogicalOr", "BitwiseOr");
}
static void math_xor(ms_op *o) {
  math_bits(o, "NotEqual", "BitwiseXor");
}
static void math_not(ms_op *o) {
  weft_value *v = ms_tensor(o, "x");
  ms_give(o, front_do(&o->b, v && v->fact.dtype == WEFT_BOOL ? "LogicalNot" : "BitwiseNot", v, NULL, NULL));
}

// ---- what is infinite, or not a number ----
static bool math_has_fractions(const weft_value *v) {
  return v && (WEFT_BIT(v->fact.dtype) & WEFT_FLOATS) != 0;
}
static weft_value *math_all(front_op *b, weft_value *v, bool truth) {
  weft_value *shape = front_shape(b, v);
  return front_filled(b, shape, front_num(b, WEFT_BOOL, truth));
}
static void math_odd(ms_op *o, const char *type) {
  weft_value *v = ms_tensor(o, "x");
  ms_give(o, math_has_fractions(v) ? front_do(&o->b, type, v, NULL, NULL) : math_all(&o->b, v, false));
}
static void math_is_inf(ms_op *o) {
  math_odd(o, "IsInf");
}
static void math_is_nan(ms_op *o) {
  math_odd(o, "IsNan");
}
static void math_is_finite(ms_op *o) {
  front_op *b = &o->b;
  weft_value *v = ms_tensor(o, "x");
  if (!math_has_fractions(v)) {
    ms_give(o, math_all(b, v, true));
    return;
  }
  weft_value *inf = front_do(b, "IsInf", v, NULL, NULL);
  weft_value *odd = front_do(b, "LogicalOr", inf, front_do(b, "IsNan", v, NULL, NULL), NULL);
  ms_give(o, front_do(b, "LogicalNot", odd, NULL, NULL));
}
static void math_is_close(ms_op *o) {
  front_op *b = &o->b;
  weft_value *x = ms_operand(o, "x", WEFT_DOUBLE);
  weft_value *y = ms_operand(o, "y", WEFT_DOUBLE);
  weft_value *rtol = front_num(b, WEFT_DOUBLE, ms_float(o, "rtol", 1e-5));
  weft_value *atol = front_num(b, WEFT_DOUBLE, ms_float(o, "atol", 1e-8));
  weft_value *apart = front_do(b, "Abs", front_do(b, "Sub", x, y, NULL), NULL, NULL);
  weft_value *most = front_do(b, "Mul", rtol, front_do(b, "Abs", y, NULL, NULL), NULL);
  weft_value *near = front_do(b, "LessEqual", apart, front_do(b, "Add", atol, most, NULL), NULL);
  weft_value *same = front_do(b, "LogicalOr", near, front_do(b, "Equal", x, y, NULL), NULL);
  if (ms_bool(o, "equal_nan", false)) {
    weft_value *both = front_do(b, "LogicalAnd", front_do(b, "IsNan", x, NULL, NULL),
                                front_do(b, "IsNan", y, NULL, NULL), NULL);
    same = front_do(b, "LogicalOr", same, both, NULL);
  }
  ms_give(o, same);
}

// ---- bounds ----
static void math_clamp(ms_op *o) {
  front_op *b = &o->b;
  weft_value *v = ms_tensor(o, "x");
  weft_dtype t = v ? v->fact.dtype : (weft_dtype)WEFT_UNDEFINED;
  weft_value *least = ms_has(o, "min") ? ms_operand(o, "min", t) : NULL;
  weft_value *most = ms_has(o, "max") ? ms_operand(o, "max", t) : NULL;
  if (least && most && front_rank(least) == 0 && front_rank(most) == 0) {
    ms_give(o, front_do(b, "ClipByValueV2", v, least, most));
    return;
  }
  if (least)
    v = front_do(b, "Maximum", v, least, NULL);
  if (most)
    v = front_do(b, "Minimum", v, most, NULL);
  ms_give(o, v);
}

static double math_largest(weft_dtype t) {
  return t == WEFT_FLOAT16  ? 65504
         : t == WEFT_BF16   ? 0x1.FEp127
         : t == WEFT_DOUBLE ? 0x1.FFFFFFFFFFFFFp1023
                            : 0x1.FFFFFEp127;
}
static void math_nan_to_num(ms_op *o) {
  front_op *b = &o->b;
  weft_value *v = ms_tensor(o, "x");
  if (!math_has_fractions(v)) {
    ms_give(o, v);
    return;
  }
  weft_dtype t = v->fact.dtype;
  weft_value *nan = front_num(b, t, ms_float(o, "nan", 0));
  weft_value *high = front_num(b, t, ms_float(o, "posinf", math_largest(t)));
  weft_value *low = front_num(b, t, ms_float(o, "neginf", -math_largest(t)));
  weft_value *y = front_where(b, front_do(b, "IsNan", v, NULL, NULL), nan, v);
  y = front_where(b, front_do(b, "Equal", v, front_num(b, t, HUGE_VAL), NULL), high, y);
  ms_give(o, front_where(b, front_do(b, "Equal", v, front_num(b, t, -HUGE_VAL), NULL), low, y));
}

// ---- others ----
static void math_celu(ms_op *o) {
  double alpha = ms_float(o, "alpha", 1);
  weft_value *v = ms_tensor(o, "x");
  front_set_float(&o->b, "alpha", alpha);
  front_set_float(&o->b, "input_scale", 1 / alpha);
  ms_give(o, front_do(&o->b, "Elu", v, NULL, NULL));
}

// A weight for each channel, which is axis 1.
static void math_prelu(ms_op *o) {
  front_op *b = &o->b;
  weft_value *v = ms_tensor(o, "x");
  weft_value *w = ms_tensor(o, "weight");
  int rank = front_rank_of(b, v);
  int64_t dims[WEFT_MAX_RANK];
  for (int i = 0; i < rank; i++)
    dims[i] = i == 1 ? -1 : 1;
  if (rank > 1 && front_rank(w) == 1 && front_dim(w, 0) != 1)
    w = front_reshaped(b, w, dims, (size_t)rank);
  ms_give(o, front_do(b, "PRelu", v, w, NULL));
}

static void math_cast(ms_op *o) {
  weft_dtype t = ms_type(o, "dtype", ms_out_type(o, 0));
  ms_give(o, ms_operand(o, "x", t));
}
static void math_same(ms_op *o) {
  ms_give(o, ms_tensor(o, "x"));
}
static void math_like(ms_op *o) {
  front_op *b = &o->b;
  weft_value *x = ms_tensor(o, "x");
  weft_dtype own = x ? x->fact.dtype : (weft_dtype)WEFT_UNDEFINED;
  bool zeros = !strncmp(o->b.type, "Zeros", 5);
  bool ones = !strncmp(o->b.type, "Ones", 4);
  weft_dtype t = ms_type(o, "dtype", own);
  weft_value *number = zeros || ones ? front_num(b, t, ones) : ms_operand(o, "value", t);
  weft_value *shape = front_shape(b, x);
  ms_give(o, front_filled(b, shape, number));
}
static void math_dropout(ms_op *o) {
  weft_value *v = ms_tensor(o, "x");
  double keep = ms_float(o, "keep_prob", 1);
  if (keep != 1)
    front_fail(&o->b, WEFT_E_UNSUPPORTED,
               "the model was exported in training mode: call net.set_train(False) before mindspore.export");
  ms_give_many(o, (weft_value *const[]){v, v}, 2);
}

static void math_add_n(ms_op *o) {
  weft_value **v;
  size_t n = ms_tensors(o, "x", &v);
  uint32_t counts[1] = {(uint32_t)n};
  front_set_int(&o->b, "N", (int64_t)n);
  ms_give(o, o->b.failed ? NULL : front_emit(&o->b, "AddN", v, n, &(weft_use){.in_counts = counts}));
}

static void math_einsum(ms_op *o) {
  weft_value **v;
  size_t n = ms_tensors(o, "x", &v);
  uint32_t counts[1] = {(uint32_t)n};
  front_set_text(&o->b, "equation", ms_string(o, "equation", ""));
  front_set_int(&o->b, "N", (int64_t)n);
  ms_give(o, o->b.failed ? NULL : front_emit(&o->b, "Einsum", v, n, &(weft_use){.in_counts = counts}));
}

// approximate: 0 none, 1 tanh, or a text.
static void math_gelu(ms_op *o) {
  ms_value v;
  bool text = ms_find(o, "approximate", &v) && v.kind == MS_TEXT;
  bool tanh = text ? ms_is(o, "approximate", "none", "tanh") : ms_int(o, "approximate", 0) == 1;
  weft_value *x = ms_tensor(o, "x");
  front_set_text(&o->b, "approximate", tanh ? "tanh" : "none");
  ms_give(o, front_do(&o->b, "Gelu", x, NULL, NULL));
}

static weft_value *math_squares(ms_op *o, const char *name) {
  weft_value *v = front_do(&o->b, "Square", ms_tensor(o, name), NULL, NULL);
  return front_reduced(&o->b, "ReduceSum", v, NULL, 0, false);
}
static void math_l2_loss(ms_op *o) {
  weft_value *sum = math_squares(o, "x");
  weft_value *half = sum ? front_num(&o->b, sum->fact.dtype, 0.5) : NULL;
  ms_give(o, front_do(&o->b, "Mul", sum, half, NULL));
}
static void math_square_sums(ms_op *o) {
  weft_value *x = math_squares(o, "x");
  ms_give_many(o, (weft_value *const[]){x, math_squares(o, "y")}, 2);
}

// x * sigmoid of the other half
static void math_glu(ms_op *o) {
  front_op *b = &o->b;
  weft_value *x = ms_tensor(o, "x");
  int64_t axis = front_axis(b, ms_int(o, "axis", -1), front_rank_of(b, x));
  weft_dim n = front_dim(x, (int)axis);
  if (!b->failed && n >= 0 && n % 2) {
    front_fail(b, WEFT_E_SHAPE, "axis %lld of size %lld has no halves", (long long)axis, front_shown(n));
    return;
  }
  if (n < 0) {
    weft_value *half = front_equal_parts(b, x, axis, 2);
    weft_value *other = half ? front_do(b, "Sigmoid", half + 1, NULL, NULL) : NULL;
    ms_give(o, front_do(b, "Mul", half, other, NULL));
    return;
  }
  weft_value *first = front_part(b, x, axis, 0, n / 2);
  weft_value *gate = front_do(b, "Sigmoid", front_part(b, x, axis, n / 2, n), NULL, NULL);
  ms_give(o, front_do(b, "Mul", first, gate, NULL));
}

// ---- products ----
// Without an axis that is sensible (-65530, in MindSpore) the first one of size 3.
static void math_cross(ms_op *o) {
  front_op *b = &o->b;
  weft_value *x = ms_tensor(o, "x");
  weft_value *y = ms_tensor(o, "y");
  int rank = front_rank_of(b, x);
  int64_t axis = ms_int(o, "dim", -65530);
  for (int i = 0; i < rank && axis == -65530; i++)
    axis = front_dim(x, i) == 3 ? i : axis;
  axis = front_axis(b, axis, rank);
  ms_give(o, b->failed ? NULL : front_cross(b, x, y, axis));
}

static void math_dense(ms_op *o) {
  front_op *b = &o->b;
  weft_value *x = ms_tensor(o, "x");
  weft_value *w = ms_tensor(o, "w");
  weft_value *bias = ms_optional(o, "b");
  weft_value *y = front_matmul(b, x, w, true);
  ms_give(o, bias ? front_do(b, "Add", y, bias, NULL) : y);
}

#define ADD_PRODUCT(product) "Add(Mul(input, beta|1), Mul(" product ", alpha|1))"
#define COMPARED(name, type) \
  { name, "x y", type "(x, y)", 'P', NULL }
#define SCALED(name, type) \
  { name, "x y alpha", type "(x, Mul(y, alpha|1))", 'T', NULL }
static const ms_row math_rows[] = {
    {"Cross", "x y dim", NULL, 0, math_cross},
    {"LogAddExp2", "x y",
     "Add(Maximum(x, y), RealDiv(Log1p(Exp(Neg(Abs(Sub(x, y))), base=2)), 0.6931471805599453))", 'T', NULL},
    {"LogSigmoidExt", "x", "Neg(Softplus(Neg(x)))", 'T', NULL},
    {"Logit", "x", "Log(RealDiv(x, Sub(1, x)))", 'T', NULL},
    {"GeluExt", "x approximate", NULL, 0, math_gelu},
    MS_BINARY("BitwiseLeftShift", "LeftShift"),
    MS_BINARY("BitwiseRightShift", "RightShift"),
    MS_BINARY("LeftShift", "LeftShift"),
    MS_BINARY("RightShift", "RightShift"),
    {"Addmv", "input x y beta alpha", ADD_PRODUCT("BatchMatMulV2(x, y)"), 'T', NULL},
    {"Fills", "x value", NULL, 0, math_like},
    {"L2Loss", "x", NULL, 0, math_l2_loss},
    {"SquareSumAll", "x y", NULL, 0, math_square_sums},
    MS_UNARY("MatrixDeterminant", "MatrixDeterminant"),
    {"MatrixInverse", "x", "MatrixInverse(x, adjoint=@adjoint|0)", 'T', NULL},
    MS_UNARY("ACos", "Acos"),
    MS_UNARY("Abs", "Abs"),
    MS_UNARY("AcosExt", "Acos"),
    MS_UNARY("Acosh", "Acosh"),
    MS_UNARY("AcoshExt", "Acosh"),
    MS_BINARY("Add", "Add"),
    SCALED("AddExt", "Add"),
    {"AddN", "x", NULL, 0, math_add_n},
    SCALED("AddScalar", "Add"),
    {"Addbmm", "input x y beta alpha", ADD_PRODUCT("ReduceSum(BatchMatMulV2(x, y), i64(0))"), 'T', NULL},
    {"Addcdiv", "input x y value", "Add(input, Mul(RealDiv(x, y), value))", 'T', NULL},
    {"AddcdivExt", "input x y value", "Add(input, Mul(RealDiv(x, y), value))", 'T', NULL},
    {"Addcmul", "input x y value", "Add(input, Mul(Mul(x, y), value))", 'T', NULL},
    {"AddcmulExt", "input x y value", "Add(input, Mul(Mul(x, y), value))", 'T', NULL},
    {"Addmm", "input x y beta alpha", ADD_PRODUCT("BatchMatMulV2(x, y)"), 'T', NULL},
    MS_UNARY("Asin", "Asin"),
    MS_UNARY("AsinExt", "Asin"),
    MS_UNARY("Asinh", "Asinh"),
    MS_UNARY("AsinhExt", "Asinh"),
    MS_UNARY("Atan", "Atan"),
    MS_BINARY("Atan2", "Atan2"),
    MS_BINARY("Atan2Ext", "Atan2"),
    MS_UNARY("AtanExt", "Atan"),
    MS_UNARY("Atanh", "Atanh"),
    {"Baddbmm", "input x y beta alpha", ADD_PRODUCT("BatchMatMulV2(x, y)"), 'T', NULL},
    {"BatchMatMul", "x y transpose_a transpose_b",
     "BatchMatMulV2(x, y, adj_x1=@transpose_a|0, adj_x2=@transpose_b|0)", '-', NULL},
    MS_BINARY("BatchMatMulExt", "BatchMatMulV2"),
    {"BitwiseAnd", "x y", NULL, 0, math_and},
    {"BitwiseAndScalar", "x y", NULL, 0, math_and},
    {"BitwiseAndTensor", "x y", NULL, 0, math_and},
    {"BitwiseNot", "x", NULL, 0, math_not},
    {"BitwiseOr", "x y", NULL, 0, math_or},
    {"BitwiseOrScalar", "x y", NULL, 0, math_or},
    {"BitwiseOrTensor", "x y", NULL, 0, math_or},
    {"BitwiseXor", "x y", NULL, 0, math_xor},
    {"BitwiseXorScalar", "x y", NULL, 0, math_xor},
    {"BitwiseXorTensor", "x y", NULL, 0, math_xor},
    {"Cast", "x dtype", NULL, 0, math_cast},
    {"CeLU", "x alpha", NULL, 0, math_celu},
    {"Ceil", "x", NULL, 0, math_ceil},
    {"ClampScalar", "x min max", NULL, 0, math_clamp},
    {"ClampTensor", "x min max", NULL, 0, math_clamp},
    {"Contiguous", "x", NULL, 0, math_same},
    {"Copy", "x", NULL, 0, math_same},
    MS_UNARY("Cos", "Cos"),
    MS_UNARY("Cosh", "Cosh"),
    {"Dense", "x w b", NULL, 0, math_dense},
    MS_BINARY("Div", "RealDiv"),
    {"DivMod", "x y mode", NULL, 0, math_div_mode},
    {"DivMods", "x y mode", NULL, 0, math_div_mode},
    MS_BINARY("DivNoNan", "DivNoNan"),
    MS_BINARY("Divs", "RealDiv"),
    MS_BINARY("Dot", "BatchMatMulV2"),
    {"Dropout", "x keep_prob", NULL, 0, math_dropout},
    {"Einsum", "x", NULL, 0, math_einsum},
    {"Elu", "x alpha", "Elu(x, alpha=@alpha|1)", 'T', NULL},
    {"EluExt", "x alpha", "Elu(x, alpha=@alpha|1)", 'T', NULL},
    COMPARED("EqScalar", "Equal"),
    COMPARED("Equal", "Equal"),
    MS_UNARY("Erf", "Erf"),
    {"Erfc", "x", "Sub(1, Erf(x))", 'T', NULL},
    MS_UNARY("Exp", "Exp"),
    {"Exp2", "x", "Exp(x, base=2)", 'T', NULL},
    MS_UNARY("Expm1", "Expm1"),
    {"FastGeLU", "x", "Mul(RealDiv(x, Add(1, Exp(Mul(-1.702, Abs(x))))), Exp(Mul(0.851, Sub(x, Abs(x)))))",
     'T', NULL},
    {"Floor", "x", NULL, 0, math_floor},
    MS_BINARY("FloorDiv", "FloorDiv"),
    MS_BINARY("FloorDivScalar", "FloorDiv"),
    MS_BINARY("FloorMod", "FloorMod"),
    MS_BINARY("FmodScalar", "Mod"),
    MS_BINARY("FmodTensor", "Mod"),
    {"Frac", "x", NULL, 0, math_frac},
    {"FullLike", "x value dtype", NULL, 0, math_like},
    {"GLU", "x axis", NULL, 0, math_glu},
    {"GeLU", "x", "Gelu(x, approximate='tanh')", 'T', NULL},
    {"Gelu", "x", "Gelu(x, approximate='tanh')", 'T', NULL},
    {"GluV", "x axis", NULL, 0, math_glu},
    COMPARED("Greater", "Greater"),
    COMPARED("GreaterEqual", "GreaterEqual"),
    COMPARED("GreaterEqualScalar", "GreaterEqual"),
    COMPARED("GreaterScalar", "Greater"),
    {"HShrink", "x lambd", "SelectV2(Greater(Abs(x), lambd|0.5), x, ZerosLike(x))", 'T', NULL},
    {"HSigmoid", "x", "RealDiv(ClipByValueV2(Add(x, 3), 0, 6), 6)", 'T', NULL},
    MS_UNARY("HSwish", "HardSwish"),
    {"Hypot", "x y", "Sqrt(Add(Square(x), Square(y)))", 'T', NULL},
    MS_UNARY("Inv", "Reciprocal"),
    {"Invert", "x", NULL, 0, math_not},
    {"IsClose", "x y rtol atol equal_nan", NULL, 0, math_is_close},
    {"IsFinite", "x", NULL, 0, math_is_finite},
    {"IsInf", "x", NULL, 0, math_is_inf},
    {"IsNan", "x", NULL, 0, math_is_nan},
    {"LeakyReLU", "x alpha", "LeakyRelu(x, negative_slope=@alpha|0.2)", 'T', NULL},
    {"LeakyReLUExt", "x negative_slope", "LeakyRelu(x, negative_slope=@negative_slope|0.01)", 'T', NULL},
    {"Lerp", "x end weight", "Add(x, Mul(weight, Sub(end, x)))", 'T', NULL},
    {"LerpScalar", "x end weight", "Add(x, Mul(weight, Sub(end, x)))", 'T', NULL},
    COMPARED("Less", "Less"),
    COMPARED("LessEqual", "LessEqual"),
    COMPARED("LessEqualScalar", "LessEqual"),
    COMPARED("LessScalar", "Less"),
    MS_UNARY("Log", "Log"),
    {"Log10", "x", "Log(x, base=10)", 'T', NULL},
    MS_UNARY("Log1p", "Log1p"),
    {"Log2", "x", "Log(x, base=2)", 'T', NULL},
    {"LogAddExp", "x y", "Add(Maximum(x, y), Log1p(Exp(Neg(Abs(Sub(x, y))))))", 'T', NULL},
    {"LogSigmoid", "x", "Neg(Softplus(Neg(x)))", 'T', NULL},
    {"LogicalAnd", "x y", "LogicalAnd(bool(x), bool(y))", '-', NULL},
    {"LogicalNot", "x", "LogicalNot(bool(x))", '-', NULL},
    {"LogicalOr", "x y", "LogicalOr(bool(x), bool(y))", '-', NULL},
    {"LogicalXor", "x y", "NotEqual(bool(x), bool(y))", '-', NULL},
    {"MaskedFill", "x mask value", "SelectV2(raw(mask), value, x)", 'T', NULL},
    {"MaskedFillScalar", "x mask value", "SelectV2(raw(mask), value, x)", 'T', NULL},
    {"MatMul", "x y transpose_a transpose_b",
     "MatMulV2(x, y, transpose_x1=@transpose_a|0, transpose_x2=@transpose_b|0)", '-', NULL},
    MS_BINARY("MatMulExt", "BatchMatMulV2"),
    MS_BINARY("Maximum", "Maximum"),
    MS_BINARY("Minimum", "Minimum"),
    MS_UNARY("Mish", "Mish"),
    MS_UNARY("MishExt", "Mish"),
    MS_BINARY("Mm", "BatchMatMulV2"),
    MS_BINARY("Mod", "TruncateMod"),
    MS_BINARY("Mul", "Mul"),
    {"MulNoNan", "x y", "SelectV2(Equal(y, 0), ZerosLike(x), Mul(x, y))", 'T', NULL},
    MS_BINARY("Muls", "Mul"),
    MS_BINARY("Mv", "BatchMatMulV2"),
    {"NanToNum", "x nan posinf neginf", NULL, 0, math_nan_to_num},
    COMPARED("NeScalar", "NotEqual"),
    MS_UNARY("Neg", "Neg"),
    COMPARED("NotEqual", "NotEqual"),
    {"OnesLike", "x", NULL, 0, math_like},
    {"OnesLikeExt", "x dtype", NULL, 0, math_like},
    {"Ger", "x y", "Mul(ExpandDims(x, i64(-1)), ExpandDims(y, i64(-2)))", 'T', NULL},
    {"Outer", "x y", "Mul(ExpandDims(x, i64(1)), ExpandDims(y, i64(0)))", 'T', NULL},
    {"PReLU", "x weight", NULL, 0, math_prelu},
    MS_BINARY("Pow", "Pow"),
    MS_BINARY("PowScalarTensor", "Pow"),
    MS_BINARY("PowTensorScalar", "Pow"),
    MS_UNARY("ReLU", "Relu"),
    {"ReLU6", "x", "ClipByValueV2(x, 0, 6)", 'T', NULL},
    MS_BINARY("RealDiv", "RealDiv"),
    MS_UNARY("Reciprocal", "Reciprocal"),
    MS_BINARY("RemainderScalarTensor", "FloorMod"),
    MS_BINARY("RemainderTensorScalar", "FloorMod"),
    MS_BINARY("RemainderTensorTensor", "FloorMod"),
    {"Rint", "x", NULL, 0, math_rint},
    {"Round", "x decimals", NULL, 0, math_round},
    MS_UNARY("Rsqrt", "Rsqrt"),
    {"SeLU", "x", "Elu(x, alpha=1.6732632423543772, scale=1.0507009873554805)", 'T', NULL},
    {"SeLUExt", "x", "Elu(x, alpha=1.6732632423543772, scale=1.0507009873554805)", 'T', NULL},
    {"Select", "mask x y", "SelectV2(bool(raw(mask)), x, y)", 'T', NULL},
    {"SelectV2", "mask x y", "SelectV2(bool(raw(mask)), x, y)", 'T', NULL},
    MS_UNARY("SiLU", "Swish"),
    MS_UNARY("Sigmoid", "Sigmoid"),
    MS_UNARY("Sign", "Sign"),
    MS_UNARY("Sin", "Sin"),
    {"Sinc", "x",
     "SelectV2(Equal(x, 0), OnesLike(x), RealDiv(Sin(Mul(x, 3.141592653589793)), Mul(x, 3.141592653589793)))",
     'T', NULL},
    MS_UNARY("Sinh", "Sinh"),
    {"SoftShrink", "x lambd", "Shrink(x, bias=@lambd|0.5, lambd=@lambd|0.5)", 'T', NULL},
    {"Softshrink", "x lambd", "Shrink(x, bias=@lambd|0.5, lambd=@lambd|0.5)", 'T', NULL},
    MS_UNARY("Softplus", "Softplus"),
    {"SoftplusExt", "x beta threshold",
     "SelectV2(Greater(Mul(x, beta|1), threshold|20), x, RealDiv(Softplus(Mul(x, beta|1)), beta|1))", 'T',
     NULL},
    MS_UNARY("Softsign", "Softsign"),
    MS_UNARY("Sqrt", "Sqrt"),
    MS_UNARY("Square", "Square"),
    MS_BINARY("SquaredDifference", "SquaredDifference"),
    MS_BINARY("Sub", "Sub"),
    SCALED("SubExt", "Sub"),
    SCALED("SubScalar", "Sub"),
    MS_UNARY("Tan", "Tan"),
    MS_UNARY("Tanh", "Tanh"),
    {"Threshold", "x threshold value", "SelectV2(Greater(x, threshold), x, value)", 'T', NULL},
    {"Trunc", "x", NULL, 0, math_trunc},
    {"TruncateDiv", "x y", NULL, 0, math_truncate_div},
    MS_BINARY("TruncateMod", "TruncateMod"),
    {"Xdivy", "x y", "SelectV2(Equal(x, 0), ZerosLike(x), RealDiv(x, y))", 'T', NULL},
    MS_BINARY("Xlogy", "Xlogy"),
    MS_BINARY("XLogYScalarOther", "Xlogy"),
    MS_BINARY("XLogYScalarSelf", "Xlogy"),
    {"ZerosLike", "x", NULL, 0, math_like},
    {"ZerosLikeExt", "x dtype", NULL, 0, math_like},
    // numbers of Python
    MS_BINARY("ScalarAdd", "Add"),
    {"ScalarBool", "x", "bool(x)", '-', NULL},
    {"ScalarCast", "x dtype", NULL, 0, math_cast},
    MS_BINARY("ScalarDiv", "RealDiv"),
    COMPARED("ScalarEq", "Equal"),
    MS_BINARY("ScalarFloorDiv", "FloorDiv"),
    COMPARED("ScalarGe", "GreaterEqual"),
    COMPARED("ScalarGt", "Greater"),
    COMPARED("ScalarLe", "LessEqual"),
    COMPARED("ScalarLt", "Less"),
    MS_BINARY("ScalarMax", "Maximum"),
    MS_BINARY("ScalarMin", "Minimum"),
    MS_BINARY("ScalarMod", "FloorMod"),
    MS_BINARY("ScalarMul", "Mul"),
    MS_BINARY("ScalarPow", "Pow"),
    MS_BINARY("ScalarSub", "Sub"),
    MS_UNARY("ScalarUsub", "Neg"),
    COMPARED("scalar_eq", "Equal"),
    COMPARED("scalar_ge", "GreaterEqual"),
    COMPARED("scalar_gt", "Greater"),
    COMPARED("scalar_le", "LessEqual"),
    COMPARED("scalar_lt", "Less"),
};
const ms_rows ms_math = MS_ROWS(math_rows);
// SPDX-License-Identifier: Apache-2.0
