// onnx_operators_test.c - operators of the ONNX importer that ONNX's own tests do not reach: forms of early
// operator-set versions, dims that are not known at import, errors; and the rules of the table. A case is one
// node.
#include "frontend/onnx/import.h"
#include "frontend/onnx/writer.h"
#include "check.h"
#include "weft/interp.h"
#include "weft/onnx.h"

static void check_row(weft_env *e, const onnx_mapping *m) {
  onnx_str domain = {m->domain, m->domain ? strlen(m->domain) : 0};
  CHECK(m->first >= 1 && (!m->last || m->last >= m->first));
  for (int version = 1; version <= 28; version++) {
    const onnx_mapping *found = weft__onnx_find(domain, (onnx_str){m->name, strlen(m->name)}, version);
    bool holds = version >= m->first && (!m->last || version <= m->last);
    CHECK(!holds || found == m);
  }
  char name[64];
  size_t n = strcspn(m->primitive, ",");
  snprintf(name, sizeof name, "%.*s", (int)n, m->primitive);
  if (name[0] != '(' && !weft_find(e, name))
    check_failed(__FILE__, __LINE__, "%s: no operator %s", m->name, name);
}

TEST(tables_are_ordered_and_name_primitives) {
  weft_env *e;
  weft_diag d = {0};
  weft_env_options o = {.size = sizeof o, .package_path = ""};
  CHECK_OK(weft_env_create(&o, &e, &d), &d);
  for (size_t t = 0; t < weft__onnx_table_count; t++) {
    const onnx_mappings *table = weft__onnx_tables[t];
    for (size_t i = 0; i < table->n; i++) {
      const onnx_mapping *m = &table->rows[i];
      const onnx_mapping *before = i ? m - 1 : NULL;
      int order = before ? strcmp(before->name, m->name) : -1;
      CHECK(order <= 0);
      check_row(e, m);
    }
  }
  static const char *const absent[] = {"", "A", "Ab", "Abs2", "Zz", "\xff"};
  for (size_t i = 0; i < WEFT_COUNT(absent); i++)
    CHECK(!weft__onnx_find((onnx_str){NULL, 0}, (onnx_str){absent[i], strlen(absent[i])}, 17));
  weft_env_destroy(e);
}

// ---- one node ----
typedef struct node_case {
  int version;
  const char *op, *attrs;  // "axis=1 scale=0.5 mode=edge pads=[0,1]"
  const char *in[6];       // tensors; "=" before one: an initializer; "?" an input of unknown rank; "" absent
  const char *out[3];      // expected; "!! text": the message
} node_case;

static int type_number(weft_dtype t) {
  for (int i = 1; i < 29; i++) {
    weft_dtype known;
    if (weft__onnx_dtype(i, &known) && known == t)
      return i;
  }
  return 0;
}

static void write_attrs(onnxw *w, const char *text) {
  while (*text) {
    char name[64];
    char value[128];
    size_t n = strcspn(text, "=");
    size_t m = strcspn(text + n + 1, " ");
    size_t count = 0;
    snprintf(name, sizeof name, "%.*s", (int)n, text);
    snprintf(value, sizeof value, "%.*s", (int)m, text + n + 1);
    int64_t list[16];
    if (value[0] == '[') {
      for (char *at = value + 1; *at && *at != ']'; at += *at == ',')
        list[count++] = strtoll(at, &at, 10);
      onnxw_attr_ints(w, name, list, count);
    } else if (strspn(value, "-0123456789") == strlen(value)) {
      onnxw_attr_int(w, name, strtoll(value, NULL, 10));
    } else if (strspn(value, "-0123456789.e") == strlen(value)) {
      onnxw_attr_float(w, name, strtof(value, NULL));
    } else {
      onnxw_attr_str(w, name, value);
    }
    text += n + 1 + m;
    text += strspn(text, " ");
  }
}

static weft_status write_model(const node_case *c, weft_text *text, weft_tensor *in, size_t *out_n,
                               weft_diag *d) {
  static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
  static const char *const outs[] = {"y0", "y1", "y2"};
  const char *inputs[6];
  size_t n = 0;
  size_t n_out = 0;
  onnxw w;
  onnxw_begin(&w, text, 8, c->version);
  onnxw_graph(&w, "g");
  *out_n = 0;
  for (; n < 6 && c->in[n]; n++) {
    const char *s = c->in[n];
    bool constant = *s == '=';
    bool unranked = *s == '?';
    bool open = *s == '*';  // of known rank, with dims of any size
    inputs[n] = *s ? names[n] : "";
    if (!*s)
      continue;
    weft_tensor *t = &in[*out_n];
    s += constant || unranked || open;
    WEFT_TRY(weft_tensor_parse(s, strlen(s), NULL, t, NULL, d));
    const weft_shape *shape = &t->layout.origin;
    static const int64_t any[WEFT_MAX_RANK] = {-1, -1, -1, -1, -1, -1, -1, -1};
    if (!constant) {
      onnxw_input(&w, names[n], type_number(t->dtype), unranked ? -1 : (int)shape->rank,
                  open ? any : shape->dim, NULL);
      ++*out_n;
    } else
      onnxw_init_raw(&w, names[n], type_number(t->dtype), (int)shape->rank, shape->dim, t->data, t->bytes);
    if (constant) {
      weft_tensor_deinit(t);
      weft_tensor_init(t, NULL);
    }
  }
  while (n_out < 3 && c->out[n_out] && c->out[n_out][0] != '!')
    n_out++;
  onnxw_node(&w, c->op, "node", inputs, n, outs, n_out ? n_out : 1);
  write_attrs(&w, c->attrs);
  for (size_t i = 0; i < WEFT_MAX(n_out, 1); i++)
    onnxw_output(&w, outs[i], 0, -1, NULL, NULL);
  return onnxw_finish(&w, d);
}

