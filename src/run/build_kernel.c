// build_kernel.c - who runs a launch: its lists of tensors, the cheapest kernel that takes the node with
// these shapes, that kernel's tiling, workspaces and scratch.
#include "base/pool.h"
#include "device/node_tiling.h"
#include "run/build.h"

// One output of a node that runs for its other ones is known already, and shared: the kernel writes beside
// it.
static weft_tensor *unread_output(builder *b, const weft_tensor *known) {
  weft_tensor *t = weft__build_known(b);
  if (!t)
    return weft_fail(b->d, WEFT_E_NOMEM, "out of memory"), NULL;
  return weft_tensor_alloc_layout(t, known->dtype, &known->layout, known->origin_format, known->format, b->d)
             ? NULL
             : t;
}

weft_status weft__build_arguments(builder *b, weft__launch *l, const weft_node *n) {
  const weft_op_desc *desc = &n->desc.pub;
  const weft_tensor **in = WEFT_NEW_N(&b->s->mem, const weft_tensor *, (size_t)desc->n_in + 1);
  weft_tensor **out = WEFT_NEW_N(&b->s->mem, weft_tensor *, (size_t)desc->n_out + 1);
  if (!in || !out)
    return weft__build_no_memory(b);
  for (uint32_t i = 0; i < desc->n_in; i++)
    in[i] = weft__tensor_of(b->x, b->s, weft__local(b->x->program, n->in[i].value));
  for (uint32_t i = 0; i < desc->n_out; i++) {
    uint32_t at = b->f->first_out[l->node] + i - b->s->v0;
    out[i] = b->s->tensor[at];
    if (b->s->place[at].kind == WEFT__AT_CONST && !(out[i] = unread_output(b, out[i])))
      return b->d->status;
  }
  l->call = (weft_call){.size = sizeof l->call,
                        .n_in = desc->n_in,
                        .n_out = desc->n_out,
                        .desc = desc,
                        .host = &b->x->env->host,
                        .d = &b->x->diag,
                        .stream = &b->x->state,
                        .in = in,
                        .out = out,
                        .impl = &b->x->state};
  return WEFT_OK;
}

// What each running block has for itself: a workspace in as many parts as threads can run blocks.
static weft_status build_scratch(const builder *b, weft__launch *l, weft_tiling *t) {
  size_t each = (t->scratch_bytes + 63) / 64 * 64;
  size_t all;
  if (!each)
    return WEFT_OK;
  if (t->n_workspaces >= WEFT_COUNT(t->workspace_bytes)) {
    return weft_fail(b->d, WEFT_E_LIMIT, "kernel '%s': scratch and %u workspaces", l->kernel->name,
                     t->n_workspaces);
  }
  uint32_t threads = b->x->env->options.parallel ? WEFT__SCRATCHES
                     : b->x->pool                ? weft__pool_threads(b->x->pool)
                                                 : 1;
  l->scratches = WEFT_MIN(WEFT_MIN(threads, WEFT__SCRATCHES), t->blocks ? t->blocks : 1);
  if (b->x->o.threads == 1 || !l->scratches)
    l->scratches = 1;
  if (!weft_mul_size(each, l->scratches, &all))
    return weft_fail(b->d, WEFT_E_OVERFLOW, "kernel '%s': scratch of %zu bytes", l->kernel->name, each);
  l->scratch_bytes = each;
  t->workspace_bytes[t->n_workspaces++] = all;
  return WEFT_OK;
}

static weft_status shape_buffer(const builder *b, weft__launch *l, weft_tiling *t) {
  if (t->n_workspaces >= WEFT_COUNT(t->workspace_bytes)) {
    return weft_fail(b->d, WEFT_E_LIMIT, "kernel '%s': a shape buffer and %u workspaces", l->kernel->name,
                     t->n_workspaces);
  }
  l->shape_at = t->n_workspaces;
  t->workspace_bytes[t->n_workspaces++] = (size_t)l->call.n_out * WEFT_SHAPE_OUT * sizeof(uint64_t);
  return WEFT_OK;
}

static weft_status build_tile(builder *b, weft__launch *l, const weft_kernel *k, weft_tiling *t) {
  weft_arena *a = &b->s->mem;
  t->data_cap = k->tiling_bytes_max ? k->tiling_bytes_max : 2048;
  t->data = weft__arena_zalloc(a, t->data_cap, 64);
  if (!t->data)
    return weft__build_no_memory(b);
  b->x->stats.tilings++;
  WEFT_TRY(weft__kernel_tile(k, t->desc)(t));
  if (t->data_bytes > t->data_cap || t->n_workspaces > WEFT_COUNT(t->workspace_bytes)) {
    return weft_fail(b->d, WEFT_E_LIMIT,
                     "kernel '%s': tiling of %zu bytes and %u workspaces, allowed are %zu and %zu", k->name,
                     t->data_bytes, t->n_workspaces, t->data_cap, WEFT_COUNT(t->workspace_bytes));
  }
  weft__arena_trim(a, t->data, t->data_cap, t->data_bytes);
  uint32_t args = l->call.n_in + l->call.n_out;
  l->kind = WEFT__RUN_KERNEL;
  l->kernel = k;
  l->run = k->run;
  if (l->most && b->device)
    WEFT_TRY(shape_buffer(b, l, t));
  WEFT_TRY(build_scratch(b, l, t));
  l->phases = t->phases ? t->phases : 1;
  l->n_workspaces = t->n_workspaces;
  l->overwrite = t->overwrite;
  l->skips = t->skips;
  l->undo_pieces = t->undo_pieces;
  l->undo_piece_bytes = t->undo_piece_bytes;
  l->undo_at = t->undo_at;
  l->workspace_at = WEFT_NEW_N(a, uint64_t, (size_t)t->n_workspaces + 1);
  uint64_t *bytes = WEFT_NEW_N(a, uint64_t, (size_t)args + t->n_workspaces + 1);
  void **arg = WEFT_NEW_N(a, void *, (size_t)args + 1);
  void **workspaces = WEFT_NEW_N(a, void *, (size_t)t->n_workspaces + 1);
  if (!l->workspace_at || !bytes || !arg || !workspaces)
    return weft__build_no_memory(b);
  for (uint32_t i = 0; i < t->n_workspaces; i++)
    l->workspace_at[i] = bytes[args + i] = t->workspace_bytes[i];  // layout.c: offsets
  l->bytes = bytes;
  l->workspace_bytes = bytes + args;
  l->block = (weft_block){.size = sizeof l->block,
                          .blocks = t->blocks ? t->blocks : 1,
                          .key = t->key,
                          .data = t->data,
                          .arg = arg,
                          .workspace = workspaces};
  return WEFT_OK;
}

