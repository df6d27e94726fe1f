// device_rows_test.c - devices: what every device must do, the simulated NPU's memory, streams and clock,
// placement of graphs over devices with their copies (R175, R282, R284, R292, R293, R295-R297, R306-R309). An
// operator of a package on it: device_package_test.c.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "check.h"
#include "random_graph.h"
#include "run_util.h"
#include "weft/device.h"

// ---- every device ----
static weft_status add_one(const weft_block *b) {
  const float *x = b->arg[0];
  float *y = b->arg[1];
  y[b->block] = x[b->block] + 1 + (float)b->phase;
  return WEFT_OK;
}
static weft_status refuse_block(const weft_block *b) {
  return b->block == 1 ? WEFT_E_KERNEL : WEFT_OK;
}

static void conforms(const weft_device *v, const weft_host *host) {
  enum { N = 1000 };
  static float x[N];
  static float y[N];
  const weft_device_setup setup = {.size = sizeof setup, .host = host, .alloc = weft_allocator_default()};
  weft_diag d = {0};
  void *dev;
  void *s1;
  void *s2;
  void *event;
  void *a;
  void *b;
  void *c;
  CHECK_OK(v->open(&setup, &dev, &d), &d);
  CHECK_OK(v->alloc(dev, sizeof x, &a, &d), &d);
  CHECK_OK(v->alloc(dev, sizeof x, &b, &d), &d);
  CHECK_OK(v->alloc(dev, 0, &c, &d), &d);
  CHECK(c && a != b);
  CHECK_OK(v->stream_create(dev, &s1, &d), &d);
  CHECK_OK(v->stream_create(dev, &s2, &d), &d);
  CHECK_OK(v->event_create(dev, &event, &d), &d);
  void *arg[2] = {a, b};
  void *back[2] = {b, a};
  weft_device_times times[3];
  weft_device_launch l = {
      .size = sizeof l, .n_args = 2, .phases = 1, .run = add_one, .name = "add", .cost_ns = 500};
  l.block = (weft_block){.size = sizeof l.block, .blocks = N, .arg = arg};
  for (int i = 0; i < N; i++)
    x[i] = (float)i;
  for (int round = 0; round < 30;
       round++) {  // s1 writes b, s2 waits for it and writes a, which s1 copies out
    l.block.arg = arg;
    l.times = &times[0];
    l.phases = 1;
    CHECK_OK(v->copy_in(dev, s1, a, x, sizeof x, NULL, &d), &d);
    CHECK_OK(v->launch(dev, s1, &l, &d), &d);
    CHECK_OK(v->event_record(dev, s1, event, &d), &d);
    CHECK_OK(v->event_wait(dev, s2, event, &d), &d);
    l.block.arg = back;
    l.times = &times[1];
    l.phases = 2;
    CHECK_OK(v->launch(dev, s2, &l, &d), &d);
    CHECK_OK(v->event_record(dev, s2, event, &d), &d);
    CHECK_OK(v->event_sync(dev, event, &d), &d);
    CHECK_OK(v->copy_out(dev, s1, y, a, sizeof y, &times[2], &d), &d);
    CHECK_OK(v->stream_sync(dev, s1, &d), &d);
    for (int i = 0; i < N; i++) {
      if (y[i] != (float)i + 3)
        check_failed(__FILE__, __LINE__, "%s: y[%d] is %g", v->name, i, y[i]);
    }
    CHECK(times[0].begin_ns <= times[0].end_ns && times[0].end_ns <= times[1].begin_ns);
    CHECK(times[1].end_ns <= times[2].begin_ns);
  }
  l.run = refuse_block;
  l.block.arg = arg;
  l.times = NULL;
  CHECK_OK(v->launch(dev, s1, &l, &d), &d);
  l.run = add_one;
  CHECK_OK(v->launch(dev, s1, &l, &d), &d);
  CHECK_FAILS(v->stream_sync(dev, s1, &d), WEFT_E_KERNEL);  // R174: comes out at the sync
  CHECK_HAS(d.text, "kernel 'add' failed");
  weft_diag_clear(&d);
  CHECK_OK(v->stream_sync(dev, s1, &d), &d);
  v->event_destroy(dev, event);
  v->free(dev, c);
  v->free(dev, NULL);
  v->stream_destroy(dev, s2);
  v->close(dev);  // the rest goes with it
}

