// map_models_test.c - models of ai.onnx.ml by hand: scores, labels and encoders. Larger ones were compared
// with ONNX's reference and with onnxruntime.
#include "check.h"
#include "frontend/onnx/import.h"
#include "frontend/onnx/writer.h"
#include "tensor/tensor.h"
#include "weft/interp.h"
#include "weft/onnx.h"

typedef struct fixture {
  weft_env *e;
  weft_text text;
  onnxw w;
  weft_graph *g;
  int32_t maps;  // the keys of output y, which is a sequence of maps; 0: a tensor
  weft_diag d;
} fixture;

// A model of one node over input x of [n, m] (rank 1 when m is -1); attributes follow.
static void open_env(fixture *f) {
  weft_env_options o = {.size = sizeof o, .package_path = ""};
  memset(f, 0, sizeof *f);
  CHECK_OK(weft_env_create(&o, &f->e, &f->d), &f->d);
  weft__text_init(&f->text, weft_env_allocator(f->e));
}
static onnxw *model(fixture *f, const char *op, int64_t version, int32_t type, int64_t n, int64_t m,
                    const char *outputs) {
  open_env(f);
  onnxw_begin(&f->w, &f->text, 8, 17);
  onnxw_opset(&f->w, "ai.onnx.ml", version);
  onnxw_graph(&f->w, "g");
  onnxw_input(&f->w, "x", type, m < 0 ? 1 : 2, (int64_t[]){n, m}, NULL);
  onnxw_op(&f->w, op, "node", "x", outputs);
  onnxw_domain(&f->w, "ai.onnx.ml");
  return &f->w;
}

// Sequences of maps are declared as such: TypeProto, Sequence, TypeProto, Map, TypeProto, Tensor.
static void maps_output(onnxw *w, int32_t keys) {
  onnxw_value_info(w, "unused", ONNX_FLOAT, -1, NULL, NULL);  // closes the node
  onnxw_open(w, 12);
  onnxw_str(w, 1, "y");
  onnxw_open(w, 2);
  onnxw_open(w, 4);
  onnxw_open(w, 1);
  onnxw_open(w, 5);
  onnxw_int(w, 1, keys);
  onnxw_open(w, 2);
  onnxw_open(w, 1);
  onnxw_int(w, 1, ONNX_FLOAT);
  for (int i = 0; i < 7; i++)
    onnxw_close(w);
}

static void finish(fixture *f, size_t n_out) {
  if (f->maps)
    maps_output(&f->w, f->maps);
  else
    onnxw_output(&f->w, "y", 0, -1, NULL, NULL);
  if (n_out > 1)
    onnxw_output(&f->w, "z", 0, -1, NULL, NULL);
  CHECK_OK(onnxw_finish(&f->w, &f->d), &f->d);
}

static void end(fixture *f) {
  weft_graph_destroy(f->g);
  weft__text_deinit(&f->text);
  weft_env_destroy(f->e);
}

static void run(fixture *f, const char *in, const char *const *want, size_t n_out) {
  weft_tensor t;
  weft_tensor out[2];
  weft_tensor expected;
  const weft_tensor *given[1] = {&t};
  finish(f, n_out);
  weft_tensor_init(&t, NULL);
  CHECK_OK(weft_onnx_read(f->e, f->text.v, f->text.n, "m", &f->g, &f->d), &f->d);
  CHECK_OK(weft_graph_infer(f->g, NULL, NULL, &f->d), &f->d);
  CHECK_OK(weft_tensor_parse(in, strlen(in), NULL, &t, NULL, &f->d), &f->d);
  CHECK_OK(weft_interp_run(f->g, NULL, given, 1, out, n_out, &f->d), &f->d);
  for (size_t i = 0; i < n_out; i++) {
    weft_tensor_init(&expected, NULL);
    CHECK_OK(weft_tensor_parse(want[i], strlen(want[i]), NULL, &expected, NULL, &f->d), &f->d);
    CHECK_OK(weft_tensor_compare(&out[i], &expected, 1e-6, 1e-6, &f->d), &f->d);
    weft_tensor_deinit(&expected);
    weft_tensor_deinit(&out[i]);
  }
  weft_tensor_deinit(&t);
  end(f);
}

static void refuse(fixture *f, weft_status want, const char *text) {
  finish(f, 1);
  CHECK_FAILS(weft_onnx_read(f->e, f->text.v, f->text.n, "m", &f->g, &f->d), want);
  CHECK_HAS(f->d.text, text);
  end(f);
}
#define WANT(...) \
  ((const char *const[]){__VA_ARGS__}), sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)

