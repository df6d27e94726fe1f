// bench_side.h - an engine in a process of its own, asked on pipes. A question is one line on its stdin, an
// answer one line on its stdout; fields are separated by tabs, so that paths may hold blanks. stderr is the
// user's.
//
// clang-format off
//   hello                                   ok  name=ONNX Runtime  version=1.30.0  [isa=avx2]
//   open MODEL inputs=DIR threads=N [plain=1] [apart=1] [option=X]...
//                                           ok  ns=T [nodes=N]    makes the model ready to run; apart: no
//                                                                 name of a dim makes dims of inputs equal
//                                                                 (asked of weft only)
//   prepare MODEL FILE threads=N            ok  [plain=1]         writes the engine's own form, to be opened
//   so set DIR                                 ok  ns=T              reads DIR/input_I.npy; T is the first
//   run's run SECONDS                             ok  runs=N least=T median=T [allocations=N]   after one
//   that is not told save DIR                                ok  outputs=N         writes DIR/output_I.npy of
//   the last run values MODEL DIR FILE.npz               ok  [values=N]        writes every value of the
//   model, run on DIR/input_I.npy
//   memory                                  ok  base=BYTES peak=BYTES    before the last `open`, and most
//   since
//   profile                                 ok  [op=TYPE:LAUNCHES:NS:BYTES:FLOPS]...
//   quit                                    ends, as the end of stdin does
// clang-format on
//
// Times are nanoseconds. Any question may be answered by `error TEXT`; the process then goes on.
#pragma once
#include <sys/types.h>

#include "weft/base.h"

typedef struct bench_side {
  pid_t pid;
  int to, from;
  const char *label;    // "ONNX Runtime (python3 tools/peer_onnxruntime.py)"
  double timeout;       // seconds an answer may take
  char *line;           // the answer, its tabs turned into zeros
  size_t n, cap, rest;  // bytes of the answer; read; of what follows it
} bench_side;

// argv[0] is found through PATH. `isa` becomes WEFT_ISA of the process, and avx2 holds for the functions of
// glibc in it too; NULL: left as it is.
weft_status bench_side_start(bench_side *s, const char *label, char *const argv[], const char *isa,
                             double timeout, weft_diag *d);
// Sends a question (fields already separated by tabs) and waits for the answer. Errors say who was asked
// what.
weft_status bench_side_ask(bench_side *s, weft_diag *d, const char *fmt, ...) WEFT_PRINTF(3, 4);
const char *bench_side_text(const bench_side *s, const char *key);  // "" when it is not there
const char *bench_side_next(const bench_side *s, const char *key,
                            size_t *cursor);                     // of several; NULL at the end
double bench_side_number(const bench_side *s, const char *key);  // -1 when it is not there
// The same, as an error: what must be there is there and a number.
weft_status bench_side_need(const bench_side *s, const char *key, double *out, weft_diag *d);
void bench_side_end(bench_side *s);   // a zeroed side is allowed
void bench_side_catch_signals(void);  // interrupting ends the wait for an answer, so that files are removed
// SPDX-License-Identifier: Apache-2.0
