// tf_flow_test.c - functions, loops, conditions and TensorLists of a frozen graph that is written here: run,
// and every allocation failed once. What frameworks computed is checked by `weft cases`.
#include "base/base.h"
#include "check.h"
#include "frontend/tf/tf_build.h"
#include "weft/weft.h"

enum { FLOAT = 1, INT32 = 3, VARIANT = 21 };

static void flow_add(tf_made_bytes *graph, uint32_t field, tf_made_bytes node, uint64_t type) {
  if (type)
    tf_put_type(&node, "T", type);
  tf_put_message(graph, field, &node);
}

// A number; INT32.
static void flow_number(tf_made_bytes *graph, uint32_t field, const char *name, int32_t v) {
  tf_made_bytes node = tf_node_of(name, "Const", NULL, NULL);
  tf_made_bytes tensor = {.n = 0};
  const tf_made_bytes shape = {.n = 0};
  tf_put_int(&tensor, 1, INT32);
  tf_put_message(&tensor, 2, &shape);
  tf_put_data(&tensor, 4, &v, sizeof v);
  tf_put_type(&node, "dtype", INT32);
  tf_put_value(&node, "value", 8, &tensor);
  tf_put_message(graph, field, &node);
}

static void flow_names(tf_made_bytes *signature, uint32_t field, const char *const *names, size_t n) {
  for (size_t i = 0; i < n; i++) {
    tf_made_bytes arg = {.n = 0};
    tf_put_text(&arg, 1, names[i]);
    tf_put_message(signature, field, &arg);
  }
}

// A function whose results r0, r1, .. are `from`.
static tf_made_bytes flow_function(const char *name, const char *const *args, size_t n_args,
                                   const char *const *from, size_t n) {
  static const char *const results[] = {"r0", "r1", "r2", "r3"};
  tf_made_bytes f = {.n = 0};
  tf_made_bytes signature = {.n = 0};
  tf_put_text(&signature, 1, name);
  flow_names(&signature, 2, args, n_args);
  flow_names(&signature, 3, results, n);
  tf_put_message(&f, 1, &signature);
  for (size_t i = 0; i < n; i++) {
    tf_made_bytes ret = {.n = 0};
    tf_put_text(&ret, 1, results[i]);
    tf_put_text(&ret, 2, from[i]);
    tf_put_message(&f, 4, &ret);
  }
  return f;
}

static tf_made_bytes flow_floats(const char *name) {
  tf_made_bytes x = tf_node_of(name, "Placeholder", NULL, NULL);
  const tf_made_bytes shape = tf_shape_of(2);
  tf_put_type(&x, "dtype", FLOAT);
  tf_put_value(&x, "shape", 7, &shape);
  return x;
}

// list = 3 items of a shape that is not said; i = 0; while (i < 3) { list[i] = x; x = x + x; i++ }
static tf_made_bytes flow_while_graph(void) {
  static const char *const args[] = {"i", "list", "x", "n"};
  static const char *const body_out[] = {"next:z:0", "set:output_handle:0", "twice:z:0", "n"};
  static const char *const cond_out[] = {"less:z:0"};
  tf_made_bytes graph = {.n = 0};
  tf_made_bytes library = {.n = 0};
  tf_made_bytes body = flow_function("body", args, 4, body_out, 4);
  flow_number(&body, 3, "one", 1);
  flow_add(&body, 3, tf_node_of("next", "AddV2", "i", "one:output:0"), INT32);
  flow_add(&body, 3, tf_node_of("twice", "AddV2", "x", "x"), FLOAT);
  tf_made_bytes set = tf_node_of("set", "TensorListSetItem", "list", "i");
  tf_put_text(&set, 3, "x");
  tf_put_message(&body, 3, &set);
  tf_put_message(&library, 1, &body);
  tf_made_bytes cond = flow_function("cond", args, 4, cond_out, 1);
  flow_add(&cond, 3, tf_node_of("less", "Less", "i", "n"), INT32);
  tf_put_message(&library, 1, &cond);
  flow_add(&graph, 1, flow_floats("x"), 0);
  flow_number(&graph, 1, "zero", 0);
  flow_number(&graph, 1, "three", 3);
  flow_number(&graph, 1, "open", -1);
  tf_made_bytes list = tf_node_of("reserve", "TensorListReserve", "open", "three");
  tf_put_type(&list, "element_dtype", FLOAT);
  tf_put_message(&graph, 1, &list);
  tf_made_bytes loop = tf_node_of("loop", "StatelessWhile", "zero", "reserve");
  tf_put_text(&loop, 3, "x");
  tf_put_text(&loop, 3, "three");
  tf_put_function(&loop, "body", "body");
  tf_put_function(&loop, "cond", "cond");
  tf_put_message(&graph, 1, &loop);
  tf_made_bytes stack = tf_node_of("stack", "TensorListStack", "loop:1", "open");
  tf_put_message(&graph, 1, &stack);
  tf_put_message(&graph, 2, &library);
  return graph;
}

