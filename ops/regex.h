// regex.h - regular expressions for operators, by the plug-in weft_pcre2: without it everything is
// E_UNSUPPORTED. The syntax is the common part of RE2 and PCRE2.
#pragma once
#include "op/plugin.h"
#include "op.h"

// Each match ends when the call is to stop: E_LIMIT, E_CANCELLED.
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
weft_status weft__regex_full_match(const weft_call *c, weft_regex *r, const char *text, size_t bytes,
                                   bool *out);
// The same of each string of input 0, into output 0; `what` has the pattern, for messages.
weft_status weft__regex_full_match_all(const weft_call *c, const weft_pattern *p, const char *what);
// The longest match at the first place from `from` on that has one; for patterns compiled to search. The text
// is checked to be UTF-8 when `from` is 0: begin there.
weft_status weft__regex_search(const weft_call *c, weft_regex *r, const char *text, size_t bytes, size_t from,
                               weft_found *out);
// The match that is first by the order of the pattern's alternatives, as RE2 replaces: all of it, and its
// groups 1 to n - 1. As above otherwise.
weft_status weft__regex_groups(const weft_call *c, weft_regex *r, const char *text, size_t bytes, size_t from,
                               weft_found *out, size_t n);
// SPDX-License-Identifier: Apache-2.0
