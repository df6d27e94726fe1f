// op_ports_test.c - group H: optional and dynamic ports, IR indexes and instance indexes.
#include "rows.h"

enum { PROJECT = 11 };
static void (*look)(const weft_infer *it);

static weft_status rnn(weft_infer *it) {
  const weft_shape *x = weft_in_shape(it, 0);
  if (look)
    look(it);
  it->out_dtype[0] = it->in_dtype[0];
  return weft_set_out_shape(it, 0, x->dim, x->rank);
}
static weft_status tile(weft_tiling *t) {
  CHECK_INT(weft_port_in(t->desc, PROJECT, 0), 3);  // R111
  CHECK_INT(weft_port_in(t->desc, 3, 0), -1);
  return WEFT_OK;
}

#define OPT .dtypes = WEFT_ANY, .kind = WEFT_OPTIONAL
#define REQ .dtypes = WEFT_ANY
static const weft_op rnn_op = {
    WEFT_OP_HEAD,
    .name = "Rnn",
    .in = WEFT_PORTS({"x", REQ}, {"w", REQ}, {"b", REQ}, {"seq_length", OPT}, {"init_h", OPT},
                     {"init_c", OPT}, {"wci", OPT}, {"wcf", OPT}, {"wco", OPT}, {"mask", OPT},
                     {"real_mask", OPT}, {"project", OPT}),
    .out = WEFT_PORTS({"y", .dtypes = WEFT_ANY}),
    .infer = rnn,
    .tile = tile,
};

static void four_given(const weft_infer *it) {
  CHECK_INT(it->n_in, 4);
  CHECK_INT(weft_port_in(it->desc, 0, 0), 0);  // R109: before the first optional port both indexes agree
  CHECK_INT(weft_port_in(it->desc, 1, 0), 1);
  CHECK_INT(weft_port_in(it->desc, 2, 0), 2);
  CHECK_INT(weft_port_in(it->desc, PROJECT, 0), 3);  // R106
  const weft_shape *p = weft_port_shape(it, PROJECT, 0);
  CHECK(p && p == it->in[3] && p->rank == 2 && p->dim[0] == 128 && p->dim[1] == 64);  // R107
  CHECK_INT(weft_port_dtype(it, PROJECT, 0), WEFT_FLOAT16);                           // R115
  for (uint32_t i = 3; i < PROJECT; i++) {
    CHECK(!weft_port_shape(it, i, 0));
    CHECK_INT(weft_port_dtype(it, i, 0), WEFT_UNDEFINED);
    CHECK_INT(weft_port_in_count(it->desc, i), 0);
  }
  CHECK(weft_port_shape(it, 0, 0) == it->in[0]);  // R113: a required port by IR index
  CHECK(!weft_in_shape(it, PROJECT));             // R108: as an instance index it is outside
  CHECK_INT(weft_in_dtype(it, PROJECT), WEFT_UNDEFINED);
  CHECK(!weft_in_value(it, PROJECT) && weft_in_value(it, 3)->dtype == WEFT_FLOAT16);
  CHECK(!weft_port_shape(it, PROJECT, 1) && !weft_port_shape(it, 12, 0) && !weft_port_shape(it, 0, 1));
  CHECK_INT(weft_port_in(it->desc, UINT32_MAX, UINT32_MAX), -1);
}

static void absent(const weft_infer *it) {
  CHECK_INT(it->n_in, 3);
  CHECK(!weft_port_shape(it, PROJECT, 0));
  CHECK_INT(weft_port_dtype(it, PROJECT, 0), WEFT_UNDEFINED);
}

