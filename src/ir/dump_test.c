// dump_test.c - the dumps of the founding documents byte for byte (R222-R227), and pictures and JSON.
#include "check.h"
#include "ir/ir.h"

static const weft_op op_floats = {
    WEFT_OP_HEAD, .name = "TFloats", .in = WEFT_PORTS({"x", .kind = WEFT_OPTIONAL}), .out = WEFT_PORTS({"y"}),
    .attrs = WEFT_ATTRS({"v", "ListFloat", "[]"}, {"s", "String", "\"\""}, {"t", "Tensor", "f32[0]"},
                        {"b", "ListBool", "[]"}, {"d", "Type", "DT_FLOAT"}, {"l", "ListListInt", "[]"},
                        {"names", "ListString", "[]"})};

static weft_env *make_env(void) {
  weft_env_options o = {.package_path = ""};
  weft_env *e = NULL;
  weft_diag d = {0};
  if (weft_env_create(&o, &e, &d) || weft_register(e, &op_floats, 0, &d))
    check_failed(__FILE__, __LINE__, "no environment: %s", d.text);
  return e;
}

static weft_graph *parse(weft_env *e, const char *text) {
  weft_diag d = {0};
  weft_graph *g = NULL;
  if (weft_graph_parse(e, text, strlen(text), "test", &g, &d))
    check_failed(__FILE__, __LINE__, "%s\nin\n%s", d.text, text);
  return g;
}

static void expect_dump(const weft_graph *g, int style, const char *expected) {
  weft_text t;
  weft__text_init(&t, NULL);
  CHECK_INT(weft_graph_dump(g, style, weft__text_write, &t), WEFT_OK);
  CHECK_STR(t.v, expected);
  weft__text_deinit(&t);
}

// Block 8: Add and Mul of [4,4] floats, no names given to tensors.
static weft_graph *sample_graph(weft_env *e, weft_diag *d) {
  weft_graph *g;
  weft_dim dims[] = {4, 4};
  weft_tensor_desc desc;
  weft_value *in[3];
  weft_value *pair[2];
  weft_node *n[2];
  weft_desc_init(&desc);
  if (weft_desc_set(&desc, WEFT_FLOAT, WEFT_ND, dims, 2) || weft_graph_create(e, "sample_graph", &g, d))
    return NULL;
  for (int i = 0; i < 3; i++) {
    if (!(in[i] = weft_graph_input(g, NULL, WEFT_FLOAT, dims, 2, d)))
      return NULL;
  }
  for (int i = 0; i < 2; i++) {
    pair[0] = i ? weft_node_out(n[0], 0) : in[0];
    pair[1] = in[i + 1];
    if (weft_graph_add(g, i ? "Mul" : "Add", &(weft_use){.name = i ? "mul_1" : "add_1"}, pair, 2, &n[i], d) ||
        weft_value_declare(weft_node_out(n[i], 0), &desc, d))
      return NULL;
  }
  return g;
}

TEST(r222_graph_ir_dump) {
  weft_env *e = make_env();
  weft_diag d = {0};
  weft_graph *g = sample_graph(e, &d);
  if (!g)
    check_failed(__FILE__, __LINE__, "%s", d.text);
  else {
    expect_dump(g, WEFT_DUMP_IR,
                "========== Graph IR Dump ==========\n"
                "Node count: 2\n"
                "===================================\n"
                "[Node] name=add_1, type=Add\n"
                "  Input[0]: name=, dtype=0, shape=[4,4]\n"
                "  Input[1]: name=, dtype=0, shape=[4,4]\n"
                "  Output[0]: name=, dtype=0, shape=[4,4]\n"
                "[Node] name=mul_1, type=Mul\n"
                "  Input[0]: name=, dtype=0, shape=[4,4]\n"
                "  Input[1]: name=, dtype=0, shape=[4,4]\n"
                "  Output[0]: name=, dtype=0, shape=[4,4]\n");
  }
  weft_graph_destroy(g);
  weft_env_destroy(e);
}

