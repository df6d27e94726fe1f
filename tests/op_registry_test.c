// op_registry_test.c - groups A and B: what graph mode asks of an operator, prototypes, registration and
// queries.
#include "rows.h"

static int kernel_runs;

static weft_status same_shape(weft_infer *it) {
  const weft_shape *x = weft_in_shape(it, 0);
  return weft_set_out_shape(it, 0, x->dim, x->rank);
}
static weft_status same_dtype(weft_infer *it) {
  return weft_set_out_dtype(it, 0, weft_in_dtype(it, 0));
}
static weft_status no_range(weft_infer *it) {
  *it->out_min[0] = *it->in_min[0];
  *it->out_max[0] = *it->in_max[0];
  return WEFT_OK;
}
static weft_status tile(weft_tiling *t) {
  t->blocks = 1;
  return WEFT_OK;
}
static weft_status add_ref(const weft_call *c) {
  kernel_runs++;
  for (size_t i = 0; i < c->out[0]->bytes / 4; i++)
    ((float *)c->out[0]->data)[i] = ((const float *)c->in[0]->data)[i] + ((const float *)c->in[1]->data)[i];
  return WEFT_OK;
}

static const weft_dtype three[] = {WEFT_FLOAT16, WEFT_FLOAT, WEFT_INT32};
static const weft_format nd3[] = {WEFT_ND, WEFT_ND, WEFT_ND};

// The documents' AddCustom by the builder, under a name of its own.
static weft_op_builder *add_custom(rows *r, const char *name) {
  weft_op_builder *b = weft_builder_create(r->env, name);
  if (!b)
    return NULL;
  weft_builder_formats(weft_builder_dtypes(weft_builder_input(b, "x", WEFT_REQUIRED), 3, three), 3, nd3);
  weft_builder_formats(weft_builder_dtypes(weft_builder_input(b, "y", WEFT_REQUIRED), 3, three), 3, nd3);
  weft_builder_formats(weft_builder_dtypes(weft_builder_output(b, "z", WEFT_REQUIRED), 3, three), 3, nd3);
  weft_builder_infer_dtype(weft_builder_infer_shape(b, same_shape), same_dtype);
  return weft_builder_ref(b, add_ref);
}

static weft_status finish(rows *r, weft_op_builder *b, unsigned flags) {
  weft_diag_clear(&r->d);
  weft_status s = weft_builder_register(b, flags, &r->d);
  weft_builder_destroy(b);
  return s;
}

TEST(r1_r4_everything_is_known_before_anything_runs) {
  rows r;
  char text[512];
  if (!rows_open(&r, ""))
    return;
  CHECK_OK(finish(&r, add_custom(&r, "AddCustom"), 0), &r.d);
  weft_graph *g = rows_graph(&r, "g");
  weft_value *x = rows_input(&r, g, "x", "f16[8,2048]");
  weft_value *y = rows_input(&r, g, "y", "f16[8,2048]");
  weft_value *z = rows_node(&r, g, "AddCustom", "add", NULL, 0, x, y, NULL);
  kernel_runs = 0;
  CHECK_OK(rows_finish(&r, g, z), &r.d);
  CHECK_STR(rows_value_text(z, text, sizeof text), "DT_FLOAT16 [8,2048] ND");
  CHECK_INT(kernel_runs, 0);
  weft_graph_destroy(g);
  rows_close(&r);
}

static const char *by_one_by_one(rows *r, const char *x, const char *w, const weft_use *conv,
                                 const weft_use *pool) {
  static char step[8192];
  snprintf(step, sizeof step, "%s; %s", x, w);
  snprintf(step, sizeof step, "%s", rows_run(r, "CustomConv2d", conv, step, 1));
  snprintf(step, sizeof step, "%s", rows_run(r, "Relu", NULL, step, 1));
  snprintf(step, sizeof step, "%s", rows_run(r, "CustomPool", pool, step, 1));
  return step;
}

