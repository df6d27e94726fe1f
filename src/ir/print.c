// print.c - graphs in the text form (docs/text-ir.md): what is printed parses back to a strictly equal graph.
// The order is fixed: notes, symbols, inputs, constants, nodes as inserted, control edges, outputs; so two
// prints of one graph are the same bytes, and so are a print and the print of what it parses to. Linear;
// scratch only for long dims and for the marks of the symbol pool. Sub-graphs are printed inside their node,
// at most WEFT_GRAPH_DEPTH_MAX deep.
#include "ir/text.h"
#include "tensor/symbols.h"
#include "tensor/tensor.h"

enum { NO_DATA_ELEMS = 64, DIM_BYTES = 512, DIM_BYTES_MAX = 8 << 20 };

typedef struct printer {
  weft_write_fn write;
  void *ctx;
  unsigned flags;
  weft_root *root;
  uint32_t indent;  // in steps of two spaces
} printer;

#define PUT(text) WEFT_TRY(weft__write_text(p->write, p->ctx, (text)))

static weft_status print_put_name(printer *p, const char *name) {
  return weft__write_name(p->write, p->ctx, name, strlen(name));
}

static weft_status start_line(printer *p) {
  for (uint32_t i = 0; i < p->indent; i++)
    PUT("  ");
  return WEFT_OK;
}

// ---- dims, shapes, types ----

static weft_status put_symbolic(printer *p, weft_dim d) {
  char small[DIM_BYTES];
  size_t at = 0;
  weft__dim_append(p->root->symbols, d, small, sizeof small, &at);
  if (at + 8 < sizeof small)
    return p->write(p->ctx, small, at);
  for (size_t cap = 8 * sizeof small; cap <= DIM_BYTES_MAX; cap *= 4) {
    char *buf = weft__alloc(&p->root->alloc, cap, 1);
    if (!buf)
      return WEFT_E_NOMEM;
    at = 0;
    weft__dim_append(p->root->symbols, d, buf, cap, &at);
    bool whole = at + 8 < cap;
    weft_status s = whole ? p->write(p->ctx, buf, at) : WEFT_OK;
    weft__free(&p->root->alloc, buf, cap, 1);
    if (whole)
      return s;
  }
  return WEFT_E_LIMIT;
}

static weft_status print_put_shape(printer *p, const weft_shape *s) {
  if (s->rank == WEFT_RANK_UNSET)
    return WEFT_OK;
  if (weft_shape_is_unknown_rank(s))
    return weft__write_text(p->write, p->ctx, "[?]");
  PUT("[");
  for (size_t i = 0; i < s->rank; i++) {
    if (i)
      PUT(",");
    if (weft_dim_is_symbol(s->dim[i]))
      WEFT_TRY(put_symbolic(p, s->dim[i]));
    else
      WEFT_TRY(weft__writef(p->write, p->ctx, "%lld", (long long)s->dim[i]));
  }
  return weft__write_text(p->write, p->ctx, "]");
}

static weft_status put_formats(printer *p, weft_format origin, weft_format storage) {
  char text[64];
  if (origin == WEFT_ND && storage == WEFT_ND)
    return WEFT_OK;
  PUT(" ");
  PUT(weft_format_text(origin, text, sizeof text));
  if (storage == origin)
    return WEFT_OK;
  PUT("/");
  return weft__write_text(p->write, p->ctx, weft_format_text(storage, text, sizeof text));
}

static weft_status put_range(printer *p, const weft_tensor_desc *desc) {
  PUT(" range [");
  for (size_t i = 0; i < desc->min.rank; i++) {
    WEFT_TRY(weft__writef(p->write, p->ctx, "%s%lld..", i ? "," : "", (long long)desc->min.dim[i]));
    if (desc->max.dim[i] < 0)
      PUT("*");
    else
      WEFT_TRY(weft__writef(p->write, p->ctx, "%lld", (long long)desc->max.dim[i]));
  }
  return weft__write_text(p->write, p->ctx, "]");
}

static bool same_storage(const weft_declared *said, const weft_tensor_desc *desc) {
  const weft_shape *s = &desc->layout.storage;
  return !said->storage ||
         (s->rank == said->storage_rank && !memcmp(s->dim, said->storage, s->rank * sizeof *s->dim));
}

