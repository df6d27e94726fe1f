// isa_test.c - weft_env_options.isa, or WEFT_ISA, WEFT_VNNI and WEFT_BF16, lower what runs; where AVX-512 is
// emulated, all of it is there, so that tests that go over what a machine has go over that.
#include "cpu/simd/isa.h"
#include "check.h"
#include "weft/env.h"

// The first words on the one line that was logged.
static void keep_line(void *ctx, int level, const char *text) {
  (void)level;
  snprintf(ctx, 120, "%s", text);
}

static weft_env *env_of(const char *isa, char *line) {
  weft_env_options o = {
      .size = sizeof o, .package_path = "", .isa = isa, .log = line ? keep_line : NULL, .log_ctx = line};
  weft_env *e = NULL;
  weft_diag d = {0};
  if (weft_env_create(&o, &e, &d))
    check_failed(__FILE__, __LINE__, "%s", d.text);
  return e;
}

// What kernels use where the option says `isa` and the variable something else.
static void check_option(int isa) {
  char text[40];
  snprintf(text, sizeof text, "%s,vnni=0,bf16=0", weft__cpu_isa_name(isa));
  weft_env *e = env_of(text, NULL);
  const weft_host *host = weft_env_host(e);
  CHECK_INT(weft__cpu_isa(host), isa);
  CHECK_INT(weft__cpu_bytes(host), WEFT__BYTES_NONE);
  CHECK(!weft__cpu_bf16(host));
  weft_env_destroy(e);
}

TEST(the_option_lowers_the_answer_and_the_variable_is_its_default) {
  const int best = weft__cpu_isa(NULL);
  setenv("WEFT_ISA", "plain", 1);
  for (int i = 0; i <= best; i++)
    check_option(i);
  weft_env *e = env_of(NULL, NULL);
  CHECK_INT(weft__cpu_isa(weft_env_host(e)), WEFT__ISA_PLAIN);
  setenv("WEFT_ISA", "avx2", 1);  // read once, when the environment was made
  CHECK_INT(weft__cpu_isa(weft_env_host(e)), WEFT__ISA_PLAIN);
  weft_env_destroy(e);
  unsetenv("WEFT_ISA");
}

TEST(what_is_no_set_is_refused_or_named) {
  weft_env_options o = {.size = sizeof o, .package_path = "", .isa = "avx2,vnni=7"};
  weft_env *e = NULL;
  weft_diag d = {0};
  CHECK_INT(weft_env_create(&o, &e, &d), WEFT_E_INVALID);
  CHECK(!e);
  CHECK_HAS(d.text, "'vnni=7' is not known");
  char line[120] = "";
  setenv("WEFT_ISA", "avx3", 1);
  e = env_of(NULL, line);
  CHECK_HAS(line, "WEFT_ISA=avx3");
  CHECK_INT(weft__cpu_isa(weft_env_host(e)), weft__cpu_isa(NULL));
  weft_env_destroy(e);
  unsetenv("WEFT_ISA");
}

#if defined(WEFT_AVX512_EMULATED)
TEST(emulated_sets_are_there) {
  CHECK_INT(weft__cpu_isa(NULL), WEFT__ISA_AVX512);
  CHECK_INT(weft__cpu_bytes(NULL), WEFT__BYTES_DOT);
  CHECK(weft__cpu_bf16(NULL));
}
#endif
// SPDX-License-Identifier: Apache-2.0
