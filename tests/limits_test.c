// Limits of memory and time, and the flag that stops: at import, inference, compiling, planning, running and
// interpreting (weft/limits.h). What strangers' files have asked for is bounded, and each call says which
// limit it met and where. Reading files: limits_reading_test.c; operators of packages and single operators:
// limits_op_test.c.
#include <pthread.h>
#include <time.h>

#include "check.h"
#include "base/budget.h"
#include "ir/ir.h"
#include "limits_util.h"

// ---- the budget ----
TEST(a_budget_refuses_and_says_so) {
  weft__budget b;
  weft_diag d = {0};
  weft__budget_init(&b, NULL);
  const weft_limits l = {.size = sizeof l, .memory_limit_bytes = 1000};
  weft__allowance before = weft__budget_begin(&b, &l, NULL);
  void *p = weft__alloc(&b.self, 600, 16);
  void *q = weft__alloc(&b.self, 500, 16);
  CHECK(p && !q);
  CHECK_INT(weft__budget_live(&b), 600);
  p = weft__realloc(&b.self, p, 600, 900, 16);
  CHECK(p != NULL);
  CHECK(!weft__realloc(&b.self, p, 900, 1001, 16));
  CHECK_INT(weft__budget_live(&b), 900);
  weft_fail(&d, WEFT_E_NOMEM, "out of memory");
  weft_note(&d, "while doing something");
  CHECK_INT(weft__budget_end(&b, &before, WEFT_E_NOMEM, &d), WEFT_E_LIMIT);
  CHECK_STR(d.text,
            "the memory limit of 1000 bytes is reached: 900 are in use and 101 more are needed\n"
            "  while doing something");
  q = weft__alloc(&b.self, 5000, 16);  // the call is over
  CHECK(q != NULL);
  weft__free(&b.self, q, 5000, 16);
  weft__free(&b.self, p, 900, 16);
  CHECK_INT(weft__budget_live(&b), 0);
}

TEST(what_was_in_use_is_what_was_in_use_then) {
  weft__budget b;
  weft_diag d = {0};
  weft__budget_init(&b, NULL);
  const weft_limits l = {.size = sizeof l, .memory_limit_bytes = 1000};
  weft__allowance before = weft__budget_begin(&b, &l, NULL);
  void *p = weft__alloc(&b.self, 600, 16);
  CHECK(!weft__budget_is_short(&b));
  CHECK(!weft__alloc(&b.self, 500, 16));
  CHECK(weft__budget_is_short(&b));
  weft__free(&b.self, p, 600, 16);  // who gives up cleans up
  weft_fail(&d, WEFT_E_NOMEM, "out of memory");
  CHECK_INT(weft__budget_end(&b, &before, WEFT_E_NOMEM, &d), WEFT_E_LIMIT);
  CHECK_STR(d.text, "the memory limit of 1000 bytes is reached: 600 are in use and 500 more are needed");
}

TEST(nothing_in_use_is_not_told) {
  weft__budget b;
  weft_diag d = {0};
  weft__budget_init(&b, NULL);
  const weft_limits l = {.size = sizeof l, .memory_limit_bytes = 1000};
  weft__allowance before = weft__budget_begin(&b, &l, NULL);
  CHECK(!weft__alloc(&b.self, 1001, 16));
  weft_fail(&d, WEFT_E_NOMEM, "out of memory");
  CHECK_INT(weft__budget_end(&b, &before, WEFT_E_NOMEM, &d), WEFT_E_LIMIT);
  CHECK_STR(d.text, "the memory limit of 1000 bytes is reached: 1001 are needed");
}

TEST(the_largest_holders_are_named) {
  weft__holders h = {0};
  weft_diag d = {0};
  weft__holders_note(&h, "g", &d);
  CHECK_INT(d.length, 0);
  weft__holders_add(&h, "none", 0);
  weft__holders_add(&h, "b", 20);
  weft__holders_add(&h, "c", 10);
  weft__holders_add(&h, "a", 30);
  weft__holders_add(&h, "d", 5);
  weft__holders_add(&h, NULL, 25);
  weft_fail(&d, WEFT_E_LIMIT, "full");
  weft__holders_note(&h, "g", &d);
  CHECK_STR(
      d.text,
      "full\n  in use in graph 'g': 'a' (30 bytes), planned intermediate tensors (25 bytes), 'b' (20 bytes), "
      "2 more (15 bytes)");
}

