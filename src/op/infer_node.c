// infer_node.c - inference of one node, the only path to an inference function. In order: inputs are laid
// out, dtypes checked against symbols and columns; the operator's functions run on unset outputs; what they
// left open is filled by rule; every output is checked. Costs: one copy of the live dims per value, no
// allocation, no look-up by name.
#include "op/infer_node.h"
#include "tensor/tensor.h"

#define POISON INT64_C(0x5A5A5A5A5A5A5A5A)

typedef struct run {
  weft_frame *f;
  const weft_proto *p;
  const weft_op_desc *desc;
  const weft_fact *const *in;
  weft_diag *d;
  weft_infer it;
  weft_dtype symbol[64];
  uint64_t columns;  // that still match (the first 64)
} run;

const char *weft__in_name(const weft_op_desc *n, uint32_t i) {
  const char *port = (const char *)n->op->in;
  for (uint32_t k = 0; k < n->n_in_ports; k++, port += n->op->port_bytes) {
    if (i - n->in_port[k].start < n->in_port[k].count)
      return ((const weft_port *)port)->name;
  }
  return "?";
}

const char *weft__attr_name(const weft_op_desc *n, uint32_t slot) {
  return slot < n->n_attr
             ? ((const weft_attr_decl *)((const char *)n->op->attrs + (size_t)slot * n->op->attr_bytes))->name
             : "?";
}

// Formats whose storage shape is the origin's, in the order of the layout.
static bool infer_node_packed(weft_format f) {
  static const weft_format plain[] = {
      WEFT_NCHW,  WEFT_NHWC, WEFT_ND, WEFT_CHWN, WEFT_HWCN,  WEFT_NDHWC, WEFT_NCDHW,
      WEFT_DHWCN, WEFT_CN,   WEFT_NC, WEFT_NCL,  WEFT_DHWNC, WEFT_MD,    WEFT_FORMAT_RESERVED,
  };
  weft_format primary = weft_format_primary(f);
  for (size_t i = 0; i < WEFT_COUNT(plain); i++) {
    if (plain[i] == primary)
      return false;
  }
  return true;
}
bool weft__format_packed(weft_format f) {
  return infer_node_packed(f);
}

// A small integer tensor as elements; literals below -2^32 would look like symbols and are raised to it.
static weft_ints tensor_elems(const weft_tensor *t, int64_t *store) {
  weft_ints r = {NULL, 0};
  int64_t n = weft_tensor_elems(t);
  bool readable = t->dtype == WEFT_INT32 || t->dtype == WEFT_INT64 || t->dtype == WEFT_BOOL;
  if (!t->data || n < 0 || n > WEFT_FRAME_ELEMS || !readable)
    return r;
  for (int64_t i = 0; i < n; i++)
    store[i] = WEFT_MAX(weft_load_i64(t->dtype, t->data, (size_t)i), WEFT_DIM_SYMBOL_LIMIT);
  r.v = store;
  r.n = (size_t)n;
  return r;
}

// The shape an operator sees: without WEFT_SYMBOLIC, symbols are -1.
static void lay_shape(run *r, uint32_t i) {
  weft_shape *s = &r->f->in_store[i].layout.origin;
  weft__fact_shape(r->in[i], s);
  if (!(r->p->op->traits & WEFT_SYMBOLIC)) {
    for (size_t k = 0; k < s->rank; k++) {
      if (s->dim[k] < WEFT_DIM_SYMBOL_LIMIT)
        s->dim[k] = -1;
    }
  }
}

const char *weft__kind_name(uint8_t kind) {
  static const char *const names[WEFT__KINDS] = {"a tensor",          "a sequence",           "an optional",
                                                 "a resource",        "an optional sequence", "a map",
                                                 "a sequence of maps"};
  return kind < WEFT_COUNT(names) ? names[kind] : "a value of unknown kind";
}

