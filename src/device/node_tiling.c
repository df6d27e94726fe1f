// node_tiling.c - see node_tiling.h.
#include "device/node_tiling.h"

bool weft__node_args_make(weft_arena *a, uint32_t n_in, uint32_t n_out, weft__node_args *out) {
  const size_t all = (size_t)n_in + n_out;
  *out = (weft__node_args){.layout = WEFT_NEW_N(a, const weft_layout *, all + 1),
                           .dtype = WEFT_NEW_N(a, weft_dtype, all + 1),
                           .value = WEFT_NEW_N(a, const weft_tensor *, (size_t)n_in + 1)};
  return out->layout && out->dtype && out->value;
}

weft_tiling weft__tiling_of_node(const weft_op_desc *node, const weft_host *host, const weft__node_args *a) {
  const uint32_t n_in = node->n_in;
  return (weft_tiling){.size = sizeof(weft_tiling),
                       .n_in = n_in,
                       .n_out = node->n_out,
                       .desc = node,
                       .host = host,
                       .in = a->layout,
                       .out = a->layout + n_in,
                       .in_dtype = a->dtype,
                       .out_dtype = a->dtype + n_in,
                       .in_format = a->format,
                       .out_format = a->format ? a->format + n_in : NULL,
                       .value = a->value,
                       .phases = 1,
                       .atomic_clean = 1};
}
// SPDX-License-Identifier: Apache-2.0
