// run_util.c - see run_util.h.
#include "run_util.h"

#include "base/base.h"

bool run_load(run_fixture *f, const char *graph, const weft_exec_options *o) {
  const weft_compile_options plain = {
      .size = sizeof plain, .options = (const char *const[]){"passes=0"}, .n_options = 1};
  weft_diag *d = &f->r.d;
  weft_graph *g = NULL;
  f->g = NULL;
  f->p = NULL;
  f->x = NULL;
  weft_status s = weft_graph_parse(f->r.env, graph, strlen(graph), "test", &f->g, d);
  if (!s)
    s = weft_graph_infer(f->g, NULL, NULL, d);
  if (!s)
    s = weft_graph_parse(f->r.env, graph, strlen(graph), "test", &g, d);
  weft_compile_options c = f->passes ? (weft_compile_options){.size = sizeof c} : plain;
  if (f->passes && f->option) {
    c.options = &f->option;
    c.n_options = 1;
  }
  c.device = f->device;
  if (!s)
    s = weft_compile(g, &c, &f->p, d);
  if (!s)
    s = weft_exec_create(f->p, o, &f->x, d);
  if (!s)
    return true;
  check_failed(__FILE__, __LINE__, "%s\n%s", d->text, graph);
  run_drop(f);
  return false;
}

void run_drop(run_fixture *f) {
  weft_exec_destroy(f->x);
  weft_program_release(f->p);
  weft_graph_destroy(f->g);
}

static bool open_as(run_fixture *f, const char *graph, const weft_exec_options *o, const weft_op *op,
                    const run_fixture *how) {
  *f = *how;
  if (!rows_open(&f->r, ""))
    return false;
  weft_status s = op ? weft_register(f->r.env, op, 0, &f->r.d) : WEFT_OK;
  if (s)
    check_failed(__FILE__, __LINE__, "%s", f->r.d.text);
  if (!s && run_load(f, graph, o))
    return true;
  rows_close(&f->r);
  return false;
}

bool run_open(run_fixture *f, const char *graph, const weft_exec_options *o, const weft_op *op) {
  return open_as(f, graph, o, op, &(run_fixture){.passes = false});
}

bool run_open_optimised(run_fixture *f, const char *graph) {
  return open_as(f, graph, NULL, NULL, &(run_fixture){.passes = true});
}

bool run_open_on(run_fixture *f, const char *device, const char *graph, const weft_exec_options *o) {
  return open_as(f, graph, o, NULL, &(run_fixture){.device = device});
}

void run_close(run_fixture *f) {
  run_drop(f);
  rows_close(&f->r);
}

weft_status run_equal(const weft_tensor *a, const weft_tensor *b, weft_diag *d) {
  if (a->kind != b->kind || a->format != b->format || a->origin_format != b->origin_format) {
    return weft_fail(d, WEFT_E_DIFFERENT, "kind %d, format %u: expected %d, %u", a->kind, (unsigned)a->format,
                     b->kind, (unsigned)b->format);
  }
  WEFT_TRY(weft_tensor_compare(a, b, 0, 0, d));
  if (a->kind != WEFT_KIND_TENSOR || a->dtype == WEFT_STRING)
    return WEFT_OK;
  if (a->bytes != b->bytes)
    return weft_fail(d, WEFT_E_DIFFERENT, "%zu bytes, expected %zu", a->bytes, b->bytes);
  return a->bytes && memcmp(a->data, b->data, a->bytes) ? weft_fail(d, WEFT_E_DIFFERENT, "bits differ")
                                                        : WEFT_OK;
}

bool run_same_tensors(run_fixture *f, const weft_tensor *const *in, size_t n_in, const char *file, int line) {
  weft_tensor want[RUN_OUT];
  weft_tensor got[RUN_OUT];
  weft_tensor *list[RUN_OUT];
  size_t n = weft_graph_n_outputs(f->g);
  weft_diag d = {0};
  weft_diag e = {0};
  weft_status expected = weft_interp_run(f->g, NULL, in, n_in, want, n, &e);
  for (size_t i = 0; i < n; i++) {
    weft_tensor_init(&got[i], NULL);
    list[i] = &got[i];
  }
  bool ok = true;
  for (int round = 0; ok && round < 2; round++) {  // the second time into the memory that the first gave
    weft_diag_clear(&d);
    weft_status s = weft_exec_run(f->x, in, n_in, list, n, &d);
    ok = s == expected;
    if (!ok) {
      check_failed(file, line, "run %d gave %s (%s), the interpreter %s (%s)", round, weft_status_name(s),
                   d.text, weft_status_name(expected), e.text);
    }
    for (size_t i = 0; ok && !s && i < n; i++) {
      weft_diag_clear(&d);
      if (!run_equal(&got[i], &want[i], &d))
        continue;
      ok = false;
      check_failed(file, line, "run %d, output %zu: %s", round, i, d.text);
    }
  }
  for (size_t i = 0; i < n; i++) {
    weft_tensor_deinit(&got[i]);
    weft_tensor_deinit(&want[i]);
  }
  return ok;
}

