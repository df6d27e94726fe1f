// convert_parts_test.c - ONNX to ONNX: cut, reshaped and retyped models; hostile or unfit input is refused
// without a byte written.
#include "convert_fixture.h"

// ---- cut ----

TEST(cut_by_names) {
  fixture f;
  conv_bn(&f, true, true);
  const char *from[] = {"c"};
  const char *to[] = {"r", "y"};
  CONVERT(&f, .from = from, .n_from = 1, .to = to, .n_to = 2);
  CHECK_STR(ops(f.model), "BatchNormalization Relu");
  CHECK_INT(f.model->graph->inputs.n, 1);
  CHECK_STR(INPUT(&f, "c"), "1[2,2,5,5]");
  CHECK(onnx_str_is(f.model->graph->outputs.v[0].name, "r") &&
        onnx_str_is(f.model->graph->outputs.v[1].name, "y"));
  CHECK(!initializer(f.model, "w") && !initializer(f.model, "b") && initializer(f.model, "mean"));
  weft_tensor out[MOST];
  CHECK_INT(run(f.e, f.out.v, f.out.n, out), 2);
  for (size_t i = 0; i < MOST; i++)
    weft_tensor_deinit(&out[i]);
  // an initializer becomes an input
  const char *weights[] = {"w"};
  const char *conv[] = {"c"};
  CONVERT(&f, .from = weights, .n_from = 1, .to = conv, .n_to = 1);
  CHECK_STR(ops(f.model), "Conv");
  CHECK_STR(INPUT(&f, "w"), "1[2,3,1,1]");
  CHECK_STR(INPUT(&f, "x"), "1[2,3,5,5]");
  CHECK(!initializer(f.model, "w") && initializer(f.model, "b"));
  CHECK_HAS(f.said.text, "input 'x' is still read and stays");
  finish(&f);
}

TEST(cut_refuses_unknown_names) {
  fixture f;
  conv_bn(&f, true, true);
  CHECK_FAILS(convert(&f, (weft_convert_options){.to = (const char *[]){"skale"}, .n_to = 1}),
              WEFT_E_NOT_FOUND);
  CHECK_HAS(f.d.text, "--to: the model has no value 'skale'; did you mean 'scale'?");
  CHECK_FAILS(convert(&f, (weft_convert_options){.from = (const char *[]){"nothing_like_it"}, .n_from = 1}),
              WEFT_E_NOT_FOUND);
  CHECK_HAS(f.d.text, "--from: the model has no value 'nothing_like_it'");
  CHECK_FAILS(convert(&f, (weft_convert_options){.to = (const char *[]){"y", "y"}, .n_to = 2}),
              WEFT_E_DUPLICATE);
  finish(&f);
}

// Operators that weft does not import, outside the part that is asked for.
TEST(cut_around_unknown_operators) {
  fixture f;
  onnxw *w = &f.w;
  begin(&f, 8, 13);
  onnxw_graph(w, "g");
  onnxw_input(w, "x", ONNX_FLOAT, 2, DIMS(2, 3), NULL);
  onnxw_op(w, "Relu", NULL, "x", "r");
  onnxw_op(w, "Strange", NULL, "r", "s");
  onnxw_domain(w, "somebody.else");
  onnxw_op(w, "Neg", NULL, "s", "n");
  onnxw_op(w, "Abs", NULL, "n", "y");
  onnxw_output(w, "y", ONNX_FLOAT, 2, DIMS(2, 3), NULL);
  onnxw_value_info(w, "s", ONNX_FLOAT, 2, DIMS(2, 3), NULL);
  CONVERT(&f, .to = (const char *[]){"r"}, .n_to = 1);
  CHECK_STR(ops(f.model), "Relu");
  CHECK_STR(OUTPUT(&f, "r"), "1[2,3]");  // inferred of the part
  CONVERT(&f, .from = (const char *[]){"s"}, .n_from = 1, .annotate = true);
  CHECK_STR(ops(f.model), "Neg Abs");
  CHECK_STR(INPUT(&f, "s"), "1[2,3]");  // as the model says
  CHECK_STR(INFO(&f, "n"), "1[2,3]");
  CHECK_FAILS(convert(&f, (weft_convert_options){.from = (const char *[]){"n"}, .n_from = 1}),
              WEFT_E_UNSUPPORTED);
  CHECK_HAS(f.d.text, "--from 'n': its type is not known, as the whole model cannot be inferred");
  CHECK_HAS(f.d.text, "Strange (somebody.else)");
  CHECK_FAILS(convert(&f, (weft_convert_options){.simplify = true}), WEFT_E_UNSUPPORTED);
  CONVERT(&f, .keep_metadata = true);  // nothing asked: nothing needs to be known
  finish(&f);
}

