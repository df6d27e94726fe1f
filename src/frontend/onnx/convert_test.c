// convert_test.c - ONNX to ONNX: the converted model computes the same, what no option concerns stays byte
// for byte, and hostile or unfit input is refused without a byte written.
#include "weft/convert.h"

#include "check.h"
#include "frontend/onnx/writer.h"
#include "models.h"
#include "weft/weft.h"

#define DIMS(...) ((const int64_t[]){__VA_ARGS__})

static weft_env *env_plain(void) {
  weft_env *e = NULL;
  weft_diag d = {0};
  weft_env_options o = {.size = sizeof o, .package_path = ""};
  if (weft_env_create(&o, &e, &d)) check_failed(__FILE__, __LINE__, "%s", d.text);
  return e;
}

typedef struct lines {
  char text[4096];
  size_t n;
} lines;
static void keep_line(void *ctx, const char *line) {
  lines *l = ctx;
  weft__append(l->text, sizeof l->text, &l->n, "%s\n", line);
}

typedef struct fixture {  // a model made by hand, and what became of it
  weft_env *e;
  weft_text in, out;
  onnxw w;
  weft_diag d;
  lines said;
  weft_arena arena;
  const onnx_model *model;  // of out
} fixture;

static void begin(fixture *f, int64_t ir_version, int64_t opset) {
  weft_allocator a = weft_allocator_default();
  memset(f, 0, sizeof *f);
  f->e = env_plain();
  weft__text_init(&f->in, &a);
  weft__text_init(&f->out, &a);
  weft__arena_init(&f->arena, &a);
  onnxw_begin(&f->w, &f->in, ir_version, opset);
}

static void finish(fixture *f) {
  weft__arena_deinit(&f->arena);
  weft__text_deinit(&f->in);
  weft__text_deinit(&f->out);
  weft_env_destroy(f->e);
}

static weft_status convert(fixture *f, weft_convert_options o) {
  o.size = sizeof o, o.report = keep_line, o.report_ctx = &f->said;
  f->out.n = 0, f->said.n = 0, f->said.text[0] = 0;
  weft_diag_clear(&f->d);
  if (f->w.depth) CHECK(!onnxw_finish(&f->w, &f->d));
  weft_status s = weft_onnx_convert(f->e, f->in.v, f->in.n, "test", &o, weft__text_write, &f->out, &f->d);
  f->model = NULL;
  if (s) CHECK_INT(f->out.n, 0);  // nothing is written before everything went well
  if (!s) s = weft__onnx_read_model(f->out.v, f->out.n, &f->arena, &f->model, &f->d);
  return s;
}

// Converts, and leaves the test with a message when that fails.
#define CONVERT(f, ...)                                    \
  do {                                                     \
    if (convert(f, (weft_convert_options){__VA_ARGS__})) { \
      check_failed(__FILE__, __LINE__, "%s", (f)->d.text); \
      finish(f);                                           \
      return;                                              \
    }                                                      \
  } while (0)

static const char *ops(const onnx_model *m) {  // "Conv Relu"
  static char text[1024];
  size_t n = 0;
  text[0] = 0;
  for (size_t i = 0; i < m->graph->nodes.n; i++) {
    onnx_str s = m->graph->nodes.v[i].op_type;
    weft__append(text, sizeof text, &n, "%s%.*s", i ? " " : "", (int)s.bytes, s.text);
  }
  return text;
}

static const onnx_value_info *info(const onnx_value_info *v, size_t n, const char *name) {
  for (size_t i = 0; i < n; i++)
    if (onnx_str_is(v[i].name, name)) return &v[i];
  return NULL;
}

static const char *type_text(const onnx_value_info *v) {  // "1[2,n,?]"
  static char text[256];
  size_t n = 0;
  const onnx_tensor_type *t = v ? onnx_value_tensor(v) : NULL;
  if (!t) return "none";
  weft__append(text, sizeof text, &n, "%d[", t->elem_type);
  for (size_t i = 0; t->shape && i < t->shape->dims.n; i++) {
    const onnx_dim *dim = &t->shape->dims.v[i];
    if (i) weft__append(text, sizeof text, &n, ",");
    if (dim->which == ONNX_DIM_VALUE)
      weft__append(text, sizeof text, &n, "%lld", (long long)dim->value);
    else if (dim->which == ONNX_DIM_PARAM)
      weft__append(text, sizeof text, &n, "%.*s", (int)dim->param.bytes, dim->param.text);
    else
      weft__append(text, sizeof text, &n, "?");
  }
  weft__append(text, sizeof text, &n, "]");
  return text;
}
#define INPUT(f, name)  type_text(info((f)->model->graph->inputs.v, (f)->model->graph->inputs.n, name))
#define OUTPUT(f, name) type_text(info((f)->model->graph->outputs.v, (f)->model->graph->outputs.n, name))
#define INFO(f, name) \
  type_text(info((f)->model->graph->value_infos.v, (f)->model->graph->value_infos.n, name))

static const onnx_tensor *initializer(const onnx_model *m, const char *name) {
  for (size_t i = 0; i < m->graph->initializers.n; i++)
    if (onnx_str_is(m->graph->initializers.v[i].name, name)) return &m->graph->initializers.v[i];
  return NULL;
}

