// project_op.c - the sources of one operator: descriptor with inference stubs, tiling, kernel. What the
// description does not say is not guessed: every function is a stub that fails with a message of its own
// (R314).
#include "op/project.h"

static const char HOST_HEAD[] =
    "// @snake@.c - @op@: its prototype, and how the dtype, shape and shape range of its outputs follow from "
    "its inputs.\n"
    "#include \"@snake@_index.h\"\n"
    "#include \"@snake@_kernel.h\"\n"
    "#include \"@snake@_tiling.h\"\n"
    "#include \"package.h\"\n"
    "\n"
    "// Sets the shape of every output: weft_set_out_shape, or weft_set_out_broadcast of two inputs; from "
    "the shapes of "
    "the\n"
    "// inputs (weft_in_shape), attributes (weft_node_int and its like) and values (weft_in_value, of inputs "
    "declared "
    "with\n"
    "// .value = WEFT_VALUE_INFER). A dim is a number, -1 when it is not known, or a name such as N, which "
    "is a number "
    "far\n"
    "// below -1: copy dims, and compute new ones with weft_dims_add, weft_dims_mul and their like, which "
    "let names "
    "pass.\n"
    "// A function that does arithmetic of its own must not carry the trait WEFT_SYMBOLIC below: it then "
    "gets -1 in the "
    "place\n"
    "// of every name, and the shapes that follow show -1, too. weft_unknown_rank(shape) tells a shape of "
    "unknown "
    "rank.\n"
    "// An output that always has the shape of an input needs no function: declare .follow = \"its name\",\n"
    "// .follow_what = WEFT_FOLLOW_ALL, and leave .infer out.\n"
    "static weft_status infer_shape(weft_infer *it) {\n"
    "  return it->host->fail(it->d, WEFT_E_INCOMPLETE, \"InferShape not implemented\");\n"
    "}\n"
    "\n";
static const char DTYPE_BY_COLUMN[] =
    "// An output that is not set here has the dtype of the column that the inputs choose.\n"
    "static weft_status infer_dtype(weft_infer *it) {\n"
    "  (void)it;\n"
    "  return WEFT_OK;\n"
    "}\n"
    "\n";
static const char DTYPE_OPEN[] =
    "// Equal inputs appear in columns with different outputs, so the columns alone do not decide: set the "
    "dtype of every\n"
    "// output with weft_set_out_dtype.\n"
    "static weft_status infer_dtype(weft_infer *it) {\n"
    "  return it->host->fail(it->d, WEFT_E_INCOMPLETE, \"InferDataType not implemented\");\n"
    "}\n"
    "\n";
static const char RANGE[] =
    "// Sets *it->out_min[i] and *it->out_max[i] from it->in_min and it->in_max; a dim of out_max is -1 when "
    "it has no bound.\n"
    "// Inputs may be of unknown rank here, too: weft_unknown_rank(it->in_max[i]).\n"
    "// When larger inputs never give smaller outputs, the trait WEFT_MONOTONE replaces this function.\n"
    "static weft_status infer_range(weft_infer *it) {\n"
    "  return it->host->fail(it->d, WEFT_E_INCOMPLETE, \"InferShapeRange not implemented\");\n"
    "}\n"
    "\n"
    "// Column i of every port together is one supported combination.\n";
static const char DESCRIPTOR_END[] =
    "    .summary = NULL,  // one line for `weft op list`: what it computes\n"
    "    .traits = WEFT_TILED | WEFT_SYMBOLIC,  // SYMBOLIC: infer_shape lets names of dims pass\n"
    "    .infer = infer_shape,\n"
    "    .infer_dtype = infer_dtype,\n"
    "    .infer_range = infer_range,\n"
    "    .ref = @snake@_ref,\n"
    "    .kernel = \"@snake@\",\n"
    "    .targets = WEFT_NAMES(\"cpu\"),\n"
    "    .tile = @snake@_tiling,\n";

static void put_columns(const project_op *op, weft_text *t, const char *what, const project_port *port) {
  char entry[128];
  char format[64];
  size_t at = t->n;
  weft__text_addf(t, "static const weft_column %s_%s[] = {", what, port->name);
  for (size_t c = 0; c < op->n_columns; c++) {
    size_t n = 0;
    weft__append(entry, sizeof entry, &n, "{%s, %s}", project_dtype_c(port->dtype[c]),
                 project_format_c(port->format[c], format, sizeof format));
    bool wrap = t->n - at + n + 4 > 110;
    if (c)
      weft__text_addf(t, wrap ? "," : ", ");
    if (wrap) {
      weft__text_addf(t, "\n");
      at = t->n;
      weft__text_addf(t, "    ");
    }
    weft__text_add(t, entry, n);
  }
  weft__text_addf(t, "};\n");
}

