// dims_test.c - names of dims of inputs: what is no name is anonymous, each dim without a name has a symbol
// of its own, and with separate_dims a name that inputs share makes nothing equal.
#include "check.h"
#include "weft/weft.h"
#include "frontend/onnx/writer.h"
#include "weft/infer.h"
#include "weft/onnx.h"

typedef struct fixture {
  weft_env *e;
  weft_text text;
  onnxw w;
  weft_graph *g;
  weft_diag d;
} fixture;

static onnxw *setup(fixture *f) {
  memset(f, 0, sizeof *f);
  weft_allocator a = weft_allocator_default();
  weft__text_init(&f->text, &a);
  weft_env_options o = {.size = sizeof o, .package_path = ""};
  CHECK(weft_env_create(&o, &f->e, &f->d) == WEFT_OK);
  onnxw_begin(&f->w, &f->text, 8, 17);
  onnxw_graph(&f->w, "g");
  return &f->w;
}

static weft_status load(fixture *f, bool separate) {
  const weft_onnx_options o = {.size = sizeof o, .separate_dims = separate};
  weft_status s = onnxw_finish(&f->w, &f->d);
  if (!s)
    s = weft_onnx_read_with(f->e, f->text.v, f->text.n, "m.onnx", &o, &f->g, &f->d);
  return s ? s : weft_graph_infer(f->g, NULL, NULL, &f->d);
}

static void teardown(fixture *f) {
  weft_graph_destroy(f->g);
  weft__text_deinit(&f->text);
  weft_env_destroy(f->e);
}

// The shape of a value, as text.
static const char *shape_of(const fixture *f, const char *name) {
  static char text[4][256];
  static int at;
  weft_tensor_desc desc;
  at = (at + 1) % 4;
  weft_value *v = weft_graph_find_value(f->g, name);
  if (!v)
    return "no such value";
  weft_value_desc(v, &desc);
  return weft_shape_text(&desc.layout.origin, weft_graph_symbols(f->g), text[at], sizeof text[at]);
}

static const int64_t open[4] = {-1, -1, -1, -1};

TEST(what_is_no_name_tells_nothing) {
  static const char *const no_names[] = {"",     "?",       "-1",      "None",         "none",
                                         "NULL", "unknown", "unk__12", "Unknown",      "dynamic",
                                         "*",    "224",     "unk",     "unknown_dim_3"};
  for (size_t i = 0; i < WEFT_COUNT(no_names); i++) {
    fixture f;
    onnxw *w = setup(&f);
    onnxw_input(w, "x", ONNX_FLOAT, 2, open, (const char *[]){no_names[i], no_names[i]});
    onnxw_input(w, "y", ONNX_FLOAT, 2, open, (const char *[]){no_names[i], "n"});
    onnxw_op(w, "Neg", "neg", "x", "z");
    onnxw_output(w, "z", ONNX_FLOAT, 2, open, (const char *[]){no_names[i], no_names[i]});
    CHECK_OK(load(&f, false), &f.d);
    CHECK_STR(shape_of(&f, "x"), "[x_0,x_1]");
    CHECK_STR(shape_of(&f, "y"), "[y_0,n]");
    CHECK_STR(shape_of(&f, "z"), "[x_0,x_1]");
    teardown(&f);
  }
}

TEST(names_are_names_though_they_look_odd) {
  static const char *const names[] = {"N",     "batch size", "unk_n", "2*n",  "any_",
                                      "none1", "-x",         "?0",    "unk__"};
  for (size_t i = 0; i < WEFT_COUNT(names); i++) {
    fixture f;
    onnxw *w = setup(&f);
    onnxw_input(w, "x", ONNX_FLOAT, 1, open, (const char *[]){names[i]});
    onnxw_input(w, "y", ONNX_FLOAT, 1, open, (const char *[]){names[i]});
    onnxw_op(w, "Add", "add", "x,y", "z");
    onnxw_output(w, "z", ONNX_FLOAT, -1, NULL, NULL);
    CHECK_OK(load(&f, false), &f.d);
    CHECK_STR(shape_of(&f, "x"), shape_of(&f, "z"));
    CHECK(strcmp(shape_of(&f, "x"), "[x_0]") != 0);
    teardown(&f);
  }
}