TEST(linear_models) {
  fixture f;
  onnxw *w = model(&f, "LinearClassifier", 1, ONNX_FLOAT, 2, 2, "y,z");
  onnxw_attr_floats(w, "coefficients", (float[]){1, 0, 0, 1, 0, 0}, 6);
  onnxw_attr_floats(w, "intercepts", (float[]){0, 0, 1.5f}, 3);
  onnxw_attr_strs(w, "classlabels_strings", (const char *[]){"a", "b", "c"}, 3);
  run(&f, "f32[2,2]{2,1,0,1}", WANT("str[2]{\"a\",\"c\"}", "f32[2,3]{2,1,1.5,0,1,1.5}"));
  w = model(&f, "LinearClassifier", 1, ONNX_INT64, 2, 1, "y,z");  // one set of coefficients, two classes
  onnxw_attr_floats(w, "coefficients", (float[]){2}, 1);
  onnxw_attr_floats(w, "intercepts", (float[]){-3}, 1);
  onnxw_attr_ints(w, "classlabels_ints", (int64_t[]){7, 9}, 2);
  run(&f, "i64[2,1]{1,2}", WANT("i64[2]{7,9}", "f32[2,2]{1,-1,-1,1}"));
  w = model(&f, "LinearClassifier", 1, ONNX_FLOAT, 2, 1, "y,z");  // one class: a threshold
  onnxw_attr_floats(w, "coefficients", (float[]){1}, 1);
  onnxw_attr_str(w, "post_transform", "LOGISTIC");
  onnxw_attr_ints(w, "classlabels_ints", (int64_t[]){4}, 1);
  run(&f, "f32[2,1]{-1,0}", WANT("i64[2]{0,4}", "f32[2,1]{0.26894143,0.5}"));
  w = model(&f, "LinearRegressor", 1, ONNX_DOUBLE, 1, 2, "y");
  onnxw_attr_floats(w, "coefficients", (float[]){1, 2, 3, 4}, 4);
  onnxw_attr_int(w, "targets", 2);
  run(&f, "f64[1,2]{1,10}", WANT("f32[1,2]{21,43}"));
  w = model(&f, "LinearClassifier", 1, ONNX_FLOAT, 1, 1, "y");
  onnxw_attr_floats(w, "coefficients", (float[]){1}, 1);
  refuse(&f, WEFT_E_MISSING, "'classlabels_ints' and 'classlabels_strings' is needed, none is given");
  w = model(&f, "LinearRegressor", 1, ONNX_FLOAT, 1, 1, "y");
  onnxw_attr_floats(w, "coefficients", (float[]){1}, 1);
  onnxw_attr_str(w, "post_transform", "CUBE");
  refuse(&f, WEFT_E_UNSUPPORTED, "attribute 'post_transform'");
}

// Tree 5: x0 <= 1 ? node 1 : (x1 > 0 ? node 3 : node 4); tree 6 is a single leaf. `prefix` of the votes.
static void put_trees(onnxw *w, const char *prefix, const int64_t *targets) {
  char name[32];
  onnxw_attr_ints(w, "nodes_treeids", (int64_t[]){5, 5, 5, 5, 5, 6}, 6);
  onnxw_attr_ints(w, "nodes_nodeids", (int64_t[]){0, 1, 2, 3, 4, 0}, 6);
  onnxw_attr_ints(w, "nodes_featureids", (int64_t[]){0, 0, 1, 0, 0, 0}, 6);
  onnxw_attr_floats(w, "nodes_values", (float[]){1, 0, 0, 0, 0, 0}, 6);
  onnxw_attr_strs(w, "nodes_modes",
                  (const char *[]){"BRANCH_LEQ", "LEAF", "BRANCH_GT", "LEAF", "LEAF", "LEAF"}, 6);
  onnxw_attr_ints(w, "nodes_truenodeids", (int64_t[]){1, 0, 3, 0, 0, 0}, 6);
  onnxw_attr_ints(w, "nodes_falsenodeids", (int64_t[]){2, 0, 4, 0, 0, 0}, 6);
  snprintf(name, sizeof name, "%s_treeids", prefix);  // in no order
  onnxw_attr_ints(w, name, (int64_t[]){6, 5, 5, 5, 5}, 5);
  snprintf(name, sizeof name, "%s_nodeids", prefix);
  onnxw_attr_ints(w, name, (int64_t[]){0, 4, 1, 3, 4}, 5);
  snprintf(name, sizeof name, "%s_ids", prefix);
  onnxw_attr_ints(w, name, targets, 5);
  snprintf(name, sizeof name, "%s_weights", prefix);
  onnxw_attr_floats(w, name, (float[]){0.25f, 4, 1, 2, 8}, 5);
}

