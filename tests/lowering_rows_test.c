// lowering_rows_test.c - what a compiled graph is made of: one prototype table at both ends (R294), formats
// brought together (R256, R282), no nodes for shapes that an operator finds itself (R147, R163), and who
// dispatches what (R159).
#include "check.h"
#include "run_util.h"

static size_t count(const weft_graph *g, const char *type) {
  size_t n = 0;
  for (const weft_node *k = weft_graph_first(g); k; k = weft_node_next(k))
    n += !type || !strcmp(weft_node_type(k), type);
  return n;
}

TEST(r147_r163_a_shape_that_an_operator_finds_needs_no_node_and_no_file) {
  run_fixture f;
  const char *graph = "graph \"g\" { input x: f32[N] node z: NonZero(x) -> y output y }";
  if (!run_open(&f, graph, NULL, NULL))
    return;
  CHECK_INT(count(weft_program_graph(f.p), NULL), 1);
  CHECK_STR(run_text(&f, "f32[4]{1,0,0,2}"), "i64[2,1]{0,3}");
  CHECK_STR(run_text(&f, "f32[4]{0,0,0,2}"), "i64[1,1]{3}");
  CHECK_INT(run_stats(&f).launches, 2);  // one a run: the operator alone
  run_close(&f);
}

TEST(r159_unknown_shapes_are_dispatched_node_by_node_and_planned_when_they_are_seen) {
  const weft_exec_options o = {.size = sizeof o, .profile = true};
  const weft_launch_record *record;
  run_fixture f;
  if (run_open(&f,
               "graph \"g\" { input x: f32[N] node z: NonZero(x) -> i node c: Cast(i) {dst_type=0} -> c node "
               "r: Relu(c) -> y "
               "output y }",
               &o, NULL)) {
    static const char *const types[] = {"NonZero", "Cast", "Relu"};
    run_text(&f, "f32[4]{1,0,0,2}");
    CHECK_INT(weft_exec_profile(f.x, &record), 3);
    for (int i = 0; i < 3; i++)
      CHECK_STR(record[i].type, types[i]);
    uint64_t infers = run_stats(&f).infers;
    run_text(&f, "f32[4]{1,1,0,2}");
    CHECK(run_stats(&f).infers > infers);  // a count that was not seen before
    run_close(&f);
  }
  if (run_open(&f, "graph \"g\" { input x: f32[4] node a: Neg(x) -> a node r: Relu(a) -> y output y }", &o,
               NULL)) {
    run_text(&f, "f32[4]{1,0,0,2}");
    weft_exec_stats first = run_stats(&f);
    for (int i = 0; i < 10; i++)
      run_text(&f, "f32[4]{1,0,0,2}");
    CHECK_INT(run_stats(&f).infers, first.infers);
    CHECK_INT(run_stats(&f).plans, 1);
    CHECK_INT(run_stats(&f).tilings, first.tilings);
    run_close(&f);
  }
}

TEST(r294_one_prototype_table_before_and_after_compiling) {
  run_fixture f;
  const char *graph =
      "graph \"g\" { input x: f32[4,4] const w: f32[4,4]{*0.5} node m: MatMulV2(x, w) -> a node r: Relu(a) "
      "-> b node s: Neg(b) "
      "-> y output y }";
  memset(&f, 0, sizeof f);
  if (!rows_open(&f.r, ""))
    return;
  f.passes = true;
  if (run_load(&f, graph, NULL)) {
    const weft_graph *ends[2] = {f.g, weft_program_graph(f.p)};  // f.g: as it was read
    for (int i = 0; i < 2; i++) {
      CHECK_OK(weft_graph_verify(ends[i], NULL, NULL, &f.r.d), &f.r.d);
      for (const weft_node *n = weft_graph_first(ends[i]); n; n = weft_node_next(n))
        CHECK(weft_node_proto(n) == weft_find(f.r.env, weft_node_type(n)));
    }
    run_drop(&f);
  }
  rows_close(&f.r);
}

// R291: model, parser, IR, graph compiler, optimised IR, lowering, instruction sequence. Each hook sees the
// one before.
typedef struct stages {
  char text[128];
  const char *stop;
} stages;
static weft_status stage(void *ctx, const char *name) {
  stages *s = ctx;
  size_t n = strlen(s->text);
  snprintf(s->text + n, sizeof s->text - n, "%s ", name);
  return s->stop && !strcmp(s->stop, name) ? WEFT_E_CANCELLED : WEFT_OK;
}
static weft_status compile_in_stages(rows *r, const char *device, stages *s, weft_program **p, weft_diag *d) {
  static const char graph[] =
      "graph \"g\" { input x: f32[4] node a: Neg(x) -> a node r: Relu(a) -> y output y }";
  const weft_compile_options o = {.size = sizeof o, .device = device, .stage = stage, .stage_ctx = s};
  weft_graph *g;
  WEFT_TRY(weft_graph_parse(r->env, graph, sizeof graph - 1, "g", &g, d));
  return weft_compile(g, &o, p, d);
}

