// map_attention_test.c - attention beyond ONNX's own tests: masks that are short or forbid everything, groups
// of heads, and FlexAttention whose sub-graphs have constants of the same name and read values from outside.
// Scores are 0 throughout, so that probabilities are equal and the expected values can be seen.
#include "frontend/onnx/writer.h"
#include "check.h"
#include "weft/interp.h"
#include "weft/onnx.h"

typedef struct model {
  weft_env *e;
  weft_text text;
  onnxw w;
  weft_diag d;
  int n;
} model;

static void begin(model *m, int64_t version) {
  weft_env_options o = {.size = sizeof o, .package_path = ""};
  *m = (model){0};
  CHECK_OK(weft_env_create(&o, &m->e, &m->d), &m->d);
  weft__text_init(&m->text, weft_env_allocator(m->e));
  onnxw_begin(&m->w, &m->text, 10, version);
  onnxw_opset(&m->w, "ai.onnx.preview", 1);
  onnxw_graph(&m->w, "g");
}

static void input(model *m, const char *name, const int64_t dims[4], bool known) {
  static const int64_t unknown[4] = {-1, -1, -1, -1};
  onnxw_input(&m->w, name, ONNX_FLOAT, 4, known ? dims : unknown, NULL);
}

// Runs the model on the tensors (text) and compares output 0.
static void expect(model *m, const char *const *in, size_t n, const char *want) {
  weft_tensor t[8];
  weft_tensor out;
  weft_tensor expected;
  const weft_tensor *inputs[8];
  weft_graph *g = NULL;
  weft_diag *d = &m->d;
  for (size_t i = 0; i < n; i++) {
    weft_tensor_init(&t[i], NULL);
    CHECK_OK(weft_tensor_parse(in[i], strlen(in[i]), NULL, &t[i], NULL, d), d);
    inputs[i] = &t[i];
  }
  weft_tensor_init(&out, NULL);
  weft_tensor_init(&expected, NULL);
  onnxw_output(&m->w, "y", 0, -1, NULL, NULL);
  weft_status s = onnxw_finish(&m->w, d);
  if (!s)
    s = weft_onnx_read(m->e, m->text.v, m->text.n, "test", &g, d);
  if (!s)
    s = weft_graph_infer(g, NULL, NULL, d);
  if (!s)
    s = weft_interp_run(g, NULL, inputs, n, &out, 1, d);
  bool fails = want[0] == '!';
  if (!s && !fails)
    s = weft_tensor_parse(want, strlen(want), NULL, &expected, NULL, d);
  if (!s && !fails)
    s = weft_tensor_compare(&out, &expected, 1e-6, 1e-6, d);
  if (fails ? !strstr(d->text, want + 3) : s != WEFT_OK)
    check_failed(__FILE__, __LINE__, "expected %s: %s", want, d->text);
  for (size_t i = 0; i < n; i++)
    weft_tensor_deinit(&t[i]);
  weft_tensor_deinit(&out);
  weft_tensor_deinit(&expected);
  weft_graph_destroy(g);
  weft__text_deinit(&m->text);
  weft_env_destroy(m->e);
}

typedef struct attention_case {
  int64_t version, causal, heads, kv_heads, keys;
  const char *values, *mask;  // of [1, kv_heads, keys, 1]; of the mask, NULL: none
  int mask_rank;
  int64_t mask_dims[4];
  const char *want;
} attention_case;

static void zeros(char *text, size_t cap, int64_t heads, int64_t steps) {
  size_t at = (size_t)snprintf(text, cap, "f32[1,%d,%d,1]{0", (int)heads, (int)steps);
  for (int64_t i = 1; i < heads * steps; i++)
    at += (size_t)snprintf(text + at, cap - at, ",0");
  snprintf(text + at, cap - at, "}");
}

static void run_attention(const attention_case *c, bool known) {
  model m;
  char q[64];
  char k[64];
  const char *in[4] = {q, k, c->values, c->mask};
  begin(&m, c->version);
  input(&m, "q", (const int64_t[]){1, c->heads, 2, 1}, known);
  input(&m, "k", (const int64_t[]){1, c->kv_heads, c->keys, 1}, known);
  input(&m, "v", (const int64_t[]){1, c->kv_heads, c->keys, 1}, known);
  if (c->mask) {
    onnxw_input(&m.w, "mask", ONNX_BOOL, c->mask_rank,
                known ? c->mask_dims : (const int64_t[]){-1, -1, -1, -1}, NULL);
  }
  onnxw_op(&m.w, "Attention", "a", c->mask ? "q,k,v,mask" : "q,k,v", "y");
  onnxw_attr_int(&m.w, "is_causal", c->causal);
  zeros(q, sizeof q, c->heads, 2);
  zeros(k, sizeof k, c->kv_heads, c->keys);
  expect(&m, in, c->mask ? 4 : 3, c->want);
}

