// export.c - a graph written as an ONNX model: inputs, outputs, constants as initializers, nodes by their
// rows. Values keep their names; what lies in bodies gets the body's number in front, because ONNX has one
// name space. A body reads what its node captures under the outer names.
#include "frontend/onnx/export.h"
#include "frontend/onnx/import.h"

#include "base/allocated.h"
#include "weft/onnx.h"

enum { EXPORT_IR = 10 };

// ---- names ----
static const char *export_keep(export *x, const char *text) {
  const char *kept = weft__arena_strdup(&x->arena, text, strlen(text));
  if (!kept && !x->failed)
    x->failed = weft_fail(x->d, WEFT_E_NOMEM, "out of memory");
  return kept ? kept : "";
}

static void export_call(export *x, const weft_value *v, const char *name) {
  const weft_value **key = WEFT_NEW(&x->arena, const weft_value *);
  bool kept = false;
  if (key) {
    *key = v;
    kept = !weft__map_set(&x->values, (const char *)key, sizeof *key, (void *)(uintptr_t)name);
  }
  if (!kept && !x->failed)
    x->failed = weft_fail(x->d, WEFT_E_NOMEM, "out of memory");
}

// A constant is written as an initializer of the graph that reads it.
static void export_need(export *x, const weft_value *v) {
  static const char yes = 1;
  if (weft_value_origin(v) != WEFT_VALUE_CONST || weft__map_find(&x->made, (const char *)&v, sizeof v))
    return;
  const weft_value **key = WEFT_NEW(&x->arena, const weft_value *);
  if (key)
    *key = v;
  if ((!key || weft__map_set(&x->made, (const char *)key, sizeof *key, (void *)(uintptr_t)&yes)) &&
      !x->failed)
    x->failed = weft_fail(x->d, WEFT_E_NOMEM, "out of memory");
}

const char *export_name(export *x, const weft_value *v) {
  if (!v)
    return "";
  export_need(x, v);
  const char *given = weft__map_find(&x->values, (const char *)&v, sizeof v);
  if (given)
    return given;
  if (!*x->prefix)
    return weft_value_name(v);
  char text[EXPORT_NAME];
  snprintf(text, sizeof text, "%s%.200s", x->prefix, weft_value_name(v));
  given = export_keep(x, text);
  export_call(x, v, given);
  return given;
}

const char *export_made(export *x) {
  char text[64];
  snprintf(text, sizeof text, "weft.%u", x->n_made++);
  return export_keep(x, text);
}

// ---- nodes ----
const char *export_op(export *x, const char *type, const char *const *in, size_t n_in, const char *const *out,
                      size_t n_out) {
  const char *made = n_out ? out[0] : export_made(x);
  char name[EXPORT_NAME];
  snprintf(name, sizeof name, "%s%.200s/%u", x->prefix, x->node ? weft_node_name(x->node) : "node",
           x->n_made++);
  while (n_in && !*in[n_in - 1])
    n_in--;
  onnxw_node(&x->w, type, export_keep(x, name), in, n_in, n_out ? out : &made, n_out ? n_out : 1);
  return made;
}

const char *export_op1(export *x, const char *type, const char *a, const char *b, const char *c,
                       const char *out) {
  const char *in[3] = {a, b ? b : "", c ? c : ""};
  return export_op(x, type, in, 3, out ? &out : NULL, out ? 1 : 0);
}

static const char *export_constant(export *x, int32_t type, int rank, const int64_t *dims, const void *data,
                                   size_t bytes) {
  const char *name = export_made(x);
  onnxw_init_raw(&x->w, name, type, rank, dims, data, bytes);
  return name;
}

const char *export_ints(export *x, const int64_t *v, size_t n, bool scalar) {
  int64_t dim = (int64_t)n;
  return export_constant(x, ONNX_INT64, !scalar, &dim, v, n * sizeof *v);
}

int32_t export_type(export *x, weft_dtype t) {
  weft_dtype of;
  (void)x;
  for (int32_t i = 1; i < 64; i++) {
    if (weft__onnx_dtype(i, &of) && of == t)
      return i;
  }
  return 0;
}

const char *export_number(export *x, weft_dtype t, double v) {
  uint64_t store[2] = {0, 0};
  weft_store_f64(t, store, 0, v);
  return export_constant(x, export_type(x, t), 0, NULL, store, weft_dtype_bits(t) / 8);
}

