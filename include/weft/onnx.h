// weft/onnx.h - reads ONNX models into graphs.
#pragma once
#include "weft/graph.h"
#ifdef __cplusplus
extern "C" {
#endif
// Maps the file; weights stay where they are, external data (files in the model's folder, which they cannot
// leave) too. Sparse tensors become dense ones. What the model says of itself becomes notes:
// weft_graph_meta_at, "onnx.producer", and "onnx.doc" and "onnx.metadata.KEY" in the origin of a node's first
// primitive. Nodes that stand in front of what they read are moved behind it, with a warning in the log;
// E_CYCLE where none can be. A node of any domain whose operator weft does not import is one that a package
// or the program registered under the name "domain::Type" or "Type": inputs and outputs in the order of its
// ports, attributes by name (E_NOT_FOUND, E_TYPE). weft's own operators and AscendIR's are reached under
// their names in the domain "weft". All unsupported operators, versions, element types and attributes, in
// bodies and functions too, are reported together in the order of the file, each with its node and place: as
// many as `d` holds, up to 64 with those in the log, the rest counted.
// The builder infers nothing: call weft_graph_infer.
// A dim of an input without a name, or with what exporters write for want of one ("?", "None", "unk__7"),
// gets a symbol of its own, "x_0" for the first of x.
WEFT_API WEFT_MUST weft_status weft_onnx_load(weft_env *e, const char *path, weft_graph **out, weft_diag *d);
// From memory, which must outlive the graph. `name` is used in messages; external data need a path and are
// refused here.
WEFT_API WEFT_MUST weft_status weft_onnx_read(weft_env *e, const void *data, size_t bytes, const char *name,
                                              weft_graph **out, weft_diag *d);
typedef struct weft_onnx_options {  // all zero is the default
  uint32_t size;
  // A name that several dims of inputs share does not make them equal: each has a symbol of its own. For
  // models that are to be run with sizes that their names do not allow. Without it a run with such sizes is
  // E_SHAPE, which names both inputs: by then inference, passes and the memory plan have relied on the name,
  // so that a warning would not be enough. Who has the inputs before the model is loaded can look first, as
  // `weft run` does: it warns and loads with separate_dims (docs/embedding.md).
  bool separate_dims;
  // an operator that is not known becomes a node Unknown, with a warning: its outputs are what the model
  // declares of them. Such a graph can be shown and inferred, not run
  bool keep_unknown;
  // of weft_model_load_with and a SavedModel of TensorFlow: which signature; NULL: "serving_default", or the
  // only one. E_NOT_FOUND lists those that there are, E_INVALID: the model has none
  const char *signature;
} weft_onnx_options;
// weft_onnx_load with options; NULL: the default.
WEFT_API WEFT_MUST weft_status weft_onnx_load_with(weft_env *e, const char *path, const weft_onnx_options *o,
                                                   weft_graph **out, weft_diag *d);
// weft_onnx_read with options; NULL: the default.
WEFT_API WEFT_MUST weft_status weft_onnx_read_with(weft_env *e, const void *data, size_t bytes,
                                                   const char *name, const weft_onnx_options *o,
                                                   weft_graph **out, weft_diag *d);
// A TensorProto, as the conformance tests' .pb files hold it; copies the data. `t` was initialised
// (weft_tensor_init).
WEFT_API WEFT_MUST weft_status weft_onnx_read_tensor(const void *data, size_t bytes, weft_tensor *t,
                                                     weft_diag *d);
// The same of a value that `desc` describes (weft_value_desc): a TensorProto, SequenceProto or OptionalProto.
// Its kind says which, its dtype what an empty sequence holds. NULL: a tensor. E_TYPE: the optional holds
// something of another kind.
WEFT_API WEFT_MUST weft_status weft_onnx_read_value(const void *data, size_t bytes,
                                                    const weft_tensor_desc *desc, weft_tensor *t,
                                                    weft_diag *d);
// The way back of a whole graph, wherever it came from: a model of operator set 21 with the same inputs,
// outputs and value names. The graph was inferred (weft_model_load and weft_onnx_load do so). A primitive
// that ONNX has no operator for becomes a node of the domain "weft" under its own name, which weft reads back
// and others refuse. E_UNSUPPORTED, E_DTYPE: something has no place in ONNX; E_NOMEM; what `write` returns.
WEFT_API WEFT_MUST weft_status weft_onnx_write(const weft_graph *g, weft_write_fn write, void *ctx,
                                               weft_diag *d);
// The way back: data in raw_data, strings in string_data; a sequence of tensors or maps becomes a
// SequenceProto, a map a MapProto. name NULL: none. E_UNSUPPORTED: none of these; E_DTYPE: ONNX has no
// such type; E_STATE: no data on the host.
WEFT_API WEFT_MUST weft_status weft_onnx_write_tensor(const weft_tensor *t, const char *name,
                                                      weft_write_fn write, void *ctx, weft_diag *d);
#ifdef __cplusplus
}
#endif
// SPDX-License-Identifier: Apache-2.0
