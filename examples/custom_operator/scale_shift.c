// scale_shift.c - y = scale * x + shift, the operator ScaleShift, as a package: it
// needs weft's headers and links against nothing.
#include "weft/op.h"

enum { SCALE, SHIFT };

static weft_status scale_shift_infer(weft_infer *it) {
  const weft_shape *x = weft_in_shape(it, 0);
  return weft_set_out_shape(it, 0, x->dim, x->rank);
}

static weft_status scale_shift_ref(const weft_call *c) {
  const float *x = c->in[0]->data;
  float *y = c->out[0]->data;
  const float scale = weft_node_float(c->desc, SCALE);
  const float shift = weft_node_float(c->desc, SHIFT);
  for (size_t i = 0; i < c->in[0]->bytes / sizeof *x; i++)
    y[i] = scale * x[i] + shift;
  return WEFT_OK;
}

static const weft_op scale_shift = {WEFT_OP_HEAD,
                                    .name = "ScaleShift",
                                    .summary = "y = scale * x + shift",
                                    .in = WEFT_PORTS({"x", .dtypes = WEFT_DT(FLOAT)}),
                                    .out = WEFT_PORTS({"y", .dtypes = WEFT_DT(FLOAT)}),
                                    .attrs = WEFT_ATTRS({"scale", "Float", "1"}, {"shift", "Float", "0"}),
                                    .traits = WEFT_SYMBOLIC,
                                    .infer = scale_shift_infer,
                                    .ref = scale_shift_ref};

static const weft_op *const operators[] = {&scale_shift};
static const weft_section sections[] = {{WEFT_SECTION_OP, 0, 1, operators}};
static const weft_package package = {sizeof package, WEFT_ABI, "scale_shift", "1", 1, sections};

WEFT_API const weft_package *weft_package_entry(const weft_host *host);
WEFT_API const weft_package *weft_package_entry(const weft_host *host) {
  (void)host;
  return &package;
}
// SPDX-License-Identifier: Apache-2.0
