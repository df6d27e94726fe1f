// frameworks_rows_test.c - the documents' rows about front ends, on files as four frameworks write them
// (tests/data/frameworks, which tests/frameworks.py makes): one convolution is the same node whatever wrote
// it, one small network the same program.
#include "base/base.h"
#include "check.h"
#include "ir/ir.h"
#include "weft/interp.h"
#include "weft/weft.h"

#define FILES WEFT_SOURCE_DIR "/tests/data/frameworks/"
enum { ONNX, TORCH, TENSORFLOW, MINDSPORE, FRAMEWORKS };
static const char *const suffixes[FRAMEWORKS] = {"onnx", "pt2", "pb", "mindir"};

static weft_env *env_of(void) {
  weft_env_options o = {.size = sizeof o, .package_path = ""};
  weft_env *e = NULL;
  weft_diag d = {0};
  if (weft_env_create(&o, &e, &d))
    check_failed(__FILE__, __LINE__, "%s", d.text);
  return e;
}

static weft_status load(weft_env *e, const char *name, int of, weft_graph **out, weft_diag *d) {
  char path[1024];
  snprintf(path, sizeof path, FILES "%s.%s", name, suffixes[of]);
  weft_diag_clear(d);
  weft_status s = weft_model_load(e, path, out, d);
  return s ? s : weft_graph_infer(*out, NULL, NULL, d);
}

static weft_graph *loaded(weft_env *e, const char *name, int of) {
  weft_graph *g = NULL;
  weft_diag d = {0};
  if (load(e, name, of, &g, &d))
    check_failed(__FILE__, __LINE__, "%s.%s: %s", name, suffixes[of], d.text);
  return g;
}

static weft_program *compiled(weft_env *e, const char *name, int of) {
  weft_program *p = NULL;
  weft_diag d = {0};
  weft_graph *g = loaded(e, name, of);
  if (!g || weft_compile(g, NULL, &p, &d))
    check_failed(__FILE__, __LINE__, "%s.%s: %s", name, suffixes[of], d.text);
  return p;
}

static const weft_node *node_of(const weft_graph *g, const char *type) {
  const weft_node *n = g ? weft_graph_first(g) : NULL;
  while (n && strcmp(weft_node_type(n), type))
    n = weft_node_next(n);
  return n;
}

static const char *ints(const weft_node *n, const char *name, char buf[96]) {
  const weft_attr *a = n ? weft_node_attr(n, name) : NULL;
  size_t at = 0;
  buf[0] = 0;
  if (!a || a->type != WEFT_VT_LIST_INT)
    return "no list";
  for (size_t i = 0; i < a->n; i++)
    weft__append(buf, 96, &at, "%s%lld", i ? "," : "", (long long)a->u.ints[i]);
  return buf;
}

static const char *text_of(const weft_node *n, const char *name, char buf[96]) {
  const weft_attr *a = n ? weft_node_attr(n, name) : NULL;
  if (!a || a->type != WEFT_VT_STRING)
    return "no text";
  snprintf(buf, 96, "%.*s", (int)a->n, a->u.s);
  return buf;
}

static const char *shape(const weft_value *v, char buf[96]) {
  weft_tensor_desc desc;
  weft_value_desc(v, &desc);
  return weft_shape_text(&desc.layout.origin, NULL, buf, 96);
}

// The convolution of a model that all frameworks wrote: pads and the shape that comes out.
static void conv_is(const char *name, int of, const char *pads, const char *out) {
  weft_env *e = env_of();
  char buf[96];
  weft_graph *g = loaded(e, name, of);
  const weft_node *n = node_of(g, "Conv2D");
  CHECK(n != NULL);
  if (n) {
    CHECK_STR(ints(n, "pads", buf), pads);
    CHECK_STR(shape(weft_graph_output_at(g, 0), buf), out);
    CHECK(!weft_node_attr(n, "pad_mode") || !strcmp(text_of(n, "pad_mode", buf), "SPECIFIC"));
  }
  weft_graph_destroy(g);
  weft_env_destroy(e);
}

// Are two compiled models one graph, but for names?
static bool same_graph(const char *name, int a, int b) {
  weft_env *e = env_of();
  weft_diag d = {0};
  weft_program *p = compiled(e, name, a);
  weft_program *q = compiled(e, name, b);
  weft_status s = WEFT_E_STATE;
  if (p && q)
    s = weft_graph_compare(weft_program_graph(p), weft_program_graph(q), WEFT_EQUAL_SEMANTIC, &d);
  CHECK(!s || s == WEFT_E_DIFFERENT);
  weft_program_release(p);
  weft_program_release(q);
  weft_env_destroy(e);
  return !s;
}

