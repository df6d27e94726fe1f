// json_out.c - a graph as one JSON object, for other tools to read:
//   {"name", "inputs": [value], "outputs": [value], "constants": [value],
//    "nodes": [{"name", "type", "inputs": [value or null], "outputs": [value], "attrs": {}, "controls":
//    [node],
//               "graphs": {slot: [graph]}}],
//    "values": {value: {"dtype", "shape", "format", "range"}}}
// Values and nodes are named. Dims are numbers, -1 or the text of a symbol; shape null is an unknown rank, a
// missing one is not inferred. Attributes that have their default are left out; those that JSON has no type
// for are text. A node has "controls" and "graphs" only when it has some. The output is valid JSON whatever
// the names hold. Data are not written.
#include <math.h>

#include "ir/text.h"
#include "tensor/symbols.h"
#include "tensor/tensor.h"
#include "op/attr.h"

typedef struct json {
  weft_write_fn write;
  void *ctx;
  const weft_symbols *symbols;
  uint32_t indent;
} json;

#define PUT(text) WEFT_TRY(weft__write_text(j->write, j->ctx, (text)))

static weft_status json_out_put_string(json *j, const char *text, size_t bytes) {
  PUT("\"");
  WEFT_TRY(weft__write_clean(j->write, j->ctx, text, bytes, WEFT__CLEAN_JSON));
  return weft__write_text(j->write, j->ctx, "\"");
}

static weft_status put_text(json *j, const char *text) {
  return json_out_put_string(j, text, strlen(text));
}

static weft_status put_key(json *j, const char *key) {
  WEFT_TRY(put_text(j, key));
  return weft__write_text(j->write, j->ctx, ": ");
}

static weft_status put_int(json *j, int64_t v) {
  return weft__writef(j->write, j->ctx, "%lld", (long long)v);
}

static weft_status start_line(json *j) {
  PUT("\n");
  for (uint32_t i = 0; i < j->indent; i++)
    PUT("  ");
  return WEFT_OK;
}

// ---- attributes ----

static weft_status put_float(json *j, float v) {
  char buf[32];
  weft__float_text(v, buf);
  return isfinite(v) ? weft__write_text(j->write, j->ctx, buf) : put_text(j, buf);
}

// A tensor, as the start of its text.
static weft_status json_out_put_tensor(json *j, const weft_tensor *t) {
  enum { SHOWN = 16 };
  weft_text text;
  weft__text_init(&text, &t->alloc);
  weft_status s = weft_tensor_print(t, SHOWN, weft__text_write, &text);
  if (!s)
    s = json_out_put_string(j, text.n ? text.v : "", text.n);
  weft__text_deinit(&text);
  return s;
}

static weft_status put_items(json *j, const weft_attr *a);

static weft_status json_out_put_attr(json *j, const weft_attr *a) {
  switch (a->type) {
    case WEFT_VT_NONE:
      return weft__write_text(j->write, j->ctx, "null");
    case WEFT_VT_STRING:
    case WEFT_VT_BYTES:
      return json_out_put_string(j, a->u.s, a->n);
    case WEFT_VT_FLOAT:
      return put_float(j, a->u.f);
    case WEFT_VT_BOOL:
      return weft__write_text(j->write, j->ctx, a->u.b ? "true" : "false");
    case WEFT_VT_INT:
      return put_int(j, a->u.i);
    case WEFT_VT_TYPE:
      return put_text(j, weft_dtype_name((weft_dtype)a->u.i));
    case WEFT_VT_TENSOR:
      return json_out_put_tensor(j, a->u.tensor);
    default:
      return put_items(j, a);
  }
}

static weft_status put_items(json *j, const weft_attr *a) {
  PUT("[");
  for (size_t i = 0; i < a->n; i++) {
    const weft_attr item = weft__attr_item(a, i);
    if (i)
      PUT(", ");
    WEFT_TRY(json_out_put_attr(j, &item));
  }
  return weft__write_text(j->write, j->ctx, "]");
}

// ---- values ----

static weft_status json_out_put_shape(json *j, const weft_shape *s) {
  char text[1024];
  if (weft_shape_is_unknown_rank(s))
    return weft__write_text(j->write, j->ctx, "null");
  PUT("[");
  for (size_t i = 0; i < s->rank; i++) {
    if (i)
      PUT(", ");
    if (weft_dim_is_symbol(s->dim[i]))
      WEFT_TRY(put_text(j, weft_dim_text(j->symbols, s->dim[i], text, sizeof text)));
    else
      WEFT_TRY(put_int(j, s->dim[i]));
  }
  return weft__write_text(j->write, j->ctx, "]");
}

