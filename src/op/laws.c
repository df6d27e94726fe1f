// laws.c - the laws of an operator, example by example: what `weft op test` runs. This file holds the
// session, laws 1 and 2, and the comparison of what is inferred with more and with less known; the other laws
// have a file each. Everything random comes from one seed and the operator's name, so a failure can be
// repeated alone.
#include "op/laws.h"

#include "tensor/symbols.h"
#include "tensor/tensor.h"

void weft__law(weft__laws *l, bool ok, const char *law, const char *fmt, ...) {
  l->r.checks++;
  if (ok)
    return;
  char text[1400];
  char line[WEFT_DIAG_BYTES];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  l->r.failed++;
  snprintf(line, sizeof line, "operator '%s'%s%.400s%s, law %s: %s", l->proto->name,
           l->ex ? ", example \"" : "", l->ex ? l->ex->text : "", l->ex ? "\"" : "", law, text);
  if (l->o->report)
    l->o->report(l->o->report_ctx, line);
  if (l->r.failed == 1)
    weft_fail(l->d, WEFT_E_DIFFERENT, "%s", line);
}

// Tells who listens that nothing is known of the example, and why.
static void law_skip(const weft__laws *l, const char *why) {
  char line[WEFT_DIAG_BYTES];
  if (!l->o->skipped)
    return;
  snprintf(line, sizeof line, "operator '%s', example \"%.400s\": %s", l->proto->name, l->ex->text, why);
  l->o->skipped(l->o->report_ctx, line);
}

void weft__law_begin(const weft__laws *l, const char *fmt, ...) {
  char text[700];
  char line[1200];
  va_list ap;
  if (!l->o->begin)
    return;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  snprintf(line, sizeof line, "operator '%s'%s%.400s%s, %s", l->proto->name, l->ex ? ", example \"" : "",
           l->ex ? l->ex->text : "", l->ex ? "\"" : "", text);
  l->o->begin(l->o->report_ctx, line);
}

uint64_t weft__law_random(weft__laws *l) {  // splitmix64
  uint64_t z = l->random += UINT64_C(0x9E3779B97F4A7C15);
  z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
  return z ^ z >> 31;
}

weft_tensor *weft__law_outputs(weft__laws *l) {
  weft_tensor *out = WEFT_NEW_N(&l->arena, weft_tensor, (size_t)l->n_out + 1);
  if (!out)
    l->out_of_memory = true;
  for (uint32_t i = 0; out && i < l->n_out; i++)
    weft_tensor_init(&out[i], &l->env->alloc);
  return out;
}

weft_status weft__law_run(weft__laws *l, weft__trial *t, weft_tensor *out, const weft_limits *limits,
                          weft_diag *d) {
  t->strayed = false;
  weft_status s = weft__trial_run(t, out, limits, d);
  if (t->strayed && !l->strayed)
    weft__law(l, false, "10 (kernels write what is theirs)", "%s", d->text);
  l->strayed |= t->strayed;
  return s;
}

void weft__law_drop(weft__laws *l, weft_tensor *out) {
  for (uint32_t i = 0; out && i < l->n_out; i++)
    weft_tensor_deinit(&out[i]);
}

// ---- facts ----

const char *weft__law_fact_text(const weft_symbols *p, const weft_fact *f, char *buf, size_t cap) {
  weft_shape s;
  char text[320];
  size_t at = 0;
  weft__fact_shape(f, &s);
  weft__append(buf, cap, &at, "%s%s", weft_dtype_name(f->dtype), weft_shape_text(&s, p, text, sizeof text));
  for (uint32_t k = 0; f->min && k < f->rank; k++) {
    weft__append(buf, cap, &at, "%s%lld..%lld%s", k ? "," : " in [", (long long)f->min[k],
                 (long long)f->max[k], k + 1 == f->rank ? "]" : "");
  }
  return buf;
}