TEST(trees_of_the_first_form) {
  fixture f;
  onnxw *w = model(&f, "TreeEnsembleRegressor", 3, ONNX_FLOAT, 3, 2, "y");
  put_trees(w, "target", (int64_t[]){0, 1, 0, 1, 0});
  onnxw_attr_int(w, "n_targets", 2);
  onnxw_attr_floats(w, "base_values", (float[]){100, 0}, 2);
  run(&f, "f32[3,2]{1,0,2,1,2,0}", WANT("f32[3,2]{101.25,0,100.25,2,108.25,4}"));
  w = model(&f, "TreeEnsembleRegressor", 3, ONNX_INT64, 1, 2, "y");
  put_trees(w, "target", (int64_t[]){0, 0, 0, 0, 0});
  onnxw_attr_int(w, "n_targets", 1);
  onnxw_attr_str(w, "aggregate_function", "MAX");
  run(&f, "i64[1,2]{2,0}", WANT("f32[1,1]{8}"));
  w = model(&f, "TreeEnsembleClassifier", 3, ONNX_DOUBLE, 3, 2, "y,z");
  put_trees(w, "class", (int64_t[]){0, 1, 0, 1, 2});
  onnxw_attr_strs(w, "classlabels_strings", (const char *[]){"a", "b", "c"}, 3);
  run(&f, "f64[3,2]{1,0,2,1,2,0}", WANT("str[3]{\"a\",\"b\",\"c\"}", "f32[3,3]{1.25,0,0,0.25,2,0,0.25,4,8}"));
  w = model(&f, "TreeEnsembleClassifier", 1, ONNX_FLOAT, 2, 2, "y,z");  // all votes for one of two
  put_trees(w, "class", (int64_t[]){0, 0, 0, 0, 0});
  onnxw_attr_ints(w, "classlabels_int64s", (int64_t[]){3, 5}, 2);
  run(&f, "f32[2,2]{1,0,2,1}", WANT("i64[2]{5,5}", "f32[2,2]{-0.25,1.25,-1.25,2.25}"));
}

TEST(trees_that_are_wrong) {
  fixture f;
  onnxw *w = model(&f, "TreeEnsembleRegressor", 1, ONNX_FLOAT, 1, 2, "y");
  put_trees(w, "target", (int64_t[]){0, 0, 0, 0, 0});
  onnxw_attr_floats(w, "base_values_as_tensor", (float[]){0}, 1);  // not there yet, and of another type
  refuse(&f, WEFT_E_UNSUPPORTED, "attribute 'base_values_as_tensor'");
  for (int what = 0; what < 4; what++) {
    w = model(&f, "TreeEnsembleRegressor", 1, ONNX_FLOAT, 1, 1, "y");
    onnxw_attr_int(w, "n_targets", 1);
    onnxw_attr_ints(w, "nodes_treeids", (int64_t[]){0, 0, 0}, 3);
    onnxw_attr_ints(w, "nodes_nodeids", (int64_t[]){0, 1, what == 0 ? 1 : 2}, 3);
    onnxw_attr_ints(w, "nodes_featureids", (int64_t[]){0, 0, 0}, what == 1 ? 2 : 3);
    onnxw_attr_floats(w, "nodes_values", (float[]){0, 0, 0}, 3);
    onnxw_attr_strs(w, "nodes_modes", (const char *[]){"BRANCH_EQ", "LEAF", "LEAF"}, 3);
    onnxw_attr_ints(w, "nodes_truenodeids", (int64_t[]){what == 2 ? 9 : 1, 0, 0}, 3);
    onnxw_attr_ints(w, "nodes_falsenodeids", (int64_t[]){1, 0, 0}, 3);
    onnxw_attr_ints(w, "target_treeids", (int64_t[]){0}, 1);
    onnxw_attr_ints(w, "target_nodeids", (int64_t[]){what == 3 ? 0 : 1}, 1);
    onnxw_attr_ints(w, "target_ids", (int64_t[]){0}, 1);
    onnxw_attr_floats(w, "target_weights", (float[]){1}, 1);
    static const char *const texts[] = {"tree 0 has two nodes 1",
                                        "'nodes_featureids' has 2 elements, expected 3",
                                        "node 0 of tree 0 leads to node 9", "vote 0 is for node 0 of tree 0"};
    static const weft_status statuses[] = {WEFT_E_DUPLICATE, WEFT_E_INVALID, WEFT_E_NOT_FOUND,
                                           WEFT_E_NOT_FOUND};
    refuse(&f, statuses[what], texts[what]);
  }
}

