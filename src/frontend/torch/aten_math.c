// aten_math.c - operators that work element by element. Most are a line: which primitives, and in which dtype
// (pt_row.mode). Python numbers among the operands count less than tensors: torch.h, pt_promoted.
#include <math.h>

#include "frontend/torch/tables.h"

// Numbers as they are, towards 0.
static weft_value *math_truncated(front_op *b, weft_value *v) {
  if (b->failed || !v || weft_dtype_is_integer(v->fact.dtype) || v->fact.dtype == WEFT_BOOL)
    return v;
  weft_value *negative = front_do(b, "Less", v, front_num(b, v->fact.dtype, 0), NULL);
  weft_value *up = front_do(b, "Ceil", v, NULL, NULL);
  return front_where(b, negative, up, front_do(b, "Floor", v, NULL, NULL));
}

static void math_trunc(pt_op *o) {
  pt_result(o, 0, math_truncated(&o->b, pt_tensor(o, "self")));
}

static void math_frac(pt_op *o) {
  weft_value *v = pt_tensor(o, "self");
  pt_result(o, 0, front_do(&o->b, "Sub", v, math_truncated(&o->b, v), NULL));
}

static void math_whole(pt_op *o, const char *type) {
  weft_value *v = pt_tensor(o, "self");
  if (v && weft_dtype_is_integer(v->fact.dtype))
    pt_result(o, 0, v);
  else
    pt_result(o, 0, front_do(&o->b, type, v, NULL, NULL));
}
static void math_floor(pt_op *o) {
  math_whole(o, "Floor");
}
static void math_ceil(pt_op *o) {
  math_whole(o, "Ceil");
}
static void math_round(pt_op *o) {
  int64_t decimals = pt_int(o, "decimals", 0);
  if (decimals)
    front_set_int(&o->b, "decimals", decimals);
  math_whole(o, "Round");
}

// log(x / (1 - x)), of numbers that eps keeps away from 0 and 1.
static void math_logit(pt_op *o) {
  front_op *b = &o->b;
  weft_dtype t = pt_out_type(o, 0);
  weft_value *x = pt_operand(o, "self", t);
  if (pt_find(o, "eps")) {
    double eps = pt_float(o, "eps", 0);
    weft_value *low = front_num(b, t, eps);
    weft_value *high = front_num(b, t, 1 - eps);
    weft_value *below = front_do(b, "Less", x, low, NULL);  // wins where eps is above a half
    x = front_where(b, below, low, front_do(b, "Minimum", x, high, NULL));
  }
  weft_value *rest = front_do(b, "Sub", front_num(b, t, 1), x, NULL);
  pt_result(o, 0, front_do(b, "Log", front_do(b, "RealDiv", x, rest, NULL), NULL, NULL));
}

// ---- division ----
// What the remainder leaves is a multiple of the divisor, up to rounding, and its quotient nearly an integer:
// 1 / 0.1 is 9 and the rest. Of an infinite number there is no remainder.
static weft_value *math_floored(front_op *b, weft_value *x, weft_value *y) {
  if (b->failed || weft_dtype_is_integer(x->fact.dtype))
    return front_do(b, "FloorDiv", x, y, NULL);
  const weft_dtype given = x->fact.dtype;
  const weft_dtype t = given == WEFT_DOUBLE ? WEFT_DOUBLE : WEFT_FLOAT;
  x = front_as(b, x, t);
  y = front_as(b, y, t);
  weft_value *zero = front_num(b, t, 0);
  weft_value *rest = front_do(b, "Mod", x, y, NULL);
  weft_value *q = front_do(b, "RealDiv", front_do(b, "Sub", x, rest, NULL), y, NULL);
  weft_value *apart = front_do(b, "NotEqual", front_do(b, "Less", rest, zero, NULL),
                               front_do(b, "Less", y, zero, NULL), NULL);
  apart = front_do(b, "LogicalAnd", apart, front_do(b, "NotEqual", rest, zero, NULL), NULL);
  q = front_do(b, "Sub", front_do(b, "Round", q, NULL, NULL), front_as(b, apart, t), NULL);
  weft_value *none = front_do(b, "Equal", y, zero, NULL);
  return front_as(b, front_where(b, none, front_do(b, "RealDiv", x, y, NULL), q), given);
}
static void math_floor_divide(pt_op *o) {
  const weft_dtype t = pt_out_type(o, 0);
  weft_value *x = pt_operand(o, "self", t);
  pt_result(o, 0, math_floored(&o->b, x, pt_operand(o, "other", t)));
}

