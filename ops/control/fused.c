// ops/control/fused.c - operators that run together: the body region computed in one go.   weft's own, made
// by passes. The body is an ordinary sub-graph without side effects, so the meaning of the node is that of
// its body; devices have kernels for the regions that they know, and where none takes one the body is run
// operator by operator.
//
// Inputs may be packed and outputs are stored as `formats` says (format words, one an output; none: as the
// body gives them). The body itself sees and makes plain tensors: a kernel for packed ones gives what
// unpacking, body and packing give, and that is what is run where there is none.
#include "control.h"

enum { FORMATS };

static weft_format stored(const weft_op_desc *n, uint32_t i, weft_format plain) {
  weft_ints f = weft_node_ints(n, FORMATS);
  return i < f.n && f.v[i] >= 0 && weft__format_packed((weft_format)f.v[i]) ? (weft_format)f.v[i] : plain;
}

// The plain format that a packed tensor is read as: its shape has the order of NCHW where nothing else is
// said.
static weft_format plain_of(weft_format origin) {
  return weft_format_primary(origin) == WEFT_NHWC ? WEFT_NHWC : WEFT_NCHW;
}

static weft_status fused_give(weft_infer *it, uint32_t i, const weft_described *v) {
  weft_format f = stored(it->desc, i, v->format);
  weft_shape storage;
  WEFT_TRY(weft__give_output(it, i, v));
  if (f == v->format)
    return WEFT_OK;
  it->out_format[i] = f;
  it->out_origin_format[i] = plain_of(v->format);
  return weft_shape_is_unknown_rank(&v->shape)
             ? WEFT_OK
             : weft_format_storage_shape(&v->shape, it->out_origin_format[i], f, 0, &storage, it->d);
}

static weft_status fused_infer(weft_infer *it) {
  size_t n = (size_t)it->n_in + it->n_out;
  weft_described *v = weft__described_new(it, n);
  if (!v)
    return WEFT_E_NOMEM;
  for (uint32_t i = 0; i < it->n_in; i++) {
    weft__describe_input(it, i, &v[i]);
    if (weft__format_packed(v[i].format))
      v[i].format = it->value[i]->origin_format;
  }
  weft_status s = it->host->infer_graph(it, 0, v, it->n_in, v + it->n_in, it->n_out);
  for (uint32_t i = 0; i < it->n_out && !s; i++)
    s = fused_give(it, i, &v[it->n_in + i]);
  weft__described_free(it, v, n);
  return s;
}

// Plain copies of packed inputs in `copy`; in[i] is what the body gets.
static weft_status fused_unpack(const weft_call *c, weft_tensor *copy, const weft_tensor **in) {
  for (uint32_t i = 0; i < c->n_in; i++) {
    const weft_tensor *x = in[i] = c->in[i];
    if (!x || !weft__format_packed(x->format))
      continue;
    weft_format plain = plain_of(x->origin_format);
    WEFT_TRY(weft_tensor_alloc(&copy[i], x->dtype, x->layout.origin.dim, x->layout.origin.rank, c->d));
    WEFT_TRY(weft_format_convert(&x->layout.origin, x->dtype, x->format, x->data, x->bytes, plain,
                                 copy[i].data, copy[i].bytes, 0, c->d));
    copy[i].format = copy[i].origin_format = plain;
    in[i] = &copy[i];
  }
  return WEFT_OK;
}

static weft_status fused_pack(const weft_call *c, weft_tensor *made, weft_tensor *const *out) {
  for (uint32_t i = 0; i < c->n_out; i++) {
    if (!out[i] || out[i] == c->out[i])
      continue;
    const weft_shape *origin = &made[i].layout.origin;
    weft_format plain = plain_of(made[i].format);
    weft_format f = stored(c->desc, i, plain);
    weft_layout layout;
    weft_shape_copy(&layout.origin, origin);
    WEFT_TRY(weft_format_storage_shape(origin, plain, f, 0, &layout.storage, c->d));
    WEFT_TRY(c->host->out_alloc(c, i, made[i].dtype, &layout, f));
    c->out[i]->origin_format = plain;
    WEFT_TRY(weft_format_convert(origin, made[i].dtype, plain, made[i].data, made[i].bytes, f,
                                 c->out[i]->data, c->out[i]->bytes, 0, c->d));
  }
  return WEFT_OK;
}

// copy: of inputs, then of outputs.
static weft_status fused_between(const weft_call *c, weft_tensor *copy) {
  weft_tensor *made = copy + c->n_in;
  void *in_at;
  void *out_at;
  WEFT_TRY(c->host->workspace(c, (c->n_in + 1) * sizeof(void *), &in_at));
  WEFT_TRY(c->host->workspace(c, (c->n_out + 1) * sizeof(void *), &out_at));
  const weft_tensor **in = in_at;
  weft_tensor **out = out_at;
  WEFT_TRY(fused_unpack(c, copy, in));
  for (uint32_t i = 0; i < c->n_out; i++)
    out[i] = c->out[i] && stored(c->desc, i, WEFT_ND) != WEFT_ND ? &made[i] : c->out[i];
  WEFT_TRY(c->host->call_graph(c, 0, in, out));
  return fused_pack(c, made, out);
}

static weft_status run_unpacked(const weft_call *c) {
  size_t n = (size_t)c->n_in + c->n_out;
  weft_tensor *copy = weft__tensors_new(c, n);
  if (!copy)
    return c->d->status;
  weft_status s = fused_between(c, copy);
  weft__tensors_free(c, copy, n);
  return s;
}

static weft_status fused_execute(const weft_call *c) {
  bool packed = false;
  for (uint32_t i = 0; i < c->n_in; i++)
    packed |= c->in[i] && weft__format_packed(c->in[i]->format);
  for (uint32_t i = 0; i < c->n_out; i++)
    packed |= stored(c->desc, i, WEFT_ND) != WEFT_ND;
  return packed ? run_unpacked(c) : c->host->call_graph(c, 0, c->in, c->out);
}

WEFT_OP(fused) = {
    WEFT_OP_HEAD,
    .name = "Fused",
    .summary = "a region of operators that run together",
    .in = PORTS({"x", NULL, WEFT_ANY, .kind = WEFT_DYNAMIC}),
    .out = PORTS({"y", NULL, WEFT_ANY, .kind = WEFT_DYNAMIC}),
    .graphs = WEFT_NAMES("body"),
    .attrs = ATTRS({"formats", "ListInt", "[]"}),
    .traits = WEFT_SYMBOLIC | WEFT_ANY_FORMAT,
    .infer = fused_infer,
    .execute = fused_execute,
    .examples = WEFT_EXAMPLES("f32[1]{1} !! E_UNSUPPORTED sub-graph"),
};
// SPDX-License-Identifier: Apache-2.0
