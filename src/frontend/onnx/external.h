// external.h - data of tensors that lie outside the model: files beside it, and the budget of what is
// expanded. One per import; the mapped files live as long as the graph. Layer: frontend/onnx.
#pragma once
#include "frontend/onnx/model.h"
#include "weft/graph.h"

typedef struct onnx_files onnx_files;

// Where the tensors of one model get their data. `files` NULL: the model was read from memory, there is no
// folder.
typedef struct onnx_data {
  onnx_files *files;
  size_t dense_left;  // bytes that sparse tensors may still expand to without values that justify them
} onnx_data;
enum { ONNX_DENSE_BYTES = 64 << 20, ONNX_DENSE_RATIO = 1024 };  // see sparse.c

// The folder of the model file. Nothing is opened before the first tensor needs it. Files of up to copy_most
// bytes are copied, larger ones mapped (base/file.h).
weft_status onnx_files_create(const weft_allocator *a, const char *model_path, size_t copy_most,
                              onnx_files **out, weft_diag *d);
void onnx_files_destroy(void *files);  // unmaps; a drop function for weft_graph_keep. NULL allowed
// The import is over: frees what only looking up needs.
void onnx_files_settle(onnx_files *files);
weft_status onnx_files_mapped(const onnx_files *files, weft_graph *g);  // tells the graph: weft__graph_mapped
// The `need` bytes of a tensor with data_location EXTERNAL, in a file mapped read-only: not copied, not
// aligned. Errors: E_UNSUPPORTED (no folder), E_MISSING, E_DUPLICATE, E_SYNTAX (keys and numbers), E_INVALID
// (the path leaves the folder), E_SHAPE (length), E_TRUNCATED (past the end), E_NOT_FOUND, E_IO (not a
// regular file, not readable).
weft_status onnx_files_find(onnx_files *files, const onnx_tensor *t, size_t need, const uint8_t **out,
                            weft_diag *d);
// SPDX-License-Identifier: Apache-2.0
