// queue.c - streams of the simulated NPU: each is a ring of orders and a thread that takes them one after the
// other. A full ring makes the host wait; nothing is allocated after a stream was made. A failed order stops
// the stream until the next sync; records behind it are passed all the same, so that nobody waits for ever.
// What a launch writes is set apart for its time (base/apart.h), in all builds: a kernel that writes beside
// its outputs or workspaces is told so, whatever runs on other streams.
#define _DEFAULT_SOURCE  // MAP_ANONYMOUS
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/apart.h"
#include "npusim/npusim.h"

enum { COPY_IN, COPY_OUT, LAUNCH, RECORD, WAIT };
typedef struct order {
  uint8_t kind;
  void *to;
  const void *from;
  size_t bytes;
  weft_device_launch launch;
  npusim_event *event;
  uint64_t record;  // which one of the event
  uint64_t given_ns;
  weft_device_times *times;
} order;

typedef struct npusim_stream {
  npusim *dev;
  struct npusim_stream *next;
  pthread_t thread;
  bool running;                 // there is that thread
  uint64_t asked, taken, done;  // orders
  bool stop;
  uint64_t clock_ns;
  weft_status failed;
  char text[256];
  order ring[NPUSIM_QUEUE];
  void *arg[NPUSIM_ARGS];  // of the launch that runs
  void *workspace[NPUSIM_WORKSPACES];
  weft_apart part[NPUSIM_ARGS + NPUSIM_WORKSPACES];  // what it writes
  char *room;                                        // for that; grows with the largest launch
  size_t room_bytes;
} npusim_stream;

// ---- the device's side ----
// The first failure is the one that the host hears of.
static void queue_fail(npusim_stream *s, const weft_device_launch *l, weft_status status, const char *what) {
  size_t at = 0;
  if (s->failed)
    return;
  s->failed = status;
  weft__append(s->text, sizeof s->text, &at, "kernel '%s'%s%s%s %s", l->name, l->node ? " of node '" : "",
               l->node ? l->node : "", l->node ? "'" : "", what);
}

// What the launch writes, by true place. Without sizes: nothing.
static uint32_t find_parts(npusim_stream *s, const weft_device_launch *l, size_t *out_room) {
  uint32_t n = 0;
  *out_room = 0;
  for (uint32_t i = l->n_in; l->bytes && i < l->n_args + l->n_workspaces; i++) {
    weft_apart *p = &s->part[n];
    *p = (weft_apart){.at = i < l->n_args ? s->arg[i] : s->workspace[i - l->n_args],
                      .bytes = (size_t)l->bytes[i],
                      .moves = WEFT_APART_IN | WEFT_APART_BACK};
    if (p->at) {
      *out_room += weft__apart_room(p->bytes);
      n++;
    }
  }
  return n;
}

static bool queue_make_room(npusim_stream *s, size_t bytes) {
  if (bytes <= s->room_bytes)
    return true;
  if (s->room)
    munmap(s->room, s->room_bytes);
  s->room = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  s->room_bytes = s->room == MAP_FAILED ? 0 : bytes;
  if (!s->room_bytes)
    s->room = NULL;
  return s->room;
}

static void tell_astray(npusim_stream *s, const weft_device_launch *l, const weft_astray *a) {
  char text[128];
  size_t at = 0;
  uint32_t arg = l->n_in;
  uint32_t part = a->part;
  for (;; arg++) {  // parts are the arguments and workspaces that are there
    bool there = arg < l->n_args ? s->arg[arg] : s->workspace[arg - l->n_args];
    if (there && !part--)
      break;
  }
  weft__append(text, sizeof text, &at, "wrote %u bytes %s its %s %u", a->far + 1,
               a->behind ? "past the end of" : "before", arg < l->n_args ? "output" : "workspace",
               arg < l->n_args ? arg - l->n_in : arg - l->n_args);
  queue_fail(s, l, WEFT_E_KERNEL, text);
}

static weft_status run_blocks(const npusim_stream *s, const weft_device_launch *l, uint32_t parts) {
  weft_block b = l->block;
  weft_status status = WEFT_OK;
  b.arg = s->arg;
  b.workspace = s->workspace;
  if (b.shape_out)
    b.shape_out = weft__apart_of(s->part, parts, weft__npusim_translate(s->dev, b.shape_out, 0));
  for (b.phase = 0; !status && b.phase < l->phases; b.phase++) {
    for (b.block = 0; !status && b.block < b.blocks; b.block++)
      status = l->run(&b);
  }
  return status;
}

