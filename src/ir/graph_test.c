// graph_test.c - building and reading graphs: inputs, constants, nodes, names, edges, sub-graphs, failing
// allocations.
#include "check.h"
#include "ir/ir.h"

static const weft_op op_bias = {
    WEFT_OP_HEAD, .name = "TBias", .in = WEFT_PORTS({"x"}, {"b", .kind = WEFT_OPTIONAL}, {"w"}),
    .out = WEFT_PORTS({"y"}), .attrs = WEFT_ATTRS({"axis", "Int", "1", "min 0"}, {"mode", "String", NULL})};
static const weft_op op_split = {WEFT_OP_HEAD, .name = "TSplit", .in = WEFT_PORTS({"x"}),
                                 .out = WEFT_PORTS({"y", .kind = WEFT_DYNAMIC})};

static weft_env *make_env(check_alloc *c) {
  weft_env_options o = {.package_path = ""};
  weft_env *e = NULL;
  if (c)
    o.allocator = check_allocator(c);
  weft_diag d = {0};
  if (weft_env_create(&o, &e, &d) || weft_register(e, &op_bias, 0, &d) || weft_register(e, &op_split, 0, &d))
    check_failed(__FILE__, __LINE__, "no environment: %s", d.text);
  return e;
}

static weft_value *input(weft_graph *g, const char *name) {
  weft_diag d = {0};
  weft_value *v = weft_graph_input(g, name, WEFT_FLOAT, (weft_dim[]){-1, 4}, 2, &d);
  if (!v)
    check_failed(__FILE__, __LINE__, "input '%s': %s", name, d.text);
  return v;
}

TEST(r214_sample_graph) {
  weft_diag d = {0};
  weft_env *e = make_env(NULL);
  weft_graph *g;
  weft_node *add;
  weft_node *mul;
  CHECK_OK(weft_graph_create(e, "sample_graph", &g, &d), &d);
  CHECK_OK(weft_graph_add_node(g, "Add", &(weft_use){.name = "add_1"}, &add, &d), &d);
  CHECK_OK(weft_graph_add_node(g, "Mul", &(weft_use){.name = "mul_1"}, &mul, &d), &d);
  CHECK_OK(weft_graph_add_edge(g, add, 0, mul, 0, &d), &d);
  CHECK_INT(weft_graph_n_nodes(g), 2);
  CHECK_STR(weft_graph_name(g), "sample_graph");
  CHECK(weft_graph_env(g) == e && weft_graph_symbols(g));
  CHECK(weft_node_in(mul, 0) == weft_node_out(add, 0) && !weft_node_in(mul, 1) && !weft_node_in(mul, 2));
  CHECK(weft_graph_first(g) == add && weft_node_next(add) == mul && !weft_node_next(mul));
  CHECK(weft_graph_find_node(g, "mul_1") == mul && !weft_graph_find_node(g, "mul"));
  CHECK(weft_node_proto(add) == weft_find(e, "Add") && weft_node_graph(add) == g);
  CHECK_STR(weft_node_type(add), "Add");
  CHECK_INT(weft_node_desc(add)->n_in, 2);
  uint32_t at = 7;
  CHECK(weft_value_node(weft_node_out(add, 0), &at) == add && at == 0);
  CHECK_INT(weft_value_n_uses(weft_node_out(add, 0)), 1);
  CHECK_STR(weft_value_name(weft_node_out(add, 0)), "add_1");
  CHECK_INT(weft_value_origin(weft_node_out(add, 0)), WEFT_VALUE_NODE);
  weft_graph_destroy(g);
  weft_env_destroy(e);
}

