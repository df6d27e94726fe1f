// weft_pcre2.c - regular expressions by PCRE2, its memory from weft's allocator. Steps of one match are
// bounded, so that a pattern with nested repeats is an error and not an endless run. What RE2 has not (back
// references, look-around) is refused as far as it is easily seen: it would need unbounded work.
//
// Where somebody may stop the work, PCRE2 calls back before each item of a pattern (callouts). In between it
// runs over a text at most once, some nanoseconds a byte; a text too long for that is matched by the
// algorithm of searches, which calls back at every byte, if no repeat is made possessive.
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/base.h"
#include "base/plugin.h"

enum { STEPS = 1 << 20, DEPTH = 1 << 16, HEAP_KIB = 1 << 15, STATES = 4096, GROUPS = 10 };
enum {
  LONG = 1 << 22,
  PIECE = 1 << 20,
  LOOK = 1 << 16
};  // bytes: a long text; checked at once; between looks

typedef struct regex {
  weft_allocator alloc;
  pcre2_general_context *memory;
  pcre2_match_context *limits;
  pcre2_code *code;
  pcre2_code *long_code;  // of full matches that may be stopped: for long texts
  pcre2_code *nothing;    // the empty pattern: PCRE2 checks the text and does no more
  pcre2_match_data *match;
  int *states;  // of searches, which keep all ways through the pattern at once
  // Of the match that goes on:
  const weft_plugin_call *call;
  size_t at, work;
  weft_status stopped;
} regex;

// PCRE2 frees without a size: it lies before the memory.
static void *weft_pcre2_take(size_t bytes, void *ctx) {
  const weft_allocator *a = &((regex *)ctx)->alloc;
  size_t all = bytes + 16;
  char *p = all < bytes ? NULL : a->fn(a->ctx, NULL, 0, all, 16);
  if (!p)
    return NULL;
  memcpy(p, &all, sizeof all);
  return p + 16;
}
static void weft_pcre2_drop(void *p, void *ctx) {
  const weft_allocator *a = &((regex *)ctx)->alloc;
  size_t all;
  if (!p)
    return;
  memcpy(&all, (char *)p - 16, sizeof all);
  a->fn(a->ctx, (char *)p - 16, all, 0, 16);
}

static weft_status weft_pcre2_no_memory(const weft_plugin_call *c) {
  return c->fail(c->ctx, WEFT_E_NOMEM, "no memory for a regular expression");
}

static weft_status refused(const weft_plugin_call *c, const weft_pattern *p, int error, size_t at) {
  char text[160] = "";
  if (error == PCRE2_ERROR_HEAP_FAILED)
    return weft_pcre2_no_memory(c);
  pcre2_get_error_message(error, (PCRE2_UCHAR *)text, sizeof text);
  return c->fail(c->ctx, WEFT_E_SYNTAX, "pattern '%.*s', byte %zu: %s", (int)WEFT_MIN(p->bytes, 200), p->text,
                 at, text);
}

static weft_status make_code(const weft_plugin_call *c, const regex *r, const weft_pattern *p,
                             uint32_t options, pcre2_code **out) {
  enum { EVERYWHERE = PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_BACKSLASH_C };
  uint32_t anchors = p->search ? 0 : PCRE2_ANCHORED | PCRE2_ENDANCHORED;
  uint32_t called = c->poll ? PCRE2_AUTO_CALLOUT : 0;
  uint32_t back = 0;
  int error = 0;
  PCRE2_SIZE at = 0;
  pcre2_compile_context *how = pcre2_compile_context_create(r->memory);
  if (!how)
    return weft_pcre2_no_memory(c);
  pcre2_set_parens_nest_limit(how, 100);
  *out =
      pcre2_compile((PCRE2_SPTR)p->text, p->bytes, EVERYWHERE | anchors | called | options, &error, &at, how);
  pcre2_compile_context_free(how);
  if (!*out)
    return refused(c, p, error, at);
  pcre2_pattern_info(*out, PCRE2_INFO_BACKREFMAX, &back);
  if (back) {
    return c->fail(c->ctx, WEFT_E_SYNTAX, "pattern '%.*s': back references are not part of RE2's syntax",
                   (int)WEFT_MIN(p->bytes, 200), p->text);
  }
  return WEFT_OK;
}

