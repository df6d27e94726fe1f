// regex_none.c - the build has no regular expression engine.
#include "regex.h"

weft_status weft__regex_compile(const weft_allocator *a, const char *pattern, size_t bytes, weft_regex **out,
                                weft_diag *d) {
  (void)a, (void)pattern, (void)bytes;
  *out = NULL;
  return weft_fail(d, WEFT_E_UNSUPPORTED,
                   "this build of weft has no regular expressions: it was configured without PCRE2");
}
weft_status weft__regex_compile_search(const weft_allocator *a, const char *pattern, size_t bytes,
                                       weft_regex **out, weft_diag *d) {
  return weft__regex_compile(a, pattern, bytes, out, d);
}
void weft__regex_free(weft_regex *r) {
  (void)r;
}
weft_status weft__regex_full_match(weft_regex *r, const char *text, size_t bytes, bool *out, weft_diag *d) {
  (void)r, (void)text, (void)bytes;
  *out = false;
  return weft_fail(d, WEFT_E_UNSUPPORTED, "this build of weft has no regular expressions");
}
weft_status weft__regex_search(weft_regex *r, const char *text, size_t bytes, size_t from, size_t *out_begin,
                               size_t *out_end, bool *out, weft_diag *d) {
  (void)from;
  *out_begin = *out_end = 0;
  return weft__regex_full_match(r, text, bytes, out, d);
}