// ---- the node at hand ----
const weft_value *export_in_value(const export *x, uint32_t i) {
  const weft_op_desc *desc = &x->node->desc.pub;
  return i < desc->n_in_ports && desc->in_port[i].count ? x->node->in[desc->in_port[i].start].value : NULL;
}
const char *export_in(export *x, uint32_t i) {
  return export_name(x, export_in_value(x, i));
}
bool export_wanted(const export *x, uint32_t i) {
  return i < x->node->desc.pub.n_out && weft__value_read(&x->node->out[i]);
}
const char *export_out(export *x, uint32_t i) {
  return i < x->node->desc.pub.n_out && (!i || export_wanted(x, i)) ? export_name(x, &x->node->out[i]) : "";
}
const weft_attr *export_attr(const export *x, const char *name) {
  return weft_node_attr(x->node, name);
}
int64_t export_attr_int(const export *x, const char *name, int64_t dflt) {
  const weft_attr *a = export_attr(x, name);
  if (!a)
    return dflt;
  return a->type == WEFT_VT_BOOL ? a->u.b : a->u.i;
}
float export_attr_float(const export *x, const char *name, float dflt) {
  const weft_attr *a = export_attr(x, name);
  return a && a->type == WEFT_VT_FLOAT ? a->u.f : dflt;
}
bool export_attr_is(const export *x, const char *name, const char *text) {
  const weft_attr *a = export_attr(x, name);
  return a && a->type == WEFT_VT_STRING && a->n == strlen(text) && !memcmp(a->u.s, text, a->n);
}
weft_ints export_attr_ints(const export *x, const char *name) {
  const weft_attr *a = export_attr(x, name);
  return a && a->type == WEFT_VT_LIST_INT ? (weft_ints){a->u.ints, a->n} : (weft_ints){NULL, 0};
}

bool export_known(const weft_value *v, int64_t *out, size_t most, size_t *n) {
  const weft_tensor *t = v ? v->fact.value : NULL;
  if (!t || t->kind != WEFT_KIND_TENSOR || !t->data || !weft_dtype_is_integer(t->dtype))
    return false;
  *n = (size_t)weft_tensor_elems(t);
  for (size_t i = 0; i < *n && i < most; i++)
    out[i] = weft_load_i64(t->dtype, t->data, i);
  return *n <= most;
}

static void export_strings(export *x, const char *to, const weft_attr *a) {
  const char **v = WEFT_NEW_N(&x->arena, const char *, a->n + 1);
  for (size_t i = 0; v && i < a->n; i++)
    v[i] = weft__arena_strdup(&x->arena, a->u.strs[i].text, a->u.strs[i].bytes);
  if (v)
    onnxw_attr_strs(&x->w, to, v, a->n);
}

static void export_bools(export *x, const char *to, const weft_attr *a) {
  int64_t *v = WEFT_NEW_N(&x->arena, int64_t, a->n + 1);
  for (size_t i = 0; v && i < a->n; i++)
    v[i] = a->u.bools[i];
  if (v)
    onnxw_attr_ints(&x->w, to, v, a->n);
  else if (!x->failed)
    x->failed = weft_fail(x->d, WEFT_E_NOMEM, "out of memory");
}

static void export_types(export *x, const char *to, const weft_attr *a) {
  int64_t *v = WEFT_NEW_N(&x->arena, int64_t, a->n + 1);
  for (size_t i = 0; v && i < a->n; i++)
    v[i] = export_type(x, (weft_dtype)a->u.ints[i]);
  if (v)
    onnxw_attr_ints(&x->w, to, v, a->n);
  else if (!x->failed)
    x->failed = weft_fail(x->d, WEFT_E_NOMEM, "out of memory");
}

static void export_write_attr(export *x, const char *to, const weft_attr *a) {
  switch (a->type) {
    case WEFT_VT_INT:
      onnxw_attr_int(&x->w, to, a->u.i);
      return;
    case WEFT_VT_TYPE:
      onnxw_attr_int(&x->w, to, export_type(x, (weft_dtype)a->u.i));
      return;
    case WEFT_VT_BOOL:
      onnxw_attr_int(&x->w, to, a->u.b);
      return;
    case WEFT_VT_FLOAT:
      onnxw_attr_float(&x->w, to, a->u.f);
      return;
    case WEFT_VT_STRING:
      onnxw_attr_bytes(&x->w, to, a->u.s, a->n);
      return;
    case WEFT_VT_LIST_INT:
      onnxw_attr_ints(&x->w, to, a->u.ints, a->n);
      return;
    case WEFT_VT_LIST_FLOAT:
      onnxw_attr_floats(&x->w, to, a->u.floats, a->n);
      return;
    case WEFT_VT_LIST_STRING:
      export_strings(x, to, a);
      return;
    case WEFT_VT_LIST_BOOL:
      export_bools(x, to, a);
      return;
    case WEFT_VT_LIST_TYPE:
      export_types(x, to, a);
      return;
    default:
      if (!x->failed)
        x->failed =
            weft_fail(x->d, WEFT_E_UNSUPPORTED, "attribute '%s' of node '%s' cannot be written as ONNX", to,
                      weft_node_name(x->node));
  }
}

