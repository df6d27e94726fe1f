// op_dtype_test.c - group C: inference of dtypes, through rules, functions, columns and attributes.
#include "rows.h"

static weft_dtype seen[4];
static int seen_n;

static weft_status same_shape(weft_infer *it) {
  const weft_shape *x = weft_in_shape(it, 0);
  return weft_set_out_shape(it, 0, x->dim, x->rank);
}
static weft_status same_dtype(weft_infer *it) {
  if (seen_n < 4)
    seen[seen_n++] = weft_in_dtype(it, 0);
  return weft_set_out_dtype(it, 0, weft_in_dtype(it, 0));
}
static weft_status nothing(weft_infer *it) {
  (void)it;
  return WEFT_OK;
}
static weft_status code_five(weft_infer *it) {
  (void)it;
  return 5;
}
static weft_status always_int8(weft_infer *it) {
  return weft_set_out_dtype(it, 0, WEFT_INT8);
}

static const weft_dtype three[] = {WEFT_FLOAT16, WEFT_FLOAT, WEFT_INT32};
static const weft_format nd3[] = {WEFT_ND, WEFT_ND, WEFT_ND};

// x -> y with three columns and the given functions.
static void unary(rows *r, const char *name, weft_infer_fn shape, weft_infer_fn dtype) {
  weft_op_builder *b = weft_builder_create(r->env, name);
  weft_builder_formats(weft_builder_dtypes(weft_builder_input(b, "x", WEFT_REQUIRED), 3, three), 3, nd3);
  weft_builder_formats(weft_builder_dtypes(weft_builder_output(b, "y", WEFT_REQUIRED), 3, three), 3, nd3);
  weft_builder_infer_dtype(weft_builder_infer_shape(b, shape), dtype);
  if (weft_builder_register(b, 0, &r->d))
    check_failed(__FILE__, __LINE__, "%s", r->d.text);
  weft_builder_destroy(b);
}

// An output without dtype list: what the function says is free.
static void free_output(rows *r, const char *name, weft_infer_fn dtype) {
  weft_op_builder *b = weft_builder_create(r->env, name);
  weft_builder_input(b, "x", WEFT_REQUIRED);
  weft_builder_output(b, "y", WEFT_REQUIRED);
  weft_builder_infer_dtype(weft_builder_infer_shape(b, same_shape), dtype);
  if (weft_builder_register(b, 0, &r->d))
    check_failed(__FILE__, __LINE__, "%s", r->d.text);
  weft_builder_destroy(b);
}

TEST(r43_output_dtype_is_that_of_an_input) {
  rows r;
  if (!rows_open(&r, ROWS_DOCUMENTS))
    return;
  CHECK_STR(rows_infer(&r, "AddCustom", NULL, "f16[2]; f16[2]", 1), "DT_FLOAT16 [2] ND");
  CHECK_STR(rows_infer(&r, "AddCustom", NULL, "f32[2]; f32[2]", 1), "DT_FLOAT [2] ND");
  CHECK_STR(rows_infer(&r, "AddCustom", NULL, "i32[2]; i32[2]", 1), "DT_INT32 [2] ND");
  rows_close(&r);
}

TEST(r44_r45_foo_int4_gives_int32) {
  rows r;
  if (!rows_open(&r, ROWS_DOCUMENTS))
    return;
  CHECK_STR(rows_infer(&r, "Foo", NULL, "i4[2,3]", 1), "DT_INT32 [2,3] ND");
  CHECK_STR(rows_infer(&r, "Foo", NULL, "f32[2,3]", 1),
            "DT_FLOAT [2,3] ND");  // the robust one passes it through
  rows_close(&r);
}

// Foo as printed: no rule for anything but INT4.
static weft_status printed_foo(weft_infer *it) {
  CHECK_INT(it->out_dtype[0], WEFT_UNDEFINED);  // preset
  if (weft_in_dtype(it, 0) == WEFT_INT4)
    return weft_set_out_dtype(it, 0, WEFT_INT32);
  return WEFT_OK;
}

TEST(r45_an_unset_dtype_is_detected) {
  rows r;
  if (!rows_open(&r, ""))
    return;
  free_output(&r, "PrintedFoo", printed_foo);
  CHECK_STR(rows_infer(&r, "PrintedFoo", NULL, "i4[2]", 1), "DT_INT32 [2] ND");
  CHECK_HAS(rows_infer(&r, "PrintedFoo", NULL, "f32[2]", 1), "E_UNSET: output 0 dtype not inferred");
  CHECK_HAS(r.d.text, "while inferring node 'PrintedFoo' (PrintedFoo)");
  rows_close(&r);
}

TEST(r46_r52_one_signature) {
  weft_status (*dtype)(weft_infer *) = same_dtype;
  weft_infer_fn shape = same_shape;
  weft_infer_fn again = dtype;
  CHECK(again == same_dtype && shape == same_shape);
}

static weft_status outside(weft_infer *it) {
  CHECK_INT(weft_in_dtype(it, 99), WEFT_UNDEFINED);
  CHECK_INT(WEFT_UNDEFINED, 28);
  weft_diag own = {0};
  weft_infer copy = *it;
  copy.d = &own;
  CHECK_FAILS(weft_set_out_dtype(&copy, 99, WEFT_FLOAT), WEFT_E_RANGE);
  CHECK_HAS(own.text, "output 99 does not exist: the node has 1");
  CHECK_INT(weft_set_out_dtype(it, 0, weft_in_dtype(it, 0)), WEFT_OK);
  return WEFT_OK;
}

