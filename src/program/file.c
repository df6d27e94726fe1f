// file.c - the .weft file: a head of 64 bytes, a table of sections, and the sections at multiples of 64.
// Little-endian.
//   head:  "WEFTPROG", u32 version, u32 sections, u64 bytes of the file, u32 crc32 of the table, zeros
//   entry: u32 tag, u32 crc32 of the section (0: the section holds its own), u64 offset, u64 bytes
// GRPH is a graph file (docs/graph-file.md) with its own checksums; TARG is text, what the program was
// compiled for.
#include "program/program.h"

enum { VERSION = 1, HEAD = 64, ENTRY = 24, ALIGN = 64, SECTIONS = 2, SECTIONS_MAX = 64 };
#define MAGIC "WEFTPROG"

static void put_u32(uint8_t *p, uint32_t v) {
  for (int i = 0; i < 4; i++) p[i] = (uint8_t)(v >> 8 * i);
}
static void put_u64(uint8_t *p, uint64_t v) {
  for (int i = 0; i < 8; i++) p[i] = (uint8_t)(v >> 8 * i);
}
static uint32_t get_u32(const uint8_t *p) {
  return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}
static uint64_t get_u64(const uint8_t *p) {
  return get_u32(p) | (uint64_t)get_u32(p + 4) << 32;
}
static uint32_t tag(const char *t) {
  return get_u32((const uint8_t *)t);
}

static const char *target(void) {
#if defined(__x86_64__)
  return "cpu x86-64";
#elif defined(__aarch64__)
  return "cpu aarch64";
#else
  return "cpu";
#endif
}

weft_status weft_program_save(const weft_program *p, weft_write_fn write, void *ctx, weft_diag *d) {
  weft_text graph;
  weft__text_init(&graph, &p->env->alloc);
  weft_status s = weft_graph_save(p->graph, weft__text_write, &graph, d);
  if (!s && graph.failed) s = weft_fail(d, WEFT_E_NOMEM, "out of memory");
  const char *const text[SECTIONS] = {target(), graph.v};
  const size_t bytes[SECTIONS] = {strlen(target()), graph.n};
  uint8_t head[HEAD + SECTIONS * ENTRY + ALIGN] = {0};
  static const char zeros[ALIGN] = {0};
  uint64_t at = (HEAD + SECTIONS * ENTRY + ALIGN - 1) / ALIGN * ALIGN;
  size_t first = (size_t)at;
  for (int i = 0; i < SECTIONS; i++) {
    uint8_t *e = head + HEAD + i * ENTRY;
    put_u32(e, tag(i ? "GRPH" : "TARG"));
    put_u32(e + 4, i ? 0 : weft__crc32(text[i], bytes[i], 0));
    put_u64(e + 8, at);
    put_u64(e + 16, bytes[i]);
    at += (bytes[i] + ALIGN - 1) / ALIGN * ALIGN;
  }
  memcpy(head, MAGIC, 8);
  put_u32(head + 8, VERSION);
  put_u32(head + 12, SECTIONS);
  put_u64(head + 16, at);
  put_u32(head + 24, weft__crc32(head + HEAD, SECTIONS * ENTRY, 0));
  if (!s) s = write(ctx, (const char *)head, first);
  for (int i = 0; !s && i < SECTIONS; i++) {
    s = write(ctx, text[i], bytes[i]);
    if (!s && bytes[i] % ALIGN) s = write(ctx, zeros, ALIGN - bytes[i] % ALIGN);
  }
  weft__text_deinit(&graph);
  return s;
}

static weft_status to_file(void *ctx, const char *text, size_t bytes) {
  return fwrite(text, 1, bytes, ctx) == bytes ? WEFT_OK : WEFT_E_IO;
}

weft_status weft_program_save_file(const weft_program *p, const char *path, weft_diag *d) {
  FILE *f = fopen(path, "wb");
  if (!f) return weft_fail(d, WEFT_E_IO, "cannot write '%s'", path);
  weft_status s = weft_program_save(p, to_file, f, d);
  if (fclose(f) && !s) s = WEFT_E_IO;
  if (s && (!d || !d->status)) weft_fail(d, s, "writing '%s' failed", path);
  return s;
}

