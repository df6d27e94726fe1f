// tensor.c - tensors: a description and, when present, data.
// `owned` data come from `alloc`, are 64-byte aligned and `capacity` bytes long; borrowed data are never
// freed. Memory that is large enough is used again. String tensors are entries {offset, bytes} followed by
// zero-terminated payload; offsets count from `data`, so the whole is copied as one block. Items of sequences
// are tensors of their own.
#include "base/budget.h"
#include "tensor/tensor.h"

enum { ALIGN = 64, STRINGS_A_LOOK = 1 << 16 };  // strings set between two looks at the clock

// Dims behind the rank are never read: what lies around them is cleared, which takes a fifth of the time.
static void shape_clear(weft_shape *s) {
  s->rank = 0;
  memset(s->reserved, 0, sizeof s->reserved);
}

void weft_tensor_init(weft_tensor *t, const weft_allocator *a) {
  if (!t)
    return;
  memset(t, 0, offsetof(weft_tensor, layout));
  shape_clear(&t->layout.origin);
  shape_clear(&t->layout.storage);
  memset(t->layout.reserved, 0, sizeof t->layout.reserved);
  t->items = NULL;
  t->n_items = 0;
  t->size = sizeof *t;
  t->dtype = WEFT_FLOAT;
  t->origin_format = t->format = WEFT_ND;
  t->item_dtype = WEFT_UNDEFINED;
  t->alloc = a ? *a : weft_allocator_default();
}

static void free_items(weft_tensor *t) {
  for (size_t i = 0; i < t->n_items; i++) {
    weft_tensor_deinit(t->items[i]);
    weft__free(&t->alloc, t->items[i], sizeof(weft_tensor), _Alignof(weft_tensor));
  }
  weft__free(&t->alloc, t->items, t->n_items * sizeof *t->items, _Alignof(weft_tensor *));
  t->items = NULL;
  t->n_items = 0;
  t->item_dtype = WEFT_UNDEFINED;
}

// Large data from the default allocator lie on large pages: a first touch costs a tenth.
static size_t align_of(const weft_tensor *t, size_t bytes) {
  return weft__alloc_is_default(&t->alloc) ? weft__large_align(bytes) : ALIGN;
}

static void free_data(weft_tensor *t) {
  if (t->owned)
    weft__free(&t->alloc, t->data, t->capacity, align_of(t, t->capacity));
  t->data = NULL;
  t->bytes = t->capacity = 0;
  t->owned = 0;
}

void weft_tensor_deinit(weft_tensor *t) {
  if (!t)
    return;
  if (t->items)
    free_items(t);
  free_data(t);
}

// Makes room for `bytes` of its own, not zeroed; the old memory is freed only when the new one is there.
static weft_status tensor_reserve(weft_tensor *t, size_t bytes, weft_diag *d) {
  size_t capacity = WEFT_MAX(bytes, 1);
  if (!t->owned || t->capacity < capacity) {
    void *data = weft__alloc(&t->alloc, capacity, align_of(t, capacity));
    if (!data)
      return weft_fail(d, WEFT_E_NOMEM, "tensor: no memory for %zu bytes", bytes);
    free_data(t);
    t->data = data;
    t->capacity = capacity;
    t->owned = 1;
  }
  t->bytes = bytes;
  return WEFT_OK;
}

static void tensor_describe(weft_tensor *t, weft_dtype dtype, const weft_layout *layout,
                            weft_format origin_format, weft_format format) {
  if (t->items)
    free_items(t);
  t->item_dtype = WEFT_UNDEFINED;
  t->dtype = dtype;
  t->kind = WEFT_KIND_TENSOR;
  t->placement = WEFT_ON_HOST;
  t->origin_format = origin_format;
  t->format = format;
  if (layout != &t->layout) {
    weft_shape_copy(&t->layout.origin, &layout->origin);
    weft_shape_copy(&t->layout.storage, &layout->storage);
  }
}

static weft_status plain_layout(weft_layout *layout, const weft_dim *dims, size_t rank, weft_diag *d) {
  if (weft_shape_init(&layout->origin, dims, rank))
    return weft_fail(d, WEFT_E_LIMIT, "tensor: rank %zu, at most %d", rank, WEFT_MAX_RANK);
  weft_shape_copy(&layout->storage, &layout->origin);
  return WEFT_OK;
}

