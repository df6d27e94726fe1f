// laws_random.c - law 5: whatever the attributes, dtypes, shapes and values, nothing crashes, and a refusal
// has a message. Each round changes one or two things of the example and infers; when that works, the kernel
// runs, too, unless an attribute is so large that a plain loop over it could take for ever.
#include <math.h>

#include "op/laws.h"
#include "tensor/tensor.h"
#include "op/attr.h"

static const char LAW[] = "5 (random uses fail with a message)";

static int64_t some_int(weft__laws *l, bool hostile) {
  static const int64_t odd[] = {INT64_MIN, INT64_MAX, INT32_MIN, INT32_MAX,          INT64_C(1) << 40,
                                -1000,     1000,      64,        -(INT64_C(1) << 33)};
  if (hostile && !weft__law_below(l, 5))
    return odd[weft__law_below(l, WEFT_COUNT(odd))];
  return (int64_t)weft__law_below(l, 9) - 3;
}

static double some_real(weft__laws *l, bool hostile) {
  static const double odd[] = {NAN,    INFINITY, -INFINITY, -0.0,  1e300,
                               -1e300, 3e38,     1e-40,     65504, 4294967296.0};
  if (hostile && !weft__law_below(l, 4))
    return odd[weft__law_below(l, WEFT_COUNT(odd))];
  return (double)((int64_t)weft__law_below(l, 65) - 32) / 8;
}

static void fill_strings(weft__laws *l, weft_tensor *t, size_t n) {
  static const char *const words[] = {"", "a", "abc", "1.5", "\xc3\xa9", "Hello World"};
  const char *text[WEFT__LAW_ELEMS];
  if (n > WEFT_COUNT(text))
    return;
  for (size_t i = 0; i < n; i++)
    text[i] = words[weft__law_below(l, WEFT_COUNT(words))];
  weft_shape s = t->layout.origin;
  if (weft_tensor_set_strings(t, s.dim, s.rank, text, NULL, NULL))
    l->out_of_memory = true;
}

void weft__law_fill(weft__laws *l, weft_tensor *t, bool hostile) {
  int64_t n = weft_tensor_elems(t);
  weft__class class = weft__dtype_class(t->dtype);
  weft_dtype plain = weft__dtype_plain(t->dtype);
  if (t->kind != WEFT_KIND_TENSOR || !t->data || n <= 0)
    return;
  if (class == WEFT__CLASS_STRING)
    fill_strings(l, t, (size_t)n);
  for (size_t i = 0; i < (size_t)n; i++) {
    switch (class) {
      case WEFT__CLASS_INT:
      case WEFT__CLASS_UINT:
        weft_store_i64(plain, t->data, i, some_int(l, hostile));
        break;
      case WEFT__CLASS_BOOL:
        weft__bits_put(t->dtype, t->data, i, weft__law_below(l, 2));
        break;
      case WEFT__CLASS_FLOAT:
        weft_store_f64(plain, t->data, i, some_real(l, hostile));
        break;
      case WEFT__CLASS_COMPLEX:
        weft_store_f64(plain, t->data, 2 * i, some_real(l, hostile));
        weft_store_f64(plain, t->data, 2 * i + 1, some_real(l, hostile));
        break;
      case WEFT__CLASS_RAW:
        if (weft_dtype_bits(t->dtype) <= 64)
          weft__bits_put(t->dtype, t->data, i, weft__law_random(l));
        break;
      default:
        break;
    }
  }
}

// ---- attributes ----

static weft_dtype some_dtype(weft__laws *l) {
  static const weft_dtype all[] = {
#define X(name, number, bits, serial, text) WEFT_##name,
      WEFT_DTYPE_LIST(X)
#undef X
  };
  return all[weft__law_below(l, WEFT_COUNT(all))];
}

// A word of a rule "one of A|B" more often than not, so that the code behind the rule is reached.
static const char *some_text(weft__laws *l, const weft_attr_decl *decl) {
  static const char *const words[] = {"",     "a",    "NCHW", "NHWC",   "SAME", "VALID",
                                      "none", "mean", "sum",  "linear", "max",  "constant"};
  const char *rule = decl->check ? strstr(decl->check, "one of ") : NULL;
  if (!rule || !weft__law_below(l, 4))
    return words[weft__law_below(l, WEFT_COUNT(words))];
  rule += 7;
  size_t all = strcspn(rule, ";");
  size_t n = 1;
  for (size_t i = 0; i < all; i++)
    n += rule[i] == '|';
  for (size_t skip = weft__law_below(l, n); skip; rule++)
    skip -= *rule == '|';
  return weft__arena_strdup(&l->arena, rule, strcspn(rule, "|;"));
}

