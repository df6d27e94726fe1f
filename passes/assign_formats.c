// assign_formats.c - stores the tensors of convolutional bodies as NC1HWC0, where that is cheaper in all:
// what kernels say their regions cost in either format, and what every conversion between the two costs. A
// node takes plain or packed inputs and makes a plain or a packed output, four ways at most; the choice
// begins with packed wherever a kernel takes it and with plain everywhere, changes one node at a time while
// that lowers the sum, and keeps the cheaper of the two ends. Conversions are TransData nodes, one a value
// and direction, so that one that follows its opposite is never made.
//
// A block has 16 channels, of bytes 32. Bytes are packed around ConvInteger.
//
// Dims that are not known (the batch) count as 1; the choice depends on channels and places, which must be.
//
// Option assign-formats.choose: "cheapest"; "packed", wherever a kernel takes it, whatever that costs.
#include "fuse_region.h"
#include "base/allocated.h"

#include "op/infer_node.h"

enum { SWEEPS = 8, WAYS = 4, PACKED_IN = 1, PACKED_OUT = 2 };  // a way: bits of what is packed
static const double NONE = 1e30;

typedef struct item {
  weft_node *node;
  const weft_node *reads;  // what can be packed: the node, or the first of two that become one
  uint8_t way, n_ways;
  double cost[WAYS];  // by way; NONE: no kernel
} item;

typedef struct value_state {
  int32_t item;        // that makes it; -1
  weft_value *packed;  // made so far
} value_state;

typedef struct choice {
  weft_pass_run *r;
  weft_graph *g;
  weft_arena mem;
  bool all;  // packed wherever a kernel takes it
  item *items;
  uint32_t n_items;
  value_state *values;  // by id
  uint32_t n_values;
  int32_t *item_of;  // by node id; -1
} choice;

static bool assign_formats_is_byte(weft_dtype t) {
  return t == WEFT_INT8 || t == WEFT_UINT8;
}

static weft_format blocked(const weft_value *v) {
  return weft_format_make(WEFT_NC1HWC0, 0,
                          assign_formats_is_byte(v->fact.dtype) ? 6 : 5);  // C0 = 2^(6-1), 2^(5-1)
}

// Channels and places known, float or bytes, of rank 4: may be stored in blocks of channels.
static bool can_pack(const weft_value *v) {
  const weft_fact *f = &v->fact;
  return weft__is_tensor(v) && !f->unknown_rank && f->rank == 4 &&
         (f->dtype == WEFT_FLOAT || f->dtype == WEFT_FLOAT16 || f->dtype == WEFT_BF16 ||
          assign_formats_is_byte(f->dtype)) &&
         f->dims[1] > 0 && f->dims[2] > 0 && f->dims[3] > 0 && v->origin != WEFT_VALUE_CONST &&
         !weft__format_packed(f->format);
}

// What a conversion takes: both tensors go through memory once.
static double convert_ns(const weft_value *v) {
  weft_dim block = assign_formats_is_byte(v->fact.dtype) ? 32 : 16;
  double lanes = (double)((v->fact.dims[1] + block - 1) / block * block + v->fact.dims[1]);
  double images = v->fact.dims[0] > 0 ? (double)v->fact.dims[0] : 1;
  double bytes = (double)weft_dtype_bits(v->fact.dtype) / 8;
  return 500 + images * lanes * (double)v->fact.dims[2] * (double)v->fact.dims[3] * bytes / 12;
}

// ---- what there is ----
// The operator that a node begins with.
static const weft_node *first_of(const weft_node *n) {
  const weft_node *sums = weft__fusion_sums(n);
  if (sums)
    return sums;
  return n->n_graphs == 1 && !strcmp(weft__node_type(n), "Fused") ? n->graphs[0]->first : n;
}

static bool is_conv(const weft_pass_run *r, const weft_node *n) {
  int kind = weft__kind(r, n);
  return weft__kind_in(kind, WEFT_KINDS_CONV) || kind == WEFT_K_CONV_INTEGER;
}