static weft_status put_formats(json *j, const weft_tensor_desc *desc) {
  char text[64];
  PUT(", ");
  WEFT_TRY(put_key(j, "format"));
  WEFT_TRY(put_text(j, weft_format_text(desc->origin_format, text, sizeof text)));
  if (desc->format == desc->origin_format)
    return WEFT_OK;
  PUT(", ");
  WEFT_TRY(put_key(j, "storage_format"));
  WEFT_TRY(put_text(j, weft_format_text(desc->format, text, sizeof text)));
  if (desc->layout.storage.rank > WEFT_MAX_RANK)
    return WEFT_OK;
  PUT(", ");
  WEFT_TRY(put_key(j, "storage_shape"));
  return json_out_put_shape(j, &desc->layout.storage);
}

static weft_status json_out_put_value(json *j, const weft_value *v) {
  weft_tensor_desc desc;
  bool storage;
  WEFT_TRY(start_line(j));
  WEFT_TRY(put_key(j, v->name));
  weft__value_shown(v, &desc, &storage);
  PUT("{");
  WEFT_TRY(put_key(j, "dtype"));
  WEFT_TRY(put_text(j, weft_dtype_name(desc.dtype)));
  if (desc.kind != WEFT_KIND_TENSOR) {
    PUT(", ");
    WEFT_TRY(put_key(j, "kind"));
    WEFT_TRY(put_text(j, weft__kind_word(desc.kind)));
  }
  if (desc.layout.origin.rank != WEFT_RANK_UNSET) {
    PUT(", ");
    WEFT_TRY(put_key(j, "shape"));
    WEFT_TRY(json_out_put_shape(j, &desc.layout.origin));
  }
  WEFT_TRY(put_formats(j, &desc));
  if (desc.has_range) {
    PUT(", ");
    WEFT_TRY(put_key(j, "range"));
    for (size_t i = 0; i < desc.min.rank; i++) {
      WEFT_TRY(weft__writef(j->write, j->ctx, "%s[%lld, ", i ? ", " : "[", (long long)desc.min.dim[i]));
      if (desc.max.dim[i] < 0)
        PUT("null]");
      else
        WEFT_TRY(weft__writef(j->write, j->ctx, "%lld]", (long long)desc.max.dim[i]));
    }
    PUT(desc.min.rank ? "]" : "[]");
  }
  return weft__write_text(j->write, j->ctx, "}");
}

static weft_status put_values(json *j, const weft_graph *g) {
  bool first = true;
  WEFT_TRY(start_line(j));
  WEFT_TRY(put_key(j, "values"));
  PUT("{");
  j->indent++;
  for (int list = 0; list < 2; list++) {
    size_t n = list ? g->consts.n : g->inputs.n;
    for (size_t i = 0; i < n; i++) {
      if (!first)
        PUT(",");
      first = false;
      WEFT_TRY(json_out_put_value(j, list ? g->consts.v[i] : g->inputs.v[i]));
    }
  }
  for (const weft_node *n = g->first; n; n = n->next) {
    for (uint32_t i = 0; i < n->desc.pub.n_out; i++) {
      if (!first)
        PUT(",");
      first = false;
      WEFT_TRY(json_out_put_value(j, &n->out[i]));
    }
  }
  j->indent--;
  WEFT_TRY(start_line(j));
  return weft__write_text(j->write, j->ctx, "}");
}

// ---- nodes and graphs ----

static weft_status json_out_put_graph(json *j, const weft_graph *g);

static weft_status put_graphs(json *j, const weft_node *n) {
  PUT(", ");
  WEFT_TRY(put_key(j, "graphs"));
  PUT("{");
  for (uint32_t i = 0; i < n->n_graphs; i++) {
    const weft_graph *g = n->graphs[i];
    bool opens = !i || n->graphs[i - 1]->slot != g->slot;
    if (opens) {
      PUT(i ? "], " : "");
      WEFT_TRY(put_key(j, weft__slot_name(n->desc.proto, g->slot)));
    }
    PUT(opens ? "[" : ", ");
    j->indent++;
    WEFT_TRY(json_out_put_graph(j, g));
    j->indent--;
  }
  return weft__write_text(j->write, j->ctx, "]}");
}