bool run_same(run_fixture *f, const char *literals, const char *file, int line) {
  rows_tensors t;
  bool ok = rows_read(&f->r, literals, &t) && run_same_tensors(f, t.in, t.n, file, line);
  rows_free(&t);
  if (!ok)
    check_failed(file, line, "with %s", literals);
  return ok;
}

const char *run_text(run_fixture *f, const char *literals) {
  rows_tensors t;
  weft_tensor got[RUN_OUT];
  weft_tensor *list[RUN_OUT];
  size_t n = weft_graph_n_outputs(f->g);
  weft_text text;
  if (!rows_read(&f->r, literals, &t))
    return "unreadable";
  for (size_t i = 0; i < n; i++) {
    weft_tensor_init(&got[i], NULL);
    list[i] = &got[i];
  }
  weft_diag_clear(&f->r.d);
  weft_status s = weft_exec_run(f->x, t.in, t.n, list, n, &f->r.d);
  weft__text_init(&text, weft_env_allocator(f->r.env));
  for (size_t i = 0; !s && i < n; i++) {
    if (i)
      weft__text_add(&text, "; ", 2);
    s = weft_tensor_print(&got[i], 0, weft__text_write, &text);
  }
  snprintf(f->text, sizeof f->text, "%s%s%.*s", s ? weft_status_name(s) : "", s ? ": " : "",
           s ? (int)f->r.d.length : (int)text.n,
           s        ? f->r.d.text
           : text.v ? text.v
                    : "");
  weft__text_deinit(&text);
  for (size_t i = 0; i < n; i++)
    weft_tensor_deinit(&got[i]);
  rows_free(&t);
  return f->text;
}

weft_exec_stats run_stats(const run_fixture *f) {
  weft_exec_stats s = {.size = sizeof s};
  weft_exec_get_stats(f->x, &s);
  return s;
}

// ---- devices ----
const char *run_devices(run_fixture *f, char *buf, size_t cap) {
  size_t at = 0;
  buf[0] = 0;
  for (const weft_node *n = weft_graph_first(weft_program_graph(f->p)); n; n = weft_node_next(n)) {
    const weft_attr *a = weft_node_attr(n, "_device");
    const weft_attr *c = weft_node_attr(n, "_copy");
    weft__append(buf, cap, &at, "%s%s%s@%s", at ? " " : "", c ? "copy:" : "", weft_node_type(n),
                 a ? a->u.s : "cpu");
  }
  return buf;
}

const char *run_compile_error(rows *r, const char *device, const char *graph) {
  static char text[4200];
  weft_graph *g;
  weft_program *p;
  weft_diag d = {0};
  weft_compile_options o = {
      .size = sizeof o, .device = device, .options = (const char *const[]){"passes=0"}, .n_options = 1};
  if (weft_graph_parse(r->env, graph, strlen(graph), "test", &g, &d))
    return "unreadable";
  weft_status s = weft_compile(g, &o, &p, &d);
  if (!s)
    weft_program_release(p);
  snprintf(text, sizeof text, "%s: %s", s ? weft_status_name(s) : "OK", d.text);
  return text;
}

// ---- dtypes ----
const run_float run_f32 = {"f32", WEFT_FLOAT, 0}, run_f16 = {"f16", WEFT_FLOAT16, 0x1p-11},
                run_bf16 = {"bf16", WEFT_BF16, 0x1p-8};

void run_retype(const char *text, const char *dtype, bool inputs_only, char *out, size_t cap) {
  size_t at = 0;
  size_t n = strlen(dtype);
  bool of_const = false;
  for (const char *p = text; *p && at + n + 1 < cap;) {
    if (!strncmp(p, "const ", 6))
      of_const = true;
    if (!strncmp(p, "input ", 6))
      of_const = false;
    if (strncmp(p, "f32[", 4) || (of_const && inputs_only)) {
      out[at++] = *p++;
      continue;
    }
    memcpy(out + at, dtype, n);
    at += n;
    p += 3;
  }
  out[at] = 0;
}
void run_plan_text(run_fixture *f, char *buf, size_t cap) {
  weft_text t;
  weft_memory_plan m = {.size = sizeof m};
  buf[0] = 0;
  weft__text_init(&t, weft_env_allocator(f->r.env));
  if (weft_exec_prepare(f->x, NULL, 0, &m, &f->r.d) ||
      weft_exec_print_plan(f->x, weft__text_write, &t, &f->r.d))
    check_failed(__FILE__, __LINE__, "%s", f->r.d.text);
  else
    snprintf(buf, cap, "%.*s", (int)t.n, t.v);
  weft__text_deinit(&t);
}
// SPDX-License-Identifier: Apache-2.0
