// message.c - the reader behind the tables of message.h.
// Two passes over the tags of each message: `count` checks wire types and sizes the lists, `fill` stores.
// Because fill sees the same bytes, it cannot meet more elements than were counted.
#include "frontend/onnx/message.h"

typedef struct pb_reader {
  wire_message *m;
  const pb_type *t;
  weft_arena *arena;
  char *out;
  uint32_t lists;              // bits of the repeated fields that are there; of no others n and used are set
  size_t n[PB_MAX_FIELDS];     // elements counted
  size_t used[PB_MAX_FIELDS];  // elements stored
} pb_reader;
_Static_assert(PB_MAX_FIELDS <= 32, "a bit for each field");

// All lists have the layout of this one; object pointers have one representation on our platforms.
typedef struct pb_span {
  void *v;
  size_t n;
} pb_span;

static const struct {
  uint8_t wire;
  uint8_t size;
  uint8_t align;
} kinds[] = {
    [PB_I32] = {WIRE_VARINT, sizeof(int32_t), _Alignof(int32_t)},
    [PB_I64] = {WIRE_VARINT, sizeof(int64_t), _Alignof(int64_t)},
    [PB_U64] = {WIRE_VARINT, sizeof(uint64_t), _Alignof(uint64_t)},
    [PB_F32] = {WIRE_FIXED32, sizeof(float), _Alignof(float)},
    [PB_F64] = {WIRE_FIXED64, sizeof(double), _Alignof(double)},
    [PB_STR] = {WIRE_BYTES, sizeof(onnx_str), _Alignof(onnx_str)},
    [PB_NAME] = {WIRE_BYTES, sizeof(onnx_str), _Alignof(onnx_str)},
    [PB_MSG] = {WIRE_BYTES, 0, 0},
};

// The index of a field number in the table, or n_fields. Tables run in the order of numbers, most from 1 on
// without a gap: field k is at k-1 or before it.
static inline size_t find_field(const pb_type *t, uint32_t number) {
  for (size_t i = WEFT_MIN(number, t->n_fields); i-- > 0;) {
    if (t->fields[i].number == number)
      return i;
  }
  return t->n_fields;
}

const char *weft__pb_field_name(const void *type, uint32_t number) {
  const pb_type *t = type;
  size_t i = find_field(t, number);
  return i < t->n_fields ? t->fields[i].name : NULL;
}

static bool message_is_packed(const pb_field *pf, const wire_field *f) {
  return pf->repeated && f->type == WIRE_BYTES && kinds[pf->kind].wire != WIRE_BYTES;
}

static weft_status message_count(pb_reader *r) {
  wire_message *m = r->m;
  wire_field f;
  while (m->at < m->end) {
    WEFT_TRY(weft__wire_step(m));
    WEFT_TRY(weft__wire_next(m, &f));
    size_t i = find_field(r->t, f.number);
    size_t more = 1;
    if (i == r->t->n_fields)
      continue;
    const pb_field *pf = &r->t->fields[i];
    m->name = pf->name;
    if (message_is_packed(pf, &f))
      WEFT_TRY(weft__wire_packed_count(m, &f, kinds[pf->kind].wire, &more));
    else if (f.type != kinds[pf->kind].wire) {
      return weft__wire_fail(m, f.tag, WEFT_E_TYPE, "wire type %u (%s), expected %u (%s)", (unsigned)f.type,
                             weft__wire_type_name(f.type), (unsigned)kinds[pf->kind].wire,
                             weft__wire_type_name(kinds[pf->kind].wire));
    }
    if (!pf->repeated)
      continue;
    if (!(r->lists >> i & 1)) {
      r->lists |= UINT32_C(1) << i;
      r->n[i] = r->used[i] = 0;
    }
    r->n[i] += more;  // at most one for each byte of the file: cannot overflow
  }
  return WEFT_OK;
}

static weft_status make_lists(pb_reader *r) {
  for (uint32_t left = r->lists; left; left &= left - 1) {
    size_t i = (size_t)__builtin_ctz(left);
    const pb_field *pf = &r->t->fields[i];
    if (!r->n[i])
      continue;  // packed, and empty
    size_t size = pf->type ? pf->type->bytes : kinds[pf->kind].size;
    size_t align = pf->type ? pf->type->align : kinds[pf->kind].align;
    pb_span span = {weft__arena_array(r->arena, r->n[i], size, align), r->n[i]};
    if (!span.v) {
      return weft_fail(r->m->src->d, WEFT_E_NOMEM, "out of memory for %zu elements of %zu bytes of %s.%s",
                       r->n[i], size, r->t->name, pf->name);
    }
    memcpy(r->out + pf->at, &span, sizeof span);
  }
  return WEFT_OK;
}

// Where the next element of field i goes, and *out_index of it (SIZE_MAX: singular).
static char *message_place(pb_reader *r, size_t i, size_t size, size_t *out_index) {
  const pb_field *pf = &r->t->fields[i];
  *out_index = SIZE_MAX;
  if (!pf->repeated)
    return r->out + pf->at;
  pb_span span;
  memcpy(&span, r->out + pf->at, sizeof span);
  WEFT_ASSERT(r->used[i] < span.n);
  *out_index = r->used[i]++;
  return (char *)span.v + *out_index * size;
}

