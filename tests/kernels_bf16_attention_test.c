// kernels_bf16_attention_test.c - attention whose two products round their operands. What is held:
// kernels_bf16_test.c.
#include "base/base.h"
#include "bf16_case.h"

static float *const a = bf16.a;
static float *const b = bf16.b;
static float *const c = bf16.c;

static bool one_attention(rows *r, int kind) {
  static const size_t keys[] = {1, 2, 3, 31, 32, 65, 130, 300};
  static const size_t sizes[] = {1, 2, 3, 17, 32, 33, 64, 80};
  static const double scales[KINDS] = {0.125, 0.125, 1e-5, 0x1p-50, 1, 0.125};
  if (kind == INFINITE)
    kind = RANDOM;  // kernels_attention_test.c has those
  bf16_heads v = {1 + bf16_pick(2),    4 + bf16_pick(30),   keys[bf16_pick(8)],
                  sizes[bf16_pick(8)], sizes[bf16_pick(8)], scales[kind]};
  const weft_dim n = (weft_dim)v.n;
  const weft_dim of = (weft_dim)v.keys;
  const weft_dim size = (weft_dim)v.size;
  const weft_dim d[3][4] = {
      {1, n, (weft_dim)v.queries, size}, {1, n, of, size}, {1, n, of, (weft_dim)v.width}};
  float *const numbers[3] = {a, b, c};
  bf16_graph g;
  weft_tensor t[3];
  weft_tensor y;
  const weft_tensor *in[3] = {&t[0], &t[1], &t[2]};
  bf16.n = 0;
  bf16_put("graph \"g\" {\n");
  for (size_t i = 0; i < 3; i++) {
    bf16_fill(numbers[i], v.n * (size_t)(d[i][2] * d[i][3]), kind);
    bf16_put("input %c: f32[1,%d,%d,%d]\n", "qkv"[i], (int)n, (int)d[i][2], (int)d[i][3]);
    if (!bf16_borrow(&t[i], numbers[i], d[i], 4))
      return false;
  }
  bf16_put("node y: PromptFlashAttention(q, k, v) {num_heads=%d, scale_value=%.9g, ", (int)n, v.scale);
  bf16_put("input_layout=\"BNSD\"} -> y\noutput y\n}\n");
  if (!bf16_open(r, bf16.way.option, false, &g))
    return false;
  bool ok = bf16_run(r, &g, in, 3, &y);
  for (size_t i = 0; ok && i < v.n * v.queries * v.width; i++) {
    double want;
    double bound;
    double got = (double)((const float *)y.data)[i];
    size_t head = i / v.width / v.queries;
    bf16_attend(&v, bf16.way.parts, a + i / v.width * v.size, b + head * v.keys * v.size,
                c + head * v.keys * v.width, i % v.width, &want, &bound);
    ok = isnan(bound) || fabs(got - want) <= bound;
    if (!ok)
      check_failed(__FILE__, __LINE__, "%zu: %.9g, exact %.9g\n%.300s", i, got, want, bf16.text);
  }
  if (ok)
    CHECK_INT(bf16_runs_of(g.one, "attention-bf16"), 1);
  weft_tensor_deinit(&y);
  bf16_close(&g);
  return ok;
}

BF16_EACH_VECTOR(attention, one_attention, 10)
// SPDX-License-Identifier: Apache-2.0
