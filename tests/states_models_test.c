// states_models_test.c - graphs with states, of weft's and of the frameworks: several runs of a session give
// what the interpreter gives when the states are handed on by hand.
#include <unistd.h>

#include "check.h"
#include "weft/weft.h"

enum { RUNS = 4, MOST = 32 };

typedef struct both {
  weft_env *env;
  weft_graph *plain;  // states are inputs and outputs
  weft_session *s;
  size_t n_in, n_out, n_states;  // without states
  weft_tensor in[MOST], state[MOST];
} both;

static void both_inputs(both *b) {
  for (size_t i = 0; i < b->n_in; i++) {
    weft_tensor_desc desc;
    weft_value_desc(weft_graph_input_at(b->plain, i), &desc);
    weft_shape *s = &desc.layout.origin;
    for (size_t k = 0; k < s->rank; k++)
      s->dim[k] = s->dim[k] < 0 ? 2 : s->dim[k];
    weft_diag d = {0};
    weft_tensor_init(&b->in[i], NULL);
    CHECK_OK(weft_tensor_alloc(&b->in[i], desc.dtype, s->dim, s->rank, &d), &d);
    for (size_t k = 0; desc.dtype == WEFT_FLOAT && k < b->in[i].bytes / 4; k++)
      ((float *)b->in[i].data)[k] = (float)(k % 7) * 0.25f - 0.5f;
  }
}

// What the states begin with, as the notes say.
static void both_states(both *b) {
  for (size_t i = 0; i < b->n_states; i++) {
    char key[300];
    weft_diag d = {0};
    snprintf(key, sizeof key, "weft.state.%s", weft_value_name(weft_graph_input_at(b->plain, b->n_in + i)));
    const char *first = weft_graph_find_meta(b->plain, key);
    const weft_value *v = first ? weft_graph_find_value(b->plain, first) : NULL;
    weft_tensor_init(&b->state[i], NULL);
    CHECK(v && weft_value_data(v));
    if (v && weft_value_data(v))
      CHECK_OK(weft_tensor_copy(&b->state[i], weft_value_data(v), &d), &d);
  }
}

static void both_run(both *b, size_t run) {
  const weft_tensor *in[2 * MOST];
  weft_tensor want[2 * MOST];
  weft_tensor got[MOST];
  weft_tensor *list[MOST];
  weft_diag d = {0};
  for (size_t i = 0; i < b->n_in + b->n_states; i++)
    in[i] = i < b->n_in ? &b->in[i] : &b->state[i - b->n_in];
  for (size_t i = 0; i < b->n_out; i++) {
    weft_tensor_init(&got[i], NULL);
    list[i] = &got[i];
  }
  CHECK_OK(weft_session_run(b->s, 0, in, b->n_in, list, b->n_out, &d), &d);
  CHECK_OK(weft_interp_run(b->plain, NULL, in, b->n_in + b->n_states, want, b->n_out + b->n_states, &d), &d);
  for (size_t i = 0; i < b->n_out; i++) {
    if (weft_tensor_compare(&got[i], &want[i], 1e-5, 1e-6, &d))
      check_failed(__FILE__, __LINE__, "run %zu, output %zu: %s", run, i, d.text);
    weft_tensor_deinit(&got[i]);
    weft_tensor_deinit(&want[i]);
  }
  for (size_t i = 0; i < b->n_states; i++) {
    weft_tensor now;
    weft_tensor_init(&now, NULL);
    weft_tensor_deinit(&b->state[i]);
    b->state[i] = want[b->n_out + i];
    const char *name = weft_value_name(weft_graph_input_at(b->plain, b->n_in + i));
    weft_diag_clear(&d);
    CHECK_OK(weft_states_read(weft_session_states(b->s), name, &now, &d), &d);
    if (weft_tensor_compare(&now, &b->state[i], 1e-5, 1e-6, &d))
      check_failed(__FILE__, __LINE__, "run %zu, state '%s': %s", run, name, d.text);
    weft_tensor_deinit(&now);
  }
}

// Takes both graphs.
static void both_agree(weft_env *env, weft_graph *compiled, weft_graph *plain, size_t n_states) {
  both b = {
      .env = env, .plain = plain, .n_in = weft_graph_n_inputs(plain), .n_out = weft_graph_n_outputs(plain)};
  weft_diag d = {0};
  CHECK_OK(weft_graph_states_plain(plain, &d), &d);
  CHECK_OK(weft_graph_infer(plain, NULL, NULL, &d), &d);
  b.n_states = weft_graph_n_inputs(plain) - b.n_in;
  CHECK_INT(b.n_states, n_states);
  CHECK_INT(weft_graph_n_outputs(plain) - b.n_out, n_states);
  if (b.n_in > MOST || b.n_out > MOST || b.n_states > MOST)
    return;
  CHECK_OK(weft_session_create(env, NULL, &b.s, &d), &d);
  CHECK_OK(weft_session_add_graph(b.s, 0, compiled, NULL, &d), &d);
  both_inputs(&b);
  both_states(&b);
  for (size_t run = 0; run < RUNS; run++)
    both_run(&b, run);
  for (size_t i = 0; i < b.n_in; i++)
    weft_tensor_deinit(&b.in[i]);
  for (size_t i = 0; i < b.n_states; i++)
    weft_tensor_deinit(&b.state[i]);
  weft_session_destroy(b.s);
  weft_graph_destroy(plain);
}

