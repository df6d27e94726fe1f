// fourier.h - one discrete Fourier transform in double, for the operators that have some. Layer: ops.
#pragma once
#include "op.h"

// The n powers of exp(-+ 2 pi i / n), as pairs.
void weft__fourier_table(double *table, size_t n, bool inverse);
// out[k] = by * sum over i of v[i] exp(-+ 2 pi i k / n), for k below n; pairs. By the prime factors of n:
// O(n (p1 + p2 + ...)), which is O(n log n) for powers of small numbers, O(n^2) for a prime. `room` holds n
// pairs.
weft_status weft__fourier_lane(const weft_call *c, const double *table, const double *v, size_t n,
                               double *out, double *room, double by);
// SPDX-License-Identifier: Apache-2.0
