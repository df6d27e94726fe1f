// fork_test.c - what a child may do with what it inherited: run, and destroy. Its threads are not there: a
// child that waits for one is ended by its alarm.
#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/apart.h"
#include "base/base.h"
#include "base/pool.h"
#include "run_util.h"

enum { SECONDS = 60, GOOD = 7 };

// Large enough that the pool's threads take part, twice after each other.
static const char graph_text[] =
    "graph \"g\" { input x: f32[256,256] node a: MatMulV2(x, x) -> v node b: Relu(v) -> w"
    " node c: MatMulV2(w, x) -> y output y }";
static const char literal[] = "f32[256,256]{*0.5}";

typedef struct fork_case {
  rows r;
  weft_program *p;
  weft_exec *x;
  weft_session *s;
  rows_tensors in;
} fork_case;

static bool open_case(fork_case *f, const char *device, uint32_t threads) {
  const weft_env_options o = {.size = sizeof o, .package_path = "", .threads = threads};
  const weft_compile_options c = {.size = sizeof c, .device = device};
  weft_graph *g = NULL;
  memset(f, 0, sizeof *f);
  weft_diag *d = &f->r.d;
  weft_status s = weft_env_create(&o, &f->r.env, d);
  if (!s)
    s = weft_graph_parse(f->r.env, graph_text, strlen(graph_text), "test", &g, d);
  if (!s)
    s = weft_compile(g, &c, &f->p, d);
  if (!s)
    s = weft_exec_create(f->p, NULL, &f->x, d);
  if (!s)
    s = weft_session_create(f->r.env, NULL, &f->s, d);
  if (!s)
    s = weft_session_add(f->s, 3, f->p, d);
  if (s)
    check_failed(__FILE__, __LINE__, "%s", d->text);
  return !s && rows_read(&f->r, literal, &f->in);
}

static void close_case(fork_case *f) {
  rows_free(&f->in);
  weft_session_destroy(f->s);
  weft_exec_destroy(f->x);
  weft_program_release(f->p);
  weft_env_destroy(f->r.env);
}

// Every element is 256 * 0.25 * 0.5 * 256.
static bool right(const weft_tensor *t) {
  const float *v = weft_tensor_f32(t);
  for (size_t i = 0; v && i < 256 * 256; i++) {
    if (fabsf(v[i] - 8192) > 0.01f)
      return false;
  }
  return v != NULL;
}

static bool runs(fork_case *f) {
  weft_tensor out;
  weft_tensor_init(&out, NULL);
  weft_diag_clear(&f->r.d);
  weft_status s = weft_exec_run(f->x, f->in.in, 1, (weft_tensor *const[]){&out}, 1, &f->r.d);
  bool good = !s && right(&out);
  if (s)
    fprintf(stderr, "%s\n", f->r.d.text);
  weft_tensor_deinit(&out);
  return good;
}

static bool session_runs(fork_case *f) {
  weft_tensor out;
  weft_tensor_init(&out, NULL);
  weft_pending *p = NULL;
  weft_status s = weft_session_run_async(f->s, 3, f->in.in, 1, (weft_tensor *const[]){&out}, 1, &p, &f->r.d);
  if (!s)
    s = weft_pending_wait(p, &f->r.d);
  bool good = !s && right(&out);
  weft_tensor_deinit(&out);
  return good;
}

// ---- the locks of AddressSanitizer ----
// gcc 12's does not look after its allocator's locks in a fork: a child whose parent's thread held one, as
// threads do that just begin, waits for it for ever (once in some 20 runs on a machine with much to do). So
// there the other threads have to be asleep.

// The letter of /proc/self/task/ID/stat; 0: it is not told.
static char thread_state(const char *id) {
  char path[64];
  char line[128] = "";
  snprintf(path, sizeof path, "/proc/self/task/%.20s/stat", id);
  FILE *file = fopen(path, "r");
  if (!file)
    return 0;
  const bool got = fgets(line, sizeof line, file) != NULL;
  fclose(file);
  const char *name_end = got ? strrchr(line, ')') : NULL;
  return name_end && name_end[1] ? name_end[2] : 0;
}

static bool others_sleep(void) {
  DIR *all = opendir("/proc/self/task");
  uint32_t awake = 0;
  if (!all)
    return true;  // no such folder: nothing to wait for
  for (struct dirent *e; (e = readdir(all));) {
    const char state = e->d_name[0] == '.' ? 0 : thread_state(e->d_name);
    awake += state && state != 'S';
  }
  closedir(all);
  return awake <= 1;  // this thread
}

static void wait_for_sleep(void) {
#ifdef WEFT__BY_ASAN
  for (int i = 0; i < 10000 && !others_sleep(); i++)
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
#else
  (void)others_sleep;
#endif
}

