// run_rows_test.c - the runtime beside the interpreter: shapes that change, shapes that data decide,
// sub-graphs, sequences, strings, kernels that fail (groups I, J, K, L).
#include "check.h"
#include "run_util.h"

// Each set of inputs twice, then all again backwards: plans are made, found, and found after others.
static void runs(const char *graph, const char *const *in) {
  run_fixture f;
  size_t n = 0;
  if (!run_open(&f, graph, NULL, NULL))
    return;
  bool ok = true;
  for (; in[n]; n++) {
    ok &= RUN_SAME(&f, in[n]);
    ok &= RUN_SAME(&f, in[n]);
  }
  uint64_t plans = run_stats(&f).plans;
  while (n-- > 0)
    ok &= RUN_SAME(&f, in[n]);
  CHECK_INT(run_stats(&f).plans, plans);
  if (!ok)
    printf("%s\n", graph);
  run_close(&f);
}
#define RUNS(graph, ...) runs("graph \"g\" {" graph "}", (const char *const[]){__VA_ARGS__, NULL})

TEST(r120_r172_shapes_that_change) {
  RUNS("input x: f32[N,16] input y: f32[N,16] node a: Add(x, y) -> z output z",
       "f32[1,16]{0..}; f32[1,16]{*2}", "f32[7,16]{0..}; f32[7,16]{*2}",
       "f32[4096,16]{0..}; f32[4096,16]{*2}", "f32[0,16]; f32[0,16]");
  RUNS("input x: f32[?] node a: Neg(x) -> z output z", "f32[]{1}", "f32[1,2,3]{0..}", "f32[0]", "f32[2,0,3]");
  RUNS("input x: f32[6] input s: i64[2] node r: Reshape(x, s) -> y node n: Neg(y) -> z output z",
       "f32[6]{0..}; i64[2]{2,3}", "f32[6]{0..}; i64[2]{3,-1}", "f32[6]{0..}; i64[2]{1,6}");
  RUNS(
      "input x: f32[?] node s: Shape(x) -> s const h: i32[]{2} node d: Mul(s, h) -> t node f: Tile(x, t) -> "
      "y output y",
      "f32[2]{1,2}", "f32[1,2]{1,2}", "f32[]{1}", "f32[0,2]");
  RUNS(
      "input a: i64[] input b: i64[] const one: i64[]{1} node r: Range(a, b, one) -> r node s: Neg(r) -> y "
      "output y",
      "i64[]{0}; i64[]{5}", "i64[]{2}; i64[]{4}", "i64[]{5}; i64[]{0}");
  RUNS("input x: f32[N] input k: i64[1] node t: TopKV2(x, k) -> v, i output v output i",
       "f32[4]{3,1,2,9}; i64[1]{2}", "f32[4]{3,1,2,9}; i64[1]{4}", "f32[2]{1,2}; i64[1]{0}");
}

TEST(r120_a_bad_shape_names_the_node) {
  run_fixture f;
  if (!run_open(
          &f, "graph \"g\" { input x: f32[24] input s: i64[2] node reshape_1: Reshape(x, s) -> y output y }",
          NULL, NULL))
    return;
  RUN_SAME(&f, "f32[24]{0..}; i64[2]{4,6}");
  RUN_SAME(&f, "f32[24]{0..}; i64[2]{3,8}");
  CHECK_HAS(run_text(&f, "f32[24]{0..}; i64[2]{5,5}"), "E_SHAPE");
  CHECK_HAS(f.text, "node 'reshape_1' (Reshape)");
  RUN_SAME(&f, "f32[24]{0..}; i64[2]{4,6}");
  run_close(&f);
}

