// passes_fuse_test.c - fused regions: what goes in and what stays out, that the graph means the same to the
// interpreter, bit for bit, and that a second run finds nothing left to do.
#include "check.h"
#include "passes_util.h"
#include "run_util.h"

typedef struct fuse_case {
  const char *want;  // operators afterwards
  const char *text;
  const char *said;  // part of the report; NULL: anything
} fuse_case;

#define G(...) "graph \"g\" {\n" __VA_ARGS__ "\n}\n"
#define X      "input x: f32[2,3]\n"

static const fuse_case elementwise[] = {
    {"Fused", G(X "node a: Abs(x) -> a node b: Exp(a) -> b node n: Neg(b) -> y output y"),
     "3 operators in one region, from 'a' on"},
    {"Neg", G(X "node n: Neg(x) -> y output y")},
    // a value that others read, and a value that is an output
    {"Abs,Fused,Neg",
     G(X
       "node a: Abs(x) -> a node b: Exp(a) -> b node c: Sin(b) -> y node n: Neg(a) -> z output y output z")},
    {"Fused", G(X "node a: Abs(x) -> a node b: Exp(a) -> b node n: Mul(a, b) -> y output y")},
    {"Fused,Fused",
     G(X
       "node a: Abs(x) -> a node b: Exp(a) -> b node c: Neg(b) -> c node n: Sin(c) -> y output y output b")},
    // constants come in through inputs; a broadcast value stays outside
    {"Fused", G(X "const c: f32[3]{1,2,3} node a: Add(x, c) -> a node n: Relu(a) -> y output y")},
    {"Fused,Fused", G(X "input z: f32[3] node a: Exp(z) -> a node b: Neg(a) -> b node c: Add(x, b) -> c node "
                        "n: Relu(c) -> y output y")},
    // shapes that are known only when it runs
    {"Fused", G("input x: f32[N,3] node a: Abs(x) -> a node n: Exp(a) -> y output y")},
    {"Fused", G("input x: f32[-1,3] node a: Abs(x) -> a node n: Exp(a) -> y output y")},
    // comparisons and choices; integers are left alone
    {"Fused", G(X "input z: f32[2,3] node c: Less(x, z) -> c node n: SelectV2(c, x, z) -> y output y")},
    {"Abs,Neg", G("input x: i32[2,3] node a: Abs(x) -> a node n: Neg(a) -> y output y")},
    {"Fused", G("input x: f16[2,3] node a: Exp(x) -> a node n: Mul(a, x) -> y output y")},
    // no kernel for it
    {"Xlogy,Fused", G(X "node a: Xlogy(x, x) -> a node b: Exp(a) -> b node n: Neg(b) -> y output y"),
     "no kernel takes it into a region"},
    // a product lies between
    {"Abs,MatMulV2,Fused",
     G(X "input w: f32[3,3] node a: Abs(x) -> a node m: MatMulV2(a, w) -> m node b: Abs(m) -> b "
         "node n: Exp(b) -> y output y")},
};

static void one(const char *pass, const fuse_case *c) {
  char types[512];
  char option[64];
  passes_fixture f;
  snprintf(option, sizeof option, "%s=1", pass);
  const char *options[] = {"passes=0", option};
  CHECK_OK(passes_open(&f, c->text), &f.d);
  CHECK_OK(passes_optimize(&f, options, 2), &f.d);
  passes_types(f.g, types);
  if (strcmp(types, c->want))
    check_failed(__FILE__, __LINE__, "operators %s, expected %s\n%s%s", types, c->want, c->text, f.log);
  if (c->said)
    CHECK_HAS(f.log, c->said);
  CHECK_OK(passes_same_results(&f, 0, 3), &f.d);
  CHECK_OK(passes_again(&f, options, 2), &f.d);
  CHECK_INT(f.sum.changes, 0);
  passes_close(&f);
}

TEST(elementwise_regions) {
  for (size_t i = 0; i < sizeof elementwise / sizeof *elementwise; i++)
    one("fuse-elementwise", &elementwise[i]);
}

// Chains are cut at 64 operators.
TEST(long_chains) {
  static char text[20000];
  char types[512];
  passes_fixture f;
  const char *options[] = {"passes=0", "fuse-elementwise=1"};
  size_t at = (size_t)snprintf(text, sizeof text, "graph \"g\" {\n input x: f32[5] node n0: Abs(x) -> v0\n");
  for (int i = 1; i < 130; i++)
    at += (size_t)snprintf(text + at, sizeof text - at, "node n%d: Neg(v%d) -> v%d\n", i, i - 1, i);
  snprintf(text + at, sizeof text - at, "output v129 }\n");
  CHECK_OK(passes_open(&f, text), &f.d);
  CHECK_OK(passes_optimize(&f, options, 2), &f.d);
  passes_types(f.g, types);
  CHECK_STR(types, "Fused,Fused,Fused");
  CHECK_OK(passes_same_results(&f, 0, 2), &f.d);
  passes_close(&f);
}

// Run through the body: other shapes at each run, broadcasting that is seen then.
TEST(regions_run_with_new_shapes) {
  static run_fixture f;
  memset(&f, 0, sizeof f);
  if (!rows_open(&f.r, ""))
    return;
  f.passes = true;
  if (run_load(
          &f,
          "graph \"g\" { input x: f32[N,M] input z: f32[N,M] node a: Add(x, z) -> a node b: Relu(a) -> b "
          "node n: Mul(b, x) -> y output y }",
          NULL)) {
    RUN_SAME(&f, "f32[2,3]{1,2,3,-4,5,6};f32[2,3]{1,1,1,1,1,1}");
    RUN_SAME(&f, "f32[1,2]{7,-8};f32[1,2]{1,20}");
    RUN_SAME(&f, "f32[0,2];f32[0,2]");
    RUN_SAME(&f, "f32[2,3]{1,2,3,-4,5,6};f32[2,3]{1,1,1,1,1,1}");
    run_drop(&f);
  }
  rows_close(&f.r);
}
// SPDX-License-Identifier: Apache-2.0
