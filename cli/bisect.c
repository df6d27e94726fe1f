// bisect.c - `weft bisect`: the first value of a compiled model that is not what the interpreter finds, and
// the change of the passes that makes it so.
#include "run.h"

static int take_data_set(void *ctx, const char *usage, const char *v) {
  job *j = ctx;
  if (j->n_sets)
    return usage_error(usage, "more than one --data-set option");
  j->sets[j->n_sets++] = v;
  return EXIT_OK;
}

static int take_steps(void *ctx, const char *usage, const char *v) {
  job *j = ctx;
  return run_count(v, &j->steps) ? EXIT_OK : usage_error(usage, "--steps '%s': expected a count", v);
}

#define AT(field) offsetof(job, field)
static const option bisect_options[] = {
    {"--input", ", --inputs, --data-set, --random, --shape, --range, --dim, --threads", "\nas for `weft run`",
     OPTION_CALL, .take = run_take_input},
    {"--inputs", .kind = OPTION_CALL, .take = run_take_archive},
    {"--data-set", .kind = OPTION_CALL, .take = take_data_set},
    {"--random", .kind = OPTION_CALL, .take = run_take_random},
    {"--shape", .kind = OPTION_SHAPE, .target = AT(shapes)},
    {"--range", .kind = OPTION_SHAPE, .target = AT(shapes)},
    {"--dim", .kind = OPTION_SHAPE, .target = AT(shapes)},
    {"--threads", .kind = OPTION_RUNNER, .target = AT(o)},
    {"--rtol", " R, --atol A",
     "|got - want| <= A + R max(|want|, root mean square of the tensor) (default 1e-3 and 1e-6);\n"
     "bools, strings and integers must be equal",
     OPTION_CALL, .take = run_take_rtol},
    {"--atol", .kind = OPTION_CALL, .take = run_take_atol},
    {"--against", " WHAT",
     "compares with values that were made elsewhere instead: FILE.npz, values by name; or a peer,\n"
     "as onnxruntime, which runs the model on the same inputs and gives all of its values\n"
     "(found as by `weft bench --peer`). What the interpreter finds, too, is no fault of compiling",
     OPTION_TEXT, AT(against)},
    {"--steps", " N", "integers may be N apart: a quantised network may be off by one step", OPTION_CALL,
     .take = take_steps},
    {"--option", " NAME=VALUE", "of the compiler, as for `weft compile`", OPTION_RUNNER, AT(o)},
    {"--device", .kind = OPTION_RUNNER, .target = AT(o)},
    {"--isa", .kind = OPTION_RUNNER, .target = AT(o)},
    {"--streams", .kind = OPTION_RUNNER, .target = AT(o)},
    {"--interp", .kind = OPTION_RUNNER, .target = AT(o)},
    {"--strict", NULL,
     "refuses inputs that give dims of one name different sizes, and shapes that the model\n"
     "declares and the run contradicts",
     OPTION_FLAG, AT(strict)},
    {"--quiet", NULL, "prints no line for each compile", OPTION_FLAG, AT(quiet)},
};

static const options bisect_table = {
    .usage =
        "weft bisect MODEL [--input NAME=VALUE | --inputs FILE.npz | --data-set DIR | --random SEED]...\n"
        "            [--against FILE.npz|onnxruntime]\n\n"
        "Runs a model node by node with the reference kernels, then compiled, and compares all values of the "
        "same name in the\n"
        "program's order. Prints the first one that differs. If nothing differs without passes, finds the "
        "one "
        "change of a\n"
        "pass that makes the difference.\n\n",
    .ending = "\nExit status: 0 nothing differs, 3 something does.\n",
    .column = 21,
    .v = bisect_options,
    .n = sizeof bisect_options / sizeof *bisect_options,
    .model = AT(model),
};

typedef struct model {
  const job *j;
  weft_env *e;
  bool apart;  // the inputs give dims of one name different sizes
} model;

static weft_status bisect_make(void *ctx, weft_graph **out, weft_diag *d) {
  const model *m = ctx;
  return load_with_dims(m->j, m->e, m->apart, out, d);
}

static void progress(void *ctx, const char *text) {
  (void)ctx;
  fprintf(stderr, "%s\n", text);
}

// Of all values that were compared, up to the first that differs.
static void print_largest(const weft_bisect_result *r, const job *j) {
  char text[300];
  if (!*weft_difference_text(&r->largest, text, sizeof text))
    return;
  if (r->largest.max_abs > 0)
    printf("%s, in value '%s'", text, r->largest_value);
  else
    printf("all elements of all values are equal");
  printf("; allowed %g + %g max(|expected|, rms)", j->atol, j->rtol);
  if (j->steps)
    printf(", integers %llu apart", (unsigned long long)j->steps);
  printf("\n");
}

