// convert_test.c - ONNX to ONNX: the converted model computes the same, and what no option concerns stays
// byte for byte.
#include "convert_fixture.h"

// ---- what stays ----

// Functions, metadata, doc strings, and fields that weft does not know, in the model, the graph and a node.
static void rich_model(fixture *f) {
  onnxw *w = &f->w;
  begin(f, 8, 17);
  onnxw_str(w, 3, "producer 1");
  onnxw_str(w, 4, "my.domain");
  onnxw_str(w, 6, "about the model");
  onnxw_opset(w, "my", 1);
  onnxw_metadata(w, "key", "text");
  onnxw_str(w, 999, "unknown to weft");
  onnxw_graph(w, "g");
  onnxw_str(w, 10, "about the graph");
  onnxw_str(w, 998, "unknown too");
  onnxw_input(w, "x", ONNX_FLOAT, 2, DIMS(-1, 4), (const char *[]){"n", NULL});
  onnxw_init_f32(w, "b", 1, DIMS(4), (const float[]){1, 2, 3, 4});
  onnxw_op(w, "Add", "add1", "x,b", "sum");
  onnxw_str(w, 6, "about the node");
  onnxw_op(w, "Double", "call", "sum", "twice");
  onnxw_domain(w, "my");
  onnxw_op(w, "Relu", "relu", "twice", "y");
  onnxw_output(w, "y", ONNX_FLOAT, 2, DIMS(-1, -1), (const char *[]){"n", NULL});
  onnxw_function(w, "my", "Double", "a", "c", NULL);
  onnxw_opset(w, "", 17);
  onnxw_op(w, "Add", "inner", "a,a", "c");
  onnxw_function_end(w);
  CHECK(!onnxw_finish(w, &f->d));
}

TEST(without_options_the_bytes_stay) {
  fixture f;
  rich_model(&f);
  CONVERT(&f, .keep_metadata = true);
  CHECK_INT(f.out.n, f.in.n);
  CHECK(f.out.n == f.in.n && !memcmp(f.out.v, f.in.v, f.in.n));
  CONVERT(&f, .keep_metadata = false);
  CHECK(onnx_str_is(f.model->producer_name, "weft") &&
        onnx_str_is(f.model->producer_version, weft_version()));
  CHECK(onnx_str_is(f.model->domain, "my.domain"));
  finish(&f);
}

// The data alone change: nothing becomes another operator, and a function that weft cannot fold stays.
TEST(weights_take_the_place_of_an_initializer) {
  fixture f;
  static const float numbers[4] = {9, 8, 7, 6};
  const char *b = "b";
  const char *none = "none";
  weft_tensor t;
  weft_tensor other;
  const weft_tensor *v = &t;
  const weft_tensor *wrong = &other;
  rich_model(&f);
  weft_tensor_init(&t, NULL);
  weft_tensor_init(&other, NULL);
  CHECK(!weft_tensor_borrow(&t, WEFT_FLOAT, DIMS(4), 1, (void *)(uintptr_t)numbers, sizeof numbers, &f.d));
  CONVERT(&f, .weight_names = &b, .weights = &v, .n_weights = 1, .keep_metadata = true);
  CHECK(strstr(f.said.text, "initializers with other data: 1 of 1"));
  CHECK_STR(ops(f.model), "Add Double Relu");
  const onnx_tensor *init = &f.model->graph->initializers.v[0];
  CHECK(onnx_str_is(init->name, "b") && init->data_type == ONNX_FLOAT);
  CHECK(init->raw.bytes == sizeof numbers && !memcmp(init->raw.text, numbers, sizeof numbers));
  CHECK_INT(convert(&f, (weft_convert_options){.weight_names = &none, .weights = &v, .n_weights = 1}),
            WEFT_E_NOT_FOUND);
  CHECK(!weft_tensor_borrow(&other, WEFT_FLOAT, DIMS(2, 2), 2, (void *)(uintptr_t)numbers, sizeof numbers,
                            &f.d));
  CHECK_INT(convert(&f, (weft_convert_options){.weight_names = &b, .weights = &wrong, .n_weights = 1}),
            WEFT_E_SHAPE);
  CHECK(strstr(f.d.text, "initializer 'b': [2,2] is not its shape"));
  CHECK(
      !weft_tensor_borrow(&other, WEFT_INT32, DIMS(4), 1, (void *)(uintptr_t)numbers, sizeof numbers, &f.d));
  CHECK_INT(convert(&f, (weft_convert_options){.weight_names = &b, .weights = &wrong, .n_weights = 1}),
            WEFT_E_DTYPE);
  finish(&f);
}

