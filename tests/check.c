// check.c - runs the registered tests; arguments choose by "file/name" prefix.
#include "check.h"

#include <stdarg.h>

static check_test *first, **last = &first;
static int failures;

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

bool check_long(void) {
  const char *s = getenv("CHECK_LONG");
  return s && *s && strcmp(s, "0") != 0;
}

int check_cases(int all) {
  int some = all / 6 < 2 ? 2 : all / 6;
  return check_long() || all < some ? all : some;
}

uint64_t check_seed(void) {
  const char *s = getenv("CHECK_SEED");
  return s ? strtoull(s, NULL, 10) : 0;
}

static void *counted(void *ctx, void *ptr, size_t old_bytes, size_t new_bytes, size_t align) {
  check_alloc *c = ctx;
  void *p = NULL;
  if (new_bytes) {
    c->calls++;
    if (c->fail_at && c->calls == c->fail_at) return NULL;
    if (align < sizeof(void *)) align = sizeof(void *);
    size_t rounded = (new_bytes + align - 1) / align * align;
    p = aligned_alloc(align, rounded);
    if (!p) return NULL;
    if (ptr) memcpy(p, ptr, old_bytes < new_bytes ? old_bytes : new_bytes);
    c->live_blocks++;
    c->live_bytes += new_bytes;
    if (c->live_bytes > c->peak_bytes) c->peak_bytes = c->live_bytes;
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

int main(int argc, char **argv) {
  int ran = 0;
  for (check_test *t = first; t; t = t->next) {
    char id[256];
    const char *slash = strrchr(t->file, '/');
    const char *base = slash ? slash + 1 : t->file;
    size_t n = strcspn(base, ".");
    if (n > 5 && !strncmp(base + n - 5, "_test", 5)) n -= 5;
    snprintf(id, sizeof id, "%.*s/%s", (int)n, base, t->name);
    int wanted = argc < 2;
    for (int i = 1; i < argc; i++) wanted |= !strncmp(id, argv[i], strlen(argv[i]));
    if (!wanted) continue;
    int before = failures;
    t->run();
    ran++;
    if (failures != before) printf("FAILED %s\n", id);
  }
  printf("%d tests, %d failed checks\n", ran, failures);
  return failures != 0 || !ran;
}
