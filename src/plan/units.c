// units.c - checks a plan input and makes units and positions of it; the bound.
//
// Chains of `into` are walked once: O(n). Positions are sorted once: O(n log n), O(n) when the spans come in
// the order of time. Nothing is sized by the number of steps, which hostile input may make as large as it
// likes.
#include "plan/units.h"

const char *weft__span_text(const weft_plan_input *in, uint32_t span, char buf[96]) {
  const char *name = in->span[span].name;
  if (name)
    snprintf(buf, 96, "span %u '%.60s'", (unsigned)span, name);
  else
    snprintf(buf, 96, "span %u", (unsigned)span);
  return buf;
}

// ---- sorting ----

static void units_merge(const weft_sort_item *a, const weft_sort_item *mid, const weft_sort_item *end,
                        weft_sort_item *to) {
  const weft_sort_item *b = mid;
  while (a < mid && b < end)
    *to++ = b->key < a->key ? *b++ : *a++;
  while (a < mid)
    *to++ = *a++;
  while (b < end)
    *to++ = *b++;
}

static void insertion_sort(weft_sort_item *v, size_t n) {
  for (size_t i = 1; i < n; i++) {
    weft_sort_item x = v[i];
    size_t j = i;
    for (; j && v[j - 1].key > x.key; j--)
      v[j] = v[j - 1];
    v[j] = x;
  }
}

void weft__plan_sort(weft_sort_item *v, weft_sort_item *scratch, size_t n) {
  enum { RUN = 16 };
  size_t sorted = 1;
  while (sorted < n && v[sorted - 1].key <= v[sorted].key)
    sorted++;
  if (sorted >= n)
    return;
  for (size_t i = 0; i < n; i += RUN)
    insertion_sort(v + i, WEFT_MIN(n - i, (size_t)RUN));
  weft_sort_item *from = v;
  weft_sort_item *to = scratch;
  for (size_t run = RUN; run < n; run *= 2) {
    for (size_t i = 0; i < n; i += 2 * run) {
      size_t mid = WEFT_MIN(i + run, n);
      size_t end = WEFT_MIN(i + 2 * run, n);
      units_merge(from + i, from + mid, from + end, to + i);
    }
    weft_sort_item *swap = from;
    from = to;
    to = swap;
  }
  if (from != v)
    memcpy(v, from, n * sizeof *v);
}

// ---- checks ----

static weft_status check_sizes(const weft_plan_input *in, weft_units *u, weft_diag *d) {
  if (in->n_spans == WEFT_NO_SPAN || (in->n_spans && !in->span)) {
    return weft_fail(d, WEFT_E_INVALID, "memory plan: %u spans, array %s", (unsigned)in->n_spans,
                     in->span ? "given" : "NULL");
  }
  u->align = in->align ? in->align : 64;
  if (u->align & (u->align - 1)) {
    return weft_fail(d, WEFT_E_INVALID, "memory plan: alignment %u is not a power of two",
                     (unsigned)in->align);
  }
  u->n_streams = in->clock && in->n_streams > 1 ? in->n_streams : 1;
  if (u->n_streams > 1 && !in->uses && in->n_spans) {
    return weft_fail(d, WEFT_E_INVALID, "memory plan: %u streams with clocks, but no table of uses",
                     (unsigned)in->n_streams);
  }
  return WEFT_OK;
}

static weft_status check_into(const weft_units *u, uint32_t i, weft_diag *d) {
  const weft_plan_input *in = u->in;
  const weft_span *s = &in->span[i];
  char who[96];
  char whole[96];
  if (s->into >= in->n_spans) {
    return weft_fail(d, WEFT_E_INVALID, "memory plan: %s lies inside span %u, there are %u spans",
                     weft__span_text(in, i, who), (unsigned)s->into, (unsigned)in->n_spans);
  }
  if (s->fixed >= 0) {
    return weft_fail(d, WEFT_E_INVALID,
                     "memory plan: %s lies inside %s and has the fixed offset %lld as well",
                     weft__span_text(in, i, who), weft__span_text(in, s->into, whole), (long long)s->fixed);
  }
  uint64_t room = in->span[s->into].bytes;
  if (s->into_offset > room || s->bytes > room - s->into_offset) {
    return weft_fail(
        d, WEFT_E_INVALID, "memory plan: %s (%llu bytes at %llu) does not fit into %s of %llu bytes",
        weft__span_text(in, i, who), (unsigned long long)s->bytes, (unsigned long long)s->into_offset,
        weft__span_text(in, s->into, whole), (unsigned long long)room);
  }
  return WEFT_OK;
}

