// prepare.c - plans for shapes before they are run, and shows plans: what an embedder asks before giving
// memory.
#include "base/told.h"
#include "base/allocated.h"
#include "run/run.h"

static weft_status headers(weft_exec *x, const weft_tensor_desc *in, weft_diag *d) {
  for (uint32_t i = 0; i < x->fn->n_in; i++) {
    weft_tensor_desc own;
    weft_value_desc(x->fn->value[i], &own);
    if (in && (x->fn_index || i < x->program->n_in)) {  // states are behind what the caller describes
      const weft_tensor_desc *given = weft__desc_at(in, i);
      own.dtype = given->dtype;
      own.kind = given->kind;
      own.origin_format = given->origin_format;
      own.format = given->format;
      own.layout = given->layout;
    }
    if (own.kind == WEFT_KIND_TENSOR && !weft_shape_is_known(&own.layout.origin)) {
      char text[256];
      return weft_fail(d, WEFT_E_UNKNOWN, "graph input '%s': shape %s is not known", x->fn->value[i]->name,
                       weft_shape_text(&own.layout.origin, x->fn->graph->root->symbols, text, sizeof text));
    }
    weft_tensor *t = &x->in[i];
    memset(t, 0, sizeof *t);
    t->size = sizeof *t;
    t->dtype = own.dtype;
    t->kind = own.kind;
    t->origin_format = own.origin_format;
    t->format = own.format;
    t->layout = own.layout;
    t->bytes = (size_t)weft__tensor_span(t);
  }
  return WEFT_OK;
}

// Do the shapes fit the program? The data are not there yet: a byte stands for them.
static weft_status prepare_check(weft_exec *x, weft_diag *d) {
  static const char none[1];
  const weft_tensor *list[256];
  if (x->fn->n_in > WEFT_COUNT(list))
    return WEFT_OK;
  for (uint32_t i = 0; i < x->fn->n_in; i++) {
    x->in[i].data = (void *)(uintptr_t)none;
    list[i] = &x->in[i];
    if (x->in[i].kind != WEFT_KIND_TENSOR)
      return WEFT_OK;
  }
  weft_status s = weft__check_inputs(x->fn->graph, list, x->fn->n_in, d);
  for (uint32_t i = 0; i < x->fn->n_in; i++)
    x->in[i].data = NULL;
  return s;
}

static void prepare_tell(const weft_exec *x, weft_memory_plan *out) {
  const weft__fn *f = x->fn;
  const weft__seg *s = x->hot;
  weft_memory_plan m = {.size = sizeof m,
                        .whole = s->end == f->n_nodes,
                        .arena_bytes = s->plan.peak_bytes,
                        .sum_bytes = s->plan.sum_bytes,
                        .bound_bytes = s->plan.bound_bytes,
                        .n_launches = s->n_launches};
  for (uint32_t k = 1; k < x->program->n_devices; k++)
    m.device_bytes += s->device_bytes[k];
  for (uint32_t i = 0; i < f->n_in; i++)
    m.input_bytes += x->in[i].bytes;
  for (uint32_t k = 0; k < x->program->n_fns; k++) {
    const weft__fn *g = &x->program->fn[k];
    for (uint32_t i = g->n_in; i < g->n_in + g->n_const; i++)
      m.constant_bytes += g->value[i]->fact.value->bytes;
  }
  for (uint32_t k = 0; k < f->n_out; k++) {
    if (f->out[k] < s->v1)
      m.output_bytes += weft__tensor_of(x, s, f->out[k])->bytes;
  }
  WEFT_SIZED_OUT(out, &m, open_value);
}

weft_status weft_exec_prepare(weft_exec *x, const weft_tensor_desc *in, size_t n_in, weft_memory_plan *out,
                              weft_diag *d) {
  WEFT_NEED(d, x);
  if (in && n_in != x->program->n_in) {
    return weft_fail(d, WEFT_E_INVALID, "graph '%s' has %u inputs, got %zu", x->fn->graph->name,
                     x->program->n_in, n_in);
  }
  if (in && n_in)
    WEFT_TRY(weft__desc_check(in, "weft_exec_prepare", d));
  x->hot = NULL;
  WEFT_TRY(headers(x, in, d));
  WEFT_TRY(prepare_check(x, d));
  weft_diag_clear(&x->diag);
  weft__seg *s = NULL;
  weft__allowance before = weft__exec_begin(x);
  weft_status status = weft__seg_of_inputs(x, &s);
  status = weft__budget_end(&x->budget, &before, status, &x->diag);
  if (status) {
    weft_fail(d, status, "%s", x->diag.text);
    weft_note(d, "while planning program '%s'", x->fn->graph->name);
    return status;
  }
  x->hot = s;
  if (out)
    prepare_tell(x, out);
  return WEFT_OK;
}

