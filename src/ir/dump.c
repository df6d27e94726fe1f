// dump.c - the dumps of the founding documents, byte for byte: "Graph IR Dump" and "MetaIR Graph"
// (R222-R227). WEFT_DUMP_IR lists nodes with the index, name, dtype number and shape of their inputs and
// outputs, and the names and type numbers of the attributes that were given. A value whose name the library
// made has no name there. The verbose form adds what that leaves out: all names, formats, the values of all
// attributes, edges, graph inputs, constants, outputs and sub-graphs. WEFT_DUMP_METAIR prints nodes and
// edges, with names and attributes as the model gave them (the node's origin, R276), the attributes in
// Python's notation. Order: nodes as inserted, attributes as declared.
#include <math.h>

#include "base/chars.h"
#include "ir/text.h"
#include "op/attr.h"

typedef struct dump {
  weft_write_fn write;
  void *ctx;
  bool verbose;
} dump;

#define PUT(text) WEFT_TRY(weft__write_text(p->write, p->ctx, (text)))

// ---- Graph IR Dump ----

static bool numbered(const char *name, const char *stem) {
  size_t n = strlen(stem);
  return !strncmp(name, stem, n) && name[n] && strspn(name + n, "0123456789") == strlen(name + n);
}

// Is it the name that the library gives a value nobody named?
static bool made_name(const weft_value *v) {
  const weft_node *n = v->node;
  if (!n)
    return numbered(v->name, v->origin == WEFT_VALUE_CONST ? "const_" : "input_");
  const char *node = weft__node_name(n);
  size_t bytes = strlen(node);
  if (strncmp(v->name, node, bytes))
    return false;
  return v->name[bytes] ? v->name[bytes] == ':' && numbered(v->name + bytes, ":") : n->desc.pub.n_out == 1;
}

static weft_status dump_put_shape(dump *p, const weft_value *v, const weft_shape *s) {
  char text[640];
  if (s->rank == WEFT_RANK_UNSET)
    return weft__write_text(p->write, p->ctx, "[?]");
  return weft__write_text(p->write, p->ctx, weft_shape_text(s, v->graph->root->symbols, text, sizeof text));
}

static weft_status dump_put_value(dump *p, const char *what, uint32_t i, const weft_value *v) {
  char format[64];
  weft_tensor_desc desc;
  bool storage;
  WEFT_TRY(weft__writef(p->write, p->ctx, "  %s[%u]: name=", what, i));
  if (!v)
    return weft__writef(p->write, p->ctx, ", dtype=%d, shape=[?]\n", WEFT_UNDEFINED);
  weft__value_shown(v, &desc, &storage);
  if (p->verbose || !made_name(v))
    PUT(v->name);
  WEFT_TRY(weft__writef(p->write, p->ctx, ", dtype=%d, shape=", desc.dtype));
  WEFT_TRY(dump_put_shape(p, v, &desc.layout.origin));
  if (p->verbose) {
    PUT(", format=");
    PUT(weft_format_text(desc.origin_format, format, sizeof format));
    if (desc.format != desc.origin_format) {
      PUT(", storage_shape=");
      WEFT_TRY(dump_put_shape(p, v, &desc.layout.storage));
      PUT(", storage_format=");
      PUT(weft_format_text(desc.format, format, sizeof format));
    }
  }
  return weft__write_text(p->write, p->ctx, "\n");
}

static weft_status dump_put_attr(dump *p, const char *name, const weft_attr *a) {
  PUT("  Attr[");
  PUT(name);
  WEFT_TRY(weft__writef(p->write, p->ctx, "]: type=%d", a->type));
  if (p->verbose) {
    PUT(", value=");
    if (a->type == WEFT_VT_TENSOR)
      WEFT_TRY(weft_tensor_print(a->u.tensor, 16, p->write, p->ctx));
    else
      WEFT_TRY(weft_attr_print(a, p->write, p->ctx));
    if (a->is_default)
      PUT(" (default)");
  }
  return weft__write_text(p->write, p->ctx, "\n");
}

static weft_status dump_put_node(dump *p, const weft_node *n) {
  const weft_op_desc *desc = &n->desc.pub;
  PUT("[Node] name=");
  PUT(desc->name);
  PUT(", type=");
  PUT(weft__node_label(n));
  PUT("\n");
  for (uint32_t i = 0; i < desc->n_in; i++)
    WEFT_TRY(dump_put_value(p, "Input", i, n->in[i].value));
  for (uint32_t i = 0; i < desc->n_out; i++)
    WEFT_TRY(dump_put_value(p, "Output", i, &n->out[i]));
  for (uint32_t i = 0; i < desc->n_attr; i++) {
    if (desc->attr[i] && (p->verbose || !desc->attr[i]->is_default))
      WEFT_TRY(dump_put_attr(p, n->desc.proto->attrs[i].name, desc->attr[i]));
  }
  for (uint32_t i = 0; i < n->desc.n_private; i++)
    WEFT_TRY(dump_put_attr(p, n->desc.private_attrs[i].name, &n->desc.private_attrs[i].value));
  return WEFT_OK;
}

