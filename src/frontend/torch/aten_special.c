// aten_special.c - special functions of torch.special and under their older names, other names of what
// aten_math.c has, and comparisons with tolerances.
#include <math.h>

#include "frontend/torch/tables.h"

// These functions are computed in f32 where the result is narrower (mode 'S' of a row).
static weft_dtype special_type(pt_op *o) {
  weft_dtype t = pt_out_type(o, 0);
  return t == WEFT_BF16 || t == WEFT_FLOAT16 ? (weft_dtype)WEFT_FLOAT : t;
}
static void special_result(pt_op *o, weft_value *y) {
  pt_result(o, 0, front_as(&o->b, y, pt_out_type(o, 0)));
}

// Digamma, which is -1 / x at 0.
static weft_value *special_digamma_of(front_op *b, weft_value *x) {
  weft_dtype t = x ? x->fact.dtype : (weft_dtype)WEFT_FLOAT;
  weft_value *pole = front_do(b, "RealDiv", front_num(b, t, -1), x, NULL);
  weft_value *zero = front_do(b, "Equal", x, front_num(b, t, 0), NULL);
  return front_where(b, zero, pole, front_do(b, "Digamma", x, NULL, NULL));
}

static void special_zeta(pt_op *o) {
  const weft_dtype t = special_type(o);
  weft_value *x = pt_operand(o, "self", t);
  special_result(o, front_zeta(&o->b, x, pt_operand(o, "other", t)));
}

static void special_polygamma(pt_op *o) {
  int64_t n = pt_int(o, "n", 0);
  weft_value *x = pt_operand(o, "self", special_type(o));
  special_result(o, n ? front_polygamma(&o->b, n, x) : special_digamma_of(&o->b, x));
}

// PyTorch has none of higher degree than this in single precision, and four times of it in double.
static void special_hermite(pt_op *o, const char *kind) {
  enum { MOST = 128 };
  front_op *b = &o->b;
  weft_dtype t = special_type(o);
  weft_value *x = pt_operand(o, "x", t);
  weft_value *n = pt_operand(o, "n", t);
  front_set_text(b, "kind", kind);
  weft_value *y = front_do(b, "OrthogonalPolynomial", x, n, NULL);
  weft_value *most = front_num(b, t, t == WEFT_DOUBLE ? 4 * MOST : MOST);
  weft_value *beyond = front_do(b, "Greater", n, most, NULL);
  special_result(o, front_where(b, beyond, front_num(b, t, NAN), y));
}
static void special_hermite_h(pt_op *o) {
  special_hermite(o, "hermite_h");
}
static void special_hermite_he(pt_op *o) {
  special_hermite(o, "hermite_he");
}