// Elements and bytes of a storage shape that must be known.
static weft_status tensor_measure(weft_dtype dtype, const weft_shape *s, size_t *out_elems, size_t *out_bytes,
                                  weft_diag *d) {
  int64_t elems = 0;
  char text[256];
  weft_status st = weft_shape_elems(s, &elems);
  if (st) {
    return weft_fail(d, st, "tensor: shape %s: %s", weft_shape_text(s, NULL, text, sizeof text),
                     weft_status_text(st));
  }
  if (elems < 0) {
    return weft_fail(d, WEFT_E_SHAPE, "tensor: data need a known shape, got %s",
                     weft_shape_text(s, NULL, text, sizeof text));
  }
  if (!weft_dtype_bits(dtype)) {
    return weft_fail(d, WEFT_E_DTYPE, "tensor: data need a dtype with a size, got %s (%d)",
                     weft_dtype_name(dtype), dtype);
  }
  int64_t bytes = weft_dtype_bytes(elems, dtype);
  if (bytes < 0 || bytes > PTRDIFF_MAX - ALIGN) {
    return weft_fail(d, WEFT_E_OVERFLOW, "tensor: %s of shape %s is over the address space",
                     weft_dtype_name(dtype), weft_shape_text(s, NULL, text, sizeof text));
  }
  *out_elems = (size_t)elems;
  *out_bytes = (size_t)bytes;
  return WEFT_OK;
}

weft_status weft__tensor_alloc_over(weft_tensor *t, weft_dtype dtype, const weft_layout *layout,
                                    weft_format origin_format, weft_format format, size_t over,
                                    weft_diag *d) {
  size_t elems;
  size_t bytes;
  if (layout->origin.rank > WEFT_MAX_RANK) {
    return weft_fail(d, WEFT_E_LIMIT, "tensor: origin rank %zu, at most %d", layout->origin.rank,
                     WEFT_MAX_RANK);
  }
  WEFT_TRY(tensor_measure(dtype, &layout->storage, &elems, &bytes, d));
  if (over > PTRDIFF_MAX - bytes)
    return weft_fail(d, WEFT_E_NOMEM, "tensor: no memory for %zu bytes", bytes);
  WEFT_TRY(tensor_reserve(t, bytes + over, d));
  t->bytes = bytes;
  tensor_describe(t, dtype, layout, origin_format, format);
  return WEFT_OK;
}

weft_status weft_tensor_alloc_layout(weft_tensor *t, weft_dtype dtype, const weft_layout *layout,
                                     weft_format origin_format, weft_format format, weft_diag *d) {
  WEFT_NEED(d, t);
  WEFT_NEED(d, layout);
  return weft__tensor_alloc_over(t, dtype, layout, origin_format, format, 0, d);
}

uint64_t weft__tensor_bytes_of_all(const weft_tensor *t) {
  uint64_t n = t->bytes;
  for (size_t i = 0; i < t->n_items; i++)
    n += sizeof *t + weft__tensor_bytes_of_all(t->items[i]);
  return n;
}

void weft__tensor_hand_over(weft_tensor *t, const weft_allocator *to) {
  for (size_t i = 0; i < t->n_items; i++)
    weft__tensor_hand_over(t->items[i], to);
  t->alloc = *to;
}

void weft__tensor_like(weft_tensor *t, const weft_tensor *from) {
  free_data(t);
  tensor_describe(t, from->dtype, &from->layout, from->origin_format, from->format);
}

weft_status weft_tensor_alloc(weft_tensor *t, weft_dtype dtype, const weft_dim *dims, size_t rank,
                              weft_diag *d) {
  WEFT_NEED(d, t);
  weft_layout layout;
  WEFT_TRY(plain_layout(&layout, dims, rank, d));
  WEFT_TRY(weft_tensor_alloc_layout(t, dtype, &layout, WEFT_ND, WEFT_ND, d));
  return weft__budget_zero(weft__budget_of(&t->alloc), t->data, t->bytes, d);
}

weft_status weft__tensor_describe(weft_tensor *t, weft_dtype dtype, const weft_dim *dims, size_t rank,
                                  weft_diag *d) {
  weft_layout layout;
  WEFT_TRY(plain_layout(&layout, dims, rank, d));
  free_data(t);
  tensor_describe(t, dtype, &layout, WEFT_ND, WEFT_ND);
  return WEFT_OK;
}

