// op_watch.c - a time limit for each case of `weft op test`. What runs is an author's code, which nobody can
// stop from outside: a thread waits beside it, and ends the process with a word on what was running.
#include <pthread.h>
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

void op_watch_case(void *ctx, const char *text) {
  (void)ctx;
  pthread_mutex_lock(&watch.lock);
  snprintf(watch.what, sizeof watch.what, "%s", text);
  watch.until = watch_in(watch.seconds);
  pthread_mutex_unlock(&watch.lock);
}

bool op_watch_begin(double seconds) {
  watch.seconds = seconds;
  watch.ended = false;
  op_watch_case(NULL, "before the first case");
  watch.runs = !pthread_create(&watch.thread, NULL, watch_wait, NULL);
  return watch.runs;
}

void op_watch_end(void) {
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