TEST(r2_one_by_one_gives_the_same_as_a_graph) {
  static const char X[] = "f32[1,2,4,4]{0..}";
  static const char W[] = "f32[2,2,2,2]{1,-1,0.5,0.25,-1,1,0.125,2,1,1,-3,0,-1,0,0,1.5}";
  static const int64_t two[] = {2, 2};
  static const int64_t pads[] = {1, 0, 0, 1};
  weft_named_attr ca[] = {{"pad", weft_attr_ints(pads, 4)}};
  weft_named_attr pa[] = {{"kernel_size", weft_attr_ints(two, 2)},
                          {"strides", weft_attr_ints(two, 2)},
                          {"padding", weft_attr_str("SAME", 4)}};
  weft_use conv = {.attrs = ca, .n_attrs = 1};
  weft_use pool = {.attrs = pa, .n_attrs = 3};
  rows r;
  if (!rows_open(&r, ROWS_DOCUMENTS))
    return;
  weft_graph *g = rows_graph(&r, "g");
  weft_value *x = rows_input(&r, g, "x", "f32[1,2,4,4]");
  weft_value *w = rows_input(&r, g, "w", "f32[2,2,2,2]");
  weft_value *v = rows_node(&r, g, "CustomConv2d", "conv", ca, 1, x, w, NULL);
  v = rows_node(&r, g, "Relu", "relu", NULL, 0, v, NULL);
  v = rows_node(&r, g, "CustomPool", "pool", pa, 3, v, NULL);
  CHECK_OK(rows_finish(&r, g, v), &r.d);
  char both[256];
  char whole[2048];
  snprintf(both, sizeof both, "%s; %s", X, W);
  snprintf(whole, sizeof whole, "%s", rows_run_graph(&r, g, both));
  CHECK_HAS(whole, "f32[1,2,2,2]{");
  CHECK_STR(by_one_by_one(&r, X, W, &conv, &pool), whole);
  weft_graph_destroy(g);
  rows_close(&r);
}

TEST(r3_r19_wrong_dtypes_are_found_before_the_run) {
  rows r;
  if (!rows_open(&r, ""))
    return;
  CHECK_OK(finish(&r, add_custom(&r, "AddCustom"), 0), &r.d);
  weft_graph *g = rows_graph(&r, "g");
  weft_value *x = rows_input(&r, g, "x", "f16[2,3]");
  weft_value *y = rows_input(&r, g, "y", "f32[2,3]");
  weft_value *z = rows_node(&r, g, "AddCustom", "add_1", NULL, 0, x, y, NULL);
  kernel_runs = 0;
  CHECK_FAILS(rows_finish(&r, g, z), WEFT_E_DTYPE);
  CHECK_HAS(r.d.text, "'add_1'");
  CHECK_HAS(r.d.text, "(AddCustom)");
  CHECK_HAS(r.d.text, "input 'y'");
  CHECK_HAS(r.d.text, "got DT_FLOAT,");
  CHECK_HAS(r.d.text, "(f16,f16,f16), (f32,f32,f32), (i32,i32,i32)");
  CHECK_INT(kernel_runs, 0);
  weft_graph_destroy(g);
  rows_close(&r);
}

TEST(r7_r22_r23_each_function_has_its_slot) {
  rows r;
  if (!rows_open(&r, ""))
    return;
  weft_op_builder *b = add_custom(&r, "Four");
  weft_builder_infer_range(weft_builder_tiling(b, tile), no_range);
  CHECK_OK(finish(&r, b, 0), &r.d);
  const weft_op *op = weft_proto_op(weft_find(r.env, "Four"));
  CHECK(op->infer == same_shape && op->infer_dtype == same_dtype && op->infer_range == no_range &&
        op->tile == tile);
  CHECK(op->ref == add_ref && !op->execute && !op->infer_value);
  CHECK_OK(finish(&r, add_custom(&r, "Plain"), 0), &r.d);
  op = weft_proto_op(weft_find(r.env, "Plain"));
  CHECK(!op->infer_range && !op->tile && !op->execute);
  CHECK_INT(weft_proto_in(weft_find(r.env, "Plain"), 0)->value, 0);
  rows_close(&r);
}