TEST(r222_attributes_and_names) {
  weft_env *e = make_env();
  weft_graph *g = parse(e,
                        "graph g { input x: f16[1,3,8,8] NCHW const w: f16[1,1,1,1]{2} NCHW\n"
                        "node c: Conv2D(x, w) {strides=[1,1,1,1], pads=[0,0,0,0], groups=3} -> y output y }");
  if (!g)
    return;
  expect_dump(g, WEFT_DUMP_IR,
              "========== Graph IR Dump ==========\n"
              "Node count: 1\n"
              "===================================\n"
              "[Node] name=c, type=Conv2D\n"
              "  Input[0]: name=x, dtype=1, shape=[1,3,8,8]\n"
              "  Input[1]: name=w, dtype=1, shape=[1,1,1,1]\n"
              "  Output[0]: name=y, dtype=28, shape=[?]\n"
              "  Attr[strides]: type=1004\n"
              "  Attr[pads]: type=1004\n"
              "  Attr[groups]: type=4\n");
  weft_graph_destroy(g);
  weft_env_destroy(e);
}

// R223: a node without inputs, outputs described or attributes is no trouble; R227: scalars and unknown
// shapes.
TEST(r223_r227_scalars_and_unknown_shapes) {
  weft_env *e = make_env();
  weft_graph *g =
      parse(e,
            "graph g { symbol N [1,2] input a: i32[] input b: f32[-1,4] input c: f32[?] input d: f32[N]\n"
            "node n: Add(a, b) -> p node m: Add(c, d) -> q: bf16 node r: TFloats() -> r }");
  if (!g)
    return;
  expect_dump(g, WEFT_DUMP_IR,
              "========== Graph IR Dump ==========\n"
              "Node count: 3\n"
              "===================================\n"
              "[Node] name=n, type=Add\n"
              "  Input[0]: name=a, dtype=3, shape=[]\n"
              "  Input[1]: name=b, dtype=0, shape=[-1,4]\n"
              "  Output[0]: name=p, dtype=28, shape=[?]\n"
              "[Node] name=m, type=Add\n"
              "  Input[0]: name=c, dtype=0, shape=[?]\n"
              "  Input[1]: name=d, dtype=0, shape=[N]\n"
              "  Output[0]: name=q, dtype=27, shape=[?]\n"
              "[Node] name=r, type=TFloats\n"
              "  Output[0]: name=, dtype=28, shape=[?]\n");
  weft_graph_destroy(g);
  weft_env_destroy(e);
}

TEST(r226_verbose_dump) {
  weft_env *e = make_env();
  weft_graph *g =
      parse(e,
            "graph g { input x: f16[1,3,8,8] NCHW/NC1HWC0(C0=16) input c: bool[] const w: i32[]{2}\n"
            "node l: LeakyRelu(x) {_id=7} -> l: f16[1,3,8,8] NCHW\n"
            "node i: If(c, [l]) {then_branch=graph t { input q output q }} -> [y]\n"
            "control l -> i output y }");
  if (!g)
    return;
  expect_dump(g, WEFT_DUMP_IR_VERBOSE,
              "========== Graph IR Dump ==========\n"
              "Node count: 2\n"
              "===================================\n"
              "Graph: g\n"
              "  GraphInput[0]: name=x, dtype=1, shape=[1,3,8,8], format=NCHW, storage_shape=[1,1,8,8,16], "
              "storage_format=NC1HWC0(C0=16)\n"
              "  GraphInput[1]: name=c, dtype=12, shape=[], format=ND\n"
              "  Const[0]: name=w, dtype=3, shape=[], format=ND\n"
              "  GraphOutput[0]: name=y, dtype=28, shape=[?], format=ND\n"
              "[Node] name=l, type=LeakyRelu\n"
              "  Input[0]: name=x, dtype=1, shape=[1,3,8,8], format=NCHW, storage_shape=[1,1,8,8,16], "
              "storage_format=NC1HWC0(C0=16)\n"
              "  Output[0]: name=l, dtype=1, shape=[1,3,8,8], format=NCHW\n"
              "  Attr[negative_slope]: type=2, value=0 (default)\n"
              "  Attr[_id]: type=4, value=7\n"
              "[Node] name=i, type=If\n"
              "  Input[0]: name=c, dtype=12, shape=[], format=ND\n"
              "  Input[1]: name=l, dtype=1, shape=[1,3,8,8], format=NCHW\n"
              "  Output[0]: name=y, dtype=28, shape=[?], format=ND\n"
              "Edge: x -> l.in[0]\n"
              "Edge: c -> i.in[0]\n"
              "Edge: l.out[0] -> i.in[1]\n"
              "Control: l -> i\n"
              "Subgraph: then_branch of i\n"
              "========== Graph IR Dump ==========\n"
              "Node count: 0\n"
              "===================================\n"
              "Graph: t\n"
              "  GraphInput[0]: name=q, dtype=28, shape=[?], format=ND\n"
              "  GraphOutput[0]: name=q, dtype=28, shape=[?], format=ND\n");
  weft_graph_destroy(g);
  weft_env_destroy(e);
}

