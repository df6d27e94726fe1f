// convert_simplify.c - makes a model smaller without changing what it computes. Each rewrite keeps the names
// of graph outputs and of what bodies read:
//   a node whose outputs inference knows becomes initializers;
//   a node that hands its input through (Identity, Dropout, Reshape to the same shape, ...) is bypassed;
//   a Reshape of a Reshape reads the first one's input, a target computed from dims becomes numbers
//   (convert_reshape.c);
//   BatchNormalization behind Conv goes into the weights (convert_bn.c);
//   an If whose condition is known gives way to the branch that is taken (convert_if.c);
//   bodies are simplified as models of their own (convert_bodies.c);
//   what nobody reads is removed; initializers with the same data become one.
// Folding and bypassing are exact; the new Conv weights are computed in double and rounded once.
// No rewrite changes what is known of a value that stays, so that inference runs once for all of them. When
// what was folded is shape arithmetic, which inference follows element by element, or when a branch or a body
// changed, the whole step is worth another turn: nodes behind it may be evaluated then.
#include "frontend/onnx/edit.h"

enum { FILL_BYTES = 4096 };  // a value of one repeated number is not worth more bytes than this

typedef struct tally {  // how often, by operator
  struct {
    onnx_str op;
    size_t n;
  } v[48];
  size_t n;
  size_t total;
} tally;

static void convert_simplify_add(tally *t, onnx_str op) {
  size_t i = 0;
  t->total++;
  while (i < t->n && !onnx_str_same(t->v[i].op, op))
    i++;
  if (i == WEFT_COUNT(t->v))
    return;
  if (i == t->n)
    t->v[t->n++].op = op;
  t->v[i].n++;
}

static void convert_simplify_say(const onnx_edit *e, const char *what, const tally *t) {
  char text[512] = "";
  size_t at = 0;
  if (!t->total)
    return;
  for (size_t i = 0; i < t->n && at < 400; i++) {
    weft__append(text, sizeof text, &at, "%s%.*s %zu", i ? ", " : "", (int)WEFT_MIN(t->v[i].op.bytes, 60),
                 t->v[i].op.text, t->v[i].n);
  }
  weft__edit_say(e, "%s: %zu (%s)", what, t->total, text);
}

// ---- constants ----

static bool one_number(const weft_tensor *t) {
  size_t size = weft_dtype_bits(t->dtype) / 8;
  if (!size || t->dtype == WEFT_STRING || t->bytes <= FILL_BYTES)
    return false;
  return !memcmp(t->data, (const char *)t->data + size, t->bytes - size);
}

static bool convert_simplify_fits(onnx_edit *e, const edit_node *n, const edit_value *v) {
  const weft_tensor *t = weft__edit_known(e, v);
  size_t most = e->o->max_value_bytes ? e->o->max_value_bytes : (size_t)1 << 20;
  if (!t || !weft__edit_elem_type(t->dtype))
    return false;
  if (weft__edit_builtin(e, n, "Constant"))
    return true;  // its data are in the file already
  return t->bytes <= most && !one_number(t);
}

static bool foldable(onnx_edit *e, const edit_node *n) {
  bool any = false;
  for (size_t i = 0; i < n->n->attributes.n; i++) {
    if (weft__edit_external(n->n->attributes.v[i].t) || n->n->attributes.v[i].sparse_tensor)
      return false;
  }
  for (uint32_t i = 0; i < n->n_out; i++) {
    if (!weft__edit_wanted(n->out[i]))
      continue;
    if (n->out[i]->producer != n || n->out[i]->init || !convert_simplify_fits(e, n, n->out[i]))
      return false;
    any = true;
  }
  return any;
}

static weft_status fold(onnx_edit *e, edit_node *n) {
  for (uint32_t i = 0; i < n->n_out; i++) {
    if (!weft__edit_wanted(n->out[i]))
      continue;
    const weft_tensor *t = weft__edit_data(e, n->out[i]);
    e->again |= !t;
    if (!t && !(t = weft__edit_known(e, n->out[i])))
      return weft__edit_nomem(e);
    WEFT_TRY(weft__edit_add_tensor(e, n->out[i], t));
  }
  n->gone = true;
  return WEFT_OK;
}

