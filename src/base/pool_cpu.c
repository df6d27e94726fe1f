// pool_cpu.c - how many CPUs this process may use.
//
// Linux: the affinity mask, and the least quota of the process's cgroup and of those above it.
// /proc/self/mountinfo says where cgroup file systems lie, /proc/self/cgroup which group of each is ours:
// cpu.max (v2), cpu.cfs_quota_us and cpu.cfs_period_us (v1). What cannot be read or is not as expected is no
// limit; nothing there is trusted, lines that are too long are left out. Elsewhere: the system's number of
// processors.
#define _GNU_SOURCE  // sched_getaffinity
#include "base/pool_cpu.h"

#include <unistd.h>

#include "base/pool.h"

#if defined(__linux__)
#include <errno.h>
#include <fcntl.h>
#include <sched.h>

enum { LINE_BYTES = 4096, PATH_BYTES = 4096 };

// ---- lines of small files ----

typedef struct reader {
  int fd;
  char buf[LINE_BYTES];
  size_t at, n;
} reader;

static bool reader_open(reader *r, const char *root, const char *path) {
  char full[PATH_BYTES];
  r->at = r->n = 0;
  int bytes = snprintf(full, sizeof full, "%s%s", root, path);
  if (bytes < 0 || (size_t)bytes >= sizeof full)
    return false;
  r->fd = open(full, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  return r->fd >= 0;
}

static int next_char(reader *r) {  // -1: the end
  if (r->at == r->n) {
    ssize_t got;
    do
      got = read(r->fd, r->buf, sizeof r->buf);
    while (got < 0 && errno == EINTR);
    r->at = 0;
    r->n = got > 0 ? (size_t)got : 0;
    if (!r->n)
      return -1;
  }
  return (unsigned char)r->buf[r->at++];
}

// One line without its end, zero-terminated; too long ones come as empty. false: no more.
static bool next_line(reader *r, char line[LINE_BYTES]) {
  size_t n = 0;
  int c = next_char(r);
  if (c < 0)
    return false;
  for (; c >= 0 && c != '\n'; c = next_char(r)) {
    if (n < LINE_BYTES)
      line[n++] = (char)c;
  }
  line[n < LINE_BYTES ? n : 0] = '\0';
  return true;
}

static bool first_line(const char *root, const char *path, char line[LINE_BYTES]) {
  reader r;
  if (!reader_open(&r, root, path))
    return false;
  bool got = next_line(&r, line);
  close(r.fd);
  return got;
}

// ---- text ----

static bool pool_cpu_read_number(const char **at, uint64_t *out) {
  const char *p = *at;
  uint64_t v = 0;
  for (; *p >= '0' && *p <= '9'; p++) {
    if (v > UINT64_MAX / 10 - 1)
      return false;
    v = v * 10 + (uint64_t)(*p - '0');
  }
  if (p == *at)
    return false;
  *at = p;
  *out = v;
  return true;
}

static char *pool_cpu_cut(char **at, char sep) {  // the next field; *at behind it, NULL after the last
  char *field = *at;
  char *end = field ? strchr(field, sep) : NULL;
  if (end)
    *end++ = '\0';
  *at = end;
  return field;
}

static bool pool_cpu_listed(char *list, const char *word) {  // in "cpu,cpuacct"
  for (char *at = list, *item; (item = pool_cpu_cut(&at, ',')) != NULL;) {
    if (!strcmp(item, word))
      return true;
  }
  return false;
}

static void unescape(char *s) {  // mountinfo writes blanks as \040
  char *to = s;
  while (*s) {
    bool octal = s[0] == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] >= '0' && s[2] <= '7' && s[3] >= '0' &&
                 s[3] <= '7';
    *to++ = octal ? (char)((s[1] - '0') * 64 + (s[2] - '0') * 8 + (s[3] - '0')) : *s;
    s += octal ? 4 : 1;
  }
  *to = '\0';
}

// ---- quotas ----

static void lower(uint32_t *limit, uint64_t quota, uint64_t period) {
  if (!quota || !period)
    return;
  uint64_t cpus = quota / period + (quota % period != 0);
  if (cpus < UINT32_MAX && (!*limit || cpus < *limit))
    *limit = (uint32_t)cpus;
}

static bool number_in(const char *root, const char *dir, const char *name, uint64_t *out, const char **rest,
                      char *line) {
  char path[PATH_BYTES];
  int n = snprintf(path, sizeof path, "%s/%s", dir, name);
  if (n < 0 || (size_t)n >= sizeof path || !first_line(root, path, line))
    return false;
  *rest = line;
  return pool_cpu_read_number(rest, out);  // "max" and -1 are no numbers: no limit
}

