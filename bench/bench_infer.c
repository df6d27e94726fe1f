// bench_infer.c - inference of synthetic graphs: nanoseconds and bytes a node, 10^2 to 10^5 nodes.
// The graph mixes chains of elementwise operators with branches that join, all static or all with an unknown
// batch.
#include "bench.h"

typedef struct counter {
  size_t live, peak;
} counter;

static void *counted(void *ctx, void *ptr, size_t old_bytes, size_t new_bytes, size_t align) {
  counter *c = ctx;
  weft_allocator a = weft_allocator_default();
  void *p = a.fn(a.ctx, ptr, old_bytes, new_bytes, align);
  if (p || !new_bytes)
    c->live += new_bytes - (ptr ? old_bytes : 0);
  if (c->live > c->peak)
    c->peak = c->live;
  return p;
}

static void build(weft_env *e, size_t nodes, weft_dim batch, weft_graph **out) {
  weft_diag d = {0};
  weft_graph *g;
  if (weft_graph_create(e, "synthetic", &g, &d))
    bench_die(&d);
  weft_value *x = weft_graph_input(g, "x", WEFT_FLOAT, (weft_dim[]){batch, 64, 32, 32}, 4, &d);
  weft_value *b = weft_graph_input(g, "b", WEFT_FLOAT, (weft_dim[]){64, 1, 1}, 3, &d);
  weft_value *side = x;
  if (!x || !b)
    bench_die(&d);
  for (size_t i = 0; i < nodes; i++) {
    static const char *const ops[] = {"Relu", "Add", "Sigmoid", "Mul", "Abs", "Sub", "Tanh", "Maximum"};
    const char *op = ops[i % 8];
    weft_value *in[2] = {x, i % 4 == 3 ? side : b};
    if (weft_graph_op1(g, op, NULL, in, i % 2 ? 2 : 1, &x, &d))
      bench_die(&d);
    if (i % 16 == 7)
      side = x;
  }
  if (weft_graph_output(g, x, &d))
    bench_die(&d);
  *out = g;
}

static void measure(size_t nodes, weft_dim batch) {
  counter c = {0, 0};
  weft_diag d = {0};
  weft_env *e;
  weft_env_options o = {.size = sizeof o, .allocator = {counted, &c}, .package_path = ""};
  if (weft_env_create(&o, &e, &d))
    bench_die(&d);
  size_t before = c.live;
  weft_graph *g;
  double t0 = bench_now_ns();
  build(e, nodes, batch, &g);
  double build_ns = bench_now_ns() - t0;
  double first = 0, ns[64];
  size_t rounds = nodes >= 100000 ? 9 : nodes >= 10000 ? 21 : 63;
  for (size_t r = 0; r <= rounds; r++) {
    t0 = bench_now_ns();
    if (weft_graph_infer(g, NULL, NULL, &d))
      bench_die(&d);
    if (r)
      ns[r - 1] = bench_now_ns() - t0;
    else
      first = bench_now_ns() - t0;
  }
  bench_result b = bench_summary(ns, rounds);
  printf("%8zu  %-8s %9.1f %9.1f %9.1f %9.1f %10.0f\n", nodes, batch < 0 ? "dynamic" : "static",
         build_ns / (double)nodes, first / (double)nodes, b.min / (double)nodes, b.median / (double)nodes,
         (double)(c.live - before) / (double)nodes);
  weft_graph_destroy(g);
  weft_env_destroy(e);
}

int main(void) {
  printf("inference of a synthetic graph, per node (goal: 250 ns at 20000 nodes)\n");
  printf("%8s  %-8s %9s %9s %9s %9s %10s\n", "nodes", "shapes", "build ns", "first ns", "min ns", "median ns",
         "bytes");
  static const size_t sizes[] = {100, 1000, 10000, 20000, 100000};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    measure(sizes[i], 8);
  measure(20000, -1);
  return 0;
}
// SPDX-License-Identifier: Apache-2.0
