// bench_serve.c - weft's own process of `weft bench`: answers the questions of bench_side.h on stdin and
// stdout.
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "../runner.h"

enum { MOST_FIELDS = 128, MOST_SAMPLES = 1 << 16 };

typedef struct server {
  FILE *out;  // answers; what else is printed goes to stderr
  weft_env *env;
  uint32_t env_threads;
  runner r;
  runner_options o;
  size_t nodes, n_in, n_out;
  weft_tensor *in, *result;
  const weft_tensor **given;
  weft_tensor **results;
  char inputs[4096];  // the folder that they were read from; "": none are there
  bool apart;         // no name of a dim makes dims of inputs equal
  double base_bytes;
  double samples[MOST_SAMPLES];
  char *options[BENCH_MOST_WORDS];
} server;

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

// "VmHWM" or "VmRSS" of this process in bytes; -1 where the system does not tell.
static double resident(const char *key) {
  char line[256];
  double kib = -1;
  FILE *f = fopen("/proc/self/status", "r");
  while (f && fgets(line, sizeof line, f)) {
    if (!strncmp(line, key, strlen(key)))
      kib = strtod(line + strlen(key) + 1, NULL);
  }
  if (f)
    fclose(f);
  return kib < 0 ? -1 : kib * 1024;
}

// The most that was resident counts from here.
static void begin_memory(server *s) {
  FILE *f = fopen("/proc/self/clear_refs", "w");
  if (f) {
    fputs("5", f);
    fclose(f);
  }
  s->base_bytes = resident("VmRSS");
}

static void drop_tensors(server *s) {
  for (size_t i = 0; s->in && i < s->n_in; i++)
    weft_tensor_deinit(&s->in[i]);
  for (size_t i = 0; s->result && i < s->n_out; i++)
    weft_tensor_deinit(&s->result[i]);
  free(s->in);
  free(s->result);
  free(s->given);
  free(s->results);
  s->in = s->result = NULL;
  s->given = NULL;
  s->results = NULL;
  *s->inputs = 0;
}

static void drop_model(server *s) {
  drop_tensors(s);
  runner_free(&s->r);
}

static weft_status need_env(server *s, uint32_t threads, weft_diag *d) {
  if (s->env && s->env_threads == threads)
    return WEFT_OK;
  drop_model(s);
  weft_env_destroy(s->env);
  s->env = NULL;
  s->env_threads = threads;
  weft_env_options o = {.size = sizeof o, .threads = threads};
  return weft_env_create(&o, &s->env, d);
}

// Reads dir/input_I.npy. Outputs start without memory; the first run makes it, later ones write there. What
// was read for the plan is not read again for the first run: file and tensor together would be most of what a
// small model holds.
static weft_status read_inputs(server *s, const char *dir, weft_diag *d) {
  char path[4200];
  if (*s->inputs && !strcmp(s->inputs, dir))
    return WEFT_OK;
  drop_tensors(s);
  s->n_in = weft_graph_n_inputs(s->r.g);
  s->n_out = weft_graph_n_outputs(s->r.g);
  s->in = calloc(s->n_in + 1, sizeof *s->in);
  s->result = calloc(s->n_out + 1, sizeof *s->result);
  s->given = calloc(s->n_in + 1, sizeof *s->given);
  s->results = calloc(s->n_out + 1, sizeof *s->results);
  if (!s->in || !s->result || !s->given || !s->results)
    return weft_fail(d, WEFT_E_NOMEM, "out of memory");
  for (size_t i = 0; i < s->n_in; i++) {
    weft_tensor_init(&s->in[i], NULL);
    s->given[i] = &s->in[i];
  }
  for (size_t i = 0; i < s->n_out; i++) {
    weft_tensor_init(&s->result[i], NULL);
    s->results[i] = &s->result[i];
  }
  for (size_t i = 0; i < s->n_in; i++) {
    snprintf(path, sizeof path, "%s/input_%zu.npy", dir, i);
    WEFT_TRY(weft_npy_load(path, &s->in[i], d));
  }
  snprintf(s->inputs, sizeof s->inputs, "%s", dir);
  return WEFT_OK;
}

