// op_case.c - runs one case: by the call of a single operator, or as a graph of one node (op_case.h).
#include "op_case.h"

enum { CASE_TENSORS = 256, CASE_ATTRS = 64 };

typedef struct call {
  weft_env *e;
  const weft_proto *p;
  const char *dir;
  weft_attr_pool *pool;
  weft_named_attr attrs[CASE_ATTRS];
  weft_tensor in[CASE_TENSORS], out[CASE_TENSORS];
  const weft_tensor *ins[CASE_TENSORS];
  const char *names[CASE_TENSORS];  // of the ports that the inputs are of
  size_t n_in, n_out;
  uint32_t in_counts[CASE_TENSORS], out_counts[CASE_TENSORS];  // by port
  weft_use use;
} call;

// ---- what goes in ----
static size_t case_instance(const json *entry) {
  const double rel = json_number(entry, "rel", 0);
  return rel > 0 && rel < CASE_TENSORS ? (size_t)rel : 0;
}

// The entry of a list for this port and place; NULL: none.
static const json *case_entry(const json *list, const char *port, size_t instance) {
  for (size_t i = 0; list && i < list->n; i++) {
    const char *name = json_text(&list->items[i], "port");
    if (name && !strcmp(name, port) && case_instance(&list->items[i]) == instance)
      return &list->items[i];
  }
  return NULL;
}

static weft_status case_port_in(call *c, const json *list, uint32_t port, weft_diag *d) {
  const char *name = weft_proto_in(c->p, port)->name;
  const json *entry;
  uint32_t n = 0;
  while ((entry = case_entry(list, name, n))) {
    if (c->n_in == CASE_TENSORS)
      return weft_fail(d, WEFT_E_LIMIT, "more than %d inputs", CASE_TENSORS);
    weft_tensor *t = &c->in[c->n_in];
    c->names[c->n_in] = name;
    c->ins[c->n_in++] = t;
    n++;
    weft_status s = op_case_tensor(c->dir, entry, t, d);
    if (s)
      weft_note(d, "while reading input '%s'", name);
    WEFT_TRY(s);
  }
  c->in_counts[port] = n;
  return WEFT_OK;
}

// Every entry names a port that the operator has; without that, a case could pass with an input left out.
static weft_status case_ports_known(const json *list, const weft_proto *p, bool input, weft_diag *d) {
  for (size_t i = 0; list && i < list->n; i++) {
    const char *name = json_text(&list->items[i], "port");
    const int port = !name ? -1 : input ? weft_proto_find_in(p, name) : weft_proto_find_out(p, name);
    if (port < 0) {
      return weft_fail(d, WEFT_E_NOT_FOUND, "the operator has no %s '%s'", input ? "input" : "output",
                       name ? name : "");
    }
  }
  return WEFT_OK;
}

static weft_status case_ins(call *c, const json *j, weft_diag *d) {
  const json *list = json_get(j, "inputs");
  const uint32_t ports = weft_proto_n_in(c->p);
  if (ports > CASE_TENSORS)
    return weft_fail(d, WEFT_E_LIMIT, "more than %d input ports", CASE_TENSORS);
  WEFT_TRY(case_ports_known(list, c->p, true, d));
  for (uint32_t i = 0; i < ports; i++)
    WEFT_TRY(case_port_in(c, list, i, d));
  size_t listed = list ? list->n : 0;
  if (listed != c->n_in)
    return weft_fail(d, WEFT_E_SYNTAX, "%zu inputs are listed, %zu have a place", listed, c->n_in);
  return WEFT_OK;
}

// A required output is there; another one where the case has it.
static weft_status case_outs(call *c, const json *j, weft_diag *d) {
  const json *list = json_get(j, "outputs");
  const uint32_t ports = weft_proto_n_out(c->p);
  if (ports > CASE_TENSORS)
    return weft_fail(d, WEFT_E_LIMIT, "more than %d output ports", CASE_TENSORS);
  WEFT_TRY(case_ports_known(list, c->p, false, d));
  for (uint32_t i = 0; i < ports; i++) {
    const weft_port *port = weft_proto_out(c->p, i);
    uint32_t n = 0;
    while (case_entry(list, port->name, n))
      n++;
    c->out_counts[i] = port->kind == WEFT_REQUIRED ? 1 : n;
    c->n_out += c->out_counts[i];
  }
  if (c->n_out > CASE_TENSORS)
    return weft_fail(d, WEFT_E_LIMIT, "more than %d outputs", CASE_TENSORS);
  for (size_t i = 0; i < c->n_out; i++)
    weft_tensor_init(&c->out[i], NULL);
  return WEFT_OK;
}

