#include "frontend/onnx/wire.h"
#include "check.h"

// Reads fields until the end or an error; counts them. The bytes are copied, so that ASan sees every step too
// far.
static weft_status walk(const void *bytes, size_t n, size_t *out_fields, wire_field *out_last, weft_diag *d) {
  uint8_t *copy = malloc(n + !n);
  memcpy(copy, bytes, n);
  wire_source src = {.data = n ? copy : NULL, .bytes = n, .root = "Root", .d = d};
  wire_message m = weft__wire_root(&src);
  wire_field f = {0};
  weft_status s;
  *out_fields = 0;
  while (!(s = weft__wire_next(&m, &f)) && f.number) {
    *out_last = f;
    ++*out_fields;
  }
  free(copy);
  return s;
}

#define WALK(text) walk(text, sizeof(text) - 1, &n, &f, &d)

TEST(fields_of_every_type) {
  weft_diag d = {0};
  size_t n;
  wire_field f = {0};
  CHECK_OK(WALK(""), &d);
  CHECK_INT(n, 0);
  CHECK_OK(WALK("\x08\x96\x01"), &d);
  CHECK_INT(f.number, 1);
  CHECK_INT(f.type, WIRE_VARINT);
  CHECK_INT(f.value, 150);
  CHECK_OK(WALK("\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), &d);  // -1 in ten bytes
  CHECK(f.value == UINT64_MAX);
  CHECK_OK(WALK("\x1d\x01\x02\x03\x84"), &d);
  CHECK_INT(f.value, 0x84030201);
  CHECK_OK(WALK("\x19\x01\x02\x03\x04\x05\x06\x07\x88"), &d);
  CHECK(f.value == UINT64_C(0x8807060504030201));
  CHECK_OK(WALK("\x22\x03"
                "abc\x22\x00"),
           &d);
  CHECK_INT(n, 2);
  CHECK_INT(f.bytes, 0);
  CHECK_OK(WALK("\xf8\xff\xff\xff\x0f\x00"), &d);
  CHECK_INT(f.number, 536870911);
}

TEST(groups_are_one_field) {
  weft_diag d = {0};
  size_t n;
  wire_field f = {0};
  CHECK_OK(WALK("\x5b\x08\x01\x63\x1a\x02zz\x64\x5c\x08\x01"), &d);
  CHECK_INT(n, 2);
  CHECK_OK(WALK("\x5b\x08\x01\x63\x64\x5c"), &d);
  CHECK_INT(f.number, 11);
  CHECK_INT(f.bytes, 5);
  CHECK_FAILS(WALK("\x5b\x64"), WEFT_E_CORRUPT);
  CHECK_HAS(d.text, "Root.(field 12) at byte 1: end of group 12, expected 11");
  weft_diag_clear(&d);
  CHECK_FAILS(WALK("\x5b\x08\x01"), WEFT_E_TRUNCATED);
  weft_diag_clear(&d);
  CHECK_FAILS(WALK("\x5c"), WEFT_E_CORRUPT);
  CHECK_HAS(d.text, "wire type 4 (group end) is not allowed here");
  char deep[1000];
  memset(deep, 0x5b, sizeof deep);
  weft_diag_clear(&d);
  CHECK_FAILS(walk(deep, sizeof deep, &n, &f, &d), WEFT_E_LIMIT);
  memset(deep + WIRE_MAX_GROUPS, 0x5c, WIRE_MAX_GROUPS);
  CHECK_OK(walk(deep, 2 * WIRE_MAX_GROUPS, &n, &f, &d), &d);
  CHECK_INT(n, 1);
}

TEST(damage_is_named) {
  static const struct {
    const char *bytes;
    size_t n;
    weft_status s;
    const char *text;
  } cases[] = {
      {"\x08", 1, WEFT_E_TRUNCATED, "Root.(field 1) at byte 1: a varint passes the end, 0 bytes away"},
      {"\x08\x80\x80", 3, WEFT_E_TRUNCATED,
       "Root.(field 1) at byte 1: a varint passes the end, 2 bytes away"},
      {"\x80", 1, WEFT_E_TRUNCATED, "Root at byte 0: a varint passes the end"},
      {"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 11, WEFT_E_CORRUPT, "a varint has more than 64 bits"},
      {"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12, WEFT_E_CORRUPT,
       "a varint has more than 64 bits"},
      {"\x1d\x01\x02\x03", 4, WEFT_E_TRUNCATED, "at byte 1: a number of 4 bytes expected, 3 left"},
      {"\x19\x01\x02\x03", 4, WEFT_E_TRUNCATED, "at byte 1: a number of 8 bytes expected, 3 left"},
      {"\x08\x01\x22\x04zzz", 7, WEFT_E_TRUNCATED,
       "(field 4) at byte 2: length 4 passes the end, 3 bytes away"},
      {"\x22\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11, WEFT_E_TRUNCATED,
       "length 18446744073709551615 passes"},
      {"\x02\x00", 2, WEFT_E_CORRUPT, "at byte 0: field number 0, expected 1 to 536870911"},
      {"\x80\x80\x80\x80\x10\x00", 6, WEFT_E_CORRUPT, "field number 536870912, expected 1 to 536870911"},
      {"\x0e\x00", 2, WEFT_E_CORRUPT, "wire type 6 (unknown) is not allowed here"},
      {"\x0f\x00", 2, WEFT_E_CORRUPT, "wire type 7 (unknown) is not allowed here"},
  };
  for (size_t i = 0; i < WEFT_COUNT(cases); i++) {
    weft_diag d = {0};
    size_t n;
    wire_field f = {0};
    CHECK_FAILS(walk(cases[i].bytes, cases[i].n, &n, &f, &d), cases[i].s);
    CHECK_HAS(d.text, cases[i].text);
  }
}

TEST(packed_numbers_are_counted) {
  weft_diag d = {0};
  wire_source src = {.data = (const uint8_t *)"\x01\x96\x01\x00\x80", .bytes = 5, .root = "Root", .d = &d};
  wire_message m = weft__wire_root(&src);
  wire_field f = {.number = 1, .type = WIRE_BYTES, .tag = src.data, .data = src.data, .bytes = 4};
  size_t n = 0;
  CHECK_OK(weft__wire_packed_count(&m, &f, WIRE_VARINT, &n), &d);
  CHECK_INT(n, 3);
  CHECK_OK(weft__wire_packed_count(&m, &f, WIRE_FIXED32, &n), &d);
  CHECK_INT(n, 1);
  CHECK_FAILS(weft__wire_packed_count(&m, &f, WIRE_FIXED64, &n), WEFT_E_CORRUPT);
  CHECK_HAS(d.text, "4 packed bytes, expected a multiple of 8");
  weft_diag_clear(&d);
  f.bytes = 5;
  CHECK_FAILS(weft__wire_packed_count(&m, &f, WIRE_VARINT, &n), WEFT_E_CORRUPT);
  CHECK_HAS(d.text, "the last of 4 packed varints is cut");
  f.bytes = 0;
  CHECK_OK(weft__wire_packed_count(&m, &f, WIRE_FIXED64, &n), &d);
  CHECK_INT(n, 0);
}

TEST(paths_name_fields_and_elements) {
  weft_diag d = {0};
  wire_source src = {.data = (const uint8_t *)"\x0a\x02\x08\x80", .bytes = 4, .root = "Root", .d = &d};
  wire_message m = weft__wire_root(&src);
  wire_field f;
  CHECK_OK(weft__wire_next(&m, &f), &d);
  m.name = "node";
  m.index = 3;
  wire_message in = weft__wire_enter(&m, f.data, f.bytes);
  CHECK_FAILS(weft__wire_next(&in, &f), WEFT_E_TRUNCATED);
  CHECK_STR(d.text, "Root.node[3].(field 1) at byte 3: a varint passes the end, 1 bytes away");
}

TEST(long_paths_keep_their_end) {
  weft_diag d = {0};
  wire_source src = {.data = (const uint8_t *)"x", .bytes = 1, .root = "Root", .d = &d};
  wire_message m[40];
  m[0] = weft__wire_root(&src);
  for (int i = 0; i < 39; i++) {
    m[i].name = "child";
    m[i].number = 1;
    m[i].index = (size_t)i;
    m[i + 1] = weft__wire_enter(&m[i], src.data, 1);
  }
  CHECK_INT(weft__wire_fail(&m[39], src.data, WEFT_E_CORRUPT, "bad %d", 7), WEFT_E_CORRUPT);
  CHECK_HAS(d.text, "Root...child");
  CHECK_HAS(d.text, ".child[38] at byte 0: bad 7");
}
// SPDX-License-Identifier: Apache-2.0
