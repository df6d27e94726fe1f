// review_memory_test.c - whole runs with every allocation failed once: E_NOMEM with a message or success, and
// nothing stays. Then threads that share one environment (meant for the tsan preset, too).
#include <pthread.h>

#include "check.h"
#include "models.h"
#include "weft/weft.h"

static weft_env *open_env(const weft_allocator *a) {
  weft_env *e = NULL;
  weft_diag d = {0};
  weft_env_options o = {.size = sizeof o, .package_path = ""};
  if (a)
    o.allocator = *a;
  if (weft_env_create(&o, &e, &d))
    check_failed(__FILE__, __LINE__, "%s", d.text);
  return e;
}

#define DIMS(...) ((const int64_t[]){__VA_ARGS__})

// ---- every allocation failed once ----
typedef weft_status (*job_fn)(void *ctx, weft_env *e, weft_diag *d);

// Runs the job with the n-th allocation failing, for many n; a step that grows keeps long runs short.
static void fail_each(const char *what, job_fn job, void *ctx, bool own_env) {
  long step = 1;
  for (long n = 1; n < 1000000; n += step) {
    check_alloc c = {0};
    weft_allocator a = check_allocator(&c);
    weft_diag d = {0};
    weft_env *e = NULL;
    weft_env_options o = {.size = sizeof o, .allocator = a, .package_path = "", .no_builtin = false};
    if (own_env)
      c.fail_at = n;
    weft_status s = weft_env_create(&o, &e, &d);
    if (!own_env)
      c.fail_at = c.calls + n;
    bool reached = false;
    if (!s) {
      s = job ? job(ctx, e, &d) : WEFT_OK;
      reached = c.calls >= c.fail_at;
      c.fail_at = 0;
    } else {
      reached = true;
    }
    if (s && s != WEFT_E_NOMEM)
      check_failed(__FILE__, __LINE__, "%s, allocation %ld: %s: %s", what, n, weft_status_name(s), d.text);
    if (s == WEFT_E_NOMEM && !d.length)
      check_failed(__FILE__, __LINE__, "%s, allocation %ld: no message", what, n);
    if (!reached && s)
      check_failed(__FILE__, __LINE__, "%s: %s", what, d.text);
    weft_env_destroy(e);
    if (c.live_blocks || c.live_bytes)
      check_failed(__FILE__, __LINE__, "%s, allocation %ld: %ld blocks stay", what, n, c.live_blocks);
    if (!reached)
      return;
    step = own_env ? 1 + n / 16 : 1 + n / 64;
  }
}

static weft_status nothing(void *ctx, weft_env *e, weft_diag *d) {
  (void)ctx;
  (void)e;
  (void)d;
  return WEFT_OK;
}
TEST(allocations_of_an_environment) {
  fail_each("weft_env_create", nothing, NULL, true);
}

static weft_status first_shape(weft_infer *it) {
  return weft_set_out_shape(it, 0, it->in[0]->dim, it->in[0]->rank);
}
static weft_status first_dtype(weft_infer *it) {
  return weft_set_out_dtype(it, 0, it->in_dtype[0]);
}

static weft_status build(void *ctx, weft_env *e, weft_diag *d) {
  static const weft_dtype dtypes[] = {WEFT_FLOAT, WEFT_FLOAT16, WEFT_INT32};
  static const weft_format formats[] = {WEFT_ND, WEFT_ND, WEFT_ND};
  (void)ctx;
  weft_status s = WEFT_OK;
  for (int i = 0; i < 30 && !s; i++) {
    char name[32];
    char port[32];
    snprintf(name, sizeof name, "ReviewBuilt%d", i);
    weft_op_builder *b = weft_builder_create(e, name);
    if (!b)
      return weft_fail(d, WEFT_E_NOMEM, "out of memory");
    for (int k = 0; k < 12; k++) {
      snprintf(port, sizeof port, "x%d", k);
      weft_builder_formats(weft_builder_dtypes(weft_builder_input(b, port, WEFT_REQUIRED), 3, dtypes), 3,
                           formats);
    }
    weft_builder_formats(weft_builder_dtypes(weft_builder_output(b, "y", WEFT_REQUIRED), 3, dtypes), 3,
                         formats);
    for (int k = 0; k < 12; k++) {
      snprintf(port, sizeof port, "a%d", k);
      weft_builder_attr(b, port, "ListInt", "[1,2,3]", "each min 0");
    }
    weft_builder_target(weft_builder_kernel(b, "kernel"), "cpu");
    weft_builder_infer_dtype(weft_builder_infer_shape(b, first_shape), first_dtype);
    s = weft_builder_register(b, 0, d);
    weft_builder_destroy(b);
  }
  return s;
}
TEST(allocations_of_builder_and_registration) {
  fail_each("weft_builder_register", build, NULL, false);
}

