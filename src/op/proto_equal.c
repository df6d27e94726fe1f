// proto_equal.c - are two prototypes the same? Every member of the descriptors counts: one that is forgotten
// here lets two operators pass for one. proto_equal_test.c flips each.
#include "op/proto.h"

static bool proto_equal_same_text(const char *a, const char *b) {
  return a == b || (a && b && !strcmp(a, b));
}

// Lists of texts, NULL at the end; no list is like an empty one.
static bool same_texts(const char *const *a, const char *const *b) {
  while (a && b && *a && *b && !strcmp(*a, *b)) {
    a++;
    b++;
  }
  return (a ? *a : NULL) == (b ? *b : NULL);
}

// A member that two descriptors are compared by.
typedef enum proto_compare { COMPARE_BYTES, COMPARE_TEXT, COMPARE_TEXTS } proto_compare;
typedef struct proto_member {
  size_t at, bytes;
  proto_compare how;
} proto_member;
#define MEMBER(type, name) \
  { offsetof(type, name), sizeof(((type *)NULL)->name), COMPARE_BYTES }
#define MEMBER_TEXT(type, name) \
  { offsetof(type, name), sizeof(char *), COMPARE_TEXT }
#define MEMBER_TEXTS(type, name) \
  { offsetof(type, name), sizeof(char **), COMPARE_TEXTS }

static bool same_member(const proto_member *m, const void *a, const void *b) {
  const char *x = (const char *)a + m->at;
  const char *y = (const char *)b + m->at;
  switch (m->how) {
    case COMPARE_TEXT:
      return proto_equal_same_text(*(const char *const *)x, *(const char *const *)y);
    case COMPARE_TEXTS:
      return same_texts(*(const char *const *const *)x, *(const char *const *const *)y);
    default:
      return !memcmp(x, y, m->bytes);
  }
}

static bool same_members(const proto_member *m, size_t n, const void *a, const void *b) {
  for (size_t i = 0; i < n; i++) {
    if (!same_member(&m[i], a, b))
      return false;
  }
  return true;
}
#define SAME_MEMBERS(list, a, b) same_members((list), WEFT_COUNT(list), (a), (b))

static const proto_member column_members[] = {
    MEMBER(weft_column, dtype),
    MEMBER(weft_column, format),
};
static const proto_member port_members[] = {
    MEMBER_TEXT(weft_port, name), MEMBER_TEXT(weft_port, type),   MEMBER_TEXT(weft_port, follow),
    MEMBER(weft_port, dtypes),    MEMBER(weft_port, kinds),       MEMBER(weft_port, incomplete_format),
    MEMBER(weft_port, kind),      MEMBER(weft_port, min_count),   MEMBER(weft_port, value),
    MEMBER(weft_port, ref),       MEMBER(weft_port, follow_what),
};
static const proto_member symbol_members[] = {
    MEMBER_TEXT(weft_symbol, name), MEMBER_TEXT(weft_symbol, promote), MEMBER_TEXT(weft_symbol, from_attr),
    MEMBER(weft_symbol, set),       MEMBER(weft_symbol, each),
};
static const proto_member attr_members[] = {
    MEMBER_TEXT(weft_attr_decl, name),
    MEMBER_TEXT(weft_attr_decl, check),
    MEMBER(weft_attr_decl, ext),
};
static const proto_member op_members[] = {
    MEMBER(weft_op, n_columns),     MEMBER(weft_op, version),        MEMBER(weft_op, traits),
    MEMBER_TEXT(weft_op, summary),  MEMBER_TEXT(weft_op, kernel),    MEMBER_TEXTS(weft_op, graphs),
    MEMBER_TEXTS(weft_op, targets), MEMBER_TEXTS(weft_op, examples), MEMBER(weft_op, infer),
    MEMBER(weft_op, infer_dtype),   MEMBER(weft_op, infer_range),    MEMBER(weft_op, infer_value),
    MEMBER(weft_op, ref),           MEMBER(weft_op, execute),        MEMBER(weft_op, tile),
};
static const proto_member proto_members[] = {
    MEMBER_TEXT(weft_proto, name), MEMBER(weft_proto, n_in),   MEMBER(weft_proto, n_out),
    MEMBER(weft_proto, n_types),   MEMBER(weft_proto, n_attr),
};

static bool same_columns(const weft_column *a, const weft_column *b, uint32_t n) {
  if (!a || !b)
    return a == b;
  for (uint32_t i = 0; i < n; i++) {
    if (!SAME_MEMBERS(column_members, &a[i], &b[i]))
      return false;
  }
  return true;
}

static bool same_ports(const weft_port *a, const weft_port *b, uint32_t n, uint32_t n_columns) {
  for (uint32_t i = 0; i < n; i++) {
    if (!SAME_MEMBERS(port_members, &a[i], &b[i]))
      return false;
    if (!same_columns(a[i].columns, b[i].columns, n_columns))
      return false;
  }
  return true;
}

static bool same_symbols(const weft_proto *a, const weft_proto *b) {
  for (uint32_t i = 0; i < a->n_types; i++) {
    if (!SAME_MEMBERS(symbol_members, &a->types[i], &b->types[i]))
      return false;
  }
  return true;
}

static bool same_default(const weft_attr *a, const weft_attr *b) {
  if (!a || !b)
    return a == b;
  return weft_attr_equal(a, b);
}

static bool same_attrs(const weft_proto *a, const weft_proto *b) {
  for (uint32_t i = 0; i < a->n_attr; i++) {
    if (!SAME_MEMBERS(attr_members, &a->attrs[i], &b->attrs[i]))
      return false;
    if (a->attr_types[i] != b->attr_types[i] || !same_default(a->defaults[i], b->defaults[i]))
      return false;
  }
  return true;
}

bool weft_proto_equal(const weft_proto *a, const weft_proto *b) {
  if (!a || !b)
    return false;
  if (!SAME_MEMBERS(proto_members, a, b) || !SAME_MEMBERS(op_members, a->op, b->op))
    return false;
  uint32_t columns = a->op->n_columns;
  bool attributes = same_symbols(a, b) && same_attrs(a, b);
  return attributes && same_ports(a->in, b->in, a->n_in, columns) &&
         same_ports(a->out, b->out, a->n_out, columns);
}
// SPDX-License-Identifier: Apache-2.0