TEST(r161_shapes_that_data_decide) {
  RUNS(
      "input x: f32[N,2] const axis: i64[]{0} const k: i64[1]{1} const two: i32[2]{2,1} const w: "
      "f32[2,3]{1,2,3,4,5,6}\n"
      "node nz: NonZero(x) -> z const b: i64[2]{0,0} const e: i64[2]{9223372036854775807,1}\n"
      "node s: StridedSliceV2(z, b, e) -> rows const m1: i64[1]{-1} node r: Reshape(rows, m1) -> idx\n"
      "node g: GatherV2(x, idx, axis) -> picked node m: MatMulV2(picked, w) -> y output y output z",
      "f32[2,2]{1,0,0,2}", "f32[3,2]{0,0,0,0,0,0}", "f32[3,2]{1,2,3,4,5,6}", "f32[0,2]", "f32[1,2]{0,7}");
  RUNS(
      "input x: i32[N] node u: Unique(x) -> y, i node n: Neg(y) -> z node m: Add(i, i) -> w output z output "
      "w output y",
      "i32[5]{3,1,3,2,1}", "i32[1]{4}", "i32[0]", "i32[5]{1,1,1,1,1}");
  RUNS(
      "input x: f32[N] const ax: i64[0] node u: UniqueWithCountsExt2(x, ax) {sorted=true} -> y, j, c, v node "
      "n: Mul(y, y) -> z "
      "output z output c "
      "output v",
      "f32[4]{3,1,3,2}", "f32[2]{1,1}", "f32[0]");
  RUNS(
      "input b: f32[1,N,4] input s: f32[1,1,N] const k: i64[1]{3} const t: f32[1]{0.5} const z: f32[1]{0.1}\n"
      "node m: NonMaxSuppressionV6(b, s, k, t, z) {dtype=DT_INT64} -> i node n: Neg(i) -> y output y",
      "f32[1,3,4]{0,0,1,1,0,0.1,1,1.1,0,10,1,11}; f32[1,1,3]{0.9,0.75,0.6}",
      "f32[1,1,4]{0,0,1,1}; f32[1,1,1]{0.05}", "f32[1,0,4]; f32[1,1,0]");
  // Two after each other: the second one's plan hangs under the first one's.
  RUNS(
      "input x: f32[N] node a: NonZero(x) -> a node b: NonZero(a) -> b node c: NonZero(b) -> c node n: "
      "Neg(c) -> y output y "
      "output a",
      "f32[4]{1,0,2,3}", "f32[4]{0,0,0,0}", "f32[1]{1}", "f32[6]{1,1,1,1,1,1}");
  // Memory of the first part is still read in the second.
  RUNS(
      "input x: f32[N] node a: Neg(x) -> a node e: Abs(a) -> e node z: NonZero(a) -> z node c: Cast(z) "
      "{dst_type=0} -> c "
      "node d: Add(a, e) -> d node s: Add(c, c) -> s output d output s output e",
      "f32[3]{1,0,2}", "f32[3]{0,0,0}", "f32[100]{0..}", "f32[3]{1,1,1}");
  // The contents that a shape comes from, computed by nodes.
  RUNS(
      "input x: f32[N] node z: NonZero(x) -> z node s: Shape(z) -> s node f: Fill(s, v) -> y const v: "
      "f32[]{7} output y",
      "f32[3]{1,0,2}", "f32[2]{0,0}");
  RUNS(
      "input x: i64[2] node p: Add(x, x) -> s node f: Fill(s, v) -> y const v: f32[]{7} node n: Neg(y) -> z "
      "output z output "
      "s",
      "i64[2]{1,2}", "i64[2]{0,2}", "i64[2]{3,1}");
}

