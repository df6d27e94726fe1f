// model_read.c - the fields of onnx.proto3 as tables, and what tells an ONNX model from other files.
// Tables run in the order of field numbers; a field of the proto that is not listed is skipped when read.
#include "frontend/onnx/model.h"

// One table line each: a singular field, a repeated one, a nested message, nested messages, one that
// leaves a mark.
#define ONE(number, kind, T, member, name) \
  { number, kind, false, 0, offsetof(T, member), 0, name, NULL }
#define MANY(number, kind, T, member, name) \
  { number, kind, true, 0, offsetof(T, member), 0, name, NULL }
#define SUB(number, T, member, name, type) \
  { number, PB_MSG, false, 0, offsetof(T, member), 0, name, &type }
#define SUBS(number, T, member, name, type) \
  { number, PB_MSG, true, 0, offsetof(T, member), 0, name, &type }
#define MARKED(number, kind, repeated, T, member, name, type, mark_member, mark) \
  { number, kind, repeated, mark, offsetof(T, member), offsetof(T, mark_member), name, type }
#define TYPE(id, proto, T, depth) \
  static const pb_type id = {proto, sizeof(T), _Alignof(T), id##_fields, WEFT_COUNT(id##_fields), depth}

static const pb_field pair_fields[] = {
    ONE(1, PB_STR, onnx_pair, key, "key"),
    ONE(2, PB_STR, onnx_pair, value, "value"),
};
TYPE(pair, "StringStringEntryProto", onnx_pair, 0);

static const pb_field opset_fields[] = {
    ONE(1, PB_NAME, onnx_opset, domain, "domain"),
    ONE(2, PB_I64, onnx_opset, version, "version"),
};
TYPE(opset, "OperatorSetIdProto", onnx_opset, 0);

static const pb_field segment_fields[] = {
    ONE(1, PB_I64, onnx_segment, begin, "begin"),
    ONE(2, PB_I64, onnx_segment, end, "end"),
};
TYPE(segment, "TensorProto.Segment", onnx_segment, 0);

static const pb_field tensor_fields[] = {
    MANY(1, PB_I64, onnx_tensor, dims, "dims"),
    ONE(2, PB_I32, onnx_tensor, data_type, "data_type"),
    SUB(3, onnx_tensor, segment, "segment", segment),
    MANY(4, PB_F32, onnx_tensor, float_data, "float_data"),
    MANY(5, PB_I32, onnx_tensor, int32_data, "int32_data"),
    MANY(6, PB_STR, onnx_tensor, string_data, "string_data"),
    MANY(7, PB_I64, onnx_tensor, int64_data, "int64_data"),
    ONE(8, PB_NAME, onnx_tensor, name, "name"),
    MARKED(9, PB_STR, false, onnx_tensor, raw, "raw_data", NULL, has_raw, 1),
    MANY(10, PB_F64, onnx_tensor, double_data, "double_data"),
    MANY(11, PB_U64, onnx_tensor, uint64_data, "uint64_data"),
    ONE(12, PB_STR, onnx_tensor, doc, "doc_string"),
    SUBS(13, onnx_tensor, external_data, "external_data", pair),
    ONE(14, PB_I32, onnx_tensor, data_location, "data_location"),
};
TYPE(tensor, "TensorProto", onnx_tensor, 0);

static const pb_field sparse_fields[] = {
    SUB(1, onnx_sparse_tensor, values, "values", tensor),
    SUB(2, onnx_sparse_tensor, indices, "indices", tensor),
    MANY(3, PB_I64, onnx_sparse_tensor, dims, "dims"),
};
TYPE(sparse, "SparseTensorProto", onnx_sparse_tensor, 0);

static const pb_field dim_fields[] = {
    MARKED(1, PB_I64, false, onnx_dim, value, "dim_value", NULL, which, ONNX_DIM_VALUE),
    MARKED(2, PB_NAME, false, onnx_dim, param, "dim_param", NULL, which, ONNX_DIM_PARAM),
    ONE(3, PB_STR, onnx_dim, denotation, "denotation"),
};
TYPE(dim, "TensorShapeProto.Dimension", onnx_dim, 0);

static const pb_field shape_fields[] = {SUBS(1, onnx_shape, dims, "dim", dim)};
TYPE(shape, "TensorShapeProto", onnx_shape, 0);

static const pb_field tensor_type_fields[] = {
    ONE(1, PB_I32, onnx_tensor_type, elem_type, "elem_type"),
    SUB(2, onnx_tensor_type, shape, "shape", shape),
};
TYPE(tensor_type, "TypeProto.Tensor", onnx_tensor_type, 0);

static const pb_type type;
static const pb_field wrapped_fields[] = {SUB(1, onnx_nested_type, elem, "elem_type", type)};
TYPE(wrapped, "TypeProto.Sequence", onnx_nested_type, 0);  // and TypeProto.Optional
static const pb_field map_fields[] = {
    ONE(1, PB_I32, onnx_nested_type, key_type, "key_type"),
    SUB(2, onnx_nested_type, elem, "value_type", type),
};
TYPE(map, "TypeProto.Map", onnx_nested_type, 0);

#define WHICH(number, kind, member, name, type, which_value) \
  MARKED(number, kind, false, onnx_type, member, name, type, which, which_value)
static const pb_field type_fields[] = {
    WHICH(1, PB_MSG, tensor, "tensor_type", &tensor_type, ONNX_TYPE_TENSOR),
    WHICH(4, PB_MSG, nested, "sequence_type", &wrapped, ONNX_TYPE_SEQUENCE),
    WHICH(5, PB_MSG, nested, "map_type", &map, ONNX_TYPE_MAP),
    ONE(6, PB_STR, onnx_type, denotation, "denotation"),
    WHICH(7, PB_STR, opaque, "opaque_type", NULL, ONNX_TYPE_OPAQUE),
    WHICH(8, PB_MSG, tensor, "sparse_tensor_type", &tensor_type, ONNX_TYPE_SPARSE_TENSOR),
    WHICH(9, PB_MSG, nested, "optional_type", &wrapped, ONNX_TYPE_OPTIONAL),
};
TYPE(type, "TypeProto", onnx_type, ONNX_MAX_TYPE_DEPTH);

static const pb_field value_info_fields[] = {
    ONE(1, PB_NAME, onnx_value_info, name, "name"),
    SUB(2, onnx_value_info, type, "type", type),
    ONE(3, PB_STR, onnx_value_info, doc, "doc_string"),
    SUBS(4, onnx_value_info, metadata_props, "metadata_props", pair),
};
TYPE(value_info, "ValueInfoProto", onnx_value_info, 0);

static const pb_type graph;
#define VALUE(number, kind, repeated, member, name, type, seen_value) \
  MARKED(number, kind, repeated, onnx_attr, member, name, type, seen, seen_value)
static const pb_field attr_fields[] = {
    ONE(1, PB_NAME, onnx_attr, name, "name"),
    VALUE(2, PB_F32, false, f, "f", NULL, ONNX_ATTR_FLOAT),
    VALUE(3, PB_I64, false, i, "i", NULL, ONNX_ATTR_INT),
    VALUE(4, PB_STR, false, s, "s", NULL, ONNX_ATTR_STRING),
    VALUE(5, PB_MSG, false, t, "t", &tensor, ONNX_ATTR_TENSOR),
    VALUE(6, PB_MSG, false, g, "g", &graph, ONNX_ATTR_GRAPH),
    VALUE(7, PB_F32, true, floats, "floats", NULL, ONNX_ATTR_FLOATS),
    VALUE(8, PB_I64, true, ints, "ints", NULL, ONNX_ATTR_INTS),
    VALUE(9, PB_STR, true, strings, "strings", NULL, ONNX_ATTR_STRINGS),
    VALUE(10, PB_MSG, true, tensors, "tensors", &tensor, ONNX_ATTR_TENSORS),
    VALUE(11, PB_MSG, true, graphs, "graphs", &graph, ONNX_ATTR_GRAPHS),
    ONE(13, PB_STR, onnx_attr, doc, "doc_string"),
    VALUE(14, PB_MSG, false, tp, "tp", &type, ONNX_ATTR_TYPE_PROTO),
    VALUE(15, PB_MSG, true, types, "type_protos", &type, ONNX_ATTR_TYPE_PROTOS),
    ONE(20, PB_I32, onnx_attr, type, "type"),
    ONE(21, PB_NAME, onnx_attr, ref_attr_name, "ref_attr_name"),
    VALUE(22, PB_MSG, false, sparse_tensor, "sparse_tensor", &sparse, ONNX_ATTR_SPARSE_TENSOR),
    VALUE(23, PB_MSG, true, sparse_tensors, "sparse_tensors", &sparse, ONNX_ATTR_SPARSE_TENSORS),
};
TYPE(attr, "AttributeProto", onnx_attr, 0);

static const pb_field node_fields[] = {
    MANY(1, PB_NAME, onnx_node, inputs, "input"),
    MANY(2, PB_NAME, onnx_node, outputs, "output"),
    ONE(3, PB_NAME, onnx_node, name, "name"),
    ONE(4, PB_NAME, onnx_node, op_type, "op_type"),
    SUBS(5, onnx_node, attributes, "attribute", attr),
    ONE(6, PB_STR, onnx_node, doc, "doc_string"),
    ONE(7, PB_NAME, onnx_node, domain, "domain"),
    ONE(8, PB_NAME, onnx_node, overload, "overload"),
    SUBS(9, onnx_node, metadata_props, "metadata_props", pair),
};
TYPE(node, "NodeProto", onnx_node, 0);

static const pb_field annotation_fields[] = {
    ONE(1, PB_NAME, onnx_annotation, tensor_name, "tensor_name"),
    SUBS(2, onnx_annotation, params, "quant_parameter_tensor_names", pair),
};
TYPE(annotation, "TensorAnnotation", onnx_annotation, 0);

static const pb_field graph_fields[] = {
    SUBS(1, onnx_graph, nodes, "node", node),
    ONE(2, PB_NAME, onnx_graph, name, "name"),
    SUBS(5, onnx_graph, initializers, "initializer", tensor),
    ONE(10, PB_STR, onnx_graph, doc, "doc_string"),
    SUBS(11, onnx_graph, inputs, "input", value_info),
    SUBS(12, onnx_graph, outputs, "output", value_info),
    SUBS(13, onnx_graph, value_infos, "value_info", value_info),
    SUBS(14, onnx_graph, quantization_annotations, "quantization_annotation", annotation),
    SUBS(15, onnx_graph, sparse_initializers, "sparse_initializer", sparse),
    SUBS(16, onnx_graph, metadata_props, "metadata_props", pair),
};
TYPE(graph, "GraphProto", onnx_graph, ONNX_MAX_GRAPH_DEPTH);

static const pb_field function_fields[] = {
    ONE(1, PB_NAME, onnx_function, name, "name"),
    MANY(4, PB_NAME, onnx_function, inputs, "input"),
    MANY(5, PB_NAME, onnx_function, outputs, "output"),
    MANY(6, PB_NAME, onnx_function, attributes, "attribute"),
    SUBS(7, onnx_function, nodes, "node", node),
    ONE(8, PB_STR, onnx_function, doc, "doc_string"),
    SUBS(9, onnx_function, opset_imports, "opset_import", opset),
    ONE(10, PB_NAME, onnx_function, domain, "domain"),
    SUBS(11, onnx_function, attribute_protos, "attribute_proto", attr),
    SUBS(12, onnx_function, value_infos, "value_info", value_info),
    ONE(13, PB_NAME, onnx_function, overload, "overload"),
    SUBS(14, onnx_function, metadata_props, "metadata_props", pair),
};
TYPE(function, "FunctionProto", onnx_function, 0);

static const pb_field model_fields[] = {
    ONE(1, PB_I64, onnx_model, ir_version, "ir_version"),
    ONE(2, PB_STR, onnx_model, producer_name, "producer_name"),
    ONE(3, PB_STR, onnx_model, producer_version, "producer_version"),
    ONE(4, PB_STR, onnx_model, domain, "domain"),
    ONE(5, PB_I64, onnx_model, model_version, "model_version"),
    ONE(6, PB_STR, onnx_model, doc, "doc_string"),
    SUB(7, onnx_model, graph, "graph", graph),
    SUBS(8, onnx_model, opset_imports, "opset_import", opset),
    SUBS(14, onnx_model, metadata_props, "metadata_props", pair),
    MANY(20, PB_STR, onnx_model, training_infos, "training_info"),
    SUBS(25, onnx_model, functions, "functions", function),
};
TYPE(model, "ModelProto", onnx_model, 0);

static const pb_type sequence, optional;
static const pb_field sequence_fields[] = {
    ONE(1, PB_NAME, onnx_sequence, name, "name"),
    ONE(2, PB_I32, onnx_sequence, elem_type, "elem_type"),
    SUBS(3, onnx_sequence, tensors, "tensor_values", tensor),
    SUBS(5, onnx_sequence, sequences, "sequence_values", sequence),
    SUBS(7, onnx_sequence, optionals, "optional_values", optional),
};
TYPE(sequence, "SequenceProto", onnx_sequence, ONNX_MAX_VALUE_DEPTH);
static const pb_field optional_fields[] = {
    ONE(1, PB_NAME, onnx_optional, name, "name"),
    ONE(2, PB_I32, onnx_optional, elem_type, "elem_type"),
    SUB(3, onnx_optional, tensor, "tensor_value", tensor),
    SUB(5, onnx_optional, sequence, "sequence_value", sequence),
    SUB(7, onnx_optional, optional, "optional_value", optional),
};
TYPE(optional, "OptionalProto", onnx_optional, ONNX_MAX_VALUE_DEPTH);

static const char no_model[] = "not an ONNX model: ";

// Names what else the file is, by its first bytes; NULL when they say nothing.
static const char *foreign(const uint8_t *data, size_t bytes) {
  static const struct {
    uint8_t at;
    uint8_t n;
    const char *magic;
    const char *what;
  } known[] = {
      {0, 23, "version https://git-lfs", "a Git LFS pointer: the model itself was not downloaded"},
      {0, 4, "PK\x03\x04", "a zip archive (PyTorch and Keras save such files)"},
      {0, 4, "\x89HDF", "an HDF5 file (Keras)"},
      {0, 2, "\x80\x02", "a Python pickle (PyTorch)"},
      {0, 4, "GGUF", "a GGUF file"},
      {0, 6, "\x93NUMPY", "a .npy file: a tensor, no model"},
      {0, 2, "\x1f\x8b", "compressed with gzip"},
      {2, 6, "\0\0TFL3", "a TensorFlow Lite file"},  // the zeros: no tags, a producer may be called "TFL3"
      {2, 6, "\0\0ORTM", "an ONNX Runtime flatbuffer (.ort)"},
      {0, 1, "<", "XML or HTML text"},
      {0, 1, "{", "JSON text"},
  };
  for (size_t i = 0; i < WEFT_COUNT(known); i++) {
    size_t at = known[i].at;
    size_t n = known[i].n;
    if (bytes >= at + n && !memcmp(data + at, known[i].magic, n))
      return known[i].what;
  }
  return NULL;
}

// Walks the outermost fields up to the graph. Fails with "not an ONNX model" when there is none, or when the
// fields before it are not a model's; a file that begins like a model and is cut is reported as cut.
static weft_status sniff(wire_source *src) {
  static const uint8_t expected[] = {0,           WIRE_VARINT, WIRE_BYTES, WIRE_BYTES, WIRE_BYTES,
                                     WIRE_VARINT, WIRE_BYTES,  WIRE_BYTES, WIRE_BYTES};
  wire_message m = weft__wire_root(src);
  wire_field f;
  src->doubt = no_model;
  m.type = &model;
  for (;;) {
    WEFT_TRY(weft__wire_step(&m));
    WEFT_TRY(weft__wire_next(&m, &f));
    if (!f.number)
      break;
    if (f.number < WEFT_COUNT(expected) && f.type != expected[f.number]) {
      src->doubt = no_model;
      return weft__wire_fail(&m, f.tag, WEFT_E_TYPE, "wire type %u (%s), expected %u (%s)", (unsigned)f.type,
                             weft__wire_type_name(f.type), (unsigned)expected[f.number],
                             weft__wire_type_name(expected[f.number]));
    }
    if (f.number == 1 || f.number == 7)
      src->doubt = NULL;
    if (f.number == 7)
      return WEFT_OK;
  }
  return weft_fail(src->d, WEFT_E_MISSING, "%sno graph (field 7) in its %zu bytes", no_model, src->bytes);
}

static wire_source source(const void *data, size_t bytes, const pb_type *t, weft_diag *d) {
  return (wire_source){
      .data = data, .bytes = bytes, .root = t->name, .field_name = weft__pb_field_name, .d = d};
}

static weft_status read_root(wire_source *src, const pb_type *t, weft_arena *arena, void **out) {
  void *made = weft__arena_zalloc(arena, t->bytes, t->align);
  src->budget = weft__budget_of(&arena->alloc);
  if (!made)
    return weft_fail(src->d, WEFT_E_NOMEM, "out of memory for %zu bytes of %s", t->bytes, t->name);
  wire_message m = weft__wire_root(src);
  WEFT_TRY(weft__pb_read(&m, t, arena, made));
  *out = made;
  return WEFT_OK;
}

weft_status weft__onnx_read_model(const void *data, size_t bytes, weft_arena *arena, const onnx_model **out,
                                  weft_diag *d) {
  wire_source src = source(data, bytes, &model, d);
  if (!data || !bytes)
    return weft_fail(d, WEFT_E_TRUNCATED, "%sthe file is empty", no_model);
  const char *what = foreign(data, bytes);
  if (what)
    return weft_fail(d, WEFT_E_CORRUPT, "%sit is %s", no_model, what);
  src.budget = weft__budget_of(&arena->alloc);
  WEFT_TRY(sniff(&src));
  void *made = NULL;
  WEFT_TRY(read_root(&src, &model, arena, &made));
  *out = made;
  return WEFT_OK;
}

weft_status weft__onnx_read_tensor(const void *data, size_t bytes, weft_arena *arena, const onnx_tensor **out,
                                   weft_diag *d) {
  wire_source src = source(data, bytes, &tensor, d);
  void *made = NULL;
  src.doubt = "not an ONNX tensor: ";
  if (!data || !bytes)
    return weft_fail(d, WEFT_E_TRUNCATED, "%sthe file is empty", src.doubt);
  WEFT_TRY(read_root(&src, &tensor, arena, &made));
  if (!((onnx_tensor *)made)->data_type)
    return weft_fail(d, WEFT_E_MISSING, "%sno data_type (field 2) in its %zu bytes", src.doubt, bytes);
  *out = made;
  return WEFT_OK;
}

weft_status weft__onnx_read_sequence(const void *data, size_t bytes, weft_arena *arena,
                                     const onnx_sequence **out, weft_diag *d) {
  wire_source src = source(data, bytes, &sequence, d);
  void *made = NULL;
  WEFT_TRY(read_root(&src, &sequence, arena, &made));
  *out = made;
  return WEFT_OK;
}

weft_status weft__onnx_read_optional(const void *data, size_t bytes, weft_arena *arena,
                                     const onnx_optional **out, weft_diag *d) {
  wire_source src = source(data, bytes, &optional, d);
  void *made = NULL;
  WEFT_TRY(read_root(&src, &optional, arena, &made));
  *out = made;
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