// A graph with one node of a one-input operator.
static weft_status infer_one(rows *r, const char *op) {
  weft_graph *g = rows_graph(r, "g");
  weft_value *x = rows_input(r, g, "x", "f32[2]");
  weft_status s = rows_finish(r, g, rows_node(r, g, op, "n", NULL, 0, x, NULL));
  weft_graph_destroy(g);
  return s;
}

static weft_op_builder *bare(rows *r, const char *name) {
  weft_op_builder *b = weft_builder_create(r->env, name);
  weft_builder_input(b, "x", WEFT_REQUIRED);
  return weft_builder_output(b, "y", WEFT_REQUIRED);
}

TEST(r8_r33_r36_what_is_missing_is_told) {
  static const weft_dtype f[] = {WEFT_FLOAT};
  rows r;
  if (!rows_open(&r, ""))
    return;
  // R8, R36: ports and InferShape only
  CHECK_OK(
      finish(&r, weft_builder_infer_shape(weft_builder_traits(bare(&r, "NoType"), WEFT_TILED), same_shape),
             0),
      &r.d);
  const weft_proto *p = rows_find(&r, "NoType");
  CHECK_STR(weft_proto_missing(p), "DataType, InferDataType, Tiling");
  CHECK_HAS(weft_proto_warnings(p), "Format not declared");
  CHECK_FAILS(infer_one(&r, "NoType"), WEFT_E_INCOMPLETE);
  CHECK_HAS(r.d.text, "InferDataType");
  CHECK_HAS(r.d.text, "'n' (NoType)");
  // R33: no shape rule
  weft_op_builder *b = weft_builder_create(r.env, "NoShape");
  weft_builder_dtypes(weft_builder_input(b, "x", WEFT_REQUIRED), 1, f);
  weft_builder_dtypes(weft_builder_output(b, "y", WEFT_REQUIRED), 1, f);
  CHECK_OK(finish(&r, b, 0), &r.d);
  CHECK_STR(weft_proto_missing(rows_find(&r, "NoShape")), "InferShape");
  CHECK_HAS(r.log, "operator 'NoShape' is incomplete for graphs: missing InferShape");
  CHECK_FAILS(infer_one(&r, "NoShape"), WEFT_E_INCOMPLETE);
  CHECK_HAS(r.d.text, "missing InferShape");
  // strict registration refuses both
  CHECK_FAILS(finish(&r, weft_builder_infer_shape(bare(&r, "Strict"), same_shape), WEFT_REGISTER_STRICT),
              WEFT_E_INCOMPLETE);
  CHECK_HAS(r.d.text, "operator 'Strict' is incomplete: missing DataType, InferDataType");
  CHECK(!weft_find(r.env, "Strict"));
  rows_close(&r);
}

// R8: two columns with the same inputs do not decide the dtype.
TEST(r8_r19_ambiguous_columns_are_no_dtype_rule) {
  static const weft_dtype in[] = {WEFT_FLOAT, WEFT_FLOAT, WEFT_INT32};
  static const weft_dtype out[] = {WEFT_FLOAT, WEFT_FLOAT16, WEFT_INT32};
  rows r;
  if (!rows_open(&r, ""))
    return;
  weft_op_builder *b = weft_builder_create(r.env, "Ambiguous");
  weft_builder_formats(weft_builder_dtypes(weft_builder_input(b, "x", WEFT_REQUIRED), 3, in), 3, nd3);
  weft_builder_formats(weft_builder_dtypes(weft_builder_output(b, "y", WEFT_REQUIRED), 3, out), 3, nd3);
  CHECK_OK(finish(&r, weft_builder_infer_shape(b, same_shape), 0), &r.d);
  CHECK_STR(weft_proto_missing(rows_find(&r, "Ambiguous")), "InferDataType");
  rows_close(&r);
}

static weft_status needs_shape_value(weft_infer *it) {
  const weft_tensor *t = weft_in_value(it, 1);
  if (!t || !t->data)
    return it->host->fail(it->d, WEFT_E_UNKNOWN, "the target shape has no data");
  return weft_set_out_shape(it, 0, t->data, 2);
}

