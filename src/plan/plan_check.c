// plan_check.c - proves a plan, and says what is live at a step. Neither trusts the planner: both read spans.
#include "plan/units.h"

// ---- proof ----

static weft_status check_offsets(const weft_units *u, const weft_plan_result *r, uint64_t *offset,
                                 weft_diag *d) {
  const weft_plan_input *in = u->in;
  char who[96];
  char whole[96];
  for (uint32_t i = 0; i < u->n; i++) {
    const weft_unit *x = &u->v[i];
    offset[i] = in->span[x->span].offset;
    if (x->fixed >= 0 && offset[i] != (uint64_t)x->fixed) {
      return weft_fail(d, WEFT_E_STATE, "memory plan: %s is fixed at %lld, the plan has it at %llu",
                       weft__span_text(in, x->span, who), (long long)x->fixed, (unsigned long long)offset[i]);
    }
    if (x->fixed < 0 && (offset[i] & (u->align - 1))) {
      return weft_fail(d, WEFT_E_STATE, "memory plan: %s lies at %llu, expected a multiple of %llu",
                       weft__span_text(in, x->span, who), (unsigned long long)offset[i],
                       (unsigned long long)u->align);
    }
    if (offset[i] > r->peak_bytes || x->bytes > r->peak_bytes - offset[i]) {
      return weft_fail(d, WEFT_E_STATE,
                       "memory plan: %s (%llu bytes at %llu) ends behind the arena of %llu bytes",
                       weft__span_text(in, x->span, who), (unsigned long long)x->bytes,
                       (unsigned long long)offset[i], (unsigned long long)r->peak_bytes);
    }
  }
  for (uint32_t i = 0; i < in->n_spans; i++) {
    uint32_t unit = u->of_span[i];
    uint64_t expected = unit == WEFT_NO_SPAN ? 0 : offset[unit] + u->in_unit[i];
    if (in->span[i].offset == expected)
      continue;
    weft__span_text(in, i, who);
    if (unit == WEFT_NO_SPAN) {
      return weft_fail(d, WEFT_E_STATE, "memory plan: %s takes no memory, expected offset 0, got %llu", who,
                       (unsigned long long)in->span[i].offset);
    }
    return weft_fail(d, WEFT_E_STATE, "memory plan: %s lies inside %s, expected offset %llu, got %llu", who,
                     weft__span_text(in, u->v[unit].span, whole), (unsigned long long)expected,
                     (unsigned long long)in->span[i].offset);
  }
  return WEFT_OK;
}

static weft_status check_in(const weft_plan_input *in, const weft_plan_result *r, weft_arena *arena,
                            weft_diag *d) {
  weft_units u;
  WEFT_TRY(weft__units_make(in, arena, &u, d));
  uint64_t *offset = WEFT_NEW_N(arena, uint64_t, u.n);
  uint32_t a;
  uint32_t b;
  if (!offset)
    return weft_fail(d, WEFT_E_NOMEM, "memory plan: no memory for %u spans", (unsigned)u.n);
  WEFT_TRY(check_offsets(&u, r, offset, d));
  if (!u.n)
    return WEFT_OK;
  WEFT_TRY(weft__units_overlap(&u, offset, &a, &b, d));
  if (a == WEFT_NO_SPAN)
    return WEFT_OK;
  char text_a[96];
  char text_b[96];
  return weft_fail(d, WEFT_E_STATE,
                   "memory plan: %s (%llu bytes at %llu) and %s (%llu bytes at %llu) are live together "
                   "and overlap",
                   weft__span_text(in, u.v[a].span, text_a), (unsigned long long)u.v[a].bytes,
                   (unsigned long long)offset[a], weft__span_text(in, u.v[b].span, text_b),
                   (unsigned long long)u.v[b].bytes, (unsigned long long)offset[b]);
}

weft_status weft__plan_check(const weft_plan_input *in, const weft_plan_result *r, const weft_allocator *a,
                             weft_diag *d) {
  weft_arena arena;
  weft__arena_init(&arena, a);
  weft_status s = check_in(in, r, &arena, d);
  weft__arena_deinit(&arena);
  return s;
}

// ---- live at a step ----
// No memory is asked for: owners are taken CHUNK at a time, and what lies inside them is looked through for
// each chunk.

enum { CHUNK = 4096, KNOWN = 512 };

typedef struct view {
  const weft_plan_input *in;
  uint32_t step, n_streams, chunk;  // chunk: its first span
  uint8_t begun[CHUNK], not_ended[CHUNK], seen[CHUNK];
  uint32_t span[KNOWN], owner[KNOWN];  // owners found lately: span + 1 -> owner
} view;

