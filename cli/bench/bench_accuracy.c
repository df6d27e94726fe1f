// bench_accuracy.c - `weft bench`: how far results are from those of the reference interpreter, which
// computes every node in double precision and rounds once a node. Where that cannot run, or would take
// minutes, from the peer's.
#include "bench.h"
#include "../runner.h"

static const double most_flops = 1e11;  // of a model that the interpreter runs: about half a minute

static weft_status from_file(const char *dir, const char *what, size_t i, weft_tensor *t, weft_diag *d) {
  char path[4200];
  weft_tensor_init(t, NULL);
  snprintf(path, sizeof path, "%s/%s_%zu.npy", dir, what, i);
  return weft_npy_load(path, t, d);
}

static double bench_accuracy_flops(const weft_graph *g) {
  double sum = 0;
  for (const weft_node *n = weft_graph_first(g); n; n = weft_node_next(n)) {
    int64_t of = weft_node_flops(n);
    if (of > 0)
      sum += (double)of;
  }
  return sum;
}

// t: the inputs, then the outputs; in: a list of the inputs.
static weft_status reference_with(weft_graph *g, const char *inputs, weft_tensor *t, const weft_tensor **in,
                                  weft_diag *d) {
  size_t n_in = weft_graph_n_inputs(g);
  size_t n_out = weft_graph_n_outputs(g);
  weft_tensor *out = t + n_in;
  char path[4200];
  for (size_t i = 0; i < n_in; i++) {
    WEFT_TRY(from_file(inputs, "input", i, &t[i], d));
    in[i] = &t[i];
  }
  WEFT_TRY(weft_interp_run(g, NULL, in, n_in, out, n_out, d));
  for (size_t i = 0; i < n_out; i++) {
    snprintf(path, sizeof path, "%s/reference_%zu.npy", inputs, i);
    WEFT_TRY(weft_npy_save(path, &out[i], d));
  }
  return WEFT_OK;
}

static weft_status interpret(weft_graph *g, const char *inputs, weft_diag *d) {
  size_t n_in = weft_graph_n_inputs(g);
  size_t n_out = weft_graph_n_outputs(g);
  weft_tensor *t = calloc(n_in + n_out + 1, sizeof *t);
  const weft_tensor **in = calloc(n_in + 1, sizeof *in);
  weft_status s = t && in ? WEFT_OK : weft_fail(d, WEFT_E_NOMEM, "out of memory");
  for (size_t i = 0; t && i < n_in + n_out; i++)
    weft_tensor_init(&t[i], NULL);
  if (!s)
    s = reference_with(g, inputs, t, in, d);
  for (size_t i = 0; t && i < n_in + n_out; i++)
    weft_tensor_deinit(&t[i]);
  free(t);
  free(in);
  return s;
}

// The reference outputs of these inputs are files: made once, for any number of threads.
static bool reference(weft_env *e, const bench_row *row, const char *inputs) {
  char path[4200];
  weft_diag d = {0};
  weft_graph *g = NULL;
  snprintf(path, sizeof path, "%s/reference_0.npy", inputs);
  if (bench_is_file(path))
    return true;
  if (is_program(row->c->model))
    return false;
  if (row->apart ? load_apart(e, row->c->model, &g, &d) : load_graph(e, row->c->model, &g, &d))
    return false;
  bool good = !weft_graph_infer(g, NULL, NULL, &d) && bench_accuracy_flops(g) < most_flops &&
              !interpret(g, inputs, &d);
  weft_graph_destroy(g);
  return good;
}

static bool bench_accuracy_same_shape(const weft_tensor *a, const weft_tensor *b) {
  return weft_shape_equal(&a->layout.origin, &b->layout.origin);
}

static void bench_accuracy_add(bench_difference *x, const weft_tensor *got, const weft_tensor *want) {
  int64_t n = weft_tensor_elems(want);
  if (got->dtype != want->dtype || !bench_accuracy_same_shape(got, want)) {
    x->broken = true;
    return;
  }
  for (int64_t i = 0; i < n; i++) {
    bench_difference_add(x, weft_load_f64(got->dtype, got->data, (size_t)i),
                         weft_load_f64(want->dtype, want->data, (size_t)i));
  }
}

// The worst output counts. *d: what could not be read.
static weft_status bench_accuracy_compare(const char *got_dir, const char *want_dir, const char *want_what,
                                          bench_result *r, weft_diag *d) {
  double largest = -1, rms = -1;
  for (size_t i = 0;; i++) {
    weft_diag end = {0};
    weft_tensor want;
    weft_tensor got;
    bench_difference x = {0};
    weft_status s = from_file(want_dir, want_what, i, &want, &end);
    if (s && !i)
      *d = end;
    if (s && !i)
      return s;
    if (s)
      break;
    s = from_file(got_dir, "output", i, &got, d);
    if (!s)
      bench_accuracy_add(&x, &got, &want);
    weft_tensor_deinit(&got);
    weft_tensor_deinit(&want);
    if (s)
      return s;
    if (bench_difference_max(&x) > largest)
      largest = bench_difference_max(&x);
    if (bench_difference_rms(&x) > rms)
      rms = bench_difference_rms(&x);
  }
  r->error_max = largest;
  r->error_rms = rms;
  return WEFT_OK;
}

void bench_accuracy(weft_env *e, const bench_options *o, bench_row *row, const char *inputs,
                    char (*out)[4100]) {
  int peer = bench_peer(o);
  bool by_interpreter = !row->c->no_reference && reference(e, row, inputs);
  if (by_interpreter)
    row->reference = "the reference interpreter";
  else if (peer >= 0 && !*row->r[peer].error)
    row->reference = o->engines[peer].label;
  for (size_t i = 0; row->reference && i < o->n_engines; i++) {
    bench_result *r = &row->r[i];
    weft_diag d = {0};
    if (*r->error || !r->saved || (!by_interpreter && (int)i == peer))
      continue;
    if (bench_accuracy_compare(out[i], by_interpreter ? inputs : out[peer],
                               by_interpreter ? "reference" : "output", r, &d))
      snprintf(r->unread, sizeof r->unread, "%.500s", d.text);
  }
}
// SPDX-License-Identifier: Apache-2.0