TEST(r284_every_device_conforms) {
  rows r;
  CHECK(rows_open(&r, ""));
  size_t n = 0;
  for (const weft_device *v; (v = weft_device_at(r.env, n)) != NULL; n++)
    conforms(v, weft_env_host(r.env));
  CHECK_INT(n, 2);
  CHECK(!weft_device_find(r.env, "tpu"));
  rows_close(&r);
}

TEST(host_pointers_are_refused_and_device_memory_is_closed_to_the_host) {
  rows r;
  CHECK(rows_open(&r, ""));
  const weft_device *v = weft_device_find(r.env, "npusim");
  const weft_device_setup setup = {
      .size = sizeof setup, .host = weft_env_host(r.env), .alloc = weft_allocator_default()};
  void *dev;
  void *s;
  void *a;
  float x[4] = {0};
  CHECK_OK(v->open(&setup, &dev, &r.d), &r.d);
  CHECK_OK(v->alloc(dev, sizeof x, &a, &r.d), &r.d);
  CHECK_OK(v->stream_create(dev, &s, &r.d), &r.d);
  CHECK_FAILS(v->copy_in(dev, s, x, x, sizeof x, NULL, &r.d), WEFT_E_INVALID);
  void *arg[2] = {a, x};
  weft_device_launch l = {.size = sizeof l, .n_args = 2, .phases = 1, .run = add_one, .name = "add"};
  l.block = (weft_block){.size = sizeof l.block, .blocks = 1, .arg = arg};
  weft_diag_clear(&r.d);
  CHECK_FAILS(v->launch(dev, s, &l, &r.d), WEFT_E_INVALID);
  CHECK_HAS(r.d.text, "is not in its memory");
  weft_diag_clear(&r.d);
  CHECK_FAILS(v->alloc(dev, (size_t)1 << 40, &a, &r.d), WEFT_E_NOMEM);
  CHECK_OK(v->alloc(dev, 64, &a, &r.d), &r.d);
  pid_t child = fork();
  if (!child) {
    signal(SIGSEGV, SIG_DFL);
    signal(SIGBUS, SIG_DFL);
    *(volatile float *)a = 1;
    _exit(0);
  }
  int status = 0;
  CHECK(child > 0 && waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status));
  v->close(dev);
  rows_close(&r);
}

// ---- placement ----
static const char middle[] =
    "graph \"g\" { input x: f32[64,256] const w: f32[256,256]{*0.25} const v: f32[256,256]{*0.125} node m: "
    "MatMulV2(x, w) -> a "
    "node r: Relu(a) -> b node t: Square(b) -> c node n: MatMulV2(c, v) -> e node s: Relu(e) -> y output y }";

TEST(r284_an_operator_that_the_npu_lacks_gives_three_segments) {
  run_fixture f;
  char text[8192];
  if (!run_open_on(&f, "npusim,cpu", middle, NULL))
    return;
  CHECK_STR(
      run_devices(&f, text, sizeof text),
      "copy:Identity@npusim MatMulV2@npusim Relu@npusim copy:Identity@cpu Square@cpu copy:Identity@npusim "
      "MatMulV2@npusim Relu@npusim copy:Identity@cpu");
  RUN_SAME(&f, "f32[64,256]{*0.25}");
  run_plan_text(&f, text, sizeof text);
  CHECK_HAS(text, "m: MatMulV2 [npusim-matmul]");
  CHECK_HAS(text, "@npusim:0");
  CHECK_HAS(text, "on cpu stream 0 after b/cpu");
  CHECK_HAS(text, "streams: 2, 1 events");
  run_close(&f);
}

