// run_random_test.c - 500 random graphs, each on four sets of inputs: the runtime gives the interpreter's
// bits, with passes and without, when shapes are new, when they were seen, with room for all plans and with
// room for one.
#include "check.h"
#include "random_graph.h"
#include "run_util.h"

enum { GRAPHS = 500, SETS = 4 };

static bool one_graph(run_fixture *f, uint64_t seed, const weft_exec_options *o) {
  static random_graph g;
  random_graph_make(seed, &g);
  f->passes = seed % 2;
  if (!run_load(f, g.text, o)) {
    printf("seed %llu\n", (unsigned long long)seed);
    return false;
  }
  bool ok = true;
  for (unsigned round = 0; ok && round < 2 * SETS; round++) {
    weft_tensor t[RANDOM_GRAPH_INPUTS];
    const weft_tensor *in[RANDOM_GRAPH_INPUTS];
    for (int i = 0; i < RANDOM_GRAPH_INPUTS; i++) {
      weft_tensor_init(&t[i], NULL);
      in[i] = &t[i];
    }
    if (random_graph_inputs(seed * SETS + round / 2 % SETS, t, &f->r.d))
      return false;
    ok = run_same_tensors(f, in, RANDOM_GRAPH_INPUTS, __FILE__, __LINE__);
    if (!ok)
      printf("seed %llu, round %u\n%s", (unsigned long long)seed, round, g.text);
    for (int i = 0; i < RANDOM_GRAPH_INPUTS; i++)
      weft_tensor_deinit(&t[i]);
  }
  run_drop(f);
  return ok;
}

static void all(const weft_exec_options *o, uint64_t first, uint64_t n) {
  static run_fixture f;
  int bad = 0;
  memset(&f, 0, sizeof f);
  if (!rows_open(&f.r, ""))
    return;
  for (uint64_t seed = first; seed < first + n && bad < 3; seed++)
    bad += !one_graph(&f, seed, o);
  rows_close(&f.r);
}

TEST(random_graphs_give_the_interpreters_bits) {
  all(NULL, 0, GRAPHS);
}
TEST(random_graphs_with_room_for_one_plan) {
  all(&(weft_exec_options){.max_shapes = 1}, GRAPHS, GRAPHS / 5);
}
// SPDX-License-Identifier: Apache-2.0
