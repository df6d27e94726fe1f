// twice.c - the host side of Twice: prototype and inference; the kernel lies in another translation unit
// (R12).
#include "twice_kernel.h"

static weft_status ref(const weft_call *c) {
  twice_kernel(c->in[0]->data, c->out[0]->data, c->in[0]->bytes / sizeof(float));
  return WEFT_OK;
}

static const weft_op twice = {
    WEFT_OP_HEAD,
    .name = "Twice",
    .in = WEFT_PORTS({"x", .dtypes = WEFT_DT(FLOAT)}),
    .out = WEFT_PORTS({"y", .dtypes = WEFT_DT(FLOAT), .follow = "x", .follow_what = WEFT_FOLLOW_ALL}),
    .ref = ref,
    .examples = WEFT_NAMES("f32[2]{1,2} -> f32[2]{2,4}", "i32[2] !! E_DTYPE input 'x'"),
};
static const weft_op *const ops[] = {&twice};
static const weft_section sections[] = {{WEFT_SECTION_OP, 0, 1, ops}};
static const weft_package package = {sizeof package, WEFT_ABI, "twice", "1.0.0", 1, sections};

WEFT_API const weft_package *weft_package_entry(const weft_host *host);
WEFT_API const weft_package *weft_package_entry(const weft_host *host) {
  return host->abi == WEFT_ABI ? &package : NULL;
}
// SPDX-License-Identifier: Apache-2.0