static weft_status run_case(weft_env *e, const node_case *c, weft_diag *d) {
  weft_text text;
  weft_tensor in[6];
  weft_tensor out[3];
  weft_tensor want;
  const weft_tensor *inputs[6];
  weft_graph *g = NULL;
  size_t n = 0;
  size_t n_out = 0;
  weft__text_init(&text, weft_env_allocator(e));
  for (int i = 0; i < 6; i++) {
    weft_tensor_init(&in[i], NULL);
    inputs[i] = &in[i];
  }
  for (int i = 0; i < 3; i++)
    weft_tensor_init(&out[i], NULL);
  weft_status s = write_model(c, &text, in, &n, d);
  if (!s)
    s = weft_onnx_read(e, text.v, text.n, c->op, &g, d);
  if (!s)
    s = weft_graph_verify(g, NULL, NULL, d);
  if (!s)
    s = weft_graph_infer(g, NULL, NULL, d);
  if (!s)
    n_out = weft_graph_n_outputs(g);
  if (!s)
    s = weft_interp_run(g, NULL, inputs, n, out, n_out, d);
  for (size_t i = 0; !s && i < n_out && c->out[i] && c->out[i][0] != '!'; i++) {
    weft_tensor_init(&want, NULL);
    s = weft_tensor_parse(c->out[i], strlen(c->out[i]), NULL, &want, NULL, d);
    if (!s)
      s = weft_tensor_compare(&out[i], &want, 1e-5, 1e-6, d);
    weft_tensor_deinit(&want);
  }
  for (int i = 0; i < 6; i++)
    weft_tensor_deinit(&in[i]);
  for (int i = 0; i < 3; i++)
    weft_tensor_deinit(&out[i]);
  weft_graph_destroy(g);
  weft__text_deinit(&text);
  return s;
}

static void run_cases(const node_case *c, size_t n) {
  weft_env *e;
  weft_diag d = {0};
  weft_env_options o = {.size = sizeof o, .package_path = ""};
  CHECK_OK(weft_env_create(&o, &e, &d), &d);
  for (size_t i = 0; i < n; i++) {
    weft_diag own = {0};
    bool fails = c[i].out[0][0] == '!';
    weft_status s = run_case(e, &c[i], &own);
    if (fails && !s)
      check_failed(__FILE__, __LINE__, "%s-%d %s: expected an error", c[i].op, c[i].version, c[i].attrs);
    else if (fails ? !strstr(own.text, c[i].out[0] + 3) : s != WEFT_OK)
      check_failed(__FILE__, __LINE__, "%s-%d %s: %s", c[i].op, c[i].version, c[i].attrs, own.text);
  }
  weft_env_destroy(e);
}

