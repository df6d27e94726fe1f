// exec.c - one place where a program runs: made, given memory for the plan at hand, its launches made one
// after the other, destroyed.
#include "base/told.h"
#include "base/allocated.h"
#include "base/pool.h"
#include "op/infer_node.h"
#include "run/run.h"

// ---- making and destroying ----
static weft_status exec_scratch(weft_exec *x, weft_diag *d) {
  uint32_t most = 1;
  for (uint32_t i = 0; i < x->fn->n_nodes; i++)
    most = WEFT_MAX(most, WEFT_MAX(x->fn->node[i]->desc.pub.n_in, x->fn->node[i]->desc.pub.n_out));
  weft_arena *a = &x->s.mem;
  weft__arena_init(a, &x->root->cache->counted);
  x->s.in = WEFT_NEW_N(a, const weft_fact *, most);
  x->s.fact = WEFT_NEW_N(a, weft_fact, most);
  x->s.out_fact = WEFT_NEW_N(a, weft_fact, most);
  x->s.tin = WEFT_NEW_N(a, const weft_tensor *, most);
  x->s.tout = WEFT_NEW_N(a, weft_tensor *, most);
  x->s.until = WEFT_NEW_N(a, uint32_t, (size_t)x->fn->n_values + 1);
  x->in = WEFT_NEW_N(a, weft_tensor, (size_t)x->fn->n_in + 1);
  const bool facts = x->s.in && x->s.fact && x->s.out_fact;
  const bool tensors = x->s.tin && x->s.tout && x->s.until && x->in;
  return facts && tensors ? WEFT_OK : weft_fail(d, WEFT_E_NOMEM, "out of memory");
}

// What an arena of so many bytes takes of the system: never nothing, so that it has a place. 0: too much.
static size_t arena_block(uint64_t bytes) {
  return bytes > SIZE_MAX / 2 ? 0 : weft__large_bytes((size_t)WEFT_MAX(bytes, 64));
}

static void free_arena(weft_exec *x) {
  if (!x->arena)
    return;
  size_t bytes = arena_block(x->arena_bytes);
  weft__free(&x->cache->blocks, x->arena, bytes, weft__large_align(bytes));
}

static void destroy(weft_exec *x) {
  if (!x)
    return;
  const weft_allocator *a = &x->root->cache->counted;
  while (x->top) {
    weft__seg *s = x->top;
    x->top = s->next;
    weft__seg_free(x, s);
  }
  weft__arena_deinit(&x->s.mem);
  free_arena(x);
  weft__spares_free(x);
  for (uint32_t i = 0; x->aligned && i <= x->fn->n_in; i++)
    weft_tensor_deinit(&x->aligned[i]);
  weft__free(a, x->aligned, ((size_t)x->fn->n_in + 1) * sizeof *x->aligned, 16);
  if (x->framed)
    weft__frame_deinit(&x->frame);
  if (x != x->root) {
    weft__free(a, x, sizeof *x, 64);
    return;
  }
  for (uint32_t i = 1; x->child && i < x->program->n_fns; i++)
    destroy(x->child[i]);
  weft__streams_deinit(x);
  weft__exec_free_states(x);
  weft__free(a, x->child, x->program->n_fns * sizeof *x->child, 16);
  WEFT_VEC_FREE(a, x->records);
  weft__free(a, x->records_as, x->records_as_bytes, 16);
  weft__cache_deinit(x->cache);
  weft_allocator system = x->cache->system;
  weft_program *p = x->program;
  weft__free(&system, x->cache, sizeof *x->cache, 64);
  weft__free(&system, x, sizeof *x, 64);
  weft_program_release(p);
}

static weft_status call_graph(void *ctx, const weft_call *c, uint32_t graph, const weft_tensor *const *in,
                              weft_tensor *const *out);

static void exec_set_up(weft_exec *x, weft_program *p, uint32_t fn, weft_exec *root) {
  x->program = p;
  x->env = p->env;
  x->fn = &p->fn[fn];
  x->fn_index = fn;
  x->root = root ? root : x;
  x->cache = x->root->cache;
  x->call_options = (weft_call_options){
      .budget = &x->root->budget, .call_graph = call_graph, .ctx = x, .alloc = &x->cache->tensors};
  x->o = x->root->o;
  x->pool = x->o.threads == 1 ? NULL : weft__env_pool(p->env);
  weft__call_begin(&x->state, x->env, NULL, &x->call_options);
  x->d = &x->diag;
}

