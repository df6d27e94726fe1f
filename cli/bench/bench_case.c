// bench_case.c - `weft bench`: what is measured: a model, its shapes and its inputs, from the command line or
// from a file of cases.
#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench.h"
#include "../runner.h"

void bench_case_init(bench_case *c, const bench_options *o, const char *model) {
  const char *slash = strrchr(model, '/');
  const char *base = slash ? slash + 1 : model;
  size_t n = strcspn(base, ".");
  memset(c, 0, sizeof *c);
  c->model = model;
  if (slash && !strncmp(base, "model.", 6)) {  // FOLDER/model.onnx is called by its folder
    base = slash;
    while (base > model && base[-1] != '/')
      base--;
    n = (size_t)(slash - base);
  }
  snprintf(c->name, sizeof c->name, "%.*s", (int)n, base);
  memcpy(c->threads, o->threads, sizeof c->threads);
  c->n_threads = o->n_threads;
  c->starts = o->starts;
  c->no_reference = o->no_reference;
}

bool bench_threads(const char *text, uint32_t *out, size_t *out_n) {
  size_t n = 0;
  for (const char *at = text; n < BENCH_MOST_THREADS;) {
    char *end;
    unsigned long v = *at >= '0' && *at <= '9' ? strtoul(at, &end, 10) : 0;
    if (v < 1 || v > 1024 || (*end && *end != ','))
      return false;
    out[n++] = (uint32_t)v;
    if (!*end)
      return *out_n = n, true;
    at = end + 1;
  }
  return false;
}

static bool bench_case_keep(const char **list, size_t *n, size_t cap, const char *v, bool named,
                            const char **problem) {
  if (*n == cap)
    *problem = "given too often";
  if (named && (!strchr(v, '=') || *v == '='))
    *problem = "expected NAME=VALUE";
  if (!*problem)
    list[(*n)++] = v;
  return true;
}

bool bench_case_word(args *a, bench_case *c, const char **problem) {
  const char *v;
  *problem = NULL;
  if (arg_value(a, "--shape", &v))
    return bench_case_keep(c->shapes, &c->n_shapes, BENCH_MOST_WORDS, v, true, problem);
  if (arg_value(a, "--dim", &v))
    return bench_case_keep(c->dims, &c->n_dims, BENCH_MOST_WORDS, v, true, problem);
  if (arg_value(a, "--data-set", &v))
    return bench_case_keep(c->sets, &c->n_sets, BENCH_MOST_SETS, v, false, problem);
  if (arg_value(a, "--threads", &v)) {
    if (!bench_threads(v, c->threads, &c->n_threads))
      *problem = "expected counts such as 1,2, at most 8";
    return true;
  }
  if (arg_value(a, "--starts", &v)) {
    char *end;
    unsigned long n = strtoul(v, &end, 10);
    if (*v < '0' || *v > '9' || *end || n < 1 || n > BENCH_MOST_STARTS)
      *problem = "expected 1 to 100";
    c->starts = n;
    return true;
  }
  if (!arg_flag(a, "--no-reference"))
    return false;
  return c->no_reference = true;
}

static weft_status read_case(char *line, const bench_options *o, bench_case *c, weft_diag *d) {
  char *words[BENCH_MOST_WORDS];
  char *at = NULL;
  int n = 0;
  const char *problem = NULL;
  for (char *w = strtok_r(line, " \t\r", &at); w; w = strtok_r(NULL, " \t\r", &at)) {
    if (n == BENCH_MOST_WORDS)
      return weft_fail(d, WEFT_E_LIMIT, "more than %d words", BENCH_MOST_WORDS);
    words[n++] = w;
  }
  if (n < 2)
    return weft_fail(d, WEFT_E_SYNTAX, "expected NAME MODEL [options], got '%s'", n ? words[0] : "");
  bench_case_init(c, o, words[1]);
  snprintf(c->name, sizeof c->name, "%s", words[0]);
  args a = {n, 2, words, NULL};
  while (a.at < a.argc) {
    const char *word = words[a.at];
    if (a.at + 1 == a.argc && !strchr(word, '=') && strcmp(word, "--no-reference"))
      return weft_fail(d, WEFT_E_SYNTAX, "'%s' is not an option of a case, or needs a value", word);
    if (!bench_case_word(&a, c, &problem))
      return weft_fail(d, WEFT_E_SYNTAX, "'%s' is not an option of a case", word);
    if (problem)
      return weft_fail(d, WEFT_E_SYNTAX, "%s: %s", word, problem);
  }
  return WEFT_OK;
}