// Runs a model on inputs that count up; the outputs are the caller's. Returns how many, 0: failed.
enum { MOST = 8 };
static size_t run(weft_env *e, const char *file, size_t bytes, weft_tensor out[MOST]) {
  weft_diag d = {0};
  weft_graph *g = NULL;
  weft_tensor in[MOST];
  const weft_tensor *given[MOST];
  weft_status s = weft_onnx_read(e, file, bytes, "run", &g, &d);
  if (!s) s = weft_graph_infer(g, NULL, NULL, &d);
  size_t n_in = s ? 0 : weft_graph_n_inputs(g), n_out = s ? 0 : weft_graph_n_outputs(g);
  for (size_t i = 0; i < MOST; i++) weft_tensor_init(&in[i], NULL), weft_tensor_init(&out[i], NULL);
  for (size_t i = 0; !s && i < n_in && i < MOST; i++) {
    weft_tensor_desc desc;
    weft_dim dims[WEFT_MAX_RANK];
    weft_value_desc(weft_graph_input_at(g, i), &desc);
    for (size_t k = 0; k < desc.layout.origin.rank; k++)
      dims[k] = desc.layout.origin.dim[k] < 0 ? 2 : desc.layout.origin.dim[k];
    s = weft_tensor_alloc(&in[i], desc.dtype, dims, desc.layout.origin.rank, &d);
    for (int64_t k = 0; !s && k < weft_tensor_elems(&in[i]); k++)
      weft_store_f64(desc.dtype, in[i].data, (size_t)k, (double)((k * 7 + 3) % 11) / 4 - 1);
    given[i] = &in[i];
  }
  if (!s && (n_in > MOST || n_out > MOST)) s = weft_fail(&d, WEFT_E_LIMIT, "too many inputs or outputs");
  if (!s) s = weft_interp_run(g, NULL, given, n_in, out, n_out, &d);
  if (s) check_failed(__FILE__, __LINE__, "%s", d.text);
  for (size_t i = 0; i < MOST; i++) weft_tensor_deinit(&in[i]);
  weft_graph_destroy(g);
  return s ? 0 : n_out;
}

// Both compute the same on the same inputs, dtypes aside when tolerance is not 0.
static void same_results(weft_env *e, const weft_text *a, const weft_text *b, double tolerance) {
  weft_tensor x[MOST], y[MOST];
  size_t n = run(e, a->v, a->n, x), m = run(e, b->v, b->n, y);
  CHECK(n > 0);
  CHECK_INT(m, n);
  for (size_t i = 0; i < n && i < m; i++) {
    weft_diag d = {0};
    if (tolerance == 0 && weft_tensor_compare(&y[i], &x[i], 0, 0, &d))
      check_failed(__FILE__, __LINE__, "output %zu: %s", i, d.text);
    CHECK_INT(weft_tensor_elems(&x[i]), weft_tensor_elems(&y[i]));
    for (int64_t k = 0; tolerance != 0 && k < weft_tensor_elems(&x[i]); k++) {
      double p = weft_load_f64(x[i].dtype, x[i].data, (size_t)k),
             q = weft_load_f64(y[i].dtype, y[i].data, (size_t)k);
      CHECK_F64(q, p, tolerance * (1 + fabs(p)));
    }
  }
  for (size_t i = 0; i < MOST; i++) weft_tensor_deinit(&x[i]), weft_tensor_deinit(&y[i]);
}

// ---- what stays ----

// Functions, metadata, doc strings, and fields that weft does not know, in the model, the graph and a node.
static void rich_model(fixture *f) {
  onnxw *w = &f->w;
  begin(f, 8, 17);
  onnxw_str(w, 3, "producer 1");
  onnxw_str(w, 4, "my.domain");
  onnxw_str(w, 6, "about the model");
  onnxw_opset(w, "my", 1);
  onnxw_metadata(w, "key", "text");
  onnxw_str(w, 999, "unknown to weft");
  onnxw_graph(w, "g");
  onnxw_str(w, 10, "about the graph");
  onnxw_str(w, 998, "unknown too");
  onnxw_input(w, "x", ONNX_FLOAT, 2, DIMS(-1, 4), (const char *[]){"n", NULL});
  onnxw_init_f32(w, "b", 1, DIMS(4), (const float[]){1, 2, 3, 4});
  onnxw_op(w, "Add", "add1", "x,b", "sum");
  onnxw_str(w, 6, "about the node");
  onnxw_op(w, "Double", "call", "sum", "twice");
  onnxw_domain(w, "my");
  onnxw_op(w, "Relu", "relu", "twice", "y");
  onnxw_output(w, "y", ONNX_FLOAT, 2, DIMS(-1, -1), (const char *[]){"n", NULL});
  onnxw_function(w, "my", "Double", "a", "c", NULL);
  onnxw_opset(w, "", 17);
  onnxw_op(w, "Add", "inner", "a,a", "c");
  onnxw_function_end(w);
  CHECK(!onnxw_finish(w, &f->d));
}

TEST(without_options_the_bytes_stay) {
  fixture f;
  rich_model(&f);
  CONVERT(&f, .keep_metadata = true);
  CHECK_INT(f.out.n, f.in.n);
  CHECK(f.out.n == f.in.n && !memcmp(f.out.v, f.in.v, f.in.n));
  CONVERT(&f, .keep_metadata = false);
  CHECK(onnx_str_is(f.model->producer_name, "weft") &&
        onnx_str_is(f.model->producer_version, weft_version()));
  CHECK(onnx_str_is(f.model->domain, "my.domain"));
  finish(&f);
}