static weft_status put_edges(dump *p, const weft_graph *g) {
  for (const weft_node *n = g->first; n; n = weft__node_after(n)) {
    for (uint32_t i = 0; i < n->desc.pub.n_in; i++) {
      const weft_value *v = n->in[i].value;
      if (!v)
        continue;
      PUT("Edge: ");
      PUT(v->node ? weft__node_name(v->node) : v->name);
      if (v->node)
        WEFT_TRY(weft__writef(p->write, p->ctx, ".out[%u]", v->index));
      PUT(" -> ");
      PUT(weft__node_name(n));
      WEFT_TRY(weft__writef(p->write, p->ctx, ".in[%u]\n", i));
    }
    for (size_t i = 0; i < weft_node_n_controls(n); i++) {
      PUT("Control: ");
      PUT(weft__node_name(weft_node_control_at(n, i)));
      PUT(" -> ");
      PUT(weft__node_name(n));
      PUT("\n");
    }
  }
  return WEFT_OK;
}

static weft_status put_interface(dump *p, const weft_graph *g) {
  if (!p->verbose)
    return WEFT_OK;
  PUT("Graph: ");
  PUT(g->name);
  PUT("\n");
  for (size_t i = 0; i < g->inputs.n; i++)
    WEFT_TRY(dump_put_value(p, "GraphInput", (uint32_t)i, g->inputs.v[i]));
  for (size_t i = 0; i < g->consts.n; i++)
    WEFT_TRY(dump_put_value(p, "Const", (uint32_t)i, g->consts.v[i]));
  for (size_t i = 0; i < g->outputs.n; i++)
    WEFT_TRY(dump_put_value(p, "GraphOutput", (uint32_t)i, g->outputs.v[i]));
  return WEFT_OK;
}

static weft_status put_ir(dump *p, const weft_graph *g) {
  PUT("========== Graph IR Dump ==========\n");
  WEFT_TRY(weft__writef(p->write, p->ctx, "Node count: %u\n", g->n_nodes));
  PUT("===================================\n");
  WEFT_TRY(put_interface(p, g));
  for (const weft_node *n = g->first; n; n = weft__node_after(n))
    WEFT_TRY(dump_put_node(p, n));
  if (!p->verbose)
    return WEFT_OK;
  WEFT_TRY(put_edges(p, g));
  for (const weft_node *n = g->first; n; n = weft__node_after(n)) {
    for (uint32_t i = 0; i < n->n_graphs; i++) {
      PUT("Subgraph: ");
      PUT(weft__slot_name(n->desc.proto, n->graphs[i]->slot));
      PUT(" of ");
      PUT(weft__node_name(n));
      PUT("\n");
      WEFT_TRY(put_ir(p, n->graphs[i]));
    }
  }
  return WEFT_OK;
}

// ---- Python's notation ----

// repr of a float: the digits of the shortest text, with an exponent below 1e-4 and from 1e16 on.
static const char *python_float(float v, char buf[64]) {
  char text[32];
  char digit[24];
  int n = 0;
  int e = 0;
  int from = 0;
  size_t at = 0;
  weft__float_text(v, text);
  if (!isfinite(v)) {
    snprintf(buf, 64, "%s", text);
    return buf;
  }
  const char *s = text + (*text == '-');
  bool point = false;
  for (; *s && *s != 'e'; s++) {
    if (*s == '.')
      point = true;
    else if (n < 23) {
      digit[n++] = *s;
      e += !point;
    }
  }
  while (*s == 'e' || *s == '+')
    s++;
  int exponent = 0;
  int sign = *s == '-' ? -1 : 1;
  for (s += *s == '-'; *s >= '0' && *s <= '9' && exponent < 1000; s++)
    exponent = exponent * 10 + (*s - '0');
  e += sign * exponent;  // 0.d1d2.. * 10^e with leading zeros among the digits
  while (from < n - 1 && digit[from] == '0') {
    from++;
    e--;
  }
  while (n > from + 1 && digit[n - 1] == '0')
    n--;
  int count = n - from;
  bool zero = digit[from] == '0';
  buf[0] = 0;
  if (signbit(v))
    weft__append(buf, 64, &at, "-");
  if (zero) {
    weft__append(buf, 64, &at, "0.0");
  } else if (e <= -4 || e > 16) {
    weft__append(buf, 64, &at, "%c%s%.*se%c%02d", digit[from], count > 1 ? "." : "", count - 1,
                 digit + from + 1, e - 1 < 0 ? '-' : '+', e - 1 < 0 ? 1 - e : e - 1);
  } else if (e <= 0) {
    weft__append(buf, 64, &at, "0.%.*s%.*s", -e, "0000", count, digit + from);
  } else {
    int whole = WEFT_MIN(count, e);
    weft__append(buf, 64, &at, "%.*s%.*s.", whole, digit + from, e - whole, "0000000000000000");
    weft__append(buf, 64, &at, "%.*s", count > whole ? count - whole : 1,
                 count > whole ? digit + from + whole : "0");
  }
  return buf;
}

