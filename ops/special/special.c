// ops/special/special.c - functions of mathematics that neither primitives nor libm give at once, in double:
// digamma, Dawson's, Spence's, Fresnel's integrals, Bessel's, and the few of libm that AscendIR names.
#define _DEFAULT_SOURCE 1  // lgamma_r
#include "numeric.h"
#include "op/air_rows.h"

static weft_status special_ref(const weft_call *c) {
  return weft__unary(c, c->desc->op->user);
}

// Reflected below 0, raised to 10, then its asymptotic series. NaN at its poles, as TensorFlow has it.
static double digamma(double x) {
  const double pi = 3.14159265358979323846;
  double sum = 0;
  if (x <= 0 && x == floor(x))
    return NAN;
  if (x < 0)
    return digamma(1 - x) - pi / tan(pi * x);
  for (; x < 10; x++)
    sum -= 1 / x;
  double r = 1 / (x * x);
  double series =
      r *
      (1.0 / 12 - r * (1.0 / 120 - r * (1.0 / 252 - r * (1.0 / 240 - r * (1.0 / 132 - r * 691.0 / 32760)))));
  return sum + log(x) - 0.5 / x - series;
}

// Rybicki's sum: sqrt(pi) D(x) is a sum of e^-(x - nh)^2 / n over odd n; its error is e^-(pi / 2h)^2.
static double dawson(double x) {
  const double h = 0.3;
  if (isinf(x) || isnan(x))
    return isnan(x) ? x : copysign(0.0, x);
  if (fabs(x) < 0.2) {
    double s = x * x;
    return x * (1 - s * 2 / 3 * (1 - s * 2 / 5 * (1 - s * 2 / 7 * (1 - s * 2 / 9 * (1 - s * 2 / 11)))));
  }
  if (fabs(x) > 1e4)
    return 0.5 / x;
  double a = fabs(x);
  double n0 = 2 * floor(0.5 * a / h + 0.5);
  double sum = 0;
  for (int k = -41; k <= 41; k += 2)
    sum += exp(-(a - n0 * h - k * h) * (a - n0 * h - k * h)) / (n0 + k);
  return copysign(sum * 0.5641895835477562869, x);
}

// The dilogarithm of 1 - x: its series where 1 - x is small, and the relations that lead there.
static double spence(double x) {
  const double sixth = 1.64493406684822643647;  // pi^2 / 6
  if (x < 0)
    return NAN;
  if (x == 0)
    return sixth;
  if (isinf(x))
    return -x;
  if (x > 2)
    return -spence(1 / x) - 0.5 * log(x) * log(x);
  if (x < 0.5)
    return sixth - log(x) * log1p(-x) - spence(1 - x);
  double z = 1 - x;
  double power = z;
  double sum = 0;
  if (x > 1.5)  // |z| up to 1: z / (z - 1) is smaller
    return -spence(1 / x) - 0.5 * log(x) * log(x);
  for (int k = 1; k < 120; k++, power *= z)
    sum += power / ((double)k * k);
  return sum;
}

// C and S by their power series up to 3, beyond by continued fractions of the complementary error function.
static void fresnel(double x, double out[2]) {
  const double pi = 3.14159265358979323846;
  double a = fabs(x);
  if (isinf(a) || a > 1e8) {
    out[0] = out[1] = copysign(0.5, x);
  } else if (a < 1.5) {
    double t = pi / 2 * a * a;
    double term = a;
    double c = 0;
    double s = 0;
    for (int n = 0; n < 60; n++) {
      if (n % 2 == 0)
        c += (n % 4 ? -term : term) / (2 * n + 1);
      else
        s += (n % 4 == 1 ? term : -term) / (2 * n + 1);
      term *= t / (n + 1);
    }
    out[0] = copysign(c, x);
    out[1] = copysign(s, x);
  } else {
    double complex b = 1 - I * pi * a * a;
    double complex cc = 1e30;
    double complex d = 1 / b;
    double complex h = d;
    for (int n = 1; n < 400; n += 2) {
      double k = -(double)n * (n + 1);
      b += 4;
      d = 1 / (k * d + b);
      cc = b + k / cc;
      double complex del = cc * d;
      h *= del;
      if (fabs(creal(del) - 1) + fabs(cimag(del)) < 1e-16)
        break;
    }
    h *= a - I * a;
    double complex r = (0.5 + 0.5 * I) * (1 - cexp(I * pi / 2 * a * a) * h);
    out[0] = copysign(creal(r), x);
    out[1] = copysign(cimag(r), x);
  }
}
static double fresnel_cos(double x) {
  double r[2];
  fresnel(x, r);
  return isnan(x) ? x : r[0];
}
static double fresnel_sin(double x) {
  double r[2];
  fresnel(x, r);
  return isnan(x) ? x : r[1];
}

