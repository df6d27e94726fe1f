// streams_rows_test.c - R175, R285, R297: several streams of the CPU give the bits of one, their launches do
// run beside each other, and errors, cancelling, watching and profiling work from any of them.
#include <stdatomic.h>
#include <time.h>

#include "base/base.h"

#include "check.h"
#include "random_graph.h"
#include "run_util.h"

static bool open_streams(run_fixture *f, const char *graph, const weft_exec_options *o, const weft_op *op) {
  memset(f, 0, sizeof *f);
  const weft_env_options e = {.package_path = "", .threads = 3};
  if (weft_env_create(&e, &f->r.env, &f->r.d))
    return check_failed(__FILE__, __LINE__, "%s", f->r.d.text), false;
  if (op && weft_register(f->r.env, op, 0, &f->r.d))
    return check_failed(__FILE__, __LINE__, "%s", f->r.d.text), false;
  if (!graph || run_load(f, graph, o))
    return true;
  rows_close(&f->r);
  return false;
}

// ---- an operator that waits until its partner runs, too ----
static atomic_int running;
static weft_status same_shape(weft_infer *it) {
  const weft_shape *s = weft_in_shape(it, 0);
  WEFT_TRY(weft_set_out_dtype(it, 0, weft_in_dtype(it, 0)));
  return weft_set_out_shape(it, 0, s->dim, s->rank);
}
static weft_status meet(const weft_call *c) {
  const struct timespec nap = {0, 1000000};
  atomic_fetch_add(&running, 1);
  for (int i = 0; i < 20000 && atomic_load(&running) < 2; i++)
    nanosleep(&nap, NULL);
  if (atomic_load(&running) < 2)
    return c->host->fail(c->d, WEFT_E_LIMIT, "nobody came");
  if (c->out[0]->bytes)
    memcpy(c->out[0]->data, c->in[0]->data, c->out[0]->bytes);
  return WEFT_OK;
}
static const weft_op meeting = {WEFT_OP_HEAD,
                                .name = "Meet",
                                .in = WEFT_PORTS({"x", "T"}),
                                .out = WEFT_PORTS({"y", "T"}),
                                .types = WEFT_TYPES({"T", WEFT_DT(FLOAT)}),
                                .infer = same_shape,
                                .ref = meet};

static const char diamond[] =
    "graph \"d\" { input x: f32[N,8] node p: Neg(x) -> p node a: Meet(p) -> a node b: Meet(p) -> b node a2: "
    "Abs(a) -> c "
    "node b2: Neg(b) -> e node y: Sub(c, e) -> y output y }";

TEST(r175_the_branches_of_a_diamond_overlap_in_the_trace) {
  const weft_exec_options o = {.size = sizeof o, .streams = 2, .streams_always = true, .profile = true};
  run_fixture f;
  CHECK(open_streams(&f, diamond, &o, &meeting));
  atomic_store(&running, 0);
  CHECK_STR(run_text(&f, "f32[1,8]{1,-2,3,-4,5,-6,7,-8}"), "f32[1,8]{0,4,0,8,0,12,0,16}");
  const weft_launch_record *r;
  size_t n = weft_exec_profile(f.x, &r);
  size_t a = n;
  size_t b = n;
  for (size_t i = 0; i < n; i++) {
    if (!strcmp(r[i].node, "a"))
      a = i;
    if (!strcmp(r[i].node, "b"))
      b = i;
  }
  CHECK(a < n && b < n);
  CHECK(r[a].stream != r[b].stream);
  CHECK(r[a].begin_ns < r[b].end_ns && r[b].begin_ns < r[a].end_ns);
  weft_text text;
  weft__text_init(&text, weft_env_allocator(f.r.env));
  CHECK_INT(weft_exec_write_trace(f.x, weft__text_write, &text), 0);
  CHECK_HAS(text.v, "\"tid\":1");
  CHECK_HAS(text.v, "\"pid\":1,\"tid\":0,\"name\":\"process_name\",\"args\":{\"name\":\"cpu\"}}");
  CHECK_HAS(text.v, "\"tid\":0,\"name\":\"thread_name\",\"args\":{\"name\":\"stream 0\"}}");
  CHECK_HAS(text.v, "\"tid\":1,\"name\":\"thread_name\",\"args\":{\"name\":\"stream 1\"}}");
  CHECK(!strstr(text.v, "stream 2") && !strstr(text.v, "\"pid\":2"));
  weft__text_deinit(&text);
  run_close(&f);
}

