// node_tiling.h - a node as a kernel is asked about it, chosen for it and tiled. Layer: device (on op).
#pragma once
#include "op/proto.h"

// What is told of a node's inputs and, behind them, of its outputs. The tiling points at these arrays: they
// live as long as it does.
typedef struct weft__node_args {
  const weft_layout **layout;
  weft_dtype *dtype;
  const weft_tensor **value;  // of an input its contents where they are known, otherwise NULL
  // how they are stored, in an array of the caller's; NULL: plain, and kernels that want packed ones refuse
  const weft_format *format;
} weft__node_args;

// Arrays for a node of so many, all zero, and no formats. false: out of memory.
bool weft__node_args_make(weft_arena *a, uint32_t n_in, uint32_t n_out, weft__node_args *out);

// The node as a kernel's functions find it on arrival. Where there are such, the caller adds the region, the
// precision, the diag, and the record that tiling fills.
weft_tiling weft__tiling_of_node(const weft_op_desc *node, const weft_host *host, const weft__node_args *a);
// SPDX-License-Identifier: Apache-2.0
