// ops/special/gamma.c - functions of two or three numbers around the gamma function: its incomplete forms
// and what they change with a, the incomplete beta function, Hurwitz's zeta. In double, broadcast.
#define _DEFAULT_SOURCE 1  // lgamma_r
#include "numeric.h"
#include "op/air_rows.h"

typedef struct gamma_dual {  // a number and its derivative by a
  double v, d;
} gamma_dual;

enum { GAMMA_TURNS = 20000 };

// lgamma() of libm writes to a variable of the whole process
static double gamma_ln(double x) {
  int sign;
  return lgamma_r(x, &sign);
}

static double gamma_psi(double x) {  // x > 0
  double sum = 0;
  for (; x < 10; x++)
    sum -= 1 / x;
  double r = 1 / (x * x);
  return sum + log(x) - 0.5 / x -
         r * (1.0 / 12 - r * (1.0 / 120 - r * (1.0 / 252 - r * (1.0 / 240 - r / 132))));
}

// sum of x^n / ((a + 1) ... (a + n)): P(a, x) is x^a e^-x / gamma(a + 1) times it
static gamma_dual gamma_series(double a, double x) {
  gamma_dual term = {1, 0};
  gamma_dual sum = {1, 0};
  for (int n = 1; n < GAMMA_TURNS; n++) {
    double f = x / (a + n);
    term.d = term.d * f - term.v * f / (a + n);
    term.v *= f;
    sum.v += term.v;
    sum.d += term.d;
    if (term.v < sum.v * 1e-17 && fabs(term.d) <= fabs(sum.d) * 1e-17)
      break;
  }
  return sum;
}

static gamma_dual gamma_times(gamma_dual x, gamma_dual y) {
  return (gamma_dual){x.v * y.v, x.d * y.v + x.v * y.d};
}
static gamma_dual gamma_inverse(gamma_dual x) {
  return (gamma_dual){1 / x.v, -x.d / (x.v * x.v)};
}

// Lentz's continued fraction: Q(a, x) is x^a e^-x / gamma(a) times it
static gamma_dual gamma_fraction(double a, double x) {
  gamma_dual b = {x + 1 - a, -1};
  gamma_dual c = {1e300, 0};
  gamma_dual d = gamma_inverse(b);
  gamma_dual h = d;
  for (int i = 1; i < GAMMA_TURNS; i++) {
    const gamma_dual an = {-i * (i - a), i};
    b.v += 2;
    gamma_dual low = gamma_times(an, d);
    gamma_dual high = gamma_times(an, gamma_inverse(c));
    d = gamma_inverse((gamma_dual){low.v + b.v, low.d + b.d});
    c = (gamma_dual){high.v + b.v, high.d + b.d};
    gamma_dual step = gamma_times(d, c);
    h = gamma_times(h, step);
    if (fabs(step.v - 1) < 1e-16 && fabs(step.d) < 1e-16)
      break;
  }
  return h;
}

static bool gamma_outside(double a, double x) {
  return !(a > 0) || !(x >= 0) || (isinf(a) && isinf(x));
}
// At 0 all is 0, of any a that is a number.
static double gamma_lower(double a, double x) {
  if (x == 0 && !isnan(a))
    return 0;
  if (gamma_outside(a, x))
    return NAN;
  if (isinf(a) || isinf(x))
    return isinf(x);
  if (x > a + 1)
    return 1 - exp(a * log(x) - x - gamma_ln(a)) * gamma_fraction(a, x).v;
  return exp(a * log(x) - x - gamma_ln(a + 1)) * gamma_series(a, x).v;
}
static double gamma_upper(double a, double x) {
  if (gamma_outside(a, x))
    return NAN;
  if (x == 0 || isinf(a) || isinf(x))
    return !isinf(x);
  if (x > a + 1)
    return exp(a * log(x) - x - gamma_ln(a)) * gamma_fraction(a, x).v;
  return 1 - exp(a * log(x) - x - gamma_ln(a + 1)) * gamma_series(a, x).v;
}

