// guard_test.c - a kernel that writes beside its output, into what other values of the run lie in, is caught
// in checked builds: as an error, or as a report of AddressSanitizer where the build has it and launches run
// one after the other. On the simulated NPU it is caught in all builds.
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "run/guard.h"
#include "run_util.h"

#ifdef WEFT__BY_ASAN
#define BY_ASAN 1
#else
#define BY_ASAN 0
#endif

enum { ELEMS = 16 };  // an output of 64 bytes: its neighbour begins at once
static int stray;     // the element beside its output that the kernel writes

static weft_status infer_same(weft_infer *it) {
  *it->out[0] = *it->in[0];
  it->out_dtype[0] = it->in_dtype[0];
  return WEFT_OK;
}
static weft_status ref(const weft_call *c) {
  for (int i = 0; i < ELEMS; i++)
    ((float *)c->out[0]->data)[i] = 2 * ((const float *)c->in[0]->data)[i];
  return WEFT_OK;
}
static weft_status tile(weft_tiling *t) {
  t->blocks = 1;
  return WEFT_OK;
}
static weft_status run(const weft_block *b) {
  const float *x = b->arg[0];
  float *y = b->arg[1];
  for (int i = 0; i < ELEMS; i++)
    y[i] = 2 * x[i];
  if (stray)
    *(volatile float *)(y + (stray < 0 ? stray : ELEMS - 1 + stray)) = 1;
  return WEFT_OK;
}

static const weft_op stray_op = {WEFT_OP_HEAD,
                                 .name = "Stray",
                                 .in = WEFT_PORTS({"x", NULL, WEFT_DT(FLOAT)}),
                                 .out = WEFT_PORTS({"y", NULL, WEFT_DT(FLOAT)}),
                                 .infer = infer_same,
                                 .ref = ref};
static const weft_kernel stray_kernel = {
    .size = sizeof stray_kernel, .op = "Stray", .device = "cpu", .name = "strays", .tile = tile, .run = run};
// NonZero of elements that all count.
static weft_status find(const weft_block *b) {
  int64_t *y = b->arg[1];
  for (int i = 0; i < ELEMS; i++)
    y[i] = i;
  if (stray)
    *(volatile int64_t *)(y + (stray < 0 ? stray : ELEMS - 1 + stray)) = 1;
  b->shape_out[0] = 2;
  b->shape_out[1] = ELEMS;
  b->shape_out[2] = 1;
  return WEFT_OK;
}
static const weft_kernel finder = {.size = sizeof finder,
                                   .op = "NonZero",
                                   .device = "cpu",
                                   .name = "strays",
                                   .tile = tile,
                                   .run = find,
                                   .flags = WEFT_KERNEL_FINDS};
static const weft_kernel stray_on_npusim = {.size = sizeof stray_on_npusim,
                                            .op = "Stray",
                                            .device = "npusim",
                                            .name = "strays",
                                            .tile = tile,
                                            .run = run};

// Execute functions allocate while running: what they ask for has a margin behind it.
typedef enum astray { IN_BOUNDS, PAST_OUTPUT, PAST_WORKSPACE } astray;
static astray beside;
static weft_status execute(const weft_call *c) {
  void *w;
  weft_layout l = {.origin = c->in[0]->layout.origin, .storage = c->in[0]->layout.storage};
  WEFT_TRY(c->host->out_alloc(c, 0, WEFT_FLOAT, &l, WEFT_ND));
  WEFT_TRY(c->host->workspace(c, 24, &w));
  for (int i = 0; i < ELEMS; i++)
    ((float *)c->out[0]->data)[i] = 2 * ((const float *)c->in[0]->data)[i];
  if (beside == PAST_OUTPUT)
    ((volatile char *)c->out[0]->data)[c->out[0]->bytes + 2] = 1;
  if (beside == PAST_WORKSPACE)
    ((volatile char *)w)[24] = 1;
  return WEFT_OK;
}
static const weft_op executed_op = {WEFT_OP_HEAD,
                                    .name = "StrayExecuted",
                                    .in = WEFT_PORTS({"x", NULL, WEFT_DT(FLOAT)}),
                                    .out = WEFT_PORTS({"y", NULL, WEFT_DT(FLOAT)}),
                                    .infer = infer_same,
                                    .execute = execute};

// What the planner puts right behind b, and right before it, is needed afterwards.
static const char a_behind[] =
    "graph \"g\" { input x: f32[4,4] node q: Abs(x) -> c node p: Neg(x) -> a node s: Stray(x) -> b node o: "
    "MatMulV2(b, c) -> d node r: MatMulV2(d, a) -> g node v: MatMulV2(g, b) -> y output y }";
