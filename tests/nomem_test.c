// nomem_test.c - a model's way from its file to a result, every allocation failed once: what comes out is
// E_NOMEM with a text, or success.
#include <unistd.h>

#include "base/base.h"
#include "models.h"
#include "run_util.h"

// All of them up to MANY, every STEP-th behind: what comes late is like what came before.
enum { MANY = 150, STEP = 13, MOST = 4000 };

typedef struct way {
  weft_env *env;
  weft_graph *graph;
  weft_program *program;
  weft_text file;  // of the program
  model *m;
  char path[64];
  weft_diag d;
} way;

static const char text_ir[] =
    "graph \"g\" { input x: f32[n,4] const w: f32[4,4]{*2} node a: MatMulV2(x, w) -> v node b: Relu(v) -> y"
    " output y }";

static weft_status parse(way *w, weft_graph **out) {
  return weft_graph_parse(w->env, text_ir, sizeof text_ir - 1, "test", out, &w->d);
}

static weft_status load(way *w) {
  weft_graph *g;
  WEFT_TRY(weft_model_load(w->env, w->path, &g, &w->d));
  weft_graph_destroy(g);
  return WEFT_OK;
}
static weft_status build(way *w) {
  weft_graph *g;
  WEFT_TRY(parse(w, &g));
  weft_graph_destroy(g);
  return WEFT_OK;
}
static weft_status infer(way *w) {
  weft_graph *g;
  WEFT_TRY(weft_onnx_read(w->env, w->m->text.v, w->m->text.n, "model", &g, &w->d));
  weft_status s = weft_graph_infer(g, NULL, NULL, &w->d);
  weft_graph_destroy(g);
  return s;
}
static weft_status compile(way *w) {
  weft_graph *g;
  weft_program *p;
  WEFT_TRY(parse(w, &g));
  WEFT_TRY(weft_compile(g, NULL, &p, &w->d));
  weft_program_release(p);
  return WEFT_OK;
}
static weft_status nowhere(void *ctx, const char *text, size_t bytes) {
  (void)ctx;
  (void)text;
  (void)bytes;
  return WEFT_OK;
}
static weft_status save(way *w) {
  WEFT_TRY(weft_graph_save(weft_program_graph(w->program), nowhere, NULL, &w->d));
  return weft_program_save(w->program, nowhere, NULL, &w->d);
}
static weft_status load_program(way *w) {
  weft_program *p;
  WEFT_TRY(weft_program_load_memory(w->env, w->file.v, w->file.n, &p, &w->d));
  weft_program_release(p);
  return WEFT_OK;
}
static weft_status run(way *w) {
  weft_session *s;
  float data[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  weft_tensor in;
  weft_tensor out;
  weft_tensor_init(&in, NULL);
  weft_tensor_init(&out, NULL);
  WEFT_TRY(weft_tensor_borrow(&in, WEFT_FLOAT, (weft_dim[]){2, 4}, 2, data, sizeof data, &w->d));
  WEFT_TRY(weft_session_create(w->env, NULL, &s, &w->d));
  weft_status status = weft_session_add(s, 1, w->program, &w->d);
  if (!status) {
    status =
        weft_session_run(s, 1, (const weft_tensor *const[]){&in}, 1, (weft_tensor *const[]){&out}, 1, &w->d);
  }
  weft_tensor_deinit(&out);
  weft_session_destroy(s);
  return status;
}
static weft_status interpret(way *w) {
  weft_graph *g;
  float data[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  weft_tensor in;
  weft_tensor out;
  weft_tensor_init(&in, NULL);
  WEFT_TRY(weft_tensor_borrow(&in, WEFT_FLOAT, (weft_dim[]){2, 4}, 2, data, sizeof data, &w->d));
  WEFT_TRY(parse(w, &g));
  weft_status s = weft_graph_infer(g, NULL, NULL, &w->d);
  if (!s) {
    s = weft_interp_run(g, NULL, (const weft_tensor *const[]){&in}, 1, &out, 1, &w->d);
    weft_tensor_deinit(&out);
  }
  weft_graph_destroy(g);
  return s;
}
static weft_status one_operator(way *w) {
  float data[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  weft_tensor in;
  weft_tensor out;
  weft_tensor_desc desc;
  weft_tensor_init(&in, NULL);
  WEFT_TRY(weft_tensor_borrow(&in, WEFT_FLOAT, (weft_dim[]){2, 4}, 2, data, sizeof data, &w->d));
  const weft_tensor *list[] = {&in};
  const weft_proto *p;
  WEFT_TRY(weft_get(w->env, "Relu", &p, &w->d));
  WEFT_TRY(weft_infer_op(w->env, p, NULL, list, 1, &desc, 1, &w->d));
  weft_status s = weft_run_op(w->env, p, NULL, list, 1, &out, 1, NULL, &w->d);
  weft_tensor_deinit(&out);
  return s;
}

static void fail_each(way *w, check_alloc *c, const char *what, weft_status (*step)(way *w)) {
  weft_diag_clear(&w->d);
  if (step(w))
    check_failed(__FILE__, __LINE__, "%s: %s", what, w->d.text);
  bool done = false;
  for (long i = 1; !done && i < MOST; i += i < MANY ? 1 : STEP) {
    weft_diag_clear(&w->d);
    c->fail_at = c->calls + i;
    weft_status s = step(w);
    done = c->calls < c->fail_at;
    c->fail_at = 0;
    // A pool of symbols does not say why it cannot keep a dim.
    if (s && s != WEFT_E_NOMEM && !strstr(w->d.text, "out of memory"))
      check_failed(__FILE__, __LINE__, "%s, allocation %ld: %s %s", what, i, weft_status_name(s), w->d.text);
    if (s && (!w->d.length || w->d.status != s))
      check_failed(__FILE__, __LINE__, "%s, allocation %ld: %s without a text", what, i, weft_status_name(s));
  }
}

TEST(no_memory_has_a_text) {
  static model m;
  static way w;
  check_alloc c = {0};
  w = (way){.m = &m};
  weft_env_options o = {.size = sizeof o, .package_path = "", .allocator = check_allocator(&c), .threads = 1};
  CHECK_OK(weft_env_create(&o, &w.env, &w.d), &w.d);
  CHECK(model_make(&m, "conv_bn_relu_pool", &w.d));
  snprintf(w.path, sizeof w.path, "/tmp/weft_nomem_%ld.onnx", (long)getpid());
  FILE *f = fopen(w.path, "wb");
  CHECK(f && fwrite(m.text.v, 1, m.text.n, f) == m.text.n);
  if (f)
    fclose(f);
  CHECK_OK(parse(&w, &w.graph), &w.d);
  CHECK_OK(weft_compile(w.graph, NULL, &w.program, &w.d), &w.d);
  weft_allocator a = weft_allocator_default();
  weft__text_init(&w.file, &a);
  CHECK_OK(weft_program_save(w.program, weft__text_write, &w.file, &w.d), &w.d);
  fail_each(&w, &c, "a model's file", load);
  fail_each(&w, &c, "text", build);
  fail_each(&w, &c, "inference", infer);
  fail_each(&w, &c, "compiling", compile);
  fail_each(&w, &c, "saving", save);
  fail_each(&w, &c, "a program's bytes", load_program);
  fail_each(&w, &c, "a session's run", run);
  fail_each(&w, &c, "the interpreter", interpret);
  fail_each(&w, &c, "one operator", one_operator);
  unlink(w.path);
  weft__text_deinit(&w.file);
  model_free(&m);
  weft_program_release(w.program);
  weft_env_destroy(w.env);
  CHECK_INT(c.live_blocks, 0);
}
// SPDX-License-Identifier: Apache-2.0