static const char *device_name(const builder *b) {
  return b->device ? b->x->program->device[b->device]->name : "cpu";
}

// A kernel of a device, if one takes the node with these shapes; l->kernel stays NULL otherwise.
weft_status weft__build_kernel(builder *b, weft__launch *l, const weft_node *n) {
  const weft_op_desc *desc = &n->desc.pub;
  const weft_kernel *any;
  weft_arena *a = &b->s->mem;
  if (!weft__kernels_find(b->x->env, desc->type, device_name(b), &any, 1) && !b->device)
    return WEFT_OK;
  weft__node_args args;
  weft_format *formats = WEFT_NEW_N(a, weft_format, (size_t)desc->n_in + desc->n_out + 1);
  if (!formats || !weft__node_args_make(a, desc->n_in, desc->n_out, &args))
    return weft__build_no_memory(b);
  args.format = formats;
  for (uint32_t i = 0; i < desc->n_in; i++) {
    args.layout[i] = &l->call.in[i]->layout;
    args.dtype[i] = l->call.in[i]->dtype;
    formats[i] = l->call.in[i]->format;
    if (weft__build_readable(b, weft__local(b->x->program, n->in[i].value)))
      args.value[i] = l->call.in[i];
  }
  for (uint32_t i = 0; i < desc->n_out; i++) {
    args.layout[desc->n_in + i] = l->most ? &l->most[i] : &l->call.out[i]->layout;
    args.dtype[desc->n_in + i] = l->call.out[i]->dtype;
    formats[desc->n_in + i] = l->call.out[i]->format;
  }
  weft_tiling t = weft__tiling_of_node(desc, &b->x->env->host, &args);
  t.d = b->d;
  t.region = b->f->region[l->node];
  t.precision = b->x->program->precision;
  weft__choice choice;
  weft__kernel_choose(b->x->env, &t, device_name(b), &choice);
  if (!choice.kernel && b->device && !l->most) {
    return weft_fail(b->d, WEFT_E_UNSUPPORTED, "no kernel found for op %s on %s: %s", desc->type,
                     device_name(b), choice.n_tried ? choice.why : "there is none");
  }
  if (!choice.kernel || (l->most && !(choice.kernel->flags & WEFT_KERNEL_FINDS)))
    return WEFT_OK;
  l->cost_ns = choice.cost_ns;
  if (choice.desc != desc) {
    t.desc = choice.desc;
    t.region = NULL;
  }
  WEFT_TRY(build_tile(b, l, choice.kernel, &t));
  return weft__build_packed(b, l, &t, n);
}

// A kernel that finds shapes while it runs, in place of the execute function: one is asked with the largest
// outputs that there can be.
weft_status weft__build_finder(builder *b, weft__launch *l, const weft_node *n, const weft_fact *facts) {
  uint32_t n_out = n->desc.pub.n_out;
  if (!facts || n->n_graphs || !(n->desc.proto->op->traits & WEFT_DATA_DEPENDENT))
    return WEFT_OK;
  weft_layout *most = WEFT_NEW_N(&b->s->mem, weft_layout, (size_t)n_out + 1);
  uint64_t *shapes = WEFT_NEW_N(&b->s->mem, uint64_t, (size_t)WEFT_SHAPE_OUT * n_out + 1);
  if (!most || !shapes)
    return weft__build_no_memory(b);
  for (uint32_t i = 0; i < n_out; i++) {
    const weft_fact *f = &facts[i];
    if (!weft__holds_numbers(f->kind, f->dtype) || f->unknown_rank || f->rank >= WEFT_SHAPE_OUT)
      return WEFT_OK;
    most[i].origin.rank = f->rank;
    for (size_t k = 0; k < f->rank; k++)
      most[i].origin.dim[k] = f->max ? f->max[k] : f->dims[k];
    if (!weft_shape_is_known(&most[i].origin))
      return WEFT_OK;
    weft_shape_copy(&most[i].storage, &most[i].origin);
  }
  l->most = most;
  WEFT_TRY(weft__build_kernel(b, l, n));
  l->kind = WEFT__RUN_CALL;
  l->block.shape_out = shapes;
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
