// proto.c - turns a descriptor into a registered prototype: copies lists to this version's strides, checks
// that names are unique and references resolve, reads attribute defaults, and lists what is missing for graph
// mode. Everything is done once here, so that building and inferring nodes looks nothing up.
#include "op/proto.h"
#include "base/allocated.h"

#include <stdlib.h>

#include "op/attr_rule.h"

typedef struct make {
  weft_env *env;
  weft_arena *a;
  const weft_op *op;
  weft_proto *p;
  weft_diag *d;
} make;

static size_t list_length(const void *list, size_t stride) {
  size_t n = 0;
  for (const char *p = list; p && *(const char *const *)p; p += stride)
    n++;
  return n;
}

// Copies a list whose items may be shorter or longer than ours; missing fields are zero.
static void *copy_list(make *m, const void *list, size_t n, size_t stride, size_t ours) {
  char *to = weft__arena_array(m->a, n + 1, ours, 16);
  if (!to)
    return NULL;
  size_t bytes = WEFT_MIN(stride, ours);
  for (size_t i = 0; i < n; i++)
    memcpy(to + i * ours, (const char *)list + i * stride, bytes);
  return to;
}

static weft_status proto_unique(make *m, const char *what, const void *list, size_t n, size_t stride) {
  for (size_t i = 1; i < n; i++) {
    for (size_t k = 0; k < i; k++) {
      const char *a = *(const char *const *)((const char *)list + i * stride);
      const char *b = *(const char *const *)((const char *)list + k * stride);
      if (!strcmp(a, b)) {
        return weft_fail(m->d, WEFT_E_DUPLICATE, "%s %zu: the name '%s' is that of %s %zu already", what, i,
                         a, what, k);
      }
    }
  }
  return WEFT_OK;
}

static int find_symbol(const weft_proto *p, const char *name, size_t bytes) {
  for (uint32_t i = 0; i < p->n_types; i++) {
    if (strlen(p->types[i].name) == bytes && !memcmp(p->types[i].name, name, bytes))
      return (int)i;
  }
  return -1;
}

static int find_port(const weft_port *list, uint32_t n, const char *name) {
  for (uint32_t i = 0; i < n; i++) {
    if (!strcmp(list[i].name, name))
      return (int)i;
  }
  return -1;
}

static weft_status check_symbols(make *m) {
  weft_proto *p = m->p;
  WEFT_TRY(proto_unique(m, "dtype symbol", p->types, p->n_types, sizeof(weft_symbol)));
  for (uint32_t i = 0; i < p->n_types; i++) {
    const weft_symbol *s = &p->types[i];
    for (const char *at = s->promote; at && *at;) {
      size_t n = strcspn(at, ",");
      int k = find_symbol(p, at, n);
      if (k < 0 || k == (int)i) {
        return weft_fail(m->d, WEFT_E_NOT_FOUND,
                         "dtype symbol '%s' promotes '%.*s', which is no other symbol", s->name, (int)n, at);
      }
      at += n + (at[n] == ',');
    }
  }
  return WEFT_OK;
}

static weft_status check_ports(make *m, const weft_port *ports, uint32_t n, const char *what,
                               int16_t **out_symbol) {
  weft_proto *p = m->p;
  WEFT_TRY(proto_unique(m, what, ports, n, sizeof(weft_port)));
  int16_t *symbol = WEFT_NEW_N(m->a, int16_t, n + 1);
  WEFT_TRY(weft__allocated(symbol, m->d));
  for (uint32_t i = 0; i < n; i++) {
    const weft_port *port = &ports[i];
    symbol[i] = -1;
    if (port->kind > WEFT_DYNAMIC)
      return weft_fail(m->d, WEFT_E_INVALID, "%s '%s': %d is not a port kind", what, port->name, port->kind);
    if (port->type) {
      symbol[i] = (int16_t)find_symbol(p, port->type, strlen(port->type));
      if (symbol[i] < 0) {
        return weft_fail(m->d, WEFT_E_NOT_FOUND, "%s '%s': dtype symbol '%s' is not declared", what,
                         port->name, port->type);
      }
    }
    if (port->columns && !p->op->n_columns)
      return weft_fail(m->d, WEFT_E_INVALID, "%s '%s' has columns, but n_columns is 0", what, port->name);
    for (uint32_t k = 0; port->columns && k < p->op->n_columns; k++) {
      if (!weft_dtype_known(port->columns[k].dtype) || !weft_format_known(port->columns[k].format)) {
        return weft_fail(m->d, WEFT_E_DTYPE,
                         "%s '%s': column %u has dtype %d and format %u, which are not known", what,
                         port->name, k, port->columns[k].dtype, port->columns[k].format);
      }
    }
  }
  *out_symbol = symbol;
  return WEFT_OK;
}