weft_status bench_cases_read(const char *path, bench_options *o, weft_diag *d) {
  size_t bytes;
  size_t number = 1;
  char *text;
  WEFT_TRY(read_file(path, &text, &bytes, d));
  free(o->cases_text);
  o->cases_text = text = realloc(text, bytes + 1);
  if (!text)
    return weft_fail(d, WEFT_E_NOMEM, "out of memory");
  text[bytes] = 0;
  for (char *line = text; line; number++) {
    char *next = strchr(line, '\n');
    if (next)
      *next++ = 0;
    line[strcspn(line, "#")] = 0;
    if (line[strspn(line, " \t\r")]) {
      bench_case *more = realloc(o->cases, (o->n_cases + 1) * sizeof *more);
      if (!more)
        return weft_fail(d, WEFT_E_NOMEM, "out of memory");
      o->cases = more;
      weft_status s = read_case(line, o, &o->cases[o->n_cases], d);
      if (s)
        return weft_note(d, "in line %zu of '%s'", number, path), s;
      o->n_cases++;
    }
    line = next;
  }
  return o->n_cases ? WEFT_OK : weft_fail(d, WEFT_E_MISSING, "'%s' names no model", path);
}

// ---- inputs ----
bool bench_is_file(const char *path) {
  struct stat st;
  return !stat(path, &st) && S_ISREG(st.st_mode);
}

void bench_remove(const char *dir) {
  char path[4400];
  DIR *folder = opendir(dir);
  struct dirent *e;
  while (folder && (e = readdir(folder))) {
    snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
    if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..") && unlink(path))
      bench_remove(path);
  }
  if (folder)
    closedir(folder);
  rmdir(dir);
}

// The text after "NAME=" of the last entry of this name.
static const char *entry(const char *const *list, size_t n, const char *name) {
  size_t k = strlen(name);
  for (size_t i = n; i-- > 0;) {
    if (!strncmp(list[i], name, k) && list[i][k] == '=')
      return list[i] + k + 1;
  }
  return NULL;
}

static weft_status whole_number(const char *text, size_t n, weft_dim *out, weft_diag *d) {
  char word[32];
  char *end;
  snprintf(word, sizeof word, "%.*s", (int)(n < 31 ? n : 31), text);
  errno = 0;
  *out = strtoll(word, &end, 10);
  if (n && n < 20 && word[0] >= '0' && word[0] <= '9' && !*end && !errno && *out < INT64_C(1) << 40)
    return WEFT_OK;
  return weft_fail(d, WEFT_E_SYNTAX, "--shape: '%s' is not a size", word);
}

static weft_status given_shape(const char *text, weft_dim *dims, size_t *rank, weft_diag *d) {
  *rank = 0;
  for (const char *at = text; *at;) {
    size_t n = strcspn(at, ",");
    if (*rank == WEFT_MAX_RANK)
      return weft_fail(d, WEFT_E_LIMIT, "--shape: more than %d dims", WEFT_MAX_RANK);
    WEFT_TRY(whole_number(at, n, &dims[(*rank)++], d));
    at += n + (at[n] == ',');
  }
  return WEFT_OK;
}

// Dims of an input: --shape, then what the model says, then --dim; what is still open becomes 1.
static weft_status input_dims(const bench_case *c, const weft_graph *g, const weft_value *v, weft_dim *dims,
                              size_t *rank, weft_diag *d) {
  weft_tensor_desc desc;
  const char *text = entry(c->shapes, c->n_shapes, weft_value_name(v));
  weft_value_desc(v, &desc);
  const weft_shape *s = &desc.layout.origin;
  if (text)
    return given_shape(text, dims, rank, d);
  if (weft_shape_is_unknown_rank(s)) {
    return weft_fail(d, WEFT_E_UNKNOWN, "input '%s' has no known rank: give it with --shape %s=...",
                     weft_value_name(v), weft_value_name(v));
  }
  *rank = s->rank;
  bool made_up = false;
  for (size_t i = 0; i < s->rank; i++) {
    const int64_t only = fixed_dim(g, s->dim[i]);
    dims[i] = only >= 0 ? only : 1;
    made_up |= only < 0;
  }
  if (made_up)
    tell_made_up(g, v, dims, s->rank);
  return WEFT_OK;
}

