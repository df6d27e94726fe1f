// inflate.c - deflated data by zlib, where the build has it (WEFT_ZLIB); see inflate.h. zlib's memory, about
// 48 KiB for one call, is its own.
#include "tensor/inflate.h"

#ifndef WEFT_WITH_ZLIB

weft_status weft__inflate(const uint8_t *data, size_t bytes, uint8_t *out, size_t out_bytes, weft_diag *d) {
  (void)data, (void)out;
  return weft_fail(
      d, WEFT_E_UNSUPPORTED,
      "deflated data (%zu bytes, %zu unpacked): weft was built without zlib: install zlib1g-dev and "
      "configure with -DWEFT_ZLIB=ON, or store them unpacked",
      bytes, out_bytes);
}

#else

#define ZLIB_CONST
#include <limits.h>
#include <zlib.h>

weft_status weft__inflate(const uint8_t *data, size_t bytes, uint8_t *out, size_t out_bytes, weft_diag *d) {
  Bytef none = 0;
  z_stream z = {.next_in = data, .next_out = out_bytes ? out : &none};
  if (inflateInit2(&z, -MAX_WBITS) != Z_OK) return weft_fail(d, WEFT_E_NOMEM, "no memory for zlib");
  size_t left = bytes, room = out_bytes;  // not yet given to z, whose counts are 32 bits wide
  int got = Z_OK;
  while (got == Z_OK) {
    size_t in = WEFT_MIN(left, UINT_MAX - z.avail_in), to = WEFT_MIN(room, UINT_MAX - z.avail_out);
    z.avail_in += (uInt)in, left -= in, z.avail_out += (uInt)to, room -= to;
    got = inflate(&z, Z_NO_FLUSH);
  }
  left += z.avail_in, room += z.avail_out;
  bool whole = got == Z_STREAM_END, cut = got == Z_BUF_ERROR && !left;
  const char *why = got == Z_MEM_ERROR   ? "no memory for zlib"
                    : cut                ? "they end early"
                    : got == Z_BUF_ERROR ? "more data than expected"
                    : !whole             ? z.msg ? z.msg : "damaged data"
                    : room               ? "less data than expected"
                                         : "data behind the last block";
  inflateEnd(&z);
  if (whole && !left && !room) return WEFT_OK;
  weft_status s = got == Z_MEM_ERROR ? WEFT_E_NOMEM : cut ? WEFT_E_TRUNCATED : WEFT_E_CORRUPT;
  return weft_fail(d, s, "deflated data: %s at byte %zu of %zu, after %zu of %zu bytes made", why,
                   bytes - left, bytes, out_bytes - room, out_bytes);
}

#endif
