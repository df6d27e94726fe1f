// op_watch.c - says which case of `weft op test` hangs or crashes. What runs is an author's code, which
// nobody can stop from outside: a thread waits beside it, and ends the process with a word on what was
// running. A fatal signal is preceded by the same word and then ends the process as it would have (a core
// file, a debugger and AddressSanitizer see it).
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "op.h"

static struct {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  pthread_t thread;
  bool runs, ended;
  double seconds;
  struct timespec until;
  char what[1200];
} watch = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static struct timespec watch_in(double seconds) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  t.tv_sec += (time_t)seconds;
  t.tv_nsec += (long)((seconds - (double)(time_t)seconds) * 1e9);
  t.tv_sec += t.tv_nsec / 1000000000;
  t.tv_nsec %= 1000000000;
  return t;
}

static bool watch_is_past(const struct timespec *t) {
  struct timespec now = watch_in(0);
  return now.tv_sec > t->tv_sec || (now.tv_sec == t->tv_sec && now.tv_nsec >= t->tv_nsec);
}

static void *watch_wait(void *unused) {
  (void)unused;
  pthread_mutex_lock(&watch.lock);
  while (!watch.ended) {
    struct timespec until = watch.until;  // a case that begins meanwhile moves it
    pthread_cond_timedwait(&watch.changed, &watch.lock, &until);
    if (watch.ended || !watch_is_past(&watch.until))
      continue;
    printf(
        "FAIL %s: it runs for more than %g s and was given up: it hangs, or it needs a larger --case-time. "
        "What follows it was not tested\n",
        watch.what, watch.seconds);
    fflush(stdout);
    _exit(EXIT_FAILED);
  }
  pthread_mutex_unlock(&watch.lock);
  return NULL;
}

// ---- crashes ----

static const struct {
  int number;
  const char *says;
} watch_signals[] = {{SIGSEGV, "it touches memory that is not there (SIGSEGV)"},
                     {SIGBUS, "it touches memory that is not there (SIGBUS)"},
                     {SIGFPE, "it divides an integer by zero, or overflows (SIGFPE)"},
                     {SIGILL, "it runs into an instruction that is none (SIGILL)"},
                     {SIGABRT,
                      "it was aborted: the lines above say why, memory was overwritten, or it called "
                      "abort (SIGABRT)"}};
enum { WATCH_SIGNALS = sizeof watch_signals / sizeof *watch_signals, WATCH_STACK = 65536 };
static struct sigaction watch_before[WATCH_SIGNALS];
static _Alignas(16) char watch_stack[WATCH_STACK];

static void watch_write(const char *text) {
  ssize_t n = write(STDERR_FILENO, text, strlen(text));
  (void)n;  // there is nobody to tell
}

// What was there before comes back: the instruction fails once more, or abort goes on, and ends the process.
static void watch_crash(int number) {
  for (size_t i = 0; i < WATCH_SIGNALS; i++) {
    if (watch_signals[i].number != number)
      continue;
    watch_write("FAIL ");
    watch_write(watch.what);
    watch_write(": ");
    watch_write(watch_signals[i].says);
    watch_write(". What follows it was not tested\n");
    sigaction(number, &watch_before[i], NULL);
  }
}

static void watch_signals_begin(void) {
  const stack_t own = {.ss_sp = watch_stack, .ss_size = sizeof watch_stack};
  struct sigaction a = {.sa_handler = watch_crash, .sa_flags = SA_ONSTACK};
  sigemptyset(&a.sa_mask);
  sigaltstack(&own, NULL);
  for (size_t i = 0; i < WATCH_SIGNALS; i++)
    sigaction(watch_signals[i].number, &a, &watch_before[i]);
}

static void watch_signals_end(void) {
  for (size_t i = 0; i < WATCH_SIGNALS; i++)
    sigaction(watch_signals[i].number, &watch_before[i], NULL);
}

// ---- the session ----

void op_watch_case(void *ctx, const char *text) {
  (void)ctx;
  pthread_mutex_lock(&watch.lock);
  snprintf(watch.what, sizeof watch.what, "%s", text);
  watch.until = watch_in(watch.seconds);
  pthread_mutex_unlock(&watch.lock);
}

void op_watch_begin(double seconds) {
  watch.seconds = seconds;
  watch.ended = false;
  op_watch_case(NULL, "before the first case");
  watch_signals_begin();
  watch.runs = seconds > 0 && !pthread_create(&watch.thread, NULL, watch_wait, NULL);
}

void op_watch_end(void) {
  watch_signals_end();
  if (!watch.runs)
    return;
  pthread_mutex_lock(&watch.lock);
  watch.ended = true;
  pthread_cond_signal(&watch.changed);
  pthread_mutex_unlock(&watch.lock);
  pthread_join(watch.thread, NULL);
  watch.runs = false;
}
// SPDX-License-Identifier: Apache-2.0
