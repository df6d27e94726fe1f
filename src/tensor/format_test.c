#include "check.h"
#include "weft/format.h"

static weft_format parse(const char *text) {
  return weft_format_parse(text, strlen(text));
}

TEST(r184_numbers) {
  CHECK_INT(WEFT_NCHW, 0);
  CHECK_INT(WEFT_NHWC, 1);
  CHECK_INT(WEFT_ND, 2);
  CHECK_INT(WEFT_NC1HWC0, 3);
  CHECK_INT(WEFT_FRACTAL_Z, 4);
  CHECK_INT(WEFT_FRACTAL_NZ, 29);
  CHECK_INT(WEFT_FORMAT_RESERVED, 40);
  CHECK_INT(WEFT_FRACTAL_NZ_C0_8, 54);
}

TEST(r183_serial_and_back) {
  char buf[64];
  CHECK_STR(weft_format_serial(WEFT_NCHW), "NCHW");
  CHECK_STR(weft_format_serial(WEFT_NHWC), "NHWC");
  CHECK_STR(weft_format_serial(WEFT_ND), "ND");
  CHECK_STR(weft_format_serial(WEFT_NC1HWC0), "NC1HWC0");
  CHECK_STR(weft_format_serial(0x05000003), "NC1HWC0");
  CHECK_STR(weft_format_serial(55), "RESERVED");
  CHECK_STR(weft_format_serial(255), "RESERVED");
  CHECK_STR(weft_format_text(61444, buf, sizeof buf), "FRACTAL_Z:240");
  CHECK_STR(weft_format_text(0x05000003, buf, sizeof buf), "NC1HWC0(C0=16)");
  CHECK_STR(weft_format_text(weft_format_make(WEFT_FRACTAL_Z, 3, 6), buf, sizeof buf), "FRACTAL_Z:3(C0=32)");
  CHECK_STR(weft_format_text(WEFT_NCHW, buf, 3), "NC");
  CHECK_INT(parse("NCHW"), WEFT_NCHW);
  CHECK_INT(parse("FORMAT_NCHW"), WEFT_NCHW);
  CHECK_INT(parse("FRACTAL_Z:240"), 61444);
  CHECK_INT(parse("NC1HWC0(C0=16)"), 0x05000003);
  CHECK_INT(parse("FORMAT_FRACTAL_Z:65535(C0=16384)"), weft_format_make(WEFT_FRACTAL_Z, 65535, 15));
  CHECK_INT(parse("LOOKUP_KEYS"), WEFT_HASHTABLE_LOOKUP_KEYS);
  CHECK_INT(parse("FORMAT_HASHTABLE_LOOKUP_KEYS"), WEFT_HASHTABLE_LOOKUP_KEYS);
  CHECK_INT(parse("FORMAT_FRACTAL_DECONV_SP_STRIDE8_TRANS"), WEFT_FRACTAL_DECONV_SP_STRIDE8_TRANS);
  CHECK_INT(parse("FORMAT_NULL"), WEFT_FORMAT_NULL);
  CHECK_INT(parse("FORMAT_ALL"), WEFT_FORMAT_ALL);
}

TEST(r183_unknown_text_is_reserved) {
  static const char *const BAD[] = {"",
                                    "XX",
                                    "nchw",
                                    "NCHW ",
                                    "FORMAT_",
                                    "RESERVED",
                                    "UNDEFINED",
                                    "FORMAT_RESERVED",
                                    "END",
                                    "MAX",
                                    "FRACTAL_Z:",
                                    "FRACTAL_Z:x",
                                    "FRACTAL_Z:-1",
                                    "FRACTAL_Z:65536",
                                    "FRACTAL_Z:1:2",
                                    ":3",
                                    "(C0=16)",
                                    "NCHW(C0=)",
                                    "NCHW(C0=3)",
                                    "NCHW(C0=0)",
                                    "NCHW(C0=32768)",
                                    "NCHW(C0=16",
                                    "NCHW(C0=16)x",
                                    "NCHW(c0=16)",
                                    "NCHW()",
                                    "NCHW(C0=16):3",
                                    "FRACTAL_Z:99999999999999999999",
                                    "FORMAT_FORMAT_NCHW"};
  for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++)
    CHECK_INT(parse(BAD[i]), WEFT_FORMAT_RESERVED);
  CHECK_INT(weft_format_parse(NULL, 0), WEFT_FORMAT_RESERVED);
  CHECK_INT(weft_format_parse("NCHW\0", 5), WEFT_FORMAT_RESERVED);
  CHECK_INT(weft_format_parse("NCHWC", 4), WEFT_NCHW);
}

TEST(r252_every_format_parses_back) {
  int n = 0;
  for (weft_format f = 0; f < 256; f++) {
    if (!weft_format_known(f))
      continue;
    n++;
    char buf[64];
    char prefixed[80];
    CHECK_INT(parse(weft_format_text(f, buf, sizeof buf)), f);
    snprintf(prefixed, sizeof prefixed, "FORMAT_%s", weft_format_serial(f));
    CHECK_INT(parse(prefixed), f);
    for (uint32_t code = 0; code < 16 && f != WEFT_FORMAT_RESERVED; code++) {
      weft_format word = weft_format_make(f, code * 4369, code);
      CHECK_INT(parse(weft_format_text(word, buf, sizeof buf)), word);
    }
  }
  CHECK_INT(n, 55);
}

TEST(r257_r236_bit_packing) {
  CHECK_INT(weft_format_make(3, 0, 5), 83886083);
  CHECK_INT(weft_format_c0(83886083), 16);
  CHECK_INT(weft_format_make(4, 240, 0), 61444);
  CHECK_INT(weft_format_primary(0x05000003), 3);
  CHECK_INT(weft_format_sub(0x05000003), 0);
  CHECK(weft_format_has_c0(0x05000003));
  CHECK_INT(weft_format_c0(0x05000003), 16);
  CHECK_INT(weft_format_primary(61444), 4);
  CHECK_INT(weft_format_sub(61444), 240);
  CHECK(!weft_format_has_c0(61444));
  CHECK_INT(weft_format_c0(61444), -1);
  CHECK_INT(weft_format_c0(weft_format_make(3, 0, 1)), 1);
  CHECK_INT(weft_format_c0(weft_format_make(3, 0, 4)), 8);
  CHECK_INT(weft_format_c0(weft_format_make(3, 0, 6)), 32);
  CHECK_INT(weft_format_c0(weft_format_make(3, 0, 15)), 16384);
  CHECK_INT(weft_format_make(0x1FF, 0x1FFFF, 0x1F), 0x0FFFFFFF);  // nothing spills into a neighbour
}

TEST(r228_format_side) {
  CHECK(!weft_format_compatible(WEFT_NCHW, WEFT_NHWC));
  CHECK(weft_format_compatible(WEFT_NCHW, WEFT_NCHW));
  CHECK(weft_format_compatible(WEFT_NC1HWC0, 0x05000003));  // C0 and sub-format do not count
  CHECK(weft_format_compatible(61444, WEFT_FRACTAL_Z));
  CHECK(weft_format_compatible(WEFT_ND, WEFT_NHWC) && weft_format_compatible(WEFT_NHWC, WEFT_ND));
  CHECK(!weft_format_compatible(WEFT_NCHW, WEFT_FORMAT_RESERVED));
}
// SPDX-License-Identifier: Apache-2.0
