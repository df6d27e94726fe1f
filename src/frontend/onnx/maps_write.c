// maps_write.c - a map as a MapProto, a sequence of maps as a SequenceProto of them: .pb files of what ZipMap
// and DictVectorizer's callers have. ONNX gives each value of a map a tensor of its own, of rank 0.
#include "frontend/onnx/import.h"
#include "frontend/onnx/writer.h"
#include "weft/maps.h"
#include "weft/onnx.h"

enum { MAP_KEY_TYPE = 2, MAP_KEYS, MAP_STRING_KEYS, MAP_VALUES };
enum { SEQUENCE_NAME = 1, SEQUENCE_TYPE, SEQUENCE_TENSORS, SEQUENCE_MAPS = 6 };
enum { ELEM_TENSOR = 1, ELEM_MAP = 4 };

typedef struct maps_writer {
  const weft_tensor *keys, *values;
  size_t n;  // keys
  weft_text tensor, list, map, all;
  weft_diag *d;
} maps_writer;

static weft_status keep_bytes(void *ctx, const char *text, size_t bytes) {
  weft_text *t = ctx;
  weft__text_add(t, text, bytes);
  return t->failed ? WEFT_E_NOMEM : WEFT_OK;
}

static weft_status scalar_of(const weft_tensor *t, size_t i, weft_tensor *out, weft_diag *d) {
  if (t->dtype == WEFT_STRING) {
    const char *text;
    size_t bytes;
    WEFT_TRY(weft_tensor_string(t, i, &text, &bytes, d));
    return weft_tensor_set_strings(out, NULL, 0, &text, &bytes, d);
  }
  size_t size = weft_dtype_bits(t->dtype) / 8;
  return weft_tensor_borrow(out, t->dtype, NULL, 0, (char *)t->data + i * size, size, d);
}

static weft_status put_keys(maps_writer *m, onnxw *w) {
  const weft_tensor *k = m->keys;
  onnxw_int(w, MAP_KEY_TYPE, k->dtype == WEFT_STRING ? ONNX_STRING : ONNX_INT64);
  for (size_t i = 0; k->dtype == WEFT_STRING && i < m->n; i++) {
    const char *text;
    size_t bytes;
    WEFT_TRY(weft_tensor_string(k, i, &text, &bytes, m->d));
    onnxw_bytes(w, MAP_STRING_KEYS, text, bytes);
  }
  if (k->dtype == WEFT_INT64)
    onnxw_ints(w, MAP_KEYS, weft_tensor_i64(k), m->n);
  return WEFT_OK;
}

// The map in one row, in m->map.
static weft_status maps_write_put_row(maps_writer *m, size_t row, const char *name) {
  onnxw list;
  onnxw map;
  m->list.n = m->map.n = 0;
  onnxw_init(&list, &m->list);
  onnxw_init(&map, &m->map);
  if (name && *name)
    onnxw_str(&map, 1, name);
  WEFT_TRY(put_keys(m, &map));
  onnxw_int(&list, SEQUENCE_TYPE, ELEM_TENSOR);
  for (size_t i = 0; i < m->n; i++) {
    weft_tensor value;
    weft_tensor_init(&value, NULL);
    m->tensor.n = 0;
    weft_status s = scalar_of(m->values, row * m->n + i, &value, m->d);
    if (!s)
      s = weft_onnx_write_tensor(&value, NULL, keep_bytes, &m->tensor, m->d);
    weft_tensor_deinit(&value);
    WEFT_TRY(s);
    onnxw_bytes(&list, SEQUENCE_TENSORS, m->tensor.v, m->tensor.n);
  }
  onnxw_bytes(&map, MAP_VALUES, m->list.v, m->list.n);
  return list.wrong || map.wrong || m->list.failed || m->map.failed ? WEFT_E_NOMEM : WEFT_OK;
}

static weft_status put_all(maps_writer *m, size_t rows, bool sequence, const char *name) {
  onnxw all;
  if (!sequence)
    return maps_write_put_row(m, 0, name);
  onnxw_init(&all, &m->all);
  if (name && *name)
    onnxw_str(&all, SEQUENCE_NAME, name);
  onnxw_int(&all, SEQUENCE_TYPE, ELEM_MAP);
  for (size_t i = 0; i < rows; i++) {
    WEFT_TRY(maps_write_put_row(m, i, NULL));
    onnxw_bytes(&all, SEQUENCE_MAPS, m->map.v, m->map.n);
  }
  return all.wrong || m->all.failed ? WEFT_E_NOMEM : WEFT_OK;
}

// Keys and values that fit each other, with data.
static weft_status maps_check(const maps_writer *m, size_t rank, size_t *out_rows) {
  const weft_tensor *k = m->keys;
  const weft_tensor *v = m->values;
  if (!k || !v || !k->data || !v->data || v->placement != WEFT_ON_HOST || k->placement != WEFT_ON_HOST)
    return weft_fail(m->d, WEFT_E_STATE, ".pb: the map has no keys and values on the host");
  if (k->dtype != WEFT_STRING && k->dtype != WEFT_INT64)
    return weft_fail(m->d, WEFT_E_DTYPE, ".pb: keys of %s, expected i64 or str", weft_dtype_name(k->dtype));
  if (v->dtype != WEFT_STRING && (!weft_dtype_bits(v->dtype) || weft_dtype_bits(v->dtype) % 8))
    return weft_fail(m->d, WEFT_E_DTYPE, ".pb: values of %s in a map", weft_dtype_name(v->dtype));
  const weft_shape *s = &v->layout.origin;
  if (k->layout.origin.rank != 1 || s->rank != rank || s->dim[s->rank - 1] != k->layout.origin.dim[0])
    return weft_fail(m->d, WEFT_E_SHAPE, ".pb: keys and values of a map do not fit each other");
  *out_rows = rank == 2 ? (size_t)s->dim[0] : 1;
  return WEFT_OK;
}

weft_status weft__onnx_write_maps(const weft_tensor *t, const char *name, weft_write_fn write, void *ctx,
                                  weft_diag *d) {
  weft_allocator a = weft_allocator_default();
  maps_writer m = {.keys = weft_map_keys(t), .values = weft_map_values(t), .d = d};
  size_t rows = 0;
  bool sequence = t->kind == WEFT_KIND_MAPS;
  WEFT_TRY(maps_check(&m, sequence ? 2 : 1, &rows));
  m.n = (size_t)m.keys->layout.origin.dim[0];
  weft_text *texts[] = {&m.tensor, &m.list, &m.map, &m.all};
  for (size_t i = 0; i < WEFT_COUNT(texts); i++)
    weft__text_init(texts[i], &a);
  weft_status s = put_all(&m, rows, sequence, name);
  const weft_text *made = sequence ? &m.all : &m.map;
  if (s == WEFT_E_NOMEM)
    weft_fail(d, s, ".pb: out of memory");
  if (!s && (s = write(ctx, made->v, made->n)))
    weft_fail(d, s, ".pb: writing failed");
  for (size_t i = 0; i < WEFT_COUNT(texts); i++)
    weft__text_deinit(texts[i]);
  return s;
}
// SPDX-License-Identifier: Apache-2.0
