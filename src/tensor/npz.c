// npz.c - .npz: a zip archive (PKWARE APPNOTE) of .npy files, stored or deflated. The directory at the end of
// the archive is what counts; local headers only say where their data begin. Zip64 is read and, like numpy,
// always written. Every size and offset is checked against the file, each entry's CRC-32 too, before its data
// are used; memory is bounded by a multiple of the file's size. Refused: encryption, split archives, other
// methods.

#include "base/file.h"
#include "tensor/inflate.h"
#include "tensor/tensor.h"
#include "tensor/zip.h"
#include "weft/archive.h"
#include "weft/file.h"

enum { END64_BYTES = 56, STORED = WEFT__ZIP_STORED, DEFLATED = WEFT__ZIP_DEFLATED };

typedef weft__zip_entry entry;

struct weft_npz {
  weft_allocator alloc;
  weft_arena arena;
  weft_file file;                     // map NULL: the caller's memory
  weft__zip zip;                      // names without ".npy"
  uint64_t limit_bytes, *read_bytes;  // limit 0: none; read_bytes: in the arena
  weft__plugin_place plugins;         // its folder: in the arena
};

// "x.npy" is the array x.
static void npz_shorten(char *name) {
  size_t n = strlen(name);
  if (n >= 4 && !memcmp(name + n - 4, ".npy", 4))
    name[n - 4] = 0;
}

static weft_status open_bytes(const weft_file *file, const void *data, size_t bytes, weft_npz **out,
                              weft_diag *d) {
  weft_allocator a = weft_allocator_default();
  weft_npz *z = weft__alloc(&a, sizeof *z, _Alignof(weft_npz));
  if (!z)
    return weft_fail(d, WEFT_E_NOMEM, ".npz: out of memory");
  *z = (weft_npz){.alloc = a, .zip = {.what = ".npz", .data = data, .bytes = bytes}};
  weft__arena_init(&z->arena, &a);
  z->zip.arena = &z->arena;
  weft_status s = (z->read_bytes = WEFT_NEW(&z->arena, uint64_t))
                      ? weft__zip_read(&z->zip, d)
                      : weft_fail(d, WEFT_E_NOMEM, ".npz: out of memory");
  for (size_t i = 0; !s && i < z->zip.n; i++)
    npz_shorten(z->zip.entries[i].name);
  if (!s && file)
    z->file = *file;
  if (s)
    weft_npz_close(z);
  else
    *out = z;
  return s;
}

weft_status weft_npz_read(const void *data, size_t bytes, weft_npz **out, weft_diag *d) {
  WEFT_NEED(d, out);
  *out = NULL;
  WEFT_NEED_LIST(d, data, bytes);
  return open_bytes(NULL, data, bytes, out, d);
}

weft_status weft_npz_open(const char *path, weft_npz **out, weft_diag *d) {
  WEFT_NEED(d, out);
  *out = NULL;
  WEFT_NEED(d, path);
  weft_file file;
  WEFT_TRY(weft__file_take(path, WEFT__FILE_SMALL, &file, d));
  weft_status s = open_bytes(&file, file.data, file.bytes, out, d);
  if (s)
    weft_note(d, "while reading '%s'", path);
  if (s)
    weft__file_unmap(&file);
  return s;
}

void weft_npz_close(weft_npz *z) {
  if (!z)
    return;
  weft__file_unmap(&z->file);
  weft__arena_deinit(&z->arena);
  weft_allocator a = z->alloc;
  weft__free(&a, z, sizeof *z, _Alignof(weft_npz));
}

size_t weft_npz_count(const weft_npz *z) {
  if (!z)
    return 0;
  return z->zip.n;
}
const char *weft_npz_name(const weft_npz *z, size_t i) {
  if (!z)
    return "";
  return z->zip.entries[i].name;
}

bool weft_npz_find(const weft_npz *z, const char *name, size_t *out) {
  if (!z || !name || !out)
    return false;
  for (size_t i = 0; i < z->zip.n; i++) {
    if (!strcmp(z->zip.entries[i].name, name))
      return *out = i, true;
  }
  return false;
}

