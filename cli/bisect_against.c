// bisect_against.c - `weft bisect --against`: values by name from a .npz file, or from a peer, which is asked
// as `weft bench` asks it (bench/bench_side.h) and writes such a file.
#include <unistd.h>

#include "bench/bench.h"
#include "bench/bench_side.h"
#include "run.h"

static weft_status against_read(against *a, const char *path, weft_diag *d) {
  WEFT_TRY(weft_npz_open(path, &a->file, d));
  weft_npz_set_limit(a->file, limits_of_tool()->memory_limit_bytes);
  const size_t n = weft_npz_count(a->file);
  a->names = calloc(n + 1, sizeof *a->names);
  a->values = calloc(n + 1, sizeof *a->values);
  a->list = calloc(n + 1, sizeof *a->list);
  if (!a->names || !a->values || !a->list)
    return weft_fail(d, WEFT_E_NOMEM, "out of memory");
  for (; a->n < n; a->n++) {
    weft_tensor_init(&a->values[a->n], NULL);
    a->names[a->n] = weft_npz_name(a->file, a->n);
    a->list[a->n] = &a->values[a->n];
    WEFT_TRY(weft_npz_get(a->file, a->n, &a->values[a->n], d));
  }
  return n ? WEFT_OK : weft_fail(d, WEFT_E_MISSING, "--against: '%s' holds no values", path);
}

static weft_status against_inputs(const char *dir, const weft_tensor *in, size_t n_in, weft_diag *d) {
  char path[4200];
  for (size_t i = 0; i < n_in; i++) {
    snprintf(path, sizeof path, "%s/input_%zu.npy", dir, i);
    WEFT_TRY(weft_npy_save(path, &in[i], d));
  }
  return WEFT_OK;
}

static weft_status against_ask(const char *peer, const char *model, const char *dir, weft_diag *d) {
  const bench_engine engine = {.peer = peer};
  bench_command program;
  bench_side side = {0};
  WEFT_TRY(bench_find(&engine, &program, d));
  weft_status s = bench_side_start(&side, program.label, program.argv, NULL, 600, d);
  if (!s)
    s = bench_side_ask(&side, d, "hello");
  if (!s)
    s = bench_side_ask(&side, d, "values\t%s\t%s\t%s/values.npz", model, dir, dir);
  bench_side_end(&side);
  return s;
}

// The peer, asked with files in `dir`.
static weft_status against_in(against *a, const char *peer, const char *model, const char *dir,
                              const weft_tensor *in, size_t n_in, weft_diag *d) {
  char path[4096];
  WEFT_TRY(against_inputs(dir, in, n_in, d));
  WEFT_TRY(against_ask(peer, model, dir, d));
  snprintf(path, sizeof path, "%s/values.npz", dir);
  return against_read(a, path, d);
}

static weft_status against_peer(against *a, const char *peer, const char *model, const weft_tensor *in,
                                size_t n_in, weft_diag *d) {
  char dir[] = "/tmp/weft_bisect.XXXXXX";
  char *real = realpath(model, NULL);
  if (!real)
    return weft_fail(d, WEFT_E_NOT_FOUND, "cannot read '%s'", model);
  if (!mkdtemp(dir)) {
    free(real);
    return weft_fail(d, WEFT_E_IO, "--against: cannot make a folder in /tmp");
  }
  weft_status s = against_in(a, peer, real, dir, in, n_in, d);
  bench_remove(dir);
  free(real);
  return s;
}

weft_status against_open(against *a, const char *what, const char *model, const weft_tensor *in, size_t n_in,
                         weft_diag *d) {
  weft_status s =
      path_ends(what, ".npz") ? against_read(a, what, d) : against_peer(a, what, model, in, n_in, d);
  if (s)
    weft_note(d, "while getting the values of --against %s", what);
  return s;
}

void against_close(against *a) {
  for (size_t i = 0; i < a->n; i++)
    weft_tensor_deinit(&a->values[i]);
  free(a->names);
  free(a->values);
  free(a->list);
  weft_npz_close(a->file);
  memset(a, 0, sizeof *a);
}
// SPDX-License-Identifier: Apache-2.0