TEST(r215_edges_are_checked) {
  weft_diag d = {0};
  weft_env *e = make_env(NULL);
  weft_graph *g;
  weft_graph *other;
  weft_node *add;
  weft_node *mul;
  CHECK_OK(weft_graph_create(e, "g", &g, &d), &d);
  CHECK_OK(weft_graph_create(e, "other", &other, &d), &d);
  CHECK_OK(weft_graph_add_node(g, "Add", &(weft_use){.name = "add_1"}, &add, &d), &d);
  CHECK_OK(weft_graph_add_node(g, "Mul", &(weft_use){.name = "mul_1"}, &mul, &d), &d);
  CHECK_OK(weft_graph_add_edge(g, add, 0, mul, 0, &d), &d);
  CHECK_FAILS(weft_graph_add_edge(g, add, 0, mul, 5, &d), WEFT_E_RANGE);
  CHECK_HAS(d.text, "node 'mul_1' (Mul): input 5 does not exist: it has 2");
  weft_diag_clear(&d);
  CHECK_FAILS(weft_graph_add_edge(g, add, 1, mul, 1, &d), WEFT_E_RANGE);
  CHECK_HAS(d.text, "output 1 does not exist: it has 1");
  weft_diag_clear(&d);
  CHECK_FAILS(weft_graph_add_edge(g, add, 0, mul, 0, &d), WEFT_E_EXISTS);
  CHECK_HAS(d.text, "input 'x1' is connected to value 'add_1' already");
  weft_diag_clear(&d);
  CHECK_FAILS(weft_graph_add_edge(g, mul, 0, add, 1, &d), WEFT_E_CYCLE);
  CHECK_HAS(d.text, "'add_1'");
  CHECK_HAS(d.text, "'mul_1'");
  CHECK(!weft_node_in(add, 1));
  CHECK_INT(weft_value_n_uses(weft_node_out(mul, 0)), 0);
  CHECK_FAILS(weft_graph_add_edge(g, add, 0, add, 0, NULL), WEFT_E_CYCLE);
  CHECK_FAILS(weft_graph_add_edge(other, add, 0, mul, 1, NULL), WEFT_E_INVALID);
  CHECK_FAILS(weft_node_connect(add, 0, NULL, NULL), WEFT_E_INVALID);
  weft_diag_clear(&d);
  CHECK_FAILS(weft_node_connect(add, 0, input(other, "x"), &d), WEFT_E_INVALID);
  CHECK_HAS(d.text, "belongs to graph 'other', the node to 'g'");
  CHECK_FAILS(weft_graph_output(g, weft_graph_find_value(other, "x"), NULL), WEFT_E_INVALID);
  CHECK_FAILS(weft_graph_output(g, NULL, NULL), WEFT_E_INVALID);
  weft_graph_destroy(other);
  weft_graph_destroy(g);
  weft_env_destroy(e);
}

TEST(r217_r334_names_are_unique_and_utf8) {
  weft_diag d = {0};
  weft_env *e = make_env(NULL);
  weft_graph *g;
  weft_value *y;
  weft_node *n;
  CHECK_OK(weft_graph_create(e, "图", &g, &d), &d);
  weft_value *x = input(g, "算子");
  CHECK_STR(weft_value_name(x), "算子");
  CHECK(weft_graph_find_value(g, "算子") == x);
  CHECK_OK(weft_graph_op1(g, "Relu", "add_1", &x, 1, &y, &d), &d);
  CHECK_FAILS(weft_graph_op1(g, "Add", "add_1", (weft_value *[]){x, y}, 2, &y, &d), WEFT_E_DUPLICATE);
  CHECK_HAS(d.text, "graph '图': node 1 'add_1' (Add): the name is that of node 0 (Relu) already");
  weft_diag_clear(&d);
  CHECK(!weft_graph_input(g, "add_1", WEFT_FLOAT, NULL, 0, &d));
  CHECK_INT(d.status, WEFT_E_DUPLICATE);
  CHECK_HAS(
      d.text,
      "a graph input cannot have the name 'add_1': it is that of output 0 of node 'add_1' (Relu) already");
  // Node names and value names are two name spaces; the output then has another name.
  weft_diag_clear(&d);
  CHECK_OK(weft_graph_op1(g, "Relu", "算子", &x, 1, &y, &d), &d);
  CHECK_STR(weft_value_name(y), "算子:0");
  CHECK_OK(weft_graph_add(g, "Relu", NULL, &y, 1, &n, &d), &d);
  CHECK_STR(weft_node_name(n), "Relu_0");
  CHECK_OK(weft_graph_add(g, "Relu", &(weft_use){.name = ""}, &y, 1, &n, &d), &d);
  CHECK_STR(weft_node_name(n), "Relu_1");
  CHECK_OK(weft__value_rename(y, "结果", &d), &d);
  CHECK(weft_graph_find_value(g, "结果") == y && !weft_graph_find_value(g, "算子:0"));
  CHECK_FAILS(weft__value_rename(y, "算子", &d), WEFT_E_DUPLICATE);
  CHECK_HAS(d.text, "graph input 0");
  CHECK_FAILS(weft__value_rename(y, "", NULL), WEFT_E_INVALID);
  CHECK_STR(weft_value_name(y), "结果");
  weft_graph_destroy(g);
  weft_env_destroy(e);
}

