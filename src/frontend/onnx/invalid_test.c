// invalid_test.c - models that ONNX's own rules refuse and that could be read nevertheless: calls of
// functions that name too few outputs, and shape arithmetic that overflows.
#include "check.h"
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

static onnxw *setup(fixture *f, bool strict) {
  memset(f, 0, sizeof *f);
  weft_allocator a = weft_allocator_default();
  weft__text_init(&f->text, &a);
  weft_env_options o = {.size = sizeof o, .package_path = "", .strict_shapes = strict};
  CHECK(weft_env_create(&o, &f->e, &f->d) == WEFT_OK);
  onnxw_begin(&f->w, &f->text, 8, 17);
  return &f->w;
}

static weft_status load(fixture *f) {
  WEFT_TRY(onnxw_finish(&f->w, &f->d));
  return weft_onnx_read(f->e, f->text.v, f->text.n, "m.onnx", &f->g, &f->d);
}

static void teardown(fixture *f) {
  weft_graph_destroy(f->g);
  weft__text_deinit(&f->text);
  weft_env_destroy(f->e);
}

// ---- calls of functions ----
static weft_status call_pair(fixture *f, const char *outputs) {
  onnxw *w = setup(f, false);
  onnxw_opset(w, "local", 1);
  onnxw_graph(w, "g");
  onnxw_input(w, "x", ONNX_FLOAT, 1, (const int64_t[]){2}, NULL);
  onnxw_op(w, "pair", "call", "x", outputs);
  onnxw_domain(w, "local");
  onnxw_output(w, "y", ONNX_FLOAT, 1, (const int64_t[]){2}, NULL);
  onnxw_function(w, "local", "pair", "a", "b,c", "");
  onnxw_opset(w, "", 17);
  onnxw_op(w, "Relu", "", "a", "b");
  onnxw_op(w, "Neg", "", "a", "c");
  onnxw_function_end(w);
  return load(f);
}

TEST(a_call_names_every_output_of_its_function) {
  fixture f;
  CHECK_FAILS(call_pair(&f, "y"), WEFT_E_INVALID);
  CHECK_HAS(f.d.text, "the function gives 2 outputs, the node names 1");
  teardown(&f);
  CHECK_FAILS(call_pair(&f, "y,z,more"), WEFT_E_INVALID);
  teardown(&f);
  CHECK_OK(call_pair(&f, "y,"), &f.d);  // nobody needs the second
  teardown(&f);
  CHECK_OK(call_pair(&f, ",y"), &f.d);
  teardown(&f);
}

// ---- arithmetic on dims ----
typedef struct sum {
  const char *op;
  int64_t dim, number;  // Shape(x[dim]), and a constant
  bool swapped;         // number op dim
  bool fits;
} sum;

static weft_status sized_by(fixture *f, const sum *s, bool strict) {
  onnxw *w = setup(f, strict);
  onnxw_graph(w, "g");
  onnxw_input(w, "x", ONNX_FLOAT, 1, &s->dim, NULL);
  onnxw_init_i64(w, "c", 1, (const int64_t[]){1}, &s->number);
  onnxw_op(w, "Shape", "", "x", "s");
  onnxw_op(w, s->op, "sum", s->swapped ? "c,s" : "s,c", "n");
  onnxw_output(w, "n", ONNX_INT64, 1, (const int64_t[]){1}, NULL);
  weft_status st = load(f);
  return st ? st : weft_graph_infer(f->g, NULL, NULL, &f->d);
}

TEST(strict_shape_arithmetic_does_not_wrap) {
  static const sum sums[] = {
      {"Sub", WEFT_DIM_MOST, -1, true, true},          {"Sub", WEFT_DIM_MOST, INT64_MAX, false, true},
      {"Add", WEFT_DIM_MOST, INT64_MAX, false, false}, {"Add", WEFT_DIM_MOST, -1, false, true},
      {"Mul", WEFT_DIM_MOST, 1 << 11, false, false},   {"Mul", WEFT_DIM_MOST, -1, true, true},
      {"Div", WEFT_DIM_MOST, -1, false, true},
  };
  for (size_t i = 0; i < WEFT_COUNT(sums); i++) {
    fixture f;
    CHECK_OK(sized_by(&f, &sums[i], false), &f.d);  // as a run computes it
    teardown(&f);
    weft_status s = sized_by(&f, &sums[i], true);
    CHECK_INT(s, sums[i].fits ? WEFT_OK : WEFT_E_OVERFLOW);
    if (!sums[i].fits)
      CHECK_HAS(f.d.text, "element 0");
    teardown(&f);
  }
}
// SPDX-License-Identifier: Apache-2.0