// From the nearer end, so that a weight of 1 gives `end` to the last bit.
static void math_lerp(pt_op *o) {
  front_op *b = &o->b;
  const weft_dtype t = pt_out_type(o, 0);
  weft_value *x = pt_operand(o, "self", t);
  weft_value *end = pt_operand(o, "end", t);
  weft_value *w = pt_operand(o, "weight", t);
  if (b->failed)
    return;
  const bool number = !strcmp(b->type, "lerp.Scalar");
  const bool near = number && fabs(pt_float(o, "weight", 0)) < 0.5;
  weft_value *step = front_do(b, "Sub", end, x, NULL);
  weft_value *from = NULL;
  weft_value *to = NULL;
  if (!number || near)
    from = front_do(b, "Add", x, front_do(b, "Mul", w, step, NULL), NULL);
  if (!near)
    to = front_do(b, "Sub", end,
                  front_do(b, "Mul", step, front_do(b, "Sub", front_num(b, t, 1), w, NULL), NULL), NULL);
  if (number) {
    pt_result(o, 0, near ? from : to);
    return;
  }
  weft_value *low = front_do(b, "Less", front_do(b, "Abs", w, NULL, NULL), front_num(b, t, 0.5), NULL);
  pt_result(o, 0, b->failed ? NULL : front_where(b, low, from, to));
}

static void math_div_mode(pt_op *o) {
  front_op *b = &o->b;
  bool down = pt_is(o, "rounding_mode", "", "floor");
  bool whole = down || pt_is(o, "rounding_mode", "", "trunc");
  weft_dtype t = pt_out_type(o, 0);
  weft_value *x = pt_operand(o, "self", t);
  weft_value *y = pt_operand(o, "other", t);
  bool integer = weft_dtype_is_integer(t);
  if (!whole)
    pt_result(o, 0, front_do(b, "RealDiv", x, y, NULL));
  else if (down)
    pt_result(o, 0, math_floored(b, x, y));
  else
    pt_result(o, 0, math_truncated(b, front_do(b, integer ? "Div" : "RealDiv", x, y, NULL)));
}

// ---- bits and truth ----
static void math_bits(pt_op *o, const char *of_bools, const char *of_ints) {
  weft_dtype t = pt_out_type(o, 0);
  if (t == WEFT_UNDEFINED)
    t = pt_promoted(o);
  weft_value *x = pt_operand(o, "self", t);
  weft_value *y = pt_operand(o, "other", t);
  pt_result(o, 0, front_do(&o->b, t == WEFT_BOOL ? of_bools : of_ints, x, y, NULL));
}
static void math_and(pt_op *o) {
  math_bits(o, "LogicalAnd", "BitwiseAnd");
}
static void math_or(pt_op *o) {
  math_bits(o, "LogicalOr", "BitwiseOr");
}
static void math_xor(pt_op *o) {
  math_bits(o, "NotEqual", "BitwiseXor");
}

static weft_value *math_truth(front_op *b, weft_value *v) {
  return front_as(b, v, WEFT_BOOL);
}
static void math_logical(pt_op *o, const char *type) {
  weft_value *x = math_truth(&o->b, pt_tensor(o, "self"));
  weft_value *y = math_truth(&o->b, pt_tensor(o, "other"));
  pt_result(o, 0, front_do(&o->b, type, x, y, NULL));
}
static void math_logical_and(pt_op *o) {
  math_logical(o, "LogicalAnd");
}
static void math_logical_or(pt_op *o) {
  math_logical(o, "LogicalOr");
}
static void math_logical_xor(pt_op *o) {
  math_logical(o, "NotEqual");
}
static void math_logical_not(pt_op *o) {
  pt_result(o, 0, front_do(&o->b, "LogicalNot", math_truth(&o->b, pt_tensor(o, "self")), NULL, NULL));
}
static void math_not(pt_op *o) {
  weft_value *v = pt_tensor(o, "self");
  bool truth = v && v->fact.dtype == WEFT_BOOL;
  pt_result(o, 0, front_do(&o->b, truth ? "LogicalNot" : "BitwiseNot", v, NULL, NULL));
}