TEST(r106_r107_r109_r113_r115_optional_inputs) {
  rows r;
  if (!rows_open(&r, ""))
    return;
  CHECK_OK(weft_register(r.env, &rnn_op, 0, &r.d), &r.d);
  look = four_given;
  CHECK_STR(rows_infer(&r, "Rnn", NULL, "f16[7,2,8]; f16[16,4]; f16[4];_;_;_;_;_;_;_;_;f16[128,64]", 1),
            "DT_FLOAT16 [7,2,8] ND");
  look = absent;
  CHECK_STR(rows_infer(&r, "Rnn", NULL, "f16[7,2,8]; f16[16,4]; f16[4]", 1), "DT_FLOAT16 [7,2,8] ND");
  look = NULL;
  CHECK_HAS(rows_infer(&r, "Rnn", NULL, "f16[7,2,8]; f16[16,4]", 1),
            "E_MISSING: required input 'b' (2) is not given");
  CHECK_HAS(rows_infer(&r, "Rnn", NULL, "f16[1];f16[1];f16[1];_;_;_;_;_;_;_;_;_;f16[1]", 1),
            "E_INVALID: too many inputs");
  rows_close(&r);
}

TEST(r107_r108_r111_r114_dynamic_rnn_v3) {
  rows r;
  if (!rows_open(&r, ROWS_DOCUMENTS))
    return;
  const char *op = "DynamicRNNV3";
  CHECK_INT(weft_proto_find_in(rows_find(&r, op), "project"), 11);  // R114
  CHECK_INT(
      weft_op_find_port(weft_proto_op(rows_find(&r, op)), weft_proto_op(rows_find(&r, op))->in, "project"),
      11);
  CHECK_INT(weft_proto_n_in(rows_find(&r, op)), 12);
  CHECK_STR(rows_infer(&r, op, NULL, "f16[7,2,8]; f16[16,4]; f16[4];_;_;_;_;_;_;_;_;f16[128,64]", 1),
            "DT_FLOAT16 [7,2,64] ND");
  CHECK_STR(rows_infer(&r, op, NULL, "f16[7,2,8]; f16[16,4]; f16[4]", 1), "DT_FLOAT16 [7,2,0] ND");
  CHECK_HAS(rows_infer(&r, op, NULL, "f16[7,2,8]; f16[16,4]; f16[4];_;_;_;_;_;_;_;_;f16[64]", 1),
            "E_SHAPE: input 'project'");
  CHECK_STR(rows_infer(&r, op, NULL, "f16[7,2,8]; f16[16,4]; f16[4];_;_;_;_;_;_;_;f16[9];_", 1),
            "DT_FLOAT16 [7,2,0] ND");
  CHECK_OK(weft_register(r.env, &rnn_op, 0, &r.d), &r.d);
  weft_graph *g = rows_graph(&r, "g");
  const uint32_t counts[12] = {1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  weft_use use = {.name = "rnn", .in_counts = counts};
  weft_node *n;
  weft_value *x = rows_input(&r, g, "x", "f16[7,2,8]");
  weft_value *p = rows_input(&r, g, "p", "f16[128,64]");
  weft_value *in[] = {x, x, x, p};
  CHECK_OK(weft_graph_add(g, "Rnn", &use, in, 4, &n, &r.d), &r.d);
  weft_tiling t = {.size = sizeof t, .desc = weft_node_desc(n)};
  CHECK_INT(weft_proto_op(weft_node_proto(n))->tile(&t), WEFT_OK);
  weft_graph_destroy(g);
  rows_close(&r);
}

// R110: three instances of `a`, then `b`.
static void three_then_one(const weft_infer *it) {
  CHECK_INT(it->n_in, 4);
  CHECK_INT(weft_port_in_count(it->desc, 0), 3);
  CHECK(weft_port_shape(it, 0, 1)->dim[0] == 2);
  CHECK(!weft_port_shape(it, 0, 3));
  CHECK_INT(weft_port_in(it->desc, 1, 0), 3);
  CHECK(weft_port_shape(it, 1, 0) == it->in[3]);
  CHECK_INT(weft_port_dtype(it, 1, 0), WEFT_INT32);
}

static const weft_op dyn_op = {
    WEFT_OP_HEAD,
    .name = "Dyn",
    .in = WEFT_PORTS({"a", .dtypes = WEFT_ANY, .kind = WEFT_DYNAMIC, .min_count = 1}, {"b", REQ}),
    .out = WEFT_PORTS({"y", .dtypes = WEFT_ANY}),
    .infer = rnn,
};

TEST(r110_r112_dynamic_inputs) {
  rows r;
  if (!rows_open(&r, ""))
    return;
  CHECK_OK(weft_register(r.env, &dyn_op, 0, &r.d), &r.d);
  look = three_then_one;
  CHECK_STR(rows_infer(&r, "Dyn", NULL, "f32[1]; f32[2]; f32[3]; i32[4]", 1), "DT_FLOAT [1] ND");
  look = NULL;
  CHECK_HAS(rows_infer(&r, "Dyn", NULL, "i32[4]", 1), "E_MISSING: input 'a' (0): expected 1 to");
  CHECK_HAS(rows_infer(&r, "Dyn", NULL, "_; i32[4]", 1),
            "E_MISSING: instance 0 of dynamic input 'a' is not given");
  weft_op_builder *b = weft_builder_create(r.env, "Default");  // R112: at least one unless declared
  weft_builder_input(b, "a", WEFT_DYNAMIC);
  weft_builder_output(b, "y", WEFT_REQUIRED);
  CHECK_OK(weft_builder_register(b, 0, &r.d), &r.d);
  weft_builder_destroy(b);
  CHECK_INT(weft_proto_in(rows_find(&r, "Default"), 0)->min_count, 1);
  weft_graph *g = rows_graph(&r, "g");
  const uint32_t none[] = {0, 1};
  weft_use use = {.name = "dyn_1", .in_counts = none};
  weft_node *n;
  CHECK_FAILS(weft_graph_add_node(g, "Dyn", &use, &n, &r.d), WEFT_E_MISSING);
  CHECK_HAS(r.d.text, "input 'a' (0): expected 1 to");
  CHECK_HAS(r.d.text, "dyn_1");
  weft_graph_destroy(g);
  rows_close(&r);
}

static weft_status split_infer(weft_infer *it) {
  CHECK_INT(weft_port_out(it->desc, 0, 0), 0);
  CHECK_INT(weft_port_out(it->desc, 0, 2), 2);
  CHECK_INT(weft_port_out(it->desc, 0, 3), -1);
  CHECK_INT(weft_port_out(it->desc, 1, 0), 3);
  CHECK_INT(weft_port_out(it->desc, 2, 0), -1);
  for (uint32_t i = 0; i < it->n_out; i++) {
    it->out_dtype[i] = it->in_dtype[0];
    WEFT_TRY(weft_set_out_shape(it, i, it->in[0]->dim, it->in[0]->rank));
  }
  return WEFT_OK;
}

static const weft_op split_op = {
    WEFT_OP_HEAD,
    .name = "SplitLike",
    .in = WEFT_PORTS({"x", REQ}),
    .out = WEFT_PORTS({"y", .dtypes = WEFT_ANY, .kind = WEFT_DYNAMIC}, {"z", .dtypes = WEFT_ANY}),
    .infer = split_infer,
};

TEST(r105_r110_dynamic_outputs) {
  rows r;
  if (!rows_open(&r, ""))
    return;
  CHECK_OK(weft_register(r.env, &split_op, 0, &r.d), &r.d);
  const uint32_t counts[] = {3, 1};
  weft_use use = {.out_counts = counts};
  CHECK_STR(rows_infer(&r, "SplitLike", &use, "f32[2]", 4),
            "DT_FLOAT [2] ND; DT_FLOAT [2] ND; DT_FLOAT [2] ND; DT_FLOAT [2] ND");
  CHECK_HAS(rows_infer(&r, "SplitLike", &use, "f32[2]", 3), "has 4 outputs here, the caller expects 3");
  rows_close(&r);
}
// SPDX-License-Identifier: Apache-2.0
