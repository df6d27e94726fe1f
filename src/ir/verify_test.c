// verify_test.c - the verifier: every violation is reported with its place, and a good graph has none.
#include "check.h"
#include "ir/ir.h"

static const weft_op op_rule = {
    WEFT_OP_HEAD, .name = "TRule", .in = WEFT_PORTS({"x"}, {"more", .kind = WEFT_DYNAMIC, .min_count = 1}),
    .out = WEFT_PORTS({"y"}), .attrs = WEFT_ATTRS({"axis", "Int", "1", "min 0"}, {"mode", "String", NULL})};

typedef struct fixture {
  weft_diag d;
  weft_env *e;
  weft_graph *g;
  weft_text seen;
  int n;
} fixture;

static bool start(fixture *f) {
  weft_env_options o = {.package_path = ""};
  memset(f, 0, sizeof *f);
  weft__text_init(&f->seen, NULL);
  if (!weft_env_create(&o, &f->e, &f->d) && !weft_register(f->e, &op_rule, 0, &f->d) &&
      !weft_graph_create(f->e, "g", &f->g, &f->d))
    return true;
  check_failed(__FILE__, __LINE__, "no graph: %s", f->d.text);
  return false;
}

static void finish(fixture *f) {
  weft_graph_destroy(f->g);
  weft_env_destroy(f->e);
  weft__text_deinit(&f->seen);
}

static void report(void *ctx, weft_status s, const char *text) {
  fixture *f = ctx;
  f->n++;
  weft__text_addf(&f->seen, "%s %s\n", weft_status_name(s), text);
}

// All violations, one a line.
static const char *violations(fixture *f) {
  f->seen.n = 0;
  f->n = 0;
  weft__text_add(&f->seen, "", 0);
  weft_diag_clear(&f->d);
  weft_status s = weft_graph_verify(f->g, report, f, &f->d);
  if ((s != WEFT_OK) != (f->n != 0))
    check_failed(__FILE__, __LINE__, "status %d with %d reports", s, f->n);
  return f->seen.v ? f->seen.v : "";
}

static weft_value *input(weft_graph *g, const char *name) {
  return weft_graph_input(g, name, WEFT_FLOAT, (weft_dim[]){4}, 1, NULL);
}

TEST(r216_r16_unconnected_inputs_and_missing_outputs) {
  fixture f;
  weft_node *add;
  weft_node *mul;
  if (!start(&f))
    return;
  CHECK_OK(weft_graph_add_node(f.g, "Add", &(weft_use){.name = "add_1"}, &add, &f.d), &f.d);
  CHECK_OK(weft_graph_add_node(f.g, "Mul", &(weft_use){.name = "mul_1"}, &mul, &f.d), &f.d);
  CHECK_OK(weft_graph_add_edge(f.g, add, 0, mul, 0, &f.d), &f.d);
  CHECK_STR(violations(&f),
            "E_MISSING graph 'g' has no output\n"
            "E_MISSING node 'add_1' (Add): input 'x1' is not connected\n"
            "E_MISSING node 'add_1' (Add): input 'x2' is not connected\n"
            "E_MISSING node 'mul_1' (Mul): input 'x2' is not connected\n");
  CHECK_STR(f.d.text, "graph 'g' has no output");
  weft_diag d = {0};
  CHECK_FAILS(weft_graph_verify(f.g, NULL, NULL, &d), WEFT_E_MISSING);  // without a report: the first
  CHECK_STR(d.text, "graph 'g' has no output");
  weft_value *x = input(f.g, "x");
  CHECK_OK(weft_node_connect(add, 0, x, &f.d), &f.d);
  CHECK_OK(weft_node_connect(add, 1, x, &f.d), &f.d);
  CHECK_OK(weft_node_connect(mul, 1, x, &f.d), &f.d);
  CHECK_OK(weft_graph_output(f.g, weft_node_out(mul, 0), &f.d), &f.d);
  CHECK_STR(violations(&f), "");
  CHECK_OK(weft_graph_verify(f.g, NULL, NULL, NULL), &f.d);
  finish(&f);
}

TEST(r112_r28_counts_and_attributes) {
  fixture f;
  weft_node *n;
  if (!start(&f))
    return;
  weft_value *x = input(f.g, "x");
  weft_named_attr mode = {"mode", weft_attr_str("m", 1)};
  weft_use use = {.name = "n", .attrs = &mode, .n_attrs = 1};
  CHECK_FAILS(weft_graph_add(f.g, "TRule", &use, &x, 1, &n, &f.d), WEFT_E_MISSING);  // no instance of 'more'
  CHECK_HAS(f.d.text, "'more'");
  weft_diag_clear(&f.d);
  CHECK_OK(weft_graph_add_node(f.g, "TRule", &use, &n, &f.d), &f.d);
  CHECK_OK(weft_graph_output(f.g, weft_node_out(n, 0), &f.d), &f.d);
  CHECK_OK(weft_node_connect(n, 0, x, &f.d), &f.d);
  CHECK_STR(violations(&f), "E_MISSING node 'n' (TRule): input 'more[0]' is not connected\n");
  CHECK_OK(weft_node_connect(n, 1, x, &f.d), &f.d);
  // What no function of the library lets happen.
  const weft_attr **attr = (const weft_attr **)n->desc.pub.attr;
  weft_attr bad = weft_attr_int(-3);
  attr[0] = &bad;
  attr[1] = NULL;
  ((weft_port_span *)n->desc.pub.in_port)[1].count = 0;
  CHECK_HAS(violations(&f),
            "E_MISSING node 'n' (TRule): input 'more' has 0 instances, at least 1 expected\n");
  CHECK_HAS(violations(&f), "E_RANGE node 'n' (TRule): axis must >= 0, got -3\n");
  CHECK_HAS(violations(&f), "E_MISSING node 'n' (TRule): attribute 'mode' is missing\n");
  CHECK_INT(f.n, 3);
  finish(&f);
}

