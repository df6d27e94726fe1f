// hangs.c - a package with an operator whose reference never returns from its second example, one whose
// kernel never returns, one whose reference crashes, and one whose reference writes past its output: `weft op
// test` names the operator and the case, and ends.
#include <stdint.h>

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
static void copy(const float *x, float *y, int64_t n) {
  for (int64_t i = 0; i < n; i++)
    y[i] = x[i];
}
static void spin(void) {
  volatile int on = 1;
  while (on)
    continue;
}
static weft_status ref(const weft_call *c) {
  copy(c->in[0]->data, c->out[0]->data, elems(&c->in[0]->layout.origin));
  return WEFT_OK;
}
static weft_status ref_spins(const weft_call *c) {
  const float *x = c->in[0]->data;
  if (elems(&c->in[0]->layout.origin) == 1 && x[0] == 101.f)
    spin();
  return ref(c);
}
static weft_status ref_leaps(const weft_call *c) {
  volatile uintptr_t nowhere = 64;
  if (elems(&c->in[0]->layout.origin) == 3)
    *(volatile float *)nowhere = 1;
  return ref(c);
}
static weft_status ref_strays(const weft_call *c) {
  const int64_t n = elems(&c->in[0]->layout.origin);
  if (n == 3)
    ((float *)c->out[0]->data)[n] = 1;
  return ref(c);
}
static const weft_op leaps = {
    WEFT_OP_HEAD,
    .name = "Leaps",
    .in = WEFT_PORTS({"x", .dtypes = WEFT_DT(FLOAT)}),
    .out = WEFT_PORTS({"y", .dtypes = WEFT_DT(FLOAT)}),
    .infer = infer,
    .ref = ref_leaps,
    .examples = WEFT_NAMES("f32[2]{1,2} -> f32[2]{1,2}", "f32[3]{1,2,3} -> f32[3]{1,2,3}"),
};
static const weft_op strays = {
    WEFT_OP_HEAD,
    .name = "Strays",
    .in = WEFT_PORTS({"x", .dtypes = WEFT_DT(FLOAT)}),
    .out = WEFT_PORTS({"y", .dtypes = WEFT_DT(FLOAT)}),
    .infer = infer,
    .ref = ref_strays,
    .examples = WEFT_NAMES("f32[2]{1,2} -> f32[2]{1,2}", "f32[3]{1,2,3} -> f32[3]{1,2,3}"),
};
static const weft_op spins = {
    WEFT_OP_HEAD,
    .name = "Spins",
    .in = WEFT_PORTS({"x", .dtypes = WEFT_DT(FLOAT)}),
    .out = WEFT_PORTS({"y", .dtypes = WEFT_DT(FLOAT)}),
    .infer = infer,
    .ref = ref_spins,
    .examples = WEFT_NAMES("f32[2]{1,2} -> f32[2]{1,2}", "f32[1]{101} -> f32[1]{101}"),
};
static const weft_op turns = {
    WEFT_OP_HEAD,
    .name = "Turns",
    .in = WEFT_PORTS({"x", .dtypes = WEFT_DT(FLOAT)}),
    .out = WEFT_PORTS({"y", .dtypes = WEFT_DT(FLOAT)}),
    .infer = infer,
    .ref = ref,
    .examples = WEFT_NAMES("f32[3]{1,2,3} -> f32[3]{1,2,3}"),
};

static weft_status tile(weft_tiling *t) {
  t->blocks = 1;
  return WEFT_OK;
}
static weft_status run(const weft_block *b) {
  (void)b;
  spin();
  return WEFT_OK;
}
static const weft_kernel kernels[] = {{.size = sizeof(weft_kernel),
                                       .op = "Turns",
                                       .device = "cpu",
                                       .name = "turning",
                                       .tile = tile,
                                       .run = run}};
static const weft_op *const ops[] = {&spins, &turns, &leaps, &strays};
static const weft_section sections[] = {{WEFT_SECTION_OP, 0, 4, ops},
                                        {WEFT_SECTION_KERNEL, sizeof(weft_kernel), 1, kernels}};
static const weft_package package = {sizeof package, WEFT_ABI, "hangs", "1.0.0", 2, sections};

WEFT_API const weft_package *weft_package_entry(const weft_host *host);
WEFT_API const weft_package *weft_package_entry(const weft_host *host) {
  return host->abi == WEFT_ABI ? &package : NULL;
}
// SPDX-License-Identifier: Apache-2.0
