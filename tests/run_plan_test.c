// run_plan_test.c - what a plan says before the run: where values lie, how much memory, for which shapes.
#include "check.h"
#include "run_util.h"

static weft_memory_plan planned(run_fixture *f) {
  weft_memory_plan m = {.size = sizeof m};
  weft_diag d = {0};
  CHECK(!(weft_exec_prepare(f->x, NULL, 0, &m, &d)));
  return m;
}

static weft_status to_memory(void *file, const char *text, size_t bytes) {
  return fwrite(text, 1, bytes, file) == bytes ? WEFT_OK : WEFT_E_IO;
}

static const char *plan_text(run_fixture *f) {
  static char text[16384];
  FILE *file = fmemopen(text, sizeof text - 1, "w");
  weft_diag d = {0};
  CHECK(!(weft_exec_print_plan(f->x, to_memory, file, &d)));
  fclose(file);
  return text;
}

TEST(what_was_warmed_up_takes_no_memory_in_the_first_run) {
  run_fixture f;
  weft_diag d = {0};
  if (!run_open(&f,
                "graph \"g\" { input x: f32[N,1000] node a: Neg(x) -> a node b: Abs(a) -> b node c: Neg(b) "
                "-> y output y }",
                NULL, NULL))
    return;
  CHECK_FAILS(weft_exec_warm_up(f.x, &d), WEFT_E_STATE);
  weft_tensor in;
  weft_tensor out;
  weft_dim dims[2] = {30, 1000};
  weft_tensor_init(&in, NULL);
  weft_tensor_init(&out, NULL);
  CHECK_OK(weft_tensor_alloc(&in, WEFT_FLOAT, dims, 2, &d), &d);
  CHECK_OK(weft_tensor_alloc(&out, WEFT_FLOAT, dims, 2, &d), &d);
  ((float *)in.data)[29999] = 3;
  weft_tensor_desc desc;
  weft_desc_init(&desc);
  desc.dtype = in.dtype;
  desc.layout = in.layout;
  weft_diag_clear(&d);
  CHECK_OK(weft_exec_prepare(f.x, &desc, 1, NULL, &d), &d);
  CHECK_OK(weft_exec_warm_up(f.x, &d), &d);
  weft_exec_stats before = {.size = sizeof before};
  weft_exec_stats after = {.size = sizeof after};
  weft_exec_get_stats(f.x, &before);
  const weft_tensor *ins[1] = {&in};
  weft_tensor *outs[1] = {&out};
  CHECK_OK(weft_exec_run(f.x, ins, 1, outs, 1, &d), &d);
  weft_exec_get_stats(f.x, &after);
  CHECK_INT(after.system_allocs, before.system_allocs);
  CHECK(weft_tensor_f32(&out)[29999] == -3 && weft_tensor_f32(&out)[0] == 0);
  weft_tensor_deinit(&in);
  weft_tensor_deinit(&out);
  run_close(&f);
}

// conv -> relu -> pool: relu overwrites the convolution's output, the pool writes the caller's (R283).
TEST(r283_conv_relu_pool) {
  run_fixture f;
  if (!run_open(
          &f,
          "graph \"g\" { input x: f32[1,64,112,112] NCHW node a: Neg(x) -> a node r: Relu(a) -> b node p: "
          "MaxPoolV3(b) {ksize=[1,1,2,2], strides=[1,1,2,2], padding_mode=\"VALID\", data_format=\"NCHW\"} "
          "-> y output y }",
          NULL, NULL))
    return;
  weft_memory_plan m = planned(&f);
  CHECK_INT(m.arena_bytes, 3211264);
  CHECK_INT(m.bound_bytes, 3211264);
  CHECK_INT(m.output_bytes, 802816);
  CHECK(m.whole);
  run_close(&f);
}

TEST(joined_tensors_are_made_in_place) {
  run_fixture f;
  if (!run_open(
          &f,
          "graph \"g\" { input x: f32[2,3] const d: i64[]{0} node a: Neg(x) -> a node b: Abs(x) -> b node c: "
          "ConcatV2([a, b], d) -> c node e: Neg(c) -> y output y }",
          NULL, NULL))
    return;
  weft_memory_plan m = planned(&f);
  CHECK_INT(m.n_launches, 3);  // no copy for the join
  CHECK(!strstr(plan_text(&f), "ConcatV2"));
  RUN_SAME(&f, "f32[2,3]{1,-2,3,-4,5,-6}");
  run_close(&f);
}