TEST(attributes_that_became_inputs) {
  static const node_case cases[] = {
      {6,
       "Add",
       "broadcast=1 axis=1",
       {"f32[2,3,1]{1,2,3,4,5,6}", "f32[3]{10,20,30}"},
       {"f32[2,3,1]{11,22,33,14,25,36}"}},
      {6, "Sub", "broadcast=1", {"f32[2,2]{1,2,3,4}", "f32[2]{1,10}"}, {"f32[2,2]{0,-8,2,-6}"}},
      {1, "Mul", "broadcast=1 axis=0", {"f32[2,2]{1,2,3,4}", "f32[2]{1,10}"}, {"f32[2,2]{1,2,30,40}"}},
      {6,
       "Greater",
       "broadcast=1 axis=-2",
       {"f32[2,2]{1,2,3,4}", "f32[2]{1,3}"},
       {"bool[2,2]{false,true,false,true}"}},
      {6,
       "Add",
       "broadcast=1 axis=2",
       {"f32[2,3]{1,2,3,4,5,6}", "f32[3]{1,2,3}"},
       {"!! attribute 'axis': 2"}},
      {1, "Reshape", "shape=[0,-1]", {"f32[2,1,2]{1,2,3,4}"}, {"f32[2,2]{1,2,3,4}"}},
      {1, "Pad", "paddings=[0,1,0,0] value=9.0", {"f32[1,2]{1,2}"}, {"f32[1,3]{9,1,2}"}},
      {2, "Pad", "pads=[0,1,0,1] mode=edge", {"f32[1,2]{1,2}"}, {"f32[1,4]{1,1,2,2}"}},
      {11, "Pad", "", {"f32[2]{1,2}", "i64[2]{1,0}", "f32[]{5}"}, {"f32[3]{5,1,2}"}},
      {18, "Pad", "", {"f32[1,2]{1,2}", "i64[2]{1,2}", "", "=i64[1]{-1}"}, {"f32[1,5]{0,1,2,0,0}"}},
      {18,
       "Pad",
       "",
       {"f32[1,2]{1,2}", "i64[2]{1,2}", "", "=i64[1]{2}"},
       {"!! input 'axes': 2 is outside [-2, 1]"}},
      {1, "Slice", "starts=[1] ends=[-1]", {"f32[4]{1,2,3,4}"}, {"f32[2]{2,3}"}},
      {9,
       "Slice",
       "starts=[0,1] ends=[1,9223372036854775807] axes=[1,0]",
       {"f32[2,2]{1,2,3,4}"},
       {"f32[1,1]{3}"}},
      {10, "Slice", "", {"f32[4]{1,2,3,4}", "i64[1]{-1}", "i64[1]{-9}", "", "i64[1]{-2}"}, {"f32[2]{4,2}"}},
      {2, "Split", "split=[1,2] axis=-1", {"f32[1,3]{1,2,3}"}, {"f32[1,1]{1}", "f32[1,2]{2,3}"}},
      {13, "Split", "", {"f32[4]{1,2,3,4}"}, {"f32[2]{1,2}", "f32[2]{3,4}"}},
      {18, "Split", "num_outputs=2", {"f32[3]{1,2,3}"}, {"f32[2]{1,2}", "f32[1]{3}"}},
      {18, "Split", "num_outputs=2 axis=-1", {"*f32[1,3]{1,2,3}"}, {"f32[1,2]{1,2}", "f32[1,1]{3}"}},
      {18, "Split", "num_outputs=2", {"?f32[3]{1,2,3}"}, {"f32[2]{1,2}", "f32[1]{3}"}},
      {18, "Split", "num_outputs=3", {"*f32[6]{1,2,3,4,5,6}"}, {"f32[2]{1,2}", "f32[2]{3,4}", "f32[2]{5,6}"}},
      {1, "Split", "axis=0", {"f32[3]{1,2,3}", "=f32[2]{1,2}"}, {"f32[1]{1}", "f32[2]{2,3}"}},
      {1, "Tile", "", {"f32[1,2]{1,2}", "=f32[]{2}", "=f32[]{1}"}, {"f32[1,4]{1,2,1,2}"}},
      {1, "Tile", "", {"f32[1,2]{1,2}", "f32[1]{2}", "f32[1]{0}"}, {"f32[2,2]{1,2,1,2}"}},
      {1, "Tile", "", {"f32[1,2]{1,2}", "=f32[]{2}", "=f32[]{2}"}, {"!! input 'axis': 2 is outside [0, 1]"}},
      {1, "TopK", "k=2 axis=0", {"f32[3]{1,3,2}"}, {"f32[2]{3,2}", "i64[2]{1,2}"}},
      {1, "Cast", "to=INT32", {"f32[2]{1.5,-2}"}, {"i32[2]{1,-2}"}},
      {1, "Cast", "to=INT33", {"f32[2]{1.5,-2}"}, {"!! is not the name of an element type"}},
      {6, "Clip", "min=0.0", {"f32[3]{-1,0.5,9}"}, {"f32[3]{0,0.5,9}"}},
      {6, "Clip", "", {"f32[3]{-1,0.5,9}"}, {"f32[3]{-1,0.5,9}"}},
      {11, "Clip", "", {"f32[3]{-1,0.5,9}", "", "f32[]{1}"}, {"f32[3]{-1,0.5,1}"}},
      {11, "ReduceMax", "axes=[0] keepdims=0", {"f32[2,2]{1,5,3,4}"}, {"f32[2]{3,5}"}},
      {12, "ReduceSum", "", {"f32[2,2]{1,5,3,4}"}, {"f32[1,1]{13}"}},
      {13, "ReduceSum", "noop_with_empty_axes=1", {"f32[2]{1,5}"}, {"f32[2]{1,5}"}},
      {18, "ReduceL1", "keepdims=0", {"?f32[2]{1,-5}", "i64[1]{-1}"}, {"f32[]{6}"}},
      {1, "Unsqueeze", "axes=[0]", {"f32[1]{1}"}, {"f32[1,1]{1}"}},
      {13, "Squeeze", "", {"f32[1,2]{1,2}"}, {"f32[2]{1,2}"}},
  };
  run_cases(cases, WEFT_COUNT(cases));
}

