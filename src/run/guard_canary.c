// guard_canary.c - guards without a sanitizer: up to 64 bytes before and behind each output and workspace are
// filled with a pattern for the time of the launch, and given back afterwards, whoever they belong to. Bytes
// of an input that lie there cannot be filled: they are compared. Bytes of the launch's own outputs and
// workspaces are left alone.
#include "run/guard.h"

enum { WIDTH = 64, PATTERN = 0xA5 };
const size_t weft__guard_margin = WIDTH;

typedef struct zone {  // one side of one output or workspace
  char *at;
  uint32_t n;     // bytes
  uint64_t held;  // bits of bytes that are compared only: an input's
  uint64_t mine;  // bits of bytes that the launch may write
  unsigned char saved[WIDTH];
} zone;
struct weft__guard {
  uint32_t n;
  zone zone[];
};

weft_status weft__guard_plan(weft_exec *x, weft__seg *s) {
  for (uint32_t k = 0; k < s->n_launches; k++) {
    weft__launch *l = &s->launch[k];
    size_t zones, bytes;
    if (!weft__guarded(l)) continue;
    if (!weft_mul_size((size_t)l->call.n_out + l->n_workspaces, 2, &zones) ||
        !weft_mul_size(zones, sizeof(zone), &bytes))
      return weft_fail(x->d, WEFT_E_OVERFLOW, "too many outputs");
    l->guard = weft__arena_zalloc(&s->mem, sizeof *l->guard + bytes, 16);
    if (!l->guard) return weft_fail(x->d, WEFT_E_NOMEM, "out of memory");
  }
  return WEFT_OK;
}

// Bits of the zone's bytes that lie in a range.
static uint64_t bits_of(const zone *z, const void *begin, size_t bytes) {
  uintptr_t a = (uintptr_t)z->at, b = (uintptr_t)begin;
  if (!begin || b >= a + z->n || b + bytes <= a) return 0;
  size_t lo = b > a ? b - a : 0, hi = WEFT_MIN(b + bytes - a, (uintptr_t)z->n);
  return (hi - lo == WIDTH ? ~UINT64_C(0) : (UINT64_C(1) << (hi - lo)) - 1) << lo;
}

static void claim(const weft__launch *l, zone *z) {
  z->held = z->mine = 0;
  for (uint32_t i = 0; i < l->call.n_in; i++)
    z->held |= bits_of(z, l->call.in[i]->data, l->call.in[i]->bytes);
  for (uint32_t i = 0; i < l->call.n_out; i++)
    z->mine |= bits_of(z, l->call.out[i]->data, l->call.out[i]->bytes);
  for (uint32_t i = 0; i < l->n_workspaces; i++)
    z->mine |= bits_of(z, l->block.workspace[i], l->workspace_bytes[i]);
}

// The two zones around [begin, begin + bytes), as far as they lie in the ground.
static void surround(const weft__launch *l, zone *pair, weft__ground g, char *begin, size_t bytes) {
  pair[0].n = pair[1].n = 0;
  if (!g.begin || !begin || begin < g.begin || begin + bytes > g.end) return;
  pair[0].n = (uint32_t)WEFT_MIN((size_t)(begin - g.begin), (size_t)WIDTH), pair[0].at = begin - pair[0].n;
  pair[1].n = (uint32_t)WEFT_MIN((size_t)(g.end - begin) - bytes, (size_t)WIDTH), pair[1].at = begin + bytes;
  claim(l, &pair[0]), claim(l, &pair[1]);
}

