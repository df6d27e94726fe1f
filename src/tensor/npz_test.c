// npz_test.c - .npz archives: round trips, deflated ones, and archives that must fail.
#include "check.h"
#include "tensor/inflate.h"
#include "weft/archive.h"
#include "tensor/tensor.h"
#include "weft/archive.h"

static weft_status make(const char *text, weft_tensor *t) {
  weft_tensor_init(t, NULL);
  return weft_tensor_parse(text, strlen(text), NULL, t, NULL, NULL);
}

static const char *const texts[] = {"f32[2,3]{1,2,3,4,5,6.5}", "i64[]{7}", "bool[0]", "str[2]{\"a\",\"bcd\"}",
                                    "bf16[3]{1,2,3}"};
static const char *const names[] = {"x", "deep/name", "\xc3\xa9", "s", "arr_0"};
enum { N = 5 };

static weft_status write_all(weft_text *out, weft_diag *d) {
  weft_tensor t[N];
  const weft_tensor *list[N];
  weft_status s = WEFT_OK;
  for (size_t i = 0; i < N; i++) {
    s = s ? s : make(texts[i], &t[i]);
    list[i] = &t[i];
  }
  if (!s)
    s = weft_npz_write(names, list, N, weft__text_write, out, d);
  for (size_t i = 0; i < N; i++)
    weft_tensor_deinit(&t[i]);
  return s;
}

static weft_status inflate(const void *data, size_t bytes, uint8_t *out, size_t room, weft_diag *d) {
  const weft__plugin_place place = {0};
  return weft__inflate(&place, (weft_bytes){data, bytes}, out, room, d);
}

// A build without the plug-in refuses deflated data: what needs them is left out, with a line that says so.
static bool no_zlib(void) {
  uint8_t none;
  weft_diag d = {0};
  if (inflate("\x03\x00", 2, &none, 0, &d) != WEFT_E_UNSUPPORTED)
    return false;
  CHECK_HAS(d.text, "needs the plug-in weft_zlib");
  check_skip("the plug-in weft_zlib was not built");
  return true;
}

TEST(what_is_written_reads_back) {
  weft_allocator a = weft_allocator_default();
  weft_text file;
  weft_text again;
  weft_diag d = {0};
  weft_npz *z;
  size_t at;
  weft__text_init(&file, &a);
  weft__text_init(&again, &a);
  CHECK_OK(write_all(&file, &d), &d);
  CHECK_OK(write_all(&again, &d), &d);
  CHECK(file.n == again.n && !memcmp(file.v, again.v, file.n));  // no dates inside
  CHECK_OK(weft_npz_read(file.v, file.n, &z, &d), &d);
  CHECK_INT(weft_npz_count(z), N);
  for (size_t i = 0; i < N; i++) {
    weft_tensor t;
    weft_tensor want;
    weft_tensor_init(&t, NULL);
    CHECK_STR(weft_npz_name(z, i), names[i]);
    CHECK(weft_npz_find(z, names[i], &at) && at == i);
    CHECK_OK(weft_npz_get(z, i, &t, &d), &d);
    CHECK_OK(make(texts[i], &want), &d);
    CHECK_OK(weft_tensor_compare(&t, &want, 0, 0, &d), &d);
    weft_tensor_deinit(&t);
    weft_tensor_deinit(&want);
  }
  CHECK(!weft_npz_find(z, "y", &at));
  weft_tensor t;
  weft_tensor_init(&t, NULL);
  CHECK_FAILS(weft_npz_get(z, N, &t, &d), WEFT_E_RANGE);
  weft_npz_close(z);
  weft_npz_close(NULL);
  weft__text_deinit(&file);
  weft__text_deinit(&again);
}

TEST(an_empty_archive_and_wrong_names) {
  weft_allocator a = weft_allocator_default();
  weft_text file;
  weft_diag d = {0};
  weft_npz *z;
  weft_tensor t;
  weft__text_init(&file, &a);
  CHECK_OK(weft_npz_write(NULL, NULL, 0, weft__text_write, &file, &d), &d);
  CHECK_OK(weft_npz_read(file.v, file.n, &z, &d), &d);
  CHECK_INT(weft_npz_count(z), 0);
  weft_npz_close(z);
  CHECK_OK(make("i8[1]{1}", &t), &d);
  const weft_tensor *two[] = {&t, &t};
  CHECK_FAILS(weft_npz_write((const char *const[]){"x", "x"}, two, 2, weft__text_write, &file, &d),
              WEFT_E_DUPLICATE);
  CHECK_HAS(d.text, "'x' is given twice");
  CHECK_FAILS(weft_npz_write((const char *const[]){""}, two, 1, weft__text_write, &file, NULL),
              WEFT_E_INVALID);
  weft_tensor_deinit(&t);
  weft__text_deinit(&file);
}

