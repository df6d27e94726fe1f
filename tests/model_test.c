// model_test.c - whole networks: the project's own against an independent double-precision evaluation (R287's
// flavour of oracle, R348), the light networks of ../shared where they are at hand (import, shapes,
// completion - not numerics).
#include <sys/stat.h>

#include "check.h"
#include "models.h"
#include "weft/weft.h"

static weft_env *env_plain(void) {
  weft_env *e = NULL;
  weft_diag d = {0};
  weft_env_options o = {.size = sizeof o, .package_path = ""};
  if (weft_env_create(&o, &e, &d))
    check_failed(__FILE__, __LINE__, "%s", d.text);
  return e;
}

// Runs `g` on one float input; the outputs are the caller's.
static weft_status run_model(weft_graph *g, const mtensor *x, weft_tensor *out, weft_diag *d) {
  weft_tensor in;
  weft_tensor_init(&in, NULL);
  WEFT_TRY(weft_tensor_alloc(&in, WEFT_FLOAT, x->dim, (size_t)x->rank, d));
  for (size_t i = 0; i < x->n; i++)
    ((float *)in.data)[i] = (float)x->v[i];
  const weft_tensor *inputs[1] = {&in};
  weft_status s = weft_interp_run(g, NULL, inputs, 1, out, 1, d);
  weft_tensor_deinit(&in);
  return s;
}

static void compare(const char *name, const weft_tensor *got, const mtensor *want) {
  CHECK_INT(got->layout.origin.rank, want->rank);
  CHECK_INT(weft_tensor_elems(got), want->n);
  double worst = 0;
  for (size_t i = 0; i < want->n; i++) {
    double e = fabs((double)((const float *)got->data)[i] - want->v[i]) / (1 + fabs(want->v[i]));
    if (!(e <= worst))
      worst = e;
  }
  if (!(worst <= 2e-6))
    check_failed(__FILE__, __LINE__, "%s: largest relative error %g", name, worst);
}

TEST(own_networks_equal_a_double_oracle) {
  weft_env *e = env_plain();
  for (size_t i = 0; model_names[i]; i++) {
    weft_diag d = {0};
    static model m;
    weft_graph *g = NULL;
    weft_tensor out;
    weft_tensor_init(&out, NULL);
    weft_status s = model_make(&m, model_names[i], &d) ? WEFT_OK : d.status;
    if (!s)
      s = weft_onnx_read(e, m.text.v, m.text.n, model_names[i], &g, &d);
    if (!s)
      s = weft_graph_verify(g, NULL, NULL, &d);
    weft_infer_summary sum = {0};
    if (!s)
      s = weft_graph_infer(g, NULL, &sum, &d);
    CHECK(s || !sum.dynamic);
    if (!s)
      s = run_model(g, m.input, &out, &d);
    if (s)
      check_failed(__FILE__, __LINE__, "%s: %s", model_names[i], d.text);
    else
      compare(model_names[i], &out, m.output);
    weft_tensor_deinit(&out);
    weft_graph_destroy(g);
    model_free(&m);
  }
  weft_env_destroy(e);
}

TEST(own_networks_survive_text_and_binary) {
  weft_env *e = env_plain();
  weft_allocator a = weft_allocator_default();
  for (size_t i = 0; model_names[i]; i++) {
    weft_diag d = {0};
    static model m;
    weft_graph *g = NULL;
    weft_graph *t = NULL;
    weft_graph *b = NULL;
    weft_text text;
    weft_text bytes;
    weft__text_init(&text, &a);
    weft__text_init(&bytes, &a);
    CHECK(model_make(&m, model_names[i], &d));
    weft_status s = weft_onnx_read(e, m.text.v, m.text.n, model_names[i], &g, &d);
    if (!s)
      s = weft_graph_infer(g, NULL, NULL, &d);
    if (!s)
      s = weft_graph_print(g, 0, weft__text_write, &text);
    if (!s)
      s = weft_graph_parse(e, text.v, text.n, "text", &t, &d);
    if (!s)
      s = weft_graph_infer(t, NULL, NULL, &d);
    if (!s)
      s = weft_graph_compare(g, t, WEFT_EQUAL_STRICT, &d);
    if (!s)
      s = weft_graph_save(g, weft__text_write, &bytes, &d);
    if (!s)
      s = weft_graph_load(e, bytes.v, bytes.n, &b, &d);
    if (!s)
      s = weft_graph_compare(g, b, WEFT_EQUAL_STRICT, &d);
    if (s)
      check_failed(__FILE__, __LINE__, "%s: %s %s", model_names[i], weft_status_name(s), d.text);
    weft_graph_destroy(g);
    weft_graph_destroy(t);
    weft_graph_destroy(b);
    weft__text_deinit(&text);
    weft__text_deinit(&bytes);
    model_free(&m);
  }
  weft_env_destroy(e);
}

// The light networks: every shape is inferred; two of them (the cheap ones) also run to their constant
// output.
TEST(light_networks_infer) {
  static const char *const names[] = {"bvlc_alexnet", "densenet121", "inception_v1",
                                      "inception_v2", "resnet50",    "shufflenet",
                                      "squeezenet",   "vgg19",       "zfnet512"};
  struct stat st;
  if (stat(WEFT_SOURCE_DIR "/../shared/data/onnx/light/light_vgg19.onnx", &st)) {
    check_skip("the light networks are not at hand (../shared/data/onnx/light)");
    return;
  }
  weft_env *e = env_plain();
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char path[512];
    weft_diag d = {0};
    weft_graph *g = NULL;
    weft_infer_summary sum = {0};
    snprintf(path, sizeof path, "%s/../shared/data/onnx/light/light_%s.onnx", WEFT_SOURCE_DIR, names[i]);
    weft_status s = weft_onnx_load(e, path, &g, &d);
    if (!s)
      s = weft_graph_infer(g, NULL, &sum, &d);
    if (s)
      check_failed(__FILE__, __LINE__, "%s: %s", names[i], d.text);
    CHECK_INT(sum.n_dynamic + sum.n_unknown, 0);
    CHECK_INT(s ? 0 : weft_graph_n_outputs(g), s ? 0 : 1);
    weft_graph_destroy(g);
  }
  weft_env_destroy(e);
}
// SPDX-License-Identifier: Apache-2.0
