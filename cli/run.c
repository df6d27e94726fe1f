// run.c - `weft run`: runs a model with the reference interpreter.
#include <errno.h>
#include <sys/stat.h>

#include "cli.h"

static const char help[] =
    "weft run MODEL [--input NAME=VALUE]... [--random SEED] [--shape NAME=D,...] [--save DIR] [--expect NAME=FILE]...\n\n"
    "Infers the model, runs it with the reference kernels, and prints the outputs.\n\n"
    "  --input x=image.npy      a graph input from a .npy or .pb file, or a literal: --input 'x=f32[2]{1,2}'\n"
    "  --random SEED            fills the inputs that are not given with random numbers (unknown dims become 1)\n"
    "  --shape x=1,3,224,224    sets the shape of a graph input\n"
    "  --save DIR               writes each output to DIR/NAME.npy ('/' in a name becomes '_'); makes DIR\n"
    "  --expect y=y.npy         compares an output; --rtol 1e-3 and --atol 1e-7 are the tolerances\n"
    "  --print N                prints at most N elements of an output (default 32; 0: all)\n"
    "  --memory BYTES           refuses to use more for values\n";

int set_shape(weft_graph *g, const char *text, weft_diag *d);

typedef struct named {
  const char *text;  // NAME=VALUE
  const char *value;
  size_t name_bytes;
} named;

typedef struct job {
  const char *model, *save;
  named inputs[256], expects[64];
  const char *shapes[64];
  size_t n_inputs, n_expects, n_shapes, print, memory;
  bool random;
  uint64_t seed;
  double rtol, atol;
} job;

static bool add_named(named *list, size_t *n, size_t cap, const char *text) {
  const char *eq = strchr(text, '=');
  if (!eq || eq == text || *n == cap) return false;
  list[(*n)++] = (named){text, eq + 1, (size_t)(eq - text)};
  return true;
}

static const named *find_named(const named *list, size_t n, const char *name) {
  for (size_t i = 0; i < n; i++)
    if (strlen(name) == list[i].name_bytes && !memcmp(name, list[i].text, list[i].name_bytes)) return &list[i];
  return NULL;
}

static weft_status random_input(const weft_value *v, uint64_t *state, weft_tensor *t, weft_diag *d) {
  weft_tensor_desc desc;
  weft_value_desc(v, &desc);
  weft_tensor_init(t, NULL);
  const weft_shape *s = &desc.layout.origin;
  if (weft_shape_is_unknown_rank(s))
    return weft_fail(d, WEFT_E_UNKNOWN, "input '%s' has no known rank: give it with --input or --shape", weft_value_name(v));
  weft_dim dims[WEFT_MAX_RANK];
  for (size_t i = 0; i < s->rank; i++) dims[i] = s->dim[i] >= 0 ? s->dim[i] : 1;
  WEFT_TRY(weft_tensor_alloc(t, desc.dtype, dims, s->rank, d));
  fill_random(t, state);
  return WEFT_OK;
}

static weft_status read_inputs(const job *j, const weft_graph *g, weft_tensor *in, weft_diag *d) {
  uint64_t state = j->seed;
  for (size_t i = 0; i < j->n_inputs; i++) {
    char name[256];
    snprintf(name, sizeof name, "%.*s", (int)j->inputs[i].name_bytes, j->inputs[i].text);
    weft_value *v;
    WEFT_TRY(find_input(g, "--input", name, &v, d));
  }
  for (size_t i = 0; i < weft_graph_n_inputs(g); i++) {
    const weft_value *v = weft_graph_input_at(g, i);
    const named *given = find_named(j->inputs, j->n_inputs, weft_value_name(v));
    if (given) WEFT_TRY(read_value(given->value, v, &in[i], d));
    else if (j->random) WEFT_TRY(random_input(v, &state, &in[i], d));
    else return weft_fail(d, WEFT_E_MISSING, "input '%s' is not given: use --input %s=FILE or --random SEED", weft_value_name(v),
                          weft_value_name(v));
  }
  return WEFT_OK;
}

// Every --expect must name an output: a comparison that silently did not happen would look like success.
static weft_status check_expects(const job *j, const weft_graph *g, weft_diag *d) {
  for (size_t i = 0; i < j->n_expects; i++) {
    char list[400] = "";
    size_t n = weft_graph_n_outputs(g), at = 0;
    bool found = false;
    for (size_t k = 0; k < n; k++) {
      const char *name = weft_value_name(weft_graph_output_at(g, k));
      found |= strlen(name) == j->expects[i].name_bytes && !memcmp(name, j->expects[i].text, strlen(name));
      if (at < 300) at += (size_t)snprintf(list + at, sizeof list - at, "%s%.80s", k ? ", " : "", name);
    }
    if (!found)
      return weft_fail(d, WEFT_E_NOT_FOUND, "--expect: the model has no output '%.*s'; its outputs: %s",
                       (int)j->expects[i].name_bytes, j->expects[i].text, list);
  }
  return WEFT_OK;
}