// ---- R262, R264 to R270 ----
TEST(r262_default_layouts) {
  weft_env *e = env_of();
  char buf[96];
  static const char *const models[][2] = {{"plain", "NCHW"}, {"layout", "NHWC"}, {"plain", "NCHW"}};
  for (int of = TORCH; of < FRAMEWORKS; of++) {
    weft_graph *g = loaded(e, models[of - TORCH][0], of);
    CHECK_STR(text_of(node_of(g, "Conv2D"), "data_format", buf), models[of - TORCH][1]);
    weft_graph_destroy(g);
  }
  weft_env_destroy(e);
}

// The same graph, built by hand.
TEST(r264_native_files_are_the_graph_built_by_hand) {
  weft_env *e = env_of();
  for (int of = 0; of < FRAMEWORKS; of++) {
    weft_program *p = compiled(e, "same_1", of);
    const weft_graph *from = p ? weft_program_graph(p) : NULL;
    const weft_node *n = node_of(from, "Conv2D");
    const weft_tensor *w = n ? weft_value_data(weft_node_in(n, 1)) : NULL;
    weft_graph *g = NULL;
    weft_diag d = {0};
    weft_value *y;
    static const int64_t ones[4] = {1, 1, 1, 1};
    CHECK(w != NULL);
    CHECK(!weft_graph_create(e, "hand", &g, &d));
    weft_value *in[2] = {weft_graph_input(g, "image", WEFT_FLOAT, (weft_dim[]){1, 3, 224, 224}, 4, &d),
                         w ? weft_graph_const(g, "filter", w, WEFT_CONST_COPY, &d) : NULL};
    const weft_named_attr attrs[] = {{"strides", weft_attr_ints(ones, 4)},
                                     {"pads", weft_attr_ints(ones, 4)},
                                     {"dilations", weft_attr_ints(ones, 4)},
                                     {"groups", weft_attr_int(1)},
                                     {"data_format", weft_attr_str("NCHW", 4)}};
    weft_node *conv = NULL;
    const weft_use use = {.attrs = attrs, .n_attrs = WEFT_COUNT(attrs)};
    CHECK(in[0] && in[1] && !weft_graph_add_node(g, "Conv2D", &use, &conv, &d));
    CHECK(!weft_node_set_in(conv, 0, in[0], &d) && !weft_node_set_in(conv, 1, in[1], &d));
    y = weft_node_out(conv, 0);
    CHECK(!weft_graph_output(g, y, &d) && !weft_graph_infer(g, NULL, NULL, &d));
    if (weft_graph_compare(from, g, WEFT_EQUAL_SEMANTIC, &d))
      check_failed(__FILE__, __LINE__, "%s: %s", suffixes[of], d.text);
    weft_graph_destroy(g);
    weft_program_release(p);
  }
  weft_env_destroy(e);
}

TEST(r265_one_primitive_with_renamed_parameters) {
  weft_env *e = env_of();
  char buf[96];
  for (int of = 0; of < FRAMEWORKS; of++) {
    weft_graph *g = loaded(e, "words", of);
    const weft_node *n = node_of(g, "Conv2D");
    CHECK(n != NULL);
    CHECK_STR(ints(n, "strides", buf), "1,1,1,1");
    CHECK_STR(ints(n, "pads", buf), "1,1,1,1");
    CHECK_STR(ints(n, "dilations", buf), "1,1,1,1");
    CHECK(n && weft_node_attr(n, "groups") && weft_node_attr(n, "groups")->u.i == 1);
    CHECK_STR(text_of(n, "data_format", buf), "NCHW");
    weft_graph_destroy(g);
  }
  weft_env_destroy(e);
}

TEST(r266_padding_1_is_same_for_stride_1) {
  for (int of = 0; of < FRAMEWORKS; of++)
    conv_is("same_1", of, "1,1,1,1", "[1,4,224,224]");
  CHECK(same_graph("same_1", TORCH, TENSORFLOW));
  CHECK(same_graph("same_1", TORCH, MINDSPORE));
  CHECK(same_graph("same_1", TORCH, ONNX));
}

TEST(r267_and_is_not_for_stride_2) {
  conv_is("same_2", TORCH, "1,1,1,1", "[1,4,112,112]");
  conv_is("same_2", TENSORFLOW, "0,1,0,1", "[1,4,112,112]");
  conv_is("same_2", MINDSPORE, "0,1,0,1", "[1,4,112,112]");
  CHECK(!same_graph("same_2", TORCH, TENSORFLOW));
  CHECK(same_graph("same_2", MINDSPORE, TENSORFLOW));
}

