// quant_fixed.c - see quant_fixed.h.
#include "cpu/quant/quant_fixed.h"

#include "axis.rule.h"
#include "quant/fixed_requant.rule.h"

enum { MOST_SUM = 1 << 30, PRODUCT = 255 * 128, MOST_ZERO = 1 << 16 };

bool weft__quant_is_fixed(const weft_region *r, const char *sum) {
  if (!r || r->n_nodes != 2 || r->n_out != 1 || r->out[0] != 1)
    return false;
  const weft_region_node *n = r->node;
  return !strcmp(n[0].desc->type, sum) && !strcmp(n[1].desc->type, "FixedRequant") &&
         n[1].in[WEFT_FIXED_X] == 0;
}

const char *weft__quant_unpack(const weft_tiling *t, weft__quant_inner *u) {
  const weft_region *r = t->region;
  const weft_op_desc *n = r->node[0].desc;
  u->t = *t;
  u->t.desc = n;
  u->t.n_in = n->n_in;
  u->t.region = NULL;
  u->t.in_format = u->t.out_format = NULL;
  u->t.value = NULL;
  for (uint32_t i = 0; i <= n->n_in; i++) {
    if (i < n->n_in && r->node[0].in[i] >= 0)
      return "reads what it makes";
    uint32_t outer = i < n->n_in ? (uint32_t)(-1 - r->node[0].in[i]) : 0;
    u->layout[i].origin = u->layout[i].storage = i < n->n_in ? t->in[outer]->origin : t->out[0]->origin;
    u->at[i] = &u->layout[i];
    if (i < n->n_in)
      u->dtype[i] = t->in_dtype[outer];
  }
  u->y_dtype = r->node[0].dtype;
  u->t.in = u->at;
  u->t.out = &u->at[n->n_in];
  u->t.in_dtype = u->dtype;
  u->t.out_dtype = &u->y_dtype;
  return NULL;
}

const char *weft__quant_fixed_bounds(const weft_op_desc *n, weft_dtype t, weft__quant_fixed_end *out) {
  if (t != WEFT_INT8 && t != WEFT_UINT8)
    return "needs a result of bytes";
  const int64_t least = t == WEFT_INT8 ? -128 : 0;
  const int64_t zero = weft_node_int(n, WEFT_FIXED_ZERO_POINT);
  const int64_t low = weft_node_int(n, WEFT_FIXED_LOW);
  const int64_t high = weft_node_int(n, WEFT_FIXED_HIGH);
  if (zero < least || zero > least + 255)
    return "needs a zero point that is a byte";
  if (low < least || high > least + 255 || low > high)
    return "needs bounds that are bytes";
  *out = (weft__quant_fixed_end){.zero = (int32_t)zero,
                                 .low = (int32_t)low,
                                 .high = (int32_t)high,
                                 .twice = weft_node_bool(n, WEFT_FIXED_TWICE)};
  return NULL;
}

const char *weft__quant_fixed_numbers(const weft_tensor *multiplier, const weft_tensor *shift) {
  if (!multiplier || !multiplier->data || !shift || !shift->data)
    return "needs constant multipliers and shifts";
  const int32_t *m = multiplier->data;
  const int32_t *s = shift->data;
  for (size_t i = 0; i < multiplier->bytes / sizeof *m; i++) {
    if (m[i] < 0)
      return "has a multiplier below 0";
  }
  for (size_t i = 0; i < shift->bytes / sizeof *s; i++) {
    if (s[i] > 0)
      return "shifts to the left";
  }
  return NULL;
}

// One number, or one for each place of the axis, which must be the channels'.
static const char *fixed_list(const weft_tiling *t, uint32_t arg, size_t channels, bool *out_many) {
  const weft_shape *s = &t->in[arg]->origin;
  if (s->rank > 1 || t->in_dtype[arg] != WEFT_INT32)
    return "needs multipliers and shifts of rank 0 or 1";
  *out_many = s->rank == 1 && s->dim[0] != 1;
  return !*out_many || (size_t)s->dim[0] == channels ? NULL : "needs a multiplier and a shift a channel";
}

