// why.c - why a value is not fully known: follows the chain back to the first missing fact. Contents that
// decide a shape come before an open dim of an input: a dim can be given, contents only come with the run.
#include "ir/ir.h"
#include "weft/infer.h"

enum { WHY_STEPS = 64 };

typedef struct why {
  weft_write_fn write;
  void *ctx;
} why;

// Dims in symbols follow from those of the inputs: no contents are missing for them.
static bool known_in_symbols(const weft_fact *f) {
  if (!weft__fact_ranked(f))
    return false;
  for (uint32_t i = 0; i < f->rank; i++) {
    if (f->dims[i] == WEFT_DIM_UNKNOWN)
      return false;
  }
  return true;
}

// Known data, or as many integers as the shape says, each a number or in symbols.
static bool contents_known(const weft_fact *f) {
  if (f->value)
    return true;
  if (!f->elems || !weft__fact_known(f))
    return false;
  for (uint32_t i = 0; i < f->n_elems; i++) {
    if (f->elems[i] == WEFT_DIM_INVALID || f->elems[i] == WEFT_DIM_UNKNOWN)
      return false;
  }
  return true;
}

// The input whose contents inference reads and does not know; -1: there is none.
static int64_t contents_input(const weft_node *n) {
  for (uint32_t port = 0; port < n->desc.proto->n_in && port < 64; port++) {
    if (!(n->desc.proto->value_mask >> port & 1))
      continue;
    for (uint32_t k = 0; k < n->desc.pub.in_port[port].count; k++) {
      uint32_t i = n->desc.pub.in_port[port].start + k;
      if (n->in[i].value && !contents_known(&n->in[i].value->fact))
        return i;
    }
  }
  return -1;
}

// The input whose shape is not known; -1: there is none. Behind a dim that no symbol describes it is one with
// such a dim, where there is one: an input that the model leaves open would have given its symbols.
static int64_t shape_input(const weft_node *n, bool by_data) {
  int64_t found = -1;
  for (uint32_t i = 0; i < n->desc.pub.n_in; i++) {
    const weft_value *v = n->in[i].value;
    if (!v || weft__fact_known(&v->fact))
      continue;
    if (by_data && !known_in_symbols(&v->fact))
      return i;
    if (found < 0)
      found = i;
  }
  return found;
}

// Does it stand there only because one in front of it is not known?
static bool reads_unknown(const weft_node *n) {
  for (uint32_t i = 0; i < n->desc.pub.n_in; i++) {
    const weft_value *v = n->in[i].value;
    if (v && v->node && v->node->desc.proto->op->traits & WEFT__STANDS_IN && !weft__fact_known(&v->fact))
      return true;
  }
  return false;
}

static weft_status why_line(const why *w, const weft_value *v, const char *indent) {
  weft_shape s;
  char text[256];
  weft__fact_shape(&v->fact, &s);
  return weft__writef(w->write, w->ctx, "%svalue '%.200s' has shape %s", indent, v->name,
                      weft_shape_text(&s, v->graph->root->symbols, text, sizeof text));
}

// An input of the graph that a value is computed from; NULL: none whose contents are missing.
static const weft_value *why_source(const weft_value *v) {
  for (int step = 0; v && v->node && step < WHY_STEPS; step++) {
    const weft_node *n = v->node;
    v = NULL;
    for (uint32_t i = 0; i < n->desc.pub.n_in && !v; i++) {
      if (n->in[i].value && !contents_known(&n->in[i].value->fact))
        v = n->in[i].value;
    }
  }
  return v && v->origin == WEFT_VALUE_INPUT ? v : NULL;
}