// ---- shapes ----

static void two_inputs(fixture *f) {
  onnxw *w = &f->w;
  begin(f, 8, 13);
  onnxw_graph(w, "g");
  onnxw_input(w, "ids", ONNX_FLOAT, 2, DIMS(-1, -1), (const char *[]){"batch", "seq"});
  onnxw_input(w, "state", ONNX_FLOAT, 3, DIMS(2, -1, -1), (const char *[]){NULL, "batch", "seq"});
  onnxw_op(w, "Add", NULL, "ids,state", "sum");
  onnxw_op(w, "Relu", NULL, "sum", "y");
  onnxw_value_info(w, "sum", ONNX_FLOAT, 3, DIMS(2, -1, -1), (const char *[]){NULL, "batch", "seq"});
  onnxw_output(w, "y", ONNX_FLOAT, 3, DIMS(2, -1, -1), (const char *[]){NULL, "batch", "seq"});
}

TEST(shapes_and_batch) {
  fixture f;
  two_inputs(&f);
  CONVERT(&f, .shapes = (const char *[]){"ids=3,7"}, .n_shapes = 1);
  CHECK_STR(INPUT(&f, "ids"), "1[3,7]");
  CHECK_STR(INPUT(&f, "state"), "1[2,3,7]");  // the same names
  CHECK_STR(INFO(&f, "sum"), "1[2,3,7]");
  CHECK_STR(OUTPUT(&f, "y"), "1[2,3,7]");
  CONVERT(&f, .shapes = (const char *[]){"ids=n,?", "state=2,n,?"}, .n_shapes = 2);
  CHECK_STR(INPUT(&f, "ids"), "1[n,?]");
  CHECK_STR(INPUT(&f, "state"), "1[2,n,?]");
  CONVERT(&f, .batch = 4);
  CHECK_STR(INPUT(&f, "ids"), "1[4,seq]");
  CHECK_STR(INPUT(&f, "state"), "1[2,4,seq]");
  CHECK_STR(OUTPUT(&f, "y"), "1[2,4,seq]");
  CONVERT(&f, .batch = 4, .shapes = (const char *[]){"state=2,4,9"}, .n_shapes = 1);
  CHECK_STR(INPUT(&f, "ids"), "1[4,9]");
  finish(&f);
}

TEST(shapes_that_cannot_be) {
  static const struct {
    const char *shape;
    weft_status status;
    const char *has;
  } bad[] = {
      {"ids", WEFT_E_SYNTAX, "no name"},
      {"=1,2", WEFT_E_SYNTAX, "no name"},
      {"ids=1,,2", WEFT_E_SYNTAX, "a dim is empty"},
      {"ids=1,2,", WEFT_E_SYNTAX, "a dim is empty"},
      {"ids=1,-2", WEFT_E_SYNTAX, "a dim is no number"},
      {"ids=1,99999999999999999999", WEFT_E_SYNTAX, "a dim is no number"},
      {"ids=1,2,3", WEFT_E_SHAPE, "the input has rank 2, got 3 dims"},
      {"other=1,2", WEFT_E_NOT_FOUND, "no input 'other'; its inputs: ids, state"},
  };
  fixture f;
  two_inputs(&f);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    CHECK_FAILS(convert(&f, (weft_convert_options){.shapes = &bad[i].shape, .n_shapes = 1}), bad[i].status);
    CHECK_HAS(f.d.text, bad[i].has);
  }
  CHECK_FAILS(convert(&f, (weft_convert_options){.shapes = (const char *[]){"ids=3,7", "state=2,4,7"},
                                                 .n_shapes = 2}),
              WEFT_E_SHAPE);
  CHECK_HAS(f.d.text, "dim 'batch' gets two values, 3 and 4");
  CHECK_FAILS(convert(&f, (weft_convert_options){.batch = -1}), WEFT_E_INVALID);
  CHECK_FAILS(convert(&f, (weft_convert_options){.floats = 9}), WEFT_E_INVALID);
  finish(&f);
  shape_chain(&f, 8, 2);  // a batch that the model cannot have
  CHECK_FAILS(
      convert(&f, (weft_convert_options){.shapes = (const char *[]){"x=2,3,5"}, .n_shapes = 1, .floats = 4}),
      WEFT_E_INVALID);
  finish(&f);
}

