// message.h - fills C structs from protobuf messages, driven by tables: one line says field number, type and
// place. A struct begins with `uint64_t offset`, the place of its message in the file. Repeated fields are
// PB_LIST(T), with exactly as many elements as the bytes hold; nested singular messages are pointers, NULL
// when absent.
// Rules: unknown fields are skipped; a known field of another wire type is an error; repeated numbers come
// packed, one by one, or mixed; of a singular field the last one wins (nested messages too: protobuf would
// merge them). Integers of 32 bits take the low half of the varint. Strings and bytes are views into the
// file; UTF-8 is not checked.
// Cost: a message's tags are read twice (count, then fill), so linear time; numbers and structs go to the
// arena. Recursion follows the tables; types that can contain themselves must set max_depth.
#pragma once
#include "frontend/onnx/wire.h"

#define PB_LIST(T) \
  struct {         \
    const T *v;    \
    size_t n;      \
  }

typedef struct onnx_str {  // a view: not zero-terminated, any bytes
  const char *text;
  size_t bytes;
} onnx_str;
typedef PB_LIST(onnx_str) onnx_strs;
// What is printed with "%.*s" or given to memcmp: never NULL.
static inline const char *onnx_str_text(onnx_str s) {
  return s.text ? s.text : "";
}

enum { PB_MAX_FIELDS = 24 };
// STR and NAME are onnx_str, MSG is any struct. A NAME has no zero byte: what is looked up by its bytes here
// is a zero-terminated text further on, and both must mean the same.
enum { PB_I32, PB_I64, PB_U64, PB_F32, PB_F64, PB_STR, PB_NAME, PB_MSG };

struct pb_type;
typedef struct pb_field {
  uint8_t number, kind;
  bool repeated;
  uint8_t mark;          // written to the uint8_t at mark_at: presence, or which one of a `oneof`
  uint16_t at, mark_at;  // offsets in the struct; mark_at 0: none
  const char *name;
  const struct pb_type *type;  // of PB_MSG
} pb_field;

typedef struct pb_type {
  const char *name;
  size_t bytes, align;
  const pb_field *fields;
  size_t n_fields;     // <= PB_MAX_FIELDS
  uint32_t max_depth;  // how often a message of this type may lie inside another one of it; 0: cannot
} pb_type;

// A wire_source.field_name for sources whose messages are read by weft__pb_read.
const char *weft__pb_field_name(const void *type, uint32_t number);

// Reads `m` (a fresh cursor) into `out`, a zeroed struct of t->bytes.
// Errors: those of the wire; E_TYPE (wire type does not fit the field), E_CORRUPT (a zero byte in a name),
// E_LIMIT (max_depth), E_NOMEM.
WEFT_MUST weft_status weft__pb_read(wire_message *m, const pb_type *t, weft_arena *arena, void *out);
// SPDX-License-Identifier: Apache-2.0
