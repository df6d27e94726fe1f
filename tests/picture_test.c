// picture_test.c - ImageDecoder through the image libraries: the same small picture in each format, files cut
// or changed, claims that a file cannot hold, allocations that fail. The files lie in fuzz/corpus/picture
// (made by Pillow). A format whose plug-in was not built is left out, with a line that says so.
#include <stdlib.h>

#include "base/base.h"
#include "check.h"
#include "weft/weft.h"

enum { WIDTH = 13, HEIGHT = 9, MOST_FILE = 4096 };
typedef enum { COLOR, GREY, INK } source;

typedef struct sample {
  const char *name;
  source source;  // what the file was made of
  int most;       // off by at most this much; 0: without loss
} sample;
static const sample samples[] = {
    {"color.jpg", COLOR, 120},   {"444.jpg", COLOR, 60},      {"progressive.jpg", COLOR, 120},
    {"restart.jpg", COLOR, 120}, {"grey.jpg", GREY, 40},      {"cmyk.jpg", INK, 120},
    {"alpha.png", COLOR, 0},     {"rgb.jp2", COLOR, 0},       {"grey.jp2", GREY, 0},
    {"alpha.jp2", COLOR, 0},     {"tiles.jp2", COLOR, 0},     {"stream.j2k", COLOR, 0},
    {"lossy.jp2", COLOR, 140},   {"lossless.webp", COLOR, 0}, {"lossy.webp", COLOR, 120},
    {"alpha.webp", COLOR, 120},  {"alpha.tif", COLOR, 0},     {"big.tif", COLOR, 0},
    {"zstd.tif", COLOR, 0},      {"jpeg.tif", COLOR, 120},    {"cmyk.tif", INK, 1},
};

static int expected(source s, int x, int y, int e) {
  int v[3] = {x * 19 % 256, y * 28 % 256, (x + y) * 11 % 256};
  return s == GREY ? (19595 * v[0] + 38470 * v[1] + 7471 * v[2] + 0x8000) >> 16 : v[e];
}

typedef struct file {
  uint8_t v[MOST_FILE];
  size_t n;
} file;

static bool load(const char *name, file *out) {
  char path[1024];
  weft_file f;
  weft_diag d = {0};
  snprintf(path, sizeof path, "%s/fuzz/corpus/picture/%s", WEFT_SOURCE_DIR, name);
  if (weft__file_map(path, &f, &d) || f.bytes > MOST_FILE) {
    check_failed(__FILE__, __LINE__, "%s: %s", name, d.text);
    return false;
  }
  memcpy(out->v, f.data, f.bytes);
  out->n = f.bytes;
  weft__file_unmap(&f);
  return true;
}

// The bytes lie in a block of their size, so that reading outside is seen.
static weft_status decode(weft_env *e, const uint8_t *v, size_t n, weft_tensor *out, weft_diag *d) {
  weft_tensor t;
  const weft_tensor *in[1] = {&t};
  weft_dim dim = (weft_dim)n;
  weft_use use = {0};
  uint8_t *copy = malloc(n ? n : 1);
  *d = (weft_diag){0};
  if (n)
    memcpy(copy, v, n);
  weft_tensor_init(&t, NULL);
  weft_tensor_init(out, NULL);
  weft_status s = weft_tensor_borrow(&t, WEFT_UINT8, &dim, 1, copy, n, d);
  if (!s)
    s = weft_run_op(e, weft_find(e, "ImageDecoder"), &use, in, 1, out, 1, NULL, d);
  weft_tensor_deinit(&t);
  free(copy);
  return s;
}

static weft_env *open_env(const weft_allocator *a) {
  weft_env *e = NULL;
  weft_diag d = {0};
  weft_env_options o = {.size = sizeof o, .package_path = ""};
  if (a)
    o.allocator = *a;
  if (weft_env_create(&o, &e, &d))
    check_failed(__FILE__, __LINE__, "%s", d.text);
  return e;
}

// Decodes a file that is good; false: the plug-in was not built, counted in *out_absent, or the test
// has failed.
static bool decode_good(weft_env *e, const char *name, file *f, weft_tensor *out, int *out_absent) {
  weft_diag d;
  weft_tensor_init(out, NULL);
  if (!load(name, f))
    return false;
  weft_status s = decode(e, f->v, f->n, out, &d);
  bool absent = s == WEFT_E_UNSUPPORTED && strstr(d.text, "needs the plug-in");
  *out_absent += absent;
  if (s && !absent)
    check_failed(__FILE__, __LINE__, "%s: %s", name, d.text);
  return !s;
}

static void say_skipped(int absent) {
  if (absent)
    check_skip("%d files, whose plug-ins were not built", absent);
}