void export_pass(export *x, const char *to, const char *from) {
  const weft_attr *a = export_attr(x, from);
  bool empty = a && a->type == WEFT_VT_LIST_INT && !a->n;
  if (a && !empty)
    export_write_attr(x, to, a);
}

// "to<from to<from"
static void export_pass_all(export *x, const char *rules) {
  while (rules && *rules) {
    char to[64];
    char from[64];
    size_t n = strcspn(rules, "<");
    size_t m = strcspn(rules + n + 1, " ");
    snprintf(to, sizeof to, "%.*s", (int)n, rules);
    snprintf(from, sizeof from, "%.*s", (int)m, rules + n + 1);
    export_pass(x, to, from);
    rules += n + 1 + m;
    rules += *rules == ' ';
  }
}

// ---- any node ----
static const char *export_wide(export *x, const weft_value *v) {
  const char *name = export_name(x, v);
  if (!v || v->fact.dtype == WEFT_INT64 || !weft_dtype_is_integer(v->fact.dtype))
    return name;
  const char *wide = export_op1(x, "Cast", name, NULL, NULL, NULL);
  onnxw_attr_int(&x->w, "to", ONNX_INT64);
  return wide;
}
const char *export_places(export *x, uint32_t i) {
  return export_wide(x, export_in_value(x, i));
}

// Operators whose second input is INT64 in ONNX, whatever the primitive takes.
static bool export_wants_places(const char *onnx) {
  static const char *const names[] = {"Expand",  "GatherND", "Pad",  "ScatterND",
                                      "Squeeze", "Tile",     "TopK", "Unsqueeze"};
  for (size_t i = 0; i < WEFT_COUNT(names); i++) {
    if (!strcmp(names[i], onnx))
      return true;
  }
  return false;
}
static uint32_t export_dynamic(const weft_port *ports, uint32_t n) {
  uint32_t dynamic = 0;
  for (uint32_t i = 0; i < n; i++)
    dynamic += ports[i].kind == WEFT_DYNAMIC;
  return dynamic;
}
static void export_plain(export *x, const char *type) {
  const weft_op_desc *desc = &x->node->desc.pub;
  const bool counted =
      export_dynamic(x->node->desc.proto->out, x->node->desc.proto->n_out) > 1;  // export_counts
  const char **in = WEFT_NEW_N(&x->arena, const char *, (size_t)desc->n_in + desc->n_in_ports + 1);
  const char **out = WEFT_NEW_N(&x->arena, const char *, desc->n_out + 1);
  size_t n_out = desc->n_out;
  size_t n_in = 0;
  if (!in || !out) {
    x->failed = weft_fail(x->d, WEFT_E_NOMEM, "out of memory");
    return;
  }
  for (uint32_t p = 0; p < desc->n_in_ports; p++) {
    const weft_port_span port = desc->in_port[p];
    if (!port.count)  // absent
      in[n_in++] = "";
    for (uint32_t i = 0; i < port.count; i++)
      in[n_in++] = export_name(x, x->node->in[port.start + i].value);
  }
  if (n_in > 1 && export_wants_places(type))
    in[1] = export_places(x, 1);
  if (n_in > 3 && !strcmp(type, "Resize"))
    in[3] = export_places(x, 3);
  for (uint32_t i = 0; i < desc->n_out; i++)
    out[i] = export_out(x, i);
  while (n_out > 1 && !*out[n_out - 1] && !counted)
    n_out--;
  (void)export_op(x, type, in, n_in, out, n_out);
}

// "acme::Scale" is Scale of the domain "acme"; where nothing stands before the name, the domain is weft's.
static const char *export_own_domain(export *x, const char **type) {
  const char *colons = strstr(*type, "::");
  const char *name = colons ? *type : "weft";
  const size_t bytes = colons ? (size_t)(colons - *type) : strlen(name);
  export_domain **at = &x->domains;
  while (*at && (strlen((*at)->name) != bytes || memcmp((*at)->name, name, bytes) != 0))
    at = &(*at)->next;
  if (!*at) {
    export_domain *made = WEFT_NEW(&x->arena, export_domain);
    const char *kept = weft__arena_strdup(&x->arena, name, bytes);
    if (!made || !kept) {
      x->failed = x->failed ? x->failed : weft_fail(x->d, WEFT_E_NOMEM, "out of memory");
      return "";
    }
    *made = (export_domain){.name = kept};
    *at = made;
  }
  *type = colons ? colons + 2 : *type;
  return (*at)->name;
}