TEST(an_inner_call_only_tightens) {
  weft__budget b;
  weft__budget_init(&b, NULL);
  const weft_limits wide = {.size = sizeof wide, .memory_limit_bytes = 500};
  const weft_limits narrow = {.size = sizeof narrow, .memory_limit_bytes = 100};
  weft__allowance outer = weft__budget_begin(&b, NULL, &narrow);
  weft__allowance inner = weft__budget_begin(&b, &wide, &wide);
  CHECK(!weft__budget_charge(&b, 101));
  CHECK(weft__budget_charge(&b, 100));
  CHECK_INT(weft__budget_end(&b, &inner, WEFT_OK, NULL), WEFT_OK);
  weft__budget_release(&b, 100);
  CHECK_INT(weft__budget_end(&b, &outer, WEFT_OK, NULL), WEFT_OK);
  CHECK(weft__budget_charge(&b, 1000000));
}

// ---- bombs ----
// A text that is joined with itself `n` times: 2^n bytes when it is evaluated.
static void put_texts(weft_text *t, int n) {
  weft__text_addf(t, "graph \"g\" { const v0: str[1]{\"0123456789abcdef\"} ");
  for (int i = 0; i < n; i++)
    weft__text_addf(t, "node n%d: StringConcat(v%d, v%d) -> v%d ", i, i, i, i + 1);
  weft__text_addf(t, "output v%d }", n);
}

static uint64_t held(const weft_graph *g) {
  return weft__budget_live(&g->root->budget);
}

TEST(values_of_texts_are_bounded_without_limits) {
  weft_env *e = limits_env(0, 0, NULL);
  weft_diag d = {0};
  weft_text t;
  weft__text_init(&t, NULL);
  put_texts(&t, 45);
  weft_graph *g = limits_graph(e, t.v, &d);
  CHECK_OK(weft_graph_infer(g, NULL, NULL, &d), &d);
  CHECK(weft_value_data(weft_graph_find_value(g, "v4")) != NULL);
  CHECK(weft_value_data(weft_graph_find_value(g, "v45")) == NULL);
  CHECK(held(g) < UINT64_C(100) << 20);
  weft_graph_destroy(g);
  weft__text_deinit(&t);
  weft_env_destroy(e);
}

TEST(folded_constants_have_a_bound_of_their_own) {
  weft_env *e = limits_env(0, 0, NULL);
  weft_diag d = {0};
  weft_text t;
  weft__text_init(&t, NULL);
  weft__text_addf(&t, "graph \"g\" { const axis: i64[]{0} const v0: f32[4096]{0..} ");
  for (int i = 0; i < 40; i++)
    weft__text_addf(&t, "node n%d: ConcatV2([v%d, v%d], axis) -> v%d ", i, i, i, i + 1);
  weft__text_addf(&t, "output v40 }");
  weft_graph *g = limits_graph(e, t.v, &d);
  CHECK_OK(weft_graph_optimize(g, 0, NULL, NULL, &d), &d);
  CHECK(held(g) < UINT64_C(200) << 20);
  weft_graph_destroy(g);
  weft__text_deinit(&t);
  weft_env_destroy(e);
}

// ---- memory ----
TEST(a_graph_may_not_hold_more) {
  weft_env *e = limits_env(1 << 20, 0, NULL);
  weft_diag d = {0};
  weft_graph *g = NULL;
  weft_text t;
  weft__text_init(&t, NULL);
  weft__text_addf(&t, "graph \"g\" { input v0: f32[4] ");
  for (int i = 0; i < 4000; i++)
    weft__text_addf(&t, "node n%d: Relu(v%d) -> v%d ", i, i, i + 1);
  weft__text_addf(&t, "output v4000 }");
  CHECK_FAILS(weft_graph_parse(e, t.v, t.n, "test", &g, &d), WEFT_E_LIMIT);
  CHECK_HAS(d.text, "the memory limit of 1048576 bytes is reached");
  weft__text_deinit(&t);
  weft_env_destroy(e);
}

