// links.c - a package that calls a function of weft's library: it cannot be loaded, and is told what to call.
#include "weft/op.h"

static weft_status infer(weft_infer *it) {
  return weft_set_out_shape(it, 0, it->in[0]->dim, it->in[0]->rank);
}
static weft_status ref(const weft_call *c) {
  ((float *)c->out[0]->data)[0] = (float)weft_load_f64(WEFT_FLOAT16, c->in[0]->data, 0);
  return WEFT_OK;
}
static const weft_op first = {
    WEFT_OP_HEAD,
    .name = "First",
    .in = WEFT_PORTS({"x", .dtypes = WEFT_DT(FLOAT16)}),
    .out = WEFT_PORTS({"y", .dtypes = WEFT_DT(FLOAT)}),
    .infer = infer,
    .ref = ref,
};
static const weft_op *const ops[] = {&first};
static const weft_section sections[] = {{WEFT_SECTION_OP, 0, 1, ops}};
static const weft_package package = {sizeof package, WEFT_ABI, "links", "1", 1, sections};

WEFT_API const weft_package *weft_package_entry(const weft_host *host);
WEFT_API const weft_package *weft_package_entry(const weft_host *host) {
  (void)host;
  return &package;
}
// SPDX-License-Identifier: Apache-2.0
