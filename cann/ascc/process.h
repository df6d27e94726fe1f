// process.h - runs a program with text in and text out, within limits.
#pragma once
#include <stdint.h>

#include "text.h"

typedef struct ascc_process {
  const char *const *argv;  // argv[0] is looked for in PATH; NULL ends it
  const char *in;           // what it reads; NULL: as this process
  size_t in_bytes;
  ascc_text *out;    // what it prints; NULL: as this process. `most` limits it
  ascc_text *error;  // what it complains, the same; may be `out`
  uint32_t
      seconds;  // that it and what it starts may take; 0: any time. Then it is a process group of its own
  uint64_t file_bytes;  // that each of its files may have; 0: any size
} ascc_process;

enum { ASCC_NOT_STARTED = -1, ASCC_TOO_SLOW = -2, ASCC_TOO_MUCH = -3, ASCC_KILLED = -4 };
// The exit status, or one of these. Safe in programs with threads; no signal's action is changed.
int ascc_process_run(const ascc_process *p);
// SPDX-License-Identifier: Apache-2.0
