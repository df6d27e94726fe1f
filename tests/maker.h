// maker.h - random graphs in text IR, and the law that tests of kernels hold them to: the CPU's kernels give
// what the interpreter gives, within a bound or bit for bit, the same bits with one thread and with several,
// and it is kernels that ran, not the reference. Graphs and inputs are made in f32; the same
// law may hold in a narrower type, with its rounding in the bound.
#pragma once
#include "run_util.h"

enum { MAKER_TEXT = 1 << 22, MAKER_INPUTS = 8, MAKER_OUTPUTS = 4 };

typedef struct maker {
  char text[MAKER_TEXT];
  size_t n;
  uint64_t seed, state;
  const run_float *type;  // the law's, for its bounds: the reference rounds to it after each operator
  size_t n_in;            // inputs of the graph, in order
  struct {
    char name[8];
    weft_dtype dtype;
    weft_shape shape;
  } in[MAKER_INPUTS];
} maker;

void maker_begin(maker *m, uint64_t seed);  // an empty text
uint64_t pick(maker *m, uint64_t n);        // below n
void put(maker *m, const char *fmt, ...) WEFT_PRINTF(2, 3);
// n / 10^places, places < 19: constants have thousands of numbers, and printf takes as long as what is
// tested.
void put_decimal(maker *m, int64_t n, unsigned places);
void put_dims(maker *m, const int64_t *dim, size_t rank);               // "2,3"
void put_list(maker *m, const char *name, const int64_t *v, size_t n);  // "name=[2,3]"
// "input name: f32[2,3]": what memory it gets is the law's.
void put_input(maker *m, const char *name, weft_dtype t, const int64_t *dim, size_t rank);
// The same as a constant whose numbers are put by `value`.
void put_const(maker *m, const char *name, weft_dtype t, const int64_t *dim, size_t rank,
               void (*value)(maker *m, weft_dtype t));

typedef struct kernel_law {
  void (*make)(maker *m, uint64_t seed);
  void (*fill)(maker *m, size_t input, weft_tensor *t);  // floats, whatever the type
  // How far `got` is from `want`; more than *out_bound is too far. NULL: the bits are the same, any NaN for
  // another.
  double (*off)(const maker *m, const weft_tensor *got, const weft_tensor *want, double *out_bound);
  bool (*by_kernel)(const weft_launch_record *launch);
  bool empty_by_any;      // outputs without elements may be the reference's
  bool passes;            // optimised first
  const char *option;     // of the compiler, with passes; NULL: none
  const run_float *type;  // what f32 becomes in text, inputs and outputs; `off` gets floats. NULL: it stays
} kernel_law;

// n cases with seeds from `first` on, for an instruction set; stops when three fail. False: see lower_isa.
bool kernels_hold(const kernel_law *law, const char *isa, uint64_t first, uint64_t n);
// A test for each instruction set: `isa` and `first` are its name and seeds of its own, in what is called.
#define EACH_ISA(name, call)    \
  TEST(name##_plain) {          \
    const char *isa = "plain";  \
    uint64_t first = 0;         \
    call;                       \
  }                             \
  TEST(name##_avx2) {           \
    const char *isa = "avx2";   \
    uint64_t first = 1000;      \
    call;                       \
  }                             \
  TEST(name##_avx512) {         \
    const char *isa = "avx512"; \
    uint64_t first = 2000;      \
    call;                       \
  }

// The largest distance of two elements, over the larger of 1 and the largest finite element when `relative`.
// Infinite where one is no number, or another infinity.
double floats_off(const weft_tensor *got, const weft_tensor *want, bool relative);
double floats_most(const weft_tensor *t);  // the largest finite element, without its sign; 0 without any
bool not_reference(const weft_launch_record *launch);  // a by_kernel
// Is it the kernel of that name, or that kernel between two conversions, "-half" behind its name?
bool is_kernel(const weft_launch_record *launch, const char *name);
// Tensors of the case's inputs as the law fills them: each begins in the middle of a cache line and ends with
// its memory. False: no memory, which is reported.
typedef struct maker_inputs {
  weft_tensor t[MAKER_INPUTS];
  const weft_tensor *in[MAKER_INPUTS];
  void *memory[MAKER_INPUTS];
} maker_inputs;
bool maker_fill(maker *m, const kernel_law *law, maker_inputs *out);
void maker_release(maker *m, maker_inputs *in);
// SPDX-License-Identifier: Apache-2.0
