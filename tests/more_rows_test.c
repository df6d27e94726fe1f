// more_rows_test.c - requirements that no other test's name holds: the types that a definition is written in
// (R32, R219), formats (R261, R339), what a definition must say (R337), the documents' element types (R187),
// descriptions when compiling (R135), an operator's own payload (R251), a wrong rank (R69), and models that
// come in through one function (R271, R278).
#include "base/base.h"
#include "check.h"
#include "frontend/onnx/writer.h"
#include "rows.h"
#include "weft/weft.h"

// A definition names dtypes, formats and shapes by numbers that never change.
TEST(r32_the_definition_layer_has_dtype_format_and_shape) {
  CHECK_INT(WEFT_FLOAT, 0);
  CHECK_INT(WEFT_FLOAT16, 1);
  CHECK_INT(WEFT_BF16, 27);
  CHECK_INT(WEFT_NCHW, 0);
  CHECK_INT(WEFT_ND, 2);
  CHECK_INT(WEFT_NC1HWC0, 3);
  char text[64];
  weft_symbols *pool;
  CHECK_INT(weft_symbols_create(NULL, &pool), WEFT_OK);
  const weft_dim n = weft_dim_symbol(pool, "N", 1, 1, -1);
  weft_shape s;
  const weft_dim dims[] = {weft_dim_add(pool, n, 1), 4};
  CHECK_INT(weft_shape_init(&s, dims, 2), WEFT_OK);
  CHECK_STR(weft_shape_text(&s, pool, text, sizeof text), "[N+1,4]");
  weft_symbols_destroy(pool);
}

TEST(r69_a_pool_of_another_rank_names_the_rank) {
  rows r;
  if (!rows_open(&r, ROWS_DOCUMENTS))
    return;
  ROWS_EXAMPLE(
      &r, "CustomPool",
      "f32[3,224,224] kernel_size=[2,2] strides=[2,2] padding=\"SAME\" !! E_SHAPE Expected 4D input, "
      "got 3D");
  rows_close(&r);
}

static char compile_time_line[64];
static weft_status say_compile_time(weft_infer *it) {
  snprintf(compile_time_line, sizeof compile_time_line, "Compile-time tensor: dtype=%d, format=%d",
           it->in_dtype[0], (int)it->in_format[0]);
  *it->out[0] = *it->in[0];
  it->out_dtype[0] = it->in_dtype[0];
  return WEFT_OK;
}

static const weft_op says_compile_time = {
    WEFT_OP_HEAD, .name = "SaysCompileTime", .in = WEFT_PORTS({"x", NULL, WEFT_DT(FLOAT)}),
    .out = WEFT_PORTS({"y", NULL, WEFT_DT(FLOAT)}), .infer = say_compile_time};

// What the documents' 11th block prints, from the inside of an inference function.
TEST(r135_dtype_and_format_are_known_when_compiling) {
  static const char text[] =
      "graph \"g\" { input x: f32[1,3,4,4] NCHW node n: SaysCompileTime(x) -> y output y }";
  rows r;
  weft_graph *g;
  if (!rows_open(&r, ""))
    return;
  CHECK_OK(weft_register(r.env, &says_compile_time, 0, &r.d), &r.d);
  CHECK_OK(weft_graph_parse(r.env, text, strlen(text), "text", &g, &r.d), &r.d);
  CHECK_OK(weft_graph_infer(g, NULL, NULL, &r.d), &r.d);
  CHECK_STR(compile_time_line, "Compile-time tensor: dtype=0, format=0");
  weft_graph_destroy(g);
  rows_close(&r);
}

