// run_streams.c - runs a segment on several streams: stream 0 on the caller's thread, the others as tasks of
// the pool, launches of devices handed over by stream 0. A stream that fails stops the others at their next
// launch; the segment ends when all are at their end and the devices have done what they were given. Nothing
// is allocated.
#include "run/run.h"
#include "base/allocated.h"

#define ALL_DONE ((uint32_t)INT32_MAX)

// ---- making and destroying ----
static weft_status open_devices(weft_exec *x, weft_diag *d) {
  const weft_allocator *a = &x->cache->counted;
  weft_device_setup setup = {.size = sizeof setup, .host = &x->env->host, .alloc = *a};
  x->open = weft__alloc(a, WEFT__DEVICES * sizeof *x->open, 16);
  WEFT_TRY(weft__allocated(x->open, d));
  memset(x->open, 0, WEFT__DEVICES * sizeof *x->open);
  for (uint32_t k = 1; k < x->program->n_devices; k++) {
    const weft_device *v = x->program->device[k];
    WEFT_TRY(v->open(&setup, &x->open[k].dev, d));
    x->open[k].v = v;
  }
  return WEFT_OK;
}

static weft_status make_own(weft_exec *x, uint32_t stream, weft_diag *d) {
  weft__own *n = weft__alloc(&x->cache->counted, sizeof *n, 64);
  WEFT_TRY(weft__allocated(n, d));
  memset(n, 0, sizeof *n);
  weft__cache_init(&n->cache, &x->cache->system, &x->budget);
  n->options = (weft_call_options){.budget = &x->budget, .alloc = &n->cache.tensors};
  weft__call_begin(&n->state, x->env, NULL, &n->options);
  x->own[stream] = n;
  return WEFT_OK;
}

weft_status weft__streams_init(weft_exec *x, weft_diag *d) {
  const weft_allocator *a = &x->cache->counted;
  uint32_t n = x->pool && !x->env->options.parallel ? weft__pool_threads(x->pool) : 1;
  x->n_streams = WEFT_MAX(1, WEFT_MIN(WEFT_MIN(n, x->o.streams), (uint32_t)WEFT__STREAMS));
  if (x->program->n_devices > 1) {
    x->n_streams = 1;
    WEFT_TRY(open_devices(x, d));
  }
  if (x->n_streams < 2 && !x->open)
    return WEFT_OK;
  x->lane = weft__alloc(a, WEFT__STREAMS * sizeof *x->lane, 64);
  if (x->lane)
    memset(x->lane, 0, WEFT__STREAMS * sizeof *x->lane);
  x->own = weft__alloc(a, WEFT__STREAMS * sizeof *x->own, 16);
  if (x->own)
    memset(x->own, 0, WEFT__STREAMS * sizeof *x->own);
  WEFT_TRY(weft__allocated(x->lane && x->own, d));
  for (uint32_t k = 1; k < x->n_streams; k++)
    WEFT_TRY(make_own(x, k, d));
  return WEFT_OK;
}

void weft__streams_deinit(weft_exec *x) {
  const weft_allocator *a = &x->cache->counted;
  for (uint32_t k = 0; x->own && k < WEFT__STREAMS; k++) {
    if (!x->own[k])
      continue;
    weft__cache_deinit(&x->own[k]->cache);
    weft__free(a, x->own[k], sizeof *x->own[k], 64);
  }
  weft__free(a, x->own, WEFT__STREAMS * sizeof *x->own, 16);
  weft__free(a, x->lane, WEFT__STREAMS * sizeof *x->lane, 64);
  for (uint32_t k = 1; x->open && k < WEFT__DEVICES; k++) {
    weft__open *o = &x->open[k];
    if (!o->v)
      continue;
    for (uint32_t s = 0; s < WEFT__STREAMS; s++) {
      if (o->stream[s])
        o->v->stream_destroy(o->dev, o->stream[s]);
    }
    o->v->close(o->dev);
    WEFT_VEC_FREE(a, o->uploads);
  }
  weft__free(a, x->open, WEFT__DEVICES * sizeof *x->open, 16);
  x->own = NULL;
  x->lane = NULL;
  x->open = NULL;
}

