// kernel_uses.c - uses of an operator to run its kernels on: the examples', and random ones made of them.
// Equal dims of an example stay equal, so that products and convolutions fit; or all inputs get one shape, of
// any rank; or shapes that broadcast; or more dims in front. What inference refuses is no use. Integers are
// drawn from the example's own, so that indices stay indices; floats are multiples of an eighth, which every
// float type down to f16 holds. Grown uses are the example's with one dim many times as long, so that a
// kernel that takes small uses in one block must split its work.
#include <math.h>

#include "debug/kernel_laws.h"
#include "op/infer_node.h"
#include "tensor/tensor.h"

enum { USE_VALUES, USE_DIMS, USE_SAME, USE_BROADCAST, USE_FRONT, USE_WAYS };
enum { USE_ATTEMPTS = 10, USE_ELEMS = 1 << 12, USE_MANY = 1 << 15 };
enum { GROWN_DIMS = 4, GROWN_ELEMS = 1 << 20 };
static const int64_t grown_times[] = {33, 1024, 16385, 262144};  // WEFT__GROWN_STEPS / GROWN_DIMS

static int64_t use_dim(weft__laws *l, int64_t most) {
  static const uint8_t dims[] = {0, 1, 1, 2, 2, 3, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65, 130};
  int64_t d = dims[weft__law_below(l, WEFT_COUNT(dims))];
  return d <= most ? d : WEFT_MAX(1, most);
}

// A shape of at most so many elements.
static void use_shape(weft__laws *l, size_t rank, int64_t most, weft_shape *out) {
  weft_shape_set_scalar(out);
  out->rank = rank;
  for (size_t k = 0; k < rank; k++) {
    out->dim[k] = rank > 4 ? (int64_t)weft__law_below(l, 16) % 5 : use_dim(l, most);
    if (out->dim[k] > most)
      out->dim[k] = 1;
    if (out->dim[k])
      most /= out->dim[k];
  }
  if (rank && !weft__law_below(l, 8))
    return;
  for (size_t k = 0; k < rank; k++)  // mostly there is something to compute
    if (!out->dim[k])
      out->dim[k] = 1;
}

// ---- values ----

static void use_integers(weft__laws *l, weft_tensor *t, const weft_tensor *from) {
  int64_t n = weft_tensor_elems(t);
  int64_t m = weft_tensor_elems(from);
  weft_dtype to = weft__dtype_plain(t->dtype);
  weft_dtype of = weft__dtype_plain(from->dtype);
  if (m <= 0 || !from->data)
    return;
  for (int64_t i = 0; i < n; i++) {
    size_t k = (size_t)weft__law_below(l, (uint64_t)m);
    weft_store_i64(to, t->data, (size_t)i, weft_load_i64(of, from->data, k));
  }
}

static void use_special(weft__laws *l, weft_tensor *t) {
  static const double odd[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0, 1e-40};
  for (int64_t i = 0; i < weft_tensor_elems(t); i++) {
    if (!weft__law_below(l, 6))
      weft_store_f64(t->dtype, t->data, (size_t)i, odd[weft__law_below(l, WEFT_COUNT(odd))]);
  }
}

static void use_fill(weft__laws *l, weft_tensor *t, const weft_tensor *from, bool special) {
  weft__class class = weft__dtype_class(t->dtype);
  bool integer = class == WEFT__CLASS_INT || class == WEFT__CLASS_UINT;
  weft__law_fill(l, t, false);
  if (integer && weft__law_below(l, 4))
    use_integers(l, t, from);
  if (special && class == WEFT__CLASS_FLOAT)
    use_special(l, t);
}

// ---- inputs ----

typedef struct use_plan {
  unsigned how;
  weft__dim_map map;
  weft_shape all;  // SAME, BROADCAST
  size_t front;    // FRONT: dims more
  size_t rank;     // of the largest input
  weft_dtype from, to;
  bool special;
} use_plan;

// Another dtype for the inputs that have the first one's; what inference does not take is no use.
static void use_dtype(weft__laws *l, use_plan *p) {
  static const weft_dtype some[] = {WEFT_FLOAT, WEFT_FLOAT16, WEFT_BF16,  WEFT_DOUBLE, WEFT_INT8,
                                    WEFT_UINT8, WEFT_INT32,   WEFT_INT64, WEFT_INT16,  WEFT_BOOL};
  p->from = l->trial.tensor[0]->dtype;
  p->to = p->from;
  weft_dtype_set set = weft_proto_dtypes(l->proto, weft_proto_in(l->proto, 0));
  weft_dtype t = some[weft__law_below(l, WEFT_COUNT(some))];
  if (weft__law_below(l, 2) && (set & WEFT_BIT(t)))
    p->to = t;
}