TEST(r292_one_graph_on_either_device_gives_the_same) {
  static const char *const devices[] = {NULL, "cpu", "npusim,cpu", "npusim!,cpu", "cpu,npusim!"};
  for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
    run_fixture f;
    if (!run_open_on(&f, devices[i], middle, NULL))
      continue;
    RUN_SAME(&f, "f32[64,256]{*1}");
    RUN_SAME(&f, "f32[64,256]{*-0.5}");
    run_close(&f);
  }
}

TEST(small_work_stays_where_it_is) {
  run_fixture f;
  char text[512];
  if (!run_open_on(&f, "npusim,cpu", "graph \"g\" { input x: f32[4] node r: Relu(x) -> y output y }", NULL))
    return;
  CHECK_STR(run_devices(&f, text, sizeof text), "Relu@cpu");
  run_close(&f);
}

TEST(a_node_can_ask_for_a_device) {
  run_fixture f;
  char text[512];
  const char *graph =
      "graph \"g\" { input x: f32[4] node r: Relu(x) {_device=\"npusim\"} -> y node z: Neg(x) -> z output y "
      "output z output x }";
  if (!run_open_on(&f, "npusim,cpu", graph, NULL))
    return;
  CHECK_STR(run_devices(&f, text, sizeof text), "copy:Identity@npusim Relu@npusim Neg@cpu copy:Identity@cpu");
  CHECK_STR(run_text(&f, "f32[4]{-1,2,-3,4}"), "f32[4]{0,2,0,4}; f32[4]{1,-2,3,-4}; f32[4]{-1,2,-3,4}");
  RUN_SAME(&f, "f32[4]{-1,2,-3,4}");
  run_close(&f);
}

TEST(values_that_both_need_views_and_repeated_outputs) {
  run_fixture f;
  const char *graph =
      "graph \"g\" { input x: f32[6,4] const s: i64[2]{4,6} const p: i64[2]{1,0} node a: Relu(x) -> a node "
      "t: Transpose(a, p) -> t "
      "node v: Reshape(a, s) -> v node b: Add(v, t) -> b node c: Neg(a) -> c node e: Mul(a, c) -> e node u: "
      "Reshape(b, s) -> u "
      "output b output a output e output u output b }";
  if (!run_open_on(&f, "npusim!,cpu", graph, NULL))
    return;
  RUN_SAME(&f, "f32[6,4]{*-1.5}");
  RUN_SAME(&f, "f32[6,4]{*2}");
  run_close(&f);
}