// What a child did: its exit status, or minus the signal that ended it.
static int in_child(bool (*work)(fork_case *f), fork_case *f) {
  fflush(NULL);
  wait_for_sleep();
  pid_t child = fork();
  if (!child) {
    alarm(SECONDS);
    _exit(work(f) ? GOOD : 1);
  }
  int status = 0;
  CHECK(child > 0 && waitpid(child, &status, 0) == child);
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static bool run_and_destroy(fork_case *f) {
  bool good = runs(f) && runs(f) && session_runs(f);
  close_case(f);
  return good;
}
static bool only_destroy(fork_case *f) {
  close_case(f);
  return true;
}
static bool grandchild(fork_case *f) {
  return runs(f) && in_child(run_and_destroy, f) == GOOD && runs(f);
}

static void try_device(const char *device) {
  fork_case f;
  if (!open_case(&f, device, 4))
    return;
  CHECK_INT(in_child(run_and_destroy, &f), GOOD);  // before any thread was made
  CHECK(runs(&f) && session_runs(&f));
  CHECK_INT(in_child(only_destroy, &f), GOOD);
  CHECK_INT(in_child(run_and_destroy, &f), GOOD);
  CHECK_INT(in_child(grandchild, &f), GOOD);
  CHECK(runs(&f) && session_runs(&f));  // the parent goes on as before
  close_case(&f);
}

TEST(a_child_runs_and_destroys) {
  try_device(NULL);
}

TEST(a_child_of_a_process_with_a_device_does_so_too) {
  try_device("npusim,cpu");
}

// ---- a run that goes on during the fork ----

static weft_pending *going_on;

static bool does_not_wait(fork_case *f) {
  weft_diag d = {0};
  bool good = weft_pending_finished(going_on);
  good = good && weft_pending_wait(going_on, &d) == WEFT_E_STATE && strstr(d.text, "forked");
  return run_and_destroy(f) && good;
}

TEST(a_run_of_the_parent_stays_there) {
  fork_case f;
  if (!open_case(&f, NULL, 2))
    return;
  weft_tensor out;
  weft_tensor_init(&out, NULL);
  CHECK_OK(weft_session_run_async(f.s, 3, f.in.in, 1, (weft_tensor *const[]){&out}, 1, &going_on, &f.r.d),
           &f.r.d);
  CHECK_OK(weft_pending_wait(going_on, &f.r.d), &f.r.d);
  // The thread has ended, so that no lock of the allocator is held in the child; what it left is told apart
  // by the process alone.
  CHECK_OK(weft_session_run_async(f.s, 3, f.in.in, 1, (weft_tensor *const[]){&out}, 1, &going_on, &f.r.d),
           &f.r.d);
  while (!weft_pending_finished(going_on))
    sched_yield();
  CHECK_INT(in_child(does_not_wait, &f), GOOD);
  CHECK_OK(weft_pending_wait(going_on, &f.r.d), &f.r.d);
  CHECK(right(&out));
  weft_tensor_deinit(&out);
  close_case(&f);
}

// ---- the pool alone ----

static void count_block(void *ctx, uint32_t block) {
  (void)block;
  __atomic_add_fetch((uint32_t *)ctx, 1, __ATOMIC_RELAXED);
}
static void count_task(void *ctx) {
  __atomic_add_fetch((uint32_t *)ctx, 1, __ATOMIC_RELAXED);
}

static weft_pool *pool;
static bool pool_works(fork_case *f) {
  (void)f;
  uint32_t blocks = 0;
  uint32_t tasks = 0;
  weft_task t[3] = {{count_task, &tasks}, {count_task, &tasks}, {count_task, &tasks}};
  for (int i = 0; i < 3; i++) {
    if (weft__pool_start(pool, &t[i], NULL))
      return false;
  }
  weft__pool_begin(pool);
  weft__pool_run(pool, count_block, &blocks, 1000);
  weft__pool_end(pool);
  for (int i = 0; i < 3; i++)
    weft__pool_wait(pool, &t[i]);
  return blocks == 1000 && tasks == 3;
}
static bool pool_works_and_goes(fork_case *f) {
  bool good = pool_works(f);
  weft__pool_destroy(pool);
  return good;
}

TEST(a_pool_is_new_in_the_child) {
  CHECK(!weft__pool_create(NULL, 2, &pool, NULL));
  CHECK_INT(in_child(pool_works_and_goes, NULL), GOOD);
  CHECK(pool_works(NULL));
  CHECK_INT(in_child(pool_works_and_goes, NULL), GOOD);
  CHECK(pool_works(NULL));
  weft__pool_destroy(pool);
}
// SPDX-License-Identifier: Apache-2.0
