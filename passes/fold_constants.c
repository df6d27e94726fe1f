// fold_constants.c - nodes whose outputs can be computed now become constants (R280). What inference found
// out (the Shape of a static tensor, small arithmetic) is taken as it is; otherwise the reference kernel
// runs, the same that the interpreter would run later, so that the result is the same bit for bit. A kernel
// that fails leaves its node, which then fails when it is run. A view of a constant shares its data; of one
// that need not be in memory it is such a one, too. Bounds: results over 64 MiB in all (weights of products:
// 1 GiB, as much as they would take in every run) are made only where they are not larger than what goes in
// by more than 1 MiB, and all together never take more than that and eight times what the model's constants
// take: what is joined with itself again and again doubles each time. Products of more than 2^28
// multiplications are left.
#include "pass/match.h"
#include "base/allocated.h"
#include "tensor/tensor.h"

enum { TOTAL = 64 << 20, TOTAL_WEIGHTS = 1 << 30, SLACK = 1 << 20, WORK = 1 << 28, TIMES = 8 };

// Read by products as their weights and by nothing else.
static bool is_weight(const weft_pass_run *r, const weft_value *v) {
  for (const weft_use_link *u = v->uses; u; u = u->next) {
    int kind = weft__kind(r, u->node);
    bool product = weft__kind_in(kind, WEFT_KINDS_PRODUCT) || kind == WEFT_K_CONV_TRANSPOSE;
    if (!product || weft__use_index(u) != 1)
      return false;
  }
  return v->uses && !v->n_outputs;
}

static weft_status fold_constants_give(weft_pass_run *r, weft_node *n, weft_value *v, const weft_tensor *t,
                                       const char *done) {
  weft_value *c = weft__pass_const(r, n->graph, v->name, t, WEFT_CONST_BORROW);
  return c ? weft__pass_become(r, n, v, c, done, NULL) : r->d->status;
}

static weft_status known_outputs(weft_pass_run *r, weft_node *n) {
  for (uint32_t i = 0; i < n->desc.pub.n_out && n->graph && weft__pass_may(r); i++) {
    weft_value *v = &n->out[i];
    if (weft__value_read(v) && weft__value_has_data(v) && v->fact.value->kind == WEFT_KIND_TENSOR)
      WEFT_TRY(fold_constants_give(r, n, v, v->fact.value, "its value is known"));
  }
  return WEFT_OK;
}

static weft_status view(weft_pass_run *r, weft_node *n) {
  weft_value *v = &n->out[0];
  const weft_tensor *x = weft__arg(n, 0)->fact.value;
  weft_tensor *t = weft__graph_tensor(n->graph);
  WEFT_TRY(weft__allocated(t, r->d));
  if (weft__is_remade(n->graph, x)) {
    WEFT_TRY(weft__tensor_describe(t, x->dtype, v->fact.dims, v->fact.rank, r->d));
    WEFT_TRY(weft__remake_view(n->graph, t, x, r->d));
  } else {
    WEFT_TRY(weft_tensor_borrow(t, x->dtype, v->fact.dims, v->fact.rank, x->data, x->bytes, r->d));
  }
  t->origin_format = v->fact.origin_format;
  t->format = v->fact.format;
  return fold_constants_give(r, n, v, t, "a constant in another shape");
}

// Bytes that come in and, as far as inference knows, go out; false: not to be computed.
static bool sizes(const weft_node *n, size_t *out_in, size_t *out_out) {
  *out_in = *out_out = 0;
  for (uint32_t i = 0; i < n->desc.pub.n_in; i++)
    *out_in += n->in[i].value->fact.value->bytes;
  for (uint32_t i = 0; i < n->desc.pub.n_out; i++) {
    const weft_fact *f = &n->out[i].fact;
    int64_t elems = 1;
    int64_t bytes = -1;
    bool known = weft__fact_known(f);
    if (!known && !n->desc.proto->op->execute)
      return false;
    for (uint32_t k = 0; known && k < f->rank; k++)
      known = weft__mul_i64(elems, f->dims[k], &elems);
    if (known)
      bytes = weft_dtype_bytes(elems, f->dtype);
    if (bytes >= 0 && (uint64_t)bytes < SIZE_MAX / 4)
      *out_out += (size_t)bytes;
    if (weft__fact_known(f) && bytes < 0 && f->dtype != WEFT_STRING)
      return false;
  }
  return true;
}

