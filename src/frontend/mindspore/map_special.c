// map_special.c - special functions, divisors of whole numbers, distances.
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

#define LCM "SelectV2(Equal(Gcd(x, y), 0), ZerosLike(x), Abs(Mul(x, Div(y, Maximum(Gcd(x, y), 1)))))"
static const ms_row special_rows[] = {
    {"BesselI0", "x", "Mul(BesselI0e(x), Exp(Abs(x)))", 'T', NULL},
    MS_UNARY("BesselI0e", "BesselI0e"),
    {"BesselI1", "x", "Mul(BesselI1e(x), Exp(Abs(x)))", 'T', NULL},
    MS_UNARY("BesselI1e", "BesselI1e"),
    {"Betainc", "a b x", "Betainc(a, b, x)", 'T', NULL},
    {"Cdist", "x y p", "Cdist(x, y, p=@p|2)", 'T', NULL},
    MS_UNARY("Dawsn", "Dawsn"),
    MS_UNARY("Digamma", "Digamma"),
    MS_UNARY("Erfinv", "Erfinv"),
    MS_UNARY("Expint", "Expint"),
    {"Fmax", "x y", NULL, 0, special_fmax},
    {"Fmin", "x y", NULL, 0, special_fmin},
    MS_BINARY("Gcd", "Gcd"),
    {"Heaviside", "x y", "SelectV2(Equal(x, 0), y, SelectV2(Less(x, 0), ZerosLike(x), OnesLike(x)))", 'T',
     NULL},
    MS_BINARY("Igamma", "Igamma"),
    MS_BINARY("Igammac", "Igammac"),
    {"Lcm", "x y", LCM, 'T', NULL},
    MS_UNARY("Lgamma", "Lgamma"),
    {"MatrixSolve", "x y adjoint", "MatrixSolve(x, y, adjoint=@adjoint|0)", 'T', NULL},
    MS_BINARY("NextAfter", "NextAfter"),
    {"PopulationCount", "x", "PopulationCount(x)", '-', NULL},
    MS_UNARY("Spence", "Spence"),
    MS_BINARY("Zeta", "Zeta"),
};
const ms_rows ms_special = MS_ROWS(special_rows);
// SPDX-License-Identifier: Apache-2.0
