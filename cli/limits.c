// limits.c - what the tool lets a model's file use: --memory and --time, which every command takes, and what
// holds without them.
#include <unistd.h>

#include "cli.h"

enum { USUAL_SECONDS = 600 };

static struct {
  bool memory_given;
  bool time_given;
  weft_limits v;
} tool_limits = {.v = {.size = sizeof(weft_limits)}};

// What the machine has, or the group of processes that this one is in may use.
static uint64_t memory_at_hand(void) {
  long pages = sysconf(_SC_PHYS_PAGES);
  long bytes = sysconf(_SC_PAGESIZE);
  uint64_t all = pages > 0 && bytes > 0 ? (uint64_t)pages * (uint64_t)bytes : 0;
  FILE *f = fopen("/sys/fs/cgroup/memory.max", "r");
  unsigned long long most;
  if (f && fscanf(f, "%llu", &most) == 1 && most && (!all || most < all))
    all = most;
  if (f)
    fclose(f);
  return all;
}

const weft_limits *limits_of_tool(void) {
  weft_limits *l = &tool_limits.v;
  if (!tool_limits.memory_given)
    l->memory_limit_bytes = memory_at_hand() / 4 * 3;
  if (!tool_limits.time_given)
    l->time_limit_ns = (uint64_t)USUAL_SECONDS * 1000000000u;
  return l;
}

static bool limits_read_bytes(const char *text, uint64_t *out) {
  char *end;
  double v = strtod(text, &end), by = 1;
  if (*end == 'K') {
    by = 1 << 10;
    end++;
  }
  if (*end == 'M') {
    by = 1 << 20;
    end++;
  }
  if (*end == 'G') {
    by = 1 << 30;
    end++;
  }
  if (!*text || *end || !(v >= 0) || v * by > 9e15)
    return false;
  *out = (uint64_t)(v * by);
  return true;
}

static bool read_seconds(const char *text, uint64_t *out) {
  char *end;
  double v = strtod(text, &end);
  if (!*text || *end || !(v >= 0) || v > 9e9)
    return false;
  *out = v > 0 && v < 1e-9 ? 1 : (uint64_t)(v * 1e9);
  return true;
}

static int take_memory(const char *v) {
  tool_limits.memory_given = true;
  if (limits_read_bytes(v, &tool_limits.v.memory_limit_bytes))
    return EXIT_OK;
  return usage_error(NULL, "--memory '%s': expected a number of bytes, as 500000000, 512M or 2G; 0: no limit",
                     v);
}

static int take_time(const char *v) {
  tool_limits.time_given = true;
  if (read_seconds(v, &tool_limits.v.time_limit_ns))
    return EXIT_OK;
  return usage_error(NULL, "--time '%s': expected a number of seconds, as 0.5 or 60; 0: no limit", v);
}

int limits_take(int *argc, char **argv) {
  int to = 1;
  int status = EXIT_OK;
  for (args a = {.argc = *argc, .at = 1, .argv = argv}; a.at < a.argc && !status;) {
    const char *v;
    if (arg_value(&a, "--memory", &v))
      status = take_memory(v);
    else if (arg_value(&a, "--time", &v))
      status = take_time(v);
    else
      argv[to++] = argv[a.at++];
  }
  *argc = to;
  return status;
}

// ---- what is read from files of inputs ----
static struct { uint64_t bytes, refused; } tool_inputs;

static void *input_alloc(void *ctx, void *ptr, size_t old_bytes, size_t new_bytes, size_t align) {
  uint64_t limit = limits_of_tool()->memory_limit_bytes;
  (void)ctx;
  if (limit && new_bytes > old_bytes) {
    uint64_t more = new_bytes - old_bytes;
    if (more > limit || tool_inputs.bytes > limit - more) {
      tool_inputs.refused = more;
      return NULL;
    }
  }
  weft_allocator a = weft_allocator_default();
  void *p = a.fn(a.ctx, ptr, old_bytes, new_bytes, align);
  if (p || !new_bytes)
    tool_inputs.bytes += (uint64_t)new_bytes - (uint64_t)old_bytes;
  return p;
}

const weft_allocator *limits_allocator(void) {
  static const weft_allocator counts = {input_alloc, NULL};
  return &counts;
}

weft_status limits_explain(weft_status s, weft_diag *d) {
  if (s != WEFT_E_NOMEM || !tool_inputs.refused)
    return s;
  uint64_t refused = tool_inputs.refused;
  tool_inputs.refused = 0;
  weft_diag_clear(d);
  char taken[64] = "";
  if (tool_inputs.bytes)
    snprintf(taken, sizeof taken, "take %llu and ", (unsigned long long)tool_inputs.bytes);
  return weft_fail(d, WEFT_E_LIMIT, "the memory limit of %llu bytes is reached: inputs %sneed %llu%s",
                   (unsigned long long)limits_of_tool()->memory_limit_bytes, taken,
                   (unsigned long long)refused, *taken ? " more" : "");
}

void limits_hint(const weft_diag *d) {
  if (d->status != WEFT_E_LIMIT)
    return;
  if (strstr(d->text, "time limit")) {
    fprintf(stderr,
            "weft: --time SECONDS sets the time that each step may take (%g now%s); 0 lifts the limit\n",
            (double)tool_limits.v.time_limit_ns * 1e-9, tool_limits.time_given ? "" : ", the default");
  } else if (strstr(d->text, "memory limit") || strstr(d->text, "the limit is")) {
    fprintf(stderr, "weft: --memory BYTES sets what a model may use (%llu now%s); 0 lifts the limit\n",
            (unsigned long long)tool_limits.v.memory_limit_bytes,
            tool_limits.memory_given ? "" : ", three quarters of the memory of this machine");
  }
}
// SPDX-License-Identifier: Apache-2.0