// ---- one entry ----
static weft_status check_crc(const entry *e, const uint8_t *data, weft_diag *d) {
  uint32_t crc = weft__crc32(data, (size_t)e->bytes, 0);
  return crc == e->crc ? WEFT_OK : weft_fail(d, WEFT_E_CORRUPT, "checksum %08x, expected %08x", crc, e->crc);
}

static weft_status npz_read(const entry *e, const uint8_t *data, weft_tensor *t, weft_diag *d) {
  WEFT_TRY(check_crc(e, data, d));
  return weft_npy_read(data, (size_t)e->bytes, t, d);
}

static weft_status npz_unpack(const weft_npz *z, const entry *e, const uint8_t *packed, weft_tensor *t,
                              weft_diag *d) {
  if (e->bytes / WEFT__INFLATE_RATIO > e->packed_bytes) {
    return weft_fail(d, WEFT_E_CORRUPT, "%llu deflated bytes cannot become %llu",
                     (unsigned long long)e->packed_bytes, (unsigned long long)e->bytes);
  }
  if (e->bytes > PTRDIFF_MAX) {
    return weft_fail(d, WEFT_E_LIMIT, "%llu bytes do not fit the address space",
                     (unsigned long long)e->bytes);
  }
  size_t bytes = (size_t)e->bytes;
  uint8_t *data = weft__alloc(&z->alloc, bytes, 64);
  if (!data)
    return weft_fail(d, WEFT_E_NOMEM, "no memory for %zu bytes", bytes);
  weft_status s = weft__inflate(&z->plugins, (weft_bytes){packed, (size_t)e->packed_bytes}, data, bytes, d);
  if (!s)
    s = npz_read(e, data, t, d);
  weft__free(&z->alloc, data, bytes, 64);
  return s;
}

void weft_npz_set_limit(weft_npz *z, uint64_t memory_limit_bytes) {
  if (z)
    z->limit_bytes = memory_limit_bytes;
}

weft_status weft_npz_set_plugin_folder(weft_npz *z, const char *folder, weft_diag *d) {
  WEFT_NEED(d, z);
  z->plugins.folder = folder ? weft__arena_strdup(&z->arena, folder, strlen(folder)) : NULL;
  return folder && !z->plugins.folder ? weft_fail(d, WEFT_E_NOMEM, ".npz: out of memory") : WEFT_OK;
}

// The archive is const for readers: what was read is counted beside it.
static weft_status charge(const weft_npz *z, const entry *e, weft_diag *d) {
  uint64_t before = *z->read_bytes;
  if (!z->limit_bytes)
    return WEFT_OK;
  if (e->bytes > z->limit_bytes || before > z->limit_bytes - e->bytes) {
    return weft_fail(
        d, WEFT_E_LIMIT, "it holds %llu bytes, %llu were read before it, and the memory limit is %llu",
        (unsigned long long)e->bytes, (unsigned long long)before, (unsigned long long)z->limit_bytes);
  }
  *z->read_bytes += e->bytes;
  return WEFT_OK;
}

static weft_status npz_take(const weft_npz *z, const entry *e, weft_tensor *t, weft_diag *d) {
  const uint8_t *data;
  WEFT_TRY(charge(z, e, d));
  WEFT_TRY(weft__zip_data(&z->zip, e, &data, d));
  if (e->method == DEFLATED)
    return npz_unpack(z, e, data, t, d);
  if (e->method != STORED) {
    return weft_fail(d, WEFT_E_UNSUPPORTED, "packed by method %u, expected 0 (stored) or 8 (deflated)",
                     e->method);
  }
  if (e->packed_bytes != e->bytes)
    return weft_fail(d, WEFT_E_CORRUPT, "its two sizes differ, but it is not packed");
  return npz_read(e, data, t, d);
}

