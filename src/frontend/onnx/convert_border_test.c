// convert_border_test.c - another float type inside, the same inputs and outputs: types, names, results.
#include "convert_fixture.h"

static const int64_t dims[1] = {3};

static size_t casts(const onnx_model *m) {
  size_t n = 0;
  for (size_t i = 0; i < m->graph->nodes.n; i++)
    n += onnx_str_is(m->graph->nodes.v[i].op_type, "Cast");
  return n;
}

TEST(inputs_and_outputs_stay_f32) {
  fixture f;
  conv_bn(&f, true, true);
  CONVERT(&f, .floats = WEFT_CONVERT_F16, .keep_io = true, .annotate = true);
  CHECK_STR(INPUT(&f, "x"), "1[2,3,5,5]");
  CHECK_STR(OUTPUT(&f, "y"), "1[2,2,5,5]");
  CHECK_STR(INFO(&f, "c"), "10[2,2,5,5]");
  CHECK_STR(INFO(&f, "x_f16"), "10[2,3,5,5]");
  CHECK_INT(initializer(f.model, "w")->data_type, ONNX_FLOAT16);
  CHECK_INT(casts(f.model), 4);  // x; y, z, r
  CHECK_HAS(f.said.text, "4 Casts at inputs and outputs, which stay f32");
  same_results(f.e, &f.in, &f.out, 2e-3);
  finish(&f);
}

// Outputs that nodes read, that no node makes, that a Cast makes; an input that nobody reads.
TEST(every_way_to_be_an_output) {
  fixture f;
  onnxw *w = &f.w;
  begin(&f, 8, 17);
  onnxw_graph(w, "g");
  onnxw_input(w, "x", ONNX_FLOAT, 1, dims, NULL);
  onnxw_input(w, "unread", ONNX_FLOAT, 1, dims, NULL);
  onnxw_input(w, "n", ONNX_INT64, 1, dims, NULL);
  onnxw_init_f32(w, "k", 1, dims, (const float[]){1, 2, 3});
  onnxw_op(w, "Mul", NULL, "x,k", "read");
  onnxw_op(w, "Neg", NULL, "read", "y");
  onnxw_op(w, "Cast", NULL, "n", "cast");
  onnxw_attr_int(w, "to", ONNX_FLOAT);
  const char *const names[] = {"read", "y", "cast", "k", "x"};
  for (size_t i = 0; i < 5; i++)
    onnxw_output(w, names[i], ONNX_FLOAT, 1, dims, NULL);
  CONVERT(&f, .floats = WEFT_CONVERT_F16, .keep_io = true);
  for (size_t i = 0; i < 5; i++)
    CHECK_STR(OUTPUT(&f, names[i]), "1[3]");
  CHECK_STR(INPUT(&f, "unread"), "1[3]");
  CHECK_STR(INPUT(&f, "n"), "7[3]");
  CHECK_INT(casts(f.model), 5);  // x, k, read, y and the model's own
  same_results(f.e, &f.in, &f.out, 2e-3);
  finish(&f);
}

static void branch_on(fixture *f, const char *read, bool shadow) {
  onnxw *w = &f->w;
  begin(f, 8, 17);
  onnxw_graph(w, "g");
  onnxw_input(w, "x", ONNX_FLOAT, 1, dims, NULL);
  onnxw_input(w, "c", ONNX_BOOL, 0, NULL, NULL);
  onnxw_op(w, "Neg", NULL, "x", "y");
  onnxw_op(w, "If", NULL, "c", "z");
  for (int b = 0; b < 2; b++) {
    onnxw_attr_graph(w, b ? "else_branch" : "then_branch", b ? "else" : "then");
    if (shadow)
      onnxw_op(w, "Abs", NULL, read, "x");
    else
      onnxw_op(w, b ? "CumSum" : "Abs", NULL, b ? "y,axis" : read, b ? "t" : "s");
    onnxw_output(w, shadow ? "x" : b ? "t" : "s", ONNX_FLOAT, 1, dims, NULL);
    onnxw_attr_graph_end(w);
  }
  onnxw_init_raw(w, "axis", ONNX_INT64, 0, NULL, (const int64_t[]){0}, 8);
  onnxw_output(w, "y", ONNX_FLOAT, 1, dims, NULL);
  onnxw_output(w, "z", ONNX_FLOAT, 1, dims, NULL);
}