// Up to five elements. All kinds of them are made, whatever the type, so that a seed means the same for each.
static weft_attr random_list(weft__laws *l, weft_attr_type type) {
  size_t n = weft__law_below(l, 6);
  int64_t *ints = WEFT_NEW_N(&l->arena, int64_t, 8);
  float *floats = WEFT_NEW_N(&l->arena, float, 8);
  bool *bools = WEFT_NEW_N(&l->arena, bool, 8);
  weft_str *strs = WEFT_NEW_N(&l->arena, weft_str, 8);
  weft_ints *lists = WEFT_NEW_N(&l->arena, weft_ints, 8);
  weft_attr a;
  memset(&a, 0, sizeof a);
  a.type = type;
  l->out_of_memory |= !ints || !floats || !bools || !strs || !lists;
  if (l->out_of_memory)
    return a;
  for (size_t i = 0; i < n; i++) {
    ints[i] = type == WEFT_VT_LIST_TYPE ? some_dtype(l) : some_int(l, true);
    floats[i] = (float)some_real(l, true);
    bools[i] = weft__law_below(l, 2);
    strs[i] = (weft_str){"ab", weft__law_below(l, 3)};
    lists[i] = (weft_ints){ints, i};
  }
  const struct {
    weft_attr_type type;
    const void *v;
  } made[] = {{WEFT_VT_LIST_INT, ints},   {WEFT_VT_LIST_TYPE, ints},   {WEFT_VT_LIST_FLOAT, floats},
              {WEFT_VT_LIST_BOOL, bools}, {WEFT_VT_LIST_STRING, strs}, {WEFT_VT_LIST_LIST_INT, lists}};
  for (size_t i = 0; i < WEFT_COUNT(made); i++) {
    if (made[i].type != type)
      continue;
    a.u.ints = made[i].v;  // all lists are pointers there
    a.n = n;
  }
  return a;
}

// False: no random value for the type.
static bool random_value(weft__laws *l, uint32_t slot, weft_attr *out) {
  weft_attr_type type = l->proto->attr_types[slot];
  switch (type) {
    case WEFT_VT_INT:
      *out = weft_attr_int(some_int(l, true));
      return true;
    case WEFT_VT_FLOAT:
      *out = weft_attr_float((float)some_real(l, true));
      return true;
    case WEFT_VT_BOOL:
      *out = weft_attr_bool(weft__law_below(l, 2));
      return true;
    case WEFT_VT_TYPE:
      *out = weft_attr_dtype(some_dtype(l));
      return true;
    case WEFT_VT_STRING: {
      const char *text = some_text(l, &l->proto->attrs[slot]);
      *out = weft_attr_str(text ? text : "", text ? strlen(text) : 0);
      return true;
    }
    default:
      if (type == WEFT_VT_LIST_TENSOR || !weft__list_type_of(type))
        return false;
      *out = random_list(l, type);
      return true;
  }
}

// Large numbers in a list may make a plain loop endless.
static bool affordable(const weft_named_attr *attrs, size_t n) {
  for (size_t i = 0; i < n; i++) {
    const weft_attr *a = &attrs[i].value;
    for (size_t k = 0; a->type == WEFT_VT_LIST_INT && k < a->n; k++) {
      if (a->u.ints[k] > 64 || a->u.ints[k] < -64)
        return false;
    }
    if (a->type == WEFT_VT_INT && a->u.i > 64 && a->u.i < INT64_MAX)
      return false;
  }
  return true;
}

// The example's attributes with one or two changed. Returns how many there are.
static size_t change_attrs(weft__laws *l, weft_named_attr *attrs) {
  size_t n = l->ex->n_attrs;
  if (n)
    memcpy(attrs, l->ex->attrs, n * sizeof *attrs);
  for (uint64_t times = 1 + weft__law_below(l, 2); times; times--) {
    uint32_t slot = (uint32_t)weft__law_below(l, l->proto->n_attr);
    weft_named_attr a = {.name = l->proto->attrs[slot].name};
    if (!random_value(l, slot, &a.value))
      continue;
    size_t i = 0;
    while (i < n && strcmp(attrs[i].name, a.name))
      i++;
    attrs[i] = a;
    n += i == n;
  }
  return n;
}

// ---- inputs ----

enum { CHANGE_DTYPE = 1, CHANGE_SHAPE = 2, CHANGE_VALUE = 4 };

