// bench_side.c - see bench_side.h. Nothing an engine says is trusted: answers are bounded, timed and checked.
#include "bench_side.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LONGEST_ANSWER = 1 << 20, LONGEST_QUESTION = 1 << 14 };

static volatile sig_atomic_t interrupted;

static void on_signal(int number) {
  interrupted = number;
}

void bench_side_catch_signals(void) {
  struct sigaction a;
  memset(&a, 0, sizeof a);
  a.sa_handler = on_signal;
  sigaction(SIGINT, &a, NULL);
  sigaction(SIGTERM, &a, NULL);
  a.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &a, NULL);
}

// The C library's memcpy and its like choose by themselves: as on a machine with AVX2 and nothing wider.
static const char narrow_libc[] = "glibc.cpu.hwcaps=-AVX512F,-AVX512BW,-AVX512CD,-AVX512DQ,-AVX512VL";

static void become(const int in[2], const int out[2], char *const argv[], const char *isa) {
  signal(SIGPIPE, SIG_DFL);
  if (dup2(in[0], 0) < 0 || dup2(out[1], 1) < 0)
    _exit(127);
  close(in[0]);
  close(in[1]);
  close(out[0]);
  close(out[1]);
  if (isa)
    setenv("WEFT_ISA", isa, 1);
  if (isa && !strcmp(isa, "avx2"))
    setenv("GLIBC_TUNABLES", narrow_libc, 1);
  execvp(argv[0], argv);
  fprintf(stderr, "weft: cannot start '%s': %s\n", argv[0], strerror(errno));
  _exit(127);
}