TEST(r220_inputs_and_outputs) {
  weft_diag d = {0};
  weft_env *e = make_env(NULL);
  weft_graph *g;
  CHECK_OK(weft_graph_create(e, "g", &g, &d), &d);
  weft_dim n = weft_dim_symbol(weft_graph_symbols(g), "N", 1, 1, -1);
  weft_tensor_desc desc;
  weft_value *x = weft_graph_input(g, "x", WEFT_FLOAT16, (weft_dim[]){n, -1, 3}, 3, &d);
  weft_value *any = weft_graph_input(g, NULL, WEFT_INT32, NULL, WEFT_RANK_UNSET, &d);
  weft_value *scalar = weft_graph_input(g, "s", WEFT_FLOAT, NULL, 0, &d);
  weft_value *gert = weft_graph_input(g, "r", WEFT_FLOAT, (weft_dim[]){WEFT_DIM_UNKNOWN_RANK}, 1, &d);
  CHECK(x && any && scalar && gert);
  CHECK_STR(weft_value_name(any), "input_0");
  weft_value_desc(x, &desc);
  CHECK_INT(desc.dtype, WEFT_FLOAT16);
  CHECK(desc.layout.origin.rank == 3 && desc.layout.origin.dim[0] == n && desc.layout.origin.dim[1] == -1);
  CHECK(weft_shape_equal(&desc.layout.origin, &desc.layout.storage) && desc.format == WEFT_ND &&
        !desc.has_range);
  weft_value_desc(any, &desc);
  CHECK(weft_shape_is_unknown_rank(&desc.layout.origin));
  weft_value_desc(gert, &desc);
  CHECK(weft_shape_is_unknown_rank(&desc.layout.origin));
  weft_value_desc(scalar, &desc);
  CHECK_INT(desc.layout.origin.rank, 0);
  CHECK_INT(weft_value_dtype(scalar), WEFT_FLOAT);
  CHECK_OK(weft_graph_output(g, x, &d), &d);
  CHECK_OK(weft_graph_output(g, x, &d), &d);
  CHECK_INT(weft_graph_n_inputs(g), 4);
  CHECK_INT(weft_graph_n_outputs(g), 2);
  CHECK(weft_graph_output_at(g, 1) == x && !weft_graph_output_at(g, 2));
  CHECK(weft_graph_input_at(g, 1) == any && !weft_graph_input_at(g, 4));
  CHECK_INT(weft_value_n_uses(x), 2);
  CHECK_INT(weft_value_origin(x), WEFT_VALUE_INPUT);
  CHECK(!weft_value_node(x, NULL) && !weft_value_data(x));
  weft_graph_destroy(g);
  weft_graph_destroy(NULL);
  weft_env_destroy(e);
}

static void refused(weft_graph *g, weft_dtype t, const weft_dim *dims, size_t rank, weft_status s,
                    const char *text) {
  weft_diag d = {0};
  size_t before = weft_graph_n_inputs(g);
  CHECK(!weft_graph_input(g, "bad", t, dims, rank, &d));
  CHECK_INT(d.status, s);
  CHECK_HAS(d.text, text);
  CHECK(weft_graph_n_inputs(g) == before && !weft_graph_find_value(g, "bad"));
}

