// review_test.c - what a review looked for: callers and models that lie, lifetimes, limits, every failed
// allocation, two threads in one environment. Each test failed, or stands where one could.
#include <pthread.h>

#include "check.h"
#include "models.h"
#include "rows.h"
#include "weft/weft.h"

static weft_env *open_env(const weft_allocator *a) {
  weft_env *e = NULL;
  weft_diag d = {0};
  weft_env_options o = {.size = sizeof o, .package_path = ""};
  if (a)
    o.allocator = *a;
  if (weft_env_create(&o, &e, &d))
    check_failed(__FILE__, __LINE__, "%s", d.text);
  return e;
}

static void make_tensor(weft_tensor *t, weft_dtype type, size_t rank, const weft_dim *dims) {
  weft_diag d = {0};
  weft_tensor_init(t, NULL);
  if (weft_tensor_alloc(t, type, dims, rank, &d))
    check_failed(__FILE__, __LINE__, "%s", d.text);
}
#define DIMS(...) ((const weft_dim[]){__VA_ARGS__})

// ---- one operator: callers that lie ----
typedef struct lie {
  const char *what;
  void (*change)(weft_tensor *t);
  weft_status status;
} lie;
static void rank_26(weft_tensor *t) {
  t->layout.origin.rank = t->layout.storage.rank = 26;
}
static void rank_unset(weft_tensor *t) {
  t->layout.origin.rank = t->layout.storage.rank = WEFT_RANK_UNSET;
}
static void dtype_200(weft_tensor *t) {
  t->dtype = 200;
}
static void kind_77(weft_tensor *t) {
  t->kind = 77;
}
static void open_dim(weft_tensor *t) {
  t->layout.origin.dim[0] = t->layout.storage.dim[0] = -1;
}
static void bad_dim(weft_tensor *t) {
  t->layout.origin.dim[0] = t->layout.storage.dim[0] = -7;
}
static void few_bytes(weft_tensor *t) {
  t->bytes = 3;
}
static void larger_origin(weft_tensor *t) {
  t->layout.origin.dim[0] = 1 << 20;
}
static const lie lies[] = {
    {"rank 26", rank_26, WEFT_E_LIMIT},      {"rank unset", rank_unset, WEFT_E_SHAPE},
    {"dtype 200", dtype_200, WEFT_E_DTYPE},  {"kind 77", kind_77, WEFT_E_TYPE},
    {"an open dim", open_dim, WEFT_E_SHAPE}, {"a dim of -7", bad_dim, WEFT_E_SHAPE},
    {"few bytes", few_bytes, WEFT_E_SHAPE},  {"a larger origin shape", larger_origin, WEFT_E_SHAPE},
};

TEST(tensors_of_callers_are_checked) {
  weft_env *e = open_env(NULL);
  const weft_proto *p = weft_find(e, "Add");
  for (size_t i = 0; i < WEFT_COUNT(lies); i++) {
    for (int run = 0; run < 2; run++) {
      if (!run && (lies[i].change == open_dim))
        continue;  // allowed for inference
      weft_diag d = {0};
      weft_tensor a;
      weft_tensor b;
      weft_tensor y;
      weft_tensor_desc desc;
      make_tensor(&a, WEFT_FLOAT, 1, DIMS(4));
      make_tensor(&b, WEFT_FLOAT, 1, DIMS(4));
      weft_tensor saved = b;
      const weft_tensor *in[2] = {&a, &b};
      lies[i].change(&b);
      weft_status s = run ? weft_run_op(e, p, NULL, in, 2, &y, 1, NULL, &d)
                          : weft_infer_op(e, p, NULL, in, 2, &desc, 1, &d);
      if (s != lies[i].status) {
        check_failed(__FILE__, __LINE__, "%s of an input, %s: %s, expected %s: %s", lies[i].what,
                     run ? "run" : "inferred", weft_status_name(s), weft_status_name(lies[i].status), d.text);
      }
      if (s)
        CHECK_HAS(d.text, "input 1");
      if (run)
        weft_tensor_deinit(&y);
      b = saved;
      weft_tensor_deinit(&a);
      weft_tensor_deinit(&b);
    }
  }
  weft_env_destroy(e);
}

