// broken.c - one package for each way of being wrong (R318, R335). BROKEN_x chooses.
#include "weft/op.h"

static weft_status infer(weft_infer *it) {
  const weft_shape *x = it->in[0];
  return weft_set_out_shape(it, 0, x->dim, x->rank);
}

static const weft_op good = {
    WEFT_OP_HEAD,
    .name = "BrokenFriend",
    .in = WEFT_PORTS({"x", .dtypes = WEFT_DT(FLOAT)}),
    .out = WEFT_PORTS({"y", .dtypes = WEFT_DT(FLOAT)}),
    .infer = infer,
};
static const weft_op twice = {
    // `mask` twice, as the documents print DynamicRNNV3 (R40)
    WEFT_OP_HEAD,
    .name = "BrokenTwice",
    .in = WEFT_PORTS({"x", .dtypes = WEFT_DT(FLOAT)}, {"w"}, {"b"}, {"seq_length"}, {"init_h"}, {"init_c"},
                     {"wci"}, {"wcf"}, {"mask"}, {"mask"}, {"project"}),
    .out = WEFT_PORTS({"y", .dtypes = WEFT_DT(FLOAT)}),
    .infer = infer,
};
static const weft_op *const ops[] = {&good, &twice};
static const weft_section sections[] = {{WEFT_SECTION_OP, 0, 2, ops}};
static const weft_section huge[] = {{WEFT_SECTION_OP, 0, 4000000000u, ops}};

#if defined(BROKEN_ABI)
static const weft_package package = {sizeof package, WEFT_ABI + 41, "broken", "1", 1, sections};
#elif defined(BROKEN_SIZE)
static const weft_package package = {8, WEFT_ABI, "broken", "1", 1, sections};
#elif defined(BROKEN_COUNT)
static const weft_package package = {sizeof package, WEFT_ABI, "broken", "1", 1, huge};
#elif defined(BROKEN_NAME)
static const weft_package package = {sizeof package, WEFT_ABI, NULL, "1", 1, sections};
#else
static const weft_package package = {sizeof package, WEFT_ABI, "broken", "1", 1, sections};
#endif

#ifdef BROKEN_ENTRY
#define ENTRY some_other_entry
#else
#define ENTRY weft_package_entry
#endif
WEFT_API const weft_package *ENTRY(const weft_host *host);
WEFT_API const weft_package *ENTRY(const weft_host *host) {
  (void)host;
  (void)huge;
  (void)sections;
#ifdef BROKEN_NULL
  return package.size ? NULL : &package;
#else
  return &package;
#endif
}
// SPDX-License-Identifier: Apache-2.0