static weft_status why_contents(const why *w, const weft_node *n, uint32_t i) {
  const weft_value *read = n->in[i].value;
  char port[128];
  weft__node_in_text(n, i, port, sizeof port);
  WEFT_TRY(weft__writef(w->write, w->ctx,
                        ": node '%.200s' (%.100s) needs the contents of its input '%s', which is '%.200s'",
                        weft__node_name(n), weft__node_type(n), port, read->name));
  if (!read->node)
    return weft__writef(w->write, w->ctx, ", an input of the graph: its data come only at run time");
  WEFT_TRY(weft__writef(w->write, w->ctx, ", computed by node '%.200s' (%.100s)", weft__node_name(read->node),
                        weft__node_type(read->node)));
  const weft_value *source = why_source(read);
  if (!source)
    return weft__writef(w->write, w->ctx, " from data that come only at run time");
  return weft__writef(w->write, w->ctx,
                      " from '%.200s', an input of the graph: its data come only at run time", source->name);
}

// Why a node alone is the reason.
static weft_status why_node(const why *w, const weft_node *n) {
  if (!(n->desc.proto->op->traits & WEFT_DATA_DEPENDENT)) {
    return weft__writef(w->write, w->ctx,
                        ": node '%.200s' (%.100s) does not tell more from what is known of its inputs",
                        weft__node_name(n), weft__node_type(n));
  }
  WEFT_TRY(weft__writef(w->write, w->ctx,
                        ": node '%.200s' (%.100s) decides its shape only when it runs, from the contents of",
                        weft__node_name(n), weft__node_type(n)));
  const char *before = " ";
  for (uint32_t i = 0; i < n->desc.pub.n_in; i++) {
    if (!n->in[i].value || n->in[i].value->fact.value)
      continue;
    WEFT_TRY(weft__writef(w->write, w->ctx, "%s'%.200s'", before, n->in[i].value->name));
    before = ", ";
  }
  return WEFT_OK;
}

static bool stands_in(const weft_node *n) {
  return n && n->desc.proto->op->traits & WEFT__STANDS_IN;
}

// One step of the chain: *out_next is the value in front that the reason has to be looked for at, NULL when
// it was said here.
static weft_status why_step(const why *w, const weft_value *v, const weft_value **out_next) {
  const weft_node *n = v->node;
  char port[128];
  *out_next = NULL;
  if (!n)
    return weft__writef(w->write, w->ctx, ": it is an input of the graph, and the model leaves it open");
  if (!v->fact.set) {
    return weft__writef(w->write, w->ctx, ": node '%.200s' (%.100s) was not inferred", weft__node_name(n),
                        weft__node_type(n));
  }
  if (stands_in(n) && !reads_unknown(n)) {
    return weft__writef(w->write, w->ctx, ": node '%.200s' has the operator '%s', which weft does not have",
                        weft__node_name(n), weft__node_label(n));
  }

  const bool by_data = !known_in_symbols(&v->fact);
  const int64_t read = contents_input(n);
  const int64_t open = shape_input(n, by_data);
  if (by_data && n->desc.proto->op->traits & WEFT_DATA_DEPENDENT)
    return why_node(w, n);
  const bool says_contents = read >= 0 && (by_data || open < 0);
  if (says_contents && !stands_in(n->in[read].value->node))
    return why_contents(w, n, (uint32_t)read);
  if (!says_contents && open < 0)
    return why_node(w, n);

  const uint32_t i = (uint32_t)(says_contents ? read : open);
  weft__node_in_text(n, i, port, sizeof port);
  *out_next = n->in[i].value;
  return weft__writef(w->write, w->ctx, ": node '%.200s' (%.100s) takes it from its input '%s'",
                      weft__node_name(n), weft__node_type(n), port);
}

weft_status weft_value_why(const weft_value *v, weft_write_fn write, void *ctx) {
  WEFT_NEED(NULL, v);
  WEFT_NEED(NULL, write);
  const why w = {write, ctx};
  if (weft__fact_known(&v->fact))
    return WEFT_OK;
  for (int step = 0; v && step < WHY_STEPS; step++) {
    WEFT_TRY(why_line(&w, v, step ? "\n  because " : ""));
    WEFT_TRY(why_step(&w, v, &v));
  }
  return v ? weft__writef(write, ctx, "\n  and so on") : WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
