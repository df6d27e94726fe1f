// kernels_typed_test.c - kernels of double and of integers on random shapes (odd sizes, empty ones), for each
// instruction set: integers bit for bit what the interpreter gives, doubles within rounding; the same bits
// with one thread and with several; and by a kernel, not by the reference.
#include "base/base.h"
#include "maker.h"

enum { ROUNDS = 260 };
static const weft_dtype wide_types[] = {WEFT_DOUBLE, WEFT_INT32, WEFT_INT64, WEFT_UINT32, WEFT_UINT64};

static weft_dtype type_of(const maker *m) {
  return wide_types[m->seed % WEFT_COUNT(wide_types)];
}

// Doubles in [-1, 1], now and then one that is no number; integers of all bits.
static void fill(maker *m, size_t input, weft_tensor *t) {
  int64_t n = weft_tensor_elems(t);
  (void)input;
  for (int64_t k = 0; k < n; k++) {
    if (t->dtype == WEFT_DOUBLE)
      ((double *)t->data)[k] = ((double)pick(m, 2001) - 1000) / 1000;
    else
      for (size_t i = 0; i < weft_dtype_bits(t->dtype) / 8; i++)
        ((uint8_t *)t->data)[(size_t)k * (weft_dtype_bits(t->dtype) / 8) + i] = (uint8_t)pick(m, 256);
  }
  if (t->dtype == WEFT_DOUBLE && n && pick(m, 8) == 0)
    ((double *)t->data)[pick(m, (uint64_t)n)] = pick(m, 2) ? INFINITY : NAN;
}

static void value(maker *m, weft_dtype t) {
  if (t == WEFT_DOUBLE)
    put(m, "%g", ((double)pick(m, 65) - 32) / 32);
  else
    put(m, "%d", (int)pick(m, 2000));
}

static double off(const maker *m, const weft_tensor *got, const weft_tensor *want, double *out_bound) {
  int64_t n = weft_tensor_elems(want);
  double worst = 0;
  (void)m;
  *out_bound = 1e-12;
  if (want->dtype != WEFT_DOUBLE)
    return got->bytes == want->bytes && !memcmp(got->data, want->data, want->bytes) ? 0 : 1;
  for (int64_t i = 0; i < n; i++) {
    double a = ((const double *)got->data)[i], b = ((const double *)want->data)[i];
    if ((isnan(a) && isnan(b)) || a == b) continue;
    double e = fabs(a - b) / WEFT_MAX(1, fabs(b));
    if (!(e <= worst)) worst = isnan(e) ? INFINITY : e;
  }
  return worst;
}

// ---- products ----

static void make_product(maker *m, uint64_t seed) {
  static const int64_t sizes[] = {0, 1, 1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 31, 33, 48, 65, 100};
  static const int64_t inners[] = {0, 1, 2, 3, 7, 16, 33, 64, 255, 257, 530};
  maker_begin(m, seed);
  const weft_dtype t = type_of(m);
  int64_t a[4], b[4], height = sizes[pick(m, WEFT_COUNT(sizes))], width = sizes[pick(m, WEFT_COUNT(sizes))];
  int64_t inner = inners[pick(m, WEFT_COUNT(inners))];
  if (pick(m, 8) == 0) height = 1 + (int64_t)pick(m, 4), width = 200 + (int64_t)pick(m, 400);
  if (height * width > 3000) inner = WEFT_MIN(inner, 64);
  bool turn_a = pick(m, 4) == 0, turn_b = pick(m, 2);
  bool scaled = (t == WEFT_DOUBLE || t == WEFT_INT32) && pick(m, 4) == 0;  // GEMM has no others
  size_t ra = 0, rb = 0;
  for (size_t k = scaled ? 0 : pick(m, 3); k; k--) {
    int64_t d = (int64_t)pick(m, 20) ? 1 + (int64_t)pick(m, 3) : 0;
    int which = (int)pick(m, 4);
    a[ra++] = which == 1 ? 1 : d, b[rb++] = which == 2 ? 1 : d;
  }
  if (pick(m, 4) == 0) rb = 0;
  if (rb && pick(m, 5) == 0) ra = 0;
  a[ra++] = turn_a ? inner : height, a[ra++] = turn_a ? height : inner;
  b[rb++] = turn_b ? width : inner, b[rb++] = turn_b ? inner : width;
  put(m, "graph \"g\" {\n");
  put_input(m, "a", t, a, ra);
  if (pick(m, 3))
    put_input(m, "b", t, b, rb);
  else
    put_const(m, "b", t, b, rb, value);
  const char *turns[2] = {turn_a ? "true" : "false", turn_b ? "true" : "false"};
  if (scaled) {
    int64_t c[2] = {pick(m, 2) ? height : 1, pick(m, 2) ? width : 1};
    size_t missing = c[0] == 1 && pick(m, 2);
    put_input(m, "c", t, c + missing, 2 - missing);
    put(m, "const al: %s[]{%s} const be: %s[]{%d}\n", weft_dtype_name(t), t == WEFT_DOUBLE ? "0.5" : "-3",
        weft_dtype_name(t), (int)pick(m, 3));
    put(m, "node y: GEMM(a, b, c, al, be) {transpose_a=%s, transpose_b=%s} -> y\noutput y\n}\n", turns[0],
        turns[1]);
    return;
  }
  bool bias = pick(m, 4) == 0;
  if (bias) put_input(m, "c", t, &width, 1);
  put(m, "node y: BatchMatMulV2(a, b%s) {adj_x1=%s, adj_x2=%s} -> y\noutput y\n}\n", bias ? ", c" : "",
      turns[0], turns[1]);
}

static void all(const char *isa, void (*make)(maker *m, uint64_t seed), uint64_t first) {
  const kernel_law law = {
      .make = make, .fill = fill, .off = off, .by_kernel = not_reference, .empty_by_any = true};
  kernels_hold(&law, isa, first, ROUNDS);
}

EACH_ISA(typed_products, all(isa, make_product, first))
