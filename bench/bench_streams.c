// bench_streams.c - one and several streams of the CPU, taking turns: 64 branches of three products each, a
// chain, small operators. Wall time of a run, minimum and median; what the planner expected stands beside it.
#include "base/base.h"
#include "bench_text.h"

static weft_env *env;
static weft_diag d;
#define MUST(e)      \
  do {               \
    if (e)           \
      bench_die(&d); \
  } while (0)

static weft_program *compiled(void) {
  weft_graph *g;
  weft_program *p;
  MUST(weft_graph_parse(env, text, text_n, "bench", &g, &d));
  MUST(weft_compile(g, NULL, &p, &d));
  return p;
}

// The graph of branches64: three products with bias and Relu a branch, a mean, all joined.
static weft_program *branches(int n, int rows, int width) {
  text_n = 0;
  put("graph \"g\" { input x: f32[%d,%d] const ax: i32[]{1} const one: i64[1]{1} ", rows, width);
  for (int b = 0; b < n; b++) {
    put("const w%d: f32[%d,%d]{*0.0%d} const c%d: f32[%d]{*0.1} ", b, width, width, b + 1, b, width);
    for (int k = 0; k < 3; k++) {
      char from[32];
      snprintf(from, sizeof from, k ? "r%d_%d" : "x", b, k - 1);
      put("node m%d_%d: MatMulV2(%s, w%d, c%d) -> m%d_%d node r%d_%d: Relu(m%d_%d) -> r%d_%d ", b, k, from, b,
          b, b, k, b, k, b, k, b, k);
    }
    put("node q%d: ReduceMean(r%d_2, one) {keep_dims=true} -> q%d ", b, b, b);
  }
  put("node j: ConcatV2([");
  for (int b = 0; b < n; b++)
    put("%sq%d", b ? ", " : "", b);
  put("], ax) {N=%d} -> j node y: SoftmaxV2(j) -> y output y }", n);
  return compiled();
}

static weft_program *chain(int n, int width) {
  text_n = 0;
  put("graph \"g\" { input x: f32[%d,%d] const w: f32[%d,%d]{*0.01} ", width, width, width, width);
  for (int k = 0; k < n; k++) {
    char from[32];
    snprintf(from, sizeof from, k ? "r%d" : "x", k - 1);
    put("node m%d: MatMulV2(%s, w) -> m%d node r%d: Relu(m%d) -> r%d ", k, from, k, k, k, k);
  }
  put("output r%d }", n - 1);
  return compiled();
}

static double run(weft_exec *x, const weft_tensor *in, weft_tensor *out) {
  double t = bench_now_ns();
  MUST(weft_exec_run(x, &in, 1, &out, 1, &d));
  return bench_now_ns() - t;
}

enum { KINDS = 5, MOST = 4000 };
static const uint32_t streams[KINDS] = {1, 2, 2, 4, 8};
static double times[KINDS][MOST];

// The waits between streams of the plan run last: its line "streams: 2, 17 events".
static weft_status find_events(void *ctx, const char *part, size_t bytes) {
  static const char word[] = " events";
  for (size_t i = 0; i + sizeof word - 1 <= bytes; i++) {
    if (memcmp(part + i, word, sizeof word - 1))
      continue;
    size_t from = i;
    while (from && part[from - 1] >= '0' && part[from - 1] <= '9')
      from--;
    if (from < i)
      *(int *)ctx = atoi(part + from);
  }
  return WEFT_OK;
}
static int events_of(weft_exec *x) {
  int n = 0;
  MUST(weft_exec_print_plan(x, find_events, &n, &d));
  return n;
}

static void compare(const char *name, weft_program *p) {
  weft_exec *x[KINDS];
  weft_tensor in;
  weft_tensor out[KINDS];
  weft_tensor_desc desc;
  weft_program_input(p, 0, &desc);
  weft_tensor_init(&in, NULL);
  MUST(weft_tensor_alloc(&in, WEFT_FLOAT, desc.layout.origin.dim, desc.layout.origin.rank, &d));
  for (int64_t i = 0, n = weft_tensor_elems(&in); i < n; i++)
    ((float *)in.data)[i] = (float)(i % 17) / 16;
  for (int k = 0; k < KINDS; k++) {
    weft_exec_options o = {.size = sizeof o, .streams = streams[k], .streams_always = k > 1};
    MUST(weft_exec_create(p, &o, &x[k], &d));
    weft_tensor_init(&out[k], NULL);
    for (int i = 0; i < 3; i++)
      run(x[k], &in, &out[k]);
  }
  size_t n = 0;
  for (double begun = bench_now_ns(); n < MOST && (n < 5 || bench_now_ns() - begun < 3e9); n++) {
    for (int k = 0; k < KINDS; k++)
      times[k][n] = run(x[k], &in, &out[k]);
  }
  printf("%-24s", name);
  for (int k = 0; k < KINDS; k++) {
    bench_result r = bench_summary(times[k], n);
    bool same = out[k].bytes == out[0].bytes && !memcmp(out[k].data, out[0].data, out[0].bytes);
    printf(" %9.1f %9.1f %4d%s", r.min / 1e3, r.median / 1e3, events_of(x[k]), same ? "" : " DIFFERS");
  }
  printf("\n");
  for (int k = 0; k < KINDS; k++) {
    weft_exec_destroy(x[k]);
    weft_tensor_deinit(&out[k]);
  }
  weft_tensor_deinit(&in);
  weft_program_release(p);
}

int main(void) {
  weft_env_options o = {.package_path = ""};
  MUST(weft_env_create(&o, &env, &d));
  printf(
      "P3: streams, all threads of this machine, us a run: minimum, median, events (they take turns; equal "
      "bits are\n"
      "checked). More streams of the CPU than it has threads are not used: 4 and 8 then are as many as there "
      "are.\n");
  printf("%-24s %24s %24s %24s %24s %24s\n", "", "one stream", "two where they pay", "two always", "4 always",
         "8 always");
  compare("branches 64 x [64,256]", branches(64, 64, 256));
  compare("branches 64 x [8,64]", branches(64, 8, 64));
  compare("branches 2 x [64,512]", branches(2, 64, 512));
  compare("chain of 32 [128,128]", chain(32, 128));
  weft_env_destroy(env);
  free(text);
  return 0;
}
// SPDX-License-Identifier: Apache-2.0
