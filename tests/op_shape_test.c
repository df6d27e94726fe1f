// op_shape_test.c - group D: what a shape function sees, what it must do, and how a failure ends inference.
#include "rows.h"

static int calls;

static weft_status same_shape(weft_infer *it) {
  const weft_shape *x = weft_in_shape(it, 0);
  calls++;
  return weft_set_out_shape(it, 0, x->dim, x->rank);
}

// n_in inputs x0.. and n_out outputs y0.., all f32 (or i32).
static void make(rows *r, const char *name, uint32_t n_in, uint32_t n_out, weft_infer_fn shape) {
  static const weft_dtype f[] = {WEFT_FLOAT};
  static const weft_format nd[] = {WEFT_ND};
  static const char *const in[] = {"x0", "x1", "x2"};
  static const char *const out[] = {"y0", "y1", "y2"};
  weft_op_builder *b = weft_builder_create(r->env, name);
  for (uint32_t i = 0; i < n_in; i++)
    weft_builder_formats(weft_builder_dtypes(weft_builder_input(b, in[i], WEFT_REQUIRED), 1, f), 1, nd);
  for (uint32_t i = 0; i < n_out; i++)
    weft_builder_formats(weft_builder_dtypes(weft_builder_output(b, out[i], WEFT_REQUIRED), 1, f), 1, nd);
  weft_builder_infer_shape(b, shape);
  weft_diag_clear(&r->d);
  if (weft_builder_register(b, 0, &r->d))
    check_failed(__FILE__, __LINE__, "%s", r->d.text);
  weft_builder_destroy(b);
}

static weft_status reads_by_index(weft_infer *it) {
  const weft_shape *x = weft_in_shape(it, 0);
  weft_shape *y = weft_out_shape(it, 0);
  CHECK(x && y && x->rank == 2 && x->dim[1] == 3);
  CHECK(!weft_in_shape(it, 99) && !weft_out_shape(it, 99) && !weft_in_value(it, 99));
  CHECK(!weft_in_shape(it, 1) && !weft_out_shape(it, 1));
  CHECK_STR(it->desc->type, "ByIndex");
  CHECK_STR(it->desc->name, "reshape_1");
  CHECK(!it->desc->attr && it->desc->n_attr == 0);  // R99: no attributes, a defined NULL
  CHECK_INT(it->size, sizeof *it);
  weft_diag own = {0};
  weft_infer copy = *it;
  copy.d = &own;
  CHECK_FAILS(weft_set_out_shape(&copy, 1, x->dim, 2), WEFT_E_RANGE);
  CHECK_FAILS(weft_set_out_shape(&copy, 0, x->dim, 26), WEFT_E_LIMIT);
  return weft_set_out_shape(it, 0, x->dim, x->rank);
}

TEST(r53_r57_r99_context_by_index) {
  rows r;
  weft_use use = {.name = "reshape_1"};
  if (!rows_open(&r, ""))
    return;
  make(&r, "ByIndex", 1, 1, reads_by_index);
  CHECK_STR(rows_infer(&r, "ByIndex", &use, "f32[2,3]", 1), "DT_FLOAT [2,3] ND");
  rows_close(&r);
}

#ifdef WEFT_CHECKED
static weft_status writes_input(weft_infer *it) {
  ((weft_shape *)(uintptr_t)it->in[0])->dim[0] = 77;
  return same_shape(it);
}

TEST(r54_inputs_are_read_only) {
  rows r;
  if (!rows_open(&r, ""))
    return;
  make(&r, "Writer", 1, 1, writes_input);
  CHECK_HAS(rows_infer(&r, "Writer", NULL, "f32[2,3]", 1),
            "E_STATE: the inference function changed an input shape");
  rows_close(&r);
}

static weft_status half_written(weft_infer *it) {
  it->out[0]->rank = 2;
  it->out[0]->dim[0] = 4;
  return WEFT_OK;
}

TEST(r58_a_dim_never_written_is_found) {
  rows r;
  if (!rows_open(&r, ""))
    return;
  make(&r, "Half", 1, 1, half_written);
  CHECK_HAS(rows_infer(&r, "Half", NULL, "f32[2,3]", 1), "E_UNSET: output 0: dim 1 was never written");
  rows_close(&r);
}
#endif

static weft_status returned;
static weft_status returns_it(weft_infer *it) {
  weft_status s = same_shape(it);
  return s ? s : returned;
}

