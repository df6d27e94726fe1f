// build.c - plans one segment: walks its nodes with the shapes at hand, finds small values, decides what is a
// view, which kernel runs each node, and where the segment ends. Memory is placed by layout.c. Cost:
// inference of each node that is not static in the program, about 0.2 us, and the plan; done once for each
// key.
#include "base/pool.h"
#include "op/infer_node.h"
#include "run/build.h"
#include "device/node_tiling.h"

static weft_status build_no_memory(const builder *b) {
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
    if (weft_shape_elems(&t->layout.storage, &elems) || elems < 0 || weft_dtype_bytes(elems, f->dtype) < 0)
      return weft_fail(b->d, WEFT_E_OVERFLOW, "a tensor of this shape has no size"), NULL;
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
    return build_no_memory(b), NULL;
  weft__launch *l = &b->launches.v[b->launches.n++];
  memset(l, 0, sizeof *l);
  l->kind = kind;
  l->node = node;
  l->device = b->device;
  return l;
}

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

static weft_status arguments(builder *b, weft__launch *l, const weft_node *n) {
  const weft_op_desc *desc = &n->desc.pub;
  const weft_tensor **in = WEFT_NEW_N(&b->s->mem, const weft_tensor *, (size_t)desc->n_in + 1);
  weft_tensor **out = WEFT_NEW_N(&b->s->mem, weft_tensor *, (size_t)desc->n_out + 1);
  if (!in || !out)
    return build_no_memory(b);
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
    return build_no_memory(b);
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
  l->workspace_at = WEFT_NEW_N(a, uint64_t, (size_t)t->n_workspaces + 1);
  uint64_t *bytes = WEFT_NEW_N(a, uint64_t, (size_t)args + t->n_workspaces + 1);
  void **arg = WEFT_NEW_N(a, void *, (size_t)args + 1);
  void **workspaces = WEFT_NEW_N(a, void *, (size_t)t->n_workspaces + 1);
  if (!l->workspace_at || !bytes || !arg || !workspaces)
    return build_no_memory(b);
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
static weft_status use_kernel(builder *b, weft__launch *l, const weft_node *n) {
  const weft_op_desc *desc = &n->desc.pub;
  const weft_kernel *any;
  weft_arena *a = &b->s->mem;
  if (!weft__kernels_find(b->x->env, desc->type, device_name(b), &any, 1) && !b->device)
    return WEFT_OK;
  weft__node_args args;
  weft_format *formats = WEFT_NEW_N(a, weft_format, (size_t)desc->n_in + desc->n_out + 1);
  if (!formats || !weft__node_args_make(a, desc->n_in, desc->n_out, &args))
    return build_no_memory(b);
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

// ---- nodes ----
static bool has_box(const weft_node *n) {
  for (uint32_t i = 0; i < n->desc.pub.n_in; i++) {
    if (n->in[i].value->fact.kind != WEFT_KIND_TENSOR)
      return true;
  }
  for (uint32_t i = 0; i < n->desc.pub.n_out; i++) {
    if (n->out[i].fact.kind != WEFT_KIND_TENSOR || n->out[i].fact.dtype == WEFT_STRING)
      return true;
  }
  return false;
}

static void build_gather(builder *b, const weft_node *n) {
  weft_exec *x = b->x;
  for (uint32_t i = 0; i < n->desc.pub.n_in; i++) {
    uint32_t v = weft__local(x->program, n->in[i].value);
    const weft_tensor *t = weft__tensor_of(x, b->s, v);
    x->s.fact[i] = weft__fact_of_tensor(t);
    x->s.in[i] = &x->s.fact[i];
    if (t->kind == WEFT_KIND_TENSOR && (!weft__build_readable(b, v) || weft__is_asleep(t)))
      x->s.fact[i].value = NULL;
    x->s.tin[i] = x->s.fact[i].value;
  }
}

static bool shape_agrees(const weft_fact *said, const weft_fact *found) {
  if (!said->set || said->unknown_rank || found->unknown_rank)
    return true;
  bool same = said->rank == found->rank;
  for (uint32_t i = 0; same && i < said->rank; i++)
    same = said->dims[i] < 0 || found->dims[i] < 0 || said->dims[i] == found->dims[i];
  return same;
}

// What compiling found must hold for the shapes of the run, since passes have relied on it; of a program from
// a file only dtype and kind are used without being found again.
static weft_status agree(const builder *b, weft_value *v, const weft_fact *f) {
  WEFT_TRY(weft__declared_check(v, f, b->d));
  if (!b->x->program->foreign && !shape_agrees(&v->fact, f)) {
    char is[256];
    char was[256];
    weft_shape x;
    weft_shape y;
    weft__fact_shape(f, &x);
    weft__fact_shape(&v->fact, &y);
    return weft_fail(b->d, WEFT_E_SHAPE, "value '%s': shape %s when run, %s when inferred", v->name,
                     weft_shape_text(&x, NULL, is, sizeof is),
                     weft_shape_text(&y, v->graph->root->symbols, was, sizeof was));
  }
  if (v->fact.kind == f->kind && v->fact.dtype == f->dtype)
    return WEFT_OK;
  return weft_fail(b->d, WEFT_E_CORRUPT, "value '%s': %s of %s in the program, %s of %s inferred", v->name,
                   weft__kind_word(v->fact.kind), weft_dtype_name(v->fact.dtype), weft__kind_word(f->kind),
                   weft_dtype_name(f->dtype));
}

static weft_status build_infer(builder *b, const weft_node *n) {
  weft_exec *x = b->x;
  if (!x->framed) {
    weft__frame_init(&x->frame, x->env, NULL);
    x->framed = true;
  }
  x->stats.infers++;
  WEFT_TRY(weft__infer_node(&x->frame, n->desc.proto, &n->desc.pub, x->s.in, WEFT_STAGE_RUN, b->d));
  for (uint32_t i = 0; i < n->desc.pub.n_out; i++)
    WEFT_TRY(agree(b, &n->out[i], &x->frame.facts[i]));
  return WEFT_OK;
}

// Everything is known from compiling, of inputs too: a shape that is known only now may break a rule of the
// operator although the output's never depended on it. A program from a file may say anything: it is inferred
// again here.
static bool is_static(const builder *b, const weft_node *n) {
  if (b->x->program->foreign || weft__build_reads(b, n, weft__build_no_constant))
    return false;
  for (uint32_t i = 0; i < n->desc.pub.n_out; i++) {
    if (!weft__fact_known(&n->out[i].fact))
      return false;
  }
  for (uint32_t i = 0; i < n->desc.pub.n_in; i++) {
    if (!weft__fact_known(&n->in[i].value->fact))
      return false;
  }
  return true;
}

// May planning find values of its outputs that compiling did not: shape arithmetic, contents that are known
// now?
static bool may_learn(const builder *b, const weft_node *n) {
  if (n->desc.proto->op->infer_value)
    return true;
  for (uint32_t i = 0; i < n->desc.pub.n_in; i++) {
    if (!weft__build_readable(b, weft__local(b->x->program, n->in[i].value)))
      return false;
  }
  return n->desc.pub.n_in > 0;
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
    WEFT_TRY(arguments(b, l, n));
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
  WEFT_TRY(arguments(b, l, n));
  l->fn = op->ref;
  WEFT_TRY(use_kernel(b, l, n));
  if (!l->kernel && !op->ref) {
    return weft_fail(b->d, WEFT_E_UNSUPPORTED, "no kernel found for op %s: it has no reference kernel (%s)",
                     op->name, n->desc.proto->origin);
  }
  return WEFT_OK;
}

// A kernel that finds shapes while it runs, in place of the execute function: one is asked with the largest
// outputs that there can be.
static weft_status use_finder(builder *b, weft__launch *l, const weft_node *n, const weft_fact *facts) {
  uint32_t n_out = n->desc.pub.n_out;
  if (!facts || n->n_graphs || !(n->desc.proto->op->traits & WEFT_DATA_DEPENDENT))
    return WEFT_OK;
  weft_layout *most = WEFT_NEW_N(&b->s->mem, weft_layout, (size_t)n_out + 1);
  uint64_t *shapes = WEFT_NEW_N(&b->s->mem, uint64_t, (size_t)WEFT_SHAPE_OUT * n_out + 1);
  if (!most || !shapes)
    return build_no_memory(b);
  for (uint32_t i = 0; i < n_out; i++) {
    const weft_fact *f = &facts[i];
    if (f->kind != WEFT_KIND_TENSOR || f->dtype == WEFT_STRING || f->unknown_rank ||
        f->rank >= WEFT_SHAPE_OUT)
      return WEFT_OK;
    most[i].origin.rank = f->rank;
    for (size_t k = 0; k < f->rank; k++)
      most[i].origin.dim[k] = f->max ? f->max[k] : f->dims[k];
    if (!weft_shape_is_known(&most[i].origin))
      return WEFT_OK;
    weft_shape_copy(&most[i].storage, &most[i].origin);
  }
  l->most = most;
  WEFT_TRY(use_kernel(b, l, n));
  l->kind = WEFT__RUN_CALL;
  l->block.shape_out = shapes;
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
      return build_no_memory(b);
    if (!given) {
      build_gather(b, n);
      WEFT_TRY(build_infer(b, n));
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
  WEFT_TRY(arguments(b, l, n));
  if (n->n_graphs)
    WEFT_TRY(weft__build_captured(b, l, n));
  l->facts = facts;
  WEFT_TRY(use_finder(b, l, n, facts));
  if (b->device && !l->kernel)
    WEFT_TRY(weft__device_call(b->x, b->s, l));
  if (open)
    b->s->end = pos + 1;
  return WEFT_OK;
}

// The outputs of a region with these inputs: each operator inferred in turn.
static weft_status infer_region(builder *b, const weft_region *r, const weft_graph *body, weft_fact *out) {
  weft_exec *x = b->x;
  weft_arena *a = &b->s->mem;
  weft_fact *facts = WEFT_NEW_N(a, weft_fact, (size_t)r->n_nodes + 1);
  if (!facts)
    return build_no_memory(b);
  if (!x->framed) {
    weft__frame_init(&x->frame, x->env, NULL);
    x->framed = true;
  }
  const weft_node *n = body->first;
  for (uint32_t i = 0; i < r->n_in; i++)  // operators of the body know plain formats alone
    if (weft__format_packed(x->s.fact[i].format))
      x->s.fact[i].format = x->s.fact[i].origin_format;
  for (uint32_t k = 0; k < r->n_nodes; k++, n = weft__node_after(n)) {
    const weft_op_desc *desc = r->node[k].desc;
    const weft_fact **in = WEFT_NEW_N(a, const weft_fact *, (size_t)desc->n_in + 1);
    if (!in)
      return build_no_memory(b);
    for (uint32_t i = 0; i < desc->n_in; i++)
      in[i] = r->node[k].in[i] >= 0 ? &facts[r->node[k].in[i]] : &x->s.fact[-1 - r->node[k].in[i]];
    x->stats.infers++;
    WEFT_TRY(weft__infer_node(&x->frame, n->desc.proto, desc, in, WEFT_STAGE_RUN, b->d));
    WEFT_TRY(agree(b, &n->out[0], &x->frame.facts[0]));
    WEFT_TRY(weft__fact_copy(a, &x->frame.facts[0], &facts[k], b->d));
    facts[k].value = NULL;
  }
  for (uint32_t i = 0; i < r->n_out; i++)
    out[i] = r->out[i] >= 0 ? facts[r->out[i]] : x->s.fact[-1 - r->out[i]];
  return WEFT_OK;
}

// A fused node: by a kernel that knows its region. *done false: none does, its body is run.
static weft_status plan_fused(builder *b, const weft_node *n, uint32_t pos, bool *done) {
  weft_fact *facts = WEFT_NEW_N(&b->s->mem, weft_fact, (size_t)n->desc.pub.n_out + 1);
  if (!facts)
    return build_no_memory(b);
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
  if (late || !is_static(b, n)) {
    build_gather(b, n);
    WEFT_TRY(infer_region(b, b->f->region[pos], n->graphs[0], facts));
    for (uint32_t i = 0; i < n->desc.pub.n_out; i++) {
      WEFT_TRY(agree(b, &n->out[i], &facts[i]));
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
  WEFT_TRY(arguments(b, l, n));
  WEFT_TRY(use_kernel(b, l, n));
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
  if (is_static(b, n) && (!may_learn(b, n) || n->out[0].fact.value)) {
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
  build_gather(b, n);
  WEFT_TRY(build_infer(b, n));
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

weft_status weft__seg_build(weft_exec *x, weft__seg *parent, weft__seg *s) {
  const weft__fn *f = x->fn;
  builder b = {.x = x, .f = f, .s = s, .d = x->d};
  s->parent = parent;
  s->first = parent ? parent->end : 0;
  s->end = UINT32_MAX;
  s->v0 = parent ? parent->v1 : f->n_in + f->n_const;
  s->tensor = WEFT_NEW_N(&s->mem, weft_tensor *, (size_t)f->n_values - s->v0 + 1);
  s->place = WEFT_NEW_N(&s->mem, weft__place, (size_t)f->n_values - s->v0 + 1);
  weft_status status = s->tensor && s->place ? WEFT_OK : build_no_memory(&b);
  for (uint32_t pos = s->first; !status && pos < f->n_nodes && s->end == UINT32_MAX; pos++) {
    const weft_node *n = f->node[pos];
    size_t before = b.launches.n;
    status = weft__budget_poll(&x->root->budget, b.d);
    if (!status)
      status = plan_node(&b, pos);
    if (!status)
      status = wake_launches(&b, n, before);
    if (status)
      weft__build_note(&b, n);
  }
  if (!status)
    status = weft__build_wishes(&b);
  if (s->end == UINT32_MAX)
    s->end = f->n_nodes;
  s->v1 = f->first_out[s->end];
  s->n_launches = (uint32_t)b.launches.n;
  if (!status && b.launches.n) {
    s->launch = weft__arena_alloc(&s->mem, b.launches.n * sizeof *s->launch, 64);
    if (s->launch)
      memcpy(s->launch, b.launches.v, b.launches.n * sizeof *s->launch);
    else
      status = build_no_memory(&b);
  }
  WEFT_VEC_FREE(&x->cache->counted, b.launches);
  WEFT_VEC_FREE(&x->cache->counted, b.wishes);
  WEFT_VEC_FREE(&x->cache->counted, b.wishers);
  weft__packed_rest(x->program);
  return status ? status : weft__seg_layout(x, s);
}
// SPDX-License-Identifier: Apache-2.0
