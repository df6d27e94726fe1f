// packs.c - packed constants in a program file: two sections that come together.
//   PIDX  what they are: u32 count, u32 bytes of the layouts' name, the name, zeros up to a multiple of 8;
//         then for each: u32 number of the constant (in the order of WGHT), u32 crc32 of the data, u64 key,
//         u64 bytes, u32 bytes of its kernel's name, u32 0, the name ("Conv/blocked-conv"), zeros up to 8
//   PDAT  their data, in this order, each at a multiple of 64, zeros behind it
// They serve where the layouts have the same name: the same instruction set and the same weft. Elsewhere,
// and for kernels that are not there, constants are packed anew; what is written is checked all the same.
//
// A file may say anything: a packed constant is used where constant, kernel, key and bytes are what a tiling
// asks for, so that a lie about them makes it useless, and wrong data give wrong numbers, as with WGHT.
#include "program/packs.h"
#include "base/allocated.h"

#include "device/device.h"

enum { ALIGN = 64, NAME = 160, ENTRY = 32, HEAD = 8 };

static void put_u32(weft_text *t, uint32_t v) {
  char b[4] = {(char)v, (char)(v >> 8), (char)(v >> 16), (char)(v >> 24)};
  weft__text_add(t, b, sizeof b);
}
static void put_u64(weft_text *t, uint64_t v) {
  put_u32(t, (uint32_t)v);
  put_u32(t, (uint32_t)(v >> 32));
}
static void packs_put_name(weft_text *t, const char *name) {
  static const char zeros[8] = {0};
  weft__text_add(t, name, strlen(name));
  weft__text_add(t, zeros, (8 - t->n % 8) % 8);
}
static uint32_t get_u32(const uint8_t *p) {
  return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}
static uint64_t get_u64(const uint8_t *p) {
  return get_u32(p) | (uint64_t)get_u32(p + 4) << 32;
}

// ---- which kernel: those of weft itself, whose layouts it knows ----
static bool kernel_name(const weft_kernel *k, char out[NAME]) {
  int n = snprintf(out, NAME, "%s/%s", k->op, k->name);
  return n > 0 && n < NAME && !strcmp(k->device, "cpu");
}

// "Conv/blocked-conv" of so many bytes, which no zero ends.
static const weft_kernel *own_kernel(const char *name, size_t bytes) {
  char text[NAME];
  if (bytes >= sizeof text)
    return NULL;
  memcpy(text, name, bytes);
  text[bytes] = 0;
  char *slash = strchr(text, '/');
  if (!slash || strlen(text) != bytes)
    return NULL;
  *slash = 0;
  const weft_kernel *k = weft__kernel_own("cpu", text, slash + 1);
  return k && k->pack ? k : NULL;
}

// ---- saving ----
typedef struct saver {
  const weft_program *p;
  const weft__weight_list *weights;
  weft_text *index;
  weft__pack_list *list;
  bool failed;
} saver;

static void save_one(void *ctx, const weft__pack *k) {
  saver *s = ctx;
  char name[NAME];
  uint32_t i = 0;
  while (i < s->weights->n && s->weights->v[i].t != k->of)
    i++;
  if (i == s->weights->n || !k->kernel || !kernel_name(k->kernel, name) ||
      own_kernel(name, strlen(name)) != k->kernel)
    return;
  if (!WEFT_VEC_ROOM(&s->p->env->alloc, *s->list)) {
    s->failed = true;
    return;
  }
  uint32_t crc = weft__crc32(k->to, k->bytes, 0);
  s->list->v[s->list->n++] = (weft__stored){k->to, k->bytes, crc};
  put_u32(s->index, i);
  put_u32(s->index, crc);
  put_u64(s->index, k->key);
  put_u64(s->index, k->bytes);
  put_u32(s->index, (uint32_t)strlen(name));
  put_u32(s->index, 0);
  packs_put_name(s->index, name);
}

weft_status weft__packs_save(const weft_program *p, const weft__weight_list *weights, weft_text *index,
                             weft__pack_list *list, weft_diag *d) {
  const char *layouts = weft__kernel_layouts(p->env, "cpu");
  saver s = {p, weights, index, list, false};
  put_u32(index, 0);
  put_u32(index, (uint32_t)strlen(layouts));
  packs_put_name(index, layouts);
  weft__packed_each((weft_program *)(uintptr_t)p, save_one, &s);
  if (s.failed || index->failed)
    return weft_fail(d, WEFT_E_NOMEM, "out of memory");
  for (int i = 0; i < 4; i++)
    index->v[i] = (char)(list->n >> 8 * i);
  return WEFT_OK;
}

// ---- loading ----
typedef struct reader {
  const uint8_t *v;
  size_t bytes, at;
  weft_diag *d;
} reader;

