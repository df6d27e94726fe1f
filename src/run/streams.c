// streams.c - plans a segment for several streams: what each launch touches, which stream it runs on, the
// lifetimes of its values by launches, and the proof of the result. Streams of the host are used where the
// estimate says that they pay; launches of devices always have streams of their own.
#include "run/layout.h"

enum {
  ALONE_NS = 100,        // of a launch on one thread, beside the kernel
  BLOCKS_NS = 5000,      // of one whose blocks are cut over threads, and
  BLOCKS_PERCENT = 112,  // what cutting costs: caches, uneven ends
  SYNC_NS = 3000,        // of a wait between streams
  START_NS = 100000,     // of streams beside the first, once a run
  LEAST_NS = 300000,     // runs shorter than this keep one stream
  WORTH_PERCENT = 95,    // streams are used when the estimate falls to this
};

static weft_status streams_no_memory(const layout *y) {
  return weft_fail(y->x->d, WEFT_E_NOMEM, "out of memory");
}

// ---- what launches touch ----
static void streams_touch(layout *y, uint32_t step, uint32_t v, uint64_t at, uint64_t bytes, bool write) {
  uint32_t r = weft__layout_root(y, v);
  const weft__place *p = weft__layout_made(y, v) ? weft__layout_place(y, v) : NULL;
  if (!p || p->kind == WEFT__AT_CONST || p->kind == WEFT__AT_NONE)
    return;
  if (p->kind == WEFT__AT_VIEW && !write)  // the pointer that a VIEW launch sets
    y->access[y->n_accesses++] = (weft_access){.step = step, .space = y->f->n_values + v, .end = 1};
  if (!weft__layout_made(y, r))
    return;
  at += weft__layout_at(y, v);
  if (weft__layout_place(y, r)->kind == WEFT__AT_BOX) {
    at = 0;
    bytes = INT64_MAX;
  }
  if (bytes) {
    y->access[y->n_accesses++] =
        (weft_access){.step = step, .space = r, .begin = at, .end = at + bytes, .write = write};
  }
}

static void touch_value(layout *y, uint32_t step, uint32_t v, bool write) {
  streams_touch(y, step, v, 0, weft__tensor_of(y->x, y->s, v)->bytes, write);
}

// The value behind the one input, or output, of a launch that moves bytes.
static uint32_t input_of(const layout *y, const weft__launch *l) {
  const weft_node *n = y->f->node[l->node];
  for (uint32_t i = 0; i < n->desc.pub.n_in; i++) {
    uint32_t v = weft__local(y->x->program, n->in[i].value);
    if (weft__tensor_of(y->x, y->s, v) == l->call.in[0])
      return v;
  }
  return 0;
}
static uint32_t output_of(const layout *y, const weft__launch *l) {
  uint32_t v = y->f->first_out[l->node];
  while (v + 1 < y->f->first_out[l->node + 1] && y->s->tensor[v - y->s->v0] != l->call.out[0])
    v++;
  return v;
}

static void touch_launch(layout *y, uint32_t step, const weft__launch *l) {
  const weft_node *n = y->f->node[l->node];
  if (l->kind == WEFT__RUN_VIEW) {
    uint32_t from = input_of(y, l);
    uint32_t to = output_of(y, l);
    touch_value(y, step, from, false);
    y->access[y->n_accesses++] =
        (weft_access){.step = step, .space = y->f->n_values + to, .end = 1, .write = true};
  } else if (l->kind == WEFT__RUN_COPY) {
    touch_value(y, step, input_of(y, l), false);
    streams_touch(y, step, output_of(y, l), l->offset, l->call.in[0]->bytes, true);
  } else {
    for (uint32_t i = 0; i < n->desc.pub.n_in; i++)
      touch_value(y, step, weft__local(y->x->program, n->in[i].value), false);
    for (uint32_t v = y->f->first_out[l->node]; v < y->f->first_out[l->node + 1]; v++)
      touch_value(y, step, v, true);
  }
}

