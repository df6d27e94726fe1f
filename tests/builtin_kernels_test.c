// builtin_kernels_test.c - every kernel of every built-in operator keeps the laws of kernels (weft/laws.h, 9
// to 11) on its operator's examples and on random uses made of them: what `weft op test` runs for all of
// them.
#include "check.h"
#include "weft/laws.h"

static void print_violation(void *ctx, const char *text) {
  (void)ctx;
  check_failed(__FILE__, __LINE__, "%s", text);
}

TEST(every_kernel_of_a_builtin_operator_keeps_the_laws) {
  weft_env *e = NULL;
  weft_diag d = {0};
  weft_env_options o = {.package_path = ""};
  CHECK_OK(weft_env_create(&o, &e, &d), &d);
  weft_laws_options laws = {.size = sizeof laws, .report = print_violation, .rounds = check_long() ? 8 : 4};
  uint32_t kernels = 0;
  uint32_t idle = 0;
  uint32_t runs = 0;
  uint32_t single = 0;
  for (size_t i = 0; i < weft_proto_count(e, false); i++) {
    const weft_proto *p = weft_proto_at(e, i, false);
    weft_kernel_laws_result r = {.size = sizeof r};
    if (weft_proto_source(p) != WEFT_FROM_BUILTIN)
      continue;
    weft_diag_clear(&d);
    weft_status s = weft_op_kernel_laws(e, p, &laws, &r, &d);
    if (s && s != WEFT_E_DIFFERENT)
      check_failed(__FILE__, __LINE__, "%s: %s", weft_proto_op(p)->name, d.text);
    kernels += r.kernels;
    idle += r.idle;
    runs += r.runs;
    single += r.single;
  }
  CHECK(kernels > 200);
  CHECK(kernels - idle > kernels / 2);
  CHECK(runs > 10000);
  CHECK(single < kernels / 3);  // what one long dim does not split; tests/kernels_*_test.c do
  weft_env_destroy(e);
}
// SPDX-License-Identifier: Apache-2.0
