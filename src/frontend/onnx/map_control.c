// map_control.c - If, Loop, Scan and SequenceMap: a node, and its bodies as closed sub-graphs.
#include "frontend/onnx/map.h"
#include "base/allocated.h"

static weft_status find_captures(onnx_op *o, const onnx_graph *const *graphs, size_t n, onnx_captures *c) {
  onnx_import *m = o->m;
  WEFT_TRY(onnx_free_names(m, graphs, n, &c->name, &c->n));
  c->value = WEFT_NEW_N(m->arena, weft_value *, c->n + 1);
  WEFT_TRY(weft__allocated(c->value, o->m->d));
  for (size_t i = 0; i < c->n; i++) {
    c->value[i] = onnx_value_of(m, c->name[i]);
    if (!c->value[i]) {
      return onnx_fail(o, WEFT_E_NOT_FOUND, "its sub-graph reads '%.*s', which is not known here",
                       (int)WEFT_MIN(c->name[i].bytes, 200), c->name[i].text);
    }
  }
  return WEFT_OK;
}

static weft_status graph_attr(onnx_op *o, const char *name, const onnx_graph **out) {
  const onnx_attr *a = onnx_find_attr(o, name);
  if (!a || !a->g)
    return onnx_fail(o, WEFT_E_MISSING, "required attribute '%s' (a graph) is not given", name);
  *out = a->g;
  return WEFT_OK;
}

static weft_status map_control_infer(onnx_op *o, weft_node *node) {
  return weft__steps_node(o->m->append, node, o->m->d);
}

weft_status onnx_if(onnx_op *o) {
  const onnx_graph *branch[2];
  onnx_captures c;
  weft_node *node;
  WEFT_TRY(graph_attr(o, "then_branch", &branch[0]));
  WEFT_TRY(graph_attr(o, "else_branch", &branch[1]));
  const weft_tensor *cond = onnx_in(o, 0) ? onnx_in(o, 0)->fact.value : NULL;
  if (cond && cond->kind == WEFT_KIND_TENSOR && cond->data && weft_tensor_elems(cond) == 1 &&
      !o->m->env->options.dead_branches)  // the other one never runs
    return onnx_inline(o, branch[weft_load_i64(cond->dtype, cond->data, 0) ? 0 : 1]);
  WEFT_TRY(find_captures(o, branch, 2, &c));
  weft_value **in = WEFT_NEW_N(o->m->arena, weft_value *, c.n + 1);
  WEFT_TRY(weft__allocated(in, o->m->d));
  WEFT_TRY(onnx_need(o, 0, &in[0]));
  for (size_t i = 0; i < c.n; i++)
    in[1 + i] = c.value[i];
  uint32_t counts[2] = {1, (uint32_t)c.n};
  uint32_t outs[1] = {(uint32_t)o->n->outputs.n};
  weft_use use = {.in_counts = counts, .out_counts = outs};
  WEFT_TRY(onnx_emit_open(o, "If", in, c.n + 1, &use, o->n->outputs.n, &node));
  for (uint32_t b = 0; b < 2; b++)
    WEFT_TRY(onnx_body(o, node, b, branch[b], NULL, 0, &c));
  return map_control_infer(o, node);
}

static const weft_dim no_dims[1] = {0};
static weft_fact map_control_scalar(weft_dtype t) {
  return (weft_fact){.dtype = t,
                     .set = true,
                     .dims = no_dims,
                     .format = WEFT_ND,
                     .origin_format = WEFT_ND,
                     .item_dtype = WEFT_UNDEFINED};
}

// What a body may rely on of a value that changes from turn to turn: dtype and rank; its dims when the body
// says them.
static weft_status carried(onnx_op *o, const weft_value *v, const onnx_value_info *info, weft_fact *out) {
  static const weft_dim unknown[WEFT_MAX_RANK] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
                                                  -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
  *out = v->fact;
  out->value = NULL;
  out->elems = NULL;
  out->min = out->max = NULL;
  out->dims = unknown;
  const onnx_tensor_type *t = info ? onnx_value_tensor(info) : NULL;
  if (t && t->shape && v->fact.kind == WEFT_KIND_TENSOR) {
    weft_tensor_desc desc;
    WEFT_TRY(onnx_describe(o->m, t, &desc, "an input of the body"));
    weft_dim *dims = WEFT_NEW_N(o->m->arena, weft_dim, desc.layout.origin.rank + 1);
    WEFT_TRY(weft__allocated(dims, o->m->d));
    memcpy(dims, desc.layout.origin.dim, desc.layout.origin.rank * sizeof *dims);
    out->dims = dims;
    out->rank = (uint8_t)desc.layout.origin.rank;
    out->unknown_rank = false;
  }
  return WEFT_OK;
}