TEST(names_docs_metadata_functions_and_unknown_fields_stay) {
  fixture f;
  rich_model(&f);
  CONVERT(&f, .annotate = true, .simplify = true, .keep_metadata = true);
  CHECK_STR(ops(f.model), "Add Double Relu");
  CHECK(onnx_str_is(f.model->producer_version, "producer 1") && onnx_str_is(f.model->doc, "about the model"));
  CHECK(f.model->metadata_props.n == 1 && f.model->functions.n == 1 && f.model->opset_imports.n == 2);
  CHECK(onnx_str_is(f.model->graph->doc, "about the graph") &&
        onnx_str_is(f.model->graph->nodes.v[0].doc, "about the node"));
  CHECK(onnx_str_is(f.model->graph->nodes.v[0].name, "add1"));
  const char *unknown[] = {"unknown to weft", "unknown too"};
  for (size_t i = 0; i < 2; i++) {
    bool found = false;
    for (size_t k = 0; k + strlen(unknown[i]) <= f.out.n; k++)
      found |= !memcmp(f.out.v + k, unknown[i], strlen(unknown[i]));
    CHECK(found);
  }
  same_results(f.e, &f.in, &f.out, 0);
  finish(&f);
}

TEST(annotate_writes_types_and_symbols) {
  fixture f;
  rich_model(&f);
  CONVERT(&f, .annotate = true);
  CHECK_STR(INFO(&f, "sum"), "1[n,4]");
  CHECK_STR(INFO(&f, "twice"), "1[n,4]");
  CHECK_STR(INFO(&f, "y"), "none");
  CHECK_STR(OUTPUT(&f, "y"), "1[n,4]");
  CHECK_HAS(f.said.text, "types of 2 of 2 inner values and 1 of 1 outputs written");
  weft_text first = f.out;  // again: nothing changes
  weft_allocator a = weft_allocator_default();
  weft__text_init(&f.out, &a);
  weft_convert_options o = {.annotate = true};
  CHECK(!weft_onnx_convert(f.e, first.v, first.n, "again", &o, weft__text_write, &f.out, &f.d));
  CHECK(first.n == f.out.n && !memcmp(first.v, f.out.v, first.n));
  weft__text_deinit(&first);
  finish(&f);
}

// ---- simplify ----

TEST(own_networks_compute_the_same) {
  weft_env *e = env_plain();
  weft_allocator a = weft_allocator_default();
  for (size_t i = 0; model_names[i]; i++) {
    static model m;
    weft_diag d = {0};
    weft_text out, again;
    weft_convert_summary sum = {0};
    weft_convert_options o = {.size = sizeof o, .simplify = true, .annotate = true, .summary = &sum};
    weft__text_init(&out, &a);
    weft__text_init(&again, &a);
    CHECK(model_make(&m, model_names[i], &d));
    weft_status s = weft_onnx_convert(e, m.text.v, m.text.n, model_names[i], &o, weft__text_write, &out, &d);
    if (s) check_failed(__FILE__, __LINE__, "%s: %s", model_names[i], d.text);
    CHECK(sum.nodes_after <= sum.nodes_before && sum.nodes_after > 0);
    if (!strcmp(model_names[i], "conv_bn_relu_pool")) CHECK(sum.nodes_after < sum.nodes_before);
    if (!s) same_results(e, &m.text, &out, 2e-6);
    if (!s) CHECK(!weft_onnx_convert(e, out.v, out.n, model_names[i], &o, weft__text_write, &again, &d));
    CHECK(again.n == out.n && (!out.n || !memcmp(again.v, out.v, out.n)));  // a second run changes nothing
    weft__text_deinit(&out);
    weft__text_deinit(&again);
    model_free(&m);
  }
  weft_env_destroy(e);
}

// Flattens by arithmetic on the shape, as exporters write it. batch -1: dim "n".
static void shape_chain(fixture *f, int64_t ir_version, int64_t batch) {
  onnxw *w = &f->w;
  begin(f, ir_version, 13);
  onnxw_graph(w, "chain");
  onnxw_input(w, "x", ONNX_FLOAT, 3, DIMS(batch, 3, 4), (const char *[]){"n", NULL, NULL});
  onnxw_op(w, "Shape", "shape", "x", "s");
  onnxw_op(w, "Constant", "zero", NULL, "i0");
  onnxw_attr_tensor(w, "value", ONNX_INT64, 1, DIMS(1), DIMS(0), 8);
  onnxw_op(w, "Gather", "first", "s,i0", "n0");
  onnxw_op(w, "Constant", "rest", NULL, "minus");
  onnxw_attr_ints(w, "value_ints", DIMS(-1), 1);
  onnxw_op(w, "Concat", "join", "n0,minus", "target");
  onnxw_attr_int(w, "axis", 0);
  onnxw_op(w, "Reshape", "flat", "x,target", "f");
  onnxw_op(w, "Identity", "same", "f", "f2");
  onnxw_op(w, "Constant", "k", NULL, "two");
  onnxw_attr_float(w, "value_float", 2);
  onnxw_op(w, "Mul", "mul", "f2,two", "m");
  onnxw_op(w, "Identity", "last", "m", "y");
  onnxw_op(w, "Neg", "unread", "m", "nobody");
  onnxw_output(w, "y", ONNX_FLOAT, 2, DIMS(-1, -1), NULL);
  CHECK(!onnxw_finish(w, &f->d));
}

