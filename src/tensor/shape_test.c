// shape_test.c - R189 to R195, R59, R134, R137, R227 on shapes.
#include "check.h"
#include "weft/shape.h"

static const char *text(const weft_shape *s, char buf[256]) {
  return weft_shape_text(s, NULL, buf, 256);
}

static weft_shape make(size_t rank, const weft_dim *dims) {
  weft_shape s;
  CHECK_INT(weft_shape_init(&s, dims, rank), WEFT_OK);
  return s;
}
#define SHAPE(...) make(sizeof((weft_dim[]){__VA_ARGS__}) / 8, (weft_dim[]){__VA_ARGS__})

TEST(bits_of_gert_shape) {
  CHECK_INT(sizeof(weft_shape), 248);
  CHECK_INT(sizeof(weft_layout), 536);
  CHECK_INT(offsetof(weft_shape, dim), 8);
}

TEST(r189_r190_from_dims) {
  weft_shape s = SHAPE(1, 3, 224, 224);
  int64_t n = 0;
  char buf[256];
  CHECK_INT(s.rank, 4);
  CHECK_INT(weft_shape_dim(&s, 0), 1);
  CHECK_INT(weft_shape_dim(&s, 1), 3);
  CHECK_INT(weft_shape_dim(&s, 3), 224);
  CHECK_INT(weft_shape_elems(&s, &n), WEFT_OK);
  CHECK_INT(n, 150528);
  CHECK_STR(text(&s, buf), "[1,3,224,224]");
}

TEST(r191_elements) {
  int64_t n = 7;
  int64_t big = INT64_C(1) << 32;
  weft_shape s = SHAPE(2, 0, 3);
  CHECK_INT(weft_shape_elems(&s, &n), WEFT_OK);
  CHECK_INT(n, 0);
  s = SHAPE(-1, 3);
  CHECK_INT(weft_shape_elems(&s, &n), WEFT_OK);
  CHECK_INT(n, -1);
  weft_shape_set_scalar(&s);
  CHECK_INT(weft_shape_elems(&s, &n), WEFT_OK);
  CHECK_INT(n, 1);
  n = 7;
  s = SHAPE(big, big);
  CHECK_FAILS(weft_shape_elems(&s, &n), WEFT_E_OVERFLOW);
  CHECK_INT(n, 7);
  s = SHAPE(big, big, 0);
  CHECK_INT(weft_shape_elems(&s, &n), WEFT_OK);
  CHECK_INT(n, 0);
  s = SHAPE(-1, 0);
  CHECK_INT(weft_shape_elems(&s, &n), WEFT_OK);
  CHECK_INT(n, 0);
  s = SHAPE(INT64_MAX, 1);
  CHECK_INT(weft_shape_elems(&s, &n), WEFT_OK);
  CHECK(n == INT64_MAX);
  weft_shape_set_unknown_rank(&s);
  CHECK_INT(weft_shape_elems(&s, &n), WEFT_OK);
  CHECK_INT(n, -1);
  s.rank = WEFT_RANK_UNSET;
  CHECK_FAILS(weft_shape_elems(&s, &n), WEFT_E_UNSET);
}

TEST(r192_r193_outside_the_rank) {
  weft_shape s = SHAPE(1, 3, 224, 224);
  CHECK(weft_shape_dim(&s, 4) == WEFT_DIM_INVALID);
  CHECK(weft_shape_dim(&s, SIZE_MAX) == WEFT_DIM_INVALID);
  weft_shape_set_scalar(&s);
  CHECK_FAILS(weft_shape_set_dim(&s, 3, 7), WEFT_E_RANGE);
  CHECK_INT(s.rank, 0);
  s = SHAPE(1, 2);
  CHECK_INT(weft_shape_set_dim(&s, 1, 9), WEFT_OK);
  CHECK_INT(weft_shape_dim(&s, 1), 9);
}

