// trace.c - the last run in Chrome's trace event format.
#include "run/run.h"

static weft_status quoted(weft_write_fn write, void *ctx, const char *text) {
  return weft__write_quoted(write, ctx, text ? text : "", text ? strlen(text) : 0);
}

weft_status weft_exec_write_trace(const weft_exec *x, weft_write_fn write, void *ctx) {
  WEFT_TRY(weft__writef(write, ctx, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"));
  for (size_t i = 0; i < x->records.n; i++) {
    const weft_launch_record *r = &x->records.v[i];
    WEFT_TRY(weft__writef(write, ctx,
                          "%s{\"ph\":\"X\",\"pid\":%d,\"tid\":%u,\"ts\":%.3f,\"dur\":%.3f,\"name\":",
                          i ? ",\n" : "", strcmp(r->device, "cpu") ? 2 : 1, r->stream,
                          (double)r->begin_ns / 1e3, (double)(r->end_ns - r->begin_ns) / 1e3));
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
