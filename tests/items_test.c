// items_test.c - sequences and optionals as values: literals, types in the text form, files, inference of
// elements, the interpreter's checks of inputs, and that every allocation of an operator on them may fail.
#include <stdlib.h>

#include "check.h"
#include "base/base.h"
#include "tensor/tensor.h"
#include "weft/infer.h"
#include "weft/interp.h"

static void literal(weft_tensor *t, const char *text) {
  weft_diag d = {0};
  weft_tensor_init(t, NULL);
  if (weft_tensor_parse(text, strlen(text), NULL, t, NULL, &d))
    check_failed(__FILE__, __LINE__, "%s: %s", text, d.text);
}

TEST(optional_sequences_print_and_read_back) {
  static const struct {
    const char *text;
    int kind;
    int items;
    weft_dtype dtype;
  } cases[] = {{"optseq(f32)", WEFT_KIND_OPTIONAL_SEQUENCE, 0, WEFT_FLOAT},
               {"opt(seq(f32))", WEFT_KIND_OPTIONAL_SEQUENCE, 1, WEFT_FLOAT},
               {"opt(seq(i64[]{7},i64[2]{1,2}))", WEFT_KIND_OPTIONAL_SEQUENCE, 1, WEFT_INT64},
               {"opt(str[1]{\"a\"})", WEFT_KIND_OPTIONAL, 1, WEFT_STRING},
               {"opt(i8)", WEFT_KIND_OPTIONAL, 0, WEFT_INT8},
               {"map(str[2]{\"a\",\"b\"},f32[2]{1,2})", WEFT_KIND_MAP, 2, WEFT_FLOAT},
               {"map(i64)", WEFT_KIND_MAP, 0, WEFT_INT64},
               {"seq(map(i64[1]{7},f64[1]{1}))", WEFT_KIND_SEQUENCE, 1, WEFT_DOUBLE},
               {"maps(i64[2]{7,8},f32[1,2]{1,2})", WEFT_KIND_MAPS, 2, WEFT_FLOAT}};
  for (size_t i = 0; i < WEFT_COUNT(cases); i++) {
    weft_tensor t;
    weft_tensor copy;
    weft_diag d = {0};
    weft_text text;
    weft__text_init(&text, &(weft_allocator){0});
    text.alloc = weft_allocator_default();
    literal(&t, cases[i].text);
    CHECK_INT(t.kind, cases[i].kind);
    CHECK_INT(t.n_items, cases[i].items);
    CHECK_INT(t.item_dtype, cases[i].dtype);
    weft_tensor_init(&copy, NULL);
    CHECK_OK(weft_tensor_copy(&copy, &t, &d), &d);
    CHECK_OK(weft_tensor_compare(&copy, &t, 0, 0, &d), &d);
    CHECK(weft__tensor_same(&copy, &t));
    CHECK_OK(weft_tensor_print(&copy, 0, weft__text_write, &text), &d);
    weft__text_add(&text, "", 1);
    CHECK_STR(text.v, cases[i].text);
    weft__text_deinit(&text);
    weft_tensor_deinit(&t);
    weft_tensor_deinit(&copy);
  }
  static const char *const bad[] = {"optseq(f32[1]{1})", "optseq(opt(f32))", "opt(f32[]{1},f32[]{2})",
                                    "optseq(seq(f32),seq(f32))", "map(i64[1]{1},f32[1]{1},f32[1]{1})"};
  for (size_t i = 0; i < WEFT_COUNT(bad); i++) {
    weft_tensor t;
    weft_tensor_init(&t, NULL);
    CHECK_FAILS(weft_tensor_parse(bad[i], strlen(bad[i]), NULL, &t, NULL, NULL), WEFT_E_SYNTAX);
    weft_tensor_deinit(&t);
  }
}