bool weft__value_shown(const weft_value *v, weft_tensor_desc *out, bool *out_storage) {
  const weft_declared *said = v->declared;
  bool inferred = v->fact.set || v->fact.dtype != WEFT_UNDEFINED;
  *out_storage = false;
  weft__fact_desc(inferred || !said ? &v->fact : &said->fact, v->name, out);
  if (inferred && v->origin == WEFT_VALUE_NODE)
    weft_value_expected(v, out);
  if (!inferred && !said)
    return false;
  if (said && (!inferred || v->origin == WEFT_VALUE_INPUT)) {
    out->placement = said->placement;
    *out_storage = !same_storage(said, out);
    if (*out_storage) {
      out->layout.storage.rank = said->storage_rank;
      memcpy(out->layout.storage.dim, said->storage, said->storage_rank * sizeof(weft_dim));
    }
  }
  bool plain = out->kind == WEFT_KIND_TENSOR && out->origin_format == WEFT_ND && out->format == WEFT_ND &&
               out->placement == WEFT_ON_HOST && !*out_storage;
  bool nothing = v->origin == WEFT_VALUE_INPUT ? weft_shape_is_unknown_rank(&out->layout.origin)
                                               : out->layout.origin.rank == WEFT_RANK_UNSET;
  return !plain || !nothing || out->dtype != WEFT_UNDEFINED;
}

static weft_status put_type(printer *p, const weft_value *v) {
  weft_tensor_desc desc;
  bool storage;
  if (!weft__value_shown(v, &desc, &storage))
    return WEFT_OK;
  PUT(": ");
  if (desc.kind != WEFT_KIND_TENSOR)
    WEFT_TRY(weft__writef(p->write, p->ctx, "%s(", weft__kind_mark(desc.kind)));
  PUT(weft_dtype_name(desc.dtype));
  WEFT_TRY(print_put_shape(p, &desc.layout.origin));
  WEFT_TRY(put_formats(p, desc.origin_format, desc.format));
  if (storage) {
    PUT(" storage ");
    WEFT_TRY(print_put_shape(p, &desc.layout.storage));
  }
  if (desc.has_range)
    WEFT_TRY(put_range(p, &desc));
  if (desc.placement == WEFT_ON_DEVICE)
    PUT(" device");
  return desc.kind == WEFT_KIND_TENSOR ? WEFT_OK : weft__write_text(p->write, p->ctx, ")");
}

static weft_status print_put_value(printer *p, const weft_value *v) {
  WEFT_TRY(print_put_name(p, v->name));
  return put_type(p, v);
}

// ---- tensors ----

static weft_status print_put_tensor(printer *p, const weft_tensor *t) {
  if (!(p->flags & WEFT_TEXT_NO_DATA))
    return weft_tensor_print(t, 0, p->write, p->ctx);
  if (t->kind != WEFT_KIND_TENSOR || weft_tensor_elems(t) <= NO_DATA_ELEMS)
    return weft_tensor_print(t, NO_DATA_ELEMS, p->write, p->ctx);
  PUT(weft_dtype_name(t->dtype));
  WEFT_TRY(print_put_shape(p, &t->layout.storage));
  return weft__write_text(p->write, p->ctx, "{...}");
}

static weft_status put_const(printer *p, const weft_value *v) {
  const weft_tensor *t = v->fact.value;
  WEFT_TRY(start_line(p));
  PUT("const ");
  WEFT_TRY(print_put_name(p, v->name));
  PUT(": ");
  WEFT_TRY(print_put_tensor(p, t));
  if (t->kind == WEFT_KIND_TENSOR) {
    WEFT_TRY(put_formats(p, t->origin_format, t->format));
    if (!weft_shape_equal(&t->layout.origin, &t->layout.storage)) {
      PUT(" origin ");
      WEFT_TRY(print_put_shape(p, &t->layout.origin));
    }
  }
  return weft__write_text(p->write, p->ctx, "\n");
}

// ---- nodes ----

static weft_status put_instance(printer *p, const weft_node *n, bool input, uint32_t i) {
  if (!input)
    return print_put_value(p, &n->out[i]);
  if (!n->in[i].value)
    return weft__write_text(p->write, p->ctx, "?");
  return print_put_name(p, n->in[i].value->name);
}

