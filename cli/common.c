// common.c - arguments, files and messages of the command-line tool.
#include <errno.h>
#include <stdarg.h>
#include <sys/stat.h>

#include "cli.h"

bool arg_flag(args *a, const char *name) {
  if (a->at >= a->argc || strcmp(a->argv[a->at], name))
    return false;
  a->at++;
  return true;
}

bool arg_value(args *a, const char *name, const char **value) {
  if (a->at >= a->argc)
    return false;
  const char *given = a->argv[a->at];
  size_t n = strlen(name);
  if (strncmp(given, name, n) || (given[n] && given[n] != '='))
    return false;
  if (given[n] == '=') {
    *value = given + n + 1;
    a->at++;
    return true;
  }
  if (a->at + 1 >= a->argc)
    exit(usage_error(a->help, "option %s needs a value", name));
  *value = a->argv[a->at + 1];
  a->at += 2;
  return true;
}

bool arg_positional(args *a, const char **value) {
  if (a->at >= a->argc || (a->argv[a->at][0] == '-' && a->argv[a->at][1]))
    return false;
  *value = a->argv[a->at++];
  return true;
}

// The command that a help text is of, "weft op run": its first words. Names of arguments begin otherwise.
static int command_bytes(const char *help) {
  const size_t words = strspn(help, "abcdefghijklmnopqrstuvwxyz- ");
  size_t end = words;
  while (end && strchr(" -", help[end - 1]))
    end--;
  return (int)end;
}

int usage_error(const char *help, const char *fmt, ...) {
  char what[1024];
  va_list ap;
  if (!help)
    help = "weft";
  va_start(ap, fmt);
  vsnprintf(what, sizeof what, fmt, ap);
  va_end(ap);
  const size_t n = strlen(what);
  const char *join = n && what[n - 1] == '?' ? " See" : "; see";
  fprintf(stderr, "weft: %s%s '%.*s --help'\n", what, join, command_bytes(help), help);
  return EXIT_USAGE;
}

nearest nearest_to(const char *given, size_t bytes) {
  return (nearest){.given = given, .bytes = bytes, .least = bytes / 3 + 1};
}

void nearest_try(nearest *n, const char *word, size_t bytes) {
  char text[sizeof n->word];
  if (bytes >= sizeof text)
    return;
  snprintf(text, sizeof text, "%.*s", (int)bytes, word);
  size_t far = weft_name_distance(n->given, n->bytes, text, n->least);
  if (far >= n->least)
    return;
  n->least = far;
  memcpy(n->word, text, sizeof text);
}

int unexpected(const char *help, const char *given) {
  nearest near = nearest_to(given, strcspn(given, "="));
  for (const char *at = help; near.bytes > 2 && !strncmp(given, "--", 2) && (at = strstr(at, "--")); at++) {
    size_t bytes = 2 + strspn(at + 2, "abcdefghijklmnopqrstuvwxyz-");
    if (bytes >= 3)
      nearest_try(&near, at, bytes);
  }
  if (!*near.word)
    return usage_error(help, "unexpected argument '%s'", given);
  return usage_error(help, "unexpected argument '%s'; did you mean '%s'?", given, near.word);
}

int no_command(const char *tool, const nearest *n) {
  if (!*n->word)
    return usage_error(tool, "no command '%s'", n->given);
  return usage_error(tool, "no command '%s'; did you mean '%s'?", n->given, n->word);
}

static void log_line(void *ctx, int level, const char *text) {
  (void)ctx;
  const char *verbose = getenv("WEFT_VERBOSE");
  if (level < WEFT_LOG_WARNING && !(verbose && *verbose && strcmp(verbose, "0")))
    return;
  fprintf(stderr, "weft: %s: %s\n",
          level >= WEFT_LOG_ERROR     ? "error"
          : level == WEFT_LOG_WARNING ? "warning"
                                      : "note",
          text);
}

static bool copies;
static const char *isa;

void copy_files(void) {
  copies = true;
}
void use_isa(const char *most) {
  isa = most;
}

weft_env *open_env(void) {
  return open_env_with(false, 0);
}

static weft_env *open_env_of(weft_env_options o) {
  weft_diag d = {0};
  weft_env *e;
  const char *any_root = getenv("WEFT_ANY_ROOT");
  o.size = sizeof o;
  o.log = log_line;
  o.files = copies ? WEFT_FILES_COPY : WEFT_FILES_AUTO;
  o.isa = isa;
  o.any_root = any_root && !strcmp(any_root, "1");
  o.limits = limits_of_tool();
  if (!weft_env_create(&o, &e, &d))
    return e;
  fail_with(&d);
  return NULL;
}

