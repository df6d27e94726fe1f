// inflate.c - see inflate.h. Codes are read bit by bit along the canonical order: slow beside a table, small
// and easy to check. A code set is a count of codes per length and the symbols in order; over-subscribed sets
// are refused, incomplete ones only where RFC 1951 has them (one distance code). Invariant: at <= bytes, made
// <= room.
#include "tensor/inflate.h"

enum { MAX_BITS = 15, MAX_LITERALS = 288, MAX_DISTANCES = 30, END = 256 };

typedef struct stream {
  const uint8_t *data;
  size_t at, bytes;
  uint8_t *out;
  size_t made, room;
  uint32_t bits, n_bits;  // taken from data, not used yet
  weft_status status;     // the first failure; from then on bits are 0
  weft_diag *d;
} stream;

typedef struct code_set {
  uint16_t count[MAX_BITS + 1];  // codes of each length
  uint16_t symbol[MAX_LITERALS];
} code_set;

static weft_status fail(stream *s, weft_status status, const char *what) {
  if (!s->status)
    s->status = weft_fail(s->d, status, "deflated data: %s at byte %zu of %zu, after %zu of %zu bytes made",
                          what, s->at, s->bytes, s->made, s->room);
  return s->status;
}

static uint32_t take(stream *s, uint32_t n) {  // n <= 16 bits, the lowest first
  while (s->n_bits < n) {
    if (s->at == s->bytes) {
      fail(s, WEFT_E_TRUNCATED, "they end");
      return 0;
    }
    s->bits |= (uint32_t)s->data[s->at++] << s->n_bits;
    s->n_bits += 8;
  }
  uint32_t v = s->bits & ((UINT32_C(1) << n) - 1);
  s->bits >>= n;
  s->n_bits -= n;
  return v;
}

// false: more codes than their lengths allow. *out_complete: no code is unused.
static bool make_codes(code_set *c, const uint8_t *lengths, uint32_t n, bool *out_complete) {
  uint16_t next[MAX_BITS + 1] = {0};
  int32_t left = 1;
  memset(c->count, 0, sizeof c->count);
  for (uint32_t i = 0; i < n; i++) c->count[lengths[i]]++;
  c->count[0] = 0;
  for (int i = 1; i <= MAX_BITS; i++) {
    left = 2 * left - c->count[i];
    if (left < 0) return false;
    next[i] = (uint16_t)(next[i - 1] + c->count[i - 1]);
  }
  for (uint32_t i = 0; i < n; i++)
    if (lengths[i]) c->symbol[next[lengths[i]]++] = (uint16_t)i;
  *out_complete = left == 0;
  return true;
}

// Codes of one length are consecutive numbers: `first` is the first of this length, `index` that of its
// symbol.
static uint32_t take_symbol(stream *s, const code_set *c) {
  uint32_t code = 0, first = 0, index = 0;
  for (int i = 1; i <= MAX_BITS && !s->status; i++) {
    code |= take(s, 1);
    if (code - first < c->count[i]) return c->symbol[index + (code - first)];
    index += c->count[i];
    first = (first + c->count[i]) << 1;
    code <<= 1;
  }
  fail(s, WEFT_E_CORRUPT, "a code that is not in its set");
  return 0;
}