static void put_ports(weft_text *t, const char *what, const project_port *ports, size_t n) {
  static const char *const kinds[] = {"", ", .kind = WEFT_OPTIONAL", ", .kind = WEFT_DYNAMIC"};
  for (size_t i = 0; i < n; i++) {
    weft__text_addf(t, "%*s{.name = \"%s\"%s, .columns = %s_%s}%s", i ? (int)strlen(what) + 19 : 0, "",
                    ports[i].name, kinds[ports[i].kind], what, ports[i].name, i + 1 < n ? ",\n" : "");
  }
}

// One use of the operator, as an example writes it; false when every combination has a packed format.
static bool sample_use(const project_op *op, weft_text *t) {
  if (op->plain == op->n_columns)
    return false;
  for (size_t i = 0; i < op->n_in; i++) {
    const char *dtype = weft_dtype_name(op->in[i].dtype[op->plain]);
    weft__text_addf(t, "%s", i ? ", " : "");
    if (op->in[i].kind == WEFT_OPTIONAL)
      weft__text_addf(t, "_");
    else
      weft__text_addf(t, op->in[i].kind == WEFT_DYNAMIC ? "[%s[2]]" : "%s[2]", dtype);
  }
  for (size_t i = 0; i < op->n_attrs; i++) {
    if (!op->attrs[i].dflt)
      weft__text_addf(t, "%s%s=%s", t->n ? " " : "", op->attrs[i].name, project_sample(op->attrs[i].type));
  }
  weft__text_addf(t, "%s!! E_INCOMPLETE %s", t->n ? " " : "", project_stub(op));
  return true;
}

static void put_examples(const project *p, const project_op *op, weft_text *t) {
  weft_text use;
  weft__text_init(&use, &p->arena.alloc);
  if (sample_use(op, &use)) {
    weft__text_addf(t,
                    "    // What `weft op test` and the project's test check: one line a use (weft/laws.h).\n"
                    "    .examples = WEFT_NAMES(%s",
                    use.n > 76 ? "\n        " : "");
    project_put_c_string(t, use.v ? use.v : "");
    weft__text_addf(t, "),\n");
  } else {
    weft__text_addf(
        t, "    // No .examples yet: every combination has a packed format, whose shapes only you know.\n");
  }
  t->failed |= use.failed;
  weft__text_deinit(&use);
}

static void put_descriptor(const project *p, const project_op *op, weft_text *t) {
  project_put(p, op, t, "\nconst weft_op @snake@_op = {\n    WEFT_OP_HEAD,\n    .name = \"@op@\",\n");
  if (op->n_in) {
    weft__text_addf(t, "    .in = WEFT_PORTS(");
    put_ports(t, "in", op->in, op->n_in);
    weft__text_addf(t, "),\n");
  }
  if (op->n_out) {
    weft__text_addf(t, "    .out = WEFT_PORTS(");
    put_ports(t, "out", op->out, op->n_out);
    weft__text_addf(t, "),\n");
  }
  for (size_t i = 0; i < op->n_attrs; i++) {
    const project_attr *a = &op->attrs[i];
    weft__text_addf(t, i ? ",\n                        " : "    .attrs = WEFT_ATTRS(");
    weft__text_addf(t, "{.name = \"%s\", .type = \"%s\"", a->name, weft_attr_type_name(a->type));
    if (a->dflt)
      weft__text_addf(t, ", .dflt = ");
    if (a->dflt)
      project_put_c_string(t, a->dflt);
    weft__text_addf(t, "}%s", i + 1 == op->n_attrs ? "),\n" : "");
  }
  weft__text_addf(t, "    .n_columns = %zu,\n", op->n_columns);
  project_put(p, op, t, DESCRIPTOR_END);
  put_examples(p, op, t);
  weft__text_addf(t, "};\n");
}

static const char TILING_H[] =
    "// @snake@_tiling.h - the host's side of the kernel: what it tells the blocks, and the function that "
    "decides it.\n"
    "#pragma once\n"
    "#include \"weft/op.h\"\n"
    "\n"
    "// Plain numbers: a kernel never sees host structures. Replace the field by what the kernel needs.\n"
    "typedef struct @snake@_tiling_data {\n"
    "  uint64_t elems;\n"
    "} @snake@_tiling_data;\n"
    "\n"
    "weft_status @snake@_tiling(weft_tiling *t);\n";
