// zip.h - the directory of a zip archive (PKWARE APPNOTE), over memory. The directory at the end of the
// archive is what counts; local headers only say where their data begin. Zip64 is read. Every size and offset
// is checked against the archive. Refused: encryption, split archives. Layer: tensor.
#pragma once
#include "base/base.h"

enum { WEFT__ZIP_STORED = 0, WEFT__ZIP_DEFLATED = 8 };

typedef struct weft__zip_entry {
  char *name;  // zero-terminated, in the arena
  uint64_t packed_bytes, bytes, local;
  uint32_t crc;
  uint16_t method;
} weft__zip_entry;

typedef struct weft__zip {
  const char *what;  // for messages: ".npz"
  const uint8_t *data;
  size_t bytes;
  const weft_file *file;  // that `data` is all of; NULL: memory
  weft_arena *arena;
  weft__zip_entry *entries;
  size_t n;
} weft__zip;

// what, data, bytes and arena are given; the rest is found. E_SYNTAX: no archive; E_TRUNCATED, E_CORRUPT,
// E_UNSUPPORTED, E_NOMEM.
weft_status weft__zip_read(weft__zip *z, weft_diag *d);
// Where the packed bytes of an entry lie: packed_bytes of them are there. E_CORRUPT, E_TRUNCATED.
weft_status weft__zip_data(const weft__zip *z, const weft__zip_entry *e, const uint8_t **out, weft_diag *d);
static inline bool weft__zip_begins(const void *data, size_t bytes) {  // does it look like an archive?
  return bytes >= 4 && !memcmp(data, "PK\3\4", 4);
}
static inline uint64_t weft__zip_number(const uint8_t *p, size_t bytes) {  // little endian
  uint64_t v = 0;
  for (size_t i = 0; i < bytes; i++)
    v |= (uint64_t)p[i] << (8 * i);
  return v;
}
// SPDX-License-Identifier: Apache-2.0