const weft_limits weft__law_limits = {sizeof weft__law_limits, WEFT__LAW_BYTES, 0, NULL};

static const weft_dim *keep_dims(weft__laws *l, const weft_dim *from, size_t n) {
  weft_dim *to = from ? WEFT_NEW_N(&l->arena, weft_dim, n + 1) : NULL;
  if (from && !to)
    l->out_of_memory = true;
  if (to)
    memcpy(to, from, n * sizeof *to);
  return to;
}

weft_fact *weft__law_keep(weft__laws *l, const weft_fact *f, uint32_t n) {
  weft_fact *to = WEFT_NEW_N(&l->arena, weft_fact, (size_t)n + 1);
  if (!to)
    l->out_of_memory = true;
  for (uint32_t i = 0; to && i < n; i++) {
    to[i] = f[i];
    to[i].dims = keep_dims(l, f[i].dims, f[i].rank);
    to[i].min = keep_dims(l, f[i].min, f[i].rank);
    to[i].max = keep_dims(l, f[i].max, f[i].rank);
    to[i].elems = keep_dims(l, f[i].elems, f[i].n_elems);
  }
  return l->out_of_memory ? NULL : to;
}

static bool facts_equal(const weft_fact *a, const weft_fact *b) {
  return a->dtype == b->dtype && a->kind == b->kind && a->unknown_rank == b->unknown_rank &&
         a->rank == b->rank && a->format == b->format &&
         (!a->rank || !memcmp(a->dims, b->dims, a->rank * sizeof *a->dims));
}

// The value of a symbolic dim made by a law: the symbol's name ends in its value ("law3_17"). False when it
// has others.
static bool evaluate_expr(const weft_symbols *p, const weft__expr *e, int depth, int64_t *out);

static bool evaluate_atom(const weft_symbols *p, const weft__atom *a, int depth, int64_t *out) {
  int64_t v;
  if (a->kind == WEFT__ATOM_NAME) {
    const char *dot = memchr(a->name, '_', a->name_bytes);
    return dot && a->name_bytes > 3 && !memcmp(a->name, "law", 3) &&
           weft__token_i64(dot + 1, a->name_bytes - (size_t)(dot + 1 - a->name), out);
  }
  for (size_t i = 0; i < a->n_args; i++) {
    if (!evaluate_expr(p, p->exprs.v[a->args[i]], depth + 1, &v))
      return false;
    if (a->kind == WEFT__ATOM_FLOORDIV)
      v = v >= 0 ? v / a->by : -((-v + a->by - 1) / a->by);
    else if (i)
      v = a->kind == WEFT__ATOM_MAX ? WEFT_MAX(v, *out) : WEFT_MIN(v, *out);
    *out = v;
  }
  return a->n_args > 0;
}

static bool evaluate_expr(const weft_symbols *p, const weft__expr *e, int depth, int64_t *out) {
  if (depth > WEFT__SYMBOL_DEPTH)
    return false;
  int64_t sum = e->constant;
  for (uint32_t i = 0; i < e->n; i++) {
    int64_t product = e->term[i].coef;
    int64_t v;
    for (uint32_t k = 0; k < e->term[i].degree; k++) {
      if (!evaluate_atom(p, p->atoms.v[e->term[i].atom[k]], depth, &v) ||
          !weft__mul_i64(product, v, &product))
        return false;
    }
    if (!weft__add_i64(sum, product, &sum))
      return false;
  }
  *out = sum;
  return true;
}

static bool evaluate(const weft_symbols *p, weft_dim d, int64_t *out) {
  size_t at;
  return weft__symbol_index(p, d, &at) && evaluate_expr(p, p->exprs.v[at], 0, out);
}