TEST(bad_inputs_are_refused) {
  weft_diag d = {0};
  weft_env *e = make_env(NULL);
  weft_graph *g;
  weft_dim many[26] = {0};
  CHECK_OK(weft_graph_create(e, "g", &g, &d), &d);
  refused(g, WEFT_FLOAT, (weft_dim[]){4, -7}, 2, WEFT_E_INVALID,
          "input 'bad': the origin shape's dim 1 is -7");
  refused(g, WEFT_FLOAT, (weft_dim[]){4, -2}, 2, WEFT_E_INVALID, "dim 1 is -2");
  refused(g, WEFT_FLOAT, (weft_dim[]){INT64_MIN}, 1, WEFT_E_INVALID, "dim 0 is -9223372036854775808");
  refused(g, WEFT_FLOAT, (weft_dim[]){WEFT_DIM_SYMBOL_LIMIT - 9}, 1, WEFT_E_INVALID, "a symbol of the graph");
  refused(g, WEFT_FLOAT, many, 26, WEFT_E_LIMIT, "rank 26 is over the limit of 25");
  refused(g, (weft_dtype)251, many, 1, WEFT_E_DTYPE, "251 is not a dtype");
  weft_tensor_desc desc;
  weft_desc_init(&desc);
  desc.has_range = 1;
  weft_shape_set_scalar(&desc.min);
  weft_shape_set_scalar(&desc.max);
  CHECK(!weft_shape_init(&desc.layout.origin, (weft_dim[]){-1}, 1));
  CHECK(!weft_graph_input_desc(g, "bad", &desc, &d));
  CHECK_INT(d.status, WEFT_E_SHAPE);
  CHECK(!weft_shape_init(&desc.min, (weft_dim[]){5}, 1) && !weft_shape_init(&desc.max, (weft_dim[]){4}, 1));
  weft_diag_clear(&d);
  CHECK(!weft_graph_input_desc(g, "bad", &desc, &d));
  CHECK_HAS(d.text, "the range of dim 0 is 5 to 4");
  desc.max.dim[0] = -1;
  desc.name = "ranged";
  weft_value *v = weft_graph_input_desc(g, NULL, &desc, NULL);
  CHECK(v != NULL);
  if (v)
    weft_value_desc(v, &desc);
  CHECK(v && desc.has_range && desc.min.dim[0] == 5 && desc.max.dim[0] == -1);
  CHECK_STR(desc.name, "ranged");
  weft_graph_destroy(g);
  weft_env_destroy(e);
}

TEST(input_description_keeps_storage) {
  weft_diag d = {0};
  weft_env *e = make_env(NULL);
  weft_graph *g;
  weft_tensor_desc desc;
  weft_tensor_desc got;
  CHECK_OK(weft_graph_create(e, "g", &g, &d), &d);
  CHECK_OK(weft_desc_set(&desc, WEFT_FLOAT16, WEFT_NCHW, (weft_dim[]){1, 20, 5, 6}, 4), &d);
  weft_desc_init(&desc);
  CHECK_OK(weft_desc_set(&desc, WEFT_FLOAT16, WEFT_NCHW, (weft_dim[]){1, 20, 5, 6}, 4), &d);
  desc.format = WEFT_NC1HWC0;
  weft_value *v =
      weft_graph_input_desc(g, "x", &desc, &d);  // storage left alone: it follows from the formats
  CHECK(v != NULL);
  if (!v)
    return;
  weft_value_desc(v, &got);
  CHECK_INT(got.layout.storage.rank, 5);
  CHECK_INT(got.layout.storage.dim[1], 2);
  CHECK(weft_shape_equal(&got.layout.origin, &desc.layout.origin));
  CHECK_OK(weft_shape_init(&desc.layout.storage, (weft_dim[]){1, 3, 5, 6, 8}, 5), &d);
  desc.placement = WEFT_ON_DEVICE;
  v = weft_graph_input_desc(g, "y", &desc, &d);
  CHECK(v != NULL);
  if (!v)
    return;
  weft_value_desc(v, &got);
  CHECK(weft_shape_equal(&got.layout.storage, &desc.layout.storage) && got.placement == WEFT_ON_DEVICE);
  weft_graph_destroy(g);
  weft_env_destroy(e);
}

TEST(constants_copy_or_borrow) {
  weft_diag d = {0};
  weft_env *e = make_env(NULL);
  weft_graph *g;
  weft_tensor t;
  weft_tensor_desc desc;
  float data[2] = {1, 2};
  CHECK_OK(weft_graph_create(e, "g", &g, &d), &d);
  weft_tensor_init(&t, NULL);
  CHECK_OK(weft_tensor_borrow(&t, WEFT_FLOAT, (weft_dim[]){2}, 1, data, sizeof data, &d), &d);
  weft_value *a = weft_graph_const(g, "a", &t, WEFT_CONST_COPY, &d);
  weft_value *b = weft_graph_const(g, "b", &t, WEFT_CONST_BORROW, &d);
  CHECK(a && b);
  data[0] = 7;
  CHECK_F64(weft_tensor_f32(weft_value_data(a))[0], 1, 0);
  CHECK(weft_value_data(b) == &t);
  weft_value_desc(a, &desc);
  CHECK(desc.dtype == WEFT_FLOAT && desc.layout.storage.rank == 1 && desc.layout.storage.dim[0] == 2);
  CHECK(!weft_graph_const(g, "a", &t, WEFT_CONST_COPY, &d));
  CHECK_HAS(d.text, "it is that of constant 0 already");
  weft_diag_clear(&d);
  weft_tensor empty;
  weft_tensor_init(&empty, NULL);
  CHECK(!weft_graph_const(g, "c", &empty, WEFT_CONST_COPY, &d));
  CHECK_HAS(d.text, "constant 'c': the tensor has no data");
  CHECK_INT(weft_graph_n_consts(g), 2);
  CHECK_OK(weft_graph_output(g, a, &d), &d);
  CHECK_FAILS(weft__const_remove(a, NULL), WEFT_E_STATE);
  weft_value *c = weft_graph_const(g, NULL, &t, WEFT_CONST_COPY, NULL);
  CHECK_OK(weft__const_remove(b, &d), &d);
  CHECK(weft_graph_const_at(g, 1) == c && c && c->index == 1 && !weft_graph_find_value(g, "b"));
  weft_graph_destroy(g);
  weft_tensor_deinit(&t);
  weft_env_destroy(e);
}