TEST(shape_arithmetic_becomes_initializers) {
  fixture f;
  shape_chain(&f, 8, 2);
  CONVERT(&f, .simplify = true);
  CHECK_STR(ops(f.model), "Reshape Mul");
  CHECK(onnx_str_is(f.model->graph->nodes.v[1].outputs.v[0],
                    "y"));  // the output's name stays, its producer changes
  CHECK(onnx_str_is(f.model->graph->nodes.v[1].name, "mul"));
  const onnx_tensor *target = initializer(f.model, "target");
  CHECK(target && target->dims.n == 1 && target->dims.v[0] == 2 && target->raw.bytes == 16);
  CHECK_INT(f.model->graph->initializers.n, 2);
  CHECK_INT(f.model->graph->inputs.n, 1);
  CHECK_HAS(f.said.text, "nodes: 11 -> 2, initializers: 0 -> 2");
  CHECK_HAS(f.said.text, "nodes removed that hand their input through: 2 (Identity 2)");
  CHECK_HAS(f.said.text, "nodes removed that nobody reads: 1 (Neg 1)");
  same_results(f.e, &f.in, &f.out, 0);
  finish(&f);
}

// The batch is not known: what depends on it stays computed, the rest goes.
TEST(shape_arithmetic_with_unknown_dims_stays) {
  fixture f;
  shape_chain(&f, 8, -1);
  CONVERT(&f, .simplify = true, .annotate = true);
  CHECK_STR(ops(f.model), "Shape Gather Concat Reshape Mul");
  CHECK_STR(OUTPUT(&f, "y"), "1[n,12]");
  same_results(f.e, &f.in, &f.out, 0);
  CONVERT(&f, .simplify = true, .batch = 5);
  CHECK_STR(ops(f.model), "Reshape Mul");
  CHECK_STR(INPUT(&f, "x"), "1[5,3,4]");
  CHECK_STR(OUTPUT(&f, "y"), "1[5,12]");
  finish(&f);
}

// Before IR version 4 every initializer is an input as well.
TEST(old_ir_lists_new_initializers_as_inputs) {
  fixture f;
  shape_chain(&f, 3, 2);
  CONVERT(&f, .simplify = true);
  CHECK_INT(f.model->graph->inputs.n, 3);
  CHECK_STR(INPUT(&f, "target"), "7[2]");
  CHECK_STR(INPUT(&f, "two"), "1[]");
  same_results(f.e, &f.in, &f.out, 0);
  finish(&f);
}

TEST(values_over_the_limit_and_fills_stay_computed) {
  fixture f;
  onnxw *w = &f.w;
  begin(&f, 8, 17);
  onnxw_graph(w, "g");
  onnxw_input(w, "x", ONNX_FLOAT, 1, DIMS(2000), NULL);
  onnxw_init_i64(w, "shape", 1, DIMS(1), DIMS(2000));
  onnxw_init_f32(w, "start", 0, NULL, (const float[]){0});
  onnxw_init_f32(w, "limit", 0, NULL, (const float[]){2000});
  onnxw_init_f32(w, "step", 0, NULL, (const float[]){1});
  onnxw_op(w, "ConstantOfShape", NULL, "shape", "zeros");
  onnxw_op(w, "Range", NULL, "start,limit,step", "count");
  onnxw_op(w, "Add", NULL, "x,zeros", "a");
  onnxw_op(w, "Add", NULL, "a,count", "y");
  onnxw_output(w, "y", ONNX_FLOAT, 1, DIMS(2000), NULL);
  CONVERT(&f, .simplify = true);
  CHECK_STR(ops(f.model),
            "ConstantOfShape Add Add");  // 8000 zeros are not worth their bytes; counting is data
  CHECK(initializer(f.model, "count") && initializer(f.model, "count")->raw.bytes == 8000);
  same_results(f.e, &f.in, &f.out, 0);
  CONVERT(&f, .simplify = true, .max_value_bytes = 7999);
  CHECK_STR(ops(f.model), "ConstantOfShape Range Add Add");
  finish(&f);
}

TEST(no_ops_and_equal_initializers_go) {
  fixture f;
  onnxw *w = &f.w;
  begin(&f, 8, 13);
  onnxw_graph(w, "g");
  onnxw_input(w, "x", ONNX_FLOAT, 3, DIMS(1, 4, 2), NULL);
  onnxw_init_f32(w, "a", 1, DIMS(2), (const float[]){1, 2});
  onnxw_init_f32(w, "b", 1, DIMS(2), (const float[]){1, 2});
  onnxw_init_f32(w, "other_shape", 2, DIMS(1, 2), (const float[]){1, 2});
  onnxw_init_f32(w, "unread", 1, DIMS(2), (const float[]){5, 5});
  onnxw_init_i64(w, "same", 1, DIMS(3), DIMS(0, -1, 2));
  onnxw_op(w, "Reshape", NULL, "x,same", "r");
  onnxw_op(w, "Cast", NULL, "r", "c");
  onnxw_attr_int(w, "to", ONNX_FLOAT);
  onnxw_op(w, "Transpose", NULL, "c", "t");  // [1,4,2] to [4,1,2]: moves a dim of 1, but the shape changes
  onnxw_attr_ints(w, "perm", DIMS(1, 0, 2), 3);
  onnxw_op(w, "Transpose", NULL, "t", "u");
  onnxw_attr_ints(w, "perm", DIMS(0, 1, 2), 3);
  onnxw_op(w, "Dropout", NULL, "u", "v,mask");
  onnxw_op(w, "Add", NULL, "v,a", "p");
  onnxw_op(w, "Mul", NULL, "p,b", "q");
  onnxw_op(w, "Sub", NULL, "q,other_shape", "z");
  onnxw_op(w, "Identity", NULL, "x", "y");  // an input as output: nothing else can make it
  onnxw_output(w, "y", ONNX_FLOAT, 3, DIMS(1, 4, 2), NULL);
  onnxw_output(w, "z", ONNX_FLOAT, 3, DIMS(4, 1, 2), NULL);
  CONVERT(&f, .simplify = true);
  CHECK_STR(ops(f.model), "Transpose Add Mul Sub Identity");
  CHECK(initializer(f.model, "a") && !initializer(f.model, "b") && initializer(f.model, "other_shape"));
  CHECK(!initializer(f.model, "unread") && !initializer(f.model, "same"));
  CHECK(onnx_str_is(f.model->graph->nodes.v[2].inputs.v[1], "a"));
  CHECK_HAS(f.said.text, "initializers merged with equal ones: 1 (8 bytes)");
  same_results(f.e, &f.in, &f.out, 0);
  finish(&f);
}

