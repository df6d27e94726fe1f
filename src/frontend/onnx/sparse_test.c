// sparse_test.c - sparse tensors of a model become dense ones, within a budget; wrong ones are refused.
#include "check.h"
#include "frontend/onnx/import.h"
#include "frontend/onnx/writer.h"
#include "weft/onnx.h"

typedef struct fixture {
  check_alloc alloc;
  weft_env *env;
  weft_text text;
  onnxw w;
  weft_diag d;
  weft_graph *g;
} fixture;

static void setup(fixture *f) {
  memset(f, 0, sizeof *f);
  weft_allocator a = weft_allocator_default();
  weft__text_init(&f->text, &a);
  weft_env_options o = {.package_path = "", .allocator = check_allocator(&f->alloc)};
  if (weft_env_create(&o, &f->env, &f->d))
    check_failed(__FILE__, __LINE__, "environment: %s", f->d.text);
}

static void teardown(fixture *f) {
  weft_graph_destroy(f->g);
  weft_env_destroy(f->env);
  CHECK_INT(f->alloc.live_blocks, 0);
  weft__text_deinit(&f->text);
}

// ---- sparse ----
static void tensor(onnxw *w, uint32_t field, const char *name, int32_t type, int rank, const int64_t *dims,
                   const void *data, size_t bytes) {
  onnxw_open(w, field);
  onnxw_ints(w, 1, dims, (size_t)rank);
  onnxw_int(w, 2, type);
  onnxw_str(w, 8, name);
  onnxw_bytes(w, 9, data, bytes);
  onnxw_close(w);
}

// Reads float values at these indices; index_rank 1 or 2.
static weft_status sparse(fixture *f, const float *values, int64_t n, const int64_t *indices, int index_rank,
                          const int64_t *dims, int rank, weft_tensor *out) {
  weft_graph_destroy(f->g);
  f->g = NULL;
  f->d = (weft_diag){0};
  f->text.n = 0;
  onnxw *w = &f->w;
  onnxw_begin(w, &f->text, 8, 17);
  onnxw_graph(w, "g");
  onnxw_open(w, 15);
  tensor(w, 1, "s", ONNX_FLOAT, 1, &n, values, (size_t)n * 4);
  size_t total = (size_t)n * (index_rank == 2 ? (size_t)rank : 1);
  tensor(w, 2, NULL, ONNX_INT64, index_rank, (int64_t[]){n, rank}, indices, total * 8);
  onnxw_ints(w, 3, dims, (size_t)rank);
  onnxw_close(w);
  onnxw_op(w, "Neg", "neg", "s", "y");
  onnxw_output(w, "y", ONNX_FLOAT, -1, NULL, NULL);
  WEFT_TRY(onnxw_finish(w, &f->d));
  WEFT_TRY(weft_onnx_read(f->env, f->text.v, f->text.n, "m", &f->g, &f->d));
  weft_tensor_init(out, NULL);
  return weft_tensor_copy(out, weft_value_data(weft_graph_find_value(f->g, "s")), &f->d);
}

static void check_text(const weft_tensor *t, const char *text) {
  weft_tensor want;
  weft_diag d = {0};
  weft_tensor_init(&want, NULL);
  CHECK_OK(weft_tensor_parse(text, strlen(text), NULL, &want, NULL, &d), &d);
  CHECK_OK(weft_tensor_compare(t, &want, 0, 0, &d), &d);
  weft_tensor_deinit(&want);
}

TEST(sparse_initializers_become_dense) {
  fixture f;
  weft_tensor t;
  setup(&f);
  CHECK_OK(sparse(&f, (float[]){1, 2}, 2, (int64_t[]){1, 5}, 1, (int64_t[]){2, 3}, 2, &t), &f.d);
  check_text(&t, "f32[2,3]{0,1,0,0,0,2}");
  weft_tensor_deinit(&t);
  CHECK_OK(sparse(&f, (float[]){1, 2}, 2, (int64_t[]){0, 1, 1, 2}, 2, (int64_t[]){2, 3}, 2, &t), &f.d);
  check_text(&t, "f32[2,3]{0,1,0,0,0,2}");
  weft_tensor_deinit(&t);
  CHECK_OK(sparse(&f, NULL, 0, NULL, 1, (int64_t[]){2, 2}, 2, &t), &f.d);
  check_text(&t, "f32[2,2]{0,0,0,0}");
  weft_tensor_deinit(&t);
  teardown(&f);
}

