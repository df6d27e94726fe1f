// check.c - runs the registered tests; arguments choose by "file/name" prefix.
#include "check.h"

#include <stdarg.h>
#include <time.h>

static check_test *first, **last = &first;
static int failures;
static bool skips;  // the test at hand
static const char *running = "";

void check_register(check_test *t) {
  *last = t;
  last = &t->next;
}

void check_failed(const char *file, int line, const char *fmt, ...) {
  va_list ap;
  failures++;
  printf("%s:%d: ", file, line);
  va_start(ap, fmt);
  vprintf(fmt, ap);
  va_end(ap);
  printf("\n");
}

void check_skip(const char *fmt, ...) {
  va_list ap;
  skips = true;
  printf("skipped: %s: ", running);
  va_start(ap, fmt);
  vprintf(fmt, ap);
  va_end(ap);
  printf("\n");
}

static bool asked_for(const char *name) {
  const char *s = getenv(name);
  return s && *s && strcmp(s, "0") != 0;
}

bool check_long(void) {
  return asked_for("CHECK_LONG");
}

#ifdef WEFT_GUARDED
enum { SHARE = 36 };
#else
enum { SHARE = 12 };
#endif

int check_cases(int all) {
  int some = all / SHARE < 2 ? 2 : all / SHARE;
  return check_long() || all < some ? all : some;
}

uint64_t check_seed(void) {
  const char *s = getenv("CHECK_SEED");
  return s ? strtoull(s, NULL, 10) : 0;
}

// ---- bounds on time ----
double check_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

// Loads, stores and products that wait for each other, checked as the tests are.
static double yardstick_seconds(void) {
  enum { ROUNDS = 1 << 20, WORDS = 1 << 12 };
  static uint64_t word[WORDS];
  double begin = check_seconds();
  uint64_t state = 1;
  for (int i = 0; i < ROUNDS; i++) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    word[state >> 52] += state;
    state ^= word[state >> 40 & (WORDS - 1)] & 1;
  }
  return check_seconds() - begin;
}

bool check_too_long(double seconds, double most) {
  const double usual = 5.5e-3;
  double least = 0;
  if (seconds <= most)
    return false;
  for (int i = 0; i < 3; i++) {
    double took = yardstick_seconds();
    least = !i || took < least ? took : least;
  }
  return seconds > most * (least > usual ? least / usual : 1);
}

static void *counted(void *ctx, void *ptr, size_t old_bytes, size_t new_bytes, size_t align) {
  check_alloc *c = ctx;
  void *p = NULL;
  if (new_bytes) {
    c->calls++;
    if (c->fail_at && c->calls == c->fail_at)
      return NULL;
    if (c->most_bytes && new_bytes > old_bytes &&
        (new_bytes > c->most_bytes || c->live_bytes > c->most_bytes - (new_bytes - old_bytes)))
      return NULL;
    if (align < sizeof(void *))
      align = sizeof(void *);
    size_t rounded = (new_bytes + align - 1) / align * align;
    p = aligned_alloc(align, rounded);
    if (!p)
      return NULL;
    if (ptr)
      memcpy(p, ptr, old_bytes < new_bytes ? old_bytes : new_bytes);
    c->live_blocks++;
    c->live_bytes += new_bytes;
    if (c->live_bytes > c->peak_bytes)
      c->peak_bytes = c->live_bytes;
  }
  if (ptr) {
    c->live_blocks--;
    c->live_bytes -= old_bytes;
    free(ptr);
  }
  return p;
}

weft_allocator check_allocator(check_alloc *c) {
  weft_allocator a = {counted, c};
  return a;
}

// "text/text_grows" of TEST(text_grows) in text_test.c.
static void name_of(const check_test *t, char *out, size_t room) {
  const char *slash = strrchr(t->file, '/');
  const char *base = slash ? slash + 1 : t->file;
  size_t n = strcspn(base, ".");
  if (n > 5 && !strncmp(base + n - 5, "_test", 5))
    n -= 5;
  snprintf(out, room, "%.*s/%s", (int)n, base, t->name);
}

static bool wanted(const char *name, int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    if (!strncmp(name, argv[i], strlen(argv[i])))
      return true;
  }
  return argc < 2;
}

// The name is flushed before the test starts: a crash, or a child process, finds nothing in the buffer.
static void run_one(const check_test *t, const char *name, bool quiet) {
  int before = failures;
  running = name;
  skips = false;
  if (!quiet)
    printf("%s\n", name);
  fflush(stdout);
  t->run();
  if (failures != before)
    printf("FAILED %s\n", name);
}

int main(int argc, char **argv) {
  int ran = 0;
  int skipped = 0;
  bool quiet = asked_for("CHECK_QUIET");
  for (check_test *t = first; t; t = t->next) {
    char name[256];
    name_of(t, name, sizeof name);
    if (!wanted(name, argc, argv))
      continue;
    run_one(t, name, quiet);
    ran++;
    skipped += skips;
  }
  printf("%d tests, %d failed checks", ran, failures);
  if (skipped)
    printf(", %d skipped", skipped);
  printf("\n");
  if (!ran)
    printf("no test has a name that starts so; `weft_tests FILE/` runs those of FILE_test.c\n");
  if (failures || !ran)
    return 1;
  return skipped == ran ? CHECK_SKIPPED : 0;
}
// SPDX-License-Identifier: Apache-2.0