weft_status onnx_loop(onnx_op *o) {
  const onnx_graph *body;
  onnx_captures c;
  weft_node *node;
  WEFT_TRY(graph_attr(o, "body", &body));
  WEFT_TRY(find_captures(o, &body, 1, &c));
  size_t n_v = o->n->inputs.n > 2 ? o->n->inputs.n - 2 : 0;
  if (o->n->outputs.n < n_v || body->inputs.n != n_v + 2 || body->outputs.n != o->n->outputs.n + 1) {
    return onnx_fail(
        o, WEFT_E_INVALID,
        "the node carries %zu values and has %zu outputs, its body has %zu inputs and %zu outputs", n_v,
        (size_t)o->n->outputs.n, (size_t)body->inputs.n, (size_t)body->outputs.n);
  }
  weft_value **in = WEFT_NEW_N(o->m->arena, weft_value *, n_v + c.n + 2);
  weft_fact *given = WEFT_NEW_N(o->m->arena, weft_fact, n_v + 2);
  WEFT_TRY(weft__allocated(in && given, o->m->d));
  size_t n = 0;
  uint32_t counts[4] = {onnx_in(o, 0) != NULL, onnx_in(o, 1) != NULL, (uint32_t)n_v, (uint32_t)c.n};
  if (counts[0])
    in[n++] = onnx_in(o, 0);
  if (counts[1])
    in[n++] = onnx_as(o, onnx_in(o, 1), WEFT_BOOL);
  WEFT_TRY(o->failed);
  given[0] = map_control_scalar(WEFT_INT64);
  given[1] = map_control_scalar(WEFT_BOOL);
  for (size_t i = 0; i < n_v; i++) {
    WEFT_TRY(onnx_need(o, 2 + i, &in[n]));
    WEFT_TRY(carried(o, in[n++], &body->inputs.v[2 + i], &given[2 + i]));
  }
  for (size_t i = 0; i < c.n; i++)
    in[n++] = c.value[i];
  uint32_t outs[2] = {(uint32_t)n_v, (uint32_t)(o->n->outputs.n - n_v)};
  weft_use use = {.in_counts = counts, .out_counts = outs};
  WEFT_TRY(onnx_emit_open(o, "Loop", in, n, &use, o->n->outputs.n, &node));
  WEFT_TRY(onnx_body(o, node, 0, body, given, n_v + 2, &c));
  return map_control_infer(o, node);
}

static weft_status scan_attrs(onnx_op *o, int64_t n_scan) {
  static const char *const lists[] = {"scan_input_axes", "scan_input_directions", "scan_output_axes",
                                      "scan_output_directions"};
  onnx_set(o, "num_scan_inputs", weft_attr_int(n_scan));
  for (size_t i = 0; i < WEFT_COUNT(lists); i++) {
    const int64_t *v;
    size_t n;
    WEFT_TRY(onnx_ints_attr(o, lists[i], &v, &n));
    if (v)
      onnx_set(o, lists[i], weft_attr_ints(v, n));
  }
  return WEFT_OK;
}

// One slice of a scan input: the axis is gone.
static weft_status slice_fact(onnx_op *o, const weft_value *v, int64_t axis, weft_fact *out) {
  *out = v->fact;
  out->value = NULL;
  out->elems = NULL;
  out->min = out->max = NULL;
  if (out->unknown_rank)
    return WEFT_OK;
  if (axis < -(int64_t)out->rank || axis >= (int64_t)out->rank) {
    return onnx_fail(o, WEFT_E_RANGE, "attribute 'scan_input_axes': %lld is outside the rank %u",
                     (long long)axis, out->rank);
  }
  if (axis < 0)
    axis += out->rank;
  weft_dim *dims = WEFT_NEW_N(o->m->arena, weft_dim, out->rank + 1u);
  WEFT_TRY(weft__allocated(dims, o->m->d));
  for (uint32_t i = 0, k = 0; i < out->rank; i++) {
    if (i != (uint32_t)axis)
      dims[k++] = out->dims[i];
  }
  out->dims = dims;
  out->rank--;
  return WEFT_OK;
}

