// guard.h - checked builds: a launch on the host that writes where it may not is caught. By
// AddressSanitizer where the build has it and launches run one after the other (guard_asan.c: reads, too);
// otherwise its outputs and workspaces are set apart for its time (guard.c, base/apart.h). The plan of memory
// is the same in all builds. Layer: run.
#pragma once
#include "base/apart.h"
#include "run/run.h"

#ifdef WEFT_CHECKED
// Room for the guards of each launch; after its streams are known.
weft_status weft__guard_plan(weft_exec *x, weft__seg *s);
void weft__guard_begin(weft_exec *x, weft__seg *s, weft__launch *l);
// Ends what begin began, also when the launch failed. E_KERNEL: it wrote beside its outputs.
weft_status weft__guard_end(weft_exec *x, weft__seg *s, weft__launch *l, weft_status status, weft_diag *d);

#ifdef WEFT__BY_ASAN
// guard_asan.c: all of the arena and of the caller's outputs but this launch's is poisoned.
void weft__poison_around(const weft_exec *x, const weft__seg *s, const weft__launch *l);
void weft__poison_end(const weft_exec *x, const weft__seg *s, const weft__launch *l);
#endif
#else
static inline weft_status weft__guard_plan(weft_exec *x, weft__seg *s) {
  (void)x;
  (void)s;
  return WEFT_OK;
}
static inline void weft__guard_begin(weft_exec *x, weft__seg *s, weft__launch *l) {
  (void)x;
  (void)s;
  (void)l;
}
static inline weft_status weft__guard_end(weft_exec *x, weft__seg *s, weft__launch *l, weft_status status,
                                          weft_diag *d) {
  (void)x;
  (void)s;
  (void)l;
  (void)d;
  return status;
}
#endif
// SPDX-License-Identifier: Apache-2.0
