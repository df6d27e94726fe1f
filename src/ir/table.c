// table.c - all tensors of a graph as an aligned table for people (R6): name, dtype, shape, format, range,
// bytes, from. Two passes over the same rows, one for the widths and one to print, so that nothing is stored.
// Widths are counted in characters; long cells are shortened in the middle. Bytes are those of the storage
// shape, "?" when it is not known. Inputs and what nodes make come before constants, which are many and say
// little. Sub-graphs follow in tables of their own.
#include "base/chars.h"
#include "ir/text.h"
#include "tensor/tensor.h"

enum { NAME, DTYPE, SHAPE, FORMAT, RANGE, BYTES, FROM, COLUMNS, CELL_BYTES = 256, CELL_CHARS = 44 };

typedef struct row {
  char cell[COLUMNS][CELL_BYTES];
} row;
typedef struct table {
  weft_write_fn write;
  void *ctx;
  size_t width[COLUMNS];
  bool measure;
} table;

// ---- cells ----

static size_t count_chars(const char *text) {
  size_t n = 0;
  for (; *text; text++)
    n += ((unsigned char)*text & 0xC0) != 0x80;
  return n;
}

// Copies text that may be long or no UTF-8: one character a character, '?' for what cannot be shown; of a
// text over CELL_CHARS characters the middle becomes one ellipsis.
static void set_cell(char *to, const char *text) {
  size_t bytes = strlen(text);
  size_t chars = 0;
  size_t at = 0;
  size_t n;
  size_t i;
  for (i = 0; i < bytes; i += n ? n : 1, chars++)
    n = weft__utf8_length(text + i, bytes - i);
  size_t head = chars > CELL_CHARS ? CELL_CHARS / 2 : chars;
  size_t tail = chars > CELL_CHARS ? CELL_CHARS - head - 1 : 0;
  for (i = 0; i < bytes; i += n ? n : 1) {
    n = weft__utf8_length(text + i, bytes - i);
    bool shown = n && (unsigned char)text[i] >= ' ' && text[i] != 0x7F;
    if (head) {
      head--;
      if (!head && tail) {
        weft__append(to, CELL_BYTES, &at, "%.*s\xE2\x80\xA6", shown ? (int)n : 1, shown ? text + i : "?");
        chars -= CELL_CHARS / 2 + tail;  // to leave out
        continue;
      }
    } else if (chars) {
      chars--;
      continue;
    }
    weft__append(to, CELL_BYTES, &at, "%.*s", shown ? (int)n : 1, shown ? text + i : "?");
  }
}

static void set_range(const weft_tensor_desc *desc, char *to) {
  char text[CELL_BYTES * 2];
  size_t at = 0;
  if (!desc->has_range)
    return;
  weft__append(text, sizeof text, &at, "[");
  for (size_t i = 0; i < desc->min.rank; i++) {
    weft__append(text, sizeof text, &at, "%s%lld..", i ? "," : "", (long long)desc->min.dim[i]);
    if (desc->max.dim[i] < 0)
      weft__append(text, sizeof text, &at, "*");
    else
      weft__append(text, sizeof text, &at, "%lld", (long long)desc->max.dim[i]);
  }
  weft__append(text, sizeof text, &at, "]");
  set_cell(to, text);
}

static void set_bytes(const weft_value *v, const weft_tensor_desc *desc, char *to) {
  int64_t elems;
  int64_t bytes = -1;
  const weft_tensor *t = v->origin == WEFT_VALUE_CONST ? v->fact.value : NULL;
  if (t && desc->dtype == WEFT_STRING)
    bytes = (int64_t)t->bytes;
  else if (desc->kind == WEFT_KIND_TENSOR && desc->dtype != WEFT_STRING &&
           weft_shape_is_known(&desc->layout.storage) && !weft_shape_elems(&desc->layout.storage, &elems))
    bytes = weft_dtype_bytes(elems, desc->dtype);
  if (bytes < 0)
    snprintf(to, CELL_BYTES, "?");
  else
    snprintf(to, CELL_BYTES, "%lld", (long long)bytes);
}

static void set_from(const weft_value *v, char *to) {
  char text[CELL_BYTES * 2];
  size_t at = 0;
  if (!v->node) {
    snprintf(to, CELL_BYTES, "%s", v->origin == WEFT_VALUE_CONST ? "constant" : "input");
    return;
  }
  char title[CELL_BYTES];
  weft__append(text, sizeof text, &at, "%s", weft__node_title(v->node, title, sizeof title));
  if (strcmp(weft__node_name(v->node), v->name))
    weft__append(text, sizeof text, &at, " %s", weft__node_name(v->node));
  if (v->node->desc.pub.n_out > 1)
    weft__append(text, sizeof text, &at, "[%u]", v->index);
  set_cell(to, text);
}

