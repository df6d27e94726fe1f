// vector_math_avx2.c - the inner loops for this instruction set; compiled with its flags
// (cmake/kernels.cmake).
#define WEFT_LOOPS weft__vec_avx2
#include "cpu/simd/vector_math_all.h"
