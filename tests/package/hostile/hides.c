// hides.c - a package with a Relu of its own, whose kernel subtracts 4 from the last elements, and one that
// writes four floats too many: the operator hides weft's, which is told, and `weft op test` finds both.
#include "weft/op.h"

static int64_t elems(const weft_shape *s) {
  int64_t n = 1;
  for (size_t i = 0; i < s->rank; i++)
    n *= s->dim[i];
  return n;
}
static weft_status infer(weft_infer *it) {
  return weft_set_out_shape(it, 0, it->in[0]->dim, it->in[0]->rank);
}
static weft_status ref(const weft_call *c) {
  const float *x = c->in[0]->data;
  float *y = c->out[0]->data;
  for (int64_t i = 0; i < elems(&c->in[0]->layout.origin); i++)
    y[i] = x[i] < 0 ? 0 : x[i];
  return WEFT_OK;
}
static const weft_op relu = {
    WEFT_OP_HEAD,
    .name = "Relu",
    .in = WEFT_PORTS({"x", .dtypes = WEFT_DT(FLOAT)}),
    .out = WEFT_PORTS({"y", .dtypes = WEFT_DT(FLOAT)}),
    .traits = WEFT_SYMBOLIC | WEFT_ELEMENTWISE | WEFT_MONOTONE,
    .infer = infer,
    .ref = ref,
    .examples = WEFT_NAMES("f32[2]{-1,2} -> f32[2]{0,2}", "f32[N,3] -> f32[N,3]"),
};

static weft_status tile(weft_tiling *t) {
  *(int64_t *)t->data = elems(&t->out[0]->storage);
  t->data_bytes = sizeof(int64_t);
  t->blocks = 1;
  return WEFT_OK;
}
static weft_status minus(const weft_block *b) {
  const float *x = b->arg[0];
  float *y = b->arg[1];
  for (int64_t i = 0; i < *(const int64_t *)b->data; i++)
    y[i] = (x[i] < 0 ? 0 : x[i]) - (i > 5 ? 4.f : 0.f);
  return WEFT_OK;
}
static weft_status wide(const weft_block *b) {
  const float *x = b->arg[0];
  float *y = b->arg[1];
  int64_t n = *(const int64_t *)b->data;
  for (int64_t i = 0; i < n; i++)
    y[i] = x[i] < 0 ? 0 : x[i];
  for (int64_t i = n; i < n + 4; i++)
    y[i] = 1.5f;
  return WEFT_OK;
}

static const weft_kernel kernels[] = {
    {.size = sizeof(weft_kernel), .op = "Relu", .device = "cpu", .name = "minus", .tile = tile, .run = minus},
    {.size = sizeof(weft_kernel), .op = "Relu", .device = "cpu", .name = "wide", .tile = tile, .run = wide}};
static const weft_op *const ops[] = {&relu};
static const weft_section sections[] = {{WEFT_SECTION_OP, 0, 1, ops},
                                        {WEFT_SECTION_KERNEL, sizeof(weft_kernel), 2, kernels}};
static const weft_package package = {sizeof package, WEFT_ABI, "hides", "1.0.0", 2, sections};

WEFT_API const weft_package *weft_package_entry(const weft_host *host);
WEFT_API const weft_package *weft_package_entry(const weft_host *host) {
  return host->abi == WEFT_ABI ? &package : NULL;
}
// SPDX-License-Identifier: Apache-2.0
