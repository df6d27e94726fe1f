// axis.rule.h - an axis below 0 counts from the end. Pure: operators and kernels count by this.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Counts *axis from the front. false: it is outside [-rank, rank), and what it is then has no meaning.
static inline bool weft__axis_inside(int64_t *axis, size_t rank) {
  if (*axis < 0)
    *axis += (int64_t)rank;
  return *axis >= 0 && *axis < (int64_t)rank;
}
// SPDX-License-Identifier: Apache-2.0