// Every --shape and --dim must name something: one that silently did nothing would give another measurement's
// figures. Of several of one name the last one counts.
static weft_status read_sizes(const bench_case *c, const weft_graph *g, weft_diag *d) {
  char name[256];
  for (size_t i = 0; i < c->n_shapes; i++) {
    weft_value *v;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(c->shapes[i], "="), c->shapes[i]);
    WEFT_TRY(find_input(g, "--shape", name, &v, d));
  }
  for (size_t i = 0; i < c->n_dims; i++) {
    const size_t bytes = strcspn(c->dims[i], "=");
    snprintf(name, sizeof name, "%.*s", (int)bytes, c->dims[i]);
    if (entry(c->dims, c->n_dims, name) == c->dims[i] + bytes + 1)
      WEFT_TRY(fix_dim(g, c->dims[i], d));
  }
  return WEFT_OK;
}

static weft_status make_input(const bench_case *c, size_t set, const weft_graph *g, size_t i, uint64_t *state,
                              weft_tensor *t, weft_diag *d) {
  const weft_value *v = weft_graph_input_at(g, i);
  weft_tensor_desc desc;
  weft_dim dims[WEFT_MAX_RANK];
  size_t rank;
  char path[4200];
  weft_value_desc(v, &desc);
  if (desc.kind != WEFT_KIND_TENSOR || desc.dtype == WEFT_STRING) {
    return weft_fail(d, WEFT_E_UNSUPPORTED,
                     "input '%s' is not a tensor of numbers, which is all that is measured here",
                     weft_value_name(v));
  }
  if (c->n_sets) {
    snprintf(path, sizeof path, "%s/input_%zu.pb", c->sets[set], i);
    if (!bench_is_file(path))
      snprintf(path, sizeof path, "%s/input_%zu.npy", c->sets[set], i);
    return read_value(path, v, t, d);
  }
  WEFT_TRY(input_dims(c, g, v, dims, &rank, d));
  WEFT_TRY(weft_tensor_alloc(t, desc.dtype, dims, rank, d));
  fill_random(t, state);
  return WEFT_OK;
}

static void tell_shape(const weft_tensor *t, char *shapes, size_t cap) {
  size_t n = strlen(shapes);
  size_t rank = t->layout.origin.rank;
  if (n + 40 > cap)
    return;
  if (n)
    shapes[n++] = ' ';
  for (size_t k = 0; k < rank && n + 24 < cap; k++)
    n += (size_t)snprintf(shapes + n, cap - n, "%s%lld", k ? "x" : "", (long long)t->layout.origin.dim[k]);
  if (!rank)
    snprintf(shapes + n, cap - n, "scalar");
}

weft_status bench_inputs(weft_env *e, const bench_case *c, size_t set, uint64_t seed, const char *dir,
                         bench_told *out, weft_diag *d) {
  weft_graph *own = NULL;
  weft_program *p = NULL;
  char path[4200];
  out->shapes[set][0] = 0;
  WEFT_TRY(is_program(c->model) ? weft_program_load(e, c->model, &p, d) : load_graph(e, c->model, &own, d));
  const weft_graph *g = p ? weft_program_graph(p) : own;
  weft_status s = read_sizes(c, g, d);
  out->look.g = g;
  out->look.n = 0;
  for (size_t i = 0; !s && i < weft_graph_n_inputs(g); i++) {
    weft_tensor t;
    weft_tensor_init(&t, NULL);
    s = make_input(c, set, g, i, &seed, &t, d);
    snprintf(path, sizeof path, "%s/input_%zu.npy", dir, i);
    if (!s)
      s = weft_npy_save(path, &t, d);
    if (!s)
      tell_shape(&t, out->shapes[set], sizeof out->shapes[set]);
    if (!s && own)
      dims_look_at(&out->look, weft_graph_input_at(g, i), &t);
    weft_tensor_deinit(&t);
  }
  weft_graph_destroy(own);
  weft_program_release(p);
  return s;
}
// SPDX-License-Identifier: Apache-2.0