// A description of the caller's never makes the output of an operator that has inference smaller than its
// kernel takes.
TEST(given_output_descriptions_are_checked) {
  weft_env *e = open_env(NULL);
  weft_tensor a;
  weft_tensor y;
  weft_tensor_desc desc;
  const weft_tensor *in[1] = {&a};
  make_tensor(&a, WEFT_FLOAT, 1, DIMS(1000));
  weft_desc_init(&desc);
  weft_diag d = {0};
  CHECK_OK(weft_desc_set(&desc, WEFT_FLOAT, WEFT_ND, DIMS(1), 1), &d);
  CHECK_INT(weft_run_op(e, weft_find(e, "Relu"), NULL, in, 1, &y, 1, &desc, &d), WEFT_E_SHAPE);
  CHECK_HAS(d.text, "Relu");
  weft_tensor_deinit(&y);
  weft_diag_clear(&d);
  CHECK_OK(weft_desc_set(&desc, WEFT_FLOAT16, WEFT_ND, DIMS(1000), 1), &d);
  CHECK_INT(weft_run_op(e, weft_find(e, "Relu"), NULL, in, 1, &y, 1, &desc, &d), WEFT_E_DTYPE);
  weft_tensor_deinit(&y);
  weft_diag_clear(&d);
  CHECK_OK(weft_desc_set(&desc, WEFT_FLOAT, WEFT_ND, DIMS(1000), 1), &d);
  CHECK_INT(weft_run_op(e, weft_find(e, "Relu"), NULL, in, 1, &y, 1, &desc, &d), WEFT_OK);
  weft_tensor_deinit(&y);
  weft_tensor_deinit(&a);
  weft_env_destroy(e);
}

static weft_status execute_nothing(const weft_call *c) {
  weft_layout l = {.origin = {.rank = 1, .dim = {1}}, .storage = {.rank = 1, .dim = {1}}};
  return c->host->out_alloc(c, 0, WEFT_FLOAT, &l, WEFT_ND);
}
static const weft_op eager = {WEFT_OP_HEAD, .name = "ReviewEager", .in = WEFT_PORTS({"x"}),
                              .out = WEFT_PORTS({"y"}), .execute = execute_nothing};
TEST(given_output_descriptions_have_a_rank) {
  weft_env *e = open_env(NULL);
  weft_diag d = {0};
  weft_tensor a;
  weft_tensor y;
  weft_tensor_desc desc;
  const weft_tensor *in[1] = {&a};
  CHECK_OK(weft_register(e, &eager, 0, &d), &d);
  make_tensor(&a, WEFT_FLOAT, 1, DIMS(1));
  weft_desc_init(&desc);
  desc.layout.origin.rank = 200;
  CHECK_INT(weft_run_op(e, weft_find(e, "ReviewEager"), NULL, in, 1, &y, 1, &desc, &d), WEFT_E_LIMIT);
  weft_tensor_deinit(&y);
  weft_diag_clear(&d);
  weft_shape_set_unknown_rank(&desc.layout.origin);
  CHECK_INT(weft_run_op(e, weft_find(e, "ReviewEager"), NULL, in, 1, &y, 1, &desc, &d), WEFT_OK);
  weft_tensor_deinit(&y);
  weft_tensor_deinit(&a);
  weft_env_destroy(e);
}

// ---- registration ----
static weft_status first_shape(weft_infer *it) {
  return weft_set_out_shape(it, 0, it->in[0]->dim, it->in[0]->rank);
}
static weft_status same_bytes(const weft_call *c) {
  memcpy(c->out[0]->data, c->in[0]->data, c->out[0]->bytes);
  return WEFT_OK;
}
#define REVIEW_OP(id)                                                                    \
  WEFT_OP_HEAD, .name = id, .in = WEFT_PORTS({"x", "T"}), .out = WEFT_PORTS({"y", "T"}), \
                .infer = first_shape, .ref = same_bytes

static const weft_op from_nowhere = {
    REVIEW_OP("ReviewFrom"), .types = WEFT_TYPES({"T", WEFT_DT(FLOAT)}, {"U", WEFT_ANY, .from_attr = "to"})};
