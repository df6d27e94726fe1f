// vector_eight.h - eight numbers of four bytes side by side, which a compiler makes of what the machine has.
#pragma once
#include <stdint.h>

typedef float vf __attribute__((vector_size(32)));
typedef int32_t vi __attribute__((vector_size(32)));
// SPDX-License-Identifier: Apache-2.0
