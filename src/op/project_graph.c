// project_graph.c - what graphs need of one operator: its index constants (R114), a function that adds a
// node, and the test that uses both.
#include "op/project.h"

// ---- constants ----

static void put_enum(const project_op *op, weft_text *t, const char *what, const char *comment,
                     const void *items, size_t n, size_t stride) {
  for (size_t i = 0; i < n; i++) {
    const char *upper = ((const char *const *)((const char *)items + i * stride))[1];
    if (!i)
      weft__text_addf(t, "enum {  // %s\n", comment);
    weft__text_addf(t, "  %s_%s_%s = %zu%s\n", op->upper, what, upper, i, i + 1 < n ? "," : "\n};");
  }
}

static weft_status index_header(project *p, const project_op *op) {
  weft_text t;
  weft__text_init(&t, &p->arena.alloc);
  project_put(p, op, &t,
              "// @snake@_index.h - IR indexes and attribute slots of @op@, so that nobody counts them.\n"
              "#pragma once\n\n");
  put_enum(op, &t, "IN", "inputs", op->in, op->n_in, sizeof *op->in);
  put_enum(op, &t, "OUT", "outputs", op->out, op->n_out, sizeof *op->out);
  put_enum(op, &t, "ATTR", "attributes", op->attrs, op->n_attrs, sizeof *op->attrs);
  return project_add(p, &t, false, "op_graph/%s_index.h", op->snake);
}

// ---- the builder function ----

static void put_table(const project_op *op, weft_text *t) {
  static const char *const kinds[] = {"", " optional", " dynamic"};
  for (size_t k = 0; k < op->n_in + op->n_out; k++) {
    bool in = k < op->n_in;
    const project_port *port = in ? &op->in[k] : &op->out[k - op->n_in];
    char format[48];
    weft__text_addf(t, "//   %-6s %-12s", in ? "input" : "output", port->name);
    for (size_t c = 0; c < op->n_columns; c++) {
      weft__text_addf(t, " %s/%s", weft_dtype_name(port->dtype[c]),
                      weft_format_text(port->format[c], format, sizeof format));
    }
    weft__text_addf(t, "%s\n", kinds[port->kind]);
  }
  for (size_t i = 0; i < op->n_attrs; i++) {
    weft__text_addf(t, "//   attr   %-12s %s%s\n", op->attrs[i].name, weft_attr_type_name(op->attrs[i].type),
                    op->attrs[i].dflt ? "" : ", required");
  }
}

static void put_parameters(const project_op *op, weft_text *t) {
  const char *separator = ",\n    ";
  for (size_t i = 0; i < op->n_in; i++) {
    const char *name = op->in[i].name;
    weft__text_addf(t, "%s", separator);
    if (op->in[i].kind != WEFT_DYNAMIC)
      weft__text_addf(t, "weft_value *in_%s", name);
    else
      weft__text_addf(t, "weft_value *const *in_%s, uint32_t n_in_%s", name, name);
  }
  weft__text_addf(t, "%sconst weft_named_attr *attrs, size_t n_attrs", separator);
  for (size_t i = 0; i < op->n_out; i++) {
    const char *name = op->out[i].name;
    weft__text_addf(t, "%sweft_value **out_%s", separator, name);
    if (op->out[i].kind == WEFT_DYNAMIC)
      weft__text_addf(t, ", uint32_t n_out_%s", name);
  }
  weft__text_addf(t, "%sweft_diag *d) {\n", separator);
}

static void put_counts(weft_text *t, const char *what, const project_port *ports, size_t n) {
  for (size_t i = 0; i < n; i++) {
    weft__text_addf(t, i ? ", " : "  uint32_t counts_%s[] = {", what);
    if (ports[i].kind == WEFT_REQUIRED)
      weft__text_addf(t, "1");
    else
      weft__text_addf(t, ports[i].kind == WEFT_OPTIONAL ? "%s_%s ? 1u : 0u" : "n_%s_%s", what, ports[i].name);
    if (i + 1 == n)
      weft__text_addf(t, "};\n");
  }
}