TEST(sub_graphs) {
  RUNS(
      "input c: bool[] input x: f32[N] node i: If(c, [x]) {then_branch=graph \"t\" { input a: f32[?] node r: "
      "Neg(a) -> y "
      "output y }, else_branch=graph \"e\" { input a: f32[?] node r: NonZero(a) -> z node k: Cast(z) "
      "{dst_type=0} -> y output "
      "y }} -> [y] node n: Neg(y) -> z output z output y",
      "bool[]{1}; f32[3]{1,0,2}", "bool[]{0}; f32[3]{1,0,2}", "bool[]{0}; f32[0]", "bool[]{1}; f32[1]{5}");
  RUNS(
      "input m: i64[] input x: f32[N] const t: bool[]{1}\n"
      "node l: Loop(m, t, [x], []) {body=graph \"b\" { input i: i64[] input c: bool[] input v: f32[?] node "
      "d: Add(v, v) -> w "
      "node k: Identity(c) -> c2 node n: Neg(v) -> o output c2 output w output o }} -> [y], [s] node z: "
      "Neg(y) -> z output y "
      "output s output z",
      "i64[]{3}; f32[2]{1,2}", "i64[]{0}; f32[2]{1,2}", "i64[]{5}; f32[1]{1}", "i64[]{3}; f32[0]");
  // What is carried grows: each turn has another shape, and finds its plan the next time.
  RUNS(
      "input m: i64[] input x: f32[N] const t: bool[]{1} const ax: i32[]{0}\n"
      "node l: Loop(m, t, [x], []) {body=graph \"b\" { input i: i64[] input c: bool[] input v: f32[?] const "
      "ax: i32[]{0} node "
      "d: ConcatV2([v, v], ax) {N=2} -> w node k: Identity(c) -> c2 output c2 output w }} -> [y], [] node z: "
      "Neg(y) -> z "
      "output z",
      "i64[]{3}; f32[2]{1,2}", "i64[]{0}; f32[2]{1,2}", "i64[]{5}; f32[1]{1}");
  RUNS(
      "input s: f32[2] input x: f32[N,2] node c: Scan([s], [x], []) {num_scan_inputs=1, body=graph \"b\" { "
      "input s: f32[2] "
      "input e: f32[2] node a: Add(s, e) -> t node n: Neg(t) -> o output t output o }} -> [f], [y] output f "
      "output y",
      "f32[2]{1,2}; f32[3,2]{0..}", "f32[2]{1,2}; f32[1,2]{0..}");
  // A body inside a body.
  RUNS(
      "input c: bool[] input m: i64[] input x: f32[N] node i: If(c, [x, m]) {then_branch=graph \"t\" { input "
      "a: f32[?] input "
      "k: i64[] const t: bool[]{1} node l: Loop(k, t, [a], []) {body=graph \"b\" { input i: i64[] input c: "
      "bool[] input v: "
      "f32[?] node d: Neg(v) -> w node j: Identity(c) -> c2 output c2 output w }} -> [y], [] output y }, "
      "else_branch=graph "
      "\"e\" { input a: f32[?] input k: i64[] node d: Abs(a) -> y output y }} -> [y] output y",
      "bool[]{1}; i64[]{3}; f32[2]{1,2}", "bool[]{0}; i64[]{3}; f32[2]{1,2}",
      "bool[]{1}; i64[]{0}; f32[1]{1}");
}