static void use_begin(weft__laws *l, unsigned round, use_plan *p) {
  memset(p, 0, sizeof *p);
  p->how = (unsigned)weft__law_below(l, USE_WAYS);
  for (uint32_t i = 0; i < l->trial.n_in; i++)
    p->rank = WEFT_MAX(p->rank, l->trial.tensor[i]->layout.origin.rank);
  for (size_t k = 0; k < WEFT_COUNT(p->map.value); k++)
    p->map.pick[k] = use_dim(l, USE_ELEMS);
  size_t rank = weft__law_below(l, 3) ? weft__law_below(l, 5) : weft__law_below(l, 9);
  use_shape(l, rank, round % 4 == 3 ? USE_MANY : USE_ELEMS, &p->all);
  p->front = 1 + weft__law_below(l, 2);
  p->special = (l->proto->op->traits & WEFT_ELEMENTWISE) && weft__law_below(l, 3) == 0;
  use_dtype(l, p);
}

// The shape of one input under the plan. A dim of 1 stays mostly: it broadcasts.
static void use_input_shape(weft__laws *l, use_plan *p, const weft_shape *from, weft_shape *out) {
  *out = *from;
  if (p->how == USE_VALUES)
    return;
  if (p->how == USE_SAME || p->how == USE_BROADCAST) {
    *out = p->all;
    if (p->how == USE_SAME)
      return;
    size_t drop = weft__law_below(l, out->rank + 1);
    if (drop < out->rank && !weft__law_below(l, 2)) {
      memmove(out->dim, out->dim + drop, (out->rank - drop) * sizeof *out->dim);
      out->rank -= drop;
    }
    for (size_t k = 0; k < out->rank; k++) {
      if (!weft__law_below(l, 3))
        out->dim[k] = 1;
    }
    return;
  }
  size_t front = p->how == USE_FRONT && from->rank == p->rank ? p->front : 0;
  if (from->rank + front > WEFT_MAX_RANK)
    front = 0;
  out->rank = from->rank + front;
  for (size_t k = 0; k < front; k++)
    out->dim[k] = 2;
  for (size_t k = 0; k < from->rank; k++) {
    size_t at = weft__dim_map_at(&p->map, from->dim[k]);
    bool keep = from->dim[k] == 1 && p->map.pick[at] % 3;
    out->dim[front + k] = keep ? 1 : p->map.pick[at];
  }
}

static bool use_tensor(weft__laws *l, use_plan *p, uint32_t i, weft_tensor *to) {
  const weft_tensor *from = l->trial.tensor[i];
  weft_shape s;
  int64_t elems;
  if (weft__law_value_used(l, i))
    return !weft_tensor_copy(to, from, NULL);
  use_input_shape(l, p, &from->layout.origin, &s);
  if (weft_shape_elems(&s, &elems) || elems < 0 || elems > USE_MANY)
    return false;
  weft_dtype t = from->dtype == p->from ? p->to : from->dtype;
  if (weft_tensor_alloc(to, t, s.dim, s.rank, NULL))
    return l->out_of_memory = true, false;
  to->format = from->format;
  to->origin_format = from->origin_format;
  use_fill(l, to, from, p->special);
  return true;
}

static bool use_possible(const weft__laws *l) {
  for (uint32_t i = 0; i < l->trial.n_in; i++) {
    const weft_tensor *t = l->trial.tensor[i];
    if (t->kind != WEFT_KIND_TENSOR || !t->data || t->dtype == WEFT_STRING || weft__format_packed(t->format))
      return false;
  }
  return l->trial.n_in > 0 && !l->proto->op->graphs;
}

void weft__kernel_inputs_end(weft__laws *l, weft_tensor *own, const weft_tensor *const *saved) {
  for (uint32_t i = 0; i < l->trial.n_in; i++) {
    if (l->trial.tensor[i] == &own[i])
      weft_tensor_deinit(&own[i]);
    l->trial.tensor[i] = saved[i];
  }
  weft__trial_reset(&l->trial);
}

