// budget.c - see budget.h.
#include "base/budget.h"

static const uint64_t LATE =
    UINT64_MAX;  // in refused_bytes: not for the memory, but for the time or the flag

bool weft__budget_charge(weft__budget *b, uint64_t bytes) {
  uint64_t limit = b->now.limit_bytes;
  uint64_t before = atomic_fetch_add_explicit(&b->live_bytes, bytes, memory_order_relaxed);
  if (!limit || (bytes <= limit && before <= limit - bytes))
    return true;
  atomic_fetch_sub_explicit(&b->live_bytes, bytes, memory_order_relaxed);
  atomic_store_explicit(&b->refused_live, before, memory_order_relaxed);
  atomic_store_explicit(&b->refused_bytes, bytes, memory_order_relaxed);
  return false;
}

void weft__budget_refuse(weft__budget *b, uint64_t bytes) {
  atomic_store_explicit(&b->refused_live, weft__budget_live(b), memory_order_relaxed);
  atomic_store_explicit(&b->refused_bytes, bytes, memory_order_relaxed);
}

bool weft__budget_is_short(const weft__budget *b) {
  const uint64_t refused = atomic_load_explicit(&b->refused_bytes, memory_order_relaxed);
  return refused && refused != LATE;
}

void weft__budget_release(weft__budget *b, uint64_t bytes) {
  atomic_fetch_sub_explicit(&b->live_bytes, bytes, memory_order_relaxed);
}

// Who asks for memory works: that somebody wants to stop it is seen here, too, wherever nobody polls.
static bool is_late(weft__budget *b) {
  if (!weft__budget_timed(b) || !weft__budget_is_over(b))
    return false;
  atomic_store_explicit(&b->refused_bytes, LATE, memory_order_relaxed);
  return true;
}

static void *budget_alloc(void *ctx, void *ptr, size_t old_bytes, size_t new_bytes, size_t align) {
  weft__budget *b = ctx;
  if (new_bytes > old_bytes && is_late(b))
    return NULL;
  if (new_bytes > old_bytes && !weft__budget_charge(b, new_bytes - old_bytes))
    return NULL;
  void *p = b->below.fn(b->below.ctx, ptr, old_bytes, new_bytes, align);
  bool failed = new_bytes && !p;
  if (failed && new_bytes > old_bytes)
    weft__budget_release(b, new_bytes - old_bytes);
  if (!failed && new_bytes < old_bytes)
    weft__budget_release(b, old_bytes - new_bytes);
  return p;
}

const weft_allocator *weft__budget_below(const weft_allocator *a) {
  return a && a->fn == budget_alloc ? &((const weft__budget *)a->ctx)->below : a;
}

const weft__budget *weft__budget_of(const weft_allocator *a) {
  return a && a->fn == budget_alloc ? a->ctx : NULL;
}

void weft__budget_init(weft__budget *b, const weft_allocator *below) {
  memset(b, 0, sizeof *b);
  b->below = below && below->fn ? *below : weft_allocator_default();
  b->self = (weft_allocator){budget_alloc, b};
}

weft_limits weft__limits_copy(const weft_limits *from) {
  weft_limits to = {0};
  WEFT_SIZED_IN(&to, from, cancel);
  return to;
}

static uint64_t tighter(uint64_t a, uint64_t b) {
  return !a ? b : !b ? a : WEFT_MIN(a, b);
}

static void tighten(weft__allowance *a, const weft_limits *limits) {
  weft_limits o = weft__limits_copy(limits);
  a->limit_bytes = tighter(a->limit_bytes, o.memory_limit_bytes);
  if (o.cancel)
    a->cancel = o.cancel;
  if (!o.time_limit_ns)
    return;
  uint64_t now = weft__now_ns();
  uint64_t end = o.time_limit_ns > UINT64_MAX - now ? UINT64_MAX : now + o.time_limit_ns;
  if (!a->deadline_ns || end < a->deadline_ns) {
    a->deadline_ns = end;
    a->time_limit_ns = o.time_limit_ns;
  }
}

weft__allowance weft__budget_begin(weft__budget *b, const weft_limits *own, const weft_limits *usual) {
  weft__allowance before = b->now;
  if (!b->depth++) {
    atomic_store_explicit(&b->refused_bytes, 0, memory_order_relaxed);
    if (usual)
      tighten(&b->now, usual);
  }
  if (own)
    tighten(&b->now, own);
  return before;
}

weft__in_use weft__in_use_of(uint64_t bytes) {
  weft__in_use u = {""};
  if (bytes)
    snprintf(u.text, sizeof u.text, "%llu are in use and ", (unsigned long long)bytes);
  return u;
}

