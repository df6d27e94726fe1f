// ops/special/elements.c - functions of one element that have another dtype, or that no primitive gives:
// inverse error functions, the exponential integral, bits, signs, and the parts of complex numbers.
#include "numeric.h"
#include "op/air_rows.h"

// The quantile of the normal distribution for p <= 0.5: Acklam's approximation and two steps of Halley's
// method.
static double element_quantile(double p) {
  static const double a[] = {-3.969683028665376e+01, 2.209460984245205e+02,  -2.759285104469687e+02,
                             1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00};
  static const double b[] = {-5.447609879822406e+01, 1.615858368580409e+02,  -1.556989798598866e+02,
                             6.680131188771972e+01,  -1.328068155288572e+01, 1};
  static const double c[] = {-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
                             -2.549732539343734e+00, 4.374664141464968e+00,  2.938163982698783e+00};
  static const double d[] = {
      0, 7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00, 3.754408661907416e+00, 1};
  const double *up = p < 0.02425 ? c : a;
  const double *down = p < 0.02425 ? d : b;
  double q = p < 0.02425 ? sqrt(-2 * log(p)) : p - 0.5;
  double t = p < 0.02425 ? q : q * q;
  double above = 0;
  double below = 0;
  for (int i = 0; i < 6; i++) {
    above = above * t + up[i];
    below = below * t + down[i];
  }
  double x = p < 0.02425 ? above / below : q * above / below;
  for (int i = 0; i < 2; i++) {
    double e = (0.5 * erfc(-x * 0.70710678118654752440) - p) * 2.50662827463100050242 * exp(x * x / 2);
    x -= e / (1 + x * e / 2);
  }
  return x;
}
static double element_ndtri(double p) {
  if (!(p >= 0 && p <= 1))
    return NAN;
  if (p == 0 || p == 1)
    return p == 0 ? -INFINITY : INFINITY;
  return p <= 0.5 ? element_quantile(p) : -element_quantile(1 - p);
}
static double element_erfinv(double y) {
  double a = fabs(y);
  if (!(a <= 1))
    return NAN;
  if (a == 1)
    return copysign(INFINITY, y);
  if (a > 0.5)
    return copysign(-element_quantile((1 - a) / 2) * 0.70710678118654752440, y);
  double x = y * 0.88622692545275801365;
  for (int i = 0; i < 6; i++)
    x -= (erf(x) - y) * 0.88622692545275801365 * exp(x * x);
  return x;
}

// Ei(x) of positive numbers: its power series, the asymptotic one beyond 40.
static double element_expint(double x) {
  double sum = 0;
  double term = 1;
  if (!(x >= 0))
    return NAN;
  if (x == 0 || isinf(x))
    return x == 0 ? -INFINITY : x;
  if (x > 40) {
    for (int k = 1; k < 40; k++) {
      sum += term;
      term *= k / x;
    }
    return exp(x) / x * sum;
  }
  for (int k = 1; k < 300; k++) {
    term *= x / k;
    sum += term / k;
  }
  return 0.57721566490153286061 + log(x) + sum;
}

static weft_status element_ref(const weft_call *c) {
  return weft__unary(c, c->desc->op->user);
}

