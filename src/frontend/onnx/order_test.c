// order_test.c - nodes that stand in front of what they read: sorted, told once, with bodies and functions;
// and what no order can mend.
#include "check.h"
#include "frontend/onnx/report.h"
#include "frontend/onnx/writer.h"
#include "weft/interp.h"
#include "weft/onnx.h"

typedef struct fixture {
  weft_env *e;
  weft_text text, log;
  onnxw w;
  weft_graph *g;
  weft_diag d;
} fixture;

static void keep_log(void *ctx, int level, const char *text) {
  (void)level;
  weft__text_addf(ctx, "%s\n", text);
}

static onnxw *setup(fixture *f) {
  memset(f, 0, sizeof *f);
  weft_allocator a = weft_allocator_default();
  weft__text_init(&f->log, &a);
  weft__text_init(&f->text, &a);
  weft_env_options o = {.size = sizeof o, .package_path = "", .log = keep_log, .log_ctx = &f->log};
  CHECK(weft_env_create(&o, &f->e, &f->d) == WEFT_OK);
  onnxw_begin(&f->w, &f->text, 8, 17);
  return &f->w;
}

static weft_status load(fixture *f) {
  weft_status s = onnxw_finish(&f->w, &f->d);
  return s ? s : weft_onnx_read(f->e, f->text.v, f->text.n, "m.onnx", &f->g, &f->d);
}

static void teardown(fixture *f) {
  weft_graph_destroy(f->g);
  weft__text_deinit(&f->text);
  weft__text_deinit(&f->log);
  weft_env_destroy(f->e);
}

static size_t lines(const weft_text *t) {
  size_t n = 0;
  for (size_t i = 0; i < t->n; i++)
    n += t->v[i] == '\n';
  return n;
}

static const char *node_at(const fixture *f, size_t i) {
  const weft_node *n = weft_graph_first(f->g);
  while (i--)
    n = weft_node_next(n);
  return weft_node_name(n);
}

static const int64_t dims[1] = {2};

TEST(makers_move_in_front_of_their_first_reader_and_nothing_else_moves) {
  fixture f;
  onnxw *w = setup(&f);
  onnxw_graph(w, "g");
  onnxw_input(w, "x", ONNX_FLOAT, 1, dims, NULL);
  onnxw_op(w, "Neg", "first", "x", "a");
  onnxw_op(w, "Add", "reader", "a,cast", "b");
  onnxw_op(w, "Relu", "last", "b", "y");
  onnxw_op(w, "Abs", "middle", "x", "half");
  onnxw_op(w, "Sqrt", "cast", "half", "cast");
  onnxw_output(w, "y", ONNX_FLOAT, 1, dims, NULL);
  CHECK_OK(load(&f), &f.d);
  const char *const want[] = {"first", "middle", "cast", "reader", "last"};
  CHECK_INT(weft_graph_n_nodes(f.g), 5);
  for (size_t i = 0; i < 5; i++)
    CHECK_STR(node_at(&f, i), want[i]);
  CHECK_HAS(f.log.v, "m.onnx: node 'reader' (Add) at byte");
  CHECK_HAS(f.log.v, "stands in front of node 'cast' (Sqrt) at byte");
  CHECK_HAS(f.log.v, "2 nodes have been moved");
  CHECK_INT(lines(&f.log), 1);
  teardown(&f);
}

TEST(nothing_is_told_of_a_model_in_order) {
  fixture f;
  onnxw *w = setup(&f);
  onnxw_graph(w, "g");
  onnxw_input(w, "x", ONNX_FLOAT, 1, dims, NULL);
  onnxw_op(w, "Neg", "a", "x", "a");
  onnxw_op(w, "Relu", "b", "a", "y");
  onnxw_output(w, "y", ONNX_FLOAT, 1, dims, NULL);
  CHECK_OK(load(&f), &f.d);
  CHECK_INT(lines(&f.log), 0);
  teardown(&f);
}

