// passes_util.h - a graph before and after passes, run by the interpreter on random inputs.
#pragma once
#include "weft/weft.h"

typedef struct passes_fixture {
  weft_env *env;
  const char *text;
  weft_graph *before, *g;  // as parsed; as optimised
  weft_optimize_summary sum;
  char log[8192];  // the report, one line each
  size_t log_bytes;
  weft_diag d;
} passes_fixture;
weft_status passes_open(passes_fixture *f, const char *text);
weft_status passes_open_with(passes_fixture *f, const char *text,
                             const weft_op *op);  // with an operator of the test's
// Parses again and optimises; `options` as of weft_optimize_options.
weft_status passes_optimize(passes_fixture *f, const char *const *options, size_t n_options);
weft_status passes_again(passes_fixture *f, const char *const *options,
                         size_t n_options);  // the graph as it is now
// Runs both on `rounds` sets of random inputs. rtol 0: bit for bit, otherwise relative to the largest
// element.
weft_status passes_same_results(passes_fixture *f, double rtol, unsigned rounds);
void passes_types(const weft_graph *g, char *buf);  // "Conv,Relu"; 512 bytes
void passes_close(passes_fixture *f);
uint64_t passes_random(uint64_t *state);
// SPDX-License-Identifier: Apache-2.0