// ---- to another dtype ----
// Bits set in a word: in pairs, in fours, in bytes, and their sum in the highest byte.
static unsigned element_bits(uint64_t v) {
  v -= v >> 1 & 0x5555555555555555u;
  v = (v & 0x3333333333333333u) + (v >> 2 & 0x3333333333333333u);
  v = (v + (v >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
  return (unsigned)(v * 0x0101010101010101u >> 56);
}
static weft_status population_count_ref(const weft_call *c) {
  const weft_tensor *x = c->in[0];
  const size_t n = weft__elems(&x->layout.origin);
  const uint32_t bits = weft_dtype_bits(x->dtype);
  const uint64_t mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
  const bool natural = weft__is_unsigned(x->dtype);
  uint8_t *y = c->out[0]->data;
  for (size_t i = 0; i < n; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    const uint64_t v =
        natural ? weft_load_u64(x->dtype, x->data, i) : (uint64_t)weft_load_i64(x->dtype, x->data, i);
    y[i] = (uint8_t)element_bits(v & mask);
  }
  return WEFT_OK;
}
static bool element_negative(double x, const double *p) {
  (void)p;
  return signbit(x);
}
static weft_status signbit_ref(const weft_call *c) {
  return weft__test(c, element_negative, NULL);
}

// ---- complex numbers ----
typedef void (*element_part)(double z[2]);  // the part becomes z[0]

static void part_real(double z[2]) {
  z[1] = 0;
}
static void part_imaginary(double z[2]) {
  z[0] = z[1];
  z[1] = 0;
}
static void part_angle(double z[2]) {
  z[0] = isnan(z[0]) ? z[0] : atan2(z[1], z[0]);
  z[1] = 0;
}
// A number that is not complex has no angle at -0.
static void part_angle_v2(double z[2]) {
  z[0] = z[1] == 0 ? z[0] + 0.0 : z[0];
  part_angle(z);
}
static void part_size(double z[2]) {
  z[0] = hypot(z[0], z[1]);
  z[1] = 0;
}
static void part_conjugate(double z[2]) {
  z[1] = -z[1];
}

static weft_dtype element_part_dtype(weft_dtype t) {
  switch (t) {
    case WEFT_COMPLEX128:
      return WEFT_DOUBLE;
    case WEFT_COMPLEX64:
      return WEFT_FLOAT;
    case WEFT_COMPLEX32:
      return WEFT_FLOAT16;
    default:
      return weft_dtype_is_float(t) ? t : WEFT_FLOAT;
  }
}
static weft_status part_dtype(weft_infer *it) {
  it->out_dtype[0] = element_part_dtype(it->in_dtype[0]);
  return WEFT_OK;
}
static weft_status part_infer(weft_infer *it) {
  it->out_dtype[0] = element_part_dtype(it->in_dtype[0]);
  return weft__same(it, 0, 0);
}
static weft_status part_ref(const weft_call *c) {
  const weft_tensor *x = c->in[0];
  weft_tensor *y = c->out[0];
  element_part part = *(const element_part *)c->desc->op->user;
  size_t n = weft__elems(&x->layout.origin);
  for (size_t i = 0; i < n; i++) {
    double z[2];
    WEFT_TRY(weft__poll_at(c, i));
    weft__load_number(x->dtype, x->data, i, z);
    part(z);
    weft__store_number(y->dtype, y->data, i, z);
  }
  return WEFT_OK;
}

static weft_dtype element_whole(weft_dtype t) {
  return t == WEFT_DOUBLE ? WEFT_COMPLEX128 : t == WEFT_FLOAT16 ? WEFT_COMPLEX32 : WEFT_COMPLEX64;
}
static weft_status complex_dtype(weft_infer *it) {
  it->out_dtype[0] = element_whole(it->in_dtype[0]);
  return WEFT_OK;
}
static weft_status complex_infer(weft_infer *it) {
  it->out_dtype[0] = element_whole(it->in_dtype[0]);
  return weft__infer_broadcast(it);
}
static weft_status complex_ref(const weft_call *c) {
  weft_walk w;
  const weft_tensor *const *in = c->in;
  weft__walk_init(&w, &c->out[0]->layout.origin);
  weft__walk_operand(&w, 0, &in[0]->layout.origin);
  weft__walk_operand(&w, 1, &in[1]->layout.origin);
  for (; w.i < w.n; weft__walk_next(&w)) {
    double z[2] = {weft_load_f64(in[0]->dtype, in[0]->data, w.at[0]),
                   weft_load_f64(in[1]->dtype, in[1]->data, w.at[1])};
    WEFT_TRY(weft__poll_at(c, w.i));
    weft__store_number(c->out[0]->dtype, c->out[0]->data, w.i, z);
  }
  return WEFT_OK;
}

// ---- refusals ----
static weft_status check_numerics_ref(const weft_call *c) {
  const weft_tensor *x = c->in[0];
  weft_tensor *y = c->out[0];
  size_t n = weft__elems(&x->layout.origin);
  for (size_t i = 0; i < n; i++) {
    double v = weft_load_f64(x->dtype, x->data, i);
    WEFT_TRY(weft__poll_at(c, i));
    if (!isfinite(v)) {
      return weft_fail(c->d, WEFT_E_RANGE, "%s: element [%zu] of 'x' is %s", weft_node_str(c->desc, 0), i,
                       isnan(v) ? "NaN" : "infinite");
    }
    weft__copy_elem(x->dtype, y->data, i, x->data, i);
  }
  return WEFT_OK;
}

#define ONE .traits = WEFT_SYMBOLIC | WEFT_MONOTONE | WEFT_ELEMENTWISE
#define ELEMENT(op_name, says, function, ...)                                             \
  {.name = op_name, .summary = says, ONE, .infer = weft__infer_same, .ref = element_ref, \
   .user = &(const weft_unary){.f = function}, .examples = WEFT_EXAMPLES(__VA_ARGS__)}
#define PART(op_name, says, function, ...)                                                                   \
  {.name = op_name, .summary = says, ONE, .infer = part_infer, .infer_dtype = part_dtype, .ref = part_ref, \
   .user = &(const element_part){function}, .examples = WEFT_EXAMPLES(__VA_ARGS__)}

// clang-format off
WEFT_ROWS(elements) = {
  ELEMENT("Erfinv", "the inverse of erf", element_erfinv,
       "f32[5]{0,0.5,-0.9,1,2} -> f32[5]{0,0.47693628,-1.1630871,inf,nan} ~1e-6", "f16[N] -> f16[N]"),
  ELEMENT("Ndtri", "the quantile of the normal distribution", element_ndtri,
       "f64[4]{0.5,0.975,0.001,0} -> f64[4]{0,1.959963984540054,-3.090232306167813,-inf} ~1e-12"),
  ELEMENT("Expint", "the exponential integral Ei", element_expint,
       "f32[3]{1,4.1,-1} -> f32[3]{1.8951178,21.048466,nan} ~1e-5"),
  {.name = "PopulationCount", .summary = "how many bits are set", ONE, .infer = weft__infer_same,
       .ref = population_count_ref,
   .examples = WEFT_EXAMPLES("i32[3]{0,5,-1} -> u8[3]{0,2,32}", "i8[1]{-1} -> u8[1]{8}", "i64[N] -> u8[N]")},
  {.name = "Signbit", .summary = "whether the sign is minus", ONE, .infer = weft__infer_same,
       .ref = signbit_ref,
   .examples = WEFT_EXAMPLES("f32[3]{-1,0,-0} -> bool[3]{true,false,true}",
   "i32[2]{-1,1} -> bool[2]{true,false}")},
  PART("Real", "the real part", part_real, "c64[1]{(1,2)} -> f32[1]{1}", "f32[N] -> f32[N]"),
  PART("Imag", "the imaginary part", part_imaginary, "c64[1]{(1,2)} -> f32[1]{2}", "c128[N] -> f64[N]"),
  PART("Angle", "the angle of a complex number", part_angle,
       "c64[2]{(0,2),(-1,0)} -> f32[2]{1.5707964,3.1415927}"),
  PART("AngleV2", "the angle of a number, pi below 0", part_angle_v2, "c64[1]{(0,2)} -> f32[1]{1.5707964}",
       "f16[3]{1,-1,nan} -> f16[3]{0,3.140625,nan}", "i32[1]{-3} -> f32[1]{3.1415927}"),
  PART("ComplexAbs", "the size of a complex number", part_size, "c64[1]{(3,4)} -> f32[1]{5}",
       "c128[N] -> f64[N]"),
  {.name = "Conj", .summary = "the conjugate", ONE, .infer = weft__infer_same, .ref = part_ref,
       .user = &(const element_part){part_conjugate},
   .examples = WEFT_EXAMPLES("c64[1]{(3,4)} -> c64[1]{(3,-4)}", "c128[N] -> c128[N]")},
  {.name = "Complex", .summary = "a real and an imaginary part together", ONE, .infer = complex_infer,
       .infer_dtype = complex_dtype, .ref = complex_ref,
   .examples = WEFT_EXAMPLES("f32[1]{3}, f32[1]{4} -> c64[1]{(3,4)}", "f64[N,2], f64[2] -> c128[N,2]")},
  {.name = "CheckNumerics", .summary = "x, which must be finite", ONE, .infer = weft__infer_same,
       .ref = check_numerics_ref,
   .examples = WEFT_EXAMPLES("f32[1]{3} message=\"m\" -> f32[1]{3}",
   "f32[2]{3,nan} message=\"m\" !! E_RANGE NaN")},
  {0},
};
// SPDX-License-Identifier: Apache-2.0
