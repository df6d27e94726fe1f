// custom_test.c - operators of the program in ONNX models, by domain and type: attributes by name, ports in
// order; and models with operators that nobody has, shown and inferred as far as it goes.
#include "check.h"
#include "frontend/onnx/writer.h"
#include "weft/infer.h"
#include "weft/interp.h"
#include "weft/onnx.h"
#include "weft/op.h"

enum { SCALE, TIMES, LABEL, SHIFTS };

static weft_status scaled_infer(weft_infer *it) {
  return weft_set_out_shape(it, 0, weft_in_shape(it, 0)->dim, weft_in_shape(it, 0)->rank);
}

static weft_status scaled_run(const weft_call *c) {
  const float *x = c->in[0]->data;
  float *y = c->out[0]->data;
  const float scale = weft_node_float(c->desc, SCALE) * (float)weft_node_int(c->desc, TIMES);
  const weft_ints shifts = weft_node_ints(c->desc, SHIFTS);
  const int64_t n = weft_tensor_elems(c->in[0]);
  for (int64_t i = 0; i < n; i++)
    y[i] = x[i] * scale + (shifts.n ? (float)shifts.v[0] : 0);
  return WEFT_OK;
}

#define SCALED(op_name)                                                                          \
  {                                                                                              \
    WEFT_OP_HEAD, .name = op_name, .in = WEFT_PORTS({.name = "x", .dtypes = WEFT_DT(FLOAT)}),    \
                  .out = WEFT_PORTS({.name = "y", .dtypes = WEFT_DT(FLOAT)}),                    \
                  .attrs = WEFT_ATTRS({"scale", "Float", NULL}, {"times", "Int", "1"},           \
                                      {"label", "String", "\"\""}, {"shifts", "ListInt", "[]"}), \
                  .infer = scaled_infer, .ref = scaled_run                                       \
  }
static const weft_op plain = SCALED("Scaled"), in_domain = SCALED("com.acme::Scaled");

typedef struct fixture {
  weft_env *e;
  weft_text text, log;
  onnxw w;
  weft_graph *g;
  weft_diag d;
} fixture;

static const int64_t dims[1] = {2};

static void keep_log(void *ctx, int level, const char *text) {
  if (level >= WEFT_LOG_WARNING)
    weft__text_addf(ctx, "%s\n", text);
}

// A model of one node that is open for attributes.
static onnxw *setup(fixture *f, const char *domain, const char *type) {
  memset(f, 0, sizeof *f);
  weft_allocator a = weft_allocator_default();
  weft__text_init(&f->text, &a);
  weft__text_init(&f->log, &a);
  weft_env_options o = {.size = sizeof o, .package_path = "", .log = keep_log, .log_ctx = &f->log};
  CHECK(weft_env_create(&o, &f->e, &f->d) == WEFT_OK);
  onnxw_begin(&f->w, &f->text, 8, 17);
  if (*domain)
    onnxw_opset(&f->w, domain, 1);
  onnxw_graph(&f->w, "g");
  onnxw_input(&f->w, "x", ONNX_FLOAT, 1, dims, NULL);
  onnxw_op(&f->w, type, "custom", "x", "y");
  onnxw_domain(&f->w, domain);
  return &f->w;
}

static weft_status load(fixture *f, bool keep_unknown) {
  const weft_onnx_options o = {.size = sizeof o, .keep_unknown = keep_unknown};
  weft_status s = onnxw_finish(&f->w, &f->d);
  return s ? s : weft_onnx_read_with(f->e, f->text.v, f->text.n, "m.onnx", &o, &f->g, &f->d);
}

static void teardown(fixture *f) {
  weft_graph_destroy(f->g);
  weft__text_deinit(&f->text);
  weft__text_deinit(&f->log);
  weft_env_destroy(f->e);
}

