// laws_traits.c - laws 7 and 8: what the traits promise to passes is true, and a built-in operator keeps
// AscendIR's prototype. Traits are tried on the example's values and on random ones of the same dtypes and
// shapes.
#include "op/laws.h"
#include "tensor/tensor.h"

static bool plain(const weft_tensor *t) {
  return t->kind == WEFT_KIND_TENSOR && t->data;
}

static void one_input(weft__laws *l, weft_tensor *t, const weft_tensor *from, bool random) {
  if (weft_tensor_copy(t, from, NULL))
    l->out_of_memory = true;
  else if (random)
    weft__law_fill(l, t, true);
}

// Copies of the inputs, with other values when `random`; the trial uses them until restore().
static weft_tensor *substitute(weft__laws *l, bool random, const weft_tensor **saved) {
  weft__trial *t = &l->trial;
  weft_tensor *copy = WEFT_NEW_N(&l->arena, weft_tensor, (size_t)t->n_in + 1);
  if (!copy)
    l->out_of_memory = true;
  for (uint32_t i = 0; copy && i < t->n_in; i++) {
    saved[i] = t->tensor[i];
    weft_tensor_init(&copy[i], &l->env->alloc);
    one_input(l, &copy[i], t->tensor[i], random && plain(t->tensor[i]) && !weft__law_value_used(l, i));
    t->tensor[i] = &copy[i];
  }
  weft__trial_reset(t);
  return copy;
}

static void restore(weft__laws *l, weft_tensor *copy, const weft_tensor **saved) {
  for (uint32_t i = 0; copy && i < l->trial.n_in; i++) {
    l->trial.tensor[i] = saved[i];
    weft_tensor_deinit(&copy[i]);
  }
  weft__trial_reset(&l->trial);
}

static void same_outputs(weft__laws *l, const char *law, const char *what, const weft_tensor *a,
                         const weft_tensor *b) {
  weft_diag d;
  weft_diag_clear(&d);
  bool same = weft__tensor_same(a, b);
  if (!same && !weft_tensor_compare(a, b, 0, 0, &d))
    weft_fail(&d, WEFT_E_DIFFERENT, "bits differ");
  weft__law(l, same, law, "%s: %s", what, d.text);
}

// Runs the trial, changes the inputs by `change`, runs again, and compares after undoing the change on the
// output.
static void rerun(weft__laws *l, weft_tensor *in, const char *law, const char *what,
                  void (*change)(weft__laws *l, weft_tensor *in), void (*undo)(weft_tensor *out)) {
  weft_diag d;
  weft_diag e;
  weft_diag_clear(&d);
  weft_diag_clear(&e);
  weft_tensor *a = weft__law_outputs(l);
  weft_tensor *b = weft__law_outputs(l);
  if (!a || !b)
    return;
  weft_status s = weft__law_run(l, &l->trial, a, &weft__law_limits, &d);
  change(l, in);
  weft__trial_reset(&l->trial);
  weft_status again = weft__law_run(l, &l->trial, b, &weft__law_limits, &e);
  weft__law(l, !s == !again, law, "%s: one way %s, the other %s: %s%s", what, weft_status_name(s),
            weft_status_name(again), d.text, e.text);
  if (!s && !again) {
    undo(&b[0]);
    same_outputs(l, law, what, &a[0], &b[0]);
  }
  weft__law_drop(l, a);
  weft__law_drop(l, b);
}

static void swap_two(weft__laws *l, weft_tensor *in) {
  (void)in;
  const weft_tensor *t = l->trial.tensor[0];
  l->trial.tensor[0] = l->trial.tensor[1];
  l->trial.tensor[1] = t;
}
static void laws_traits_leave(weft_tensor *out) {
  (void)out;
}

// ---- elementwise: reversing all elements of the inputs reverses the output ----

static void reverse(weft_tensor *t) {
  int64_t n = weft_tensor_elems(t);
  uint32_t bits = weft_dtype_bits(t->dtype);
  char *data = t->data;
  char item[16];
  size_t bytes = bits / 8;
  for (int64_t i = 0, k = n - 1; i < k; i++, k--) {
    if (bits % 8) {
      uint64_t a = weft__bits_get(t->dtype, data, (size_t)i);
      uint64_t b = weft__bits_get(t->dtype, data, (size_t)k);
      weft__bits_put(t->dtype, data, (size_t)i, b);
      weft__bits_put(t->dtype, data, (size_t)k, a);
      continue;
    }
    memcpy(item, data + (size_t)i * bytes, bytes);
    memcpy(data + (size_t)i * bytes, data + (size_t)k * bytes, bytes);
    memcpy(data + (size_t)k * bytes, item, bytes);
  }
}