static weft_status case_read(call *c, const json *j, weft_diag *d) {
  const json *attrs = json_get(j, "attrs");
  const size_t n_attrs = attrs ? attrs->n : 0;
  WEFT_TRY(case_ins(c, j, d));
  WEFT_TRY(case_outs(c, j, d));
  if (n_attrs > CASE_ATTRS)
    return weft_fail(d, WEFT_E_LIMIT, "more than %d attributes", CASE_ATTRS);
  WEFT_TRY(weft_attr_pool_create(weft_env_allocator(c->e), &c->pool));
  WEFT_TRY(op_case_attrs(c->p, attrs, c->pool, c->attrs, d));
  c->use = (weft_use){
      .attrs = c->attrs, .n_attrs = n_attrs, .in_counts = c->in_counts, .out_counts = c->out_counts};
  return WEFT_OK;
}

static void case_drop(call *c) {
  for (size_t i = 0; i < c->n_in; i++)
    weft_tensor_deinit(&c->in[i]);
  for (size_t i = 0; i < c->n_out; i++)
    weft_tensor_deinit(&c->out[i]);
  weft_attr_pool_destroy(c->pool);
  free(c);
}

// ---- running ----
static weft_value *case_value(const call *c, const op_case_options *o, weft_graph *g, size_t i,
                              weft_diag *d) {
  const weft_tensor *t = &c->in[i];
  const size_t rank = t->layout.origin.rank;
  weft_dim dims[WEFT_MAX_RANK];
  char name[160];
  snprintf(name, sizeof name, "%.100s_%zu", c->names[i], i);
  if (o->constants && i)
    return weft_graph_const(g, name, t, WEFT_CONST_COPY, d);
  for (size_t k = 0; k < rank; k++)
    dims[k] = o->unknown ? -1 : t->layout.origin.dim[k];
  return weft_graph_input(g, name, t->dtype, dims, rank, d);
}

static weft_status case_graph_of(const call *c, const op_case_options *o, weft_graph *g, weft_diag *d) {
  weft_value *values[CASE_TENSORS];
  weft_node *node;
  for (size_t i = 0; i < c->n_in; i++) {
    values[i] = case_value(c, o, g, i, d);
    if (!values[i])
      return d->status;
  }
  WEFT_TRY(weft_graph_add(g, weft_proto_op(c->p)->name, &c->use, values, c->n_in, &node, d));
  for (size_t i = 0; i < c->n_out; i++)
    WEFT_TRY(weft_graph_output(g, weft_node_out(node, (uint32_t)i), d));
  return WEFT_OK;
}

static weft_status case_run_graph(call *c, const op_case_options *o, weft_diag *d) {
  weft_graph *g;
  runner r = {0};
  WEFT_TRY(weft_graph_create(c->e, "case", &g, d));
  weft_status s = case_graph_of(c, o, g, d);
  if (s) {
    weft_graph_destroy(g);
    return s;
  }
  s = runner_make(&r, g, &o->runner, d);
  if (!s)
    s = runner_run(&r, c->ins, weft_graph_n_inputs(r.g), c->out, c->n_out, d);
  runner_free(&r);
  return s;
}

static weft_status case_run(call *c, const op_case_options *o, weft_diag *d) {
  if (o->graph)
    return case_run_graph(c, o, d);
  return weft_run_op(c->e, c->p, &c->use, c->ins, c->n_in, c->out, c->n_out, NULL, d);
}

// ---- what came out ----
static weft_status case_same(const call *c, const weft_tensor *got, const json *entry, const json *j,
                             const char *what, weft_diag *d) {
  weft_tensor want;
  weft_status s = op_case_tensor(c->dir, entry, &want, d);
  if (!s)
    s = weft_tensor_compare(got, &want, json_number(j, "rtol", 1e-5), json_number(j, "atol", 1e-5), d);
  weft_tensor_deinit(&want);
  if (s)
    weft_note(d, "in %s '%s'", what, json_text(entry, "port"));
  return s;
}

