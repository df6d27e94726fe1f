// device_execute_test.c - operators that decide their output's shape while they run, on the simulated NPU:
// the execute function runs on the host, its output, its shape buffer and its kernel on the device
// (R149-R154, R173, R174, R179).
#include "base/base.h"
#include "check.h"
#include "run_util.h"
#include "weft/device.h"

// ---- Above: the elements of x above the number in `least`, and how many there are ----
enum { FINE, KERNEL_FAILS, SHAPE_LIES, NO_SYNC, NO_DATA_BYTES, HOST_POINTER, FAILS_AFTER_LAUNCH };
static int mode;
static uint64_t shape_seen[2];
static bool on_device;

static weft_status above_kernel(const weft_block *b) {
  const uint64_t n = *(const uint64_t *)b->data;
  const float *x = b->arg[0];
  const float *least = b->arg[1];
  float *y = b->arg[2];
  uint64_t *shape = b->arg[3];
  uint64_t count = 0;
  for (uint64_t i = 0; i < n; i++) {
    if (x[i] > *least)
      y[count++] = x[i];
  }
  shape[0] = 1;
  shape[1] = mode == SHAPE_LIES ? n + 1 : count;
  return mode == KERNEL_FAILS ? WEFT_E_KERNEL : WEFT_OK;
}

static weft_status above_execute(const weft_call *c) {
  const weft_host *h = c->host;
  uint64_t n = (uint64_t)weft_tensor_elems(c->in[0]);
  weft_layout most = {.origin = {.rank = 1, .dim = {(weft_dim)n}},
                      .storage = {.rank = 1, .dim = {(weft_dim)n}}};
  void *buffer;
  void *more;
  char stranger[16];
  WEFT_TRY(h->out_alloc(c, 0, WEFT_FLOAT, &most, WEFT_ND));
  WEFT_TRY(h->workspace(c, sizeof shape_seen, &buffer));
  WEFT_TRY(h->workspace(c, 100, &more));
  on_device = c->in[0]->placement == WEFT_ON_DEVICE && c->in[1]->placement == WEFT_ON_DEVICE &&
              c->out[0]->placement == WEFT_ON_DEVICE;
  CHECK((uintptr_t)buffer % 64 == 0 && (uintptr_t)more % 64 == 0 && more != buffer);
  void *arg[4] = {c->in[0]->data, c->in[1]->data, c->out[0]->data, mode == HOST_POINTER ? stranger : buffer};
  weft_call_launch l = {.size = sizeof l,
                        .blocks = 1,
                        .n_args = 4,
                        .run = above_kernel,
                        .arg = arg,
                        .data = &n,
                        .data_bytes = mode == NO_DATA_BYTES ? 0 : sizeof n,
                        .name = "above",
                        .cost_ns = 700};
  WEFT_TRY(h->launch(c, &l));
  // what was handed over is the launch's own
  memset(arg, 0, sizeof arg);
  n = 0;
  if (mode == FAILS_AFTER_LAUNCH)
    return h->fail(c->d, WEFT_E_STATE, "changed its mind");
  if (mode != NO_SYNC)
    WEFT_TRY(h->sync(c));
  WEFT_TRY(h->copy_to_host(c, shape_seen, buffer, sizeof shape_seen));
  weft_shape actual = {.rank = 1, .dim = {(weft_dim)shape_seen[1]}};
  return h->out_set_shape(c, 0, &actual);
}

static weft_status above_infer(weft_infer *it) {
  WEFT_TRY(weft_set_out_dtype(it, 0, WEFT_FLOAT));
  return weft_set_out_shape(it, 0, (weft_dim[]){-1}, 1);
}
static weft_status above_range(weft_infer *it) {
  const weft_shape *max = it->in_max[0];
  *it->out_min[0] = (weft_shape){.rank = 1, .dim = {0}};
  *it->out_max[0] = (weft_shape){.rank = 1, .dim = {weft_unknown_rank(max) || !max->rank ? -1 : max->dim[0]}};
  return WEFT_OK;
}