static double run_grid(npusim_stream *s, const weft_device_launch *l) {
  size_t room;
  weft_astray stray;
  weft_status status = WEFT_E_NOMEM;
  for (uint32_t i = 0; i < l->n_args; i++)
    s->arg[i] = l->block.arg[i] ? weft__npusim_translate(s->dev, l->block.arg[i], 0) : NULL;
  for (uint32_t i = 0; i < l->n_workspaces; i++)
    s->workspace[i] = weft__npusim_translate(s->dev, l->block.workspace[i], 0);
  uint32_t parts = find_parts(s, l, &room);
  if (queue_make_room(s, room)) {
    weft__apart_begin(s->part, parts, s->room);
    for (uint32_t i = 0; i < l->n_args; i++)
      s->arg[i] = weft__apart_of(s->part, parts, s->arg[i]);
    for (uint32_t i = 0; i < l->n_workspaces; i++)
      s->workspace[i] = weft__apart_of(s->part, parts, s->workspace[i]);
    status = run_blocks(s, l, parts);
    bool whole = weft__apart_end(s->part, parts, &stray);
    if (!status && !whole)
      tell_astray(s, l, &stray);
  }
  if (status) {
    char text[64];
    size_t at = 0;
    weft__append(text, sizeof text, &at, "failed with %d (%s)", (int)status, weft_status_name(status));
    queue_fail(s, l, status, text);
  }
  weft_device_properties p = {.size = sizeof p};
  weft__npusim_properties(&p);
  return p.launch_ns + l->cost_ns;
}

static double run_order(npusim_stream *s, const order *o) {
  weft_device_properties p = {.size = sizeof p};
  weft__npusim_properties(&p);
  if (o->kind == LAUNCH)
    return run_grid(s, &o->launch);
  void *to = o->kind == COPY_IN ? weft__npusim_translate(s->dev, o->to, o->bytes) : o->to;
  const void *from = o->kind == COPY_OUT ? weft__npusim_translate(s->dev, o->from, o->bytes) : o->from;
  if (o->bytes)
    memcpy(to, from, o->bytes);
  return p.copy_ns + p.copy_ns_per_byte * (double)o->bytes;
}

// With the lock.
static void pass_event(npusim_stream *s, const order *o) {
  npusim_event *e = o->event;
  if (o->kind == RECORD) {
    e->passed = o->record;
    e->at_ns = s->clock_ns;
    pthread_cond_broadcast(&s->dev->changed);
    return;
  }
  while (e->passed < o->record)
    pthread_cond_wait(&s->dev->changed, &s->dev->lock);
  s->clock_ns = WEFT_MAX(s->clock_ns, e->at_ns);
}

static void *queue_work(void *arg) {
  npusim_stream *s = arg;
  npusim *n = s->dev;
  pthread_mutex_lock(&n->lock);
  for (;;) {
    while (s->taken == s->asked && !s->stop)
      pthread_cond_wait(&n->changed, &n->lock);
    if (s->taken == s->asked)
      break;
    const order *o = &s->ring[s->taken++ % NPUSIM_QUEUE];
    s->clock_ns = WEFT_MAX(s->clock_ns, o->given_ns);
    if (o->kind == RECORD || o->kind == WAIT) {
      pass_event(s, o);
    } else if (!s->failed) {
      pthread_mutex_unlock(&n->lock);
      double cost = run_order(s, o);
      pthread_mutex_lock(&n->lock);
      uint64_t begin = s->clock_ns;
      s->clock_ns += cost > 1 ? (uint64_t)cost : 1;
      if (o->times)
        *o->times = (weft_device_times){begin, s->clock_ns};
    }
    s->done = s->taken;
    pthread_cond_broadcast(&n->changed);
  }
  pthread_mutex_unlock(&n->lock);
  return NULL;
}

