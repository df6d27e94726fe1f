// device_package_test.c - an operator of a package on the simulated NPU: which of its kernels is chosen, and
// the tiling function and the kernel that share a record (R24, R35, R293, R298-R305).
#include "base/base.h"
#include "op/package.h"
#include "run_util.h"
#include "weft/device.h"

enum { BLOCK_SIZE, PRECISION };
static int tilings;
static int64_t seen[2];
static uint64_t seen_key;
static weft_status same_shape(weft_infer *it) {
  const weft_shape *s = weft_in_shape(it, 0);
  WEFT_TRY(weft_set_out_dtype(it, 0, weft_in_dtype(it, 0)));
  return weft_set_out_shape(it, 0, s->dim, s->rank);
}
static weft_status copy_ref(const weft_call *c) {
  if (c->out[0]->bytes)
    memcpy(c->out[0]->data, c->in[0]->data, c->out[0]->bytes);
  return WEFT_OK;
}
static weft_status tile_my_op(weft_tiling *t) {
  const int64_t *block = weft_node_int_at(t->desc, BLOCK_SIZE);
  const char *precision = weft_node_str(t->desc, PRECISION);
  int64_t n;
  tilings++;
  if (t->key || t->blocks || t->n_workspaces || !t->atomic_clean)  // R305
    return t->host->fail(t->d, WEFT_E_STATE, "tiling does not begin with its defaults");
  if (!block || !precision || weft_shape_elems(&t->in[0]->origin, &n))
    return t->host->fail(t->d, WEFT_E_MISSING, "attributes");
  if (!strcmp(precision, "low"))
    return t->host->fail(t->d, WEFT_E_KERNEL, "low precision is not tiled");
  int64_t data[2] = {*block, n / *block + (n % *block != 0)};
  memcpy(t->data, data, sizeof data);
  t->data_bytes = sizeof data;
  t->blocks = (uint32_t)data[1];
  t->key = 7;
  t->n_workspaces = 1;
  t->workspace_bytes[0] = (size_t)(*block * 4 * data[1]);
  return WEFT_OK;
}
static weft_status run_my_op(const weft_block *b) {  // by way of the workspace
  const int64_t *data = b->data;
  char *via = (char *)b->workspace[0] + (int64_t)b->block * data[0] * 4;
  int64_t n = 100 - (int64_t)b->block * data[0];
  size_t bytes = (size_t)(n < data[0] ? n : data[0]) * 4;
  size_t from = b->block * (size_t)data[0] * 4;
  seen[0] = data[0];
  seen[1] = data[1];
  seen_key = b->key;
  memcpy(via, (const char *)b->arg[0] + from, bytes);
  memcpy((char *)b->arg[2] + from, via, bytes);
  return WEFT_OK;
}
static const weft_op my_op = {WEFT_OP_HEAD,
                              .name = "MyOp",
                              .in = WEFT_PORTS({"x", "T"}, {"w", "T"}),
                              .out = WEFT_PORTS({"y", "T"}),
                              .types = WEFT_TYPES({"T", WEFT_DT(FLOAT)}),
                              .attrs = WEFT_ATTRS({"block_size", "Int", "32", "min 1"},
                                                  {"precision", "String", "\"high\"", "one of high|low"}),
                              .traits = WEFT_TILED,
                              .infer = same_shape,
                              .ref = copy_ref,
                              .tile = tile_my_op,
                              .targets = WEFT_NAMES("npusim")};
static const char *no_half(const weft_tiling *t) {
  return t->in_dtype[0] == WEFT_FLOAT16 ? NULL : "fp16 only";
}
static double dear(const weft_tiling *t) {
  (void)t;
  return 1e7;
}
static double cheap(const weft_tiling *t) {
  (void)t;
  return 3;
}
static const weft_kernel my_kernels[] = {{.size = sizeof(weft_kernel),
                                          .op = "MyOp",
                                          .device = "npusim",
                                          .name = "half",
                                          .refuse = no_half,
                                          .run = run_my_op},
                                         {.size = sizeof(weft_kernel),
                                          .op = "MyOp",
                                          .device = "npusim",
                                          .name = "dear",
                                          .cost_ns = dear,
                                          .run = run_my_op},
                                         {.size = sizeof(weft_kernel),
                                          .op = "MyOp",
                                          .device = "npusim",
                                          .name = "cheap",
                                          .cost_ns = cheap,
                                          .run = run_my_op}};
static const weft_section my_sections[] = {{WEFT_SECTION_KERNEL, sizeof(weft_kernel), 3, my_kernels}};
static const weft_package my_package = {sizeof my_package, WEFT_ABI, "test", "1", 1, my_sections};

