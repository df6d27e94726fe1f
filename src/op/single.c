// single.c - one operator without a graph (R2): the same inference and the same call as a node of a graph.
#include "op/proto.h"

typedef struct single {
  weft_env *env;
  weft_arena arena;
  weft_frame frame;
  weft_symbols *symbols;
  weft_desc_full desc;
  weft_fact *facts;               // of the given inputs
  const weft_fact **in;
  const weft_tensor **tensors;    // present instances
} single;

static weft_status prepare(single *s, const weft_proto *p, const weft_use *use, const weft_tensor *const *in, size_t n_in,
                           size_t n_out, weft_diag *d) {
  if (n_in > 1u << 20) return weft_fail(d, WEFT_E_LIMIT, "%zu inputs", n_in);
  uint32_t *counts = WEFT_NEW_N(&s->arena, uint32_t, (size_t)p->n_in + 1);
  bool *present = WEFT_NEW_N(&s->arena, bool, n_in + 1);
  s->facts = WEFT_NEW_N(&s->arena, weft_fact, n_in + 1);
  s->in = WEFT_NEW_N(&s->arena, const weft_fact *, n_in + 1);
  s->tensors = WEFT_NEW_N(&s->arena, const weft_tensor *, n_in + 1);
  if (!counts || !present || !s->facts || !s->in || !s->tensors) return weft_fail(d, WEFT_E_NOMEM, "out of memory");
  size_t n = 0;
  for (size_t i = 0; i < n_in; i++) {
    present[i] = in[i] != NULL;
    if (!in[i]) continue;
    s->facts[n] = weft__fact_of_tensor(in[i]);
    s->tensors[n] = in[i];
    s->in[n] = &s->facts[n];
    n++;
  }
  weft_use full = use ? *use : (weft_use){0};
  if (!full.in_counts) {
    weft_status st = weft__bind_inputs(p, present, n_in, counts, d);
    if (st) {
      weft_note(d, "in node '%s' (%s)", full.name ? full.name : p->name, p->name);
      return st;
    }
    full.in_counts = counts;
  }
  WEFT_TRY(weft__desc_make(&s->arena, p, &full, n, &s->desc, d));
  if (s->desc.pub.n_out != n_out)
    return weft_fail(d, WEFT_E_INVALID, "operator '%s' has %u outputs here, the caller expects %zu", p->name,
                     s->desc.pub.n_out, n_out);
  return WEFT_OK;
}

static weft_status begin(single *s, weft_env *e, weft_diag *d) {
  memset(s, 0, sizeof *s);
  s->env = e;
  weft__arena_init(&s->arena, &e->alloc);
  weft__frame_init(&s->frame, e, NULL);
  if (weft_symbols_create(&e->alloc, &s->symbols)) return weft_fail(d, WEFT_E_NOMEM, "out of memory");
  s->frame.symbols = s->symbols;
  return WEFT_OK;
}

static void end(single *s) {
  weft__frame_deinit(&s->frame);
  weft_symbols_destroy(s->symbols);
  weft__arena_deinit(&s->arena);
}

static void describe(const weft_fact *f, weft_tensor_desc *out) {
  weft_desc_init(out);
  out->dtype = f->dtype, out->kind = f->kind;
  out->format = f->format, out->origin_format = f->origin_format;
  weft__fact_shape(f, &out->layout.origin);
  for (size_t k = 0; k < out->layout.origin.rank; k++)
    if (out->layout.origin.dim[k] < WEFT_DIM_SYMBOL_LIMIT) out->layout.origin.dim[k] = -1;
  if (weft_format_storage_shape(&out->layout.origin, f->origin_format, f->format, 0, &out->layout.storage, NULL))
    weft_shape_copy(&out->layout.storage, &out->layout.origin);
  out->has_range = f->min != NULL;
  for (size_t k = 0; f->min && k < f->rank; k++) out->min.dim[k] = f->min[k], out->max.dim[k] = f->max[k];
  if (f->min) out->min.rank = out->max.rank = f->rank;
}

weft_status weft_infer_op(weft_env *e, const weft_proto *p, const weft_use *use, const weft_tensor *const *in, size_t n_in,
                          weft_tensor_desc *out, size_t n_out, weft_diag *d) {
  single s;
  weft_status st = begin(&s, e, d);
  if (!st) st = prepare(&s, p, use, in, n_in, n_out, d);
  if (!st) st = weft__infer_node(&s.frame, p, &s.desc.pub, s.in, WEFT_STAGE_BUILD, d);
  for (size_t i = 0; !st && i < n_out; i++) describe(&s.frame.facts[i], &out[i]);
  end(&s);
  return st;
}

static weft_fact fact_of_desc(const weft_tensor_desc *t) {
  weft_fact f = {.dtype = t->dtype, .kind = t->kind, .set = true, .rank = (uint8_t)t->layout.origin.rank,
                 .dims = t->layout.origin.dim, .origin_format = t->origin_format, .format = t->format};
  return f;
}

static weft_status run(single *s, const weft_proto *p, weft_tensor *out, size_t n_out, const weft_tensor_desc *out_desc,
                       weft_diag *d) {
  weft_fact *facts;
  if (out_desc) {
    facts = WEFT_NEW_N(&s->arena, weft_fact, n_out + 1);
    if (!facts) return weft_fail(d, WEFT_E_NOMEM, "out of memory");
    for (size_t i = 0; i < n_out; i++) facts[i] = fact_of_desc(&out_desc[i]);
  } else {
    WEFT_TRY(weft__infer_node(&s->frame, p, &s->desc.pub, s->in, WEFT_STAGE_RUN, d));
    facts = s->frame.facts;
  }
  weft_tensor **outs = WEFT_NEW_N(&s->arena, weft_tensor *, n_out + 1);
  if (!outs) return weft_fail(d, WEFT_E_NOMEM, "out of memory");
  for (size_t i = 0; i < n_out; i++) outs[i] = &out[i];
  return weft__call_node(s->env, p, &s->desc.pub, s->tensors, facts, outs, NULL, d);
}

weft_status weft_run_op(weft_env *e, const weft_proto *p, const weft_use *use, const weft_tensor *const *in, size_t n_in,
                        weft_tensor *out, size_t n_out, const weft_tensor_desc *out_desc, weft_diag *d) {
  for (size_t i = 0; i < n_out; i++) weft_tensor_init(&out[i], &e->alloc);
  single s;
  weft_status st = begin(&s, e, d);
  for (size_t i = 0; !st && i < n_in; i++)
    if (in[i] && in[i]->kind == WEFT_KIND_TENSOR && !in[i]->data)
      st = weft_fail(d, WEFT_E_MISSING, "input %zu has no data", i);
  if (!st) st = prepare(&s, p, use, in, n_in, n_out, d);
  if (!st) st = run(&s, p, out, n_out, out_desc, d);
  end(&s);
  return st;
}