static const char fill[] = "graph \"g\" { input n: i64[1] input v: f32[] node f: Fill(n, v) -> y output y }";
static const char range[] =
    "graph \"g\" { input a: f32[] input b: f32[] input c: f32[] node r: Range(a, b, c) -> y output y }";

static weft_status run_range(weft_env *e, const weft_exec_options *o, float to, weft_diag *d) {
  weft_program *p = NULL;
  weft_exec *x = NULL;
  weft_tensor in[3];
  weft_tensor out;
  const weft_tensor *ins[3];
  const float v[3] = {0, to, 1};
  weft_tensor_init(&out, NULL);
  for (int i = 0; i < 3; i++) {
    ins[i] = &in[i];
    weft_tensor_init(&in[i], NULL);
    if (weft_tensor_borrow(&in[i], WEFT_FLOAT, NULL, 0, (void *)(uintptr_t)&v[i], 4, d))
      return d->status;
  }
  weft_status s = weft_compile(limits_graph(e, range, d), NULL, &p, d);
  if (!s)
    s = weft_exec_create(p, o, &x, d);
  if (!s)
    s = weft_exec_run(x, ins, 3, (weft_tensor *[]){&out}, 1, d);
  weft_tensor_deinit(&out);
  weft_exec_destroy(x);
  weft_program_release(p);
  return s;
}

TEST(outputs_count_against_the_limit_of_a_run) {
  weft_env *e = limits_env(0, 0, NULL);
  weft_diag d = {0};
  const weft_exec_options o = {.size = sizeof o, .memory_limit_bytes = 1 << 20};
  CHECK_OK(run_range(e, &o, 1000, &d), &d);
  CHECK_INT(run_range(e, &o, 1 << 20, &d), WEFT_E_LIMIT);
  CHECK_HAS(d.text, "1048576");
  weft_env_destroy(e);
  e = limits_env(1 << 20, 0, NULL);  // and that of the environment
  weft_diag_clear(&d);
  CHECK_OK(run_range(e, NULL, 1000, &d), &d);
  CHECK_INT(run_range(e, NULL, 1 << 20, &d), WEFT_E_LIMIT);
  weft_env_destroy(e);
}

TEST(runs_give_back_what_they_were_charged) {
  weft_env *e = limits_env(0, 0, NULL);
  weft_diag d = {0};
  const weft_exec_options o = {.size = sizeof o, .memory_limit_bytes = 1 << 16};
  weft_program *p = NULL;
  weft_exec *x = NULL;
  CHECK_OK(weft_compile(limits_graph(e, fill, &d), NULL, &p, &d), &d);
  CHECK_OK(weft_exec_create(p, &o, &x, &d), &d);
  for (int i = 0; i < 200; i++) {
    weft_tensor n;
    weft_tensor v;
    weft_tensor out;
    int64_t size = i % 2 ? 4000 : 100000;
    float one = 1;
    weft_tensor_init(&n, NULL);
    weft_tensor_init(&v, NULL);
    weft_tensor_init(&out, NULL);
    CHECK_OK(weft_tensor_borrow(&n, WEFT_INT64, (weft_dim[]){1}, 1, &size, 8, &d), &d);
    CHECK_OK(weft_tensor_borrow(&v, WEFT_FLOAT, NULL, 0, &one, 4, &d), &d);
    weft_status s = weft_exec_run(x, (const weft_tensor *[]){&n, &v}, 2, (weft_tensor *[]){&out}, 1, &d);
    CHECK_INT(s, i % 2 ? WEFT_OK : WEFT_E_LIMIT);
    weft_tensor_deinit(&out);
    weft_diag_clear(&d);
  }
  weft_exec_destroy(x);
  weft_program_release(p);
  weft_env_destroy(e);
}