// A region that takes packed bytes and makes plain ones of another shape: a mean over places.
static bool is_mean(const weft_pass_run *r, const weft_node *n) {
  if (n->n_graphs != 1 || strcmp(weft__node_type(n), "Fused") || n->graphs[0]->consts.n)
    return false;
  const weft_node *first = n->graphs[0]->first;
  for (const weft_node *k = first; k; k = k->next) {
    if (weft__kind(r, k) == WEFT_K_REDUCE_SUM)
      return weft__kind(r, first) == WEFT_K_CAST;
  }
  return false;
}

static bool is_candidate(const choice *c, weft_node *n) {
  if (n->desc.pub.n_out != 1 || n->out[0].fact.value)
    return false;
  if (is_mean(c->r, n))
    return true;
  if (!can_pack(&n->out[0]))
    return false;
  const weft_node *first = first_of(n);
  if (!first)
    return false;
  if (first->desc.proto->source != WEFT_FROM_BUILTIN)
    return weft__takes_packed(c->r->env, first);
  if (assign_formats_is_byte(n->out[0].fact.dtype) && weft__kind(c->r, first) == WEFT_K_DEQUANTIZE_LINEAR)
    return true;
  return is_conv(c->r, first) || (first->desc.proto->op->traits & (WEFT_ELEMENTWISE | WEFT_JOIN)) ||
         strstr(weft__node_type(first), "Pool") || strstr(weft__node_type(first), "LRN");
}

// Is there what gains by packing: a convolution, a package's operator with a kernel for it?
static bool has_reason(const weft_pass_run *r, const weft_graph *g) {
  for (const weft_node *n = g->first; n; n = weft__node_after(n)) {
    const weft_node *first = first_of(n);
    if (first && (first->desc.proto->source == WEFT_FROM_BUILTIN ? is_conv(r, first)
                                                                 : weft__takes_packed(r->env, first)))
      return true;
  }
  return false;
}

static bool assign_formats_ask(choice *c, item *it) {
  weft__fusion f;
  weft_value *in[WEFT__REGION_INPUTS];
  weft_format format[WEFT__REGION_INPUTS + 1];
  if (!weft__fusion_of(c->r->env, it->node, &f))
    return false;
  uint32_t n = weft__fusion_inputs(&f, in);
  bool any = false;
  for (uint32_t i = 0; i < n; i++)
    any |= can_pack(in[i]);
  for (uint32_t way = 0; way < WAYS; way++) {
    it->cost[way] = NONE;
    if (((way & PACKED_IN) && !any) || ((way & PACKED_OUT) && !can_pack(&it->node->out[0])))
      continue;
    for (uint32_t i = 0; i < n; i++)
      format[i] = way & PACKED_IN && can_pack(in[i]) ? blocked(in[i]) : (weft_format)WEFT_ND;
    format[n] = way & PACKED_OUT ? blocked(&it->node->out[0]) : (weft_format)WEFT_ND;
    double cost = weft__fusion_cost(c->r, &f, format, 1);
    if (cost >= 0) {
      it->cost[way] = cost;
      it->n_ways++;
    }
    if (cost < 0 && way == (PACKED_IN | PACKED_OUT))
      weft__pass_skipped(c->r, it->node, "packed: %s", c->r->text);
  }
  if (it->cost[0] >= NONE) {
    // the reference: what it costs does not matter here
    it->cost[0] = 0;
    it->n_ways++;
  }
  return it->n_ways > 1;
}

// Those that there are, and what can be made: a node made anew has a body, with its inputs, and each of its
// inputs and its output may be converted.
static uint32_t values_at_most(const weft_graph *g) {
  uint32_t n = g->root->n_value_ids + 1;
  for (const weft_node *k = g->first; k; k = weft__node_after(k))
    n += 2 * k->desc.pub.n_in + 4 + (k->n_graphs == 1 ? k->graphs[0]->n_nodes : 1);
  return n;
}

