// single.c - one operator without a graph (R2): the same inference and the same call as a node of a graph.
#include "base/told.h"
#include "base/allocated.h"
#include "op/infer_node.h"
#include "tensor/tensor.h"

typedef struct single {
  weft_env *env;
  weft_arena arena;
  weft_frame frame;
  weft_symbols *symbols;
  weft_desc_full desc;
  weft_fact *facts;  // of the given inputs
  const weft_fact **in;
  const weft_tensor **tensors;  // present instances
} single;

// What the caller gives.
typedef struct single_call {
  const weft_proto *p;
  const weft_use *use;
  const weft_tensor *const *in;
  size_t n_in, n_out;
  const weft__budget *budget;
} single_call;

// What a caller hands in is checked whole: everything behind it relies on ranks, dims and sizes. Without
// `complete` dims may be unknown and data absent.
static weft_status check_given(const weft_tensor *t, bool complete, size_t i, int depth, weft_diag *d) {
  char text[256];
  if (t->kind >= WEFT__KINDS || depth > WEFT__TENSOR_DEPTH) {
    return weft_fail(d, WEFT_E_TYPE, "input %zu: %u is not a kind of value, or it is nested too deep", i,
                     t->kind);
  }
  weft_dtype dtype = t->kind == WEFT_KIND_TENSOR ? t->dtype : t->item_dtype;
  if (!weft_dtype_known(dtype) && (t->kind == WEFT_KIND_TENSOR || dtype != WEFT_UNDEFINED))
    return weft_fail(d, WEFT_E_DTYPE, "input %zu: %u is not a dtype", i, dtype);
  if (t->kind != WEFT_KIND_TENSOR) {
    for (size_t k = 0; k < t->n_items; k++) {
      const weft_tensor *item = t->items ? t->items[k] : NULL;
      if (!item)
        return weft_fail(d, WEFT_E_MISSING, "input %zu: item %zu is not there", i, k);
      weft_dtype of = item->kind == WEFT_KIND_TENSOR ? item->dtype : item->item_dtype;
      bool key = weft__kind_is_map(t->kind) && k == 0;
      if (of != dtype && !key) {
        return weft_fail(d, WEFT_E_DTYPE, "input %zu: item %zu is %s, expected %s", i, k,
                         weft_dtype_serial(of), weft_dtype_serial(dtype));
      }
      if (item->kind == WEFT_KIND_TENSOR && weft__format_packed(item->format)) {
        return weft_fail(d, WEFT_E_FORMAT, "input %zu: item %zu has packed format %s, expected a plain one",
                         i, k, weft_format_text(item->format, text, sizeof text));
      }
      WEFT_TRY(check_given(t->items[k], complete, i, depth + 1, d));
    }
    if (weft__kind_is_map(t->kind) && (complete || t->n_items))
      WEFT_TRY(weft__map_check(t, d));
    return WEFT_OK;
  }
  const weft_shape *shapes[2] = {&t->layout.origin, &t->layout.storage};
  for (int k = 0; k < 2; k++) {
    const weft_shape *s = shapes[k];
    if (s->rank > WEFT_MAX_RANK && s->rank != WEFT_RANK_UNSET) {
      return weft_fail(d, WEFT_E_LIMIT, "input %zu: rank %zu is over the limit of %d", i, s->rank,
                       WEFT_MAX_RANK);
    }
    int64_t elems = -1;
    int64_t need = -1;
    bool bad = s->rank == WEFT_RANK_UNSET || (weft_shape_elems(s, &elems) && t->data);
    for (size_t n = 0; !bad && !weft_shape_is_unknown_rank(s) && n < s->rank; n++)
      bad = s->dim[n] < -1;
    if (elems >= 0)
      need = weft_dtype_bytes(elems, t->dtype);
    if (bad || ((complete || t->data) && need < 0)) {
      return weft_fail(d, WEFT_E_SHAPE, "input %zu: %sshape %s is not one of a tensor%s", i,
                       k ? "storage " : "", weft_shape_text(s, NULL, text, sizeof text),
                       t->data ? " with data" : "");
    }
    if (complete && !t->data)
      return weft_fail(d, WEFT_E_MISSING, "input %zu has no data", i);
    if (t->data && t->bytes < (size_t)need) {
      return weft_fail(d, WEFT_E_SHAPE, "input %zu: %sshape %s of %s needs %lld bytes, the tensor has %zu", i,
                       k ? "storage " : "", weft_shape_text(s, NULL, text, sizeof text),
                       weft_dtype_serial(t->dtype), (long long)need, t->bytes);
    }
  }
  return WEFT_OK;
}