// ---- floats ----

TEST(f16_and_back) {
  fixture f;
  onnxw *w = &f.w;
  begin(&f, 8, 17);
  onnxw_graph(w, "g");
  onnxw_input(w, "x", ONNX_FLOAT, 1, DIMS(3), NULL);
  onnxw_init_f32(w, "big", 1, DIMS(3), (const float[]){1e6f, -1e6f, 1e-12f});
  onnxw_op(w, "Constant", NULL, NULL, "k");
  onnxw_attr_floats(w, "value_floats", (const float[]){1, 2, 4}, 3);
  onnxw_op(w, "Mul", NULL, "x,k", "m");
  onnxw_op(w, "Shape", NULL, "x", "s");
  onnxw_op(w, "ConstantOfShape", NULL, "s", "zero");
  onnxw_op(w, "Add", NULL, "m,zero", "a");
  onnxw_op(w, "Min", NULL, "a,big", "y");
  onnxw_op(w, "Cast", NULL, "s", "n");
  onnxw_attr_int(w, "to", ONNX_FLOAT);
  onnxw_init_f32(w, "start", 0, NULL, (const float[]){0});
  onnxw_init_f32(w, "step", 0, NULL, (const float[]){1});
  onnxw_init_i64(w, "none", 1, DIMS(0), NULL);
  onnxw_op(w, "Reshape", NULL, "n,none", "scalar");
  onnxw_op(w, "Range", "range", "start,scalar,step", "r");
  onnxw_output(w, "y", ONNX_FLOAT, 1, DIMS(3), NULL);
  onnxw_output(w, "r", ONNX_FLOAT, 1, DIMS(3), NULL);
  CONVERT(&f, .floats = WEFT_CONVERT_F16, .annotate = true);
  CHECK_STR(ops(f.model), "Constant Mul Shape ConstantOfShape Add Min Cast Reshape Cast Range Cast");
  CHECK_STR(INPUT(&f, "x"), "10[3]");
  CHECK_STR(OUTPUT(&f, "r"), "10[3]");
  CHECK_STR(INFO(&f, "zero"), "10[3]");
  CHECK_INT(initializer(f.model, "start")->data_type, ONNX_FLOAT);  // only Range reads it
  const onnx_tensor *big = initializer(f.model, "big");
  CHECK(big->data_type == ONNX_FLOAT16 && big->raw.bytes == 6);
  CHECK(!memcmp(big->raw.text, "\xff\x7b\xff\xfb\0\0", 6));  // 65504, -65504, 0
  CHECK_HAS(f.said.text, "2 numbers beyond f16 became 65504 or -65504");
  CHECK_HAS(f.said.text, "1 numbers too small for f16 became 0");
  CHECK_HAS(f.said.text, "node 'range' (Range) has no f16 form in opset 17: Casts put around it");
  weft_text half = f.out;
  weft_allocator a = weft_allocator_default();
  weft__text_init(&f.out, &a);
  weft_convert_options o = {.floats = WEFT_CONVERT_F32};
  CHECK(!weft_onnx_convert(f.e, half.v, half.n, "back", &o, weft__text_write, &f.out, &f.d));
  CHECK(!weft__onnx_read_model(f.out.v, f.out.n, &f.arena, &f.model, &f.d));
  CHECK_STR(INPUT(&f, "x"), "1[3]");
  CHECK_INT(initializer(f.model, "big")->data_type, ONNX_FLOAT);
  weft__text_deinit(&half);
  finish(&f);
}

// ---- external data ----