static weft_status check_span(const weft_units *u, uint32_t i, weft_diag *d) {
  const weft_plan_input *in = u->in;
  const weft_span *s = &in->span[i];
  char who[96];
  if (s->first >= in->n_steps) {
    return weft_fail(d, WEFT_E_INVALID, "memory plan: %s is first written at step %u, there are %u steps",
                     weft__span_text(in, i, who), (unsigned)s->first, (unsigned)in->n_steps);
  }
  if (u->n_streams == 1 && (s->last < s->first || s->last >= in->n_steps)) {
    return weft_fail(d, WEFT_E_INVALID, "memory plan: %s is used last at step %u, expected %u to %u",
                     weft__span_text(in, i, who), (unsigned)s->last, (unsigned)s->first,
                     (unsigned)in->n_steps - 1);
  }
  if (s->fixed < -1) {
    return weft_fail(d, WEFT_E_INVALID, "memory plan: %s has the fixed offset %lld, expected -1 or more",
                     weft__span_text(in, i, who), (long long)s->fixed);
  }
  return s->into == WEFT_NO_SPAN ? WEFT_OK : check_into(u, i, d);
}

// ---- wholes and parts ----

// of_span[i] becomes the span that owns the memory of i. A chain is walked down to what is known and back up
// again.
static weft_status find_wholes(weft_units *u, weft_diag *d) {
  const weft_span *s = u->in->span;
  uint32_t n = u->in->n_spans;
  uint32_t *path = WEFT_NEW_N(u->arena, uint32_t, n);
  uint8_t *state = WEFT_NEW_N(u->arena, uint8_t, n);  // 1: on the path, 2: known
  if (!path || !state)
    return weft_fail(d, WEFT_E_NOMEM, "memory plan: no memory for %u spans", (unsigned)n);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t depth = 0;
    uint32_t at = i;
    while (!state[at] && s[at].into != WEFT_NO_SPAN) {
      state[at] = 1;
      path[depth++] = at;
      at = s[at].into;
    }
    if (state[at] == 1) {
      char who[96];
      return weft_fail(d, WEFT_E_INVALID, "memory plan: %s lies inside itself",
                       weft__span_text(u->in, at, who));
    }
    if (!state[at])
      u->of_span[at] = at;
    state[at] = 2;
    while (depth) {
      uint32_t part = path[--depth];
      u->of_span[part] = u->of_span[at];
      u->in_unit[part] = u->in_unit[at] + s[part].into_offset;  // <= bytes of the whole
      state[part] = 2;
      at = part;
    }
  }
  return WEFT_OK;
}

static bool add_bytes(const weft_units *u, uint64_t *total, uint64_t bytes) {
  const uint64_t limit = (uint64_t)INT64_MAX / 4;  // so that no sum of heights can wrap
  if (bytes > limit)
    return false;
  *total += (bytes + u->align - 1) & ~(u->align - 1);
  return *total <= limit;
}

