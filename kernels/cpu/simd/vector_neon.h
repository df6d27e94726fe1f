// vector_neon.h - the parts of vector_plain.h that compilers turn into jumps on aarch64. Products stay
// theirs: they become fmla by element with all sums in registers (tools/check_aarch64.sh looks at the code).
#pragma once
#include <arm_neon.h>

#define ISA "neon"

static inline vec vector_max(vec a, vec b) {
  return vbslq_f32(vcltq_f32(b, a), a, b);
}
static inline vec larger(vec a, vec b) {
  return vmaxq_f32(a, b);
}
static inline vec vector_min(vec a, vec b) {
  return vbslq_f32(vcgtq_f32(b, a), a, b);
}
// SPDX-License-Identifier: Apache-2.0
