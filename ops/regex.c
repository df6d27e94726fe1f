// regex.c - the way to the plug-in that matches regular expressions.
#include "regex.h"

static weft_status regex_fail(void *ctx, weft_status s, const char *fmt, ...) {
  char text[1024];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  return weft_fail(ctx, s, "%s", text);
}

weft_status weft__regex_compile(const weft_call *c, const weft_allocator *a, const weft_pattern *p,
                                weft_regex *out) {
  const weft_plugin_call call = {.ctx = c->d, .fail = regex_fail};
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

weft_status weft__regex_full_match(weft_regex *r, const char *text, size_t bytes, bool *out, weft_diag *d) {
  const weft_plugin_call call = {.ctx = d, .fail = regex_fail};
  return r->plugin->regex_match(&call, r->compiled, (weft_bytes){(const uint8_t *)text, bytes}, out);
}

weft_status weft__regex_search(weft_regex *r, const char *text, size_t bytes, size_t from, weft_found *out,
                               weft_diag *d) {
  const weft_plugin_call call = {.ctx = d, .fail = regex_fail};
  return r->plugin->regex_search(&call, r->compiled, (weft_bytes){(const uint8_t *)text, bytes}, from, out);
}
// SPDX-License-Identifier: Apache-2.0
