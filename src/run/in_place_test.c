// in_place_test.c - states that a run changes where they lie: which plans may, what readers before and after
// see, and that a failed run puts everything back.
#include "check.h"
#include "run/run.h"
#include "weft/compile.h"
#include "weft/state.h"

enum { ROWS = 16, ROW = 2, ALL = ROWS * ROW };

static weft_status test_unlucky_ref(const weft_call *c) {
  const float *x = c->in[0]->data;
  if (x[0] == 13)
    return c->host->fail(c->d, WEFT_E_KERNEL, "x[0] is 13");
  memcpy(c->out[0]->data, x, c->in[0]->bytes);
  return WEFT_OK;
}
static weft_status test_unlucky_infer(weft_infer *it) {
  return weft_set_out_shape(it, 0, it->in[0]->dim, it->in[0]->rank);
}
static const weft_column f32[] = {{WEFT_FLOAT, WEFT_ND}};
static const weft_op unlucky = {WEFT_OP_HEAD,
                                .name = "TestUnlucky",
                                .in = WEFT_PORTS({"x", .columns = f32}),
                                .n_columns = 1,
                                .out = WEFT_PORTS({"y", .columns = f32}),
                                .infer = test_unlucky_infer,
                                .ref = test_unlucky_ref,
                                .traits = WEFT_SIDE_EFFECT};

typedef struct fixture {
  weft_env *env;
  weft_program *p;
  weft_exec *x;
  weft_diag d;
  float row[ROW];
  int64_t at;
  float y[2];  // the first element of each output of the last run
} fixture;

static void fixture_close(fixture *f) {
  weft_exec_destroy(f->x);
  weft_program_release(f->p);
  weft_env_destroy(f->env);
}

// A graph with input at: i64[1], row: f32[1,2] and the state k: f32[16,2] of zeros.
static bool fixture_open(fixture *f, const char *nodes) {
  char text[2048];
  weft_graph *g;
  memset(f, 0, sizeof *f);
  snprintf(text, sizeof text,
           "graph \"cache\" { input at: i64[1] input row: f32[1,2] "
           "const all: i64[2]{0,1} const kz: f32[16,2]{0,0,0,0,0,0,0,0,0,0,0,0,"
           "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0} node k: Variable(kz) -> k.y %s }",
           nodes);
  const weft_env_options o = {.package_path = ""};
  const bool ok = !weft_env_create(&o, &f->env, &f->d) && !weft_register(f->env, &unlucky, 0, &f->d) &&
                  !weft_graph_parse(f->env, text, strlen(text), "test", &g, &f->d) &&
                  !weft_compile(g, NULL, &f->p, &f->d) && !weft_exec_create(f->p, NULL, &f->x, &f->d);
  if (!ok) {
    check_failed(__FILE__, __LINE__, "%s", f->d.text);
    fixture_close(f);
  }
  return ok;
}

static weft_status fixture_run(fixture *f, int64_t at, float v) {
  weft_tensor in[2];
  weft_tensor out[2];
  weft_tensor *outs[2] = {&out[0], &out[1]};
  const size_t n = f->p->n_out;
  f->at = at;
  f->row[0] = v;
  f->row[1] = -v;
  weft_diag_clear(&f->d);
  for (size_t i = 0; i < 2; i++) {
    weft_tensor_init(&in[i], NULL);
    weft_tensor_init(&out[i], NULL);
  }
  WEFT_TRY(weft_tensor_borrow(&in[0], WEFT_INT64, (weft_dim[]){1}, 1, &f->at, 8, &f->d));
  WEFT_TRY(weft_tensor_borrow(&in[1], WEFT_FLOAT, (weft_dim[]){1, ROW}, 2, f->row, sizeof f->row, &f->d));
  const weft_status s = weft_exec_run(f->x, (const weft_tensor *[]){&in[0], &in[1]}, 2, outs, n, &f->d);
  for (size_t i = 0; i < n; i++) {
    if (!s)
      f->y[i] = weft_tensor_f32(&out[i])[0];
    weft_tensor_deinit(&out[i]);
  }
  return s;
}

