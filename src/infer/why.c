// why.c - why a value is not fully known: follows the chain back to the first missing fact.
#include "ir/ir.h"
#include "weft/infer.h"

// The input that keeps an output from being known; -1: the operator itself does.
static int64_t blocking_input(const weft_node *n) {
  for (uint32_t i = 0; i < n->desc.pub.n_in; i++)
    if (n->in[i].value && !weft__fact_known(&n->in[i].value->fact)) return i;
  for (uint32_t port = 0; port < n->desc.proto->n_in && port < 64; port++) {
    if (!(n->desc.proto->value_mask >> port & 1)) continue;
    for (uint32_t k = 0; k < n->desc.pub.in_port[port].count; k++) {
      uint32_t i = n->desc.pub.in_port[port].start + k;
      if (n->in[i].value && !n->in[i].value->fact.value) return i;
    }
  }
  return -1;
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

static weft_status line(const weft_value *v, weft_write_fn write, void *ctx, const char *indent) {
  weft_shape s;
  char text[256];
  weft__fact_shape(&v->fact, &s);
  return weft__writef(write, ctx, "%svalue '%.200s' has shape %s", indent, v->name,
                      weft_shape_text(&s, v->graph->root->symbols, text, sizeof text));
}

weft_status weft_value_why(const weft_value *v, weft_write_fn write, void *ctx) {
  WEFT_NEED(NULL, v);
  WEFT_NEED(NULL, write);
  if (weft__fact_known(&v->fact)) return WEFT_OK;
  for (int step = 0; step < 64; step++) {
    WEFT_TRY(line(v, write, ctx, step ? "\n  because " : ""));
    const weft_node *n = v->node;
    if (!n) return weft__writef(write, ctx, ": it is an input of the graph, and the model leaves it open");
    if (!v->fact.set)
      return weft__writef(write, ctx, ": node '%.200s' (%.100s) was not inferred", weft__node_name(n),
                          weft__node_type(n));
    if (n->desc.proto->op->traits & WEFT__STANDS_IN && !reads_unknown(n))
      return weft__writef(write, ctx, ": node '%.200s' has the operator '%s', which weft does not have",
                          weft__node_name(n), weft__node_label(n));
    int64_t i = blocking_input(n);
    if (i < 0)
      return weft__writef(write, ctx, ": node '%.200s' (%.100s) %s", weft__node_name(n), weft__node_type(n),
                          n->desc.proto->op->traits & WEFT_DATA_DEPENDENT
                              ? "decides its shape only when it runs, from the data"
                              : "does not tell more from what is known of its inputs");
    const weft_value *next = n->in[i].value;
    char port[128];
    weft__node_in_text(n, (uint32_t)i, port, sizeof port);
    if (weft__fact_known(&next->fact)) {
      WEFT_TRY(weft__writef(write, ctx,
                            ": node '%.200s' (%.100s) needs the value of input '%s', which is '%.200s'",
                            weft__node_name(n), weft__node_type(n), port, next->name));
      if (!next->node)
        return weft__writef(write, ctx, ", an input of the graph: its data come only at run time");
      return weft__writef(write, ctx,
                          ", computed by node '%.200s' (%.100s) from data that come only at run time",
                          weft__node_name(next->node), weft__node_type(next->node));
    }
    WEFT_TRY(weft__writef(write, ctx, ": node '%.200s' (%.100s) got it from input '%s'", weft__node_name(n),
                          weft__node_type(n), port));
    v = next;
  }
  return weft__writef(write, ctx, "\n  and so on");
}
