// dims.c - which dim_params of a model are names. ONNX says that equal names are equal sizes; what exporters
// write where they know nothing says only that the dim is open, however often it occurs.
#include "frontend/onnx/import.h"
#include "base/allocated.h"

static bool dims_is_digits(const char *text, size_t bytes) {
  for (size_t i = 0; i < bytes; i++) {
    if (text[i] < '0' || text[i] > '9')
      return false;
  }
  return bytes > 0;
}

// The same but for upper and lower case; `word` is in lower case.
static bool dims_is_word(onnx_str s, const char *word, size_t bytes) {
  if (s.bytes < bytes)
    return false;
  for (size_t i = 0; i < bytes; i++) {
    char c = s.text[i] >= 'A' && s.text[i] <= 'Z' ? (char)(s.text[i] - 'A' + 'a') : s.text[i];
    if (c != word[i])
      return false;
  }
  return true;
}

// "?", "None" and the like, a number, or "unk__7": tf2onnx numbers what it does not know.
static bool dims_is_no_name(onnx_str s) {
  static const char *const words[] = {"?",   "*",   "none",    "null",      "nan",
                                      "any", "unk", "unknown", "undefined", "dynamic"};
  static const char *const numbered[] = {"unk__", "unknown_", "unknown_dim_", "-"};
  if (!s.bytes || memchr(s.text, 0, s.bytes) || dims_is_digits(s.text, s.bytes))
    return true;
  for (size_t i = 0; i < WEFT_COUNT(words); i++) {
    if (strlen(words[i]) == s.bytes && dims_is_word(s, words[i], s.bytes))
      return true;
  }
  for (size_t i = 0; i < WEFT_COUNT(numbered); i++) {
    size_t n = strlen(numbered[i]);
    if (dims_is_word(s, numbered[i], n) && dims_is_digits(s.text + n, s.bytes - n))
      return true;
  }
  return false;
}

bool onnx_dim_is_named(const onnx_import *m, onnx_str text) {
  if (dims_is_no_name(text))
    return false;
  if (!m->options->separate_dims)
    return true;
  while (m->parent)
    m = m->parent;
  return !weft__map_find(&m->shared_dims, text.text, text.bytes);
}

// Names that dims of one input have: those that were seen before are shared.
static weft_status dims_of_input(onnx_import *m, const onnx_shape *shape, weft_map *seen) {
  static const char once;
  static const char again;
  for (size_t k = 0; k < shape->dims.n; k++) {
    const onnx_dim *dim = &shape->dims.v[k];
    if (dim->which != ONNX_DIM_PARAM || dims_is_no_name(dim->param))
      continue;
    bool shared = weft__map_find(seen, dim->param.text, dim->param.bytes) != NULL;
    const void *mark = shared ? &again : &once;
    WEFT_TRY(weft__allocated(!weft__map_set(shared ? &m->shared_dims : seen, dim->param.text,
                                            dim->param.bytes, (void *)(uintptr_t)mark),
                             m->d));
  }
  return WEFT_OK;
}

weft_status onnx_dims_shared(onnx_import *m) {
  const onnx_value_infos *in = &m->graph->inputs;
  weft_map seen;
  weft_status s = WEFT_OK;
  weft__map_init(&seen, &m->env->alloc);
  for (size_t i = 0; !s && i < in->n; i++) {
    const onnx_tensor_type *t = onnx_value_tensor(&in->v[i]);
    if (t && t->shape)
      s = dims_of_input(m, t->shape, &seen);
  }
  weft__map_deinit(&seen);
  return s;
}
// SPDX-License-Identifier: Apache-2.0