weft_status weft_tensor_borrow(weft_tensor *t, weft_dtype dtype, const weft_dim *dims, size_t rank,
                               void *data, size_t bytes, weft_diag *d) {
  WEFT_NEED(d, t);
  weft_layout layout;
  size_t elems;
  size_t need;
  if (!data && !bytes)
    return weft__tensor_describe(t, dtype, dims, rank, d);
  if (!data)
    return weft_fail(d, WEFT_E_INVALID, "tensor: %zu bytes at address NULL", bytes);
  WEFT_TRY(plain_layout(&layout, dims, rank, d));
  WEFT_TRY(tensor_measure(dtype, &layout.storage, &elems, &need, d));
  if (bytes < need) {
    char text[256];
    return weft_fail(d, WEFT_E_SHAPE, "tensor: %s%s needs %zu bytes, got %zu", weft_dtype_name(dtype),
                     weft_shape_text(&layout.storage, NULL, text, sizeof text), need, bytes);
  }
  free_data(t);
  tensor_describe(t, dtype, &layout, WEFT_ND, WEFT_ND);
  t->data = data;
  t->bytes = weft__dtype_class(dtype) == WEFT__CLASS_STRING ? bytes : need;
  t->capacity = bytes;
  return WEFT_OK;
}

weft_status weft__tensor_set_items(weft_tensor *t, uint8_t kind, weft_dtype item_dtype, size_t n,
                                   weft_diag *d) {
  weft_tensor **items = NULL;
  size_t bytes;
  size_t made = 0;
  if (n && weft_mul_size(n, sizeof *items, &bytes)) {
    items = weft__alloc(&t->alloc, bytes, _Alignof(weft_tensor *));
    for (; items && made < n; made++) {
      items[made] = weft__alloc(&t->alloc, sizeof(weft_tensor), _Alignof(weft_tensor));
      if (!items[made])
        break;
      weft_tensor_init(items[made], &t->alloc);
    }
  }
  if (made < n) {
    while (made)
      weft__free(&t->alloc, items[--made], sizeof(weft_tensor), _Alignof(weft_tensor));
    if (items)
      weft__free(&t->alloc, items, bytes, _Alignof(weft_tensor *));
    return weft_fail(d, WEFT_E_NOMEM, "tensor: no memory for %zu items", n);
  }
  weft_tensor_deinit(t);
  weft_shape_set_scalar(&t->layout.origin);
  weft_shape_set_scalar(&t->layout.storage);
  t->origin_format = t->format = WEFT_ND;
  t->dtype = item_dtype;
  t->kind = kind;
  t->items = items;
  t->n_items = n;
  t->item_dtype = item_dtype;
  return WEFT_OK;
}

static weft_status tensor_copy(weft_tensor *to, const weft_tensor *from, int depth, weft_diag *d);

static weft_status copy_items(weft_tensor *to, const weft_tensor *from, int depth, weft_diag *d) {
  if (depth >= WEFT__TENSOR_DEPTH)
    return weft_fail(d, WEFT_E_LIMIT, "tensor: sequences nested deeper than %d", WEFT__TENSOR_DEPTH);
  weft_tensor fresh;
  weft_tensor_init(&fresh, &to->alloc);
  weft_status st = weft__tensor_set_items(&fresh, from->kind, from->item_dtype, from->n_items, d);
  for (size_t i = 0; !st && i < from->n_items; i++)
    st = tensor_copy(fresh.items[i], from->items[i], depth + 1, d);
  weft_tensor_deinit(st ? &fresh : to);
  if (!st)
    *to = fresh;
  return st;
}

static weft_status tensor_copy(weft_tensor *to, const weft_tensor *from, int depth, weft_diag *d) {
  if (weft__kind_has_items(from->kind))
    return copy_items(to, from, depth, d);
  if (to->items) {  // `from` may be one of them
    weft_tensor fresh;
    weft_tensor_init(&fresh, &to->alloc);
    WEFT_TRY(tensor_copy(&fresh, from, depth, d));
    weft_tensor_deinit(to);
    *to = fresh;
    return WEFT_OK;
  }
  if (from->data && from->placement != WEFT_ON_HOST)
    return weft_fail(d, WEFT_E_UNSUPPORTED, "tensor: only data on the host can be copied here");
  if (from->data) {
    WEFT_TRY(tensor_reserve(to, from->bytes, d));
    WEFT_TRY(weft__budget_copy(weft__budget_of(&to->alloc), to->data, from->data, from->bytes, d));
  } else {
    free_data(to);
  }
  tensor_describe(to, from->dtype, &from->layout, from->origin_format, from->format);
  to->kind = from->kind;
  to->placement = from->placement;
  to->item_dtype = from->item_dtype;
  return WEFT_OK;
}

