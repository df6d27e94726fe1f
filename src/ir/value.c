// value.c - what is known and what is said of values: facts with their arrays in the arena, declarations,
// descriptions. A fact is compact: only live dims are stored. Facts of nodes' outputs are written over in
// place when inference runs again, so a shallow copy of one is good only until then; those of inputs and
// declarations are never written over.
#include "ir/ir.h"
#include "tensor/symbols.h"
#include "tensor/tensor.h"

static const weft_dim no_dims[1];  // what a scalar's dims point at

// ---- facts ----

// Copies n dims, into `old` when that has room for them. `from` NULL gives NULL.
static const weft_dim *copy_dims(weft_arena *a, const weft_dim *from, size_t n, const weft_dim *old,
                                 size_t old_n, bool *failed) {
  if (!from || !n)
    return from ? no_dims : NULL;
  weft_dim *to =
      old && old_n >= n ? (weft_dim *)old : weft__arena_alloc(a, n * sizeof *to, _Alignof(weft_dim));
  if (!to)
    *failed = true;
  else
    memmove(to, from, n * sizeof *to);
  return to;
}

static size_t live_rank(const weft_fact *f) {
  return weft__fact_ranked(f) ? f->rank : 0;
}

// `reuse`: a fact whose arrays may be written over, or NULL.
static weft_status copy_fact(weft_arena *a, const weft_fact *f, const weft_fact *reuse, weft_fact *out,
                             weft_diag *d) {
  static const weft_fact none;
  bool failed = false;
  size_t rank = live_rank(f);
  const weft_fact *old = reuse ? reuse : &none;
  size_t old_rank = live_rank(old);
  weft_fact to = *f;
  to.dims = copy_dims(a, rank ? f->dims : no_dims, rank, old->dims, old_rank, &failed);
  to.min = copy_dims(a, f->min, rank, old->min, old_rank, &failed);
  to.max = copy_dims(a, f->max, rank, old->max, old_rank, &failed);
  to.elems = copy_dims(a, f->elems, f->n_elems, old->elems, old->n_elems, &failed);
  if (failed)
    return weft_fail(d, WEFT_E_NOMEM, "out of memory for what is known of a value");
  *out = to;
  return WEFT_OK;
}

weft_status weft__fact_copy(weft_arena *arena, const weft_fact *f, weft_fact *out, weft_diag *d) {
  return copy_fact(arena, f, NULL, out, d);
}

weft_status weft__value_set_fact(weft_value *v, const weft_fact *f, weft_diag *d) {
  if (v->graph)
    weft__graph_changed(v->graph);
  const weft_fact *reuse = v->origin == WEFT_VALUE_NODE ? &v->fact : NULL;
  return copy_fact(&v->graph->root->arena, f, reuse, &v->fact, d);
}

void weft__value_clear_fact(weft_value *v) {
  WEFT_ASSERT(v->origin == WEFT_VALUE_NODE);
  v->fact = weft__fact_none();
  weft__graph_changed(v->graph);
}

// ---- descriptions ----

static void value_set_shape(weft_shape *s, const weft_dim *dims, size_t rank) {
  s->rank = rank;
  if (rank)
    memcpy(s->dim, dims, rank * sizeof *dims);
}

static void set_storage(const weft_fact *f, weft_tensor_desc *out) {
  weft_shape *storage = &out->layout.storage;
  if (f->value) {
    weft_shape_copy(storage, &f->value->layout.storage);
    return;
  }
  weft_shape_copy(storage, &out->layout.origin);
  if (!weft__fact_ranked(f) || f->format == f->origin_format)
    return;
  weft_shape packed;
  weft_shape_set_scalar(&packed);
  if (!weft_format_storage_shape(&out->layout.origin, f->origin_format, f->format, 0, &packed, NULL))
    weft_shape_copy(storage, &packed);
}

void weft__fact_desc(const weft_fact *f, const char *name, weft_tensor_desc *out) {
  weft_desc_init(out);
  out->name = name;
  out->dtype = f->dtype;
  out->kind = f->kind;
  out->origin_format = f->origin_format;
  out->format = f->format;
  if (!f->set)
    out->layout.origin.rank = WEFT_RANK_UNSET;
  else if (f->unknown_rank)
    weft_shape_set_unknown_rank(&out->layout.origin);
  else
    value_set_shape(&out->layout.origin, f->dims, f->rank);
  set_storage(f, out);
  if (!weft__fact_ranked(f) || !f->min || !f->max)
    return;
  out->has_range = 1;
  value_set_shape(&out->min, f->min, f->rank);
  value_set_shape(&out->max, f->max, f->rank);
}