// PyTorch: same, valid, numbers; TensorFlow: SAME, VALID, EXPLICIT; MindSpore: same, valid, pad.
TEST(r268_words_for_padding) {
  weft_env *e = env_of();
  for (int of = 0; of < FRAMEWORKS; of++) {
    weft_graph *g = NULL;
    weft_diag d = {0};
    CHECK_INT(load(e, "bad_word", of, &g, &d), WEFT_E_INVALID);
    CHECK(!g);
    CHECK_HAS(d.text, of == TORCH || of == MINDSPORE ? "'reflect' is not one of" : "'REFLECT' is not one of");
  }
  weft_env_destroy(e);
  for (int of = TORCH; of < FRAMEWORKS; of++) {
    conv_is("words", of, "1,1,1,1", "[1,4,224,224]");
    conv_is("valid", of, "0,0,0,0", "[1,4,222,222]");
    CHECK(same_graph("words", ONNX, of));
  }
}

TEST(r269_defaults_are_filled) {
  weft_env *e = env_of();
  char buf[96];
  for (int of = 0; of < FRAMEWORKS; of++) {
    weft_graph *g = loaded(e, "plain", of);
    const weft_node *n = node_of(g, "Conv2D");
    CHECK(n != NULL);
    CHECK_STR(ints(n, "strides", buf), "1,1,1,1");
    CHECK_STR(ints(n, "pads", buf), "0,0,0,0");
    CHECK_STR(ints(n, "dilations", buf), "1,1,1,1");
    CHECK(n && weft_node_attr(n, "groups") && weft_node_attr(n, "groups")->u.i == 1);
    weft_graph_destroy(g);
    CHECK(same_graph("plain", ONNX, of));
  }
  weft_env_destroy(e);
}

typedef struct numbers {
  float v[8];
  size_t n;
} numbers;

static void numbers_of(const weft_tensor *t, numbers *out) {
  out->n = (size_t)weft_tensor_elems(t);
  CHECK(out->n <= WEFT_COUNT(out->v));
  for (size_t i = 0; i < out->n && i < WEFT_COUNT(out->v); i++)
    out->v[i] = ((const float *)t->data)[i];
}

// A front end: a file of each framework. A back end: the interpreter, and a program on the CPU.
static void run_both(weft_env *e, int of, numbers out[2]) {
  static const weft_dim dims[4] = {1, 3, 4, 4};
  float data[48];
  weft_tensor in;
  weft_tensor got[2];
  weft_exec *x = NULL;
  weft_diag d = {0};
  for (size_t i = 0; i < WEFT_COUNT(data); i++)
    data[i] = (float)((7 * i) % 13) / 4 - 1;
  weft_tensor_init(&in, NULL);
  CHECK(!weft_tensor_borrow(&in, WEFT_FLOAT, dims, 4, data, sizeof data, &d));
  for (int k = 0; k < 2; k++)
    weft_tensor_init(&got[k], NULL);
  weft_graph *g = loaded(e, "net", of);
  weft_program *p = compiled(e, "net", of);
  CHECK(!weft_interp_run(g, NULL, (const weft_tensor *[]){&in}, 1, got, 1, &d));
  CHECK(!weft_exec_create(p, NULL, &x, &d));
  CHECK(!weft_exec_run(x, (const weft_tensor *[]){&in}, 1, (weft_tensor *[]){&got[1]}, 1, &d));
  for (int k = 0; k < 2; k++) {
    numbers_of(&got[k], &out[k]);
    weft_tensor_deinit(&got[k]);
  }
  weft_exec_destroy(x);
  weft_program_release(p);
  weft_graph_destroy(g);
  weft_tensor_deinit(&in);
}

TEST(r270_front_ends_times_back_ends) {
  weft_env *e = env_of();
  numbers first[2];
  run_both(e, ONNX, first);
  CHECK_INT(first[0].n, 3);
  for (int of = 0; of < FRAMEWORKS; of++) {
    numbers now[2];
    run_both(e, of, now);
    for (int k = 0; k < 2; k++) {
      CHECK_INT(now[k].n, 3);
      for (size_t i = 0; i < 3; i++) {
        const float off = now[k].v[i] - first[0].v[i];
        CHECK(off < 1e-6f && off > -1e-6f);
      }
    }
  }
  weft_env_destroy(e);
}

