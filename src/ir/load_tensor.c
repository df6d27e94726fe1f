// load_tensor.c - the tensors of a graph file. A record says how many bytes its data have; they must be what
// its dtype and shape need and must be in the file before memory for them is taken. Attributes have tensors
// of their own, used once, because a node copies them; constants and facts share. Data that lie apart, in the
// weights of a program, are pointed at and not read. See load.c.
#include "ir/file.h"

static weft_status load_tensor_no_memory(weft__loader *l) {
  return weft_fail(l->d, WEFT_E_NOMEM, "graph file: out of memory");
}
// WEFT_TRY(tensors_allocated(p, ..)): unless everything that was asked for is there, no_memory.
static weft_status tensors_allocated(bool all, weft__loader *l) {
  return all ? WEFT_OK : load_tensor_no_memory(l);
}

typedef struct data_area {
  size_t at, bytes;  // of the next data, and of the section, from its start
} data_area;

typedef struct tensor_head {
  uint32_t flags, n_items;
  weft_dtype dtype, item_dtype;
  weft_format origin_format, format;
  weft_layout layout;
  uint64_t bytes;
  bool data, apart;
  uint32_t crc;  // of data that lie apart
} tensor_head;

static weft_status read_tensor_head(weft__loader *l, weft__reader *r, tensor_head *h) {
  h->flags = weft__read_u32(r);
  h->dtype = weft__load_dtype(l, r);
  h->item_dtype = weft__load_dtype(l, r);
  h->origin_format = weft__load_format(l, r);
  h->format = weft__load_format(l, r);
  weft__load_shape(l, r, &h->layout.origin);
  weft__load_shape(l, r, &h->layout.storage);
  h->bytes = weft__read_u64(r);
  h->n_items = weft__read_count(r, 44, "items");
  WEFT_TRY(r->status);
  uint32_t kind = h->flags & 255;
  bool items = weft__kind_has_items((uint8_t)kind);
  bool data = h->flags >> 8 & 1;
  uint32_t most = weft__kind_is_map((uint8_t)kind) ? 2 : 1;
  h->data = data;
  h->apart = h->flags & WEFT__FILE_APART;
  if (h->apart)
    h->crc = weft__read_u32(r);
  WEFT_TRY(r->status);
  if (h->flags > 1023 || (h->apart && (!h->bytes || h->dtype == WEFT_STRING)) ||
      (!items && kind != WEFT_KIND_TENSOR) || (!items && h->n_items) || (items && (data || h->bytes)) ||
      (items && kind != WEFT_KIND_SEQUENCE && h->n_items > most) || (!data && h->bytes)) {
    return weft__reader_fail(r, WEFT_E_CORRUPT,
                             "a tensor of kind %u with flags 0x%x, %u items and %llu bytes", kind, h->flags,
                             h->n_items, (unsigned long long)h->bytes);
  }
  if (data && (h->dtype == WEFT_RESOURCE || h->dtype == WEFT_VARIANT || h->dtype == WEFT_STRING_REF))
    return weft__reader_fail(r, WEFT_E_CORRUPT, "a tensor holds handles (%s)", weft_dtype_name(h->dtype));
  return WEFT_OK;
}

static weft_status check_strings(weft__loader *l, weft__reader *r, const weft_tensor *t) {
  const char *text;
  size_t bytes;
  int64_t n = weft_tensor_elems(t);
  for (int64_t i = 0; i < n; i++) {
    weft_status s = weft_tensor_string(t, (size_t)i, &text, &bytes, l->d);
    if (s)
      return weft__reader_note(r, s);
  }
  return WEFT_OK;
}