// ---- what is infinite, not a number, or signed ----
static bool math_has_fractions(const weft_value *v) {
  return v && (WEFT_BIT(v->fact.dtype) & WEFT_FLOATS) != 0;
}
static weft_value *math_never(front_op *b, weft_value *v) {
  weft_value *shape = front_shape(b, v);
  return front_filled(b, shape, front_num(b, WEFT_BOOL, 0));
}
static void math_isinf(pt_op *o) {
  weft_value *v = pt_tensor(o, "self");
  pt_result(o, 0, math_has_fractions(v) ? front_do(&o->b, "IsInf", v, NULL, NULL) : math_never(&o->b, v));
}
static void math_isnan(pt_op *o) {
  weft_value *v = pt_tensor(o, "self");
  pt_result(o, 0, math_has_fractions(v) ? front_do(&o->b, "IsNan", v, NULL, NULL) : math_never(&o->b, v));
}
static void math_isfinite(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  weft_value *odd = math_never(b, v);
  if (math_has_fractions(v))
    odd = front_do(b, "LogicalOr", front_do(b, "IsInf", v, NULL, NULL), front_do(b, "IsNan", v, NULL, NULL),
                   NULL);
  pt_result(o, 0, front_do(b, "LogicalNot", odd, NULL, NULL));
}

// Less than 0, or the 0 whose reciprocal is.
static weft_value *math_is_negative(front_op *b, weft_value *v) {
  weft_value *zero = v ? front_num(b, v->fact.dtype, 0) : NULL;
  weft_value *less = front_do(b, "Less", v, zero, NULL);
  if (!math_has_fractions(v))
    return less;
  weft_value *below = front_do(b, "Less", front_do(b, "Reciprocal", v, NULL, NULL), zero, NULL);
  return front_do(b, "LogicalOr", less,
                  front_do(b, "LogicalAnd", front_do(b, "Equal", v, zero, NULL), below, NULL), NULL);
}
// What is not a number has the sign 0.
static void math_sign(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  bool truth = v && v->fact.dtype == WEFT_BOOL;
  weft_value *y = truth ? v : front_do(b, "Sign", v, NULL, NULL);
  if (math_has_fractions(v))
    y = front_where(b, front_do(b, "IsNan", v, NULL, NULL), front_num(b, v->fact.dtype, 0), y);
  pt_result(o, 0, y);
}
static void math_signbit(pt_op *o) {
  pt_result(o, 0, math_is_negative(&o->b, pt_tensor(o, "self")));
}
static void math_copysign(pt_op *o) {
  front_op *b = &o->b;
  weft_dtype t = pt_out_type(o, 0);
  weft_value *size = front_do(b, "Abs", pt_operand(o, "self", t), NULL, NULL);
  weft_value *minus = math_is_negative(b, pt_operand(o, "other", t));
  pt_result(o, 0, front_where(b, minus, front_do(b, "Neg", size, NULL, NULL), size));
}

// ---- bounds ----
static weft_value *math_bound(pt_op *o, const char *name, weft_dtype t) {
  return pt_find(o, name) ? pt_operand(o, name, t) : NULL;
}
static void math_clamp(pt_op *o) {
  front_op *b = &o->b;
  weft_dtype t = pt_out_type(o, 0);
  weft_value *v = pt_operand(o, "self", t);
  weft_value *least = math_bound(o, "min", t);
  weft_value *most = math_bound(o, "max", t);
  if (t == WEFT_BOOL) {  // false is less than true
    v = least ? front_do(b, "LogicalOr", v, least, NULL) : v;
    pt_result(o, 0, most ? front_do(b, "LogicalAnd", v, most, NULL) : v);
    return;
  }
  if (least && most) {
    pt_result(o, 0, front_do(b, "ClipByValueV2", v, least, most));
    return;
  }
  if (least)
    v = front_do(b, "Maximum", v, least, NULL);
  if (most)
    v = front_do(b, "Minimum", v, most, NULL);
  pt_result(o, 0, v);
}

