// pool_test.c - launches, nesting, tasks, events, cpu limits. Meant for the thread sanitizer too.
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/pool.h"
#include "base/pool_cpu.h"
#include "check.h"

enum { MOST = 5000 };

static void sleep_us(long us) {
  nanosleep(&(struct timespec){0, us * 1000}, NULL);
}

static weft_pool *pool_of(uint32_t threads) {
  weft_pool *p = NULL;
  weft_diag d = {0};
  if (weft__pool_create(NULL, threads, &p, &d))
    check_failed(__FILE__, __LINE__, "%s", d.text);
  return p;
}

typedef struct tally {
  _Atomic uint32_t done[MOST];
} tally;

static void count(void *ctx, uint32_t block) {
  atomic_fetch_add_explicit(&((tally *)ctx)->done[block], 1, memory_order_relaxed);
}

static void check_all(tally *t, uint32_t blocks, uint32_t times) {
  uint32_t wrong = 0;
  for (uint32_t i = 0; i < blocks; i++)
    wrong += atomic_load(&t->done[i]) != times;
  CHECK_INT(wrong, 0);
  CHECK_INT(atomic_load(&t->done[blocks]), 0);
}

TEST(every_block_once) {
  static const uint32_t threads[] = {1, 2, 3, 8, 20};
  static const uint32_t blocks[] = {0, 1, 2, 3, 7, 64, 4999};
  for (size_t i = 0; i < WEFT_COUNT(threads); i++) {
    weft_pool *p = pool_of(threads[i]);
    CHECK_INT(weft__pool_threads(p), threads[i]);
    for (size_t k = 0; k < WEFT_COUNT(blocks); k++) {
      tally t = {0};
      for (int r = 0; r < 3; r++)
        weft__pool_run(p, count, &t, blocks[k]);
      check_all(&t, blocks[k], 3);
    }
    weft__pool_destroy(p);
  }
  tally t = {0};
  weft__pool_run(NULL, count, &t, 9);
  check_all(&t, 9, 1);
  CHECK_INT(weft__pool_threads(NULL), 1);
  weft__pool_destroy(NULL);
}

typedef struct slow_start {
  tally tally;
  _Atomic uint32_t begun;
  uint32_t seen;
} slow_start;

static void stop_at_first(void *ctx, uint32_t block) {  // until all others have begun, or seconds have passed
  slow_start *s = ctx;
  for (int i = 0; !block && i < 100000 && s->seen < 63; i++) {
    s->seen = atomic_load(&s->begun);
    sleep_us(50);
  }
  atomic_fetch_add(&s->begun, 1);
  count(&s->tally, block);
}

TEST(blocks_that_a_slow_thread_leaves_are_done_by_others) {
  weft_pool *p = pool_of(2);
  slow_start s = {0};
  weft__pool_run(p, stop_at_first, &s, 64);
  check_all(&s.tally, 64, 1);
  CHECK_INT(s.seen, 63);
  weft__pool_destroy(p);
}

static void add_one(void *ctx, uint32_t block) {
  ((uint32_t *)ctx)[block]++;
}

TEST(what_blocks_write_is_seen) {  // plain memory: the sanitizer watches
  weft_pool *p = pool_of(4);
  uint32_t plain[64] = {0};
  for (uint32_t round = 1; round <= 200; round++) {
    uint32_t wrong = 0;
    weft__pool_run(p, add_one, plain, 64);
    for (int i = 0; i < 64; i++)
      wrong += plain[i] != round;
    CHECK_INT(wrong, 0);
  }
  weft__pool_destroy(p);
}

TEST(many_tiny_launches) {
  weft_pool *p = pool_of(2);
  tally t = {0};
  for (int i = 0; i < 100000; i++)
    weft__pool_run(p, count, &t, 2);
  check_all(&t, 2, 100000);
  for (int i = 0; i < 50; i++) {  // and with pauses in which the workers fall asleep
    sleep_us(200);
    weft__pool_run(p, count, &t, 3);
  }
  CHECK_INT(t.done[2], 50);
  weft__pool_destroy(p);
}

static void *self_of(void) {
  return (void *)pthread_self();
}

typedef struct nested {
  weft_pool *pool;
  _Atomic uint32_t inner, elsewhere;
} nested;

typedef struct nested_block {
  nested *all;
  void *thread;
} nested_block;

static void inner_block(void *ctx, uint32_t block) {
  nested_block *b = ctx;
  (void)block;
  atomic_fetch_add(&b->all->inner, 1);
  if (self_of() != b->thread)
    atomic_fetch_add(&b->all->elsewhere, 1);
}

