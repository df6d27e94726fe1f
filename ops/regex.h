// regex.h - regular expressions for operators. Which engine there is, the build decides: PCRE2
// (regex_pcre2.c) where it was found, none (regex_none.c) otherwise: then everything is E_UNSUPPORTED. The
// syntax is the common part of RE2 and PCRE2.
#pragma once
#include "op.h"

typedef struct weft_regex weft_regex;
// Errors: E_SYNTAX with the place in the pattern, E_UNSUPPORTED, E_NOMEM.
weft_status weft__regex_compile(const weft_allocator *a, const char *pattern, size_t bytes, weft_regex **out,
                                weft_diag *d);
// The same for searches.
weft_status weft__regex_compile_search(const weft_allocator *a, const char *pattern, size_t bytes, weft_regex **out,
                                       weft_diag *d);
void weft__regex_free(weft_regex *r);  // NULL allowed
// Does the pattern match the whole text? E_LIMIT when it takes too much work, E_INVALID for text that is no
// UTF-8.
weft_status weft__regex_full_match(weft_regex *r, const char *text, size_t bytes, bool *out, weft_diag *d);
// The longest match at the first place from `from` on that has one. The text is checked to be UTF-8 when `from` is 0:
// begin there.
weft_status weft__regex_search(weft_regex *r, const char *text, size_t bytes, size_t from, size_t *out_begin,
                               size_t *out_end, bool *out, weft_diag *d);
