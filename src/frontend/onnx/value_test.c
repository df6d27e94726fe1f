// value_test.c - values of any kind from files of their own; models whose inputs are sequences and optionals;
// operators of other domains than ai.onnx.
#include "frontend/onnx/writer.h"
#include "check.h"
#include "tensor/tensor.h"
#include "weft/interp.h"
#include "weft/onnx.h"

typedef struct fixture {
  weft_env *e;
  weft_text text;
  onnxw w;
  weft_graph *g;
  weft_diag d;
} fixture;

static void setup(fixture *f) {
  weft_env_options o = {.size = sizeof o, .package_path = ""};
  memset(f, 0, sizeof *f);
  CHECK_OK(weft_env_create(&o, &f->e, &f->d), &f->d);
  weft__text_init(&f->text, weft_env_allocator(f->e));
}
static void teardown(fixture *f) {
  weft_graph_destroy(f->g);
  weft__text_deinit(&f->text);
  weft_env_destroy(f->e);
}

// A TensorProto in `field`: int64 [n] with the values 1, 2, ...
static void put_tensor(onnxw *w, uint32_t field, int64_t n) {
  int64_t v[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  onnxw_open(w, field);
  onnxw_ints(w, 1, &n, 1);
  onnxw_int(w, 2, ONNX_INT64);
  onnxw_ints(w, 7, v, (size_t)n);
  onnxw_close(w);
}

static void check_value(fixture *f, uint8_t kind, weft_dtype dtype, const char *want) {
  weft_tensor t;
  weft_tensor expected;
  weft_tensor_desc desc;
  weft_desc_init(&desc);
  desc.kind = kind;
  desc.dtype = dtype;
  weft_tensor_init(&t, NULL);
  weft_tensor_init(&expected, NULL);
  CHECK_OK(onnxw_finish(&f->w, &f->d), &f->d);
  weft_status s = weft_onnx_read_value(f->text.v, f->text.n, &desc, &t, &f->d);
  if (*want == '!') {
    CHECK(s != WEFT_OK);
    CHECK_HAS(f->d.text, want + 3);
    memset(&f->d, 0, sizeof f->d);
  } else {
    CHECK_OK(s, &f->d);
    CHECK_OK(weft_tensor_parse(want, strlen(want), NULL, &expected, NULL, &f->d), &f->d);
    CHECK_OK(weft_tensor_compare(&t, &expected, 0, 0, &f->d), &f->d);
    CHECK_INT(t.item_dtype, expected.item_dtype);
    weft_tensor_deinit(&expected);
  }
  weft_tensor_deinit(&t);
  f->text.n = 0;
}

TEST(values_from_files) {
  fixture f;
  setup(&f);
  onnxw *w = &f.w;
  onnxw_init(w, &f.text);
  onnxw_int(w, 2, 1);
  put_tensor(w, 3, 2);
  put_tensor(w, 3, 0);
  check_value(&f, WEFT_KIND_SEQUENCE, WEFT_INT64, "seq(i64[2]{1,2},i64[0])");
  onnxw_init(w, &f.text);
  check_value(&f, WEFT_KIND_SEQUENCE, WEFT_STRING, "seq(str)");
  onnxw_init(w, &f.text);
  check_value(&f, WEFT_KIND_OPTIONAL, WEFT_FLOAT, "opt(f32)");
  onnxw_init(w, &f.text);
  check_value(&f, WEFT_KIND_OPTIONAL_SEQUENCE, WEFT_FLOAT, "optseq(f32)");
  onnxw_init(w, &f.text);
  onnxw_int(w, 2, 1);
  put_tensor(w, 3, 1);
  check_value(&f, WEFT_KIND_OPTIONAL, WEFT_INT64, "opt(i64[1]{1})");
  onnxw_init(w, &f.text);
  onnxw_int(w, 2, 1);
  put_tensor(w, 3, 1);
  check_value(&f, WEFT_KIND_OPTIONAL_SEQUENCE, WEFT_INT64,
              "!! holds a tensor, the graph has an optional sequence");
  onnxw_init(w, &f.text);
  onnxw_int(w, 2, 3);
  onnxw_open(w, 5);
  onnxw_int(w, 2, 1);
  put_tensor(w, 3, 1);
  onnxw_close(w);
  check_value(&f, WEFT_KIND_OPTIONAL_SEQUENCE, WEFT_INT64, "opt(seq(i64[1]{1}))");
  onnxw_init(w, &f.text);
  onnxw_int(w, 2, 3);
  onnxw_open(w, 5);
  onnxw_close(w);
  check_value(&f, WEFT_KIND_SEQUENCE, WEFT_INT64, "!! holds sequences or optionals");
  onnxw_init(w, &f.text);
  onnxw_int(w, 2, 1);
  put_tensor(w, 3, 1);
  onnxw_open(w, 3);
  onnxw_int(w, 2, ONNX_FLOAT);
  onnxw_int(w, 1, 0);
  onnxw_close(w);
  check_value(&f, WEFT_KIND_SEQUENCE, WEFT_INT64, "!! item 1 of the sequence is DT_FLOAT, item 0 DT_INT64");
  onnxw_init(w, &f.text);
  check_value(&f, WEFT_KIND_RESOURCE, WEFT_RESOURCE, "!! a resource cannot be read");
  teardown(&f);
}

// ---- models ----
static void load(fixture *f, const char *name) {
  CHECK_OK(onnxw_finish(&f->w, &f->d), &f->d);
  CHECK_OK(weft_onnx_read(f->e, f->text.v, f->text.n, name, &f->g, &f->d), &f->d);
  CHECK_OK(weft_graph_verify(f->g, NULL, NULL, &f->d), &f->d);
  CHECK_OK(weft_graph_infer(f->g, NULL, NULL, &f->d), &f->d);
}

static void run(fixture *f, const char *const *in, size_t n, const char *const *want, size_t n_out) {
  weft_tensor t[8];
  weft_tensor out[8];
  weft_tensor expected;
  const weft_tensor *given[8];
  if (!f->g)
    return;
  for (size_t i = 0; i < n; i++) {
    weft_tensor_init(&t[i], NULL);
    given[i] = &t[i];
    CHECK_OK(weft_tensor_parse(in[i], strlen(in[i]), NULL, &t[i], NULL, &f->d), &f->d);
  }
  CHECK_OK(weft_interp_run(f->g, NULL, given, n, out, n_out, &f->d), &f->d);
  for (size_t i = 0; i < n_out; i++) {
    weft_tensor_init(&expected, NULL);
    CHECK_OK(weft_tensor_parse(want[i], strlen(want[i]), NULL, &expected, NULL, &f->d), &f->d);
    CHECK_OK(weft_tensor_compare(&out[i], &expected, 1e-6, 1e-6, &f->d), &f->d);
    weft_tensor_deinit(&expected);
    weft_tensor_deinit(&out[i]);
  }
  for (size_t i = 0; i < n; i++)
    weft_tensor_deinit(&t[i]);
}

// A graph input of type field `kinds[0]` around `kinds[1]` around a float tensor of unknown rank: 4 sequence,
// 5 map, 9 optional.
static void put_input(onnxw *w, const char *name, const uint32_t *kinds, int n) {
  onnxw_open(w, 11);
  onnxw_str(w, 1, name);
  onnxw_open(w, 2);
  for (int i = 0; i < n; i++) {
    onnxw_open(w, kinds[i]);
    onnxw_open(w, kinds[i] == 5 ? 2 : 1);
  }
  onnxw_open(w, 1);
  onnxw_int(w, 1, ONNX_FLOAT);
  for (int i = 0; i < 3 + 2 * n; i++)
    onnxw_close(w);
}

static weft_status keep_bytes(void *ctx, const char *text, size_t bytes) {
  weft__text_add(ctx, text, bytes);
  return WEFT_OK;
}

TEST(sequences_go_there_and_back) {
  static const char *const texts[] = {"seq(i64[2]{1,2},i64[0],i64[]{7})", "seq(f32)",
                                      "seq(str[2]{\"a\",\"bc\"})"};
  for (size_t i = 0; i < WEFT_COUNT(texts); i++) {
    fixture f;
    setup(&f);
    weft_tensor given;
    weft_tensor_init(&given, NULL);
    CHECK_OK(weft_tensor_parse(texts[i], strlen(texts[i]), NULL, &given, NULL, &f.d), &f.d);
    onnxw_init(&f.w, &f.text);
    CHECK_OK(weft_onnx_write_tensor(&given, "s", keep_bytes, &f.text, &f.d), &f.d);
    check_value(&f, WEFT_KIND_SEQUENCE, given.dtype, texts[i]);
    weft_tensor_deinit(&given);
    teardown(&f);
  }
}

static void check_bytes(const char *literal, const char *want, size_t bytes) {
  fixture f;
  weft_tensor given;
  setup(&f);
  weft_tensor_init(&given, NULL);
  CHECK_OK(weft_tensor_parse(literal, strlen(literal), NULL, &given, NULL, &f.d), &f.d);
  f.text.n = 0;
  CHECK_OK(weft_onnx_write_tensor(&given, "m", keep_bytes, &f.text, &f.d), &f.d);
  CHECK_INT(f.text.n, bytes);
  if (f.text.n == bytes)
    CHECK(!memcmp(f.text.v, want, bytes));
  weft_tensor_deinit(&given);
  teardown(&f);
}

// As onnx.numpy_helper writes a dict.
TEST(maps_are_written) {
  static const char map[] =
      "\n\1m\x10\7\x1a\2\7\x9\x2a\x16\x10\1\x1a\x8\x10\1J\4\0\0\x80?\x1a\x8\x10\1J\4\0\0\0@";
  static const char texts[] = "\n\1m\x10\x8\x22\1k\x2a\xd\x10\1\x1a\x9\x10\x8\x32\5hello";
  check_bytes("map(i64[2]{7,9},f32[2]{1,2})", map, sizeof map - 1);
  static const char maps[] = "\n\1m\x10\4\x32\x13\x10\7\x1a\1\7\x2a\xc\x10\1\x1a\x8\x10\1J\4\0\0\x80?";
  check_bytes("maps(i64[1]{7},f32[1,1]{1})", maps, sizeof maps - 1);
  check_bytes("map(str[1]{\"k\"},str[1]{\"hello\"})", texts, sizeof texts - 1);
}

TEST(inputs_that_are_no_tensors) {
  fixture f;
  setup(&f);
  onnxw_begin(&f.w, &f.text, 8, 18);
  onnxw_graph(&f.w, "g");
  put_input(&f.w, "s", (uint32_t[]){4}, 1);
  put_input(&f.w, "o", (uint32_t[]){9}, 1);
  put_input(&f.w, "q", (uint32_t[]){9, 4}, 2);
  onnxw_op(&f.w, "SequenceLength", "l", "s", "n");
  onnxw_op(&f.w, "OptionalHasElement", "h", "o", "has");
  onnxw_op(&f.w, "OptionalGetElement", "e", "q", "held");
  onnxw_output(&f.w, "n", ONNX_INT64, 0, NULL, NULL);
  onnxw_output(&f.w, "has", ONNX_BOOL, 0, NULL, NULL);
  onnxw_output(&f.w, "held", 0, -1, NULL, NULL);
  CHECK_OK(onnxw_finish(&f.w, &f.d), &f.d);
  // the last output is a sequence: its declaration as a tensor contradicts
  CHECK_FAILS(weft_onnx_read(f.e, f.text.v, f.text.n, "m", &f.g, &f.d), WEFT_E_TYPE);
  CHECK_HAS(f.d.text, "value 'held': the model declares tensor, inference found sequence");
  teardown(&f);
  setup(&f);
  onnxw_begin(&f.w, &f.text, 8, 18);
  onnxw_graph(&f.w, "g");
  put_input(&f.w, "s", (uint32_t[]){4}, 1);
  put_input(&f.w, "o", (uint32_t[]){9}, 1);
  put_input(&f.w, "q", (uint32_t[]){9, 4}, 2);
  onnxw_op(&f.w, "SequenceLength", "l", "s", "n");
  onnxw_op(&f.w, "OptionalHasElement", "h", "o", "has");
  onnxw_op(&f.w, "OptionalGetElement", "e", "q", "held");
  onnxw_op(&f.w, "SequenceLength", "m", "held", "k");
  onnxw_output(&f.w, "n", ONNX_INT64, 0, NULL, NULL);
  onnxw_output(&f.w, "has", ONNX_BOOL, 0, NULL, NULL);
  onnxw_output(&f.w, "k", ONNX_INT64, 0, NULL, NULL);
  load(&f, "kinds");
  run(&f, (const char *[]){"seq(f32[1]{1},f32[2]{1,2})", "opt(f32)", "opt(seq(f32[]{1}))"}, 3,
      (const char *[]){"i64[]{2}", "bool[]{false}", "i64[]{1}"}, 3);
  teardown(&f);
  setup(&f);
  onnxw_begin(&f.w, &f.text, 8, 18);
  onnxw_graph(&f.w, "g");
  put_input(&f.w, "m", (uint32_t[]){5}, 1);
  onnxw_output(&f.w, "m", 0, -1, NULL, NULL);
  CHECK_OK(onnxw_finish(&f.w, &f.d), &f.d);
  CHECK_FAILS(weft_onnx_read(f.e, f.text.v, f.text.n, "m", &f.g, &f.d), WEFT_E_UNSUPPORTED);
  CHECK_HAS(f.d.text, "m: its type at byte");
  teardown(&f);
}

TEST(only_another_domain_is_imported) {
  fixture f;
  setup(&f);
  onnxw_begin(&f.w, &f.text, 8, 0);
  onnxw_opset(&f.w, "ai.onnx.ml", 1);
  onnxw_graph(&f.w, "g");
  onnxw_input(&f.w, "x", ONNX_INT32, 1, (int64_t[]){3}, NULL);
  onnxw_op(&f.w, "Binarizer", "b", "x", "y");
  onnxw_domain(&f.w, "ai.onnx.ml");
  onnxw_attr_float(&f.w, "threshold", -0.5f);
  onnxw_output(&f.w, "y", ONNX_INT32, 1, (int64_t[]){3}, NULL);
  load(&f, "binarizer");
  run(&f, (const char *[]){"i32[3]{-1,0,1}"}, 1, (const char *[]){"i32[3]{0,1,1}"}, 1);
  teardown(&f);
  for (int what = 0; what < 3;
       what++) {  // a name of ml in ai.onnx, of ai.onnx in ml, of ai.onnx without its operator set
    setup(&f);
    onnxw_begin(&f.w, &f.text, 8, what < 2 ? 18 : 0);
    onnxw_opset(&f.w, "ai.onnx.ml", 3);
    onnxw_graph(&f.w, "g");
    onnxw_input(&f.w, "x", ONNX_FLOAT, 1, (int64_t[]){3}, NULL);
    onnxw_op(&f.w, what ? "Relu" : "Binarizer", "b", "x", "y");
    if (what == 1)
      onnxw_domain(&f.w, "ai.onnx.ml");
    onnxw_output(&f.w, "y", ONNX_FLOAT, 1, (int64_t[]){3}, NULL);
    CHECK_OK(onnxw_finish(&f.w, &f.d), &f.d);
    CHECK_FAILS(weft_onnx_read(f.e, f.text.v, f.text.n, "m", &f.g, &f.d), WEFT_E_UNSUPPORTED);
    CHECK_HAS(f.d.text, what == 1 ? "Relu (ai.onnx.ml"
                        : what    ? "Relu (ai.onnx 0)"
                                  : "Binarizer (ai.onnx 18)");
    teardown(&f);
  }
}

TEST(labels_of_version_1_and_defaults) {
  for (int forward = 0; forward < 2; forward++) {
    fixture f;
    setup(&f);
    onnxw_begin(&f.w, &f.text, 8, 18);
    onnxw_opset(&f.w, "ai.onnx.ml", 1);
    onnxw_graph(&f.w, "g");
    onnxw_input(&f.w, "x", forward ? ONNX_STRING : ONNX_INT64, 1, (int64_t[]){3}, NULL);
    onnxw_op(&f.w, "LabelEncoder", "l", "x", "y");
    onnxw_domain(&f.w, "ai.onnx.ml");
    onnxw_attr_strs(&f.w, "classes_strings", (const char *[]){"a", "b"}, 2);
    onnxw_output(&f.w, "y", forward ? ONNX_INT64 : ONNX_STRING, 1, (int64_t[]){3}, NULL);
    load(&f, "labels");
    run(&f, (const char *[]){forward ? "str[3]{\"b\",\"a\",\"z\"}" : "i64[3]{1,0,2}"}, 1,
        (const char *[]){forward ? "i64[3]{1,0,-1}" : "str[3]{\"b\",\"a\",\"_Unused\"}"}, 1);
    teardown(&f);
  }
  fixture f;
  setup(&f);
  onnxw_begin(&f.w, &f.text, 8, 18);
  onnxw_opset(&f.w, "ai.onnx.ml", 2);
  onnxw_graph(&f.w, "g");
  onnxw_input(&f.w, "x", ONNX_FLOAT, 1, (int64_t[]){2}, NULL);
  onnxw_op(&f.w, "LabelEncoder", "l", "x", "y");
  onnxw_domain(&f.w, "ai.onnx.ml");
  onnxw_attr_floats(&f.w, "keys_floats", (float[]){1, 2}, 2);
  onnxw_attr_ints(&f.w, "keys_int64s", (int64_t[]){1, 2}, 2);
  onnxw_attr_strs(&f.w, "values_strings", (const char *[]){"a", "b"}, 2);
  onnxw_output(&f.w, "y", ONNX_STRING, 1, (int64_t[]){2}, NULL);
  CHECK_OK(onnxw_finish(&f.w, &f.d), &f.d);
  CHECK_FAILS(weft_onnx_read(f.e, f.text.v, f.text.n, "m", &f.g, &f.d), WEFT_E_INVALID);
  CHECK_HAS(f.d.text, "attribute 'keys_floats' is one too many");
  teardown(&f);
}

TEST(momentum_by_hand) {  // v = 0.5*v + b*(0.25*x + g), b 2 after the first turn; x - r*v, or x - r*(g' +
                          // 0.5*v)
  for (int nesterov = 0; nesterov < 2; nesterov++) {
    fixture f;
    setup(&f);
    onnxw_begin(&f.w, &f.text, 8, 0);
    onnxw_opset(&f.w, "ai.onnx.preview.training", 1);
    onnxw_graph(&f.w, "g");
    onnxw_input(&f.w, "R", ONNX_FLOAT, 0, NULL, NULL);
    onnxw_input(&f.w, "T", ONNX_INT64, 0, NULL, NULL);
    for (const char *const *n = (const char *const[]){"X", "G", "V", NULL}; *n; n++)
      onnxw_input(&f.w, *n, ONNX_DOUBLE, 1, (int64_t[]){1}, NULL);
    onnxw_op(&f.w, "Momentum", "m", "R,T,X,G,V", "X2,V2");
    onnxw_domain(&f.w, "ai.onnx.preview.training");
    onnxw_attr_float(&f.w, "alpha", 0.5f);
    onnxw_attr_float(&f.w, "beta", 2);
    onnxw_attr_float(&f.w, "norm_coefficient", 0.25f);
    onnxw_attr_str(&f.w, "mode", nesterov ? "nesterov" : "standard");
    onnxw_output(&f.w, "X2", ONNX_DOUBLE, 1, (int64_t[]){1}, NULL);
    onnxw_output(&f.w, "V2", ONNX_DOUBLE, 1, (int64_t[]){1}, NULL);
    load(&f, "momentum");
    run(&f, (const char *[]){"f32[]{0.5}", "i64[]{0}", "f64[1]{4}", "f64[1]{2}", "f64[1]{6}"}, 5,
        nesterov ? (const char *[]){"f64[1]{1}", "f64[1]{6}"} : (const char *[]){"f64[1]{1}", "f64[1]{6}"},
        2);
    run(&f, (const char *[]){"f32[]{0.5}", "i64[]{3}", "f64[1]{4}", "f64[1]{2}", "f64[1]{6}"}, 5,
        nesterov ? (const char *[]){"f64[1]{0.25}", "f64[1]{9}"}
                 : (const char *[]){"f64[1]{-0.5}", "f64[1]{9}"},
        2);
    teardown(&f);
  }
}
// SPDX-License-Identifier: Apache-2.0