// Made with Python's zipfile as numpy.savez_compressed does it: two deflated entries (dynamic and fixed
// codes) and a stored one, with zip64 fields in the local headers.
static const uint8_t deflated[] = {
    80,  75,  3,   4,   45,  0,   0,   0,   8,   0,   0,   0,   33,  0,   198, 246, 48,  115, 255, 255, 255,
    255, 255, 255, 255, 255, 9,   0,   20,  0,   99,  111, 117, 110, 116, 46,  110, 112, 121, 1,   0,   16,
    0,   224, 9,   0,   0,   0,   0,   0,   0,   196, 3,   0,   0,   0,   0,   0,   0,   157, 213, 229, 123,
    16,  4,   16,  7,   96,  186, 187, 155, 145, 219, 96,  192, 128, 209, 221, 221, 169, 228, 96,  163, 203,
    141, 238, 14,  165, 65,  233, 78,  165, 65,  144, 70,  105, 20,  20,  80,  194, 160, 165, 83,  41,  37,
    125, 249, 23,  252, 61,  207, 251, 225, 238, 185, 175, 119, 55,  171, 126, 179, 122, 13,  63,  138, 25,
    163, 127, 140, 33,  129, 17,  145, 209, 29,  163, 2,   75,  7,   4,   150, 237, 26,  22,  24,  18,  16,
    216, 169, 119, 84,  223, 168, 240, 94,  237, 122, 71,  69,  68,  126, 232, 87,  15,  239, 17,  29,  169,
    31,  221, 37,  188, 79,  164, 58,  168, 120, 104, 104, 72,  112, 72,  192, 176, 128, 255, 157, 68,  49,
    36,  38,  177, 136, 77,  28,  226, 18,  143, 248, 36,  32,  33,  31,  6,   19,  147, 132, 164, 36,  35,
    57,  41,  72,  73,  42,  82,  147, 134, 180, 164, 35,  61,  25,  200, 72,  38,  50,  147, 133, 172, 100,
    35,  59,  1,   228, 32,  39,  185, 200, 77,  30,  242, 18,  72,  16,  193, 228, 35,  63,  33,  20,  160,
    32,  133, 8,   165, 48,  69,  40,  74,  24,  197, 40,  78,  9,   74,  82,  138, 210, 148, 161, 44,  229,
    40,  79,  5,   42,  82,  137, 202, 84,  161, 42,  213, 168, 78,  13,  106, 82,  139, 218, 212, 161, 46,
    245, 168, 79,  3,   26,  210, 136, 198, 52,  161, 41,  205, 104, 78,  11,  90,  242, 17,  31,  211, 138,
    214, 180, 161, 45,  237, 104, 79,  56,  29,  232, 72,  4,   145, 116, 162, 51,  93,  232, 74,  55,  186,
    211, 131, 158, 244, 162, 55,  125, 248, 132, 40,  162, 233, 75,  63,  250, 51,  128, 129, 12,  98,  48,
    67,  24,  202, 48,  134, 51,  130, 145, 140, 98,  52,  99,  24,  203, 56,  198, 51,  129, 137, 76,  226,
    83,  62,  99,  50,  83,  152, 202, 52,  166, 51,  131, 153, 204, 98,  54,  159, 243, 5,   115, 152, 203,
    60,  230, 179, 128, 133, 44,  98,  49,  75,  88,  202, 50,  150, 179, 130, 149, 172, 98,  53,  107, 88,
    203, 151, 124, 197, 58,  214, 179, 129, 141, 108, 98,  51,  91,  216, 202, 54,  190, 102, 59,  59,  248,
    134, 157, 236, 98,  55,  123, 216, 203, 62,  246, 115, 128, 111, 249, 142, 131, 28,  226, 48,  71,  56,
    202, 49,  142, 115, 130, 239, 249, 129, 147, 156, 226, 71,  126, 226, 52,  103, 56,  203, 207, 252, 194,
    57,  206, 115, 129, 139, 252, 202, 111, 252, 206, 31,  92,  226, 50,  87,  184, 202, 53,  174, 115, 131,
    63,  185, 201, 45,  110, 115, 135, 187, 220, 227, 62,  15,  120, 200, 35,  30,  243, 132, 191, 248, 155,
    167, 60,  227, 57,  47,  120, 201, 63,  252, 203, 43,  94,  243, 134, 183, 188, 227, 61,  31,  150, 63,
    38,  177, 136, 77,  28,  226, 18,  143, 248, 36,  32,  33,  137, 72,  76,  18,  146, 146, 140, 228, 164,
    32,  37,  169, 72,  77,  26,  210, 146, 142, 244, 100, 32,  35,  153, 200, 76,  22,  178, 146, 141, 236,
    4,   144, 131, 156, 228, 34,  55,  121, 200, 75,  32,  65,  4,   147, 143, 252, 132, 80,  128, 130, 20,
    34,  148, 194, 20,  161, 40,  97,  20,  163, 56,  37,  40,  73,  41,  74,  83,  134, 178, 148, 163, 60,
    21,  168, 72,  37,  42,  83,  133, 170, 84,  163, 58,  53,  168, 73,  45,  106, 83,  135, 186, 212, 163,
    62,  13,  104, 72,  35,  26,  211, 132, 166, 52,  163, 57,  45,  104, 137, 243, 30,  227, 99,  90,  209,
    154, 54,  180, 165, 29,  237, 9,   167, 3,   29,  137, 32,  146, 78,  116, 166, 11,  93,  233, 70,  119,
    122, 208, 147, 94,  244, 166, 15,  159, 16,  69,  52,  125, 233, 71,  127, 6,   48,  144, 65,  12,  102,
    8,   67,  25,  198, 112, 70,  48,  146, 81,  140, 102, 12,  99,  25,  199, 120, 38,  48,  145, 73,  124,
    202, 103, 76,  102, 10,  83,  153, 198, 116, 102, 48,  147, 89,  204, 230, 115, 190, 96,  14,  115, 153,
    199, 124, 22,  176, 144, 69,  44,  102, 9,   75,  89,  198, 114, 86,  176, 146, 85,  172, 102, 13,  107,
    249, 146, 175, 88,  199, 122, 54,  176, 145, 77,  108, 102, 11,  91,  217, 198, 215, 108, 103, 7,   223,
    176, 147, 93,  236, 102, 15,  123, 217, 199, 126, 14,  240, 45,  223, 113, 144, 67,  28,  230, 8,   71,
    57,  198, 113, 78,  240, 61,  63,  112, 146, 83,  252, 200, 79,  156, 230, 12,  103, 249, 153, 95,  56,
    199, 121, 46,  112, 145, 95,  249, 141, 223, 249, 131, 75,  92,  230, 10,  87,  185, 198, 117, 110, 240,
    39,  55,  185, 197, 109, 238, 112, 151, 123, 220, 231, 1,   15,  121, 196, 99,  158, 240, 23,  127, 243,
    148, 103, 60,  231, 5,   47,  249, 135, 127, 121, 197, 107, 222, 240, 150, 119, 188, 231, 195, 227, 143,
    73,  44,  98,  19,  135, 184, 196, 35,  62,  9,   72,  72,  34,  18,  147, 132, 164, 36,  35,  57,  41,
    72,  73,  42,  82,  147, 134, 180, 164, 35,  61,  25,  200, 72,  38,  50,  147, 133, 172, 100, 35,  59,
    1,   228, 32,  39,  185, 200, 77,  30,  242, 18,  72,  16,  193, 228, 35,  63,  33,  20,  160, 32,  133,
    8,   165, 48,  69,  40,  74,  24,  197, 40,  78,  9,   74,  82,  138, 210, 148, 161, 44,  229, 40,  79,
    5,   42,  82,  137, 202, 84,  161, 42,  213, 168, 78,  13,  106, 82,  139, 218, 212, 161, 46,  245, 168,
    79,  3,   26,  210, 136, 198, 52,  161, 41,  205, 104, 78,  11,  254, 3,   80,  75,  3,   4,   45,  0,
    0,   0,   8,   0,   0,   0,   33,  0,   15,  234, 36,  160, 255, 255, 255, 255, 255, 255, 255, 255, 8,
    0,   20,  0,   115, 97,  109, 101, 46,  110, 112, 121, 1,   0,   16,  0,   168, 0,   0,   0,   0,   0,
    0,   0,   72,  0,   0,   0,   0,   0,   0,   0,   155, 236, 23,  234, 27,  16,  201, 200, 80,  198, 80,
    173, 158, 146, 90,  156, 92,  164, 110, 165, 160, 94,  83,  106, 168, 174, 163, 160, 158, 150, 95,  84,
    82,  148, 152, 23,  159, 95,  148, 146, 10,  18,  119, 75,  204, 41,  78,  5,   138, 23,  103, 36,  22,
    164, 2,   249, 26,  38,  6,   58,  154, 58,  10,  181, 10,  228, 3,   46,  78,  34,  1,   0,   80,  75,
    3,   4,   45,  0,   0,   0,   0,   0,   0,   0,   33,  0,   98,  93,  163, 20,  255, 255, 255, 255, 255,
    255, 255, 255, 10,  0,   20,  0,   115, 116, 111, 114, 101, 100, 46,  110, 112, 121, 1,   0,   16,  0,
    136, 0,   0,   0,   0,   0,   0,   0,   136, 0,   0,   0,   0,   0,   0,   0,   147, 78,  85,  77,  80,
    89,  1,   0,   118, 0,   123, 39,  100, 101, 115, 99,  114, 39,  58,  32,  39,  60,  102, 52,  39,  44,
    32,  39,  102, 111, 114, 116, 114, 97,  110, 95,  111, 114, 100, 101, 114, 39,  58,  32,  70,  97,  108,
    115, 101, 44,  32,  39,  115, 104, 97,  112, 101, 39,  58,  32,  40,  50,  44,  41,  44,  32,  125, 32,
    32,  32,  32,  32,  32,  32,  32,  32,  32,  32,  32,  32,  32,  32,  32,  32,  32,  32,  32,  32,  32,
    32,  32,  32,  32,  32,  32,  32,  32,  32,  32,  32,  32,  32,  32,  32,  32,  32,  32,  32,  32,  32,
    32,  32,  32,  32,  32,  32,  32,  32,  32,  32,  32,  32,  32,  32,  32,  32,  32,  10,  0,   0,   0,
    63,  0,   0,   0,   192, 80,  75,  1,   2,   45,  3,   45,  0,   0,   0,   8,   0,   0,   0,   33,  0,
    198, 246, 48,  115, 196, 3,   0,   0,   224, 9,   0,   0,   9,   0,   0,   0,   0,   0,   0,   0,   0,
    0,   0,   0,   128, 1,   0,   0,   0,   0,   99,  111, 117, 110, 116, 46,  110, 112, 121, 80,  75,  1,
    2,   45,  3,   45,  0,   0,   0,   8,   0,   0,   0,   33,  0,   15,  234, 36,  160, 72,  0,   0,   0,
    168, 0,   0,   0,   8,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   128, 1,   255, 3,   0,
    0,   115, 97,  109, 101, 46,  110, 112, 121, 80,  75,  1,   2,   45,  3,   45,  0,   0,   0,   0,   0,
    0,   0,   33,  0,   98,  93,  163, 20,  136, 0,   0,   0,   136, 0,   0,   0,   10,  0,   0,   0,   0,
    0,   0,   0,   0,   0,   0,   0,   128, 1,   129, 4,   0,   0,   115, 116, 111, 114, 101, 100, 46,  110,
    112, 121, 80,  75,  5,   6,   0,   0,   0,   0,   3,   0,   3,   0,   165, 0,   0,   0,   69,  5,   0,
    0,   0,   0,
};

