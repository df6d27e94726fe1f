// states_test.c - what lives between runs: counters, optimisers, caches; sessions, threads, failures, files.
#include "weft/state.h"

#include <pthread.h>
#include <unistd.h>

#include "check.h"
#include "weft/compile.h"
#include "weft/interp.h"

static weft_status test_fails(const weft_call *c) {
  const float *x = c->in[0]->data;
  if (x[0] == 13)
    return c->host->fail(c->d, WEFT_E_KERNEL, "x[0] is 13");
  memcpy(c->out[0]->data, x, c->in[0]->bytes);
  return WEFT_OK;
}
static weft_status test_same(weft_infer *it) {
  WEFT_TRY(weft_set_out_dtype(it, 0, it->in_dtype[0]));
  return weft_set_out_shape(it, 0, it->in[0]->dim, it->in[0]->rank);
}
static const weft_column f32[] = {{WEFT_FLOAT, WEFT_ND}};
static const weft_op unlucky = {WEFT_OP_HEAD,
                                .name = "TestUnlucky",
                                .in = WEFT_PORTS({"x", .columns = f32}),
                                .n_columns = 1,
                                .out = WEFT_PORTS({"y", .columns = f32}),
                                .infer = test_same,
                                .ref = test_fails,
                                .traits = WEFT_SIDE_EFFECT};

typedef struct fixture {
  weft_env *env;
  weft_session *s;
  weft_diag d;
} fixture;

static bool open_states(fixture *f) {
  memset(f, 0, sizeof *f);
  weft_env_options e = {.package_path = ""};
  bool ok = !weft_env_create(&e, &f->env, &f->d) && !weft_register(f->env, &unlucky, 0, &f->d) &&
            !weft_session_create(f->env, NULL, &f->s, &f->d);
  if (!ok)
    check_failed(__FILE__, __LINE__, "%s", f->d.text);
  return ok;
}
static void close_states(fixture *f) {
  weft_session_destroy(f->s);
  weft_env_destroy(f->env);
}

static weft_status parse(fixture *f, const char *text, weft_graph **g) {
  return weft_graph_parse(f->env, text, strlen(text), "test", g, &f->d);
}
static weft_status add(fixture *f, uint32_t id, const char *text) {
  weft_graph *g;
  WEFT_TRY(parse(f, text, &g));
  return weft_session_add_graph(f->s, id, g, NULL, &f->d);
}

static const char counter[] =
    "graph \"counter\" { const n.init: i32[]{5} const one: i32[]{1} "
    "node n: Variable(n.init) -> n.y node c: AssignAdd(n.y, one) -> now output now }";

// The only output of a graph without inputs, its first element as a number; -1000: failed.
static double once(fixture *f, uint32_t id) {
  weft_tensor out;
  weft_tensor_init(&out, NULL);
  weft_diag_clear(&f->d);
  weft_status s = weft_session_run(f->s, id, NULL, 0, (weft_tensor *[]){&out}, 1, &f->d);
  double y = s ? -1000 : out.dtype == WEFT_INT32 ? *(int32_t *)out.data : *weft_tensor_f32(&out);
  weft_tensor_deinit(&out);
  return y;
}
// The first element of a state.
static double now(weft_states *st, const char *name, weft_diag *d) {
  weft_tensor t;
  weft_tensor_init(&t, NULL);
  weft_diag_clear(d);
  weft_status s = weft_states_read(st, name, &t, d);
  double y = s ? -1000 : t.dtype == WEFT_INT32 ? *(int32_t *)t.data : *weft_tensor_f32(&t);
  weft_tensor_deinit(&t);
  return y;
}

