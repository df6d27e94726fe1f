// op_attr_test.c - group G and R205-R211: attributes in contexts, and the rules that check them.
#include "rows.h"

static weft_status same_shape(weft_infer *it) {
  const weft_shape *x = weft_in_shape(it, 0);
  it->out_dtype[0] = it->in_dtype[0];
  return weft_set_out_shape(it, 0, x->dim, x->rank);
}

static void check_slots(const weft_op_desc *n) {
  CHECK_STR(weft_node_str(n, 0), "NCHW");
  CHECK_STR(weft_node_str(n, 1), "NC1HWC0");
  const int64_t *group = weft_node_int_at(n, 2);
  CHECK(group && *group == 1);
  CHECK(!weft_node_int_at(n, 3) && !weft_node_str(n, 3) && !weft_attr_at(n, 99, WEFT_VT_INT));  // R100
  CHECK(!weft_node_int_at(n, 0));  // R101: a String slot read as Int
  CHECK(!weft_node_str(n, 2));
  CHECK_INT(weft_node_int(n, 0), 0);
  CHECK(weft_node_float(n, 2) == 0 && !weft_node_bool(n, 2) && weft_node_dtype(n, 2) == WEFT_UNDEFINED);
  CHECK(!weft_node_ints(n, 2).v && weft_node_ints(n, 2).n == 0);
  CHECK_INT(n->n_attr, 3);  // R102: '_foo' is not counted
  CHECK_INT(weft_op_find_attr(n->op, "group"), 2);
  CHECK_INT(weft_op_find_attr(n->op, "_foo"), -1);
}

static int looked;
static weft_status infer(weft_infer *it) {
  looked++;
  check_slots(it->desc);
  return same_shape(it);
}
static weft_status ref(const weft_call *c) {
  looked++;
  check_slots(c->desc);
  memcpy(c->out[0]->data, c->in[0]->data, c->out[0]->bytes);
  return WEFT_OK;
}
static weft_status tile(weft_tiling *t) {
  looked++;
  check_slots(t->desc);
  return WEFT_OK;
}

static const weft_op trans_like = {
    WEFT_OP_HEAD,
    .name = "TransLike",
    .in = WEFT_PORTS({"src", .dtypes = WEFT_DT(FLOAT)}),
    .out = WEFT_PORTS({"dst", .dtypes = WEFT_DT(FLOAT)}),
    .attrs = WEFT_ATTRS({"src_format", "String"}, {"dst_format", "String"}, {"group", "Int", "1", "min 1"}),
    .infer = infer,
    .ref = ref,
    .tile = tile,
};

TEST(r97_r98_r100_r101_r102_r103_the_same_slots_in_every_context) {
  rows r;
  if (!rows_open(&r, ""))
    return;
  CHECK_OK(weft_register(r.env, &trans_like, 0, &r.d), &r.d);
  weft_named_attr attrs[] = {{"_foo", weft_attr_int(3)},
                             {"dst_format", weft_attr_str("NC1HWC0", 7)},
                             {"src_format", weft_attr_str("NCHW", 4)}};
  weft_use use = {.attrs = attrs, .n_attrs = 3};
  looked = 0;
  CHECK_STR(rows_run(&r, "TransLike", &use, "f32[2]{1,2}", 1), "f32[2]{1,2}");
  CHECK_INT(looked, 2);
  weft_graph *g = rows_graph(&r, "g");
  weft_value *x = rows_input(&r, g, "x", "f32[2]");
  weft_value *y = rows_node(&r, g, "TransLike", "t", attrs, 3, x, NULL);
  CHECK_OK(rows_finish(&r, g, y), &r.d);
  weft_node *n = weft_value_node(y, NULL);
  weft_tiling t = {.size = sizeof t, .desc = weft_node_desc(n), .host = weft_env_host(r.env)};
  CHECK_INT(weft_proto_op(weft_node_proto(n))->tile(&t), WEFT_OK);
  CHECK_INT(looked, 4);
  CHECK_INT(weft_node_attr(n, "_foo")->u.i, 3);   // visible by name
  CHECK_INT(weft_node_attr(n, "group")->u.i, 1);  // R103
  CHECK(!weft_node_attr(n, "nothing"));
  weft_graph_destroy(g);
  rows_close(&r);
}