static void *stream_of(const weft_exec *x, const weft__seg *s, uint32_t launch) {
  const weft__streams *t = s->streams;
  return x->open[s->launch[launch].device].stream[t->on[t->plan.stream[launch]]];
}

weft_status weft__streams_make(weft_exec *x, weft__seg *s) {
  weft__streams *t = s->streams;
  for (uint32_t k = 0; k < s->n_launches; k++) {
    if (!s->launch[k].device)
      continue;
    weft__open *o = &x->open[s->launch[k].device];
    void **stream = &o->stream[t->on[t->plan.stream[k]]];
    if (!*stream)
      WEFT_TRY(o->v->stream_create(o->dev, stream, x->d));
    if (t->plan.signal[k])
      WEFT_TRY(o->v->event_create(o->dev, &t->event[k], x->d));
  }
  return WEFT_OK;
}

void weft__streams_free(weft_exec *x, weft__seg *s) {
  if (!x->open)
    return;
  for (uint32_t k = 0; s->streams && s->streams->event && k < s->n_launches; k++) {
    const weft__open *o = &x->open[s->launch[k].device];
    if (s->streams->event[k])
      o->v->event_destroy(o->dev, s->streams->event[k]);
  }
  for (size_t i = 0; i < s->uploads.n; i++) {
    const weft__open *o = &x->open[s->uploads.v[i].device];
    o->v->free(o->dev, s->uploads.v[i].at);
  }
  WEFT_VEC_FREE(&x->cache->counted, s->uploads);
}

// ---- memory of devices ----
static weft_status copy_now(weft__open *o, void *to, const void *from, size_t bytes, bool in, weft_diag *d) {
  if (!o->stream[0])
    WEFT_TRY(o->v->stream_create(o->dev, &o->stream[0], d));
  if (in)
    WEFT_TRY(o->v->copy_in(o->dev, o->stream[0], to, from, bytes, NULL, d));
  else
    WEFT_TRY(o->v->copy_out(o->dev, o->stream[0], to, from, bytes, NULL, d));
  return o->v->stream_sync(o->dev, o->stream[0], d);
}

// What segments before left there is still needed: it goes by way of the host.
static weft_status grow(weft_exec *x, weft__open *o, size_t bytes) {
  const weft_allocator *a = &x->cache->counted;
  void *to;
  void *keep = NULL;
  if (o->arena_bytes) {
    keep = weft__alloc(a, o->arena_bytes, 64);
    WEFT_TRY(weft__allocated(keep, x->d));
  }
  weft_status s = keep ? copy_now(o, keep, o->arena, o->arena_bytes, false, x->d) : WEFT_OK;
  bool fits = weft__budget_charge(&x->root->budget, bytes - o->arena_bytes);
  if (!s && !fits)
    s = weft_fail(x->d, WEFT_E_NOMEM, "no memory for %zu bytes on a device", bytes);
  if (!s)
    s = o->v->alloc(o->dev, bytes, &to, x->d);
  if (s && fits)
    weft__budget_release(&x->root->budget, bytes - o->arena_bytes);
  if (!s && keep)
    s = copy_now(o, to, keep, o->arena_bytes, true, x->d);
  weft__free(a, keep, o->arena_bytes, 64);
  WEFT_TRY(s);
  o->v->free(o->dev, o->arena);
  x->root->live_bytes += bytes - o->arena_bytes;
  x->root->stats.peak_bytes = WEFT_MAX(x->root->stats.peak_bytes, x->root->live_bytes);
  o->arena = to;
  o->arena_bytes = bytes;
  x->generation++;
  return WEFT_OK;
}