// What cannot be made there is copied: an input, a constant, a value that is joined twice or that others
// keep.
TEST(joined_tensors_that_lie_elsewhere_are_copied) {
  static const char *const graphs[] = {
      "graph \"g\" { input x: f32[2,3] const d: i64[]{0} node a: Neg(x) -> a node c: ConcatV2([x, a, a], d) "
      "-> "
      "y output y }",
      "graph \"g\" { input x: f32[2,3] const d: i64[]{0} const k: f32[1,3]{7,8,9} node a: Neg(x) -> a node "
      "c: ConcatV2([k, "
      "a], d) -> y output y output a }",
      "graph \"g\" { input x: f32[2,3] const d: i64[]{1} node a: Neg(x) -> a node c: ConcatV2([a, x], d) -> "
      "y "
      "output y }",
      "graph \"g\" { input x: f32[2,3] const d: i64[]{0} node a: Neg(x) -> a node c: ConcatV2([a, x], d) -> "
      "c "
      "node e: "
      "ConcatV2([c, a], d) -> y output y output c }",
      "graph \"g\" { input x: f32[0,3] const d: i64[]{0} node a: Neg(x) -> a node c: ConcatV2([a, x], d) -> "
      "y "
      "output y }",
      "graph \"g\" { input x: f32[2,3] const d: i64[]{0} node a: Neg(x) -> a node r: Relu(a) -> b node c: "
      "ConcatV2([b, b], d) "
      "-> c node e: Abs(b) -> e output c output e }",
  };
  for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++) {
    run_fixture f;
    if (!run_open(&f, graphs[i], NULL, NULL))
      continue;
    CHECK(run_same(&f, strstr(graphs[i], "f32[0,3]") ? "f32[0,3]" : "f32[2,3]{1,-2,3,-4,5,-6}", __FILE__,
                   __LINE__));
    run_close(&f);
  }
}

TEST(cut_tensors_are_views) {
  run_fixture f;
  if (!run_open(&f,
                "graph \"g\" { input x: f32[4,3] const d: i64[]{0} node a: Neg(x) -> a node s: Split(d, a) "
                "{num_split=2} -> [p, "
                "q] node e: Neg(p) -> y node h: Abs(q) -> z output y output z output q }",
                NULL, NULL))
    return;
  weft_memory_plan m = planned(&f);
  CHECK_INT(m.n_launches, 3);
  RUN_SAME(&f, "f32[4,3]{1,-2,3,-4,5,-6,7,-8,9,-10,11,-12}");
  run_close(&f);
  if (!run_open(&f,
                "graph \"g\" { input x: f32[4,3] const d: i64[]{0} node s: Split(d, x) {num_split=4} -> [p, "
                "q, r, t] node e: "
                "Neg(q) -> y output y output t }",
                NULL, NULL))
    return;
  RUN_SAME(&f, "f32[4,3]{1,-2,3,-4,5,-6,7,-8,9,-10,11,-12}");
  run_close(&f);
}

TEST(the_largest_inputs_give_a_bound) {
  run_fixture f;
  if (!run_open(&f,
                "graph \"g\" { symbol N [1,8] input x: f32[N,4] node a: Neg(x) -> a node b: Abs(a) -> b node "
                "c: Neg(b) -> y output y output b }",
                NULL, NULL))
    return;
  weft_memory_plan m = {.size = sizeof m};
  weft_memory_plan at8 = m;
  weft_diag d = {0};
  CHECK_FAILS(weft_exec_prepare(f.x, NULL, 0, &m, &d), WEFT_E_UNKNOWN);
  CHECK_HAS(d.text, "graph input 'x': shape [N,4] is not known");
  weft_diag_clear(&d);
  CHECK_OK(weft_exec_prepare_largest(f.x, &m, &d), &d);
  CHECK_INT(m.input_bytes, 8 * 4 * 4);
  weft_tensor_desc in;
  weft_desc_init(&in);
  CHECK_OK(weft_desc_set(&in, WEFT_FLOAT, WEFT_ND, (weft_dim[]){8, 4}, 2), &d);
  CHECK_OK(weft_exec_prepare(f.x, &in, 1, &at8, &d), &d);
  CHECK_INT(at8.arena_bytes, m.arena_bytes);
  CHECK_OK(weft_desc_set(&in, WEFT_FLOAT, WEFT_ND, (weft_dim[]){9, 4}, 2), &d);
  CHECK_FAILS(weft_exec_prepare(f.x, &in, 1, &at8, &d), WEFT_E_RANGE);
  RUN_SAME(&f, "f32[3,4]{*2}");
  run_close(&f);
}