TEST(r291_the_stage_hooks_are_called_in_order_and_each_can_stop) {
  static const char *const all[] = {"infer", "optimize", "place", "verify", "lower"};
  rows r;
  weft_program *p;
  stages s = {.text = ""};
  if (!rows_open(&r, ""))
    return;
  CHECK_OK(compile_in_stages(&r, NULL, &s, &p, &r.d), &r.d);
  CHECK_STR(s.text, "infer optimize verify lower ");
  weft_program_release(p);
  s = (stages){.text = ""};
  CHECK_OK(compile_in_stages(&r, "npusim,cpu", &s, &p, &r.d), &r.d);
  CHECK_STR(s.text, "infer optimize place verify lower ");
  weft_program_release(p);
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    weft_diag d = {0};
    s = (stages){.text = "", .stop = all[i]};
    CHECK_FAILS(compile_in_stages(&r, "npusim,cpu", &s, &p, &d), WEFT_E_CANCELLED);
    CHECK(!p);
    CHECK_HAS(d.text, all[i]);
    CHECK_HAS(s.text, all[i]);
  }
  rows_close(&r);
}

// R282: a package's operator with two kernels for f16, plain and NC1HWC0; conversions cost at least 500 ns.
static double plain_ns, packed_ns;
static int ran_plain, ran_packed;
static weft_status infer_twice(weft_infer *it) {
  *it->out[0] = *it->in[0];
  it->out_dtype[0] = it->in_dtype[0];
  return WEFT_OK;
}
static double cost_plain(const weft_tiling *t) {
  (void)t;
  return plain_ns;
}
static double cost_packed(const weft_tiling *t) {
  (void)t;
  return packed_ns;
}
static const char *refuse_packed(const weft_tiling *t) {
  if (strcmp(t->desc->type, "Twice"))
    return "is another operator";
  if (weft_format_primary(t->in_format[0]) != WEFT_NC1HWC0)
    return "takes NC1HWC0 alone";
  return weft_format_primary(t->out_format[0]) == WEFT_NC1HWC0 ? NULL : "gives NC1HWC0 alone";
}
static weft_status tile_twice(weft_tiling *t) {
  int64_t n = 1;
  for (size_t i = 0; i < t->in[0]->storage.rank; i++)
    n *= t->in[0]->storage.dim[i];
  *(int64_t *)t->data = n;
  t->data_bytes = sizeof n;
  t->blocks = 1;
  return WEFT_OK;
}
static weft_status twice(const weft_block *b, int *ran) {
  const uint16_t *x = b->arg[0];
  uint16_t *y = b->arg[1];
  for (int64_t i = 0; i < *(const int64_t *)b->data; i++)
    y[i] = x[i] ? (uint16_t)(x[i] + 0x400) : 0;
  ++*ran;
  return WEFT_OK;
}
static weft_status run_plain(const weft_block *b) {
  return twice(b, &ran_plain);
}
static weft_status run_packed(const weft_block *b) {
  return twice(b, &ran_packed);
}

static const weft_op twice_op = {WEFT_OP_HEAD, .name = "Twice",
                                 .in = WEFT_PORTS({"x", NULL, WEFT_DT(FLOAT16)}),
                                 .out = WEFT_PORTS({"y", NULL, WEFT_DT(FLOAT16)}), .infer = infer_twice};

