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

// ---- every operator of the table against random nodes ----
typedef struct dice {
  uint64_t state;
} dice;
static uint64_t roll(dice *r) {  // splitmix64
  uint64_t z = r->state += UINT64_C(0x9E3779B97F4A7C15);
  z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
  return z ^ z >> 31;
}
static uint64_t below(dice *r, uint64_t n) {
  return roll(r) % n;
}

static const char *const attr_names[] = {"allowzero",
                                         "alpha",
                                         "auto_pad",
                                         "axes",
                                         "axis",
                                         "beta",
                                         "bias",
                                         "blocksize",
                                         "broadcast",
                                         "ceil_mode",
                                         "count_include_pad",
                                         "direction",
                                         "dtype",
                                         "end",
                                         "epsilon",
                                         "fmod",
                                         "group",
                                         "ignore_index",
                                         "is_test",
                                         "k",
                                         "keepdims",
                                         "kernel_shape",
                                         "mode",
                                         "momentum",
                                         "noop_with_empty_axes",
                                         "num_groups",
                                         "num_outputs",
                                         "num_scan_inputs",
                                         "p",
                                         "pads",
                                         "perm",
                                         "reduction",
                                         "round_mode",
                                         "saturate",
                                         "scan_input_axes",
                                         "select_last_index",
                                         "shape",
                                         "size",
                                         "sorted",
                                         "spatial",
                                         "start",
                                         "stash_type",
                                         "storage_order",
                                         "to",
                                         "training_mode",
                                         "transA",
                                         "transB",
                                         "value",
                                         "split",
                                         "starts",
                                         "ends",
                                         "dilations",
                                         "strides",
                                         "output_padding",
                                         "output_shape",
                                         "exclusive",
                                         "reverse",
                                         "num_heads",
                                         "hidden_size",
                                         "activations",
                                         "clip",
                                         "min",
                                         "max",
                                         "lambd",
                                         "gamma",
                                         "largest",
                                         "upper",
                                         "value_ints",
                                         "coordinate_transformation_mode",
                                         "nearest_mode",
                                         "align_corners",
                                         "num_scan_outputs",
                                         "body",
                                         "then_branch",
                                         "scales",
                                         "equation",
                                         "batch_axis",
                                         "time_axis",
                                         "detect_negative",
                                         "cubic_coeff_a"};
static const int64_t ints[] = {0,   1,       -1,        2,         3,         -2, 5,  25, 26,
                               -26, 1 << 20, INT64_MAX, INT64_MIN, INT32_MAX, 7,  10, 11, -7};
static int64_t some_int(dice *r) {
  return below(r, 3) ? (int64_t)below(r, 5) - 1 : ints[below(r, WEFT_COUNT(ints))];
}

static void random_attr(onnxw *w, const char *name, dice *r) {
  static const char *const strs[] = {"",        "NOTSET", "SAME_UPPER", "VALID",   "constant", "reflect",
                                     "nearest", "linear", "mean",       "forward", "ij,jk->ik"};
  int64_t list[30];
  float floats[4] = {0, -1, NAN, INFINITY};
  size_t n = below(r, below(r, 8) ? 5 : 30);
  for (size_t i = 0; i < n; i++)
    list[i] = some_int(r);
  switch (below(r, 9)) {
    case 0:
    case 1:
    case 2:
      onnxw_attr_int(w, name, some_int(r));
      return;
    case 3:
    case 4:
      onnxw_attr_ints(w, name, list, n);
      return;
    case 5:
      onnxw_attr_float(w, name, floats[below(r, 4)]);
      return;
    case 6:
      onnxw_attr_str(w, name, strs[below(r, WEFT_COUNT(strs))]);
      return;
    case 7:
      onnxw_attr_floats(w, name, floats, below(r, 5));
      return;
    default: {
      int64_t zero[1] = {(int64_t)below(r, 3)};
      onnxw_attr_tensor(w, name, below(r, 2) ? ONNX_INT64 : ONNX_FLOAT, 1, zero, list, 0);
    }
  }
}

enum { POOL = 22 };
static void pool_of_values(onnxw *w, dice *r) {  // p0 .. p21
  static const int32_t types[] = {ONNX_FLOAT,  ONNX_INT64, ONNX_INT32,   ONNX_BOOL,      ONNX_STRING,
                                  ONNX_DOUBLE, ONNX_UINT8, ONNX_FLOAT16, ONNX_COMPLEX64, ONNX_INT4};
  char name[16];
  int64_t dims[6];
  int64_t data[8];
  float real[64];
  for (int i = 0; i < 64; i++)
    real[i] = (float)i - 7;
  for (int i = 0; i < POOL; i++) {
    snprintf(name, sizeof name, "p%d", i);
    int rank = below(r, 4) ? (int)(r->state >> 20 & 3) + 1 : (int)below(r, 6);
    for (int k = 0; k < rank; k++)
      dims[k] = below(r, 3) ? 2 : (int64_t)below(r, 4);
    if (i < 8) {  // small integer constants: axes, shapes, pads, indices
      int64_t n = (int64_t)below(r, 7);
      for (int k = 0; k < n; k++)
        data[k] = below(r, 6) ? (int64_t)below(r, 5) - 1 : ints[below(r, WEFT_COUNT(ints))];
      data[0] = n ? data[0] : 0;
      onnxw_init_i64(w, name, i < 2 ? 0 : 1, i < 2 ? NULL : (int64_t[]){n}, data);
      if (i < 2)
        continue;
    } else if (i < 12) {
      rank = rank > 3 ? 3 : rank;
      onnxw_init_f32(w, name, rank, dims, real);
    } else {
      for (int k = 0; k < rank; k++)
        dims[k] = below(r, 6) ? dims[k] : -1;
      onnxw_input(w, name, below(r, 3) ? ONNX_FLOAT : types[below(r, WEFT_COUNT(types))], i == 12 ? -1 : rank,
                  dims, NULL);
    }
  }
}

