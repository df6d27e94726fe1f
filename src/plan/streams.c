// streams.c - see streams.h. Dependences come from memory: of one space the writes and the reads so far are
// kept as lists, newest first; a step waits for what overlaps, back to a write that covers it (which waits
// for all that came before). Waits are reduced by vector clocks: seen from the last one, a wait is left out
// when the clock already says that it is over, so that no wait follows from the others.
#include "plan/streams.h"

#include "plan/units.h"

enum { NONE = UINT32_MAX };

typedef struct touched {  // of one space: the newest access of each kind
  uint32_t write;
  uint32_t read;
} touched;

typedef struct planner {
  const weft_stream_input *in;
  weft_stream_plan *out;
  weft_arena *arena;
  touched *space;  // by space
  uint32_t *next;  // by access: the one of its kind before it
  uint32_t *seen;  // by step: the step that found it as a dependence last, + 1
  uint32_t *dep;   // of the step at hand
  uint32_t n_deps;
  uint64_t *free_at;   // by stream
  uint64_t *finish;    // by step
  uint32_t *now;       // n_streams * n_streams: the clock of a stream after its last step
  uint32_t *first_of;  // by lane: its first stream
  uint32_t *after;     // by stream: its newest step, NONE
  uint32_t last_barrier;
  WEFT_VEC(weft_wait) waits;
} planner;

static bool streams_columns(const weft_access *a, uint64_t *at) {
  *at = a->pitch ? a->begin % a->pitch : 0;
  return a->pitch && a->row <= a->pitch - *at;
}

bool weft__accesses_overlap(const weft_access *a, const weft_access *b) {
  uint64_t x;
  uint64_t y;
  if (a->space != b->space || a->begin >= b->end || b->begin >= a->end)
    return false;
  if (a->pitch != b->pitch || !streams_columns(a, &x) || !streams_columns(b, &y))
    return true;
  return x < y + b->row && y < x + a->row;
}

static bool covers(const weft_access *a, const weft_access *b) {
  return !a->pitch && a->begin <= b->begin && a->end >= b->end;
}

static weft_status fail_memory(const planner *p, weft_diag *d) {
  return weft_fail(d, WEFT_E_NOMEM, "streams: no memory for %u steps", (unsigned)p->in->n_steps);
}

static void depend(planner *p, uint32_t step, uint32_t on) {
  if (on == step || p->seen[on] == step + 1)
    return;
  p->seen[on] = step + 1;
  p->dep[p->n_deps++] = on;
}

static void depend_on_list(planner *p, uint32_t from, const weft_access *a, bool writes) {
  for (uint32_t i = from; i != NONE; i = p->next[i]) {
    const weft_access *b = &p->in->access[i];
    if (b->step == a->step || !weft__accesses_overlap(a, b))
      continue;
    depend(p, a->step, b->step);
    if (writes && covers(b, a))
      return;
  }
}

// Reads before a write that covers this one are ordered through it: the list of reads is cut there.
static void streams_touch(planner *p, uint32_t i) {
  const weft_access *a = &p->in->access[i];
  touched *t = &p->space[a->space];
  depend_on_list(p, t->write, a, true);
  if (a->write) {
    depend_on_list(p, t->read, a, false);
    p->next[i] = t->write;
    t->write = i;
  } else {
    p->next[i] = t->read;
    t->read = i;
  }
}

// Is there, over the whole space, nothing left that a later access could need? Called after a step's
// accesses.
static void cut_reads(planner *p, uint32_t i) {
  const weft_access *a = &p->in->access[i];
  touched *t = &p->space[a->space];
  if (!a->write || t->write != i)
    return;
  for (uint32_t k = t->read, *at = &t->read; k != NONE; k = p->next[k]) {
    if (p->in->access[k].step != a->step && covers(a, &p->in->access[k])) {
      *at = p->next[k];
      continue;
    }
    at = &p->next[k];
  }
}