// Do the bytes of the record fit its dtype and shape?
static weft_status check_bytes(weft__reader *r, const tensor_head *h, int64_t *out_bytes) {
  int64_t elems = -1;
  const weft_shape *storage = &h->layout.storage;
  bool text = h->dtype == WEFT_STRING;
  if (storage->rank <= WEFT_MAX_RANK && !weft_shape_is_unknown_rank(storage) &&
      weft_shape_elems(storage, &elems))
    elems = -1;
  int64_t bytes = elems < 0 ? -1 : weft_dtype_bytes(elems, h->dtype);
  if (!weft__file_layout_fits(&h->layout, h->origin_format, h->format))
    return weft__reader_fail(r, WEFT_E_CORRUPT, "a tensor's origin and storage shapes contradict each other");
  if (bytes < 0 || (text ? h->bytes < (uint64_t)bytes : h->bytes != (uint64_t)bytes)) {
    return weft__reader_fail(
        r, WEFT_E_CORRUPT, "a tensor of %lld elements (%s) takes %lld bytes, the file has %llu",
        (long long)elems, weft_dtype_name(h->dtype), (long long)bytes, (unsigned long long)h->bytes);
  }
  *out_bytes = bytes;
  return WEFT_OK;
}

// Gives t memory of h->bytes, which are known to be in the file: no shape can ask for more.
static weft_status alloc_data(weft__loader *l, weft__reader *r, const tensor_head *h, weft_tensor *t) {
  const weft_shape *storage = &h->layout.storage;
  int64_t bytes;
  WEFT_TRY(check_bytes(r, h, &bytes));
  weft_status s =
      h->dtype == WEFT_STRING
          ? weft__tensor_alloc_strings(t, storage->dim, storage->rank, (size_t)h->bytes - (size_t)bytes, l->d)
          : weft_tensor_alloc_layout(t, h->dtype, &h->layout, h->origin_format, h->format, l->d);
  return s ? weft__reader_note(r, s) : WEFT_OK;
}

// In the block of weights, which nobody reads here.
static weft_status point_at(weft__loader *l, weft__reader *r, const tensor_head *h, weft_tensor *t) {
  int64_t bytes;
  if (!l->apart)
    return weft__reader_fail(r, WEFT_E_CORRUPT, "the data of a tensor lie apart, and there are no weights");
  WEFT_TRY(check_bytes(r, h, &bytes));
  if (l->weights_at > l->weights_bytes || h->bytes > l->weights_bytes - l->weights_at) {
    return weft__reader_fail(r, WEFT_E_CORRUPT, "data of %llu bytes at byte %zu of weights of %zu",
                             (unsigned long long)h->bytes, l->weights_at, l->weights_bytes);
  }
  WEFT_TRY(tensors_allocated(WEFT_VEC_ROOM(weft_env_allocator(l->env), *l->apart), l));
  l->apart->v[l->apart->n++] = (weft__weight){t, h->crc};
  t->data = (void *)(uintptr_t)(l->weights + l->weights_at);
  t->bytes = t->capacity = (size_t)h->bytes;
  l->weights_at += ((size_t)h->bytes + WEFT__FILE_ALIGN - 1) / WEFT__FILE_ALIGN * WEFT__FILE_ALIGN;
  return WEFT_OK;
}

static weft_status load_data(weft__loader *l, weft__reader *r, const tensor_head *h, data_area *a,
                             weft_tensor *t) {
  if (h->apart)
    WEFT_TRY(point_at(l, r, h, t));
  if (h->data && !h->apart) {
    if (a->at > a->bytes || h->bytes > a->bytes - a->at) {
      return weft__reader_fail(r, WEFT_E_CORRUPT, "data of %llu bytes at byte %zu of a section of %zu",
                               (unsigned long long)h->bytes, a->at, a->bytes);
    }
    WEFT_TRY(alloc_data(l, r, h, t));
    if (h->bytes)
      memcpy(t->data, r->v + a->at, (size_t)h->bytes);
    a->at += ((size_t)h->bytes + WEFT__FILE_ALIGN - 1) / WEFT__FILE_ALIGN * WEFT__FILE_ALIGN;
  }
  t->dtype = h->dtype;
  t->kind = WEFT_KIND_TENSOR;
  t->item_dtype = h->item_dtype;
  t->origin_format = h->origin_format;
  t->format = h->format;
  weft_shape_copy(&t->layout.origin, &h->layout.origin);
  weft_shape_copy(&t->layout.storage, &h->layout.storage);
  return t->dtype == WEFT_STRING && t->data ? check_strings(l, r, t) : WEFT_OK;
}

