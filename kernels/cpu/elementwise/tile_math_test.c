// tile_math_test.c - the vectorised functions against double, over every 12297th float, for each instruction
// set that this machine has (CHECK_LONG=1: every 4099th): largest errors in ulp, NaN, infinities, both zeros.
#include "cpu/elementwise/tile.h"
#include "cpu/simd/isa.h"

#include "check.h"
#include "weft/dtype.h"

enum { CHUNK = 1021, STEP = 4099, PART = 3 };

static double gelu(double x) {
  return 0.5 * x * erfc(-x * 0.70710678118654752440);
}
static double gelu_tanh(double x) {
  return 0.5 * x * (1 + tanh(0.79788456080286535588 * (x + 0.044715 * x * x * x)));
}
static double sigmoid(double x) {
  return 1 / (1 + exp(-x));
}
static double softplus(double x) {
  return x != x ? x : fmax(x, 0) + log1p(exp(-fabs(x)));
}
static double mish(double x) {
  return x != x ? x : x * tanh(softplus(x));
}

// In units of the last place of a float near `want`; subnormals have those of the smallest normal.
static double ulps(double want, float got) {
  int e;
  if (isnan(want))
    return isnan(got) ? 0 : INFINITY;
  if (isinf((float)want) || isinf(got))
    return (float)want == got ? 0 : INFINITY;
  frexp(want, &e);
  return fabs((double)got - want) / ldexp(1, (e < -125 ? -125 : e) - 24);
}

typedef struct bound {
  const char *name;
  int code;
  double (*f)(double);
  double from, to, most;
} bound;
static const bound bounds[] = {
    {"exp", WEFT__T_EXP, exp, -INFINITY, INFINITY, 1.1},
    {"expm1", WEFT__T_EXPM1, expm1, -INFINITY, INFINITY, 1.9},
    {"log", WEFT__T_LOG, log, -INFINITY, INFINITY, 0.9},
    {"log1p", WEFT__T_LOG1P, log1p, -0.5, INFINITY, 1.7},
    {"sigmoid", WEFT__T_SIGMOID, sigmoid, -INFINITY, INFINITY, 2.1},
    {"tanh", WEFT__T_TANH, tanh, -INFINITY, INFINITY, 2.5},
    {"erf", WEFT__T_ERF, erf, -INFINITY, INFINITY, 1.8},
    {"gelu", WEFT__T_GELU, gelu, -3, INFINITY, 15},
    {"gelu far out", WEFT__T_GELU, gelu, -12, -3, 250},
    {"gelu by tanh", WEFT__T_GELU_TANH, gelu_tanh, -3, INFINITY, 13},
    {"softplus", WEFT__T_SOFTPLUS, softplus, -INFINITY, INFINITY, 2},
    {"mish", WEFT__T_MISH, mish, -80, INFINITY, 3.8},
    {"sin", WEFT__T_SIN, sin, -1e30, 1e30, 0.6},
    {"cos", WEFT__T_COS, cos, -1e30, 1e30, 0.6},
    {"tan", WEFT__T_TAN, tan, -1e30, 1e30, 0.6},
    {"asin", WEFT__T_ASIN, asin, -INFINITY, INFINITY, 1.9},
    {"acos", WEFT__T_ACOS, acos, -INFINITY, INFINITY, 1.4},
    {"atan", WEFT__T_ATAN, atan, -INFINITY, INFINITY, 1.6},
    {"sinh", WEFT__T_SINH, sinh, -INFINITY, INFINITY, 2.3},
    {"cosh", WEFT__T_COSH, cosh, -INFINITY, INFINITY, 2.2},
    {"asinh", WEFT__T_ASINH, asinh, -INFINITY, INFINITY, 2.1},
    {"acosh", WEFT__T_ACOSH, acosh, -INFINITY, INFINITY, 2},
    {"atanh", WEFT__T_ATANH, atanh, -INFINITY, INFINITY, 2.3},
    {"floor", WEFT__T_FLOOR, floor, -INFINITY, INFINITY, 0},
    {"ceil", WEFT__T_CEIL, ceil, -INFINITY, INFINITY, 0},
    {"rint", WEFT__T_RINT, rint, -INFINITY, INFINITY, 0},
    {"sqrt", WEFT__T_SQRT, sqrt, -INFINITY, INFINITY, 0.5},
};

static void hold(const weft__tile_table *v, const char *isa, const bound *b) {
  static float x[CHUNK];
  static float y[CHUNK];
  const weft__tile_ins ins = {0};
  double worst = 0;
  float at = 0;
  float gave = 0;
  uint64_t step = STEP * (check_long() ? 1 : PART);
  for (uint64_t u = 0; u < UINT64_C(1) << 32;) {
    size_t n = 0;
    for (; n < CHUNK && u < UINT64_C(1) << 32; u += step) {
      uint32_t bits = (uint32_t)u;
      memcpy(&x[n], &bits, 4);
      n += ((double)x[n] >= b->from && (double)x[n] <= b->to) || isnan(x[n]);
    }
    (*v)[WEFT__TILE_F32][b->code](&ins, n, y, x, x, x);
    for (size_t i = 0; i < n; i++) {
      double e = ulps(b->f((double)x[i]), y[i]);
      if (e > worst) {
        worst = e;
        at = x[i];
        gave = y[i];
      }
    }
  }
  if (worst > b->most) {
    check_failed(__FILE__, __LINE__, "%s, %s: %g ulp at %.9g, which gave %.9g; allowed are %g", isa, b->name,
                 worst, (double)at, (double)gave, b->most);
  }
}

