// run_data.c - `weft run`: inputs and expected outputs from literals, .npy, .npz and .pb files; outputs to
// files.
#include <errno.h>
#include <sys/stat.h>

#include "run.h"

static bool is_there(const char *path, bool folder) {
  struct stat st;
  return !stat(path, &st) && (folder ? S_ISDIR(st.st_mode) : S_ISREG(st.st_mode));
}

// The name of a file for a value: no '/', which would be a folder, and no leading '.'.
static void file_name(const char *name, char *out, size_t cap) {
  snprintf(out, cap, "%s", name);
  for (char *p = out; *p; p++) {
    if (*p == '/' || (p == out && *p == '.'))
      *p = '_';
  }
}

const named *find_named(const named *list, size_t n, const char *name) {
  for (size_t i = 0; i < n; i++) {
    if (strlen(name) == list[i].name_bytes && !memcmp(name, list[i].text, list[i].name_bytes))
      return &list[i];
  }
  return NULL;
}

// ---- a set ----
// With several data sets each has its own sub-folder set_0, set_1, ... of --save and --compare.
void set_init(data_set *s, const job *j, size_t i) {
  memset(s, 0, sizeof *s);
  s->dir = i < j->n_sets ? j->sets[i] : NULL;
  const char *given[] = {j->compare, j->save};
  char *to[] = {s->compare, s->save};
  for (size_t k = 0; k < 2; k++) {
    if (!given[k])
      continue;
    if (j->n_sets > 1)
      snprintf(to[k], sizeof s->save, "%s/set_%zu", given[k], i);
    else
      snprintf(to[k], sizeof s->save, "%s", given[k]);
  }
}

void set_deinit(data_set *s, const job *j) {
  for (size_t i = 0; i < j->n_archives; i++)
    weft_npz_close(s->archives[i]);
  weft_npz_close(s->expected);
}

static bool is_output(const weft_graph *g, const char *name) {
  for (size_t i = 0; i < weft_graph_n_outputs(g); i++) {
    if (!strcmp(weft_value_name(weft_graph_output_at(g, i)), name))
      return true;
  }
  return false;
}

// "arr_3": what numpy.savez calls its fourth unnamed array.
static bool is_position(const char *name, size_t n) {
  char *end;
  if (strncmp(name, "arr_", 4) || name[4] < '0' || name[4] > '9')
    return false;
  unsigned long at = strtoul(name + 4, &end, 10);
  return !*end && at < n;
}

static weft_status check_archive(const weft_npz *z, const weft_graph *g, weft_diag *d) {
  for (size_t i = 0; i < weft_npz_count(z); i++) {
    weft_value *v;
    const char *name = weft_npz_name(z, i);
    if (!is_position(name, weft_graph_n_inputs(g)))
      WEFT_TRY(find_input(g, "--inputs", name, &v, d));
  }
  return WEFT_OK;
}

static weft_status make_folder(const char *path, weft_diag *d) {
  if (!mkdir(path, 0777) || errno == EEXIST)
    return WEFT_OK;
  return weft_fail(d, WEFT_E_IO, "--save: cannot make the directory '%s': %s", path, strerror(errno));
}

weft_status set_open(data_set *s, const job *j, const weft_graph *g, weft_diag *d) {
  if (s->dir && !is_there(s->dir, true))
    return weft_fail(d, WEFT_E_NOT_FOUND, "--data-set: '%s' is not a folder", s->dir);
  for (size_t i = 0; i < j->n_archives; i++) {
    WEFT_TRY(weft_npz_open(j->archives[i], &s->archives[i], d));
    weft_npz_set_limit(s->archives[i], limits_of_tool()->memory_limit_bytes);
    WEFT_TRY(check_archive(s->archives[i], g, d));
  }
  if (j->compare && !path_ends(j->compare, ".npz") && !is_there(s->compare, true)) {
    return weft_fail(
        d, WEFT_E_NOT_FOUND,
        "--compare: '%s' is neither a .npz file nor a folder; one output's file: --expect NAME=FILE",
        s->compare);
  }
  if (j->compare && path_ends(j->compare, ".npz"))
    WEFT_TRY(weft_npz_open(j->compare, &s->expected, d));
  if (s->expected)
    weft_npz_set_limit(s->expected, limits_of_tool()->memory_limit_bytes);
  for (size_t i = 0; s->expected && i < weft_npz_count(s->expected); i++) {
    const char *name = weft_npz_name(s->expected, i);
    if (!is_output(g, name) && !is_position(name, weft_graph_n_outputs(g)))
      return weft_fail(d, WEFT_E_NOT_FOUND,
                       "--compare: the model has no output '%s'; `weft bisect --against FILE.npz` compares "
                       "inner values, too",
                       name);
  }
  if (!j->save)
    return WEFT_OK;
  WEFT_TRY(make_folder(j->save, d));
  return make_folder(s->save, d);
}