TEST(r194_rank_limit) {
  weft_shape s;
  weft_dim dims[26] = {0};
  weft_shape_set_scalar(&s);
  for (int i = 0; i < WEFT_MAX_RANK; i++)
    CHECK_INT(weft_shape_append(&s, i), WEFT_OK);
  CHECK_FAILS(weft_shape_append(&s, 26), WEFT_E_LIMIT);
  CHECK_INT(s.rank, 25);
  CHECK_INT(weft_shape_dim(&s, 24), 24);
  CHECK_FAILS(weft_shape_set_rank(&s, 26), WEFT_E_LIMIT);
  CHECK_FAILS(weft_shape_init(&s, dims, 26), WEFT_E_LIMIT);
  CHECK_INT(weft_shape_init(&s, dims, 25), WEFT_OK);
}

TEST(r195_values) {
  weft_shape a = SHAPE(1, 2, 3);
  weft_shape b;
  weft_shape_copy(&b, &a);
  CHECK(weft_shape_equal(&a, &b));
  CHECK_INT(weft_shape_set_dim(&b, 0, 5), WEFT_OK);
  CHECK_INT(weft_shape_dim(&a, 0), 1);
  CHECK(!weft_shape_equal(&a, &b));
  CHECK_INT(weft_shape_set_rank(&b, 2), WEFT_OK);
  CHECK(!weft_shape_equal(&a, &b));
  a.rank = b.rank = WEFT_RANK_UNSET;
  CHECK(weft_shape_equal(&a, &b));
  weft_shape_copy(&b, &a);
  CHECK(b.rank == WEFT_RANK_UNSET);
}

TEST(r59_append_needs_a_rank) {
  weft_shape s;
  char buf[256];
  s.rank = WEFT_RANK_UNSET;
  CHECK_FAILS(weft_shape_append(&s, 1), WEFT_E_STATE);
  CHECK(!weft_shape_is_known(&s));
  CHECK_STR(text(&s, buf), "[unset]");
  CHECK_INT(weft_shape_set_rank(&s, 0), WEFT_OK);
  CHECK_INT(weft_shape_append(&s, -1), WEFT_OK);
  CHECK_INT(weft_shape_append(&s, 1), WEFT_OK);
  CHECK_STR(text(&s, buf), "[-1,1]");
}

TEST(r137_unknown_rank) {
  weft_shape s = SHAPE(-2);
  char buf[256];
  CHECK(weft_shape_is_unknown_rank(&s));
  CHECK(!weft_shape_is_known(&s));
  CHECK_STR(text(&s, buf), "[?]");
  CHECK_FAILS(weft_shape_append(&s, 3), WEFT_E_STATE);
  CHECK_FAILS(weft_shape_set_dim(&s, 0, 3), WEFT_E_RANGE);
  CHECK_INT(weft_shape_set_rank(&s, 2), WEFT_OK);
  CHECK_STR(text(&s, buf), "[-1,-1]");
  CHECK(!weft_shape_is_unknown_rank(&s));
}

TEST(r227_text) {
  weft_shape s = SHAPE(-1, 4);
  char buf[256];
  char tiny[5];
  CHECK_STR(text(&s, buf), "[-1,4]");
  weft_shape_set_scalar(&s);
  CHECK_STR(text(&s, buf), "[]");
  s = SHAPE(123456, 7);
  CHECK_STR(weft_shape_text(&s, NULL, tiny, sizeof tiny), "[123");
  s = SHAPE(WEFT_DIM_SYMBOL_LIMIT - 1, 2);
  CHECK_STR(text(&s, buf), "[-1,2]");
}

TEST(r134_both_layouts) {
  weft_layout l = {.origin = SHAPE(-1, 3, 224, 224), .storage = SHAPE(1, 3, 224, 224)};
  char buf[256];
  CHECK_STR(text(&l.origin, buf), "[-1,3,224,224]");
  CHECK_STR(text(&l.storage, buf), "[1,3,224,224]");
}
// SPDX-License-Identifier: Apache-2.0