static weft_status no_bound(const weft_exec *x, uint32_t i, const weft_shape *s, size_t dim, weft_diag *d) {
  const weft_symbols *p = x->fn->graph->root->symbols;
  char text[256];
  char dim_text[160] = "";
  char name[128];
  weft_shape_text(s, p, text, sizeof text);
  if (weft_shape_is_unknown_rank(s)) {
    weft_fail(d, WEFT_E_UNKNOWN,
              "graph input '%s': its rank is not known, so that its size has no upper bound",
              x->fn->value[i]->name);
  } else {
    if (weft_dim_is_symbol(s->dim[dim]))
      snprintf(dim_text, sizeof dim_text, " (%s)", weft_dim_text(p, s->dim[dim], name, sizeof name));
    weft_fail(d, WEFT_E_UNKNOWN, "graph input '%s': shape %s has no upper bound: dim %zu%s may have any size",
              x->fn->value[i]->name, text, dim, dim_text);
  }
  weft_note(
      d,
      "give it one before compiling: weft_graph_input_reshape with a range, or weft_dim_symbol with bounds");
  return WEFT_E_UNKNOWN;
}

// Every unknown dim at the end of its range, or of its symbol's.
static weft_status largest(const weft_exec *x, uint32_t i, weft_tensor_desc *desc, weft_diag *d) {
  const weft_symbols *p = x->fn->graph->root->symbols;
  weft_value_desc(x->fn->value[i], desc);
  if (desc->kind != WEFT_KIND_TENSOR)
    return WEFT_OK;
  weft_shape *s = &desc->layout.origin;
  if (weft_shape_is_unknown_rank(s))
    return no_bound(x, i, s, 0, d);
  for (size_t k = 0; k < s->rank; k++) {
    int64_t lo;
    int64_t hi = -1;
    if (s->dim[k] >= 0)
      continue;
    if (weft_dim_is_symbol(s->dim[k]))
      weft_dim_bounds(p, s->dim[k], &lo, &hi);
    if (desc->has_range && desc->max.dim[k] >= 0 && (hi < 0 || desc->max.dim[k] < hi))
      hi = desc->max.dim[k];
    if (hi < 0)
      return no_bound(x, i, s, k, d);
    s->dim[k] = hi;
  }
  weft_shape_copy(&desc->layout.storage, s);
  desc->has_range = 0;
  return WEFT_OK;
}

static weft_status largest_inputs(const weft_exec *x, weft_tensor_desc *in, weft_diag *d) {
  for (uint32_t i = 0; i < x->fn->n_in; i++)
    WEFT_TRY(largest(x, i, &in[i], d));
  return WEFT_OK;
}

static weft_status largest_headers(weft_exec *x, weft_tensor_desc *in, weft_diag *d) {
  WEFT_TRY(largest_inputs(x, in, d));
  x->hot = NULL;
  return headers(x, in, d);
}

weft_status weft__largest_of_body(weft_exec *x, weft_memory_plan *out, weft_diag *d) {
  const weft_allocator *a = &x->cache->counted;
  size_t bytes = ((size_t)x->fn->n_in + 1) * sizeof(weft_tensor_desc);
  weft_tensor_desc *in = weft__alloc(a, bytes, 16);
  WEFT_TRY(weft__allocated(in, d));
  weft_status s = largest_headers(x, in, d);
  weft__free(a, in, bytes, 16);
  WEFT_TRY(s);
  weft_diag_clear(&x->diag);
  weft__seg *first = NULL;
  s = weft__seg_of_inputs(x, &first);
  if (s)
    return weft_fail(d, s, "%s", x->diag.text);
  x->hot = first;
  prepare_tell(x, out);
  weft__plan_to_the_end(x, out);
  x->hot = NULL;  // headers without data: the first run binds its own
  return WEFT_OK;
}