TEST(what_a_body_reads_counts_and_bodies_are_sorted_too) {
  fixture f;
  onnxw *w = setup(&f);
  onnxw_graph(w, "g");
  onnxw_input(w, "c", ONNX_BOOL, 0, NULL, NULL);
  onnxw_input(w, "x", ONNX_FLOAT, 1, dims, NULL);
  onnxw_op(w, "If", "if", "c", "y");
  for (int b = 0; b < 2; b++) {
    onnxw_attr_graph(w, b ? "else_branch" : "then_branch", b ? "else" : "then");
    onnxw_op(w, "Neg", b ? "n" : "m", b ? "q" : "p", b ? "t" : "s");
    onnxw_op(w, "Relu", b ? "l" : "k", "late", b ? "q" : "p");
    onnxw_output(w, b ? "t" : "s", ONNX_FLOAT, 1, dims, NULL);
    onnxw_attr_graph_end(w);
  }
  onnxw_op(w, "Abs", "late", "x", "late");
  onnxw_output(w, "y", ONNX_FLOAT, 1, dims, NULL);
  CHECK_OK(load(&f), &f.d);
  CHECK_STR(node_at(&f, 0), "late");
  CHECK_STR(node_at(&f, 1), "if");
  CHECK_INT(lines(&f.log), 3);
  teardown(&f);
}

TEST(a_function_is_sorted_at_every_call_and_told_of_once) {
  fixture f;
  onnxw *w = setup(&f);
  onnxw_opset(w, "local", 1);
  onnxw_graph(w, "g");
  onnxw_input(w, "x", ONNX_FLOAT, 1, dims, NULL);
  for (int call = 0; call < 3; call++) {
    onnxw_op(w, "twice", "call", (const char *[]){"x", "p", "q"}[call],
             (const char *[]){"p", "q", "y"}[call]);
    onnxw_domain(w, "local");
  }
  onnxw_output(w, "y", ONNX_FLOAT, 1, dims, NULL);
  onnxw_function(w, "local", "twice", "a", "b", "");
  onnxw_opset(w, "", 17);
  onnxw_op(w, "Relu", "second", "m", "b");
  onnxw_op(w, "Neg", "one", "a", "m");
  onnxw_function_end(w);
  CHECK_OK(load(&f), &f.d);
  CHECK_INT(weft_graph_n_nodes(f.g), 6);
  CHECK_INT(lines(&f.log), 1);
  teardown(&f);
}

TEST(a_cycle_is_named) {
  fixture f;
  onnxw *w = setup(&f);
  onnxw_graph(w, "g");
  onnxw_input(w, "x", ONNX_FLOAT, 1, dims, NULL);
  onnxw_op(w, "Add", "one", "x,b", "a");
  onnxw_op(w, "Neg", "two", "a", "b");
  onnxw_output(w, "b", ONNX_FLOAT, 1, dims, NULL);
  CHECK_INT(load(&f), WEFT_E_CYCLE);
  CHECK_HAS(f.d.text, "form a cycle: node 'two' (Neg) at byte");
  CHECK_HAS(f.d.text, "reads an output of node 'one' (Add)");
  teardown(&f);
}

TEST(a_node_that_reads_its_own_output_is_named) {
  fixture f;
  onnxw *w = setup(&f);
  onnxw_graph(w, "g");
  onnxw_input(w, "x", ONNX_FLOAT, 1, dims, NULL);
  onnxw_op(w, "Add", "self", "x,a", "a");
  onnxw_output(w, "a", ONNX_FLOAT, 1, dims, NULL);
  CHECK_INT(load(&f), WEFT_E_CYCLE);
  CHECK_HAS(f.d.text, "node 'self' (Add)");
  CHECK_HAS(f.d.text, "reads its own output");
  teardown(&f);
}

TEST(a_long_chain_backwards_needs_no_deep_stack) {
  enum { N = 20000 };
  fixture f;
  onnxw *w = setup(&f);
  onnxw_graph(w, "g");
  onnxw_input(w, "v0", ONNX_FLOAT, 1, dims, NULL);
  for (int i = N; i > 0; i--) {
    char from[16];
    char to[16];
    snprintf(from, sizeof from, "v%d", i - 1);
    snprintf(to, sizeof to, "v%d", i);
    onnxw_op(w, "Neg", to, from, to);
  }
  onnxw_output(w, "v20000", ONNX_FLOAT, 1, dims, NULL);
  CHECK_OK(load(&f), &f.d);
  CHECK_STR(node_at(&f, 0), "v1");
  CHECK_STR(node_at(&f, N - 1), "v20000");
  teardown(&f);
}
// SPDX-License-Identifier: Apache-2.0
