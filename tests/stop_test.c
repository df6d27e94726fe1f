// stop_test.c - a deadline or a flag ends one picture, one match and one text in the middle: plug-ins ask at
// least every tenth of a second of processor time, in the largest pictures and texts as in small ones, and
// what they answer is what they were told. Pictures of many pixels in few bytes are made here.
#include <time.h>

#include "base/base.h"
#include "base/budget.h"
#include "base/plugins.h"
#include "check.h"
#include "weft/weft.h"

enum { SIDE = 4096, STEP = 16, STOP_FILE = 1 << 20, STOP_TEXT = 24 << 20, SHARE = 4 };
// `make test` matches a quarter of the longest text.
static size_t long_text(void) {
  return check_long() ? STOP_TEXT : STOP_TEXT / SHARE;
}
static const double stop_most_seconds = 0.1;

static double stop_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

// ---- what stands in for weft ----
typedef struct stop_host {
  weft_diag d;
  uint8_t *memory[256];
  size_t n_memory, polls, stop_at;  // stop_at: the poll that says so; 0: none does
  double last, longest;             // seconds between polls
} stop_host;

static weft_status stop_fail(void *ctx, weft_status s, const char *fmt, ...) {
  stop_host *h = ctx;
  va_list ap;
  char text[1024];
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  return weft_fail(&h->d, s, "%s", text);
}

static weft_status stop_scratch(void *ctx, size_t bytes, void **out) {
  stop_host *h = ctx;
  uint8_t *p = h->n_memory < WEFT_COUNT(h->memory) ? calloc(bytes + 1, 1) : NULL;
  *out = p;
  if (!p)
    return stop_fail(ctx, WEFT_E_NOMEM, "too many pieces of memory");
  h->memory[h->n_memory++] = p;
  return WEFT_OK;
}

static weft_status stop_room(void *ctx, size_t per_byte, weft_picture *out) {
  void *p;
  (void)per_byte;
  WEFT_TRY(stop_scratch(ctx, 3 * out->width * out->height, &p));
  out->v = p;
  return WEFT_OK;
}

static void stop_look(stop_host *h) {
  double now = stop_seconds();
  h->longest = WEFT_MAX(h->longest, now - h->last);
  h->last = now;
}

static weft_status stop_poll(void *ctx) {
  stop_host *h = ctx;
  stop_look(h);
  if (++h->polls != h->stop_at)
    return WEFT_OK;
  return stop_fail(ctx, WEFT_E_CANCELLED, "stopped");
}

static void stop_drop(stop_host *h) {
  while (h->n_memory)
    free(h->memory[--h->n_memory]);
  memset(h, 0, sizeof *h);
}

static weft_plugin_call stop_call(stop_host *h) {
  return (weft_plugin_call){h, stop_fail, stop_scratch, stop_room, stop_poll};
}

// NULL: it was not built, counted in *out_absent.
static const weft_plugin *stop_plugin(weft__plugin_id id, int *out_absent) {
  const weft__plugin_place place = {0};
  const weft_plugin *p = NULL;
  weft_diag d = {0};
  if (weft__plugin_load(id, &place, &p, &d))
    p = NULL;
  *out_absent += !p;
  return p;
}

// Too long without a question, in this try of three?
static bool stop_again(const stop_host *h, const char *name, int try) {
  if (getenv("CHECK_VERBOSE"))
    printf("%s: %zu questions, at most %.3f s between two\n", name, h->polls, h->longest);
  if (!check_too_long(h->longest, stop_most_seconds))
    return false;
  if (try == 2)
    check_failed(__FILE__, __LINE__, "%s: %.2f s without a question", name, h->longest);
  return try < 2;
}

// To its end; how many questions it asked.
static size_t stop_never(const weft_plugin *p, weft_bytes file, int try) {
  stop_host h = {.last = stop_seconds()};
  weft_plugin_call call = stop_call(&h);
  weft_picture out = {0};
  weft_status s = p->picture(&call, file, &out);
  stop_look(&h);
  const size_t polls = h.polls;
  if (s)
    check_failed(__FILE__, __LINE__, "%s: %s", p->name, h.d.text);
  const bool again = !s && stop_again(&h, p->name, try);
  stop_drop(&h);
  return again ? stop_never(p, file, try + 1) : polls;
}

