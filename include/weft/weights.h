// weft/weights.h - weights of a graph from and to files of safetensors.
#pragma once
#include "weft/graph.h"
#ifdef __cplusplus
extern "C" {
#endif
// Gives constants of the graph the tensors that have their names in a .safetensors file: the same dtype and
// shape. The file is mapped, and the graph keeps it: data stay where they are. out_n (NULL allowed): how many
// constants were replaced; constants that the file does not name stay, and so do tensors that the graph does
// not name. Inference must follow. Errors, the graph unchanged: E_NOT_FOUND (no tensor has the name of a
// constant), E_DTYPE, E_SHAPE (with both values), E_SYNTAX, E_CORRUPT, E_LIMIT (a header of more than
// 100 MB), E_IO.
WEFT_API WEFT_MUST weft_status weft_weights_load(weft_graph *g, const char *path, size_t *out_n,
                                                 weft_diag *d);
// Writes the constants of the graph itself, not of bodies, by name, in the order of their names; those that a
// reader made for itself ("weft/..": axes, numbers) are left out. Equal graphs, equal bytes. E_DTYPE:
// safetensors has no such dtype; E_IO.
WEFT_API WEFT_MUST weft_status weft_weights_save(const weft_graph *g, const char *path, weft_diag *d);
#ifdef __cplusplus
}
#endif
// SPDX-License-Identifier: Apache-2.0
