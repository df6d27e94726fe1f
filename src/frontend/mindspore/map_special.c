// map_special.c - special functions, divisors of whole numbers, distances, and tensors made of a rule:
// spaces, windows, triangles.
#include <math.h>

#include "frontend/mindspore/tables.h"

static bool special_has_fractions(const weft_value *v) {
  return v && (WEFT_BIT(v->fact.dtype) & WEFT_FLOATS) != 0;
}

// The larger or smaller one; where one is NaN, the other.
static void special_ignoring_nan(ms_op *o, const char *type) {
  front_op *b = &o->b;
  weft_dtype t = ms_out_type(o, 0);
  weft_value *x = ms_operand(o, "x", t);
  weft_value *y = ms_operand(o, "y", t);
  weft_value *v = front_do(b, type, x, y, NULL);
  if (special_has_fractions(v)) {
    v = front_where(b, front_do(b, "IsNan", y, NULL, NULL), x, v);
    v = front_where(b, front_do(b, "IsNan", x, NULL, NULL), y, v);
  }
  ms_give(o, v);
}
static void special_fmax(ms_op *o) {
  special_ignoring_nan(o, "Maximum");
}
static void special_fmin(ms_op *o) {
  special_ignoring_nan(o, "Minimum");
}

static void special_polygamma(ms_op *o) {
  weft_value *x = ms_operand(o, "x", ms_out_type(o, 0));
  ms_give(o, front_polygamma(&o->b, ms_int(o, "n", 0), x));
}
static void special_multigammaln(ms_op *o) {
  weft_value *x = ms_operand(o, "x", ms_out_type(o, 0));
  ms_give(o, front_multigammaln(&o->b, ms_int(o, "p", 1), x));
}

// The distance of 1 to the next number.
static void special_eps(ms_op *o) {
  weft_value *x = ms_tensor(o, "x");
  const weft_dtype t = x ? x->fact.dtype : (weft_dtype)WEFT_FLOAT;
  const int bits = t == WEFT_DOUBLE ? 52 : t == WEFT_FLOAT16 ? 10 : t == WEFT_BF16 ? 7 : 23;
  weft_value *one = front_do(&o->b, "OnesLike", x, NULL, NULL);
  ms_give(o, front_do(&o->b, "Mul", one, front_num(&o->b, t, ldexp(1, -bits)), NULL));
}

// ---- made of a rule ----
enum { SPECIAL_MOST = 1 << 20 };  // places

static bool special_count(ms_op *o, const char *name, int64_t n) {
  if (!o->b.failed && (n < 0 || n > SPECIAL_MOST))
    front_fail(&o->b, WEFT_E_RANGE, "argument '%s' is %lld, expected 0 to %d", name, (long long)n,
               SPECIAL_MOST);
  return !o->b.failed;
}

static void special_logspace(ms_op *o) {
  front_op *b = &o->b;
  weft_value *from = front_reshaped(b, ms_operand(o, "start", WEFT_DOUBLE), NULL, 0);
  weft_value *to = front_reshaped(b, ms_operand(o, "end", WEFT_DOUBLE), NULL, 0);
  const int64_t steps = ms_int(o, "steps", 10);
  const double base = ms_float(o, "base", 10);
  if (!special_count(o, "steps", steps))
    return;
  weft_value *v = front_do(b, "LinSpace", from, to, front_index(b, steps));
  v = front_do(b, "Pow", front_num(b, WEFT_DOUBLE, base), v, NULL);
  ms_give(o, front_as(b, v, ms_out_type(o, 0)));
}

// Rows and columns of a triangle, [2, n].
static void special_triangle(ms_op *o, bool upper) {
  const int64_t rows = ms_int(o, "row", 0);
  const int64_t columns = ms_int(o, "col", 0);
  const int64_t offset = ms_int(o, "offset", 0);
  if (special_count(o, "row", rows) && special_count(o, "col", columns))
    ms_give(o, front_as(&o->b,
                        front_triangle(&o->b, front_index(&o->b, rows), front_index(&o->b, columns), offset,
                                       upper),
                        ms_out_type(o, 0)));
}
static void special_tril_indices(ms_op *o) {
  special_triangle(o, false);
}
static void special_triu_indices(ms_op *o) {
  special_triangle(o, true);
}