static weft_status prepare_largest(weft_exec *x, weft_tensor_desc *in, weft_memory_plan *out, weft_diag *d) {
  weft_memory_plan whole = {.size = sizeof whole};
  WEFT_TRY(largest_inputs(x, in, d));
  WEFT_TRY(weft_exec_prepare(x, in, x->program->n_in, &whole, d));
  weft__plan_to_the_end(x, &whole);
  WEFT_SIZED_OUT(out, &whole, open_value);
  return WEFT_OK;
}

weft_status weft_exec_prepare_largest(weft_exec *x, weft_memory_plan *out, weft_diag *d) {
  WEFT_NEED(d, x);
  const weft_allocator *a = &x->cache->counted;
  size_t bytes = ((size_t)x->fn->n_in + 1) * sizeof(weft_tensor_desc);
  weft_tensor_desc *in = weft__alloc(a, bytes, 16);
  WEFT_TRY(weft__allocated(in, d));
  weft_status s = prepare_largest(x, in, out, d);
  weft__free(a, in, bytes, 16);
  return weft__told(s, d);
}

// ---- as text ----
static weft_status print_place(const weft_exec *x, const weft__seg *s, uint32_t v, weft_write_fn write,
                               void *ctx) {
  const weft__fn *f = x->fn;
  if (v < f->n_in)
    return weft__writef(write, ctx, "@input");
  if (v < f->n_in + f->n_const)
    return weft__writef(write, ctx, "@const");
  while (v < s->v0)
    s = s->parent;
  const weft__place *p = &s->place[v - s->v0];
  switch (p->kind) {
    case WEFT__AT_CONST:
      return weft__writef(write, ctx, "@known");
    case WEFT__AT_ARENA:
      if (p->space) {
        return weft__writef(write, ctx, "@%s:%llu", x->program->device[p->space]->name,
                            (unsigned long long)p->offset);
      }
      return weft__writef(write, ctx, "@%llu", (unsigned long long)p->offset);
    case WEFT__AT_OUTPUT:
      return weft__writef(write, ctx, "@output%u", p->output);
    case WEFT__AT_VIEW:
      return weft__writef(write, ctx, "@view");
    case WEFT__AT_NONE:
      return weft__writef(write, ctx, "@unread");
    default:
      return weft__writef(write, ctx, "@heap");
  }
}

static weft_status print_values(const weft_exec *x, const weft__seg *s, uint32_t n, const uint32_t *v,
                                weft_write_fn write, void *ctx) {
  for (uint32_t i = 0; i < n; i++) {
    const weft_tensor *t = weft__tensor_of(x, s, v[i]);
    char shape[256];
    if (i)
      WEFT_TRY(weft__writef(write, ctx, ", "));
    WEFT_TRY(
        weft__writef(write, ctx, "%.200s %s%s ", x->fn->value[v[i]]->name, weft_dtype_name(t->dtype),
                     weft_shape_text(&t->layout.origin, x->fn->graph->root->symbols, shape, sizeof shape)));
    WEFT_TRY(print_place(x, s, v[i], write, ctx));
  }
  return WEFT_OK;
}

static const char *kind_of(const weft__launch *l) {
  switch (l->kind) {
    case WEFT__RUN_KERNEL:
      return l->kernel->name;
    case WEFT__RUN_CALL:  // with a kernel: it finds shapes while it runs
      return l->kernel ? l->kernel->name : "call";
    case WEFT__RUN_VIEW:
      return "view";
    case WEFT__RUN_COPY:
    case WEFT__RUN_MOVE:
      return "copy";
    default:
      return "reference";
  }
}

// The stream of a launch, and what it waits for on others.
static weft_status print_stream(const weft_exec *x, const weft__seg *s, uint32_t launch, weft_write_fn write,
                                void *ctx) {
  const weft__streams *t = s->streams;
  if (!t)
    return WEFT_OK;
  uint32_t stream = t->plan.stream[launch];
  WEFT_TRY(weft__writef(write, ctx, "  on %s stream %u",
                        t->plan.lane_of[stream] ? x->program->device[t->plan.lane_of[stream]]->name : "cpu",
                        t->on[stream]));
  for (uint32_t i = t->plan.first_wait[launch]; i < t->plan.first_wait[launch + 1]; i++) {
    weft_wait w = t->plan.wait[i];
    const weft__launch *l = &s->launch[t->nth[t->nth_first[w.stream] + w.count - 1]];
    WEFT_TRY(weft__writef(write, ctx, "%s%.200s", i > t->plan.first_wait[launch] ? ", " : " after ",
                          weft__node_name(x->fn->node[l->node])));
  }
  return WEFT_OK;
}

