// pool.h - the library's own threads, kept from launch to launch: making one costs more than a small kernel.
#pragma once
#include <stdint.h>

// Calls work(arg) in this thread, and in up to `others` more that come to it before it returned here. All
// calls have returned when it does. A launch beside another one gets threads of its own.
void asc_pool_run(void (*work)(void *arg), void *arg, uint32_t others);
// SPDX-License-Identifier: Apache-2.0
