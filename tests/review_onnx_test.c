// review_onnx_test.c - hostile ONNX models: the importer answers each with a graph or with a message, and
// with the right one.
#include "check.h"
#include "frontend/onnx/import.h"
#include "models.h"
#include "weft/weft.h"

static weft_env *open_env(const weft_allocator *a) {
  weft_env *e = NULL;
  weft_diag d = {0};
  weft_env_options o = {.size = sizeof o, .package_path = ""};
  if (a)
    o.allocator = *a;
  if (weft_env_create(&o, &e, &d))
    check_failed(__FILE__, __LINE__, "%s", d.text);
  return e;
}

typedef struct made {
  weft_text text;
  onnxw w;
} made;

static onnxw *begin(made *m, int64_t opset) {
  weft_allocator a = weft_allocator_default();
  memset(m, 0, sizeof *m);
  weft__text_init(&m->text, &a);
  onnxw_begin(&m->w, &m->text, 8, opset);
  onnxw_graph(&m->w, "g");
  return &m->w;
}
#define DIMS(...) ((const int64_t[]){__VA_ARGS__})
static void float_input(onnxw *w, const char *name) {
  onnxw_input(w, name, ONNX_FLOAT, 1, DIMS(2), NULL);
}

// Reads the model, then infers and runs it where that is possible; the first status.
static weft_status finish(made *m, weft_graph **out, weft_diag *d) {
  static weft_env *e;  // one environment for all
  weft_graph *g = NULL;
  if (!e)
    e = open_env(NULL);
  weft_diag_clear(d);
  weft_status s = onnxw_finish(&m->w, d);
  if (!s)
    s = weft_onnx_read(e, m->text.v, m->text.n, "made.onnx", &g, d);
  if (!s && weft_graph_n_outputs(g))
    s = weft_graph_verify(g, NULL, NULL, d);
  if (!s)
    s = weft_graph_infer(g, NULL, NULL, d);
  CHECK(!s || d->length);
  if (out && !s)
    *out = g;
  else
    weft_graph_destroy(g);
  if (!out || s)
    weft__text_deinit(&m->text);
  return s;
}
#define EXPECT(m, d, status, part)                                                  \
  do {                                                                              \
    weft_status s_ = finish(m, NULL, d);                                            \
    if (s_ != (status))                                                             \
      check_failed(__FILE__, __LINE__, "%s, expected %s: %s", weft_status_name(s_), \
                   weft_status_name(status), (d)->text);                            \
    if (s_ && *(part))                                                              \
      CHECK_HAS((d)->text, part);                                                   \
  } while (0)

TEST(names_are_used_once) {
  made m;
  weft_diag d;
  onnxw *w = begin(&m, 17);
  float_input(w, "x");
  float_input(w, "x");
  onnxw_output(w, "x", ONNX_FLOAT, 1, DIMS(2), NULL);
  EXPECT(&m, &d, WEFT_E_DUPLICATE, "'x'");

  w = begin(&m, 17);  // an initializer that is an input, too: its default
  onnxw_init_f32(w, "x", 1, DIMS(2), (float[]){1, 2});
  float_input(w, "x");
  onnxw_output(w, "x", ONNX_FLOAT, 1, DIMS(2), NULL);
  EXPECT(&m, &d, WEFT_OK, "");

  w = begin(&m, 17);
  onnxw_init_f32(w, "x", 1, DIMS(2), (float[]){1, 2});
  onnxw_init_f32(w, "x", 1, DIMS(2), (float[]){1, 2});
  EXPECT(&m, &d, WEFT_E_DUPLICATE, "'x'");

  w = begin(&m, 17);
  float_input(w, "x");
  onnxw_op(w, "Relu", "a", "x", "y");
  onnxw_op(w, "Relu", "b", "x", "y");
  EXPECT(&m, &d, WEFT_E_DUPLICATE, "'y'");

  w = begin(&m, 17);
  float_input(w, "x");
  onnxw_op(w, "Constant", "a", "", "x");
  onnxw_attr_int(w, "value_int", 3);
  EXPECT(&m, &d, WEFT_E_DUPLICATE, "producers");

  w = begin(&m, 17);  // an attribute twice
  onnxw_input(w, "x", ONNX_FLOAT, 2, DIMS(2, 2), NULL);
  onnxw_op(w, "Softmax", "a", "x", "y");
  onnxw_attr_int(w, "axis", 0);
  onnxw_attr_int(w, "axis", 1);
  EXPECT(&m, &d, WEFT_E_DUPLICATE, "'axis'");
}

