// bf16_case.h - what the tests of rounded products, convolutions and attention share: operands of kinds that
// are rounded badly, the text of a graph, programs run with 1, 2 and 7 threads, and the ways in which
// operands are rounded. Each element is held to bf16_oracle.h.
#pragma once
#include "bf16_oracle.h"
#include "run_util.h"

enum { BF16_TEXT = 1 << 22, BF16_MOST = 1 << 17 };
// TIES lie just beside the middle of two numbers of bf16, all on the same side; CANCEL are pairs that sum to
// almost nothing; WIDE has all exponents between -30 and 30; of LARGE the sum of two is too large for float.
enum { RANDOM, TIES, CANCEL, WIDE, DENORMAL, INFINITE, KINDS, LARGE = KINDS };

// How operands are rounded, and by what.
typedef struct bf16_way {
  const char *isa, *bf16, *option, *gemm, *conv;
  int parts;  // of bf16, on AMX's tiles; 0: without tiles
} bf16_way;

typedef struct bf16_case {
  bf16_way way;  // of the test at hand
  char text[BF16_TEXT];
  size_t n;
  uint64_t state;                                  // of the random numbers
  float a[BF16_MOST], b[BF16_MOST], c[BF16_MOST];  // operands, a bias
} bf16_case;
extern bf16_case bf16;
extern const char bf16_mode[];  // the option that allows bf16

uint64_t bf16_pick(uint64_t n);
float bf16_unit(void);
void bf16_put(const char *fmt, ...);
void bf16_put_const(char name, const char *shape, const float *x, size_t n);
void bf16_fill(float *to, size_t n, int kind);
int bf16_beside(int kind);  // the kind of the other operand

typedef struct bf16_graph {
  weft_program *p;
  weft_exec *one, *two, *seven;  // threads
} bf16_graph;

bool bf16_open(rows *r, const char *option, bool packed, bf16_graph *g);
void bf16_close(bf16_graph *g);
size_t bf16_runs_of(const weft_exec *x, const char *kernel);
// Runs with 1, 2 and 7 threads; the bits must be the same. out is to be deinitialised.
bool bf16_run(rows *r, bf16_graph *g, const weft_tensor *const *in, size_t n_in, weft_tensor *out);
bool bf16_borrow(weft_tensor *t, const float *x, const weft_dim *dim, size_t rank);

// Cases of every kind of numbers in one way.
void bf16_all(bf16_way w, bool (*one)(rows *r, int kind), uint64_t seed);
bf16_way bf16_vectors(const char *isa, const char *bf16);
bf16_way bf16_tiles(const char *option, int parts);

#define BF16_EACH_VECTOR(name, one, seed)                  \
  TEST(name##_plain) {                                     \
    bf16_all(bf16_vectors("plain", "0!"), one, seed + 1);  \
  }                                                        \
  TEST(name##_avx2) {                                      \
    bf16_all(bf16_vectors("avx2", "0!"), one, seed + 2);   \
  }                                                        \
  TEST(name##_avx512) {                                    \
    bf16_all(bf16_vectors("avx512", "0!"), one, seed + 3); \
  }                                                        \
  TEST(name##_avx512_dot_products) {                       \
    bf16_all(bf16_vectors("avx512", "1!"), one, seed + 4); \
  }
#define BF16_EACH_TILE(name, one)                                 \
  TEST(name##_amx_of_one_part) {                                  \
    bf16_all(bf16_tiles(bf16_mode, 1), one, 5);                   \
  }                                                               \
  TEST(name##_amx_of_two_parts) {                                 \
    bf16_all(bf16_tiles("precision_mode=allow_hf32", 2), one, 6); \
  }                                                               \
  TEST(name##_amx_of_three_parts) {                               \
    bf16_all(bf16_tiles(NULL, 3), one, 7);                        \
  }
// SPDX-License-Identifier: Apache-2.0
