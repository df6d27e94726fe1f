// tokens.h - C++ as a row of tokens: enough of its rules that what stands in comments, strings, characters
// and directives is never taken for code.
#pragma once
#include <stdint.h>

#include "text.h"

typedef enum ascc_kind {
  ASCC_END,
  ASCC_NAME,  // identifiers and keywords
  ASCC_NUMBER,
  ASCC_STRING,  // with its prefix; raw ones, too
  ASCC_CHARACTER,
  ASCC_SIGN,  // one character, but :: and -> are one sign
} ascc_kind;

typedef struct ascc_token {
  size_t at;  // its first byte
  size_t bytes;
  uint32_t line;  // in its file
  uint32_t file;  // a number for ascc_file_of
  ascc_kind kind;
} ascc_token;

typedef struct ascc_tokens {
  const char *text;
  size_t bytes;
  ascc_token *at;  // `count` of them, then one of the kind ASCC_END
  size_t count;
  size_t room;
  ascc_text files;  // names as the directives spell them, each with a zero behind it
  uint32_t n_files;
} ascc_tokens;

// The tokens of `text`, whose lines are those of `file` until a directive names others (`# 7 "x.h"`,
// `#line 7 "x.h"`). false: no memory, or more than 2^32 lines; `out` is to be freed all the same.
bool ascc_tokens_read(ascc_tokens *out, const char *text, size_t bytes, const char *file);
void ascc_tokens_free(ascc_tokens *t);
// The file's name, with the escapes of a string in C.
const char *ascc_file_of(const ascc_tokens *t, const ascc_token *token);
// Does the token say `what`? Any index: behind the end there is nothing.
bool ascc_is(const ascc_tokens *t, size_t i, const char *what);
// SPDX-License-Identifier: Apache-2.0
