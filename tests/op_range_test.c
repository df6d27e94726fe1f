// op_range_test.c - group J: shape ranges, from functions, from corners, and against what runs.
#include "rows.h"

static weft_status open_vector(weft_infer *it) {
  const weft_dim open[] = {-1};
  it->out_dtype[0] = it->in_dtype[0];
  return weft_set_out_shape(it, 0, open, 1);
}

static int64_t low, high;
static weft_status fixed_range(weft_infer *it) {
  CHECK(it->in_min && it->in_max && it->in_min[0] && it->in_max[0] && it->out_min[0] &&
        it->out_max[0]);  // R125
  CHECK(it->n_in == 1 && !weft_in_shape(it, 9));
  *it->out_min[0] = (weft_shape){.rank = 1, .dim = {low}};
  *it->out_max[0] = (weft_shape){.rank = 1, .dim = {high}};
  return WEFT_OK;
}
static weft_status unlike_ranks(weft_infer *it) {
  *it->out_min[0] = (weft_shape){.rank = 1, .dim = {0}};
  *it->out_max[0] = (weft_shape){.rank = 2, .dim = {1, 1}};
  return WEFT_OK;
}
static weft_status half_range(weft_infer *it) {
  *it->out_min[0] = (weft_shape){.rank = 1, .dim = {0}};
  return WEFT_OK;
}
static weft_status refuses(weft_infer *it) {
  return it->host->fail(it->d, WEFT_E_RANGE, "no range today");
}

static void make(rows *r, const char *name, weft_infer_fn range) {
  static const weft_dtype f[] = {WEFT_FLOAT};
  weft_op_builder *b = weft_builder_create(r->env, name);
  weft_builder_dtypes(weft_builder_input(b, "x", WEFT_REQUIRED), 1, f);
  weft_builder_dtypes(weft_builder_output(b, "y", WEFT_REQUIRED), 1, f);
  weft_builder_infer_range(weft_builder_infer_shape(b, open_vector), range);
  if (weft_builder_register(b, 0, &r->d))
    check_failed(__FILE__, __LINE__, "%s", r->d.text);
  weft_builder_destroy(b);
}

// A graph input with a range.
static weft_value *ranged(rows *r, weft_graph *g, const char *name, weft_dtype t, size_t rank,
                          const weft_dim *dims, const weft_dim *min, const weft_dim *max) {
  weft_tensor_desc desc;
  weft_shape lo;
  weft_shape hi;
  weft_desc_init(&desc);
  weft_diag_clear(&r->d);
  if (weft_shape_init(&lo, min, rank) || weft_shape_init(&hi, max, rank) ||
      weft_desc_set(&desc, t, WEFT_ND, dims, rank) || weft_desc_set_range(&desc, &lo, &hi, &r->d))
    return NULL;
  return weft_graph_input_desc(g, name, &desc, &r->d);
}

static void unique_range(rows *r, size_t rank, const weft_dim *min, const weft_dim *max, const char *y_text,
                         const char *idx_text) {
  static const weft_dim open[] = {-1, -1, -1};
  char text[256];
  weft_graph *g = rows_graph(r, "g");
  weft_value *x = ranged(r, g, "x", WEFT_INT32, rank, open, min, max);
  weft_value *y = rows_node(r, g, "UniqueLike", "unique", NULL, 0, x, NULL);
  CHECK_OK(rows_finish(r, g, y), &r->d);
  CHECK_STR(rows_value_text(y, text, sizeof text), y_text);
  CHECK_STR(rows_value_text(weft_node_out(weft_value_node(y, NULL), 1), text, sizeof text), idx_text);
  weft_graph_destroy(g);
}