TEST(encoders_and_scalers) {
  fixture f;
  onnxw *w = model(&f, "CategoryMapper", 1, ONNX_STRING, 2, -1, "y");
  onnxw_attr_ints(w, "cats_int64s", (int64_t[]){5, 6}, 2);
  onnxw_attr_strs(w, "cats_strings", (const char *[]){"a", "b"}, 2);
  run(&f, "str[2]{\"b\",\"c\"}", WANT("i64[2]{6,-1}"));
  w = model(&f, "CategoryMapper", 1, ONNX_INT64, 2, -1, "y");
  onnxw_attr_ints(w, "cats_int64s", (int64_t[]){5, 6}, 2);
  onnxw_attr_strs(w, "cats_strings", (const char *[]){"a", "b"}, 2);
  run(&f, "i64[2]{5,7}", WANT("str[2]{\"a\",\"_Unused\"}"));
  w = model(&f, "OneHotEncoder", 1, ONNX_FLOAT, 2, -1, "y");
  onnxw_attr_ints(w, "cats_int64s", (int64_t[]){5, 6}, 2);
  run(&f, "f32[2]{6,7}", WANT("f32[2,2]{0,1,0,0}"));
  w = model(&f, "Scaler", 1, ONNX_INT32, 1, 2, "y");
  onnxw_attr_floats(w, "offset", (float[]){1, 2}, 2);
  onnxw_attr_floats(w, "scale", (float[]){2, 0.5f}, 2);
  run(&f, "i32[1,2]{3,3}", WANT("f32[1,2]{4,0.5}"));
  w = model(&f, "Normalizer", 1, ONNX_FLOAT, 2, 2, "y");
  onnxw_attr_str(w, "norm", "L2");
  run(&f, "f32[2,2]{3,-4,0,0}", WANT("f32[2,2]{0.6,-0.8,0,0}"));
  w = model(&f, "Imputer", 1, ONNX_FLOAT, 2, 2, "y");
  onnxw_attr_floats(w, "imputed_value_floats", (float[]){7, 8}, 2);
  onnxw_attr_float(w, "replaced_value_float", nanf(""));
  run(&f, "f32[2,2]{nan,1,0,nan}", WANT("f32[2,2]{7,1,0,8}"));
  w = model(&f, "FeatureVectorizer", 1, ONNX_INT64, 2, -1, "y");
  onnxw_attr_ints(w, "inputdimensions", (int64_t[]){2}, 1);
  run(&f, "i64[2]{1,2}", WANT("f32[1,2]{1,2}"));
  w = model(&f, "SVMRegressor", 1, ONNX_FLOAT, 1, 2, "y");
  onnxw_attr_str(w, "kernel_type", "RBF");
  onnxw_attr_floats(w, "kernel_params", (float[]){0.5f, 0, 0}, 3);
  onnxw_attr_int(w, "n_supports", 2);
  onnxw_attr_floats(w, "support_vectors", (float[]){0, 0, 1, 1}, 4);
  onnxw_attr_floats(w, "coefficients", (float[]){2, -1}, 2);
  onnxw_attr_floats(w, "rho", (float[]){0.25f}, 1);
  run(&f, "f32[1,2]{1,1}", WANT("f32[1,1]{-0.0142411}"));  // 2/e - 1 + 0.25
}

// ---- support vector machines: expected values are ONNX Runtime's ----
static onnxw *machine(fixture *f, int64_t rows, const char *kernel, const float *coefficients, size_t n) {
  onnxw *w = model(f, "SVMClassifier", 1, ONNX_FLOAT, rows, 2, "y,z");
  onnxw_attr_str(w, "kernel_type", kernel);
  onnxw_attr_floats(w, "kernel_params", (float[]){0.5f, 0.25f, 2}, 3);
  onnxw_attr_floats(w, "coefficients", coefficients, n);
  return w;
}