static void random_node(onnxw *w, const onnx_mapping *map, dice *r) {
  char names[8][16];
  char outs[4][16];
  const char *in[8];
  const char *out[4];
  size_t n = below(r, 3) ? 1 + below(r, 3) : below(r, 7);
  size_t n_out = below(r, 8) ? 1 : below(r, 4);
  for (size_t i = 0; i < n; i++) {
    snprintf(names[i], sizeof names[i], "p%d",
             (int)(i && below(r, 2) ? below(r, 8) : 8 + below(r, POOL - 8)));
    in[i] = below(r, 12) ? names[i] : "";
  }
  for (size_t i = 0; i < n_out; i++) {
    snprintf(outs[i], sizeof outs[i], "o%d", (int)i);
    out[i] = below(r, 9) ? outs[i] : "";
  }
  onnxw_node(w, map->name, "node", in, n, out, n_out);
  if (map->domain)
    onnxw_domain(w, map->domain);
  for (size_t i = below(r, 30), step = 1 + below(r, 15); i < WEFT_COUNT(attr_names);
       i += step + below(r, 20)) {
    if (below(r, 2))
      random_attr(w, attr_names[i], r);
  }
  for (size_t i = 0; i < n_out; i++) {
    if (*out[i])
      onnxw_output(w, out[i], 0, -1, NULL, NULL);
  }
}

static void run_random(weft_graph *g, dice *r) {
  weft_tensor in[POOL];
  weft_tensor out[8];
  const weft_tensor *ptr[POOL];
  size_t n = weft_graph_n_inputs(g);
  size_t n_out = weft_graph_n_outputs(g);
  weft_diag d = {0};
  weft_status s = WEFT_OK;
  for (size_t i = 0; i < n; i++) {
    weft_tensor_desc desc;
    weft_dim dims[WEFT_MAX_RANK] = {0};
    weft_value_desc(weft_graph_input_at(g, i), &desc);
    size_t rank = weft_shape_is_unknown_rank(&desc.layout.origin) ? 2 : desc.layout.origin.rank;
    for (size_t k = 0; k < rank; k++)
      dims[k] = desc.layout.origin.dim[k] >= 0 ? desc.layout.origin.dim[k] : (int64_t)below(r, 3);
    weft_tensor_init(&in[i], NULL);
    ptr[i] = &in[i];
    if (!s)
      s = weft_tensor_alloc(&in[i], desc.dtype, dims, rank, &d);
  }
  weft_interp_options o = {.size = sizeof o, .memory_limit_bytes = 64 << 20};
  if (!s) {
    s = weft_interp_run(g, &o, ptr, n, out, n_out, &d);
    CHECK(!s || d.length);
    for (size_t i = 0; i < n_out; i++)
      weft_tensor_deinit(&out[i]);
  }
  for (size_t i = 0; i < n; i++)
    weft_tensor_deinit(&in[i]);
}

static void random_round(weft_env *e, const onnx_mapping *map, int round) {
  dice r = {weft__hash(map->name, strlen(map->name)) + (uint64_t)round * 977 + (uint64_t)map->first};
  made m;
  weft_diag d = {0};
  weft_graph *g = NULL;
  onnxw *w = begin(&m, map->last ? map->last : 22);
  pool_of_values(w, &r);
  random_node(w, map, &r);
  if (onnxw_finish(w, &d))
    check_failed(__FILE__, __LINE__, "%s: %s", map->name, d.text);
  weft_status s = weft_onnx_read(e, m.text.v, m.text.n, "random.onnx", &g, &d);
  CHECK(!s || d.length);
  if (s && s != WEFT_E_DUPLICATE)
    CHECK_HAS(d.text, "node");
  if (!s && weft_graph_n_outputs(g) && (s = weft_graph_verify(g, NULL, NULL, &d)))
    check_failed(__FILE__, __LINE__, "%s round %d: %s", map->name, round, d.text);
  if (!s)
    s = weft_graph_infer(g, NULL, NULL, &d);
  if (!s)
    run_random(g, &r);
  weft_graph_destroy(g);
  weft__text_deinit(&m.text);
}

TEST(every_operator_survives_random_nodes) {
  weft_env *e = open_env(NULL);
  const char *one = getenv("REVIEW_OP");
  const char *rounds = getenv("REVIEW_ROUNDS");
  for (size_t t = 0; t < weft__onnx_table_count; t++) {
    const onnx_mappings *table = weft__onnx_tables[t];
    for (size_t i = 0; i < table->n; i++) {
      if (one && strcmp(one, table->rows[i].name))
        continue;
      for (int round = 0; round < (rounds ? atoi(rounds) : 12); round++) {
        if (one && rounds)
          fprintf(stderr, "%s round %d\n", one, round);
        random_round(e, &table->rows[i], round);
      }
    }
  }
  weft_env_destroy(e);
}
// SPDX-License-Identifier: Apache-2.0