// repr of a str (or of bytes): single quotes, unless the text has some and no double quotes.
static weft_status put_repr(dump *p, const char *text, size_t bytes, bool as_bytes) {
  char quote = bytes && memchr(text, '\'', bytes) && !memchr(text, '"', bytes) ? '"' : '\'';
  size_t n;
  WEFT_TRY(weft__writef(p->write, p->ctx, "%s%c", as_bytes ? "b" : "", quote));
  for (size_t i = 0; i < bytes; i += n) {
    unsigned char c = (unsigned char)text[i];
    n = as_bytes ? c < 0x80 : weft__utf8_length(text + i, bytes - i);
    bool plain = n && c >= ' ' && c != 0x7F && c != '\\' && c != (unsigned char)quote;
    if (!n)
      n = 1;
    if (plain)
      WEFT_TRY(p->write(p->ctx, text + i, n));
    else if (c == '\n' || c == '\r' || c == '\t')
      PUT(c == '\n' ? "\\n" : c == '\r' ? "\\r" : "\\t");
    else if (c == '\\' || c == (unsigned char)quote)
      WEFT_TRY(weft__writef(p->write, p->ctx, "\\%c", c));
    else
      WEFT_TRY(weft__writef(p->write, p->ctx, "\\x%02x", c));
  }
  return weft__writef(p->write, p->ctx, "%c", quote);
}

static weft_status put_dtype(dump *p, int64_t t) {
  return weft__writef(p->write, p->ctx, "'%s'",
                      weft_dtype_serial(t >= 0 && t < 256 ? (weft_dtype)t : WEFT_UNDEFINED));
}

static weft_status put_python_tensor(dump *p, const weft_tensor *t) {
  char text[640];
  weft_tensor_desc desc;
  weft_desc_init(&desc);
  desc.dtype = t->dtype;
  desc.kind = t->kind;
  desc.origin_format = t->origin_format;
  desc.format = t->format;
  weft_shape_copy(&desc.layout.origin, &t->layout.origin);
  weft_shape_copy(&desc.layout.storage, &t->layout.storage);
  return weft__write_text(p->write, p->ctx, weft_desc_text(&desc, text, sizeof text));
}

static weft_status put_python_items(dump *p, const weft_attr *a);

static weft_status put_python(dump *p, const weft_attr *a) {
  char buf[64];
  switch (a->type) {
    case WEFT_VT_NONE:
      return weft__write_text(p->write, p->ctx, "None");
    case WEFT_VT_STRING:
      return put_repr(p, a->u.s, a->n, false);
    case WEFT_VT_BYTES:
      return put_repr(p, a->u.s, a->n, true);
    case WEFT_VT_FLOAT:
      return weft__write_text(p->write, p->ctx, python_float(a->u.f, buf));
    case WEFT_VT_BOOL:
      return weft__write_text(p->write, p->ctx, a->u.b ? "True" : "False");
    case WEFT_VT_INT:
      return weft__writef(p->write, p->ctx, "%lld", (long long)a->u.i);
    case WEFT_VT_TYPE:
      return put_dtype(p, a->u.i);
    case WEFT_VT_TENSOR:
      return put_python_tensor(p, a->u.tensor);
    default:
      return put_python_items(p, a);
  }
}

static weft_status put_python_items(dump *p, const weft_attr *a) {
  PUT("[");
  for (size_t i = 0; i < a->n; i++) {
    const weft_attr item = weft__attr_item(a, i);
    if (i)
      PUT(", ");
    WEFT_TRY(put_python(p, &item));
  }
  return weft__write_text(p->write, p->ctx, "]");
}

// ---- MetaIR ----

