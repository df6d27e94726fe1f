// map_items.c - ONNX operators on sequences, optionals and strings that are more than their rules.
#include "frontend/onnx/map.h"
#include "base/allocated.h"

weft_status onnx_sequence_construct(onnx_op *o) {
  size_t n = o->n->inputs.n;
  weft_value **in = WEFT_NEW_N(o->m->arena, weft_value *, n + 1);
  WEFT_TRY(weft__allocated(in, o->m->d));
  for (size_t i = 0; i < n; i++)
    WEFT_TRY(onnx_need(o, i, &in[i]));
  uint32_t counts[1] = {(uint32_t)n};
  return onnx_emit(o, "SeqConstruct", in, n, &(weft_use){.in_counts = counts}, 1, NULL);
}

weft_status onnx_sequence_empty(onnx_op *o) {
  int64_t elem;
  weft_dtype t;
  WEFT_TRY(onnx_int_attr(o, "dtype", ONNX_FLOAT, &elem));
  WEFT_TRY(onnx_dtype(o, elem, &t));
  onnx_set(o, "dtype", weft_attr_dtype(t));
  return onnx_emit(o, "SeqEmpty", NULL, 0, NULL, 1, NULL);
}

weft_status onnx_optional_op(onnx_op *o) {
  weft_value *x = onnx_in(o, 0);
  if (x)
    return onnx_emit(o, "Optional", &x, 1, NULL, 1, NULL);
  const onnx_attr *a = onnx_find_attr(o, "type");
  const onnx_tensor_type *elem;
  uint8_t kind;
  weft_dtype t;
  if (!a || !a->tp)
    return onnx_fail(o, WEFT_E_MISSING, "the node has neither an input nor the attribute 'type'");
  if (!weft__onnx_kind(a->tp, &kind, &elem) || (kind != WEFT_KIND_TENSOR && kind != WEFT_KIND_SEQUENCE))
    return onnx_fail(o, WEFT_E_UNSUPPORTED, "attribute 'type': expected a tensor or a sequence of tensors");
  WEFT_TRY(onnx_dtype(o, elem->elem_type, &t));
  onnx_set(o, "dtype", weft_attr_dtype(t));
  onnx_set(o, "sequence", weft_attr_bool(kind == WEFT_KIND_SEQUENCE));
  weft_tensor_desc desc;
  WEFT_TRY(onnx_describe(o->m, elem, &desc, "attribute 'type'"));
  weft_shape *s = &desc.layout.origin;
  if (!weft_shape_is_unknown_rank(s)) {
    for (size_t i = 0; i < s->rank; i++)
      s->dim[i] = WEFT_MAX(s->dim[i], -1);  // symbols are no attributes
    onnx_set(o, "ranked", weft_attr_bool(true));
    onnx_set(o, "shape", weft_attr_ints(s->dim, s->rank));
  }
  return onnx_emit(o, "Optional", NULL, 0, NULL, 1, NULL);
}

weft_status onnx_string_normalizer(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  onnx_pass(o, "case_change_action");
  onnx_pass_bool(o, "is_case_sensitive");
  onnx_pass(o, "locale");
  onnx_pass(o, "stopwords");
  WEFT_TRY(o->failed);
  return onnx_emit(o, "StringNormalizer", &x, 1, NULL, 1, NULL);
}

weft_status onnx_tf_idf(onnx_op *o) {
  static const char *const names[] = {"max_gram_length", "max_skip_count", "min_gram_length", "mode",
                                      "ngram_counts",    "ngram_indexes",  "pool_int64s",     "pool_strings",
                                      "weights"};
  weft_value *x = onnx_arg(o, 0);
  for (size_t i = 0; i < WEFT_COUNT(names); i++)
    onnx_pass(o, names[i]);
  WEFT_TRY(o->failed);
  return onnx_emit(o, "TfIdfVectorizer", &x, 1, NULL, 1, NULL);
}
// SPDX-License-Identifier: Apache-2.0
