// rewrite.c - what a running pass does to its graph: adding nodes and constants, letting one value stand for
// another, removing what became dead, and telling about it. Each call costs what it touches: inputs, uses and
// nodes removed.
#include "pass/pass.h"
#include "base/allocated.h"

static const char *const kind_names[] = {NULL,
#define WEFT_X(id, name) name,
                                         WEFT_KIND_LIST(WEFT_X)
#undef WEFT_X
};

const char *weft__kind_type(int kind) {
  return kind_names[kind];
}

void weft__pass_kinds(weft_pass_run *r) {
  r->fused = weft_find(r->env, "Fused");
  for (int k = 1; k < WEFT_K_COUNT; k++) {
    const weft_proto *p = weft_find(r->env, kind_names[k]);
    if (!p || p->source != WEFT_FROM_BUILTIN)
      continue;
    size_t i = weft__kind_slot(p);
    while (r->kind_key[i])
      i = (i + 1) & (WEFT_KIND_SLOTS - 1);
    r->kind_key[i] = p;
    r->kind_of[i] = (uint8_t)k;
  }
}

// ---- telling ----

bool weft__pass_may(weft_pass_run *r) {
  return r->version < r->limit;
}

static void rewrite_tell(weft_pass_run *r, const weft_node *n, bool skipped, const char *fmt, va_list ap) {
  char text[2304];  // a reason of each of many kernels
  if (!r->o->report)
    return;
  vsnprintf(text, sizeof text, fmt, ap);
  weft_pass_report line = {r->pass->name, n ? weft__node_name(n) : "", skipped, text};
  r->o->report(r->o->report_ctx, &line);
}

void weft__pass_did(weft_pass_run *r, const weft_node *n, const char *fmt, ...) {
  va_list ap;
  r->version++;
  va_start(ap, fmt);
  rewrite_tell(r, n, false, fmt, ap);
  va_end(ap);
}

static bool rewrite_put(uint64_t *slots, size_t cap, uint64_t key) {
  size_t i = (size_t)key & (cap - 1);
  for (; slots[i]; i = (i + 1) & (cap - 1)) {
    if (slots[i] == key)
      return false;
  }
  slots[i] = key;
  return true;
}

// Was this not told yet? When there is no memory for the set, everything is told again.
static bool first_time(weft_pass_run *r, const weft_node *n, const char *fmt) {
  struct {
    const void *pass, *fmt;
    uint64_t node;
  } key = {r->pass, fmt, n ? n->id : UINT64_MAX};
  uint64_t hash = weft__hash(&key, sizeof key) | 1;
  if (2 * (r->n_seen + 1) > r->seen.cap) {
    size_t cap = r->seen.cap ? 2 * r->seen.cap : 64;
    uint64_t *v = weft__alloc(&r->env->alloc, cap * sizeof *v, 16);
    if (!v)
      return true;
    memset(v, 0, cap * sizeof *v);
    for (size_t i = 0; i < r->seen.cap; i++) {
      if (r->seen.v[i])
        rewrite_put(v, cap, r->seen.v[i]);
    }
    WEFT_VEC_FREE(&r->env->alloc, r->seen);
    r->seen.v = v;
    r->seen.cap = cap;
  }
  bool fresh = rewrite_put(r->seen.v, r->seen.cap, hash);
  r->n_seen += fresh;
  return fresh;
}

void weft__pass_skipped(weft_pass_run *r, const weft_node *n, const char *fmt, ...) {
  va_list ap;
  if (!first_time(r, n, fmt))
    return;
  r->skipped++;
  va_start(ap, fmt);
  rewrite_tell(r, n, true, fmt, ap);
  va_end(ap);
}

static weft_diag *diag(weft_pass_run *r) {
  return r->d;
}

// ---- adding ----

// "<stem>_<number>" that `names` does not have; a number that a pass gave before is left out of the stem.
void weft__pass_name(weft_pass_run *r, const weft_map *names, const char *stem, bool made, char *buf,
                     size_t cap) {
  size_t n = strlen(stem);
  size_t at = 0;
  if (made) {
    for (size_t k = n; k > 1 && (stem[k - 1] >= '0' ? stem[k - 1] <= '9' : false); k--) {
      if (stem[k - 2] == '_')
        n = k - 2;
    }
  }
  n = WEFT_MIN(n, cap - 24);
  do {
    at = 0;
    weft__append(buf, cap, &at, "%.*s_%u", (int)n, stem, r->root->name_count++);
  } while (weft__map_find(names, buf, at));
}