TEST(outputs_keep_their_names) {
  static const char text[] =
      "graph \"g\" { const n.init: i32[]{5} const one: i32[]{1} node n: Variable(n.init) -> n.y "
      "node c: AssignAdd(n.y, one) -> now node k: Variable(one) -> k.y output now output n.y output k.y }";
  static const char *const names[] = {"now", "n.y", "k.y"};
  fixture f;
  weft_graph *g = NULL;
  weft_program *p = NULL;
  if (!open_states(&f))
    return;
  CHECK_OK(parse(&f, text, &g), &f.d);
  CHECK_OK(weft_compile(g, NULL, &p, &f.d), &f.d);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    weft_tensor_desc desc;
    CHECK(weft_program_output(p, i, &desc));
    CHECK_STR(desc.name, names[i]);
  }
  weft_program_release(p);
  close_states(&f);
}

TEST(a_counter_counts_from_run_to_run) {
  fixture f;
  if (!open_states(&f))
    return;
  CHECK_OK(add(&f, 0, counter), &f.d);
  for (int i = 1; i <= 5; i++)
    CHECK_F64(once(&f, 0), 5 + i, 0);
  weft_states *st = weft_session_states(f.s);
  CHECK_INT(weft_states_count(st), 1);
  weft_tensor_desc desc;
  CHECK(weft_states_at(st, 0, &desc));
  CHECK_STR(desc.name, "n");
  CHECK_INT(desc.dtype, WEFT_INT32);
  CHECK_INT(desc.layout.origin.rank, 0);
  CHECK(!weft_states_at(st, 1, &desc));
  CHECK_F64(now(st, "n", &f.d), 10, 0);
  CHECK_OK(weft_states_reset(st, NULL, &f.d), &f.d);
  CHECK_F64(once(&f, 0), 6, 0);
  int32_t hundred = 100;
  weft_tensor t;
  weft_tensor_init(&t, NULL);
  CHECK_OK(weft_tensor_borrow(&t, WEFT_INT32, NULL, 0, &hundred, sizeof hundred, &f.d), &f.d);
  CHECK_OK(weft_states_write(st, "n", &t, &f.d), &f.d);
  CHECK_F64(once(&f, 0), 101, 0);
  CHECK_FAILS(weft_states_write(st, "m", &t, &f.d), WEFT_E_NOT_FOUND);
  CHECK_HAS(f.d.text, "there is no state 'm'; there are: 'n'");
  weft_diag_clear(&f.d);
  float wrong = 1;
  CHECK_OK(weft_tensor_borrow(&t, WEFT_FLOAT, NULL, 0, &wrong, sizeof wrong, &f.d), &f.d);
  CHECK_FAILS(weft_states_write(st, "n", &t, &f.d), WEFT_E_DTYPE);
  weft_diag_clear(&f.d);
  int32_t two[2] = {1, 2};
  CHECK_OK(weft_tensor_borrow(&t, WEFT_INT32, (weft_dim[]){2}, 1, two, sizeof two, &f.d), &f.d);
  CHECK_FAILS(weft_states_write(st, "n", &t, &f.d), WEFT_E_SHAPE);
  CHECK_F64(once(&f, 0), 102, 0);
  close_states(&f);
}

TEST(the_ten_lines_of_the_header) {
  fixture f;
  if (!open_states(&f))
    return;
  int32_t numbers[2] = {0, 1};
  weft_tensor zero;
  weft_tensor step;
  weft_graph *g;
  weft_value *one;
  weft_value *count;
  weft_tensor_init(&zero, NULL);
  weft_tensor_init(&step, NULL);
  CHECK_OK(weft_tensor_borrow(&zero, WEFT_INT32, NULL, 0, &numbers[0], 4, &f.d), &f.d);
  CHECK_OK(weft_tensor_borrow(&step, WEFT_INT32, NULL, 0, &numbers[1], 4, &f.d), &f.d);
  CHECK_OK(weft_graph_create(f.env, "g", &g, &f.d), &f.d);
  weft_value *n = weft_graph_state(g, "n", &zero, WEFT_CONST_COPY, &f.d);
  one = weft_graph_const(g, "one", &step, WEFT_CONST_COPY, &f.d);
  CHECK(n && one);
  CHECK_OK(weft_graph_op1(g, "Add", "more", (weft_value *[]){n, one}, 2, &count, &f.d), &f.d);
  CHECK_OK(weft_graph_state_set(g, n, count, &f.d), &f.d);
  CHECK_OK(weft_graph_output(g, count, &f.d), &f.d);
  CHECK_FAILS(weft_graph_state_set(g, one, count, &f.d), WEFT_E_INVALID);
  CHECK_HAS(f.d.text, "value 'one' is no state");
  weft_diag_clear(&f.d);
  CHECK(!weft_graph_state(g, "n", &zero, WEFT_CONST_COPY, &f.d));
  weft_diag_clear(&f.d);
  CHECK_OK(weft_session_add_graph(f.s, 0, g, NULL, &f.d), &f.d);
  CHECK_F64(once(&f, 0), 1, 0);
  CHECK_F64(once(&f, 0), 2, 0);
  close_states(&f);
}

