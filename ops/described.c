// described.c - rules of shapes that are written as text (described.h). The text is read each time: it is
// short, and part of the library.
#include "described.h"

#include "op/infer_node.h"
#include "tensor/scan.h"

typedef struct described {
  weft_infer *it;
  weft_scan at;
} described;

// ---- names ----
static weft_status described_bad(described *r, const char *what) {
  return weft__scan_fail(&r->at, WEFT_E_STATE, "%s", what);
}
// A port of one side by its name; false: there is none.
static bool described_port(const weft_port *list, uint32_t n, uint16_t stride, weft_str name, uint32_t *out) {
  const char *at = (const char *)list;
  for (uint32_t i = 0; i < n; i++, at += stride) {
    const char *own = ((const weft_port *)(const void *)at)->name;
    *out = i;
    if (strlen(own) == name.bytes && !memcmp(own, name.text, name.bytes))
      return true;
  }
  return false;
}
static weft_status described_ident(described *r, weft_str *out) {
  out->bytes = weft__scan_ident(&r->at, &out->text);
  return out->bytes ? WEFT_OK : described_bad(r, "expected a name");
}
static weft_status described_input(described *r, weft_str name, weft_port_span *out) {
  const weft_op_desc *n = r->it->desc;
  uint32_t port;
  if (!described_port(n->op->in, n->n_in_ports, n->op->port_bytes, name, &port))
    return described_bad(r, "expected the name of an input");
  *out = (weft_port_span){n->in_port[port].start, n->in_port[port].count};
  return WEFT_OK;
}
static weft_status described_attr(described *r, int64_t *out) {
  weft_str name;
  const weft_op_desc *n = r->it->desc;
  WEFT_TRY(described_ident(r, &name));
  for (uint32_t i = 0; i < n->n_attr; i++) {
    const char *own = weft__attr_name(n, i);
    if (strlen(own) == name.bytes && !memcmp(own, name.text, name.bytes)) {
      bool flag = n->attr[i] && n->attr[i]->type == WEFT_VT_BOOL;
      *out = flag ? weft_node_bool(n, i) : weft_node_int(n, i);
      return WEFT_OK;
    }
  }
  return described_bad(r, "expected the name of an attribute");
}
static weft_status described_number(described *r, int64_t *out) {
  const char *text;
  size_t n = weft__scan_number(&r->at, &text);
  return n && weft__token_i64(text, n, out) ? WEFT_OK : described_bad(r, "expected a whole number");
}

