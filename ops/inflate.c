// inflate.c - DEFLATE, RFC 1951. Codes are decoded bit by bit over the counts of their lengths: slow, and
// without tables that a bad file could make inconsistent. Time is that of the input's bits and the output's
// bytes.
#include "picture.h"

typedef struct stream {
  weft_bytes in;
  size_t at;    // bits read
  bool short_;  // more were asked for than there are
  uint8_t *out;
  size_t n, cap;
} stream;

typedef struct code {
  uint16_t count[16], symbol[288];
} code;

static uint32_t bits(stream *s, uint32_t n) {
  uint32_t v = 0;
  for (uint32_t k = 0; k < n; k++, s->at++) {
    if (s->at / 8 >= s->in.n) {
      s->short_ = true;
      return 0;
    }
    v |= (uint32_t)(s->in.v[s->at / 8] >> (s->at % 8) & 1) << k;
  }
  return v;
}

// Canonical code of n symbols from their lengths; false: more codes than bits can tell apart.
static bool make_code(code *c, const uint8_t *length, size_t n) {
  uint16_t next[16];
  int32_t left = 1;
  memset(c, 0, sizeof *c);
  for (size_t k = 0; k < n; k++) c->count[length[k]]++;
  for (size_t k = 1; k < 16; k++)
    if ((left = 2 * left - c->count[k]) < 0) return false;
  next[1] = 0;
  for (size_t k = 1; k < 15; k++) next[k + 1] = (uint16_t)(next[k] + c->count[k]);
  for (size_t k = 0; k < n; k++)
    if (length[k]) c->symbol[next[length[k]]++] = (uint16_t)k;
  return true;
}

static int symbol(stream *s, const code *c) {  // -1: no such code
  int32_t value = 0, first = 0, index = 0;
  for (size_t k = 1; k < 16; k++) {
    value |= (int32_t)bits(s, 1);
    if (s->short_) return -1;
    if (value - first < c->count[k]) return c->symbol[index + value - first];
    index += c->count[k], first = (first + c->count[k]) << 1, value <<= 1;
  }
  return -1;
}

static bool stored(stream *s) {
  s->at = (s->at + 7) / 8 * 8;
  uint32_t n = bits(s, 16), check = bits(s, 16);
  if (s->short_ || (n ^ check) != 0xffff || n > s->cap - s->n) return false;
  for (; n && !s->short_; n--) s->out[s->n++] = (uint8_t)bits(s, 8);
  return !s->short_;
}

static bool compressed(stream *s, const code *literal, const code *distance) {
  static const uint16_t length_base[29] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                           31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
  static const uint8_t length_more[29] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                          2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
  for (;;) {
    int v = symbol(s, literal);
    if (v == 256) return true;
    if (v < 0 || v > 285 || s->n == s->cap) return false;
    if (v < 256) {
      s->out[s->n++] = (uint8_t)v;
      continue;
    }
    size_t length = length_base[v - 257] + bits(s, length_more[v - 257]);
    int far = symbol(s, distance);
    if (far < 0 || far > 29) return false;
    uint32_t more = far < 4 ? 0 : (uint32_t)far / 2 - 1;
    size_t back = far < 4 ? (size_t)far + 1 : 1 + ((size_t)(2 + far % 2) << more) + bits(s, more);
    if (s->short_ || back > s->n || length > s->cap - s->n) return false;
    for (; length; length--, s->n++) s->out[s->n] = s->out[s->n - back];
  }
}

static bool fixed_codes(code *literal, code *distance) {
  uint8_t length[288];
  for (size_t k = 0; k < 288; k++) length[k] = k < 144 ? 8 : k < 256 ? 9 : k < 280 ? 7 : 8;
  if (!make_code(literal, length, 288)) return false;
  memset(length, 5, 30);
  return make_code(distance, length, 30);
}

static bool read_codes(stream *s, code *literal, code *distance) {
  static const uint8_t order[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
  uint8_t length[320] = {0};
  size_t n_literal = bits(s, 5) + 257, n_distance = bits(s, 5) + 1, n = bits(s, 4) + 4;
  code lengths;
  if (n_literal > 286 || n_distance > 30) return false;
  for (size_t k = 0; k < n; k++) length[order[k]] = (uint8_t)bits(s, 3);
  if (s->short_ || !make_code(&lengths, length, 19)) return false;
  for (size_t k = 0; k < n_literal + n_distance;) {
    int v = symbol(s, &lengths);
    if (v < 0) return false;
    size_t times = v < 16 ? 1 : v == 16 ? 3 + bits(s, 2) : v == 17 ? 3 + bits(s, 3) : 11 + bits(s, 7);
    if (s->short_ || (v == 16 && !k) || times > n_literal + n_distance - k) return false;
    uint8_t value = v < 16 ? (uint8_t)v : v == 16 ? length[k - 1] : 0;
    for (; times; times--) length[k++] = value;
  }
  return make_code(literal, length, n_literal) && make_code(distance, length + n_literal, n_distance);
}

weft_status weft__inflate(weft_diag *d, weft_bytes in, uint8_t *out, size_t n) {
  stream s = {.in = in, .out = out, .cap = n};
  code literal, distance;
  for (bool last = false, ok = true; !last || !ok;) {
    last = bits(&s, 1) != 0;
    uint32_t kind = bits(&s, 2);
    if (kind == 0)
      ok = stored(&s);
    else if (kind == 1)
      ok = fixed_codes(&literal, &distance) && compressed(&s, &literal, &distance);
    else
      ok = kind == 2 && read_codes(&s, &literal, &distance) && compressed(&s, &literal, &distance);
    if (s.short_) return weft_fail(d, WEFT_E_TRUNCATED, "compressed data end after %zu of %zu bytes", s.n, n);
    if (!ok)
      return weft_fail(d, WEFT_E_CORRUPT, "compressed data are wrong at bit %zu, after %zu of %zu bytes",
                       s.at, s.n, n);
  }
  return s.n == n ? WEFT_OK
                  : weft_fail(d, WEFT_E_CORRUPT, "compressed data hold %zu bytes, expected %zu", s.n, n);
}
