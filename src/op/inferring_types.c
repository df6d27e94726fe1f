// inferring_types.c - dtype, kind and format of outputs, where the operator's functions left them open: the
// rules in their order, and whether prototype and columns allow the result.
#include "op/inferring.h"

static void column_text(const weft__inferring *r, char *buf, size_t cap) {
  size_t at = 0;
  for (uint32_t c = 0; c < r->p->op->n_columns; c++) {
    weft__append(buf, cap, &at, "%s(", c ? ", " : "");
    for (uint32_t k = 0, n = 0; k < r->p->n_in + r->p->n_out; k++) {
      const weft_port *port = k < r->p->n_in ? &r->p->in[k] : &r->p->out[k - r->p->n_in];
      if (port->columns)
        weft__append(buf, cap, &at, "%s%s", n++ ? "," : "", weft_dtype_name(port->columns[c].dtype));
    }
    weft__append(buf, cap, &at, ")");
  }
}

weft_status weft__inferring_column_error(const weft__inferring *r, const char *what, const char *name,
                                         const char *how, weft_dtype got) {
  char text[512];
  column_text(r, text, sizeof text);
  return weft_fail(r->d, WEFT_E_DTYPE, "%s '%s': %s %s, allowed combinations are %s", what, name, how,
                   weft_dtype_serial(got), text);
}

static weft_dtype symbol_dtype(weft__inferring *r, uint32_t s, int depth);

// Of a symbol that is promoted from others ("T1,T2"): the dtype that holds them all.
static weft_dtype promoted_dtype(weft__inferring *r, uint32_t s, int depth) {
  weft_dtype t = WEFT_UNDEFINED;
  for (const char *at = r->p->types[s].promote; *at;) {
    size_t n = strcspn(at, ",");
    for (uint32_t k = 0; k < r->p->n_types; k++) {
      const char *name = r->p->types[k].name;
      if (k == s || strlen(name) != n || memcmp(name, at, n))
        continue;
      weft_dtype other = symbol_dtype(r, k, depth + 1);
      t = t == WEFT_UNDEFINED ? other : weft_dtype_promote(t, other);
    }
    at += n + (at[n] == ',');
  }
  return t;
}

static weft_dtype dtype_of_attr(const weft__inferring *r, const char *name) {
  int slot = weft_proto_find_attr(r->p, name);
  const weft_attr *a = slot >= 0 ? r->desc->attr[slot] : NULL;
  bool names_one = a && (a->type == WEFT_VT_TYPE || a->type == WEFT_VT_INT) && weft_dtype_known(a->u.i);
  return names_one ? (weft_dtype)a->u.i : WEFT_UNDEFINED;
}

// The only dtype of a set; WEFT_UNDEFINED: it has none or several.
static weft_dtype only_dtype(weft_dtype_set s) {
  for (unsigned t = 0; t < 64; t++) {
    if (s == WEFT_BIT(t))
      return (weft_dtype)t;
  }
  return WEFT_UNDEFINED;
}

// Of a symbol that no input has settled. Whatever prototypes promote from each other, the depth ends it.
static weft_dtype symbol_dtype(weft__inferring *r, uint32_t s, int depth) {
  enum { DEEPEST = 8 };
  const weft_symbol *symbol = &r->p->types[s];
  if (r->symbol[s] != WEFT_UNDEFINED || depth > DEEPEST)
    return r->symbol[s];
  weft_dtype t;
  if (symbol->promote)
    t = promoted_dtype(r, s, depth);
  else if (symbol->from_attr)
    t = dtype_of_attr(r, symbol->from_attr);
  else
    t = only_dtype(symbol->set);
  return r->symbol[s] = t;
}

// The first that decides: the dtype symbol, the first column that still matches, the input that the output
// follows, the only dtype of the port.
static weft_dtype dtype_by_rule(weft__inferring *r, const weft_port *decl, uint32_t port, uint32_t rel) {
  int s = r->p->out_symbol[port];
  if (s >= 0 && r->p->types[s].each) {  // instance by instance with the dynamic input of the same symbol
    for (uint32_t k = 0; k < r->p->n_in; k++) {
      if (r->p->in_symbol[k] == s && rel < r->desc->in_port[k].count)
        return r->f->in_dtype[r->desc->in_port[k].start + rel];
    }
  } else if (s >= 0) {
    return symbol_dtype(r, (uint32_t)s, 0);
  }
  if (decl->columns) {
    for (uint32_t c = 0; c < WEFT_MIN(r->p->op->n_columns, 64); c++) {
      if (r->columns >> c & 1)
        return decl->columns[c].dtype;
    }
  }
  if (r->p->follow_dtype[port] >= 0) {
    int64_t i = weft_port_in(r->desc, (uint32_t)r->p->follow_dtype[port], 0);
    if (i >= 0)
      return r->f->in_dtype[i];
  }
  return only_dtype(decl->dtypes);
}