TEST(sequences_optionals_and_strings) {
  RUNS(
      "input x: f32[N] input y: f32[M] node c: SeqConstruct([x, y]) -> s node i: SeqInsert(s, x) -> t const "
      "p: i64[]{1} node "
      "a: SeqAt(t, p) -> e node n: Neg(e) -> z node l: SeqLength(t) -> k output z output t output k output s",
      "f32[1]{1}; f32[2]{2,3}", "f32[0]; f32[1]{1}", "f32[2]{1,2}; f32[0]");
  RUNS(
      "input x: f32[N] node s: SplitToSeq(x) -> s node c: ConcatFromSeq(s) {axis=0} -> y node n: Neg(y) -> z "
      "output "
      "z output s",
      "f32[3]{1,2,3}", "f32[1]{1}");
  RUNS(
      "input x: str[N] input y: str[] node c: StringConcat(x, y) -> z node d: StringConcat(z, z) -> w output "
      "w output z",
      "str[2]{\"a\",\"bc\"}; str[]{\"!\"}", "str[0]; str[]{\"\"}",
      "str[1]{\"long long long\"}; str[]{\"x\"}");
  // The shape is in a tensor that only running tells, and the elements are strings.
  RUNS(
      "input x: str[N] input s: i64[2] node a: Add(s, s) -> t node r: Reshape(x, t) -> y node k: Shape(y) -> "
      "z output "
      "y output z",
      "str[4]{\"a\",\"b\",\"c\",\"d\"}; i64[2]{1,1}",
      "str[8]{\"a\",\"b\",\"c\",\"d\",\"e\",\"f\",\"g\",\"h\"}; i64[2]{1,2}");
  RUNS("input x: str[N] input b: i64[1] input e: i64[1] node r: StridedSliceV2(x, b, e) -> y output y",
       "str[3]{\"a\",\"b\",\"c\"}; i64[1]{1}; i64[1]{3}", "str[3]{\"a\",\"b\",\"c\"}; i64[1]{0}; i64[1]{0}");
  RUNS("input s: seq(f32[?]) input p: i64[] node a: SeqAt(s, p) -> x node n: Neg(x) -> y output y output s",
       "seq(f32[1]{1},f32[2]{2,3}); i64[]{0}", "seq(f32[1]{1},f32[2]{2,3}); i64[]{1}",
       "seq(f32[2]{1,2}); i64[]{-1}");
  RUNS(
      "input x: f32[N] node o: Optional(x) -> o node h: OptionalHasElement(o) -> b node e: "
      "OptionalGetElement(o) -> y node n: "
      "Neg(y) -> z output z output b output o",
      "f32[2]{1,2}", "f32[0]");
}

TEST(zero_sizes_and_scalars) {
  RUNS("input x: f32[A,B] input w: f32[B,C] node m: MatMulV2(x, w) -> y node n: Neg(y) -> z output z",
       "f32[2,3]{0..}; f32[3,2]{0..}", "f32[0,3]; f32[3,2]{0..}", "f32[2,0]; f32[0,2]",
       "f32[2,3]{0..}; f32[3,0]");
  RUNS("input x: f32[] input y: f32[] node a: Add(x, y) -> z node b: Mul(z, z) -> w output w",
       "f32[]{1}; f32[]{2}", "f32[]{nan}; f32[]{inf}");
  RUNS("input x: f32[0,N] const ax: i64[1]{0} node a: ReduceSum(x, ax) -> y output y", "f32[0,3]",
       "f32[0,0]");
  RUNS("input x: i4[N] node a: Identity(x) -> y node b: Cast(x) {dst_type=9} -> z output y output z",
       "i4[3]{1,-2,7}", "i4[0]", "i4[5]{1,2,3,4,5}");
  RUNS("const x: f32[2]{1,2} node a: Neg(x) -> y output y", "");
}

// ---- kernels that fail ----
static int calls, fail_from, fail_to;
static bool lies;
static const weft_column f32[] = {{WEFT_FLOAT, WEFT_ND}};
static weft_status same_infer(weft_infer *it) {
  WEFT_TRY(weft_set_out_dtype(it, 0, it->in_dtype[0]));
  return weft_set_out_shape(it, 0, it->in[0]->dim, it->in[0]->rank);
}
static weft_status flaky_ref(const weft_call *c) {
  calls++;
  if (calls >= fail_from && calls <= fail_to)
    return calls % 2 ? 4242 : c->host->fail(c->d, WEFT_E_KERNEL, "call %d fails", calls);
  if (c->in[0]->bytes)
    memcpy(c->out[0]->data, c->in[0]->data, c->in[0]->bytes);
  return WEFT_OK;
}
static const weft_op flaky = {WEFT_OP_HEAD,
                              .name = "TestFlaky",
                              .in = WEFT_PORTS({"x", .columns = f32}),
                              .n_columns = 1,
                              .out = WEFT_PORTS({"y", .columns = f32}),
                              .infer = same_infer,
                              .ref = flaky_ref,
                              .traits = WEFT_SIDE_EFFECT};

