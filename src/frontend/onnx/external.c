// external.c - external data of tensors: files in the model's folder, mapped once each and read-only.
// A model is not trusted with the file system. A location is relative, has no "..", and after links are
// resolved it must still lie in the folder; the resolved path is then opened part by part without following
// links, so that a link put there meanwhile is refused, too. Only regular files are mapped. A file that
// another process shortens while it is mapped raises SIGBUS on access, as with every mapping. Offsets are
// 64-bit and may be unaligned. The keys are location, offset and length. `checksum` (SHA-1) is not verified:
// it protects from nothing that a changed model could not do. Others, which some writers add, are skipped.
#include "frontend/onnx/external.h"
#include "base/allocated.h"

#include "base/file.h"
#include "ir/ir.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// A model may have a file for each tensor, a process may not have as many open: what is mapped is there
// without.
enum { LOCATION_MAX = 4096, STAY_OPEN = 16 };

typedef struct mapping {
  char *path;  // behind the folder, without links; in the arena
  void *map;   // NULL: the file is empty
  size_t bytes;
  int fd;       // of the map; -1: closed
  bool copied;  // pages of its own
} mapping;

struct onnx_files {
  weft_allocator alloc;
  weft_arena arena;
  size_t copy_most;
  char *model;         // its path, as given
  char *folder;        // without links; NULL: not looked at yet
  weft_map locations;  // as in the model -> 1 + mapping; the keys belong to the model
  weft_map paths;      // resolved -> 1 + mapping
  WEFT_VEC(mapping) maps;
};

weft_status onnx_files_create(const weft_allocator *a, const char *model_path, size_t copy_most,
                              onnx_files **out, weft_diag *d) {
  onnx_files *f = weft__alloc(a, sizeof *f, _Alignof(onnx_files));
  WEFT_TRY(weft__allocated(f, d));
  memset(f, 0, sizeof *f);
  f->alloc = *a;
  f->copy_most = copy_most;
  weft__arena_init(&f->arena, a);
  weft__map_init(&f->locations, a);
  weft__map_init(&f->paths, a);
  f->model = weft__arena_strdup(&f->arena, model_path, strlen(model_path));
  *out = f->model ? f : NULL;
  if (f->model)
    return WEFT_OK;
  onnx_files_destroy(f);
  return weft_fail(d, WEFT_E_NOMEM, "out of memory");
}

void onnx_files_settle(onnx_files *f) {
  if (!f)
    return;
  weft__map_deinit(&f->locations);
  weft__map_deinit(&f->paths);
  weft__map_init(&f->locations, &f->alloc);
  weft__map_init(&f->paths, &f->alloc);
}

weft_status onnx_files_mapped(const onnx_files *f, weft_graph *g) {
  for (size_t i = 0; i < f->maps.n; i++) {
    if (!f->maps.v[i].copied)
      WEFT_TRY(weft__graph_mapped(g, f->maps.v[i].map, f->maps.v[i].bytes, f->maps.v[i].fd));
  }
  return WEFT_OK;
}

void onnx_files_destroy(void *files) {
  onnx_files *f = files;
  if (!f)
    return;
  for (size_t i = 0; i < f->maps.n; i++) {
    const mapping *m = &f->maps.v[i];
    if (m->map)
      munmap(m->map, m->bytes);
    if (m->fd >= 0)
      close(m->fd);
  }
  WEFT_VEC_FREE(&f->alloc, f->maps);
  weft__map_deinit(&f->locations);
  weft__map_deinit(&f->paths);
  weft__arena_deinit(&f->arena);
  weft_allocator a = f->alloc;
  weft__free(&a, f, sizeof *f, _Alignof(onnx_files));
}

// ---- the entries ----
typedef struct entry {
  const onnx_pair *location, *offset, *length;  // NULL: not there
} entry;

#define AT(pair) (int)WEFT_MIN((pair)->value.bytes, 200), (pair)->value.text ? (pair)->value.text : ""

static weft_status read_entries(const onnx_tensor *t, entry *e, weft_diag *d) {
  static const char *const keys[] = {"location", "offset", "length"};
  const onnx_pair **slots[] = {&e->location, &e->offset, &e->length};
  for (size_t i = 0; i < t->external_data.n; i++) {
    const onnx_pair *p = &t->external_data.v[i];
    for (size_t k = 0; k < WEFT_COUNT(keys); k++) {
      if (!onnx_str_is(p->key, keys[k]))
        continue;
      if (*slots[k]) {
        return weft_fail(d, WEFT_E_DUPLICATE, "external_data '%s' appears twice, at bytes %llu and %llu",
                         keys[k], (unsigned long long)(*slots[k])->offset, (unsigned long long)p->offset);
      }
      *slots[k] = p;
    }
  }
  if (e->location && e->location->value.bytes)
    return WEFT_OK;
  return weft_fail(d, WEFT_E_MISSING,
                   "its data are external, but external_data has no 'location' among its %zu entries",
                   (size_t)t->external_data.n);
}

