// weft/simple.h - reads the founding documents' simplified framework model, a JSON text, into a graph.
//
//   {"name": "net", "framework": "pytorch",
//    "ops": [{"name": "conv_1", "type": "nn.Conv2d", "attrs": {"kernel_size": 3, "padding": 1},
//             "inputs": [{"name": "x", "shape": [1, 3, 224, 224], "dtype": "DT_FLOAT"},
//                        {"name": "w", "shape": [64, 3, 3, 3], "dtype": "DT_FLOAT"}],
//             "outputs": [{"name": "y", "shape": [1, 64, 224, 224], "dtype": "DT_FLOAT"}]}]}
//
// name       of the graph; "converted_model" when it is not given.
// framework  "simple" (default), "pytorch", "tensorflow" or "mindspore": whose operators, defaults and
//            padding words the model uses, and its layout where none is given (NCHW, TensorFlow's NHWC). A
//            type's own prefix ("tf.nn.conv2d") decides where the model is "simple". An op's layout is its
//            data_format, otherwise the fmt of its first input, otherwise its framework's; TensorFlow's
//            filters are HWIO.
// connect    "name": tensors with one name are one tensor. "order": names are those of ports, and output k of
//            an op is input k of the next. Without it a model connects by name, except where output names
//            repeat and no input bears one, as in the documents' own model.
// ops        attrs are named, args positional parameters; inputs may hold null for an absent optional one.
//            Shape and dtype may be left out where another mention or inference tells them; a tensor that is
//            only a name may be a string. fmt is a format name.
// Tensors that nobody produces become graph inputs, those that nobody reads graph outputs. Shapes given for
// outputs are declared, and weft_graph_infer checks them. A node's origin keeps the attributes as given.
#pragma once
#include "weft/graph.h"
#ifdef __cplusplus
extern "C" {
#endif
// Reads `bytes` of JSON, which are not needed afterwards. `file_name` (NULL allowed) is for messages and
// origins. Infers nothing. O(text). All unknown operators are reported together; there is no partial graph:
// *out is NULL then. Errors name the place in the model, as in "ops[1].type missing":
//   E_SYNTAX (no JSON), E_MISSING, E_TYPE, E_INVALID, E_UNSUPPORTED (operators), E_NOT_FOUND (attributes),
//   E_DUPLICATE, E_SHAPE, E_DTYPE, E_FORMAT, E_RANGE, E_LIMIT, E_OVERFLOW, E_CYCLE, E_NOMEM.
WEFT_API WEFT_MUST weft_status weft_simple_read(weft_env *e, const char *json, size_t bytes,
                                                const char *file_name, weft_graph **out, weft_diag *d);
// The same from a file: E_NOT_FOUND, E_IO.
WEFT_API WEFT_MUST weft_status weft_simple_load(weft_env *e, const char *path, weft_graph **out,
                                                weft_diag *d);
#ifdef __cplusplus
}
#endif
// SPDX-License-Identifier: Apache-2.0
