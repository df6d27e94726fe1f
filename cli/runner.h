// runner.h - a model made ready to run: compiled, or as it is for the reference interpreter.
#pragma once
#include "cli.h"

typedef struct runner {
  const weft_graph *g;  // for names; changed by nobody
  weft_graph *own;      // interpreter
  weft_interp_options interp;
  weft_program *program;
  weft_exec *exec;
} runner;

typedef struct runner_options {
  bool interp;
  const char *options[64];  // of the compiler, "name=value"
  size_t n_options;
  const char *device;  // "npusim,cpu"
  weft_exec_options exec;
  uint32_t threads;  // 0: all that there are
} runner_options;
// `g` is given away, also on failure.
weft_status runner_make(runner *r, weft_graph *g, const runner_options *o, weft_diag *d);
// The same from a program file.
weft_status runner_load(runner *r, weft_env *e, const char *path, const runner_options *o, weft_diag *d);
// out[i] is initialised here and the caller's afterwards, also on failure.
weft_status runner_run(runner *r, const weft_tensor *const *in, size_t n_in, weft_tensor *out, size_t n_out,
                       weft_diag *d);
void runner_free(runner *r);
bool is_program(const char *path);
// Takes --interp, --option, --device, --isa, --streams and --threads; 0: taken, -1: not one of these,
// otherwise the exit status.
int runner_option(args *a, runner_options *o, const char *help);
// SPDX-License-Identifier: Apache-2.0