TEST(r126_r127_r128_r129_r130_ranges_of_unique) {
  const weft_dim two[] = {2};
  const weft_dim ten[] = {10};
  const weft_dim zero[] = {0};
  const weft_dim lo[] = {0, 1};
  const weft_dim wide[] = {3, 4};
  const weft_dim open[] = {-1, 4};
  rows r;
  if (!rows_open(&r, ROWS_DOCUMENTS))
    return;
  unique_range(&r, 1, two, ten, "DT_INT32 [-1] ND range [1]..[10]", "DT_INT32 [-1] ND range [2]..[10]");
  unique_range(&r, 1, zero, ten, "DT_INT32 [-1] ND range [0]..[10]", "DT_INT32 [-1] ND range [0]..[10]");
  unique_range(&r, 2, lo, wide, "DT_INT32 [-1] ND range [0]..[12]", "DT_INT32 [-1,-1] ND range [0,1]..[3,4]");
  unique_range(&r, 2, lo, open, "DT_INT32 [-1] ND", "DT_INT32 [-1,-1] ND range [0,1]..[-1,4]");
  rows_close(&r);
}

TEST(r126_r349_unique_in_a_graph) {
  const weft_dim open[] = {-1};
  const weft_dim two[] = {2};
  const weft_dim ten[] = {10};
  rows r;
  if (!rows_open(&r, ROWS_DOCUMENTS))
    return;
  weft_graph *g = rows_graph(&r, "g");
  weft_value *x = ranged(&r, g, "x", WEFT_INT32, 1, open, two, ten);
  CHECK_OK(rows_finish(&r, g, rows_node(&r, g, "UniqueLike", "unique", NULL, 0, x, NULL)), &r.d);
  CHECK_STR(rows_run_graph(&r, g, "i32[8]{5,1,5,2,1,3,4,4}"), "i32[5]{5,1,2,3,4}");
  CHECK_STR(rows_run_graph(&r, g, "i32[2]{7,7}"), "i32[1]{7}");
  CHECK_HAS(rows_run_graph(&r, g, "i32[1]{7}"), "E_RANGE: graph input 'x': dim 0 is 1, the range is [2,10]");
  CHECK_HAS(rows_run_graph(&r, g, "i32[11]{0..}"),
            "E_RANGE: graph input 'x': dim 0 is 11, the range is [2,10]");
  weft_graph_destroy(g);
  rows_close(&r);
}

TEST(r125_r131_what_a_range_function_may_say) {
  rows r;
  char text[256];
  if (!rows_open(&r, ""))
    return;
  make(&r, "Fixed", fixed_range);
  make(&r, "Ranks", unlike_ranks);
  make(&r, "Half", half_range);
  make(&r, "Refuses", refuses);
  low = 5;
  high = 3;
  CHECK_HAS(rows_infer(&r, "Fixed", NULL, "f32[4]", 1), "E_RANGE: output 0: range of dim 0 is [5,3]");
  low = 5;
  high = -1;
  CHECK_STR(rows_infer(&r, "Fixed", NULL, "f32[4]", 1), "DT_FLOAT [-1] ND range [5]..[-1]");
  low = 1;
  high = 4;
  CHECK_STR(rows_infer(&r, "Fixed", NULL, "f32[4]", 1), "DT_FLOAT [-1] ND range [1]..[4]");
  // R136: {-1} with [3,3] is {3}
  low = 3;
  high = 3;
  CHECK_STR(rows_infer(&r, "Fixed", NULL, "f32[4]", 1), "DT_FLOAT [3] ND");
  CHECK_HAS(rows_infer(&r, "Ranks", NULL, "f32[4]", 1),
            "E_SHAPE: output 0: range minimum has rank 1, maximum 2");
  CHECK_HAS(rows_infer(&r, "Half", NULL, "f32[4]", 1), "E_UNSET: output 0 shape not set (range maximum)");
  CHECK_HAS(rows_infer(&r, "Refuses", NULL, "f32[4]", 1), "E_RANGE: no range today");
  weft_graph *g = rows_graph(&r, "g");
  const weft_dim open[] = {-1};
  const weft_dim five[] = {5};
  const weft_dim three[] = {3};
  const weft_dim none[] = {-1};
  CHECK(!ranged(&r, g, "x", WEFT_FLOAT, 1, open, five, three));
  CHECK_INT(r.d.status, WEFT_E_RANGE);
  weft_value *x = ranged(&r, g, "x", WEFT_FLOAT, 1, open, five, none);
  CHECK(x != NULL);
  if (x)
    CHECK_STR(rows_value_text(x, text, sizeof text), "DT_FLOAT [-1] ND range [5]..[-1]");
  weft_graph_destroy(g);
  rows_close(&r);
}