static void look_in(const char *root, const char *dir, bool v2, uint32_t *limit) {
  char line[LINE_BYTES];
  const char *rest;
  uint64_t quota;
  uint64_t period;
  if (v2) {
    if (!number_in(root, dir, "cpu.max", &quota, &rest, line) || *rest++ != ' ')
      return;
    if (pool_cpu_read_number(&rest, &period))
      lower(limit, quota, period);
  } else if (number_in(root, dir, "cpu.cfs_quota_us", &quota, &rest, line) &&
             number_in(root, dir, "cpu.cfs_period_us", &period, &rest, line)) {
    lower(limit, quota, period);
  }
}

// Our group's path in the hierarchy, as /proc/self/cgroup has it. Inside a container it may be anything.
static bool own_group(const char *root, bool v2, char path[LINE_BYTES]) {
  reader r;
  char line[LINE_BYTES];
  bool found = false;
  if (!reader_open(&r, root, "/proc/self/cgroup"))
    return false;
  while (!found && next_line(&r, line)) {
    char *at = line;
    char *number = pool_cpu_cut(&at, ':');
    char *names = pool_cpu_cut(&at, ':');
    if (!at || *at != '/')
      continue;
    found = v2 ? !strcmp(number, "0") && !*names : pool_cpu_listed(names, "cpu");
    if (found)
      memcpy(path, at, strlen(at) + 1);
  }
  close(r.fd);
  return found;
}

static bool climbs(const char *path) {  // has a ".." of its own: outside the mount
  for (const char *p = strstr(path, ".."); p; p = strstr(p + 1, "..")) {
    if ((p == path || p[-1] == '/') && (!p[2] || p[2] == '/'))
      return true;
  }
  return false;
}

// From our group up to where the file system is mounted. `mounted` is the group that lies at the mount point.
static void look_up(const char *root, const char *mount, const char *mounted, bool v2, uint32_t *limit) {
  char group[LINE_BYTES];
  char dir[PATH_BYTES];
  size_t skip = strlen(mounted);
  size_t base = strlen(mount);
  if (!strcmp(mounted, "/"))
    skip = 0;
  bool inside = own_group(root, v2, group) && !climbs(group) && !strncmp(group, mounted, skip) &&
                (!group[skip] || group[skip] == '/');
  int n = snprintf(dir, sizeof dir, "%s%s", mount, inside ? group + skip : "");
  if (n < 0 || (size_t)n >= sizeof dir)
    return;
  for (size_t end = (size_t)n;;) {
    look_in(root, dir, v2, limit);
    while (end > base && dir[end - 1] != '/')
      end--;
    if (end <= base)
      return;
    dir[--end] = '\0';  // "/sys/fs/cgroup/a/b" -> "/sys/fs/cgroup/a"
  }
}

uint32_t weft__cgroup_cpus(const char *root) {
  reader r;
  char line[LINE_BYTES];
  uint32_t limit = 0;
  if (!reader_open(&r, root, "/proc/self/mountinfo"))
    return 0;
  while (next_line(&r,
                   line)) {  // id parent major:minor root mount-point options ... - type source super-options
    char *dash = strstr(line, " - ");
    if (!dash)
      continue;
    *dash = '\0';
    char *at = line;
    char *tail = dash + 3;
    for (int i = 0; i < 3; i++)
      pool_cpu_cut(&at, ' ');
    char *mounted = pool_cpu_cut(&at, ' ');
    char *mount = pool_cpu_cut(&at, ' ');
    char *type = pool_cpu_cut(&tail, ' ');
    char *source = pool_cpu_cut(&tail, ' ');
    if (!mount || !source)
      continue;
    bool v2 = !strcmp(type, "cgroup2");
    if (!v2 && (strcmp(type, "cgroup") || !tail || !pool_cpu_listed(tail, "cpu")))
      continue;
    unescape(mounted);
    unescape(mount);
    look_up(root, mount, mounted, v2, &limit);
  }
  close(r.fd);
  return limit;
}

static uint32_t affinity(void) {
  cpu_set_t set[16];  // 16384 CPUs; the kernel refuses a mask that is too small
  if (sched_getaffinity(0, sizeof set, set))
    return 0;
  int n = CPU_COUNT_S(sizeof set, set);
  return n > 0 ? (uint32_t)n : 0;
}
#else
uint32_t weft__cgroup_cpus(const char *root) {
  (void)root;
  return 0;
}

static uint32_t affinity(void) {
  return 0;
}
#endif

uint32_t weft__cpu_count(void) {
  uint32_t n = affinity();
  uint32_t limit = weft__cgroup_cpus("");
  if (!n) {
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    n = online > 0 && online < INT32_MAX ? (uint32_t)online : 1;
  }
  return limit && limit < n ? limit : n;
}
// SPDX-License-Identifier: Apache-2.0
