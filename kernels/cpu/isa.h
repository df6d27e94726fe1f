// isa.h - the instruction sets that kernel files are compiled for, and which one this machine runs. A kernel
// asks once a shape, in tile(); WEFT_ISA=plain|avx2|avx512 in the environment lowers the answer, for tests;
// WEFT_ISA=amx-emulated adds AMX's tiles in plain C.
#pragma once
#include "base/base.h"

enum { WEFT__ISA_PLAIN, WEFT__ISA_AVX2, WEFT__ISA_AVX512, WEFT__ISA_COUNT };
// AVX2: with FMA and F16C. AVX512: F, BW, DQ and VL. Registers that the system does not save do not count.
int weft__cpu_isa(void);
// Dot products of bytes for that set: of AVX512-VNNI or AVX-VNNI, or of DotProd (both operands of one sign)
// and I8MM (of two) on aarch64. WEFT_VNNI=0|1|2 lowers the answer, for tests.
enum { WEFT__BYTES_NONE, WEFT__BYTES_DOT, WEFT__BYTES_I8MM, WEFT__BYTES_COUNT };
int weft__cpu_bytes(int isa);
// Are there dot products of bf16 for that set (AVX512-BF16)? WEFT_BF16=0 says no, for tests.
bool weft__cpu_bf16(int isa);
bool weft__cpu_bf16_always(
    void);  // WEFT_BF16=0! or 1!: kernels of bf16 wherever they may, whatever that costs
// Are there AMX's tiles, beside AVX512? The system is asked to give them to the process. EMULATED only where
// WEFT_ISA says so.
enum { WEFT__AMX_NONE, WEFT__AMX_TILES, WEFT__AMX_EMULATED };
int weft__cpu_amx(void);
const char *weft__cpu_amx_missing(void);  // why there are no tiles; NULL: there are
const char *weft__cpu_isa_name(int isa);  // "avx2"