static const weft_op ref_nowhere = {WEFT_OP_HEAD, .name = "ReviewRef", .in = WEFT_PORTS({"x"}),
                                    .out = WEFT_PORTS({"y", .ref = 2}), .infer = first_shape};
static const weft_op each_min = {REVIEW_OP("ReviewEach"), .types = WEFT_TYPES({"T", WEFT_DT(FLOAT)}),
                                 .attrs = WEFT_ATTRS({"names", "ListString", "[]", "each min 0"})};

TEST(references_of_descriptors_are_resolved) {
  weft_env *e = open_env(NULL);
  weft_diag d = {0};
  CHECK_FAILS(weft_register(e, &from_nowhere, 0, &d), WEFT_E_NOT_FOUND);
  CHECK_HAS(d.text, "'to'");
  weft_diag_clear(&d);
  CHECK_FAILS(weft_register(e, &ref_nowhere, 0, &d), WEFT_E_NOT_FOUND);
  CHECK_HAS(d.text, "'y'");
  weft_diag_clear(&d);
  CHECK_FAILS(weft_register(e, &each_min, 0, &d), WEFT_E_SYNTAX);
  weft_env_destroy(e);
}

static const weft_op rules_op = {REVIEW_OP("ReviewRules"), .types = WEFT_TYPES({"T", WEFT_DT(FLOAT)}),
                                 .attrs = WEFT_ATTRS({"big", "Int", "0", "max 9007199254740992"},
                                                     {"scales", "ListFloat", "[]", "each min 0"})};
TEST(rules_of_attributes_hold_exactly) {
  weft_env *e = open_env(NULL);
  weft_diag d = {0};
  weft_tensor x;
  weft_tensor_desc y;
  const weft_tensor *in[1] = {&x};
  const float scales[2] = {1, -1};
  const float nan[1] = {NAN};
  CHECK_OK(weft_register(e, &rules_op, 0, &d), &d);
  make_tensor(&x, WEFT_FLOAT, 1, DIMS(1));
  weft_named_attr a = {"big", weft_attr_int(INT64_C(9007199254740993))};
  weft_use use = {.attrs = &a, .n_attrs = 1};
  CHECK_FAILS(weft_infer_op(e, weft_find(e, "ReviewRules"), &use, in, 1, &y, 1, &d), WEFT_E_RANGE);
  CHECK_HAS(d.text, "big must <= 9007199254740992, got 9007199254740993");
  weft_diag_clear(&d);
  a = (weft_named_attr){"scales", weft_attr_floats(scales, 2)};
  CHECK_FAILS(weft_infer_op(e, weft_find(e, "ReviewRules"), &use, in, 1, &y, 1, &d), WEFT_E_RANGE);
  CHECK_HAS(d.text, "scales values must be non-negative, got -1");
  weft_diag_clear(&d);
  a = (weft_named_attr){"scales", weft_attr_floats(nan, 1)};
  CHECK_FAILS(weft_infer_op(e, weft_find(e, "ReviewRules"), &use, in, 1, &y, 1, &d), WEFT_E_RANGE);
  weft_diag_clear(&d);
  a = (weft_named_attr){NULL, weft_attr_int(1)};
  CHECK_FAILS(weft_infer_op(e, weft_find(e, "ReviewRules"), &use, in, 1, &y, 1, &d), WEFT_E_INVALID);
  weft_diag_clear(&d);
  a = (weft_named_attr){"_mine", weft_attr_int(1)};
  a.value.type = 999;  // no such type
  CHECK_FAILS(weft_infer_op(e, weft_find(e, "ReviewRules"), &use, in, 1, &y, 1, &d), WEFT_E_UNSUPPORTED);
  weft_tensor_deinit(&x);
  weft_env_destroy(e);
}

TEST(port_kinds_of_the_builder_are_not_cut) {
  weft_env *e = open_env(NULL);
  weft_diag d = {0};
  weft_op_builder *b = weft_builder_create(e, "ReviewKind");
  weft_builder_output(weft_builder_input(b, "x", 256), "y", WEFT_REQUIRED);
  CHECK_FAILS(weft_builder_register(b, 0, &d), WEFT_E_INVALID);
  CHECK_HAS(d.text, "256 is not a port kind");
  weft_builder_destroy(b);
  weft_env_destroy(e);
}

