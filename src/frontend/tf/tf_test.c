// tf_test.c - a frozen graph of TensorFlow, written here byte by byte: read and run, cut at every place, each
// byte changed, every allocation failed once. What operators compute is checked by `weft cases`.
#include "base/base.h"
#include "check.h"
#include "frontend/tf/tf_build.h"
#include "weft/weft.h"

// Relu(x + {1, -5}), x of two floats.
static tf_made_bytes small_graph(const char *op) {
  enum { FLOAT = 1 };
  static const float numbers[2] = {1, -5};
  const tf_made_bytes shape = tf_shape_of(2);
  tf_made_bytes graph = {.n = 0};
  tf_made_bytes x = tf_node_of("x", "Placeholder", NULL, NULL);
  tf_made_bytes value = {.n = 0};
  tf_put_type(&x, "dtype", FLOAT);
  tf_put_message(&value, 7, &shape);
  tf_put_attr(&x, "shape", &value);
  tf_put_message(&graph, 1, &x);
  tf_made_bytes c = tf_node_of("c", "Const", NULL, NULL);
  tf_made_bytes tensor = {.n = 0};
  tf_put_int(&tensor, 1, FLOAT);
  tf_put_message(&tensor, 2, &shape);
  tf_put_data(&tensor, 4, numbers, sizeof numbers);
  value.n = 0;
  tf_put_message(&value, 8, &tensor);
  tf_put_type(&c, "dtype", FLOAT);
  tf_put_attr(&c, "value", &value);
  tf_put_message(&graph, 1, &c);
  tf_made_bytes sum = tf_node_of("sum", op, "x", "c");
  tf_put_type(&sum, "T", FLOAT);
  tf_put_message(&graph, 1, &sum);
  tf_made_bytes y = tf_node_of("y", "Relu", "sum", NULL);
  tf_put_type(&y, "T", FLOAT);
  tf_put_message(&graph, 1, &y);
  return graph;
}

TEST(tf_frozen_graph_runs) {
  weft_env *e;
  weft_graph *g = NULL;
  weft_program *p = NULL;
  weft_exec *x = NULL;
  weft_diag d = {0};
  const tf_made_bytes b = small_graph("AddV2");
  CHECK(!weft_env_create(NULL, &e, &d));
  CHECK_STR(weft_model_kind(b.v, b.n, "f.pb"), "tensorflow");
  CHECK_INT(weft_model_read(e, b.v, b.n, "f.pb", &g, &d), WEFT_OK);
  CHECK_INT(weft_graph_n_inputs(g), 1);
  CHECK_STR(weft_value_name(weft_graph_input_at(g, 0)), "x");
  CHECK_INT(weft_compile(g, NULL, &p, &d), WEFT_OK);
  CHECK_INT(weft_exec_create(p, NULL, &x, &d), WEFT_OK);
  float in[2] = {3, 4};
  const weft_dim dims[1] = {2};
  weft_tensor from, to;
  weft_tensor_init(&from, NULL);
  weft_tensor_init(&to, NULL);
  CHECK_INT(weft_tensor_borrow(&from, WEFT_FLOAT, dims, 1, in, sizeof in, &d), WEFT_OK);
  CHECK_INT(weft_exec_run(x, (const weft_tensor *[]){&from}, 1, (weft_tensor *[]){&to}, 1, &d), WEFT_OK);
  CHECK(((const float *)to.data)[0] == 4);
  CHECK(((const float *)to.data)[1] == 0);
  weft_tensor_deinit(&to);
  weft_tensor_deinit(&from);
  weft_exec_destroy(x);
  weft_program_release(p);
  weft_env_destroy(e);
}

static tf_made_bytes sizes_of(const int64_t *v, size_t n) {
  tf_made_bytes shape = {.n = 0};
  for (size_t i = 0; i < n; i++) {
    const tf_made_bytes one = tf_shape_of((uint64_t)v[i]);
    memcpy(shape.v + shape.n, one.v, one.n);
    shape.n += one.n;
  }
  return shape;
}