static weft_status run_once(server *s, weft_diag *d) {
  return weft_exec_run(s->r.exec, s->given, s->n_in, s->results, s->n_out, d);
}

// Plans the shapes of the inputs, which packs the weights: what a session does when it is made.
static weft_status bench_serve_plan(server *s, weft_diag *d) {
  weft_memory_plan m = {.size = sizeof m};
  weft_tensor_desc *in = calloc(s->n_in + 1, sizeof *in);
  if (!in)
    return weft_fail(d, WEFT_E_NOMEM, "out of memory");
  for (size_t i = 0; i < s->n_in; i++)
    weft_tensor_describe(&s->in[i], &in[i]);
  weft_status st = weft_exec_prepare(s->r.exec, in, s->n_in, &m, d);
  if (!st)
    st = weft_exec_warm_up(s->r.exec, d);
  free(in);
  return st;
}

static weft_status make_ready(server *s, const char *model, weft_diag *d) {
  if (is_program(model))
    return runner_load(&s->r, s->env, model, &s->o, d);
  weft_graph *g = NULL;
  WEFT_TRY(s->apart ? load_apart(s->env, model, &g, d) : load_graph(s->env, model, &g, d));
  s->nodes = weft_graph_n_nodes(g);
  return runner_make(&s->r, g, &s->o, d);
}

// ---- questions ----
typedef struct question {
  char *fields[MOST_FIELDS];
  size_t n;
} question;

static const char *option_of(const question *q, const char *key) {
  size_t k = strlen(key);
  for (size_t i = 1; i < q->n; i++) {
    if (!strncmp(q->fields[i], key, k) && q->fields[i][k] == '=')
      return q->fields[i] + k + 1;
  }
  return NULL;
}

static uint32_t small_number(const question *q, const char *key, uint32_t otherwise) {
  const char *v = option_of(q, key);
  return v ? (uint32_t)strtoul(v, NULL, 10) : otherwise;
}

static void read_options(server *s, const question *q, uint32_t threads) {
  for (size_t i = 0; i < s->o.n_options; i++)
    free(s->options[i]);
  memset(&s->o, 0, sizeof s->o);
  s->apart = small_number(q, "apart", 0);
  if (small_number(q, "plain", 0))
    s->options[s->o.n_options++] = strdup("passes=0");
  for (size_t i = 1; i < q->n && s->o.n_options < BENCH_MOST_WORDS; i++) {
    if (!strncmp(q->fields[i], "option=", 7))
      s->options[s->o.n_options++] = strdup(q->fields[i] + 7);
  }
  for (size_t i = 0; i < s->o.n_options; i++)
    s->o.options[i] = s->options[i];
  s->o.exec.size = sizeof s->o.exec;
  s->o.exec.threads = threads == 1;
  s->o.exec.streams = small_number(q, "streams", 0);
}

static weft_status open_model(server *s, const question *q, weft_diag *d) {
  uint32_t threads = small_number(q, "threads", 1);
  const char *inputs = option_of(q, "inputs");
  if (q->n < 2 || !inputs)
    return weft_fail(d, WEFT_E_INVALID, "open: expected MODEL and inputs=DIR");
  drop_model(s);
  begin_memory(s);
  read_options(s, q, threads);
  double t = now_ns();
  WEFT_TRY(need_env(s, threads, d));
  WEFT_TRY(make_ready(s, q->fields[1], d));
  double made = now_ns() - t;
  WEFT_TRY(read_inputs(s, inputs, d));
  t = now_ns();
  WEFT_TRY(bench_serve_plan(s, d));
  fprintf(s->out, "ok\tns=%.0f\tnodes=%zu\n", made + now_ns() - t, s->nodes);
  return WEFT_OK;
}

static weft_status bench_serve_prepare(server *s, const question *q, weft_diag *d) {
  uint32_t threads = small_number(q, "threads", 1);
  const char *inputs = option_of(q, "inputs");
  if (q->n < 3)
    return weft_fail(d, WEFT_E_INVALID, "prepare: expected MODEL and FILE");
  drop_model(s);
  read_options(s, q, threads);
  WEFT_TRY(need_env(s, threads, d));
  WEFT_TRY(make_ready(s, q->fields[1], d));
  if (inputs) {  // the file holds the weights as they are packed for them
    WEFT_TRY(read_inputs(s, inputs, d));
    WEFT_TRY(bench_serve_plan(s, d));
    weft_program_keep_packed(s->r.program, true);
  }
  WEFT_TRY(weft_program_save_file(s->r.program, q->fields[2], d));
  fprintf(s->out, "ok\n");
  return WEFT_OK;
}

