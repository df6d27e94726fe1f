// aten_special.c - special functions of torch.special and under their older names, other names of what
// aten_math.c has, and comparisons with tolerances.
#include "frontend/torch/tables.h"

// Digamma, which is -1 / x at 0.
static weft_value *special_digamma_of(front_op *b, weft_value *x) {
  weft_dtype t = x ? x->fact.dtype : (weft_dtype)WEFT_FLOAT;
  weft_value *pole = front_do(b, "RealDiv", front_num(b, t, -1), x, NULL);
  weft_value *zero = front_do(b, "Equal", x, front_num(b, t, 0), NULL);
  return front_where(b, zero, pole, front_do(b, "Digamma", x, NULL, NULL));
}

static void special_polygamma(pt_op *o) {
  int64_t n = pt_int(o, "n", 0);
  weft_value *x = pt_operand(o, "self", pt_out_type(o, 0));
  pt_result(o, 0, n ? front_polygamma(&o->b, n, x) : special_digamma_of(&o->b, x));
}

static void special_multigammaln(pt_op *o) {
  weft_value *x = pt_operand(o, "self", pt_out_type(o, 0));
  pt_result(o, 0, front_multigammaln(&o->b, pt_int(o, "p", 1), x));
}

// |a - b| <= atol + rtol |b|, or equal, or both no numbers where equal_nan says so.
static weft_value *special_close(pt_op *o) {
  front_op *b = &o->b;
  weft_value *x = pt_tensor(o, "self");
  weft_value *y = pt_tensor(o, "other");
  double rtol = pt_float(o, "rtol", 1e-5);
  double atol = pt_float(o, "atol", 1e-8);
  bool nan = pt_bool(o, "equal_nan", false);
  if (b->failed)
    return NULL;
  bool fraction = (WEFT_BIT(x->fact.dtype) & WEFT_FLOATS) != 0;
  weft_value *same = front_do(b, "Equal", x, y, NULL);
  if (x->fact.dtype == WEFT_BOOL)
    return same;
  weft_dtype t = fraction ? x->fact.dtype : (weft_dtype)WEFT_DOUBLE;
  x = front_as(b, x, t);
  y = front_as(b, y, t);
  weft_value *most = front_do(b, "Mul", front_do(b, "Abs", y, NULL, NULL), front_num(b, t, rtol), NULL);
  most = front_do(b, "Add", most, front_num(b, t, atol), NULL);
  weft_value *far = front_do(b, "Abs", front_do(b, "Sub", x, y, NULL), NULL, NULL);
  weft_value *near = front_do(b, "LessEqual", far, most, NULL);
  if (fraction)
    near = front_do(b, "LogicalAnd", near, front_do(b, "IsFinite", y, NULL, NULL), NULL);
  same = front_do(b, "LogicalOr", same, near, NULL);
  if (nan && fraction) {
    weft_value *none = front_do(b, "IsNan", x, NULL, NULL);
    none = front_do(b, "LogicalAnd", none, front_do(b, "IsNan", y, NULL, NULL), NULL);
    same = front_do(b, "LogicalOr", same, none, NULL);
  }
  return same;
}
static void special_isclose(pt_op *o) {
  pt_result(o, 0, special_close(o));
}

static void special_infinite(pt_op *o, const char *compare) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  bool fraction = v && (WEFT_BIT(v->fact.dtype) & WEFT_FLOATS);
  weft_value *y;
  if (fraction) {
    weft_value *side = front_do(b, compare, v, front_num(b, v->fact.dtype, 0), NULL);
    y = front_do(b, "LogicalAnd", front_do(b, "IsInf", v, NULL, NULL), side, NULL);
  } else {  // no integer is infinite
    y = front_filled(b, front_shape(b, v), front_num(b, WEFT_BOOL, 0));
  }
  pt_result(o, 0, y);
}
static void special_isneginf(pt_op *o) {
  special_infinite(o, "Less");
}
static void special_isposinf(pt_op *o) {
  special_infinite(o, "Greater");
}

// Are elements of one among those of the other?
static void special_isin(pt_op *o) {
  front_op *b = &o->b;
  weft_dtype t = pt_promoted(o);
  bool many = pt_has(o, "elements");
  weft_value *x = pt_operand(o, many ? "elements" : "element", t);
  weft_value *in = pt_operand(o, pt_has(o, "test_elements") ? "test_elements" : "test_element", t);
  bool invert = pt_bool(o, "invert", false);
  pt_bool(o, "assume_unique", false);
  int rank = front_rank_of(b, x);
  if (b->failed)
    return;
  weft_value *y = front_do(b, "Equal", front_unsqueezed(b, x, rank), front_flat(b, in), NULL);
  y = front_reduced(b, "ReduceAny", y, &(int64_t){rank}, 1, false);
  pt_result(o, 0, invert ? front_do(b, "LogicalNot", y, NULL, NULL) : y);
}

// In inference a leak with the mean of its bounds.
static void special_rrelu(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  if (pt_bool(o, "training", false))
    front_fail(b, WEFT_E_UNSUPPORTED,
               "the model was exported in training mode: call model.eval() before torch.export.export");
  double slope = (pt_float(o, "lower", 1.0 / 8) + pt_float(o, "upper", 1.0 / 3)) / 2;
  front_set_float(b, "negative_slope", slope);
  pt_result(o, 0, front_do(b, "LeakyRelu", v, NULL, NULL));
}

