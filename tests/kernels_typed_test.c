// kernels_typed_test.c - kernels of double and of integers on random shapes (odd sizes, empty ones), for each
// instruction set: integers bit for bit what the interpreter gives, doubles within rounding; the same bits
// with one thread and with several; and by a kernel, not by the reference.
#include "base/base.h"
#include "maker.h"

enum { ROUNDS = 320 };
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
    else if (t->dtype == WEFT_FLOAT)
      ((float *)t->data)[k] = ((float)pick(m, 2001) - 1000) / 1000;
    else if (t->dtype == WEFT_BOOL)
      ((uint8_t *)t->data)[k] = (uint8_t)(pick(m, 4) == m->seed % 2);
    else {
      for (size_t i = 0; i < weft_dtype_bits(t->dtype) / 8; i++)
        ((uint8_t *)t->data)[(size_t)k * (weft_dtype_bits(t->dtype) / 8) + i] = (uint8_t)pick(m, 256);
    }
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
  *out_bound = want->dtype == WEFT_FLOAT ? 2e-7 : 1e-12;
  if (!weft_dtype_is_float(want->dtype))
    return got->bytes == want->bytes && !memcmp(got->data, want->data, want->bytes) ? 0 : 1;
  for (int64_t i = 0; i < n; i++) {
    double a = weft_load_f64(got->dtype, got->data, (size_t)i);
    double b = weft_load_f64(want->dtype, want->data, (size_t)i);
    if ((isnan(a) && isnan(b)) || a == b)
      continue;
    double e = fabs(a - b) / WEFT_MAX(1, fabs(b));
    if (!(e <= worst))
      worst = isnan(e) ? INFINITY : e;
  }
  return worst;
}

// ---- products ----

static void make_product(maker *m, uint64_t seed) {
  static const int64_t sizes[] = {0, 1, 1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 31, 33, 48, 65, 100};
  static const int64_t inners[] = {0, 1, 2, 3, 7, 16, 33, 64, 255, 257, 530};
  maker_begin(m, seed);
  const weft_dtype t = type_of(m);
  int64_t a[4];
  int64_t b[4];
  int64_t height = sizes[pick(m, WEFT_COUNT(sizes))];
  int64_t width = sizes[pick(m, WEFT_COUNT(sizes))];
  int64_t inner = inners[pick(m, WEFT_COUNT(inners))];
  if (pick(m, 8) == 0) {
    height = 1 + (int64_t)pick(m, 4);
    width = 200 + (int64_t)pick(m, 400);
  }
  if (height * width > 3000)
    inner = WEFT_MIN(inner, 64);
  bool turn_a = pick(m, 4) == 0;
  bool turn_b = pick(m, 2);
  bool scaled = (t == WEFT_DOUBLE || t == WEFT_INT32) && pick(m, 4) == 0;  // GEMM has no others
  size_t ra = 0;
  size_t rb = 0;
  for (size_t k = scaled ? 0 : pick(m, 3); k; k--) {
    int64_t d = (int64_t)pick(m, 20) ? 1 + (int64_t)pick(m, 3) : 0;
    int which = (int)pick(m, 4);
    a[ra++] = which == 1 ? 1 : d;
    b[rb++] = which == 2 ? 1 : d;
  }
  if (pick(m, 4) == 0)
    rb = 0;
  if (rb && pick(m, 5) == 0)
    ra = 0;
  a[ra++] = turn_a ? inner : height;
  a[ra++] = turn_a ? height : inner;
  b[rb++] = turn_b ? width : inner;
  b[rb++] = turn_b ? inner : width;
  put(m, "graph \"g\" {\n");
  put_input(m, "a", t, a, ra);
  int64_t elements = 1;
  for (size_t k = 0; k < rb; k++)
    elements *= b[k];
  if (pick(m, 3) || elements > 1 << 18)  // as text a constant of more would fill the case
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
  if (bias)
    put_input(m, "c", t, &width, 1);
  put(m, "node y: BatchMatMulV2(a, b%s) {adj_x1=%s, adj_x2=%s} -> y\noutput y\n}\n", bias ? ", c" : "",
      turns[0], turns[1]);
}

// ---- reductions, running sums, places ----

// Up to 4 dims, their product not too large.
static size_t shape_of(maker *m, int64_t dim[4], size_t least, bool empty) {
  static const int64_t sizes[] = {1, 1, 2, 3, 4, 5, 8, 17, 33, 64, 100, 300};
  size_t rank = least + pick(m, 5 - least);
  int64_t all = 1;
  for (size_t i = 0; i < rank; i++) {
    dim[i] = sizes[pick(m, WEFT_COUNT(sizes))];
    if (all * dim[i] > 20000)
      dim[i] = 3;
    if (empty && pick(m, 15) == 0)
      dim[i] = 0;
    all *= WEFT_MAX(dim[i], 1);
  }
  return rank;
}