weft_status bench_side_start(bench_side *s, const char *label, char *const argv[], const char *isa,
                             double timeout, weft_diag *d) {
  int in[2];
  int out[2];
  memset(s, 0, sizeof *s);
  s->label = label;
  s->timeout = timeout;
  s->to = s->from = -1;
  if (pipe(in))
    return weft_fail(d, WEFT_E_IO, "cannot make a pipe: %s", strerror(errno));
  if (pipe(out)) {
    close(in[0]);
    close(in[1]);
    return weft_fail(d, WEFT_E_IO, "cannot make a pipe: %s", strerror(errno));
  }
  // not for the engines started later
  fcntl(in[1], F_SETFD, FD_CLOEXEC);
  fcntl(out[0], F_SETFD, FD_CLOEXEC);
  fflush(stdout);
  s->pid = fork();
  if (!s->pid)
    become(in, out, argv, isa);
  close(in[0]);
  close(out[1]);
  if (s->pid > 0) {
    s->to = in[1];
    s->from = out[0];
    return WEFT_OK;
  }
  close(in[1]);
  close(out[0]);
  s->pid = 0;
  return weft_fail(d, WEFT_E_IO, "cannot start %s: %s", label, strerror(errno));
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

// Waits for the process; who does not end within two seconds is killed.
static bool reap(const bench_side *s, int *status) {
  double until = now() + 2;
  pid_t got;
  while (!(got = waitpid(s->pid, status, WNOHANG)) && now() < until)
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
  if (!got) {
    kill(s->pid, SIGKILL);
    got = waitpid(s->pid, status, 0);
  }
  return got == s->pid;
}

// The process has closed its end: how it ended.
static weft_status ended(bench_side *s, const char *question, weft_diag *d) {
  int status = 0;
  bool known = s->pid > 0 && reap(s, &status);
  s->pid = -1;
  if (known && WIFSIGNALED(status)) {
    return weft_fail(d, WEFT_E_STATE, "%s was ended by signal %d (%s) when asked '%s'", s->label,
                     WTERMSIG(status), strsignal(WTERMSIG(status)), question);
  }
  return weft_fail(d, WEFT_E_STATE, "%s ended with status %d when asked '%s'; what it printed stands above",
                   s->label, known ? WEXITSTATUS(status) : -1, question);
}

static weft_status send_all(bench_side *s, const char *text, size_t n, const char *question, weft_diag *d) {
  for (size_t at = 0; at < n;) {
    ssize_t wrote = write(s->to, text + at, n - at);
    if (wrote < 0 && errno == EINTR && !interrupted)
      continue;
    if (wrote < 0 && interrupted)
      return weft_fail(d, WEFT_E_CANCELLED, "interrupted");
    if (wrote < 0)
      return ended(s, question, d);
    at += (size_t)wrote;
  }
  return WEFT_OK;
}

static weft_status bench_side_room(bench_side *s, weft_diag *d) {
  if (s->cap - s->n > 4096)
    return WEFT_OK;
  if (s->cap >= LONGEST_ANSWER) {
    return weft_fail(d, WEFT_E_LIMIT, "%s answered more than %d bytes without ending the line", s->label,
                     LONGEST_ANSWER);
  }
  char *more = realloc(s->line, s->cap = 2 * s->cap + 8192);
  if (!more)
    return weft_fail(d, WEFT_E_NOMEM, "out of memory");
  s->line = more;
  return WEFT_OK;
}

static weft_status wait_for_more(bench_side *s, double until, const char *question, weft_diag *d) {
  for (;;) {
    double left = until - now();
    struct pollfd p = {.fd = s->from, .events = POLLIN};
    if (left <= 0) {
      return weft_fail(d, WEFT_E_LIMIT, "%s has not answered '%s' within %g seconds (--timeout)", s->label,
                       question, s->timeout);
    }
    int ready = poll(&p, 1, left > 1000 ? 1000000 : (int)(left * 1000) + 1);
    if (interrupted)
      return weft_fail(d, WEFT_E_CANCELLED, "interrupted");
    if (ready > 0)
      return WEFT_OK;
    if (ready < 0 && errno != EINTR)
      return weft_fail(d, WEFT_E_IO, "poll: %s", strerror(errno));
  }
}

static weft_status read_line(bench_side *s, const char *question, weft_diag *d) {
  double until = now() + s->timeout;
  for (s->n = 0;;) {
    WEFT_TRY(bench_side_room(s, d));
    WEFT_TRY(wait_for_more(s, until, question, d));
    ssize_t got = read(s->from, s->line + s->n, s->cap - s->n - 1);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return ended(s, question, d);
    s->n += (size_t)got;
    char *end = memchr(s->line, '\n', s->n);
    if (!end)
      continue;
    if (end + 1 != s->line + s->n)
      return weft_fail(d, WEFT_E_SYNTAX, "%s answered '%s' with more than one line", s->label, question);
    *end = 0;
    s->n = (size_t)(end - s->line);
    return WEFT_OK;
  }
}

weft_status bench_side_ask(bench_side *s, weft_diag *d, const char *fmt, ...) {
  char text[LONGEST_QUESTION];
  char shown[120];
  va_list ap;
  va_start(ap, fmt);
  int n = vsnprintf(text, sizeof text - 1, fmt, ap);
  va_end(ap);
  if (n < 0 || (size_t)n >= sizeof text - 1 || strchr(text, '\n')) {
    return weft_fail(d, WEFT_E_INVALID, "a question of %d bytes, or one with a line break, cannot be asked",
                     n);
  }
  snprintf(shown, sizeof shown, "%s", text);
  for (char *c = shown; *c; c++) {
    if (*c == '\t')
      *c = ' ';
  }
  if (s->pid <= 0)
    return weft_fail(d, WEFT_E_STATE, "%s does not run any more", s->label);
  text[n] = '\n';
  WEFT_TRY(send_all(s, text, (size_t)n + 1, shown, d));
  WEFT_TRY(read_line(s, shown, d));
  for (size_t i = 0; i < s->n; i++) {
    if (s->line[i] == '\t')
      s->line[i] = 0;
  }
  if (!strcmp(s->line, "ok"))
    return WEFT_OK;
  if (!strcmp(s->line, "error")) {
    return weft_fail(d, WEFT_E_UNSUPPORTED, "%s: %.1500s", s->label,
                     s->n > 5 ? s->line + 6 : "an error without a text");
  }
  return weft_fail(d, WEFT_E_SYNTAX,
                   "%s answered '%.80s' to '%s': expected a line that begins with ok or error", s->label,
                   s->line, shown);
}

const char *bench_side_next(const bench_side *s, const char *key, size_t *cursor) {
  size_t k = strlen(key);
  while (s->line && *cursor < s->n) {
    const char *field = s->line + *cursor;
    *cursor += strlen(field) + 1;
    if (!strncmp(field, key, k) && field[k] == '=')
      return field + k + 1;
  }
  return NULL;
}

const char *bench_side_text(const bench_side *s, const char *key) {
  size_t cursor = 0;
  const char *v = bench_side_next(s, key, &cursor);
  return v ? v : "";
}

double bench_side_number(const bench_side *s, const char *key) {
  char *end;
  const char *v = bench_side_text(s, key);
  double x = strtod(v, &end);
  return *v && !*end && x >= 0 && x < 1e18 ? x : -1;
}

weft_status bench_side_need(const bench_side *s, const char *key, double *out, weft_diag *d) {
  *out = bench_side_number(s, key);
  if (*out >= 0)
    return WEFT_OK;
  return weft_fail(d, WEFT_E_SYNTAX, "%s answered without a number '%s=' (it says '%.80s')", s->label, key,
                   bench_side_text(s, key));
}

void bench_side_end(bench_side *s) {
  if (s->to >= 0 && s->label)
    close(s->to);
  if (s->from >= 0 && s->label)
    close(s->from);
  int status;
  if (s->pid > 0)
    (void)reap(s, &status);  // the end of its stdin is its end
  free(s->line);
  memset(s, 0, sizeof *s);
}
// SPDX-License-Identifier: Apache-2.0
