// op_tile.c - `weft op tile`: calls an operator's tiling function and shows what it chose.
#include "op.h"
#include "op_inputs.h"

const char op_tile_help[] =
    "weft op tile NAME [INPUT...] [--attr NAME=VALUE]... [--soc NAME]\n\n"
    "Calls the tiling function of one operator and prints its choice: key, blocks, workspaces, the record\n"
    "in hexadecimal and, where the operator says what lies in it, field by field. Inputs are written as\n"
    "for `weft op run`; where values do not matter a type and a shape are enough. --soc: the processor to\n"
    "tile for (cpu, npusim, ascend310p, ascend910b, ...); without it the operator decides, and one of a\n"
    "package in C++ tiles for cpu. Operators that only have kernels of weft's are tiled by those.\n\n"
    "  weft op tile AddCustom x=f32[32,128] y=f32[32,128] --soc ascend910b\n";

enum { TILE_ATTRS = 64, TILE_TENSORS = 256, TILE_RECORD = 1 << 16 };

typedef struct tile_args {
  op_inputs inputs;
  const char *input[OP_INPUTS];
  size_t n_input;
  weft_named_attr attrs[TILE_ATTRS];
  const char *text[TILE_ATTRS];  // NAME=VALUE of attributes
  size_t n_attrs;
  const char *name, *soc;
} tile_args;

typedef struct tile_node {  // the operator in a graph of its own
  weft_tensor_desc desc[TILE_TENSORS];
  const weft_layout *layout[TILE_TENSORS];
  weft_dtype dtype[TILE_TENSORS];
  weft_format format[TILE_TENSORS];
  const weft_tensor *value[TILE_TENSORS];
  _Alignas(64) uint8_t record[TILE_RECORD];
} tile_node;

static weft_status add_value(weft_graph *g, size_t i, const weft_tensor *t, weft_value **out, weft_diag *d) {
  char name[32];
  snprintf(name, sizeof name, "in%zu", i);
  *out = NULL;
  if (!t)
    return WEFT_OK;
  if (t->data)
    *out = weft_graph_const(g, name, t, WEFT_CONST_BORROW, d);
  else
    *out = weft_graph_input(g, name, t->dtype, t->layout.origin.dim, t->layout.origin.rank, d);
  return *out ? WEFT_OK : d->status;
}

static weft_status add_operator(weft_graph *g, tile_args *c, weft_node **out, weft_diag *d) {
  weft_value *in[OP_INPUTS];
  const weft_use use = {.attrs = c->attrs, .n_attrs = c->n_attrs, .in_counts = c->inputs.counts};
  for (size_t i = 0; i < c->inputs.n; i++)
    WEFT_TRY(add_value(g, i, c->inputs.in[i], &in[i], d));
  WEFT_TRY(weft_graph_add(g, c->name, &use, in, c->inputs.n, out, d));
  return weft_graph_infer(g, NULL, NULL, d);
}

static weft_status describe(tile_node *n, uint32_t i, const weft_value *v, const char *what, weft_diag *d) {
  weft_tensor_desc *desc = &n->desc[i];
  weft_desc_init(desc);
  if (v)
    weft_value_desc(v, desc);
  if (v && weft_desc_elems(desc) < 0) {
    return weft_fail(d, WEFT_E_SHAPE,
                     "%s '%s' has a shape that is not known: give the values of the inputs that decide it",
                     what, weft_value_name(v));
  }
  n->layout[i] = &desc->layout;
  n->dtype[i] = desc->dtype;
  n->format[i] = desc->format;
  n->value[i] = v ? weft_value_data(v) : NULL;
  return WEFT_OK;
}

static weft_status describe_node(tile_node *n, const weft_node *node, weft_diag *d) {
  const weft_op_desc *desc = weft_node_desc(node);
  if (desc->n_in > TILE_TENSORS || desc->n_out > TILE_TENSORS - desc->n_in)
    return weft_fail(d, WEFT_E_LIMIT, "more than %d inputs and outputs", TILE_TENSORS);
  for (uint32_t i = 0; i < desc->n_in; i++)
    WEFT_TRY(describe(n, i, weft_node_in(node, i), "input", d));
  for (uint32_t i = 0; i < desc->n_out; i++)
    WEFT_TRY(describe(n, desc->n_in + i, weft_node_out(node, i), "output", d));
  return WEFT_OK;
}

static void print_bytes(const uint8_t *record, size_t bytes) {
  for (size_t at = 0; at < bytes; at++) {
    if (at % 16 == 0)
      printf("%s  %04zx ", at ? "\n" : "", at);
    printf(" %02x", record[at]);
  }
  if (bytes)
    printf("\n");
}

static weft_status print_field(const weft_tiling *t, const weft_tiling_field *f, weft_diag *d) {
  const uint32_t bits = weft_dtype_bits(f->dtype);
  if (!bits || bits % 8 || f->at > t->data_bytes || f->elements > (t->data_bytes - f->at) / (bits / 8)) {
    return weft_fail(d, WEFT_E_RANGE, "field '%s' ends behind the record of %zu bytes", f->name,
                     t->data_bytes);
  }
  weft_tensor values;
  const weft_dim n = (weft_dim)f->elements;
  weft_tensor_init(&values, NULL);
  weft_status s = weft_tensor_alloc(&values, f->dtype, &n, 1, d);
  if (!s) {
    memcpy(values.data, (const uint8_t *)t->data + f->at, f->elements * (bits / 8));
    printf("  %s = ", f->name);
    s = weft_tensor_print(&values, 64, to_stdout, NULL);
    printf("\n");
  }
  weft_tensor_deinit(&values);
  return s;
}