TEST(deflated_entries_as_other_programs_write_them) {
  weft_diag d = {0};
  weft_npz *z;
  weft_tensor t;
  weft_tensor want;
  size_t at;
  CHECK_OK(weft_npz_read(deflated, sizeof deflated, &z, &d), &d);
  CHECK_INT(weft_npz_count(z), 3);
  static const char *const expected[] = {"i32[600]{0..}", "u8[40]{*9}", "f32[2]{0.5,-2}"};
  static const char *const keys[] = {"count", "same", "stored"};
  bool without = no_zlib();
  for (size_t i = 0; i < 3; i++) {
    weft_tensor_init(&t, NULL);
    CHECK(weft_npz_find(z, keys[i], &at));
    if (without && i < 2) {
      CHECK_FAILS(weft_npz_get(z, at, &t, &d), WEFT_E_UNSUPPORTED);
      CHECK_HAS(d.text, "in entry");
      d = (weft_diag){0};
      continue;
    }
    CHECK_OK(weft_npz_get(z, at, &t, &d), &d);
    CHECK_OK(make(expected[i], &want), &d);
    CHECK_OK(weft_tensor_compare(&t, &want, 0, 0, &d), &d);
    weft_tensor_deinit(&t);
    weft_tensor_deinit(&want);
  }
  weft_npz_close(z);
}

