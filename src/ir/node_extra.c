// node_extra.c - what a node carries besides its edges: sub-graphs, its origin in a model, and attributes set
// later. All of it lives in the arena of the root graph; what is replaced stays there until the root is
// destroyed.
#include "base/told.h"
#include "ir/ir.h"

static weft_status node_extra_no_memory(weft_diag *d, const weft_node *n) {
  return weft_fail(d, WEFT_E_NOMEM, "node '%s' (%s): out of memory", weft__node_name(n), weft__node_type(n));
}
// WEFT_TRY(extra_allocated(p, ..)): unless everything that was asked for is there, no_memory.
static weft_status extra_allocated(bool all, weft_diag *d, const weft_node *n) {
  return all ? WEFT_OK : node_extra_no_memory(d, n);
}

static weft_status check_alive(const weft_node *n, weft_diag *d) {
  if (n->graph)
    return WEFT_OK;
  return weft_fail(d, WEFT_E_STATE, "node '%s' (%s) was removed from its graph", weft__node_name(n),
                   weft__node_type(n));
}

// ---- sub-graphs ----

bool weft__slot_is_dynamic(const weft_proto *p, uint32_t slot) {
  return p->op->graphs[slot][0] == '*';
}

const char *weft__slot_name(const weft_proto *p, uint32_t slot) {
  return p->op->graphs[slot] + weft__slot_is_dynamic(p, slot);
}

static weft_status check_slot(const weft_node *n, uint32_t slot, weft_diag *d) {
  const weft_proto *p = n->desc.proto;
  if (slot >= p->n_graphs) {
    return weft_fail(d, WEFT_E_RANGE, "node '%s' (%s): sub-graph slot %u does not exist: the operator has %u",
                     weft__node_name(n), weft__node_type(n), slot, p->n_graphs);
  }
  for (uint32_t i = 0; i < n->n_graphs && !weft__slot_is_dynamic(p, slot); i++) {
    if (n->graphs[i]->slot == slot) {
      return weft_fail(d, WEFT_E_EXISTS, "node '%s' (%s): sub-graph '%s' exists already: graph '%s'",
                       weft__node_name(n), weft__node_type(n), weft__slot_name(p, slot), n->graphs[i]->name);
    }
  }
  if (n->graph->depth >= WEFT_GRAPH_DEPTH_MAX) {
    return weft_fail(d, WEFT_E_LIMIT, "node '%s' (%s): graph '%s' is nested %u deep already, the limit is %d",
                     weft__node_name(n), weft__node_type(n), n->graph->name, n->graph->depth,
                     WEFT_GRAPH_DEPTH_MAX);
  }
  if (n->n_graphs >= INT32_MAX) {
    return weft_fail(d, WEFT_E_LIMIT, "node '%s' (%s): too many sub-graphs", weft__node_name(n),
                     weft__node_type(n));
  }
  return WEFT_OK;
}

weft_status weft_node_add_graph(weft_node *n, uint32_t slot, const char *name, weft_graph **out,
                                weft_diag *d) {
  WEFT_NEED(d, out);
  *out = NULL;
  WEFT_NEED(d, n);
  WEFT_TRY(check_alive(n, d));
  WEFT_TRY(check_slot(n, slot, d));
  weft_root *r = n->graph->root;
  weft__graph_changed(n->graph);
  uint32_t count = n->n_graphs;
  weft_graph **graphs = n->graphs;
  if (!(count & (count - 1))) {  // 0, 1, 2, 4, ...: full
    graphs = WEFT_NEW_N(&r->arena, weft_graph *, count ? (size_t)count * 2 : 1);
    WEFT_TRY(extra_allocated(graphs, d, n));
    if (count)
      memcpy(graphs, n->graphs, count * sizeof *graphs);
  }
  weft_graph *g;
  WEFT_TRY(weft__graph_make(r, n, slot, name && *name ? name : weft__slot_name(n->desc.proto, slot), &g, d));
  uint32_t at = count;
  for (; at > 0 && graphs[at - 1]->slot > slot; at--)
    graphs[at] = graphs[at - 1];
  graphs[at] = g;
  n->graphs = graphs;
  n->n_graphs++;
  *out = g;
  return WEFT_OK;
}

// ---- origin ----

static bool copy_text(weft_arena *a, const char *from, const char **to) {
  *to = from ? weft__arena_strdup(a, from, strlen(from)) : NULL;
  return !from || *to;
}

weft_status weft_node_set_origin(weft_node *n, const weft_origin *o, weft_diag *d) {
  WEFT_NEED(d, n);
  WEFT_TRY(check_alive(n, d));
  weft_arena *a = &n->graph->root->arena;
  weft_origin *to = WEFT_NEW(a, weft_origin);
  size_t n_attrs = o->attrs ? o->n_attrs : 0;
  weft_named_attr *attrs = n_attrs ? WEFT_NEW_N(a, weft_named_attr, n_attrs) : NULL;
  if (!to || (n_attrs && !attrs))
    return node_extra_no_memory(d, n);
  to->offset = o->offset;
  const weft_origin *last = n->graph->last && n->prev ? n->prev->origin : NULL;
  if (last && last->file && o->file && !strcmp(last->file, o->file))
    to->file = last->file;  // one copy a model
  else if (!copy_text(a, o->file, &to->file))
    return node_extra_no_memory(d, n);
  WEFT_TRY(extra_allocated(copy_text(a, o->name, &to->name) && copy_text(a, o->type, &to->type), d, n));
  for (size_t i = 0; i < n_attrs; i++) {
    WEFT_TRY(extra_allocated(copy_text(a, o->attrs[i].name, &attrs[i].name), d, n));
    weft_status s = weft_attr_copy(&o->attrs[i].value, a, &attrs[i].value);
    if (s) {
      return weft_fail(d, s, "node '%s' (%s): attribute '%s' of its origin cannot be copied",
                       weft__node_name(n), weft__node_type(n), o->attrs[i].name);
    }
  }
  to->attrs = attrs;
  to->n_attrs = n_attrs;
  n->origin = to;
  return WEFT_OK;
}

