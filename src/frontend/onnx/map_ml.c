// map_ml.c - operators of ai.onnx.ml. Their tables of keys, splits and weights become constants.
#include <math.h>

#include "frontend/onnx/map.h"
#include "base/allocated.h"

weft_status onnx_array_feature_extractor(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  weft_value *y = onnx_arg(o, 1);
  int rank = onnx_rank_needed(o, x);
  WEFT_TRY(o->failed);
  if (!rank)
    return onnx_fail(o, WEFT_E_SHAPE, "the input is a scalar");
  weft_value *index = onnx_reshaped(o, y, (int64_t[]){-1}, 1);
  weft_value *z = onnx_picked(o, x, rank - 1, index);
  if (rank == 1)
    z = onnx_reshaped(o, z, (int64_t[]){1, -1}, 2);
  return onnx_result(o, 0, z);
}

weft_status onnx_binarizer(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  double threshold = (double)onnx_float(o, "threshold", 0);
  WEFT_TRY(o->failed);
  if (weft_dtype_is_integer(x->fact.dtype))
    threshold = floor(threshold);
  weft_value *above = onnx_do(o, "Greater", x, onnx_num(o, x->fact.dtype, threshold), NULL);
  return onnx_result(o, 0, onnx_as(o, above, x->fact.dtype));
}

// ---- LabelEncoder ----
static weft_value *map_ml_constant(onnx_op *o, weft_tensor *t, weft_status s) {
  weft_value *v = NULL;
  if (!s)
    s = onnx_const(o, t, &v);
  weft_tensor_deinit(t);
  if (s && !o->failed)
    o->failed = s;
  return v;
}

static weft_status strings(onnx_op *o, const onnx_str *v, size_t n, bool scalar, weft_tensor *t) {
  weft_dim dim = (weft_dim)n;
  const char **text = WEFT_NEW_N(o->m->arena, const char *, n + 1);
  size_t *bytes = WEFT_NEW_N(o->m->arena, size_t, n + 1);
  WEFT_TRY(weft__allocated(text && bytes, o->m->d));
  for (size_t i = 0; i < n; i++) {
    text[i] = v[i].text ? v[i].text : "";
    bytes[i] = v[i].bytes;
  }
  return weft_tensor_set_strings(t, &dim, !scalar, text, bytes, o->m->d);
}

weft_value *onnx_text_list(onnx_op *o, const onnx_str *v, size_t n) {
  weft_tensor t;
  if (o->failed)
    return NULL;
  weft_tensor_init(&t, &o->m->env->alloc);
  return map_ml_constant(o, &t, strings(o, v, n, false, &t));
}

weft_value *onnx_float_list(onnx_op *o, const float *v, size_t n) {
  weft_tensor t;
  weft_dim dim = (weft_dim)n;
  if (o->failed)
    return NULL;
  weft_tensor_init(&t, &o->m->env->alloc);
  weft_status s = weft_tensor_alloc(&t, WEFT_FLOAT, &dim, 1, o->m->d);
  if (!s && n)
    memcpy(t.data, v, n * sizeof *v);
  return map_ml_constant(o, &t, s);
}

weft_value *onnx_table(onnx_op *o, const onnx_attr *a) {
  weft_tensor t;
  weft_status s;
  if (o->failed)
    return NULL;
  weft_tensor_init(&t, &o->m->env->alloc);
  switch (onnx_attr_kind(a)) {
    case ONNX_ATTR_TENSOR:
      if (!a->t)
        break;
      s = weft__onnx_tensor(a->t, o->m->data, true, &t, o->m->d);
      return map_ml_constant(o, &t, s);
    case ONNX_ATTR_STRINGS:
      return map_ml_constant(o, &t, strings(o, a->strings.v, a->strings.n, false, &t));
    case ONNX_ATTR_STRING:
      return map_ml_constant(o, &t, strings(o, &a->s, 1, true, &t));
    case ONNX_ATTR_INTS:
      return onnx_list(o, a->ints.v, a->ints.n);
    case ONNX_ATTR_INT:
      return onnx_index(o, a->i);
    case ONNX_ATTR_FLOAT:
      return onnx_num(o, WEFT_FLOAT, (double)a->f);
    case ONNX_ATTR_FLOATS:
      return onnx_float_list(o, a->floats.v, a->floats.n);
    default:
      break;
  }
  o->failed = onnx_fail(o, WEFT_E_TYPE, "attribute '%.*s' has a type that is not read",
                        (int)WEFT_MIN(a->name.bytes, 60), onnx_str_text(a->name));
  return NULL;
}

// The one attribute of several that the node has; NULL: none.
static const onnx_attr *one_of(onnx_op *o, const char *const *names, size_t n) {
  const onnx_attr *found = NULL;
  for (size_t i = 0; i < n; i++) {
    const onnx_attr *a = onnx_find_attr(o, names[i]);
    if (a && found)
      o->failed = onnx_fail(o, WEFT_E_INVALID, "attribute '%s' is one too many of its kind", names[i]);
    if (a)
      found = a;
  }
  return found;
}

