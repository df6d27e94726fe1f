// weft/model.h - reads a model of any kind that weft knows into a graph.
#pragma once
#include "weft/onnx.h"
#ifdef __cplusplus
extern "C" {
#endif
// What the file holds decides, not its name: weft's binary form (weft_graph_load), its text form
// (weft_graph_parse), the founding documents' JSON (weft_simple_read), a zip archive of torch.export.save
// (.pt2), a frozen GraphDef or a SavedModel's folder, a MINDIR (docs/frontends.md), otherwise ONNX
// (weft_onnx_load). A file named .onnx is ONNX, one named .weft or
// .txt and not binary is text. Nothing is inferred:
// weft_graph_infer, or weft_compile, comes next.
// Errors are those of the form's own function, and E_INVALID for a program that was compiled
// (weft_program_load).
WEFT_API WEFT_MUST weft_status weft_model_load(weft_env *e, const char *path, weft_graph **out, weft_diag *d);
// The same with options, which ONNX models take, and SavedModels their signature; NULL: the default.
WEFT_API WEFT_MUST weft_status weft_model_load_with(weft_env *e, const char *path, const weft_onnx_options *o,
                                                    weft_graph **out, weft_diag *d);
// From memory, which must outlive the graph: weights of an ONNX model stay where they are. `name` is used in
// messages, and as a file's name would be to tell the form. Data in other files need a path and are refused
// here.
WEFT_API WEFT_MUST weft_status weft_model_read(weft_env *e, const void *data, size_t bytes, const char *name,
                                               weft_graph **out, weft_diag *d);
// Which form it is, by what it holds, and by its name where that does not tell: "graph", "program", "json",
// "text", "pytorch", "tensorflow", "mindspore", or "onnx". Looks at the first bytes only. name NULL: only
// what it holds counts.
WEFT_API const char *weft_model_kind(const void *data, size_t bytes, const char *name);
#ifdef __cplusplus
}
#endif
// SPDX-License-Identifier: Apache-2.0
