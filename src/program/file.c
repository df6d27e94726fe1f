// file.c - the .weft file (docs/program-file.md): a head of 64 bytes, a table of sections, and the sections
// in its order, each at the next multiple of 64, zeros between them. Little-endian.
//   head:  "WEFTPROG", u32 version, u32 sections, u64 bytes of the file, u32 crc32 of the table, zeros
//   entry: u32 tag, u32 crc32 of the section (0: checksums lie inside or elsewhere), u64 offset, u64 bytes
// TARG is text, what the program was compiled for. GRPH is a graph file (docs/graph-file.md) with its own
// checksums; the data of its large constants are WGHT, their checksums stand in GRPH. PIDX and PDAT, which
// need not be there, are packed constants: packs.c. OPER is what operators carry, if any do: carried.c. So
// loading checks every byte but those of WGHT and PDAT, which stay where they lie and are not read. Other
// tags: skipped when the first letter is small, refused otherwise.
#include "base/told.h"
#include "program/carried.h"
#include "program/packs.h"
#include "base/file.h"
#include "weft/file.h"

enum { VERSION = 1, HEAD = 64, ENTRY = 24, ALIGN = 64, SECTIONS_MAX = 64 };
enum { TARG, GRPH, WGHT, ALWAYS, PIDX = ALWAYS, PDAT, OPER, SECTIONS };
#define MAGIC "WEFTPROG"
static const char *const tags[SECTIONS] = {"TARG", "GRPH", "WGHT", "PIDX", "PDAT", "OPER"};

static void put_u32(uint8_t *p, uint32_t v) {
  for (int i = 0; i < 4; i++)
    p[i] = (uint8_t)(v >> 8 * i);
}
static void put_u64(uint8_t *p, uint64_t v) {
  for (int i = 0; i < 8; i++)
    p[i] = (uint8_t)(v >> 8 * i);
}
static uint32_t get_u32(const uint8_t *p) {
  return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}