static weft_status lay_input(run *r, uint32_t i, uint32_t port) {
  weft_frame *f = r->f;
  const weft_fact *fact = r->in[i];
  const weft_port *decl = &r->p->in[port];
  if (!fact)
    return weft_fail(r->d, WEFT_E_MISSING, "input '%s' is not connected", decl->name);
  const bool described = fact->set && fact->dtype != WEFT_UNDEFINED;
  if (!described && !(r->p->op->traits & WEFT__STANDS_IN))
    return weft_fail(r->d, WEFT_E_STATE, "input '%s' was not inferred", decl->name);
  weft_tensor *t = &f->in_store[i];
  t->dtype = fact->dtype;
  t->kind = fact->kind;
  t->item_dtype = fact->item_dtype;
  t->origin_format = fact->origin_format;
  t->format = fact->format;
  t->data = NULL;
  t->bytes = 0;
  t->items = NULL;
  t->n_items = 0;
  lay_shape(r, i);
  if (!infer_node_packed(fact->format))
    weft_shape_copy(&t->layout.storage, &t->layout.origin);
  else {
    WEFT_TRY(weft_format_storage_shape(&t->layout.origin, fact->origin_format, fact->format, 0,
                                       &t->layout.storage, r->d));
  }
  f->in_dtype[i] = fact->dtype;
  f->in_format[i] = fact->format;
  f->in_kind[i] = fact->kind;
  if (fact->kind != WEFT_KIND_TENSOR && !(decl->kinds >> fact->kind & 1)) {
    return weft_fail(r->d, WEFT_E_TYPE, "input '%s': got %s, the operator takes %s there", decl->name,
                     weft__kind_name(fact->kind), decl->kinds ? "other kinds of values" : "a tensor");
  }
  if (fact->kind == WEFT_KIND_TENSOR && decl->kinds && !(decl->kinds & 1)) {
    return weft_fail(r->d, WEFT_E_TYPE,
                     "input '%s': got a tensor, the operator takes another kind of value there", decl->name);
  }
  bool declared = port < 64 && (r->p->value_mask >> port & 1);
  const weft_tensor *known = fact->value;
  if (known && known->kind == WEFT_KIND_TENSOR && known->bytes && !known->data)
    known = NULL;  // asleep
  f->data_state[i] = !declared ? WEFT_DATA_NOT_DECLARED : known ? WEFT_DATA_KNOWN : WEFT_DATA_NOT_KNOWN;
  if (declared && known) {
    t->data = known->data;
    t->bytes = known->bytes;
    t->items = known->items;
    t->n_items = known->n_items;
  }
  f->in_dims[i] = (weft_ints){NULL, 0};
  if (declared || r->p->op->infer_value) {
    if (known)
      f->in_dims[i] = tensor_elems(known, &f->in_elems_store[(size_t)i * WEFT_FRAME_ELEMS]);
    else if (fact->elems)
      f->in_dims[i] = (weft_ints){fact->elems, fact->n_elems};
  }
  return WEFT_OK;
}

static weft_status dtype_error(run *r, const weft_port *port, weft_dtype got, weft_dtype_set allowed,
                               const char *why) {
  char set[256];
  return weft_fail(r->d, WEFT_E_DTYPE, "input '%s': got %s (%s), expected %s%s", port->name,
                   weft_dtype_serial(got), weft_dtype_name(got),
                   weft_dtype_set_text(allowed, set, sizeof set), why);
}

static weft_status check_input_dtype(run *r, uint32_t i, uint32_t port) {
  const weft_port *decl = &r->p->in[port];
  weft_dtype t = r->f->in_dtype[i];
  int s = r->p->in_symbol[port];
  if (t == WEFT_UNDEFINED)
    return WEFT_OK;  // of what stands for an unknown operator: lay_input lets no other see it
  if (s >= 0) {
    const weft_symbol *symbol = &r->p->types[s];
    if (symbol->set && !(symbol->set & WEFT_BIT(t)))
      return dtype_error(r, decl, t, symbol->set, "");
    if (symbol->each)
      return WEFT_OK;
    if (r->symbol[s] == WEFT_UNDEFINED)
      r->symbol[s] = t;
    else if (r->symbol[s] != t) {
      char why[128];
      snprintf(why, sizeof why, ": every input of dtype symbol '%s' has the same", symbol->name);
      return dtype_error(r, decl, t, WEFT_BIT(r->symbol[s]), why);
    }
  } else if (decl->dtypes && !(decl->dtypes & WEFT_BIT(t))) {
    return dtype_error(r, decl, t, decl->dtypes, "");
  }
  return WEFT_OK;
}

