// kernels_fixed_test.c - regions that end with a FixedRequant, by the CPU's kernels: convolutions of bytes in
// NC1HWC0, products of matrices, sums, differences, products and means of bytes. On random shapes, with
// multipliers at the ends of their range, shifts that leave nothing and none, sums halfway between two bytes,
// bounds and zero points: the bits that the interpreter gives operator by operator, for each instruction set,
// with one thread and with several, between guards; and by these kernels.
#include "base/base.h"
#include "maker.h"

enum { ROUNDS = 120, FEW = 8 };

static int byte(maker *m, bool is_signed) {
  const int low = is_signed ? -128 : 0;
  return m->seed % 3 == 1 ? low + 255 * (int)pick(m, 2) : low + (int)pick(m, 256);
}

static void value(maker *m, weft_dtype t) {
  if (t == WEFT_INT32)
    put_decimal(m, (int)pick(m, 40001) - 20000, 0);
  else
    put_decimal(m, byte(m, t == WEFT_INT8), 0);
}

static void bytes(maker *m, const char *name, weft_dtype t, const int64_t *dim, size_t rank) {
  put_const(m, name, t, dim, rank, value);
}

static weft_dtype sign(maker *m) {
  return pick(m, 2) ? WEFT_INT8 : WEFT_UINT8;
}

static int64_t multiplier(maker *m) {
  static const int64_t odd[] = {0, 1, 1 << 30, (1 << 30) + 1, INT32_MAX, 3 << 29};
  return pick(m, 3) ? (1 << 30) + (int64_t)pick(m, 1 << 30) : odd[pick(m, 6)];
}

// Shifts about `about`, one number or one a channel; `many` of each.
static void numbers(maker *m, const char *name, size_t channels, int about, bool many_m, bool many_s) {
  put(m, many_m ? "const %sm: i32[%zu]{" : "const %sm: i32[]{", name, channels);
  for (size_t i = 0; i < (many_m ? channels : 1); i++)
    put(m, "%s%lld", i ? "," : "", (long long)multiplier(m));
  put(m, many_s ? "} const %ss: i32[%zu]{" : "} const %ss: i32[]{", name, channels);
  for (size_t i = 0; i < (many_s ? channels : 1); i++) {
    const int shift = pick(m, 8) ? -about - (int)pick(m, 3) : -(int)pick(m, 34);
    put(m, "%s%d", i ? "," : "", WEFT_MIN(shift, 0));
  }
  put(m, "}\n");
}

// "x", the node before, and what its bytes are.
static void requant(maker *m, const char *x, const char *name, const char *y, weft_dtype t, int axis) {
  const int low = t == WEFT_INT8 ? -128 : 0;
  put(m, "node %s_r: FixedRequant(%s, %sm, %ss) {axis=%d, output_dtype=%d, zero_point=%d, twice=%s, ", y, x,
      name, name, axis, (int)t, byte(m, t == WEFT_INT8), pick(m, 3) ? "true" : "false");
  if (pick(m, 3))
    put(m, "low=%d, high=%d} -> %s\n", low, low + 255, y);
  else
    put(m, "low=%d, high=%d} -> %s\n", low + (int)pick(m, 100), low + 100 + (int)pick(m, 150), y);
}

static int about(int64_t products) {  // the shift that leaves bytes of such sums
  int bits = 5;
  for (; products > 1; products /= 4)
    bits++;
  return bits;
}

// One side of a sum: bytes as TFLite's ADD takes them.
static void side(maker *m, const char *x, weft_dtype t, const char *y, bool scaled) {
  put(m, "node %s_c: Cast(%s) {dst_type=3} -> %s_c\n", y, x, y);
  put(m, "const %s_z: i32[]{%d} node %s_s: Sub(%s_c, %s_z) -> %s%s\n", y, byte(m, t == WEFT_INT8), y, y, y, y,
      scaled ? "_s" : "");
  if (!scaled)
    return;
  put(m, "const %s_u: i32[]{1048576} node %s_m: Mul(%s_s, %s_u) -> %s_m\n", y, y, y, y, y);
  numbers(m, y, 1, 1, false, false);
  put(m, "node %s_f: FixedRequant(%s_m, %sm, %ss) {twice=true} -> %s\n", y, y, y, y, y);
}

