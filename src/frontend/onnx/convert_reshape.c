// convert_reshape.c - Reshapes. For simplify: a view of a view reads the first one's input; a target computed
// from the input's own dims becomes numbers, with 0 and one -1 for dims that are not known. For batch: a
// model exported with a fixed first dim has Reshapes to fixed shapes, which hold it back. Here such a target
// follows its input: -1 or 0 stands for the first dim, where that gives the same shape as before. Exact for
// the model as it was; what it gives for another first dim is what the target means.
#include "frontend/onnx/edit.h"

typedef struct reshape {
  weft_tensor_desc in, out;
  const weft_tensor *target;
} reshape;

static bool all_known(const weft_shape *s) {
  if (!weft__edit_has_rank(s))
    return false;
  for (size_t i = 0; i < s->rank; i++) {
    if (s->dim[i] <= 0)
      return false;
  }
  return true;
}

// A Reshape whose operands are all there.
static bool takes_target(const onnx_edit *e, const edit_node *n) {
  if (!weft__edit_builtin(e, n, "Reshape"))
    return false;
  bool counts = n->n_in >= 2 && n->n_out;
  return counts && n->in[0] && n->in[1] && n->out[0];
}

// The target where it is known; NULL: it is not, or no list of int64.
static const weft_tensor *target_of(const onnx_edit *e, const edit_node *n) {
  const weft_tensor *t = weft__edit_data(e, n->in[1]);
  return t && t->dtype == WEFT_INT64 ? t : NULL;
}

static bool divides(int64_t dim, int64_t batch) {
  return dim > 0 && dim % batch == 0;
}

static bool convert_reshape_match(onnx_edit *e, const edit_node *n, int64_t batch, reshape *r) {
  if (!takes_target(e, n) || weft__edit_int(n, "allowzero", 0) || weft__edit_data(e, n->in[0]))
    return false;
  r->target = target_of(e, n);
  if (!r->target)
    return false;
  if (!weft__edit_desc(e, n->in[0], &r->in) || !weft__edit_desc(e, n->out[0], &r->out))
    return false;
  const weft_shape *in = &r->in.layout.origin;
  const weft_shape *out = &r->out.layout.origin;
  bool shaped = all_known(out) && weft__edit_has_rank(in);
  bool scalar = !in->rank || !out->rank;
  if (!shaped || scalar || weft_tensor_elems(r->target) != (int64_t)out->rank)
    return false;
  int64_t first = weft_load_i64(WEFT_INT64, r->target->data, 0);
  return divides(first, batch) && divides(in->dim[0], batch);
}

// The Reshape's target becomes a constant of these numbers.
static weft_status set_target(onnx_edit *e, edit_node *n, const char *suffix, const int64_t *v, size_t rank) {
  int64_t *data = WEFT_NEW_N(&e->arena, int64_t, rank + 1);
  weft_tensor *t = WEFT_NEW(&e->arena, weft_tensor);
  edit_value *name = weft__edit_fresh(e, n->in[1], suffix);
  weft_dim dim = (weft_dim)rank;
  WEFT_TRY(weft__edit_allocated(data && t && name, e));
  memcpy(data, v, rank * sizeof *v);
  weft_tensor_init(t, &e->env->alloc);
  WEFT_TRY(weft_tensor_borrow(t, WEFT_INT64, &dim, 1, data, rank * sizeof *v, e->d));
  WEFT_TRY(weft__edit_add_tensor(e, name, t));
  n->in[1] = name;
  n->changed = true;
  return WEFT_OK;
}

static weft_status free_target(onnx_edit *e, edit_node *n, const reshape *r) {
  const weft_shape *in = &r->in.layout.origin;
  const weft_shape *out = &r->out.layout.origin;
  int64_t v[WEFT_MAX_RANK];
  bool all = all_known(in);  // otherwise a -1 behind may stand for something that changes, too
  if (!all && in->dim[0] != out->dim[0])
    return WEFT_OK;
  for (size_t i = 0; i < out->rank; i++)
    v[i] = all ? out->dim[i] : weft_load_i64(WEFT_INT64, r->target->data, i);
  v[0] = all ? -1 : 0;
  edit_value *before = n->in[1];
  WEFT_TRY(set_target(e, n, "_batch", v, out->rank));
  before->mark = true;
  return WEFT_OK;
}

weft_status weft__convert_free_reshapes(onnx_edit *e, int64_t batch) {
  weft_diag *d = e->d;
  weft_diag own = {0};
  reshape r;
  size_t n = 0;
  if (e->version < 5)
    return WEFT_OK;
  e->d = &own;  // a model that cannot be inferred keeps its Reshapes
  weft_status s = weft__edit_infer(e, 1024);
  e->d = d;
  if (s == WEFT_E_NOMEM)
    return weft__edit_nomem(e);
  for (size_t i = 0; !s && i < e->n_nodes; i++) {
    if (!convert_reshape_match(e, &e->nodes[i], batch, &r))
      continue;
    n++;
    WEFT_TRY(free_target(e, &e->nodes[i], &r));
  }
  weft__edit_count_uses(e);
  for (size_t i = 0; i < e->n_tensors; i++) {  // targets that nobody reads any more
    edit_value *v = e->tensors[i].value;
    if (v->mark && !v->n_uses && !v->captured && !v->annotated && !v->output)
      e->tensors[i].gone = true;
    if (v->mark && v->input && e->tensors[i].gone)
      v->input->gone = true;
  }
  if (n)
    weft__edit_say(e, "targets of Reshape that follow the first dim now: %zu", n);
  return WEFT_OK;
}