// What may still be made, whatever goes in.
static size_t folded_left(weft_pass_run *r, size_t total) {
  if (!r->given_bytes) {
    r->given_bytes = 1;
    for (const weft_graph *g = r->root->root->graphs; g; g = g->next_graph) {
      for (size_t i = 0; i < g->consts.n; i++)
        r->given_bytes += g->consts.v[i]->fact.value->bytes;
    }
  }
  size_t given = WEFT_MIN(r->given_bytes, SIZE_MAX / 2 / TIMES);
  size_t most = total + TIMES * given;
  return most - WEFT_MIN(r->folded_bytes, most);
}

// `most` bytes may be made, the contents of strings included.
static weft_status fold_constants_call(weft_pass_run *r, weft_node *n, size_t most, weft_tensor **out,
                                       weft_diag *d) {
  const weft_op_desc *desc = &n->desc.pub;
  const weft_tensor **in = WEFT_NEW_N(&r->scratch, const weft_tensor *, desc->n_in + 1);
  weft_fact *facts = WEFT_NEW_N(&r->scratch, weft_fact, desc->n_out + 1);
  WEFT_TRY(weft__allocated(in && facts, d));
  for (uint32_t i = 0; i < desc->n_in; i++) {
    in[i] = n->in[i].value->fact.value;
    WEFT_TRY(weft__remake_wake(n->graph, in[i], false, d));
  }
  for (uint32_t i = 0; i < desc->n_out; i++) {
    facts[i] = n->out[i].fact;
    out[i] = weft__graph_tensor(n->graph);
    WEFT_TRY(weft__allocated(out[i], d));
  }
  weft__budget *b = &r->root->root->budget;
  const weft_limits limits = {.size = sizeof limits, .memory_limit_bytes = weft__budget_live(b) + most};
  const weft_call_options o = {.alloc = &b->self, .budget = b};
  const weft__node_call call = {
      .proto = n->desc.proto, .desc = desc, .in = in, .facts = facts, .out = out, .options = &o};
  weft__allowance before = weft__budget_begin(b, &limits, NULL);
  weft_status s = weft__call_node(r->env, &call, d);
  bool refused = s == WEFT_E_NOMEM && atomic_exchange(&b->refused_bytes, 0);
  s = weft__budget_end(b, &before, s, d);
  return refused ? WEFT_E_LIMIT : s;
}

// One number everywhere: made when somebody wants it in memory.
static weft_status fold_constants_fill(weft_pass_run *r, weft_node *n, size_t bytes) {
  weft_value *y = &n->out[0];
  const weft_tensor *one = weft__arg(n, 1)->fact.value;
  weft_tensor *t = weft__graph_tensor(n->graph);
  WEFT_TRY(weft__allocated(t, r->d));
  WEFT_TRY(weft__tensor_describe(t, one->dtype, y->fact.dims, y->fact.rank, r->d));
  WEFT_TRY(weft__remake_filled(n->graph, t, bytes, one, r->d));
  r->folded_bytes += bytes;
  return fold_constants_give(r, n, y, t, "computed");
}

static bool is_filling(const weft_node *n) {
  const weft_fact *y = &n->out[0].fact;
  const weft_dtype_set floats = WEFT_DT(FLOAT) | WEFT_DT(DOUBLE) | WEFT_DT(FLOAT16) | WEFT_DT(BF16);
  return (floats & WEFT_BIT(y->dtype)) && !strcmp(n->desc.proto->op->name, "Fill") && weft__fact_known(y) &&
         y->format <= WEFT_ND;
}