TEST(r55_any_other_status_fails) {
  const weft_status codes[] = {1, (weft_status)0xFFFFFFFF, -1, 5, 1000};
  rows r;
  if (!rows_open(&r, ""))
    return;
  make(&r, "Returns", 1, 1, returns_it);
  returned = 0;
  CHECK_STR(rows_infer(&r, "Returns", NULL, "f32[2]", 1), "DT_FLOAT [2] ND");
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
    rows_tensors t;
    weft_tensor_desc out;
    returned = codes[i];
    if (!rows_read(&r, "f32[2]", &t))
      return;
    CHECK_INT(weft_infer_op(r.env, rows_find(&r, "Returns"), NULL, t.in, 1, &out, 1, &r.d), codes[i]);
    CHECK_HAS(r.d.text, "the inference function returned");
    rows_free(&t);
  }
  rows_close(&r);
}

static weft_status refuses(weft_infer *it) {
  return it->host->fail(it->d, WEFT_E_SHAPE, "refused on purpose");
}

TEST(r56_r95_nothing_is_inferred_after_a_failure) {
  rows r;
  if (!rows_open(&r, ""))
    return;
  make(&r, "Fine", 1, 1, same_shape);
  make(&r, "Refuses", 1, 1, refuses);
  weft_graph *g = rows_graph(&r, "g");
  weft_value *x = rows_input(&r, g, "x", "f32[2]");
  weft_value *a = rows_node(&r, g, "Fine", "one", NULL, 0, x, NULL);
  weft_value *b = rows_node(&r, g, "Refuses", "two", NULL, 0, a, NULL);
  weft_value *c = rows_node(&r, g, "Fine", "three", NULL, 0, b, NULL);
  calls = 0;
  CHECK_FAILS(rows_finish(&r, g, c), WEFT_E_SHAPE);
  CHECK_INT(calls, 1);
  CHECK_STR(r.d.text, "refused on purpose\n  while inferring node 'two' (Refuses)");
  char text[256];
  weft_tensor_desc desc;
  weft_value_desc(c, &desc);
  CHECK(desc.dtype == WEFT_UNDEFINED && desc.layout.origin.rank == WEFT_RANK_UNSET);
  CHECK_HAS(rows_run_graph(&r, g, "f32[2]{1,2}"), "call weft_graph_infer first");  // no kernel is launched
  weft_graph_destroy(g);
  g = rows_graph(&r, "other");  // the environment goes on
  x = rows_input(&r, g, "x", "f32[2]");
  a = rows_node(&r, g, "Relu", "relu", NULL, 0, x, NULL);
  CHECK_OK(rows_finish(&r, g, a), &r.d);
  CHECK_STR(rows_value_text(a, text, sizeof text), "DT_FLOAT [2] ND");
  weft_graph_destroy(g);
  rows_close(&r);
}

static weft_status appends_only(weft_infer *it) {
  weft_status s = weft_shape_append(it->out[0], -1);
  return s ? it->host->fail(it->d, s, "cannot append") : WEFT_OK;
}
static weft_status clears_and_appends(weft_infer *it) {
  CHECK(it->out[0]->rank == WEFT_RANK_UNSET);  // the sentinel, in every build
  WEFT_TRY(weft_shape_set_rank(it->out[0], 0));
  WEFT_TRY(weft_shape_append(it->out[0], -1));
  return weft_shape_append(it->out[0], 1);
}
static weft_status appends_too_often(weft_infer *it) {
  it->out[0]->rank = 0;
  for (int i = 0; i < 25; i++)
    WEFT_TRY(weft_shape_append(it->out[0], 1));
  CHECK_FAILS(weft_shape_append(it->out[0], 1), WEFT_E_LIMIT);
  return WEFT_OK;
}
static weft_status over_the_limit(weft_infer *it) {
  it->out[0]->rank = 26;
  return WEFT_OK;
}

TEST(r58_r59_append_needs_a_rank) {
  rows r;
  if (!rows_open(&r, ""))
    return;
  make(&r, "AppendOnly", 1, 1, appends_only);
  make(&r, "Clears", 1, 1, clears_and_appends);
  make(&r, "TooOften", 1, 1, appends_too_often);
  make(&r, "TooHigh", 1, 1, over_the_limit);
  CHECK_HAS(rows_infer(&r, "AppendOnly", NULL, "f32[2,3,4]", 1), "E_STATE: cannot append");
  CHECK_STR(rows_infer(&r, "Clears", NULL, "f32[2,3,4]", 1), "DT_FLOAT [-1,1] ND");
  CHECK_HAS(rows_infer(&r, "TooOften", NULL, "f32[2]", 1),
            "DT_FLOAT [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]");
  CHECK_HAS(rows_infer(&r, "TooHigh", NULL, "f32[2]", 1),
            "E_LIMIT: output 0: rank 26 is over the limit of 25");
  rows_close(&r);
}