// Before an item of the pattern: what lies between here and the place of the call before was looked at.
static int on_item(pcre2_callout_block *b, void *user) {
  regex *r = user;
  size_t at = b->current_position;
  r->work += 16 + (at > r->at ? at - r->at : r->at - at);
  r->at = at;
  if (r->work < LOOK)
    return 0;
  r->work = 0;
  r->stopped = weft_plugin_poll(r->call);
  return r->stopped ? PCRE2_ERROR_CALLOUT : 0;
}

static weft_status make_codes(const weft_plugin_call *c, regex *r, const weft_pattern *p) {
  const weft_pattern none = {"", 0, true};
  bool stops = c->poll != NULL;
  WEFT_TRY(make_code(c, r, p, stops && p->search ? PCRE2_NO_AUTO_POSSESS : 0, &r->code));
  if (!stops)
    return WEFT_OK;
  WEFT_TRY(make_code(c, r, &none, 0, &r->nothing));
  return p->search ? WEFT_OK : make_code(c, r, p, PCRE2_NO_AUTO_POSSESS, &r->long_code);
}

static weft_status weft_pcre2_make(const weft_plugin_call *c, regex *r, const weft_pattern *p) {
  r->memory = pcre2_general_context_create(weft_pcre2_take, weft_pcre2_drop, r);
  if (!r->memory)
    return weft_pcre2_no_memory(c);
  WEFT_TRY(make_codes(c, r, p));
  r->match = pcre2_match_data_create(GROUPS, r->memory);
  r->limits = pcre2_match_context_create(r->memory);
  if (p->search || r->long_code)
    r->states = r->alloc.fn(r->alloc.ctx, NULL, 0, STATES * sizeof *r->states, _Alignof(int));
  if (!r->match || !r->limits || ((p->search || r->long_code) && !r->states))
    return weft_pcre2_no_memory(c);
  pcre2_set_callout(r->limits, on_item, r);
  pcre2_set_match_limit(r->limits, STEPS);
  pcre2_set_depth_limit(r->limits, DEPTH);
  pcre2_set_heap_limit(r->limits, HEAP_KIB);
  return WEFT_OK;
}

static void regex_free(void *p) {
  regex *r = p;
  weft_allocator a = r->alloc;
  if (r->states)
    a.fn(a.ctx, r->states, STATES * sizeof *r->states, 0, _Alignof(int));
  pcre2_match_context_free(r->limits);
  pcre2_match_data_free(r->match);
  pcre2_code_free(r->code);
  pcre2_code_free(r->long_code);
  pcre2_code_free(r->nothing);
  pcre2_general_context_free(r->memory);
  a.fn(a.ctx, r, sizeof *r, 0, _Alignof(regex));
}

static weft_status regex_compile(const weft_plugin_call *c, const weft_allocator *a, const weft_pattern *p,
                                 void **out) {
  regex *r = *out = a->fn(a->ctx, NULL, 0, sizeof *r, _Alignof(regex));
  if (!r)
    return weft_pcre2_no_memory(c);
  memset(r, 0, sizeof *r);
  r->alloc = *a;
  weft_status s = weft_pcre2_make(c, r, p);
  if (!s)
    return s;
  regex_free(r);
  *out = NULL;
  return s;
}

static weft_status matched(const regex *r, int got, weft_bytes text, bool *out) {
  const weft_plugin_call *c = r->call;
  *out = got >= 0;
  if (r->stopped)
    return r->stopped;
  if (got >= 0 || got == PCRE2_ERROR_NOMATCH)
    return WEFT_OK;
  if (got == PCRE2_ERROR_NOMEMORY)
    return c->fail(c->ctx, WEFT_E_NOMEM, "no memory for a match");
  char why[160] = "";
  pcre2_get_error_message(got, (PCRE2_UCHAR *)why, sizeof why);
  bool limit = got == PCRE2_ERROR_MATCHLIMIT || got == PCRE2_ERROR_DEPTHLIMIT ||
               got == PCRE2_ERROR_HEAPLIMIT || got == PCRE2_ERROR_DFA_WSSIZE;
  return c->fail(c->ctx, limit ? WEFT_E_LIMIT : WEFT_E_INVALID, "matching '%.*s': %s",
                 (int)WEFT_MIN(text.n, 80), (const char *)text.v, why);
}

