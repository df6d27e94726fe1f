// bench_scale.c - how the work before the first run grows with the graph: ns a node of reading, compiling,
// saving, loading and planning graphs of 10^3, 10^4 and 10^5 nodes, and the ratio of the last two.
//   bench_scale [GRAPH [NODES [ROUNDS]]]
#include "bench_graphs.h"

enum { SIZES = 3 };
typedef enum step { PARSE, COMPILE, SAVE, LOAD, EXEC, PLAN, FREE, STEPS } step;
static const char *const step_names[] = {"parse", "compile", "save", "load", "exec", "plan", "free"};

static void put_five(size_t nodes) {
  put_chain(nodes, "16", NULL);
}
static const struct {
  const char *name;
  void (*put)(size_t nodes);
} kinds[] = {{"mixed", put_mixed}, {"chain", put_five}, {"branches", put_branches}};

static double since(double *t) {
  double now = bench_now_ns(), ns = now - *t;
  *t = now;
  return ns;
}

static char *file;
static size_t file_n, file_cap;
static weft_status write(void *ctx, const char *bytes, size_t n) {
  (void)ctx;
  if (file_cap - file_n < n)
    file = realloc(file, file_cap = 2 * file_cap + n);
  memcpy(file + file_n, bytes, n);
  file_n += n;
  return WEFT_OK;
}

static void once(double ns[STEPS], size_t *out_nodes) {
  weft_program *p;
  weft_program *again;
  weft_exec *x;
  weft_graph *g;
  weft_exec_options o = {.size = sizeof o, .threads = 1};
  double t = bench_now_ns();
  MUST(weft_graph_parse(env, text, text_n, "bench", &g, &d));
  ns[PARSE] = since(&t);
  *out_nodes = weft_graph_n_nodes(g);
  MUST(weft_compile(g, NULL, &p, &d));
  ns[COMPILE] = since(&t);
  file_n = 0;
  MUST(weft_program_save(p, write, NULL, &d));
  ns[SAVE] = since(&t);
  MUST(weft_program_load_memory(env, file, file_n, &again, &d));
  ns[LOAD] = since(&t);
  MUST(weft_exec_create(again, &o, &x, &d));
  ns[EXEC] = since(&t);
  MUST(weft_exec_prepare(x, NULL, 0, NULL, &d));
  ns[PLAN] = since(&t);
  weft_exec_destroy(x);
  weft_program_release(again);
  weft_program_release(p);
  ns[FREE] = since(&t);
}

static void measure(size_t rounds, double best[STEPS], size_t *out_nodes) {
  for (size_t r = 0; r < rounds; r++) {
    double ns[STEPS];
    once(ns, out_nodes);
    for (int s = 0; s < STEPS; s++) {
      if (!r || ns[s] < best[s])
        best[s] = ns[s];
    }
  }
}

static void row(const char *name, void (*make)(size_t), size_t from, size_t to, size_t rounds) {
  double of[SIZES][STEPS];
  int n = 0;
  for (size_t size = from; size <= to && n < SIZES; size *= 10, n++) {
    size_t nodes;
    make(size);
    put("}");
    size_t most = size > 20000 ? 5 : 9;
    measure(rounds ? rounds : most, of[n], &nodes);
    printf("%-9s %7zu", name, nodes);
    for (int s = 0; s < STEPS; s++)
      printf(" %9.0f", of[n][s] /= (double)nodes);
    printf("\n");
  }
  if (n < 2)
    return;
  printf("%-9s %7s", "", "ratio");
  for (int s = 0; s < STEPS; s++)
    printf(" %9.2f", of[n - 1][s] / of[n - 2][s]);
  printf("\n");
}

int main(int argc, char **argv) {
  const char *only = argc > 1 ? argv[1] : NULL;
  size_t nodes = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
  size_t rounds = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
  weft_env_options plain = {.package_path = ""};  // the default allocator, as programs have it
  MUST(weft_env_create(&plain, &env, &d));
  printf("work before the first run, ns a node, and the ratio of the last two rows\n%-9s %7s", "graph",
         "nodes");
  for (int s = 0; s < STEPS; s++)
    printf(" %9s", step_names[s]);
  printf("\n");
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (!only || !strcmp(only, kinds[i].name))
      row(kinds[i].name, kinds[i].put, nodes ? nodes : 1000, nodes ? nodes : 100000, rounds);
  }
  weft_env_destroy(env);
  free(text);
  free(file);
  return 0;
}
// SPDX-License-Identifier: Apache-2.0
