// regex_none.c - the build has no regular expression engine.
#include "regex.h"

weft_status weft__regex_compile(const weft_allocator *a, const char *pattern, size_t bytes, weft_regex **out,
                                weft_diag *d) {
  (void)a, (void)pattern, (void)bytes;
  *out = NULL;
  return weft_fail(d, WEFT_E_UNSUPPORTED,
                   "this build of weft has no regular expressions: it was configured without PCRE2");
}
void weft__regex_free(weft_regex *r) {
  (void)r;
}
weft_status weft__regex_full_match(weft_regex *r, const char *text, size_t bytes, bool *out, weft_diag *d) {
  (void)r, (void)text, (void)bytes;
  *out = false;
  return weft_fail(d, WEFT_E_UNSUPPORTED, "this build of weft has no regular expressions");
}
