// lookups_test.c - a run looks nothing up by name (R105, P7): every search in a table of names and every
// comparison of texts is counted (the linker wraps both functions, tests/CMakeLists.txt), and warm runs do
// none.
#include <stdatomic.h>

#include "base/base.h"
#include "check.h"
#include "run_util.h"

static _Atomic unsigned long found, compared;
void *__real_weft__map_find(const weft_map *m, const char *key, size_t key_bytes);
void *__wrap_weft__map_find(const weft_map *m, const char *key, size_t key_bytes);
void *__wrap_weft__map_find(const weft_map *m, const char *key, size_t key_bytes) {
  atomic_fetch_add_explicit(&found, 1, memory_order_relaxed);
  return __real_weft__map_find(m, key, key_bytes);
}
int __real_strcmp(const char *a, const char *b);
int __wrap_strcmp(const char *a, const char *b);
int __wrap_strcmp(const char *a, const char *b) {
  atomic_fetch_add_explicit(&compared, 1, memory_order_relaxed);
  return __real_strcmp(a, b);
}

// Runs twice to warm up, then a hundred times with the caller's memory.
static void counted(const char *graph, const char *literals, const char *device, bool passes) {
  static float room[RUN_OUT][1024];
  run_fixture f;
  rows_tensors t;
  weft_tensor out[RUN_OUT];
  weft_tensor *list[RUN_OUT];
  memset(&f, 0, sizeof f);
  if (!rows_open(&f.r, ""))
    return;
  f.device = device;
  f.passes = passes;
  unsigned long before = atomic_load(&found);
  if (!run_load(&f, graph, NULL) || !rows_read(&f.r, literals, &t))
    return;
  CHECK(atomic_load(&found) > before);  // reading and compiling do search: the count works
  size_t n = weft_program_n_outputs(f.p);
  unsigned long searches = 0;
  unsigned long texts = 0;
  for (int k = 0; k < 102; k++) {
    for (size_t i = 0; i < n; i++) {
      weft_tensor_init(&out[i], NULL);
      list[i] = &out[i];
      CHECK_OK(
          weft_tensor_borrow(&out[i], WEFT_FLOAT, (weft_dim[]){1024}, 1, room[i], sizeof room[i], &f.r.d),
          &f.r.d);
    }
    unsigned long a = atomic_load(&found);
    unsigned long b = atomic_load(&compared);
    weft_status s = weft_exec_run(f.x, t.in, t.n, list, n, &f.r.d);
    if (k > 1) {
      searches += atomic_load(&found) - a;
      texts += atomic_load(&compared) - b;
    }
    if (s)
      check_failed(__FILE__, __LINE__, "%s", f.r.d.text);
  }
  CHECK_INT(searches, 0);
  CHECK_INT(texts, 0);
  rows_free(&t);
  run_drop(&f);
  rows_close(&f.r);
}

TEST(r105_a_static_run_looks_nothing_up) {
  static const char graph[] =
      "graph \"g\" { input x: f32[4,4] const s: i64[1]{16} node a: MatMulV2(x, x) -> a node b: Relu(a) -> b "
      "node c: "
      "Add(b, x) -> c node d: Exp(c) -> d node r: Reshape(d, s) -> y output y output b }";
  counted(graph, "f32[4,4]{*0.25}", NULL, false);
  counted(graph, "f32[4,4]{*0.25}", NULL, true);
}

TEST(r105_runs_of_seen_shapes_look_nothing_up) {
  counted("graph \"g\" { input x: f32[N,4] node b: Relu(x) -> b node c: Add(b, x) -> y output y }",
          "f32[3,4]{*2}", NULL, true);
  counted(
      "graph \"g\" { input x: f32[64,256] const w: f32[256,4]{*0.25} node m: MatMulV2(x, w) -> a node r: "
      "Relu(a) -> y "
      "output y }",
      "f32[64,256]{*1}", "npusim!,cpu", true);
}
// SPDX-License-Identifier: Apache-2.0