TEST(maps_have_keys_for_their_values) {
  static const struct {
    const char *text;
    const char *message;
    weft_status status;
  } cases[] = {
      {"map(i64[1]{1})", "a map has 1 items, expected keys and values", WEFT_E_INVALID},
      {"map(i32[1]{1},f32[1]{1})", "the keys of a map are i32, expected i64 or str", WEFT_E_DTYPE},
      {"map(opt(i64),f32[1]{1})", "the keys of a map are optional, expected", WEFT_E_DTYPE},
      {"map(i64[]{1},f32[1]{1})", "the keys of a map: expected rank 1, got 0", WEFT_E_SHAPE},
      {"map(i64[1]{1},f32[1,1]{1})", "the values of a map: expected rank 1, got 2", WEFT_E_SHAPE},
      {"maps(i64[1]{1},f32[1]{1})", "the values of a sequence of maps: expected rank 2", WEFT_E_SHAPE},
      {"map(i64[2]{1,2},f32[1]{1})", "a map has 2 keys and 1 values", WEFT_E_SHAPE},
      {"map(i64[1]{1},opt(f32[1]{1}))", "the values of a map are", WEFT_E_DTYPE},
  };
  for (size_t i = 0; i < WEFT_COUNT(cases); i++) {
    weft_tensor t;
    weft_diag d = {0};
    weft_tensor_init(&t, NULL);
    CHECK_FAILS(weft_tensor_parse(cases[i].text, strlen(cases[i].text), NULL, &t, NULL, &d), cases[i].status);
    CHECK_HAS(d.text, cases[i].message);
    weft_tensor_deinit(&t);
  }
}

TEST(kinds_compare_by_name) {
  weft_tensor a;
  weft_tensor b;
  weft_diag d = {0};
  literal(&a, "optseq(f32)");
  literal(&b, "f32[]{1}");
  CHECK_FAILS(weft_tensor_compare(&a, &b, 0, 0, &d), WEFT_E_DIFFERENT);
  CHECK_HAS(d.text, "kind optional sequence, expected tensor");
  weft_tensor_deinit(&a);
  weft_tensor_deinit(&b);
}

// ---- graphs ----
typedef struct fixture {
  weft_env *e;
  weft_graph *g;
  weft_diag d;
} fixture;

static void setup(fixture *f, const char *text) {
  weft_env_options o = {.size = sizeof o, .package_path = ""};
  memset(f, 0, sizeof *f);
  CHECK_OK(weft_env_create(&o, &f->e, &f->d), &f->d);
  CHECK_OK(weft_graph_parse(f->e, text, strlen(text), "test", &f->g, &f->d), &f->d);
}
static void teardown(fixture *f) {
  weft_graph_destroy(f->g);
  weft_env_destroy(f->e);
}

static const char every_kind[] =
    "graph \"kinds\" {\n"
    "  input s: seq(f32[-1,3])\n"
    "  input o: opt(i64[2])\n"
    "  input q: optseq(str)\n"
    "  const c: opt(seq(f32[1]{1}))\n"
    "  const n: optseq(i8)\n"
    "  node i1: Identity(s) -> a: seq(f32[-1,3])\n"
    "  node i2: Identity(q) -> b: optseq(str[?])\n"
    "  node h: OptionalHasElement(n) -> has\n"
    "  node g: OptionalGetElement(c) -> held\n"
    "  output a\n"
    "  output b\n"
    "  output has\n"
    "  output held\n"
    "}\n";

static char *printed(const weft_graph *g) {
  weft_text t;
  weft_allocator a = weft_allocator_default();
  weft__text_init(&t, &a);
  if (weft_graph_print(g, 0, weft__text_write, &t))
    check_failed(__FILE__, __LINE__, "cannot print");
  weft__text_add(&t, "", 1);
  char *copy = t.v ? malloc(t.n) : NULL;
  if (copy)
    memcpy(copy, t.v, t.n);
  weft__text_deinit(&t);
  return copy;
}