// The built-in operator comes back whole or the registered one stays.
static const weft_op own_relu = {REVIEW_OP("Relu"), .types = WEFT_TYPES({"T", WEFT_DT(FLOAT)})};
TEST(unregister_is_all_or_nothing) {
  check_alloc c = {0};
  weft_allocator a = check_allocator(&c);
  weft_env *e = open_env(&a);
  for (int round = 0; round < 400; round++) {  // the arena grows now and then
    weft_diag d = {0};
    CHECK_OK(weft_register(e, &own_relu, 0, &d), &d);
    c.fail_at = c.calls + 1;
    weft_status s = weft_unregister(e, "Relu", &d);
    c.fail_at = 0;
    CHECK(weft_find(e, "Relu") &&
          weft_proto_source(weft_find(e, "Relu")) == (s ? WEFT_FROM_PROGRAM : WEFT_FROM_BUILTIN));
    if (s && weft_unregister(e, "Relu", &d))
      check_failed(__FILE__, __LINE__, "%s", d.text);
  }
  weft_env_destroy(e);
  CHECK_INT(c.live_blocks, 0);
}

// ---- memory limit ----
static weft_status two_shapes(weft_infer *it) {
  for (uint32_t i = 0; i < 2; i++)
    WEFT_TRY(weft_set_out_shape(it, i, it->in[0]->dim, it->in[0]->rank));
  return WEFT_OK;
}
static weft_status two_ref(const weft_call *c) {
  void *w;
  WEFT_TRY(c->host->workspace(c, 64, &w));
  memset(c->out[0]->data, 0, c->out[0]->bytes);
  memset(c->out[1]->data, 0, c->out[1]->bytes);
  return WEFT_OK;
}
static const weft_op two_outputs = {WEFT_OP_HEAD,
                                    .name = "ReviewTwo",
                                    .in = WEFT_PORTS({"x", "T"}),
                                    .out = WEFT_PORTS({"y", "T"}, {"z", "T"}),
                                    .types = WEFT_TYPES({"T", WEFT_DT(FLOAT)}),
                                    .infer = two_shapes,
                                    .ref = two_ref};

TEST(the_memory_limit_counts_all_that_a_node_takes) {
  weft_env *e = open_env(NULL);
  weft_diag d = {0};
  weft_graph *g;
  weft_node *n;
  weft_tensor x;
  weft_tensor out[2];
  const weft_tensor *in[1] = {&x};
  CHECK_OK(weft_register(e, &two_outputs, 0, &d), &d);
  CHECK_OK(weft_graph_create(e, "g", &g, &d), &d);
  weft_value *v = weft_graph_input(g, "x", WEFT_FLOAT, DIMS(256), 1, &d);
  CHECK_OK(weft_graph_add(g, "ReviewTwo", NULL, &v, 1, &n, &d), &d);
  CHECK_OK(weft_graph_output(g, weft_node_out(n, 0), &d), &d);
  CHECK_OK(weft_graph_output(g, weft_node_out(n, 1), &d), &d);
  CHECK_OK(weft_graph_infer(g, NULL, NULL, &d), &d);
  make_tensor(&x, WEFT_FLOAT, 1, DIMS(256));
  for (int i = 0; i < 3; i++) {
    static const size_t limits[] = {1500, 2048, 65536};  // 2 * 1024 for the outputs; workspace, scratch
    weft_interp_options o = {.size = sizeof o, .memory_limit_bytes = limits[i]};
    weft_diag_clear(&d);
    CHECK_INT(weft_interp_run(g, &o, in, 1, out, 2, &d), i < 2 ? WEFT_E_LIMIT : WEFT_OK);
    if (i < 2)
      CHECK_HAS(d.text, "ReviewTwo");
    for (int k = 0; k < 2; k++)
      weft_tensor_deinit(&out[k]);
  }
  weft_tensor_deinit(&x);
  weft_graph_destroy(g);
  weft_env_destroy(e);
}

