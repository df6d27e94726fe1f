// guard_pages.h - kernels in memory that is exactly what their contract gives them. A test that calls
// weft_exec_run and is linked with -Wl,--wrap=weft_exec_run has every kernel of the plan, and every other
// kernel that takes the node, tiled, packed and run by hand: each input, output, constant, packed constant,
// workspace and scratch lies at the very end, then at the very start, of pages between two that cannot be
// touched; outputs and scratch hold garbage; and once more with the output over each input that the kernel
// says may be overwritten. Checked: no access outside, inputs unchanged, the same bits each time, other
// kernels alike. The first one's results go to the exec, for the test to compare.
#pragma once
#include <stddef.h>

// Names of the CPU's kernels of which none has been run so far; returns how many.
size_t guard_pages_missing(char *text, size_t cap);
size_t guard_pages_runs(void);
// SPDX-License-Identifier: Apache-2.0