// ---- which stream ----
static uint32_t streams_choose(planner *p, uint32_t step, uint64_t *begin) {
  const weft_stream_input *in = p->in;
  uint32_t lane = in->lane ? in->lane[step] : 0;
  uint32_t first = p->first_of[lane];
  uint32_t n = in->barrier && in->barrier[step] ? 1 : in->lane_streams[lane];
  uint32_t best = first;
  uint32_t latest = NONE;
  for (uint32_t i = 0; i < p->n_deps; i++) {
    if (latest == NONE || p->finish[p->dep[i]] > p->finish[latest])
      latest = p->dep[i];
  }
  *begin = UINT64_MAX;
  for (uint32_t s = first; s < first + n; s++) {
    uint64_t at = p->free_at[s];
    for (uint32_t i = 0; i < p->n_deps; i++) {
      uint32_t k = p->dep[i];
      at = WEFT_MAX(at, p->finish[k] + (p->out->stream[k] == s ? 0 : in->sync_ns));
    }
    bool near = latest != NONE && p->out->stream[latest] == s;
    if (at < *begin || (at == *begin && near)) {
      *begin = at;
      best = s;
    }
  }
  return best;
}

// ---- which waits ----
static uint32_t *clock_of(const planner *p, uint32_t step) {
  return p->out->clock + (size_t)step * p->out->n_streams;
}

static void streams_join(uint32_t *to, const uint32_t *from, uint32_t n) {
  for (uint32_t k = 0; k < n; k++)
    to[k] = WEFT_MAX(to[k], from[k]);
}

static void latest_first(uint32_t *v, uint32_t n) {
  for (uint32_t i = 1; i < n; i++) {
    uint32_t x = v[i];
    uint32_t k = i;
    for (; k && v[k - 1] < x; k--)
      v[k] = v[k - 1];
    v[k] = x;
  }
}

static weft_status find_waits(planner *p, uint32_t step, weft_diag *d) {
  weft_stream_plan *o = p->out;
  uint32_t n = o->n_streams;
  uint32_t s = o->stream[step];
  uint32_t *clock = clock_of(p, step);
  memcpy(clock, p->now + (size_t)s * n, n * sizeof *clock);
  if (o->lane_of[s])
    streams_join(clock, p->now, n);  // handed over by stream 0
  latest_first(p->dep, p->n_deps);
  o->first_wait[step] = (uint32_t)p->waits.n;
  for (uint32_t i = 0; i < p->n_deps; i++) {
    uint32_t k = p->dep[i];
    uint32_t t = o->stream[k];
    if (clock[t] >= o->position[k])
      continue;
    if (!WEFT_VEC_ROOM(&p->arena->alloc, p->waits))
      return fail_memory(p, d);
    p->waits.v[p->waits.n++] = (weft_wait){t, o->position[k]};
    o->signal[k] = 1;
    streams_join(clock, clock_of(p, k), n);
    clock[t] = WEFT_MAX(clock[t], o->position[k]);
  }
  uint32_t *mine = p->now + (size_t)s * n;
  memcpy(mine, clock, n * sizeof *clock);
  mine[s] = o->position[step];
  return WEFT_OK;
}

static void barrier(planner *p, uint32_t step) {
  for (uint32_t s = 0; s < p->out->n_streams; s++) {
    if (p->after[s] != NONE)
      depend(p, step, p->after[s]);
  }
  p->last_barrier = step;
}

static weft_status place_steps(planner *p, weft_diag *d) {
  const weft_stream_input *in = p->in;
  weft_stream_plan *o = p->out;
  uint32_t a = 0;
  for (uint32_t step = 0; step < in->n_steps; step++) {
    uint32_t from = a;
    uint64_t begin;
    p->n_deps = 0;
    if (p->last_barrier != NONE)
      depend(p, step, p->last_barrier);
    for (; a < in->n_accesses && in->access[a].step == step; a++)
      streams_touch(p, a);
    for (uint32_t i = from; i < a; i++)
      cut_reads(p, i);
    if (in->barrier && in->barrier[step])
      barrier(p, step);
    uint32_t s = streams_choose(p, step, &begin);
    o->stream[step] = s;
    o->position[step] = ++o->length[s];
    p->after[s] = step;
    p->free_at[s] = p->finish[step] = begin + in->cost_ns[step];
    o->finish_ns = WEFT_MAX(o->finish_ns, p->finish[step]);
    WEFT_TRY(find_waits(p, step, d));
  }
  o->first_wait[in->n_steps] = o->n_waits = (uint32_t)p->waits.n;
  return WEFT_OK;
}