static weft_status packs_bad(const reader *r, const char *what) {
  return weft_fail(r->d, WEFT_E_CORRUPT, "program file, section 'PIDX', byte %zu: %s", r->at, what);
}

// `n` bytes of text and the zeros behind them.
static weft_status take_name(reader *r, uint32_t n, const char **out) {
  *out = (const char *)r->v + r->at;
  if (n > r->bytes - r->at || (n + (size_t)7) / 8 * 8 > r->bytes - r->at)
    return packs_bad(r, "a name ends behind it");
  size_t end = r->at + (n + (size_t)7) / 8 * 8;
  for (r->at += n; r->at < end; r->at++) {
    if (r->v[r->at])
      return packs_bad(r, "expected a zero");
  }
  return WEFT_OK;
}

static weft_status load_one(weft_program *p, reader *r, const uint8_t *data, size_t data_bytes, size_t *at,
                            bool fits) {
  if (r->bytes - r->at < ENTRY)
    return packs_bad(r, "an entry ends behind it");
  const uint8_t *e = r->v + r->at;
  uint32_t number = get_u32(e);
  uint32_t crc = get_u32(e + 4);
  uint32_t name_bytes = get_u32(e + 24);
  uint64_t bytes = get_u64(e + 16);
  const char *name;
  if (get_u32(e + 28))
    return packs_bad(r, "expected a zero at byte 28 of an entry");
  if (number >= p->weights.n)
    return packs_bad(r, "a constant that is not there");
  if (!bytes || bytes > data_bytes - *at || (bytes + ALIGN - 1) / ALIGN * ALIGN > data_bytes - *at)
    return packs_bad(r, "data that end behind section 'PDAT'");
  r->at += ENTRY;
  WEFT_TRY(take_name(r, name_bytes, &name));
  const weft_allocator *a = &p->env->alloc;
  WEFT_TRY(weft__allocated(WEFT_VEC_ROOM(a, p->stored), r->d));
  p->stored.v[p->stored.n++] = (weft__stored){data + *at, (size_t)bytes, crc};
  const weft_kernel *k = fits ? own_kernel(name, name_bytes) : NULL;
  weft__pack pack = {p->weights.v[number].t, k, get_u64(e + 8), (size_t)bytes,
                     (void *)(uintptr_t)(data + *at)};
  if (k)
    WEFT_TRY(weft__packed_add(p, &pack, r->d));
  *at += (size_t)((bytes + ALIGN - 1) / ALIGN * ALIGN);
  return WEFT_OK;
}

weft_status weft__packs_load(weft_program *p, const uint8_t *index, size_t index_bytes, const uint8_t *data,
                             size_t data_bytes, weft_diag *d) {
  reader r = {index, index_bytes, 0, d};
  const char *layouts;
  const char *own = weft__kernel_layouts(p->env, "cpu");
  size_t at = 0;
  if (index_bytes < HEAD)
    return packs_bad(&r, "it has less than 8 bytes");
  uint32_t n = get_u32(index);
  uint32_t name_bytes = get_u32(index + 4);
  r.at = HEAD;
  WEFT_TRY(take_name(&r, name_bytes, &layouts));
  bool fits = strlen(own) == name_bytes && !memcmp(own, layouts, name_bytes);
  for (uint32_t i = 0; i < n; i++)
    WEFT_TRY(load_one(p, &r, data, data_bytes, &at, fits));
  if (r.at != index_bytes)
    return packs_bad(&r, "more than its entries");
  if (at != data_bytes) {
    return weft_fail(d, WEFT_E_CORRUPT, "program file, section 'PDAT': %zu bytes, its entries have %zu",
                     data_bytes, at);
  }
  p->save_packed = true;
  return WEFT_OK;
}

weft_status weft__packs_verify(const weft_program *p, weft_diag *d) {
  size_t at = 0;
  for (size_t i = 0; i < p->stored.n; i++) {
    const weft__stored *k = &p->stored.v[i];
    const uint8_t *v = k->data;
    uint32_t crc = weft__crc32(v, k->bytes, 0);
    size_t end = (k->bytes + ALIGN - 1) / ALIGN * ALIGN;
    if (crc != k->crc) {
      return weft_fail(
          d, WEFT_E_CORRUPT,
          "program file, section 'PDAT', byte %zu: packed data have checksum %08x, expected %08x", at, crc,
          k->crc);
    }
    for (size_t z = k->bytes; z < end; z++) {
      if (v[z]) {
        return weft_fail(d, WEFT_E_CORRUPT, "program file, section 'PDAT', byte %zu: %u, expected a zero",
                         at + z, v[z]);
      }
    }
    at += end;
  }
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