// Once to the end, then stopped at the first question and in the middle.
static void stop_picture(const weft_plugin *p, weft_bytes file, size_t least_polls) {
  size_t polls = stop_never(p, file, 0);
  if (polls < least_polls)
    check_failed(__FILE__, __LINE__, "%s: %zu questions", p->name, polls);
  stop_host h = {0};
  weft_plugin_call call = stop_call(&h);
  weft_picture out = {0};
  for (size_t at = 1; at <= WEFT_MAX(polls / 2, 1); at += WEFT_MAX(polls / 2, 2) - 1) {
    h.stop_at = at;
    weft_status s = p->picture(&call, file, &out);
    CHECK_FAILS(s, WEFT_E_CANCELLED);
    CHECK_STR(h.d.text, "stopped");
    CHECK_INT(h.polls, at);
    stop_drop(&h);
  }
}

// ---- files ----
typedef struct stop_file {
  uint8_t v[STOP_FILE];
  size_t n;
} stop_file;

static void put(stop_file *f, const void *bytes, size_t n) {
  CHECK(n <= STOP_FILE - f->n);
  memcpy(f->v + f->n, bytes, WEFT_MIN(n, STOP_FILE - f->n));
  f->n += n;
}

static void put_number(stop_file *f, uint32_t v, int bytes, bool big) {
  for (int k = 0; k < bytes; k++) {
    uint8_t b = (uint8_t)(v >> 8 * (big ? bytes - 1 - k : k));
    put(f, &b, 1);
  }
}