weft_status weft_tensor_copy(weft_tensor *to, const weft_tensor *from, weft_diag *d) {
  WEFT_NEED(d, to);
  WEFT_NEED(d, from);
  return to == from ? WEFT_OK : tensor_copy(to, from, 0, d);
}

weft_status weft_tensor_copy_plain(weft_tensor *to, const weft_tensor *from, weft_diag *d) {
  WEFT_NEED(d, to);
  WEFT_NEED(d, from);
  weft_format plain = weft_format_primary(from->origin_format) == WEFT_ND ? WEFT_NCHW : from->origin_format;
  if (from->kind != WEFT_KIND_TENSOR || weft_format_primary(from->format) == weft_format_primary(plain) ||
      weft_shape_equal(&from->layout.origin, &from->layout.storage))
    return weft_tensor_copy(to, from, d);
  WEFT_TRY(weft_tensor_alloc(to, from->dtype, from->layout.origin.dim, from->layout.origin.rank, d));
  to->origin_format = to->format = from->origin_format;
  return weft_format_convert(&from->layout.origin, from->dtype, from->format, from->data, from->bytes, plain,
                             to->data, to->bytes, 0, d);
}

int64_t weft_tensor_elems(const weft_tensor *t) {
  if (!t)
    return -1;
  int64_t n;
  return weft_shape_elems(&t->layout.storage, &n) ? -1 : n;
}

static const void *tensor_typed(const weft_tensor *t, weft_dtype dtype) {
  return t && t->kind == WEFT_KIND_TENSOR && t->dtype == dtype && t->placement == WEFT_ON_HOST ? t->data
                                                                                               : NULL;
}
const int32_t *weft_tensor_i32(const weft_tensor *t) {
  if (!t)
    return NULL;
  return tensor_typed(t, WEFT_INT32);
}
const int64_t *weft_tensor_i64(const weft_tensor *t) {
  if (!t)
    return NULL;
  return tensor_typed(t, WEFT_INT64);
}
const float *weft_tensor_f32(const weft_tensor *t) {
  if (!t)
    return NULL;
  return tensor_typed(t, WEFT_FLOAT);
}

const char *weft__kind_word(uint8_t kind) {
  static const char *const words[WEFT__KINDS] = {
      "tensor", "sequence", "optional", "resource", "optional sequence", "map", "sequence of maps"};
  return kind < WEFT_COUNT(words) ? words[kind] : "value of unknown kind";
}

static const char *const kind_marks[WEFT__KINDS] = {"", "seq", "opt", "resource", "optseq", "map", "maps"};

const char *weft__kind_mark(uint8_t kind) {
  return kind < WEFT__KINDS ? kind_marks[kind] : "?";
}

uint8_t weft__kind_of_mark(const char *mark, size_t bytes) {
  for (uint8_t kind = WEFT_KIND_TENSOR + 1; kind < WEFT__KINDS; kind++) {
    if (strlen(kind_marks[kind]) == bytes && !memcmp(kind_marks[kind], mark, bytes))
      return kind;
  }
  return WEFT_KIND_TENSOR;
}

// ---- strings ----

weft_status weft__tensor_alloc_strings(weft_tensor *t, const weft_dim *dims, size_t rank,
                                       size_t payload_bytes, weft_diag *d) {
  weft_layout layout;
  size_t elems;
  size_t heads;
  size_t bytes;
  WEFT_TRY(plain_layout(&layout, dims, rank, d));
  WEFT_TRY(tensor_measure(WEFT_STRING, &layout.storage, &elems, &heads, d));
  if (!weft_add_size(heads, payload_bytes, &bytes) || bytes > PTRDIFF_MAX - ALIGN) {
    return weft_fail(d, WEFT_E_OVERFLOW, "string tensor: %zu bytes of text are over the address space",
                     payload_bytes);
  }
  WEFT_TRY(tensor_reserve(t, bytes, d));
  tensor_describe(t, WEFT_STRING, &layout, WEFT_ND, WEFT_ND);
  memset(t->data, 0, heads);
  return WEFT_OK;
}

