// weft/limits.h - what a call may use: memory, time, and a flag that stops it. For what strangers send: a
// file of a few bytes may ask for any memory and any time. docs/limits.md.
#pragma once
#include "weft/base.h"
#ifdef __cplusplus
extern "C" {
#endif

// All zero: no limits. weft_env_options.limits hold for every call of the environment that works on a model:
// reading one, inference, compiling, planning, running it and interpreting it. Options of a call may tighten
// them, never loosen them.
//
//   memory_limit_bytes  of what a graph holds (the model as it is read, what inference finds out, folded
//                       constants, and what the call needs on the way), and of what an exec holds in a run
//                       (intermediate tensors, strings, sequences, workspaces, outputs that it allocates).
//                       Constants that kernels pack count with their program's graph; weights that lie in a
//                       mapped file and plans do not. 0: no limit
//   time_limit_ns       of each call, from its beginning. 0: no limit
//   cancel              the call stops with E_CANCELLED soon after this is not 0; any thread or a signal
//                       handler may set it. It must outlive the environment or the options that it is in.
//                       NULL: none
//
// What stops is E_LIMIT (memory, time) or E_CANCELLED with the node at which it was. Between two looks at the
// clock lies a block of a kernel, a row of what a reference kernel computes, a node of a graph, some thousand
// numbers of a file: milliseconds as a rule.
typedef struct weft_limits {
  uint32_t size;
  uint64_t memory_limit_bytes;
  uint64_t time_limit_ns;
  const volatile int *cancel;
} weft_limits;

#ifdef __cplusplus
}
#endif
// SPDX-License-Identifier: Apache-2.0
