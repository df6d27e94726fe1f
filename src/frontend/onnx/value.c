// value.c - values of any kind from files of their own: TensorProto, SequenceProto, OptionalProto. A file
// does not say which of them it is, nor the element type of an empty sequence; the description of the graph's
// value does.
#include "frontend/onnx/import.h"
#include "tensor/tensor.h"
#include "weft/onnx.h"

static weft_status read_items(const onnx_sequence *s, const weft_tensor_desc *desc, weft_tensor *t,
                              weft_diag *d) {
  weft_dtype dtype = desc->dtype;
  if (s->sequences.n || s->optionals.n) {
    return weft_fail(d, WEFT_E_UNSUPPORTED,
                     "the sequence at byte %llu holds sequences or optionals: only tensors are read",
                     (unsigned long long)s->offset);
  }
  if (s->tensors.n && !weft__onnx_dtype(s->tensors.v[0].data_type, &dtype))
    return weft_fail(d, WEFT_E_DTYPE, "element type %d is not known", s->tensors.v[0].data_type);
  WEFT_TRY(weft__tensor_set_items(t, WEFT_KIND_SEQUENCE, dtype, s->tensors.n, d));
  for (size_t i = 0; i < s->tensors.n; i++) {
    WEFT_TRY(weft__onnx_tensor(&s->tensors.v[i], NULL, false, t->items[i], d));
    if (t->items[i]->dtype != dtype) {
      return weft_fail(d, WEFT_E_DTYPE, "item %zu of the sequence is %s, item 0 %s", i,
                       weft_dtype_serial(t->items[i]->dtype), weft_dtype_serial(dtype));
    }
  }
  return WEFT_OK;
}

static weft_status read_optional(const onnx_optional *o, const weft_tensor_desc *desc, weft_tensor *t,
                                 weft_diag *d) {
  bool sequence = desc->kind == WEFT_KIND_OPTIONAL_SEQUENCE;
  if (o->optional || (sequence ? o->tensor != NULL : o->sequence != NULL)) {
    return weft_fail(d, WEFT_E_TYPE, "the optional at byte %llu holds %s, the graph has an optional %s there",
                     (unsigned long long)o->offset,
                     o->tensor     ? "a tensor"
                     : o->sequence ? "a sequence"
                                   : "an optional",
                     sequence ? "sequence" : "tensor");
  }
  WEFT_TRY(weft__tensor_set_items(t, desc->kind, desc->dtype, o->tensor || o->sequence, d));
  if (!t->n_items)
    return WEFT_OK;
  WEFT_TRY(o->tensor ? weft__onnx_tensor(o->tensor, NULL, false, t->items[0], d)
                     : read_items(o->sequence, desc, t->items[0], d));
  t->dtype = t->item_dtype = t->items[0]->dtype;
  return WEFT_OK;
}

weft_status weft_onnx_read_value(const void *data, size_t bytes, const weft_tensor_desc *desc, weft_tensor *t,
                                 weft_diag *d) {
  WEFT_NEED_LIST(d, data, bytes);
  WEFT_NEED(d, t);
  if (!desc || desc->kind == WEFT_KIND_TENSOR)
    return weft_onnx_read_tensor(data, bytes, t, d);
  weft_allocator a = t->alloc;
  if (!a.fn)
    a = weft_allocator_default();
  weft_tensor_init(t, &a);
  weft_arena arena;
  weft__arena_init(&arena, &a);
  const onnx_sequence *sequence;
  const onnx_optional *optional;
  weft_status s;
  if (desc->kind == WEFT_KIND_SEQUENCE) {
    s = weft__onnx_read_sequence(data, bytes, &arena, &sequence, d);
    if (!s)
      s = read_items(sequence, desc, t, d);
  } else if (weft__kind_has_items(desc->kind) && !weft__kind_is_map(desc->kind)) {
    s = weft__onnx_read_optional(data, bytes, &arena, &optional, d);
    if (!s)
      s = read_optional(optional, desc, t, d);
  } else {
    s = weft_fail(d, WEFT_E_UNSUPPORTED, "a %s cannot be read from a file", weft__kind_word(desc->kind));
  }
  weft__arena_deinit(&arena);
  if (s)
    weft_tensor_deinit(t);
  if (s)
    weft_tensor_init(t, &a);
  return s;
}
// SPDX-License-Identifier: Apache-2.0
