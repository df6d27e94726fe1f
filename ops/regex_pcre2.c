// regex_pcre2.c - regular expressions by PCRE2, its memory from weft's allocator. Steps of one match are
// bounded, so that a pattern with nested repeats is an error and not an endless run. What RE2 has not (back
// references, look-around) is refused as far as it is easily seen: it would need unbounded work.
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "regex.h"

enum { STEPS = 1 << 20, DEPTH = 1 << 16, HEAP_KIB = 1 << 15, STATES = 4096 };

struct weft_regex {
  weft_allocator alloc;
  pcre2_general_context *memory;
  pcre2_match_context *limits;
  pcre2_code *code;
  pcre2_match_data *match;
  int *states;  // of searches, which keep all ways through the pattern at once; NULL: full matches
};

// PCRE2 frees without a size: it lies before the memory.
static void *take(size_t bytes, void *ctx) {
  size_t all;
  if (!weft_add_size(bytes, 16, &all)) return NULL;
  char *p = weft__alloc(&((weft_regex *)ctx)->alloc, all, 16);
  if (!p) return NULL;
  memcpy(p, &all, sizeof all);
  return p + 16;
}
static void drop(void *p, void *ctx) {
  size_t all;
  if (!p) return;
  memcpy(&all, (char *)p - 16, sizeof all);
  weft__free(&((weft_regex *)ctx)->alloc, (char *)p - 16, all, 16);
}

static weft_status make(weft_regex *r, const char *pattern, size_t bytes, uint32_t anchors, weft_diag *d) {
  int error = 0;
  PCRE2_SIZE at = 0;
  r->memory = pcre2_general_context_create(take, drop, r);
  pcre2_compile_context *how = r->memory ? pcre2_compile_context_create(r->memory) : NULL;
  if (!how) return weft_fail(d, WEFT_E_NOMEM, "no memory for a regular expression");
  pcre2_set_parens_nest_limit(how, 100);
  r->code = pcre2_compile(
      (PCRE2_SPTR)pattern, bytes,
      PCRE2_UTF | anchors | PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_BACKSLASH_C, &error,
      &at, how);
  pcre2_compile_context_free(how);
  if (!r->code && error == PCRE2_ERROR_HEAP_FAILED)
    return weft_fail(d, WEFT_E_NOMEM, "no memory for a regular expression");
  if (!r->code) {
    char text[160] = "";
    pcre2_get_error_message(error, (PCRE2_UCHAR *)text, sizeof text);
    return weft_fail(d, WEFT_E_SYNTAX, "pattern '%.*s', byte %zu: %s", (int)WEFT_MIN(bytes, 200), pattern,
                     (size_t)at, text);
  }
  uint32_t back = 0;
  pcre2_pattern_info(r->code, PCRE2_INFO_BACKREFMAX, &back);
  if (back)
    return weft_fail(d, WEFT_E_SYNTAX, "pattern '%.*s': back references are not part of RE2's syntax",
                     (int)WEFT_MIN(bytes, 200), pattern);
  r->match = pcre2_match_data_create(1, r->memory);
  r->limits = pcre2_match_context_create(r->memory);
  if (!r->match || !r->limits) return weft_fail(d, WEFT_E_NOMEM, "no memory for a regular expression");
  pcre2_set_match_limit(r->limits, STEPS);
  pcre2_set_depth_limit(r->limits, DEPTH);
  pcre2_set_heap_limit(r->limits, HEAP_KIB);
  return WEFT_OK;
}

static weft_status compile(const weft_allocator *a, const char *pattern, size_t bytes, bool whole,
                           weft_regex **out, weft_diag *d) {
  weft_regex *r = *out = weft__alloc(a, sizeof *r, _Alignof(weft_regex));
  if (!r) return weft_fail(d, WEFT_E_NOMEM, "no memory for a regular expression");
  memset(r, 0, sizeof *r);
  r->alloc = *a;
  weft_status s = make(r, pattern, bytes, whole ? PCRE2_ANCHORED | PCRE2_ENDANCHORED : 0, d);
  if (!s && !whole) {
    r->states = weft__alloc(&r->alloc, STATES * sizeof *r->states, _Alignof(int));
    if (!r->states) s = weft_fail(d, WEFT_E_NOMEM, "no memory for a regular expression");
  }
  if (!s) return s;
  weft__regex_free(r);
  *out = NULL;
  return s;
}

weft_status weft__regex_compile(const weft_allocator *a, const char *pattern, size_t bytes, weft_regex **out,
                                weft_diag *d) {
  return compile(a, pattern, bytes, true, out, d);
}
weft_status weft__regex_compile_search(const weft_allocator *a, const char *pattern, size_t bytes,
                                       weft_regex **out, weft_diag *d) {
  return compile(a, pattern, bytes, false, out, d);
}

void weft__regex_free(weft_regex *r) {
  if (!r) return;
  if (r->states) weft__free(&r->alloc, r->states, STATES * sizeof *r->states, _Alignof(int));
  pcre2_match_context_free(r->limits);
  pcre2_match_data_free(r->match);
  pcre2_code_free(r->code);
  pcre2_general_context_free(r->memory);
  weft_allocator a = r->alloc;
  weft__free(&a, r, sizeof *r, _Alignof(weft_regex));
}

static weft_status matched(int got, const char *text, size_t bytes, bool *out, weft_diag *d) {
  *out = got >= 0;
  if (got >= 0 || got == PCRE2_ERROR_NOMATCH) return WEFT_OK;
  if (got == PCRE2_ERROR_NOMEMORY) return weft_fail(d, WEFT_E_NOMEM, "no memory for a match");
  char why[160] = "";
  pcre2_get_error_message(got, (PCRE2_UCHAR *)why, sizeof why);
  bool limit = got == PCRE2_ERROR_MATCHLIMIT || got == PCRE2_ERROR_DEPTHLIMIT || got == PCRE2_ERROR_HEAPLIMIT ||
               got == PCRE2_ERROR_DFA_WSSIZE;
  return weft_fail(d, limit ? WEFT_E_LIMIT : WEFT_E_INVALID, "matching '%.*s': %s", (int)WEFT_MIN(bytes, 80),
                   text, why);
}

weft_status weft__regex_full_match(weft_regex *r, const char *text, size_t bytes, bool *out, weft_diag *d) {
  int got = pcre2_match(r->code, (PCRE2_SPTR)text, bytes, 0, 0, r->match, r->limits);
  return matched(got, text, bytes, out, d);
}

weft_status weft__regex_search(weft_regex *r, const char *text, size_t bytes, size_t from, size_t *out_begin,
                               size_t *out_end, bool *out, weft_diag *d) {
  uint32_t checked = from ? PCRE2_NO_UTF_CHECK : 0;
  int got = pcre2_dfa_match(r->code, (PCRE2_SPTR)text, bytes, from, checked, r->match, r->limits, r->states, STATES);
  const PCRE2_SIZE *place = pcre2_get_ovector_pointer(r->match);
  *out_begin = got >= 0 ? place[0] : 0;
  *out_end = got >= 0 ? place[1] : 0;
  return matched(got, text, bytes, out, d);
}
