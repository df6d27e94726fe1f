// laws_infer.c - laws 3 and 4: inference that knows less never contradicts inference that knows everything.
// Values are taken away, dims and ranks become unknown or symbols whose names end in their value, dims get
// ranges around it.
#include "op/laws.h"

static void forget_value(weft__laws *l, uint32_t i) {
  l->trial.fact[i].value = NULL;
}

static bool has_dims(const weft__laws *l, uint32_t i) {
  return l->trial.fact[i].kind == WEFT_KIND_TENSOR && !l->trial.fact[i].unknown_rank;
}

// May its dims be taken away and its value kept? Not when inference reads the value.
static bool free_dims(const weft__laws *l, uint32_t i) {
  return has_dims(l, i) && !(l->trial.fact[i].value && weft__law_value_used(l, i));
}

static void infer_and_compare(weft__laws *l, const char *law, const char *how) {
  weft_diag d;
  weft_diag_clear(&d);
  weft_status s = weft__trial_infer(&l->trial, WEFT_STAGE_BUILD, &d);
  weft__law_consistent(l, s, &d, law, how);
}

static void one_input(weft__laws *l, uint32_t i) {
  weft__trial *t = &l->trial;
  char how[64];
  for (uint32_t k = 0; k < t->tensor[i]->layout.origin.rank && has_dims(l, i); k++) {
    weft__trial_reset(t);
    forget_value(l, i);
    t->dims[i][k] = -1;
    snprintf(how, sizeof how, "with input %u dim %u unknown", i, k);
    infer_and_compare(l, "3 (a dim unknown)", how);
  }
  weft__trial_reset(t);
  if (!has_dims(l, i))
    return;
  forget_value(l, i);
  t->fact[i].unknown_rank = true;
  t->fact[i].rank = 0;
  snprintf(how, sizeof how, "with input %u of unknown rank", i);
  infer_and_compare(l, "3 (a rank unknown)", how);
  weft__trial_reset(t);
  if (!t->fact[i].value || !(weft__law_value_used(l, i) || l->proto->op->infer_value))
    return;
  forget_value(l, i);
  snprintf(how, sizeof how, "with the value of input %u unknown", i);
  infer_and_compare(l, "3 (a value unknown)", how);
}

static void all_unknown(weft__laws *l, bool rank) {
  weft__trial *t = &l->trial;
  weft__trial_reset(t);
  for (uint32_t i = 0; i < t->n_in; i++) {
    if (!has_dims(l, i))
      continue;
    forget_value(l, i);
    for (uint32_t k = 0; k < t->fact[i].rank; k++)
      t->dims[i][k] = -1;
    if (rank) {
      t->fact[i].unknown_rank = true;
      t->fact[i].rank = 0;
    }
  }
  infer_and_compare(l, rank ? "3 (a rank unknown)" : "3 (a dim unknown)",
                    rank ? "with every rank unknown" : "with every dim unknown");
}

// A symbol for value `v`; equal names are equal symbols.
static weft_dim symbol(weft__laws *l, unsigned number, weft_dim v, int64_t min, int64_t max) {
  char name[64];
  int n = snprintf(name, sizeof name, "law%u_%lld", number, (long long)v);
  return weft_dim_symbol(l->ex->symbols, name, (size_t)n, min, max);
}

static void all_symbols(weft__laws *l, bool shared) {
  weft__trial *t = &l->trial;
  unsigned number = 100;
  weft__trial_reset(t);
  for (uint32_t i = 0; i < t->n_in; i++) {
    if (!free_dims(l, i))
      continue;
    forget_value(l, i);
    for (uint32_t k = 0; k < t->fact[i].rank; k++) {
      if (t->dims[i][k] >= 0)
        t->dims[i][k] = symbol(l, shared ? 99 : number++, t->dims[i][k], 0, -1);
    }
  }
  infer_and_compare(l, "3 (dims symbolic)",
                    shared ? "with one symbol for each distinct dim" : "with every dim a symbol of its own");
}

void weft__law_unknown(weft__laws *l) {
  for (uint32_t i = 0; i < l->trial.n_in; i++)
    one_input(l, i);
  all_unknown(l, false);
  all_unknown(l, true);
  all_symbols(l, false);
  all_symbols(l, true);
  weft__trial_reset(&l->trial);
}

// ---- law 4 ----

static void make_ranges(weft__laws *l, weft__dim_map *m) {
  m->n = 0;
  for (uint32_t i = 0; i < l->trial.n_in; i++) {
    for (uint32_t k = 0; free_dims(l, i) && k < l->trial.fact[i].rank; k++) {
      weft_dim v = l->trial.dims[i][k];
      size_t had = m->n;
      size_t at = v < 0 ? 0 : weft__dim_map_at(m, v);
      if (had == m->n)
        continue;  // seen, full, or not known
      int64_t down = (int64_t)weft__law_below(l, 3);
      int64_t up = (int64_t)weft__law_below(l, 4);
      m->lo[at] = v > down ? v - down : 0;
      m->hi[at] = v + up;
      m->pick[at] = m->lo[at] + (int64_t)weft__law_below(l, (uint64_t)(m->hi[at] - m->lo[at] + 1));
    }
  }
}

