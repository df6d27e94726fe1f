// interp_test.c - the interpreter's own behaviour: what it checks before it runs, who is told of values,
// whose the outputs are, and that a failure leaves nothing behind.
#include "base/base.h"
#include "rows.h"
#include "weft/weft.h"

static weft_graph *interp_graph(rows *r, const char *text) {
  weft_graph *g = NULL;
  if (weft_graph_parse(r->env, text, strlen(text), "test", &g, &r->d) ||
      weft_graph_infer(g, NULL, NULL, &r->d))
    check_failed(__FILE__, __LINE__, "%s", r->d.text);
  return g;
}

typedef struct watched {
  char names[256];
  weft_status answer;
} watched;
static weft_status watch(void *ctx, const weft_value *v, const weft_tensor *t) {
  watched *w = ctx;
  size_t n = strlen(w->names);
  (void)t;
  snprintf(w->names + n, sizeof w->names - n, "%s ", weft_value_name(v));
  return w->answer;
}

static const char chain[] =
    "graph \"g\" { input x: f32[N] node a: Neg(x) -> p node b: Exp(p) -> q node c: Add(q, p) -> y output y }";

TEST(each_value_is_watched_in_order) {
  rows r;
  rows_tensors in;
  weft_tensor out;
  if (!rows_open(&r, "") || !rows_read(&r, "f32[1]{0}", &in))
    return;
  weft_graph *g = interp_graph(&r, chain);
  watched w = {.answer = WEFT_OK};
  const weft_interp_options o = {.size = sizeof o, .watch = watch, .watch_ctx = &w};
  CHECK_INT(weft_interp_run(g, &o, in.in, 1, &out, 1, &r.d), WEFT_OK);
  CHECK_STR(w.names, "p q y ");
  CHECK_F64(*(const float *)out.data, 1, 0);
  weft_tensor_deinit(&out);
  // Its answer ends the run.
  w = (watched){.answer = WEFT_E_CANCELLED};
  CHECK_FAILS(weft_interp_run(g, &o, in.in, 1, &out, 1, &r.d), WEFT_E_CANCELLED);
  CHECK_STR(w.names, "p ");
  CHECK(!out.data);
  weft_tensor_deinit(&out);
  weft_graph_destroy(g);
  rows_free(&in);
  rows_close(&r);
}

TEST(inputs_are_checked_before_anything_runs) {
  static const struct {
    const char *given;
    weft_status status;
  } cases[] = {{"f16[2]{1,2}", WEFT_E_DTYPE}, {"f32[1,2]{1,2}", WEFT_E_SHAPE}};
  rows r;
  if (!rows_open(&r, ""))
    return;
  weft_graph *g = interp_graph(&r, chain);
  for (size_t i = 0; i < WEFT_COUNT(cases); i++) {
    rows_tensors in;
    weft_tensor out;
    watched w = {.answer = WEFT_OK};
    const weft_interp_options o = {.size = sizeof o, .watch = watch, .watch_ctx = &w};
    if (!rows_read(&r, cases[i].given, &in))
      break;
    weft_diag_clear(&r.d);
    CHECK_FAILS(weft_interp_run(g, &o, in.in, 1, &out, 1, &r.d), cases[i].status);
    CHECK_HAS(r.d.text, "'x'");
    CHECK_STR(w.names, "");
    rows_free(&in);
  }
  weft_graph_destroy(g);
  rows_close(&r);
}

// A name stands for one number in one run.
TEST(a_name_is_one_number) {
  rows r;
  if (!rows_open(&r, ""))
    return;
  weft_graph *g =
      interp_graph(&r, "graph \"g\" { input a: f32[N] input b: f32[N] node s: Add(a, b) -> y output y }");
  CHECK_STR(rows_run_graph(&r, g, "f32[2]{1,2}; f32[2]{3,4}"), "f32[2]{4,6}");
  CHECK_STR(rows_run_graph(&r, g, "f32[3]{1,2,3}; f32[3]{3,4,5}"), "f32[3]{4,6,8}");
  CHECK(!strncmp(rows_run_graph(&r, g, "f32[2]{1,2}; f32[1]{3}"), "E_", 2));
  weft_graph_destroy(g);
  rows_close(&r);
}

// Outputs are the caller's: two that are one value, an input and a constant are copies of their own.
TEST(outputs_are_copies_of_their_own) {
  rows r;
  rows_tensors in;
  weft_tensor out[4];
  if (!rows_open(&r, "") || !rows_read(&r, "f32[2]{1,-2}", &in))
    return;
  weft_graph *g = interp_graph(
      &r,
      "graph \"g\" { input x: f32[2] const c: f32[1]{7} node a: Neg(x) -> y output y output y output x "
      "output c }");
  CHECK_INT(weft_interp_run(g, NULL, in.in, 1, out, 4, &r.d), WEFT_OK);
  weft_graph_destroy(g);
  CHECK(out[0].data != out[1].data && out[2].data != in.t[0].data);
  rows_free(&in);
  static const float want[] = {-1, -1, 1, 7};
  for (int i = 0; i < 4; i++) {
    CHECK_F64(*(const float *)out[i].data, want[i], 0);
    weft_tensor_deinit(&out[i]);
  }
  rows_close(&r);
}

TEST(a_limit_of_memory_names_the_node) {
  rows r;
  rows_tensors in;
  weft_tensor out;
  if (!rows_open(&r, "") || !rows_read(&r, "f32[4096]{0..}", &in))
    return;
  weft_graph *g = interp_graph(&r, chain);
  const weft_interp_options o = {.size = sizeof o, .memory_limit_bytes = 10000};
  CHECK_FAILS(weft_interp_run(g, &o, in.in, 1, &out, 1, &r.d), WEFT_E_LIMIT);
  CHECK_HAS(r.d.text, "the memory limit of 10000 bytes is reached");
  CHECK_HAS(r.d.text, "node 'a' (Neg)");
  CHECK(!out.data);
  const weft_interp_options enough = {.size = sizeof enough, .memory_limit_bytes = 1 << 20};
  weft_diag_clear(&r.d);
  CHECK_INT(weft_interp_run(g, &enough, in.in, 1, &out, 1, &r.d), WEFT_OK);
  CHECK_STR(r.d.text, "");
  weft_tensor_deinit(&out);
  weft_graph_destroy(g);
  rows_free(&in);
  rows_close(&r);
}
// SPDX-License-Identifier: Apache-2.0
