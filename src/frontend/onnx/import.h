// import.h - what the ONNX importer's files share: the state of one import and the helpers of operator functions.
// An operator function turns one ONNX node into one or more primitives and binds its outputs; differences between
// operator-set versions end here. Layer: frontend/onnx (on infer).
#pragma once
#include "frontend/onnx/model.h"
#include "infer/walk.h"
#include "ir/ir.h"

typedef struct onnx_import {
  weft_env *env;
  weft_graph *g;
  weft_arena arena;   // of the import: the model's structs and names
  const onnx_model *model;
  const char *file;   // for messages
  int64_t version;    // of ai.onnx
  weft_map values;    // name -> weft_value
  weft_map infos;     // name -> onnx_value_info
  weft_map used;      // names that a node or a graph output reads
  weft__steps *append;
  uint32_t n_temp;
  weft_diag *d;
} onnx_import;

typedef struct onnx_op {  // one ONNX operator being imported
  onnx_import *m;
  const onnx_node *n;
  const struct onnx_mapping *map;
  weft_named_attr attrs[24];
  size_t n_attrs;
} onnx_op;

typedef struct onnx_mapping {
  const char *name;      // ONNX operator of ai.onnx
  int16_t first, last;   // operator-set versions it holds for; last 0: all later ones
  const char *primitive;  // for the table of docs and for simple operators
  weft_status (*fn)(onnx_op *o);  // NULL: same inputs, no attributes, one output
} onnx_mapping;
const onnx_mapping *weft__onnx_find(onnx_str op_type, int64_t version);
extern const onnx_mapping weft__onnx_mappings[];
extern const size_t weft__onnx_mapping_count;

// Attributes of the ONNX node. A wrong type is an error that names it.
weft_status onnx_int_attr(onnx_op *o, const char *name, int64_t dflt, int64_t *out);
weft_status onnx_float_attr(onnx_op *o, const char *name, float dflt, float *out);
weft_status onnx_str_attr(onnx_op *o, const char *name, const char *dflt, weft_str *out);
weft_status onnx_ints_attr(onnx_op *o, const char *name, const int64_t **out, size_t *out_n);  // NULL when absent
const onnx_attr *onnx_find_attr(const onnx_op *o, const char *name);
// Inputs and outputs: NULL / false when absent.
weft_value *onnx_in(const onnx_op *o, size_t i);
bool onnx_wants(const onnx_op *o, size_t i);  // is output i named and read?
weft_status onnx_need(const onnx_op *o, size_t i, weft_value **out);
weft_status onnx_dtype(onnx_op *o, int64_t elem_type, weft_dtype *out);

// Attributes of the primitive about to be emitted.
void onnx_set(onnx_op *o, const char *name, weft_attr value);
// Emits a primitive with the attributes set so far (and clears them). The ONNX node's outputs 0..n_bind-1 become the
// primitive's; n_bind 0: an inner value, which *out receives.
weft_status onnx_emit(onnx_op *o, const char *type, weft_value *const *in, size_t n_in, const weft_use *counts, size_t n_bind,
                      weft_value **out);
weft_status onnx_const_ints(onnx_op *o, const int64_t *v, size_t n, bool scalar, weft_value **out);
weft_status onnx_const_scalar(onnx_op *o, weft_dtype t, double v, weft_value **out);
weft_status onnx_fail(const onnx_op *o, weft_status s, const char *fmt, ...) WEFT_PRINTF(3, 4);
// Rank of a value; -1: not known.
int onnx_rank(const weft_value *v);

// tensor.c: TensorProto -> weft_tensor. borrow: raw data stay where they are (they may be unaligned).
weft_status weft__onnx_tensor(const onnx_tensor *t, bool borrow, weft_tensor *out, weft_diag *d);
bool weft__onnx_dtype(int64_t elem_type, weft_dtype *out);
