// name_dims.c - gives every unknown dim of an input a name: "x_0" for the first of x. The shapes behind it
// become expressions of that name, so a device can be asked about an example of them (examples.h) and dims
// that are equal whatever the input is are known to be. A name stands for any value, as -1 does.
#include "ir/ir.h"
#include "base/allocated.h"
#include "tensor/symbols.h"

// A name that nothing has yet: the input's with what no name may have replaced, and a number where needed.
static size_t fresh_name(const weft_symbols *p, const weft_value *v, uint32_t k, char *buf, size_t cap) {
  size_t at = 0;
  for (const char *s = v->name; *s && at + 1 < cap / 2; s++) {
    bool word = (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (at && *s >= '0' && *s <= '9');
    buf[at++] = word ? *s : '_';
  }
  size_t stem = at;
  weft__append(buf, cap, &at, "_%u", k);
  for (uint32_t again = 2; weft__map_find(&p->name_map, buf, at); again++) {
    at = stem;
    weft__append(buf, cap, &at, "_%u_%u", k, again);
  }
  return at;
}

static weft_status name_dims_of(weft_graph *g, weft_value *v, weft_diag *d) {
  weft_fact *f = &v->fact;
  weft_dim *dims = NULL;
  char name[128];
  for (uint32_t k = 0; k < f->rank; k++) {
    if (f->dims[k] != WEFT_DIM_UNKNOWN)
      continue;
    if (!dims) {
      dims = WEFT_NEW_N(&g->root->arena, weft_dim, f->rank);
      WEFT_TRY(weft__allocated(dims, d));
      memcpy(dims, f->dims, f->rank * sizeof *dims);
      f->dims = dims;
    }
    size_t n = fresh_name(g->root->symbols, v, k, name, sizeof name);
    dims[k] = weft_dim_symbol(g->root->symbols, name, n, f->min ? f->min[k] : 0, f->max ? f->max[k] : -1);
  }
  return WEFT_OK;
}

weft_status weft__name_dims(weft_graph *g, weft_diag *d) {
  for (size_t i = 0; i < g->inputs.n; i++) {
    weft_value *v = g->inputs.v[i];
    if (v->fact.kind == WEFT_KIND_TENSOR && weft__fact_ranked(&v->fact))
      WEFT_TRY(name_dims_of(g, v, d));
  }
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