static weft_status compute(weft_pass_run *r, weft_node *n) {
  size_t in;
  size_t made;
  uint32_t n_out = n->desc.pub.n_out;
  if (!sizes(n, &in, &made))
    return WEFT_OK;
  size_t total = n_out == 1 && is_weight(r, &n->out[0]) ? TOTAL_WEIGHTS : TOTAL;
  size_t left = folded_left(r, total);
  bool grows = made > total - WEFT_MIN(r->folded_bytes, total) && made > in + SLACK;
  if (grows || made > left) {
    weft__pass_skipped(r, n, "its %zu bytes would make the model too large", made);
    return WEFT_OK;
  }
  if (weft_node_flops(n) > WORK) {
    weft__pass_skipped(r, n, "it takes too many operations to do now");
    return WEFT_OK;
  }
  enum { FEW = 64 << 10 };
  if (made >= FEW && is_filling(n))
    return fold_constants_fill(r, n, made);
  weft_diag own = {0};
  weft_tensor **out = WEFT_NEW_N(&r->scratch, weft_tensor *, n_out + 1);
  WEFT_TRY(weft__allocated(out, r->d));
  weft_status s = fold_constants_call(r, n, left, out, &own);
  if (s == WEFT_E_NOMEM || s == WEFT_E_CANCELLED)
    return weft_fail(r->d, s, "%s", own.text);
  if (s) {
    for (uint32_t i = 0; i < n_out; i++)
      weft_tensor_deinit(out[i]);
    weft__pass_skipped(r, n, "its kernel fails: %s", own.text);
    return WEFT_OK;
  }
  size_t taken = 0;  // with the contents of strings
  for (uint32_t i = 0; i < n_out; i++)
    taken += out[i]->capacity;
  r->folded_bytes += WEFT_MAX(made, taken);
  for (uint32_t i = 0; i < n_out && n->graph; i++) {
    weft_value *v = &n->out[i];
    if (weft__value_read(v) && out[i]->kind == WEFT_KIND_TENSOR)
      WEFT_TRY(fold_constants_give(r, n, v, out[i], "computed"));
  }
  return WEFT_OK;
}

// A transpose of a matrix that others read as it is, too: it becomes the flag of its products
// (move-transposes) instead of a second copy.
static bool is_flag(const weft_pass_run *r, const weft_node *n) {
  uint8_t p[WEFT_MAX_RANK];
  size_t rank;
  if (!weft__perm(r, n, p, &rank) || rank != 2 || p[0] != 1 || weft__arg(n, 0)->n_uses < 2 ||
      n->out[0].n_outputs)
    return false;
  for (const weft_use_link *u = n->out[0].uses; u; u = u->next) {
    int kind = weft__kind(r, u->node);
    if (!weft__kind_in(kind, WEFT_KINDS_MATMUL | WEFT_KINDS_GEMM))
      return false;
  }
  return true;
}

static weft_status fold_constants_visit(weft_pass_run *r, weft_node *n) {
  const weft_proto *p = n->desc.proto;
  if ((p->op->traits & (WEFT_SIDE_EFFECT | WEFT_RANDOM)) || n->n_graphs || !n->desc.pub.n_out)
    return WEFT_OK;
  bool known = true;
  bool used = false;
  for (uint32_t i = 0; i < n->desc.pub.n_in && known; i++) {
    const weft_value *v = n->in[i].value;
    known = weft__value_has_data(v) && v->fact.value->kind == WEFT_KIND_TENSOR;
  }
  for (uint32_t i = 0; i < n->desc.pub.n_out; i++) {
    const weft_value *v = &n->out[i];
    used |= weft__value_read(v);
    if (weft__value_read(v) && v->fact.value)
      return known_outputs(r, n);
  }
  int kind = weft__kind(r, n);
  if (!known || !used || kind == WEFT_K_IDENTITY || is_flag(r, n))
    return WEFT_OK;
  if (weft__kind_is_view(kind) && weft__fact_known(&n->out[0].fact) && n->out[0].fact.dtype != WEFT_STRING &&
      n->out[0].fact.format <= WEFT_ND)
    return view(r, n);
  if (!p->op->ref && (p->source != WEFT_FROM_BUILTIN || !p->op->execute)) {
    weft__pass_skipped(r, n, "its inputs are known, but it has no reference kernel");
    return WEFT_OK;
  }
  return compute(r, n);
}

WEFT_PASS(fold_constants) = {WEFT_PASS_HEAD, "fold-constants", "computes what does not depend on the inputs",
                             WEFT_PASS_SIMPLIFY, .visit = fold_constants_visit};
// SPDX-License-Identifier: Apache-2.0
