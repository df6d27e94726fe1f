// build.c - plans one segment: walks its nodes with the shapes at hand, finds small values (build_facts.c),
// decides what is a view, which kernel runs each node (build_kernel.c), and where the segment ends. Memory is
// placed by layout.c. Cost: inference of each node that is not static in the program, about 0.2 us, and the
// plan; done once for each key.
#include "op/infer_node.h"
#include "run/build.h"

weft_status weft__build_no_memory(const builder *b) {
  return weft_fail(b->d, WEFT_E_NOMEM, "out of memory");
}

uint64_t weft__tensor_span(const weft_tensor *t) {
  int64_t elems = weft_tensor_elems(t);
  int64_t bytes = elems < 0 ? -1 : weft_dtype_bytes(elems, t->dtype);
  return bytes < 0 ? 0 : (uint64_t)bytes;
}

weft__place *weft__build_place(const builder *b, uint32_t v) {
  const weft__seg *s = b->s;
  if (v < b->f->n_in + b->f->n_const)
    return NULL;
  while (v < s->v0)
    s = s->parent;
  return &s->place[v - s->v0];
}

// ---- tensors ----
static weft_tensor *build_describe(builder *b, const weft_fact *f) {
  weft_tensor *t = WEFT_NEW(&b->s->mem, weft_tensor);
  if (!t)
    return weft_fail(b->d, WEFT_E_NOMEM, "out of memory"), NULL;
  t->size = sizeof *t;
  t->dtype = f->dtype;
  t->kind = f->kind;
  t->item_dtype = f->item_dtype;
  t->origin_format = f->origin_format;
  t->format = f->format;
  weft__fact_shape(f, &t->layout.origin);
  if (weft__format_packed(f->format) && weft__fact_known(f)) {
    if (weft_format_storage_shape(&t->layout.origin, f->origin_format, f->format, 0, &t->layout.storage,
                                  b->d))
      return NULL;
  } else {
    weft_shape_copy(&t->layout.storage, &t->layout.origin);
  }
  if (f->kind == WEFT_KIND_TENSOR && weft__fact_known(f)) {
    int64_t elems;
    if (weft_shape_elems(&t->layout.storage, &elems) || elems < 0 || weft_dtype_bytes(elems, f->dtype) < 0) {
      char text[256];
      weft_fail(b->d, WEFT_E_OVERFLOW, "a tensor %s%s has more than 2^63 bytes", weft_dtype_serial(f->dtype),
                weft_shape_text(&t->layout.storage, NULL, text, sizeof text));
      return NULL;
    }
    t->bytes = t->capacity = (size_t)weft__tensor_span(t);
  }
  return t;
}

static void build_put(builder *b, uint32_t v, weft_tensor *t, uint8_t kind) {
  weft__seg *s = b->s;
  s->tensor[v - s->v0] = t;
  if (kind != WEFT__AT_CONST)
    t->placement = b->device ? WEFT_ON_DEVICE : WEFT_ON_HOST;
  s->place[v - s->v0] = (weft__place){
      .kind = kind, .root = v, .output = WEFT__UNREAD, .space = kind == WEFT__AT_CONST ? 0 : b->device};
}

weft_tensor *weft__build_known(void *ctx) {
  builder *b = ctx;
  weft_allocator *a = &b->x->cache->counted;
  if (!WEFT_VEC_ROOM(a, b->s->known))
    return NULL;
  weft_tensor *t = weft__alloc(a, sizeof *t, _Alignof(weft_tensor));
  if (!t)
    return NULL;
  weft_tensor_init(t, a);
  b->s->known.v[b->s->known.n++] = t;
  return t;
}

// ---- launches ----
weft__launch *weft__build_launch(builder *b, uint8_t kind, uint32_t node) {
  if (!WEFT_VEC_ROOM(&b->x->cache->counted, b->launches))
    return weft__build_no_memory(b), NULL;
  weft__launch *l = &b->launches.v[b->launches.n++];
  memset(l, 0, sizeof *l);
  l->kind = kind;
  l->node = node;
  l->device = b->device;
  return l;
}

// ---- nodes ----
static bool has_box(const weft_node *n) {
  for (uint32_t i = 0; i < n->desc.pub.n_in; i++) {
    if (n->in[i].value->fact.kind != WEFT_KIND_TENSOR)
      return true;
  }
  for (uint32_t i = 0; i < n->desc.pub.n_out; i++) {
    if (!weft__holds_numbers(n->out[i].fact.kind, n->out[i].fact.dtype))
      return true;
  }
  return false;
}

