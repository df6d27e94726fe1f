// project_cann_op.c - one operator in CANN's C++: definition, inference, tiling and the function of the CPU.
// What the description does not say is not guessed: those functions fail with a message of their own (R314).
// What it does say, the dtypes of outputs, is written out.
#include "op/project_cann.h"

#include "op/attr.h"

static const project_cann_attr ATTRS[] = {
    {WEFT_VT_INT, "Int", "int64_t"},
    {WEFT_VT_FLOAT, "Float", "float"},
    {WEFT_VT_BOOL, "Bool", "bool"},
    {WEFT_VT_STRING, "String", "ge::AscendString"},
    {WEFT_VT_LIST_INT, "ListInt", "std::vector<int64_t>"},
    {WEFT_VT_LIST_FLOAT, "ListFloat", "std::vector<float>"},
    {WEFT_VT_LIST_BOOL, "ListBool", "std::vector<bool>"},
    {WEFT_VT_LIST_LIST_INT, "ListListInt", "std::vector<std::vector<int64_t>>"},
};

const project_cann_attr *project_cann_attr_of(weft_attr_type type) {
  for (size_t i = 0; i < WEFT_COUNT(ATTRS); i++) {
    if (ATTRS[i].type == type)
      return &ATTRS[i];
  }
  return NULL;
}

weft_status project_cann_check(const project *p, const project_op *op) {
  for (size_t i = 0; i < op->n_attrs; i++) {
    if (project_cann_attr_of(op->attrs[i].type))
      continue;
    return weft_fail(
        p->d, WEFT_E_UNSUPPORTED,
        "%s: attribute '%s' of %s is a %s, which ops::OpDef cannot declare: give it another type, "
        "or write its prototype with REG_OP",
        p->file_name, op->attrs[i].name, op->type, weft_attr_type_name(op->attrs[i].type));
  }
  return WEFT_OK;
}

void project_cann_dtype(weft_text *t, weft_dtype type) {
  const int last_with_name = WEFT_HIFLOAT4;
  if ((int)type > last_with_name)
    weft__text_addf(t, "static_cast<ge::DataType>(%d)", (int)type);
  else
    weft__text_addf(t, "ge::DT_%s", project_dtype_c(type) + strlen("WEFT_"));
}

static void cann_format(weft_text *t, weft_format format) {
  char text[64];
  const char *name = project_format_c(format, text, sizeof text);
  if (strncmp(name, "WEFT_", 5))
    weft__text_addf(t, "static_cast<ge::Format>(%s)", name);
  else
    weft__text_addf(t, "ge::FORMAT_%s", name + 5);
}

// ---- attributes ----

static weft_status cann_string(project *p, weft_text *t, const char *text) {
  weft_attr value;
  size_t used;
  WEFT_TRY(weft_attr_parse(WEFT_VT_STRING, text, strlen(text), &p->arena, &value, &used, p->d));
  const char *copy = weft__arena_strdup(&p->arena, value.u.s, value.n);
  WEFT_TRY(project_allocated(copy != NULL, p));
  project_put_c_string(t, copy);
  return WEFT_OK;
}

weft_status project_cann_literal(project *p, weft_text *t, weft_attr_type type, const char *text) {
  if (type == WEFT_VT_STRING)
    return cann_string(p, t, text);
  for (const char *at = text; *at; at++) {
    if (*at == '[' || *at == ']')
      weft__text_add(t, *at == '[' ? "{" : "}", 1);
    else
      weft__text_add(t, at, 1);
  }
  return WEFT_OK;
}

static weft_status put_cann_attr(project *p, weft_text *t, const project_attr *a) {
  const char *setter = project_cann_attr_of(a->type)->setter;
  weft__text_addf(t, "    this->Attr(\"%s\").AttrType(%s).%s(", a->name, a->dflt ? "OPTIONAL" : "REQUIRED",
                  setter);
  if (a->dflt)
    WEFT_TRY(project_cann_literal(p, t, a->type, a->dflt));
  weft__text_addf(t, ");\n");
  return WEFT_OK;
}

// ---- the definition ----

static void put_cann_port(const project_op *op, weft_text *t, const char *what, const project_port *port) {
  static const char *const kinds[] = {"REQUIRED", "OPTIONAL", "DYNAMIC"};
  weft__text_addf(t, "    this->%s(\"%s\")\n        .ParamType(%s)\n        .DataType({", what, port->name,
                  kinds[port->kind]);
  for (size_t c = 0; c < op->n_columns; c++) {
    weft__text_addf(t, "%s", c ? ", " : "");
    project_cann_dtype(t, port->dtype[c]);
  }
  weft__text_addf(t, "})\n        .Format({");
  for (size_t c = 0; c < op->n_columns; c++) {
    weft__text_addf(t, "%s", c ? ", " : "");
    cann_format(t, port->format[c]);
  }
  weft__text_addf(t, "});\n");
}

