// ascc_process_test.c - a program is fed and read within its limits, and stopped beyond them.
#include "process.h"

#include "check.h"

static int process_of(const char *const *argv, const char *in, ascc_text *out, uint32_t seconds) {
  const ascc_process p = {
      .argv = argv, .in = in, .in_bytes = in ? strlen(in) : 0, .out = out, .error = out, .seconds = seconds};
  return ascc_process_run(&p);
}
static int process_shell(const char *script, const char *in, ascc_text *out, uint32_t seconds) {
  const char *const argv[] = {"sh", "-c", script, NULL};
  return process_of(argv, in, out, seconds);
}

TEST(ascc_process_is_fed_and_read) {
  ascc_text out = {0};
  CHECK_INT(process_shell("cat; echo here; echo there >&2; exit 3", "text ", &out, 30), 3);
  CHECK_STR(ascc_text_string(&out), "text here\nthere\n");
  ascc_text_free(&out);
}
// More than a pipe holds, in both directions at once.
TEST(ascc_process_large_texts) {
  enum { BYTES = 3000000 };
  char *in = malloc(BYTES + 1);
  ascc_text out = {0};
  memset(in, 'x', BYTES);
  in[BYTES] = 0;
  CHECK_INT(process_shell("cat", in, &out, 60), 0);
  CHECK_INT(out.bytes, BYTES);
  CHECK(!memcmp(in, out.at, BYTES));
  ascc_text_free(&out);
  CHECK_INT(process_shell("exit 0", in, &out, 60), 0);  // it does not read: no SIGPIPE here
  CHECK_INT(out.bytes, 0);
  ascc_text_free(&out);
  free(in);
}
TEST(ascc_process_limits) {
  ascc_text out = {0};
  CHECK_INT(process_shell("sleep 20 & sleep 20", NULL, &out, 1), ASCC_TOO_SLOW);
  ascc_text_free(&out);
  out.most = 1000;
  CHECK_INT(process_shell("yes", NULL, &out, 30), ASCC_TOO_MUCH);
  ascc_text_free(&out);
  out.most = 0;
  CHECK_INT(process_of((const char *const[]){"/no/such/compiler", NULL}, NULL, &out, 30), ASCC_NOT_STARTED);
  CHECK_INT(process_shell("kill -9 $$", NULL, &out, 30), ASCC_KILLED);
  ascc_text_free(&out);
}
// SPDX-License-Identifier: Apache-2.0
