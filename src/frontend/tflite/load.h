// load.h - the TFLite reader for those who tell files apart. Layer: frontend.
#pragma once
#include "base/base.h"
#include "weft/graph.h"

// A model in a file, or in memory (fd -1). Its bytes must outlive the graph: weights stay where they lie.
weft_status weft__tflite_read(weft_env *e, const weft_file *file, const char *name, weft_graph **out,
                              weft_diag *d);
// Do the first bytes look like one?
bool weft__tflite_begins(const void *data, size_t bytes);
// SPDX-License-Identifier: Apache-2.0
