// mindspore_test.c - files of fuzz/corpus/mindspore, which tests/mindspore_cases.py made: read with every
// allocation failed once, cut, each byte changed, and what a reading leaves in the graph. What operators
// compute is checked by tests/mindspore_cli.sh.
#include "base/base.h"
#include "check.h"
#include "weft/weft.h"

#define CORPUS WEFT_SOURCE_DIR "/fuzz/corpus/mindspore/"

static const char *const files[] = {"loop_branchy.mindir", "loop_left.mindir",         "nested_deep.mindir",
                                    "lstm_layers.mindir",  "parameters_change.mindir", "split_sizes.mindir",
                                    "conv_same_2.mindir"};

typedef struct bytes {
  char *v;
  size_t n;
} bytes;

static bytes bytes_of(const char *name) {
  char path[1024];
  weft_diag d = {0};
  weft_file file;
  bytes b = {.n = 0};
  snprintf(path, sizeof path, CORPUS "%s", name);
  if (weft__file_map(path, &file, &d)) {
    check_failed(__FILE__, __LINE__, "%s", d.text);
    return b;
  }
  b.n = file.bytes;
  b.v = malloc(b.n + 1);
  memcpy(b.v, file.data, b.n);
  weft__file_unmap(&file);
  return b;
}

static weft_env *env_of(void) {
  weft_env_options o = {.size = sizeof o, .package_path = ""};
  weft_env *e = NULL;
  weft_diag d = {0};
  CHECK(!weft_env_create(&o, &e, &d));
  return e;
}

TEST(mindspore_every_allocation_failed_once) {
  for (size_t i = 0; i < WEFT_COUNT(files); i++) {
    bytes b = bytes_of(files[i]);
    check_alloc count = {.fail_at = 0};
    weft_env_options o = {.size = sizeof o, .package_path = "", .allocator = check_allocator(&count)};
    weft_env *e;
    weft_diag d = {0};
    CHECK(!weft_env_create(&o, &e, &d));
    for (long k = 1;; k += 1 + k / 8) {
      weft_graph *g = NULL;
      weft_diag_clear(&d);
      count.fail_at = count.calls + k;
      const weft_status s = weft_model_read(e, b.v, b.n, files[i], &g, &d);
      const bool failed = count.calls >= count.fail_at;
      count.fail_at = 0;
      if (s && (!failed || s != WEFT_E_NOMEM))
        check_failed(__FILE__, __LINE__, "%s, allocation %ld: %s", files[i], k, d.text);
      CHECK_INT(g != NULL, !s);
      weft_graph_destroy(g);
      if (!failed)
        break;
    }
    weft_env_destroy(e);
    CHECK_INT(count.live_blocks, 0);
    free(b.v);
  }
}

// Whatever comes out, nothing is read beyond the bytes, and nothing is left behind.
TEST(mindspore_cut_and_changed) {
  weft_env *e = env_of();
  weft_diag d = {0};
  for (size_t i = 0; i < WEFT_COUNT(files); i++) {
    bytes b = bytes_of(files[i]);
    for (size_t at = 0; at < 2 * b.n; at += 7) {
      const size_t n = at < b.n ? at : b.n;
      char *copy = malloc(n + !n);
      weft_graph *g = NULL;
      memcpy(copy, b.v, n);
      if (at >= b.n)
        copy[at - b.n] ^= (char)(1u << (at % 8));
      weft_diag_clear(&d);
      const weft_status s = weft_model_read(e, copy, n, "cut.mindir", &g, &d);
      CHECK(!s == (g != NULL));
      CHECK(!s || d.length);
      weft_graph_destroy(g);
      free(copy);
    }
    free(b.v);
  }
  weft_env_destroy(e);
}

TEST(mindspore_names_and_origins) {
  bytes b = bytes_of("parameters_change.mindir");
  weft_env *e = env_of();
  weft_graph *g = NULL;
  weft_diag d = {0};
  CHECK_STR(weft_model_kind(b.v, b.n, "a.bin"), "mindspore");
  CHECK_INT(weft_model_read(e, b.v, b.n, "a.bin", &g, &d), WEFT_OK);
  CHECK_INT(weft_graph_n_inputs(g), 1);
  CHECK_STR(weft_value_name(weft_graph_input_at(g, 0)), "x");
  CHECK_INT(weft_graph_n_outputs(g), 5);  // three, and the two parameters that change
  CHECK_STR(weft_value_name(weft_graph_output_at(g, 0)), "output_0");
  CHECK_STR(weft_value_name(weft_graph_output_at(g, 3)), "w.new");
  CHECK_STR(weft_value_name(weft_graph_output_at(g, 4)), "n.new");
  CHECK(weft_graph_find_value(g, "w") != NULL);
  const weft_node *sum = weft_value_node(weft_graph_output_at(g, 1), NULL);
  const weft_origin *from = sum ? weft_node_origin(sum) : NULL;
  CHECK(from && from->offset > 0);
  weft_graph_destroy(g);
  weft_env_destroy(e);
  free(b.v);
}

TEST(mindspore_from_memory_opens_no_files) {
  bytes b = bytes_of("external_data.mindir");
  weft_env *e = env_of();
  weft_graph *g = NULL;
  weft_diag d = {0};
  CHECK_INT(weft_model_read(e, b.v, b.n, CORPUS "external_data.mindir", &g, &d), WEFT_E_UNSUPPORTED);
  CHECK_HAS(d.text, "load it by its path");
  CHECK(!g);
  weft_env_destroy(e);
  free(b.v);
}

static weft_value *body_of(weft_graph *g, const char *type) {
  for (weft_node *n = weft_graph_first(g); n; n = weft_node_next(n)) {
    if (!strcmp(weft_node_type(n), type))
      return weft_node_out(n, 0);
  }
  return NULL;
}

TEST(mindspore_closures_become_bodies) {
  static const char *const of[][2] = {{"nested_deep.mindir", "If"}, {"loop_branchy.mindir", "Loop"}};
  weft_env *e = env_of();
  weft_diag d = {0};
  for (size_t i = 0; i < WEFT_COUNT(of); i++) {
    bytes b = bytes_of(of[i][0]);
    weft_graph *g = NULL;
    CHECK_INT(weft_model_read(e, b.v, b.n, of[i][0], &g, &d), WEFT_OK);
    CHECK(body_of(g, of[i][1]) != NULL);
    CHECK_INT(weft_graph_verify(g, NULL, NULL, &d), WEFT_OK);
    CHECK_INT(weft_graph_infer(g, NULL, NULL, &d), WEFT_OK);
    weft_graph_destroy(g);
    free(b.v);
  }
  weft_env_destroy(e);
}
// SPDX-License-Identifier: Apache-2.0