TEST(early_forms_of_operators) {
  static const node_case cases[] = {
      {6,
       "BatchNormalization",
       "is_test=1 epsilon=0.0",
       {"f32[1,1,2]{1,3}", "f32[1]{2}", "f32[1]{1}", "f32[1]{1}", "f32[1]{4}"},
       {"f32[1,1,2]{1,3}"}},
      {6,
       "BatchNormalization",
       "momentum=0.5 epsilon=0.0",
       {"f32[1,1,2]{1,3}", "f32[1]{2}", "f32[1]{1}", "f32[1]{4}", "f32[1]{3}"},
       {"f32[1,1,2]{-1,3}", "f32[1]{3}", "f32[1]{2}"}},
      {7,
       "BatchNormalization",
       "spatial=0 epsilon=0.0",
       {"f32[2,1,2]{1,3,5,7}", "f32[1,2]{2,3}", "f32[1,2]{1,0}", "f32[1,2]{1,3}", "f32[1,2]{4,1}"},
       {"f32[2,1,2]{1,0,5,12}"}},
      {1,
       "BatchNormalization",
       "spatial=0",
       {"f32[1,1,2]{1,3}", "f32[1,2]{2,3}", "f32[1,2]{1,0}", "f32[1,2]{1,3}", "f32[1,2]{4,1}"},
       {"!! training with attribute 'spatial' 0"}},
      {15,
       "BatchNormalization",
       "epsilon=0.0",
       {"f16[1,1,2]{1,3}", "f16[1]{2}", "f16[1]{1}", "f32[1]{1}", "f32[1]{4}"},
       {"f16[1,1,2]{1,3}"}},
      {9, "Erf", "", {"i32[3]{0,9,-9}"}, {"i32[3]{0,1,-1}"}},
      {1, "ReduceLogSum", "keepdims=0", {"i32[2]{10,11}"}, {"i32[]{3}"}},
      {18, "ReduceLogSumExp", "keepdims=0", {"u64[2]{10,10}"}, {"u64[]{10}"}},
      {13, "Pow", "", {"i64[2]{2,3}", "u64[]{3}"}, {"i64[2]{8,27}"}},
      {15, "Pow", "", {"f32[2]{2,3}", "u64[]{3}"}, {"f32[2]{8,27}"}},
      {19, "QuantizeLinear", "", {"i32[3]{10,14,-3}", "i32[]{4}", "u8[]{1}"}, {"u8[3]{3,5,0}"}},
      {23, "RMSNormalization", "epsilon=0.0", {"f32[1,2]{3,3}", "f16[2]{1,2}"}, {"f16[1,2]{1,2}"}},
      {6, "Dropout", "is_test=1", {"f32[2]{1,3}"}, {"f32[2]{1,3}"}},
      {1, "Selu", "", {"f32[1]{1}"}, {"f32[1]{1.0507}"}},
      {1, "HardSigmoid", "", {"f32[1]{1}"}, {"f32[1]{0.7}"}},
      {6, "PRelu", "", {"f32[1,2,2]{-1,-2,-3,4}", "f32[2]{2,10}"}, {"f32[1,2,2]{-2,-4,-30,4}"}},
      {9, "PRelu", "", {"i32[2]{-1,2}", "i32[1]{3}"}, {"i32[2]{-3,2}"}},
      {7, "Pow", "", {"f32[2]{2,3}", "f32[]{2}"}, {"f32[2]{4,9}"}},
      {12, "Pow", "", {"i32[2]{4,9}", "f32[]{0.5}"}, {"i32[2]{2,3}"}},
      {11, "Softmax", "", {"f32[1,2,1]{0,0}"}, {"f32[1,2,1]{0.5,0.5}"}},
      {12, "Hardmax", "", {"f32[1,2,2]{1,2,9,9}"}, {"f32[1,2,2]{0,0,1,0}"}},
      {13, "Hardmax", "", {"f32[1,2,2]{1,2,9,9}"}, {"f32[1,2,2]{0,1,1,0}"}},
      {1, "LpPool", "kernel_shape=[2] p=1.0", {"f32[1,1,3]{1,-2,3}"}, {"f32[1,1,2]{3,5}"}},
      {2, "GlobalLpPool", "", {"f32[1,1,2]{3,-4}"}, {"f32[1,1,1]{5}"}},
      {1, "Concat", "", {"f32[1,1]{1}", "f32[1,1]{2}"}, {"f32[1,2]{1,2}"}},
      {6, "Gemm", "broadcast=1 alpha=2.0", {"f32[1,2]{1,2}", "f32[2,1]{3,4}", "f32[1]{5}"}, {"f32[1,1]{27}"}},
      {1, "Max", "", {"f32[2]{1,5}", "f32[2]{4,2}", "f32[2]{3,3}"}, {"f32[2]{4,5}"}},
      {8, "Mean", "", {"f32[2]{1,5}", "f32[]{3}"}, {"f32[2]{2,4}"}},
      {8, "Sum", "", {"f32[2]{1,5}"}, {"f32[2]{1,5}"}},
      {18,
       "GroupNormalization",
       "num_groups=1 epsilon=0.0",
       {"f32[1,2,1]{1,3}", "f32[1]{2}", "f32[1]{1}"},
       {"f32[1,2,1]{-1,3}"}},
      {14,
       "BatchNormalization",
       "training_mode=1 momentum=0.5 epsilon=0.0",
       {"f32[2,1]{1,3}", "f32[1]{1}", "f32[1]{0}", "f32[1]{4}", "f32[1]{3}"},
       {"f32[2,1]{-1,1}", "f32[1]{3}", "f32[1]{2}"}},
  };
  run_cases(cases, WEFT_COUNT(cases));
}