weft_status weft_npz_get(const weft_npz *z, size_t i, weft_tensor *t, weft_diag *d) {
  WEFT_NEED(d, z);
  WEFT_NEED(d, t);
  if (i >= z->zip.n)
    return weft_fail(d, WEFT_E_RANGE, ".npz: entry %zu, the archive has %zu", i, z->zip.n);
  const entry *e = &z->zip.entries[i];
  weft_status s = npz_take(z, e, t, d);
  if (s)
    weft_note(d, "in entry '%s' of the .npz file", e->name);
  return s;
}

// ---- writing ----
typedef struct counted {  // a weft_write_fn that counts and sums up what passes
  weft_write_fn write;    // NULL: only counts
  void *ctx;
  uint64_t bytes;
  uint32_t crc;
} counted;

static weft_status npz_count(void *ctx, const char *text, size_t bytes) {
  counted *c = ctx;
  c->bytes += bytes;
  if (!c->write)
    c->crc = weft__crc32(text, bytes, c->crc);
  return c->write ? c->write(c->ctx, text, bytes) : WEFT_OK;
}

typedef struct head {
  uint8_t v[128];
  size_t n;
} head;

static void npz_put(head *h, uint64_t v, size_t bytes) {
  for (size_t i = 0; i < bytes; i++)
    h->v[h->n++] = (uint8_t)(v >> (8 * i));
}

static weft_status put_head(counted *c, const head *h) {
  return npz_count(c, (const char *)h->v, h->n);
}

typedef struct written {
  uint64_t at, bytes;
  uint32_t crc;
} written;

// What a local header and an entry of the directory share: version to flags, method, time, crc, sizes,
// lengths. The date is always 1 January 1980: equal tensors, equal bytes. Zip64 sizes are always there, as
// numpy has them.
static void put_common(head *h, const written *w, size_t name_bytes, size_t extra) {
  // names are UTF-8
  npz_put(h, 45, 2);
  npz_put(h, 0x800, 2);
  npz_put(h, STORED, 2);
  npz_put(h, 0, 2);
  npz_put(h, 33, 2);
  npz_put(h, w->crc, 4);
  npz_put(h, UINT32_MAX, 4);
  npz_put(h, UINT32_MAX, 4);
  npz_put(h, name_bytes + 4, 2);
  npz_put(h, extra, 2);
}

static weft_status write_name(counted *c, const char *name) {
  WEFT_TRY(npz_count(c, name, strlen(name)));
  return npz_count(c, ".npy", 4);
}

static weft_status write_entry(counted *c, const char *name, const weft_tensor *t, written *w, weft_diag *d) {
  counted sum = {NULL, NULL, 0, 0};
  WEFT_TRY(weft_npy_write(t, npz_count, &sum, d));
  *w = (written){c->bytes, sum.bytes, sum.crc};
  head h = {.n = 0};
  head extra = {.n = 0};
  npz_put(&h, 0x04034B50, 4);
  put_common(&h, w, strlen(name), 20);
  npz_put(&extra, 1, 2);
  npz_put(&extra, 16, 2);
  npz_put(&extra, w->bytes, 8);
  npz_put(&extra, w->bytes, 8);
  WEFT_TRY(put_head(c, &h));
  WEFT_TRY(write_name(c, name));
  WEFT_TRY(put_head(c, &extra));
  return weft_npy_write(t, npz_count, c, d);
}