// ---- the host's side ----
static int queue_start(npusim_stream *s) {
  // signals are for the threads of the program
  sigset_t all;
  sigset_t old;
  sigfillset(&all);
  bool masked = !pthread_sigmask(SIG_SETMASK, &all, &old);
  int error = pthread_create(&s->thread, NULL, queue_work, s);
  if (masked)
    pthread_sigmask(SIG_SETMASK, &old, NULL);
  s->running = !error;
  return error;
}

// After a fork the child has the streams and not their threads: what goes on then needs new ones, and what
// was asked for before is the parent's.
static void queue_settle_here(npusim *n) {
  if (n->process == getpid())
    return;
  n->process = getpid();
  pthread_mutex_init(&n->lock, NULL);
  pthread_cond_init(&n->changed, NULL);
  for (npusim_stream *s = n->streams; s; s = s->next) {
    s->running = false;
    s->taken = s->done = s->asked;
  }
}

// Is there a thread that takes the stream's orders? With the lock.
static bool runs_here(npusim_stream *s) {
  if (s->running || !queue_start(s))
    return true;
  s->failed = WEFT_E_LIMIT;
  snprintf(s->text, sizeof s->text, "device npusim: no thread for a stream after a fork");
  return false;
}

weft_status weft__npusim_stream_create(void *dev, void **out, weft_diag *d) {
  npusim *n = dev;
  uint32_t have = 0;
  if (!n->streams)
    n->process = getpid();
  queue_settle_here(n);
  *out = NULL;
  for (const npusim_stream *k = n->streams; k; k = k->next)
    have++;
  if (have >= NPUSIM_STREAMS)
    return weft_fail(d, WEFT_E_LIMIT, "device npusim: it has %d streams, all are taken", NPUSIM_STREAMS);
  npusim_stream *s = weft__alloc(&n->alloc, sizeof *s, _Alignof(npusim_stream));
  if (!s)
    return weft_fail(d, WEFT_E_NOMEM, "device npusim: out of memory");
  memset(s, 0, sizeof *s);
  s->dev = n;
  int error = queue_start(s);
  if (error) {
    weft__free(&n->alloc, s, sizeof *s, _Alignof(npusim_stream));
    return weft_fail(d, WEFT_E_LIMIT, "device npusim: no thread for a stream (error %d)", error);
  }
  s->next = n->streams;
  n->streams = s;
  return *out = s, WEFT_OK;
}

void weft__npusim_stream_destroy(void *dev, void *stream) {
  npusim *n = dev;
  npusim_stream *s = stream;
  npusim_stream **at = &n->streams;
  queue_settle_here(n);
  if (s->running) {
    pthread_mutex_lock(&n->lock);
    s->stop = true;
    pthread_cond_broadcast(&n->changed);
    pthread_mutex_unlock(&n->lock);
    pthread_join(s->thread, NULL);
  }
  while (*at != s)
    at = &(*at)->next;
  *at = s->next;
  if (s->room)
    munmap(s->room, s->room_bytes);
  weft__free(&n->alloc, s, sizeof *s, _Alignof(npusim_stream));
}

weft_status weft__npusim_stream_sync(void *dev, void *stream, weft_diag *d) {
  npusim *n = dev;
  npusim_stream *s = stream;
  queue_settle_here(n);
  pthread_mutex_lock(&n->lock);
  while (s->done != s->asked)
    pthread_cond_wait(&n->changed, &n->lock);
  n->host_ns = WEFT_MAX(n->host_ns, s->clock_ns);
  weft_status status = s->failed;
  if (status)
    weft_fail(d, status, "%s", s->text);
  s->failed = WEFT_OK;
  s->text[0] = 0;
  pthread_mutex_unlock(&n->lock);
  return status;
}

static void queue_ask(npusim_stream *s, const order *o) {
  npusim *n = s->dev;
  queue_settle_here(n);
  pthread_mutex_lock(&n->lock);
  if (!runs_here(s)) {
    pthread_mutex_unlock(&n->lock);
    return;
  }
  while (s->asked - s->done >= NPUSIM_QUEUE)
    pthread_cond_wait(&n->changed, &n->lock);
  s->ring[s->asked % NPUSIM_QUEUE] = *o;
  s->ring[s->asked++ % NPUSIM_QUEUE].given_ns = n->host_ns;
  pthread_cond_broadcast(&n->changed);
  pthread_mutex_unlock(&n->lock);
}