TEST(r27_r28_r29_defaults_required_and_wrong_types) {
  static const int64_t two[] = {1, 2};
  rows r;
  if (!rows_open(&r, ROWS_DOCUMENTS))
    return;
  weft_named_attr both[] = {{"src_format", weft_attr_str("NCHW", 4)},
                            {"dst_format", weft_attr_str("NCHW", 4)},
                            {"group", weft_attr_str("1", 1)}};
  weft_use use = {.name = "trans_1", .attrs = both, .n_attrs = 2};
  CHECK_STR(rows_infer(&r, "TransData", &use, "f32[1,2,3,4]", 1), "DT_FLOAT [1,2,3,4] NCHW");
  use.n_attrs = 1;
  use.attrs = both + 1;
  CHECK_HAS(rows_infer(&r, "TransData", &use, "f32[1,2,3,4]", 1),
            "E_MISSING: required attribute 'src_format' (String) is not given");
  CHECK_HAS(r.d.text, "in node 'trans_1' (TransData)");
  use.n_attrs = 3;
  use.attrs = both;
  CHECK_HAS(rows_infer(&r, "TransData", &use, "f32[1,2,3,4]", 1),
            "E_TYPE: attribute 'group': expected Int, got String");
  both[2] = (weft_named_attr){"group", weft_attr_ints(two, 2)};
  CHECK_HAS(rows_infer(&r, "TransData", &use, "f32[1,2,3,4]", 1),
            "E_TYPE: attribute 'group': expected Int, got ListInt");
  both[2] = (weft_named_attr){"groups", weft_attr_int(1)};
  CHECK_HAS(rows_infer(&r, "TransData", &use, "f32[1,2,3,4]", 1),
            "E_NOT_FOUND: attribute 'groups' is not one of");
  both[2] = both[1];
  CHECK_HAS(rows_infer(&r, "TransData", &use, "f32[1,2,3,4]", 1),
            "E_DUPLICATE: attribute 'dst_format' is given twice");
  rows_close(&r);
}

TEST(r29_r205_a_refused_value_changes_nothing) {
  rows r;
  if (!rows_open(&r, ROWS_DOCUMENTS))
    return;
  weft_graph *g = rows_graph(&r, "g");
  weft_node *n;
  CHECK_OK(weft_graph_add_node(g, "CustomConv2d", NULL, &n, &r.d), &r.d);
  weft_attr text = weft_attr_str("1", 1);
  weft_attr zero = weft_attr_int(0);
  weft_attr two = weft_attr_int(2);
  CHECK_FAILS(weft_node_set_attr(n, "group", &text, &r.d), WEFT_E_TYPE);
  weft_diag_clear(&r.d);
  CHECK_FAILS(weft_node_set_attr(n, "group", &zero, &r.d), WEFT_E_RANGE);
  CHECK_HAS(r.d.text, "group must >= 1, got 0");
  CHECK_INT(weft_node_attr(n, "group")->u.i, 1);
  weft_diag_clear(&r.d);
  CHECK_OK(weft_node_set_attr(n, "group", &two, &r.d), &r.d);
  CHECK_INT(weft_node_attr(n, "group")->u.i, 2);
  weft_graph_destroy(g);
  rows_close(&r);
}

// NCHW to NC1HWC0 and back gives the original; lanes of padding are zero (R104).
TEST(r104_trans_data_round_trip) {
  rows r;
  rows_tensors t;
  weft_tensor packed;
  weft_tensor back;
  if (!rows_open(&r, ROWS_DOCUMENTS))
    return;
  const weft_proto *p = rows_find(&r, "TransData");
  weft_named_attr there[] = {{"src_format", weft_attr_str("NCHW", 4)},
                             {"dst_format", weft_attr_str("NC1HWC0", 7)}};
  weft_named_attr here[] = {{"src_format", weft_attr_str("NC1HWC0", 7)},
                            {"dst_format", weft_attr_str("NCHW", 4)}};
  weft_use to = {.attrs = there, .n_attrs = 2};
  weft_use from = {.attrs = here, .n_attrs = 2};
  if (!p || !rows_read(&r, "f32[1,3,4,4]{0..}", &t))
    return;
  CHECK_OK(weft_run_op(r.env, p, &to, t.in, 1, &packed, 1, NULL, &r.d), &r.d);
  CHECK(packed.format == WEFT_NC1HWC0 && packed.origin_format == WEFT_NCHW);
  CHECK(packed.layout.storage.rank == 5 && packed.layout.storage.dim[4] == 16 &&
        packed.layout.origin.rank == 4);
  CHECK_INT(packed.bytes, 1 * 1 * 4 * 4 * 16 * sizeof(float));
  for (size_t i = 0; i < 256; i++)
    CHECK_F64(weft_tensor_f32(&packed)[i], i % 16 < 3 ? (double)(i % 16 * 16 + i / 16) : 0.0, 0);
  const weft_tensor *in = &packed;
  CHECK_OK(weft_run_op(r.env, p, &from, &in, 1, &back, 1, NULL, &r.d), &r.d);
  CHECK_OK(weft_tensor_compare(&back, &t.t[0], 0, 0, &r.d), &r.d);
  CHECK_INT(back.format, WEFT_NCHW);
  weft_tensor_deinit(&packed);
  weft_tensor_deinit(&back);
  rows_free(&t);
  rows_close(&r);
}