TEST(r177_a_kernel_fails_on_run_2_and_run_3_succeeds) {
  static const char *const graphs[] = {
      "graph \"g\" { input x: f32[N] node a: Neg(x) -> a node f: TestFlaky(a) -> b node c: Abs(b) -> y "
      "output y }",
      "graph \"g\" { input x: f32[N] node z: NonZero(x) -> z node k: Cast(z) {dst_type=0} -> a node f: "
      "TestFlaky(a) -> b node "
      "c: Abs(b) -> y output y output z }",
      "graph \"g\" { input x: f32[N] input c: bool[] node z: NonZero(x) -> z node i: If(c, [x]) "
      "{then_branch=graph \"t\" { "
      "input a: f32[?] node s: SeqConstruct([a, a]) -> s node f: TestFlaky(a) -> b node n: Neg(b) -> y "
      "output y }, "
      "else_branch=graph \"e\" { input a: f32[?] output a }} -> [y] output y output z }"};
  for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++) {
    run_fixture f;
    const char *in = i == 2 ? "f32[3]{1,0,2}; bool[]{1}" : "f32[3]{1,0,2}";
    fail_from = fail_to = 0;
    if (!run_open(&f, graphs[i], NULL, &flaky))
      continue;
    RUN_SAME(&f, in);
    calls = 0;
    fail_from = 1;
    fail_to = 2;
    CHECK_HAS(run_text(&f, in), i ? "" : "E_PACKAGE");  // a package's own code is kept
    CHECK_HAS(f.text, "the kernel returned 4242 (E_PACKAGE) without a message");
    CHECK_HAS(f.text, "while running node 'f' (TestFlaky)");
    CHECK_HAS(run_text(&f, in), "E_KERNEL: call 2 fails");
    CHECK_HAS(f.text, "while running node 'f' (TestFlaky)");
    for (int k = 0; k < 3; k++)
      RUN_SAME(&f, in);
    uint64_t before = run_stats(&f).system_allocs;
    for (int k = 0; k < 100; k++) {
      calls = 0;
      fail_from = 1;
      fail_to = k % 2;
      (void)run_text(&f, in);
    }
    CHECK_INT(run_stats(&f).system_allocs, before);  // nothing is lost
    run_close(&f);
  }
}

// y = TestBound(x): says it has at most as many elements as x, and then tells the half, or (lies) one more.
static weft_status bound_infer(weft_infer *it) {
  WEFT_TRY(weft_set_out_dtype(it, 0, it->in_dtype[0]));
  return weft_set_out_shape(it, 0, (weft_dim[]){-1}, 1);
}
static weft_status bound_range(weft_infer *it) {
  *it->out_min[0] = (weft_shape){.rank = 1, .dim = {0}};
  *it->out_max[0] = *it->in_max[0];
  return WEFT_OK;
}
static weft_status bound_execute(const weft_call *c) {
  weft_layout most = c->in[0]->layout;
  int64_t n = most.storage.dim[0];
  WEFT_TRY(c->host->out_alloc(c, 0, WEFT_FLOAT, &most, WEFT_ND));
  if (!c->out[0])
    return WEFT_OK;
  memcpy(c->out[0]->data, c->in[0]->data, c->in[0]->bytes);
  weft_shape s = {.rank = 1, .dim = {lies ? n + 1 : n / 2}};
  return c->host->out_set_shape(c, 0, &s);
}
static const weft_op bound = {WEFT_OP_HEAD,
                              .name = "TestBound",
                              .n_columns = 1,
                              .in = WEFT_PORTS({"x", .columns = f32}),
                              .out = WEFT_PORTS({"y", .columns = f32}),
                              .infer = bound_infer,
                              .infer_range = bound_range,
                              .execute = bound_execute,
                              .traits = WEFT_DATA_DEPENDENT};

