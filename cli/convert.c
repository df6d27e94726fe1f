// convert.c - `weft convert`: ONNX to ONNX.
#include <errno.h>

#include "cli.h"

static const char help[] =
    "weft convert IN.onnx -o OUT.onnx [options]\n\n"
    "Rewrites a model: annotated, simplified, cut, with other input shapes or another float type. What no\n"
    "option touches is copied byte for byte. The steps run in the order of this list:\n\n"
    "  --from A,B --to Y,Z      only the part between these values: the first become inputs, the second "
    "outputs\n"
    "  --shape NAME=1,3,224,224 dims of an input; ? is unknown, a word names the dim (may be given several "
    "times)\n"
    "  --batch N|NAME           the first dim of the first input, and of all inputs that share it; a name or "
    "? frees it\n"
    "  --simplify               folds constants, BatchNormalization and known branches, removes what has no "
    "effect and what\n"
    "                           is never read, also in sub-graphs\n"
    "  --max-value BYTES        values with more data are not folded (default 1048576)\n"
    "  --dtype f16|f32          f32 becomes f16, or f16 f32, inputs and outputs included\n"
    "  --keep-io                with --dtype: inputs and outputs keep their type, with Casts inside\n"
    "  --annotate               writes the inferred type of every value, and the shapes of outputs\n"
    "  --keep-metadata          leaves producer name and version as they are\n"
    "  --quiet                  does not say what was done\n\n"
    "IN and OUT may be the same file. OUT is written only when everything went well.\n";

typedef struct list {
  const char *v[256];
  size_t n;
} list;

typedef struct job {
  const char *in, *out;
  list from, to;
  const char *shapes[64];
  bool quiet;
  weft_convert_options o;
} job;

static void say(void *ctx, const char *line) {
  (void)ctx;
  printf("%s\n", line);
}

// Splits at commas; the text stays allocated until the program ends.
static bool split(list *l, const char *text) {
  char *copy = malloc(strlen(text) + 1);
  if (!copy) return false;
  strcpy(copy, text);
  for (char *at = copy;;) {
    char *comma = strchr(at, ',');
    if (comma) *comma = 0;
    if (!*at || l->n == 256) return false;
    l->v[l->n++] = at;
    if (!comma) return true;
    at = comma + 1;
  }
}

static bool number(const char *text, long long *out) {
  char *end;
  errno = 0;
  *out = strtoll(text, &end, 10);
  return *text && !*end && !errno && *out > 0;
}

static int parse(job *j, int argc, char **argv) {
  args a = {argc, 1, argv, help};
  const char *v;
  long long x;
  while (a.at < a.argc) {
    if (arg_value(&a, "-o", &j->out) || arg_value(&a, "--output", &j->out)) {
    } else if (arg_value(&a, "--from", &v)) {
      if (!split(&j->from, v))
        return usage_error(help, "--from '%s': expected names with commas between them", v);
    } else if (arg_value(&a, "--to", &v)) {
      if (!split(&j->to, v))
        return usage_error(help, "--to '%s': expected names with commas between them", v);
    } else if (arg_value(&a, "--shape", &v)) {
      if (j->o.n_shapes == 64) return usage_error(help, "more than 64 --shape options");
      j->shapes[j->o.n_shapes++] = v;
    } else if (arg_value(&a, "--batch", &v)) {
      bool word = *v == '?' || *v == '_' || (*v >= 'a' && *v <= 'z') || (*v >= 'A' && *v <= 'Z');
      if (!word && !number(v, &x))
        return usage_error(help, "--batch '%s': expected a number from 1, a name or ?", v);
      j->o.batch = word ? 0 : x, j->o.batch_name = word ? v : NULL;
    } else if (arg_value(&a, "--max-value", &v)) {
      if (!number(v, &x)) return usage_error(help, "--max-value '%s': expected bytes", v);
      j->o.max_value_bytes = (size_t)x;
    } else if (arg_value(&a, "--dtype", &v)) {
      if (strcmp(v, "f16") && strcmp(v, "f32"))
        return usage_error(help, "--dtype '%s': expected f16 or f32", v);
      j->o.floats = strcmp(v, "f16") ? WEFT_CONVERT_F32 : WEFT_CONVERT_F16;
    } else if (arg_flag(&a, "--annotate")) {
      j->o.annotate = true;
    } else if (arg_flag(&a, "--keep-io")) {
      j->o.keep_io = true;
    } else if (arg_flag(&a, "--simplify")) {
      j->o.simplify = true;
    } else if (arg_flag(&a, "--keep-metadata")) {
      j->o.keep_metadata = true;
    } else if (arg_flag(&a, "--quiet")) {
      j->quiet = true;
    } else if (j->in || !arg_positional(&a, &j->in)) {
      return unexpected(help, argv[a.at]);
    }
  }
  if (!j->in) return usage_error(help, "no model given");
  if (j->o.keep_io && !j->o.floats)
    return usage_error(help, "--keep-io says what --dtype leaves alone: give --dtype");
  return j->out ? EXIT_OK : usage_error(help, "no output given: -o OUT.onnx");
}

static weft_status convert(job *j, weft_env *e, weft_diag *d) {
  weft_file_out *f = NULL;
  char *data;
  size_t bytes;
  WEFT_TRY(read_file(j->in, &data, &bytes, d));
  weft_status s = weft_file_create(j->out, &f, d);
  if (!s) s = weft_onnx_convert(e, data, bytes, j->in, &j->o, weft_file_write, f, d);
  free(data);
  return weft_file_finish(f, s, d);
}

static int run(int argc, char **argv) {
  static job j;
  j = (job){.o = {.size = sizeof j.o}};
  int wrong = parse(&j, argc, argv);
  if (wrong) return wrong;
  j.o.from = j.from.v, j.o.n_from = j.from.n, j.o.to = j.to.v, j.o.n_to = j.to.n, j.o.shapes = j.shapes;
  j.o.path = j.in;
  if (!j.quiet) j.o.report = say;
  weft_env *e = open_env();
  if (!e) return EXIT_FAILED;
  weft_diag d = {0};
  int status = convert(&j, e, &d) ? fail_with(&d) : EXIT_OK;
  weft_env_destroy(e);
  return status;
}

const command cmd_convert = {
    "convert", "rewrites an ONNX model: annotated, simplified, cut, reshaped, retyped", help, run};