// Constants in the layouts that kernels ask for are the program's, and count with its graph.
static weft_status run_product(uint64_t limit, uint64_t *out_held, weft_diag *d) {
  static const char text[] =
      "graph \"g\" { input x: f32[8,1024] const w: f32[1024,1024]{0..} node m: MatMulV2(x, w) -> y output y "
      "}";
  weft_env *e = limits_env(limit, 0, NULL);
  weft_program *p = NULL;
  weft_exec *x = NULL;
  weft_tensor in;
  weft_tensor out;
  weft_tensor_init(&in, NULL);
  weft_tensor_init(&out, NULL);
  weft_status s = weft_compile(limits_graph(e, text, d), NULL, &p, d);
  if (!s)
    s = weft_exec_create(p, NULL, &x, d);
  if (!s)
    s = weft_tensor_alloc(&in, WEFT_FLOAT, (weft_dim[]){8, 1024}, 2, d);
  if (!s)
    *out_held = held(weft_program_graph(p));
  if (!s)
    s = weft_exec_run(x, (const weft_tensor *[]){&in}, 1, (weft_tensor *[]){&out}, 1, d);
  weft_tensor_deinit(&in);
  weft_tensor_deinit(&out);
  weft_exec_destroy(x);
  weft_program_release(p);
  weft_env_destroy(e);
  return s;
}

TEST(packed_constants_count) {
  weft_diag d = {0};
  uint64_t bytes = 0;
  CHECK_OK(run_product(0, &bytes, &d), &d);
  CHECK_INT(run_product(bytes + (2 << 20), &bytes, &d), WEFT_E_LIMIT);
  CHECK_HAS(d.text, "the memory limit of");
  weft_diag_clear(&d);
  CHECK_OK(run_product(bytes + (8 << 20), &bytes, &d), &d);
}

// ---- time, and the flag ----
static void *set_soon(void *flag) {
  const struct timespec t = {0, 100000000};
  nanosleep(&t, NULL);
  __atomic_store_n((volatile int *)flag, 1, __ATOMIC_RELAXED);
  return NULL;
}

TEST(time_ends_a_reference_kernel_that_runs) {
  weft_env *e = limits_env(0, 0, NULL);
  weft_diag d = {0};
  const weft_exec_options o = {.size = sizeof o, .time_limit_ns = 100000000};
  double begin = check_seconds();
  CHECK_INT(run_range(e, &o, 2e8f, &d), WEFT_E_LIMIT);
  CHECK_HAS(d.text, "time limit");
  CHECK_HAS(d.text, "node 'r'");
  CHECK(!check_too_long(check_seconds() - begin, 2));
  weft_env_destroy(e);
}

TEST(a_flag_ends_a_reference_kernel_that_runs) {
  volatile int flag = 0;
  weft_env *e = limits_env(0, 0, NULL);
  weft_diag d = {0};
  const weft_exec_options o = {.size = sizeof o, .cancel = &flag};
  pthread_t thread;
  double begin = check_seconds();
  CHECK(!pthread_create(&thread, NULL, set_soon, (void *)(uintptr_t)&flag));
  CHECK_INT(run_range(e, &o, 2e8f, &d), WEFT_E_CANCELLED);
  pthread_join(thread, NULL);
  CHECK(!check_too_long(check_seconds() - begin, 2));
  weft_env_destroy(e);
}

// A product that a kernel of the CPU computes, block by block.
TEST(time_ends_a_kernel_between_its_blocks) {
  weft_env *e = limits_env(0, 0, NULL);
  weft_diag d = {0};
  const weft_exec_options o = {.size = sizeof o, .time_limit_ns = 20000000, .threads = 1};
  weft_program *p = NULL;
  weft_exec *x = NULL;
  weft_tensor in;
  weft_tensor out;
  weft_tensor_init(&in, NULL);
  weft_tensor_init(&out, NULL);
  CHECK_OK(
      weft_compile(
          limits_graph(e, "graph \"g\" { input x: f32[2048,2048] node m: MatMulV2(x, x) -> y output y }", &d),
          NULL, &p, &d),
      &d);
  CHECK_OK(weft_exec_create(p, &o, &x, &d), &d);
  CHECK_OK(weft_tensor_alloc(&in, WEFT_FLOAT, (weft_dim[]){2048, 2048}, 2, &d), &d);
  CHECK_INT(weft_exec_run(x, (const weft_tensor *[]){&in}, 1, (weft_tensor *[]){&out}, 1, &d), WEFT_E_LIMIT);
  CHECK_HAS(d.text, "time limit");
  CHECK_HAS(d.text, "node 'm'");
  weft_tensor_deinit(&in);
  weft_tensor_deinit(&out);
  weft_exec_destroy(x);
  weft_program_release(p);
  weft_env_destroy(e);
}

