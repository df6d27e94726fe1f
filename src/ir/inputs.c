// inputs.c - do these tensors fit the inputs of a graph? Dtype, kind, rank, known dims, ranges, equal
// symbols, bytes: checked before anything runs (R138, R169). For the interpreter and for programs.
#include "ir/ir.h"
#include "base/allocated.h"
#include "tensor/tensor.h"

typedef struct bound_symbol {
  weft_dim symbol;
  int64_t value;
  const char *input;
} bound_symbol;

enum { BOUND_HERE = 32 };  // symbols without an allocation: a run of shapes seen before makes none

typedef struct checking {
  const weft_graph *g;
  size_t n_bound;
  bound_symbol here[BOUND_HERE];
  WEFT_VEC(bound_symbol) more;
  weft_diag *d;
} checking;

static const bound_symbol *bound_find(const checking *r, weft_dim symbol) {
  for (size_t i = 0; i < r->n_bound; i++) {
    if (r->here[i].symbol == symbol)
      return &r->here[i];
  }
  for (size_t i = 0; i < r->more.n; i++) {
    if (r->more.v[i].symbol == symbol)
      return &r->more.v[i];
  }
  return NULL;
}

static weft_status bound_add(checking *r, bound_symbol b) {
  if (r->n_bound < BOUND_HERE) {
    r->here[r->n_bound++] = b;
    return WEFT_OK;
  }
  WEFT_TRY(weft__allocated(WEFT_VEC_ROOM(&r->g->root->alloc, r->more), r->d));
  r->more.v[r->more.n++] = b;
  return WEFT_OK;
}

static weft_status check_dim(checking *r, const weft_value *v, uint32_t i, int64_t got) {
  const weft_fact *f = &v->fact;
  int64_t lo = 0;
  int64_t hi = -1;
  if (f->dims[i] >= 0) {
    if (f->dims[i] == got)
      return WEFT_OK;
    return weft_fail(r->d, WEFT_E_SHAPE, "graph input '%s': dim %u is %lld, the graph has %lld", v->name, i,
                     (long long)got, (long long)f->dims[i]);
  }
  if (f->min) {
    lo = f->min[i];
    hi = f->max[i];
  }
  if (weft_dim_is_symbol(f->dims[i])) {
    int64_t slo;
    int64_t shi;
    weft_dim_bounds(r->g->root->symbols, f->dims[i], &slo, &shi);
    lo = WEFT_MAX(lo, slo);
    hi = hi < 0 ? shi : shi < 0 ? hi : WEFT_MIN(hi, shi);
    const bound_symbol *b = bound_find(r, f->dims[i]);
    if (b && b->value != got) {
      char name[128];
      weft_fail(r->d, WEFT_E_SHAPE, "graph input '%s': dim %u is %s = %lld, but input '%s' has %lld there",
                v->name, i, weft_dim_text(r->g->root->symbols, f->dims[i], name, sizeof name), (long long)got,
                b->input, (long long)b->value);
      weft_note(r->d, "a model that was imported with weft_onnx_options.separate_dims may have both");
      return WEFT_E_SHAPE;
    }
    if (!b)
      WEFT_TRY(bound_add(r, (bound_symbol){f->dims[i], got, v->name}));
  }
  if (!weft_range_contains(lo, hi, got)) {
    return weft_fail(r->d, WEFT_E_RANGE, "graph input '%s': dim %u is %lld, the range is [%lld,%lld]",
                     v->name, i, (long long)got, (long long)lo, (long long)hi);
  }
  return WEFT_OK;
}

// Items of sequences and optionals have the dtype of the description and, where they come in, its rank and
// known dims: inside the graph the shape of an item is what the model declares of all of them, and models get
// it wrong.
static weft_status check_items(weft_diag *d, const weft_value *v, const weft_tensor *t, bool shapes,
                               int depth) {
  const weft_fact *f = &v->fact;
  if (depth > WEFT__TENSOR_DEPTH)
    return weft_fail(d, WEFT_E_LIMIT, "value '%s': sequences are nested too deep", v->name);
  bool map = weft__kind_is_map(t->kind);
  if (map)
    WEFT_TRY(weft__map_check(t, d));
  if (map && !t->items[0]->data)
    return weft_fail(d, WEFT_E_MISSING, "value '%s': its keys have no data", v->name);
  for (size_t i = map ? 1 : 0; i < t->n_items; i++) {
    const weft_tensor *item = t->items[i];
    if (weft__kind_has_items(item->kind)) {
      WEFT_TRY(check_items(d, v, item, shapes, depth + 1));
      continue;
    }
    if (f->dtype != WEFT_UNDEFINED && item->dtype != f->dtype) {
      return weft_fail(d, WEFT_E_DTYPE, "value '%s': item %zu is %s, expected %s", v->name, i,
                       weft_dtype_serial(item->dtype), weft_dtype_serial(f->dtype));
    }
    if (!item->data)
      return weft_fail(d, WEFT_E_MISSING, "value '%s': item %zu has no data", v->name, i);
    bool same = !shapes || !weft__fact_ranked(f) || f->rank == item->layout.origin.rank;
    for (uint32_t k = 0; shapes && same && f->set && k < f->rank; k++)
      same = f->dims[k] < 0 || f->dims[k] == item->layout.origin.dim[k];
    if (same)
      continue;
    weft_shape s;
    char a[256];
    char b[256];
    weft__fact_shape(f, &s);
    return weft_fail(d, WEFT_E_SHAPE, "value '%s': item %zu has shape %s, expected %s", v->name, i,
                     weft_shape_text(&item->layout.origin, NULL, a, sizeof a),
                     weft_shape_text(&s, v->graph->root->symbols, b, sizeof b));
  }
  return WEFT_OK;
}

