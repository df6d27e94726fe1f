// fuse_region.c - regions for kernels, and nodes out of them. The body of a fused node is closed: constants
// come in through its inputs like everything else, so that a kernel finds them by number.
#include "fuse_region.h"
#include "base/allocated.h"

#include "device/device.h"
#include "op/infer_node.h"
#include "device/node_tiling.h"

enum { KERNELS = 64 };

// Placed on a device, or a copy between two: those stay as they are.
static bool is_placed(const weft_node *n) {
  const weft_attr *device = n->desc.n_private ? weft_node_attr(n, "_device") : NULL;
  if (device)
    return device->type != WEFT_VT_STRING || strcmp(device->u.s, "cpu") != 0;
  return n->desc.n_private && weft_node_attr(n, "_copy");
}

static bool may_be_region(const weft_node *n) {
  if (n->desc.pub.n_out != 1 || n->n_graphs || n->controls || is_placed(n))
    return false;
  const weft_fact *f = &n->out[0].fact;
  if (!weft__is_tensor(&n->out[0]) || f->unknown_rank || f->value)
    return false;
  for (uint32_t i = 0; i < n->desc.pub.n_in; i++) {
    const weft_value *v = n->in[i].value;
    if (!v || !weft__is_tensor(v) || v->fact.unknown_rank)
      return false;
  }
  return true;
}

bool weft__fusible(const weft_node *n) {
  return n->desc.proto->source == WEFT_FROM_BUILTIN && may_be_region(n);
}

bool weft__takes_packed(const weft_env *e, const weft_node *n) {
  const weft_kernel *list[KERNELS];
  uint32_t count = weft__kernels_find(e, weft__node_type(n), "cpu", list, KERNELS);
  for (uint32_t i = 0; i < count; i++) {
    if (list[i]->flags & WEFT_KERNEL_PACKED)
      return true;
  }
  return false;
}

static bool fuse_region_fits(const weft_env *e, const weft_node *n) {
  return weft__fusible(n) || (may_be_region(n) && weft__takes_packed(e, n));
}

static int32_t position(const weft__fusion *f, const weft_node *n) {
  for (uint32_t i = f->n; n && i-- > 0;) {
    if (f->node[i] == n)
      return (int32_t)i;
  }
  return -1;
}

typedef struct inputs {  // of the fused node, each value once
  weft_value *v[WEFT__REGION_INPUTS];
  uint32_t n;
} inputs;

// What a value of the region's nodes is outside.
static weft_value *fuse_region_outside(const weft__fusion *f, weft_value *v) {
  return f->fused && !v->node ? f->fused->in[v->index].value : v;
}

// Number of the value among the inputs, which gets it when it is new; -1: there are too many.
static int32_t input_of(const weft__fusion *f, inputs *in, weft_value *v) {
  v = fuse_region_outside(f, v);
  for (uint32_t i = 0; i < in->n; i++) {
    if (in->v[i] == v)
      return (int32_t)i;
  }
  if (in->n == WEFT__REGION_INPUTS)
    return -1;
  in->v[in->n] = v;
  return (int32_t)in->n++;
}

// The region; NULL with *why when it is none.
static const weft_region *region_of(weft_arena *a, const weft__fusion *f, inputs *in, const char **why) {
  weft_region *r = WEFT_NEW(a, weft_region);
  weft_region_node *nodes = WEFT_NEW_N(a, weft_region_node, f->n);
  int32_t *out = WEFT_NEW(a, int32_t);
  *why = "out of memory";
  if (!r || !nodes || !out)
    return NULL;
  for (uint32_t k = 0; k < f->n; k++) {
    const weft_node *n = f->node[k];
    int32_t *wire = WEFT_NEW_N(a, int32_t, (size_t)n->desc.pub.n_in + 1);
    if (!wire)
      return NULL;
    for (uint32_t i = 0; i < n->desc.pub.n_in; i++) {
      int32_t at = position(f, n->in[i].value->node);
      int32_t outer = at < 0 ? input_of(f, in, n->in[i].value) : 0;
      if (outer < 0)
        return *why = "more than 32 inputs", NULL;
      wire[i] = at < 0 ? -1 - outer : at;
    }
    nodes[k] = (weft_region_node){&n->desc.pub, wire, n->out[0].fact.dtype};
  }
  *out = (int32_t)f->n - 1;
  *r = (weft_region){sizeof *r, f->n, in->n, 1, nodes, out};
  return r;
}

