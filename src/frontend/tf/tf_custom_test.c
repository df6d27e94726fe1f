// tf_custom_test.c - nodes of TensorFlow that stand for operators of the program: every kind of attribute.
#include "check.h"
#include "base/base.h"
#include "frontend/tf/tf_build.h"
#include "weft/infer.h"
#include "weft/interp.h"
#include "weft/model.h"
#include "weft/op.h"

enum { SCALE, TIMES, ODD, LABEL, SIZES, PARTS, NAMES, KIND, FLAGS };

static weft_status mixed_infer(weft_infer *it) {
  weft_status s = weft_set_out_shape(it, 0, weft_in_shape(it, 0)->dim, weft_in_shape(it, 0)->rank);
  return s ? s : weft_set_out_shape(it, 1, NULL, 0);
}

// y = x * scale * times + sizes[1] + parts[0], and behind it how long the texts are.
static weft_status mixed_run(const weft_call *c) {
  const float *x = c->in[0]->data;
  float *y = c->out[0]->data;
  const weft_attr *parts = weft_attr_at(c->desc, PARTS, WEFT_VT_LIST_FLOAT);
  const weft_attr *names = weft_attr_at(c->desc, NAMES, WEFT_VT_LIST_STRING);
  const weft_attr *flags = weft_attr_at(c->desc, FLAGS, WEFT_VT_LIST_BOOL);
  const weft_ints sizes = weft_node_ints(c->desc, SIZES);
  for (int64_t i = 0; i < weft_tensor_elems(c->in[0]); i++)
    y[i] = x[i] * weft_node_float(c->desc, SCALE) * (float)weft_node_int(c->desc, TIMES) + (float)sizes.v[1] +
           parts->u.floats[0];
  *(float *)c->out[1]->data = (float)(strlen(weft_node_str(c->desc, LABEL)) + names->u.strs[1].bytes) +
                              (weft_node_bool(c->desc, ODD) && flags->u.bools[1] ? 100.0f : 0.0f);
  return weft_node_dtype(c->desc, KIND) == WEFT_INT32 ? WEFT_OK : WEFT_E_INVALID;
}

static const weft_op mixed = {
    WEFT_OP_HEAD,
    .name = "Mixed",
    .in = WEFT_PORTS({.name = "x", .dtypes = WEFT_DT(FLOAT)}),
    .out = WEFT_PORTS({.name = "y", .dtypes = WEFT_DT(FLOAT)}, {.name = "n", .dtypes = WEFT_DT(FLOAT)}),
    .attrs = WEFT_ATTRS({"scale", "Float", NULL}, {"times", "Int", "1"}, {"odd", "Bool", "false"},
                        {"label", "String", "\"\""}, {"sizes", "ListInt", NULL}, {"parts", "ListFloat", NULL},
                        {"names", "ListString", NULL}, {"kind", "Type", NULL}, {"flags", "ListBool", NULL}),
    .infer = mixed_infer,
    .ref = mixed_run};

static void put_scalar(tf_made_bytes *node, const char *key, uint32_t field, uint64_t v) {
  tf_made_bytes value = {.n = 0};
  tf_put_int(&value, field, v);
  tf_put_attr(node, key, &value);
}
static void put_float(tf_made_bytes *b, uint32_t field, float v) {
  tf_put_number(b, field << 3 | 5);
  memcpy(b->v + b->n, &v, 4);
  b->n += 4;
}
static void put_label(tf_made_bytes *node, const char *key, const char *text) {
  tf_made_bytes value = {.n = 0};
  tf_put_text(&value, 2, text);
  tf_put_attr(node, key, &value);
}