// ---- dims ----
// Axis `axis` of instance 0, from the end where it is negative; absent or of unknown rank: unknown.
static weft_status described_axis(described *r, weft_port_span in, int64_t axis, weft_dim *out) {
  *out = -1;
  if (!in.count || weft_shape_is_unknown_rank(r->it->in[in.start]))
    return WEFT_OK;
  const weft_shape *s = r->it->in[in.start];
  int64_t at = axis < 0 ? axis + (int64_t)s->rank : axis;
  if (at < 0 || at >= (int64_t)s->rank) {
    return weft_fail(r->it->d, WEFT_E_SHAPE, "input '%s': rank %zu, dim %lld is asked for",
                     weft__in_name(r->it->desc, in.start), s->rank, (long long)axis);
  }
  *out = s->dim[at];
  return WEFT_OK;
}
// "|-1@trans" behind an axis: the other one where the attribute is true.
static weft_status described_other(described *r, int64_t *io) {
  int64_t axis;
  int64_t on;
  WEFT_TRY(described_number(r, &axis));
  if (!weft__scan_char(&r->at, '@'))
    return described_bad(r, "expected '@' and an attribute");
  WEFT_TRY(described_attr(r, &on));
  *io = on ? axis : *io;
  return WEFT_OK;
}
static weft_status described_term(described *r, weft_dim *out) {
  weft_str name;
  weft_port_span in;
  int64_t n;
  *out = -1;
  weft__scan_space(&r->at);
  if (weft__scan_char(&r->at, '?'))
    return WEFT_OK;
  bool attr = weft__scan_char(&r->at, '@');
  if (attr || weft__is_digit(weft__scan_peek(&r->at))) {
    WEFT_TRY(attr ? described_attr(r, &n) : described_number(r, &n));
    *out = n < 0 ? -1 : n;  // -1 is what attributes say where they leave it open
    return WEFT_OK;
  }
  WEFT_TRY(described_ident(r, &name));
  WEFT_TRY(described_input(r, name, &in));
  if (!weft__scan_char(&r->at, '.'))
    return described_bad(r, "expected a dim, as in x.0");
  WEFT_TRY(described_number(r, &n));
  if (weft__scan_char(&r->at, '|'))
    WEFT_TRY(described_other(r, &n));
  return described_axis(r, in, n, out);
}
static weft_status described_apply(described *r, char op, weft_dim b, weft_dim *io) {
  weft_symbols *p = r->it->symbols;
  bool divides = op == '/' || op == '^';
  if (divides && b == 0)
    return weft_fail(r->it->d, WEFT_E_INVALID, "a size is divided by 0");
  switch (op) {
    case '+':
      *io = weft_dim_add(p, *io, b);
      break;
    case '-':
      *io = weft_dim_sub(p, *io, b);
      break;
    case '*':
      *io = weft_dim_mul(p, *io, b);
      break;
    default:
      *io = b < 0 ? -1 : op == '/' ? weft_dim_floordiv(p, *io, b) : weft_dim_ceildiv(p, *io, b);
  }
  if (*io == WEFT_DIM_INVALID)
    return weft_fail(r->it->d, WEFT_E_OVERFLOW, "a size is over 2^63");
  return WEFT_OK;
}
static weft_status described_dim(described *r, weft_dim *out) {
  WEFT_TRY(described_term(r, out));
  for (;;) {
    weft_dim b;
    weft__scan_space(&r->at);
    int c = weft__scan_peek(&r->at);
    if (c < 0 || !c || !strchr("+-*/^", c))
      return WEFT_OK;
    r->at.at++;
    WEFT_TRY(described_term(r, &b));
    WEFT_TRY(described_apply(r, (char)c, b, out));
  }
}
// "x:0:-1" behind its name. *known: the rank of x is.
static weft_status described_run(described *r, weft_port_span in, weft_shape *s, bool *known) {
  int64_t from;
  int64_t to;
  WEFT_TRY(described_number(r, &from));
  if (!weft__scan_char(&r->at, ':'))
    return described_bad(r, "expected ':' and where the run ends");
  WEFT_TRY(described_number(r, &to));
  if (!in.count || weft_shape_is_unknown_rank(r->it->in[in.start])) {
    *known = false;
    return WEFT_OK;
  }
  const weft_shape *x = r->it->in[in.start];
  from = from < 0 ? from + (int64_t)x->rank : from;
  to = to <= 0 ? to + (int64_t)x->rank : to;
  for (int64_t i = from < 0 ? 0 : from; i < to && i < (int64_t)x->rank && s->rank < WEFT_MAX_RANK; i++)
    s->dim[s->rank++] = x->dim[i];
  return WEFT_OK;
}
static weft_status described_item(described *r, weft_shape *s, bool *known) {
  weft_str name;
  weft_port_span in;
  size_t before = r->at.at;
  name.bytes = weft__scan_ident(&r->at, &name.text);
  if (name.bytes && weft__scan_char(&r->at, ':')) {
    WEFT_TRY(described_input(r, name, &in));
    return described_run(r, in, s, known);
  }
  r->at.at = before;
  if (s->rank == WEFT_MAX_RANK)
    return described_bad(r, "too many dims");
  return described_dim(r, &s->dim[s->rank++]);
}
// Behind '['.
static weft_status described_list(described *r, weft_shape *s, bool *known) {
  s->rank = 0;
  *known = true;
  if (weft__scan_char(&r->at, ']'))
    return WEFT_OK;
  do
    WEFT_TRY(described_item(r, s, known));
  while (weft__scan_char(&r->at, ','));
  return weft__scan_char(&r->at, ']') ? WEFT_OK : described_bad(r, "expected ']'");
}

