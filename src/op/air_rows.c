// air_rows.c - an operator out of a row and the catalogue's prototype of the same name.
#include "op/air_rows.h"

#include "op/proto.h"

// Is `name` one of those in the list "a,b"?
static bool row_names(const char *list, const char *name) {
  size_t n = strlen(name);
  for (const char *at = list; at && *at; at += strcspn(at, ","), at += *at == ',') {
    if (!strncmp(at, name, n) && (at[n] == ',' || !at[n]))
      return true;
  }
  return false;
}

static weft_dtype_set row_set(const weft_op *op, const weft_port *port) {
  for (const weft_symbol *s = op->types; port->type && s && s->name; s++) {
    if (!strcmp(s->name, port->type))
      return s->set;
  }
  return port->dtypes;
}

// Does the prototype itself decide this output's dtype?
static bool row_decided(const weft_op *op, const weft_port *out) {
  weft_dtype_set set = row_set(op, out);
  if (!(set & (set - 1)))
    return true;
  for (const weft_symbol *s = op->types; out->type && s && s->name; s++) {
    if (!strcmp(s->name, out->type) && (s->promote || s->from_attr))
      return true;
  }
  for (const weft_port *in = op->in; out->type && in->name; in++) {
    if (in->type && !strcmp(in->type, out->type))
      return true;
  }
  return false;
}

static const char *row_like(const weft__row *row, const weft_op *op, const weft_port *out) {
  if (row->like)
    return row->like;
  for (const weft_port *in = op->in; in->name; in++) {
    if (in->kind == WEFT_REQUIRED && row_set(op, in) == row_set(op, out))
      return in->name;
  }
  return NULL;
}

static void row_ports(const weft__row *row, const weft_op *op) {
  weft_port *in = (weft_port *)(uintptr_t)op->in;  // weft__catalogue_op made them for this operator alone
  weft_port *out = (weft_port *)(uintptr_t)op->out;
  for (; in->name; in++) {
    if (row_names(row->values, in->name))
      in->value = WEFT_VALUE_INFER;
  }
  for (; out->name; out++) {
    const char *like = row_decided(op, out) ? NULL : row_like(row, op, out);
    if (!like)
      continue;
    out->dtypes = row_set(op, out);
    out->type = NULL;
    out->follow = like;
    out->follow_what = WEFT_FOLLOW_DTYPE;
  }
}

weft_status weft__row_op(const weft__row *row, weft_arena *arena, const weft_op **out) {
  const weft_op *made;
  int64_t at = weft__catalogue_find(row->name);
  if (at < 0)
    return WEFT_E_NOT_FOUND;
  WEFT_TRY(weft__catalogue_op((size_t)at, arena, &made));
  weft_op *op = (weft_op *)(uintptr_t)made;
  row_ports(row, op);
  op->summary = row->summary;
  op->traits = row->traits;
  op->infer = row->infer;
  op->infer_dtype = row->infer_dtype;
  op->infer_range = row->infer_range;
  op->infer_value = row->infer_value;
  op->ref = row->ref;
  op->execute = row->execute;
  op->user = row->user;
  op->examples = row->examples;
  *out = op;
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
