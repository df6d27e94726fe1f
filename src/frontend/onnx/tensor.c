// tensor.c - TensorProto to tensor: raw and external bytes are borrowed or copied, typed fields are
// converted. Element counts are checked against dims before anything is allocated.
#include "frontend/onnx/import.h"
#include "tensor/tensor.h"
#include "weft/onnx.h"

static const weft_dtype dtypes[] = {WEFT_UNDEFINED,
                                    WEFT_FLOAT,
                                    WEFT_UINT8,
                                    WEFT_INT8,
                                    WEFT_UINT16,
                                    WEFT_INT16,
                                    WEFT_INT32,
                                    WEFT_INT64,
                                    WEFT_STRING,
                                    WEFT_BOOL,
                                    WEFT_FLOAT16,
                                    WEFT_DOUBLE,
                                    WEFT_UINT32,
                                    WEFT_UINT64,
                                    WEFT_COMPLEX64,
                                    WEFT_COMPLEX128,
                                    WEFT_BF16,
                                    WEFT_FLOAT8_E4M3FN,
                                    WEFT_FLOAT8_E4M3FNUZ,
                                    WEFT_FLOAT8_E5M2,
                                    WEFT_FLOAT8_E5M2FNUZ,
                                    WEFT_UINT4,
                                    WEFT_INT4,
                                    WEFT_FLOAT4_E2M1,
                                    WEFT_FLOAT8_E8M0,
                                    WEFT_UINT2,
                                    WEFT_INT2,
                                    WEFT_FLOAT6_E2M3,
                                    WEFT_FLOAT6_E3M2};

bool weft__onnx_dtype(int64_t elem_type, weft_dtype *out) {
  if (elem_type <= 0 || elem_type >= (int64_t)WEFT_COUNT(dtypes))
    return false;
  *out = dtypes[elem_type];
  return true;
}

// A map, or a sequence of maps, whose keys are integers or strings.
static bool map_kind(const onnx_type *t, uint8_t *out_kind, const onnx_tensor_type **out_elem) {
  bool sequence = t && t->which == ONNX_TYPE_SEQUENCE && t->nested;
  if (sequence)
    t = t->nested->elem;
  if (!t || t->which != ONNX_TYPE_MAP || !t->nested)
    return false;
  const onnx_type *of = t->nested->elem;
  bool keys = t->nested->key_type == ONNX_INT64 || t->nested->key_type == ONNX_STRING;
  if (!keys || !of || of->which != ONNX_TYPE_TENSOR || !of->tensor)
    return false;
  *out_kind = sequence ? WEFT_KIND_MAPS : WEFT_KIND_MAP;
  *out_elem = of->tensor;
  return true;
}

bool weft__onnx_kind(const onnx_type *t, uint8_t *out_kind, const onnx_tensor_type **out_elem) {
  static const uint8_t kinds[2][2] = {{WEFT_KIND_TENSOR, WEFT_KIND_SEQUENCE},
                                      {WEFT_KIND_OPTIONAL, WEFT_KIND_OPTIONAL_SEQUENCE}};
  if (map_kind(t, out_kind, out_elem))
    return true;
  bool optional = t && t->which == ONNX_TYPE_OPTIONAL && t->nested;
  if (optional)
    t = t->nested->elem;
  bool sequence = t && t->which == ONNX_TYPE_SEQUENCE && t->nested;
  if (sequence)
    t = t->nested->elem;
  if (!t || t->which != ONNX_TYPE_TENSOR || !t->tensor)
    return false;
  *out_kind = kinds[optional][sequence];
  *out_elem = t->tensor;
  return true;
}

static weft_status tensor_wrong_count(const onnx_tensor *t, const char *field, size_t got, int64_t want,
                                      weft_diag *d) {
  return weft_fail(d, WEFT_E_SHAPE, "tensor '%.*s' at byte %llu: %s has %zu entries, its dims need %lld",
                   (int)WEFT_MIN(t->name.bytes, 200), onnx_str_text(t->name), (unsigned long long)t->offset,
                   field, got, (long long)want);
}