TEST(attention_masks_and_groups) {
  static const attention_case cases[] = {
      {23, 0, 1, 1, 2, "f32[1,1,2,1]{1,3}", NULL, 0, {0}, "f32[1,1,2,1]{2,2}"},
      {23, 1, 1, 1, 2, "f32[1,1,2,1]{1,3}", NULL, 0, {0}, "f32[1,1,2,1]{1,2}"},
      {23, 0, 1, 1, 2, "f32[1,1,2,1]{1,3}", "bool[2,2]{0,0,0,1}", 2, {2, 2}, "f32[1,1,2,1]{0,3}"},
      {24, 0, 1, 1, 3, "f32[1,1,3,1]{1,3,50}", "bool[2,2]{1,1,0,1}", 2, {2, 2}, "f32[1,1,2,1]{2,3}"},
      {24, 1, 1, 1, 3, "f32[1,1,3,1]{1,3,50}", "bool[2,2]{1,1,0,1}", 2, {2, 2}, "f32[1,1,2,1]{1,3}"},
      {24, 0, 4, 2, 2, "f32[1,2,2,1]{1,3,5,9}", NULL, 0, {0}, "f32[1,4,2,1]{2,2,2,2,7,7,7,7}"},
      {24, 0, 2, 1, 2, "f32[1,1,2,1]{1,3}", NULL, 0, {0}, "f32[1,2,2,1]{2,2,2,2}"},
  };
  for (size_t i = 0; i < WEFT_COUNT(cases); i++) {
    run_attention(&cases[i], true);
    run_attention(&cases[i], false);
  }
  static const attention_case wrong = {24,   0,
                                       3,    2,
                                       2,    "f32[1,2,2,1]{1,3,5,9}",
                                       NULL, 0,
                                       {0},  "!! 3 heads of the query are not a multiple of the key's 2"};
  run_attention(&wrong, true);
}

// One node whose attribute `attr` is op(v, other), where `other` is an initializer of the sub-graph unless it
// is NULL.
static void flex(model *m, const char *in, const char *out, const char *attr, const char *op,
                 const char *other, float value) {
  char reads[32];
  snprintf(reads, sizeof reads, "s,%s", other);
  onnxw_op(&m->w, "FlexAttention", "", in, out);
  onnxw_domain(&m->w, "ai.onnx.preview");
  onnxw_attr_graph(&m->w, attr, "body");
  onnxw_input(&m->w, "s", ONNX_FLOAT, -1, NULL, NULL);
  if (value != 0)
    onnxw_init_f32(&m->w, other, 0, NULL, &value);
  onnxw_op(&m->w, op, "", reads, "t");
  onnxw_output(&m->w, "t", ONNX_FLOAT, -1, NULL, NULL);
  onnxw_attr_graph_end(&m->w);
}

TEST(flex_attention_writes_its_graphs_out) {
  static const float two = 2;
  for (int known = 0; known < 2; known++) {
    model m;
    begin(&m, 26);
    input(&m, "q", (const int64_t[]){1, 2, 1, 1}, known);
    input(&m, "k", (const int64_t[]){1, 1, 2, 1}, known);
    input(&m, "v", (const int64_t[]){1, 1, 2, 1}, known);
    onnxw_init_f32(&m.w, "by", 0, NULL, &two);
    flex(&m, "q,k,v", "a", "prob_mod", "Mul", "by", 10);  // 10 * mean
    flex(&m, "q,k,v", "b", "prob_mod", "Mul", "by", 0);   // 2 * mean, from outside
    onnxw_op(&m.w, "Add", "", "a,b", "y");
    expect(&m, (const char *const[]){"f32[1,2,1,1]{0,0}", "f32[1,1,2,1]{0,0}", "f32[1,1,2,1]{1,3}"}, 3,
           "f32[1,2,1,1]{24,24}");
  }
  model m;
  begin(&m, 26);
  input(&m, "q", (const int64_t[]){1, 2, 1, 1}, true);
  flex(&m, "q,q,q", "y", "score_mod", "Mul", "nowhere", 0);
  expect(&m, (const char *const[]){"f32[1,2,1,1]{0,0}"}, 1, "!! nowhere");
}

