// export_stitch.c - DynamicStitch, which ONNX does not have: of the places that name a row the last one is
// gathered, and for rows that none names a row of zeros, which stands in front of all others. Each row is
// compared with each place, so that it is for few of them.
#include "frontend/onnx/export.h"

// A node with one attribute.
static const char *stitch_op(export *x, const char *type, const char *const *in, size_t n, const char *attr,
                             int64_t v) {
  const char *y = export_op(x, type, in, n, NULL, 0);
  onnxw_attr_int(&x->w, attr, v);
  return y;
}

static const char *stitch_instance(export *x, uint32_t port, uint32_t k) {
  return export_name(x, x->node->in[x->node->desc.pub.in_port[port].start + k].value);
}

static const char *stitch_in_list(export *x, const char *scalar) {  // [] becomes [1]
  return export_op1(x, "Unsqueeze", scalar, export_ints(x, (const int64_t[]){0}, 1, false), NULL, NULL);
}

// The dims of a row, behind those of its indices.
static const char *stitch_rest(export *x, uint32_t k, int rank) {
  const char *in[1] = {stitch_instance(x, 1, k)};
  return stitch_op(x, "Shape", in, 1, "start", rank);
}

// All indices one behind the other, INT64.
static const char *stitch_places(export *x, uint32_t parts) {
  const char *flat[EXPORT_INPUTS];
  for (uint32_t k = 0; k < parts; k++) {
    const char *all = export_ints(x, (const int64_t[]){-1}, 1, false);
    flat[k] = export_op1(x, "Reshape", stitch_instance(x, 0, k), all, NULL, NULL);
  }
  const char *in[1] = {stitch_op(x, "Concat", flat, parts, "axis", 0)};
  return stitch_op(x, "Cast", in, 1, "to", export_type(x, WEFT_INT64));
}

// A row of zeros, then all rows.
static const char *stitch_rows(export *x, uint32_t parts, const int *rank, weft_dtype t) {
  const char *rows[EXPORT_INPUTS];
  for (uint32_t k = 0; k < parts; k++) {
    const char *rest = stitch_rest(x, k, rank[k]);
    const char *count = stitch_in_list(x, export_op1(x, "Size", stitch_instance(x, 0, k), NULL, NULL, NULL));
    const char *one = export_ints(x, (const int64_t[]){1}, 1, false);
    if (!k) {
      const char *shape[2] = {one, rest};
      const char *zeros = stitch_op(x, "Concat", shape, 2, "axis", 0);
      rows[0] = export_op1(x, "Expand", export_number(x, t, 0), zeros, NULL, NULL);
    }
    const char *dims[2] = {count, rest};
    const char *to = stitch_op(x, "Concat", dims, 2, "axis", 0);
    const char *in[2] = {stitch_instance(x, 1, k), to};
    rows[1 + k] = stitch_op(x, "Reshape", in, 2, "allowzero", 1);
  }
  return stitch_op(x, "Concat", rows, 1 + parts, "axis", 0);
}

// Which of the rows is row i of the result.
static const char *stitch_pick(export *x, const char *places) {
  const char *zero = export_ints(x, (const int64_t[]){0}, 1, true);
  const char *one = export_ints(x, (const int64_t[]){1}, 1, true);
  const char *list[1] = {places};
  const char *last = stitch_op(x, "ReduceMax", list, 1, "keepdims", 0);
  const char *n = export_op1(x, "Add", last, one, NULL, NULL);
  const char *numbers = export_op1(x, "Range", zero, n, one, NULL);
  const char *second = export_ints(x, (const int64_t[]){1}, 1, false);
  const char *column = export_op1(x, "Unsqueeze", numbers, second, NULL, NULL);
  const char *named = export_op1(x, "Equal", column, places, NULL, NULL);
  const char *behind = export_op1(x, "Add", export_op1(x, "Size", places, NULL, NULL, NULL), one, NULL, NULL);
  const char *order = export_op1(x, "Range", one, behind, one, NULL);
  const char *in[2] = {export_op1(x, "Where", named, order, zero, NULL), second};
  return stitch_op(x, "ReduceMax", in, 2, "keepdims", 0);
}

bool export_stitch(export *x) {
  const weft_op_desc *desc = &x->node->desc.pub;
  const uint32_t parts = desc->in_port[0].count;
  int rank[EXPORT_INPUTS];
  if (!parts || parts >= EXPORT_INPUTS || desc->in_port[1].count != parts)
    return false;
  const weft_dtype t = x->node->in[desc->in_port[1].start].value->fact.dtype;
  if (!(WEFT_BIT(t) & WEFT_FLOATS) && !weft_dtype_is_integer(t) && t != WEFT_BOOL)
    return false;
  for (uint32_t k = 0; k < parts; k++) {
    const weft_fact *f = &x->node->in[desc->in_port[0].start + k].value->fact;
    if (!weft__fact_ranked(f))
      return false;
    rank[k] = f->rank;
  }
  const char *rows = stitch_rows(x, parts, rank, t);
  (void)export_op1(x, "Gather", rows, stitch_pick(x, stitch_places(x, parts)), NULL, export_out(x, 0));
  onnxw_attr_int(&x->w, "axis", 0);
  return true;
}
// SPDX-License-Identifier: Apache-2.0