TEST(r139_r154_a_shape_over_its_bound_is_refused) {
  run_fixture f;
  lies = false;
  if (!run_open(
          &f,
          "graph \"g\" { input x: f32[N] node b: TestBound(x) -> b node n: Neg(b) -> y output y output b }",
          NULL, &bound))
    return;
  RUN_SAME(&f, "f32[8]{0..}");
  lies = true;
  CHECK_HAS(run_text(&f, "f32[8]{0..}"), "E_RANGE: invalid actual output size: 36, max output size: 32");
  CHECK_HAS(f.text, "node 'b' (TestBound)");
  lies = false;
  RUN_SAME(&f, "f32[8]{0..}");
  RUN_SAME(&f, "f32[0]");
  CHECK_STR(run_text(&f, "f32[4]{1,2,3,4}"), "f32[2]{-1,-2}; f32[2]{1,2}");
  // The caller's memory holds 2 elements: enough for what came out, and then not.
  float room[2][2];
  weft_tensor out[2];
  weft_tensor *list[2] = {&out[0], &out[1]};
  for (int n = 4; n <= 6; n += 2) {
    rows_tensors t;
    CHECK(rows_read(&f.r, n == 4 ? "f32[4]{1,2,3,4}" : "f32[6]{0..}", &t));
    for (int i = 0; i < 2; i++) {
      weft_tensor_init(&out[i], NULL);
      CHECK_OK(weft_tensor_borrow(&out[i], WEFT_FLOAT, (weft_dim[]){2}, 1, room[i], 8, &f.r.d), &f.r.d);
    }
    weft_diag_clear(&f.r.d);
    CHECK_FAILS(weft_exec_run(f.x, t.in, 1, list, 2, &f.r.d), n == 4 ? WEFT_OK : WEFT_E_SHAPE);
    if (n == 4)
      CHECK(out[0].data == room[0] && out[1].data == room[1] && room[0][1] == -2 && room[1][1] == 2);
    else
      CHECK_HAS(f.r.d.text, "the caller's tensor has 8");
    rows_free(&t);
  }
  RUN_SAME(&f, "f32[8]{0..}");
  run_close(&f);
}

TEST(r139_an_inferred_range_is_checked_on_every_value) {
  run_fixture f;
  lies = false;
  if (!run_open(&f,
                "graph \"g\" { symbol N [4,8] input x: f32[N] node b: TestBound(x) -> b node n: Neg(b) -> y "
                "output y }",
                NULL, &bound))
    return;
  RUN_SAME(&f, "f32[8]{0..}");
  CHECK_HAS(run_text(&f, "f32[9]{0..}"), "E_RANGE: graph input 'x': dim 0 is 9, the range is [4,8]");
  run_close(&f);
}

// ---- memory ----
// Runs with the caller's memory for every output; how often the system was asked after the first rounds.
static uint64_t asked(const char *graph, const char *const *in, int rounds) {
  static run_fixture f;
  static char room[RUN_OUT][1 << 12];
  uint64_t before = 0;
  if (!run_open(&f, graph, NULL, NULL))
    return 99;
  size_t n = weft_program_n_outputs(f.p);
  for (int r = 0; r < rounds; r++) {
    if (r == 2)
      before = run_stats(&f).system_allocs;
    for (int k = 0; in[k]; k++) {
      rows_tensors t;
      weft_tensor out[RUN_OUT];
      weft_tensor *list[RUN_OUT];
      if (!rows_read(&f.r, in[k], &t))
        return 99;
      for (size_t i = 0; i < n; i++) {
        weft_tensor_init(&out[i], NULL);
        list[i] = &out[i];
        if (weft_tensor_borrow(&out[i], WEFT_UINT8, (weft_dim[]){sizeof room[i]}, 1, room[i], sizeof room[i],
                               &f.r.d))
          return 99;
      }
      weft_status s = weft_exec_run(f.x, t.in, t.n, list, n, &f.r.d);
      if (s)
        check_failed(__FILE__, __LINE__, "%s", f.r.d.text);
      for (size_t i = 0; i < n; i++)
        CHECK(out[i].data == (void *)room[i]);
      rows_free(&t);
    }
  }
  uint64_t after = run_stats(&f).system_allocs;
  run_close(&f);
  return after - before;
}
#define ASKED(graph, ...) asked("graph \"g\" {" graph "}", (const char *const[]){__VA_ARGS__, NULL}, 1000)