static weft_status check_each(const single_call *c, bool complete, weft_diag *d) {
  for (size_t i = 0; i < c->n_in; i++) {
    if (c->in[i])
      WEFT_TRY(check_given(c->in[i], complete, i, 0, d));
  }
  return WEFT_OK;
}

static weft_status check_all(const single_call *c, bool complete, weft_diag *d) {
  weft_status s = check_each(c, complete, d);
  if (s)
    weft_note(d, "in the call of operator '%s'", c->p->name);
  return s;
}

// Instances per port, unless the caller says them.
static weft_status single_counts(single *s, const single_call *c, weft_use *full, weft_diag *d) {
  uint32_t *counts = WEFT_NEW_N(&s->arena, uint32_t, (size_t)c->p->n_in + 1);
  bool *present = WEFT_NEW_N(&s->arena, bool, c->n_in + 1);
  WEFT_TRY(weft__allocated(counts && present, d));
  if (full->in_counts)
    return WEFT_OK;
  for (size_t i = 0; i < c->n_in; i++)
    present[i] = c->in[i] != NULL;
  weft_status st = weft__bind_inputs(c->p, present, c->n_in, counts, d);
  if (st)
    weft_note(d, "in node '%s' (%s)", full->name ? full->name : c->p->name, c->p->name);
  full->in_counts = counts;
  return st;
}

static weft_status single_prepare(single *s, const single_call *c, weft_diag *d) {
  const weft_proto *p = c->p;
  if (c->n_in > 1u << 20)
    return weft_fail(d, WEFT_E_LIMIT, "%zu inputs", c->n_in);
  s->facts = WEFT_NEW_N(&s->arena, weft_fact, c->n_in + 1);
  s->in = WEFT_NEW_N(&s->arena, const weft_fact *, c->n_in + 1);
  s->tensors = WEFT_NEW_N(&s->arena, const weft_tensor *, c->n_in + 1);
  WEFT_TRY(weft__allocated(s->facts && s->in && s->tensors, d));
  size_t n = 0;
  for (size_t i = 0; i < c->n_in; i++) {
    if (!c->in[i])
      continue;
    s->facts[n] = weft__fact_of_tensor(c->in[i]);
    s->tensors[n] = c->in[i];
    s->in[n] = &s->facts[n];
    n++;
  }
  weft_use full = c->use ? *c->use : (weft_use){0};
  WEFT_TRY(single_counts(s, c, &full, d));
  WEFT_TRY(weft__desc_make(&s->arena, p, &full, n, &s->desc, d));
  if (s->desc.pub.n_out != c->n_out) {
    return weft_fail(d, WEFT_E_INVALID, "operator '%s' has %u outputs here, the caller expects %zu", p->name,
                     s->desc.pub.n_out, c->n_out);
  }
  return WEFT_OK;
}

// All that the call needs on the way is counted by its budget.
static weft_status single_begin(single *s, weft_env *e, const weft__budget *b, weft_diag *d) {
  memset(s, 0, sizeof *s);
  s->env = e;
  weft__arena_init(&s->arena, &b->self);
  weft__frame_init(&s->frame, e, NULL);
  s->frame.alloc = b->self;
  if (weft_symbols_create(&b->self, &s->symbols))
    return weft_fail(d, WEFT_E_NOMEM, "out of memory");
  s->frame.symbols = s->symbols;
  return WEFT_OK;
}

// Everything that comes before inference.
static weft_status single_ready(single *s, weft_env *e, const single_call *c, bool complete, weft_diag *d) {
  WEFT_TRY(single_begin(s, e, c->budget, d));
  WEFT_TRY(check_all(c, complete, d));
  WEFT_TRY(single_prepare(s, c, d));
  return weft__budget_poll((weft__budget *)(uintptr_t)c->budget, d);
}

static weft_status single_infer(single *s, weft_env *e, const single_call *c, weft_diag *d) {
  WEFT_TRY(single_ready(s, e, c, false, d));
  return weft__infer_node(&s->frame, c->p, &s->desc.pub, s->in, WEFT_STAGE_BUILD, d);
}

static void end(single *s) {
  weft__desc_drop(&s->desc);
  weft__frame_deinit(&s->frame);
  weft_symbols_destroy(s->symbols);
  weft__arena_deinit(&s->arena);
}