// ---- life times in the interpreter ----
static void check_values(const weft_tensor *t, float a, float b, int line) {
  const float *v = weft_tensor_f32(t);
  if (!v || weft_tensor_elems(t) != 2 || v[0] != a || v[1] != b)
    check_failed(__FILE__, line, "got %g, %g, expected %g, %g", v ? v[0] : NAN, v ? v[1] : NAN, a, b);
}

TEST(values_live_as_long_as_they_are_read) {
  check_alloc c = {0};
  weft_allocator a = check_allocator(&c);
  weft_env *e = open_env(&a);
  weft_diag d = {0};
  weft_graph *g;
  weft_tensor t;
  weft_tensor k;
  weft_tensor out[8];
  CHECK_OK(weft_graph_create(e, "g", &g, &d), &d);
  make_tensor(&t, WEFT_FLOAT, 1, DIMS(2));
  make_tensor(&k, WEFT_FLOAT, 1, DIMS(2));
  ((float *)t.data)[0] = 1;
  ((float *)t.data)[1] = 2;
  ((float *)k.data)[0] = 5;
  ((float *)k.data)[1] = 6;
  weft_value *x = weft_graph_input(g, "x", WEFT_FLOAT, DIMS(2), 1, &d);
  weft_value *w = weft_graph_const(g, "w", &k, WEFT_CONST_COPY, &d);
  weft_value *unread = weft_graph_input(g, "unread", WEFT_FLOAT, DIMS(2), 1, &d);
  weft_value *y;
  weft_value *z;
  weft_value *dead;
  CHECK(x && w && unread);
  CHECK_OK(weft_graph_op1(g, "Add", "twice", (weft_value *[]){x, x}, 2, &y, &d),
           &d);  // one value in two places
  CHECK_OK(weft_graph_op1(g, "Add", "again", (weft_value *[]){y, y}, 2, &z, &d), &d);  // and of a node
  CHECK_OK(weft_graph_op1(g, "Relu", "dead", &z, 1, &dead, &d), &d);                   // read by nobody
  weft_value *outputs[8] = {y, z, z, x, w, x, w, z};  // inner, last, repeated, input, constant
  for (int i = 0; i < 8; i++)
    CHECK_OK(weft_graph_output(g, outputs[i], &d), &d);
  CHECK_OK(weft_graph_infer(g, NULL, NULL, &d), &d);
  const weft_tensor *in[2] = {&t, &t};  // one tensor for two inputs
  for (int round = 0; round < 2; round++) {
    CHECK_OK(weft_interp_run(g, NULL, in, 2, out, 8, &d), &d);
    check_values(&out[0], 2, 4, __LINE__);
    check_values(&out[1], 4, 8, __LINE__);
    check_values(&out[2], 4, 8, __LINE__);
    check_values(&out[3], 1, 2, __LINE__);
    check_values(&out[4], 5, 6, __LINE__);
    check_values(&out[5], 1, 2, __LINE__);
    check_values(&out[6], 5, 6, __LINE__);
    check_values(&out[7], 4, 8, __LINE__);
    for (int i = 0; i < 8; i++) {
      for (int m = 0; m < i; m++)
        CHECK(out[i].data != out[m].data);
    }
    for (int i = 0; !round && i < 8; i++)
      weft_tensor_deinit(&out[i]);
  }
  weft_graph_destroy(g);  // outputs outlive the graph (R170)
  check_values(&out[7], 4, 8, __LINE__);
  check_values(&out[4], 5, 6, __LINE__);
  for (int i = 0; i < 8; i++)
    weft_tensor_deinit(&out[i]);
  weft_tensor_deinit(&t);
  weft_tensor_deinit(&k);
  weft_env_destroy(e);
  CHECK_INT(c.live_blocks, 0);
}