// Numbers the owners that take memory: of_span then leads to units. Every offset stays below INT64_MAX.
static weft_status number_units(weft_units *u, weft_diag *d) {
  const weft_plan_input *in = u->in;
  uint32_t *unit = WEFT_NEW_N(u->arena, uint32_t, in->n_spans);
  u->v = WEFT_NEW_N(u->arena, weft_unit, in->n_spans);
  if (!unit || !u->v)
    return weft_fail(d, WEFT_E_NOMEM, "memory plan: no memory for %u spans", (unsigned)in->n_spans);
  uint64_t rounded = 0;
  uint64_t fixed_end = 0;
  char who[96];
  for (uint32_t i = 0; i < in->n_spans; i++) {
    const weft_span *s = &in->span[i];
    unit[i] = WEFT_NO_SPAN;
    if (u->of_span[i] != i || !s->bytes)
      continue;
    uint64_t end = 0;
    if (!add_bytes(u, &rounded, s->bytes) ||
        (s->fixed >= 0 && (!add_bytes(u, &end, (uint64_t)s->fixed) || !add_bytes(u, &end, s->bytes)))) {
      return weft_fail(d, WEFT_E_OVERFLOW, "memory plan: %s of %llu bytes at %lld: sizes overflow",
                       weft__span_text(in, i, who), (unsigned long long)s->bytes, (long long)s->fixed);
    }
    unit[i] = u->n;
    u->v[u->n++] = (weft_unit){.bytes = s->bytes, .fixed = s->fixed, .span = i, .lo = UINT32_MAX};
    u->sum_bytes += s->bytes;
    if (s->fixed >= 0) {
      u->n_fixed++;
      fixed_end = WEFT_MAX(fixed_end, (uint64_t)s->fixed + s->bytes);
    }
  }
  u->target = fixed_end;
  for (uint32_t i = 0; i < in->n_spans; i++) {
    u->of_span[i] = in->span[i].bytes ? unit[u->of_span[i]] : WEFT_NO_SPAN;
  }
  return WEFT_OK;
}

// Sorts the units by lo, the larger first, and follows with of_span.
static weft_status sort_units(weft_units *u, weft_diag *d) {
  weft_sort_item *items = WEFT_NEW_N(u->arena, weft_sort_item, 2 * (size_t)u->n);
  weft_unit *sorted = WEFT_NEW_N(u->arena, weft_unit, u->n);
  uint32_t *now = WEFT_NEW_N(u->arena, uint32_t, u->n);
  if (!items || !sorted || !now)
    return weft_fail(d, WEFT_E_NOMEM, "memory plan: no memory for %u spans", (unsigned)u->n);
  for (uint32_t i = 0; i < u->n; i++) {
    uint64_t size = WEFT_MIN(u->v[i].bytes >> 6, (uint64_t)UINT32_MAX);
    items[i] = (weft_sort_item){(uint64_t)u->v[i].lo << 32 | (UINT32_MAX - size), i};
  }
  weft__plan_sort(items, items + u->n, u->n);
  for (uint32_t i = 0; i < u->n; i++) {
    sorted[i] = u->v[items[i].id];
    now[items[i].id] = i;
  }
  for (uint32_t i = 0; i < u->in->n_spans; i++) {
    if (u->of_span[i] != WEFT_NO_SPAN)
      u->of_span[i] = now[u->of_span[i]];
  }
  u->v = sorted;
  return WEFT_OK;
}

// ---- one timeline ----

static uint32_t last_position(const weft_units *u, uint32_t lo,
                              uint32_t step) {  // the last one that is <= step
  uint32_t jump = 1;
  uint32_t end = lo;
  while (end < u->n_pos && u->step[end] <= step) {
    lo = end;
    end = u->n_pos - end > jump ? end + jump : u->n_pos;
    jump *= 2;
  }
  while (end - lo > 1) {
    uint32_t mid = lo + (end - lo) / 2;
    if (u->step[mid] <= step)
      lo = mid;
    else
      end = mid;
  }
  return lo;
}

