// kernel_laws.h - what the files of the laws of kernels share: one use of an operator with its tensors, and
// one run of a kernel on it. kernel_laws.c holds the session and judges, kernel_uses.c makes uses,
// kernel_run.c runs a kernel between guards. Layer: debug.
#pragma once
#include "base/pool.h"
#include "device/device.h"
#include "op/laws.h"

// Of a known shape that has a size; -1: it has none.
static inline int64_t weft__kernel_elems(const weft_shape *s) {
  int64_t n;
  return weft_shape_elems(s, &n) ? -1 : n;
}

// All inputs with data, and what the reference gives for them.
typedef struct weft__kernel_use {
  weft_env *env;
  weft_arena arena;  // of what the use holds
  const weft_op_desc *desc;
  const weft_tensor *const *in;
  uint32_t n_in, n_out;
  weft_tensor *want;   // of the reference; empty when it fails
  weft_status status;  // of the reference
  const weft_layout
      *out;  // what a kernel is told of the outputs: where the data decide, the largest there can be
  const weft_dtype *out_dtype;
  const weft_format *out_format;
  bool finds;        // shapes of outputs depend on the data
  double tolerance;  // of the example; 0: none
  char text[512];    // f32[2,3], f32[3] -> f32[2,3]
} weft__kernel_use;

enum { WEFT__KERNEL_FORWARD, WEFT__KERNEL_BACKWARD, WEFT__KERNEL_THREADS };
typedef struct weft__kernel_way {  // how one run is made
  uint8_t fill;                    // what lies around, and in memory that nobody has written
  uint8_t order;                   // of blocks: WEFT__KERNEL_*
  bool aligned;      // tensors begin at multiples of 64 bytes; otherwise where their elements may
  bool constants;    // inputs behind the first are constants, which kernels may pack
  int32_t over;      // the input that output 0 lies over; -1: none
  uint32_t skipped;  // bits of outputs that nobody reads
} weft__kernel_way;

enum {
  WEFT__KERNEL_RAN,
  WEFT__KERNEL_REFUSED,  // text: why
  WEFT__KERNEL_FAILED,   // status and text
  WEFT__KERNEL_STRAYED,  // it wrote where it may not; text
};
typedef struct weft__kernel_result {
  int what;
  weft_status status;
  char text[640];
  void **out;           // bytes of each output, in the arena of the call; NULL: skipped
  uint64_t *shape_out;  // of a kernel that finds shapes
  uint32_t blocks, overwrite, skips;
} weft__kernel_result;
// One run. `arena` holds what comes out. E_NOMEM; everything else is in the result.
weft_status weft__kernel_run(const weft__kernel_use *u, const weft_kernel *k, const weft__kernel_way *way,
                             weft_pool *pool, weft_arena *arena, weft__kernel_result *out);

// Into how many blocks the kernel would split the use; 0: it does not take it. E_NOMEM.
weft_status weft__kernel_blocks(const weft__kernel_use *u, const weft_kernel *k, weft_arena *arena,
                                uint32_t *blocks);

// The use that the laws' trial stands for, after inference. False: not one for kernels (strings, sequences,
// sub-graphs, shapes that nobody knows), or out of memory (l->out_of_memory). End it in any case.
bool weft__kernel_use_open(weft__laws *l, weft__kernel_use *u);
// Runs the reference, once. False: it says nothing (a limit, not supported here), or out of memory.
bool weft__kernel_use_want(weft__laws *l, weft__kernel_use *u, const weft_limits *limits);
void weft__kernel_use_end(weft__kernel_use *u);
// Puts random inputs in place of the example's: other dims, ranks, dtypes and values, as long as inference
// takes them. False: none was found in a few attempts. The trial uses them until weft__kernel_inputs_end.
// `saved`: the example's.
bool weft__kernel_inputs(weft__laws *l, uint32_t round, weft_tensor *own, const weft_tensor *const *saved);
// The same with one dim of the example's many times as long; steps count up from 0 to WEFT__GROWN_STEPS,
// sizes from small to large. Inputs of input 0's dtype get `to`. False: inference does not take this one.
// They hold no values before weft__kernel_inputs_fill: planning reads none.
enum { WEFT__GROWN_STEPS = 16 };
bool weft__kernel_inputs_grown(weft__laws *l, uint32_t step, weft_dtype to, weft_tensor *own,
                               const weft_tensor *const *saved);
void weft__kernel_inputs_fill(weft__laws *l, weft_tensor *own, const weft_tensor *const *saved);
void weft__kernel_inputs_end(weft__laws *l, weft_tensor *own, const weft_tensor *const *saved);
// SPDX-License-Identifier: Apache-2.0