// `key`: an attribute more, an integer; NULL: none.
static tf_made_bytes model(const char *op, const char *key) {
  tf_made_bytes graph = {.n = 0}, scale = {.n = 0}, list = {.n = 0}, packed = {.n = 0};
  tf_made_bytes shape = tf_shape_of(2);
  tf_made_bytes x = tf_node_of("x", "Placeholder", NULL, NULL);
  tf_put_type(&x, "dtype", 1);
  tf_put_value(&x, "shape", 7, &shape);
  tf_made_bytes node = tf_node_of("m", op, "x", "^x");
  tf_put_type(&node, "T", 1);
  tf_put_type(&node, "kind", 3);
  put_float(&scale, 4, 2);
  tf_put_attr(&node, "scale", &scale);
  put_scalar(&node, "times", 3, 3);
  put_scalar(&node, "odd", 5, 1);
  put_label(&node, "label", "abc");
  put_label(&node, "_class", "loc:@x");
  tf_put_number(&packed, 7);
  tf_put_number(&packed, 300);
  tf_put_message(&list, 3, &packed);
  tf_put_value(&node, "sizes", 1, &list);
  list.n = 0;
  put_float(&list, 4, 0.5f);
  put_float(&list, 4, 9);
  tf_put_value(&node, "parts", 1, &list);
  list.n = 0;
  tf_put_text(&list, 2, "a");
  tf_put_text(&list, 2, "four");
  tf_put_value(&node, "names", 1, &list);
  list.n = 0;
  tf_put_int(&list, 5, 0);
  tf_put_int(&list, 5, 1);
  tf_put_value(&node, "flags", 1, &list);
  if (key)
    put_scalar(&node, key, 3, 5);
  tf_made_bytes sum = tf_node_of("sum", "AddV2", "m", "m:1");
  tf_put_type(&sum, "T", 1);
  tf_put_message(&graph, 1, &x);
  tf_put_message(&graph, 1, &node);
  tf_put_message(&graph, 1, &sum);
  return graph;
}

static weft_status read_model(weft_env *e, const char *op, const char *key, weft_graph **g, weft_diag *d) {
  const tf_made_bytes b = model(op, key);
  return weft_model_read(e, b.v, b.n, "m.pb", g, d);
}

TEST(tf_custom_operator_gets_every_kind_of_attribute) {
  static const char *const names[] = {"Mixed", "Acme>Mixed", "mixed"};
  for (size_t i = 0; i < WEFT_COUNT(names); i++) {
    weft_env *e;
    weft_graph *g = NULL;
    weft_diag d = {0};
    float data[2] = {1, -1};
    weft_tensor in, out;
    CHECK(!weft_env_create(NULL, &e, &d));
    CHECK_OK(weft_register(e, &mixed, 0, &d), &d);
    CHECK_OK(read_model(e, names[i], NULL, &g, &d), &d);
    weft_tensor_init(&in, NULL);
    CHECK_OK(weft_tensor_borrow(&in, WEFT_FLOAT, (weft_dim[]){2}, 1, data, sizeof data, &d), &d);
    CHECK_OK(g ? weft_interp_run(g, NULL, (const weft_tensor *[]){&in}, 1, &out, 1, &d) : WEFT_E_STATE, &d);
    CHECK_F64(weft_tensor_f32(&out)[0], 6 + 300.5 + 107, 0);
    CHECK_F64(weft_tensor_f32(&out)[1], -6 + 300.5 + 107, 0);
    weft_tensor_deinit(&out);
    weft_graph_destroy(g);
    weft_env_destroy(e);
  }
}

TEST(tf_custom_operator_that_does_not_fit_is_refused) {
  weft_env *e;
  weft_graph *g = NULL;
  weft_diag d = {0};
  CHECK(!weft_env_create(NULL, &e, &d));
  CHECK_INT(read_model(e, "Mixed", NULL, &g, &d), WEFT_E_UNSUPPORTED);
  CHECK_HAS(d.text, "Mixed: 1 node, first 'm'");
  CHECK_HAS(d.text, "a package can bring an operator under its name");
  weft_diag_clear(&d);
  CHECK_OK(weft_register(e, &mixed, 0, &d), &d);
  CHECK_INT(read_model(e, "Mixed", "how", &g, &d), WEFT_E_NOT_FOUND);
  CHECK_HAS(d.text, "operator 'Mixed' has no attribute 'how'; its attributes: scale, times");
  weft_diag_clear(&d);
  CHECK_INT(read_model(e, "weft>ReduceMean", NULL, &g, &d), WEFT_E_NOT_FOUND);  // weft's own, under its name
  CHECK_HAS(d.text, "operator 'ReduceMean' has no attribute");
  weft_diag_clear(&d);
  weft_env_destroy(e);
}
// SPDX-License-Identifier: Apache-2.0
