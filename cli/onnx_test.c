// onnx_test.c - `weft onnx-test`: runs folders of ONNX's backend tests in processes of their own, so that a
// crash is one failure and not the end.
#include <dirent.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner.h"

static const char help[] =
    "weft onnx-test [--jobs N] [--threads N] [--rtol R] [--atol A] [--skip FILE] [--passed] DIR...\n\n"
    "A DIR is one test (model.onnx and test_data_set_N/{input,output}_I.pb), or a folder of tests. Prints "
    "one line for each\n"
    "failure and `N passed, N failed, N skipped`.\n\n"
    "  --jobs N       tests at a time (default 2)\n"
    "  --threads N    that run kernels in each test (default: as many as the machine has)\n"
    "  --rtol, --atol tolerances (default 1e-3, of bf16 2^-6, and 1e-7; a test's data.json may set\n"
    "                 its own)\n"
    "  --skip FILE    tests known not to run: lines `NAME  reason`; they are counted as skipped\n"
    "  --device LIST  where nodes may run, in order of preference: npusim,cpu\n"
    "  --streams N    launches that do not depend on each other on up to N streams\n"
    "  --interp       the reference interpreter instead of compile and run\n"
    "  --option N=V   of the compiler: --option passes=0\n"
    "  --passed       also prints the tests that pass\n";

typedef struct suite {
  char **dirs;
  size_t n, cap;
  double rtol, atol;
  char *skip;  // text of the skip file
  bool passed;
  uint32_t threads;
  runner_options runner;
} suite;

// What one test found, passed or not: of the output with the largest error.
typedef struct outcome {
  weft_difference x;
  double rtol, atol;  // of the test
  double near;        // rtol of that output
  bool floats;
  char output[100];
} outcome;

static void keep_largest(outcome *o, const char *output, double rtol, const weft_tensor *got,
                         const weft_tensor *want) {
  weft_difference x = {0};
  weft_difference_add(&x, got, want);
  if (!x.compared || (o->x.compared && x.max_abs <= o->x.max_abs))
    return;
  o->x = x;
  o->near = rtol;
  o->floats = !weft_dtype_is_integer(want->dtype);
  snprintf(o->output, sizeof o->output, "%s", output);
}

// The error as a part of what is allowed.
static double share(const outcome *o) {
  const double allowed = o->atol + o->near * (o->x.want < 0 ? -o->x.want : o->x.want);
  if (!o->floats || !(o->x.max_abs > 0))
    return 0;
  return allowed > 0 ? o->x.max_abs / allowed : 1e300;
}

static bool is_file(const char *dir, const char *name) {
  char path[4096];
  struct stat st;
  snprintf(path, sizeof path, "%s/%s", dir, name);
  return !stat(path, &st) && S_ISREG(st.st_mode);
}

static bool add_dir(suite *s, const char *dir) {
  if (s->n == s->cap) {
    char **more = realloc(s->dirs, (s->cap = s->cap ? 2 * s->cap : 256) * sizeof *more);
    if (!more)
      return false;
    s->dirs = more;
  }
  return (s->dirs[s->n++] = strdup(dir)) != NULL;
}

static int names(const struct dirent **a, const struct dirent **b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}
static int visible(const struct dirent *f) {
  return f->d_name[0] != '.';
}

static bool collect(suite *s, const char *dir, int depth) {
  if (is_file(dir, "model.onnx"))
    return add_dir(s, dir);
  struct dirent **files;
  int n = depth ? scandir(dir, &files, visible, names) : -1;
  bool ok = n >= 0 || !depth;
  for (int i = 0; i < n; i++) {
    char path[4096];
    struct stat st;
    snprintf(path, sizeof path, "%s/%s", dir, files[i]->d_name);
    if (!stat(path, &st) && S_ISDIR(st.st_mode))
      ok &= collect(s, path, depth - 1);
    free(files[i]);
  }
  if (n >= 0)
    free(files);
  return ok;
}

static void read_tolerances(const char *dir, double *rtol, double *atol) {
  char path[4096];
  char *text;
  size_t bytes;
  snprintf(path, sizeof path, "%s/data.json", dir);
  if (!is_file(dir, "data.json") || read_file(path, &text, &bytes, NULL))
    return;
  char *copy = malloc(bytes + 1);
  if (copy) {
    memcpy(copy, text, bytes);
    copy[bytes] = 0;
    const char *at;
    if ((at = strstr(copy, "\"rtol\"")) && (at = strchr(at, ':')))
      *rtol = strtod(at + 1, NULL);
    if ((at = strstr(copy, "\"atol\"")) && (at = strchr(at, ':')))
      *atol = strtod(at + 1, NULL);
  }
  free(copy);
  free(text);
}