// ---- attributes ----

static weft_named_attr *find_private(const weft_node *n, const char *name) {
  for (uint32_t i = 0; i < n->desc.n_private; i++) {
    if (!strcmp(n->desc.private_attrs[i].name, name))
      return &n->desc.private_attrs[i];
  }
  return NULL;
}

const weft_attr *weft_node_attr(const weft_node *n, const char *name) {
  if (!n || !name)
    return NULL;
  int slot = weft_proto_find_attr(n->desc.proto, name);
  if (slot >= 0)
    return n->desc.pub.attr[slot];
  const weft_named_attr *a = find_private(n, name);
  return a ? &a->value : NULL;
}

size_t weft_node_n_attrs(const weft_node *n) {
  return n ? (size_t)n->desc.pub.n_attr + n->desc.n_private : 0;
}

const weft_attr *weft_node_attr_at(const weft_node *n, size_t i, const char **out_name) {
  if (out_name)
    *out_name = NULL;
  if (i >= weft_node_n_attrs(n))
    return NULL;
  const uint32_t n_declared = n->desc.pub.n_attr;
  const weft_named_attr *own = i < n_declared ? NULL : &n->desc.private_attrs[i - n_declared];
  if (out_name)
    *out_name = own ? own->name : weft_proto_attr(n->desc.proto, (uint32_t)i)->name;
  return own ? &own->value : n->desc.pub.attr[i];
}

static weft_status set_private(weft_node *n, const char *name, const weft_attr *value, weft_diag *d) {
  weft_arena *a = &n->graph->root->arena;
  weft_named_attr *old = find_private(n, name);
  if (n->desc.pub.kept) {  // such an operator reads private attributes: what was inferred may differ
    weft__graph_changed(n->graph);
    weft__desc_drop(&n->desc);
  }
  if (old) {
    old->value = *value;
    return WEFT_OK;
  }
  size_t count = n->desc.n_private;
  weft_named_attr *attrs = WEFT_NEW_N(a, weft_named_attr, count + 1);
  WEFT_TRY(extra_allocated(attrs && copy_text(a, name, &attrs[count].name), d, n));
  if (count)
    memcpy(attrs, n->desc.private_attrs, count * sizeof *attrs);
  attrs[count].value = *value;
  n->desc.private_attrs = attrs;
  n->desc.n_private++;
  n->desc.pub.private_attr = attrs;
  n->desc.pub.n_private = n->desc.n_private;
  return WEFT_OK;
}

weft_status weft_node_set_attr(weft_node *n, const char *name, const weft_attr *a, weft_diag *d) {
  WEFT_NEED(d, n);
  WEFT_NEED(d, name);
  WEFT_NEED(d, a);
  WEFT_TRY(check_alive(n, d));
  const weft_proto *p = n->desc.proto;
  int slot = weft_proto_find_attr(p, name);
  if (slot < 0 && name[0] != '_') {
    return weft_fail(d, WEFT_E_NOT_FOUND, "node '%s' (%s): attribute '%s' is not one of the operator",
                     weft__node_name(n), weft__node_type(n), name);
  }
  weft_attr *copy = WEFT_NEW(&n->graph->root->arena, weft_attr);
  WEFT_TRY(extra_allocated(copy, d, n));
  weft_status s = weft_attr_copy(a, &n->graph->root->arena, copy);
  if (s) {
    return weft_fail(d, s, "node '%s' (%s): attribute '%s' cannot be copied", weft__node_name(n),
                     weft__node_type(n), name);
  }
  copy->is_default = 0;
  if (slot < 0)
    return set_private(n, name, copy, d);
  s = weft__attr_check(p, (uint32_t)slot, copy, d);
  if (s) {
    weft_note(d, "while setting an attribute of node '%s' (%s)", weft__node_name(n), weft__node_type(n));
    return s;
  }
  weft__graph_changed(n->graph);
  weft__desc_drop(&n->desc);
  ((const weft_attr **)n->desc.pub.attr)[slot] = copy;  // the node's own array: weft__desc_make
  return WEFT_OK;
}

void weft__note_origin(const weft_node *n, weft_diag *d) {
  const weft_origin *o = weft_node_origin(n);
  if (!o || !o->file)
    return;
  weft_note(d, "node '%s' (%s) of %s, at byte %llu", o->name ? o->name : "", o->type ? o->type : "", o->file,
            (unsigned long long)o->offset);
}

// ---- for readers ----
enum { TITLE_OPERATORS = 6 };

const char *weft__node_title(const weft_node *n, char *buf, size_t cap) {
  const bool fused = n->n_graphs == 1 && !strcmp(weft__node_type(n), "Fused");
  uint32_t told = 0;
  uint32_t left = 0;
  size_t at = 0;
  buf[0] = 0;
  if (!fused)
    weft__append(buf, cap, &at, "%s", weft__node_label(n));
  for (const weft_node *k = fused ? n->graphs[0]->first : NULL; k; k = k->next) {
    if (told == TITLE_OPERATORS)
      left++;
    else
      weft__append(buf, cap, &at, "%s%s", told++ ? "+" : "", weft__node_label(k));
  }
  if (left)
    weft__append(buf, cap, &at, "+%u more", left);
  return buf;
}
// SPDX-License-Identifier: Apache-2.0