static void check_run(fixture *f, float first, float second) {
  float data[2] = {1, 2};
  weft_tensor in;
  weft_tensor out;
  const weft_tensor *given = &in;
  weft_tensor_init(&in, NULL);
  CHECK_OK(weft_tensor_borrow(&in, WEFT_FLOAT, dims, 1, data, sizeof data, &f->d), &f->d);
  CHECK_OK(weft_interp_run(f->g, NULL, &given, 1, &out, 1, &f->d), &f->d);
  CHECK_F64(weft_tensor_f32(&out)[0], first, 0);
  CHECK_F64(weft_tensor_f32(&out)[1], second, 0);
  weft_tensor_deinit(&out);
}

TEST(an_operator_of_the_program_is_found_by_its_type_in_any_domain) {
  static const char *const domains[] = {"com.acme", "com.microsoft", ""};
  for (size_t i = 0; i < WEFT_COUNT(domains); i++) {
    fixture f;
    onnxw *w = setup(&f, domains[i], "Scaled");
    onnxw_attr_ints(w, "shifts", (int64_t[]){5}, 1);
    onnxw_attr_float(w, "scale", 2);
    onnxw_attr_str(w, "label", "a label");
    onnxw_attr_int(w, "times", 3);
    onnxw_output(w, "y", ONNX_FLOAT, 1, dims, NULL);
    CHECK_OK(weft_register(f.e, &plain, 0, &f.d), &f.d);
    CHECK_OK(load(&f, false), &f.d);
    check_run(&f, 11, 17);
    teardown(&f);
  }
}

static const weft_op twofold = {
    WEFT_OP_HEAD,
    .name = "Twofold",
    .in = WEFT_PORTS({.name = "x", .dtypes = WEFT_DT(FLOAT)}),
    .out = WEFT_PORTS({.name = "low", .dtypes = WEFT_DT(FLOAT), .kind = WEFT_DYNAMIC},
                      {.name = "high", .dtypes = WEFT_DT(FLOAT), .kind = WEFT_DYNAMIC}),
    .infer = scaled_infer,
    .ref = scaled_run,
};

TEST(two_dynamic_outputs_are_refused_as_onnx_does_not_count_them) {
  fixture f;
  onnxw *w = setup(&f, "com.acme", "Twofold");
  onnxw_output(w, "y", ONNX_FLOAT, 1, dims, NULL);
  CHECK_OK(weft_register(f.e, &twofold, 0, &f.d), &f.d);
  CHECK_FAILS(load(&f, false), WEFT_E_UNSUPPORTED);
  CHECK_HAS(f.d.text, "operator 'Twofold' has 2 dynamic outputs");
  CHECK_HAS(f.d.text, "weft_use.out_counts");
  teardown(&f);
}

static const weft_op folded = {
    WEFT_OP_HEAD,
    .name = "Folded",
    .in = WEFT_PORTS({.name = "low", .dtypes = WEFT_DT(FLOAT), .kind = WEFT_DYNAMIC},
                     {.name = "high", .dtypes = WEFT_DT(FLOAT), .kind = WEFT_DYNAMIC}),
    .out = WEFT_PORTS({.name = "y", .dtypes = WEFT_DT(FLOAT)}),
    .infer = scaled_infer,
    .ref = scaled_run,
};

TEST(two_dynamic_inputs_are_counted_by_an_attribute) {
  static const struct {
    int64_t counts[3];
    size_t n;
    bool fits;
  } cases[] = {{{1, 0}, 2, true},
               {{1}, 1, false},
               {{1, 1}, 2, false},
               {{-1, 2}, 2, false},
               {{INT64_MAX, INT64_MAX}, 2, false},
               {{0, 0}, 2, false},
               {{0}, 0, false}};
  for (size_t i = 0; i < WEFT_COUNT(cases); i++) {
    fixture f;
    onnxw *w = setup(&f, "com.acme", "Folded");
    onnxw_attr_ints(w, "weft.in_counts", cases[i].counts, cases[i].n);
    onnxw_output(w, "y", ONNX_FLOAT, 1, dims, NULL);
    CHECK_OK(weft_register(f.e, &folded, 0, &f.d), &f.d);
    CHECK_INT(load(&f, false), cases[i].fits ? WEFT_OK : WEFT_E_INVALID);
    CHECK_HAS(f.d.text, cases[i].fits ? "" : "'weft.in_counts' does not count 1 tensors of 2 ports");
    teardown(&f);
  }
}

