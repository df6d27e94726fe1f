// dot.c - a graph as a picture for graphviz: `dot -Tsvg`.
// Rounded boxes: green inputs and outputs, grey constants, blue nodes, violet nodes with sub-graphs, which
// are frames. A constant of a few elements stands inside the nodes that read it. A fused node is named by the
// operators that it holds and has no frame. Edges carry dtype, shape and the format of what is packed;
// control edges are dashed. Ids are numbers, so names may hold anything; labels are cleaned to valid UTF-8
// markup. Deterministic; sub-graphs recurse to a bounded depth.
#include "ir/text.h"
#include "op/infer_node.h"
#include "tensor/tensor.h"

enum { SMALL_CONST = 8, ATTR_BYTES = 48 };

typedef struct dot {
  weft_write_fn write;
  void *ctx;
  uint32_t n_graphs;  // numbered so far
} dot;

#define PUT(text) WEFT_TRY(weft__write_text(p->write, p->ctx, (text)))

static weft_status put_clean(dot *p, const char *text) {
  return weft__write_clean(p->write, p->ctx, text, strlen(text), WEFT__CLEAN_MARKUP);
}

// ---- labels ----

static const char *type_text(const weft_value *v, char *buf, size_t cap) {
  char shape[200] = "";
  weft_tensor_desc desc;
  bool storage;
  size_t at = 0;
  buf[0] = 0;
  if (!weft__value_shown(v, &desc, &storage))
    return buf;
  if (desc.layout.origin.rank != WEFT_RANK_UNSET)
    weft_shape_text(&desc.layout.origin, v->graph->root->symbols, shape, sizeof shape);
  weft__append(buf, cap, &at, "%s%s%s%s", weft__kind_mark(desc.kind),
               desc.kind == WEFT_KIND_TENSOR ? "" : " ", weft_dtype_name(desc.dtype), shape);
  if (weft__format_packed(desc.format))
    weft__append(buf, cap, &at, " %s", weft_format_text(desc.format, shape, sizeof shape));
  return buf;
}

// The first bytes of what is written.
typedef struct cut {
  char text[ATTR_BYTES + 8];
  size_t n;
} cut;
static weft_status write_cut(void *ctx, const char *text, size_t bytes) {
  cut *c = ctx;
  size_t n = WEFT_MIN(bytes, (size_t)ATTR_BYTES - c->n);
  memcpy(c->text + c->n, text, n);
  c->n += n;
  if (n == bytes)
    return WEFT_OK;
  memcpy(c->text + c->n, "...", 4);
  c->n += 3;
  return WEFT_E_LIMIT;
}

static weft_status put_named(dot *p, const char *name, const cut *c) {
  PUT("<br/><font point-size=\"9\" color=\"#4a5568\">");
  WEFT_TRY(put_clean(p, name));
  PUT(" = ");
  WEFT_TRY(weft__write_clean(p->write, p->ctx, c->text, c->n, WEFT__CLEAN_MARKUP));
  return weft__write_text(p->write, p->ctx, "</font>");
}

// Formats of a fused node's outputs: numbers in the attribute, names for a reader.
static weft_status print_formats(const weft_attr *a, cut *c) {
  char text[64];
  for (size_t i = 0; a->type == WEFT_VT_LIST_INT && i < a->n; i++) {
    const int64_t f = a->u.ints[i];
    if (i)
      WEFT_TRY(write_cut(c, ", ", 2));
    const char *name = f < 0 ? "-" : weft_format_text((weft_format)f, text, sizeof text);
    WEFT_TRY(write_cut(c, name, strlen(name)));
  }
  return WEFT_OK;
}

static bool is_fused(const weft_node *n) {
  return n->n_graphs == 1 && !strcmp(weft__node_type(n), "Fused");
}

static weft_status put_attrs(dot *p, const weft_node *n) {
  for (uint32_t i = 0; i < n->desc.pub.n_attr; i++) {
    const weft_attr *a = n->desc.pub.attr[i];
    const char *name = n->desc.proto->attrs[i].name;
    if (!a || a->is_default)
      continue;
    cut c = {.n = 0};
    const bool formats = is_fused(n) && !strcmp(name, "formats");
    weft_status s = formats ? print_formats(a, &c) : weft_attr_print(a, write_cut, &c);
    if (s && s != WEFT_E_LIMIT)
      return s;
    WEFT_TRY(put_named(p, name, &c));
  }
  return WEFT_OK;
}

