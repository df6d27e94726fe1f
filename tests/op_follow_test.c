// op_follow_test.c - group E: outputs that follow an input's shape, dtype or format.
#include "rows.h"

static weft_status seven(weft_infer *it) {
  const weft_dim dims[] = {7};
  return weft_set_out_shape(it, 0, dims, 1);
}

static const weft_dtype two[] = {WEFT_FLOAT, WEFT_INT32};
static const weft_format nd[] = {WEFT_ND, WEFT_ND};

static weft_op_builder *in2(rows *r, const char *name, int second_kind) {
  weft_op_builder *b = weft_builder_create(r->env, name);
  weft_builder_formats(weft_builder_dtypes(weft_builder_input(b, "x1", WEFT_REQUIRED), 2, two), 2, nd);
  weft_builder_formats(weft_builder_dtypes(weft_builder_input(b, "x2", second_kind), 2, two), 2, nd);
  return b;
}

static weft_op_builder *out(weft_op_builder *b, const char *name, const char *follow, unsigned what) {
  weft_builder_formats(weft_builder_dtypes(weft_builder_output(b, name, WEFT_REQUIRED), 2, two), 2, nd);
  return follow ? weft_builder_follow(b, follow, what) : b;
}

static weft_status finish(rows *r, weft_op_builder *b) {
  weft_diag_clear(&r->d);
  weft_status s = weft_builder_register(b, 0, &r->d);
  weft_builder_destroy(b);
  return s;
}

TEST(r72_r73_r76_shape_follows) {
  rows r;
  if (!rows_open(&r, ""))
    return;
  CHECK_OK(finish(&r, out(in2(&r, "F", WEFT_REQUIRED), "y1", "x1", WEFT_FOLLOW_SHAPE)), &r.d);
  CHECK_STR(weft_proto_missing(rows_find(&r, "F")), "");  // no InferShape is needed
  CHECK_STR(rows_infer(&r, "F", NULL, "f32[3,5]; f32[9]", 1), "DT_FLOAT [3,5] ND");
  CHECK_STR(rows_infer(&r, "F", NULL, "i32[3,5]; i32[]", 1),
            "DT_INT32 [3,5] ND");  // the dtype is the column's
  CHECK_STR(rows_infer(&r, "F", NULL, "f32[?]; f32[9]", 1), "DT_FLOAT [?] ND");
  weft_graph *g = rows_graph(&r, "g");
  weft_value *x = rows_input(&r, g, "x", "f32[3,5]");
  CHECK_OK(rows_finish(&r, g, rows_node(&r, g, "F", "f", NULL, 0, x, x, NULL)), &r.d);
  weft_graph_destroy(g);
  rows_close(&r);
}

TEST(r74_infer_shape_wins_over_follow) {
  rows r;
  if (!rows_open(&r, ""))
    return;
  weft_op_builder *b = out(in2(&r, "Both", WEFT_REQUIRED), "y1", "x1", WEFT_FOLLOW_SHAPE);
  CHECK_OK(finish(&r, weft_builder_infer_shape(b, seven)), &r.d);
  CHECK_STR(rows_infer(&r, "Both", NULL, "f32[3,5]; f32[9]", 1), "DT_FLOAT [7] ND");
  CHECK_HAS(weft_proto_warnings(rows_find(&r, "Both")), "InferShape and Follow(SHAPE) are both given");
  CHECK_HAS(r.log, "InferShape decides for all outputs");
  rows_close(&r);
}

TEST(r75_follow_does_not_fill_what_infer_shape_forgot) {
  rows r;
  if (!rows_open(&r, ""))
    return;
  weft_op_builder *b = out(out(in2(&r, "Mix", WEFT_REQUIRED), "y1", NULL, 0), "y2", "x1", WEFT_FOLLOW_SHAPE);
  CHECK_OK(finish(&r, weft_builder_infer_shape(b, seven)), &r.d);
  CHECK_HAS(rows_infer(&r, "Mix", NULL, "f32[3,5]; f32[9]", 2), "E_UNSET: output 1 shape not set");
  rows_close(&r);
}

// One output that follows `what` of x2, with no dtype list of its own; i8 in x1, f32 NHWC in x2.
static const char *follow_text(rows *r, const char *name, unsigned what, weft_infer_fn shape) {
  weft_op_builder *b = weft_builder_create(r->env, name);
  weft_builder_input(b, "x1", WEFT_REQUIRED);
  weft_builder_input(b, "x2", WEFT_REQUIRED);
  weft_builder_follow(weft_builder_output(b, "y", WEFT_REQUIRED), "x2", what);
  if (shape)
    weft_builder_infer_shape(b, shape);
  rows_tensors t;
  weft_tensor_desc desc;
  if (finish(r, b) || !rows_read(r, "i8[4]; f32[1,2,3,4]", &t))
    return r->d.text;
  t.t[1].format = t.t[1].origin_format = WEFT_NHWC;
  weft_status s = weft_infer_op(r->env, rows_find(r, name), NULL, t.in, 2, &desc, 1, &r->d);
  rows_free(&t);
  return s ? r->d.text : rows_desc_text(&desc, r->text, sizeof r->text);
}

