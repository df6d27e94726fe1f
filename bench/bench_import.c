// bench_import.c - ONNX import and inference: time, memory, and how much of the file is touched.
//   bench_import MODEL...              one row a model, 21 rounds
//   bench_import --rounds N MODEL...
//   bench_import --serve               for tools/bench_import.py: reads "ROUNDS PATH" lines, answers one line
//   of JSON
// A round is weft_onnx_load (map, read, build) and weft_graph_infer, on an environment that exists; the graph
// is destroyed outside the clock. Memory is that of a fresh process: a fork takes it before anything else was
// loaded. `file` is the part of the model's own mapping that came into memory, from /proc/self/smaps: the
// kernel maps more than what is touched, up to 2 MiB around it. Whether weights are touched is tried exactly:
// a child reads the model from memory in which the pages of large constants cannot be read.
#define _DEFAULT_SOURCE  // MAP_ANON
#include "bench.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 21, MAX_ROUNDS = 1000, WEIGHT_BYTES = 1 << 16, PAGE = 4096 };

typedef struct footprint {
  long rss_kib, anon_kib, file_kib;  // growth until the first run could start
} footprint;

typedef struct times {
  double load[MAX_ROUNDS], infer[MAX_ROUNDS], both[MAX_ROUNDS];
  size_t nodes;
} times;

static weft_env *open_env(void) {
  weft_diag d = {0};
  weft_env *e;
  weft_env_options o = {.size = sizeof o, .package_path = ""};
  if (weft_env_create(&o, &e, &d))
    bench_die(&d);
  return e;
}

// The number after `key` in /proc/self/status, KiB.
static long status_kib(const char *key) {
  FILE *f = fopen("/proc/self/status", "r");
  char line[256];
  long kib = 0;
  while (f && fgets(line, sizeof line, f)) {
    if (!strncmp(line, key, strlen(key)))
      kib = strtol(line + strlen(key), NULL, 10);
  }
  if (f)
    fclose(f);
  return kib;
}

// KiB in memory of the mappings of `path`.
static long mapped_kib(const char *path) {
  char line[PATH_MAX + 256];
  char real[PATH_MAX];
  FILE *f = realpath(path, real) ? fopen("/proc/self/smaps", "r") : NULL;
  bool ours = false;
  long kib = 0;
  while (f && fgets(line, sizeof line, f)) {
    const char *slash = strchr(line, '/');
    line[strcspn(line, "\n")] = 0;
    if (strchr(line, '-') && strchr(line, '-') < strchr(line, ' '))
      ours = slash && !strcmp(slash, real);
    else if (ours && !strncmp(line, "Rss:", 4))
      kib += strtol(line + 4, NULL, 10);
  }
  if (f)
    fclose(f);
  return kib;
}

static void measure_memory(const char *path, footprint *out) {
  weft_diag d = {0};
  weft_graph *g;
  weft_env *e = open_env();
  // the reader's own buffers are there now
  (void)status_kib("VmRSS:");
  (void)mapped_kib(path);
  footprint was = {status_kib("VmRSS:"), status_kib("RssAnon:"), 0};
  if (weft_onnx_load(e, path, &g, &d) || weft_graph_infer(g, NULL, NULL, &d))
    bench_die(&d);
  *out = (footprint){status_kib("VmRSS:") - was.rss_kib, status_kib("RssAnon:") - was.anon_kib, 0};
  out->file_kib = mapped_kib(path);
  weft_graph_destroy(g);
  weft_env_destroy(e);
}

// ---- are weights touched? ----
static void *read_whole(const char *path, size_t *bytes) {
  struct stat st;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0 || fstat(fd, &st))
    return NULL;
  *bytes = (size_t)st.st_size;
  char *p = mmap(NULL, *bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
  for (size_t at = 0; p != MAP_FAILED && at < *bytes;) {
    ssize_t n = read(fd, p + at, *bytes - at);
    if (n <= 0)
      break;
    at += (size_t)n;
  }
  close(fd);
  return p == MAP_FAILED ? NULL : p;
}