TEST(deflated_entries_without_the_plugin) {
  weft_diag d = {0};
  weft_npz *z;
  weft_tensor t;
  size_t at;
  weft_tensor_init(&t, NULL);
  CHECK_OK(weft_npz_read(deflated, sizeof deflated, &z, &d), &d);
  CHECK_OK(weft_npz_set_plugin_folder(z, "/nowhere/plugins", &d), &d);
  CHECK(weft_npz_find(z, "count", &at));
  CHECK_FAILS(weft_npz_get(z, at, &t, &d), WEFT_E_UNSUPPORTED);
  CHECK_HAS(d.text,
            "unpacking deflated data needs the plug-in weft_zlib, and there is no "
            "'/nowhere/plugins/weft_zlib.so': install zlib1g-dev");
  CHECK_HAS(d.text, "archives without compression need no plug-in");
  CHECK_HAS(d.text, "in entry 'count'");
  weft_diag_clear(&d);
  CHECK(weft_npz_find(z, "stored", &at));
  CHECK_OK(weft_npz_get(z, at, &t, &d), &d);
  weft_tensor_deinit(&t);
  weft_npz_close(z);
}

// Opens and reads everything of a damaged copy, which lies in memory of its own size so that reading outside
// is seen.
static weft_status read_copy(const uint8_t *v, size_t n, weft_diag *d) {
  uint8_t *copy = malloc(n ? n : 1);
  weft_npz *z;
  if (n)
    memcpy(copy, v, n);
  weft_status s = weft_npz_read(copy, n, &z, d);
  for (size_t i = 0; !s && i < weft_npz_count(z); i++) {
    weft_tensor t;
    weft_tensor_init(&t, NULL);
    s = weft_npz_get(z, i, &t, d);
    weft_tensor_deinit(&t);
  }
  weft_npz_close(z);
  free(copy);
  return s;
}

