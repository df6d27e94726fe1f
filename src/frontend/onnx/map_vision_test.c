// map_vision_test.c - early versions of Resize, Upsample, GridSample and RoiAlign, losses that ignore
// classes, and the random operators: what ONNX's own tests do not reach or cannot compare. Expected values
// are worked out by hand from the operators' documents.
#include "check.h"
#include "frontend/onnx/writer.h"
#include "weft/interp.h"
#include "weft/onnx.h"

typedef void (*attrs_fn)(onnxw *w);

// Runs one node over float inputs ("" absent) of a model of operator set `version`.
static weft_status run(int version, const char *op, attrs_fn attrs, const char *const *in, weft_tensor *out,
                       weft_diag *d) {
  static const char *const names[] = {"a", "b", "c", "d"};
  static const char *const outs[] = {"y"};
  weft_env *e;
  weft_env_options o = {.size = sizeof o, .package_path = ""};
  WEFT_TRY(weft_env_create(&o, &e, d));
  weft_text text;
  weft_tensor t[4];
  const weft_tensor *given[4];
  const char *inputs[4];
  size_t n = 0;
  size_t n_given = 0;
  weft_graph *g = NULL;
  weft_status s = WEFT_OK;
  onnxw w;
  weft__text_init(&text, weft_env_allocator(e));
  onnxw_begin(&w, &text, 8, version);
  onnxw_graph(&w, "g");
  for (size_t i = 0; i < 4; i++)
    weft_tensor_init(&t[i], NULL);
  for (; n < 4 && in[n]; n++) {
    inputs[n] = *in[n] ? names[n] : "";
    if (!*in[n] || s)
      continue;
    weft_tensor *v = &t[n_given];
    s = weft_tensor_parse(in[n], strlen(in[n]), NULL, v, NULL, d);
    int type = v->dtype == WEFT_INT64 ? 7 : 1;
    onnxw_input(&w, names[n], type, (int)v->layout.origin.rank, v->layout.origin.dim, NULL);
    given[n_given++] = v;
  }
  onnxw_node(&w, op, "node", inputs, n, outs, 1);
  if (attrs)
    attrs(&w);
  onnxw_output(&w, "y", 0, -1, NULL, NULL);
  if (!s)
    s = onnxw_finish(&w, d);
  if (!s)
    s = weft_onnx_read(e, text.v, text.n, op, &g, d);
  if (!s)
    s = weft_interp_run(g, NULL, given, n_given, out, 1, d);
  for (size_t i = 0; i < 4; i++)
    weft_tensor_deinit(&t[i]);
  weft_graph_destroy(g);
  weft__text_deinit(&text);
  weft_env_destroy(e);
  return s;
}

static void expect(int version, const char *op, attrs_fn attrs, const char *const *in,
                   const char *want_text) {
  weft_diag d = {0};
  weft_tensor got;
  weft_tensor want;
  weft_tensor_init(&got, NULL);
  weft_tensor_init(&want, NULL);
  weft_status s = weft_tensor_parse(want_text, strlen(want_text), NULL, &want, NULL, &d);
  if (!s)
    s = run(version, op, attrs, in, &got, &d);
  if (!s)
    s = weft_tensor_compare(&got, &want, 1e-6, 1e-6, &d);
  if (s)
    check_failed(__FILE__, __LINE__, "%s-%d: %s", op, version, d.text);
  weft_tensor_deinit(&got);
  weft_tensor_deinit(&want);
}
#define IN(...) ((const char *const[]){__VA_ARGS__, NULL, NULL, NULL, NULL})

static void linear(onnxw *w) {
  onnxw_attr_str(w, "mode", "linear");
}
static void bilinear_1(onnxw *w) {
  onnxw_attr_str(w, "mode", "bilinear");
  onnxw_attr_float(w, "height_scale", 1);
  onnxw_attr_float(w, "width_scale", 2);
}
static void bicubic(onnxw *w) {
  onnxw_attr_str(w, "mode", "bicubic");
}
static void cubic(onnxw *w) {
  onnxw_attr_str(w, "mode", "cubic");
}
static void border_nearest(onnxw *w) {
  onnxw_attr_str(w, "mode", "nearest");
  onnxw_attr_str(w, "padding_mode", "border");
  onnxw_attr_int(w, "align_corners", 1);
}

TEST(early_versions_of_resize) {
  expect(10, "Resize", NULL, IN("f32[4]{1,2,3,4}", "f32[1]{0.6}"),
         "f32[2]{1,3}");  // 1 / 0.6 is 1.67: up, the axis shrinks
  expect(10, "Resize", NULL, IN("f32[2]{1,2}", "f32[1]{1.5}"), "f32[3]{1,1,2}");  // 0.67 down, 1.33 down
  expect(10, "Resize", linear, IN("f32[2]{1,3}", "f32[1]{2}"), "f32[4]{1,2,3,3}");
  expect(9, "Upsample", linear, IN("f32[2]{1,3}", "f32[1]{2}"), "f32[4]{1,2,3,3}");
  expect(1, "Upsample", bilinear_1, IN("f32[1,1,1,2]{1,3}"), "f32[1,1,1,4]{1,2,3,3}");
  expect(11, "Resize", NULL, IN("f32[2]{1,2}", "f32[0]", "f32[0]", "i64[1]{4}"), "f32[4]{1,1,2,2}");
}

