// project_cann_cases.c - the cases of inference of one operator in CANN's C++ (tests/test_NAME.cpp).
#include "op/project_cann.h"

// The inputs of a use: with the dtypes of `column`, or c[i] when it is behind the last one.
static void put_inputs(const project_op *op, weft_text *t, size_t column) {
  bool by_column = column == op->n_columns;
  weft__text_addf(t, "node.Outputs(%zu)", op->n_out);
  for (size_t i = 0; i < op->n_in; i++) {
    if (op->in[i].kind == WEFT_OPTIONAL) {
      weft__text_addf(t, ".NoInput()");
      continue;
    }
    weft__text_addf(t, ".Input(");
    if (by_column)
      weft__text_addf(t, "c[%zu]", i);
    else
      project_cann_dtype(t, op->in[i].dtype[column]);
    weft__text_addf(t, ", {2})");
  }
  weft__text_addf(t, ";\n");
}

static weft_status put_cann_values(project *p, const project_op *op, weft_text *t, const char *indent) {
  for (size_t i = 0; i < op->n_attrs; i++) {
    const project_attr *a = &op->attrs[i];
    const char *held = project_cann_attr_of(a->type)->held;
    bool list = !strncmp(held, "std::", 5);
    weft__text_addf(t, "%snode.Attr(%s%s", indent, held, list ? "" : "(");
    WEFT_TRY(project_cann_literal(p, t, a->type, a->dflt ? a->dflt : project_sample(a->type)));
    weft__text_addf(t, "%s);  // %s\n", list ? "" : ")", a->name);
  }
  return WEFT_OK;
}

static weft_status put_shape_case(project *p, const project_op *op, weft_text *t) {
  project_put(p, op, t,
              "// Expects the failure of the stub: once InferShape is written, expect GRAPH_SUCCESS and "
              "shapes.\n"
              "TEST(@snake@_infer_shape) {\n"
              "  weft_cann::TestNode node(\"@op@\");\n  ");
  put_inputs(op, t, 0);
  WEFT_TRY(put_cann_values(p, op, t, "  "));
  weft__text_addf(t,
                  "  CHECK_EQ(node.InferShape(), ge::GRAPH_FAILED);\n"
                  "  CHECK(node.Said(\"InferShape not implemented\"));\n"
                  "  // CHECK_EQ(node.Shape(0), gert::Shape({2}));\n"
                  "}\n\n");
  return WEFT_OK;
}

static void put_columns_table(const project_op *op, weft_text *t) {
  weft__text_addf(t, "  static const ge::DataType columns[][%zu] = {\n", op->n_in + op->n_out);
  for (size_t c = 0; c < op->n_columns; c++) {
    weft__text_addf(t, "      {");
    for (size_t i = 0; i < op->n_in + op->n_out; i++) {
      const project_port *port = i < op->n_in ? &op->in[i] : &op->out[i - op->n_in];
      weft__text_addf(t, "%s", i ? ", " : "");
      project_cann_dtype(t, port->dtype[c]);
    }
    weft__text_addf(t, "},\n");
  }
  weft__text_addf(t, "  };\n");
}

static weft_status put_type_case(project *p, const project_op *op, weft_text *t) {
  project_put(p, op, t, "TEST(@snake@_infer_data_type) {\n");
  bool known = project_cann_types_known(op);
  put_columns_table(op, t);
  project_put(p, op, t,
              "  for (const ge::DataType *c : columns) {\n"
              "    weft_cann::TestNode node(\"@op@\");\n    ");
  put_inputs(op, t, op->n_columns);
  WEFT_TRY(put_cann_values(p, op, t, "    "));
  if (known) {
    weft__text_addf(t, "    CHECK_EQ(node.InferDataType(), ge::GRAPH_SUCCESS);\n");
    for (size_t i = 0; i < op->n_out; i++)
      weft__text_addf(t, "    CHECK_EQ(node.DataType(%zu), c[%zu]);\n", i, op->n_in + i);
  } else {
    weft__text_addf(t,
                    "    CHECK_EQ(node.InferDataType(), ge::GRAPH_FAILED);  // the stub\n"
                    "    CHECK(node.Said(\"InferDataType not implemented\"));\n");
  }
  weft__text_addf(t, "  }\n}\n");
  return WEFT_OK;
}

static weft_status put_cases(project *p, const project_op *op, weft_text *t) {
  project_put(p, op, t,
              "// test_@snake@.cpp - what inference of @op@ gives.\n"
              "#include \"weft_cann/test.h\"\n\n");
  if (!op->n_in) {  // contexts have at least one input
    weft__text_addf(t, "// Contexts of inference need an input: a source is tried with `weft op run`.\n");
    return WEFT_OK;
  }
  WEFT_TRY(put_shape_case(p, op, t));
  return put_type_case(p, op, t);
}

weft_status project_cann_test(project *p, const project_op *op) {
  weft_text t;
  weft__text_init(&t, &p->arena.alloc);
  weft_status s = put_cases(p, op, &t);
  if (s)
    weft__text_deinit(&t);
  WEFT_TRY(s);
  return project_add(p, &t, false, "tests/test_%s.cpp", op->snake);
}
// SPDX-License-Identifier: Apache-2.0
