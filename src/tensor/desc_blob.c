// desc_blob.c - descriptions as bytes, little-endian and fixed widths on every host.
// Version 1: u32 1, u64 rank, i64 dims, u32 dtype, u32 primary format: the storage shape with the format it
// lies in. Version 2: u32 2, u32 bytes of the blob, u8 kind, placement, has_range, 0; dtype; origin format;
// format; origin shape; storage shape; min and max when has_range; name. A dtype is its serial string; a
// format its word and the serial string of its primary, which decides: numbers that drift between versions do
// no harm. A string is u32 length (2^32-1: none), bytes, a zero. A shape is u32 rank (2^32-1: unset) and i64
// dims. Symbols belong to a pool and are saved as -1.
#include "base/base.h"
#include "weft/tensor.h"

enum { V1_BYTES = 20, V2_MIN_BYTES = 12 };
#define NONE UINT32_MAX

// ---- writing: `at` counts on past cap, so one pass measures and one writes ----

typedef struct out_blob {
  uint8_t *v;
  size_t at, cap;
} out_blob;

static void desc_blob_put(out_blob *o, uint64_t v, size_t bytes) {
  for (size_t i = 0; i < bytes; i++, o->at++) {
    if (o->at < o->cap)
      o->v[o->at] = (uint8_t)(v >> (8 * i));
  }
}

static void put_text(out_blob *o, const char *text) {
  if (!text) {
    desc_blob_put(o, NONE, 4);
    return;
  }
  size_t n = strlen(text);
  desc_blob_put(o, n, 4);
  for (size_t i = 0; i <= n; i++)
    desc_blob_put(o, (uint8_t)text[i], 1);
}

static void put_dims(out_blob *o, const weft_shape *s) {
  for (size_t i = 0; i < s->rank; i++)
    desc_blob_put(o, (uint64_t)(weft_dim_is_symbol(s->dim[i]) ? WEFT_DIM_UNKNOWN : s->dim[i]), 8);
}

static void desc_blob_put_shape(out_blob *o, const weft_shape *s) {
  if (s->rank == WEFT_RANK_UNSET) {
    desc_blob_put(o, NONE, 4);
    return;
  }
  desc_blob_put(o, s->rank, 4);
  put_dims(o, s);
}

static void put_format(out_blob *o, weft_format f) {
  desc_blob_put(o, f, 4);
  put_text(o, weft_format_serial(weft_format_primary(f)));
}

static void put_blob(out_blob *o, const weft_tensor_desc *desc, uint32_t version, size_t total) {
  desc_blob_put(o, version, 4);
  if (version == 1) {
    desc_blob_put(o, desc->layout.storage.rank, 8);
    put_dims(o, &desc->layout.storage);
    desc_blob_put(o, desc->dtype, 4);
    desc_blob_put(o, weft_format_primary(desc->format), 4);
    return;
  }
  desc_blob_put(o, total, 4);
  desc_blob_put(o, desc->kind, 1);
  desc_blob_put(o, desc->placement, 1);
  desc_blob_put(o, desc->has_range != 0, 1);
  desc_blob_put(o, 0, 1);
  put_text(o, weft_dtype_serial(desc->dtype));
  put_format(o, desc->origin_format);
  put_format(o, desc->format);
  desc_blob_put_shape(o, &desc->layout.origin);
  desc_blob_put_shape(o, &desc->layout.storage);
  if (desc->has_range) {
    desc_blob_put_shape(o, &desc->min);
    desc_blob_put_shape(o, &desc->max);
  }
  put_text(o, desc->name);
}

static weft_status desc_blob_check_shape(const weft_shape *s, const char *which, bool may_be_unset,
                                         weft_diag *d) {
  if (s->rank == WEFT_RANK_UNSET && may_be_unset)
    return WEFT_OK;
  if (s->rank > WEFT_MAX_RANK) {
    return weft_fail(d, WEFT_E_LIMIT, "tensor description, %s shape: rank %zu, at most %d", which, s->rank,
                     WEFT_MAX_RANK);
  }
  if (weft_shape_is_unknown_rank(s))
    return WEFT_OK;
  for (size_t i = 0; i < s->rank; i++) {
    if (s->dim[i] < WEFT_DIM_UNKNOWN && !weft_dim_is_symbol(s->dim[i])) {
      return weft_fail(d, WEFT_E_INVALID, "tensor description, %s shape: dim %zu is %lld, at least -1", which,
                       i, (long long)s->dim[i]);
    }
  }
  return WEFT_OK;
}

static weft_status check_format(weft_format f, weft_diag *d) {
  if (weft_format_known(f))
    return WEFT_OK;
  return weft_fail(d, WEFT_E_FORMAT, "tensor description: format word %#x has no known primary format",
                   (unsigned)f);
}