static weft_value *default_label(onnx_op *o, weft_dtype t) {
  const char *name = t == WEFT_STRING         ? "default_string"
                     : weft_dtype_is_float(t) ? "default_float"
                                              : "default_int64";
  const onnx_attr *a = onnx_find_attr(o, "default_tensor");
  if (!a)
    a = onnx_find_attr(o, name);
  if (a && a->t && (a->t->dims.n != 1 || a->t->dims.v[0] != 1)) {
    o->failed = onnx_fail(o, WEFT_E_SHAPE,
                          "attribute 'default_tensor': expected shape [1], got rank %zu and %lld in dim 0",
                          (size_t)a->t->dims.n, a->t->dims.n ? (long long)a->t->dims.v[0] : 1LL);
    return NULL;
  }
  if (a && (a->t || t == WEFT_STRING))
    return onnx_table(o, a);
  if (t == WEFT_STRING) {
    weft_tensor unused;
    weft_tensor_init(&unused, &o->m->env->alloc);
    return map_ml_constant(o, &unused, strings(o, &(onnx_str){"_Unused", 7}, 1, true, &unused));
  }
  if (weft_dtype_is_float(t))
    return onnx_num(o, t, a ? (double)a->f : -0.0);
  return onnx_num(o, t, a ? (double)a->i : -1);
}

// Version 1: classes_strings to their positions, or positions to classes_strings.
static void old_labels(onnx_op *o, const weft_value *x, weft_value **keys, weft_value **values) {
  const onnx_attr *classes = onnx_find_attr(o, "classes_strings");
  if (!classes) {
    if (!o->failed)
      o->failed = onnx_fail(o, WEFT_E_MISSING, "required attribute 'classes_strings' is not given");
    return;
  }
  int64_t *index = WEFT_NEW_N(o->m->arena, int64_t, classes->strings.n + 1);
  if (!index)
    o->failed = onnx_fail(o, WEFT_E_NOMEM, "out of memory");
  for (size_t i = 0; index && i < classes->strings.n; i++)
    index[i] = (int64_t)i;
  weft_value *names = onnx_table(o, classes);
  weft_value *numbers = onnx_list(o, index, classes->strings.n);
  bool forward = x->fact.dtype == WEFT_STRING;
  *keys = forward ? names : numbers;
  *values = forward ? numbers : names;
}

weft_status onnx_label_encoder(onnx_op *o) {
  static const char *const key_names[] = {"keys_tensor", "keys_strings", "keys_int64s", "keys_floats"};
  static const char *const value_names[] = {"values_tensor", "values_strings", "values_int64s",
                                            "values_floats"};
  weft_value *x = onnx_arg(o, 0);
  weft_value *in[4] = {x, NULL, NULL, NULL};
  WEFT_TRY(o->failed);
  const onnx_attr *keys = one_of(o, key_names, WEFT_COUNT(key_names));
  const onnx_attr *values = one_of(o, value_names, WEFT_COUNT(value_names));
  if (!keys && !values)
    old_labels(o, x, &in[1], &in[2]);
  else if (!keys || !values)
    return onnx_fail(o, WEFT_E_MISSING, "attribute '%s_*' is not given", keys ? "values" : "keys");
  else {
    in[1] = onnx_table(o, keys);
    in[2] = onnx_table(o, values);
  }
  if (!o->failed)
    in[3] = default_label(o, in[2]->fact.dtype);
  WEFT_TRY(o->failed);
  return onnx_emit(o, "LabelEncoder", in, 4, NULL, 1, NULL);
}

// ---- TreeEnsemble ----
weft_status onnx_tree_ensemble(onnx_op *o) {
  static const char *const names[] = {"aggregate_function",
                                      "leaf_targetids",
                                      "n_targets",
                                      "nodes_falseleafs",
                                      "nodes_falsenodeids",
                                      "nodes_featureids",
                                      "nodes_missing_value_tracks_true",
                                      "nodes_trueleafs",
                                      "nodes_truenodeids",
                                      "post_transform",
                                      "tree_roots"};
  static const char *const tables[] = {"nodes_splits", "nodes_modes", "leaf_weights", "membership_values"};
  weft_value *in[5] = {onnx_arg(o, 0), NULL, NULL, NULL, NULL};
  for (size_t i = 0; i < WEFT_COUNT(tables) && !o->failed; i++) {
    const onnx_attr *a = onnx_find_attr(o, tables[i]);
    if (!a && i < 3)
      return onnx_fail(o, WEFT_E_MISSING, "required attribute '%s' is not given", tables[i]);
    if (a)
      in[1 + i] = onnx_table(o, a);
    if (a && !o->failed && onnx_rank(in[1 + i]) != 1) {
      return onnx_fail(o, WEFT_E_SHAPE, "attribute '%s' has rank %d, expected 1", tables[i],
                       onnx_rank(in[1 + i]));
    }
  }
  for (size_t i = 0; i < WEFT_COUNT(names); i++)
    onnx_pass(o, names[i]);
  return onnx_emit(o, "TreeEnsemble", in, in[4] ? 5 : 4, NULL, 1, NULL);
}
// SPDX-License-Identifier: Apache-2.0