// ---- constants inside nodes ----

// Drawn where it is read, and nowhere else.
static bool is_inside(const weft_value *v) {
  const weft_tensor *t = v->origin == WEFT_VALUE_CONST ? v->fact.value : NULL;
  return t && t->kind == WEFT_KIND_TENSOR && weft_tensor_elems(t) <= SMALL_CONST && !v->n_outputs;
}

static weft_status put_inside(dot *p, const weft_node *n) {
  for (uint32_t i = 0; i < n->desc.pub.n_in; i++) {
    const weft_value *v = n->in[i].value;
    char port[128];
    if (!v || !is_inside(v))
      continue;
    cut c = {.n = 0};
    weft_status s = weft_tensor_print(v->fact.value, SMALL_CONST, write_cut, &c);
    if (s && s != WEFT_E_LIMIT)
      return s;
    WEFT_TRY(put_named(p, weft__node_in_text(n, i, port, sizeof port), &c));
  }
  return WEFT_OK;
}

// ---- boxes ----

static weft_status put_box(dot *p, const char *id_letter, uint32_t id, const char *fill, const char *line,
                           const char *head) {
  WEFT_TRY(weft__writef(p->write, p->ctx, "  %s%u [fillcolor=\"%s\" color=\"%s\" label=<<b>", id_letter, id,
                        fill, line));
  WEFT_TRY(put_clean(p, head));
  return weft__write_text(p->write, p->ctx, "</b>");
}

static weft_status put_line(dot *p, const char *text) {
  if (!*text)
    return WEFT_OK;
  PUT("<br/><font point-size=\"9\" color=\"#4a5568\">");
  WEFT_TRY(put_clean(p, text));
  return weft__write_text(p->write, p->ctx, "</font>");
}

static weft_status put_input(dot *p, const weft_value *v) {
  char type[300];
  WEFT_TRY(put_box(p, "v", v->id, "#d8f3dc", "#52996b", v->name));
  WEFT_TRY(put_line(p, type_text(v, type, sizeof type)));
  return weft__write_text(p->write, p->ctx, ">];\n");
}

static weft_status put_const(dot *p, const weft_value *v) {
  char type[300];
  if (is_inside(v))
    return WEFT_OK;
  WEFT_TRY(put_box(p, "v", v->id, "#edf0f3", "#a0aab5", v->name));
  WEFT_TRY(put_line(p, type_text(v, type, sizeof type)));
  return weft__write_text(p->write, p->ctx, ">];\n");
}

static weft_status dot_put_node(dot *p, const weft_node *n) {
  char title[256];
  const bool framed = n->n_graphs > 0 && !is_fused(n);
  WEFT_TRY(put_box(p, "n", n->id, framed ? "#e9dffb" : "#dbeafe", framed ? "#8660c5" : "#5b8ac6",
                   weft__node_title(n, title, sizeof title)));
  WEFT_TRY(put_line(p, weft__node_name(n)));
  WEFT_TRY(put_attrs(p, n));
  WEFT_TRY(put_inside(p, n));
  return weft__write_text(p->write, p->ctx, ">];\n");
}

// ---- edges ----

static weft_status put_source(dot *p, const weft_value *v) {
  return weft__writef(p->write, p->ctx, "  %s%u", v->node ? "n" : "v", v->node ? v->node->id : v->id);
}

static weft_status put_edge_label(dot *p, const weft_value *v) {
  char type[300];
  if (!v->node || !*type_text(v, type, sizeof type))
    return weft__write_text(p->write, p->ctx, ";\n");
  PUT(" [label=< ");
  WEFT_TRY(put_clean(p, type));
  return weft__write_text(p->write, p->ctx, " >];\n");  // inputs and constants show their type in the box
}

