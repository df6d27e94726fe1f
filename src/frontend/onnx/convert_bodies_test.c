// convert_bodies_test.c - ONNX to ONNX inside bodies: constants folded there, known branches, dead nodes,
// f16; and freeing a fixed first dim.
#include <stdlib.h>
#include <unistd.h>

#include "convert_fixture.h"

static const onnx_graph *body_of(const onnx_model *m, size_t node, size_t attr) {
  return m->graph->nodes.v[node].attributes.v[attr].g;
}

static const char *body_ops(const onnx_graph *g) {
  onnx_model m = {.graph = g};
  return ops(&m);
}

static void bool_init(fixture *f, const char *name, bool v) {
  uint8_t byte = v;
  onnxw_init_raw(&f->w, name, ONNX_BOOL, 0, NULL, &byte, 1);
}

// y = c ? (x + (2 * 3)) through an Identity : x * outer; a dead node in each branch.
static void two_branches(fixture *f, bool known, bool value) {
  onnxw *w = &f->w;
  begin(f, 8, 17);
  onnxw_graph(w, "g");
  onnxw_input(w, "x", ONNX_FLOAT, 1, DIMS(3), NULL);
  if (known)
    bool_init(f, "c", value);
  else
    onnxw_input(w, "c", ONNX_BOOL, 0, NULL, NULL);
  onnxw_init_f32(w, "outer", 0, NULL, (const float[]){0.5f});
  onnxw_op(w, "Relu", NULL, "x", "r");
  onnxw_op(w, "If", "if", "c", "y");
  onnxw_attr_graph(w, "then_branch", "then");
  onnxw_init_f32(w, "three", 0, NULL, (const float[]){3});
  onnxw_op(w, "Constant", NULL, NULL, "two");
  onnxw_attr_float(w, "value_float", 2);
  onnxw_op(w, "Mul", NULL, "two,three", "six");
  onnxw_op(w, "Mul", NULL, "six,outer", "half");
  onnxw_op(w, "Identity", NULL, "r", "same");
  onnxw_op(w, "Neg", NULL, "same", "dead");
  onnxw_op(w, "Add", NULL, "same,half", "t");
  onnxw_output(w, "t", ONNX_FLOAT, 1, DIMS(3), NULL);
  onnxw_attr_graph_end(w);
  onnxw_attr_graph(w, "else_branch", "else");
  onnxw_op(w, "Sqrt", NULL, "outer", "root");
  onnxw_op(w, "Mul", NULL, "x,root", "e");
  onnxw_output(w, "e", ONNX_FLOAT, 1, DIMS(3), NULL);
  onnxw_attr_graph_end(w);
  onnxw_op(w, "Abs", NULL, "y", "z");
  onnxw_output(w, "z", ONNX_FLOAT, 1, DIMS(3), NULL);
}

TEST(branches_are_simplified) {
  fixture f;
  two_branches(&f, false, false);
  CONVERT(&f, .simplify = true);
  CHECK_STR(ops(f.model), "Relu If Abs");
  CHECK_STR(body_ops(body_of(f.model, 1, 0)), "Add");
  CHECK_STR(body_ops(body_of(f.model, 1, 1)), "Mul");
  CHECK_INT(body_of(f.model, 1, 0)->initializers.n, 1);
  CHECK(onnx_str_is(body_of(f.model, 1, 0)->initializers.v[0].name, "half"));
  CHECK(onnx_str_is(body_of(f.model, 1, 0)->outputs.v[0].name, "t"));
  CHECK_INT(body_of(f.model, 1, 0)->inputs.n, 0);
  CHECK(!initializer(f.model, "outer"));  // nobody reads it any more
  CHECK_HAS(f.said.text, "nodes whose bodies were simplified: 1");
  same_results(f.e, &f.in, &f.out, 0);
  weft_text once = f.out;
  weft_allocator a = weft_allocator_default();
  weft__text_init(&f.out, &a);
  weft_convert_options o = {.simplify = true};
  CHECK(!weft_onnx_convert(f.e, once.v, once.n, "again", &o, weft__text_write, &f.out, &f.d));
  CHECK(once.n == f.out.n && !memcmp(once.v, f.out.v, once.n));
  weft__text_deinit(&once);
  finish(&f);
}

TEST(known_branch_replaces_the_if) {
  for (int value = 0; value < 2; value++) {
    fixture f;
    two_branches(&f, true, value);
    CONVERT(&f, .simplify = true, .annotate = true);
    CHECK_STR(ops(f.model), value ? "Relu Add Abs" : "Mul Abs");
    CHECK(onnx_str_is(f.model->graph->nodes.v[value].outputs.v[0], "y"));
    CHECK(initializer(f.model, value ? "half" : "root") && !initializer(f.model, "c"));
    CHECK_HAS(f.said.text, "nodes replaced by the branch that is taken: 1 (If)");
    same_results(f.e, &f.in, &f.out, 0);
    finish(&f);
  }
}

