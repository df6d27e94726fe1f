// packed_test.c - constants are packed by several threads as they are by one.
#include "check.h"
#include "program/program.h"
#include "weft/compile.h"
#include "weft/run.h"

enum { LAYERS = 9 };

static void collect(void *ctx, const weft__pack *k) {
  weft__text_add(ctx, (const char *)&k->key, sizeof k->key);
  weft__text_add(ctx, k->to, k->bytes);
}

// A chain of convolutions with what is folded into their filters: filters are made when they are packed.
static bool graph_of(weft_text *t) {
  weft__text_addf(t,
                  "graph \"g\" { input x0: f32[1,64,8,8] const s: f32[64]{*1.5} const o: f32[64]{*2} const "
                  "m: f32[64]{*0.5} const v: f32[64]{*2}\n");
  for (int i = 0; i < LAYERS; i++) {
    weft__text_addf(
        t,
        "const w%d: f32[64,64,3,3]{*0.%d} node c%d: Conv2D(x%d, w%d) {strides=[1,1,1,1], pads=[1,1,1,1], "
        "data_format=\"NCHW\"} -> c%d node n%d: BatchNorm(c%d, s, o, m, v) {data_format=\"NCHW\", "
        "is_training=false} -> x%d, p%d, q%d, r%d, s%d, t%d\n",
        i, i + 1, i, i, i, i, i, i, i + 1, i, i, i, i, i);
  }
  weft__text_addf(t, "output x%d }", LAYERS);
  return !t->failed;
}

static void packed_by(uint32_t threads, const weft_text *graph, weft_text *out) {
  const weft_env_options o = {.size = sizeof o, .threads = threads};
  const weft_compile_options c = {.size = sizeof c};
  weft_diag d = {0};
  weft_env *e = NULL;
  weft_graph *g = NULL;
  weft_program *p = NULL;
  weft_exec *x = NULL;
  weft_status s = weft_env_create(&o, &e, &d);
  if (!s)
    s = weft_graph_parse(e, graph->v, graph->n, "test", &g, &d);
  if (!s)
    s = weft_compile(g, &c, &p, &d);
  if (!s)
    s = weft_exec_create(p, NULL, &x, &d);
  if (!s)
    s = weft_exec_prepare(x, NULL, 0, NULL, &d);
  CHECK_OK(s, &d);
  if (!s)
    weft__packed_each(p, collect, out);
  weft_exec_destroy(x);
  weft_program_release(p);
  weft_env_destroy(e);
}

TEST(several_threads_pack_what_one_does) {
  weft_allocator a = weft_allocator_default();
  weft_text graph;
  weft_text one;
  weft_text several;
  weft__text_init(&graph, &a);
  weft__text_init(&one, &a);
  weft__text_init(&several, &a);
  if (graph_of(&graph)) {
    packed_by(1, &graph, &one);
    packed_by(4, &graph, &several);
    CHECK(one.n > LAYERS * 64 * 64 * 9 * sizeof(float));
    CHECK(!one.failed && !several.failed && one.n == several.n && !memcmp(one.v, several.v, one.n));
  }
  weft__text_deinit(&graph);
  weft__text_deinit(&one);
  weft__text_deinit(&several);
}
// SPDX-License-Identifier: Apache-2.0
