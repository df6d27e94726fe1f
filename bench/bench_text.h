// bench_text.h - a text that grows by pieces of at most 4 KiB.
#pragma once
#include <stdarg.h>

#include "bench.h"

static char *text;
static size_t text_n, text_cap;

static void put(const char *fmt, ...) WEFT_PRINTF(1, 2);
static void put(const char *fmt, ...) {
  va_list ap;
  if (text_cap - text_n < 4096)
    text = realloc(text, text_cap = 2 * text_cap + 8192);
  va_start(ap, fmt);
  text_n += (size_t)vsnprintf(text + text_n, 4096, fmt, ap);
  va_end(ap);
}
// SPDX-License-Identifier: Apache-2.0