static weft_layout *layout_of(weft_arena *a, const weft_fact *f, weft_dim unknown, weft_format stored) {
  weft_layout *l = WEFT_NEW(a, weft_layout);
  if (!l)
    return NULL;
  weft__fact_shape(f, &l->origin);
  for (size_t i = 0; unknown >= 0 && i < l->origin.rank; i++) {
    if (l->origin.dim[i] < 0)
      l->origin.dim[i] = unknown;
  }
  weft_shape_copy(&l->storage, &l->origin);
  if (weft__format_packed(stored) &&
      weft_format_storage_shape(&l->origin, WEFT_NCHW, stored, 0, &l->storage, NULL))
    return NULL;
  return l;
}

// The region as a kernel is asked about it. It lives in the scratch arena.
typedef struct question {
  weft_tiling t;
  weft_op_desc desc;
  weft_port_span span[2];
} question;

static question *fuse_region_ask(weft_pass_run *r, const weft__fusion *f, const weft_format *format,
                                 weft_dim unknown, const char **why) {
  weft_arena *a = &r->scratch;
  inputs in = {.n = 0};
  question *q = WEFT_NEW(a, question);
  const weft_region *region = q ? region_of(a, f, &in, why) : NULL;
  if (!region)
    return NULL;
  *why = "out of memory";
  weft__node_args args;
  if (!weft__node_args_make(a, in.n, 1, &args))
    return NULL;
  args.format = format;
  const weft_value *y = f->fused ? &f->fused->out[0] : &f->node[f->n - 1]->out[0];
  for (uint32_t i = 0; i <= in.n; i++) {
    const weft_fact *fact = i < in.n ? &in.v[i]->fact : &y->fact;
    if (!format && weft__format_packed(fact->format))
      return *why = "a packed format", NULL;
    args.layout[i] = layout_of(a, fact, unknown, format ? format[i] : WEFT_ND);
    if (!args.layout[i])
      return NULL;
    args.dtype[i] = fact->dtype;
    if (i < in.n && in.v[i]->origin == WEFT_VALUE_CONST)
      args.value[i] = fact->value;
  }
  q->span[0] = (weft_port_span){0, in.n};
  q->span[1] = (weft_port_span){0, 1};
  q->desc = (weft_op_desc){.size = sizeof q->desc,
                           .n_in = in.n,
                           .n_out = 1,
                           .n_in_ports = 1,
                           .n_out_ports = 1,
                           .name = weft__node_name(y->node),
                           .type = "Fused",
                           .op = r->fused->op,
                           .in_port = &q->span[0],
                           .out_port = &q->span[1]};
  q->t = weft__tiling_of_node(&q->desc, &r->env->host, &args);
  q->t.region = region;
  q->t.precision = r->precision;
  return q;
}

const char *weft__fusion_refusal(weft_pass_run *r, const weft__fusion *f) {
  const char *why = NULL;
  size_t at = 0;
  if (!r->n_fused_kernels) {
    r->n_fused_kernels =
        weft__kernels_find(r->env, "Fused", "cpu", r->fused_kernels, WEFT_COUNT(r->fused_kernels));
  }
  if (!r->n_fused_kernels)
    return "no device has a kernel for regions";
  const question *q = fuse_region_ask(r, f, NULL, -1, &why);
  if (!q)
    return why;
  for (uint32_t i = 0; i < r->n_fused_kernels; i++) {
    const weft_kernel *k = r->fused_kernels[i];
    const char *no = k->refuse ? k->refuse(&q->t) : NULL;
    if (!no)
      return NULL;
    if (r->o->report)  // otherwise nobody reads it
      weft__append(r->text, sizeof r->text, &at, "%s%s: %s", at ? "; " : "", k->name, no);
  }
  return at ? r->text : "no kernel takes it";
}

weft_node *weft__fusion_sums(const weft_node *n) {
  const weft_value *x = strcmp(weft__node_type(n), "FixedRequant") ? NULL : weft__arg(n, 0);
  if (!x || !x->node || x->node->graph != n->graph || !weft__one_use(x) || !weft__fusible(n))
    return NULL;
  return !strcmp(weft__node_type(x->node), "ConvInteger") && weft__fusible(x->node) ? x->node : NULL;
}

