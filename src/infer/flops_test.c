// flops_test.c - multiply-adds of convolutions and products, counted by hand.
#include "check.h"
#include "base/base.h"
#include "weft/infer.h"

static const char source[] =
    "graph \"g\" {\n"
    "  symbol N\n"
    "  input x: f32[2,4,8,8] NCHW\n"
    "  input n: f32[N,4]\n"
    "  input a: f32[5,4]\n"
    "  const w: f32[6,2,3,3]{*1} NCHW\n"
    "  const v: f32[4,3,2,2]{*1}\n"
    "  const b: f32[4,7]{*1}\n"
    "  node conv: Conv2D(x, w) {strides=[1,1,1,1], pads=[0,0,0,0], groups=2, data_format=\"NCHW\"} -> c\n"
    "  node up: ConvTranspose(x, v) -> u\n"
    "  node mm: MatMulV2(a, b) -> m\n"
    "  node bmm: BatchMatMulV2(a, b) -> bm\n"
    "  input p: u8[2,4,8,8]\n"
    "  input q: u8[5,4]\n"
    "  const i: i8[6,2,3,3]{*1}\n"
    "  const j: i8[4,7]{*1}\n"
    "  node bytes: ConvInteger(p, i) {group=2} -> s\n"
    "  node mbytes: MatMulInteger(q, j) -> t\n"
    "  node dyn: MatMulV2(n, b) -> z\n"
    "  node relu: Relu(m) -> r\n"
    "  input qk: f32[2,3,4,8]\n"
    "  input kv: f32[2,1,6,8]\n"
    "  input vv: f32[2,1,6,5]\n"
    "  node att: PromptFlashAttention(qk, kv, vv) {num_heads=3, num_key_value_heads=1, "
    "input_layout=\"BNSD\"} -> ao\n"
    "  node causal: PromptFlashAttention(qk, kv, vv) {num_heads=3, num_key_value_heads=1, "
    "input_layout=\"BNSD\", sparse_mode=3} -> ac\n"
    "  node band: PromptFlashAttention(qk, kv, vv) {num_heads=3, num_key_value_heads=1, "
    "input_layout=\"BNSD\", sparse_mode=4, pre_tokens=3, next_tokens=1} -> ab\n"
    "  node none: PromptFlashAttention(qk, kv, vv) {num_heads=3, num_key_value_heads=1, "
    "input_layout=\"BNSD\", sparse_mode=4, pre_tokens=-3, next_tokens=1} -> an\n"
    "  input lq: f32[1,1,1099511627776,1]\n"
    "  input lk: f32[1,1,1048576,1]\n"
    "  node long: PromptFlashAttention(lq, lk, lk) {num_heads=1, input_layout=\"BNSD\", sparse_mode=2} -> "
    "al\n"
    "  output ab\n  output an\n  output al\n"
    "  input steps: f32[7,2,3]\n"
    "  const lw: f32[1,20,3]{*1}\n"
    "  const lr: f32[1,20,5]{*1}\n"
    "  node lstm: CommonLSTM(steps, lw, lr) {hidden_size=5} -> ly, lh, lc\n"
    "  output ao\n  output ac\n  output ly\n"
    "  output c\n  output u\n  output r\n  output bm\n  output z\n  output s\n  output t\n"
    "}\n";

TEST(multiply_adds_count_two) {
  static const struct {
    const char *node;
    int64_t flops;
  } want[] = {{"conv", 2 * (2 * 6 * 6 * 6) * (2 * 3 * 3)},  // each of the outputs sums 2 channels of 3x3
              {"up", 2 * (2 * 4 * 8 * 8) * (3 * 2 * 2)},
              {"mm", 2 * 5 * 7 * 4},
              {"bmm", 2 * 5 * 7 * 4},
              {"bytes", 2 * (2 * 6 * 6 * 6) * (2 * 3 * 3)},
              {"mbytes", 2 * 5 * 7 * 4},
              {"att", 2 * (2 * 3 * 4 * 6) * (8 + 5)},
              {"causal", 2 * (2 * 3 * (3 + 4 + 5 + 6)) * (8 + 5)},  // query i sees the first i + 3 keys
              {"band", 2 * (2 * 3 * (4 + 5 + 5 + 4)) * (8 + 5)},    // query i sees keys i - 1 to i + 3, of 6
              {"none", 0},
              // the first 2^20 queries see 1, 2, ... keys, the others all; not counted one by one
              {"long", 2 * 2 *
                           ((INT64_C(1) << 20) * ((INT64_C(1) << 20) + 1) / 2 +
                            ((INT64_C(1) << 40) - (INT64_C(1) << 20)) * (INT64_C(1) << 20))},
              {"lstm", 2 * (7 * 2) * (20 * 3 + 20 * 5)},
              {"dyn", -1},
              {"relu", 0}};
  weft_env *e = NULL;
  weft_graph *g = NULL;
  weft_diag d = {0};
  weft_env_options o = {.package_path = ""};
  CHECK_OK(weft_env_create(&o, &e, &d), &d);
  CHECK_OK(weft_graph_parse(e, source, sizeof source - 1, "g", &g, &d), &d);
  CHECK_INT(weft_node_flops(weft_graph_find_node(g, "mm")), -1);  // not inferred
  CHECK_OK(weft_graph_infer(g, NULL, NULL, &d), &d);
  for (size_t i = 0; i < WEFT_COUNT(want); i++) {
    if (weft_node_flops(weft_graph_find_node(g, want[i].node)) != want[i].flops) {
      check_failed(__FILE__, __LINE__, "%s: %lld, expected %lld", want[i].node,
                   (long long)weft_node_flops(weft_graph_find_node(g, want[i].node)),
                   (long long)want[i].flops);
    }
  }
  weft_graph_destroy(g);
  weft_env_destroy(e);
}
// SPDX-License-Identifier: Apache-2.0
