// call_node.c - runs one operator on tensors: the reference kernel with its outputs allocated as inferred, or
// the execute function, which allocates them itself. Also the services of the host table that an execute
// function uses. On the host kernels run at once and in order: the stream is the caller's thread, and a
// failed launch comes out at sync. On a device they are queued on the stream of the call.
// In checked builds, and wherever operators are judged by their laws, there is a margin behind what was
// allocated on the host, looked at when the kernel is done.
#include "base/apart.h"
#include "base/allocated.h"
#include "op/infer_node.h"
#include "op/package.h"
#include "tensor/tensor.h"

typedef struct weft__workspace {
  struct weft__workspace *next;
  void *data;
  size_t bytes, all;  // all: with what lies behind
} workspace;
typedef weft__call_state call_state;

#if defined(WEFT_CHECKED) && !defined(WEFT__BY_ASAN)
enum { MARGINS_ALWAYS = 1 };
#else
enum { MARGINS_ALWAYS = 0 };  // AddressSanitizer has its own
#endif
enum { MARGIN = WEFT_APART_MARGIN };

const weft_allocator *weft__call_allocator(const weft_call *c) {
  return &((const call_state *)c->impl)->alloc;
}
bool weft__call_gives_nothing(const weft_call *c) {
  bool nothing = c->n_out > 0;
  for (uint32_t i = 0; i < c->n_out && nothing; i++)
    nothing = !c->out[i] || (c->out[i]->kind == WEFT_KIND_TENSOR && !weft_tensor_elems(c->out[i]));
  return nothing;
}
weft_env *weft__call_env(const weft_call *c) {
  return ((const call_state *)c->impl)->env;
}
weft__budget *weft__call_budget(const weft_call *c) {
  const call_state *st = c->impl;
  return st->o ? st->o->budget : NULL;
}
bool weft__call_updates(const weft_call *c) {
  const call_state *st = c->impl;
  return st->o && st->o->updates;
}
weft_status weft__call_poll(const weft_call *c) {
  const weft__budget *b = weft__call_budget(c);
  return b ? weft__budget_poll(b, c->d) : WEFT_OK;
}
bool weft__call_is_timed(const weft_call *c) {
  const weft__budget *b = weft__call_budget(c);
  return b && weft__budget_timed(b);
}
weft_status weft__call_set_strings(const weft_call *c, weft_tensor *out, const weft_shape *shape,
                                   const char *const *text, const size_t *bytes) {
  return weft__call_set_pieces(c, out, shape, text, bytes, 1);
}
weft_status weft__call_set_pieces(const weft_call *c, weft_tensor *out, const weft_shape *shape,
                                  const char *const *text, const size_t *bytes, size_t pieces) {
  const weft__pieces p = {text, bytes, pieces};
  weft_shape kept;  // the shape may be the output's own
  weft_shape_copy(&kept, shape);
  return weft__tensor_set_pieces(out, kept.dim, kept.rank, &p, weft__call_budget(c), c->d);
}
const weft_fact *weft__call_fact(const weft_call *c, uint32_t out) {
  return &((const call_state *)c->impl)->facts[out];
}

static const weft__call_device *call_node_device_of(const call_state *st) {
  return st->o ? st->o->device : NULL;
}

// Counts memory against the limit until the call ends, for its later allocations and for sub-graphs that it
// runs.
static weft_status charge(call_state *st, const weft_allocator *from, size_t bytes, weft_diag *d) {
  const weft_call_options *o = st->o;
  bool counts = from && o && o->alloc && from->fn == o->alloc->fn;  // by itself, into the same budget
  if (!o || !o->budget || counts)
    return WEFT_OK;
  weft__budget *b = o->budget;
  if (!weft__budget_charge(b, bytes)) {
    return weft_fail(d, WEFT_E_LIMIT,
                     "%zu bytes more would pass the memory limit of %llu bytes (%llu in use)", bytes,
                     (unsigned long long)b->now.limit_bytes, (unsigned long long)weft__budget_live(b));
  }
  st->charged += bytes;
  return WEFT_OK;
}