// ---- for simplify ----

static bool is_reshape(const onnx_edit *e, const edit_node *n) {
  bool counts = n->n_in == 2 && n->n_out == 1;
  return counts && e->version >= 5 && takes_target(e, n);
}

// What inference found of the target, where that is a list of numbers and symbols; NULL: it is not.
static const weft_fact *target_fact(onnx_edit *e, const edit_node *n) {
  const weft_value *value = weft__edit_fact(e, n->in[1]);
  if (!value || !value->fact.elems)
    return NULL;
  const weft_fact *f = &value->fact;
  bool list = f->kind == WEFT_KIND_TENSOR && f->dtype == WEFT_INT64 && f->rank == 1;
  bool short_enough = f->n_elems >= 1 && f->n_elems <= WEFT_MAX_RANK;
  return list && short_enough && f->dims[0] == (int64_t)f->n_elems ? f : NULL;
}

// The number that stands for element i of the target: itself, 0 for the input's dim, -1 for any other symbol.
static int64_t fixed_elem(weft_dim elem, const weft_shape *in, size_t i) {
  if (!weft_dim_is_symbol(elem))
    return elem;
  bool has_dim = weft__edit_has_rank(in) && i < in->rank;
  return has_dim && weft_dim_same(in->dim[i], elem) ? 0 : -1;
}

// [N, 2, 58, H, W], computed: [0, 2, 58, -1, 0] says the same when N and W are the input's dims at these
// places.
weft_status weft__convert_fix_target(onnx_edit *e, edit_node *n, bool *out) {
  weft_tensor_desc in;
  int64_t v[WEFT_MAX_RANK];
  size_t open = 0;
  *out = false;
  if (!is_reshape(e, n) || weft__edit_known(e, n->in[1]) || weft__edit_int(n, "allowzero", 0))
    return WEFT_OK;
  const weft_fact *f = target_fact(e, n);
  if (!f || !weft__edit_desc(e, n->in[0], &in))
    return WEFT_OK;
  for (size_t i = 0; i < f->n_elems; i++) {
    v[i] = fixed_elem(f->elems[i], &in.layout.origin, i);
    if (v[i] < -1)
      return WEFT_OK;
    open += v[i] == -1;
  }
  if (open > 1)
    return WEFT_OK;
  *out = true;
  return set_target(e, n, "_fixed", v, f->n_elems);
}

static bool is_view(const onnx_edit *e, const edit_node *n) {
  static const char *const views[] = {"Reshape", "Flatten", "Squeeze", "Unsqueeze"};
  for (size_t i = 0; i < WEFT_COUNT(views); i++) {
    if (weft__edit_builtin(e, n, views[i]))
      return n->n_in && n->in[0] && n->n_out;
  }
  return false;
}

// The view that makes the input of n; NULL: another node, or one that is on its way out.
static edit_node *view_before(const onnx_edit *e, const edit_node *n) {
  edit_node *p = is_reshape(e, n) ? n->in[0]->producer : NULL;
  if (!p || p == n || !is_view(e, p))
    return NULL;
  bool stays = !p->gone && !p->replaced;
  return stays && p->out[0] == n->in[0] ? p : NULL;
}

static bool same_at(const weft_shape *a, const weft_shape *b, size_t i) {
  return i < a->rank && i < b->rank && weft_dim_same(a->dim[i], b->dim[i]);
}

// A 0 in the target copies a dim of the input: it must be the same dim behind the first view and before it.
weft_status weft__convert_skip_view(onnx_edit *e, edit_node *n, bool *out) {
  weft_tensor_desc from;
  weft_tensor_desc to;
  *out = false;
  edit_node *p = view_before(e, n);
  const weft_tensor *target = p ? target_of(e, n) : NULL;
  if (!target || !weft__edit_desc(e, p->in[0], &from) || !weft__edit_desc(e, n->in[0], &to))
    return WEFT_OK;
  const weft_shape *a = &from.layout.origin;
  const weft_shape *b = &to.layout.origin;
  if (from.kind != WEFT_KIND_TENSOR || !weft__edit_has_rank(a) || !weft__edit_has_rank(b))
    return WEFT_OK;
  size_t rank = (size_t)weft_tensor_elems(target);
  bool allows_zero = weft__edit_int(n, "allowzero", 0);
  for (size_t i = 0; i < rank; i++) {
    bool copies = !weft_load_i64(WEFT_INT64, target->data, i);
    if (copies && (allows_zero || !same_at(a, b, i)))
      return WEFT_OK;
  }
  n->in[0] = weft__edit_follow(p->in[0]);
  n->changed = *out = true;
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
