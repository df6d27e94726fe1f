// blocked.c - see blocked.h.
#include "cpu/blocked/blocked.h"

#include "op/infer_node.h"

bool weft__is_blocked(weft_format f) {
  const bool right_c0 = !weft_format_has_c0(f) || weft_format_c0(f) == WEFT__C0;
  return right_c0 && weft_format_primary(f) == WEFT_NC1HWC0;
}

bool weft__is_blocked_bytes(weft_format f) {
  const bool right_c0 = weft_format_has_c0(f) && weft_format_c0(f) == WEFT__BYTES_C0;
  return right_c0 && weft_format_primary(f) == WEFT_NC1HWC0;
}

static bool blocked_is_packed(weft_format f, weft_dtype t) {
  return weft_dtype_bits(t) == 8 ? weft__is_blocked_bytes(f) : weft__is_blocked(f);
}

static bool plain_layout(const weft_layout *from, weft_layout *out) {
  out->origin = out->storage = from->origin;
  return weft_shape_is_known(&from->origin);
}

bool weft__is_one_operator(const weft_region *r) {
  return r->n_nodes == 1 && r->n_out == 1 && r->out[0] == 0;
}

static const char *unpack_inputs(const weft_tiling *t, const weft_region_node *n, weft__unpacked *out) {
  for (uint32_t i = 0; i < t->n_in; i++) {
    if (n->in[i] != -1 - (int32_t)i)
      return "has its inputs in another order";
    if (i && weft__format_packed(t->in_format[i]))
      return "has more than one packed input";
    if (!plain_layout(t->in[i], &out->layout[i]))
      return "needs known shapes";
    out->at[i] = &out->layout[i];
  }
  return NULL;
}

static const char *unpack_output(const weft_tiling *t, weft__unpacked *out) {
  const weft_format format = t->out_format[0];
  weft_layout *y = &out->layout[t->n_in];
  if (!plain_layout(t->out[0], y))
    return "needs known shapes";
  out->at[t->n_in] = y;
  if (t->in[0]->origin.rank != 4 || t->out[0]->origin.rank != 4)
    return "needs rank 4";
  if (weft__format_packed(format) && !blocked_is_packed(format, t->out_dtype[0]))
    return "needs NC1HWC0 with C0 = 16, of bytes 32";
  return NULL;
}

const char *weft__unpack(const weft_tiling *t, const char *op, uint32_t n_in, weft__unpacked *out) {
  const weft_region *r = t->region;
  const bool packed_region = r && t->in_format;
  if (!packed_region || !weft__is_one_operator(r))
    return "is one operator, packed";
  const weft_region_node *n = &r->node[0];
  if (strcmp(n->desc->type, op))
    return "is another operator";
  const bool same_inputs = t->n_in == n_in && n->desc->n_in == n_in;
  if (!same_inputs || n_in >= WEFT_COUNT(out->layout))
    return "has other inputs";
  if (!blocked_is_packed(t->in_format[0], t->in_dtype[0]))
    return "needs NC1HWC0 with C0 = 16, of bytes 32";
  const char *no = unpack_inputs(t, n, out);
  if (!no)
    no = unpack_output(t, out);
  if (no)
    return no;
  out->t = *t;
  out->t.desc = n->desc;
  out->t.region = NULL;
  out->t.in_format = out->t.out_format = NULL;
  out->t.in = out->at;
  out->t.out = &out->at[n_in];
  return NULL;
}
// SPDX-License-Identifier: Apache-2.0