TEST(experimental_operators) {
  static const node_case cases[] = {
      {1, "Affine", "alpha=2.0 beta=1.0", {"f32[2]{1,-3}"}, {"f32[2]{3,-5}"}},
      {6, "Scale", "scale=3.0", {"f32[2]{1,-3}"}, {"f32[2]{3,-9}"}},
      {1, "ParametricSoftplus", "alpha=2.0 beta=0.0", {"f32[1]{5}"}, {"f32[1]{1.3862944}"}},
      {1, "ScaledTanh", "alpha=2.0 beta=0.5", {"f32[1]{2}"}, {"f32[1]{1.5231884}"}},
      {1, "ThresholdedRelu", "alpha=2.0", {"f32[2]{2,3}"}, {"f32[2]{0,3}"}},
      {1, "ImageScaler", "scale=2.0", {"f32[1,1,1,2]{1,2}"}, {"f32[1,1,1,2]{2,4}"}},
      {1, "Crop", "border=[1,0,0,1]", {"f32[1,1,2,2]{1,2,3,4}"}, {"f32[1,1,1,1]{2}"}},
      {1, "Crop", "border=[0,1,0,0] scale=[1,1]", {"f32[1,1,2,2]{1,2,3,4}"}, {"f32[1,1,1,1]{3}"}},
      {1, "Crop", "border=[1,0,2,0]", {"f32[1,1,2,2]{1,2,3,4}"}, {"!! reach past axis 3 of 2 elements"}},
      {1, "Crop", "border=[1,0]", {"f32[1,1,2,2]{1,2,3,4}"}, {"!! expected 4 and 2 or none"}},
      {1, "MeanVarianceNormalization", "", {"f32[1,2,1,2]{1,3,5,5.5}"}, {"f32[1,2,1,2]{-1,1,-1,1}"}},
      {1,
       "MeanVarianceNormalization",
       "across_channels=1 normalize_variance=0",
       {"f32[1,2,1,1]{1,3}"},
       {"f32[1,2,1,1]{-1,1}"}},
      {11, "Affine", "", {"f32[1]{1}"}, {"!! does not import"}},
  };
  run_cases(cases, WEFT_COUNT(cases));
}

