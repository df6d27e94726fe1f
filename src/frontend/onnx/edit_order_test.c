// edit_order_test.c - a converted model has its nodes behind what they read, whatever order it came in.
#include "convert_fixture.h"

static const int64_t dims[1] = {2};

// Of every list of nodes: is what a node reads, when the list makes it at all, made in front of it?
static bool in_order(const onnx_node *v, size_t n) {
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < v[i].inputs.n; k++) {
      for (size_t j = i; j < n; j++) {
        for (size_t o = 0; o < v[j].outputs.n; o++) {
          onnx_str made = v[j].outputs.v[o];
          onnx_str read = v[i].inputs.v[k];
          if (made.bytes == read.bytes && !memcmp(made.text, read.text, made.bytes))
            return false;
        }
      }
    }
  }
  return true;
}

static void casts_last(fixture *f) {
  onnxw *w = &f->w;
  begin(f, 8, 17);
  onnxw_graph(w, "g");
  onnxw_input(w, "x", ONNX_FLOAT, 1, dims, NULL);
  onnxw_op(w, "Neg", "first", "x", "a");
  onnxw_op(w, "Add", "reader", "a,cast", "b");
  onnxw_op(w, "Relu", "last", "b", "y");
  onnxw_op(w, "Abs", "middle", "x", "half");
  onnxw_op(w, "Sqrt", "cast", "half", "cast");
  onnxw_output(w, "y", ONNX_FLOAT, 1, dims, NULL);
}

TEST(nodes_are_written_behind_what_they_read) {
  fixture f;
  casts_last(&f);
  CONVERT(&f, .keep_metadata = true);
  CHECK_STR(ops(f.model), "Neg Abs Sqrt Add Relu");
  CHECK_HAS(f.said.text, "2 nodes moved in front of what reads their outputs");
  CONVERT(&f, .simplify = true, .annotate = true);  // the sweep finds no live node dead
  CHECK_STR(ops(f.model), "Neg Abs Sqrt Add Relu");
  CONVERT(&f, .floats = WEFT_CONVERT_F16);
  CHECK(in_order(f.model->graph->nodes.v, f.model->graph->nodes.n));
  CONVERT(&f, .to = (const char *[]){"b"}, .n_to = 1);
  CHECK_STR(ops(f.model), "Neg Abs Sqrt Add");
  finish(&f);
}

TEST(a_model_in_order_comes_back_byte_for_byte) {
  fixture f;
  onnxw *w = &f.w;
  begin(&f, 8, 17);
  onnxw_graph(w, "g");
  onnxw_input(w, "x", ONNX_FLOAT, 1, dims, NULL);
  onnxw_op(w, "Neg", "a", "x", "a");
  onnxw_op(w, "Relu", "b", "a", "y");
  onnxw_output(w, "y", ONNX_FLOAT, 1, dims, NULL);
  CONVERT(&f, .keep_metadata = true);
  CHECK(f.out.n == f.in.n && !memcmp(f.out.v, f.in.v, f.in.n));
  CHECK(!strstr(f.said.text, "moved"));
  finish(&f);
}