// Of bools, false is less than true.
static void math_larger_truth(pt_op *o, const char *type, weft_value *x, weft_value *y) {
  pt_result(o, 0, front_do(&o->b, strcmp(type, "Maximum") ? "LogicalAnd" : "LogicalOr", x, y, NULL));
}
static void math_larger(pt_op *o, const char *type) {
  weft_dtype t = pt_out_type(o, 0);
  weft_value *x = pt_operand(o, "self", t);
  weft_value *y = pt_operand(o, "other", t);
  if (t == WEFT_BOOL)
    math_larger_truth(o, type, x, y);
  else
    pt_result(o, 0, front_do(&o->b, type, x, y, NULL));
}
static void math_maximum(pt_op *o) {
  math_larger(o, "Maximum");
}
static void math_minimum(pt_op *o) {
  math_larger(o, "Minimum");
}

// The other one where one is not a number.
static void math_ignoring_nan(pt_op *o, const char *type) {
  front_op *b = &o->b;
  weft_dtype t = pt_out_type(o, 0);
  weft_value *x = pt_operand(o, "self", t);
  weft_value *y = pt_operand(o, "other", t);
  if (t == WEFT_BOOL) {
    math_larger_truth(o, type, x, y);
    return;
  }
  weft_value *v = front_do(b, type, x, y, NULL);
  if (math_has_fractions(v)) {
    v = front_where(b, front_do(b, "IsNan", y, NULL, NULL), x, v);
    v = front_where(b, front_do(b, "IsNan", x, NULL, NULL), y, v);
  }
  pt_result(o, 0, v);
}
static void math_fmax(pt_op *o) {
  math_ignoring_nan(o, "Maximum");
}
static void math_fmin(pt_op *o) {
  math_ignoring_nan(o, "Minimum");
}

static double math_largest(weft_dtype t) {
  return t == WEFT_FLOAT16  ? 65504
         : t == WEFT_BF16   ? 0x1.FEp127
         : t == WEFT_DOUBLE ? 0x1.FFFFFFFFFFFFFp1023
                            : 0x1.FFFFFEp127;
}
static void math_nan_to_num(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  if (!math_has_fractions(v)) {
    pt_result(o, 0, v);
    return;
  }
  weft_dtype t = v->fact.dtype;
  weft_value *nan = front_num(b, t, pt_float(o, "nan", 0));
  weft_value *high = front_num(b, t, pt_float(o, "posinf", math_largest(t)));
  weft_value *low = front_num(b, t, pt_float(o, "neginf", -math_largest(t)));
  weft_value *y = front_where(b, front_do(b, "IsNan", v, NULL, NULL), nan, v);
  y = front_where(b, front_do(b, "Equal", v, front_num(b, t, HUGE_VAL), NULL), high, y);
  y = front_where(b, front_do(b, "Equal", v, front_num(b, t, -HUGE_VAL), NULL), low, y);
  pt_result(o, 0, y);
}

// ---- others ----
static void math_celu(pt_op *o) {
  double alpha = pt_float(o, "alpha", 1);
  weft_value *v = pt_tensor(o, "self");
  front_set_float(&o->b, "alpha", alpha);
  front_set_float(&o->b, "input_scale", 1 / alpha);
  pt_result(o, 0, front_do(&o->b, "Elu", v, NULL, NULL));
}

// A weight for each channel, which is axis 1.
static void math_prelu(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  weft_value *w = pt_tensor(o, "weight");
  int rank = front_rank_of(b, v);
  int64_t dims[WEFT_MAX_RANK];
  for (int i = 0; i < rank; i++)
    dims[i] = i == 1 ? -1 : 1;
  if (rank > 1 && front_rank(w) == 1 && front_dim(w, 0) != 1)
    w = front_reshaped(b, w, dims, (size_t)rank);
  if (!rank)
    w = front_reshaped(b, w, NULL, 0);
  pt_result(o, 0, front_do(b, "PRelu", v, w, NULL));
}