weft_status weft__streams_arenas(weft_exec *x, const weft__seg *s) {
  for (uint32_t k = 1; k < x->program->n_devices; k++) {
    if (s->device_bytes[k] > x->open[k].arena_bytes || (s->streams && !x->open[k].arena))
      WEFT_TRY(grow(x, &x->open[k], (size_t)WEFT_MAX(s->device_bytes[k], 64)));
  }
  return WEFT_OK;
}

weft_status weft__upload_of(weft_exec *x, weft__seg *s, uint8_t device, const weft_tensor *t, bool whole_run,
                            const void **out) {
  weft__open *o = &x->open[device];
  const weft_allocator *a = &x->cache->counted;
  void *at;
  for (size_t i = 0; whole_run && i < o->uploads.n; i++) {
    if (o->uploads.v[i].of == t)
      return *out = o->uploads.v[i].at, WEFT_OK;
  }
  if (whole_run ? !WEFT_VEC_ROOM(a, o->uploads) : !WEFT_VEC_ROOM(a, s->uploads))
    return weft_fail(x->d, WEFT_E_NOMEM, "out of memory");
  WEFT_TRY(o->v->alloc(o->dev, t->bytes, &at, x->d));
  weft__upload u = {t, device, at};
  if (whole_run)
    o->uploads.v[o->uploads.n++] = u;
  else
    s->uploads.v[s->uploads.n++] = u;
  *out = at;
  return t->bytes ? copy_now(o, at, t->data, t->bytes, true, x->d) : WEFT_OK;
}

// ---- one launch ----
static bool stopped(const weft_exec *x) {
  return __atomic_load_n(&x->stop, __ATOMIC_RELAXED) != 0;
}

static weft_status wait_for(weft__lane *n, uint32_t launch) {
  weft_exec *x = n->x;
  const weft__streams *t = n->s->streams;
  uint32_t lane = n->s->launch[launch].device;
  for (uint32_t i = t->plan.first_wait[launch]; i < t->plan.first_wait[launch + 1]; i++) {
    weft_wait w = t->plan.wait[i];
    uint32_t on = t->nth[t->nth_first[w.stream] + w.count - 1];
    uint32_t from = n->s->launch[on].device;
    const weft__open *o = from ? &x->open[from] : NULL;
    if (!from)
      weft__event_wait(&x->lane[w.stream].done, w.count);
    else if (from == lane)
      WEFT_TRY(o->v->event_wait(o->dev, stream_of(x, n->s, launch), t->event[on], n->d));
    else
      WEFT_TRY(o->v->event_sync(o->dev, t->event[on], n->d));
  }
  return WEFT_OK;
}

// An execute function waits for its stream: failures of launches before it are not its own.
static weft_status run_streams_settle(weft__lane *n, uint32_t launch) {
  const weft__launch *l = &n->s->launch[launch];
  const weft__open *o = &n->x->open[l->device];
  weft_status status = o->v->stream_sync(o->dev, stream_of(n->x, n->s, launch), n->d);
  if (status) {
    weft_note(n->d, "on stream %u of device '%s', before node '%s'",
              n->s->streams->on[n->s->streams->plan.stream[launch]], o->v->name,
              weft__node_name(n->x->fn->node[l->node]));
  }
  return status;
}

static weft_status hand_over(weft__lane *n, uint32_t launch) {
  weft_exec *x = n->x;
  weft__launch *l = &n->s->launch[launch];
  const weft__open *o = &x->open[l->device];
  void *stream = stream_of(x, n->s, launch);
  weft_device_times *times = x->o.profile ? &n->s->streams->times[launch] : NULL;
  const weft_tensor *in = l->call.n_in ? l->call.in[0] : NULL;
  if (l->kind == WEFT__RUN_MOVE) {
    if (in->bytes && l->to_host)
      return o->v->copy_out(o->dev, stream, l->call.out[0]->data, in->data, in->bytes, times, n->d);
    return in->bytes ? o->v->copy_in(o->dev, stream, l->call.out[0]->data, in->data, in->bytes, times, n->d)
                     : WEFT_OK;
  }
  if (l->kind == WEFT__RUN_CALL)
    return weft__execute_on(x, n->s, l, &x->open[l->device], stream, times);
  const weft_device_launch on = weft__launch_for_device(x, l, times);
  return o->v->launch(o->dev, stream, &on, n->d);
}