static weft_status queue_outside(const void *p, size_t bytes, const char *what, weft_diag *d) {
  return weft_fail(d, WEFT_E_INVALID, "device npusim: %s at %p with %zu bytes is not in its memory", what, p,
                   bytes);
}

weft_status weft__npusim_copy_in(void *dev, void *stream, void *to, const void *from, size_t bytes,
                                 weft_device_times *times, weft_diag *d) {
  if (!weft__npusim_translate(dev, to, bytes))
    return queue_outside(to, bytes, "the target of a copy", d);
  queue_ask(stream, &(order){.kind = COPY_IN, .to = to, .from = from, .bytes = bytes, .times = times});
  return WEFT_OK;
}

weft_status weft__npusim_copy_out(void *dev, void *stream, void *to, const void *from, size_t bytes,
                                  weft_device_times *times, weft_diag *d) {
  if (!weft__npusim_translate(dev, from, bytes))
    return queue_outside(from, bytes, "the source of a copy", d);
  queue_ask(stream, &(order){.kind = COPY_OUT, .to = to, .from = from, .bytes = bytes, .times = times});
  return WEFT_OK;
}

weft_status weft__npusim_launch(void *dev, void *stream, const weft_device_launch *l, weft_diag *d) {
  if (l->n_args > NPUSIM_ARGS || l->n_workspaces > NPUSIM_WORKSPACES) {
    return weft_fail(d, WEFT_E_LIMIT,
                     "device npusim: kernel '%s' has %u arguments and %u workspaces, at most %d and %d",
                     l->name, l->n_args, l->n_workspaces, NPUSIM_ARGS, NPUSIM_WORKSPACES);
  }
  for (uint32_t i = 0; i < l->n_args; i++) {
    if (l->block.arg[i] && !weft__npusim_translate(dev, l->block.arg[i], 0))
      return queue_outside(l->block.arg[i], 0, "an argument of a kernel", d);
  }
  for (uint32_t i = 0; i < l->n_workspaces; i++) {
    if (!weft__npusim_translate(dev, l->block.workspace[i], 0))
      return queue_outside(l->block.workspace[i], 0, "a workspace of a kernel", d);
  }
  if (l->block.shape_out && !weft__npusim_translate(dev, l->block.shape_out, sizeof *l->block.shape_out))
    return queue_outside(l->block.shape_out, sizeof *l->block.shape_out, "the shape buffer of a kernel", d);
  queue_ask(stream, &(order){.kind = LAUNCH, .launch = *l, .times = l->times});
  return WEFT_OK;
}

// ---- events ----
weft_status weft__npusim_event_create(void *dev, void **out, weft_diag *d) {
  npusim *n = dev;
  npusim_event *e = weft__alloc(&n->alloc, sizeof *e, _Alignof(npusim_event));
  if (!e)
    return weft_fail(d, WEFT_E_NOMEM, "device npusim: out of memory");
  memset(e, 0, sizeof *e);
  return *out = e, WEFT_OK;
}

void weft__npusim_event_destroy(void *dev, void *event) {
  npusim *n = dev;
  weft__free(&n->alloc, event, sizeof(npusim_event), _Alignof(npusim_event));
}

weft_status weft__npusim_event_record(void *dev, void *stream, void *event, weft_diag *d) {
  npusim_event *e = event;
  (void)dev;
  (void)d;
  queue_ask(stream, &(order){.kind = RECORD, .event = e, .record = ++e->asked});
  return WEFT_OK;
}

weft_status weft__npusim_event_wait(void *dev, void *stream, void *event, weft_diag *d) {
  npusim_event *e = event;
  (void)dev;
  (void)d;
  queue_ask(stream, &(order){.kind = WAIT, .event = e, .record = e->asked});
  return WEFT_OK;
}

weft_status weft__npusim_event_sync(void *dev, void *event, weft_diag *d) {
  npusim *n = dev;
  npusim_event *e = event;
  (void)d;
  queue_settle_here(n);
  pthread_mutex_lock(&n->lock);
  while (e->passed < e->asked)
    pthread_cond_wait(&n->changed, &n->lock);
  n->host_ns = WEFT_MAX(n->host_ns, e->at_ns);
  pthread_mutex_unlock(&n->lock);
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