// R9, R123: without ValueDepend the function sees no data, and the message says why.
TEST(r9_r123_value_read_without_declaration) {
  static const weft_dtype f[] = {WEFT_FLOAT};
  static const weft_dtype i[] = {WEFT_INT64};
  rows r;
  if (!rows_open(&r, ""))
    return;
  for (int declared = 0; declared < 2; declared++) {
    weft_op_builder *b = weft_builder_create(r.env, declared ? "Declared" : "Undeclared");
    weft_builder_dtypes(weft_builder_input(b, "x", WEFT_REQUIRED), 1, f);
    weft_builder_dtypes(weft_builder_input(b, "shape", WEFT_REQUIRED), 1, i);
    if (declared)
      weft_builder_value_depend(b, WEFT_VALUE_INFER);
    weft_builder_dtypes(weft_builder_output(b, "y", WEFT_REQUIRED), 1, f);
    CHECK_OK(finish(&r, weft_builder_infer_shape(b, needs_shape_value), 0), &r.d);
  }
  weft_use use = {.name = "reshape_1"};
  CHECK_STR(rows_infer(&r, "Declared", &use, "f32[2,3,4]; i64[2]{4,6}", 1), "DT_FLOAT [4,6] ND");
  const char *text = rows_infer(&r, "Undeclared", &use, "f32[2,3,4]; i64[2]{4,6}", 1);
  CHECK_HAS(text, "input 1 ('shape') has no data (ValueDepend not declared)");
  CHECK_HAS(text, "reshape_1");
  rows_close(&r);
}

TEST(r11_r132_class_three_needs_a_range) {
  static const weft_dtype f[] = {WEFT_FLOAT};
  rows r;
  if (!rows_open(&r, ""))
    return;
  weft_op_builder *b = weft_builder_create(r.env, "Class3");
  weft_builder_dtypes(weft_builder_input(b, "x", WEFT_REQUIRED), 1, f);
  weft_builder_dtypes(weft_builder_output(b, "y", WEFT_REQUIRED), 1, f);
  CHECK_OK(finish(&r, weft_builder_traits(weft_builder_infer_shape(b, same_shape), WEFT_DATA_DEPENDENT), 0),
           &r.d);
  CHECK_FAILS(infer_one(&r, "Class3"), WEFT_E_INCOMPLETE);
  CHECK_HAS(r.d.text, "InferShapeRange (no shape range for dynamic output)");
  rows_close(&r);
}

TEST(r13_r33_shape_function_is_needed_in_graphs_only) {
  rows r;
  if (!rows_open(&r, ""))
    return;
  weft_op_builder *b = weft_builder_infer_shape(add_custom(&r, "Eager"), NULL);
  CHECK_OK(finish(&r, b, 0), &r.d);
  rows_tensors t;
  if (!rows_read(&r, "f32[2]{1,2}; f32[2]{3,4}", &t))
    return;
  weft_tensor_desc desc;
  weft_tensor out;
  const weft_dim two[] = {2};
  weft_desc_init(&desc);
  CHECK_INT(weft_desc_set(&desc, WEFT_FLOAT, WEFT_ND, two, 1), WEFT_OK);
  CHECK_OK(weft_run_op(r.env, rows_find(&r, "Eager"), NULL, t.in, 2, &out, 1, &desc, &r.d), &r.d);
  CHECK(out.bytes == 8 && weft_tensor_f32(&out)[1] == 6);
  weft_tensor_deinit(&out);
  rows_free(&t);
  weft_graph *g = rows_graph(&r, "g");
  weft_value *x = rows_input(&r, g, "x", "f32[2]");
  CHECK_FAILS(rows_finish(&r, g, rows_node(&r, g, "Eager", "e", NULL, 0, x, x, NULL)), WEFT_E_INCOMPLETE);
  CHECK_HAS(r.d.text, "InferShape");
  weft_graph_destroy(g);
  rows_close(&r);
}