static weft_status touch_all(layout *y) {
  size_t n = 1;
  for (uint32_t k = 0; k < y->s->n_launches; k++) {
    const weft_op_desc *desc = &y->f->node[y->s->launch[k].node]->desc.pub;
    n += 2 * ((size_t)desc->n_in + desc->n_out + 1);
  }
  if (!(y->access = WEFT_NEW_N(y->mem, weft_access, n)))
    return streams_no_memory(y);
  for (uint32_t k = 0; k < y->s->n_launches; k++)
    touch_launch(y, k, &y->s->launch[k]);
  return WEFT_OK;
}

// ---- costs ----
static double bytes_of(const weft__launch *l) {
  double n = 0;
  for (uint32_t i = 0; i < l->call.n_in; i++)
    n += (double)l->call.in[i]->bytes;
  for (uint32_t i = 0; i < l->call.n_out; i++)
    n += (double)l->call.out[i]->bytes;
  return n;
}

// On `threads` of the host, or on the device.
static double streams_cost_of(const layout *y, const weft__launch *l, uint32_t threads) {
  if (l->device) {
    weft_device_properties p = {.size = sizeof p};
    y->x->program->device[l->device]->properties(&p);
    if (l->kind == WEFT__RUN_MOVE)
      return p.copy_ns + p.copy_ns_per_byte * (double)l->call.in[0]->bytes;
    return p.launch_ns + l->cost_ns;
  }
  if (l->kind == WEFT__RUN_VIEW)
    return 10;
  if (l->kind == WEFT__RUN_REF)
    return ALONE_NS + 2 * bytes_of(l);
  double cost = l->cost_ns > 0 ? l->cost_ns : bytes_of(l) / 8;
  uint32_t n = l->kind == WEFT__RUN_KERNEL ? WEFT_MIN(l->block.blocks, threads) : 1;
  if (n < 2)
    return ALONE_NS + cost;
  uint32_t rounds = (l->block.blocks + n - 1) / n;  // blocks that a thread does
  return BLOCKS_NS + cost * rounds / l->block.blocks * BLOCKS_PERCENT / 100;
}

static bool is_barrier(const layout *y, const weft__launch *l) {
  const weft_node *n = y->f->node[l->node];
  return !l->device && (l->kind == WEFT__RUN_CALL || n->controls ||
                        n->desc.proto->op->traits & (WEFT_SIDE_EFFECT | WEFT_RANDOM));
}

// ---- the plan ----
static weft_status fill_input(layout *y, uint32_t n_host, bool devices, weft_stream_input *in) {
  weft_exec *x = y->x;
  size_t n = (size_t)y->s->n_launches + 1;
  uint64_t *cost = WEFT_NEW_N(y->mem, uint64_t, n);
  uint8_t *lane = WEFT_NEW_N(y->mem, uint8_t, n);
  uint8_t *barrier = WEFT_NEW_N(y->mem, uint8_t, n);
  uint32_t *lanes = WEFT_NEW_N(y->mem, uint32_t, WEFT__DEVICES);
  if (!cost || !lane || !barrier || !lanes)
    return streams_no_memory(y);
  uint32_t threads = weft__pool_threads(x->pool);
  for (uint32_t k = 0; k < y->s->n_launches; k++) {
    const weft__launch *l = &y->s->launch[k];
    cost[k] = (uint64_t)WEFT_MIN(streams_cost_of(y, l, WEFT_MAX(1, threads / n_host)), 1e15);
    lane[k] = l->device;
    barrier[k] = is_barrier(y, l);
  }
  lanes[0] = n_host;
  for (uint32_t k = 1; k < x->program->n_devices; k++) {
    weft_device_properties p = {.size = sizeof p};
    x->program->device[k]->properties(&p);
    lanes[k] = WEFT_MAX(1, WEFT_MIN(WEFT_MIN(x->o.streams, p.streams), (uint32_t)WEFT__STREAMS));
  }
  *in = (weft_stream_input){.n_steps = y->s->n_launches,
                            .n_lanes = devices ? x->program->n_devices : 1,
                            .cost_ns = cost,
                            .lane = lane,
                            .barrier = barrier,
                            .lane_streams = lanes,
                            .access = y->access,
                            .n_accesses = y->n_accesses,
                            .sync_ns = x->o.streams_always ? 0 : SYNC_NS};
  return WEFT_OK;
}