// ---- reading ----
static weft_status from_archive(const weft_npz *z, const char *name, size_t position, weft_tensor *t,
                                bool *out_found, weft_diag *d) {
  char unnamed[32];
  size_t at;
  snprintf(unnamed, sizeof unnamed, "arr_%zu", position);
  *out_found = weft_npz_find(z, name, &at) || weft_npz_find(z, unnamed, &at);
  return *out_found ? weft_npz_get(z, at, t, d) : WEFT_OK;
}

// DIR/what_I.pb, DIR/NAME.npy or DIR/NAME.pb.
static weft_status from_folder(const char *dir, const char *what, const weft_value *v, size_t i,
                               weft_tensor *t, bool *out_found, weft_diag *d) {
  char path[4600];
  char name[300];
  file_name(weft_value_name(v), name, sizeof name);
  snprintf(path, sizeof path, "%s/%s_%zu.pb", dir, what, i);
  *out_found = is_there(path, false);
  for (int k = 0; !*out_found && k < 2; k++) {
    snprintf(path, sizeof path, "%s/%s.%s", dir, name, k ? "pb" : "npy");
    *out_found = is_there(path, false);
  }
  return *out_found ? read_value(path, v, t, d) : WEFT_OK;
}

static weft_status random_input(const job *j, const weft_graph *g, const weft_value *v, uint64_t *state,
                                weft_tensor *t, weft_diag *d) {
  weft_tensor_desc desc;
  weft_value_desc(v, &desc);
  const weft_shape *s = &desc.layout.origin;
  if (weft_shape_is_unknown_rank(s)) {
    return weft_fail(d, WEFT_E_UNKNOWN, "input '%s' has no known rank: give it with --input or --shape",
                     weft_value_name(v));
  }
  weft_dim dims[WEFT_MAX_RANK];
  bool made_up = false;
  for (size_t i = 0; i < s->rank; i++) {
    dims[i] = s->dim[i] >= 0 ? s->dim[i] : fixed_dim(g, s->dim[i]);
    if (dims[i] >= 0)
      continue;
    dims[i] = 1;
    made_up = true;
  }
  if (made_up && !j->looking)
    tell_made_up(g, v, dims, s->rank);
  WEFT_TRY(weft_tensor_alloc(t, desc.dtype, dims, s->rank, d));
  fill_random(t, state);
  return WEFT_OK;
}

static weft_status read_input(const job *j, const data_set *s, const weft_graph *g, size_t i, uint64_t *state,
                              weft_tensor *t, weft_diag *d) {
  const weft_value *v = weft_graph_input_at(g, i);
  const char *name = weft_value_name(v);
  const named *given = find_named(j->inputs, j->n_inputs, name);
  bool found = false;
  if (given)
    return read_value(given->value, v, t, d);
  if (s->dir)
    WEFT_TRY(from_folder(s->dir, "input", v, i, t, &found, d));
  for (size_t k = 0; !found && k < j->n_archives; k++)
    WEFT_TRY(from_archive(s->archives[k], name, i, t, &found, d));
  if (found)
    return WEFT_OK;
  if (j->random)
    return random_input(j, g, v, state, t, d);
  return weft_fail(d, WEFT_E_MISSING,
                   "input '%s' is not given: use --input %s=FILE, --inputs FILE.npz, --data-set DIR (with "
                   "input_%zu.pb) or --random SEED",
                   name, name, i);
}

// Files and literals say no format: what they hold lies as the model says of its input.
static void take_format(const weft_value *v, weft_tensor *t) {
  weft_tensor_desc desc;
  weft_value_desc(v, &desc);
  if (t->format != WEFT_ND || desc.format != desc.origin_format)
    return;
  t->origin_format = desc.origin_format;
  t->format = desc.format;
}