TEST(bodies_read_the_inner_side) {
  fixture f;
  branch_on(&f, "x", false);
  CONVERT(&f, .floats = WEFT_CONVERT_F16, .keep_io = true);
  CHECK_STR(OUTPUT(&f, "z"), "1[3]");
  CHECK_STR(INPUT(&f, "c"), "9[]");
  same_results(f.e, &f.in, &f.out, 2e-3);
  finish(&f);
}

TEST(a_body_that_makes_an_input_anew_is_refused) {
  fixture f;
  branch_on(&f, "y", true);
  weft_status s = convert(&f, (weft_convert_options){.floats = WEFT_CONVERT_F16, .keep_io = true});
  CHECK(s != WEFT_OK);
  finish(&f);
}

TEST(the_way_back_keeps_f16) {
  fixture f;
  onnxw *w = &f.w;
  begin(&f, 8, 17);
  onnxw_graph(w, "g");
  onnxw_input(w, "x", ONNX_FLOAT16, 1, dims, NULL);
  onnxw_op(w, "Neg", NULL, "x", "y");
  onnxw_output(w, "y", ONNX_FLOAT16, 1, dims, NULL);
  CONVERT(&f, .floats = WEFT_CONVERT_F32, .keep_io = true, .annotate = true);
  CHECK_STR(INPUT(&f, "x"), "10[3]");
  CHECK_STR(OUTPUT(&f, "y"), "10[3]");
  CHECK_STR(INFO(&f, "x_f32"), "1[3]");
  CHECK_STR(ops(f.model), "Cast Neg Cast");
  same_results(f.e, &f.in, &f.out, 0);
  finish(&f);
}

// ---- bf16: eight bits of mantissa, the range of f32 ----

static void head_bf16(fixture *f, int64_t opset) {
  onnxw *w = &f->w;
  begin(f, 9, opset);
  onnxw_graph(w, "g");
  onnxw_input(w, "x", ONNX_FLOAT, 1, dims, NULL);
}

TEST(bf16_keeps_nodes_without_a_form_in_f32) {
  fixture f;
  conv_bn(&f, true, true);  // operator set 15: Conv takes bf16 from 22 on
  CONVERT(&f, .floats = WEFT_CONVERT_BF16, .keep_io = true, .annotate = true);
  CHECK_STR(INPUT(&f, "x"), "1[2,3,5,5]");
  CHECK_STR(OUTPUT(&f, "y"), "1[2,2,5,5]");
  CHECK_STR(INFO(&f, "c"), "16[2,2,5,5]");
  CHECK_STR(INFO(&f, "x_bf16"), "16[2,3,5,5]");
  CHECK_INT(initializer(f.model, "w")->data_type, ONNX_FLOAT);  // Conv reads it
  CHECK_INT(initializer(f.model, "scale")->data_type, ONNX_BFLOAT16);
  CHECK_HAS(f.said.text, "node 'conv' (Conv) has no bf16 form in opset 15: Casts put around it");
  CHECK_HAS(f.said.text, "2 initializers stay f32, as their readers ask");
  CHECK_HAS(f.said.text, "4 tensors converted to bf16");
  same_results(f.e, &f.in, &f.out, 3e-2);
  finish(&f);
}

TEST(bf16_in_a_new_operator_set_needs_no_casts) {
  fixture f;
  onnxw *w = &f.w;
  head_bf16(&f, 22);
  onnxw_init_f32(w, "k", 1, dims, (const float[]){1, 3e38f, 3.4028e38f});
  onnxw_op(w, "Sin", NULL, "x", "s");
  onnxw_op(w, "Identity", NULL, "k", "y");
  onnxw_output(w, "s", ONNX_FLOAT, 1, dims, NULL);
  onnxw_output(w, "y", ONNX_FLOAT, 1, dims, NULL);
  CONVERT(&f, .floats = WEFT_CONVERT_BF16);
  CHECK_STR(ops(f.model), "Sin Identity");
  CHECK_STR(OUTPUT(&f, "s"), "16[3]");
  CHECK_HAS(f.said.text, "1 numbers beyond bf16 became 3.39e38 or -3.39e38");
  same_results(f.e, &f.in, &f.out, 1.0 / 128);
  finish(&f);
}