TEST(names_docs_metadata_functions_and_unknown_fields_stay) {
  fixture f;
  rich_model(&f);
  CONVERT(&f, .annotate = true, .simplify = true, .keep_metadata = true);
  CHECK_STR(ops(f.model), "Add Double Relu");
  CHECK(onnx_str_is(f.model->producer_version, "producer 1") && onnx_str_is(f.model->doc, "about the model"));
  CHECK(f.model->metadata_props.n == 1 && f.model->functions.n == 1 && f.model->opset_imports.n == 2);
  CHECK(onnx_str_is(f.model->graph->doc, "about the graph") &&
        onnx_str_is(f.model->graph->nodes.v[0].doc, "about the node"));
  CHECK(onnx_str_is(f.model->graph->nodes.v[0].name, "add1"));
  const char *unknown[] = {"unknown to weft", "unknown too"};
  for (size_t i = 0; i < 2; i++) {
    bool found = false;
    for (size_t k = 0; k + strlen(unknown[i]) <= f.out.n; k++)
      found |= !memcmp(f.out.v + k, unknown[i], strlen(unknown[i]));
    CHECK(found);
  }
  same_results(f.e, &f.in, &f.out, 0);
  finish(&f);
}

TEST(annotate_writes_types_and_symbols) {
  fixture f;
  rich_model(&f);
  CONVERT(&f, .annotate = true);
  CHECK_STR(INFO(&f, "sum"), "1[n,4]");
  CHECK_STR(INFO(&f, "twice"), "1[n,4]");
  CHECK_STR(INFO(&f, "y"), "none");
  CHECK_STR(OUTPUT(&f, "y"), "1[n,4]");
  CHECK_HAS(f.said.text, "types of 2 of 2 inner values and 1 of 1 outputs written");
  weft_text first = f.out;  // again: nothing changes
  weft_allocator a = weft_allocator_default();
  weft__text_init(&f.out, &a);
  weft_convert_options o = {.annotate = true};
  CHECK(!weft_onnx_convert(f.e, first.v, first.n, "again", &o, weft__text_write, &f.out, &f.d));
  CHECK(first.n == f.out.n && !memcmp(first.v, f.out.v, first.n));
  weft__text_deinit(&first);
  finish(&f);
}

// ---- simplify ----

TEST(own_networks_compute_the_same) {
  weft_env *e = env_plain();
  weft_allocator a = weft_allocator_default();
  for (size_t i = 0; model_names[i]; i++) {
    static model m;
    weft_diag d = {0};
    weft_text out;
    weft_text again;
    weft_convert_summary sum = {0};
    weft_convert_options o = {.size = sizeof o, .simplify = true, .annotate = true, .summary = &sum};
    weft__text_init(&out, &a);
    weft__text_init(&again, &a);
    CHECK(model_make(&m, model_names[i], &d));
    weft_status s = weft_onnx_convert(e, m.text.v, m.text.n, model_names[i], &o, weft__text_write, &out, &d);
    if (s)
      check_failed(__FILE__, __LINE__, "%s: %s", model_names[i], d.text);
    CHECK(sum.nodes_after <= sum.nodes_before && sum.nodes_after > 0);
    if (!strcmp(model_names[i], "conv_bn_relu_pool"))
      CHECK(sum.nodes_after < sum.nodes_before);
    if (!s)
      same_results(e, &m.text, &out, 2e-6);
    if (!s)
      CHECK(!weft_onnx_convert(e, out.v, out.n, model_names[i], &o, weft__text_write, &again, &d));
    CHECK(again.n == out.n && (!out.n || !memcmp(again.v, out.v, out.n)));  // a second run changes nothing
    weft__text_deinit(&out);
    weft__text_deinit(&again);
    model_free(&m);
  }
  weft_env_destroy(e);
}

