// cases.c - `weft cases`: runs folders of cases that frameworks made - a model's files, inputs, and what the
// framework itself computed - each file in a process of its own, so that a crash is one failure and not the
// end.
#include <dirent.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "json.h"
#include "runner.h"

static const char help[] =
    "weft cases [--as onnx] [--only FILE] [--jobs N] [--threads N] [--interp] [--passed] DIR...\n\n"
    "A DIR is one case (case.json beside model files, inputs and outputs), or a folder of cases. Each file "
    "of "
    "a case\n"
    "that the framework itself could load is one test: model.pt2, core.pt2, saved_model, frozen.pb, "
    "model.tflite,\n"
    "model.mindir. Prints one line for each failure and `N passed, N failed, N skipped`; skipped are files "
    "that\n"
    "case.json does not call usable.\n\n"
    "  --as onnx      through a model written back as ONNX and read again; those with states are skipped\n"
    "  --only FILE    files of this name alone, e.g. model.pt2\n"
    "  --jobs N       tests at a time (default 2)\n"
    "  --threads N    that run kernels in each test (default 1)\n"
    "  --device LIST  where nodes may run, in order of preference: npusim,cpu\n"
    "  --interp       the reference interpreter instead of compile and run\n"
    "  --option N=V   of the compiler: --option passes=0\n"
    "  --passed       also prints the tests that pass\n";

static const char *const kinds[] = {"model.pt2", "core.pt2",     "saved_model",
                                    "frozen.pb", "model.tflite", "model.mindir"};

typedef struct test {
  char *dir;
  const char *file;
} test;

enum { EXIT_SKIPPED = 77 };
typedef struct cases {
  test *v;
  size_t n, room, skipped;
  const char *only;
  bool as_onnx, passed;
  uint32_t threads;
  runner_options runner;
} cases;

// ---- finding ----
static bool cases_there(const char *dir, const char *name) {
  char path[4096];
  struct stat st;
  snprintf(path, sizeof path, "%s/%s", dir, name);
  return !stat(path, &st);
}

static bool cases_description(const char *dir, json *out) {
  char path[4096];
  char *text;
  size_t bytes;
  snprintf(path, sizeof path, "%s/case.json", dir);
  memset(out, 0, sizeof *out);
  if (read_file(path, &text, &bytes, NULL))
    return false;
  bool ok = json_read(text, bytes, out);
  free(text);
  return ok;
}

static bool cases_add(cases *c, const char *dir, const char *file) {
  if (c->n == c->room) {
    c->room = c->room ? 2 * c->room : 256;
    test *more = realloc(c->v, c->room * sizeof *more);
    if (!more)
      return false;
    c->v = more;
  }
  c->v[c->n] = (test){strdup(dir), file};
  return c->v[c->n++].dir != NULL;
}

static bool cases_of(cases *c, const char *dir) {
  json j;
  bool ok = cases_description(dir, &j);
  const json *usable = json_get(&j, "usable");
  for (size_t i = 0; ok && i < sizeof kinds / sizeof *kinds; i++) {
    if (!cases_there(dir, kinds[i]))
      continue;
    if (json_number(usable, kinds[i], usable ? 0 : 1) == 0)
      c->skipped++;
    else
      ok = cases_add(c, dir, kinds[i]);
  }
  json_free(&j);
  return ok;
}

static int cases_names(const struct dirent **a, const struct dirent **b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}
static int cases_visible(const struct dirent *f) {
  return f->d_name[0] != '.';
}

static bool cases_collect(cases *c, const char *dir, int depth) {
  if (cases_there(dir, "case.json"))
    return cases_of(c, dir);
  struct dirent **files;
  int n = depth ? scandir(dir, &files, cases_visible, cases_names) : -1;
  bool ok = n >= 0 || !depth;
  for (int i = 0; i < n; i++) {
    char path[4096];
    struct stat st;
    snprintf(path, sizeof path, "%s/%s", dir, files[i]->d_name);
    if (!stat(path, &st) && S_ISDIR(st.st_mode))
      ok &= cases_collect(c, path, depth - 1);
    free(files[i]);
  }
  if (n >= 0)
    free(files);
  return ok;
}

