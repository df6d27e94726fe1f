// device.h - kernels that devices offer, and the choice between them. Layer: device (on op).
#pragma once
#include "op/proto.h"

// The kernels of one operator on one device, in order of registration: packages first, then built-in ones.
// Returns how many there are; fills up to cap.
uint32_t weft__kernels_find(const weft_env *e, const char *op, const char *device, const weft_kernel **out,
                            uint32_t cap);
extern const weft_kernel *const weft__cpu_kernels[];  // kernels/cpu/table.c, sorted by operator
extern const unsigned weft__cpu_kernel_count;

// What became of the candidates for one node: "gemm-avx512: needs f32, got f16".
typedef struct weft__choice {
  const weft_kernel *kernel;  // NULL: none took it
  char why[512];              // of those that refused, one after the other
} weft__choice;
// The cheapest kernel that does not refuse. `t` is filled by the caller as for tiling.
void weft__kernel_choose(const weft_env *e, const weft_tiling *t, const char *device, weft__choice *out);