static weft_status print_tiling(const weft_tiling *t, const weft_tiling_said *said, weft_diag *d) {
  printf("key %llu\nblocks %u\nphases %u\nschedule %u\nworkspaces %u", (unsigned long long)t->key, t->blocks,
         t->phases, said->schedule, t->n_workspaces);
  for (uint32_t i = 0; i < t->n_workspaces; i++)
    printf("%s%zu", i ? ", " : ": ", t->workspace_bytes[i]);
  printf("\ndata %zu bytes\n", t->data_bytes);
  print_bytes(t->data, t->data_bytes);
  for (uint32_t i = 0; i < said->n_fields; i++)
    WEFT_TRY(print_field(t, &said->fields[i], d));
  return WEFT_OK;
}

static weft_status call_tiling(weft_env *e, const tile_args *c, tile_node *n, const weft_node *node,
                               weft_diag *d) {
  const weft_op_desc *desc = weft_node_desc(node);
  weft_tiling_said said = {.size = sizeof said};
  const weft_tiling_target target = {.size = sizeof target, .soc = c->soc, .said = &said};
  weft_tiling t = {.size = sizeof t,
                   .n_in = desc->n_in,
                   .n_out = desc->n_out,
                   .desc = desc,
                   .host = weft_env_host(e),
                   .d = d,
                   .in = n->layout,
                   .out = n->layout + desc->n_in,
                   .in_dtype = n->dtype,
                   .out_dtype = n->dtype + desc->n_in,
                   .in_format = n->format,
                   .out_format = n->format + desc->n_in,
                   .value = n->value,
                   .device = &target,
                   .phases = 1,
                   .data = n->record,
                   .data_cap = sizeof n->record,
                   .atomic_clean = 1};
  if (!desc->op->tile) {
    return weft_fail(d, WEFT_E_UNSUPPORTED,
                     "operator '%s' has no tiling function of its own: one is given by weft_op.tile, or in "
                     "CANN's C++ by Tiling",
                     c->name);
  }
  weft_status s = desc->op->tile(&t);
  if (s)
    return s;
  if (t.data_bytes > t.data_cap || t.n_workspaces > 16) {
    return weft_fail(d, WEFT_E_RANGE,
                     "the tiling function says %zu bytes of data and %u workspaces; room is "
                     "for %zu and 16",
                     t.data_bytes, t.n_workspaces, t.data_cap);
  }
  return print_tiling(&t, &said, d);
}

// What a tiling is asked with.
typedef struct tile_parts {
  weft_attr_pool *pool;
  weft_graph *g;
  tile_node *n;
} tile_parts;

static weft_status tile_with(weft_env *e, tile_args *c, tile_parts *parts, weft_diag *d) {
  const weft_proto *p;
  weft_node *node;
  WEFT_TRY(weft_get(e, c->name, &p, d));
  WEFT_TRY(weft_attr_pool_create(weft_env_allocator(e), &parts->pool));
  WEFT_TRY(op_attrs_read(c->text, c->n_attrs, p, parts->pool, c->attrs, d));
  WEFT_TRY(op_inputs_read(&c->inputs, p, c->input, c->n_input, d));
  WEFT_TRY(weft_graph_create(e, "tile", &parts->g, d));
  WEFT_TRY(add_operator(parts->g, c, &node, d));
  WEFT_TRY(describe_node(parts->n, node, d));
  return call_tiling(e, c, parts->n, node, d);
}

static weft_status tile(weft_env *e, tile_args *c, weft_diag *d) {
  tile_parts parts = {.n = calloc(1, sizeof *parts.n)};
  weft_status s = parts.n ? tile_with(e, c, &parts, d) : weft_fail(d, WEFT_E_NOMEM, "out of memory");
  weft_graph_destroy(parts.g);
  weft_attr_pool_destroy(parts.pool);
  free(parts.n);
  return s;
}

// EXIT_OK, or what the process ends with.
static int read_args(args *a, tile_args *c) {
  const char *v;
  while (a->at < a->argc) {
    if (arg_value(a, "--attr", &v)) {
      if (c->n_attrs == TILE_ATTRS)
        return usage_error(op_tile_help, "more than %d attributes", TILE_ATTRS);
      c->text[c->n_attrs++] = v;
    } else if (arg_value(a, "--soc", &c->soc)) {
    } else if (!arg_positional(a, &v)) {
      return unexpected(op_tile_help, a->argv[a->at]);
    } else if (!c->name) {
      c->name = v;
    } else if (c->n_input == OP_INPUTS) {
      return usage_error(op_tile_help, "more than %d inputs", OP_INPUTS);
    } else {
      c->input[c->n_input++] = v;
    }
  }
  return c->name ? EXIT_OK : usage_error(op_tile_help, "no operator given");
}

int op_tile(int argc, char **argv) {
  args a = {argc, 1, argv, op_tile_help};
  static tile_args c;
  weft_diag d = {0};
  memset(&c, 0, sizeof c);
  c.inputs.shapes = true;
  int status = read_args(&a, &c);
  weft_env *e = status ? NULL : open_env();
  if (!status && !e)
    status = EXIT_FAILED;
  if (e && tile(e, &c, &d))
    status = fail_with(&d);
  op_inputs_drop(&c.inputs);
  weft_env_destroy(e);
  return status;
}
// SPDX-License-Identifier: Apache-2.0