static void put_connections(const project_op *op, weft_text *t) {
  if (op->n_in)
    weft__text_addf(t, "  uint32_t at = 0;\n");
  for (size_t i = 0; i < op->n_in; i++) {
    const char *name = op->in[i].name;
    if (op->in[i].kind == WEFT_REQUIRED)
      weft__text_addf(t, "  if ((s = weft_node_connect(n, at++, in_%s, d))) return s;\n", name);
    else if (op->in[i].kind == WEFT_OPTIONAL) {
      weft__text_addf(t, "  if (in_%s && (s = weft_node_connect(n, at++, in_%s, d))) return s;\n", name,
                      name);
    } else {
      weft__text_addf(t,
                      "  for (uint32_t i = 0; i < n_in_%s; i++)\n"
                      "    if ((s = weft_node_connect(n, at++, in_%s[i], d))) return s;\n",
                      name, name);
    }
  }
  if (op->n_out)
    weft__text_addf(t, "  uint32_t from = 0;\n");
  for (size_t i = 0; i < op->n_out; i++) {
    const char *name = op->out[i].name;
    if (op->out[i].kind == WEFT_DYNAMIC) {
      weft__text_addf(t, "  for (uint32_t i = 0; i < n_out_%s; i++) out_%s[i] = weft_node_out(n, from++);\n",
                      name, name);
    } else if (op->out[i].kind == WEFT_OPTIONAL)
      weft__text_addf(t, "  if (out_%s) *out_%s = weft_node_out(n, from++);\n", name, name);
    else
      weft__text_addf(t, "  *out_%s = weft_node_out(n, from++);\n", name);
  }
  if (op->n_out)
    weft__text_addf(t, "  (void)from;\n");
  if (op->n_in)
    weft__text_addf(t, "  (void)at;\n");
}

static weft_status proto_header(project *p, const project_op *op) {
  weft_text t;
  weft__text_init(&t, &p->arena.alloc);
  project_put(
      p, op, &t,
      "// @snake@_proto.h - for those who build graphs with @op@: its prototype and a function that adds a "
      "node.\n// Entry i of every port together is one supported combination.\n");
  put_table(op, &t);
  project_put(p, op, &t,
              "#pragma once\n"
              "#include \"@snake@_index.h\"\n"
              "#include \"weft/graph.h\"\n"
              "\n"
              "#ifdef __cplusplus\n"
              "extern \"C\" {\n"
              "#endif\n"
              "// Adds a node of @op@. Optional ports: NULL leaves them out. Attributes that are not given "
              "have their "
              "defaults.\n"
              "static inline weft_status @snake@_node(weft_graph *g, const char *name");
  put_parameters(op, &t);
  put_counts(&t, "in", op->in, op->n_in);
  put_counts(&t, "out", op->out, op->n_out);
  weft__text_addf(&t, "  weft_use use = {name, attrs, n_attrs, %s, %s};\n  weft_node *n;\n",
                  op->n_in ? "counts_in" : "NULL", op->n_out ? "counts_out" : "NULL");
  project_put(p, op, &t,
              "  weft_status s = weft_graph_add_node(g, \"@op@\", &use, &n, d);\n  if (s) return s;\n");
  put_connections(op, &t);
  weft__text_addf(&t, "  return WEFT_OK;\n}\n#ifdef __cplusplus\n}\n#endif\n");
  return project_add(p, &t, false, "op_graph/%s_proto.h", op->snake);
}

// ---- the test ----

static const char TEST_HEAD[] =
    "// test_@snake@.c - the package loads; @op@ has the ports that its headers say; its examples hold; its "
    "kernel gives "
    "what\n"
    "// the reference gives; a graph with it fails with the message of the first function that is not "
    "written.\n"
    "//   test_@snake@ PACKAGE.so\n"
    "#include <stdio.h>\n"
    "#include <string.h>\n"
    "\n"
    "#include \"@snake@_proto.h\"\n"
    "#include \"weft/infer.h\"\n"
    "#include \"weft/laws.h\"\n"
    "\n"
    "static int failures;\n"
    "\n"
    "static void check(int ok, const char *what, const char *why) {\n"
    "  if (!ok) fprintf(stderr, \"FAIL %s%s%s\\n\", what, *why ? \": \" : \"\", why);\n"
    "  failures += !ok;\n"
    "}\n"
    "\n"
    "static void ports(const weft_proto *p) {\n"
    "  check(weft_proto_source(p) == WEFT_FROM_PACKAGE, \"the operator comes from the package\", "
    "weft_proto_origin(p));\n";