TEST(one_picture_in_each_format) {
  int absent = 0;
  weft_env *e = open_env(NULL);
  for (size_t k = 0; k < WEFT_COUNT(samples); k++) {
    const sample *s = &samples[k];
    weft_tensor t;
    file f;
    int worst = 0;
    bool good = decode_good(e, s->name, &f, &t, &absent);
    if (good && weft_tensor_elems(&t) != WIDTH * HEIGHT * 3)
      check_failed(__FILE__, __LINE__, "%s: %lld elements", s->name, (long long)weft_tensor_elems(&t));
    else if (good) {
      for (int i = 0; i < WIDTH * HEIGHT * 3; i++) {
        int off = abs(((uint8_t *)t.data)[i] - expected(s->source, i / 3 % WIDTH, i / 3 / WIDTH, i % 3));
        worst = WEFT_MAX(worst, off);
      }
    }
    if (worst > s->most)
      check_failed(__FILE__, __LINE__, "%s: off by %d, at most %d is expected", s->name, worst, s->most);
    weft_tensor_deinit(&t);
  }
  weft_env_destroy(e);
  say_skipped(absent);
}

// `channels` 0 is what the file has: the plug-ins say what that is.
static weft_dim channels_of(weft_env *e, const char *op, const char *name, weft_diag *d) {
  file f;
  weft_tensor t;
  weft_tensor out;
  weft_use use = {0};
  const weft_tensor *in[1] = {&t};
  *d = (weft_diag){0};
  if (!load(name, &f))
    return 0;
  const char *text = (const char *)f.v;
  weft_tensor_init(&t, NULL);
  weft_tensor_init(&out, NULL);
  weft_status s = weft_tensor_set_strings(&t, NULL, 0, &text, &f.n, d);
  if (!s)
    s = weft_run_op(e, weft_find(e, op), &use, in, 1, &out, 1, NULL, d);
  const weft_dim channels = s ? -1 : out.layout.origin.dim[2];
  weft_tensor_deinit(&t);
  weft_tensor_deinit(&out);
  return channels;
}

TEST(channels_of_files) {
  static const struct {
    const char *op, *name;
    weft_dim channels;
  } rows[] = {{"DecodeJpeg", "grey.jpg", 1},
              {"DecodeJpeg", "color.jpg", 3},
              {"DecodeJpeg", "cmyk.jpg", 3},
              {"DecodePng", "alpha.png", -1}};
  weft_env *e = open_env(NULL);
  for (size_t k = 0; k < WEFT_COUNT(rows); k++) {
    weft_diag d;
    const weft_dim got = channels_of(e, rows[k].op, rows[k].name, &d);
    if (strstr(d.text, "needs the plug-in")) {
      check_skip("%s: its plug-in was not built", rows[k].name);
      continue;
    }
    CHECK_INT(got, rows[k].channels);
    if (rows[k].channels < 0)
      CHECK(strstr(d.text, "alpha is not read"));
  }
  weft_env_destroy(e);
}

TEST(cut_and_changed_files) {
  int absent = 0;
  weft_env *e = open_env(NULL);
  for (size_t k = 0; k < WEFT_COUNT(samples); k++) {
    weft_tensor t;
    weft_diag d;
    file f;
    if (decode_good(e, samples[k].name, &f, &t, &absent)) {
      weft_tensor_deinit(&t);
      for (size_t n = 0; n < f.n; n++) {
        weft_status s = decode(e, f.v, n, &t, &d);
        if (!s && n < f.n / 2)
          check_failed(__FILE__, __LINE__, "%s: %zu bytes are enough", samples[k].name, n);
        if (s && !d.length)
          check_failed(__FILE__, __LINE__, "%s: no message", samples[k].name);
        weft_tensor_deinit(&t);
      }
      for (size_t i = 0; i < f.n; i++) {
        f.v[i] ^= 0xff;
        weft_status s = decode(e, f.v, f.n, &t, &d);
        if (!s != !d.length)
          check_failed(__FILE__, __LINE__, "%s: %s", samples[k].name, d.text);
        f.v[i] ^= 0xff;
        weft_tensor_deinit(&t);
      }
    }
    weft_tensor_deinit(&t);
  }
  weft_env_destroy(e);
  say_skipped(absent);
}