static weft_status fill_strings(const onnx_tensor *t, const weft_dim *dims, size_t rank, int64_t n,
                                weft_tensor *out, weft_diag *d) {
  if ((int64_t)t->string_data.n != n)
    return tensor_wrong_count(t, "string_data", t->string_data.n, n, d);
  const char **text = weft__alloc(&out->alloc, ((size_t)n + 1) * sizeof *text, 16);
  size_t *bytes = weft__alloc(&out->alloc, ((size_t)n + 1) * sizeof *bytes, 16);
  weft_status s = text && bytes ? WEFT_OK : weft_fail(d, WEFT_E_NOMEM, "out of memory");
  for (int64_t i = 0; !s && i < n; i++) {
    text[i] = t->string_data.v[i].text ? t->string_data.v[i].text : "";
    bytes[i] = t->string_data.v[i].bytes;
  }
  if (!s)
    s = weft_tensor_set_strings(out, dims, rank, text, bytes, d);
  weft__free(&out->alloc, text, ((size_t)n + 1) * sizeof *text, 16);
  weft__free(&out->alloc, bytes, ((size_t)n + 1) * sizeof *bytes, 16);
  return s;
}

// Element i of 6 bits, into zeroed memory: the lowest bits of the lowest byte come first.
static void put_six(uint8_t *data, size_t i, uint32_t v) {
  size_t at = i / 4 * 3 + i % 4 * 6 / 8;
  size_t shift = i % 4 * 6 % 8;
  uint32_t two = (v & 0x3f) << shift;
  data[at] |= (uint8_t)two;
  if (two >> 8)
    data[at + 1] |= (uint8_t)(two >> 8);
}

// The typed fields: floats and complex in float_data, doubles in double_data, small integers and half bits in
// int32_data.
static weft_status fill_typed(const onnx_tensor *t, weft_dtype dtype, int64_t n, weft_tensor *out,
                              weft_diag *d) {
  void *data = out->data;
  // an entry holds a byte of small elements; of 6 bits it holds one element
  bool sixes = weft_dtype_bits(dtype) == 6;
  size_t count = (size_t)n;
  size_t words = weft_dtype_bits(dtype) < 8 && !sixes ? (size_t)weft_dtype_bytes(n, dtype) : count;
  switch (dtype) {
    case WEFT_FLOAT:
    case WEFT_COMPLEX64:
      if (dtype == WEFT_COMPLEX64)
        count *= 2;
      if (t->float_data.n != count)
        return tensor_wrong_count(t, "float_data", t->float_data.n, (int64_t)count, d);
      if (count)
        memcpy(data, t->float_data.v, count * sizeof(float));
      return WEFT_OK;
    case WEFT_DOUBLE:
    case WEFT_COMPLEX128:
      if (dtype == WEFT_COMPLEX128)
        count *= 2;
      if (t->double_data.n != count)
        return tensor_wrong_count(t, "double_data", t->double_data.n, (int64_t)count, d);
      if (count)
        memcpy(data, t->double_data.v, count * sizeof(double));
      return WEFT_OK;
    case WEFT_INT64:
      if (t->int64_data.n != count)
        return tensor_wrong_count(t, "int64_data", t->int64_data.n, n, d);
      if (count)
        memcpy(data, t->int64_data.v, count * sizeof(int64_t));
      return WEFT_OK;
    case WEFT_UINT64:
    case WEFT_UINT32:
      if (t->uint64_data.n != count)
        return tensor_wrong_count(t, "uint64_data", t->uint64_data.n, n, d);
      for (size_t i = 0; i < count; i++)
        weft_store_u64(dtype, data, i, t->uint64_data.v[i]);
      return WEFT_OK;
    default:
      break;
  }
  if (t->int32_data.n != words)
    return tensor_wrong_count(t, "int32_data", t->int32_data.n, (int64_t)words, d);
  uint32_t bits = weft_dtype_bits(dtype);
  if (sixes && out->bytes)
    memset(data, 0, out->bytes);
  for (size_t i = 0; i < words; i++) {
    uint32_t v = (uint32_t)t->int32_data.v[i];
    if (sixes)
      put_six(data, i, v);
    else if (bits == 32)
      memcpy((char *)data + 4 * i, &v, 4);
    else if (bits == 16)
      memcpy((char *)data + 2 * i, &(uint16_t){(uint16_t)v}, 2);
    else
      ((uint8_t *)data)[i] = (uint8_t)v;
  }
  return WEFT_OK;
}

static void swap_if_big_endian(weft_dtype t, void *data, size_t bytes) {
  const uint16_t one = 1;
  size_t n = weft_dtype_bits(t) / 8;
  if (*(const uint8_t *)&one || n < 2)
    return;
  if (weft_dtype_is_complex(t))
    n /= 2;
  for (uint8_t *p = data; bytes >= n; p += n, bytes -= n) {
    for (size_t i = 0; i < n / 2; i++) {
      uint8_t x = p[i];
      p[i] = p[n - 1 - i];
      p[n - 1 - i] = x;
    }
  }
}

