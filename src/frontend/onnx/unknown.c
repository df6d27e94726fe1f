// unknown.c - models with operators that nobody has, for who only wants to look: with the option keep_unknown
// such a node becomes an Unknown, which gives what the model declares of its outputs. Where it declares
// nothing, what reads them cannot be inferred and stands there as an Unknown, too.
#include "frontend/onnx/report.h"
#include "base/allocated.h"

static bool unknown_in(const onnx_import *m, const onnx_function *f, int64_t version, const onnx_node *v,
                       size_t n, int depth) {
  for (size_t i = 0; i < n; i++) {
    if (!onnx_find_function(m, &v[i]) && !onnx_node_kind(m, f, &v[i], version)->map && !onnx_custom(m, &v[i]))
      return true;
    for (size_t a = 0; a < v[i].attributes.n && depth < ONNX_MAX_GRAPH_DEPTH; a++) {
      const onnx_graph *g = v[i].attributes.v[a].g;
      if (g && unknown_in(m, f, version, g->nodes.v, g->nodes.n, depth + 1))
        return true;
    }
  }
  return false;
}

bool onnx_node_is_unknown(const onnx_import *m, const onnx_node *n) {
  const onnx_import *scope = m;
  while (scope->parent && !scope->function)
    scope = scope->parent;
  return unknown_in(m, scope->function, m->version, n, 1, 0);
}

// What the model declares of output i, for the attributes: an unknown rank is [-2]; false: no tensor of known
// dtype.
static bool unknown_declared(onnx_op *o, size_t i, int64_t *dtype, weft_ints *shape) {
  const onnx_name *name = o->out[i];
  weft_tensor_desc desc;
  weft_dim *dims;
  *dtype = WEFT_UNDEFINED;
  if (!name || !name->info || !name->info->type || name->info->type->which != ONNX_TYPE_TENSOR)
    return false;
  if (onnx_describe_value(o->m, name->info->type, &desc, "output")) {
    weft_diag_clear(o->m->d);
    return false;
  }
  const weft_shape *s = &desc.layout.origin;
  if (desc.dtype == WEFT_UNDEFINED)
    return false;
  size_t rank = weft_shape_is_unknown_rank(s) ? 0 : s->rank;
  if (!(dims = WEFT_NEW_N(o->m->arena, weft_dim, rank + 1)))
    return false;
  dims[0] = -2;
  for (size_t k = 0; k < rank; k++)
    dims[k] = s->dim[k] >= 0 ? s->dim[k] : -1;
  *dtype = desc.dtype;
  *shape = (weft_ints){dims, weft_shape_is_unknown_rank(s) ? 1 : rank};
  return true;
}

static weft_status unknown_attributes(onnx_op *o) {
  const onnx_node *n = o->n;
  int64_t *dtypes = WEFT_NEW_N(o->m->arena, int64_t, n->outputs.n);
  weft_ints *shapes = WEFT_NEW_N(o->m->arena, weft_ints, n->outputs.n);
  WEFT_TRY(weft__allocated(dtypes && shapes, o->m->d));
  for (size_t i = 0; i < n->outputs.n; i++)
    (void)unknown_declared(o, i, &dtypes[i], &shapes[i]);
  o->n_attrs = 0;
  onnx_set(o, "waits", weft_attr_bool(!onnx_node_is_unknown(o->m, n)));
  onnx_set(o, "type", weft_attr_str(onnx_str_text(n->op_type), n->op_type.bytes));
  onnx_set(o, "domain", weft_attr_str(onnx_str_text(n->domain), n->domain.bytes));
  onnx_set(o, "dtypes", weft_attr_ints(dtypes, n->outputs.n));
  onnx_set(o, "shapes", (weft_attr){.type = WEFT_VT_LIST_LIST_INT, .n = n->outputs.n, .u.int_lists = shapes});
  return WEFT_OK;
}

weft_status onnx_add_unknown(onnx_op *o) {
  static const onnx_mapping none = {.name = "Unknown", .primitive = "Unknown"};
  const onnx_node *n = o->n;
  weft_value **in = WEFT_NEW_N(o->m->arena, weft_value *, n->inputs.n);
  size_t n_in = 0;
  WEFT_TRY(weft__allocated(in, o->m->d));
  for (size_t i = 0; i < n->inputs.n; i++) {
    if ((in[n_in] = onnx_in(o, i)))
      n_in++;
  }
  uint32_t count[1] = {(uint32_t)n->outputs.n};
  o->map = &none;
  WEFT_TRY(unknown_attributes(o));
  WEFT_TRY(onnx_emit(o, "Unknown", in, n_in, &(weft_use){.out_counts = count}, n->outputs.n, NULL));
  for (size_t i = 0; i < n->outputs.n; i++) {
    const weft_value *v = o->out[i] ? o->out[i]->value : NULL;
    const bool bare = v && (v->fact.dtype == WEFT_UNDEFINED || v->fact.unknown_rank);
    if (bare)
      WEFT_TRY(onnx_doubt(o->m, v));
  }
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
