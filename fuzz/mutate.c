// mutate.c - mutates the files that it is given and runs each mutation through one fuzz target, in children
// that may die:
//   mutate_run [--count N] [--seed N] [--out DIR] FILE|DIR...
// Truncations, flipped bits, bytes, lengths, blocks that are cut out, doubled and swapped: number N of a seed
// is always the same bytes. A crash, 20 s of time or 1 GiB of memory ends a child; the bytes go to DIR, for
// replay_TARGET to run again, and the next child goes on behind them. Ends with 1 when anything failed.
#define _DEFAULT_SOURCE  // MAP_ANONYMOUS
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"

// The bytes before a file that choose how fuzz_run.c runs it. Targets of one format have none.
#if defined(MUTATE_FILES)
enum { MUTATE_LEAD = 0 };
int fuzz_came_to = FUZZ_REFUSED;
#else
enum { MUTATE_LEAD = 1 };
#endif

enum {
  MUTATE_SECONDS = 20,
  MUTATE_MEMORY_KIB = 1 << 20,
  MUTATE_BATCH = 256,
  MUTATE_FILE_BYTES = 256 << 10,
  MUTATE_MOST_EDITS = 4,
  MUTATE_DEPTH = 12,
  MUTATE_OF_CONTENTS = 16,
  MUTATE_NAMES = 8,
  MUTATE_KEEPS_TOP = 1 << 30,
  EXIT_TIME = 40,
  EXIT_MEMORY = 41,
};

typedef struct mutate_file {
  char *path;
  uint8_t *data;
  size_t bytes;
  uint32_t *value;  // offsets of the bytes that are contents of fields: neither tags nor lengths
  size_t n_values, values_room;
} mutate_file;

static struct {
  mutate_file *file;
  size_t n_files;
  size_t room;
  uint64_t count;
  uint64_t seed;
  const char *out;
  struct mutate_shared {
    volatile uint64_t at;  // the mutation that the child is at
    volatile uint64_t came_to[FUZZ_RAN + 1];
  } * shared;
  uint64_t crashes;
  uint64_t late;
  uint64_t large;
} mutate = {.count = 51200, .seed = 1, .out = "mutate.out"};

