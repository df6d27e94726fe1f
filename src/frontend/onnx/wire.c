// wire.c - tags, varints, lengths and groups of the protobuf wire format.
// Invariant: m->at <= m->end, and both lie in the source; every length is compared with end - at, never added
// first.
#include "frontend/onnx/wire.h"

enum { PATH_PARTS = 12, PATH_BYTES = 512, TEXT_BYTES = 512, VARINT_BYTES = 10 };

wire_message weft__wire_root(wire_source *src) {
  static const uint8_t none;
  if (!src->data) {
    src->data = &none;
    src->bytes = 0;
  }
  return (wire_message){.src = src, .at = src->data, .end = src->data + src->bytes, .index = SIZE_MAX};
}

wire_message weft__wire_enter(const wire_message *up, const uint8_t *data, size_t bytes) {
  return (wire_message){.src = up->src, .up = up, .at = data, .end = data + bytes, .index = SIZE_MAX};
}

const char *weft__wire_type_name(uint8_t type) {
  static const char *const names[] = {"varint",      "64-bit",    "length-delimited",
                                      "group start", "group end", "32-bit"};
  return type < WEFT_COUNT(names) ? names[type] : "unknown";
}

static void write_path(const wire_message *m, char *buf, size_t cap) {
  const wire_message *parts[PATH_PARTS];
  size_t n = 0;
  size_t at = 0;
  const wire_message *p = m;
  for (; p && n < PATH_PARTS; p = p->up)
    parts[n++] = p;
  weft__append(buf, cap, &at, "%s", m->src->root);
  if (p)
    weft__append(buf, cap, &at, "..");  // a dot follows
  while (n--) {
    p = parts[n];
    if (!p->number)
      continue;
    const char *name = p->name;
    if (!name && p->type && p->src->field_name)
      name = p->src->field_name(p->type, p->number);
    if (name)
      weft__append(buf, cap, &at, ".%s", name);
    else
      weft__append(buf, cap, &at, ".(field %u)", (unsigned)p->number);
    if (p->index != SIZE_MAX)
      weft__append(buf, cap, &at, "[%zu]", p->index);
  }
}

weft_status weft__wire_fail(const wire_message *m, const uint8_t *at, weft_status s, const char *fmt, ...) {
  char path[PATH_BYTES] = "";
  char text[TEXT_BYTES] = "";
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  write_path(m, path, sizeof path);
  const wire_source *src = m->src;
  return weft_fail(src->d, s, "%s%s at byte %zu: %s", !m->up && src->doubt ? src->doubt : "", path,
                   src->data ? (size_t)(at - src->data) : 0, text);
}

// Bytes of the varint at `at`; 0: it passes the end; VARINT_BYTES + 1: more than 64 bits.
static size_t varint(const uint8_t *at, const uint8_t *end, uint64_t *out) {
  uint64_t v = 0;
  size_t room = (size_t)(end - at);
  for (size_t i = 0; i < VARINT_BYTES; i++) {
    if (i == room)
      return 0;
    if (i == VARINT_BYTES - 1 && at[i] > 1)
      break;
    v |= (uint64_t)(at[i] & 0x7f) << (7 * i);
    if (at[i] < 0x80) {
      *out = v;
      return i + 1;
    }
  }
  return VARINT_BYTES + 1;
}

weft_status weft__wire_number(const wire_message *m, uint8_t type, const uint8_t **at, const uint8_t *end,
                              uint64_t *out) {
  const uint8_t *p = *at;
  size_t room = (size_t)(end - p);
  if (type == WIRE_VARINT) {
    size_t n = varint(p, end, out);
    if (!n)
      return weft__wire_fail(m, p, WEFT_E_TRUNCATED, "a varint passes the end, %zu bytes away", room);
    if (n > VARINT_BYTES)
      return weft__wire_fail(m, p, WEFT_E_CORRUPT, "a varint has more than 64 bits");
    *at = p + n;
    return WEFT_OK;
  }
  size_t need = type == WIRE_FIXED64 ? 8 : 4;
  if (room < need)
    return weft__wire_fail(m, p, WEFT_E_TRUNCATED, "a number of %zu bytes expected, %zu left", need, room);
  uint64_t v = 0;
  for (size_t i = 0; i < need; i++)
    v |= (uint64_t)p[i] << (8 * i);
  *out = v;
  *at = p + need;
  return WEFT_OK;
}