static weft_status assign_formats_collect(choice *c) {
  weft_graph *g = c->g;
  weft_arena *a = &c->mem;
  c->n_values = values_at_most(g);
  c->items = WEFT_NEW_N(a, item, (size_t)g->n_nodes + 1);
  c->values = WEFT_NEW_N(a, value_state, c->n_values);
  c->item_of = WEFT_NEW_N(a, int32_t, (size_t)g->root->n_node_ids + 1);
  WEFT_TRY(weft__allocated(c->items && c->values && c->item_of, c->r->d));
  for (uint32_t i = 0; i <= g->root->n_node_ids; i++)
    c->item_of[i] = -1;
  for (uint32_t i = 0; i < c->n_values; i++)
    c->values[i].item = -1;
  for (weft_node *n = g->first; n; n = weft__node_after(n)) {
    item *it = &c->items[c->n_items];
    const weft_node *sums = weft__fusion_sums(n);
    *it = (item){.node = n, .reads = sums ? sums : n};
    if (!is_candidate(c, n))
      continue;
    bool may = assign_formats_ask(c, it);
    weft__pass_forget(c->r);
    if (!may)
      continue;
    c->values[n->out[0].id].item = (int32_t)c->n_items;
    c->item_of[it->reads->id] = (int32_t)c->n_items++;
  }
  return WEFT_OK;
}

// ---- the choice ----
static bool takes_packed(const choice *c, const weft_node *n, const weft_value *v) {
  int32_t i = c->item_of[n->id];
  return i >= 0 && (c->items[i].way & PACKED_IN) && can_pack(v);
}

static bool made_packed(const choice *c, const weft_value *v) {
  int32_t i = c->values[v->id].item;
  return i >= 0 && (c->items[i].way & PACKED_OUT);
}

// Is a conversion of v needed? A value has at most one, in one direction.
static double conversions(const choice *c, const weft_value *v) {
  bool from = made_packed(c, v);
  if (from && v->n_outputs)
    return convert_ns(v);
  for (const weft_use_link *u = v->uses; u; u = u->next) {
    if (takes_packed(c, u->node, v) != from)
      return convert_ns(v);
  }
  return 0;
}

// What depends on the way of one item: itself and the values around it.
static double assign_formats_around(const choice *c, const item *it) {
  double sum = it->cost[it->way] + conversions(c, &it->node->out[0]);
  for (uint32_t i = 0; i < it->reads->desc.pub.n_in; i++) {
    const weft_value *v = it->reads->in[i].value;
    bool again = false;
    for (uint32_t k = 0; k < i; k++)
      again |= it->reads->in[k].value == v;
    if (v && !again && can_pack(v))
      sum += conversions(c, v);
  }
  return sum;
}

static bool improve(choice *c, item *it) {
  uint8_t was = it->way;
  uint8_t best = was;
  double least = assign_formats_around(c, it);
  for (uint8_t way = 0; way < WAYS; way++) {
    if (it->cost[way] >= NONE || way == was)
      continue;
    it->way = way;
    double sum = assign_formats_around(c, it);
    if (sum < least) {
      least = sum;
      best = way;
    }
  }
  it->way = best;
  return best != was;
}

// All costs, and each conversion once.
static double total(const choice *c) {
  double sum = 0;
  for (uint32_t i = 0; i < c->n_items; i++) {
    const item *it = &c->items[i];
    sum += it->cost[it->way] + conversions(c, &it->node->out[0]);
    for (uint32_t k = 0; k < it->reads->desc.pub.n_in; k++) {
      const weft_value *v = it->reads->in[k].value;
      // of a value that no item makes: with the first item that reads it
      if (!v || !can_pack(v) || c->values[v->id].item >= 0)
        continue;
      const item *first = it;
      for (const weft_use_link *u = v->uses; u; u = u->next) {
        int32_t j = c->item_of[u->node->id];
        if (j >= 0 && &c->items[j] < first)
          first = &c->items[j];
      }
      if (first == it)
        sum += conversions(c, v);
    }
  }
  return sum;
}