static void set_origin(weft_graph *g, const char *node, const char *name, const char *type,
                       const weft_named_attr *attrs, size_t n) {
  weft_diag d = {0};
  weft_origin o = {.file = "model.json", .name = name, .type = type, .attrs = attrs, .n_attrs = n};
  CHECK_OK(weft_node_set_origin(weft_graph_find_node(g, node), &o, &d), &d);
}

// R224 with R276: names and attributes are the model's, whatever the primitives call theirs.
TEST(r224_metair_dump) {
  weft_env *e = make_env();
  weft_graph *g =
      parse(e,
            "graph converted_model { input x: f32[1,3,224,224] NCHW input w: f32[64,3,3,3] NCHW\n"
            "node c: Conv2D(x, w) {strides=[1,1,2,2], pads=[1,1,1,1], data_format=\"NCHW\"} -> y\n"
            "node r: Relu(y) -> z\n"
            "node p: MaxPool(z) {ksize=[1,1,2,2], strides=[1,1,2,2], padding=\"VALID\"} -> out\n"
            "output out }");
  if (!g)
    return;
  int64_t two[] = {2, 2};
  int64_t ones[] = {1, 1, 1, 1};
  weft_named_attr conv[] = {
      {"stride", weft_attr_ints(two, 2)}, {"pad", weft_attr_ints(ones, 4)}, {"group", weft_attr_int(1)}};
  weft_named_attr pool[] = {{"kernel_size", weft_attr_ints(two, 2)}, {"strides", weft_attr_ints(two, 2)}};
  set_origin(g, "c", "conv_1", "Conv2D", conv, 3);
  set_origin(g, "r", "relu_1", "Relu", NULL, 0);
  set_origin(g, "p", "pool_1", "MaxPool", pool, 2);
  expect_dump(g, WEFT_DUMP_METAIR,
              "=== MetaIR Graph: converted_model ===\n"
              "Nodes: 3, Edges: 2\n"
              "  Node[0]: OpDesc(name=conv_1, type=Conv2D, inputs=2, outputs=1, attrs={'stride': [2, 2], "
              "'pad': [1, 1, 1, "
              "1], 'group': 1})\n"
              "  Node[1]: OpDesc(name=relu_1, type=Relu, inputs=1, outputs=1, attrs={})\n"
              "  Node[2]: OpDesc(name=pool_1, type=MaxPool, inputs=1, outputs=1, attrs={'kernel_size': [2, "
              "2], 'strides': "
              "[2, 2]})\n"
              "  Edge: Node[0].out[0] -> Node[1].in[0]\n"
              "  Edge: Node[1].out[0] -> Node[2].in[0]\n");
  weft_graph_destroy(g);
  weft_env_destroy(e);
}

// Without an origin the node's own attributes print; values in Python's notation.
TEST(python_notation) {
  weft_env *e = make_env();
  weft_graph *g =
      parse(e,
            "graph g { node n: TFloats() {v=[0,-0.0,1,0.1,-2.5,100000,123456.7,1e15,1e16,1.5e20,0.0001,"
            "0.00012,1e-5,1.25e-7,1e-45,3.4028235e38,16777216,nan,inf,-inf], s=\"it's \\\\ \\n \xC3\xA9\", "
            "t=f32[2]{1,2}, b=[true,false], d=f16, l=[[1,2],[]], names=[\"a\",\"\\\"'\"]} -> y }");
  if (!g)
    return;
  expect_dump(
      g, WEFT_DUMP_METAIR,
      "=== MetaIR Graph: g ===\n"
      "Nodes: 1, Edges: 0\n"
      "  Node[0]: OpDesc(name=n, type=TFloats, inputs=0, outputs=1, attrs={'v': [0.0, -0.0, 1.0, 0.1, -2.5, "
      "100000.0, 123456.7, 1000000000000000.0, 1e+16, 1.5e+20, 0.0001, 0.00012, 1e-05, 1.25e-07, 1e-45, "
      "3.4028235e+38, 16777216.0, nan, inf, -inf], 's': \"it's \\\\ \\n \xC3\xA9\", "
      "'t': TensorDesc(name=, shape=[2], dtype=DT_FLOAT, format=ND), 'b': [True, False], 'd': 'DT_FLOAT16', "
      "'l': [[1, 2], []], 'names': ['a', '\"\\'']})\n");
  weft_graph_destroy(g);
  weft_env_destroy(e);
}