static const char endless[] =
    "graph \"g\" { const most: i64[]{9223372036854775807} const go: bool[]{1} input s: f32[2] "
    "node loop: Loop(most, go, [s], []) {body=graph \"b\" { input i: i64[] input c: bool[] input v: f32[2] "
    "node k: Identity(c) -> more node w: Neg(v) -> next output more output next }} -> [y], [] output y }";

TEST(time_ends_a_loop_of_2_to_the_63_turns) {
  weft_env *e = limits_env(0, 200000000, NULL);
  weft_diag d = {0};
  weft_program *p = NULL;
  weft_exec *x = NULL;
  weft_tensor in;
  weft_tensor out;
  float v[2] = {1, 2};
  weft_graph *g = NULL;
  if (weft_graph_parse(e, endless, strlen(endless), "loop", &g, &d)) {
    check_failed(__FILE__, __LINE__, "%s", d.text);
    weft_env_destroy(e);
    return;
  }
  weft_tensor_init(&in, NULL);
  weft_tensor_init(&out, NULL);
  CHECK_OK(weft_tensor_borrow(&in, WEFT_FLOAT, (weft_dim[]){2}, 1, v, sizeof v, &d), &d);
  CHECK_OK(weft_graph_infer(g, NULL, NULL, &d), &d);
  double begin = check_seconds();
  CHECK_INT(weft_interp_run(g, NULL, (const weft_tensor *[]){&in}, 1, &out, 1, &d), WEFT_E_LIMIT);
  CHECK_HAS(d.text, "the time limit of 200000000 ns was reached");
  weft_tensor_deinit(&out);
  weft_diag_clear(&d);
  CHECK_OK(weft_compile(g, NULL, &p, &d), &d);
  CHECK_OK(weft_exec_create(p, NULL, &x, &d), &d);
  weft_tensor_init(&out, NULL);
  CHECK_INT(weft_exec_run(x, (const weft_tensor *[]){&in}, 1, (weft_tensor *[]){&out}, 1, &d), WEFT_E_LIMIT);
  CHECK_HAS(d.text, "time limit");
  CHECK(!check_too_long(check_seconds() - begin, 5));
  weft_tensor_deinit(&out);
  weft_exec_destroy(x);
  weft_program_release(p);
  weft_env_destroy(e);
}

TEST(a_flag_that_is_set_stops_every_call) {
  static volatile int flag;
  weft_env *e = limits_env(0, 0, &flag);
  weft_diag d = {0};
  weft_program *p = NULL;
  flag = 0;
  weft_graph *g = limits_graph(e, fill, &d);
  weft_graph *other = limits_graph(e, fill, &d);
  flag = 1;
  CHECK_INT(weft_graph_infer(g, NULL, NULL, &d), WEFT_E_CANCELLED);
  CHECK_HAS(d.text, "cancelled by the caller");
  weft_diag_clear(&d);
  CHECK_INT(weft_compile(other, NULL, &p, &d), WEFT_E_CANCELLED);
  flag = 0;
  weft_diag_clear(&d);
  CHECK_OK(weft_graph_infer(g, NULL, NULL, &d), &d);
  weft_graph_destroy(g);
  weft_env_destroy(e);
}

// ---- what a message says of what is in use ----
static const char filled[] =
    "graph \"g\" { input n: i64[1] input v: f32[] node f: Fill(n, v) -> first node h: Fill(n, v) -> second "
    "node a: Add(first, second) -> y output y output first }";