static double assign_formats_settle(choice *c) {
  bool changed = true;
  for (int sweep = 0; changed && sweep < SWEEPS; sweep++) {
    changed = false;
    for (uint32_t i = 0; i < c->n_items; i++)
      changed |= improve(c, &c->items[i]);
    for (uint32_t i = c->n_items; i-- > 0;)
      changed |= improve(c, &c->items[i]);
  }
  return total(c);
}

// As much packed as kernels take.
static void pack_all(choice *c) {
  for (uint32_t i = 0; i < c->n_items; i++) {
    item *it = &c->items[i];
    it->way = 0;
    for (uint8_t way = WAYS; way-- > 1 && !it->way;) {
      if (it->cost[way] < NONE)
        it->way = way;
    }
  }
}

static weft_status forced(weft_pass_run *r, bool *out) {
  const char *how = weft__pass_option(r, "assign-formats.choose");
  *out = how && !strcmp(how, "packed");
  if (!how || *out || !strcmp(how, "cheapest"))
    return WEFT_OK;
  return weft_fail(r->d, WEFT_E_INVALID,
                   "option 'assign-formats.choose': expected cheapest or packed, got '%s'", how);
}

// *out_any: something is packed.
static weft_status assign_formats_choose(choice *c, double *out_plain, double *out_chosen, bool *out_any) {
  uint8_t *kept = WEFT_NEW_N(&c->mem, uint8_t, (size_t)c->n_items + 1);
  WEFT_TRY(weft__allocated(kept, c->r->d));
  *out_plain = total(c);
  double from_plain = assign_formats_settle(c);
  for (uint32_t i = 0; i < c->n_items; i++)
    kept[i] = c->items[i].way;
  pack_all(c);
  double from_packed = c->all ? total(c) : assign_formats_settle(c);
  bool packed = c->all || from_packed < from_plain;
  *out_chosen = packed ? from_packed : from_plain;
  for (uint32_t i = 0; i < c->n_items; i++) {
    if (!packed)
      c->items[i].way = kept[i];
    *out_any |= c->items[i].way != 0;
  }
  return WEFT_OK;
}

// ---- making it so ----
static weft_status assign_formats_convert(choice *c, weft_node *at, weft_value *v, weft_format from,
                                          weft_format to, weft_value **out) {
  char src[64];
  char dst[64];
  weft_format_text(from, src, sizeof src);
  weft_format_text(to, dst, sizeof dst);
  weft_named_attr attrs[2] = {{"src_format", weft_attr_str(src, strlen(src))},
                              {"dst_format", weft_attr_str(dst, strlen(dst))}};
  weft_use use = {.attrs = attrs, .n_attrs = 2};
  weft_node *n;
  WEFT_TRY(weft__pass_add(c->r, at, "TransData", &use, &v, 1, &n));
  *out = &n->out[0];
  return WEFT_OK;
}

// A packed input's plain format: ND counts as NCHW.
static weft_format plain_of(const weft_value *v) {
  return weft_format_primary(v->fact.format) == WEFT_ND ? WEFT_NCHW : v->fact.format;
}

static weft_status packed_input(choice *c, weft_node *at, weft_value *v, weft_value **out) {
  WEFT_ASSERT(v->id < c->n_values);
  value_state *s = &c->values[v->id];
  if (!s->packed)
    WEFT_TRY(assign_formats_convert(c, at, v, plain_of(v), blocked(v), &s->packed));
  *out = s->packed;
  return WEFT_OK;
}

static bool read_plain(const choice *c, const weft_value *v) {
  if (v->n_outputs)
    return true;
  for (const weft_use_link *u = v->uses; u; u = u->next) {
    if (!takes_packed(c, u->node, v))
      return true;
  }
  return false;
}