TEST(more_than_one_primitive) {
  static const node_case cases[] = {
      {17,
       "LayerNormalization",
       "epsilon=0.0",
       {"f32[1,2]{1,3}", "f32[]{2}"},
       {"f32[1,2]{-2,2}", "f32[1,1]{2}", "f32[1,1]{1}"}},
      {17,
       "LayerNormalization",
       "epsilon=0.0",
       {"*f32[1,2]{1,3}", "=f32[1]{2}", "f32[1]{1}"},
       {"f32[1,2]{-1,3}"}},
      {17, "LayerNormalization", "epsilon=0.0", {"*f32[1,2]{1,3}", "*f32[1]{2}"}, {"f32[1,2]{-2,2}"}},
      {17,
       "LayerNormalization",
       "axis=2",
       {"f32[1,2]{1,3}", "f32[2]{2,2}"},
       {"!! attribute 'axis': 2 is outside [-2, 1]"}},
      {9, "Compress", "", {"f32[2,2]{1,2,3,4}", "bool[3]{true,false,true}"}, {"f32[2]{1,3}"}},
      {11, "Unique", "", {"f32[3]{2,1,2}"}, {"f32[2]{1,2}", "i64[2]{1,0}", "i64[3]{1,0,1}"}},
      {9, "EyeLike", "k=1 dtype=6", {"f32[2,3]{0,0,0,0,0,0}"}, {"i32[2,3]{0,1,0,0,0,1}"}},
      {9,
       "MaxUnpool",
       "kernel_shape=[2] strides=[2]",
       {"f32[1,1,2]{5,6}", "i64[1,1,2]{1,2}"},
       {"f32[1,1,4]{0,5,6,0}"}},
      {12,
       "MaxPool",
       "kernel_shape=[1,2] storage_order=1",
       {"f32[1,1,2,2]{1,2,4,3}"},
       {"f32[1,1,2,1]{2,4}", "i64[1,1,2,1]{2,1}"}},
      {10, "QuantizeLinear", "", {"f32[2]{1,300}", "f32[]{2}", "u8[]{1}"}, {"u8[2]{1,151}"}},
      {10, "MatMulInteger", "", {"u8[1,2]{3,4}", "u8[2,1]{5,6}", "u8[1]{3}", "u8[1]{4}"}, {"i32[1,1]{2}"}},
      {10,
       "ConvInteger",
       "",
       {"u8[1,1,2]{3,4}", "u8[2,1,1]{5,6}", "u8[]{3}", "u8[2]{4,6}"},
       {"i32[1,2,2]{0,1,0,0}"}},
      {12,
       "Einsum",
       "equation=...,...->...",
       {"f32[2,2]{1,2,3,4}", "f32[2]{1,2}"},
       {"!! '...' stands for 1 dims of input 1, and for 2"}},
      {12, "Einsum", "equation=...i,i...->...", {"f32[2,2]{1,2,3,4}", "f32[2,2]{1,0,0,1}"}, {"f32[2]{1,4}"}},
      {12, "Einsum", "equation=...i,j->...ij", {"f32[2]{1,2}", "f32[1]{2}"}, {"f32[2,1]{2,4}"}},
      {13, "Cast", "to=15", {"f32[1]{1}"}, {"!! complex numbers are not cast"}},
      {13, "Cast", "to=1", {"c64[1]{(1,0)}"}, {"!! complex numbers are not cast"}},
      {20, "ConstantOfShape", "", {"i32[2]{1,2}"}, {"!! expected i64"}},
      {24,
       "TensorScatter",
       "mode=circular",
       {"f32[1,3,1]{1,2,3}", "f32[1,2,1]{8,9}", "i64[1]{2}"},
       {"f32[1,3,1]{9,2,8}"}},
      {11, "BitShift", "direction=UP", {"u8[1]{1}", "u8[1]{1}"}, {"!! expected LEFT or RIGHT"}},
      {28, "Cast", "to=27", {"f32[5]{0,1.1,-7.4,100,0.1}"}, {"f6e2m3[5]{0,1.125,-7.5,7.5,0.125}"}},
      {28, "Cast", "to=1", {"=f6e3m2[5]{0,1.25,-28,0.0625,3}"}, {"f32[5]{0,1.25,-28,0.0625,3}"}},
      {28,
       "DequantizeLinear",
       "",
       {"f6e2m3[5]{0,1.125,-7.5,7.5,0.125}", "f32[]{2}"},
       {"f32[5]{0,2.25,-15,15,0.25}"}},
      {26, "BitCast", "to=7", {"f32[1]{1}"}, {"!! i64 has 64 bits, f32 of the input has 32"}},
      {17, "Abs", "", {""}, {"!! in node 'node' (Abs)"}},
      {20, "DFT", "onesided=1", {"f32[2,1]{1,2}", "i64[]{4}", "i64[]{0}"}, {"f32[3,2]{3,0,1,-2,-1,0}"}},
      {17, "DFT", "axis=0", {"f32[2,1]{1,2}"}, {"f32[2,2]{3,0,-1,0}"}},
      {17, "HannWindow", "periodic=0", {"i32[]{3}"}, {"f32[3]{0,1,0}"}},
      {11,
       "AveragePool",
       "kernel_shape=[2,2] pads=[0,0]",
       {"f32[1,1,2,2]{1,2,3,4}"},
       {"!! 'pads' has 2 values, expected 4"}},
  };
  run_cases(cases, WEFT_COUNT(cases));
}