weft_status weft_desc_save(const weft_tensor_desc *desc, uint32_t version, void *buf, size_t cap,
                           size_t *out_bytes, weft_diag *d) {
  WEFT_NEED(d, desc);
  WEFT_NEED(d, out_bytes);
  if (version != 1 && version != 2) {
    return weft_fail(d, WEFT_E_VERSION, "tensor description: version %u, known are 1 and 2",
                     (unsigned)version);
  }
  if (!weft_dtype_known(desc->dtype))
    return weft_fail(d, WEFT_E_DTYPE, "tensor description: dtype %d is not known", desc->dtype);
  WEFT_TRY(check_format(desc->format, d));
  WEFT_TRY(desc_blob_check_shape(&desc->layout.storage, "storage", version > 1, d));
  if (version == 2) {
    WEFT_TRY(check_format(desc->origin_format, d));
    WEFT_TRY(desc_blob_check_shape(&desc->layout.origin, "origin", true, d));
    if (desc->has_range) {
      WEFT_TRY(desc_blob_check_shape(&desc->min, "min", false, d));
      WEFT_TRY(desc_blob_check_shape(&desc->max, "max", false, d));
    }
    if (desc->name && strlen(desc->name) >= INT32_MAX)
      return weft_fail(d, WEFT_E_LIMIT, "tensor description: a name of %zu bytes", strlen(desc->name));
  }
  out_blob o = {0};
  put_blob(&o, desc, version, 0);
  *out_bytes = o.at;
  if (o.at > cap)
    return weft_fail(d, WEFT_E_LIMIT, "tensor description: needs %zu bytes, the buffer has %zu", o.at, cap);
  o = (out_blob){.v = buf, .cap = cap};
  put_blob(&o, desc, version, *out_bytes);
  return WEFT_OK;
}

// ---- reading ----

typedef struct in_blob {
  const uint8_t *v;
  size_t at, bytes;
  weft_status short_status;  // what running out of bytes means
  weft_diag *d;
} in_blob;

static weft_status desc_blob_need(const in_blob *b, size_t bytes, const char *what) {
  if (bytes <= b->bytes - b->at)
    return WEFT_OK;
  return weft_fail(b->d, b->short_status, "tensor description, byte %zu: %s needs %zu bytes, %zu are left",
                   b->at, what, bytes, b->bytes - b->at);
}

static uint64_t desc_blob_take(in_blob *b, size_t bytes) {
  uint64_t v = 0;
  for (size_t i = 0; i < bytes; i++)
    v |= (uint64_t)b->v[b->at++] << (8 * i);
  return v;
}

static weft_status take_u32(in_blob *b, const char *what, uint32_t *out) {
  WEFT_TRY(desc_blob_need(b, 4, what));
  *out = (uint32_t)desc_blob_take(b, 4);
  return WEFT_OK;
}

static weft_status take_text(in_blob *b, const char *what, const char **out) {
  uint32_t n;
  WEFT_TRY(take_u32(b, what, &n));
  *out = NULL;
  if (n == NONE)
    return WEFT_OK;
  WEFT_TRY(desc_blob_need(b, n, what));
  WEFT_TRY(desc_blob_need(b, (size_t)n + 1, what));
  const char *text = (const char *)b->v + b->at;
  if (memchr(text, 0, (size_t)n + 1) != text + n) {
    return weft_fail(b->d, WEFT_E_CORRUPT,
                     "tensor description, byte %zu: %s of %u bytes has its zero elsewhere", b->at, what,
                     (unsigned)n);
  }
  b->at += (size_t)n + 1;
  *out = text;
  return WEFT_OK;
}

static weft_status take_dims(in_blob *b, uint64_t rank, const char *what, weft_shape *out) {
  if (rank > WEFT_MAX_RANK) {
    return weft_fail(b->d, WEFT_E_LIMIT, "tensor description, %s shape: rank %llu, at most %d", what,
                     (unsigned long long)rank, WEFT_MAX_RANK);
  }
  WEFT_TRY(desc_blob_need(b, (size_t)rank * 8, what));
  out->rank = (size_t)rank;
  for (size_t i = 0; i < out->rank; i++) {
    uint64_t v = desc_blob_take(b, 8);
    memcpy(&out->dim[i], &v, sizeof v);
    if (out->dim[i] < WEFT_DIM_UNKNOWN && !(rank == 1 && out->dim[i] == WEFT_DIM_UNKNOWN_RANK)) {
      return weft_fail(b->d, WEFT_E_CORRUPT, "tensor description, %s shape: dim %zu is %lld, at least -1",
                       what, i, (long long)out->dim[i]);
    }
  }
  return WEFT_OK;
}

static weft_status desc_blob_take_shape(in_blob *b, const char *what, weft_shape *out) {
  uint32_t rank;
  WEFT_TRY(take_u32(b, what, &rank));
  if (rank != NONE)
    return take_dims(b, rank, what, out);
  out->rank = WEFT_RANK_UNSET;
  return WEFT_OK;
}

static weft_status desc_blob_take_dtype(in_blob *b, weft_dtype *out) {
  const char *text;
  WEFT_TRY(take_text(b, "dtype", &text));
#define WEFT_X(name, number, bits, serial, short_name) \
  if (text && !strcmp(text, serial))                   \
    return *out = number, WEFT_OK;
  WEFT_DTYPE_LIST(WEFT_X)
#undef WEFT_X
  return weft_fail(b->d, WEFT_E_DTYPE, "tensor description: dtype '%.64s' is not known", text ? text : "");
}