TEST(r15_r24_both_styles_give_equal_prototypes) {
  rows a;
  rows b;
  if (!rows_open(&a, "") || !rows_open(&b, ""))
    return;
  CHECK_OK(
      finish(&a, weft_builder_target(weft_builder_tiling(add_custom(&a, "AddCustom"), tile), "ascendxxx"), 0),
      &a.d);
  weft_op_builder *s = add_custom(&b, "AddCustom");
  weft_builder_tiling(s, tile);
  weft_builder_target(s, "ascendxxx");
  CHECK_OK(finish(&b, s, 0), &b.d);
  const weft_proto *p = rows_find(&a, "AddCustom");
  const weft_proto *q = rows_find(&b, "AddCustom");
  CHECK(weft_proto_equal(p, q));
  CHECK_STR(weft_proto_op(p)->targets[0], "ascendxxx");
  CHECK(!weft_proto_op(p)->targets[1]);
  CHECK_OK(finish(&b, weft_builder_target(add_custom(&b, "Other"), "cpu"), 0), &b.d);
  CHECK(!weft_proto_equal(p, rows_find(&b, "Other")));
  rows_close(&a);
  rows_close(&b);
}

TEST(r20_lists_of_one_operator_have_one_length) {
  static const weft_dtype two[] = {WEFT_FLOAT16, WEFT_FLOAT};
  static const weft_format one[] = {WEFT_ND};
  rows r;
  if (!rows_open(&r, ""))
    return;
  weft_op_builder *b = weft_builder_create(r.env, "MyOp");  // as the article prints it: 2 dtypes, 1 format
  weft_builder_formats(weft_builder_dtypes(weft_builder_input(b, "x", WEFT_REQUIRED), 2, two), 1, one);
  CHECK_FAILS(finish(&r, b, 0), WEFT_E_INVALID);
  CHECK_HAS(r.d.text, "input 'x': element num of DataType (2) and Format (1) is not aligned");
  b = weft_builder_create(r.env, "MyOp");
  weft_builder_dtypes(weft_builder_input(b, "x", WEFT_REQUIRED), 2, two);
  weft_builder_dtypes(weft_builder_output(b, "y", WEFT_REQUIRED), 1, two);
  CHECK_FAILS(finish(&r, b, 0), WEFT_E_INVALID);
  CHECK_HAS(r.d.text, "output 'y': element num of DataType is 1, that of 'x' is 2");
  CHECK(!weft_find(r.env, "MyOp") || weft_proto_source(weft_find(r.env, "MyOp")) == WEFT_FROM_CATALOGUE);
  rows_close(&r);
}

static weft_op_builder *article_conv(rows *r) {
  static const weft_dtype two[] = {WEFT_FLOAT16, WEFT_FLOAT};
  weft_op_builder *b = weft_builder_create(r->env, "CustomConv2d");
  weft_builder_dtypes(weft_builder_input(b, "input", WEFT_REQUIRED), 2, two);
  weft_builder_dtypes(weft_builder_input(b, "weight", WEFT_REQUIRED), 2, two);
  weft_builder_dtypes(weft_builder_output(b, "output", WEFT_REQUIRED), 2, two);
  weft_builder_attr(b, "stride", "ListInt", "[1,1]", NULL);
  weft_builder_attr(b, "pad", "ListInt", "[0,0,0,0]", NULL);
  weft_builder_attr(b, "dilation", "ListInt", "[1,1]", NULL);
  return weft_builder_infer_shape(weft_builder_attr(b, "group", "Int", "1", NULL), same_shape);
}

// The lines of the article's query (R38).
static void describe(const weft_proto *p, char *buf, size_t cap) {
  size_t n = (size_t)snprintf(buf, cap, "算子类型: %s\n", weft_proto_op(p)->name);
  for (uint32_t i = 0; i < weft_proto_n_in(p); i++) {
    n += (size_t)snprintf(buf + n, cap - n, "输入: %s, 类型数: %u\n", weft_proto_in(p, i)->name,
                          weft_proto_op(p)->n_columns);
  }
  for (uint32_t i = 0; i < weft_proto_n_out(p); i++) {
    n += (size_t)snprintf(buf + n, cap - n, "输出: %s, 类型数: %u\n", weft_proto_out(p, i)->name,
                          weft_proto_op(p)->n_columns);
  }
  for (uint32_t i = 0; i < weft_proto_n_attr(p); i++) {
    n += (size_t)snprintf(buf + n, cap - n, "属性: %s, %d\n", weft_proto_attr(p, i)->name,
                          weft_proto_default(p, i)->type);
  }
}