static weft_status external_read_number(const onnx_pair *p, const char *key, uint64_t *out, weft_diag *d) {
  uint64_t v = 0;
  bool good = p->value.bytes > 0;
  for (size_t i = 0; good && i < p->value.bytes; i++) {
    unsigned digit = (unsigned char)p->value.text[i] - (unsigned)'0';
    good = digit <= 9 && v <= ((uint64_t)INT64_MAX - digit) / 10;
    v = v * 10 + digit;
  }
  *out = v;
  if (good)
    return WEFT_OK;
  return weft_fail(d, WEFT_E_SYNTAX,
                   "external_data '%s' at byte %llu: expected a number from 0 to 2^63-1, got '%.*s'", key,
                   (unsigned long long)p->offset, AT(p));
}

// ---- the file ----
static weft_status bad_path(const onnx_pair *p, weft_status s, weft_diag *d, const char *why) {
  return weft_fail(d, s, "external_data 'location' at byte %llu, '%.*s': %s", (unsigned long long)p->offset,
                   AT(p), why);
}

static weft_status bad_errno(const onnx_pair *p, weft_diag *d, const char *what, int error) {
  char why[128] = "";
  char text[200];
  if (strerror_r(error, why, sizeof why))
    snprintf(why, sizeof why, "error %d", error);
  snprintf(text, sizeof text, "cannot %s it in the model's folder: %s", what, why);
  return bad_path(p, error == ENOENT || error == ENOTDIR ? WEFT_E_NOT_FOUND : WEFT_E_IO, d, text);
}

static weft_status find_folder(onnx_files *f, const onnx_pair *p, weft_diag *d) {
  const char *slash = strrchr(f->model, '/');
  size_t n = slash ? (size_t)(slash - f->model) + 1 : 0;  // "/" stays
  char *name = weft__arena_strdup(&f->arena, slash ? f->model : ".", slash ? n : 1);
  WEFT_TRY(weft__allocated(name, d));
  char *real = realpath(name, NULL);
  if (!real)
    return bad_errno(p, d, "find the model's folder to read", errno);
  f->folder = weft__arena_strdup(&f->arena, real, strlen(real));
  free(real);
  return f->folder ? WEFT_OK : weft_fail(d, WEFT_E_NOMEM, "out of memory");
}

// Relative, without "..", and not too long.
static weft_status check_location(const onnx_pair *p, weft_diag *d) {
  const char *s = p->value.text;
  size_t n = p->value.bytes;
  if (memchr(s, 0, n))
    return bad_path(p, WEFT_E_INVALID, d, "it contains a zero byte");
  if (n > LOCATION_MAX)
    return bad_path(p, WEFT_E_LIMIT, d, "it is longer than 4096 bytes");
  if (s[0] == '/')
    return bad_path(p, WEFT_E_INVALID, d, "expected a path relative to the model's folder, it is absolute");
  for (size_t i = 0; i < n;) {
    const char *end = memchr(s + i, '/', n - i);
    size_t part = end ? (size_t)(end - s) - i : n - i;
    if (part == 2 && s[i] == '.' && s[i + 1] == '.')
      return bad_path(p, WEFT_E_INVALID, d, "expected a path inside the model's folder, it contains '..'");
    i += part + 1;
  }
  return WEFT_OK;
}

// The path behind the folder, links resolved; in the arena.
static weft_status external_resolve(onnx_files *f, const onnx_pair *p, char **out, weft_diag *d) {
  size_t n = strlen(f->folder);
  bool root = n == 1;  // "/"
  char *path = weft__arena_alloc(&f->arena, n + 1 + p->value.bytes + 1, 1);
  WEFT_TRY(weft__allocated(path, d));
  memcpy(path, f->folder, n);
  path[n] = '/';
  memcpy(path + n + 1, p->value.text, p->value.bytes);
  path[n + 1 + p->value.bytes] = 0;
  char *real = realpath(path, NULL);
  if (!real)
    return bad_errno(p, d, "find", errno);
  bool inside = root || (!strncmp(real, f->folder, n) && real[n] == '/');
  const char *rest = real + (root ? 1 : n + 1);
  *out = inside ? weft__arena_strdup(&f->arena, rest, strlen(rest)) : NULL;
  free(real);
  if (!inside)
    return bad_path(p, WEFT_E_INVALID, d, "a link leads out of the model's folder");
  return *out ? WEFT_OK : weft_fail(d, WEFT_E_NOMEM, "out of memory");
}

// Opens folder after folder without following links; -1 and errno.
static int open_inside(const char *folder, char *path) {
  int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  for (char *at = path; fd >= 0;) {
    char *slash = strchr(at, '/');
    if (slash)
      *slash = 0;
    int flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | (slash ? O_DIRECTORY : O_NOCTTY | O_NONBLOCK);
    int next = openat(fd, at, flags);
    int error = errno;
    close(fd);
    errno = error;
    if (slash)
      *slash = '/';
    fd = next;
    if (!slash)
      break;
    at = slash + 1;
  }
  return fd;
}

