// limits_op_test.c - limits of memory and time, and the flag that stops, in what authors of operators write -
// blocks and functions without an end that ask whether they may go on - and for one operator by itself.
#include "check.h"
#include "base/base.h"
#include "limits_util.h"

// ---- what authors write ----
static weft_status endless_block(const weft_block *b) {
  for (;;)
    WEFT_TRY(weft_block_poll(b));
}

static weft_status endless_execute(const weft_call *c) {
  WEFT_TRY(c->host->out_alloc(c, 0, WEFT_FLOAT, &c->in[0]->layout, WEFT_ND));
  const weft_call_launch l = {.size = sizeof l, .blocks = 1, .run = endless_block, .name = "endless"};
  WEFT_TRY(c->host->launch(c, &l));
  return c->host->sync(c);
}

static weft_status endless_ref(const weft_call *c) {
  for (;;)
    WEFT_TRY(weft_call_poll(c));
}

static weft_status endless_infer(weft_infer *it) {
  weft_shape_copy(it->out[0], it->in[0]);
  return WEFT_OK;
}

static weft_status endless_tile(weft_tiling *t) {
  t->blocks = 1;
  return WEFT_OK;
}

static const weft_op endless_ref_op = {WEFT_OP_HEAD,
                                       .name = "EndlessRef",
                                       .in = WEFT_PORTS({"x", .dtypes = WEFT_DT(FLOAT)}),
                                       .out = WEFT_PORTS({"y", .dtypes = WEFT_DT(FLOAT)}),
                                       .infer = endless_infer,
                                       .ref = endless_ref};
static const weft_op endless_execute_op = {WEFT_OP_HEAD,
                                           .name = "EndlessExecute",
                                           .in = WEFT_PORTS({"x", .dtypes = WEFT_DT(FLOAT)}),
                                           .out = WEFT_PORTS({"y", .dtypes = WEFT_DT(FLOAT)}),
                                           .infer = endless_infer,
                                           .execute = endless_execute};
static const weft_kernel endless_kernel = {.size = sizeof(weft_kernel),
                                           .op = "EndlessRef",
                                           .device = "cpu",
                                           .name = "endless",
                                           .tile = endless_tile,
                                           .run = endless_block};

static void run_endless(const char *op, bool kernel) {
  weft_env *e = limits_env(0, 50000000, NULL);
  weft_diag d = {0};
  weft_program *p = NULL;
  weft_exec *x = NULL;
  weft_tensor in;
  weft_tensor out;
  char text[200];
  float v = 1;
  CHECK_OK(weft_register(e, &endless_ref_op, 0, &d), &d);
  CHECK_OK(weft_register(e, &endless_execute_op, 0, &d), &d);
  if (kernel)
    CHECK_OK(weft_register_kernel(e, &endless_kernel, &d), &d);
  snprintf(text, sizeof text, "graph \"g\" { input x: f32[1] node m: %s(x) -> y output y }", op);
  weft_tensor_init(&in, NULL);
  weft_tensor_init(&out, NULL);
  CHECK_OK(weft_tensor_borrow(&in, WEFT_FLOAT, (weft_dim[]){1}, 1, &v, sizeof v, &d), &d);
  CHECK_OK(weft_compile(limits_graph(e, text, &d), NULL, &p, &d), &d);
  CHECK_OK(weft_exec_create(p, NULL, &x, &d), &d);
  CHECK_INT(weft_exec_run(x, (const weft_tensor *[]){&in}, 1, (weft_tensor *[]){&out}, 1, &d), WEFT_E_LIMIT);
  CHECK_HAS(d.text, "the time limit of 50000000 ns was reached");
  CHECK_HAS(d.text, "node 'm'");
  weft_tensor_deinit(&out);
  weft_exec_destroy(x);
  weft_program_release(p);
  weft_env_destroy(e);
}

TEST(one_block_and_one_call_without_end_ask_and_end) {
  run_endless("EndlessRef", false);
  run_endless("EndlessRef", true);
  run_endless("EndlessExecute", false);
}

// ---- one operator by itself ----
static weft_status call_range(weft_env *e, float to, weft_tensor *out, weft_diag *d) {
  float bounds[] = {0, to, 1};
  weft_tensor in[3];
  const weft_tensor *list[3];
  for (int i = 0; i < 3; i++) {
    weft_tensor_init(&in[i], NULL);
    if (weft_tensor_borrow(&in[i], WEFT_FLOAT, NULL, 0, &bounds[i], sizeof bounds[i], d))
      return d->status;
    list[i] = &in[i];
  }
  weft_status s = weft_run_op(e, weft_find(e, "Range"), NULL, list, 3, out, 1, NULL, d);
  for (int i = 0; i < 3; i++)
    weft_tensor_deinit(&in[i]);
  return s;
}

TEST(limits_of_the_environment_hold_for_one_operator) {
  weft_diag d = {0};
  weft_tensor out;
  weft_env *e = limits_env(1 << 20, 0, NULL);
  CHECK_OK(call_range(e, 1000, &out, &d), &d);
  CHECK_INT(out.layout.origin.dim[0], 1000);
  weft_tensor_deinit(&out);
  CHECK_INT(call_range(e, 1e6f, &out, &d), WEFT_E_LIMIT);
  CHECK(strstr(d.text, "the memory limit of 1048576 bytes is reached"));
  weft_tensor_deinit(&out);
  weft_env_destroy(e);
  weft_diag_clear(&d);
  e = limits_env(0, 1000000, NULL);
  CHECK_INT(call_range(e, 1e7f, &out, &d), WEFT_E_LIMIT);
  CHECK(strstr(d.text, "the time limit of 1000000 ns was reached"));
  weft_tensor_deinit(&out);
  weft_env_destroy(e);
  weft_diag_clear(&d);
  const volatile int stop = 1;
  e = limits_env(0, 0, &stop);
  CHECK_INT(call_range(e, 10, &out, &d), WEFT_E_CANCELLED);
  weft_tensor_deinit(&out);
  weft_env_destroy(e);
}

static weft_status infer_relu(weft_env *e, weft_diag *d) {
  const float v[4] = {0};
  weft_tensor in;
  weft_tensor_desc out;
  weft_tensor_init(&in, NULL);
  weft_desc_init(&out);
  WEFT_TRY(weft_tensor_borrow(&in, WEFT_FLOAT, (weft_dim[]){4}, 1, (void *)(uintptr_t)v, sizeof v, d));
  return weft_infer_op(e, weft_find(e, "Relu"), NULL, (const weft_tensor *[]){&in}, 1, &out, 1, d);
}

TEST(limits_of_the_environment_hold_for_inference_of_one_operator) {
  weft_diag d = {0};
  weft_env *e = limits_env(1 << 20, 0, NULL);
  CHECK_OK(infer_relu(e, &d), &d);
  weft_env_destroy(e);
  e = limits_env(100, 0, NULL);
  CHECK_INT(infer_relu(e, &d), WEFT_E_LIMIT);
  CHECK_HAS(d.text, "the memory limit of 100 bytes is reached");
  weft_env_destroy(e);
  weft_diag_clear(&d);
  const volatile int stop = 1;
  e = limits_env(0, 0, &stop);
  CHECK_INT(infer_relu(e, &d), WEFT_E_CANCELLED);
  weft_env_destroy(e);
}
// SPDX-License-Identifier: Apache-2.0