// The span that owns the memory of span i; WEFT_NO_SPAN for what `into` leads nowhere (an input that was not
// checked).
static uint32_t owner_of(view *v, uint32_t i) {
  const weft_plan_input *in = v->in;
  uint32_t at = i;
  for (uint32_t hops = 0; at < in->n_spans && in->span[at].into != WEFT_NO_SPAN; hops++) {
    if (hops > in->n_spans)
      at = WEFT_NO_SPAN;
    else if (v->span[at % KNOWN] == at + 1)
      at = v->owner[at % KNOWN];
    else
      at = in->span[at].into;
  }
  if (at >= in->n_spans)
    at = WEFT_NO_SPAN;
  v->span[i % KNOWN] = i + 1;
  v->owner[i % KNOWN] = at;
  return at;
}

static bool begun(const view *v, const weft_span *s, uint32_t k) {
  if (v->n_streams == 1)
    return s->first <= v->step;
  const uint32_t *clock = v->in->clock;
  return clock[(size_t)s->first * v->n_streams + k] <= clock[(size_t)v->step * v->n_streams + k];
}

static bool not_ended(const view *v, uint32_t i, uint32_t k) {
  if (v->n_streams == 1)
    return v->in->span[i].last >= v->step;
  return v->in->uses[(size_t)i * v->n_streams + k] > v->in->clock[(size_t)v->step * v->n_streams + k];
}

// Live: for each stream some part has begun by the step's clock, and on some stream a part is used later than
// that.
static void look_at_chunk(view *v, uint32_t n) {
  const weft_plan_input *in = v->in;
  memset(v->begun, 1, n);
  memset(v->not_ended, 0, n);
  for (uint32_t k = 0; k < v->n_streams; k++) {
    memset(v->seen, 0, n);
    for (uint32_t i = 0; i < in->n_spans; i++) {
      const weft_span *s = &in->span[i];
      if (!s->bytes || s->first >= in->n_steps)
        continue;
      if (s->into == WEFT_NO_SPAN && (i < v->chunk || i - v->chunk >= n))
        continue;
      uint32_t owner = owner_of(v, i);
      if (owner < v->chunk || owner - v->chunk >= n)
        continue;
      v->seen[owner - v->chunk] |= begun(v, s, k);
      v->not_ended[owner - v->chunk] |= not_ended(v, i, k);
    }
    for (uint32_t i = 0; i < n; i++)
      v->begun[i] &= v->seen[i];
  }
}

static bool plan_check_before(const weft_plan_input *in, uint32_t a,
                              uint32_t b) {  // in the order of the answer
  uint64_t x = in->span[a].bytes;
  uint64_t y = in->span[b].bytes;
  return x != y ? x > y : a < b;
}

// A heap with the last of the answer's order on top.
static void sink(const weft_plan_input *in, uint32_t *heap, uint32_t n) {
  for (uint32_t i = 0;;) {
    uint32_t left = 2 * i + 1;
    uint32_t last = i;
    if (left < n && plan_check_before(in, heap[last], heap[left]))
      last = left;
    if (left + 1 < n && plan_check_before(in, heap[last], heap[left + 1]))
      last = left + 1;
    if (last == i)
      return;
    uint32_t swap = heap[i];
    heap[i] = heap[last];
    heap[last] = swap;
    i = last;
  }
}

static uint32_t plan_check_add(const weft_plan_input *in, uint32_t *heap, uint32_t n, uint32_t cap,
                               uint32_t x) {
  if (n == cap) {
    if (!cap || plan_check_before(in, heap[0], x))
      return n;
    heap[0] = x;
    sink(in, heap, n);
    return n;
  }
  uint32_t i = n;
  for (; i && plan_check_before(in, heap[(i - 1) / 2], x); i = (i - 1) / 2)
    heap[i] = heap[(i - 1) / 2];
  heap[i] = x;
  return n + 1;
}

uint32_t weft__plan_live_at(const weft_plan_input *in, uint32_t step, uint32_t *out_spans, uint32_t cap) {
  view v = {.in = in, .step = step, .n_streams = in->clock && in->n_streams > 1 ? in->n_streams : 1};
  uint32_t found = 0;
  uint32_t kept = 0;
  if (step >= in->n_steps || (v.n_streams > 1 && !in->uses))
    return 0;
  for (v.chunk = 0; v.chunk < in->n_spans; v.chunk += CHUNK) {
    uint32_t n = WEFT_MIN(in->n_spans - v.chunk, (uint32_t)CHUNK);
    look_at_chunk(&v, n);
    for (uint32_t i = 0; i < n; i++) {
      if (!v.begun[i] || !v.not_ended[i] || in->span[v.chunk + i].into != WEFT_NO_SPAN)
        continue;
      found++;
      kept = plan_check_add(in, out_spans, kept, cap, v.chunk + i);
    }
    if (in->n_spans - v.chunk <= CHUNK)
      break;
  }
  for (uint32_t n = kept; n > 1;) {  // the last goes to the end
    uint32_t last = out_spans[0];
    out_spans[0] = out_spans[--n];
    out_spans[n] = last;
    sink(in, out_spans, n);
  }
  return found;
}
// SPDX-License-Identifier: Apache-2.0
