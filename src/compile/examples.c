// examples.c - see examples.h.
#include "compile/examples.h"

#include "tensor/symbols.h"
#include "op/infer_node.h"

enum {
  USUAL = 64,       // a name without an upper bound
  LARGEST = 65536,  // of an example
};

static bool among(const weft_fact *f, int64_t n) {
  for (uint32_t k = 0; weft__fact_ranked(f) && k < f->rank; k++) {
    if (f->dims[k] == n)
      return true;
  }
  return false;
}

static bool is_a_dim(const weft_graph *g, int64_t n) {
  for (size_t i = 0; i < g->inputs.n; i++) {
    if (among(&g->inputs.v[i]->fact, n))
      return true;
  }
  for (size_t i = 0; i < g->consts.n; i++) {
    if (among(&g->consts.v[i]->fact, n))
      return true;
  }
  for (const weft_node *k = g->first; k; k = k->next) {
    for (uint32_t i = 0; i < k->desc.pub.n_out; i++) {
      if (among(&k->out[i].fact, n))
        return true;
    }
  }
  return false;
}

static int64_t examples_value_of(void *ctx, uint32_t id, int64_t lo, int64_t hi) {
  weft__examples *e = ctx;
  if (id >= e->n)
    return -1;
  if (e->value[id])
    return e->value[id];
  int64_t v = hi <= LARGEST ? WEFT_MAX(hi, 1) : WEFT_MAX(USUAL, WEFT_MIN(lo, LARGEST));
  for (bool taken = true; taken; v += taken) {
    taken = is_a_dim(e->g, v);
    for (size_t i = 0; i < e->n && !taken; i++)
      taken = e->value[i] == v;
  }
  return e->value[id] = v;
}

weft_status weft__examples_init(weft__examples *e, const weft_graph *g, weft_arena *mem, weft_diag *d) {
  const weft_symbols *s = g->root->symbols;
  *e = (weft__examples){.g = g, .n = s ? s->atoms.n : 0};
  e->value = WEFT_NEW_N(mem, int64_t, e->n + 1);
  return e->value ? WEFT_OK : weft_fail(d, WEFT_E_NOMEM, "out of memory");
}

bool weft__example_layout(weft__examples *e, const weft_fact *f, weft_layout *out) {
  weft_tensor_desc full;
  weft__fact_desc(f, "", &full);
  *out = full.layout;
  if (weft__fact_known(f))
    return true;
  if (!weft__fact_ranked(f) || weft__format_packed(f->format))
    return false;
  for (size_t k = 0; k < out->origin.rank; k++) {
    int64_t v;
    if (!weft__dim_eval(e->g->root->symbols, out->origin.dim[k], examples_value_of, e, &v))
      return false;
    out->origin.dim[k] = v;
  }
  weft_shape_copy(&out->storage, &out->origin);
  return true;
}

uint64_t weft__example_bytes(weft__examples *e, const weft_fact *f) {
  weft_layout l;
  int64_t n;
  if (f->kind != WEFT_KIND_TENSOR || !weft__example_layout(e, f, &l))
    return 0;
  n = weft_shape_elems(&l.origin, &n) ? -1 : n;
  n = n < 0 ? -1 : weft_dtype_bytes(n, f->dtype);
  return n < 0 ? 0 : (uint64_t)n;
}
// SPDX-License-Identifier: Apache-2.0