static weft_status host_out_alloc(const weft_call *c, uint32_t i, weft_dtype t, const weft_layout *layout,
                                  weft_format format) {
  call_state *st = c->impl;
  if (i >= c->n_out)
    return weft_fail(c->d, WEFT_E_RANGE, "output %u does not exist: the node has %u", i, c->n_out);
  if (!c->out[i])
    return WEFT_OK;
  if (c->out[i]->data)
    return weft_fail(c->d, WEFT_E_STATE, "output %u is allocated already", i);
  int64_t elems;
  int64_t bytes = -1;
  if (!weft_shape_elems(&layout->storage, &elems) && elems >= 0)
    bytes = weft_dtype_bytes(elems, t);
  if (bytes < 0) {
    char text[256];
    return weft_fail(c->d, WEFT_E_SHAPE, "output %u: cannot allocate %s of %s", i,
                     weft_shape_text(&layout->storage, NULL, text, sizeof text), weft_dtype_serial(t));
  }
  WEFT_TRY(charge(st, &c->out[i]->alloc, (size_t)bytes, c->d));
  weft_format origin = weft__format_packed(format) && c->n_in ? c->in[0]->origin_format : format;
  bool guarded = st->margins && i < WEFT_COUNT(st->bound_bytes);
  WEFT_TRY(weft__tensor_alloc_over(c->out[i], t, layout, origin, format, guarded ? MARGIN : 0, c->d));
  if (call_node_device_of(st))
    c->out[i]->placement = WEFT_ON_DEVICE;
  if (i < WEFT_COUNT(st->bound_bytes))
    st->bound_bytes[i] = c->out[i]->bytes;
  if (!guarded)
    return WEFT_OK;
  weft__margin_begin((char *)c->out[i]->data + c->out[i]->bytes);
  st->guarded |= UINT64_C(1) << i;
  return WEFT_OK;
}

static weft_status host_out_set_shape(const weft_call *c, uint32_t i, const weft_shape *shape) {
  call_state *st = c->impl;
  if (i >= c->n_out)
    return weft_fail(c->d, WEFT_E_RANGE, "output %u does not exist: the node has %u", i, c->n_out);
  weft_tensor *t = c->out[i];
  if (!t)
    return WEFT_OK;
  if (!t->data)
    return weft_fail(c->d, WEFT_E_STATE, "output %u is not allocated", i);
  if (shape->rank > WEFT_MAX_RANK)
    return weft_fail(c->d, WEFT_E_LIMIT, "invalid output dim num: %zu", shape->rank);
  int64_t elems;
  int64_t bytes = -1;
  if (!weft_shape_elems(shape, &elems) && elems >= 0)
    bytes = weft_dtype_bytes(elems, t->dtype);
  size_t most = i < WEFT_COUNT(st->bound_bytes) ? st->bound_bytes[i] : t->bytes;
  if (bytes < 0 || (size_t)bytes > most) {
    char text[256];
    weft_shape_text(shape, NULL, text, sizeof text);
    if (bytes < 0)
      return weft_fail(c->d, WEFT_E_SHAPE, "invalid actual output shape %s", text);
    return weft_fail(c->d, WEFT_E_RANGE,
                     "invalid actual output size: %lld, max output size: %zu (output %u, shape %s)",
                     (long long)bytes, most, i, text);
  }
  weft_shape_copy(&t->layout.origin, shape);
  weft_shape_copy(&t->layout.storage, shape);
  t->bytes = (size_t)bytes;
  return WEFT_OK;
}

// Memory that the call gives back at its end; not zeroed. NULL: there is none.
static void *add_piece(const call_state *st, workspace **list, const weft_allocator *from, size_t bytes) {
  workspace *w = weft__alloc(&st->alloc, sizeof *w, _Alignof(workspace));
  if (!w)
    return NULL;
  size_t over = st->margins && from == &st->alloc ? MARGIN : 0;
  size_t all = bytes > SIZE_MAX - over ? SIZE_MAX : WEFT_MAX(bytes + over, 1);
  *w = (workspace){*list, weft__alloc(from, all, 64), bytes, all};
  if (!w->data)
    return weft__free(&st->alloc, w, sizeof *w, _Alignof(workspace)), NULL;
  if (over)
    weft__margin_begin((char *)w->data + bytes);
  *list = w;
  return w->data;
}