static void outer_block(void *ctx, uint32_t block) {
  nested_block b = {ctx, self_of()};
  (void)block;
  weft__pool_run(b.all->pool, inner_block, &b, 16);
}

TEST(a_launch_inside_a_block_stays_on_its_thread) {
  weft_pool *p = pool_of(4);
  nested n = {.pool = p};
  for (int i = 0; i < 100; i++)
    weft__pool_run(p, outer_block, &n, 8);
  CHECK_INT(n.inner, 100 * 8 * 16);
  CHECK_INT(n.elsewhere, 0);
  weft__pool_destroy(p);
}

typedef struct launcher {
  weft_pool *pool;
  tally tally;
} launcher;

static void *launch_often(void *arg) {
  launcher *l = arg;
  for (int i = 0; i < 500; i++)
    weft__pool_run(l->pool, count, &l->tally, 20);
  return NULL;
}

TEST(threads_launch_at_the_same_time) {
  enum { LAUNCHERS = 20 };  // more than there are slots
  weft_pool *p = pool_of(3);
  launcher *l = calloc(LAUNCHERS, sizeof *l);
  pthread_t thread[LAUNCHERS];
  for (int i = 0; i < LAUNCHERS; i++) {
    l[i].pool = p;
    CHECK_INT(pthread_create(&thread[i], NULL, launch_often, &l[i]), 0);
  }
  for (int i = 0; i < LAUNCHERS; i++) {
    pthread_join(thread[i], NULL);
    check_all(&l[i].tally, 20, 500);
  }
  free(l);
  weft__pool_destroy(p);
}

TEST(two_pools_nested) {
  weft_pool *p = pool_of(2);
  weft_pool *q = pool_of(2);
  nested n = {.pool = q};
  weft__pool_run(p, outer_block, &n, 8);
  CHECK_INT(n.inner, 8 * 16);
  weft__pool_destroy(q);
  weft__pool_destroy(p);
}

TEST(destroyed_unused_and_idle) {
  for (uint32_t i = 0; i < 30; i++) {
    weft_pool *p = pool_of(1 + i % 4);
    tally t = {0};
    if (i % 3)
      weft__pool_run(p, count, &t, 5);
    if (i % 3 == 2)
      sleep_us(300);  // asleep
    weft__pool_destroy(p);
  }
}

// Nobody spins while there is nothing to do: four threads that did would take 800 ms of CPU time here.
TEST(idle_threads_take_no_cpu_time) {
  weft_pool *p = pool_of(4);
  tally t = {0};
  double seconds = 1;
  weft__pool_run(p, count, &t, 50);
  for (int i = 0; i < 3 && seconds > 0.1; i++) {  // on a busy machine they may come to their rest later
    sleep_us(20000);                              // what waits for more work for a moment has gone to sleep
    double begin = check_seconds();
    sleep_us(200000);
    seconds = check_seconds() - begin;
  }
  if (seconds > 0.1)
    check_failed(__FILE__, __LINE__, "%g s of the processor", seconds);
  weft__pool_destroy(p);
}

TEST(a_launch_allocates_nothing) {
  check_alloc c = {0};
  weft_allocator a = check_allocator(&c);
  weft_pool *p;
  weft_diag d = {0};
  CHECK_OK(weft__pool_create(&a, 3, &p, &d), &d);
  long before = c.calls;
  tally t = {0};
  for (int i = 0; i < 10; i++)
    weft__pool_run(p, count, &t, 10);
  CHECK_INT(c.calls, before);
  weft__pool_destroy(p);
  CHECK_INT(c.live_blocks, 0);
}

TEST(no_memory_and_too_many) {
  weft_pool *p;
  for (long at = 1; at <= 3; at++) {
    check_alloc c = {.fail_at = at};
    weft_allocator a = check_allocator(&c);
    weft_diag d = {0};
    CHECK_FAILS(weft__pool_create(&a, 3, &p, &d), WEFT_E_NOMEM);
    CHECK_HAS(d.text, "no memory for 3 threads");
    CHECK(!p);
    CHECK_INT(c.live_blocks, 0);
  }
  weft_diag d = {0};
  CHECK_FAILS(weft__pool_create(NULL, 1025, &p, &d), WEFT_E_LIMIT);
  CHECK_HAS(d.text, "1025 threads, expected at most 1024");
}

// ---- tasks and events ----

typedef struct stage {
  weft_task task;
  weft_event *before, *after;
  weft_pool *pool;
  tally tally;
  uint32_t plain;
} stage;

static void run_stage(void *ctx) {
  stage *s = ctx;
  if (s->before)
    weft__event_wait(s->before, 1);
  weft__pool_run(s->pool, count, &s->tally, 10);
  s->plain++;
  if (s->after)
    weft__event_set(s->after, 1);
}