TEST(r225_dumps_are_deterministic) {
  weft_env *e = make_env();
  weft_diag d = {0};
  weft_graph *a = sample_graph(e, &d);
  weft_graph *b = sample_graph(e, &d);
  for (int style = WEFT_DUMP_IR; style <= WEFT_DUMP_METAIR; style++) {
    weft_text t;
    weft__text_init(&t, NULL);
    CHECK_INT(weft_graph_dump(a, style, weft__text_write, &t), WEFT_OK);
    expect_dump(b, style, t.v);
    weft__text_deinit(&t);
  }
  CHECK_FAILS(weft_graph_dump(a, 9, weft__text_write, NULL), WEFT_E_INVALID);
  weft_graph_destroy(a);
  weft_graph_destroy(b);
  weft_env_destroy(e);
}

// ---- JSON and pictures ----

static const char rich[] =
    "graph \"rich \\\" \\xff\" {\n"
    "  symbol N [1,64]\n"
    "  input x: f32[N,3,8,8] NCHW/NC1HWC0(C0=16) range [1..64,3..3,8..8,8..*]\n"
    "  input \"\\\"<&>\\n\": seq(f32[2])\n"
    "  input c: bool[]\n"
    "  input u\n"
    "  const k: f32[2]{nan,1}\n"
    "  node f: TFloats(x) {v=[nan,-inf,0.5], s=\"\\xff\\u0001\\\"\", t=i4[2]{1,2}, b=[true], d=bf16, "
    "l=[[1],[]], "
    "names=[\"a\"], _p: Int = 1} -> y: f32[?]\n"
    "  node i: If(c, [y, ?]) {then_branch=graph t { input q output q }, else_branch=graph e { }} -> [m, n]\n"
    "  node cc: Case(c, [y]) {branches=[graph a {}, graph b {}]} -> [o]\n"
    "  control f -> i\n"
    "  output m\n"
    "  output k\n"
    "}\n";

TEST(json_is_json) {
  weft_env *e = make_env();
  weft_graph *g = parse(e, rich);
  weft_text t;
  weft_arena arena;
  weft_allocator alloc = weft_allocator_default();
  weft_json *j;
  weft_diag d = {0};
  if (!g)
    return;
  weft__arena_init(&arena, &alloc);
  weft__text_init(&t, NULL);
  CHECK_INT(weft_graph_print_json(g, weft__text_write, &t), WEFT_OK);
  CHECK_OK(weft__json_parse(t.v, t.n, &arena, &j, &d), &d);
  CHECK_STR(weft__json_get(j, "name")->s, "rich \" \xEF\xBF\xBD");
  CHECK_INT(weft__json_get(j, "inputs")->n, 4);
  CHECK_STR(weft__json_get(j, "outputs")->items[1].s, "k");
  CHECK_STR(weft__json_get(j, "constants")->items[0].s, "k");
  const weft_json *f = &weft__json_get(j, "nodes")->items[0];
  const weft_json *i = &weft__json_get(j, "nodes")->items[1];
  CHECK_STR(weft__json_get(f, "type")->s, "TFloats");
  const weft_json *attrs = weft__json_get(f, "attrs");
  const weft_json *v = weft__json_get(attrs, "v");
  CHECK_STR(v->items[0].s, "nan");
  CHECK_F64(v->items[2].f, 0.5, 0);
  CHECK_STR(weft__json_get(attrs, "s")->s, "\xEF\xBF\xBD\x01\"");
  CHECK_STR(weft__json_get(attrs, "t")->s, "i4[2]{1,2}");
  CHECK_STR(weft__json_get(attrs, "d")->s, "bf16");
  CHECK_INT(weft__json_get(attrs, "_p")->i, 1);
  CHECK_INT(weft__json_get(i, "inputs")->items[2].kind, WEFT_JSON_NULL);
  CHECK_STR(weft__json_get(i, "controls")->items[0].s, "f");
  CHECK_STR(weft__json_get(&weft__json_get(weft__json_get(i, "graphs"), "then_branch")->items[0], "name")->s,
            "t");
  const weft_json *x = weft__json_get(weft__json_get(j, "values"), "x");
  CHECK_STR(weft__json_get(x, "dtype")->s, "f32");
  CHECK_STR(weft__json_get(x, "shape")->items[0].s, "N");
  CHECK_INT(weft__json_get(x, "shape")->items[1].i, 3);
  CHECK_STR(weft__json_get(x, "format")->s, "NCHW");
  CHECK_STR(weft__json_get(x, "storage_format")->s, "NC1HWC0(C0=16)");
  CHECK_INT(weft__json_get(x, "range")->items[0].items[1].i, 64);
  CHECK_INT(weft__json_get(x, "range")->items[3].items[1].kind, WEFT_JSON_NULL);
  CHECK_INT(weft__json_get(weft__json_get(weft__json_get(j, "values"), "y"), "shape")->kind, WEFT_JSON_NULL);
  weft__text_deinit(&t);
  weft__arena_deinit(&arena);
  weft_graph_destroy(g);
  weft_env_destroy(e);
}

