// run_memory_test.c - every allocation of compiling, of making an exec and of running fails once; programs
// shared by threads.
#include <pthread.h>

#include "check.h"
#include "run_util.h"

static const struct {
  const char *graph;
  const char *in;
} cases[] = {
    // shapes known only when running, views, chains in place
    {"graph \"g\" { input x: f32[N,2] const s: i64[2]{2,-1} const w: f32[]{3} node a: Mul(x, w) -> a node b: "
     "Abs(a) -> b node v: "
     "Reshape(b, s) -> v node u: Reshape(a, s) -> u node c: Add(v, u) -> y output y output a }",
     "f32[3,2]{0..}"},
    // shapes that data decide: several segments
    {"graph \"g\" { input x: f32[N] node z: NonZero(x) -> z node c: Cast(z) {dst_type=0} -> c node s: "
     "Shape(c) -> t node f: "
     "Fill(t, k) -> u const k: f32[]{7} node d: Add(u, c) -> y output y output z }",
     "f32[4]{1,0,2,3}"},
    // sub-graphs
    {"graph \"g\" { input m: i64[] input x: f32[N] const t: bool[]{1} const ax: i32[]{0} node l: Loop(m, t, "
     "[x], []) "
     "{body=graph \"b\" { input i: i64[] input c: bool[] input v: f32[?] const ax: i32[]{0} node d: "
     "ConcatV2([v, v], ax) {N=2} "
     "-> w node k: Identity(c) -> c2 node n: Neg(i) -> o output c2 output w output o }} -> [y], [s] node z: "
     "Neg(y) -> z output "
     "z output s }",
     "i64[]{2}; f32[2]{1,2}"},
    // strings, sequences, execute functions
    {"graph \"g\" { input x: str[N] input y: f32[M] node c: StringConcat(x, x) -> z node q: SeqConstruct([y, "
     "y]) -> s const p: "
     "i64[]{1} node a: SeqAt(s, p) -> e node n: Neg(e) -> w output z output s output w }",
     "str[2]{\"a\",\"bc\"}; f32[2]{1,2}"},
};

typedef struct once {
  check_alloc c;
  rows r;
  weft_tensor want[RUN_OUT];
  size_t n_out;
} once;

static weft_status run(once *o, weft_exec *x, const rows_tensors *t, weft_diag *d) {
  weft_tensor got[RUN_OUT];
  weft_tensor *list[RUN_OUT];
  for (size_t i = 0; i < o->n_out; i++) {
    weft_tensor_init(&got[i], weft_env_allocator(o->r.env));
    list[i] = &got[i];
  }
  weft_status s = weft_exec_run(x, t->in, t->n, list, o->n_out, d);
  for (size_t i = 0; !s && i < o->n_out; i++) {
    weft_diag e = {0};
    if (run_equal(&got[i], &o->want[i], &e))
      check_failed(__FILE__, __LINE__, "output %zu: %s", i, e.text);
  }
  for (size_t i = 0; i < o->n_out; i++)
    weft_tensor_deinit(&got[i]);
  return s;
}

static weft_status parse(once *o, const char *text, weft_graph **out, weft_diag *d) {
  return weft_graph_parse(o->r.env, text, strlen(text), "test", out, d);
}

// What the interpreter says; also wakes everything in the environment that is made on first use.
static weft_status oracle(once *o, const char *text, const rows_tensors *t) {
  weft_graph *g;
  WEFT_TRY(parse(o, text, &g, &o->r.d));
  weft_status s = weft_graph_infer(g, NULL, NULL, &o->r.d);
  o->n_out = weft_graph_n_outputs(g);
  if (!s)
    s = weft_interp_run(g, NULL, t->in, t->n, o->want, o->n_out, &o->r.d);
  weft_graph_destroy(g);
  return s;
}

// With the n-th allocation failing. False when there was no n-th: everything has been failed once.
static bool fail_nth(once *o, const char *text, const rows_tensors *t, long n) {
  weft_graph *g;
  weft_program *p = NULL;
  weft_exec *x = NULL;
  weft_diag d = {0};
  if (parse(o, text, &g, &d))
    return check_failed(__FILE__, __LINE__, "%s", d.text), false;
  o->c.calls = 0;
  o->c.fail_at = n;
  weft_status s = weft_compile(g, NULL, &p, &d);
  if (!s)
    s = weft_exec_create(p, NULL, &x, &d);
  if (!s)
    s = run(o, x, t, &d);
  if (!s)
    s = run(o, x, t, &d);
  bool more = o->c.calls >= n;
  o->c.fail_at = 0;
  if (s && s != WEFT_E_NOMEM)
    check_failed(__FILE__, __LINE__, "allocation %ld: %s (%s)\n%s", n, weft_status_name(s), d.text, text);
  if (s && !d.status)
    check_failed(__FILE__, __LINE__, "allocation %ld fails without a message", n);
  weft_diag_clear(&d);
  for (int i = 0; x && i < 2; i++) {
    if (run(o, x, t, &d))
      check_failed(__FILE__, __LINE__, "after allocation %ld: %s\n%s", n, d.text, text);
  }
  weft_exec_destroy(x);
  weft_program_release(p);
  return more;
}