// c ? OP(x, x) : -x, c a number.
static tf_made_bytes flow_if_graph_of(const char *op) {
  static const char *const args[] = {"x"};
  static const char *const then_out[] = {"twice:z:0"};
  static const char *const else_out[] = {"less:y:0"};
  tf_made_bytes graph = {.n = 0};
  tf_made_bytes library = {.n = 0};
  tf_made_bytes yes = flow_function("yes", args, 1, then_out, 1);
  flow_add(&yes, 3, tf_node_of("twice", op, "x", "x"), FLOAT);
  tf_put_message(&library, 1, &yes);
  tf_made_bytes no = flow_function("no", args, 1, else_out, 1);
  flow_add(&no, 3, tf_node_of("less", "Neg", "x", NULL), FLOAT);
  tf_put_message(&library, 1, &no);
  tf_made_bytes c = tf_node_of("c", "Placeholder", NULL, NULL);
  const tf_made_bytes scalar = {.n = 0};
  tf_put_type(&c, "dtype", INT32);
  tf_put_value(&c, "shape", 7, &scalar);
  tf_put_message(&graph, 1, &c);
  flow_add(&graph, 1, flow_floats("x"), 0);
  tf_made_bytes node = tf_node_of("y", "StatelessIf", "c", "x");
  tf_put_function(&node, "then_branch", "yes");
  tf_put_function(&node, "else_branch", "no");
  tf_made_bytes types = {.n = 0};
  tf_put_int(&types, 6, FLOAT);
  tf_put_value(&node, "Tout", 1, &types);
  tf_put_message(&graph, 1, &node);
  tf_put_message(&graph, 2, &library);
  return graph;
}

static tf_made_bytes flow_if_graph(void) {
  return flow_if_graph_of("AddV2");
}

// Switch and Merge of control flow v1: p ? x + x : -x.
static tf_made_bytes flow_switch_graph(void) {
  tf_made_bytes graph = {.n = 0};
  tf_made_bytes p = tf_node_of("c", "Placeholder", NULL, NULL);
  const tf_made_bytes scalar = {.n = 0};
  tf_put_type(&p, "dtype", INT32);
  tf_put_value(&p, "shape", 7, &scalar);
  tf_put_message(&graph, 1, &p);
  flow_add(&graph, 1, flow_floats("x"), 0);
  flow_number(&graph, 1, "zero", 0);
  flow_add(&graph, 1, tf_node_of("p", "NotEqual", "c", "zero"), INT32);
  flow_add(&graph, 1, tf_node_of("s", "Switch", "x", "p"), FLOAT);
  flow_add(&graph, 1, tf_node_of("twice", "AddV2", "s:1", "s:1"), FLOAT);
  flow_add(&graph, 1, tf_node_of("less", "Neg", "s", NULL), FLOAT);
  flow_add(&graph, 1, tf_node_of("y", "Merge", "less", "twice"), FLOAT);
  return graph;
}

// The branch is all that is told, and not the If whose branch has failed.
TEST(tf_what_fails_in_a_branch_is_told_once) {
  weft_env *e;
  weft_graph *g = NULL;
  weft_diag d = {0};
  CHECK(!weft_env_create(NULL, &e, &d));
  const tf_made_bytes b = flow_if_graph_of("MatMul");  // of vectors
  CHECK_INT(weft_model_read(e, b.v, b.n, "f.pb", &g, &d), WEFT_E_SHAPE);
  CHECK_HAS(d.text, "in node 'twice' (MatMul) of f.pb");
  CHECK(!strstr(d.text, "problems in the model") && !strstr(d.text, "sub-graph"));
  weft_env_destroy(e);
}