// Reads come before and after writes as the nodes stand; the output of an Assign is what it assigned.
TEST(reads_and_writes_keep_their_order) {
  fixture f;
  static const char text[] =
      "graph \"g\" { const i: f32[1]{2} const ten: f32[1]{10} "
      "node v: Variable(i) -> v.y node before: Neg(v.y) -> a node w: AssignAdd(v.y, ten) -> b "
      "node between: Neg(v.y) -> c node w2: Assign(b, c) -> e node after: Neg(v.y) -> g "
      "node old: Neg(b) -> h output a output b output c output e output g output v.y output h }";
  if (!open_states(&f))
    return;
  CHECK_OK(add(&f, 0, text), &f.d);
  static const float want[2][7] = {{-2, 12, -12, -12, 12, -12, -12}, {12, -2, 2, 2, -2, 2, 2}};
  for (int run = 0; run < 2; run++) {
    weft_tensor out[7];
    weft_tensor *list[7];
    for (int i = 0; i < 7; i++) {
      weft_tensor_init(&out[i], NULL);
      list[i] = &out[i];
    }
    CHECK_OK(weft_session_run(f.s, 0, NULL, 0, list, 7, &f.d), &f.d);
    for (int i = 0; i < 7; i++) {
      CHECK_F64(weft_tensor_f32(&out[i])[0], want[run][i], 0);
      weft_tensor_deinit(&out[i]);
    }
  }
  weft_graph *g;
  weft_tensor out[7];
  CHECK_OK(parse(&f, text, &g), &f.d);
  CHECK_OK(weft_graph_states_out(g, &f.d), &f.d);
  CHECK_OK(weft_graph_states_out(g, &f.d), &f.d);
  CHECK_INT(weft_graph_n_inputs(g), 0);
  CHECK_INT(weft_graph_n_outputs(g), 7);
  CHECK_OK(weft_graph_infer(g, NULL, NULL, &f.d), &f.d);
  CHECK_OK(weft_interp_run(g, NULL, NULL, 0, out, 7, &f.d), &f.d);
  for (int i = 0; i < 7; i++) {
    CHECK_F64(weft_tensor_f32(&out[i])[0], want[0][i], 0);
    weft_tensor_deinit(&out[i]);
  }
  weft_graph_destroy(g);
  close_states(&f);
}