TEST(wrong_sparse_tensors_are_refused) {
  static const struct {
    int64_t n;
    int64_t indices[4];
    int index_rank;
    int64_t dims[3];
    int rank;
    weft_status s;
    const char *message;
  } wrong[] = {
      {2, {1, 1}, 1, {2, 3}, 2, WEFT_E_INVALID, "index 1 (element 1) appears twice"},
      {2, {0, 1, 0, 1}, 2, {2, 3}, 2, WEFT_E_INVALID, "appears twice"},
      {2, {3, 1}, 1, {2, 3}, 2, WEFT_E_INVALID, "comes too late: expected ascending"},
      {1, {6}, 1, {2, 3}, 2, WEFT_E_RANGE, "index 0 is 6, the tensor has 6 elements"},
      {1, {-1}, 1, {2, 3}, 2, WEFT_E_RANGE, "index 0 is -1"},
      {1, {0, 3}, 2, {2, 3}, 2, WEFT_E_RANGE, "coordinate 1 is 3, the dim is 3"},
      {1, {INT64_MIN, 0}, 2, {2, 3}, 2, WEFT_E_RANGE, "coordinate 0"},
      {1, {0}, 1, {2, -3}, 2, WEFT_E_SHAPE, "dim 1 is -3"},
      {1, {0}, 1, {0, 3}, 2, WEFT_E_RANGE, "the tensor has 0 elements"},
      {1, {0}, 1, {INT64_MAX, INT64_MAX}, 2, WEFT_E_OVERFLOW, "overflows"},
      {1, {0}, 1, {1 << 20, 1 << 20}, 2, WEFT_E_LIMIT, "1 values would become 4398046511104 dense bytes"}};
  fixture f;
  weft_tensor t;
  setup(&f);
  for (size_t i = 0; i < WEFT_COUNT(wrong); i++) {
    float v[2] = {1, 2};
    weft_status s =
        sparse(&f, v, wrong[i].n, wrong[i].indices, wrong[i].index_rank, wrong[i].dims, wrong[i].rank, &t);
    CHECK_INT(s, wrong[i].s);
    CHECK_HAS(f.d.text, wrong[i].message);
    CHECK_HAS(f.d.text, "in sparse tensor 's' at byte ");
  }
  teardown(&f);
}

TEST(sparse_tensors_share_a_budget) {
  weft_arena arena;
  weft_allocator a = weft_allocator_default();
  weft__arena_init(&arena, &a);
  float one = 1;
  int64_t zero = 0;
  int64_t n = 1;
  int64_t dims = (ONNX_DENSE_BYTES / 4) + ONNX_DENSE_RATIO;
  onnx_tensor v = {
      .data_type = ONNX_FLOAT, .has_raw = 1, .raw = {(const char *)&one, 4}, .dims = {.v = &n, .n = 1}};
  onnx_tensor x = {
      .data_type = ONNX_INT64, .has_raw = 1, .raw = {(const char *)&zero, 8}, .dims = {.v = &n, .n = 1}};
  onnx_sparse_tensor s = {.values = &v, .indices = &x, .dims = {.v = &dims, .n = 1}};
  onnx_data data = {.dense_left = ONNX_DENSE_BYTES};
  weft_tensor t;
  weft_diag d = {0};
  weft_tensor_init(&t, NULL);
  CHECK_OK(weft__onnx_sparse(&s, &data, &t, &d), &d);  // exactly what is allowed
  CHECK_INT(data.dense_left, 0);
  CHECK_F64(weft_load_f64(WEFT_FLOAT, t.data, 0), 1, 0);
  CHECK_F64(weft_load_f64(WEFT_FLOAT, t.data, (size_t)dims - 1), 0, 0);
  dims = ONNX_DENSE_RATIO;
  CHECK_OK(weft__onnx_sparse(&s, &data, &t, &d), &d);  // paid by its value
  dims++;
  CHECK_FAILS(weft__onnx_sparse(&s, &data, &t, &d), WEFT_E_LIMIT);
  CHECK_HAS(d.text, "0 more are left");
  weft_tensor_deinit(&t);
  weft__arena_deinit(&arena);
}

TEST(sparse_constants) {
  fixture f;
  setup(&f);
  onnxw *w = &f.w;
  onnxw_begin(w, &f.text, 8, 17);
  onnxw_graph(w, "g");
  onnxw_op(w, "Constant", "c", "", "k");
  onnxw_open(w, 5);
  onnxw_str(w, 1, "sparse_value");
  onnxw_int(w, 20, ONNX_ATTR_SPARSE_TENSOR);
  onnxw_open(w, 22);
  tensor(w, 1, NULL, ONNX_UINT4, 1, (int64_t[]){3}, "\x21\x03", 2);
  tensor(w, 2, NULL, ONNX_INT64, 1, (int64_t[]){3}, (int64_t[]){0, 3, 4}, 24);
  onnxw_ints(w, 3, (int64_t[]){5}, 1);
  onnxw_close(w);
  onnxw_close(w);
  onnxw_output(w, "k", ONNX_UINT4, 1, (int64_t[]){5}, NULL);
  CHECK_OK(onnxw_finish(w, &f.d), &f.d);
  CHECK_OK(weft_onnx_read(f.env, f.text.v, f.text.n, "m", &f.g, &f.d), &f.d);
  check_text(weft_value_data(weft_graph_find_value(f.g, "k")), "u4[5]{1,0,0,2,3}");
  teardown(&f);
}
// SPDX-License-Identifier: Apache-2.0
