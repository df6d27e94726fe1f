// model.h - an ONNX file as plain C structs: what the bytes say, nothing checked beyond the wire format.
// Field numbers follow onnx.proto3 up to IR version 11. Everything lives in the caller's arena or is a view
// into the caller's bytes, which must outlive the result; raw tensor data are never copied. Absent strings
// are {NULL, 0}, absent singular messages NULL, absent numbers 0. `offset` is the place of the message's
// payload in the file.
// Not looked at: UTF-8 validity, names, references, element counts, versions; that is the importer's work.
#pragma once
#include "frontend/onnx/message.h"

enum {  // TensorProto.DataType
  ONNX_UNDEFINED = 0,
  ONNX_FLOAT = 1,
  ONNX_UINT8 = 2,
  ONNX_INT8 = 3,
  ONNX_UINT16 = 4,
  ONNX_INT16 = 5,
  ONNX_INT32 = 6,
  ONNX_INT64 = 7,
  ONNX_STRING = 8,
  ONNX_BOOL = 9,
  ONNX_FLOAT16 = 10,
  ONNX_DOUBLE = 11,
  ONNX_UINT32 = 12,
  ONNX_UINT64 = 13,
  ONNX_COMPLEX64 = 14,
  ONNX_COMPLEX128 = 15,
  ONNX_BFLOAT16 = 16,
  ONNX_FLOAT8E4M3FN = 17,
  ONNX_FLOAT8E4M3FNUZ = 18,
  ONNX_FLOAT8E5M2 = 19,
  ONNX_FLOAT8E5M2FNUZ = 20,
  ONNX_UINT4 = 21,
  ONNX_INT4 = 22,
  ONNX_FLOAT4E2M1 = 23,
  ONNX_FLOAT8E8M0 = 24,
  ONNX_UINT2 = 25,
  ONNX_INT2 = 26
};
enum {  // AttributeProto.AttributeType
  ONNX_ATTR_UNDEFINED = 0,
  ONNX_ATTR_FLOAT = 1,
  ONNX_ATTR_INT = 2,
  ONNX_ATTR_STRING = 3,
  ONNX_ATTR_TENSOR = 4,
  ONNX_ATTR_GRAPH = 5,
  ONNX_ATTR_FLOATS = 6,
  ONNX_ATTR_INTS = 7,
  ONNX_ATTR_STRINGS = 8,
  ONNX_ATTR_TENSORS = 9,
  ONNX_ATTR_GRAPHS = 10,
  ONNX_ATTR_SPARSE_TENSOR = 11,
  ONNX_ATTR_SPARSE_TENSORS = 12,
  ONNX_ATTR_TYPE_PROTO = 13,
  ONNX_ATTR_TYPE_PROTOS = 14
};
enum { ONNX_LOCATION_DEFAULT = 0, ONNX_LOCATION_EXTERNAL = 1 };  // TensorProto.DataLocation
enum { ONNX_DIM_UNKNOWN = 0, ONNX_DIM_VALUE = 1, ONNX_DIM_PARAM = 2 };
enum {  // what onnx_type.which says
  ONNX_TYPE_NONE = 0,
  ONNX_TYPE_TENSOR = 1,
  ONNX_TYPE_SEQUENCE = 4,
  ONNX_TYPE_MAP = 5,
  ONNX_TYPE_OPAQUE = 7,
  ONNX_TYPE_SPARSE_TENSOR = 8,
  ONNX_TYPE_OPTIONAL = 9
};
enum { ONNX_MAX_GRAPH_DEPTH = 32, ONNX_MAX_TYPE_DEPTH = 16, ONNX_MAX_VALUE_DEPTH = 8 };

typedef struct onnx_pair {  // StringStringEntryProto
  uint64_t offset;
  onnx_str key;
  onnx_str value;
} onnx_pair;
typedef PB_LIST(onnx_pair) onnx_pairs;
typedef PB_LIST(int64_t) onnx_ints;
typedef PB_LIST(float) onnx_floats;

typedef struct onnx_opset {
  uint64_t offset;
  onnx_str domain;  // "" is ai.onnx
  int64_t version;
} onnx_opset;
typedef PB_LIST(onnx_opset) onnx_opsets;

