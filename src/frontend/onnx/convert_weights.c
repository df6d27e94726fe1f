// convert_weights.c - other data for initializers of the main graph, of the type and shape that they have.
// Nothing else changes.
#include "frontend/onnx/edit.h"

static bool weights_same_dims(const onnx_tensor *t, const weft_shape *s) {
  bool same = t->dims.n == s->rank;
  for (size_t i = 0; same && i < s->rank; i++)
    same = t->dims.v[i] == s->dim[i];
  return same;
}

static weft_status weights_put(onnx_edit *e, const char *name, const weft_tensor *data) {
  edit_value *v = weft__edit_find(e, name, strlen(name));
  edit_tensor *t = v ? v->init : NULL;
  char text[128];
  if (!t || !t->t)
    return weft_fail(e->d, WEFT_E_NOT_FOUND, "the model has no initializer '%.200s'", name);
  if (t->t->data_type != weft__edit_elem_type(data->dtype)) {
    return weft_fail(e->d, WEFT_E_DTYPE, "initializer '%.200s': %s is not its type", name,
                     weft_dtype_serial(data->dtype));
  }
  if (!weights_same_dims(t->t, &data->layout.origin)) {
    return weft_fail(e->d, WEFT_E_SHAPE, "initializer '%.200s': %s is not its shape", name,
                     weft_shape_text(&data->layout.origin, NULL, text, sizeof text));
  }
  t->data = data;
  return WEFT_OK;
}

weft_status weft__convert_weights(onnx_edit *e) {
  const weft_convert_options *o = e->o;
  for (size_t i = 0; i < o->n_weights; i++)
    WEFT_TRY(weights_put(e, o->weight_names[i], o->weights[i]));
  weft__edit_say(e, "initializers with other data: %zu of %zu", o->n_weights, e->n_tensors);
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