static void reverse_inputs(weft__laws *l, weft_tensor *in) {
  for (uint32_t i = 0; i < l->trial.n_in; i++) {
    if (weft_tensor_elems(&in[i]) > 1)
      reverse(&in[i]);
  }
}

// Every input has the output's shape or one element, and elements can be moved as bytes.
static bool reversible(const weft__laws *l) {
  weft_shape out;
  if (!l->n_out || !weft__fact_known(&l->known[0]))
    return false;
  weft__fact_shape(&l->known[0], &out);
  for (uint32_t i = 0; i < l->trial.n_in; i++) {
    const weft_tensor *t = l->trial.tensor[i];
    if (!plain(t) || weft__dtype_class(t->dtype) == WEFT__CLASS_STRING || weft_dtype_bits(t->dtype) > 128)
      return false;
    if (!weft_shape_equal(&t->layout.origin, &out) && weft_tensor_elems(t) != 1)
      return false;
  }
  return weft__dtype_class(l->known[0].dtype) != WEFT__CLASS_STRING &&
         weft_dtype_bits(l->known[0].dtype) <= 128;
}

// The output of an elementwise operator has the shape of its inputs broadcast together.
static void broadcast_shape(weft__laws *l) {
  weft_shape want;
  weft_shape got;
  weft_shape_set_scalar(&want);
  if (!weft__fact_known(&l->known[0]))
    return;
  weft__fact_shape(&l->known[0], &got);
  for (uint32_t i = 0; i < l->trial.n_in; i++) {
    const weft_shape *s = &l->trial.tensor[i]->layout.origin;
    if (l->trial.tensor[i]->kind != WEFT_KIND_TENSOR || !weft_shape_is_known(s))
      return;
    size_t rank = WEFT_MAX(want.rank, s->rank);
    weft_dim dims[WEFT_MAX_RANK];
    for (size_t k = 0; k < rank; k++) {  // from the right
      weft_dim a = k < want.rank ? want.dim[want.rank - 1 - k] : 1;
      weft_dim b = k < s->rank ? s->dim[s->rank - 1 - k] : 1;
      dims[rank - 1 - k] = a == 1 ? b : a;
    }
    want.rank = rank;
    memcpy(want.dim, dims, rank * sizeof *dims);
  }
  char a[320];
  char b[320];
  weft__law(l, weft_shape_equal(&want, &got), "7 (ELEMENTWISE)",
            "output 0 has shape %s, the inputs broadcast to %s", weft_shape_text(&got, NULL, a, sizeof a),
            weft_shape_text(&want, NULL, b, sizeof b));
}

// ---- view, in place ----

static size_t storage_bytes(const weft_tensor *t) {
  int64_t n = weft_tensor_elems(t);
  int64_t bytes = n < 0 ? -1 : weft_dtype_bytes(n, t->dtype);
  return bytes < 0 ? SIZE_MAX : (size_t)bytes;
}

static bool string_bytes_equal(const weft_tensor *a, const weft_tensor *b) {
  int64_t n = weft_tensor_elems(a);
  if (n != weft_tensor_elems(b))
    return false;
  for (int64_t i = 0; i < n; i++) {
    const char *x;
    const char *y;
    size_t p;
    size_t q;
    if (weft_tensor_string(a, (size_t)i, &x, &p, NULL) || weft_tensor_string(b, (size_t)i, &y, &q, NULL) ||
        p != q || memcmp(x, y, p))
      return false;
  }
  return true;
}

static void view_and_place(weft__laws *l, const weft_tensor *out) {
  uint64_t traits = l->proto->op->traits;
  const weft_tensor *in = l->trial.tensor[0];
  if (!plain(in) || !plain(out))
    return;
  size_t a = storage_bytes(in);
  size_t b = storage_bytes(out);
  if (traits & WEFT_VIEW) {
    bool string = weft__dtype_class(in->dtype) == WEFT__CLASS_STRING && in->dtype == out->dtype;
    bool same =
        string ? string_bytes_equal(in, out) : a == b && (a == SIZE_MAX || !memcmp(in->data, out->data, a));
    weft__law(l, same, "7 (VIEW)", "output 0 (%zu bytes) has not the bytes of input 0 (%zu bytes)", b, a);
  }
  bool comparable = l->trial.n_in == 1 || weft_shape_equal(&in->layout.origin, &out->layout.origin);
  if ((traits & WEFT_INPLACE) && comparable)
    weft__law(l, a == b, "7 (INPLACE)", "output 0 has %zu bytes, input 0 has %zu", b, a);
}

// ---- monotone ----