// The mean of x over its places, as TFLite's MEAN takes it.
static void mean(maker *m, const char *x, weft_dtype t) {
  side(m, x, t, "u", false);
  numbers(m, "z", 1, 3, false, false);
  put(m, "const ax: i64[2]{%s} node v: ReduceSum(u, ax) {keep_dims=%s} -> v\n", pick(m, 2) ? "2,3" : "-1,2",
      pick(m, 2) ? "true" : "false");
  requant(m, "v", "z", "z", sign(m), -1);
  put(m, "output z\n");
}

// What is kept in NC1HWC0: a convolution of any kind, a depthwise one, the sum of both, and a mean.
static void make_packed(maker *m, uint64_t seed) {
  static const int64_t channels[] = {1, 3, 16, 17, 24, 32, 33, 64, 70};
  maker_begin(m, seed);
  put(m, "graph \"g\" {\n");
  int64_t in = channels[pick(m, 9)];
  int64_t out = channels[pick(m, 9)];
  const int64_t k = pick(m, 2) ? 1 : 1 + (int64_t)pick(m, 5);
  const int64_t pad = (int64_t)pick(m, (uint64_t)k);
  const int64_t groups = pick(m, 6) == 0 ? 2 : 1;
  if (groups == 2) {
    in = 32;
    out = 32 * (1 + (int64_t)pick(m, 2));
  }
  const int stride = 1 + (int)pick(m, 2);
  const int64_t x[4] = {1 + (int64_t)pick(m, 2), in * groups, k + (int64_t)pick(m, 20),
                        k + 1 + (int64_t)pick(m, 40)};
  const int64_t w[4] = {out * groups, in, k, k};
  const int64_t d[4] = {out * groups, 1, 3, 3};
  const weft_dtype tx = sign(m);
  const weft_dtype tw = sign(m);
  const weft_dtype ty = sign(m);
  put_input(m, "x", tx, x, 4);
  bytes(m, "w", tw, w, 4);
  bytes(m, "d", tw, d, 4);
  bytes(m, "b", WEFT_INT32, w, 1);
  put(m, "const xz: %s[]{%d} const cz: %s[]{%d} const wz: %s[]{%d}\n", weft_dtype_name(tx),
      byte(m, tx == WEFT_INT8), weft_dtype_name(ty), byte(m, ty == WEFT_INT8), weft_dtype_name(tw),
      tw == WEFT_INT8 ? 0 : 128);
  numbers(m, "c", (size_t)w[0], about(in * k * k), pick(m, 4) != 0, pick(m, 4) != 0);
  numbers(m, "e", (size_t)w[0], about(9), pick(m, 4) != 0, pick(m, 4) != 0);
  put(m, "node c: ConvInteger(x, w, b, xz, wz) {strides=[%d,%d], pads=[%d,%d,%d,%d], group=%lld} -> c0\n",
      stride, stride, (int)pad, (int)pad, (int)pad, (int)pad, (long long)groups);
  requant(m, "c0", "c", "c", ty, pick(m, 2) ? 1 : -3);
  const int down = 1 + (int)(pick(m, 3) == 0);
  put(m, "node e: ConvInteger(c, d, b, cz, wz) {strides=[%d,%d], pads=[1,1,1,1], group=%lld} -> e0\n", down,
      down, (long long)w[0]);
  requant(m, "e0", "e", "e", ty, 1);
  put(m, "output e\n");
  if (down == 1) {
    side(m, "c", ty, "p", true);
    side(m, "e", ty, "q", true);
    numbers(m, "y", 1, 18, false, false);
    put(m, "node s: %s(p, q) -> s\n", pick(m, 4) ? "Add" : "Sub");
    requant(m, "s", "y", "y", ty, -1);
    put(m, "output y\n");
  }
  mean(m, "e", ty);
  put(m, "}\n");
}

static void make_means(maker *m, uint64_t seed) {
  maker_begin(m, seed);
  put(m, "graph \"g\" {\n");
  const weft_dtype t = sign(m);
  int64_t x[4];
  for (int i = 0; i < 4; i++)
    x[i] = 1 + (int64_t)pick(m, i == 1 ? 80 : i ? 12 : 3);
  put_input(m, "x", t, x, 4);
  mean(m, "x", t);
  put(m, "}\n");
}

