// text.h - bytes that grow, for the compiler of `.asc` files: it stands alone, without libweft.
#pragma once
#include <stdbool.h>
#include <stddef.h>

// All zero: empty. `failed` stays set once memory ran out or `most` was passed, and later calls do nothing.
typedef struct ascc_text {
  char *at;
  size_t bytes;
  size_t room;
  size_t most;  // 0: no limit
  bool failed;
} ascc_text;

void ascc_text_add(ascc_text *t, const char *bytes, size_t n);
void ascc_text_say(ascc_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
// The text with a zero behind it, which `bytes` does not count. "" when nothing was added.
const char *ascc_text_string(ascc_text *t);
void ascc_text_free(ascc_text *t);
// SPDX-License-Identifier: Apache-2.0