TEST(a_graph_changed_after_inference_is_refused) {
  weft_env *e = open_env(NULL);
  weft_diag d = {0};
  weft_graph *g;
  weft_value *x;
  weft_value *y;
  weft_tensor t;
  weft_tensor out;
  const weft_tensor *in[1] = {&t};
  CHECK_OK(weft_graph_create(e, "g", &g, &d), &d);
  x = weft_graph_input(g, "x", WEFT_FLOAT, DIMS(2), 1, &d);
  CHECK_OK(weft_graph_op1(g, "Relu", "r", &x, 1, &y, &d), &d);
  CHECK_OK(weft_graph_output(g, y, &d), &d);
  CHECK_OK(weft_graph_infer(g, NULL, NULL, &d), &d);
  CHECK_OK(weft_node_set_in(weft_value_node(y, NULL), 0, NULL, &d), &d);
  make_tensor(&t, WEFT_FLOAT, 1, DIMS(2));
  CHECK_INT(weft_interp_run(g, NULL, in, 1, &out, 1, &d), WEFT_E_MISSING);
  CHECK_HAS(d.text, "'r'");
  weft_tensor_deinit(&out);
  weft_tensor_deinit(&t);
  weft_graph_destroy(g);
  weft_env_destroy(e);
}

// What the storage shape says is read too: it must lie inside the tensor.
TEST(storage_shapes_of_inputs_are_checked) {
  weft_env *e = open_env(NULL);
  weft_diag d = {0};
  weft_graph *g;
  weft_tensor t;
  weft_tensor out;
  const weft_tensor *in[1] = {&t};
  CHECK_OK(weft_graph_create(e, "g", &g, &d), &d);
  weft_value *x = weft_graph_input(g, "x", WEFT_FLOAT, DIMS(2), 1, &d);
  CHECK_OK(weft_graph_output(g, x, &d), &d);
  CHECK_OK(weft_graph_infer(g, NULL, NULL, &d), &d);
  make_tensor(&t, WEFT_FLOAT, 1, DIMS(2));
  t.layout.storage.dim[0] = 1000;
  CHECK_INT(weft_interp_run(g, NULL, in, 1, &out, 1, &d), WEFT_E_SHAPE);
  weft_tensor_deinit(&out);
  t.layout.storage.dim[0] = 2;
  t.layout.origin.rank = 99;
  CHECK_INT(weft_interp_run(g, NULL, in, 1, &out, 1, NULL), WEFT_E_SHAPE);
  weft_tensor_deinit(&out);
  weft_tensor_deinit(&t);
  weft_graph_destroy(g);
  weft_env_destroy(e);
}

// ---- limits: rank 25, zero-size, long names, many instances ----
TEST(rank_25_and_empty_tensors_everywhere) {
  static const char *const unary[] = {"Relu",  "Identity", "Abs",     "Cast",
                                      "Shape", "Neg",      "Sigmoid", "SoftmaxV2"};
  weft_env *e = open_env(NULL);
  weft_dim ones[25];
  weft_dim empty[25];
  for (int i = 0; i < 25; i++) {
    ones[i] = i == 3 ? 2 : 1;
    empty[i] = i == 7 ? 0 : i == 8 ? 3 : 1;
  }
  const struct {
    const weft_dim *dims;
    size_t rank;
  } shapes[] = {{ones, 25}, {empty, 25}, {empty + 7, 1}, {empty + 7, 2}, {empty + 7, 18}, {ones, 0}};
  for (size_t k = 0; k < WEFT_COUNT(shapes); k++) {
    weft_tensor x;
    weft_tensor y;
    make_tensor(&x, WEFT_FLOAT, shapes[k].rank, shapes[k].dims);
    const weft_tensor *in[2] = {&x, &x};
    for (size_t i = 0; i < WEFT_COUNT(unary); i++) {
      if (!shapes[k].rank && !strcmp(unary[i], "SoftmaxV2"))
        continue;
      weft_diag d = {0};
      weft_named_attr a = {"dst_type", weft_attr_int(WEFT_INT32)};
      weft_use use = {.attrs = &a, .n_attrs = !strcmp(unary[i], "Cast")};
      weft_status s = weft_run_op(e, weft_find(e, unary[i]), &use, in, 1, &y, 1, NULL, &d);
      if (s)
        check_failed(__FILE__, __LINE__, "%s, shape %zu: %s", unary[i], k, d.text);
      else if (strcmp(unary[i], "Shape"))
        CHECK_INT(weft_tensor_elems(&y), weft_tensor_elems(&x));
      weft_tensor_deinit(&y);
    }
    weft_diag d = {0};
    weft_status s = weft_run_op(e, weft_find(e, "Add"), NULL, in, 2, &y, 1, NULL, &d);
    if (s)
      check_failed(__FILE__, __LINE__, "Add, shape %zu: %s", k, d.text);
    weft_tensor_deinit(&y);
    weft_tensor_deinit(&x);
  }
  weft_env_destroy(e);
}