// Node names are labels: they may repeat, be empty, and look like names that the importer makes.
TEST(names_of_nodes_may_be_anything) {
  made m;
  weft_diag d;
  onnxw *w = begin(&m, 17);
  float_input(w, "x");
  onnxw_op(w, "Relu", "a_0", "x", "y0");
  onnxw_op(w, "Relu", "a", "y0", "y1");
  onnxw_op(w, "Relu", "a", "y1", "y2");
  onnxw_op(w, "Relu", "a", "y2", "y3");
  onnxw_op(w, "Relu", "", "y3", "weft/const_0");  // a value named like the importer's own
  onnxw_op(w, "ReduceSum", "r", "weft/const_0", "y4");
  onnxw_op(w, "Relu", "", "y4", "y5:0");
  onnxw_op(w, "Relu", "y5", "y5:0", "y5");
  onnxw_output(w, "y5", ONNX_FLOAT, -1, NULL, NULL);
  EXPECT(&m, &d, WEFT_OK, "");
}

TEST(names_without_text_or_with_zeros) {
  static const char *const zero[] = {"x\0a", "x\0b"};
  made m;
  weft_diag d;
  onnxw *w = begin(&m, 17);
  onnxw_input(w, "", ONNX_FLOAT, 1, DIMS(2), NULL);
  onnxw_output(w, "", ONNX_FLOAT, 1, DIMS(2), NULL);
  weft_status s = finish(&m, NULL, &d);
  CHECK(s == WEFT_E_MISSING || s == WEFT_E_INVALID || s == WEFT_E_NOT_FOUND);

  w = begin(&m, 17);
  onnxw_init_f32(w, "", 1, DIMS(2), (float[]){1, 2});
  s = finish(&m, NULL, &d);
  CHECK_INT(s, WEFT_E_MISSING);

  w = begin(&m, 17);
  float_input(w, "x");
  onnxw_op(w, "Relu", "r", "x", "");  // nothing to bind
  onnxw_output(w, "x", ONNX_FLOAT, 1, DIMS(2), NULL);
  EXPECT(&m, &d, WEFT_OK, "");

  for (int what = 0; what < 5; what++) {  // a zero byte inside: patched over an ordinary letter
    w = begin(&m, 17);
    onnxw_input(w, what == 0 ? "xQy" : "x", ONNX_FLOAT, 1, DIMS(2), NULL);
    if (what == 1)
      onnxw_init_f32(w, "iQy", 1, DIMS(2), (float[]){1, 2});
    onnxw_op(w, "Relu", what == 2 ? "nQy" : "n", what == 0 ? "xQy" : "x", what == 3 ? "vQy" : "v");
    if (what == 4) {
      onnxw_op(w, "Constant", "c", "", "cQy");
      onnxw_attr_int(w, "value_int", 3);
    }
    CHECK(!onnxw_finish(w, &d));
    for (char *p = m.text.v; (p = memchr(p, 'Q', m.text.n - (size_t)(p - m.text.v)));)
      *p = 0;
    weft_env *e = open_env(NULL);
    weft_graph *g = NULL;
    weft_diag_clear(&d);
    s = weft_onnx_read(e, m.text.v, m.text.n, "made.onnx", &g, &d);
    if (s != WEFT_E_CORRUPT)
      check_failed(__FILE__, __LINE__, "place %d: %s %s", what, weft_status_name(s), d.text);
    CHECK_HAS(d.text, "zero byte");
    weft_graph_destroy(g);
    weft__text_deinit(&m.text);
    weft_env_destroy(e);
  }
  (void)zero;
}