// Every pair of shapes, strides and pads of the device's kernels, against the reference.
TEST(kernels_of_the_npu_give_the_bits_of_the_reference) {
  static const char *const cases[][2] = {
      {"input x: f32[5,7] input z: f32[5,7] node a: Add(x, z) -> a node m: Mul(a, x) -> m node s: Sigmoid(m) "
       "-> y output y",
       "f32[5,7]{*1.5}; f32[5,7]{*-0.25}"},
      {"input x: f32[3000] input z: f32[] node a: Add(x, z) -> a node m: Mul(z, a) -> m node s: Relu(m) -> y "
       "output y",
       "f32[3000]{*1.5}; f32[]{-2}"},
      {"input x: f32[0,7] node a: Relu(x) -> y output y", "f32[0,7]"},
      {"input x: f32[7,5] input z: f32[9,7] input b: f32[9] node m: MatMulV2(x, z, b) {transpose_x1=true, "
       "transpose_x2=true} -> y output y",
       "f32[7,5]{*0.5}; f32[9,7]{*0.125}; f32[9]{*1}"},
      {"input x: f32[3,0] input z: f32[0,4] node m: MatMulV2(x, z) -> y output y", "f32[3,0]; f32[0,4]"},
      {"input x: f32[2,4,7,6] input f: f32[6,2,3,2] input b: f32[6] node c: Conv2D(x, f, b) "
       "{strides=[1,1,2,1], pads=[1,0,2,1], "
       "dilations=[1,1,1,2], groups=2, data_format=\"NCHW\"} -> y output y",
       "f32[2,4,7,6]{*0.5}; f32[6,2,3,2]{*0.25}; f32[6]{*1}"},
      {"input x: f64[2,3,4] const p: i32[3]{2,0,1} node t: Transpose(x, p) -> y output y",
       "f64[2,3,4]{*0.5}"},
      {"input x: i8[2,3,4] const p: i64[0]{} node t: Transpose(x, p) -> y output y", "i8[2,3,4]{*3}"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    run_fixture f;
    char graph[1024];
    char text[4096];
    snprintf(graph, sizeof graph, "graph \"g\" { %s }", cases[i][0]);
    if (!run_open_on(&f, "npusim!", graph, NULL))
      continue;
    run_plan_text(&f, text, sizeof text);
    CHECK_HAS(text, "[npusim-");
    RUN_SAME(&f, cases[i][1]);
    run_close(&f);
  }
}

TEST(r284_random_graphs_over_two_devices_give_the_interpreters_bits) {
  static run_fixture f;
  static random_graph g;
  int bad = 0;
  memset(&f, 0, sizeof f);
  if (!rows_open(&f.r, ""))
    return;
  f.device = "npusim!,cpu";
  for (uint64_t seed = 0; seed < 60 && bad < 3; seed++) {
    random_graph_make(seed, &g);
    f.passes = seed % 2;
    if (!run_load(&f, g.text, NULL)) {
      bad++;
      continue;
    }
    for (unsigned set = 0; set < 2; set++) {
      weft_tensor t[RANDOM_GRAPH_INPUTS];
      const weft_tensor *in[RANDOM_GRAPH_INPUTS];
      for (int i = 0; i < RANDOM_GRAPH_INPUTS; i++) {
        weft_tensor_init(&t[i], NULL);
        in[i] = &t[i];
      }
      CHECK_OK(random_graph_inputs(seed * 2 + set, t, &f.r.d), &f.r.d);
      bad += !run_same_tensors(&f, in, RANDOM_GRAPH_INPUTS, __FILE__, __LINE__);
      for (int i = 0; i < RANDOM_GRAPH_INPUTS; i++)
        weft_tensor_deinit(&t[i]);
    }
    run_drop(&f);
  }
  CHECK_INT(bad, 0);
  rows_close(&f.r);
}

// Static graphs of operators that the NPU has, mixed with some that it has not.
static uint32_t pick(uint64_t *state, uint32_t n) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(*state >> 33) % n;
}
static void mixed(uint64_t seed, char *buf, size_t cap) {
  static const char *const one[] = {"Relu", "Sigmoid", "Abs", "Neg", "Relu"};
  static const char *const two[] = {"Add", "Mul", "Sub", "Maximum"};
  uint64_t s = seed + 99;
  size_t at = 0;
  weft__append(
      buf, cap, &at,
      "graph \"m\" { input v0: f32[8,8] input v1: f32[8,8] const k: f32[8,8]{*0.25} const p: i64[2]{1,0} ");
  for (unsigned i = 2; i < 22; i++) {
    uint32_t what = pick(&s, 10);
    uint32_t a = i - 1 - pick(&s, i < 5 ? i : 5);
    uint32_t b = i - 1 - pick(&s, i < 5 ? i : 5);
    if (what < 4)
      weft__append(buf, cap, &at, "node n%u: %s(v%u) -> v%u ", i, one[pick(&s, 5)], a, i);
    else if (what < 8)
      weft__append(buf, cap, &at, "node n%u: %s(v%u, v%u) -> v%u ", i, two[pick(&s, 4)], a, b, i);
    else if (what < 9)
      weft__append(buf, cap, &at, "node n%u: MatMulV2(v%u, k) -> v%u ", i, a, i);
    else
      weft__append(buf, cap, &at, "node n%u: Transpose(v%u, p) -> v%u ", i, a, i);
  }
  weft__append(buf, cap, &at, "output v21 output v20 output v19 output v12 }");
}