void weft__declared_desc(const weft_declared *s, const char *name, weft_tensor_desc *out) {
  weft__fact_desc(&s->fact, name, out);
  out->placement = s->placement;
  if (s->storage)
    value_set_shape(&out->layout.storage, s->storage, s->storage_rank);
}

static void describe_value(const weft_value *v, weft_tensor_desc *out) {
  weft__fact_desc(&v->fact, v->name, out);
  if (v->origin == WEFT_VALUE_CONST)
    out->placement = v->fact.value->placement;
  if (v->origin != WEFT_VALUE_INPUT || !v->declared)
    return;
  out->placement = v->declared->placement;
  if (v->declared->storage)
    value_set_shape(&out->layout.storage, v->declared->storage, v->declared->storage_rank);
}

void weft_value_desc_sized(const weft_value *v, weft_tensor_desc *out, size_t out_bytes) {
  if (!v || !out)
    return;
  if (out_bytes == sizeof *out) {
    describe_value(v, out);
    return;
  }
  weft_tensor_desc own;
  describe_value(v, &own);
  weft__sized_fill(out, out_bytes, &own, sizeof own);
}

// ---- declarations ----

static weft_status value_check_shape(const weft_graph *g, const char *place, const char *what,
                                     const weft_shape *s, weft_diag *d) {
  size_t unused;
  if (s->rank == WEFT_RANK_UNSET || weft_shape_is_unknown_rank(s))
    return WEFT_OK;
  if (s->rank > WEFT_MAX_RANK) {
    return weft_fail(d, WEFT_E_LIMIT, "%s: %s rank %zu is over the limit of %d", place, what, s->rank,
                     WEFT_MAX_RANK);
  }
  for (size_t i = 0; i < s->rank; i++) {
    if (s->dim[i] >= WEFT_DIM_UNKNOWN)
      continue;
    if (weft_dim_is_symbol(s->dim[i]) && weft__symbol_index(g->root->symbols, s->dim[i], &unused))
      continue;
    return weft_fail(d, WEFT_E_INVALID,
                     "%s: %s dim %zu is %lld: expected a size, -1 or a symbol of the graph", place, what, i,
                     (long long)s->dim[i]);
  }
  return WEFT_OK;
}

static weft_status check_range(const char *place, const weft_tensor_desc *desc, weft_diag *d) {
  const weft_shape *s = &desc->layout.origin;
  const weft_shape *min = &desc->min;
  const weft_shape *max = &desc->max;
  if (weft_shape_is_unknown_rank(s) || s->rank == WEFT_RANK_UNSET)
    return weft_fail(d, WEFT_E_INVALID, "%s: a range needs a known rank", place);
  if (min->rank != s->rank || max->rank != s->rank) {
    return weft_fail(d, WEFT_E_SHAPE, "%s: the range has ranks %zu and %zu, the shape has rank %zu", place,
                     min->rank, max->rank, s->rank);
  }
  for (size_t i = 0; i < s->rank; i++) {
    if (min->dim[i] < 0 || max->dim[i] < -1 || (max->dim[i] >= 0 && min->dim[i] > max->dim[i])) {
      return weft_fail(d, WEFT_E_RANGE, "%s: the range of dim %zu is %lld to %lld", place, i,
                       (long long)min->dim[i], (long long)max->dim[i]);
    }
  }
  return WEFT_OK;
}

static weft_status check_desc(const weft_graph *g, const char *place, const weft_tensor_desc *desc,
                              weft_diag *d) {
  if (!weft_dtype_known(desc->dtype))
    return weft_fail(d, WEFT_E_DTYPE, "%s: %d is not a dtype", place, (int)desc->dtype);
  if (desc->kind >= WEFT__KINDS)
    return weft_fail(d, WEFT_E_INVALID, "%s: %d is not a kind of value", place, desc->kind);
  if (!weft_format_known(desc->format) || !weft_format_known(desc->origin_format)) {
    return weft_fail(d, WEFT_E_FORMAT, "%s: 0x%x with origin 0x%x: not a known format", place,
                     (unsigned)desc->format, (unsigned)desc->origin_format);
  }
  WEFT_TRY(value_check_shape(g, place, "the origin shape's", &desc->layout.origin, d));
  WEFT_TRY(value_check_shape(g, place, "the storage shape's", &desc->layout.storage, d));
  return desc->has_range ? check_range(place, desc, d) : WEFT_OK;
}

