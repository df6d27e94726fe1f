// string_util.c - see string_util.h. An allocation that fails is kept in the list and comes out at the end.
#include "string_util.h"

enum { PIECE = 1 << 20, BYTES_A_STEP = 64 };  // of a text: added at once; as much work as one element

void weft__strings_init_at(weft_strings *s, const weft_call *c, uint32_t out) {
  memset(s, 0, sizeof *s);
  s->call = c;
  s->out = out;
  weft__text_init(&s->bytes, &c->out[out]->alloc);
}

void weft__strings_init(weft_strings *s, const weft_call *c) {
  weft__strings_init_at(s, c, 0);
}

void weft__strings_deinit(weft_strings *s) {
  weft_allocator a = s->bytes.alloc;
  WEFT_VEC_FREE(&a, s->ends);
  weft__text_deinit(&s->bytes);
}

void weft__strings_add(weft_strings *s, const char *text, size_t bytes) {
  for (size_t at = 0; at < bytes && !s->stopped; at += PIECE) {
    size_t piece = WEFT_MIN(bytes - at, PIECE);
    s->stopped = weft__poll_work(s->call, &s->work, piece / BYTES_A_STEP + 1);
    if (!s->stopped)
      weft__text_add(&s->bytes, text + at, piece);
  }
}

void weft__strings_next(weft_strings *s) {
  if (!WEFT_VEC_ROOM(&s->bytes.alloc, s->ends)) {
    s->failed = true;
    return;
  }
  s->ends.v[s->ends.n++] = s->bytes.n;
}

static weft_status string_util_give(weft_strings *s, const weft_shape *shape) {
  size_t n = s->ends.n;
  size_t bytes;
  weft_diag *d = s->call->d;
  weft_allocator a = s->bytes.alloc;
  WEFT_TRY(s->stopped);
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
  weft_status st = weft__call_set_strings(s->call, s->call->out[s->out], shape, text, lengths);
  weft__free(&a, text, bytes, 16);
  return st;
}

weft_status weft__strings_give(weft_strings *s, const weft_shape *shape, weft_status so_far) {
  weft_status st = so_far;
  if (!st)
    st = string_util_give(s, shape);
  weft__strings_deinit(s);
  return st;
}

// ---- UTF-8 ----

// Bytes of a character that begins with `first`; 0: none does.
static size_t utf8_length(uint8_t first) {
  static const struct {
    uint8_t from;
    uint8_t to;
    uint8_t bytes;
  } leads[] = {{0, 0x7F, 1}, {0xC2, 0xDF, 2}, {0xE0, 0xEF, 3}, {0xF0, 0xF4, 4}};
  for (size_t i = 0; i < WEFT_COUNT(leads); i++) {
    if (first >= leads[i].from && first <= leads[i].to)
      return leads[i].bytes;
  }
  return 0;
}

// Is it a character's, and could it not be written in fewer bytes?
static bool is_character(int32_t code, size_t bytes) {
  static const int32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  return code >= least[bytes] && code < 0x110000 && !surrogate;
}

size_t weft__utf8_next(const char *text, size_t bytes, int32_t *out_code) {
  static const uint8_t lead_bits[] = {0, 0x7F, 31, 15, 7};
  const uint8_t *p = (const uint8_t *)text;
  const size_t n = utf8_length(p[0]);
  int32_t code = p[0] & lead_bits[n];
  bool ok = n && n <= bytes;
  for (size_t i = 1; ok && i < n; i++) {
    ok = (p[i] & 0xC0) == 0x80;
    code = code << 6 | (p[i] & 63);
  }
  ok = ok && is_character(code, n);
  *out_code = ok ? code : -1;
  return ok ? n : 1;
}

static size_t utf8_put(int32_t code, char out[4]) {
  static const uint8_t lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
  if (code < 0x80) {
    out[0] = (char)code;
    return 1;
  }
  size_t n = 2;
  if (code >= 0x800)
    n = code >= 0x10000 ? 4 : 3;
  for (size_t i = n; i-- > 1; code >>= 6)
    out[i] = (char)(0x80 | (code & 63));
  out[0] = (char)(lead[n] | code);
  return n;
}

// Runs of letters whose lower case lies a constant distance behind, or, where letters of both cases take
// turns, one behind each upper case.
typedef struct case_run {
  int32_t first;  // upper case
  int32_t last;   // upper case; of turns: the last of both
  int32_t distance;
  bool turns;
} case_run;
// clang-format off
static const case_run case_runs[] = {
    {'A', 'Z', 32, false},
    {0xC0, 0xD6, 32, false},
    {0xD8, 0xDE, 32, false},
    {0x100, 0x12F, 1, true},
    {0x132, 0x137, 1, true},
    {0x139, 0x148, 1, true},
    {0x14A, 0x177, 1, true},
    {0x178, 0x178, -121, false},
    {0x179, 0x17E, 1, true},
    {0x391, 0x3A1, 32, false},
    {0x3A3, 0x3AB, 32, false},
    {0x400, 0x40F, 80, false},
    {0x410, 0x42F, 32, false},
};
// clang-format on

int32_t weft__case_lower(int32_t c) {
  for (size_t i = 0; i < WEFT_COUNT(case_runs); i++) {
    const case_run *r = &case_runs[i];
    const bool inside = c >= r->first && c <= r->last;
    const bool upper = !r->turns || (c - r->first) % 2 == 0;
    if (inside && upper)
      return c + r->distance;
  }
  return c;
}

int32_t weft__case_upper(int32_t c) {
  enum { FINAL_SIGMA = 0x3C2, SIGMA = 0x3A3 };
  if (c == FINAL_SIGMA)
    return SIGMA;
  for (size_t i = 0; i < WEFT_COUNT(case_runs); i++) {
    const case_run *r = &case_runs[i];
    const int32_t upper = c - r->distance;
    const bool inside = upper >= r->first && upper <= r->last;
    const bool lower = !r->turns || (upper - r->first) % 2 == 0;
    if (inside && lower)
      return upper;
  }
  return c;
}

void weft__strings_add_case(weft_strings *s, const char *text, size_t bytes, bool upper) {
  for (size_t at = 0, n; at < bytes && !s->stopped; at += n) {
    int32_t code;
    char out[4];
    n = weft__utf8_next(text + at, bytes - at, &code);
    if (code < 0) {
      weft__strings_add(s, text + at, n);
      continue;
    }
    const int32_t changed = upper ? weft__case_upper(code) : weft__case_lower(code);
    weft__strings_add(s, out, utf8_put(changed, out));
  }
}

// The digits are those of snprintf, the point between them is ours.
void weft__strings_point(char *text) {
  const size_t whole = strspn(text, "-0123456789");
  const size_t point = strcspn(text + whole, "0123456789eE");
  const bool number = text[whole] && text[whole] != 'e' && text[whole + point];
  if (!number)
    return;
  text[whole] = '.';
  memmove(text + whole + 1, text + whole + point, strlen(text + whole + point) + 1);
}
// SPDX-License-Identifier: Apache-2.0