#define DIGAMMA "SelectV2(Equal(self, 0), RealDiv(-1, self), Digamma(self))"
#define ENTR    "SelectV2(Less(self, 0), Log(ZerosLike(self)), Neg(Xlogy(self, self)))"
#define NDTR    "Mul(Erfc(Mul(self, -0.7071067811865476)), 0.5)"
// Far to the left, where NDTR is too small for a number: by its asymptotic series.
#define LOG_NDTR                                                                  \
  "SelectV2(Less(self, -10), "                                                    \
  "Sub(Log1p(Mul(RealDiv(-1, Square(self)), Sub(1, RealDiv(3, Square(self))))), " \
  "Add(Mul(0.5, Square(self)), Add(Log(Abs(self)), 0.9189385332046727))), Log(" NDTR "))"
#define I0 "Mul(BesselI0e(self), Exp(Abs(self)))"
#define I1 "Mul(BesselI1e(self), Exp(Abs(self)))"
#define LCM                                                                                           \
  "SelectV2(Equal(Gcd(self, other), 0), ZerosLike(self), Abs(Mul(self, Div(other, Maximum(Gcd(self, " \
  "other), 1)))))"
static const pt_row special_rows[] = {
    {"negative", "Neg(self)", 'T', NULL, 0},
    {"arcsin", "Asin(self)", 'T', NULL, 0},
    {"arccos", "Acos(self)", 'T', NULL, 0},
    {"arctan", "Atan(self)", 'T', NULL, 0},
    {"arcsinh", "Asinh(self)", 'T', NULL, 0},
    {"arccosh", "Acosh(self)", 'T', NULL, 0},
    {"arctanh", "Atanh(self)", 'T', NULL, 0},
    {"digamma", DIGAMMA, 'T', NULL, 0},
    {"lgamma", "Lgamma(self)", 'T', NULL, 0},
    {"erfinv", "Erfinv(self)", 'T', NULL, 0},
    {"i0", I0, 'T', NULL, 0},
    {"igamma", "Igamma(self, other)", 'T', NULL, 0},
    {"igammac", "Igammac(self, other)", 'T', NULL, 0},
    {"polygamma", NULL, 0, special_polygamma, 0},
    {"mvlgamma", NULL, 0, special_multigammaln, 0},
    {"ldexp", "Mul(self, Pow(2, other))", 'T', NULL, 0},
    {"gcd", "Gcd(self, other)", 'T', NULL, 0},
    {"lcm", LCM, 'T', NULL, 0},
    {"nextafter", "NextAfter(self, other)", 'T', NULL, 0},
    {"isclose", NULL, 0, special_isclose, 0},
    {"isneginf", NULL, 0, special_isneginf, 0},
    {"isposinf", NULL, 0, special_isposinf, 0},
    {"isreal", "Equal(ZerosLike(self), ZerosLike(self))", 'P', NULL, 0},
    {"isin", NULL, 0, special_isin, 0},
    {"rrelu", NULL, 0, special_rrelu, 0},
    {"special_digamma", DIGAMMA, 'T', NULL, 0},
    {"special_psi", DIGAMMA, 'T', NULL, 0},
    {"special_gammaln", "Lgamma(self)", 'T', NULL, 0},
    {"special_gammainc", "Igamma(self, other)", 'T', NULL, 0},
    {"special_gammaincc", "Igammac(self, other)", 'T', NULL, 0},
    {"special_polygamma", NULL, 0, special_polygamma, 0},
    {"special_multigammaln", NULL, 0, special_multigammaln, 0},
    {"special_erf", "Erf(self)", 'T', NULL, 0},
    {"special_erfc", "Erfc(self)", 'T', NULL, 0},
    {"special_erfinv", "Erfinv(self)", 'T', NULL, 0},
    {"special_entr", ENTR, 'T', NULL, 0},
    {"special_ndtr", NDTR, 'T', NULL, 0},
    {"special_log_ndtr", LOG_NDTR, 'T', NULL, 0},
    {"special_ndtri", "Ndtri(self)", 'T', NULL, 0},
    {"special_exp2", "Exp(self, base=2)", 'T', NULL, 0},
    {"special_expm1", "Expm1(self)", 'T', NULL, 0},
    {"special_log1p", "Log1p(self)", 'T', NULL, 0},
    {"special_xlog1py", "Xlog1py(self, other)", 'T', NULL, 0},
    {"special_xlogy", "Xlogy(self, other)", 'T', NULL, 0},
    {"special_zeta", "Zeta(self, other)", 'T', NULL, 0},
    {"special_i0", I0, 'T', NULL, 0},
    {"special_i0e", "BesselI0e(self)", 'T', NULL, 0},
    {"special_i1", I1, 'T', NULL, 0},
    {"special_i1e", "BesselI1e(self)", 'T', NULL, 0},
};
const pt_rows pt_special = PT_ROWS(special_rows);
// SPDX-License-Identifier: Apache-2.0