TEST(the_one_of_its_domain_comes_first) {
  fixture f;
  onnxw *w = setup(&f, "com.acme", "Scaled");
  onnxw_attr_float(w, "scale", 1);
  onnxw_output(w, "y", ONNX_FLOAT, 1, dims, NULL);
  CHECK_OK(weft_register(f.e, &plain, 0, &f.d), &f.d);
  CHECK_OK(weft_register(f.e, &in_domain, 0, &f.d), &f.d);
  CHECK_OK(load(&f, false), &f.d);
  CHECK_STR(weft_node_type(weft_graph_first(f.g)), "com.acme::Scaled");
  teardown(&f);
}

static void refused(const char *attribute, bool as_int, weft_status status, const char *text) {
  fixture f;
  onnxw *w = setup(&f, "com.acme", "Scaled");
  if (as_int)
    onnxw_attr_int(w, attribute, 1);
  else
    onnxw_attr_float(w, attribute, 1);
  onnxw_output(w, "y", ONNX_FLOAT, 1, dims, NULL);
  CHECK_OK(weft_register(f.e, &plain, 0, &f.d), &f.d);
  CHECK_INT(load(&f, false), status);
  CHECK_HAS(f.d.text, text);
  teardown(&f);
}

TEST(attributes_are_checked_by_name_and_type) {
  refused("skale", false, WEFT_E_NOT_FOUND,
          "operator 'Scaled' has none of this name; its attributes: scale, times");
  refused("scale", true, WEFT_E_TYPE,
          "got INT, expected FLOAT, because operator 'Scaled' declares it as Float");
  refused("times", true, WEFT_E_MISSING, "scale");
}

TEST(weft_s_own_operators_are_reached_in_its_own_domain_only) {
  for (int own = 0; own < 2; own++) {
    fixture f;
    onnxw *w = setup(&f, own ? "weft" : "com.acme", "Expm1");
    onnxw_output(w, "y", ONNX_FLOAT, 1, dims, NULL);
    CHECK_INT(load(&f, false), own ? WEFT_OK : WEFT_E_UNSUPPORTED);
    if (!own)
      CHECK_HAS(f.d.text, "Expm1 (com.acme 1): 1 node");
    if (!own)
      CHECK_HAS(f.d.text, "weft op new");
    teardown(&f);
  }
}

// ---- operators that nobody has ----
TEST(an_unknown_operator_gives_what_the_model_declares) {
  fixture f;
  onnxw *w = setup(&f, "com.acme", "Strange");
  onnxw_op(w, "Neg", "neg", "y", "z");
  onnxw_value_info(w, "y", ONNX_FLOAT, 1, dims, NULL);
  onnxw_output(w, "z", ONNX_FLOAT, -1, NULL, NULL);
  CHECK_OK(load(&f, true), &f.d);
  CHECK_HAS(f.log.v, "weft has no operator Strange (com.acme 1): 1 node");
  CHECK_OK(weft_graph_infer(f.g, NULL, NULL, &f.d), &f.d);
  weft_tensor_desc desc;
  weft_value_desc(weft_graph_find_value(f.g, "z"), &desc);
  CHECK_INT(desc.dtype, WEFT_FLOAT);
  CHECK_INT(desc.layout.origin.rank, 1);
  teardown(&f);
}

static weft_status add_text(void *ctx, const char *text, size_t bytes) {
  weft__text_addf(ctx, "%.*s", (int)bytes, text);
  return WEFT_OK;
}

