// launch.c - makes one launch: a kernel block by block over the pool, a reference kernel, a node that
// allocates its own outputs, or bytes that are moved. On which thread and stream is the caller's business
// (exec.c, run_streams.c).
#include <sched.h>

#include "base/pool.h"
#include "base/allocated.h"
#include "op/infer_node.h"
#include "run/guard.h"

void weft__value_drop(weft_exec *x, weft_tensor *t) {
  x->root->live_bytes -= WEFT_MIN(x->root->live_bytes, t->owned ? t->capacity : 0);
  if (t->owned && !weft__cache_charges(&t->alloc))
    weft__budget_release(&x->root->budget, t->capacity);
  weft_tensor_deinit(t);
}

typedef struct kernel_run {
  const weft__launch *l;
  uint32_t phase;
  _Atomic(weft_status) failed;
  _Atomic uint64_t taken;      // bits of scratches in use
  const weft__budget *budget;  // NULL: nothing stops the run
} kernel_run;

// Blocks that have not begun are left out when one has failed, or when the run is to end; long ones ask, too.
static bool is_stopped(void *run) {
  kernel_run *r = run;
  weft_status none = WEFT_OK;
  if (atomic_load_explicit(&r->failed, memory_order_relaxed))
    return true;
  if (!r->budget || !weft__budget_is_over(r->budget))
    return false;
  weft_status s = weft__budget_over(r->budget, NULL);
  atomic_compare_exchange_strong(&r->failed, &none, s);
  return true;
}

// The lowest that is free: a thread that runs alone stays with the first, which is in its cache.
static uint32_t take_scratch(kernel_run *r) {
  for (uint64_t all = ~UINT64_C(0) >> (64 - r->l->scratches), seen = atomic_load(&r->taken);;) {
    if ((seen & all) == all) {
      sched_yield();
      seen = atomic_load(&r->taken);
      continue;
    }
    uint64_t bit = ~seen & (seen + 1);
    if (atomic_compare_exchange_weak(&r->taken, &seen, seen | bit))
      return (uint32_t)__builtin_ctzll(bit);
  }
}

static void run_block(void *ctx, uint32_t block) {
  kernel_run *r = ctx;
  const weft__launch *l = r->l;
  weft_block_run of = {l->block, is_stopped, r};
  weft_block *b = &of.block;
  uint32_t mine = 0;
  if (is_stopped(r))
    return;
  b->size = sizeof of;
  b->block = block;
  b->phase = r->phase;
  if (l->scratches) {
    mine = take_scratch(r);
    b->scratch = (char *)b->workspace[l->n_workspaces - 1] + mine * l->scratch_bytes;
  }
  weft_status s = l->run(b);
  weft_status none = WEFT_OK;
  if (l->scratches)
    atomic_fetch_and(&r->taken, ~(UINT64_C(1) << mine));
  if (s)
    atomic_compare_exchange_strong(&r->failed, &none, s);
}

// The reference writes all outputs: those that the kernel did without, or that lie in a state, get memory for
// it. Bits of outputs; false: there is none.
static bool give_unread(const weft_exec *x, const weft__launch *l, uint32_t *out_given) {
  for (uint32_t i = 0; i < WEFT_MIN(l->call.n_out, 32u); i++) {
    weft_tensor *t = l->call.out[i];
    if ((t->data && !l->undo) || !t->bytes)
      continue;
    if (!(t->data = weft__alloc(&x->cache->self, t->bytes, 64)))
      return false;
    *out_given |= 1u << i;
  }
  return true;
}
static void take_unread(const weft_exec *x, const weft__launch *l, uint32_t given) {
  for (uint32_t i = 0; i < WEFT_MIN(l->call.n_out, 32u); i++) {
    weft_tensor *t = l->call.out[i];
    if (given >> i & 1) {
      weft__free(&x->cache->self, t->data, t->bytes, 64);
      t->data = NULL;  // a state's is given by each run
    }
  }
}

// A kernel sees no names and cannot say what is wrong; the reference can, and finds the same.
static weft_status explain(weft_exec *x, const weft__launch *l, weft_status s, weft_diag *d) {
  if (l->fn && d == &x->diag) {
    uint32_t given = 0;
    weft_status told = give_unread(x, l, &given) ? l->fn(&l->call) : WEFT_OK;
    weft__call_end(&x->state);
    take_unread(x, l, given);
    if (told && d->status)
      return told;
  }
  return weft_fail(d, s, "kernel '%s' failed with %d (%s)", l->kernel->name, (int)s, weft_status_name(s));
}

