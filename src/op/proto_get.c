// proto_get.c - what callers read of a registered prototype: its ports, attributes and where it came from.
#include "op/proto.h"

const weft_op *weft_proto_op(const weft_proto *p) {
  if (!p)
    return NULL;
  return p->op;
}
int weft_proto_source(const weft_proto *p) {
  if (!p)
    return -1;
  return p->source;
}
const char *weft_proto_origin(const weft_proto *p) {
  if (!p)
    return "";
  return p->origin;
}
uint32_t weft_proto_n_in(const weft_proto *p) {
  if (!p)
    return 0;
  return p->n_in;
}
uint32_t weft_proto_n_out(const weft_proto *p) {
  if (!p)
    return 0;
  return p->n_out;
}
uint32_t weft_proto_n_attr(const weft_proto *p) {
  if (!p)
    return 0;
  return p->n_attr;
}
const weft_port *weft_proto_in(const weft_proto *p, uint32_t i) {
  if (!p)
    return NULL;
  return i < p->n_in ? &p->in[i] : NULL;
}
const weft_port *weft_proto_out(const weft_proto *p, uint32_t i) {
  if (!p)
    return NULL;
  return i < p->n_out ? &p->out[i] : NULL;
}
const weft_attr_decl *weft_proto_attr(const weft_proto *p, uint32_t i) {
  if (!p)
    return NULL;
  return i < p->n_attr ? &p->attrs[i] : NULL;
}
const weft_attr *weft_proto_default(const weft_proto *p, uint32_t i) {
  if (!p)
    return NULL;
  return i < p->n_attr ? p->defaults[i] : NULL;
}
const char *weft_proto_missing(const weft_proto *p) {
  if (!p)
    return "";
  return p->missing;
}
const char *weft_proto_warnings(const weft_proto *p) {
  if (!p)
    return "";
  return p->warnings;
}

weft_dtype_set weft_proto_dtypes(const weft_proto *p, const weft_port *port) {
  if (!p || !port)
    return 0;
  if (port->type) {
    for (uint32_t i = 0; i < p->n_types; i++) {
      if (!strcmp(p->types[i].name, port->type))
        return p->types[i].set ? p->types[i].set : WEFT_ANY;
    }
  }
  weft_dtype_set s = port->dtypes;
  for (uint32_t i = 0; port->columns && i < p->op->n_columns; i++)
    s |= WEFT_BIT(port->columns[i].dtype);
  return s ? s : WEFT_ANY;
}

int weft_proto_find_in(const weft_proto *p, const char *name) {
  if (!p || !name)
    return -1;
  for (uint32_t i = 0; i < p->n_in; i++) {
    if (!strcmp(p->in[i].name, name))
      return (int)i;
  }
  return -1;
}
int weft_proto_find_out(const weft_proto *p, const char *name) {
  if (!p || !name)
    return -1;
  for (uint32_t i = 0; i < p->n_out; i++) {
    if (!strcmp(p->out[i].name, name))
      return (int)i;
  }
  return -1;
}
int weft_proto_find_attr(const weft_proto *p, const char *name) {
  if (!p || !name)
    return -1;
  for (uint32_t i = 0; i < p->n_attr; i++) {
    if (!strcmp(p->attrs[i].name, name))
      return (int)i;
  }
  return -1;
}
// SPDX-License-Identifier: Apache-2.0