TEST(order_and_outputs) {
  made m;
  weft_diag d;
  onnxw *w = begin(&m, 17);  // each needs the other
  float_input(w, "x");
  onnxw_op(w, "Relu", "a", "b_out", "a_out");
  onnxw_op(w, "Relu", "b", "a_out", "b_out");
  EXPECT(&m, &d, WEFT_E_CYCLE, "form a cycle");

  w = begin(&m, 17);  // an input is an output, twice
  float_input(w, "x");
  onnxw_output(w, "x", ONNX_FLOAT, 1, DIMS(2), NULL);
  onnxw_output(w, "x", ONNX_FLOAT, 1, DIMS(2), NULL);
  EXPECT(&m, &d, WEFT_OK, "");

  w = begin(&m, 17);
  float_input(w, "x");
  onnxw_output(w, "nowhere", ONNX_FLOAT, 1, DIMS(2), NULL);
  EXPECT(&m, &d, WEFT_E_NOT_FOUND, "'nowhere'");

  w = begin(&m, 17);  // declared otherwise: a warning (src/ir/declared_test.c)
  float_input(w, "x");
  onnxw_op(w, "Relu", "a", "x", "y");
  onnxw_output(w, "y", ONNX_FLOAT, 1, DIMS(3), NULL);
  EXPECT(&m, &d, WEFT_OK, "");

  w = begin(&m, 17);  // no node at all, no output
  EXPECT(&m, &d, WEFT_OK, "");

  w = begin(&m, 17);  // one symbol in two places
  onnxw_input(w, "x", ONNX_FLOAT, 2, DIMS(-1, -1), (const char *[]){"n", "n"});
  onnxw_input(w, "y", ONNX_FLOAT, 1, DIMS(-1), (const char *[]){""});
  onnxw_output(w, "x", ONNX_FLOAT, 2, DIMS(-1, -1), (const char *[]){"2*n", "-1"});
  EXPECT(&m, &d, WEFT_OK, "");

  w = begin(&m, 17);
  onnxw_input(w, "x", 99, 1, DIMS(2), NULL);
  EXPECT(&m, &d, WEFT_E_DTYPE, "x: element type 99");
  w = begin(&m, 17);
  onnxw_input(w, "x", 0, 1, DIMS(2), NULL);
  onnxw_op(w, "Relu", "r", "x", "y");
  onnxw_output(w, "y", 0, 1, DIMS(2), NULL);
  weft_status s = finish(&m, NULL, &d);
  CHECK(s != WEFT_OK);

  w = begin(&m, 17);
  int64_t dims[26];
  for (int i = 0; i < 26; i++)
    dims[i] = 1;
  onnxw_input(w, "x", ONNX_FLOAT, 26, dims, NULL);
  EXPECT(&m, &d, WEFT_E_LIMIT, "rank 26");
}

TEST(constants_say_what_they_are) {
  made m;
  weft_diag d;
  onnxw *w = begin(&m, 17);
  onnxw_op(w, "Constant", "c", "", "y");
  onnxw_attr_float(w, "value_int", 3);
  EXPECT(&m, &d, WEFT_E_TYPE, "value_int");
  w = begin(&m, 17);
  onnxw_op(w, "Constant", "c", "", "y");
  onnxw_attr_int(w, "value", 3);
  EXPECT(&m, &d, WEFT_E_TYPE, "'value'");
  w = begin(
      &m,
      17);  // inside a function the attribute may be that of the call; each call makes a constant of its own
  onnxw_op(w, "Three", "c1", "", "y1");
  onnxw_domain(w, "own");
  onnxw_attr_int(w, "n", 3);
  onnxw_op(w, "Three", "c2", "", "y2");
  onnxw_domain(w, "own");
  onnxw_attr_int(w, "n", 4);
  onnxw_op(w, "Sub", "sub", "y2,y1", "y");
  onnxw_output(w, "y", ONNX_INT64, 0, NULL, NULL);
  onnxw_function(w, "own", "Three", "", "k", "n");
  onnxw_opset(w, "", 17);
  onnxw_op(w, "Constant", "", "", "k");
  onnxw_attr_ref(w, "value_int", ONNX_ATTR_INT, "n");
  onnxw_function_end(w);
  weft_graph *g = NULL;
  if (finish(&m, &g, &d))
    check_failed(__FILE__, __LINE__, "%s", d.text);
  else {
    const weft_tensor *v = weft_value_data(weft_graph_output_at(g, 0));
    CHECK(v && weft_tensor_i64(v) && *weft_tensor_i64(v) == 1);
    weft_graph_destroy(g);
    weft__text_deinit(&m.text);
  }
  w = begin(&m, 17);
  onnxw_op(w, "Constant", "c", "", "y");
  onnxw_attr_int(w, "value_floats", 3);
  EXPECT(&m, &d, WEFT_E_TYPE, "value_floats");
  w = begin(&m, 17);
  onnxw_op(w, "Constant", "c", "", "y");
  EXPECT(&m, &d, WEFT_E_INVALID, "one attribute");
}