static void free_pieces(const call_state *st, workspace **list, const weft_allocator *from) {
  while (*list) {
    workspace *w = *list;
    *list = w->next;
    weft__free(from, w->data, w->all, 64);
    weft__free(&st->alloc, w, sizeof *w, _Alignof(workspace));
  }
}

static weft_status host_workspace(const weft_call *c, size_t bytes, void **out) {
  call_state *st = c->impl;
  const weft__call_device *on = call_node_device_of(st);
  *out = NULL;
  WEFT_TRY(charge(st, on ? &on->memory : &st->alloc, bytes, c->d));
  *out = add_piece(st, &st->workspaces, on ? &on->memory : &st->alloc, bytes);
  if (!*out) {
    return weft_fail(c->d, WEFT_E_NOMEM, "no memory for a workspace of %zu bytes%s%s", bytes,
                     on ? " on " : "", on ? on->name : "");
  }
  return on ? WEFT_OK : weft__budget_zero(st->o ? st->o->budget : NULL, *out, bytes, c->d);
}

// Arguments and data are copied: the stream takes them when it comes to them.
static weft_status launch_on(const weft_call *c, const weft__call_device *on, const weft_call_launch *l) {
  call_state *st = c->impl;
  size_t list;
  size_t bytes;
  if (!weft_mul_size(l->n_args, sizeof *l->arg, &list) ||
      (bytes = (list + 63) / 64 * 64) > SIZE_MAX - l->data_bytes) {
    return weft_fail(c->d, WEFT_E_OVERFLOW, "a launch with %u arguments and %zu bytes of data", l->n_args,
                     l->data_bytes);
  }
  if (l->data && !l->data_bytes) {
    return weft_fail(c->d, WEFT_E_INVALID,
                     "a launch on device '%s' with data of 0 bytes: weft_call_launch.data_bytes is not set",
                     on->name);
  }
  char *copy = add_piece(st, &st->lists, &st->alloc, bytes + l->data_bytes);
  WEFT_TRY(weft__allocated(copy, c->d));
  if (list)
    memcpy(copy, l->arg, list);
  if (l->data)
    memcpy(copy + bytes, l->data, l->data_bytes);
  weft_call_launch own = *l;
  own.arg = (void *const *)(void *)copy;
  own.data = l->data ? copy + bytes : NULL;
  if (!own.name)
    own.name = c->desc->type;
  return on->launch(on->ctx, &own, c->d);
}

static bool launch_is_stopped(void *call) {
  return weft__call_poll(call) != WEFT_OK;
}

static weft_status host_launch(const weft_call *c, const weft_call_launch *l) {
  call_state *st = c->impl;
  const weft__call_device *on = call_node_device_of(st);
  if (!l->run || (l->n_args && !l->arg))
    return weft_fail(c->d, WEFT_E_INVALID, "a launch without %s", l->run ? "arguments" : "a kernel");
  st->unsynced = true;
  if (on)
    return launch_on(c, on, l);
  for (uint32_t i = 0; i < l->blocks && !st->launched; i++) {
    WEFT_TRY(weft__call_poll(c));
    weft_block_run r = {
        .block = {.size = sizeof r, .block = i, .blocks = l->blocks, .data = l->data, .arg = l->arg},
        .stopped = launch_is_stopped,
        .of = (void *)(uintptr_t)c};
    st->launched = l->run(&r.block);
    if (st->launched)
      WEFT_TRY(weft__call_poll(c));
  }
  return WEFT_OK;
}

static weft_status host_sync(const weft_call *c) {
  call_state *st = c->impl;
  const weft__call_device *on = call_node_device_of(st);
  st->unsynced = false;
  if (on)
    return on->sync(on->ctx, c->d);
  weft_status s = st->launched;
  st->launched = WEFT_OK;
  return s ? weft_fail(c->d, s, "a kernel failed with %d (%s)", (int)s, weft_status_name(s)) : WEFT_OK;
}

// Is [from, from+bytes) inside memory this call knows: an input, an output or a workspace (R179)?
static bool call_node_inside(const void *data, size_t have, const void *from, size_t bytes) {
  uintptr_t a = (uintptr_t)data;
  uintptr_t b = (uintptr_t)from;
  return data && b >= a && b - a <= have && bytes <= have - (b - a);
}

