// trace.c - the last run in Chrome's trace event format: the CPU is process 1, other devices are process 2, a
// stream is a thread. Metadata events name both.
#include "run/run.h"

// What the exec keeps is as large as this weft's records; a caller with another header gets a copy.
static const void *records_as(weft_exec *x, size_t record_bytes) {
  const weft_allocator *a = &x->cache->counted;
  size_t bytes;
  if (!weft_mul_size(x->records.n, record_bytes, &bytes))
    return NULL;
  weft__free(a, x->records_as, x->records_as_bytes, 16);
  x->records_as_bytes = bytes;
  x->records_as = weft__alloc(a, bytes, 16);
  if (!x->records_as)
    return NULL;
  memset(x->records_as, 0, bytes);
  for (size_t i = 0; i < x->records.n; i++) {
    weft__sized_fill((char *)x->records_as + i * record_bytes, record_bytes, &x->records.v[i],
                     sizeof x->records.v[i]);
  }
  return x->records_as;
}

size_t weft_exec_profile_sized(const weft_exec *x, const weft_launch_record **out, size_t record_bytes) {
  if (!x || !out)
    return 0;
  *out = x->records.v;
  if (record_bytes == sizeof **out || !x->records.n)
    return x->records.n;
  *out = records_as((weft_exec *)(uintptr_t)x, record_bytes);
  return *out ? x->records.n : 0;
}

static weft_status quoted(weft_write_fn write, void *ctx, const char *text) {
  return weft__write_quoted(write, ctx, text ? text : "", text ? strlen(text) : 0);
}

enum { CPU = 1, OTHER };

static int process_of(const weft_launch_record *r) {
  return strcmp(r->device, "cpu") ? OTHER : CPU;
}

static weft_status write_name(weft_write_fn write, void *ctx, const char *what, int pid, uint32_t tid,
                              const char *name) {
  WEFT_TRY(weft__writef(
      write, ctx, "{\"ph\":\"M\",\"pid\":%d,\"tid\":%u,\"name\":\"%s\",\"args\":{\"name\":", pid, tid, what));
  WEFT_TRY(quoted(write, ctx, name));
  return weft__writef(write, ctx, "}},\n");
}

// The process and its streams, as far as something was launched there.
static weft_status write_names(const weft_exec *x, int pid, weft_write_fn write, void *ctx) {
  const char *device = NULL;
  uint32_t streams = 0;
  char name[32];
  for (size_t i = 0; i < x->records.n; i++) {
    const weft_launch_record *r = &x->records.v[i];
    if (process_of(r) != pid)
      continue;
    if (!device)
      device = r->device;
    streams = WEFT_MAX(streams, r->stream + 1);
  }
  if (device)
    WEFT_TRY(write_name(write, ctx, "process_name", pid, 0, device));
  for (uint32_t i = 0; i < streams; i++) {
    snprintf(name, sizeof name, "stream %u", i);
    WEFT_TRY(write_name(write, ctx, "thread_name", pid, i, name));
  }
  return WEFT_OK;
}

weft_status weft_exec_write_trace(const weft_exec *x, weft_write_fn write, void *ctx) {
  WEFT_NEED(NULL, x);
  WEFT_NEED(NULL, write);
  WEFT_TRY(weft__writef(write, ctx, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"));
  for (int pid = CPU; pid <= OTHER; pid++)
    WEFT_TRY(write_names(x, pid, write, ctx));
  for (size_t i = 0; i < x->records.n; i++) {
    const weft_launch_record *r = &x->records.v[i];
    WEFT_TRY(weft__writef(
        write, ctx,
        "%s{\"ph\":\"X\",\"pid\":%d,\"tid\":%u,\"ts\":%.3f,\"dur\":%.3f,\"name\":", i ? ",\n" : "",
        process_of(r), r->stream, (double)r->begin_ns / 1e3, (double)(r->end_ns - r->begin_ns) / 1e3));
    WEFT_TRY(quoted(write, ctx, r->node));
    WEFT_TRY(weft__writef(write, ctx, ",\"cat\":"));
    WEFT_TRY(quoted(write, ctx, r->type));
    WEFT_TRY(weft__writef(write, ctx, ",\"args\":{\"kernel\":"));
    WEFT_TRY(quoted(write, ctx, r->kernel));
    WEFT_TRY(weft__writef(write, ctx, ",\"device\":"));
    WEFT_TRY(quoted(write, ctx, r->device));
    WEFT_TRY(weft__writef(write, ctx, ",\"source\":"));
    WEFT_TRY(quoted(write, ctx, r->source));
    WEFT_TRY(
        weft__writef(write, ctx, ",\"bytes\":%llu,\"depth\":%u}}", (unsigned long long)r->bytes, r->depth));
  }
  return weft__writef(write, ctx, "\n]}\n");
}
// SPDX-License-Identifier: Apache-2.0