static void match_begin(regex *r, const weft_plugin_call *c) {
  r->call = c;
  r->at = r->work = 0;
  r->stopped = WEFT_OK;
}

// Checks a long text piece by piece, at borders of characters; the option says that PCRE2 need not.
static weft_status check_text(regex *r, weft_bytes text, uint32_t *out_option) {
  *out_option = 0;
  if (!r->nothing || text.n <= PIECE)
    return WEFT_OK;
  for (size_t at = 0, n; at < text.n; at += n) {
    bool any;
    n = WEFT_MIN(text.n - at, PIECE);
    for (int k = 0; k < 3 && at + n < text.n && (text.v[at + n] & 0xC0) == 0x80; k++)
      n--;
    r->stopped = weft_plugin_poll(r->call);
    int got = r->stopped ? 0 : pcre2_match(r->nothing, text.v + at, n, 0, 0, r->match, NULL);
    WEFT_TRY(matched(r, got, (weft_bytes){text.v + at, n}, &any));
  }
  *out_option = PCRE2_NO_UTF_CHECK;
  return WEFT_OK;
}

static weft_status regex_match(const weft_plugin_call *c, void *p, weft_bytes text, bool *out) {
  regex *r = p;
  uint32_t checked;
  int got;
  match_begin(r, c);
  WEFT_TRY(check_text(r, text, &checked));
  if (r->long_code && text.n > LONG) {
    got = pcre2_dfa_match(r->long_code, text.v, text.n, 0, checked, r->match, r->limits, r->states, STATES);
  } else {
    got = pcre2_match(r->code, text.v, text.n, 0, checked, r->match, r->limits);
  }
  return matched(r, got, text, out);
}

static weft_status regex_search(const weft_plugin_call *c, void *p, weft_bytes text, size_t from,
                                weft_found *out) {
  regex *r = p;
  uint32_t checked = PCRE2_NO_UTF_CHECK;
  match_begin(r, c);
  if (!from)
    WEFT_TRY(check_text(r, text, &checked));
  int got = pcre2_dfa_match(r->code, text.v, text.n, from, checked, r->match, r->limits, r->states, STATES);
  const PCRE2_SIZE *place = pcre2_get_ovector_pointer(r->match);
  out->begin = got >= 0 ? place[0] : 0;
  out->end = got >= 0 ? place[1] : 0;
  return matched(r, got, text, &out->any);
}

static weft_status regex_groups(const weft_plugin_call *c, void *p, weft_bytes text, size_t from,
                                weft_found *out, size_t n) {
  regex *r = p;
  uint32_t checked = PCRE2_NO_UTF_CHECK;
  bool any;
  match_begin(r, c);
  if (!from)
    WEFT_TRY(check_text(r, text, &checked));
  int got = pcre2_match(r->code, text.v, text.n, from, checked, r->match, r->limits);
  const PCRE2_SIZE *place = pcre2_get_ovector_pointer(r->match);
  const size_t have = got > 0 ? (size_t)got : got == 0 ? GROUPS : 0;
  for (size_t i = 0; i < n; i++) {
    out[i].any = i < have && place[2 * i] != PCRE2_UNSET;
    out[i].begin = out[i].any ? place[2 * i] : 0;
    out[i].end = out[i].any ? place[2 * i + 1] : 0;
  }
  return matched(r, got, text, &any);
}

WEFT_PLUGIN = {.version = WEFT_PLUGIN_VERSION,
               .size = sizeof(weft_plugin),
               .kind = WEFT_PLUGIN_REGEX,
               .name = "weft_pcre2",
               .library = WEFT_PLUGIN_LIBRARY,
               .regex_compile = regex_compile,
               .regex_match = regex_match,
               .regex_search = regex_search,
               .regex_groups = regex_groups,
               .regex_free = regex_free};
// SPDX-License-Identifier: Apache-2.0