TEST(r171_p1_a_static_graph_allocates_nothing_when_it_runs) {
  CHECK_INT(ASKED("input x: f32[4,4] node a: MatMulV2(x, x) -> a node b: Relu(a) -> b node c: Add(b, x) -> y "
                  "output y output b",
                  "f32[4,4]{0..}"),
            0);
}

TEST(p15_r176_seen_data_dependent_runs_ask_the_system_for_nothing) {
  CHECK_INT(
      ASKED(
          "input x: f32[N] node e: Abs(x) -> e node f: Relu(e) -> f node z: NonZero(x) -> z node c: Cast(z) "
          "{dst_type=0} -> c node d: Neg(c) -> y output y output f output z",
          "f32[4]{1,0,2,3}", "f32[2]{0,0}", "f32[4]{1,1,1,1}"),
      0);
  CHECK_INT(ASKED("input m: i64[] input x: f32[N] const t: bool[]{1} node l: Loop(m, t, [x], []) {body=graph "
                  "\"b\" { input i: "
                  "i64[] input c: bool[] input v: f32[?] node n: NonZero(v) -> z node k: Cast(z) "
                  "{dst_type=0} -> f node s: "
                  "Reshape(f, one) -> w const one: i64[1]{-1} node j: Identity(c) -> c2 output c2 output w "
                  "}} -> [y], [] output y",
                  "i64[]{2}; f32[4]{1,0,2,3}", "i64[]{1}; f32[2]{1,2}"),
            0);
  CHECK_INT(ASKED("input x: f32[N] input y: f32[N] node q: SeqConstruct([x, y]) -> s const p: i64[]{1} node "
                  "a: SeqAt(s, p) -> e "
                  "node n: Neg(e) -> w output w",
                  "f32[3]{1,2,3}; f32[3]{4,5,6}", "f32[1]{1}; f32[1]{2}"),
            0);
}

// ---- values that inference can do without ----

static enum { HINT_UNUSED, HINT_NEEDED } hint_mode;
static weft_status hint_infer(weft_infer *it) {
  const bool seen = weft_in_value(it, 1)->data != NULL;
  const weft_dim open = -1;
  return weft_set_out_shape(it, 0, !seen && hint_mode == HINT_NEEDED ? &open : it->in[0]->dim, 1);
}
static weft_status hint_ref(const weft_call *c) {
  memcpy(c->out[0]->data, c->in[0]->data, c->out[0]->bytes);
  return WEFT_OK;
}
static const weft_op hint = {
    WEFT_OP_HEAD,
    .name = "TestHint",
    .in = WEFT_PORTS({"x", .dtypes = WEFT_DT(FLOAT)},
                     {"h", .dtypes = WEFT_DT(INT64), .value = WEFT_VALUE_INFER | WEFT_VALUE_OPTIONAL}),
    .out = WEFT_PORTS({"y", .dtypes = WEFT_DT(FLOAT)}),
    .infer = hint_infer,
    .ref = hint_ref};

// Nothing waits for them where the shape is found without; where it is not, what follows is planned later.
TEST(optional_values_are_waited_for_only_where_the_shape_needs_them) {
  for (int mode = HINT_UNUSED; mode <= HINT_NEEDED; mode++) {
    run_fixture f;
    hint_mode = mode;
    if (!run_open(
            &f,
            "graph \"g\" { input x: f32[N] input h: i64[1] node a: Add(h, h) -> s node t: TestHint(x, s) "
            "-> t node n: Neg(t) -> y output y }",
            NULL, &hint))
      return;
    RUN_SAME(&f, "f32[8]{0..}; i64[1]{3}");
    CHECK_INT(run_stats(&f).plans, mode == HINT_UNUSED ? 1 : 2);
    RUN_SAME(&f, "f32[8]{0..}; i64[1]{4}");
    CHECK_INT(run_stats(&f).plans, mode == HINT_UNUSED ? 1 : 3);
    run_close(&f);
  }
}
// SPDX-License-Identifier: Apache-2.0