TEST(shape_arithmetic_is_not_run) {
  run_fixture f;
  if (!run_open(&f,
                "graph \"g\" { symbol N [1,64] input x: f32[N,4] const i: i64[1]{0} const k: i64[2]{-1,2} "
                "node s: Shape(x) -> s "
                "node h: GatherV2(s, i, i) -> h node e: Reshape(x, k) -> e node n: Neg(e) -> y output y }",
                NULL, NULL))
    return;
  weft_memory_plan m = {.size = sizeof m};
  weft_tensor_desc in;
  weft_diag d = {0};
  weft_desc_init(&in);
  CHECK_OK(weft_desc_set(&in, WEFT_FLOAT, WEFT_ND, (weft_dim[]){3, 4}, 2), &d);
  CHECK_OK(weft_exec_prepare(f.x, &in, 1, &m, &d), &d);
  CHECK_INT(m.n_launches, 2);  // a view and Neg
  RUN_SAME(&f, "f32[3,4]{0..}");
  RUN_SAME(&f, "f32[5,4]{0..}");
  run_close(&f);
}

TEST(a_named_dim_becomes_known_in_every_input) {
  weft_diag d = {0};
  weft_env *e;
  weft_graph *g;
  const char text[] =
      "graph \"g\" { symbol N [1,64] input x: f32[N,4] input z: f32[N,4] node a: Add(x, z) -> y output y }";
  CHECK_OK(weft_env_create(&(weft_env_options){.package_path = ""}, &e, &d), &d);
  CHECK_OK(weft_graph_parse(e, text, sizeof text - 1, "g", &g, &d), &d);
  weft_tensor_desc desc;
  weft_desc_init(&desc);
  CHECK_OK(weft_desc_set(&desc, WEFT_FLOAT, WEFT_ND, (weft_dim[]){5, 4}, 2), &d);
  CHECK_OK(weft_graph_input_reshape(weft_graph_input_at(g, 0), &desc, &d), &d);
  CHECK_OK(weft_graph_infer(g, NULL, NULL, &d), &d);
  weft_value_desc(weft_graph_input_at(g, 1), &desc);
  CHECK_INT(desc.layout.origin.dim[0], 5);
  weft_value_desc(weft_graph_output_at(g, 0), &desc);
  CHECK_INT(desc.layout.origin.dim[0], 5);
  weft_graph_destroy(g);
  weft_env_destroy(e);
}

// ---- the caller's own threads ----
static void backwards(void *ctx, void (*block)(void *arg, uint32_t i), void *arg, uint32_t blocks) {
  ++*(int *)ctx;
  for (uint32_t i = blocks; i-- > 0;)
    block(arg, i);
}

TEST(the_callers_pool_runs_the_blocks) {
  weft_diag d = {0};
  weft_env *e;
  weft_graph *g;
  weft_program *p;
  weft_exec *x;
  int calls = 0;
  const char text[] = "graph \"g\" { input x: f32[512,512] node a: Relu(x) -> y output y }";
  CHECK_OK(
      weft_env_create(&(weft_env_options){.package_path = "", .parallel = backwards, .parallel_ctx = &calls},
                      &e, &d),
      &d);
  CHECK_OK(weft_graph_parse(e, text, sizeof text - 1, "g", &g, &d), &d);
  CHECK_OK(weft_compile(g, NULL, &p, &d), &d);
  CHECK_OK(weft_exec_create(p, NULL, &x, &d), &d);
  weft_tensor in;
  weft_tensor out;
  weft_tensor_init(&in, NULL);
  weft_tensor_init(&out, NULL);
  CHECK_OK(weft_tensor_alloc(&in, WEFT_FLOAT, (weft_dim[]){512, 512}, 2, &d), &d);
  for (int i = 0; i < 512 * 512; i++)
    ((float *)in.data)[i] = (float)(i % 7 - 3);
  CHECK_OK(weft_exec_run(x, (const weft_tensor *[]){&in}, 1, (weft_tensor *[]){&out}, 1, &d), &d);
  for (int i = 0; i < 512 * 512; i++) {
    if (((float *)out.data)[i] != (float)(i % 7 > 3 ? i % 7 - 3 : 0)) {
      CHECK_INT(i, -1);
      break;
    }
  }
  CHECK(calls > 0);
  weft_tensor_deinit(&in);
  weft_tensor_deinit(&out);
  weft_exec_destroy(x);
  weft_program_release(p);
  weft_env_destroy(e);
}