// Grey, all blocks alike: one bit says that the mean stays, one that nothing else follows.
static void make_jpeg(stop_file *f) {
  static const uint8_t scan[] = {0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0};
  put(f, "\xff\xd8\xff\xdb\0\x43\0", 7);
  for (int k = 0; k < 64; k++)
    put(f, "\1", 1);
  put(f, "\xff\xc0\0\x0b\x08", 5);
  put_number(f, SIDE, 2, true);
  put_number(f, SIDE, 2, true);
  put(f, "\1\1\x11\0", 4);
  for (uint8_t kind = 0; kind <= 0x10; kind += 0x10) {
    put(f, "\xff\xc4\0\x14", 4);
    put(f, &kind, 1);
    put(f, "\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 17);
  }
  put(f, scan, sizeof scan);
  f->n += SIDE / 8 * (SIDE / 8) / 4;  // zeros
  put(f, "\xff\xd9", 2);
}

typedef struct bits {
  stop_file *f;
  uint32_t v;
  int n;
} bits;

static void put_bits(bits *b, uint32_t v, int n) {
  b->v |= v << b->n;
  b->n += n;
  for (; b->n >= 8; b->n -= 8, b->v >>= 8) {
    uint8_t byte = (uint8_t)b->v;
    put(b->f, &byte, 1);
  }
}

static void put_chunk(stop_file *f, const char *name, const stop_file *data) {
  size_t at = f->n + 4;
  put_number(f, (uint32_t)data->n, 4, true);
  put(f, name, 4);
  put(f, data->v, data->n);
  put_number(f, weft__crc32(f->v + at, f->n - at, 0), 4, true);
}

// Grey, all zeros: DEFLATE's fixed codes repeat a zero 258 times with 13 bits.
static void make_png(stop_file *f, stop_file *chunk) {
  enum { MATCH = 258, ADLER = 65521 };
  uint32_t n = SIDE * (SIDE + 1);
  put(f, "\x89PNG\r\n\x1a\n", 8);
  put_number(chunk, SIDE, 4, true);
  put_number(chunk, SIDE, 4, true);
  put(chunk, "\x08\0\0\0\0", 5);
  put_chunk(f, "IHDR", chunk);
  memset(chunk, 0, sizeof *chunk);
  put(chunk, "\x78\x01", 2);
  bits b = {.f = chunk};
  put_bits(&b, 3, 3);  // the last block, fixed codes
  for (uint32_t k = 0; k < n % MATCH; k++)
    put_bits(&b, 0x0C, 8);  // 00110000 from its highest bit on
  for (uint32_t k = 0; k < n / MATCH; k++)
    put_bits(&b, 0xA3, 13);  // 11000101, then 00000
  put_bits(&b, 0, 7);
  put_bits(&b, 0, 7);
  put_number(chunk, (n % ADLER) << 16 | 1, 4, true);
  put_chunk(f, "IDAT", chunk);
  chunk->n = 0;
  put_chunk(f, "IEND", chunk);
}

// Grey, strips of PackBits that all lie in one place.
static void make_tiff(stop_file *f) {
  enum { STRIPS = SIDE / STEP, TAGS = 9, RUNS = SIDE / 128, DATA = 8 + 2 + 12 * TAGS + 4 };
  const uint32_t places = DATA + 2 * RUNS * STEP;
  const uint32_t tags[TAGS][3] = {
      // tag, type 3: 16 bits, 4: 32 bits; value
      {256, 4, SIDE},  {257, 4, SIDE}, {258, 3, 8},
      {259, 3, 32773}, {262, 3, 1},    {273, 4, places},
      {277, 3, 1},     {278, 4, STEP}, {279, 4, places + 4 * STRIPS},
  };
  put(f, "II*\0\x08\0\0\0", 8);
  put_number(f, TAGS, 2, false);
  for (size_t k = 0; k < TAGS; k++) {
    bool many = tags[k][0] == 273 || tags[k][0] == 279;
    put_number(f, tags[k][0], 2, false);
    put_number(f, tags[k][1], 2, false);
    put_number(f, many ? STRIPS : 1, 4, false);
    put_number(f, tags[k][2], 4, false);
  }
  put_number(f, 0, 4, false);
  for (size_t k = 0; k < (size_t)RUNS * STEP; k++)
    put(f, "\x81\0", 2);
  for (size_t k = 0; k < 2 * (size_t)STRIPS; k++)
    put_number(f, k < STRIPS ? DATA : 2 * RUNS * STEP, 4, false);
}

static void say_absent(int absent) {
  if (absent)
    check_skip("%d plug-ins were not built", absent);
}

TEST(large_pictures_can_be_stopped) {
  static stop_file f;
  static stop_file chunk;
  int absent = 0;
  const weft_plugin *p = stop_plugin(WEFT__PLUGIN_JPEG, &absent);
  memset(&f, 0, sizeof f);
  make_jpeg(&f);
  if (p)
    stop_picture(p, (weft_bytes){f.v, f.n}, SIDE / 8);
  memset(&f, 0, sizeof f);
  memset(&chunk, 0, sizeof chunk);
  make_png(&f, &chunk);
  p = stop_plugin(WEFT__PLUGIN_PNG, &absent);
  if (p)
    stop_picture(p, (weft_bytes){f.v, f.n}, SIDE);
  memset(&f, 0, sizeof f);
  make_tiff(&f);
  p = stop_plugin(WEFT__PLUGIN_TIFF, &absent);
  if (p)
    stop_picture(p, (weft_bytes){f.v, f.n}, STEP);
  say_absent(absent);
}

// ---- pictures of tests/ ----
static bool stop_load(const char *path, weft_file *out) {
  char full[1024];
  weft_diag d = {0};
  snprintf(full, sizeof full, "%s/%s", WEFT_SOURCE_DIR, path);
  if (!weft__file_map(full, out, &d))
    return true;
  check_failed(__FILE__, __LINE__, "%s", d.text);
  return false;
}

TEST(small_pictures_can_be_stopped) {
  static const struct {
    weft__plugin_id id;
    const char *path;
  } files[] = {{WEFT__PLUGIN_JPEG, "fuzz/corpus/picture/progressive.jpg"},
               {WEFT__PLUGIN_PNG, "fuzz/corpus/picture/interlaced.png"},
               {WEFT__PLUGIN_TIFF, "fuzz/corpus/picture/lzw.tif"},
               {WEFT__PLUGIN_JP2, "fuzz/corpus/picture/stream.j2k"},
               {WEFT__PLUGIN_JP2, "tests/data/picture/windows.jp2"},
               {WEFT__PLUGIN_WEBP, "fuzz/corpus/picture/lossy.webp"}};
  int absent = 0;
  for (size_t i = 0; i < WEFT_COUNT(files); i++) {
    weft_file f;
    const weft_plugin *p = stop_plugin(files[i].id, &absent);
    if (!p || !stop_load(files[i].path, &f))
      continue;
    stop_picture(p, (weft_bytes){f.data, f.bytes}, 1);
    weft__file_unmap(&f);
  }
  say_absent(absent);
}

// Pictures that are decoded in windows are those that are decoded as a whole.
TEST(windows_of_jpeg_2000) {
  static const char *const files[] = {"tests/data/picture/windows.jp2",
                                      "tests/data/picture/windows_lossy.jp2"};
  int absent = 0;
  const weft_plugin *p = stop_plugin(WEFT__PLUGIN_JP2, &absent);
  for (size_t i = 0; p && i < WEFT_COUNT(files); i++) {
    stop_host whole = {0};
    stop_host cut = {0};
    weft_file f;
    weft_picture a = {0};
    weft_picture b = {0};
    if (!stop_load(files[i], &f))
      continue;
    const weft_bytes file = {f.data, f.bytes};
    weft_plugin_call call = stop_call(&whole);
    call.poll = NULL;
    CHECK_OK(p->picture(&call, file, &a), &whole.d);
    call = stop_call(&cut);
    CHECK_OK(p->picture(&call, file, &b), &cut.d);
    CHECK_INT(cut.polls, 4);
    CHECK(a.width == b.width && a.height == b.height && a.v && b.v);
    if (a.v && b.v && memcmp(a.v, b.v, 3 * a.width * a.height))
      check_failed(__FILE__, __LINE__, "%s: other pixels", files[i]);
    stop_drop(&whole);
    stop_drop(&cut);
    weft__file_unmap(&f);
  }
  say_absent(absent);
}

// ---- matches ----
typedef struct stop_case {
  const char *pattern;
  const char *text;  // again and again
  size_t bytes;      // 0: of long_text
  bool search, any;
} stop_case;

// Patterns that look at a text once, once for each byte, and in all ways that it can be cut.
static const stop_case stop_cases[] = {
    {"[a-z]*", "a", 0, false, true},
    {"[a-z]*1", "a", 0, false, false},
    {".*", "\xc3\xa4", 0, false, true},
    {"(a|b)*", "ab", 0, false, true},
    {"[a-z]*1", "a", 1 << 22, false, false},
    {"x+", "a", 0, true, false},
    {"a+", "a", 0, true, true},
    {"a+[bc]", "a", 1 << 11, true, false},
};

static void stop_match(const weft_plugin *p, const stop_case *k, const char *text) {
  stop_host h = {0};
  const weft_allocator a = weft_allocator_default();
  const weft_pattern pattern = {k->pattern, strlen(k->pattern), k->search};
  const weft_bytes bytes = {(const uint8_t *)text, k->bytes ? k->bytes : long_text()};
  weft_plugin_call call = stop_call(&h);
  weft_found found = {0};
  bool any = false;
  void *regex;
  weft_status s = p->regex_compile(&call, &a, &pattern, &regex);
  CHECK_OK(s, &h.d);
  if (s)
    return;
  for (int try = 0; try < 3; try++) {
    stop_drop(&h);
    h.last = stop_seconds();
    s = k->search ? p->regex_search(&call, regex, bytes, 0, &found)
                  : p->regex_match(&call, regex, bytes, &any);
    stop_look(&h);
    if (s || (k->search ? found.any : any) != k->any)
      check_failed(__FILE__, __LINE__, "%s: %s", k->pattern, h.d.text);
    if (!stop_again(&h, k->pattern, try))
      break;
  }
  size_t polls = h.polls;
  CHECK(polls > 2);
  for (size_t at = 1; at <= WEFT_MAX(polls / 2, 1); at += WEFT_MAX(polls / 2, 2) - 1) {
    stop_drop(&h);
    h.stop_at = at;
    s = k->search ? p->regex_search(&call, regex, bytes, 0, &found)
                  : p->regex_match(&call, regex, bytes, &any);
    CHECK_FAILS(s, WEFT_E_CANCELLED);
    CHECK_STR(h.d.text, "stopped");
  }
  p->regex_free(regex);
}

TEST(a_match_can_be_stopped) {
  int absent = 0;
  const weft_plugin *p = stop_plugin(WEFT__PLUGIN_PCRE2, &absent);
  char *text = malloc(long_text());
  for (size_t i = 0; p && text && i < WEFT_COUNT(stop_cases); i++) {
    size_t n = strlen(stop_cases[i].text);
    for (size_t at = 0; at < long_text(); at++)
      text[at] = stop_cases[i].text[at % n];
    stop_match(p, &stop_cases[i], text);
  }
  free(text);
  say_absent(absent);
}

// What is no UTF-8 is found in long texts, too, wherever it stands; a character at a border is none.
TEST(long_texts_are_checked) {
  int absent = 0;
  const weft_plugin *p = stop_plugin(WEFT__PLUGIN_PCRE2, &absent);
  enum { BORDER = 1 << 20, BYTES = 3 << 20 };
  char *text = malloc(BYTES);
  for (int i = 0; p && text && i < 3; i++) {
    stop_host h = {0};
    const weft_allocator a = weft_allocator_default();
    const weft_pattern pattern = {"[^x]*", 5, false};
    weft_plugin_call call = stop_call(&h);
    bool any = false;
    void *regex;
    memset(text, 'a', BYTES);
    memcpy(text + BORDER - i, "\xf0\x9f\x98\x80", 4);
    CHECK_OK(p->regex_compile(&call, &a, &pattern, &regex), &h.d);
    CHECK_OK(p->regex_match(&call, regex, (weft_bytes){(uint8_t *)text, BYTES}, &any), &h.d);
    CHECK(any);
    text[BORDER - i + 3] = 'a';
    CHECK_FAILS(p->regex_match(&call, regex, (weft_bytes){(uint8_t *)text, BYTES}, &any), WEFT_E_INVALID);
    CHECK_HAS(h.d.text, "UTF-8");
    p->regex_free(regex);
  }
  free(text);
  say_absent(absent);
}

// ---- texts ----
// A flag that comes down while memory is asked for: what is copied afterwards is not copied to its end.
typedef struct stop_memory {
  weft_allocator below;
  volatile int flag;
  size_t from_bytes;
} stop_memory;

static void *stop_alloc(void *ctx, void *p, size_t old_bytes, size_t new_bytes, size_t align) {
  stop_memory *m = ctx;
  m->flag |= new_bytes >= m->from_bytes && new_bytes > old_bytes;
  return m->below.fn(m->below.ctx, p, old_bytes, new_bytes, align);
}

// One operator on a long text; the flag comes down when it asks for the memory of the result.
static weft_status stop_text(const char *node, const weft_tensor *x, stop_memory *m, weft_diag *d) {
  const weft_limits l = {sizeof l, 0, 0, &m->flag};
  const weft_interp_options o = {.size = sizeof o, .limits = &l};
  const weft_env_options eo = {.size = sizeof eo, .package_path = "", .allocator = {stop_alloc, m}};
  weft_env *e = NULL;
  weft_graph *g = NULL;
  weft_tensor out;
  char text[300];
  snprintf(text, sizeof text, "graph \"g\" { input x: str[1] node y: %s output y }", node);
  weft_tensor_init(&out, NULL);
  weft_status s = weft_env_create(&eo, &e, d);
  if (!s)
    s = weft_graph_parse(e, text, strlen(text), "stop", &g, d);
  if (!s)
    s = weft_graph_infer(g, NULL, NULL, d);
  m->flag = 0;
  if (!s)
    s = weft_interp_run(g, &o, &x, 1, &out, 1, d);
  weft_tensor_deinit(&out);
  weft_graph_destroy(g);
  weft_env_destroy(e);
  return s;
}

TEST(a_long_text_can_be_stopped) {
  static const char *const nodes[] = {
      "StringConcat(x, x) {} -> y",
      "Identity(x) {} -> y",
      "ConcatD([x, x]) {concat_dim=0} -> y",
      "StringNormalizer(x) {case_change_action=\"LOWER\"} -> y",
      "StringSplitDense(x) {delimiter=\"b\"} -> y, z",
      "Tokenizer(x) {separators=[\"b\"]} -> y",
  };
  char *text = malloc(STOP_TEXT);
  const char *texts[1] = {text};
  size_t bytes = STOP_TEXT;
  weft_tensor x;
  weft_diag d = {0};
  memset(text, 'a', bytes);
  weft_tensor_init(&x, NULL);
  weft_status s = weft_tensor_set_strings(&x, (weft_dim[]){1}, 1, texts, &bytes, &d);
  for (size_t i = 0; !s && i < WEFT_COUNT(nodes); i++) {
    stop_memory m = {.below = weft_allocator_default(), .from_bytes = bytes / 4};
    weft_diag_clear(&d);
    weft_status got = stop_text(nodes[i], &x, &m, &d);
    if (got != WEFT_E_CANCELLED && !strstr(d.text, "needs the plug-in"))
      check_failed(__FILE__, __LINE__, "%s: %s", nodes[i], got ? d.text : "it ran to its end");
  }
  CHECK_OK(s, &d);
  weft_tensor_deinit(&x);
  free(text);
}
// SPDX-License-Identifier: Apache-2.0