// ---- what hands its input through ----

static bool convert_simplify_same_shape(const onnx_edit *e, const edit_node *n, weft_tensor_desc *a,
                                        weft_tensor_desc *b) {
  if (!weft__edit_desc(e, n->in[0], a) || !weft__edit_desc(e, n->out[0], b))
    return false;
  const weft_shape *x = &a->layout.origin;
  const weft_shape *y = &b->layout.origin;
  bool tensors = a->kind == WEFT_KIND_TENSOR && b->kind == WEFT_KIND_TENSOR;
  if (!tensors || a->dtype != b->dtype)
    return false;
  if (!weft__edit_has_rank(x) || !weft__edit_has_rank(y) || x->rank != y->rank)
    return false;
  for (size_t i = 0; i < x->rank; i++) {
    if (!weft_dim_same(x->dim[i], y->dim[i]))
      return false;
  }
  return true;
}

// Only axes of one element change places.
static bool transpose_moves_nothing(const edit_node *n, const weft_shape *s) {
  const onnx_attr *a = weft__edit_attr(n, "perm");
  int64_t last = -1;
  if (a && (onnx_attr_kind(a) != ONNX_ATTR_INTS || a->ints.n != s->rank))
    return false;
  for (size_t i = 0; i < s->rank; i++) {
    int64_t axis = a ? a->ints.v[i] : (int64_t)(s->rank - 1 - i);
    if (axis < 0 || axis >= (int64_t)s->rank)
      return false;
    if (s->dim[axis] == 1)
      continue;
    if (axis < last)
      return false;
    last = axis;
  }
  return true;
}

static bool only_first_output(const edit_node *n) {
  for (uint32_t i = 1; i < n->n_out; i++) {
    if (weft__edit_wanted(n->out[i]))
      return false;
  }
  return true;
}

// The importer refuses Dropout in training mode, so that any other one hands its input through.
static bool hands_through(const onnx_edit *e, const edit_node *n) {
  static const char *const by_shape[] = {"Reshape", "Flatten", "Squeeze", "Unsqueeze",
                                         "Expand",  "Tile",    "Cast",    "CastLike"};
  weft_tensor_desc a;
  weft_tensor_desc b;
  if (!n->n_in || !n->n_out || !n->in[0] || !n->out[0] || !only_first_output(n))
    return false;
  if (weft__edit_builtin(e, n, "Identity") || weft__edit_builtin(e, n, "Dropout"))
    return true;
  if (weft__edit_builtin(e, n, "Cast") || weft__edit_builtin(e, n, "CastLike")) {
    return weft__edit_desc(e, n->in[0], &a) && weft__edit_desc(e, n->out[0], &b) &&
           a.kind == WEFT_KIND_TENSOR && a.dtype == b.dtype;
  }
  if (!convert_simplify_same_shape(e, n, &a, &b))
    return false;
  if (weft__edit_builtin(e, n, "Transpose"))
    return transpose_moves_nothing(n, &a.layout.origin);
  if (n->n_in == 1 && (weft__edit_builtin(e, n, "Concat") || weft__edit_builtin(e, n, "Sum") ||
                       weft__edit_builtin(e, n, "Max") || weft__edit_builtin(e, n, "Min") ||
                       weft__edit_builtin(e, n, "Mean")))
    return true;
  for (size_t i = 0; i < WEFT_COUNT(by_shape); i++) {
    if (weft__edit_builtin(e, n, by_shape[i]))
      return true;
  }
  return false;
}

static bool fixed(const edit_value *v) {
  return v->captured || weft__edit_seen(v);
}

