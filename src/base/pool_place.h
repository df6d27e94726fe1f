// pool_place.h - on which CPU a thread runs. Layer: base.
#pragma once
#include "base/base.h"

// The CPU that the calling thread runs on; -1: not known. A few nanoseconds.
int weft__cpu_here(void);
// Moves the calling thread to another CPU of those that it may use, where there is one; afterwards it may use
// the same ones as before. A few microseconds.
void weft__cpu_leave(int cpu);
// SPDX-License-Identifier: Apache-2.0
