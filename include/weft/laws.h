// weft/laws.h - the laws that every operator must keep, run over its examples: what `weft op test` does.
// An example is one line:
//
//   inputs attr=value ... -> outputs [~tolerance]
//   inputs attr=value ... !! E_STATUS text
//
// An input is a tensor literal (weft/tensor.h), `_` for an absent optional one, or [a, b] for
// the instances of a dynamic port. A literal without data ("f32[-1,3]", "f32[2,3]") has a description only:
// such an example infers and does not run. Outputs without data check the description. The tolerance is
// absolute and relative; without one, outputs are compared bit for bit (NaN equals NaN). After !! comes the
// status name and text that the message must contain. Strings stand in double quotes, mode="sum", which C
// writes mode=\"sum\". Also: dims may be symbols ("f32[N,3] -> f32[N,3]"); a literal may name its format
// ("f32[1,2,2,3]{0..}@NHWC"); a private attribute ("_x=1") is passed on; outputs of a failing use are only
// counted ("i8[3] -> _, _ !! E_SHAPE"); an output with data where an input has none is what infer_value must
// find ("f32[2,3] -> i64[2]{2,3}").
//   "f32[2]{1,2}, f32[2]{3,4} -> f32[2]{4,6}"     "f32[3], i32[1]{7} axis=1 !! E_RANGE attribute 'axis'"
#pragma once
#include "weft/env.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct weft_laws_options {  // all zero is the default
  uint32_t size;
  uint64_t seed;      // 0: a fixed one
  uint32_t rounds;    // random rounds per law and example; 0: 8
  void (*report)(void *ctx, const char *text);  // each violated law: operator, example, law, both values
  void *report_ctx;
  // Before each case, with report_ctx: operator, example, and the law or the kernel. NULL: nobody listens.
  // What hangs is the case that began last; laws have no limit of time: nobody can stop an author's code.
  void (*begin)(void *ctx, const char *text);
  // Each example of which nothing can be said here, with report_ctx: it needs a plug-in (weft/plugin.h) that
  // is not installed. NULL: nobody listens. Such an example is neither checked nor failed.
  void (*skipped)(void *ctx, const char *text);
} weft_laws_options;
typedef struct weft_laws_result {
  uint32_t examples, checks, failed;
} weft_laws_result;
// Laws: (1) the example holds; (2) inference and reference agree in dtype and shape, and infer at build and
// at run time agree; (3) inference with any one input dim unknown, an input of unknown rank, or all dims
// symbolic, never contradicts inference with it known; (4) outputs lie in the inferred range when input dims
// get ranges around their values; (5) random attribute values (of the declared types) and random dtypes never
// crash and fail with a message; (6) every allocation failed once gives E_NOMEM or success, and leaks
// nothing; (7) elementwise, commutative, view and other traits are true; (8) an operator keeps AscendIR's
// port and attribute names and order (built-in ones); (10) the reference writes nothing behind its outputs or
// workspaces: up to 64 bytes are seen. E_DIFFERENT when a law is violated (all are reported); E_MISSING when
// the operator has no examples.
WEFT_API WEFT_MUST weft_status weft_op_laws(weft_env *e, const weft_proto *p, const weft_laws_options *o,
                                            weft_laws_result *out, weft_diag *d);
// The laws of its kernels, on every device that the environment has: each kernel that takes a use is run on
// the examples and on random uses made of them (other dims, ranks 0 to 8, dims of 0, other dtypes, NaN and
// infinities where the operator is elementwise), with inputs as arguments and as constants. A kernel that
// took all of them in one block gets a use with one dim as long as it takes to make two, up to 2^20 elements.
// (9) it gives what the reference gives, and fails where the reference fails; (10) it writes its outputs,
// workspaces and scratch and nothing else: all that it is given lies between guards; (11) it gives the same
// bits with blocks in any order and on several threads, wherever tensors begin, whatever lay in memory, with
// output 0 over an input that it says may be overwritten, and with outputs left out that it says it can do
// without. Integers must be equal, floats near: within 1e-4 for f32, 1e-9 for f64, 4e-3 for f16 and 2e-2 for
// bf16, of the element and of the largest one up to 10, or within the example's tolerance where that is
// larger. Each kernel is reported once. E_MISSING as above. Operators with the trait WEFT_RANDOM, and with
// sub-graphs, strings or sequences, have no such laws.
typedef struct weft_kernel_laws_result {
  uint32_t size;
  uint32_t kernels, idle;  // idle: took no use at all, so that nothing is known of them
  uint32_t runs, checks, failed;
  // which, with what they said last: "kernel 'add_custom' on cpu: Kernel not implemented"
  char idle_text[600];
  // Of floats, law 9: the error that comes nearest to what is allowed (or passes it most), the allowed one
  // beside it, and "kernel 'softmax' on cpu with f32[2,3]". Both 0: none was found.
  double error, allowed;
  char error_text[320];
  // Kernels that ran in one block on every use, grown ones too: nothing is known of their other blocks.
  uint32_t single;
  char single_text[320];
} weft_kernel_laws_result;
// Runs the laws of kernels over every kernel of an operator on every device.
WEFT_API WEFT_MUST weft_status weft_op_kernel_laws(weft_env *e, const weft_proto *p,
                                                   const weft_laws_options *o, weft_kernel_laws_result *out,
                                                   weft_diag *d);
// Runs one example text against an operator; E_DIFFERENT and a message when it does not hold.
WEFT_API WEFT_MUST weft_status weft_op_example(weft_env *e, const weft_proto *p, const char *example,
                                               weft_diag *d);
#ifdef __cplusplus
}
#endif
// SPDX-License-Identifier: Apache-2.0
