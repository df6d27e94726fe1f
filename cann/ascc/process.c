// process.c - fork, exec, and one loop that feeds and reads until the program has ended. Its input is a
// socket: a program that ends early must not raise SIGPIPE here.
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// Ends of the three channels: ours and the program's; -1: none, or closed.
typedef struct running {
  const ascc_process *p;
  pid_t pid;
  int own[3];
  int theirs[3];
  size_t fed;
  int64_t end_ms;
} running;

static int64_t process_now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}
static void process_close(int *fd) {
  if (*fd >= 0)
    close(*fd);
  *fd = -1;
}
static void process_close_all(running *r) {
  for (int i = 0; i < 3; i++) {
    process_close(&r->own[i]);
    process_close(&r->theirs[i]);
  }
}
static bool process_channel(running *r, int i) {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
    return false;
  r->own[i] = pair[0];
  r->theirs[i] = pair[1];
  fcntl(pair[1], F_SETFD, FD_CLOEXEC);
  fcntl(pair[0], F_SETFL, O_NONBLOCK);
  return !fcntl(pair[0], F_SETFD, FD_CLOEXEC);
}
static bool process_channels(running *r) {
  const ascc_process *p = r->p;
  bool ok = !p->in || process_channel(r, 0);
  ok = ok && (!p->out || process_channel(r, 1));
  return ok && (!p->error || p->error == p->out || process_channel(r, 2));
}

// In the child: nothing but calls that are safe behind fork.
static void process_become(const running *r) {
  const ascc_process *p = r->p;
  const int error = p->error && p->error == p->out ? r->theirs[1] : r->theirs[2];
  const int from[3] = {r->theirs[0], r->theirs[1], error};
  const struct rlimit files = {.rlim_cur = p->file_bytes, .rlim_max = p->file_bytes};
  for (int i = 0; i < 3; i++) {
    if (from[i] >= 0 && dup2(from[i], i) < 0)
      _exit(127);
  }
  if (p->seconds)
    setpgid(0, 0);
  if (p->file_bytes)
    setrlimit(RLIMIT_FSIZE, &files);
  execvp(p->argv[0], (char *const *)p->argv);
  _exit(127);
}

static void process_feed(running *r) {
  const size_t rest = r->p->in_bytes - r->fed;
  const ssize_t n = rest ? send(r->own[0], r->p->in + r->fed, rest, MSG_NOSIGNAL) : 0;
  const bool later = n < 0 && (errno == EAGAIN || errno == EINTR);
  if (n > 0)
    r->fed += (size_t)n;
  if (!later && (n < 0 || r->fed == r->p->in_bytes))
    process_close(&r->own[0]);
}
// false: more than the limit.
static bool process_read(running *r, int i) {
  ascc_text *to = i == 1 ? r->p->out : r->p->error;
  char bytes[16384];
  const ssize_t n = read(r->own[i], bytes, sizeof bytes);
  const bool later = n < 0 && (errno == EAGAIN || errno == EINTR);
  if (n > 0)
    ascc_text_add(to, bytes, (size_t)n);
  else if (!later)
    process_close(&r->own[i]);
  return !to->failed;
}
// 0: all channels were closed by the program.
static int process_serve(running *r) {
  while (r->own[0] >= 0 || r->own[1] >= 0 || r->own[2] >= 0) {
    struct pollfd fds[3];
    for (int i = 0; i < 3; i++)
      fds[i] = (struct pollfd){.fd = r->own[i], .events = i ? POLLIN : POLLOUT};
    const int64_t left = r->end_ms - process_now_ms();
    const int n = poll(fds, 3, r->p->seconds ? (int)(left > 0 ? left : 0) : -1);
    if (r->p->seconds && left <= 0)
      return ASCC_TOO_SLOW;
    if (n <= 0)
      continue;
    if (fds[0].revents)
      process_feed(r);
    for (int i = 1; i < 3; i++) {
      if (fds[i].revents && !process_read(r, i))
        return ASCC_TOO_MUCH;
    }
  }
  return 0;
}
static bool process_ended(const running *r, int *status, int flags) {
  pid_t pid;
  do {
    pid = waitpid(r->pid, status, flags);
  } while (pid < 0 && errno == EINTR);
  return pid != 0;
}
static int process_wait(running *r, int why) {
  int status = 0;
  const struct timespec pause = {.tv_nsec = 2000000};
  bool ended = false;
  while (!why && r->p->seconds && !ended) {
    ended = process_ended(r, &status, WNOHANG);
    if (!ended && process_now_ms() > r->end_ms)
      why = ASCC_TOO_SLOW;
    else if (!ended)
      nanosleep(&pause, NULL);
  }
  if (why)
    kill(r->p->seconds ? -r->pid : r->pid, SIGKILL);
  if (!ended)
    process_ended(r, &status, 0);
  if (why)
    return why;
  return WIFEXITED(status) ? WEXITSTATUS(status) : ASCC_KILLED;
}

int ascc_process_run(const ascc_process *p) {
  running r = {.p = p, .own = {-1, -1, -1}, .theirs = {-1, -1, -1}};
  r.end_ms = process_now_ms() + (int64_t)p->seconds * 1000;
  r.pid = process_channels(&r) ? fork() : -1;
  if (r.pid == 0)
    process_become(&r);
  for (int i = 0; i < 3; i++)
    process_close(&r.theirs[i]);
  if (r.pid < 0) {
    process_close_all(&r);
    return ASCC_NOT_STARTED;
  }
  if (p->seconds)
    setpgid(r.pid, r.pid);
  const int why = process_serve(&r);
  process_close_all(&r);
  const int status = process_wait(&r, why);
  return status == 127 ? ASCC_NOT_STARTED : status;
}
// SPDX-License-Identifier: Apache-2.0
