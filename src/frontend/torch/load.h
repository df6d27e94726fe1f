// load.h - the PyTorch reader for those who tell files apart. Layer: frontend.
#pragma once
#include "weft/graph.h"

// A .pt2 archive from memory, which must outlive the graph: weights stay where they lie.
weft_status weft__torch_read(weft_env *e, const void *data, size_t bytes, const char *name, weft_graph **out,
                             weft_diag *d);
// SPDX-License-Identifier: Apache-2.0