weft_status weft__declared_make(weft_graph *g, const char *place, const weft_tensor_desc *desc,
                                weft_declared **out, weft_diag *d) {
  const weft_shape *origin = &desc->layout.origin;
  const weft_shape *storage = &desc->layout.storage;
  WEFT_TRY(check_desc(g, place, desc, d));
  weft_declared *s = WEFT_NEW(&g->root->arena, weft_declared);
  if (!s)
    return weft_fail(d, WEFT_E_NOMEM, "%s: out of memory", place);
  weft_fact f = {.dtype = desc->dtype,
                 .item_dtype = desc->kind == WEFT_KIND_TENSOR ? (uint8_t)WEFT_UNDEFINED : desc->dtype,
                 .kind = desc->kind,
                 .set = origin->rank != WEFT_RANK_UNSET,
                 .unknown_rank = weft_shape_is_unknown_rank(origin),
                 .origin_format = desc->origin_format,
                 .format = desc->format,
                 .dims = origin->dim};
  if (weft__fact_ranked(&f))
    f.rank = (uint8_t)origin->rank;
  if (desc->has_range) {
    f.min = desc->min.dim;
    f.max = desc->max.dim;
  }
  WEFT_TRY(copy_fact(&g->root->arena, &f, NULL, &s->fact, d));
  s->placement = desc->placement;
  *out = s;
  if (storage->rank == WEFT_RANK_UNSET || weft_shape_is_unknown_rank(storage) ||
      weft_shape_equal(storage, origin))
    return WEFT_OK;
  bool failed = false;
  s->storage_rank = (uint8_t)storage->rank;
  s->storage = copy_dims(&g->root->arena, storage->dim, storage->rank, NULL, 0, &failed);
  return failed ? weft_fail(d, WEFT_E_NOMEM, "%s: out of memory", place) : WEFT_OK;
}

weft_status weft_value_declare(weft_value *v, const weft_tensor_desc *desc, weft_diag *d) {
  WEFT_NEED(d, v);
  WEFT_NEED(d, desc);
  char place[512];
  size_t n = 0;
  weft_declared *said;
  if (!v->graph)
    return weft_fail(d, WEFT_E_STATE, "value '%s' was removed and cannot be declared", v->name);
  weft__append(place, sizeof place, &n, "graph '%s': value '%s'", v->graph->name, v->name);
  WEFT_TRY(weft__declared_make(v->graph, place, desc, &said, d));
  v->declared = said;
  weft__graph_changed(v->graph);
  return WEFT_OK;
}

// ---- reading ----

int weft_value_origin(const weft_value *v) {
  if (!v)
    return -1;
  return v->origin;
}
const char *weft_value_name(const weft_value *v) {
  if (!v)
    return "";
  return v->name;
}
size_t weft_value_n_uses(const weft_value *v) {
  if (!v)
    return 0;
  return (size_t)v->n_uses + v->n_outputs;
}
weft_dtype weft_value_dtype(const weft_value *v) {
  if (!v)
    return WEFT_UNDEFINED;
  return v->fact.dtype;
}

weft_node *weft_value_node(const weft_value *v, uint32_t *out_index) {
  if (!v)
    return NULL;
  if (v->node && out_index)
    *out_index = v->index;
  return v->node;
}

bool weft__value_has_data(const weft_value *v) {
  const weft_tensor *t = v->fact.value;
  return t && (t->data || t->kind != WEFT_KIND_TENSOR || weft_tensor_elems(t) == 0 ||
               weft__is_remade(v->graph, t));
}

// Who asks may keep the pointer: from now on the data stay where they are.
const weft_tensor *weft_value_data(const weft_value *v) {
  if (!v)
    return NULL;
  if (!weft__value_has_data(v) || weft__remake_wake(v->graph, v->fact.value, true, NULL))
    return NULL;
  return v->fact.value;
}
// SPDX-License-Identifier: Apache-2.0