// Takes away the pages that lie wholly inside a large constant. Returns their KiB.
static size_t guard_weights(const weft_graph *g, const char *data, size_t bytes) {
  size_t kib = 0;
  for (size_t i = 0; i < weft_graph_n_consts(g); i++) {
    const weft_tensor *t = weft_value_data(weft_graph_const_at(g, i));
    const char *at = t ? t->data : NULL;
    if (!at || t->bytes < WEIGHT_BYTES || at < data || at >= data + bytes)
      continue;
    size_t from = ((size_t)(at - data) + PAGE - 1) / PAGE * PAGE;
    size_t to = ((size_t)(at - data) + t->bytes) / PAGE * PAGE;
    if (to > from && !mprotect((void *)(uintptr_t)(data + from), to - from, PROT_NONE))
      kib += (to - from) / 1024;
  }
  return kib;
}

// In a child, which dies of the first byte of a weight that is read. 0: not touched; 1: touched; 2: not
// tried.
static int try_weights(const char *path) {
  weft_diag d = {0};
  weft_graph *g;
  size_t bytes = 0;
  weft_env *e = open_env();
  char *data = read_whole(path, &bytes);
  if (!data || weft_onnx_read(e, data, bytes, path, &g, &d))
    return 2;  // external data, for one
  if (!guard_weights(g, data, bytes))
    return 2;
  weft_graph_destroy(g);
  return weft_onnx_read(e, data, bytes, path, &g, &d) || weft_graph_infer(g, NULL, NULL, &d);
}

static const char *weights_touched(const char *path) {
  int status = 0;
  fflush(stdout);
  pid_t child = fork();
  if (!child)
    _exit(try_weights(path));
  if (child < 0 || waitpid(child, &status, 0) < 0)
    return "?";
  return !status ? "no" : WIFEXITED(status) && WEXITSTATUS(status) == 2 ? "-" : "yes";
}

// In a child, so that models do not reuse each other's memory.
static footprint fresh_memory(const char *path) {
  footprint f = {0};
  int ends[2];
  fflush(stdout);
  if (pipe(ends))
    return f;
  pid_t child = fork();
  if (!child) {
    measure_memory(path, &f);
    _exit(write(ends[1], &f, sizeof f) != sizeof f);
  }
  close(ends[1]);
  int status = -1;
  bool ok = read(ends[0], &f, sizeof f) == sizeof f;
  close(ends[0]);
  if (child < 0 || waitpid(child, &status, 0) < 0 || status || !ok) {
    fprintf(stderr, "bench: %s: the process that measures memory failed\n", path);
    exit(1);
  }
  return f;
}

static void measure_time(weft_env *e, const char *path, size_t rounds, times *t) {
  weft_diag d = {0};
  for (size_t r = 0; r < rounds; r++) {
    weft_graph *g;
    double t0 = bench_now_ns();
    if (weft_onnx_load(e, path, &g, &d))
      bench_die(&d);
    double t1 = bench_now_ns();
    if (weft_graph_infer(g, NULL, NULL, &d))
      bench_die(&d);
    double t2 = bench_now_ns();
    t->load[r] = t1 - t0;
    t->infer[r] = t2 - t1;
    t->both[r] = t2 - t0;
    t->nodes = weft_graph_n_nodes(g);
    weft_graph_destroy(g);
  }
}

// "models/resnet50/model.onnx" is resnet50.
static const char *title(const char *path, char *text, size_t n) {
  const char *end = strrchr(path, '/');
  const char *start = end;
  if (!end || strcmp(end, "/model.onnx"))
    return end ? end + 1 : path;
  while (start > path && start[-1] != '/')
    start--;
  snprintf(text, n, "%.*s", (int)(end - start), start);
  return text;
}

