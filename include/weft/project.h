// weft/project.h - makes the source project of a new operator package from a description of operators.
// The description is msOpGen's JSON: an object, or an array of objects for several operators in one package:
//
//   [{"op": "AddCustom", "language": "cpp",
//     "input_desc":  [{"name": "x", "format": ["ND", "ND"], "type": ["fp16", "float"]},
//                     {"name": "y", "format": ["ND", "ND"], "type": ["fp16", "float"]}],
//     "output_desc": [{"name": "z", "format": ["ND", "ND"], "type": ["fp16", "float"]}],
//     "attr":        [{"name": "alpha", "param_type": "optional", "type": "float", "default_value": "1.0"}]}]
//
// op           the operator's type. Its files bear its name in small letters: AddCustom gives add_custom.
// input_desc, output_desc  ports in IR order; [] for none. Entry i of every type and format list of an
//              operator together is one supported combination, so all lists have one length. param_type:
//              required (default), optional, dynamic. Dtypes and formats are what weft_dtype_parse and
//              weft_format_parse read.
// attr         may be left out. type: int, float, bool, string, data_type, tensor, list_int, list_float,
//              list_bool, list_string, list_data_type, list_list_int. default_value is a JSON value or its
//              text. Optional attributes have one, required ones have none; without param_type, default_value
//              decides.
// language     is read and changes nothing: the project is C, or C++ with `cann`.
//
// The project builds and passes its tests as it is. Inference, tiling and kernel are stubs: they fail with
// E_INCOMPLETE and "InferShape not implemented" and so on. With `cann` an attribute has one of the types that
// ops::OpDef has; others (data_type, tensor, list_string, list_data_type) are E_UNSUPPORTED. Reentrant.
#pragma once
#include "weft/env.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct weft_project_options {  // all zero is the default
  uint32_t size;
  const char *name;     // of the package, an identifier; NULL: the first operator's name in small letters
  const char *version;  // of the package; NULL: "1.0.0"
  bool cann;            // in CANN's C++ (docs/cann.md), as msOpGen lays it out
} weft_project_options;
// Receives one file. `path` is relative, with '/' between folders and no "..". A non-zero return stops the
// generator.
typedef weft_status (*weft_project_file_fn)(void *ctx, const char *path, const char *text, size_t bytes,
                                            bool executable);

// Reads `bytes` of JSON and calls `file` for each file, always in the same order, README.md first: only after
// the whole description was found to be right. `file_name` is for messages; NULL allowed. Warns in e's log of
// operators that weft has itself. O(text + files).
// Errors name file, line, field and both values ("input_desc[1].type has 3 entries, input_desc[0].type has
// 2"): E_SYNTAX (no JSON), E_TYPE, E_MISSING, E_NOT_FOUND (keys), E_DTYPE, E_FORMAT, E_DUPLICATE, E_INVALID
// (names, values), E_LIMIT, E_NOMEM; and whatever `file` returns.
WEFT_API WEFT_MUST weft_status weft_op_project(weft_env *e, const char *json, size_t bytes,
                                               const char *file_name, const weft_project_options *o,
                                               weft_project_file_fn file, void *ctx, weft_diag *d);
#ifdef __cplusplus
}
#endif
// SPDX-License-Identifier: Apache-2.0
