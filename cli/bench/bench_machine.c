// bench_machine.c - `weft bench --machine`: what this machine can do at most, so that a profile can be read
// against it: multiply-adds of each instruction set, and bytes from each level of its memory, by one thread
// and by all.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE  // madvise, sched_getaffinity
#endif
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "bench_roof.h"

enum { MOST_THREADS = 256, ROUNDS = 5, MOST_LEVELS = 4 };

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

void bench_machine_name(char *out, size_t cap) {
  char line[512];
  FILE *f = fopen("/proc/cpuinfo", "r");
  snprintf(out, cap, "an unnamed processor");
  while (f && fgets(line, sizeof line, f)) {
    const char *colon = strchr(line, ':');
    if (strncmp(line, "model name", 10) || !colon || strlen(colon) < 3)
      continue;
    snprintf(out, cap, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
    break;
  }
  if (f)
    fclose(f);
}

uint32_t bench_cores(void) {
#ifdef __linux__
  cpu_set_t set;
  if (!sched_getaffinity(0, sizeof set, &set))
    return (uint32_t)CPU_COUNT(&set);
#endif
  long n = sysconf(_SC_NPROCESSORS_ONLN);
  return n > 0 ? (uint32_t)n : 1;
}

const char *bench_isa_missing(const char *isa) {
  for (size_t i = 0; i < bench_n_roofs; i++) {
    if (!strcmp(isa, bench_roofs[i].isa))
      return bench_roofs[i].missing();
  }
  return strcmp(isa, "plain") && strcmp(isa, "amx-emulated") ? "this weft is for other processors" : NULL;
}

// ---- a measurement: the same work on each of some threads, from a common start ----
enum { MULTIPLY, READ, TRIAD };
typedef struct work {
  const bench_roof *roof;
  int kind;
  size_t amount;  // rounds, or floats an array
  size_t repeat;  // passes over the arrays
  pthread_barrier_t *gate;
  float *v[3];
  double done, begin, end;
} work;
static volatile double sink;

// In huge pages where it is large enough for one.
static float *array(size_t n) {
  size_t huge = (size_t)2 << 20;
  size_t bytes = n * sizeof(float);
  size_t page = bytes < huge ? 4096 : huge;
  float *v = aligned_alloc(page, (bytes + page) / page * page);
#ifdef MADV_HUGEPAGE
  if (v && page == huge)
    (void)madvise(v, bytes, MADV_HUGEPAGE);
#endif
  for (size_t i = 0; v && i < n; i++)
    v[i] = 1.0f;
  return v;
}

static void *do_work(void *arg) {
  work *w = arg;
  int arrays = w->kind == MULTIPLY ? 0 : w->kind == READ ? 1 : 3;
  bool good = true;
  for (int i = 0; i < arrays; i++)
    good &= (w->v[i] = array(w->amount)) != NULL;
  pthread_barrier_wait(w->gate);
  w->begin = now_ns();
  if (w->kind == MULTIPLY)
    w->done = w->roof->multiply_add(w->amount);
  for (size_t k = 0; good && arrays && k < w->repeat; k++) {
    if (w->kind == READ)
      sink = w->roof->read(w->v[0], w->amount);
    else
      w->roof->triad(w->v[0], w->v[1], w->v[2], w->amount);
    __asm__ volatile("" : : : "memory");
    w->done += (double)arrays * (double)w->amount * sizeof(float);
  }
  w->end = now_ns();
  for (int i = 0; i < arrays; i++)
    free(w->v[i]);
  return NULL;
}

// Operations or bytes a nanosecond of all threads together; *out_ns: how long it took.
static double once(const work *like, uint32_t threads, double *out_ns) {
  static work w[MOST_THREADS];
  pthread_t id[MOST_THREADS];
  pthread_barrier_t gate;
  double done = 0, begin = 0, end = 0;
  pthread_barrier_init(&gate, NULL, threads);
  for (uint32_t i = 0; i < threads; i++) {
    w[i] = *like;
    w[i].gate = &gate;
  }
  for (uint32_t i = 1; i < threads; i++) {
    if (pthread_create(&id[i], NULL, do_work, &w[i])) {
      fprintf(stderr, "weft: error: cannot start %u threads\n", threads);
      exit(EXIT_FAILED);  // those that wait at the gate would wait for ever
    }
  }
  do_work(&w[0]);
  for (uint32_t i = 1; i < threads; i++)
    pthread_join(id[i], NULL);
  for (uint32_t i = 0; i < threads; i++) {
    done += w[i].done;
    if (!i || w[i].begin < begin)
      begin = w[i].begin;
    if (!i || w[i].end > end)
      end = w[i].end;
  }
  pthread_barrier_destroy(&gate);
  *out_ns = end - begin;
  return end > begin ? done / (end - begin) : 0;
}

// The most of some rounds, each long enough for the clock and the processor's frequency.
static double most(work like, uint32_t threads) {
  double best = 0, ns = 0;
  size_t *grow = like.kind == MULTIPLY ? &like.amount : &like.repeat;
  for (*grow = 1; *grow < (size_t)1 << 40; *grow *= 2) {
    once(&like, 1, &ns);
    if (ns > 1e7)
      break;
    if (ns < 1e5)
      *grow *= 16;
  }
  for (int i = 0; i < ROUNDS; i++) {
    double x = once(&like, threads, &ns);
    if (x > best)
      best = x;
  }
  return best;
}

// ---- the levels of memory ----
typedef struct level {
  const char *name;
  size_t bytes;  // of the arrays of one thread together
} level;

static size_t cache_bytes(int wanted) {
  char path[128];
  char type[32] = "";
  char unit = 0;
  size_t found = 0;
  for (int i = 0; i < 8; i++) {
    int at = 0;
    unsigned long size = 0;
    const char *const names[] = {"level", "type", "size"};
    for (int k = 0; k < 3; k++) {
      snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/%s", i, names[k]);
      FILE *f = fopen(path, "r");
      if (!f)
        continue;
      int n = k == 0   ? fscanf(f, "%d", &at)
              : k == 1 ? fscanf(f, "%31s", type)
                       : fscanf(f, "%lu%c", &size, &unit);
      fclose(f);
      if (n < 1)
        at = 0;
    }
    if (at == wanted && strcmp(type, "Instruction"))
      found = size * (unit == 'M' ? 1 << 20 : unit == 'K' ? 1024 : 1);
  }
  return found;
}

// A half of each cache, of the shared one the share of each thread; then four times the last, within 64 MiB
// and 512.
static size_t levels(uint32_t threads, level *out) {
  size_t n = 0;
  size_t own[3] = {cache_bytes(1), cache_bytes(2), cache_bytes(3)};
  static const char *const names[] = {"L1", "L2", "L3"};
  if (own[2] > (size_t)64 << 20)
    own[2] = (size_t)64 << 20;  // a virtual machine is told of more than it gets
  size_t far = own[2] ? own[2] * 4 : (size_t)64 << 20;
  for (size_t i = 0; i < 3; i++) {
    size_t bytes = own[i] / 2 / (i == 2 ? threads : 1);
    if (own[i] && (i < 2 || bytes > own[1]))
      out[n++] = (level){names[i], bytes};
  }
  if (far < (size_t)64 << 20)
    far = (size_t)64 << 20;
  if (far > (size_t)512 << 20)
    far = (size_t)512 << 20;
  out[n++] = (level){"memory", far};
  return n;
}

static const bench_roof *widest(void) {
  const bench_roof *r = &bench_roofs[0];
  for (size_t i = 0; i < bench_n_roofs; i++) {
    if (bench_roofs[i].read && !bench_roofs[i].missing())
      r = &bench_roofs[i];
  }
  return r;
}

static void multiply_adds(uint32_t cores, FILE *json) {
  bool first = true;
  printf("%-10s %-28s %14s %14s\n", "", "GFLOP/s", "one thread", "all threads");
  if (json)
    fprintf(json, "  \"gflops\": [");
  for (size_t i = 0; i < bench_n_roofs; i++) {
    const bench_roof *r = &bench_roofs[i];
    if (r->missing())
      continue;
    double one = most((work){.roof = r, .kind = MULTIPLY}, 1),
           all = most((work){.roof = r, .kind = MULTIPLY}, cores);
    printf("%-10s %-28s %14.1f %14.1f\n", r->isa, r->what, one, all);
    if (json) {
      fprintf(json, "%s\n    {\"isa\": \"%s\", \"what\": \"%s\", \"one\": %.1f, \"all\": %.1f}",
              first ? "" : ",", r->isa, r->what, one, all);
    }
    first = false;
  }
  if (json)
    fprintf(json, "],\n");
}

static void bandwidths(uint32_t cores, FILE *json) {
  level one[MOST_LEVELS];
  level all[MOST_LEVELS];
  const bench_roof *r = widest();
  size_t n = levels(1, one);
  size_t m = levels(cores, all);
  bool first = true;
  printf("\n%-10s %-17s %10s %14s %14s\n", "GB/s", "", "KiB, one", "one thread", "all threads");
  if (json)
    fprintf(json, "  \"bandwidth\": [");
  for (int kind = READ; kind <= TRIAD; kind++) {
    for (size_t i = 0; i < n; i++) {
      double v[2] = {0, -1};
      for (int k = 0; k < 2; k++) {
        const level *l = k ? NULL : &one[i];
        for (size_t j = 0; k && j < m; j++) {
          if (!strcmp(all[j].name, one[i].name))
            l = &all[j];
        }
        if (!l)
          continue;
        size_t floats = l->bytes / sizeof(float) / (kind == TRIAD ? 3 : 1) / 128 * 128;
        v[k] = most((work){.roof = r, .kind = kind, .amount = floats}, k ? cores : 1);
      }
      const char *what = kind == READ ? "read" : "a = b + 3 c";
      char both[32] = "";
      if (v[1] >= 0)
        snprintf(both, sizeof both, "%.1f", v[1]);
      printf("%-10s %-17s %10zu %14.1f %14s\n", one[i].name, what, one[i].bytes / 1024, v[0], both);
      if (json) {
        fprintf(json,
                "%s\n    {\"level\": \"%s\", \"what\": \"%s\", \"bytes\": %zu, \"one\": %.1f, \"all\": %s}",
                first ? "" : ",", one[i].name, kind == READ ? "read" : "triad", one[i].bytes, v[0],
                *both ? both : "null");
      }
      first = false;
    }
  }
  if (json)
    fprintf(json, "]\n");
}

int bench_machine(const char *path) {
  char name[160];
  uint32_t cores = bench_cores();
  char *text = NULL;
  size_t bytes = 0;
  FILE *json = path ? open_memstream(&text, &bytes) : NULL;
  if (cores > MOST_THREADS)
    cores = MOST_THREADS;
  bench_machine_name(name, sizeof name);
  printf("%s, %u core%s; the most of %d rounds; bandwidth by %s\n\n", name, cores, cores > 1 ? "s" : "",
         ROUNDS, widest()->isa);
  if (json)
    fprintf(json, "{\n  \"machine\": \"%s\", \"cores\": %u,\n", name, cores);
  multiply_adds(cores, json);
  bandwidths(cores, json);
  if (json)
    fprintf(json, "}\n");
  if (!path)
    return EXIT_OK;
  weft_diag d = {0};
  weft_status s = json && !fclose(json) ? save_text(path, text, bytes, &d)
                                        : weft_fail(&d, WEFT_E_NOMEM, "no memory for '%s'", path);
  free(text);
  return s ? fail_with(&d) : EXIT_OK;
}
// SPDX-License-Identifier: Apache-2.0