TEST(dot_shows_types_controls_and_sub_graphs) {
  weft_env *e = make_env();
  weft_graph *g = parse(e, rich);
  weft_text t;
  long open = 0;
  if (!g)
    return;
  weft__text_init(&t, NULL);
  CHECK_INT(weft_graph_print_dot(g, weft__text_write, &t), WEFT_OK);
  CHECK_HAS(t.v, "digraph weft {");
  CHECK_HAS(t.v, "<b>&quot;&lt;&amp;&gt; </b>");  // a name that would break markup
  CHECK_HAS(t.v, "f32[N,3,8,8]");
  CHECK_HAS(t.v, "[label=< f32[?] >]");
  CHECK_HAS(t.v, "n0 -> n1 [style=dashed");
  CHECK_HAS(t.v, "then_branch of i: <b>t</b>");
  CHECK_HAS(t.v, "subgraph cluster_4");
  for (size_t i = 0; i < t.n; i++)
    open += (t.v[i] == '{') - (t.v[i] == '}');
  CHECK_INT(open, 0);
  weft__text_deinit(&t);
  weft_graph_destroy(g);
  weft_env_destroy(e);
}

static void expect_dot(const char *text, const char *has, const char *lacks) {
  weft_env *e = make_env();
  weft_graph *g = parse(e, text);
  weft_text t;
  if (!g)
    return;
  weft__text_init(&t, NULL);
  CHECK_INT(weft_graph_print_dot(g, weft__text_write, &t), WEFT_OK);
  CHECK_HAS(t.v, has);
  CHECK(!*lacks || !strstr(t.v, lacks));
  weft__text_deinit(&t);
  weft_graph_destroy(g);
  weft_env_destroy(e);
}

TEST(dot_draws_a_small_constant_inside_its_reader) {
  static const char text[] =
      "graph g { input x: f32[6] const s: i64[2]{2,3} const w: f32[9]{0..} const o: f32[]{1}\n"
      "node r: Reshape(x, s) -> y node a: Add(w, o) -> z output y output z output o }";
  expect_dot(text, "shape = i64[2]{2,3}</font>", "<b>s</b>");
  expect_dot(text, "<b>w</b>", "");       // nine elements
  expect_dot(text, "<b>o</b>", "x2 = ");  // an output of the graph has its own box
}

TEST(dot_names_a_fused_node_by_what_it_holds) {
  static const char text[] =
      "graph g { input x: f32[1,16,2,2] node f: Fused([x]) {formats=[3], body=graph b { input p: "
      "f32[1,16,2,2] "
      "node n: Neg(p) -> q node r: Relu(q) -> s output s }} -> [y] output y }";
  expect_dot(text, "<b>Neg+Relu</b>", "subgraph");
  expect_dot(text, "formats = NC1HWC0", "formats = [");
}
// SPDX-License-Identifier: Apache-2.0
