// compare_desc.c - are two descriptions the same? Strict: bit for bit; semantic: as weft_desc_compatible has
// it. Symbols are compared by name and bounds.
#include "ir/compare.h"
#include "ir/text.h"
#include "tensor/symbols.h"
#include "tensor/tensor.h"

#define NODE(n) weft__node_name(n), weft__node_type(n)

weft_status weft__differ_text(const weft__compare *c, const char *place, const char *what, const char *a,
                              const char *b) {
  return weft_fail(c->d, WEFT_E_DIFFERENT, "%s: %s is %s in the first graph, %s in the second", place, what,
                   a, b);
}

weft_status weft__differ_count(const weft__compare *c, const char *place, const char *what, uint64_t a,
                               uint64_t b) {
  return weft_fail(c->d, WEFT_E_DIFFERENT, "%s: %llu %s in the first graph, %llu in the second", place,
                   (unsigned long long)a, what, (unsigned long long)b);
}

const char *weft__compare_node_place(const weft_node *n, char buf[512]) {
  size_t at = 0;
  weft__append(buf, 512, &at, "graph '%s', node '%s' (%s)", n->graph->name, NODE(n));
  return buf;
}

const char *weft__compare_value_place(const weft_value *v, char buf[512]) {
  size_t at = 0;
  static const char *const kind[] = {"input", "constant", "value"};
  weft__append(buf, 512, &at, "graph '%s', %s '%s'", v->graph->name, kind[v->origin], v->name);
  if (v->node)
    weft__append(buf, 512, &at, " (output %u of node '%s', %s)", v->index, NODE(v->node));
  return buf;
}

// Have the names in an expression of p the same bounds in q? As deep as WEFT__SYMBOL_DEPTH.
static bool same_bounds(const weft_symbols *p, const weft_symbols *q, size_t expr) {
  const weft__expr *e = p->exprs.v[expr];
  for (uint32_t i = 0; i < e->n; i++) {
    for (uint32_t k = 0; k < e->term[i].degree; k++) {
      const weft__atom *a = p->atoms.v[e->term[i].atom[k]];
      const weft__atom *b;
      if (a->kind == WEFT__ATOM_NAME) {
        b = weft__map_find(&q->name_map, a->name, a->name_bytes);
        if (!b || a->lo != b->lo || a->hi != b->hi)
          return false;
      }
      for (size_t j = 0; j < a->n_args; j++) {
        if (!same_bounds(p, q, a->args[j]))
          return false;
      }
    }
  }
  return true;
}

static bool same_symbol(const weft__compare *c, weft_dim a, weft_dim b) {
  const weft_symbols *p = c->a->root->symbols;
  const weft_symbols *q = c->b->root->symbols;
  char x[2048];
  char y[2048];
  size_t expr;
  weft_symbols *both;
  if (p == q || !weft__symbol_index(p, a, &expr))
    return a == b;
  if (!same_bounds(p, q, expr))
    return false;
  weft_dim_text(p, a, x, sizeof x);
  weft_dim_text(q, b, y, sizeof y);
  if (!strcmp(x, y))
    return true;
  if (weft_symbols_create(&c->alloc, &both))
    return false;  // terms may stand in another order
  weft_dim v;
  weft_dim w;
  bool same = !weft_dim_parse(both, x, strlen(x), &v, NULL) &&
              !weft_dim_parse(both, y, strlen(y), &w, NULL) && weft_dim_same(v, w);
  weft_symbols_destroy(both);
  return same;
}

static bool compare_same_shape(const weft__compare *c, const weft_shape *a, const weft_shape *b) {
  bool same = a->rank == b->rank;
  for (size_t i = 0; same && a->rank <= WEFT_MAX_RANK && i < a->rank; i++) {
    bool symbols = weft_dim_is_symbol(a->dim[i]) && weft_dim_is_symbol(b->dim[i]);
    same = symbols ? same_symbol(c, a->dim[i], b->dim[i]) : a->dim[i] == b->dim[i];
  }
  return same;
}

