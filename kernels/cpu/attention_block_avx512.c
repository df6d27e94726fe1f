// attention_block_avx512.c - the loops of attention in vectors of 16.
#include "cpu/vector_avx512.h"

#define ATTENTION weft__attention_avx512
#include "cpu/attention_block_body.h"