typedef struct values {
  weft_tensor *t;
  size_t n;
} values;

static weft_status read_values(const weft_graph *g, const char *dir, const char *what, values *v,
                               weft_diag *d) {
  bool inputs = !strcmp(what, "input");
  size_t n = inputs ? weft_graph_n_inputs(g) : weft_graph_n_outputs(g);
  memset(v, 0, sizeof *v);
  for (;; v->n++) {
    char name[64];
    char path[4096];
    snprintf(name, sizeof name, "%s_%zu.pb", what, v->n);
    if (!is_file(dir, name))
      return WEFT_OK;
    snprintf(path, sizeof path, "%s/%s", dir, name);
    weft_tensor *more = realloc(v->t, (v->n + 1) * sizeof *more);
    if (!more)
      return WEFT_E_NOMEM;
    v->t = more;
    const weft_value *of = v->n >= n ? NULL
                           : inputs  ? weft_graph_input_at(g, v->n)
                                     : weft_graph_output_at(g, v->n);
    WEFT_TRY(read_value(path, of, &v->t[v->n], d));
  }
}

static void free_values(values *v) {
  for (size_t i = 0; i < v->n; i++)
    weft_tensor_deinit(&v->t[i]);
  free(v->t);
}

// The suite's own runner allows bf16, whose neighbours lie up to 2^-7 apart, two of those steps.
static double rtol_of(const weft_tensor *t, double rtol) {
  const double two_steps = 0x1p-6;
  return t->dtype == WEFT_BF16 && rtol < two_steps ? two_steps : rtol;
}

static weft_status run_set(runner *r, const char *dir, outcome *o, weft_diag *d) {
  values in;
  values want;
  const weft_tensor *inputs[256];
  weft_tensor out[256];
  const weft_graph *g = r->g;
  size_t n_out = weft_graph_n_outputs(g);
  weft_status s = read_values(g, dir, "input", &in, d);
  if (!s)
    s = read_values(g, dir, "output", &want, d);
  else
    memset(&want, 0, sizeof want);
  if (!s && (in.n > 256 || n_out > 256))
    s = weft_fail(d, WEFT_E_LIMIT, "more than 256 inputs or outputs");
  if (!s && in.n != weft_graph_n_inputs(g)) {
    s = weft_fail(d, WEFT_E_INVALID, "%zu input files, the graph has %zu inputs", in.n,
                  weft_graph_n_inputs(g));
  }
  if (!s && want.n != n_out)
    s = weft_fail(d, WEFT_E_INVALID, "%zu output files, the graph has %zu outputs", want.n, n_out);
  for (size_t i = 0; !s && i < in.n; i++)
    inputs[i] = &in.t[i];
  for (int round = 0; !s && round < (r->own ? 1 : 2);
       round++) {  // a plan that was used before must give the same
    s = runner_run(r, inputs, in.n, out, n_out, d);
    for (size_t i = 0; !s && i < want.n && i < n_out; i++) {
      const char *name = weft_value_name(weft_graph_output_at(g, i));
      const double rtol = rtol_of(&want.t[i], o->rtol);
      keep_largest(o, name, rtol, &out[i], &want.t[i]);
      s = weft_tensor_compare(&out[i], &want.t[i], rtol, o->atol, d);
      if (s)
        weft_note(d, "in output '%s'", name);
    }
    for (size_t i = 0; i < n_out; i++)
      weft_tensor_deinit(&out[i]);
  }
  free_values(&in);
  free_values(&want);
  return s;
}

