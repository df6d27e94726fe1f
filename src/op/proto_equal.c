// proto_equal.c - are two prototypes the same? Every member of the descriptors counts: one that is forgotten
// here lets two operators pass for one. proto_equal_test.c flips each.
#include "op/proto.h"

static bool same_text(const char *a, const char *b) {
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

static bool same_columns(const weft_column *a, const weft_column *b, uint32_t n) {
  if (!a != !b)
    return false;
  for (uint32_t i = 0; a && i < n; i++) {
    if (a[i].dtype != b[i].dtype || a[i].format != b[i].format)
      return false;
  }
  return true;
}

static bool same_port(const weft_port *a, const weft_port *b, uint32_t n_columns) {
  bool words = !strcmp(a->name, b->name) && same_text(a->type, b->type) && same_text(a->follow, b->follow);
  bool takes = a->dtypes == b->dtypes && a->kinds == b->kinds && a->incomplete_format == b->incomplete_format;
  bool counts = a->kind == b->kind && a->min_count == b->min_count;
  bool depends = a->value == b->value && a->ref == b->ref && a->follow_what == b->follow_what;
  return words && takes && counts && depends && same_columns(a->columns, b->columns, n_columns);
}

static bool same_ports(const weft_port *a, const weft_port *b, uint32_t n, uint32_t n_columns) {
  for (uint32_t i = 0; i < n; i++) {
    if (!same_port(&a[i], &b[i], n_columns))
      return false;
  }
  return true;
}

static bool same_symbols(const weft_proto *a, const weft_proto *b) {
  if (a->n_types != b->n_types)
    return false;
  for (uint32_t i = 0; i < a->n_types; i++) {
    const weft_symbol *x = &a->types[i];
    const weft_symbol *y = &b->types[i];
    bool words = !strcmp(x->name, y->name) && same_text(x->promote, y->promote) &&
                 same_text(x->from_attr, y->from_attr);
    if (!words || x->set != y->set || x->each != y->each)
      return false;
  }
  return true;
}

static bool same_attrs(const weft_proto *a, const weft_proto *b) {
  if (a->n_attr != b->n_attr)
    return false;
  for (uint32_t i = 0; i < a->n_attr; i++) {
    const weft_attr_decl *x = &a->attrs[i];
    const weft_attr_decl *y = &b->attrs[i];
    const weft_attr *u = a->defaults[i];
    const weft_attr *v = b->defaults[i];
    if (strcmp(x->name, y->name) || a->attr_types[i] != b->attr_types[i])
      return false;
    if (!same_text(x->check, y->check) || x->ext != y->ext)
      return false;
    if (!u != !v || (u && !weft_attr_equal(u, v)))
      return false;
  }
  return true;
}

static bool same_functions(const weft_op *a, const weft_op *b) {
  bool infers = a->infer == b->infer && a->infer_dtype == b->infer_dtype &&
                a->infer_range == b->infer_range && a->infer_value == b->infer_value;
  return infers && a->ref == b->ref && a->execute == b->execute && a->tile == b->tile;
}

bool weft_proto_equal(const weft_proto *a, const weft_proto *b) {
  if (!a || !b)
    return false;
  const weft_op *x = a->op;
  const weft_op *y = b->op;
  bool sizes = a->n_in == b->n_in && a->n_out == b->n_out && x->n_columns == y->n_columns;
  bool words =
      !strcmp(a->name, b->name) && same_text(x->summary, y->summary) && same_text(x->kernel, y->kernel);
  bool lists = same_texts(x->graphs, y->graphs) && same_texts(x->targets, y->targets) &&
               same_texts(x->examples, y->examples);
  if (!sizes || !words || !lists || x->version != y->version || x->traits != y->traits)
    return false;
  return same_functions(x, y) && same_symbols(a, b) && same_attrs(a, b) &&
         same_ports(a->in, b->in, a->n_in, x->n_columns) &&
         same_ports(a->out, b->out, a->n_out, x->n_columns);
}
// SPDX-License-Identifier: Apache-2.0
