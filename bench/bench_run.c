// bench_run.c - compiling and running graphs made here: what a launch, a plan, a shape and a compile cost
// beside the operators' own work.
#include "bench_graphs.h"

static bed *ready(weft_graph *g, const char *option, int64_t dim) {
  bed *b = open_bed(compile(g, option), 1, false);
  shape_bed(b, dim);
  run(b);
  run(b);
  return b;
}

// ---- dispatch ----
static weft_graph *chain(size_t nodes, const char *dims, const char *only) {
  put_chain(nodes, dims, only);
  return graph();
}

static void dispatch(void) {
  static const char *const dims[] = {"1", "16", "64", "1024"};
  printf(
      "dispatch, a chain of 2000 operators of five kinds, one thread, ns a node (minimum, median of runs for "
      "0.2 s)\n");
  printf("%-10s %22s %22s %26s\n", "elements", "every node a launch", "fused", "one kind (Neg), unfused");
  for (size_t i = 0; i < sizeof dims / sizeof *dims; i++) {
    printf("%-10s", dims[i]);
    for (int k = 0; k < 3; k++) {
      bed *b = ready(chain(2000, dims[i], k == 2 ? "Neg" : NULL), k == 1 ? NULL : "passes=0", 1);
      bench_result r = time_runs(b, 2e8, NULL);
      printf(" %14.1f %7.1f", r.min / 2000, r.median / 2000);
      close_bed(b);
    }
    printf("\n");
  }
}

// ---- compile time ----
static weft_graph *mixed(size_t nodes) {
  put_mixed(nodes);
  return graph();
}

static void compiling(void) {
  printf(
      "\ncompile time of a mixed graph [32,64], ms (minimum of 5) and us a node; then planning its one "
      "shape\n");
  printf("%8s %12s %9s %10s %12s %9s %9s\n", "nodes", "compile ms", "us/node", "launches", "plan ms",
         "us/node", "peak/bound");
  // Memory as a program has it: the allocator that counts is not the default one, which has large pages.
  weft_env *counting = env;
  weft_env_options plain = {.package_path = ""};
  MUST(weft_env_create(&plain, &env, &d));
  for (size_t n = 100; n <= 100000; n *= 10) {
    double c[5], q[5];
    weft_memory_plan m = {.size = sizeof m};
    int rounds = n > 20000 ? 3 : 5;
    for (int k = 0; k < rounds; k++) {
      weft_graph *g = mixed(n);
      double t = bench_now_ns();
      weft_program *p = compile(g, NULL);
      c[k] = bench_now_ns() - t;
      bed *b = open_bed(p, 1, false);
      t = bench_now_ns();
      MUST(weft_exec_prepare(b->x, NULL, 0, &m, &d));
      q[k] = bench_now_ns() - t;
      close_bed(b);
    }
    double cn = bench_summary(c, (size_t)rounds).min, qn = bench_summary(q, (size_t)rounds).min;
    printf("%8zu %12.2f %9.2f %10u %12.2f %9.2f %9.4f\n", n, cn / 1e6, cn / 1e3 / (double)n, m.n_launches,
           qn / 1e6, qn / 1e3 / (double)n, m.bound_bytes ? (double)m.arena_bytes / (double)m.bound_bytes : 1);
  }
  weft_env_destroy(env);
  env = counting;
}

// ---- memory at preparation ----
static void static_runs(void) {
  printf("\nP1: 100 nodes [64,64], static, 10 000 runs\n");
  bed *b = ready(chain(100, "64,64", "Neg"), "passes=0", 1);
  uint64_t before = n_allocs;
  for (int i = 0; i < 10000; i++) {
    double t = bench_now_ns();
    run(b);
    times[i] = bench_now_ns() - t;
  }
  uint64_t plain = n_allocs - before;
  bench_summary(times, 10000);
  printf("planned: p50 %.2f us, p99 %.2f us (%.2f x p50), %.1f ns a node, %llu allocations\n",
         times[5000] / 1e3, times[9900] / 1e3, times[9900] / times[5000], times[5000] / 100,
         (unsigned long long)plain);
  weft_graph *g = chain(100, "64,64", "Neg");
  MUST(weft_graph_infer(g, NULL, NULL, &d));
  before = n_allocs;
  for (int i = 0; i < 300; i++) {
    weft_tensor out;
    double t = bench_now_ns();
    MUST(weft_interp_run(g, NULL, b->ins, 1, &out, 1, &d));
    times[i] = bench_now_ns() - t;
    weft_tensor_deinit(&out);
  }
  uint64_t own = n_allocs - before;
  bench_summary(times, 300);
  printf(
      "a tensor allocated for each node (interpreter, reference kernels): p50 %.2f us, p99 %.2f us, %.1f "
      "allocations a "
      "run\n",
      times[150] / 1e3, times[297] / 1e3, (double)own / 300);
  weft_graph_destroy(g);
  before = n_allocs;
  uint64_t of_exec = stats(b).system_allocs;
  double t = bench_now_ns();
  for (int i = 0; i < 100000; i++)
    run(b);
  printf("100 000 runs more: %llu allocations of the environment, %llu of the exec, %.2f us a run\n",
         (unsigned long long)(n_allocs - before), (unsigned long long)(stats(b).system_allocs - of_exec),
         (bench_now_ns() - t) / 1e8);
  close_bed(b);
}