static weft_status exec_parts(weft_exec *x, weft_diag *d) {
  const size_t bytes = x->program->n_fns * sizeof *x->child;
  WEFT_TRY(exec_scratch(x, d));
  WEFT_TRY(weft__streams_init(x, d));
  if (x->program->n_fns <= 1)
    return WEFT_OK;
  x->child = weft__alloc(&x->cache->counted, bytes, 16);
  WEFT_TRY(weft__allocated(x->child, d));
  memset(x->child, 0, bytes);
  return WEFT_OK;
}

weft_status weft_exec_create(weft_program *p, const weft_exec_options *o, weft_exec **out, weft_diag *d) {
  return weft__exec_create(p, o, NULL, out, d);
}

weft_status weft__exec_create(weft_program *p, const weft_exec_options *o, weft_states *kept, weft_exec **out,
                              weft_diag *d) {
  WEFT_NEED(d, out);
  *out = NULL;
  WEFT_NEED(d, p);
  WEFT_TRY(weft__maps_check(p->graph, d));
  const weft_allocator *a = &p->env->alloc;
  weft_exec *x = weft__alloc(a, sizeof *x, 64);
  weft__cache *cache = weft__alloc(a, sizeof *cache, 64);
  if (!x || !cache) {
    weft__free(a, x, sizeof *x, 64);
    weft__free(a, cache, sizeof *cache, 64);
    return weft_fail(d, WEFT_E_NOMEM, "out of memory");
  }
  memset(x, 0, sizeof *x);
  weft__budget_init(&x->budget, a);
  weft__cache_init(cache, a, &x->budget);
  x->cache = cache;
  WEFT_SIZED_IN(&x->o, o, streams_always);
  if (!x->o.max_shapes)
    x->o.max_shapes = 64;
  uint64_t usual = p->env->limits.memory_limit_bytes;
  if (usual && (!x->o.memory_limit_bytes || usual < x->o.memory_limit_bytes))
    x->o.memory_limit_bytes = (size_t)WEFT_MIN(usual, SIZE_MAX);
  weft_program_retain(p);
  exec_set_up(x, p, 0, NULL);
  weft_status s = exec_parts(x, d);
  if (!s)
    s = weft__exec_bind_states(x, kept, d);
  if (s)
    destroy(x);
  else
    *out = x;
  return weft__told(s, d);
}

void weft_exec_destroy(weft_exec *x) {
  destroy(x);
}

weft__allowance weft__exec_begin(weft_exec *x) {
  const weft_limits own = {sizeof own, x->o.memory_limit_bytes, x->o.time_limit_ns, x->o.cancel};
  return weft__budget_begin(&x->budget, &own, &x->env->limits);
}

void weft_exec_get_stats(const weft_exec *x, weft_exec_stats *out) {
  if (!x || !out)
    return;
  weft_exec_stats s = x->stats;
  s.system_allocs = x->cache->calls;
  for (uint32_t k = 1; k < x->n_streams; k++)
    s.system_allocs += x->own[k]->cache.calls;
  s.arena_bytes = x->arena_bytes;
  for (uint32_t i = 1; x->child && i < x->program->n_fns; i++) {
    if (!x->child[i])
      continue;
    const weft_exec_stats *c = &x->child[i]->stats;
    s.launches += c->launches;
    s.plans += c->plans;
    s.plan_hits += c->plan_hits;
    s.infers += c->infers;
    s.tilings += c->tilings;
    s.arena_bytes += x->child[i]->arena_bytes;
  }
  WEFT_SIZED_OUT(out, &s, peak_bytes);
}