static void copy_match(stream *s, uint32_t symbol, const code_set *distances) {
  static const uint16_t length[] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                    31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
  static const uint16_t distance[] = {1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
                                      33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
                                      1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
  symbol -= END + 1;
  if (symbol >= WEFT_COUNT(length)) {
    fail(s, WEFT_E_CORRUPT, "a length code that is not used");
    return;
  }
  uint32_t extra = symbol < 8 || symbol == 28 ? 0 : (symbol - 4) / 4;
  size_t n = length[symbol] + take(s, extra);
  uint32_t k = take_symbol(s, distances);
  if (k >= MAX_DISTANCES) {
    fail(s, WEFT_E_CORRUPT, "a distance code that is not used");
    return;
  }
  size_t far = distance[k] + take(s, k < 4 ? 0 : k / 2 - 1);
  if (s->status) return;
  if (far > s->made || n > s->room - s->made) {
    fail(s, WEFT_E_CORRUPT, far > s->made ? "a copy from before the beginning" : "more data than expected");
    return;
  }
  for (; n; n--, s->made++) s->out[s->made] = s->out[s->made - far];  // may overlap
}

static void take_codes(stream *s, const code_set *literals, const code_set *distances) {
  while (!s->status) {
    uint32_t symbol = take_symbol(s, literals);
    if (s->status || symbol == END) return;
    if (symbol > END)
      copy_match(s, symbol, distances);
    else if (s->made == s->room)
      fail(s, WEFT_E_CORRUPT, "more data than expected");
    else
      s->out[s->made++] = (uint8_t)symbol;
  }
}

static void take_stored(stream *s) {
  s->bits = s->n_bits = 0;  // up to the next byte
  uint32_t n = take(s, 16), inverse = take(s, 16);
  if (s->status) return;
  if ((n ^ inverse) != 0xFFFF) {
    fail(s, WEFT_E_CORRUPT, "a stored block whose length is damaged");
  } else if (n > s->bytes - s->at) {
    fail(s, WEFT_E_TRUNCATED, "a stored block passes the end");
  } else if (n > s->room - s->made) {
    fail(s, WEFT_E_CORRUPT, "more data than expected");
  } else if (n) {
    memcpy(s->out + s->made, s->data + s->at, n);
    s->at += n;
    s->made += n;
  }
}

static void take_fixed(stream *s) {
  uint8_t lengths[MAX_LITERALS];
  code_set literals, distances;
  bool complete;
  for (uint32_t i = 0; i < MAX_LITERALS; i++) lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
  (void)make_codes(&literals, lengths, MAX_LITERALS, &complete);
  memset(lengths, 5, MAX_DISTANCES);
  (void)make_codes(&distances, lengths, MAX_DISTANCES, &complete);
  take_codes(s, &literals, &distances);
}

// The lengths of both sets, themselves packed: 16 repeats the last one, 17 and 18 give zeros.
static void take_lengths(stream *s, const code_set *packed, uint8_t *lengths, uint32_t n) {
  for (uint32_t i = 0; i < n && !s->status;) {
    uint32_t symbol = take_symbol(s, packed), times;
    if (symbol < 16) {
      lengths[i++] = (uint8_t)symbol;
      continue;
    }
    if (symbol == 16 && !i) fail(s, WEFT_E_CORRUPT, "a repeated length without one before it");
    times = symbol == 16 ? 3 + take(s, 2) : symbol == 17 ? 3 + take(s, 3) : 11 + take(s, 7);
    if (times > n - i) fail(s, WEFT_E_CORRUPT, "more code lengths than codes");
    if (s->status) return;
    memset(lengths + i, symbol == 16 ? lengths[i - 1] : 0, times);
    i += times;
  }
}

static void take_dynamic(stream *s) {
  static const uint8_t order[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
  uint8_t lengths[MAX_LITERALS + 32] = {0};
  code_set packed, literals, distances;
  bool complete, complete_too;
  uint32_t n_literals = 257 + take(s, 5), n_distances = 1 + take(s, 5), n_packed = 4 + take(s, 4);
  if (n_literals > 286 || n_distances > MAX_DISTANCES) fail(s, WEFT_E_CORRUPT, "too many codes");
  for (uint32_t i = 0; i < n_packed; i++) lengths[order[i]] = (uint8_t)take(s, 3);
  if (s->status) return;
  if (!make_codes(&packed, lengths, 19, &complete) || !complete) {
    fail(s, WEFT_E_CORRUPT, "code lengths that make no code");
    return;
  }
  memset(lengths, 0, sizeof lengths);
  take_lengths(s, &packed, lengths, n_literals + n_distances);
  if (s->status) return;
  bool good = lengths[END] && make_codes(&literals, lengths, n_literals, &complete) &&
              make_codes(&distances, lengths + n_literals, n_distances, &complete_too);
  uint32_t n_far = 0;
  for (uint32_t i = 0; i < n_distances; i++) n_far += lengths[n_literals + i] != 0;
  if (!good || !complete || (!complete_too && n_far > 1))
    fail(s, WEFT_E_CORRUPT, "code lengths that make no code");
  else
    take_codes(s, &literals, &distances);
}

weft_status weft__inflate(const uint8_t *data, size_t bytes, uint8_t *out, size_t out_bytes, weft_diag *d) {
  stream s = {.data = data, .bytes = bytes, .out = out, .room = out_bytes, .d = d};
  bool last = false;
  while (!last && !s.status) {
    last = take(&s, 1);
    uint32_t kind = take(&s, 2);
    if (s.status) break;
    if (kind == 0)
      take_stored(&s);
    else if (kind == 1)
      take_fixed(&s);
    else if (kind == 2)
      take_dynamic(&s);
    else
      fail(&s, WEFT_E_CORRUPT, "a block of unknown kind");
  }
  if (!s.status && s.made != s.room) fail(&s, WEFT_E_CORRUPT, "less data than expected");
  if (!s.status && s.at != s.bytes) fail(&s, WEFT_E_CORRUPT, "data behind the last block");
  return s.status;
}
