// limits_plans_test.c - what is planned and compiled counts as memory: a large graph under a small limit is
// refused in words, and plans for many shapes make room for each other before anything is refused.
#include "base/base.h"
#include "check.h"
#include "ir/ir.h"
#include "weft/weft.h"

enum { NODES = 3000 };

// A chain whose nodes stay: nothing fuses them.
static void put_chain(weft_text *t) {
  weft__text_addf(t, "graph \"g\" { input v0: f32[N] ");
  for (int i = 0; i < NODES; i++)
    weft__text_addf(t, "node n%d: SoftmaxV2(v%d) {axes=[-1]} -> v%d ", i, i, i + 1);
  weft__text_addf(t, "output v%d }", NODES);
}

typedef struct chain {
  weft_env *env;
  weft_graph *graph;
} chain;

static bool chain_open(chain *c) {
  weft_text t;
  weft_diag d = {0};
  const weft_env_options o = {.size = sizeof o, .package_path = "", .threads = 1};
  *c = (chain){0};
  weft__text_init(&t, NULL);
  put_chain(&t);
  weft_status s = weft_env_create(&o, &c->env, &d);
  if (!s)
    s = weft_graph_parse(c->env, t.v, t.n, "chain", &c->graph, &d);
  if (s)
    check_failed(__FILE__, __LINE__, "%s", d.text);
  weft__text_deinit(&t);
  return !s;
}

static weft_status chain_run(weft_exec *x, weft_dim n, weft_diag *d) {
  weft_tensor in;
  weft_tensor out;
  weft_tensor_init(&in, NULL);
  weft_tensor_init(&out, NULL);
  const weft_tensor *ins[1] = {&in};
  weft_tensor *outs[1] = {&out};
  weft_diag_clear(d);
  weft_status s = weft_tensor_alloc(&in, WEFT_FLOAT, &n, 1, d);
  if (!s)
    s = weft_exec_run(x, ins, 1, outs, 1, d);
  weft_tensor_deinit(&in);
  weft_tensor_deinit(&out);
  return s;
}

TEST(plans_count_as_memory) {
  chain c;
  weft_program *p = NULL;
  weft_exec *x = NULL;
  weft_diag d = {0};
  const weft_exec_options o = {.size = sizeof o, .memory_limit_bytes = 2 << 20, .threads = 1};
  if (!chain_open(&c))
    return;
  CHECK_OK(weft_compile(c.graph, NULL, &p, &d), &d);
  CHECK_INT(weft_exec_create(p, &o, &x, &d), WEFT_OK);
  CHECK_INT(chain_run(x, 4, &d), WEFT_E_LIMIT);
  CHECK_HAS(d.text, "the memory limit of 2097152 bytes is reached");
  CHECK_HAS(d.text, "while planning node '");
  weft_exec_destroy(x);
  weft_program_release(p);
  weft_env_destroy(c.env);
}

// One plan fits into the limit and all of them do not: those for other shapes are given back.
TEST(plans_make_room_for_each_other) {
  chain c;
  weft_program *p = NULL;
  weft_exec *x = NULL;
  weft_diag d = {0};
  const weft_exec_options o = {.size = sizeof o, .memory_limit_bytes = 24 << 20, .threads = 1};
  weft_exec_stats stats = {.size = sizeof stats};
  if (!chain_open(&c))
    return;
  CHECK_OK(weft_compile(c.graph, NULL, &p, &d), &d);
  CHECK_INT(weft_exec_create(p, &o, &x, &d), WEFT_OK);
  for (weft_dim n = 1; n <= 40; n++)
    CHECK_INT(chain_run(x, n, &d), WEFT_OK);
  weft_exec_get_stats(x, &stats);
  CHECK_INT(stats.plans, 40);
  CHECK_INT(chain_run(x, 1, &d), WEFT_OK);  // the first one is gone
  weft_exec_get_stats(x, &stats);
  CHECK_INT(stats.plans, 41);
  weft_exec_destroy(x);
  weft_program_release(p);
  weft_env_destroy(c.env);
}

// A program's own lists are counted with its graph.
TEST(a_program_counts_as_memory) {
  chain c;
  weft_program *p = NULL;
  weft_diag d = {0};
  if (!chain_open(&c))
    return;
  const weft__budget *b = &c.graph->root->budget;
  CHECK_INT(weft_graph_infer(c.graph, NULL, NULL, &d), WEFT_OK);
  uint64_t before = weft__budget_live(b);
  CHECK_INT(weft_compile(c.graph, NULL, &p, &d), WEFT_OK);
  CHECK(weft__budget_live(b) > before + NODES * sizeof(void *));
  weft_program_release(p);
  weft_env_destroy(c.env);
}
// SPDX-License-Identifier: Apache-2.0
