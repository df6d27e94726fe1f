// strings.c - see strings.h. An allocation that fails is kept in the list and comes out at the end.
#include "string_util.h"

void weft__strings_init(weft_strings *s, const weft_allocator *a) {
  memset(s, 0, sizeof *s);
  weft__text_init(&s->bytes, a);
}

void weft__strings_deinit(weft_strings *s) {
  weft_allocator a = s->bytes.alloc;
  WEFT_VEC_FREE(&a, s->ends);
  weft__text_deinit(&s->bytes);
}

void weft__strings_add(weft_strings *s, const char *text, size_t bytes) {
  if (bytes)
    weft__text_add(&s->bytes, text, bytes);
}

void weft__strings_next(weft_strings *s) {
  if (!WEFT_VEC_ROOM(&s->bytes.alloc, s->ends)) {
    s->failed = true;
    return;
  }
  s->ends.v[s->ends.n++] = s->bytes.n;
}

static weft_status give(weft_strings *s, weft_tensor *out, const weft_shape *shape, weft_diag *d) {
  size_t n = s->ends.n;
  size_t bytes;
  weft_allocator a = s->bytes.alloc;
  if (s->failed || s->bytes.failed)
    return weft_fail(d, WEFT_E_NOMEM, "no memory for %zu strings", n);
  WEFT_ASSERT(n == weft__elems(shape));
  if (!weft_mul_size(n + 1, sizeof(char *) + sizeof(size_t), &bytes))
    return weft_fail(d, WEFT_E_OVERFLOW, "%zu strings", n);
  const char **text = weft__alloc(&a, bytes, 16);
  if (!text)
    return weft_fail(d, WEFT_E_NOMEM, "no memory for %zu strings", n);
  size_t *lengths = (size_t *)(text + n + 1);
  for (size_t i = 0; i < n; i++) {
    size_t from = i ? s->ends.v[i - 1] : 0;
    text[i] = s->bytes.v ? s->bytes.v + from : "";
    lengths[i] = s->ends.v[i] - from;
  }
  weft_shape kept;  // the shape may be the output's own
  weft_shape_copy(&kept, shape);
  weft_status st = weft_tensor_set_strings(out, kept.dim, kept.rank, text, lengths, d);
  weft__free(&a, text, bytes, 16);
  return st;
}

weft_status weft__strings_give(weft_strings *s, weft_tensor *out, const weft_shape *shape, weft_status so_far,
                               weft_diag *d) {
  weft_status st = so_far ? so_far : out ? give(s, out, shape, d) : WEFT_OK;
  weft__strings_deinit(s);
  return st;
}

// ---- UTF-8 ----

size_t weft__utf8_next(const char *text, size_t bytes, int32_t *out_code) {
  const uint8_t *p = (const uint8_t *)text;
  static const int32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  size_t n = p[0] < 0x80                   ? 1
             : p[0] >= 0xC2 && p[0] < 0xE0 ? 2
             : (p[0] & 0xF0) == 0xE0       ? 3
             : p[0] >= 0xF0 && p[0] < 0xF5 ? 4
                                           : 0;
  int32_t code = n == 1 ? p[0] : n == 2 ? p[0] & 31 : n == 3 ? p[0] & 15 : p[0] & 7;
  bool ok = n && n <= bytes;
  for (size_t i = 1; ok && i < n; i++) {
    ok = (p[i] & 0xC0) == 0x80;
    code = code << 6 | (p[i] & 63);
  }
  ok = ok && code >= least[n] && code < 0x110000 && (code < 0xD800 || code > 0xDFFF);
  *out_code = ok ? code : -1;
  return ok ? n : 1;
}

static size_t utf8_put(int32_t code, char out[4]) {
  if (code < 0x80)
    return out[0] = (char)code, 1;
  if (code < 0x800)
    return out[0] = (char)(0xC0 | code >> 6), out[1] = (char)(0x80 | (code & 63)), 2;
  size_t at = 0;
  if (code >= 0x10000) {
    out[at++] = (char)(0xF0 | code >> 18);
    out[at++] = (char)(0x80 | (code >> 12 & 63));
  } else
    out[at++] = (char)(0xE0 | code >> 12);
  out[at++] = (char)(0x80 | (code >> 6 & 63));
  out[at++] = (char)(0x80 | (code & 63));
  return at;
}

// Latin Extended-A pairs upper (even or odd) with the next code point; a few have no pair.
static int latin_a_parity(int32_t c) {
  if ((c >= 0x100 && c <= 0x137 && c != 0x130 && c != 0x131) || (c >= 0x14A && c <= 0x177))
    return 0;
  if ((c >= 0x139 && c <= 0x148) || (c >= 0x179 && c <= 0x17E))
    return 1;
  return -1;
}

int32_t weft__case_lower(int32_t c) {
  if (c >= 'A' && c <= 'Z')
    return c + 32;
  if (c < 0xC0)
    return c;
  if (c <= 0xDE && c != 0xD7)
    return c + 32;
  if (c == 0x178)
    return 0xFF;
  if (latin_a_parity(c) >= 0)
    return (c & 1) == latin_a_parity(c) ? c + 1 : c;
  if (c >= 0x391 && c <= 0x3AB && c != 0x3A2)
    return c + 32;
  if (c >= 0x410 && c <= 0x42F)
    return c + 32;
  return c >= 0x400 && c <= 0x40F ? c + 80 : c;
}

int32_t weft__case_upper(int32_t c) {
  if (c >= 'a' && c <= 'z')
    return c - 32;
  if (c < 0xE0)
    return c;
  if (c <= 0xFE && c != 0xF7)
    return c - 32;
  if (c == 0xFF)
    return 0x178;
  if (latin_a_parity(c) >= 0)
    return (c & 1) == latin_a_parity(c) ? c : c - 1;
  if (c >= 0x3B1 && c <= 0x3CB)
    return c == 0x3C2 ? 0x3A3 : c - 32;
  if (c >= 0x430 && c <= 0x44F)
    return c - 32;
  return c >= 0x450 && c <= 0x45F ? c - 80 : c;
}

void weft__strings_add_case(weft_strings *s, const char *text, size_t bytes, bool upper) {
  for (size_t at = 0, n; at < bytes; at += n) {
    int32_t code;
    char out[4];
    n = weft__utf8_next(text + at, bytes - at, &code);
    if (code < 0)
      weft__strings_add(s, text + at, n);
    else
      weft__strings_add(s, out, utf8_put(upper ? weft__case_upper(code) : weft__case_lower(code), out));
  }
}
// SPDX-License-Identifier: Apache-2.0