// ApplyMomentum gives var only; accum is a state, too, and changes.
TEST(a_step_of_momentum_is_numpys) {
  fixture f;
  static const char text[] =
      "graph \"train\" { input grad: f32[2] const w0: f32[2]{1,-1} const a0: f32[2]{0,0} "
      "const lr: f32[]{0.1} const mu: f32[]{0.9} "
      "node w: Variable(w0) -> w.y node a: Variable(a0) -> a.y "
      "node step: ApplyMomentum(w.y, a.y, lr, grad, mu) -> new output new }";
  if (!open_states(&f))
    return;
  CHECK_OK(add(&f, 0, text), &f.d);
  float w[2] = {1, -1};
  float a[2] = {0, 0};
  for (int run = 0; run < 10; run++) {
    float grad[2] = {(float)run * 0.25f - 1, 0.5f};
    weft_tensor in;
    weft_tensor out;
    weft_tensor_init(&in, NULL);
    weft_tensor_init(&out, NULL);
    CHECK_OK(weft_tensor_borrow(&in, WEFT_FLOAT, (weft_dim[]){2}, 1, grad, sizeof grad, &f.d), &f.d);
    CHECK_OK(weft_session_run(f.s, 0, (const weft_tensor *[]){&in}, 1, (weft_tensor *[]){&out}, 1, &f.d),
             &f.d);
    for (int i = 0; i < 2; i++) {
      a[i] = a[i] * 0.9f + grad[i];
      w[i] -= a[i] * 0.1f;
      CHECK_F64(weft_tensor_f32(&out)[i], w[i], 1e-5);
    }
    weft_tensor_deinit(&out);
  }
  CHECK_F64(now(weft_session_states(f.s), "a", &f.d), a[0], 1e-5);
  close_states(&f);
}

TEST(a_cache_grows_row_by_row) {
  fixture f;
  static const char text[] =
      "graph \"cache\" { input at: i64[1] input row: f32[1,2] const k0: f32[3,2]{0,0,0,0,0,0} "
      "node k: Variable(k0) -> k.y node put: ScatterUpdate(k.y, at, row) -> k.new "
      "node sum: ReduceSum(k.new, axes) -> y const axes: i64[1]{0} output y }";
  if (!open_states(&f))
    return;
  CHECK_OK(add(&f, 0, text), &f.d);
  double sum = 0;
  for (int64_t i = 0; i < 3; i++) {
    float row[2] = {(float)i + 1, 0};
    weft_tensor in[2];
    weft_tensor out;
    weft_tensor_init(&in[0], NULL);
    weft_tensor_init(&in[1], NULL);
    weft_tensor_init(&out, NULL);
    CHECK_OK(weft_tensor_borrow(&in[0], WEFT_INT64, (weft_dim[]){1}, 1, &i, 8, &f.d), &f.d);
    CHECK_OK(weft_tensor_borrow(&in[1], WEFT_FLOAT, (weft_dim[]){1, 2}, 2, row, 8, &f.d), &f.d);
    CHECK_OK(weft_session_run(f.s, 0, (const weft_tensor *[]){&in[0], &in[1]}, 2, (weft_tensor *[]){&out}, 1,
                              &f.d),
             &f.d);
    sum += row[0];
    CHECK_F64(weft_tensor_f32(&out)[0], sum, 0);
    weft_tensor_deinit(&out);
  }
  close_states(&f);
}

TEST(graphs_of_a_session_share_states_by_name) {
  fixture f;
  if (!open_states(&f))
    return;
  CHECK_OK(add(&f, 0, counter), &f.d);
  CHECK_OK(add(&f, 1, "graph \"look\" { const n0: i32[]{7} node n: Variable(n0) -> y output y }"), &f.d);
  CHECK_F64(once(&f, 1), 5, 0);  // what the first graph began with
  CHECK_F64(once(&f, 0), 6, 0);
  CHECK_F64(once(&f, 1), 6, 0);
  CHECK_FAILS(add(&f, 2, "graph \"other\" { const n0: f32[2]{7,8} node n: Variable(n0) -> y output y }"),
              WEFT_E_INVALID);
  CHECK_HAS(f.d.text, "state 'n' is i32[] in graph 'counter' and f32[2] in graph 'other'");
  weft_diag_clear(&f.d);
  CHECK_OK(weft_session_remove(f.s, 0, &f.d), &f.d);
  CHECK_F64(once(&f, 1), 6, 0);  // it stays
  close_states(&f);
}