TEST(r284_static_graphs_over_devices_and_streams_give_the_interpreters_bits) {
  static char graph[8192];
  for (uint64_t seed = 0; seed < 80; seed++) {
    const weft_exec_options o = {.size = sizeof o, .streams = 1 + seed % 3, .streams_always = seed % 2};
    run_fixture f;
    mixed(seed, graph, sizeof graph);
    if (!run_open_on(&f, seed % 3 ? "npusim!,cpu" : "cpu,npusim!", graph, &o))
      return;
    if (!RUN_SAME(&f, "f32[8,8]{*0.5}; f32[8,8]{*-0.125}"))
      printf("seed %llu\n%s\n", (unsigned long long)seed, graph);
    RUN_SAME(&f, "f32[8,8]{*-1}; f32[8,8]{*2}");
    run_close(&f);
  }
}

TEST(a_placed_program_is_saved_and_loaded) {
  run_fixture f;
  weft_text t;
  char text[8192];
  char again[8192];
  if (!run_open_on(&f, "npusim,cpu", middle, NULL))
    return;
  run_plan_text(&f, text, sizeof text);
  weft__text_init(&t, weft_env_allocator(f.r.env));
  CHECK_OK(weft_program_save(f.p, weft__text_write, &t, &f.r.d), &f.r.d);
  weft_exec_destroy(f.x);
  weft_program_release(f.p);
  f.x = NULL;
  f.p = NULL;
  CHECK_OK(weft_program_load_memory(f.r.env, t.v, t.n, &f.p, &f.r.d), &f.r.d);
  CHECK_OK(weft_exec_create(f.p, NULL, &f.x, &f.r.d), &f.r.d);
  run_plan_text(&f, again, sizeof again);
  CHECK_STR(again, text);  // R296
  RUN_SAME(&f, "f32[64,256]{*0.25}");
  weft__text_deinit(&t);
  run_close(&f);
}

static weft_status count(void *ctx, const weft_value *v, const weft_tensor *t) {
  double sum = 0;
  (void)v;
  for (size_t i = 0; i < t->bytes / 4; i++)
    sum += ((const float *)t->data)[i];  // the host can read it
  *(double *)ctx += sum;
  return WEFT_OK;
}

TEST(values_on_a_device_can_be_watched) {
  double sum = 0;
  const weft_exec_options o = {.size = sizeof o, .watch = count, .watch_ctx = &sum};
  run_fixture f;
  if (!run_open_on(&f, "npusim!",
                   "graph \"g\" { input x: f32[4] node a: Relu(x) -> a node b: Add(a, a) -> y output y }",
                   &o))
    return;
  CHECK_STR(run_text(&f, "f32[4]{1,-2,3,-4}"), "f32[4]{2,0,6,0}");
  CHECK_F64(sum, -2 + 4 + 8 + 8, 0);  // x and y are copied, too
  run_close(&f);
}