static weft_status run_test(const suite *s, const char *dir, outcome *out, weft_diag *d) {
  char path[4096];
  out->rtol = s->rtol;
  out->atol = s->atol;
  read_tolerances(dir, &out->rtol, &out->atol);
  weft_env_options o = {
      .size = sizeof o, .package_path = "", .threads = s->threads, .limits = limits_of_tool()};
  weft_env *e;
  weft_graph *g = NULL;
  runner r = {0};
  WEFT_TRY(weft_env_create(&o, &e, d));
  snprintf(path, sizeof path, "%s/model.onnx", dir);
  weft_status st = weft_onnx_load(e, path, &g, d);
  if (!st)
    st = runner_make(&r, g, &s->runner, d);
  for (int set = 0; !st; set++) {
    snprintf(path, sizeof path, "%s/test_data_set_%d", dir, set);
    struct stat there;
    if (stat(path, &there)) {
      if (!set)
        st = weft_fail(d, WEFT_E_MISSING, "there is no %s: nothing was compared", path);
      break;
    }
    st = run_set(&r, path, out, d);
  }
  runner_free(&r);
  weft_env_destroy(e);
  return st;
}

static const char *base_name(const char *dir) {
  const char *slash = strrchr(dir, '/');
  return slash ? slash + 1 : dir;
}

// The reason a test is in the skip file; NULL: it is not.
static const char *skipped(const suite *s, const char *name, size_t *reason_bytes) {
  size_t n = strlen(name);
  for (const char *at = s->skip; at && *at; at += strcspn(at, "\n"), at += *at == '\n') {
    if (strncmp(at, name, n) || (at[n] != ' ' && at[n] != '\t'))
      continue;
    const char *reason = at + n + strspn(at + n, " \t");
    *reason_bytes = strcspn(reason, "\n");
    return reason;
  }
  return NULL;
}

typedef struct totals {
  size_t passed, failed, skipped;
  outcome nearest;  // of the error that uses most of what is allowed
  char test[200];   // that it is of
} totals;

// Processes cost more than most tests do, so each takes a range of them, one after the other, and writes a
// report a test to its log. Where it dies, the test without a report is the one that it died of, and another
// process goes on behind that.
enum { RANGE = 32, TEXT = 1024, MOST_JOBS = 64, TEST_SECONDS = 120 };

typedef struct report {
  weft_status status;
  outcome o;
  char text[TEXT];
} report;

typedef struct job {
  pid_t pid;  // 0: none
  size_t first, end;
  FILE *log;
} job;

static void report_test(const suite *s, size_t test, const report *r, totals *t) {
  char error[500];
  const char *name = base_name(s->dirs[test]);
  largest_error(&r->o.x, r->o.floats, r->o.near, r->o.atol, error, sizeof error);
  if (share(&r->o) > share(&t->nearest)) {
    t->nearest = r->o;
    snprintf(t->test, sizeof t->test, "%s", name);
  }
  t->passed += !r->status;
  t->failed += !!r->status;
  if (r->status)
    printf("FAIL %s: %s [%s]%s\n", name, r->text, weft_status_name(r->status), error);
  else if (s->passed)
    printf("ok   %s%s\n", name, error);
}

static void report_death(const suite *s, size_t test, int status, totals *t) {
  const char *name = base_name(s->dirs[test]);
  t->failed++;
  if (WIFSIGNALED(status))
    printf("FAIL %s: killed by signal %d\n", name, WTERMSIG(status));
  else
    printf("FAIL %s: its process ended with status %d\n", name, WEXITSTATUS(status));
}

// In a process of its own. A report is in the file before the next test begins.
static void run_range(const suite *s, job *j) {
  for (size_t i = j->first; i < j->end; i++) {
    weft_diag d = {0};
    report r = {0};
    alarm(TEST_SECONDS);
    r.status = run_test(s, s->dirs[i], &r.o, &d);
    snprintf(r.text, sizeof r.text, "%s", d.text);
    for (char *p = r.text; *p; p++) {
      if (*p == '\n')
        *p = ' ';
    }
    if (fwrite(&r, sizeof r, 1, j->log) != 1 || fflush(j->log))
      _exit(EXIT_FAILED);
  }
  _exit(EXIT_OK);
}

static bool start(const suite *s, job *j) {
  j->log = tmpfile();
  if (!j->log)
    return false;
  fflush(stdout);
  j->pid = fork();
  if (!j->pid)
    run_range(s, j);
  return j->pid > 0;
}

// Takes the reports of a process that ended. The tests that it did not come to stay in the job.
static void finish(const suite *s, job *j, int status, totals *t) {
  report r;
  rewind(j->log);
  while (j->first < j->end && fread(&r, sizeof r, 1, j->log) == 1)
    report_test(s, j->first++, &r, t);
  fclose(j->log);
  j->pid = 0;
  if (j->first < j->end)
    report_death(s, j->first++, status, t);
}