weft_status weft__pass_infer(weft_pass_run *r, weft_node *n) {
  if (r->steps_graph != n->graph) {
    weft__steps_end(r->steps);
    r->steps = NULL;
    r->steps_graph = NULL;
    WEFT_TRY(weft__steps_begin(n->graph, 0, &r->steps, r->d));
    r->steps_graph = n->graph;
  }
  return weft__steps_node(r->steps, n, r->d);
}

weft_status weft__pass_add(weft_pass_run *r, weft_node *at, const char *type, const weft_use *use,
                           weft_value *const *in, size_t n_in, weft_node **out) {
  char name[512];
  weft_use named = use ? *use : (weft_use){0};
  weft_node *n;
  if (!named.name || !*named.name) {
    weft__pass_name(r, &at->graph->node_names, weft__node_name(at), at->id >= r->first_node, name,
                    sizeof name);
    named.name = name;
  }
  weft_status s = weft_graph_add(at->graph, type, &named, in, n_in, &n, r->d);
  if (!s) {
    n->origin = at->origin;
    weft__node_place(n, at);
    s = weft__pass_infer(r, n);
  }
  if (!s && !WEFT_VEC_ROOM(&r->env->alloc, r->added))
    s = weft_fail(r->d, WEFT_E_NOMEM, "out of memory");
  if (s) {
    weft_note(r->d, "while adding a node of type %s for node '%s' (%s)", type, weft__node_name(at),
              weft__node_type(at));
    return s;
  }
  r->added.v[r->added.n++] = n;
  *out = n;
  return WEFT_OK;
}

weft_status weft__pass_op(weft_pass_run *r, weft_node *at, const weft__pass_new *op, weft_value **out) {
  weft_use use = {.attrs = op->attrs, .n_attrs = op->n_attrs};
  weft_node *n;
  WEFT_TRY(weft__pass_add(r, at, weft__kind_type(op->kind), &use, op->in, op->n_in, &n));
  *out = &n->out[0];
  return WEFT_OK;
}

weft_status weft__pass_transpose(weft_pass_run *r, weft_node *at, weft_value *x, const uint8_t *p,
                                 size_t rank, weft_value **out) {
  int64_t order[WEFT_MAX_RANK];
  for (size_t i = 0; i < rank; i++)
    order[i] = p[i];
  weft_named_attr attr = {"perm", weft_attr_ints(order, rank)};
  return weft__pass_op(
      r, at, &(weft__pass_new){.kind = WEFT_K_TRANSPOSE_D, .attrs = &attr, .n_attrs = 1, .in = &x, .n_in = 1},
      out);
}

weft_status weft__pass_use(weft_pass_run *r, const weft_node *n, const weft_named_attr *change,
                           weft_use *out) {
  const weft_op_desc *desc = &n->desc.pub;
  const weft_proto *p = n->desc.proto;
  weft_named_attr *attrs =
      WEFT_NEW_N(&r->scratch, weft_named_attr, (size_t)desc->n_attr + n->desc.n_private + 2);
  uint32_t *counts = WEFT_NEW_N(&r->scratch, uint32_t, (size_t)desc->n_in_ports + desc->n_out_ports + 1);
  WEFT_TRY(weft__allocated(attrs && counts, r->d));
  *out = (weft_use){.attrs = attrs, .in_counts = counts, .out_counts = counts + desc->n_in_ports};
  for (uint32_t i = 0; i < desc->n_attr; i++) {
    if (desc->attr[i] && !desc->attr[i]->is_default && !(change && !strcmp(change->name, p->attrs[i].name)))
      attrs[out->n_attrs++] = (weft_named_attr){p->attrs[i].name, *desc->attr[i]};
  }
  for (uint32_t i = 0; i < n->desc.n_private; i++)
    attrs[out->n_attrs++] = n->desc.private_attrs[i];
  if (change)
    attrs[out->n_attrs++] = *change;
  for (uint32_t i = 0; i < desc->n_in_ports; i++)
    counts[i] = desc->in_port[i].count;
  for (uint32_t i = 0; i < desc->n_out_ports; i++)
    counts[desc->n_in_ports + i] = desc->out_port[i].count;
  return WEFT_OK;
}

weft_status weft__pass_clone(weft_pass_run *r, weft_node *at, const weft_node *n, weft_value *const *in,
                             weft_node **out) {
  weft_use use;
  WEFT_TRY(weft__pass_use(r, n, NULL, &use));
  return weft__pass_add(r, at, n->desc.proto->name, &use, in, n->desc.pub.n_in, out);
}

