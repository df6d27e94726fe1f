// symbols.c - arithmetic on dims that may be symbolic.
// An expression is a polynomial with integer coefficients over atoms; an atom is a named symbol or one of
// floordiv, max, min of interned expressions. Both are hash-consed in the pool, so equal polynomials have
// equal handles: handle = WEFT_DIM_SYMBOL_LIMIT - 1 - index. Ceildiv is floordiv of a + by - 1; floordiv
// takes out what divides. Inside an expression values are plain integers: only a finished dim is taken to be
// >= 0. Whatever overflows or is over a limit of symbols.h becomes unknown. O(terms) a sum, O(terms^2) a
// product or comparison; atoms are never freed.
#include "tensor/symbols.h"

#define EXPR_KEY_BYTES(n) (sizeof(int64_t) + (n) * sizeof(weft__term))
_Static_assert(offsetof(weft__poly, term) == offsetof(weft__poly, constant) + sizeof(int64_t),
               "key is contiguous");
_Static_assert(offsetof(weft__expr, term) == offsetof(weft__expr, constant) + sizeof(int64_t),
               "key is contiguous");

static const void *poly_key(const weft__poly *a) {
  return (const char *)a + offsetof(weft__poly, constant);
}

// ---- intervals: INT64_MIN and INT64_MAX are the infinities ----

typedef struct interval {
  int64_t lo, hi;
} interval;

static bool infinite(int64_t v) {
  return v == WEFT__MINUS_INF || v == WEFT__PLUS_INF;
}

static int64_t add_saturated(int64_t a, int64_t b) {
  int64_t v;
  if (infinite(a))
    return a;
  if (infinite(b))
    return b;
  if (weft__add_i64(a, b, &v))
    return v;
  return a < 0 ? WEFT__MINUS_INF : WEFT__PLUS_INF;
}

static int64_t mul_saturated(int64_t a, int64_t b) {
  int64_t v;
  if (a == 0 || b == 0)
    return 0;
  if (!infinite(a) && !infinite(b) && weft__mul_i64(a, b, &v))
    return v;
  return (a < 0) == (b < 0) ? WEFT__PLUS_INF : WEFT__MINUS_INF;
}

static interval interval_mul(interval a, interval b) {
  int64_t v[4] = {mul_saturated(a.lo, b.lo), mul_saturated(a.lo, b.hi), mul_saturated(a.hi, b.lo),
                  mul_saturated(a.hi, b.hi)};
  interval r = {v[0], v[0]};
  for (int i = 1; i < 4; i++) {
    r.lo = WEFT_MIN(r.lo, v[i]);
    r.hi = WEFT_MAX(r.hi, v[i]);
  }
  return r;
}

static interval terms_bounds(const weft_symbols *p, int64_t constant, const weft__term *term, size_t n) {
  interval sum = {constant, constant};
  for (size_t i = 0; i < n; i++) {
    interval t = {term[i].coef, term[i].coef};
    for (uint32_t k = 0; k < term[i].degree; k++) {
      const weft__atom *a = p->atoms.v[term[i].atom[k]];
      t = interval_mul(t, (interval){a->lo, a->hi});
    }
    sum.lo = add_saturated(sum.lo, t.lo);
    sum.hi = add_saturated(sum.hi, t.hi);
  }
  return sum;
}

static interval poly_bounds(const weft_symbols *p, const weft__poly *a) {
  if (a->unknown)
    return (interval){WEFT__MINUS_INF, WEFT__PLUS_INF};
  return terms_bounds(p, a->constant, a->term, a->n);
}

static int64_t symbols_floor_div(int64_t a, int64_t by) {  // by >= 1
  return a / by - (a % by < 0);
}

static int64_t floor_mod(int64_t a, int64_t by) {  // in [0, by)
  return a % by < 0 ? a % by + by : a % by;
}

// ---- polynomials ----

void weft__poly_constant(weft__poly *to, int64_t v) {
  to->unknown = false;
  to->n = 0;
  to->constant = v;
}

static void poly_atom(weft__poly *to, uint32_t atom) {
  weft__poly_constant(to, 0);
  to->n = 1;
  to->term[0] = (weft__term){.coef = 1, .degree = 1, .atom = {atom}};
}

static void poly_expr(const weft_symbols *p, weft__poly *to, size_t index) {
  const weft__expr *e = p->exprs.v[index];
  weft__poly_constant(to, e->constant);
  to->n = e->n;
  memcpy(to->term, e->term, e->n * sizeof(weft__term));
}