static bool shapes_from(weft__laws *l, weft__dim_map *m, bool large) {
  weft__trial *t = &l->trial;
  weft_diag d;
  weft_diag_clear(&d);
  weft__trial_reset(t);
  for (uint32_t i = 0; i < t->n_in; i++) {
    if (t->fact[i].kind != WEFT_KIND_TENSOR || weft__law_value_used(l, i))
      continue;
    t->fact[i].value = NULL;
    for (uint32_t k = 0; k < t->fact[i].rank; k++) {
      size_t at = weft__dim_map_at(m, t->dims[i][k]);
      if (m->value[at] == t->dims[i][k] && t->dims[i][k] >= 0)
        t->dims[i][k] = large ? m->hi[at] : m->lo[at];
    }
  }
  return !weft__trial_infer(t, WEFT_STAGE_BUILD, &d);
}

static void monotone(weft__laws *l) {
  for (uint32_t round = 0; round < l->rounds && !l->out_of_memory; round++) {
    weft__dim_map m = {0};
    for (size_t i = 0; i < WEFT_COUNT(m.value); i++)
      m.lo[i] = m.hi[i] = -1;
    for (uint32_t i = 0; i < l->trial.n_in; i++) {
      for (uint32_t k = 0; k < l->trial.tensor[i]->layout.origin.rank; k++) {
        weft_dim v = l->trial.tensor[i]->layout.origin.dim[k];
        size_t at = weft__dim_map_at(&m, v);
        if (m.lo[at] >= 0)
          continue;
        m.lo[at] = v > 0 ? v - (int64_t)weft__law_below(l, 2) : v;
        m.hi[at] = v + (int64_t)weft__law_below(l, 4);
      }
    }
    if (!shapes_from(l, &m, false))
      continue;
    const weft_fact *low = weft__law_keep(l, l->trial.frame.facts, l->n_out);
    if (!low || !shapes_from(l, &m, true))
      continue;
    for (uint32_t i = 0; i < l->n_out; i++) {
      const weft_fact *high = &l->trial.frame.facts[i];
      if (low[i].rank != high->rank || low[i].unknown_rank != high->unknown_rank)
        continue;
      bool ok = true;
      for (uint32_t k = 0; ok && k < high->rank; k++)
        ok = low[i].dims[k] < 0 || high->dims[k] < 0 || low[i].dims[k] <= high->dims[k];
      char a[700];
      char b[700];
      weft__law(l, ok, "7 (MONOTONE)", "larger inputs turn output %u from %s into %s", i,
                weft__law_fact_text(NULL, &low[i], a, sizeof a),
                weft__law_fact_text(NULL, high, b, sizeof b));
    }
  }
  weft__trial_reset(&l->trial);
}

// ---- all of law 7 ----

static void traits_on(weft__laws *l, bool random) {
  uint64_t traits = l->proto->op->traits;
  weft__trial *t = &l->trial;
  const weft_tensor **saved = WEFT_NEW_N(&l->arena, const weft_tensor *, (size_t)t->n_in + 1);
  if (!saved) {
    l->out_of_memory = true;
    return;
  }
  weft_tensor *in = substitute(l, random, saved);
  weft_tensor *out = weft__law_outputs(l);
  weft_diag d;
  weft_diag_clear(&d);
  if (in && out && !l->out_of_memory && (traits & (WEFT_VIEW | WEFT_INPLACE))) {
    if (!weft__law_run(l, t, out, &weft__law_limits, &d))
      view_and_place(l, &out[0]);
  }
  weft__law_drop(l, out);
  if (in && !l->out_of_memory && (traits & WEFT_ELEMENTWISE) && reversible(l))
    rerun(l, in, "7 (ELEMENTWISE)", "inputs reversed, output reversed back", reverse_inputs, reverse);
  if (in && !l->out_of_memory && (traits & WEFT_COMMUTATIVE) && t->n_in >= 2)
    rerun(l, in, "7 (COMMUTATIVE)", "inputs 0 and 1 swapped", swap_two, laws_traits_leave);
  restore(l, in, saved);
}

void weft__law_traits(weft__laws *l) {
  uint64_t traits = l->proto->op->traits;
  if (traits & WEFT_MONOTONE)
    monotone(l);
  if (!l->n_out || !l->trial.n_in)
    return;
  if (traits & WEFT_ELEMENTWISE)
    broadcast_shape(l);
  if (!l->ex->runs || (traits & WEFT_RANDOM))
    return;
  for (uint32_t round = 0; round < l->rounds && !l->out_of_memory; round++)
    traits_on(l, round > 0);
}

// ---- law 8 ----

static const char LAW_CATALOGUE[] = "8 (AscendIR's prototype)";