// Query p sees the keys from p - left to p + right; 2 queries stand at 0 and 1, or behind a past of 2 keys.
TEST(attention_windows) {
  static const struct {
    int64_t causal;
    int64_t left;
    int64_t right;
    bool past;
    const char *want;
  } cases[] = {
      {0, 0, -1, false, "f32[1,1,2,1]{7.5,9.333333}"},  // 2,4,8,16 and 4,8,16
      {0, -1, 0, false, "f32[1,1,2,1]{2,3}"},
      {0, 0, 0, false, "f32[1,1,2,1]{2,4}"},
      {0, 1, 1, false, "f32[1,1,2,1]{3,4.666667}"},
      {1, 9, 9, false, "f32[1,1,2,1]{2,3}"},
      {0, 1, 0, true, "f32[1,1,2,1]{11,3}"},
      {0, -1, -1, true, "f32[1,1,2,1]{8.333333,8.333333}"},
      {0, 0, 1, true, "f32[1,1,2,1]{3,6}"},
  };
  for (size_t i = 0; i < 2 * WEFT_COUNT(cases); i++) {
    model m;
    bool past = cases[i / 2].past;
    bool known = i % 2;
    const char *in[5] = {"f32[1,1,2,1]{0,0}", "f32[1,1,4,1]{0,0,0,0}", "f32[1,1,4,1]{2,4,8,16}",
                         "f32[1,1,2,1]{0,0}", "f32[1,1,2,1]{0,20}"};
    begin(&m, 25);
    input(&m, "q", (const int64_t[]){1, 1, 2, 1}, known);
    input(&m, "k", (const int64_t[]){1, 1, 4, 1}, known);
    input(&m, "v", (const int64_t[]){1, 1, 4, 1}, known);
    if (past)
      input(&m, "pk", (const int64_t[]){1, 1, 2, 1}, known);
    if (past)
      input(&m, "pv", (const int64_t[]){1, 1, 2, 1}, known);
    onnxw_op(&m.w, "Attention", "a", past ? "q,k,v,,pk,pv" : "q,k,v", "y");
    onnxw_attr_int(&m.w, "is_causal", cases[i / 2].causal);
    onnxw_attr_int(&m.w, "left_window_size", cases[i / 2].left);
    onnxw_attr_int(&m.w, "right_window_size", cases[i / 2].right);
    expect(&m, in, past ? 5 : 3, cases[i / 2].want);
  }
}

// Nobody knows the sizes of what is unpooled, with and without a wanted shape.
TEST(max_unpool_of_unknown_dims) {
  for (int wanted = 0; wanted < 2; wanted++) {
    model m;
    begin(&m, 22);
    onnxw_input(&m.w, "x", ONNX_FLOAT, 4, (const int64_t[]){-1, 1, -1, -1}, NULL);
    onnxw_input(&m.w, "i", ONNX_INT64, 4, (const int64_t[]){-1, 1, -1, -1}, NULL);
    if (wanted)
      onnxw_input(&m.w, "s", ONNX_INT64, 1, (const int64_t[]){4}, NULL);
    onnxw_op(&m.w, "MaxUnpool", "u", wanted ? "x,i,s" : "x,i", "y");
    onnxw_attr_ints(&m.w, "kernel_shape", (const int64_t[]){2, 1}, 2);
    onnxw_attr_ints(&m.w, "strides", (const int64_t[]){2, 1}, 2);
    expect(&m, (const char *[]){"f32[1,1,2,1]{5,6}", "i64[1,1,2,1]{1,2}", "i64[4]{1,1,5,2}"}, wanted ? 3 : 2,
           wanted ? "f32[1,1,5,2]{0,0,5,0,6,0,0,0,0,0}" : "f32[1,1,4,1]{0,5,6,0}");
  }
}

// Nobody knows how many channels there are: two of them, weights of two steps, nothing before the start.
TEST(causal_conv_of_unknown_channels) {
  for (int bias = 0; bias < 2; bias++) {
    model m;
    begin(&m, 27);
    onnxw_input(&m.w, "x", ONNX_FLOAT, 3, (const int64_t[]){-1, -1, -1}, NULL);
    onnxw_input(&m.w, "w", ONNX_FLOAT, 3, (const int64_t[]){-1, 1, 2}, NULL);
    if (bias)
      onnxw_input(&m.w, "b", ONNX_FLOAT, 1, (const int64_t[]){-1}, NULL);
    onnxw_op(&m.w, "CausalConvWithState", "c", bias ? "x,w,b" : "x,w", "y");
    expect(&m, (const char *[]){"f32[1,2,3]{1,2,3,10,20,30}", "f32[2,1,2]{1,10,0,1}", "f32[2]{100,200}"},
           bias ? 3 : 2, bias ? "f32[1,2,3]{110,121,132,210,220,230}" : "f32[1,2,3]{10,21,32,10,20,30}");
  }
}
// SPDX-License-Identifier: Apache-2.0
