// env_test.c - the environment apart from the operators: the library without them, and two side by side.
#include "check.h"
#include "op/air_rows.h"
#include "op/proto.h"
#include "weft/weft.h"

static weft_status same(weft_infer *it) {
  return weft_set_out_shape(it, 0, it->in[0]->dim, it->in[0]->rank);
}
static const weft_column f32[] = {{WEFT_FLOAT, WEFT_ND}};
static const weft_op mine = {WEFT_OP_HEAD,
                             .name = "Mine",
                             .in = WEFT_PORTS({"x", .columns = f32}),
                             .out = WEFT_PORTS({"y", .columns = f32}),
                             .n_columns = 1,
                             .infer = same};

TEST(r355_the_library_works_without_its_operators) {
  weft_env *e = NULL;
  weft_graph *g = NULL;
  weft_value *y;
  weft_diag d = {0};
  weft_env_options o = {.size = sizeof o, .package_path = "", .no_builtin = true, .no_catalogue = true};
  CHECK_OK(weft_env_create(&o, &e, &d), &d);
  CHECK_INT(weft_proto_count(e, true), 0);
  CHECK(!weft_find(e, "Relu"));
  CHECK_OK(weft_register(e, &mine, 0, &d), &d);
  CHECK_OK(weft_graph_create(e, "g", &g, &d), &d);
  weft_value *x = weft_graph_input(g, "x", WEFT_FLOAT, (weft_dim[]){-1, 3}, 2, &d);
  CHECK_OK(weft_graph_op1(g, "Mine", "m", &x, 1, &y, &d), &d);
  CHECK_OK(weft_graph_output(g, y, &d), &d);
  CHECK_OK(weft_graph_infer(g, NULL, NULL, &d), &d);
  weft_graph_destroy(g);
  weft_env_destroy(e);
}

TEST(r167_full_cycles_leave_nothing_behind) {
  for (int i = 0; i < 100; i++) {
    check_alloc count = {0};
    weft_env *e = NULL;
    weft_diag d = {0};
    weft_env_options o = {.size = sizeof o, .package_path = "", .allocator = check_allocator(&count)};
    CHECK_OK(weft_env_create(&o, &e, &d), &d);
    weft_env_destroy(e);
    CHECK_INT(count.live_blocks, 0);
  }
}

// They are made when they are asked for; a caller need not reckon with failure. Rows of AscendIR, whose
// prototypes are made of the catalogue's, may need memory.
TEST(finding_a_built_in_operator_takes_no_memory) {
  check_alloc count = {0};
  weft_env *e = NULL;
  weft_diag d = {0};
  weft_env_options o = {.size = sizeof o, .package_path = "", .no_catalogue = true};
  o.allocator = check_allocator(&count);
  CHECK_OK(weft_env_create(&o, &e, &d), &d);
  long calls = count.calls;
  CHECK(weft__builtin_op_count > 200);
  for (size_t i = 0; i < weft__builtin_op_count; i++) {
    const char *name = weft__builtin_ops[i]->name;
    const weft_proto *p = weft_find(e, name);
    CHECK(p && !strcmp(weft_proto_op(p)->name, name) && weft_find(e, name) == p);
  }
  CHECK_INT(count.calls, calls);
  weft_env_destroy(e);
  CHECK_INT(count.live_blocks, 0);
}

// A row without an entry in the catalogue would be an operator that cannot be had.
TEST(every_row_has_a_prototype) {
  weft_env *e = NULL;
  weft_diag d = {0};
  weft_env_options o = {.size = sizeof o, .package_path = ""};
  CHECK_OK(weft_env_create(&o, &e, &d), &d);
  for (size_t i = 0; i < e->n_rows; i++) {
    if (!weft_find(e, e->row[i]->name))
      check_failed(__FILE__, __LINE__, "the row '%s' has no prototype in the catalogue", e->row[i]->name);
  }
  weft_env_destroy(e);
}

TEST(two_environments_side_by_side) {
  weft_env *a = NULL;
  weft_env *b = NULL;
  weft_diag d = {0};
  weft_env_options o = {.size = sizeof o, .package_path = ""};
  CHECK_OK(weft_env_create(&o, &a, &d), &d);
  CHECK_OK(weft_env_create(&o, &b, &d), &d);
  CHECK_OK(weft_register(a, &mine, 0, &d), &d);
  CHECK(weft_find(a, "Mine") != NULL);
  CHECK(weft_find(b, "Mine") == NULL);
  weft_env_destroy(a);
  CHECK(weft_find(b, "Relu") != NULL);
  weft_env_destroy(b);
}
// SPDX-License-Identifier: Apache-2.0