// The article's validator: group, pad, dilation and activation, all optional.
static weft_status validated(rows *r) {
  weft_op_builder *b = weft_builder_create(r->env, "Validated");
  weft_builder_input(b, "x", WEFT_REQUIRED);
  weft_builder_follow(weft_builder_output(b, "y", WEFT_REQUIRED), "x", WEFT_FOLLOW_ALL);
  weft_builder_attr(b, "group", "Int", "1", "min 1");
  weft_builder_attr(b, "pad", "ListInt", "[0,0,0,0]", "count 4;each min 0");
  weft_builder_attr(b, "dilation", "ListInt", "[1,1]", "count 2;each min 1");
  weft_builder_attr(b, "activation", "String", "\"RELU\"", "one of RELU|SIGMOID|TANH|GELU");
  weft_status s = weft_builder_register(b, 0, &r->d);
  weft_builder_destroy(b);
  return s;
}

static const char *validate(rows *r, const weft_named_attr *attrs, size_t n) {
  weft_use use = {.attrs = attrs, .n_attrs = n};
  const char *text = rows_infer(r, "Validated", &use, "f32[2]", 1);
  return !strncmp(text, "DT_FLOAT", 8) ? "PASS" : text;
}

#define ATTR(name, value) ((weft_named_attr[]){{name, value}})

TEST(r205_r206_group) {
  rows r;
  if (!rows_open(&r, ""))
    return;
  CHECK_OK(validated(&r), &r.d);
  CHECK_STR(validate(&r, ATTR("group", weft_attr_int(1)), 1), "PASS");
  CHECK_HAS(validate(&r, ATTR("group", weft_attr_int(0)), 1), "group must >= 1, got 0");
  CHECK_HAS(validate(&r, ATTR("group", weft_attr_int(-3)), 1), "group must >= 1, got -3");
  CHECK_STR(validate(&r, ATTR("group", weft_attr_int(INT64_MAX)), 1), "PASS");
  CHECK_HAS(validate(&r, ATTR("group", weft_attr_int(INT64_MIN)), 1),
            "group must >= 1, got -9223372036854775808");
  rows_close(&r);
}

TEST(r207_r211_pad_and_dilation) {
  static const int64_t zeros[] = {0, 0, 0, 0};
  static const int64_t negative[] = {0, -1, 0, 0};
  static const int64_t zero_one[] = {0, 1};
  rows r;
  if (!rows_open(&r, ""))
    return;
  CHECK_OK(validated(&r), &r.d);
  CHECK_STR(validate(&r, ATTR("pad", weft_attr_ints(zeros, 4)), 1), "PASS");
  CHECK_HAS(validate(&r, ATTR("pad", weft_attr_ints(zeros, 3)), 1), "pad must have 4 values, got 3");
  CHECK_HAS(validate(&r, ATTR("pad", weft_attr_ints(negative, 4)), 1),
            "pad values must be non-negative, got -1");
  CHECK_HAS(validate(&r, ATTR("pad", weft_attr_ints(NULL, 0)), 1), "pad must have 4 values, got 0");
  CHECK_HAS(validate(&r, ATTR("dilation", weft_attr_ints(zero_one, 2)), 1),
            "dilation values must be >= 1, got 0");
  rows_close(&r);
}

