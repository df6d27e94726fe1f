// bench_models.c MODEL... - import, compile, plan, save and load of models, and the memory of a run.
#include "bench_program.h"

static weft_graph *import(const char *path) {
  weft_graph *g = NULL;
  MUST(weft_onnx_load(env, path, &g, &d));
  return g;
}

// Inputs: what set says (input_I.pb), otherwise random with dims 1.
static bool read_set(bed *b, const char *set) {
  for (size_t i = 0; i < b->n_in; i++) {
    char path[4096];
    snprintf(path, sizeof path, "%s/input_%zu.pb", set, i);
    FILE *f = fopen(path, "rb");
    if (!f)
      return false;
    fseek(f, 0, SEEK_END);
    long n = ftell(f);
    rewind(f);
    char *v = malloc((size_t)n + 1);
    bool good = fread(v, 1, (size_t)n, f) == (size_t)n;
    fclose(f);
    weft_tensor_deinit(&b->in[i]);
    weft_tensor_init(&b->in[i], NULL);
    MUST(!good || weft_onnx_read_tensor(v, (size_t)n, &b->in[i], &d));
    free(v);
  }
  for (size_t i = 0; i < b->n_out; i++) {
    weft_tensor_deinit(&b->out[i]);
    weft_tensor_init(&b->out[i], NULL);
  }
  return true;
}

static void set_dir(const char *model, const char *set, char *out, size_t cap) {
  const char *slash = strrchr(model, '/');
  snprintf(out, cap, "%.*s/%s", slash ? (int)(slash - model) : 1, slash ? model : ".", set);
}

static double least(double a, double b) {
  return a < b ? a : b;
}

typedef struct phases {  // ns
  double import, compile, plan;
} phases;

// The last bed stays open. Several times: memory that nobody had lately may be with the host of a virtual
// machine, and what comes first then waits for hundreds of milliseconds.
static bed *prepare(const char *path, phases *out, weft_memory_plan *out_memory) {
  char dir[4096];
  bed *b = NULL;
  *out = (phases){1e18, 1e18, 1e18};
  set_dir(path, "test_data_set_0", dir, sizeof dir);
  for (int k = 0; k < 3; k++) {
    weft_tensor_desc in[MOST];
    if (b)
      close_bed(b);
    double t = bench_now_ns();
    weft_graph *g = import(path);
    MUST(weft_graph_infer(g, NULL, NULL, &d));
    out->import = least(out->import, bench_now_ns() - t);
    t = bench_now_ns();
    weft_program *p = compile(g, NULL);
    out->compile = least(out->compile, bench_now_ns() - t);
    b = open_bed(p, 1, false);
    if (!read_set(b, dir))
      shape_bed(b, 1);
    for (size_t i = 0; i < b->n_in; i++) {
      weft_desc_init(&in[i]);
      in[i].dtype = b->in[i].dtype;
      in[i].layout = b->in[i].layout;
    }
    *out_memory = (weft_memory_plan){.size = sizeof *out_memory};
    t = bench_now_ns();
    MUST(weft_exec_prepare(b->x, in, b->n_in, out_memory, &d));
    out->plan = least(out->plan, bench_now_ns() - t);
  }
  return b;
}

static void model_line(const char *path) {
  phases ns;
  weft_memory_plan m;
  bed *b = prepare(path, &ns, &m);
  weft_text file;
  weft_allocator a = weft_allocator_default();
  weft__text_init(&file, &a);
  double t = bench_now_ns();
  MUST(weft_program_save(b->p, weft__text_write, &file, &d));
  double saved = bench_now_ns() - t;
  void *copy = aligned_alloc(64, (file.n + 63) / 64 * 64);
  memcpy(copy, file.v, file.n);
  double best = 1e18;
  for (int k = 0; k < 5; k++) {
    weft_program *q;
    t = bench_now_ns();
    MUST(weft_program_load_memory(env, copy, file.n, &q, &d));
    best = least(best, bench_now_ns() - t);
    weft_program_release(q);
  }
  free(copy);
  const char *slash = strrchr(path, '/');
  const char *name = slash;
  while (name && name > path && name[-1] != '/')
    name--;
  printf("%-16.*s %8.2f %9.2f %8.2f %8.2f %8.3f %11zu %10llu %10llu %8.4f %s\n",
         slash ? (int)(slash - name) : 16, slash ? name : path, ns.import / 1e6, ns.compile / 1e6,
         ns.plan / 1e6, saved / 1e6, best / 1e6, file.n, (unsigned long long)m.arena_bytes,
         (unsigned long long)m.bound_bytes, m.bound_bytes ? (double)m.arena_bytes / (double)m.bound_bytes : 1,
         m.whole ? "" : "first part");
  fflush(stdout);
  weft__text_deinit(&file);
  close_bed(b);
}

static void models(int n, char **paths) {
  printf(
      "models: import and inference, compile, plan of data set 0 (least of 3), save, load (least of 5; the "
      "weights are not read), ms; file and arena, bytes\n");
  printf("%-16s %8s %9s %8s %8s %8s %11s %10s %10s %8s\n", "model", "import", "compile", "plan", "save",
         "load", "file", "peak", "bound", "ratio");
  for (int i = 0; i < n; i++)
    model_line(paths[i]);
}

int main(int argc, char **argv) {
  open_env();
  models(argc - 1, argv + 1);
  weft_env_destroy(env);
  return 0;
}
// SPDX-License-Identifier: Apache-2.0