TEST(r30_r38_r21_article_registration_and_query) {
  rows r;
  if (!rows_open(&r, ""))
    return;
  CHECK_OK(finish(&r, article_conv(&r), 0), &r.d);
  const weft_proto *p = rows_find(&r, "CustomConv2d");
  CHECK(weft_proto_n_in(p) == 2 && weft_proto_n_out(p) == 1 && weft_proto_n_attr(p) == 4);
  char text[1024];
  describe(p, text, sizeof text);
  CHECK_STR(
      text,
      "算子类型: CustomConv2d\n输入: input, 类型数: 2\n输入: weight, 类型数: 2\n输出: output, 类型数: 2\n"
      "属性: stride, 1004\n属性: pad, 1004\n属性: dilation, 1004\n属性: group, 4\n");
  const weft_attr *pad = weft_proto_default(p, 1);
  const weft_attr *stride = weft_proto_default(p, 0);
  CHECK(pad->n == 4 && pad->u.ints[3] == 0 && stride->n == 2 && stride->u.ints[1] == 1);
  CHECK_INT(weft_proto_default(p, 3)->u.i, 1);
  for (uint32_t i = 0; i < 2; i++)
    CHECK_INT(weft_proto_in(p, 0)->columns[i].format, WEFT_ND);  // R21
  CHECK(weft_proto_in(p, 0)->incomplete_format);
  CHECK_HAS(weft_proto_warnings(p), "Format not declared");
  CHECK_STR(weft_proto_missing(p), "");
  rows_close(&r);
}

TEST(r35_a_kernel_by_name) {
  rows r;
  if (!rows_open(&r, ""))
    return;
  weft_op_builder *b = weft_builder_kernel(weft_builder_ref(add_custom(&r, "Wants"), NULL), "my_kernel");
  CHECK_OK(finish(&r, b, 0), &r.d);
  CHECK_STR(weft_proto_op(rows_find(&r, "Wants"))->kernel, "my_kernel");
  CHECK_HAS(rows_run(&r, "Wants", NULL, "f32[1]{1}; f32[1]{2}", 1), "no kernel found for op Wants");
  rows_close(&r);
}

TEST(r37_unknown_operators) {
  rows r;
  const weft_proto *p;
  if (!rows_open(&r, ""))
    return;
  CHECK(!weft_find(r.env, "NoSuch"));
  CHECK_FAILS(weft_get(r.env, "NoSuch", &p, &r.d), WEFT_E_NOT_FOUND);
  CHECK_HAS(r.d.text, "算子 NoSuch 未注册");
  weft_diag_clear(&r.d);
  CHECK_FAILS(weft_get(r.env, "Reshap", &p, &r.d), WEFT_E_NOT_FOUND);
  CHECK_HAS(r.d.text, "did you mean 'Reshape'?");
  weft_diag_clear(&r.d);
  weft_graph *g = rows_graph(&r, "g");
  CHECK(!rows_node(&r, g, "NoSuch", "n", NULL, 0, NULL));
  CHECK_HAS(r.d.text, "算子 NoSuch 未注册");
  weft_graph_destroy(g);
  rows_close(&r);
}

