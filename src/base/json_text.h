// json_text.h - strings and whole numbers of JSON, for json.c. Layer: base.
#pragma once
#include "base/base.h"

// Four hexadecimal digits; -1: these are none.
int32_t weft__json_hex4(const char *at, const char *end);
// The first character from `at` on that does not stand for itself in a string, or takes more than a byte.
const char *weft__json_plain_end(const char *at, const char *end);
// Decodes a valid string, ended by a zero. `out` has room for the text as it is: escapes are longer than what
// they stand for. Returns bytes without the zero.
size_t weft__json_decode(const char *at, const char *end, char *out);
// Digits, after a sign perhaps; false: more than an int64 holds.
bool weft__json_whole(const char *s, size_t bytes, int64_t *out);
// SPDX-License-Identifier: Apache-2.0