// Does the prototype allow the dtype of an output?
static weft_status check_dtype(const weft__inferring *r, const weft_port *decl, uint32_t port, weft_dtype t) {
  if (!weft_dtype_known(t))
    return weft_fail(r->d, WEFT_E_DTYPE, "output '%s': inferred dtype %u, which does not exist", decl->name,
                     t);
  int s = r->p->out_symbol[port];
  weft_dtype_set allowed = s >= 0 ? r->p->types[s].set : decl->dtypes;
  if (!allowed || (allowed & WEFT_BIT(t)))
    return WEFT_OK;
  char set[256];
  return weft_fail(r->d, WEFT_E_DTYPE, "output '%s': inferred %s, the prototype allows %s", decl->name,
                   weft_dtype_serial(t), weft_dtype_set_text(allowed, set, sizeof set));
}

// Of the columns that match so far only those stay that have this dtype for the port; one must.
static weft_status narrow_columns(weft__inferring *r, const weft_port *decl, weft_dtype t) {
  uint64_t left = 0;
  if (!decl->columns)
    return WEFT_OK;
  for (uint32_t c = 0; c < WEFT_MIN(r->p->op->n_columns, 64); c++) {
    if ((r->columns >> c & 1) && decl->columns[c].dtype == t)
      left |= UINT64_C(1) << c;
  }
  if (!left)
    return weft__inferring_column_error(r, "output", decl->name, "inferred", t);
  r->columns = left;
  return WEFT_OK;
}

weft_status weft__inferring_dtype(weft__inferring *r, uint32_t i) {
  uint32_t port;
  uint32_t rel;
  const weft_port *decl = weft__inferring_port(r, i, &port, &rel);
  weft_dtype *t = &r->f->out_dtype[i];
  if (*t == WEFT_UNDEFINED)
    *t = dtype_by_rule(r, decl, port, rel);
  if (*t == WEFT_UNDEFINED && (r->p->op->traits & WEFT__STANDS_IN))
    return WEFT_OK;
  if (*t == WEFT_UNDEFINED) {
    return weft_fail(r->d, WEFT_E_UNSET,
                     "output %u dtype not inferred: no function, dtype symbol, column or Follow decides "
                     "the dtype of '%s'",
                     i, decl->name);
  }
  WEFT_TRY(check_dtype(r, decl, port, *t));
  return narrow_columns(r, decl, *t);
}

// The kind of an output: what the function said, or the only one that its port gives.
weft_status weft__inferring_kind(weft__inferring *r, uint32_t i) {
  uint32_t port;
  uint32_t rel;
  const weft_port *decl = weft__inferring_port(r, i, &port, &rel);
  uint8_t *kind = &r->f->out_kind[i];
  uint8_t kinds = decl->kinds ? decl->kinds : 1;
  if (kinds >> *kind & 1)
    return WEFT_OK;
  if (*kind != WEFT_KIND_TENSOR || (kinds & (kinds - 1))) {
    return weft_fail(r->d, WEFT_E_TYPE, "output '%s': inferred %s, which the prototype does not allow",
                     decl->name, weft__kind_name(*kind));
  }
  while (!(kinds >> *kind & 1))
    ++*kind;
  return WEFT_OK;
}

// The format of an output that the operator's functions left open. The first that decides: the input that it
// follows, the first column that still matches, attribute data_format where the rank fits, input 0 of an
// operator that keeps formats.
static weft_format format_by_rule(const weft__inferring *r, const weft_port *decl, uint32_t port,
                                  uint32_t i) {
  const weft_frame *f = r->f;
  size_t rank = f->out[i]->rank;
  int follows = r->p->follow_format[port];
  int64_t from = follows < 0 ? -1 : weft_port_in(r->desc, (uint32_t)follows, 0);
  int slot = r->p->data_format_slot;
  const char *data_format = slot < 0 ? NULL : weft_node_str(r->desc, (uint32_t)slot);
  bool keeps = (r->p->op->traits & (WEFT_ELEMENTWISE | WEFT_KEEP_FORMAT)) && r->desc->n_in;
  if (from >= 0)
    return f->in_format[from];
  if (decl->columns)
    return decl->columns[r->columns ? (uint32_t)__builtin_ctzll(r->columns) : 0].format;
  if (data_format && (rank == 4 || rank == 5))
    return weft_format_parse(data_format, strlen(data_format));
  return keeps && f->in[0]->rank == rank ? f->in_format[0] : WEFT_ND;
}

weft_status weft__inferring_format(weft__inferring *r, uint32_t i) {
  weft_frame *f = r->f;
  uint32_t port;
  uint32_t rel;
  const weft_port *decl = weft__inferring_port(r, i, &port, &rel);
  if (!weft_format_known(f->out_format[i]) || !weft_format_known(f->out_origin_format[i])) {
    return weft_fail(r->d, WEFT_E_FORMAT,
                     "output '%s': inferred formats %u and %u, one of which does not exist", decl->name,
                     f->out_format[i], f->out_origin_format[i]);
  }
  if (f->out_format[i] == WEFT_FORMAT_RESERVED) {
    weft_format by_rule = format_by_rule(r, decl, port, i);
    f->out_format[i] = by_rule == WEFT_FORMAT_RESERVED ? WEFT_ND : by_rule;
  }
  if (f->out_origin_format[i] == WEFT_FORMAT_RESERVED) {
    bool same = r->desc->n_in && weft__format_packed(f->out_format[i]);
    f->out_origin_format[i] = same ? f->in_store[0].origin_format : f->out_format[i];
  }
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
