// op_slots_test.c - the generated names of attribute slots, and those that families declare, are those of the
// prototypes.
#include "op_slots.h"

#include "arg.rule.h"
#include "check.h"
#include "reduce.rule.h"
#include "weft/env.h"

typedef struct slot_row {
  const char *op, *attr;
  int slot;
} slot_row;

#define ROW(op, attr, slot) {op, attr, slot},

TEST(op_slots_are_those_of_the_prototypes) {
  static const slot_row ALL[] = {WEFT_OP_SLOTS(ROW){"ArgMaxV2", "dtype", WEFT_ARG_DTYPE},
                                 {"ArgMaxV2", "keep_dims", WEFT_ARG_KEEP_DIMS},
                                 {"ArgMin", "select_last_index", WEFT_ARG_LAST},
                                 {"ReduceSum", "keep_dims", WEFT_REDUCE_KEEP_DIMS},
                                 {"ReduceMax", "noop_with_empty_axes", WEFT_REDUCE_NOOP}};
  weft_diag d = {0};
  weft_env *e;
  CHECK_OK(weft_env_create(NULL, &e, &d), &d);
  CHECK(sizeof ALL / sizeof *ALL > 300);
  for (size_t i = 0; i < sizeof ALL / sizeof *ALL; i++) {
    const weft_proto *p = weft_find(e, ALL[i].op);
    CHECK(p);
    if (p)
      CHECK_INT(weft_proto_find_attr(p, ALL[i].attr), ALL[i].slot);
  }
  weft_env_destroy(e);
}
// SPDX-License-Identifier: Apache-2.0