TEST(a_failed_run_changes_no_state) {
  fixture f;
  static const char text[] =
      "graph \"g\" { input x: f32[1] const n0: f32[1]{1} node n: Variable(n0) -> n.y "
      "node up: AssignAdd(n.y, x) -> m node bad: TestUnlucky(x) -> y output m output y }";
  if (!open_states(&f))
    return;
  CHECK_OK(add(&f, 0, text), &f.d);
  for (int run = 0; run < 4; run++) {
    float x = run % 2 ? 13 : 2;
    weft_tensor in;
    weft_tensor out[2];
    weft_tensor_init(&in, NULL);
    weft_tensor_init(&out[0], NULL);
    weft_tensor_init(&out[1], NULL);
    CHECK_OK(weft_tensor_borrow(&in, WEFT_FLOAT, (weft_dim[]){1}, 1, &x, 4, &f.d), &f.d);
    weft_status s = weft_session_run(f.s, 0, (const weft_tensor *[]){&in}, 1,
                                     (weft_tensor *[]){&out[0], &out[1]}, 2, &f.d);
    CHECK_INT(s, run % 2 ? WEFT_E_KERNEL : WEFT_OK);
    weft_diag_clear(&f.d);
    CHECK_F64(now(weft_session_states(f.s), "n", &f.d), run < 2 ? 3 : 5, 0);
    weft_tensor_deinit(&out[0]);
    weft_tensor_deinit(&out[1]);
  }
  close_states(&f);
}

static void *count_up(void *arg) {
  fixture *f = arg;
  fixture own = *f;
  for (int i = 0; i < 50; i++) {
    if (once(&own, 0) == -1000)
      check_failed(__FILE__, __LINE__, "%s", own.d.text);
  }
  return NULL;
}
TEST(runs_of_several_threads_count_every_one) {
  fixture f;
  pthread_t t[4];
  if (!open_states(&f))
    return;
  CHECK_OK(add(&f, 0, counter), &f.d);
  for (int i = 0; i < 4; i++)
    CHECK_INT(pthread_create(&t[i], NULL, count_up, &f), 0);
  for (int i = 0; i < 4; i++)
    pthread_join(t[i], NULL);
  CHECK_F64(now(weft_session_states(f.s), "n", &f.d), 205, 0);
  close_states(&f);
}

TEST(states_to_and_from_a_file) {
  fixture f;
  char path[] = "/tmp/weft-states-XXXXXX";
  int fd = mkstemp(path);
  if (fd < 0 || !open_states(&f))
    return;
  close(fd);
  CHECK_OK(add(&f, 0, counter), &f.d);
  weft_states *st = weft_session_states(f.s);
  CHECK_F64(once(&f, 0), 6, 0);
  CHECK_OK(weft_states_save(st, path, &f.d), &f.d);
  CHECK_F64(once(&f, 0), 7, 0);
  CHECK_OK(weft_states_load(st, path, &f.d), &f.d);
  CHECK_F64(once(&f, 0), 7, 0);
  CHECK_OK(add(&f, 1, "graph \"b\" { const m0: i32[]{1} node m: Variable(m0) -> y output y }"), &f.d);
  CHECK_FAILS(weft_states_load(st, path, &f.d), WEFT_E_NOT_FOUND);
  CHECK_HAS(f.d.text, "has 1 of the 2 states");
  CHECK_F64(now(st, "n", &f.d), 7, 0);
  unlink(path);
  close_states(&f);
}

