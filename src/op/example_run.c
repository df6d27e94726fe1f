// example_run.c - does an example hold? Inputs with data run through weft_run_op, so the public path is what
// is tested; inputs without data are inferred with the example's symbols. A trial keeps one use for many
// inferences and runs.
#include "op/example.h"
#include "base/allocated.h"
#include "weft/laws.h"
#include "op/infer_node.h"
#include "tensor/tensor.h"

bool weft__has_data(const weft_tensor *t) {
  if (t->kind == WEFT_KIND_TENSOR)
    return t->data && weft_shape_is_known(&t->layout.origin);  // f32[0,N] has none
  for (size_t i = 0; i < t->n_items; i++) {
    if (!weft__has_data(t->items[i]))
      return false;
  }
  return true;
}

weft_use weft__example_use(const weft__example *ex) {
  return (weft_use){
      .attrs = ex->attrs, .n_attrs = ex->n_attrs, .in_counts = ex->in_counts, .out_counts = ex->out_counts};
}

// ---- trials ----

void weft__trial_reset(weft__trial *t) {
  for (uint32_t i = 0; i < t->n_in; i++) {
    t->fact[i] = weft__fact_of_tensor(t->tensor[i]);
    if (t->fact[i].rank)
      memcpy(t->dims[i], t->fact[i].dims, t->fact[i].rank * sizeof t->dims[i][0]);
    t->fact[i].dims = t->dims[i];
    t->in[i] = &t->fact[i];
  }
}

weft_status weft__trial_begin(weft__trial *t, weft_env *e, const weft__example *ex,
                              const weft_named_attr *attrs, size_t n_attrs, weft_diag *d) {
  const weft_proto *p = ex->proto;
  memset(t, 0, sizeof *t);
  t->env = e;
  t->proto = p;
  weft__arena_init(&t->arena, &e->alloc);
  weft__frame_init(&t->frame, e, ex->symbols);
  uint32_t *counts = WEFT_NEW_N(&t->arena, uint32_t, (size_t)p->n_in + 1);
  bool *present = WEFT_NEW_N(&t->arena, bool, ex->n_in + 1);
  t->fact = WEFT_NEW_N(&t->arena, weft_fact, ex->n_in + 1);
  t->in = WEFT_NEW_N(&t->arena, const weft_fact *, ex->n_in + 1);
  t->tensor = WEFT_NEW_N(&t->arena, const weft_tensor *, ex->n_in + 1);
  t->dims = weft__arena_array(&t->arena, ex->n_in + 1, sizeof *t->dims, _Alignof(weft_dim));
  WEFT_TRY(weft__allocated(counts && present && t->fact && t->in && t->tensor && t->dims, d));
  for (size_t i = 0; i < ex->n_in; i++) {
    present[i] = ex->in_ptr[i] != NULL;
    if (present[i])
      t->tensor[t->n_in++] = ex->in_ptr[i];
  }
  weft__trial_reset(t);
  weft_use use = weft__example_use(ex);
  if (attrs) {
    use.attrs = attrs;
    use.n_attrs = n_attrs;
  }
  if (!use.in_counts) {
    WEFT_TRY(weft__bind_inputs(p, present, ex->n_in, counts, d));
    use.in_counts = counts;
  }
  return weft__desc_make(&t->arena, p, &use, t->n_in, &t->desc, d);
}

void weft__trial_end(weft__trial *t) {
  weft__desc_drop(&t->desc);
  weft__frame_deinit(&t->frame);
  weft__arena_deinit(&t->arena);
}

weft_status weft__trial_infer(weft__trial *t, uint32_t stage, weft_diag *d) {
  return weft__infer_node(&t->frame, t->proto, &t->desc.pub, t->in, stage, d);
}

weft_status weft__trial_run(weft__trial *t, weft_tensor *out, const weft_limits *limits, weft_diag *d) {
  uint32_t n = t->desc.pub.n_out;
  for (uint32_t i = 0; i < n; i++)
    weft_tensor_init(&out[i], &t->env->alloc);
  WEFT_TRY(weft__trial_infer(t, WEFT_STAGE_RUN, d));
  weft_tensor **outs = WEFT_NEW_N(&t->arena, weft_tensor *, (size_t)n + 1);
  WEFT_TRY(weft__allocated(outs, d));
  for (uint32_t i = 0; i < n; i++)
    outs[i] = &out[i];
  weft__budget budget;
  weft_call_options o = {.budget = &budget, .strayed = &t->strayed};
  const weft__node_call call = {.proto = t->proto,
                                .desc = &t->desc.pub,
                                .in = t->tensor,
                                .facts = t->frame.facts,
                                .out = outs,
                                .options = &o};
  weft__budget_init(&budget, &t->env->alloc);
  weft__allowance before = weft__budget_begin(&budget, limits, NULL);
  return weft__budget_end(&budget, &before, weft__call_node(t->env, &call, d), d);
}