static const char TILING_C[] =
    "// @snake@_tiling.c - splits the work of @op@ into blocks, once a shape.\n"
    "#include \"@snake@_tiling.h\"\n"
    "\n"
    "// Fills the @snake@_tiling_data at t->data (check t->data_cap, set t->data_bytes), sets t->blocks and, "
    "where needed,\n"
    "// t->phases, t->key and t->workspace_bytes. Shapes are in t->in[i]->storage. May not depend on the "
    "number of threads.\n"
    "weft_status @snake@_tiling(weft_tiling *t) {\n"
    "  return t->host->fail(t->d, WEFT_E_INCOMPLETE, \"Tiling not implemented\");\n"
    "}\n";
static const char KERNEL_H[] =
    "// @snake@_kernel.h - the kernel of @op@: what package.c and the descriptor need of it.\n"
    "#pragma once\n"
    "#include \"weft/op.h\"\n"
    "\n"
    "weft_status @snake@_ref(const weft_call *c);            // reference: plainest arithmetic, outputs are "
    "allocated\n"
    "weft_status @snake@_block(const weft_block *b);         // one block of the tiled kernel\n"
    "const char *@snake@_refuse(const weft_tiling *t);       // why the tiled kernel cannot take this use; "
    "NULL: it can\n";
static const char KERNEL_C[] =
    "// @snake@_kernel.c - the kernel of @op@, twice: the reference on whole tensors, which decides what is "
    "right, and one\n"
    "// block of the tiled kernel, which must agree with it.\n"
    "#include \"@snake@_kernel.h\"\n"
    "\n"
    "#include \"@snake@_tiling.h\"\n"
    "\n"
    "// Reads c->in[i]->data, writes c->out[i]->data (c->out[i] NULL: nobody reads it); absent optional "
    "inputs have no\n"
    "// instance. weft_elems(&c->out[0]->layout.origin) counts elements; weft_elem_f64 and weft_elem_put_f64 "
    "read and "
    "write\n"
    "// one of any real dtype. Use double for floating-point types and the type itself for integers "
    "(weft_elem_i64).\n"
    "weft_status @snake@_ref(const weft_call *c) {\n"
    "  return c->host->fail(c->d, WEFT_E_INCOMPLETE, \"Kernel not implemented\");\n"
    "}\n"
    "\n"
    "// b->data is the @snake@_tiling_data, b->arg inputs then outputs, b->block this block's number of "
    "b->blocks. Blocks run\n"
    "// in any order and at the same time: `weft op test` compares them with the reference, between guards, "
    "on random "
    "shapes.\n"
    "weft_status @snake@_block(const weft_block *b) {\n"
    "  (void)b;\n"
    "  return WEFT_E_INCOMPLETE;\n"
    "}\n"
    "\n"
    "// Return NULL when the block function is written.\n"
    "const char *@snake@_refuse(const weft_tiling *t) {\n"
    "  (void)t;\n"
    "  return \"Kernel not implemented\";\n"
    "}\n";

weft_status project_op_files(project *p, const project_op *op) {
  weft_text t;
  weft__text_init(&t, &p->arena.alloc);
  project_put(p, op, &t, HOST_HEAD);
  project_put(p, op, &t, op->dtype_open ? DTYPE_OPEN : DTYPE_BY_COLUMN);
  project_put(p, op, &t, RANGE);
  for (size_t i = 0; i < op->n_in; i++)
    put_columns(op, &t, "in", &op->in[i]);
  for (size_t i = 0; i < op->n_out; i++)
    put_columns(op, &t, "out", &op->out[i]);
  put_descriptor(p, op, &t);
  WEFT_TRY(project_add(p, &t, false, "op_host/%s.c", op->snake));
  project_put(p, op, &t, TILING_H);
  WEFT_TRY(project_add(p, &t, false, "op_host/%s_tiling.h", op->snake));
  project_put(p, op, &t, TILING_C);
  WEFT_TRY(project_add(p, &t, false, "op_host/%s_tiling.c", op->snake));
  project_put(p, op, &t, KERNEL_H);
  WEFT_TRY(project_add(p, &t, false, "op_kernel/%s_kernel.h", op->snake));
  project_put(p, op, &t, KERNEL_C);
  return project_add(p, &t, false, "op_kernel/%s_kernel.c", op->snake);
}
// SPDX-License-Identifier: Apache-2.0
