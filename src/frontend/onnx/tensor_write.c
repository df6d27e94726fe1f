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
  weft_status s = WEFT_OK;
  for (size_t i = 0; !s && i < t->n_items; i++) {
    item.n = 0;
    s = weft_onnx_write_tensor(t->items[i], NULL, keep_bytes, &item, d);
    if (!s)
      onnxw_bytes(&w, 3, item.v, item.n);
    if (s)
      weft_note(d, "in item %zu of a sequence", i);
  }
  if (!s && (text.failed || w.wrong))
    s = weft_fail(d, WEFT_E_NOMEM, ".pb: out of memory");
  if (!s && (s = write(ctx, text.v, text.n)))
    weft_fail(d, s, ".pb: writing failed");
  weft__text_deinit(&item);
  weft__text_deinit(&text);
  return s;
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
  size_t bytes = t->dtype == WEFT_STRING ? 0 : (size_t)weft_dtype_bytes(elems, t->dtype);
  weft_status s = t->dtype == WEFT_STRING ? put_strings(&w, t, elems, d) : WEFT_OK;
  if (t->dtype != WEFT_STRING) {
    char head[12] = {(char)(9 << 3 | WIRE_BYTES)};
    size_t n = 1;
    uint64_t v = bytes;
    for (; v >= 0x80; v >>= 7)
      head[n++] = (char)(unsigned char)(v | 0x80);
    head[n++] = (char)v;
    weft__text_add(&text, head, n);
  }
  if (!s && (text.failed || w.wrong))
    s = weft_fail(d, WEFT_E_NOMEM, ".pb: out of memory");
  if (!s && (s = text.n ? write(ctx, text.v, text.n) : WEFT_OK))
    weft_fail(d, s, ".pb: writing failed");
  if (!s && bytes && (s = write(ctx, t->data, bytes)))
    weft_fail(d, s, ".pb: writing failed");
  weft__text_deinit(&text);
  return s;
}
// SPDX-License-Identifier: Apache-2.0