// Packed convolutions of 3 x 3 taps and strides of 1, one after the other.
static void make_windows(maker *m, uint64_t seed) {
  static const int64_t channels[] = {24, 32, 50, 64, 96};
  maker_begin(m, seed);
  put(m, "graph \"g\" {\n");
  const int64_t in = channels[pick(m, 5)];
  const int64_t out = channels[pick(m, 5)];
  const int64_t x[4] = {1 + (int64_t)pick(m, 2), in, 3 + (int64_t)pick(m, 9), 3 + (int64_t)pick(m, 20)};
  const int64_t v[4] = {in, in, 1, 1};
  const int64_t w[4] = {out, in, 3, 3};
  const weft_dtype tx = sign(m);
  const weft_dtype ty = sign(m);
  put_input(m, "x", tx, x, 4);
  bytes(m, "v", WEFT_INT8, v, 4);
  bytes(m, "w", WEFT_INT8, w, 4);
  bytes(m, "a", WEFT_INT32, v, 1);
  bytes(m, "b", WEFT_INT32, w, 1);
  put(m, "const xz: %s[]{%d} const cz: %s[]{%d} const wz: i8[]{0}\n", weft_dtype_name(tx),
      byte(m, tx == WEFT_INT8), weft_dtype_name(ty), byte(m, ty == WEFT_INT8));
  numbers(m, "c", (size_t)in, about(in), true, true);
  numbers(m, "e", (size_t)out, about(9 * in), true, true);
  put(m, "node c: ConvInteger(x, v, a, xz, wz) -> c0\n");
  requant(m, "c0", "c", "c", ty, 1);
  put(m, "node e: ConvInteger(c, w, b, cz, wz) {pads=[%d,%d,%d,%d]} -> e0\n", (int)pick(m, 3),
      (int)pick(m, 3), (int)pick(m, 3), (int)pick(m, 3));
  requant(m, "e0", "e", "e", sign(m), 1);
  put(m, "output e\n}\n");
}

static void make_products(maker *m, uint64_t seed) {
  static const int64_t sizes[] = {1, 1, 2, 3, 5, 8, 13, 16, 17, 31, 32, 33, 65, 100};
  static const int64_t inners[] = {1, 3, 4, 7, 16, 33, 64, 255, 256, 2048};
  maker_begin(m, seed);
  put(m, "graph \"g\" {\n");
  const int64_t a[3] = {1 + (int64_t)pick(m, 2), sizes[pick(m, 14)], inners[pick(m, 10)]};
  const int64_t b[2] = {a[2], sizes[pick(m, 14)]};
  const bool flat = pick(m, 2);
  const weft_dtype tx = sign(m);
  const weft_dtype tw = sign(m);
  put_input(m, "x", tx, flat ? a + 1 : a, flat ? 2 : 3);
  bytes(m, "w", tw, b, 2);
  bytes(m, "b", WEFT_INT32, b + 1, 1);
  put(m, "const xz: %s[]{%d} const wz: %s[]{%d}\n", weft_dtype_name(tx), byte(m, tx == WEFT_INT8),
      weft_dtype_name(tw), tw == WEFT_INT8 ? 0 : 128);
  numbers(m, "c", (size_t)b[1], about(a[2]), pick(m, 2), pick(m, 2));
  put(m, "node c: MatMulInteger(x, w%s, xz, wz) -> c0\n", pick(m, 4) ? ", b" : ", _");
  requant(m, "c0", "c", "y", sign(m), -1);
  put(m, "output y\n}\n");
}

static void make_pairs(maker *m, uint64_t seed) {
  static const char *const ops[] = {"Add", "Sub", "Mul", "Add"};
  maker_begin(m, seed);
  put(m, "graph \"g\" {\n");
  const int64_t x[3] = {1 + (int64_t)pick(m, 4), 1 + (int64_t)pick(m, 20), 1 + (int64_t)pick(m, 100)};
  const size_t op = pick(m, 5);  // 4: one operand
  const weft_dtype ta = sign(m);
  const weft_dtype tb = sign(m);
  const bool scaled = op != 2 && pick(m, 4);
  put_input(m, "a", ta, x, 3);
  put_input(m, "b", tb, x, 3);
  side(m, "a", ta, "p", scaled);
  if (op < 4) {
    side(m, "b", tb, "q", scaled);
    put(m, "node s: %s(p, q) -> s\n", ops[op]);
  }
  numbers(m, "y", 1, op == 2 ? 9 : scaled ? 18 : 0, false, false);
  requant(m, op < 4 ? "s" : "p", "y", "y", sign(m), -1);
  put(m, "output y\n}\n");
}

