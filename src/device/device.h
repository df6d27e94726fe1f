// device.h - kernels that devices offer, and the choice between them. Layer: device (on op).
#pragma once
#include "op/proto.h"
#include "weft/device.h"

extern const weft_device weft__device_cpu, weft__device_npusim;  // src/device/cpu.c, kernels/npusim

// The kernels of one operator on one device (NULL: on all), in this order: the program's, packages',
// built-in.
typedef void (*weft__kernel_fn)(void *ctx, const weft_kernel *k);
void weft__kernels_each(const weft_env *e, const char *op, const char *device, weft__kernel_fn fn, void *ctx);
// How many there are, more than `cap` perhaps; out[0, cap) are filled.
uint32_t weft__kernels_find(const weft_env *e, const char *op, const char *device, const weft_kernel **out,
                            uint32_t cap);
// weft's own: by name, NULL where there is none; and is it one of them?
const weft_kernel *weft__kernel_own(const char *device, const char *op, const char *name);
bool weft__kernel_is_own(const weft_kernel *k);
// Constants that own kernels of a device packed under one name serve under it: instruction set, and a number
// that is raised when a kernel changes its layout. "": the device's kernels pack nothing.
const char *weft__kernel_layouts(const weft_env *e, const char *device);

// What the devices' folders in kernels/ have: tables that the build makes, sorted by operator.
extern const weft_kernel *const weft__cpu_kernels[], *const weft__npusim_kernels[];
extern const unsigned weft__cpu_kernel_count, weft__npusim_kernel_count;
const char *weft__cpu_layouts(const weft_host *host);  // kernels/cpu/simd/isa.c

// How a kernel's host side is made: its own function, or the operator's. NULL: there is none.
static inline weft_tile_fn weft__kernel_tile(const weft_kernel *k, const weft_op_desc *desc) {
  return k->tile ? k->tile : desc->op->tile;
}

// What became of the candidates for one node: "gemm-avx512: needs f32, got f16".
typedef struct weft__choice {
  const weft_kernel *kernel;  // NULL: none took it
  const weft_op_desc *desc;   // what it was asked about: the node, or the only operator of its region
  double cost_ns;             // of it, as it says; 0: it does not
  uint32_t n_tried;
  char why[512];  // of those that refused, one after the other
} weft__choice;
// Is it among the operator's targets? Without targets: no.
bool weft__op_names_device(const weft_op *op, const char *device);
// The cheapest kernel that does not refuse; of an operator that names its kernel (weft_op.kernel), that one.
// `t` is filled by the caller as for tiling.
void weft__kernel_choose(const weft_env *e, const weft_tiling *t, const char *device, weft__choice *out);
// SPDX-License-Identifier: Apache-2.0
