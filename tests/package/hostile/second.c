// second.c - a package that defines AddCustom again, for the order of roots (R317), and one operator of its
// own.
#include "weft/op.h"

static weft_status infer(weft_infer *it) {
  const weft_shape *x = it->in[0];
  return weft_set_out_shape(it, 0, x->dim, x->rank);
}

static const weft_op add_custom = {
    WEFT_OP_HEAD,
    .name = "AddCustom",
    .summary = "the second AddCustom",
    .in = WEFT_PORTS({"a", .dtypes = WEFT_DT(FLOAT)}),
    .out = WEFT_PORTS({"b", .dtypes = WEFT_DT(FLOAT)}),
    .infer = infer,
};
static const weft_op only = {
    WEFT_OP_HEAD,
    .name = "OnlyInSecond",
    .in = WEFT_PORTS({"a", .dtypes = WEFT_DT(FLOAT)}),
    .out = WEFT_PORTS({"b", .dtypes = WEFT_DT(FLOAT)}),
    .infer = infer,
};
static const weft_op *const ops[] = {&add_custom, &only};
static const weft_section sections[] = {{WEFT_SECTION_OP, 0, 2, ops}};
static const weft_package package = {sizeof package, WEFT_ABI, "second", "2.0.0", 1, sections};

WEFT_API const weft_package *weft_package_entry(const weft_host *host);
WEFT_API const weft_package *weft_package_entry(const weft_host *host) {
  return host->abi == WEFT_ABI ? &package : NULL;
}
// SPDX-License-Identifier: Apache-2.0