TEST(support_vectors_vote) {
  static const float vectors[] = {1, 0, 0, 1, -1, -1};
  fixture f;
  onnxw *w = machine(&f, 2, "LINEAR", (float[]){1, -1, 0.5f}, 3);
  onnxw_attr_floats(w, "support_vectors", vectors, 6);
  onnxw_attr_ints(w, "vectors_per_class", (int64_t[]){1, 2}, 2);
  onnxw_attr_floats(w, "rho", (float[]){0.25f}, 1);
  onnxw_attr_ints(w, "classlabels_ints", (int64_t[]){3, 4}, 2);
  run(&f, "f32[2,2]{2,1,0,1}", WANT("i64[2]{4,4}", "f32[2,2]{0.25,-0.25,1.25,-1.25}"));
  w = machine(&f, 1, "RBF", (float[]){1, -1, 0.5f, -0.5f, 2, 1}, 6);
  onnxw_attr_floats(w, "support_vectors", vectors, 6);
  onnxw_attr_ints(w, "vectors_per_class", (int64_t[]){1, 1, 1}, 3);
  onnxw_attr_floats(w, "rho", (float[]){0.25f, -0.5f, 0}, 3);
  onnxw_attr_strs(w, "classlabels_strings", (const char *[]){"a", "b", "c"}, 3);
  run(&f, "f32[1,2]{1,1}", WANT("str[1]{\"a\"}", "f32[1,3]{0.25,-0.7941075,1.231377}"));
  w = machine(&f, 1, "POLY", (float[]){1, -1, 0.5f}, 3);
  onnxw_attr_floats(w, "support_vectors", vectors, 6);
  onnxw_attr_ints(w, "vectors_per_class", (int64_t[]){1, 2}, 2);
  onnxw_attr_floats(w, "rho", (float[]){0.25f}, 1);
  onnxw_attr_floats(w, "prob_a", (float[]){-1}, 1);
  onnxw_attr_floats(w, "prob_b", (float[]){0.5f}, 1);
  onnxw_attr_ints(w, "classlabels_ints", (int64_t[]){3, 4}, 2);
  run(&f, "f32[1,2]{2,1}", WANT("i64[1]{3}", "f32[1,2]{0.82218874,0.17781122}"));
}

TEST(support_vector_machines_without_vectors) {
  fixture f;
  onnxw *w = machine(&f, 2, "RBF", (float[]){1, 0, 0, -1}, 4);
  onnxw_attr_floats(w, "rho", (float[]){0}, 1);
  onnxw_attr_ints(w, "classlabels_ints", (int64_t[]){3, 4}, 2);
  run(&f, "f32[2,2]{1,2,-1,1}", WANT("i64[2]{4,3}", "f32[2,2]{1,-2,-1,-1}"));
}

TEST(support_vector_machines_that_are_wrong) {
  fixture f;
  onnxw *w = machine(&f, 1, "LINEAR", (float[]){1, 1}, 2);
  onnxw_attr_floats(w, "rho", (float[]){0}, 1);
  onnxw_attr_ints(w, "vectors_per_class", (int64_t[]){1, 1, 1}, 3);
  onnxw_attr_ints(w, "classlabels_ints", (int64_t[]){3, 4}, 2);
  refuse(&f, WEFT_E_INVALID, "'vectors_per_class' has 3 elements for 2 class labels");
  w = machine(&f, 1, "CUBIC", (float[]){1, 1}, 2);
  onnxw_attr_floats(w, "rho", (float[]){0}, 1);
  onnxw_attr_floats(w, "support_vectors", (float[]){1, 1, 1, 1}, 4);
  onnxw_attr_ints(w, "vectors_per_class", (int64_t[]){1, 1}, 2);
  onnxw_attr_ints(w, "classlabels_ints", (int64_t[]){3, 4}, 2);
  refuse(&f, WEFT_E_UNSUPPORTED, "'kernel_type': expected LINEAR, POLY, RBF or SIGMOID");
  w = machine(&f, 1, "LINEAR", (float[]){1, 1}, 2);
  onnxw_attr_floats(w, "rho", (float[]){0}, 1);
  onnxw_attr_floats(w, "prob_a", (float[]){1}, 1);
  onnxw_attr_ints(w, "classlabels_ints", (int64_t[]){3, 4}, 2);
  refuse(&f, WEFT_E_INVALID, "'prob_a' has 1 elements, 'prob_b' 0");
}

