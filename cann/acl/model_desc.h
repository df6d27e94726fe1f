// model_desc.h - a description holds its model, whose names it gives out.
#pragma once
#include "model.h"

struct aclmdlDesc {
  acl_model *model;
  weft_tensor_desc *in, *out;
  size_t n_in, n_out;
};
// SPDX-License-Identifier: Apache-2.0