TEST(r282_kernels_of_a_package_are_chosen_with_the_conversions_they_need) {
  static const weft_kernel kernels[] = {{.size = sizeof *kernels,
                                         .op = "Twice",
                                         .device = "cpu",
                                         .name = "plain",
                                         .cost_ns = cost_plain,
                                         .tile = tile_twice,
                                         .run = run_plain},
                                        {.size = sizeof *kernels,
                                         .op = "Twice",
                                         .device = "cpu",
                                         .name = "packed",
                                         .refuse = refuse_packed,
                                         .cost_ns = cost_packed,
                                         .tile = tile_twice,
                                         .run = run_packed,
                                         .flags = WEFT_KERNEL_PACKED}};
  static const char one[] = "graph \"g\" { input x: f16[1,3,4,4] node a: Twice(x) -> y output y }";
  static const char two[] =
      "graph \"g\" { input x: f16[1,3,4,4] node a: Twice(x) -> a node b: Twice(a) -> y output y }";
  static const struct {
    const char *graph;
    const char *option;
    double plain, packed;
    int nodes_plain;
    int nodes_packed;
    size_t conversions;
  } cases[] = {{two, NULL, 10, 3, 2, 0, 0},  // the faster kernel does not pay for its conversions
               {two, "assign-formats.choose=packed", 10, 3, 0, 2, 2},
               {one, NULL, 1300, 1000, 1, 0, 0},
               {two, NULL, 10000, 3000, 0, 2, 2},
               {two, "assign-formats=0", 10000, 3000, 2, 0, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    run_fixture f;
    memset(&f, 0, sizeof f);
    if (!rows_open(&f.r, ""))
      return;
    CHECK_OK(weft_register(f.r.env, &twice_op, 0, &f.r.d), &f.r.d);
    for (size_t k = 0; k < 2; k++)
      CHECK_OK(weft_register_kernel(f.r.env, &kernels[k], &f.r.d), &f.r.d);
    f.passes = true;
    f.option = cases[i].option;
    plain_ns = cases[i].plain;
    packed_ns = cases[i].packed;
    ran_plain = ran_packed = 0;
    if (run_load(&f, cases[i].graph, NULL)) {
      CHECK_INT(count(weft_program_graph(f.p), "TransData"), cases[i].conversions);
      CHECK_HAS(run_text(&f, "f16[1,3,4,4]{*1.5}"), cases[i].graph == one ? "{3,3," : "{6,6,");
      CHECK_INT(ran_plain, cases[i].nodes_plain);
      CHECK_INT(ran_packed, cases[i].nodes_packed);
      run_drop(&f);
    }
    rows_close(&f.r);
  }
}

#if !defined(__aarch64__)  // as in passes_test.c: where kernels for packed tensors take these shapes
static size_t open_dims(const weft_graph *g) {
  size_t n = 0;
  for (const weft_node *k = weft_graph_first(g); k; k = weft_node_next(k)) {
    weft_tensor_desc desc;
    for (uint32_t i = 0; weft_node_out(k, i); i++) {
      weft_value_desc(weft_node_out(k, i), &desc);
      n += !weft_shape_is_known(&desc.layout.origin);
    }
    for (uint32_t i = 0; i < weft_node_n_graphs(k); i++)
      n += open_dims(weft_node_graph_at(k, i));
  }
  return n;
}

TEST(r1_r176_a_static_graph_stays_static_when_operators_with_axes_are_fused) {
  static const char graph[] =
      "graph \"g\" { input x: f32[1,16,24,24] const w: f32[32,16,3,3]{*0.01} const u: f32[48,64,1,1]{*0.02} "
      "const v: f32[32,16,3,3]{*0.03} const axis: i32[]{1} node c: Conv(x, w) -> c node d: Conv(x, v) -> d "
      "node j: ConcatV2([c, d], axis) {N=2} -> j node e: Conv(j, u) -> y output y }";
  run_fixture f;
  memset(&f, 0, sizeof f);
  if (!rows_open(&f.r, ""))
    return;
  f.passes = true;
  f.option = "assign-formats.choose=packed";
  if (run_load(&f, graph, NULL)) {
    CHECK_INT(count(weft_program_graph(f.p), "ConcatV2"), 0);  // packed: inside a fused node
    CHECK_INT(open_dims(weft_program_graph(f.p)), 0);
    CHECK_HAS(run_text(&f, "f32[1,16,24,24]{*0.5}"), "f32[1,48,22,22]");
    run_drop(&f);
  }
  rows_close(&f.r);
}

TEST(r256_r282_formats_meet_in_two_conversions_or_in_none) {
  static const char graph[] =
      "graph \"g\" { input x: f32[1,16,24,24] const w: f32[32,16,3,3]{*0.01} const u: f32[48,32,1,1]{*0.02} "
      "node c: Conv(x, w) "
      "-> c node r: Relu(c) -> r node d: Conv(r, u) -> y output y }";
  static const struct {
    const char *option;
    size_t conversions;
  } cases[] = {{"assign-formats.choose=packed", 2}, {"assign-formats=0", 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    run_fixture f;
    memset(&f, 0, sizeof f);
    if (!rows_open(&f.r, ""))
      return;
    f.passes = true;
    f.option = cases[i].option;
    if (run_load(&f, graph, NULL)) {
      CHECK_INT(count(weft_program_graph(f.p), "TransData"), cases[i].conversions);
      CHECK_HAS(run_text(&f, "f32[1,16,24,24]{*0.5}"), "f32[1,48,22,22]");
      run_drop(&f);
    }
    rows_close(&f.r);
  }
}
#endif
// SPDX-License-Identifier: Apache-2.0