// What the graph gives for x, and c where it has one.
static void flow_run(const tf_made_bytes *b, int32_t c, const float x[2], weft_tensor *to) {
  weft_env *e;
  weft_graph *g = NULL;
  weft_program *p = NULL;
  weft_exec *run = NULL;
  weft_diag d = {0};
  const weft_dim dims[1] = {2};
  weft_tensor in[2];
  CHECK(!weft_env_create(NULL, &e, &d));
  CHECK_INT(weft_model_read(e, b->v, b->n, "f.pb", &g, &d), WEFT_OK);
  size_t n = weft_graph_n_inputs(g);
  CHECK_INT(weft_compile(g, NULL, &p, &d), WEFT_OK);
  CHECK_INT(weft_exec_create(p, NULL, &run, &d), WEFT_OK);
  weft_tensor_init(&in[0], NULL);
  weft_tensor_init(&in[1], NULL);
  CHECK_INT(weft_tensor_borrow(&in[0], WEFT_INT32, dims, 0, &c, sizeof c, &d), WEFT_OK);
  CHECK_INT(weft_tensor_borrow(&in[1], WEFT_FLOAT, dims, 1, (void *)(uintptr_t)x, 2 * sizeof *x, &d),
            WEFT_OK);
  const weft_tensor *given[2] = {&in[2 - n], &in[1]};
  CHECK_INT(weft_exec_run(run, given, n, (weft_tensor *[]){to}, 1, &d), WEFT_OK);
  weft_tensor_deinit(&in[0]);
  weft_tensor_deinit(&in[1]);
  weft_exec_destroy(run);
  weft_program_release(p);
  weft_env_destroy(e);
}

TEST(tf_while_fills_a_list_whose_items_only_it_knows) {
  static const float x[2] = {1, -3};
  static const float expected[6] = {1, -3, 2, -6, 4, -12};
  const tf_made_bytes b = flow_while_graph();
  weft_tensor y;
  weft_tensor_init(&y, NULL);
  flow_run(&b, 0, x, &y);
  CHECK_INT(weft_tensor_elems(&y), 6);
  CHECK(!memcmp(y.data, expected, sizeof expected));
  weft_tensor_deinit(&y);
}

TEST(tf_if_and_switch_choose) {
  static const float x[2] = {1, -3};
  const tf_made_bytes graphs[2] = {flow_if_graph(), flow_switch_graph()};
  for (size_t i = 0; i < 2; i++) {
    for (int32_t c = 0; c < 3; c++) {
      weft_tensor y;
      weft_tensor_init(&y, NULL);
      flow_run(&graphs[i], c, x, &y);
      CHECK(((const float *)y.data)[1] == (c ? -6 : 3));
      weft_tensor_deinit(&y);
    }
  }
}

// A node whose operator is the name of a function calls it; results are told by their names.
static tf_made_bytes flow_named_graph(void) {
  static const char *const args[] = {"x"};
  static const char *const pair[] = {"neg:y:0", "twice:z:0"};
  static const char *const second[] = {"both:r1:0"};
  tf_made_bytes graph = {.n = 0};
  tf_made_bytes library = {.n = 0};
  tf_made_bytes inner = flow_function("inner", args, 1, pair, 2);
  flow_add(&inner, 3, tf_node_of("neg", "Neg", "x", NULL), FLOAT);
  flow_add(&inner, 3, tf_node_of("twice", "AddV2", "x", "x"), FLOAT);
  tf_put_message(&library, 1, &inner);
  tf_made_bytes outer = flow_function("outer", args, 1, second, 1);
  flow_add(&outer, 3, tf_node_of("both", "inner", "x", NULL), 0);
  tf_put_message(&library, 1, &outer);
  flow_add(&graph, 1, flow_floats("x"), 0);
  flow_add(&graph, 1, tf_node_of("y", "outer", "x", NULL), 0);
  tf_put_message(&graph, 2, &library);
  return graph;
}

