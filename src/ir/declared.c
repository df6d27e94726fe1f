// declared.c - what a model declares of a node's output, beside what rules and runs find. A declaration is a
// claim: compared, shown, and never believed (weft_declared in ir.h).
#include "ir/ir.h"
#include "tensor/tensor.h"

static void declared_dims(weft_shape *s, const weft_dim *dims, size_t rank) {
  s->rank = rank;
  if (rank) memcpy(s->dim, dims, rank * sizeof *dims);
}

// Shapes of sequences' items are left alone: models declare one for all of them, and get it wrong.
static bool declared_agrees(const weft_fact *a, const weft_fact *b) {
  if (!a->set || a->unknown_rank || b->unknown_rank || b->kind != WEFT_KIND_TENSOR) return true;
  if (a->rank != b->rank) return false;
  for (uint32_t i = 0; i < a->rank; i++)
    if (a->dims[i] >= 0 && b->dims[i] >= 0 && a->dims[i] != b->dims[i]) return false;
  return true;
}

static weft_status declared_refuted(weft_value *v, const weft_fact *found, weft_diag *d) {
  const weft_env *e = v->graph->root->env;
  const weft_symbols *symbols = v->graph->root->symbols;
  char declared[256], is[256];
  weft_shape x, y;
  weft__fact_shape(&v->declared->fact, &x);
  weft__fact_shape(found, &y);
  weft_shape_text(&x, symbols, declared, sizeof declared);
  weft_shape_text(&y, symbols, is, sizeof is);
  if (e->options.strict_shapes)
    return weft_fail(d, WEFT_E_SHAPE, "value '%s': the model declares shape %s, inference found %s", v->name,
                     declared, is);
  if (!__atomic_exchange_n(&v->refuted, true, __ATOMIC_RELAXED))  // several execs run one program
    weft_env_log(
        e, WEFT_LOG_WARNING,
        "value '%s' of node '%s' (%s): the model declares shape %s, inference found %s, which is used",
        v->name, weft__node_name(v->node), weft__node_type(v->node), declared, is);
  return WEFT_OK;
}

weft_status weft__declared_check(weft_value *v, const weft_fact *found, weft_diag *d) {
  if (!v->declared) return WEFT_OK;
  const weft_fact *m = &v->declared->fact;
  if (m->dtype != WEFT_UNDEFINED && found->dtype != m->dtype)
    return weft_fail(d, WEFT_E_DTYPE, "value '%s': the model declares %s, inference found %s", v->name,
                     weft_dtype_serial(m->dtype), weft_dtype_serial(found->dtype));
  if (m->kind != found->kind)
    return weft_fail(d, WEFT_E_TYPE, "value '%s': the model declares %s, inference found %s", v->name,
                     weft__kind_word(m->kind), weft__kind_word(found->kind));
  return declared_agrees(m, found) ? WEFT_OK : declared_refuted(v, found, d);
}

static void expect_value(const weft_value *v, weft_tensor_desc *out) {
  const weft_fact *m = v->declared ? &v->declared->fact : NULL;
  weft_value_desc(v, out);
  if (!m || v->origin != WEFT_VALUE_NODE || !m->set || m->unknown_rank) return;
  if (!v->fact.set || !declared_agrees(m, &v->fact)) return;
  weft_shape *s = &out->layout.origin;
  if (v->fact.unknown_rank) {
    declared_dims(s, m->dims, m->rank);
  } else {
    for (uint32_t i = 0; i < m->rank; i++)
      if (s->dim[i] == WEFT_DIM_UNKNOWN) s->dim[i] = m->dims[i];
  }
  if (v->fact.format == v->fact.origin_format) weft_shape_copy(&out->layout.storage, s);
  if (out->has_range || !m->min || !m->max) return;
  out->has_range = 1;
  declared_dims(&out->min, m->min, m->rank);
  declared_dims(&out->max, m->max, m->rank);
}

void weft_value_expected_sized(const weft_value *v, weft_tensor_desc *out, size_t out_bytes) {
  if (!v || !out) return;
  weft_tensor_desc own;
  expect_value(v, &own);
  weft__sized_fill(out, out_bytes, &own, sizeof own);
}
