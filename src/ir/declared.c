// declared.c - what a model declares of a node's output, beside what rules and runs find. A declaration is a
// claim: compared, shown, and never believed (weft_declared in ir.h).
#include "ir/ir.h"
#include "tensor/tensor.h"

static void declared_dims(weft_shape *s, const weft_dim *dims, size_t rank) {
  s->rank = rank;
  if (rank)
    memcpy(s->dim, dims, rank * sizeof *dims);
}

static bool declared_dim_agrees(weft_dim said, const weft_fact *found, uint32_t i) {
  if (said < 0)
    return true;
  if (found->dims[i] >= 0)
    return said == found->dims[i];
  return !found->min || weft_range_contains(found->min[i], found->max[i], said);
}

// Shapes of sequences' items are left alone: models declare one for all of them, and get it wrong.
static bool declared_agrees(const weft_fact *said, const weft_fact *found) {
  if (!weft__fact_ranked(said) || found->unknown_rank || found->kind != WEFT_KIND_TENSOR)
    return true;
  if (said->rank != found->rank)
    return false;
  for (uint32_t i = 0; i < said->rank; i++) {
    if (!declared_dim_agrees(said->dims[i], found, i))
      return false;
  }
  return true;
}

// "[-1,-1]", and of a dim whose range leaves out what is declared: " (dim 1 is 1 to 4)".
static void declared_found_text(const weft_fact *said, const weft_fact *found, const weft_symbols *symbols,
                                char *text, size_t cap) {
  weft_shape s;
  weft__fact_shape(found, &s);
  weft_shape_text(&s, symbols, text, cap);
  size_t at = strlen(text);
  if (found->unknown_rank || said->rank != found->rank)
    return;
  for (uint32_t i = 0; i < said->rank; i++) {
    if (found->dims[i] >= 0 || declared_dim_agrees(said->dims[i], found, i))
      continue;
    weft__append(text, cap, &at, " (dim %u is %lld to ", i, (long long)found->min[i]);
    if (found->max[i] < 0)
      weft__append(text, cap, &at, "any)");
    else
      weft__append(text, cap, &at, "%lld)", (long long)found->max[i]);
    return;
  }
}

static weft_status declared_refuted(weft_value *v, const weft_fact *found, weft_diag *d) {
  const weft_env *e = v->graph->root->env;
  const weft_symbols *symbols = v->graph->root->symbols;
  char declared[256];
  char is[320];
  weft_shape x;
  weft__fact_shape(&v->declared->fact, &x);
  weft_shape_text(&x, symbols, declared, sizeof declared);
  declared_found_text(&v->declared->fact, found, symbols, is, sizeof is);
  if (e->options.strict_shapes) {
    return weft_fail(d, WEFT_E_SHAPE, "value '%s': the model declares shape %s, inference found %s", v->name,
                     declared, is);
  }
  if (!__atomic_exchange_n(&v->declared->refuted, true, __ATOMIC_RELAXED))  // several execs run one program
    weft_env_log(
        e, WEFT_LOG_WARNING,
        "value '%s' of node '%s' (%s): the model declares shape %s, inference found %s, which is used",
        v->name, weft__node_name(v->node), weft__node_type(v->node), declared, is);
  return WEFT_OK;
}

weft_status weft__declared_check(weft_value *v, const weft_fact *found, weft_diag *d) {
  if (!v->declared)
    return WEFT_OK;
  const weft_fact *m = &v->declared->fact;
  if (m->dtype != WEFT_UNDEFINED && found->dtype != m->dtype) {
    return weft_fail(d, WEFT_E_DTYPE, "value '%s': the model declares %s, inference found %s", v->name,
                     weft_dtype_serial(m->dtype), weft_dtype_serial(found->dtype));
  }
  if (m->kind != found->kind) {
    return weft_fail(d, WEFT_E_TYPE, "value '%s': the model declares %s, inference found %s", v->name,
                     weft__kind_word(m->kind), weft__kind_word(found->kind));
  }
  return declared_agrees(m, found) ? WEFT_OK : declared_refuted(v, found, d);
}

static void expect_value(const weft_value *v, weft_tensor_desc *out) {
  const weft_fact *m = v->declared ? &v->declared->fact : NULL;
  weft_value_desc(v, out);
  if (!m || v->origin != WEFT_VALUE_NODE || !weft__fact_ranked(m))
    return;
  if (!v->fact.set || !declared_agrees(m, &v->fact))
    return;
  weft_shape *s = &out->layout.origin;
  if (v->fact.unknown_rank) {
    declared_dims(s, m->dims, m->rank);
  } else {
    for (uint32_t i = 0; i < m->rank; i++) {
      if (s->dim[i] == WEFT_DIM_UNKNOWN)
        s->dim[i] = m->dims[i];
    }
  }
  if (v->fact.format == v->fact.origin_format)
    weft_shape_copy(&out->layout.storage, s);
  if (out->has_range || !m->min || !m->max)
    return;
  out->has_range = 1;
  declared_dims(&out->min, m->min, m->rank);
  declared_dims(&out->max, m->max, m->rank);
}

void weft_value_expected_sized(const weft_value *v, weft_tensor_desc *out, size_t out_bytes) {
  if (!v || !out)
    return;
  weft_tensor_desc own;
  expect_value(v, &own);
  weft__sized_fill(out, out_bytes, &own, sizeof own);
}
// SPDX-License-Identifier: Apache-2.0