TEST(tf_function_called_by_its_name) {
  static const float x[2] = {1, -3};
  const tf_made_bytes b = flow_named_graph();
  weft_tensor y;
  weft_tensor_init(&y, NULL);
  flow_run(&b, 0, x, &y);
  CHECK(((const float *)y.data)[0] == 2 && ((const float *)y.data)[1] == -6);
  weft_tensor_deinit(&y);
}

// y = OP(c, x, h), whose branches write x to the variable h.
static tf_made_bytes flow_writing_node(const char *op, const char *c, const char *h) {
  tf_made_bytes node = tf_node_of("y", op, c, "x");
  tf_made_bytes branches = {.n = 0};
  tf_made_bytes branch = {.n = 0};
  tf_put_text(&node, 3, h);
  if (strcmp(op, "Case")) {
    tf_put_function(&node, "then_branch", "writes");
    tf_put_function(&node, "else_branch", "writes");
    return node;
  }
  tf_put_text(&branch, 1, "writes");
  tf_put_message(&branches, 9, &branch);
  tf_put_message(&branches, 9, &branch);
  tf_put_value(&node, "branches", 1, &branches);
  return node;
}

// Such a node in the main graph, or in a function that it calls.
static tf_made_bytes flow_writing_graph(const char *op, bool called) {
  static const char *const args[] = {"x", "h"};
  static const char *const outer_args[] = {"c", "x", "h"};
  static const char *const from[] = {"x"};
  static const char *const outer_from[] = {"y:output:0"};
  tf_made_bytes graph = {.n = 0};
  tf_made_bytes library = {.n = 0};
  tf_made_bytes writes = flow_function("writes", args, 2, from, 1);
  flow_add(&writes, 3, tf_node_of("set", "AssignVariableOp", "h", "x"), 0);
  tf_put_message(&library, 1, &writes);
  flow_number(&graph, 1, "c", 1);
  flow_add(&graph, 1, flow_floats("x"), 0);
  flow_add(&graph, 1, tf_node_of("h", "VarHandleOp", NULL, NULL), 0);
  if (called) {
    tf_made_bytes outer = flow_function("outer", outer_args, 3, outer_from, 1);
    flow_add(&outer, 3, flow_writing_node(op, "c", "h"), 0);
    tf_put_message(&library, 1, &outer);
    tf_made_bytes call = tf_node_of("call", "StatefulPartitionedCall", "c", "x");
    tf_put_text(&call, 3, "h");
    tf_put_function(&call, "f", "outer");
    flow_add(&graph, 1, call, 0);
  } else
    flow_add(&graph, 1, flow_writing_node(op, "c", "h"), 0);
  tf_put_message(&graph, 2, &library);
  return graph;
}

TEST(tf_branches_that_write) {
  static const char *const ops[] = {"If", "Case"};
  weft_env *e;
  CHECK(!weft_env_create(NULL, &e, NULL));
  for (size_t i = 0; i < 4; i++) {
    char expected[80];
    weft_graph *g = NULL;
    weft_diag d = {0};
    const tf_made_bytes b = flow_writing_graph(ops[i % 2], i >= 2);
    CHECK_INT(weft_model_read(e, b.v, b.n, "f.pb", &g, &d), WEFT_E_UNSUPPORTED);
    snprintf(expected, sizeof expected, "of node 'y' (%s), writes to a variable", ops[i % 2]);
    CHECK_HAS(d.text, expected);
    weft_diag_clear(&d);
  }
  weft_env_destroy(e);
}