// How a sample x of the gamma distribution changes with a while P(a, x) stays: -(dP/da) / (dP/dx).
static double gamma_sample_grad(double a, double x) {
  if (x == 0 && !isnan(a))
    return 0;
  if (gamma_outside(a, x) || isinf(a) || isinf(x))
    return NAN;
  if (x > a + 1) {
    gamma_dual h = gamma_fraction(a, x);
    return x * (h.v * (log(x) - gamma_psi(a)) + h.d);
  }
  gamma_dual s = gamma_series(a, x);
  return -x / a * (s.v * (log(x) - gamma_psi(a + 1)) + s.d);
}
static double gamma_lower_by_a(double a, double x) {
  if (x == 0 && !isnan(a))
    return 0;
  if (gamma_outside(a, x) || isinf(a))
    return NAN;
  if (isinf(x))
    return 0;
  return -gamma_sample_grad(a, x) * exp((a - 1) * log(x) - x - gamma_ln(a));
}

// Hurwitz: the sum of (q + k)^-x, its first terms and Euler and Maclaurin's for the rest.
// Terms below 0 are those of positive numbers with another sign: as many as there are, but not one by one.
static double gamma_zeta(double x, double q) {
  static const double even[] = {12.0,
                                -720.0,
                                30240.0,
                                -1209600.0,
                                47900160.0,
                                -1.8924375803183791606e9,
                                7.47242496e10,
                                -2.950130727918164224e12,
                                1.1646782814350067249e14,
                                -4.5979787224074726105e15};
  if (isnan(x) || isnan(q) || x < 1)
    return NAN;
  if (x == 1)
    return INFINITY;
  if (q <= 0 && q == floor(q))
    return x == floor(x) && fmod(x, 2) == 0 ? INFINITY : NAN;
  if (q <= 0 && x != floor(x))
    return NAN;
  if (isinf(q))
    return 0;
  if (q < 0) {
    const double part = q - floor(q);
    const double below = gamma_zeta(x, 1 - part) - gamma_zeta(x, 1 - q);
    return gamma_zeta(x, part) + (fmod(x, 2) == 0 ? below : -below);
  }
  double sum = 0;
  double at = q;
  for (int i = 0; i < 10 || at <= 10; i++, at++)
    sum += pow(at, -x);
  double power = pow(at, -x);
  sum += power * at / (x - 1) + power / 2;
  double k = x;
  power /= at;
  for (size_t i = 0; i < WEFT_COUNT(even); i++) {
    sum += k * power / even[i];
    k *= (x + 2 * (double)i + 1) * (x + 2 * (double)i + 2);
    power /= at * at;
  }
  return sum;
}

