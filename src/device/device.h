// device.h - kernels that devices offer, and the choice between them. Layer: device (on op).
#pragma once
#include "op/proto.h"
#include "weft/device.h"

extern const weft_device weft__device_cpu, weft__device_npusim;  // src/device/cpu.c, kernels/npusim

// The kernels of one operator on one device, in this order: the program's, packages', built-in ones.
// Returns how many there are; fills up to cap.
uint32_t weft__kernels_find(const weft_env *e, const char *op, const char *device, const weft_kernel **out,
                            uint32_t cap);
extern const weft_kernel *const weft__cpu_kernels[];  // kernels/cpu/table.c, sorted by operator
extern const unsigned weft__cpu_kernel_count;
// Packed constants made under one name serve under it: instruction set, and a number that is raised when a
// kernel changes its layout. kernels/cpu/isa.c
const char *weft__cpu_layouts(const weft_host *host);
extern const weft_kernel *const weft__npusim_kernels[];  // kernels/npusim/table.c, the same
extern const unsigned weft__npusim_kernel_count;
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
