// run.c - `weft run`: compiles a model, or loads a program, and runs it, once or for each of several data
// sets.
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "run.h"

static const char help[] =
    "weft run MODEL|FILE.weft [--input NAME=VALUE | --inputs FILE.npz | --data-set DIR | --random SEED]...\n"
    "         [--compare PATH] [--save DIR]\n\n"
    "Compiles the model, runs it, and prints the outputs.\n\n"
    "  --input x=image.npy      a graph input from a .npy or .pb file, or a literal: --input "
    "'x=f32[2]{1,2}'\n"
    "  --inputs FILE.npz        inputs by name, or by position when they are called arr_0, arr_1, ...\n"
    "  --data-set DIR           runs with DIR/input_0.pb, ... and compares with DIR/output_0.pb, ...; may be "
    "repeated\n"
    "  --random SEED            fills the inputs that are not given with random numbers; open dims become "
    "1,\n"
    "                           with a warning\n"
    "  --shape x=1,3,224,224    sets the shape of a graph input\n"
    "  --range x=1..8,3         what its dims may be: 8, 1..64 or 1..*\n"
    "  --dim batch=4            the size of the dim of this name, in every input\n"
    "  --strict                 refuses inputs that give dims of one name different sizes, and shapes that "
    "the\n"
    "                           model declares and the run contradicts\n"
    "  --compare PATH           compares with a .npz file, or with NAME.npy, NAME.pb or output_I.pb in a "
    "folder\n"
    "  --expect y=y.npy         compares one output\n"
    "  --rtol R, --atol A       tolerances of comparisons, |got - want| <= A + R |want| (default 1e-3 and "
    "1e-7)\n"
    "  --save DIR               writes the outputs to DIR, which is created; with several data sets to "
    "DIR/set_0, ...\n"
    "  --as npy|pb|npz          as NAME.npy ('/' becomes '_'; the default), output_I.pb or outputs.npz\n"
    "  --print N                prints at most N elements of an output (default 32; 0: all)\n"
    "  --quiet                  prints no values, only the results of comparisons\n"
    "  --option NAME=VALUE      an option of the compiler, as passes=0 (see weft compile --help)\n"
    "  --device LIST            where nodes may run, in order of preference: npusim,cpu\n"
    "  --threads N              of kernels (default: as many as the process may use)\n"
    "  --isa SET                the most of the machine that kernels use: plain, avx2, avx512; avx2,vnni=0\n"
    "  --streams N              launches that do not depend on each other on up to N streams\n"
    "  --interp                 runs node by node with the reference kernels instead: the oracle\n"
    "  --profile                the time of every operator, and a table by operator type\n"
    "  --repeat N               runs N times (the profile is of the last run)\n"
    "  --trace FILE.json        every launch of the last run for chrome://tracing or Perfetto\n"
    "  --watch [NAMES:]WHAT     looks at values while they are computed and stops at the first one where "
    "WHAT holds:\n"
    "                           nan (a NaN or an infinity), min<N, max>N, abs>N, mean>N (also <=, >=); print "
    "stops\n"
    "                           nowhere. NAMES may hold * and ?: --watch 'layer1*:nan,max>1e4'; may be "
    "repeated\n"
    "  --dump DIR               writes every intermediate tensor to DIR/NAME.npy\n";

static bool add_named(named *list, size_t *n, size_t cap, const char *text) {
  const char *eq = strchr(text, '=');
  if (!eq || eq == text || *n == cap)
    return false;
  list[(*n)++] = (named){text, eq + 1, (size_t)(eq - text)};
  return true;
}

// Every --expect must name an output: a comparison that silently did not happen would look like success.
static weft_status check_expects(const job *j, const weft_graph *g, weft_diag *d) {
  for (size_t i = 0; i < j->n_expects; i++) {
    char list[400] = "";
    size_t n = weft_graph_n_outputs(g);
    size_t at = 0;
    bool found = false;
    for (size_t k = 0; k < n; k++) {
      const char *name = weft_value_name(weft_graph_output_at(g, k));
      found |= strlen(name) == j->expects[i].name_bytes && !memcmp(name, j->expects[i].text, strlen(name));
      if (at < 300)
        at += (size_t)snprintf(list + at, sizeof list - at, "%s%.80s", k ? ", " : "", name);
    }
    if (!found) {
      return weft_fail(d, WEFT_E_NOT_FOUND, "--expect: the model has no output '%.*s'; its outputs: %s",
                       (int)j->expects[i].name_bytes, j->expects[i].text, list);
    }
  }
  return WEFT_OK;
}