static const char TEST_EXAMPLES[] =
    "}\n"
    "\n"
    "static void examples(weft_env *e, const weft_proto *p) {\n"
    "  const char *const *x = weft_proto_op(p)->examples;\n"
    "  for (; x && *x; x++) {\n"
    "    weft_diag d = {0};\n"
    "    check(!weft_op_example(e, p, *x, &d), *x, d.text);\n"
    "  }\n"
    "}\n"
    "\n"
    "static void broken(void *ctx, const char *text) {\n"
    "  (void)ctx;\n"
    "  check(0, text, \"\");\n"
    "}\n"
    "\n"
    "// The tiled kernel against the reference, on the examples and on random shapes; one that refuses all "
    "is only told.\n"
    "static void kernels(weft_env *e, const weft_proto *p) {\n"
    "  weft_laws_options o = {.size = sizeof o, .report = broken};\n"
    "  weft_kernel_laws_result r = {.size = sizeof r};\n"
    "  weft_diag d = {0};\n"
    "  weft_status s = weft_op_kernel_laws(e, p, &o, &r, &d);\n"
    "  check(!s || s == WEFT_E_DIFFERENT || s == WEFT_E_MISSING, \"the laws of kernels\", d.text);\n"
    "  if (r.idle) printf(\"NOTE not tested: %s\\n\", r.idle_text);\n"
    "  if (r.single) printf(\"NOTE tested in one block only: %s\\n\", r.single_text);\n"
    "}\n"
    "\n";
static const char TEST_GRAPH[] =
    "// Expects the message of the stub; replace it by the shapes that the operator gives when InferShape is "
    "written.\n"
    "static void graph(weft_env *e) {\n"
    "  const weft_dim dims[] = {2};\n"
    "  weft_diag d = {0};\n"
    "  weft_graph *g = NULL;\n"
    "  (void)dims;\n"
    "  check(!weft_graph_create(e, \"test\", &g, &d), \"a graph\", d.text);\n"
    "  if (!g) return;\n";
static const char TEST_MAIN[] =
    "int main(int argc, char **argv) {\n"
    "  weft_env_options o = {.size = sizeof o, .package_path = \"\"};\n"
    "  weft_env *e = NULL;\n"
    "  weft_diag d = {0};\n"
    "  if (argc != 2 || weft_env_create(&o, &e, &d) || weft_load_package(e, argv[1], &d)) {\n"
    "    fprintf(stderr, \"FAIL %s\\n\", argc != 2 ? \"usage: test_@snake@ PACKAGE.so\" : d.text);\n"
    "    weft_env_destroy(e);\n"
    "    return 1;\n"
    "  }\n"
    "  const weft_proto *p = weft_find(e, \"@op@\");\n"
    "  check(p != NULL, \"@op@ is found\", \"\");\n"
    "  if (p) {\n"
    "    ports(p);\n"
    "    examples(e, p);\n"
    "    kernels(e, p);\n";

static void put_index_checks(const project_op *op, weft_text *t) {
  for (size_t i = 0; i < op->n_in; i++) {
    weft__text_addf(t, "  check(weft_proto_find_in(p, \"%s\") == %s_IN_%s, \"index of input\", \"%s\");\n",
                    op->in[i].name, op->upper, op->in[i].upper, op->in[i].name);
  }
  for (size_t i = 0; i < op->n_out; i++) {
    weft__text_addf(t, "  check(weft_proto_find_out(p, \"%s\") == %s_OUT_%s, \"index of output\", \"%s\");\n",
                    op->out[i].name, op->upper, op->out[i].upper, op->out[i].name);
  }
  for (size_t i = 0; i < op->n_attrs; i++) {
    weft__text_addf(
        t, "  check(weft_proto_find_attr(p, \"%s\") == %s_ATTR_%s, \"slot of attribute\", \"%s\");\n",
        op->attrs[i].name, op->upper, op->attrs[i].upper, op->attrs[i].name);
  }
}