TEST(a_made_name_is_nobody_elses) {
  fixture f;
  onnxw *w = setup(&f);
  onnxw_input(w, "x", ONNX_FLOAT, 1, open, (const char *[]){""});
  onnxw_input(w, "y", ONNX_FLOAT, 1, open, (const char *[]){"x_0"});
  onnxw_op(w, "Neg", "neg", "x", "z");
  onnxw_output(w, "z", ONNX_FLOAT, -1, NULL, NULL);
  CHECK_OK(load(&f, false), &f.d);
  CHECK_STR(shape_of(&f, "y"), "[x_0]");
  CHECK_STR(shape_of(&f, "z"), "[x_0_2]");
  teardown(&f);
}

TEST(separate_dims_share_nothing_and_outputs_claim_nothing) {
  fixture f;
  onnxw *w = setup(&f);
  onnxw_input(w, "x", ONNX_FLOAT, 2, open, (const char *[]){"n", "m"});
  onnxw_input(w, "y", ONNX_FLOAT, 2, open, (const char *[]){"n", "k"});
  onnxw_op(w, "Neg", "neg", "y", "z");
  onnxw_output(w, "z", ONNX_FLOAT, 2, open, (const char *[]){"n", "k"});
  CHECK_OK(load(&f, true), &f.d);
  CHECK_STR(shape_of(&f, "x"), "[x_0,m]");
  CHECK_STR(shape_of(&f, "y"), "[y_0,k]");
  CHECK_STR(shape_of(&f, "z"), "[y_0,k]");
  teardown(&f);
}

// What a run says of a name with two sizes, and what it takes to run it.
static weft_status run_two_sizes(bool separate, weft_diag *d) {
  fixture f;
  onnxw *w = setup(&f);
  weft_program *p = NULL;
  weft_exec *run = NULL;
  weft_tensor in[2];
  weft_tensor out;
  onnxw_input(w, "x", ONNX_FLOAT, 1, open, (const char *[]){"n"});
  onnxw_input(w, "y", ONNX_FLOAT, 1, open, (const char *[]){"n"});
  onnxw_op(w, "Neg", "neg", "y", "z");
  onnxw_output(w, "z", ONNX_FLOAT, 1, open, (const char *[]){"n"});
  for (int i = 0; i < 2; i++)
    weft_tensor_init(&in[i], NULL);
  weft_tensor_init(&out, NULL);
  weft_status s = load(&f, separate);
  if (!s) {
    s = weft_compile(f.g, NULL, &p, d);
    f.g = NULL;
  }
  if (!s)
    s = weft_exec_create(p, NULL, &run, d);
  for (int i = 0; i < 2 && !s; i++)
    s = weft_tensor_alloc(&in[i], WEFT_FLOAT, (weft_dim[]){2 + i}, 1, d);
  if (!s)
    s = weft_exec_run(run, (const weft_tensor *[]){&in[0], &in[1]}, 2, (weft_tensor *[]){&out}, 1, d);
  weft_tensor_deinit(&in[0]);
  weft_tensor_deinit(&in[1]);
  weft_tensor_deinit(&out);
  weft_exec_destroy(run);
  weft_program_release(p);
  teardown(&f);
  return s;
}

TEST(a_name_with_two_sizes_is_refused_unless_dims_are_separate) {
  weft_diag d = {0};
  CHECK_INT(run_two_sizes(false, &d), WEFT_E_SHAPE);
  CHECK_HAS(d.text, "but input 'x' has 2 there");
  CHECK_HAS(d.text, "weft_onnx_options.separate_dims");
  weft_diag_clear(&d);
  CHECK_OK(run_two_sizes(true, &d), &d);
}
// SPDX-License-Identifier: Apache-2.0
