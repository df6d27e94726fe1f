// package_fusion_test.c - a package from a file brings an operator, kernels with tiling for two devices and a
// fusion (R288): everything is reached through tables, nothing is linked.
#include "check.h"
#include "run_util.h"

static const char graph[] =
    "graph \"g\" { input x: f32[600] input y: f32[600] const k: f32[]{3} node m: Mul(x, k) -> m node a: "
    "Add(m, y) -> z "
    "output z }";

static void types_of(run_fixture *f, char *buf, size_t cap) {
  size_t at = 0;
  buf[0] = 0;
  for (const weft_node *n = weft_graph_first(weft_program_graph(f->p)); n && at < cap; n = weft_node_next(n))
    at += (size_t)snprintf(buf + at, cap - at, "%s ", weft_node_type(n));
}

static void compiled_with(const char *device, const char *option, const char *types, const char *kernel) {
  const weft_exec_options o = {.size = sizeof o, .profile = true};
  const weft_launch_record *r;
  run_fixture f;
  char text[256];
  memset(&f, 0, sizeof f);
  if (!rows_open(&f.r, ROWS_PACKAGES "/fusion"))
    return;
  f.device = device;
  f.passes = true;
  f.option = option;
  if (run_load(&f, graph, &o)) {
    types_of(&f, text, sizeof text);
    CHECK_STR(text, types);
    CHECK_HAS(run_text(&f, "f32[600]{0..}; f32[600]{*1}"), "{1,4,7,10,");
    bool found = false;
    for (size_t i = 0, n = weft_exec_profile(f.x, &r); i < n; i++)
      found |= !strcmp(r[i].kernel, kernel);
    CHECK(found);
    run_drop(&f);
  }
  rows_close(&f.r);
}

TEST(r288_a_fusion_of_a_package_runs_with_its_own_kernels) {
  compiled_with(NULL, NULL, "TripleAdd ", "triple-tiles");
  compiled_with("npusim!,cpu", NULL, "Identity Identity TripleAdd Identity ", "triple-npu");
  compiled_with(NULL, "join-triple=0", "Fused ", "tile");
}
// SPDX-License-Identifier: Apache-2.0
