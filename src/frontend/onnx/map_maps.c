// map_maps.c - operators of ai.onnx.ml on maps. Labels and vocabularies become constants.
#include "frontend/onnx/map.h"

weft_status onnx_zip_map(onnx_op *o) {
  size_t n = 0;
  const onnx_attr *labels = onnx_class_labels(o, "classlabels_int64s", &n);
  weft_value *in[2] = {onnx_arg(o, 0), NULL};
  if (!o->failed)
    in[1] = onnx_table(o, labels);
  WEFT_TRY(o->failed);
  return onnx_emit(o, "ZipMap", in, 2, NULL, 1, NULL);
}

weft_status onnx_dict_vectorizer(onnx_op *o) {
  const onnx_attr *ints = onnx_find_attr(o, "int64_vocabulary");
  const onnx_attr *texts = onnx_find_attr(o, "string_vocabulary");
  if (!ints == !texts) {
    return onnx_fail(o, ints ? WEFT_E_INVALID : WEFT_E_MISSING,
                     "one of the attributes 'int64_vocabulary' and 'string_vocabulary' is needed, %s",
                     ints ? "both are given" : "none is given");
  }
  weft_value *in[2] = {onnx_arg(o, 0), NULL};
  if (!o->failed)
    in[1] = onnx_table(o, ints ? ints : texts);
  WEFT_TRY(o->failed);
  return onnx_emit(o, "DictVectorizer", in, 2, NULL, 1, NULL);
}

// The cast is one of its own behind the row of values, but for numbers as texts, which CastMap writes.
weft_status onnx_cast_map(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  bool sparse = onnx_is(o, "map_form", "DENSE", "SPARSE");
  bool dense = onnx_is(o, "map_form", "DENSE", "DENSE");
  bool to_float = onnx_is(o, "cast_to", "TO_FLOAT", "TO_FLOAT");
  bool to_int = onnx_is(o, "cast_to", "TO_FLOAT", "TO_INT64");
  bool to_text = onnx_is(o, "cast_to", "TO_FLOAT", "TO_STRING");
  int64_t width = onnx_int(o, "max_map", 1);
  WEFT_TRY(o->failed);
  if (!sparse && !dense)
    return onnx_fail(o, WEFT_E_INVALID, "attribute 'map_form': expected DENSE or SPARSE");
  if (!to_float && !to_int && !to_text)
    return onnx_fail(o, WEFT_E_INVALID, "attribute 'cast_to': expected TO_FLOAT, TO_INT64 or TO_STRING");
  if (sparse && width < 1)
    return onnx_fail(o, WEFT_E_RANGE, "attribute 'max_map' must be >= 1, got %lld", (long long)width);
  bool texts = x->fact.dtype == WEFT_STRING;
  weft_value *fill = texts || to_text
                         ? onnx_text_list(o, &(onnx_str){to_text ? "0.f" : "0", to_text ? 3 : 1}, 1)
                         : onnx_num(o, x->fact.dtype, 0);
  onnx_set(o, "max_map", weft_attr_int(sparse ? width : -1));
  weft_value *y = onnx_do(o, "CastMap", x, fill, NULL);
  return onnx_result(o, 0, to_text ? y : onnx_as(o, y, to_float ? WEFT_FLOAT : WEFT_INT64));
}
// SPDX-License-Identifier: Apache-2.0