// The limit is on what entries claim to hold, before anything is unpacked, and on all that were read
// together.
TEST(an_archive_may_hold_so_much) {
  weft_allocator a = weft_allocator_default();
  weft_text file;
  weft_diag d = {0};
  weft_npz *z;
  weft_tensor t;
  weft__text_init(&file, &a);
  weft_tensor_init(&t, NULL);
  CHECK_OK(write_all(&file, &d), &d);
  CHECK_OK(weft_npz_read(file.v, file.n, &z, &d), &d);
  weft_npz_set_limit(z, 100);  // x alone has 128 bytes of header and 24 of data
  CHECK_FAILS(weft_npz_get(z, 0, &t, &d), WEFT_E_LIMIT);
  CHECK_STR(d.text,
            "it holds 152 bytes, 0 were read before it, and the memory limit is 100\n"
            "  in entry 'x' of the .npz file");
  CHECK(!t.data);

  weft_diag_clear(&d);
  weft_npz_set_limit(z, 152 + 136);
  CHECK_OK(weft_npz_get(z, 0, &t, &d), &d);
  CHECK_OK(weft_npz_get(z, 1, &t, &d), &d);
  CHECK_FAILS(weft_npz_get(z, 2, &t, &d), WEFT_E_LIMIT);
  CHECK_HAS(d.text, "288 were read before it, and the memory limit is 288");

  weft_diag_clear(&d);
  weft_npz_set_limit(z, 0);  // none
  CHECK_OK(weft_npz_get(z, 2, &t, &d), &d);
  weft_tensor_deinit(&t);
  weft_npz_close(z);
  weft__text_deinit(&file);
}