// ---- R278, R279 ----
// One function takes a model of any framework from memory, and says of which it is.
TEST(r278_one_entry_for_all_frameworks) {
  static const char *const kinds[FRAMEWORKS] = {"onnx", "pytorch", "tensorflow", "mindspore"};
  weft_env *e = env_of();
  for (int of = 0; of < FRAMEWORKS; of++) {
    char path[1024];
    weft_file file;
    weft_graph *g = NULL;
    weft_diag d = {0};
    snprintf(path, sizeof path, FILES "net.%s", suffixes[of]);
    CHECK(!weft__file_map(path, &file, &d));
    CHECK_STR(weft_model_kind(file.data, file.bytes, "net"), kinds[of]);
    CHECK_INT(weft_model_read(e, file.data, file.bytes, "net", &g, &d), WEFT_OK);
    CHECK_INT(weft_graph_n_outputs(g), 1);
    weft_graph_destroy(g);
    weft__file_unmap(&file);
  }
  weft_env_destroy(e);
}

TEST(r279_an_operator_serves_all_frameworks) {
  weft_env *e = env_of();
  static const char *const types[] = {"Conv2D", "Relu", "MaxPoolV3", "MatMulV2", "SoftmaxV2"};
  for (int of = 0; of < FRAMEWORKS; of++) {
    weft_graph *g = loaded(e, "net", of);
    for (size_t i = 0; i < WEFT_COUNT(types); i++) {
      const weft_node *n = node_of(g, types[i]);
      CHECK(n && weft_node_proto(n) == weft_find(e, types[i]));
    }
    weft_graph_destroy(g);
  }
  weft_env_destroy(e);
}

// ---- R200 ----
// Names are a model's own, and so are the notes on it, where its nodes came from, and what it claims about
// shapes that inference finds: they are put aside, and everything else must be the same.
static void without_names(weft_graph *g) {
  weft_diag d = {0};
  char name[32];
  unsigned n = 0;
  g->name = "g";
  g->meta.n = 0;
  for (size_t i = 0; i < g->inputs.n; i++) {
    snprintf(name, sizeof name, "#i%zu", i);
    CHECK(!weft__value_rename(g->inputs.v[i], weft__arena_strdup(&g->root->arena, name, strlen(name)), &d));
  }
  for (size_t i = 0; i < g->consts.n; i++) {
    snprintf(name, sizeof name, "#c%zu", i);
    CHECK(!weft__value_rename(g->consts.v[i], weft__arena_strdup(&g->root->arena, name, strlen(name)), &d));
  }
  for (weft_node *node = g->first; node; node = node->next) {
    snprintf(name, sizeof name, "#n%u", n++);
    node->desc.pub.name = weft__arena_strdup(&g->root->arena, name, strlen(name));
    node->origin = NULL;
    for (uint32_t i = 0; i < node->desc.pub.n_out; i++) {
      snprintf(name, sizeof name, "#v%u.%u", n, (unsigned)i);
      node->out[i].declared = NULL;
      CHECK(!weft__value_rename(&node->out[i], weft__arena_strdup(&g->root->arena, name, strlen(name)), &d));
    }
    for (uint32_t i = 0; i < node->n_graphs; i++)
      without_names(node->graphs[i]);
  }
}

static weft_text saved(weft_env *e, const char *name, int of) {
  weft_text out;
  weft_diag d = {0};
  const weft_allocator a = weft_allocator_default();
  weft_program *p = compiled(e, name, of);
  weft__text_init(&out, &a);
  if (!p)
    return out;
  without_names((weft_graph *)(uintptr_t)weft_program_graph(p));
  CHECK(!weft_program_save(p, weft__text_write, &out, &d));
  weft_program_release(p);
  return out;
}

TEST(r200_programs_are_the_same_bytes) {
  static const char *const names[] = {"same_1", "words", "plain", "net"};
  weft_env *e = env_of();
  for (size_t i = 0; i < WEFT_COUNT(names); i++) {
    weft_text first = saved(e, names[i], ONNX);
    CHECK(first.n > 500);
    for (int of = 1; of < FRAMEWORKS; of++) {
      weft_text other = saved(e, names[i], of);
      size_t at = 0;
      while (at < first.n && at < other.n && first.v[at] == other.v[at])
        at++;
      if (first.n != other.n || at < first.n)
        check_failed(__FILE__, __LINE__, "%s.%s: %zu bytes, ONNX's has %zu; they differ from byte %zu on",
                     names[i], suffixes[of], other.n, first.n, at);
      weft__text_deinit(&other);
    }
    weft__text_deinit(&first);
  }
  weft_env_destroy(e);
}
// SPDX-License-Identifier: Apache-2.0