static void memory_line(const char *what, weft_graph *g, const char *option) {
  bed *b = open_bed(compile(g, option), 1, false);
  weft_memory_plan m = {.size = sizeof m};
  MUST(weft_exec_prepare(b->x, NULL, 0, &m, &d));
  printf("%-44s sum %12llu  peak %10llu  bound %10llu  peak/bound %.4f\n", what,
         (unsigned long long)m.sum_bytes, (unsigned long long)m.arena_bytes,
         (unsigned long long)m.bound_bytes,
         m.bound_bytes ? (double)m.arena_bytes / (double)m.bound_bytes : 1);
  close_bed(b);
}

static void memory(void) {
  static const char tail[] = "const i: i64[1]{0} const a: i32[]{0} node g: GatherV2(%s, i, a) -> y output y ";
  printf("\nP2: memory of a run, bytes; sum: after what is done in place (random graphs: bench_plan)\n");
  for (int k = 0; k < 2; k++) {
    begin();
    put("input x: f32[1,3,224,224] const w: f32[64,3,7,7]{*0.1} "
        "node c: Conv2D(x, w) {strides=[1,1,2,2], pads=[3,3,3,3], data_format=\"NCHW\"} -> c node r: Relu(c) "
        "-> r "
        "node p: MaxPoolV3(r) {ksize=[1,1,2,2], strides=[1,1,2,2], data_format=\"NCHW\"} -> p ");
    put(tail, "p");
    memory_line(k ? "conv, relu, pool, compiled" : "conv, relu, pool, as written", graph(),
                k ? NULL : "passes=0");
  }
  begin();
  put("input x: f32[1024,1024] node n0: Neg(x) -> v0 ");
  for (int i = 1; i < 100; i++)
    put("node n%d: Neg(v%d) -> v%d ", i, i - 1, i);
  put(tail, "v99");
  memory_line("100 tensors of 4 MiB in a chain, in place", graph(), "passes=0");
  begin();
  put("input x: f32[1024,1024] const p: i32[2]{1,0} node n0: Transpose(x, p) -> v0 ");
  for (int i = 1; i < 100; i++)
    put("node n%d: Transpose(v%d, p) -> v%d ", i, i - 1, i);
  put(tail, "v99");
  memory_line("the same of transposes, not in place", graph(), "passes=0");
}

// ---- a graph beside single calls ----
static void graph_or_calls(void) {
  double calls = 0;
  printf("\nP5: one compiled graph beside a call for each operator (weft_run_op), f32[16], ns a node\n");
  printf("%8s %12s %12s %14s %16s\n", "nodes", "graph", "calls", "compile us", "break-even runs");
  const weft_proto *neg;
  MUST(weft_get(env, "Neg", &neg, &d));
  static const size_t sizes[] = {3, 100, 1000};
  for (size_t i = 0; i < 3; i++) {
    size_t n = sizes[i];
    weft_graph *g = chain(n, "16", "Neg");
    double t = bench_now_ns();
    weft_program *p = compile(g, "passes=0");
    bed *b = open_bed(p, 1, false);
    MUST(weft_exec_prepare(b->x, NULL, 0, NULL, &d));
    double made = bench_now_ns() - t;
    shape_bed(b, 1);
    run(b);
    double own = time_runs(b, 1e8, NULL).median / (double)n;
    size_t rounds = 200000 / n;
    t = bench_now_ns();
    for (size_t k = 0; k < rounds; k++) {
      weft_tensor a = b->in[0];
      weft_tensor out;
      a.owned = 0;
      for (size_t j = 0; j < n; j++) {
        const weft_tensor *in = &a;
        MUST(weft_run_op(env, neg, NULL, &in, 1, &out, 1, NULL, &d));
        if (a.owned)
          weft_tensor_deinit(&a);
        a = out;
      }
      weft_tensor_deinit(&a);
    }
    calls = (bench_now_ns() - t) / (double)(rounds * n);
    printf("%8zu %12.1f %12.1f %14.1f %16.1f\n", n, own, calls, made / 1e3,
           made / ((calls - own) * (double)n));
    close_bed(b);
  }
  printf("\nP6: an error in the last of 1000 nodes (shapes that do not broadcast)\n");
  begin();
  put("input x: f32[16] input z: f32[17] ");
  for (int i = 0; i < 999; i++)
    put(i ? "node n%d: Neg(v%d) -> v%d " : "node n%d: Neg(x) -> v%d ", i, i ? i - 1 : i, i);
  put("node last: Add(v998, z) -> y output y ");
  weft_graph *g = graph();
  weft_diag why = {0};
  double t = bench_now_ns();
  weft_status s = weft_graph_infer(g, NULL, NULL, &why);
  double found = bench_now_ns() - t;
  weft_graph_destroy(g);
  printf(
      "refused with %s in %.1f us before anything ran; 999 calls, one after the other: about %.1f us and 999 "
      "kernels\n",
      weft_status_name(s), found / 1e3, 999 * calls / 1e3);
}