static void store_number(uint8_t kind, uint64_t bits, char *to) {
  uint32_t low = (uint32_t)bits;
  if (kind == PB_I32 || kind == PB_F32)
    memcpy(to, &low, sizeof low);
  else
    memcpy(to, &bits, sizeof bits);
}

static weft_status fill_packed(pb_reader *r, size_t i, const wire_field *f) {
  uint8_t kind = r->t->fields[i].kind;
  const uint8_t *at = f->data;
  const uint8_t *end = f->data + f->bytes;
  uint64_t bits = 0;
  while (at < end) {
    size_t index;
    WEFT_TRY(weft__wire_step(r->m));
    WEFT_TRY(weft__wire_number(r->m, kinds[kind].wire, &at, end, &bits));
    store_number(kind, bits, message_place(r, i, kinds[kind].size, &index));
  }
  return WEFT_OK;
}

static weft_status fill_message(pb_reader *r, size_t i, const wire_field *f) {
  const pb_field *pf = &r->t->fields[i];
  const pb_type *t = pf->type;
  char *to = message_place(r, i, t->bytes, &r->m->index);
  if (!pf->repeated) {
    void *made = weft__arena_zalloc(r->arena, t->bytes, t->align);
    if (!made) {
      return weft_fail(r->m->src->d, WEFT_E_NOMEM, "out of memory for %zu bytes of %s.%s", t->bytes,
                       r->t->name, pf->name);
    }
    memcpy(to, &made, sizeof made);
    to = made;
  }
  wire_message in = weft__wire_enter(r->m, f->data, f->bytes);
  return weft__pb_read(&in, t, r->arena, to);
}

// What cannot be printed of the name is left out: its end is at the zero byte.
static weft_status check_name(const wire_message *m, const wire_field *f) {
  const char *text = (const char *)f->data;
  const char *zero = f->bytes ? memchr(text, 0, f->bytes) : NULL;
  if (!zero)
    return WEFT_OK;
  return weft__wire_fail(m, f->data + (zero - text), WEFT_E_CORRUPT,
                         "a zero byte in a name of %zu bytes, after '%.*s'", f->bytes,
                         (int)WEFT_MIN((size_t)(zero - text), 100), text);
}

static weft_status message_fill(pb_reader *r) {
  wire_message *m = r->m;
  wire_field f;
  size_t index;
  while (m->at < m->end) {
    WEFT_TRY(weft__wire_step(m));
    WEFT_TRY(weft__wire_next(m, &f));
    size_t i = find_field(r->t, f.number);
    if (i == r->t->n_fields)
      continue;
    const pb_field *pf = &r->t->fields[i];
    m->name = pf->name;
    if (pf->mark_at)
      r->out[pf->mark_at] = (char)pf->mark;
    if (pf->kind == PB_MSG) {
      WEFT_TRY(fill_message(r, i, &f));
    } else if (pf->kind == PB_STR || pf->kind == PB_NAME) {
      if (pf->kind == PB_NAME)
        WEFT_TRY(check_name(m, &f));
      onnx_str view = {(const char *)f.data, f.bytes};
      memcpy(message_place(r, i, sizeof view, &index), &view, sizeof view);
    } else if (message_is_packed(pf, &f)) {
      WEFT_TRY(fill_packed(r, i, &f));
    } else {
      store_number(pf->kind, f.value, message_place(r, i, kinds[pf->kind].size, &index));
    }
  }
  return WEFT_OK;
}

// Counts the messages of this type around `m`. The chain is short: every cycle of the tables has a max_depth.
static weft_status check_depth(const wire_message *m, const pb_type *t) {
  uint32_t depth = 0;
  if (!t->max_depth)
    return WEFT_OK;
  for (const wire_message *p = m->up; p; p = p->up)
    depth += p->type == t;
  if (depth <= t->max_depth)
    return WEFT_OK;
  return weft__wire_fail(m, m->at, WEFT_E_LIMIT, "%s nested %u deep, at most %u allowed", t->name,
                         (unsigned)depth, (unsigned)t->max_depth);
}

weft_status weft__pb_read(wire_message *m, const pb_type *t, weft_arena *arena, void *out) {
  WEFT_ASSERT(t->n_fields <= PB_MAX_FIELDS);
  m->type = t;
  WEFT_TRY(check_depth(m, t));
  pb_reader r;  // n and used are large, and set where they are used
  r.m = m;
  r.t = t;
  r.arena = arena;
  r.out = out;
  r.lists = 0;
  const uint8_t *begin = m->at;
  uint64_t offset = (uint64_t)(begin - m->src->data);
  memcpy(out, &offset, sizeof offset);
  WEFT_TRY(message_count(&r));
  WEFT_TRY(make_lists(&r));
  m->at = begin;
  return message_fill(&r);
}
// SPDX-License-Identifier: Apache-2.0