// With the external data beside it.
static long long file_bytes(const char *path) {
  char data[PATH_MAX];
  struct stat st;
  long long bytes = stat(path, &st) ? 0 : (long long)st.st_size;
  snprintf(data, sizeof data, "%s.data", path);
  return stat(data, &st) ? bytes : bytes + (long long)st.st_size;
}

static void row(weft_env *e, const char *path, size_t rounds, times *t) {
  char name[128];
  footprint f = fresh_memory(path);
  long long bytes = file_bytes(path);
  measure_time(e, path, 1, t);
  measure_time(e, path, rounds, t);
  bench_result load = bench_summary(t->load, rounds);
  bench_result infer = bench_summary(t->infer, rounds);
  bench_result both = bench_summary(t->both, rounds);
  double kib = (double)bytes / 1024;
  printf("%-18s %11lld %7zu %8.3f %8.3f %8.3f %8.3f %8ld %6.1f%% %8ld %8ld %8s\n",
         title(path, name, sizeof name), bytes, t->nodes, load.min / 1e6, infer.min / 1e6, both.min / 1e6,
         both.median / 1e6, f.rss_kib, kib > 0 ? 100 * (double)f.rss_kib / kib : 0, f.anon_kib, f.file_kib,
         weights_touched(path));
  fflush(stdout);
}

static void serve(times *t) {
  char line[PATH_MAX + 32];
  weft_env *e = NULL;
  while (fgets(line, sizeof line, stdin)) {
    char *path;
    size_t rounds = strtoul(line, &path, 10);
    path += *path == ' ';
    path[strcspn(path, "\n")] = 0;
    if (!rounds) {  // memory, before this process has an environment
      footprint f = fresh_memory(path);
      printf("{\"rss_kib\": %ld, \"anon_kib\": %ld, \"file_kib\": %ld}\n", f.rss_kib, f.anon_kib, f.file_kib);
    } else {
      if (!e)
        e = open_env();
      rounds = rounds < MAX_ROUNDS ? rounds : MAX_ROUNDS;
      measure_time(e, path, rounds, t);
      printf("{\"nodes\": %zu, \"load\": [", t->nodes);
      for (size_t i = 0; i < rounds; i++)
        printf("%s%.0f", i ? ", " : "", t->load[i]);
      printf("], \"both\": [");
      for (size_t i = 0; i < rounds; i++)
        printf("%s%.0f", i ? ", " : "", t->both[i]);
      printf("]}\n");
    }
    fflush(stdout);
  }
  weft_env_destroy(e);
}

int main(int argc, char **argv) {
  static times t;
  size_t rounds = ROUNDS;
  int first = 1;
  if (argc > 1 && !strcmp(argv[1], "--serve")) {
    serve(&t);
    return 0;
  }
  if (argc > 2 && !strcmp(argv[1], "--rounds")) {
    rounds = strtoul(argv[2], NULL, 10);
    first = 3;
  }
  if (!rounds || rounds > MAX_ROUNDS || first == argc) {
    fprintf(stderr, "bench_import [--rounds 1..%d] MODEL... | --serve\n", MAX_ROUNDS);
    return 2;
  }
  printf("ONNX import and inference, %zu rounds (goals: resnet50 1 ms, synth20000 20 ms)\n", rounds);
  printf("%-18s %11s %7s %8s %8s %8s %8s %8s %7s %8s %8s %8s\n", "model", "bytes", "nodes", "load", "infer",
         "both", "median", "RSS", "of", "heap", "file", "weights");
  printf("%-18s %11s %7s %8s %8s %8s %8s %8s %7s %8s %8s %8s\n", "", "", "", "min ms", "min ms", "min ms",
         "ms", "KiB", "file", "KiB", "KiB", "touched");
  for (int i = first; i < argc; i++) {
    weft_env *e = open_env();
    row(e, argv[i], rounds, &t);
    weft_env_destroy(e);
  }
  return 0;
}
// SPDX-License-Identifier: Apache-2.0
