// kinds.c - what the importer knows of an operator in a version: how it is mapped, and which attributes it
// has. A model uses few operators many times, so the last ones are remembered: O(1) for those.
#include "frontend/onnx/report.h"

enum { SLOTS = 64, WAYS = 2 };  // a power of two; operators that share a slot

typedef struct way {
  onnx_str domain, type;
  int64_t version;
  onnx_kind kind;
  bool set;
} way;
struct onnx_kinds {
  way slot[SLOTS][WAYS];
};

onnx_kinds *onnx_kinds_make(weft_arena *arena) {
  return WEFT_NEW(arena, onnx_kinds);
}

const onnx_kind *onnx_kind_of(onnx_kinds *k, onnx_str domain, onnx_str type, int64_t version) {
  way *slot = k->slot[weft__hash(type.text, type.bytes) & (SLOTS - 1)];
  for (size_t i = 0; i < WAYS; i++) {
    const way *w = &slot[i];
    if (w->set && w->version == version && onnx_str_same(w->type, type) && onnx_str_same(w->domain, domain))
      return &w->kind;
  }
  memmove(slot + 1, slot, (WAYS - 1) * sizeof *slot);  // the oldest one goes
  *slot = (way){.domain = domain, .type = type, .version = version, .set = true};
  slot->kind.map = weft__onnx_find(domain, type, version);
  slot->kind.attributes = weft__onnx_attributes(domain, type, version);
  return &slot->kind;
}
// SPDX-License-Identifier: Apache-2.0
