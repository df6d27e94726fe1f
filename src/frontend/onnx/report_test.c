// report_test.c - everything that keeps a model from being imported is told at once: operators, versions,
// element types and attributes, in graphs, bodies and functions, and nothing that only follows from another
// problem.
#include "check.h"
#include "frontend/onnx/report.h"
#include "frontend/onnx/writer.h"
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

static void open_env(fixture *f) {
  memset(f, 0, sizeof *f);
  weft_allocator a = weft_allocator_default();
  weft__text_init(&f->log, &a);
  weft__text_init(&f->text, &a);
  weft_env_options o = {.size = sizeof o, .package_path = "", .log = keep_log, .log_ctx = &f->log};
  CHECK_OK(weft_env_create(&o, &f->e, &f->d), &f->d);
}

static onnxw *setup(fixture *f, int64_t opset) {
  open_env(f);
  onnxw_begin(&f->w, &f->text, 8, opset);
  return &f->w;
}

// Reads the model, which must fail, and tears down; the texts stay.
static void refuse(fixture *f, weft_status want) {
  CHECK_OK(onnxw_finish(&f->w, &f->d), &f->d);
  weft_status s = weft_onnx_read(f->e, f->text.v, f->text.n, "m.onnx", &f->g, &f->d);
  CHECK_INT(s, want);
  CHECK_INT(f->d.status, want);
  CHECK(!f->g);
  weft_graph_destroy(f->g);
  weft__text_deinit(&f->text);
  weft_env_destroy(f->e);
}

static size_t lines(const char *text) {
  size_t n = 1;
  for (; *text; text++)
    n += *text == '\n';
  return n;
}
static const int64_t dims[1] = {2};

TEST(four_different_problems_are_told_together) {
  fixture f;
  onnxw *w = setup(&f, 17);
  onnxw_graph(w, "g");
  onnxw_input(w, "x", ONNX_FLOAT, 1, dims, NULL);
  onnxw_init_raw(w, "odd", 99, 1, dims, "12345678", 8);
  onnxw_op(w, "Foo", "unknown", "x", "a");
  onnxw_op(w, "Relu", "follower", "a", "b");  // says nothing new
  onnxw_op(w, "Relu", "extra", "x", "c");
  onnxw_attr_int(w, "slope", 1);
  onnxw_op(w, "Softmax", "typed", "x", "d");
  onnxw_attr_float(w, "axis", 0);
  onnxw_op(w, "Not", "dtype", "x", "e");
  onnxw_op(w, "Or", "after", "e,e", "h");
  onnxw_op(w, "MaxPool", "version", "x", "i");  // kernel_shape is missing
  onnxw_op(w, "Add", "weights", "x,odd", "j");
  for (const char *const *o = (const char *const[]){"b", "c", "d", "h", "i", "j", NULL}; *o; o++)
    onnxw_output(w, *o, 0, -1, NULL, NULL);
  refuse(&f, WEFT_E_DTYPE);  // that of the first that was found
  CHECK_HAS(f.d.text, "6 problems in the model:");
  CHECK_HAS(f.d.text, "odd: element type 99 is not known");
  CHECK_HAS(f.d.text, "Foo (ai.onnx 17): 1 node, first 'unknown' at byte");
  CHECK_HAS(f.d.text, "node 'extra' (Relu) at byte");
  CHECK_HAS(f.d.text, "attribute 'slope' at byte");
  CHECK_HAS(f.d.text, "the operator has no such attribute in version 17 of its operator set");
  CHECK_HAS(f.d.text, "node 'typed' (Softmax) at byte");
  CHECK_HAS(f.d.text, "expected INT, got FLOAT");
  CHECK_HAS(f.d.text, "node 'dtype' (Not) at byte");
  CHECK_HAS(f.d.text, "node 'version' (MaxPool) at byte");
  CHECK(!strstr(f.d.text, "follower") && !strstr(f.d.text, "after") && !strstr(f.d.text, "weights"));
  CHECK_INT(lines(f.d.text), 1 + 6 + 2);
  CHECK(strstr(f.d.text, "'unknown'") < strstr(f.d.text, "'extra'"));  // in the order of the file
  CHECK(strstr(f.d.text, "'extra'") < strstr(f.d.text, "'dtype'"));
  weft__text_deinit(&f.log);
}