// A size that the file cannot hold is refused before there is memory for it.
TEST(claims_beyond_the_file) {
  int absent = 0;
  static const struct {
    const char *name;
    const char *mark;
    // the claim stands so far behind the mark
    size_t mark_bytes;
    size_t at;
    const char *claim;
    size_t claim_bytes;
    weft_status s;
    const char *message;
  } claims[] = {
      {"color.jpg", "\xff\xc0", 2, 5, "\x40\0\x40\0", 4, WEFT_E_LIMIT,
       "JPEG: a picture of 16384 x 16384 pixels in"},
      {"color.jpg", "\xff\xc0", 2, 5, "\xff\0\xff\0", 4, WEFT_E_LIMIT, "at most 2^28 are read"},
      {"color.jpg", "\xff\xc0", 2, 1, "\x10", 1, WEFT_E_CORRUPT, "JPEG: "},
      {"rgb.jp2", "\xff\x51", 2, 6, "\0\0\x40\0\0\0\x40\0", 8, WEFT_E_TRUNCATED, "JPEG 2000"},
      {"rgb.jp2", "\xff\x51", 2, 38, "\x40\0", 2, WEFT_E_UNSUPPORTED, "16384 components, 1 to 4 are read"},
      {"rgb.jp2", "\xff\x51", 2, 22, "\0\0\0\1\0\0\0\1", 8, WEFT_E_TRUNCATED, "JPEG 2000"},
      {"rgb.jp2", "\xff\x52", 2, 6, "\xff\xff", 2, WEFT_E_TRUNCATED, "packets in 297 bytes"},
      {"lossless.webp", "VP8L", 4, 9, "\xff\xff\xff\x0f", 4, WEFT_E_LIMIT,
       "WebP: a picture of 16384 x 16384 pixels"},
      {"zstd.tif", "\0\1\3\0\1\0\0\0", 8, 8, "\xff\xff", 2, WEFT_E_CORRUPT, "TIFF: "},
  };
  weft_env *e = open_env(NULL);
  for (size_t k = 0; k < WEFT_COUNT(claims); k++) {
    weft_tensor t;
    weft_diag d;
    file f;
    if (decode_good(e, claims[k].name, &f, &t, &absent)) {
      size_t at = 0;
      while (at + claims[k].mark_bytes < f.n && memcmp(f.v + at, claims[k].mark, claims[k].mark_bytes))
        at++;
      CHECK(at + claims[k].at + claims[k].claim_bytes < f.n);
      if (at + claims[k].at + claims[k].claim_bytes < f.n)
        memcpy(f.v + at + claims[k].at, claims[k].claim, claims[k].claim_bytes);
      weft_tensor_deinit(&t);
      CHECK_FAILS(decode(e, f.v, f.n, &t, &d), claims[k].s);
      CHECK_HAS(d.text, claims[k].message);
    }
    weft_tensor_deinit(&t);
  }
  weft_env_destroy(e);
  say_skipped(absent);
}

TEST(forms_that_are_not_read) {
  static const struct {
    const char *name;
    const char *message;
  } forms[] = {{"animated.webp", "animations"},
               {"rle.bmp", "compression"},
               {"p4.pbm", "no picture of a known format"}};
  weft_env *e = open_env(NULL);
  for (size_t k = 0; k < WEFT_COUNT(forms); k++) {
    weft_tensor t;
    weft_diag d;
    file f;
    if (!load(forms[k].name, &f))
      continue;
    CHECK_FAILS(decode(e, f.v, f.n, &t, &d), WEFT_E_UNSUPPORTED);
    if (!strstr(d.text, "needs the plug-in"))
      CHECK_HAS(d.text, forms[k].message);
    weft_tensor_deinit(&t);
  }
  weft_env_destroy(e);
}

TEST(every_allocation_failed_once) {
  int absent = 0;
  static const char *const names[] = {"alpha.png", "cmyk.jpg", "zstd.tif", "rgb.jp2", "lossless.webp"};
  for (size_t k = 0; k < WEFT_COUNT(names); k++) {
    check_alloc c = {0};
    weft_allocator a = check_allocator(&c);
    weft_env *e = open_env(&a);
    weft_tensor t;
    file f;
    if (decode_good(e, names[k], &f, &t, &absent)) {
      weft_tensor_deinit(&t);
      bool reached = true;
      for (long n = 1; reached; n++) {
        weft_diag d;
        c.fail_at = c.calls + n;
        weft_status s = decode(e, f.v, f.n, &t, &d);
        reached = c.calls >= c.fail_at;
        if (s != (reached ? WEFT_E_NOMEM : WEFT_OK) && !(reached && !s)) {
          check_failed(__FILE__, __LINE__, "%s, allocation %ld: %s '%s'", names[k], n, weft_status_name(s),
                       d.text);
        }
        weft_tensor_deinit(&t);
      }
      c.fail_at = 0;
    }
    weft_tensor_deinit(&t);
    weft_env_destroy(e);
    CHECK_INT(c.live_blocks, 0);
  }
  say_skipped(absent);
}
// SPDX-License-Identifier: Apache-2.0
