// ops/string/regexes.c - whole matches and replacements by regular expressions.   AscendIR RegexFullMatch,
// RegexReplace, StaticRegexReplace. As RE2 has them: of several matches at a place the pattern's order
// decides, \1 to \9 stand for groups, \0 for all, and behind a match no empty one is replaced. Without the
// plug-in weft_pcre2 every use is E_UNSUPPORTED.
#include "air_slots.h"
#include "op/air_rows.h"
#include "regex.h"
#include "string_util.h"

enum { REGEX_GROUPS = 10 };

typedef struct regex_text {
  const char *v;
  size_t n;
} regex_text;

static regex_text regexes_attr(const weft_call *c, uint32_t slot) {
  const weft_attr *a = weft_attr_at(c->desc, slot, WEFT_VT_STRING);
  return a ? (regex_text){a->u.s, a->n} : (regex_text){"", 0};
}

// ---- RegexFullMatch ----
static weft_status regexes_full_infer(weft_infer *it) {
  WEFT_TRY(weft__expect_rank(it, 1, 0, 0));
  return weft__same(it, 0, 0);
}

static weft_status regexes_full_ref(const weft_call *c) {
  weft_pattern pattern = {.search = false};
  if (!c->out[0])
    return WEFT_OK;
  WEFT_TRY(weft_tensor_string(c->in[1], 0, &pattern.text, &pattern.bytes, c->d));
  return weft__regex_full_match_all(c, &pattern, "input 'pattern'");
}

// ---- RegexReplace, StaticRegexReplace ----
typedef struct regex_replacing {
  const weft_call *c;
  weft_strings *list;
  weft_regex r;
  regex_text rewrite;
  bool everywhere;
} regex_replacing;

static weft_status regexes_check_rewrite(const weft_call *c, regex_text rewrite) {
  for (size_t i = 0; i < rewrite.n; i++) {
    if (rewrite.v[i] != '\\')
      continue;
    const char next = i + 1 < rewrite.n ? rewrite.v[i + 1] : 0;
    const bool known = next == '\\' || (next >= '0' && next <= '9');
    if (!known) {
      return weft_fail(c->d, WEFT_E_SYNTAX,
                       "rewrite '%.*s', byte %zu: behind a backslash stands a digit or another one",
                       (int)WEFT_MIN(rewrite.n, (size_t)200), rewrite.v, i);
    }
    i++;
  }
  return WEFT_OK;
}

static void regexes_rewrite(regex_replacing *x, const char *text, const weft_found groups[REGEX_GROUPS]) {
  const regex_text *w = &x->rewrite;
  for (size_t i = 0; i < w->n; i++) {
    const bool escaped = w->v[i] == '\\';
    i += escaped;
    if (!escaped || w->v[i] == '\\') {
      weft__strings_add(x->list, w->v + i, 1);
      continue;
    }
    const weft_found *g = &groups[w->v[i] - '0'];
    weft__strings_add(x->list, text + g->begin, g->end - g->begin);
  }
}

static weft_status regexes_replace(regex_replacing *x, const char *text, size_t bytes) {
  weft_found groups[REGEX_GROUPS];
  size_t at = 0;
  size_t last = SIZE_MAX;  // where the match before ended
  while (at <= bytes && !x->list->stopped) {
    WEFT_TRY(weft__regex_groups(x->c, &x->r, text, bytes, at, groups, REGEX_GROUPS));
    if (!groups[0].any)
      break;
    weft__strings_add(x->list, text + at, groups[0].begin - at);
    at = groups[0].begin;
    if (groups[0].end == groups[0].begin && at == last) {
      int32_t code;
      const size_t n = at < bytes ? weft__utf8_next(text + at, bytes - at, &code) : 1;
      weft__strings_add(x->list, text + at, at < bytes ? n : 0);
      at += n;
      continue;
    }
    regexes_rewrite(x, text, groups);
    at = last = groups[0].end;
    if (!x->everywhere)
      break;
  }
  if (at < bytes)
    weft__strings_add(x->list, text + at, bytes - at);
  weft__strings_next(x->list);
  return x->list->stopped;
}

static weft_status regexes_replace_all(regex_replacing *x) {
  const weft_call *c = x->c;
  const weft_shape *shape = &c->in[0]->layout.origin;
  weft_strings list;
  weft_status s = WEFT_OK;
  weft__strings_init(&list, c);
  x->list = &list;
  const size_t n = weft__elems(shape);
  for (size_t i = 0; !s && i < n; i++) {
    const char *text;
    size_t bytes;
    s = weft_tensor_string(c->in[0], i, &text, &bytes, c->d);
    if (!s)
      s = regexes_replace(x, text, bytes);
  }
  return weft__strings_give(&list, shape, s);
}

static weft_status regexes_replace_by(const weft_call *c, regex_text by, regex_text rewrite,
                                      bool everywhere) {
  regex_replacing x = {.c = c, .rewrite = rewrite, .everywhere = everywhere};
  const weft_pattern pattern = {by.v, by.n, true};
  WEFT_TRY(regexes_check_rewrite(c, rewrite));
  weft_status s = weft__regex_compile(c, &c->out[0]->alloc, &pattern, &x.r);
  if (s)
    weft_note(c->d, "'pattern'");
  else
    s = regexes_replace_all(&x);
  weft__regex_free(&x.r);
  return s;
}