static void fill(maker *m, size_t input, weft_tensor *t) {
  (void)input;
  for (size_t k = 0; k < t->bytes; k++)
    ((uint8_t *)t->data)[k] = (uint8_t)byte(m, false);
}

enum { CONV, DEPTHWISE, PAIR, MEAN, ROWS, WINOGRAD };
static const char *const kernels[] = {"blocked-conv-bytes", "blocked-depthwise-bytes",
                                      "fixed-pair",         "fixed-mean",
                                      "gemm-rows",          "blocked-winograd-bytes"};
static size_t runs[WEFT_COUNT(kernels)];
static bool by_kernel(const weft_launch_record *launch) {
  for (size_t k = 0; k < WEFT_COUNT(kernels); k++)
    runs[k] += is_kernel(launch, kernels[k]);
  return not_reference(launch);
}

// `first` to `last`: which kernels have to run.
static void all(const char *isa, const char *vnni, void (*make)(maker *m, uint64_t seed), uint64_t seed,
                size_t first, size_t last) {
  const bool packed = make == make_packed || make == make_windows;
  const kernel_law law = {.make = make,
                          .fill = fill,
                          .by_kernel = by_kernel,
                          .passes = true,
                          .option = packed ? "assign-formats.choose=packed" : NULL};
  memset(runs, 0, sizeof runs);
  setenv("WEFT_VNNI", vnni, 1);
  const int cases = check_cases(make == make_windows ? ROUNDS / 2 : ROUNDS);
  const bool here = kernels_hold(&law, isa, seed + check_seed(), (uint64_t)cases);
  unsetenv("WEFT_VNNI");
  if (check_seed() || cases < FEW)
    return;  // a few cases need not run every kernel
  for (size_t k = first; here && k <= last; k++) {
    if (!runs[k])
      check_failed(__FILE__, __LINE__, "%s: never run", kernels[k]);
  }
}

#define PACKED(isa, vnni, seed)   all(isa, vnni, make_packed, seed, CONV, MEAN)
#define PRODUCTS(isa, vnni, seed) all(isa, vnni, make_products, seed, ROWS, ROWS)
#define PAIRS(isa, vnni, seed)    all(isa, vnni, make_pairs, seed, PAIR, PAIR)
#define MEANS(isa, vnni, seed)    all(isa, vnni, make_means, seed, MEAN, MEAN)
static void windows(const char *isa, const char *vnni, uint64_t seed) {
  const size_t which = !strcmp(isa, "avx2") && !strcmp(vnni, "0") ? WINOGRAD : CONV;
  all(isa, vnni, make_windows, seed, which, which);
}
#if defined(__aarch64__)
#define EACH_SET(name, call) \
  TEST(name##_neon) {        \
    call("neon", "0", 0);    \
  }                          \
  TEST(name##_dot) {         \
    call("neon", "1", 1000); \
  }                          \
  TEST(name##_i8mm) {        \
    call("neon", "2", 2000); \
  }
#else
#define EACH_SET(name, call)   \
  TEST(name##_plain) {         \
    call("plain", "0", 0);     \
  }                            \
  TEST(name##_avx2) {          \
    call("avx2", "0", 1000);   \
  }                            \
  TEST(name##_avx2_vnni) {     \
    call("avx2", "1", 2000);   \
  }                            \
  TEST(name##_avx512) {        \
    call("avx512", "0", 3000); \
  }                            \
  TEST(name##_avx512_vnni) {   \
    call("avx512", "1", 4000); \
  }
#endif
EACH_SET(packed, PACKED)
EACH_SET(windows, windows)
EACH_SET(products, PRODUCTS)
EACH_SET(pairs, PAIRS)
EACH_SET(means, MEANS)
// SPDX-License-Identifier: Apache-2.0
