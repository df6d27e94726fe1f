// process.c - counts forks, by one handler of pthread_atfork.
#include "base/process.h"

#include <pthread.h>
#include <stdatomic.h>

static atomic_uint process_forks = 1;
static pthread_once_t process_once = PTHREAD_ONCE_INIT;

static void process_forked(void) {
  atomic_fetch_add_explicit(&process_forks, 1, memory_order_relaxed);
}
static void process_watch(void) {
  pthread_atfork(NULL, NULL, process_forked);
}
unsigned weft__process(void) {
  pthread_once(&process_once, process_watch);
  return atomic_load_explicit(&process_forks, memory_order_relaxed);
}
// SPDX-License-Identifier: Apache-2.0
