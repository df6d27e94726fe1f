// regex.c - the way to the plug-in that matches regular expressions.
#include "regex.h"

static weft_status regex_fail(void *ctx, weft_status s, const char *fmt, ...) {
  const weft_call *c = ctx;
  char text[1024];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  return weft_fail(c->d, s, "%s", text);
}

static weft_status regex_poll(void *ctx) {
  return weft__call_poll(ctx);
}

static weft_plugin_call regex_call(const weft_call *c) {
  void *ctx = (void *)(uintptr_t)c;  // it comes back const
  return (weft_plugin_call){
      .ctx = ctx, .fail = regex_fail, .poll = weft__call_is_timed(c) ? regex_poll : NULL};
}

weft_status weft__regex_compile(const weft_call *c, const weft_allocator *a, const weft_pattern *p,
                                weft_regex *out) {
  const weft_plugin_call call = regex_call(c);
  const weft_allocator from = a->fn ? *a : weft_allocator_default();  // an output in an arena has none
  *out = (weft_regex){0};
  WEFT_TRY(weft__call_plugin(c, WEFT__PLUGIN_PCRE2, &out->plugin));
  return out->plugin->regex_compile(&call, &from, p, &out->compiled);
}

void weft__regex_free(weft_regex *r) {
  if (r->compiled)
    r->plugin->regex_free(r->compiled);
  r->compiled = NULL;
}

weft_status weft__regex_full_match(const weft_call *c, weft_regex *r, const char *text, size_t bytes,
                                   bool *out) {
  const weft_plugin_call call = regex_call(c);
  return r->plugin->regex_match(&call, r->compiled, (weft_bytes){(const uint8_t *)text, bytes}, out);
}

static weft_status regex_match_all(const weft_call *c, weft_regex *r) {
  const size_t n = weft__elems(&c->in[0]->layout.origin);
  for (size_t i = 0; i < n; i++) {
    const char *text;
    size_t bytes;
    bool match = false;
    WEFT_TRY(weft__call_poll(c));
    WEFT_TRY(weft_tensor_string(c->in[0], i, &text, &bytes, c->d));
    WEFT_TRY(weft__regex_full_match(c, r, text, bytes, &match));
    ((uint8_t *)c->out[0]->data)[i] = match;
  }
  return WEFT_OK;
}

weft_status weft__regex_full_match_all(const weft_call *c, const weft_pattern *p, const char *what) {
  weft_regex r;
  weft_status s = weft__regex_compile(c, &c->out[0]->alloc, p, &r);
  if (s)
    weft_note(c->d, "%s", what);
  else
    s = regex_match_all(c, &r);
  weft__regex_free(&r);
  return s;
}

weft_status weft__regex_search(const weft_call *c, weft_regex *r, const char *text, size_t bytes, size_t from,
                               weft_found *out) {
  const weft_plugin_call call = regex_call(c);
  return r->plugin->regex_search(&call, r->compiled, (weft_bytes){(const uint8_t *)text, bytes}, from, out);
}

weft_status weft__regex_groups(const weft_call *c, weft_regex *r, const char *text, size_t bytes, size_t from,
                               weft_found *out, size_t n) {
  const weft_plugin_call call = regex_call(c);
  return r->plugin->regex_groups(&call, r->compiled, (weft_bytes){(const uint8_t *)text, bytes}, from, out,
                                 n);
}
// SPDX-License-Identifier: Apache-2.0