// The cause's line becomes that of the limit; what was noted on the way stays.
static weft_status explain(const weft__budget *b, uint64_t refused, weft_diag *d) {
  char notes[WEFT_DIAG_BYTES];
  const char *end = d->length ? strchr(d->text, '\n') : NULL;
  notes[0] = 0;
  if (end)
    memcpy(notes, end + 1, strlen(end));
  weft_diag_clear(d);
  weft_status s = WEFT_E_LIMIT;
  if (refused == LATE)
    s = weft__budget_over(b, d);
  else {
    uint64_t live = atomic_load(&b->refused_live);
    (void)weft_fail(d, s, "the memory limit of %llu bytes is reached: %s%llu%s are needed",
                    (unsigned long long)b->now.limit_bytes, weft__in_use_of(live).text,
                    (unsigned long long)refused, live ? " more" : "");
  }
  if (*notes)
    weft_note(d, "%s", notes + 2);
  return s;
}

weft_status weft__budget_explain(const weft__budget *b, weft_status s, weft_diag *d) {
  uint64_t refused = atomic_load(&b->refused_bytes);
  if (s != WEFT_E_NOMEM || !refused)
    return s;
  if (d)
    return explain(b, refused, d);
  return refused == LATE ? weft__budget_over(b, NULL) : WEFT_E_LIMIT;
}

weft_status weft__budget_end(weft__budget *b, const weft__allowance *before, weft_status s, weft_diag *d) {
  s = weft__budget_explain(b, s, d);
  b->now = *before;
  b->depth--;
  return s;
}

bool weft__budget_is_over(const weft__budget *b) {
  const weft__allowance *a = &b->now;
  return (a->cancel && *a->cancel) || (a->deadline_ns && weft__now_ns() >= a->deadline_ns);
}

weft_status weft__budget_over(const weft__budget *b, weft_diag *d) {
  const weft__allowance *a = &b->now;
  if (a->cancel && *a->cancel)
    return weft_fail(d, WEFT_E_CANCELLED, "cancelled by the caller");
  return weft_fail(d, WEFT_E_LIMIT, "the time limit of %llu ns was reached",
                   (unsigned long long)a->time_limit_ns);
}

enum { PIECE = 16 << 20 };  // bytes between two looks at the clock

weft_status weft__budget_zero(const weft__budget *b, void *to, size_t bytes, weft_diag *d) {
  for (size_t at = 0; at < bytes; at += PIECE) {
    if (b && at)
      WEFT_TRY(weft__budget_poll(b, d));
    memset((char *)to + at, 0, WEFT_MIN(bytes - at, PIECE));
  }
  return WEFT_OK;
}

weft_status weft__budget_copy(const weft__budget *b, void *to, const void *from, size_t bytes, weft_diag *d) {
  for (size_t at = 0; at < bytes; at += PIECE) {
    if (b && at)
      WEFT_TRY(weft__budget_poll(b, d));
    memcpy((char *)to + at, (const char *)from + at, WEFT_MIN(bytes - at, PIECE));
  }
  return WEFT_OK;
}

// ---- what is in use ----
void weft__holders_add(weft__holders *h, const char *name, uint64_t bytes) {
  if (!bytes)
    return;
  size_t at = WEFT_MIN(h->n, WEFT__HOLDERS_TOLD);
  h->n++;
  h->all_bytes += bytes;
  while (at && h->bytes[at - 1] < bytes) {
    if (at < WEFT__HOLDERS_TOLD) {
      h->bytes[at] = h->bytes[at - 1];
      h->name[at] = h->name[at - 1];
    }
    at--;
  }
  if (at < WEFT__HOLDERS_TOLD) {
    h->bytes[at] = bytes;
    h->name[at] = name;
  }
}

void weft__holders_note(const weft__holders *h, const char *graph, weft_diag *d) {
  const size_t told = WEFT_MIN(h->n, WEFT__HOLDERS_TOLD);
  char list[500] = "";
  char others[80] = "";
  size_t at = 0;
  uint64_t rest = h->all_bytes;
  if (!h->n)
    return;
  for (size_t i = 0; i < told; i++) {
    const char *quote = h->name[i] ? "'" : "";
    weft__append(list, sizeof list, &at, "%s%s%.100s%s (%llu bytes)", at ? ", " : "", quote,
                 h->name[i] ? h->name[i] : "planned intermediate tensors", quote,
                 (unsigned long long)h->bytes[i]);
    rest -= h->bytes[i];
  }
  if (h->n > told)
    snprintf(others, sizeof others, ", %zu more (%llu bytes)", h->n - told, (unsigned long long)rest);
  weft_note(d, "in use in graph '%.100s': %s%s", graph, list, others);
}
// SPDX-License-Identifier: Apache-2.0
