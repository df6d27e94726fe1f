// torch_test.c - archives of fuzz/corpus/torch, which tests/torch_cases.py made: read with every allocation
// failed once, cut at every kind of place, and what a reading leaves in the graph. What operators compute is
// checked by tests/torch_cli.sh.
#include "base/base.h"
#include "check.h"
#include "weft/weft.h"

#define CORPUS WEFT_SOURCE_DIR "/fuzz/corpus/torch/"

static const char *const archives[] = {"weight_window.pt2", "softplus_beta.pt2", "change_deep.pt2",
                                       "scan_sum.pt2",      "symbols.pt2",       "bag_max.pt2"};

typedef struct bytes {
  weft_file file;
  char *v;
  size_t n;
} bytes;

static bytes bytes_of(const char *name) {
  char path[1024];
  weft_diag d = {0};
  bytes b = {.n = 0};
  snprintf(path, sizeof path, CORPUS "%s", name);
  if (weft__file_map(path, &b.file, &d))
    check_failed(__FILE__, __LINE__, "%s", d.text);
  b.n = b.file.bytes;
  b.v = malloc(b.n + 1);
  memcpy(b.v, b.file.data, b.n);
  weft__file_unmap(&b.file);
  return b;
}

TEST(every_allocation_failed_once) {
  for (size_t i = 0; i < WEFT_COUNT(archives); i++) {
    bytes b = bytes_of(archives[i]);
    check_alloc count = {.fail_at = 0};
    weft_allocator a = check_allocator(&count);
    weft_env_options o = {.size = sizeof o, .package_path = "", .allocator = a};
    weft_env *e;
    weft_diag d = {0};
    CHECK(!weft_env_create(&o, &e, &d));
    for (long k = 1;; k += 1 + k / 16) {
      weft_graph *g = NULL;
      weft_diag_clear(&d);
      count.fail_at = count.calls + k;
      weft_status s = weft_model_read(e, b.v, b.n, archives[i], &g, &d);
      bool failed = count.calls >= count.fail_at;
      count.fail_at = 0;
      // a symbol without memory is an unknown size, not an error
      CHECK(s == WEFT_OK || (failed && s == WEFT_E_NOMEM));
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

TEST(cut_and_changed_archives) {
  bytes b = bytes_of("weight_window.pt2");
  weft_env_options o = {.size = sizeof o, .package_path = ""};
  weft_env *e;
  weft_diag d = {0};
  CHECK(!weft_env_create(&o, &e, &d));
  for (size_t n = 0; n < b.n; n += 13) {
    char *exact = malloc(n ? n : 1);
    weft_graph *g = NULL;
    memcpy(exact, b.v, n);
    weft_diag_clear(&d);
    CHECK(weft_model_read(e, exact, n, "cut.pt2", &g, &d) && d.length);
    CHECK(!g);
    free(exact);
  }
  weft_env_destroy(e);
  free(b.v);
}

TEST(names_symbols_and_versions) {
  bytes b = bytes_of("symbols.pt2");
  weft_env_options o = {.size = sizeof o, .package_path = ""};
  weft_env *e;
  weft_graph *g = NULL;
  weft_diag d = {0};
  weft_tensor_desc desc;
  char text[64];
  int64_t least;
  int64_t most;
  CHECK(!weft_env_create(&o, &e, &d));
  CHECK(!weft_model_read(e, b.v, b.n, "symbols.pt2", &g, &d));
  CHECK_STR(weft_model_kind(b.v, b.n, "x.onnx.zip"), "pytorch");
  CHECK_STR(weft_graph_find_meta(g, "torch.version"), "2.15.0");
  weft_value_desc(weft_graph_input_at(g, 0), &desc);
  CHECK_STR(weft_dim_text(weft_graph_symbols(g), desc.layout.origin.dim[0], text, sizeof text), "s0");
  weft_dim_bounds(weft_graph_symbols(g), desc.layout.origin.dim[0], &least, &most);
  CHECK_INT(least, 0);  // the program says 2, which stands for any size
  CHECK_INT(most, 9);
  CHECK_STR(weft_value_name(weft_graph_output_at(g, 0)), "y");
  const weft_origin *from = weft_node_origin(weft_value_node(weft_graph_output_at(g, 0), NULL));
  CHECK(from && !strcmp(from->type, "select.int"));
  weft_graph_destroy(g);
  weft_env_destroy(e);
  free(b.v);
}

// What the program says of its input: as torch writes it, and as it does not.
static void meta_is_read(const char *meta, weft_status status, const char *says) {
  bytes b = bytes_of("symbols.pt2");
  weft_env_options o = {.size = sizeof o, .package_path = ""};
  weft_env *e;
  weft_graph *g = NULL;
  weft_diag d = {0};
  char *found = NULL;
  for (size_t i = 0; i + 16 < b.n && !found; i++) {
    if (!memcmp(b.v + i, "{\"dtype\": 7, \"s", 15))
      found = b.v + i;
  }
  CHECK(found);
  if (found)
    memcpy(found, meta, strlen(meta));
  CHECK(!weft_env_create(&o, &e, &d));
  CHECK_INT(weft_model_read(e, b.v, b.n, "symbols.pt2", &g, &d), status);
  if (status)
    CHECK_HAS(d.text, says);
  weft_graph_destroy(g);
  weft_env_destroy(e);
  free(b.v);
}

TEST(descriptions_of_tensors) {
  meta_is_read("{\"dtype\": 7, \"s", WEFT_OK, "");
  meta_is_read("{ \"dtype\":7, \"s", WEFT_OK, "");
  meta_is_read("{\"dtype\" :7, \"s", WEFT_OK, "");
  meta_is_read("{\"dtype\": 07,\"s", WEFT_E_SYNTAX, "in the description of tensor");
  meta_is_read("{\"dtype\": 7  \"s", WEFT_E_SYNTAX, "in the description of tensor");
  meta_is_read("{\"dtypo\": 7, \"s", WEFT_E_INVALID, "has no dtype");
}
// SPDX-License-Identifier: Apache-2.0