static void single_describe(const weft_fact *f, weft_tensor_desc *out) {
  weft_desc_init(out);
  out->dtype = f->dtype;
  out->kind = f->kind;
  out->format = f->format;
  out->origin_format = f->origin_format;
  weft__fact_shape(f, &out->layout.origin);
  for (size_t k = 0; k < out->layout.origin.rank; k++) {
    if (out->layout.origin.dim[k] < WEFT_DIM_SYMBOL_LIMIT)
      out->layout.origin.dim[k] = -1;
  }
  if (weft_format_storage_shape(&out->layout.origin, f->origin_format, f->format, 0, &out->layout.storage,
                                NULL))
    weft_shape_copy(&out->layout.storage, &out->layout.origin);
  out->has_range = f->min != NULL;
  for (size_t k = 0; f->min && k < f->rank; k++) {
    out->min.dim[k] = f->min[k];
    out->max.dim[k] = f->max[k];
  }
  if (f->min)
    out->min.rank = out->max.rank = f->rank;
}

weft_status weft_infer_op_sized(weft_env *e, const weft_proto *p, const weft_use *use,
                                const weft_tensor *const *in, size_t n_in, weft_tensor_desc *out,
                                size_t out_bytes, size_t n_out, weft_diag *d) {
  WEFT_NEED(d, e);
  WEFT_NEED(d, p);
  WEFT_NEED_LIST(d, in, n_in);
  WEFT_NEED_LIST(d, out, n_out);
  weft_diag own = {0};
  weft__budget budget;
  if (!d)
    d = &own;
  weft__budget_init(&budget, &e->alloc);
  weft__allowance before = weft__budget_begin(&budget, NULL, &e->limits);
  single s;
  const single_call c = {.p = p, .use = use, .in = in, .n_in = n_in, .n_out = n_out, .budget = &budget};
  weft_status st = single_infer(&s, e, &c, d);
  for (size_t i = 0; !st && i < n_out; i++) {
    weft_tensor_desc one;
    single_describe(&s.frame.facts[i], &one);
    weft__sized_fill((char *)out + i * out_bytes, out_bytes, &one, sizeof one);
  }
  end(&s);
  return weft__told(weft__budget_end(&budget, &before, st, d), d);
}

static weft_status fact_of_desc(const weft_tensor_desc *t, size_t i, weft_fact *out, weft_diag *d) {
  const weft_shape *s = &t->layout.origin;
  if (s->rank > WEFT_MAX_RANK) {
    return weft_fail(d, WEFT_E_LIMIT, "description of output %zu: rank %zu is over the limit of %d", i,
                     s->rank, WEFT_MAX_RANK);
  }
  if (!weft_dtype_known(t->dtype))
    return weft_fail(d, WEFT_E_DTYPE, "description of output %zu: %u is not a dtype", i, t->dtype);
  *out = (weft_fact){.dtype = t->dtype,
                     .kind = t->kind,
                     .set = true,
                     .dims = s->dim,
                     .origin_format = t->origin_format,
                     .format = t->format,
                     .unknown_rank = weft_shape_is_unknown_rank(s)};
  if (!out->unknown_rank)
    out->rank = (uint8_t)s->rank;
  return WEFT_OK;
}

// What is given of output `i` must agree with what was inferred; it may tell more (a shape that data decide).
static weft_status merge_given(const weft_fact *given, size_t i, weft_fact *f, weft_diag *d) {
  if (given->dtype != f->dtype || given->kind != f->kind) {
    return weft_fail(d, WEFT_E_DTYPE, "description of output %zu: %s is given, %s was inferred", i,
                     weft_dtype_serial(given->dtype), weft_dtype_serial(f->dtype));
  }
  bool same = given->unknown_rank || f->unknown_rank || given->rank == f->rank;
  for (uint32_t k = 0; same && !given->unknown_rank && !f->unknown_rank && k < f->rank; k++)
    same = given->dims[k] < 0 || f->dims[k] < 0 || given->dims[k] == f->dims[k];
  if (!same) {
    weft_shape s;
    weft_shape t;
    char a[256];
    char b[256];
    weft__fact_shape(given, &s);
    weft__fact_shape(f, &t);
    return weft_fail(d, WEFT_E_SHAPE, "description of output %zu: shape %s is given, %s was inferred", i,
                     weft_shape_text(&s, NULL, a, sizeof a), weft_shape_text(&t, NULL, b, sizeof b));
  }
  if (!weft__fact_known(f) && weft__fact_known(given)) {
    f->unknown_rank = false;
    f->rank = given->rank;
    f->dims = given->dims;
  }
  return WEFT_OK;
}

