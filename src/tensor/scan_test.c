// scan_test.c - numbers of texts: short ones, which are computed, are bit for bit what strtod and strtof
// give.
#include "check.h"
#include "tensor/scan.h"

static uint64_t scan_random(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
  return *state >> 11;
}

// A number of up to 18 digits with its point anywhere, sometimes far behind.
static void scan_number_text(uint64_t *state, char text[64]) {
  char digits[32];
  uint64_t v = scan_random(state) >> scan_random(state) % 53;
  int n = snprintf(digits, sizeof digits, "%llu", (unsigned long long)v);
  int places = (int)(scan_random(state) % 26);
  const char *sign = scan_random(state) & 1 ? "-" : "";
  if (places == 0)
    snprintf(text, 64, "%s%s%s", sign, digits, scan_random(state) & 1 ? "." : "");
  else if (places < n)
    snprintf(text, 64, "%s%.*s.%s", sign, n - places, digits, digits + n - places);
  else
    snprintf(text, 64, "%s%s.%0*d%s", sign, scan_random(state) & 1 ? "0" : "", places - n + 1, 0, digits);
}

TEST(short_numbers_are_what_strtod_gives) {
  uint64_t state = 17;
  for (int i = 0; i < 100000; i++) {
    char text[64];
    double wide = 0;
    float narrow = 0;
    scan_number_text(&state, text);
    const double want = strtod(text, NULL);
    const float want_narrow = strtof(text, NULL);
    CHECK(weft__token_f64(text, strlen(text), &wide));
    CHECK(weft__token_f32(text, strlen(text), &narrow));
    if (memcmp(&wide, &want, sizeof want) || memcmp(&narrow, &want_narrow, sizeof narrow))
      check_failed(__FILE__, __LINE__, "'%s': %.17g and %.9g, expected %.17g and %.9g", text, wide,
                   (double)narrow, want, (double)want_narrow);
  }
}

TEST(signs_and_points_alone_are_no_numbers) {
  static const char *const none[] = {"", "-", "+", ".", "-.", "1.2.3", "--1", "1-", "0x", " 1", "1 "};
  static const char *const some[] = {"-0", "+1", "1.", ".5", "-.5", "1e3", "0x1p3", "00012"};
  double v;
  for (size_t i = 0; i < sizeof none / sizeof *none; i++)
    CHECK(!weft__token_f64(none[i], strlen(none[i]), &v));
  for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
    const double want = strtod(some[i], NULL);
    CHECK(weft__token_f64(some[i], strlen(some[i]), &v));
    CHECK(!memcmp(&v, &want, sizeof v));
  }
}
// SPDX-License-Identifier: Apache-2.0
