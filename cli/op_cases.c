// op_cases.c - `weft op cases`: calls operators with inputs for which frameworks gave the outputs. The cases
// of an operator run in one process of their own, which says how each ended; one that dies fails the case
// that it was at, and another goes on behind that. What is printed has the order of the folders, whoever ends
// first.
#include <dirent.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "op.h"
#include "op_case.h"
#include "op_expect.h"

const char op_cases_help[] =
    "weft op cases [--compiled] [--expect FILE] [--strict] [--jobs N] [-v] DIR...\n\n"
    "Calls operators with inputs for which frameworks gave the outputs, and compares. A DIR is the folder of "
    "an\n"
    "operator, with cases.json, or a folder of such folders. Prints one line for each case that fails - "
    "operator,\n"
    "number of the case, first element that differs - and `N passed, N failed, N skipped`. Skipped are cases "
    "of\n"
    "operators that weft does not run, and those whose dtypes the prototype need not take.\n\n"
    "  --compiled     each as a graph of one node, compiled for the CPU, instead of by the reference kernel\n"
    "  --interp       each as a graph of one node, by the interpreter\n"
    "  --unknown      the same, compiled without knowing the sizes of the inputs\n"
    "  --constants    the same, with all inputs but the first as constants\n"
    "  --expect FILE  cases that need not pass: lines `OPERATOR CASE REASON`, CASE a number or *\n"
    "  --strict       an operator that weft does not run is a failure\n"
    "  --jobs N       operators at a time (default 2)\n"
    "  --threads N    that run kernels in each (default 1)\n"
    "  --isa NAME     instruction set of the kernels at most, as for `weft run`\n"
    "  --device LIST  where nodes may run, in order of preference: npusim,cpu\n"
    "  --option N=V   of the compiler: --option passes=0\n"
    "  -v             a table of the operators at the end, and a line for each case that is skipped\n";

enum { CASES_SECONDS = 120 };

typedef struct folder {  // of one operator
  char *dir;
  const char *name;
  size_t done;  // cases that have their verdict
  char *text;   // lines about cases, kept until those before are printed
  size_t n[3];  // by verdict
  bool finished;
} folder;

typedef struct cases {
  folder *v;
  size_t n, room, printed;
  bool table;
  op_expect expect;
  op_case_options o;
} cases;

// ---- finding ----
static bool op_cases_there(const char *dir) {
  char path[4096];
  struct stat st;
  snprintf(path, sizeof path, "%s/cases.json", dir);
  return !stat(path, &st);
}

static bool op_cases_add(cases *c, const char *dir) {
  if (c->n == c->room) {
    c->room = c->room ? 2 * c->room : 256;
    folder *more = realloc(c->v, c->room * sizeof *more);
    if (!more)
      return false;
    c->v = more;
  }
  size_t n = strlen(dir);
  while (n > 1 && dir[n - 1] == '/')
    n--;
  char *own = strndup(dir, n);
  const char *slash = own ? strrchr(own, '/') : NULL;
  c->v[c->n] = (folder){.dir = own, .name = slash ? slash + 1 : own};
  return c->v[c->n++].dir != NULL;
}

static int op_cases_order(const struct dirent **a, const struct dirent **b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}
static int op_cases_visible(const struct dirent *f) {
  return f->d_name[0] != '.';
}

static bool op_cases_collect(cases *c, const char *dir) {
  if (op_cases_there(dir))
    return op_cases_add(c, dir);
  struct dirent **files;
  const int n = scandir(dir, &files, op_cases_visible, op_cases_order);
  bool ok = n >= 0;
  for (int i = 0; i < n; i++) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", dir, files[i]->d_name);
    if (op_cases_there(path))
      ok &= op_cases_add(c, path);
    free(files[i]);
  }
  if (n >= 0)
    free(files);
  return ok;
}

// ---- in the process of an operator ----
static bool op_cases_read(const folder *f, json *out) {
  char path[4096];
  char *text;
  size_t bytes;
  snprintf(path, sizeof path, "%s/cases.json", f->dir);
  memset(out, 0, sizeof *out);
  if (read_file(path, &text, &bytes, NULL))
    return false;
  const bool ok = json_read(text, bytes, out);
  free(text);
  return ok;
}