static size_t put_required_attrs(const project_op *op, weft_text *t) {
  size_t n = 0;
  for (size_t i = 0; i < op->n_attrs; i++)
    n += !op->attrs[i].dflt;
  if (!n)
    return 0;
  weft__text_addf(t,
                  "  weft_attr_pool *pool = NULL;\n"
                  "  weft_named_attr attrs[%zu];\n"
                  "  check(!weft_attr_pool_create(weft_env_allocator(e), &pool), \"memory\", \"\");\n",
                  n);
  size_t at = 0;
  for (size_t i = 0; i < op->n_attrs; i++) {
    const project_attr *a = &op->attrs[i];
    if (a->dflt)
      continue;
    weft__text_addf(t, "  attrs[%zu].name = \"%s\";\n  check(!weft_attr_pool_parse(pool, \"%s\", ", at,
                    a->name, weft_attr_type_name(a->type));
    project_put_c_string(t, project_sample(a->type));
    weft__text_addf(t, ", &attrs[%zu].value, &d), \"attribute\", d.text);\n", at++);
  }
  return n;
}

static void put_graph_test(const project *p, const project_op *op, weft_text *t) {
  project_put(p, op, t, TEST_GRAPH);
  size_t n_attrs = put_required_attrs(op, t);
  for (size_t i = 0; i < op->n_in; i++) {
    if (op->in[i].kind == WEFT_OPTIONAL)
      continue;
    bool dynamic = op->in[i].kind == WEFT_DYNAMIC;
    weft__text_addf(t, "  weft_value *in_%s%sweft_graph_input(g, \"in_%s\", %s, dims, 1, &d)%s;\n",
                    op->in[i].name, dynamic ? "[] = {" : " = ", op->in[i].name,
                    project_dtype_c(op->in[i].dtype[op->plain]), dynamic ? "}" : "");
  }
  for (size_t i = 0; i < op->n_out; i++)
    weft__text_addf(t, "  weft_value *out_%s = NULL;\n", op->out[i].name);
  project_put(p, op, t, "  weft_status s = @snake@_node(g, \"node\", ");
  for (size_t i = 0; i < op->n_in; i++) {
    if (op->in[i].kind == WEFT_OPTIONAL)
      weft__text_addf(t, "NULL, ");
    else
      weft__text_addf(t, op->in[i].kind == WEFT_DYNAMIC ? "in_%s, 1, " : "in_%s, ", op->in[i].name);
  }
  if (n_attrs)
    weft__text_addf(t, "attrs, %zu, ", n_attrs);
  else
    weft__text_addf(t, "NULL, 0, ");
  for (size_t i = 0; i < op->n_out; i++)
    weft__text_addf(t, op->out[i].kind == WEFT_DYNAMIC ? "&out_%s, 1, " : "&out_%s, ", op->out[i].name);
  weft__text_addf(t, "&d);\n  check(!s, \"a node\", d.text);\n");
  for (size_t i = 0; i < op->n_out; i++)
    weft__text_addf(t, "  if (!s) s = weft_graph_output(g, out_%s, &d);\n", op->out[i].name);
  weft__text_addf(t,
                  "  if (!s) s = weft_graph_infer(g, NULL, NULL, &d);\n"
                  "  check(s == WEFT_E_INCOMPLETE && strstr(d.text, \"%s\"),\n"
                  "        \"graph() expects the failure of the stub: now that it is written, expect "
                  "success\", d.text);\n"
                  "  weft_graph_destroy(g);\n%s}\n\n",
                  project_stub(op), n_attrs ? "  weft_attr_pool_destroy(pool);\n" : "");
}

static weft_status test_source(project *p, const project_op *op) {
  weft_text t;
  bool graph = op->plain < op->n_columns;
  weft__text_init(&t, &p->arena.alloc);
  project_put(p, op, &t, TEST_HEAD);
  put_index_checks(op, &t);
  weft__text_addf(&t, "%s", TEST_EXAMPLES);
  if (graph)
    put_graph_test(p, op, &t);
  project_put(p, op, &t, TEST_MAIN);
  weft__text_addf(&t, "%s  }\n  weft_env_destroy(e);\n  return failures ? 1 : 0;\n}\n",
                  graph ? "    graph(e);\n" : "");
  return project_add(p, &t, false, "tests/test_%s.c", op->snake);
}

weft_status project_graph_files(project *p, const project_op *op) {
  WEFT_TRY(index_header(p, op));
  WEFT_TRY(proto_header(p, op));
  return test_source(p, op);
}
// SPDX-License-Identifier: Apache-2.0