static void special_window(ms_op *o, front_window w) {
  const int64_t n = ms_int(o, "n", 0);
  const bool periodic = ms_bool(o, "periodic", true);
  w.alpha = ms_float(o, "alpha", w.alpha);
  w.beta = ms_float(o, "beta", w.beta);
  ms_give(o, front_windowed(&o->b, &w, n, periodic, ms_out_type(o, 0)));
}
static void special_hamming(ms_op *o) {
  special_window(o, (front_window){FRONT_HAMMING, 0.54, 0.46});
}
static void special_blackman(ms_op *o) {
  special_window(o, (front_window){.kind = FRONT_BLACKMAN});
}
static void special_bartlett(ms_op *o) {
  special_window(o, (front_window){.kind = FRONT_BARTLETT});
}

#define LCM "SelectV2(Equal(Gcd(x, y), 0), ZerosLike(x), Abs(Mul(x, Div(y, Maximum(Gcd(x, y), 1)))))"
static const ms_row special_rows[] = {
    {"BartlettWindow", "n", NULL, 0, special_bartlett},
    {"BesselI0", "x", "Mul(BesselI0e(x), Exp(Abs(x)))", 'T', NULL},
    MS_UNARY("BesselI0e", "BesselI0e"),
    {"BesselI1", "x", "Mul(BesselI1e(x), Exp(Abs(x)))", 'T', NULL},
    MS_UNARY("BesselI1e", "BesselI1e"),
    {"Betainc", "a b x", "Betainc(a, b, x)", 'T', NULL},
    MS_UNARY("BesselJ0", "BesselJ0"),
    MS_UNARY("BesselJ1", "BesselJ1"),
    MS_UNARY("BesselK0", "BesselK0"),
    MS_UNARY("BesselK0e", "BesselK0e"),
    MS_UNARY("BesselK1", "BesselK1"),
    MS_UNARY("BesselK1e", "BesselK1e"),
    MS_UNARY("BesselY0", "BesselY0"),
    MS_UNARY("BesselY1", "BesselY1"),
    {"BlackmanWindow", "n", NULL, 0, special_blackman},
    {"Cdist", "x y p", "Cdist(x, y, p=@p|2)", 'T', NULL},
    MS_UNARY("Dawsn", "Dawsn"),
    MS_UNARY("Digamma", "Digamma"),
    {"Eps", "x", NULL, 0, special_eps},
    MS_UNARY("Erfinv", "Erfinv"),
    MS_UNARY("Expint", "Expint"),
    {"Fmax", "x y", NULL, 0, special_fmax},
    {"Fmin", "x y", NULL, 0, special_fmin},
    MS_BINARY("Gcd", "Gcd"),
    {"HammingWindow", "n", NULL, 0, special_hamming},
    {"Heaviside", "x y", "SelectV2(Equal(x, 0), y, SelectV2(Greater(x, 0), OnesLike(x), ZerosLike(x)))", 'T',
     NULL},
    MS_BINARY("Igamma", "Igamma"),
    MS_BINARY("Igammac", "Igammac"),
    {"Lcm", "x y", LCM, 'T', NULL},
    MS_UNARY("Lgamma", "Lgamma"),
    {"LogSpace", "start end", NULL, 0, special_logspace},
    {"MatrixSolve", "x y adjoint", "MatrixSolve(x, y, adjoint=@adjoint|0)", 'T', NULL},
    {"Mvlgamma", "x", NULL, 0, special_multigammaln},
    MS_BINARY("NextAfter", "NextAfter"),
    {"Polygamma", "n x", NULL, 0, special_polygamma},
    {"PopulationCount", "x", "PopulationCount(x)", '-', NULL},
    MS_UNARY("Spence", "Spence"),
    {"TrilIndices", "", NULL, 0, special_tril_indices},
    {"TriuIndices", "", NULL, 0, special_triu_indices},
    MS_BINARY("Zeta", "Zeta"),
};
const ms_rows ms_special = MS_ROWS(special_rows);
// SPDX-License-Identifier: Apache-2.0