TEST(damaged_archives_fail_and_never_crash) {
  weft_allocator a = weft_allocator_default();
  weft_text file;
  weft__text_init(&file, &a);
  CHECK(!write_all(&file, NULL));
  for (int kind = no_zlib(); kind < 2; kind++) {
    uint8_t *v = kind ? (uint8_t *)file.v : memcpy(malloc(sizeof deflated), deflated, sizeof deflated);
    size_t n = kind ? file.n : sizeof deflated;
    size_t failed = 0;
    CHECK(!read_copy(v, n, NULL));
    for (size_t cut = 0; cut < n; cut++)
      CHECK(read_copy(v, cut, NULL));
    for (size_t i = 0; i < 3 * n; i++) {
      static const uint8_t flips[] = {1, 0x20, 0xff};
      v[i / 3] ^= flips[i % 3];
      failed += read_copy(v, n, NULL) != WEFT_OK;
      v[i / 3] ^= flips[i % 3];
    }
    CHECK(failed > n);
    if (!kind)
      free(v);
  }
  weft__text_deinit(&file);
}

TEST(what_is_wrong_is_named) {
  weft_diag d = {0};
  CHECK_INT(read_copy((const uint8_t *)"hello, this is text only", 24, &d), WEFT_E_SYNTAX);
  CHECK_HAS(d.text, "not a zip archive");
  d = (weft_diag){0};
  CHECK_INT(read_copy(deflated, sizeof deflated - 30, &d), WEFT_E_TRUNCATED);
  CHECK_HAS(d.text, "no directory at its end");
  uint8_t copy[sizeof deflated];
  memcpy(copy, deflated, sizeof copy);
  copy[sizeof copy / 4] ^= 4;  // inside the packed data of 'count'
  d = (weft_diag){0};
  CHECK(read_copy(copy, sizeof copy, &d));
  CHECK_HAS(d.text, "in entry 'count'");
}

static weft_status inflate_copy(const char *data, size_t bytes, char *out, size_t room, weft_diag *d) {
  uint8_t *in = malloc(bytes ? bytes : 1);
  uint8_t *to = malloc(room ? room : 1);
  if (bytes)
    memcpy(in, data, bytes);
  weft_status s = inflate(in, bytes, to, room, d);
  if (!s && room)
    memcpy(out, to, room);
  free(in);
  free(to);
  return s;
}

TEST(inflate_blocks) {
  char out[32];
  weft_diag d = {0};
  if (no_zlib())
    return;
  CHECK_OK(inflate_copy("\x01\x03\x00\xfc\xff"
                        "abc",
                        8, out, 3, &d),
           &d);  // stored
  CHECK(!memcmp(out, "abc", 3));
  CHECK_OK(inflate_copy("\x03\x00", 2, out, 0, &d), &d);  // fixed codes, no data
  CHECK_OK(inflate_copy("\x4b\x4c\x4a\x06\x00", 5, out, 3, &d), &d);
  CHECK(!memcmp(out, "abc", 3));
  static const struct {
    const char *data;
    size_t bytes;
    size_t room;
    weft_status s;
    const char *message;
  } wrong[] = {{"", 0, 0, WEFT_E_TRUNCATED, "they end early"},
               {"\x07\x00", 2, 0, WEFT_E_CORRUPT, "invalid block type"},
               {"\x01\x03\x00\xfc\xfe"
                "abc",
                8, 3, WEFT_E_CORRUPT, "invalid stored block lengths"},
               {"\x01\x03\x00\xfc\xff"
                "ab",
                7, 3, WEFT_E_TRUNCATED, "they end early"},
               {"\x01\x03\x00\xfc\xff"
                "abc",
                8, 2, WEFT_E_CORRUPT, "more data than expected"},
               {"\x01\x03\x00\xfc\xff"
                "abc",
                8, 4, WEFT_E_CORRUPT, "less data than expected"},
               {"\x01\x03\x00\xfc\xff"
                "abcd",
                9, 3, WEFT_E_CORRUPT, "data behind the last block"},
               {"\x4b\x4c\x4a\x06\x00", 5, 2, WEFT_E_CORRUPT, "more data than expected"},
               {"\x03\x02", 2, 9, WEFT_E_CORRUPT, "invalid distance too far back"},
               {"\xfd\xff\xff", 3, 9, WEFT_E_CORRUPT, "too many length or distance symbols"}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    d = (weft_diag){0};
    CHECK_INT(inflate_copy(wrong[i].data, wrong[i].bytes, out, wrong[i].room, &d), wrong[i].s);
    CHECK_HAS(d.text, wrong[i].message);
  }
}
// SPDX-License-Identifier: Apache-2.0