static const weft_column f32[] = {{WEFT_FLOAT, WEFT_ND}};
static const weft_op above = {WEFT_OP_HEAD,
                              .name = "Above",
                              .summary = "the elements of x that are above `least`",
                              .in = WEFT_PORTS({"x", .columns = f32}, {"least", .columns = f32}),
                              .out = WEFT_PORTS({"y", .columns = f32}),
                              .n_columns = 1,
                              .traits = WEFT_DATA_DEPENDENT,
                              .infer = above_infer,
                              .infer_range = above_range,
                              .execute = above_execute,
                              .targets = WEFT_NAMES("cpu", "npusim")};

static const char graph[] =
    "graph \"g\" { input x: f32[N] const least: f32[]{1.5} node r: Relu(x) -> a node f: Above(a, least) -> b "
    "node n: Neg(b) -> c node m: Relu(x) -> e node t: Mul(e, e) -> h output b output c output h }";

static bool open_on(run_fixture *f, const char *device, const char *packages, const char *text,
                    const weft_exec_options *o) {
  memset(f, 0, sizeof *f);
  mode = FINE;
  if (!rows_open(&f->r, packages))
    return false;
  f->device = device;
  weft_status s = weft_register(f->r.env, &above, 0, &f->r.d);
  if (s)
    check_failed(__FILE__, __LINE__, "%s", f->r.d.text);
  return run_load(f, text, o) || (rows_close(&f->r), false);
}

TEST(r149_r150_r153_output_and_shape_buffer_are_the_devices) {
  run_fixture f;
  char text[512];
  const weft_exec_options o = {.size = sizeof o, .streams = 3};
  for (int streams = 0; streams < 2; streams++) {
    if (!open_on(&f, "npusim!,cpu", "", graph, streams ? &o : NULL))
      return;
    CHECK_HAS(run_devices(&f, text, sizeof text), "Above@npusim copy:Identity@cpu");
    for (int round = 0; round < 3; round++) {
      RUN_SAME(&f, "f32[5]{1,2,3,-4,1.5}");
      CHECK_INT(shape_seen[0], 1);
      RUN_SAME(&f, "f32[5]{2,2,3,4,1.75}");
      RUN_SAME(&f, "f32[4]{0,0,-1,1}");
      RUN_SAME(&f, "f32[0]");
    }
    run_text(&f, "f32[5]{1,2,3,-4,1.5}");
    CHECK_INT(shape_seen[1], 2);
    CHECK(on_device);
    run_close(&f);
  }
}

// What is seen again allocates nothing of the host, and the device gets back what the run took.
TEST(runs_of_an_execute_function_on_a_device_leave_nothing) {
  run_fixture f;
  if (!open_on(&f, "npusim!,cpu", "", graph, NULL))
    return;
  run_text(&f, "f32[5]{1,2,3,-4,1.5}");
  run_text(&f, "f32[5]{1,2,3,-4,1.5}");
  uint64_t before = run_stats(&f).system_allocs;
  weft_tensor x;
  weft_tensor y[3];
  weft_tensor *out[] = {&y[0], &y[1], &y[2]};
  const weft_tensor *in[] = {&x};
  weft_tensor_init(&x, NULL);
  for (int i = 0; i < 3; i++) {
    weft_tensor_init(&y[i], NULL);
    CHECK_OK(weft_tensor_alloc(&y[i], WEFT_FLOAT, (weft_dim[]){5}, 1, &f.r.d), &f.r.d);
  }
  CHECK_OK(weft_tensor_alloc(&x, WEFT_FLOAT, (weft_dim[]){5}, 1, &f.r.d), &f.r.d);
  for (int i = 0; i < 5; i++)
    ((float *)x.data)[i] = (float)i;
  CHECK_OK(weft_exec_run(f.x, in, 1, out, 3, &f.r.d), &f.r.d);
  before = run_stats(&f).system_allocs;
  for (int i = 0; i < 100; i++)
    CHECK_OK(weft_exec_run(f.x, in, 1, out, 3, &f.r.d), &f.r.d);
  CHECK_INT(run_stats(&f).system_allocs - before, 0);
  weft_tensor_deinit(&x);
  for (int i = 0; i < 3; i++)
    weft_tensor_deinit(&y[i]);
  run_close(&f);
}

