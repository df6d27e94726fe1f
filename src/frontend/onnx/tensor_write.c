// tensor_write.c - a tensor as a TensorProto, a sequence of tensors as a SequenceProto: the .pb files of test
// data sets. Data go into raw_data as they lie (ONNX packs types below a byte like weft, the first element in
// the low bits); strings into string_data.
#include "frontend/onnx/import.h"
#include "frontend/onnx/writer.h"
#include "weft/maps.h"
#include "weft/onnx.h"

static int32_t onnx_number(weft_dtype t) {
  weft_dtype known;
  for (int32_t i = 1; weft__onnx_dtype(i, &known); i++) {
    if (known == t)
      return i;
  }
  return ONNX_UNDEFINED;
}

static weft_status put_strings(onnxw *w, const weft_tensor *t, int64_t n, weft_diag *d) {
  for (int64_t i = 0; i < n; i++) {
    const char *text;
    size_t bytes;
    WEFT_TRY(weft_tensor_string(t, (size_t)i, &text, &bytes, d));
    onnxw_bytes(w, 6, text, bytes);
  }
  return WEFT_OK;
}

static weft_status tensor_write_check(const weft_tensor *t, int32_t type, int64_t *out_elems, weft_diag *d) {
  const uint16_t one = 1;
  if (t->kind != WEFT_KIND_TENSOR)
    return weft_fail(d, WEFT_E_UNSUPPORTED, ".pb: only tensors, maps and sequences of them are written");
  if (type == ONNX_UNDEFINED)
    return weft_fail(d, WEFT_E_DTYPE, ".pb: ONNX has no type for %s", weft_dtype_serial(t->dtype));
  if (!*(const uint8_t *)&one)
    return weft_fail(d, WEFT_E_UNSUPPORTED, ".pb: not on a big-endian machine");
  *out_elems = weft_tensor_elems(t);
  int64_t need = *out_elems < 0 ? -1 : t->dtype == WEFT_STRING ? 0 : weft_dtype_bytes(*out_elems, t->dtype);
  if (!t->data || t->placement != WEFT_ON_HOST)
    return weft_fail(d, WEFT_E_STATE, ".pb: the tensor has no data on the host");
  if (need < 0 || (uint64_t)need > t->bytes) {
    return weft_fail(d, WEFT_E_SHAPE, ".pb: the shape needs %lld bytes, the tensor has %zu", (long long)need,
                     t->bytes);
  }
  return WEFT_OK;
}

static weft_status keep_bytes(void *ctx, const char *text, size_t bytes) {
  weft_text *t = ctx;
  weft__text_add(t, text, bytes);
  return t->failed ? WEFT_E_NOMEM : WEFT_OK;
}

// Hands on what was built in memory, and `data` behind it.
static weft_status tensor_write_give(const onnxw *w, weft_write_fn write, void *ctx, weft_str data,
                                     weft_diag *d) {
  const weft_text *text = w->out;
  if (text->failed || w->wrong)
    return weft_fail(d, WEFT_E_NOMEM, ".pb: out of memory");
  weft_status s = text->n ? write(ctx, text->v, text->n) : WEFT_OK;
  if (!s && data.bytes)
    s = write(ctx, data.text, data.bytes);
  return s ? weft_fail(d, s, ".pb: writing failed") : WEFT_OK;
}

static weft_status put_items(onnxw *w, const weft_tensor *t, weft_text *item, weft_diag *d) {
  for (size_t i = 0; i < t->n_items; i++) {
    item->n = 0;
    weft_status s = weft_onnx_write_tensor(t->items[i], NULL, keep_bytes, item, d);
    if (s) {
      weft_note(d, "in item %zu of a sequence", i);
      return s;
    }
    onnxw_bytes(w, 3, item->v, item->n);
  }
  return WEFT_OK;
}

// The items one after the other, each built in memory.
static weft_status write_sequence(const weft_tensor *t, const char *name, weft_write_fn write, void *ctx,
                                  weft_diag *d) {
  weft_allocator a = weft_allocator_default();
  weft_text text;
  weft_text item;
  onnxw w;
  weft__text_init(&text, &a);
  weft__text_init(&item, &a);
  onnxw_init(&w, &text);
  if (name && *name)
    onnxw_str(&w, 1, name);
  onnxw_int(&w, 2, 1);  // of tensors
  weft_status s = put_items(&w, t, &item, d);
  if (!s)
    s = tensor_write_give(&w, write, ctx, (weft_str){NULL, 0}, d);
  weft__text_deinit(&item);
  weft__text_deinit(&text);
  return s;
}

// Tag and length of raw data that are written behind the text.
static void put_raw_head(weft_text *text, uint64_t bytes) {
  char head[12] = {(char)(9 << 3 | WIRE_BYTES)};
  size_t n = 1;
  for (; bytes >= 0x80; bytes >>= 7)
    head[n++] = (char)(unsigned char)(bytes | 0x80);
  head[n++] = (char)bytes;
  weft__text_add(text, head, n);
}

static weft_status write_data(onnxw *w, const weft_tensor *t, int64_t elems, weft_write_fn write, void *ctx,
                              weft_diag *d) {
  if (t->dtype == WEFT_STRING) {
    WEFT_TRY(put_strings(w, t, elems, d));
    return tensor_write_give(w, write, ctx, (weft_str){NULL, 0}, d);
  }
  const weft_str data = {t->data, (size_t)weft_dtype_bytes(elems, t->dtype)};
  put_raw_head(w->out, data.bytes);
  return tensor_write_give(w, write, ctx, data, d);
}

// Only the head is built in memory; the data are written from where they lie.
weft_status weft_onnx_write_tensor(const weft_tensor *t, const char *name, weft_write_fn write, void *ctx,
                                   weft_diag *d) {
  WEFT_NEED(d, t);
  WEFT_NEED(d, write);
  if (t->kind == WEFT_KIND_SEQUENCE)
    return write_sequence(t, name, write, ctx, d);
  if (t->kind == WEFT_KIND_MAP || t->kind == WEFT_KIND_MAPS)
    return weft__onnx_write_maps(t, name, write, ctx, d);
  weft_allocator a = weft_allocator_default();
  int32_t type = onnx_number(t->dtype);
  int64_t elems;
  weft_text text;
  onnxw w;
  WEFT_TRY(tensor_write_check(t, type, &elems, d));
  weft__text_init(&text, &a);
  onnxw_init(&w, &text);
  onnxw_ints(&w, 1, t->layout.storage.dim, t->layout.storage.rank);
  onnxw_int(&w, 2, type);
  if (name && *name)
    onnxw_str(&w, 8, name);
  weft_status s = write_data(&w, t, elems, write, ctx, d);
  weft__text_deinit(&text);
  return s;
}
// SPDX-License-Identifier: Apache-2.0
