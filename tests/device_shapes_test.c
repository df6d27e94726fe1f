// device_shapes_test.c - devices and shapes that are known only when a graph runs; the memory limit with
// devices; fusing what stays on the CPU (R120, R282, R284).
#include "base/base.h"
#include "check.h"
#include "run_util.h"
#include "weft/device.h"

static const char dynamic[] =
    "graph \"g\" { input x: f32[N,256] const w: f32[256,256]{*0.25} const v: f32[256,256]{*0.125} node m: "
    "MatMulV2(x, w) -> a node r: Relu(a) -> b node t: Square(b) -> c node n: MatMulV2(c, v) -> e node z: "
    "Shape(x) -> i node q: Reshape(e, i) -> h node s: Relu(h) -> y output y }";

TEST(a_graph_with_dynamic_shapes_runs_on_a_device) {
  run_fixture f;
  char text[1024];
  if (!run_open_on(&f, "npusim,cpu", dynamic, NULL))
    return;
  CHECK_HAS(run_devices(&f, text, sizeof text), "MatMulV2@npusim Relu@npusim copy:Identity@cpu Square@cpu");
  static const char *const inputs[] = {"f32[3,256]{*0.25}", "f32[64,256]{*1}",  "f32[0,256]",
                                       "f32[3,256]{*-1}",   "f32[1,256]{*0.5}", "f32[200,256]{*-0.5}"};
  for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
    RUN_SAME(&f, inputs[i]);
  CHECK_INT(run_stats(&f).plans, 5);
  run_close(&f);
}

// Dims with different names are not taken for equal, and those of one name are.
TEST(names_decide_what_a_device_takes_before_shapes_are_known) {
  rows r;
  CHECK(rows_open(&r, ""));
  CHECK_HAS(run_compile_error(
                &r, "npusim",
                "graph \"g\" { input x: f32[N,4] input z: f32[M,4] node a: Add(x, z) -> y output y }"),
            "needs");
  CHECK_HAS(run_compile_error(
                &r, "npusim",
                "graph \"g\" { input x: f32[N,4] input z: f32[N,4] node a: Add(x, z) -> y output y }"),
            "OK");
  CHECK_HAS(run_compile_error(
                &r, "npusim",
                "graph \"g\" { input x: f32[N,4] input z: f32[64,4] node a: Add(x, z) -> y output y }"),
            "needs");
  rows_close(&r);
}

TEST(dims_without_a_name_get_one) {
  run_fixture f;
  char text[1024];
  const char *graph =
      "graph \"g\" { symbol x_0[0,9] input x_0: f32[x_0] input x: f32[-1,256] input z: f32[?] const w: "
      "f32[256,256]{*0.25} node m: MatMulV2(x, w) -> a node r: Relu(a) -> y node q: Relu(x_0) -> p node k: "
      "Relu(z) -> "
      "l output y output p output l }";
  if (!run_open_on(&f, "npusim,cpu", graph, NULL))
    return;
  CHECK_HAS(run_devices(&f, text, sizeof text), "MatMulV2@npusim Relu@npusim");
  RUN_SAME(&f, "f32[3]{1,-2,3}; f32[3,256]{*0.25}; f32[1,2]{-1,1}");
  RUN_SAME(&f, "f32[3]{1,-2,3}; f32[64,256]{*0.25}; f32[]{-1}");
  RUN_SAME(&f, "f32[0]; f32[0,256]; f32[0]");
  run_close(&f);
}

// What data decide cuts the run in parts; values on the device stay where they are.
TEST(parts_of_a_run_that_data_decide_use_a_device) {
  run_fixture f;
  const char *graph =
      "graph \"g\" { input x: f32[4,8] input c: f32[N] node r: Relu(x) -> a node z: NonZero(c) -> i node n: "
      "Neg(x) -> b "
      "node m: Add(a, b) -> d node s: Cast(i) {dst_type=0} -> f node e: Mul(d, d) -> g node h: Relu(f) -> k "
      "output g "
      "output k }";
  if (!run_open_on(&f, "npusim!,cpu", graph, NULL))
    return;
  RUN_SAME(&f, "f32[4,8]{*-1.5}; f32[5]{1,0,1,0,1}");
  RUN_SAME(&f, "f32[4,8]{*1.5}; f32[2]{1,0}");
  RUN_SAME(&f, "f32[4,8]{*2}; f32[2]{0,0}");
  RUN_SAME(&f, "f32[4,8]{*-1.5}; f32[5]{1,1,1,0,1}");
  run_close(&f);
}