static void special_multigammaln(pt_op *o) {
  weft_value *x = pt_operand(o, "self", special_type(o));
  special_result(o, front_multigammaln(&o->b, pt_int(o, "p", 1), x));
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

// In inference a leak with the mean of its bounds, and the noise as it was.
static void special_rrelu(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  if (pt_bool(o, "training", false))
    front_fail(b, WEFT_E_UNSUPPORTED,
               "the model was exported in training mode: call model.eval() before torch.export.export");
  double slope = (pt_float(o, "lower", 1.0 / 8) + pt_float(o, "upper", 1.0 / 3)) / 2;
  front_set_float(b, "negative_slope", slope);
  pt_result(o, 0, front_do(b, "LeakyRelu", v, NULL, NULL));
  weft_value *noise = pt_optional(o, "noise");
  if (o->n_out > 1 && pt_wants(o, 1))
    pt_result(o, 1, noise);
}

// x as a number from 0.5 to 1 and a power of two, by the bits of f32 or f64; what has no such power stays.
static void special_frexp(pt_op *o) {
  front_op *b = &o->b;
  weft_value *self = pt_tensor(o, "self");
  if (b->failed)
    return;
  const bool wide = self->fact.dtype == WEFT_DOUBLE;
  const weft_dtype t = wide ? WEFT_DOUBLE : WEFT_FLOAT;
  const weft_dtype bits = wide ? WEFT_INT64 : WEFT_INT32;
  const int64_t place = wide ? 52 : 23;
  const int64_t most = wide ? 0x7FF : 0xFF;
  weft_value *x = front_as(b, self, t);
  weft_value *odd = front_do(b, "Equal", x, front_num(b, t, 0), NULL);
  odd = front_do(b, "LogicalOr", odd,
                 front_do(b, "LogicalNot", front_do(b, "IsFinite", x, NULL, NULL), NULL, NULL), NULL);
  weft_value *tiny = front_do(b, "Less", front_do(b, "Abs", x, NULL, NULL),
                              front_num(b, t, wide ? 0x1p-1022 : 0x1p-126), NULL);
  weft_value *scaled = front_where(b, tiny, front_do(b, "Mul", x, front_num(b, t, 0x1p60), NULL), x);
  front_set(b, "type", weft_attr_dtype(bits));
  weft_value *v = front_do(b, "Bitcast", scaled, NULL, NULL);
  weft_value *power = front_do(b, "RightShift", v, front_int(b, bits, place), NULL);
  power = front_do(b, "BitwiseAnd", power, front_int(b, bits, most), NULL);
  power = front_do(b, "Sub", power, front_int(b, bits, most / 2 - 1), NULL);
  power =
      front_do(b, "Sub", power, front_where(b, tiny, front_int(b, bits, 60), front_int(b, bits, 0)), NULL);
  v = front_do(b, "BitwiseAnd", v, front_int(b, bits, ~(most << place)), NULL);
  v = front_do(b, "BitwiseOr", v, front_int(b, bits, (most / 2 - 1) << place), NULL);
  front_set(b, "type", weft_attr_dtype(t));
  v = front_do(b, "Bitcast", v, NULL, NULL);
  pt_result(o, 0, front_as(b, front_where(b, odd, x, v), self->fact.dtype));
  pt_result(o, 1, front_as(b, front_where(b, odd, front_int(b, bits, 0), power), WEFT_INT32));
}

// 1 where x is positive, otherwise NaN: what the incomplete gamma functions sum to at a = 0.
#define GAMMA_ALL "RealDiv(Sign(Relu(other)), Sign(Relu(other)))"
#define IGAMMA    "SelectV2(Equal(self, 0), " GAMMA_ALL ", Igamma(self, other))"
#define IGAMMAC   "SelectV2(Equal(self, 0), Sub(1, " GAMMA_ALL "), Igammac(self, other))"
#define DIGAMMA   "SelectV2(Equal(self, 0), RealDiv(-1, self), Digamma(self))"
#define ENTR      "SelectV2(Less(self, 0), Log(ZerosLike(self)), Neg(Xlogy(self, self)))"
#define NDTR      "Mul(Erfc(Mul(self, -0.7071067811865476)), 0.5)"
// To the left, where NDTR is small, by what is left of it without e^(-x^2 / 2).
#define LOG_NDTR                                                                        \
  "SelectV2(Less(self, -1), "                                                           \
  "Sub(Log(Mul(0.5, Erfcx(Mul(self, -0.7071067811865476)))), Mul(0.5, Square(self))), " \
  "Log1p(Mul(-0.5, Erfc(Mul(self, 0.7071067811865476)))))"
#define I0 "Mul(BesselI0e(self), Exp(Abs(self)))"
#define I1 "Mul(BesselI1e(self), Exp(Abs(self)))"
#define SPHERICAL                     \
  "SelectV2(IsInf(x), ZerosLike(x), " \
  "SelectV2(Equal(x, 0), OnesLike(x), RealDiv(Sin(x), x)))"
#define POLYNOMIAL(kind) "OrthogonalPolynomial(x, n, kind='" kind "')"
#define SHIFTED(kind)    "OrthogonalPolynomial(Sub(Mul(x, 2), 1), n, kind='" kind "')"
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
    {"digamma", DIGAMMA, 'S', NULL, 0},
    {"lgamma", "Lgamma(self)", 'S', NULL, 0},
    {"erfinv", "Erfinv(self)", 'S', NULL, 0},
    {"i0", I0, 'S', NULL, 0},
    {"igamma", IGAMMA, 'S', NULL, 0},
    {"igammac", IGAMMAC, 'S', NULL, 0},
    {"polygamma", NULL, 0, special_polygamma, 0},
    {"mvlgamma", NULL, 0, special_multigammaln, 0},
    {"frexp.Tensor", NULL, 0, special_frexp, 0},
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
    {"rrelu_with_noise", NULL, 0, special_rrelu, 0},
    {"rrelu_with_noise_functional", NULL, 0, special_rrelu, 0},
    {"special_digamma", DIGAMMA, 'S', NULL, 0},
    {"special_psi", DIGAMMA, 'S', NULL, 0},
    {"special_gammaln", "Lgamma(self)", 'S', NULL, 0},
    {"special_gammainc", IGAMMA, 'S', NULL, 0},
    {"special_gammaincc", IGAMMAC, 'S', NULL, 0},
    {"special_polygamma", NULL, 0, special_polygamma, 0},
    {"special_multigammaln", NULL, 0, special_multigammaln, 0},
    {"special_erf", "Erf(self)", 'T', NULL, 0},
    {"special_erfc", "Erfc(self)", 'T', NULL, 0},
    {"special_erfinv", "Erfinv(self)", 'S', NULL, 0},
    {"special_entr", ENTR, 'S', NULL, 0},
    {"special_ndtr", NDTR, 'S', NULL, 0},
    {"special_log_ndtr", LOG_NDTR, 'S', NULL, 0},
    {"special_ndtri", "Ndtri(self)", 'S', NULL, 0},
    {"special_exp2", "Exp(self, base=2)", 'T', NULL, 0},
    {"special_expm1", "Expm1(self)", 'T', NULL, 0},
    {"special_log1p", "Log1p(self)", 'T', NULL, 0},
    {"special_xlog1py", "Xlog1py(self, other)", 'S', NULL, 0},
    {"special_xlogy", "Xlogy(self, other)", 'T', NULL, 0},
    {"special_zeta", NULL, 0, special_zeta, 0},
    {"special_i0", I0, 'S', NULL, 0},
    {"special_i0e", "BesselI0e(self)", 'S', NULL, 0},
    {"special_i1", I1, 'S', NULL, 0},
    {"special_i1e", "BesselI1e(self)", 'S', NULL, 0},
    {"special_modified_bessel_i0", I0, 'S', NULL, 0},
    {"special_modified_bessel_i1", I1, 'S', NULL, 0},
    {"special_modified_bessel_k0", "BesselK0(self)", 'S', NULL, 0},
    {"special_modified_bessel_k1", "BesselK1(self)", 'S', NULL, 0},
    {"special_scaled_modified_bessel_k0", "BesselK0e(x)", 'S', NULL, 0},
    {"special_scaled_modified_bessel_k1", "BesselK1e(x)", 'S', NULL, 0},
    {"special_bessel_j0", "BesselJ0(self)", 'S', NULL, 0},
    {"special_bessel_j1", "BesselJ1(self)", 'S', NULL, 0},
    {"special_bessel_y0", "BesselY0(self)", 'S', NULL, 0},
    {"special_bessel_y1", "BesselY1(self)", 'S', NULL, 0},
    {"special_spherical_bessel_j0", SPHERICAL, 'S', NULL, 0},
    {"special_airy_ai", "AiryAi(x)", 'S', NULL, 0},
    {"special_erfcx", "Erfcx(self)", 'S', NULL, 0},
    {"special_chebyshev_polynomial_t", POLYNOMIAL("chebyshev_t"), 'S', NULL, 0},
    {"special_chebyshev_polynomial_u", POLYNOMIAL("chebyshev_u"), 'S', NULL, 0},
    {"special_chebyshev_polynomial_v", POLYNOMIAL("chebyshev_v"), 'S', NULL, 0},
    {"special_chebyshev_polynomial_w", POLYNOMIAL("chebyshev_w"), 'S', NULL, 0},
    {"special_shifted_chebyshev_polynomial_t", SHIFTED("chebyshev_t"), 'S', NULL, 0},
    {"special_shifted_chebyshev_polynomial_u", SHIFTED("chebyshev_u"), 'S', NULL, 0},
    {"special_shifted_chebyshev_polynomial_v", SHIFTED("chebyshev_v"), 'S', NULL, 0},
    {"special_shifted_chebyshev_polynomial_w", SHIFTED("chebyshev_w"), 'S', NULL, 0},
    {"special_hermite_polynomial_h", NULL, 0, special_hermite_h, 0},
    {"special_hermite_polynomial_he", NULL, 0, special_hermite_he, 0},
    {"special_laguerre_polynomial_l", POLYNOMIAL("laguerre_l"), 'S', NULL, 0},
    {"special_legendre_polynomial_p", POLYNOMIAL("legendre_p"), 'S', NULL, 0},
};
const pt_rows pt_special = PT_ROWS(special_rows);
// SPDX-License-Identifier: Apache-2.0
