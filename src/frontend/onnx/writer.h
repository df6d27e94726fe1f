// writer.h - writes ONNX protobuf into a text buffer: models for tests and demos, and the way back of `weft
// convert`. Two levels: plain protobuf fields (onnxw_int, onnxw_bytes, onnxw_open ... onnxw_close), and a
// builder over them:
//
//   onnxw_begin(&w, &text, 8, 17);                       // IR version, opset of ai.onnx
//   onnxw_graph(&w, "g");
//   onnxw_input(&w, "x", ONNX_FLOAT, 2, (int64_t[]){-1, 4}, (const char *[]){"n", NULL});
//   onnxw_init_f32(&w, "b", 1, (int64_t[]){4}, data);
//   onnxw_op(&w, "Add", "add1", "x,b", "y");
//   onnxw_output(&w, "y", ONNX_FLOAT, 2, (int64_t[]){-1, 4}, NULL);
//   WEFT_TRY(onnxw_finish(&w, d));                       // text.v, text.n: the file
//
// Bytes are canonical protobuf in the order of the calls: equal calls, equal bytes, on every platform.
// Closing a message moves its bytes by up to 9 to put the length in front. Failures stick and are reported by
// onnxw_finish. Strings are zero-terminated and copied. Threads: a writer belongs to one.
#pragma once
#include "frontend/onnx/model.h"

enum { ONNXW_DEPTH = 160 };

typedef struct onnxw {
  weft_text *out;     // caller-owned, empty or with bytes that stay in front
  const char *wrong;  // the first misuse, NULL: none
  uint32_t depth;
  struct {
    size_t start;  // of the payload
    uint8_t kind;  // what the builder has open there
  } open[ONNXW_DEPTH];
} onnxw;

// ---- protobuf ----
void onnxw_init(onnxw *w, weft_text *out);
void onnxw_int(onnxw *w, uint32_t field, int64_t v);  // int32, int64, enum; negative numbers take ten bytes
void onnxw_float(onnxw *w, uint32_t field, float v);
void onnxw_double(onnxw *w, uint32_t field, double v);
void onnxw_bytes(onnxw *w, uint32_t field, const void *data, size_t bytes);
void onnxw_str(onnxw *w, uint32_t field, const char *text);             // NULL writes nothing
void onnxw_ints(onnxw *w, uint32_t field, const int64_t *v, size_t n);  // packed; nothing when n is 0
void onnxw_floats(onnxw *w, uint32_t field, const float *v, size_t n);  // packed; nothing when n is 0
void onnxw_open(onnxw *w, uint32_t field);
void onnxw_close(onnxw *w);

// ---- model ----
void onnxw_begin(onnxw *w, weft_text *out, int64_t ir_version, int64_t opset);  // opset 0: none imported
void onnxw_opset(onnxw *w, const char *domain,
                 int64_t version);  // of a model (not inside its graph) or function
void onnxw_metadata(onnxw *w, const char *key,
                    const char *value);  // of what is open: model, graph, node, function
void onnxw_graph(onnxw *w, const char *name);
// Model-local functions come after the graph, which onnxw_function closes, or before it.
void onnxw_function(onnxw *w, const char *domain, const char *name, const char *inputs, const char *outputs,
                    const char *attributes);  // comma-separated names
void onnxw_function_end(onnxw *w);
WEFT_MUST weft_status onnxw_finish(onnxw *w, weft_diag *d);  // closes all; E_NOMEM, E_STATE (misuse)

// ---- graph ----
// rank -1: no shape. dims[i] -1 with params[i] (params NULL allowed): named or unknown dim.
void onnxw_input(onnxw *w, const char *name, int32_t data_type, int rank, const int64_t *dims,
                 const char *const *params);
void onnxw_output(onnxw *w, const char *name, int32_t data_type, int rank, const int64_t *dims,
                  const char *const *params);
void onnxw_value_info(onnxw *w, const char *name, int32_t data_type, int rank, const int64_t *dims,
                      const char *const *params);
// Initializers with raw data (little-endian); the counts come from the dims.
void onnxw_init_f32(onnxw *w, const char *name, int rank, const int64_t *dims, const float *data);
void onnxw_init_i64(onnxw *w, const char *name, int rank, const int64_t *dims, const int64_t *data);
void onnxw_init_raw(onnxw *w, const char *name, int32_t data_type, int rank, const int64_t *dims,
                    const void *data, size_t bytes);
void onnxw_init_message(onnxw *w, const void *tensor, size_t bytes);  // a TensorProto, as it is
typedef struct onnxw_external {
  const char *location;  // a file beside the model
  int64_t offset, bytes;
} onnxw_external;
void onnxw_init_external(onnxw *w, const char *name, int32_t data_type, int rank, const int64_t *dims,
                         const onnxw_external *data);

// ---- node: stays open for attributes until the next node, input, ... ----
void onnxw_node(onnxw *w, const char *op_type, const char *name, const char *const *inputs, size_t n_inputs,
                const char *const *outputs, size_t n_outputs);
void onnxw_op(onnxw *w, const char *op_type, const char *name, const char *inputs,
              const char *outputs);  // "x,,b"
void onnxw_domain(onnxw *w, const char *domain);
void onnxw_attr_int(onnxw *w, const char *name, int64_t v);
void onnxw_attr_float(onnxw *w, const char *name, float v);
void onnxw_attr_str(onnxw *w, const char *name, const char *v);
void onnxw_attr_bytes(onnxw *w, const char *name, const void *v,
                      size_t bytes);  // a string that may hold zeros
void onnxw_attr_ints(onnxw *w, const char *name, const int64_t *v, size_t n);
void onnxw_attr_floats(onnxw *w, const char *name, const float *v, size_t n);
void onnxw_attr_strs(onnxw *w, const char *name, const char *const *v, size_t n);
void onnxw_attr_tensor(onnxw *w, const char *name, int32_t data_type, int rank, const int64_t *dims,
                       const void *data, size_t bytes);
void onnxw_attr_ref(onnxw *w, const char *name, int32_t type, const char *outer_name);  // in functions
void onnxw_attr_graph(onnxw *w, const char *name,
                      const char *graph_name);  // then graph and node calls, then:
void onnxw_attr_graph_end(onnxw *w);            // the node that has the attribute is open again

// ---- a TensorProto as a file of its own ----
// Of a writer that is initialised and writes nothing else.
void onnxw_tensor_file(onnxw *w, const char *name, int32_t data_type, int rank, const int64_t *dims,
                       const void *data, size_t bytes);
// SPDX-License-Identifier: Apache-2.0