static void compare_ports(weft__laws *l, const char *what, const weft_port *ours, uint32_t n,
                          const weft_port *air, uint32_t n_air) {
  static const char *const kinds[] = {"required", "optional", "dynamic"};
  for (uint32_t i = 0; i < n_air; i++) {
    bool same = i < n && !strcmp(ours[i].name, air[i].name) && ours[i].kind == air[i].kind;
    weft__law(l, same, LAW_CATALOGUE, "%s %u is %s '%s', expected %s '%s'", what, i,
              i < n ? kinds[ours[i].kind] : "absent", i < n ? ours[i].name : "", kinds[air[i].kind % 3],
              air[i].name);
  }
  for (uint32_t i = n_air; i < n; i++) {
    weft__law(l, ours[i].kind != WEFT_REQUIRED, LAW_CATALOGUE,
              "%s %u '%s' is required, AscendIR has %u of them", what, i, ours[i].name, n_air);
  }
}

static const char *value_text(weft__laws *l, const weft_attr *a) {
  weft_text t;
  weft__text_init(&t, &l->env->alloc);
  if (a && weft_attr_print(a, weft__text_write, &t))
    t.n = 0;
  const char *text = a ? weft__arena_strdup(&l->arena, t.v ? t.v : "", t.n) : "none";
  weft__text_deinit(&t);
  return text ? text : "?";
}

static void compare_attrs(weft__laws *l, const weft_proto *ours, const weft_proto *air) {
  for (uint32_t i = 0; i < air->n_attr; i++) {
    bool there = i < ours->n_attr && !strcmp(ours->attrs[i].name, air->attrs[i].name);
    weft__law(l, there, LAW_CATALOGUE, "attribute %u is '%s', expected '%s'", i,
              i < ours->n_attr ? ours->attrs[i].name : "absent", air->attrs[i].name);
    if (!there)
      continue;
    weft__law(l, ours->attr_types[i] == air->attr_types[i], LAW_CATALOGUE,
              "attribute '%s' is %s, expected %s", ours->attrs[i].name,
              weft_attr_type_name(ours->attr_types[i]), weft_attr_type_name(air->attr_types[i]));
    const weft_attr *a = ours->defaults[i];
    const weft_attr *b = air->defaults[i];
    bool same = a && b ? weft_attr_equal(a, b) : !a == !b;
    weft__law(l, same, LAW_CATALOGUE, "the default of attribute '%s' is %s, expected %s", ours->attrs[i].name,
              value_text(l, a), value_text(l, b));
  }
  for (uint32_t i = air->n_attr; i < ours->n_attr; i++) {
    weft__law(l, ours->attrs[i].ext, LAW_CATALOGUE, "attribute '%s' is not AscendIR's and not marked .ext",
              ours->attrs[i].name);
    weft__law(l, ours->defaults[i] != NULL, LAW_CATALOGUE,
              "attribute '%s' is not AscendIR's and has no default", ours->attrs[i].name);
  }
}

static uint32_t fewer_dtypes(const weft_proto *ours, const weft_port *a, const weft_proto *air,
                             const weft_port *b, uint32_t n) {
  uint32_t missing = 0;
  for (uint32_t i = 0; i < n; i++) {
    weft_dtype_set theirs = weft_proto_dtypes(air, &b[i]);
    if (theirs != WEFT_ANY)
      missing += (theirs & ~weft_proto_dtypes(ours, &a[i])) != 0;
  }
  return missing;
}

void weft__law_catalogue(weft__laws *l) {
  int64_t at = weft__catalogue_find(l->proto->name);
  if (l->proto->source != WEFT_FROM_BUILTIN || at < 0)
    return;
  const weft_op *op;
  weft_proto *air;
  weft_diag d;
  weft_diag_clear(&d);
  weft_status s = weft__catalogue_op((size_t)at, &l->arena, &op);
  if (!s)
    s = weft__proto_make(l->poor, op, WEFT_FROM_CATALOGUE, "catalogue", &air, &d);
  weft__law(l, !s, LAW_CATALOGUE, "AscendIR's prototype cannot be read: %s", d.text);
  if (s)
    return;
  const weft_proto *p = l->proto;
  compare_ports(l, "input", p->in, p->n_in, air->in, air->n_in);
  compare_ports(l, "output", p->out, p->n_out, air->out, air->n_out);
  compare_attrs(l, p, air);
  uint32_t fewer = fewer_dtypes(p, p->in, air, air->in, WEFT_MIN(p->n_in, air->n_in)) +
                   fewer_dtypes(p, p->out, air, air->out, WEFT_MIN(p->n_out, air->n_out));
  if (fewer) {
    weft_env_log(l->env, WEFT_LOG_INFO, "operator '%s': %u ports allow fewer dtypes than AscendIR's", p->name,
                 fewer);
  }
}
// SPDX-License-Identifier: Apache-2.0