// y = OP(x, v), n_out elements in out, where nothing says how large x [rows, columns] and v [3] are. v NULL:
// of x alone.
static void run_of_any_size(const char *op, const float *x, const weft_dim x_dims[2], const float *v,
                            float out[12], size_t *n_out) {
  enum { FLOAT = 1 };
  static const int64_t open[2] = {-1, -1};
  const weft_dim v_dims[1] = {3};
  const size_t x_bytes = (size_t)(x_dims[0] * x_dims[1]) * sizeof *x;
  const size_t n = v ? 2 : 1;
  tf_made_bytes graph = {.n = 0};
  for (size_t i = 0; i < n; i++) {
    tf_made_bytes in = tf_node_of(i ? "v" : "x", "Placeholder", NULL, NULL);
    const tf_made_bytes shape = sizes_of(open, i ? 1 : 2);
    tf_put_type(&in, "dtype", FLOAT);
    tf_put_value(&in, "shape", 7, &shape);
    tf_put_message(&graph, 1, &in);
  }
  tf_made_bytes node = tf_node_of("y", op, "x", v ? "v" : NULL);
  tf_put_type(&node, "T", FLOAT);
  tf_put_message(&graph, 1, &node);
  weft_env *e;
  weft_graph *g = NULL;
  weft_program *p = NULL;
  weft_exec *r = NULL;
  weft_diag d = {0};
  weft_tensor from[2];
  weft_tensor y;
  CHECK(!weft_env_create(NULL, &e, &d));
  CHECK_OK(weft_model_read(e, graph.v, graph.n, "f.pb", &g, &d), &d);
  CHECK_OK(weft_compile(g, NULL, &p, &d), &d);
  CHECK_OK(weft_exec_create(p, NULL, &r, &d), &d);
  weft_tensor_init(&from[0], NULL);
  weft_tensor_init(&from[1], NULL);
  weft_tensor_init(&y, NULL);
  CHECK_OK(weft_tensor_borrow(&from[0], WEFT_FLOAT, x_dims, 2, (void *)(uintptr_t)x, x_bytes, &d), &d);
  if (v)
    CHECK_OK(weft_tensor_borrow(&from[1], WEFT_FLOAT, v_dims, 1, (void *)(uintptr_t)v, 3 * sizeof *v, &d),
             &d);
  const weft_tensor *const in[2] = {&from[0], &from[1]};
  CHECK_OK(weft_exec_run(r, in, n, (weft_tensor *[]){&y}, 1, &d), &d);
  *n_out = (size_t)weft_tensor_elems(&y);
  CHECK(*n_out <= 12);
  if (*n_out <= 12)
    memcpy(out, y.data, *n_out * sizeof *out);
  weft_tensor_deinit(&y);
  weft_tensor_deinit(&from[0]);
  weft_tensor_deinit(&from[1]);
  weft_exec_destroy(r);
  weft_program_release(p);
  weft_env_destroy(e);
}