TEST(r152_r154_r174_r179_what_goes_wrong_on_a_device_is_told_and_the_next_run_is_right) {
  static const struct {
    int mode;
    const char *told;
  } cases[] = {
      {KERNEL_FAILS, "E_KERNEL: kernel 'above' of node 'f' failed with"},
      {SHAPE_LIES, "E_RANGE: invalid actual output size: 24, max output size: 20 (output 0, shape [6])"},
      {NO_SYNC, "E_STATE: copy to host before sync"},
      {NO_DATA_BYTES, "E_INVALID: a launch on device 'npusim' with data of 0 bytes"},
      {HOST_POINTER, "E_INVALID: device npusim: an argument of a kernel at"},
      {FAILS_AFTER_LAUNCH, "E_STATE: changed its mind"},
  };
  run_fixture f;
  if (!open_on(&f, "npusim!,cpu", "", graph, NULL))
    return;
  for (size_t i = 0; i < WEFT_COUNT(cases); i++) {
    mode = cases[i].mode;
    const char *told = run_text(&f, "f32[5]{1,2,3,-4,1.5}");
    CHECK_HAS(told, cases[i].told);
    CHECK_HAS(told, "while running node 'f' (Above)");
    mode = FINE;
    RUN_SAME(&f, "f32[5]{1,2,3,-4,1.5}");
  }
  run_close(&f);
}

TEST(memory_of_an_execute_function_on_a_device_counts_against_the_limit) {
  const weft_exec_options o = {.size = sizeof o, .memory_limit_bytes = 1000};
  run_fixture f;
  if (!open_on(&f, "npusim!,cpu", "", graph, &o))
    return;
  RUN_SAME(&f, "f32[5]{1,2,3,-4,1.5}");
  CHECK_HAS(run_text(&f, "f32[60]{*2}"), "memory limit of 1000 bytes");
  RUN_SAME(&f, "f32[5]{1,2,3,-4,1.5}");
  run_close(&f);
}

typedef struct watched {
  char text[256];
} watched;
static weft_status look(void *ctx, const weft_value *v, const weft_tensor *t) {
  watched *w = ctx;
  CHECK(t->placement == WEFT_ON_HOST);
  if (!strcmp(weft_value_name(v), "b/npusim") || !strcmp(weft_value_name(v), "b")) {
    snprintf(w->text, sizeof w->text, "%lld %g", (long long)t->layout.origin.dim[0],
             t->bytes ? (double)((const float *)t->data)[0] : -1.0);
  }
  return WEFT_OK;
}

TEST(what_an_execute_function_made_on_a_device_is_watched_and_profiled) {
  watched w = {""};
  const weft_exec_options o = {.size = sizeof o, .watch = look, .watch_ctx = &w, .profile = true};
  run_fixture f;
  const weft_launch_record *r;
  bool found = false;
  if (!open_on(&f, "npusim!,cpu", "", graph, &o))
    return;
  run_text(&f, "f32[5]{1,2,3,-4,1.75}");
  CHECK_STR(w.text, "3 2");
  size_t n = weft_exec_profile(f.x, &r);
  for (size_t i = 0; i < n; i++) {
    if (strcmp(r[i].type, "Above"))
      continue;
    found = true;
    CHECK_STR(r[i].device, "npusim");
    CHECK_INT(r[i].end_ns - r[i].begin_ns, 1700);  // launch and cost
  }
  CHECK(found);
  run_close(&f);
}

TEST(r24_a_device_that_is_not_a_target_gets_no_execute_function) {
  rows r;
  CHECK(rows_open(&r, ""));
  CHECK_HAS(
      run_compile_error(&r, "npusim", "graph \"g\" { input x: f32[8] node u: Unique(x) -> y, i output y }"),
      "its execute function runs on cpu: its targets do not name npusim");
  CHECK_HAS(
      run_compile_error(&r, "cpu", "graph \"g\" { input x: f32[8] node u: Unique(x) -> y, i output y }"),
      "OK");
  CHECK_HAS(
      run_compile_error(&r, "npusim", "graph \"g\" { input x: c64[8] node z: NonZero(x) -> y output y }"),
      "needs elements of 8, 16, 32 or 64 bits");
  rows_close(&r);
}