TEST(r39_registering_twice) {
  rows r;
  if (!rows_open(&r, ROWS_DOCUMENTS))
    return;
  const weft_proto *first = rows_find(&r, "AddCustom");
  CHECK_FAILS(finish(&r, add_custom(&r, "AddCustom"), 0), WEFT_E_EXISTS);
  CHECK(weft_find(r.env, "AddCustom") == first);
  CHECK_HAS(r.d.text, "operator 'AddCustom' is registered already, from ");
  CHECK_OK(finish(&r, add_custom(&r, "Mine"), 0), &r.d);
  CHECK_FAILS(finish(&r, add_custom(&r, "Mine"), 0), WEFT_E_EXISTS);
  CHECK_OK(finish(&r, add_custom(&r, "Relu"), 0), &r.d);  // a built-in one is replaced, and told
  CHECK_INT(weft_proto_n_in(rows_find(&r, "Relu")), 2);
  CHECK_HAS(r.log, "operator 'Relu' from program replaces the built-in one");
  CHECK_OK(weft_unregister(r.env, "Relu", &r.d), &r.d);
  CHECK_INT(weft_proto_n_in(rows_find(&r, "Relu")), 1);
  CHECK_FAILS(weft_unregister(r.env, "Relu", &r.d), WEFT_E_NOT_FOUND);
  rows_close(&r);
}

TEST(r40_names_are_unique) {
  static const char *const printed[] = {"x",   "w",   "b",    "seq_length", "init_h", "init_c",
                                        "wci", "wcf", "mask", "mask",       "project"};
  rows r;
  if (!rows_open(&r, ""))
    return;
  weft_op_builder *b = weft_builder_create(r.env, "Rnn");
  for (int i = 0; i < 11; i++)
    weft_builder_input(b, printed[i], WEFT_REQUIRED);
  CHECK_FAILS(finish(&r, b, 0), WEFT_E_DUPLICATE);
  CHECK_HAS(r.d.text, "input 9: the name 'mask' is that of input 8 already");
  CHECK_HAS(r.d.text, "operator 'Rnn'");
  b = bare(&r, "Outs");
  weft_builder_output(b, "y", WEFT_REQUIRED);
  CHECK_FAILS(finish(&r, b, 0), WEFT_E_DUPLICATE);
  b = bare(&r, "Attrs");
  weft_builder_attr(weft_builder_attr(b, "a", "Int", "1", NULL), "a", "Float", "1", NULL);
  CHECK_FAILS(finish(&r, b, 0), WEFT_E_DUPLICATE);
  CHECK_HAS(r.d.text, "attribute 1: the name 'a'");
  b = bare(&r, "Ref");  // an input and an output may share a name: a ref port
  weft_builder_output(b, "x", WEFT_REQUIRED);
  CHECK_OK(finish(&r, b, 0), &r.d);
  rows_close(&r);
}

typedef struct text {
  char v[4096];
  size_t n;
} text;
static weft_status write_text(void *ctx, const char *bytes, size_t n) {
  text *t = ctx;
  if (n > sizeof t->v - t->n)
    return WEFT_E_LIMIT;
  memcpy(t->v + t->n, bytes, n);
  t->n += n;
  return WEFT_OK;
}

// R31, R42: attributes keep the prototype's names and places through text and back, in whatever order they
// were given.
TEST(r31_r42_r213_order_survives_printing_and_reading) {
  rows r;
  if (!rows_open(&r, ROWS_DOCUMENTS))
    return;
  char nchw[] = "NCHW";
  weft_named_attr attrs[] = {{"group", weft_attr_int(1)},
                             {"dst_format", weft_attr_str("NC1HWC0", 7)},
                             {"src_format", weft_attr_str(nchw, 4)}};
  weft_graph *g = rows_graph(&r, "g");
  weft_graph *again = NULL;
  weft_value *x = rows_input(&r, g, "x", "f32[1,3,4,4]");
  CHECK_OK(rows_finish(&r, g, rows_node(&r, g, "TransData", "t", attrs, 3, x, NULL)), &r.d);
  nchw[0] = 'X';  // the node owns its copy
  text t = {.n = 0};
  CHECK_INT(weft_graph_print(g, 0, write_text, &t), WEFT_OK);
  CHECK_OK(weft_graph_parse(r.env, t.v, t.n, "t", &again, &r.d), &r.d);
  const weft_op_desc *n = weft_node_desc(weft_graph_first(again));
  CHECK_INT(n->n_attr, 3);
  CHECK_STR(weft_node_str(n, 0), "NCHW");
  CHECK_STR(weft_node_str(n, 1), "NC1HWC0");
  CHECK_INT(weft_node_int(n, 2), 1);
  CHECK_OK(weft_graph_compare(g, again, WEFT_EQUAL_STRICT, &r.d), &r.d);
  weft_graph_destroy(again);
  weft_graph_destroy(g);
  rows_close(&r);
}

