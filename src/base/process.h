// process.h - which process this is, without asking the kernel. Layer: base.
#pragma once
#include "base/base.h"

// Processes are counted along a line of forks, from 1 on: a child has another number than the process that
// forked it, counted from the first call on. Reading it costs nothing; asking the kernel for its number costs
// as much as a small launch.
unsigned weft__process(void);
// SPDX-License-Identifier: Apache-2.0