TEST(every_kind_goes_through_text_and_file) {
  fixture f;
  fixture again;
  setup(&f, every_kind);
  if (!f.g)
    return;
  for (int inferred = 0; inferred < 2; inferred++) {
    if (inferred)
      CHECK_OK(weft_graph_infer(f.g, NULL, NULL, &f.d), &f.d);
    char *text = printed(f.g);
    CHECK(text && strstr(text, "input q: optseq(str"));
    setup(&again, text ? text : "");
    free(text);
    if (!again.g)
      break;
    if (!inferred)
      CHECK_OK(weft_graph_compare(f.g, again.g, WEFT_EQUAL_STRICT, &f.d), &f.d);
    teardown(&again);
    weft_text file;
    weft_allocator a = weft_allocator_default();
    weft_graph *loaded = NULL;
    weft__text_init(&file, &a);
    CHECK_OK(weft_graph_save(f.g, weft__text_write, &file, &f.d), &f.d);
    CHECK_OK(weft_graph_load(f.e, file.v, file.n, &loaded, &f.d), &f.d);
    CHECK_OK(weft_graph_compare(f.g, loaded, WEFT_EQUAL_STRICT, &f.d), &f.d);
    weft_graph_destroy(loaded);
    weft__text_deinit(&file);
  }
  weft_text json;
  weft_allocator a = weft_allocator_default();
  weft__text_init(&json, &a);
  CHECK_OK(weft_graph_print_json(f.g, weft__text_write, &json), &f.d);
  weft__text_add(&json, "", 1);
  CHECK_HAS(json.v, "\"optional sequence\"");
  weft__text_deinit(&json);
  teardown(&f);
}

static const char maps_of_both_kinds[] =
    "graph \"maps\" {\n"
    "  input x: f32[N,2]\n"
    "  input m: map(f32[-1])\n"
    "  const k: str[2]{\"a\",\"b\"}\n"
    "  const c: maps(i64[1]{1},f32[1,1]{2})\n"
    "  node z: ZipMap(x, k) -> z: maps(f32[N,2])\n"
    "  node v: DictVectorizer(m, k) -> v\n"
    "  output z\n"
    "  output v\n"
    "  output c\n"
    "}\n";

TEST(maps_go_through_text_and_file) {
  fixture f;
  fixture again;
  setup(&f, maps_of_both_kinds);
  if (!f.g)
    return;
  CHECK_OK(weft_graph_infer(f.g, NULL, NULL, &f.d), &f.d);
  char *text = printed(f.g);
  CHECK(text && strstr(text, "-> z: maps(f32[N,2])"));
  setup(&again, text ? text : "");
  free(text);
  CHECK_OK(weft_graph_compare(f.g, again.g, 0, &f.d), &f.d);
  teardown(&again);
  weft_text file;
  weft_allocator a = weft_allocator_default();
  weft_graph *loaded = NULL;
  weft__text_init(&file, &a);
  CHECK_OK(weft_graph_save(f.g, weft__text_write, &file, &f.d), &f.d);
  CHECK_OK(weft_graph_load(f.e, file.v, file.n, &loaded, &f.d), &f.d);
  CHECK_OK(weft_graph_compare(f.g, loaded, WEFT_EQUAL_STRICT, &f.d), &f.d);
  weft_graph_destroy(loaded);
  weft__text_deinit(&file);
  teardown(&f);
}

static weft_status run(fixture *f, const char *const *in, size_t n, const char *const *want, size_t n_out) {
  weft_tensor t[8];
  weft_tensor out[8];
  weft_tensor expected;
  const weft_tensor *given[8];
  for (size_t i = 0; i < n; i++) {
    literal(&t[i], in[i]);
    given[i] = &t[i];
  }
  weft_status s = weft_interp_run(f->g, NULL, given, n, out, n_out, &f->d);
  for (size_t i = 0; i < n_out; i++) {
    if (!s) {
      literal(&expected, want[i]);
      s = weft_tensor_compare(&out[i], &expected, 0, 0, &f->d);
      weft_tensor_deinit(&expected);
    }
    weft_tensor_deinit(&out[i]);
  }
  for (size_t i = 0; i < n; i++)
    weft_tensor_deinit(&t[i]);
  return s;
}