TEST(rows_become_maps) {
  fixture f;
  onnxw *w = model(&f, "ZipMap", 1, ONNX_FLOAT, 1, 2, "y");
  onnxw_attr_strs(w, "classlabels_strings", (const char *[]){"a", "b"}, 2);
  f.maps = ONNX_STRING;
  run(&f, "f32[1,2]{0.5,2}", WANT("maps(str[2]{\"a\",\"b\"},f32[1,2]{0.5,2})"));
  w = model(&f, "ZipMap", 1, ONNX_FLOAT, 3, -1, "y");
  onnxw_attr_ints(w, "classlabels_int64s", (int64_t[]){7, 8, 9}, 3);
  f.maps = ONNX_INT64;
  run(&f, "f32[3]{0.5,2,4}", WANT("maps(i64[3]{7,8,9},f32[1,3]{0.5,2,4})"));
  w = model(&f, "ZipMap", 1, ONNX_FLOAT, 1, 2, "y");
  refuse(&f, WEFT_E_MISSING, "'classlabels_int64s' and 'classlabels_strings' is needed");
}

// A model of one node over a map.
static onnxw *map_model(fixture *f, const char *op, int32_t keys, int32_t values) {
  onnxw *w = &f->w;
  open_env(f);
  onnxw_begin(w, &f->text, 8, 17);
  onnxw_opset(w, "ai.onnx.ml", 1);
  onnxw_graph(w, "g");
  onnxw_open(w, 11);  // ValueInfoProto
  onnxw_str(w, 1, "x");
  // TypeProto, Map
  onnxw_open(w, 2);
  onnxw_open(w, 5);
  onnxw_int(w, 1, keys);
  // TypeProto, Tensor
  onnxw_open(w, 2);
  onnxw_open(w, 1);
  onnxw_int(w, 1, values);
  for (int i = 0; i < 5; i++)
    onnxw_close(w);
  onnxw_op(w, op, "node", "x", "y");
  onnxw_domain(w, "ai.onnx.ml");
  return w;
}

TEST(maps_become_rows) {
  fixture f;
  onnxw *w = map_model(&f, "DictVectorizer", ONNX_STRING, ONNX_FLOAT);
  onnxw_attr_strs(w, "string_vocabulary", (const char *[]){"a", "b"}, 2);
  run(&f, "map(str[2]{\"b\",\"z\"},f32[2]{1.5,2})", WANT("f32[1,2]{0,1.5}"));
  w = map_model(&f, "CastMap", ONNX_INT64, ONNX_FLOAT);
  run(&f, "map(i64[2]{7,-3},f32[2]{1.5,2})", WANT("f32[1,2]{2,1.5}"));
  w = map_model(&f, "CastMap", ONNX_INT64, ONNX_STRING);
  onnxw_attr_str(w, "map_form", "SPARSE");
  onnxw_attr_int(w, "max_map", 3);
  onnxw_attr_str(w, "cast_to", "TO_INT64");
  run(&f, "map(i64[2]{7,1},str[2]{\"5\",\"6\"})", WANT("i64[1,3]{0,6,0}"));
  w = map_model(&f, "CastMap", ONNX_INT64, ONNX_STRING);
  onnxw_attr_str(w, "map_form", "SPARSE");
  onnxw_attr_int(w, "max_map", 2);
  onnxw_attr_str(w, "cast_to", "TO_STRING");
  run(&f, "map(i64[1]{1},str[1]{\"5\"})", WANT("str[1,2]{\"0.f\",\"5\"}"));
  w = map_model(&f, "CastMap", ONNX_INT64, ONNX_FLOAT);
  onnxw_attr_str(w, "cast_to", "TO_STRING");
  run(&f, "map(i64[3]{0,1,6},f32[3]{1.5,-2,0.1})", WANT("str[1,3]{\"1.500000\",\"-2.000000\",\"0.100000\"}"));
  w = map_model(&f, "CastMap", ONNX_INT64, ONNX_FLOAT);
  onnxw_attr_str(w, "cast_to", "TO_STRING");
  onnxw_attr_str(w, "map_form", "SPARSE");
  onnxw_attr_int(w, "max_map", 3);
  run(&f, "map(i64[2]{0,9},f32[2]{1e10,1})", WANT("str[1,3]{\"10000000000.000000\",\"0.f\",\"0.f\"}"));
  w = map_model(&f, "CastMap", ONNX_FLOAT, ONNX_FLOAT);  // no map has such keys
  refuse(&f, WEFT_E_UNSUPPORTED, "nor a map from integers or strings");
}
// SPDX-License-Identifier: Apache-2.0