static void make_reduction(maker *m, uint64_t seed) {
  static const struct {
    weft_dtype type;
    const char *ops[7];
  } kinds[] = {{WEFT_DOUBLE, {"Sum", "Mean", "Prod", "Max", "Min", "Norm"}},
               {WEFT_INT32, {"Sum", "Mean", "Prod", "Max", "Min"}},
               {WEFT_UINT32, {"Sum", "Mean", "Prod", "Max", "Min"}},
               {WEFT_INT64, {"Sum", "Mean", "Prod", "Max", "Min"}},
               {WEFT_UINT64, {"Sum", "Mean", "Prod", "Max", "Min"}},
               {WEFT_INT8, {"Max", "Min"}},
               {WEFT_UINT8, {"Max", "Min"}},
               {WEFT_BOOL, {"Any", "All", "Max", "Min"}}};
  int64_t dim[4];
  int64_t axes[4];
  size_t k = seed % WEFT_COUNT(kinds);
  size_t n_ops = 0;
  size_t n = 0;
  maker_begin(m, seed);
  while (kinds[k].ops[n_ops])
    n_ops++;
  const char *op = kinds[k].ops[pick(m, n_ops)];
  size_t rank = shape_of(m, dim, 0, kinds[k].type == WEFT_DOUBLE || strcmp(op, "Mean"));
  for (size_t i = 0; i < rank; i++) {
    if (pick(m, 2))
      axes[n++] = (int64_t)i - (pick(m, 2) ? (int64_t)rank : 0);
  }
  put(m, "graph \"g\" {\n");
  put_input(m, "x", kinds[k].type, dim, rank);
  put(m, "const a: i64[%zu]{", n);
  put_dims(m, axes, n);
  put(m, "}\nnode y: %s%s(x, a) {keep_dims=%s, noop_with_empty_axes=%s} -> y\noutput y\n}\n",
      strcmp(op, "Norm") ? "Reduce" : "Euclidean", op, pick(m, 2) ? "true" : "false",
      pick(m, 2) ? "true" : "false");
}

static void make_scan(maker *m, uint64_t seed) {
  static const weft_dtype types[] = {WEFT_FLOAT, WEFT_DOUBLE, WEFT_INT32,
                                     WEFT_INT64, WEFT_UINT32, WEFT_UINT64};
  int64_t dim[4];
  maker_begin(m, seed);
  size_t rank = shape_of(m, dim, 1, true);
  put(m, "graph \"g\" {\n");
  put_input(m, "x", types[seed % WEFT_COUNT(types)], dim, rank);
  put(m, "const a: i32[]{%d}\n", (int)pick(m, 2 * rank) - (int)rank);
  put(m, "node y: Cumsum(x, a) {exclusive=%s, reverse=%s} -> y\noutput y\n}\n", pick(m, 2) ? "true" : "false",
      pick(m, 2) ? "true" : "false");
}

static void small(maker *m, weft_dtype t) {
  put(m, t == WEFT_FLOAT && pick(m, 9) == 0 ? "%d.5" : "%d", (int)pick(m, 24) - 12);
}
static void make_one_hot(maker *m, uint64_t seed) {
  static const weft_dtype indices[] = {WEFT_INT32, WEFT_INT64, WEFT_INT8, WEFT_FLOAT};
  static const weft_dtype types[] = {WEFT_FLOAT, WEFT_DOUBLE,  WEFT_INT32, WEFT_INT64,
                                     WEFT_INT8,  WEFT_FLOAT16, WEFT_BOOL};
  const weft_dtype t = types[seed % WEFT_COUNT(types)];
  int64_t dim[4];
  maker_begin(m, seed);
  size_t rank = shape_of(m, dim, 0, true) % 4;
  for (size_t i = 0; i < rank; i++)
    dim[i] = WEFT_MIN(dim[i], 40);
  if (rank == 1 && pick(m, 2))
    dim[0] = 1100;
  put(m, "graph \"g\" {\n");
  put_const(m, "x", indices[pick(m, WEFT_COUNT(indices))], dim, rank, small);
  put(m, "const d: i64[]{%d}\n", (int)pick(m, 12));
  put_input(m, "on", t, NULL, 0);
  if (pick(m, 2))
    put_input(m, "off", t, NULL, 0);
  else
    put(m, "const off: %s[]{%s}\n", weft_dtype_name(t), t == WEFT_BOOL ? "false" : "0");
  put(m, "node y: OneHot(x, d, on, off) {axis=%d, negative_index_support=%s} -> y\noutput y\n}\n",
      (int)pick(m, 2 * rank + 2) - (int)rank - 1, pick(m, 2) ? "true" : "false");
}

static void all(const char *isa, void (*make)(maker *m, uint64_t seed), uint64_t first) {
  const kernel_law law = {
      .make = make, .fill = fill, .off = off, .by_kernel = not_reference, .empty_by_any = true};
  kernels_hold(&law, isa, first + check_seed(), (uint64_t)check_cases(ROUNDS));
}

EACH_ISA(typed_products, all(isa, make_product, first))
EACH_ISA(typed_reductions, all(isa, make_reduction, 5000 + first))
EACH_ISA(running_sums, all(isa, make_scan, 9000 + first))
TEST(one_hot) {
  all("plain", make_one_hot, 13000);
}
// SPDX-License-Identifier: Apache-2.0