// Each of the documents' element types is copied, and cast to each of the others, by a program and by the
// interpreter. 0 and 1 are numbers of all of them.
TEST(r187_the_documents_types_are_copied_and_cast) {
  static const struct {
    const char *name;
    weft_dtype number;
  } types[] = {{"f32", WEFT_FLOAT}, {"f16", WEFT_FLOAT16}, {"bf16", WEFT_BF16}, {"i4", WEFT_INT4},
               {"i8", WEFT_INT8},   {"i32", WEFT_INT32},   {"i64", WEFT_INT64}, {"bool", WEFT_BOOL}};
  rows r;
  if (!rows_open(&r, ""))
    return;
  for (size_t i = 0; i < WEFT_COUNT(types); i++) {
    char in[64];
    char line[128];
    const bool is_bool = types[i].number == WEFT_BOOL;
    snprintf(in, sizeof in, is_bool ? "bool[3]{false,true,true}" : "%s[3]{0,1,1}", types[i].name);
    snprintf(line, sizeof line, "%s -> %s", in, in);
    ROWS_EXAMPLE(&r, "Identity", line);
    for (size_t k = 0; k < WEFT_COUNT(types); k++) {
      const char *one = types[k].number == WEFT_BOOL ? "false,true,true" : "0,1,1";
      snprintf(line, sizeof line, "%s dst_type=%d -> %s[3]{%s}", in, types[k].number, types[k].name, one);
      ROWS_EXAMPLE(&r, "Cast", line);
    }
  }
  rows_close(&r);
}

static void relu_graph(rows *r, weft_graph **out) {
  static const weft_dim dims[] = {1, 4};
  weft_value *y;
  CHECK_OK(weft_graph_create(r->env, "g", out, &r->d), &r->d);
  weft_value *x = weft_graph_input(*out, "x", WEFT_FLOAT, dims, 2, &r->d);
  CHECK_OK(weft_graph_op1(*out, "Relu", "relu", &x, 1, &y, &r->d), &r->d);
  CHECK_OK(weft_graph_output(*out, y, &r->d), &r->d);
}

TEST(r219_the_ir_is_built_of_tensor_desc_op_desc_and_graph) {
  rows r;
  if (!rows_open(&r, ""))
    return;
  weft_graph *g = NULL;
  relu_graph(&r, &g);
  CHECK_OK(weft_graph_infer(g, NULL, NULL, &r.d), &r.d);
  const weft_op_desc *n = weft_node_desc(weft_graph_find_node(g, "relu"));
  CHECK_STR(n->type, "Relu");
  CHECK_INT(n->n_in, 1);
  weft_tensor_desc y;
  weft_value_desc(weft_graph_output_at(g, 0), &y);
  CHECK_INT(y.dtype, WEFT_FLOAT);
  CHECK_INT(y.layout.origin.rank, 2);
  CHECK_INT(y.layout.origin.dim[1], 4);
  weft_graph_destroy(g);
  rows_close(&r);
}

// What a package keeps on its nodes is bytes to weft: those that were given, through text and file.
TEST(r251_an_operators_payload_is_opaque) {
  static const char payload[] = {'a', 0, '\xff', '"', '\\', '\n', 0};
  rows r;
  if (!rows_open(&r, ""))
    return;
  weft_graph *g = NULL;
  relu_graph(&r, &g);
  weft_graph *again = NULL;
  weft_text file;
  weft_attr given = weft_attr_str(payload, sizeof payload);
  given.type = WEFT_VT_BYTES;
  CHECK_OK(weft_node_set_attr(weft_graph_find_node(g, "relu"), "_payload", &given, &r.d), &r.d);
  weft__text_init(&file, weft_env_allocator(r.env));
  CHECK_OK(weft_graph_save(g, weft__text_write, &file, &r.d), &r.d);
  CHECK_OK(weft_graph_load(r.env, file.v, file.n, &again, &r.d), &r.d);
  const weft_attr *got = again ? weft_node_attr(weft_graph_find_node(again, "relu"), "_payload") : NULL;
  CHECK(got && weft_attr_equal(got, &given));
  CHECK(got && got->n == sizeof payload && !memcmp(got->u.s, payload, sizeof payload));
  weft__text_deinit(&file);
  weft_graph_destroy(again);
  weft_graph_destroy(g);
  rows_close(&r);
}

static weft_status infer_as_input(weft_infer *it) {
  *it->out[0] = *it->in[0];
  it->out_dtype[0] = it->in_dtype[0];
  return WEFT_OK;
}

