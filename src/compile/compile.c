// compile.c - the pipeline: infer, optimise, place on devices, verify, freeze. Operators are not fused when a
// device beside the CPU is on the list: its kernels take them one by one.
#include "weft/compile.h"

#include "compile/place.h"
#include "program/program.h"

static weft_status stage(const weft_compile_options *o, const char *name) {
  return o->stage ? o->stage(o->stage_ctx, name) : WEFT_OK;
}

static weft_status prepare(weft_graph *g, const weft_compile_options *o, weft_diag *d) {
  weft_optimize_options passes = o->passes;
  passes.size = sizeof passes, passes.options = o->options, passes.n_options = o->n_options;
  WEFT_TRY(stage(o, "infer"));
  WEFT_TRY(weft_graph_infer(g, NULL, NULL, d));
  WEFT_TRY(stage(o, "optimize"));
  bool devices = o->device && strcmp(o->device, "cpu");
  unsigned one_by_one = 1u << WEFT_PASS_SIMPLIFY | 1u << WEFT_PASS_PATTERN | 1u << WEFT_PASS_LAYOUT;
  WEFT_TRY(weft_graph_optimize(g, devices ? one_by_one : 0, &passes, NULL, d));
  if (o->device) {
    WEFT_TRY(stage(o, "place"));
    WEFT_TRY(weft__place(g, o->device, &passes, d));
  }
  WEFT_TRY(stage(o, "verify"));
  return weft_graph_verify(g, NULL, NULL, d);
}

// What it was compiled with stays with the program: weft show prints it.
static weft_status keep_options(weft_graph *g, const weft_compile_options *o, weft_diag *d) {
  weft_text t;
  weft__text_init(&t, weft_env_allocator(g->root->env));
  if (o->device) weft__text_addf(&t, "device=%s", o->device);
  for (size_t i = 0; i < o->n_options; i++) weft__text_addf(&t, "%s%s", t.n ? " " : "", o->options[i]);
  weft_status s = t.failed ? weft_fail(d, WEFT_E_NOMEM, "out of memory")
                  : t.n    ? weft_graph_set_meta(g, "weft.options", t.v, d)
                           : WEFT_OK;
  weft__text_deinit(&t);
  return s;
}

weft_status weft_compile(weft_graph *g, const weft_compile_options *options, weft_program **out,
                         weft_diag *d) {
  weft_compile_options o = {0};
  if (options) memcpy(&o, options, options->size ? WEFT_MIN(options->size, sizeof o) : sizeof o);
  *out = NULL;
  weft_status s = prepare(g, &o, d);
  if (!s) s = keep_options(g, &o, d);
  if (!s) s = stage(&o, "lower");
  if (s) {
    weft_graph_destroy(g);
    return s;
  }
  return weft__program_make(g, out, d);
}
