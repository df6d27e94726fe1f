// diagnostics_test.c - group AA: what an error says, to whom, and in which words.
#include "rows.h"

#include <pthread.h>

// An injected fault: the graph "x -> node -> output", or a call that builds it, must fail and name
// everything.
typedef struct fault {
  const char *op, *inputs;  // literals, one a graph input
  const weft_named_attr *attrs;
  size_t n_attrs;
  const char *port, *expected, *got;
} fault;

// Builds and infers one node called "node_7"; the message is in r->d.
static weft_status inject(rows *r, const fault *f) {
  rows_tensors t;
  weft_graph *g = rows_graph(r, "faulty");
  weft_value *in[ROWS_MAX];
  weft_node *n = NULL;
  if (!rows_read(r, f->inputs, &t))
    return WEFT_OK;
  for (size_t i = 0; i < t.n; i++) {
    char name[32];
    snprintf(name, sizeof name, "in%zu", i);
    const weft_shape *s = &t.t[i].layout.origin;
    in[i] = t.t[i].data ? weft_graph_const(g, name, &t.t[i], WEFT_CONST_COPY, &r->d)
                        : weft_graph_input(g, name, t.t[i].dtype, s->dim, s->rank, &r->d);
  }
  weft_use use = {.name = "node_7", .attrs = f->attrs, .n_attrs = f->n_attrs};
  weft_diag_clear(&r->d);
  weft_status s = weft_graph_add(g, f->op, &use, in, t.n, &n, &r->d);
  if (!s)
    s = weft_graph_output(g, weft_node_out(n, 0), &r->d);
  if (!s)
    s = weft_graph_infer(g, NULL, NULL, &r->d);
  rows_free(&t);
  weft_graph_destroy(g);
  return s;
}

static const weft_dtype f32[] = {WEFT_FLOAT};
static const int64_t zero_one[] = {0, 1}, three_zeros[] = {0, 0, 0}, minus[] = {0, -1, 0, 0},
                     two_two[] = {2, 2};
static const weft_named_attr
    group_0[] = {{"group", {.type = WEFT_VT_INT, .u.i = 0}}},
    group_text[] = {{"group", {.type = WEFT_VT_STRING, .n = 1, .u.s = "1"}}},
    stride_0[] = {{"stride", {.type = WEFT_VT_LIST_INT, .n = 2, .u.ints = zero_one}}},
    pad_3[] = {{"pad", {.type = WEFT_VT_LIST_INT, .n = 3, .u.ints = three_zeros}}},
    pad_neg[] = {{"pad", {.type = WEFT_VT_LIST_INT, .n = 4, .u.ints = minus}}},
    pool_foo[] = {{"kernel_size", {.type = WEFT_VT_LIST_INT, .n = 2, .u.ints = two_two}},
                  {"strides", {.type = WEFT_VT_LIST_INT, .n = 2, .u.ints = two_two}},
                  {"padding", {.type = WEFT_VT_STRING, .n = 3, .u.s = "FOO"}}},
    pool_same[] = {{"kernel_size", {.type = WEFT_VT_LIST_INT, .n = 2, .u.ints = two_two}},
                   {"strides", {.type = WEFT_VT_LIST_INT, .n = 2, .u.ints = two_two}},
                   {"padding", {.type = WEFT_VT_STRING, .n = 4, .u.s = "SAME"}}},
    unknown[] = {{"colour", {.type = WEFT_VT_INT, .u.i = 0}}};
#define CONV_IN "f32[1,3,8,8]; f32[4,3,3,3]"