// Launches by stream, and by the thread that makes them.
static weft_status make_lists(layout *y, weft__streams *t) {
  weft_arena *a = &y->s->mem;
  const weft_stream_plan *p = &t->plan;
  uint32_t n = y->s->n_launches;
  uint32_t at = 0;
  t->list = WEFT_NEW_N(a, uint32_t, (size_t)n + 1);
  t->nth = WEFT_NEW_N(a, uint32_t, (size_t)n + 1);
  t->first = WEFT_NEW_N(a, uint32_t, (size_t)t->n_host + 1);
  t->nth_first = WEFT_NEW_N(a, uint32_t, (size_t)p->n_streams + 1);
  t->on = WEFT_NEW_N(a, uint32_t, p->n_streams);
  t->event = WEFT_NEW_N(a, void *, (size_t)n + 1);
  t->times = WEFT_NEW_N(a, weft_device_times, (size_t)n + 1);
  if (!t->list || !t->nth || !t->first || !t->nth_first || !t->on || !t->event || !t->times)
    return streams_no_memory(y);
  for (uint32_t s = 0; s < t->n_host; s++) {
    t->first[s] = at;
    for (uint32_t k = 0; k < n; k++) {
      if (p->stream[k] == s || (!s && p->stream[k] >= t->n_host))
        t->list[at++] = k;
    }
  }
  t->first[t->n_host] = at;
  for (uint32_t s = 0; s < p->n_streams; s++) {
    t->nth_first[s + 1] = t->nth_first[s] + p->length[s];
    t->on[s] = s && p->lane_of[s] == p->lane_of[s - 1] ? t->on[s - 1] + 1 : 0;
  }
  for (uint32_t k = 0; k < n; k++)
    t->nth[t->nth_first[p->stream[k]] + p->position[k] - 1] = k;
  return WEFT_OK;
}

weft_status weft__layout_streams(layout *y) {
  weft_exec *x = y->x;
  bool devices = false;
  for (uint32_t k = 0; k < y->s->n_launches; k++)
    devices |= y->s->launch[k].device != 0;
  uint32_t n_host = devices ? 1 : x->n_streams;
  if (!devices && (n_host < 2 || y->s->n_launches < 2))
    return WEFT_OK;
  weft_stream_input in;
  WEFT_TRY(touch_all(y));
  WEFT_TRY(fill_input(y, n_host, devices, &in));
  weft__streams *t = WEFT_NEW(&y->s->mem, weft__streams);
  if (!t)
    return streams_no_memory(y);
  WEFT_TRY(weft__plan_streams(&in, &y->s->mem, &t->plan, x->d));
  uint32_t threads = weft__pool_threads(x->pool);
  for (uint32_t k = 0; k < y->s->n_launches; k++)
    t->serial_ns += streams_cost_of(y, &y->s->launch[k], threads);
  t->finish_ns = (double)t->plan.finish_ns + (n_host > 1 ? START_NS : 0);
  t->n_host = n_host;
  bool spread = false;
  for (uint32_t s = 1; s < t->plan.n_streams; s++)
    spread |= t->plan.length[s] != 0;
  bool pays = t->serial_ns >= LEAST_NS && t->finish_ns * 100 <= t->serial_ns * WORTH_PERCENT;
  if (!devices && !(spread && (x->o.streams_always || pays)))
    return WEFT_OK;
  WEFT_TRY(make_lists(y, t));
  y->s->streams = t;
  return weft__streams_make(x, y->s);
}

// ---- lifetimes ----
uint32_t weft__layout_more_spans(const layout *y) {
  uint32_t n = 0;
  if (y->x->n_streams < 2 && !y->f->device)
    return 0;
  for (uint32_t k = 0; k < y->s->n_launches; k++)
    n += y->f->node[y->s->launch[k].node]->desc.pub.n_out + 1;
  return n;
}

static const uint32_t *clock_of(const layout *y, uint32_t step) {
  return y->s->streams->plan.clock + (size_t)step * y->s->streams->plan.n_streams;
}

static bool after(const uint32_t *a, const uint32_t *b, uint32_t n) {
  for (uint32_t k = 0; k < n; k++) {
    if (a[k] < b[k])
      return false;
  }
  return true;
}

