// op_value_test.c - group I: inputs whose value inference needs, before and while a graph runs.
#include "rows.h"

static weft_infer last;  // what the function saw
static int64_t seen[4];
static size_t n_seen;

// y has the shape that `shape` holds; two unknown dims while it is not known.
static weft_status reshape(weft_infer *it) {
  const weft_tensor *x = weft_in_value(it, 0);
  const weft_tensor *t = weft_in_value(it, 1);
  last = *it;
  CHECK(x && x->dtype == WEFT_FLOAT && x->layout.origin.rank == it->in[0]->rank && x->format == WEFT_ND &&
        !x->data);  // R118
  CHECK_INT(it->data_state[0], WEFT_DATA_NOT_DECLARED);
  n_seen = 0;
  if (!t->data) {
    CHECK_INT(it->data_state[1], WEFT_DATA_NOT_KNOWN);
    const weft_dim open[] = {-1, -1};
    return weft_set_out_shape(it, 0, open, 2);
  }
  CHECK_INT(it->data_state[1], WEFT_DATA_KNOWN);
  CHECK(!weft_tensor_i32(t) && !weft_tensor_f32(t));  // R119: another element type gives NULL
  const int64_t *v = weft_tensor_i64(t);
  for (int64_t i = 0; v && i < weft_tensor_elems(t) && i < 4; i++)
    seen[n_seen++] = v[i];
  if (n_seen != 2)
    return it->host->fail(it->d, WEFT_E_SHAPE, "input 'shape': expected 2 elements, got %zu", n_seen);
  int64_t elems;
  if (!weft_shape_elems(it->in[0], &elems) && elems >= 0 && elems != v[0] * v[1]) {
    return it->host->fail(it->d, WEFT_E_SHAPE, "x has %lld elements, the target %lld", (long long)elems,
                          (long long)(v[0] * v[1]));
  }
  return weft_set_out_shape(it, 0, v, 2);
}
static weft_status copies(const weft_call *c) {
  memcpy(c->out[0]->data, c->in[0]->data, c->out[0]->bytes);
  return WEFT_OK;
}

static void make(rows *r, const char *name, unsigned depend) {
  static const weft_dtype f[] = {WEFT_FLOAT};
  static const weft_dtype i[] = {WEFT_INT64};
  weft_op_builder *b = weft_builder_create(r->env, name);
  weft_builder_dtypes(weft_builder_input(b, "x", WEFT_REQUIRED), 1, f);
  weft_builder_value_depend(weft_builder_dtypes(weft_builder_input(b, "shape", WEFT_REQUIRED), 1, i), depend);
  weft_builder_dtypes(weft_builder_output(b, "y", WEFT_REQUIRED), 1, f);
  weft_builder_ref(weft_builder_infer_shape(b, reshape), copies);
  if (weft_builder_register(b, 0, &r->d))
    check_failed(__FILE__, __LINE__, "%s", r->d.text);
  weft_builder_destroy(b);
}

TEST(r116_r122_the_declaration_can_be_asked) {
  rows r;
  if (!rows_open(&r, ""))
    return;
  make(&r, "R", WEFT_VALUE_INFER);
  const weft_proto *p = rows_find(&r, "R");
  CHECK_INT(weft_proto_in(p, 0)->value, 0);
  CHECK_INT(weft_proto_in(p, 1)->value, WEFT_VALUE_INFER);
  CHECK(weft_proto_in(rows_find(&r, "Reshape"), 1)->value & WEFT_VALUE_INFER);
  make(&r, "Scope", WEFT_VALUE_TILING | WEFT_VALUE_OPTIONAL);
  CHECK_INT(weft_proto_in(rows_find(&r, "Scope"), 1)->value, WEFT_VALUE_TILING | WEFT_VALUE_OPTIONAL);
  make(&r, "Ignored", 8);  // no such kind: a warning, and not declared
  CHECK_INT(weft_proto_in(rows_find(&r, "Ignored"), 1)->value, 0);
  CHECK_HAS(r.log, "operator 'Ignored': value dependence 0x8 is not known and is ignored");
  rows_close(&r);
}