static weft_status differ_shape(const weft__compare *c, const char *place, const char *what,
                                const weft_shape *a, const weft_shape *b) {
  char x[512];
  char y[512];
  return weft__differ_text(c, place, what, weft_shape_text(a, c->a->root->symbols, x, sizeof x),
                           weft_shape_text(b, c->b->root->symbols, y, sizeof y));
}

static weft_status differ_format(const weft__compare *c, const char *place, const char *what, weft_format a,
                                 weft_format b) {
  char x[64];
  char y[64];
  return weft__differ_text(c, place, what, weft_format_text(a, x, sizeof x),
                           weft_format_text(b, y, sizeof y));
}

static weft_status strict_desc(const weft__compare *c, const char *place, const weft_tensor_desc *a,
                               const weft_tensor_desc *b) {
  if (a->dtype != b->dtype)
    return weft__differ_text(c, place, "the dtype", weft_dtype_name(a->dtype), weft_dtype_name(b->dtype));
  if (a->kind != b->kind)
    return weft__differ_count(c, place, "(kind)", a->kind, b->kind);
  if (a->placement != b->placement)
    return weft__differ_count(c, place, "(placement)", a->placement, b->placement);
  if (a->origin_format != b->origin_format)
    return differ_format(c, place, "the origin format", a->origin_format, b->origin_format);
  if (a->format != b->format)
    return differ_format(c, place, "the format", a->format, b->format);
  if (!compare_same_shape(c, &a->layout.origin, &b->layout.origin))
    return differ_shape(c, place, "the shape", &a->layout.origin, &b->layout.origin);
  if (!compare_same_shape(c, &a->layout.storage, &b->layout.storage))
    return differ_shape(c, place, "the storage shape", &a->layout.storage, &b->layout.storage);
  static const char *const range[] = {"absent", "given"};
  if (a->has_range != b->has_range)
    return weft__differ_text(c, place, "a range", range[a->has_range != 0], range[b->has_range != 0]);
  if (!a->has_range)
    return WEFT_OK;
  if (!compare_same_shape(c, &a->min, &b->min))
    return differ_shape(c, place, "the range's minimum", &a->min, &b->min);
  return compare_same_shape(c, &a->max, &b->max)
             ? WEFT_OK
             : differ_shape(c, place, "the range's maximum", &a->max, &b->max);
}

// An unset rank is one that is not known.
static void loosen_rank(weft_tensor_desc *desc) {
  if (desc->layout.origin.rank == WEFT_RANK_UNSET)
    weft_shape_set_unknown_rank(&desc->layout.origin);
}

static weft_status semantic_desc(const weft__compare *c, const char *place, weft_tensor_desc *a,
                                 weft_tensor_desc *b) {
  char x[1024];
  char y[1024];
  bool same;
  weft_desc_normalise(a);
  weft_desc_normalise(b);
  loosen_rank(a);
  loosen_rank(b);
  if (a->dtype == WEFT_UNDEFINED)
    a->dtype = b->dtype;
  if (b->dtype == WEFT_UNDEFINED)
    b->dtype = a->dtype;
  weft_status s = weft_desc_compatible(a, b, 0, &same);
  weft_desc_text(a, x, sizeof x);
  weft_desc_text(b, y, sizeof y);
  if (s)
    return weft_fail(c->d, s, "%s: a description is not valid: %s, %s", place, x, y);
  return same ? WEFT_OK : weft__differ_text(c, place, "the description", x, y);
}

weft_status weft__compare_values(const weft__compare *c, const weft_value *a, const weft_value *b) {
  char place[512];
  weft_tensor_desc x;
  weft_tensor_desc y;
  bool unused;
  weft__compare_value_place(a, place);
  if (c->strict && strcmp(a->name, b->name))
    return weft__differ_text(c, place, "the name", a->name, b->name);
  bool known = weft__value_shown(a, &x, &unused);
  known &= weft__value_shown(b, &y, &unused);
  if (!known && !c->strict)
    return WEFT_OK;  // nothing is known of one of them
  return c->strict ? strict_desc(c, place, &x, &y) : semantic_desc(c, place, &x, &y);
}
// SPDX-License-Identifier: Apache-2.0