TEST(shape_arithmetic_becomes_initializers) {
  fixture f;
  shape_chain(&f, 8, 2);
  CONVERT(&f, .simplify = true);
  CHECK_STR(ops(f.model), "Reshape Mul");
  CHECK(onnx_str_is(f.model->graph->nodes.v[1].outputs.v[0],
                    "y"));  // the output's name stays, its producer changes
  CHECK(onnx_str_is(f.model->graph->nodes.v[1].name, "mul"));
  const onnx_tensor *target = initializer(f.model, "target");
  CHECK(target && target->dims.n == 1 && target->dims.v[0] == 2 && target->raw.bytes == 16);
  CHECK_INT(f.model->graph->initializers.n, 2);
  CHECK_INT(f.model->graph->inputs.n, 1);
  CHECK_HAS(f.said.text, "nodes: 11 -> 2, initializers: 0 -> 2");
  CHECK_HAS(f.said.text, "nodes removed that hand their input through: 2 (Identity 2)");
  CHECK_HAS(f.said.text, "nodes removed that nobody reads: 1 (Neg 1)");
  same_results(f.e, &f.in, &f.out, 0);
  finish(&f);
}

// The batch is not known: the target copies it.
TEST(shape_arithmetic_with_unknown_dims) {
  fixture f;
  shape_chain(&f, 8, -1);
  CONVERT(&f, .simplify = true, .annotate = true);
  CHECK_STR(ops(f.model), "Reshape Mul");
  CHECK_HAS(f.said.text, "targets of Reshape that are numbers now: 1");
  CHECK_STR(OUTPUT(&f, "y"), "1[n,12]");
  same_results(f.e, &f.in, &f.out, 0);
  CONVERT(&f, .simplify = true, .batch = 5);
  CHECK_STR(ops(f.model), "Reshape Mul");
  CHECK_STR(INPUT(&f, "x"), "1[5,3,4]");
  CHECK_STR(OUTPUT(&f, "y"), "1[5,12]");
  finish(&f);
}

// Before IR version 4 every initializer is an input as well.
TEST(old_ir_lists_new_initializers_as_inputs) {
  fixture f;
  shape_chain(&f, 3, 2);
  CONVERT(&f, .simplify = true);
  CHECK_INT(f.model->graph->inputs.n, 3);
  CHECK_STR(INPUT(&f, "target"), "7[2]");
  CHECK_STR(INPUT(&f, "two"), "1[]");
  same_results(f.e, &f.in, &f.out, 0);
  finish(&f);
}

TEST(values_over_the_limit_and_fills_stay_computed) {
  fixture f;
  onnxw *w = &f.w;
  begin(&f, 8, 17);
  onnxw_graph(w, "g");
  onnxw_input(w, "x", ONNX_FLOAT, 1, DIMS(2000), NULL);
  onnxw_init_i64(w, "shape", 1, DIMS(1), DIMS(2000));
  onnxw_init_f32(w, "start", 0, NULL, (const float[]){0});
  onnxw_init_f32(w, "limit", 0, NULL, (const float[]){2000});
  onnxw_init_f32(w, "step", 0, NULL, (const float[]){1});
  onnxw_op(w, "ConstantOfShape", NULL, "shape", "zeros");
  onnxw_op(w, "Range", NULL, "start,limit,step", "count");
  onnxw_op(w, "Add", NULL, "x,zeros", "a");
  onnxw_op(w, "Add", NULL, "a,count", "y");
  onnxw_output(w, "y", ONNX_FLOAT, 1, DIMS(2000), NULL);
  CONVERT(&f, .simplify = true);
  CHECK_STR(ops(f.model),
            "ConstantOfShape Add Add");  // 8000 zeros are not worth their bytes; counting is data
  CHECK(initializer(f.model, "count") && initializer(f.model, "count")->raw.bytes == 8000);
  same_results(f.e, &f.in, &f.out, 0);
  CONVERT(&f, .simplify = true, .max_value_bytes = 7999);
  CHECK_STR(ops(f.model), "ConstantOfShape Range Add Add");
  finish(&f);
}