TEST(r117_r118_r119_declared_inputs_show_their_data) {
  rows r;
  if (!rows_open(&r, ""))
    return;
  make(&r, "R", WEFT_VALUE_INFER);
  CHECK_STR(rows_infer(&r, "R", NULL, "f32[2,3,4]{0..}; i64[2]{4,6}", 1), "DT_FLOAT [4,6] ND");
  CHECK(n_seen == 2 && seen[0] == 4 && seen[1] == 6);
  CHECK(last.stage == WEFT_STAGE_BUILD);
  CHECK_STR(rows_infer(&r, "R", NULL, "f32[2,3,4]; i64[2]", 1), "DT_FLOAT [-1,-1] ND");
  rows_close(&r);
}

// R120, R62: the value comes only when the graph runs; each run infers with its own.
TEST(r120_r94_values_that_come_at_run_time) {
  rows r;
  char text[256];
  if (!rows_open(&r, ""))
    return;
  make(&r, "R", WEFT_VALUE_INFER);
  weft_graph *g = rows_graph(&r, "g");
  weft_value *x = rows_input(&r, g, "x", "f32[2,12]");
  weft_value *s = rows_input(&r, g, "s", "i64[2]");
  weft_value *y = rows_node(&r, g, "R", "reshape_1", NULL, 0, x, s, NULL);
  weft_infer_summary sum;
  CHECK_OK(weft_graph_output(g, y, &r.d), &r.d);
  CHECK_OK(weft_graph_infer(g, NULL, &sum, &r.d), &r.d);
  CHECK(sum.dynamic);
  CHECK_STR(rows_value_text(y, text, sizeof text), "DT_FLOAT [-1,-1] ND");
  CHECK_HAS(rows_run_graph(&r, g, "f32[2,12]{0..}; i64[2]{4,6}"), "f32[4,6]{0,1,2,3,4,5,6,");
  CHECK(last.stage == WEFT_STAGE_RUN);
  CHECK_HAS(rows_run_graph(&r, g, "f32[2,12]{0..}; i64[2]{3,8}"), "f32[3,8]{0,1,2,");
  CHECK_HAS(rows_run_graph(&r, g, "f32[2,12]{0..}; i64[2]{5,5}"),
            "E_SHAPE: x has 24 elements, the target 25");
  CHECK_HAS(r.d.text, "'reshape_1' (R)");
  CHECK_HAS(rows_run_graph(&r, g, "f32[2,12]{0..}; i64[2]{24,1}"), "f32[24,1]{0,");  // and goes on
  weft_graph_destroy(g);
  rows_close(&r);
}

// The same with the built-in Reshape; a shape of unknown length gives an unknown rank.
TEST(r94_r96_reshape_in_a_graph) {
  rows r;
  char text[256];
  if (!rows_open(&r, ""))
    return;
  weft_graph *g = rows_graph(&r, "g");
  weft_value *x = rows_input(&r, g, "x", "f32[2,3,4]");
  weft_value *s = rows_input(&r, g, "s", "i64[2]");
  weft_value *u = rows_input(&r, g, "u", "i64[-1]");
  weft_value *y = rows_node(&r, g, "Reshape", "a", NULL, 0, x, s, NULL);
  weft_value *z = rows_node(&r, g, "Reshape", "b", NULL, 0, x, u, NULL);
  CHECK_OK(weft_graph_output(g, z, &r.d), &r.d);
  CHECK_OK(rows_finish(&r, g, y), &r.d);
  CHECK_STR(rows_value_text(y, text, sizeof text), "DT_FLOAT [-1,-1] ND");
  CHECK_STR(rows_value_text(z, text, sizeof text), "DT_FLOAT [?] ND");
  const char *out = rows_run_graph(&r, g, "f32[2,3,4]{0..}; i64[2]{4,6}; i64[3]{24,1,1}");
  CHECK_HAS(out, "f32[24,1,1]{0,1,");
  CHECK_HAS(out, "f32[4,6]{0,1,2,3,4,5,6,7");  // y[1][0] is 6: the order stays
  weft_graph_destroy(g);
  rows_close(&r);
}