static bool same_graph(run_fixture *f, uint64_t seed, const weft_exec_options *o, bool *used) {
  static random_graph g;
  random_graph_make(seed, &g);
  f->passes = seed % 2;
  if (!run_load(f, g.text, o))
    return false;
  bool ok = true;
  for (unsigned set = 0; ok && set < 3; set++) {
    weft_tensor t[RANDOM_GRAPH_INPUTS];
    const weft_tensor *in[RANDOM_GRAPH_INPUTS];
    for (int i = 0; i < RANDOM_GRAPH_INPUTS; i++) {
      weft_tensor_init(&t[i], NULL);
      in[i] = &t[i];
    }
    if (random_graph_inputs(seed * 3 + set, t, &f->r.d))
      return false;
    ok = run_same_tensors(f, in, RANDOM_GRAPH_INPUTS, __FILE__, __LINE__);
    if (!ok)
      printf("seed %llu\n%s", (unsigned long long)seed, g.text);
    for (int i = 0; i < RANDOM_GRAPH_INPUTS; i++)
      weft_tensor_deinit(&t[i]);
  }
  weft_text text;
  weft__text_init(&text, weft_env_allocator(f->r.env));
  if (ok && !weft_exec_print_plan(f->x, weft__text_write, &text, &f->r.d))
    *used = strstr(text.v, "streams: ") != NULL;
  weft__text_deinit(&text);
  run_drop(f);
  return ok;
}

TEST(r285_random_graphs_give_the_interpreters_bits_on_streams) {
  static run_fixture f;
  int bad = 0;
  int many = 0;
  if (!open_streams(&f, NULL, NULL, NULL))
    return;
  for (uint64_t seed = 0; seed < 250 && bad < 3; seed++) {
    const weft_exec_options o = {.size = sizeof o, .streams = 2 + seed % 2, .streams_always = true};
    bool used = false;
    bad += !same_graph(&f, seed, &o, &used);
    many += used;
  }
  CHECK_INT(bad, 0);
  CHECK(many > 50);
  rows_close(&f.r);
}

// Eight branches of three operators; each run gives the same bits and allocates nothing once it is warm.
static const char branches[] =
    "graph \"b\" { input x: f32[N,64] const k: f32[]{3} "
    "node a0: Neg(x) -> a0 node a1: Mul(a0, k) -> a1 node a2: Cumsum(a1, ax) -> a2 "
    "node b0: Abs(x) -> b0 node b1: Mul(b0, k) -> b1 node b2: Cumsum(b1, ax) -> b2 "
    "node c0: Relu(x) -> c0 node c1: Sub(c0, k) -> c1 node c2: Cumsum(c1, ax) -> c2 "
    "node d0: Square(x) -> d0 node d1: Add(d0, k) -> d1 node d2: Cumsum(d1, ax) -> d2 const ax: i32[]{1} "
    "node s: Add(a2, b2) -> s node t: Add(c2, d2) -> t node y: Add(s, t) -> y output y }";

TEST(streams_allocate_nothing_in_warm_runs) {
  const weft_exec_options o = {.size = sizeof o, .streams = 3, .streams_always = true};
  run_fixture f;
  rows_tensors t;
  weft_tensor y;
  if (!open_streams(&f, branches, &o, NULL))
    return;
  RUN_SAME(&f, "f32[5,64]{*3}");
  CHECK(rows_read(&f.r, "f32[5,64]{*2}", &t));
  weft_tensor_init(&y, NULL);
  CHECK_OK(weft_exec_run(f.x, t.in, 1, (weft_tensor *[]){&y}, 1, &f.r.d), &f.r.d);
  uint64_t before = run_stats(&f).system_allocs;
  for (int i = 0; i < 50; i++)
    CHECK_OK(weft_exec_run(f.x, t.in, 1, (weft_tensor *[]){&y}, 1, &f.r.d), &f.r.d);
  CHECK_INT(run_stats(&f).system_allocs, before);
  weft_tensor_deinit(&y);
  rows_free(&t);
  run_close(&f);
}

TEST(r297_the_plan_shows_streams_and_waits) {
  const weft_exec_options o = {.size = sizeof o, .streams = 2, .streams_always = true};
  run_fixture f;
  weft_text text;
  if (!open_streams(&f, branches, &o, NULL))
    return;
  RUN_SAME(&f, "f32[5,64]{*2}");
  weft__text_init(&text, weft_env_allocator(f.r.env));
  CHECK_OK(weft_exec_print_plan(f.x, weft__text_write, &text, &f.r.d), &f.r.d);
  CHECK_HAS(text.v, "streams: 2, ");
  CHECK_HAS(text.v, "on cpu stream 1");
  CHECK_HAS(text.v, " after ");
  weft__text_deinit(&text);
  run_close(&f);
}