typedef struct onnx_segment {
  uint64_t offset;
  int64_t begin, end;
} onnx_segment;

typedef struct onnx_tensor {
  uint64_t offset;
  onnx_str name, doc;
  int32_t data_type;  // ONNX_FLOAT, ...; other numbers stay as they are
  int32_t data_location;
  uint8_t has_raw;  // raw_data is there, perhaps empty
  onnx_ints dims;
  onnx_str raw;  // little-endian bytes in the file, not aligned
  onnx_floats float_data;
  PB_LIST(int32_t) int32_data;
  onnx_ints int64_data;
  PB_LIST(double) double_data;
  PB_LIST(uint64_t) uint64_data;
  onnx_strs string_data;
  onnx_pairs external_data;
  const onnx_segment *segment;  // a piece of a larger tensor
} onnx_tensor;
typedef PB_LIST(onnx_tensor) onnx_tensors;

typedef struct onnx_sparse_tensor {
  uint64_t offset;
  const onnx_tensor *values, *indices;  // the name is values->name
  onnx_ints dims;
} onnx_sparse_tensor;
typedef PB_LIST(onnx_sparse_tensor) onnx_sparse_tensors;

typedef struct onnx_dim {
  uint64_t offset;
  uint8_t which;  // ONNX_DIM_*
  int64_t value;
  onnx_str param, denotation;
} onnx_dim;

typedef struct onnx_shape {
  uint64_t offset;
  PB_LIST(onnx_dim) dims;
} onnx_shape;

typedef struct onnx_tensor_type {
  uint64_t offset;
  int32_t elem_type;        // ONNX_FLOAT, ...
  const onnx_shape *shape;  // NULL: rank unknown
} onnx_tensor_type;

struct onnx_type;
typedef struct onnx_nested_type {  // sequence, optional, map
  uint64_t offset;
  const struct onnx_type *elem;  // of the elements, of the values of a map
  int32_t key_type;              // of a map
} onnx_nested_type;

typedef struct onnx_type {
  uint64_t offset;
  uint8_t which;                   // ONNX_TYPE_*
  const onnx_tensor_type *tensor;  // of TENSOR and SPARSE_TENSOR
  const onnx_nested_type *nested;  // of SEQUENCE, OPTIONAL and MAP
  onnx_str opaque;                 // of OPAQUE: the message's bytes
  onnx_str denotation;
} onnx_type;
typedef PB_LIST(onnx_type) onnx_types;

typedef struct onnx_value_info {
  uint64_t offset;
  onnx_str name, doc;
  const onnx_type *type;
  onnx_pairs metadata_props;
} onnx_value_info;
typedef PB_LIST(onnx_value_info) onnx_value_infos;

struct onnx_graph;
typedef struct onnx_attr {
  uint64_t offset;
  onnx_str name, ref_attr_name, doc;
  int32_t type;  // ONNX_ATTR_*; 0 in files of IR version 1: see onnx_attr_kind
  uint8_t seen;  // ONNX_ATTR_* of the last value field in the file
  float f;
  int64_t i;
  onnx_str s;
  const onnx_tensor *t;
  const struct onnx_graph *g;
  const onnx_sparse_tensor *sparse_tensor;
  const onnx_type *tp;
  onnx_floats floats;
  onnx_ints ints;
  onnx_strs strings;
  onnx_tensors tensors;
  PB_LIST(struct onnx_graph) graphs;
  onnx_sparse_tensors sparse_tensors;
  onnx_types types;
} onnx_attr;
typedef PB_LIST(onnx_attr) onnx_attrs;

typedef struct onnx_node {
  uint64_t offset;
  onnx_str name, op_type, domain, overload, doc;
  onnx_strs inputs, outputs;  // "" stands for an absent one
  onnx_attrs attributes;
  onnx_pairs metadata_props;
} onnx_node;
typedef PB_LIST(onnx_node) onnx_nodes;

typedef struct onnx_annotation {  // TensorAnnotation
  uint64_t offset;
  onnx_str tensor_name;
  onnx_pairs params;
} onnx_annotation;