static weft_status set_inputs(server *s, const question *q, weft_diag *d) {
  if (!s->r.exec || q->n < 2)
    return weft_fail(d, WEFT_E_STATE, "set: no model is open, or no folder given");
  WEFT_TRY(read_inputs(s, q->fields[1], d));
  double t = now_ns();
  WEFT_TRY(run_once(s, d));
  fprintf(s->out, "ok\tns=%.0f\n", now_ns() - t);
  return WEFT_OK;
}

static uint64_t allocations(const server *s) {
  weft_exec_stats x = {.size = sizeof x};
  weft_exec_get_stats(s->r.exec, &x);
  return x.system_allocs;
}

static weft_status run_slice(server *s, const question *q, weft_diag *d) {
  double seconds = q->n > 1 ? strtod(q->fields[1], NULL) : 0;
  if (!s->given)
    return weft_fail(d, WEFT_E_STATE, "run: no inputs are set");
  WEFT_TRY(run_once(s, d));
  size_t n = 0;
  uint64_t before = allocations(s);
  double begun = now_ns(), t = begun;
  while (n < MOST_SAMPLES && (n < 2 || t - begun < seconds * 1e9)) {
    WEFT_TRY(run_once(s, d));
    double end = now_ns();
    s->samples[n++] = end - t;
    t = end;
  }
  uint64_t made = allocations(s) - before;
  double least = bench_least(s->samples, n);
  fprintf(s->out, "ok\truns=%zu\tleast=%.0f\tmedian=%.0f\tallocations=%llu\n", n, least,
          bench_median(s->samples, n), (unsigned long long)made);
  return WEFT_OK;
}

static weft_status bench_serve_save(server *s, const question *q, weft_diag *d) {
  char path[4200];
  if (!s->given || q->n < 2)
    return weft_fail(d, WEFT_E_STATE, "save: nothing has run, or no folder given");
  for (size_t i = 0; i < s->n_out; i++) {
    snprintf(path, sizeof path, "%s/output_%zu.npy", q->fields[1], i);
    WEFT_TRY(weft_npy_save(path, &s->result[i], d));
  }
  fprintf(s->out, "ok\toutputs=%zu\n", s->n_out);
  return WEFT_OK;
}

// ---- the profile: an exec of its own, the quickest of five runs, summed by operator and kernel ----
static size_t sum_ops(const weft_launch_record *r, size_t n, bench_op *ops, size_t cap) {
  size_t kinds = 0;
  for (size_t i = 0; i < n; i++) {
    char type[sizeof ops->type];
    size_t k = 0;
    if (r[i].depth)
      continue;  // counted by the node that runs the sub-graph
    snprintf(type, sizeof type, "%s %s", r[i].type, r[i].kernel ? r[i].kernel : "");
    for (char *c = type; *c; c++) {
      if (*c == ':' || *c == '\t')
        *c = '_';
    }
    while (k < kinds && strcmp(ops[k].type, type))
      k++;
    if (k == cap)
      continue;
    if (k == kinds) {
      ops[kinds] = (bench_op){{0}};
      memcpy(ops[kinds++].type, type, sizeof type);
    }
    ops[k].launches++;
    ops[k].ns += (double)(r[i].end_ns - r[i].begin_ns);
    ops[k].bytes += (double)r[i].bytes;
    ops[k].flops += r[i].flops > 0 ? (double)r[i].flops : 0;
  }
  return kinds;
}

static double total(const bench_op *ops, size_t n) {
  double ns = 0;
  for (size_t i = 0; i < n; i++)
    ns += ops[i].ns;
  return ns;
}