weft_status weft_tensor_set_strings(weft_tensor *t, const weft_dim *dims, size_t rank,
                                    const char *const *text, const size_t *bytes, weft_diag *d) {
  WEFT_NEED(d, t);
  const weft__pieces p = {text, bytes, 1};
  return weft__tensor_set_pieces(t, dims, rank, &p, weft__budget_of(&t->alloc), d);
}

static size_t pieces_length(const weft__pieces *p, size_t i) {
  return p->bytes ? p->bytes[i] : strlen(p->text[i]);
}

// What all texts take, each string with a zero behind it.
static weft_status pieces_measure(const weft__pieces *p, size_t n, size_t *out, weft_diag *d) {
  *out = n;
  for (size_t i = 0; i < n * p->pieces; i++) {
    if (!p->text[i])
      return weft_fail(d, WEFT_E_INVALID, "string tensor: text %zu is NULL", i);
    if (!weft_add_size(*out, pieces_length(p, i), out))
      return weft_fail(d, WEFT_E_OVERFLOW, "string tensor: the bytes of %zu texts overflow", n);
  }
  return WEFT_OK;
}

static weft_status pieces_put(const weft__pieces *p, size_t n, char *data, size_t heads,
                              const weft__budget *b, weft_diag *d) {
  size_t at = heads;
  for (size_t i = 0; i < n; i++) {
    weft_string entry = {(int64_t)at, 0};
    for (size_t k = i * p->pieces; k < (i + 1) * p->pieces; k++) {
      size_t bytes = pieces_length(p, k);
      WEFT_TRY(weft__budget_copy(b, data + at, p->text[k], bytes, d));
      at += bytes;
    }
    entry.bytes = (int64_t)at - entry.offset;
    memcpy(data + i * sizeof entry, &entry, sizeof entry);
    data[at++] = 0;
    if (b && i % STRINGS_A_LOOK == STRINGS_A_LOOK - 1)
      WEFT_TRY(weft__budget_poll(b, d));
  }
  return WEFT_OK;
}

weft_status weft__tensor_set_pieces(weft_tensor *t, const weft_dim *dims, size_t rank, const weft__pieces *p,
                                    const weft__budget *b, weft_diag *d) {
  weft_layout layout;
  size_t n;
  size_t heads;
  size_t payload;
  WEFT_TRY(plain_layout(&layout, dims, rank, d));
  WEFT_TRY(tensor_measure(WEFT_STRING, &layout.storage, &n, &heads, d));
  WEFT_TRY(pieces_measure(p, n, &payload, d));
  weft_tensor fresh;  // the texts may lie in t itself
  weft_tensor_init(&fresh, &t->alloc);
  WEFT_TRY(weft__tensor_alloc_strings(&fresh, dims, rank, payload, d));
  weft_status s = pieces_put(p, n, fresh.data, heads, b, d);
  if (s) {
    weft_tensor_deinit(&fresh);
    return s;
  }
  weft_tensor_deinit(t);
  *t = fresh;
  return WEFT_OK;
}

weft_status weft_tensor_string(const weft_tensor *t, size_t i, const char **out, size_t *out_bytes,
                               weft_diag *d) {
  WEFT_NEED(d, t);
  WEFT_NEED(d, out);
  WEFT_NEED(d, out_bytes);
  if (t->kind != WEFT_KIND_TENSOR || weft__dtype_class(t->dtype) != WEFT__CLASS_STRING)
    return weft_fail(d, WEFT_E_DTYPE, "string tensor: expected dtype str, got %s", weft_dtype_name(t->dtype));
  if (!t->data || t->placement != WEFT_ON_HOST)
    return weft_fail(d, WEFT_E_STATE, "string tensor: no data on the host");
  int64_t elems = weft_tensor_elems(t);
  if (elems < 0 || i >= (uint64_t)elems)
    return weft_fail(d, WEFT_E_RANGE, "string tensor: element %zu of %lld", i, (long long)elems);
  weft_string entry;
  if (i >= t->bytes / sizeof entry)
    return weft_fail(d, WEFT_E_CORRUPT, "string tensor: %zu bytes hold no entry %zu", t->bytes, i);
  memcpy(&entry, (const char *)t->data + i * sizeof entry, sizeof entry);
  if (entry.offset < 0 || entry.bytes < 0 || (uint64_t)entry.offset > t->bytes ||
      (uint64_t)entry.bytes > t->bytes - (uint64_t)entry.offset) {
    return weft_fail(d, WEFT_E_CORRUPT, "string tensor: entry %zu is %lld bytes at %lld, the tensor has %zu",
                     i, (long long)entry.bytes, (long long)entry.offset, t->bytes);
  }
  *out = (const char *)t->data + entry.offset;
  *out_bytes = (size_t)entry.bytes;
  return WEFT_OK;
}

