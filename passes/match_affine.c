// match_affine.c - what goes over each channel with a number of its own becomes one Mul and one Add:
// BatchNorm and BNInference (not training), and runs of at least three Mul, Div, Add, Sub and BiasAdd with
// constants. y = s x + t. Not exact: scales and shifts are put together in double and rounded once. f32 and
// f64 only, all numbers finite. It comes after fold-weights, which puts the same into the weights of a
// product where there is one before it.
#include "affine.h"
#include "base/allocated.h"

#include <math.h>

enum { LONGEST = 16 };

// A row of nodes, each of which goes over the channels of what the one before it makes.
typedef struct run {
  weft_value *x;          // what goes into the first
  uint32_t n;             // nodes
  bool norm;              // one of them is a normalisation
  size_t channels, axis;  // of x
  weft__affine all, one;  // what they do together; what the node at hand does
  double *space;          // for reading that
} run;

static bool is_norm(int kind) {
  return weft__kind_in(kind, WEFT_KINDS_NORM);
}

// The input that goes through n, whose other inputs are known; -1: n is no node of a run.
static int through(const weft_pass_run *r, const weft_node *n) {
  int kind = weft__kind(r, n);
  if (!weft__is_affine(kind) || n->controls)
    return -1;
  bool either = kind == WEFT_K_MUL || kind == WEFT_K_ADD || kind == WEFT_K_SUB;
  bool known[2] = {weft__is_known(weft__arg(n, 0)), n->desc.pub.n_in > 1 && weft__is_known(weft__arg(n, 1))};
  if (!known[0])
    return known[1] ? 0 : -1;
  return either && n->desc.pub.n_in > 1 && !known[1] ? 1 : -1;
}

static bool match_affine_read(const weft_pass_run *r, const weft_node *n, int main, run *o) {
  const weft_value *v = weft__arg(n, (uint32_t)main);
  return weft__same_shape(&v->fact, &n->out[0].fact) &&
         weft__affine_read(n, weft__kind(r, n), (uint32_t)main, o->channels, o->axis, &o->one, o->space);
}

// Goes back from n over all that it can: y = scale x + shift.
static void walk(const weft_pass_run *r, weft_node *n, run *o) {
  for (size_t i = 0; i < o->channels; i++) {
    o->all.scale[i] = 1;
    o->all.shift[i] = 0;
  }
  for (o->x = &n->out[0]; o->n < LONGEST;) {
    weft_node *k = o->x->node;
    int main = k && (k == n || weft__one_use(o->x)) ? through(r, k) : -1;
    if (main < 0 || !match_affine_read(r, k, main, o))
      return;
    for (size_t i = 0; i < o->channels; i++) {  // S (s x + t) + T is S s x + (S t + T)
      o->all.shift[i] += o->all.scale[i] * o->one.shift[i];
      o->all.scale[i] *= o->one.scale[i];
    }
    o->norm |= is_norm(weft__kind(r, k));
    o->x = weft__arg(k, (uint32_t)main);
    o->n++;
  }
}

// The numbers along the axis of channels; NULL: one is not finite (why), or out of memory.
static weft_value *match_affine_numbers(weft_pass_run *r, weft_node *n, const run *o, const double *v,
                                        const char **why) {
  weft_dim dims[WEFT_MAX_RANK];
  size_t rank = o->x->fact.rank - o->axis;
  weft_dtype type = o->x->fact.dtype;
  weft_tensor *t = weft__graph_tensor(n->graph);
  for (size_t i = 0; i < rank; i++)
    dims[i] = i ? 1 : (weft_dim)o->channels;
  if (!t || weft_tensor_alloc(t, type, dims, rank, r->d))
    return NULL;
  for (size_t i = 0; i < o->channels; i++) {
    if (!isfinite(type == WEFT_FLOAT ? (double)(float)v[i] : v[i]))
      return *why = "a number would not be finite", NULL;
    weft_store_f64(type, t->data, i, v[i]);
  }
  return weft__pass_const(r, n->graph, o->x->name, t, WEFT_CONST_BORROW);
}

static weft_status match_affine_rebuild(weft_pass_run *r, weft_node *n, const run *o) {
  const char *why = NULL;
  weft_value *in[2] = {o->x};
  weft_value *made = o->x;
  bool scales = false;
  bool shifts = false;
  for (size_t i = 0; i < o->channels; i++) {
    scales |= o->all.scale[i] != 1;
    shifts |= o->all.shift[i] != 0;
  }
  for (int step = 0; step < 2; step++) {
    bool needed = step ? shifts : scales || !shifts;  // a run that changes nothing still makes a value: x * 1
    if (!needed)
      continue;
    in[0] = made;
    in[1] = match_affine_numbers(r, n, o, step ? o->all.shift : o->all.scale, &why);
    if (!in[1] && !why)
      return r->d->status ? r->d->status : weft_fail(r->d, WEFT_E_NOMEM, "out of memory");
    if (!in[1]) {
      weft__pass_skipped(r, n, "%s", why);
      return made == o->x ? WEFT_OK : weft__pass_prune(r, made->node);
    }
    WEFT_TRY(weft__pass_op(
        r, n, &(weft__pass_new){.kind = step ? WEFT_K_ADD : WEFT_K_MUL, .in = in, .n_in = 2}, &made));
  }
  return weft__pass_become(r, n, &n->out[0], made, "one Mul and one Add by channel", NULL);
}

static weft_status match_affine_visit(weft_pass_run *r, weft_node *n) {
  int main = through(r, n);
  if (main < 0 || !weft__value_read(&n->out[0]))
    return WEFT_OK;
  const weft_fact *f = &weft__arg(n, (uint32_t)main)->fact;
  if ((f->dtype != WEFT_FLOAT && f->dtype != WEFT_DOUBLE) || f->unknown_rank || f->rank < 2)
    return WEFT_OK;
  if (weft__one_use(&n->out[0]) && through(r, n->out[0].uses->node) >= 0 && !is_norm(weft__kind(r, n)))
    return WEFT_OK;  // the last one of a run takes all
  run o = {.axis = weft__is_nhwc(n) ? f->rank - 1 : 1};
  if (f->dims[o.axis] < 1 || f->dims[o.axis] > WEFT__AFFINE_MOST)
    return WEFT_OK;
  o.channels = (size_t)f->dims[o.axis];
  double *space = WEFT_NEW_N(&r->scratch, double, 5 * o.channels);
  WEFT_TRY(weft__allocated(space, r->d));
  o.all = (weft__affine){space, space + o.channels, false};
  o.one = (weft__affine){space + 2 * o.channels, space + 3 * o.channels, false};
  o.space = space + 4 * o.channels;
  walk(r, n, &o);
  return o.norm || o.n > 2 ? match_affine_rebuild(r, n, &o) : WEFT_OK;
}

WEFT_PASS(match_affine) = {
    WEFT_PASS_HEAD,
    "match-affine",
    "one Mul and one Add for what goes over channels",
    WEFT_PASS_PATTERN,
    .visit = match_affine_visit,
    .at = WEFT_NAMES("Mul", "Div", "RealDiv", "Add", "Sub", "BiasAdd", "BatchNorm", "BNInference")};
// SPDX-License-Identifier: Apache-2.0
