// weft/debug.h - where a compiled model first differs from the reference interpreter, and which change of the
// passes makes it differ. Threads: as compiling and running; nothing is shared between calls.
#pragma once
#include "weft/compile.h"
#include "weft/interp.h"
#include "weft/run.h"
#ifdef __cplusplus
extern "C" {
#endif

// How far tensors are from the expected ones: the largest errors, and where. Passed or not, that is what a
// comparison shows.
typedef struct weft_difference {  // all zero: nothing was compared yet
  bool compared;              // numbers of one dtype and shape; false: the rest says nothing
  uint64_t elems;
  double max_abs, got, want;  // |got - want|, infinite where only one is NaN or infinite; 0: all are equal
  double max_rel;             // |got - want| / |want|, of elements whose want is not 0
  char at_abs[64], at_rel[64];  // "[0,3]"
} weft_difference;
// Adds two tensors (complex ones part by part). Text, sequences and what differs in dtype or shape are left
// out.
WEFT_API void weft_difference_add(weft_difference *x, const weft_tensor *got, const weft_tensor *want);
// "largest error 2.4e-07 at [0,3] (1.5, expected 1.4999998), relative 1.1e-06 at [0,7]", or "all elements are
// equal"; "" where nothing was compared. Returns buf.
WEFT_API const char *weft_difference_text(const weft_difference *x, char *buf, size_t cap);

typedef struct weft_bisect_options {  // all zero is the default
  uint32_t size;
  const char *const *options;  // "name=value" of the compiler
  size_t n_options;
  // Floats agree when |got - want| <= atol + rtol * max(|want|, root mean square of the wanted tensor);
  // others bit for bit, integers within `steps`.
  double rtol, atol;  // 0: 1e-3 and 1e-6, unless zero_tolerance says otherwise
  uint32_t threads;   // of the runs: weft_exec_options
  // Called with one line before each compile and run. NULL: nobody listens.
  void (*progress)(void *ctx, const char *text);
  void *progress_ctx;
  // integers agree when they are at most so many apart: a step of a quantised network is no fault
  uint64_t steps;
  // Values by name that were made elsewhere, borrowed: compared with these instead of with what the
  // interpreter finds. Those whose name no value of the model has are left out. NULL: the interpreter's.
  const char *const *given_names;
  const weft_tensor *const *given;
  size_t n_given;
  bool zero_tolerance;  // rtol and atol are as they stand, 0 too: with both 0 floats must be equal
} weft_bisect_options;
typedef struct weft_bisect_result {
  uint32_t size;
  bool differs;       // otherwise all that follows is empty but `compared`
  bool by_passes;     // not without passes: `change` of `n_changes` makes it differ
  uint64_t compared;  // values of the same name, up to the first that differs
  // The first value that differs, in the order of the program with the fewest changes that differs.
  char value[256], node[256], type[128], kernel[128], source[256];  // source: the node's name in the model
  char inputs[512];  // of the node: which agree, which nobody compared
  char text[1024];   // how it differs: the first element, how many, the largest
  double max_error, got, want;  // at the largest error; NaN where the tensors do not compare
  uint64_t change, n_changes;
  char pass[128], report[512];  // of the change
  weft_difference largest;      // of all values compared, the one that differs included
  char largest_value[256];      // that it is of
  // beside given values: the interpreter's value differs from the given one, too
  bool by_meaning;
} weft_bisect_result;
// Gives the model, again for each compile: the same each time, shapes set. The graph is given away.
typedef weft_status (*weft_bisect_model_fn)(void *ctx, weft_graph **out, weft_diag *d);
// Runs the model node by node with the reference kernels and keeps every value, then compiled, comparing each
// value that a launch produced with the one of the same name. When they differ, it runs without passes; if
// that agrees, it looks by bisection for the least number of changes (passes-limit) that differs. Memory: all
// values of one run beside the runs'. With given values it tells a fault of compiling from another meaning of
// the model (by_meaning): an import, an operator, or the given values themselves. Errors are those of
// compiling and running; a difference is no error. E_NOT_FOUND: none of the given names is that of a value of
// the model.
WEFT_API WEFT_MUST weft_status weft_bisect(weft_bisect_model_fn model, void *model_ctx,
                                           const weft_tensor *const *in, size_t n_in,
                                           const weft_bisect_options *o, weft_bisect_result *out,
                                           weft_diag *d);
#ifdef __cplusplus
}
#endif
// SPDX-License-Identifier: Apache-2.0