static bool all_known(const weft_fact *f, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    if (!weft__fact_known(&f[i]))
      return false;
  }
  return true;
}

static weft_status plan_plain(builder *b, const weft_node *n, uint32_t pos, const weft_fact *facts) {
  const weft_op *op = n->desc.proto->op;
  uint32_t v = b->f->first_out[pos];
  bool known = n->desc.pub.n_out > 0;
  for (uint32_t i = 0; i < n->desc.pub.n_out; i++) {
    const weft_tensor *value = facts[i].value;
    known &= value != NULL;
    weft_tensor *t = value ? (weft_tensor *)(uintptr_t)value : build_describe(b, &facts[i]);
    if (!t)
      return b->d->status;
    build_put(b, v + i, t, value ? WEFT__AT_CONST : WEFT__AT_ARENA);
  }
  if (known)
    return WEFT_OK;
  bool done = false;
  if (b->f->copied && b->f->copied[pos]) {
    weft__launch *l = weft__build_launch(b, WEFT__RUN_MOVE, pos);
    if (!l)
      return b->d->status;
    l->to_host = b->f->copied[pos] > 1;
    if (l->to_host)
      l->device = (uint8_t)(b->f->copied[pos] - 1);
    WEFT_TRY(weft__build_arguments(b, l, n));
    return l->call.in[0]->bytes == l->call.out[0]->bytes
               ? WEFT_OK
               : weft_fail(b->d, WEFT_E_STATE, "a copy of %zu bytes into %zu", l->call.in[0]->bytes,
                           l->call.out[0]->bytes);
  }
  if (n->desc.pub.n_out)
    WEFT_TRY(weft__build_moved(b, n, pos, &done));
  if (done)
    return WEFT_OK;
  weft__launch *l = weft__build_launch(b, WEFT__RUN_REF, pos);
  if (!l)
    return b->d->status;
  WEFT_TRY(weft__build_arguments(b, l, n));
  l->fn = op->ref;
  WEFT_TRY(weft__build_kernel(b, l, n));
  if (!l->kernel && !op->ref) {
    return weft_fail(b->d, WEFT_E_UNSUPPORTED, "no kernel found for op %s: it has no reference kernel (%s)",
                     op->name, n->desc.proto->origin);
  }
  return WEFT_OK;
}

// A node that allocates its outputs itself: execute functions, sub-graphs, strings, sequences.
static weft_status plan_call(builder *b, const weft_node *n, uint32_t pos) {
  const weft_op_desc *desc = &n->desc.pub;
  const weft_proto *p = n->desc.proto;
  uint32_t v = b->f->first_out[pos];
  bool given = (!p->op->infer || n->n_graphs) && p->op->execute;
  bool each = false;
  for (uint32_t i = 0; i < desc->n_in; i++)
    each |= n->in[i].value->fact.kind != WEFT_KIND_TENSOR;
  weft_fact *facts = NULL;
  if (given || !each) {
    facts = WEFT_NEW_N(&b->s->mem, weft_fact, (size_t)desc->n_out + 1);
    if (!facts)
      return weft__build_no_memory(b);
    if (!given) {
      weft__build_gather(b, n);
      WEFT_TRY(weft__build_infer(b, n));
    }
    for (uint32_t i = 0; i < desc->n_out; i++)
      WEFT_TRY(weft__fact_copy(&b->s->mem, given ? &n->out[i].fact : &b->x->frame.facts[i], &facts[i], b->d));
    // shapes that depend on contents, and nobody but inference who finds them: at each run
    bool by_contents = !all_known(facts, desc->n_out) || weft__build_reads(b, n, weft__build_unseen);
    if (!given && !p->op->execute && by_contents)
      facts = NULL;
  }
  b->x->has_boxes = true;
  bool open = false;  // are there shapes that only the run will tell?
  for (uint32_t i = 0; i < desc->n_out; i++) {
    const weft_fact *f = facts ? &facts[i] : &n->out[i].fact;
    weft_tensor *t = build_describe(b, f);
    if (!t)
      return b->d->status;
    build_put(b, v + i, t, WEFT__AT_BOX);
    if (f->kind == WEFT_KIND_TENSOR && !weft__fact_known(f) && n->out[i].n_uses) {
      WEFT_TRY(weft__build_want(b, v + i, false));
      open = true;
    }
  }
  weft__launch *l = weft__build_launch(b, WEFT__RUN_CALL, pos);
  if (!l)
    return b->d->status;
  WEFT_TRY(weft__build_arguments(b, l, n));
  if (n->n_graphs)
    WEFT_TRY(weft__build_captured(b, l, n));
  l->facts = facts;
  WEFT_TRY(weft__build_finder(b, l, n, facts));
  if (b->device && !l->kernel)
    WEFT_TRY(weft__device_call(b->x, b->s, l));
  if (open)
    b->s->end = pos + 1;
  return WEFT_OK;
}