static void conv_bn(fixture *f, bool bias, bool read_twice) {
  onnxw *w = &f->w;
  float weights[2 * 3], k = 0.25f;
  for (int i = 0; i < 6; i++) weights[i] = (float)(i - 2) * k;
  begin(f, 8, 15);
  onnxw_graph(w, "g");
  onnxw_input(w, "x", ONNX_FLOAT, 4, DIMS(2, 3, 5, 5), NULL);
  onnxw_init_f32(w, "w", 4, DIMS(2, 3, 1, 1), weights);
  onnxw_init_f32(w, "b", 1, DIMS(2), (const float[]){0.5f, -0.25f});
  onnxw_init_f32(w, "scale", 1, DIMS(2), (const float[]){1.5f, -2});
  onnxw_init_f32(w, "shift", 1, DIMS(2), (const float[]){0.125f, 3});
  onnxw_init_f32(w, "mean", 1, DIMS(2), (const float[]){0.3f, 0.7f});
  onnxw_init_f32(w, "var", 1, DIMS(2), (const float[]){0.9f, 2.5f});
  onnxw_op(w, "Conv", "conv", bias ? "x,w,b" : "x,w", "c");
  onnxw_op(w, "BatchNormalization", "bn", "c,scale,shift,mean,var", "y");
  onnxw_attr_float(w, "epsilon", 1e-3f);
  onnxw_op(w, "Conv", "other", "x,w", "z");
  if (read_twice) onnxw_op(w, "Relu", "relu", "c", "r");
  onnxw_output(w, "y", ONNX_FLOAT, 4, DIMS(2, 2, 5, 5), NULL);
  onnxw_output(w, "z", ONNX_FLOAT, 4, DIMS(2, 2, 5, 5), NULL);
  if (read_twice) onnxw_output(w, "r", ONNX_FLOAT, 4, DIMS(2, 2, 5, 5), NULL);
}

TEST(batch_norm_goes_into_conv) {
  for (int bias = 0; bias < 2; bias++) {
    fixture f;
    conv_bn(&f, bias != 0, false);
    CONVERT(&f, .simplify = true);
    CHECK_STR(ops(f.model), "Conv Conv");
    CHECK(onnx_str_is(f.model->graph->nodes.v[0].name, "conv") &&
          onnx_str_is(f.model->graph->nodes.v[0].outputs.v[0], "y"));
    CHECK(initializer(f.model, "w") != NULL);  // the other Conv reads the weights as they were
    CHECK_INT(f.model->graph->initializers.n, 3);
    same_results(f.e, &f.in, &f.out, 1e-6);
    finish(&f);
  }
  fixture f;
  conv_bn(&f, true, true);
  CONVERT(&f, .simplify = true);
  CHECK_STR(ops(f.model), "Conv BatchNormalization Conv Relu");
  finish(&f);
}

// A body reads values of the graph around it by name: those names stay.
TEST(names_read_in_bodies_stay) {
  fixture f;
  onnxw *w = &f.w;
  begin(&f, 8, 13);
  onnxw_graph(w, "g");
  onnxw_input(w, "x", ONNX_FLOAT, 1, DIMS(3), NULL);
  onnxw_input(w, "c", ONNX_BOOL, 0, NULL, NULL);
  onnxw_op(w, "Identity", NULL, "x", "held");
  onnxw_op(w, "Constant", NULL, NULL, "k");
  onnxw_attr_float(w, "value_float", 3);
  onnxw_op(w, "If", "if", "c", "y");
  onnxw_attr_graph(w, "then_branch", "then");
  onnxw_op(w, "Mul", NULL, "held,k", "t");
  onnxw_output(w, "t", ONNX_FLOAT, 1, DIMS(3), NULL);
  onnxw_attr_graph_end(w);
  onnxw_attr_graph(w, "else_branch", "else");
  onnxw_op(w, "Add", NULL, "held,x", "e");
  onnxw_output(w, "e", ONNX_FLOAT, 1, DIMS(3), NULL);
  onnxw_attr_graph_end(w);
  onnxw_output(w, "y", ONNX_FLOAT, 1, DIMS(3), NULL);
  CONVERT(&f, .simplify = true, .annotate = true);
  CHECK_STR(ops(f.model), "Identity If");
  CHECK(initializer(f.model, "k") != NULL);
  same_results(f.e, &f.in, &f.out, 0);
  CONVERT(&f, .floats = WEFT_CONVERT_F16);
  CHECK_STR(INPUT(&f, "x"), "10[3]");
  same_results(f.e, &f.in, &f.out, 1e-3);
  finish(&f);
}

// ---- cut ----

