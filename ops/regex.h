// regex.h - regular expressions for operators, by the plug-in weft_pcre2: without it everything is
// E_UNSUPPORTED. The syntax is the common part of RE2 and PCRE2.
#pragma once
#include "op/plugin.h"
#include "op.h"

typedef struct weft_regex {
  const weft_plugin *plugin;
  void *compiled;  // NULL: nothing
} weft_regex;
// Errors: E_SYNTAX with the place in the pattern, E_UNSUPPORTED, E_NOMEM; nothing is to be freed then.
weft_status weft__regex_compile(const weft_call *c, const weft_allocator *a, const weft_pattern *p,
                                weft_regex *out);
void weft__regex_free(weft_regex *r);
// Does the pattern match the whole text? E_LIMIT when it takes too much work, E_INVALID for text that is no
// UTF-8.
weft_status weft__regex_full_match(weft_regex *r, const char *text, size_t bytes, bool *out, weft_diag *d);
// The longest match at the first place from `from` on that has one; for patterns compiled to search. The text
// is checked to be UTF-8 when `from` is 0: begin there.
weft_status weft__regex_search(weft_regex *r, const char *text, size_t bytes, size_t from, weft_found *out,
                               weft_diag *d);
// SPDX-License-Identifier: Apache-2.0
