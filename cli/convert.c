// convert.c - `weft convert`: ONNX to ONNX, and other models to ONNX.
#include <errno.h>
#include <sys/stat.h>

#include "options.h"
#include "runner.h"

typedef struct list {
  const char *v[256];
  size_t n;
} list;

typedef struct job {
  const char *in, *out, *weights;
  list from, to;
  const char *shapes[64];
  bool quiet;
  weft_convert_options o;
} job;

static void convert_say(void *ctx, const char *line) {
  (void)ctx;
  printf("%s\n", line);
}

// Splits at commas; the text stays allocated until the program ends.
static bool convert_split(list *l, const char *text) {
  char *copy = malloc(strlen(text) + 1);
  if (!copy)
    return false;
  strcpy(copy, text);
  for (char *at = copy;;) {
    char *comma = strchr(at, ',');
    if (comma)
      *comma = 0;
    if (!*at || l->n == 256)
      return false;
    l->v[l->n++] = at;
    if (!comma)
      return true;
    at = comma + 1;
  }
}

static bool convert_number(const char *text, long long *out) {
  char *end;
  errno = 0;
  *out = strtoll(text, &end, 10);
  return *text && !*end && !errno && *out > 0;
}

static int take_list(list *l, const char *usage, const char *name, const char *value) {
  if (convert_split(l, value))
    return EXIT_OK;
  return usage_error(usage, "%s '%s': expected names with commas between them", name, value);
}

static int take_from(void *ctx, const char *usage, const char *value) {
  job *j = ctx;
  return take_list(&j->from, usage, "--from", value);
}

static int take_to(void *ctx, const char *usage, const char *value) {
  job *j = ctx;
  return take_list(&j->to, usage, "--to", value);
}

static int convert_take_shape(void *ctx, const char *usage, const char *value) {
  job *j = ctx;
  if (j->o.n_shapes == 64)
    return usage_error(usage, "more than 64 --shape options");
  j->shapes[j->o.n_shapes++] = value;
  return EXIT_OK;
}

static bool begins_a_name(char c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return letter || c == '?' || c == '_';
}

static int take_batch(void *ctx, const char *usage, const char *value) {
  job *j = ctx;
  long long dim = 0;
  const bool named = begins_a_name(*value);
  if (!named && !convert_number(value, &dim))
    return usage_error(usage, "--batch '%s': expected a number from 1, a name or ?", value);
  j->o.batch = dim;
  j->o.batch_name = named ? value : NULL;
  return EXIT_OK;
}

static int take_max_value(void *ctx, const char *usage, const char *value) {
  job *j = ctx;
  long long bytes;
  if (!convert_number(value, &bytes))
    return usage_error(usage, "--max-value '%s': expected bytes", value);
  j->o.max_value_bytes = (size_t)bytes;
  return EXIT_OK;
}

static int convert_take_dtype(void *ctx, const char *usage, const char *value) {
  static const char *const names[] = {
      [WEFT_CONVERT_F16] = "f16", [WEFT_CONVERT_F32] = "f32", [WEFT_CONVERT_BF16] = "bf16"};
  job *j = ctx;
  for (uint8_t i = WEFT_CONVERT_F16; i < sizeof names / sizeof *names; i++) {
    if (strcmp(value, names[i]) != 0)
      continue;
    j->o.floats = i;
    return EXIT_OK;
  }
  return usage_error(usage, "--dtype '%s': expected f16, bf16 or f32", value);
}