// Inputs or outputs by port; absent ports at the end are left out, the first `least` never.
static weft_status put_ports(printer *p, const weft_node *n, bool input, uint32_t least) {
  const weft_proto *proto = n->desc.proto;
  const weft_port *ports = input ? proto->in : proto->out;
  const weft_port_span *spans = input ? n->desc.pub.in_port : n->desc.pub.out_port;
  uint32_t last = input ? proto->n_in : proto->n_out;
  while (last > least && !spans[last - 1].count)
    last--;
  for (uint32_t i = 0; i < last; i++) {
    bool list = ports[i].kind == WEFT_DYNAMIC;
    if (i)
      PUT(", ");
    if (list)
      PUT("[");
    else if (!spans[i].count)
      PUT("_");
    for (uint32_t k = 0; k < spans[i].count; k++) {
      if (k)
        PUT(", ");
      WEFT_TRY(put_instance(p, n, input, spans[i].start + k));
    }
    if (list)
      PUT("]");
  }
  return WEFT_OK;
}

static weft_status print_put_attr(printer *p, const char *name, bool private_attr, const weft_attr *a,
                                  bool *first) {
  PUT(*first ? " {" : ", ");
  *first = false;
  WEFT_TRY(print_put_name(p, name));
  if (private_attr)
    WEFT_TRY(weft__writef(p->write, p->ctx, ": %s = ", weft_attr_type_name(a->type)));
  else
    PUT("=");
  if (a->type == WEFT_VT_TENSOR)
    return print_put_tensor(p, a->u.tensor);
  return weft_attr_print(a, p->write, p->ctx);
}

static weft_status print_put_graph(printer *p, const weft_graph *g);

static weft_status put_graphs(printer *p, const weft_node *n, bool *first) {
  const weft_proto *proto = n->desc.proto;
  for (uint32_t i = 0; i < n->n_graphs; i++) {
    const weft_graph *g = n->graphs[i];
    bool list = weft__slot_is_dynamic(proto, g->slot);
    bool opens = !i || n->graphs[i - 1]->slot != g->slot;
    bool closes = i + 1 == n->n_graphs || n->graphs[i + 1]->slot != g->slot;
    PUT(*first ? " {" : ", ");
    *first = false;
    if (opens)
      WEFT_TRY(print_put_name(p, weft__slot_name(proto, g->slot)));
    if (opens)
      PUT(list ? "=[" : "=");
    p->indent++;
    WEFT_TRY(print_put_graph(p, g));
    p->indent--;
    if (list && closes)
      PUT("]");
  }
  return WEFT_OK;
}

static weft_status print_put_node(printer *p, const weft_node *n) {
  const weft_op_desc *desc = &n->desc.pub;
  bool first = true;
  WEFT_TRY(start_line(p));
  PUT("node ");
  WEFT_TRY(print_put_name(p, desc->name));
  PUT(": ");
  WEFT_TRY(print_put_name(p, desc->type));
  PUT("(");
  WEFT_TRY(put_ports(p, n, true, 0));
  PUT(")");
  for (uint32_t i = 0; i < desc->n_attr; i++) {
    if (desc->attr[i] && !desc->attr[i]->is_default)
      WEFT_TRY(print_put_attr(p, n->desc.proto->attrs[i].name, false, desc->attr[i], &first));
  }
  for (uint32_t i = 0; i < n->desc.n_private; i++)
    WEFT_TRY(print_put_attr(p, n->desc.private_attrs[i].name, true, &n->desc.private_attrs[i].value, &first));
  WEFT_TRY(put_graphs(p, n, &first));
  if (!first)
    PUT("}");
  if (n->desc.proto->n_out) {
    PUT(" -> ");
    WEFT_TRY(put_ports(p, n, false, 1));
  }
  return weft__write_text(p->write, p->ctx, "\n");
}

// ---- symbols ----

// Which atoms the printed dims use. Atoms and expressions are visited once, in the order a parser meets them.
typedef struct marks {
  const weft_symbols *pool;
  uint8_t *atom, *expr;
  uint32_t last_function;
  bool any_function, mixed;  // mixed: a parser that knows the names only would number the atoms differently
} marks;

