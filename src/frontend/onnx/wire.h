// wire.h - reads the protobuf wire format from a byte range, without copying and without trusting it.
// A message is a cursor over its payload; messages nest by a chain of cursors on the C stack, which is also
// the path that errors name: "ModelProto.graph.node[3].attribute[0].i at byte 517: ...".
// Nothing here allocates.
// Cost: one pass over the tags of a message; payloads of nested messages are stepped over, not read.
// Threads: reentrant; a source and its messages belong to one thread.
#pragma once
#include "base/budget.h"

enum {  // wire types
  WIRE_VARINT = 0,
  WIRE_FIXED64 = 1,
  WIRE_BYTES = 2,  // length-delimited: strings, nested messages, packed numbers
  WIRE_GROUP = 3,  // start of a group; only ever skipped
  WIRE_GROUP_END = 4,
  WIRE_FIXED32 = 5,
  WIRE_MAX_GROUPS = 32  // nesting of skipped groups
};

typedef struct wire_source {
  const uint8_t *data;  // start of the file: offsets in messages count from here
  size_t bytes;
  const char *root;   // what the whole range is: "ModelProto"
  const char *doubt;  // NULL, or put before errors of the outermost message: "not an ONNX model: "
  // Names fields that could not be read, by wire_message.type; NULL allowed, and NULL for unknown fields.
  const char *(*field_name)(const void *type, uint32_t number);
  weft_diag *d;
  const weft__budget *budget;  // may stop the reading; NULL: nobody does
  uint32_t steps;
} wire_source;

typedef struct wire_message {
  wire_source *src;
  const struct wire_message *up;  // NULL: the outermost message
  const uint8_t *at, *end;        // what is not read yet
  const void *type;               // for the user of the cursor; NULL at first
  // The field being read, for the path of errors.
  const char *name;  // NULL: not known, shown by number; number 0: no field yet
  uint32_t number;
  size_t index;  // of a repeated field; SIZE_MAX otherwise
} wire_message;

typedef struct wire_field {
  uint32_t number;      // 1 .. 2^29-1; 0: end of the message
  uint8_t type;         // WIRE_*
  uint64_t value;       // of VARINT, FIXED32 and FIXED64
  const uint8_t *tag;   // where the field starts
  const uint8_t *data;  // payload; of BYTES without the length, of GROUP with the end tag
  size_t bytes;
} wire_field;

// The whole source as the outermost message; [data, data+bytes) as a message in field `up->name`.
wire_message weft__wire_root(wire_source *src);
wire_message weft__wire_enter(const wire_message *up, const uint8_t *data, size_t bytes);

// Reads the next field; out->number is 0 at the end of the message. Every byte touched lies inside the
// message. Groups come as one field with all they hold. Resets name and index of `m`.
// Errors: E_TRUNCATED (something passes the end of the message), E_CORRUPT (field number 0 or too large,
// wire type 6, 7 or a group end without start, varint of more than 64 bits), E_LIMIT (groups too deep).
WEFT_MUST weft_status weft__wire_next_any(wire_message *m, wire_field *out);
// Nearly every field of a model has a tag of one byte and is a number below 128, or has less than 2^14 bytes:
// those are read here.
static inline weft_status weft__wire_next(wire_message *m, wire_field *out) {
  const uint8_t *p = m->at;
  size_t room = (size_t)(m->end - p);
  if (room < 3 || p[0] < 8 || p[0] >= 0x80)
    return weft__wire_next_any(m, out);
  const uint8_t type = p[0] & 7;
  const bool two = p[1] >= 0x80;  // bytes of the length
  const size_t length = two ? (p[1] & 0x7fu) | (size_t)p[2] << 7 : p[1];
  const size_t head = two ? 3 : 2;
  const bool text = type == WIRE_BYTES && (!two || p[2] < 0x80) && length <= room - head;
  if (!text && (type != WIRE_VARINT || two))
    return weft__wire_next_any(m, out);
  m->name = NULL;
  m->number = out->number = p[0] >> 3;
  m->index = SIZE_MAX;
  out->type = type;
  out->tag = p;
  out->value = text ? 0 : p[1];
  out->data = text ? p + head : p + 1;
  out->bytes = text ? length : 1;
  m->at = out->data + out->bytes;
  return WEFT_OK;
}

// Asked for every field and number that is read: E_LIMIT, E_CANCELLED.
static inline weft_status weft__wire_step(const wire_message *m) {
  return weft__budget_step(m->src->budget, &m->src->steps, m->src->d);
}

// Reads one number of this wire type (VARINT, FIXED32 or FIXED64) and moves *at; for the insides of packed
// fields.
WEFT_MUST weft_status weft__wire_number(const wire_message *m, uint8_t type, const uint8_t **at,
                                        const uint8_t *end, uint64_t *out);
// How many numbers of this wire type a packed field holds. E_CORRUPT when the last one is cut.
WEFT_MUST weft_status weft__wire_packed_count(const wire_message *m, const wire_field *f, uint8_t type,
                                              size_t *out);

const char *weft__wire_type_name(uint8_t type);  // "varint", "64-bit", "length-delimited", ...
// Records "PATH at byte N: <fmt>", N the offset of `at` in the source. Long paths keep their last parts.
weft_status weft__wire_fail(const wire_message *m, const uint8_t *at, weft_status s, const char *fmt, ...)
    WEFT_PRINTF(4, 5);
// SPDX-License-Identifier: Apache-2.0