// Does a dim inferred with less known allow the known one?
static bool dim_fits(const weft__laws *l, weft_dim got, weft_dim known) {
  int64_t v;
  int64_t lo;
  int64_t hi;
  if (got == -1 || known < 0)
    return true;
  if (got >= 0)
    return got == known;
  if (evaluate(l->ex->symbols, got, &v))
    return v == known;
  weft_dim_bounds(l->ex->symbols, got, &lo, &hi);
  return weft_range_contains(lo, hi, known);
}

static bool fact_fits(const weft__laws *l, const weft_fact *got, const weft_fact *known) {
  if (got->dtype != known->dtype)
    return false;
  if (got->unknown_rank || known->unknown_rank)
    return true;
  if (got->rank != known->rank)
    return false;
  for (uint32_t k = 0; k < got->rank; k++) {
    if (!dim_fits(l, got->dims[k], known->dims[k]))
      return false;
    if (got->min && known->dims[k] >= 0 && !weft_range_contains(got->min[k], got->max[k], known->dims[k]))
      return false;
  }
  return true;
}

static bool elems_fit(const weft__laws *l, const weft_fact *got, const weft_fact *known, char *text,
                      size_t cap) {
  if (!got->elems || !known->elems)
    return true;
  size_t at = 0;
  if (got->n_elems != known->n_elems) {
    weft__append(text, cap, &at, "%u values inferred, %u with everything known", got->n_elems,
                 known->n_elems);
    return false;
  }
  for (uint32_t k = 0; k < got->n_elems; k++) {
    int64_t v = got->elems[k];
    if (known->elems[k] <= WEFT_DIM_SYMBOL_LIMIT || v == WEFT_DIM_INVALID || v == known->elems[k])
      continue;
    if (v < WEFT_DIM_SYMBOL_LIMIT && (!evaluate(l->ex->symbols, v, &v) || v == known->elems[k]))
      continue;
    weft__append(text, cap, &at, "value %u inferred as %lld, with everything known %lld", k, (long long)v,
                 (long long)known->elems[k]);
    return false;
  }
  return true;
}

void weft__law_consistent(weft__laws *l, weft_status s, const weft_diag *d, const char *law,
                          const char *how) {
  if (s == WEFT_E_UNKNOWN)
    s = WEFT_OK;  // says that it cannot tell
  else if (!s) {
    for (uint32_t i = 0; i < l->n_out; i++) {
      const weft_fact *got = &l->trial.frame.facts[i];
      char a[700] = "";
      char b[700] = "";
      if (!fact_fits(l, got, &l->known[i])) {
        weft__law(l, false, law, "%s output %u is inferred as %s, but with everything known as %s", how, i,
                  weft__law_fact_text(l->ex->symbols, got, a, sizeof a),
                  weft__law_fact_text(l->ex->symbols, &l->known[i], b, sizeof b));
      } else {
        bool fits = elems_fit(l, got, &l->known[i], a, sizeof a);
        weft__law(l, fits, law, "%s output %u: %s", how, i, a);
      }
    }
    return;
  }
  weft__law(l, !s, law, "%s inference fails: %s %s", how, weft_status_name(s), d->text);
}

bool weft__law_value_used(const weft__laws *l, uint32_t i) {
  const weft_proto *p = l->proto;
  for (uint32_t port = 0; port < p->n_in && port < 64; port++) {
    if (i - l->trial.desc.pub.in_port[port].start < l->trial.desc.pub.in_port[port].count)
      return p->value_mask >> port & 1;
  }
  return false;
}

size_t weft__dim_map_at(weft__dim_map *m, weft_dim v) {
  size_t i = 0;
  while (i < m->n && m->value[i] != v)
    i++;
  if (i == m->n && m->n < WEFT_COUNT(m->value))
    m->value[m->n++] = v;
  return WEFT_MIN(i, WEFT_COUNT(m->value) - 1);
}

// ---- laws 1 and 2 ----

static uint64_t hash_data(const weft__example *ex) {
  uint64_t h = 0;
  for (size_t i = 0; i < ex->n_in; i++) {
    const weft_tensor *t = ex->in_ptr[i];
    h = h * 31 + (t && t->data ? weft__hash(t->data, t->bytes) : 0);
  }
  return h;
}

