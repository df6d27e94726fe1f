// map_rnn.c - recurrent ONNX operators. The primitives have time in front of batch; layout 1 is transposed on
// both sides.
#include "frontend/onnx/map.h"

static weft_value *permuted(onnx_op *o, weft_value *v, const int64_t *order, size_t n) {
  return v ? onnx_do(o, "Transpose", v, onnx_list(o, order, n), NULL) : NULL;
}

static void set_floats(onnx_op *o, const char *name) {
  const onnx_attr *a = onnx_find_attr(o, name);
  if (o->failed || !a)
    return;
  if (onnx_attr_kind(a) != ONNX_ATTR_FLOATS)
    o->failed = onnx_fail(o, WEFT_E_TYPE, "attribute '%s': expected FLOATS", name);
  else
    onnx_set(o, name, weft_attr_floats(a->floats.v, a->floats.n));
}

enum { MOST_NAMES = 6 };  // 3 activations in 2 directions

static void set_activations(onnx_op *o, weft_str names[MOST_NAMES]) {
  const onnx_attr *a = onnx_find_attr(o, "activations");
  if (o->failed || !a)
    return;
  if (onnx_attr_kind(a) != ONNX_ATTR_STRINGS || a->strings.n > MOST_NAMES) {
    o->failed = onnx_fail(o, WEFT_E_TYPE, "attribute 'activations': expected at most %d STRINGS", MOST_NAMES);
    return;
  }
  for (size_t i = 0; i < a->strings.n; i++)
    names[i] = (weft_str){a->strings.v[i].text ? a->strings.v[i].text : "", a->strings.v[i].bytes};
  onnx_set(o, "activations", weft_attr_strs(names, a->strings.n));
}

static void set_attributes(onnx_op *o, weft_value *r, weft_str names[MOST_NAMES]) {
  weft_str direction = {"forward", 7};
  const char *own = !strcmp(o->map->name, "LSTM")  ? "input_forget"
                    : !strcmp(o->map->name, "GRU") ? "linear_before_reset"
                                                   : NULL;
  int rank = onnx_rank(r);
  int64_t hidden = onnx_int(o, "hidden_size", rank == 3 ? r->fact.dims[2] : -1);
  int64_t more = own ? onnx_int(o, own, 0) : 0;
  if (hidden < 1) {
    o->failed =
        onnx_fail(o, WEFT_E_UNKNOWN, "attribute 'hidden_size' is not given, and input 'R' does not tell it");
  }
  o->failed = onnx_str_attr(o, "direction", "forward", &direction);
  float clip = onnx_float(o, "clip", -1);
  set_floats(o, "activation_alpha");
  set_floats(o, "activation_beta");
  set_activations(o, names);
  if (o->failed)
    return;
  onnx_set(o, "clip", weft_attr_float(clip));
  onnx_set(o, "direction", weft_attr_str(direction.text, direction.bytes));
  onnx_set(o, "hidden_size", weft_attr_int(hidden));
  if (own)
    onnx_set(o, own, weft_attr_int(more));
}

weft_status onnx_rnn(onnx_op *o) {
  static const int64_t swap[] = {1, 0, 2};
  static const int64_t batch_first[] = {2, 0, 1, 3};
  weft_str names[MOST_NAMES];
  weft_value *in[8] = {onnx_arg(o, 0), onnx_arg(o, 1), onnx_arg(o, 2)};
  weft_value *out;
  int64_t layout = o->m->version >= 14 ? onnx_int(o, "layout", 0) : 0;
  size_t n = 8;
  WEFT_TRY(o->failed);
  if (layout != 0 && layout != 1)
    return onnx_fail(o, WEFT_E_RANGE, "attribute 'layout' must be 0 or 1, got %lld", (long long)layout);
  for (size_t i = 3; i < 8; i++)
    in[i] = onnx_in(o, i);
  if (layout) {
    in[0] = permuted(o, in[0], swap, 3);
    in[5] = permuted(o, in[5], swap, 3);
    in[6] = permuted(o, in[6], swap, 3);
  }
  while (!in[n - 1] && n > 3)
    n--;
  set_attributes(o, in[2], names);
  WEFT_TRY(o->failed);
  if (!layout)
    return onnx_emit(o, o->map->primitive, in, n, NULL, o->n->outputs.n, NULL);
  WEFT_TRY(onnx_emit(o, o->map->primitive, in, n, NULL, 0, &out));
  for (size_t i = 0; i < o->n->outputs.n && i < 3; i++) {
    if (onnx_wants(o, i))
      WEFT_TRY(onnx_result(o, i, permuted(o, out + i, i ? swap : batch_first, i ? 3 : 4)));
  }
  return o->failed;
}
// SPDX-License-Identifier: Apache-2.0