TEST(bodies_and_functions_are_part_of_it) {
  fixture f;
  onnxw *w = setup(&f, 17);
  onnxw_opset(w, "local", 1);
  onnxw_graph(w, "g");
  onnxw_input(w, "c", ONNX_BOOL, 0, NULL, NULL);
  onnxw_input(w, "x", ONNX_FLOAT, 1, dims, NULL);
  onnxw_op(w, "If", "if", "c", "y");
  for (int b = 0; b < 2; b++) {
    onnxw_attr_graph(w, b ? "else_branch" : "then_branch", b ? "else" : "then");
    onnxw_op(w, b ? "Not" : "Bar", b ? "inner_dtype" : "inner_unknown", "x", b ? "v" : "u");
    onnxw_op(w, "Relu", b ? "inner_after_b" : "inner_after_a", b ? "v" : "u", b ? "t" : "s");
    onnxw_output(w, b ? "t" : "s", ONNX_FLOAT, 1, dims, NULL);
    onnxw_attr_graph_end(w);
  }
  onnxw_op(w, "Relu", "outer", "y", "z");
  for (int call = 0; call < 3; call++) {  // one line, however often it is called
    onnxw_op(w, "twice", "call", "x", (const char *[]){"p", "q", "r"}[call]);
    onnxw_domain(w, "local");
  }
  onnxw_op(w, "Add", "sum", "z,p", "out");
  onnxw_output(w, "out", ONNX_FLOAT, 1, dims, NULL);
  onnxw_function(w, "local", "twice", "a", "b", "");
  onnxw_opset(w, "", 17);
  onnxw_op(w, "Not", "in_function", "a", "m");
  onnxw_op(w, "Not", "function_follower", "m", "b");
  onnxw_function_end(w);
  refuse(&f, WEFT_E_UNSUPPORTED);
  CHECK_HAS(f.d.text, "3 problems in the model:");
  CHECK_HAS(f.d.text, "Bar (ai.onnx 17): 1 node, first 'inner_unknown'");
  CHECK_HAS(f.d.text, "node 'inner_dtype' (Not)");
  CHECK_HAS(f.d.text, "node 'in_function' (Not)");
  CHECK_INT(lines(f.d.text), 1 + 3 + 2);
  weft__text_deinit(&f.log);
}

TEST(one_problem_is_told_as_it_happened) {
  fixture f;
  onnxw *w = setup(&f, 17);
  onnxw_graph(w, "g");
  onnxw_input(w, "x", ONNX_FLOAT, 1, dims, NULL);
  onnxw_op(w, "Not", "n", "x", "y");
  onnxw_op(w, "Not", "m", "y", "z");
  onnxw_output(w, "z", ONNX_BOOL, 1, dims, NULL);
  refuse(&f, WEFT_E_DTYPE);
  CHECK_HAS(f.d.text, "in node 'n' (Not) of m.onnx, at byte");
  CHECK_HAS(f.d.text, "while reading the ONNX model 'm.onnx'");
  CHECK(!strstr(f.d.text, "problems"));
  weft__text_deinit(&f.log);
}

// An attribute that is wrong in itself is told although the input is not known.
TEST(a_follower_with_a_fault_of_its_own) {
  fixture f;
  onnxw *w = setup(&f, 17);
  onnxw_graph(w, "g");
  onnxw_input(w, "x", ONNX_FLOAT, 1, dims, NULL);
  onnxw_op(w, "Foo", "unknown", "x", "a");
  onnxw_op(w, "Relu", "own", "a", "b");
  onnxw_attr_int(w, "slope", 1);
  onnxw_output(w, "b", ONNX_FLOAT, 1, dims, NULL);
  refuse(&f, WEFT_E_UNSUPPORTED);
  CHECK_HAS(f.d.text, "2 problems");
  CHECK_HAS(f.d.text, "node 'own' (Relu)");
  weft__text_deinit(&f.log);
}

TEST(versions_are_told_with_the_rest) {
  fixture f;
  onnxw *w = setup(&f, 29);
  onnxw_graph(w, "g");
  onnxw_input(w, "x", ONNX_FLOAT, 1, dims, NULL);
  onnxw_op(w, "Not", "n", "x", "y");
  onnxw_output(w, "y", ONNX_BOOL, 1, dims, NULL);
  refuse(&f, WEFT_E_VERSION);
  CHECK_HAS(f.d.text, "operator-set version 29 of ai.onnx: this weft reads 1 to 28");
  CHECK_HAS(f.d.text, "node 'n' (Not)");
  weft__text_deinit(&f.log);
}

static size_t times(const char *text, const char *part) {
  size_t n = 0;
  for (; (text = strstr(text, part)) != NULL; text++)
    n++;
  return n;
}