// A kernel that finds shapes: class 3 without an execute function; its shape buffer is a workspace of the
// device.
TEST(r10_r151_a_kernel_of_a_device_finds_the_shape) {
  static const char *const dtypes[] = {"f32", "f16", "i8", "i64", "bool"};
  static const char *const shapes[] = {"[5]{1,0,1,0,1}",     "[3]{0,0,0}", "[0]",     "[1]{1}",
                                       "[2,3]{0,1,0,1,1,0}", "[]{1}",      "[2,0,3]", "[70,50]{*1}"};
  char text[512];
  for (int transpose = 0; transpose < 2; transpose++) {
    for (size_t i = 0; i < WEFT_COUNT(dtypes); i++) {
      run_fixture f;
      char ir[400];
      snprintf(
          ir, sizeof ir,
          "graph \"g\" { input x: %s[?] node z: NonZero(x) {transpose=%s} -> y node n: Neg(y) -> n output y "
          "output n }",
          dtypes[i], transpose ? "true" : "false");
      if (!open_on(&f, "npusim!,cpu", "", ir, NULL))
        return;
      CHECK_HAS(run_devices(&f, text, sizeof text), i ? "" : "NonZero@cpu");  // no rank: no names
      run_close(&f);
      for (size_t k = 0; k < WEFT_COUNT(shapes); k++) {
        char in[64];
        char *end;
        snprintf(in, sizeof in, "%s%s", dtypes[i], shapes[k]);
        snprintf(text, sizeof text, "%s", in);
        if ((end = strchr(text, '{')) != NULL)
          *end = 0;
        snprintf(
            ir, sizeof ir,
            "graph \"g\" { input x: %s node z: NonZero(x) {transpose=%s} -> y node n: Neg(y) -> n output y "
            "output n }",
            text, transpose ? "true" : "false");
        if (!open_on(&f, "npusim!,cpu", "", ir, NULL))
          return;
        CHECK_HAS(run_devices(&f, text, sizeof text), "NonZero@npusim copy:Identity@cpu");
        RUN_SAME(&f, in);
        run_close(&f);
      }
    }
  }
}

TEST(a_kernel_that_finds_shapes_serves_dynamic_shapes_on_streams) {
  const weft_exec_options o = {.size = sizeof o, .streams = 3, .profile = true};
  run_fixture f;
  char text[512];
  if (!open_on(&f, "npusim!,cpu", "",
               "graph \"g\" { input x: f32[N,4] node r: Relu(x) -> a node z: NonZero(a) -> i node c: Cast(i) "
               "{dst_type=0} -> y node s: Sigmoid(x) -> b node w: NonZero(b) {transpose=true} -> k output y "
               "output k }",
               &o))
    return;
  CHECK_HAS(run_devices(&f, text, sizeof text), "Relu@npusim NonZero@npusim");
  for (int i = 0; i < 3; i++) {
    RUN_SAME(&f, "f32[2,4]{1,-1,0,2,-3,4,0,0.5}");
    RUN_SAME(&f, "f32[3,4]{*-1}");
    RUN_SAME(&f, "f32[0,4]");
    RUN_SAME(&f, "f32[600,4]{*1}");
  }
  run_close(&f);
}

TEST(r35_r149_the_sample_runs_on_both_devices) {
  static const char *const devices[] = {"cpu", "npusim,cpu", "npusim!,cpu"};
  static const char sample[] =
      "graph \"g\" { input x: bool[-1,-1] node w: WhereLikeCustom(x) -> y node c: Cast(y) {dst_type=0} -> z "
      "output y output z }";
  run_fixture f;
  char text[512];
  for (size_t i = 0; i < WEFT_COUNT(devices); i++) {
    if (!open_on(&f, devices[i], ROWS_PACKAGES "/where_like_custom", sample, NULL))
      return;
    if (i == 2)
      CHECK_HAS(run_devices(&f, text, sizeof text), "WhereLikeCustom@npusim copy:Identity@cpu");
    RUN_SAME(&f, "bool[2,3]{1,0,1,0,1,1}");
    RUN_SAME(&f, "bool[2,3]{0,0,0,0,0,0}");
    RUN_SAME(&f, "bool[0,3]");
    RUN_SAME(&f, "bool[1,1]{1}");
    run_close(&f);
  }
}
// SPDX-License-Identifier: Apache-2.0