TEST(nodes_with_optional_and_dynamic_ports) {
  weft_diag d = {0};
  weft_env *e = make_env(NULL);
  weft_graph *g;
  weft_node *n;
  char text[32];
  CHECK_OK(weft_graph_create(e, "g", &g, &d), &d);
  weft_value *x = input(g, "x");
  weft_value *w = input(g, "w");
  weft_named_attr mode = {"mode", weft_attr_str("fast", 4)};
  weft_use use = {.name = "n", .attrs = &mode, .n_attrs = 1};
  CHECK_OK(weft_graph_add(g, "TBias", &use, (weft_value *[]){x, NULL, w}, 3, &n, &d), &d);
  CHECK_INT(weft_node_desc(n)->n_in, 2);
  CHECK_INT(weft_node_desc(n)->in_port[1].count, 0);
  CHECK(weft_node_in(n, 0) == x && weft_node_in(n, 1) == w);
  CHECK_STR(weft__node_in_text(n, 1, text, sizeof text), "w");
  CHECK_STR(weft_node_attr(n, "mode")->u.s, "fast");
  CHECK_INT(weft_node_attr(n, "axis")->u.i, 1);
  CHECK(!weft_node_attr(n, "none"));
  // With counts, NULL is an instance that is connected later.
  use.name = "m";
  use.in_counts = (uint32_t[]){1, 1, 1};
  CHECK_OK(weft_graph_add(g, "TBias", &use, (weft_value *[]){x, NULL, w}, 3, &n, &d), &d);
  CHECK(weft_node_desc(n)->n_in == 3 && !weft_node_in(n, 1) && weft_node_in(n, 2) == w);
  CHECK_OK(
      weft_graph_add(g, "TSplit", &(weft_use){.name = "s", .out_counts = (uint32_t[]){3}}, &x, 1, &n, &d),
      &d);
  CHECK_INT(weft_node_desc(n)->n_out, 3);
  CHECK_STR(weft_value_name(weft_node_out(n, 2)), "s:2");
  CHECK(!weft_node_out(n, 3));
  weft_named_attr three = {"N", weft_attr_int(3)};
  use = (weft_use){.name = "a", .attrs = &three, .n_attrs = 1};
  CHECK_OK(weft_graph_add(g, "AddN", &use, (weft_value *[]){x, w, x}, 3, &n, &d), &d);
  CHECK_STR(weft__node_in_text(n, 2, text, sizeof text), "x[2]");
  CHECK_INT(weft_value_n_uses(x), 5);
  weft_graph_destroy(g);
  weft_env_destroy(e);
}

// A node that cannot be added leaves no trace: no node, no name, no use.
static void add_fails(weft_graph *g, const char *type, const weft_use *use, weft_value *const *in,
                      size_t n_in, weft_status s, const char *text) {
  weft_diag d = {0};
  weft_node *n = NULL;
  size_t nodes = weft_graph_n_nodes(g);
  size_t names = g->value_names.n;
  size_t uses = weft_value_n_uses(g->inputs.v[0]);
  uint32_t made = g->name_count;
  uint32_t ids = g->root->n_value_ids;
  CHECK_FAILS(weft_graph_add(g, type, use, in, n_in, &n, &d), s);
  CHECK_HAS(d.text, text);
  CHECK(!n && weft_graph_n_nodes(g) == nodes && g->value_names.n == names && g->name_count == made);
  CHECK(weft_value_n_uses(g->inputs.v[0]) == uses && g->root->n_value_ids == ids);
}