// One line a case: its verdict as a digit, and why; lines of a message become parts of one.
static void op_cases_tell(FILE *log, op_case_verdict v, const char *why) {
  fprintf(log, "%d", (int)v);
  while (*why) {
    const size_t n = strcspn(why, "\n");
    fprintf(log, "%.*s", (int)n, why);
    why += n + strspn(why + n, "\n ");
    if (*why)
      fputs("; ", log);
  }
  fputc('\n', log);
  fflush(log);
}

// A case of the list that fails is skipped with the list's reason, and one that passes should leave the list.
static op_case_verdict op_cases_judged(const cases *c, const char *op, size_t i, op_case_verdict v, char *why,
                                       size_t cap) {
  bool all = false;
  const char *reason = op_expect_find(&c->expect, op, i, &all);
  if (!reason)
    return v;
  if (v == OP_CASE_FAILED) {
    snprintf(why, cap, "expected: %s", reason);
    return OP_CASE_SKIPPED;
  }
  if (v == OP_CASE_PASSED && !all) {
    snprintf(why, cap, "it passes, and the list of --expect says that it does not: take its line out");
    return OP_CASE_FAILED;
  }
  return v;
}

static int op_cases_child(const cases *c, const folder *f, FILE *log) {
  char why[3000];
  json j;
  weft_env *e = open_env_with(false, c->o.runner.threads);
  if (!e)
    return EXIT_USAGE;
  const bool ok = op_cases_read(f, &j);
  const json *list = json_get(&j, "cases");
  const char *op = json_text(&j, "op");
  if (!ok || !list || !op)
    return EXIT_USAGE;
  for (size_t i = f->done; i < list->n; i++) {
    alarm(CASES_SECONDS);
    op_case_verdict v = op_case_run(e, f->dir, op, &list->items[i], &c->o, why, sizeof why);
    op_cases_tell(log, op_cases_judged(c, op, i, v, why, sizeof why), why);
  }
  alarm(0);
  json_free(&j);
  weft_env_destroy(e);
  return EXIT_OK;
}

// ---- all of them ----
typedef struct job {
  pid_t pid;
  folder *f;
  FILE *log;
} job;

static bool op_cases_start(const cases *c, folder *f, job *j) {
  *j = (job){.f = f, .log = tmpfile()};
  if (!j->log)
    return false;
  fflush(stdout);
  j->pid = fork();
  if (!j->pid)
    _exit(op_cases_child(c, f, j->log));
  return j->pid > 0;
}

static bool op_cases_keep(folder *f, const char *line) {
  const size_t old = f->text ? strlen(f->text) : 0;
  char *more = realloc(f->text, old + strlen(line) + 1);
  if (!more)
    return false;
  memcpy(more + old, line, strlen(line) + 1);
  f->text = more;
  return true;
}

static bool op_cases_count(const cases *c, folder *f, op_case_verdict v, const char *why) {
  char line[3400];
  const size_t number = f->done++;
  f->n[v]++;
  if (v == OP_CASE_PASSED || (v == OP_CASE_SKIPPED && !c->table))
    return true;
  snprintf(line, sizeof line, "%s %s %zu: %s\n", v == OP_CASE_FAILED ? "FAIL" : "skip", f->name, number, why);
  return op_cases_keep(f, line);
}

// What a process told, and how it ended. true: another one has to go on behind the case that killed it.
static bool op_cases_finish(const cases *c, job *j, int status) {
  char line[3200];
  folder *f = j->f;
  rewind(j->log);
  while (fgets(line, sizeof line, j->log)) {
    line[strcspn(line, "\n")] = 0;
    const int v = *line - '0';
    if (v >= OP_CASE_PASSED && v <= OP_CASE_SKIPPED)
      op_cases_count(c, f, (op_case_verdict)v, line + 1);
  }
  fclose(j->log);
  j->pid = 0;
  if (WIFEXITED(status) && !WEXITSTATUS(status))
    return false;
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
    snprintf(line, sizeof line, "it took more than %d s", CASES_SECONDS);
  else if (WIFSIGNALED(status))
    snprintf(line, sizeof line, "killed by signal %d", WTERMSIG(status));
  else if (WEXITSTATUS(status) == EXIT_USAGE)
    snprintf(line, sizeof line, "cases.json is not a description of cases, or weft does not start");
  else
    snprintf(line, sizeof line, "the process ended with status %d", WEXITSTATUS(status));
  op_cases_count(c, f, OP_CASE_FAILED, line);
  return !WIFEXITED(status) || WEXITSTATUS(status) != EXIT_USAGE;
}