static weft_status check_input(checking *r, const weft_value *v, const weft_tensor *t) {
  const weft_fact *f = &v->fact;
  if (!t)
    return weft_fail(r->d, WEFT_E_MISSING, "graph input '%s' is not given", v->name);
  if (f->dtype != WEFT_UNDEFINED && t->dtype != f->dtype) {
    return weft_fail(r->d, WEFT_E_DTYPE, "graph input '%s': expected %s, got %s", v->name,
                     weft_dtype_serial(f->dtype), weft_dtype_serial(t->dtype));
  }
  bool item = (f->kind == WEFT_KIND_OPTIONAL && t->kind == WEFT_KIND_TENSOR) ||
              (f->kind == WEFT_KIND_OPTIONAL_SEQUENCE &&
               t->kind == WEFT_KIND_SEQUENCE);  // a value for an optional one
  if (t->kind != f->kind && !item) {
    return weft_fail(r->d, WEFT_E_TYPE, "graph input '%s': expected %s, got %s", v->name,
                     weft__kind_word(f->kind), weft__kind_word(t->kind));
  }
  if (t->kind != WEFT_KIND_TENSOR)
    return check_items(r->d, v, t, !r->g->parent, 0);
  int64_t elems;
  char text[256];
  weft_shape_text(&t->layout.origin, NULL, text, sizeof text);
  if (weft_shape_elems(&t->layout.origin, &elems) || elems < 0)
    return weft_fail(r->d, WEFT_E_SHAPE, "graph input '%s': shape %s is not complete", v->name, text);
  int64_t need = weft_dtype_bytes(elems, t->dtype);
  if (!t->data || need < 0 || t->bytes < (size_t)need) {
    return weft_fail(r->d, WEFT_E_SHAPE, "graph input '%s': shape %s needs %lld bytes, the tensor has %zu",
                     v->name, text, (long long)need, t->data ? t->bytes : 0);
  }
  elems = weft_tensor_elems(t);
  need = elems < 0 ? -1 : weft_dtype_bytes(elems, t->dtype);
  if (need < 0 || t->bytes < (size_t)need) {
    return weft_fail(r->d, WEFT_E_SHAPE,
                     "graph input '%s': storage shape %s needs %lld bytes, the tensor has %zu", v->name,
                     weft_shape_text(&t->layout.storage, NULL, text, sizeof text), (long long)need, t->bytes);
  }
  weft_shape_text(&t->layout.origin, NULL, text, sizeof text);
  if (!weft__fact_ranked(f))
    return WEFT_OK;
  if (t->layout.origin.rank != f->rank) {
    return weft_fail(r->d, WEFT_E_SHAPE, "graph input '%s': expected rank %u, got %zu (shape %s)", v->name,
                     f->rank, t->layout.origin.rank, text);
  }
  for (uint32_t i = 0; i < f->rank; i++)
    WEFT_TRY(check_dim(r, v, i, t->layout.origin.dim[i]));
  return WEFT_OK;
}

weft_status weft__check_inputs(const weft_graph *g, const weft_tensor *const *in, size_t n_in, weft_diag *d) {
  checking r;
  r.g = g;
  r.d = d;
  r.n_bound = 0;
  memset(&r.more, 0, sizeof r.more);
  if (n_in != g->inputs.n)
    return weft_fail(d, WEFT_E_INVALID, "graph '%s' has %zu inputs, got %zu", g->name, g->inputs.n, n_in);
  weft_status s = WEFT_OK;
  for (size_t i = 0; !s && i < n_in; i++)
    s = check_input(&r, g->inputs.v[i], in[i]);
  WEFT_VEC_FREE(&g->root->alloc, r.more);
  return s;
}

weft_status weft__check_value(const weft_value *v, const weft_tensor *t, weft_diag *d) {
  const weft_fact *f = &v->fact;
  if (!f->set)
    return WEFT_OK;
  if (t->kind != f->kind) {
    return weft_fail(d, WEFT_E_TYPE, "value '%s': %s when run, %s when inferred", v->name,
                     weft__kind_word(t->kind), weft__kind_word(f->kind));
  }
  if (t->kind != WEFT_KIND_TENSOR)
    return check_items(d, v, t, false, 0);
  if (f->dtype != t->dtype) {
    return weft_fail(d, WEFT_E_DTYPE, "value '%s': %s when run, %s when inferred", v->name,
                     weft_dtype_serial(t->dtype), weft_dtype_serial(f->dtype));
  }
  bool same = f->unknown_rank || f->rank == t->layout.origin.rank;
  for (uint32_t i = 0; same && i < f->rank; i++) {
    int64_t got = t->layout.origin.dim[i];
    same = f->dims[i] < 0 || f->dims[i] == got;
    if (f->min && same && !weft_range_contains(f->min[i], f->max[i], got)) {
      return weft_fail(d, WEFT_E_RANGE,
                       "value '%s': dim %u is %lld when run, outside the inferred range [%lld,%lld]", v->name,
                       i, (long long)got, (long long)f->min[i], (long long)f->max[i]);
    }
  }
  if (same)
    return WEFT_OK;
  weft_shape s;
  char a[256];
  char b[256];
  weft__fact_shape(f, &s);
  return weft_fail(d, WEFT_E_SHAPE, "value '%s': shape %s when run, %s when inferred", v->name,
                   weft_shape_text(&t->layout.origin, NULL, a, sizeof a),
                   weft_shape_text(&s, v->graph->root->symbols, b, sizeof b));
}
// SPDX-License-Identifier: Apache-2.0