// ---- shapes ----
static void tiling(void) {
  printf("\nP8, P15: the same chain of 1000 operators with a fixed shape and with a symbol [N,64], N = 4\n");
  bed *fixed = ready(chain(1000, "4,64", NULL), "passes=0", 4);
  bed *open = ready(chain(1000, "N,64", NULL), "passes=0", 4);
  weft_exec_stats a = stats(fixed);
  weft_exec_stats b = stats(open);
  uint64_t before = n_allocs;
  double f = time_runs(fixed, 2e8, NULL).median, o = time_runs(open, 2e8, NULL).median;
  weft_exec_stats c = stats(fixed);
  weft_exec_stats e = stats(open);
  printf(
      "fixed %.1f ns a node, symbolic %.1f ns a node; while running: %llu tilings, %llu inferences, %llu "
      "allocations\n",
      f / 1000, o / 1000, (unsigned long long)(c.tilings - a.tilings + e.tilings - b.tilings),
      (unsigned long long)(c.infers - a.infers + e.infers - b.infers),
      (unsigned long long)(n_allocs - before));
  double ns = 0;
  for (int64_t n = 5; n < 25; n++) {
    for (size_t i = 0; i < open->n_in; i++) {
      weft_tensor_deinit(&open->in[i]);
      weft_tensor_deinit(&open->out[i]);
    }
    shape_bed(open, n);
    double t = bench_now_ns();
    run(open);
    ns += bench_now_ns() - t;
  }
  b = stats(open);
  printf(
      "20 new shapes: %.1f us each, %.1f ns a node more than a shape that was seen; %.0f tilings and %.0f "
      "inferences "
      "each\n",
      ns / 20e3, (ns / 20 - o) / 1000, (double)(b.tilings - e.tilings) / 20,
      (double)(b.infers - e.infers) / 20);
  close_bed(fixed);
  close_bed(open);
}

static void folding(void) {
  printf("\nP10: Shape -> Gather -> Concat -> Reshape, 200 times, f32[8,64]\n");
  for (int k = 0; k < 2; k++) {
    begin();
    put("input x: f32[8,64] const i: i64[]{0} const a: i32[]{0} const one: i64[1]{0} const w: i64[1]{64} ");
    for (int i = 0; i < 200; i++) {
      put(i ? "node s%d: Shape(v%d) {dtype=9} -> s%d " : "node s%d: Shape(x) {dtype=9} -> s%d ", i,
          i ? i - 1 : i, i);
      put("node g%d: GatherV2(s%d, one, a) -> g%d ", i, i, i);
      put("node c%d: ConcatV2([g%d, w], a) {N=2} -> c%d ", i, i, i);
      put(i ? "node r%d: Reshape(v%d, c%d) -> r%d " : "node r%d: Reshape(x, c%d) -> r%d ", i, i ? i - 1 : i,
          i, i);
      put("node n%d: Neg(r%d) -> v%d ", i, i, i);
    }
    put("output v199 ");
    weft_graph *g = graph();
    double t = bench_now_ns();
    weft_program *p = compile(g, k ? NULL : "passes=0");
    double made = bench_now_ns() - t;
    bed *b = open_bed(p, 1, false);
    shape_bed(b, 1);
    run(b);
    double r = time_runs(b, 1e8, NULL).median;
    printf("%-12s 1000 nodes to %4zu, %4llu launches, run %8.2f us, compile %8.1f us\n",
           k ? "with passes" : "without", weft_graph_n_nodes(weft_program_graph(p)),
           (unsigned long long)(stats(b).launches / stats(b).runs), r / 1e3, made / 1e3);
    close_bed(b);
  }
}