// Two sizes that nobody knows are not the same size: neither is the matrix square, nor the diagonal a row's.
TEST(tf_diagonals_of_matrices_of_any_size) {
  static const float x[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  static const float v[3] = {-1, -2, -3};
  float y[12] = {0};
  size_t n = 0;
  run_of_any_size("MatrixDiagPart", x, (const weft_dim[]){3, 4}, NULL, y, &n);
  CHECK_INT(n, 3);
  CHECK(y[2] == 11);
  run_of_any_size("MatrixSetDiag", x, (const weft_dim[]){4, 3}, v, y, &n);
  CHECK_INT(n, 12);
  CHECK(y[8] == -3);
  CHECK(y[11] == 12);
  run_of_any_size("MatrixSetDiag", x, (const weft_dim[]){3, 4}, v, y, &n);
  CHECK(y[10] == -3);
  CHECK(y[11] == 12);
}

// What operators give is checked beside TensorFlow; here only that layouts, strides and SAME arrive.
TEST(tf_conv3d) {
  enum { FLOAT = 1 };
  static const int64_t x_dims[5] = {1, 5, 6, 7, 3};
  static const int64_t w_dims[5] = {2, 3, 2, 3, 4};
  static const uint64_t strides[5] = {1, 1, 2, 1, 1};
  static const int64_t expected[5] = {1, 5, 3, 7, 4};
  tf_made_bytes graph = {.n = 0};
  tf_made_bytes x = tf_node_of("x", "Placeholder", NULL, NULL);
  tf_made_bytes w = tf_node_of("w", "Const", NULL, NULL);
  tf_made_bytes y = tf_node_of("y", "Conv3D", "x", "w");
  tf_made_bytes part = sizes_of(x_dims, 5);
  tf_put_type(&x, "dtype", FLOAT);
  tf_put_value(&x, "shape", 7, &part);
  tf_put_message(&graph, 1, &x);
  tf_made_bytes tensor = {.n = 0};
  part = sizes_of(w_dims, 5);
  tf_put_int(&tensor, 1, FLOAT);
  tf_put_message(&tensor, 2, &part);
  tf_put_value(&w, "value", 8, &tensor);
  tf_put_message(&graph, 1, &w);
  tf_made_bytes list = {.n = 0};
  for (size_t i = 0; i < 5; i++)
    tf_put_int(&list, 3, strides[i]);
  tf_put_value(&y, "strides", 1, &list);
  tf_made_bytes same = {.n = 0};
  tf_put_text(&same, 2, "SAME");
  tf_put_attr(&y, "padding", &same);
  tf_put_message(&graph, 1, &y);
  weft_env *e;
  weft_graph *g = NULL;
  weft_diag d = {0};
  weft_tensor_desc desc;
  CHECK(!weft_env_create(NULL, &e, &d));
  CHECK_INT(weft_model_read(e, graph.v, graph.n, "f.pb", &g, &d), WEFT_OK);
  weft_value_desc(weft_graph_output_at(g, 0), &desc);
  CHECK_INT(desc.layout.origin.rank, 5);
  for (size_t i = 0; i < 5; i++)
    CHECK_INT(desc.layout.origin.dim[i], expected[i]);
  weft_graph_destroy(g);
  weft_env_destroy(e);
}

// A depthwise convolution of placeholders, whose sizes and strides are nothing but claims.
static weft_status read_depthwise(const int64_t w_dims[4], int64_t stride, weft_diag *d) {
  enum { FLOAT = 1 };
  static const int64_t x_dims[4] = {1, 5, 5, 3};
  tf_made_bytes graph = {.n = 0};
  const char *const names[2] = {"x", "w"};
  const int64_t *dims[2] = {x_dims, w_dims};
  for (int i = 0; i < 2; i++) {
    tf_made_bytes in = tf_node_of(names[i], "Placeholder", NULL, NULL);
    const tf_made_bytes shape = sizes_of(dims[i], 4);
    tf_put_type(&in, "dtype", FLOAT);
    tf_put_value(&in, "shape", 7, &shape);
    tf_put_message(&graph, 1, &in);
  }
  tf_made_bytes y = tf_node_of("y", "DepthwiseConv2dNative", "x", "w");
  tf_made_bytes list = {.n = 0};
  for (size_t i = 0; i < 4; i++)
    tf_put_int(&list, 3, (uint64_t)stride);
  tf_put_value(&y, "strides", 1, &list);
  tf_put_message(&graph, 1, &y);
  weft_env *e;
  weft_graph *g = NULL;
  CHECK(!weft_env_create(NULL, &e, d));
  const weft_status s = weft_model_read(e, graph.v, graph.n, "f.pb", &g, d);
  weft_graph_destroy(g);
  weft_env_destroy(e);
  return s;
}

TEST(tf_sizes_of_a_convolution_are_looked_at_before_they_are_multiplied) {
  weft_diag d = {0};
  CHECK_INT(read_depthwise((int64_t[]){3, 3, 3, 2}, 1, &d), WEFT_OK);
  CHECK_INT(read_depthwise((int64_t[]){3, 3, INT64_C(1) << 40, INT64_C(1) << 40}, 1, &d), WEFT_E_RANGE);
  CHECK_HAS(d.text, "a size of 1099511627776");
  weft_diag_clear(&d);
  CHECK_INT(read_depthwise((int64_t[]){3, 3, 3, 2}, INT64_C(1) << 62, &d), WEFT_E_RANGE);
  CHECK_HAS(d.text, "attribute 'strides': 4611686018427387904 is outside [1, 2^31 - 1]");
}

TEST(tf_unknown_operator_is_named) {
  weft_env *e;
  weft_graph *g = NULL;
  weft_diag d = {0};
  const tf_made_bytes b = small_graph("NobodyKnows");
  CHECK(!weft_env_create(NULL, &e, &d));
  CHECK_INT(weft_model_read(e, b.v, b.n, "f.pb", &g, &d), WEFT_E_UNSUPPORTED);
  CHECK_HAS(d.text, "NobodyKnows: 1 node, first 'sum'");
  weft_diag_clear(&d);
  weft_env_destroy(e);
}

// Whatever comes out, nothing is read beyond the bytes, and nothing is left behind.
TEST(tf_cut_and_changed) {
  weft_env *e;
  const tf_made_bytes b = small_graph("AddV2");
  weft_diag d = {0};
  CHECK(!weft_env_create(NULL, &e, &d));
  for (size_t i = 0; i < 2 * b.n; i++) {
    const size_t n = i < b.n ? i : b.n;
    uint8_t *copy = malloc(n + !n);
    weft_graph *g = NULL;
    memcpy(copy, b.v, n);
    if (i >= b.n)
      copy[i - b.n] ^= (uint8_t)(1u << (i % 8));
    weft_diag_clear(&d);
    const weft_status s = weft_model_read(e, copy, n, "f.pb", &g, &d);
    CHECK(!s == (g != NULL));
    weft_graph_destroy(g);
    free(copy);
  }
  weft_diag_clear(&d);
  weft_env_destroy(e);
}

TEST(tf_every_allocation_failed_once) {
  const tf_made_bytes b = small_graph("AddV2");
  check_alloc count = {.fail_at = 0};
  weft_env_options o = {.size = sizeof o, .package_path = "", .allocator = check_allocator(&count)};
  weft_env *e;
  weft_diag d = {0};
  CHECK(!weft_env_create(&o, &e, &d));
  for (long k = 1;; k++) {
    weft_graph *g = NULL;
    weft_diag_clear(&d);
    count.fail_at = count.calls + k;
    const weft_status s = weft_model_read(e, b.v, b.n, "f.pb", &g, &d);
    const bool failed = count.calls >= count.fail_at;
    count.fail_at = 0;
    CHECK(s == WEFT_OK || (failed && s == WEFT_E_NOMEM));
    weft_graph_destroy(g);
    if (!failed)
      break;
  }
  weft_env_destroy(e);
  CHECK_INT(count.live_blocks, 0);
}
// SPDX-License-Identifier: Apache-2.0
