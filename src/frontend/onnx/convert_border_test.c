// convert_border_test.c - another float type inside, the same inputs and outputs: types, names, results.
#include "convert_fixture.h"

static const int64_t dims[1] = {3};

static size_t casts(const onnx_model *m) {
  size_t n = 0;
  for (size_t i = 0; i < m->graph->nodes.n; i++) n += onnx_str_is(m->graph->nodes.v[i].op_type, "Cast");
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
  for (size_t i = 0; i < 5; i++) onnxw_output(w, names[i], ONNX_FLOAT, 1, dims, NULL);
  CONVERT(&f, .floats = WEFT_CONVERT_F16, .keep_io = true);
  for (size_t i = 0; i < 5; i++) CHECK_STR(OUTPUT(&f, names[i]), "1[3]");
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