TEST(bodies_are_sorted_and_what_they_read_counts) {
  fixture f;
  onnxw *w = &f.w;
  begin(&f, 8, 17);
  onnxw_graph(w, "g");
  onnxw_input(w, "c", ONNX_BOOL, 0, NULL, NULL);
  onnxw_input(w, "x", ONNX_FLOAT, 1, dims, NULL);
  onnxw_op(w, "If", "if", "c", "y");
  for (int b = 0; b < 2; b++) {
    onnxw_attr_graph(w, b ? "else_branch" : "then_branch", b ? "else" : "then");
    onnxw_op(w, "Neg", b ? "n" : "m", b ? "q" : "p", b ? "t" : "s");
    onnxw_op(w, "Relu", b ? "l" : "k", "late", b ? "q" : "p");
    onnxw_output(w, b ? "t" : "s", ONNX_FLOAT, 1, dims, NULL);
    onnxw_attr_graph_end(w);
  }
  onnxw_op(w, "Abs", "late", "x", "late");
  onnxw_output(w, "y", ONNX_FLOAT, 1, dims, NULL);
  CONVERT(&f, .keep_metadata = true);
  CHECK_STR(ops(f.model), "Abs If");
  CHECK_HAS(f.said.text, "3 nodes moved");
  const onnx_node *branch = &f.model->graph->nodes.v[1];
  CHECK_INT(branch->attributes.n, 2);
  for (size_t i = 0; i < branch->attributes.n; i++) {
    const onnx_graph *g = branch->attributes.v[i].g;
    CHECK(g && g->nodes.n == 2 && onnx_str_is(g->nodes.v[0].op_type, "Relu"));
  }
  finish(&f);
}

TEST(functions_are_sorted) {
  fixture f;
  onnxw *w = &f.w;
  begin(&f, 8, 17);
  onnxw_opset(w, "local", 1);
  onnxw_graph(w, "g");
  onnxw_input(w, "x", ONNX_FLOAT, 1, dims, NULL);
  onnxw_op(w, "Twice", "call", "x", "y");
  onnxw_domain(w, "local");
  onnxw_output(w, "y", ONNX_FLOAT, 1, dims, NULL);
  onnxw_function(w, "local", "Twice", "a", "b", NULL);
  onnxw_opset(w, "", 17);
  onnxw_op(w, "Relu", "second", "t", "b");
  onnxw_op(w, "Add", "first", "a,a", "t");
  onnxw_function_end(w);
  CONVERT(&f, .keep_metadata = true);
  CHECK_INT(f.model->functions.n, 1);
  CHECK(f.model->functions.n && in_order(f.model->functions.v[0].nodes.v, f.model->functions.v[0].nodes.n));
  CHECK_HAS(f.said.text, "1 node moved in front of what reads its outputs");
  finish(&f);
}

TEST(a_cycle_is_left_to_the_importer) {
  fixture f;
  onnxw *w = &f.w;
  begin(&f, 8, 17);
  onnxw_graph(w, "g");
  onnxw_input(w, "x", ONNX_FLOAT, 1, dims, NULL);
  onnxw_op(w, "Add", "one", "x,b", "a");
  onnxw_op(w, "Relu", "two", "a", "b");
  onnxw_output(w, "b", ONNX_FLOAT, 1, dims, NULL);
  CHECK_FAILS(convert(&f, (weft_convert_options){.annotate = true}), WEFT_E_CYCLE);
  CHECK_HAS(f.d.text, "node 'one' (Add)");
  finish(&f);
}

TEST(sorting_survives_every_failing_allocation) {
  fixture f;
  casts_last(&f);
  CHECK(!onnxw_finish(&f.w, &f.d));
  check_alloc count = {0};
  weft_diag d = {0};
  weft_env *e = NULL;
  weft_env_options eo = {.size = sizeof eo, .package_path = "", .allocator = check_allocator(&count)};
  CHECK_OK(weft_env_create(&eo, &e, &d), &d);
  weft_convert_options o = {.keep_metadata = true};
  for (long k = 1; k < 10000; k++) {
    f.out.n = 0;
    weft_diag_clear(&d);
    count.fail_at = count.calls + k;
    weft_status s = weft_onnx_convert(e, f.in.v, f.in.n, "scarce", &o, weft__text_write, &f.out, &d);
    bool failed = count.calls >= count.fail_at;
    count.fail_at = 0;
    if (!failed) {
      CHECK_OK(s, &d);
      break;
    }
    CHECK_INT(s, WEFT_E_NOMEM);
  }
  weft_env_destroy(e);
  CHECK_INT(count.live_blocks, 0);
  finish(&f);
}
// SPDX-License-Identifier: Apache-2.0