TEST(inputs_of_every_kind_run) {
  fixture f;
  setup(&f, every_kind);
  CHECK_OK(weft_graph_infer(f.g, NULL, NULL, &f.d), &f.d);
  static const char *const in[] = {"seq(f32[1,3]{1,2,3},f32[0,3])", "opt(i64[2]{1,2})", "optseq(str)"};
  static const char *const want[] = {"seq(f32[1,3]{1,2,3},f32[0,3])", "optseq(str)", "bool[]{false}",
                                     "seq(f32[1]{1})"};
  CHECK_OK(run(&f, in, 3, want, 4), &f.d);
  static const struct {
    int input;
    const char *value;
    weft_status status;
    const char *text;
  } bad[] = {
      {0, "f32[1,3]{1,2,3}", WEFT_E_TYPE, "graph input 's': expected sequence, got tensor"},
      {0, "opt(f32[1,3]{1,2,3})", WEFT_E_TYPE, "expected sequence, got optional"},
      {0, "seq(f64[1,3]{1,2,3})", WEFT_E_DTYPE, "graph input 's'"},
      {0, "seq(f32[1,3]{1,2,3},f32[2]{1,2})", WEFT_E_SHAPE,
       "value 's': item 1 has shape [2], expected [-1,3]"},
      {1, "opt(i64[3]{1,2,3})", WEFT_E_SHAPE, "value 'o': item 0"},
      {1, "opt(i64[2])", WEFT_E_MISSING, "value 'o': item 0 has no data"},
      {2, "opt(str[1]{\"a\"})", WEFT_E_TYPE, "expected optional sequence, got optional"},
  };
  for (size_t i = 0; i < WEFT_COUNT(bad); i++) {
    const char *given[3] = {in[0], in[1], in[2]};
    given[bad[i].input] = bad[i].value;
    memset(&f.d, 0, sizeof f.d);
    CHECK_FAILS(run(&f, given, 3, want, 4), bad[i].status);
    CHECK_HAS(f.d.text, bad[i].text);
  }
  teardown(&f);
}

TEST(elements_are_described_by_what_they_share) {
  static const struct {
    const char *a;
    const char *b;
    const char *want;
  } cases[] = {{"f32[2,3]", "f32[2,3]", "[2,3]"}, {"f32[2,3]", "f32[4,3]", "[-1,3]"},
               {"f32[2,3]", "f32[3]", "[?]"},     {"f32[?]", "f32[3]", "[?]"},
               {"f32[]", "f32[]", "[]"},          {"f32[0]", "f32[0]", "[0]"}};
  for (size_t i = 0; i < WEFT_COUNT(cases); i++) {
    char text[512];
    char shape[256];
    weft_tensor_desc desc;
    fixture f;
    snprintf(text, sizeof text,
             "graph g { input a: %s input b: %s node c: SeqConstruct([a, b]) -> s input p: i64[] node t: "
             "SeqAt(s, p) -> t "
             "output t }",
             cases[i].a, cases[i].b);
    setup(&f, text);
    CHECK_OK(weft_graph_infer(f.g, NULL, NULL, &f.d), &f.d);
    weft_value_desc(weft_graph_find_value(f.g, "s"), &desc);
    CHECK_INT(desc.kind, WEFT_KIND_SEQUENCE);
    CHECK_STR(weft_shape_text(&desc.layout.origin, NULL, shape, sizeof shape), cases[i].want);
    weft_value_desc(weft_graph_find_value(f.g, "t"), &desc);
    CHECK_INT(desc.kind, WEFT_KIND_TENSOR);
    CHECK_STR(weft_shape_text(&desc.layout.origin, NULL, shape, sizeof shape), cases[i].want);
    teardown(&f);
  }
}