static const char a_before[] =
    "graph \"g\" { input x: f32[4,4] node p: Neg(x) -> a node q: Abs(x) -> c node s: Stray(x) -> b node o: "
    "MatMulV2(c, x) -> d node n: MatMulV2(d, b) -> g node r: MatMulV2(g, a) -> y output y }";

static bool open_on(run_fixture *f, const char *device, const char *graph, const weft_exec_options *o) {
  memset(f, 0, sizeof *f);
  if (!rows_open(&f->r, ""))
    return false;
  f->device = device;
  if (!weft_register(f->r.env, &stray_op, 0, &f->r.d) && !weft_register(f->r.env, &executed_op, 0, &f->r.d) &&
      !weft_register_kernel(f->r.env, &stray_kernel, &f->r.d) &&
      !weft_register_kernel(f->r.env, &stray_on_npusim, &f->r.d) &&
      !weft_register_kernel(f->r.env, &finder, &f->r.d) && run_load(f, graph, o))
    return true;
  check_failed(__FILE__, __LINE__, "%s", f->r.d.text);
  rows_close(&f->r);
  return false;
}
static bool open_stray(run_fixture *f, const char *graph) {
  return open_on(f, NULL, graph, NULL);
}

// What a run in a process of its own says before it dies.
static bool dies_with(run_fixture *f, const char *text) {
  static char told[1 << 16];
  int fd[2];
  if (pipe(fd))
    return false;
  pid_t child = fork();
  if (!child) {
    dup2(fd[1], 2);
    close(fd[0]);
    close(fd[1]);
    run_text(f, "f32[4,4]{*1.5}");
    _exit(0);
  }
  close(fd[1]);
  size_t n = 0;
  for (ssize_t got; n < sizeof told - 1 && (got = read(fd[0], told + n, sizeof told - 1 - n)) > 0;)
    n += (size_t)got;
  told[n] = 0;
  close(fd[0]);
  int status = 0;
  CHECK(child > 0 && waitpid(child, &status, 0) == child);
  CHECK(!WIFEXITED(status) || WEXITSTATUS(status));
  CHECK_HAS(told, text);
  return true;
}

static void expect_caught(run_fixture *f, int element, const char *message) {
  stray = element;
#ifdef WEFT_CHECKED
  if (BY_ASAN)
    dies_with(f, "use-after-poison");
  else
    CHECK_HAS(run_text(f, "f32[4,4]{*1.5}"), message);
#else
  (void)message, (void)dies_with;
#endif
  stray = 0;
  RUN_SAME(f, "f32[4,4]{*1.5}");  // usable afterwards, and the neighbours are whole
}

TEST(a_kernel_that_writes_beside_its_output_is_caught) {
  run_fixture f;
  if (open_stray(&f, a_behind)) {
    RUN_SAME(&f, "f32[4,4]{*1.5}");
    expect_caught(&f, 1,
                  "E_KERNEL: kernel 'strays' of node 's' wrote 4 bytes past the end of its output 0 ('b'), "
                  "where 'a' lies");
    expect_caught(&f, 16, "wrote 64 bytes past the end of its output 0 ('b'), where 'a' lies");
    run_close(&f);
  }
  if (open_stray(&f, a_before)) {
    RUN_SAME(&f, "f32[4,4]{*1.5}");
    expect_caught(
        &f, -1,
        "E_KERNEL: kernel 'strays' of node 's' wrote 4 bytes before its output 0 ('b'), where 'a' lies");
    expect_caught(&f, 1, "wrote 4 bytes past the end of its output 0 ('b'), where no value lies");
    run_close(&f);
  }
}

TEST(a_kernel_that_writes_beside_its_part_of_an_output_is_caught) {
  run_fixture f;
  if (!open_stray(&f,
                  "graph \"g\" { input x: f32[4,4] const ax: i32[]{0} node p: Neg(x) -> a node s: Stray(x) "
                  "-> b node q: "
                  "Abs(x) -> c node j: ConcatV2([a, b, c], ax) {N=3} -> y output y }"))
    return;
  RUN_SAME(&f, "f32[4,4]{*1.5}");
  expect_caught(
      &f, -1,
      "E_KERNEL: kernel 'strays' of node 's' wrote 4 bytes before its output 0 ('b'), where 'a' lies");
  expect_caught(
      &f, 1,
      "E_KERNEL: kernel 'strays' of node 's' wrote 4 bytes past the end of its output 0 ('b'), where no");
  run_close(&f);
}