TEST(tf_flow_every_allocation_failed_once) {
  const tf_made_bytes graphs[4] = {flow_while_graph(), flow_if_graph(), flow_switch_graph(),
                                   flow_named_graph()};
  for (size_t i = 0; i < 4; i++) {
    check_alloc count = {.fail_at = 0};
    weft_env_options o = {.size = sizeof o, .package_path = "", .allocator = check_allocator(&count)};
    weft_env *e;
    weft_diag d = {0};
    CHECK(!weft_env_create(&o, &e, &d));
    for (long k = 1;; k++) {
      weft_graph *g = NULL;
      weft_diag_clear(&d);
      count.fail_at = count.calls + k;
      const weft_status s = weft_model_read(e, graphs[i].v, graphs[i].n, "f.pb", &g, &d);
      const bool failed = count.calls >= count.fail_at;
      count.fail_at = 0;
      CHECK(s == WEFT_OK || (failed && s == WEFT_E_NOMEM));
      weft_graph_destroy(g);
      if (!failed)
        break;
    }
    weft_env_destroy(e);
    CHECK_INT(count.live_blocks, 0);
  }
}

// A negative place is none in OneHot here, and one from the end in ONNX: the written model says the same.
static weft_status flow_write(void *ctx, const char *data, size_t bytes) {
  tf_made_bytes *to = ctx;
  if (bytes > sizeof to->v - to->n)
    return WEFT_E_LIMIT;
  memcpy(to->v + to->n, data, bytes);
  to->n += bytes;
  return WEFT_OK;
}

TEST(tf_one_hot_of_a_negative_place_as_onnx) {
  static const char text[] =
      "graph \"g\" {\n"
      "  input x: i32[3]\n"
      "  const n: i32[]{2}\n"
      "  const on: f32[]{1}\n"
      "  const off: f32[]{0}\n"
      "  node y: OneHot(x, n, on, off) -> y\n"
      "  output y\n"
      "}\n";
  static const int32_t places[3] = {-1, 1, 2};
  static const float expected[6] = {0, 0, 0, 1, 0, 0};
  const weft_dim dims[1] = {3};
  tf_made_bytes file = {.n = 0};
  weft_env *e;
  weft_graph *g = NULL;
  weft_program *p = NULL;
  weft_exec *run = NULL;
  weft_diag d = {0};
  weft_tensor x, y;
  CHECK(!weft_env_create(NULL, &e, &d));
  CHECK_INT(weft_graph_parse(e, text, sizeof text - 1, "g.txt", &g, &d), WEFT_OK);
  CHECK_INT(weft_graph_infer(g, NULL, NULL, &d), WEFT_OK);
  CHECK_INT(weft_onnx_write(g, flow_write, &file, &d), WEFT_OK);
  weft_graph_destroy(g);
  CHECK_INT(weft_onnx_read(e, file.v, file.n, "g.onnx", &g, &d), WEFT_OK);
  CHECK_INT(weft_compile(g, NULL, &p, &d), WEFT_OK);
  CHECK_INT(weft_exec_create(p, NULL, &run, &d), WEFT_OK);
  weft_tensor_init(&x, NULL);
  weft_tensor_init(&y, NULL);
  CHECK_INT(weft_tensor_borrow(&x, WEFT_INT32, dims, 1, (void *)(uintptr_t)places, sizeof places, &d),
            WEFT_OK);
  CHECK_INT(weft_exec_run(run, (const weft_tensor *[]){&x}, 1, (weft_tensor *[]){&y}, 1, &d), WEFT_OK);
  CHECK(!memcmp(y.data, expected, sizeof expected));
  weft_tensor_deinit(&x);
  weft_tensor_deinit(&y);
  weft_exec_destroy(run);
  weft_program_release(p);
  weft_env_destroy(e);
}

// Each byte changed: nothing is read beyond the bytes, and nothing is left behind.
TEST(tf_flow_changed) {
  weft_env *e;
  weft_diag d = {0};
  tf_made_bytes b = flow_while_graph();
  CHECK(!weft_env_create(NULL, &e, &d));
  for (size_t i = 0; i < b.n; i++) {
    weft_graph *g = NULL;
    const uint8_t was = b.v[i];
    b.v[i] ^= (uint8_t)(1u << (i % 8));
    weft_diag_clear(&d);
    const weft_status s = weft_model_read(e, b.v, b.n, "f.pb", &g, &d);
    CHECK(!s == (g != NULL));
    weft_graph_destroy(g);
    b.v[i] = was;
  }
  weft_diag_clear(&d);
  weft_env_destroy(e);
}
// SPDX-License-Identifier: Apache-2.0
