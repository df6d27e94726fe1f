// names.c - the names of a scope, each with what stands behind it. A name that the model's nodes give is
// looked up once: a node then holds pointers to its names (onnx_op.in, .out). And the texts that are made of
// names. Records live until the scope ends.
#include "frontend/onnx/import.h"

enum { RESERVED_NAMES = 1 << 16 };  // at most, before any of them was seen

void onnx_names_init(onnx_names *s, const weft_allocator *a) {
  *s = (onnx_names){0};
  weft__arena_init(&s->arena, a);
  weft__map_init(&s->map, a);
}

void onnx_names_deinit(onnx_names *s) {
  weft__map_deinit(&s->map);
  weft__arena_deinit(&s->arena);
}

weft_status onnx_names_expect(onnx_import *m, size_t n) {
  if (m->names.map.cap || n < 64)
    return WEFT_OK;
  return weft__map_reserve(&m->names.map, &m->names.arena, WEFT_MIN(n, RESERVED_NAMES))
             ? weft_fail(m->d, WEFT_E_NOMEM, "out of memory")
             : WEFT_OK;
}

onnx_name *onnx_name_make(onnx_import *m, onnx_str s) {
  onnx_names *names = &m->names;
  if (!names->spare)
    names->spare = WEFT_NEW(&names->arena, onnx_name);
  onnx_name *n = names->spare ? weft__map_intern(&names->map, s.text, s.bytes, names->spare) : NULL;
  if (!n)
    (void)weft_fail(m->d, WEFT_E_NOMEM, "out of memory");
  else if (n == names->spare)
    names->spare = NULL;
  return n;
}

onnx_name *onnx_name_find(const onnx_import *m, onnx_str s) {
  return s.bytes ? weft__map_find(&m->names.map, s.text, s.bytes) : NULL;
}

weft_value *onnx_value_of(const onnx_import *m, onnx_str s) {
  const onnx_name *n = onnx_name_find(m, s);
  return n ? n->value : NULL;
}

weft_status onnx_name_list(onnx_import *m, const onnx_strs *from, bool read, onnx_name **to) {
  for (size_t i = 0; i < from->n; i++) {
    onnx_name *n = from->v[i].bytes ? onnx_name_make(m, from->v[i]) : NULL;
    if (from->v[i].bytes && !n)
      return m->d->status;
    if (n && read)
      n->used = true;
    if (to)
      to[i] = n;
  }
  return WEFT_OK;
}

// ---- texts ----
void onnx_label_add(onnx_label *l, const char *text, size_t bytes) {
  bytes = WEFT_MIN(bytes, sizeof l->text - 1 - l->n);
  if (bytes)
    memcpy(l->text + l->n, text, bytes);
  l->n += bytes;
  l->text[l->n] = 0;
}

void onnx_label_number(onnx_label *l, uint32_t v) {
  char digits[10];
  onnx_label_add(l, digits, weft__put_u32(digits, v));
}
// SPDX-License-Identifier: Apache-2.0