TEST(r77_modes_of_follow) {
  rows r;
  if (!rows_open(&r, ""))
    return;
  CHECK_INT(WEFT_FOLLOW_ALL, WEFT_FOLLOW_SHAPE | WEFT_FOLLOW_DTYPE | WEFT_FOLLOW_FORMAT);
  CHECK_STR(follow_text(&r, "All", WEFT_FOLLOW_ALL, NULL), "DT_FLOAT [1,2,3,4] NHWC");
  CHECK_STR(follow_text(&r, "ShapeDtype", WEFT_FOLLOW_SHAPE | WEFT_FOLLOW_DTYPE, NULL),
            "DT_FLOAT [1,2,3,4] ND");
  CHECK_STR(follow_text(&r, "Dtype", WEFT_FOLLOW_DTYPE, seven), "DT_FLOAT [7] ND");
  CHECK_STR(follow_text(&r, "DtypeFormat", WEFT_FOLLOW_DTYPE | WEFT_FOLLOW_FORMAT, seven),
            "DT_FLOAT [7] NHWC");
  CHECK_HAS(follow_text(&r, "ShapeOnly", WEFT_FOLLOW_SHAPE, NULL), "output 0 dtype not inferred");
  rows_close(&r);
}

TEST(r78_chains_end_in_an_input) {
  rows r;
  if (!rows_open(&r, ""))
    return;
  CHECK_FAILS(finish(&r, out(in2(&r, "Nope", WEFT_REQUIRED), "y1", "nope", WEFT_FOLLOW_SHAPE)),
              WEFT_E_NOT_FOUND);
  CHECK_HAS(r.d.text, "output 'y1' follows 'nope', which is not a port");
  weft_op_builder *b = out(out(in2(&r, "Circle", WEFT_REQUIRED), "y1", "y2", WEFT_FOLLOW_SHAPE), "y2", "y1",
                           WEFT_FOLLOW_SHAPE);
  CHECK_FAILS(finish(&r, b), WEFT_E_CYCLE);
  CHECK_FAILS(finish(&r, out(in2(&r, "Self", WEFT_REQUIRED), "y1", "y1", WEFT_FOLLOW_SHAPE)), WEFT_E_CYCLE);
  b = out(out(in2(&r, "Chain", WEFT_REQUIRED), "y1", "x1", WEFT_FOLLOW_SHAPE), "y2", "y1", WEFT_FOLLOW_SHAPE);
  CHECK_OK(finish(&r, b), &r.d);
  CHECK_STR(rows_infer(&r, "Chain", NULL, "f32[3,5]; f32[9]", 2), "DT_FLOAT [3,5] ND; DT_FLOAT [3,5] ND");
  b = out(out(in2(&r, "Unlike", WEFT_REQUIRED), "y1", "x1", WEFT_FOLLOW_DTYPE), "y2", "y1",
          WEFT_FOLLOW_SHAPE);
  CHECK_FAILS(finish(&r, b), WEFT_E_INVALID);
  CHECK_HAS(r.d.text, "every link of a chain has the same mode");
  CHECK_FAILS(finish(&r, out(in2(&r, "NoMode", WEFT_REQUIRED), "y1", "x1", 0)), WEFT_E_INVALID);
  CHECK_FAILS(finish(&r, out(in2(&r, "BadMode", WEFT_REQUIRED), "y1", "x1", 8)), WEFT_E_INVALID);
  b = out(in2(&r, "OpenEnd", WEFT_REQUIRED), "y1", "y2", WEFT_FOLLOW_SHAPE);
  CHECK_FAILS(finish(&r, out(b, "y2", NULL, 0)), WEFT_E_CYCLE);  // y2 follows nothing
  CHECK_HAS(r.d.text, "do not end in an input");
  rows_close(&r);
}

TEST(r79_absent_or_dynamic_inputs_cannot_be_followed) {
  rows r;
  if (!rows_open(&r, ""))
    return;
  CHECK_OK(finish(&r, out(in2(&r, "Opt", WEFT_OPTIONAL), "y1", "x2", WEFT_FOLLOW_SHAPE)), &r.d);
  CHECK_STR(rows_infer(&r, "Opt", NULL, "f32[3,5]; f32[9]", 1), "DT_FLOAT [9] ND");
  CHECK_HAS(rows_infer(&r, "Opt", NULL, "f32[3,5]", 1),
            "E_MISSING: output 'y1' follows the shape of 'x2', which is absent");
  CHECK_FAILS(finish(&r, out(in2(&r, "Dyn", WEFT_DYNAMIC), "y1", "x2", WEFT_FOLLOW_SHAPE)), WEFT_E_INVALID);
  CHECK_HAS(r.d.text, "output 'y1' follows 'x2', which is a dynamic input");
  rows_close(&r);
}

TEST(r80_unknown_dims_and_ranges_are_followed) {
  rows r;
  char text[256];
  if (!rows_open(&r, ""))
    return;
  CHECK_OK(finish(&r, out(in2(&r, "F", WEFT_REQUIRED), "y1", "x1", WEFT_FOLLOW_SHAPE)), &r.d);
  weft_graph *g = rows_graph(&r, "g");
  weft_tensor_desc desc;
  const weft_dim dims[] = {-1, 3};
  weft_desc_init(&desc);
  CHECK_INT(weft_desc_set(&desc, WEFT_FLOAT, WEFT_ND, dims, 2), WEFT_OK);
  weft_shape min = {.rank = 2, .dim = {1, 3}};
  weft_shape max = {.rank = 2, .dim = {8, 3}};
  CHECK_OK(weft_desc_set_range(&desc, &min, &max, &r.d), &r.d);
  weft_value *x = weft_graph_input_desc(g, "x1", &desc, &r.d);
  weft_value *x2 = rows_input(&r, g, "x2", "f32[9]");
  weft_value *y = rows_node(&r, g, "F", "f", NULL, 0, x, x2, NULL);
  CHECK_OK(rows_finish(&r, g, y), &r.d);
  CHECK_STR(rows_value_text(y, text, sizeof text), "DT_FLOAT [-1,3] ND range [1,3]..[8,3]");
  weft_graph_destroy(g);
  rows_close(&r);
}
// SPDX-License-Identifier: Apache-2.0
