// run.c - `weft run`: compiles a model, or loads a program, and runs it, once or for each of several data
// sets.
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "run.h"

static int take_expect(void *ctx, const char *usage, const char *v) {
  job *j = ctx;
  if (run_named(j->expects, &j->n_expects, 64, v))
    return EXIT_OK;
  return usage_error(usage, "--expect '%s': expected NAME=FILE", v);
}

static int take_data_set(void *ctx, const char *usage, const char *v) {
  job *j = ctx;
  if (j->n_sets == 256)
    return usage_error(usage, "more than 256 --data-set options");
  j->sets[j->n_sets++] = v;
  return EXIT_OK;
}

static int take_as(void *ctx, const char *usage, const char *v) {
  static const char *const forms[] = {[RUN_NPY] = "npy", [RUN_PB] = "pb", [RUN_NPZ] = "npz"};
  job *j = ctx;
  for (int i = 0; i <= RUN_NPZ; i++) {
    if (strcmp(v, forms[i]))
      continue;
    j->as = i;
    return EXIT_OK;
  }
  return usage_error(usage, "--as '%s': expected npy, pb or npz", v);
}

static int take_print(void *ctx, const char *usage, const char *v) {
  job *j = ctx;
  return run_count(v, &j->print) ? EXIT_OK : usage_error(usage, "--print '%s': expected a count", v);
}

static int take_repeat(void *ctx, const char *usage, const char *v) {
  job *j = ctx;
  return run_count(v, &j->repeat) ? EXIT_OK : usage_error(usage, "--repeat '%s': expected a count", v);
}

static int take_watch(void *ctx, const char *usage, const char *v) {
  job *j = ctx;
  if (j->n_watched == WATCHED_MOST)
    return usage_error(usage, "more than %d --watch options", WATCHED_MOST);
  const char *allowed = watch_parse(v, &j->watched[j->n_watched++]);
  if (!allowed)
    return EXIT_OK;
  return usage_error(usage, "--watch '%s': expected [NAMES:]WHAT, where WHAT is %s", v, allowed);
}

#define AT(field) offsetof(job, field)
static const option run_options[] = {
    {"--input", " x=image.npy",
     "a graph input from a .npy or .pb file, or a literal: --input 'x=f32[2]{1,2}'", OPTION_CALL,
     .take = run_take_input},
    {"--inputs", " FILE.npz", "inputs by name, or by position when they are called arr_0, arr_1, ...",
     OPTION_CALL, .take = run_take_archive},
    {"--data-set", " DIR",
     "runs with DIR/input_0.pb, ... and compares with DIR/output_0.pb, ...; may be repeated", OPTION_CALL,
     .take = take_data_set},
    {"--random", " SEED",
     "fills the inputs that are not given with random numbers; open dims become 1,\nwith a warning",
     OPTION_CALL, .take = run_take_random},
    {"--shape", " x=1,3,224,224", "sets the shape of a graph input", OPTION_SHAPE, AT(shapes)},
    {"--range", " x=1..8,3", "what its dims may be: 8, 1..64 or 1..*; or a dim's name, batch=1..8",
     OPTION_SHAPE, AT(shapes)},
    {"--dim", " batch=4", "the size of the dim of this name, in every input", OPTION_SHAPE, AT(shapes)},
    {"--strict", NULL,
     "refuses inputs that give dims of one name different sizes, and shapes that the\n"
     "model declares and the run contradicts",
     OPTION_FLAG, AT(strict)},
    {"--compare", " PATH", "compares with a .npz file, or with NAME.npy, NAME.pb or output_I.pb in a folder",
     OPTION_TEXT, AT(compare)},
    {"--expect", " y=y.npy", "compares one output", OPTION_CALL, .take = take_expect},
    {"--rtol", " R, --atol A",
     "tolerances of comparisons, |got - want| <= A + R |want| (default 1e-3 and 1e-7)", OPTION_CALL,
     .take = run_take_rtol},
    {"--atol", .kind = OPTION_CALL, .take = run_take_atol},
    {"--save", " DIR",
     "writes the outputs to DIR, which is created; with several data sets to DIR/set_0, ...", OPTION_TEXT,
     AT(save)},
    {"--as", " npy|pb|npz", "as NAME.npy ('/' becomes '_'; the default), output_I.pb or outputs.npz",
     OPTION_CALL, .take = take_as},
    {"--print", " N", "prints at most N elements of an output (default 32; 0: all)", OPTION_CALL,
     .take = take_print},
    {"--quiet", NULL, "prints no values, only the results of comparisons", OPTION_FLAG, AT(quiet)},
    {"--option", " NAME=VALUE", "an option of the compiler, as passes=0 (see weft compile --help)",
     OPTION_RUNNER, AT(o)},
    {"--device", " LIST", "where nodes may run, in order of preference: npusim,cpu", OPTION_RUNNER, AT(o)},
    {"--threads", " N", "of kernels (default: as many as the process may use)", OPTION_RUNNER, AT(o)},
    {"--isa", " SET", "the most of the machine that kernels use: plain, avx2, avx512; avx2,vnni=0",
     OPTION_RUNNER, AT(o)},
    {"--streams", " N", "launches that do not depend on each other on up to N streams", OPTION_RUNNER, AT(o)},
    {"--interp", NULL, "runs node by node with the reference kernels instead: the oracle", OPTION_RUNNER,
     AT(o)},
    {"--profile", NULL, "the time of every operator, and a table by operator type", OPTION_FLAG, AT(profile)},
    {"--repeat", " N", "runs N times: states go from run to run; outputs and profile are the last run's",
     OPTION_CALL, .take = take_repeat},
    {"--state", " FILE.safetensors", "what the model's states begin with (default: what the model says)",
     OPTION_TEXT, AT(state)},
    {"--save-state", " FILE.safetensors", "writes the states as they are after the last run", OPTION_TEXT,
     AT(save_state)},
    {"--trace", " FILE.json", "every launch of the last run for chrome://tracing or Perfetto", OPTION_TEXT,
     AT(trace)},
    {"--watch", " [NAMES:]WHAT",
     "looks at values while they are computed and stops at the first one where WHAT holds:\n"
     "nan (a NaN or an infinity), min<N, max>N, abs>N, mean>N (also <=, >=); print stops\n"
     "nowhere. NAMES may hold * and ?: --watch 'layer1*:nan,max>1e4'; may be repeated",
     OPTION_CALL, .take = take_watch},
    {"--dump", " DIR", "writes every intermediate tensor to DIR/NAME.npy", OPTION_TEXT, AT(dump)},
};

