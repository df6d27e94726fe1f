// Room simd: instruction sets and which of them run, caches, vectors, mathematics in vectors, emulation.
// Uses: no other room.
// Kernels: none, the others stand on it.
//
// isa.h - the instruction sets that kernel files are compiled for, and which of them run: what this machine
// has and the program allows (weft_env_options.isa, op/machine.h). A kernel asks once a shape, in tile(),
// cost() and pack(), with their host; NULL asks for all that the machine has.
#pragma once
#include "base/base.h"
#include "weft/op.h"

enum { WEFT__ISA_PLAIN, WEFT__ISA_AVX2, WEFT__ISA_AVX512, WEFT__ISA_COUNT };
// AVX2: with FMA and F16C. AVX512: F, BW, DQ and VL. Registers that the system does not save do not count.
int weft__cpu_isa(const weft_host *host);
// Dot products of bytes for that set: of AVX512-VNNI or AVX-VNNI, or of DotProd (both operands of one sign)
// and I8MM (of two) on aarch64.
enum { WEFT__BYTES_NONE, WEFT__BYTES_DOT, WEFT__BYTES_I8MM, WEFT__BYTES_COUNT };
int weft__cpu_bytes(const weft_host *host);
// Are there dot products of bf16 for that set (AVX512-BF16)?
bool weft__cpu_bf16(const weft_host *host);
// Kernels of bf16 wherever they may, whatever that costs? For tests.
bool weft__cpu_bf16_always(const weft_host *host);
// Are there AMX's tiles, beside AVX512? The system is asked to give them to the process. EMULATED, in plain
// C, only where the program says so.
enum { WEFT__AMX_NONE, WEFT__AMX_TILES, WEFT__AMX_EMULATED };
int weft__cpu_amx(const weft_host *host);
const char *weft__cpu_amx_missing(const weft_host *host);  // why there are no tiles; NULL: there are
const char *weft__cpu_isa_name(int isa);                   // "avx2"

// The address of one of name_plain, name_avx2 and name_avx512: of the set that runs.
#if defined(WEFT_KERNELS_X86)
#define WEFT__BY_ISA(host, name)                              \
  (weft__cpu_isa(host) == WEFT__ISA_AVX512 ? &(name##_avx512) \
   : weft__cpu_isa(host) == WEFT__ISA_AVX2 ? &(name##_avx2)   \
                                           : &(name##_plain))
#else
#define WEFT__BY_ISA(host, name) ((void)(host), &(name##_plain))
#endif
// SPDX-License-Identifier: Apache-2.0