TEST(r60_every_output_must_be_set) {
  rows r;
  if (!rows_open(&r, ""))
    return;
  make(&r, "TwoOut", 1, 2, same_shape);
  CHECK_HAS(rows_infer(&r, "TwoOut", NULL, "f32[2]", 2), "E_UNSET: output 1 shape not set");
  weft_graph *g = rows_graph(&r, "g");
  weft_value *x = rows_input(&r, g, "x", "f32[2]");
  CHECK_FAILS(rows_finish(&r, g, rows_node(&r, g, "TwoOut", "two", NULL, 0, x, NULL)), WEFT_E_UNSET);
  CHECK_HAS(r.d.text, "node 'two' (TwoOut)");
  weft_graph_destroy(g);
  rows_close(&r);
}

// The documents' Reshape, defensive: too few inputs give NULL, never a crash.
static weft_status defensive(weft_infer *it) {
  const weft_shape *x = weft_in_shape(it, 0);
  const weft_shape *shape = weft_in_shape(it, 1);
  weft_shape *y = weft_out_shape(it, 0);
  if (!x || !shape || !y)
    return it->host->fail(it->d, WEFT_E_MISSING, "x, shape or y is NULL");
  return same_shape(it);
}

TEST(r61_null_is_checked) {
  rows r;
  if (!rows_open(&r, ""))
    return;
  make(&r, "OneInput", 1, 1, defensive);
  CHECK_HAS(rows_infer(&r, "OneInput", NULL, "f32[2]", 1), "E_MISSING: x, shape or y is NULL");
  CHECK_HAS(rows_infer(&r, "Reshape", NULL, "f32[2]", 1),
            "E_MISSING: required input 'shape' (1) is not given");
  rows_close(&r);
}

static weft_status copies(const weft_call *c) {
  memcpy(c->out[0]->data, c->in[0]->data, c->out[0]->bytes);
  return WEFT_OK;
}

// The same function serves when the graph is built and when it runs.
TEST(r62_inferred_again_with_the_actual_shape) {
  static const weft_dtype f[] = {WEFT_FLOAT};
  rows r;
  char text[256];
  if (!rows_open(&r, ""))
    return;
  weft_op_builder *b = weft_builder_create(r.env, "Again");
  weft_builder_dtypes(weft_builder_input(b, "x", WEFT_REQUIRED), 1, f);
  weft_builder_dtypes(weft_builder_output(b, "y", WEFT_REQUIRED), 1, f);
  weft_builder_ref(weft_builder_infer_shape(b, same_shape), copies);
  CHECK_OK(weft_builder_register(b, 0, &r.d), &r.d);
  weft_builder_destroy(b);
  weft_graph *g = rows_graph(&r, "g");
  weft_value *x = rows_input(&r, g, "x", "f32[-1,2]");
  weft_value *y = rows_node(&r, g, "Again", "again", NULL, 0, x, NULL);
  CHECK_OK(rows_finish(&r, g, y), &r.d);
  CHECK_STR(rows_value_text(y, text, sizeof text), "DT_FLOAT [-1,2] ND");
  calls = 0;
  CHECK_STR(rows_run_graph(&r, g, "f32[5,2]{0..}"), "f32[5,2]{0,1,2,3,4,5,6,7,8,9}");
  CHECK_INT(calls, 1);
  CHECK_STR(rows_run_graph(&r, g, "f32[1,2]{7,8}"), "f32[1,2]{7,8}");
  CHECK_INT(calls, 2);
  weft_graph_destroy(g);
  rows_close(&r);
}

TEST(r63_r64_my_op_and_ports_by_name) {
  rows r;
  if (!rows_open(&r, ROWS_DOCUMENTS))
    return;
  CHECK_STR(rows_infer(&r, "MyOp", NULL, "f32[2,3,4,5]; f32[1]", 1), "DT_FLOAT [2,3,4,5] ND");
  const weft_proto *p = rows_find(&r, "CustomConv2d");
  const weft_op *op = weft_proto_op(p);
  CHECK_INT(weft_op_find_port(op, op->in, "weight"), 1);
  CHECK_INT(weft_proto_find_in(p, "weight"), 1);
  CHECK_INT(weft_proto_find_out(p, "output"), 0);
  CHECK_INT(weft_op_find_port(op, op->in, "nothing"), -1);
  CHECK_INT(weft_op_find_port(op, op->in, "weigh"), -1);
  CHECK_INT(weft_op_find_port(op, op->in, ""), -1);
  CHECK_INT(weft_proto_find_out(p, "weight"), -1);
  CHECK_INT(weft_op_find_attr(op, "group"), 3);
  CHECK_INT(weft_op_find_attr(op, "groups"), -1);
  rows_close(&r);
}