// The values of a launch, for the watcher; those on a device are brought to the host.
static weft_status watch(weft__lane *n, uint32_t launch) {
  weft_exec *x = n->x;
  const weft__launch *l = &n->s->launch[launch];
  const weft_node *node = x->fn->node[l->node];
  if (l->device)
    WEFT_TRY(x->open[l->device].v->stream_sync(x->open[l->device].dev, stream_of(x, n->s, launch), n->d));
  for (uint32_t k = 0; k < node->desc.pub.n_out; k++) {
    uint32_t v = x->fn->first_out[l->node] + k;
    const weft__place *p = &n->s->place[v - n->s->v0];
    weft_tensor t = *weft__tensor_of(x, n->s, v);
    void *copy = NULL;
    if (p->space && t.bytes) {
      copy = weft__alloc(&x->cache->self, t.bytes, 64);
      WEFT_TRY(weft__allocated(copy, n->d));
      weft_status s = copy_now(&x->open[p->space], copy, t.data, t.bytes, false, n->d);
      t.data = copy;
      t.owned = 0;
      t.placement = WEFT_ON_HOST;
      if (!s)
        s = weft__show(x, &node->out[k], &t);
      weft__free(&x->cache->self, copy, t.bytes, 64);
      WEFT_TRY(s);
      continue;
    }
    WEFT_TRY(weft__show(x, &node->out[k], weft__tensor_of(x, n->s, v)));
  }
  return WEFT_OK;
}

static weft_status run_streams_step(weft__lane *n, uint32_t launch) {
  weft_exec *x = n->x;
  weft__seg *s = n->s;
  weft__streams *t = s->streams;
  weft__launch *l = &s->launch[launch];
  WEFT_TRY(wait_for(n, launch));
  if (stopped(x))
    return WEFT_OK;
  WEFT_TRY(weft__launch_may(x, l, n->d));
  if (l->device && l->kind == WEFT__RUN_CALL)
    WEFT_TRY(run_streams_settle(n, launch));
  if (l->device) {
    weft_status status =
        l->kind == WEFT__RUN_VIEW ? weft__launch_run(x, s, l, n->state, n->d) : hand_over(n, launch);
    if (status)
      return weft__launch_failed(x, l, status, n->d);
    const weft__open *o = &x->open[l->device];
    if (t->event[launch])
      WEFT_TRY(o->v->event_record(o->dev, stream_of(x, s, launch), t->event[launch], n->d));
  } else {
    uint64_t begin = x->o.profile ? weft__now_ns() - x->begin_ns : 0;
    WEFT_TRY(weft__launch_run(x, s, l, n->state, n->d));
    if (x->o.profile)
      t->times[launch] = (weft_device_times){begin, weft__now_ns() - x->begin_ns};
    if (t->plan.signal[launch])
      weft__event_set(&n->done, t->plan.position[launch]);
  }
  return x->o.watch ? watch(n, launch) : WEFT_OK;
}

static void run_lane(void *ctx) {
  weft__lane *n = ctx;
  const weft__streams *t = n->s->streams;
  for (uint32_t i = t->first[n->stream]; i < t->first[n->stream + 1] && !stopped(n->x); i++) {
    n->status = run_streams_step(n, t->list[i]);
    if (!n->status)
      continue;
    n->failed = t->list[i];
    __atomic_store_n(&n->x->stop, 1, __ATOMIC_RELAXED);
    break;
  }
  weft__event_set(&n->done, ALL_DONE);
}

