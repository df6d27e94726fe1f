// kernels_nbits_test.c - MatMulNBits by the CPU's kernel on random shapes: 2, 4 and 8 bits, block sizes, zero
// points packed, real or none, columns named by g_idx, a bias, few rows and many, constant or not, infinite
// numbers: what the interpreter gives, for each instruction set, the same bits with one thread and with
// several, and by the kernel.
#include "base/base.h"
#include "maker.h"

enum { ROUNDS = 120 };
static int blocks_of_case;

static void value(maker *m, weft_dtype t) {
  if (t == WEFT_UINT8)
    put_decimal(m, (int)pick(m, 256), 0);
  else if (t == WEFT_INT32)
    put(m, "%d", (int)pick(m, (uint64_t)blocks_of_case));
  else
    put(m, "%g", ((double)pick(m, 2001) - 1000) / 1000);
}

static void tensor(maker *m, const char *name, weft_dtype t, const int64_t *dim, size_t rank, bool constant) {
  if (constant)
    put_const(m, name, t, dim, rank, value);
  else
    put_input(m, name, t, dim, rank);
}

static void make_product(maker *m, uint64_t seed) {
  static const int64_t sizes[] = {1, 1, 1, 2, 3, 4, 5, 8, 9, 13, 16, 17, 33, 40};
  static const int64_t all_bits[] = {4, 4, 4, 8, 2};
  maker_begin(m, seed);
  put(m, "graph \"g\" {\n");
  int64_t high = pick(m, 40) ? sizes[pick(m, 14)] : 0;
  int64_t n = 1 + (int64_t)pick(m, 70);
  int64_t k = 1 + (int64_t)pick(m, pick(m, 4) ? 200 : 1200);
  int64_t block = 16 << pick(m, 5);
  int64_t bits = all_bits[pick(m, 5)];
  if (pick(m, 30) == 0)
    block = 1024;
  int64_t blocks = (k + block - 1) / block;
  int64_t packed = (blocks * bits + 7) / 8;
  blocks_of_case = (int)blocks;
  bool constant = pick(m, 2);
  bool group = pick(m, 6) == 0;
  int zero = (int)pick(m, 3);
  const int64_t x[] = {high, k};
  const int64_t w[] = {n, blocks, block * bits / 8};
  const int64_t s[] = {n, blocks};
  const int64_t z[] = {n, packed};
  tensor(m, "x", WEFT_FLOAT, x, 2, false);
  tensor(m, "w", WEFT_UINT8, w, 3, constant && n * k < 20000);
  tensor(m, "s", WEFT_FLOAT, s, 2, constant);
  if (zero)
    tensor(m, "z", zero == 1 ? WEFT_UINT8 : WEFT_FLOAT, zero == 1 ? z : s, 2, constant);
  if (group)
    tensor(m, "g", WEFT_INT32, &k, 1, true);
  bool bias = pick(m, 2);
  if (bias)
    tensor(m, "b", WEFT_FLOAT, &n, 1, constant);
  put(m, "node p: MatMulNBits(x, w, s, %s, %s, %s)", zero ? "z" : "_", group ? "g" : "_", bias ? "b" : "_");
  put(m, " {K=%lld, N=%lld, bits=%lld, block_size=%lld} -> y\noutput y\n}\n", (long long)k, (long long)n,
      (long long)bits, (long long)block);
}

static void fill(maker *m, size_t input, weft_tensor *t) {
  size_t n = (size_t)weft_tensor_elems(t);
  bool odd = m->seed % 11 == 0;
  (void)input;
  for (size_t i = 0; i < n; i++) {
    if (t->dtype == WEFT_UINT8)
      ((uint8_t *)t->data)[i] = (uint8_t)pick(m, 256);
    else {
      ((float *)t->data)[i] = odd && input == 0 && pick(m, 50) == 0 ? (pick(m, 2) ? INFINITY : -INFINITY)
                                                                    : ((float)pick(m, 2001) - 1000) / 1000;
    }
  }
}

static double off(const maker *m, const weft_tensor *got, const weft_tensor *want, double *out_bound) {
  (void)m;
  *out_bound = 1e-5;
  return floats_off(got, want, true);
}

static void all(const char *isa, uint64_t first) {
  const kernel_law law = {
      .make = make_product, .fill = fill, .off = off, .by_kernel = not_reference, .empty_by_any = true};
  kernels_hold(&law, isa, first, ROUNDS);
}
EACH_ISA(products, all(isa, first))
// SPDX-License-Identifier: Apache-2.0