// Instances of each port, where several take as many as there are: ONNX has one list of inputs.
static void export_counts(export *x, const char *name, const weft_port_span *ports, const weft_port *declared,
                          uint32_t n) {
  int64_t *counts = WEFT_NEW_N(&x->arena, int64_t, n + 1);
  if (!counts) {
    x->failed = weft_fail(x->d, WEFT_E_NOMEM, "out of memory");
    return;
  }
  for (uint32_t i = 0; i < n; i++)
    counts[i] = ports[i].count;
  if (export_dynamic(declared, n) > 1)
    onnxw_attr_ints(&x->w, name, counts, n);
}

// Under its own name, with all its attributes, as weft reads it back.
static void export_own(export *x) {
  if (x->node->n_graphs) {
    x->failed =
        weft_fail(x->d, WEFT_E_UNSUPPORTED, "node '%s' (%s) has a body, and ONNX has no such operator",
                  weft_node_name(x->node), weft_node_type(x->node));
    return;
  }
  const weft_op_desc *desc = &x->node->desc.pub;
  const char *type = weft_node_type(x->node);
  const char *domain = export_own_domain(x, &type);
  export_plain(x, type);
  onnxw_domain(&x->w, domain);
  for (uint32_t i = 0; i < desc->n_attr; i++) {
    const weft_attr *a = desc->attr[i];
    bool empty =
        !a ||
        ((a->type == WEFT_VT_LIST_INT || a->type == WEFT_VT_LIST_FLOAT || a->type == WEFT_VT_LIST_STRING) &&
         !a->n);
    if (!empty)
      export_write_attr(x, x->node->desc.proto->attrs[i].name, a);
  }
  const weft_proto *p = x->node->desc.proto;
  export_counts(x, ONNX_IN_COUNTS, desc->in_port, p->in, p->n_in);
  export_counts(x, ONNX_OUT_COUNTS, desc->out_port, p->out, p->n_out);
}

static void export_node(export *x, const weft_node *n) {
  x->node = n;
  const export_row *row = export_find(weft_node_type(n));
  if (row && row->fn) {
    if (!row->fn(x))
      export_own(x);
    return;
  }
  if (!row) {
    export_own(x);
    return;
  }
  export_plain(x, row->onnx);
  export_pass_all(x, row->attrs);
}

// ---- graphs ----
static void export_info(export *x, const weft_value *v, bool input) {
  weft_tensor_desc desc;
  int64_t dims[WEFT_MAX_RANK];
  const char *params[WEFT_MAX_RANK];
  weft_value_desc(v, &desc);
  const weft_shape *s = &desc.layout.origin;
  int rank = weft_shape_is_unknown_rank(s) || s->rank > WEFT_MAX_RANK ? -1 : (int)s->rank;
  int32_t type = export_type(x, desc.dtype);
  if (!type && !x->failed)
    x->failed = weft_fail(x->d, WEFT_E_DTYPE, "value '%s' has dtype %s, which ONNX does not have",
                          weft_value_name(v), weft_dtype_serial(desc.dtype));
  for (int i = 0; i < rank; i++) {
    char text[128];
    dims[i] = s->dim[i] >= 0 ? s->dim[i] : -1;
    params[i] = NULL;
    if (weft_dim_is_symbol(s->dim[i]))
      params[i] = export_keep(x, weft_dim_text(weft_graph_symbols(v->graph), s->dim[i], text, sizeof text));
    if (params[i] && strpbrk(params[i], "*+-/( "))  // not a name
      params[i] = NULL;
  }
  (input ? onnxw_input : onnxw_output)(&x->w, export_name(x, v), type, rank, dims, params);
}

// Text, and elements below a byte.
static void export_as_tensor(export *x, const weft_tensor *t, const char *name) {
  weft_text text;
  weft__text_init(&text, &x->g->root->alloc);
  weft_status s = weft_onnx_write_tensor(t, name, weft__text_write, &text, x->d);
  if (s && !x->failed)
    x->failed = s;
  if (!s)
    onnxw_init_message(&x->w, text.v, text.n);
  weft__text_deinit(&text);
}