#define AT(field) offsetof(job, field)
static const option convert_options[] = {
    {"-o", .kind = OPTION_TEXT, .target = AT(out)},
    {"--output", .kind = OPTION_TEXT, .target = AT(out)},
    {"--weights", " FILE.safetensors",
     "constants that the file has under their names come from there; nothing else changes", OPTION_TEXT,
     AT(weights)},
    {"--from", " A,B --to Y,Z",
     "only the part between these values: the first become inputs, the second outputs", OPTION_CALL,
     .take = take_from},
    {"--to", .kind = OPTION_CALL, .take = take_to},
    {"--shape", " NAME=1,3,224,224",
     "dims of an input; ? is unknown, a word names the dim (may be given several times)", OPTION_CALL,
     .take = convert_take_shape},
    {"--batch", " N|NAME",
     "the first dim of the first input, and of all inputs that share it; a name or ? frees it", OPTION_CALL,
     .take = take_batch},
    {"--simplify", NULL,
     "folds constants, BatchNormalization and known branches, removes what has no effect and what\n"
     "is never read, also in sub-graphs",
     OPTION_FLAG, AT(o.simplify)},
    {"--max-value", " BYTES", "values with more data are not folded (default 1048576)", OPTION_CALL,
     .take = take_max_value},
    {"--dtype", " f16|bf16|f32",
     "f32 becomes f16 or bf16, or f16 f32, inputs and outputs included; bf16 from opset 13 on", OPTION_CALL,
     .take = convert_take_dtype},
    {"--keep-io", NULL, "with --dtype: inputs and outputs keep their type, with Casts inside", OPTION_FLAG,
     AT(o.keep_io)},
    {"--annotate", NULL, "writes the inferred type of every value, and the shapes of outputs", OPTION_FLAG,
     AT(o.annotate)},
    {"--keep-metadata", NULL, "leaves producer name and version as they are", OPTION_FLAG,
     AT(o.keep_metadata)},
    {"--quiet", NULL, "does not say what was done", OPTION_FLAG, AT(quiet)},
};

static const options convert_table = {
    .usage =
        "weft convert IN -o OUT.onnx [options]\n\n"
        "Rewrites a model of ONNX, or writes one of another kind (.pt2, a SavedModel, a MINDIR, weft's own) "
        "as ONNX:\n"
        "annotated, simplified, cut, with other input shapes or another float type. What no option touches "
        "is\n"
        "copied byte for byte. The steps run in the order of this list:\n\n",
    .ending =
        "\nIN and OUT may be the same file. OUT is written only when everything went well. An OUT that ends "
        "in\n"
        ".safetensors gets the constants alone.\n",
    .column = 25,
    .v = convert_options,
    .n = sizeof convert_options / sizeof *convert_options,
    .model = AT(in),
};

static int parse(job *j, int argc, char **argv) {
  const char *usage = convert_table.usage;
  const int wrong = options_parse(&convert_table, j, argc, argv);
  if (wrong)
    return wrong;
  if (!j->in)
    return usage_error(usage, "no model given");
  if (j->o.keep_io && !j->o.floats)
    return usage_error(usage, "--keep-io says what --dtype leaves alone: give --dtype");
  if (is_program(j->in))
    return usage_error(usage, "'%s' is a program that weft compile made: convert changes ONNX models", j->in);
  return j->out ? EXIT_OK : usage_error(usage, "no output given: -o OUT.onnx");
}

typedef struct written {
  char *v;
  size_t n;
} written;

static weft_status convert_keep(void *ctx, const char *text, size_t n) {
  written *w = ctx;
  char *more = realloc(w->v, w->n + n + 1);
  if (!more)
    return WEFT_E_NOMEM;
  memcpy(more + w->n, text, n);
  w->v = more;
  w->n += n;
  return WEFT_OK;
}

// ONNX has no state that lives between runs: the caller hands it on.
static weft_status convert_states(weft_graph *g, weft_diag *d) {
  size_t n_in = weft_graph_n_inputs(g);
  WEFT_TRY(weft_graph_states_plain(g, d));
  for (size_t i = n_in; i < weft_graph_n_inputs(g); i++) {
    const char *name = weft_value_name(weft_graph_input_at(g, i));
    fprintf(
        stderr,
        "weft: note: state '%s' is an input and an output '%s.new' of the ONNX model: hand it on from run to "
        "run\n",
        name, name);
  }
  return WEFT_OK;
}

static weft_status convert_load_weights(const job *j, weft_graph *g, weft_diag *d) {
  size_t n;
  WEFT_TRY(weft_weights_load(g, j->weights, &n, d));
  if (!j->quiet)
    printf("constants that come from '%s': %zu of %zu\n", j->weights, n, weft_graph_n_consts(g));
  return WEFT_OK;
}

