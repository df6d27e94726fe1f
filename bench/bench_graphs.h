// bench_graphs.h - graphs of any size as text: a chain, a mixed graph, branches.
#pragma once
#include "bench_program.h"
#include "bench_text.h"

static inline void begin(void) {
  text_n = 0;
  put("graph \"g\" { ");
}
static inline weft_graph *graph(void) {
  weft_graph *g = NULL;
  put("}");
  MUST(weft_graph_parse(env, text, text_n, "bench", &g, &d));
  return g;
}

static inline void put_chain(size_t nodes, const char *dims, const char *only) {
  static const char *const ops[] = {"Tanh", "Sigmoid", "Neg", "Relu", "Abs"};
  begin();
  put("input x: f32[%s] ", dims);
  for (size_t i = 0; i < nodes; i++) {
    char from[32];
    snprintf(from, sizeof from, i ? "v%zu" : "x", i - 1);
    put("node n%zu: %s(%s) -> v%zu ", i, only ? only : ops[i % 5], from, i);
  }
  put("output v%zu ", nodes - 1);
}

// Operators of one and two inputs and products, each of what came among the last eight.
static inline void put_mixed(size_t nodes) {
  static const char *const one[] = {"Tanh", "Sigmoid", "Relu", "Neg"};
  static const char *const two[] = {"Add", "Mul", "Sub"};
  uint64_t state = 11;
  begin();
  put("input v0: f32[32,64] input v1: f32[32,64] const w: f32[64,64]{*0.01} ");
  for (size_t i = 2; i < nodes + 2; i++) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint64_t r = state >> 33;
    size_t back = i < 8 ? i : 8;
    size_t a = i - 1 - r % back;
    size_t b = i - 1 - r / 64 % back;
    if (r % 10 < 4)
      put("node n%zu: %s(v%zu) -> v%zu ", i, one[r / 16 % 4], a, i);
    else if (r % 10 < 9)
      put("node n%zu: %s(v%zu,v%zu) -> v%zu ", i, two[r / 16 % 3], a, b, i);
    else
      put("node n%zu: MatMulV2(v%zu,w) -> v%zu ", i, a, i);
  }
  for (size_t i = nodes + 2 - 8; i < nodes + 2; i++)
    put("output v%zu ", i);
}

// Branches of three products with Relu, all from one value and each with weights of its own, whose means are
// added in the order they come.
static inline void put_branches(size_t nodes) {
  size_t n = nodes / 8 ? nodes / 8 : 1;
  begin();
  put("input x: f32[8,16] const one: i64[1]{1} ");
  for (size_t b = 0; b < n; b++) {
    put("const w%zu: f32[16,16]{*%zu.5} const c%zu: f32[16]{*%zu.25} ", b, b, b, b);
    for (int k = 0; k < 3; k++) {
      char from[32];
      snprintf(from, sizeof from, k ? "r%zu_%d" : "x", b, k - 1);
      put("node m%zu_%d: MatMulV2(%s,w%zu,c%zu) -> m%zu_%d node r%zu_%d: Relu(m%zu_%d) -> r%zu_%d ", b, k,
          from, b, b, b, k, b, k, b, k, b, k);
    }
    put("node q%zu: ReduceMean(r%zu_2,one) {keep_dims=true} -> q%zu ", b, b, b);
    if (b) {
      char from[32];
      snprintf(from, sizeof from, b > 1 ? "s%zu" : "q0", b - 1);
      put("node s%zu: Add(%s,q%zu) -> s%zu ", b, from, b, b);
    }
  }
  put(n > 1 ? "output s%zu " : "output q%zu ", n - 1);
}
// SPDX-License-Identifier: Apache-2.0