TEST(cut_by_names) {
  fixture f;
  conv_bn(&f, true, true);
  const char *from[] = {"c"}, *to[] = {"r", "y"};
  CONVERT(&f, .from = from, .n_from = 1, .to = to, .n_to = 2);
  CHECK_STR(ops(f.model), "BatchNormalization Relu");
  CHECK_INT(f.model->graph->inputs.n, 1);
  CHECK_STR(INPUT(&f, "c"), "1[2,2,5,5]");
  CHECK(onnx_str_is(f.model->graph->outputs.v[0].name, "r") &&
        onnx_str_is(f.model->graph->outputs.v[1].name, "y"));
  CHECK(!initializer(f.model, "w") && !initializer(f.model, "b") && initializer(f.model, "mean"));
  weft_tensor out[MOST];
  CHECK_INT(run(f.e, f.out.v, f.out.n, out), 2);
  for (size_t i = 0; i < MOST; i++) weft_tensor_deinit(&out[i]);
  const char *weights[] = {"w"}, *conv[] = {"c"};  // an initializer becomes an input
  CONVERT(&f, .from = weights, .n_from = 1, .to = conv, .n_to = 1);
  CHECK_STR(ops(f.model), "Conv");
  CHECK_STR(INPUT(&f, "w"), "1[2,3,1,1]");
  CHECK_STR(INPUT(&f, "x"), "1[2,3,5,5]");
  CHECK(!initializer(f.model, "w") && initializer(f.model, "b"));
  CHECK_HAS(f.said.text, "input 'x' is still read and stays");
  finish(&f);
}

TEST(cut_refuses_unknown_names) {
  fixture f;
  conv_bn(&f, true, true);
  CHECK_FAILS(convert(&f, (weft_convert_options){.to = (const char *[]){"skale"}, .n_to = 1}),
              WEFT_E_NOT_FOUND);
  CHECK_HAS(f.d.text, "--to: the model has no value 'skale'; the nearest is 'scale'");
  CHECK_FAILS(convert(&f, (weft_convert_options){.from = (const char *[]){"nothing_like_it"}, .n_from = 1}),
              WEFT_E_NOT_FOUND);
  CHECK_HAS(f.d.text, "--from: the model has no value 'nothing_like_it'");
  CHECK_FAILS(convert(&f, (weft_convert_options){.to = (const char *[]){"y", "y"}, .n_to = 2}),
              WEFT_E_DUPLICATE);
  finish(&f);
}

// Operators that weft does not import, outside the part that is asked for.
TEST(cut_around_unknown_operators) {
  fixture f;
  onnxw *w = &f.w;
  begin(&f, 8, 13);
  onnxw_graph(w, "g");
  onnxw_input(w, "x", ONNX_FLOAT, 2, DIMS(2, 3), NULL);
  onnxw_op(w, "Relu", NULL, "x", "r");
  onnxw_op(w, "Strange", NULL, "r", "s");
  onnxw_domain(w, "somebody.else");
  onnxw_op(w, "Neg", NULL, "s", "n");
  onnxw_op(w, "Abs", NULL, "n", "y");
  onnxw_output(w, "y", ONNX_FLOAT, 2, DIMS(2, 3), NULL);
  onnxw_value_info(w, "s", ONNX_FLOAT, 2, DIMS(2, 3), NULL);
  CONVERT(&f, .to = (const char *[]){"r"}, .n_to = 1);
  CHECK_STR(ops(f.model), "Relu");
  CHECK_STR(OUTPUT(&f, "r"), "1[2,3]");  // inferred of the part
  CONVERT(&f, .from = (const char *[]){"s"}, .n_from = 1, .annotate = true);
  CHECK_STR(ops(f.model), "Neg Abs");
  CHECK_STR(INPUT(&f, "s"), "1[2,3]");  // as the model says
  CHECK_STR(INFO(&f, "n"), "1[2,3]");
  CHECK_FAILS(convert(&f, (weft_convert_options){.from = (const char *[]){"n"}, .n_from = 1}),
              WEFT_E_UNSUPPORTED);
  CHECK_HAS(f.d.text, "Strange (somebody.else)");
  CHECK_FAILS(convert(&f, (weft_convert_options){.simplify = true}), WEFT_E_UNSUPPORTED);
  CONVERT(&f, .keep_metadata = true);  // nothing asked: nothing needs to be known
  finish(&f);
}

// ---- shapes ----

static void two_inputs(fixture *f) {
  onnxw *w = &f->w;
  begin(f, 8, 13);
  onnxw_graph(w, "g");
  onnxw_input(w, "ids", ONNX_FLOAT, 2, DIMS(-1, -1), (const char *[]){"batch", "seq"});
  onnxw_input(w, "state", ONNX_FLOAT, 3, DIMS(2, -1, -1), (const char *[]){NULL, "batch", "seq"});
  onnxw_op(w, "Add", NULL, "ids,state", "sum");
  onnxw_op(w, "Relu", NULL, "sum", "y");
  onnxw_value_info(w, "sum", ONNX_FLOAT, 3, DIMS(2, -1, -1), (const char *[]){NULL, "batch", "seq"});
  onnxw_output(w, "y", ONNX_FLOAT, 3, DIMS(2, -1, -1), (const char *[]){NULL, "batch", "seq"});
}