// The constants of an ONNX model that the file of weights has, for weft_onnx_convert. The graph that holds
// them is the caller's.
static weft_status convert_find_weights(job *j, weft_env *e, weft_graph **out, weft_diag *d) {
  WEFT_TRY(load_to_look(e, j->in, out, d));
  const size_t n = weft_graph_n_consts(*out);
  const char **names = calloc(n + 1, sizeof *names);
  const weft_tensor **v = calloc(n + 1, sizeof *v);
  if (!names || !v) {
    free(names);
    free(v);
    return weft_fail(d, WEFT_E_NOMEM, "out of memory");
  }
  j->o.weight_names = names;
  j->o.weights = v;
  for (size_t i = 0; i < n; i++)
    v[i] = weft_value_data(weft_graph_const_at(*out, i));
  WEFT_TRY(weft_weights_load(*out, j->weights, NULL, d));
  for (size_t i = 0; i < n; i++) {
    const weft_value *c = weft_graph_const_at(*out, i);
    if (weft_value_data(c) == v[i])
      continue;
    names[j->o.n_weights] = weft_value_name(c);
    v[j->o.n_weights++] = weft_value_data(c);
  }
  return WEFT_OK;
}

// A model of another kind, written as ONNX.
static weft_status convert_foreign(const job *j, weft_env *e, char **data, size_t *bytes, weft_diag *d) {
  weft_graph *g;
  written w = {NULL, 0};
  WEFT_TRY(weft_model_load(e, j->in, &g, d));
  weft_status s = WEFT_OK;
  if (j->weights)
    s = convert_load_weights(j, g, d);
  if (!s)
    s = convert_states(g, d);
  if (!s)
    s = weft_graph_infer(g, NULL, NULL, d);
  if (!s)
    s = weft_onnx_write(g, convert_keep, &w, d);
  weft_graph_destroy(g);
  if (s) {
    free(w.v);
    return s;
  }
  free(*data);
  *data = w.v;
  *bytes = w.n;
  return WEFT_OK;
}

// -o FILE.safetensors: the constants alone.
static bool convert_to_weights(const job *j) {
  const char *dot = strrchr(j->out, '.');
  return dot && !strcmp(dot, ".safetensors");
}
static weft_status convert_weights(const job *j, weft_env *e, weft_diag *d) {
  weft_graph *g;
  WEFT_TRY(weft_model_load(e, j->in, &g, d));
  weft_status s = j->weights ? convert_load_weights(j, g, d) : WEFT_OK;
  if (!s)
    s = weft_weights_save(g, j->out, d);
  weft_graph_destroy(g);
  return s;
}

// A SavedModel is a folder.
static bool convert_from_folder(const job *j) {
  struct stat st;
  return !stat(j->in, &st) && S_ISDIR(st.st_mode);
}

static weft_status convert(job *j, weft_env *e, weft_diag *d) {
  if (convert_to_weights(j))
    return convert_weights(j, e, d);
  weft_file_out *f = NULL;
  char *data = NULL;
  size_t bytes = 0;
  const bool folder = convert_from_folder(j);
  weft_graph *weights = NULL;
  weft_status s = WEFT_OK;
  if (!folder)
    WEFT_TRY(read_file(j->in, &data, &bytes, d));
  if (folder || strcmp(weft_model_kind(data, bytes, j->in), "onnx") != 0)
    s = convert_foreign(j, e, &data, &bytes, d);
  else if (j->weights)
    s = convert_find_weights(j, e, &weights, d);
  if (!s)
    s = weft_file_create(j->out, &f, d);
  if (!s)
    s = weft_onnx_convert(e, data, bytes, j->in, &j->o, weft_file_write, f, d);
  free((void *)j->o.weight_names);
  free((void *)j->o.weights);
  weft_graph_destroy(weights);
  free(data);
  return weft_file_finish(f, s, d);
}

static int convert_run(int argc, char **argv) {
  static job j;
  j = (job){.o = {.size = sizeof j.o}};
  int wrong = parse(&j, argc, argv);
  if (wrong)
    return wrong;
  j.o.from = j.from.v;
  j.o.n_from = j.from.n;
  j.o.to = j.to.v;
  j.o.n_to = j.to.n;
  j.o.shapes = j.shapes;
  j.o.path = j.in;
  if (!j.quiet)
    j.o.report = convert_say;
  weft_env *e = open_env();
  if (!e)
    return EXIT_FAILED;
  weft_diag d = {0};
  int status = convert(&j, e, &d) ? fail_with(&d) : EXIT_OK;
  weft_env_destroy(e);
  return status;
}

const command cmd_convert = {"convert",
                             "rewrites a model as ONNX: annotated, simplified, cut, reshaped, retyped", NULL,
                             convert_run, &convert_table};
// SPDX-License-Identifier: Apache-2.0