static weft_status wants_blocks(weft_infer *it) {  // InferFormat: the value is NCHW, its bytes lie as NC1HWC0
  it->out_format[0] = WEFT_NC1HWC0;
  it->out_origin_format[0] = WEFT_NCHW;
  return same_shape(it);
}

TEST(r71_formats_are_inferred) {
  rows r;
  rows_tensors t;
  weft_tensor_desc out;
  const weft_dim storage[] = {1, 1, 4, 5, 16};
  if (!rows_open(&r, ""))
    return;
  static const weft_port in[] = {{"x", .dtypes = WEFT_DT(FLOAT)}, {0}};
  static const weft_port outs[] = {{"y", .dtypes = WEFT_DT(FLOAT)}, {0}};
  static const weft_op op = {WEFT_OP_HEAD, .name = "Blocks", .in = in, .out = outs, .infer = wants_blocks};
  CHECK_OK(weft_register(r.env, &op, 0, &r.d), &r.d);
  if (!rows_read(&r, "f32[1,3,4,5]", &t))
    return;
  t.t[0].format = t.t[0].origin_format = WEFT_NCHW;
  CHECK_OK(weft_infer_op(r.env, rows_find(&r, "Blocks"), NULL, t.in, 1, &out, 1, &r.d), &r.d);
  CHECK(out.format == WEFT_NC1HWC0 && out.origin_format == WEFT_NCHW);
  CHECK(out.layout.origin.rank == 4 && out.layout.origin.dim[1] == 3);
  CHECK(out.layout.storage.rank == 5 && !memcmp(out.layout.storage.dim, storage, sizeof storage));
  rows_free(&t);
  rows_close(&r);
}

// A descriptor that is not a dim: negative numbers other than -1 are refused.
static weft_status odd_dim(weft_infer *it) {
  const weft_dim dims[] = {2, -7};
  return weft_set_out_shape(it, 0, dims, 2);
}

TEST(r86_r333_negative_dims_are_refused) {
  rows r;
  if (!rows_open(&r, ""))
    return;
  make(&r, "Odd", 1, 1, odd_dim);
  CHECK_HAS(rows_infer(&r, "Odd", NULL, "f32[2]", 1), "E_SHAPE: output 0: dim 1 is -7");
  rows_close(&r);
}

// A table cut to the length at hand: min(S,64) beside S. Where they broadcast they are equal; 64 alone
// decides nothing.
TEST(a_dim_and_its_cut_broadcast_to_the_dim) {
  static const char text[] =
      "graph \"g\" { input x: f32[B,S,4] const table: f32[64,4]{*1} const l0: i64[1]{0} const l1: i64[1]{1}\n"
      "const one: i64[]{1} node s: Shape(x) {dtype=9} -> shape node n: StridedSliceV2(shape, l1, two, l0, "
      "l1) -> len\n"
      "const two: i64[1]{2} node c: StridedSliceV2(table, l0, len, l0, l1) -> some\n"
      "node a: Add(x, some) -> y node b: Mul(some, x) -> z output y output z }";
  rows r;
  weft_graph *g = NULL;
  if (!rows_open(&r, ""))
    return;
  CHECK_OK(weft_graph_parse(r.env, text, strlen(text), NULL, &g, &r.d), &r.d);
  if (g)
    CHECK_OK(weft_graph_sort(g, &r.d), &r.d);
  if (g)
    CHECK_OK(weft_graph_infer(g, NULL, NULL, &r.d), &r.d);
  for (size_t i = 0; g && i < 2; i++) {
    weft_tensor_desc desc;
    char shape[64];
    weft_value_desc(weft_graph_output_at(g, i), &desc);
    CHECK_STR(weft_shape_text(&desc.layout.origin, weft_graph_symbols(g), shape, sizeof shape), "[B,S,4]");
  }
  weft_graph_destroy(g);
  rows_close(&r);
}
// SPDX-License-Identifier: Apache-2.0