// Names of the branch that are taken outside get others; outputs that the branch does not make itself are
// handed through; a body inside the branch reads the new names.
TEST(known_branch_with_clashing_names) {
  fixture f;
  onnxw *w = &f.w;
  begin(&f, 8, 17);
  onnxw_graph(w, "g");
  onnxw_input(w, "x", ONNX_FLOAT, 1, DIMS(3), NULL);
  onnxw_input(w, "d", ONNX_BOOL, 0, NULL, NULL);
  bool_init(&f, "c", true);
  onnxw_op(w, "If", "if", "c", "a,b,k,a2");
  for (int b = 0; b < 2; b++) {
    onnxw_attr_graph(w, b ? "else_branch" : "then_branch", "b");
    onnxw_init_f32(w, "w", 0, NULL, (const float[]){b ? 3.0f : 4.0f});
    onnxw_op(w, b ? "Add" : "Mul", NULL, "x,w", "t");
    onnxw_op(w, "If", NULL, "d", "u");
    for (int i = 0; i < 2; i++) {
      onnxw_attr_graph(w, i ? "else_branch" : "then_branch", "inner");
      onnxw_op(w, i ? "Neg" : "Exp", NULL, "t", "i");
      onnxw_output(w, "i", ONNX_FLOAT, 1, DIMS(3), NULL);
      onnxw_attr_graph_end(w);
    }
    onnxw_output(w, "t", ONNX_FLOAT, 1, DIMS(3), NULL);
    onnxw_output(w, "u", ONNX_FLOAT, 1, DIMS(3), NULL);
    onnxw_output(w, "w", ONNX_FLOAT, 0, NULL, NULL);
    onnxw_output(w, "t", ONNX_FLOAT, 1, DIMS(3), NULL);
    onnxw_attr_graph_end(w);
  }
  onnxw_op(w, "Relu", NULL, "x", "w");  // the branch's own w hides nothing, but the name is taken
  onnxw_op(w, "Add", NULL, "a,w", "a1");
  onnxw_output(w, "a1", ONNX_FLOAT, 1, DIMS(3), NULL);
  onnxw_output(w, "b", ONNX_FLOAT, 1, DIMS(3), NULL);
  onnxw_output(w, "k", ONNX_FLOAT, 0, NULL, NULL);
  onnxw_output(w, "a2", ONNX_FLOAT, 1, DIMS(3), NULL);
  CONVERT(&f, .simplify = true);
  CHECK_STR(ops(f.model), "Mul If Identity Relu Add");
  CHECK(initializer(f.model, "k") != NULL);
  same_results(f.e, &f.in, &f.out, 0);
  finish(&f);
}

// i counts to 3; v = relu(v * (w * w)) and a known inner condition; scan output.
static void loop(fixture *f, int64_t ir_version) {
  onnxw *w = &f->w;
  int64_t three = 3;
  begin(f, ir_version, 17);
  onnxw_graph(w, "g");
  onnxw_input(w, "x", ONNX_FLOAT, 1, DIMS(3), NULL);
  onnxw_init_f32(w, "w", 1, DIMS(3), (const float[]){0.5f, 1, 1.5f});
  onnxw_init_raw(w, "n", ONNX_INT64, 0, NULL, &three, 8);
  bool_init(f, "go", true);
  onnxw_op(w, "Loop", "loop", "n,go,x", "y,all");
  onnxw_attr_graph(w, "body", "body");
  onnxw_input(w, "i", ONNX_INT64, 0, NULL, NULL);
  onnxw_input(w, "cond", ONNX_BOOL, 0, NULL, NULL);
  onnxw_input(w, "v", ONNX_FLOAT, 1, DIMS(3), NULL);
  onnxw_op(w, "Identity", NULL, "cond", "cond_out");
  onnxw_op(w, "Mul", NULL, "w,w", "ww");
  onnxw_op(w, "Identity", NULL, "v", "v1");
  onnxw_op(w, "If", NULL, "go", "m");
  onnxw_attr_graph(w, "then_branch", "t");
  onnxw_op(w, "Mul", NULL, "v1,ww", "p");
  onnxw_output(w, "p", ONNX_FLOAT, 1, DIMS(3), NULL);
  onnxw_attr_graph_end(w);
  onnxw_attr_graph(w, "else_branch", "e");
  onnxw_op(w, "Neg", NULL, "v1", "q");
  onnxw_output(w, "q", ONNX_FLOAT, 1, DIMS(3), NULL);
  onnxw_attr_graph_end(w);
  onnxw_op(w, "Relu", NULL, "m", "v_out");
  onnxw_op(w, "Cast", NULL, "i", "fi");
  onnxw_attr_int(w, "to", ONNX_FLOAT);
  onnxw_op(w, "Add", NULL, "v_out,fi", "scan");
  onnxw_output(w, "cond_out", ONNX_BOOL, 0, NULL, NULL);
  onnxw_output(w, "v_out", ONNX_FLOAT, 1, DIMS(3), NULL);
  onnxw_output(w, "scan", ONNX_FLOAT, 1, DIMS(3), NULL);
  onnxw_attr_graph_end(w);
  onnxw_output(w, "y", ONNX_FLOAT, 1, DIMS(3), NULL);
  onnxw_output(w, "all", ONNX_FLOAT, 2, DIMS(-1, 3), NULL);
}