weft_status weft__pass_remake(weft_pass_run *r, weft_node *at, const weft_node *n,
                              const weft_named_attr *change, weft_value *const *in, size_t n_in,
                              weft_node **out) {
  weft_use use;
  WEFT_TRY(weft__pass_use(r, n, change, &use));
  use.in_counts = NULL;
  return weft__pass_add(r, at, n->desc.proto->name, &use, in, n_in, out);
}

weft_value *weft__pass_const(weft_pass_run *r, weft_graph *g, const char *stem, const weft_tensor *t,
                             int how) {
  char name[512];
  weft__pass_name(r, &g->value_names, stem, false, name, sizeof name);
  return weft_graph_const(g, name, t, how, r->d);
}

static weft_value *rewrite_constant(weft_pass_run *r, weft_graph *g, const char *stem, const weft_tensor *t) {
  return weft__pass_const(r, g, stem, t, WEFT_CONST_COPY);
}

weft_value *weft__pass_ints(weft_pass_run *r, weft_graph *g, const char *stem, const int64_t *v, size_t n) {
  int64_t dims[1] = {(int64_t)n};
  weft_tensor *t = weft__graph_tensor(g);
  if (!t || weft_tensor_alloc(t, WEFT_INT64, dims, 1, r->d)) {
    if (!t)
      (void)weft_fail(r->d, WEFT_E_NOMEM, "out of memory");
    return NULL;
  }
  if (n)
    memcpy(t->data, v, n * sizeof *v);
  return weft__pass_const(r, g, stem, t, WEFT_CONST_BORROW);
}

weft_value *weft__pass_filled(weft_pass_run *r, weft_graph *g, const char *stem, weft_dtype type,
                              const weft_dim *dims, size_t rank, double v) {
  weft_tensor *t = weft__graph_tensor(g);
  if (!t || weft_tensor_alloc(t, type, dims, rank, r->d)) {
    if (!t)
      (void)weft_fail(r->d, WEFT_E_NOMEM, "out of memory");
    return NULL;
  }
  int64_t n = weft_tensor_elems(t);
  for (int64_t i = 0; i < n; i++)
    weft_store_f64(type, t->data, (size_t)i, v);
  return weft__pass_const(r, g, stem, t, WEFT_CONST_BORROW);
}

// ---- one value for another ----

// An output of the root graph keeps its name: the value that takes its place takes the name.
static bool takes_name(const weft_value *by) {
  return by->origin != WEFT_VALUE_INPUT && !by->n_outputs;
}
static bool name_is_fixed(const weft_value *v) {
  return v->n_outputs && !v->graph->parent;
}

static const char *shape_text(weft_pass_run *r, const weft_fact *f, char buf[128]) {
  weft_shape s;
  weft__fact_shape(f, &s);
  return weft_shape_text(&s, r->root->root->symbols, buf, 128);
}

// *out_carry: v knows dims that `by` does not, and a declaration of `by` can say them.
static const char *shapes_differ(weft_pass_run *r, const weft_value *v, const weft_value *by,
                                 bool *out_carry) {
  const weft_fact *f = &v->fact;
  const weft_fact *b = &by->fact;
  char x[128];
  char y[128];
  bool differ = false;
  bool lost = false;
  *out_carry = false;
  if (f->unknown_rank)
    return NULL;
  if (b->unknown_rank) {
    *out_carry = true;
  } else {
    differ = f->rank != b->rank;
    for (uint32_t i = 0; !differ && i < f->rank; i++) {
      weft_dim p = f->dims[i];
      weft_dim q = b->dims[i];
      differ = p >= 0 && q >= 0 && p != q;
      lost |= p >= 0 && weft_dim_is_symbol(q);
      *out_carry |= p != -1 && q == -1;
    }
  }
  lost |= *out_carry && (by->origin != WEFT_VALUE_NODE || by->declared);
  if (!differ && !lost)
    return NULL;
  snprintf(r->text, sizeof r->text,
           differ ? "shapes %s and %s differ" : "more is known of shape %s than of %s", shape_text(r, f, x),
           shape_text(r, b, y));
  return r->text;
}

// Does a format say to one of these operators which axis its channels are?
static bool formats_count(const weft_pass_run *r) {
  static const int kinds[] = {WEFT_K_BN_INFERENCE, WEFT_K_LRN, WEFT_K_LRN_GRAD};
  for (size_t i = 0; i < WEFT_COUNT(kinds); i++) {
    if (weft__kinds_have(&r->present, kinds[i]))
      return true;
  }
  return false;
}

