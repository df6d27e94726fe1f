// parse_test.c - reading the text form: freedom in writing, errors with their places, hostile texts.
#include "check.h"
#include "ir/ir.h"

static weft_env *make_env(check_alloc *c) {
  weft_env_options o = {.package_path = ""};
  weft_env *e = NULL;
  weft_diag d = {0};
  if (c)
    o.allocator = check_allocator(c);
  if (weft_env_create(&o, &e, &d))
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

// The text must be refused with this status and this in the message.
static void refused(weft_env *e, const char *text, weft_status status, const char *message) {
  weft_diag d = {0};
  weft_graph *g = NULL;
  weft_status s = weft_graph_parse(e, text, strlen(text), "m.weft", &g, &d);
  if (s != status || !strstr(d.text, message) || g) {
    check_failed(__FILE__, __LINE__, "%s\ngave %s '%s'\nexpected %s '%s'", text, weft_status_name(s), d.text,
                 weft_status_name(status), message);
  }
  weft_graph_destroy(g);
}

TEST(statements_in_any_order) {
  weft_env *e = make_env(NULL);
  weft_graph *g = parse(e,
                        "// before\n# too\ngraph g{output y node b: Relu(a)->y // behind\n"
                        "control a -> b node a: Relu(x)->a#\n input x: f32 [ 2 , 3 ] // end\n}//");
  if (!g)
    return;
  CHECK_INT(weft_graph_n_nodes(g), 2);
  CHECK_STR(weft_node_name(weft_graph_first(g)), "b");
  weft_node *a = weft_graph_find_node(g, "a");
  weft_node *b = weft_graph_find_node(g, "b");
  CHECK(weft_node_in(b, 0) == weft_node_out(a, 0));
  CHECK(weft_node_n_controls(b) == 1 && weft_node_control_at(b, 0) == a);
  weft_diag d = {0};
  CHECK_OK(weft_graph_sort(g, &d), &d);
  CHECK_OK(weft_graph_verify(g, NULL, NULL, &d), &d);
  CHECK(weft_graph_first(g) == a);
  weft_graph_destroy(g);
  weft_env_destroy(e);
}

TEST(data_const_and_netoutput_become_values) {
  weft_env *e = make_env(NULL);
  weft_graph *g = parse(e,
                        "graph g {\n"
                        "  node second: data() {index=1} -> b: f32[3]\n"
                        "  node first: Data() {index=0}\n"
                        "  node c: Const() {value=f32[3]{1,2,3}} -> w\n"
                        "  node c2: Constant() {value=i64[]{4}}\n"
                        "  node n: Add(b, w) -> y\n"
                        "  node out: NetOutput([y, first])\n"
                        "}\n");
  if (!g)
    return;
  CHECK_INT(weft_graph_n_nodes(g), 1);
  CHECK_INT(weft_graph_n_inputs(g), 2);
  CHECK_STR(weft_value_name(weft_graph_input_at(g, 0)), "first");
  CHECK_STR(weft_value_name(weft_graph_input_at(g, 1)), "b");
  CHECK_INT(weft_graph_n_consts(g), 2);
  CHECK_STR(weft_value_name(weft_graph_const_at(g, 0)), "w");
  CHECK_STR(weft_value_name(weft_graph_const_at(g, 1)), "c2");
  CHECK_F64(weft_tensor_f32(weft_value_data(weft_graph_const_at(g, 0)))[2], 3, 0);
  CHECK_INT(weft_graph_n_outputs(g), 2);
  CHECK_STR(weft_value_name(weft_graph_output_at(g, 1)), "first");
  weft_graph_destroy(g);
  weft_env_destroy(e);
}

TEST(types_become_declarations) {
  weft_env *e = make_env(NULL);
  weft_graph *g = parse(
      e, "graph g { input x: f32[2] NCHW/NC1HWC0(C0=16) node a: Relu(x) -> a: f16[?,4] range [1..8,4] }");
  if (!g)
    return;
  weft_tensor_desc desc;
  weft_value_desc(weft_graph_input_at(g, 0), &desc);
  CHECK_INT(desc.origin_format, WEFT_NCHW);
  CHECK_INT(weft_format_primary(desc.format), WEFT_NC1HWC0);
  CHECK_INT(weft_format_c0(desc.format), 16);
  const weft_declared *said = weft_graph_find_value(g, "a")->declared;
  CHECK(said != NULL);
  CHECK_INT(said->fact.dtype, WEFT_FLOAT16);
  CHECK_INT(said->fact.rank, 2);
  CHECK(said->fact.dims[0] == -1 && said->fact.dims[1] == 4);
  CHECK(said->fact.min[0] == 1 && said->fact.max[0] == 8 && said->fact.max[1] == 4);
  weft_graph_destroy(g);
  weft_env_destroy(e);
}

TEST(symbols_have_bounds) {
  weft_env *e = make_env(NULL);
  weft_graph *g = parse(e, "graph g { symbol N [2,64] input x: f32[N,2*N+1,M] }");
  if (!g)
    return;
  weft_tensor_desc desc;
  int64_t min;
  int64_t max;
  weft_value_desc(weft_graph_input_at(g, 0), &desc);
  weft_dim_bounds(weft_graph_symbols(g), desc.layout.origin.dim[1], &min, &max);
  CHECK(min == 5 && max == 129);
  weft_dim_bounds(weft_graph_symbols(g), desc.layout.origin.dim[2], &min, &max);
  CHECK(min == 0 && max == -1);
  weft_graph_destroy(g);
  weft_env_destroy(e);
}

TEST(outputs_may_swap_the_names_they_would_get) {
  weft_env *e = make_env(NULL);
  weft_graph *g =
      parse(e, "graph g { input x node s: Split(x, x) {num_split=2} -> [\"s:1\", \"s:0\"] output \"s:0\" }");
  if (g)
    CHECK_STR(weft_value_name(weft_node_out(weft_graph_first(g), 1)), "s:0");
  weft_graph_destroy(g);
  weft_env_destroy(e);
}

TEST(errors_say_where) {
  weft_env *e = make_env(NULL);
  refused(e, "", WEFT_E_SYNTAX, "m.weft:1:1: expected 'graph', got the end of the text");
  refused(e, "graph g {\n  x\n}", WEFT_E_SYNTAX,
          "m.weft:2:3: expected symbol, input, const, node, control, output");
  refused(e, "graph g {}\n}", WEFT_E_SYNTAX, "m.weft:2:1: expected the end of the text");
  refused(e, "graph g {", WEFT_E_SYNTAX, "m.weft:1:10: ");
  refused(e, "graph g {\n input x: f33[2]\n}", WEFT_E_DTYPE, "m.weft:2:11: expected a dtype, got 'f33'");
  refused(e, "graph g {\n input x: f32[2] NCHX\n}", WEFT_E_FORMAT, "m.weft:2:18: 'NCHX' is not a format");
  refused(e, "graph g {\n input x: f32[2,\n}", WEFT_E_SYNTAX, "m.weft:3:1: ");
  refused(e, "graph g {\n input x: f32[N*]\n}", WEFT_E_SYNTAX, "m.weft:2:15: dim");
  refused(e, "graph g {\n symbol N [5,2]\n}", WEFT_E_RANGE, "m.weft:2:9: symbol 'N': bounds [5,2]");
  refused(e, "graph g { input x: f32[2] range [3..1] }", WEFT_E_RANGE, "m.weft:1:20: value 'x'");
  refused(e, "graph g { input x: f32[2] range [1..2,3..4] }", WEFT_E_SHAPE, "ranks 2 and 2");
  refused(e, "graph g { const w: f32[2]{1} }", WEFT_E_SHAPE, "m.weft:1:20: constant 'w': ");
  refused(e, "graph g { const w: f32[2] }", WEFT_E_INVALID, "m.weft:1:17: ");
  refused(e, "graph g { const w: f32[2]{1,2} origin [4] }", WEFT_E_SHAPE, "origin shape [4]");
  refused(e, "graph g { const w: f32[1,1,2,2,16]{*0} NCHW/NC1HWC0(C0=16) origin [1,17,2,2] }", WEFT_E_SHAPE,
          "origin shape");
  refused(e, "graph \"\xC3\xA9\xC3\xA9\" { ? }", WEFT_E_SYNTAX, "m.weft:1:14: ");
  refused(e, "graph g { input \"\" }", WEFT_E_SYNTAX, "an empty name");
  refused(e, "graph g { input \"a\\u0000\" }", WEFT_E_SYNTAX, "byte 0 in a name");
  refused(e, "graph g { input \"a }", WEFT_E_SYNTAX, "m.weft:1:17: ");
  weft_env_destroy(e);
}

TEST(errors_of_names) {
  weft_env *e = make_env(NULL);
  refused(e, "graph g { input x\n input x }", WEFT_E_DUPLICATE, "m.weft:2:8: ");
  refused(e, "graph g { input x\n node n: Relu(x) -> x }", WEFT_E_DUPLICATE, "m.weft:2:21: ");
  refused(e, "graph g { input x node n: Relu(x)\n node n: Relu(x) -> y }", WEFT_E_DUPLICATE, "m.weft:2:7: ");
  refused(e, "graph g { input image\n node n: Relu(imagge) -> y }", WEFT_E_NOT_FOUND,
          "m.weft:2:15: graph 'g' has no value 'imagge'; did you mean 'image'?");
  refused(e, "graph g { input image output zzzzzzz }", WEFT_E_NOT_FOUND, "graph 'g' has no value 'zzzzzzz'");
  refused(e, "graph g { input x node relu: Relu(x) -> y control rely -> relu }", WEFT_E_NOT_FOUND,
          "did you mean 'relu'?");
  refused(e, "graph g { input x\n node n: Rellu(x) -> y }", WEFT_E_NOT_FOUND, "m.weft:2:10: ");
  refused(e, "graph g { input x\n node n: Rellu(x) -> y }", WEFT_E_NOT_FOUND, "Relu");
  // A sub-graph is closed: it does not see the values around it.
  refused(e, "graph g { input c input x node i: If(c, [x]) {then_branch=graph t { output x }} -> [y] }",
          WEFT_E_NOT_FOUND, "graph 't' has no value 'x'");
  weft_env_destroy(e);
}

TEST(errors_of_nodes) {
  weft_env *e = make_env(NULL);
  refused(e, "graph g { input x node n: Relu(x, x) -> y }", WEFT_E_INVALID,
          "m.weft:1:35: node 'n': operator 'Relu' has 1 inputs");
  refused(e, "graph g { input x node n: Add(x) -> y }", WEFT_E_MISSING,
          "required input 'x2' (1) of 'Add' is not given");
  refused(e, "graph g { input x node n: Add(_, x) -> y }", WEFT_E_MISSING,
          "input 'x1' (0) of 'Add' is required");
  refused(e, "graph g { input x node n: Relu([x]) -> y }", WEFT_E_INVALID, "not dynamic");
  refused(e, "graph g { input x node n: ConcatV2(x, x) {N=1} -> y }", WEFT_E_INVALID,
          "is dynamic: write a list");
  refused(e, "graph g { input x node n: Relu(x) -> y, z }", WEFT_E_INVALID, "operator 'Relu' has 1 outputs");
  refused(e, "graph g { input x node n: Relu(x) -> _ }", WEFT_E_MISSING,
          "output 'y' (0) of 'Relu' is required");
  refused(e, "graph g { input x node n: Relu(x) {alpha=1} -> y }", WEFT_E_NOT_FOUND,
          "attribute 'alpha' is not one of the operator 'Relu'");
  refused(e, "graph g { input x node n: Conv2D(x, x) {strides=3} -> y }", WEFT_E_SYNTAX,
          "m.weft:1:49: attribute 'strides' of 'Conv2D'");
  refused(e, "graph g { input x node n: Conv2D(x, x) {strides: Int = 3} -> y }", WEFT_E_TYPE,
          "expected ListInt, got Int");
  refused(e, "graph g { input x node n: Conv2D(x, x) {pads=[0,0,0,0]} -> y }", WEFT_E_MISSING, "'strides'");
  refused(e, "graph g { input x node n: Relu(x) {_a: Integer = 1} -> y }", WEFT_E_TYPE, "got 'Integer'");
  refused(e, "graph g { input x node n: Relu(x) {_a = f32} -> y }", WEFT_E_TYPE, "say its type");
  refused(e, "graph g { input x node n: Relu(x) {_a=1 -> y }", WEFT_E_SYNTAX, "expected '}'");
  refused(e, "graph g { node a: Relu(b) -> a node b: Relu(a) -> b }", WEFT_E_CYCLE, "m.weft:1:1: ");
  refused(e, "graph g { input x node a: Relu(x) -> a control a -> a }", WEFT_E_CYCLE, "m.weft:1:48: ");
  refused(e, "graph g { node c: Const() -> w }", WEFT_E_MISSING, "'Const' needs the attribute 'value'");
  refused(e, "graph g { node c: NetOutput(_) }", WEFT_E_MISSING, "without a value");
  weft_env_destroy(e);
}

// 32 graphs inside each other are allowed, 33 are not; no depth of brackets is a danger.
static char *nested(int depth) {
  weft_text t;
  weft__text_init(&t, NULL);
  weft__text_addf(&t, "graph g {");
  for (int i = 0; i < depth; i++)
    weft__text_addf(&t, "input c input x node i: If(c, [x]) {then_branch=graph t {");
  for (int i = 0; i < depth; i++)
    weft__text_addf(&t, "}} -> [y]");
  weft__text_addf(&t, "}");
  char *text = malloc(t.n + 1);
  memcpy(text, t.v, t.n + 1);
  weft__text_deinit(&t);
  return text;
}

TEST(nesting_is_bounded) {
  weft_env *e = make_env(NULL);
  char *fits = nested(WEFT_GRAPH_DEPTH_MAX);
  char *too_deep = nested(WEFT_GRAPH_DEPTH_MAX + 1);
  char *far = nested(100000);
  weft_graph_destroy(parse(e, fits));
  refused(e, too_deep, WEFT_E_LIMIT, "nested deeper than 32");
  refused(e, far, WEFT_E_LIMIT, "nested deeper than 32");
  memset(far, '[', strlen(far));
  memcpy(far, "graph g { node n: ConcatV2(", 27);
  refused(e, far, WEFT_E_SYNTAX, "m.weft:1:29: ");
  memset(far + 10, '(', strlen(far) - 10);
  memcpy(far + 10, "input x: f32[", 13);
  refused(e, far, WEFT_E_SYNTAX, "");
  free(fits);
  free(too_deep);
  free(far);
  weft_env_destroy(e);
}

static const char hostile_seed[] =
    "graph \"g\" {\n"
    "  symbol N [1,64]\n"
    "  symbol (floordiv(N,2))\n"
    "  input x: f32[N,3,8,8] NCHW/NC1HWC0(C0=16) storage [1,2] range [1..64,3..3,8..8,8..*] device\n"
    "  input \"c\\u00e9 \\x41\": opt(bool[]) // comment\n"
    "  const w: f32[2,2]{1,-2.5,nan,0x1p3} NHWC origin [2,2]\n"
    "  const s: seq(str[1]{\"a\\n\"},i4[3]{1,2,3})\n"
    "  node a: Relu(x) {_a: ListInt = [1,2], _b=\"x\", _t: Tensor = f16[1]{1}} -> a: f32[?]\n"
    "  node b: ConcatV2([a, x, ?], w) {N=3} -> y: f32[max(N,3),-1]\n"
    "  node i: If(x, [a]) {then_branch=graph \"t\" { input q: f32[N] output q }, else_branch=graph e {}} -> "
    "[k, l: i64]\n"
    "  node d: Data() {index=0} -> dd: f32[2]\n"
    "  node z: Const() {value=i64[]{3}}\n"
    "  node o: NetOutput(k)\n"
    "  control a -> b\n"
    "  output y\n"
    "}\n";

static void survive(weft_env *e, const char *text, size_t bytes) {
  weft_graph *g = NULL;
  weft_diag d = {0};
  char *copy = malloc(bytes ? bytes : 1);  // reading behind the end is seen by the sanitizer
  weft_text t;
  memcpy(copy, text, bytes);
  weft__text_init(&t, NULL);
  weft_status s = weft_graph_parse(e, copy, bytes, "h", &g, &d);
  free(copy);
  if (s ? s != d.status || g || strncmp(d.text, "h:", 2) : !g) {
    check_failed(__FILE__, __LINE__, "status %s, text '%s' for\n%.*s", weft_status_name(s), d.text,
                 (int)bytes, text);
  }
  if (!s && weft_graph_print(g, 0, weft__text_write, &t))
    check_failed(__FILE__, __LINE__, "does not print");
  weft_graph_destroy(g);
  weft__text_deinit(&t);
}

TEST(truncated_texts_never_crash) {
  weft_env *e = make_env(NULL);
  weft_graph_destroy(parse(e, hostile_seed));
  for (size_t n = 0; n < sizeof hostile_seed; n++)
    survive(e, hostile_seed, n);
  weft_env_destroy(e);
}

TEST(random_bytes_never_crash) {
  static const char likely[] = "{}[]()\"\\,:=->?_*.0123456789 aNxg/#";
  weft_env *e = make_env(NULL);
  uint64_t r = 88172645463325252u;
  for (int round = 0; round < 3000; round++) {
    char text[sizeof hostile_seed];
    size_t n = sizeof hostile_seed - 1;
    memcpy(text, hostile_seed, sizeof text);
    for (int k = 0; k < 1 + round % 4; k++) {
      r ^= r << 13;
      r ^= r >> 7;
      r ^= r << 17;
      size_t at = r % n;
      if (r >> 40 & 1)
        text[at] = likely[(r >> 44) % (sizeof likely - 1)];
      else if (r >> 41 & 1)
        text[at] = (char)(r >> 48);
      else
        memmove(text + at, text + at + 1, --n - at);
    }
    survive(e, text, n);
  }
  weft_env_destroy(e);
}

// Every allocation of parsing and printing fails once: E_NOMEM, nothing is lost.
TEST(failing_allocations) {
  check_alloc c = {0};
  weft_env *e = make_env(&c);
  weft_graph_destroy(parse(e, hostile_seed));  // the catalogue's entries are made now
  long live = c.live_blocks;
  long n = 1;
  for (bool failed = true; failed && n < 2000; n++) {
    weft_diag d = {0};
    weft_graph *g = NULL;
    c.fail_at = c.calls + n;
    weft_status s = weft_graph_parse(e, hostile_seed, sizeof hostile_seed - 1, "h", &g, &d);
    failed = c.calls >= c.fail_at;
    c.fail_at = 0;
    bool expected = failed ? s == WEFT_E_NOMEM || (s == WEFT_E_LIMIT && strstr(d.text, "out of memory")) : !s;
    if (!expected)
      check_failed(__FILE__, __LINE__, "allocation %ld: %s %s", n, weft_status_name(s), d.text);
    weft_graph_destroy(g);
    CHECK_INT(c.live_blocks, live);
  }
  CHECK(n > 30 && n < 2000);
  weft_env_destroy(e);
  CHECK_INT(c.live_blocks, 0);
}

// 20000 nodes, most of them used before they are made, read in linear time and print as they were.
TEST(large_graphs_in_any_order) {
  enum { N = 20000 };
  weft_env *e = make_env(NULL);
  weft_text t;
  weft_text back;
  weft__text_init(&t, NULL);
  weft__text_init(&back, NULL);
  weft__text_addf(&t, "graph \"g\" {\n  input x0: f32[2]\n");
  for (int i = N; i > 0; i--)
    weft__text_addf(&t, "  node n%d: Relu(x%d) -> x%d\n", i, i - 1, i);
  weft__text_addf(&t, "  output x%d\n}\n", N);
  weft_graph *g = parse(e, t.v);
  if (g)
    CHECK_INT(weft_graph_print(g, 0, weft__text_write, &back), WEFT_OK);
  CHECK(g && t.n == back.n && !memcmp(t.v, back.v, t.n));
  weft_graph_destroy(g);
  weft__text_deinit(&t);
  weft__text_deinit(&back);
  weft_env_destroy(e);
}

TEST(the_example_of_the_documentation_is_right) {
  weft_env *e = make_env(NULL);
  weft_file f;
  weft_diag d = {0};
  weft_graph *g = NULL;
  CHECK_OK(weft__file_map(WEFT_SOURCE_DIR "/docs/text-ir.md", &f, &d), &d);
  weft_text t;
  weft__text_init(&t, NULL);
  weft__text_add(&t, (const char *)f.data, f.bytes);
  weft__file_unmap(&f);
  char *from = strstr(t.v, "graph \"conv_relu\"");
  char *end = from ? strstr(from, "```") : NULL;
  CHECK(end != NULL);
  if (end)
    CHECK_OK(weft_graph_parse(e, from, (size_t)(end - from), "text-ir.md", &g, &d), &d);
  CHECK(g && weft_graph_n_nodes(g) == 4);
  weft_graph_destroy(g);
  weft__text_deinit(&t);
  weft_env_destroy(e);
}
// SPDX-License-Identifier: Apache-2.0
