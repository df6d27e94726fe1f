// run_test.c - what an exec takes and refuses: inputs, the caller's outputs, limits, options; what overwrites
// what.
#include "check.h"
#include "run_util.h"

static const char add_one[] =
    "graph \"g\" { input x: f32[N,2] const one: f32[]{1} node a: Add(x, one) -> y output y }";

TEST(r138_r169_inputs_are_checked) {
  run_fixture f;
  if (!run_open(
          &f,
          "graph \"g\" { symbol N [1,64] input x: f32[N,2] input b: bool[8] node a: Neg(x) -> y node c: "
          "LogicalNot(b) -> z output y output z }",
          NULL, NULL))
    return;
  const char *b8 = "bool[8]{1,0,1,0,1,0,0,1}";
  char in[256];
  static const struct {
    const char *x;
    const char *status;
    const char *text;
  } bad[] = {{"f32[0,2]", "E_RANGE", "dim 0 is 0, the range is [1,64]"},
             {"f32[65,2]{*1}", "E_RANGE", "dim 0 is 65, the range is [1,64]"},
             {"f32[2]{1,2}", "E_SHAPE", "expected rank 2, got 1"},
             {"f32[3,3]{*1}", "E_SHAPE", "dim 1 is 3, the graph has 2"},
             {"i32[1,2]{1,2}", "E_DTYPE", "expected DT_FLOAT, got DT_INT32"},
             {"seq(f32[1,2]{1,2})", "E_TYPE", "expected tensor, got sequence"},
             {"_", "E_MISSING", "graph input 'x' is not given"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    snprintf(in, sizeof in, "%s; %s", bad[i].x, b8);
    CHECK_HAS(run_text(&f, in), bad[i].status);
    CHECK_HAS(f.text, bad[i].text);
    CHECK_HAS(f.text, "graph input 'x'");
    CHECK_HAS(f.text, "while running program 'g'");
    RUN_SAME(&f, "f32[1,2]{1,2}; bool[8]{1,0,1,0,1,0,0,1}");  // usable afterwards
  }
  CHECK_HAS(run_text(&f, "f32[1,2]{1,2}; bool[7]{*1}"), "graph input 'b': dim 0 is 7, the graph has 8");
  CHECK_HAS(run_text(&f, "f32[1,2]{1,2}"), "E_INVALID: graph 'g' has 2 inputs, got 1");
  CHECK_HAS(run_text(&f, ""), "E_INVALID: graph 'g' has 2 inputs, got 0");
  uint8_t four[4] = {0};
  float two[2] = {1, 2};
  weft_tensor x;
  weft_tensor b;
  weft_tensor y;
  weft_tensor z;
  weft_tensor_init(&x, NULL);
  weft_tensor_init(&b, NULL);
  weft_tensor_init(&y, NULL);
  weft_tensor_init(&z, NULL);
  weft_diag d = {0};
  CHECK_OK(weft_tensor_borrow(&x, WEFT_FLOAT, (weft_dim[]){1, 2}, 2, two, sizeof two, &d), &d);
  CHECK_OK(weft_tensor_borrow(&b, WEFT_BOOL, (weft_dim[]){4}, 1, four, sizeof four, &d), &d);
  CHECK_OK(weft_shape_init(&b.layout.origin, (weft_dim[]){8}, 1), &d);  // says 8, has 4 bytes
  b.layout.storage = b.layout.origin;
  const weft_tensor *in2[] = {&x, &b};
  weft_tensor *out[] = {&y, &z};
  CHECK_FAILS(weft_exec_run(f.x, in2, 2, out, 2, &d), WEFT_E_SHAPE);
  CHECK_HAS(d.text, "needs 8 bytes, the tensor has 4");
  b.data = NULL;
  CHECK_FAILS(weft_exec_run(f.x, in2, 2, out, 2, NULL), WEFT_E_SHAPE);
  CHECK_FAILS(weft_exec_run(f.x, in2, 2, out, 1, NULL), WEFT_E_INVALID);
  weft_tensor_deinit(&y);
  weft_tensor_deinit(&z);
  run_close(&f);
}

// ---- the caller's outputs ----
static weft_status run_into(run_fixture *f, const char *literal, weft_tensor *out) {
  rows_tensors t;
  if (!rows_read(&f->r, literal, &t))
    return WEFT_E_STATE;
  weft_diag_clear(&f->r.d);
  weft_status s = weft_exec_run(f->x, t.in, t.n, (weft_tensor *[]){out}, 1, &f->r.d);
  rows_free(&t);
  return s;
}

TEST(outputs_in_the_callers_memory) {
  run_fixture f;
  float room[6] = {0, 0, 0, 0, 77, 77};
  weft_tensor y;
  if (!run_open(&f, add_one, NULL, NULL))
    return;
  weft_tensor_init(&y, NULL);
  CHECK_OK(weft_tensor_borrow(&y, WEFT_FLOAT, (weft_dim[]){2, 2}, 2, room, 16, &f.r.d), &f.r.d);
  CHECK_OK(run_into(&f, "f32[2,2]{1,2,3,4}", &y), &f.r.d);
  CHECK(y.data == room && room[0] == 2 && room[3] == 5 && room[4] == 77);
  CHECK_OK(run_into(&f, "f32[1,2]{7,8}", &y), &f.r.d);  // smaller: shape and bytes say so
  CHECK(y.data == room && room[0] == 8 && room[1] == 9 && room[2] == 4 && y.bytes == 8);
  CHECK_INT(y.layout.origin.dim[0], 1);
  CHECK_OK(run_into(&f, "f32[2,2]{0,0,0,0}", &y), &f.r.d);  // and its capacity is still 16
  CHECK(y.bytes == 16 && room[3] == 1);
  CHECK_FAILS(run_into(&f, "f32[3,2]{1,2,3,4,5,6}", &y), WEFT_E_SHAPE);
  CHECK_HAS(f.r.d.text, "graph output 'y': shape [3,2] needs 24 bytes, the caller's tensor has 16");
  CHECK(room[4] == 77);
  CHECK_OK(run_into(&f, "f32[0,2]", &y), &f.r.d);
  CHECK(y.bytes == 0 && y.data == room);
  weft_tensor_deinit(&y);
  CHECK_OK(run_into(&f, "f32[2,2]{1,2,3,4}", &y), &f.r.d);  // without data: the caller's afterwards (R170)
  CHECK_OK(run_into(&f, "f32[2,2]{5,6,7,8}", &y), &f.r.d);  // its own memory again
  run_close(&f);
  CHECK_F64(weft_tensor_f32(&y)[3], 9, 0);
  weft_tensor_deinit(&y);
}

// Bytes of a file or a packet lie where they lie: elements at odd addresses are read and written like others.
TEST(tensors_at_odd_addresses) {
  static const char graph[] =
      "graph \"g\" { input x: f32[N,4] const w: f32[4,4]{0..} node e: Exp(x) -> e node m: MatMulV2(e, w) -> "
      "y "
      "node n: Neg(x) -> z output y output z output x }";
  _Alignas(64) static char from[512], to[3][512];
  for (int passes = 0; passes < 2; passes++) {
    run_fixture f;
    weft_tensor in;
    weft_tensor out[2][3];
    weft_tensor *list[3];
    const weft_tensor *given = &in;
    memset(&f, 0, sizeof f);
    if (!rows_open(&f.r, ""))
      return;
    f.passes = passes;
    if (run_load(&f, graph, NULL)) {
      for (size_t odd = 0; odd < 2; odd++) {
        for (size_t i = 0; i < 20; i++)
          memcpy(from + odd + 4 * i, &(float){(float)i / 8}, 4);
        weft_tensor_init(&in, NULL);
        CHECK_OK(weft_tensor_borrow(&in, WEFT_FLOAT, (weft_dim[]){5, 4}, 2, from + odd, 80, &f.r.d), &f.r.d);
        for (size_t i = 0; i < 3; i++) {
          weft_tensor_init(&out[odd][i], NULL);
          if (odd) {
            CHECK_OK(weft_tensor_borrow(&out[1][i], WEFT_FLOAT, (weft_dim[]){20}, 1, to[i] + 1, 80, &f.r.d),
                     &f.r.d);
          }
          list[i] = &out[odd][i];
        }
        CHECK_OK(weft_exec_run(f.x, &given, 1, list, 3, &f.r.d), &f.r.d);
      }
      for (size_t i = 0; i < 3; i++) {
        CHECK(out[1][i].data == to[i] + 1 && !memcmp(out[1][i].data, out[0][i].data, 80));
        CHECK(!to[i][0] && !to[i][81]);
        weft_tensor_deinit(&out[0][i]);
      }
      run_drop(&f);
    }
    rows_close(&f.r);
    memset(to, 0, sizeof to);
  }
}

TEST(outputs_that_are_inputs_constants_views_and_twice) {
  run_fixture f;
  if (run_open(&f,
               "graph \"g\" { input x: f32[N,2] const k: f32[2]{8,9} const s: i64[2]{2,-1}\n"
               "node a: Neg(x) -> y node v: Reshape(y, s) -> z node w: Reshape(x, s) -> u\n"
               "output y output x output k output y output z output u output z }",
               NULL, NULL)) {
    for (int i = 0; i < 3; i++) {
      RUN_SAME(&f, "f32[3,2]{1,2,3,4,5,6}");
      RUN_SAME(&f, "f32[1,2]{1,2}");
      RUN_SAME(&f, "f32[0,2]");
    }
    // Given and not given, in turns.
    rows_tensors t;
    CHECK(rows_read(&f.r, "f32[2,2]{1,2,3,4}", &t));
    for (unsigned mask = 0; mask < 128; mask++) {
      float room[7][4] = {{0}};
      weft_tensor out[7];
      weft_tensor *list[7];
      for (int i = 0; i < 7; i++) {
        weft_tensor_init(&out[i], NULL);
        list[i] = &out[i];
        if (mask >> i & 1)
          CHECK_OK(weft_tensor_borrow(&out[i], WEFT_FLOAT, (weft_dim[]){4}, 1, room[i], 16, &f.r.d), &f.r.d);
      }
      CHECK_OK(weft_exec_run(f.x, t.in, 1, list, 7, &f.r.d), &f.r.d);
      static const float want[7] = {-4, 4, 9, -4, -4, 4, -4};
      for (int i = 0; i < 7; i++) {
        size_t n = out[i].bytes / 4;
        CHECK(!(mask >> i & 1) || out[i].data == room[i]);
        CHECK_F64(((float *)out[i].data)[n - 1], want[i], 0);
        for (int k = 0; k < i; k++)
          CHECK(out[k].data != out[i].data);
        weft_tensor_deinit(&out[i]);
      }
    }
    rows_free(&t);
    run_close(&f);
  }
  if (run_open(&f, "graph \"g\" { const k: f32[2]{8,9} output k }", NULL, NULL)) {
    RUN_SAME(&f, "");
    run_close(&f);
  }
  if (run_open(&f, "graph \"g\" { input x: str[N] output x output x }", NULL, NULL)) {
    RUN_SAME(&f, "str[2]{\"a\",\"bc\"}");
    run_close(&f);
  }
}

TEST(outputs_that_held_something_else) {
  static const char *const graphs[] = {
      "graph \"a\" { input x: f32[N] node s: SeqConstruct([x, x]) -> s output s }",
      "graph \"b\" { input x: f32[N] node n: Neg(x) -> y output y }",
      "graph \"c\" { input x: f32[N] node z: NonZero(x) -> z output z }",
      ("graph \"d\" { input x: f32[N] const t: str[2]{\"a\",\"long long text\"} node c: StringConcat(t, t) "
       "-> "
       "u output u }"),
      "graph \"e\" { input x: f32[N] output x }",
      "graph \"f\" { input x: f32[N] node o: Optional(x) -> o output o }"};
  enum { N = sizeof graphs / sizeof *graphs };
  static run_fixture f[N];
  for (int i = 0; i < N; i++) {
    if (!run_open(&f[i], graphs[i], NULL, NULL))
      return;
  }
  float data[3] = {1, 0, 2};
  weft_tensor in;
  weft_tensor out;
  const weft_tensor *list = &in;
  weft_diag d = {0};
  weft_tensor_init(&in, NULL);
  CHECK_OK(weft_tensor_borrow(&in, WEFT_FLOAT, (weft_dim[]){3}, 1, data, sizeof data, &d), &d);
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < N; k++) {
      weft_tensor want;
      weft_tensor_init(&out, NULL);
      CHECK_OK(weft_exec_run(f[i].x, &list, 1, (weft_tensor *[]){&out}, 1, &d), &d);
      weft_status s = weft_exec_run(f[k].x, &list, 1, (weft_tensor *[]){&out}, 1, NULL);
      CHECK(s == WEFT_OK || s == WEFT_E_SHAPE);  // what it held may be too small
      CHECK_OK(weft_interp_run(f[k].g, NULL, &list, 1, &want, 1, &d), &d);
      if (!s && run_equal(&out, &want, &d))
        check_failed(__FILE__, __LINE__, "%d after %d: %s", k, i, d.text);
      weft_diag_clear(&d);
      weft_tensor_deinit(&want);
      weft_tensor_deinit(&out);
    }
  }
  CHECK_FAILS(weft_exec_run(f[1].x, &list, 1, (weft_tensor *[]){NULL}, 1, &d), WEFT_E_INVALID);
  CHECK_HAS(d.text, "graph output 'y'");
  for (int i = 0; i < N; i++)
    run_close(&f[i]);
}

