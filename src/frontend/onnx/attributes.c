// attributes.c - which attributes an ONNX operator has in a version, and of which type: the prototypes of
// ONNX, and of the operators that ONNX Runtime adds, as rows of text, "axis:i perm:I". Letters: f float, i
// int, s string, t tensor, g graph, p sparse tensor, y type; capitals: lists of them. Ordered by operator; a
// look-up is a binary search.
#include "frontend/onnx/report.h"

typedef struct row {
  const char *op, *domain;
  int16_t first, last;  // last 0: all later ones
  const char *attrs;
} row;

static const row rows[] = {
#include "frontend/onnx/attributes.inc"
};
static const row ms_rows[] = {
#include "frontend/onnx/attributes_ms.inc"
};

static int attributes_compare(const char *name, onnx_str s) {
  size_t n = strlen(name);
  int order = memcmp(name, onnx_str_text(s), WEFT_MIN(n, s.bytes));
  return order ? order : (n > s.bytes) - (n < s.bytes);
}

static const char *find_attrs(const row *table, size_t n, onnx_str domain, onnx_str op, int64_t version) {
  size_t low = 0;
  size_t high = n;
  while (low < high) {
    size_t mid = low + (high - low) / 2;
    if (attributes_compare(table[mid].op, op) < 0)
      low = mid + 1;
    else
      high = mid;
  }
  bool ours = onnx_str_is(domain, "ai.onnx");
  for (; low < n && !attributes_compare(table[low].op, op); low++) {
    const row *r = &table[low];
    if (version >= r->first && (!r->last || version <= r->last) &&
        (ours ? !*r->domain : !attributes_compare(r->domain, domain)))
      return r->attrs;
  }
  return NULL;
}

const char *weft__onnx_attributes(onnx_str domain, onnx_str op, int64_t version) {
  const char *attrs = find_attrs(rows, WEFT_COUNT(rows), domain, op, version);
  return attrs ? attrs : find_attrs(ms_rows, WEFT_COUNT(ms_rows), domain, op, version);
}

int weft__onnx_attribute_kind(const char *attrs, onnx_str name) {
  static const char letters[] = "?fistgFISTGpPyY";  // in the order of ONNX_ATTR_*
  for (const char *at = attrs; *at;) {
    size_t n = strcspn(at, ":");
    if (n == name.bytes && !memcmp(at, onnx_str_text(name), n))
      return (int)(strchr(letters, at[n + 1]) - letters);
    at += n + 2;
    at += *at == ' ';
  }
  return ONNX_ATTR_UNDEFINED;
}
// SPDX-License-Identifier: Apache-2.0