// e^-|x| I_n(x): the power series to 20, the asymptotic one beyond.
static double bessel_ie(double x, int n) {
  double a = fabs(x);
  double sum = 0;
  if (isinf(a))
    return 0;
  if (a < 20) {
    double term = n ? a / 2 : 1;
    for (int k = 1; k < 200 && term > sum * 1e-18; k++) {
      sum += term;
      term *= a * a / 4 / ((double)k * (k + n));
    }
    sum *= exp(-a);
  } else {
    double mu = 4.0 * n * n;
    double term = 1;
    for (int k = 1; k < 30; k++) {
      sum += term;
      double next = -term * (mu - (2.0 * k - 1) * (2.0 * k - 1)) / (k * 8 * a);
      if (fabs(next) > fabs(term))
        break;
      term = next;
    }
    sum /= sqrt(2 * 3.14159265358979323846 * a);
  }
  return n ? copysign(sum, x) : sum;
}
static double bessel_i0e(double x) {
  return isnan(x) ? x : bessel_ie(x, 0);
}
static double bessel_i1e(double x) {
  return isnan(x) ? x : bessel_ie(x, 1);
}

static int64_t special_same(int64_t v) {
  return v;
}
static uint64_t special_same_u(uint64_t v) {
  return v;
}
// lgamma() of libm writes to a variable of the whole process
static double special_lgamma(double x) {
  int sign;
  return lgamma_r(x, &sign);
}

#define SPECIAL(op_name, says, function, ...)                                                               \
  {                                                                                                         \
    .name = op_name, .summary = says,                                                                       \
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE | WEFT_ELEMENTWISE | WEFT_INPLACE, .infer = weft__infer_same,   \
    .ref = special_ref, .user = &(const weft_unary){.f = function, .i = special_same, .u = special_same_u}, \
    .examples = WEFT_EXAMPLES(__VA_ARGS__)                                                                  \
  }

WEFT_ROWS(special) = {
    SPECIAL("Erfc", "1 - erf(x)", erfc, "f32[2]{0,10} -> f32[2]{1,2.0884876e-45}", "f32[N] -> f32[N]"),
    SPECIAL("Lgamma", "ln |gamma(x)|", special_lgamma, "f32[3]{1,3,0} -> f32[3]{0,0.6931472,inf}"),
    SPECIAL("Trunc", "x rounded towards 0", trunc, "f32[2]{1.7,-1.7} -> f32[2]{1,-1}",
            "i32[1]{5} -> i32[1]{5}"),
    SPECIAL("TruncV2", "x rounded towards 0", trunc, "f32[2]{1.7,-1.7} -> f32[2]{1,-1}"),
    SPECIAL("Digamma", "the derivative of ln gamma(x)", digamma,
            "f32[3]{1,-0.5,0} -> f32[3]{-0.5772157,0.03648998,nan} ~1e-6"),
    SPECIAL("Dawsn", "Dawson's integral", dawson, "f32[3]{0,1,-2} -> f32[3]{0,0.5380795,-0.30134039} ~1e-6"),
    SPECIAL("Spence", "the dilogarithm of 1 - x", spence,
            "f32[3]{1,0,2} -> f32[3]{0,1.6449341,-0.8224670} ~1e-6"),
    SPECIAL("FresnelCos", "the integral of cos(pi t^2 / 2) from 0 to x", fresnel_cos,
            "f32[3]{0,1,5} -> f32[3]{0,0.7798934,0.5636312} ~1e-6"),
    SPECIAL("FresnelSin", "the integral of sin(pi t^2 / 2) from 0 to x", fresnel_sin,
            "f32[3]{0,1,5} -> f32[3]{0,0.4382591,0.4991914} ~1e-6"),
    SPECIAL("BesselI0e", "e^-|x| I0(x)", bessel_i0e, "f32[2]{0,1} -> f32[2]{1,0.4657596} ~1e-6"),
    SPECIAL("BesselI1e", "e^-|x| I1(x)", bessel_i1e, "f32[2]{0,1} -> f32[2]{0,0.2079104} ~1e-6"),
    {0},
};
// SPDX-License-Identifier: Apache-2.0
