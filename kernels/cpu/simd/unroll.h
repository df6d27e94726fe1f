// unroll.h - UNROLL before a loop of at most 20 rounds, known when compiling: written out, so that what it
// indexes stays in registers.
#pragma once
#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 20")
#endif
// SPDX-License-Identifier: Apache-2.0