weft_env *open_env_with(bool strict, uint32_t threads) {
  return open_env_of(
      (weft_env_options){.dead_branches = strict, .strict_shapes = strict, .threads = threads});
}

weft_env *open_env_alone(void) {
  return open_env_of((weft_env_options){.package_path = ""});
}

int fail_with(const weft_diag *d) {
  fflush(stdout);
  fprintf(stderr, "weft: error: %s [%s]\n", d->text, weft_status_name(d->status));
  limits_hint(d);
  return EXIT_FAILED;
}

weft_status to_stdout(void *ctx, const char *text, size_t bytes) {
  (void)ctx;
  return fwrite(text, 1, bytes, stdout) == bytes ? WEFT_OK : WEFT_E_IO;
}

weft_status read_file(const char *path, char **out, size_t *out_bytes, weft_diag *d) {
  FILE *f = fopen(path, "rb");
  if (!f) {
    return weft_fail(d, errno == ENOENT ? WEFT_E_NOT_FOUND : WEFT_E_IO, "cannot read '%s': %s", path,
                     strerror(errno));
  }
  size_t n = 0;
  size_t cap = 1 << 16;
  char *data = malloc(cap);
  while (data) {
    size_t got = fread(data + n, 1, cap - n, f);
    n += got;
    if (n < cap)
      break;
    char *more = realloc(data, cap *= 2);
    if (!more)
      free(data);
    data = more;
  }
  bool bad = ferror(f);
  fclose(f);
  if (!data)
    return weft_fail(d, WEFT_E_NOMEM, "no memory to read '%s'", path);
  if (bad) {
    free(data);
    return weft_fail(d, WEFT_E_IO, "cannot read '%s': %s", path, strerror(errno));
  }
  *out = data;
  *out_bytes = n;
  return WEFT_OK;
}

bool path_ends(const char *path, const char *with) {
  size_t n = strlen(path);
  size_t m = strlen(with);
  return n >= m && !strcmp(path + n - m, with);
}

static const char *common_signature;
void take_signature(const char *name) {
  common_signature = name;
}

weft_status load_graph(weft_env *e, const char *path, weft_graph **out, weft_diag *d) {
  return load_graph_with(e, path, NULL, out, d);
}

// From a pipe (`weft show <(...)`), too: what was read lives as long as the graph.
weft_status load_graph_with(weft_env *e, const char *path, const weft_onnx_options *o, weft_graph **out,
                            weft_diag *d) {
  struct stat st;
  char *data;
  size_t bytes;
  weft_onnx_options all = o ? *o : (weft_onnx_options){0};
  all.size = sizeof all;
  all.signature = common_signature;
  if (stat(path, &st) || !S_ISFIFO(st.st_mode))
    return weft_model_load_with(e, path, &all, out, d);
  WEFT_TRY(read_file(path, &data, &bytes, d));
  weft_status s = weft_model_read(e, data, bytes, path, out, d);
  if (!s && (s = weft_graph_keep(*out, free, data)))
    weft_graph_destroy(*out);
  if (s)
    free(data);
  return s;
}

weft_status load_to_look(weft_env *e, const char *path, weft_graph **out, weft_diag *d) {
  return load_graph_with(
      e, path, &(weft_onnx_options){.size = sizeof(weft_onnx_options), .keep_unknown = true}, out, d);
}

weft_status read_tensor(const char *text, weft_tensor *t, weft_diag *d) {
  return read_value(text, NULL, t, d);
}