// Each waits for the one after it: right only when all run at the same time.
static void tasks_in_a_row(uint32_t threads, uint32_t n) {
  weft_pool *p = pool_of(threads);
  weft_event *event = calloc(n + 1, sizeof *event);
  stage *s = calloc(n, sizeof *s);
  weft_diag d = {0};
  for (int round = 0; round < 3; round++) {
    memset(event, 0, (n + 1) * sizeof *event);
    for (uint32_t i = 0; i < n; i++) {
      s[i].task = (weft_task){.fn = run_stage, .ctx = &s[i]};
      s[i].before = &event[i + 1];
      s[i].after = &event[i];
      s[i].pool = p;
      CHECK_INT(weft__pool_start(p, &s[i].task, &d), WEFT_OK);
    }
    weft__event_set(&event[n], 1);
    weft__event_wait(&event[0], 1);
    for (uint32_t i = 0; i < n; i++)
      weft__pool_wait(p, &s[i].task);
  }
  for (uint32_t i = 0; i < n; i++) {
    CHECK_INT(s[i].plain, 3);
    check_all(&s[i].tally, 10, 3);
  }
  weft__pool_destroy(p);
  free(event);
  free(s);
}

TEST(tasks_run_beside_each_other) {
  tasks_in_a_row(1, 4);
  tasks_in_a_row(2, 1);
  tasks_in_a_row(2, 8);
  tasks_in_a_row(5, 8);
}

static void count_one(void *ctx) {
  atomic_fetch_add((_Atomic uint32_t *)ctx, 1);
}

TEST(tasks_many_and_short) {
  weft_pool *p = pool_of(3);
  _Atomic uint32_t n = 0;
  weft_diag d = {0};
  for (int i = 0; i < 2000; i++) {
    weft_task t[3] = {{count_one, &n}, {count_one, &n}, {count_one, &n}};
    for (int k = 0; k < 3; k++)
      CHECK_INT(weft__pool_start(p, &t[k], &d), WEFT_OK);
    for (int k = 3; k-- > 0;)
      weft__pool_wait(p, &t[k]);
  }
  CHECK_INT(n, 6000);
  weft_task bad = {0};
  CHECK_FAILS(weft__pool_start(p, &bad, &d), WEFT_E_INVALID);
  weft__pool_wait(p, &bad);  // was never started
  weft__pool_destroy(p);
}

TEST(a_task_without_memory_for_its_thread) {
  check_alloc c = {.fail_at = 4};
  weft_allocator a = check_allocator(&c);
  weft_pool *p;
  weft_diag d = {0};
  _Atomic uint32_t n = 0;
  CHECK_OK(weft__pool_create(&a, 1, &p, &d), &d);
  weft_task t = {count_one, &n};
  CHECK_FAILS(weft__pool_start(p, &t, &d), WEFT_E_NOMEM);
  weft__pool_wait(p, &t);
  CHECK_INT(weft__pool_start(p, &t, NULL), WEFT_OK);
  weft__pool_wait(p, &t);
  CHECK_INT(n, 1);
  weft__pool_destroy(p);
  CHECK_INT(c.live_blocks, 0);
}

TEST(destroying_waits_for_tasks) {
  _Atomic uint32_t n = 0;
  for (int i = 0; i < 20; i++) {
    weft_pool *p = pool_of(1 + (uint32_t)i % 3);
    weft_task t[4] = {{count_one, &n}, {count_one, &n}, {count_one, &n}, {count_one, &n}};
    weft_diag d = {0};
    for (int k = 0; k < 4; k++)
      CHECK_INT(weft__pool_start(p, &t[k], &d), WEFT_OK);
    weft__pool_destroy(p);
  }
  CHECK_INT(n, 80);
}

static void *raise_event(void *arg) {
  for (uint32_t i = 1; i <= 100; i++) {
    if (i % 32 == 0)
      sleep_us(100);
    weft__event_set(arg, UINT32_MAX - 50 + i);
  }
  return NULL;
}

TEST(events_wrap) {
  weft_event e = {UINT32_MAX - 50};
  pthread_t t;
  CHECK_INT(pthread_create(&t, NULL, raise_event, &e), 0);
  weft__event_wait(&e, UINT32_MAX - 60);  // long ago
  weft__event_wait(&e, UINT32_MAX - 10);
  weft__event_wait(&e, 3);  // beyond the end
  weft__event_wait(&e, 49);
  pthread_join(t, NULL);
  CHECK_INT(e.value, 49);
}

// ---- limits ----

static char tree[128];