static weft_status section(const uint8_t *f, size_t bytes, uint32_t n, const char *name, const uint8_t **out,
                           size_t *out_bytes, weft_diag *d) {
  for (uint32_t i = 0; i < n; i++) {
    const uint8_t *e = f + HEAD + (size_t)i * ENTRY;
    if (get_u32(e) != tag(name)) continue;
    uint64_t at = get_u64(e + 8), size = get_u64(e + 16);
    if (at % ALIGN || at > bytes || size > bytes - at)
      return weft_fail(d, WEFT_E_CORRUPT,
                       "program file: section %s lies at byte %llu with %llu bytes, the file has %zu", name,
                       (unsigned long long)at, (unsigned long long)size, bytes);
    if (get_u32(e + 4) && get_u32(e + 4) != weft__crc32(f + at, (size_t)size, 0))
      return weft_fail(d, WEFT_E_CORRUPT, "program file: the checksum of section %s is wrong", name);
    *out = f + at, *out_bytes = (size_t)size;
    return WEFT_OK;
  }
  return weft_fail(d, WEFT_E_MISSING, "program file: section %s is absent", name);
}

static weft_status read_head(const uint8_t *f, size_t bytes, uint32_t *out_n, weft_diag *d) {
  if (bytes < 8 || memcmp(f, MAGIC, 8))
    return weft_fail(d, WEFT_E_SYNTAX, "this is no program: it does not begin with " MAGIC);
  if (bytes < HEAD)
    return weft_fail(d, WEFT_E_TRUNCATED, "program file: %zu bytes are less than its head", bytes);
  uint32_t n = get_u32(f + 12);
  if (get_u32(f + 8) != VERSION)
    return weft_fail(d, WEFT_E_VERSION, "program file: version %u, this weft reads %d", get_u32(f + 8),
                     VERSION);
  if (get_u64(f + 16) != bytes)
    return weft_fail(d, get_u64(f + 16) > bytes ? WEFT_E_TRUNCATED : WEFT_E_CORRUPT,
                     "program file: its head says %llu bytes, it has %zu",
                     (unsigned long long)get_u64(f + 16), bytes);
  if (n > SECTIONS_MAX || (bytes - HEAD) / ENTRY < n)
    return weft_fail(d, WEFT_E_CORRUPT, "program file: %u sections", n);
  if (get_u32(f + 24) != weft__crc32(f + HEAD, (size_t)n * ENTRY, 0))
    return weft_fail(d, WEFT_E_CORRUPT, "program file: the checksum of the table of sections is wrong");
  *out_n = n;
  return WEFT_OK;
}

weft_status weft_program_load_memory(weft_env *e, const void *data, size_t bytes, weft_program **out,
                                     weft_diag *d) {
  const uint8_t *part;
  size_t size;
  uint32_t n;
  weft_graph *g;
  *out = NULL;
  WEFT_TRY(read_head(data, bytes, &n, d));
  WEFT_TRY(section(data, bytes, n, "TARG", &part, &size, d));
  if (size != strlen(target()) || memcmp(part, target(), size))
    return weft_fail(d, WEFT_E_UNSUPPORTED, "the program was compiled for '%.*s', this machine is '%s'",
                     (int)WEFT_MIN(size, 64), (const char *)part, target());
  WEFT_TRY(section(data, bytes, n, "GRPH", &part, &size, d));
  WEFT_TRY(weft_graph_load(e, part, size, &g, d));
  weft_status s = weft_graph_verify(g, NULL, NULL, d);
  if (!s) s = weft_graph_sort(g, d);
  if (!s) return weft__program_make(g, out, d);
  weft_graph_destroy(g);
  return s;
}

typedef struct held {
  weft_file file;
  weft_allocator alloc;
} held;

static void drop_file(void *ctx) {
  held *h = ctx;
  weft_allocator a = h->alloc;
  weft__file_unmap(&h->file);
  weft__free(&a, h, sizeof *h, _Alignof(held));
}

weft_status weft_program_load(weft_env *e, const char *path, weft_program **out, weft_diag *d) {
  *out = NULL;
  held *h = weft__alloc(&e->alloc, sizeof *h, _Alignof(held));
  if (!h) return weft_fail(d, WEFT_E_NOMEM, "out of memory");
  h->alloc = e->alloc;
  weft_status s = weft__file_map(path, &h->file, d);
  if (s) {
    weft__free(&e->alloc, h, sizeof *h, _Alignof(held));
    return s;
  }
  s = weft_program_load_memory(e, h->file.data, h->file.bytes, out, d);
  if (!s) s = weft_graph_keep((*out)->graph, drop_file, h);
  if (s) {
    if (*out) weft_program_release(*out), *out = NULL;
    drop_file(h);
    weft_note(d, "in program file '%s'", path);
  }
  return s;
}