TEST(shapes_and_batch) {
  fixture f;
  two_inputs(&f);
  CONVERT(&f, .shapes = (const char *[]){"ids=3,7"}, .n_shapes = 1);
  CHECK_STR(INPUT(&f, "ids"), "1[3,7]");
  CHECK_STR(INPUT(&f, "state"), "1[2,3,7]");  // the same names
  CHECK_STR(INFO(&f, "sum"), "1[2,3,7]");
  CHECK_STR(OUTPUT(&f, "y"), "1[2,3,7]");
  CONVERT(&f, .shapes = (const char *[]){"ids=n,?", "state=2,n,?"}, .n_shapes = 2);
  CHECK_STR(INPUT(&f, "ids"), "1[n,?]");
  CHECK_STR(INPUT(&f, "state"), "1[2,n,?]");
  CONVERT(&f, .batch = 4);
  CHECK_STR(INPUT(&f, "ids"), "1[4,seq]");
  CHECK_STR(INPUT(&f, "state"), "1[2,4,seq]");
  CHECK_STR(OUTPUT(&f, "y"), "1[2,4,seq]");
  CONVERT(&f, .batch = 4, .shapes = (const char *[]){"state=2,4,9"}, .n_shapes = 1);
  CHECK_STR(INPUT(&f, "ids"), "1[4,9]");
  finish(&f);
}

TEST(shapes_that_cannot_be) {
  static const struct {
    const char *shape;
    weft_status status;
    const char *has;
  } bad[] = {
      {"ids", WEFT_E_SYNTAX, "no name"},
      {"=1,2", WEFT_E_SYNTAX, "no name"},
      {"ids=1,,2", WEFT_E_SYNTAX, "a dim is empty"},
      {"ids=1,2,", WEFT_E_SYNTAX, "a dim is empty"},
      {"ids=1,-2", WEFT_E_SYNTAX, "a dim is no number"},
      {"ids=1,99999999999999999999", WEFT_E_SYNTAX, "a dim is no number"},
      {"ids=1,2,3", WEFT_E_SHAPE, "the input has rank 2, got 3 dims"},
      {"other=1,2", WEFT_E_NOT_FOUND, "no input 'other'; its inputs: ids, state"},
  };
  fixture f;
  two_inputs(&f);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    CHECK_FAILS(convert(&f, (weft_convert_options){.shapes = &bad[i].shape, .n_shapes = 1}), bad[i].status);
    CHECK_HAS(f.d.text, bad[i].has);
  }
  CHECK_FAILS(convert(&f, (weft_convert_options){.shapes = (const char *[]){"ids=3,7", "state=2,4,7"},
                                                 .n_shapes = 2}),
              WEFT_E_SHAPE);
  CHECK_HAS(f.d.text, "dim 'batch' gets two values, 3 and 4");
  CHECK_FAILS(convert(&f, (weft_convert_options){.batch = -1}), WEFT_E_INVALID);
  CHECK_FAILS(convert(&f, (weft_convert_options){.floats = 9}), WEFT_E_INVALID);
  finish(&f);
  shape_chain(&f, 8, 2);  // a batch that the model cannot have
  CHECK_FAILS(
      convert(&f, (weft_convert_options){.shapes = (const char *[]){"x=2,3,5"}, .n_shapes = 1, .floats = 3}),
      WEFT_E_INVALID);
  finish(&f);
}

// ---- floats ----

TEST(f16_and_back) {
  fixture f;
  onnxw *w = &f.w;
  begin(&f, 8, 17);
  onnxw_graph(w, "g");
  onnxw_input(w, "x", ONNX_FLOAT, 1, DIMS(3), NULL);
  onnxw_init_f32(w, "big", 1, DIMS(3), (const float[]){1e6f, -1e6f, 1e-12f});
  onnxw_op(w, "Constant", NULL, NULL, "k");
  onnxw_attr_floats(w, "value_floats", (const float[]){1, 2, 4}, 3);
  onnxw_op(w, "Mul", NULL, "x,k", "m");
  onnxw_op(w, "Shape", NULL, "x", "s");
  onnxw_op(w, "ConstantOfShape", NULL, "s", "zero");
  onnxw_op(w, "Add", NULL, "m,zero", "a");
  onnxw_op(w, "Min", NULL, "a,big", "y");
  onnxw_op(w, "Cast", NULL, "s", "n");
  onnxw_attr_int(w, "to", ONNX_FLOAT);
  onnxw_init_f32(w, "start", 0, NULL, (const float[]){0});
  onnxw_init_f32(w, "step", 0, NULL, (const float[]){1});
  onnxw_init_i64(w, "none", 1, DIMS(0), NULL);
  onnxw_op(w, "Reshape", NULL, "n,none", "scalar");
  onnxw_op(w, "Range", "range", "start,scalar,step", "r");
  onnxw_output(w, "y", ONNX_FLOAT, 1, DIMS(3), NULL);
  onnxw_output(w, "r", ONNX_FLOAT, 1, DIMS(3), NULL);
  CONVERT(&f, .floats = WEFT_CONVERT_F16, .annotate = true);
  CHECK_STR(ops(f.model), "Constant Mul Shape ConstantOfShape Add Min Cast Reshape Cast Range Cast");
  CHECK_STR(INPUT(&f, "x"), "10[3]");
  CHECK_STR(OUTPUT(&f, "r"), "10[3]");
  CHECK_STR(INFO(&f, "zero"), "10[3]");
  CHECK_INT(initializer(f.model, "start")->data_type, ONNX_FLOAT);  // only Range reads it
  const onnx_tensor *big = initializer(f.model, "big");
  CHECK(big->data_type == ONNX_FLOAT16 && big->raw.bytes == 6);
  CHECK(!memcmp(big->raw.text, "\xff\x7b\xff\xfb\0\0", 6));  // 65504, -65504, 0
  CHECK_HAS(f.said.text, "2 numbers beyond f16 became 65504 or -65504");
  CHECK_HAS(f.said.text, "1 numbers too small for f16 became 0");
  CHECK_HAS(f.said.text, "node 'range' (Range) has no f16 form in opset 17: Casts put around it");
  weft_text half = f.out;
  weft_allocator a = weft_allocator_default();
  weft__text_init(&f.out, &a);
  weft_convert_options o = {.floats = WEFT_CONVERT_F32};
  CHECK(!weft_onnx_convert(f.e, half.v, half.n, "back", &o, weft__text_write, &f.out, &f.d));
  CHECK(!weft__onnx_read_model(f.out.v, f.out.n, &f.arena, &f.model, &f.d));
  CHECK_STR(INPUT(&f, "x"), "1[3]");
  CHECK_INT(initializer(f.model, "big")->data_type, ONNX_FLOAT);
  weft__text_deinit(&half);
  finish(&f);
}