// R330: every message names the node, the operator, the port or attribute, what was expected and what came.
TEST(r330_twenty_faults_name_everything) {
  static const fault faults[] = {
      {"AddCustom", "f16[2,3]; f32[2,3]", NULL, 0, "'y'", "f16", "DT_FLOAT"},
      {"AddCustom", "i8[2]; i8[2]", NULL, 0, "'x'", "(f16,f16,f16), (f32,f32,f32), (i32,i32,i32)", "DT_INT8"},
      {"AddCustom", "f32[2,3]; f32[3,2]", NULL, 0, "'y'", "2", "3"},
      {"AddCustom", "f32[2,3]; f32[3]", NULL, 0, "'y'", "2", "1"},
      {"AddCustom", "f32[2]", NULL, 0, "'y' (1)", "required", "got 1 inputs"},
      {"AddCustom", "f32[2]; f32[2]; f32[2]", NULL, 0, "too many inputs", "takes 2", "got 3"},
      {"Foo", "i8[3]", NULL, 0, "'x'", "expected f32|i4", "DT_INT8"},
      {"CustomConv2d", CONV_IN, group_0, 1, "group", ">= 1", "got 0"},
      {"CustomConv2d", CONV_IN, group_text, 1, "'group'", "expected Int", "got String"},
      {"CustomConv2d", CONV_IN, stride_0, 1, "stride", ">= 1", "got 0"},
      {"CustomConv2d", CONV_IN, pad_3, 1, "pad", "4 values", "got 3"},
      {"CustomConv2d", CONV_IN, pad_neg, 1, "pad", "non-negative", "got -1"},
      {"CustomConv2d", CONV_IN, unknown, 1, "'colour'", "one of the operator", "attribute"},
      {"CustomConv2d", "f32[1,3,8,8]; f32[4,4,3,3]", NULL, 0, "weight", "takes 4", "input has 3"},
      {"CustomConv2d", "f32[3,8,8]; f32[4,3,3,3]", NULL, 0, "'input'", "Expected 4D", "got 3D"},
      {"CustomPool", "f32[1,1,4,4]", pool_foo, 3, "padding", "SAME|VALID", "FOO"},
      {"CustomPool", "f32[1,4,4]", pool_same, 3, "input", "Expected 4D", "got 3D"},
      {"CustomPool", "f32[1,1,4,4]", NULL, 0, "'kernel_size'", "required", "not given"},
      {"Reshape", "f32[2,3,4]; i64[2]{5,5}", NULL, 0, "x of shape [2,3,4]", "24", "25"},
      {"Reshape", "f32[2,3,4]; f32[2]{5,5}", NULL, 0, "'shape'", "i32|i64", "DT_FLOAT"},
      {"DynamicRNNV3", "f16[7,2,8]; f32[16,4]; f16[4]", NULL, 0, "'w'", "f16", "DT_FLOAT"},
  };
  rows r;
  if (!rows_open(&r, ROWS_DOCUMENTS))
    return;
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
    const fault *f = &faults[i];
    CHECK(inject(&r, f) != WEFT_OK);
    CHECK(r.d.status != WEFT_OK);
    CHECK_HAS(r.d.text, "node_7");
    CHECK_HAS(r.d.text, f->op);
    CHECK_HAS(r.d.text, f->port);
    CHECK_HAS(r.d.text, f->expected);
    CHECK_HAS(r.d.text, f->got);
  }
  rows_close(&r);
}

// R331: the documents' words.
TEST(r331_texts_of_the_documents) {
  static const fault faults[] = {
      {"NoSuchOp", "f32[2]", NULL, 0, "算子 NoSuchOp 未注册", "", ""},
      {"CustomPool", "f32[3,224,224]", pool_same, 3, "Expected 4D input, got 3D", "", ""},
      {"CustomConv2d", CONV_IN, group_0, 1, "group must >= 1, got 0", "", ""},
      {"CustomConv2d", CONV_IN, pad_3, 1, "pad must have 4 values, got 3", "", ""},
      {"CustomConv2d", CONV_IN, pad_neg, 1, "pad values must be non-negative, got -1", "", ""},
  };
  rows r;
  if (!rows_open(&r, ROWS_DOCUMENTS))
    return;
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
    CHECK(inject(&r, &faults[i]) != WEFT_OK);
    CHECK_HAS(r.d.text, faults[i].port);
  }
  CHECK_HAS(rows_run(&r, "DynamicRNNV3", NULL, "f16[1,1]{1}; f16[1]{1}; f16[1]{1}", 1),
            "no kernel found for op DynamicRNNV3");
  rows_close(&r);
}