static double beta_fraction(double a, double b, double x) {
  double c = 1;
  double d = 1 / (1 - (a + b) * x / (a + 1));
  double h = d;
  for (int m = 1; m < GAMMA_TURNS; m++) {
    double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / (1 + even * d);
    c = 1 + even / c;
    h *= d * c;
    d = 1 / (1 + odd * d);
    c = 1 + odd / c;
    h *= d * c;
    if (fabs(d * c - 1) < 1e-16)
      break;
  }
  return h;
}
static double beta_incomplete(double a, double b, double x) {
  if (!(a > 0) || !(b > 0) || !(x >= 0 && x <= 1))
    return NAN;
  if (x == 0 || x == 1)
    return x;
  double front = exp(gamma_ln(a + b) - gamma_ln(a) - gamma_ln(b) + a * log(x) + b * log1p(-x));
  if (x < (a + 1) / (a + b + 2))
    return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

static double gamma_next(double x, double y) {
  return nextafter(x, y);
}
static double gamma_nextf(double x, double y) {
  return (double)nextafterf((float)x, (float)y);
}
static weft_status gamma_next_ref(const weft_call *c) {
  return weft__binary_mixed(c, &(weft_binary){.f = c->in[0]->dtype == WEFT_FLOAT ? gamma_nextf : gamma_next});
}

static uint64_t gamma_gcd_u(uint64_t a, uint64_t b, const char **bad) {
  (void)bad;
  while (b) {
    uint64_t r = a % b;
    a = b;
    b = r;
  }
  return a;
}
static int64_t gamma_gcd(int64_t a, int64_t b, const char **bad) {
  uint64_t x = a < 0 ? 0 - (uint64_t)a : (uint64_t)a;
  uint64_t y = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
  return (int64_t)gamma_gcd_u(x, y, bad);
}

static weft_status gamma_ref(const weft_call *c) {
  return weft__binary_mixed(c, c->desc->op->user);
}

static weft_status beta_ref(const weft_call *c) {
  weft_walk w;
  const weft_tensor *const *in = c->in;
  weft__walk_init(&w, &c->out[0]->layout.origin);
  for (int k = 0; k < 3; k++)
    weft__walk_operand(&w, k, &in[k]->layout.origin);
  for (; w.i < w.n; weft__walk_next(&w)) {
    double a = weft_load_f64(in[0]->dtype, in[0]->data, w.at[0]);
    double b = weft_load_f64(in[1]->dtype, in[1]->data, w.at[1]);
    double x = weft_load_f64(in[2]->dtype, in[2]->data, w.at[2]);
    WEFT_TRY(weft__poll_at(c, w.i));
    weft_store_f64(c->out[0]->dtype, c->out[0]->data, w.i, beta_incomplete(a, b, x));
  }
  return WEFT_OK;
}

#define PAIRS .traits = WEFT_SYMBOLIC | WEFT_MONOTONE | WEFT_ELEMENTWISE, .infer = weft__infer_broadcast
#define PAIR(op_name, says, function, ...)                                                           \
  {.name = op_name, .summary = says, PAIRS, .ref = gamma_ref, .user = &(const weft_binary){.f = function}, \
   .examples = WEFT_EXAMPLES(__VA_ARGS__)}

// clang-format off
WEFT_ROWS(gamma) = {
  PAIR("Igamma", "the regularised lower incomplete gamma function", gamma_lower,
       "f32[3]{1,2,5}, f32[3]{1,0,20} -> f32[3]{0.6321206,0,0.999983} ~1e-6",
       "f32[4]{inf,inf,0,1}, f32[4]{3,inf,0,inf} -> f32[4]{0,nan,0,1}", "f32[N,2], f32[2] -> f32[N,2]"),
  PAIR("Igammac", "the regularised upper incomplete gamma function", gamma_upper,
       "f64[3]{1,2,0}, f64[3]{1,0,1} -> f64[3]{0.36787944117144233,1,nan} ~1e-12",
       "f32[4]{inf,inf,0,1}, f32[4]{3,inf,0,inf} -> f32[4]{1,nan,nan,0}"),
  PAIR("IgammaGradA", "the derivative of Igamma by a", gamma_lower_by_a,
       "f64[2]{1,1}, f64[2]{1,4} -> f64[2]{-0.43172971,-0.03974229} ~1e-6"),
  PAIR("RandomGammaGrad", "how a sample of a gamma distribution changes with alpha", gamma_sample_grad,
       "f64[2]{1,1}, f64[2]{1,4} -> f64[2]{1.17356306,2.16985839} ~1e-5"),
  PAIR("Zeta", "Hurwitz's zeta function", gamma_zeta,
       "f32[3]{2,3,1}, f32[3]{1,1,1} -> f32[3]{1.6449341,1.2020569,inf} ~1e-6",
       "f64[3]{2,3,2}, f64[3]{-0.5,-1.5,inf} -> f64[3]{8.934802200544679,0.1181020258208636,0} ~1e-12",
       "f64[1]{2}, f64[1]{-1000000000000.5} -> f64[1]{9.869604401088358} ~1e-12"),
  {.name = "Betainc", .summary = "the regularised incomplete beta function", PAIRS, .ref = beta_ref,
   .examples = WEFT_EXAMPLES("f32[3]{1,2,0.5}, f32[3]{1,3,0.5}, f32[3]{0.25,0.5,1} -> f32[3]{0.25,0.6875,1} "
   "~1e-6", "f32[N], f32[N], f32[N] -> f32[N]")},
  {.name = "NextAfter", .summary = "the next number after x1 towards x2", PAIRS, .ref = gamma_next_ref,
   .examples = WEFT_EXAMPLES("f32[2]{1,0}, f32[2]{2,0} -> f32[2]{1.00000012,0}",
   "f64[1]{1}, f64[1]{0} -> f64[1]{0.99999999999999989}")},
  {.name = "Gcd", .summary = "the greatest common divisor", PAIRS, .ref = gamma_ref,
       .user = &(const weft_binary){.i = gamma_gcd, .u = gamma_gcd_u},
   .examples = WEFT_EXAMPLES("i32[3]{12,-4,0}, i32[3]{18,6,5} -> i32[3]{6,2,5}", "u8[N], u8[1] -> u8[N]")},
  {0},
};
// SPDX-License-Identifier: Apache-2.0
