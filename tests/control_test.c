// control_test.c - operators with sub-graphs: inference of bodies, known conditions, carried shapes, running,
// limits.
#include "check.h"
#include "weft/weft.h"

typedef struct fixture {
  weft_env *env;
  weft_graph *g;
  weft_diag d;
} fixture;

static weft_status open_graph(fixture *f, const char *text) {
  memset(f, 0, sizeof *f);
  weft_env_options o = {.size = sizeof o, .package_path = ""};
  WEFT_TRY(weft_env_create(&o, &f->env, &f->d));
  WEFT_TRY(weft_graph_parse(f->env, text, strlen(text), "test", &f->g, &f->d));
  return weft_graph_infer(f->g, NULL, NULL, &f->d);
}

static void close_graph(fixture *f) {
  weft_graph_destroy(f->g);
  weft_env_destroy(f->env);
}

static const char *shape_of(const fixture *f, const char *name, char buf[128]) {
  weft_tensor_desc desc;
  const weft_value *v = weft_graph_find_value(f->g, name);
  if (!v)
    return "no such value";
  weft_value_desc(v, &desc);
  return weft_shape_text(&desc.layout.origin, weft_graph_symbols(f->g), buf, 128);
}

// Runs on literals and compares with a literal.
static void expect(fixture *f, const char *const *in, size_t n_in, const char *want) {
  weft_tensor tensors[4];
  weft_tensor out;
  weft_tensor expected;
  const weft_tensor *given[4];
  size_t used;
  for (size_t i = 0; i < n_in; i++) {
    weft_tensor_init(&tensors[i], NULL);
    CHECK_OK(weft_tensor_parse(in[i], strlen(in[i]), NULL, &tensors[i], &used, &f->d), &f->d);
    given[i] = &tensors[i];
  }
  weft_tensor_init(&expected, NULL);
  CHECK_OK(weft_tensor_parse(want, strlen(want), NULL, &expected, &used, &f->d), &f->d);
  CHECK_OK(weft_interp_run(f->g, NULL, given, n_in, &out, 1, &f->d), &f->d);
  CHECK_OK(weft_tensor_compare(&out, &expected, 0, 0, &f->d), &f->d);
  for (size_t i = 0; i < n_in; i++)
    weft_tensor_deinit(&tensors[i]);
  weft_tensor_deinit(&out);
  weft_tensor_deinit(&expected);
}

static const char branches[] =
    "graph \"g\" {\n"
    "  input c: bool[]\n"
    "  input x: f32[2,3]\n"
    "  node i: If(c, [x]) {then_branch=graph \"t\" { input a: f32[?] node r: Neg(a) -> y output y },\n"
    "                     else_branch=graph \"e\" { input a: f32[?] node r: ExpandDims(a, axis) -> y\n"
    "                                              const axis: i64[]{0} output y }} -> [y]\n"
    "  output y\n"
    "}\n";

TEST(an_open_condition_keeps_what_both_branches_say) {
  fixture f;
  char buf[128];
  CHECK_OK(open_graph(&f, branches), &f.d);
  CHECK_STR(shape_of(&f, "y", buf), "[?]");  // ranks 2 and 3
  expect(&f, (const char *const[]){"bool[]{1}", "f32[2,3]{1,2,3,4,5,6}"}, 2, "f32[2,3]{-1,-2,-3,-4,-5,-6}");
  expect(&f, (const char *const[]){"bool[]{0}", "f32[2,3]{1,2,3,4,5,6}"}, 2, "f32[1,2,3]{1,2,3,4,5,6}");
  close_graph(&f);
}

TEST(a_known_condition_chooses_its_branch) {
  fixture f;
  char buf[128];
  char text[sizeof branches + 64];
  snprintf(text, sizeof text, "graph \"g\" {\n  const c: bool[]{0}%s",
           branches + strlen("graph \"g\" {\n  input c: bool[]"));
  CHECK_OK(open_graph(&f, text), &f.d);
  CHECK_STR(shape_of(&f, "y", buf), "[1,2,3]");
  close_graph(&f);
}

static const char turns[] =
    "graph \"g\" {\n"
    "  input m: i64[]\n"
    "  input x: i64[-1]\n"
    "  node l: Loop(m, _, [x], []) {body=graph \"b\" {\n"
    "      input turn: i64[] input c: bool[] input v: i64[?]\n"
    "      const axis: i64[]{0}\n"
    "      const one: i64[1]{1}\n"
    "      node r: Reshape(turn, one) -> t\n"
    "      node k: ConcatV2([v, t], axis) {N=2} -> w\n"
    "      node i: Identity(c) -> go\n"
    "      output go output w output t }} -> [last], [all]\n"
    "  output last\n"
    "}\n";

TEST(carried_shapes_settle_and_loops_run) {
  fixture f;
  char buf[128];
  CHECK_OK(open_graph(&f, turns), &f.d);
  CHECK_STR(shape_of(&f, "last", buf), "[-1]");
  CHECK_STR(shape_of(&f, "all", buf), "[-1,1]");
  expect(&f, (const char *const[]){"i64[]{3}", "i64[2]{7,8}"}, 2, "i64[5]{7,8,0,1,2}");
  expect(&f, (const char *const[]){"i64[]{0}", "i64[2]{7,8}"}, 2, "i64[2]{7,8}");
  expect(&f, (const char *const[]){"i64[]{-1}", "i64[0]"}, 2, "i64[0]");
  close_graph(&f);
}