void weft__poly_load(const weft_symbols *p, weft_dim d, weft__poly *to) {
  size_t index;
  weft__poly_constant(to, d >= 0 ? d : 0);
  if (d >= 0)
    return;
  if (weft__symbol_index(p, d, &index))
    poly_expr(p, to, index);
  else
    to->unknown = true;
}

static int term_order(const weft__term *a, const weft__term *b) {  // < 0: a stands first
  if (a->degree != b->degree)
    return a->degree > b->degree ? -1 : 1;
  for (uint32_t i = 0; i < a->degree; i++) {
    if (a->atom[i] != b->atom[i])
      return a->atom[i] < b->atom[i] ? -1 : 1;
  }
  return 0;
}

void weft__poly_add_term(weft__poly *to, const weft__term *t) {
  uint32_t i = 0;
  int order = 1;
  while (i < to->n && (order = term_order(&to->term[i], t)) < 0)
    i++;
  if (i < to->n && order == 0) {
    if (!weft__add_i64(to->term[i].coef, t->coef, &to->term[i].coef)) {
      to->unknown = true;
    } else if (to->term[i].coef == 0) {
      to->n--;
      memmove(&to->term[i], &to->term[i + 1], (to->n - i) * sizeof(weft__term));
    }
    return;
  }
  if (to->n == WEFT__POLY_TERMS) {
    to->unknown = true;
    return;
  }
  memmove(&to->term[i + 1], &to->term[i], (to->n - i) * sizeof(weft__term));
  to->term[i] = *t;
  to->n++;
}

void weft__poly_add(weft__poly *to, const weft__poly *from, int64_t times) {
  int64_t v;
  if (from->unknown || !weft__mul_i64(from->constant, times, &v) ||
      !weft__add_i64(to->constant, v, &to->constant))
    to->unknown = true;
  for (uint32_t i = 0; i < from->n && !to->unknown; i++) {
    weft__term t = from->term[i];
    if (!weft__mul_i64(t.coef, times, &t.coef))
      to->unknown = true;
    else if (t.coef)
      weft__poly_add_term(to, &t);
  }
}

// The product of two terms; false when it is over a limit.
static bool term_mul(const weft__term *a, const weft__term *b, weft__term *out) {
  uint32_t degree = a->degree + b->degree;
  uint32_t i = 0;
  uint32_t k = 0;
  if (degree > WEFT__POLY_DEGREE)
    return false;
  *out = (weft__term){.degree = degree};
  if (!weft__mul_i64(a->coef, b->coef, &out->coef))
    return false;
  for (uint32_t n = 0; n < degree; n++) {
    bool from_a = k == b->degree || (i < a->degree && a->atom[i] <= b->atom[k]);
    out->atom[n] = from_a ? a->atom[i++] : b->atom[k++];
  }
  return true;
}

void weft__poly_add_times_term(weft__poly *to, const weft__poly *from, const weft__term *by) {
  weft__term t;
  for (uint32_t i = 0; i <= from->n && !to->unknown; i++) {
    weft__term whole = {.coef = from->constant};
    if (!term_mul(i < from->n ? &from->term[i] : &whole, by, &t))
      to->unknown = true;
    else if (t.coef == 0)
      continue;
    else if (t.degree)
      weft__poly_add_term(to, &t);
    else if (!weft__add_i64(to->constant, t.coef, &to->constant))
      to->unknown = true;
  }
}

bool weft__poly_is_zero(const weft__poly *a) {
  return !a->unknown && a->n == 0 && a->constant == 0;
}

void weft__poly_mul(weft__poly *out, const weft__poly *a, const weft__poly *b) {
  weft__poly_constant(out, 0);
  if (weft__poly_is_zero(a) || weft__poly_is_zero(b))
    return;
  out->unknown = a->unknown || b->unknown;
  weft__term whole = {.coef = b->constant};
  for (uint32_t i = 0; i <= b->n && !out->unknown; i++)
    weft__poly_add_times_term(out, a, i < b->n ? &b->term[i] : &whole);
}

// ---- interning ----