// ---- streams of the device, by its own clock ----
TEST(r175_two_long_branches_overlap_on_the_devices_clock) {
  static const char graph[] =
      "graph \"d\" { input x: f32[128,128] const w: f32[128,128]{*0.01} node p: Relu(x) -> p node a1: "
      "MatMulV2(p, w) -> a1 "
      "node a2: MatMulV2(a1, w) -> a2 node b1: MatMulV2(w, p) -> b1 node b2: MatMulV2(w, b1) -> b2 node y: "
      "Add(a2, b2) -> y output y }";
  uint64_t end[2];
  for (uint32_t streams = 1; streams <= 2; streams++) {
    const weft_exec_options o = {
        .size = sizeof o, .streams = streams, .profile = true, .streams_always = true};
    run_fixture f;
    const weft_launch_record *r;
    if (!run_open_on(&f, "npusim!", graph, &o))
      return;
    for (int run = 0; run < 3; run++) {
      RUN_SAME(&f, "f32[128,128]{*0.5}");
      size_t n = weft_exec_profile(f.x, &r);
      size_t a = n;
      size_t b = n;
      for (size_t i = 0; i < n; i++) {
        if (!strcmp(r[i].node, "a1"))
          a = i;
        if (!strcmp(r[i].node, "b1"))
          b = i;
      }
      CHECK(a < n && b < n);
      bool overlap = r[a].begin_ns < r[b].end_ns && r[b].begin_ns < r[a].end_ns;
      CHECK_INT(overlap, streams == 2);
      if (run)
        CHECK_INT(r[n - 1].end_ns, end[streams - 1]);  // the same times in every run
      end[streams - 1] = r[n - 1].end_ns;
    }
    run_close(&f);
  }
  CHECK(end[1] < end[0]);
}

// ---- what cannot be placed ----
TEST(r293_r295_every_node_that_no_device_takes_is_listed_with_its_candidates) {
  rows r;
  CHECK(rows_open(&r, ""));
  const char *text =
      run_compile_error(&r, "npusim",
                        "graph \"g\" { input x: f16[4] node a: Relu(x) -> a node b: Tanh(a) -> b "
                        "node c: Add(a, b) -> y output y }");
  CHECK_HAS(text, "E_UNSUPPORTED: no kernel found for op Relu (node 'a'): npusim: npusim-relu: needs float");
  CHECK_HAS(text, "no kernel found for op Tanh (node 'b'): npusim: no kernel");
  CHECK_HAS(text, "no kernel found for op Add (node 'c'): npusim: npusim-add: needs float");
  CHECK_HAS(run_compile_error(&r, "npusim", "graph \"g\" { input x: f32[N] node a: Relu(x) -> y output y }"),
            "OK");
  CHECK_HAS(run_compile_error(&r, "npusim", "graph \"g\" { input x: f32[?] node a: Relu(x) -> y output y }"),
            "needs shapes that follow from those of inputs whose dims have names");
  CHECK_HAS(
      run_compile_error(&r, "npusim", "graph \"g\" { input x: f32[4] node a: Unique(x) -> y, i output y }"),
      "no kernel found for op Unique (node 'a'): npusim: its execute function runs on cpu");
  CHECK_HAS(run_compile_error(&r, "cpu,tpu", "graph \"g\" { input x: f32[4] node a: Relu(x) -> y output y }"),
            "E_NOT_FOUND: device 'tpu' is not known; there are: cpu, npusim");
  rows_close(&r);
}