// ---- external data ----

TEST(external_tensors_keep_their_reference) {
  fixture f;
  onnxw *w = &f.w;
  begin(&f, 8, 13);
  onnxw_graph(w, "g");
  onnxw_input(w, "x", ONNX_FLOAT, 2, DIMS(2, 3), NULL);
  onnxw_init_external(w, "w", ONNX_FLOAT, 2, DIMS(3, 4), "weights.bin", 64, 48);
  onnxw_op(w, "Identity", NULL, "x", "i");
  onnxw_op(w, "MatMul", NULL, "i,w", "y");
  onnxw_output(w, "y", ONNX_FLOAT, 2, DIMS(-1, -1), NULL);
  CONVERT(&f, .simplify = true, .annotate = true);
  CHECK_STR(ops(f.model), "MatMul");
  CHECK_STR(OUTPUT(&f, "y"), "1[2,4]");
  const onnx_tensor *t = initializer(f.model, "w");
  CHECK(t && t->external_data.n == 3 && t->data_location == ONNX_LOCATION_EXTERNAL);
  CHECK_INT(f.model->graph->inputs.n, 1);
  CHECK_HAS(f.said.text, "the data of 1 initializers stay in external files");
  CHECK_FAILS(convert(&f, (weft_convert_options){.floats = WEFT_CONVERT_F16}), WEFT_E_UNSUPPORTED);
  CHECK_HAS(f.d.text, "tensor 'w': its data are in an external file");
  finish(&f);
}

// ---- hostile input ----

static weft_status refuse(void *ctx, const char *text, size_t bytes) {
  (void)ctx, (void)text, (void)bytes;
  return WEFT_E_IO;
}

TEST(damaged_files_never_crash) {
  fixture f;
  shape_chain(&f, 8, 2);
  const char *from[] = {"s"}, *to[] = {"m"}, *shapes[] = {"x=4,3,4"};
  weft_convert_options all = {
      .simplify = true, .annotate = true, .floats = WEFT_CONVERT_F16, .shapes = shapes, .n_shapes = 1};
  weft_convert_options cut = {.from = from, .n_from = 1, .to = to, .n_to = 1};
  char *copy = malloc(f.in.n);
  CHECK(copy != NULL);
  for (size_t at = 0; copy && at < f.in.n; at++) {  // each byte changed, and cut off there
    memcpy(copy, f.in.v, f.in.n);
    copy[at] = (char)(copy[at] ^ (at % 3 ? 0x41 : 0x08));
    for (int k = 0; k < 2; k++) {
      f.out.n = 0;
      weft_diag_clear(&f.d);
      weft_status s = weft_onnx_convert(f.e, copy, k ? f.in.n : at, "damaged", at % 2 ? &cut : &all,
                                        weft__text_write, &f.out, &f.d);
      CHECK(!s || (f.d.length && !f.out.n));
    }
  }
  free(copy);
  weft_diag_clear(&f.d);
  CHECK_FAILS(weft_onnx_convert(f.e, f.in.v, f.in.n, "x", &all, refuse, NULL, &f.d), WEFT_E_IO);
  CHECK_FAILS(weft_onnx_convert(f.e, NULL, 0, "empty", NULL, refuse, NULL, NULL), WEFT_E_TRUNCATED);
  finish(&f);
}

TEST(every_allocation_fails_once) {
  fixture f;
  shape_chain(&f, 3, 2);
  check_alloc count = {0};
  weft_diag d = {0};
  weft_env *e = NULL;
  weft_env_options eo = {.size = sizeof eo, .package_path = "", .allocator = check_allocator(&count)};
  CHECK_OK(weft_env_create(&eo, &e, &d), &d);
  const char *to[] = {"m", "f"}, *shapes[] = {"x=4,3,4"};
  weft_convert_options o = {.simplify = true,
                            .annotate = true,
                            .floats = WEFT_CONVERT_F16,
                            .shapes = shapes,
                            .n_shapes = 1,
                            .to = to,
                            .n_to = 2};
  long blocks = 0;
  for (long k = 1, step = 1;; k += step) {
    f.out.n = 0;
    weft_diag_clear(&d);
    count.fail_at = count.calls + k;
    weft_status s = weft_onnx_convert(e, f.in.v, f.in.n, "scarce", &o, weft__text_write, &f.out, &d);
    bool failed = count.calls >= count.fail_at;
    count.fail_at = 0;
    if (!failed) {
      if (s) check_failed(__FILE__, __LINE__, "%s", d.text);
      break;
    }
    CHECK_INT(s, WEFT_E_NOMEM);
    CHECK_INT(f.out.n, 0);
    if (k == 1) blocks = count.live_blocks;
    if (k > 60) step = 7;
  }
  CHECK(blocks > 0);
  weft_env_destroy(e);
  CHECK_INT(count.live_blocks, 0);
  finish(&f);
}