static void put(const char *path, const char *text) {  // with its folders
  char full[512];
  snprintf(full, sizeof full, "%s%s", tree, path);
  for (char *p = full + 1; (p = strchr(p, '/')) != NULL; p++) {
    *p = '\0';
    mkdir(full, 0700);
    *p = '/';
  }
  FILE *f = fopen(full, "w");
  if (!f) {
    check_failed(__FILE__, __LINE__, "cannot write %s", full);
    return;
  }
  fputs(text, f);
  fclose(f);
}

static void remove_tree(void) {
  char command[256];
  snprintf(command, sizeof command, "rm -rf '%s'", tree);
  CHECK_INT(system(command), 0);
}

#define V2_MOUNT "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"

TEST(quotas_v2) {
  snprintf(tree, sizeof tree, "/tmp/weft_pool_test_%ld", (long)getpid());
  CHECK_INT(weft__cgroup_cpus(tree), 0);  // nothing there
  put("/proc/self/mountinfo", "22 1 8:1 / / rw - ext4 /dev/sda rw\nnot a line\n" V2_MOUNT);
  CHECK_INT(weft__cgroup_cpus(tree), 0);
  put("/proc/self/cgroup", "0::/user/app\n");
  put("/sys/fs/cgroup/user/app/cpu.max", "max 100000\n");
  CHECK_INT(weft__cgroup_cpus(tree), 0);
  put("/sys/fs/cgroup/user/cpu.max", "350000 100000\n");
  CHECK_INT(weft__cgroup_cpus(tree), 4);
  put("/sys/fs/cgroup/user/app/cpu.max", "100001 100000\n");
  CHECK_INT(weft__cgroup_cpus(tree), 2);
  put("/sys/fs/cgroup/user/app/cpu.max", "10 100000\n");
  CHECK_INT(weft__cgroup_cpus(tree), 1);
  static const char *const odd[] = {"",     "\n", "100000", "1 0\n", "0 5\n", "99999999999999999999999 1",
                                    "-5 1", "x",  "5 y"};
  for (size_t i = 0; i < WEFT_COUNT(odd); i++) {
    put("/sys/fs/cgroup/user/app/cpu.max", odd[i]);
    CHECK_INT(weft__cgroup_cpus(tree), 4);
  }
  put("/proc/self/cgroup", "0::/../elsewhere\n");  // outside: the mount itself
  put("/sys/fs/cgroup/cpu.max", "700000 100000\n");
  CHECK_INT(weft__cgroup_cpus(tree), 7);
  remove_tree();
}

TEST(quotas_v1_and_containers) {
  snprintf(tree, sizeof tree, "/tmp/weft_pool_test1_%ld", (long)getpid());
  put("/proc/self/mountinfo",
      "33 25 0:29 /docker/abc /sys/fs/cgroup/cpu\\054acct\\040x ro,relatime - cgroup cgroup rw,cpuacct,cpu\n"
      "34 25 0:30 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
      "35 25 0:31 / /sys/fs/cgroup/broken rw - cgroup\n-\n - - \n");
  put("/proc/self/cgroup", "12:cpuset:/\n4:cpuacct,cpu:/docker/abc/task\n0::/\nbad\n::\n");
  put("/sys/fs/cgroup/cpu,acct x/cpu.cfs_quota_us", "-1\n");
  put("/sys/fs/cgroup/cpu,acct x/cpu.cfs_period_us", "100000\n");
  put("/sys/fs/cgroup/cpu,acct x/task/cpu.cfs_quota_us", "250000\n");
  CHECK_INT(weft__cgroup_cpus(tree), 0);  // no period there
  put("/sys/fs/cgroup/cpu,acct x/task/cpu.cfs_period_us", "50000\n");
  CHECK_INT(weft__cgroup_cpus(tree), 5);
  put("/proc/self/cgroup", "4:cpu,cpuacct:/docker/abcdef/task\n");  // not below what is mounted
  CHECK_INT(weft__cgroup_cpus(tree), 0);
  char *lines = malloc(20001);
  memset(lines, 'a', 20000);
  lines[20000] = '\0';
  put("/proc/self/cgroup", lines);
  put("/proc/self/mountinfo", lines);
  CHECK_INT(weft__cgroup_cpus(tree), 0);
  free(lines);
  remove_tree();
}

TEST(cpu_count) {
  uint32_t n = weft__cpu_count();
  CHECK(n >= 1 && n <= 16384);
  weft_pool *p = pool_of(0);
  CHECK_INT(weft__pool_threads(p), n > 1024 ? 1024 : n);
  weft__pool_destroy(p);
}
// SPDX-License-Identifier: Apache-2.0