TEST(the_interpreter_names_the_tensors_in_use) {
  weft_env *e = limits_env(1000000, 0, NULL);
  weft_diag d = {0};
  const int64_t size = 100000;
  const float one = 1;
  weft_tensor n;
  weft_tensor v;
  weft_tensor out[2];
  weft_tensor_init(&n, NULL);
  weft_tensor_init(&v, NULL);
  CHECK_OK(weft_tensor_borrow(&n, WEFT_INT64, (weft_dim[]){1}, 1, (void *)(uintptr_t)&size, 8, &d), &d);
  CHECK_OK(weft_tensor_borrow(&v, WEFT_FLOAT, NULL, 0, (void *)(uintptr_t)&one, 4, &d), &d);
  weft_graph *g = limits_graph(e, filled, &d);
  CHECK_OK(weft_graph_infer(g, NULL, NULL, &d), &d);
  CHECK_INT(weft_interp_run(g, NULL, (const weft_tensor *[]){&n, &v}, 2, out, 2, &d), WEFT_E_LIMIT);
  CHECK_HAS(d.text, "while running node 'a' (Add)");
  CHECK_HAS(d.text, "in use in graph 'g': 'first' (400000 bytes), 'second' (400000 bytes)");
  weft_graph_destroy(g);
  weft_env_destroy(e);
}

TEST(a_run_names_the_tensors_in_use) {
  static const char text[] =
      "graph \"g\" { input a: f32[] input b: f32[] input c: f32[] node r: Range(a, b, c) -> y "
      "node n: NonZero(y) -> z output y output z }";
  weft_env *e = limits_env(0, 0, NULL);
  weft_diag d = {0};
  const weft_exec_options o = {.size = sizeof o, .memory_limit_bytes = 500000};
  const float numbers[3] = {0, 100000, 1};
  weft_program *p = NULL;
  weft_exec *x = NULL;
  weft_tensor in[3];
  weft_tensor out[2];
  const weft_tensor *list[3];
  for (int i = 0; i < 3; i++) {
    weft_tensor_init(&in[i], NULL);
    CHECK_OK(weft_tensor_borrow(&in[i], WEFT_FLOAT, NULL, 0, (void *)(uintptr_t)&numbers[i], 4, &d), &d);
    list[i] = &in[i];
  }
  weft_tensor_init(&out[0], NULL);
  weft_tensor_init(&out[1], NULL);
  CHECK_OK(weft_compile(limits_graph(e, text, &d), NULL, &p, &d), &d);
  CHECK_OK(weft_exec_create(p, &o, &x, &d), &d);
  CHECK_INT(weft_exec_run(x, list, 3, (weft_tensor *[]){&out[0], &out[1]}, 2, &d), WEFT_E_LIMIT);
  CHECK_HAS(d.text, "while running node 'n' (NonZero)");
  CHECK_HAS(d.text, "in use in graph 'g': 'y' (400000 bytes)");
  weft_tensor_deinit(&out[0]);
  weft_tensor_deinit(&out[1]);
  weft_exec_destroy(x);
  weft_program_release(p);
  weft_env_destroy(e);
}

TEST(a_graph_names_its_constants) {
  weft_env *e = limits_env(0, 0, NULL);
  weft_diag d = {0};
  weft_text t;
  weft__text_init(&t, NULL);
  weft__text_addf(&t, "graph \"g\" { const w: f32[100,40]{0..} const small: f32[]{1} input v0: f32[100,40] ");
  for (int i = 0; i < 500; i++)
    weft__text_addf(&t, "node n%d: Add(v%d, %s) -> v%d ", i, i, i % 2 ? "w" : "small", i + 1);
  weft__text_addf(&t, "output v500 }");
  weft_graph *g = limits_graph(e, t.v, &d);
  const weft_limits l = {.size = sizeof l, .memory_limit_bytes = held(g) + 1000};
  const weft_infer_options o = {.size = sizeof o, .limits = &l};
  CHECK_FAILS(weft_graph_infer(g, &o, NULL, &d), WEFT_E_LIMIT);
  CHECK_HAS(d.text, "in use in graph 'g': 'w' (16000 bytes), 'small' (4 bytes)");
  CHECK_HAS(d.text, "most of it describes the model: graph 'g' has 500 nodes so far");
  weft_graph_destroy(g);
  weft__text_deinit(&t);
  weft_env_destroy(e);
}
// SPDX-License-Identifier: Apache-2.0
