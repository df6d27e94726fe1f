// profile_test.c - what a profile says of a run: a record a launch, and how much arithmetic it was.
#include "check.h"
#include "run_util.h"

static const char dynamic_chain[] =
    "graph \"g\" { input x: f32[N] node a: Neg(x) -> a node z: NonZero(a) -> z node c: Cast(z) {dst_type=3} "
    "-> c node d: Neg(c) "
    "-> y output y }";

// By the shapes of the run, inside a fused node, too; a dim without a name does not keep Relu from its
// product.
TEST(profiles_count_the_arithmetic_of_the_run) {
  static const char graph[] =
      "graph \"g\" { input x: f32[N,16] input z: f32[-1,16] const w: f32[16,8]{*0.5} const b: f32[8]{*1} "
      "node m: MatMulV2(x, w, b) -> a node r: Relu(a) -> y node k: MatMulV2(z, w) -> c "
      "node t: Relu(c) -> d output y output d }";
  weft_exec_options o = {.size = sizeof o, .profile = true};
  for (int passes = 0; passes < 2; passes++) {
    run_fixture f;
    const weft_launch_record *r;
    memset(&f, 0, sizeof f);
    if (!rows_open(&f.r, ""))
      return;
    f.passes = passes;
    if (run_load(&f, graph, &o)) {
      RUN_SAME(&f, "f32[3,16]{*0.5}; f32[5,16]{*1}");
      size_t n = weft_exec_profile(f.x, &r);
      int64_t all = 0;
      CHECK_INT(n, passes ? 2 : 4);
      for (size_t i = 0; i < n; i++)
        all += r[i].flops;
      CHECK_INT(all, 2 * (3 + 5) * 16 * 8);
      run_drop(&f);
    }
    rows_close(&f.r);
  }
}

TEST(profile_records) {
  run_fixture f;
  weft_exec_options o = {.size = sizeof o, .profile = true};
  if (!run_open(&f, dynamic_chain, &o, NULL))
    return;
  for (int i = 0; i < 2; i++) {
    RUN_SAME(&f, "f32[4]{0,1,2,0}");
    const weft_launch_record *r;
    size_t n = weft_exec_profile(f.x, &r);
    CHECK_INT(n, 4);
    static const char *const types[] = {"Neg", "NonZero", "Cast", "Neg"};
    for (size_t k = 0; k < n && k < 4; k++) {
      CHECK_STR(r[k].type, types[k]);
      CHECK(r[k].begin_ns <= r[k].end_ns && (!k || r[k - 1].end_ns <= r[k].begin_ns));
      CHECK_INT(r[k].depth, 0);
    }
  }
  run_close(&f);
}

// Two of a thousand rows are read, and their indices.
TEST(profiles_count_what_a_gather_takes) {
  run_fixture f;
  const weft_launch_record *r;
  weft_exec_options o = {.size = sizeof o, .profile = true};
  if (!run_open(&f,
                "graph \"g\" { input i: i64[2] const t: f32[1000,4]{*1} const a: i64[1]{0} "
                "node n: GatherV2(t, i, a) -> y output y }",
                &o, NULL))
    return;
  RUN_SAME(&f, "i64[2]{3,999}");
  if (weft_exec_profile(f.x, &r) == 1)
    CHECK_INT(r[0].bytes, 2 * (2 * 4 * 4) + 2 * 8 + 8);
  run_close(&f);
}
// SPDX-License-Identifier: Apache-2.0