// Saved, loaded and run alone: the program brings its states along.
static weft_status to_text(void *ctx, const char *data, size_t bytes) {
  struct bytes {
    char v[65536];
    size_t n;
  } *to = ctx;
  if (bytes > sizeof to->v - to->n)
    return WEFT_E_LIMIT;
  memcpy(to->v + to->n, data, bytes);
  to->n += bytes;
  return WEFT_OK;
}
TEST(a_program_file_keeps_its_states) {
  fixture f;
  static struct {
    _Alignas(64) char v[65536];
    size_t n;
  } file;
  weft_graph *g;
  weft_program *p;
  weft_program *again;
  weft_exec *x;
  if (!open_states(&f))
    return;
  CHECK_OK(parse(&f, counter, &g), &f.d);
  CHECK_OK(weft_compile(g, NULL, &p, &f.d), &f.d);
  CHECK_OK(weft_program_save(p, to_text, &file, &f.d), &f.d);
  weft_program_release(p);
  CHECK_OK(weft_program_load_memory(f.env, file.v, file.n, &again, &f.d), &f.d);
  CHECK_INT(weft_program_n_inputs(again), 0);
  CHECK_INT(weft_program_n_outputs(again), 1);
  CHECK_OK(weft_exec_create(again, NULL, &x, &f.d), &f.d);
  int32_t y;
  weft_tensor out;
  weft_tensor_init(&out, NULL);
  CHECK_OK(weft_tensor_borrow(&out, WEFT_INT32, NULL, 0, &y, sizeof y, &f.d), &f.d);
  uint64_t allocs = 0;
  for (int i = 1; i < 5; i++) {
    CHECK_OK(weft_exec_run(x, NULL, 0, (weft_tensor *[]){&out}, 1, &f.d), &f.d);
    CHECK_INT(y, 5 + i);
    weft_exec_stats stats = {.size = sizeof stats};
    weft_exec_get_stats(x, &stats);
    CHECK(i == 1 || stats.system_allocs == allocs);
    allocs = stats.system_allocs;
  }
  CHECK_F64(now(weft_exec_states(x), "n", &f.d), 9, 0);
  weft_exec_destroy(x);
  weft_program_release(again);
  close_states(&f);
}

TEST(what_is_refused_is_named) {
  fixture f;
  if (!open_states(&f))
    return;
  CHECK_FAILS(add(&f, 0, "graph \"g\" { input x: f32[1] node v: Variable(x) -> y output y }"),
              WEFT_E_UNSUPPORTED);
  CHECK_HAS(f.d.text, "state 'v': what it begins with is 'x', expected a constant");
  weft_diag_clear(&f.d);
  CHECK_FAILS(add(&f, 0,
                  "graph \"g\" { input x: f32[2] const a: f32[1]{1} node v: Variable(a) -> y "
                  "node w: Assign(y, x) -> z output z }"),
              WEFT_E_SHAPE);
  CHECK_HAS(f.d.text, "state 'v' is f32[1], it is assigned 'z', which is f32[2]");
  close_states(&f);
}

// What a file or a caller says of states is proved before it is used.
TEST(lies_about_states_are_found) {
  static const struct {
    const char *text, *note;
    weft_status status;
    const char *says;
  } lies[] = {
      {"graph \"g\" { input x: f32[1] node y: Neg(x) -> y output y }", "1", WEFT_E_CORRUPT,
       "says '1' states; it has 1 inputs and 1 outputs"},
      {"graph \"g\" { input x: f32[1] node y: Neg(x) -> y output y }", "18446744073709551617", WEFT_E_CORRUPT,
       "states; it has 1 inputs"},
      {"graph \"g\" { input x: f32[1] node y: Neg(x) -> y output y }", "-1", WEFT_E_CORRUPT,
       "says '-1' states"},
      {"graph \"g\" { input x: f32[1] node y: Neg(x) -> y node z: Neg(y) -> z output y output z }", "1",
       WEFT_E_CORRUPT, "state 'x': what it begins with is no constant"},
      {"graph \"g\" { input x: f32[1] const c: f32[2]{1,2} node y: Neg(x) -> y output y output c }", "1",
       WEFT_E_SHAPE, "state 'x' is f32[1], what it begins with is 'c', which is f32[2]"},
      {"graph \"g\" { input x: f32[1] const c: f32[1]{1} node y: ReduceSum(x, a) -> y "
       "const a: i64[1]{0} output y output c }",
       "1", WEFT_E_SHAPE, "state 'x' is f32[1], it is assigned 'y', which is f32[]"},
      {"graph \"g\" { input x: f32[?] const c: f32[1]{1} node y: Neg(x) -> y output y output c }", "1",
       WEFT_E_SHAPE, "what it begins with is 'c'"},
      {"graph \"g\" { input x: f32[1] const c: f32[1]{1} node v: Variable(c) -> y output y output c }", "1",
       WEFT_E_STATE, "in the functional form already"},
  };
  fixture f;
  if (!open_states(&f))
    return;
  for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
    weft_graph *g;
    weft_program *p = NULL;
    weft_diag_clear(&f.d);
    CHECK_OK(parse(&f, lies[i].text, &g), &f.d);
    CHECK_OK(weft_graph_set_meta(g, "weft.states", lies[i].note, &f.d), &f.d);
    CHECK_FAILS(weft_compile(g, NULL, &p, &f.d), lies[i].status);
    CHECK_HAS(f.d.text, lies[i].says);
    weft_program_release(p);
  }
  close_states(&f);
}

