// run.h - the parts of `weft run`: where inputs and expected outputs come from, where outputs go.
#pragma once
#include "options.h"

typedef struct named {
  const char *text;  // NAME=VALUE
  const char *value;
  size_t name_bytes;
} named;

// --watch: run_when.c.
typedef enum when_what {
  WHEN_NAN,
  WHEN_PRINT,
  WHEN_MIN,
  WHEN_MAX,
  WHEN_ABS,
  WHEN_MEAN,
  WHEN_KINDS
} when_what;
enum { WHEN_MOST = 8, WATCHED_MOST = 32 };
typedef struct condition {
  when_what what;
  bool less, equal;  // "<" or ">", with "="
  double limit;
  const char *text;  // as it was given
  size_t bytes;
} condition;
typedef struct watched {
  const char *text;   // NAMES:WHAT,WHAT
  const char *names;  // with '*' and '?'
  size_t names_bytes, n;
  condition condition[WHEN_MOST];
} watched;

enum { RUN_NPY, RUN_PB, RUN_NPZ };
typedef struct job {
  const char *model, *save, *trace, *dump, *against, *state, *save_state;
  named inputs[256], expects[64];
  shape_options shapes;
  const char *archives[16], *sets[256], *compare;
  size_t n_inputs, n_expects, n_archives, n_sets;
  uint64_t print;
  int as;  // RUN_*
  watched watched[WATCHED_MOST];
  size_t n_watched;
  bool random, quiet, profile, strict;
  bool looking;  // inputs are read for their shapes only
  uint64_t repeat;
  runner_options o;
  runner *r;
  uint64_t seed, steps;
  double rtol, atol;
} job;

// run_options.c: what `weft run` and `weft bisect` take alike (option_take_fn, of a job). A number of 0 or
// more; a count; NAME=VALUE at the end of a list.
bool run_number(const char *text, double *out);
bool run_count(const char *text, uint64_t *out);
bool run_named(named *list, size_t *n, size_t cap, const char *text);
int run_take_input(void *ctx, const char *usage, const char *v);
int run_take_archive(void *ctx, const char *usage, const char *v);
int run_take_random(void *ctx, const char *usage, const char *v);
int run_take_rtol(void *ctx, const char *usage, const char *v);
int run_take_atol(void *ctx, const char *usage, const char *v);

// The files of one run. `dir` is the data set (NULL: none), `compare` and `save` as given, or their
// sub-folder of this set.
typedef struct data_set {
  const char *dir;
  char compare[4096], save[4096];
  weft_npz *archives[16], *expected;  // --inputs, --compare
} data_set;
void set_init(data_set *s, const job *j, size_t i);
void set_deinit(data_set *s, const job *j);
weft_status set_open(data_set *s, const job *j, const weft_graph *g,
                     weft_diag *d);  // checks names, makes the folder

const named *find_named(const named *list, size_t n, const char *name);
// in[i] initialised already. --input, then the data set, then --inputs, then random numbers.
weft_status read_inputs(const job *j, const data_set *s, const weft_graph *g, weft_tensor *in, weft_diag *d);
// What output i should be: --expect, then the data set, then --compare. *out_found false: nobody says.
weft_status read_expected(const job *j, const data_set *s, const weft_graph *g, size_t i, weft_tensor *want,
                          bool *out_found, weft_diag *d);
weft_status write_outputs(const job *j, const data_set *s, const weft_graph *g, const weft_tensor *out,
                          weft_diag *d);

// run_dims.c: the model, loaded, with --shape, --range and --dim. Where one name of a dim gets several sizes
// from the inputs, the model is loaded with separate dims (*out_apart), with a warning; with --strict that is
// an error when it is run.
weft_status load_for_inputs(const job *j, weft_env *e, weft_graph **out, bool *out_apart, weft_diag *d);
weft_status load_with_dims(const job *j, weft_env *e, bool apart, weft_graph **out, weft_diag *d);

// run_watch.c: what is looked at while and after running
weft_status dump_value(const char *dir, const weft_value *v, const weft_tensor *t);
// The operator, and of a fused region those inside: "Fused Conv2D+Relu".
const char *node_text(const weft_node *n, char *buf, size_t cap);
// NULL, or what is allowed.
const char *watch_parse(const char *text, watched *w);
// Every --watch must name a value: one that never looked at anything would look like success.
weft_status watch_check(const job *j, const weft_graph *g, weft_diag *d);
weft_status watch_value(const job *j, const weft_value *v, const weft_tensor *t);  // E_RANGE, with a message
void print_profile(const weft_exec *x, const weft_graph *g);
weft_status write_trace(const weft_exec *x, const char *path, weft_diag *d);

// bisect_against.c: values by name that were made elsewhere, from a .npz file, or by a peer such as
// onnxruntime, which runs the model on these inputs and gives every value of it.
typedef struct against {
  weft_npz *file;
  const char **names;
  weft_tensor *values;
  const weft_tensor **list;
  size_t n;
} against;
weft_status against_open(against *a, const char *what, const char *model, const weft_tensor *in, size_t n_in,
                         weft_diag *d);
void against_close(against *a);
// SPDX-License-Identifier: Apache-2.0
