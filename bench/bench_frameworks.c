// bench_frameworks.c - models of frameworks beside their limits: what reading one takes, against 1 us a node
// beyond its JSON at 500 MB/s; and what it takes until a model is ready to run (read and compiled), against
// the same network in a second form, in turn; and runs of both forms in turn, in one process, by one and two
// threads.
//   bench_frameworks MODEL                one file: reading beside its limit
//   bench_frameworks MODEL ONNX_MODEL     and ready to run beside the ONNX form, goal: 1.2; and runs,
//   goal: 1.03
// Files are mapped, in the cache of the system; an environment exists. Times are the least of the rounds. On
// a machine that does other work, too, the median of the ratios of runs side by side is steadier than either
// time.
#include "bench.h"

#include <sys/stat.h>

#include "base/base.h"
#include "bench_program.h"
#include "tensor/zip.h"

enum { ROUNDS = 15 };
#define US_A_NODE   1.0
#define MB_A_SECOND 500.0

static weft_env *frameworks_env(void) {
  weft_env *e;
  weft_env_options o = {.size = sizeof o, .package_path = "", .files = WEFT_FILES_MAP};
  if (weft_env_create(&o, &e, &d))
    bench_die(&d);
  return e;
}

static double frameworks_load(weft_env *e, const char *path, size_t *out_nodes) {
  weft_graph *g;
  double t = bench_now_ns();
  if (weft_model_load(e, path, &g, &d))
    bench_die(&d);
  t = bench_now_ns() - t;
  *out_nodes = weft_graph_n_nodes(g);
  weft_graph_destroy(g);
  return t;
}

// Until a run could begin: read, compiled, planned for the sizes that the model gives.
static double frameworks_ready(weft_env *e, const char *path) {
  weft_graph *g;
  weft_program *p = NULL;
  double t = bench_now_ns();
  if (weft_model_load(e, path, &g, &d) || weft_compile(g, NULL, &p, &d))
    bench_die(&d);
  t = bench_now_ns() - t;
  weft_program_release(p);
  return t;
}

// Bytes of the programs in an archive; 0: it is none.
static size_t frameworks_json(const char *path) {
  FILE *f = fopen(path, "rb");
  struct stat st;
  weft_arena arena;
  size_t sum = 0;
  void *data = NULL;
  if (!f || stat(path, &st) || !S_ISREG(st.st_mode)) {
    if (f)
      fclose(f);
    return 0;
  }
  size_t bytes = (size_t)st.st_size;
  data = malloc(bytes);
  bool whole = data && fread(data, 1, bytes, f) == bytes;
  fclose(f);
  weft__arena_init(&arena, NULL);
  weft__zip z = {.what = "archive", .data = data, .bytes = bytes, .arena = &arena};
  bool read = whole && weft__zip_begins(data, bytes) && !weft__zip_read(&z, &d);
  for (size_t i = 0; read && i < z.n; i++) {
    size_t n = strlen(z.entries[i].name);
    if (n > 5 && !strcmp(z.entries[i].name + n - 5, ".json"))
      sum += (size_t)z.entries[i].bytes;
  }
  weft__arena_deinit(&arena);
  free(data);
  return sum;
}

static void frameworks_reading(const char *path) {
  double ns[ROUNDS];
  size_t nodes = 0;
  size_t json = frameworks_json(path);
  weft_env *e = frameworks_env();
  (void)frameworks_load(e, path, &nodes);
  for (size_t i = 0; i < ROUNDS; i++)
    ns[i] = frameworks_load(e, path, &nodes);
  bench_result r = bench_summary(ns, ROUNDS);
  double text = (double)json / MB_A_SECOND;  // us
  double limit = text + US_A_NODE * (double)nodes;
  printf(
      "read %s\n  %.3f ms least, %.3f ms median; limit %.3f ms: %zu bytes of JSON %.3f ms, %zu nodes %.3f ms"
      "; %.2f of it, %s\n",
      path, r.min / 1e6, r.median / 1e6, limit / 1e3, json, text / 1e3, nodes,
      US_A_NODE * (double)nodes / 1e3, r.min / 1e3 / limit, r.min / 1e3 <= limit ? "met" : "missed");
  weft_env_destroy(e);
}

static void frameworks_beside(const char *path, const char *onnx) {
  double one[ROUNDS];
  double two[ROUNDS];
  weft_env *e = frameworks_env();
  for (size_t i = 0; i < ROUNDS; i++) {
    one[i] = frameworks_ready(e, path);
    two[i] = frameworks_ready(e, onnx);
  }
  bench_result a = bench_summary(one, ROUNDS);
  bench_result b = bench_summary(two, ROUNDS);
  printf(
      "ready %s\n  %.3f ms least, %.3f ms median\nready %s\n  %.3f ms least, %.3f ms median\n"
      "  ratio %.2f of the least, %.2f of the medians; goal 1.20, %s\n",
      path, a.min / 1e6, a.median / 1e6, onnx, b.min / 1e6, b.median / 1e6, a.min / b.min,
      a.median / b.median, a.min <= 1.2 * b.min ? "met" : "missed");
  weft_env_destroy(e);
}

// ---- runs ----
enum { RUNS = 200 };
#define RUN_NS 12e9

static bed *frameworks_bed(const char *path, uint32_t threads) {
  weft_graph *g;
  weft_program *p = NULL;
  MUST(weft_model_load(env, path, &g, &d));
  MUST(weft_compile(g, NULL, &p, &d));
  bed *b = open_bed(p, threads, false);
  shape_bed(b, 1);
  run(b);
  return b;
}

static double frameworks_run(bed *b) {
  double t = bench_now_ns();
  run(b);
  return bench_now_ns() - t;
}

static void frameworks_runs(const char *path, const char *onnx, uint32_t threads) {
  double one[RUNS];
  double two[RUNS];
  double ratio[RUNS];
  size_t n = 0;
  weft_env_options o = {.size = sizeof o, .package_path = "", .files = WEFT_FILES_MAP, .threads = threads};
  MUST(weft_env_create(&o, &env, &d));
  bed *a = frameworks_bed(path, threads);
  bed *b = frameworks_bed(onnx, threads);
  for (double begun = bench_now_ns(); n < RUNS && (n < 5 || bench_now_ns() - begun < RUN_NS); n++) {
    bool first = n % 2;
    one[n] = first ? frameworks_run(a) : 0;
    two[n] = frameworks_run(b);
    one[n] = first ? one[n] : frameworks_run(a);
    ratio[n] = one[n] / two[n];
  }
  bench_result x = bench_summary(one, n);
  bench_result y = bench_summary(two, n);
  double median = bench_summary(ratio, n).median;
  printf(
      "run, %u threads: %.3f ms least, as ONNX %.3f ms; %zu runs of each: ratio %.3f of the least, %.3f the "
      "median"
      " of ratios; goal 1.03, %s\n",
      threads, x.min / 1e6, y.min / 1e6, n, x.min / y.min, median, median <= 1.03 ? "met" : "missed");
  close_bed(a);
  close_bed(b);
  weft_env_destroy(env);
}

int main(int argc, char **argv) {
  if (argc < 2 || argc > 3) {
    fprintf(stderr, "bench_frameworks MODEL [ONNX_MODEL]\n");
    return 2;
  }
  frameworks_reading(argv[1]);
  if (argc > 2) {
    frameworks_beside(argv[1], argv[2]);
    frameworks_runs(argv[1], argv[2], 1);
    frameworks_runs(argv[1], argv[2], 2);
  }
  return 0;
}
// SPDX-License-Identifier: Apache-2.0