// ---- a segment ----
static void set_lane(weft_exec *x, weft__seg *s, uint32_t stream) {
  weft__lane *n = &x->lane[stream];
  n->x = x;
  n->s = s;
  n->stream = stream;
  n->status = WEFT_OK;
  n->done.value = 0;
  n->state = stream ? &x->own[stream]->state : &x->state;
  n->d = stream ? &x->own[stream]->diag : x->d;
  n->task = (weft_task){.fn = run_lane, .ctx = n};
  if (stream)
    weft_diag_clear(n->d);
}

static weft_status run_lanes(weft_exec *x, weft__seg *s) {
  const weft__streams *t = s->streams;
  weft_status status = WEFT_OK;
  uint32_t started = 1;
  x->stop = 0;
  for (uint32_t k = 0; k < t->n_host; k++)
    set_lane(x, s, k);
  for (; !status && started < t->n_host; started++)
    status = weft__pool_start(x->pool, &x->lane[started].task, x->d);
  if (status) {
    started--;
    __atomic_store_n(&x->stop, 1, __ATOMIC_RELAXED);
    for (uint32_t k = started; k < t->n_host; k++)
      weft__event_set(&x->lane[k].done, ALL_DONE);
  }
  run_lane(&x->lane[0]);
  for (uint32_t k = 1; k < started; k++)
    weft__pool_wait(x->pool, &x->lane[k].task);
  const weft__lane *first = NULL;  // of those that failed: the earliest launch
  for (uint32_t k = 0; k < started; k++) {
    if (x->lane[k].status && (!first || x->lane[k].failed < first->failed))
      first = &x->lane[k];
  }
  if (status || !first)
    return status;
  if (first->stream) {
    weft_diag_clear(x->d);
    weft_fail(x->d, first->status, "%s", first->d->text);
  }
  return first->status;
}

static weft_status sync_devices(weft_exec *x, const weft__seg *s, weft_status status) {
  const weft__streams *t = s->streams;
  for (uint32_t k = t->n_host; k < t->plan.n_streams; k++) {
    weft__open *o = &x->open[t->plan.lane_of[k]];
    void *stream = o->stream[t->on[k]];
    weft_diag d = {0};
    weft_status failed = stream && t->plan.length[k] ? o->v->stream_sync(o->dev, stream, &d) : WEFT_OK;
    if (failed && !status) {
      weft_fail(x->d, failed, "%s", d.text);
      weft_note(x->d, "on stream %u of device '%s'", t->on[k], o->v->name);
      status = failed;
    }
  }
  return status;
}

// Times of a device are those of its own clock, from where it stood when the run began.
static weft_status keep_records(weft_exec *x, weft__seg *s) {
  const weft__streams *t = s->streams;
  for (uint32_t k = 0; k < s->n_launches; k++) {
    const weft__launch *l = &s->launch[k];
    if (l->device && t->times[k].end_ns)
      x->open[l->device].base_ns = WEFT_MIN(x->open[l->device].base_ns, t->times[k].begin_ns);
  }
  for (uint32_t k = 0; k < s->n_launches; k++) {
    const weft__launch *l = &s->launch[k];
    weft_device_times times = t->times[k];
    if (l->kind == WEFT__RUN_VIEW || (l->device && !times.end_ns))
      continue;  // nothing was launched
    if (l->device) {
      times.begin_ns -= x->open[l->device].base_ns;
      times.end_ns -= x->open[l->device].base_ns;
    }
    WEFT_TRY(weft__launch_record(x, l, t->plan.stream[k], times));
  }
  return WEFT_OK;
}

weft_status weft__streams_run(weft_exec *x, weft__seg *s) {
  weft_status status = sync_devices(x, s, run_lanes(x, s));
  for (uint32_t k = 0; k < s->n_launches; k++) {
    for (uint32_t i = 0; i < s->launch[k].n_drops; i++)
      weft__value_drop(x, weft__tensor_of(x, s, s->drops[s->launch[k].drop + i]));
  }
  if (!status && x->o.profile)
    status = keep_records(x, s);
  return status;
}
// SPDX-License-Identifier: Apache-2.0