TEST(what_reads_an_unknown_value_is_unknown_and_the_operator_is_the_reason) {
  fixture f;
  onnxw *w = setup(&f, "com.acme", "Strange");
  onnxw_op(w, "Neg", "neg", "y", "z");
  onnxw_op(w, "Abs", "abs", "x", "known");
  onnxw_op(w, "If", "if", "y", "chosen");
  for (int b = 0; b < 2; b++) {
    onnxw_attr_graph(w, b ? "else_branch" : "then_branch", b ? "else" : "then");
    onnxw_op(w, "Neg", b ? "m" : "n", "z", b ? "t" : "s");
    onnxw_output(w, b ? "t" : "s", ONNX_FLOAT, 1, dims, NULL);
    onnxw_attr_graph_end(w);
  }
  onnxw_output(w, "z", 0, -1, NULL, NULL);
  onnxw_output(w, "known", ONNX_FLOAT, 1, dims, NULL);
  onnxw_output(w, "chosen", 0, -1, NULL, NULL);
  CHECK_OK(load(&f, true), &f.d);
  CHECK_OK(weft_graph_infer(f.g, NULL, NULL, &f.d), &f.d);
  weft_tensor_desc desc;
  weft_value_desc(weft_graph_find_value(f.g, "known"), &desc);
  CHECK_INT(desc.layout.origin.rank, 1);
  f.text.n = 0;
  CHECK_OK(weft_value_why(weft_graph_find_value(f.g, "z"), add_text, &f.text), &f.d);
  CHECK_HAS(f.text.v, "node 'custom' has the operator 'Strange', which weft does not have");
  f.text.n = 0;
  CHECK_OK(weft_graph_print_table(f.g, add_text, &f.text), &f.d);
  CHECK_HAS(f.text.v, "Strange custom");
  CHECK_HAS(f.text.v, "Neg neg");
  teardown(&f);
}

TEST(an_unknown_operator_may_declare_a_dtype_without_a_shape) {
  fixture f;
  onnxw *w = setup(&f, "com.acme", "Strange");
  onnxw_op(w, "Neg", "neg", "y", "z");
  onnxw_value_info(w, "y", ONNX_INT64, -1, NULL, NULL);
  onnxw_output(w, "z", ONNX_INT64, -1, NULL, NULL);
  CHECK_OK(load(&f, true), &f.d);
  CHECK_OK(weft_graph_infer(f.g, NULL, NULL, &f.d), &f.d);
  CHECK_INT(weft_graph_n_inputs(f.g), 1);  // nothing stands in for z
  CHECK_STR(weft_value_name(weft_graph_output_at(f.g, 0)), "z");
  weft_tensor_desc desc;
  weft_value_desc(weft_graph_find_value(f.g, "z"), &desc);
  CHECK_INT(desc.dtype, WEFT_INT64);
  CHECK(weft_shape_is_unknown_rank(&desc.layout.origin));
  teardown(&f);
}

TEST(an_unknown_operator_does_not_run) {
  fixture f;
  onnxw *w = setup(&f, "com.acme", "Strange");
  onnxw_output(w, "y", ONNX_FLOAT, 1, dims, NULL);
  CHECK_OK(load(&f, true), &f.d);
  float data[2] = {1, 2};
  weft_tensor in;
  weft_tensor out;
  const weft_tensor *given = &in;
  weft_tensor_init(&in, NULL);
  weft_tensor_init(&out, NULL);
  CHECK_OK(weft_tensor_borrow(&in, WEFT_FLOAT, dims, 1, data, sizeof data, &f.d), &f.d);
  CHECK_INT(weft_interp_run(f.g, NULL, &given, 1, &out, 1, &f.d), WEFT_E_UNSUPPORTED);
  CHECK_HAS(f.d.text, "weft has no operator 'com.acme::Strange'");
  weft_tensor_deinit(&out);
  teardown(&f);
}
// SPDX-License-Identifier: Apache-2.0