static weft_status streams_check(const weft_stream_input *in, uint32_t *out_spaces, weft_diag *d) {
  *out_spaces = 0;
  for (uint32_t i = 0; i < in->n_accesses; i++) {
    const weft_access *a = &in->access[i];
    if (a->step >= in->n_steps || (i && a->step < in->access[i - 1].step)) {
      return weft_fail(d, WEFT_E_INVALID,
                       "streams: access %u is of step %u, the one before of %u, there are %u", (unsigned)i,
                       (unsigned)a->step, (unsigned)(i ? in->access[i - 1].step : 0), (unsigned)in->n_steps);
    }
    if (a->space == NONE)
      return weft_fail(d, WEFT_E_INVALID, "streams: access %u has no space", (unsigned)i);
    *out_spaces = WEFT_MAX(*out_spaces, a->space + 1);
  }
  for (uint32_t i = 0; in->lane && i < in->n_steps; i++) {
    if (in->lane[i] >= in->n_lanes || (in->barrier && in->barrier[i] && in->lane[i])) {
      return weft_fail(d, WEFT_E_INVALID, "streams: step %u is on lane %u, there are %u", (unsigned)i,
                       (unsigned)in->lane[i], (unsigned)in->n_lanes);
    }
  }
  return WEFT_OK;
}

static weft_status streams_make_room(planner *p, uint32_t n_spaces, weft_diag *d) {
  const weft_stream_input *in = p->in;
  weft_stream_plan *o = p->out;
  size_t n = (size_t)in->n_steps + 1;
  size_t cells;
  for (uint32_t l = 0; l < in->n_lanes; l++) {
    uint32_t k = in->lane_streams[l];
    if (!k || k > 64) {
      return weft_fail(d, WEFT_E_INVALID, "streams: lane %u has %u streams, expected 1 to 64", (unsigned)l,
                       (unsigned)k);
    }
    o->n_streams += k;
  }
  if (!in->n_lanes || in->n_lanes > 64 || !weft_mul_size(n, o->n_streams, &cells))
    return weft_fail(d, WEFT_E_INVALID, "streams: %u lanes, expected 1 to 64", (unsigned)in->n_lanes);
  size_t k = o->n_streams;
  o->stream = WEFT_NEW_N(p->arena, uint32_t, n);
  o->position = WEFT_NEW_N(p->arena, uint32_t, n);
  o->lane_of = WEFT_NEW_N(p->arena, uint32_t, k);
  o->length = WEFT_NEW_N(p->arena, uint32_t, k);
  o->clock = WEFT_NEW_N(p->arena, uint32_t, cells);
  o->first_wait = WEFT_NEW_N(p->arena, uint32_t, n);
  o->signal = WEFT_NEW_N(p->arena, uint8_t, n);
  p->space = WEFT_NEW_N(p->arena, touched, (size_t)n_spaces + 1);
  p->next = WEFT_NEW_N(p->arena, uint32_t, (size_t)in->n_accesses + 1);
  p->seen = WEFT_NEW_N(p->arena, uint32_t, n);
  p->dep = WEFT_NEW_N(p->arena, uint32_t, n);
  p->free_at = WEFT_NEW_N(p->arena, uint64_t, k);
  p->finish = WEFT_NEW_N(p->arena, uint64_t, n);
  p->now = WEFT_NEW_N(p->arena, uint32_t, k * k);
  p->after = WEFT_NEW_N(p->arena, uint32_t, k);
  p->first_of = WEFT_NEW_N(p->arena, uint32_t, in->n_lanes);
  if (!o->stream || !o->position || !o->lane_of || !o->length || !o->clock || !o->first_wait || !o->signal ||
      !p->space || !p->next || !p->seen || !p->dep || !p->free_at || !p->finish || !p->now || !p->after ||
      !p->first_of)
    return fail_memory(p, d);
  memset(p->space, 0xff, n_spaces * sizeof *p->space);
  memset(p->after, 0xff, k * sizeof *p->after);
  for (uint32_t l = 0, s = 0; l < in->n_lanes; l++) {
    p->first_of[l] = s;
    for (uint32_t i = 0; i < in->lane_streams[l]; i++)
      o->lane_of[s++] = l;
  }
  return WEFT_OK;
}