weft_status read_inputs(const job *j, const data_set *s, const weft_graph *g, weft_tensor *in, weft_diag *d) {
  uint64_t state = j->seed;
  char path[4400];
  for (size_t i = 0; i < j->n_inputs; i++) {
    char name[256];
    snprintf(name, sizeof name, "%.*s", (int)j->inputs[i].name_bytes, j->inputs[i].text);
    weft_value *v;
    WEFT_TRY(find_input(g, "--input", name, &v, d));
  }
  size_t n = weft_graph_n_inputs(g);
  snprintf(path, sizeof path, "%s/input_%zu.pb", s->dir ? s->dir : "", n);
  if (s->dir && is_there(path, false))
    return weft_fail(d, WEFT_E_INVALID, "--data-set: the model has %zu inputs, but there is '%s'", n, path);
  for (size_t i = 0; i < n; i++) {
    WEFT_TRY(limits_explain(read_input(j, s, g, i, &state, &in[i], d), d));
    take_format(weft_graph_input_at(g, i), &in[i]);
  }
  return WEFT_OK;
}

weft_status read_expected(const job *j, const data_set *s, const weft_graph *g, size_t i, weft_tensor *want,
                          bool *out_found, weft_diag *d) {
  const weft_value *v = weft_graph_output_at(g, i);
  const named *e = find_named(j->expects, j->n_expects, weft_value_name(v));
  *out_found = e != NULL;
  if (e)
    return read_value(e->value, v, want, d);
  if (s->dir)
    WEFT_TRY(from_folder(s->dir, "output", v, i, want, out_found, d));
  if (*out_found || !j->compare)
    return WEFT_OK;
  if (s->expected)
    return from_archive(s->expected, weft_value_name(v), i, want, out_found, d);
  return from_folder(s->compare, "output", v, i, want, out_found, d);
}

// ---- writing ----
static weft_status write_pb(const char *path, const char *name, const weft_tensor *t, weft_diag *d) {
  weft_file_out *f;
  WEFT_TRY(weft_file_create(path, &f, d));
  return weft_file_finish(f, weft_onnx_write_tensor(t, name, weft_file_write, f, d), d);
}

static weft_status write_npz(const data_set *s, const weft_graph *g, const weft_tensor *out, weft_diag *d) {
  size_t n = weft_graph_n_outputs(g);
  size_t n_kept = 0;
  const char **names = calloc(n + 1, sizeof *names);
  const weft_tensor **tensors = calloc(n + 1, sizeof *tensors);
  char path[4200];
  snprintf(path, sizeof path, "%s/outputs.npz", s->save);
  for (size_t i = 0; names && tensors && i < n; i++) {
    const char *name = weft_value_name(weft_graph_output_at(g, i));
    bool again = false;  // a value may be an output twice
    for (size_t k = 0; k < n_kept; k++)
      again |= !strcmp(names[k], name);
    if (!again) {
      names[n_kept] = name;
      tensors[n_kept++] = &out[i];
    }
  }
  weft_status st = names && tensors ? weft_npz_save(path, names, tensors, n_kept, d)
                                    : weft_fail(d, WEFT_E_NOMEM, "out of memory");
  free(names);
  free(tensors);
  return st;
}

weft_status write_outputs(const job *j, const data_set *s, const weft_graph *g, const weft_tensor *out,
                          weft_diag *d) {
  if (j->as == RUN_NPZ)
    return write_npz(s, g, out, d);
  for (size_t i = 0; i < weft_graph_n_outputs(g); i++) {
    const char *value = weft_value_name(weft_graph_output_at(g, i));
    char path[4500];
    char name[300];
    char other[300];
    file_name(value, name, sizeof name);
    snprintf(path, sizeof path, "%s/%s.npy", s->save, name);
    for (size_t k = 0; k < i; k++) {  // "a/b" and "a_b" must not become one file
      const char *before = weft_value_name(weft_graph_output_at(g, k));
      file_name(before, other, sizeof other);
      if (!strcmp(other, name) && strcmp(before, value))
        snprintf(path, sizeof path, "%s/%s_%zu.npy", s->save, name, i);
    }
    if (j->as == RUN_PB)
      snprintf(path, sizeof path, "%s/output_%zu.pb", s->save, i);
    WEFT_TRY(j->as == RUN_PB ? write_pb(path, value, &out[i], d) : write_tensor(path, &out[i], d));
  }
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