// What is read by name or by number later must be there: buffers of ref outputs, attributes that hold a
// dtype.
static weft_status check_references(make *m) {
  const weft_proto *p = m->p;
  for (uint32_t i = 0; i < p->n_out; i++) {
    if (p->out[i].ref > p->n_in) {
      return weft_fail(m->d, WEFT_E_NOT_FOUND, "output '%s' is the buffer of input %u, the operator has %u",
                       p->out[i].name, p->out[i].ref - 1u, p->n_in);
    }
  }
  for (uint32_t i = 0; i < p->n_types; i++) {
    const char *from = p->types[i].from_attr;
    int slot = from ? weft_proto_find_attr(p, from) : -1;
    if (from && slot < 0) {
      return weft_fail(m->d, WEFT_E_NOT_FOUND,
                       "dtype symbol '%s' is read from attribute '%s', which is not declared",
                       p->types[i].name, from);
    }
    if (from && p->attr_types[slot] != WEFT_VT_TYPE && p->attr_types[slot] != WEFT_VT_INT) {
      return weft_fail(m->d, WEFT_E_TYPE,
                       "dtype symbol '%s' is read from attribute '%s': expected Type or Int, got %s",
                       p->types[i].name, from, weft_attr_type_name(p->attr_types[slot]));
    }
  }
  return WEFT_OK;
}

// Follows the chain of output `i` for one kind of thing to an input (R77-R79); -1 when it does not follow.
static weft_status follow(make *m, uint32_t i, unsigned what, int16_t *out) {
  weft_proto *p = m->p;
  *out = -1;
  if (!p->out[i].follow || !(p->out[i].follow_what & what))
    return WEFT_OK;
  uint32_t at = i;
  for (uint32_t steps = 0; steps <= p->n_out; steps++) {
    const weft_port *port = &p->out[at];
    int in = find_port(p->in, p->n_in, port->follow);
    int next = find_port(p->out, p->n_out, port->follow);
    if (in >= 0) {
      if (p->in[in].kind == WEFT_DYNAMIC) {
        return weft_fail(m->d, WEFT_E_INVALID, "output '%s' follows '%s', which is a dynamic input",
                         p->out[i].name, port->follow);
      }
      *out = (int16_t)in;
      return WEFT_OK;
    }
    if (next < 0) {
      return weft_fail(m->d, WEFT_E_NOT_FOUND, "output '%s' follows '%s', which is not a port",
                       p->out[i].name, port->follow);
    }
    if (!p->out[next].follow)
      break;
    if (p->out[next].follow_what != p->out[i].follow_what) {
      return weft_fail(m->d, WEFT_E_INVALID,
                       "output '%s' follows '%s', which follows another thing: every link of a "
                       "chain has the same mode",
                       p->out[i].name, p->out[next].name);
    }
    at = (uint32_t)next;
  }
  return weft_fail(m->d, WEFT_E_CYCLE, "output '%s': the ports it follows do not end in an input",
                   p->out[i].name);
}

static weft_status check_follow(make *m) {
  weft_proto *p = m->p;
  int16_t *shape = WEFT_NEW_N(m->a, int16_t, 3 * (p->n_out + 1));
  WEFT_TRY(weft__allocated(shape, m->d));
  int16_t *dtype = shape + p->n_out + 1;
  int16_t *format = dtype + p->n_out + 1;
  for (uint32_t i = 0; i < p->n_out; i++) {
    WEFT_TRY(follow(m, i, WEFT_FOLLOW_SHAPE, &shape[i]));
    WEFT_TRY(follow(m, i, WEFT_FOLLOW_DTYPE, &dtype[i]));
    WEFT_TRY(follow(m, i, WEFT_FOLLOW_FORMAT, &format[i]));
  }
  p->follow_shape = shape;
  p->follow_dtype = dtype;
  p->follow_format = format;
  return WEFT_OK;
}