TEST(long_names_pass_and_are_cut_in_messages_only) {
  enum { LONG = 70000 };
  weft_env *e = open_env(NULL);
  weft_diag d = {0};
  weft_graph *g;
  char *name = malloc(LONG + 1);
  memset(name, 'n', LONG);
  name[LONG] = 0;
  CHECK(!weft_find(e, name));
  const weft_proto *p;
  CHECK_FAILS(weft_get(e, name, &p, &d), WEFT_E_NOT_FOUND);
  weft_diag_clear(&d);
  weft_op op = {REVIEW_OP("x"), .types = WEFT_TYPES({"T", WEFT_DT(FLOAT)})};
  op.name = name;
  CHECK_OK(weft_register(e, &op, 0, &d), &d);
  CHECK_OK(weft_graph_create(e, name, &g, &d), &d);
  weft_value *y;
  weft_value *x = weft_graph_input(g, name, WEFT_FLOAT, DIMS(-1, 2), 2, &d);
  CHECK(x != NULL);
  CHECK_OK(weft_graph_op1(g, name, name, &x, 1, &y, &d), &d);
  CHECK_OK(weft_graph_output(g, y, &d), &d);
  CHECK_OK(weft_graph_infer(g, NULL, NULL, &d), &d);
  weft_text t;
  weft_allocator a = weft_allocator_default();
  weft__text_init(&t, &a);
  CHECK_OK(weft_value_why(y, weft__text_write, &t), &d);
  weft__text_deinit(&t);
  weft_tensor in;
  weft_tensor out;
  const weft_tensor *inputs[1] = {&in};
  make_tensor(&in, WEFT_FLOAT, 1, DIMS(2));
  CHECK_INT(weft_interp_run(g, NULL, inputs, 1, &out, 1, &d), WEFT_E_SHAPE);
  CHECK(d.length < WEFT_DIAG_BYTES && !d.text[d.length]);
  weft_tensor_deinit(&out);
  weft_tensor_deinit(&in);
  weft_graph_destroy(g);
  weft_env_destroy(e);
  free(name);
}

TEST(instance_counts_do_not_wrap) {
  enum { PORTS = 4096 };
  weft_env *e = open_env(NULL);
  weft_diag d = {0};
  weft_port *out = calloc(PORTS + 1, sizeof *out);
  weft_port in[] = {{.name = "x", .type = "T"}, {0}};
  uint32_t *counts = calloc(PORTS, sizeof *counts);
  char(*names)[16] = calloc(PORTS, sizeof *names);
  for (int i = 0; i < PORTS; i++) {
    snprintf(names[i], sizeof names[i], "y%d", i);
    out[i] = (weft_port){.name = names[i], .type = "T", .kind = WEFT_DYNAMIC};
    counts[i] = 1u << 20;
  }
  weft_op op = {REVIEW_OP("ReviewWide"), .types = WEFT_TYPES({"T", WEFT_DT(FLOAT)})};
  op.in = in;
  op.out = out;
  CHECK_OK(weft_register(e, &op, 0, &d), &d);
  weft_tensor x;
  const weft_tensor *given[1] = {&x};
  make_tensor(&x, WEFT_FLOAT, 1, DIMS(1));
  weft_use use = {.out_counts = counts};
  weft_status s = weft_infer_op(e, weft_find(e, "ReviewWide"), &use, given, 1, NULL, 0, &d);
  CHECK_INT(s, WEFT_E_LIMIT);
  weft_tensor_deinit(&x);
  weft_env_destroy(e);
  free(out);
  free(counts);
  free(names);
}
// SPDX-License-Identifier: Apache-2.0