// A message holds what fits, the log what does not, up to ONNX_MAX_SHOWN together, and the rest is counted.
// Nothing is told twice.
TEST(many_problems_are_bounded) {
  fixture f;
  onnxw *w = setup(&f, 17);
  char name[32];
  char out[32];
  onnxw_graph(w, "g");
  onnxw_input(w, "x", ONNX_FLOAT, 1, dims, NULL);
  for (int i = 0; i < 100; i++) {
    snprintf(name, sizeof name, "not%d", i);
    snprintf(out, sizeof out, "y%d", i);
    onnxw_op(w, "Not", name, "x", out);
    onnxw_output(w, out, ONNX_BOOL, 1, dims, NULL);
  }
  refuse(&f, WEFT_E_DTYPE);
  CHECK_HAS(f.d.text, "100 problems in the model:");
  CHECK_HAS(f.d.text, "'not0'");
  CHECK_HAS(f.d.text, "more\n  while reading");
  CHECK(!strstr(f.log.v, "'not0'"));
  CHECK_INT(times(f.d.text, "node 'not") + times(f.log.v, "node 'not"), ONNX_MAX_SHOWN);
  weft__text_deinit(&f.log);
}

TEST(attribute_table) {
#define STR(s) ((onnx_str){s, sizeof(s) - 1})
  CHECK_INT(weft__onnx_attribute_kind(weft__onnx_attributes(STR(""), STR("Conv"), 11), STR("group")),
            ONNX_ATTR_INT);
  CHECK_INT(weft__onnx_attribute_kind(weft__onnx_attributes(STR("ai.onnx"), STR("Conv"), 1), STR("pads")),
            ONNX_ATTR_INTS);
  CHECK_INT(weft__onnx_attribute_kind(weft__onnx_attributes(STR(""), STR("Conv"), 28), STR("grou")), 0);
  CHECK_INT(weft__onnx_attribute_kind(weft__onnx_attributes(STR(""), STR("Squeeze"), 11), STR("axes")),
            ONNX_ATTR_INTS);
  CHECK_INT(weft__onnx_attribute_kind(weft__onnx_attributes(STR(""), STR("Squeeze"), 13), STR("axes")), 0);
  CHECK_INT(weft__onnx_attribute_kind(weft__onnx_attributes(STR(""), STR("If"), 1), STR("then_branch")),
            ONNX_ATTR_GRAPH);
  CHECK(!weft__onnx_attributes(STR("ai.onnx.ml"), STR("Conv"), 1));
  CHECK(weft__onnx_attributes(STR("ai.onnx.ml"), STR("Scaler"), 1) != NULL);
  CHECK(!weft__onnx_attributes(STR(""), STR(""), 1) && !weft__onnx_attributes(STR(""), STR("Zz"), 1));
  CHECK(!weft__onnx_attributes(STR(""), STR("Attention"), 22));
}

TEST(every_allocation_of_a_report_fails_once) {
  check_alloc count = {0};
  weft_allocator a = weft_allocator_default();
  weft_env *e;
  weft_diag d = {0};
  weft_text text;
  onnxw w;
  weft_env_options o = {.size = sizeof o, .package_path = "", .allocator = check_allocator(&count)};
  CHECK_OK(weft_env_create(&o, &e, &d), &d);
  weft__text_init(&text, &a);
  onnxw_begin(&w, &text, 8, 17);
  onnxw_graph(&w, "g");
  onnxw_input(&w, "x", ONNX_FLOAT, 1, dims, NULL);
  onnxw_op(&w, "Foo", "unknown", "x", "a");
  onnxw_op(&w, "Relu", "follower", "a", "b");
  onnxw_op(&w, "Not", "dtype", "x", "c");
  onnxw_attr_int(&w, "extra", 1);
  onnxw_op(&w, "And", "follower2", "c,c", "f");
  onnxw_output(&w, "b", 0, -1, NULL, NULL);
  onnxw_output(&w, "f", 0, -1, NULL, NULL);
  CHECK_OK(onnxw_finish(&w, &d), &d);
  long blocks = count.live_blocks;
  for (long i = 1; i < 100000; i++) {
    weft_graph *g = NULL;
    weft_diag_clear(&d);
    count.calls = 0;
    count.fail_at = i;
    weft_status s = weft_onnx_read(e, text.v, text.n, "m", &g, &d);
    bool reached = count.calls >= i;
    count.fail_at = 0;
    CHECK(!g && d.status == s);
    CHECK_INT(s, reached ? WEFT_E_NOMEM : WEFT_E_UNSUPPORTED);
    CHECK_INT(count.live_blocks, blocks);
    if (!reached || s != WEFT_E_NOMEM)
      break;
  }
  weft__text_deinit(&text);
  weft_env_destroy(e);
}
// SPDX-License-Identifier: Apache-2.0
