// vector_math_plain.c - the inner loops for this instruction set; compiled with its flags
// (cmake/kernels.cmake).
#define WEFT_LOOPS weft__vec_plain
#include "cpu/simd/vector_math_all.h"