static weft_status put_definition(project *p, const project_op *op, weft_text *t) {
  project_put(p, op, t,
              "// Entry i of every port together is one supported combination.\n"
              "namespace ops {\n"
              "class @op@ : public OpDef {\n"
              " public:\n"
              "  explicit @op@(const char *name) : OpDef(name) {\n");
  for (size_t i = 0; i < op->n_in; i++)
    put_cann_port(op, t, "Input", &op->in[i]);
  for (size_t i = 0; i < op->n_out; i++)
    put_cann_port(op, t, "Output", &op->out[i]);
  for (size_t i = 0; i < op->n_attrs; i++)
    WEFT_TRY(put_cann_attr(p, t, &op->attrs[i]));
  project_put(p, op, t,
              "    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);\n"
              "    this->AICore().SetTiling(optiling::TilingFunc);\n"
              "    this->AICore().AddConfig(\"ascend910b\");\n"
              "  }\n"
              "};\n"
              "OP_ADD(@op@);\n"
              "}  // namespace ops\n");
  return WEFT_OK;
}

// ---- inference ----

static bool same_types(const project_op *op, const project_port *a, const project_port *b) {
  for (size_t c = 0; c < op->n_columns; c++) {
    if (a->dtype[c] != b->dtype[c])
      return false;
  }
  return true;
}

static bool one_type(const project_op *op, const project_port *port) {
  for (size_t c = 1; c < op->n_columns; c++) {
    if (port->dtype[c] != port->dtype[0])
      return false;
  }
  return op->n_columns > 0;
}

project_type_rule project_cann_type(const project_op *op, size_t output, size_t *input) {
  const project_port *port = &op->out[output];
  if (one_type(op, port))
    return PROJECT_TYPE_FIXED;
  for (size_t i = 0; i < op->n_in; i++) {
    *input = i;
    if (op->in[i].kind == WEFT_REQUIRED && same_types(op, port, &op->in[i]))
      return PROJECT_TYPE_OF_INPUT;
  }
  return PROJECT_TYPE_OPEN;
}

bool project_cann_types_known(const project_op *op) {
  size_t input;
  for (size_t i = 0; i < op->n_out; i++) {
    if (op->out[i].kind != WEFT_REQUIRED || project_cann_type(op, i, &input) == PROJECT_TYPE_OPEN)
      return false;
  }
  return true;
}

static const char INFER_SHAPE[] =
    "namespace ge {\n"
    "// Sets the shape of every output from the shapes of the inputs, attributes (context->GetAttrs()) and, "
    "for "
    "inputs\n"
    "// declared with ValueDepend, values. A dim of -1 is not known; a shape of the one dim -2 has an "
    "unknown "
    "rank.\n"
    "static graphStatus InferShape(gert::InferShapeContext *context) {\n"
    "  // *context->GetOutputShape(0) = *context->GetInputShape(0);\n"
    "  OP_LOGE(context, \"InferShape not implemented\");\n"
    "  return GRAPH_FAILED;\n"
    "}\n"
    "\n";

static void put_infer_data_type(const project_op *op, weft_text *t) {
  weft__text_addf(t, "static graphStatus InferDataType(gert::InferDataTypeContext *context) {\n");
  if (!project_cann_types_known(op)) {
    weft__text_addf(
        t,
        "  // The combinations alone do not decide: context->SetOutputDataType(i, type) for every "
        "output.\n"
        "  OP_LOGE(context, \"InferDataType not implemented\");\n"
        "  return GRAPH_FAILED;\n}\n}  // namespace ge\n\n");
    return;
  }
  if (!op->n_out)
    weft__text_addf(t, "  (void)context;\n");
  for (size_t i = 0; i < op->n_out; i++) {
    size_t input = 0;
    weft__text_addf(t, "  context->SetOutputDataType(%zu, ", i);
    if (project_cann_type(op, i, &input) == PROJECT_TYPE_FIXED)
      project_cann_dtype(t, op->out[i].dtype[0]);
    else
      weft__text_addf(t, "context->GetRequiredInputDataType(%zu)", input);
    weft__text_addf(t, ");\n");
  }
  weft__text_addf(t, "  return GRAPH_SUCCESS;\n}\n}  // namespace ge\n\n");
}