TEST(loop_bodies_are_simplified) {
  for (int64_t ir = 3; ir <= 8; ir += 5) {
    fixture f;
    loop(&f, ir);
    CONVERT(&f, .simplify = true);
    CHECK_STR(ops(f.model), "Loop");
    const onnx_graph *b = body_of(f.model, 0, 0);
    CHECK_STR(body_ops(b), "Identity Mul Relu Cast Add");
    CHECK_INT(b->inputs.n, 3);  // before version 4 of the IR as well
    CHECK_INT(b->outputs.n, 3);
    CHECK(b->initializers.n == 1 && onnx_str_is(b->initializers.v[0].name, "ww"));
    CHECK(!initializer(f.model, "w"));
    same_results(f.e, &f.in, &f.out, 0);
    finish(&f);
  }
}

// An output that is a constant now gets a type, which other tools read from its producer otherwise. Twice is
// once.
TEST(constant_outputs_of_bodies_are_typed) {
  fixture f;
  onnxw *w = &f.w;
  begin(&f, 8, 17);
  onnxw_graph(w, "g");
  onnxw_input(w, "x", ONNX_FLOAT, 1, DIMS(3), NULL);
  onnxw_input(w, "c", ONNX_BOOL, 0, NULL, NULL);
  onnxw_init_f32(w, "k", 1, DIMS(3), (const float[]){4, 9, 16});
  onnxw_op(w, "If", "if", "c", "y");
  onnxw_attr_graph(w, "then_branch", "t");
  onnxw_op(w, "Sqrt", NULL, "k", "t");
  onnxw_output(w, "t", ONNX_UNDEFINED, -1, NULL, NULL);
  onnxw_attr_graph_end(w);
  onnxw_attr_graph(w, "else_branch", "e");
  onnxw_op(w, "Neg", NULL, "x", "e");
  onnxw_output(w, "e", ONNX_FLOAT, 1, DIMS(3), NULL);
  onnxw_attr_graph_end(w);
  onnxw_output(w, "y", ONNX_FLOAT, 1, DIMS(3), NULL);
  CONVERT(&f, .simplify = true);
  CHECK_STR(body_ops(body_of(f.model, 0, 0)), "");
  CHECK_STR(type_text(&body_of(f.model, 0, 0)->outputs.v[0]), "1[3]");
  same_results(f.e, &f.in, &f.out, 0);
  weft_text once = f.out;
  weft_allocator a = weft_allocator_default();
  weft__text_init(&f.out, &a);
  weft_convert_options o = {.simplify = true};
  CHECK(!weft_onnx_convert(f.e, once.v, once.n, "again", &o, weft__text_write, &f.out, &f.d));
  CHECK(once.n == f.out.n && !memcmp(once.v, f.out.v, once.n));
  weft__text_deinit(&once);
  finish(&f);
}

