// convert_reshape_test.c - ONNX to ONNX: Reshapes with computed targets, and views of views.
#include "convert_fixture.h"

// The channel shuffle of ShuffleNet as exporters write it: [N,4,H,6] seen as [N,2,2,H,6], computed from the
// shape.
static void shuffle(fixture *f, bool computed_twice) {
  onnxw *w = &f->w;
  begin(f, 8, 17);
  onnxw_graph(w, "g");
  onnxw_input(w, "x", ONNX_FLOAT, 4, DIMS(-1, 4, -1, 6), (const char *[]){"N", NULL, "H", NULL});
  onnxw_init_i64(w, "i0", 1, DIMS(1), DIMS(0));
  onnxw_init_i64(w, "i2", 1, DIMS(1), DIMS(2));
  onnxw_init_i64(w, "i3", 1, DIMS(1), DIMS(3));
  onnxw_init_i64(w, "two", 1, DIMS(1), DIMS(2));
  onnxw_op(w, "Shape", NULL, "x", "s");
  onnxw_op(w, "Gather", NULL, "s,i0", "n");
  onnxw_op(w, "Gather", NULL, "s,i2", "h");
  onnxw_op(w, "Gather", NULL, "s,i3", "c");
  onnxw_op(w, "Concat", NULL, computed_twice ? "h,two,two,n,c" : "n,two,two,h,c", "t");
  onnxw_attr_int(w, "axis", 0);
  onnxw_op(w, "Reshape", NULL, "x,t", "r");
  onnxw_op(w, "Relu", NULL, "r", "y");
  onnxw_output(w, "y", ONNX_FLOAT, 5, DIMS(-1, 2, 2, -1, 6), NULL);
}

TEST(computed_targets_become_numbers) {
  fixture f;
  shuffle(&f, false);
  CONVERT(&f, .simplify = true, .annotate = true);
  CHECK_STR(ops(f.model), "Reshape Relu");
  const onnx_tensor *t = initializer(f.model, "t_fixed");
  int64_t v[5];
  CHECK(t && t->raw.bytes == sizeof v);
  if (t)
    memcpy(v, t->raw.text, sizeof v);
  CHECK(t && !v[0] && v[1] == 2 && v[2] == 2 && v[3] == -1 && v[4] == 6);
  CHECK_STR(OUTPUT(&f, "y"), "1[N,2,2,H,6]");
  same_results(f.e, &f.in, &f.out, 0);
  finish(&f);
  shuffle(&f, true);  // two dims that are not copied: the arithmetic stays
  CONVERT(&f, .simplify = true);
  CHECK_STR(ops(f.model), "Shape Gather Gather Concat Reshape Relu");
  finish(&f);
}

TEST(views_of_views) {
  fixture f;
  onnxw *w = &f.w;
  begin(&f, 8, 17);
  onnxw_graph(w, "g");
  onnxw_input(w, "x", ONNX_FLOAT, 3, DIMS(-1, 3, 4), (const char *[]){"n", NULL, NULL});
  onnxw_init_i64(w, "ax", 1, DIMS(1), DIMS(2));
  onnxw_init_i64(w, "same", 1, DIMS(3), DIMS(0, 3, 4));
  onnxw_init_i64(w, "flat", 1, DIMS(2), DIMS(0, -1));
  onnxw_init_i64(w, "moved", 1, DIMS(2), DIMS(-1, 0));
  onnxw_op(w, "Unsqueeze", NULL, "x,ax", "u");
  onnxw_op(w, "Reshape", NULL, "u,same", "v");  // the same shape as x: nothing is left of both
  onnxw_op(w, "Relu", NULL, "v", "a");
  onnxw_op(w, "Flatten", NULL, "x", "f");
  onnxw_op(w, "Reshape", NULL, "f,moved", "m");  // the 0 copies 12, which x does not have there
  onnxw_op(w, "Reshape", NULL, "m,flat", "b");
  onnxw_output(w, "a", ONNX_FLOAT, 3, DIMS(-1, 3, 4), NULL);
  onnxw_output(w, "b", ONNX_FLOAT, 2, DIMS(-1, -1), NULL);
  CONVERT(&f, .simplify = true);
  CHECK_STR(ops(f.model), "Relu Flatten");
  CHECK(onnx_str_is(f.model->graph->nodes.v[0].inputs.v[0], "x"));
  CHECK(onnx_str_is(f.model->graph->nodes.v[1].outputs.v[0], "b"));
  same_results(f.e, &f.in, &f.out, 0);
  finish(&f);
}
// SPDX-License-Identifier: Apache-2.0