static void mark_expr(marks *m, uint32_t index);

static void mark_atom(marks *m, uint32_t id) {
  const weft__atom *a = m->pool->atoms.v[id];
  if (m->atom[id])
    return;
  m->atom[id] = 1;
  if (a->kind == WEFT__ATOM_NAME)
    return;
  for (size_t i = 0; i < a->n_args; i++)
    mark_expr(m, a->args[i]);  // at most WEFT__SYMBOL_DEPTH deep
  if (m->any_function && id < m->last_function)
    m->mixed = true;
  m->any_function = true;
  m->last_function = WEFT_MAX(m->last_function, id);
}

static void mark_expr(marks *m, uint32_t index) {
  const weft__expr *e = m->pool->exprs.v[index];
  if (m->expr[index])
    return;
  m->expr[index] = 1;
  for (uint32_t i = 0; i < e->n; i++) {
    for (uint32_t k = 0; k < e->term[i].degree; k++)
      mark_atom(m, e->term[i].atom[k]);
  }
}

static void mark_shape(marks *m, const weft_shape *s) {
  size_t index;
  if (s->rank > WEFT_MAX_RANK)
    return;
  for (size_t i = 0; i < s->rank; i++) {
    if (weft__symbol_index(m->pool, s->dim[i], &index))
      mark_expr(m, (uint32_t)index);
  }
}

static void mark_value(marks *m, const weft_value *v) {
  weft_tensor_desc desc;
  bool storage;
  if (!weft__value_shown(v, &desc, &storage))
    return;
  mark_shape(m, &desc.layout.origin);
  if (storage)
    mark_shape(m, &desc.layout.storage);
}

static void mark_graph(marks *m, const weft_graph *g) {
  for (size_t i = 0; i < g->inputs.n; i++)
    mark_value(m, g->inputs.v[i]);
  for (const weft_node *n = g->first; n; n = n->next) {
    for (uint32_t i = 0; i < n->n_graphs; i++)
      mark_graph(m, n->graphs[i]);
    for (uint32_t i = 0; i < n->desc.pub.n_out; i++)
      mark_value(m, &n->out[i]);
  }
}

static weft_status put_name_symbol(printer *p, const weft__atom *a) {
  WEFT_TRY(weft__write_name(p->write, p->ctx, a->name, a->name_bytes));
  if (a->lo <= 0 && a->hi == WEFT__PLUS_INF)
    return WEFT_OK;
  WEFT_TRY(weft__writef(p->write, p->ctx, " [%lld,", (long long)WEFT_MAX(a->lo, 0)));
  if (a->hi == WEFT__PLUS_INF)
    PUT("*");
  else
    WEFT_TRY(weft__writef(p->write, p->ctx, "%lld", (long long)a->hi));
  return weft__write_text(p->write, p->ctx, "]");
}

static weft_status put_function_symbol(printer *p, const weft__atom *a) {
  PUT(a->kind == WEFT__ATOM_FLOORDIV ? "(floordiv(" : a->kind == WEFT__ATOM_MAX ? "(max(" : "(min(");
  for (size_t i = 0; i < a->n_args; i++) {
    if (i)
      PUT(",");
    WEFT_TRY(put_symbolic(p, WEFT_DIM_SYMBOL_LIMIT - 1 - (weft_dim)a->args[i]));
  }
  if (a->kind == WEFT__ATOM_FLOORDIV)
    WEFT_TRY(weft__writef(p->write, p->ctx, ",%lld", (long long)a->by));
  return weft__write_text(p->write, p->ctx, "))");
}

// One line for each atom that the graph names; those of functions only where both kinds are mixed.
static weft_status put_marked_symbols(printer *p, const weft_symbols *pool, const marks *m, size_t n_atoms) {
  for (size_t i = 0; i < n_atoms; i++) {
    const weft__atom *a = pool->atoms.v[i];
    if (!m->atom[i] || (a->kind != WEFT__ATOM_NAME && !m->mixed))
      continue;
    WEFT_TRY(start_line(p));
    WEFT_TRY(weft__write_text(p->write, p->ctx, "symbol "));
    WEFT_TRY(a->kind == WEFT__ATOM_NAME ? put_name_symbol(p, a) : put_function_symbol(p, a));
    WEFT_TRY(weft__write_text(p->write, p->ctx, "\n"));
  }
  return WEFT_OK;
}