TEST(random_recurrent_and_integer_products) {
  static const node_case cases[] = {
      // MT19937 of seed 0 begins with 0.549, 0.715
      {13, "Dropout", "seed=0", {"f32[2]{1,2}", "f32[]{0.5}", "bool[]{1}"}, {"f32[2]{2,4}", "bool[2]{1,1}"}},
      {13, "Dropout", "", {"f32[2]{1,2}", "f32[]{0.5}", "=bool[]{0}"}, {"f32[2]{1,2}", "bool[2]{1,1}"}},
      {13, "Dropout", "", {"f32[2]{1,2}", "=f32[]{0}", "bool[]{1}"}, {"f32[2]{1,2}", "bool[2]{1,1}"}},
      {6, "Dropout", "ratio=0.6", {"f32[2]{1,2}"}, {"f32[2]{0,5}", "f32[2]{0,1}"}},
      {14,
       "RNN",
       "layout=1 clip=0.5",
       {"f32[1,2,1]{0.1,9}", "f32[1,1,1]{1}", "f32[1,1,1]{0}"},
       {"f32[1,2,1,1]{0.09966799,0.46211716}", "f32[1,1,1]{0.46211716}"}},
      {14, "GRU", "layout=1", {"f32[0,1,1]", "f32[1,3,1]{0,0,0}", "f32[1,3,1]{0,0,0}"}, {"f32[0,1,1,1]"}},
      {14,
       "LSTM",
       "layout=2",
       {"f32[1,1,1]{1}", "f32[1,4,1]{0,0,0,0}", "f32[1,4,1]{0,0,0,0}"},
       {"!! attribute 'layout' must be 0 or 1, got 2"}},
      {14,
       "LSTM",
       "",
       {"f32[1,1,1]{1}", "f32[1,4,1]{0,0,0,0}", "?f32[1,4,1]{0,0,0,0}"},
       {"!! 'hidden_size'"}},
      {10, "MatMulInteger", "", {"u8[2]{3,4}", "u8[2,1]{1,2}", "u8[1]{1}"}, {"i32[1]{8}"}},
      {10,
       "MatMulInteger",
       "",
       {"u8[2,2]{3,4,5,6}", "u8[2,1]{1,2}", "u8[2]{1,5}", "u8[1]{0}"},
       {"i32[2,1]{8,2}"}},
  };
  run_cases(cases, WEFT_COUNT(cases));
}

TEST(found_wrong_beside_onnx_runtime) {
  static const node_case cases[] = {
      {28,
       "SpaceToDepth",
       "blocksize=2 mode=CRD",
       {"f32[1,2,2,2]{0,1,2,3,4,5,6,7}"},
       {"f32[1,8,1,1]{0,1,2,3,4,5,6,7}"}},
      {28,
       "SpaceToDepth",
       "blocksize=2",
       {"f32[1,2,2,2]{0,1,2,3,4,5,6,7}"},
       {"f32[1,8,1,1]{0,4,1,5,2,6,3,7}"}},
      {20, "DFT", "onesided=1", {"f32[2,2]{1,2,3,4}"}, {"!! onesided needs real numbers"}},
      {17, "STFT", "", {"f32[1,3]{1,2,4}", "=i64[]{1}", "=f32[2]{1,1}"}, {"f32[1,2,2,2]{3,0,-1,0,6,0,-2,0}"}},
      {17,
       "STFT",
       "",
       {"f32[1,3,1]{1,2,4}", "=i64[]{1}", "=f32[2]{1,1}"},
       {"f32[1,2,2,2]{3,0,-1,0,6,0,-2,0}"}},
      {17, "STFT", "", {"f32[1,2,2]{1,2,3,4}", "=i64[]{1}", "=f32[2]{1,1}"}, {"f32[1,1,2,2]{4,6,-2,-2}"}},
      {17,
       "STFT",
       "",
       {"f32[1,3,2]{1,0,2,0,3,0}", "=i64[]{1}", "=f32[3]{1,1,1}"},
       {"f32[1,1,2,2]{6,0,-1.5,0.8660254}"}},
      {17, "STFT", "", {"f32[1,2]{1,2}", "=i64[]{1}"}, {"f32[1,1,2,2]{3,0,-1,0}"}},
      {17, "STFT", "", {"f32[2]{1,2}", "=i64[]{1}", "=f32[2]{1,1}"}, {"!! expected rank 3, or 2"}},
      {15,
       "BatchNormalization",
       "epsilon=0.0",
       {"f32[2]{1,3}", "f32[1]{2}", "f32[1]{1}", "f32[1]{1}", "f32[1]{4}"},
       {"f32[2]{1,3}"}},
      {15,
       "BatchNormalization",
       "training_mode=1 momentum=0.5 epsilon=0.0",
       {"f32[2]{1,3}", "f32[1]{1}", "f32[1]{0}", "f32[1]{4}", "f32[1]{3}"},
       {"f32[2]{-1,1}", "f32[1]{3}", "f32[1]{2}"}},
      {15,
       "BatchNormalization",
       "",
       {"f32[2]{1,3}", "f32[2]{2,2}", "f32[2]{1,1}", "f32[2]{1,1}", "f32[2]{4,4}"},
       {"!! channels of input 'scale': 1 and 2 differ"}},
      {18, "Pad", "", {"f32[1,2]{1,2}", "i64[2]{1,2}", "", "i64[1]{-1}"}, {"f32[1,5]{0,1,2,0,0}"}},
      {18,
       "Pad",
       "mode=edge",
       {"f32[1,2]{1,2}", "=i64[4]{1,0,0,1}", "", "i32[2]{1,0}"},
       {"f32[2,3]{1,1,2,1,1,2}"}},
      {18,
       "Pad",
       "",
       {"f32[1,2]{1,2}", "i64[2]{1,2}", "", "i64[1]{2}"},
       {"!! element 0 is 2, outside [-2, 1]"}},
      {18, "Pad", "", {"f32[1,2]{1,2}", "i64[4]{1,2,3,4}", "", "i64[1]{0}"}, {"!! ScatterElements"}},
      {18, "Pad", "", {"f32[1,2]{1,2}", "i64[3]{1,2,3}", "", "i64[1]{0}"}, {"!! Reshape"}},
      {18,
       "Pad",
       "",
       {"f32[1,2]{1,2}", "i64[4]{1,2,3,4}", "", "=i64[2]{1,-1}"},
       {"!! axis 1 is given twice"}},
      {18, "Pad", "", {"f32[1,2]{1,2}", "i64[4]{1,2,3,4}", "", "=i64[1]{1}"}, {"!! 4 elements for 1 axes"}},
      {13, "Slice", "", {"f32[1,3]{1,2,3}", "i64[1]{1}", "i64[1]{3}", "i64[1]{-1}"}, {"f32[1,2]{2,3}"}},
      {9, "DynamicSlice", "", {"f32[1,3]{1,2,3}", "i64[1]{1}", "i64[1]{3}", "i64[1]{1}"}, {"f32[1,2]{2,3}"}},
      {9, "Flatten", "axis=2", {"?f32[1,2,2]{1,2,3,4}"}, {"f32[2,2]{1,2,3,4}"}},
      {11, "Flatten", "axis=-1", {"?f32[2,1,2]{1,2,3,4}"}, {"f32[2,2]{1,2,3,4}"}},
      {13, "Flatten", "axis=-1", {"*f32[0,3]"}, {"f32[0,3]"}},
      {13, "Flatten", "axis=1", {"*f32[0,3,2]"}, {"f32[0,6]"}},
      {13, "Flatten", "axis=2", {"*f32[2,3,0]"}, {"f32[6,0]"}},
      {13, "Flatten", "axis=-1", {"*f32[0]"}, {"f32[1,0]"}},
      {9, "DynamicSlice", "", {"f32[3]{1,2,3}", "i64[1]{-1}", "i64[1]{9}"}, {"f32[1]{3}"}},
      {11, "LayerNormalization", "epsilon=0.0", {"f32[1,2]{1,3}", "f32[2]{2,2}"}, {"f32[1,2]{-2,2}"}},
      {11, "LayerNormalization", "axes=1", {"f32[1,2]{1,3}", "f32[2]{2,2}"}, {"!! no such attribute"}},
  };
  run_cases(cases, WEFT_COUNT(cases));
}

