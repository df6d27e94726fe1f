// declared_test.c - what a model declares of a node's output is compared and shown, and sizes nothing (R275).
#include "base/base.h"
#include "check.h"
#include "rows.h"
#include "weft/weft.h"

// x: f32[3,n] -> y = ReduceSum(x, axes), axes given when it runs; y is declared as `shape`.
static weft_graph *reduce_graph(rows *r, const char *shape) {
  char text[512];
  weft_graph *g = NULL;
  snprintf(text, sizeof text,
           "graph \"g\" { input x: f32[3,4] input a: i64[1] "
           "node sum: ReduceSum(x, a) {keep_dims=true} -> y: f32%s output y }",
           shape);
  if (weft_graph_parse(r->env, text, strlen(text), NULL, &g, &r->d))
    check_failed(__FILE__, __LINE__, "%s", r->d.text);
  return g;
}

TEST(a_claim_is_shown_and_not_believed) {
  rows r;
  char text[256];
  weft_tensor_desc desc;
  if (!rows_open(&r, ""))
    return;
  weft_graph *g = reduce_graph(&r, "[3,1]");
  if (!g)
    return;
  CHECK_OK(weft_graph_infer(g, NULL, NULL, &r.d), &r.d);
  const weft_value *y = weft_graph_output_at(g, 0);
  weft_value_desc(y, &desc);
  CHECK_STR(rows_desc_text(&desc, text, sizeof text), "DT_FLOAT [-1,-1] ND range [1,1]..[3,4]");
  weft_value_expected(y, &desc);
  CHECK_STR(rows_desc_text(&desc, text, sizeof text), "DT_FLOAT [3,1] ND range [1,1]..[3,4]");
  weft_graph_destroy(g);
  rows_close(&r);
}

// Each claim with axes that agree with it and with others: the result is that of no claim at all.
TEST(a_wrong_claim_is_a_warning_and_the_run_goes_on) {
  static const char *const claims[] = {"[3,1]", "[1,1]", "[3,9000]", "[3]", "[]", "[1,4]", "[7,1]"};
  rows r;
  if (!rows_open(&r, ""))
    return;
  for (size_t k = 0; k < WEFT_COUNT(claims); k++) {
    weft_graph *g = reduce_graph(&r, claims[k]);
    if (!g)
      return;
    CHECK_OK(weft_graph_infer(g, NULL, NULL, &r.d), &r.d);
    CHECK_STR(rows_run_graph(&r, g, "f32[3,4]{*1}; i64[1]{1}"), "f32[3,1]{4,4,4}");
    CHECK_STR(rows_run_graph(&r, g, "f32[3,4]{*1}; i64[1]{0}"), "f32[1,4]{3,3,3,3}");
    weft_graph_destroy(g);
  }
  CHECK_HAS(r.log,
            "value 'y' of node 'sum' (ReduceSum): the model declares shape [3,9000], inference found [-1,-1] "
            "(dim 1 is 1 to 4), which is used");
  rows_close(&r);
}

TEST(a_wrong_claim_is_an_error_where_shapes_are_strict) {
  weft_env_options o = {.size = sizeof o, .package_path = "", .strict_shapes = true};
  rows r = {.env = NULL};
  CHECK_OK(weft_env_create(&o, &r.env, &r.d), &r.d);
  weft_graph *g = reduce_graph(&r, "[3,1]");
  if (!g)
    return;
  CHECK_OK(weft_graph_infer(g, NULL, NULL, &r.d), &r.d);
  CHECK_STR(rows_run_graph(&r, g, "f32[3,4]{*1}; i64[1]{1}"), "f32[3,1]{4,4,4}");
  CHECK_HAS(rows_run_graph(&r, g, "f32[3,4]{*1}; i64[1]{0}"),
            "E_SHAPE: value 'y': the model declares shape [3,1], inference found [1,4]");
  weft_graph_destroy(g);
  weft_env_destroy(r.env);
}
// SPDX-License-Identifier: Apache-2.0