static bool formats_first(const weft_fact *f) {
  return (f->format == WEFT_NCHW || f->format == WEFT_NCDHW) && f->origin_format == f->format;
}
static bool formats_last(const weft_fact *f) {
  return (f->format == WEFT_NHWC || f->format == WEFT_NDHWC) && f->origin_format == f->format;
}

// ND in the place of NCHW: to weft's own operators the two say the same (channels are axis 1), another one
// may insist. Where nobody asks which axis the channels are, any word will do for what is stored as it is.
static bool formats_agree(const weft_pass_run *r, const weft_fact *f, const weft_fact *b) {
  if (f->format == b->format && f->origin_format == b->origin_format)
    return true;
  if (!r->own_operators)
    return false;
  bool f_plain = f->format == WEFT_ND && f->origin_format == WEFT_ND;
  bool b_plain = b->format == WEFT_ND && b->origin_format == WEFT_ND;
  if (formats_first(f) && b_plain)
    return true;
  bool f_any = f_plain || formats_first(f) || formats_last(f);
  bool b_any = b_plain || formats_first(b) || formats_last(b);
  return f_any && b_any && !formats_count(r);
}

static const char *refusal(weft_pass_run *r, const weft_value *v, const weft_value *by, bool *out_carry) {
  const weft_fact *f = &v->fact;
  const weft_fact *b = &by->fact;
  *out_carry = false;
  if (v == by)
    return "it is the same value";
  if (!v->graph || v->graph != by->graph)
    return "the values are not of one graph";
  if (!weft__value_read(v))
    return "nothing uses the value";
  if (!v->uses && name_is_fixed(v) && !takes_name(by))
    return "an output of the graph stays a value of its own";
  if (!f->set || !b->set)
    return "a value is not inferred";
  if (f->dtype != b->dtype) {
    snprintf(r->text, sizeof r->text, "dtypes %s and %s differ", weft_dtype_name(f->dtype),
             weft_dtype_name(b->dtype));
    return r->text;
  }
  if (f->kind != b->kind)
    return "one is a tensor, the other is not";
  if (!formats_agree(r, f, b)) {
    char x[64];
    char y[64];
    bool storage = f->format != b->format;
    snprintf(r->text, sizeof r->text, "%s %s and %s differ", storage ? "formats" : "origin formats",
             weft_format_text(storage ? f->format : f->origin_format, x, sizeof x),
             weft_format_text(storage ? b->format : b->origin_format, y, sizeof y));
    return r->text;
  }
  return shapes_differ(r, v, by, out_carry);
}

const char *weft__pass_refuse(weft_pass_run *r, const weft_value *v, const weft_value *by) {
  bool carry;
  return refusal(r, v, by, &carry);
}

// `by` learns what v knew, now and when inference runs again.
static weft_status carry_shape(weft_pass_run *r, const weft_value *v, weft_value *by) {
  weft_tensor_desc desc;
  weft_fact f = v->fact;
  weft_value_desc(v, &desc);
  weft_declared *carried;
  WEFT_TRY(weft__declared_make(v->graph, by->name, &desc, &carried, r->d));
  carried->found = true;
  by->declared = carried;
  if (by->fact.value)
    f.value = by->fact.value;
  return weft__value_set_fact(by, &f, r->d);
}

static weft_status take_name(weft_pass_run *r, weft_value *v, weft_value *by) {
  char old[512];
  const char *name = v->name;
  weft__pass_name(r, &v->graph->value_names, name, false, old, sizeof old);
  WEFT_TRY(weft__value_rename(v, old, r->d));
  return weft__value_rename(by, name, r->d);
}

// What reads v was inferred with the same that inference would find with `by`.
static bool same_fact(const weft_fact *a, const weft_fact *b) {
  if (a->dtype != b->dtype || a->format != b->format || a->origin_format != b->origin_format ||
      a->rank != b->rank || a->unknown_rank != b->unknown_rank || !a->value != !b->value ||
      a->n_elems != b->n_elems || !a->min != !b->min)
    return false;
  for (uint32_t i = 0; i < a->rank && !a->unknown_rank; i++) {
    if (a->dims[i] != b->dims[i] || (a->min && (a->min[i] != b->min[i] || a->max[i] != b->max[i])))
      return false;
  }
  return true;
}