// ---- numbers ----
static uint64_t mutate_next(uint64_t *state) {  // splitmix64
  uint64_t z = (*state += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

static size_t mutate_below(uint64_t *state, size_t n) {
  return n ? (size_t)(mutate_next(state) % n) : 0;
}

// ---- what of a file is contents ----
static bool mutate_value(mutate_file *f, uint32_t place) {
  if (f->n_values == f->values_room) {
    f->values_room = f->values_room ? 2 * f->values_room : 1024;
    uint32_t *more = realloc(f->value, f->values_room * sizeof *more);
    if (!more)
      return false;
    f->value = more;
  }
  f->value[f->n_values++] = place;
  return true;
}

// Some names get one place and weights few: the numbers that say what a model does are between them.
static bool mutate_contents(mutate_file *f, size_t from, size_t to) {
  bool text = true;
  for (size_t i = from; i < to && text; i++)
    text = f->data[i] >= ' ' && f->data[i] < 127;
  if (text && from % MUTATE_NAMES)
    return true;
  size_t most = text ? 1 : MUTATE_OF_CONTENTS;
  if (to - from > most)
    to = from + most;
  for (size_t i = from; i < to; i++) {
    if (!mutate_value(f, (uint32_t)i))
      return false;
  }
  return true;
}

// Bytes of one number: the bit that says whether another one follows is kept.
static bool mutate_number(mutate_file *f, size_t from, size_t to) {
  for (size_t i = from; i < to; i++) {
    if (!mutate_value(f, (uint32_t)i | MUTATE_KEEPS_TOP))
      return false;
  }
  return true;
}

static bool mutate_varint(const mutate_file *f, size_t *at, size_t to, uint64_t *out) {
  *out = 0;
  for (unsigned shift = 0; *at < to && shift < 64; shift += 7) {
    uint8_t byte = f->data[(*at)++];
    *out |= (uint64_t)(byte & 127) << shift;
    if (byte < 128)
      return true;
  }
  return false;
}

// A field that holds fields is looked into; one that might as well be text is text. False: [at, to) is not a
// message, and nothing of it was taken.
static bool mutate_message(mutate_file *f, size_t at, size_t to, int depth) {
  size_t before = f->n_values;
  uint64_t tag;
  uint64_t n;
  while (at < to) {
    size_t value;
    bool ok = mutate_varint(f, &at, to, &tag) && tag >> 3;
    value = at;
    switch (ok ? tag & 7 : 7) {
      case 0:
        ok = mutate_varint(f, &at, to, &n) && mutate_number(f, value, at);
        break;
      case 1:
      case 5:
        n = (tag & 7) == 1 ? 8 : 4;
        ok = n <= to - at && mutate_contents(f, at, at + n);
        at += n;
        break;
      case 2:
        ok = mutate_varint(f, &at, to, &n) && n <= to - at;
        if (!ok)
          break;
        ok = (depth && n && mutate_message(f, at, at + n, depth - 1)) || mutate_contents(f, at, at + n);
        at += n;
        break;
      default:
        ok = false;
    }
    if (!ok) {
      f->n_values = before;
      return false;
    }
  }
  return true;
}

// ---- mutations ----
typedef struct mutate_bytes {
  uint8_t *v;  // room for twice the file, and some
  size_t n;
} mutate_bytes;

static void mutate_cut(mutate_bytes *b, uint64_t *r) {
  size_t at = mutate_below(r, b->n);
  size_t n = 1 + mutate_below(r, 32);
  if (n > b->n - at)
    n = b->n - at;
  memmove(b->v + at, b->v + at + n, b->n - at - n);
  b->n -= n;
}

static void mutate_double(mutate_bytes *b, uint64_t *r) {
  size_t at = mutate_below(r, b->n);
  size_t n = 1 + mutate_below(r, 64);
  size_t to = mutate_below(r, b->n);
  uint8_t copy[64];
  if (n > b->n - at)
    n = b->n - at;
  memcpy(copy, b->v + at, n);
  memmove(b->v + to + n, b->v + to, b->n - to);
  memcpy(b->v + to, copy, n);
  b->n += n;
}

static void mutate_swap(mutate_bytes *b, uint64_t *r) {
  size_t n = 1 + mutate_below(r, 16);
  if (b->n < 2 * n)
    return;
  uint8_t *p = b->v + mutate_below(r, b->n - n + 1);
  uint8_t *q = b->v + mutate_below(r, b->n - n + 1);
  for (size_t i = 0; i < n; i++) {
    uint8_t was = p[i];
    p[i] = q[i];
    q[i] = was;
  }
}

// A number of protobuf that says much: 10 bytes at most.
static void mutate_huge(mutate_bytes *b, uint64_t *r) {
  uint64_t v = UINT64_MAX >> mutate_below(r, 64);
  for (size_t at = mutate_below(r, b->n); at < b->n; at++) {
    b->v[at] = (uint8_t)(v & 127) | (v > 127 ? 128 : 0);
    v >>= 7;
    if (!v)
      return;
  }
}

// One byte, or one number.
static void mutate_byte(mutate_bytes *b, size_t at, uint64_t *r) {
  static const uint8_t known[] = {0, 1, 2, 7, 8, 16, 127, 128, 254, 255};
  switch (mutate_below(r, 4)) {
    case 0:
      b->v[at] = known[mutate_below(r, sizeof known)];
      break;
    case 1:
      b->v[at] ^= (uint8_t)(1u << mutate_below(r, 8));
      break;
    case 2:
      b->v[at] = (uint8_t)(b->v[at] + (mutate_next(r) & 1 ? 1 : -1));
      break;
    default:
      b->v[at] = (uint8_t)mutate_next(r);
  }
}

static void mutate_inside(mutate_bytes *b, uint32_t place, uint64_t *r) {
  size_t at = place & ~(uint32_t)MUTATE_KEEPS_TOP;
  uint8_t top = b->v[at] & 128;
  mutate_byte(b, at, r);
  if (place & MUTATE_KEEPS_TOP)
    b->v[at] = (b->v[at] & 127) | top;
}

static void mutate_block(mutate_bytes *b, uint64_t *r) {
  if (!b->n)
    return;
  switch (mutate_below(r, 4)) {
    case 0:
      mutate_cut(b, r);
      break;
    case 1:
      mutate_double(b, r);
      break;
    case 2:
      mutate_swap(b, r);
      break;
    default:
      mutate_huge(b, r);
  }
}

static void mutate_change(mutate_bytes *b, const mutate_file *f, uint64_t *r) {
  size_t edits = 1 + mutate_below(r, MUTATE_MOST_EDITS);
  switch (mutate_below(r, 6)) {
    case 0:
      b->n = mutate_below(r, f->bytes);
      break;
    case 1:
      while (edits--)
        mutate_block(b, r);
      break;
    case 2:
      mutate_byte(b, mutate_below(r, b->n), r);
      break;
    default:  // nothing that says where a field ends: these come furthest
      while (edits-- && f->n_values)
        mutate_inside(b, f->value[mutate_below(r, f->n_values)], r);
  }
}

// Number `i`: one file in turn; every fourth time around it is cut short, otherwise up to four edits. In
// front of it the byte by which fuzz_run.c chooses. NULL: out of memory.
static uint8_t *mutate_make(uint64_t i, size_t *out_bytes) {
  uint64_t r = mutate.seed * 0x2545F4914F6CDD1Du + i;
  const mutate_file *f = &mutate.file[i % mutate.n_files];
  uint8_t *all = malloc(1 + 2 * f->bytes + 64 * (MUTATE_MOST_EDITS + 1));
  if (!all)
    return NULL;
  mutate_bytes b = {all + 1, f->bytes};
  all[0] = (uint8_t)mutate_next(&r);
  memcpy(b.v, f->data, f->bytes);
  mutate_change(&b, f, &r);
  uint8_t *exact = malloc(MUTATE_LEAD + b.n ? MUTATE_LEAD + b.n : 1);
  if (exact)
    memcpy(exact, all + 1 - MUTATE_LEAD, MUTATE_LEAD + b.n);
  free(all);
  *out_bytes = MUTATE_LEAD + b.n;
  return exact;
}

// ---- children ----
static long mutate_peak_kib(void) {
  struct rusage u;
  return getrusage(RUSAGE_SELF, &u) ? 0 : u.ru_maxrss;
}

static void mutate_late(int signal) {
  (void)signal;
  _exit(EXIT_TIME);
}

// 20 s of the processor, so that a busy machine makes nothing late; ten times as long for what waits for
// ever.
static void mutate_clock(int seconds) {
  const struct itimerval t = {.it_value = {.tv_sec = seconds}};
  (void)setitimer(ITIMER_PROF, &t, NULL);
  alarm((unsigned)seconds * 10);
}

static void mutate_child(uint64_t from, uint64_t to) {
  long base = mutate_peak_kib();
  signal(SIGALRM, mutate_late);
  signal(SIGPROF, mutate_late);
  for (uint64_t i = from; i < to; i++) {
    size_t bytes;
    mutate.shared->at = i;
    uint8_t *data = mutate_make(i, &bytes);
    if (!data)
      _exit(EXIT_MEMORY);
    mutate_clock(MUTATE_SECONDS);
    LLVMFuzzerTestOneInput(data, bytes);
    mutate_clock(0);
    mutate.shared->came_to[fuzz_came_to]++;
    free(data);
    if (mutate_peak_kib() - base > MUTATE_MEMORY_KIB)
      _exit(EXIT_MEMORY);
  }
  fflush(NULL);
  _exit(0);
}

static void mutate_keep(uint64_t i, const char *what) {
  char name[4096];
  size_t bytes;
  uint8_t *data = mutate_make(i, &bytes);
  snprintf(name, sizeof name, "%s/%s_%llu", mutate.out, what, (unsigned long long)i);
  FILE *f = data ? fopen(name, "wb") : NULL;
  bool kept = f && fwrite(data, 1, bytes, f) == bytes;
  if (f && fclose(f))
    kept = false;
  printf("%s: mutation %llu of '%s'%s%s\n", what, (unsigned long long)i, mutate.file[i % mutate.n_files].path,
         kept ? ", kept as " : "; it could not be written to ", name);
  fflush(stdout);
  free(data);
}

// Judges how the child ended; the number that the next one begins with.
static uint64_t mutate_judge(int status, uint64_t to) {
  uint64_t i = mutate.shared->at;
  int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  if (!code)
    return to;
  if (code == EXIT_TIME) {
    mutate.late++;
    mutate_keep(i, "late");
  } else if (code == EXIT_MEMORY) {
    mutate.large++;
    mutate_keep(i, "large");
  } else {
    mutate.crashes++;
    mutate_keep(i, "crash");
  }
  return i + 1;
}

static int mutate_all(void) {
  struct timespec begin;
  struct timespec end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  for (uint64_t i = 0; i < mutate.count;) {
    uint64_t to = i + MUTATE_BATCH < mutate.count ? i + MUTATE_BATCH : mutate.count;
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (!child)
      mutate_child(i, to);
    if (child < 0 || waitpid(child, &status, 0) != child) {
      fprintf(stderr, "mutate: cannot run a child: %s\n", strerror(errno));
      return 2;
    }
    i = mutate_judge(status, to);
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  printf(
      "mutate: %llu mutations of %zu files, seed %llu: %llu crashes, %llu over %d s, %llu over 1 GiB; %lld "
      "s\n",
      (unsigned long long)mutate.count, mutate.n_files, (unsigned long long)mutate.seed,
      (unsigned long long)mutate.crashes, (unsigned long long)mutate.late, MUTATE_SECONDS,
      (unsigned long long)mutate.large, (long long)(end.tv_sec - begin.tv_sec));
  const volatile uint64_t *n = mutate.shared->came_to;
  if (n[FUZZ_READ] + n[FUZZ_COMPILED] + n[FUZZ_RAN]) {  // most targets do not say how far they came
    printf("mutate: %llu were refused, %llu were read, %llu of these compiled, %llu of these ran\n",
           (unsigned long long)n[FUZZ_REFUSED],
           (unsigned long long)(n[FUZZ_READ] + n[FUZZ_COMPILED] + n[FUZZ_RAN]),
           (unsigned long long)(n[FUZZ_COMPILED] + n[FUZZ_RAN]), (unsigned long long)n[FUZZ_RAN]);
  }
  return mutate.crashes || mutate.late || mutate.large;
}

// ---- files ----
static bool mutate_add(const char *path, size_t bytes) {
  if (mutate.n_files == mutate.room) {
    mutate.room = mutate.room ? 2 * mutate.room : 256;
    mutate.file = realloc(mutate.file, mutate.room * sizeof *mutate.file);
    if (!mutate.file)
      return false;
  }
  mutate_file *f = &mutate.file[mutate.n_files];
  *f = (mutate_file){.path = strdup(path), .data = malloc(bytes), .bytes = bytes};
  FILE *in = f->path && f->data ? fopen(path, "rb") : NULL;
  bool all = in && fread(f->data, 1, bytes, in) == bytes;
  if (in)
    fclose(in);
  if (all)
    mutate.n_files++;
  if (all && !mutate_message(f, 0, bytes, MUTATE_DEPTH))
    all = mutate_contents(f, 0, bytes);
  return all;
}

static int mutate_by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool mutate_find(const char *path);

// In the order of their names, so that the numbers are the same everywhere.
static bool mutate_find_in(const char *path) {
  DIR *dir = opendir(path);
  char **name = NULL;
  size_t n = 0;
  bool ok = dir != NULL;
  for (struct dirent *e; ok && (e = readdir(dir));) {
    if (e->d_name[0] == '.')
      continue;
    char **more = realloc(name, (n + 1) * sizeof *name);
    char *full = malloc(strlen(path) + strlen(e->d_name) + 2);
    ok = more && full;
    if (more)
      name = more;
    if (ok) {
      sprintf(full, "%s/%s", path, e->d_name);
      name[n++] = full;
    }
  }
  if (dir)
    closedir(dir);
  if (n)
    qsort(name, n, sizeof *name, mutate_by_name);
  for (size_t i = 0; i < n; i++) {
    ok = ok && mutate_find(name[i]);
    free(name[i]);
  }
  free(name);
  return ok;
}

// Models, and nothing else of a folder: what ends in .onnx or has no ending (fuzz/corpus). Targets of one
// format take all files.
static bool mutate_is_model(const char *path) {
  const char *base = strrchr(path, '/');
  const char *dot = strrchr(base ? base : path, '.');
  return MUTATE_LEAD == 0 || !dot || !strcmp(dot, ".onnx");
}

static bool mutate_find(const char *path) {
  struct stat st;
  if (stat(path, &st)) {
    fprintf(stderr, "mutate: cannot find '%s': %s\n", path, strerror(errno));
    return false;
  }
  if (S_ISDIR(st.st_mode))
    return mutate_find_in(path);
  bool takes = S_ISREG(st.st_mode) && st.st_size > 0 && st.st_size <= MUTATE_FILE_BYTES;
  return !takes || !mutate_is_model(path) || mutate_add(path, (size_t)st.st_size);
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    if (i + 1 < argc && !strcmp(argv[i], "--count"))
      mutate.count = strtoull(argv[++i], NULL, 10);
    else if (i + 1 < argc && !strcmp(argv[i], "--seed"))
      mutate.seed = strtoull(argv[++i], NULL, 10);
    else if (i + 1 < argc && !strcmp(argv[i], "--out"))
      mutate.out = argv[++i];
    else if (!mutate_find(argv[i]))
      return 2;
  }
  if (!mutate.n_files) {
    fprintf(stderr, "usage: mutate_run [--count N] [--seed N] [--out DIR] FILE|DIR...\n");
    return 2;
  }
  mutate.shared =
      mmap(NULL, sizeof *mutate.shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (mutate.shared == MAP_FAILED || (mkdir(mutate.out, 0777) && errno != EEXIST)) {
    fprintf(stderr, "mutate: cannot make '%s': %s\n", mutate.out, strerror(errno));
    return 2;
  }
  return mutate_all();
}
// SPDX-License-Identifier: Apache-2.0