// Several outputs of one node, parts and wholes, some of which nobody reads.
TEST(nodes_with_several_outputs) {
  static const char *const graphs[] = {
      ("graph \"g\" { input x: f32[N,4] const ax: i32[]{1} node s: SplitD(x) {split_dim=1, num_split=2} -> "
       "[a, b] node c: "
       "ConcatV2([b, a], ax) {N=2} -> y output y output a }"),
      ("graph \"g\" { input x: f32[N,4] const ax: i32[]{1} node n: Neg(x) -> m node s: SplitD(m) "
       "{split_dim=1, num_split=2} -> "
       "[a, b] node e: Abs(a) -> e node c: ConcatV2([e, a], ax) {N=2} -> y output y output c2 node d: "
       "ConcatV2([y, y], ax) "
       "{N=2} -> c2 }"),
      ("graph \"g\" { input x: f32[N,4] const ax: i32[]{0} node n: Neg(x) -> a node e: Abs(x) -> b node c: "
       "ConcatV2([a, b, a], "
       "ax) {N=3} -> y node d: ConcatV2([y, b], ax) {N=2} -> z output z }"),
      ("graph \"g\" { input x: f32[N,4] const ax: i32[]{0} node n: Neg(x) -> a node c: ConcatV2([a, x], ax) "
       "{N=2} -> y node f: "
       "Relu(a) -> b node d: ConcatV2([b, y], ax) {N=2} -> z output z output a }"),
      ("graph \"g\" { input x: f32[N,4] const k: i32[]{1} node n: Neg(x) -> a node t: TopKV2(a, k) -> v, i "
       "node e: Abs(v) -> w "
       "output w }"),
      ("graph \"g\" { input x: f32[N,4] const k: i32[]{1} node n: Neg(x) -> a node t: TopKV2(a, k) -> v, i "
       "node e: Neg(i) -> w "
       "output w output i }"),
      "graph \"g\" { input x: f32[N,4] const k: i32[]{1} node n: Neg(x) -> a node t: TopKV2(a, k) -> v, i "
      "output a }"};
  for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++) {
    run_fixture f;
    if (!run_open(&f, graphs[i], NULL, NULL))
      continue;
    for (int k = 0; k < 2; k++) {
      bool ok = RUN_SAME(&f, "f32[3,4]{0..}");
      ok &= RUN_SAME(&f, "f32[1,4]{5,1,2,8}");
      ok &= RUN_SAME(&f, "f32[40,4]{0..}");
      if (strstr(graphs[i], "TopK") == NULL)
        ok &= RUN_SAME(&f, "f32[0,4]");
      if (!ok)
        printf("%s\n", graphs[i]);
    }
    run_close(&f);
  }
}

