// passes_nbits_test.c - match-nbits: which products keep weights of few bits packed, which are left and why,
// that results are those of the float product within rounding, and that a second run finds nothing left to
// do.
#include "check.h"
#include "base/base.h"
#include "passes_util.h"

enum { K = 40, N = 3, BLOCK = 16, BLOCKS = 3 };

// w of K rows or, turned, K columns; the blocks of 16 leave one of 8.
static void weights(char *text, size_t cap, const char *dtype, bool turned, bool zeros) {
  bool is_signed = dtype[0] == 'i';
  bool four = dtype[1] == '4';
  int rows = turned ? N : K;
  int columns = turned ? K : N;
  int blocks = BLOCKS;
  size_t n = 0;
  weft__append(text, cap, &n, "const w: %s[%d,%d]{", dtype, rows, columns);
  for (int i = 0; i < rows * columns; i++) {
    weft__append(text, cap, &n, "%s%d", i ? "," : "",
                 i * 7 % (four ? 16 : 256) - (is_signed ? (four ? 8 : 128) : 0));
  }
  weft__append(text, cap, &n, "}\nconst s: f32[%d,%d]{", turned ? N : blocks, turned ? blocks : N);
  for (int i = 0; i < N * blocks; i++)
    weft__append(text, cap, &n, "%s%g", i ? "," : "", 0.5 + i * 0.25);
  weft__append(text, cap, &n, "}\n");
  if (!zeros)
    return;
  weft__append(text, cap, &n, "const z: %s[%d,%d]{", dtype, turned ? N : blocks, turned ? blocks : N);
  for (int i = 0; i < N * blocks; i++)
    weft__append(text, cap, &n, "%s%d", i ? "," : "", i % 7);
  weft__append(text, cap, &n, "}\n");
}

static void packs(const char *dtype, bool turned, bool zeros, const char *product, const char *x) {
  char text[8192];
  char types[512];
  size_t n = 0;
  passes_fixture f;
  weft__append(text, sizeof text, &n, "graph \"g\" {\ninput x: f32%s\n", x);
  weights(text + n, sizeof text - n, dtype, turned, zeros);
  n = strlen(text);
  weft__append(text, sizeof text, &n,
               "node d: DequantizeLinear(w, s%s) {axis=%d, block_size=%d} -> d\n%s\noutput y\n}\n",
               zeros ? ", z" : "", turned, BLOCK, product);
  CHECK_OK(passes_open(&f, text), &f.d);
  CHECK_OK(passes_optimize(&f, NULL, 0), &f.d);
  passes_types(f.g, types);
  CHECK_STR(types, "MatMulNBits");
  CHECK_HAS(f.log, "weights stay packed");
  CHECK_OK(passes_same_results(&f, 1e-5, 2), &f.d);
  size_t before = f.sum.changes;
  CHECK_OK(passes_again(&f, NULL, 0), &f.d);
  CHECK(before > 0);
  CHECK_INT(f.sum.changes, 0);
  passes_close(&f);
}

TEST(weights_in_blocks_stay_packed) {
  static const char *const dtypes[] = {"i4", "u4", "i8", "u8"};
  for (size_t i = 0; i < 4; i++) {
    for (int zeros = 0; zeros < 2; zeros++) {
      packs(dtypes[i], false, zeros, "node y: MatMulV2(x, d) -> y", "[2,40]");
      packs(dtypes[i], true, zeros, "node y: MatMulV2(x, d) {transpose_x2=true} -> y", "[1,40]");
    }
  }
  packs("i4", false, true, "node y: BatchMatMulV2(x, d) -> y", "[2,1,40]");
  packs("u4", true, false, "node t: TransposeD(d) {perm=[1,0]} -> t node y: BatchMatMulV2(x, t) -> y",
        "[2,1,40]");
}

TEST(what_is_left_becomes_floats) {
  static const char *const products[] = {
      "const b: f32[3]{1,2,3} node y: MatMulV2(x, d, b) -> y",
      "node y: MatMulV2(x, d) {transpose_x1=true} -> y",
      "node y: MatMulV2(x, d) -> y",
  };
  static const char *const inputs[] = {"[2,40]", "[40,2]", "[3,40]"};
  for (size_t i = 0; i < WEFT_COUNT(products); i++) {
    char text[8192];
    char types[512];
    size_t n = 0;
    passes_fixture f;
    weft__append(text, sizeof text, &n, "graph \"g\" {\ninput x: f32%s\n", inputs[i]);
    weights(text + n, sizeof text - n, "i4", false, true);
    n = strlen(text);
    weft__append(text, sizeof text, &n,
                 "node d: DequantizeLinear(w, s, z) {axis=0, block_size=16} -> d\n%s\noutput y\n}\n",
                 products[i]);
    CHECK_OK(passes_open(&f, text), &f.d);
    CHECK_OK(passes_optimize(&f, NULL, 0), &f.d);
    passes_types(f.g, types);
    CHECK(!strstr(types, "MatMulNBits"));
    CHECK_HAS(f.log, "weights in blocks, but");
    CHECK_OK(passes_same_results(&f, 1e-5, 1), &f.d);
    passes_close(&f);
  }
}
// SPDX-License-Identifier: Apache-2.0