void weft__launch_arguments(const weft__launch *l) {
  void **arg = (void **)(uintptr_t)l->block.arg;
  for (uint32_t i = 0; i < l->call.n_in; i++)
    arg[i] = l->packed && l->packed[i] ? (void *)(uintptr_t)l->packed[i] : l->call.in[i]->data;
  for (uint32_t i = 0; i < l->call.n_out; i++)
    arg[l->call.n_in + i] = l->call.out[i]->data;
}

weft_device_launch weft__launch_for_device(const weft_exec *x, const weft__launch *l,
                                           weft_device_times *times) {
  weft__launch_arguments(l);
  for (uint32_t i = 0; i < l->call.n_in; i++)
    l->bytes[i] = l->call.in[i]->bytes;
  for (uint32_t i = 0; i < l->call.n_out; i++)
    l->bytes[l->call.n_in + i] = l->call.out[i]->bytes;
  return (weft_device_launch){.size = sizeof(weft_device_launch),
                              .n_args = l->call.n_in + l->call.n_out,
                              .n_workspaces = l->n_workspaces,
                              .phases = l->phases,
                              .block = l->block,
                              .run = l->run,
                              .name = l->kernel->name,
                              .cost_ns = l->cost_ns,
                              .times = times,
                              .node = weft__node_name(x->fn->node[l->node]),
                              .n_in = l->call.n_in,
                              .bytes = l->bytes};
}

weft_status weft__launch_blocks(const weft_exec *x, const weft__launch *l, uint32_t n) {
  weft__launch_arguments(l);
  const weft__budget *budget = &x->root->budget;
  kernel_run r = {.l = l, .budget = weft__budget_timed(budget) ? budget : NULL};
  atomic_init(&r.failed, WEFT_OK);
  atomic_init(&r.taken, 0);
  for (; r.phase < l->phases && !atomic_load_explicit(&r.failed, memory_order_relaxed); r.phase++) {
    if (l->undo)
      l->undo->is_noted = r.phase > 0;
    const weft_env_options *o = &x->env->options;
    if (n > 1 && o->parallel && x->o.threads != 1)
      o->parallel(o->parallel_ctx, run_block, &r, n);
    else if (x->pool && n > 1)
      weft__pool_run(x->pool, run_block, &r, n);
    else {
      for (uint32_t i = 0; i < n; i++)
        run_block(&r, i);
    }
  }
  return atomic_load(&r.failed);
}

static weft_status run_kernel(weft_exec *x, const weft__launch *l, weft_diag *d) {
  weft_status s = weft__launch_blocks(x, l, l->block.blocks);
  bool stopped = s == WEFT_E_LIMIT || s == WEFT_E_CANCELLED;
  if (stopped)
    WEFT_TRY(weft__budget_poll(&x->root->budget, d));
  return s ? explain(x, l, s, d) : WEFT_OK;
}

static weft_status run_ref(weft_exec *x, const weft__launch *l, weft__call_state *state, weft_diag *d) {
  weft_status s;
  if (state == &x->state) {
    s = l->fn(&l->call);
  } else {
    weft_call c = l->call;
    c.d = d;
    c.stream = c.impl = state;
    s = l->fn(&c);
  }
  if (state->workspaces || state->charged)
    weft__call_end(state);
  return s;
}

// `state`: of a reference kernel.
static weft_status run_guarded(weft_exec *x, weft__seg *s, weft__launch *l, weft__call_state *state,
                               weft_diag *d) {
  weft__guard_begin(x, s, l);
  return weft__guard_end(x, s, l, l->kernel ? run_kernel(x, l, d) : run_ref(x, l, state, d), d);
}