bool weft__fusion_of(const weft_env *e, weft_node *n, weft__fusion *out) {
  out->n = 0;
  out->fused = NULL;
  if (n->n_graphs != 1 || strcmp(weft__node_type(n), "Fused")) {
    weft_node *sums = weft__fusion_sums(n);
    if (!fuse_region_fits(e, n))
      return false;
    if (sums)
      out->node[out->n++] = sums;
    out->node[out->n++] = n;
    return true;
  }
  const weft_graph *body = n->graphs[0];
  if (n->desc.proto->source != WEFT_FROM_BUILTIN || n->desc.pub.n_out != 1 || n->controls ||
      body->n_nodes > WEFT__REGION_NODES || body->consts.n || body->outputs.n != 1)
    return false;
  for (weft_node *k = body->first; k; k = k->next) {
    if (!fuse_region_fits(e, k))
      return false;
    out->node[out->n++] = k;
  }
  out->fused = n;
  return out->n > 0 && body->outputs.v[0] == &out->node[out->n - 1]->out[0];
}

uint32_t weft__fusion_inputs(const weft__fusion *f, weft_value **out) {
  inputs in = {.n = 0};
  for (uint32_t k = 0; k < f->n; k++) {
    for (uint32_t i = 0; i < f->node[k]->desc.pub.n_in; i++) {
      if (position(f, f->node[k]->in[i].value->node) < 0)
        input_of(f, &in, f->node[k]->in[i].value);
    }
  }
  memcpy(out, in.v, in.n * sizeof *out);
  return in.n;
}

// What a kernel that does not say takes, about: everything goes through memory once.
static double through_memory_ns(const weft_tiling *t) {
  double bytes = 0;
  for (uint32_t i = 0; i < t->n_in + t->n_out; i++) {
    int64_t n = 0;
    weft_dtype type = i < t->n_in ? t->in_dtype[i] : t->out_dtype[i - t->n_in];
    const weft_layout *l = i < t->n_in ? t->in[i] : t->out[i - t->n_in];
    if (!weft_shape_elems(&l->storage, &n) && n > 0)
      bytes += (double)n * weft_dtype_bits(type) / 8;
  }
  return 300 + bytes / 8;
}

// One operator run as it is: its inputs in its own order, where the region has equal ones once. False: no
// memory.
static bool as_it_is(weft_arena *a, weft_tiling *t) {
  const weft_region_node *n = &t->region->node[0];
  const uint32_t n_in = n->desc->n_in;
  weft__node_args args;
  weft_format *formats = WEFT_NEW_N(a, weft_format, (size_t)n_in + 1);
  if (!formats || !weft__node_args_make(a, n_in, 1, &args))
    return false;
  args.format = formats;
  for (uint32_t i = 0; i < n_in; i++) {
    const int32_t at = -1 - n->in[i];
    args.layout[i] = t->in[at];
    args.dtype[i] = t->in_dtype[at];
    args.value[i] = t->value[at];
    formats[i] = t->in_format[at];
  }
  args.layout[n_in] = t->out[0];
  args.dtype[n_in] = t->out_dtype[0];
  formats[n_in] = t->out_format[0];
  const uint32_t precision = t->precision;
  *t = weft__tiling_of_node(n->desc, t->host, &args);
  t->precision = precision;
  return true;
}

// Operators that are no node yet, plain: each by itself.
static double fuse_region_apart_ns(weft_pass_run *r, const weft__fusion *f, weft_dim unknown) {
  static const weft_format plain[WEFT__REGION_INPUTS + 1];
  double sum = 0;
  for (uint32_t k = 0; k < f->n; k++) {
    const weft__fusion one = {.node = {f->node[k]}, .n = 1};
    const double ns = weft__fusion_cost(r, &one, plain, unknown);
    if (ns < 0)
      return ns;
    sum += ns;
  }
  return sum;
}

double weft__fusion_cost(weft_pass_run *r, const weft__fusion *f, const weft_format *format,
                         weft_dim unknown) {
  const char *why = NULL;
  weft__choice choice;
  question *q = fuse_region_ask(r, f, format, unknown, &why);
  if (!q) {
    snprintf(r->text, sizeof r->text, "%s", why);
    return -1;
  }
  bool packed = false;
  for (uint32_t i = 0; i <= q->t.n_in; i++)
    packed |= weft__format_packed(format[i]);
  if (!packed && !f->fused && f->n > 1)
    return fuse_region_apart_ns(r, f, unknown);
  if (!packed && !f->fused && !as_it_is(&r->scratch, &q->t)) {
    snprintf(r->text, sizeof r->text, "out of memory");
    return -1;
  }
  weft__kernel_choose(r->env, &q->t, "cpu", &choice);
  if (choice.kernel)
    return choice.cost_ns > 0 ? choice.cost_ns : through_memory_ns(&q->t);
  snprintf(r->text, sizeof r->text, "%s", choice.why);
  return -1;
}