// The trial's inputs by one plan; false: inference refuses them.
static bool use_try(weft__laws *l, unsigned round, weft_tensor *own) {
  use_plan p;
  weft_diag d = {0};
  bool good = true;
  use_begin(l, round, &p);
  uint32_t n = 0;
  for (; good && n < l->trial.n_in; n++) {
    weft_tensor_init(&own[n], &l->env->alloc);
    good = use_tensor(l, &p, n, &own[n]);
  }
  for (uint32_t i = 0; good && i < n; i++)
    l->trial.tensor[i] = &own[i];
  if (good) {
    weft__trial_reset(&l->trial);
    return !weft__trial_infer(&l->trial, WEFT_STAGE_RUN, &d);
  }
  for (uint32_t i = 0; i < n; i++)
    weft_tensor_deinit(&own[i]);
  return false;
}

bool weft__kernel_inputs(weft__laws *l, uint32_t round, weft_tensor *own, const weft_tensor *const *saved) {
  if (!use_possible(l))
    return false;
  for (unsigned k = 0; k < USE_ATTEMPTS && !l->out_of_memory; k++) {
    if (use_try(l, round, own))
      return true;
    weft__kernel_inputs_end(l, own, saved);
  }
  return false;
}

// ---- grown inputs ----

// The distinct dims of the inputs, in the order of their first places.
static void grown_dims(const weft__laws *l, weft__dim_map *m) {
  m->n = 0;
  for (uint32_t i = 0; i < l->trial.n_in; i++) {
    const weft_shape *s = &l->trial.tensor[i]->layout.origin;
    for (size_t k = 0; k < s->rank && !weft__law_value_used(l, i); k++)
      weft__dim_map_at(m, s->dim[k]);
  }
}

typedef struct grown_plan {
  weft_dim dim;
  int64_t times;
  weft_dtype from, to;
} grown_plan;

static bool grown_tensor(weft__laws *l, const grown_plan *p, uint32_t i, weft_tensor *to) {
  const weft_tensor *from = l->trial.tensor[i];
  weft_shape s = from->layout.origin;
  int64_t elems;
  if (weft__law_value_used(l, i))
    return !weft_tensor_copy(to, from, NULL);
  for (size_t k = 0; k < s.rank; k++) {
    if (s.dim[k] == p->dim && !weft__mul_i64(s.dim[k], p->times, &s.dim[k]))
      return false;
  }
  if (weft_shape_elems(&s, &elems) || elems > GROWN_ELEMS)
    return false;
  if (weft_tensor_alloc(to, from->dtype == p->from ? p->to : from->dtype, s.dim, s.rank, NULL))
    return l->out_of_memory = true, false;
  to->format = from->format;
  to->origin_format = from->origin_format;
  return true;
}

void weft__kernel_inputs_fill(weft__laws *l, weft_tensor *own, const weft_tensor *const *saved) {
  for (uint32_t i = 0; i < l->trial.n_in; i++) {
    if (!weft__law_value_used(l, i))
      use_fill(l, &own[i], saved[i], false);
  }
}

bool weft__kernel_inputs_grown(weft__laws *l, uint32_t step, weft_dtype to, weft_tensor *own,
                               const weft_tensor *const *saved) {
  weft__dim_map map;
  const uint32_t at = step % GROWN_DIMS;
  weft_diag d = {0};
  bool good = use_possible(l);
  if (!good || step / GROWN_DIMS >= WEFT_COUNT(grown_times))
    return false;
  grown_dims(l, &map);
  if (at >= map.n || map.value[at] <= 0)
    return false;
  const grown_plan plan = {.dim = map.value[at],
                           .times = grown_times[step / GROWN_DIMS],
                           .from = l->trial.tensor[0]->dtype,
                           .to = to};
  uint32_t n = 0;
  for (; good && n < l->trial.n_in; n++) {
    weft_tensor_init(&own[n], &l->env->alloc);
    good = grown_tensor(l, &plan, n, &own[n]);
  }
  for (uint32_t i = 0; good && i < n; i++)
    l->trial.tensor[i] = &own[i];
  for (uint32_t i = 0; !good && i < n; i++)
    weft_tensor_deinit(&own[i]);
  if (!good)
    return false;
  weft__trial_reset(&l->trial);
  if (!weft__trial_infer(&l->trial, WEFT_STAGE_RUN, &d))
    return true;
  weft__kernel_inputs_end(l, own, saved);
  return false;
}