static weft_status place_on_steps(weft_units *u, weft_diag *d) {
  const weft_plan_input *in = u->in;
  for (uint32_t i = 0; i < in->n_spans; i++) {
    if (u->of_span[i] == WEFT_NO_SPAN)
      continue;
    weft_unit *x = &u->v[u->of_span[i]];
    x->lo = WEFT_MIN(x->lo, in->span[i].first);
    x->hi = WEFT_MAX(x->hi, in->span[i].last);
  }
  WEFT_TRY(sort_units(u, d));
  for (uint32_t i = 0; i < u->n; i++) {  // steps become positions
    uint32_t first = u->v[i].lo;
    if (!u->n_pos || u->step[u->n_pos - 1] != first)
      u->step[u->n_pos++] = first;
    u->v[i].lo = u->n_pos - 1;
  }
  for (uint32_t i = 0; i < u->n; i++)
    u->v[i].hi = last_position(u, u->v[i].lo, u->v[i].hi);
  return WEFT_OK;
}

// ---- several streams ----

static bool all_at_most(const uint32_t *a, const uint32_t *b, uint32_t n) {
  for (uint32_t k = 0; k < n; k++) {
    if (a[k] > b[k])
      return false;
  }
  return true;
}

bool weft__units_together_by_clock(const weft_units *u, const weft_unit *a, const weft_unit *b) {
  const uint32_t s = u->n_streams;
  const size_t at_a = (size_t)a->key * s;
  const size_t at_b = (size_t)b->key * s;
  return !all_at_most(u->end + at_a, u->start + at_b, s) && !all_at_most(u->end + at_b, u->start + at_a, s);
}

static uint64_t clock_sum(const uint32_t *clock, uint32_t n) {
  uint64_t sum = 0;
  for (uint32_t k = 0; k < n; k++)
    sum += clock[k];
  return sum;
}

// start: the least clock of its parts' first steps; end: their last uses.
static weft_status clocks_of_units(weft_units *u, weft_diag *d) {
  const weft_plan_input *in = u->in;
  const uint32_t s = u->n_streams;
  size_t cells;
  if (!weft_mul_size(u->n, s, &cells))
    return weft_fail(d, WEFT_E_OVERFLOW, "memory plan: %u streams", (unsigned)s);
  u->start = WEFT_NEW_N(u->arena, uint32_t, cells);
  u->end = WEFT_NEW_N(u->arena, uint32_t, cells);
  if (!u->start || !u->end)
    return weft_fail(d, WEFT_E_NOMEM, "memory plan: no memory for %zu clocks", cells);
  memset(u->start, 0xff, cells * sizeof *u->start);
  for (uint32_t i = 0; i < in->n_spans; i++) {
    if (u->of_span[i] == WEFT_NO_SPAN)
      continue;
    const uint32_t *clock = in->clock + (size_t)in->span[i].first * s;
    const uint32_t *uses = in->uses + (size_t)i * s;
    uint32_t *start = u->start + (size_t)u->of_span[i] * s;
    uint32_t *end = u->end + (size_t)u->of_span[i] * s;
    bool used = false;
    for (uint32_t k = 0; k < s; k++) {
      start[k] = WEFT_MIN(start[k], clock[k]);
      end[k] = WEFT_MAX(end[k], uses[k]);
      used |= uses[k] != 0;
    }
    char who[96];
    if (!used) {
      return weft_fail(d, WEFT_E_INVALID,
                       "memory plan: %s is used on none of %u streams (its writing counts)",
                       weft__span_text(in, i, who), (unsigned)s);
    }
  }
  return WEFT_OK;
}

