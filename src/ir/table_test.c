// table_test.c - the table of all tensors (R6): columns, alignment, long and foreign names.
#include "check.h"
#include "ir/ir.h"

static void expect_table(const char *text, const char *expected) {
  weft_env_options o = {.package_path = ""};
  weft_env *e = NULL;
  weft_graph *g;
  weft_diag d = {0};
  weft_text t;
  CHECK_OK(weft_env_create(&o, &e, &d), &d);
  CHECK_OK(weft_graph_parse(e, text, strlen(text), "test", &g, &d), &d);
  weft__text_init(&t, NULL);
  CHECK_INT(weft_graph_print_table(g, weft__text_write, &t), WEFT_OK);
  CHECK_STR(t.v, expected);
  weft__text_deinit(&t);
  weft_graph_destroy(g);
  weft_env_destroy(e);
}

TEST(r6_all_tensors) {
  expect_table(
      "graph g { symbol N [1,64] input x: f32[N,3,8,8] NCHW range [1..64,3..3,8..8,8..*] const w: "
      "f32[64,3,3,3]{*1} NCHW\n"
      "const s: str[2]{\"ab\",\"c\"} const k: i4[3]{1,2,3}\n"
      "node c: Conv2D(x, w) {strides=[1,1,1,1], pads=[0,0,0,0]} -> c: f16[1,64,6,6] NCHW/NC1HWC0(C0=16)\n"
      "node sp: Split(k, c) {num_split=2} -> [a: f32[0,2], b] input q: seq(f32[2]) }",
      "name  dtype     shape       format               range                   bytes  from\n"
      "-------------------------------------------------------------------------------------------\n"
      "x     f32       [N,3,8,8]   NCHW                 [1..64,3..3,8..8,8..*]      ?  input\n"
      "q     seq(f32)  [2]         ND                                               ?  input\n"
      "c     f16       [1,64,6,6]  NCHW/NC1HWC0(C0=16)                           4608  Conv2D\n"
      "a     f32       [0,2]       ND                                               0  Split sp[0]\n"
      "b     ?                                                                      ?  Split sp[1]\n"
      "w     f32       [64,3,3,3]  NCHW                                          6912  constant\n"
      "s     str       [2]         ND                                              37  constant\n"
      "k     i4        [3]         ND                                               2  constant\n");
}

TEST(what_is_made_of_constants_alone_stands_behind) {
  expect_table(
      "graph g { input x: f32[2] const w: f32[2]{1,2} node i: Identity(w) -> v: f32[2] node y: Add(x, v) -> "
      "y: f32[2] }",
      "name  dtype  shape  format  range  bytes  from\n"
      "----------------------------------------------------\n"
      "x     f32    [2]    ND                 8  input\n"
      "y     f32    [2]    ND                 8  Add\n"
      "v     f32    [2]    ND                 8  Identity i\n"
      "w     f32    [2]    ND                 8  constant\n");
}

TEST(an_empty_graph_has_a_heading) {
  expect_table("graph g {}",
               "name  dtype  shape  format  range  bytes  from\n"
               "----------------------------------------------\n");
}

TEST(sub_graphs_follow) {
  expect_table(
      "graph g { input c: bool[] node i: If(c, []) {then_branch=graph t { const one: f32[]{1} output one }} "
      "-> [y] }",
      "name  dtype  shape  format  range  bytes  from\n"
      "-----------------------------------------------\n"
      "c     bool   []     ND                 1  input\n"
      "y     ?                                ?  If i\n"
      "\n"
      "then_branch of i: graph t\n"
      "name  dtype  shape  format  range  bytes  from\n"
      "--------------------------------------------------\n"
      "one   f32    []     ND                 4  constant\n");
}

// Widths count characters; the middle of a long name gives way; what cannot be shown is a question mark.
TEST(names_in_characters) {
  expect_table(
      "graph g { input \"caf\xC3\xA9\": f32[2] input \"\\xff\\n\": f32[2]\n"
      "input \"0123456789012345678901\xC3\xA9_the_middle_01234567890123456789_\": f32[2] }",
      "name                                          dtype  shape  format  range  bytes  from\n"
      "---------------------------------------------------------------------------------------\n"
      "caf\xC3\xA9                                          f32    [2]    ND                 8  input\n"
      "??                                            f32    [2]    ND                 8  input\n"
      "0123456789012345678901\xE2\x80\xA6"
      "01234567890123456789_  f32    [2]    ND                 8  input\n");
}
// SPDX-License-Identifier: Apache-2.0