weft_status weft__plan_streams(const weft_stream_input *in, weft_arena *arena, weft_stream_plan *out,
                               weft_diag *d) {
  planner p = {.in = in, .out = out, .arena = arena, .last_barrier = NONE};
  uint32_t n_spaces;
  *out = (weft_stream_plan){0};
  WEFT_TRY(streams_check(in, &n_spaces, d));
  WEFT_TRY(streams_make_room(&p, n_spaces, d));
  weft_status s = place_steps(&p, d);
  if (!s) {
    out->wait = WEFT_NEW_N(arena, weft_wait, (size_t)out->n_waits + 1);
    if (!out->wait)
      s = fail_memory(&p, d);
  }
  if (!s && out->n_waits)
    memcpy(out->wait, p.waits.v, out->n_waits * sizeof *out->wait);
  WEFT_VEC_FREE(&arena->alloc, p.waits);
  return s;
}

// ---- the proof ----
static bool ordered(const weft_stream_plan *p, uint32_t a, uint32_t b) {  // has a finished before b begins?
  return p->clock[(size_t)b * p->n_streams + p->stream[a]] >= p->position[a];
}

static weft_status races_of(const weft_access *access, const uint32_t *open, uint32_t n, uint32_t i,
                            const weft_stream_plan *p, weft_diag *d) {
  const weft_access *b = &access[i];
  for (uint32_t k = 0; k < n; k++) {
    const weft_access *a = &access[open[k]];
    if (a->step == b->step || (!a->write && !b->write) || !weft__accesses_overlap(a, b))
      continue;
    const weft_access *x = a->step < b->step ? a : b;
    const weft_access *y = x == a ? b : a;
    if (ordered(p, x->step, y->step))
      continue;
    return weft_fail(
        d, WEFT_E_STATE,
        "streams: step %u (stream %u, %s bytes %llu to %llu of space %u) and step %u (stream %u, "
        "%s bytes %llu to %llu) are not ordered",
        (unsigned)x->step, (unsigned)p->stream[x->step], x->write ? "writes" : "reads",
        (unsigned long long)x->begin, (unsigned long long)x->end, (unsigned)x->space, (unsigned)y->step,
        (unsigned)p->stream[y->step], y->write ? "writes" : "reads", (unsigned long long)y->begin,
        (unsigned long long)y->end);
  }
  return WEFT_OK;
}

weft_status weft__plan_races(const weft_access *access, uint32_t n, const weft_stream_plan *p,
                             weft_arena *arena, weft_diag *d) {
  weft_sort_item *items = WEFT_NEW_N(arena, weft_sort_item, 2 * (size_t)n + 1);
  uint32_t *open = WEFT_NEW_N(arena, uint32_t, (size_t)n + 1);
  uint32_t n_open = 0;
  if (!items || !open)
    return weft_fail(d, WEFT_E_NOMEM, "streams: no memory for %u accesses", (unsigned)n);
  for (uint32_t i = 0; i < n; i++)
    items[i] = (weft_sort_item){access[i].begin, i};
  weft__plan_sort(items, items + n, n);
  for (uint32_t i = 0; i < n; i++)
    items[i].key = access[items[i].id].space;
  weft__plan_sort(items, items + n, n);  // stable: by space, then by begin
  for (uint32_t i = 0; i < n; i++) {
    const weft_access *b = &access[items[i].id];
    uint32_t kept = 0;
    for (uint32_t k = 0; k < n_open; k++) {
      const weft_access *a = &access[open[k]];
      if (a->space == b->space && a->end > b->begin)
        open[kept++] = open[k];
    }
    n_open = kept;
    WEFT_TRY(races_of(access, open, n_open, items[i].id, p, d));
    open[n_open++] = items[i].id;
  }
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