static bool fixture_in_place(const fixture *f) {
  return f->x->hot && f->x->hot->in_place && f->x->hot->in_place[f->p->n_out];
}

// The state is `want`.
static void fixture_holds(fixture *f, const float want[ALL]) {
  weft_tensor t;
  weft_tensor_init(&t, NULL);
  CHECK_OK(weft_states_read(weft_exec_states(f->x), "k", &t, &f->d), &f->d);
  for (size_t i = 0; t.data && i < ALL; i++)
    CHECK_F64(weft_tensor_f32(&t)[i], want[i], 0);
  weft_tensor_deinit(&t);
}

#define PUT   "node put: ScatterUpdate(k.y, at, row) -> k.new "
#define SUM_Y "node sum: ReduceSum(k.new, all) -> y output y "

TEST(a_row_is_written_where_the_state_lies) {
  fixture f;
  float want[ALL] = {0};
  if (!fixture_open(&f, PUT SUM_Y))
    return;
  const void *first = NULL;
  for (int i = 0; i < 20; i++) {
    const int at = i * 7 % ROWS;
    CHECK_OK(fixture_run(&f, at, (float)i + 1), &f.d);
    want[at * ROW] = (float)i + 1;
    want[at * ROW + 1] = -(float)i - 1;
    CHECK_F64(f.y[0], 0, 0);
    CHECK(fixture_in_place(&f));
    const void *now = weft__exec_state(f.x, f.p->n_out)->data;
    CHECK(!first || now == first);
    first = now;
    fixture_holds(&f, want);
  }
  fixture_close(&f);
}

TEST(readers_before_see_the_old_value) {
  fixture f;
  if (!fixture_open(&f, "node before: ReduceMax(k.y, all) -> was output was " PUT
                        "node after: ReduceMax(k.new, all) -> is output is"))
    return;
  for (int i = 1; i <= 3; i++) {
    CHECK_OK(fixture_run(&f, i, (float)i), &f.d);
    CHECK_F64(f.y[0], i - 1, 0);
    CHECK_F64(f.y[1], i, 0);
    CHECK(fixture_in_place(&f));
  }
  fixture_close(&f);
}

// What is read of the old value behind the write: the value itself, a view of it, the caller's output.
TEST(readers_behind_get_a_buffer_of_their_own) {
  static const char *const graphs[] = {
      "node old: Identity(k.y) -> old " PUT
      "node left: Sub(k.new, old) -> gone node m: ReduceMax(gone, all) -> y output y",
      "node old: Reshape(k.y, flat) -> old const flat: i64[1]{32} " PUT
      "node left: Reshape(k.new, flat) -> new node gone: Sub(new, old) -> gone const a0: i64[1]{0} "
      "node m: ReduceMax(gone, a0) -> y output y",
      "node old: Identity(k.y) -> old output old " PUT "node m: ReduceMax(k.new, all) -> y output y",
      "node put: ScatterUpdate(k.y, at, row) -> k.new node two: Sub(k.new, k.y) -> y output y",
  };
  static const double first[] = {5, 5, 0, 0};
  for (size_t i = 0; i < WEFT_COUNT(graphs); i++) {
    fixture f;
    float want[ALL] = {[6] = 5, [7] = -5};
    if (!fixture_open(&f, graphs[i]))
      return;
    CHECK_OK(fixture_run(&f, 3, 5), &f.d);
    CHECK_F64(f.y[0], first[i], 0);
    CHECK(!fixture_in_place(&f) || i == 3);
    fixture_holds(&f, want);
    fixture_close(&f);
  }
}