static weft_status regexes_replace_ref(const weft_call *c) {
  regex_text by;
  regex_text rewrite;
  if (!c->out[0])
    return WEFT_OK;
  WEFT_TRY(weft_tensor_string(c->in[1], 0, &by.v, &by.n, c->d));
  WEFT_TRY(weft_tensor_string(c->in[2], 0, &rewrite.v, &rewrite.n, c->d));
  return regexes_replace_by(c, by, rewrite, weft_node_bool(c->desc, WEFT_SLOT_REGEX_REPLACE_REPLACE_GLOBAL));
}

static weft_status regexes_replace_infer(weft_infer *it) {
  WEFT_TRY(weft__expect_rank(it, 1, 0, 0));
  WEFT_TRY(weft__expect_rank(it, 2, 0, 0));
  return weft__same(it, 0, 0);
}

static weft_status regexes_static_ref(const weft_call *c) {
  if (!c->out[0])
    return WEFT_OK;
  return regexes_replace_by(c, regexes_attr(c, WEFT_SLOT_STATIC_REGEX_REPLACE_PATTERN),
                            regexes_attr(c, WEFT_SLOT_STATIC_REGEX_REPLACE_REWRITE),
                            weft_node_bool(c->desc, WEFT_SLOT_STATIC_REGEX_REPLACE_REPLACE_GLOBAL));
}

#ifdef WEFT_WITH_PCRE2
#define FULL_EXAMPLES \
  WEFT_EXAMPLES("str[3]{\"a.com\",\"a.org\",\"\"}, str[]{\"[a-z]\\\\.com\"} -> bool[3]{1,0,0}", \
                "str[0], str[]{\"a\"} -> bool[0]", "str[-1,3], str[] -> bool[-1,3]", \
                "str[1]{\"a\"}, str[]{\"(a\"} !! E_SYNTAX pattern '(a'", "str[1], str[1] !! E_SHAPE rank 0")
#define REPLACE_EXAMPLES \
  WEFT_EXAMPLES("str[2]{\"ab12c3\",\"x\"}, str[]{\"[0-9]+\"}, str[]{\"<\\\\0>\"} -> " \
                "str[2]{\"ab<12>c<3>\",\"x\"}", \
                "str[1]{\"aab\"}, str[]{\"a|aa\"}, str[]{\"-\"} replace_global=false -> " \
                "str[1]{\"-ab\"}", \
                "str[1]{\"abc\"}, str[]{\"x*\"}, str[]{\"-\"} -> str[1]{\"-a-b-c-\"}", \
                "str[1]{\"baac\"}, str[]{\"a*\"}, str[]{\"x\"} -> str[1]{\"xbxcx\"}", \
                "str[1]{\"John Smith\"}, str[]{\"(\\\\w+) (\\\\w+)\"}, str[]{\"\\\\2 \\\\1\\\\\\\\\"} -> " \
                "str[1]{\"Smith John\\\\\"}", \
                "str[1]{\"a\"}, str[]{\"(b)?a\"}, str[]{\"[\\\\1]\"} -> str[1]{\"[]\"}", \
                "str[-1,3], str[], str[] -> str[-1,3]", \
                "str[1]{\"a\"}, str[]{\"a\"}, str[]{\"\\\\x\"} !! E_SYNTAX rewrite '\\x', byte 0")
#define STATIC_EXAMPLES \
  WEFT_EXAMPLES("str[]{\"\xc3\xa4\xc3\xb6\"} pattern=\".\" rewrite=\"_\" -> str[]{\"__\"}", \
                "str[2]{\"aa\",\"b\"} pattern=\"a\" rewrite=\"c\" replace_global=false -> " \
                "str[2]{\"ca\",\"b\"}", \
                "str[-1] -> str[-1]", "str[1]{\"a\"} pattern=\"[\" !! E_SYNTAX pattern '['")
#else
#define FULL_EXAMPLES WEFT_EXAMPLES("str[-1,3], str[] -> bool[-1,3]")
#define REPLACE_EXAMPLES WEFT_EXAMPLES("str[-1,3], str[], str[] -> str[-1,3]")
#define STATIC_EXAMPLES \
  WEFT_EXAMPLES("str[-1] -> str[-1]", "str[1]{\"a\"} !! E_UNSUPPORTED needs the plug-in weft_pcre2")
#endif
WEFT_ROWS(regexes) = {
    {"RegexFullMatch", "whether a pattern matches whole strings", WEFT_SYMBOLIC | WEFT_MONOTONE,
     .infer = regexes_full_infer, .ref = regexes_full_ref, .examples = FULL_EXAMPLES},
    {"RegexReplace", "strings with what matches a pattern rewritten", WEFT_SYMBOLIC | WEFT_MONOTONE,
     .infer = regexes_replace_infer, .ref = regexes_replace_ref, .examples = REPLACE_EXAMPLES},
    {"StaticRegexReplace", "strings with what matches a pattern rewritten",
     WEFT_SYMBOLIC | WEFT_MONOTONE | WEFT_ELEMENTWISE, .infer = weft__infer_same, .ref = regexes_static_ref,
     .examples = STATIC_EXAMPLES},
    {0},
};
// SPDX-License-Identifier: Apache-2.0