#define ATTENTION_4D \
  { "f32[1,2,1,1]{1,1}", "f32[1,2,1,1]{1,1}", "f32[1,2,1,1]{5,6}" }
#define ATTENTION_3D "f32[1,1,2]{1,1}", "f32[1,1,2]{1,1}", "f32[1,1,2]{5,6}"
TEST(attention_refuses_what_contradicts_itself) {
  static const node_case cases[] = {
      {25, "Attention", "", ATTENTION_4D, {"f32[1,2,1,1]{5,6}"}},
      {24, "Attention", "q_num_heads=2 kv_num_heads=2", ATTENTION_4D, {"f32[1,2,1,1]{5,6}"}},
      {24, "Attention", "q_num_heads=4", ATTENTION_4D, {"!! 'q_num_heads' is 4, but input 0 has 2 heads"}},
      {25, "Attention", "q_num_heads=2", ATTENTION_4D, {"!! attribute 'q_num_heads' is given, but input 0"}},
      {25,
       "Attention",
       "kv_num_heads=2",
       ATTENTION_4D,
       {"!! attribute 'kv_num_heads' is given, but input 1"}},
      {25, "Attention", "left_window_size=-2", ATTENTION_4D, {"!! 'left_window_size' must be -1 or more"}},
      {25, "Attention", "q_num_heads=2 kv_num_heads=2", {ATTENTION_3D}, {"f32[1,1,2]{5,6}"}},
      {25, "Attention", "q_num_heads=2", {ATTENTION_3D}, {"!! 'kv_num_heads' is needed"}},
      {24,
       "Attention",
       "q_num_heads=2 kv_num_heads=2",
       {"f32[1,2,1,1]{1,1}", "f32[1,1,2]{1,1}", "f32[1,1,2]{5,6}"},
       {"!! input 0 has rank 4, input 1 rank 3"}},
      {24,
       "Attention",
       "",
       {"f32[1,2,1,1]{1,1}", "f32[1,2,1,1]{1,1}", "f32[1,1,1,1]{5}"},
       {"!! the key has 2 heads, the value 1"}},
      {25,
       "Attention",
       "q_num_heads=2 kv_num_heads=2",
       {ATTENTION_3D, "", "f32[1,2,1,1]{1,1}", "f32[1,2,1,1]{1,1}"},
       {"f32[1,1,2]{3,3.5}", "f32[1,2,2,1]{1,1,1,1}", "f32[1,2,2,1]{1,5,1,6}"}},
  };
  run_cases(cases, WEFT_COUNT(cases));
}
// SPDX-License-Identifier: Apache-2.0