static void fail_each(const char *text, const char *literals) {
  static once o;
  rows_tensors t;
  memset(&o, 0, sizeof o);
  weft_env_options e = {.package_path = "", .allocator = check_allocator(&o.c)};
  CHECK_OK(weft_env_create(&e, &o.r.env, &o.r.d), &o.r.d);
  CHECK(rows_read(&o.r, literals, &t));
  CHECK_OK(oracle(&o, text, &t), &o.r.d);
  fail_nth(&o, text, &t, 1L << 40);  // nothing fails
  long blocks = o.c.live_blocks;
  long n = 1;
  for (; fail_nth(&o, text, &t, n) && n < 100000; n++) {
    if (o.c.live_blocks != blocks) {
      check_failed(__FILE__, __LINE__, "allocation %ld: %ld blocks are left, %ld were there\n%s", n,
                   o.c.live_blocks, blocks, text);
      blocks = o.c.live_blocks;
    }
  }
  CHECK(n > 60 && n < 100000);
  for (size_t i = 0; i < o.n_out; i++)
    weft_tensor_deinit(&o.want[i]);
  rows_free(&t);
  weft_env_destroy(o.r.env);
  CHECK_INT(o.c.live_blocks, 0);
}

TEST(every_allocation_fails_once) {
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    fail_each(cases[i].graph, cases[i].in);
}

// ---- threads ----
typedef struct runner {
  pthread_t thread;
  run_fixture *f;
  const char *const *in;
  int failed;
} runner;
static void *work(void *arg) {
  runner *r = arg;
  weft_exec *x;
  weft_diag d = {0};
  if (weft_exec_create(r->f->p, NULL, &x, &d))
    return r->failed = 1, NULL;
  size_t n_out = weft_program_n_outputs(r->f->p);
  for (int k = 0; k < 20; k++) {
    weft_tensor in[ROWS_MAX];
    weft_tensor got[RUN_OUT];
    weft_tensor *list[RUN_OUT];
    const weft_tensor *given[ROWS_MAX];
    size_t n = 0;
    for (const char *at = r->in [k % 2]; *at; n++) {
      size_t used;
      weft_tensor_init(&in[n], NULL);
      r->failed |= weft_tensor_parse(at, strcspn(at, ";"), NULL, &in[n], &used, &d);
      given[n] = &in[n];
      at += strcspn(at, ";");
      at += strspn(at, "; ");
    }
    for (size_t i = 0; i < n_out; i++) {
      weft_tensor_init(&got[i], NULL);
      list[i] = &got[i];
    }
    r->failed |= weft_exec_run(x, given, n, list, n_out, &d);
    for (size_t i = 0; i < n_out; i++)
      weft_tensor_deinit(&got[i]);
    for (size_t i = 0; i < n; i++)
      weft_tensor_deinit(&in[i]);
  }
  weft_exec_destroy(x);
  return NULL;
}

TEST(r178_threads_share_a_program) {
  static const char *const in[][2] = {{"f32[3,2]{0..}", "f32[40000,2]{*2}"},
                                      {"f32[4]{1,0,2,3}", "f32[2]{0,0}"},
                                      {"i64[]{2}; f32[2]{1,2}", "i64[]{1}; f32[1]{1}"},
                                      {"str[1]{\"a\"}; f32[2]{1,2}", "str[0]; f32[1]{1}"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    run_fixture f;
    runner r[3];
    if (!run_open(&f, cases[i].graph, NULL, NULL))
      continue;
    for (int k = 0; k < 3; k++) {
      r[k] = (runner){.f = &f, .in = in[i]};
      CHECK_INT(pthread_create(&r[k].thread, NULL, work, &r[k]), 0);
    }
    for (int k = 0; k < 3; k++) {
      pthread_join(r[k].thread, NULL);
      CHECK_INT(r[k].failed, 0);
    }
    RUN_SAME(&f, in[i][0]);
    run_close(&f);
  }
}

// Shapes that come by turns, all of them seen before: nothing is asked of the environment's allocator.
TEST(shapes_seen_before_allocate_nothing) {
  static const char text[] =
      "graph \"g\" { input x: f32[N,2] input y: f32[N,2] const w: f32[]{3} node a: Mul(x, w) -> a "
      "node b: Add(a, y) -> z output z }";
  check_alloc c = {0};
  weft_env_options o = {.size = sizeof o, .package_path = "", .allocator = check_allocator(&c)};
  weft_env *e = NULL;
  weft_graph *g = NULL;
  weft_program *p = NULL;
  weft_exec *x = NULL;
  weft_diag d = {0};
  float in[16] = {1};
  float out[16];
  CHECK_OK(weft_env_create(&o, &e, &d), &d);
  CHECK_OK(weft_graph_parse(e, text, strlen(text), NULL, &g, &d), &d);
  CHECK_OK(weft_compile(g, NULL, &p, &d), &d);
  CHECK_OK(weft_exec_create(p, NULL, &x, &d), &d);
  long after_two = 0;
  for (int round = 0; round < 8; round++) {
    weft_tensor a;
    weft_tensor b;
    const weft_tensor *ins[2] = {&a, &a};
    weft_tensor *outs[1] = {&b};
    weft_dim dims[2] = {round % 2 ? 3 : 5, 2};
    weft_tensor_init(&a, NULL);
    weft_tensor_init(&b, NULL);
    CHECK_OK(weft_tensor_borrow(&a, WEFT_FLOAT, dims, 2, in, sizeof in, &d), &d);
    CHECK_OK(weft_tensor_borrow(&b, WEFT_FLOAT, dims, 2, out, sizeof out, &d), &d);
    CHECK_OK(weft_exec_run(x, ins, 2, outs, 1, &d), &d);
    if (round == 1)
      after_two = c.calls;
    if (round > 1)
      CHECK_INT(c.calls, after_two);
  }
  weft_exec_destroy(x);
  weft_program_release(p);
  weft_env_destroy(e);
  CHECK_INT(c.live_blocks, 0);
}
// SPDX-License-Identifier: Apache-2.0