// A fused node: by a kernel that knows its region. *done false: none does, its body is run.
static weft_status plan_fused(builder *b, const weft_node *n, uint32_t pos, bool *done) {
  weft_fact *facts = WEFT_NEW_N(&b->s->mem, weft_fact, (size_t)n->desc.pub.n_out + 1);
  if (!facts)
    return weft__build_no_memory(b);
  bool inner;
  bool late = weft__build_body_reads(b, n, weft__build_no_constant, &inner);
  *done = false;
  if (inner)
    return WEFT_OK;
  if (late && weft__build_body_reads(b, n, weft__build_unseen, &inner)) {
    *done = true;
    return weft__build_want_body(b, n, pos);
  }
  for (uint32_t i = 0; i < n->desc.pub.n_out; i++)
    facts[i] = n->out[i].fact;
  if (late || !weft__build_is_static(b, n)) {
    weft__build_gather(b, n);
    WEFT_TRY(weft__build_infer_region(b, b->f->region[pos], n->graphs[0], facts));
    for (uint32_t i = 0; i < n->desc.pub.n_out; i++) {
      WEFT_TRY(weft__build_agree(b, &n->out[i], &facts[i]));
      facts[i].format = n->out[i].fact.format;
      facts[i].origin_format = n->out[i].fact.origin_format;
    }
    if (!all_known(facts, n->desc.pub.n_out))
      return WEFT_OK;
  }
  for (uint32_t i = 0; i < n->desc.pub.n_out; i++) {
    weft_tensor *t = build_describe(b, &facts[i]);
    if (!t)
      return b->d->status;
    build_put(b, b->f->first_out[pos] + i, t, WEFT__AT_ARENA);
  }
  const weft_region *r = b->f->region[pos];
  if (r->n_nodes == 1 && (r->node[0].desc->op->traits & WEFT_JOIN) && !b->device)
    WEFT_TRY(weft__build_joined(b, n, pos, done));
  if (*done)
    return WEFT_OK;
  weft__launch *l = weft__build_launch(b, WEFT__RUN_REF, pos);
  if (!l)
    return b->d->status;
  WEFT_TRY(weft__build_arguments(b, l, n));
  WEFT_TRY(weft__build_kernel(b, l, n));
  *done = l->kernel != NULL;
  if (!*done)
    b->launches.n--;
  return WEFT_OK;
}

static weft_status plan_node(builder *b, uint32_t pos) {
  const weft_node *n = b->f->node[pos];
  weft_exec *x = b->x;
  b->device = b->f->device ? b->f->device[pos] : 0;
  if (b->f->device)
    WEFT_TRY(weft__device_check(x, b->s, pos));
  if (b->f->region[pos]) {
    bool done;
    WEFT_TRY(plan_fused(b, n, pos, &done));
    if (done)
      return WEFT_OK;
  }
  if (n->desc.proto->op->execute || n->n_graphs || has_box(n)) {
    for (uint32_t i = 0; i < n->desc.pub.n_out; i++) {
      if (x->program->foreign || !n->out[i].fact.value || n->out[i].fact.value->kind != WEFT_KIND_TENSOR)
        return plan_call(b, n, pos);
    }
    if (!n->desc.pub.n_out)
      return plan_call(b, n, pos);
  }
  if (weft__build_is_static(b, n) && (!weft__build_may_learn(b, n) || n->out[0].fact.value)) {
    for (uint32_t i = 0; i < n->desc.pub.n_out; i++)
      x->s.out_fact[i] = n->out[i].fact;
    return plan_plain(b, n, pos, x->s.out_fact);
  }
  if (weft__build_reads(b, n, weft__build_unseen))
    return weft__build_want_inputs(b, n, pos);
  bool reads = n->desc.proto->op->infer_value != NULL;
  for (uint32_t i = 0; i < n->desc.pub.n_in_ports; i++)
    reads |= n->desc.proto->in[i].value != 0;
  if (reads)
    WEFT_TRY(weft__build_wake(b, n, NULL));
  weft__build_gather(b, n);
  WEFT_TRY(weft__build_infer(b, n));
  weft_fact *facts = x->frame.facts;
  weft__value_finder k = {.env = x->env, .max_elems = 1024, .make = weft__build_known, .ctx = b};
  if (all_known(facts, n->desc.pub.n_out))
    WEFT_TRY(weft__known_outputs(&k, n->desc.proto, &n->desc.pub, x->s.tin, facts, x->s.tout, b->d));
  else
    return weft__build_want_inputs(b, n, pos);
  return plan_plain(b, n, pos, facts);
}