static weft_status read_defaults(make *m) {
  weft_proto *p = m->p;
  WEFT_TRY(proto_unique(m, "attribute", p->attrs, p->n_attr, sizeof(weft_attr_decl)));
  weft_attr_type *types = WEFT_NEW_N(m->a, weft_attr_type, p->n_attr + 1);
  const weft_attr **defaults = WEFT_NEW_N(m->a, const weft_attr *, p->n_attr + 1);
  weft__rule *rules = WEFT_NEW_N(m->a, weft__rule, p->n_attr + 1);
  WEFT_TRY(weft__allocated(types && defaults && rules, m->d));
  p->rules = rules;
  p->attr_types = types;
  p->defaults = defaults;
  for (uint32_t i = 0; i < p->n_attr; i++) {
    const weft_attr_decl *decl = &p->attrs[i];
    types[i] = decl->type ? weft_attr_type_parse(decl->type, strlen(decl->type)) : WEFT_VT_NONE;
    if (types[i] == WEFT_VT_NONE) {
      return weft_fail(m->d, WEFT_E_TYPE, "attribute '%s': '%s' is not an attribute type", decl->name,
                       decl->type ? decl->type : "");
    }
    if (!strcmp(decl->name, "data_format") && types[i] == WEFT_VT_STRING)
      p->data_format_slot = (int32_t)i;
    WEFT_TRY(weft__rule_read(decl, types[i], m->a, &rules[i], m->d));
    if (!decl->dflt)
      continue;
    weft_attr *v = WEFT_NEW(m->a, weft_attr);
    size_t used = 0;
    size_t bytes = strlen(decl->dflt);
    WEFT_TRY(weft__allocated(v, m->d));
    weft_status s = weft_attr_parse(types[i], decl->dflt, bytes, m->a, v, &used, m->d);
    if (!s && used != bytes)
      s = weft_fail(m->d, WEFT_E_SYNTAX, "'%s' goes on after the value", decl->dflt);
    if (s) {
      weft_note(m->d, "in the default of attribute '%s' (%s)", decl->name, decl->type);
      return s;
    }
    v->is_default = 1;
    defaults[i] = v;
  }
  return WEFT_OK;
}

// Do the inputs' columns decide this output's: no two columns alike but for the output?
static bool columns_decide(const weft_proto *p, const weft_port *out) {
  for (uint32_t c = 1; c < p->op->n_columns; c++) {
    for (uint32_t k = 0; k < c; k++) {
      bool same = out->columns[c].dtype != out->columns[k].dtype;
      for (uint32_t i = 0; same && i < p->n_in; i++) {
        const weft_column *v = p->in[i].columns;
        same = !v || (v[c].dtype == v[k].dtype && v[c].format == v[k].format);
      }
      if (same)
        return false;
    }
  }
  return true;
}

static bool has_dtype_rule(const weft_proto *p, uint32_t i) {
  if (p->op->infer_dtype || p->follow_dtype[i] >= 0)
    return true;
  if (p->out[i].columns)
    return columns_decide(p, &p->out[i]);
  if (p->out_symbol[i] >= 0) {
    const weft_symbol *s = &p->types[p->out_symbol[i]];
    if (s->promote || s->from_attr || !(s->set & (s->set - 1)))
      return true;
    for (uint32_t k = 0; k < p->n_in; k++) {
      if (p->in_symbol[k] == p->out_symbol[i])
        return true;
    }
  }
  return p->out[i].dtypes && !(p->out[i].dtypes & (p->out[i].dtypes - 1));
}

typedef struct list {
  char text[512];  // all that there is to say has room
  size_t n;
} list;

static void list_add(list *t, const char *what) {
  int n = snprintf(t->text + t->n, sizeof t->text - t->n, "%s%s", t->n ? ", " : "", what);
  t->n = WEFT_MIN(t->n + (size_t)WEFT_MAX(n, 0), sizeof t->text - 1);
}