typedef struct text_out {
  char *v;
  size_t n, room;
} text_out;
static weft_status to_text_out(void *ctx, const char *data, size_t bytes) {
  text_out *to = ctx;
  if (bytes >= to->room - to->n)
    return WEFT_E_LIMIT;
  memcpy(to->v + to->n, data, bytes);
  to->n += bytes;
  to->v[to->n] = 0;
  return WEFT_OK;
}
TEST(texts_are_states_too) {
  fixture f;
  static const char b[] = "str[1]{\"b\"}";
  char text[3][64];
  if (!open_states(&f))
    return;
  CHECK_OK(add(&f, 0,
               "graph \"g\" { input x: str[1] const c: str[1]{\"a\"} node v: Variable(c) -> v.y "
               "node w: StringConcat(v.y, x) -> y node s: Assign(v.y, y) -> z output z }"),
           &f.d);
  for (int i = 0; i < 3; i++) {
    weft_tensor in;
    weft_tensor out;
    weft_tensor_init(&in, NULL);
    weft_tensor_init(&out, NULL);
    CHECK_OK(weft_tensor_parse(b, sizeof b - 1, NULL, &in, NULL, &f.d), &f.d);
    CHECK_OK(weft_session_run(f.s, 0, (const weft_tensor *[]){&in}, 1, (weft_tensor *[]){&out}, 1, &f.d),
             &f.d);
    text_out to = {text[i], 0, sizeof text[i]};
    CHECK(!weft_tensor_print(&out, 0, to_text_out, &to));
    weft_tensor_deinit(&in);
    weft_tensor_deinit(&out);
  }
  CHECK_STR(text[2], "str[1]{\"abbb\"}");
  close_states(&f);
}

TEST(every_allocation_fails_once) {
  for (long n = 1, more = 1; more; n++) {
    check_alloc c = {0};
    weft_env_options o = {.package_path = "", .allocator = check_allocator(&c)};
    weft_env *env;
    weft_session *s = NULL;
    weft_graph *g;
    weft_diag d = {0};
    CHECK_OK(weft_env_create(&o, &env, &d), &d);
    CHECK_OK(weft_graph_parse(env, counter, strlen(counter), "test", &g, &d), &d);
    CHECK_OK(weft_session_create(env, NULL, &s, &d), &d);
    c.calls = 0;
    c.fail_at = n;
    weft_status status = weft_session_add_graph(s, 0, g, NULL, &d);
    if (!status)
      status = weft_states_reset(weft_session_states(s), NULL, &d);
    if (status)
      CHECK_INT(d.status, WEFT_E_NOMEM);
    more = c.calls >= n;
    c.fail_at = 0;
    weft_session_destroy(s);
    weft_env_destroy(env);
    CHECK_INT(c.live_blocks, 0);
  }
}
// SPDX-License-Identifier: Apache-2.0