// The expression of a polynomial; false when it is unknown or over a limit.
static bool intern(weft_symbols *p, const weft__poly *a, uint32_t *out_index) {
  if (!p || a->unknown)
    return false;
  size_t key_bytes = EXPR_KEY_BYTES(a->n);
  const weft__expr *have = weft__map_find(&p->expr_map, poly_key(a), key_bytes);
  if (have) {
    *out_index = have->index;
    return true;
  }
  uint32_t depth = 0;
  uint32_t nodes = 1;
  for (uint32_t i = 0; i < a->n; i++) {
    nodes++;
    for (uint32_t k = 0; k < a->term[i].degree; k++) {
      const weft__atom *atom = p->atoms.v[a->term[i].atom[k]];
      depth = WEFT_MAX(depth, atom->depth);
      nodes += atom->nodes;
    }
  }
  if (nodes > WEFT__SYMBOL_NODES || p->exprs.n >= WEFT__SYMBOL_POOL)
    return false;
  weft__expr *e = weft__arena_alloc(&p->arena, offsetof(weft__expr, term) + a->n * sizeof(weft__term), 8);
  if (!e || !WEFT_VEC_ROOM(&p->alloc, p->exprs))
    return false;
  *e = (weft__expr){
      .index = (uint32_t)p->exprs.n, .depth = depth, .nodes = nodes, .n = a->n, .constant = a->constant};
  memcpy(e->term, a->term, a->n * sizeof(weft__term));
  const char *key = (const char *)e + offsetof(weft__expr, constant);
  if (weft__map_set(&p->expr_map, key, key_bytes, e))
    return false;
  p->exprs.v[p->exprs.n++] = e;
  *out_index = e->index;
  return true;
}

static weft__atom *new_atom(weft_symbols *p, uint8_t kind) {
  if (p->atoms.n >= WEFT__SYMBOL_POOL || !WEFT_VEC_ROOM(&p->alloc, p->atoms))
    return NULL;
  weft__atom *a = WEFT_NEW(&p->arena, weft__atom);
  if (!a)
    return NULL;
  a->id = (uint32_t)p->atoms.n;
  a->nodes = 1;
  a->kind = kind;
  return a;
}

// A function atom of interned arguments, its bounds computed; NULL when over a limit.
static const weft__atom *function_atom(weft_symbols *p, uint8_t kind, int64_t by, const uint32_t *args,
                                       size_t n_args) {
  int64_t key[2 + WEFT__SYMBOL_ARGS] = {kind, by};
  for (size_t i = 0; i < n_args; i++)
    key[2 + i] = args[i];
  size_t key_bytes = (2 + n_args) * sizeof *key;
  const weft__atom *have = weft__map_find(&p->function_map, (const char *)key, key_bytes);
  if (have)
    return have;
  weft__atom *a = new_atom(p, kind);
  if (!a)
    return NULL;
  uint32_t *own = WEFT_NEW_N(&p->arena, uint32_t, n_args);
  char *own_key = weft__arena_strdup(&p->arena, (const char *)key, key_bytes);
  if (!own || !own_key)
    return NULL;
  memcpy(own, args, n_args * sizeof *own);
  a->args = own;
  a->n_args = n_args;
  a->by = by;
  for (size_t i = 0; i < n_args; i++) {
    const weft__expr *e = p->exprs.v[args[i]];
    interval b = terms_bounds(p, e->constant, e->term, e->n);
    a->depth = WEFT_MAX(a->depth, e->depth + 1);
    a->nodes += e->nodes;
    if (kind == WEFT__ATOM_FLOORDIV) {
      b.lo = infinite(b.lo) ? b.lo : symbols_floor_div(b.lo, by);
      b.hi = infinite(b.hi) ? b.hi : symbols_floor_div(b.hi, by);
    }
    bool max = kind == WEFT__ATOM_MAX;
    a->lo = i == 0 ? b.lo : max ? WEFT_MAX(a->lo, b.lo) : WEFT_MIN(a->lo, b.lo);
    a->hi = i == 0 ? b.hi : max ? WEFT_MAX(a->hi, b.hi) : WEFT_MIN(a->hi, b.hi);
  }
  if (a->depth > WEFT__SYMBOL_DEPTH || a->nodes > WEFT__SYMBOL_NODES)
    return NULL;
  if (weft__map_set(&p->function_map, own_key, key_bytes, a))
    return NULL;
  p->atoms.v[p->atoms.n++] = a;
  return a;
}

weft_dim weft__poly_finish(weft_symbols *p, const weft__poly *a) {
  uint32_t index;
  if (a->unknown)
    return WEFT_DIM_UNKNOWN;
  if (a->n == 0)
    return a->constant >= 0 ? a->constant : WEFT_DIM_UNKNOWN;
  if (poly_bounds(p, a).hi < 0 || !intern(p, a, &index))
    return WEFT_DIM_UNKNOWN;
  return WEFT_DIM_SYMBOL_LIMIT - 1 - (weft_dim)index;
}

// The atom a polynomial consists of, or NULL.
static const weft__atom *only_atom(const weft_symbols *p, const weft__poly *a) {
  if (a->unknown || a->n != 1 || a->term[0].degree != 1 || a->term[0].coef != 1)
    return NULL;
  return p->atoms.v[a->term[0].atom[0]];
}