TEST(a_failure_in_a_body_names_the_body_and_the_node) {
  fixture f;
  static const char text[] =
      "graph \"g\" {\n input c: bool[] input x: f32[2]\n"
      " node i: If(c, [x]) {then_branch=graph \"t\" { input a: f32[?] node r: Neg(a) -> y output y },\n"
      "   else_branch=graph \"e\" { input a: f32[?] const k: i64[1]{9} node bad: Reshape(a, k) -> y output y "
      "}} -> [y]\n"
      " output y\n}\n";
  CHECK_FAILS(open_graph(&f, text), WEFT_E_SHAPE);
  CHECK_HAS(f.d.text, "2 elements, the target [9] has 9");
  CHECK_HAS(f.d.text, "while inferring node 'bad' (Reshape)");
  CHECK_HAS(f.d.text, "in sub-graph 'e'");
  CHECK_HAS(f.d.text, "while inferring node 'i' (If)");
  close_graph(&f);
}

TEST(branches_of_other_dtypes_are_refused) {
  fixture f;
  static const char text[] =
      "graph \"g\" {\n input c: bool[] input x: f32[2]\n"
      " node i: If(c, [x]) {then_branch=graph \"t\" { input a: f32[?] node r: Neg(a) -> y output y },\n"
      "   else_branch=graph \"e\" { input a: f32[?] node r: Cast(a) {dst_type=3} -> y output y }} -> [y]\n"
      " output y\n}\n";
  CHECK_FAILS(open_graph(&f, text), WEFT_E_DTYPE);
  CHECK_HAS(f.d.text, "output 0 of the two branches: DT_FLOAT and DT_INT32");
  close_graph(&f);
}

// y[b] = x summed step by step; s = the sums. ONNX's Scan of version 8, whose inputs have a batch in front.
static const char batch[] =
    "graph \"g\" {\n"
    "  input lens: i64[B]\n"
    "  input s: f32[B]\n"
    "  input x: f32[B,T]\n"
    "  node n: BatchScan(lens, [s], [x], []) {num_scan_inputs=1, directions=[%d], body=graph \"b\" {\n"
    "      input a: f32[] input e: f32[] node r: Add(a, e) -> t node k: Identity(t) -> o\n"
    "      output t output o }} -> [last], [all]\n"
    "  output %s\n"
    "}\n";

TEST(a_batch_of_sequences_of_different_lengths_is_scanned) {
  static const struct {
    int back;
    // want: "!! text" of the message
    const char *output;
    const char *in[3];
    const char *want;
  } cases[] = {
      {0, "all", {"i64[2]{3,1}", "f32[2]{10,20}", "f32[2,3]{1,2,3,4,5,6}"}, "f32[2,3]{11,13,16,24,0,0}"},
      {0, "last", {"i64[2]{3,1}", "f32[2]{10,20}", "f32[2,3]{1,2,3,4,5,6}"}, "f32[2]{16,24}"},
      {1, "all", {"i64[2]{3,2}", "f32[2]{10,20}", "f32[2,3]{1,2,3,4,5,6}"}, "f32[2,3]{13,15,16,25,29,0}"},
      {0, "all", {"i64[1]{0}", "f32[1]{7}", "f32[1,2]{1,2}"}, "f32[1,2]{0,0}"},
      {0, "last", {"i64[1]{0}", "f32[1]{7}", "f32[1,2]{1,2}"}, "f32[1]{7}"},
      {0, "all", {"i64[0]{}", "f32[0]{}", "f32[0,2]{}"}, "f32[0,2]{}"},
      {0, "all", {"i64[1]{3}", "f32[1]{7}", "f32[1,2]{1,2}"}, "!! element 0 is 3, outside [0, 2]"},
      {0, "all", {"i64[1]{-1}", "f32[1]{7}", "f32[1,2]{1,2}"}, "!! element 0 is -1, outside [0, 2]"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    fixture f;
    char text[1024];
    char buf[128];
    snprintf(text, sizeof text, batch, cases[k].back, cases[k].output);
    CHECK_OK(open_graph(&f, text), &f.d);
    CHECK_STR(shape_of(&f, "all", buf), "[B,T]");
    CHECK_STR(shape_of(&f, "last", buf), "[B]");
    if (cases[k].want[0] != '!') {
      expect(&f, cases[k].in, 3, cases[k].want);
    } else {
      weft_tensor in[3];
      weft_tensor out;
      const weft_tensor *given[3] = {&in[0], &in[1], &in[2]};
      size_t used;
      for (size_t i = 0; i < 3; i++) {
        weft_tensor_init(&in[i], NULL);
        CHECK_OK(weft_tensor_parse(cases[k].in[i], strlen(cases[k].in[i]), NULL, &in[i], &used, &f.d), &f.d);
      }
      CHECK_FAILS(weft_interp_run(f.g, NULL, given, 3, &out, 1, &f.d), WEFT_E_RANGE);
      CHECK_HAS(f.d.text, cases[k].want + 3);
      for (size_t i = 0; i < 3; i++)
        weft_tensor_deinit(&in[i]);
    }
    close_graph(&f);
  }
}

TEST(batches_that_differ_are_refused) {
  fixture f;
  CHECK_FAILS(
      open_graph(&f,
                 "graph \"g\" { input s: f32[3] input x: f32[2,4] node n: BatchScan(_, [s], [x], []) "
                 "{num_scan_inputs=1, body=graph \"b\" { input a: f32[] input e: f32[] node r: Add(a, e) -> "
                 "t output t }} -> [last], [] output last }"),
      WEFT_E_SHAPE);
  CHECK_HAS(f.d.text, "the batch");
  close_graph(&f);
}
// SPDX-License-Identifier: Apache-2.0
