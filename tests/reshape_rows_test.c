// reshape_rows_test.c - the requirements of Reshape's target, a test a row (R81 to R92; R86 and R93 to R96
// stand with the other operators that shapes and values decide).
#include "base/base.h"
#include "check.h"
#include "rows.h"

static void reshape_holds(const char *const *lines, size_t n) {
  rows r;
  if (!rows_open(&r, ""))
    return;
  for (size_t i = 0; i < n; i++)
    ROWS_EXAMPLE(&r, "Reshape", lines[i]);
  rows_close(&r);
}
#define HOLD(...)                                     \
  do {                                                \
    static const char *const lines[] = {__VA_ARGS__}; \
    reshape_holds(lines, WEFT_COUNT(lines));          \
  } while (0)

// The target is what the second input holds.
TEST(r81_the_target_is_the_second_input) {
  HOLD("f32[2,3,4]{0..}, i64[2]{4,6} -> f32[4,6]{0..}", "f32[2,3,4], i64[1]{24} -> f32[24]");
}

// One -1 is resolved.
TEST(r82_one_minus_1_is_resolved) {
  HOLD("f32[2,3,4], i64[2]{-1,6} -> f32[4,6]", "f32[2,3,4], i64[1]{-1} -> f32[24]",
       "f32[8,3,224,224], i64[2]{24,-1} -> f32[24,50176]");
}

// Another number of elements fails, and a -1 that does not divide.
TEST(r83_other_counts_fail) {
  HOLD("f32[2,3,4], i64[2]{5,-1} !! E_SHAPE 24 elements, the target [5,-1] has 5",
       "f32[2,3,4], i64[2]{5,5} !! E_SHAPE 24 elements, the target [5,5] has 25");
}

// Two of -1 fail; the documents' code gives [1,24].
TEST(r84_two_minus_1_fail) {
  HOLD("f32[2,3,4], i64[2]{-1,-1} !! E_SHAPE -1 stands at 0 and at 1",
       "f32[2,3,4], i64[3]{2,-1,-1} !! E_SHAPE one is allowed");
}

// A 0 beside a -1 is ambiguous; the documents' code divides by it. A 0 alone is a dim.
TEST(r85_zeros) {
  HOLD("f32[2,3,4], i64[2]{0,-1} !! E_SHAPE ambiguous", "f32[0,3], i64[2]{0,-1} !! E_SHAPE ambiguous",
       "f32[0,3], i64[2]{0,7} -> f32[0,7]", "f32[0,3], i64[2]{3,-1} -> f32[3,0]");
}

// Both integer types, and no dim is cut to 32 bits: 2^32 + 24 is not 24.
TEST(r87_both_integer_types_in_full) {
  HOLD("f32[2,3,4], i32[2]{-1,6} -> f32[4,6]", "f32[2,3,4], i64[2]{-1,6} -> f32[4,6]",
       "f32[24], i64[1]{4294967320} !! E_SHAPE 4294967320");
}

// Any other type is refused and not read as if it were int64.
TEST(r88_other_types_are_refused) {
  HOLD("f32[24], f32[2]{4,6} !! E_DTYPE input 'shape'",
       "f32[8], i8[8]{8,1,1,1,1,1,1,1} !! E_DTYPE input 'shape'");
}

// An empty target is a scalar: right for one element, wrong for any other number.
TEST(r89_an_empty_target_is_a_scalar) {
  HOLD("f32[1,1]{5}, i64[0] -> f32[]{5}", "f32[]{5}, i64[0] -> f32[]{5}",
       "f32[2,3], i64[0] !! E_SHAPE 6 elements, the target [] has 1",
       "f32[0], i64[0] !! E_SHAPE 0 elements, the target [] has 1");
}

// Where documents are binding it fails always, at inference and at a run that brings the target; what else
// the documents allow stays.
TEST(r89_an_empty_target_fails_where_documents_are_binding) {
  rows r;
  if (!rows_open_with(&r, "", (weft_env_options){.strict_document = true}))
    return;
  ROWS_EXAMPLE(&r, "Reshape", "f32[1,1]{5}, i64[0] !! E_SHAPE input 'shape' is empty");
  ROWS_EXAMPLE(&r, "Reshape", "f32[]{5}, i64[0] !! E_SHAPE input 'shape' is empty");
  ROWS_EXAMPLE(&r, "Reshape", "f32[2,3], i32[0] !! E_SHAPE input 'shape' is empty");
  ROWS_EXAMPLE(&r, "Reshape", "f32[2,3], i64[0] axis=2 num_axes=0 !! E_SHAPE input 'shape' is empty");
  ROWS_EXAMPLE(&r, "Reshape", "f32[1,1]{5}, i64[1]{1} -> f32[1]{5}");
  ROWS_EXAMPLE(&r, "Reshape", "f32[0,3], i64[2]{0,7} -> f32[0,7]");
  ROWS_EXAMPLE(&r, "Reshape", "f32[2], i64[-1] -> f32[?]");

  weft_graph *g = rows_graph(&r, "g");
  weft_value *x = rows_input(&r, g, "x", "f32[1]");
  weft_value *shape = rows_input(&r, g, "shape", "i64[-1]");
  weft_value *y = rows_node(&r, g, "Reshape", "reshape", NULL, 0, x, shape, NULL);
  CHECK_INT(rows_finish(&r, g, y), WEFT_OK);
  CHECK_STR(rows_run_graph(&r, g, "f32[1]{5}; i64[2]{1,1}"), "f32[1,1]{5}");
  CHECK_HAS(rows_run_graph(&r, g, "f32[1]{5}; i64[0]"), "E_SHAPE");
  weft_graph_destroy(g);
  rows_close(&r);
}

// A target of 2^32 elements is too long, and no rank of 0; one of rank 2 is none.
TEST(r90_a_target_has_one_axis) {
  HOLD("f32[24], i64[4294967296] !! E_LIMIT", "f32[24], i64[2,2]{1,2,3,4} !! E_SHAPE rank 0 or 1");
}

// A rank of 25 is the largest.
TEST(r91_rank_25_is_the_largest) {
  HOLD(
      "f32[24], i64[25]{24,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1} -> "
      "f32[24,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]",
      "f32[24], i64[26]{24,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1} !! E_LIMIT 26");
}

// The product 2^64 + 24 does not wrap to 24.
TEST(r92_products_do_not_wrap) {
  HOLD("f32[24], i64[2]{5,3689348814741910328} !! E_OVERFLOW overflow");
}
// SPDX-License-Identifier: Apache-2.0