static weft_status put_attrs(json *j, const weft_node *n) {
  bool first = true;
  PUT(", ");
  WEFT_TRY(put_key(j, "attrs"));
  PUT("{");
  for (uint32_t i = 0; i < n->desc.pub.n_attr; i++) {
    const weft_attr *a = n->desc.pub.attr[i];
    if (!a || a->is_default)
      continue;
    if (!first)
      PUT(", ");
    first = false;
    WEFT_TRY(put_key(j, n->desc.proto->attrs[i].name));
    WEFT_TRY(json_out_put_attr(j, a));
  }
  for (uint32_t i = 0; i < n->desc.n_private; i++) {
    if (!first)
      PUT(", ");
    first = false;
    WEFT_TRY(put_key(j, n->desc.private_attrs[i].name));
    WEFT_TRY(json_out_put_attr(j, &n->desc.private_attrs[i].value));
  }
  return weft__write_text(j->write, j->ctx, "}");
}

static weft_status json_out_put_node(json *j, const weft_node *n) {
  WEFT_TRY(start_line(j));
  PUT("{");
  WEFT_TRY(put_key(j, "name"));
  WEFT_TRY(put_text(j, weft__node_name(n)));
  PUT(", ");
  WEFT_TRY(put_key(j, "type"));
  WEFT_TRY(put_text(j, weft__node_label(n)));
  if (weft__node_label(n) != weft__node_type(n))
    PUT(", \"unknown\": true");
  PUT(", \"inputs\": [");
  for (uint32_t i = 0; i < n->desc.pub.n_in; i++) {
    if (i)
      PUT(", ");
    if (n->in[i].value)
      WEFT_TRY(put_text(j, n->in[i].value->name));
    else
      PUT("null");
  }
  PUT("], \"outputs\": [");
  for (uint32_t i = 0; i < n->desc.pub.n_out; i++) {
    if (i)
      PUT(", ");
    WEFT_TRY(put_text(j, n->out[i].name));
  }
  PUT("]");
  WEFT_TRY(put_attrs(j, n));
  for (size_t i = 0; i < weft_node_n_controls(n); i++) {
    PUT(i ? ", " : ", \"controls\": [");
    WEFT_TRY(put_text(j, weft__node_name(weft_node_control_at(n, i))));
    if (i + 1 == weft_node_n_controls(n))
      PUT("]");
  }
  if (n->n_graphs)
    WEFT_TRY(put_graphs(j, n));
  return weft__write_text(j->write, j->ctx, "}");
}

static weft_status put_names(json *j, const char *key, weft_value *const *v, size_t n) {
  WEFT_TRY(start_line(j));
  WEFT_TRY(put_key(j, key));
  PUT("[");
  for (size_t i = 0; i < n; i++) {
    if (i)
      PUT(", ");
    WEFT_TRY(put_text(j, v[i]->name));
  }
  return weft__write_text(j->write, j->ctx, "],");
}

static weft_status json_out_put_graph(json *j, const weft_graph *g) {
  PUT("{");
  j->indent++;
  WEFT_TRY(start_line(j));
  WEFT_TRY(put_key(j, "name"));
  WEFT_TRY(put_text(j, g->name));
  PUT(",");
  WEFT_TRY(put_names(j, "inputs", g->inputs.v, g->inputs.n));
  WEFT_TRY(put_names(j, "outputs", g->outputs.v, g->outputs.n));
  WEFT_TRY(put_names(j, "constants", g->consts.v, g->consts.n));
  WEFT_TRY(start_line(j));
  WEFT_TRY(put_key(j, "nodes"));
  PUT("[");
  j->indent++;
  for (const weft_node *n = g->first; n; n = n->next) {
    WEFT_TRY(json_out_put_node(j, n));
    if (n->next)
      PUT(",");
  }
  j->indent--;
  WEFT_TRY(start_line(j));
  PUT("],");
  WEFT_TRY(put_values(j, g));
  j->indent--;
  WEFT_TRY(start_line(j));
  return weft__write_text(j->write, j->ctx, "}");
}

weft_status weft_graph_print_json(const weft_graph *g, weft_write_fn write, void *ctx) {
  WEFT_NEED(NULL, g);
  WEFT_NEED(NULL, write);
  WEFT_TRY(weft__remake_wake_all(g, NULL));
  json j = {.write = write, .ctx = ctx, .symbols = g->root->symbols};
  WEFT_TRY(json_out_put_graph(&j, g));
  return weft__write_text(write, ctx, "\n");
}
// SPDX-License-Identifier: Apache-2.0