// Little-endian bytes: pointed at where the host reads them as they are, otherwise copied.
static weft_status fill_raw(const uint8_t *from, size_t bytes, bool borrow, weft_dtype dtype,
                            const weft_shape *shape, weft_tensor *out, weft_diag *d) {
  const uint16_t one = 1;
  if (borrow && bytes && *(const uint8_t *)&one)
    return weft_tensor_borrow(out, dtype, shape->dim, shape->rank, (void *)(uintptr_t)from, bytes, d);
  WEFT_TRY(weft_tensor_alloc(out, dtype, shape->dim, shape->rank, d));
  if (bytes)
    memcpy(out->data, from, bytes);
  swap_if_big_endian(dtype, out->data, bytes);
  return WEFT_OK;
}

static weft_status tensor_convert(const onnx_tensor *t, onnx_data *data, bool borrow, weft_tensor *out,
                                  weft_diag *d) {
  weft_dtype dtype;
  weft_shape shape;
  int64_t n;
  if (!weft__onnx_dtype(t->data_type, &dtype))
    return weft_fail(d, WEFT_E_DTYPE, "element type %d is not known", t->data_type);
  if (t->segment)
    return weft_fail(d, WEFT_E_UNSUPPORTED, "it is a segment of a larger tensor");
  for (size_t i = 0; i < t->dims.n; i++) {
    if (t->dims.v[i] < 0)
      return weft_fail(d, WEFT_E_SHAPE, "dim %zu is %lld", i, (long long)t->dims.v[i]);
  }
  if (weft_shape_init(&shape, t->dims.v, t->dims.n))
    return weft_fail(d, WEFT_E_LIMIT, "rank %zu is over the limit of %d", (size_t)t->dims.n, WEFT_MAX_RANK);
  if (weft_shape_elems(&shape, &n) || weft_dtype_bytes(n, dtype) < 0)
    return weft_fail(d, WEFT_E_OVERFLOW, "the element count of its dims overflows");
  if (dtype == WEFT_STRING)
    return fill_strings(t, shape.dim, shape.rank, n, out, d);
  size_t bytes = (size_t)weft_dtype_bytes(n, dtype);
  if (t->data_location == ONNX_LOCATION_EXTERNAL) {
    const uint8_t *from;
    if ((uint64_t)weft_dtype_bytes(n, dtype) > PTRDIFF_MAX)
      return weft_fail(d, WEFT_E_LIMIT, "its data do not fit the address space");
    WEFT_TRY(onnx_files_find(data ? data->files : NULL, t, bytes, &from, d));
    return fill_raw(from, bytes, borrow, dtype, &shape, out, d);
  }
  if (t->has_raw) {
    if (t->raw.bytes != bytes)
      return weft_fail(d, WEFT_E_SHAPE, "raw_data has %zu bytes, its dims need %zu", t->raw.bytes, bytes);
    return fill_raw((const uint8_t *)t->raw.text, bytes, borrow, dtype, &shape, out, d);
  }
  // An entry takes at least one byte of the file: a lying shape is refused before memory is asked for.
  size_t entries = t->float_data.n + t->int32_data.n + t->int64_data.n + t->double_data.n + t->uint64_data.n;
  if (n > 0 && (size_t)n > 8 * entries)
    return tensor_wrong_count(t, "the data field", entries, n, d);
  WEFT_TRY(weft_tensor_alloc(out, dtype, shape.dim, shape.rank, d));
  return fill_typed(t, dtype, n, out, d);
}

weft_status weft__onnx_tensor(const onnx_tensor *t, onnx_data *data, bool borrow, weft_tensor *out,
                              weft_diag *d) {
  weft_status s = tensor_convert(t, data, borrow, out, d);
  if (s) {
    weft_note(d, "in tensor '%.*s' at byte %llu", (int)WEFT_MIN(t->name.bytes, 200), onnx_str_text(t->name),
              (unsigned long long)t->offset);
  }
  return s;
}

weft_status weft_onnx_read_tensor(const void *data, size_t bytes, weft_tensor *t, weft_diag *d) {
  WEFT_NEED_LIST(d, data, bytes);
  WEFT_NEED(d, t);
  weft_allocator a = t->alloc;
  if (!a.fn)
    a = weft_allocator_default();
  weft_tensor_init(t, &a);
  weft_arena arena;
  weft__arena_init(&arena, &a);
  const onnx_tensor *proto;
  weft_status s = weft__onnx_read_tensor(data, bytes, &arena, &proto, d);
  if (!s)
    s = weft__onnx_tensor(proto, NULL, false, t, d);
  weft__arena_deinit(&arena);
  return s;
}
// SPDX-License-Identifier: Apache-2.0