static void column_text(const run *r, char *buf, size_t cap) {
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

static weft_status column_error(const run *r, const char *what, const char *name, const char *how,
                                weft_dtype got) {
  char text[512];
  column_text(r, text, sizeof text);
  return weft_fail(r->d, WEFT_E_DTYPE, "%s '%s': %s %s, allowed combinations are %s", what, name, how,
                   weft_dtype_serial(got), text);
}

static weft_status match_column(run *r, uint32_t i, uint32_t port) {
  const weft_port *decl = &r->p->in[port];
  if (!decl->columns)
    return WEFT_OK;
  uint64_t dtype_ok = 0;
  uint64_t both = 0;
  for (uint32_t c = 0; c < WEFT_MIN(r->p->op->n_columns, 64); c++) {
    const weft_column *col = &decl->columns[c];
    if (!(r->columns >> c & 1) || col->dtype != r->f->in_dtype[i])
      continue;
    dtype_ok |= UINT64_C(1) << c;
    weft_format got = r->f->in_format[i];
    weft_format want = weft_format_primary(col->format);
    if (weft_format_primary(got) == want ||
        (!infer_node_packed(got) && (want == WEFT_ND || weft_format_primary(got) == WEFT_ND)))
      both |= UINT64_C(1) << c;
  }
  if (!dtype_ok)
    return column_error(r, "input", decl->name, "got", r->f->in_dtype[i]);
  char format[48];
  if (!both) {
    return weft_fail(r->d, WEFT_E_FORMAT, "input '%s': got format %s, which no combination for %s allows",
                     decl->name, weft_format_text(r->f->in_format[i], format, sizeof format),
                     weft_dtype_serial(r->f->in_dtype[i]));
  }
  r->columns = both;
  return WEFT_OK;
}

static weft_status check_input(run *r, uint32_t i, uint32_t port) {
  WEFT_TRY(lay_input(r, i, port));
  WEFT_TRY(check_input_dtype(r, i, port));
  if (r->p->in[port].columns)
    return match_column(r, i, port);
  if (infer_node_packed(r->f->in_format[i]) && !(r->p->op->traits & WEFT_ANY_FORMAT)) {
    char format[48];
    return weft_fail(r->d, WEFT_E_FORMAT,
                     "input '%s': got packed format %s, the operator takes plain formats: convert it "
                     "with TransData",
                     r->p->in[port].name, weft_format_text(r->f->in_format[i], format, sizeof format));
  }
  return WEFT_OK;
}

static weft_status check_inputs(run *r) {
  for (uint32_t i = 0; i < r->p->n_types; i++)
    r->symbol[i] = WEFT_UNDEFINED;
  r->columns = r->p->op->n_columns ? ~UINT64_C(0) : 0;
  if (r->p->simple) {
    for (uint32_t i = 0; i < r->desc->n_in; i++)
      WEFT_TRY(check_input(r, i, i));
    return WEFT_OK;
  }
  for (uint32_t port = 0; port < r->p->n_in; port++) {
    for (uint32_t k = 0; k < r->desc->in_port[port].count; k++)
      WEFT_TRY(check_input(r, r->desc->in_port[port].start + k, port));
  }
  return WEFT_OK;
}

static void unset_outputs(run *r) {
  weft_frame *f = r->f;
  for (uint32_t i = 0; i < r->desc->n_out; i++) {
    f->out_store[i].rank = WEFT_RANK_UNSET;
#ifdef WEFT_CHECKED
    for (int k = 0; k < WEFT_MAX_RANK; k++)
      f->out_store[i].dim[k] = POISON;
#endif
    f->out_dtype[i] = WEFT_UNDEFINED;
    f->out_kind[i] = WEFT_KIND_TENSOR;
    f->out_format[i] = f->out_origin_format[i] = WEFT_FORMAT_RESERVED;
    f->out_elems_n[i] = -1;
    memset(&f->facts[i], 0, sizeof f->facts[i]);
  }
}

static uint64_t hash_inputs(const run *r) {
#ifdef WEFT_CHECKED
  uint64_t h = 0;
  for (uint32_t i = 0; i < r->desc->n_in; i++) {
    const weft_shape *s = r->f->in[i];
    h = h * 31 + weft__hash(s->dim, WEFT_MIN(s->rank, (size_t)WEFT_MAX_RANK) * sizeof *s->dim) + s->rank;
  }
  return h;
#else
  (void)r;
  return 0;
#endif
}

// A function that failed and could not see a small integer value that is known: the prototype forgot to
// declare it (R123).
static void note_hidden_values(run *r) {
  if (r->p->source == WEFT_FROM_BUILTIN)
    return;
  for (uint32_t i = 0; i < r->desc->n_in; i++) {
    const weft_tensor *v = r->in[i]->value;
    if (!v || r->f->data_state[i] != WEFT_DATA_NOT_DECLARED ||
        (v->dtype != WEFT_INT32 && v->dtype != WEFT_INT64) || v->layout.origin.rank > 1)
      continue;
    weft_note(
        r->d,
        "input %u ('%s') has no data (ValueDepend not declared): the function cannot see its known value", i,
        weft__in_name(r->desc, i));
  }
}

static weft_status infer_node_call(run *r, weft_infer_fn fn, const char *what) {
  uint64_t before = hash_inputs(r);
  weft_status s = fn(&r->it);
  if (s && r->d && !r->d->status)
    weft_fail(r->d, s, "%s returned %d (%s) without a message", what, (int)s, weft_status_name(s));
  if (s)
    note_hidden_values(r);
  if (!s && hash_inputs(r) != before)
    s = weft_fail(r->d, WEFT_E_STATE, "%s changed an input shape, which is read-only", what);
  return s;
}

static const weft_port *out_port(const run *r, uint32_t i, uint32_t *out_port, uint32_t *out_rel) {
  uint32_t port = 0;
  if (r->p->simple) {
    port = i;
    *out_rel = 0;
  } else {
    while (i - r->desc->out_port[port].start >= r->desc->out_port[port].count)
      port++;
    *out_rel = i - r->desc->out_port[port].start;
  }
  *out_port = port;
  return &r->p->out[port];
}

static weft_dtype symbol_dtype(run *r, uint32_t s, int depth) {
  const weft_symbol *symbol = &r->p->types[s];
  if (r->symbol[s] != WEFT_UNDEFINED || depth > 8)
    return r->symbol[s];
  weft_dtype t = WEFT_UNDEFINED;
  if (symbol->promote) {
    for (const char *at = symbol->promote; *at;) {
      size_t n = strcspn(at, ",");
      for (uint32_t k = 0; k < r->p->n_types; k++) {
        if (k != s && strlen(r->p->types[k].name) == n && !memcmp(r->p->types[k].name, at, n)) {
          weft_dtype other = symbol_dtype(r, k, depth + 1);
          t = t == WEFT_UNDEFINED ? other : weft_dtype_promote(t, other);
        }
      }
      at += n + (at[n] == ',');
    }
  } else if (symbol->from_attr) {
    int slot = weft_proto_find_attr(r->p, symbol->from_attr);
    const weft_attr *a = slot >= 0 ? r->desc->attr[slot] : NULL;
    if (a && (a->type == WEFT_VT_TYPE || a->type == WEFT_VT_INT) && weft_dtype_known(a->u.i))
      t = (weft_dtype)a->u.i;
  } else if (symbol->set && !(symbol->set & (symbol->set - 1))) {
    while (!(symbol->set >> t & 1))
      t = (weft_dtype)((t + 1) & 63);
  }
  return r->symbol[s] = t;
}

static weft_dtype single(weft_dtype_set s) {
  for (unsigned t = 0; t < 64; t++) {
    if (s == WEFT_BIT(t))
      return (weft_dtype)t;
  }
  return WEFT_UNDEFINED;
}

static weft_dtype dtype_by_rule(run *r, const weft_port *decl, uint32_t port, uint32_t rel) {
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
  return single(decl->dtypes);
}

static weft_status finish_dtype(run *r, uint32_t i) {
  uint32_t port;
  uint32_t rel;
  const weft_port *decl = out_port(r, i, &port, &rel);
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
  if (!weft_dtype_known(*t)) {
    return weft_fail(r->d, WEFT_E_DTYPE, "output '%s': inferred dtype %u, which does not exist", decl->name,
                     *t);
  }
  weft_dtype_set allowed = decl->dtypes;
  int s = r->p->out_symbol[port];
  if (s >= 0)
    allowed = r->p->types[s].set;
  if (allowed && !(allowed & WEFT_BIT(*t))) {
    char set[256];
    return weft_fail(r->d, WEFT_E_DTYPE, "output '%s': inferred %s, the prototype allows %s", decl->name,
                     weft_dtype_serial(*t), weft_dtype_set_text(allowed, set, sizeof set));
  }
  if (!decl->columns)
    return WEFT_OK;
  uint64_t left = 0;
  for (uint32_t c = 0; c < WEFT_MIN(r->p->op->n_columns, 64); c++) {
    if ((r->columns >> c & 1) && decl->columns[c].dtype == *t)
      left |= UINT64_C(1) << c;
  }
  if (!left)
    return column_error(r, "output", decl->name, "inferred", *t);
  r->columns = left;
  return WEFT_OK;
}

// The kind of an output: what the function said, or the only one that its port gives.
static weft_status finish_kind(run *r, uint32_t i) {
  uint32_t port;
  uint32_t rel;
  const weft_port *decl = out_port(r, i, &port, &rel);
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

static weft_status infer_node_check_shape(run *r, uint32_t i, const weft_shape *s, const char *what) {
  uint32_t port;
  uint32_t rel;
  if (s->rank == WEFT_RANK_UNSET) {
    return weft_fail(r->d, WEFT_E_UNSET, "output %u shape not set%s: the function of '%s' did not set '%s'",
                     i, what, r->p->name, out_port(r, i, &port, &rel)->name);
  }
  if (s->rank > WEFT_MAX_RANK) {
    return weft_fail(r->d, WEFT_E_LIMIT, "output %u%s: rank %zu is over the limit of %d", i, what, s->rank,
                     WEFT_MAX_RANK);
  }
  if (weft_shape_is_unknown_rank(s))
    return WEFT_OK;
  for (size_t k = 0; k < s->rank; k++) {
    if (s->dim[k] == POISON) {
      return weft_fail(r->d, WEFT_E_UNSET, "output %u%s: dim %zu was never written (rank set, dim not)", i,
                       what, k);
    }
    if (s->dim[k] < -1 && !weft_dim_is_symbol(s->dim[k]))
      return weft_fail(r->d, WEFT_E_SHAPE, "output %u%s: dim %zu is %lld", i, what, k, (long long)s->dim[k]);
  }
  return WEFT_OK;
}

static weft_status infer_shapes(run *r) {
  const weft_op *op = r->p->op;
  if (op->infer)
    return infer_node_call(r, op->infer, "the inference function");
  for (uint32_t i = 0; i < r->desc->n_out; i++) {
    uint32_t port;
    uint32_t rel;
    const weft_port *decl = out_port(r, i, &port, &rel);
    int from = r->p->follow_shape[port];
    int64_t in = from < 0 ? -1 : weft_port_in(r->desc, (uint32_t)from, 0);
    if (from >= 0 && in < 0) {
      return weft_fail(r->d, WEFT_E_MISSING, "output '%s' follows the shape of '%s', which is absent",
                       decl->name, decl->follow);
    }
    if (in < 0) {
      const char *why = weft__proto_refusal(r->p);
      return weft_fail(r->d, WEFT_E_INCOMPLETE, "operator '%s' has no inference function%s%s", r->p->name,
                       why && *why ? ": " : "", why ? why : "");
    }
    weft_shape_copy(r->f->out[i], r->f->in[in]);
  }
  return WEFT_OK;
}

static weft_status finish_format(run *r, uint32_t i) {
  weft_frame *f = r->f;
  uint32_t port;
  uint32_t rel;
  const weft_port *decl = out_port(r, i, &port, &rel);
  if (!weft_format_known(f->out_format[i]) || !weft_format_known(f->out_origin_format[i])) {
    return weft_fail(r->d, WEFT_E_FORMAT,
                     "output '%s': inferred formats %u and %u, one of which does not exist", decl->name,
                     f->out_format[i], f->out_origin_format[i]);
  }
  if (f->out_format[i] == WEFT_FORMAT_RESERVED) {
    weft_format fmt = WEFT_ND;
    const weft_shape *s = f->out[i];
    int64_t from =
        r->p->follow_format[port] < 0 ? -1 : weft_port_in(r->desc, (uint32_t)r->p->follow_format[port], 0);
    const char *data_format =
        r->p->data_format_slot < 0 ? NULL : weft_node_str(r->desc, (uint32_t)r->p->data_format_slot);
    if (from >= 0)
      fmt = f->in_format[from];
    else if (decl->columns)
      fmt = decl->columns[r->columns ? (uint32_t)__builtin_ctzll(r->columns) : 0].format;
    else if (data_format && (s->rank == 4 || s->rank == 5))
      fmt = weft_format_parse(data_format, strlen(data_format));
    else if ((r->p->op->traits & (WEFT_ELEMENTWISE | WEFT_KEEP_FORMAT)) && r->desc->n_in &&
             f->in[0]->rank == s->rank)
      fmt = f->in_format[0];
    f->out_format[i] = fmt == WEFT_FORMAT_RESERVED ? WEFT_ND : fmt;
  }
  if (f->out_origin_format[i] == WEFT_FORMAT_RESERVED) {
    bool same = r->desc->n_in && infer_node_packed(f->out_format[i]);
    f->out_origin_format[i] = same ? f->in_store[0].origin_format : f->out_format[i];
  }
  return WEFT_OK;
}

// Input ranges: what is known of them, otherwise the dim itself, otherwise [0, no bound].
static bool lay_ranges(run *r) {
  bool informative = false;
  weft_frame *f = r->f;
  for (uint32_t i = 0; i < r->desc->n_in; i++) {
    const weft_fact *fact = r->in[i];
    weft_shape *min = &f->in_range_store[2 * i];
    weft_shape *max = min + 1;
    weft_shape_copy(min, f->in[i]);
    weft_shape_copy(max, f->in[i]);
    if (fact->unknown_rank)
      continue;
    for (uint32_t k = 0; k < fact->rank; k++) {
      int64_t lo = 0;
      int64_t hi = -1;
      if (fact->dims[k] >= 0)
        lo = hi = fact->dims[k];
      else if (fact->min) {
        lo = fact->min[k];
        hi = fact->max[k];
        informative = true;
      } else if (weft_dim_is_symbol(fact->dims[k])) {
        weft_dim_bounds(f->symbols, fact->dims[k], &lo, &hi);
        informative |= lo > 0 || hi >= 0;
      }
      min->dim[k] = lo;
      max->dim[k] = hi;
    }
  }
  return informative;
}

static weft_status infer_range_fn(run *r) {
  weft_frame *f = r->f;
  for (uint32_t i = 0; i < r->desc->n_out; i++)
    f->out_min[i]->rank = f->out_max[i]->rank = WEFT_RANK_UNSET;
  r->it.in_min = f->in_min;
  r->it.in_max = f->in_max;
  r->it.out_min = f->out_min;
  r->it.out_max = f->out_max;
  weft_status s = infer_node_call(r, r->p->op->infer_range, "the range function");
  r->it.in_min = r->it.in_max = NULL;
  r->it.out_min = r->it.out_max = NULL;
  WEFT_TRY(s);
  for (uint32_t i = 0; i < r->desc->n_out; i++) {
    const weft_shape *min = f->out_min[i];
    const weft_shape *max = f->out_max[i];
    WEFT_TRY(infer_node_check_shape(r, i, min, " (range minimum)"));
    WEFT_TRY(infer_node_check_shape(r, i, max, " (range maximum)"));
    if (min->rank != max->rank) {
      return weft_fail(r->d, WEFT_E_SHAPE, "output %u: range minimum has rank %zu, maximum %zu", i, min->rank,
                       max->rank);
    }
    for (size_t k = 0; k < min->rank; k++) {
      if (max->dim[k] >= 0 && min->dim[k] > max->dim[k]) {
        return weft_fail(r->d, WEFT_E_RANGE, "output %u: range of dim %zu is [%lld,%lld]", i, k,
                         (long long)min->dim[k], (long long)max->dim[k]);
      }
    }
  }
  return WEFT_OK;
}

// Runs the shape function on one corner of the input ranges; `keep` receives the output shapes.
static bool corner(run *r, bool upper, weft_shape *const *keep) {
  weft_frame *f = r->f;
  weft_diag quiet = {0};
  weft_diag *d = r->it.d;
  for (uint32_t i = 0; i < r->desc->n_in; i++)
    weft_shape_copy(&f->in_store[i].layout.origin, upper ? f->in_max[i] : f->in_min[i]);
  weft_shape saved[4];
  weft_dtype dtypes[4];
  weft_format formats[8];
  if (r->desc->n_out > 4)
    return false;
  for (uint32_t i = 0; i < r->desc->n_out; i++) {
    weft_shape_copy(&saved[i], f->out[i]);
    dtypes[i] = f->out_dtype[i];
    formats[i] = f->out_format[i];
    formats[4 + i] = f->out_origin_format[i];
    f->out[i]->rank = WEFT_RANK_UNSET;
  }
  r->it.d = &quiet;
  bool ok = r->p->op->infer ? !r->p->op->infer(&r->it) : !infer_shapes(r);
  r->it.d = d;
  for (uint32_t i = 0; i < r->desc->n_out; i++) {
    ok = ok && f->out[i]->rank == saved[i].rank;
    if (ok)
      weft_shape_copy(keep[i], f->out[i]);
    weft_shape_copy(f->out[i], &saved[i]);
    f->out_dtype[i] = dtypes[i];
    f->out_format[i] = formats[i];
    f->out_origin_format[i] = formats[4 + i];
  }
  for (uint32_t i = 0; i < r->desc->n_in; i++)
    lay_shape(r, i);
  return ok;
}

// Has an input that is read for its value (axes, say) an open shape? How many values there are is no size: an
// operator that is monotone in its data need not be so in them.
static bool lengths_vary(const run *r) {
  for (uint32_t port = 0; port < r->p->n_in && port < 64; port++) {
    for (uint32_t k = 0; (r->p->value_mask >> port & 1) && k < r->desc->in_port[port].count; k++) {
      uint32_t i = r->desc->in_port[port].start + k;
      if (!weft_shape_equal(r->f->in_min[i], r->f->in_max[i]))
        return true;
    }
  }
  return false;
}

static weft_status infer_ranges(run *r, bool *out_have) {
  *out_have = false;
  bool open = false;
  for (uint32_t i = 0; i < r->desc->n_out; i++)
    open |= !weft_shape_is_known(r->f->out[i]);
  if (!open)
    return WEFT_OK;
  bool informative = lay_ranges(r);
  if (r->p->op->infer_range) {
    *out_have = true;
    return infer_range_fn(r);
  }
  bool follows = !r->p->op->infer;
  if (!informative || !((r->p->op->traits & WEFT_MONOTONE) || follows) || lengths_vary(r))
    return WEFT_OK;
  *out_have = corner(r, false, r->f->out_min) && corner(r, true, r->f->out_max);
  return WEFT_OK;
}

static void fact_range(run *r, uint32_t i) {
  weft_frame *f = r->f;
  weft_fact *fact = &f->facts[i];
  weft_shape *s = f->out[i];
  weft_shape *min = f->out_min[i];
  weft_shape *max = f->out_max[i];
  if (min->rank != s->rank || fact->unknown_rank)
    return;
  bool open = false;
  for (size_t k = 0; k < s->rank; k++) {
    if (s->dim[k] >= 0)
      min->dim[k] = max->dim[k] = s->dim[k];
    if (min->dim[k] < 0)
      min->dim[k] = 0;
    if (max->dim[k] < 0)
      max->dim[k] = -1;
    if (s->dim[k] == -1 && min->dim[k] == max->dim[k])
      s->dim[k] = min->dim[k];  // {-1} with [3,3] is {3} (R136)
    open |= s->dim[k] < 0 && (min->dim[k] > 0 || max->dim[k] >= 0);
  }
  if (open) {
    fact->min = min->dim;
    fact->max = max->dim;
  }
}

static weft_status infer_values(run *r) {
  weft_frame *f = r->f;
  WEFT_TRY(infer_node_call(r, r->p->op->infer_value, "the value function"));
  for (uint32_t i = 0; i < r->desc->n_out; i++) {
    int64_t n = f->out_elems_n[i];
    if (n < 0)
      continue;
    if (n > WEFT_FRAME_ELEMS)
      return weft_fail(r->d, WEFT_E_LIMIT, "output %u: %lld value elements", i, (long long)n);
    f->facts[i].elems = f->out_elems[i];
    f->facts[i].n_elems = (uint32_t)n;
  }
  return WEFT_OK;
}

static weft_status infer_node_infer(run *r) {
  weft_frame *f = r->f;
  const weft_op *op = r->p->op;
  WEFT_TRY(check_inputs(r));
  unset_outputs(r);
  if (op->infer_dtype)
    WEFT_TRY(infer_node_call(r, op->infer_dtype, "the dtype function"));
  if (!op->infer) {
    for (uint32_t i = 0; i < r->desc->n_out; i++)
      WEFT_TRY(finish_dtype(r, i));
  }
  WEFT_TRY(infer_shapes(r));
  for (uint32_t i = 0; i < r->desc->n_out; i++) {
    WEFT_TRY(infer_node_check_shape(r, i, f->out[i], ""));
    if (op->infer)
      WEFT_TRY(finish_dtype(r, i));
    WEFT_TRY(finish_kind(r, i));
    WEFT_TRY(finish_format(r, i));
  }
  bool ranges;
  WEFT_TRY(infer_ranges(r, &ranges));
  for (uint32_t i = 0; i < r->desc->n_out; i++) {
    weft_fact *fact = &f->facts[i];
    fact->unknown_rank = weft_shape_is_unknown_rank(f->out[i]);
    if (ranges)
      fact_range(r, i);
    fact->dtype = f->out_dtype[i];
    fact->kind = f->out_kind[i];
    fact->set = true;
    fact->item_dtype = fact->kind == WEFT_KIND_TENSOR ? (uint8_t)WEFT_UNDEFINED : fact->dtype;
    fact->rank = fact->unknown_rank ? 0 : (uint8_t)f->out[i]->rank;
    fact->dims = f->out[i]->dim;
    fact->format = f->out_format[i];
    fact->origin_format = f->out_origin_format[i];
  }
  return op->infer_value ? infer_values(r) : WEFT_OK;
}

weft_status weft__infer_node(weft_frame *f, const weft_proto *p, const weft_op_desc *desc,
                             const weft_fact *const *in, uint32_t stage, weft_diag *d) {
  weft_diag own;
  if (!d) {
    own.status = 0;
    own.length = 0;
    d = &own;
  }
  run r;
  r.f = f;
  r.p = p;
  r.desc = desc;
  r.in = in;
  r.d = d;
  weft_status s = WEFT_OK;
  if ((desc->n_in > f->cap_in || desc->n_out > f->cap_out || !f->cap_out) &&
      !weft__frame_room(f, desc->n_in, desc->n_out))
    s = weft_fail(d, WEFT_E_NOMEM, "out of memory");
  if (!s) {
    r.it = (weft_infer){.size = sizeof r.it,
                        .n_in = desc->n_in,
                        .n_out = desc->n_out,
                        .stage = stage,
                        .desc = desc,
                        .host = &f->env->host,
                        .d = d,
                        .symbols = p->op->traits & WEFT_SYMBOLIC ? f->symbols : NULL,
                        .in = f->in,
                        .out = f->out,
                        .in_dtype = f->in_dtype,
                        .out_dtype = f->out_dtype,
                        .in_format = f->in_format,
                        .out_format = f->out_format,
                        .out_origin_format = f->out_origin_format,
                        .value = f->value,
                        .data_state = f->data_state,
                        .in_dims = f->in_dims,
                        .out_dims = f->out_elems,
                        .out_dims_n = f->out_elems_n,
                        .out_dims_cap = WEFT_FRAME_ELEMS,
                        .in_kind = f->in_kind,
                        .out_kind = f->out_kind,
                        .impl = f};
    s = infer_node_infer(&r);
  }
  if (s)
    weft_note(d, "while inferring node '%s' (%s)", desc->name, desc->type);
  return s;
}
// SPDX-License-Identifier: Apache-2.0