// ---- what may be overwritten ----
TEST(an_input_with_other_readers_is_not_overwritten) {
  static const char *const graphs[] = {
      // a chain may lie in one place
      "graph \"g\" { input x: f32[N] node a: Neg(x) -> a node b: Abs(a) -> b node c: Relu(b) -> c output c }",
      // a is read again later
      ("graph \"g\" { input x: f32[N] node a: Neg(x) -> a node b: Abs(a) -> b node c: Add(a, b) -> c output "
       "c "
       "}"),
      // the same value twice
      ("graph \"g\" { input x: f32[N] node a: Neg(x) -> a node b: Mul(a, a) -> b node c: Sub(b, b) -> c node "
       "d: Add(b, c) "
       "-> d output d output b }"),
      // through a view
      ("graph \"g\" { input x: f32[N] const s: i64[2]{1,-1} node a: Neg(x) -> a node v: Reshape(a, s) -> v "
       "node b: Abs(v) "
       "-> b node c: Add(a, b) -> c output c }"),
      // a view and what it is a view of, in one node
      ("graph \"g\" { input x: f32[N] const s: i64[2]{1,-1} node a: Neg(x) -> a node v: Reshape(a, s) -> v "
       "node b: Add(a, "
       "v) -> b output b }"),
      // broadcast: the larger one only
      ("graph \"g\" { input x: f32[N] const s: i64[2]{-1,1} node a: Neg(x) -> a node v: Reshape(a, s) -> v "
       "node e: Abs(a) "
       "-> e node b: Add(e, v) -> b output b }"),
      // an output is read by a later node
      ("graph \"g\" { input x: f32[N] node a: Neg(x) -> a node b: Abs(a) -> b node c: Relu(b) -> c output b "
       "output c }"),
      ("graph \"g\" { input x: f32[N] node a: Neg(x) -> a node b: Abs(a) -> b node c: Add(b, x) -> c output "
       "a "
       "output c }"),
      // views of views as outputs
      ("graph \"g\" { input x: f32[N] const s: i64[2]{1,-1} const t: i64[1]{-1} node a: Neg(x) -> a node v: "
       "Reshape(a, s) "
       "-> v node w: Reshape(v, t) -> w node e: Abs(w) -> e output v output w output e output a }"),
      // identities
      ("graph \"g\" { input x: f32[N] node a: Identity(x) -> a node b: Identity(a) -> b node c: Neg(b) -> c "
       "node d: "
       "Identity(c) -> d node e: Neg(d) -> e output e output d }"),
      // other element sizes
      "graph \"g\" { input x: f32[N] node a: Neg(x) -> a node b: Cast(a) {dst_type=9} -> b node c: Cast(b) "
      "{dst_type=0} -> "
      "c node d: Bitcast(c) {type=DT_INT32} -> d node e: Neg(d) -> e output e }"};
  for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++) {
    run_fixture f;
    if (!run_open(&f, graphs[i], NULL, NULL))
      continue;
    for (int k = 0; k < 2; k++) {
      if (!RUN_SAME(&f, "f32[3]{1,2,3}"))
        printf("%s\n", graphs[i]);
      RUN_SAME(&f, "f32[1]{2}");
      RUN_SAME(&f, "f32[0]");
      RUN_SAME(&f, "f32[100]{0..}");
    }
    run_close(&f);
  }
}