static weft_status host_copy(const weft_call *c, void *to, const void *from, size_t bytes) {
  call_state *st = c->impl;
  // written: by what was launched
  bool known = false;
  bool written = false;
  for (workspace *w = st->workspaces; w && !written; w = w->next)
    written = call_node_inside(w->data, w->bytes, from, bytes);
  for (uint32_t i = 0; i < c->n_out && !written; i++)
    written = c->out[i] && call_node_inside(c->out[i]->data, c->out[i]->bytes, from, bytes);
  for (uint32_t i = 0; i < c->n_in && !known; i++)
    known = c->in[i] && call_node_inside(c->in[i]->data, c->in[i]->bytes, from, bytes);
  if (written && st->unsynced) {
    return weft_fail(c->d, WEFT_E_STATE,
                     "copy to host before sync: the kernel that was launched may still write there");
  }
  if (!known && !written) {
    return weft_fail(c->d, WEFT_E_RANGE,
                     "copy to host of %zu bytes is outside every input, output and workspace", bytes);
  }
  const weft__call_device *on = call_node_device_of(st);
  if (on)
    return on->copy_out(on->ctx, to, from, bytes, c->d);
  memcpy(to, from, bytes);
  return WEFT_OK;
}

static weft_status host_infer_graph(weft_infer *it, uint32_t graph, const weft_described *in, uint32_t n_in,
                                    weft_described *out, uint32_t n_out) {
  const weft_frame *f = it->impl;
  if (!f->infer_graph) {
    return weft_fail(it->d, WEFT_E_UNSUPPORTED,
                     "sub-graph %u: an operator with sub-graphs is inferred inside a graph only", graph);
  }
  return f->infer_graph(f->sub, it, graph, in, n_in, out, n_out);
}

static weft_status host_call_graph(const weft_call *c, uint32_t graph, const weft_tensor *const *in,
                                   weft_tensor *const *out) {
  const call_state *st = c->impl;
  if (!st->o || !st->o->call_graph)
    return weft_fail(c->d, WEFT_E_UNSUPPORTED, "sub-graph %u cannot run here", graph);
  return st->o->call_graph(st->o->ctx, c, graph, in, out);
}

static weft_dim host_dim(weft_symbols *p, uint32_t how, weft_dim a, weft_dim b) {
  static weft_dim (*const rules[])(weft_symbols * p, weft_dim a, weft_dim b) = {
      [WEFT_DIMS_ADD] = weft_dim_add,         [WEFT_DIMS_SUB] = weft_dim_sub,
      [WEFT_DIMS_MUL] = weft_dim_mul,         [WEFT_DIMS_FLOORDIV] = weft_dim_floordiv,
      [WEFT_DIMS_CEILDIV] = weft_dim_ceildiv, [WEFT_DIMS_DIV_EXACT] = weft_dim_div_exact,
      [WEFT_DIMS_MAX] = weft_dim_max,         [WEFT_DIMS_MIN] = weft_dim_min,
  };
  return how < WEFT_COUNT(rules) && rules[how] ? rules[how](p, a, b) : WEFT_DIM_UNKNOWN;
}

void weft__host_fill(weft_host *h) {
  *h = (weft_host){sizeof *h,      WEFT_ABI,           weft_version(),  weft_fail,   weft_note,
                   host_out_alloc, host_out_set_shape, host_workspace,  host_launch, host_sync,
                   host_copy,      host_infer_graph,   host_call_graph, host_dim,    .poll = weft__call_poll};
}

static weft_status allocate(call_state *st, const weft_call *c) {
  for (uint32_t i = 0; i < c->n_out; i++) {
    const weft_fact *f = &st->facts[i];
    if (!c->out[i] || f->kind != WEFT_KIND_TENSOR)
      continue;
    weft_layout layout;
    memset(&layout, 0, sizeof layout);
    weft__fact_shape(f, &layout.origin);
    if (!weft__fact_known(f)) {
      char text[256];
      return weft_fail(c->d, WEFT_E_UNKNOWN,
                       "output %u: shape %s is not known, and the operator has no execute function", i,
                       weft_shape_text(&layout.origin, NULL, text, sizeof text));
    }
    if (weft__format_packed(f->format)) {
      WEFT_TRY(
          weft_format_storage_shape(&layout.origin, f->origin_format, f->format, 0, &layout.storage, c->d));
    } else
      weft_shape_copy(&layout.storage, &layout.origin);
    WEFT_TRY(host_out_alloc(c, i, f->dtype, &layout, f->format));
    c->out[i]->origin_format = f->origin_format;
  }
  return WEFT_OK;
}