TEST(r28_bad_nodes_leave_the_graph_unchanged) {
  weft_diag d = {0};
  weft_env *e = make_env(NULL);
  weft_graph *g;
  weft_value *y;
  CHECK_OK(weft_graph_create(e, "g", &g, &d), &d);
  weft_value *x = input(g, "x");
  weft_value *three[] = {x, x, x};
  weft_named_attr mode = {"mode", weft_attr_str("fast", 4)};
  weft_named_attr odd = {"odd", weft_attr_int(1)};
  weft_named_attr wrong[] = {mode, {"axis", weft_attr_int(-3)}};
  add_fails(g, "Nonsense", NULL, &x, 1, WEFT_E_NOT_FOUND, "Nonsense");
  add_fails(g, "TBias", NULL, three, 3, WEFT_E_MISSING, "attribute 'mode'");
  add_fails(g, "TBias", &(weft_use){.name = "n"}, three, 3, WEFT_E_MISSING, "'n' (TBias)");
  add_fails(g, "TBias", &(weft_use){.attrs = &odd, .n_attrs = 1}, three, 3, WEFT_E_NOT_FOUND,
            "attribute 'odd'");
  add_fails(g, "TBias", &(weft_use){.attrs = wrong, .n_attrs = 2}, three, 3, WEFT_E_RANGE, "axis");
  add_fails(g, "TBias", &(weft_use){.attrs = &mode, .n_attrs = 1}, (weft_value *[]){x, x, NULL}, 3,
            WEFT_E_MISSING, "'w'");
  add_fails(g, "Relu", NULL, three, 3, WEFT_E_INVALID, "3");
  add_fails(g, "Add", NULL, &x, 1, WEFT_E_MISSING, "x2");
  add_fails(g, "TSplit", &(weft_use){.out_counts = (uint32_t[]){1u << 30}}, &x, 1, WEFT_E_INVALID,
            "1073741824");
  CHECK_FAILS(weft_graph_op1(g, "Split", "s", &x, 1, &y, &d), WEFT_E_MISSING);
  CHECK_FAILS(weft_graph_op1(g, "TopKV2", "s", three, 2, &y, NULL), WEFT_E_INVALID);
  weft_graph_destroy(g);
  weft_env_destroy(e);
}

TEST(made_names_avoid_given_ones) {
  weft_diag d = {0};
  weft_env *e = make_env(NULL);
  weft_graph *g;
  weft_node *n;
  CHECK_OK(weft_graph_create(e, NULL, &g, &d), &d);
  weft_value *x = input(g, "s:1");
  input(g, "s:1_0");
  CHECK_OK(
      weft_graph_add(g, "TSplit", &(weft_use){.name = "s", .out_counts = (uint32_t[]){2}}, &x, 1, &n, &d),
      &d);
  CHECK_STR(weft_value_name(weft_node_out(n, 0)), "s:0");
  CHECK_STR(weft_value_name(weft_node_out(n, 1)), "s:1_1");
  CHECK_OK(weft_graph_add(g, "Relu", &(weft_use){.name = "Relu_2"}, &x, 1, &n, &d), &d);
  CHECK_OK(weft_graph_add(g, "Relu", NULL, &x, 1, &n, &d), &d);
  CHECK_STR(weft_node_name(n), "Relu_3");
  weft_graph_destroy(g);
  weft_env_destroy(e);
}