static weft_status put_symbols(printer *p, const weft_graph *g) {
  const weft_symbols *pool = p->root->symbols;
  size_t n_atoms = pool->atoms.n;
  size_t bytes = n_atoms + pool->exprs.n;
  bool function = false;
  if (!bytes)
    return WEFT_OK;
  marks m = {.pool = pool, .atom = weft__alloc(&p->root->alloc, bytes, 1)};
  if (!m.atom)
    return WEFT_E_NOMEM;
  memset(m.atom, 0, bytes);
  m.expr = m.atom + n_atoms;
  mark_graph(&m, g);
  for (size_t i = 0; i < n_atoms; i++) {
    if (!m.atom[i])
      continue;
    if (pool->atoms.v[i]->kind != WEFT__ATOM_NAME)
      function = true;
    else
      m.mixed |= function;
  }
  weft_status s = put_marked_symbols(p, pool, &m, n_atoms);
  weft__free(&p->root->alloc, m.atom, bytes, 1);
  return s;
}

// ---- graphs ----

static weft_status put_controls(printer *p, const weft_graph *g) {
  for (const weft_node *n = g->first; n; n = n->next) {
    for (uint32_t i = 0; n->controls && i < n->controls->before.n; i++) {
      WEFT_TRY(start_line(p));
      PUT("control ");
      WEFT_TRY(print_put_name(p, weft__node_name(n->controls->before.v[i])));
      PUT(" -> ");
      WEFT_TRY(print_put_name(p, weft__node_name(n)));
      PUT("\n");
    }
  }
  return WEFT_OK;
}

static weft_status put_meta(printer *p, const weft_graph *g) {
  for (size_t i = 0; i < weft_graph_n_meta(g); i++) {
    weft_meta m = weft_graph_meta_at(g, i);
    WEFT_TRY(start_line(p));
    PUT("meta ");
    WEFT_TRY(weft__write_quoted_name(p->write, p->ctx, m.key, strlen(m.key)));
    PUT(" ");
    WEFT_TRY(weft__write_quoted_name(p->write, p->ctx, m.value, strlen(m.value)));
    PUT("\n");
  }
  return WEFT_OK;
}

// From "graph" to the closing brace; the line before it is begun already.
static weft_status print_put_graph(printer *p, const weft_graph *g) {
  PUT("graph ");
  WEFT_TRY(weft__write_quoted_name(p->write, p->ctx, g->name, strlen(g->name)));
  PUT(" {\n");
  p->indent++;
  WEFT_TRY(put_meta(p, g));
  if (p->indent == 1)
    WEFT_TRY(put_symbols(p, g));
  for (size_t i = 0; i < g->inputs.n; i++) {
    WEFT_TRY(start_line(p));
    PUT("input ");
    WEFT_TRY(print_put_value(p, g->inputs.v[i]));
    PUT("\n");
  }
  for (size_t i = 0; i < g->consts.n; i++)
    WEFT_TRY(put_const(p, g->consts.v[i]));
  for (const weft_node *n = g->first; n; n = n->next)
    WEFT_TRY(print_put_node(p, n));
  WEFT_TRY(put_controls(p, g));
  for (size_t i = 0; i < g->outputs.n; i++) {
    WEFT_TRY(start_line(p));
    PUT("output ");
    WEFT_TRY(print_put_name(p, g->outputs.v[i]->name));
    PUT("\n");
  }
  p->indent--;
  WEFT_TRY(start_line(p));
  return weft__write_text(p->write, p->ctx, "}");
}

weft_status weft_graph_print(const weft_graph *g, unsigned flags, weft_write_fn write, void *ctx) {
  WEFT_NEED(NULL, g);
  WEFT_NEED(NULL, write);
  printer p = {.write = write, .ctx = ctx, .flags = flags, .root = g->root};
  if (!(flags & WEFT_TEXT_NO_DATA))
    WEFT_TRY(weft__remake_wake_all(g, NULL));
  WEFT_TRY(print_put_graph(&p, g));
  return weft__write_text(write, ctx, "\n");
}
// SPDX-License-Identifier: Apache-2.0