// An output that is known belongs to the program: the kernel that runs for the other outputs does not write
// it.
TEST(outputs_that_are_partly_known) {
  static const char *const nodes[] = {"Split(z, v) {num_split=2}", "Unpack(v) {num=2, axis=0}"};
  for (int k = 0; k < 2; k++) {
    char graph[512];
    snprintf(graph, sizeof graph,
             "graph \"g\" { input k: i64[1] const c: i64[1]{7} const z: i64[]{0} node j: ConcatV2([c, k], z) "
             "-> v node s: "
             "%s -> [p, q] node n: Neg(p) -> a node m: Neg(q) -> b output p output a output b }",
             nodes[k]);
    run_fixture f;
    if (!run_open(&f, graph, NULL, NULL))
      continue;
    const weft_value *p = weft_graph_find_value(weft_program_graph(f.p), "p");
    const weft_tensor *known = weft_value_data(p);
    CHECK(known != NULL);
    const void *data = known ? known->data : NULL;
    if (known)
      weft_store_i64(known->dtype, (void *)(uintptr_t)data, 0, 8);  // whoever writes it again is seen
    run_text(&f, "i64[1]{5}");
    if (known)
      CHECK(known->data == data && weft_load_i64(known->dtype, data, 0) == 8);
    if (known)
      weft_store_i64(known->dtype, (void *)(uintptr_t)data, 0, 7);
    RUN_SAME(&f, "i64[1]{6}");
    run_close(&f);
  }
}

static weft_status look(void *ctx, const weft_value *v, const weft_tensor *t) {
  (void)v;
  for (size_t i = 0; i < t->bytes; i++)
    *(double *)ctx += ((const unsigned char *)t->data)[i];
  return WEFT_OK;
}

// A kernel that can do without an output that nobody reads does not make it; a watcher reads all.
TEST(outputs_that_nobody_reads_take_no_memory) {
  static const struct {
    const char *graph;
    const char *in;
    uint64_t bytes;  // that are not taken
  } cases[] = {{"graph \"g\" { input x: f32[64,100] const k: i32[]{50} node t: TopKV2(x, k) -> v, i node c: "
                "Cumsum(v, c0) -> y const "
                "c0: i32[]{1} output y }",
                "f32[64,100]{*0.5}", 12800},
               {"graph \"g\" { input x: f32[64,100] const k: i32[]{50} node t: TopKV2(x, k) -> v, i node c: "
                "Cast(i) {dst_type=0} -> y "
                "output y }",
                "f32[64,100]{*0.5}", 12800},
               {"graph \"g\" { input x: f32[64,100] const g: f32[100]{*1} const b: f32[100]{*0} node n: "
                "LayerNorm(x, g, b) "
                "{begin_norm_axis=1, begin_params_axis=1} -> y, m, v output y }",
                "f32[64,100]{*0.5}", 512}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    run_fixture f;
    weft_memory_plan m = {.size = sizeof m};
    double sum = 0;
    const weft_exec_options o = {.size = sizeof o, .watch = look, .watch_ctx = &sum};
    if (!run_open(&f, cases[i].graph, NULL, NULL))
      continue;
    RUN_SAME(&f, cases[i].in);
    CHECK_OK(weft_exec_prepare(f.x, NULL, 0, &m, &f.r.d), &f.r.d);
    uint64_t least = m.arena_bytes;
    CHECK_INT(m.bound_bytes, least);
    run_close(&f);
    if (!run_open(&f, cases[i].graph, &o, NULL))
      continue;
    RUN_SAME(&f, cases[i].in);
    CHECK_OK(weft_exec_prepare(f.x, NULL, 0, &m, &f.r.d), &f.r.d);
    CHECK_INT(m.arena_bytes, least + cases[i].bytes);
    CHECK(sum > 0);
    run_close(&f);
  }
}

TEST(the_peak_lists_what_lives_at_it) {
  run_fixture f;
  static char text[4096];
  weft_diag d = {0};
  if (!run_open(
          &f,
          "graph \"g\" { input x: f32[1000] node a: Neg(x) -> small node t: Tile(small, k) -> big\n"
          "const k: i64[1]{4} node r: ReduceSum(big, axes) {keep_dims=true} -> sum const axes: i64[1]{0}\n"
          "node s: Add(small, sum) -> t node u: ReduceSum(t, axes) {keep_dims=true} -> y output y }",
          NULL, NULL))
    return;
  CHECK_FAILS(weft_exec_print_peak(f.x, to_memory, NULL, &d), WEFT_E_STATE);
  weft_diag_clear(&d);
  CHECK_OK(weft_exec_prepare(f.x, NULL, 0, NULL, &d), &d);
  FILE *file = fmemopen(text, sizeof text - 1, "w");
  CHECK_OK(weft_exec_print_peak(f.x, to_memory, file, &d), &d);
  fclose(file);
  CHECK_HAS(text, "the peak is at step 3 of 5, node 'r' (ReduceSum): ");
  CHECK_HAS(text, "       16000  2-3        f32[4000]           big, last read by 'r' (ReduceSum)");
  CHECK_HAS(text, "        4000  1-5        f32[1000]           small, last read by 'u' (ReduceSum)");
  run_close(&f);
}
// SPDX-License-Identifier: Apache-2.0