TEST(r47_indexes_outside_are_defined) {
  rows r;
  if (!rows_open(&r, ""))
    return;
  free_output(&r, "Outside", outside);
  CHECK_STR(rows_infer(&r, "Outside", NULL, "f32[2]", 1), "DT_FLOAT [2] ND");
  rows_close(&r);
}

static weft_status other_column(weft_infer *it) {
  return weft_set_out_dtype(it, 0, weft_in_dtype(it, 0) == WEFT_FLOAT ? WEFT_FLOAT16 : WEFT_FLOAT);
}

TEST(r48_the_inferred_dtype_must_be_allowed) {
  rows r;
  if (!rows_open(&r, ""))
    return;
  unary(&r, "Int8", same_shape, always_int8);
  CHECK_HAS(rows_infer(&r, "Int8", NULL, "f32[2]", 1),
            "E_DTYPE: output 'y': inferred DT_INT8, allowed combinations are");
  unary(&r, "Mixed", same_shape, other_column);  // in the port's list, but of another column
  CHECK_HAS(rows_infer(&r, "Mixed", NULL, "f32[2]", 1), "E_DTYPE: output 'y': inferred DT_FLOAT16");
  rows_close(&r);
}

TEST(r49_nodes_see_inferred_producers) {
  rows r;
  char text[256];
  if (!rows_open(&r, ROWS_DOCUMENTS))
    return;
  unary(&r, "Spy", same_shape, same_dtype);
  seen_n = 0;
  weft_graph *g = rows_graph(&r, "g");
  weft_node *late;  // made first, connected last: order of making does not matter
  weft_use use = {.name = "spy"};
  CHECK_OK(weft_graph_add_node(g, "Spy", &use, &late, &r.d), &r.d);
  weft_value *x = rows_input(&r, g, "x", "i4[2,3]");
  weft_value *a = rows_node(&r, g, "Foo", "foo", NULL, 0, x, NULL);
  weft_value *z = rows_node(&r, g, "AddCustom", "add", NULL, 0, a, a, NULL);
  CHECK_OK(weft_node_connect(late, 0, z, &r.d), &r.d);
  CHECK_OK(rows_finish(&r, g, weft_node_out(late, 0)), &r.d);
  CHECK_STR(rows_value_text(a, text, sizeof text), "DT_INT32 [2,3] ND");
  CHECK_STR(rows_value_text(z, text, sizeof text), "DT_INT32 [2,3] ND");
  CHECK(seen_n == 1 && seen[0] == WEFT_INT32);
  weft_graph_destroy(g);
  rows_close(&r);
}

static weft_status by_attribute(weft_infer *it) {
  return weft_set_out_dtype(it, 0, (weft_dtype)weft_node_int(it->desc, 0));
}

TEST(r50_dtype_from_an_attribute) {
  rows r;
  if (!rows_open(&r, ""))
    return;
  weft_op_builder *b = weft_builder_create(r.env, "CastLike");
  weft_builder_input(b, "x", WEFT_REQUIRED);
  weft_builder_output(b, "y", WEFT_REQUIRED);
  weft_builder_attr(b, "dst_type", "Int", NULL, NULL);
  weft_builder_infer_dtype(weft_builder_infer_shape(b, same_shape), by_attribute);
  CHECK_OK(weft_builder_register(b, 0, &r.d), &r.d);
  weft_builder_destroy(b);
  weft_named_attr nine[] = {{"dst_type", weft_attr_int(9)}};
  weft_use use = {.attrs = nine, .n_attrs = 1};
  CHECK_STR(rows_infer(&r, "CastLike", &use, "f32[3]", 1), "DT_INT64 [3] ND");
  CHECK_STR(rows_infer(&r, "Cast", &use, "f32[3]", 1), "DT_INT64 [3] ND");  // the built-in one
  rows_close(&r);
}

TEST(r51_a_failing_function_ends_inference) {
  rows r;
  if (!rows_open(&r, ""))
    return;
  unary(&r, "Five", same_shape, code_five);
  weft_graph *g = rows_graph(&r, "g");
  weft_value *x = rows_input(&r, g, "x", "f32[2]");
  CHECK_INT(rows_finish(&r, g, rows_node(&r, g, "Five", "bad_node", NULL, 0, x, NULL)), 5);
  CHECK_INT(r.d.status, 5);
  CHECK_HAS(r.d.text, "the dtype function returned 5");
  CHECK_HAS(r.d.text, "node 'bad_node' (Five)");
  weft_graph_destroy(g);
  rows_close(&r);
}

// A dtype function that sets nothing leaves the rules to decide: here the matching column.
TEST(r19_r43_columns_decide_what_is_left_open) {
  rows r;
  if (!rows_open(&r, ""))
    return;
  unary(&r, "Left", same_shape, nothing);
  CHECK_STR(rows_infer(&r, "Left", NULL, "f16[2]", 1), "DT_FLOAT16 [2] ND");
  CHECK_STR(rows_infer(&r, "Left", NULL, "i32[2]", 1), "DT_INT32 [2] ND");
  CHECK_HAS(rows_infer(&r, "Left", NULL, "i64[2]", 1), "E_DTYPE: input 'x': got DT_INT64");
  rows_close(&r);
}
// SPDX-License-Identifier: Apache-2.0