// ---- plans ----
static uint64_t plans_after(uint32_t max_shapes) {
  run_fixture f;
  uint64_t plans = 0;
  weft_exec_options o = {.size = sizeof o, .max_shapes = max_shapes};
  if (!run_open(&f, add_one, &o, NULL))
    return 0;
  for (int round = 0; round < 3; round++) {
    for (int n = 1; n <= 10; n++) {
      char in[64];
      snprintf(in, sizeof in, "f32[%d,2]{0..}", n);
      RUN_SAME(&f, in);
      RUN_SAME(&f, in);
    }
  }
  plans = run_stats(&f).plans;
  run_close(&f);
  return plans;
}

TEST(shapes_that_were_seen_are_found_and_the_oldest_go) {
  CHECK_INT(plans_after(0), 10);
  CHECK_INT(plans_after(10), 10);
  CHECK_INT(plans_after(9), 30);
  CHECK_INT(plans_after(1), 30);
  CHECK_INT(plans_after(2), 30);
  CHECK_INT(plans_after(3), 30);
}

TEST(p1_seen_shapes_allocate_nothing) {
  run_fixture f;
  float data[3][8] = {{1, 2, 3, 4, 5, 6, 7, 8}};
  float room[8];
  weft_tensor in[3];
  weft_tensor y;
  if (!run_open(&f,
                "graph \"g\" { input x: f32[N,2] const s: i64[2]{2,-1} node a: Neg(x) -> a node b: Abs(a) -> "
                "b node v: "
                "Reshape(b, s) -> v node e: Reshape(a, s) -> u node c: Add(v, u) -> y output y }",
                NULL, NULL))
    return;
  for (int i = 0; i < 3; i++) {
    weft_tensor_init(&in[i], NULL);
    CHECK_OK(weft_tensor_borrow(&in[i], WEFT_FLOAT, (weft_dim[]){1 + i, 2}, 2, data[i],
                                8u * (unsigned)(1 + i), &f.r.d),
             &f.r.d);
  }
  weft_tensor_init(&y, NULL);
  CHECK_OK(weft_tensor_borrow(&y, WEFT_FLOAT, (weft_dim[]){8}, 1, room, sizeof room, &f.r.d), &f.r.d);
  weft_exec_stats before = {.size = 0};
  for (int i = 0; i < 10000 + 3; i++) {
    if (i == 3)
      before = run_stats(&f);
    CHECK_OK(weft_exec_run(f.x, (const weft_tensor *[]){&in[i % 3]}, 1, (weft_tensor *[]){&y}, 1, &f.r.d),
             &f.r.d);
  }
  weft_exec_stats after = run_stats(&f);
  CHECK_INT(after.system_allocs, before.system_allocs);
  CHECK_INT(after.plans, 3);
  CHECK_INT(after.infers, before.infers);
  CHECK_INT(after.runs, 10003);
  run_close(&f);
}

