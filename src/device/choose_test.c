// choose_test.c - which kernel runs a node: the cheapest of those that take it, the first among equals; and
// what is told where none does.
#include "check.h"
#include "device/device.h"
#include "weft/weft.h"

static weft_status choose_infer(weft_infer *it) {
  *it->out[0] = *it->in[0];
  it->out_dtype[0] = it->in_dtype[0];
  return WEFT_OK;
}
static weft_status choose_ref(const weft_call *c) {
  (void)c;
  return WEFT_OK;
}
static weft_status choose_tile(weft_tiling *t) {
  t->blocks = 1;
  return WEFT_OK;
}
static weft_status choose_run(const weft_block *b) {
  (void)b;
  return WEFT_OK;
}
static const char *never(const weft_tiling *t) {
  (void)t;
  return "needs an even number of rows";
}
static double cost_of_5(const weft_tiling *t) {
  (void)t;
  return 5;
}
static double cost_of_9(const weft_tiling *t) {
  (void)t;
  return 9;
}

static weft_op chosen_op = {WEFT_OP_HEAD,
                            .name = "ChosenFor",
                            .in = WEFT_PORTS({"x", NULL, WEFT_DT(FLOAT)}),
                            .out = WEFT_PORTS({"y", NULL, WEFT_DT(FLOAT)}),
                            .infer = choose_infer,
                            .ref = choose_ref};

#define KERNEL(called, ...)                                                                      \
  (weft_kernel) {                                                                                \
    .size = sizeof(weft_kernel), .op = "ChosenFor", .device = "cpu", .name = called, __VA_ARGS__ \
  }
#define WHOLE .tile = choose_tile, .run = choose_run

// Chooses among n kernels for an operator without region and formats.
static bool choose_among(const weft_kernel *kernels, size_t n, const char *named, weft__choice *out) {
  const weft_env_options o = {.size = sizeof o, .package_path = ""};
  weft_diag d = {0};
  weft_env *e;
  weft_op op = chosen_op;
  op.kernel = named;
  const weft_op_desc desc = {.op = &op, .type = "ChosenFor"};
  const weft_tiling t = {.size = sizeof t, .desc = &desc, .d = &d};
  bool ok = !weft_env_create(&o, &e, &d) && !weft_register(e, &chosen_op, 0, &d);
  for (size_t i = 0; ok && i < n; i++)
    ok = !weft_register_kernel(e, &kernels[i], &d);
  if (ok)
    weft__kernel_choose(e, &t, "cpu", out);
  if (!ok)
    check_failed(__FILE__, __LINE__, "%s", d.text);
  weft_env_destroy(e);
  return ok;
}

TEST(the_cheapest_runs) {
  const weft_kernel k[] = {KERNEL("dear", WHOLE, .cost_ns = cost_of_9),
                           KERNEL("cheap", WHOLE, .cost_ns = cost_of_5),
                           KERNEL("dear-too", WHOLE, .cost_ns = cost_of_9)};
  weft__choice c;
  if (!choose_among(k, WEFT_COUNT(k), NULL, &c))
    return;
  CHECK(c.kernel == &k[1]);
  CHECK_F64(c.cost_ns, 5, 0);
  CHECK_INT(c.n_tried, 3);
  CHECK_STR(c.why, "");
}

TEST(the_first_among_equals_runs) {
  const weft_kernel k[] = {KERNEL("refuses", WHOLE, .refuse = never), KERNEL("first", WHOLE),
                           KERNEL("second", WHOLE)};
  weft__choice c;
  if (!choose_among(k, WEFT_COUNT(k), NULL, &c))
    return;
  CHECK(c.kernel == &k[1]);
  CHECK_INT(c.n_tried, 3);
}

TEST(each_refusal_is_told) {
  const weft_kernel k[] = {KERNEL("even", WHOLE, .refuse = never), KERNEL("odd", WHOLE, .refuse = never),
                           KERNEL("no-tiling", .run = choose_run)};
  weft__choice c;
  if (!choose_among(k, WEFT_COUNT(k), NULL, &c))
    return;
  CHECK(!c.kernel);
  CHECK_STR(c.why,
            "even: needs an even number of rows; odd: needs an even number of rows; no-tiling: has no tiling "
            "function");
}

TEST(there_may_be_none) {
  weft__choice c;
  if (!choose_among(NULL, 0, NULL, &c))
    return;
  CHECK(!c.kernel);
  CHECK_INT(c.n_tried, 0);
  CHECK_STR(c.why, "");
}

// The operator's word counts, whatever it costs.
TEST(the_kernel_that_the_operator_names_runs) {
  const weft_kernel k[] = {KERNEL("cheap", WHOLE, .cost_ns = cost_of_5),
                           KERNEL("named", WHOLE, .cost_ns = cost_of_9)};
  weft__choice c;
  if (!choose_among(k, WEFT_COUNT(k), "named", &c))
    return;
  CHECK(c.kernel == &k[1]);
  if (!choose_among(k, 1, "named", &c))
    return;
  CHECK(!c.kernel);
  CHECK_STR(c.why, "cheap: is not the kernel that the operator names");
}

// More reasons than the text has room for: cut, and ended.
TEST(the_text_of_many_refusals_is_cut) {
  weft_kernel k[40];
  char name[40][8];
  for (size_t i = 0; i < WEFT_COUNT(k); i++) {
    snprintf(name[i], sizeof name[i], "even%zu", i);
    k[i] = KERNEL(name[i], WHOLE, .refuse = never);
  }
  weft__choice c;
  if (!choose_among(k, WEFT_COUNT(k), NULL, &c))
    return;
  CHECK_INT(c.n_tried, 40);
  CHECK(strlen(c.why) < sizeof c.why);
  CHECK_HAS(c.why, "even0: needs an even number of rows; even1:");
}

TEST(an_operator_names_its_devices) {
  static const char *const targets[] = {"npusim", "gpu", NULL};
  weft_op op = {WEFT_OP_HEAD, .name = "Any"};
  CHECK(!weft__op_names_device(&op, "npusim"));
  op.targets = targets;
  CHECK(weft__op_names_device(&op, "npusim"));
  CHECK(weft__op_names_device(&op, "gpu"));
  CHECK(!weft__op_names_device(&op, "cpu"));
  CHECK(!weft__op_names_device(&op, "gp"));
}
// SPDX-License-Identifier: Apache-2.0