static void export_initializer(export *x, const weft_value *v) {
  const weft_tensor *t = weft_value_data(v);
  int64_t dims[WEFT_MAX_RANK];
  int32_t type = t ? export_type(x, t->dtype) : 0;
  if (t && type && t->kind == WEFT_KIND_TENSOR &&
      (t->dtype == WEFT_STRING || weft_dtype_bits(t->dtype) % 8)) {
    export_as_tensor(x, t, export_name(x, v));
    return;
  }
  if (!t || !type || t->kind != WEFT_KIND_TENSOR) {
    if (!x->failed)
      x->failed =
          weft_fail(x->d, WEFT_E_UNSUPPORTED, "constant '%s' cannot be written as ONNX", weft_value_name(v));
    return;
  }
  int rank = (int)t->layout.origin.rank;
  for (int i = 0; i < rank; i++)
    dims[i] = t->layout.origin.dim[i];
  onnxw_init_raw(&x->w, export_name(x, v), type, rank, dims, t->data,
                 (size_t)weft_tensor_elems(t) * (weft_dtype_bits(t->dtype) / 8));
}

static void export_nodes(export *x, const weft_graph *g) {
  for (const weft_node *n = weft_graph_first(g); n && !x->failed; n = weft_node_next(n))
    export_node(x, n);
}

// What the nodes asked for, and outputs that are constants.
static void export_constants(export *x, const weft_graph *g) {
  for (size_t i = 0; i < g->consts.n && !x->failed; i++) {
    const weft_value *v = g->consts.v[i];
    if (v->n_outputs || weft__map_find(&x->made, (const char *)&v, sizeof v))
      export_initializer(x, v);
  }
}

void export_body(export *x, const char *attr, const weft_graph *g, size_t n_own, uint32_t first_captured) {
  const weft_node *node = x->node;
  const weft_graph *outer = x->g;
  const char *prefix = x->prefix;
  char text[64];
  for (size_t i = n_own; i < g->inputs.n; i++)
    export_call(x, g->inputs.v[i], export_name(x, node->in[first_captured + (i - n_own)].value));
  snprintf(text, sizeof text, "b%u/", x->n_bodies++);
  onnxw_attr_graph(&x->w, attr, weft_graph_name(g));
  x->prefix = export_keep(x, text);
  x->g = g;
  for (size_t i = 0; i < n_own && i < g->inputs.n; i++)
    export_info(x, g->inputs.v[i], true);
  export_nodes(x, g);
  export_constants(x, g);
  for (size_t i = 0; i < g->outputs.n; i++)
    export_info(x, g->outputs.v[i], false);
  onnxw_attr_graph_end(&x->w);
  x->prefix = prefix;
  x->g = outer;
  x->node = node;
}

static void export_main(export *x, const weft_graph *g) {
  onnxw_graph(&x->w, weft_graph_name(g));
  for (size_t i = 0; i < g->inputs.n; i++)
    export_info(x, g->inputs.v[i], true);
  export_nodes(x, g);
  export_constants(x, g);
  for (size_t i = 0; i < g->outputs.n; i++)
    export_info(x, g->outputs.v[i], false);
}

static weft_status export_all(export *x, const weft_graph *g, weft_text *text, weft_write_fn write,
                              void *ctx) {
  onnxw_begin(&x->w, text, EXPORT_IR, EXPORT_OPSET);
  export_main(x, g);
  WEFT_TRY(x->failed);
  WEFT_TRY(onnxw_finish(&x->w, x->d));
  for (const export_domain *own = x->domains; own; own = own->next)
    onnxw_opset(&x->w, own->name, 1);
  WEFT_TRY(onnxw_finish(&x->w, x->d));
  WEFT_TRY(onnxw_finish(&x->w, x->d));
  weft_status s = write(ctx, text->v, text->n);
  return s ? weft_fail(x->d, s, "writing failed: %s", weft_status_text(s)) : WEFT_OK;
}

weft_status weft_onnx_write(const weft_graph *g, weft_write_fn write, void *ctx, weft_diag *d) {
  WEFT_NEED(d, g);
  WEFT_NEED(d, write);
  weft_diag own = {0};
  export x = {.d = d && !d->status ? d : &own, .g = g, .prefix = ""};
  weft_text text;
  const weft_allocator *a = &g->root->alloc;
  weft__arena_init(&x.arena, a);
  weft__map_init(&x.values, a);
  weft__map_init(&x.made, a);
  weft__text_init(&text, a);
  weft_status s = export_all(&x, g, &text, write, ctx);
  if (s)
    weft_note(x.d, "while writing graph '%s' as ONNX", weft_graph_name(g));
  weft__text_deinit(&text);
  weft__map_deinit(&x.made);
  weft__map_deinit(&x.values);
  weft__arena_deinit(&x.arena);
  return s;
}
// SPDX-License-Identifier: Apache-2.0
