// scale_test.c - the work before the first run is linear in the nodes: counted, not timed. For graphs of n,
// 4n and 16n nodes the nodes that passes look at, and the calls and bytes that compiling, loading and
// planning ask the allocator for, do not rise a node.
#include "base/base.h"
#include "check.h"
#include "weft/weft.h"

enum { SMALLEST = 256, SIZES = 3 };

typedef struct counted {
  weft_allocator system;
  uint64_t calls, bytes;
} counted;
static void *count(void *ctx, void *ptr, size_t old_bytes, size_t new_bytes, size_t align) {
  counted *c = ctx;
  c->calls += new_bytes != 0;
  c->bytes += new_bytes;
  return c->system.fn(c->system.ctx, ptr, old_bytes, new_bytes, align);
}

// ---- graphs ----
static void put_chain(weft_text *t, size_t n) {
  static const char *const ops[] = {"Tanh", "Sigmoid", "Neg", "Relu", "Abs"};
  weft__text_addf(t, "graph \"g\" { input v0: f32[16] ");
  for (size_t i = 0; i < n; i++)
    weft__text_addf(t, "node n%zu: %s(v%zu) -> v%zu ", i, ops[i % 5], i, i + 1);
  weft__text_addf(t, "output v%zu }", n);
}

// Products and operators of one and two inputs, of what came among the last five; some nobody reads. The same
// 64 over and over: rewrites that are rare would come up in large graphs only.
static void put_mixed(weft_text *t, size_t n) {
  static const char *const ops[] = {"Tanh(v%zu)", "Mul(v%zu,v%zu)", "Relu(v%zu)", "Add(v%zu,v%zu)",
                                    "MatMulV2(v%zu,w)"};
  uint32_t state = 7;
  weft__text_addf(t, "graph \"g\" { input v0: f32[8,8] const w: f32[8,8]{*0.01} ");
  for (size_t i = 0; i < n; i++) {
    size_t back = i < 4 ? i : 4;
    if (i % 64 == 0)
      state = 7;
    state = state * 1664525 + 1013904223;
    weft__text_addf(t, "node n%zu: ", i);
    weft__text_addf(t, ops[state >> 24 & 3 ? state >> 26 & 3 : 4], i - (state >> 16) % (back + 1),
                    i - (state >> 20) % (back + 1));
    weft__text_addf(t, " -> v%zu ", i + 1);
  }
  weft__text_addf(t, "output v%zu }", n);
}

// All from one value, with weights of their own; their results are added.
static void put_branches(weft_text *t, size_t n) {
  weft__text_addf(t, "graph \"g\" { input x: f32[4,8] ");
  for (size_t b = 0; b < n / 4; b++) {
    weft__text_addf(t, "const w%zu: f32[8,8]{*%zu.5} node m%zu: MatMulV2(x,w%zu) -> m%zu ", b, b, b, b, b);
    weft__text_addf(t, "node r%zu: Relu(m%zu) -> r%zu node q%zu: SoftmaxV2(r%zu) -> q%zu ", b, b, b, b, b, b);
    if (b)
      weft__text_addf(t, "node s%zu: Add(%s%zu,q%zu) -> s%zu ", b, b > 1 ? "s" : "q", b - 1, b, b);
  }
  weft__text_addf(t, "output s%zu }", n / 4 - 1);
}

typedef void (*putter)(weft_text *t, size_t n);
static const struct {
  const char *name;
  putter put;
} kinds[] = {{"chain", put_chain}, {"mixed", put_mixed}, {"branches", put_branches}};

static weft_graph *parsed(weft_env *e, putter put, size_t n) {
  weft_graph *g = NULL;
  weft_diag d = {0};
  weft_text t;
  weft__text_init(&t, NULL);
  put(&t, n);
  weft_status s = weft_graph_parse(e, t.v, t.n, "test", &g, &d);
  CHECK_INT(s, WEFT_OK);
  weft__text_deinit(&t);
  return g;
}

// More a node than the graph of a quarter of the size took, by a twentieth?
static void compare(const char *what, const char *graph, size_t n, uint64_t now, uint64_t before) {
  double each = (double)now / (double)n, was = (double)before / (double)(n / 4);
  if (before && each > was * 1.05) {
    check_failed(__FILE__, __LINE__, "%s of %zu nodes: %s a node %.2f, with a quarter of them %.2f", graph, n,
                 what, each, was);
  }
}

TEST(passes_look_at_each_node_as_often) {
  weft_diag d = {0};
  weft_env *e;
  CHECK_OK(weft_env_create(&(weft_env_options){.package_path = ""}, &e, &d), &d);
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    uint64_t before = 0;
    for (size_t n = SMALLEST, i = 0; i < SIZES; i++, n *= 4) {
      weft_optimize_summary sum = {.size = sizeof sum};
      weft_graph *g = parsed(e, kinds[k].put, n);
      CHECK_OK(weft_graph_optimize(g, 0, NULL, &sum, &d), &d);
      compare("nodes looked at", kinds[k].name, n, sum.looked_at, before);
      CHECK(sum.looked_at >= n);
      before = sum.looked_at;
      weft_graph_destroy(g);
    }
  }
  weft_env_destroy(e);
}

static void whole_way(weft_env *e, putter put, size_t n) {
  weft_diag d = {0};
  weft_program *p;
  weft_program *again;
  weft_exec *x;
  weft_text file;
  weft__text_init(&file, NULL);
  CHECK_OK(weft_compile(parsed(e, put, n), NULL, &p, &d), &d);
  CHECK_OK(weft_program_save(p, weft__text_write, &file, &d), &d);
  CHECK_OK(weft_program_load_memory(e, file.v, file.n, &again, &d), &d);
  CHECK_OK(weft_exec_create(again, NULL, &x, &d), &d);
  CHECK_OK(weft_exec_prepare(x, NULL, 0, NULL, &d), &d);
  weft_exec_destroy(x);
  weft_program_release(again);
  weft_program_release(p);
  weft__text_deinit(&file);
}

TEST(memory_asked_for_is_linear) {
  counted c = {.system = weft_allocator_default()};
  weft_diag d = {0};
  weft_env *e;
  weft_env_options o = {.package_path = "", .allocator = {count, &c}};
  CHECK_OK(weft_env_create(&o, &e, &d), &d);
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    uint64_t calls = 0;
    uint64_t bytes = 0;
    for (size_t n = SMALLEST, i = 0; i < SIZES; i++, n *= 4) {
      c.calls = c.bytes = 0;
      whole_way(e, kinds[k].put, n);
      compare("calls of the allocator", kinds[k].name, n, c.calls, calls);
      compare("bytes asked for", kinds[k].name, n, c.bytes, bytes);
      calls = c.calls;
      bytes = c.bytes;
    }
  }
  weft_env_destroy(e);
}
// SPDX-License-Identifier: Apache-2.0