TEST(modes_of_grid_sample) {
  const char *const in[] = {"f32[1,1,1,4]{1,2,4,8}", "f32[1,1,1,2]{0,0}", NULL};
  expect(16, "GridSample", bicubic, in, "f32[1,1,1,1]{2.71875}");
  expect(20, "GridSample", cubic, in, "f32[1,1,1,1]{2.71875}");
  expect(22, "GridSample", border_nearest, IN("f32[1,1,3]{1,2,4}", "f32[1,2,1]{-9,0.1}"), "f32[1,1,2]{1,2}");
}

TEST(regions_before_and_since_version_16) {
  const char *const in[] = {"f32[1,1,2,2]{1,2,3,4}", "f32[1,4]{0,0,2,2}", "i64[1]{0}", NULL};
  expect(10, "RoiAlign", NULL, in, "f32[1,1,1,1]{3.25}");  // samples at 0.5 and 1.5, the latter clipped to 1
  expect(16, "RoiAlign", NULL, in, "f32[1,1,1,1]{2.5}");   // samples at 0 and 1
}

static void ignoring(onnxw *w) {
  onnxw_attr_int(w, "ignore_index", -1);
}

TEST(what_losses_ignore_counts_nothing) {
  const char *const in[] = {"f32[3,2]{-inf,1,nan,nan,0,0}", "i64[3]{-1,-1,0}", NULL};
  expect(13, "SoftmaxCrossEntropyLoss", ignoring, in, "f32[]{0.6931472}");
  expect(13, "NegativeLogLikelihoodLoss", ignoring, in, "f32[]{0}");
  const char *const weighed[] = {"f32[3,2]{-inf,1,nan,nan,0,-2}", "i64[3]{-1,-1,1}", "f32[2]{3,4}", NULL};
  expect(13, "NegativeLogLikelihoodLoss", ignoring, weighed, "f32[]{2}");
}

static void seeded(onnxw *w) {
  onnxw_attr_ints(w, "shape", (int64_t[]){1000}, 1);
  onnxw_attr_float(w, "seed", 3);
}
static void uniform(onnxw *w) {
  seeded(w);
  onnxw_attr_float(w, "low", -2);
  onnxw_attr_float(w, "high", 6);
}
static void normal(onnxw *w) {
  seeded(w);
  onnxw_attr_float(w, "mean", 5);
  onnxw_attr_float(w, "scale", 2);
}
static void some_samples(onnxw *w) {
  onnxw_attr_int(w, "sample_size", 1000);
  onnxw_attr_float(w, "seed", 0);
}

// Mean and variance of 1000 draws with a seed; a second run gives the same bits.
static void moments(int version, const char *op, attrs_fn attrs, const char *const *in, double mean,
                    double variance) {
  weft_diag d = {0};
  weft_tensor a;
  weft_tensor b;
  double sum = 0, squares = 0;
  weft_tensor_init(&a, NULL);
  weft_tensor_init(&b, NULL);
  CHECK_OK(run(version, op, attrs, in, &a, &d), &d);
  CHECK_OK(run(version, op, attrs, in, &b, &d), &d);
  CHECK(a.bytes == b.bytes && a.data && b.data && !memcmp(a.data, b.data, a.bytes));
  CHECK(weft_tensor_elems(&a) == 1000);
  for (size_t i = 0; a.data && i < 1000; i++) {
    double v = weft_load_f64(a.dtype, a.data, i);
    sum += v / 1000;
    squares += v * v / 1000;
  }
  double spread = squares - sum * sum, off = sum > mean ? sum - mean : mean - sum;
  CHECK(off * off < 16 * variance / 1000);  // four standard deviations of the mean
  CHECK(spread > 0.8 * variance && spread < 1.2 * variance);
  weft_tensor_deinit(&a);
  weft_tensor_deinit(&b);
}

TEST(random_operators) {
  moments(1, "RandomUniform", uniform, IN(NULL), 2, 64.0 / 12);
  moments(22, "RandomNormal", normal, IN(NULL), 5, 4);
  moments(7, "Multinomial", some_samples, IN("f32[1,2]{0,1.0986123}"), 0.75, 0.1875);  // odds 1 to 3
  expect(15, "Bernoulli", NULL, IN("f32[4]{0,1,1,0}"), "f32[4]{0,1,1,0}");
}
// SPDX-License-Identifier: Apache-2.0
