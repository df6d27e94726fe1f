// weft/onnx.h - reads ONNX models into graphs.
#pragma once
#include "weft/graph.h"
#ifdef __cplusplus
extern "C" {
#endif
// Maps the file; weights stay where they are. All unsupported operators are reported together. The builder infers
// nothing: call weft_graph_infer.
WEFT_API WEFT_MUST weft_status weft_onnx_load(weft_env *e, const char *path, weft_graph **out, weft_diag *d);
// From memory, which must outlive the graph. `name` is used in messages; external data need a path and are refused here.
WEFT_API WEFT_MUST weft_status weft_onnx_read(weft_env *e, const void *data, size_t bytes, const char *name,
                                              weft_graph **out, weft_diag *d);
// A TensorProto, as the conformance tests' .pb files hold it; copies the data.
WEFT_API WEFT_MUST weft_status weft_onnx_read_tensor(const void *data, size_t bytes, weft_tensor *t, weft_diag *d);
#ifdef __cplusplus
}
#endif