// Formats are inference's, also where a kernel made the tensor anew (strings, items of sequences). A packed
// format that an execute function chose stays: it says how the bytes lie.
static void keep_formats(const weft_call *c, const weft_fact *facts, bool executed) {
  for (uint32_t i = 0; i < c->n_out; i++) {
    weft_tensor *t = c->out[i];
    if (!t || t->kind != WEFT_KIND_TENSOR)
      continue;
    if (executed && weft__format_packed(t->format) != weft__format_packed(facts[i].format))
      continue;
    t->origin_format = facts[i].origin_format;
    t->format = facts[i].format;
  }
}

// An output that the kernel gave other memory is not known here.
static weft_status call_strayed(const call_state *st, const weft_call *c, const char *who, uint32_t bytes,
                                const char *where) {
  if (st->o && st->o->strayed)
    *st->o->strayed = true;
  return weft_fail(c->d, WEFT_E_KERNEL, "%s wrote %u bytes past the end of %s", who, bytes, where);
}

static weft_status check_margins(const call_state *st, const weft_call *c, const char *who) {
  char where[64];
  for (uint32_t i = 0; st->margins && i < WEFT_MIN(c->n_out, WEFT_COUNT(st->bound_bytes)); i++) {
    const weft_tensor *t = c->out[i];
    size_t bytes = st->bound_bytes[i];
    if (!(st->guarded >> i & 1) || !t->owned || t->capacity < bytes + MARGIN || t->dtype == WEFT_STRING)
      continue;  // strings are set as a whole, in what room there is
    uint32_t n = weft__margin_changed((const char *)t->data + bytes);
    snprintf(where, sizeof where, "output %u, which has %zu", i, bytes);
    if (n)
      return call_strayed(st, c, who, n, where);
  }
  for (const workspace *w = st->workspaces; st->margins && w; w = w->next) {
    uint32_t n = weft__margin_changed((const char *)w->data + w->bytes);
    snprintf(where, sizeof where, "a workspace of %zu", w->bytes);
    if (n)
      return call_strayed(st, c, who, n, where);
  }
  return WEFT_OK;
}

static weft_status call_outside(const weft_call *c, const weft_fact *facts, uint32_t i, size_t k) {
  char got[256];
  char most[32] = "any";
  if (facts[i].max[k] >= 0)
    snprintf(most, sizeof most, "%lld", (long long)facts[i].max[k]);
  return weft_fail(c->d, WEFT_E_SHAPE,
                   "output %u: executed with shape %s, and inference said that dim %zu lies in [%lld, %s]", i,
                   weft_shape_text(&c->out[i]->layout.origin, NULL, got, sizeof got), k,
                   (long long)facts[i].min[k], most);
}

static weft_status check_executed(const weft_call *c, const weft_fact *facts) {
  for (uint32_t i = 0; i < c->n_out; i++) {
    const weft_tensor *t = c->out[i];
    if (!t || t->kind != WEFT_KIND_TENSOR)
      continue;
    if (!t->data && t->kind == WEFT_KIND_TENSOR)
      return weft_fail(c->d, WEFT_E_UNSET, "the execute function did not allocate output %u", i);
    if (facts[i].dtype != WEFT_UNDEFINED && t->dtype != facts[i].dtype) {
      return weft_fail(c->d, WEFT_E_DTYPE, "output %u: executed as %s, inferred as %s", i,
                       weft_dtype_serial(t->dtype), weft_dtype_serial(facts[i].dtype));
    }
    if (!weft__fact_ranked(&facts[i]))
      continue;
    bool same = t->layout.origin.rank == facts[i].rank;
    const weft_dim *dim = t->layout.origin.dim;
    for (size_t k = 0; same && k < facts[i].rank; k++)
      same = facts[i].dims[k] < 0 || facts[i].dims[k] == dim[k];
    for (size_t k = 0; same && facts[i].min && k < facts[i].rank; k++) {
      if (!weft_range_contains(facts[i].min[k], facts[i].max[k], dim[k]))
        return call_outside(c, facts, i, k);
    }
    if (!same) {
      char got[256];
      char want[256];
      weft_shape s;
      weft__fact_shape(&facts[i], &s);
      return weft_fail(c->d, WEFT_E_SHAPE, "output %u: executed with shape %s, inferred %s", i,
                       weft_shape_text(&t->layout.origin, NULL, got, sizeof got),
                       weft_shape_text(&s, NULL, want, sizeof want));
    }
  }
  return WEFT_OK;
}