// Squares may leave the range of the result: the smaller number is taken as a part of the larger.
static void math_hypot(pt_op *o) {
  front_op *b = &o->b;
  weft_dtype t = pt_out_type(o, 0);
  weft_value *x = front_do(b, "Abs", pt_operand(o, "self", t), NULL, NULL);
  weft_value *y = front_do(b, "Abs", pt_operand(o, "other", t), NULL, NULL);
  weft_value *most = front_do(b, "Maximum", x, y, NULL);
  weft_value *part = front_do(b, "RealDiv", front_do(b, "Minimum", x, y, NULL), most, NULL);
  if (b->failed)
    return;
  weft_value *sum = front_do(b, "Add", front_do(b, "Square", part, NULL, NULL), front_num(b, t, 1), NULL);
  weft_value *v = front_do(b, "Mul", most, front_do(b, "Sqrt", sum, NULL, NULL), NULL);
  v = front_where(b, front_do(b, "Equal", most, front_num(b, t, 0), NULL), most, v);
  weft_value *end = front_num(b, t, HUGE_VAL);
  v = front_where(b, front_do(b, "Equal", x, end, NULL), end, v);
  pt_result(o, 0, front_where(b, front_do(b, "Equal", y, end, NULL), end, v));
}

static void math_cast(pt_op *o) {
  weft_value *v = pt_tensor(o, "self");
  weft_dtype t = pt_out_type(o, 0);
  pt_result(o, 0, front_as(&o->b, v, pt_type(o, "dtype", t == WEFT_UNDEFINED && v ? v->fact.dtype : t)));
}

static void math_same(pt_op *o) {
  pt_result(o, 0, pt_tensor(o, "self"));
}

static void math_dropout(pt_op *o) {
  double p = pt_float(o, "p", 0);
  if (pt_bool(o, "train", false) && p > 0)
    front_fail(&o->b, WEFT_E_UNSUPPORTED,
               "the model was exported in training mode: call model.eval() before torch.export.export");
  pt_result(o, 0, pt_tensor(o, pt_has(o, "input") ? "input" : "self"));
}

// self changed to src, which may be smaller.
static void math_copy(pt_op *o) {
  front_op *b = &o->b;
  weft_value *self = pt_tensor(o, "self");
  weft_value *src = pt_tensor(o, "src");
  src = front_as(b, src, self ? self->fact.dtype : (weft_dtype)WEFT_UNDEFINED);
  pt_result(o, 0, front_expanded(b, src, front_shape(b, self)));
}

static void math_fill(pt_op *o) {
  front_op *b = &o->b;
  weft_value *self = pt_tensor(o, "self");
  weft_value *number = self ? pt_operand(o, "value", self->fact.dtype) : NULL;
  weft_value *shape = front_shape(b, self);
  pt_result(o, 0, front_expanded(b, number, shape));
}
static void math_zero(pt_op *o) {
  pt_result(o, 0, front_do(&o->b, "ZerosLike", pt_tensor(o, "self"), NULL, NULL));
}

static void math_nothing(pt_op *o) {  // checks of what the exporter has seen already
  (void)o;
}

// Equal ones apart: of infinite ones there is no difference.
#define LOGADDEXP                                                \
  "SelectV2(Equal(self, other), Add(self, 0.6931471805599453), " \
  "Add(Maximum(self, other), Log1p(Exp(Neg(Abs(Sub(self, other)))))))"
#define LOGADDEXP2                                \
  "SelectV2(Equal(self, other), Add(self, 1.0), " \
  "Add(Maximum(self, other), RealDiv(Log1p(Exp(Neg(Abs(Sub(self, other))), base=2)), 0.6931471805599453)))"
