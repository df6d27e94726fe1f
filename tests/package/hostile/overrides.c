// overrides.c - a package that replaces a built-in operator and then fails: nothing of it stays.
#include "weft/op.h"

static weft_status infer(weft_infer *it) {
  return weft_set_out_shape(it, 0, it->in[0]->dim, it->in[0]->rank);
}

static const weft_op relu = {
    WEFT_OP_HEAD,
    .name = "Relu",
    .in = WEFT_PORTS({"x", .dtypes = WEFT_DT(FLOAT)}),
    .out = WEFT_PORTS({"y", .dtypes = WEFT_DT(FLOAT)}),
    .infer = infer,
};
static const weft_op nameless = {
    WEFT_OP_HEAD,
    .name = "",
    .in = WEFT_PORTS({"x", .dtypes = WEFT_DT(FLOAT)}),
    .out = WEFT_PORTS({"y", .dtypes = WEFT_DT(FLOAT)}),
    .infer = infer,
};
static const weft_op *const ops[] = {&relu, &nameless};
static const weft_section sections[] = {{WEFT_SECTION_OP, 0, 2, ops}};
static const weft_package package = {sizeof package, WEFT_ABI, "overrides", "1", 1, sections};

WEFT_API const weft_package *weft_package_entry(const weft_host *host);
WEFT_API const weft_package *weft_package_entry(const weft_host *host) {
  (void)host;
  return &package;
}
// SPDX-License-Identifier: Apache-2.0