static void op_cases_print(cases *c) {
  while (c->printed < c->n && c->v[c->printed].finished) {
    folder *f = &c->v[c->printed++];
    if (f->text)
      fputs(f->text, stdout);
    free(f->text);
    f->text = NULL;
  }
}

static int op_cases_end(const cases *c) {
  size_t n[3] = {0};
  if (c->table)
    printf("%-36s %7s %7s %7s\n", "operator", "passed", "failed", "skipped");
  for (size_t i = 0; i < c->n; i++) {
    const size_t *of = c->v[i].n;
    if (c->table)
      printf("%-36s %7zu %7zu %7zu\n", c->v[i].name, of[0], of[1], of[2]);
    for (size_t k = 0; k < 3; k++)
      n[k] += of[k];
  }
  printf("%zu passed, %zu failed, %zu skipped\n", n[OP_CASE_PASSED], n[OP_CASE_FAILED], n[OP_CASE_SKIPPED]);
  return n[OP_CASE_FAILED] ? EXIT_FAILED : EXIT_OK;
}

static job *op_cases_job(job *list, size_t jobs, pid_t pid) {
  for (size_t k = 0; k < jobs; k++) {
    if (list[k].pid == pid)
      return &list[k];
  }
  return NULL;
}

static bool op_cases_all(cases *c, job *list, size_t jobs) {
  size_t next = 0;
  size_t live = 0;
  while (next < c->n || live) {
    while (next < c->n && live < jobs) {
      if (!op_cases_start(c, &c->v[next++], op_cases_job(list, jobs, 0)))
        return false;
      live++;
    }
    int status;
    job *j = op_cases_job(list, jobs, wait(&status));
    if (!j)
      continue;
    const bool again = op_cases_finish(c, j, status);
    if (again && !op_cases_start(c, j->f, j))
      return false;
    if (!again) {
      j->f->finished = true;
      live--;
    }
    op_cases_print(c);
  }
  return true;
}

static int op_cases_run(cases *c, size_t jobs) {
  job list[64] = {{0}};
  if (op_cases_all(c, list, jobs))
    return op_cases_end(c);
  fprintf(stderr, "weft: cannot start a process\n");
  return EXIT_FAILED;
}

// ---- options ----
static int op_cases_jobs(const char *v, size_t *jobs) {
  char *end;
  const unsigned long n = strtoul(v, &end, 10);
  if (!n || n > 64 || *end)
    return usage_error(op_cases_help, "--jobs '%s': expected 1 to 64", v);
  *jobs = n;
  return EXIT_OK;
}

static int op_cases_option(args *a, cases *c, size_t *jobs) {
  const char *v;
  weft_diag d = {0};
  int status = EXIT_OK;
  if (arg_value(a, "--jobs", &v))
    return op_cases_jobs(v, jobs);
  if (arg_value(a, "--expect", &v))
    return op_expect_read(&c->expect, v, &d) ? fail_with(&d) : EXIT_OK;
  if (arg_flag(a, "--compiled"))
    c->o.graph = true;
  else if (arg_flag(a, "--unknown"))
    c->o.graph = c->o.unknown = true;
  else if (arg_flag(a, "--constants"))
    c->o.graph = c->o.constants = true;
  else if (arg_flag(a, "--strict"))
    c->o.strict = true;
  else if (arg_flag(a, "-v"))
    c->table = true;
  else if ((status = runner_option(a, &c->o.runner, op_cases_help)) >= 0)
    return status;
  else if (!arg_positional(a, &v))
    return unexpected(op_cases_help, a->argv[a->at]);
  else if (!op_cases_collect(c, v))
    return usage_error(op_cases_help, "cannot read the cases in '%s'", v);
  return EXIT_OK;
}

int op_cases(int argc, char **argv) {
  args a = {argc, 1, argv, op_cases_help};
  cases c = {.o.runner.threads = 1};
  size_t jobs = 2;
  int status = EXIT_OK;
  while (a.at < a.argc && !status)
    status = op_cases_option(&a, &c, &jobs);
  c.o.graph |= c.o.runner.interp;
  if (!status && !c.n)
    status = usage_error(op_cases_help, "no cases given or found");
  if (!status)
    status = op_cases_run(&c, jobs);
  for (size_t i = 0; i < c.n; i++) {
    free(c.v[i].dir);
    free(c.v[i].text);
  }
  free(c.v);
  op_expect_free(&c.expect);
  return status;
}
// SPDX-License-Identifier: Apache-2.0
