// print_test.c - the text form: exact output, and what is printed parses back to the same text and an equal
// graph.
#include "check.h"
#include "ir/ir.h"

static const weft_op op_all = {
    WEFT_OP_HEAD, .name = "TAll",
    .in = WEFT_PORTS({"x"}, {"b", .kind = WEFT_OPTIONAL}, {"w", .kind = WEFT_DYNAMIC}),
    .out = WEFT_PORTS({"y"}, {"m", .kind = WEFT_OPTIONAL}, {"z", .kind = WEFT_DYNAMIC}),
    .attrs =
        WEFT_ATTRS({"i", "Int", "1"}, {"f", "Float", "0.5"}, {"b", "Bool", "false"}, {"s", "String", "\"\""},
                   {"t", "Tensor", "f32[0]"}, {"d", "Type", "DT_FLOAT"}, {"li", "ListInt", "[]"},
                   {"lf", "ListFloat", "[]"}, {"lb", "ListBool", "[]"}, {"ls", "ListString", "[]"},
                   {"lli", "ListListInt", "[]"}, {"lt", "ListTensor", "[]"}, {"ld", "ListType", "[]"})};
static const weft_op op_branch = {WEFT_OP_HEAD, .name = "TBranch", .in = WEFT_PORTS({"x"}),
                                  .out = WEFT_PORTS({"y"}), .graphs = WEFT_NAMES("first", "*more", "last")};
static const weft_op op_sink = {WEFT_OP_HEAD, .name = "TSink", .in = WEFT_PORTS({"x", .kind = WEFT_OPTIONAL}),
                                .out = WEFT_PORTS({"y", .kind = WEFT_OPTIONAL})};