weft_status weft__pass_replace(weft_pass_run *r, weft_value *v, weft_value *by) {
  bool carry;
  const char *why = refusal(r, v, by, &carry);
  if (why) {
    return weft_fail(r->d, WEFT_E_DIFFERENT, "pass '%s': value '%s' cannot stand for '%s': %s", r->pass->name,
                     by->name, v->name, why);
  }
  if (carry)
    WEFT_TRY(carry_shape(r, v, by));
  r->learnt |= !same_fact(&v->fact, &by->fact);
  bool fixed = name_is_fixed(v);
  if (fixed && !takes_name(by)) {  // the output stays
    while (v->uses)
      WEFT_TRY(weft_node_set_in(v->uses->node, weft__use_index(v->uses), by, r->d));
    return WEFT_OK;
  }
  bool rename = fixed || (by->id >= r->first_value && v->id < r->first_value && takes_name(by));
  WEFT_TRY(weft_value_replace(v, by, r->d));
  if (rename)
    WEFT_TRY(take_name(r, v, by));
  return v->node ? weft__pass_prune(r, v->node) : WEFT_OK;
}

weft_status weft__pass_become(weft_pass_run *r, weft_node *n, weft_value *v, weft_value *by, const char *done,
                              bool *out_done) {
  const char *why = weft__pass_refuse(r, v, by);
  if (out_done)
    *out_done = !why;
  if (!why) {
    weft__pass_did(r, n, "%s", done);
    return weft__pass_replace(r, v, by);
  }
  weft__pass_skipped(r, n, "%s", why);
  if (by->origin == WEFT_VALUE_CONST && by->id >= r->first_value && !weft__value_read(by))
    return weft__const_remove(by, r->d);
  return by->node && by->node->id >= r->first_node ? weft__pass_prune(r, by->node) : WEFT_OK;
}

// ---- removing ----

bool weft__pass_effect(const weft_node *n) {  // sub-graphs nest at most WEFT_GRAPH_DEPTH_MAX deep
  if ((n->desc.proto->op->traits & WEFT_SIDE_EFFECT) || !n->desc.pub.n_out)
    return true;
  for (uint32_t i = 0; i < n->n_graphs; i++) {
    for (const weft_node *k = n->graphs[i]->first; k; k = k->next) {
      if (weft__pass_effect(k))
        return true;
    }
  }
  return false;
}

static bool is_dead(const weft_node *n) {
  if (!n->graph)
    return false;
  for (uint32_t i = 0; i < n->desc.pub.n_out; i++) {
    if (weft__value_read(&n->out[i]))
      return false;
  }
  return !weft__pass_effect(n);
}

weft_status weft__pass_prune(weft_pass_run *r, weft_node *n) {
  size_t base = r->stack.n;
  for (;;) {
    r->looked_at++;
    if (is_dead(n)) {
      for (uint32_t i = 0; i < n->desc.pub.n_in; i++) {
        weft_node *from = n->in[i].value ? n->in[i].value->node : NULL;
        if (!from)
          continue;
        WEFT_TRY(weft__allocated(WEFT_VEC_ROOM(&r->env->alloc, r->stack), r->d));
        r->stack.v[r->stack.n++] = from;
      }
      WEFT_TRY(weft_node_remove(n, r->d));
    }
    if (r->stack.n == base)
      return WEFT_OK;
    n = r->stack.v[--r->stack.n];
  }
}

// ---- for packages ----

static const char *rewrite_option(weft_pass_run *r, const char *name) {
  size_t n = strlen(name);
  const char *found = NULL;
  for (size_t i = 0; i < r->o->n_options; i++) {
    if (!strncmp(r->o->options[i], name, n) && r->o->options[i][n] == '=')
      found = r->o->options[i] + n + 1;
  }
  return found;
}
const char *weft__pass_option(weft_pass_run *r, const char *name) {
  return rewrite_option(r, name);
}
static size_t n_uses(const weft_value *v) {
  return v->n_uses;
}
// Packages call it without saying how large theirs is: as large as in weft 0.1.
static void rewrite_describe(const weft_value *v, weft_tensor_desc *out) {
  weft_value_desc_sized(v, out, WEFT_SIZE_TO(out, max));
}
static bool is_output(const weft_value *v) {
  return v->n_outputs != 0;
}

const weft_pass_host weft__pass_host = {
    sizeof weft__pass_host, diag,           weft__pass_may,   weft__pass_did,
    weft__pass_skipped,     weft__pass_add, rewrite_constant, weft__pass_refuse,
    weft__pass_replace,     rewrite_option, weft_graph_first, weft_node_next,
    weft_node_desc,         weft_node_type, weft_node_in,     weft_node_out,
    weft_value_node,        n_uses,         is_output,        rewrite_describe,
    weft_value_data};
// SPDX-License-Identifier: Apache-2.0
