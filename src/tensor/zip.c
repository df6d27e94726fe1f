// zip.c - reads the directory of a zip archive: zip.h.
#include "tensor/zip.h"

enum { END_BYTES = 22, ENTRY_BYTES = 46, LOCAL_BYTES = 30, LOCATOR_BYTES = 20, END64_BYTES = 56 };

static uint64_t le(const uint8_t *p, size_t bytes) {
  return weft__zip_number(p, bytes);
}

static weft_status zip_bad(const weft__zip *z, weft_diag *d, size_t at, const char *what) {
  return weft_fail(d, WEFT_E_CORRUPT, "%s: byte %zu: %s", z->what, at, what);
}

// ---- the directory ----
typedef struct directory {
  uint64_t at, bytes, n;
  size_t end;  // where the end record (of zip64, if there is one) begins
} directory;

static weft_status find_end(const weft__zip *z, size_t *out, weft_diag *d) {
  if (z->bytes < END_BYTES || memcmp(z->data, "PK", 2))
    return weft_fail(d, WEFT_E_SYNTAX, "%s: not a zip archive", z->what);
  size_t least = z->bytes - END_BYTES > UINT16_MAX ? z->bytes - END_BYTES - UINT16_MAX : 0;
  for (size_t at = z->bytes - END_BYTES;; at--) {
    if (!memcmp(z->data + at, "PK\5\6", 4) && le(z->data + at + 20, 2) == z->bytes - at - END_BYTES) {
      *out = at;
      return WEFT_OK;
    }
    if (at == least)
      return weft_fail(d, WEFT_E_TRUNCATED, "%s: the archive has no directory at its end: it is cut",
                       z->what);
  }
}

static weft_status read_end64(const weft__zip *z, size_t locator, directory *dir, weft_diag *d) {
  uint64_t at = le(z->data + locator + 8, 8);
  if (at > locator || locator - at < END64_BYTES || memcmp(z->data + at, "PK\6\6", 4))
    return zip_bad(z, d, locator, "the zip64 end record is not where it should be");
  const uint8_t *p = z->data + at;
  if (le(p + 16, 4) || le(p + 20, 4) || le(p + 24, 8) != le(p + 32, 8))
    return zip_bad(z, d, (size_t)at, "an archive in several parts");
  *dir = (directory){.n = le(p + 32, 8), .bytes = le(p + 40, 8), .at = le(p + 48, 8), .end = (size_t)at};
  return WEFT_OK;
}

static weft_status read_end(const weft__zip *z, directory *dir, weft_diag *d) {
  size_t at;
  WEFT_TRY(find_end(z, &at, d));
  const uint8_t *p = z->data + at;
  *dir = (directory){.n = le(p + 10, 2), .bytes = le(p + 12, 4), .at = le(p + 16, 4), .end = at};
  if (at >= LOCATOR_BYTES && !memcmp(p - LOCATOR_BYTES, "PK\6\7", 4))
    WEFT_TRY(read_end64(z, at - LOCATOR_BYTES, dir, d));
  else if (le(p + 4, 2) || le(p + 6, 2) || le(p + 8, 2) != dir->n)
    return zip_bad(z, d, at, "an archive in several parts");
  if (dir->at > dir->end || dir->bytes > dir->end - dir->at || dir->n > dir->bytes / ENTRY_BYTES)
    return zip_bad(z, d, dir->end, "the directory does not fit into the archive");
  return WEFT_OK;
}

// Sizes that do not fit 32 bits stand in the extra field with tag 1, those that are all ones, in this order.
static bool read_zip64(const uint8_t *extra, size_t bytes, weft__zip_entry *e) {
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

static weft_status read_entry(weft__zip *z, const directory *dir, size_t *at, weft__zip_entry *e,
                              weft_diag *d) {
  size_t end = (size_t)(dir->at + dir->bytes);
  const uint8_t *p = z->data + *at;
  if (end - *at < ENTRY_BYTES || memcmp(p, "PK\1\2", 4))
    return zip_bad(z, d, *at, "an entry of the directory is damaged");
  size_t name = (size_t)le(p + 28, 2);
  size_t extra = (size_t)le(p + 30, 2);
  size_t comment = (size_t)le(p + 32, 2);
  if (name + extra + comment > end - *at - ENTRY_BYTES)
    return zip_bad(z, d, *at, "an entry passes the end of the directory");
  *e = (weft__zip_entry){.method = (uint16_t)le(p + 10, 2),
                         .crc = (uint32_t)le(p + 16, 4),
                         .packed_bytes = le(p + 20, 4),
                         .bytes = le(p + 24, 4),
                         .local = le(p + 42, 4)};
  const char *text = (const char *)p + ENTRY_BYTES;
  if (memchr(text, 0, name))
    return zip_bad(z, d, *at, "a name contains a zero byte");
  if (!(e->name = weft__arena_strdup(z->arena, text, name)))
    return weft_fail(d, WEFT_E_NOMEM, "%s: out of memory", z->what);
  if (le(p + 8, 2) & 1)
    return weft_fail(d, WEFT_E_UNSUPPORTED, "%s: entry '%s' is encrypted", z->what, e->name);
  if (!read_zip64(p + ENTRY_BYTES + name, extra, e))
    return zip_bad(z, d, *at, "a zip64 field is damaged");
  *at += ENTRY_BYTES + name + extra + comment;
  return WEFT_OK;
}

weft_status weft__zip_read(weft__zip *z, weft_diag *d) {
  directory dir;
  WEFT_TRY(read_end(z, &dir, d));
  size_t at = (size_t)dir.at;
  if (!(z->entries = WEFT_NEW_N(z->arena, weft__zip_entry, (size_t)dir.n + 1)))
    return weft_fail(d, WEFT_E_NOMEM, "%s: out of memory", z->what);
  for (; z->n < dir.n; z->n++)
    WEFT_TRY(read_entry(z, &dir, &at, &z->entries[z->n], d));
  return at == dir.at + dir.bytes ? WEFT_OK : zip_bad(z, d, at, "the directory is longer than its entries");
}

weft_status weft__zip_data(const weft__zip *z, const weft__zip_entry *e, const uint8_t **out, weft_diag *d) {
  uint8_t head[LOCAL_BYTES] = {0};
  if (e->local <= z->bytes && z->bytes - e->local >= LOCAL_BYTES) {
    if (z->file)
      weft__file_peek(z->file, (size_t)e->local, head, sizeof head);
    else
      memcpy(head, z->data + e->local, sizeof head);
  }
  if (memcmp(head, "PK\3\4", 4)) {
    return weft_fail(d, WEFT_E_CORRUPT, "its header is not at byte %llu of %zu", (unsigned long long)e->local,
                     z->bytes);
  }
  size_t skip = LOCAL_BYTES + (size_t)le(head + 26, 2) + (size_t)le(head + 28, 2);
  size_t left = z->bytes - (size_t)e->local;
  if (skip > left || e->packed_bytes > left - skip) {
    return weft_fail(d, WEFT_E_TRUNCATED,
                     "its %llu bytes from byte %llu on pass the end of the file, which has %zu",
                     (unsigned long long)e->packed_bytes, (unsigned long long)(e->local + skip), z->bytes);
  }
  *out = z->data + e->local + skip;
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
