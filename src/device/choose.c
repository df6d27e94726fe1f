// choose.c - which kernel runs a node: of those that do not refuse, the one of least cost; the first among
// equals. A region of one operator in packed formats is offered to that operator's own kernels, too: so a
// package brings kernels for NC1HWC0 without knowing about regions.
#include "device/device.h"

#include "op/infer_node.h"

static bool any_packed(const weft_tiling *t) {
  for (uint32_t i = 0; t->in_format && i < t->n_in; i++) {
    if (weft__format_packed(t->in_format[i]))
      return true;
  }
  for (uint32_t i = 0; t->out_format && i < t->n_out; i++) {
    if (weft__format_packed(t->out_format[i]))
      return true;
  }
  return false;
}

// Why a kernel does not take a node; NULL: it does.
static const char *refusal(const weft_kernel *k, const weft_tiling *t) {
  const char *wanted = t->desc->op->kernel;
  if (wanted && (!k->name || strcmp(k->name, wanted)))
    return "is not the kernel that the operator names";
  if (!k->run)
    return "has no function for a block";
  if (!weft__kernel_tile(k, t->desc))
    return "has no tiling function";
  return k->refuse ? k->refuse(t) : NULL;
}

// The operator that is alone in a region and takes its inputs as they come; NULL: there are more.
static const weft_op_desc *alone(const weft_tiling *t) {
  const weft_region *r = t->region;
  if (!r || r->n_nodes != 1 || r->n_out != 1 || r->node[0].desc->n_in != t->n_in)
    return NULL;
  for (uint32_t i = 0; i < t->n_in; i++) {
    if (r->node[0].in[i] != -1 - (int32_t)i)
      return NULL;
  }
  return r->node[0].desc;
}

// Those of one operator, asked about t.
typedef struct question {
  const weft_tiling *t;
  weft__choice *out;
  size_t *told;  // the end of out->why, where only that is asked; NULL: which is the cheapest
  bool packed;
} question;

static void choose_tell(const question *q, const weft_kernel *k, const char *no) {
  weft__choice *out = q->out;
  weft__append(out->why, sizeof out->why, q->told, "%s%s: %s", *q->told ? "; " : "", k->name ? k->name : "?",
               no ? no : "takes it");
}

static void offer_one(void *ctx, const weft_kernel *k) {
  const question *q = ctx;
  weft__choice *out = q->out;
  if (!q->told)
    out->n_tried++;
  if (q->packed && !(k->flags & WEFT_KERNEL_PACKED))
    return;  // it takes plain formats alone
  const char *no = refusal(k, q->t);
  if (q->told) {
    choose_tell(q, k, no);
    return;
  }
  if (no)
    return;
  double cost = k->cost_ns ? k->cost_ns(q->t) : 0;
  if (out->kernel && cost >= out->cost_ns)
    return;
  out->kernel = k;
  out->cost_ns = cost;
  out->desc = q->t->desc;
}

static void offer(const weft_env *e, const weft_tiling *t, const char *device, size_t *told,
                  weft__choice *out) {
  question q = {t, out, told, any_packed(t)};
  weft__kernels_each(e, t->desc->type, device, offer_one, &q);
}

bool weft__op_names_device(const weft_op *op, const char *device) {
  for (const char *const *t = op->targets; t && *t; t++) {
    if (!strcmp(*t, device))
      return true;
  }
  return false;
}

void weft__kernel_choose(const weft_env *e, const weft_tiling *t, const char *device, weft__choice *out) {
  const weft_op_desc *one = any_packed(t) ? alone(t) : NULL;
  weft_tiling inner = *t;
  size_t told = 0;
  if (one) {
    inner.desc = one;
    inner.region = NULL;
  }
  *out = (weft__choice){.n_tried = 0};
  offer(e, t, device, NULL, out);
  if (one)
    offer(e, &inner, device, NULL, out);
  if (out->kernel)
    return;
  offer(e, t, device, &told, out);  // the texts, now that they are needed
  if (one)
    offer(e, &inner, device, &told, out);
}
// SPDX-License-Identifier: Apache-2.0
