// blocked.c - see blocked.h.
#include "cpu/blocked/blocked.h"

#include "op/infer_node.h"

bool weft__is_blocked(weft_format f) {
  return weft_format_primary(f) == WEFT_NC1HWC0 && (!weft_format_has_c0(f) || weft_format_c0(f) == WEFT__C0);
}

bool weft__is_blocked_bytes(weft_format f) {
  return weft_format_primary(f) == WEFT_NC1HWC0 && weft_format_has_c0(f) &&
         weft_format_c0(f) == WEFT__BYTES_C0;
}

static bool is_packed(weft_format f, weft_dtype t) {
  return weft_dtype_bits(t) == 8 ? weft__is_blocked_bytes(f) : weft__is_blocked(f);
}

static bool plain_layout(const weft_layout *from, weft_layout *out) {
  out->origin = out->storage = from->origin;
  return weft_shape_is_known(&from->origin);
}

const char *weft__unpack(const weft_tiling *t, const char *op, uint32_t n_in, weft__unpacked *out) {
  const weft_region *r = t->region;
  if (!r || !t->in_format || r->n_nodes != 1 || r->n_out != 1 || r->out[0] != 0)
    return "is one operator, packed";
  if (strcmp(r->node[0].desc->type, op))
    return "is another operator";
  if (t->n_in != n_in || r->node[0].desc->n_in != n_in || n_in >= WEFT_COUNT(out->layout))
    return "has other inputs";
  if (!is_packed(t->in_format[0], t->in_dtype[0]))
    return "needs NC1HWC0 with C0 = 16, of bytes 32";
  for (uint32_t i = 0; i < n_in; i++) {
    if (r->node[0].in[i] != -1 - (int32_t)i)
      return "has its inputs in another order";
    if (i && weft__format_packed(t->in_format[i]))
      return "has more than one packed input";
    if (!plain_layout(t->in[i], &out->layout[i]))
      return "needs known shapes";
    out->at[i] = &out->layout[i];
  }
  if (!plain_layout(t->out[0], &out->layout[n_in]))
    return "needs known shapes";
  out->at[n_in] = &out->layout[n_in];
  if (t->in[0]->origin.rank != 4 || t->out[0]->origin.rank != 4)
    return "needs rank 4";
  if (weft__format_packed(t->out_format[0]) && !is_packed(t->out_format[0], t->out_dtype[0]))
    return "needs NC1HWC0 with C0 = 16, of bytes 32";
  out->t = *t;
  out->t.desc = r->node[0].desc;
  out->t.region = NULL;
  out->t.in_format = out->t.out_format = NULL;
  out->t.in = out->at;
  out->t.out = &out->at[n_in];
  return NULL;
}
// SPDX-License-Identifier: Apache-2.0