// BatchNormalization behind Conv in a branch, the weights in the graph around: new weights lie in the branch.
TEST(batch_norm_in_a_branch) {
  fixture f;
  onnxw *w = &f.w;
  begin(&f, 8, 15);
  onnxw_graph(w, "g");
  onnxw_input(w, "x", ONNX_FLOAT, 4, DIMS(1, 1, 3, 3), NULL);
  onnxw_input(w, "c", ONNX_BOOL, 0, NULL, NULL);
  onnxw_init_f32(w, "w", 4, DIMS(1, 1, 1, 1), (const float[]){2});
  onnxw_init_f32(w, "w_bn", 1, DIMS(1), (const float[]){7});  // a name that is taken
  onnxw_op(w, "If", "if", "c", "y");
  onnxw_attr_graph(w, "then_branch", "t");
  for (int i = 0; i < 4; i++)
    onnxw_init_f32(w, (const char *[]){"s", "b", "m", "v"}[i], 1, DIMS(1), &(float){(float)i + 1});
  onnxw_op(w, "Conv", NULL, "x,w", "k");
  onnxw_op(w, "BatchNormalization", NULL, "k,s,b,m,v", "t");
  onnxw_output(w, "t", ONNX_FLOAT, 4, DIMS(1, 1, 3, 3), NULL);
  onnxw_attr_graph_end(w);
  onnxw_attr_graph(w, "else_branch", "e");
  onnxw_op(w, "Mul", NULL, "x,w_bn", "e");
  onnxw_output(w, "e", ONNX_FLOAT, 4, DIMS(1, 1, 3, 3), NULL);
  onnxw_attr_graph_end(w);
  onnxw_output(w, "y", ONNX_FLOAT, 4, DIMS(1, 1, 3, 3), NULL);
  CONVERT(&f, .simplify = true);
  CHECK_STR(body_ops(body_of(f.model, 0, 0)), "Conv");
  for (size_t i = 0; i < body_of(f.model, 0, 0)->initializers.n; i++)
    CHECK(!onnx_str_is(body_of(f.model, 0, 0)->initializers.v[i].name, "w_bn"));
  same_results(f.e, &f.in, &f.out, 1e-6);
  finish(&f);
}

// Range has no f16 form: in a body, too, it stands between Casts.
TEST(f16_in_bodies) {
  fixture f;
  onnxw *w = &f.w;
  int64_t three = 3;
  begin(&f, 8, 17);
  onnxw_graph(w, "g");
  onnxw_input(w, "x", ONNX_FLOAT, 1, DIMS(3), NULL);
  onnxw_input(w, "c", ONNX_BOOL, 0, NULL, NULL);
  onnxw_init_raw(w, "n", ONNX_INT64, 0, NULL, &three, 8);
  onnxw_init_f32(w, "step", 0, NULL, (const float[]){0.5f});
  onnxw_op(w, "If", "if", "c", "y");
  onnxw_attr_graph(w, "then_branch", "t");
  onnxw_init_f32(w, "zero", 0, NULL, (const float[]){0});
  onnxw_init_f32(w, "end", 0, NULL, (const float[]){1.5f});
  onnxw_op(w, "Range", "count", "zero,end,step", "k");
  onnxw_op(w, "Add", NULL, "x,k", "t");
  onnxw_output(w, "t", ONNX_FLOAT, 1, DIMS(3), NULL);
  onnxw_attr_graph_end(w);
  onnxw_attr_graph(w, "else_branch", "e");
  onnxw_op(w, "Mul", NULL, "x,step", "e");
  onnxw_output(w, "e", ONNX_FLOAT, 1, DIMS(3), NULL);
  onnxw_attr_graph_end(w);
  onnxw_output(w, "y", ONNX_FLOAT, 1, DIMS(3), NULL);
  CONVERT(&f, .floats = WEFT_CONVERT_F16);
  const onnx_graph *b = body_of(f.model, 0, 0);
  CHECK_STR(body_ops(b), "Cast Range Cast Add");
  CHECK(b->initializers.v[0].data_type == ONNX_FLOAT);  // only Range reads it
  CHECK_STR(type_text(&b->outputs.v[0]), "10[3]");
  CHECK_STR(type_text(&body_of(f.model, 0, 1)->outputs.v[0]), "10[3]");
  CHECK_INT(initializer(f.model, "step")->data_type, ONNX_FLOAT16);
  CHECK_HAS(f.said.text, "1 node in bodies have no f16 form: Casts put around: 'count' (Range)");
  same_results(f.e, &f.in, &f.out, 1e-3);
  finish(&f);
  loop(&f, 8);
  CONVERT(&f, .floats = WEFT_CONVERT_F16);
  same_results(f.e, &f.in, &f.out, 2e-3);
  finish(&f);
}

// ---- a fixed first dim becomes free ----