// ---- what the reference gives ----

static bool use_outputs(weft__laws *l, weft__kernel_use *u) {
  weft_layout *layout = WEFT_NEW_N(&u->arena, weft_layout, (size_t)u->n_out + 1);
  weft_dtype *dtype = WEFT_NEW_N(&u->arena, weft_dtype, (size_t)u->n_out + 1);
  bool depends = l->proto->op->execute && (l->proto->op->traits & WEFT_DATA_DEPENDENT);
  weft_format *format = WEFT_NEW_N(&u->arena, weft_format, (size_t)u->n_out + 1);
  if (!layout || !dtype || !format)
    return l->out_of_memory = true, false;
  for (uint32_t i = 0; i < u->n_out; i++) {
    const weft_fact *f = &l->trial.frame.facts[i];
    if (f->kind != WEFT_KIND_TENSOR || f->dtype == WEFT_STRING || weft__format_packed(f->format))
      return false;
    if (!weft__fact_ranked(f))
      return false;
    if (!weft__fact_known(f) && !depends)
      return false;
    layout[i].origin.rank = f->rank;
    for (size_t k = 0; k < f->rank; k++) {
      bool most = f->dims[k] < 0 && f->max;
      layout[i].origin.dim[k] = most ? f->max[k] : f->dims[k];
    }
    if (weft__kernel_elems(&layout[i].origin) < 0 || weft__kernel_elems(&layout[i].origin) > WEFT__LAW_BYTES)
      return false;
    weft_shape_copy(&layout[i].storage, &layout[i].origin);
    dtype[i] = f->dtype;
    format[i] = f->format;
  }
  u->out = layout;
  u->out_dtype = dtype;
  u->out_format = format;
  u->finds = depends;
  return true;
}

static void use_text(weft__kernel_use *u) {
  char shape[256];
  size_t at = 0;
  for (uint32_t i = 0; i < u->n_in; i++) {
    weft__append(u->text, sizeof u->text, &at, "%s%s%s", i ? ", " : "", weft_dtype_name(u->in[i]->dtype),
                 weft_shape_text(&u->in[i]->layout.origin, NULL, shape, sizeof shape));
  }
  for (uint32_t i = 0; i < u->n_out; i++) {
    weft__append(u->text, sizeof u->text, &at, "%s%s%s", i ? ", " : " -> ", weft_dtype_name(u->out_dtype[i]),
                 weft_shape_text(&u->out[i].origin, NULL, shape, sizeof shape));
  }
}

// Failures that say something of this build or machine and nothing of the inputs.
static bool use_undecided(weft_status s) {
  return s == WEFT_E_UNSUPPORTED || s == WEFT_E_LIMIT || s == WEFT_E_NOMEM || s == WEFT_E_UNKNOWN ||
         s == WEFT_E_INCOMPLETE;
}

bool weft__kernel_use_open(weft__laws *l, weft__kernel_use *u) {
  weft_diag d = {0};
  *u = (weft__kernel_use){.env = l->env,
                          .desc = &l->trial.desc.pub,
                          .in = l->trial.tensor,
                          .n_in = l->trial.n_in,
                          .n_out = l->trial.desc.pub.n_out,
                          .tolerance = l->ex->tolerant ? l->ex->tolerance : 0};
  weft__arena_init(&u->arena, &l->env->alloc);
  if (!use_possible(l) || weft__trial_infer(&l->trial, WEFT_STAGE_RUN, &d) || !use_outputs(l, u))
    return false;
  use_text(u);
  return true;
}

bool weft__kernel_use_want(weft__laws *l, weft__kernel_use *u, const weft_limits *limits) {
  weft_diag d = {0};
  weft_tensor *want = WEFT_NEW_N(&u->arena, weft_tensor, (size_t)u->n_out + 1);
  if (!want)
    return l->out_of_memory = true, false;
  weft__law_begin(l, "its reference with %s", u->text);
  u->status = weft__law_run(l, &l->trial, want, limits, &d);
  u->want = want;
  return !use_undecided(u->status) && !l->trial.strayed;
}

void weft__kernel_use_end(weft__kernel_use *u) {
  for (uint32_t i = 0; u->want && i < u->n_out; i++)
    weft_tensor_deinit(&u->want[i]);
  weft__arena_deinit(&u->arena);
}
// SPDX-License-Identifier: Apache-2.0