// A port whose formats are not given is ND, and the definition says that this was assumed.
TEST(r261_a_format_that_is_not_declared_is_told) {
  static const weft_dtype f32[] = {WEFT_FLOAT};
  static const weft_format nchw[] = {WEFT_NCHW};
  rows r;
  if (!rows_open(&r, ""))
    return;
  for (int declared = 0; declared < 2; declared++) {
    const char *name = declared ? "Declared" : "Undeclared";
    weft_op_builder *b = weft_builder_create(r.env, name);
    weft_builder_dtypes(weft_builder_input(b, "x", WEFT_REQUIRED), 1, f32);
    if (declared)
      weft_builder_formats(b, 1, nchw);
    weft_builder_dtypes(weft_builder_output(b, "y", WEFT_REQUIRED), 1, f32);
    if (declared)
      weft_builder_formats(b, 1, nchw);
    weft_builder_infer_shape(b, infer_as_input);
    CHECK_OK(weft_builder_register(b, 0, &r.d), &r.d);
    weft_builder_destroy(b);
    const weft_proto *p = rows_find(&r, name);
    const bool told = strstr(weft_proto_warnings(p), "Format not declared (ND assumed)") != NULL;
    CHECK_INT(told, !declared);
  }
  rows_close(&r);
}

// conv, relu and max pool of opset 13: ONNX's pads begin with all begins, weft's go axis by axis.
static weft_status onnx_conv_relu_pool(weft_text *file, weft_diag *d) {
  static const float zeros[3 * 3];
  const int64_t x[] = {1, 1, 8, 8};
  const int64_t w_dims[] = {1, 1, 3, 3};
  onnxw w;
  onnxw_begin(&w, file, 8, 13);
  onnxw_graph(&w, "net");
  onnxw_input(&w, "x", ONNX_FLOAT, 4, x, NULL);
  onnxw_init_f32(&w, "w", 4, w_dims, zeros);
  onnxw_op(&w, "Conv", "conv", "x,w", "c");
  onnxw_attr_ints(&w, "pads", (const int64_t[]){0, 1, 2, 3}, 4);
  onnxw_op(&w, "Relu", "relu", "c", "r");
  onnxw_op(&w, "MaxPool", "pool", "r", "y");
  onnxw_attr_ints(&w, "kernel_shape", (const int64_t[]){2, 2}, 2);
  onnxw_attr_str(&w, "auto_pad", "SAME_UPPER");
  onnxw_output(&w, "y", ONNX_FLOAT, -1, NULL, NULL);
  return onnxw_finish(&w, d);
}

TEST(r271_r278_onnx_comes_in_from_memory_and_its_pads_are_reordered) {
  rows r;
  weft_graph *g = NULL;
  weft_text file;
  if (!rows_open(&r, ""))
    return;
  weft__text_init(&file, weft_env_allocator(r.env));
  CHECK_OK(onnx_conv_relu_pool(&file, &r.d), &r.d);
  CHECK_OK(weft_model_read(r.env, file.v, file.n, "net.onnx", &g, &r.d), &r.d);
  if (g) {
    CHECK_OK(weft_graph_infer(g, NULL, NULL, &r.d), &r.d);
    const weft_attr *pads = weft_node_attr(weft_graph_find_node(g, "conv"), "pads");
    static const int64_t by_axis[] = {0, 2, 1, 3};
    CHECK(pads && pads->n == 4 && !memcmp(pads->u.ints, by_axis, sizeof by_axis));
    weft_tensor_desc y;
    weft_value_desc(weft_graph_output_at(g, 0), &y);
    char text[64];
    CHECK_STR(weft_shape_text(&y.layout.origin, NULL, text, sizeof text), "[1,1,8,10]");
  }
  weft_graph_destroy(g);
  weft__text_deinit(&file);
  rows_close(&r);
}

// R278 in the words of the documents: load_model(framework, buffer), for the other forms, too.
TEST(r278_one_function_takes_models_of_every_form) {
  static const char *const forms[] = {
      "graph \"g\" { input x: f32[4] node n: Relu(x) -> y output y }",
      "{\"name\": \"g\", \"framework\": \"pytorch\", \"ops\": [{\"name\": \"n\", \"type\": \"nn.ReLU\", "
      "\"inputs\": [{\"name\": \"x\", \"shape\": [4], \"dtype\": \"DT_FLOAT\"}], \"outputs\": [\"y\"]}]}"};
  rows r;
  if (!rows_open(&r, ""))
    return;
  for (size_t i = 0; i < WEFT_COUNT(forms); i++) {
    weft_graph *g = NULL;
    CHECK_OK(weft_model_read(r.env, forms[i], strlen(forms[i]), "model", &g, &r.d), &r.d);
    CHECK(g && weft_graph_n_nodes(g) == 1 && !strcmp(weft_node_type(weft_graph_first(g)), "Relu"));
    weft_graph_destroy(g);
  }
  rows_close(&r);
}

