// vector_math_avx512.c - the inner loops for this instruction set; compiled with its flags
// (cmake/kernels.cmake).
#define WEFT_LOOPS weft__vec_avx512
#include "cpu/simd/vector_math_all.h"
