// table.c - the kernels of the simulated NPU, sorted by operator.
#include "device/device.h"

// clang-format off
#define WEFT_KERNEL_LIST(X) \
  X(add) \
  X(conv2d) \
  X(matmul) \
  X(mul) \
  X(nonzero) \
  X(relu) \
  X(sigmoid) \
  X(transpose)
// clang-format on

#define WEFT_X(symbol) extern const weft_kernel weft__npusim_##symbol;
WEFT_KERNEL_LIST(WEFT_X)
#undef WEFT_X

const weft_kernel *const weft__npusim_kernels[] = {
#define WEFT_X(symbol) &weft__npusim_##symbol,
    WEFT_KERNEL_LIST(WEFT_X)
#undef WEFT_X
};
const unsigned weft__npusim_kernel_count = sizeof weft__npusim_kernels / sizeof *weft__npusim_kernels;