// What graph mode needs and the descriptor lacks (R21, R33, R36).
static weft_status completeness(make *m) {
  weft_proto *p = m->p;
  const weft_op *op = p->op;
  list missing = {.n = 0};
  list warn = {.n = 0};
  bool dtype = true;
  bool types = true;
  bool format = true;
  bool shape = op->infer != NULL;
  bool follows = p->n_out > 0;
  bool any_shape = false;
  for (uint32_t i = 0; i < p->n_out; i++) {
    dtype &= has_dtype_rule(p, i);
    follows &= p->follow_shape[i] >= 0;
    any_shape |= p->follow_shape[i] >= 0;
  }
  for (uint32_t i = 0; i < p->n_in + p->n_out; i++) {
    const weft_port *port = i < p->n_in ? &p->in[i] : &p->out[i - p->n_in];
    types &=
        port->type || port->dtypes || port->columns || (i >= p->n_in && p->follow_dtype[i - p->n_in] >= 0);
    format &= !port->incomplete_format;
  }
  if (!types)
    list_add(&missing, "DataType");
  if (p->n_out && !dtype && (!op->infer || (op->traits & WEFT__SHAPE_ONLY)))
    list_add(&missing, "InferDataType");
  if (p->n_out && !shape && !follows)
    list_add(&missing, "InferShape");
  if ((op->traits & WEFT_DATA_DEPENDENT) && !op->infer_range)
    list_add(&missing, "InferShapeRange (no shape range for dynamic output)");
  if ((op->traits & WEFT_TILED) && !op->tile)
    list_add(&missing, "Tiling");
  if (!format)
    list_add(&warn, "Format not declared (ND assumed)");
  if (shape && any_shape)
    list_add(&warn, "InferShape and Follow(SHAPE) are both given: InferShape decides for all outputs");
  if (!op->ref && !op->execute)
    list_add(&warn, "no reference kernel");
  if (!op->targets && (p->source == WEFT_FROM_PROGRAM || p->source == WEFT_FROM_PACKAGE))
    list_add(&warn, "target not declared (any device with a kernel)");
  if (op->warning)
    list_add(&warn, op->warning);
  p->missing = missing.n ? weft__arena_strdup(m->a, missing.text, missing.n) : "";
  p->warnings = warn.n ? weft__arena_strdup(m->a, warn.text, warn.n) : "";
  return p->missing && p->warnings ? WEFT_OK : weft_fail(m->d, WEFT_E_NOMEM, "out of memory");
}

static weft_status copy_lists(make *m) {
  const weft_op *op = m->op;
  weft_proto *p = m->p;
  size_t n_in = list_length(op->in, op->port_bytes);
  size_t n_out = list_length(op->out, op->port_bytes);
  size_t n_attr = list_length(op->attrs, op->attr_bytes);
  size_t n_types = list_length(op->types, op->symbol_bytes);
  if (n_in > 4096 || n_out > 4096 || n_attr > 4096 || n_types > 64 || op->n_columns > 64) {
    return weft_fail(m->d, WEFT_E_LIMIT,
                     "more than 4096 ports or attributes, or more than 64 dtype symbols or columns");
  }
  p->n_in = (uint32_t)n_in;
  p->n_out = (uint32_t)n_out;
  p->n_attr = (uint32_t)n_attr;
  p->n_types = (uint32_t)n_types;
  p->in = copy_list(m, op->in, n_in, op->port_bytes, sizeof(weft_port));
  p->out = copy_list(m, op->out, n_out, op->port_bytes, sizeof(weft_port));
  p->attrs = copy_list(m, op->attrs, n_attr, op->attr_bytes, sizeof(weft_attr_decl));
  p->types = copy_list(m, op->types, n_types, op->symbol_bytes, sizeof(weft_symbol));
  WEFT_TRY(weft__allocated(p->in && p->out && p->attrs && p->types, m->d));
  for (const char *const *g = op->graphs; g && *g; g++)
    p->n_graphs++;
  p->simple = true;
  for (uint32_t i = 0; i < p->n_in; i++) {
    p->simple &= p->in[i].kind == WEFT_REQUIRED;
    p->n_dynamic_in += p->in[i].kind == WEFT_DYNAMIC;
    if (p->in[i].value & WEFT_VALUE_INFER)
      p->value_mask |= i < 64 ? UINT64_C(1) << i : 0;
  }
  for (uint32_t i = 0; i < p->n_out; i++)
    p->simple &= p->out[i].kind == WEFT_REQUIRED;
  return WEFT_OK;
}

// The descriptor of an older or newer package in this version's size: what it lacks is zero.
static const weft_op *copy_op(weft_arena *a, const weft_op *op) {
  if (op->size == sizeof(weft_op))
    return op;
  weft_op *copy = WEFT_NEW(a, weft_op);
  if (!copy)
    return NULL;
  memcpy(copy, op, WEFT_MIN(op->size, sizeof *copy));
  copy->size = sizeof *copy;
  return copy;
}