// ---- floordiv, max, min ----

// floordiv(floordiv(x, k) + c, by) = floordiv(x + k*c, k*by): rewrites *a and *by; false when *a is not of
// that form.
static bool flatten_floordiv(const weft_symbols *p, weft__poly *a, int64_t *by) {
  const weft__atom *inner = only_atom(p, a);
  int64_t both;
  int64_t shift;
  if (!inner || inner->kind != WEFT__ATOM_FLOORDIV)
    return false;
  if (!weft__mul_i64(inner->by, *by, &both) || !weft__mul_i64(inner->by, a->constant, &shift))
    return false;
  if (!weft__add_i64(p->exprs.v[inner->args[0]]->constant, shift, &shift))
    return false;
  poly_expr(p, a, inner->args[0]);
  a->constant = shift;
  *by = both;
  return true;
}

// Splits a into by*whole + rest. Coefficients are cut towards zero (keeps the bounds of differences tight),
// the constant of the rest lies in [0, by).
static void split_divisible(const weft__poly *a, int64_t by, weft__poly *whole, weft__poly *rest) {
  weft__poly_constant(whole, symbols_floor_div(a->constant, by));
  weft__poly_constant(rest, floor_mod(a->constant, by));
  for (uint32_t i = 0; i < a->n; i++) {
    weft__term t = a->term[i];
    t.coef = a->term[i].coef / by;
    if (t.coef)
      whole->term[whole->n++] = t;
    t.coef = a->term[i].coef % by;
    if (t.coef)
      rest->term[rest->n++] = t;
  }
}

void weft__poly_floordiv(weft_symbols *p, weft__poly *a, int64_t by) {
  weft__poly whole;
  weft__poly part;
  weft__poly rest;
  weft__poly atom_poly;
  uint32_t index;
  if (by < 1)
    a->unknown = true;
  if (a->unknown || by == 1)
    return;
  split_divisible(a, by, &whole, &rest);
  while (flatten_floordiv(p, &rest, &by)) {  // at most as deep as functions nest
    weft__poly inner = rest;
    split_divisible(&inner, by, &part, &rest);
    weft__poly_add(&whole, &part, 1);
  }
  interval b = poly_bounds(p, &rest);
  if (rest.n == 0 || (b.lo >= 0 && b.hi < by)) {  // the rest is less than one `by`
    *a = whole;
    return;
  }
  const weft__atom *atom =
      intern(p, &rest, &index) ? function_atom(p, WEFT__ATOM_FLOORDIV, by, &index, 1) : NULL;
  *a = whole;
  if (!atom) {
    a->unknown = true;
    return;
  }
  poly_atom(&atom_poly, atom->id);
  weft__poly_add(a, &atom_poly, 1);
}

typedef struct arg_list {
  size_t n;
  uint32_t arg[2 * WEFT__SYMBOL_ARGS];
} arg_list;

static bool add_args(weft_symbols *p, uint8_t kind, const weft__poly *a, arg_list *list) {
  const weft__atom *atom = only_atom(p, a);
  if (atom && a->constant == 0 && atom->kind == kind) {
    memcpy(list->arg + list->n, atom->args, atom->n_args * sizeof *atom->args);
    list->n += atom->n_args;
    return true;
  }
  return intern(p, a, &list->arg[list->n]) && ++list->n;
}

// Is argument `loser` never the one that counts, because `winner` is always at least as good?
static bool dominated(const weft_symbols *p, uint8_t kind, uint32_t loser, uint32_t winner) {
  weft__poly a;
  weft__poly b;
  poly_expr(p, &a, kind == WEFT__ATOM_MAX ? winner : loser);
  poly_expr(p, &b, kind == WEFT__ATOM_MAX ? loser : winner);
  weft__poly_add(&a, &b, -1);
  return poly_bounds(p, &a).lo >= 0;
}

static void drop_dominated(const weft_symbols *p, uint8_t kind, arg_list *list) {
  for (size_t i = 0; i < list->n;) {
    bool drop = false;
    for (size_t k = 0; k < list->n && !drop; k++)
      drop = k != i && dominated(p, kind, list->arg[i], list->arg[k]);
    if (!drop) {
      i++;
      continue;
    }
    list->n--;
    memmove(&list->arg[i], &list->arg[i + 1], (list->n - i) * sizeof list->arg[0]);
  }
}

