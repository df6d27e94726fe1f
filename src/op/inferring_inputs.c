// inferring_inputs.c - what an inference function is given: inputs laid out in the frame as the prototype
// lets the operator see them, and checked against kinds, dtype symbols, dtypes, formats and columns.
#include "op/inferring.h"
#include "tensor/tensor.h"

// Formats whose storage shape is the origin's, in the order of the layout.
bool weft__format_packed(weft_format f) {
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

const char *weft__kind_name(uint8_t kind) {
  static const char *const names[WEFT__KINDS] = {"a tensor",          "a sequence",           "an optional",
                                                 "a resource",        "an optional sequence", "a map",
                                                 "a sequence of maps"};
  return kind < WEFT_COUNT(names) ? names[kind] : "a value of unknown kind";
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
void weft__inferring_lay(weft__inferring *r, uint32_t i) {
  weft_shape *s = &r->f->in_store[i].layout.origin;
  weft__fact_shape(r->in[i], s);
  if (!(r->p->op->traits & WEFT_SYMBOLIC)) {
    for (size_t k = 0; k < s->rank; k++) {
      if (s->dim[k] < WEFT_DIM_SYMBOL_LIMIT)
        s->dim[k] = -1;
    }
  }
}

static weft_status lay_input(weft__inferring *r, uint32_t i, uint32_t port) {
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
  weft__inferring_lay(r, i);
  for (size_t k = 0; k < t->layout.origin.rank; k++) {
    if (t->layout.origin.dim[k] > WEFT_DIM_MOST) {
      return weft_fail(r->d, WEFT_E_LIMIT, "input '%s': dim %zu is %lld, over the limit of 2^52", decl->name,
                       k, (long long)t->layout.origin.dim[k]);
    }
  }
  if (!weft__format_packed(fact->format))
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

static weft_status dtype_error(weft__inferring *r, const weft_port *port, weft_dtype got,
                               weft_dtype_set allowed, const char *why) {
  char set[256];
  return weft_fail(r->d, WEFT_E_DTYPE, "input '%s': got %s (%s), expected %s%s", port->name,
                   weft_dtype_serial(got), weft_dtype_name(got),
                   weft_dtype_set_text(allowed, set, sizeof set), why);
}

static weft_status check_input_dtype(weft__inferring *r, uint32_t i, uint32_t port) {
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

static weft_status match_column(weft__inferring *r, uint32_t i, uint32_t port) {
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
        (!weft__format_packed(got) && (want == WEFT_ND || weft_format_primary(got) == WEFT_ND)))
      both |= UINT64_C(1) << c;
  }
  if (!dtype_ok)
    return weft__inferring_column_error(r, "input", decl->name, "got", r->f->in_dtype[i]);
  char format[48];
  if (!both) {
    return weft_fail(r->d, WEFT_E_FORMAT, "input '%s': got format %s, which no combination for %s allows",
                     decl->name, weft_format_text(r->f->in_format[i], format, sizeof format),
                     weft_dtype_serial(r->f->in_dtype[i]));
  }
  r->columns = both;
  return WEFT_OK;
}

static weft_status check_input(weft__inferring *r, uint32_t i, uint32_t port) {
  WEFT_TRY(lay_input(r, i, port));
  WEFT_TRY(check_input_dtype(r, i, port));
  if (r->p->in[port].columns)
    return match_column(r, i, port);
  if (weft__format_packed(r->f->in_format[i]) && !(r->p->op->traits & WEFT_ANY_FORMAT)) {
    char format[48];
    return weft_fail(r->d, WEFT_E_FORMAT,
                     "input '%s': got packed format %s, the operator takes plain formats: convert it "
                     "with TransData",
                     r->p->in[port].name, weft_format_text(r->f->in_format[i], format, sizeof format));
  }
  return WEFT_OK;
}

weft_status weft__inferring_inputs(weft__inferring *r) {
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
// SPDX-License-Identifier: Apache-2.0