static bool open_package(run_fixture *f, weft_env_package *loaded, const weft_op *op) {
  memset(f, 0, sizeof *f);
  if (!rows_open(&f->r, ""))
    return false;
  *loaded =
      (weft_env_package){.info = {.path = "test.so", .name = "test", .version = "1"}, .package = &my_package};
  if (weft_register(f->r.env, op, 0, &f->r.d) || !WEFT_VEC_ROOM(&f->r.env->alloc, f->r.env->packages))
    return check_failed(__FILE__, __LINE__, "%s", f->r.d.text), false;
  f->r.env->packages.v[f->r.env->packages.n++] = loaded;
  f->device = "npusim,cpu";
  return true;
}
static void close_package(run_fixture *f) {
  f->r.env->packages.n--;
  rows_close(&f->r);
}
#define MY_GRAPH(attrs) \
  "graph \"g\" { input x: f32[100] input w: f32[1] node m: MyOp(x, w) " attrs " -> y output y }"

TEST(r298_r305_the_tiling_function_and_the_kernel_share_a_record) {
  run_fixture f;
  weft_env_package loaded;
  char text[2048];
  if (!open_package(&f, &loaded, &my_op))
    return;
  tilings = 0;
  if (run_load(&f, MY_GRAPH(""), NULL)) {
    RUN_SAME(&f, "f32[100]{*0.5}; f32[1]{1}");
    RUN_SAME(&f, "f32[100]{*1.5}; f32[1]{1}");
    CHECK_INT(tilings, 1);  // R23, R309: once for a shape
    CHECK_INT(seen[0], 32);
    CHECK_INT(seen[1], 4);
    CHECK_INT(seen_key, 7);
    run_plan_text(&f, text, sizeof text);
    CHECK_HAS(text, "[cheap]");  // R282
    CHECK_HAS(text, "blocks 4 x 1, key 7");
    run_drop(&f);
  }
  CHECK_HAS(run_compile_error(&f.r, "cpu", MY_GRAPH("")),
            "no kernel found for op MyOp (node 'm'): cpu: op MyOp not supported on cpu");
  f.r.d.status = 0;
  if (run_load(&f, MY_GRAPH("{precision=\"low\"}"), NULL)) {  // R308
    CHECK_HAS(run_text(&f, "f32[100]{*0.5}; f32[1]{1}"), "E_KERNEL: low precision is not tiled");
    run_drop(&f);
  }
  close_package(&f);
}

TEST(r35_an_operator_that_names_its_kernel_gets_that_one) {
  weft_op wants = my_op;
  run_fixture f;
  weft_env_package loaded;
  char text[2048];
  wants.kernel = "dear";
  if (!open_package(&f, &loaded, &wants))
    return;
  if (run_load(&f, MY_GRAPH(""), NULL)) {
    RUN_SAME(&f, "f32[100]{*0.5}; f32[1]{1}");
    run_plan_text(&f, text, sizeof text);
    CHECK_HAS(text, "[dear]");
    run_drop(&f);
  }
  close_package(&f);
  wants.kernel = "my_kernel";
  if (!open_package(&f, &loaded, &wants))
    return;
  CHECK_HAS(run_compile_error(&f.r, "npusim,cpu", MY_GRAPH("")), "no kernel found for op MyOp");
  CHECK_HAS(run_compile_error(&f.r, "npusim,cpu", MY_GRAPH("")),
            "cheap: is not the kernel that the operator names");
  close_package(&f);
}

TEST(r24_r293_targets_and_missing_tiling_are_named) {
  weft_op plain = my_op;
  run_fixture f;
  weft_env_package loaded;
  plain.targets = WEFT_NAMES("cpu");
  plain.traits = 0;
  if (!open_package(&f, &loaded, &plain))
    return;
  CHECK_HAS(run_compile_error(&f.r, "npusim", MY_GRAPH("")), "op MyOp not supported on npusim");
  CHECK_HAS(run_compile_error(&f.r, "npusim,cpu", MY_GRAPH("")), "OK");
  close_package(&f);
  plain.targets = WEFT_NAMES("npusim");
  plain.tile = NULL;
  if (!open_package(&f, &loaded, &plain))
    return;
  CHECK_HAS(run_compile_error(&f.r, "npusim", MY_GRAPH("")), "no kernel found for op MyOp");
  CHECK_HAS(run_compile_error(&f.r, "npusim", MY_GRAPH("")), "dear: has no tiling function");
  close_package(&f);
}
// SPDX-License-Identifier: Apache-2.0