static weft_status bench_serve_profile(server *s, weft_diag *d) {
  enum { MOST = 96 };
  static bench_op ops[MOST];
  static bench_op best[MOST];
  size_t n_best = 0;
  weft_exec *x;
  weft_exec *own = s->r.exec;
  if (!s->given)
    return weft_fail(d, WEFT_E_STATE, "profile: no inputs are set");
  weft_exec_options o = s->o.exec;
  o.profile = true;
  WEFT_TRY(weft_exec_create(s->r.program, &o, &x, d));
  s->r.exec = x;
  weft_status st = WEFT_OK;
  for (int i = 0; !st && i < 6; i++) {
    st = run_once(s, d);
    const weft_launch_record *r;
    size_t n = st ? 0 : weft_exec_profile(x, &r);
    size_t kinds = n ? sum_ops(r, n, ops, MOST) : 0;
    if (!i || !kinds || (n_best && total(ops, kinds) >= total(best, n_best)))
      continue;
    memcpy(best, ops, sizeof best);
    n_best = kinds;
  }
  s->r.exec = own;
  weft_exec_destroy(x);
  if (st)
    return st;
  fprintf(s->out, "ok");
  for (size_t i = 0; i < n_best; i++) {
    fprintf(s->out, "\top=%s:%.0f:%.0f:%.0f:%.0f", best[i].type, best[i].launches, best[i].ns, best[i].bytes,
            best[i].flops);
  }
  fprintf(s->out, "\n");
  return WEFT_OK;
}

static weft_status serve_hello(server *s, const question *q, weft_diag *d) {
  (void)q;
  (void)d;
  fprintf(s->out, "ok\tname=weft\tversion=%s\n", weft_version());
  return WEFT_OK;
}

static weft_status serve_memory(server *s, const question *q, weft_diag *d) {
  (void)q;
  (void)d;
  fprintf(s->out, "ok\tbase=%.0f\tpeak=%.0f\n", s->base_bytes, resident("VmHWM"));
  return WEFT_OK;
}

static weft_status serve_profile(server *s, const question *q, weft_diag *d) {
  (void)q;
  return bench_serve_profile(s, d);
}

static weft_status answer(server *s, const question *q, weft_diag *d) {
  static const struct {
    const char *what;
    weft_status (*answer)(server *s, const question *q, weft_diag *d);
  } answers[] = {{"hello", serve_hello},           {"memory", serve_memory},  {"open", open_model},
                 {"prepare", bench_serve_prepare}, {"set", set_inputs},       {"run", run_slice},
                 {"save", bench_serve_save},       {"profile", serve_profile}};
  for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
    if (!strcmp(q->fields[0], answers[i].what))
      return answers[i].answer(s, q, d);
  }
  return weft_fail(d, WEFT_E_INVALID, "'%.40s' is not a question", q->fields[0]);
}

static void bench_serve_split(char *line, question *q) {
  q->n = 0;
  for (char *at = line; at && q->n < MOST_FIELDS; q->n++) {
    q->fields[q->n] = at;
    at = strchr(at, '\t');
    if (at)
      *at++ = 0;
  }
}

int bench_serve(void) {
  static char line[1 << 14];
  server *s = calloc(1, sizeof *s);
  if (!s)
    return EXIT_FAILED;
  int out = dup(1);
  s->out = out < 0 ? NULL : fdopen(out, "w");
  if (dup2(2, 1) < 0 || !s->out)
    return free(s), EXIT_FAILED;
  while (fgets(line, sizeof line, stdin)) {
    question q;
    weft_diag d = {0};
    line[strcspn(line, "\n")] = 0;
    bench_serve_split(line, &q);
    if (!strcmp(line, "quit"))
      break;
    if (answer(s, &q, &d)) {
      for (char *c = d.text; *c; c++) {
        if (*c == '\n' || *c == '\t')
          *c = ' ';
      }
      fprintf(s->out, "error\t%s [%s]\n", d.text, weft_status_name(d.status));
    }
    fflush(s->out);
  }
  drop_model(s);
  weft_env_destroy(s->env);
  for (size_t i = 0; i < s->o.n_options; i++)
    free(s->options[i]);
  fclose(s->out);
  free(s);
  return EXIT_OK;
}
// SPDX-License-Identifier: Apache-2.0
