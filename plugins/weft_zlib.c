// weft_zlib.c - deflated data by zlib; see tensor/inflate.h. zlib's memory, about 48 KiB for one call, is its
// own.
#define ZLIB_CONST
#include <limits.h>
#include <zlib.h>

#include "base/base.h"
#include "base/plugin.h"

static const char *inflate_fault(const z_stream *z, int got, bool cut, size_t room) {
  if (got == Z_MEM_ERROR)
    return "no memory for zlib";
  if (cut)
    return "they end early";
  if (got == Z_BUF_ERROR)
    return "more data than expected";
  if (got != Z_STREAM_END)
    return z->msg ? z->msg : "damaged data";
  return room ? "less data than expected" : "data behind the last block";
}

static weft_status inflate_all(const weft_plugin_call *c, weft_bytes data, uint8_t *out, size_t bytes) {
  Bytef none = 0;
  z_stream z = {.next_in = data.v, .next_out = bytes ? out : &none};
  if (inflateInit2(&z, -MAX_WBITS) != Z_OK)
    return c->fail(c->ctx, WEFT_E_NOMEM, "no memory for zlib");
  // not yet given to z, whose counts are 32 bits wide
  size_t left = data.n;
  size_t room = bytes;
  int got = Z_OK;
  while (got == Z_OK) {
    size_t in = WEFT_MIN(left, UINT_MAX - z.avail_in);
    size_t to = WEFT_MIN(room, UINT_MAX - z.avail_out);
    z.avail_in += (uInt)in;
    left -= in;
    z.avail_out += (uInt)to;
    room -= to;
    got = inflate(&z, Z_NO_FLUSH);
  }
  left += z.avail_in;
  room += z.avail_out;
  bool whole = got == Z_STREAM_END && !left && !room;
  bool cut = got == Z_BUF_ERROR && !left;
  const char *why = inflate_fault(&z, got, cut, room);
  inflateEnd(&z);
  if (whole)
    return WEFT_OK;
  return c->fail(c->ctx,
                 got == Z_MEM_ERROR ? WEFT_E_NOMEM
                 : cut              ? WEFT_E_TRUNCATED
                                    : WEFT_E_CORRUPT,
                 "deflated data: %s at byte %zu of %zu, after %zu of %zu bytes made", why, data.n - left,
                 data.n, bytes - room, bytes);
}

WEFT_PLUGIN = {.version = WEFT_PLUGIN_VERSION,
               .size = sizeof(weft_plugin),
               .kind = WEFT_PLUGIN_INFLATE,
               .name = "weft_zlib",
               .library = WEFT_PLUGIN_LIBRARY,
               .inflate = inflate_all};
// SPDX-License-Identifier: Apache-2.0