// ---- sub-graphs ----
weft_status weft__exec_child(weft_exec *x, uint32_t fn, weft_exec **out) {
  weft_exec *root = x->root;
  if (!root->child[fn]) {
    weft_exec *c = weft__alloc(&root->cache->counted, sizeof *c, 64);
    WEFT_TRY(weft__allocated(c, x->d));
    memset(c, 0, sizeof *c);
    exec_set_up(c, root->program, fn, root);
    c->depth = x->depth + 1;
    weft_status s = exec_scratch(c, x->d);
    if (s) {
      destroy(c);
      return s;
    }
    root->child[fn] = c;
  }
  *out = root->child[fn];
  return WEFT_OK;
}

static weft_status call_graph(void *ctx, const weft_call *c, uint32_t graph, const weft_tensor *const *in,
                              weft_tensor *const *out) {
  weft_exec *x = ctx;
  weft_exec *child;
  const weft_node *n = x->fn->node[x->node];
  if (graph >= n->n_graphs) {
    return weft_fail(c->d, WEFT_E_MISSING, "the node has %u sub-graphs, the operator runs number %u",
                     n->n_graphs, graph);
  }
  WEFT_TRY(weft__budget_poll(&x->root->budget, c->d));  // its body may launch nothing
  WEFT_TRY(weft__exec_child(x, x->fn->sub[x->node] + graph, &child));
  child->begin_ns = x->begin_ns;
  weft_diag_clear(&child->diag);
  weft_status s = weft__exec_run(child, in, out);
  if (!s)
    return s;
  weft_fail(c->d, s, "%s", child->diag.text);
  weft_note(c->d, "in sub-graph '%s'", child->fn->graph->name);
  return s;
}

// ---- memory ----
static weft_status arena_room(weft_exec *x, uint64_t bytes) {
  if (bytes <= x->arena_bytes && x->arena)
    return WEFT_OK;
  size_t size = (size_t)bytes;
  size_t all = arena_block(bytes);
  if (!weft__budget_charge(&x->root->budget, size - x->arena_bytes))
    all = 0;
  char *p = all ? weft__alloc(&x->cache->blocks, all, weft__large_align(all)) : NULL;
  if (!p)
    return weft_fail(x->d, WEFT_E_NOMEM, "no memory for an arena of %zu bytes", size);
  if (x->arena)
    memcpy(p, x->arena, x->arena_bytes);  // what segments before this one left is still needed
  free_arena(x);
  x->root->live_bytes += size - x->arena_bytes;
  x->root->stats.peak_bytes = WEFT_MAX(x->root->stats.peak_bytes, x->root->live_bytes);
  x->arena = p;
  x->arena_bytes = size;
  x->generation++;
  return WEFT_OK;
}

static char *arena_of(const weft_exec *x, uint8_t space) {
  return space ? x->open[space].arena : x->arena;
}

static void patch(weft_exec *x, weft__seg *s) {
  for (uint32_t v = s->v0; v < s->v1; v++) {
    if (s->place[v - s->v0].kind == WEFT__AT_ARENA)
      s->tensor[v - s->v0]->data = arena_of(x, s->place[v - s->v0].space) + s->place[v - s->v0].offset;
  }
  for (uint32_t i = 0; i < s->n_launches; i++) {
    for (uint32_t k = 0; k < s->launch[i].n_workspaces; k++) {
      ((void **)s->launch[i].block.workspace)[k] =
          arena_of(x, s->launch[i].device) + s->launch[i].workspace_at[k];
    }
  }
  s->generation = x->generation;
}

weft_status weft__exec_room(weft_exec *x, weft__seg *s) {
  WEFT_TRY(arena_room(x, s->plan.peak_bytes));
  patch(x, s);
  return WEFT_OK;
}

// ---- launches ----
static weft_status exec_one(weft_exec *x, weft__seg *s, weft__launch *l) {
  WEFT_TRY(weft__launch_run(x, s, l, &x->state, x->d));
  for (uint32_t i = 0; i < l->n_drops; i++)
    weft__value_drop(x, weft__tensor_of(x, s, s->drops[l->drop + i]));
  return WEFT_OK;
}

static weft_status call_watch(weft_exec *x, const weft_value *v, const weft_tensor *t) {
  weft_status s = x->o.watch(x->o.watch_ctx, v, t);
  return s ? weft_fail(x->d, s, "the watch function stopped the run at value '%s'", v->name) : WEFT_OK;
}

