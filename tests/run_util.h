// run_util.h - a graph compiled and run beside the interpreter, which says what must come out, bit for bit:
// the graphs use operators whose kernels round as the reference does.
#pragma once
#include "isa_util.h"
#include "rows.h"
#include "weft/weft.h"

enum { RUN_OUT = 8 };
typedef struct run_fixture {
  rows r;         // r.env, r.d
  weft_graph *g;  // for the interpreter
  weft_program *p;
  weft_exec *x;
  const char *device;  // of the compiler; NULL: none is named
  bool passes;         // optimise it: otherwise the nodes are run as they are written
  const char *option;  // of the compiler, with passes; NULL: none
  char text[4096];     // of run_text
} run_fixture;
// The graph as text IR; `o` and `op` (an operator of the test's own) may be NULL. Reports what fails.
bool run_open(run_fixture *f, const char *graph, const weft_exec_options *o, const weft_op *op);
bool run_open_optimised(run_fixture *f, const char *graph);  // with all passes
bool run_open_on(run_fixture *f, const char *device, const char *graph, const weft_exec_options *o);
void run_close(run_fixture *f);
// The same in an environment that is open already (f->r); reads f->passes.
bool run_load(run_fixture *f, const char *graph, const weft_exec_options *o);
void run_drop(run_fixture *f);

// Runs literals joined by ';' twice, with outputs to be allocated and into those, and compares with the
// interpreter, bit for bit; reports differences.
#define RUN_SAME(f, literals) run_same(f, literals, __FILE__, __LINE__)
bool run_same(run_fixture *f, const char *literals, const char *file, int line);
bool run_same_tensors(run_fixture *f, const weft_tensor *const *in, size_t n_in, const char *file, int line);
// Only runs: "f32[2]{1,2}; i32[]{3}", or "E_KERNEL: text".
const char *run_text(run_fixture *f, const char *literals);
weft_exec_stats run_stats(const run_fixture *f);
// Equal kinds, dtypes, shapes and bytes? Else E_DIFFERENT.
weft_status run_equal(const weft_tensor *a, const weft_tensor *b, weft_diag *d);
// "copy:Identity@npusim Relu@npusim": the nodes of the compiled graph and where they run.
const char *run_devices(run_fixture *f, char *buf, size_t cap);
// What weft_exec_print_plan says, into buf.
void run_plan_text(run_fixture *f, char *buf, size_t cap);
// "E_UNSUPPORTED: text" of compiling a graph for a device; "OK: ".
const char *run_compile_error(rows *r, const char *device, const char *graph);

// A graph's text in another dtype: every "f32[" becomes "DTYPE["; with inputs_only those of constants stay.
void run_retype(const char *text, const char *dtype, bool inputs_only, char *out, size_t cap);
// What tests of f32 are run again in: "f16" and what rounding to it costs, relative to the number; 0 for f32.
typedef struct run_float {
  const char *name;
  weft_dtype dtype;
  double unit;
} run_float;
extern const run_float run_f32, run_f16, run_bf16;
// SPDX-License-Identifier: Apache-2.0