// A kernel that finds shapes: outputs as large as they can be, then the shapes that it wrote.
static weft_status run_finder(weft_exec *x, weft__seg *s, weft__launch *l, const weft_fact *facts,
                              const weft__call_device *on) {
  const weft_host *host = l->call.host;
  for (uint32_t i = 0; i < l->call.n_out; i++) {
    WEFT_TRY(host->out_alloc(&l->call, i, facts[i].dtype, &l->most[i], facts[i].format));
    l->call.out[i]->origin_format = facts[i].origin_format;
    if (on)
      l->call.out[i]->placement = WEFT_ON_DEVICE;
  }
  WEFT_TRY(on ? weft__find_on(x, on, l, x->d) : run_guarded(x, s, l, NULL, x->d));
  for (uint32_t i = 0; i < l->call.n_out; i++) {
    const uint64_t *found = l->block.shape_out + (size_t)WEFT_SHAPE_OUT * i;
    weft_shape shape;
    shape.rank = (size_t)found[0];
    for (size_t k = 0; k < WEFT_MIN(shape.rank, WEFT_SHAPE_OUT - 1); k++)
      shape.dim[k] = (weft_dim)found[k + 1];
    if (shape.rank != facts[i].rank) {
      return weft_fail(x->d, WEFT_E_SHAPE, "output %u: kernel '%s' found rank %zu, inferred is %u", i,
                       l->kernel->name, shape.rank, facts[i].rank);
    }
    WEFT_TRY(host->out_set_shape(&l->call, i, &shape));
  }
  return WEFT_OK;
}

// Memory that is not the cache's, a device's or what the caller gets, is counted while the call makes it and
// from then on here. What a call that failed has left is not counted any more.
static void drop_uncharged(const weft__launch *l, uint32_t first) {
  for (uint32_t i = first; i < l->call.n_out; i++) {
    weft_tensor *t = l->call.out[i];
    if (!t->owned || weft__cache_charges(&t->alloc))
      continue;
    const weft_allocator a = t->alloc;
    weft_tensor_deinit(t);
    weft_tensor_init(t, &a);
  }
}

static weft_status charge_made(weft_exec *x, const weft__launch *l) {
  for (uint32_t i = 0; i < l->call.n_out; i++) {
    const weft_tensor *t = l->call.out[i];
    if (!t->owned || weft__cache_charges(&t->alloc) || weft__budget_charge(&x->root->budget, t->capacity))
      continue;
    size_t bytes = t->capacity;
    drop_uncharged(l, i);
    weft_fail(x->d, WEFT_E_NOMEM, "no memory for output %u of %zu bytes", i, bytes);
    const weft_node *n = x->fn->node[l->node];
    if (!l->kernel)  // for kernels weft__launch_failed says it
      weft_note(x->d, "while running node '%s' (%s)", weft__node_name(n), weft__node_type(n));
    return WEFT_E_NOMEM;
  }
  return WEFT_OK;
}

weft_status weft__launch_call(weft_exec *x, weft__seg *s, weft__launch *l, const weft__call_device *on) {
  const weft_node *n = x->fn->node[l->node];
  const weft_op_desc *desc = &n->desc.pub;
  const weft_fact *facts = l->facts;
  if (!facts) {
    for (uint32_t i = 0; i < desc->n_in; i++) {
      x->s.fact[i] = weft__fact_of_tensor(l->call.in[i]);
      x->s.in[i] = &x->s.fact[i];
    }
    if (!x->framed) {
      weft__frame_init(&x->frame, x->env, NULL);
      x->framed = true;
    }
    x->stats.infers++;
    WEFT_TRY(weft__infer_node(&x->frame, n->desc.proto, desc, x->s.in, WEFT_STAGE_RUN, x->d));
    facts = x->frame.facts;
  }
  uint32_t v = x->fn->first_out[l->node] - s->v0;
  for (uint32_t i = 0; i < desc->n_out; i++) {
    weft__value_drop(x, l->call.out[i]);  // of a run before that failed
    uint32_t k = s->place[v + i].output;
    const weft_fact *f = &n->out[i].fact;
    bool plain = weft__holds_numbers(f->kind, f->dtype);
    bool hand_over = k != WEFT__UNREAD && !x->out[k]->data && plain;
    weft_tensor_init(l->call.out[i], on ? &on->memory : hand_over ? &x->out[k]->alloc : &x->cache->tensors);
  }
  x->node = l->node;
  weft_call_options o = x->call_options;
  o.device = on;
  const weft__node_call call = {.proto = n->desc.proto,
                                .desc = desc,
                                .in = l->call.in,
                                .facts = facts,
                                .out = l->call.out,
                                .options = &o};
  weft_status called = l->kernel ? run_finder(x, s, l, facts, on) : weft__call_node(x->env, &call, x->d);
  if (called)
    return drop_uncharged(l, 0), called;
  WEFT_TRY(charge_made(x, l));
  for (uint32_t i = 0; i < desc->n_out; i++) {
    x->root->live_bytes += l->call.out[i]->capacity;
    weft_fact is = weft__fact_of_tensor(l->call.out[i]);
    WEFT_TRY(weft__check_value(&n->out[i], l->call.out[i], x->d));
    if (n->out[i].declared)
      WEFT_TRY(weft__declared_check(&n->out[i], &is, x->d));
  }
  x->root->stats.peak_bytes = WEFT_MAX(x->root->stats.peak_bytes, x->root->live_bytes);
  return WEFT_OK;
}