TEST(r132_ranges_from_the_shape_function) {
  const weft_dim dims[] = {-1, 8};
  const weft_dim lo[] = {1, 8};
  const weft_dim hi[] = {4, 8};
  rows r;
  char text[256];
  if (!rows_open(&r, ROWS_DOCUMENTS))
    return;
  weft_graph *g = rows_graph(&r, "g");
  weft_value *x = ranged(&r, g, "x", WEFT_FLOAT, 2, dims, lo, hi);
  weft_value *z = rows_node(&r, g, "AddCustom", "add", NULL, 0, x, x, NULL);
  weft_value *y = rows_node(&r, g, "Relu", "relu", NULL, 0, z, NULL);
  CHECK_OK(rows_finish(&r, g, y), &r.d);
  CHECK_STR(rows_value_text(z, text, sizeof text), "DT_FLOAT [-1,8] ND range [1,8]..[4,8]");
  CHECK_STR(rows_value_text(y, text, sizeof text), "DT_FLOAT [-1,8] ND range [1,8]..[4,8]");
  weft_graph_destroy(g);
  rows_close(&r);
}

TEST(r133_r138_batch_1_to_64) {
  const weft_dim dims[] = {-1, 2};
  const weft_dim lo[] = {1, 2};
  const weft_dim hi[] = {64, 2};
  rows r;
  if (!rows_open(&r, ""))
    return;
  CHECK(weft_range_contains(1, 64, 1) && weft_range_contains(1, 64, 64));
  CHECK(!weft_range_contains(1, 64, 0) && !weft_range_contains(1, 64, 65));
  weft_graph *g = rows_graph(&r, "g");
  weft_value *x = ranged(&r, g, "x", WEFT_FLOAT, 2, dims, lo, hi);
  CHECK_OK(rows_finish(&r, g, rows_node(&r, g, "Relu", "relu", NULL, 0, x, NULL)), &r.d);
  CHECK_STR(rows_run_graph(&r, g, "f32[1,2]{-1,2}"), "f32[1,2]{0,2}");
  CHECK_HAS(rows_run_graph(&r, g, "f32[64,2]{0..}"), "f32[64,2]{0,1,");
  CHECK_HAS(rows_run_graph(&r, g, "f32[65,2]{0..}"),
            "E_RANGE: graph input 'x': dim 0 is 65, the range is [1,64]");
  CHECK_HAS(rows_run_graph(&r, g, "f32[0,2]{}"), "E_RANGE: graph input 'x': dim 0 is 0");
  weft_graph_destroy(g);
  rows_close(&r);
}

TEST(r136_declared_range_of_one_value_is_a_known_dim) {
  const weft_dim dims[] = {-1};
  const weft_dim three[] = {3};
  rows r;
  char text[256];
  if (!rows_open(&r, ""))
    return;
  weft_graph *g = rows_graph(&r, "g");
  weft_value *x = ranged(&r, g, "x", WEFT_FLOAT, 1, dims, three, three);
  weft_value *y = rows_node(&r, g, "Relu", "relu", NULL, 0, x, NULL);
  CHECK_OK(rows_finish(&r, g, y), &r.d);
  CHECK_STR(rows_value_text(y, text, sizeof text), "DT_FLOAT [3] ND");
  weft_graph_destroy(g);
  rows_close(&r);
}
// SPDX-License-Identifier: Apache-2.0