TEST(sub_graphs_nest_and_share_the_root) {
  weft_diag d = {0};
  check_alloc c = {0};
  weft_env *e = make_env(&c);
  weft_graph *g;
  weft_graph *then_g;
  weft_graph *else_g;
  weft_graph *at;
  weft_node *n;
  CHECK_OK(weft_graph_create(e, "g", &g, &d), &d);
  CHECK_OK(weft_graph_add_node(g, "If", &(weft_use){.name = "if_1"}, &n, &d), &d);
  CHECK_OK(weft_node_add_graph(n, 1, NULL, &else_g, &d), &d);
  CHECK_OK(weft_node_add_graph(n, 0, "t", &then_g, &d), &d);
  CHECK_INT(weft_node_n_graphs(n), 2);
  CHECK(weft_node_graph_at(n, 0) == then_g && weft_node_graph_at(n, 1) == else_g &&
        !weft_node_graph_at(n, 2));
  CHECK_STR(weft_graph_name(else_g), "else_branch");
  CHECK_STR(weft_node_graph_slot(n, 0), "then_branch");
  CHECK(!weft_node_graph_slot(n, 2));
  CHECK(weft_graph_symbols(then_g) == weft_graph_symbols(g) && weft_graph_env(then_g) == e);
  CHECK_FAILS(weft_node_add_graph(n, 0, "t", &at, &d), WEFT_E_EXISTS);
  CHECK_HAS(d.text, "sub-graph 'then_branch' exists already: graph 't'");
  CHECK_FAILS(weft_node_add_graph(n, 2, "t", &at, NULL), WEFT_E_RANGE);
  CHECK(input(g, "x")->id != input(then_g, "x")->id);  // names are those of one graph
  CHECK_INT(g->root->n_value_ids, 3);
  weft_graph_destroy(then_g);  // belongs to its root: nothing happens
  CHECK_OK(weft_graph_add_node(g, "Case", NULL, &n, &d), &d);
  for (int i = 0; i < 9; i++)
    CHECK_OK(weft_node_add_graph(n, 0, "b", &at, &d), &d);
  CHECK(weft_node_n_graphs(n) == 9 && weft_node_graph_at(n, 8) == at);
  at = g;
  weft_status s = WEFT_OK;
  int depth = 0;
  for (; depth < 100; depth++) {
    s = weft_graph_add_node(at, "If", NULL, &n, NULL);
    if (!s)
      s = weft_node_add_graph(n, 0, "deep", &at, NULL);
    if (s)
      break;
  }
  CHECK_INT(s, WEFT_E_LIMIT);
  CHECK_INT(depth, 32);
  weft_graph_destroy(g);
  weft_env_destroy(e);
  CHECK_INT(c.live_blocks, 0);
}

TEST(r200_origins_and_kept_things) {
  weft_diag d = {0};
  weft_env *e = make_env(NULL);
  weft_graph *g;
  weft_node *n;
  char name[] = "conv/1";
  CHECK_OK(weft_graph_create(e, "g", &g, &d), &d);
  weft_value *x = input(g, "x");
  CHECK_OK(weft_graph_add(g, "Relu", NULL, &x, 1, &n, &d), &d);
  CHECK(!weft_node_origin(n));
  weft_named_attr a = {"alpha", weft_attr_float(0.5f)};
  CHECK_OK(weft_node_set_origin(n, &(weft_origin){"m.onnx", 12, name, "Relu", &a, 1}, &d), &d);
  name[0] = '?';
  const weft_origin *o = weft_node_origin(n);
  CHECK_STR(o->name, "conv/1");
  CHECK_STR(o->file, "m.onnx");
  CHECK(o->offset == 12 && o->n_attrs == 1 && o->attrs[0].value.u.f == 0.5f);
  CHECK_OK(weft_graph_add(g, "Relu", NULL, &x, 1, &n, &d), &d);
  CHECK_OK(weft_node_set_origin(n, &(weft_origin){.file = "m.onnx", .attrs = NULL, .n_attrs = 4}, &d), &d);
  CHECK(weft_node_origin(n)->file == o->file && !weft_node_origin(n)->n_attrs && !weft_node_origin(n)->name);
  weft_graph_destroy(g);
  weft_env_destroy(e);
}

static void drop_kept(void *ctx) {
  *(int *)ctx = *(int *)ctx * 10 + 1;
}
static void drop_other(void *ctx) {
  *(int *)ctx = *(int *)ctx * 10 + 2;
}

TEST(kept_things_are_dropped_last_first) {
  weft_diag d = {0};
  weft_env *e = make_env(NULL);
  weft_graph *g;
  int dropped = 0;
  CHECK_OK(weft_graph_create(e, "g", &g, &d), &d);
  CHECK_OK(weft_graph_keep(g, drop_kept, &dropped), &d);
  CHECK_OK(weft_graph_keep(g, drop_other, &dropped), &d);
  weft_graph_destroy(g);
  CHECK_INT(dropped, 21);
  weft_env_destroy(e);
}