static uint32_t first_at_least(const weft_sort_item *v, uint32_t n, uint64_t key) {
  uint32_t lo = 0;
  uint32_t hi = n;
  while (lo < hi) {
    uint32_t mid = lo + (hi - lo) / 2;
    if (v[mid].key < key)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

// hi is where all later positions lie behind the unit's last uses: by the least clocks from a position on.
static void retire(weft_units *u, const uint32_t *least) {
  const uint32_t s = u->n_streams;
  for (uint32_t i = 0; i < u->n; i++) {
    weft_unit *x = &u->v[i];
    const uint32_t *end = u->end + (size_t)x->key * s;
    uint32_t lo = x->lo + 1;
    uint32_t hi = u->n_pos;
    while (lo < hi) {
      uint32_t mid = lo + (hi - lo) / 2;
      if (all_at_most(end, least + (size_t)mid * s, s))
        hi = mid;
      else
        lo = mid + 1;
    }
    x->hi = lo - 1;
  }
}

static weft_status place_on_clocks(weft_units *u, weft_diag *d) {
  const weft_plan_input *in = u->in;
  const uint32_t s = u->n_streams;
  WEFT_TRY(clocks_of_units(u, d));
  weft_sort_item *items = WEFT_NEW_N(u->arena, weft_sort_item, 2 * (size_t)in->n_spans);
  uint32_t *least = WEFT_NEW_N(u->arena, uint32_t, (size_t)in->n_spans * s);
  uint32_t n = 0;
  if (!items || !least)
    return weft_fail(d, WEFT_E_NOMEM, "memory plan: no memory for %u steps", (unsigned)in->n_spans);
  for (uint32_t i = 0; i < in->n_spans; i++) {
    if (u->of_span[i] == WEFT_NO_SPAN)
      continue;
    uint32_t first = in->span[i].first;
    items[n++] = (weft_sort_item){clock_sum(in->clock + (size_t)first * s, s), first};
  }
  weft__plan_sort(items, items + in->n_spans, n);
  for (uint32_t p = 0; p < n; p++)
    u->step[p] = items[p].id;
  u->n_pos = n;
  for (uint32_t p = n; p-- > 0;) {
    const uint32_t *clock = in->clock + (size_t)u->step[p] * s;
    for (uint32_t k = 0; k < s; k++) {
      uint32_t later = p + 1 < n ? least[(size_t)(p + 1) * s + k] : UINT32_MAX;
      least[(size_t)p * s + k] = WEFT_MIN(clock[k], later);
    }
  }
  for (uint32_t i = 0; i < u->n; i++) {
    u->v[i].key = i;
    u->v[i].lo = first_at_least(items, n, clock_sum(u->start + (size_t)i * s, s));
  }
  WEFT_TRY(sort_units(u, d));
  retire(u, least);
  return WEFT_OK;
}

// ---- bound ----

// Bytes live at each position. Several streams: those that have started and have not ended by the clock of
// the position's step are live together, each with each; they are looked for while that is cheap.
static void bound_by_clock(weft_units *u, uint32_t *live) {
  const uint32_t s = u->n_streams;
  uint64_t work = 0;
  uint32_t n_live = 0;
  uint32_t next = 0;
  for (uint32_t p = 0; p < u->n_pos && work < 200u * 1000 * 1000; p++) {
    const uint32_t *clock = u->in->clock + (size_t)u->step[p] * s;
    uint64_t bytes = 0;
    uint64_t rounded = 0;
    uint32_t kept = 0;
    while (next < u->n && u->v[next].lo <= p)
      live[n_live++] = next++;
    for (uint32_t i = 0; i < n_live; i++) {
      const weft_unit *x = &u->v[live[i]];
      const size_t at = (size_t)x->key * s;
      if (x->hi < p)
        continue;
      live[kept++] = live[i];
      if (all_at_most(u->end + at, clock, s) || !all_at_most(u->start + at, clock, s))
        continue;
      bytes += x->bytes;
      rounded += (x->bytes + u->align - 1) & ~(u->align - 1);
    }
    work += (uint64_t)n_live * s;
    n_live = kept;
    u->target = WEFT_MAX(u->target, rounded);
    if (bytes > u->bound_bytes) {
      u->bound_bytes = bytes;
      u->peak_step = u->step[p];
    }
  }
}

typedef struct change {
  uint64_t bytes, rounded;
  uint32_t n;
} change;

static weft_status find_bound(weft_units *u, weft_diag *d) {
  change *off = WEFT_NEW_N(u->arena, change, (size_t)u->n_pos + 1);  // what ends before a position
  uint32_t *live = u->n_streams > 1 ? WEFT_NEW_N(u->arena, uint32_t, u->n) : NULL;
  if (!off || (u->n_streams > 1 && !live))
    return weft_fail(d, WEFT_E_NOMEM, "memory plan: no memory for %u steps", (unsigned)u->n_pos);
  change now = {0};
  for (uint32_t p = 0, i = 0; p < u->n_pos; p++) {
    now.bytes -= off[p].bytes;
    now.rounded -= off[p].rounded;
    now.n -= off[p].n;
    for (; i < u->n && u->v[i].lo == p; i++) {
      uint64_t bytes = u->v[i].bytes;
      uint64_t rounded = (bytes + u->align - 1) & ~(u->align - 1);
      change *end = &off[u->v[i].hi + 1];
      u->pairs += now.n++;
      now.bytes += bytes;
      now.rounded += rounded;
      end->bytes += bytes;
      end->rounded += rounded;
      end->n++;
    }
    if (u->n_streams > 1)
      continue;
    u->target = WEFT_MAX(u->target, now.rounded);
    if (now.bytes > u->bound_bytes) {
      u->bound_bytes = now.bytes;
      u->peak_step = u->step[p];
    }
  }
  if (live)
    bound_by_clock(u, live);
  return WEFT_OK;
}

// A sweep places a unit before it comes to a fixed one that starts later: those must be seen early. Going
// forward, from the first unit that is still live when the fixed one starts; going back, from the last that
// started before its end.
static weft_status widen_fixed(weft_units *u, weft_diag *d) {
  for (uint32_t i = 0; i < u->n; i++) {
    u->v[i].enter = u->v[i].lo;
    u->v[i].leave = u->v[i].hi;
  }
  if (!u->n_fixed)
    return WEFT_OK;
  uint32_t *first = WEFT_NEW_N(u->arena, uint32_t, u->n_pos);
  uint32_t *last = WEFT_NEW_N(u->arena, uint32_t, u->n_pos);
  if (!first || !last)
    return weft_fail(d, WEFT_E_NOMEM, "memory plan: no memory for %u steps", (unsigned)u->n_pos);
  for (uint32_t p = 0; p < u->n_pos; p++)
    first[p] = last[p] = p;
  for (uint32_t i = 0; i < u->n; i++) {
    const weft_unit *x = &u->v[i];
    first[x->hi] = WEFT_MIN(first[x->hi], x->lo);
    last[x->lo] = WEFT_MAX(last[x->lo], x->hi);
  }
  for (uint32_t p = 1; p < u->n_pos; p++)
    last[p] = WEFT_MAX(last[p], last[p - 1]);
  for (uint32_t p = u->n_pos - 1; p-- > 0;)
    first[p] = WEFT_MIN(first[p], first[p + 1]);
  for (uint32_t i = 0; i < u->n; i++) {
    weft_unit *x = &u->v[i];
    if (x->fixed < 0)
      continue;
    x->enter = first[x->lo];
    x->leave = last[x->hi];
  }
  return WEFT_OK;
}

weft_status weft__units_make(const weft_plan_input *in, weft_arena *arena, weft_units *u, weft_diag *d) {
  *u = (weft_units){.in = in, .arena = arena};
  WEFT_TRY(check_sizes(in, u, d));
  for (uint32_t i = 0; i < in->n_spans; i++)
    WEFT_TRY(check_span(u, i, d));
  u->of_span = WEFT_NEW_N(arena, uint32_t, in->n_spans);
  u->in_unit = WEFT_NEW_N(arena, uint64_t, in->n_spans);
  u->step = WEFT_NEW_N(arena, uint32_t, in->n_spans);
  if (!u->of_span || !u->in_unit || !u->step) {
    return weft_fail(d, WEFT_E_NOMEM, "memory plan: no memory for %u spans", (unsigned)in->n_spans);
  }
  WEFT_TRY(find_wholes(u, d));
  WEFT_TRY(number_units(u, d));
  if (!u->n)
    return WEFT_OK;
  WEFT_TRY(u->n_streams == 1 ? place_on_steps(u, d) : place_on_clocks(u, d));
  WEFT_TRY(find_bound(u, d));
  return widen_fixed(u, d);
}
// SPDX-License-Identifier: Apache-2.0