// ---- comparing ----

static weft_status note_actual(weft_diag *d, const weft_allocator *a, const weft_tensor *got) {
  weft_text text;
  weft__text_init(&text, a);
  if (!weft_tensor_print(got, 64, weft__text_write, &text) && !text.failed)
    weft_note(d, "got %.*s", (int)WEFT_MIN(text.n, 600), text.v ? text.v : "");
  weft__text_deinit(&text);
  return WEFT_E_DIFFERENT;
}

weft_status weft__example_compare(const weft__example *ex, const weft_tensor *got, const weft_tensor *want,
                                  weft_diag *d) {
  weft_status s = weft_tensor_compare(got, want, ex->tolerance, ex->tolerance, d);
  if (s)
    return s == WEFT_E_DIFFERENT ? note_actual(d, &ex->alloc, got) : s;
  if (ex->tolerant)
    return WEFT_OK;
  weft_tensor same = *want;  // formats and origin are not part of the literal
  same.layout = got->layout;
  same.format = got->format;
  same.origin_format = got->origin_format;
  same.item_dtype = got->item_dtype;
  if (weft__tensor_same(got, &same))
    return WEFT_OK;
  s = weft_fail(d, WEFT_E_DIFFERENT, "values are equal, but a zero has the other sign");
  return note_actual(d, &ex->alloc, got);
}

static weft_status compare_format(const weft__example *ex, size_t i, weft_format got, weft_diag *d) {
  char have[48];
  char need[48];
  weft_format want = ex->out[i].format;
  if (!ex->out_format_given[i] || weft_format_primary(got) == weft_format_primary(want))
    return WEFT_OK;
  return weft_fail(d, WEFT_E_DIFFERENT, "format %s, expected %s", weft_format_text(got, have, sizeof have),
                   weft_format_text(want, need, sizeof need));
}

static bool same_dim(weft_dim got, weft_dim want) {
  return got == want || (want == -1 && got < 0);
}

// dtype and shape against the expected ones; an expected -1 stands for any dim that is not known.
static weft_status compare_desc(const weft__example *ex, size_t i, weft_dtype dtype, const weft_shape *shape,
                                weft_diag *d) {
  const weft_tensor *want = &ex->out[i];
  const weft_shape *ws = &want->layout.origin;
  bool same = dtype == want->dtype && shape->rank == ws->rank;
  for (size_t k = 0; same && k < ws->rank; k++)
    same = same_dim(shape->dim[k], ws->dim[k]);
  if (same)
    return WEFT_OK;
  char a[320];
  char b[320];
  return weft_fail(d, WEFT_E_DIFFERENT, "described as %s%s, expected %s%s", weft_dtype_name(dtype),
                   weft_shape_text(shape, ex->symbols, a, sizeof a), weft_dtype_name(want->dtype),
                   weft_shape_text(ws, ex->symbols, b, sizeof b));
}

static weft_status check_run(weft_env *e, const weft__example *ex, weft_tensor *out, weft_diag *d) {
  weft_use use = weft__example_use(ex);
  WEFT_TRY(weft_run_op(e, ex->proto, &use, ex->in_ptr, ex->n_in, out, ex->n_out, NULL, d));
  for (size_t i = 0; i < ex->n_out; i++) {
    const weft_tensor *want = &ex->out[i];
    weft_status s = weft__has_data(want) ? weft__example_compare(ex, &out[i], want, d)
                                         : compare_desc(ex, i, out[i].dtype, &out[i].layout.storage, d);
    if (!s)
      s = compare_format(ex, i, out[i].format, d);
    if (s)
      weft_note(d, "in output %zu", i);
    if (s)
      return s == WEFT_E_NOMEM ? s : WEFT_E_DIFFERENT;
  }
  return WEFT_OK;
}

// An output with data where inputs have none: the values must have been inferred.
static weft_status compare_value(const weft__example *ex, const weft_fact *f, const weft_tensor *want,
                                 weft_diag *d) {
  if (f->value)
    return weft__example_compare(ex, f->value, want, d);
  int64_t n = weft_tensor_elems(want);
  if (!n)
    return WEFT_OK;
  if (!f->elems || n != f->n_elems || (want->dtype != WEFT_INT32 && want->dtype != WEFT_INT64)) {
    return weft_fail(d, WEFT_E_DIFFERENT,
                     "%lld values expected, but not every input has data and %u were inferred", (long long)n,
                     f->n_elems);
  }
  for (size_t i = 0; i < (size_t)n; i++) {
    if (f->elems[i] != weft_load_i64(want->dtype, want->data, i)) {
      return weft_fail(d, WEFT_E_DIFFERENT, "inferred value %zu is %lld, expected %lld", i,
                       (long long)f->elems[i], (long long)weft_load_i64(want->dtype, want->data, i));
    }
  }
  return WEFT_OK;
}