// ---- progress: on a terminal only, after the first half second, ten times a second ----
typedef struct progress {
  const weft_graph *g;
  size_t done, set, n_sets;
  struct timespec last;
  bool on, shown;
} progress;
static progress at;  // of the run at hand

static void show_progress(progress *p, const weft_value *v) {
  uint32_t index;
  struct timespec now;
  const weft_node *n = weft_value_node(v, &index);
  if (!n || index || weft_node_graph(n) != p->g)
    return;
  p->done++;
  clock_gettime(CLOCK_MONOTONIC, &now);
  double s = (double)(now.tv_sec - p->last.tv_sec) + (double)(now.tv_nsec - p->last.tv_nsec) / 1e9;
  if (s < (p->shown ? 0.1 : 0.5))
    return;
  p->last = now;
  p->shown = true;
  if (p->n_sets > 1)
    fprintf(stderr, "\rset %zu of %zu, ", p->set + 1, p->n_sets);
  else
    fprintf(stderr, "\r");
  fprintf(stderr, "node %zu of %zu: %.40s\033[K", p->done, weft_graph_n_nodes(p->g), weft_node_type(n));
}

// Every value passes here while it is computed.
static weft_status watch(void *ctx, const weft_value *v, const weft_tensor *t) {
  const job *j = ctx;
  if (j->dump)
    WEFT_TRY(dump_value(j->dump, v, t));
  if (j->n_watched)
    WEFT_TRY(watch_value(j, v, t));
  if (at.on)
    show_progress(&at, v);
  return WEFT_OK;
}

static weft_status run_model(const job *j, size_t set, const weft_tensor *const *in, weft_tensor *out,
                             weft_diag *d) {
  const weft_graph *g = j->r->g;
  size_t n_out = weft_graph_n_outputs(g);
  weft_status s = WEFT_OK;
  for (size_t k = 0; !s && k < (j->repeat ? j->repeat : 1); k++) {
    at = (progress){.g = g, .set = set, .n_sets = j->n_sets, .on = isatty(2)};
    clock_gettime(CLOCK_MONOTONIC, &at.last);
    for (size_t i = 0; k && i < n_out; i++)
      weft_tensor_deinit(&out[i]);
    s = runner_run(j->r, in, weft_graph_n_inputs(g), out, n_out, d);
    if (at.shown)
      fprintf(stderr, "\r\033[K");
  }
  if (!s && j->profile)
    print_profile(j->r->exec, g);
  if (!s && j->trace)
    s = write_trace(j->r->exec, j->trace, d);
  return s;
}

// ---- one set ----
typedef struct result {
  size_t compared, different;  // outputs
} result;

static weft_status compare_output(const job *j, const data_set *set, const weft_graph *g, size_t i,
                                  const weft_tensor *got, result *r, weft_diag *d) {
  weft_tensor want;
  weft_diag own = {0};
  bool found;
  const char *name = weft_value_name(weft_graph_output_at(g, i));
  weft_tensor_init(&want, limits_allocator());
  weft_status s = read_expected(j, set, g, i, &want, &found, d);
  if (!s && found) {
    weft_status c = weft_tensor_compare(got, &want, j->rtol, j->atol, &own);
    weft_difference x = {0};
    char error[500];
    weft_difference_add(&x, got, &want);
    largest_error(&x, !weft_dtype_is_integer(want.dtype), j->rtol, j->atol, error, sizeof error);
    printf("%s: %s%s\n", name, c ? own.text : "as expected", error);
    r->compared++;
    r->different += c != WEFT_OK;
  }
  weft_tensor_deinit(&want);
  return s;
}

static weft_status run_give_outputs(const job *j, const data_set *set, const weft_graph *g,
                                    const weft_tensor *out, result *r, weft_diag *d) {
  size_t before = r->compared;
  if (set->dir)
    printf("%s:\n", set->dir);
  for (size_t i = 0; i < weft_graph_n_outputs(g); i++) {
    if (!j->quiet) {
      printf("%s = ", weft_value_name(weft_graph_output_at(g, i)));
      WEFT_TRY(weft_tensor_print(&out[i], j->print, to_stdout, NULL));
      printf("\n");
    }
    WEFT_TRY(compare_output(j, set, g, i, &out[i], r, d));
  }
  if (set->dir && r->compared == before && !j->compare) {
    fprintf(stderr, "weft: warning: '%s' holds no outputs (output_0.pb, ...): nothing was compared\n",
            set->dir);
  }
  if (j->compare && r->compared == before)
    return weft_fail(d, WEFT_E_NOT_FOUND, "--compare: '%s' holds none of the model's outputs", set->compare);
  return j->save ? write_outputs(j, set, g, out, d) : WEFT_OK;
}

