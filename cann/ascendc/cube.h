// cube.h - the product itself, on rows of floats or integers.
#pragma once
#include "weft_cann/asc_units.h"

// c [m, n] += a [m, k] * b [k, n], each sum in the order of k.
void asc_cube_floats(float *c, const float *a, const float *b, uint32_t m, uint32_t n, uint32_t k);
void asc_cube_integers(uint32_t *c, const int32_t *a, const int32_t *b, uint32_t m, uint32_t n, uint32_t k);
// To the 11 bits of HF32, as the core's mode says.
void asc_cube_hf32(const weft_asc_cube *mode, float *x, size_t n);
// SPDX-License-Identifier: Apache-2.0
