// fibre.c - stacks by mmap with a page that faults at their end, entered for the first time by ucontext and
// switched by _setjmp afterwards, which asks nothing of the kernel. AddressSanitizer and ThreadSanitizer are
// told of each switch: they keep a model of the stack.
#define _GNU_SOURCE
#undef _FORTIFY_SOURCE  // its _longjmp takes another stack for a mistake
#include "fibre.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "sanitizer.h"

// Where a fibre or its caller goes on.
typedef struct fibre_place {
  ucontext_t context;
  jmp_buf jump;
} fibre_place;
struct asc_fibre {
  fibre_place inside, outside;
  uint8_t *stack;  // with the page that faults
  size_t bytes;    // of all of it
  void (*body)(void *arg);
  void *arg;
  bool ended;    // the body returned: the fibre waits at the end of its loop for the next one
  bool entered;  // since it was made anew
  sanitizer_stack own, callers;
};

static size_t fibre_page(void) {
  return (size_t)sysconf(_SC_PAGESIZE);
}

asc_fibre *asc_fibre_make(size_t stack_bytes) {
  asc_fibre *f = calloc(1, sizeof *f);
  if (!f)
    return NULL;
  f->bytes = stack_bytes + fibre_page();
  f->stack = mmap(NULL, f->bytes, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (f->stack == MAP_FAILED) {
    free(f);
    return NULL;
  }
  mprotect(f->stack, fibre_page(), PROT_NONE);
  sanitizer_stack_make(&f->own, f->stack + fibre_page(), stack_bytes);
  return f;
}

void asc_fibre_free(asc_fibre *f) {
  if (!f)
    return;
  sanitizer_stack_free(&f->own);
  munmap(f->stack, f->bytes);
  free(f);
}

// `first`: nobody left the other place, it is where makecontext says.
static void fibre_switch(fibre_place *from, fibre_place *to, bool first) {
  if (SANITIZER_WATCHES) {
    swapcontext(&from->context, &to->context);
    return;
  }
  if (_setjmp(from->jump))
    return;
  if (first)
    setcontext(&to->context);
  _longjmp(to->jump, 1);
}

// makecontext hands over ints: a pointer is two of them.
static void fibre_main(unsigned high, unsigned low) {
  asc_fibre *f = (asc_fibre *)((uintptr_t)high << 32 | low);
  sanitizer_arrived(NULL, &f->callers);
  for (;;) {
    f->body(f->arg);
    f->ended = true;
    asc_fibre_leave(f);
  }
}

static void fibre_renew(asc_fibre *f) {
  sanitizer_stack_clear(&f->own);
  getcontext(&f->inside.context);
  f->inside.context.uc_stack.ss_sp = f->stack + fibre_page();
  f->inside.context.uc_stack.ss_size = f->bytes - fibre_page();
  f->inside.context.uc_link = NULL;
  f->entered = false;
  const uintptr_t bits = (uintptr_t)f;
  makecontext(&f->inside.context, (void (*)(void))fibre_main, 2, (unsigned)((uint64_t)bits >> 32),
              (unsigned)bits);
}

void asc_fibre_start(asc_fibre *f, void (*body)(void *arg), void *arg) {
  f->body = body;
  f->arg = arg;
  if (!f->ended)
    fibre_renew(f);
  f->ended = false;
}

bool asc_fibre_enter(asc_fibre *f) {
  sanitizer_stack thread = {0};
  sanitizer_enter(&thread, &f->own);
  const bool first = !f->entered;
  f->entered = true;
  fibre_switch(&f->outside, &f->inside, first);
  sanitizer_arrived(&thread, NULL);
  return f->ended;
}

void asc_fibre_leave(asc_fibre *f) {
  sanitizer_leave(&f->own, &f->callers);
  fibre_switch(&f->inside, &f->outside, false);
  sanitizer_arrived(&f->own, &f->callers);
}
// SPDX-License-Identifier: Apache-2.0