static weft_status copy_open(int fd, const onnx_pair *p, mapping *out, weft_diag *d) {
  out->map = weft__file_copied(fd, out->bytes);
  out->copied = out->map != NULL;
  if (out->map)
    return WEFT_OK;
  if (!errno)
    return bad_path(p, WEFT_E_TRUNCATED, d, "it became shorter while it was read");
  return errno == ENOMEM ? bad_path(p, WEFT_E_NOMEM, d, "no memory for a copy of it")
                         : bad_errno(p, d, "read", errno);
}

static weft_status map_open(int fd, const onnx_pair *p, size_t copy_most, mapping *out, weft_diag *d) {
  struct stat st;
  if (fstat(fd, &st))
    return bad_errno(p, d, "examine", errno);
  if (!S_ISREG(st.st_mode))
    return bad_path(p, WEFT_E_IO, d, "it is not a regular file");
  if (st.st_size < 0 || (uintmax_t)st.st_size > PTRDIFF_MAX)
    return bad_path(p, WEFT_E_IO, d, "its size does not fit the address space");
  out->bytes = (size_t)st.st_size;
  if (!out->bytes)
    return WEFT_OK;
  if (out->bytes <= copy_most)
    return copy_open(fd, p, out, d);
  void *map = mmap(NULL, out->bytes, PROT_READ, MAP_PRIVATE, fd, 0);
  if (map == MAP_FAILED)
    return bad_errno(p, d, "map", errno);
  out->map = map;
  return WEFT_OK;
}

static weft_status map_file(onnx_files *f, const onnx_pair *p, char *path, weft_diag *d) {
  mapping m = {.path = path, .fd = -1};
  WEFT_TRY(weft__allocated(WEFT_VEC_ROOM(&f->alloc, f->maps), d));
  int fd = open_inside(f->folder, path);
  if (fd < 0)
    return bad_errno(p, d, "open", errno);
  weft_status s = map_open(fd, p, f->copy_most, &m, d);
  if (m.map && !m.copied && f->maps.n < STAY_OPEN)
    m.fd = fd;
  else
    close(fd);
  if (!s)
    f->maps.v[f->maps.n++] = m;
  return s;
}

static weft_status find_mapping(onnx_files *f, const onnx_pair *p, const mapping **out, weft_diag *d) {
  void *have = weft__map_find(&f->locations, p->value.text, p->value.bytes);
  char *path;
  if (!have) {
    WEFT_TRY(check_location(p, d));
    if (!f->folder)
      WEFT_TRY(find_folder(f, p, d));
    WEFT_TRY(external_resolve(f, p, &path, d));
    have = weft__map_find(&f->paths, path, strlen(path));
    if (!have) {
      WEFT_TRY(map_file(f, p, path, d));
      have = (void *)(uintptr_t)f->maps.n;
      WEFT_TRY(weft__allocated(!weft__map_set(&f->paths, path, strlen(path), have), d));
    }
    WEFT_TRY(weft__allocated(!weft__map_set(&f->locations, p->value.text, p->value.bytes, have), d));
  }
  *out = &f->maps.v[(uintptr_t)have - 1];
  return WEFT_OK;
}

weft_status onnx_files_find(onnx_files *f, const onnx_tensor *t, size_t need, const uint8_t **out,
                            weft_diag *d) {
  entry e = {0};
  uint64_t offset = 0;
  uint64_t length = need;
  const mapping *m;
  if (!f) {
    return weft_fail(d, WEFT_E_UNSUPPORTED,
                     "its data are in an external file, but the model was read from memory and "
                     "has no folder: load it by its path");
  }
  WEFT_TRY(read_entries(t, &e, d));
  if (e.offset)
    WEFT_TRY(external_read_number(e.offset, "offset", &offset, d));
  if (e.length)
    WEFT_TRY(external_read_number(e.length, "length", &length, d));
  if (length != need) {
    return weft_fail(d, WEFT_E_SHAPE, "external_data 'length' at byte %llu is %llu, its dims need %zu bytes",
                     (unsigned long long)e.length->offset, (unsigned long long)length, need);
  }
  WEFT_TRY(find_mapping(f, e.location, &m, d));
  if (offset > m->bytes || need > m->bytes - offset) {
    return weft_fail(d, WEFT_E_TRUNCATED,
                     "external_data at byte %llu: %zu bytes from offset %llu on pass the end of '%.*s', "
                     "which has %zu",
                     (unsigned long long)e.location->offset, need, (unsigned long long)offset, AT(e.location),
                     m->bytes);
  }
  *out = m->map ? (const uint8_t *)m->map + offset : (const uint8_t *)"";
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