// The prototype from its descriptor, which it checks on the way.
static weft_status fill(make *m) {
  int16_t *in_symbol;
  int16_t *out_symbol;
  WEFT_TRY(copy_lists(m));
  WEFT_TRY(check_symbols(m));
  WEFT_TRY(check_ports(m, m->p->in, m->p->n_in, "input", &in_symbol));
  WEFT_TRY(check_ports(m, m->p->out, m->p->n_out, "output", &out_symbol));
  m->p->in_symbol = in_symbol;
  m->p->out_symbol = out_symbol;
  WEFT_TRY(check_follow(m));
  WEFT_TRY(read_defaults(m));
  WEFT_TRY(check_references(m));
  return completeness(m);
}

weft_status weft__op_check(const weft_op *op, weft_diag *d) {
  if (!op || op->size < offsetof(weft_op, infer) || !op->name || !*op->name)
    return weft_fail(d, WEFT_E_INVALID, "operator descriptor without size or name");
  if (op->port_bytes < offsetof(weft_port, incomplete_format) ||
      op->attr_bytes < offsetof(weft_attr_decl, ext) || op->symbol_bytes < sizeof(weft_symbol)) {
    return weft_fail(
        d, WEFT_E_ABI,
        "operator '%s': strides %u, %u, %u are too small: start the descriptor with WEFT_OP_HEAD", op->name,
        op->port_bytes, op->attr_bytes, op->symbol_bytes);
  }
  return WEFT_OK;
}

weft_status weft__proto_name(weft_env *e, const weft_op *op, int source, const char *origin, weft_proto **out,
                             weft_diag *d) {
  WEFT_TRY(weft__op_check(op, d));
  weft_proto *p = WEFT_NEW(&e->arena, weft_proto);
  WEFT_TRY(weft__allocated(p, d));
  p->op = op;
  p->name = op->name;
  p->source = source;
  p->origin = origin;
  p->data_format_slot = -1;
  p->missing = p->warnings = "";
  atomic_store_explicit(&p->state, WEFT__PROTO_NAMED, memory_order_release);
  *out = p;
  return WEFT_OK;
}

static weft_status proto_describe(weft_env *e, const weft_proto *p, weft_proto **out, weft_diag *d) {
  const weft_op *op = p->op->describe(p->op, &e->host, d);
  if (!op && !d->status)
    return weft_fail(d, WEFT_E_INVALID, "operator '%s': it gives no description and no reason", p->name);
  if (!op)
    return d->status;
  WEFT_TRY(weft__proto_make(e, op, p->source, p->origin, out, d));
  if (!strcmp(op->name, p->name))
    return WEFT_OK;
  return weft_fail(d, WEFT_E_INVALID, "operator '%s' describes itself as '%s'", p->name, op->name);
}

bool weft__proto_complete(weft_env *e, weft_proto *p) {
  weft_diag own;
  weft_proto *made = NULL;
  weft_diag_clear(&own);
  if (proto_describe(e, p, &made, &own)) {
    p->missing = weft__arena_strdup(&e->arena, own.text, own.length);
    if (!p->missing)
      p->missing = "out of memory";
    atomic_store_explicit(&p->state, WEFT__PROTO_FAILED, memory_order_release);
    return false;
  }
  made->replaced = p->replaced;
  p->op = made->op;  // name, source and origin are what they were, and others may be reading them
  memcpy((char *)p + offsetof(weft_proto, n_in), (const char *)made + offsetof(weft_proto, n_in),
         offsetof(weft_proto, state) - offsetof(weft_proto, n_in));
  atomic_store_explicit(&p->state, WEFT__PROTO_WHOLE, memory_order_release);
  return true;
}

weft_status weft__proto_make(weft_env *e, const weft_op *op, int source, const char *origin, weft_proto **out,
                             weft_diag *d) {
  WEFT_TRY(weft__op_check(op, d));
  weft_arena *a = source == WEFT_FROM_BUILTIN ? &e->builtin_arena : &e->arena;
  make m = {e, a, copy_op(a, op), WEFT_NEW(a, weft_proto), d};
  WEFT_TRY(weft__allocated(m.p && m.op, d));
  m.p->op = m.op;
  m.p->name = m.op->name;
  m.p->source = source;
  m.p->origin = origin;
  m.p->data_format_slot = -1;
  weft_status s = fill(&m);
  if (s) {
    weft_note(d, "while registering operator '%s'", op->name);
    return s;
  }
  *out = m.p;
  return WEFT_OK;
}

const char *weft__proto_refusal(const weft_proto *p) {
  if (!p->op->infer && p->source == WEFT_FROM_CATALOGUE)
    return "it has no inference function: only its prototype is known";
  return *p->missing ? p->missing : NULL;
}
// SPDX-License-Identifier: Apache-2.0
