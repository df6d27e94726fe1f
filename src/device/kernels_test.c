// kernels_test.c - which kernels there are for an operator on a device, in which order, and how many.
#include "device/device.h"

#include "check.h"
#include "weft/weft.h"

static weft_status kernels_run(const weft_block *b) {
  (void)b;
  return WEFT_OK;
}
static weft_status kernels_tile(weft_tiling *t) {
  t->blocks = 1;
  return WEFT_OK;
}
static const weft_kernel first = {.size = sizeof first,
                                  .op = "Relu",
                                  .device = "cpu",
                                  .name = "first",
                                  .tile = kernels_tile,
                                  .run = kernels_run};
static const weft_kernel second = {.size = sizeof second,
                                   .op = "Relu",
                                   .device = "cpu",
                                   .name = "second",
                                   .tile = kernels_tile,
                                   .run = kernels_run};

static weft_env *kernels_env(weft_diag *d) {
  const weft_env_options o = {.size = sizeof o, .package_path = ""};
  weft_env *e = NULL;
  if (weft_env_create(&o, &e, d))
    check_failed(__FILE__, __LINE__, "%s", d->text);
  return e;
}

TEST(the_programs_kernels_come_before_wefts_own) {
  const weft_kernel *before[64];
  const weft_kernel *after[64];
  weft_diag d = {0};
  weft_env *e = kernels_env(&d);
  uint32_t n = weft__kernels_find(e, "Relu", "cpu", before, WEFT_COUNT(before));
  CHECK(n > 0 && n < WEFT_COUNT(before));
  CHECK_OK(weft_register_kernel(e, &first, &d), &d);
  CHECK_OK(weft_register_kernel(e, &second, &d), &d);
  CHECK_INT(weft__kernels_find(e, "Relu", "cpu", after, WEFT_COUNT(after)), n + 2);
  CHECK_STR(after[0]->name, "first");
  CHECK_STR(after[1]->name, "second");
  for (uint32_t i = 0; i < n; i++)
    CHECK(after[i + 2] == before[i]);
  weft_env_destroy(e);
}

TEST(kernels_are_listed_with_their_origin) {
  weft_diag d = {0};
  weft_env *e = kernels_env(&d);
  CHECK_OK(weft_register_kernel(e, &first, &d), &d);
  CHECK(weft_kernel_at(e, "Relu", "cpu", 0) == &first);
  CHECK(weft_kernel_at(e, "Relu", NULL, 0) == &first);
  CHECK_STR(weft_kernel_origin(e, &first), "program");
  const weft_kernel *own = weft_kernel_at(e, "Relu", "cpu", 1);
  CHECK(own && !strcmp(own->op, "Relu") && !strcmp(own->device, "cpu"));
  CHECK_STR(weft_kernel_origin(e, own), "built-in");
  CHECK(!weft_kernel_origin(e, &second));
  size_t of_cpu = 0;
  size_t of_all = 0;
  size_t of_other = 0;
  while (weft_kernel_at(e, "Add", "cpu", of_cpu))
    of_cpu++;
  while (weft_kernel_at(e, "Add", "npusim", of_other))
    of_other++;
  while (weft_kernel_at(e, "Add", NULL, of_all))
    of_all++;
  CHECK_INT(of_all, of_cpu + of_other);
  CHECK(!weft_kernel_at(e, "NoSuchOperator", NULL, 0));
  weft_env_destroy(e);
}

// The count is of all; nothing is written behind the room.
TEST(more_kernels_than_there_is_room_for_are_counted) {
  const weft_kernel *out[2] = {NULL, &second};
  weft_diag d = {0};
  weft_env *e = kernels_env(&d);
  uint32_t all = weft__kernels_find(e, "Relu", "cpu", NULL, 0);
  CHECK_OK(weft_register_kernel(e, &first, &d), &d);
  CHECK_INT(weft__kernels_find(e, "Relu", "cpu", out, 1), all + 1);
  CHECK_STR(out[0]->name, "first");
  CHECK(out[1] == &second);
  weft_env_destroy(e);
}

TEST(another_device_or_operator_has_others) {
  const weft_kernel *out[64];
  weft_diag d = {0};
  weft_env *e = kernels_env(&d);
  CHECK_OK(weft_register_kernel(e, &first, &d), &d);
  uint32_t n = weft__kernels_find(e, "Relu", "npusim", out, WEFT_COUNT(out));
  for (uint32_t i = 0; i < n && i < WEFT_COUNT(out); i++)
    CHECK_STR(out[i]->device, "npusim");
  CHECK_INT(weft__kernels_find(e, "Relu", "nowhere", out, WEFT_COUNT(out)), 0);
  CHECK_INT(weft__kernels_find(e, "NoSuchOperator", "cpu", out, WEFT_COUNT(out)), 0);
  CHECK_STR(weft__kernel_layouts(e, "nowhere"), "");
  CHECK_STR(weft__kernel_layouts(e, "npusim"), "");
  CHECK(*weft__kernel_layouts(e, "cpu") != 0);
  weft_env_destroy(e);
}

// Each of the built-in table is found by its name, and the table is sorted, as the search in it needs.
TEST(wefts_own_kernels_are_found_by_name) {
  for (unsigned i = 0; i < weft__cpu_kernel_count; i++) {
    const weft_kernel *k = weft__cpu_kernels[i];
    if (i)
      CHECK(strcmp(weft__cpu_kernels[i - 1]->op, k->op) <= 0);
    const weft_kernel *found = weft__kernel_own("cpu", k->op, k->name);
    CHECK(found && !strcmp(found->op, k->op) && !strcmp(found->name, k->name));
    CHECK(weft__kernel_is_own(k));
  }
  CHECK(!weft__kernel_own("cpu", "Relu", "no-such-kernel"));
  CHECK(!weft__kernel_own("nowhere", "Relu", "relu"));
  CHECK(!weft__kernel_is_own(&first));
}

TEST(the_tiling_function_of_the_kernel_comes_before_the_operators) {
  weft_op op = {WEFT_OP_HEAD, .name = "Any"};
  weft_op_desc desc = {.op = &op, .type = "Any"};
  weft_kernel none = {.size = sizeof none};
  CHECK(!weft__kernel_tile(&none, &desc));
  op.tile = kernels_tile;
  CHECK(weft__kernel_tile(&none, &desc) == kernels_tile);
  op.tile = NULL;
  CHECK(weft__kernel_tile(&first, &desc) == kernels_tile);
}
// SPDX-License-Identifier: Apache-2.0
