// constants.c - what the launches of a plan are given of constants: in the layouts that their kernels ask
// for, aligned where a mapped file has them at any byte, and awake where they are read as they are.
#include "run/build.h"

static weft_status constants_no_memory(const builder *b) {
  return weft_fail(b->d, WEFT_E_NOMEM, "out of memory");
}

// Does a constant lie so that a kernel may read its elements? Those of a mapped model lie at any byte.
static bool constants_aligned(const weft_tensor *t) {
  return (uintptr_t)__atomic_load_n(&t->data, __ATOMIC_RELAXED) %
             WEFT_MAX(1, weft_dtype_bits(t->dtype) / 8) ==
         0;
}

// What only this plan knows is packed, or copied to where a kernel may read it (kernel NULL), into memory of
// its own.
static weft_status pack_own(builder *b, const weft__pack_wish *w) {
  weft_tensor *to = weft__build_known(b);
  if (!to)
    return constants_no_memory(b);
  WEFT_TRY(weft_tensor_alloc(to, WEFT_UINT8, (weft_dim[]){(weft_dim)w->bytes}, 1, b->d));
  *w->out = to->data;
  return weft__packing_run(b->x->program, w, to->data, b->d);
}

// The pointer is one already, so that nobody takes the constant for one that is read as it is.
static weft_status wish(builder *b, const weft__pack_wish *w, uint32_t node) {
  const weft_allocator *a = &b->x->cache->counted;
  if (!WEFT_VEC_ROOM(a, b->wishes) || !WEFT_VEC_ROOM(a, b->wishers))
    return constants_no_memory(b);
  b->wishes.v[b->wishes.n++] = *w;
  b->wishers.v[b->wishers.n++] = node;
  *w->out = w->t;
  return WEFT_OK;
}

weft_status weft__build_wishes(builder *b) {
  size_t failed;
  weft_status s = weft__program_pack(b->x->program, b->x->pool, b->wishes.v, b->wishes.n, &failed, b->d);
  if (s && b->wishes.n)
    weft__build_note(b, b->f->node[b->wishers.v[failed]]);
  return s;
}

static bool must_move(const weft_tiling *t, uint32_t i) {
  return t->value[i] && !(i < 32 && t->bytewise >> i & 1) && !constants_aligned(t->value[i]);
}

weft_status weft__build_packed(builder *b, weft__launch *l, const weft_tiling *t, const weft_node *n) {
  bool any = false;
  if (l->device)
    return weft__device_inputs(b->x, b->s, l, t);
  for (uint32_t i = 0; i < l->call.n_in; i++)
    any |= (i < WEFT_COUNT(t->pack_bytes) && t->pack_bytes[i]) || must_move(t, i);
  if (!any)
    return WEFT_OK;
  const void **packed = WEFT_NEW_N(&b->s->mem, const void *, (size_t)l->call.n_in + 1);
  if (!packed)
    return constants_no_memory(b);
  for (uint32_t i = 0; i < l->call.n_in; i++) {
    size_t bytes = i < WEFT_COUNT(t->pack_bytes) ? t->pack_bytes[i] : 0;
    bool lasts = n->in[i].value->fact.value == t->value[i];  // as long as the program
    if (bytes && !t->value[i]) {
      return weft_fail(b->d, WEFT_E_KERNEL, "kernel '%s': input %u is not a constant and cannot be packed",
                       l->kernel->name, i);
    }
    bool moved = !bytes && must_move(t, i);  // as it is, but aligned
    const weft_kernel *k = moved ? NULL : l->kernel;
    if (moved)
      bytes = t->value[i]->bytes;
    if (!bytes)
      continue;
    const weft__pack_wish w = {k, t->desc, i, t->value[i], bytes, moved ? 0 : t->pack_key[i], &packed[i]};
    WEFT_TRY(lasts ? wish(b, &w, l->node) : pack_own(b, &w));
  }
  l->packed = packed;
  return WEFT_OK;
}

weft_status weft__build_captured(builder *b, weft__launch *l, const weft_node *n) {
  for (uint32_t i = 0; i < l->call.n_in; i++) {
    const weft_value *v = n->in[i].value;
    const weft_tensor *t = v->origin == WEFT_VALUE_CONST ? v->fact.value : NULL;
    const void *data;
    if (!t || !weft__holds_numbers(t->kind, t->dtype) || !t->bytes || constants_aligned(t))
      continue;
    weft_tensor *own = WEFT_NEW(&b->s->mem, weft_tensor);
    if (!own)
      return constants_no_memory(b);
    const weft__pack_wish w = {.desc = &n->desc.pub, .in = i, .t = t, .bytes = t->bytes, .out = &data};
    size_t failed;
    WEFT_TRY(weft__program_pack(b->x->program, NULL, &w, 1, &failed, b->d));
    *own = *t;
    own->data = (void *)(uintptr_t)data;
    own->owned = 0;
    ((const weft_tensor **)(uintptr_t)l->call.in)[i] = own;
  }
  return WEFT_OK;
}

weft_status weft__build_wake(builder *b, const weft_node *n, const weft__launch *l) {
  for (uint32_t i = 0; i < n->desc.pub.n_in; i++) {
    const weft_value *v = n->in[i].value;
    const weft_tensor *t = v->origin == WEFT_VALUE_CONST ? v->fact.value : NULL;
    if (t && (l || weft__is_asleep(t)) && !(l && l->packed && l->packed[i]))
      WEFT_TRY(weft__remake_wake(b->x->program->graph, t, true, b->d));
  }
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