static weft_status run_set(const job *j, size_t number, result *r, weft_diag *d) {
  const weft_graph *g = j->r->g;
  size_t n_in = weft_graph_n_inputs(g);
  size_t n_out = weft_graph_n_outputs(g);
  weft_tensor *in = calloc(n_in + n_out + 1, sizeof *in);
  weft_tensor *out = in + n_in;
  const weft_tensor **given = calloc(n_in + 1, sizeof *given);
  static data_set set;
  if (!in || !given) {
    free(in);
    free(given);
    return weft_fail(d, WEFT_E_NOMEM, "out of memory");
  }
  for (size_t i = 0; i < n_in + n_out; i++)
    weft_tensor_init(&in[i], i < n_in ? limits_allocator() : NULL);
  for (size_t i = 0; i < n_in; i++)
    given[i] = &in[i];
  set_init(&set, j, number);
  weft_status s = set_open(&set, j, g, d);
  if (!s)
    s = read_inputs(j, &set, g, in, d);
  if (!s)
    s = run_model(j, number, given, out, d);
  if (!s)
    s = run_give_outputs(j, &set, g, out, r, d);
  if (s && set.dir)
    weft_note(d, "in data set '%s'", set.dir);
  set_deinit(&set, j);
  for (size_t i = 0; i < n_in + n_out; i++)
    weft_tensor_deinit(&in[i]);
  free(in);
  free(given);
  return s;
}

static weft_status run_work(const job *j, result *r, weft_diag *d) {
  size_t n = j->n_sets ? j->n_sets : 1;
  size_t as_expected = 0;
  WEFT_TRY(check_expects(j, j->r->g, d));
  WEFT_TRY(watch_check(j, j->r->g, d));
  for (size_t i = 0; i < n; i++) {
    size_t before = r->different;
    WEFT_TRY(run_set(j, i, r, d));
    as_expected += r->different == before;
  }
  if (j->n_sets > 1) {
    printf("%zu data sets: %zu as expected, %zu different; %zu outputs compared\n", n, as_expected,
           n - as_expected, r->compared);
  }
  return WEFT_OK;
}

// What only a compiler can obey.
static weft_status check_program_options(const job *j, weft_diag *d) {
  for (size_t i = 0; i < j->shapes.n; i++) {
    if (j->shapes.kind[i] != SHAPE_DIM) {
      return weft_fail(
          d, WEFT_E_INVALID,
          "--shape, --range: a program's shapes were fixed by weft compile; --dim gives a dim that is "
          "still open its size");
    }
  }
  if (j->o.interp)
    return weft_fail(d, WEFT_E_INVALID, "--interp: '%s' is a program; the interpreter runs models", j->model);
  if (!j->o.device && !j->o.n_options)
    return WEFT_OK;
  return weft_fail(d, WEFT_E_INVALID, "%s: '%s' is a program, and this was decided by weft compile",
                   j->o.device ? "--device" : "--option", j->model);
}

// A program as it is; a model is compiled, with the shapes that were asked for.
static weft_status run_prepare(const job *j, weft_env *e, weft_diag *d) {
  runner_options o = j->o;
  o.exec.size = sizeof o.exec;
  o.exec.profile = j->profile || j->trace;
  if (j->dump || j->n_watched || isatty(2)) {
    o.exec.watch = watch;
    o.exec.watch_ctx = (void *)(uintptr_t)j;
  }
  if (is_program(j->model)) {
    WEFT_TRY(check_program_options(j, d));
    WEFT_TRY(runner_load(j->r, e, j->model, &o, d));
    for (size_t i = 0; i < j->shapes.n; i++)
      WEFT_TRY(fix_dim(j->r->g, j->shapes.text[i], d));
    return WEFT_OK;
  }
  weft_graph *g = NULL;
  bool apart;
  WEFT_TRY(load_for_inputs(j, e, &g, &apart, d));
  return runner_make(j->r, g, &o, d);
}

// ---- arguments ----
static bool run_number(const char *text, double *out) {
  char *end;
  *out = strtod(text, &end);
  return *text && !*end;
}

static bool run_count(const char *text, size_t *out) {
  double x;
  bool good = run_number(text, &x) && x >= 0 && x < 9e15;
  if (good)
    *out = (size_t)x;
  return good;
}