static weft_status print_launch(const weft_exec *x, const weft__seg *s, const weft__launch *l,
                                weft_write_fn write, void *ctx) {
  const weft_node *n = x->fn->node[l->node];
  uint32_t list[64];
  WEFT_TRY(
      weft__writef(write, ctx, "  %.200s: %s [%s] (", weft__node_name(n), weft__node_type(n), kind_of(l)));
  uint32_t n_in = WEFT_MIN(n->desc.pub.n_in, 64);
  uint32_t n_out = WEFT_MIN(n->desc.pub.n_out, 64);
  for (uint32_t i = 0; i < n_in; i++)
    list[i] = weft__local(x->program, n->in[i].value);
  WEFT_TRY(print_values(x, s, n_in, list, write, ctx));
  WEFT_TRY(weft__writef(write, ctx, ") -> "));
  for (uint32_t i = 0; i < n_out; i++)
    list[i] = x->fn->first_out[l->node] + i;
  WEFT_TRY(print_values(x, s, n_out, list, write, ctx));
  if (l->kind == WEFT__RUN_KERNEL) {
    WEFT_TRY(weft__writef(write, ctx, "  blocks %u x %u, key %llu", l->block.blocks, l->phases,
                          (unsigned long long)l->block.key));
  }
  WEFT_TRY(print_stream(x, s, (uint32_t)(l - s->launch), write, ctx));
  return weft__writef(write, ctx, "\n");
}

weft_status weft_exec_print_plan(const weft_exec *x, weft_write_fn write, void *ctx, weft_diag *d) {
  WEFT_NEED(d, x);
  WEFT_NEED(d, write);
  const weft__seg *s = x->hot;
  if (!s)
    return weft_fail(d, WEFT_E_STATE, "nothing was planned yet: call weft_exec_prepare or run first");
  weft_memory_plan m = {.size = sizeof m};
  prepare_tell(x, &m);
  WEFT_TRY(weft__writef(write, ctx, "program \"%.200s\": %u node%s, %u launch%s\n", x->fn->graph->name,
                        x->fn->n_nodes, x->fn->n_nodes == 1 ? "" : "s", m.n_launches,
                        m.n_launches == 1 ? "" : "es"));
  WEFT_TRY(weft__writef(
      write, ctx,
      "memory: arena %llu bytes (%llu without reuse, %llu at least), constants %llu, inputs %llu, "
      "outputs %llu\n",
      (unsigned long long)m.arena_bytes, (unsigned long long)m.sum_bytes, (unsigned long long)m.bound_bytes,
      (unsigned long long)m.constant_bytes, (unsigned long long)m.input_bytes,
      (unsigned long long)m.output_bytes));
  for (uint32_t k = 1; k < x->program->n_devices; k++) {
    WEFT_TRY(weft__writef(write, ctx, "memory of %s: arena %llu bytes\n", x->program->device[k]->name,
                          (unsigned long long)s->device_bytes[k]));
  }
  if (s->streams) {
    WEFT_TRY(weft__writef(
        write, ctx, "streams: %u, %u events, estimated %.0f ns, one after the other %.0f ns\n",
        s->streams->plan.n_streams, s->streams->plan.n_waits, s->streams->finish_ns, s->streams->serial_ns));
  }
  for (uint32_t i = 0; i < s->n_launches; i++)
    WEFT_TRY(print_launch(x, s, &s->launch[i], write, ctx));
  if (s->end == x->fn->n_nodes)
    return WEFT_OK;
  WEFT_TRY(weft__writef(write, ctx, "the rest is planned while running, when these are known:"));
  for (uint32_t i = 0; i < s->n_wants; i++) {
    WEFT_TRY(weft__writef(write, ctx, " %s of '%.200s'%s", s->want[i].contents ? "the contents" : "the shape",
                          x->fn->value[s->want[i].value]->name, i + 1 < s->n_wants ? "," : "\n"));
  }
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