// Other streams use the memory around meanwhile.
TEST(a_kernel_that_writes_beside_its_output_is_caught_on_streams) {
  const weft_exec_options o = {.size = sizeof o, .streams = 3, .streams_always = true};
  run_fixture f;
  if (!open_on(
          &f, NULL,
          "graph \"g\" { input x: f32[4,4] node p: Neg(x) -> a node s: Stray(x) -> b node q: Stray(x) -> c "
          "node o: MatMulV2(a, b) -> d node r: MatMulV2(d, c) -> y output y }",
          &o))
    return;
  for (int i = 0; i < 20; i++)
    RUN_SAME(&f, "f32[4,4]{*1.5}");
#ifdef WEFT_CHECKED
  for (int i = 0; i < 20; i++) {
    stray = i % 2 ? 1 : -1;
    const char *told = run_text(&f, "f32[4,4]{*1.5}");
    CHECK_HAS(told, "E_KERNEL: kernel 'strays' of node '");
    CHECK_HAS(told,
              i % 2 ? "wrote 4 bytes past the end of its output 0" : "wrote 4 bytes before its output 0");
    stray = 0;
    RUN_SAME(&f, "f32[4,4]{*1.5}");
  }
#endif
  run_close(&f);
}

TEST(a_kernel_that_writes_beside_its_output_is_caught_on_a_device) {
  static const struct {
    int element;
    const char *told;
  } cases[] = {
      {1, "E_KERNEL: kernel 'strays' of node 's' wrote 4 bytes past the end of its output 0"},
      {-1, "E_KERNEL: kernel 'strays' of node 's' wrote 4 bytes before its output 0"},
      {16, "E_KERNEL: kernel 'strays' of node 's' wrote 64 bytes past the end of its output 0"},
  };
  const weft_exec_options o = {.size = sizeof o, .streams = 3, .streams_always = true};
  run_fixture f;
  if (!open_on(
          &f, "npusim!,cpu",
          "graph \"g\" { input x: f32[4,4] node p: Neg(x) -> a node s: Stray(x) -> b node q: Abs(x) -> c "
          "node o: MatMulV2(a, b) -> d node r: MatMulV2(d, c) -> y output y }",
          &o))
    return;
  char text[256];
  CHECK_HAS(run_devices(&f, text, sizeof text), "Stray@npusim");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    RUN_SAME(&f, "f32[4,4]{*1.5}");
    stray = cases[i].element;
    CHECK_HAS(run_text(&f, "f32[4,4]{*1.5}"), cases[i].told);
    CHECK_HAS(run_text(&f, "f32[4,4]{*1.5}"), "of device 'npusim'");
    stray = 0;
    RUN_SAME(&f, "f32[4,4]{*1.5}");
  }
  run_close(&f);
}

// Its outputs are allocated while running, as large as they can be.
TEST(a_kernel_that_finds_shapes_and_writes_beside_its_output_is_caught) {
  const weft_exec_options o = {.size = sizeof o, .streams = 2, .streams_always = true};
  run_fixture f;
  if (!open_on(
          &f, NULL,
          "graph \"g\" { input x: f32[16] node p: Neg(x) -> a node q: Abs(x) -> b node s: NonZero(x) -> c "
          "node r: Cast(c) {dst_type=0} -> d output a output b output c output d }",
          &o))
    return;
  RUN_SAME(&f, "f32[16]{*1.5}");
#ifdef WEFT_CHECKED
  stray = 1;
  CHECK_HAS(run_text(&f, "f32[16]{*1.5}"),
            "E_KERNEL: kernel 'strays' of node 's' wrote 8 bytes past the end of its output 0 ('c')");
  stray = -1;
  CHECK_HAS(run_text(&f, "f32[16]{*1.5}"),
            "E_KERNEL: kernel 'strays' of node 's' wrote 8 bytes before its output 0 ('c')");
  stray = 0;
  RUN_SAME(&f, "f32[16]{*1.5}");
#endif
  run_close(&f);
}

TEST(an_execute_function_that_writes_past_its_output_is_caught) {
  run_fixture f;
  if (!open_stray(&f, "graph \"g\" { input x: f32[16] node s: StrayExecuted(x) -> y output y }"))
    return;
  RUN_SAME(&f, "f32[16]{*1.5}");
#if defined(WEFT_CHECKED) && !defined(WEFT__BY_ASAN)
  beside = PAST_OUTPUT;
  CHECK_HAS(run_text(&f, "f32[16]{*1.5}"),
            "E_KERNEL: the execute function wrote 3 bytes past the end of output 0, which has 64");
  beside = PAST_WORKSPACE;
  CHECK_HAS(run_text(&f, "f32[16]{*1.5}"),
            "E_KERNEL: the execute function wrote 1 bytes past the end of a workspace of 24");
  CHECK_HAS(run_text(&f, "f32[16]{*1.5}"), "node 's' (StrayExecuted)");
  beside = IN_BOUNDS;
  RUN_SAME(&f, "f32[16]{*1.5}");
#endif
  run_close(&f);
}
// SPDX-License-Identifier: Apache-2.0