static weft_status copy_into(weft_pass_run *r, weft_graph *body, const weft__fusion *f, const inputs *in) {
  weft_value **made = WEFT_NEW_N(&r->scratch, weft_value *, f->n);
  weft_value **outer = WEFT_NEW_N(&r->scratch, weft_value *, (size_t)in->n + 1);
  char name[32];
  WEFT_TRY(weft__allocated(made && outer, r->d));
  WEFT_TRY(weft__graph_expect(body, f->n, (size_t)f->n + in->n, r->d));
  for (uint32_t i = 0; i < in->n; i++) {
    weft_tensor_desc desc;
    weft_value_desc(in->v[i], &desc);
    snprintf(name, sizeof name, "x%u", i);
    if (!(outer[i] = weft_graph_input_desc(body, name, &desc, r->d)))
      return r->d->status;
  }
  for (uint32_t k = 0; k < f->n; k++) {
    const weft_node *n = f->node[k];
    weft_value **args = WEFT_NEW_N(&r->scratch, weft_value *, (size_t)n->desc.pub.n_in + 1);
    weft_use use;
    weft_node *copy;
    WEFT_TRY(weft__allocated(args, r->d));
    for (uint32_t i = 0; i < n->desc.pub.n_in; i++) {
      int32_t at = position(f, n->in[i].value->node);
      args[i] = at >= 0 ? made[at] : outer[input_of(f, (inputs *)(uintptr_t)in, n->in[i].value)];
    }
    WEFT_TRY(weft__pass_use(r, n, NULL, &use));
    use.name = weft__node_name(n);
    WEFT_TRY(weft_graph_add(body, n->desc.proto->name, &use, args, n->desc.pub.n_in, &copy, r->d));
    copy->origin = n->origin;
    copy->out[0].declared = n->out[0].declared;
    made[k] = &copy->out[0];
  }
  return weft_graph_output(body, made[f->n - 1], r->d);
}

weft_status weft__fuse_as(weft_pass_run *r, const weft__fusion *f, weft_value *const *given, weft_format to,
                          weft_node **out) {
  weft_node *root = f->fused ? (weft_node *)(uintptr_t)f->fused : f->node[f->n - 1];
  weft_node *node;
  inputs in = {.n = 0};
  char name[512];
  weft_graph *body;
  uint32_t n_out = 1;
  int64_t formats[1] = {to};
  weft_named_attr attr = {"formats", weft_attr_ints(formats, 1)};
  in.n = weft__fusion_inputs(f, in.v);
  weft__pass_name(r, &root->graph->node_names, weft__node_name(root), root->id >= r->first_node, name,
                  sizeof name);
  weft_use use = {.name = name, .in_counts = &in.n, .out_counts = &n_out};
  if (weft__format_packed(to)) {
    use.attrs = &attr;
    use.n_attrs = 1;
  }
  WEFT_TRY(weft_graph_add(root->graph, "Fused", &use, given ? given : in.v, in.n, &node, r->d));
  node->origin = root->origin;
  weft__node_place(node, root);
  if (!weft__format_packed(to))
    node->out[0].declared = root->out[0].declared;
  WEFT_TRY(weft_node_add_graph(node, 0, "body", &body, r->d));
  WEFT_TRY(copy_into(r, body, f, &in));
  *out = node;
  return weft__pass_infer(r, node);
}

weft_status weft__fuse(weft_pass_run *r, const weft__fusion *f) {
  weft_node *root = f->node[f->n - 1];
  weft_node *node;
  WEFT_TRY(weft__fuse_as(r, f, NULL, WEFT_ND, &node));
  const char *why = weft__pass_refuse(r, &root->out[0], &node->out[0]);
  if (why) {
    weft__pass_skipped(r, root, "%s", why);
    return weft__pass_prune(r, node);
  }
  weft__pass_did(r, root, "%u operators in one region, from '%s' on", f->n, weft__node_name(f->node[0]));
  return weft__pass_replace(r, &root->out[0], &node->out[0]);
}

weft_status weft__fuse_if_taken(weft_pass_run *r, const weft__fusion *f) {
  const char *no = weft__fusion_refusal(r, f);
  if (!no)
    return weft__fuse(r, f);
  weft__pass_skipped(r, f->node[f->n - 1], "no kernel takes it with what is before it: %s", no);
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
