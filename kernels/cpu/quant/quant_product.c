// quant_product.c - reads ConvInteger and MatMulInteger.
#include "cpu/quant/quant_product.h"

#include <float.h>
#include <math.h>

static bool quant_product_is_byte(weft_dtype t) {
  return t == WEFT_INT8 || t == WEFT_UINT8;
}

static bool are_plain(const weft_tiling *t) {
  for (uint32_t i = 0; i <= t->n_in; i++) {
    const weft_layout *l = i < t->n_in ? t->in[i] : t->out[0];
    if (!weft_shape_is_unknown_rank(&l->origin) && l->origin.rank != l->storage.rank)
      return false;
  }
  return true;
}

static const char *read_dtypes(const weft_tiling *t, weft__quant_sum *out) {
  const weft_dtype x = t->in_dtype[out->arg[0]];
  const weft_dtype w = t->in_dtype[out->arg[1]];
  const weft_dtype y = t->out_dtype[0];
  if (!quant_product_is_byte(x) || !quant_product_is_byte(w))
    return "needs bytes";
  out->bytes = out->arg[WEFT__SUM_SCALE] >= 0;
  if (out->bytes ? !quant_product_is_byte(y) : y != WEFT_INT32)
    return "needs a result of bytes or int32";
  out->x_signed = x == WEFT_INT8;
  out->w_signed = w == WEFT_INT8;
  out->y_signed = y == WEFT_INT8;
  return NULL;
}

static void read_range(const weft_tiling *t, uint32_t range_slot, weft__quant_sum *out) {
  const weft_ints range = weft_node_ints(t->desc, range_slot);
  out->low = out->y_signed ? -128 : 0;
  out->high = out->low + 255;
  if (range.n != 2)
    return;
  out->low = (int32_t)WEFT_MIN(WEFT_MAX(out->low, range.v[0]), out->high);
  out->high = (int32_t)WEFT_MAX(out->low, WEFT_MIN(out->high, range.v[1]));
}

// Does a parameter have a number for each channel? False: it has more than one axis.
static bool read_parameter(const weft_tiling *t, int64_t at, bool *out_many) {
  const weft_shape *s = at < 0 ? NULL : &t->in[at]->origin;
  if (!s || !weft_shape_is_known(s))
    return true;
  *out_many = s->rank == 1 && s->dim[0] != 1;
  return s->rank <= 1;
}

const char *weft__quant_read(const weft_tiling *t, uint32_t range_slot, weft__quant_sum *out) {
  memset(out, 0, sizeof *out);
  for (uint32_t p = 0; p < WEFT__SUM_PORTS; p++)
    out->arg[p] = weft_port_in(t->desc, p, 0);
  if (out->arg[0] < 0 || out->arg[1] < 0 || t->n_out != 1)
    return "has no inputs";
  if (!are_plain(t))
    return "needs plain formats";
  const char *no = read_dtypes(t, out);
  if (no)
    return no;
  out->y_arg = t->n_in;
  out->moved = weft__quant_find(t->host)->moved;
  read_range(t, range_slot, out);
  const bool lists = read_parameter(t, out->arg[WEFT__SUM_BIAS], &out->many_bias) &&
                     read_parameter(t, out->arg[WEFT__SUM_W_ZERO], &out->many_zeros) &&
                     read_parameter(t, out->arg[WEFT__SUM_SCALE], &out->many_scales);
  return lists ? NULL : "needs parameters of rank 0 or 1";
}

void weft__quant_shapes(const weft_tiling *t, int kind, weft__product *out) {
  memset(out, 0, sizeof *out);
  out->kind = kind;
  out->desc = t->desc;
  out->y = &t->out[0]->origin;
  for (uint32_t p = 0; p < WEFT__PRODUCT_IN; p++) {
    out->arg[p] = weft_port_in(t->desc, p, 0);
    if (out->arg[p] >= 0)
      out->shape[p] = &t->in[out->arg[p]]->origin;
  }
}

float weft__quant_scale(const weft__quant_sum *s, void *const *arg, size_t channel) {
  float v = ((const float *)arg[s->arg[WEFT__SUM_SCALE]])[s->many_scales ? channel : 0];
  return isnan(v) ? 0 : isinf(v) ? copysignf(FLT_MAX, v) : v;
}

void weft__quant_bounds(const weft__quant_sum *s, void *const *arg, weft__quant_out *o) {
  int32_t zero = weft__quant_y_zero(s, arg);
  o->zero = zero;
  o->low = (float)(s->low - zero);
  o->high = (float)(s->high - zero);
}

bool weft__quant_w_zero_is(const weft_tiling *t, const weft__quant_sum *s, int32_t zero) {
  int64_t at = s->arg[WEFT__SUM_W_ZERO];
  if (at < 0)
    return zero == 0;
  const weft_tensor *v = t->value[at];
  if (!v || !v->data)
    return false;
  for (size_t i = 0; i < v->bytes; i++) {
    if (weft__quant_byte(v->data, i, s->w_signed) != zero)
      return false;
  }
  return true;
}
// SPDX-License-Identifier: Apache-2.0
