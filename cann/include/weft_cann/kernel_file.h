// weft_cann/kernel_file.h - what a kernel's shared object shows to the package that finds it.
#pragma once
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef struct weft_kernel_launch {
  const char *name;
  uint32_t blocks;
  uint64_t tiling_key;
  void *const *args;  // of inputs and outputs by port, then workspace and tiling data
  uint32_t n_args;
  // asc_core.h's: who calls blocks; NULL: threads of its own
  void (*parallel)(void *ctx, void (*block)(void *arg, uint32_t i), void *arg, uint32_t n);
  void *parallel_ctx;
} weft_kernel_launch;

enum { WEFT_KERNEL_FILE_VERSION = 1 };
typedef struct weft_kernel_file {
  uint32_t size, version;
  const char *op, *soc;
  uint32_t n_ports;                            // inputs, then outputs
  const int32_t *dtypes;                       // weft_dtype of each
  int (*launch)(const weft_kernel_launch *l);  // 0, or error() says what is wrong
  const char *(*error)(void);
} weft_kernel_file;
// The symbol: `extern const weft_kernel_file weft_kernel_file_entry`.

#ifdef __cplusplus
}
#endif
// SPDX-License-Identifier: Apache-2.0