static const char *fixed_channels(const weft_tiling *t, const weft_region_node *n, uint32_t axis,
                                  weft__quant_sum *s) {
  const weft_shape *y = &t->out[0]->origin;
  s->multiplier_arg = (uint32_t)(-1 - n->in[WEFT_FIXED_MULTIPLIER]);
  s->shift_arg = (uint32_t)(-1 - n->in[WEFT_FIXED_SHIFT]);
  if (weft_shape_is_unknown_rank(y) || y->rank <= axis || y->dim[axis] < 0)
    return "needs known channels";
  const char *no = fixed_list(t, s->multiplier_arg, (size_t)y->dim[axis], &s->many_multipliers);
  if (!no)
    no = fixed_list(t, s->shift_arg, (size_t)y->dim[axis], &s->many_shifts);
  if (no)
    return no;
  int64_t at = weft_node_int(n->desc, WEFT_FIXED_AXIS);
  const bool many = s->many_multipliers || s->many_shifts;
  if (many && (!weft__axis_inside(&at, y->rank) || at != axis))
    return "scales along another axis than the channels";
  return weft__quant_fixed_numbers(t->value[s->multiplier_arg], t->value[s->shift_arg]);
}

const char *weft__quant_read_region(const weft_tiling *t, uint32_t axis, weft__quant_sum *s) {
  const weft_region *r = t->region;
  const weft__quant_sum inside = *s;
  for (uint32_t k = 0; k < WEFT__SUM_PORTS; k++) {
    if (inside.arg[k] >= 0)
      s->arg[k] = -1 - r->node[0].in[inside.arg[k]];
  }
  s->y_arg = t->n_in;
  if (r->n_nodes == 1)
    return NULL;
  const weft_region_node *n = &r->node[1];
  if (s->bytes || n->in[WEFT_FIXED_MULTIPLIER] >= 0 || n->in[WEFT_FIXED_SHIFT] >= 0)
    return "needs sums of int32, and numbers from outside";
  weft__quant_fixed_end end;
  const char *no = weft__quant_fixed_bounds(n->desc, t->out_dtype[0], &end);
  if (no)
    return no;
  s->fixed = s->bytes = true;
  s->y_signed = t->out_dtype[0] == WEFT_INT8;
  s->low = end.low;
  s->high = end.high;
  s->zero = end.zero;
  s->twice = end.twice;
  return fixed_channels(t, n, axis, s);
}

const char *weft__quant_fixed_fits(const weft_tiling *t, const weft__quant_sum *s, size_t steps) {
  const int64_t at = s->arg[WEFT__SUM_BIAS];
  int64_t most = 0;
  if (!s->fixed)
    return NULL;
  if (at >= 0) {
    const weft_tensor *bias = t->value[at];
    if (!bias || !bias->data)
      return "needs a constant bias";
    for (size_t i = 0; i < bias->bytes / sizeof(int32_t); i++) {
      const int64_t v = ((const int32_t *)bias->data)[i];
      most = WEFT_MAX(most, v < 0 ? -v : v);
    }
  }
  return steps < MOST_SUM / PRODUCT && (int64_t)steps * PRODUCT + most < MOST_SUM
             ? NULL
             : "has sums of more than 30 bits";
}

const weft_tensor *weft__quant_one_number(const weft_tiling *t, int32_t in) {
  const weft_tensor *v = in < 0 ? t->value[-1 - in] : NULL;
  return v && v->data && v->dtype == WEFT_INT32 && v->bytes == sizeof(int32_t) ? v : NULL;
}

const char *weft__quant_fixed_bytes(const weft_tiling *t, int32_t k, uint32_t *out_arg, int32_t *out_zero) {
  const weft_region_node *all = t->region->node;
  *out_zero = 0;
  if (k >= 0 && !strcmp(all[k].desc->type, "Sub")) {
    const weft_tensor *zero = weft__quant_one_number(t, all[k].in[1]);
    *out_zero = zero ? *(const int32_t *)zero->data : INT32_MAX;
    if (*out_zero < -MOST_ZERO || *out_zero > MOST_ZERO)
      return "needs one constant zero point";
    k = all[k].in[0];
  }
  if (k < 0 || strcmp(all[k].desc->type, "Cast") || all[k].in[0] >= 0 || all[k].dtype != WEFT_INT32)
    return "has an operand that is no Cast of bytes";
  *out_arg = (uint32_t)(-1 - all[k].in[0]);
  const weft_dtype x = t->in_dtype[*out_arg];
  return x == WEFT_INT8 || x == WEFT_UINT8 ? NULL : "has an operand that is no Cast of bytes";
}
// SPDX-License-Identifier: Apache-2.0