static void add_writer(layout *y, uint32_t span, uint32_t step) {
  const weft_stream_plan *p = &y->s->streams->plan;
  uint32_t i = y->n_spans + y->n_more++;
  y->span[i] = (weft_span){.bytes = y->span[span].bytes, .first = step, .into = span, .fixed = -1};
  y->span[i].name = y->span[span].name;
  y->space_of[i] = y->space_of[span];
  y->span_of[i] = y->value_of[i] = WEFT__UNREAD;
  y->uses[(size_t)i * p->n_streams + p->stream[step]] = p->position[step];
}

static void spans_of_accesses(layout *y, const uint32_t *span_by_value) {
  const weft_stream_plan *p = &y->s->streams->plan;
  for (uint32_t i = 0; i < y->n_accesses; i++) {
    const weft_access *a = &y->access[i];
    uint32_t k = a->space < y->f->n_values ? span_by_value[a->space] : WEFT__UNREAD;
    if (k == WEFT__UNREAD)
      continue;
    uint32_t *use = &y->uses[(size_t)k * p->n_streams + p->stream[a->step]];
    *use = WEFT_MAX(*use, p->position[a->step]);
    if (!a->write || y->span[k].fixed >= 0)
      continue;
    if (y->span[k].first == WEFT__UNREAD)
      y->span[k].first = a->step;
    else if (!after(clock_of(y, a->step), clock_of(y, y->span[k].first), p->n_streams))
      add_writer(y, k, a->step);
  }
}

weft_status weft__layout_stream_spans(layout *y) {
  const weft_stream_plan *p = &y->s->streams->plan;
  uint32_t end = y->s->n_launches;
  uint32_t room = y->n_spans + weft__layout_more_spans(y);
  uint32_t at = 0;
  uint32_t *by_value = WEFT_NEW_N(y->mem, uint32_t, (size_t)y->f->n_values + 1);
  y->uses = WEFT_NEW_N(y->mem, uint32_t, ((size_t)room + 1) * p->n_streams);
  if (!by_value || !y->uses)
    return streams_no_memory(y);
  memset(by_value, 0xff, ((size_t)y->f->n_values + 1) * sizeof *by_value);
  memcpy(p->clock + (size_t)end * p->n_streams, p->length, p->n_streams * sizeof *p->clock);
  for (uint32_t i = 0; i < y->n_spans; i++) {
    if (y->value_of[i] == WEFT__UNREAD)
      continue;
    by_value[y->value_of[i]] = i;
    y->span[i].first = y->span[i].fixed >= 0 ? 0 : WEFT__UNREAD;
  }
  spans_of_accesses(y, by_value);
  for (uint32_t i = 0; i < y->n_spans; i++) {
    uint32_t v = y->value_of[i];
    uint32_t *use = &y->uses[(size_t)i * p->n_streams];
    if (v == WEFT__UNREAD)
      continue;
    if (y->span[i].first == WEFT__UNREAD) {
      y->span[i].first = end;
      use[0] = p->length[0] + 1;
    }
    if (y->until[v] >= y->s->end || y->span[i].fixed >= 0)
      use[0] = p->length[0] + 1;
  }
  while (at < y->n_spans && y->value_of[at] != WEFT__UNREAD)
    at++;  // workspaces come last
  for (uint32_t k = 0; k < end; k++) {
    for (uint32_t i = 0; i < y->s->launch[k].n_workspaces; i++, at++) {
      y->span[at].first = k;
      y->uses[(size_t)at * p->n_streams + p->stream[k]] = p->position[k];
    }
  }
  return WEFT_OK;
}

// ---- offsets ----
weft_plan_input weft__layout_input(const layout *y) {
  const weft__streams *t = y->s->streams;
  weft_plan_input in = {
      .span = y->span, .n_spans = y->n_spans + y->n_more, .n_steps = y->s->end - y->s->first + 1};
  if (t) {
    in.n_steps = y->s->n_launches + 1;
    in.n_streams = t->plan.n_streams;
    in.clock = t->plan.clock;
    in.uses = y->uses;
  }
  return in;
}