// R34: Foo is not in the library; a package brings it.
TEST(r34_r49_foo_from_outside) {
  rows r;
  if (!rows_open(&r, ROWS_DOCUMENTS))
    return;
  CHECK_STR(rows_run(&r, "Foo", NULL, "i4[3]{1,-2,7}", 1), "i32[3]{1,-2,7}");
  rows_close(&r);
}

TEST(hostile_builders) {
  rows r;
  if (!rows_open(&r, ""))
    return;
  CHECK_FAILS(finish(&r, weft_builder_create(r.env, ""), 0), WEFT_E_INVALID);
  CHECK_FAILS(finish(&r, weft_builder_create(r.env, NULL), 0), WEFT_E_INVALID);
  CHECK_FAILS(finish(&r, weft_builder_input(weft_builder_create(r.env, "A"), "", WEFT_REQUIRED), 0),
              WEFT_E_INVALID);
  CHECK_FAILS(finish(&r, weft_builder_dtypes(weft_builder_create(r.env, "A"), 1, three), 0), WEFT_E_STATE);
  CHECK_FAILS(finish(&r, weft_builder_input(weft_builder_create(r.env, "A"), "x", 9), 0), WEFT_E_INVALID);
  CHECK_FAILS(finish(&r, weft_builder_attr(bare(&r, "A"), "a", "Matrix", NULL, NULL), 0), WEFT_E_TYPE);
  CHECK_FAILS(finish(&r, weft_builder_attr(bare(&r, "A"), "a", "Int", "one", NULL), 0), WEFT_E_SYNTAX);
  CHECK_FAILS(finish(&r, weft_builder_attr(bare(&r, "A"), "a", "Int", "1", "above 3"), 0), WEFT_E_SYNTAX);
  CHECK(!weft_find(r.env, "A"));
  CHECK_FAILS(weft_register(r.env, NULL, 0, &r.d), WEFT_E_INVALID);
  rows_close(&r);
}

// Every allocation failed once while an operator is built, registered, inferred and run.
TEST(a_builder_without_memory) {
  long n = 1;
  for (;; n++) {
    check_alloc c = {0};
    weft_env_options o = {
        .allocator = check_allocator(&c), .package_path = "", .no_builtin = true, .no_catalogue = true};
    rows r = {.log_bytes = 0};
    if (weft_env_create(&o, &r.env, &r.d))
      return;
    c.calls = 0;
    c.fail_at = n;
    weft_op_builder *b = add_custom(&r, "AddCustom");
    weft_status s = b ? finish(&r, b, 0) : WEFT_E_NOMEM;
    if (!s) {
      float v[2] = {1, 2};
      const weft_dim two[] = {2};
      weft_tensor x;
      weft_tensor y;
      const weft_tensor *in[] = {&x, &x};
      weft_tensor_init(&x, NULL);
      if (weft_tensor_borrow(&x, WEFT_FLOAT, two, 1, v, sizeof v, NULL))
        return;
      s = weft_run_op(r.env, weft_find(r.env, "AddCustom"), NULL, in, 2, &y, 1, NULL, &r.d);
      if (!s)
        CHECK_F64(weft_tensor_f32(&y)[1], 4, 0);
      weft_tensor_deinit(&y);
    }
    if (s)
      CHECK_INT(s, WEFT_E_NOMEM);
    bool failed_once = c.calls >= n;
    if (!failed_once)
      CHECK_INT(s, WEFT_OK);
    weft_env_destroy(r.env);
    CHECK_INT(c.live_blocks, 0);
    if (!failed_once || n > 10000)
      break;
  }
  CHECK(n > 5 && n < 10000);
}
// SPDX-License-Identifier: Apache-2.0