// ---- one file ----
typedef struct values {
  weft_tensor t[256];
  size_t n;
} values;

static void cases_free(values *v) {
  for (size_t i = 0; i < v->n; i++)
    weft_tensor_deinit(&v->t[i]);
  v->n = 0;
}

// The tensors of a list of a set; numbers that were fixed while exporting are no tensors.
static weft_status cases_read(const char *dir, const json *list, values *v, weft_diag *d) {
  char path[4096];
  v->n = 0;
  for (size_t i = 0; list && i < list->n; i++) {
    const char *file = json_text(&list->items[i], "file");
    const char *dtype = json_text(&list->items[i], "dtype");
    if (!file)
      continue;
    if (v->n == sizeof v->t / sizeof *v->t)
      return weft_fail(d, WEFT_E_LIMIT, "more than %zu tensors", v->n);
    snprintf(path, sizeof path, "%s/%s", dir, file);
    WEFT_TRY(read_tensor(path, &v->t[v->n], d));
    if (dtype && (!strcmp(dtype, "bf16") || !strcmp(dtype, "bfloat16")) && v->t[v->n].dtype == WEFT_UINT16)
      v->t[v->n].dtype = WEFT_BF16;
    v->n++;
  }
  return WEFT_OK;
}

// Files of TensorFlow order their inputs and outputs by name, those of TFLite as the converter did; the case
// has its own order, and their names. Which of the graph's is the case's i-th: the i-th where it says no
// name.
static size_t cases_place(const runner *r, const test *t, const json *j, bool input, size_t i) {
  const bool saved = !strcmp(t->file, "saved_model") || !strcmp(t->file, "model.tflite");
  const bool frozen = !strcmp(t->file, "frozen.pb");
  if (!saved && !frozen)
    return i;
  const char *list =
      saved ? (input ? "saved_inputs" : "saved_outputs") : (input ? "frozen_inputs" : "frozen_outputs");
  const json *names = json_get(j, list);
  const char *name = names && i < names->n ? names->items[i].text : NULL;
  if (!name)
    return i;
  const size_t bytes = strcspn(name, ":");
  const size_t n = input ? weft_graph_n_inputs(r->g) : weft_graph_n_outputs(r->g);
  for (size_t k = 0; k < n; k++) {
    const weft_value *v = input ? weft_graph_input_at(r->g, k) : weft_graph_output_at(r->g, k);
    const char *has = weft_value_name(v);
    if (strlen(has) == bytes && !strncmp(has, name, bytes))
      return k;
  }
  return i;
}

static weft_status cases_compare(const runner *r, const weft_tensor *got, const test *t, const values *want,
                                 const json *j, weft_diag *d) {
  double rtol = json_number(j, "rtol", 1e-4);
  double atol = json_number(j, "atol", 1e-5);
  for (size_t i = 0; i < want->n; i++) {
    const size_t place = cases_place(r, t, j, false, i);
    weft_status s = weft_tensor_compare(&got[place], &want->t[i], rtol, atol, d);
    if (s)
      weft_note(d, "in output %zu, '%s'", place, weft_value_name(weft_graph_output_at(r->g, place)));
    WEFT_TRY(s);
  }
  return WEFT_OK;
}

// The user's outputs come first; what the model changed of its buffers follows and is not compared.
static weft_status cases_set(runner *r, const test *t, const json *set, const json *j, weft_diag *d) {
  static values in;
  static values want;
  const weft_tensor *inputs[256];
  weft_tensor out[256];
  size_t n_out = weft_graph_n_outputs(r->g);
  weft_status s = cases_read(t->dir, json_get(set, "inputs"), &in, d);
  if (!s)
    s = cases_read(t->dir, json_get(set, "outputs"), &want, d);
  if (!s && (want.n > n_out || n_out > 256 || in.n != weft_graph_n_inputs(r->g))) {
    s = weft_fail(d, WEFT_E_INVALID, "%zu inputs and %zu outputs of the case, the graph has %zu and %zu",
                  in.n, want.n, weft_graph_n_inputs(r->g), n_out);
  }
  for (size_t i = 0; !s && i < in.n; i++)
    inputs[cases_place(r, t, j, true, i)] = &in.t[i];
  if (!s) {
    s = runner_run(r, inputs, in.n, out, n_out, d);
    if (!s)
      s = cases_compare(r, out, t, &want, j, d);
    for (size_t i = 0; i < n_out; i++)
      weft_tensor_deinit(&out[i]);
  }
  cases_free(&in);
  cases_free(&want);
  return s;
}