static const weft_op without_inference = {
    WEFT_OP_HEAD, .name = "WithoutInference", .in = WEFT_PORTS({"x", NULL, WEFT_DT(FLOAT)}),
    .out = WEFT_PORTS({"y", NULL, WEFT_DT(FLOAT)}), .kernel = "its-own"};

// Nearer to hardware than an exchange format: formats that lie in memory otherwise, a kernel that is named,
// and inference that must be there.
TEST(r337_a_definition_names_format_kernel_and_inference) {
  rows r;
  if (!rows_open(&r, ""))
    return;
  CHECK_FAILS(weft_register(r.env, &without_inference, WEFT_REGISTER_STRICT, &r.d), WEFT_E_INCOMPLETE);
  CHECK_HAS(r.d.text, "InferShape");
  weft_diag_clear(&r.d);
  CHECK_OK(weft_register(r.env, &without_inference, 0, &r.d), &r.d);
  CHECK_STR(weft_proto_op(rows_find(&r, "WithoutInference"))->kernel, "its-own");
  rows_close(&r);
}

static const weft_op blocked_without_tiling = {WEFT_OP_HEAD,
                                               .name = "BlockedWithoutTiling",
                                               .in = WEFT_PORTS({"x", NULL, WEFT_DT(FLOAT)}),
                                               .out = WEFT_PORTS({"y", NULL, WEFT_DT(FLOAT)}),
                                               .traits = WEFT_TILED,
                                               .infer = infer_as_input};

// Inference alone does not make a blocked operator whole.
TEST(r307_a_blocked_operator_needs_a_tiling_function) {
  rows r;
  if (!rows_open(&r, ""))
    return;
  CHECK_FAILS(weft_register(r.env, &blocked_without_tiling, WEFT_REGISTER_STRICT, &r.d), WEFT_E_INCOMPLETE);
  CHECK_HAS(r.d.text, "Tiling");
  weft_diag_clear(&r.d);
  CHECK_OK(weft_register(r.env, &blocked_without_tiling, 0, &r.d), &r.d);
  CHECK_STR(weft_proto_missing(rows_find(&r, "BlockedWithoutTiling")), "Tiling");
  rows_close(&r);
}

// Of DynamicRNNV3 the shape rule is all that is asked for, with its optional inputs left out and given.
TEST(r350_dynamic_rnn_v3_infers_and_does_not_run) {
  rows r;
  if (!rows_open(&r, ROWS_DOCUMENTS))
    return;
  CHECK_HAS(rows_infer(&r, "DynamicRNNV3", NULL, "f16[7,2,8]; f16[16,4]; f16[4]", 1), "DT_FLOAT16 [7,2,");
  CHECK_HAS(rows_run(&r, "DynamicRNNV3", NULL, "f16[1,1]{1}; f16[1]{1}; f16[1]{1}", 1), "no kernel found");
  rows_close(&r);
}

TEST(r339_formats_of_hardware_stand_beside_nchw) {
  static const struct {
    const char *name;
    weft_format format;
  } all[] = {{"NCHW", WEFT_NCHW},
             {"NHWC", WEFT_NHWC},
             {"NC1HWC0", WEFT_NC1HWC0},
             {"FRACTAL_Z", WEFT_FRACTAL_Z},
             {"FRACTAL_NZ", WEFT_FRACTAL_NZ}};
  const weft_dim dims[] = {2, 20, 5, 7};
  weft_shape origin;
  weft_shape stored;
  char text[64];
  weft_diag d = {0};
  for (size_t i = 0; i < WEFT_COUNT(all); i++)
    CHECK_INT(weft_format_parse(all[i].name, strlen(all[i].name)), all[i].format);
  CHECK_INT(weft_shape_init(&origin, dims, 4), WEFT_OK);
  CHECK_OK(weft_format_storage_shape(&origin, WEFT_NCHW, WEFT_NC1HWC0, 16, &stored, &d), &d);
  CHECK_STR(weft_shape_text(&stored, NULL, text, sizeof text), "[2,2,5,7,16]");
}
// SPDX-License-Identifier: Apache-2.0