static weft_value *constant(rows *r, weft_graph *g, const char *name, const char *literal) {
  rows_tensors t;
  if (!rows_read(r, literal, &t))
    return NULL;
  weft_value *v = weft_graph_const(g, name, &t.t[0], WEFT_CONST_COPY, &r->d);
  rows_free(&t);
  return v;
}

// R124: values known by computation reach the dependent input.
TEST(r124_constants_are_folded_into_the_shape) {
  rows r;
  char text[256];
  if (!rows_open(&r, ""))
    return;
  weft_graph *g = rows_graph(&r, "g");
  weft_value *x = rows_input(&r, g, "x", "f32[2,3,4]");
  weft_value *a = constant(&r, g, "a", "i64[1]{4}");
  weft_value *b = constant(&r, g, "b", "i64[1]{6}");
  weft_named_attr axis[] = {{"concat_dim", weft_attr_int(0)}};
  weft_value *s = rows_node(&r, g, "ConcatD", "join", axis, 1, a, b, NULL);
  weft_value *y = rows_node(&r, g, "Reshape", "reshape", NULL, 0, x, s, NULL);
  CHECK_OK(rows_finish(&r, g, y), &r.d);
  CHECK_STR(rows_value_text(y, text, sizeof text), "DT_FLOAT [4,6] ND");
  const weft_tensor *known = weft_value_data(s);
  CHECK(known && weft_tensor_i64(known)[0] == 4 && weft_tensor_i64(known)[1] == 6);
  weft_graph_destroy(g);
  rows_close(&r);
}

static weft_status hidden(weft_infer *it) {
  const weft_tensor *t = weft_in_value(it, 1);
  CHECK(t && !t->data && t->dtype == WEFT_INT64 && t->format == WEFT_ND && t->layout.origin.dim[0] == 2);
  CHECK_INT(it->data_state[1], WEFT_DATA_NOT_DECLARED);
  CHECK(!it->in_dims[1].v && it->in_dims[1].n == 0);
  return weft_set_out_shape(it, 0, it->in[0]->dim, it->in[0]->rank);
}

// Const {4,6} at an input declared for tiling only, and at one not declared: described, not shown.
TEST(r117_r118_r122_undeclared_inputs_hide_their_data) {
  static const weft_dtype f[] = {WEFT_FLOAT};
  static const weft_dtype i[] = {WEFT_INT64};
  rows r;
  if (!rows_open(&r, ""))
    return;
  for (unsigned depend = 0; depend <= WEFT_VALUE_TILING; depend += WEFT_VALUE_TILING) {
    weft_op_builder *b = weft_builder_create(r.env, depend ? "Tiling" : "None");
    weft_builder_dtypes(weft_builder_input(b, "x", WEFT_REQUIRED), 1, f);
    weft_builder_value_depend(weft_builder_dtypes(weft_builder_input(b, "shape", WEFT_REQUIRED), 1, i),
                              depend);
    weft_builder_dtypes(weft_builder_output(b, "y", WEFT_REQUIRED), 1, f);
    CHECK_OK(weft_builder_register(weft_builder_infer_shape(b, hidden), 0, &r.d), &r.d);
    weft_builder_destroy(b);
    CHECK_STR(rows_infer(&r, depend ? "Tiling" : "None", NULL, "f32[2,3,4]; i64[2]{4,6}", 1),
              "DT_FLOAT [2,3,4] ND");
  }
  rows_close(&r);
}
// SPDX-License-Identifier: Apache-2.0