// The tests to run come first; those of the skip file are counted.
static size_t drop_skipped(suite *s) {
  size_t bytes;
  size_t kept = 0;
  for (size_t i = 0; i < s->n; i++) {
    if (skipped(s, base_name(s->dirs[i]), &bytes))
      free(s->dirs[i]);
    else
      s->dirs[kept++] = s->dirs[i];
  }
  size_t n = s->n - kept;
  s->n = kept;
  return n;
}

static void print_totals(const totals *t) {
  char error[500];
  const outcome *o = &t->nearest;
  if (*largest_error(&o->x, true, o->near, o->atol, error, sizeof error))
    printf("closest to its tolerance: %s, output '%s'%s\n", t->test, o->output, error);
  printf("%zu passed, %zu failed, %zu skipped\n", t->passed, t->failed, t->skipped);
}

// Starts processes until `jobs` of them run. false: one could not be started.
static bool start_jobs(const suite *s, job *list, size_t jobs, size_t range, size_t *next) {
  for (size_t k = 0; k < jobs; k++) {
    job *j = &list[k];
    if (j->pid)
      continue;
    if (j->first == j->end) {
      j->first = *next;
      *next = s->n - *next < range ? s->n : *next + range;
      j->end = *next;
    }
    if (j->first < j->end && !start(s, j))
      return false;
  }
  return true;
}

static int run_all(suite *s, size_t jobs) {
  job list[MOST_JOBS] = {{0}};
  totals t = {.skipped = drop_skipped(s)};
  size_t all = s->n + t.skipped;
  size_t each = s->n / jobs + 1;
  size_t range = each < RANGE ? each : RANGE;
  size_t next = 0;
  bool show = isatty(2);
  while (t.passed + t.failed < s->n) {
    int status;
    if (!start_jobs(s, list, jobs, range, &next)) {
      fprintf(stderr, "weft: cannot start a process\n");
      return EXIT_FAILED;
    }
    pid_t pid = wait(&status);
    for (size_t k = 0; k < jobs; k++) {
      if (list[k].pid == pid)
        finish(s, &list[k], status, &t);
    }
    if (show)
      fprintf(stderr, "\r%zu of %zu", t.passed + t.failed + t.skipped, all);
  }
  if (show)
    fprintf(stderr, "\r\033[K");
  print_totals(&t);
  return t.failed ? EXIT_FAILED : EXIT_OK;
}

static int run(int argc, char **argv) {
  args a = {argc, 1, argv, help};
  suite s = {.rtol = 1e-3, .atol = 1e-7};
  size_t jobs = 2;
  size_t bytes;
  const char *v;
  int status = EXIT_OK;
  weft_diag d = {0};
  while (a.at < a.argc && !status) {
    if (arg_value(&a, "--jobs", &v))
      jobs = strtoul(v, NULL, 10);
    else if (arg_value(&a, "--threads", &v))
      s.threads = (uint32_t)strtoul(v, NULL, 10);
    else if (arg_value(&a, "--rtol", &v))
      s.rtol = strtod(v, NULL);
    else if (arg_value(&a, "--atol", &v))
      s.atol = strtod(v, NULL);
    else if ((status = runner_option(&a, &s.runner, help)) >= 0)
      continue;
    else if ((status = EXIT_OK, arg_flag(&a, "--passed")))
      s.passed = true;
    else if (arg_value(&a, "--skip", &v)) {
      if (read_file(v, &s.skip, &bytes, &d))
        status = fail_with(&d);
      else if ((s.skip = realloc(s.skip, bytes + 1)))
        s.skip[bytes] = 0;
    } else if (!arg_positional(&a, &v))
      status = unexpected(help, argv[a.at]);
    else if (!collect(&s, v, 2))
      status = usage_error(help, "cannot read the folder '%s'", v);
  }
  if (!status && !s.n)
    status = usage_error(help, "no test found");
  if (!status)
    status = run_all(&s, jobs < 1 ? 1 : jobs > MOST_JOBS ? MOST_JOBS : jobs);
  for (size_t i = 0; i < s.n; i++)
    free(s.dirs[i]);
  free(s.dirs);
  free(s.skip);
  return status;
}

const command cmd_onnx_test = {"onnx-test", "runs folders of ONNX's backend tests", help, run};
// SPDX-License-Identifier: Apache-2.0
