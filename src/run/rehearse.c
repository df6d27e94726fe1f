// rehearse.c - kernels before the first run: of each kernel that a plan launches a block for each thread is
// run once, with zeros where a run has data, and constants that lie in a file are read, of large ones where
// they begin. Instructions, tables, stacks of threads and constants are then in memory and mapped: a page
// that is touched first costs 2 to 15 us, and the first run of a transformer touched 20. What a rehearsal
// leaves in the arena every run writes anew before it reads it; results of kernels, errors too, are of no
// interest.
//
// Only kernels of weft itself on the CPU: a package's may do what a run alone should do.
#define _DEFAULT_SOURCE  // MAP_ANONYMOUS
#include <sys/mman.h>

#include "run/run.h"

enum {
  KINDS = 48,             // that are rehearsed at most
  LONGEST_NS = 1000000,   // of the launches that are rehearsed
  HEAD = 256 << 10,       // bytes that are read of a large constant
  MOST_INPUT = 16 << 20,  // bytes of zeros: where an input is larger, only constants are read
};

typedef struct kind {  // launches that run the same instructions, mostly
  weft_block_fn run;
  const struct weft_proto *proto;
  const weft__launch *cheapest;
  double cost;
} kind;

static uint32_t blocks_of(const weft_exec *x, const weft__launch *l) {
  return WEFT_MIN(l->block.blocks, x->pool ? weft__pool_threads(x->pool) : 1);
}

// Of these blocks, as if one thread ran them.
static double rehearse_cost_of(const weft_exec *x, const weft__launch *l) {
  double bytes = 0;
  for (uint32_t i = 0; i < l->call.n_in; i++)
    bytes += (double)l->call.in[i]->bytes;
  for (uint32_t i = 0; i < l->call.n_out; i++)
    bytes += (double)l->call.out[i]->bytes;
  return (l->cost_ns > 0 ? l->cost_ns : bytes / 8) * blocks_of(x, l) / WEFT_MAX(l->block.blocks, 1);
}

// Of each kind its cheapest launch; returns how many kinds there are.
static size_t find_kinds(const weft_exec *x, const weft__seg *s, kind kinds[KINDS]) {
  size_t n = 0;
  for (uint32_t i = 0; i < s->n_launches; i++) {
    const weft__launch *l = &s->launch[i];
    if (l->kind != WEFT__RUN_KERNEL || l->device)
      continue;
    kind k = {l->run, x->fn->node[l->node]->desc.proto, l, rehearse_cost_of(x, l)};
    size_t at = 0;
    while (at < n && (kinds[at].run != k.run || kinds[at].proto != k.proto))
      at++;
    bool is_new = at == n;
    if (is_new && (n == KINDS || !weft__kernel_is_own(l->kernel)))
      continue;
    if (is_new || k.cost < kinds[at].cost)
      kinds[at] = k;
    n += is_new;
  }
  return n;
}

// ---- constants ----
static void read_pages(const void *data, size_t bytes) {
  enum { PAGE = 4096 };
  const volatile char *p = data;
  char sum = 0;
  for (size_t i = 0; i < bytes; i += PAGE)
    sum ^= p[i];
  if (bytes)
    sum ^= p[bytes - 1];
  (void)sum;
}

// Those that a launch reads where they lie: packed ones were touched by packing. Of large ones a run may read
// a part only, mostly where they begin: tables have rows of special words and of the first places there.
static void read_constants(const weft__launch *l) {
  for (uint32_t i = 0; i < l->call.n_in && !l->device; i++) {
    const weft_tensor *t = l->call.in[i];
    bool packed = l->packed && l->packed[i];
    if (!packed && t->data && weft__holds_numbers(t->kind, t->dtype))
      read_pages(t->data, WEFT_MIN(t->bytes, HEAD));
  }
}

// ---- one launch ----
static bool in_arena(const weft_exec *x, const weft_tensor *t) {
  return x->arena && (char *)t->data >= x->arena && (char *)t->data < x->arena + x->arena_bytes;
}

// Not where a tensor has no memory before a run: nobody has made it yet, or it is the caller's.
static void rehearse(weft_exec *x, const weft__launch *l) {
  for (uint32_t i = 0; i < l->call.n_in; i++) {
    const weft_tensor *t = l->call.in[i];
    if (!(l->packed && l->packed[i]) && !t->data)
      return;
    if (!weft__holds_numbers(t->kind, t->dtype))
      return;
  }
  for (uint32_t i = 0; i < l->call.n_out; i++) {
    if (!l->call.out[i]->data && !(l->skips >> i & 1))
      return;
  }
  for (uint32_t i = 0; i < l->call.n_in; i++) {
    if (in_arena(x, l->call.in[i]))
      memset(l->call.in[i]->data, 0, l->call.in[i]->bytes);
  }
  (void)weft__launch_blocks(x, l, blocks_of(x, l));
}

// Lends memory to the tensors that are the caller's in a run: `zeros` to inputs, spare ones to outputs, and
// to the views of both. zeros NULL: takes it back.
static void lend(weft_exec *x, weft__seg *s, void *zeros) {
  for (uint32_t i = 0; i < x->fn->n_in; i++)
    x->in[i].data = zeros;
  for (uint32_t i = 0; i < s->n_given; i++) {
    const weft__place *p = &s->place[s->given[i] - s->v0];
    char *to = zeros && x->spare ? x->spare[p->output].data : NULL;
    s->tensor[s->given[i] - s->v0]->data = to ? to + p->offset : NULL;
  }
  for (uint32_t i = 0; i < s->n_launches; i++) {
    const weft__launch *l = &s->launch[i];
    if (l->kind != WEFT__RUN_VIEW)
      continue;
    char *from = l->call.in[0]->data;
    l->call.out[0]->data = zeros && from ? from + l->offset : NULL;
  }
}

// Zeros that nobody writes are one page of the system's, wherever they are read: the memory of the process
// does not grow by the largest input.
void weft__rehearse(weft_exec *x, weft__seg *s) {
  kind kinds[KINDS];
  size_t most = 1;
  size_t n = find_kinds(x, s, kinds);
  for (uint32_t i = 0; i < x->fn->n_in; i++)
    most = WEFT_MAX(most, x->in[i].bytes);
  lend(x, s, NULL);  // what a run has left there
  for (uint32_t i = 0; i < s->n_launches; i++)
    read_constants(&s->launch[i]);
  if (most > MOST_INPUT)
    return;
  void *zeros = mmap(NULL, most, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (zeros == MAP_FAILED)
    return;
  lend(x, s, zeros);
  for (size_t i = 0; i < n; i++) {
    if (kinds[i].cost <= LONGEST_NS)
      rehearse(x, kinds[i].cheapest);
  }
  lend(x, s, NULL);
  munmap(zeros, most);
}
// SPDX-License-Identifier: Apache-2.0