TEST(order_of_data_and_control) {
  fixture f;
  weft_node *a;
  weft_node *b;
  if (!start(&f))
    return;
  weft_value *x = input(f.g, "x");
  CHECK_OK(weft_graph_add(f.g, "Relu", &(weft_use){.name = "a"}, &x, 1, &a, &f.d), &f.d);
  CHECK_OK(weft_graph_add(f.g, "Relu", &(weft_use){.name = "b"}, &x, 1, &b, &f.d), &f.d);
  CHECK_OK(weft_graph_output(f.g, weft_node_out(a, 0), &f.d), &f.d);
  CHECK_OK(weft_node_set_in(a, 0, weft_node_out(b, 0), &f.d), &f.d);
  CHECK_OK(weft_graph_add_control(f.g, b, a, &f.d), &f.d);
  CHECK_STR(violations(&f),
            "E_STATE node 'a' (Relu): input 'x': value 'b' is made by a node behind this one: the graph is "
            "not sorted\n"
            "E_STATE node 'a' (Relu): waits for node 'b' (Relu), which stands behind it: the graph is not "
            "sorted\n");
  CHECK_OK(weft_graph_sort(f.g, &f.d), &f.d);
  CHECK_STR(violations(&f), "");
  finish(&f);
}

TEST(sub_graph_arities) {
  fixture f;
  weft_node *n;
  weft_graph *g;
  if (!start(&f))
    return;
  weft_value *x = input(f.g, "x");
  CHECK_OK(
      weft_graph_add(f.g, "While", &(weft_use){.name = "w", .out_counts = (uint32_t[]){1}}, &x, 1, &n, &f.d),
      &f.d);
  CHECK_OK(weft_graph_output(f.g, weft_node_out(n, 0), &f.d), &f.d);
  CHECK_STR(violations(&f),
            "E_MISSING node 'w' (While): sub-graph 'cond' is missing\n"
            "E_MISSING node 'w' (While): sub-graph 'body' is missing\n");
  CHECK_OK(weft_node_add_graph(n, 1, "b", &g, &f.d), &f.d);
  CHECK_STR(violations(&f),
            "E_MISSING node 'w' (While): sub-graph 'cond' is missing\n"
            "E_INVALID node 'w' (While): sub-graph 'body' ('b') has 0 inputs, 1 expected\n"
            "E_INVALID node 'w' (While): sub-graph 'body' ('b') has 0 outputs, 1 expected\n");
  weft_value *in = input(g, "i");
  CHECK_OK(weft_graph_output(g, in, &f.d), &f.d);
  weft_node *inner;
  CHECK_OK(weft_graph_add_node(g, "Relu", &(weft_use){.name = "r"}, &inner, &f.d), &f.d);
  CHECK_OK(weft_node_add_graph(n, 0, "c", &g, &f.d), &f.d);
  in = input(g, "i");
  CHECK_OK(weft_graph_output(g, in, &f.d), &f.d);
  CHECK_OK(weft_graph_output(g, in, &f.d), &f.d);
  CHECK_STR(violations(&f),
            "E_INVALID node 'w' (While): sub-graph 'cond' ('c') has 2 outputs, 1 expected\n"
            "E_MISSING graph 'b' of node 'w': node 'r' (Relu): input 'x' is not connected\n");
  weft_diag d = {0};
  CHECK_FAILS(weft_graph_verify(weft_node_graph_at(n, 1), NULL, NULL, &d), WEFT_E_MISSING);
  CHECK_STR(d.text, "graph 'b' of node 'w': node 'r' (Relu): input 'x' is not connected");
  finish(&f);
}

TEST(damaged_links_are_found) {
  fixture f;
  weft_node *a;
  weft_node *b;
  if (!start(&f))
    return;
  weft_value *x = input(f.g, "x");
  CHECK_OK(weft_graph_add(f.g, "Relu", &(weft_use){.name = "a"}, &x, 1, &a, &f.d), &f.d);
  CHECK_OK(weft_graph_add(f.g, "Relu", &(weft_use){.name = "b"}, &x, 1, &b, &f.d), &f.d);
  CHECK_OK(weft_graph_output(f.g, weft_node_out(b, 0), &f.d), &f.d);
  CHECK_STR(violations(&f), "");
  weft_use_link *first = x->uses;
  x->uses = first->next;
  CHECK_HAS(violations(&f), "value 'x' does not list this use");
  x->uses = first;
  a->out[0].index = 3;
  CHECK_STR(violations(&f), "E_CORRUPT node 'a' (Relu): output 0 does not know its node\n");
  a->out[0].index = 0;
  b->pos = a->pos;
  CHECK_HAS(violations(&f), "the list of nodes is damaged");
  b->pos = a->pos + 1;
  f.g->n_nodes = 5;
  CHECK_STR(violations(&f), "E_CORRUPT graph 'g' has 2 nodes in its list, 5 expected\n");
  f.g->n_nodes = 2;
  const char *name = x->name;
  x->name = "y";
  CHECK_HAS(violations(&f), "E_DUPLICATE value 'y'");
  x->name = name;
  CHECK_STR(violations(&f), "");
  finish(&f);
}
// SPDX-License-Identifier: Apache-2.0