static weft_status write_directory(counted *c, const char *const *names, const written *w, size_t n) {
  uint64_t at = c->bytes;
  for (size_t i = 0; i < n; i++) {
    head h = {.n = 0};
    head extra = {.n = 0};
    npz_put(&h, 0x02014B50, 4);
    npz_put(&h, 45, 2);
    put_common(&h, &w[i], strlen(names[i]), 28);
    npz_put(&h, 0, 2);
    npz_put(&h, 0, 2);
    npz_put(&h, 0, 2);
    npz_put(&h, 0, 4);
    npz_put(&h, UINT32_MAX, 4);
    npz_put(&extra, 1, 2);
    npz_put(&extra, 24, 2);
    npz_put(&extra, w[i].bytes, 8);
    npz_put(&extra, w[i].bytes, 8);
    npz_put(&extra, w[i].at, 8);
    WEFT_TRY(put_head(c, &h));
    WEFT_TRY(write_name(c, names[i]));
    WEFT_TRY(put_head(c, &extra));
  }
  uint64_t end = c->bytes;
  head h = {.n = 0};
  npz_put(&h, 0x06064B50, 4);
  npz_put(&h, END64_BYTES - 12, 8);
  npz_put(&h, 45, 2);
  npz_put(&h, 45, 2);
  npz_put(&h, 0, 4);
  npz_put(&h, 0, 4);
  npz_put(&h, n, 8);
  npz_put(&h, n, 8);
  npz_put(&h, end - at, 8);
  npz_put(&h, at, 8);
  npz_put(&h, 0x07064B50, 4);
  npz_put(&h, 0, 4);
  npz_put(&h, end, 8);
  npz_put(&h, 1, 4);
  npz_put(&h, 0x06054B50, 4);
  npz_put(&h, 0, 4);
  npz_put(&h, WEFT_MIN(n, UINT16_MAX), 2);
  npz_put(&h, WEFT_MIN(n, UINT16_MAX), 2);
  npz_put(&h, WEFT_MIN(end - at, UINT32_MAX), 4);
  npz_put(&h, WEFT_MIN(at, UINT32_MAX), 4);
  npz_put(&h, 0, 2);
  return put_head(c, &h);
}

static weft_status check_names(const char *const *names, size_t n, weft_diag *d) {
  weft_allocator a = weft_allocator_default();
  weft_map seen;
  weft_status s = WEFT_OK;
  weft__map_init(&seen, &a);
  for (size_t i = 0; i < n && !s; i++) {
    size_t bytes = strlen(names[i]);
    if (!bytes || bytes > UINT16_MAX - 4)
      s = weft_fail(d, WEFT_E_INVALID, ".npz: a name of %zu bytes, expected 1 to 65531", bytes);
    else if (weft__map_find(&seen, names[i], bytes))
      s = weft_fail(d, WEFT_E_DUPLICATE, ".npz: the name '%s' is given twice", names[i]);
    else if (weft__map_set(&seen, names[i], bytes, &seen))
      s = weft_fail(d, WEFT_E_NOMEM, ".npz: out of memory");
  }
  weft__map_deinit(&seen);
  return s;
}

weft_status weft_npz_write(const char *const *names, const weft_tensor *const *tensors, size_t n,
                           weft_write_fn write, void *ctx, weft_diag *d) {
  WEFT_NEED_LIST(d, names, n);
  WEFT_NEED_LIST(d, tensors, n);
  WEFT_NEED(d, write);
  weft_allocator a = weft_allocator_default();
  size_t bytes;
  WEFT_TRY(check_names(names, n, d));
  if (!weft_mul_size(n + 1, sizeof(written), &bytes))
    return weft_fail(d, WEFT_E_OVERFLOW, ".npz: %zu entries", n);
  written *w = weft__alloc(&a, bytes, _Alignof(written));
  if (!w)
    return weft_fail(d, WEFT_E_NOMEM, ".npz: out of memory");
  counted c = {write, ctx, 0, 0};
  weft_status s = WEFT_OK;
  for (size_t i = 0; i < n && !s; i++) {
    if ((s = write_entry(&c, names[i], tensors[i], &w[i], d)))
      weft_note(d, "in entry '%s' of the .npz file", names[i]);
  }
  if (!s)
    s = write_directory(&c, names, w, n);
  weft__free(&a, w, bytes, _Alignof(written));
  return s ? weft_fail(d, s, ".npz: writing failed: %s", weft_status_text(s)) : WEFT_OK;
}

weft_status weft_npz_save(const char *path, const char *const *names, const weft_tensor *const *tensors,
                          size_t n, weft_diag *d) {
  WEFT_NEED(d, path);
  WEFT_NEED_LIST(d, names, n);
  WEFT_NEED_LIST(d, tensors, n);
  weft_file_out *f;
  WEFT_TRY(weft_file_create(path, &f, d));
  return weft_file_finish(f, weft_npz_write(names, tensors, n, weft_file_write, f, d), d);
}
// SPDX-License-Identifier: Apache-2.0