static void sort_args(const weft_symbols *p, arg_list *list) {  // by number, a constant last
  for (size_t i = 1; i < list->n; i++) {
    uint32_t v = list->arg[i];
    size_t k = i;
    for (; k > 0; k--) {
      uint32_t u = list->arg[k - 1];
      bool v_is_constant = p->exprs.v[v]->n == 0;
      bool u_is_constant = p->exprs.v[u]->n == 0;
      if (v_is_constant != u_is_constant ? v_is_constant : u <= v)
        break;
      list->arg[k] = u;
    }
    list->arg[k] = v;
  }
}

void weft__poly_extremum(weft_symbols *p, uint8_t kind, weft__poly *a, const weft__poly *b) {
  arg_list list = {0};
  if (!a->unknown && !b->unknown && a->n == 0 && b->n == 0) {
    a->constant =
        kind == WEFT__ATOM_MAX ? WEFT_MAX(a->constant, b->constant) : WEFT_MIN(a->constant, b->constant);
    return;
  }
  if (!p || a->unknown || b->unknown || !add_args(p, kind, a, &list) || !add_args(p, kind, b, &list)) {
    a->unknown = true;
    return;
  }
  drop_dominated(p, kind, &list);
  if (list.n == 1) {
    poly_expr(p, a, list.arg[0]);
    return;
  }
  sort_args(p, &list);
  const weft__atom *atom = list.n <= WEFT__SYMBOL_ARGS ? function_atom(p, kind, 0, list.arg, list.n) : NULL;
  if (atom)
    poly_atom(a, atom->id);
  else
    a->unknown = true;
}

// ---- the pool ----

weft_status weft_symbols_create(const weft_allocator *a, weft_symbols **out) {
  WEFT_NEED(NULL, out);
  weft_allocator alloc = a ? *a : weft_allocator_default();
  weft_symbols *p = weft__alloc(&alloc, sizeof *p, _Alignof(weft_symbols));
  if (!p)
    return WEFT_E_NOMEM;
  memset(p, 0, sizeof *p);
  p->alloc = alloc;
  weft__arena_init(&p->arena, &alloc);
  weft__map_init(&p->expr_map, &alloc);
  weft__map_init(&p->name_map, &alloc);
  weft__map_init(&p->function_map, &alloc);
  *out = p;
  return WEFT_OK;
}

void weft_symbols_destroy(weft_symbols *p) {
  if (!p)
    return;
  weft_allocator alloc = p->alloc;
  weft__map_deinit(&p->expr_map);
  weft__map_deinit(&p->name_map);
  weft__map_deinit(&p->function_map);
  WEFT_VEC_FREE(&alloc, p->exprs);
  WEFT_VEC_FREE(&alloc, p->atoms);
  weft__arena_deinit(&p->arena);
  weft__free(&alloc, p, sizeof *p, _Alignof(weft_symbols));
}

static weft__atom *name_atom(weft_symbols *p, const char *name, size_t name_bytes) {
  weft__atom *a = weft__map_find(&p->name_map, name, name_bytes);
  if (a)
    return a;
  a = new_atom(p, WEFT__ATOM_NAME);
  if (!a)
    return NULL;
  a->name = weft__arena_strdup(&p->arena, name, name_bytes);
  a->name_bytes = name_bytes;
  a->hi = WEFT__PLUS_INF;
  if (!a->name || weft__map_set(&p->name_map, a->name, name_bytes, a))
    return NULL;
  p->atoms.v[p->atoms.n++] = a;
  return a;
}

weft_dim weft_dim_symbol(weft_symbols *p, const char *name, size_t name_bytes, int64_t min, int64_t max) {
  if (!p || !name)
    return -1;
  weft__poly a;
  if (!p || !name_bytes || name_bytes > WEFT__SYMBOL_NAME || min < 0 || max < -1 || (max >= 0 && max < min))
    return WEFT_DIM_UNKNOWN;
  weft__atom *atom = name_atom(p, name, name_bytes);
  if (!atom)
    return WEFT_DIM_UNKNOWN;
  // Both ranges hold when a name is used twice; contradictory ones leave the first.
  int64_t lo = WEFT_MAX(atom->lo, min);
  int64_t hi = max < 0 ? atom->hi : WEFT_MIN(atom->hi, max);
  if (lo <= hi) {
    atom->lo = lo;
    atom->hi = hi;
  }
  poly_atom(&a, atom->id);
  return weft__poly_finish(p, &a);
}

void weft__expr_bounds(const weft_symbols *p, size_t index, int64_t *out_lo, int64_t *out_hi) {
  const weft__expr *e = p->exprs.v[index];
  interval b = terms_bounds(p, e->constant, e->term, e->n);
  *out_lo = b.lo;
  *out_hi = b.hi;
}
// SPDX-License-Identifier: Apache-2.0
