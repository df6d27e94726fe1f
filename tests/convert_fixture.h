// convert_test.c - ONNX to ONNX: the converted model computes the same, what no option concerns stays byte
// for byte, and hostile or unfit input is refused without a byte written.
#include "weft/convert.h"

#include "check.h"
#include "frontend/onnx/writer.h"
#include "models.h"
#include "weft/weft.h"

#define DIMS(...) ((const int64_t[]){__VA_ARGS__})

static inline weft_env *env_plain(void) {
  weft_env *e = NULL;
  weft_diag d = {0};
  weft_env_options o = {.size = sizeof o, .package_path = ""};
  if (weft_env_create(&o, &e, &d))
    check_failed(__FILE__, __LINE__, "%s", d.text);
  return e;
}

typedef struct lines {
  char text[4096];
  size_t n;
} lines;
static inline void keep_line(void *ctx, const char *line) {
  lines *l = ctx;
  weft__append(l->text, sizeof l->text, &l->n, "%s\n", line);
}

typedef struct fixture {  // a model made by hand, and what became of it
  weft_env *e;
  weft_text in;
  weft_text out;
  onnxw w;
  weft_diag d;
  lines said;
  weft_arena arena;
  const onnx_model *model;  // of out
} fixture;

static inline void begin(fixture *f, int64_t ir_version, int64_t opset) {
  weft_allocator a = weft_allocator_default();
  memset(f, 0, sizeof *f);
  f->e = env_plain();
  weft__text_init(&f->in, &a);
  weft__text_init(&f->out, &a);
  weft__arena_init(&f->arena, &a);
  onnxw_begin(&f->w, &f->in, ir_version, opset);
}

static inline void finish(fixture *f) {
  weft__arena_deinit(&f->arena);
  weft__text_deinit(&f->in);
  weft__text_deinit(&f->out);
  weft_env_destroy(f->e);
}

static inline weft_status convert(fixture *f, weft_convert_options o) {
  o.size = sizeof o;
  o.report = keep_line;
  o.report_ctx = &f->said;
  f->out.n = 0;
  f->said.n = 0;
  f->said.text[0] = 0;
  weft_diag_clear(&f->d);
  if (f->w.depth)
    CHECK(!onnxw_finish(&f->w, &f->d));
  weft_status s = weft_onnx_convert(f->e, f->in.v, f->in.n, "test", &o, weft__text_write, &f->out, &f->d);
  f->model = NULL;
  if (s)
    CHECK_INT(f->out.n, 0);  // nothing is written before everything went well
  if (!s)
    s = weft__onnx_read_model(f->out.v, f->out.n, &f->arena, &f->model, &f->d);
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

static inline const char *ops(const onnx_model *m) {  // "Conv Relu"
  static char text[1024];
  size_t n = 0;
  text[0] = 0;
  for (size_t i = 0; i < m->graph->nodes.n; i++) {
    onnx_str s = m->graph->nodes.v[i].op_type;
    weft__append(text, sizeof text, &n, "%s%.*s", i ? " " : "", (int)s.bytes, s.text);
  }
  return text;
}

static inline const onnx_value_info *info(const onnx_value_info *v, size_t n, const char *name) {
  for (size_t i = 0; i < n; i++) {
    if (onnx_str_is(v[i].name, name))
      return &v[i];
  }
  return NULL;
}

static inline const char *type_text(const onnx_value_info *v) {  // "1[2,n,?]"
  static char text[256];
  size_t n = 0;
  const onnx_tensor_type *t = v ? onnx_value_tensor(v) : NULL;
  if (!t)
    return "none";
  weft__append(text, sizeof text, &n, "%d[", t->elem_type);
  for (size_t i = 0; t->shape && i < t->shape->dims.n; i++) {
    const onnx_dim *dim = &t->shape->dims.v[i];
    if (i)
      weft__append(text, sizeof text, &n, ",");
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

static inline const onnx_tensor *initializer(const onnx_model *m, const char *name) {
  for (size_t i = 0; i < m->graph->initializers.n; i++) {
    if (onnx_str_is(m->graph->initializers.v[i].name, name))
      return &m->graph->initializers.v[i];
  }
  return NULL;
}

// Runs a model on inputs that count up; the outputs are the caller's. Returns how many, 0: failed.
enum { MOST = 8 };
static inline size_t run(weft_env *e, const char *file, size_t bytes, weft_tensor out[MOST]) {
  weft_diag d = {0};
  weft_graph *g = NULL;
  weft_tensor in[MOST];
  const weft_tensor *given[MOST];
  weft_status s = weft_onnx_read(e, file, bytes, "run", &g, &d);
  if (!s)
    s = weft_graph_infer(g, NULL, NULL, &d);
  size_t n_in = s ? 0 : weft_graph_n_inputs(g);
  size_t n_out = s ? 0 : weft_graph_n_outputs(g);
  for (size_t i = 0; i < MOST; i++) {
    weft_tensor_init(&in[i], NULL);
    weft_tensor_init(&out[i], NULL);
  }
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
  if (!s && (n_in > MOST || n_out > MOST))
    s = weft_fail(&d, WEFT_E_LIMIT, "too many inputs or outputs");
  if (!s)
    s = weft_interp_run(g, NULL, given, n_in, out, n_out, &d);
  if (s)
    check_failed(__FILE__, __LINE__, "%s", d.text);
  for (size_t i = 0; i < MOST; i++)
    weft_tensor_deinit(&in[i]);
  weft_graph_destroy(g);
  return s ? 0 : n_out;
}

// Both compute the same on the same inputs, dtypes aside when tolerance is not 0.
static inline void same_results(weft_env *e, const weft_text *a, const weft_text *b, double tolerance) {
  weft_tensor x[MOST];
  weft_tensor y[MOST];
  size_t n = run(e, a->v, a->n, x);
  size_t m = run(e, b->v, b->n, y);
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
  for (size_t i = 0; i < MOST; i++) {
    weft_tensor_deinit(&x[i]);
    weft_tensor_deinit(&y[i]);
  }
}

// Flattens by arithmetic on the shape, as exporters write it. batch -1: dim "n".
static inline void shape_chain(fixture *f, int64_t ir_version, int64_t batch) {
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

static inline void conv_bn(fixture *f, bool bias, bool read_twice) {
  onnxw *w = &f->w;
  float weights[2 * 3];
  float k = 0.25f;
  for (int i = 0; i < 6; i++)
    weights[i] = (float)(i - 2) * k;
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
  if (read_twice)
    onnxw_op(w, "Relu", "relu", "c", "r");
  onnxw_output(w, "y", ONNX_FLOAT, 4, DIMS(2, 2, 5, 5), NULL);
  onnxw_output(w, "z", ONNX_FLOAT, 4, DIMS(2, 2, 5, 5), NULL);
  if (read_twice)
    onnxw_output(w, "r", ONNX_FLOAT, 4, DIMS(2, 2, 5, 5), NULL);
}
// SPDX-License-Identifier: Apache-2.0
