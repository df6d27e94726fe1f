// tables.c - the tables of the importer, and the look-up in them. A table belongs to a group of operators:
// map.c holds those of ONNX's own domains, each file ms_*.c the rows of the functions above them. A row names
// its domain, so that one name may stand for different operators (Attention, Gelu). Adding a group is a file
// and a line here.
#include "frontend/onnx/import.h"

// clang-format off
#define ONNX_TABLES(X) \
  X(map) \
  X(ms_activation) \
  X(ms_attention) \
  X(ms_data) \
  X(ms_fused) \
  X(ms_group) \
  X(ms_moe) \
  X(ms_nbits) \
  X(ms_nchwc) \
  X(ms_norm) \
  X(ms_packed) \
  X(ms_qlinear) \
  X(ms_qproduct)
// clang-format on

#define ONNX_X(name) extern const onnx_mappings weft__onnx_##name;
ONNX_TABLES(ONNX_X)
#undef ONNX_X

const onnx_mappings *const weft__onnx_tables[] = {
#define ONNX_X(name) &weft__onnx_##name,
    ONNX_TABLES(ONNX_X)
#undef ONNX_X
};
const size_t weft__onnx_table_count = WEFT_COUNT(weft__onnx_tables);

// Is the row's name before `s`?
static bool tables_before(const onnx_mapping *m, onnx_str s) {
  size_t n = strlen(m->name);
  int order = memcmp(m->name, s.text, WEFT_MIN(n, s.bytes));
  return order ? order < 0 : n < s.bytes;
}

static bool same_domain(const char *ours, onnx_str given) {
  bool onnx = !given.bytes || onnx_str_is(given, "ai.onnx");
  return ours ? onnx_str_is(given, ours) : onnx;
}

static const onnx_mapping *find_row(const onnx_mappings *t, onnx_str domain, onnx_str op_type,
                                    int64_t version) {
  size_t lo = 0;
  size_t hi = t->n;
  while (lo < hi) {
    size_t mid = lo + (hi - lo) / 2;
    if (tables_before(&t->rows[mid], op_type))
      lo = mid + 1;
    else
      hi = mid;
  }
  for (; lo < t->n && onnx_str_is(op_type, t->rows[lo].name); lo++) {
    const onnx_mapping *m = &t->rows[lo];
    if (same_domain(m->domain, domain) && version >= m->first && (!m->last || version <= m->last))
      return m;
  }
  return NULL;
}

const onnx_mapping *weft__onnx_find(onnx_str domain, onnx_str op_type, int64_t version) {
  const onnx_mapping *m = NULL;
  for (size_t i = 0; op_type.bytes && !m && i < weft__onnx_table_count; i++)
    m = find_row(weft__onnx_tables[i], domain, op_type, version);
  return m;
}
// SPDX-License-Identifier: Apache-2.0
