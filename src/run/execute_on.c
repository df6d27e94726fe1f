// execute_on.c - nodes on a device that allocate their outputs. An execute function runs on the host, on the
// thread that hands over launches; its outputs and workspaces are memory of the device, its launches go to
// the stream of the node. A kernel that finds shapes writes them to a buffer there, which is brought to the
// host.
#include "run/run.h"

typedef struct place {
  weft__open *open;
  void *stream;
  const char *node;
  weft_device_times *first, *last;  // of its launches; NULL: nobody asks
  bool began;
} place;

static void *device_alloc(void *ctx, void *p, size_t old_bytes, size_t bytes, size_t align) {
  const weft__open *o = ctx;
  weft_diag quiet = {0};
  void *at = NULL;
  (void)old_bytes;
  (void)align;
  if (!bytes)
    return o->v->free(o->dev, p), NULL;
  return p || o->v->alloc(o->dev, bytes, &at, &quiet) ? NULL : at;  // what is there never grows
}

static weft_status launch(void *ctx, const weft_call_launch *l, weft_diag *d) {
  place *p = ctx;
  const weft__open *o = p->open;
  weft_device_launch on = {
      .size = sizeof on,
      .n_args = l->n_args,
      .phases = 1,
      .block = {.size = sizeof on.block, .blocks = l->blocks, .data = l->data, .arg = l->arg},
      .run = l->run,
      .name = l->name,
      .cost_ns = l->cost_ns,
      .times = p->began ? p->last : p->first,
      .node = p->node};
  p->began = true;
  return o->v->launch(o->dev, p->stream, &on, d);
}

static weft_status sync(void *ctx, weft_diag *d) {
  const place *p = ctx;
  return p->open->v->stream_sync(p->open->dev, p->stream, d);
}

static weft_status copy_out(void *ctx, void *to, const void *from, size_t bytes, weft_diag *d) {
  const place *p = ctx;
  WEFT_TRY(p->open->v->copy_out(p->open->dev, p->stream, to, from, bytes, NULL, d));
  return sync(ctx, d);
}

weft_status weft__find_on(const weft_exec *x, const weft__call_device *on, const weft__launch *l,
                          weft_diag *d) {
  place *p = on->ctx;
  const weft__open *o = p->open;
  weft_device_launch find = weft__launch_for_device(x, l, p->first);
  find.block.shape_out = l->block.workspace[l->shape_at];
  WEFT_TRY(o->v->launch(o->dev, p->stream, &find, d));
  WEFT_TRY(sync(p, d));
  return copy_out(p, l->block.shape_out, find.block.shape_out, l->workspace_bytes[l->shape_at], d);
}

weft_status weft__execute_on(weft_exec *x, weft__seg *s, weft__launch *l, weft__open *o, void *stream,
                             weft_device_times *times) {
  weft_device_times last = {0, 0};
  place p = {.open = o,
             .stream = stream,
             .node = weft__node_name(x->fn->node[l->node]),
             .first = times,
             .last = times ? &last : NULL};
  weft__call_device on = {.name = o->v->name,
                          .memory = {device_alloc, o},
                          .ctx = &p,
                          .launch = launch,
                          .sync = sync,
                          .copy_out = copy_out};
  if (times)
    *times = last;
  weft_status status = weft__launch_call(x, s, l, &on);
  if (times && last.end_ns)
    times->end_ns = last.end_ns;
  return status;
}
// SPDX-License-Identifier: Apache-2.0