TEST(r208_activation) {
  static const char *const good[] = {"RELU", "SIGMOID", "TANH", "GELU"};
  rows r;
  if (!rows_open(&r, ""))
    return;
  CHECK_OK(validated(&r), &r.d);
  for (int i = 0; i < 4; i++)
    CHECK_STR(validate(&r, ATTR("activation", weft_attr_str(good[i], strlen(good[i]))), 1), "PASS");
  CHECK_HAS(validate(&r, ATTR("activation", weft_attr_str("SWISH", 5)), 1), "Invalid activation: SWISH");
  CHECK_HAS(validate(&r, ATTR("activation", weft_attr_str("REL", 3)), 1), "Invalid activation: REL ");
  CHECK_HAS(validate(&r, ATTR("activation", weft_attr_str("", 0)), 1), "Invalid activation: ");
  rows_close(&r);
}

TEST(r209_all_violations_are_reported) {
  static const int64_t pad[] = {-1, 0, 0};
  rows r;
  if (!rows_open(&r, ""))
    return;
  CHECK_OK(validated(&r), &r.d);
  CHECK_STR(validate(&r, NULL, 0), "PASS");  // absent ones are skipped
  weft_named_attr bad[] = {
      {"group", weft_attr_int(0)}, {"pad", weft_attr_ints(pad, 3)}, {"activation", weft_attr_str("X", 1)}};
  const char *text = validate(&r, bad, 3);
  CHECK_HAS(text, "group must >= 1, got 0");
  CHECK_HAS(text, "pad must have 4 values, got 3");
  CHECK_HAS(text, "pad values must be non-negative, got -1");
  CHECK_HAS(text, "Invalid activation: X");
  rows_close(&r);
}

TEST(r210_the_two_lines_of_the_article) {
  rows r;
  char lines[128];
  if (!rows_open(&r, ""))
    return;
  CHECK_OK(validated(&r), &r.d);
  bool first = !strcmp(validate(&r, ATTR("group", weft_attr_int(1)), 1), "PASS");
  bool second = !strcmp(validate(&r, ATTR("group", weft_attr_int(0)), 1), "PASS");
  snprintf(lines, sizeof lines, "Attribute validation: %s\nValidation after bad group: %s\n",
           first ? "PASS" : "FAIL", second ? "PASS" : "FAIL");
  CHECK_STR(lines, "Attribute validation: PASS\nValidation after bad group: FAIL\n");
  rows_close(&r);
}

// R301-R304: both attributes of MyOp reach its tiling function, which writes 16 initialised bytes.
TEST(r299_r301_r302_r303_my_op_tiling) {
  rows r;
  int64_t data[2] = {-1, -1};
  if (!rows_open(&r, ROWS_DOCUMENTS))
    return;
  weft_graph *g = rows_graph(&r, "g");
  weft_value *x = rows_input(&r, g, "x", "f32[70]");
  weft_value *w = rows_input(&r, g, "w", "f32[1]");
  weft_value *y = rows_node(&r, g, "MyOp", "my", NULL, 0, x, w, NULL);
  CHECK_OK(rows_finish(&r, g, y), &r.d);
  weft_node *n = weft_value_node(y, NULL);
  CHECK_INT(weft_node_int(weft_node_desc(n), 0), 32);
  CHECK_STR(weft_node_str(weft_node_desc(n), 1), "high");
  weft_layout layout = {.origin = {.rank = 1, .dim = {70}}, .storage = {.rank = 1, .dim = {70}}};
  const weft_layout *in[] = {&layout, &layout};
  weft_tiling t = {.size = sizeof t,
                   .n_in = 2,
                   .n_out = 1,
                   .desc = weft_node_desc(n),
                   .host = weft_env_host(r.env),
                   .d = &r.d,
                   .in = in,
                   .data = data,
                   .data_cap = sizeof data,
                   .key = 7};
  weft_tile_fn tile_fn = weft_proto_op(weft_node_proto(n))->tile;
  CHECK_INT(tile_fn(&t), WEFT_OK);
  CHECK(t.key == 0 && t.data_bytes == 16 && data[0] == 32 && data[1] == 3 && t.blocks == 3);
  t.data_cap = 8;
  CHECK_INT(tile_fn(&t), WEFT_E_LIMIT);
  CHECK_HAS(r.d.text, "tiling data: 16 bytes, room for 8");
  weft_graph_destroy(g);
  rows_close(&r);
}
// SPDX-License-Identifier: Apache-2.0