TEST(a_memory_limit_counts_the_memory_of_devices) {
  const weft_exec_options o = {.size = sizeof o, .memory_limit_bytes = 150000};
  run_fixture f;
  if (run_open_on(&f, "npusim!,cpu", dynamic, &o)) {
    CHECK_HAS(run_text(&f, "f32[10,256]{*1}"), "f32[10,256]");
    const char *told = run_text(&f, "f32[100,256]{*1}");
    CHECK_HAS(told, "E_LIMIT: the run needs");
    CHECK_HAS(told, "(102400 bytes on npusim)");
    CHECK_HAS(told, "limit is 150000");
    CHECK_HAS(run_text(&f, "f32[10,256]{*1}"), "f32[10,256]");
    run_close(&f);
  }
}

TEST(what_stays_on_the_cpu_is_fused_after_placement) {
  run_fixture f;
  char text[2048];
  memset(&f, 0, sizeof f);
  if (!rows_open(&f.r, ""))
    return;
  f.device = "npusim,cpu";
  f.passes = true;
  const char *graph =
      "graph \"g\" { input x: f32[64,256] const w: f32[256,256]{*0.25} node m: MatMulV2(x, w) -> a node t: "
      "Square(a) -> b "
      "node u: Abs(b) -> c node v: Neg(c) -> e node n: MatMulV2(e, w) -> h node r: Relu(h) -> y output y }";
  if (run_load(&f, graph, NULL)) {
    run_devices(&f, text, sizeof text);
    CHECK_HAS(text,
              "MatMulV2@npusim copy:Identity@cpu Fused@cpu copy:Identity@npusim MatMulV2@npusim Relu@npusim");
    RUN_SAME(&f, "f32[64,256]{*0.25}");
    run_drop(&f);
  }
  rows_close(&f.r);
}

// The shape is written by a kernel of the device, on a stream of its own, and read by inference on the host.
TEST(r121_shapes_that_a_device_writes_are_there_when_inference_reads_them) {
  const weft_exec_options o = {.size = sizeof o, .streams = 2};
  run_fixture f;
  if (!run_open_on(
          &f, "npusim!,cpu",
          "graph \"g\" { input x: f32[24] input s: i64[2] const p: i64[1]{0} node t: Transpose(s, p) "
          "{_device=\"npusim\"} "
          "-> t node r: Relu(x) -> a node v: Reshape(a, t) -> v node n: Relu(v) -> y output y }",
          &o))
    return;
  static const char *const shapes[][2] = {{"4,6", "f32[4,6]{"},
                                          {"6,4", "f32[6,4]{"},
                                          {"2,12", "f32[2,12]{"},
                                          {"24,1", "f32[24,1]{"},
                                          {"-1,8", "f32[3,8]{"}};
  RUN_SAME(&f, "f32[24]{*2}; i64[2]{3,8}");
  for (int i = 0, bad = 0; i < 1000 && bad < 3; i++) {
    char in[64];
    size_t k = (size_t)(i * 7 + i / 11) % WEFT_COUNT(shapes);
    snprintf(in, sizeof in, "f32[24]{*2}; i64[2]{%s}", shapes[k][0]);
    const char *out = run_text(&f, in);
    if (strncmp(out, shapes[k][1], strlen(shapes[k][1]))) {
      bad++;
      check_failed(__FILE__, __LINE__, "run %d: %s", i, out);
    }
  }
  run_close(&f);
}
// SPDX-License-Identifier: Apache-2.0
