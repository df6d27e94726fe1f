// op_prototype_test.c - what a prototype says of its ports: their order, which are required, dtypes and
// formats (R14, R16 to R19).
#include "rows.h"

static const weft_dtype three[] = {WEFT_FLOAT16, WEFT_FLOAT, WEFT_INT32};

TEST(r14_r19_a_prototype_is_found_by_name_in_its_order) {
  rows r;
  if (!rows_open(&r, ROWS_DOCUMENTS))
    return;
  const weft_proto *p = rows_find(&r, "AddCustom");
  CHECK(p && weft_proto_n_in(p) == 2 && weft_proto_n_out(p) == 1 && weft_proto_n_attr(p) == 0);
  CHECK_STR(weft_proto_in(p, 0)->name, "x");
  CHECK_STR(weft_proto_in(p, 1)->name, "y");
  CHECK_STR(weft_proto_out(p, 0)->name, "z");
  CHECK(!weft_proto_in(p, 2) && !weft_proto_out(p, 1) && !weft_proto_attr(p, 0) && !weft_proto_default(p, 0));
  CHECK_INT(weft_proto_op(p)->n_columns, 3);  // three combinations
  for (uint32_t i = 0; i < 3; i++) {
    CHECK(weft_proto_in(p, 0)->columns[i].dtype == three[i] &&
          weft_proto_out(p, 0)->columns[i].dtype == three[i]);
  }
  CHECK(weft_proto_dtypes(p, weft_proto_out(p, 0)) == (WEFT_DT(FLOAT16) | WEFT_DT(FLOAT) | WEFT_DT(INT32)));
  rows_close(&r);
}

TEST(r16_ports_are_required_unless_said) {
  rows r;
  if (!rows_open(&r, ROWS_DOCUMENTS))
    return;
  CHECK_INT(weft_proto_in(rows_find(&r, "AddCustom"), 0)->kind,
            WEFT_REQUIRED);  // its descriptor says nothing
  CHECK_INT(weft_proto_in(rows_find(&r, "DynamicRNNV3"), 11)->kind, WEFT_OPTIONAL);
  weft_graph *g = rows_graph(&r, "g");
  weft_node *n;
  weft_use use = {.name = "n"};
  CHECK_OK(weft_graph_add_node(g, "MyOp", &use, &n, &r.d), &r.d);
  CHECK_OK(weft_node_connect(n, 0, rows_input(&r, g, "x", "f32[2]"), &r.d), &r.d);
  CHECK_FAILS(rows_finish(&r, g, weft_node_out(n, 0)), WEFT_E_MISSING);
  CHECK_STR(r.d.text, "node 'n' (MyOp): input 'w' is not connected");
  weft_graph_destroy(g);
  rows_close(&r);
}

TEST(r17_r18_dtypes_and_formats_of_a_port) {
  rows r;
  if (!rows_open(&r, ROWS_DOCUMENTS))
    return;
  CHECK_HAS(rows_infer(&r, "AddCustom", NULL, "i8[2]; i8[2]", 1), "E_DTYPE: input 'x': got DT_INT8");
  CHECK_STR(rows_infer(&r, "AddCustom", NULL, "f16[2]; f16[2]", 1), "DT_FLOAT16 [2] ND");
  CHECK_STR(rows_infer(&r, "AddCustom", NULL, "f32[2]; f32[2]", 1), "DT_FLOAT [2] ND");
  CHECK_STR(rows_infer(&r, "AddCustom", NULL, "i32[2]; i32[2]", 1), "DT_INT32 [2] ND");
  rows_tensors t;
  weft_tensor_desc out;
  if (!rows_read(&r, "f32[1,16,2,2]; f32[1,16,2,2]", &t))
    return;
  t.t[0].format = WEFT_NC1HWC0;
  t.t[0].origin_format = WEFT_NCHW;
  CHECK_FAILS(weft_infer_op(r.env, rows_find(&r, "AddCustom"), NULL, t.in, 2, &out, 1, &r.d), WEFT_E_FORMAT);
  CHECK_HAS(r.d.text, "input 'x': got format NC1HWC0");
  rows_free(&t);
  rows_close(&r);
}
// SPDX-License-Identifier: Apache-2.0