// ---- tiling ----

static const char TILING_HEADER[] =
    "// @snake@_tiling.h - what the host tells a kernel of @op@.\n"
    "#pragma once\n"
    "#include \"register/tilingdata_base.h\"\n"
    "\n"
    "namespace optiling {\n"
    "BEGIN_TILING_DATA_DEF(@op@TilingData)\n"
    "TILING_DATA_FIELD_DEF(uint64_t, size);\n"
    "END_TILING_DATA_DEF;\n"
    "REGISTER_TILING_DATA_CLASS(@op@, @op@TilingData)\n"
    "}  // namespace optiling\n";
static const char TILING[] =
    "namespace optiling {\n"
    "// How a kernel in Ascend C cuts its work: so many elements, on so many cores.\n"
    "static ge::graphStatus TilingFunc(gert::TilingContext *context) {\n"
    "  const gert::StorageShape *shape = context->Get%sShape(0);\n"
    "  OP_CHECK_NULL_WITH_CONTEXT(context, shape);\n"
    "  gert::TilingData *raw = context->GetRawTilingData();\n"
    "  OP_CHECK_NULL_WITH_CONTEXT(context, raw);\n"
    "  %sTilingData tiling;\n"
    "  tiling.set_size(static_cast<uint64_t>(shape->GetStorageShape().GetShapeSize()));\n"
    "  context->SetBlockDim(8);\n"
    "  tiling.SaveToBuffer(raw->GetData(), raw->GetCapacity());\n"
    "  raw->SetDataSize(tiling.GetDataSize());\n"
    "  return ge::GRAPH_SUCCESS;\n"
    "}\n"
    "}  // namespace optiling\n"
    "\n";

// ---- files ----

static weft_status cann_host(project *p, const project_op *op) {
  weft_text t;
  weft__text_init(&t, &p->arena.alloc);
  project_put(p, op, &t,
              "// @snake@.cpp - @op@ on the host: its definition, inference of shapes and dtypes, tiling.\n"
              "#include \"@snake@_tiling.h\"\n"
              "#include \"log/log.h\"\n"
              "#include \"register/op_def_registry.h\"\n"
              "\n");
  weft__text_addf(&t, TILING, op->n_out ? "Output" : "Input", op->type);
  weft__text_addf(&t, "%s", INFER_SHAPE);
  put_infer_data_type(op, &t);
  weft_status s = put_definition(p, op, &t);
  if (s)
    weft__text_deinit(&t);
  WEFT_TRY(s);
  return project_add(p, &t, false, "op_host/%s.cpp", op->snake);
}

static const char CPU[] =
    "// @snake@_cpu.cpp - @op@ as a function of the CPU: what weft runs. It allocates its outputs itself, so "
    "their shapes\n"
    "// may depend on data: ask for the largest case, then write the shape that was found.\n"
    "#include \"graph/custom_op.h\"\n"
    "#include \"log/log.h\"\n"
    "\n"
    "namespace cpu {\n"
    "class @op@ : public ge::EagerExecuteOp {\n"
    " public:\n"
    "  ge::graphStatus Execute(gert::EagerOpExecutionContext *context) override {\n"
    "    // const gert::Tensor *x = context->GetInputTensor(0);\n"
    "    // gert::Tensor *y = context->MallocOutputTensor(0, x->GetShape(), x->GetFormat(), "
    "x->GetDataType());\n"
    "    // OP_CHECK_NULL_WITH_CONTEXT(context, y);\n"
    "    // for (int64_t i = 0; i < x->GetShapeSize(); i++)\n"
    "    //   y->GetData<float>()[i] = x->GetData<float>()[i];  // of DT_FLOAT: ask x->GetDataType()\n"
    "    OP_LOGE(context, \"Execute not implemented\");\n"
    "    return ge::GRAPH_FAILED;\n"
    "  }\n"
    "};\n"
    "REG_AUTO_MAPPING_OP(@op@);\n"
    "}  // namespace cpu\n";

weft_status project_cann_op_files(project *p, const project_op *op) {
  weft_text t;
  weft__text_init(&t, &p->arena.alloc);
  project_put(p, op, &t, TILING_HEADER);
  WEFT_TRY(project_add(p, &t, false, "op_host/%s_tiling.h", op->snake));
  WEFT_TRY(cann_host(p, op));
  project_put(p, op, &t, CPU);
  WEFT_TRY(project_add(p, &t, false, "op_kernel/%s_cpu.cpp", op->snake));
  return project_cann_test(p, op);
}
// SPDX-License-Identifier: Apache-2.0