static weft_status load_tensor(weft__loader *l, weft__reader *r, data_area *a, int depth, weft_tensor *t) {
  tensor_head h;
  WEFT_TRY(read_tensor_head(l, r, &h));
  uint8_t kind = (uint8_t)(h.flags & 255);
  if (h.apart && depth)
    return weft__reader_fail(r, WEFT_E_CORRUPT, "the data of an item lie apart");
  if (kind == WEFT_KIND_TENSOR)
    return load_data(l, r, &h, a, t);
  if (depth >= WEFT__TENSOR_DEPTH)
    return weft__reader_fail(r, WEFT_E_CORRUPT, "sequences are nested deeper than %d", WEFT__TENSOR_DEPTH);
  weft_status s = weft__tensor_set_items(t, kind, h.item_dtype, h.n_items, l->d);
  t->dtype = h.dtype;
  for (uint32_t i = 0; !s && i < h.n_items; i++)
    s = load_tensor(l, r, a, depth + 1, t->items[i]);
  if (!s && weft__kind_is_map(kind))
    s = weft__map_check(t, l->d);
  return s;
}

weft_status weft__load_tensors(weft__loader *l) {
  weft__reader *r = &l->section[WEFT__FILE_TENSORS];
  uint64_t start = weft__read_u64(r);
  if (!r->status && (start > r->bytes || start % WEFT__FILE_ALIGN)) {
    weft__reader_fail(r, WEFT_E_CORRUPT, "data begin at byte %llu of a section of %zu",
                      (unsigned long long)start, r->bytes);
  }
  WEFT_TRY(r->status);
  weft__reader table = *r;
  table.bytes = (size_t)start;
  if (table.at > table.bytes)
    return weft__reader_fail(r, WEFT_E_CORRUPT, "data begin inside the head");
  WEFT_TRY(weft__reader_check_count(&table, 44, "tensors"));
  l->tensors = WEFT_NEW_N(&l->scratch, weft__file_tensor, (size_t)table.count + 1);
  WEFT_TRY(tensors_allocated(l->tensors, l));
  data_area area = {(size_t)start, r->bytes};
  for (; l->n_tensors < table.count; l->n_tensors++) {
    weft__file_tensor *f = &l->tensors[l->n_tensors];
    f->t = weft__graph_tensor(l->graph);
    WEFT_TRY(tensors_allocated(f->t, l));
    WEFT_TRY(load_tensor(l, &table, &area, 0, f->t));
  }
  if (area.at != r->bytes || table.bytes - table.at >= WEFT__FILE_ALIGN) {
    return weft__reader_fail(&table, WEFT_E_CORRUPT, "the data end at byte %zu of a section of %zu", area.at,
                             r->bytes);
  }
  if (l->weights_at != l->weights_bytes) {
    return weft__reader_fail(&table, WEFT_E_CORRUPT, "the data end at byte %zu of weights of %zu",
                             l->weights_at, l->weights_bytes);
  }
  return WEFT_OK;
}

weft_tensor *weft__load_tensor(weft__loader *l, weft__reader *r, uint8_t use) {
  uint32_t i = weft__read_u32(r);
  if (r->status)
    return NULL;
  if (i >= l->n_tensors) {
    weft__reader_fail(r, WEFT_E_CORRUPT, "tensor %u, the file has %u", i, l->n_tensors);
    return NULL;
  }
  weft__file_tensor *f = &l->tensors[i];
  if (f->use && (use != 1 || f->use != 1)) {
    weft__reader_fail(r, WEFT_E_CORRUPT, "tensor %u belongs to an attribute and is used twice", i);
    return NULL;
  }
  if (use == 2 && f->t->data && !f->t->owned) {
    weft__reader_fail(r, WEFT_E_CORRUPT, "tensor %u belongs to an attribute and lies apart", i);
    return NULL;
  }
  f->use = use;
  return f->t;
}
// SPDX-License-Identifier: Apache-2.0