static weft_status one_operator(void *ctx, weft_env *e, weft_diag *d) {
  weft_tensor a;
  weft_tensor b;
  weft_tensor y;
  weft_tensor_desc desc;
  const weft_tensor *in[2] = {&a, &b};
  (void)ctx;
  weft_tensor_init(&a, NULL);
  weft_tensor_init(&b, NULL);
  weft_status s = weft_tensor_alloc(&a, WEFT_FLOAT, DIMS(2, 3), 2, d);
  if (!s)
    s = weft_tensor_alloc(&b, WEFT_FLOAT, DIMS(3, 4), 2, d);
  const weft_proto *p = weft_find(e, "BatchMatMulV2");
  if (!s)
    s = weft_infer_op(e, p, NULL, in, 2, &desc, 1, d);
  if (!s) {
    s = weft_run_op(e, p, NULL, in, 2, &y, 1, NULL, d);
    weft_tensor_deinit(&y);
  }
  weft_tensor_deinit(&a);
  weft_tensor_deinit(&b);
  return s;
}
TEST(allocations_of_one_operator) {
  fail_each("weft_infer_op and weft_run_op", one_operator, NULL, false);
}

static weft_status load_package(void *ctx, weft_env *e, weft_diag *d) {
  (void)ctx;
  return weft_load_packages(e, WEFT_BINARY_DIR "/tests/packages/documents", d);
}
TEST(allocations_of_packages) {
  fail_each("weft_load_packages", load_package, NULL, false);
}

static weft_status whole_model(void *ctx, weft_env *e, weft_diag *d) {
  const model *m = ctx;
  weft_graph *g = NULL;
  weft_tensor in;
  weft_tensor out;
  const weft_tensor *given[1] = {&in};
  weft_tensor_init(&in, NULL);
  weft_tensor_init(&out, NULL);
  weft_status s = weft_tensor_alloc(&in, WEFT_FLOAT, m->input->dim, (size_t)m->input->rank, d);
  if (!s)
    s = weft_onnx_read(e, m->text.v, m->text.n, "model", &g, d);
  if (!s)
    s = weft_graph_infer(g, NULL, NULL, d);
  if (!s)
    s = weft_interp_run(g, NULL, given, 1, &out, 1, d);
  weft_tensor_deinit(&in);
  weft_tensor_deinit(&out);
  weft_graph_destroy(g);
  return s;
}
TEST(allocations_of_whole_models) {
  for (size_t i = 0; model_names[i]; i++) {
    static model m;
    weft_diag d = {0};
    CHECK(model_make(&m, model_names[i], &d));
    fail_each(model_names[i], whole_model, &m, false);
    model_free(&m);
  }
}

// ---- two threads, one environment: finding, querying and inferring (weft/env.h) ----
typedef struct worker {
  weft_env *env;
  const model *m;
  unsigned seed;
  weft_status status;
  weft_diag d;
  char text[256];
} worker;

static void *work(void *ctx) {
  worker *w = ctx;
  size_t n = weft_proto_count(w->env, true);
  for (size_t i = 0; i < n; i += 1 + w->seed % 2) {  // catalogue entries are made on first use
    const weft_proto *p = weft_proto_at(w->env, i, true);
    if (!p || weft_find(w->env, weft_proto_op(p)->name) != p)
      w->status = WEFT_E_DIFFERENT;
    i += (i + w->seed) % 37;
  }
  const weft_proto *p;
  weft_diag own = {0};
  if (weft_get(w->env, "Reluu", &p, &own) != WEFT_E_NOT_FOUND)
    w->status = WEFT_E_DIFFERENT;
  for (int i = 0; i < 3 && !w->status; i++)
    w->status = whole_model((void *)(uintptr_t)w->m, w->env, &w->d);
  for (int i = 0; i < 20 && !w->status; i++)
    w->status = one_operator(NULL, w->env, &w->d);
  return NULL;
}

TEST(two_threads_share_an_environment) {
  static model m[2];
  weft_diag d = {0};
  weft_env *e = open_env(NULL);
  CHECK(model_make(&m[0], "inception", &d) && model_make(&m[1], "attention", &d));
  worker w[4] = {{e, &m[0], 1, 0, {0}, {0}},
                 {e, &m[1], 2, 0, {0}, {0}},
                 {e, &m[0], 3, 0, {0}, {0}},
                 {e, &m[1], 4, 0, {0}, {0}}};
  pthread_t t[4];
  for (int i = 0; i < 4; i++)
    CHECK(!pthread_create(&t[i], NULL, work, &w[i]));
  for (int i = 0; i < 4; i++) {
    pthread_join(t[i], NULL);
    if (w[i].status)
      check_failed(__FILE__, __LINE__, "thread %d: %s %s", i, weft_status_name(w[i].status), w[i].d.text);
  }
  weft_env_destroy(e);
  model_free(&m[0]);
  model_free(&m[1]);
}
// SPDX-License-Identifier: Apache-2.0
