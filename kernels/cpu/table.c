// table.c - the kernels of the CPU, sorted by operator; of one operator the plain ones first.
#include "device/device.h"

const weft_kernel *const weft__cpu_kernels[] = {NULL};
const unsigned weft__cpu_kernel_count = 0;