static weft_env *make_env(void) {
  weft_env_options o = {.package_path = ""};
  weft_env *e = NULL;
  weft_diag d = {0};
  if (weft_env_create(&o, &e, &d) || weft_register(e, &op_all, 0, &d) ||
      weft_register(e, &op_branch, 0, &d) || weft_register(e, &op_sink, 0, &d))
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

static void print(const weft_graph *g, unsigned flags, weft_text *t) {
  weft_allocator a = weft_allocator_default();
  weft__text_init(t, &a);
  weft_status s = weft_graph_print(g, flags, weft__text_write, t);
  if (s)
    check_failed(__FILE__, __LINE__, "printing gave %s", weft_status_name(s));
}

// Prints g; parses that; the two must be strictly equal and print alike. `expected` NULL: any text.
static void round_trip(weft_env *e, const weft_graph *g, const char *expected) {
  weft_text one;
  weft_text two;
  weft_diag d = {0};
  print(g, 0, &one);
  if (expected)
    CHECK_STR(one.v, expected);
  weft_graph *back = parse(e, one.v);
  if (back) {
    print(back, 0, &two);
    CHECK_STR(two.v, one.v);
    weft_status s = weft_graph_compare(g, back, WEFT_EQUAL_STRICT, &d);
    if (s)
      check_failed(__FILE__, __LINE__, "%s\nin\n%s", d.text, one.v);
    weft__text_deinit(&two);
  }
  weft_graph_destroy(back);
  weft__text_deinit(&one);
}

// A text that is what printing gives.
static void fixed_point(const char *text) {
  weft_env *e = make_env();
  weft_graph *g = parse(e, text);
  if (g)
    round_trip(e, g, text);
  weft_graph_destroy(g);
  weft_env_destroy(e);
}

TEST(a_convolution) {
  fixed_point(
      "graph \"conv_relu\" {\n"
      "  symbol N [1,64]\n"
      "  input x: f32[N,3,8,8] NCHW\n"
      "  const w: f32[1,3,1,1]{1,2,3} NCHW\n"
      "  node conv_1: Conv2D(x, w) {strides=[1,1,2,2], pads=[0,0,0,0], data_format=\"NCHW\"} -> conv_1: "
      "f32[N,1,4,4] NCHW\n"
      "  node relu_1: Relu(conv_1) -> y\n"
      "  output y\n"
      "}\n");
}

TEST(an_empty_graph) {
  fixed_point("graph \"\" {\n}\n");
}

TEST(absent_open_and_dynamic_ports) {
  fixed_point(
      "graph \"g\" {\n"
      "  input x: f32[2]\n"
      "  node a: TAll(x) -> a\n"
      "  node b: TAll(x, x) -> b0, b1\n"
      "  node c: TAll(x, _, [x, ?]) -> c0, _, [c1, c2]\n"
      "  node d: TAll(?, ?, [a]) -> d0, d1, [d2]\n"
      "  node e: TSink() -> _\n"
      "  node f: TSink(?) -> f\n"
      "  output c2\n"
      "  output c2\n"
      "  output x\n"
      "}\n");
}

TEST(r38_every_type_of_attribute) {
  fixed_point(
      "graph \"g\" {\n"
      "  input x: f32[2]\n"
      "  node a: TAll(x) {i=-9223372036854775808, f=1e-05, b=true, s=\"a\\\"b\\nc\", t=f16[2]{1,nan}, d=i64, "
      "li=[1,-2], "
      "lf=[0.1,inf], lb=[true,false], ls=[\"\",\"x,y\"], lli=[[1],[],[2,3]], lt=[i64[]{7},bool[0]], "
      "ld=[f32,bf16], "
      "_i: Int = 5, _f: Float = 0.5, _s: String = \"}\", _l: ListListInt = [[1]], _t: Tensor = f32[1]{2}, "
      "_d: Type = u8, \"_we ird\": ListString = [\"a\"]} -> a\n"
      "  output a\n"
      "}\n");
}

TEST(types_of_values) {
  fixed_point(
      "graph \"g\" {\n"
      "  input a\n"
      "  input b: f32[?]\n"
      "  input c: f32[-1,3] range [1..8,3..3]\n"
      "  input d: f32[-1,-1] range [0..*,2..*]\n"
      "  input e: f16[1,3,4,4] NCHW/NC1HWC0(C0=16)\n"
      "  input f: f16[3,4] ND/FRACTAL_NZ storage [1,1,32,32]\n"
      "  input h: f32[4,4] FRACTAL_Z:240\n"
      "  input i: seq(f32[2])\n"
      "  input j: opt(i64[] NHWC)\n"
      "  input k: resource(resource[])\n"
      "  input l: undefined[2]\n"
      "  input m: str[2] device\n"
      "  input n: resource[2]\n"
      "  node o: TAll(a) -> o: f32\n"
      "  node p: TAll(a) -> p: undefined[2,-1] NHWC\n"
      "  node q: TAll(a) -> q: f32[8,8] range [1..8,8..8], _, [r: i4[3]]\n"
      "  node s: TAll(a) -> s: f32[2] ND/NC1HWC0 storage [1,1] device\n"
      "}\n");
}

TEST(an_unknown_dim_prints_as_minus_one) {
  weft_env *e = make_env();
  weft_graph *g = parse(e, "graph g { input d: f32[?,?] input e: f32[?] input f: f32[-1] }");
  if (g)
    round_trip(e, g, "graph \"g\" {\n  input d: f32[-1,-1]\n  input e: f32[?]\n  input f: f32[-1]\n}\n");
  weft_graph_destroy(g);
  weft_env_destroy(e);
}

TEST(names_are_quoted_where_they_must) {
  fixed_point(
      "graph \"caf\xC3\xA9 \\\"1\\\"\" {\n"
      "  input \"1\": f32[2]\n"
      "  input \"_\": f32[2]\n"
      "  input a.b:0/c-d: f32[2]\n"
      "  input \"a:\": f32[2]\n"
      "  input \"a//b\": f32[2]\n"
      "  input \"a->b\": f32[2]\n"
      "  input \"\xE5\x90\x8D\": f32[2]\n"
      "  input \"\\xff\\n\\u0001\": f32[2]\n"
      "  input node: f32[2]\n"
      "  node \"a b\": Relu(\"_\") -> \"graph {\"\n"
      "  node node: Relu(node) -> output\n"
      "  control \"a b\" -> node\n"
      "  output output\n"
      "  output \"graph {\"\n"
      "}\n");
}

TEST(constants) {
  fixed_point(
      "graph \"g\" {\n"
      "  const a: i64[]{7}\n"
      "  const b: bool[0]\n"
      "  const c: f32[3]{nan,-inf,1e-45}\n"
      "  const d: str[2]{\"a\\\"b\",\"\"}\n"
      "  const e: i4[3]{-8,7,0}\n"
      "  const f: c64[1]{(1,-0.5)}\n"
      "  const g: seq(f32[1]{1},f32[2]{2,3})\n"
      "  const h: opt(f32)\n"
      "  const i: f16[1,1,1,1,16]{1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0} NCHW/NC1HWC0(C0=16) origin [1,1,1,1]\n"
      "  const j: f32[4]{1,2,3,4} NHWC\n"
      "  output a\n"
      "}\n");
}

TEST(sub_graphs) {
  fixed_point(
      "graph \"g\" {\n"
      "  symbol N\n"
      "  input x: f32[N]\n"
      "  node i: TBranch(x) {first=graph \"t\" {\n"
      "      input a: f32[N+1]\n"
      "      node deep: TBranch(a) {last=graph \"u\" {\n"
      "          input a\n"
      "          output a\n"
      "        }} -> r\n"
      "      output r\n"
      "    }, more=[graph \"e\" {\n"
      "    }, graph \"e\" {\n"
      "      const c: i32[]{1}\n"
      "    }], last=graph \"more\" {\n"
      "    }} -> y\n"
      "  output y\n"
      "}\n");
}

// Terms of a sum stand in the order their parts were made in. A graph whose dims are made in another order
// than they are printed in must still read back to the same expressions.
TEST(symbols_keep_their_order) {
  weft_env *e = make_env();
  weft_diag d = {0};
  weft_graph *g;
  CHECK_OK(weft_graph_create(e, "g", &g, &d), &d);
  weft_symbols *p = weft_graph_symbols(g);
  weft_dim h = weft_dim_symbol(p, "H", 1, 1, 100);
  weft_dim half = weft_dim_floordiv(p, h, 2);
  weft_dim w = weft_dim_symbol(p, "we ird", 6, 0, -1);
  weft_dim third = weft_dim_floordiv(p, w, 3);
  weft_dim unused = weft_dim_symbol(p, "unused", 6, 1, 2);
  CHECK(weft_dim_is_symbol(unused));
  weft_dim dims[] = {third, weft_dim_add(p, weft_dim_add(p, third, half), w), half, weft_dim_max(p, w, h)};
  CHECK(weft_graph_input(g, "x", WEFT_FLOAT, dims, 4, &d) != NULL);
  round_trip(
      e, g,
      "graph \"g\" {\n"
      "  symbol H [1,100]\n"
      "  symbol (floordiv(H,2))\n"
      "  symbol \"we ird\"\n"
      "  symbol (floordiv(\"we ird\",3))\n"
      "  symbol (max(H,\"we ird\"))\n"
      "  input x: f32[floordiv(\"we ird\",3),floordiv(H,2)+\"we ird\"+floordiv(\"we ird\",3),floordiv(H,2),"
      "max(H,\"we ird\")]\n"
      "}\n");
  weft_graph_destroy(g);
  weft_env_destroy(e);
}

TEST(symbols_with_long_names) {
  weft_env *e = make_env();
  weft_diag d = {0};
  weft_graph *g;
  char name[1000];
  CHECK_OK(weft_graph_create(e, "g", &g, &d), &d);
  weft_symbols *p = weft_graph_symbols(g);
  weft_dim sum = 1;
  for (int i = 0; i < 5; i++) {
    memset(name, 'a' + i, sizeof name);
    sum = weft_dim_add(p, sum, weft_dim_symbol(p, name, sizeof name, 0, 1 + i));
  }
  CHECK(weft_dim_is_symbol(sum));
  CHECK(weft_graph_input(g, "x", WEFT_FLOAT, &sum, 1, &d) != NULL);
  round_trip(e, g, NULL);
  weft_graph_destroy(g);
  weft_env_destroy(e);
}

// Facts that inference wrote print as types, for sequences too; a declaration stays where nothing was
// inferred.
TEST(facts_and_declarations_print) {
  weft_env *e = make_env();
  weft_graph *g =
      parse(e, "graph g { input x: f32[2] node a: Relu(x) -> a: f32[-1] node b: Relu(a) -> b output b }");
  if (!g)
    return;
  weft_diag d = {0};
  weft_dim dims[] = {-1, 4};
  weft_dim min[] = {1, 4};
  weft_dim max[] = {8, 4};
  weft_fact f = {.dtype = WEFT_BF16,
                 .rank = 2,
                 .set = true,
                 .origin_format = WEFT_NHWC,
                 .format = WEFT_NHWC,
                 .dims = dims,
                 .min = min,
                 .max = max};
  CHECK_OK(weft__value_set_fact(weft_graph_find_value(g, "b"), &f, &d), &d);
  round_trip(e, g,
             "graph \"g\" {\n"
             "  input x: f32[2]\n"
             "  node a: Relu(x) -> a: f32[-1]\n"
             "  node b: Relu(a) -> b: bf16[-1,4] NHWC range [1..8,4..4]\n"
             "  output b\n"
             "}\n");
  weft_graph_destroy(g);
  weft_env_destroy(e);
}

TEST(made_names_and_nodes_in_any_order) {
  weft_env *e = make_env();
  weft_diag d = {0};
  weft_graph *g;
  weft_node *late;
  weft_node *early;
  CHECK_OK(weft_graph_create(e, NULL, &g, &d), &d);
  weft_value *x = weft_graph_input(g, NULL, WEFT_FLOAT, NULL, 0, &d);
  CHECK_OK(weft_graph_add_node(g, "Relu", NULL, &late, &d), &d);
  CHECK_OK(weft_graph_add(g, "Relu", NULL, &x, 1, &early, &d), &d);
  CHECK_OK(weft_graph_add_edge(g, early, 0, late, 0, &d), &d);
  CHECK_OK(weft_graph_output(g, weft_node_out(late, 0), &d), &d);
  round_trip(e, g, NULL);
  weft_graph_destroy(g);
  weft_env_destroy(e);
}

TEST(no_data_for_people) {
  weft_env *e = make_env();
  weft_graph *g = parse(e,
                        "graph g { const a: f32[65]{*1} const b: f32[2]{1,2} const c: f32[8,8]{0..}\n"
                        "node n: TAll(b) {t=f32[100]{*0}} -> y output y }");
  weft_text t;
  if (!g)
    return;
  print(g, WEFT_TEXT_NO_DATA, &t);
  CHECK_HAS(t.v, "const a: f32[65]{...}\n");
  CHECK_HAS(t.v, "const b: f32[2]{1,2}\n");
  CHECK_HAS(t.v, ",62,63}\n");
  CHECK_HAS(t.v, "{t=f32[100]{...}} -> y\n");
  weft_graph *back = NULL;
  CHECK_FAILS(weft_graph_parse(e, t.v, t.n, NULL, &back, NULL), WEFT_E_SYNTAX);
  CHECK(!back);
  weft__text_deinit(&t);
  weft_graph_destroy(g);
  weft_env_destroy(e);
}

// A writer's refusal comes back as it is, wherever it happens.
typedef struct budget {
  size_t left;
} budget;
static weft_status write_some(void *ctx, const char *text, size_t bytes) {
  budget *b = ctx;
  (void)text;
  if (bytes > b->left)
    return WEFT_E_IO;
  b->left -= bytes;
  return WEFT_OK;
}

TEST(a_writer_that_fails_stops_every_printer) {
  weft_env *e = make_env();
  weft_graph *g =
      parse(e,
            "graph g { symbol N [1,2] input x: f32[N] const c: f32[2]{1,2}\n"
            "node n: TBranch(x) {_a=1, first=graph t {input q output q}} -> y: f32[-1] range [1..2]\n"
            "node m: Relu(c) control n -> m output y }");
  if (!g)
    return;
  for (int how = 0; how < 7; how++) {
    weft_status s = WEFT_E_IO;
    for (size_t n = 0; s && n < 20000; n++) {
      budget b = {n};
      if (how == 0)
        s = weft_graph_print(g, 0, write_some, &b);
      else if (how == 1)
        s = weft_graph_print_dot(g, write_some, &b);
      else if (how == 2)
        s = weft_graph_print_json(g, write_some, &b);
      else if (how == 3)
        s = weft_graph_print_table(g, write_some, &b);
      else
        s = weft_graph_dump(g, how - 4, write_some, &b);
      if (s && s != WEFT_E_IO)
        check_failed(__FILE__, __LINE__, "printer %d gave %s", how, weft_status_name(s));
    }
    CHECK_INT(s, WEFT_OK);
  }
  weft_graph_destroy(g);
  weft_env_destroy(e);
}
// SPDX-License-Identifier: Apache-2.0
