// weft/onnx.h - reads ONNX models into graphs.
#pragma once
#include "weft/graph.h"
#ifdef __cplusplus
extern "C" {
#endif
// Maps the file; weights stay where they are, external data (files in the model's folder, which they cannot leave) too.
// Sparse tensors become dense ones. What the model says of itself becomes notes: weft_graph_meta_at, "onnx.producer",
// and "onnx.doc" and "onnx.metadata.KEY" in the origin of a node's first primitive.
// Nodes that stand in front of what they read are moved behind it, with a warning in the log; E_CYCLE where none can be.
// All unsupported operators, versions, element types and attributes, in bodies and functions too, are reported together
// in the order of the file, each with its node and place: as many as `d` holds, up to 64 in the log, the rest counted.
// The builder infers nothing: call weft_graph_infer.
WEFT_API WEFT_MUST weft_status weft_onnx_load(weft_env *e, const char *path, weft_graph **out, weft_diag *d);
// From memory, which must outlive the graph. `name` is used in messages; external data need a path and are refused here.
WEFT_API WEFT_MUST weft_status weft_onnx_read(weft_env *e, const void *data, size_t bytes, const char *name,
                                              weft_graph **out, weft_diag *d);
// A TensorProto, as the conformance tests' .pb files hold it; copies the data. `t` was initialised (weft_tensor_init).
WEFT_API WEFT_MUST weft_status weft_onnx_read_tensor(const void *data, size_t bytes, weft_tensor *t, weft_diag *d);
// The same of a value that `desc` describes (weft_value_desc): a TensorProto, SequenceProto or OptionalProto. Its kind says
// which, its dtype what an empty sequence holds. NULL: a tensor. E_TYPE: the optional holds something of another kind.
WEFT_API WEFT_MUST weft_status weft_onnx_read_value(const void *data, size_t bytes, const weft_tensor_desc *desc,
                                                    weft_tensor *t, weft_diag *d);
// The way back: data in raw_data, strings in string_data. name NULL: none. E_UNSUPPORTED: no tensor; E_DTYPE: ONNX has no
// such type; E_STATE: no data on the host.
WEFT_API WEFT_MUST weft_status weft_onnx_write_tensor(const weft_tensor *t, const char *name, weft_write_fn write, void *ctx,
                                                      weft_diag *d);
#ifdef __cplusplus
}
#endif