// Opens dims to their ranges, as -1 with a range or as bounded symbols. Distinct dims stay distinct unknowns.
static bool open_dims(weft__laws *l, weft__dim_map *m, weft_dim (*min)[WEFT_MAX_RANK],
                      weft_dim (*max)[WEFT_MAX_RANK], bool symbols, unsigned round) {
  weft__trial *t = &l->trial;
  bool any = false;
  for (uint32_t i = 0; i < t->n_in; i++) {
    if (!free_dims(l, i))
      continue;
    forget_value(l, i);
    for (uint32_t k = 0; k < t->fact[i].rank; k++) {
      weft_dim v = t->dims[i][k];
      size_t at = v < 0 ? 0 : weft__dim_map_at(m, v);
      min[i][k] = v < 0 ? 0 : v;
      max[i][k] = v < 0 ? -1 : v;
      if (v < 0 || m->value[at] != v)
        continue;
      any = true;
      min[i][k] = m->lo[at];
      max[i][k] = m->hi[at];
      t->dims[i][k] = symbols ? symbol(l, 1000 + round, v, m->lo[at], m->hi[at]) : -1;
    }
    if (!symbols) {
      t->fact[i].min = min[i];
      t->fact[i].max = max[i];
    }
  }
  return any;
}

static void pick_dims(weft__laws *l, weft__dim_map *m) {
  weft__trial_reset(&l->trial);
  for (uint32_t i = 0; i < l->trial.n_in; i++) {
    if (!free_dims(l, i))
      continue;
    forget_value(l, i);
    for (uint32_t k = 0; k < l->trial.fact[i].rank; k++) {
      if (l->trial.dims[i][k] < 0)
        continue;
      size_t at = weft__dim_map_at(m, l->trial.dims[i][k]);
      if (m->value[at] == l->trial.dims[i][k])
        l->trial.dims[i][k] = m->pick[at];
    }
  }
}

// Another shape inside the ranges: when it infers, its outputs lie inside what was inferred for the ranges.
static void check_inside(weft__laws *l, weft__dim_map *m, const weft_fact *ranged) {
  weft_diag d;
  weft_diag_clear(&d);
  pick_dims(l, m);
  if (weft__trial_infer(&l->trial, WEFT_STAGE_BUILD, &d))
    return;
  for (uint32_t i = 0; i < l->n_out; i++) {
    const weft_fact *got = &l->trial.frame.facts[i];
    const weft_fact *range = &ranged[i];
    bool ok = got->unknown_rank || range->unknown_rank || got->rank == range->rank;
    for (uint32_t k = 0; ok && !got->unknown_rank && !range->unknown_rank && k < got->rank; k++) {
      if (got->dims[k] < 0)
        continue;
      int64_t lo = 0;
      int64_t hi = -1;
      if (range->dims[k] >= 0)
        lo = hi = range->dims[k];
      else if (range->min) {
        lo = range->min[k];
        hi = range->max[k];
      } else if (weft_dim_is_symbol(range->dims[k]))
        weft_dim_bounds(l->ex->symbols, range->dims[k], &lo, &hi);
      ok = weft_range_contains(lo, hi, got->dims[k]);
    }
    char a[700];
    char b[700];
    char in[320];
    weft_shape s;
    if (l->trial.n_in)
      weft__fact_shape(&l->trial.fact[0], &s);
    else
      weft_shape_set_scalar(&s);
    weft__law(l, ok, "4 (outputs lie in the range)", "input 0 of shape %s gives output %u as %s, outside %s",
              weft_shape_text(&s, NULL, in, sizeof in), i, weft__law_fact_text(NULL, got, a, sizeof a),
              weft__law_fact_text(l->ex->symbols, range, b, sizeof b));
  }
}

void weft__law_range(weft__laws *l) {
  size_t n = l->trial.n_in;
  weft_dim(*min)[WEFT_MAX_RANK] = weft__arena_array(&l->arena, n + 1, sizeof *min, _Alignof(weft_dim));
  weft_dim(*max)[WEFT_MAX_RANK] = weft__arena_array(&l->arena, n + 1, sizeof *max, _Alignof(weft_dim));
  weft__dim_map m;
  if (!min || !max) {
    l->out_of_memory = true;
    return;
  }
  for (uint32_t round = 0; round < l->rounds && !l->out_of_memory; round++) {
    bool symbols = round & 1;
    weft__trial_reset(&l->trial);
    make_ranges(l, &m);
    if (!open_dims(l, &m, min, max, symbols, round))
      break;
    weft_diag d;
    weft_diag_clear(&d);
    weft_status s = weft__trial_infer(&l->trial, WEFT_STAGE_BUILD, &d);
    weft__law_consistent(l, s, &d, "4 (outputs lie in the range)",
                         symbols ? "with dims as bounded symbols" : "with dims in ranges");
    weft_fact *ranged = s ? NULL : weft__law_keep(l, l->trial.frame.facts, l->n_out);
    if (ranged)
      check_inside(l, &m, ranged);
  }
  weft__trial_reset(&l->trial);
}
// SPDX-License-Identifier: Apache-2.0