TEST(no_ops_and_equal_initializers_go) {
  fixture f;
  onnxw *w = &f.w;
  begin(&f, 8, 13);
  onnxw_graph(w, "g");
  onnxw_input(w, "x", ONNX_FLOAT, 3, DIMS(1, 4, 2), NULL);
  onnxw_init_f32(w, "a", 1, DIMS(2), (const float[]){1, 2});
  onnxw_init_f32(w, "b", 1, DIMS(2), (const float[]){1, 2});
  onnxw_init_f32(w, "other_shape", 2, DIMS(1, 2), (const float[]){1, 2});
  onnxw_init_f32(w, "unread", 1, DIMS(2), (const float[]){5, 5});
  onnxw_init_i64(w, "same", 1, DIMS(3), DIMS(0, -1, 2));
  onnxw_op(w, "Reshape", NULL, "x,same", "r");
  onnxw_op(w, "Cast", NULL, "r", "c");
  onnxw_attr_int(w, "to", ONNX_FLOAT);
  onnxw_op(w, "Transpose", NULL, "c", "t");  // [1,4,2] to [4,1,2]: moves a dim of 1, but the shape changes
  onnxw_attr_ints(w, "perm", DIMS(1, 0, 2), 3);
  onnxw_op(w, "Transpose", NULL, "t", "u");
  onnxw_attr_ints(w, "perm", DIMS(0, 1, 2), 3);
  onnxw_op(w, "Dropout", NULL, "u", "v,mask");
  onnxw_op(w, "Add", NULL, "v,a", "p");
  onnxw_op(w, "Mul", NULL, "p,b", "q");
  onnxw_op(w, "Sub", NULL, "q,other_shape", "z");
  onnxw_op(w, "Identity", NULL, "x", "y");  // an input as output: nothing else can make it
  onnxw_output(w, "y", ONNX_FLOAT, 3, DIMS(1, 4, 2), NULL);
  onnxw_output(w, "z", ONNX_FLOAT, 3, DIMS(4, 1, 2), NULL);
  CONVERT(&f, .simplify = true);
  CHECK_STR(ops(f.model), "Transpose Add Mul Sub Identity");
  CHECK(initializer(f.model, "a") && !initializer(f.model, "b") && initializer(f.model, "other_shape"));
  CHECK(!initializer(f.model, "unread") && !initializer(f.model, "same"));
  CHECK(onnx_str_is(f.model->graph->nodes.v[2].inputs.v[1], "a"));
  CHECK_HAS(f.said.text, "initializers merged with equal ones: 1 (8 bytes)");
  same_results(f.e, &f.in, &f.out, 0);
  finish(&f);
}

TEST(batch_norm_goes_into_conv) {
  for (int bias = 0; bias < 2; bias++) {
    fixture f;
    conv_bn(&f, bias != 0, false);
    CONVERT(&f, .simplify = true);
    CHECK_STR(ops(f.model), "Conv Conv");
    CHECK(onnx_str_is(f.model->graph->nodes.v[0].name, "conv") &&
          onnx_str_is(f.model->graph->nodes.v[0].outputs.v[0], "y"));
    CHECK(initializer(f.model, "w") != NULL);  // the other Conv reads the weights as they were
    CHECK_INT(f.model->graph->initializers.n, 3);
    same_results(f.e, &f.in, &f.out, 1e-6);
    finish(&f);
  }
  fixture f;
  conv_bn(&f, true, true);
  CONVERT(&f, .simplify = true);
  CHECK_STR(ops(f.model), "Conv BatchNormalization Conv Relu");
  finish(&f);
}

// A body reads values of the graph around it by name: those names stay.
TEST(names_read_in_bodies_stay) {
  fixture f;
  onnxw *w = &f.w;
  begin(&f, 8, 13);
  onnxw_graph(w, "g");
  onnxw_input(w, "x", ONNX_FLOAT, 1, DIMS(3), NULL);
  onnxw_input(w, "c", ONNX_BOOL, 0, NULL, NULL);
  onnxw_op(w, "Identity", NULL, "x", "held");
  onnxw_op(w, "Constant", NULL, NULL, "k");
  onnxw_attr_float(w, "value_float", 3);
  onnxw_op(w, "If", "if", "c", "y");
  onnxw_attr_graph(w, "then_branch", "then");
  onnxw_op(w, "Mul", NULL, "held,k", "t");
  onnxw_output(w, "t", ONNX_FLOAT, 1, DIMS(3), NULL);
  onnxw_attr_graph_end(w);
  onnxw_attr_graph(w, "else_branch", "else");
  onnxw_op(w, "Add", NULL, "held,x", "e");
  onnxw_output(w, "e", ONNX_FLOAT, 1, DIMS(3), NULL);
  onnxw_attr_graph_end(w);
  onnxw_output(w, "y", ONNX_FLOAT, 1, DIMS(3), NULL);
  CONVERT(&f, .simplify = true, .annotate = true);
  CHECK_STR(ops(f.model), "Identity If");
  CHECK(initializer(f.model, "k") != NULL);
  same_results(f.e, &f.in, &f.out, 0);
  CONVERT(&f, .floats = WEFT_CONVERT_F16);
  CHECK_STR(INPUT(&f, "x"), "10[3]");
  same_results(f.e, &f.in, &f.out, 1e-3);
  finish(&f);
}
// SPDX-License-Identifier: Apache-2.0