TEST(facts_and_declarations) {
  weft_diag d = {0};
  weft_env *e = make_env(NULL);
  weft_graph *g;
  weft_value *y;
  weft_tensor_desc desc;
  CHECK_OK(weft_graph_create(e, "g", &g, &d), &d);
  weft_value *x = input(g, "x");
  CHECK_OK(weft_graph_op1(g, "Relu", "y", &x, 1, &y, &d), &d);
  weft_value_desc(y, &desc);
  CHECK(desc.dtype == WEFT_UNDEFINED && desc.layout.origin.rank == WEFT_RANK_UNSET && desc.format == WEFT_ND);
  CHECK_INT(weft_value_dtype(y), WEFT_UNDEFINED);
  weft_dim dims[3] = {2, 3, 4};
  weft_dim max[3] = {9, -1, 4};
  weft_fact f = {.dtype = WEFT_FLOAT,
                 .set = true,
                 .rank = 3,
                 .dims = dims,
                 .min = dims,
                 .max = max,
                 .elems = dims,
                 .n_elems = 3,
                 .format = WEFT_ND,
                 .origin_format = WEFT_ND};
  CHECK_OK(weft__value_set_fact(y, &f, &d), &d);
  const weft_dim *kept = y->fact.dims;
  dims[0] = 99;
  CHECK(y->fact.dims[0] == 2 && y->fact.elems[2] == 4);
  f.rank = 2;
  CHECK_OK(weft__value_set_fact(y, &f, &d), &d);
  CHECK(y->fact.dims == kept && kept[0] == 99);  // written over in place
  weft_value_desc(y, &desc);
  CHECK(desc.layout.origin.rank == 2 && desc.has_range && desc.max.dim[1] == -1);
  weft__value_clear_fact(y);
  CHECK(!y->fact.set);
  weft_desc_init(&desc);
  CHECK_OK(weft_desc_set(&desc, WEFT_INT8, WEFT_NHWC, (weft_dim[]){1, 2, 3, 4}, 4), &d);
  CHECK_OK(weft_value_declare(y, &desc, &d), &d);
  weft_tensor_desc got;
  weft__declared_desc(y->declared, "y", &got);
  desc.name = "y";
  CHECK(weft_desc_equal(&got, &desc));
  desc.kind = 200;
  CHECK_FAILS(weft_value_declare(y, &desc, &d), WEFT_E_INVALID);
  CHECK_HAS(d.text, "graph 'g': value 'y': 200 is not a kind of value");
  weft_graph_destroy(g);
  weft_env_destroy(e);
}

TEST(r221_control_edges) {
  weft_diag d = {0};
  weft_env *e = make_env(NULL);
  weft_graph *g;
  weft_node *a;
  weft_node *b;
  CHECK_OK(weft_graph_create(e, "g", &g, &d), &d);
  weft_value *x = input(g, "x");
  CHECK_OK(weft_graph_add(g, "Relu", &(weft_use){.name = "a"}, &x, 1, &a, &d), &d);
  CHECK_OK(weft_graph_add(g, "Relu", &(weft_use){.name = "b"}, &x, 1, &b, &d), &d);
  CHECK_OK(weft_graph_add_control(g, a, b, &d), &d);
  CHECK_OK(weft_graph_add_control(g, a, b, &d), &d);
  CHECK_INT(weft_node_n_controls(b), 1);
  CHECK_INT(weft_node_n_controls(a), 0);
  CHECK(weft_node_control_at(b, 0) == a && !weft_node_control_at(b, 1) && !weft_node_control_at(a, 0));
  CHECK_FAILS(weft_graph_add_control(g, b, a, &d), WEFT_E_CYCLE);
  CHECK_FAILS(weft_graph_add_control(g, a, a, NULL), WEFT_E_CYCLE);
  CHECK_FAILS(weft_node_set_in(a, 0, weft_node_out(b, 0), NULL), WEFT_E_CYCLE);
  weft_graph_destroy(g);
  weft_env_destroy(e);
}

// Memory of a node with two inputs and one output, everything included.
TEST(nodes_are_small) {
  enum { NODES = 50000 };
  weft_diag d = {0};
  check_alloc c = {0};
  weft_env *e = make_env(&c);
  weft_graph *g;
  CHECK_OK(weft_graph_create(e, "g", &g, &d), &d);
  weft_value *x = input(g, "x");
  weft_value *in[2] = {x, x};
  size_t before = c.live_bytes;
  for (int i = 0; i < NODES; i++) {
    char name[32];
    snprintf(name, sizeof name, "block_%d/add", i);
    CHECK_OK(weft_graph_op1(g, "Add", name, in, 2, &in[0], &d), &d);
  }
  size_t per_node = (c.live_bytes - before) / NODES;
  if (getenv("WEFT_TEST_SHOW"))
    printf("%zu bytes a node\n", per_node);
  CHECK(per_node < 640);  // 32 of them: private attributes and what an operator keeps (weft_op_desc)
  weft_graph_destroy(g);
  weft_env_destroy(e);
  CHECK_INT(c.live_blocks, 0);
}
// SPDX-License-Identifier: Apache-2.0