static weft_status put_python_attr(dump *p, const char *name, const weft_attr *a, bool *first) {
  if (!*first)
    PUT(", ");
  *first = false;
  WEFT_TRY(put_repr(p, name, strlen(name), false));
  PUT(": ");
  return put_python(p, a);
}

static weft_status put_python_attrs(dump *p, const weft_node *n) {
  const weft_origin *o = n->origin;
  bool first = true;
  PUT("{");
  for (size_t i = 0; o && i < o->n_attrs; i++)
    WEFT_TRY(put_python_attr(p, o->attrs[i].name, &o->attrs[i].value, &first));
  for (uint32_t i = 0; !o && i < n->desc.pub.n_attr; i++) {
    const weft_attr *a = n->desc.pub.attr[i];
    if (a && !a->is_default)
      WEFT_TRY(put_python_attr(p, n->desc.proto->attrs[i].name, a, &first));
  }
  for (uint32_t i = 0; !o && i < n->desc.n_private; i++)
    WEFT_TRY(put_python_attr(p, n->desc.private_attrs[i].name, &n->desc.private_attrs[i].value, &first));
  return weft__write_text(p->write, p->ctx, "}");
}

static weft_status put_op_desc(dump *p, const weft_node *n, uint32_t i) {
  const weft_origin *o = n->origin;
  WEFT_TRY(weft__writef(p->write, p->ctx, "  Node[%u]: OpDesc(name=", i));
  PUT(o && o->name ? o->name : weft__node_name(n));
  PUT(", type=");
  const bool stands_in = weft__node_label(n) != weft__node_type(n);
  PUT(o && o->type && !stands_in ? o->type : weft__node_label(n));
  WEFT_TRY(
      weft__writef(p->write, p->ctx, ", inputs=%u, outputs=%u, attrs=", n->desc.pub.n_in, n->desc.pub.n_out));
  WEFT_TRY(put_python_attrs(p, n));
  return weft__write_text(p->write, p->ctx, ")\n");
}

// Places in the list by node id, and the number of edges between nodes. `place` may be NULL.
static size_t count_edges(const weft_graph *g, uint32_t *place) {
  size_t edges = 0;
  uint32_t at = 0;
  for (const weft_node *n = g->first; n; n = weft__node_after(n)) {
    if (place)
      place[n->id] = at++;
    for (uint32_t i = 0; i < n->desc.pub.n_in; i++)
      edges += n->in[i].value && n->in[i].value->node;
  }
  return edges;
}

static weft_status put_metair(dump *p, const weft_graph *g, const uint32_t *place, size_t edges) {
  uint32_t i = 0;
  PUT("=== MetaIR Graph: ");
  PUT(g->name);
  WEFT_TRY(weft__writef(p->write, p->ctx, " ===\nNodes: %u, Edges: %zu\n", g->n_nodes, edges));
  for (const weft_node *n = g->first; n; n = weft__node_after(n))
    WEFT_TRY(put_op_desc(p, n, i++));
  for (const weft_node *n = g->first; n; n = weft__node_after(n)) {
    for (uint32_t in = 0; in < n->desc.pub.n_in; in++) {
      const weft_value *v = n->in[in].value;
      if (v && v->node) {
        WEFT_TRY(weft__writef(p->write, p->ctx, "  Edge: Node[%u].out[%u] -> Node[%u].in[%u]\n",
                              place[v->node->id], v->index, place[n->id], in));
      }
    }
  }
  return WEFT_OK;
}

static weft_status dump_metair(dump *p, const weft_graph *g) {
  const weft_allocator *a = &g->root->alloc;
  size_t bytes;
  if (!weft_mul_size(g->root->n_node_ids, sizeof(uint32_t), &bytes))
    return WEFT_E_OVERFLOW;
  uint32_t *place = weft__alloc(a, bytes, _Alignof(uint32_t));
  if (!place)
    return WEFT_E_NOMEM;
  weft_status s = put_metair(p, g, place, count_edges(g, place));
  weft__free(a, place, bytes, _Alignof(uint32_t));
  return s;
}

weft_status weft_graph_dump(const weft_graph *g, int style, weft_write_fn write, void *ctx) {
  WEFT_NEED(NULL, g);
  WEFT_NEED(NULL, write);
  WEFT_TRY(weft__remake_wake_all(g, NULL));
  dump p = {.write = write, .ctx = ctx, .verbose = style == WEFT_DUMP_IR_VERBOSE};
  if (style == WEFT_DUMP_METAIR)
    return dump_metair(&p, g);
  if (style != WEFT_DUMP_IR && style != WEFT_DUMP_IR_VERBOSE)
    return WEFT_E_INVALID;
  return put_ir(&p, g);
}
// SPDX-License-Identifier: Apache-2.0