// Types named by attributes, by default values and in sequences.
TEST(bf16_attributes_of_nodes_in_f32_stay) {
  fixture f;
  onnxw *w = &f.w;
  head_bf16(&f, 17);
  onnxw_init_raw(w, "three", ONNX_INT64, 1, (const int64_t[]){1}, (const int64_t[]){3}, 8);
  onnxw_init_raw(w, "zero", ONNX_INT64, 0, NULL, (const int64_t[]){0}, 8);
  onnxw_op(w, "ConstantOfShape", NULL, "three", "fill");
  onnxw_op(w, "SequenceEmpty", NULL, NULL, "empty");
  onnxw_op(w, "SequenceInsert", NULL, "empty,x", "list");
  onnxw_op(w, "SequenceAt", NULL, "list,zero", "at");
  onnxw_op(w, "Add", NULL, "at,fill", "sum");
  onnxw_op(w, "Cast", NULL, "three", "cast");
  onnxw_attr_int(w, "to", ONNX_FLOAT);
  onnxw_op(w, "Mul", NULL, "sum,cast", "y");
  onnxw_output(w, "y", ONNX_FLOAT, 1, dims, NULL);
  CONVERT(&f, .floats = WEFT_CONVERT_BF16, .keep_io = true);
  CHECK_HAS(f.said.text, "(ConstantOfShape) has no bf16 form in opset 17");
  CHECK_STR(OUTPUT(&f, "y"), "1[3]");
  same_results(f.e, &f.in, &f.out, 1.0 / 64);
  finish(&f);
}

// Masks hold the least number of f32, which a Cast to bf16 would make infinite.
TEST(bf16_of_masks_is_finite) {
  static const float least[1] = {-3.40282347e38f};
  fixture f;
  onnxw *w = &f.w;
  head_bf16(&f, 15);
  onnxw_init_raw(w, "three", ONNX_INT64, 1, (const int64_t[]){1}, (const int64_t[]){3}, 8);
  onnxw_init_f32(w, "least", 1, (const int64_t[]){1}, least);
  onnxw_op(w, "ConstantOfShape", NULL, "three", "fill");
  onnxw_attr_tensor(w, "value", ONNX_FLOAT, 1, (const int64_t[]){1}, least, 4);
  onnxw_op(w, "Less", NULL, "x,fill", "c");
  onnxw_op(w, "Where", NULL, "c,x,least", "y");  // f32 in operator set 15
  onnxw_output(w, "fill", ONNX_FLOAT, 1, dims, NULL);
  onnxw_output(w, "y", ONNX_FLOAT, 1, dims, NULL);
  CONVERT(&f, .floats = WEFT_CONVERT_BF16, .keep_io = true);
  CHECK_INT(initializer(f.model, "least")->data_type, ONNX_BFLOAT16);
  CHECK_HAS(f.said.text, "2 numbers beyond bf16 became 3.39e38 or -3.39e38");
  same_results(f.e, &f.in, &f.out, 1.0 / 128);
  finish(&f);
}

TEST(bf16_in_bodies) {
  fixture f;
  branch_on(&f, "x", false);
  CONVERT(&f, .floats = WEFT_CONVERT_BF16, .keep_io = true);
  CHECK_STR(OUTPUT(&f, "z"), "1[3]");
  same_results(f.e, &f.in, &f.out, 1.0 / 64);
  finish(&f);
}

TEST(bf16_says_which_operator_set_it_needs) {
  static const struct {
    int64_t opset;
    const char *has;
  } cases[] = {
      {12, "the model's operator set is 12, and ONNX has bf16 from 13 on"},
      {15, "(If) takes bf16 from operator set 16 on, and the model's is 15"},
  };
  for (size_t i = 0; i < WEFT_COUNT(cases); i++) {
    fixture f;
    onnxw *w = &f.w;
    head_bf16(&f, cases[i].opset);
    onnxw_input(w, "c", ONNX_BOOL, 0, NULL, NULL);
    onnxw_op(w, "If", NULL, "c", "y");
    for (int b = 0; b < 2; b++) {
      onnxw_attr_graph(w, b ? "else_branch" : "then_branch", "branch");
      onnxw_op(w, b ? "Neg" : "Abs", NULL, "x", b ? "t" : "s");
      onnxw_output(w, b ? "t" : "s", ONNX_FLOAT, 1, dims, NULL);
      onnxw_attr_graph_end(w);
    }
    onnxw_output(w, "y", ONNX_FLOAT, 1, dims, NULL);
    CHECK_FAILS(convert(&f, (weft_convert_options){.floats = WEFT_CONVERT_BF16}), WEFT_E_UNSUPPORTED);
    CHECK_HAS(f.d.text, cases[i].has);
    finish(&f);
  }
}
// SPDX-License-Identifier: Apache-2.0