static const options run_table = {
    .usage =
        "weft run MODEL|FILE.weft [--input NAME=VALUE | --inputs FILE.npz | --data-set DIR | --random "
        "SEED]...\n"
        "         [--compare PATH] [--save DIR]\n\n"
        "Compiles the model, runs it, and prints the outputs.\n\n",
    .ending = "",
    .column = 25,
    .v = run_options,
    .n = sizeof run_options / sizeof *run_options,
    .model = AT(model),
};

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

// in: the inputs, then the outputs; given: the inputs.
static weft_status run_set_with(const job *j, data_set *set, size_t number, weft_tensor *in,
                                const weft_tensor *const *given, result *r, weft_diag *d) {
  const weft_graph *g = j->r->g;
  weft_tensor *out = in + weft_graph_n_inputs(g);
  WEFT_TRY(set_open(set, j, g, d));
  WEFT_TRY(read_inputs(j, set, g, in, d));
  WEFT_TRY(run_model(j, number, given, out, d));
  return run_give_outputs(j, set, g, out, r, d);
}

static weft_status run_set(const job *j, size_t number, result *r, weft_diag *d) {
  const weft_graph *g = j->r->g;
  size_t n_in = weft_graph_n_inputs(g);
  size_t n_out = weft_graph_n_outputs(g);
  weft_tensor *in = calloc(n_in + n_out + 1, sizeof *in);
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
  weft_status s = run_set_with(j, &set, number, in, given, r, d);
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
  if (j->state)
    WEFT_TRY(weft_states_load(weft_exec_states(j->r->exec), j->state, d));
  for (size_t i = 0; i < n; i++) {
    size_t before = r->different;
    WEFT_TRY(run_set(j, i, r, d));
    as_expected += r->different == before;
  }
  if (j->save_state)
    WEFT_TRY(weft_states_save(weft_exec_states(j->r->exec), j->save_state, d));
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
// Options that do not go together.
static int run_check(const job *j) {
  const char *help = run_table.usage;
  if (!j->model)
    return usage_error(help, "no model given");
  if (j->o.interp && (j->profile || j->trace)) {
    return usage_error(help, "--interp: the reference interpreter keeps no times for %s",
                       j->profile ? "--profile" : "--trace");
  }
  if (j->o.interp && (j->state || j->save_state))
    return usage_error(help, "--interp: the reference interpreter keeps no states from run to run");
  size_t bytes = j->compare ? strlen(j->compare) : 0;
  bool archive = bytes > 4 && !strcmp(j->compare + bytes - 4, ".npz");
  if (archive && j->n_sets > 1) {
    return usage_error(help, "--compare: a .npz file holds one set of outputs, there are %zu data sets",
                       j->n_sets);
  }
  return EXIT_OK;
}

static int run(int argc, char **argv) {
  static job j;
  j = (job){.print = 32, .rtol = 1e-3, .atol = 1e-7};
  int wrong = options_parse(&run_table, &j, argc, argv);
  if (!wrong)
    wrong = run_check(&j);
  if (wrong)
    return wrong;
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

const command cmd_run = {"run", "compiles and runs a model, or runs a program", NULL, run, &run_table};
// SPDX-License-Identifier: Apache-2.0