TEST(kinds_that_contradict_are_errors) {
  static const struct {
    const char *text;
    const char *message;
  } cases[] = {
      {"graph g { input a: f32[2] node c: SeqConstruct([a]) -> s: f32[2] output s }",
       "value 's': the model declares tensor, inference found sequence"},
      {"graph g { input a: seq(f32[2]) node r: Relu(a) -> y output y }", "input 'x': got a sequence"},
      {"graph g { input a: f32[2] node l: SeqLength(a) -> y output y }",
       "input 'input_sequence': got a tensor"},
      {"graph g { input a: optseq(f32) node l: SeqLength(a) -> y output y }", "got an optional sequence"},
  };
  for (size_t i = 0; i < WEFT_COUNT(cases); i++) {
    fixture f;
    setup(&f, cases[i].text);
    CHECK_FAILS(weft_graph_infer(f.g, NULL, NULL, &f.d), WEFT_E_TYPE);
    CHECK_HAS(f.d.text, cases[i].message);
    teardown(&f);
  }
}

TEST(sequences_grow_shrink_and_join) {
  fixture f;
  setup(
      &f,
      "graph g { input x: f32[-1] const zero: i64[]{0} node e: SeqEmpty() -> e node a: SeqInsert(e, x) -> a "
      "node b: SeqInsert(a, two, zero) -> b const two: f32[2]{8,9} node n: SeqLength(b) -> n "
      "node j: ConcatFromSeq(b) {axis=0} -> j node d: SeqErase(b, zero) -> d output n output j output d }");
  CHECK_OK(weft_graph_infer(f.g, NULL, NULL, &f.d), &f.d);
  static const char *const in[] = {"f32[3]{1,2,3}"};
  static const char *const want[] = {"i64[]{2}", "f32[5]{8,9,1,2,3}", "seq(f32[3]{1,2,3})"};
  CHECK_OK(run(&f, in, 1, want, 3), &f.d);
  teardown(&f);
}

TEST(maps_come_in_and_go_out) {
  fixture f;
  setup(&f, maps_of_both_kinds);
  CHECK_OK(weft_graph_infer(f.g, NULL, NULL, &f.d), &f.d);
  static const char *const want[] = {"maps(str[2]{\"a\",\"b\"},f32[1,2]{1,2})", "f32[1,2]{0,5}",
                                     "maps(i64[1]{1},f32[1,1]{2})"};
  const char *in[] = {"f32[1,2]{1,2}", "map(str[2]{\"b\",\"z\"},f32[2]{5,6})"};
  CHECK_OK(run(&f, in, 2, want, 3), &f.d);
  static const struct {
    const char *value;
    weft_status status;
    const char *text;
  } bad[] = {{"map(i64[1]{1},f32[1]{5})", WEFT_E_DTYPE, "keys of i64, the vocabulary is str"},
             {"map(str[1]{\"a\"},f64[1]{5})", WEFT_E_DTYPE, "graph input 'm'"},
             {"map(str[1],f32[1]{5})", WEFT_E_MISSING, "value 'm': its keys have no data"},
             {"map(str[1]{\"a\"},f32[1])", WEFT_E_MISSING, "value 'm': item 1 has no data"},
             {"map(f32)", WEFT_E_INVALID, "a map has 0 items"},
             {"maps(str[1]{\"a\"},f32[1,1]{5})", WEFT_E_TYPE, "expected map, got sequence of maps"},
             {"f32[1]{5}", WEFT_E_TYPE, "expected map, got tensor"}};
  for (size_t i = 0; i < WEFT_COUNT(bad); i++) {
    in[1] = bad[i].value;
    memset(&f.d, 0, sizeof f.d);
    CHECK_FAILS(run(&f, in, 2, want, 3), bad[i].status);
    CHECK_HAS(f.d.text, bad[i].text);
  }
  teardown(&f);
}
// SPDX-License-Identifier: Apache-2.0