// ---- errors ----
static weft_status fails_on_three(const weft_call *c) {
  const float *x = c->in[0]->data;
  if (c->in[0]->bytes && x[0] == 3)
    return c->host->fail(c->d, WEFT_E_KERNEL, "three is not wanted");
  if (c->out[0]->bytes)
    memcpy(c->out[0]->data, c->in[0]->data, c->out[0]->bytes);
  return WEFT_OK;
}
static const weft_op picky = {WEFT_OP_HEAD,
                              .name = "Picky",
                              .in = WEFT_PORTS({"x", "T"}),
                              .out = WEFT_PORTS({"y", "T"}),
                              .types = WEFT_TYPES({"T", WEFT_DT(FLOAT)}),
                              .infer = same_shape,
                              .ref = fails_on_three};

TEST(an_error_on_any_stream_ends_the_run_and_the_next_works) {
  static const char *const graphs[] = {
      "graph \"e\" { input x: f32[N] input z: f32[N] node a: Picky(x) -> a node a2: Neg(a) -> a2 node b: "
      "Picky(z) -> b node b2: "
      "Neg(b) -> b2 node y: Add(a2, b2) -> y output y }"};
  const weft_exec_options o = {.size = sizeof o, .streams = 2, .streams_always = true};
  run_fixture f;
  if (!open_streams(&f, graphs[0], &o, &picky))
    return;
  for (int i = 0; i < 20; i++) {
    CHECK_HAS(run_text(&f, "f32[2]{3,1}; f32[2]{1,1}"), "E_KERNEL: three is not wanted");
    CHECK_HAS(f.text, "while running node 'a' (Picky)");
    CHECK_HAS(run_text(&f, "f32[2]{1,1}; f32[2]{3,1}"), "while running node 'b' (Picky)");
    CHECK_HAS(run_text(&f, "f32[2]{3,1}; f32[2]{3,1}"), "E_KERNEL: three is not wanted");
    CHECK_STR(run_text(&f, "f32[2]{1,2}; f32[2]{10,20}"), "f32[2]{-11,-22}");
  }
  run_close(&f);
}

static weft_status count(void *ctx, const weft_value *v, const weft_tensor *t) {
  (void)v;
  (void)t;
  ++*(int *)ctx;
  return WEFT_OK;
}

TEST(watching_and_cancelling_on_streams) {
  int n = 0;
  volatile int cancel = 0;
  const weft_exec_options watch = {
      .size = sizeof watch, .streams = 2, .streams_always = true, .watch = count, .watch_ctx = &n};
  const weft_exec_options stop = {
      .size = sizeof stop, .streams = 2, .streams_always = true, .cancel = &cancel};
  run_fixture f;
  if (!open_streams(&f, branches, &watch, NULL))
    return;
  CHECK_HAS(run_text(&f, "f32[1,64]{*1}"), "f32[1,64]");
  CHECK_INT(n, 15);
  run_close(&f);
  if (!open_streams(&f, branches, &stop, NULL))
    return;
  CHECK_HAS(run_text(&f, "f32[1,64]{*1}"), "f32[1,64]");
  cancel = 1;
  CHECK_HAS(run_text(&f, "f32[1,64]{*1}"), "E_CANCELLED: the run was cancelled before node '");
  cancel = 0;
  RUN_SAME(&f, "f32[1,64]{*1}");
  run_close(&f);
}

// A chain has nothing to gain: without streams_always the plan has one stream.
TEST(a_chain_keeps_one_stream) {
  const weft_exec_options o = {.size = sizeof o, .streams = 2};
  run_fixture f;
  weft_text text;
  if (!open_streams(&f,
                    "graph \"c\" { input x: f32[64,64] node a: Neg(x) -> a node b: Exp(a) -> b node c: "
                    "Cumsum(b, k) -> y const k: "
                    "i32[]{0} output y }",
                    &o, NULL))
    return;
  weft_memory_plan m = {.size = sizeof m};
  weft__text_init(&text, weft_env_allocator(f.r.env));
  CHECK_OK(weft_exec_prepare(f.x, NULL, 0, &m, &f.r.d), &f.r.d);
  CHECK_OK(weft_exec_print_plan(f.x, weft__text_write, &text, &f.r.d), &f.r.d);
  CHECK(text.v && !strstr(text.v, "streams: "));
  weft__text_deinit(&text);
  run_close(&f);
}
// SPDX-License-Identifier: Apache-2.0