static weft_status silent(weft_infer *it) {
  (void)it;
  return 1234;
}

// R328, R330: a function that fails without a word still gives a message with its code.
TEST(r328_failures_reach_the_caller_and_nothing_is_printed) {
  rows r;
  if (!rows_open(&r, ""))
    return;
  weft_op_builder *b = weft_builder_create(r.env, "Silent");
  weft_builder_dtypes(weft_builder_input(b, "x", WEFT_REQUIRED), 1, f32);
  weft_builder_follow(weft_builder_output(b, "y", WEFT_REQUIRED), "x", WEFT_FOLLOW_DTYPE);
  CHECK_OK(weft_builder_register(weft_builder_infer_shape(b, silent), 0, &r.d), &r.d);
  weft_builder_destroy(b);
  fault f = {"Silent", "f32[2]", NULL, 0, "", "", ""};
  CHECK_INT(inject(&r, &f), 1234);
  CHECK_HAS(r.d.text, "returned 1234 (E_PACKAGE) without a message");
  CHECK_HAS(r.d.text, "node 'node_7' (Silent)");
  rows_tensors t;  // and without a diag
  weft_tensor_desc out;
  if (!rows_read(&r, "f32[2]", &t))
    return;
  CHECK_INT(weft_infer_op(r.env, weft_find(r.env, "Silent"), NULL, t.in, 1, &out, 1, NULL), 1234);
  rows_free(&t);
  rows_close(&r);
}

// R329: 0 is success and everything else fails, GRAPH_FAILED included.
TEST(r329_statuses_of_the_documents) {
  CHECK_INT(WEFT_OK, 0);
  CHECK((weft_status)0xFFFFFFFF != WEFT_OK);
  CHECK_STR(weft_status_name((weft_status)0xFFFFFFFF), "E_PACKAGE");
}

typedef struct worker {
  rows *r;
  const char *attr;
  weft_diag d;
  int wrong;
} worker;

static void *work(void *ctx) {
  worker *w = ctx;
  const weft_proto *p = weft_find(w->r->env, "CustomConv2d");
  for (int i = 0; i < 200; i++) {
    weft_named_attr a[] = {{w->attr, weft_attr_str("bad", 3)}};
    weft_use use = {.name = w->attr, .attrs = a, .n_attrs = 1};
    weft_tensor x;
    const weft_tensor *in[] = {&x, &x};
    weft_tensor_desc out;
    weft_tensor_init(&x, NULL);
    weft_diag_clear(&w->d);
    weft_status s = weft_infer_op(w->r->env, p, &use, in, 2, &out, 1, &w->d);
    w->wrong += s != WEFT_E_TYPE || !strstr(w->d.text, w->attr);
    weft_tensor_deinit(&x);
  }
  return NULL;
}

// R332: two threads on one environment, each with its own diag.
TEST(r332_two_threads_see_their_own_messages) {
  rows r;
  pthread_t a;
  pthread_t b;
  if (!rows_open(&r, ROWS_DOCUMENTS))
    return;
  worker x = {.r = &r, .attr = "stride"};
  worker y = {.r = &r, .attr = "dilation"};
  if (pthread_create(&a, NULL, work, &x))
    return;
  if (!pthread_create(&b, NULL, work, &y))
    pthread_join(b, NULL);
  pthread_join(a, NULL);
  CHECK(!x.wrong && !y.wrong);
  CHECK_HAS(x.d.text, "attribute 'stride'");
  CHECK_HAS(y.d.text, "attribute 'dilation'");
  CHECK(!strstr(x.d.text, "dilation") && !strstr(y.d.text, "stride"));
  rows_close(&r);
}

