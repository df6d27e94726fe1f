// weft/convert.h - ONNX to ONNX: annotates, simplifies, cuts, resizes and retypes a model and writes it back.
// Reentrant; an environment belongs to one thread while it converts.
//
// The model is changed message by message: what no option concerns is copied byte for byte, fields that weft
// does not know included. Value names, node names, doc strings, opset imports, functions and metadata_props
// stay. Nodes that stand in front of what they read are moved behind it, in bodies and functions, too: ONNX
// demands that order. An input that has an initializer counts as a constant. Bodies of If, Loop and Scan are
// simplified and retyped like the graph around them; they keep their inputs and outputs. Tensors in external
// files keep their reference, so that the result belongs into the same folder; what is computed of them (new
// weights, another float type) is written into the model. For that `path` must say where the files are.
#pragma once
#include "weft/env.h"
#ifdef __cplusplus
extern "C" {
#endif

enum { WEFT_CONVERT_SAME, WEFT_CONVERT_F16, WEFT_CONVERT_F32, WEFT_CONVERT_BF16 };

typedef struct weft_convert_summary {  // of the main graph
  size_t nodes_before, nodes_after, initializers_before, initializers_after;
} weft_convert_summary;

typedef struct weft_convert_options {  // all zero: the model comes back with another producer name only
  uint32_t size;
  // Cut: the values `from` become inputs, the values `to` outputs, in this order; what is not needed for them
  // goes. Without `to` the outputs stay; inputs that the cut graph still reads stay. Unknown names:
  // E_NOT_FOUND.
  const char *const *from, *const *to;
  size_t n_from, n_to;
  // "x=1,3,224,224": dims of a graph input; "?" is unknown, a word names the dim. A dim name that gets a
  // number gets it everywhere. value_infos are dropped, or inferred anew where the model had some; outputs
  // are inferred anew.
  const char *const *shapes;
  size_t n_shapes;
  int64_t batch;  // 0: as it is; else the first dim of the first input, and of all inputs that share it
  bool simplify;  // constants folded, no-ops, dead nodes and double initializers removed, BatchNormalization
                  // into Conv, If with a known condition replaced by its branch; inside bodies, too
  size_t max_value_bytes;  // a value with more data is not folded; 0: 1 MiB
  uint8_t floats;          // WEFT_CONVERT_*: f32 becomes f16 or bf16, or f16 f32, inputs and outputs included
                           // (see keep_io); bf16 needs a model of operator set 13 or newer
  bool annotate;           // value_info for every value whose type is inferred; shapes of outputs
  bool keep_metadata;      // producer name and version stay as they are
  void (*report)(void *ctx, const char *line);  // what was done, and what could not be
  void *report_ctx;
  weft_convert_summary *summary;  // NULL allowed
  // Instead of `batch`: a name for the first dim, "?" for an unknown one. Either way Reshapes to a fixed
  // first dim follow their input from then on, where that gives the same shape as before.
  const char *batch_name;
  const char *path;  // of the model's file, for external data beside it; NULL: they stay unread
  // With `floats`: inputs and outputs keep their type; Casts stand behind the former and in front of the
  // latter.
  bool keep_io;
  // Done first: initializers of the main graph that get other data, by name, each of the dtype and shape that
  // it has. E_NOT_FOUND, E_DTYPE, E_SHAPE.
  const char *const *weight_names;
  const weft_tensor *const *weights;
  size_t n_weights;
} weft_convert_options;

// Steps run in the order of the options. `name` is used in messages. The result is read and inferred again
// before the first byte is written. Equal input, equal bytes. Time linear in the model but for what inference
// and folding compute; memory about three times the model. Errors, nothing written: those of weft_onnx_read
// and weft_graph_infer (E_UNSUPPORTED, E_SHAPE, ...), E_NOT_FOUND with the nearest name, E_SYNTAX (a shape),
// E_INVALID; and what `write` returns.
WEFT_API WEFT_MUST weft_status weft_onnx_convert(weft_env *e, const void *data, size_t bytes,
                                                 const char *name, const weft_convert_options *o,
                                                 weft_write_fn write, void *ctx, weft_diag *d);
#ifdef __cplusplus
}
#endif
// SPDX-License-Identifier: Apache-2.0
