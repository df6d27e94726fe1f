// project_cann.h - what the parts of the generator for CANN's C++ share. Layer: op.
#pragma once
#include "op/project.h"

// E_UNSUPPORTED: an attribute of a type that ops::OpDef does not have.
weft_status project_cann_check(const project *p, const project_op *op);
weft_status project_cann_op_files(project *p, const project_op *op);  // op_host/, op_kernel/
weft_status project_cann_test(project *p, const project_op *op);      // tests/

// Where the dtype of output i comes from, as the columns say.
typedef enum project_type_rule {
  PROJECT_TYPE_OPEN,
  PROJECT_TYPE_FIXED,
  PROJECT_TYPE_OF_INPUT
} project_type_rule;
project_type_rule project_cann_type(const project_op *op, size_t output, size_t *input);
bool project_cann_types_known(const project_op *op);  // of all outputs: InferDataType is written, no stub

typedef struct project_cann_attr {
  weft_attr_type type;
  const char *setter, *held;  // of OpAttrDef; the C++ type of a value
} project_cann_attr;
const project_cann_attr *project_cann_attr_of(weft_attr_type type);  // NULL: OpDef has none
void project_cann_dtype(weft_text *t, weft_dtype type);              // ge::DT_FLOAT
// The value that `text` (weft's form) says, as C++: 1, 0.5f, "a", {1, 2}.
weft_status project_cann_literal(project *p, weft_text *t, weft_attr_type type, const char *text);
// SPDX-License-Identifier: Apache-2.0