typedef struct onnx_graph {
  uint64_t offset;
  onnx_str name, doc;
  onnx_nodes nodes;
  onnx_tensors initializers;
  onnx_sparse_tensors sparse_initializers;
  onnx_value_infos inputs, outputs, value_infos;
  PB_LIST(onnx_annotation) quantization_annotations;
  onnx_pairs metadata_props;
} onnx_graph;

typedef struct onnx_function {
  uint64_t offset;
  onnx_str name, domain, overload, doc;
  onnx_strs inputs, outputs, attributes;  // attributes without default
  onnx_attrs attribute_protos;            // attributes with default
  onnx_nodes nodes;
  onnx_opsets opset_imports;
  onnx_value_infos value_infos;
  onnx_pairs metadata_props;
} onnx_function;

typedef struct onnx_model {
  uint64_t offset;
  int64_t ir_version, model_version;
  onnx_str producer_name, producer_version, domain, doc;
  onnx_opsets opset_imports;
  const onnx_graph *graph;  // never NULL
  PB_LIST(onnx_function) functions;
  onnx_pairs metadata_props;
  onnx_strs training_infos;  // undecoded messages
} onnx_model;

struct onnx_optional;
typedef struct onnx_sequence {  // SequenceProto: a value in a file of its own
  uint64_t offset;
  onnx_str name;
  int32_t elem_type;  // 1 tensor, 2 sparse tensor, 3 sequence, 4 map, 5 optional
  onnx_tensors tensors;
  PB_LIST(struct onnx_sequence) sequences;
  PB_LIST(struct onnx_optional) optionals;
} onnx_sequence;
typedef struct onnx_optional {  // OptionalProto; empty when all three pointers are NULL
  uint64_t offset;
  onnx_str name;
  int32_t elem_type;
  const onnx_tensor *tensor;
  const onnx_sequence *sequence;
  const struct onnx_optional *optional;
} onnx_optional;

// The attribute of an operator of weft's own, or a package's, with several inputs of any number of tensors:
// how many each input has.
#define ONNX_IN_COUNTS "in_counts"

// What an attribute holds: its type, or for files without types the value field that is there.
static inline int32_t onnx_attr_kind(const onnx_attr *a) {
  return a->type ? a->type : a->seen;
}
const char *onnx_kind_name(int kind);  // "FLOATS"
static inline bool onnx_str_is(onnx_str s, const char *text) {
  return s.bytes == strlen(text) && !memcmp(onnx_str_text(s), text, s.bytes);
}

static inline bool onnx_str_same(onnx_str a, onnx_str b) {
  return a.bytes == b.bytes && (!a.bytes || !memcmp(a.text, b.text, a.bytes));
}
// The tensor type of a graph input, output or value; NULL when it is not a (dense) tensor or has no type.
static inline const onnx_tensor_type *onnx_value_tensor(const onnx_value_info *v) {
  return v->type && v->type->which == ONNX_TYPE_TENSOR ? v->type->tensor : NULL;
}

// Reads a ModelProto. *out lies in the arena and points into `data`.
// Time linear in `bytes`; memory at most a fixed factor of `bytes`, and small when most bytes are raw tensor
// data.
// Errors name field path and file offset; *out untouched: E_CORRUPT, E_TYPE (wire types), E_TRUNCATED,
// E_MISSING (no graph), E_LIMIT (nesting), E_NOMEM. Other files give "not an ONNX model: ...".
WEFT_MUST weft_status weft__onnx_read_model(const void *data, size_t bytes, weft_arena *arena,
                                            const onnx_model **out, weft_diag *d);
// The same for a TensorProto, SequenceProto or OptionalProto in a file of its own
// (test_data_set_0/input_0.pb). A tensor without data_type is E_MISSING; a sequence and an optional may be
// empty files.
WEFT_MUST weft_status weft__onnx_read_tensor(const void *data, size_t bytes, weft_arena *arena,
                                             const onnx_tensor **out, weft_diag *d);
WEFT_MUST weft_status weft__onnx_read_sequence(const void *data, size_t bytes, weft_arena *arena,
                                               const onnx_sequence **out, weft_diag *d);
WEFT_MUST weft_status weft__onnx_read_optional(const void *data, size_t bytes, weft_arena *arena,
                                               const onnx_optional **out, weft_diag *d);
// SPDX-License-Identifier: Apache-2.0