// ---- limits ----
TEST(a_memory_limit_names_the_largest_tensors) {
  run_fixture f;
  weft_exec_options o = {.size = sizeof o, .memory_limit_bytes = 3000};
  if (!run_open(&f,
                "graph \"g\" { input x: f32[N] node a: Neg(x) -> small_a node b: Abs(x) -> big node c: "
                "Mul(small_a, big) -> c "
                "node d: Relu(c) -> d node e: Add(d, small_a) -> y output y }",
                &o, NULL))
    return;
  RUN_SAME(&f, "f32[10]{0..}");
  CHECK_HAS(run_text(&f, "f32[1000]{0..}"), "E_LIMIT: the run needs ");
  CHECK_HAS(f.text, "the limit is 3000; the largest at the peak: '");
  CHECK_HAS(f.text, "'small_a' (4000 bytes)");
  RUN_SAME(&f, "f32[10]{0..}");
  run_close(&f);
  o.memory_limit_bytes = 2000;  // what a kernel allocates itself counts too
  if (!run_open(&f,
                "graph \"g\" { input x: f32[N] node a: NonZero(x) -> z node b: Cast(z) {dst_type=3} -> y "
                "output y }",
                &o, NULL))
    return;
  RUN_SAME(&f, "f32[5]{0,1,0,2,3}");
  CHECK_HAS(run_text(&f, "f32[1000]{0..}"), "E_LIMIT");
  CHECK_HAS(f.text, "limit");
  for (int i = 0; i < 100; i++)
    RUN_SAME(&f, "f32[50]{0..}");  // nothing is counted twice
  run_close(&f);
}