static weft_status random_tensor(weft__laws *l, const weft_tensor *from, unsigned what, weft_tensor *to) {
  weft_dtype t = what & CHANGE_DTYPE ? some_dtype(l) : from->dtype;
  weft_shape s = from->layout.origin;
  if (what & CHANGE_SHAPE) {
    s.rank = weft__law_below(l, 12) ? weft__law_below(l, 5) : weft__law_below(l, 9);
    for (size_t k = 0; k < s.rank; k++)
      s.dim[k] = (int64_t)weft__law_below(l, s.rank > 4 ? 3 : 4);
    if (s.rank > 6) {
      for (size_t k = 0; k < s.rank; k++)
        s.dim[k] &= 1;
    }
  }
  if (!weft_dtype_bits(t) || weft__dtype_class(t) == WEFT__CLASS_NONE || !weft_shape_is_known(&s))
    return weft__tensor_describe(to, t, s.dim, s.rank, NULL);
  if (!what && from->data)
    return weft_tensor_copy(to, from, NULL);
  int64_t elems;
  if (weft_shape_elems(&s, &elems) || elems > 1 << 16)
    return weft__tensor_describe(to, t, s.dim, s.rank, NULL);
  if (weft__dtype_class(t) == WEFT__CLASS_STRING)
    WEFT_TRY(weft__tensor_alloc_strings(to, s.dim, s.rank, 0, NULL));
  else
    WEFT_TRY(weft_tensor_alloc(to, t, s.dim, s.rank, NULL));
  weft__law_fill(l, to, what & CHANGE_VALUE);
  return WEFT_OK;
}

static bool all_data(const weft__trial *t) {
  for (uint32_t i = 0; i < t->n_in; i++) {
    if (!weft__has_data(t->tensor[i]))
      return false;
  }
  return true;
}

static void judge(weft__laws *l, weft_status s, const weft_diag *d, const char *what, uint32_t round) {
  bool ok = !s || (d->length && !strstr(d->text, "without a message"));
  weft__law(l, ok, LAW, "round %u (%s): %d (%s) %s", round, what, (int)s, weft_status_name(s),
            d->length ? d->text : "without any message");
}

// An attribute may ask for any number of steps. Whether a run comes to its end is no law.
static const weft_limits random_limits = {sizeof random_limits, WEFT__LAW_BYTES, 500000000, NULL};

static void try_use(weft__laws *l, const weft_named_attr *attrs, size_t n_attrs, unsigned what,
                    uint32_t round) {
  weft__trial t;
  weft_diag d;
  weft_diag_clear(&d);
  const char *name = attrs                 ? "attributes"
                     : what & CHANGE_SHAPE ? "shapes"
                     : what & CHANGE_DTYPE ? "dtypes"
                                           : "values";
  weft_status s = weft__trial_begin(&t, l->env, l->ex, attrs, n_attrs, &d);
  weft_tensor *changed = s ? NULL : WEFT_NEW_N(&l->arena, weft_tensor, (size_t)t.n_in + 1);
  uint64_t which = weft__law_random(l) | UINT64_C(1) << weft__law_below(l, t.n_in);
  for (uint32_t i = 0; changed && what && i < t.n_in; i++) {
    weft_tensor_init(&changed[i], &l->env->alloc);
    if (t.tensor[i]->kind != WEFT_KIND_TENSOR || (i < 64 && !(which >> i & 1)))
      continue;
    if (random_tensor(l, t.tensor[i], what, &changed[i]))
      l->out_of_memory = true;
    else
      t.tensor[i] = &changed[i];
  }
  if (!s && !l->out_of_memory) {
    weft__trial_reset(&t);
    s = weft__trial_infer(&t, WEFT_STAGE_BUILD, &d);
    judge(l, s, &d, name, round);
    weft_tensor *out = WEFT_NEW_N(&l->arena, weft_tensor, (size_t)t.desc.pub.n_out + 1);
    if (!s && out && all_data(&t) && (!attrs || affordable(attrs, n_attrs))) {
      s = weft__law_run(l, &t, out, &random_limits, &d);
      judge(l, s, &d, name, round);
      for (uint32_t i = 0; i < t.desc.pub.n_out; i++)
        weft_tensor_deinit(&out[i]);
    }
  } else if (s) {
    judge(l, s, &d, name, round);
  }
  for (uint32_t i = 0; changed && what && i < t.n_in; i++)
    weft_tensor_deinit(&changed[i]);
  weft__trial_end(&t);
}

void weft__law_hostile(weft__laws *l) {
  weft_named_attr *attrs = WEFT_NEW_N(&l->arena, weft_named_attr, l->ex->n_attrs + l->proto->n_attr + 1);
  if (!attrs)
    l->out_of_memory = true;
  for (uint32_t round = 0; round < l->rounds && !l->out_of_memory; round++) {
    if (l->proto->n_attr) {
      size_t n = change_attrs(l, attrs);
      try_use(l, attrs, n, 0, round);
    }
    if (!l->ex->n_in)
      continue;
    try_use(l, NULL, 0, CHANGE_DTYPE, round);
    try_use(l, NULL, 0, CHANGE_VALUE, round);
    try_use(l, NULL, 0, round & 1 ? CHANGE_SHAPE : CHANGE_SHAPE | CHANGE_VALUE, round);
  }
}
// SPDX-License-Identifier: Apache-2.0