TEST(batch_becomes_a_symbol) {
  fixture f;
  onnxw *w = &f.w;
  begin(&f, 8, 17);
  onnxw_graph(w, "g");
  onnxw_input(w, "x", ONNX_FLOAT, 3, DIMS(1, 3, 4), NULL);
  onnxw_input(w, "u", ONNX_FLOAT, 2, DIMS(1, 12), NULL);
  onnxw_init_i64(w, "flat", 1, DIMS(2), DIMS(1, 12));
  onnxw_init_i64(w, "rows", 1, DIMS(2), DIMS(3, 4));
  onnxw_op(w, "Reshape", NULL, "x,flat", "f");
  onnxw_op(w, "Add", NULL, "f,u", "s");
  onnxw_op(w, "Reshape", NULL, "s,rows", "y");
  onnxw_output(w, "s", ONNX_FLOAT, 2, DIMS(1, 12), NULL);
  onnxw_output(w, "y", ONNX_FLOAT, 2, DIMS(3, 4), NULL);
  CONVERT(&f, .batch_name = "N");
  CHECK_STR(INPUT(&f, "x"), "1[N,3,4]");
  CHECK_STR(INPUT(&f, "u"), "1[N,12]");
  CHECK_STR(OUTPUT(&f, "s"), "1[N,12]");
  CHECK(!initializer(f.model, "flat"));
  CHECK_HAS(f.said.text, "first dim of 2 inputs set to N");
  CHECK_HAS(f.said.text, "targets of Reshape that follow the first dim now: 2");
  weft_tensor out[MOST];
  CHECK_INT(run(f.e, f.out.v, f.out.n, out), 2);  // with two samples
  CHECK_INT(weft_tensor_elems(&out[0]), 24);
  for (size_t i = 0; i < MOST; i++)
    weft_tensor_deinit(&out[i]);
  CONVERT(&f, .batch = 5);
  CHECK_STR(OUTPUT(&f, "s"), "1[5,12]");
  CHECK_STR(OUTPUT(&f, "y"), "1[15,4]");
  CONVERT(&f, .batch = 1);
  same_results(f.e, &f.in, &f.out, 0);
  CONVERT(&f, .batch_name = "?");
  CHECK_STR(INPUT(&f, "x"), "1[?,3,4]");
  CHECK_FAILS(convert(&f, (weft_convert_options){.batch = 2, .batch_name = "N"}), WEFT_E_INVALID);
  CHECK_FAILS(convert(&f, (weft_convert_options){.batch_name = ""}), WEFT_E_INVALID);
  finish(&f);
}

// ---- external data ----

TEST(batch_norm_with_external_weights) {
  fixture f;
  onnxw *w = &f.w;
  float data[4] = {2, 3, 0.5f, -1};
  char folder[] = "/tmp/weft_convert_XXXXXX";
  char path[64];
  char weights[64];
  CHECK(mkdtemp(folder) != NULL);
  snprintf(path, sizeof path, "%s/m.onnx", folder);
  snprintf(weights, sizeof weights, "%s/w.bin", folder);
  FILE *file = fopen(weights, "wb");
  CHECK(file && fwrite(data, 1, sizeof data, file) == sizeof data);
  if (file)
    fclose(file);
  begin(&f, 8, 15);
  onnxw_graph(w, "g");
  onnxw_input(w, "x", ONNX_FLOAT, 4, DIMS(1, 2, 1, 1), NULL);
  onnxw_init_external(w, "w", ONNX_FLOAT, 4, DIMS(2, 2, 1, 1),
                      &(onnxw_external){.location = "w.bin", .offset = 0, .bytes = 16});
  for (int i = 0; i < 4; i++)
    onnxw_init_f32(w, (const char *[]){"s", "b", "m", "v"}[i], 1, DIMS(2), (const float[]){(float)i + 1, 2});
  onnxw_op(w, "Conv", NULL, "x,w", "k");
  onnxw_op(w, "BatchNormalization", NULL, "k,s,b,m,v", "y");
  onnxw_output(w, "y", ONNX_FLOAT, 4, DIMS(1, 2, 1, 1), NULL);
  CONVERT(&f, .simplify = true, .path = path);
  CHECK_STR(ops(f.model), "Conv");
  const onnx_tensor *t = initializer(f.model, "w_bn");
  CHECK(t && t->raw.bytes == 16 && !t->external_data.n && !initializer(f.model, "w"));
  weft_tensor out[MOST];
  CHECK_INT(run(f.e, f.out.v, f.out.n, out), 1);  // without the file
  for (size_t i = 0; i < MOST; i++)
    weft_tensor_deinit(&out[i]);
  CONVERT(&f, .floats = WEFT_CONVERT_F16, .path = path);
  CHECK(initializer(f.model, "w") && initializer(f.model, "w")->data_type == ONNX_FLOAT16);
  remove(weights);
  CONVERT(&f, .simplify = true, .path = path);  // the file is gone: shapes are known, values are not
  CHECK_STR(ops(f.model), "Conv BatchNormalization");
  CHECK_HAS(f.said.text, "note: the external data cannot be read, values of them are not known:");
  rmdir(folder);
  finish(&f);
}
// SPDX-License-Identifier: Apache-2.0