static void fill_row(const weft_value *v, row *r) {
  char text[1024];
  weft_tensor_desc desc;
  bool storage;
  size_t at = 0;
  for (int c = 0; c < COLUMNS; c++)
    r->cell[c][0] = 0;
  bool known = weft__value_shown(v, &desc, &storage);
  set_cell(r->cell[NAME], v->name);
  set_from(v, r->cell[FROM]);
  if (!known && v->origin == WEFT_VALUE_NODE) {
    snprintf(r->cell[DTYPE], CELL_BYTES, "?");
    snprintf(r->cell[BYTES], CELL_BYTES, "?");
    return;
  }
  const char *dtype = desc.dtype == WEFT_UNDEFINED ? "?" : weft_dtype_name(desc.dtype);
  bool plain = desc.kind == WEFT_KIND_TENSOR;
  weft__append(r->cell[DTYPE], CELL_BYTES, &at, "%s%s%s%s", weft__kind_mark(desc.kind), plain ? "" : "(",
               dtype, plain ? "" : ")");
  at = 0;
  if (desc.layout.origin.rank != WEFT_RANK_UNSET) {
    set_cell(r->cell[SHAPE],
             weft_shape_text(&desc.layout.origin, v->graph->root->symbols, text, sizeof text));
  }
  weft__append(r->cell[FORMAT], CELL_BYTES, &at, "%s",
               weft_format_text(desc.origin_format, text, sizeof text));
  if (desc.format != desc.origin_format)
    weft__append(r->cell[FORMAT], CELL_BYTES, &at, "/%s", weft_format_text(desc.format, text, sizeof text));
  set_range(&desc, r->cell[RANGE]);
  set_bytes(v, &desc, r->cell[BYTES]);
}

// ---- rows ----

static weft_status put_padding(table *t, size_t n, char c) {
  char text[64];
  memset(text, c, sizeof text);
  for (; n > sizeof text; n -= sizeof text)
    WEFT_TRY(t->write(t->ctx, text, sizeof text));
  return n ? t->write(t->ctx, text, n) : WEFT_OK;
}

static weft_status table_put_row(table *t, const row *r) {
  for (int c = 0; c < COLUMNS; c++) {
    size_t n = count_chars(r->cell[c]);
    if (t->measure) {
      t->width[c] = WEFT_MAX(t->width[c], n);
      continue;
    }
    if (c)
      WEFT_TRY(put_padding(t, 2, ' '));
    if (c == BYTES)
      WEFT_TRY(put_padding(t, t->width[c] - n, ' '));
    WEFT_TRY(weft__write_text(t->write, t->ctx, r->cell[c]));
    if (c != BYTES && c != FROM)
      WEFT_TRY(put_padding(t, t->width[c] - n, ' '));
  }
  return t->measure ? WEFT_OK : weft__write_text(t->write, t->ctx, "\n");
}

static weft_status table_put_value(table *t, const weft_value *v) {
  row r;
  fill_row(v, &r);
  return table_put_row(t, &r);
}

// Are the node's outputs constants in other words? Exporters put an Identity, a Transpose or a Cast behind
// weights; a longer way from them is not looked for.
static bool only_constants(const weft_node *n, int depth) {
  if (!n->desc.pub.n_in || n->n_graphs)
    return false;
  for (uint32_t i = 0; i < n->desc.pub.n_in; i++) {
    const weft_value *v = n->in[i].value;
    if (!v || v->origin == WEFT_VALUE_CONST)
      continue;
    if (!v->node || !depth || !only_constants(v->node, depth - 1))
      return false;
  }
  return true;
}

static weft_status put_nodes(table *t, const weft_graph *g, bool constants) {
  enum { DEPTH = 3 };
  for (const weft_node *n = g->first; n; n = n->next) {
    if (only_constants(n, DEPTH) != constants)
      continue;
    for (uint32_t i = 0; i < n->desc.pub.n_out; i++)
      WEFT_TRY(table_put_value(t, &n->out[i]));
  }
  return WEFT_OK;
}

static weft_status put_rows(table *t, const weft_graph *g) {
  for (size_t i = 0; i < g->inputs.n; i++)
    WEFT_TRY(table_put_value(t, g->inputs.v[i]));
  WEFT_TRY(put_nodes(t, g, false));
  WEFT_TRY(put_nodes(t, g, true));
  for (size_t i = 0; i < g->consts.n; i++)
    WEFT_TRY(table_put_value(t, g->consts.v[i]));
  return WEFT_OK;
}

static weft_status put_table(table *t, const weft_graph *g) {
  static const row head = {{"name", "dtype", "shape", "format", "range", "bytes", "from"}};
  size_t total = 0;
  memset(t->width, 0, sizeof t->width);
  t->measure = true;
  WEFT_TRY(table_put_row(t, &head));
  WEFT_TRY(put_rows(t, g));
  t->measure = false;
  for (int c = 0; c < COLUMNS; c++)
    total += t->width[c] + (c ? 2 : 0);
  WEFT_TRY(table_put_row(t, &head));
  WEFT_TRY(put_padding(t, total, '-'));
  WEFT_TRY(weft__write_text(t->write, t->ctx, "\n"));
  return put_rows(t, g);
}

static weft_status table_put_graph(table *t, const weft_graph *g) {
  WEFT_TRY(put_table(t, g));
  for (const weft_node *n = g->first; n; n = n->next) {
    for (uint32_t i = 0; i < n->n_graphs; i++) {
      char text[CELL_BYTES * 4];
      char node[CELL_BYTES] = "";
      char graph[CELL_BYTES] = "";
      size_t at = 0;
      set_cell(node, weft__node_name(n));
      set_cell(graph, n->graphs[i]->name);
      weft__append(text, sizeof text, &at, "\n%s of %s: graph %s\n",
                   weft__slot_name(n->desc.proto, n->graphs[i]->slot), node, graph);
      WEFT_TRY(t->write(t->ctx, text, at));
      WEFT_TRY(table_put_graph(t, n->graphs[i]));
    }
  }
  return WEFT_OK;
}

weft_status weft_graph_print_table(const weft_graph *g, weft_write_fn write, void *ctx) {
  WEFT_NEED(NULL, g);
  WEFT_NEED(NULL, write);
  WEFT_TRY(weft__remake_wake_all(g, NULL));
  table t = {.write = write, .ctx = ctx};
  return table_put_graph(&t, g);
}
// SPDX-License-Identifier: Apache-2.0