// The launches of a node from number `first` on, moves of its inputs as a rule, wake the same constants
// unless a kernel packed some: a node with n inputs may have n of them, and is looked at once.
static weft_status wake_launches(builder *b, const weft_node *n, size_t first) {
  bool plain = false;
  for (size_t i = first; i < b->launches.n; i++) {
    const weft__launch *l = &b->launches.v[i];
    if (!l->packed && plain)
      continue;
    plain |= !l->packed;
    WEFT_TRY(weft__build_wake(b, n, l));
  }
  return WEFT_OK;
}

void weft__build_note(builder *b, const weft_node *n) {
  weft_note(b->d, "while planning node '%s' (%s)", weft__node_name(n), weft__node_type(n));
  weft__note_origin(n, b->d);
}

static weft_status plan_next(builder *b, uint32_t pos) {
  const weft_node *n = b->f->node[pos];
  size_t before = b->launches.n;
  WEFT_TRY(weft__budget_poll(&b->x->root->budget, b->d));
  WEFT_TRY(plan_node(b, pos));
  return wake_launches(b, n, before);
}

// Nodes up to the end of the segment, which one of them may set, and what they wish for.
static weft_status plan_all(builder *b) {
  const weft__seg *s = b->s;
  if (!s->tensor || !s->place)
    return weft__build_no_memory(b);
  for (uint32_t pos = s->first; pos < b->f->n_nodes && s->end == UINT32_MAX; pos++) {
    weft_status status = plan_next(b, pos);
    if (status) {
      weft__build_note(b, b->f->node[pos]);
      return status;
    }
  }
  return weft__build_wishes(b);
}

static weft_status keep_launches(builder *b) {
  weft__seg *s = b->s;
  if (!b->launches.n)
    return WEFT_OK;
  s->launch = weft__arena_alloc(&s->mem, b->launches.n * sizeof *s->launch, 64);
  if (!s->launch)
    return weft__build_no_memory(b);
  memcpy(s->launch, b->launches.v, b->launches.n * sizeof *s->launch);
  return WEFT_OK;
}

weft_status weft__seg_build(weft_exec *x, weft__seg *parent, weft__seg *s) {
  const weft__fn *f = x->fn;
  builder b = {.x = x, .f = f, .s = s, .d = x->d};
  s->parent = parent;
  s->first = parent ? parent->end : 0;
  s->end = UINT32_MAX;
  s->v0 = parent ? parent->v1 : f->n_in + f->n_const;
  s->tensor = WEFT_NEW_N(&s->mem, weft_tensor *, (size_t)f->n_values - s->v0 + 1);
  s->place = WEFT_NEW_N(&s->mem, weft__place, (size_t)f->n_values - s->v0 + 1);
  weft_status status = plan_all(&b);
  if (s->end == UINT32_MAX)
    s->end = f->n_nodes;
  s->v1 = f->first_out[s->end];
  s->n_launches = (uint32_t)b.launches.n;
  if (!status)
    status = keep_launches(&b);
  WEFT_VEC_FREE(&x->cache->counted, b.launches);
  WEFT_VEC_FREE(&x->cache->counted, b.wishes);
  WEFT_VEC_FREE(&x->cache->counted, b.wishers);
  weft__packed_rest(x->program);
  return status ? status : weft__seg_layout(x, s);
}
// SPDX-License-Identifier: Apache-2.0