// ---- elements ----

weft__class weft__dtype_class(weft_dtype t) {
  static const struct {
    weft_dtype_set of;
    weft__class class;
  } classes[] = {{WEFT_DT(BOOL), WEFT__CLASS_BOOL},
                 {WEFT_DT(STRING) | WEFT_DT(STRING_REF), WEFT__CLASS_STRING},
                 {WEFT_DT(QINT8) | WEFT_DT(QINT16) | WEFT_DT(QINT32), WEFT__CLASS_INT},
                 {WEFT_DT(QUINT8) | WEFT_DT(QUINT16), WEFT__CLASS_UINT},
                 {WEFT_DT(HIFLOAT8) | WEFT_DT(HIFLOAT4), WEFT__CLASS_RAW}};
  for (size_t i = 0; i < WEFT_COUNT(classes); i++) {
    if (classes[i].of & WEFT_BIT(t))
      return classes[i].class;
  }
  if (!weft_dtype_bits(t))
    return WEFT__CLASS_NONE;
  if (weft_dtype_is_complex(t))
    return WEFT__CLASS_COMPLEX;
  if (weft_dtype_is_float(t))
    return WEFT__CLASS_FLOAT;
  if (weft_dtype_is_integer(t))
    return weft_dtype_is_signed(t) ? WEFT__CLASS_INT : WEFT__CLASS_UINT;
  return WEFT__CLASS_RAW;
}

weft_dtype weft__dtype_plain(weft_dtype t) {
  static const weft_dtype plain[][2] = {{WEFT_QINT8, WEFT_INT8},      {WEFT_QINT16, WEFT_INT16},
                                        {WEFT_QINT32, WEFT_INT32},    {WEFT_QUINT8, WEFT_UINT8},
                                        {WEFT_QUINT16, WEFT_UINT16},  {WEFT_COMPLEX32, WEFT_FLOAT16},
                                        {WEFT_COMPLEX64, WEFT_FLOAT}, {WEFT_COMPLEX128, WEFT_DOUBLE}};
  for (size_t i = 0; i < WEFT_COUNT(plain); i++) {
    if (plain[i][0] == t)
      return plain[i][1];
  }
  return t;
}

uint64_t weft__bits_get(weft_dtype t, const void *data, size_t index) {
  const uint8_t *p = data;
  // 8 elements take `bits` bytes
  size_t bits = weft_dtype_bits(t);
  size_t from = index % 8 * bits;
  uint64_t v = 0;
  p += index / 8 * bits;
  if (bits == 8)
    return p[index % 8];
  for (size_t i = 0; i < bits;) {
    size_t shift = (from + i) % 8;
    size_t n = WEFT_MIN(8 - shift, bits - i);
    v |= ((uint64_t)p[(from + i) / 8] >> shift & ((1u << n) - 1)) << i;
    i += n;
  }
  return v;
}

void weft__bits_put(weft_dtype t, void *data, size_t index, uint64_t v) {
  uint8_t *p = data;
  size_t bits = weft_dtype_bits(t);
  size_t from = index % 8 * bits;
  p += index / 8 * bits;
  for (size_t i = 0; i < bits;) {
    size_t shift = (from + i) % 8;
    size_t n = WEFT_MIN(8 - shift, bits - i);
    uint8_t mask = (uint8_t)(((1u << n) - 1) << shift);
    uint8_t *b = &p[(from + i) / 8];
    *b = (uint8_t)((*b & ~mask) | ((v >> i << shift) & mask));
    i += n;
  }
}
// SPDX-License-Identifier: Apache-2.0