static weft_status read_any(const char *text, const weft_value *v, weft_tensor *t, weft_diag *d) {
  weft_tensor_init(t, limits_allocator());
  if (path_ends(text, ".npy"))
    return weft_npy_load(text, t, d);
  if (path_ends(text, ".pb")) {
    char *data;
    size_t bytes;
    WEFT_TRY(read_file(text, &data, &bytes, d));
    weft_tensor_desc desc;
    if (v)
      weft_value_desc(v, &desc);
    weft_status s = weft_onnx_read_value(data, bytes, v ? &desc : NULL, t, d);
    free(data);
    if (s)
      weft_note(d, "while reading '%s'", text);
    return s;
  }
  if (path_ends(text, ".npz")) {
    return weft_fail(
        d, WEFT_E_INVALID,
        "'%s' is an archive, and a single array is expected here: --inputs FILE.npz gives inputs "
        "from one, --compare FILE.npz compares outputs with one",
        text);
  }
  size_t used = 0;
  size_t n = strlen(text);
  weft_status s = weft_tensor_parse(text, n, NULL, t, &used, d);
  if (!s && used != n)
    s = weft_fail(d, WEFT_E_SYNTAX, "'%s' goes on after the tensor", text);
  if (!s && t->kind == WEFT_KIND_TENSOR && !t->data) {
    return weft_fail(
        d, WEFT_E_MISSING,
        "'%s' has no data: write values as in f32[2]{1,2}, or {*1} for all the same, {0..} to count", text);
  }
  if (s)
    weft_note(d, "expected a .npy file, a .pb file or a literal such as f32[2]{1,2}, got '%s'", text);
  return s;
}

weft_status read_value(const char *text, const weft_value *v, weft_tensor *t, weft_diag *d) {
  return limits_explain(read_any(text, v, t, d), d);
}

weft_status find_input(const weft_graph *g, const char *option, const char *name, weft_value **out,
                       weft_diag *d) {
  weft_value *v = weft_graph_find_value(g, name);
  if (v && weft_value_origin(v) == WEFT_VALUE_INPUT) {
    *out = v;
    return WEFT_OK;
  }
  char list[400] = "";
  size_t n = weft_graph_n_inputs(g);
  size_t at = 0;
  for (size_t i = 0; i < n && at < 300; i++) {
    at += (size_t)snprintf(list + at, sizeof list - at, "%s%.80s", i ? ", " : "",
                           weft_value_name(weft_graph_input_at(g, i)));
  }
  return weft_fail(d, WEFT_E_NOT_FOUND, "%s: the model has no input '%s'; its inputs: %s", option, name,
                   n ? list : "none");
}

const char *largest_error(const weft_difference *x, bool floats, double rtol, double atol, char *buf,
                          size_t cap) {
  char largest[300];
  char allowed[80] = "must be equal";
  buf[0] = 0;
  if (!*weft_difference_text(x, largest, sizeof largest))
    return buf;
  if (floats)
    snprintf(allowed, sizeof allowed, "allowed %g + %g |expected|", atol, rtol);
  snprintf(buf, cap, " (%s; %s)", largest, allowed);
  return buf;
}

weft_status save_text(const char *path, const char *text, size_t bytes, weft_diag *d) {
  weft_file_out *f;
  WEFT_TRY(weft_file_create(path, &f, d));
  return weft_file_finish(f, weft_file_write(f, text, bytes), d);
}

weft_status write_tensor(const char *path, const weft_tensor *t, weft_diag *d) {
  static const char *const parts[] = {"keys", "values"};
  char item[4200];
  char index[24];
  size_t n = strlen(path);
  if (t->kind == WEFT_KIND_TENSOR)
    return weft_npy_save(path, t, d);
  n -= n > 4 && !strcmp(path + n - 4, ".npy") ? 4 : 0;
  for (size_t i = 0; i < t->n_items; i++) {
    bool map = weft_map_item(t, i) && i < 2;
    snprintf(index, sizeof index, "%zu", i);
    int length = snprintf(item, sizeof item, "%.*s.%s.npy", (int)n, path, map ? parts[i] : index);
    if (length < 0 || (size_t)length >= sizeof item)
      return weft_fail(d, WEFT_E_LIMIT, "the path '%.200s...' is too long", path);
    WEFT_TRY(write_tensor(item, t->items[i], d));
  }
  return WEFT_OK;
}

static uint64_t next(uint64_t *state) {  // splitmix64
  uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
  z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
  return z ^ z >> 31;
}

void fill_random(weft_tensor *t, uint64_t *state) {
  int64_t n = weft_tensor_elems(t);
  for (int64_t i = 0; i < n; i++) {
    uint64_t r = next(state);
    if (t->dtype == WEFT_BOOL)
      weft_store_i64(t->dtype, t->data, (size_t)i, (int64_t)(r & 1));
    else if (weft_dtype_is_float(t->dtype))
      weft_store_f64(t->dtype, t->data, (size_t)i, (double)(r >> 11) / 9007199254740992.0 * 2 - 1);
    else
      weft_store_i64(t->dtype, t->data, (size_t)i, (int64_t)(r & 1));
  }
}
// SPDX-License-Identifier: Apache-2.0