TEST(external_tensors_keep_their_reference) {
  fixture f;
  onnxw *w = &f.w;
  begin(&f, 8, 13);
  onnxw_graph(w, "g");
  onnxw_input(w, "x", ONNX_FLOAT, 2, DIMS(2, 3), NULL);
  onnxw_init_external(w, "w", ONNX_FLOAT, 2, DIMS(3, 4),
                      &(onnxw_external){.location = "weights.bin", .offset = 64, .bytes = 48});
  onnxw_op(w, "Identity", NULL, "x", "i");
  onnxw_op(w, "MatMul", NULL, "i,w", "y");
  onnxw_output(w, "y", ONNX_FLOAT, 2, DIMS(-1, -1), NULL);
  CONVERT(&f, .simplify = true, .annotate = true);
  CHECK_STR(ops(f.model), "MatMul");
  CHECK_STR(OUTPUT(&f, "y"), "1[2,4]");
  const onnx_tensor *t = initializer(f.model, "w");
  CHECK(t && t->external_data.n == 3 && t->data_location == ONNX_LOCATION_EXTERNAL);
  CHECK_INT(f.model->graph->inputs.n, 1);
  CHECK_HAS(f.said.text, "the data of 1 initializers stay in external files");
  CHECK_FAILS(convert(&f, (weft_convert_options){.floats = WEFT_CONVERT_F16}), WEFT_E_UNSUPPORTED);
  CHECK_HAS(f.d.text, "tensor 'w': its data are in an external file");
  finish(&f);
}

// ---- hostile input ----

static weft_status refuse(void *ctx, const char *text, size_t bytes) {
  (void)ctx;
  (void)text;
  (void)bytes;
  return WEFT_E_IO;
}

TEST(damaged_files_never_crash) {
  fixture f;
  shape_chain(&f, 8, 2);
  const char *from[] = {"s"};
  const char *to[] = {"m"};
  const char *shapes[] = {"x=4,3,4"};
  weft_convert_options all = {
      .simplify = true, .annotate = true, .floats = WEFT_CONVERT_F16, .shapes = shapes, .n_shapes = 1};
  weft_convert_options cut = {.from = from, .n_from = 1, .to = to, .n_to = 1};
  char *copy = malloc(f.in.n);
  CHECK(copy != NULL);
  for (size_t at = 0; copy && at < f.in.n; at++) {  // each byte changed, and cut off there
    memcpy(copy, f.in.v, f.in.n);
    copy[at] = (char)(copy[at] ^ (at % 3 ? 0x41 : 0x08));
    for (int k = 0; k < 2; k++) {
      f.out.n = 0;
      weft_diag_clear(&f.d);
      weft_status s = weft_onnx_convert(f.e, copy, k ? f.in.n : at, "damaged", at % 2 ? &cut : &all,
                                        weft__text_write, &f.out, &f.d);
      CHECK(!s || (f.d.length && !f.out.n));
    }
  }
  free(copy);
  weft_diag_clear(&f.d);
  CHECK_FAILS(weft_onnx_convert(f.e, f.in.v, f.in.n, "x", &all, refuse, NULL, &f.d), WEFT_E_IO);
  CHECK_FAILS(weft_onnx_convert(f.e, NULL, 0, "empty", NULL, refuse, NULL, NULL), WEFT_E_TRUNCATED);
  finish(&f);
}

TEST(every_allocation_fails_once) {
  fixture f;
  shape_chain(&f, 3, 2);
  check_alloc count = {0};
  weft_diag d = {0};
  weft_env *e = NULL;
  weft_env_options eo = {.size = sizeof eo, .package_path = "", .allocator = check_allocator(&count)};
  CHECK_OK(weft_env_create(&eo, &e, &d), &d);
  const char *to[] = {"m", "f"};
  const char *shapes[] = {"x=4,3,4"};
  weft_convert_options o = {.simplify = true,
                            .annotate = true,
                            .floats = WEFT_CONVERT_F16,
                            .shapes = shapes,
                            .n_shapes = 1,
                            .to = to,
                            .n_to = 2};
  long blocks = 0;
  for (long k = 1, step = 1;; k += step) {
    f.out.n = 0;
    weft_diag_clear(&d);
    count.fail_at = count.calls + k;
    weft_status s = weft_onnx_convert(e, f.in.v, f.in.n, "scarce", &o, weft__text_write, &f.out, &d);
    bool failed = count.calls >= count.fail_at;
    count.fail_at = 0;
    if (!failed) {
      if (s)
        check_failed(__FILE__, __LINE__, "%s", d.text);
      break;
    }
    CHECK_INT(s, WEFT_E_NOMEM);
    CHECK_INT(f.out.n, 0);
    if (k == 1)
      blocks = count.live_blocks;
    if (k > 60)
      step = 7;
  }
  CHECK(blocks > 0);
  weft_env_destroy(e);
  CHECK_INT(count.live_blocks, 0);
  finish(&f);
}
// SPDX-License-Identifier: Apache-2.0
