// compile.c - the pipeline: infer, optimise, place on devices, verify, freeze. When a device beside the CPU
// is on the list, operators are placed one by one, and those that stay on the CPU are fused afterwards.
#include "base/told.h"
#include "weft/compile.h"

#include "compile/place.h"
#include "pass/pass.h"
#include "op/precision.h"
#include "program/program.h"
#include "weft/state.h"

static weft_status stage(const weft_compile_options *o, const char *name, weft_diag *d) {
  weft_status s = o->stage ? o->stage(o->stage_ctx, name) : WEFT_OK;
  return s ? weft_fail(d, s, "the stage function stopped compiling before '%s'", name) : WEFT_OK;
}

static weft_status compile_prepare(weft_graph *g, const weft_compile_options *o, weft_diag *d) {
  weft_optimize_options passes = {0};
  WEFT_SIZED_IN(&passes, o->passes, verify_each);
  passes.size = sizeof passes;
  passes.options = o->options;
  passes.n_options = o->n_options;
  bool devices = o->device && strcmp(o->device, "cpu");
  WEFT_TRY(weft_graph_states_out(g, d));
  WEFT_TRY(stage(o, "infer", d));
  if (devices)
    WEFT_TRY(weft__name_dims(g, d));
  WEFT_TRY(weft_graph_infer(g, NULL, NULL, d));
  WEFT_TRY(stage(o, "optimize", d));
  unsigned before = 1u << WEFT_PASS_SIMPLIFY | 1u << WEFT_PASS_PATTERN;
  unsigned after = 1u << WEFT_PASS_FUSE | 1u << WEFT_PASS_LAYOUT;
  weft__passes_done done = {.proven_later = true};
  WEFT_TRY(weft__graph_optimize(g, devices ? before : 0, &passes, &done, NULL, d));
  if (o->device) {
    WEFT_TRY(stage(o, "place", d));
    WEFT_TRY(weft__place(g, o->device, &passes, d));
  }
  if (devices)
    WEFT_TRY(weft__graph_optimize(g, after, &passes, &done, NULL, d));
  WEFT_TRY(stage(o, "verify", d));
  return weft_graph_verify(g, NULL, NULL, d);
}

// What it was compiled with stays with the program: weft show prints it.
static weft_status keep_options(weft_graph *g, const weft_compile_options *o, weft_diag *d) {
  weft_text t;
  weft__text_init(&t, weft_env_allocator(g->root->env));
  if (o->device)
    weft__text_addf(&t, "device=%s", o->device);
  for (size_t i = 0; i < o->n_options; i++)
    weft__text_addf(&t, "%s%s", t.n ? " " : "", o->options[i]);
  weft_status s = t.failed ? weft_fail(d, WEFT_E_NOMEM, "out of memory")
                  : t.n    ? weft_graph_set_meta(g, "weft.options", t.v, d)
                           : WEFT_OK;
  weft__text_deinit(&t);
  WEFT_TRY(s);
  const char *mode = NULL;
  for (size_t i = 0; i < o->n_options; i++) {
    if (weft__precision_name(o->options[i]))
      mode = weft__precision_name(o->options[i]);
  }
  if (!mode && weft_graph_find_meta(g, WEFT__PRECISION_META))
    mode = "must_keep_origin_dtype";
  return mode ? weft_graph_set_meta(g, WEFT__PRECISION_META, mode, d) : WEFT_OK;
}

weft_status weft_compile(weft_graph *g, const weft_compile_options *options, weft_program **out,
                         weft_diag *d) {
  if (out)
    *out = NULL;
  WEFT_NEED(d, g);
  if (!out) {
    weft_graph_destroy(g);
    WEFT_NEED(d, out);
  }
  weft_compile_options o = {0};
  WEFT_SIZED_IN(&o, options, stage_ctx);
  weft_diag own = {0};
  if (!d)
    d = &own;  // what fails is looked at
  weft__budget *budget = &g->root->budget;
  weft__allowance before = weft__budget_begin(budget, o.limits, &g->root->env->limits);
  weft_status s = weft__maps_check(g, d);
  if (!s)
    s = compile_prepare(g, &o, d);
  if (!s)
    s = keep_options(g, &o, d);
  if (!s)
    s = stage(&o, "lower", d);
  s = weft__graph_budget_end(g, &before, s, d);
  if (s) {
    weft_graph_destroy(g);
    return s;
  }
  weft__consts_by_use(g);
  weft__maps_rest(g);  // passes have compared constants; packing reads those of its own by and by
  return weft__told(weft__program_make(g, o.limits, out, d), d);
}
// SPDX-License-Identifier: Apache-2.0