// in[0] takes the place of out[0]. A name that is seen from outside stays: then the producer of in[0] makes
// it.
weft_status weft__convert_bypass(onnx_edit *e, edit_node *n, bool *out) {
  edit_value *x = n->in[0] = weft__edit_follow(n->in[0]);
  edit_value *y = n->out[0];
  (void)e;
  *out = false;
  if (x == y)
    return WEFT_OK;
  if (!fixed(y)) {
    y->alias = x;
    y->producer = NULL;
  } else {
    edit_node *p = x->producer;
    if (!p || p->gone || p->replaced || fixed(x))
      return WEFT_OK;
    for (uint32_t i = 0; i < p->n_out; i++) {
      if (p->out[i] == x)
        p->out[i] = y;
    }
    p->changed = true;
    x->alias = y;
    x->producer = NULL;
    y->producer = p;
  }
  n->gone = *out = true;
  return WEFT_OK;
}

// ---- equal initializers ----

// Bytes that are equal when dtype, dims and a hash of the data are.
static weft_status convert_simplify_key_of(onnx_edit *e, const weft_tensor *t, const char **key,
                                           size_t *bytes) {
  uint64_t head[3] = {t->dtype, t->layout.origin.rank, weft__hash(t->data, t->bytes)};
  *bytes = sizeof head + t->layout.origin.rank * sizeof(weft_dim);
  char *p = weft__arena_alloc(&e->arena, *bytes, 8);
  WEFT_TRY(weft__edit_allocated(p, e));
  memcpy(p, head, sizeof head);
  memcpy(p + sizeof head, t->layout.origin.dim, *bytes - sizeof head);
  *key = p;
  return WEFT_OK;
}

static weft_status merge_one(onnx_edit *e, weft_map *seen, edit_tensor *t, size_t *n, size_t *saved) {
  const weft_tensor *data = t->gone || weft__edit_external(t->t) ? NULL : weft__edit_data(e, t->value);
  const char *key;
  size_t bytes;
  if (!data || t->value->init != t || data->dtype == WEFT_STRING)
    return WEFT_OK;
  WEFT_TRY(convert_simplify_key_of(e, data, &key, &bytes));
  edit_value *first = weft__map_find(seen, key, bytes);
  if (!first)
    return weft__map_set(seen, key, bytes, t->value) ? weft__edit_nomem(e) : WEFT_OK;
  const weft_tensor *other = weft__edit_data(e, first);
  if (fixed(t->value) || first == t->value || other->bytes != data->bytes ||
      memcmp(other->data, data->data, data->bytes))
    return WEFT_OK;
  t->value->alias = first;
  ++*n;
  *saved += data->bytes;
  return WEFT_OK;
}

static weft_status merge_equal(onnx_edit *e, size_t *n, size_t *saved) {
  weft_map seen;
  weft_status s = WEFT_OK;
  weft__map_init(&seen, &e->env->alloc);
  for (size_t i = 0; !s && i < e->n_tensors; i++)
    s = merge_one(e, &seen, &e->tensors[i], n, saved);
  for (size_t i = 0; !s && i < e->new_tensors.n; i++)
    s = merge_one(e, &seen, e->new_tensors.v[i], n, saved);
  weft__map_deinit(&seen);
  return s;
}

// ---- all ----

static size_t count_gone(const onnx_edit *e) {
  size_t n = 0;
  for (size_t i = 0; i < e->n_nodes; i++)
    n += e->nodes[i].gone;
  return n;
}

typedef struct done {
  tally folded, bypassed, dead;
  size_t targets, views, branches, bodies, merged_bn, equal, equal_bytes;
} done;

static weft_status reshape(onnx_edit *e, edit_node *n, done *r) {
  bool was;
  WEFT_TRY(weft__convert_fix_target(e, n, &was));
  r->targets += was;
  WEFT_TRY(weft__convert_skip_view(e, n, &was));
  // it may hand its input through now
  r->views += was;
  e->again |= was;
  return WEFT_OK;
}