weft_status weft__launch_failed(weft_exec *x, const weft__launch *l, weft_status s, weft_diag *d) {
  const weft_node *n = x->fn->node[l->node];
  if (!d->status)
    weft_fail(d, s, "the kernel returned %d (%s) without a message", (int)s, weft_status_name(s));
  const bool told = l->kind == WEFT__RUN_CALL && !l->kernel;  // by the call itself
  if (!told)
    weft_note(d, "while running node '%s' (%s)", weft__node_name(n), weft__node_type(n));
  weft__note_origin(n, d);
  return s;
}

weft_status weft__launch_run(weft_exec *x, weft__seg *s, weft__launch *l, weft__call_state *state,
                             weft_diag *d) {
  weft_status status = WEFT_OK;
  switch (l->kind) {
    case WEFT__RUN_REF:
    case WEFT__RUN_KERNEL:
      status = run_guarded(x, s, l, state, d);
      break;
    case WEFT__RUN_VIEW:
      l->call.out[0]->data = (char *)l->call.in[0]->data + l->offset;
      break;
    case WEFT__RUN_COPY:
      if (l->call.in[0]->bytes)
        memcpy((char *)l->call.out[0]->data + l->offset, l->call.in[0]->data, l->call.in[0]->bytes);
      break;
    default:
      status = weft__launch_call(x, s, l, NULL);
  }
  return status ? weft__launch_failed(x, l, status, d) : WEFT_OK;
}

weft_status weft__launch_may(weft_exec *x, const weft__launch *l, weft_diag *d) {
  const weft_node *n = x->fn->node[l->node];
  const weft__budget *b = &x->root->budget;
  if (!weft__budget_timed(b) || !weft__budget_is_over(b))
    return WEFT_OK;
  weft_status s = weft__budget_over(b, NULL);
  if (s == WEFT_E_CANCELLED)
    return weft_fail(d, s, "the run was cancelled before node '%s'", weft__node_name(n));
  return weft_fail(d, s, "the time limit of %llu ns was reached before node '%s'",
                   (unsigned long long)b->now.time_limit_ns, weft__node_name(n));
}

static const char *how(const weft__launch *l) {
  return l->kernel                   ? l->kernel->name
         : l->kind == WEFT__RUN_MOVE ? "copy"
         : l->device                 ? "execute"
                                     : "reference";
}

weft_status weft__launch_record(weft_exec *x, const weft__launch *l, uint32_t stream, weft_device_times t) {
  weft_exec *root = x->root;
  const weft_node *n = x->fn->node[l->node];
  const weft_origin *o = weft_node_origin(n);
  WEFT_TRY(weft__allocated(WEFT_VEC_ROOM(&x->cache->counted, root->records), x->d));
  root->records.v[root->records.n++] =
      (weft_launch_record){.size = sizeof(weft_launch_record),
                           .node = weft__node_name(n),
                           .type = weft__node_type(n),
                           .kernel = how(l),
                           .device = l->device ? x->program->device[l->device]->name : "cpu",
                           .source = o ? o->name : NULL,
                           .stream = stream,
                           .depth = x->depth,
                           .begin_ns = t.begin_ns,
                           .end_ns = t.end_ns,
                           .bytes = weft__launch_bytes(x, l),
                           .flops = weft__launch_flops(x, l)};
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