weft_status onnx_scan(onnx_op *o) {
  const onnx_graph *body;
  onnx_captures c;
  weft_node *node;
  int64_t n_scan;
  const int64_t *axes;
  size_t n_axes;
  size_t all = o->n->inputs.n;
  WEFT_TRY(graph_attr(o, "body", &body));
  WEFT_TRY(onnx_int_attr(o, "num_scan_inputs", 0, &n_scan));
  WEFT_TRY(onnx_ints_attr(o, "scan_input_axes", &axes, &n_axes));
  WEFT_TRY(find_captures(o, &body, 1, &c));
  if (n_scan < 1 || (size_t)n_scan > all || (axes && n_axes != (size_t)n_scan) || body->inputs.n != all ||
      body->outputs.n != o->n->outputs.n || o->n->outputs.n < all - (size_t)n_scan) {
    return onnx_fail(
        o, WEFT_E_INVALID,
        "num_scan_inputs is %lld of %zu inputs; the body has %zu inputs and %zu outputs, the node %zu",
        (long long)n_scan, all, (size_t)body->inputs.n, (size_t)body->outputs.n, (size_t)o->n->outputs.n);
  }
  size_t n_state = all - (size_t)n_scan;
  weft_value **in = WEFT_NEW_N(o->m->arena, weft_value *, all + c.n + 1);
  weft_fact *given = WEFT_NEW_N(o->m->arena, weft_fact, all + 1);
  WEFT_TRY(weft__allocated(in && given, o->m->d));
  for (size_t i = 0; i < all; i++) {
    WEFT_TRY(onnx_need(o, i, &in[i]));
    if (i < n_state)
      WEFT_TRY(carried(o, in[i], &body->inputs.v[i], &given[i]));
    else
      WEFT_TRY(slice_fact(o, in[i], axes ? axes[i - n_state] : 0, &given[i]));
  }
  for (size_t i = 0; i < c.n; i++)
    in[all + i] = c.value[i];
  WEFT_TRY(scan_attrs(o, n_scan));
  uint32_t counts[3] = {(uint32_t)n_state, (uint32_t)n_scan, (uint32_t)c.n};
  uint32_t outs[2] = {(uint32_t)n_state, (uint32_t)(o->n->outputs.n - n_state)};
  weft_use use = {.in_counts = counts, .out_counts = outs};
  WEFT_TRY(onnx_emit_open(o, "Scan", in, all + c.n, &use, o->n->outputs.n, &node));
  WEFT_TRY(onnx_body(o, node, 0, body, given, all, &c));
  return map_control_infer(o, node);
}

// An item of a batch, or a slice of it in time: the first axes are gone.
static weft_status item_fact(onnx_op *o, const weft_value *v, uint32_t n_axes, weft_fact *out) {
  *out = v->fact;
  out->value = NULL;
  out->elems = NULL;
  out->min = out->max = NULL;
  if (out->unknown_rank)
    return WEFT_OK;
  if (out->rank < n_axes) {
    return onnx_fail(o, WEFT_E_SHAPE, "value '%s' has rank %u, expected %u or more", v->name, out->rank,
                     n_axes);
  }
  out->dims += n_axes;
  out->rank = (uint8_t)(out->rank - n_axes);
  return WEFT_OK;
}

