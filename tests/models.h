// models.h - small ONNX networks with seeded weights that the project makes itself. Each layer function
// writes ONNX nodes and at once computes its result in double precision with plain loops of its own: an
// oracle that shares no code with weft.
#pragma once
#include "base/base.h"
#include "frontend/onnx/writer.h"

typedef struct mtensor {  // a value of the model and what it must be
  char name[32];
  int rank;
  int64_t dim[6];
  size_t n;
  double *v;
} mtensor;

typedef struct model {
  weft_text text;
  onnxw w;
  uint64_t state;
  int count;
  mtensor values[128];
  mtensor *input, *output;
} model;

// name: conv_bn_relu_pool, inception, shuffle, lrn, attention. false: unknown name or out of memory.
extern const char *const model_names[];
bool model_make(model *m, const char *name, weft_diag *d);
void model_free(model *m);
// SPDX-License-Identifier: Apache-2.0