typedef struct text {
  char v[4096];
  size_t n;
} text;
static weft_status write_text(void *ctx, const char *bytes, size_t n) {
  text *t = ctx;
  if (n > sizeof t->v - t->n)
    return WEFT_E_LIMIT;
  memcpy(t->v + t->n, bytes, n);
  t->n += n;
  return WEFT_OK;
}

// R334: names in UTF-8 come back as they are, through registry, graph, text and messages.
TEST(r334_names_in_utf8) {
  rows r;
  if (!rows_open(&r, ""))
    return;
  weft_op_builder *b = weft_builder_create(r.env, "算子");
  weft_builder_dtypes(weft_builder_input(b, "输入", WEFT_REQUIRED), 1, f32);
  weft_builder_follow(weft_builder_output(b, "输出", WEFT_REQUIRED), "输入", WEFT_FOLLOW_ALL);
  CHECK_OK(weft_builder_register(b, 0, &r.d), &r.d);
  weft_builder_destroy(b);
  CHECK_STR(weft_proto_in(rows_find(&r, "算子"), 0)->name, "输入");
  weft_graph *g = rows_graph(&r, "图");
  weft_graph *again = NULL;
  weft_value *x = rows_input(&r, g, "数据", "f32[2]");
  weft_value *y = rows_node(&r, g, "算子", "节点", NULL, 0, x, NULL);
  CHECK_OK(rows_finish(&r, g, y), &r.d);
  CHECK_STR(weft_node_name(weft_value_node(y, NULL)), "节点");
  text t = {.n = 0};
  CHECK_INT(weft_graph_print(g, 0, write_text, &t), WEFT_OK);
  CHECK_OK(weft_graph_parse(r.env, t.v, t.n, NULL, &again, &r.d), &r.d);
  CHECK_STR(weft_graph_name(again), "图");
  CHECK(weft_graph_find_node(again, "节点") != NULL);
  CHECK_STR(weft_node_type(weft_graph_find_node(again, "节点")), "算子");
  CHECK_HAS(rows_infer(&r, "算子", NULL, "f32[2];f32[2]", 1), "算子");
  weft_graph_destroy(again);
  weft_graph_destroy(g);
  rows_close(&r);
}

// R216: every unconnected input is reported, through the report function, before anything is inferred.
static void collect(void *ctx, weft_status s, const char *text_line) {
  text *t = ctx;
  (void)s;
  t->n += (size_t)snprintf(t->v + t->n, sizeof t->v - t->n, "%s\n", text_line);
}

TEST(r216_all_unconnected_inputs_are_reported) {
  rows r;
  text t = {.n = 0};
  if (!rows_open(&r, ""))
    return;
  weft_graph *g = rows_graph(&r, "sample_graph");
  weft_node *add;
  weft_node *mul;
  weft_use a = {.name = "add_1"};
  weft_use m = {.name = "mul_1"};
  CHECK_OK(weft_graph_add_node(g, "Add", &a, &add, &r.d), &r.d);
  CHECK_OK(weft_graph_add_node(g, "Mul", &m, &mul, &r.d), &r.d);
  CHECK_OK(weft_graph_add_edge(g, add, 0, mul, 0, &r.d), &r.d);
  weft_infer_options o = {.report = collect, .report_ctx = &t};
  CHECK_FAILS(weft_graph_infer(g, &o, NULL, &r.d), WEFT_E_MISSING);
  CHECK_STR(
      t.v,
      "node 'add_1' (Add): input 'x1' is not connected\nnode 'add_1' (Add): input 'x2' is not connected\n"
      "node 'mul_1' (Mul): input 'x2' is not connected\n");
  weft_graph_destroy(g);
  rows_close(&r);
}
// SPDX-License-Identifier: Apache-2.0