static weft_status read_tag(wire_message *m, wire_field *f) {
  uint64_t tag = 0;
  f->tag = m->at;
  m->name = NULL;
  m->number = 0;
  m->index = SIZE_MAX;
  WEFT_TRY(weft__wire_number(m, WIRE_VARINT, &m->at, m->end, &tag));
  if (tag >> 3 == 0 || tag > UINT32_MAX) {
    return weft__wire_fail(m, f->tag, WEFT_E_CORRUPT, "field number %llu, expected 1 to 536870911",
                           (unsigned long long)(tag >> 3));
  }
  m->number = f->number = (uint32_t)(tag >> 3);
  f->type = (uint8_t)(tag & 7);
  return WEFT_OK;
}

// Everything but groups.
static weft_status read_payload(wire_message *m, wire_field *f) {
  if (f->type == WIRE_VARINT || f->type == WIRE_FIXED32 || f->type == WIRE_FIXED64) {
    f->data = m->at;
    WEFT_TRY(weft__wire_number(m, f->type, &m->at, m->end, &f->value));
    f->bytes = (size_t)(m->at - f->data);
    return WEFT_OK;
  }
  if (f->type != WIRE_BYTES) {
    return weft__wire_fail(m, f->tag, WEFT_E_CORRUPT, "wire type %u (%s) is not allowed here",
                           (unsigned)f->type, weft__wire_type_name(f->type));
  }
  uint64_t length = 0;
  WEFT_TRY(weft__wire_number(m, WIRE_VARINT, &m->at, m->end, &length));
  size_t room = (size_t)(m->end - m->at);
  if (length > room) {
    return weft__wire_fail(m, f->tag, WEFT_E_TRUNCATED, "length %llu passes the end, %zu bytes away",
                           (unsigned long long)length, room);
  }
  f->data = m->at;
  f->bytes = (size_t)length;
  m->at += f->bytes;
  return WEFT_OK;
}

// Steps over a group whose start tag was read, to behind its end tag.
static weft_status skip_group(wire_message *m, wire_field *f) {
  uint32_t open[WIRE_MAX_GROUPS];
  uint32_t depth = 1;
  open[0] = f->number;
  f->data = m->at;
  while (depth) {
    wire_field in = {0};
    WEFT_TRY(read_tag(m, &in));
    if (in.type == WIRE_GROUP_END) {
      if (in.number != open[--depth]) {
        return weft__wire_fail(m, in.tag, WEFT_E_CORRUPT, "end of group %u, expected %u", (unsigned)in.number,
                               (unsigned)open[depth]);
      }
    } else if (in.type == WIRE_GROUP) {
      if (depth == WIRE_MAX_GROUPS)
        return weft__wire_fail(m, in.tag, WEFT_E_LIMIT, "groups nested deeper than %d", WIRE_MAX_GROUPS);
      open[depth++] = in.number;
    } else {
      WEFT_TRY(read_payload(m, &in));
    }
  }
  f->bytes = (size_t)(m->at - f->data);
  m->number = f->number;
  return WEFT_OK;
}

weft_status weft__wire_next_any(wire_message *m, wire_field *out) {
  wire_field f = {0};
  *out = f;
  if (m->at == m->end) {
    m->number = 0;
    return WEFT_OK;
  }
  WEFT_TRY(read_tag(m, &f));
  WEFT_TRY(f.type == WIRE_GROUP ? skip_group(m, &f) : read_payload(m, &f));
  *out = f;
  return WEFT_OK;
}

weft_status weft__wire_packed_count(const wire_message *m, const wire_field *f, uint8_t type, size_t *out) {
  size_t n = 0;
  if (type != WIRE_VARINT) {
    size_t size = type == WIRE_FIXED64 ? 8 : 4;
    if (f->bytes % size) {
      return weft__wire_fail(m, f->tag, WEFT_E_CORRUPT, "%zu packed bytes, expected a multiple of %zu",
                             f->bytes, size);
    }
    *out = f->bytes / size;
    return WEFT_OK;
  }
  for (size_t i = 0; i < f->bytes; i++)
    n += f->data[i] < 0x80;
  if (f->bytes && f->data[f->bytes - 1] >= 0x80)
    return weft__wire_fail(m, f->tag, WEFT_E_CORRUPT, "the last of %zu packed varints is cut", n + 1);
  *out = n;
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