TEST(a_memory_limit_names_the_node_of_a_workspace) {
  run_fixture f;
  const weft_exec_options o = {.size = sizeof o, .memory_limit_bytes = 1000};
  if (!run_open(
          &f,
          "graph \"g\" { input x: f32[N,64] node product: MatMulV2(x, x) {transpose_x2=true} -> y output y }",
          &o, NULL))
    return;
  CHECK_HAS(run_text(&f, "f32[64,64]{0..}"), "the largest at the peak: a workspace of node 'product' (");
  run_close(&f);
}

// A shape that is known does not launch: steps of launches are not those of nodes. Streams name the same
// node.
TEST(a_workspace_is_of_its_node_with_streams_too) {
  run_fixture f;
  const weft_exec_options o = {
      .size = sizeof o, .memory_limit_bytes = 1000, .streams = 2, .streams_always = true, .threads = 2};
  if (!run_open(
          &f,
          "graph \"g\" { input x: f32[N,64] node s: Shape(x) -> s node r: Reshape(x, s) -> r\n"
          "node product: MatMulV2(r, r) {transpose_x2=true} -> y node other: Neg(x) -> z output y output z }",
          &o, NULL))
    return;
  CHECK_HAS(run_text(&f, "f32[64,64]{0..}"), "a workspace of node 'product' (");
  run_close(&f);
}