void weft__guard_begin(weft_exec *x, weft__seg *s, weft__launch *l) {
  if (!l->guard || !x->arena) return;
  const weft__place arena = {.kind = WEFT__AT_ARENA};
  const weft__place *p = &s->place[x->fn->first_out[l->node] - s->v0];
  zone *z = l->guard->zone;
  for (uint32_t i = 0; i < l->call.n_out; i++, z += 2)
    surround(l, z, weft__guard_ground(x, &p[i], WIDTH), l->call.out[i]->data, l->call.out[i]->bytes);
  for (uint32_t i = 0; i < l->n_workspaces; i++, z += 2)
    surround(l, z, weft__guard_ground(x, &arena, WIDTH), l->block.workspace[i], l->workspace_bytes[i]);
  l->guard->n = (uint32_t)(z - l->guard->zone);
  for (z = l->guard->zone; z < l->guard->zone + l->guard->n; z++)  // first all are kept: zones may overlap
    if (z->n) memcpy(z->saved, z->at, z->n);
  for (z = l->guard->zone; z < l->guard->zone + l->guard->n; z++)
    for (uint32_t k = 0; k < z->n; k++)
      if (!((z->held | z->mine) >> k & 1)) z->at[k] = (char)PATTERN;
}

// Bits of the bytes that the launch has changed.
static uint64_t changed(const zone *z) {
  uint64_t found = 0;
  for (uint32_t k = 0; k < z->n; k++)
    if (!(z->mine >> k & 1) && (unsigned char)z->at[k] != (z->held >> k & 1 ? z->saved[k] : PATTERN))
      found |= UINT64_C(1) << k;
  return found;
}

// Whose memory it is: what is still needed after the node comes first.
static const char *owner(const weft_exec *x, const weft__seg *s, const weft__launch *l, const char *at) {
  for (; s; s = s->parent)
    for (uint32_t v = s->v0; v < s->v1 && v < x->fn->first_out[l->node]; v++) {
      const weft_tensor *t = s->tensor[v - s->v0];
      const weft__place *p = &s->place[v - s->v0];
      if ((p->kind != WEFT__AT_ARENA && p->kind != WEFT__AT_OUTPUT) || p->space || !t->data) continue;
      if (x->fn->last[v] == WEFT__UNREAD || x->fn->last[v] < l->node) continue;
      if (at >= (char *)t->data && at < (char *)t->data + t->bytes) return x->fn->value[v]->name;
    }
  return NULL;
}

static weft_status tell(const weft_exec *x, const weft__seg *s, const weft__launch *l, uint32_t i,
                        uint64_t bytes, weft_diag *d) {
  const zone *z = &l->guard->zone[i];
  bool behind = i & 1;
  uint32_t k = i / 2, first = (uint32_t)__builtin_ctzll(bytes), last = 63 - (uint32_t)__builtin_clzll(bytes);
  const weft_node *n = x->fn->node[l->node];
  const char *name = k < l->call.n_out ? n->out[k].name : "", *hit = NULL;
  for (uint32_t at = first; at <= last && !hit; at++)
    if (bytes >> at & 1) hit = owner(x, s, l, z->at + at);
  return weft_fail(d, WEFT_E_KERNEL, "kernel '%s' of node '%s' wrote %u bytes %s its %s %u%s%s%s, %s%s%s",
                   l->kernel ? l->kernel->name : "reference", weft__node_name(n),
                   behind ? last + 1 : z->n - first, behind ? "past the end of" : "before",
                   k < l->call.n_out ? "output" : "workspace", k < l->call.n_out ? k : k - l->call.n_out,
                   *name ? " ('" : "", name, *name ? "')" : "", hit ? "where '" : "where no value lies",
                   hit ? hit : "", hit ? "' lies" : "");
}

weft_status weft__guard_end(weft_exec *x, weft__seg *s, weft__launch *l, weft_status status, weft_diag *d) {
  if (!l->guard || !x->arena) return status;
  const struct weft__guard *g = l->guard;
  weft_status found = status;
  for (uint32_t i = 0; i < g->n && !found; i++) {
    uint64_t bytes = changed(&g->zone[i]);
    if (bytes) found = tell(x, s, l, i, bytes, d);
  }
  for (uint32_t i = g->n; i-- > 0;) {
    const zone *z = &g->zone[i];
    for (uint32_t k = 0; k < z->n; k++)
      if (!(z->mine >> k & 1)) z->at[k] = (char)z->saved[k];
  }
  return found == status ? status : weft__launch_failed(x, l, found, d);
}