static weft_status one_round(onnx_edit *e, done *r) {
  bool was;
  weft__edit_count_uses(e);
  for (size_t i = 0; i < e->n_nodes; i++) {
    edit_node *n = &e->nodes[i];
    if (n->gone || n->replaced)
      continue;
    if (foldable(e, n)) {
      WEFT_TRY(fold(e, n));
      convert_simplify_add(&r->folded, n->n->op_type);
    } else if (hands_through(e, n)) {
      WEFT_TRY(weft__convert_bypass(e, n, &was));
      if (was)
        convert_simplify_add(&r->bypassed, n->n->op_type);
    } else if (n->n_captures) {
      WEFT_TRY(weft__convert_inline_if(e, n, &was));
      r->branches += was;
    } else {
      WEFT_TRY(reshape(e, n, r));
    }
  }
  weft__edit_count_uses(e);
  WEFT_TRY(weft__convert_merge_bn(e, &r->merged_bn));
  bool *before = WEFT_NEW_N(&e->arena, bool, e->n_nodes + 1);
  WEFT_TRY(weft__edit_allocated(before, e));
  for (size_t i = 0; i < e->n_nodes; i++)
    before[i] = e->nodes[i].gone;
  weft__edit_sweep(e);
  for (size_t i = 0; i < e->n_nodes; i++) {
    if (e->nodes[i].gone && !before[i])
      convert_simplify_add(&r->dead, e->nodes[i].n->op_type);
  }
  return WEFT_OK;
}

// Other tools read the type of a body's output from its producer, or from here.
static weft_status type_outputs(onnx_edit *e) {
  for (size_t i = 0; e->outer && i < e->n_outputs; i++) {
    edit_info *v = &e->outputs[i];
    if (v->value->init && !v->v->type)
      WEFT_TRY(weft__edit_info_payload(e, v->value, v, &v->payload));
  }
  return WEFT_OK;
}

static weft_status all_bodies(onnx_edit *e, done *r) {
  const edit_body_step step = {.fn = weft__convert_simplify, .values = true};
  for (size_t i = 0; i < e->n_nodes; i++) {
    edit_node *n = &e->nodes[i];
    bool changed = false;
    if (n->n_captures && !n->gone && !n->replaced)
      WEFT_TRY(weft__convert_bodies(e, n, &step, &changed));
    r->bodies += changed;
    e->again |= changed;
  }
  return WEFT_OK;
}

weft_status weft__convert_simplify(onnx_edit *e) {
  size_t most = e->o->max_value_bytes ? e->o->max_value_bytes : (size_t)1 << 20;
  WEFT_TRY(weft__edit_infer(e, most));
  done *r = WEFT_NEW(&e->arena, done);
  WEFT_TRY(weft__edit_allocated(r, e));
  for (size_t gone = count_gone(e);;) {  // each round but the last removes a node
    WEFT_TRY(one_round(e, r));
    size_t now = count_gone(e);
    if (now == gone)
      break;
    gone = now;
  }
  WEFT_TRY(all_bodies(e, r));
  WEFT_TRY(type_outputs(e));
  WEFT_TRY(merge_equal(e, &r->equal, &r->equal_bytes));
  weft__edit_sweep(e);
  convert_simplify_say(e, "nodes folded into initializers", &r->folded);
  convert_simplify_say(e, "nodes removed that hand their input through", &r->bypassed);
  if (r->merged_bn)
    weft__edit_say(e, "nodes folded into the weights of Conv: %zu (BatchNormalization)", r->merged_bn);
  if (r->targets)
    weft__edit_say(e, "targets of Reshape that are numbers now: %zu", r->targets);
  if (r->views)
    weft__edit_say(e, "Reshapes that skip a view before them: %zu", r->views);
  if (r->branches)
    weft__edit_say(e, "nodes replaced by the branch that is taken: %zu (If)", r->branches);
  if (r->bodies)
    weft__edit_say(e, "nodes whose bodies were simplified: %zu", r->bodies);
  convert_simplify_say(e, "nodes removed that nobody reads", &r->dead);
  if (r->equal)
    weft__edit_say(e, "initializers merged with equal ones: %zu (%zu bytes)", r->equal, r->equal_bytes);
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