// A training flag is a bool; the importer does not read an empty or foreign one.
TEST(flags_of_dropout) {
  made m;
  weft_diag d;
  for (int type = 0; type < 2; type++) {
    static const int32_t types[] = {ONNX_INT64, ONNX_STRING};
    onnxw *w = begin(&m, 17);
    float_input(w, "x");
    onnxw_init_f32(w, "ratio", 0, NULL, (float[]){0.5f});
    onnxw_init_raw(w, "flag", types[type], 1, DIMS(0), "", 0);
    onnxw_op(w, "Dropout", "drop", "x,ratio,flag", "y");
    onnxw_output(w, "y", ONNX_FLOAT, 1, DIMS(2), NULL);
    CHECK(finish(&m, NULL, &d) != WEFT_OK);
    CHECK_HAS(d.text, "drop");
  }
}

TEST(scalars_for_odd_dtypes) {
  static const int32_t types[] = {ONNX_STRING, ONNX_INT4, ONNX_COMPLEX128, ONNX_BOOL, ONNX_BFLOAT16, 0};
  made m;
  weft_diag d;
  for (size_t i = 0; i < WEFT_COUNT(types); i++) {
    onnxw *w = begin(&m, 17);
    onnxw_input(w, "a", ONNX_FLOAT, 2, DIMS(2, 2), NULL);
    onnxw_input(w, "c", types[i], 2, DIMS(2, 2), NULL);
    onnxw_op(w, "Gemm", "gemm", "a,a,c", "y");
    onnxw_attr_float(w, "beta", 0.5f);
    onnxw_output(w, "y", ONNX_FLOAT, 2, DIMS(2, 2), NULL);
    CHECK(finish(&m, NULL, &d) != WEFT_OK);
    CHECK_HAS(d.text, "gemm");
  }
}

// Functions that call functions twice each: small files, endless work.
TEST(functions_that_call_functions) {
  made m;
  weft_diag d;
  onnxw *w = begin(&m, 17);
  float_input(w, "x");
  onnxw_op(w, "F0", "call", "x", "y");
  onnxw_domain(w, "own");
  onnxw_output(w, "y", ONNX_FLOAT, 1, DIMS(2), NULL);
  for (int i = 0; i < 31; i++) {
    char name[16];
    char next[16];
    snprintf(name, sizeof name, "F%d", i);
    snprintf(next, sizeof next, "F%d", i + 1);
    onnxw_function(w, "own", name, "a", "c", "");
    onnxw_opset(w, "", 17);
    onnxw_opset(w, "own", 1);
    if (i < 30) {
      onnxw_op(w, next, "", "a", "b");
      onnxw_domain(w, "own");
      onnxw_op(w, next, "", "b", "c");
      onnxw_domain(w, "own");
    } else {
      onnxw_op(w, "Relu", "", "a", "c");
    }
    onnxw_function_end(w);
  }
  EXPECT(&m, &d, WEFT_E_LIMIT, "");
}

// A test that compares nothing does not pass.
TEST(onnx_test_compares_something) {
  made m;
  weft_diag d = {0};
  char dir[] = "/tmp/weft-review-XXXXXX";
  char path[64];
  char command[1024];
  if (!mkdtemp(dir))
    return;
  onnxw *w = begin(&m, 17);
  float_input(w, "x");
  onnxw_output(w, "x", ONNX_FLOAT, 1, DIMS(2), NULL);
  CHECK(!onnxw_finish(w, &d));
  snprintf(path, sizeof path, "%s/model.onnx", dir);
  FILE *f = fopen(path, "wb");
  CHECK(f && fwrite(m.text.v, 1, m.text.n, f) == m.text.n && !fclose(f));
  snprintf(command, sizeof command, "%s/weft onnx-test %s > /dev/null 2>&1", WEFT_BINARY_DIR, dir);
  CHECK(system(command) != 0);
  remove(path);
  remove(dir);
  weft__text_deinit(&m.text);
}
// SPDX-License-Identifier: Apache-2.0