// Version 8: lengths of the sequences first, then states and scan inputs with a batch in front.
weft_status onnx_batch_scan(onnx_op *o) {
  const onnx_graph *body;
  onnx_captures c;
  weft_node *node;
  int64_t n_scan;
  size_t all = o->n->inputs.n ? o->n->inputs.n - 1 : 0;
  WEFT_TRY(graph_attr(o, "body", &body));
  WEFT_TRY(onnx_int_attr(o, "num_scan_inputs", 0, &n_scan));
  WEFT_TRY(find_captures(o, &body, 1, &c));
  if (n_scan < 1 || (size_t)n_scan > all || body->inputs.n != all || body->outputs.n != o->n->outputs.n ||
      o->n->outputs.n < all - (size_t)n_scan) {
    return onnx_fail(
        o, WEFT_E_INVALID,
        "num_scan_inputs is %lld of %zu inputs; the body has %zu inputs and %zu outputs, the node %zu",
        (long long)n_scan, all, (size_t)body->inputs.n, (size_t)body->outputs.n, (size_t)o->n->outputs.n);
  }
  size_t n_state = all - (size_t)n_scan;
  size_t n_lens = onnx_in(o, 0) != NULL;
  weft_value **in = WEFT_NEW_N(o->m->arena, weft_value *, all + c.n + 2);
  weft_fact *given = WEFT_NEW_N(o->m->arena, weft_fact, all + 1);
  WEFT_TRY(weft__allocated(in && given, o->m->d));
  in[0] = onnx_in(o, 0);
  for (size_t i = 0; i < all; i++) {
    weft_value item;
    weft_value *v;
    WEFT_TRY(onnx_need(o, 1 + i, &v));
    in[n_lens + i] = v;
    WEFT_TRY(item_fact(o, v, i < n_state ? 1 : 2, &given[i]));
    if (i >= n_state)
      continue;
    item = *v;
    item.fact = given[i];
    WEFT_TRY(carried(o, &item, &body->inputs.v[i], &given[i]));
  }
  for (size_t i = 0; i < c.n; i++)
    in[n_lens + all + i] = c.value[i];
  weft_ints back = onnx_ints_of(o, "directions");
  WEFT_TRY(o->failed);
  onnx_set(o, "num_scan_inputs", weft_attr_int(n_scan));
  if (back.v)
    onnx_set(o, "directions", weft_attr_ints(back.v, back.n));
  uint32_t counts[4] = {(uint32_t)n_lens, (uint32_t)n_state, (uint32_t)n_scan, (uint32_t)c.n};
  uint32_t outs[2] = {(uint32_t)n_state, (uint32_t)(o->n->outputs.n - n_state)};
  weft_use use = {.in_counts = counts, .out_counts = outs};
  WEFT_TRY(onnx_emit_open(o, "BatchScan", in, n_lens + all + c.n, &use, o->n->outputs.n, &node));
  WEFT_TRY(onnx_body(o, node, 0, body, given, all, &c));
  return map_control_infer(o, node);
}

weft_status onnx_sequence_map(onnx_op *o) {
  const onnx_graph *body;
  onnx_captures c;
  weft_node *node;
  size_t all = o->n->inputs.n;
  WEFT_TRY(graph_attr(o, "body", &body));
  WEFT_TRY(find_captures(o, &body, 1, &c));
  weft_value **in = WEFT_NEW_N(o->m->arena, weft_value *, all + c.n + 1);
  weft_fact *given = WEFT_NEW_N(o->m->arena, weft_fact, all + 1);
  WEFT_TRY(weft__allocated(in && given, o->m->d));
  for (size_t i = 0; i < all; i++) {
    WEFT_TRY(onnx_need(o, i, &in[i]));
    given[i] = in[i]->fact;
    given[i].value = NULL;
    given[i].elems = NULL;
    // an element of the sequence, or the tensor
    given[i].kind = WEFT_KIND_TENSOR;
    given[i].item_dtype = WEFT_UNDEFINED;
  }
  for (size_t i = 0; i < c.n; i++)
    in[all + i] = c.value[i];
  if (!all)
    return onnx_fail(o, WEFT_E_MISSING, "required input 0 is not given");
  uint32_t counts[3] = {1, (uint32_t)(all - 1), (uint32_t)c.n};
  uint32_t outs[1] = {(uint32_t)o->n->outputs.n};
  weft_use use = {.in_counts = counts, .out_counts = outs};
  WEFT_TRY(onnx_emit_open(o, "SequenceMap", in, all + c.n, &use, o->n->outputs.n, &node));
  WEFT_TRY(onnx_body(o, node, 0, body, given, all, &c));
  return map_control_infer(o, node);
}
// SPDX-License-Identifier: Apache-2.0