typedef struct bytes {
  char *v;
  size_t n;
} bytes;

static weft_status cases_keep(void *ctx, const char *text, size_t n) {
  bytes *b = ctx;
  char *more = realloc(b->v, b->n + n + 1);
  if (!more)
    return WEFT_E_NOMEM;
  memcpy(more + b->n, text, n);
  b->v = more;
  b->n += n;
  return WEFT_OK;
}

// --as onnx: the model written back and read again; `onnx` outlives the graph.
static weft_status cases_graph(const cases *c, weft_env *e, const char *path, bytes *onnx, weft_graph **out,
                               weft_diag *d) {
  WEFT_TRY(weft_model_load(e, path, out, d));
  if (!c->as_onnx)
    return WEFT_OK;
  size_t n_in = weft_graph_n_inputs(*out);
  weft_status s = weft_graph_states_plain(*out, d);
  if (!s && weft_graph_n_inputs(*out) > n_in)
    s = weft_fail(d, WEFT_E_STATE, "the model has states, and ONNX has none");
  if (!s)
    s = weft_onnx_write(*out, cases_keep, onnx, d);
  weft_graph_destroy(*out);
  *out = NULL;
  return s ? s : weft_onnx_read(e, onnx->v, onnx->n, "written.onnx", out, d);
}

static weft_status cases_sets(const cases *c, weft_env *e, const test *t, const json *j, weft_diag *d) {
  char path[4096];
  weft_graph *g = NULL;
  runner r = {0};
  const json *sets = json_get(j, "sets");
  snprintf(path, sizeof path, "%s/%s", t->dir, t->file);
  bytes onnx = {NULL, 0};
  weft_status s = cases_graph(c, e, path, &onnx, &g, d);
  if (s) {
    free(onnx.v);
    return s;
  }
  s = runner_make(&r, g, &c->runner, d);
  if (!s && (!sets || !sets->n))
    s = weft_fail(d, WEFT_E_MISSING, "case.json has no sets: nothing was compared");
  for (size_t i = 0; !s && i < sets->n; i++) {
    s = cases_set(&r, t, &sets->items[i], j, d);
    if (s && sets->n > 1)
      weft_note(d, "in set %zu", i);
  }
  runner_free(&r);
  free(onnx.v);
  return s;
}

static weft_status cases_run(const cases *c, const test *t, weft_diag *d) {
  weft_env_options o = {
      .size = sizeof o, .package_path = "", .threads = c->threads, .limits = limits_of_tool()};
  weft_env *e;
  json j;
  if (!cases_description(t->dir, &j))
    return weft_fail(d, WEFT_E_SYNTAX, "case.json cannot be read");
  weft_status s = weft_env_create(&o, &e, d);
  if (!s) {
    s = cases_sets(c, e, t, &j, d);
    weft_env_destroy(e);
  }
  json_free(&j);
  return s;
}

// ---- all of them ----
typedef struct job {
  pid_t pid;
  const test *test;
  FILE *log;
} job;

static bool cases_start(const cases *c, const test *t, job *j) {
  *j = (job){.test = t, .log = tmpfile()};
  if (!j->log)
    return false;
  fflush(stdout);
  j->pid = fork();
  if (j->pid)
    return j->pid > 0;
  weft_diag d = {0};
  alarm(120);
  weft_status s = cases_run(c, t, &d);
  if (s)
    fprintf(j->log, "%s [%s]", d.text, weft_status_name(s));
  fflush(j->log);
  _exit(s == WEFT_E_STATE ? EXIT_SKIPPED : s != 0);
}