void weft__call_begin(call_state *st, weft_env *e, const weft_fact *facts, const weft_call_options *o) {
  st->env = e;
  st->facts = facts;
  st->o = o;
  st->alloc = o && o->alloc ? *o->alloc : e->alloc;
  st->workspaces = st->lists = NULL;
  st->launched = WEFT_OK;
  st->charged = 0;
  st->unsynced = st->margins = false;
  st->guarded = 0;
}

void weft__call_end(call_state *st) {
  const weft__call_device *on = call_node_device_of(st);
  weft_diag quiet = {0};
  if (on && st->unsynced)  // a call that failed; what it launched may still use its memory
    (void)on->sync(on->ctx, &quiet);
  st->unsynced = false;
  free_pieces(st, &st->workspaces, on ? &on->memory : &st->alloc);
  free_pieces(st, &st->lists, &st->alloc);
  if (st->charged)
    weft__budget_release(st->o->budget, st->charged);
  st->charged = 0;
  st->guarded = 0;
}

static weft_status call_execute(const weft__node_call *n, const call_state *st, const weft_call *c) {
  WEFT_TRY(n->proto->op->execute(c));
  WEFT_TRY(host_sync(c));
  WEFT_TRY(check_margins(st, c, "the execute function"));
  WEFT_TRY(check_executed(c, n->facts));
  keep_formats(c, n->facts, true);
  return WEFT_OK;
}

static weft_status call_reference(const weft__node_call *n, call_state *st, const weft_call *c) {
  WEFT_TRY(allocate(st, c));
  WEFT_TRY(n->proto->op->ref(c));
  WEFT_TRY(check_margins(st, c, "the reference kernel"));
  keep_formats(c, n->facts, false);
  return WEFT_OK;
}

static weft_status call_function(const weft__node_call *n, call_state *st, const weft_call *c) {
  if (n->proto->op->execute)
    return call_execute(n, st, c);
  if (n->proto->op->ref)
    return call_reference(n, st, c);
  return weft_fail(c->d, WEFT_E_UNSUPPORTED,
                   "no kernel found for op %s: it has no reference kernel and no execute function (%s)",
                   n->proto->name, n->proto->origin);
}

weft_status weft__call_node(weft_env *e, const weft__node_call *n, weft_diag *d) {
  weft_diag own;
  if (!d) {
    own.status = 0;
    own.length = 0;
    d = &own;
  }
  call_state st;
  weft__call_begin(&st, e, n->facts, n->options);
  st.margins =
      (MARGINS_ALWAYS || atomic_load_explicit(&e->judged, memory_order_relaxed)) && !call_node_device_of(&st);
  const weft_call c = {.size = sizeof c,
                       .n_in = n->desc->n_in,
                       .n_out = n->desc->n_out,
                       .desc = n->desc,
                       .host = &e->host,
                       .d = d,
                       .stream = &st,
                       .in = n->in,
                       .out = n->out,
                       .impl = &st};
  weft_status s = call_function(n, &st, &c);
  if (s && !d->status)
    weft_fail(d, s, "the kernel returned %d (%s) without a message", (int)s, weft_status_name(s));
  weft__call_end(&st);
  if (s)
    weft_note(d, "while running node '%s' (%s)", n->desc->name, n->desc->type);
  return s;
}
// SPDX-License-Identifier: Apache-2.0
