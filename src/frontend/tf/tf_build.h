// tf_build.h - protobuf of TensorFlow byte by byte, for tests.
#pragma once
#include <stdint.h>
#include <string.h>

typedef struct tf_made_bytes {
  uint8_t v[16384];
  size_t n;
} tf_made_bytes;

static inline void tf_put_number(tf_made_bytes *b, uint64_t x) {
  for (; x >= 0x80; x >>= 7)
    b->v[b->n++] = (uint8_t)(x | 0x80);
  b->v[b->n++] = (uint8_t)x;
}
static inline void tf_put_int(tf_made_bytes *b, uint32_t field, uint64_t x) {
  tf_put_number(b, field << 3);
  tf_put_number(b, x);
}
static inline void tf_put_data(tf_made_bytes *b, uint32_t field, const void *data, size_t n) {
  tf_put_number(b, field << 3 | 2);
  tf_put_number(b, n);
  memcpy(b->v + b->n, data, n);
  b->n += n;
}
static inline void tf_put_text(tf_made_bytes *b, uint32_t field, const char *text) {
  tf_put_data(b, field, text, strlen(text));
}
static inline void tf_put_message(tf_made_bytes *b, uint32_t field, const tf_made_bytes *m) {
  tf_put_data(b, field, m->v, m->n);
}

// attr { key value { .. } }
static inline void tf_put_attr(tf_made_bytes *node, const char *key, const tf_made_bytes *value) {
  tf_made_bytes entry = {.n = 0};
  tf_put_text(&entry, 1, key);
  tf_put_message(&entry, 2, value);
  tf_put_message(node, 5, &entry);
}
static inline void tf_put_type(tf_made_bytes *node, const char *key, uint64_t type) {
  tf_made_bytes value = {.n = 0};
  tf_put_int(&value, 6, type);
  tf_put_attr(node, key, &value);
}
static inline tf_made_bytes tf_shape_of(uint64_t size) {
  tf_made_bytes dim = {.n = 0};
  tf_made_bytes shape = {.n = 0};
  tf_put_int(&dim, 1, size);
  tf_put_message(&shape, 2, &dim);
  return shape;
}
static inline tf_made_bytes tf_node_of(const char *name, const char *op, const char *in0, const char *in1) {
  tf_made_bytes node = {.n = 0};
  tf_put_text(&node, 1, name);
  tf_put_text(&node, 2, op);
  if (in0)
    tf_put_text(&node, 3, in0);
  if (in1)
    tf_put_text(&node, 3, in1);
  return node;
}

// list { s or i or type or func: items of one field of AttrValue.ListValue }
static inline void tf_put_value(tf_made_bytes *node, const char *key, uint32_t field,
                                const tf_made_bytes *v) {
  tf_made_bytes value = {.n = 0};
  tf_put_message(&value, field, v);
  tf_put_attr(node, key, &value);
}
static inline void tf_put_function(tf_made_bytes *node, const char *key, const char *name) {
  tf_made_bytes func = {.n = 0};
  tf_put_text(&func, 1, name);
  tf_put_value(node, key, 10, &func);
}
// SPDX-License-Identifier: Apache-2.0