static bool writes_inputs(const weft_proto *p) {
  for (uint32_t i = 0; i < p->n_out; i++) {
    if (p->out[i].ref)
      return true;
  }
  return false;
}

// What came out of a run, against what was inferred.
static void check_output(weft__laws *l, uint32_t i, const weft_tensor *t) {
  char a[700];
  char b[700];
  if (t->kind != WEFT_KIND_TENSOR || l->known[i].kind != WEFT_KIND_TENSOR)
    return;
  weft_fact got = weft__fact_of_tensor(t);
  weft__law(l, fact_fits(l, &l->known[i], &got), "2 (inference and kernel agree)",
            "output %u is %s, inferred as %s", i, weft__law_fact_text(NULL, &got, a, sizeof a),
            weft__law_fact_text(NULL, &l->known[i], b, sizeof b));
  int64_t elems = weft_tensor_elems(t);
  bool bits = true;
  for (int64_t k = 0; t->dtype == WEFT_BOOL && t->data && k < elems; k++)
    bits &= ((const uint8_t *)t->data)[k] <= 1;
  weft__law(l, bits, "2 (bool is 0 or 1)", "output %u has a byte that is neither", i);
}

static void law_agree(weft__laws *l) {
  weft_diag d;
  weft_diag_clear(&d);
  weft_status s = weft__trial_infer(&l->trial, WEFT_STAGE_RUN, &d);
  char a[700];
  char b[700];
  weft__law(l, !s, "2 (build and run agree)", "infers at build, but fails at run time: %s", d.text);
  for (uint32_t i = 0; !s && i < l->n_out; i++) {
    weft__law(l, facts_equal(&l->trial.frame.facts[i], &l->known[i]), "2 (build and run agree)",
              "output %u is %s at run time, %s at build", i,
              weft__law_fact_text(l->ex->symbols, &l->trial.frame.facts[i], a, sizeof a),
              weft__law_fact_text(l->ex->symbols, &l->known[i], b, sizeof b));
  }
  if (!l->ex->runs || s)
    return;
  weft_tensor *out = weft__law_outputs(l);
  if (!out)
    return;
  s = weft__law_run(l, &l->trial, out, NULL, &d);
  for (uint32_t i = 0; !s && i < l->n_out; i++)
    check_output(l, i, &out[i]);
  weft__law_drop(l, out);
}

// ---- the session ----

static void run_known(weft__laws *l) {
  l->n_out = l->trial.desc.pub.n_out;
  l->known = weft__law_keep(l, l->trial.frame.facts, l->n_out);
  if (!l->known)
    return;
  static const struct {
    const char *name;
    void (*check)(weft__laws *l);
  } laws[] = {{"law 2 (inference and kernel agree)", law_agree},
              {"law 3 (unknown dims never contradict known ones)", weft__law_unknown},
              {"law 4 (outputs lie in the inferred range)", weft__law_range},
              {"law 7 (traits are true)", weft__law_traits},
              {"law 2 (every output byte is written)", weft__law_unwritten}};
  for (size_t i = 0; i < WEFT_COUNT(laws) && !l->out_of_memory; i++) {
    weft__law_begin(l, "%s", laws[i].name);
    laws[i].check(l);
  }
}

// False: it needs a plug-in that is not installed.
static bool law_example(weft__laws *l, const weft__example *ex) {
  weft_diag d;
  weft_diag_clear(&d);
  uint64_t before = hash_data(ex);
  uint32_t missed = atomic_load(&l->env->plugins_missed);
  weft__law_begin(l, "law 1 (the example holds)");
  weft_status s = weft__example_check(l->env, ex, &d);
  if (s && atomic_load(&l->env->plugins_missed) != missed) {
    law_skip(l, d.text);
    return false;
  }
  if (!writes_inputs(l->proto))
    weft__law(l, hash_data(ex) == before, "2 (inputs are read-only)", "the kernel changed an input");
  weft__law(l, !s, "1 (the example holds)", "%s", d.text);
  return true;
}