static weft_status check_fact(const weft__example *ex, size_t i, const weft_fact *f, weft_diag *d) {
  weft_shape origin;
  weft_shape shape;
  weft__fact_shape(f, &origin);
  if (!weft__format_packed(f->format) ||
      weft_format_storage_shape(&origin, f->origin_format, f->format, 0, &shape, NULL))
    weft_shape_copy(&shape, &origin);
  WEFT_TRY(compare_desc(ex, i, f->dtype, &shape, d));
  WEFT_TRY(compare_format(ex, i, f->format, d));
  return weft__has_data(&ex->out[i]) ? compare_value(ex, f, &ex->out[i], d) : WEFT_OK;
}

static weft_status check_facts(weft__trial *t, const weft__example *ex, weft_diag *d) {
  WEFT_TRY(weft__trial_infer(t, WEFT_STAGE_BUILD, d));
  for (size_t i = 0; i < ex->n_out; i++) {
    weft_status s = ex->out[i].kind == WEFT_KIND_TENSOR ? check_fact(ex, i, &t->frame.facts[i], d) : WEFT_OK;
    if (s) {
      weft_note(d, "in output %zu", i);
      return s;
    }
  }
  return WEFT_OK;
}

static weft_status check_infer(weft_env *e, const weft__example *ex, weft_diag *d) {
  weft__trial t;
  weft_status s = weft__trial_begin(&t, e, ex, NULL, 0, d);
  if (!s)
    s = check_facts(&t, ex, d);
  weft__trial_end(&t);
  return s;
}

static weft_status check_outcome(weft_env *e, const weft__example *ex, weft_diag *d) {
  size_t n = ex->n_out;
  if (!ex->runs)
    return check_infer(e, ex, d);
  if (ex->fails) {  // as many as the use has; contents do not matter
    n = 0;
    for (uint32_t i = 0; i < ex->proto->n_out; i++)
      n += ex->out_counts[i];
  }
  weft_tensor *out = weft__alloc(&e->alloc, (n + 1) * sizeof *out, 16);
  WEFT_TRY(weft__allocated(out, d));
  weft_status s;
  weft_use use = weft__example_use(ex);
  if (ex->fails)
    s = weft_run_op(e, ex->proto, &use, ex->in_ptr, ex->n_in, out, n, NULL, d);
  else
    s = check_run(e, ex, out, d);
  for (size_t i = 0; i < n; i++)
    weft_tensor_deinit(&out[i]);
  weft__free(&e->alloc, out, (n + 1) * sizeof *out, 16);
  return s;
}

static weft_status check_failure(const weft__example *ex, weft_status s, const weft_diag *own, weft_diag *d) {
  if (s == ex->status && strstr(own->text, ex->message))
    return WEFT_OK;
  if (!s) {
    return weft_fail(d, WEFT_E_DIFFERENT, "it succeeds, expected %s '%s'", weft_status_name(ex->status),
                     ex->message);
  }
  return weft_fail(d, WEFT_E_DIFFERENT, "expected %s '%s', got %s '%s'", weft_status_name(ex->status),
                   ex->message, weft_status_name(s), own->text);
}

weft_status weft__example_check(weft_env *e, const weft__example *ex, weft_diag *d) {
  weft_diag own;
  weft_diag_clear(&own);
  weft_status s = check_outcome(e, ex, &own);
  if (ex->fails)
    s = check_failure(ex, s, &own, d);
  else if (s)
    s = weft_fail(d, s == WEFT_E_NOMEM ? s : WEFT_E_DIFFERENT, "%s", own.text);
  if (s)
    weft_note(d, "in the example \"%s\" of operator '%s'", ex->text, ex->proto->name);
  return s;
}

weft_status weft_op_example(weft_env *e, const weft_proto *p, const char *example, weft_diag *d) {
  WEFT_NEED(d, e);
  WEFT_NEED(d, p);
  WEFT_NEED(d, example);
  weft__example ex;
  weft_status s = weft__example_parse(e, p, example, &ex, d);
  if (!s)
    s = weft__example_check(e, &ex, d);
  weft__example_deinit(&ex);
  return s;
}
// SPDX-License-Identifier: Apache-2.0