static void each(void (*f)(const weft__tile_table *v, const char *isa)) {
  f(&weft__tile_ops_plain, "plain");
#if defined(__x86_64__)
  if (weft__cpu_isa(NULL) >= WEFT__ISA_AVX2)
    f(&weft__tile_ops_avx2, "avx2");
  if (weft__cpu_isa(NULL) >= WEFT__ISA_AVX512)
    f(&weft__tile_ops_avx512, "avx512");
#endif
}

static void all_bounds(const weft__tile_table *v, const char *isa) {
  for (size_t i = 0; i < WEFT_COUNT(bounds); i++)
    hold(v, isa, &bounds[i]);
}
TEST(largest_errors) {
  each(all_bounds);
}

static void zeros(const weft__tile_table *v, const char *isa) {
  static const int odd[] = {WEFT__T_TANH, WEFT__T_ERF,  WEFT__T_GELU,  WEFT__T_EXPM1, WEFT__T_SIN,
                            WEFT__T_RINT, WEFT__T_CEIL, WEFT__T_LOG1P, WEFT__T_FLOOR, WEFT__T_TAN,
                            WEFT__T_ASIN, WEFT__T_ATAN, WEFT__T_SINH,  WEFT__T_ASINH, WEFT__T_ATANH};
  const weft__tile_ins ins = {0};
  float x[2] = {0.0f, -0.0f};
  float y[2];
  for (size_t i = 0; i < WEFT_COUNT(odd); i++) {
    (*v)[WEFT__TILE_F32][odd[i]](&ins, 2, y, x, x, x);
    if (y[0] != 0 || y[1] != 0 || signbit(y[0]) || !signbit(y[1])) {
      check_failed(__FILE__, __LINE__, "%s, code %d: %g and %g, expected 0 and -0", isa, odd[i], (double)y[0],
                   (double)y[1]);
    }
  }
}
TEST(zeros_keep_their_sign) {
  each(zeros);
}

// Remainders of any bits, of numbers with quotients of all sizes, and of small ones, bit for bit.
static void remainders(const weft__tile_table *v, const char *isa) {
  static float x[CHUNK];
  static float z[CHUNK];
  static float y[CHUNK];
  const weft__tile_ins ins = {0};
  uint64_t state = 1;
  for (int round = 0; round < 300; round++) {
    for (size_t i = 0; i < CHUNK; i++) {
      state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
      uint32_t a = (uint32_t)(state >> 32);
      uint32_t b = (uint32_t)(state >> 11);
      if (round % 3 == 0) {
        a = (a & 0x8FFFFFFFu) | 0x38000000u;
        b = (b & 0x87FFFFFFu) | 0x38000000u;
      }
      memcpy(&x[i], &a, 4);
      memcpy(&z[i], &b, 4);
      if (round % 3 == 1) {
        x[i] = (float)(a % 2001) - 1000;
        z[i] = (float)(b % 50) / 4;
      }
    }
    (*v)[WEFT__TILE_F32][WEFT__T_FMOD](&ins, CHUNK, y, x, z, z);
    for (size_t i = 0; i < CHUNK; i++) {
      const float want = fmodf(x[i], z[i]);
      if (isnan(want) ? isnan(y[i]) : !memcmp(&want, &y[i], 4))
        continue;
      check_failed(__FILE__, __LINE__, "%s: %.9g by %.9g left %.9g, expected %.9g", isa, (double)x[i],
                   (double)z[i], (double)y[i], (double)want);
      return;
    }
  }
}
TEST(remainders_are_exact) {
  each(remainders);
}

// Every float16 there and back, and the neighbours that round to it.
static void halves(const weft__tile_table *v, const char *isa) {
  static uint16_t h[65536];
  static uint16_t back[65536];
  static float x[65536];
  const weft__tile_ins ins = {0};
  for (uint32_t i = 0; i < 65536; i++)
    h[i] = (uint16_t)i;
  for (int bf = 0; bf < 2; bf++) {
    weft_dtype t = bf ? WEFT_BF16 : WEFT_FLOAT16;
    int load = bf ? WEFT__T_LOAD_BF16 : WEFT__T_LOAD_HALF;
    int store = bf ? WEFT__T_STORE_BF16 : WEFT__T_STORE_HALF;
    (*v)[WEFT__TILE_F32][load](&ins, 65536, x, h, h, h);
    int wrong = 0;
    for (uint32_t i = 0; i < 65536; i++) {
      double want = weft_load_f64(t, h, i);
      wrong += !(isnan(want) ? isnan(x[i]) : want == (double)x[i] && !signbit(want) == !signbit(x[i]));
    }
    CHECK_INT(wrong, 0);
    uint32_t state = 1;
    for (uint32_t i = 0; i < 65536; i++) {  // half of them ties, the others anywhere
      uint32_t u;
      memcpy(&u, &x[i], 4);
      state = state * 1664525u + 1013904223u;
      u += i % 2 ? (bf ? 0x8000u : 0x1000u) : state >> (bf ? 16 : 19);
      memcpy(&x[i], &u, 4);
    }
    (*v)[WEFT__TILE_F32][store](&ins, 65536, back, x, x, x);
    for (uint32_t i = 0; i < 65536; i++) {
      uint16_t want[1];
      weft_store_f64(t, want, 0, (double)x[i]);
      bool nan = isnan(weft_load_f64(t, want, 0));
      if (nan ? !isnan(weft_load_f64(t, back, i)) : want[0] != back[i]) {
        check_failed(__FILE__, __LINE__, "%s: %.9g became %04x, expected %04x", isa, (double)x[i], back[i],
                     want[0]);
        return;
      }
    }
  }
}
TEST(halves_round_to_nearest_even) {
  each(halves);
}
// SPDX-License-Identifier: Apache-2.0