// ---- every allocation fails once ----
static bool fail_nth(check_alloc *c, weft_env *env, const char *graph, const char *device, uint32_t streams,
                     long n) {
  const weft_compile_options o = {.size = sizeof o, .device = device};
  const weft_exec_options run = {.size = sizeof run, .streams = streams, .streams_always = true};
  weft_diag d = {0};
  weft_graph *g;
  weft_program *p = NULL;
  weft_exec *x = NULL;
  static float data[64 * 256];
  weft_tensor in = {0};
  weft_tensor out;
  const weft_dim dims[2] = {64, 256};
  if (weft_graph_parse(env, graph, strlen(graph), "test", &g, &d))
    return check_failed(__FILE__, __LINE__, "%s", d.text), false;
  weft_tensor_init(&in, NULL);
  weft_tensor_init(&out, weft_env_allocator(env));
  if (weft_tensor_alloc(&in, WEFT_FLOAT, dims, 2, &d))
    return false;
  memcpy(in.data, data, sizeof data);
  c->calls = 0;
  c->fail_at = n;
  weft_status s = weft_compile(g, &o, &p, &d);
  if (!s)
    s = weft_exec_create(p, &run, &x, &d);
  for (int i = 0; !s && i < 2; i++)
    s = weft_exec_run(x, (const weft_tensor *[]){&in}, 1, (weft_tensor *[]){&out}, 1, &d);
  bool more = c->calls >= n;
  c->fail_at = 0;
  if (s && s != WEFT_E_NOMEM)
    check_failed(__FILE__, __LINE__, "allocation %ld: %s (%s)", n, weft_status_name(s), d.text);
  if (s && !d.status)
    check_failed(__FILE__, __LINE__, "allocation %ld fails without a message", n);
  weft_diag_clear(&d);
  if (x && weft_exec_run(x, (const weft_tensor *[]){&in}, 1, (weft_tensor *[]){&out}, 1, &d))
    check_failed(__FILE__, __LINE__, "after allocation %ld: %s", n, d.text);
  weft_exec_destroy(x);
  weft_program_release(p);
  weft_tensor_deinit(&in);
  weft_tensor_deinit(&out);
  return more;
}

TEST(every_allocation_of_placement_streams_and_devices_fails_once) {
  static const char wide[] =
      "graph \"g\" { input x: f32[64,256] const a: i32[]{1} node p: Cumsum(x, a) -> p node q: Cumsum(x, a) "
      "{reverse=true} -> q "
      "node r: Neg(p) -> r node s: Abs(q) -> s node y: Add(r, s) -> y output y }";
  for (int k = 0; k < 2; k++) {
    check_alloc c = {0};
    weft_env *env;
    weft_diag d = {0};
    weft_env_options e = {.package_path = "", .allocator = check_allocator(&c), .threads = k ? 2 : 1};
    CHECK_OK(weft_env_create(&e, &env, &d), &d);
    const char *graph = k ? wide : middle;
    const char *device = k ? NULL : "npusim,cpu";
    fail_nth(&c, env, graph, device, 2, 1L << 40);
    long n = 1;
    while (fail_nth(&c, env, graph, device, 2, n) && n < 20000)
      n++;
    CHECK(n > 60 && n < 20000);
    weft_env_destroy(env);
    CHECK_INT(c.live_blocks, 0);
  }
}

// ---- files that lie ----
TEST(a_missing_copy_is_found_before_anything_runs) {
  run_fixture f;
  static const char *const cases[][2] = {
      {"graph \"g\" { input x: f32[4] node r: Relu(x) {_device=\"npusim\"} -> y output y }",
       "lies on 'cpu', the node expects it on 'npusim'"},
      {"graph \"g\" { input x: f32[4] node r: Relu(x) {_device=\"gpu\"} -> y output y }",
       "names the device 'gpu', which is not there"},
      {"graph \"g\" { input x: f32[4] node r: Relu(x) {_copy=\"npusim\"} -> y output y }",
       "a copy is an Identity"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    memset(&f, 0, sizeof f);
    CHECK(rows_open(&f.r, ""));
    weft_graph *g;
    weft_diag d = {0};
    const weft_compile_options o = {
        .size = sizeof o, .options = (const char *const[]){"passes=0"}, .n_options = 1};
    CHECK_OK(weft_graph_parse(f.r.env, cases[i][0], strlen(cases[i][0]), "test", &g, &d), &d);
    weft_status s = weft_compile(g, &o, &f.p, &d);
    if (!s)
      s = weft_exec_create(f.p, NULL, &f.x, &d);
    if (!s)
      s = weft_exec_prepare(f.x, NULL, 0, NULL, &d);
    CHECK(s != WEFT_OK);
    CHECK_HAS(d.text, cases[i][1]);
    run_close(&f);
  }
}
// SPDX-License-Identifier: Apache-2.0
