// npz.c - .npz: a zip archive (PKWARE APPNOTE) of .npy files, stored or deflated. The directory at the end of
// the archive is what counts; local headers only say where their data begin. Zip64 is read and, like numpy,
// always written. Every size and offset is checked against the file, each entry's CRC-32 too, before its data
// are used; memory is bounded by a multiple of the file's size. Refused: encryption, split archives, other
// methods.

#include "base/file.h"
#include "tensor/inflate.h"
#include "tensor/tensor.h"
#include "weft/archive.h"
#include "weft/file.h"

enum {
  END_BYTES = 22,
  ENTRY_BYTES = 46,
  LOCAL_BYTES = 30,
  LOCATOR_BYTES = 20,
  END64_BYTES = 56,
  STORED = 0,
  DEFLATED = 8
};

typedef struct entry {
  char *name;  // without ".npy", zero-terminated
  uint64_t packed_bytes, bytes, local;
  uint32_t crc;
  uint16_t method;
} entry;

struct weft_npz {
  weft_allocator alloc;
  weft_arena arena;
  weft_file file;  // map NULL: the caller's memory
  const uint8_t *data;
  size_t bytes;
  entry *entries;
  size_t n;
  uint64_t limit_bytes, *read_bytes;  // limit 0: none; read_bytes: in the arena
  weft__plugin_place plugins;         // its folder: in the arena
};

static uint64_t le(const uint8_t *p, size_t bytes) {
  uint64_t v = 0;
  for (size_t i = 0; i < bytes; i++)
    v |= (uint64_t)p[i] << (8 * i);
  return v;
}

static weft_status npz_bad(weft_diag *d, size_t at, const char *what) {
  return weft_fail(d, WEFT_E_CORRUPT, ".npz: byte %zu: %s", at, what);
}

// ---- the directory ----
typedef struct directory {
  uint64_t at, bytes, n;
  size_t end;  // where the end record (of zip64, if there is one) begins
} directory;

static weft_status find_end(const weft_npz *z, size_t *out, weft_diag *d) {
  if (z->bytes < END_BYTES || memcmp(z->data, "PK", 2))
    return weft_fail(d, WEFT_E_SYNTAX, ".npz: not a zip archive");
  size_t least = z->bytes - END_BYTES > UINT16_MAX ? z->bytes - END_BYTES - UINT16_MAX : 0;
  for (size_t at = z->bytes - END_BYTES;; at--) {
    if (!memcmp(z->data + at, "PK\5\6", 4) && le(z->data + at + 20, 2) == z->bytes - at - END_BYTES) {
      *out = at;
      return WEFT_OK;
    }
    if (at == least)
      return weft_fail(d, WEFT_E_TRUNCATED, ".npz: the archive has no directory at its end: it is cut");
  }
}

static weft_status read_end64(const weft_npz *z, size_t locator, directory *dir, weft_diag *d) {
  uint64_t at = le(z->data + locator + 8, 8);
  if (at > locator || locator - at < END64_BYTES || memcmp(z->data + at, "PK\6\6", 4))
    return npz_bad(d, locator, "the zip64 end record is not where it should be");
  const uint8_t *p = z->data + at;
  if (le(p + 16, 4) || le(p + 20, 4) || le(p + 24, 8) != le(p + 32, 8))
    return npz_bad(d, (size_t)at, "an archive in several parts");
  *dir = (directory){.n = le(p + 32, 8), .bytes = le(p + 40, 8), .at = le(p + 48, 8), .end = (size_t)at};
  return WEFT_OK;
}

static weft_status read_end(const weft_npz *z, directory *dir, weft_diag *d) {
  size_t at;
  WEFT_TRY(find_end(z, &at, d));
  const uint8_t *p = z->data + at;
  *dir = (directory){.n = le(p + 10, 2), .bytes = le(p + 12, 4), .at = le(p + 16, 4), .end = at};
  if (at >= LOCATOR_BYTES && !memcmp(p - LOCATOR_BYTES, "PK\6\7", 4))
    WEFT_TRY(read_end64(z, at - LOCATOR_BYTES, dir, d));
  else if (le(p + 4, 2) || le(p + 6, 2) || le(p + 8, 2) != dir->n)
    return npz_bad(d, at, "an archive in several parts");
  if (dir->at > dir->end || dir->bytes > dir->end - dir->at || dir->n > dir->bytes / ENTRY_BYTES)
    return npz_bad(d, dir->end, "the directory does not fit into the archive");
  return WEFT_OK;
}

// Sizes that do not fit 32 bits stand in the extra field with tag 1, those that are all ones, in this order.
static bool read_zip64(const uint8_t *extra, size_t bytes, entry *e) {
  uint64_t *wide[3] = {&e->bytes, &e->packed_bytes, &e->local};
  bool any = false;
  for (size_t k = 0; k < 3; k++)
    any |= *wide[k] == UINT32_MAX;
  while (any && bytes >= 4) {
    size_t tag = (size_t)le(extra, 2);
    size_t n = (size_t)le(extra + 2, 2);
    size_t at = 4;
    if (n > bytes - 4)
      return false;
    for (size_t k = 0; tag == 1 && k < 3; k++) {
      if (*wide[k] != UINT32_MAX)
        continue;
      if (at + 8 > n + 4)
        return false;
      *wide[k] = le(extra + at, 8);
      at += 8;
    }
    if (tag == 1)
      return true;
    extra += n + 4;
    bytes -= n + 4;
  }
  return true;  // without the field the size is what it says
}