static weft_status take_format(in_blob *b, weft_format *out) {
  uint32_t word;
  const char *text;
  WEFT_TRY(take_u32(b, "format", &word));
  WEFT_TRY(take_text(b, "format", &text));
#define WEFT_X(name, number, serial) \
  if (text && !strcmp(text, serial)) \
    return *out = (word & ~UINT32_C(0xFF)) | number, WEFT_OK;
  WEFT_FORMAT_LIST(WEFT_X)
#undef WEFT_X
  return weft_fail(b->d, WEFT_E_FORMAT, "tensor description: format '%.64s' is not known", text ? text : "");
}

static weft_status load_v1(in_blob *b, weft_tensor_desc *out) {
  uint32_t dtype;
  uint32_t format;
  WEFT_TRY(desc_blob_need(b, 8, "rank"));
  WEFT_TRY(take_dims(b, desc_blob_take(b, 8), "storage", &out->layout.origin));
  WEFT_TRY(take_u32(b, "dtype", &dtype));
  WEFT_TRY(take_u32(b, "format", &format));
  if (!weft_dtype_known(dtype))
    return weft_fail(b->d, WEFT_E_DTYPE, "tensor description: dtype %u is not known", (unsigned)dtype);
  if (format > 0xFF || !weft_format_known(format)) {
    return weft_fail(b->d, WEFT_E_FORMAT, "tensor description: format %u is not a known primary format",
                     (unsigned)format);
  }
  weft_shape_copy(&out->layout.storage, &out->layout.origin);
  out->dtype = (weft_dtype)dtype;
  out->origin_format = out->format = format;
  return WEFT_OK;
}

static weft_status load_v2(in_blob *b, weft_tensor_desc *out) {
  uint32_t total;
  WEFT_TRY(take_u32(b, "size", &total));
  if (total < V2_MIN_BYTES) {
    return weft_fail(b->d, WEFT_E_CORRUPT, "tensor description: says %u bytes, at least %d", (unsigned)total,
                     V2_MIN_BYTES);
  }
  b->at -= 8;
  WEFT_TRY(desc_blob_need(b, total, "the blob"));
  b->at += 8;
  b->bytes = total;
  b->short_status = WEFT_E_CORRUPT;
  uint64_t kind = desc_blob_take(b, 1);
  uint64_t placement = desc_blob_take(b, 1);
  uint64_t has_range = desc_blob_take(b, 1);
  uint64_t zero = desc_blob_take(b, 1);
  if (kind > WEFT_KIND_OPTIONAL_SEQUENCE || placement > WEFT_ON_DEVICE || has_range > 1 || zero) {
    return weft_fail(b->d, WEFT_E_CORRUPT, "tensor description: kind %d, placement %d, range %d, reserved %d",
                     (int)kind, (int)placement, (int)has_range, (int)zero);
  }
  out->kind = (uint8_t)kind;
  out->placement = (uint8_t)placement;
  out->has_range = (uint8_t)has_range;
  WEFT_TRY(desc_blob_take_dtype(b, &out->dtype));
  WEFT_TRY(take_format(b, &out->origin_format));
  WEFT_TRY(take_format(b, &out->format));
  WEFT_TRY(desc_blob_take_shape(b, "origin", &out->layout.origin));
  WEFT_TRY(desc_blob_take_shape(b, "storage", &out->layout.storage));
  if (has_range) {
    WEFT_TRY(desc_blob_take_shape(b, "min", &out->min));
    WEFT_TRY(desc_blob_take_shape(b, "max", &out->max));
    if (out->min.rank != out->max.rank || out->min.rank > WEFT_MAX_RANK) {
      return weft_fail(b->d, WEFT_E_CORRUPT, "tensor description: range of ranks %zu and %zu", out->min.rank,
                       out->max.rank);
    }
  }
  WEFT_TRY(take_text(b, "name", &out->name));
  if (b->at != total) {
    return weft_fail(b->d, WEFT_E_CORRUPT, "tensor description: says %u bytes, has %zu", (unsigned)total,
                     b->at);
  }
  return WEFT_OK;
}

weft_status weft_desc_load_sized(const void *buf, size_t bytes, weft_tensor_desc *out, size_t out_bytes,
                                 size_t *out_used, uint32_t *out_version, weft_diag *d) {
  WEFT_NEED_LIST(d, buf, bytes);
  WEFT_NEED(d, out);
  in_blob b = {.v = buf, .bytes = bytes, .short_status = WEFT_E_TRUNCATED, .d = d};
  weft_tensor_desc desc;
  uint32_t version;
  weft_desc_init(&desc);
  WEFT_TRY(take_u32(&b, "version", &version));
  if (version != 1 && version != 2) {
    return weft_fail(d, WEFT_E_VERSION, "tensor description: version %u, known are 1 and 2",
                     (unsigned)version);
  }
  WEFT_TRY(version == 1 ? load_v1(&b, &desc) : load_v2(&b, &desc));
  weft__sized_fill(out, out_bytes, &desc, sizeof desc);
  if (out_used)
    *out_used = b.at;
  if (out_version)
    *out_version = version;
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