// Options with files; 0: taken, -1: not one of these, otherwise the exit status.
static int file_option(args *a, job *j) {
  const char *v;
  if (arg_value(a, "--input", &v)) {
    if (!add_named(j->inputs, &j->n_inputs, 256, v))
      return usage_error(help, "--input '%s': expected NAME=VALUE", v);
  } else if (arg_value(a, "--expect", &v)) {
    if (!add_named(j->expects, &j->n_expects, 64, v))
      return usage_error(help, "--expect '%s': expected NAME=FILE", v);
  } else if (arg_value(a, "--inputs", &v)) {
    if (j->n_archives == 16)
      return usage_error(help, "more than 16 --inputs options");
    j->archives[j->n_archives++] = v;
  } else if (arg_value(a, "--data-set", &v)) {
    if (j->n_sets == 256)
      return usage_error(help, "more than 256 --data-set options");
    j->sets[j->n_sets++] = v;
  } else if (!arg_value(a, "--compare", &j->compare) && !arg_value(a, "--save", &j->save)) {
    return -1;
  }
  return 0;
}

static int run_option(args *a, job *j) {
  const char *v;
  size_t seed;
  if (arg_value(a, "--random", &v)) {
    if (!run_count(v, &seed))
      return usage_error(help, "--random '%s': expected a number", v);
    j->random = true;
    j->seed = seed;
  } else if (arg_value(a, "--as", &v)) {
    j->as = !strcmp(v, "npy") ? RUN_NPY : !strcmp(v, "pb") ? RUN_PB : RUN_NPZ;
    if (j->as == RUN_NPZ && strcmp(v, "npz"))
      return usage_error(help, "--as '%s': expected npy, pb or npz", v);
  } else if (arg_value(a, "--rtol", &v)) {
    if (!run_number(v, &j->rtol))
      return usage_error(help, "--rtol '%s': expected a number", v);
  } else if (arg_value(a, "--atol", &v)) {
    if (!run_number(v, &j->atol))
      return usage_error(help, "--atol '%s': expected a number", v);
  } else if (arg_value(a, "--print", &v)) {
    if (!run_count(v, &j->print))
      return usage_error(help, "--print '%s': expected a count", v);
  } else if (arg_value(a, "--repeat", &v)) {
    if (!run_count(v, &j->repeat))
      return usage_error(help, "--repeat '%s': expected a count", v);
  } else if (arg_value(a, "--trace", &j->trace) || arg_value(a, "--dump", &j->dump)) {
    return 0;
  } else if (arg_value(a, "--watch", &v)) {
    if (j->n_watched == WATCHED_MOST)
      return usage_error(help, "more than %d --watch options", WATCHED_MOST);
    const char *allowed = watch_parse(v, &j->watched[j->n_watched++]);
    if (allowed)
      return usage_error(help, "--watch '%s': expected [NAMES:]WHAT, where WHAT is %s", v, allowed);
  } else if (arg_flag(a, "--profile")) {
    j->profile = true;
  } else if (arg_flag(a, "--strict")) {
    j->strict = true;
  } else if (arg_flag(a, "--quiet")) {
    j->quiet = true;
  } else if (j->model || !arg_positional(a, &j->model)) {
    return unexpected(help, a->argv[a->at]);
  }
  return 0;
}

static int run(int argc, char **argv) {
  args a = {argc, 1, argv, help};
  static job j;
  j = (job){.print = 32, .rtol = 1e-3, .atol = 1e-7};
  while (a.at < a.argc) {
    int status = file_option(&a, &j);
    if (status < 0)
      status = runner_option(&a, &j.o, help);
    if (status < 0)
      status = shape_option(&a, &j.shapes);
    if (status < 0)
      status = run_option(&a, &j);
    if (status)
      return status;
  }
  if (!j.model)
    return usage_error(help, "no model given");
  if (j.o.interp && (j.profile || j.trace)) {
    return usage_error(help, "--interp: the reference interpreter keeps no times for %s",
                       j.profile ? "--profile" : "--trace");
  }
  if (j.compare && j.n_sets > 1 && strlen(j.compare) > 4 &&
      !strcmp(j.compare + strlen(j.compare) - 4, ".npz")) {
    return usage_error(help, "--compare: a .npz file holds one set of outputs, there are %zu data sets",
                       j.n_sets);
  }
  weft_env *e = open_env_with(j.strict, j.o.threads);
  if (!e)
    return EXIT_FAILED;
  weft_diag d = {0};
  result r = {0};
  runner made = {0};
  j.r = &made;
  if (j.dump)
    mkdir(j.dump, 0777);  // what is wrong with it is said when the first file is written
  weft_status s = run_prepare(&j, e, &d);
  if (!s)
    s = run_work(&j, &r, &d);
  int status = s ? fail_with(&d) : r.different ? EXIT_DIFFERENT : EXIT_OK;
  runner_free(&made);
  weft_env_destroy(e);
  return status;
}

const command cmd_run = {"run", "compiles and runs a model, or runs a program", help, run};
// SPDX-License-Identifier: Apache-2.0
