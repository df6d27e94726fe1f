// apply.c - one of ONNX's operators inside another: made of values, with the attributes of the node at hand,
// by the function that imports it. For operators that are one of ONNX's with something around it. Attributes
// that were set before go to the first primitive. And the simplest function: one primitive with the same
// inputs.
#include "frontend/onnx/map.h"

weft_status onnx_same(onnx_op *o) {
  weft_value *in[8];
  size_t n = WEFT_MIN(o->n->inputs.n, WEFT_COUNT(in));
  if (o->n->inputs.n > WEFT_COUNT(in))
    return onnx_fail(o, WEFT_E_LIMIT, "%zu inputs", (size_t)o->n->inputs.n);
  for (size_t i = 0; i < n; i++)
    in[i] = onnx_in(o, i);
  return onnx_emit(o, o->map->primitive, in, n, NULL, 1, NULL);
}

enum { APPLY_IN = 16, APPLY_OUT = 4 };

typedef struct applied {  // names of values that the file does not name
  onnx_name in[APPLY_IN];
  onnx_name out[APPLY_OUT];
  onnx_name *ins[APPLY_IN];
  onnx_name *outs[APPLY_OUT];
  onnx_str in_text[APPLY_IN];
  onnx_str out_text[APPLY_OUT];
  onnx_label label[APPLY_OUT];
} applied;

static void name_values(onnx_op *o, const char *op_type, weft_value *const *in, size_t n_in, size_t n_out,
                        applied *a) {
  memset(a, 0, sizeof *a);
  for (size_t i = 0; i < n_in; i++) {
    a->in[i].value = in[i];
    a->ins[i] = in[i] ? &a->in[i] : NULL;
    if (in[i])
      a->in_text[i] = (onnx_str){"weft/in", 7};
  }
  for (size_t i = 0; i < n_out; i++) {
    onnx_label *l = &a->label[i];
    do {
      l->n = 0;
      onnx_label_add(l, "weft/", 5);
      onnx_label_add(l, op_type, strlen(op_type));
      onnx_label_add(l, "_", 1);
      onnx_label_number(l, onnx_fresh(o->m));
    } while (weft_graph_find_value(o->m->g, l->text));
    a->out[i].used = true;
    a->outs[i] = &a->out[i];
    a->out_text[i] = (onnx_str){l->text, l->n};
  }
}

weft_status onnx_apply_all(onnx_op *o, const char *op_type, weft_value *const *in, size_t n_in,
                           weft_value **out, size_t n_out) {
  applied a;
  onnx_node node = *o->n;
  WEFT_TRY(o->failed);
  if (n_in > APPLY_IN || n_out > APPLY_OUT)
    return o->failed = onnx_fail(o, WEFT_E_LIMIT, "%zu inputs and %zu outputs", n_in, n_out);
  name_values(o, op_type, in, n_in, n_out, &a);
  node.op_type = (onnx_str){op_type, strlen(op_type)};
  node.domain = (onnx_str){NULL, 0};
  node.inputs.v = a.in_text;
  node.inputs.n = (uint32_t)n_in;
  node.outputs.v = a.out_text;
  node.outputs.n = (uint32_t)n_out;
  onnx_op inner = {.m = o->m, .n = &node, .in = a.ins, .out = a.outs, .name = o->name};
  inner.map = weft__onnx_find(node.domain, node.op_type, o->m->version);
  inner.described = o->described;
  if (!inner.map) {
    return o->failed = onnx_fail(o, WEFT_E_UNSUPPORTED, "needs %s, which is not imported in version %lld",
                                 op_type, (long long)o->m->version);
  }
  memcpy(inner.attrs, o->attrs, o->n_attrs * sizeof *o->attrs);
  inner.n_attrs = o->n_attrs;
  o->n_attrs = 0;
  o->failed = inner.map->fn ? inner.map->fn(&inner) : onnx_same(&inner);
  if (!o->failed)
    o->failed = inner.failed;
  o->described = inner.described;
  if (!o->name)
    o->name = inner.name;
  for (size_t i = 0; i < n_out; i++)
    out[i] = o->failed ? NULL : a.out[i].value;
  return o->failed;
}

weft_value *onnx_apply(onnx_op *o, const char *op_type, weft_value *const *in, size_t n_in) {
  weft_value *out = NULL;
  onnx_apply_all(o, op_type, in, n_in, &out, 1);
  return out;
}
// SPDX-License-Identifier: Apache-2.0