static weft_status read_entry(weft_npz *z, const directory *dir, size_t *at, entry *e, weft_diag *d) {
  size_t end = (size_t)(dir->at + dir->bytes);
  const uint8_t *p = z->data + *at;
  if (end - *at < ENTRY_BYTES || memcmp(p, "PK\1\2", 4))
    return npz_bad(d, *at, "an entry of the directory is damaged");
  size_t name = (size_t)le(p + 28, 2);
  size_t extra = (size_t)le(p + 30, 2);
  size_t comment = (size_t)le(p + 32, 2);
  if (name + extra + comment > end - *at - ENTRY_BYTES)
    return npz_bad(d, *at, "an entry passes the end of the directory");
  *e = (entry){.method = (uint16_t)le(p + 10, 2),
               .crc = (uint32_t)le(p + 16, 4),
               .packed_bytes = le(p + 20, 4),
               .bytes = le(p + 24, 4),
               .local = le(p + 42, 4)};
  const char *text = (const char *)p + ENTRY_BYTES;
  if (memchr(text, 0, name))
    return npz_bad(d, *at, "a name contains a zero byte");
  size_t shown = name >= 4 && !memcmp(text + name - 4, ".npy", 4) ? name - 4 : name;
  if (!(e->name = weft__arena_strdup(&z->arena, text, shown)))
    return weft_fail(d, WEFT_E_NOMEM, ".npz: out of memory");
  if (le(p + 8, 2) & 1)
    return weft_fail(d, WEFT_E_UNSUPPORTED, ".npz: entry '%s' is encrypted", e->name);
  if (!read_zip64(p + ENTRY_BYTES + name, extra, e))
    return npz_bad(d, *at, "a zip64 field is damaged");
  *at += ENTRY_BYTES + name + extra + comment;
  return WEFT_OK;
}

static weft_status read_directory(weft_npz *z, weft_diag *d) {
  directory dir;
  WEFT_TRY(read_end(z, &dir, d));
  size_t at = (size_t)dir.at;
  if (!(z->entries = WEFT_NEW_N(&z->arena, entry, (size_t)dir.n + 1)))
    return weft_fail(d, WEFT_E_NOMEM, ".npz: out of memory");
  for (; z->n < dir.n; z->n++)
    WEFT_TRY(read_entry(z, &dir, &at, &z->entries[z->n], d));
  return at == dir.at + dir.bytes ? WEFT_OK : npz_bad(d, at, "the directory is longer than its entries");
}

static weft_status open_bytes(const weft_file *file, const void *data, size_t bytes, weft_npz **out,
                              weft_diag *d) {
  weft_allocator a = weft_allocator_default();
  weft_npz *z = weft__alloc(&a, sizeof *z, _Alignof(weft_npz));
  if (!z)
    return weft_fail(d, WEFT_E_NOMEM, ".npz: out of memory");
  *z = (weft_npz){.alloc = a, .data = data, .bytes = bytes};
  weft__arena_init(&z->arena, &a);
  weft_status s = (z->read_bytes = WEFT_NEW(&z->arena, uint64_t))
                      ? read_directory(z, d)
                      : weft_fail(d, WEFT_E_NOMEM, ".npz: out of memory");
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
  return z->n;
}
const char *weft_npz_name(const weft_npz *z, size_t i) {
  if (!z)
    return "";
  return z->entries[i].name;
}

bool weft_npz_find(const weft_npz *z, const char *name, size_t *out) {
  if (!z || !name || !out)
    return false;
  for (size_t i = 0; i < z->n; i++) {
    if (!strcmp(z->entries[i].name, name))
      return *out = i, true;
  }
  return false;
}

// ---- one entry ----
static weft_status entry_data(const weft_npz *z, const entry *e, const uint8_t **out, weft_diag *d) {
  if (e->local > z->bytes || z->bytes - e->local < LOCAL_BYTES || memcmp(z->data + e->local, "PK\3\4", 4)) {
    return weft_fail(d, WEFT_E_CORRUPT, "its header is not at byte %llu of %zu", (unsigned long long)e->local,
                     z->bytes);
  }
  const uint8_t *p = z->data + e->local;
  size_t skip = LOCAL_BYTES + (size_t)le(p + 26, 2) + (size_t)le(p + 28, 2);
  size_t left = z->bytes - (size_t)e->local;
  if (skip > left || e->packed_bytes > left - skip) {
    return weft_fail(d, WEFT_E_TRUNCATED,
                     "its %llu bytes from byte %llu on pass the end of the file, which has %zu",
                     (unsigned long long)e->packed_bytes, (unsigned long long)(e->local + skip), z->bytes);
  }
  *out = p + skip;
  return WEFT_OK;
}

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
  WEFT_TRY(entry_data(z, e, &data, d));
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
  if (i >= z->n)
    return weft_fail(d, WEFT_E_RANGE, ".npz: entry %zu, the archive has %zu", i, z->n);
  const entry *e = &z->entries[i];
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