static void both_of_text(const char *text, size_t n_states) {
  weft_env_options o = {.package_path = ""};
  weft_env *env;
  weft_graph *g[2];
  weft_diag d = {0};
  CHECK_OK(weft_env_create(&o, &env, &d), &d);
  for (int i = 0; i < 2; i++)
    CHECK_OK(weft_graph_parse(env, text, strlen(text), "test", &g[i], &d), &d);
  both_agree(env, g[0], g[1], n_states);
  weft_env_destroy(env);
}

TEST(an_optimiser_trains_two_layers) {
  both_of_text(
      "graph \"train\" { input x: f32[4,3] const w0: f32[3,2]{0.1,0.2,-0.1,0.3,0.5,-0.2} "
      "const m0: f32[3,2]{0,0,0,0,0,0} const v0: f32[3,2]{0,0,0,0,0,0} const p1: f32[]{0.9} "
      "const p2: f32[]{0.999} const lr: f32[]{0.01} const eps: f32[]{0.01} const ax: i64[1]{0} "
      "node w: Variable(w0) -> w.y node m: Variable(m0) -> m.y node v: Variable(v0) -> v.y "
      "node b1: Variable(p1) -> b1.y node b2: Variable(p2) -> b2.y "
      "node y: MatMulV2(x, w.y) -> y node e: Square(y) -> e node loss: ReduceSum(e, ax) -> loss "
      "node grad: MatMulV2(x, y) {transpose_x1=true} -> grad "
      "node step: ApplyAdam(w.y, m.y, v.y, b1.y, b2.y, lr, p1, p2, eps, grad) -> w.new "
      "node n1: Mul(b1.y, p1) -> n1 node n2: Mul(b2.y, p2) -> n2 "
      "node s1: Assign(b1.y, n1) -> a1 node s2: Assign(b2.y, n2) -> a2 output loss output w.new }",
      5);
}

TEST(running_statistics_follow_the_batches) {
  both_of_text(
      "graph \"norm\" { input x: f32[8,3] const mean0: f32[3]{0,0,0} const var0: f32[3]{1,1,1} "
      "const keep: f32[]{0.9} const take: f32[]{0.1} const ax: i64[1]{0} const eps: f32[]{1e-5} "
      "node rm: Variable(mean0) -> rm.y node rv: Variable(var0) -> rv.y "
      "node m: ReduceMean(x, ax) -> m node c: Sub(x, m) -> c node q: Square(c) -> q "
      "node s: ReduceMean(q, ax) -> s node ve: Add(s, eps) -> ve node sd: Sqrt(ve) -> sd "
      "node y: Div(c, sd) -> y node a: Mul(rm.y, keep) -> a node b: Mul(m, take) -> b "
      "node nm: Add(a, b) -> nm node am: Assign(rm.y, nm) -> am node e: Mul(rv.y, keep) -> e "
      "node f: Mul(s, take) -> f node nv: Add(e, f) -> nv node av: Assign(rv.y, nv) -> av "
      "output y }",
      2);
}

// Two states change places, and one is only read.
TEST(states_that_change_places) {
  both_of_text(
      "graph \"swap\" { input x: f32[2] const a0: f32[2]{1,2} const b0: f32[2]{3,4} const c0: f32[2]{5,6} "
      "node a: Variable(a0) -> a.y node b: Variable(b0) -> b.y node c: Variable(c0) -> c.y "
      "node t: Identity(a.y) -> t node wa: Assign(a.y, b.y) -> wa node wb: Assign(b.y, t) -> wb "
      "node y: Add(c.y, wa) -> y output y output wb output c.y }",
      3);
}

static void both_of_model(const char *path, size_t n_states) {
  weft_env_options o = {.package_path = ""};
  weft_env *env;
  weft_graph *g[2];
  weft_diag d = {0};
  if (access(path, R_OK)) {
    check_skip("%s is not there", path);
    return;
  }
  CHECK_OK(weft_env_create(&o, &env, &d), &d);
  for (int i = 0; i < 2; i++)
    CHECK_OK(weft_model_load(env, path, &g[i], &d), &d);
  both_agree(env, g[0], g[1], n_states);
  weft_env_destroy(env);
}

#define CASES WEFT_SOURCE_DIR "/../shared/data/frontends/"
TEST(buffers_of_pytorch) {
  both_of_model(CASES "torch/mut_buffers/model.pt2", 2);
  both_of_model(CASES "torch/mut_buffers/core.pt2", 2);
}
TEST(variables_of_tensorflow) {
  both_of_model(CASES "tf/state_variables/saved_model", 2);
}
TEST(parameters_of_mindspore) {
  both_of_model(CASES "mindspore/state_parameter/model.mindir", 1);
}
// SPDX-License-Identifier: Apache-2.0