static weft_status give_output(const job *j, const weft_value *v, const weft_tensor *t, bool *different, weft_diag *d) {
  const char *name = weft_value_name(v);
  printf("%s = ", name);
  WEFT_TRY(weft_tensor_print(t, j->print, to_stdout, NULL));
  printf("\n");
  if (j->save) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.npy", j->save, name);
    for (char *p = path + strlen(j->save) + 1; *p; p++)
      if (*p == '/') *p = '_';
    WEFT_TRY(write_tensor(path, t, d));
  }
  const named *e = find_named(j->expects, j->n_expects, name);
  if (!e) return WEFT_OK;
  weft_tensor want;
  weft_diag own = {0};
  weft_status s = read_value(e->value, v, &want, d);
  if (!s) {
    weft_status c = weft_tensor_compare(t, &want, j->rtol, j->atol, &own);
    printf("%s: %s\n", name, c ? own.text : "as expected");
    *different |= c != WEFT_OK;
  }
  weft_tensor_deinit(&want);
  return s;
}

static weft_status work(const job *j, weft_graph *g, bool *different, weft_diag *d) {
  WEFT_TRY(check_expects(j, g, d));
  for (size_t i = 0; i < j->n_shapes; i++) WEFT_TRY(set_shape(g, j->shapes[i], d));
  WEFT_TRY(weft_graph_infer(g, NULL, NULL, d));
  size_t n_in = weft_graph_n_inputs(g), n_out = weft_graph_n_outputs(g);
  weft_tensor *in = calloc(n_in + n_out + 1, sizeof *in), *out = in + n_in;
  const weft_tensor **given = calloc(n_in + 1, sizeof *given);
  if (!in || !given) {
    free(in);
    free(given);
    return weft_fail(d, WEFT_E_NOMEM, "out of memory");
  }
  for (size_t i = 0; i < n_in + n_out; i++) weft_tensor_init(&in[i], NULL);
  for (size_t i = 0; i < n_in; i++) given[i] = &in[i];
  weft_status s = read_inputs(j, g, in, d);
  weft_interp_options o = {.size = sizeof o, .memory_limit_bytes = j->memory};
  if (!s && j->save && mkdir(j->save, 0777) && errno != EEXIST)
    s = weft_fail(d, WEFT_E_IO, "--save: cannot make the directory '%s': %s", j->save, strerror(errno));
  if (!s) s = weft_interp_run(g, &o, given, n_in, out, n_out, d);
  for (size_t i = 0; !s && i < n_out; i++) s = give_output(j, weft_graph_output_at(g, i), &out[i], different, d);
  for (size_t i = 0; i < n_in + n_out; i++) weft_tensor_deinit(&in[i]);
  free(in);
  free(given);
  return s;
}

static bool number(const char *text, double *out) {
  char *end;
  *out = strtod(text, &end);
  return *text && !*end;
}

static int run(int argc, char **argv) {
  args a = {argc, 1, argv, help};
  static job j;
  j = (job){.print = 32, .rtol = 1e-3, .atol = 1e-7};
  const char *v;
  double x;
  while (a.at < a.argc) {
    if (arg_value(&a, "--input", &v)) {
      if (!add_named(j.inputs, &j.n_inputs, 256, v)) return usage_error(help, "--input '%s': expected NAME=VALUE", v);
    } else if (arg_value(&a, "--expect", &v)) {
      if (!add_named(j.expects, &j.n_expects, 64, v)) return usage_error(help, "--expect '%s': expected NAME=FILE", v);
    } else if (arg_value(&a, "--shape", &v)) {
      if (j.n_shapes == 64) return usage_error(help, "more than 64 --shape options");
      j.shapes[j.n_shapes++] = v;
    } else if (arg_value(&a, "--random", &v)) {
      if (!number(v, &x)) return usage_error(help, "--random '%s': expected a number", v);
      j.random = true, j.seed = (uint64_t)x;
    } else if (arg_value(&a, "--save", &j.save)) {
    } else if (arg_value(&a, "--rtol", &v)) {
      if (!number(v, &j.rtol)) return usage_error(help, "--rtol '%s': expected a number", v);
    } else if (arg_value(&a, "--atol", &v)) {
      if (!number(v, &j.atol)) return usage_error(help, "--atol '%s': expected a number", v);
    } else if (arg_value(&a, "--print", &v)) {
      if (!number(v, &x) || x < 0) return usage_error(help, "--print '%s': expected a count", v);
      j.print = (size_t)x;
    } else if (arg_value(&a, "--memory", &v)) {
      if (!number(v, &x) || x < 0) return usage_error(help, "--memory '%s': expected bytes", v);
      j.memory = (size_t)x;
    } else if (j.model || !arg_positional(&a, &j.model)) {
      return usage_error(help, "unexpected argument '%s'", argv[a.at]);
    }
  }
  if (!j.model) return usage_error(help, "no model given");
  weft_env *e = open_env();
  if (!e) return EXIT_FAILED;
  weft_diag d = {0};
  weft_graph *g = NULL;
  bool different = false;
  weft_status s = load_graph(e, j.model, &g, &d);
  if (!s) s = work(&j, g, &different, &d);
  int status = s ? fail_with(&d) : different ? EXIT_DIFFERENT : EXIT_OK;
  weft_graph_destroy(g);
  weft_env_destroy(e);
  return status;
}

const command cmd_run = {"run", "runs a model with the reference kernels", help, run};
