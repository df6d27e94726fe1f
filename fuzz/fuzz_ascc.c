// fuzz_ascc.c - any bytes as a source in Ascend C: it is translated or refused with the line, no line is
// lost, and what has no launch stays as it is.
#include "ascc/translate.h"
#include "fuzz.h"

static size_t ascc_lines(const char *text, size_t bytes) {
  size_t n = 0;
  for (size_t i = 0; i < bytes; i++)
    n += text[i] == '\n';
  return n;
}

static bool ascc_has(const char *text, size_t bytes, const char *what) {
  const size_t n = strlen(what);
  for (size_t i = 0; i + n <= bytes; i++) {
    if (!memcmp(text + i, what, n))
      return true;
  }
  return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  const char *text = (const char *)data;
  ascc_text out = {0};
  ascc_text error = {0};
  if (bytes > FUZZ_INPUT_BYTES)
    return 0;
  const bool ok = ascc_translate(text, bytes, "a.asc", &out, &error);
  FUZZ_CHECK(ok == !error.bytes, "'%s'", ascc_text_string(&error));
  const bool own = ascc_has(out.at, out.bytes, "\n# 1 \"weft-ascc\" 3\n");
  if (ok && !own)
    FUZZ_CHECK(ascc_lines(out.at, out.bytes) == ascc_lines(text, bytes), "lines are lost");
  const bool plain = !ascc_has(text, bytes, "<<<") && !ascc_has(text, bytes, ASCC_KERNEL_WORD);
  if (ok && plain)
    FUZZ_CHECK(out.bytes == bytes && (!bytes || !memcmp(out.at, text, bytes)), "the text has changed");
  ascc_text_free(&out);
  ascc_text_free(&error);
  return 0;
}
// SPDX-License-Identifier: Apache-2.0
