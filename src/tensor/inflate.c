// inflate.c - the way to the plug-in that unpacks deflated data; see inflate.h.
#include "tensor/inflate.h"

static weft_status inflate_fail(void *ctx, weft_status s, const char *fmt, ...) {
  char text[512];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  return weft_fail(ctx, s, "%s", text);
}

weft_status weft__inflate(const weft__plugin_place *place, weft_bytes data, uint8_t *out, size_t out_bytes,
                          weft_diag *d) {
  const weft_plugin_call call = {.ctx = d, .fail = inflate_fail};
  const weft_plugin *p;
  weft_status s = weft__plugin_load(WEFT__PLUGIN_ZLIB, place, &p, d);
  if (s) {
    weft_note(d, "%zu deflated bytes, %zu unpacked: archives without compression need no plug-in", data.n,
              out_bytes);
  }
  WEFT_TRY(s);
  return p->inflate(&call, data, out, out_bytes);
}
// SPDX-License-Identifier: Apache-2.0