// true: it passed, or was skipped
static bool cases_finish(const cases *c, job *j, int status) {
  char text[2048] = "";
  rewind(j->log);
  size_t n = fread(text, 1, sizeof text - 1, j->log);
  text[n] = 0;
  fclose(j->log);
  j->pid = 0;
  const char *slash = strrchr(j->test->dir, '/');
  const char *name = slash ? slash + 1 : j->test->dir;
  for (char *p = text; *p; p++) {
    if (*p == '\n')
      *p = ' ';
  }
  const bool skipped = WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SKIPPED;
  if (skipped || (WIFEXITED(status) && !WEXITSTATUS(status))) {
    if (c->passed || skipped)
      printf("%s %s/%s%s%s\n", skipped ? "skip" : "ok  ", name, j->test->file, skipped ? ": " : "", text);
    return true;
  }
  if (WIFSIGNALED(status))
    printf("FAIL %s/%s: killed by signal %d %s\n", name, j->test->file, WTERMSIG(status), text);
  else
    printf("FAIL %s/%s: %s\n", name, j->test->file, text);
  return false;
}

static int cases_all(const cases *c, size_t jobs) {
  job list[64] = {{0}};
  size_t next = 0;
  size_t live = 0;
  size_t passed = 0;
  size_t failed = 0;
  size_t skipped = c->skipped;
  while (next < c->n || live) {
    while (next < c->n && live < jobs) {
      size_t k = 0;
      while (list[k].pid)
        k++;
      if (!cases_start(c, &c->v[next++], &list[k])) {
        fprintf(stderr, "weft: cannot start a process\n");
        return EXIT_FAILED;
      }
      live++;
    }
    int status;
    pid_t pid = wait(&status);
    for (size_t k = 0; k < jobs; k++) {
      if (!list[k].pid || list[k].pid != pid)
        continue;
      const bool ok = cases_finish(c, &list[k], status);
      const bool skips = ok && WEXITSTATUS(status) == EXIT_SKIPPED;
      skipped += skips;
      passed += ok && !skips;
      failed += !ok;
      live--;
    }
  }
  printf("%zu passed, %zu failed, %zu skipped\n", passed, failed, skipped);
  return failed ? EXIT_FAILED : EXIT_OK;
}

static int cases_options(args *a, cases *c, size_t *jobs) {
  const char *v;
  int status = EXIT_OK;
  if (arg_value(a, "--as", &v)) {
    c->as_onnx = !strcmp(v, "onnx");
    return c->as_onnx ? EXIT_OK : usage_error(help, "--as %s: only onnx is there", v);
  }
  if (arg_value(a, "--only", &v))
    c->only = v;
  else if (arg_value(a, "--jobs", &v))
    *jobs = strtoul(v, NULL, 10);
  else if (arg_value(a, "--threads", &v))
    c->threads = (uint32_t)strtoul(v, NULL, 10);
  else if ((status = runner_option(a, &c->runner, help)) >= 0)
    return status;
  else if (arg_flag(a, "--passed"))
    c->passed = true;
  else if (!arg_positional(a, &v))
    return unexpected(help, a->argv[a->at]);
  else if (!cases_collect(c, v, 3))
    return usage_error(help, "cannot read the cases in '%s'", v);
  return EXIT_OK;
}

// --only may stand behind the folders.
static void cases_keep_only(cases *c) {
  size_t n = 0;
  for (size_t i = 0; i < c->n; i++) {
    if (!c->only || !strcmp(c->only, c->v[i].file))
      c->v[n++] = c->v[i];
    else
      free(c->v[i].dir);
  }
  c->n = n;
}

static int run(int argc, char **argv) {
  args a = {argc, 1, argv, help};
  cases c = {.threads = 1};
  size_t jobs = 2;
  int status = EXIT_OK;
  while (a.at < a.argc && !status)
    status = cases_options(&a, &c, &jobs);
  cases_keep_only(&c);
  if (!status && !c.n && !c.skipped)
    status = usage_error(help, "no case found");
  if (!status)
    status = cases_all(&c, jobs < 1 ? 1 : jobs > 64 ? 64 : jobs);
  for (size_t i = 0; i < c.n; i++)
    free(c.v[i].dir);
  free(c.v);
  return status;
}

const command cmd_cases = {"cases", "runs folders of cases that frameworks made", help, run};
// SPDX-License-Identifier: Apache-2.0