weft_status weft__show(weft_exec *x, const weft_value *v, const weft_tensor *t) {
  weft_tensor plain;
  if (!weft__format_packed(t->format))
    return call_watch(x, v, t);
  weft_tensor_init(&plain, &x->cache->self);
  weft_status s = weft_tensor_copy_plain(&plain, t, x->d);
  if (!s)
    s = call_watch(x, v, &plain);
  weft_tensor_deinit(&plain);
  return s;
}

// The loop with everything that options ask for.
static weft_status run_watched(weft_exec *x, weft__seg *s) {
  for (uint32_t i = 0; i < s->n_launches; i++) {
    weft__launch *l = &s->launch[i];
    const weft_node *n = x->fn->node[l->node];
    WEFT_TRY(weft__launch_may(x, l, x->d));
    uint64_t begin = x->o.profile ? weft__now_ns() : 0;
    uint32_t drops = l->n_drops;
    l->n_drops = 0;  // the watcher sees the values first
    weft_status status = exec_one(x, s, l);
    l->n_drops = drops;
    WEFT_TRY(status);
    if (x->o.profile && l->kind != WEFT__RUN_VIEW) {
      weft_device_times t = {begin - x->begin_ns, weft__now_ns() - x->begin_ns};
      WEFT_TRY(weft__launch_record(x, l, 0, t));
    }
    for (uint32_t k = 0; x->o.watch && k < n->desc.pub.n_out; k++)
      WEFT_TRY(weft__show(x, &n->out[k], weft__tensor_of(x, s, x->fn->first_out[l->node] + k)));
    for (uint32_t k = 0; k < drops; k++)
      weft__value_drop(x, weft__tensor_of(x, s, s->drops[l->drop + k]));
  }
  return WEFT_OK;
}

static weft_status run_segment(weft_exec *x, weft__seg *s) {
  WEFT_TRY(arena_room(x, s->plan.peak_bytes));
  if (x->open)
    WEFT_TRY(weft__streams_arenas(x, s));
  for (weft__seg *p = s; p; p = p->parent) {
    if (p->generation != x->generation)
      patch(x, p);
  }
  if (s->n_given)
    WEFT_TRY(weft__exec_outputs(x, s));
  x->stats.launches += s->n_launches;
  if (s->streams && (!x->o.watch || x->open))
    return weft__streams_run(x, s);
  if (x->o.watch || x->o.profile || weft__budget_timed(&x->root->budget))
    return run_watched(x, s);
  for (uint32_t i = 0; i < s->n_launches; i++)
    WEFT_TRY(exec_one(x, s, &s->launch[i]));
  return WEFT_OK;
}

static void drop_boxes(weft_exec *x, weft__seg *s) {
  for (; s; s = s->parent) {
    for (uint32_t v = s->v0; v < s->v1; v++) {
      if (s->place[v - s->v0].kind == WEFT__AT_BOX)
        weft__value_drop(x, s->tensor[v - s->v0]);
    }
  }
}

// *at: the segment that runs, where one does; also on failure.
static weft_status run_segments(weft_exec *x, const weft_tensor *const *in, weft__seg **at) {
  weft_status bound = weft__exec_bind(x, in);
  *at = x->hot;
  x->stats.runs++;
  WEFT_TRY(bound);
  WEFT_TRY(run_segment(x, *at));
  while ((*at)->end != x->fn->n_nodes) {
    WEFT_TRY(weft__seg_next(x, *at, at));
    WEFT_TRY(run_segment(x, *at));
  }
  for (uint32_t k = 0; k < x->fn->n_out; k++)
    WEFT_TRY(weft__exec_hand_out(x, *at, k));
  return WEFT_OK;
}

weft_status weft__exec_run(weft_exec *x, const weft_tensor *const *in, weft_tensor *const *out) {
  weft__seg *s = NULL;
  x->out = out;
  weft_status status = run_segments(x, in, &s);
  if (status)
    status = weft__exec_explain(x, s, status);
  if (x->state.workspaces || x->state.charged)
    weft__call_end(&x->state);
  if (x->has_boxes && s)
    drop_boxes(x, s);
  return status;
}