// The node made anew with the formats chosen; whoever wants the plain output gets it converted back.
static weft_status remake(choice *c, item *it) {
  weft__fusion f;
  weft_value *in[WEFT__REGION_INPUTS];
  weft_value *v = &it->node->out[0];
  weft_value *plain;
  weft_node *made;
  if (!weft__fusion_of(c->r->env, it->node, &f))
    return WEFT_OK;
  uint32_t n = weft__fusion_inputs(&f, in);
  for (uint32_t i = 0; i < n; i++) {
    if ((it->way & PACKED_IN) && can_pack(in[i]))
      WEFT_TRY(packed_input(c, it->node, in[i], &in[i]));
  }
  bool packed = it->way & PACKED_OUT;
  weft__pass_did(c->r, it->node, packed ? "stored as NC1HWC0" : "takes NC1HWC0");
  WEFT_TRY(weft__fuse_as(c->r, &f, in, packed ? blocked(v) : (weft_format)WEFT_ND, &made));
  if (!packed) {  // of an input that was ND the region gives NCHW
    plain = &made->out[0];
    if (v->fact.format != plain->fact.format && weft__pass_refuse(c->r, v, plain))
      WEFT_TRY(assign_formats_convert(c, it->node, plain, plain->fact.format, v->fact.format, &plain));
    return weft__pass_replace(c->r, v, plain);
  }
  c->values[v->id].packed = &made->out[0];
  if (!read_plain(c, v))
    return WEFT_OK;
  WEFT_TRY(assign_formats_convert(c, it->node, &made->out[0], blocked(v), v->fact.format, &plain));
  if (plain->id < c->n_values)
    c->values[plain->id].packed = &made->out[0];
  return weft__pass_replace(c->r, v, plain);
}

// The packed value takes the name of the one that it stands for, when that is gone.
static weft_status keep_name(choice *c, const item *it) {
  const weft_value *v = &it->node->out[0];
  weft_value *by = c->values[v->id].packed;
  if (it->node->graph || !by || !by->graph || weft__map_find(&c->g->value_names, v->name, strlen(v->name)))
    return WEFT_OK;
  return weft__value_rename(by, v->name, c->r->d);
}

static weft_status assign_formats_make(choice *c, double plain, double chosen) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < c->n_items; i++) {
    if (!c->items[i].way || !c->items[i].node->graph || !weft__pass_may(c->r))
      continue;
    WEFT_TRY(remake(c, &c->items[i]));
    weft__pass_forget(c->r);
    n++;
  }
  for (uint32_t i = 0; i < c->n_items; i++) {
    if (c->items[i].way & PACKED_OUT)
      WEFT_TRY(keep_name(c, &c->items[i]));
  }
  weft__pass_did(c->r, NULL, "%u nodes with NC1HWC0: %.0f us as kernels say, %.0f us in plain formats", n,
                 chosen / 1e3, plain / 1e3);
  return WEFT_OK;
}

static weft_status assign_formats_run(weft_pass_run *r, weft_graph *g) {
  choice c = {.r = r, .g = g};
  double plain = 0, chosen = 0;
  bool any = false;
  if (!weft__pass_may(r))
    return WEFT_OK;
  WEFT_TRY(forced(r, &c.all));
  if (!c.all && !has_reason(r, g))
    return WEFT_OK;
  weft__arena_init(&c.mem, &r->env->alloc);
  weft_status s = assign_formats_collect(&c);
  if (!s && c.n_items)
    s = assign_formats_choose(&c, &plain, &chosen, &any);
  if (!s && any)
    s = assign_formats_make(&c, plain, chosen);
  weft__arena_deinit(&c.mem);
  return s;
}

WEFT_PASS(assign_formats) = {WEFT_PASS_HEAD, "assign-formats", "tensors of convolutional bodies in NC1HWC0",
                             WEFT_PASS_LAYOUT, .run = assign_formats_run};
// SPDX-License-Identifier: Apache-2.0