static weft_status put_edges(dot *p, const weft_graph *g, uint32_t number) {
  for (const weft_node *n = g->first; n; n = n->next) {
    for (uint32_t i = 0; i < n->desc.pub.n_in; i++) {
      if (!n->in[i].value || is_inside(n->in[i].value))
        continue;
      WEFT_TRY(put_source(p, n->in[i].value));
      WEFT_TRY(weft__writef(p->write, p->ctx, " -> n%u", n->id));
      WEFT_TRY(put_edge_label(p, n->in[i].value));
    }
    for (size_t i = 0; i < weft_node_n_controls(n); i++) {
      WEFT_TRY(weft__writef(p->write, p->ctx, "  n%u -> n%u [style=dashed color=\"#b7791f\"];\n",
                            weft_node_control_at(n, i)->id, n->id));
    }
  }
  for (size_t i = 0; i < g->outputs.n; i++) {
    char id[40];
    size_t at = 0;
    weft__append(id, sizeof id, &at, "o%u_", number);
    WEFT_TRY(put_box(p, id, (uint32_t)i, "#c7ecd0", "#3d8057", g->outputs.v[i]->name));
    PUT(">];\n");
    WEFT_TRY(put_source(p, g->outputs.v[i]));
    WEFT_TRY(weft__writef(p->write, p->ctx, " -> %s%zu", id, i));
    WEFT_TRY(put_edge_label(p, g->outputs.v[i]));
  }
  return WEFT_OK;
}

// ---- graphs ----

static weft_status dot_put_graph(dot *p, const weft_graph *g, uint32_t number);

// A sub-graph in its frame, tied to its node by a dotted line to the frame's first box.
static weft_status put_sub(dot *p, const weft_node *n, const weft_graph *g) {
  uint32_t number = ++p->n_graphs;
  WEFT_TRY(weft__writef(p->write, p->ctx, "  subgraph cluster_%u {\n  label=< ", number));
  WEFT_TRY(put_clean(p, weft__slot_name(n->desc.proto, g->slot)));
  PUT(" of ");
  WEFT_TRY(put_clean(p, weft__node_name(n)));
  PUT(": <b>");
  WEFT_TRY(put_clean(p, *g->name ? g->name : "graph"));
  PUT("</b> >;\n  style=\"rounded,filled\"; fillcolor=\"#faf8ff\"; color=\"#b9a4e0\";\n");
  WEFT_TRY(weft__writef(p->write, p->ctx, "  g%u [shape=point style=invis width=0 height=0 label=\"\"];\n",
                        number));
  WEFT_TRY(dot_put_graph(p, g, number));
  PUT("  }\n");
  return weft__writef(p->write, p->ctx,
                      "  n%u -> g%u [style=dotted color=\"#8660c5\" arrowhead=none lhead=cluster_%u];\n",
                      n->id, number, number);
}

static weft_status dot_put_graph(dot *p, const weft_graph *g, uint32_t number) {
  for (size_t i = 0; i < g->inputs.n; i++)
    WEFT_TRY(put_input(p, g->inputs.v[i]));
  for (size_t i = 0; i < g->consts.n; i++) {
    if (weft_value_n_uses(g->consts.v[i]))
      WEFT_TRY(put_const(p, g->consts.v[i]));
  }
  for (const weft_node *n = g->first; n; n = n->next)
    WEFT_TRY(dot_put_node(p, n));
  WEFT_TRY(put_edges(p, g, number));
  for (const weft_node *n = g->first; n; n = n->next) {
    for (uint32_t i = 0; i < n->n_graphs && !is_fused(n); i++)
      WEFT_TRY(put_sub(p, n, n->graphs[i]));
  }
  return WEFT_OK;
}

weft_status weft_graph_print_dot(const weft_graph *g, weft_write_fn write, void *ctx) {
  WEFT_NEED(NULL, g);
  WEFT_NEED(NULL, write);
  WEFT_TRY(weft__remake_wake_all(g, NULL));
  dot d = {.write = write, .ctx = ctx}, *p = &d;
  PUT("digraph weft {\n  graph [compound=true rankdir=TB nodesep=0.35 ranksep=0.45 fontname=\"Helvetica\" "
      "fontsize=11 "
      "labelloc=t label=< <b>");
  WEFT_TRY(put_clean(p, *g->name ? g->name : "graph"));
  PUT("</b> >];\n"
      "  node [shape=box style=\"rounded,filled\" fontname=\"Helvetica\" fontsize=11 margin=\"0.16,0.07\" "
      "height=0.3];\n"
      "  edge [fontname=\"Helvetica\" fontsize=9 fontcolor=\"#4a5568\" color=\"#718096\" arrowsize=0.7];\n");
  WEFT_TRY(dot_put_graph(p, g, 0));
  return weft__write_text(write, ctx, "}\n");
}
// SPDX-License-Identifier: Apache-2.0
