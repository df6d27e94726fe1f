// machine.h - what a program lets kernels use of the machine: weft_env_options.isa, whose default are the
// variables WEFT_ISA, WEFT_VNNI and WEFT_BF16. Kernels ask for it through weft_host.machine. Layer: op.
#pragma once
#include "base/base.h"

struct weft_machine {
  const char
      *isa;  // "plain", "neon", "avx2", "avx512", "amx-emulated", which outlives it; NULL: all that there is
  int most_bytes;    // WEFT__BYTES_* at most
  bool no_bf16;      // no dot products of bf16
  bool bf16_always;  // kernels of bf16 wherever they may, whatever that costs: for tests
};
// "avx2", "avx512,vnni=0,bf16=0", ...; NULL: the variables. E_INVALID says which words there are; a variable
// that is not understood leaves its field as it is, and weft__machine_strange names it.
weft_status weft__machine_read(const char *text, struct weft_machine *out, weft_diag *d);
// The first of the variables that says nothing that is known, with its value: "WEFT_ISA=avx3"; NULL: there is
// none.
const char *weft__machine_strange(char *buf, size_t cap);
// SPDX-License-Identifier: Apache-2.0