static uint64_t get_u64(const uint8_t *p) {
  return get_u32(p) | (uint64_t)get_u32(p + 4) << 32;
}
static size_t file_aligned(size_t bytes) {
  return (bytes + ALIGN - 1) / ALIGN * ALIGN;
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

const char *weft_program_target(const weft_program *p) {
  if (!p)
    return "";
  (void)p;  // others are not loaded
  return target();
}

// ---- saving ----
typedef struct parts {
  weft_text graph, index, carried;
  weft__weight_list weights;
  weft__pack_list packed;
  bool there[SECTIONS];
  size_t bytes[SECTIONS];
} parts;

static weft_status write_padded(weft_write_fn write, void *ctx, const void *text, size_t bytes) {
  static const char zeros[ALIGN] = {0};
  if (bytes)
    WEFT_TRY(write(ctx, text, bytes));
  return bytes % ALIGN ? write(ctx, zeros, ALIGN - bytes % ALIGN) : WEFT_OK;
}

static uint32_t crc_of(const parts *p, int section) {
  if (section == TARG)
    return weft__crc32(target(), p->bytes[TARG], 0);
  if (section == OPER)
    return weft__crc32(p->carried.v, p->bytes[OPER], 0);
  return section == PIDX ? weft__crc32(p->index.v, p->bytes[PIDX], 0) : 0;  // others: inside
}

static weft_status write_section(const parts *p, int section, weft_write_fn write, void *ctx) {
  switch (section) {
    case TARG:
      return write_padded(write, ctx, target(), p->bytes[TARG]);
    case GRPH:
      return write_padded(write, ctx, p->graph.v, p->bytes[GRPH]);
    case PIDX:
      return write_padded(write, ctx, p->index.v, p->bytes[PIDX]);
    case OPER:
      return write_padded(write, ctx, p->carried.v, p->bytes[OPER]);
    default:
      break;
  }
  for (size_t i = 0; section == WGHT && i < p->weights.n; i++)
    WEFT_TRY(write_padded(write, ctx, p->weights.v[i].t->data, weft__file_data_bytes(p->weights.v[i].t)));
  for (size_t i = 0; section == PDAT && i < p->packed.n; i++)
    WEFT_TRY(write_padded(write, ctx, p->packed.v[i].data, p->packed.v[i].bytes));
  return WEFT_OK;
}

static weft_status write_parts(const parts *p, weft_write_fn write, void *ctx) {
  uint8_t head[HEAD + SECTIONS * ENTRY] = {0};
  uint32_t n = 0;
  for (int i = 0; i < SECTIONS; i++)
    n += p->there[i];
  size_t bytes = HEAD + (size_t)n * ENTRY;
  size_t at = file_aligned(bytes);
  uint8_t *e = head + HEAD;
  for (int i = 0; i < SECTIONS; i++) {
    if (!p->there[i])
      continue;
    memcpy(e, tags[i], 4);
    put_u32(e + 4, crc_of(p, i));
    put_u64(e + 8, at);
    put_u64(e + 16, p->bytes[i]);
    at += file_aligned(p->bytes[i]);
    e += ENTRY;
  }
  memcpy(head, MAGIC, 8);
  put_u32(head + 8, VERSION);
  put_u32(head + 12, n);
  put_u64(head + 16, at);
  put_u32(head + 24, weft__crc32(head + HEAD, bytes - HEAD, 0));
  WEFT_TRY(write_padded(write, ctx, head, bytes));
  for (int i = 0; i < SECTIONS; i++) {
    if (p->there[i])
      WEFT_TRY(write_section(p, i, write, ctx));
  }
  return WEFT_OK;
}

static weft_status file_collect(const weft_program *program, parts *p, weft_diag *d) {
  WEFT_TRY(weft__graph_save_apart(program->graph, weft__text_write, &p->graph, &p->weights, d));
  if (program->save_packed)
    WEFT_TRY(weft__packs_save(program, &p->weights, &p->index, &p->packed, d));
  WEFT_TRY(weft__carried_save(program, &p->carried, d));
  if (p->graph.failed)
    return weft_fail(d, WEFT_E_NOMEM, "out of memory");
  p->bytes[TARG] = strlen(target());
  p->bytes[GRPH] = p->graph.n;
  p->bytes[PIDX] = p->index.n;
  p->bytes[OPER] = p->carried.n;
  p->there[TARG] = p->there[GRPH] = p->there[WGHT] = true;
  p->there[PIDX] = p->there[PDAT] = program->save_packed;
  p->there[OPER] = p->carried.n > 0;
  for (size_t i = 0; i < p->weights.n; i++)
    p->bytes[WGHT] += file_aligned(weft__file_data_bytes(p->weights.v[i].t));
  for (size_t i = 0; i < p->packed.n; i++)
    p->bytes[PDAT] += file_aligned(p->packed.v[i].bytes);
  return WEFT_OK;
}

weft_status weft_program_save(const weft_program *program, weft_write_fn write, void *ctx, weft_diag *d) {
  WEFT_NEED(d, program);
  WEFT_NEED(d, write);
  const weft_allocator *a = &program->env->alloc;
  parts p = {0};
  weft__text_init(&p.graph, a);
  weft__text_init(&p.index, a);
  weft__text_init(&p.carried, a);
  weft_status s = file_collect(program, &p, d);
  if (!s) {
    s = write_parts(&p, write, ctx);
    if (s)
      weft_fail(d, s, "program '%s' cannot be saved: writing failed", weft_program_name(program));
  }
  weft__text_deinit(&p.graph);
  weft__text_deinit(&p.index);
  weft__text_deinit(&p.carried);
  WEFT_VEC_FREE(a, p.weights);
  WEFT_VEC_FREE(a, p.packed);
  return weft__told(s, d);
}

void weft_program_keep_packed(weft_program *p, bool keep) {
  if (!p)
    return;
  p->save_packed = keep;
}

weft_status weft_program_save_file(const weft_program *p, const char *path, weft_diag *d) {
  WEFT_NEED(d, p);
  WEFT_NEED(d, path);
  weft_file_out *f;
  WEFT_TRY(weft_file_create(path, &f, d));
  return weft_file_finish(f, weft_program_save(p, weft_file_write, f, d), d);
}

// ---- loading ----
typedef struct section {
  const uint8_t *v;  // NULL: absent
  size_t bytes;
} section;
typedef struct reader {
  const uint8_t *v;
  size_t bytes;
  uint32_t n;
  section part[SECTIONS];
  weft_diag *d;
} reader;

// The first byte that is not zero; `to` when there is none.
static size_t not_zero(const uint8_t *v, size_t from, size_t to) {
  while (from < to && !v[from])
    from++;
  return from;
}

static weft_status check_zeros(const reader *r, size_t from, size_t to) {
  size_t at = not_zero(r->v, from, to);
  return at == to
             ? WEFT_OK
             : weft_fail(r->d, WEFT_E_CORRUPT, "program file, byte %zu: %u, expected a zero", at, r->v[at]);
}

static weft_status read_head(reader *r) {
  const uint8_t *f = r->v;
  if (r->bytes < 8 || memcmp(f, MAGIC, 8))
    return weft_fail(r->d, WEFT_E_SYNTAX, "this is not a program: it does not begin with " MAGIC);
  if (r->bytes < HEAD) {
    return weft_fail(r->d, WEFT_E_TRUNCATED, "program file: its head has %d bytes, the file has %zu", HEAD,
                     r->bytes);
  }
  if (get_u32(f + 8) != VERSION) {
    return weft_fail(r->d, WEFT_E_VERSION, "program file: version %u, this weft reads version %d",
                     get_u32(f + 8), VERSION);
  }
  uint64_t total = get_u64(f + 16);
  if (total != r->bytes) {
    return weft_fail(r->d, total > r->bytes ? WEFT_E_TRUNCATED : WEFT_E_CORRUPT,
                     "program file: expected %llu bytes, got %zu", (unsigned long long)total, r->bytes);
  }
  r->n = get_u32(f + 12);
  if (!r->n || r->n > SECTIONS_MAX || (r->bytes - HEAD) / ENTRY < r->n) {
    return weft_fail(r->d, WEFT_E_CORRUPT, "program file, byte 12: %u sections in %zu bytes, at most %d",
                     r->n, r->bytes, SECTIONS_MAX);
  }
  if (get_u32(f + 24) != weft__crc32(f + HEAD, (size_t)r->n * ENTRY, 0)) {
    return weft_fail(r->d, WEFT_E_CORRUPT,
                     "program file, byte %d: the checksum of the table of sections is wrong", HEAD);
  }
  return check_zeros(r, 28, HEAD);
}

// A tag as text; bytes that do not print become '?'.
static void tag_text(const uint8_t *p, char out[5]) {
  for (int i = 0; i < 4; i++)
    out[i] = p[i] > 32 && p[i] < 127 ? (char)p[i] : '?';
  out[4] = 0;
}

static weft_status file_take(reader *r, const uint8_t *e, size_t at, size_t bytes) {
  int k = 0;
  char tag[5];
  tag_text(e, tag);
  while (k < SECTIONS && memcmp(e, tags[k], 4))
    k++;
  if (k == SECTIONS && !(e[0] & WEFT__FILE_OPTIONAL)) {
    return weft_fail(r->d, WEFT_E_VERSION,
                     "program file: section '%s' at byte %zu is not known and not optional", tag, at);
  }
  if (k < SECTIONS && r->part[k].v)
    return weft_fail(r->d, WEFT_E_CORRUPT, "program file: section '%s' at byte %zu appears twice", tag, at);
  uint32_t crc = get_u32(e + 4);
  bool own = k == GRPH || k == WGHT || k == PDAT;
  if (own ? crc != 0 : crc != weft__crc32(r->v + at, bytes, 0)) {
    return weft_fail(r->d, WEFT_E_CORRUPT, "program file: section '%s' at byte %zu: its checksum is wrong",
                     tag, at);
  }
  if (k < SECTIONS)
    r->part[k] = (section){r->v + at, bytes};
  return WEFT_OK;
}

// Sections follow each other, so that every byte belongs to one or is a zero between two.
static weft_status read_sections(reader *r) {
  size_t at = HEAD + (size_t)r->n * ENTRY;
  for (uint32_t i = 0; i < r->n; i++) {
    const uint8_t *e = r->v + HEAD + (size_t)i * ENTRY;
    uint64_t from = get_u64(e + 8);
    uint64_t size = get_u64(e + 16);
    char tag[5];
    tag_text(e, tag);
    if (from != file_aligned(at) || from > r->bytes || size > r->bytes - from) {
      return weft_fail(
          r->d, WEFT_E_CORRUPT,
          "program file: section '%s' lies at byte %llu with %llu bytes; expected byte %zu, the file "
          "has %zu",
          tag, (unsigned long long)from, (unsigned long long)size, file_aligned(at), r->bytes);
    }
    WEFT_TRY(check_zeros(r, at, (size_t)from));
    WEFT_TRY(file_take(r, e, (size_t)from, (size_t)size));
    at = (size_t)from + (size_t)size;
  }
  if (file_aligned(at) != r->bytes) {
    return weft_fail(r->d, WEFT_E_CORRUPT, "program file: its sections end at byte %zu, it has %zu", at,
                     r->bytes);
  }
  WEFT_TRY(check_zeros(r, at, r->bytes));
  for (int k = 0; k < (r->part[PIDX].v || r->part[PDAT].v ? OPER : ALWAYS); k++) {
    if (!r->part[k].v)
      return weft_fail(r->d, WEFT_E_CORRUPT, "program file: section '%s' is missing", tags[k]);
  }
  return WEFT_OK;
}

static weft_status read_target(const reader *r) {
  const section *t = &r->part[TARG];
  char text[65];
  if (t->bytes == strlen(target()) && !memcmp(t->v, target(), t->bytes))
    return WEFT_OK;
  size_t n = 0;
  for (; n < t->bytes && n < sizeof text - 1; n++)
    text[n] = t->v[n] >= ' ' && t->v[n] < 127 ? (char)t->v[n] : '?';
  text[n] = 0;
  return weft_fail(r->d, WEFT_E_UNSUPPORTED, "the program was compiled for '%s', this machine is '%s'", text,
                   target());
}

static weft_status file_load(weft_env *e, reader *r, weft_program **out) {
  weft_graph *g = NULL;
  weft__weight_list weights = {0};
  WEFT_TRY(read_head(r));
  WEFT_TRY(read_sections(r));
  WEFT_TRY(read_target(r));
  const section *graph = &r->part[GRPH];
  const section *w = &r->part[WGHT];
  const weft__graph_bytes from = {
      .data = graph->v, .bytes = graph->bytes, .weights = w->v, .weights_bytes = w->bytes};
  weft_status s = weft__graph_load_borrow(e, &from, &weights, &g, r->d);
  if (s)
    weft_note(r->d, "in section 'GRPH', byte %zu of a program file", (size_t)(graph->v - r->v));
  if (!s)
    s = weft_graph_verify(g, NULL, NULL, r->d);
  if (!s)
    s = weft_graph_sort(g, r->d);
  if (s)
    weft_graph_destroy(g);
  else
    s = weft__program_make(g, NULL, out, r->d);
  if (s) {
    WEFT_VEC_FREE(&e->alloc, weights);
    return s;
  }
  weft_program *p = *out;
  p->foreign = true;
  p->weights = weights;
  p->weights_data = w->v;
  p->weights_bytes = w->bytes;
  const section *index = &r->part[PIDX];
  const section *packed = &r->part[PDAT];
  const section *carried = &r->part[OPER];
  if (index->v)
    s = weft__packs_load(p, index->v, index->bytes, packed->v, packed->bytes, r->d);
  if (!s && carried->v)
    s = weft__carried_load(p, carried->v, carried->bytes, r->d);
  if (s) {
    weft_program_release(p);
    *out = NULL;
  }
  return s;
}

typedef struct held {  // what the program lies in
  weft_file file;      // or
  void *copy;
  size_t copy_bytes;
  weft_allocator alloc;
} held;

static void file_drop(void *ctx) {
  held *h = ctx;
  weft_allocator a = h->alloc;
  weft__file_unmap(&h->file);
  weft__free(&a, h->copy, h->copy_bytes, ALIGN);
  weft__free(&a, h, sizeof *h, _Alignof(held));
}

// Takes h, also on failure.
static weft_status load_held(weft_env *e, held *h, weft_program **out, weft_diag *d) {
  reader r = {
      .v = h->copy ? h->copy : h->file.data, .bytes = h->copy ? h->copy_bytes : h->file.bytes, .d = d};
  weft_status s = file_load(e, &r, out);
  if (!s && h->file.fd >= 0 && weft__graph_mapped((*out)->graph, h->file.data, h->file.bytes, h->file.fd))
    s = weft_fail(d, WEFT_E_NOMEM, "out of memory");
  if (!s && weft_graph_keep((*out)->graph, file_drop, h))
    s = weft_fail(d, WEFT_E_NOMEM, "out of memory");
  if (!s)
    return WEFT_OK;
  weft_program_release(*out);
  *out = NULL;
  file_drop(h);
  return s;
}

static held *hold(weft_env *e, weft_diag *d) {
  held *h = weft__alloc(&e->alloc, sizeof *h, _Alignof(held));
  if (!h)
    return (void)weft_fail(d, WEFT_E_NOMEM, "out of memory"), NULL;
  *h = (held){.alloc = e->alloc, .file = {.fd = -1}};
  return h;
}

weft_status weft_program_load_memory(weft_env *e, const void *data, size_t bytes, weft_program **out,
                                     weft_diag *d) {
  WEFT_NEED(d, out);
  *out = NULL;
  WEFT_NEED(d, e);
  WEFT_NEED_LIST(d, data, bytes);
  reader r = {.v = data, .bytes = bytes, .d = d};
  if ((uintptr_t)data % ALIGN == 0 || bytes < HEAD)
    return file_load(e, &r, out);
  held *h = hold(e, d);
  if (!h)
    return WEFT_E_NOMEM;
  h->copy = weft__alloc(&e->alloc, bytes, ALIGN);
  if (!h->copy) {
    file_drop(h);
    return weft_fail(d, WEFT_E_NOMEM, "no memory for a program of %zu bytes", bytes);
  }
  memcpy(h->copy, data, bytes);
  h->copy_bytes = bytes;
  return weft__told(load_held(e, h, out, d), d);
}

weft_status weft_program_load(weft_env *e, const char *path, weft_program **out, weft_diag *d) {
  WEFT_NEED(d, out);
  *out = NULL;
  WEFT_NEED(d, e);
  WEFT_NEED(d, path);
  held *h = hold(e, d);
  if (!h)
    return WEFT_E_NOMEM;
  weft_status s = weft__file_take(path, weft__env_copy_most(e), &h->file, d);
  if (s) {
    file_drop(h);
    return s;
  }
  s = load_held(e, h, out, d);
  if (s)
    weft_note(d, "in program file '%s'", path);
  return weft__told(s, d);
}

// ---- the weights ----
static const char *name_of(const weft_program *p, const weft_tensor *t) {
  for (uint32_t k = 0; k < p->n_fns; k++) {
    for (uint32_t i = p->fn[k].n_in; i < p->fn[k].n_in + p->fn[k].n_const; i++) {
      if (p->fn[k].value[i]->fact.value == t)
        return p->fn[k].value[i]->name;
    }
  }
  return "";
}

weft_status weft_program_verify(const weft_program *p, weft_diag *d) {
  WEFT_NEED(d, p);
  size_t at = 0;
  for (size_t i = 0; i < p->weights.n; i++) {
    const weft__weight *w = &p->weights.v[i];
    size_t end = at + w->t->bytes;
    size_t next = file_aligned(end);
    uint32_t crc = weft__crc32(w->t->data, w->t->bytes, 0);
    if (crc != w->crc) {
      return weft_fail(
          d, WEFT_E_CORRUPT,
          "program file, section 'WGHT', byte %zu: the data of constant '%s' have checksum %08x, "
          "expected %08x",
          at, name_of(p, w->t), crc, w->crc);
    }
    at = not_zero(p->weights_data, end, next);
    if (at != next) {
      return weft_fail(d, WEFT_E_CORRUPT, "program file, section 'WGHT', byte %zu: %u, expected a zero", at,
                       p->weights_data[at]);
    }
  }
  return weft__packs_verify(p, d);
}
// SPDX-License-Identifier: Apache-2.0