// Kernels write elements: memory of the caller's where these cannot lie is filled after the run.
static bool is_odd(const weft_exec *x, const weft_tensor *out, uint32_t k) {
  size_t each = weft_dtype_bits(x->fn->value[x->fn->out[k]]->fact.dtype) / 8;
  return out->data && each > 1 && (uintptr_t)out->data % each;
}

static weft_status run_into_odd(weft_exec *x, const weft_tensor *const *in, weft_tensor *const *out) {
  size_t n = x->fn->n_out;
  size_t bytes = n * (sizeof(weft_tensor) + sizeof(weft_tensor *));
  weft_tensor *own = weft__alloc(&x->cache->self, bytes, 16);
  weft_tensor **list = (weft_tensor **)(void *)(own + n);
  WEFT_TRY(weft__allocated(own, x->d));
  for (uint32_t k = 0; k < n; k++) {
    weft_tensor_init(&own[k], &x->cache->tensors);
    list[k] = is_odd(x, out[k], k) ? &own[k] : out[k];
  }
  weft_status s = weft__exec_run(x, in, list);
  for (uint32_t k = 0; k < n; k++) {
    if (!s && list[k] == &own[k])
      s = weft__exec_copy_out(x, &own[k], k, out[k]);
    weft_tensor_deinit(&own[k]);
  }
  weft__free(&x->cache->self, own, bytes, 16);
  return s;
}

weft_status weft_exec_run(weft_exec *x, const weft_tensor *const *in, size_t n_in, weft_tensor *const *out,
                          size_t n_out, weft_diag *d) {
  WEFT_NEED(d, x);
  WEFT_NEED_LIST(d, in, n_in);
  WEFT_NEED_LIST(d, out, n_out);
  const weft_graph *g = x->fn->graph;
  const weft_program *p = x->program;
  if (n_in != p->n_in)
    return weft_fail(d, WEFT_E_INVALID, "graph '%s' has %u inputs, got %zu", g->name, p->n_in, n_in);
  if (n_out != p->n_out) {
    return weft_fail(d, WEFT_E_INVALID, "graph '%s' has %u outputs, the caller expects %zu", g->name,
                     p->n_out, n_out);
  }
  WEFT_TRY(weft__maps_check(g, d));
  bool odd = false;
  for (size_t i = 0; i < n_out; i++) {
    if (!out[i]) {
      return weft_fail(d, WEFT_E_INVALID, "graph output '%s': no tensor is given",
                       x->fn->value[x->fn->out[i]]->name);
    }
    odd |= is_odd(x, out[i], (uint32_t)i);
    if (!out[i]->items)
      continue;
    weft_allocator a = out[i]->alloc;  // a sequence of a run before
    weft_tensor_deinit(out[i]);
    weft_tensor_init(out[i], &a);
  }
  if (x->states.n) {
    WEFT_TRY(weft__exec_take_states(x, in, out, d));
    in = x->states.in;
    out = x->states.out;
  }
  x->diag.status = 0;
  x->diag.length = 0;
  x->begin_ns = x->o.profile ? weft__now_ns() : 0;
  x->records.n = 0;
  for (uint32_t k = 1; x->open && k < x->program->n_devices; k++)
    x->open[k].base_ns = UINT64_MAX;
  weft__pool_begin(x->pool);
  weft__allowance before = weft__exec_begin(x);
  weft_status s = odd ? run_into_odd(x, in, out) : weft__exec_run(x, in, out);
  weft__budget_release(&x->budget, x->handed_bytes);
  x->handed_bytes = 0;
  s = weft__budget_end(&x->budget, &before, s, &x->diag);
  weft__pool_end(x->pool);
  if (x->spare)
    weft__spares_free(x);
  if (x->states.n)
    s = weft__exec_keep_states(x, s, &x->diag);
  if (!s)
    return WEFT_OK;
  weft_fail(d, s, "%s", x->diag.text);
  weft_note(d, "while running program '%s'", g->name);
  return weft__told(s, d);
}
// SPDX-License-Identifier: Apache-2.0
