// fibre.h - a block's own stack: what lets it wait for another block without a thread of its own.
#pragma once
#include <stdbool.h>
#include <stddef.h>

typedef struct asc_fibre asc_fibre;
// NULL: out of memory. It goes on to be used for other work after its body returned.
asc_fibre *asc_fibre_make(size_t stack_bytes);
void asc_fibre_free(asc_fibre *f);
// The next asc_fibre_enter runs body(arg) from its start; what an abandoned body left on the stack is lost.
void asc_fibre_start(asc_fibre *f, void (*body)(void *arg), void *arg);
// Runs the fibre in the calling thread until it leaves or its body returned. True: it returned.
bool asc_fibre_enter(asc_fibre *f);
// From within: back to where asc_fibre_enter was called. Returns when it is entered again.
void asc_fibre_leave(asc_fibre *f);
// SPDX-License-Identifier: Apache-2.0