static weft_status try_example(weft__laws *l, const weft__example *ex) {
  weft_diag d;
  weft_diag_clear(&d);
  WEFT_TRY(weft__trial_begin(&l->trial, l->env, ex, NULL, 0, &d));
  return weft__trial_infer(&l->trial, WEFT_STAGE_BUILD, &d);
}

static void run_parsed(weft__laws *l, const weft__example *ex) {
  if (!law_example(l, ex))
    return;
  if (!try_example(l, ex))
    run_known(l);
  weft__law_begin(l, "law 5 (random attributes, dtypes and values do no harm)");
  weft__law_hostile(l);
  weft__trial_end(&l->trial);
  weft__law_begin(l, "law 6 (failed allocations are survived)");
  weft__law_memory(l);
}

static void run_example(weft__laws *l, const char *text) {
  weft__example ex;
  weft_diag d;
  weft_diag_clear(&d);
  l->r.examples++;
  weft_status s = weft__example_parse(l->env, l->proto, text, &ex, &d);
  l->ex = &ex;
  if (s)
    weft__law(l, false, "1 (the example holds)", "%s", d.text);
  else
    run_parsed(l, &ex);
  weft__example_deinit(&ex);
  l->ex = NULL;
  weft__arena_deinit(&l->arena);
  weft__arena_init(&l->arena, &l->env->alloc);
}

static weft_status make_poor(weft__laws *l, weft_diag *d) {
  l->memory = (weft__memory){.under = l->env->alloc, .fill = 0x5A};
  weft_env_options o = {.allocator = weft__memory_allocator(&l->memory),
                        .package_path = "",
                        .no_builtin = true,
                        .no_catalogue = true};
  return weft_env_create(&o, &l->poor, d);
}

weft_status weft_op_laws(weft_env *e, const weft_proto *p, const weft_laws_options *o, weft_laws_result *out,
                         weft_diag *d) {
  WEFT_NEED(d, e);
  WEFT_NEED(d, p);
  weft_laws_options options = {0};
  WEFT_SIZED_IN(&options, o, report_ctx);
  if (out)
    memset(out, 0, sizeof *out);
  if (!p->op->examples || !*p->op->examples)
    return weft_fail(d, WEFT_E_MISSING, "operator '%s' has no examples", p->name);
  weft__laws l = {.env = e, .proto = p, .o = &options, .d = d, .rounds = options.rounds ? options.rounds : 8};
  uint64_t seed = options.seed ? options.seed : 1;
  l.random = seed ^ weft__hash(p->name, strlen(p->name));
  weft__arena_init(&l.arena, &e->alloc);
  weft_status s = make_poor(&l, d);
  if (!s) {
    atomic_fetch_add(&e->judged, 1);
    atomic_fetch_add(&l.poor->judged, 1);
    for (const char *const *text = p->op->examples; *text && !l.out_of_memory; text++)
      run_example(&l, *text);
    atomic_fetch_sub(&e->judged, 1);
    if (!l.out_of_memory)
      weft__law_catalogue(&l);
    weft_env_destroy(l.poor);
  }
  weft__arena_deinit(&l.arena);
  if (out)
    *out = l.r;
  WEFT_TRY(s);
  if (l.out_of_memory)
    return weft_fail(d, WEFT_E_NOMEM, "out of memory");
  if (!l.r.failed)
    return WEFT_OK;
  weft_note(d, "%u of %u checks failed over %u examples of operator '%s' (seed %llu)", l.r.failed, l.r.checks,
            l.r.examples, p->name, (unsigned long long)seed);
  return WEFT_E_DIFFERENT;
}
// SPDX-License-Identifier: Apache-2.0
