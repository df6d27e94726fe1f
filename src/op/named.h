// named.h - attributes by their names: behaviours that many prototypes share, whose slots differ. Layer: op.
#pragma once
#include <string.h>

#include "op/infer_node.h"

// The slot of an attribute; UINT32_MAX, which reads as absent everywhere: the operator has none.
static inline uint32_t weft__slot_named(const weft_op_desc *n, const char *name) {
  for (uint32_t i = 0; i < n->n_attr; i++) {
    if (!strcmp(weft__attr_name(n, i), name))
      return i;
  }
  return UINT32_MAX;
}
static inline const weft_attr *weft__attr_named(const weft_op_desc *n, const char *name) {  // NULL: none
  const uint32_t slot = weft__slot_named(n, name);
  return slot < n->n_attr ? n->attr[slot] : NULL;
}
static inline int64_t weft__int_named(const weft_op_desc *n, const char *name) {
  return weft_node_int(n, weft__slot_named(n, name));
}
static inline bool weft__flag_named(const weft_op_desc *n, const char *name) {
  return weft_node_bool(n, weft__slot_named(n, name));
}
static inline double weft__float_named(const weft_op_desc *n, const char *name) {
  return (double)weft_node_float(n, weft__slot_named(n, name));
}
static inline const char *weft__text_named(const weft_op_desc *n, const char *name) {  // "": absent
  const char *s = weft_node_str(n, weft__slot_named(n, name));
  return s ? s : "";
}
static inline weft_ints weft__ints_named(const weft_op_desc *n, const char *name) {
  return weft_node_ints(n, weft__slot_named(n, name));
}
// SPDX-License-Identifier: Apache-2.0