static void print_fault(const weft_bisect_result *r, const char *other) {
  if (r->by_meaning) {
    printf(
        "the reference interpreter finds what the compiled model does: %s, or the import, or an operator is "
        "at fault\n",
        other);
  } else if (r->by_passes) {
    printf("without passes nothing differs; change %llu of %llu makes it differ: %s: %s\n",
           (unsigned long long)r->change, (unsigned long long)r->n_changes, r->pass, r->report);
  } else
    printf("it differs without passes, too: the kernel or the runtime is at fault\n");
}

static void print(const weft_bisect_result *r, const job *j) {
  if (!r->differs) {
    printf("nothing differs: %llu value%s compared\n", (unsigned long long)r->compared,
           r->compared == 1 ? "" : "s");
    print_largest(r, j);
    return;
  }
  printf("value '%s' differs: %s\n", r->value, r->text);
  if (*r->node)
    printf("made by node '%s' (%s), kernel %s", r->node, r->type, *r->kernel ? r->kernel : "not known");
  if (*r->source)
    printf(", in the model '%s'", r->source);
  if (*r->node)
    printf("\n");
  if (*r->inputs)
    printf("its inputs: %s\n", r->inputs);
  printf("values before it as expected: %llu\n", (unsigned long long)(r->compared ? r->compared - 1 : 0));
  print_largest(r, j);
  print_fault(r, j->against);
}

// A name that is misspelt would be compared with nothing, and nobody would see it.
static void tell_unknown(const against *a, const weft_graph *g, const char *what) {
  size_t unknown = 0;
  const char *first = NULL;
  for (size_t i = 0; i < a->n; i++) {
    if (weft_graph_find_value(g, a->names[i]))
      continue;
    first = unknown++ ? first : a->names[i];
  }
  if (unknown) {
    fprintf(
        stderr,
        "weft: warning: --against %s: %zu of its %zu names are no values of the model and are compared with "
        "nothing; the first is '%s'\n",
        what, unknown, a->n, first);
  }
}

static weft_status bisect_work(const job *j, weft_env *e, weft_bisect_result *r, weft_diag *d) {
  static data_set set;
  model m = {.j = j, .e = e};
  weft_graph *g;
  WEFT_TRY(load_for_inputs(j, e, &g, &m.apart, d));
  size_t n = weft_graph_n_inputs(g);
  weft_tensor *in = calloc(n + 1, sizeof *in);
  const weft_tensor **given = calloc(n + 1, sizeof *given);
  weft_status s = in && given ? WEFT_OK : weft_fail(d, WEFT_E_NOMEM, "out of memory");
  for (size_t i = 0; !s && i < n; i++) {
    weft_tensor_init(&in[i], NULL);
    given[i] = &in[i];
  }
  set_init(&set, j, 0);
  if (!s)
    s = set_open(&set, j, g, d);
  if (!s)
    s = read_inputs(j, &set, g, in, d);
  weft_bisect_options o = {.size = sizeof o,
                           .options = j->o.options,
                           .n_options = j->o.n_options,
                           .rtol = j->rtol,
                           .atol = j->atol,
                           .zero_tolerance = true,
                           .steps = j->steps,
                           .progress = j->quiet ? NULL : progress};
  against other = {0};
  if (!s && j->against)
    s = against_open(&other, j->against, j->model, in, n, d);
  if (!s && other.file && path_ends(j->against, ".npz"))
    tell_unknown(&other, g, j->against);
  o.given_names = other.names;
  o.given = other.list;
  o.n_given = other.n;
  if (!s)
    s = weft_bisect(bisect_make, &m, given, n, &o, r, d);
  against_close(&other);
  set_deinit(&set, j);
  for (size_t i = 0; in && i < n; i++)
    weft_tensor_deinit(&in[i]);
  free(in);
  free(given);
  weft_graph_destroy(g);
  return s;
}

static int bisect_check(const job *j) {
  const char *help = bisect_table.usage;
  if (!j->model)
    return usage_error(help, "no model given");
  if (j->o.interp)
    return usage_error(help, "--interp: bisect runs both");
  if (is_program(j->model))
    return usage_error(help, "'%s' is a program: bisect needs the model", j->model);
  return EXIT_OK;
}

static int bisect_run(int argc, char **argv) {
  static job j;
  static weft_bisect_result r;
  j = (job){.rtol = 1e-3, .atol = 1e-6};
  int wrong = options_parse(&bisect_table, &j, argc, argv);
  if (!wrong)
    wrong = bisect_check(&j);
  if (wrong)
    return wrong;
  weft_env *e = open_env_with(j.strict, j.o.threads);
  if (!e)
    return EXIT_FAILED;
  weft_diag d = {0};
  r = (weft_bisect_result){.size = sizeof r};
  weft_status s = bisect_work(&j, e, &r, &d);
  if (!s)
    print(&r, &j);
  weft_env_destroy(e);
  return s ? fail_with(&d) : r.differs ? EXIT_DIFFERENT : EXIT_OK;
}

const command cmd_bisect = {"bisect",
                            "finds the first value that compiling changes, and the pass that does it", NULL,
                            bisect_run, &bisect_table};
// SPDX-License-Identifier: Apache-2.0