static weft_status plan_space(layout *y, uint8_t space, weft_plan_result *out) {
  weft_plan_input in = weft__layout_input(y);
  uint32_t n = in.n_spans;
  uint32_t streams = y->s->streams ? in.n_streams : 0;
  uint32_t k = 0;
  weft_span *span = WEFT_NEW_N(y->mem, weft_span, (size_t)n + 1);
  uint32_t *now = WEFT_NEW_N(y->mem, uint32_t, (size_t)n + 1);
  uint32_t *uses = WEFT_NEW_N(y->mem, uint32_t, ((size_t)n + 1) * WEFT_MAX(streams, 1));
  if (!span || !now || !uses)
    return streams_no_memory(y);
  for (uint32_t i = 0; i < n; i++) {
    if (y->space_of[i] != space)
      continue;
    if (streams)
      memcpy(uses + (size_t)k * streams, y->uses + (size_t)i * streams, streams * sizeof *uses);
    span[k] = y->span[i];
    now[i] = k++;
    if (y->span[i].into != WEFT_NO_SPAN)
      span[k - 1].into = now[y->span[i].into];
  }
  in.span = span;
  in.n_spans = k;
  if (streams)
    in.uses = uses;
  WEFT_TRY(weft__plan_memory(&in, &y->x->cache->counted, out, y->x->d));
  for (uint32_t i = 0; i < n; i++) {
    if (y->space_of[i] == space)
      y->span[i].offset = span[now[i]].offset;
  }
  return WEFT_OK;
}

weft_status weft__layout_plan(layout *y) {
  weft_plan_input in = weft__layout_input(y);
  if (!y->f->device)
    return weft__plan_memory(&in, &y->x->cache->counted, &y->s->plan, y->x->d);
  for (uint8_t k = 0; k < y->x->program->n_devices; k++) {
    weft_plan_result r;
    WEFT_TRY(plan_space(y, k, &r));
    if (k) {
      y->s->device_bytes[k] = r.peak_bytes;
      y->peak_step[k] = r.peak_step;
    } else
      y->s->plan = r;
  }
  return WEFT_OK;
}

// ---- the proof ----
weft_status weft__layout_races(const layout *y) {
  const weft__streams *t = y->s->streams;
  size_t n = (size_t)y->n_accesses + 1;
  size_t at = 0;
  uint32_t outs = WEFT__DEVICES;
  uint32_t boxes = outs + y->f->n_out;
  uint32_t heads = boxes;
  for (uint32_t k = 0; k < y->s->n_launches; k++)
    n += y->s->launch[k].n_workspaces;
  weft_access *final = WEFT_NEW_N(y->mem, weft_access, n);
  if (!final)
    return streams_no_memory(y);
  for (uint32_t i = 0; i < y->n_accesses; i++) {
    weft_access a = y->access[i];
    const weft__place *p = a.space < y->f->n_values ? weft__layout_place(y, a.space) : NULL;
    uint64_t from = p && p->kind != WEFT__AT_BOX ? p->offset : 0;
    a.space = !p || p->kind == WEFT__AT_BOX ? heads + a.space
              : p->kind == WEFT__AT_OUTPUT  ? outs + p->output
                                            : p->space;
    a.begin += from;
    a.end += from;
    final[at++] = a;
  }
  uint32_t span = 0;
  while (span < y->n_spans && y->value_of[span] != WEFT__UNREAD)
    span++;  // workspaces come last
  for (uint32_t k = 0; k < y->s->n_launches; k++) {
    const weft__launch *l = &y->s->launch[k];
    for (uint32_t i = 0; i < l->n_workspaces; i++, span++) {
      final[at++] = (weft_access){.step = k,
                                  .space = l->device,
                                  .begin = l->workspace_at[i],
                                  .end = l->workspace_at[i] + y->span[span].bytes,
                                  .write = true};
    }
  }
  weft_status s = weft__plan_races(final, (uint32_t)at, &t->plan, y->mem, y->x->d);
  if (s)
    weft_note(y->x->d, "in the plan of '%s': streams are at fault", y->f->graph->name);
  return s;
}
// SPDX-License-Identifier: Apache-2.0
