// passes_util.c - see passes_util.h.
#include "passes_util.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensor/tensor.h"

uint64_t passes_random(uint64_t *state) {
  uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
  z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
  return z ^ z >> 31;
}

static weft_status parse(passes_fixture *f, weft_graph **out) {
  WEFT_TRY(weft_graph_parse(f->env, f->text, strlen(f->text), "test", out, &f->d));
  return weft_graph_infer(*out, NULL, NULL, &f->d);
}

weft_status passes_open_with(passes_fixture *f, const char *text, const weft_op *op) {
  memset(f, 0, sizeof *f);
  weft_env_options o = {.size = sizeof o, .package_path = ""};
  f->text = text;
  WEFT_TRY(weft_env_create(&o, &f->env, &f->d));
  if (op)
    WEFT_TRY(weft_register(f->env, op, 0, &f->d));
  WEFT_TRY(parse(f, &f->before));
  return parse(f, &f->g);
}
weft_status passes_open(passes_fixture *f, const char *text) {
  return passes_open_with(f, text, NULL);
}

void passes_close(passes_fixture *f) {
  weft_graph_destroy(f->g);
  weft_graph_destroy(f->before);
  weft_env_destroy(f->env);
}

void passes_types(const weft_graph *g, char *buf) {
  size_t at = 0;
  buf[0] = 0;
  for (const weft_node *n = weft_graph_first(g); n && at < 480; n = weft_node_next(n))
    at += (size_t)snprintf(buf + at, 512 - at, "%s%s", at ? "," : "", weft_node_type(n));
}

static void report(void *ctx, const weft_pass_report *line) {
  passes_fixture *f = ctx;
  if (f->log_bytes > sizeof f->log - 700)
    return;
  f->log_bytes += (size_t)snprintf(f->log + f->log_bytes, sizeof f->log - f->log_bytes, "%s %s: %s%s\n",
                                   line->pass, line->node, line->skipped ? "left: " : "", line->text);
}

weft_status passes_again(passes_fixture *f, const char *const *options, size_t n_options) {
  weft_optimize_options o = {
      .size = sizeof o, .options = options, .n_options = n_options, .report = report, .report_ctx = f};
  f->log_bytes = 0;
  f->log[0] = 0;
  f->sum = (weft_optimize_summary){.size = sizeof f->sum};
  weft_status s = weft_graph_optimize(f->g, 0, &o, &f->sum, &f->d);
  return s ? s : weft_graph_verify(f->g, NULL, NULL, &f->d);
}

weft_status passes_optimize(passes_fixture *f, const char *const *options, size_t n_options) {
  weft_graph_destroy(f->g);
  f->g = NULL;
  WEFT_TRY(parse(f, &f->g));
  return passes_again(f, options, n_options);
}

static void fill(weft_tensor *t, uint64_t *state) {
  static const double odd[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0, 1.0, -1.0, 3.5};
  int64_t n = weft_tensor_elems(t);
  bool special = passes_random(state) % 2;
  for (int64_t i = 0; i < n; i++) {
    uint64_t z = passes_random(state);
    double v = (double)(z >> 11) / 9007199254740992.0 * 4 - 2;
    if (special && z % 7 == 0)
      v = odd[z / 7 % 8];
    if (t->dtype == WEFT_BOOL)
      ((uint8_t *)t->data)[i] = z & 1;
    else if (weft_dtype_is_float(t->dtype))
      weft_store_f64(t->dtype, t->data, (size_t)i, v);
    else
      weft_store_i64(t->dtype, t->data, (size_t)i, (int64_t)(z % 1000) - 300);
  }
}

static weft_status inputs(const weft_graph *g, weft_tensor *in, uint64_t *state, weft_diag *d) {
  for (size_t i = 0; i < weft_graph_n_inputs(g); i++) {
    weft_tensor_desc desc;
    weft_value_desc(weft_graph_input_at(g, i), &desc);
    weft_shape s = desc.layout.origin;
    for (size_t k = 0; k < s.rank; k++) {
      if (s.dim[k] < 0)
        s.dim[k] = 3;
    }
    WEFT_TRY(weft_tensor_alloc(&in[i], desc.dtype, s.dim, s.rank, d));
    in[i].origin_format = desc.origin_format;
    in[i].format = desc.format;
    fill(&in[i], state);
  }
  return WEFT_OK;
}

// Relative to the largest finite element of the lot: sums and differences cancel.
static weft_status close_enough(const weft_tensor *a, const weft_tensor *b, double rtol, weft_diag *d) {
  double most = 0;
  int64_t n = weft_tensor_elems(b);
  if (!weft_dtype_is_float(b->dtype))
    return weft_tensor_compare(a, b, 0, 0, d);
  for (int64_t i = 0; i < n; i++) {
    double v = fabs(weft_load_f64(b->dtype, b->data, (size_t)i));
    if (isfinite(v) && v > most)
      most = v;
  }
  return weft_tensor_compare(a, b, rtol, rtol * most, d);
}

static weft_status run_both(passes_fixture *f, const weft_tensor *const *in, double rtol) {
  weft_tensor x[16];
  weft_tensor y[16];
  weft_diag own = {0};
  size_t n_in = weft_graph_n_inputs(f->before);
  size_t n_out = weft_graph_n_outputs(f->before);
  weft_status a = weft_interp_run(f->before, NULL, in, n_in, x, n_out, &own);
  weft_status s = weft_interp_run(f->g, NULL, in, n_in, y, n_out, &f->d);
  if (a) {  // what failed before may fail
    s = WEFT_OK;
    weft_diag_clear(&f->d);
  }
  for (size_t i = 0; !s && !a && i < n_out; i++) {
    if (strcmp(weft_value_name(weft_graph_output_at(f->g, i)),
               weft_value_name(weft_graph_output_at(f->before, i)))) {
      s = weft_fail(&f->d, WEFT_E_DIFFERENT, "output %zu is called '%s' now", i,
                    weft_value_name(weft_graph_output_at(f->g, i)));
    }
    if (!s && rtol)
      s = close_enough(&y[i], &x[i], rtol, &f->d);
    if (!s && !rtol && !weft__tensor_same(&x[i], &y[i])) {
      s = weft_tensor_compare(&y[i], &x[i], 0, 0, &f->d);
      if (!s)
        s = weft_fail(&f->d, WEFT_E_DIFFERENT, "output %zu differs in bits", i);
    }
  }
  for (size_t i = 0; i < n_out; i++) {
    weft_tensor_deinit(&x[i]);
    weft_tensor_deinit(&y[i]);
  }
  return s;
}

weft_status passes_same_results(passes_fixture *f, double rtol, unsigned rounds) {
  uint64_t state = rounds;
  weft_status s = WEFT_OK;
  for (unsigned k = 0; k < rounds && !s; k++) {
    weft_tensor in[16];
    const weft_tensor *given[16];
    size_t n = weft_graph_n_inputs(f->before);
    for (size_t i = 0; i < n; i++) {
      weft_tensor_init(&in[i], NULL);
      given[i] = &in[i];
    }
    s = inputs(f->before, in, &state, &f->d);
    if (!s)
      s = run_both(f, given, rtol);
    for (size_t i = 0; i < n; i++)
      weft_tensor_deinit(&in[i]);
  }
  return s;
}
// SPDX-License-Identifier: Apache-2.0