typedef struct seen {
  int n, stop_at;
  char names[256];
  volatile int cancel;
} seen;
static weft_status watch(void *ctx, const weft_value *v, const weft_tensor *t) {
  seen *s = ctx;
  size_t at = strlen(s->names);
  snprintf(s->names + at, sizeof s->names - at, "%s:%lld ", weft_value_name(v),
           (long long)weft_tensor_elems(t));
  if (++s->n == s->stop_at)
    return WEFT_E_DIFFERENT;
  if (s->n == 2 && s->stop_at < 0)
    s->cancel = 1;
  return WEFT_OK;
}

static const char dynamic_chain[] =
    "graph \"g\" { input x: f32[N] node a: Neg(x) -> a node z: NonZero(a) -> z node c: Cast(z) {dst_type=3} "
    "-> c node d: Neg(c) "
    "-> y output y }";

TEST(watch_sees_every_value_and_may_stop) {
  run_fixture f;
  seen s = {0};
  weft_exec_options o = {.size = sizeof o, .watch = watch, .watch_ctx = &s};
  if (!run_open(&f, dynamic_chain, &o, NULL))
    return;
  CHECK_STR(run_text(&f, "f32[4]{0,1,2,0}"), "i32[2,1]{-1,-2}");
  CHECK_STR(s.names, "a:4 z:2 c:2 y:2 ");
  s = (seen){.stop_at = 3};
  CHECK_HAS(run_text(&f, "f32[4]{0,1,2,0}"), "E_DIFFERENT");
  s = (seen){0};
  CHECK_STR(run_text(&f, "f32[4]{0,1,2,3}"), "i32[3,1]{-1,-2,-3}");
  run_close(&f);
}

TEST(cancel_and_time_limit) {
  run_fixture f;
  seen s = {.stop_at = -1};
  weft_exec_options o = {.size = sizeof o, .watch = watch, .watch_ctx = &s, .cancel = &s.cancel};
  if (run_open(&f, dynamic_chain, &o, NULL)) {
    CHECK_HAS(run_text(&f, "f32[4]{0,1,2,0}"), "while planning node 'c'");
    CHECK_HAS(run_text(&f, "f32[4]{0,1,2,0}"), "E_CANCELLED: the run was cancelled before node 'a'");
    s.cancel = 0;
    RUN_SAME(&f, "f32[4]{0,1,2,0}");
    run_close(&f);
  }
  o = (weft_exec_options){.size = sizeof o, .time_limit_ns = 1};
  if (run_open(&f, dynamic_chain, &o, NULL)) {
    CHECK_HAS(run_text(&f, "f32[4]{0,1,2,0}"), "E_LIMIT: the time limit of 1 ns was reached");
    run_close(&f);
  }
  // An endless loop is stopped between its launches.
  static const char endless[] =
      "graph \"g\" { input x: f32[2] const t: bool[]{1}\n"
      "node l: Loop(_, t, [x], []) {body=graph \"b\" { input i: i64[] input c: bool[] input v: f32[2] node "
      "n: Neg(v) -> w "
      "node k: Identity(c) -> c2 output c2 output w }} -> [y], [] output y }";
  volatile int stop = 0;
  o = (weft_exec_options){.size = sizeof o, .time_limit_ns = 20000000, .cancel = &stop};
  if (run_open(&f, endless, &o, NULL)) {
    CHECK_HAS(run_text(&f, "f32[2]{1,2}"), "E_LIMIT");
    stop = 1;
    CHECK_HAS(run_text(&f, "f32[2]{1,2}"), "E_CANCELLED");
    run_close(&f);
  }
}

// The output's shape is known when compiling, those of the other inputs are not: its rules still hold.
TEST(shapes_that_only_a_run_knows_are_checked) {
  run_fixture f;
  if (!run_open(&f,
                "graph \"g\" { input x: f32[2,3] input i: i64[-1,-1] input u: f32[-1,-1] "
                "node n: ScatterElements(x, i, u) {axis=0} -> y output y }",
                NULL, NULL))
    return;
  RUN_SAME(&f, "f32[2,3]{*1}; i64[1,3]{0,1,0}; f32[1,3]{7,8,9}");
  CHECK_HAS(run_text(&f, "f32[2,3]{*1}; i64[5,4]{*0}; f32[5,4]{*2}"),
            "E_SHAPE: input 'indices': dim 1 is 4, that of the data only 3");
  RUN_SAME(&f, "f32[2,3]{*1}; i64[1,3]{0,1,0}; f32[1,3]{7,8,9}");
  run_close(&f);
}
// SPDX-License-Identifier: Apache-2.0
