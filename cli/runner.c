// runner.c - see runner.h.
#include "runner.h"

#include <sys/stat.h>

weft_status runner_make(runner *r, weft_graph *g, const runner_options *o, weft_diag *d) {
  memset(r, 0, sizeof *r);
  if (o->interp) {
    r->g = r->own = g;
    r->interp = (weft_interp_options){
        .size = sizeof r->interp, .watch = o->exec.watch, .watch_ctx = o->exec.watch_ctx};
    WEFT_TRY(weft_graph_states_out(g, d));
    return weft_graph_infer(g, NULL, NULL, d);
  }
  weft_compile_options c = {
      .size = sizeof c, .device = o->device, .options = o->options, .n_options = o->n_options};
  WEFT_TRY(weft_compile(g, &c, &r->program, d));
  r->g = weft_program_graph(r->program);
  return weft_exec_create(r->program, &o->exec, &r->exec, d);
}

weft_status runner_load(runner *r, weft_env *e, const char *path, const runner_options *o, weft_diag *d) {
  memset(r, 0, sizeof *r);
  WEFT_TRY(weft_program_load(e, path, &r->program, d));
  r->g = weft_program_graph(r->program);
  return weft_exec_create(r->program, &o->exec, &r->exec, d);
}

weft_status runner_run(runner *r, const weft_tensor *const *in, size_t n_in, weft_tensor *out, size_t n_out,
                       weft_diag *d) {
  if (r->own)
    return weft_interp_run(r->own, &r->interp, in, n_in, out, n_out, d);
  weft_tensor **list = calloc(n_out + 1, sizeof *list);
  for (size_t i = 0; i < n_out; i++)
    weft_tensor_init(&out[i], NULL);
  for (size_t i = 0; list && i < n_out; i++)
    list[i] = &out[i];
  weft_status s =
      list ? weft_exec_run(r->exec, in, n_in, list, n_out, d) : weft_fail(d, WEFT_E_NOMEM, "out of memory");
  free(list);
  return s;
}

// A pipe is not looked into: what is read of it is gone.
bool is_program(const char *path) {
  struct stat st;
  char head[8] = {0};
  if (stat(path, &st) || !S_ISREG(st.st_mode))
    return false;
  FILE *f = fopen(path, "rb");
  size_t n = f ? fread(head, 1, sizeof head, f) : 0;
  if (f)
    fclose(f);
  return n == sizeof head && !memcmp(head, "WEFTPROG", 8);
}

void runner_free(runner *r) {
  weft_graph_destroy(r->own);
  weft_exec_destroy(r->exec);
  weft_program_release(r->program);
  memset(r, 0, sizeof *r);
}

// ---- options ----
// From text on, a number of at most `most` and what stands behind it. 0: none.
static unsigned long runner_number(const char *text, unsigned long most, char **end) {
  unsigned long n = strtoul(text, end, 10);
  return *text && n <= most ? n : 0;
}

static int take_device(runner_options *o, const char *help, const char *v) {
  (void)help;
  o->device = v;
  return 0;
}

static int take_isa(runner_options *o, const char *help, const char *v) {
  (void)o;
  (void)help;
  use_isa(v);
  return 0;
}

static int take_streams(runner_options *o, const char *help, const char *v) {
  char *end;
  unsigned long n = runner_number(v, 16, &end);
  bool always = *end == '!';
  if (!n || end[always])
    return usage_error(help, "--streams '%s': expected 1 to 16, with ! for always", v);
  o->exec.streams = (uint32_t)n;
  o->exec.streams_always |= always;
  return 0;
}

static int take_threads(runner_options *o, const char *help, const char *v) {
  char *end;
  unsigned long n = runner_number(v, 1024, &end);
  if (!n || *end)
    return usage_error(help, "--threads '%s': expected 1 to 1024", v);
  o->threads = (uint32_t)n;
  return 0;
}

static int take_compiler(runner_options *o, const char *help, const char *v) {
  if (!strchr(v, '='))
    return usage_error(help, "--option '%s': expected NAME=VALUE", v);
  if (o->n_options == 64)
    return usage_error(help, "more than 64 --option options");
  o->options[o->n_options++] = v;
  return 0;
}

int runner_option(args *a, runner_options *o, const char *help) {
  static const struct {
    const char *name;
    int (*take)(runner_options *o, const char *help, const char *value);
  } with_value[] = {{"--device", take_device},
                    {"--isa", take_isa},
                    {"--streams", take_streams},
                    {"--threads", take_threads},
                    {"--option", take_compiler}};
  if (arg_flag(a, "--interp")) {
    o->interp = true;
    return 0;
  }
  for (size_t i = 0; i < sizeof with_value / sizeof *with_value; i++) {
    const char *v;
    if (arg_value(a, with_value[i].name, &v))
      return with_value[i].take(o, help, v);
  }
  return -1;
}
// SPDX-License-Identifier: Apache-2.0
