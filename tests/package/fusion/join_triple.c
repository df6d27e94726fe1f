// join_triple.c - a fusion of somebody's own, as a package that links against nothing: an operator, a pass
// that puts it in the place of Mul and Add, and kernels with a tiling for two devices.
#include <string.h>

#include "weft/op.h"
#include "weft/pass.h"

static weft_status infer(weft_infer *it) {
  const weft_shape *s = weft_in_shape(it, 0);
  WEFT_TRY(weft_set_out_dtype(it, 0, weft_in_dtype(it, 0)));
  return weft_set_out_shape(it, 0, s->dim, s->rank);
}
static weft_status ref(const weft_call *c) {
  const float *x = c->in[0]->data;
  const float *y = c->in[1]->data;
  float *z = c->out[0]->data;
  for (size_t i = 0; i < c->out[0]->bytes / sizeof *z; i++)
    z[i] = 3 * x[i] + y[i];
  return WEFT_OK;
}
static const weft_op triple_add = {WEFT_OP_HEAD,
                                   .name = "TripleAdd",
                                   .summary = "z = 3 x + y",
                                   .in = WEFT_PORTS({"x", "T"}, {"y", "T"}),
                                   .out = WEFT_PORTS({"z", "T"}),
                                   .types = WEFT_TYPES({"T", WEFT_DT(FLOAT)}),
                                   .infer = infer,
                                   .ref = ref,
                                   .examples = WEFT_EXAMPLES("f32[2]{1,2}, f32[2]{1,1} -> f32[2]{4,7}")};

// ---- kernels: tiles of 256 elements ----
typedef struct record {
  int64_t elems, tile;
} record;
static weft_status tile(weft_tiling *t) {
  record r = {1, 256};
  for (size_t i = 0; i < t->in[0]->origin.rank; i++)
    r.elems *= t->in[0]->origin.dim[i];
  memcpy(t->data, &r, sizeof r);
  t->data_bytes = sizeof r;
  t->blocks = r.elems ? (uint32_t)((r.elems + r.tile - 1) / r.tile) : 1;
  return WEFT_OK;
}
static weft_status run(const weft_block *b) {
  const record *r = b->data;
  const float *x = b->arg[0];
  const float *y = b->arg[1];
  float *z = b->arg[2];
  for (int64_t i = b->block * r->tile; i < r->elems && i < (b->block + 1) * r->tile; i++)
    z[i] = 3 * x[i] + y[i];
  return WEFT_OK;
}
static double cost(const weft_tiling *t) {
  (void)t;
  return 100;
}
static const weft_kernel kernels[] = {{.size = sizeof(weft_kernel),
                                       .op = "TripleAdd",
                                       .device = "cpu",
                                       .name = "triple-tiles",
                                       .cost_ns = cost,
                                       .tile = tile,
                                       .run = run},
                                      {.size = sizeof(weft_kernel),
                                       .op = "TripleAdd",
                                       .device = "npusim",
                                       .name = "triple-npu",
                                       .cost_ns = cost,
                                       .tile = tile,
                                       .run = run}};

// ---- the pass: Add(Mul(x, 3), y) of equal shapes ----
static bool same_shape(const weft_pass_host *h, const weft_value *a, const weft_value *b) {
  weft_tensor_desc p;
  weft_tensor_desc q;
  h->value_desc(a, &p);
  h->value_desc(b, &q);
  const weft_shape *s = &p.layout.origin;
  const weft_shape *t = &q.layout.origin;
  return p.dtype == WEFT_FLOAT && q.dtype == WEFT_FLOAT && s->rank == t->rank && s->rank <= WEFT_MAX_RANK &&
         !memcmp(s->dim, t->dim, s->rank * sizeof *s->dim);
}
static weft_status visit(weft_pass_run *r, weft_node *n) {
  const weft_pass_host *h = weft_pass_services(r);
  if (strcmp(h->node_type(n), "Add") || !h->may(r))
    return WEFT_OK;
  weft_node *made;
  weft_node *mul = h->value_node(h->node_in(n, 0), NULL);
  if (!mul || strcmp(h->node_type(mul), "Mul"))
    return WEFT_OK;
  const weft_tensor *k = h->value_data(h->node_in(mul, 1));
  weft_value *in[] = {h->node_in(mul, 0), h->node_in(n, 1)};
  if (!k || k->dtype != WEFT_FLOAT || k->bytes != sizeof(float) || *(const float *)k->data != 3)
    return h->skipped(r, n, "the factor is not 3"), WEFT_OK;
  if (!same_shape(h, in[0], in[1]))
    return h->skipped(r, n, "the shapes are not the same"), WEFT_OK;
  WEFT_TRY(h->add(r, n, "TripleAdd", NULL, in, 2, &made));
  const char *why = h->refuse(r, h->node_out(n, 0), h->node_out(made, 0));
  if (why)
    return h->skipped(r, n, "%s", why), WEFT_OK;
  h->did(r, n, "joined with its Mul");
  return h->replace(r, h->node_out(n, 0), h->node_out(made, 0));
}
static const weft_pass passes[] = {
    {WEFT_PASS_HEAD, "join-triple", "Mul by 3 and Add become TripleAdd", WEFT_PASS_PATTERN, .visit = visit}};

static const weft_op *const ops[] = {&triple_add};
static const weft_section sections[] = {{WEFT_SECTION_OP, 0, 1, ops},
                                        {WEFT_SECTION_KERNEL, sizeof(weft_kernel), 2, kernels},
                                        {WEFT_SECTION_PASS, sizeof(weft_pass), 1, passes}};
static const weft_package package = {sizeof package, WEFT_ABI, "fusion", "1", 3, sections};

WEFT_API const weft_package *weft_package_entry(const weft_host *h);
WEFT_API const weft_package *weft_package_entry(const weft_host *h) {
  (void)h;  // kept by those that fail by host->fail
  return &package;
}
// SPDX-License-Identifier: Apache-2.0
