// flex_test.c - flexbuffers as their own library writes them, cut and changed.
#include "check.h"
#include "frontend/tflite/flex.h"

// {'a': -1, 'b': 2.5, 'c': [1, 2, 3], 'd': 'hi', 'e': True, 'f': [1.5, 2.5], 'g': 300, 'h': ['x', 'yz'],
//  'i': [True, False], 'j': {'k': 1}, 'n': None}
static const uint8_t mixed[] = {
    0x61, 0x00, 0x62, 0x00, 0x63, 0x00, 0x03, 0x01, 0x02, 0x03, 0x04, 0x04, 0x04, 0x64, 0x00, 0x02,
    0x68, 0x69, 0x00, 0x65, 0x00, 0x66, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0xc0, 0x3f,
    0x00, 0x00, 0x20, 0x40, 0x0e, 0x0e, 0x67, 0x00, 0x68, 0x00, 0x01, 0x78, 0x00, 0x02, 0x79, 0x7a,
    0x00, 0x02, 0x07, 0x05, 0x14, 0x14, 0x69, 0x00, 0x02, 0x01, 0x00, 0x68, 0x68, 0x6a, 0x00, 0x6b,
    0x00, 0x01, 0x03, 0x01, 0x01, 0x01, 0x01, 0x04, 0x6e, 0x00, 0x0b, 0x4b, 0x4a, 0x49, 0x41, 0x3c,
    0x3b, 0x2b, 0x2a, 0x1d, 0x17, 0x0d, 0x00, 0x00, 0x0d, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00,
    0x0b, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x20, 0x40, 0x65, 0x00, 0x00, 0x00,
    0x60, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x5c, 0x00, 0x00, 0x00, 0x2c, 0x01, 0x00, 0x00,
    0x4e, 0x00, 0x00, 0x00, 0x4b, 0x00, 0x00, 0x00, 0x42, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x06, 0x0e, 0x28, 0x14, 0x6a, 0x2a, 0x06, 0x28, 0x28, 0x24, 0x02, 0x37, 0x26, 0x01};
// Typed vectors, indirect numbers, a blob: {'v': [1, -2, 300], 'w': 70000, 'x': 0.5, 'y': [0.5, 1.5], 'z':
// b'q'}
static const uint8_t typed[] = {
    0x76, 0x00, 0x03, 0x00, 0x01, 0x00, 0xfe, 0xff, 0x2c, 0x01, 0x77, 0x00, 0x70, 0x11, 0x01, 0x00, 0x78,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x3f, 0x79, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x3f, 0x00, 0x00, 0xc0, 0x3f, 0x7a, 0x00, 0x01, 0x71, 0x05, 0x2d, 0x24, 0x1f, 0x18, 0x09, 0x05,
    0x01, 0x05, 0x31, 0x2a, 0x23, 0x18, 0x0e, 0x2d, 0x1a, 0x22, 0x36, 0x64, 0x0a, 0x24, 0x01};

TEST(flex_numbers_texts_and_lists) {
  const flex f = {mixed, sizeof mixed};
  const flex_value map = flex_root(&f);
  CHECK_INT(map.kind, FLEX_MAP);
  CHECK_INT(map.n, 11);
  CHECK_INT(flex_named(&f, &map, "a").kind, FLEX_INT);
  CHECK_INT(flex_named(&f, &map, "a").i, -1);
  CHECK_F64(flex_named(&f, &map, "b").f, 2.5, 0);
  CHECK_INT(flex_named(&f, &map, "g").i, 300);
  CHECK_INT(flex_named(&f, &map, "e").kind, FLEX_BOOL);
  CHECK_INT(flex_named(&f, &map, "e").i, 1);
  CHECK_INT(flex_named(&f, &map, "n").kind, FLEX_NULL);
  CHECK_INT(flex_named(&f, &map, "j").kind, FLEX_MAP);
  const flex_value text = flex_named(&f, &map, "d");
  CHECK(text.kind == FLEX_TEXT && text.n == 2 && !memcmp(text.text, "hi", 2));
  const flex_value ints = flex_named(&f, &map, "c");
  CHECK(ints.kind == FLEX_LIST && ints.n == 3);
  CHECK_INT(flex_item(&f, &ints, 2).i, 3);
  const flex_value texts = flex_named(&f, &map, "h");
  CHECK(texts.kind == FLEX_LIST && texts.n == 2 && flex_item(&f, &texts, 1).n == 2);
  const flex_value bools = flex_named(&f, &map, "i");
  CHECK(flex_item(&f, &bools, 0).i == 1 && flex_item(&f, &bools, 1).i == 0);
  const flex_value floats = flex_named(&f, &map, "f");
  CHECK_F64(flex_item(&f, &floats, 1).f, 2.5, 0);
}

TEST(flex_typed_lists_and_indirect_numbers) {
  const flex f = {typed, sizeof typed};
  const flex_value map = flex_root(&f);
  const flex_value v = flex_named(&f, &map, "v");
  CHECK(v.kind == FLEX_LIST && v.n == 3);
  CHECK_INT(flex_item(&f, &v, 1).i, -2);
  CHECK_INT(flex_item(&f, &v, 2).i, 300);
  CHECK_INT(flex_named(&f, &map, "w").i, 70000);
  CHECK_F64(flex_named(&f, &map, "x").f, 0.5, 0);
  const flex_value y = flex_named(&f, &map, "y");
  CHECK_F64(flex_item(&f, &y, 1).f, 1.5, 0);
  CHECK_INT(flex_named(&f, &map, "z").kind, FLEX_BAD);
}

static size_t walk(const flex *f, const flex_value *v, int depth) {
  size_t n = 1;
  if (v->kind != FLEX_MAP && v->kind != FLEX_LIST)
    return n;
  for (size_t i = 0; i < v->n && depth < 3; i++) {
    const flex_value item = flex_item(f, v, i);
    if (v->kind == FLEX_MAP)
      (void)flex_key(f, v, i);
    n += walk(f, &item, depth + 1);
  }
  return n;
}

// Whatever comes out, nothing beside the bytes is read.
TEST(flex_cut_and_changed) {
  for (size_t i = 0; i < 9 * sizeof mixed; i++) {
    const size_t n = i < sizeof mixed ? i : sizeof mixed;
    uint8_t *copy = malloc(n + !n);
    memcpy(copy, mixed, n);
    if (i >= sizeof mixed)
      copy[(i - sizeof mixed) / 8] ^= (uint8_t)(1u << (i % 8));
    const flex f = {copy, n};
    const flex_value root = flex_root(&f);
    CHECK(walk(&f, &root, 0) < 100000);
    free(copy);
  }
}
// SPDX-License-Identifier: Apache-2.0