static const weft_tensor *case_output(const call *c, const json *entry) {
  const int port = weft_proto_find_out(c->p, json_text(entry, "port"));
  size_t at = case_instance(entry);
  for (int i = 0; i < port; i++)
    at += c->out_counts[i];
  return at < c->n_out ? &c->out[at] : NULL;
}

static weft_status case_compare_outs(const call *c, const json *j, weft_diag *d) {
  const json *list = json_get(j, "outputs");
  for (size_t i = 0; list && i < list->n; i++) {
    const json *entry = &list->items[i];
    const weft_tensor *got = case_output(c, entry);
    if (!got)
      return weft_fail(d, WEFT_E_SYNTAX, "output '%s' is listed without those before it",
                       json_text(entry, "port"));
    WEFT_TRY(case_same(c, got, entry, j, "output", d));
  }
  return WEFT_OK;
}

// An output of the same name is the input's buffer after the call. Where there is none, the operator wrote to
// the tensor that it was given; a graph only reads its inputs.
static weft_status case_compare_after(const call *c, const op_case_options *o, const json *j, weft_diag *d) {
  const json *list = json_get(j, "inputs_after");
  for (size_t i = 0; list && i < list->n; i++) {
    const json *entry = &list->items[i];
    const char *port = json_text(entry, "port");
    const weft_tensor *got = NULL;
    if (port && weft_proto_find_out(c->p, port) >= 0)
      got = case_output(c, entry);
    for (size_t k = 0; port && !got && k < c->n_in; k++)
      got = strcmp(c->names[k], port) ? NULL : &c->in[k];
    if (o->graph && weft_proto_find_out(c->p, port ? port : "") < 0)
      continue;
    if (!got)
      return weft_fail(d, WEFT_E_NOT_FOUND, "the operator has no input '%s'", port ? port : "");
    WEFT_TRY(case_same(c, got, entry, j, "what the call left in input", d));
  }
  return WEFT_OK;
}

// A dtype that the prototype does not list may be refused.
static bool case_may_refuse(const json *j, const weft_diag *d) {
  const json *listed = json_get(j, "dtypes_in_prototype");
  const bool sure = listed && listed->kind == JSON_BOOL && listed->number != 0;
  return listed && !sure && d->status == WEFT_E_DTYPE;
}

// What weft lacks to run it at all; NULL: nothing.
static const char *case_lacks(weft_env *e, const char *op, const weft_proto **out) {
  if (weft_get(e, op, out, NULL))
    return "there is no operator of this name";
  const weft_op *o = weft_proto_op(*out);
  if (!o->ref && !o->execute)
    return "not there: only its prototype is known";
  return NULL;
}

static op_case_verdict case_finish(call *c, const json *j, const op_case_options *o, weft_diag *d) {
  weft_status s = case_read(c, j, d);
  if (s)
    return OP_CASE_FAILED;
  s = case_run(c, o, d);
  if (s)
    return case_may_refuse(j, d) ? OP_CASE_SKIPPED : OP_CASE_FAILED;
  s = case_compare_outs(c, j, d);
  if (!s)
    s = case_compare_after(c, o, j, d);
  return s ? OP_CASE_FAILED : OP_CASE_PASSED;
}

op_case_verdict op_case_run(weft_env *e, const char *dir, const char *op, const json *j,
                            const op_case_options *o, char *text, size_t cap) {
  const weft_proto *p;
  weft_diag d = {0};
  const char *lacks = case_lacks(e, op, &p);
  snprintf(text, cap, "%s", lacks ? lacks : "");
  if (lacks)
    return o->strict ? OP_CASE_FAILED : OP_CASE_SKIPPED;
  call *c = calloc(1, sizeof *c);
  if (!c) {
    snprintf(text, cap, "out of memory");
    return OP_CASE_FAILED;
  }
  c->e = e;
  c->p = p;
  c->dir = dir;
  op_case_verdict v = case_finish(c, j, o, &d);
  if (v != OP_CASE_PASSED)
    snprintf(text, cap, "%s [%s]", d.text, weft_status_name(d.status));
  case_drop(c);
  return v;
}
// SPDX-License-Identifier: Apache-2.0