static void data_dependent(void) {
  printf("\nP14: NonZero of f32[N] and a Gather of what it found; every second element is not 0\n");
  printf("%8s %14s %14s %12s %12s %12s\n", "N", "seen, us", "new count, us", "allocations", "peak bytes",
         "needed");
  for (int64_t n = 64; n <= 65536; n *= 32) {
    begin();
    put("input x: f32[%lld] const s: i64[1]{-1} const a: i32[]{0} node z: NonZero(x) -> z "
        "node r: Reshape(z, s) -> r node g: GatherV2(x, r, a) -> y output y ",
        (long long)n);
    bed *b = open_bed(compile(graph(), NULL), 1, false);
    shape_bed(b, 1);
    float *x = b->in[0].data;
    for (int64_t i = 0; i < n; i++)
      x[i] = (float)(i % 2);
    run(b);
    run(b);
    uint64_t before = n_allocs;
    double seen = time_runs(b, 5e7, NULL).median;
    uint64_t more = n_allocs - before;
    double fresh = 0;
    for (int k = 0; k < 16; k++) {
      x[2 * k] = 5;
      weft_tensor_deinit(&b->out[0]);
      double t = bench_now_ns();
      run(b);
      fresh += (bench_now_ns() - t) / 16;
    }
    printf("%8lld %14.2f %14.2f %12llu %12llu %12lld\n", (long long)n, seen / 1e3, fresh / 1e3,
           (unsigned long long)more, (unsigned long long)stats(b).peak_bytes, (long long)(n / 2 * 8));
    close_bed(b);
  }
}

// ---- equality and files ----
static void count_equal(void *ctx, const weft_pass_report *line) {
  size_t *n = ctx;
  *n += !line->skipped && !strcmp(line->pass, "merge-equal");
}

static void equality(void) {
  enum { N = 2000000 };
  weft_tensor_desc a;
  weft_tensor_desc b;
  weft_diag why = {0};
  weft_desc_init(&a);
  MUST(weft_desc_set(&a, WEFT_FLOAT, WEFT_NCHW, (weft_dim[]){1, 64, 56, 56}, 4));
  b = a;
  bool same = true;
  bool all = true;
  double t = bench_now_ns();
  for (int i = 0; i < N; i++) {
    BENCH_KEEP(&b);
    all &= weft_desc_equal(&a, &b);
  }
  double equal = (bench_now_ns() - t) / N;
  t = bench_now_ns();
  for (int i = 0; i < N; i++) {
    BENCH_KEEP(&b);
    MUST(weft_desc_compatible(&a, &b, 0, &same));
    all &= same;
  }
  double compatible = (bench_now_ns() - t) / N;
  char blob[256];
  size_t bytes = 0;
  MUST(weft_desc_save(&a, 1, blob, sizeof blob, &bytes, &why));
  printf("\nP18: descriptions of rank 4: equal %.1f ns, compatible %.1f ns%s; %zu bytes (20 + 8 rank)\n",
         equal, compatible, all ? "" : "?", bytes);
  printf("P17: 200 equal pairs among 600 nodes whose names differ: ");
  begin();
  put("input x: f32[8,64] ");
  for (int i = 0; i < 200; i++) {
    char from[16];
    snprintf(from, sizeof from, i ? "v%d" : "x", i - 1);
    put("node a%d: Tanh(%s) -> a%d node b%d: Tanh(%s) -> b%d ", i, from, i, i, from, i);
    put("node c%d: Add(a%d, b%d) -> v%d ", i, i, i, i);
  }
  put("output v199 ");
  size_t merged = 0;
  weft_optimize_options passes = {.size = sizeof passes, .report = count_equal, .report_ctx = &merged};
  weft_compile_options o = {.size = sizeof o, .passes = &passes};
  weft_program *p;
  MUST(weft_compile(graph(), &o, &p, &d));
  weft_program_release(p);
  printf("merge-equal found %zu; comparing printed nodes, names included, would find 0\n", merged);
}

int main(void) {
  open_env();
  dispatch();
  compiling();
  static_runs();
  memory();
  graph_or_calls();
  tiling();
  folding();
  data_dependent();
  equality();
  weft_env_destroy(env);
  free(text);
  return 0;
}
// SPDX-License-Identifier: Apache-2.0