static const pt_row math_rows[] = {
    {"neg", "Neg(self)", 'T', NULL, 0},
    {"positive", NULL, 0, math_same, 0},
    {"add", "Add(self, Mul(other, alpha|1))", 'T', NULL, 0},
    {"sub", "Sub(self, Mul(other, alpha|1))", 'T', NULL, 0},
    {"subtract", "Sub(self, Mul(other, alpha|1))", 'T', NULL, 0},
    {"rsub", "Sub(other, Mul(self, alpha|1))", 'T', NULL, 0},
    {"mul", "Mul(self, other)", 'T', NULL, 0},
    {"multiply", "Mul(self, other)", 'T', NULL, 0},
    {"div.Tensor_mode", NULL, 0, math_div_mode, 0},
    {"div.Scalar_mode", NULL, 0, math_div_mode, 0},
    {"div", "RealDiv(self, other)", 'T', NULL, 0},
    {"divide", "RealDiv(self, other)", 'T', NULL, 0},
    {"true_divide", "RealDiv(self, other)", 'T', NULL, 0},
    {"floor_divide", NULL, 0, math_floor_divide, 0},
    {"remainder", "FloorMod(self, other)", 'T', NULL, 0},
    {"fmod", "Mod(self, other)", 'T', NULL, 0},
    {"pow", "Pow(self, exponent)", 'T', NULL, 0},
    {"float_power", "Pow(self, exponent)", 'T', NULL, 0},
    {"maximum", NULL, 0, math_maximum, 0},
    {"minimum", NULL, 0, math_minimum, 0},
    {"max.other", NULL, 0, math_maximum, 0},
    {"min.other", NULL, 0, math_minimum, 0},
    {"fmax", NULL, 0, math_fmax, 0},
    {"fmin", NULL, 0, math_fmin, 0},
    {"eq", "Equal(self, other)", 'P', NULL, 0},
    {"ne", "NotEqual(self, other)", 'P', NULL, 0},
    {"not_equal", "NotEqual(self, other)", 'P', NULL, 0},
    {"lt", "Less(self, other)", 'P', NULL, 0},
    {"le", "LessEqual(self, other)", 'P', NULL, 0},
    {"gt", "Greater(self, other)", 'P', NULL, 0},
    {"ge", "GreaterEqual(self, other)", 'P', NULL, 0},
    {"less", "Less(self, other)", 'P', NULL, 0},
    {"greater", "Greater(self, other)", 'P', NULL, 0},
    {"less_equal", "LessEqual(self, other)", 'P', NULL, 0},
    {"greater_equal", "GreaterEqual(self, other)", 'P', NULL, 0},
    {"atan2", "Atan2(self, other)", 'T', NULL, 0},
    {"arctan2", "Atan2(self, other)", 'T', NULL, 0},
    {"hypot", NULL, 0, math_hypot, 0},
    {"copysign", NULL, 0, math_copysign, 0},
    {"xlogy", "Xlogy(self, other)", 'T', NULL, 0},
    {"logaddexp", LOGADDEXP, 'T', NULL, 0},
    {"logaddexp2", LOGADDEXP2, 'T', NULL, 0},
    {"addcmul", "Add(self, Mul(Mul(tensor1, tensor2), value|1))", 'T', NULL, 0},
    {"addcdiv", "Add(self, Mul(RealDiv(tensor1, tensor2), value|1))", 'T', NULL, 0},
    {"lerp", NULL, 0, math_lerp, 0},
    {"where", "SelectV2(raw(condition), self, other)", 'T', NULL, 0},
    {"heaviside",
     "SelectV2(Equal(self, 0), values, SelectV2(Greater(self, 0), OnesLike(self), ZerosLike(self)))", 'T',
     NULL, 0},
    {"square", "Square(self)", 'T', NULL, 0},
    {"sqrt", "Sqrt(self)", 'T', NULL, 0},
    {"rsqrt", "Rsqrt(self)", 'T', NULL, 0},
    {"reciprocal", "Reciprocal(self)", 'T', NULL, 0},
    {"sign", NULL, 0, math_sign, 0},
    {"sgn", NULL, 0, math_sign, 0},
    {"exp", "Exp(self)", 'T', NULL, 0},
    {"exp2", "Exp(self, base=2)", 'T', NULL, 0},
    {"expm1", "Expm1(self)", 'T', NULL, 0},
    {"log", "Log(self)", 'T', NULL, 0},
    {"log2", "Log(self, base=2)", 'T', NULL, 0},
    {"log10", "Log(self, base=10)", 'T', NULL, 0},
    {"log1p", "Log1p(self)", 'T', NULL, 0},
    {"sin", "Sin(self)", 'T', NULL, 0},
    {"cos", "Cos(self)", 'T', NULL, 0},
    {"tan", "Tan(self)", 'T', NULL, 0},
    {"asin", "Asin(self)", 'T', NULL, 0},
    {"acos", "Acos(self)", 'T', NULL, 0},
    {"atan", "Atan(self)", 'T', NULL, 0},
    {"sinh", "Sinh(self)", 'T', NULL, 0},
    {"cosh", "Cosh(self)", 'T', NULL, 0},
    {"tanh", "Tanh(self)", 'T', NULL, 0},
    {"asinh", "Asinh(self)", 'T', NULL, 0},
    {"acosh", "Acosh(self)", 'T', NULL, 0},
    {"atanh", "Atanh(self)", 'T', NULL, 0},
    {"erf", "Erf(self)", 'T', NULL, 0},
    {"erfc", "Erfc(self)", 'T', NULL, 0},
    {"sinc",
     "SelectV2(Equal(self, 0), OnesLike(self), "
     "RealDiv(Sin(Mul(self, 3.141592653589793)), Mul(self, 3.141592653589793)))",
     'T', NULL, 0},
    {"special_sinc",
     "SelectV2(Equal(self, 0), OnesLike(self), "
     "RealDiv(Sin(Mul(self, 3.141592653589793)), Mul(self, 3.141592653589793)))",
     'T', NULL, 0},
    {"logit", NULL, 0, math_logit, 0},
    {"special_logit", NULL, 0, math_logit, 0},
    {"deg2rad", "Mul(self, 0.017453292519943295)", 'T', NULL, 0},
    {"rad2deg", "Mul(self, 57.29577951308232)", 'T', NULL, 0},
    {"sigmoid", "Sigmoid(self)", 'T', NULL, 0},
    {"special_expit", "Sigmoid(self)", 'T', NULL, 0},
    {"hardsigmoid", "RealDiv(ClipByValueV2(Add(self, 3), 0, 6), 6)", 'T', NULL, 0},
    {"hardswish", "HardSwish(self)", 'T', NULL, 0},
    {"hardtanh", "ClipByValueV2(self, min_val|-1, max_val|1)", 'T', NULL, 0},
    {"relu", "Relu(self)", 'T', NULL, 0},
    {"relu6", "ClipByValueV2(self, 0, 6)", 'T', NULL, 0},
    {"leaky_relu", "LeakyRelu(self, negative_slope=@negative_slope|0.01)", 'T', NULL, 0},
    {"elu", "Elu(self, alpha=@alpha|1, scale=@scale|1, input_scale=@input_scale|1)", 'T', NULL, 0},
    {"celu", NULL, 0, math_celu, 0},
    {"selu", "Elu(self, alpha=1.6732632423543772, scale=1.0507009873554805)", 'T', NULL, 0},
    {"gelu", "Gelu(self, approximate=@approximate|'none')", 'T', NULL, 0},
    {"silu", "Swish(self)", 'T', NULL, 0},
    {"mish", "Mish(self)", 'T', NULL, 0},
    {"softplus",
     "SelectV2(Greater(Mul(self, beta|1), threshold|20), self, RealDiv(Softplus(Mul(self, beta|1)), beta|1))",
     'T', NULL, 0},
    {"softsign", "Softsign(self)", 'T', NULL, 0},
    {"log_sigmoid", "Neg(Softplus(Neg(self)))", 'T', NULL, 0},
    {"log_sigmoid_forward", "Neg(Softplus(Neg(self)))", 'T', NULL, 0},
    {"tanhshrink", "Sub(self, Tanh(self))", 'T', NULL, 0},
    {"softshrink", "SelectV2(IsNan(self), self, Shrink(self, bias=@lambd|0.5, lambd=@lambd|0.5))", 'T', NULL,
     0},
    {"hardshrink", "SelectV2(LessEqual(Abs(self), lambd|0.5), ZerosLike(self), self)", 'T', NULL, 0},
    {"threshold", "SelectV2(LessEqual(self, threshold), value, self)", 'T', NULL, 0},
    {"prelu", NULL, 0, math_prelu, 0},
    {"_prelu_kernel", "PRelu(self, weight)", 'T', NULL, 0},
    {"clamp", NULL, 0, math_clamp, 0},
    {"clip", NULL, 0, math_clamp, 0},
    {"clamp_min", NULL, 0, math_clamp, 0},
    {"clamp_max", NULL, 0, math_clamp, 0},
    {"nan_to_num", NULL, 0, math_nan_to_num, 0},
    {"isinf", NULL, 0, math_isinf, 0},
    {"isnan", NULL, 0, math_isnan, 0},
    {"isfinite", NULL, 0, math_isfinite, 0},
    {"signbit", NULL, 0, math_signbit, 0},
    {"trunc", NULL, 0, math_trunc, 0},
    {"fix", NULL, 0, math_trunc, 0},
    {"special_round", NULL, 0, math_round, 0},
    {"frac", NULL, 0, math_frac, 0},
    {"floor", NULL, 0, math_floor, 0},
    {"ceil", NULL, 0, math_ceil, 0},
    {"round", NULL, 0, math_round, 0},
    {"bitwise_and", NULL, 0, math_and, 0},
    {"bitwise_or", NULL, 0, math_or, 0},
    {"bitwise_xor", NULL, 0, math_xor, 0},
    {"__and__", NULL, 0, math_and, 0},
    {"__or__", NULL, 0, math_or, 0},
    {"__xor__", NULL, 0, math_xor, 0},
    {"bitwise_not", NULL, 0, math_not, 0},
    {"bitwise_left_shift", "LeftShift(self, other)", 'T', NULL, 0},
    {"bitwise_right_shift", "RightShift(self, other)", 'T', NULL, 0},
    {"__lshift__", "LeftShift(self, other)", 'T', NULL, 0},
    {"__rshift__", "RightShift(self, other)", 'T', NULL, 0},
    {"logical_and", NULL, 0, math_logical_and, 0},
    {"logical_or", NULL, 0, math_logical_or, 0},
    {"logical_xor", NULL, 0, math_logical_xor, 0},
    {"logical_not", NULL, 0, math_logical_not, 0},
    {"to", NULL, 0, math_cast, 0},
    {"_to_copy", NULL, 0, math_cast, 0},
    {"type_as", NULL, 0, math_cast, 0},
    {"clone", NULL, 0, math_same, 0},
    {"contiguous", NULL, 0, math_same, 0},
    {"lift_fresh_copy", NULL, 0, math_same, 0},
    {"lift_fresh", NULL, 0, math_same, 0},
    {"detach", NULL, 0, math_same, 'V'},
    {"alias", NULL, 0, math_same, 'V'},
    {"alias_copy", NULL, 0, math_same, 0},
    {"detach_copy", NULL, 0, math_same, 0},
    {"resolve_conj", NULL, 0, math_same, 0},
    {"resolve_neg", NULL, 0, math_same, 0},
    {"dropout", NULL, 0, math_dropout, 0},
    {"feature_dropout", NULL, 0, math_dropout, 0},
    {"alpha_dropout", NULL, 0, math_dropout, 0},
    {"feature_alpha_dropout", NULL, 0, math_dropout, 0},
    {"native_dropout", NULL, 0, math_dropout, 0},
    {"copy", NULL, 0, math_copy, 0},
    {"fill", NULL, 0, math_fill, 0},
    {"zero", NULL, 0, math_zero, 0},
    {"_assert_scalar", NULL, 0, math_nothing, 0},
    {"_assert_tensor_metadata", NULL, 0, math_nothing, 0},
    {"_assert_async", NULL, 0, math_nothing, 0},
    {"sym_constrain_range", NULL, 0, math_nothing, 0},
    {"sym_constrain_range_for_size", NULL, 0, math_nothing, 0},
};
const pt_rows pt_math = PT_ROWS(math_rows);
// SPDX-License-Identifier: Apache-2.0