// ---- outputs ----
// One of "a | b | [..] | ?" that is there; `instance` of its port.
static weft_status described_shape(described *r, uint32_t instance, weft_shape *out) {
  bool found = false;
  weft_shape_set_unknown_rank(out);
  do {
    weft_str name;
    weft_port_span in;
    weft_shape made = {0};
    bool known = false;
    if (weft__scan_char(&r->at, '?')) {
      found = true;
      continue;
    }
    if (weft__scan_char(&r->at, '[')) {
      WEFT_TRY(described_list(r, &made, &known));
      if (!found && known)
        weft_shape_copy(out, &made);
      found = true;
      continue;
    }
    WEFT_TRY(described_ident(r, &name));
    WEFT_TRY(described_input(r, name, &in));
    if (!found && instance < in.count) {
      weft_shape_copy(out, r->it->in[in.start + instance]);
      found = true;
    }
  } while (weft__scan_char(&r->at, '|'));
  return WEFT_OK;
}
// "~x", "@dst" or ":f32" behind an output's name.
static weft_status described_dtype(described *r, weft_port_span out) {
  weft_str name;
  weft_port_span in;
  int64_t t = -1;
  if (weft__scan_char(&r->at, '~')) {
    WEFT_TRY(described_ident(r, &name));
    WEFT_TRY(described_input(r, name, &in));
    t = in.count ? (int64_t)r->it->in_dtype[in.start] : (int64_t)WEFT_FLOAT;
  } else if (weft__scan_char(&r->at, '@'))
    WEFT_TRY(described_attr(r, &t));
  else if (weft__scan_char(&r->at, ':')) {
    WEFT_TRY(described_ident(r, &name));
    t = (int64_t)weft_dtype_parse(name.text, name.bytes);
  }
  for (uint32_t i = 0; i < out.count && t >= 0; i++)
    r->it->out_dtype[out.start + i] = (weft_dtype)t;
  return WEFT_OK;
}
static weft_status described_output(described *r) {
  weft_str name;
  uint32_t port;
  const weft_op_desc *n = r->it->desc;
  WEFT_TRY(described_ident(r, &name));
  if (!described_port(n->op->out, n->n_out_ports, n->op->port_bytes, name, &port))
    return described_bad(r, "expected the name of an output");
  const weft_port_span out = {n->out_port[port].start, n->out_port[port].count};
  WEFT_TRY(described_dtype(r, out));
  for (int i = 0; i < 3; i++)
    weft__scan_char(&r->at, '.');
  if (!weft__scan_char(&r->at, '='))
    return described_bad(r, "expected '='");
  const size_t from = r->at.at;
  for (uint32_t i = 0; i < out.count || !i; i++) {
    weft_shape none;
    r->at.at = from;
    WEFT_TRY(described_shape(r, i, i < out.count ? r->it->out[out.start + i] : &none));
  }
  return WEFT_OK;
}

weft_status weft__described_infer(weft_infer *it) {
  const char *text = it->desc->op->user;
  described r = {it, {text, 0, strlen(text), "shape rule", it->d}};
  for (uint32_t i = 0; i < it->n_out; i++)
    weft_shape_set_unknown_rank(it->out[i]);
  do
    WEFT_TRY(described_output(&r));
  while (weft__scan_char(&r.at, ';'));
  weft__scan_space(&r.at);
  return r.at.at == r.at.bytes ? WEFT_OK : described_bad(&r, "expected ';'");
}
// SPDX-License-Identifier: Apache-2.0
