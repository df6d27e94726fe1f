// op_missing.c - `weft op list --missing`: what weft lacks to infer and run a model, by operator.
#include "op.h"

typedef struct missing {
  struct missing_op {
    char name[160], first[160];  // first: the node where it was met first
    const char *lacks;
    size_t nodes;
  } * v;
  size_t n, room;
  size_t all, without;  // nodes of the model, and those of operators that are missing
} missing;

static bool missing_follows(const weft_proto *p) {
  bool all = weft_proto_n_out(p) > 0;
  for (uint32_t i = 0; i < weft_proto_n_out(p); i++)
    all &= weft_proto_out(p, i)->follow != NULL;
  return all;
}

// Of an Unknown: weft has the operator, but not the one before it.
static bool missing_waits(const weft_node *n) {
  bool waits = false;
  const weft_attr *a = weft_node_attr(n, "waits");
  return a && !weft_attr_get_bool(a, &waits, NULL) && waits;
}

// NULL: nothing.
static const char *missing_of(const weft_env *e, const weft_node *n) {
  const weft_proto *p = weft_node_proto(n);
  const weft_op *op = weft_proto_op(p);
  if (!strcmp(op->name, "Unknown"))
    return missing_waits(n) ? NULL : "everything: weft does not know it";
  const bool infers = op->infer || op->execute || missing_follows(p);
  const bool runs = op->ref || op->execute || weft_kernel_at(e, op->name, NULL, 0);
  if (infers && runs)
    return NULL;
  return runs ? "inference" : infers ? "a kernel" : "inference and a kernel: only its prototype is known";
}

static bool missing_add(missing *m, const weft_node *n, const char *lacks) {
  const char *name = node_label(n);
  for (size_t i = 0; i < m->n; i++) {
    if (!strcmp(m->v[i].name, name))
      return ++m->v[i].nodes;
  }
  if (m->n == m->room) {
    m->room = m->room ? 2 * m->room : 32;
    struct missing_op *more = realloc(m->v, m->room * sizeof *more);
    if (!more)
      return false;
    m->v = more;
  }
  struct missing_op *o = &m->v[m->n++];
  *o = (struct missing_op){.lacks = lacks, .nodes = 1};
  snprintf(o->name, sizeof o->name, "%s", name);
  snprintf(o->first, sizeof o->first, "%s", weft_node_name(n));
  return true;
}

static bool missing_look(missing *m, const weft_graph *g) {
  for (const weft_node *n = weft_graph_first(g); n; n = weft_node_next(n)) {
    const char *lacks = missing_of(weft_graph_env(g), n);
    m->all++;
    m->without += lacks != NULL;
    if (lacks && !missing_add(m, n, lacks))
      return false;
    for (uint32_t i = 0; i < weft_node_n_graphs(n); i++) {
      const weft_graph *body = weft_node_graph_at(n, i);
      if (body && !missing_look(m, body))
        return false;
    }
  }
  return true;
}

// The most frequent first, by name where they are equal.
static int missing_order(const void *a, const void *b) {
  const struct missing_op *x = a;
  const struct missing_op *y = b;
  if (x->nodes != y->nodes)
    return x->nodes < y->nodes ? 1 : -1;
  return strcmp(x->name, y->name);
}

static void missing_print(missing *m) {
  if (m->n)
    qsort(m->v, m->n, sizeof *m->v, missing_order);
  for (size_t i = 0; i < m->n; i++) {
    const struct missing_op *o = &m->v[i];
    printf("%-28s %5zu node%s  lacks %s; first '%s'\n", o->name, o->nodes, o->nodes == 1 ? " " : "s",
           o->lacks, o->first);
  }
  printf("%zu operator%s missing, in %zu of %zu nodes\n", m->n, m->n == 1 ? "" : "s", m->without, m->all);
}

int op_missing(const char *path) {
  weft_env *e = open_env();
  weft_graph *g;
  weft_diag d = {0};
  missing m = {0};
  if (!e)
    return EXIT_FAILED;
  weft_status s = load_to_look(e, path, &g, &d);
  if (!s) {
    s = missing_look(&m, g) ? WEFT_OK : weft_fail(&d, WEFT_E_NOMEM, "out of memory");
    if (!s)
      missing_print(&m);
    weft_graph_destroy(g);
  }
  free(m.v);
  weft_env_destroy(e);
  return s ? fail_with(&d) : EXIT_OK;
}
// SPDX-License-Identifier: Apache-2.0