TEST(a_failed_run_puts_back_what_it_changed) {
  fixture f;
  float want[ALL] = {[4] = 9, [5] = -9};
  if (!fixture_open(&f, PUT "const to: i64[2]{2,2} const two: f32[2,2]{1,2,3,4} "
                            "node more: ScatterAdd(k.new, to, two) -> k.more "
                            "node sum: ReduceMax(k.more, last) -> y const last: i64[1]{1} "
                            "node bad: TestUnlucky(row) -> z output y output z"))
    return;
  CHECK_OK(fixture_run(&f, 2, 9), &f.d);
  CHECK(fixture_in_place(&f));
  want[4] += 4;
  want[5] += 6;
  fixture_holds(&f, want);
  for (int i = 0; i < 3; i++) {
    CHECK_FAILS(fixture_run(&f, i, 13), WEFT_E_KERNEL);
    CHECK_HAS(f.d.text, "x[0] is 13");
    fixture_holds(&f, want);
    CHECK_FAILS(fixture_run(&f, ROWS, 1), WEFT_E_RANGE);
    CHECK_HAS(f.d.text, "16");
    fixture_holds(&f, want);
  }
  CHECK_OK(fixture_run(&f, 0, 1), &f.d);
  want[0] = 1;
  want[1] = -1;
  want[4] += 4;
  want[5] += 6;
  fixture_holds(&f, want);
  fixture_close(&f);
}

// The second write is outside, when the first one has been made.
TEST(an_index_outside_puts_back_the_write_before) {
  fixture f;
  const float want[ALL] = {0};
  if (!fixture_open(&f,
                    "const to: i64[1]{1} node a: ScatterUpdate(k.y, to, row) -> k.a "
                    "node b: ScatterUpdate(k.a, at, row) -> k.b node sum: ReduceSum(k.b, all) -> y output y"))
    return;
  CHECK_FAILS(fixture_run(&f, -100, 1), WEFT_E_RANGE);
  CHECK(fixture_in_place(&f));
  fixture_holds(&f, want);
  CHECK_OK(fixture_run(&f, 2, 1), &f.d);
  fixture_holds(&f, (const float[ALL]){[2] = 1, [3] = -1, [4] = 1, [5] = -1});
  fixture_close(&f);
}

// All of it is new: the other buffer is what a failed run leaves alone.
TEST(what_is_written_whole_has_two_buffers) {
  fixture f;
  if (!fixture_open(&f, "node up: AssignAdd(k.y, row) -> k.new " SUM_Y))
    return;
  CHECK_OK(fixture_run(&f, 0, 1), &f.d);
  CHECK_OK(fixture_run(&f, 0, 1), &f.d);
  CHECK(!fixture_in_place(&f));
  fixture_close(&f);
}

// The operators of docs/state.md, each in a graph of its own; a whole row in 16 is less than half.
TEST(what_changes_places_is_in_place) {
  static const char *const nodes[] = {
      "node put: StridedSliceAssignD(k.y, row) {begin=[2,0], end=[3,2], strides=[1,1]} -> k.new " SUM_Y,
      "node put: ScatterAdd(k.y, at, row) -> k.new " SUM_Y,
      "node put: InplaceUpdate(k.y, to, row) -> k.new const to: i32[1]{3} node as: Assign(k.y, k.new) -> "
      "k.two "
      "node sum: ReduceSum(k.two, all) -> y output y",
  };
  for (size_t i = 0; i < WEFT_COUNT(nodes); i++) {
    fixture f;
    if (!fixture_open(&f, nodes[i]))
      return;
    for (int k = 0; k < 3; k++)
      CHECK_OK(fixture_run(&f, k, (float)k), &f.d);
    if (!fixture_in_place(&f))
      check_failed(__FILE__, __LINE__, "graph %zu has two buffers", i);
    fixture_close(&f);
  }
}

TEST(the_new_value_is_an_output_too) {
  fixture f;
  if (!fixture_open(&f, "const z: i64[1]{0} node put: ScatterUpdate(k.y, z, row) -> k.new output k.new"))
    return;
  for (int i = 1; i < 4; i++) {
    CHECK_OK(fixture_run(&f, 0, (float)i), &f.d);
    CHECK_F64(f.y[0], i, 0);
    CHECK(fixture_in_place(&f));
  }
  fixture_close(&f);
}
// SPDX-License-Identifier: Apache-2.0
