// why_test.c - the reasons that a value is not known: contents that decide come before dims that are open.
#include "check.h"
#include "ir/ir.h"
#include "weft/infer.h"

static const char why_graph[] =
    "graph g { input x: f32[N,4] input n: i64[2] input k: i32[1] input b: bool[N]\n"
    "node c: Cast(n) {dst_type=3} -> s\n"
    "node r: Reshape(x, s) -> y\n"
    "node e: Relu(y) -> o\n"
    "node cs: Cumsum(x, k) -> z\n"
    "node d: Reshape(x, n) -> direct\n"
    "node nz: NonZero(b) -> places\n"
    "node g: GatherNd(x, places) -> picked\n"
    "output o output z output places output picked }";

static void expect_why(const char *value, const char *expected) {
  weft_env_options o = {.package_path = ""};
  weft_env *e = NULL;
  weft_graph *g;
  weft_diag d = {0};
  weft_text t;
  CHECK_OK(weft_env_create(&o, &e, &d), &d);
  CHECK_OK(weft_graph_parse(e, why_graph, strlen(why_graph), "test", &g, &d), &d);
  CHECK_OK(weft_graph_infer(g, NULL, NULL, &d), &d);
  weft__text_init(&t, NULL);
  CHECK_INT(weft_value_why(weft_graph_find_value(g, value), weft__text_write, &t), WEFT_OK);
  CHECK_STR(t.n ? t.v : "", expected);
  weft__text_deinit(&t);
  weft_graph_destroy(g);
  weft_env_destroy(e);
}

TEST(contents_come_before_an_open_dim) {
  expect_why("direct",
             "value 'direct' has shape [-1,-1]: node 'd' (Reshape) needs the contents of its input 'shape', "
             "which is 'n', an input of the graph: its data come only at run time");
  expect_why("o",
             "value 'o' has shape [-1,-1]: node 'e' (Relu) takes it from its input 'x'\n"
             "  because value 'y' has shape [-1,-1]: node 'r' (Reshape) needs the contents of its input "
             "'shape', which is 's', computed by node 'c' (Cast) from 'n', an input of the graph: its data "
             "come only at run time");
  expect_why("places",
             "value 'places' has shape [-1,1]: node 'nz' (NonZero) decides its shape only when it runs, from "
             "the contents of 'b'");
}

// GatherNd reads x, which is open, but what its output lacks is how many indices there are.
TEST(a_count_of_the_data_comes_before_an_open_dim) {
  expect_why(
      "picked",
      "value 'picked' has shape [-1,4]: node 'g' (GatherNd) takes it from its input 'indices'\n"
      "  because value 'places' has shape [-1,1]: node 'nz' (NonZero) decides its shape only when it runs, "
      "from the contents of 'b'");
}

// An axis that comes at run time decides no dim: the shape follows from that of x, which is open.
TEST(an_open_dim_is_the_reason_where_contents_decide_nothing) {
  expect_why(
      "z",
      "value 'z' has shape [N,4]: node 'cs' (Cumsum) takes it from its input 'x'\n"
      "  because value 'x' has shape [N,4]: it is an input of the graph, and the model leaves it open");
  expect_why("s", "");
}
// SPDX-License-Identifier: Apache-2.0