// Without inference nothing else looks at the dtypes of the inputs before the kernel does.
static weft_status check_dtypes(const single *s, const weft_proto *p, weft_diag *d) {
  const weft_op_desc *n = &s->desc.pub;
  for (uint32_t port = 0; port < p->n_in; port++) {
    for (uint32_t k = 0; k < n->in_port[port].count; k++) {
      weft_dtype t = s->in[n->in_port[port].start + k]->dtype;
      char set[256];
      if (!(weft_proto_dtypes(p, &p->in[port]) & WEFT_BIT(t))) {
        return weft_fail(d, WEFT_E_DTYPE, "input '%s': got %s, expected %s", p->in[port].name,
                         weft_dtype_serial(t),
                         weft_dtype_set_text(weft_proto_dtypes(p, &p->in[port]), set, sizeof set));
      }
    }
  }
  return WEFT_OK;
}

// Descriptions beside what was inferred; NULL: none are given.
static weft_status merge_all(const weft_tensor_desc *out_desc, size_t n_out, weft_fact *facts, weft_diag *d) {
  for (size_t i = 0; out_desc && i < n_out; i++) {
    weft_fact given;
    WEFT_TRY(fact_of_desc(weft__desc_at(out_desc, i), i, &given, d));
    WEFT_TRY(merge_given(&given, i, &facts[i], d));
  }
  return WEFT_OK;
}

// Descriptions in place of inference.
static weft_status take_all(const single *s, const weft_proto *p, const weft_tensor_desc *out_desc,
                            size_t n_out, weft_fact *facts, weft_diag *d) {
  WEFT_TRY(check_dtypes(s, p, d));
  for (size_t i = 0; i < n_out; i++)
    WEFT_TRY(fact_of_desc(weft__desc_at(out_desc, i), i, &facts[i], d));
  return WEFT_OK;
}

static weft_status single_run(single *s, const weft_proto *p, weft__budget *budget, weft_tensor *out,
                              size_t n_out, const weft_tensor_desc *out_desc, weft_diag *d) {
  const weft_call_options o = {.alloc = &budget->self, .budget = budget, .updates = true};
  if (out_desc && n_out)
    WEFT_TRY(weft__desc_check(out_desc, "weft_run_op", d));
  bool infers = !out_desc || p->op->infer || !weft__proto_refusal(p);
  weft_fact *facts;
  if (infers) {
    WEFT_TRY(weft__infer_node(&s->frame, p, &s->desc.pub, s->in, WEFT_STAGE_RUN, d));
    facts = s->frame.facts;
  } else if (!(facts = WEFT_NEW_N(&s->arena, weft_fact, n_out + 1))) {
    return weft_fail(d, WEFT_E_NOMEM, "out of memory");
  }
  weft_status st = infers ? merge_all(out_desc, n_out, facts, d) : take_all(s, p, out_desc, n_out, facts, d);
  if (st) {
    weft_note(d, "in the call of operator '%s'", p->name);
    return st;
  }
  weft_tensor **outs = WEFT_NEW_N(&s->arena, weft_tensor *, n_out + 1);
  WEFT_TRY(weft__allocated(outs, d));
  for (size_t i = 0; i < n_out; i++)
    outs[i] = &out[i];
  const weft__node_call call = {
      .proto = p, .desc = &s->desc.pub, .in = s->tensors, .facts = facts, .out = outs, .options = &o};
  return weft__call_node(s->env, &call, d);
}

weft_status weft_run_op(weft_env *e, const weft_proto *p, const weft_use *use, const weft_tensor *const *in,
                        size_t n_in, weft_tensor *out, size_t n_out, const weft_tensor_desc *out_desc,
                        weft_diag *d) {
  WEFT_NEED_LIST(d, out, n_out);
  for (size_t i = 0; i < n_out; i++)
    weft_tensor_init(&out[i], e ? &e->alloc : NULL);
  WEFT_NEED(d, e);
  WEFT_NEED(d, p);
  WEFT_NEED_LIST(d, in, n_in);
  weft_diag own = {0};
  weft__budget budget;
  if (!d)
    d = &own;
  weft__budget_init(&budget, &e->alloc);
  weft__allowance before = weft__budget_begin(&budget, NULL, &e->limits);
  for (size_t i = 0; i < n_out; i++)
    weft_tensor_init(&out[i], &budget.self);
  single s;
  const single_call c = {.p = p, .use = use, .in = in, .n_in = n_in, .n_out = n_out, .budget = &budget};
  weft_status st = single_ready(&s, e, &c, true, d);
  if (!st)
    st = single_run(&s, p, &budget, out, n_out, out_desc, d);
  end(&s);
  for (size_t i = 0; i < n_out; i++)
    weft__tensor_hand_over(&out[i], &e->alloc);
  return weft__told(weft__budget_end(&budget, &before, st, d), d);
}
// SPDX-License-Identifier: Apache-2.0
